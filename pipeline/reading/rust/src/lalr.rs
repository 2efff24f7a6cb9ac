//! A grammar's LALR tables as an automaton over kinds of line, which remembers every step that it has taken: what may come next depends
//! on the stack of table states alone, and pages lead to few different stacks.

use crate::automaton::Mask;
use std::collections::HashMap;

/// Larger than any number of a step: the tables name no step.
const NO_STEP: i32 = i32::MIN;
/// So many remembered steps take some megabytes.
const MOST_STEPS: usize = 1_000_000;

/// A place in the grammar.
#[derive(Clone, Copy, PartialEq)]
pub struct Place(usize);

pub const START: Place = Place(0);

pub struct Lalr {
    names: Vec<String>,
    /// Per state and symbol (kinds first) the next state, or -1 - n where rule n ends.
    rows: Vec<Vec<i32>>,
    /// Each rule's symbol, and the number of symbols that it stands for.
    rules: Vec<(usize, usize)>,
    start: usize,
    end: usize,
    end_symbol: usize,
    stacks: Vec<Vec<usize>>,
    places: HashMap<Vec<usize>, Place>,
    taken: HashMap<(usize, Mask), (Option<usize>, Place)>,
}

/// The tables as Python has them: names of kinds by number, rules, steps of each state, the first and the last state.
pub struct Tables {
    pub names: Vec<String>,
    pub rules: Vec<(String, Vec<String>)>,
    pub states: Vec<HashMap<String, i32>>,
    pub start: usize,
    pub end: usize,
}

impl Lalr {
    pub fn new(tables: Tables) -> Lalr {
        let mut symbols: HashMap<String, usize> = HashMap::new();
        let of_rules = tables.rules.iter().map(|(name, _)| name);
        let of_states = tables.states.iter().flat_map(|row| row.keys());
        let end = "$END".to_string();
        for name in tables.names.iter().chain([&end]).chain(of_rules).chain(of_states) {
            let number = symbols.len();
            symbols.entry(name.clone()).or_insert(number);
        }
        let row = |steps: &HashMap<String, i32>| {
            let mut row = vec![NO_STEP; symbols.len()];
            steps.iter().for_each(|(name, &step)| row[symbols[name]] = step);
            row
        };
        let mut lalr = Lalr {
            rows: tables.states.iter().map(row).collect(),
            rules: tables.rules.iter().map(|(name, of)| (symbols[name], of.len())).collect(),
            start: tables.start,
            end: tables.end,
            end_symbol: symbols[&end],
            names: tables.names,
            stacks: vec![],
            places: HashMap::new(),
            taken: HashMap::new(),
        };
        lalr.forget();
        lalr
    }

    /// Free the memory of the steps taken so far. Only START is a place afterwards.
    pub fn forget(&mut self) {
        self.stacks.clear();
        self.places.clear();
        self.taken.clear();
        self.place(vec![self.start]);
    }

    pub fn is_full(&self) -> bool {
        self.taken.len() > MOST_STEPS || self.stacks.len() > MOST_STEPS / 10
    }

    fn place(&mut self, stack: Vec<usize>) -> Place {
        let next = Place(self.stacks.len());
        let stacks = &mut self.stacks;
        *self.places.entry(stack).or_insert_with_key(|stack| {
            stacks.push(stack.clone());
            next
        })
    }

    /// The stack after a symbol, and whether it fits. Where it does not, the stack may be reduced all the same.
    fn feed(&self, stack: &[usize], symbol: usize) -> (Vec<usize>, bool) {
        let mut now = stack.to_vec();
        loop {
            let step = self.rows[*now.last().expect("a state")][symbol];
            if step == NO_STEP {
                return (now, false);
            }
            if let Ok(state) = usize::try_from(step) {
                now.push(state);
                return (now, true);
            }
            let (rule, size) = self.rules[step.unsigned_abs() as usize - 1];
            now.truncate(now.len() - size);
            let to = self.rows[*now.last().expect("a state")][rule];
            now.push(usize::try_from(to).expect("a state behind a rule"));
            if symbol == self.end_symbol && now.last() == Some(&self.end) {
                return (now, true);
            }
        }
    }

    /// The first kind of a mask that fits, and the place that follows.
    pub fn take(&mut self, from: Place, mask: Mask) -> (Option<usize>, Place) {
        if let Some(&known) = self.taken.get(&(from.0, mask)) {
            return known;
        }
        let mut stack = self.stacks[from.0].clone();
        let top = *stack.last().expect("a state");
        let mut kind = None;
        for number in kinds(mask) {
            // The tables list a few too many: only `feed` can tell.
            if self.rows[top][number] != NO_STEP {
                let (next, fits) = self.feed(&stack, number);
                stack = next;
                if fits {
                    kind = Some(number);
                    break;
                }
            }
        }
        let step = (kind, self.place(stack));
        self.taken.insert((from.0, mask), step);
        step
    }

    /// The kinds that fit here.
    pub fn choices(&self, at: Place) -> Mask {
        let fits = |number: &usize| self.feed(&self.stacks[at.0], *number).1;
        (0..self.names.len()).filter(fits).fold(0, |mask, number| mask | 1 << number)
    }

    pub fn may_end(&self, at: Place) -> bool {
        self.feed(&self.stacks[at.0], self.end_symbol).1
    }

    /// Whether a line of this kind fits after one other line.
    pub fn comes_later(&self, at: Place, kind: usize) -> bool {
        kinds(self.choices(at)).any(|other| {
            let (stack, _) = self.feed(&self.stacks[at.0], other);
            self.feed(&stack, kind).1
        })
    }

    /// The names of some kinds, sorted, with commas.
    pub fn named(&self, mask: Mask) -> String {
        let mut names: Vec<&str> = kinds(mask).map(|kind| self.names[kind].as_str()).collect();
        names.sort_unstable();
        names.join(", ")
    }
}

/// The numbers of the kinds in a mask.
pub fn kinds(mask: Mask) -> impl Iterator<Item = usize> {
    let rests = std::iter::successors(Some(mask), |&rest| Some(rest & rest.wrapping_sub(1)));
    rests.take_while(|&rest| rest != 0).map(|rest| rest.trailing_zeros() as usize)
}
