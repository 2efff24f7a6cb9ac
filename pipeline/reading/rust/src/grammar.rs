//! The kind of each line of a report's pages: what its pattern allows, what the lines above it allow, what the grammar accepts.

use crate::automaton::{Automaton, Found, Mask};
use crate::lalr::{Lalr, Place, START, kinds};

const EVERY: Mask = Mask::MAX;

/// What a grammar says of its kinds beyond their patterns, as masks; `pipeline/reading/line_kinds.py` derives it.
pub struct Rules {
    /// Kinds that begin a section, each with the kinds that may stand in it, others than rows included.
    pub sections: Vec<(Mask, Mask)>,
    /// Per kind the headings that must be above it.
    pub needed: Vec<Mask>,
    /// Per kind that begins a part of the grammar, excerpts apart: all kinds of these parts; 0 for other kinds.
    pub held: Vec<Mask>,
    /// The same of excerpts too.
    pub reachable: Vec<Mask>,
    pub particular: Mask,
    /// Rows and texts.
    pub below: Mask,
    /// Lines right below a heading and nothing else.
    pub firsts: Mask,
    /// Text behind the last row of a section.
    pub rests: Mask,
    /// Page lines that nothing else can be.
    pub heading: Mask,
    pub excerpts: Mask,
    /// Kinds that may begin a text, but no section within one.
    pub free: Mask,
}

/// Lines of a section without a place in its grammar: the first, how many, the kind that the first would have elsewhere, and what was expected.
#[derive(Debug, PartialEq)]
pub struct Lost {
    pub at: usize,
    pub lines: usize,
    pub kind: Option<usize>,
    pub expected: String,
}

/// Per line its kind (-1 for none), and whether a section begins there; the lines without a place; and lines behind which
/// a section lost its own heading.
#[derive(Default)]
pub struct Read {
    pub kind: Vec<i16>,
    pub begins: Vec<u8>,
    pub lost: Vec<Lost>,
    pub lost_after: Vec<usize>,
}

pub struct Grammar {
    automaton: Automaton,
    lalr: Lalr,
    rules: Rules,
    /// Kinds that begin a section.
    begin: Mask,
}

impl Grammar {
    pub fn new(automaton: Automaton, lalr: Lalr, rules: Rules) -> Grammar {
        let begin = lalr.choices(START) & !rules.excerpts & !rules.free;
        Grammar { automaton, lalr, rules, begin }
    }

    pub fn forget(&mut self) {
        self.automaton.forget();
        self.lalr.forget();
    }

    /// The kinds whose patterns match each line, whatever is above it.
    pub fn matched<'a>(&mut self, lines: impl Iterator<Item = &'a [u8]>) -> Vec<Mask> {
        lines.map(|line| self.automaton.line(line).matched).collect()
    }

    /// The kinds taken of some masks in turn from the beginning, and after each the kinds that fit, and whether the text may end.
    pub fn follow(&mut self, masks: &[Mask]) -> Vec<(Option<usize>, Mask, bool)> {
        let mut place = START;
        let steps = masks.iter().map(|&mask| {
            let (kind, next) = self.lalr.take(place, mask);
            place = next;
            (kind, self.lalr.choices(place), self.lalr.may_end(place))
        });
        steps.collect()
    }

    pub fn read<'a>(&mut self, lines: impl Iterator<Item = &'a [u8]>, page_begins: &[u8], source_begins: &[u8]) -> Read {
        let found: Vec<Found> = lines.map(|line| self.automaton.line(line)).collect();
        let masks = self.masks(&found, page_begins, source_begins);
        let section = self.rules.sections.iter().fold(0, |mask, (kind, _)| mask | kind);
        let mut read = Read { kind: vec![-1; masks.len()], begins: page_begins.to_vec(), ..Read::default() };
        for (begins, &mask) in read.begins.iter_mut().zip(&masks) {
            // The kind of the highest priority has the lowest number.
            *begins |= u8::from(mask & mask.wrapping_neg() & section != 0);
        }
        let starts: Vec<usize> = (0..masks.len()).filter(|&line| line == 0 || read.begins[line] != 0).collect();
        for (k, &start) in starts.iter().enumerate() {
            let end = starts.get(k + 1).copied().unwrap_or(masks.len());
            self.section(start, &masks[start..end], &mut read);
        }
        read
    }

    /// The kinds that each line may be. Kinds of row that a section cannot hold are left out there, and those whose heading has not
    /// come yet, where the line is something else as well.
    fn masks(&self, found: &[Found], page_begins: &[u8], source_begins: &[u8]) -> Vec<Mask> {
        let rules = &self.rules;
        let late = kinds(EVERY).zip(&rules.needed).filter(|(_, needed)| **needed != 0).fold(0, |mask, (kind, _)| mask | 1 << kind);
        let section = rules.sections.iter().fold(0, |mask, (kind, _)| mask | kind);
        let apart = self.without_heading(found, page_begins);
        let (mut reach, mut seen, mut start) = (EVERY, 0, 0);
        let mut starts = Vec::with_capacity(found.len());
        let mut masks = Vec::with_capacity(found.len());
        for (line, one) in found.iter().enumerate() {
            if one.matched & section != 0 {
                let begun = rules.sections.iter().filter(|(kind, _)| one.matched & kind != 0);
                (reach, seen, start) = (begun.fold(0, |mask, (_, held)| mask | held), 0, line);
            } else if apart[line] || source_begins[line] != 0 {
                (reach, seen, start) = (EVERY, 0, line);
            }
            starts.push(start);
            let possible = one.matched & !one.certain & reach;
            let mut mask = one.certain & reach | possible & !late;
            seen |= mask;
            let below = kinds(possible & late).filter(|&kind| rules.needed[kind] & !seen == 0);
            mask |= below.fold(0, |mask, kind| mask | 1 << kind);
            // A line without a kind so far may be a row with a missing heading.
            if mask & rules.particular == 0 {
                mask |= possible & late & rules.particular;
            }
            masks.push(mask);
        }
        self.settle(&mut masks, &starts);
        masks
    }

    /// Leave out what the other kinds of a line, or the lines below it, rule out.
    fn settle(&self, masks: &mut [Mask], starts: &[usize]) {
        let rules = &self.rules;
        for mask in masks.iter_mut() {
            if let Some(first) = kinds(*mask & rules.firsts).next() {
                *mask = 1 << first;
            }
        }
        let rows = rules.particular & (rules.below | rules.firsts);
        let (mut section, mut is_last) = (usize::MAX, true);
        for (mask, &start) in masks.iter_mut().zip(starts).rev() {
            if start != section {
                (section, is_last) = (start, true);
            }
            let is_row = *mask & rows != 0;
            if !is_last {
                *mask &= !rules.rests;
            }
            is_last &= !is_row;
        }
        for mask in masks.iter_mut() {
            // A page line out of place is no row of any text.
            if *mask & rules.heading != 0 {
                *mask &= !rules.below;
            }
        }
    }

    /// Whether a page begins at a line that may be an excerpt, since none of its lines can be part of a page heading.
    fn without_heading(&self, found: &[Found], page_begins: &[u8]) -> Vec<bool> {
        let mut apart = vec![false; found.len()];
        if self.rules.excerpts == 0 || self.rules.heading == 0 {
            return apart;
        }
        let mut named = false;
        for (line, one) in found.iter().enumerate().rev() {
            named |= one.possible & self.rules.heading != 0;
            if page_begins[line] != 0 {
                apart[line] = !named;
                named = false;
            }
        }
        apart
    }

    fn section(&mut self, start: usize, masks: &[Mask], read: &mut Read) {
        if self.lalr.is_full() {
            self.lalr.forget();
        }
        let mut place = START;
        let first_lost = read.lost.len();
        let mut section: Option<usize> = None;
        let mut lost_section: Option<usize> = None;
        for (offset, &mask) in masks.iter().enumerate() {
            let at = start + offset;
            let begins = mask & self.begin != 0;
            if lost_section.is_some() && !begins {
                longer(&mut read.lost, at);
                continue;
            }
            let mut taken = None;
            if lost_section.is_none() {
                let allowed = if offset > 0 && section.is_none() { mask & !self.rules.excerpts } else { mask };
                (taken, place) = self.lalr.take(place, allowed);
            }
            if taken.is_none() && begins && offset > 0 {
                // The line begins a section without its usual first line: continue from here.
                read.begins[at] = 1;
                (lost_section, section) = (None, None);
                (taken, place) = self.lalr.take(START, mask);
            }
            if let Some(kind) = taken {
                section = section.or(taken);
                read.kind[at] = i16::try_from(kind).expect("at most 64 kinds");
                continue;
            }
            if self.lose(at, mask, place, section, first_lost, &mut read.lost) {
                lost_section = Some(at);
            }
        }
        read.lost_after.extend(lost_section);
    }

    /// Note a line without a place; whether all that follows it belongs to a section without its first line.
    fn lose(&self, at: usize, mask: Mask, place: Place, section: Option<usize>, first_lost: usize, lost: &mut Vec<Lost>) -> bool {
        let rules = &self.rules;
        let mut kind = kinds(mask & rules.particular).next();
        let mut below = kind.is_some_and(|kind| rules.below >> kind & 1 != 0);
        let held = section.map_or(0, |first| rules.reachable[first]);
        if below && kind.is_some_and(|kind| held >> kind & 1 == 0) {
            (kind, below) = (None, false); // no row of this section at all
        }
        // A heading that could only come earlier: the rest belongs to a section without its first line.
        let severe = kind.filter(|&kind| !below && !self.lalr.comes_later(place, kind));
        let next_to_lost = lost[first_lost..].last().is_some_and(|last| last.kind.is_some() && last.at + last.lines == at);
        if kind.is_some() && next_to_lost && severe.is_none() {
            longer(lost, at);
            return false;
        }
        let beginners = severe.map_or(0, |kind| self.beginners(kind));
        let expected = self.lalr.named(if beginners != 0 { beginners } else { self.lalr.choices(place) });
        lost.push(Lost { at, lines: 1, kind, expected });
        severe.is_some()
    }

    /// The lines that begin the smallest sections with such a line.
    fn beginners(&self, kind: usize) -> Mask {
        let holders = || self.rules.held.iter().enumerate().filter(move |(_, held)| *held >> kind & 1 != 0);
        let least = holders().map(|(_, held)| held.count_ones()).min();
        holders().filter(|(_, held)| Some(held.count_ones()) == least).fold(0, |mask, (first, _)| mask | 1 << first)
    }
}

fn longer(lost: &mut [Lost], last_line: usize) {
    if let Some(last) = lost.last_mut() {
        last.lines = last_line - last.at + 1;
    }
}
