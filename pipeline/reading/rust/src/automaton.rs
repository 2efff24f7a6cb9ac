//! All patterns of a grammar as one automaton over the bytes of a line. Its states are worked out when a line first leads to them:
//! a grammar has thousands, and the lines of a file come to hundreds.

use regex_automata::nfa::thompson::{Compiler, Config, NFA, State, WhichCaptures};
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;
use std::collections::HashMap;

/// A mask of kinds of line.
pub type Mask = u64;

const DEAD: u32 = 0;
const UNKNOWN: u32 = u32::MAX;
/// Set in the number of a state that some pattern matches in: such numbers are multiples of the (even) stride otherwise.
const HIT: u32 = 1;
/// Characters behind the margin that tell most kinds apart.
const HEAD: usize = 6;
/// They take some 30 MB. Printed pages lead to hundreds, lines spliced at random to thousands.
const MOST_STATES: usize = 20_000;

/// What a line may be. `matched`: kinds whose pattern matches. `certain`: those of them that the margin and the first characters decide
/// alone. `possible`: kinds whose lines may begin like this.
#[derive(Clone, Copy, Default)]
pub struct Found {
    pub matched: Mask,
    pub certain: Mask,
    pub possible: Mask,
}

pub struct Automaton {
    nfa: NFA,
    /// Class of each byte; bytes of one class lead to the same states.
    class: [u8; 256],
    /// A byte of each class.
    of_class: Vec<u8>,
    shift: u32,
    table: Vec<u32>,
    hits: Vec<Mask>,
    hits_at_end: Vec<Mask>,
    live: Vec<Mask>,
    sets: Vec<Box<[StateID]>>,
    numbers: HashMap<Box<[StateID]>, u32>,
    /// The pattern that a state of the NFA belongs to.
    pattern_of: Vec<Mask>,
    start: u32,
    marked: Vec<bool>,
}

impl Automaton {
    pub fn new(patterns: &[String]) -> Result<Automaton, String> {
        if patterns.len() > Mask::BITS as usize {
            return Err(format!("{} kinds of line; a mask holds {}", patterns.len(), Mask::BITS));
        }
        let config = Config::new().which_captures(WhichCaptures::None).shrink(false);
        let nfa = Compiler::new().configure(config).build_many(patterns).map_err(|e| e.to_string())?;
        for look in nfa.look_set_any().iter() {
            if !matches!(look, Look::Start | Look::End) {
                return Err(format!("a pattern looks around ({look:?})"));
            }
        }
        let mut class = [0; 256];
        let mut of_class = vec![];
        for byte in 0..=255u8 {
            let number = nfa.byte_classes().get(byte);
            class[usize::from(byte)] = number;
            if usize::from(number) == of_class.len() {
                of_class.push(byte);
            }
        }
        let mut automaton = Automaton {
            pattern_of: pattern_of_states(&nfa),
            marked: vec![false; nfa.states().len()],
            shift: of_class.len().next_power_of_two().max(2).trailing_zeros(),
            nfa,
            class,
            of_class,
            table: vec![],
            hits: vec![],
            hits_at_end: vec![],
            live: vec![],
            sets: vec![],
            numbers: HashMap::new(),
            start: DEAD,
        };
        automaton.forget();
        Ok(automaton)
    }

    /// Free the memory of the states so far.
    pub fn forget(&mut self) {
        self.table.clear();
        self.hits.clear();
        self.hits_at_end.clear();
        self.live.clear();
        self.sets.clear();
        self.numbers.clear();
        self.number(Box::default());
        self.table.fill(DEAD);
        let set = self.closure(vec![self.nfa.start_anchored()], true);
        self.start = self.number(set);
    }

    pub fn line(&mut self, line: &[u8]) -> Found {
        if self.sets.len() > MOST_STATES {
            self.forget();
        }
        let (head, rest) = line.split_at(head_end(line));
        let mut matched = 0;
        let mut state = self.walk(self.start, head, &mut matched);
        let (certain, possible) = (matched, matched | self.live[self.index(state)]);
        state = self.walk(state, rest, &mut matched);
        Found { matched: matched | self.hits_at_end[self.index(state)], certain, possible }
    }

    fn walk(&mut self, mut state: u32, bytes: &[u8], matched: &mut Mask) -> u32 {
        for &byte in bytes {
            let class = self.class[usize::from(byte)];
            let at = (state & !HIT) as usize + usize::from(class);
            state = self.table[at];
            if state == DEAD {
                break;
            }
            if state & HIT != 0 {
                if state == UNKNOWN {
                    state = self.step(at, class);
                }
                *matched |= self.hits[self.index(state)];
            }
        }
        state
    }

    fn index(&self, state: u32) -> usize {
        (state >> self.shift) as usize
    }

    /// Work out the state at a place of the table.
    #[cold]
    fn step(&mut self, at: usize, class: u8) -> u32 {
        let byte = self.of_class[usize::from(class)];
        let set = &self.sets[at >> self.shift];
        let next = set.iter().filter_map(|&id| match self.nfa.state(id) {
            State::ByteRange { trans } => trans.matches_byte(byte).then_some(trans.next),
            State::Sparse(some) => some.matches_byte(byte),
            State::Dense(some) => some.matches_byte(byte),
            _ => None,
        });
        let next = next.collect();
        let set = self.closure(next, false);
        let state = self.number(set);
        self.table[at] = state;
        state
    }

    fn number(&mut self, set: Box<[StateID]>) -> u32 {
        if let Some(&known) = self.numbers.get(&set) {
            return known;
        }
        let hits = self.matches(&set);
        let place = self.sets.len() << self.shift;
        let state = u32::try_from(place).expect("few states") | if hits != 0 { HIT } else { 0 };
        let ends = set.iter().copied().filter_map(|id| match self.nfa.state(id) {
            State::Look { look: Look::End, next } => Some(*next),
            _ => None,
        });
        let ends = ends.collect();
        self.hits.push(hits);
        let at_end = self.closure(ends, false);
        self.hits_at_end.push(self.matches(&at_end));
        self.live.push(set.iter().fold(0, |mask, id| mask | self.pattern_of[id.as_usize()]));
        self.table.resize(self.table.len() + (1 << self.shift), UNKNOWN);
        self.numbers.insert(set.clone(), state);
        self.sets.push(set);
        state
    }

    /// The patterns that match in a set of states of the NFA.
    fn matches(&self, set: &[StateID]) -> Mask {
        let patterns = set.iter().filter_map(|&id| match self.nfa.state(id) {
            State::Match { pattern_id } => Some(pattern_id.as_usize()),
            _ => None,
        });
        patterns.fold(0, |mask, pattern| mask | 1 << pattern)
    }

    /// The states of the NFA that some lead to without a byte, as far as these match, or wait for a byte or for the end.
    fn closure(&mut self, mut todo: Vec<StateID>, at_start: bool) -> Box<[StateID]> {
        let mut seen = vec![];
        let mut set = vec![];
        while let Some(id) = todo.pop() {
            if std::mem::replace(&mut self.marked[id.as_usize()], true) {
                continue;
            }
            seen.push(id);
            match self.nfa.state(id) {
                State::ByteRange { .. } | State::Sparse(_) | State::Dense(_) | State::Match { .. } => set.push(id),
                State::Look { look: Look::End, .. } => set.push(id),
                State::Look { next, .. } if at_start => todo.push(*next),
                State::Look { .. } | State::Fail => {}
                State::Union { alternates } => todo.extend(alternates.iter()),
                State::BinaryUnion { alt1, alt2 } => todo.extend([*alt1, *alt2]),
                State::Capture { next, .. } => todo.push(*next),
            }
        }
        for id in seen {
            self.marked[id.as_usize()] = false;
        }
        set.sort_unstable();
        set.into()
    }
}

/// Where the margin and the first characters of a line end.
fn head_end(line: &[u8]) -> usize {
    let margin = line.iter().take_while(|&&byte| byte == b' ').count();
    let begins = |byte: u8| byte & 0xC0 != 0x80;
    let ends = line.iter().enumerate().skip(margin).filter(|&(_, &byte)| begins(byte)).nth(HEAD);
    ends.map_or(line.len(), |(at, _)| at)
}

fn pattern_of_states(nfa: &NFA) -> Vec<Mask> {
    let mut of = vec![0; nfa.states().len()];
    for pattern in nfa.patterns() {
        let bit = 1 << pattern.as_usize();
        let mut todo = vec![nfa.start_pattern(pattern).expect("a start for each pattern")];
        while let Some(id) = todo.pop() {
            if of[id.as_usize()] & bit != 0 {
                continue;
            }
            of[id.as_usize()] |= bit;
            match nfa.state(id) {
                State::ByteRange { trans } => todo.push(trans.next),
                State::Sparse(some) => todo.extend(some.transitions.iter().map(|one| one.next)),
                // Zero stands for no transition.
                State::Dense(some) => todo.extend(some.transitions.iter().filter(|next| **next != StateID::ZERO)),
                State::Look { next, .. } | State::Capture { next, .. } => todo.push(*next),
                State::Union { alternates } => todo.extend(alternates.iter()),
                State::BinaryUnion { alt1, alt2 } => todo.extend([*alt1, *alt2]),
                State::Match { .. } | State::Fail => {}
            }
        }
    }
    of
}
