//! Numbers of one column of a page print equally many decimals; only a longer number may print fewer, for want of room. One alone that
//! prints fewer than two numbers of no fewer digits in front of the point, or, of shares, than one and all others, has lost a digit; one
//! alone that prints more has a point too many. One with a comma and no decimals among others with some has a comma for its point. And
//! they end below each other: one that ends a place in front of the others has lost its last digit, if the others of its row are where
//! they belong.

use crate::numbers::{LARGE, WIDTH, lengths, trimmed};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// No number is that long, and no line.
const MOST: i64 = 32;
const PLACES: i64 = 1 << 12;

/// A number: an index of the caller, its cell, and which column of which page it is of.
pub struct Number<'a> {
    pub index: u32,
    pub cell: &'a [u8],
    pub column: i64,
}

/// Numbers of a column with so many digits in front of the point and decimals: how many, and the index of the first.
struct Form {
    column: i64,
    digits: i64,
    decimals: i64,
    /// Not so if its numbers contradict none.
    counts: bool,
    many: u32,
    first: u32,
}

/// The numbers, by their index, that alone contradict others of their column. A bare 0 contradicts none, and a number of four digits or
/// more, or of three without a point, may lack the room. `is_share`: of a column of shares.
pub fn unlike<'a>(numbers: impl Iterator<Item = Number<'a>>, is_share: impl Fn(u32) -> bool) -> Vec<u32> {
    let mut with_comma = vec![];
    let forms = groups(numbers.map(|number| {
        let (digits, decimals, _) = lengths(trimmed(number.cell));
        if decimals == 0 && number.cell.contains(&b',') {
            with_comma.push((number.index, number.column));
        }
        let is_bare = decimals == 0 && (digits >= LARGE - 1 || digits == 1 && number.cell[WIDTH - 1] == b'0');
        let form = (number.column * MOST + digits as i64) * MOST + decimals as i64;
        (2 * form + i64::from(digits < LARGE && !is_bare), number.index)
    }));
    let form = |&(key, Group { many, first }): &(i64, Group)| {
        let form = key / 2;
        let (column, digits, decimals) = (form / MOST / MOST, form / MOST % MOST, form % MOST);
        Form { column, digits, decimals, counts: key % 2 != 0, many, first }
    };
    let forms: Vec<Form> = forms.iter().map(form).collect();
    let mut wrong = vec![];
    for of_column in forms.chunk_by(|one, other| one.column == other.column) {
        if of_column.len() > 1 {
            wrong.extend(contradicting(of_column, &|form| is_share(form.first)).map(|form| form.first));
        }
    }
    for (index, column) in with_comma {
        let begin = forms.partition_point(|form| form.column < column);
        if forms[begin..].iter().take_while(|form| form.column == column).any(|form| form.decimals > 0) {
            wrong.push(index);
        }
    }
    wrong
}

/// The forms of a column, those of fewer digits first, whose one number contradicts others.
fn contradicting<'a>(forms: &'a [Form], is_share: &'a impl Fn(&Form) -> bool) -> impl Iterator<Item = &'a Form> {
    let counted = || forms.iter().filter(|form| form.counts);
    let all: u32 = counted().map(|form| form.many).sum();
    // Whether all but one of its column print as many decimals.
    let are_rest = move |one: &Form| {
        let alike: u32 = counted().filter(|form| form.decimals == one.decimals).map(|form| form.many).sum();
        all > 2 && all == alike + 1 && is_share(one)
    };
    counted().filter(move |one| {
        let is_before = |other: &&Form| (other.digits, other.decimals) < (one.digits, one.decimals);
        let has_more = counted().filter(is_before).any(|other| other.decimals < one.decimals && other.many > 1);
        let is_short = counted().any(|other| !is_before(&other) && other.decimals > one.decimals && (other.many > 1 || are_rest(other)));
        one.many == 1 && (has_more || is_short)
    })
}

/// The numbers, by their index, that alone of their column end there, while two others or more end a place farther right. Whole numbers
/// are compared with whole ones. If several of a line end early, the line is shifted, and none has lost a digit. `of`: the place where a
/// number ends, and its line.
pub fn ending_early<'a>(numbers: impl Iterator<Item = Number<'a>>, of: impl Fn(u32) -> (i64, u32)) -> Vec<u32> {
    let key = |number: Number| {
        let column = 2 * number.column + i64::from(number.cell.contains(&b'.'));
        (column * PLACES + of(number.index).0, number.index)
    };
    // Places of a column stand together, the leftmost first.
    let places = groups(numbers.map(key));
    let is_early = |pair: &&[(i64, Group)]| pair[0].1.many == 1 && pair[1].1.many > 1 && pair[1].0 == pair[0].0 + 1;
    let mut early: Vec<u32> = places.windows(2).filter(is_early).map(|pair| pair[0].1.first).collect();
    let mut times: HashMap<u32, u32> = HashMap::new();
    for &index in &early {
        *times.entry(of(index).1).or_default() += 1;
    }
    early.retain(|&index| times[&of(index).1] == 1);
    early
}

struct Group {
    many: u32,
    first: u32,
}

/// How often each key comes, and the index of the first, by ascending keys.
fn groups(keys: impl Iterator<Item = (i64, u32)>) -> Vec<(i64, Group)> {
    let mut groups: HashMap<i64, Group, BuildHasherDefault<Mixed>> = HashMap::default();
    for (key, first) in keys {
        groups.entry(key).or_insert(Group { many: 0, first }).many += 1;
    }
    let mut groups: Vec<(i64, Group)> = groups.into_iter().collect();
    groups.sort_unstable_by_key(|group| group.0);
    groups
}

/// Quick, for numbers of ours: nobody chooses them to make this slow.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_i64(i64::from(byte)));
    }

    fn write_i64(&mut self, number: i64) {
        self.0 = (self.0 ^ number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(26);
    }
}
