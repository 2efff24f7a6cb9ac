//! The cells of lines below stacked titles, and the values that stand where none may be.

use crate::numbers::WIDTH;
use std::ops::Range;

/// No line is cut that is wider.
pub const WIDEST: usize = 256;
/// How far a number may extend right of its title.
const RIGHT_OF_TITLE: usize = 4;

/// A column of cells, from `start` to `end` on the line. `cells`: those columns of it that its cells are cut from; `edge`: the end of its title;
/// `is_numeric`: it has numbers alone.
pub struct Span {
    pub start: usize,
    pub end: usize,
    pub cells: Range<usize>,
    pub edge: usize,
    pub is_numeric: bool,
}

/// The column of the line that no value may cross into from the left, and the spans at both sides. `gives`: of a value across it, a cell beside it
/// may be given the whole.
pub struct Border {
    pub at: usize,
    pub beside: Vec<usize>,
    pub gives: bool,
}

/// Columns of the line that belong to a span.
pub struct Part {
    pub span: usize,
    pub columns: Range<usize>,
}

/// A heading. `beyond`: where no value may be; `before`: left of a title, where none may end; `late`: right of it, where none may begin.
pub struct Heading {
    pub width: usize,
    pub spans: Vec<Span>,
    pub borders: Vec<Border>,
    pub beyond: Vec<Part>,
    pub before: Vec<Part>,
    pub late: Vec<Part>,
}

/// What is wrong, at which border or span and column of the line, on which lines.
pub type Fault = (&'static str, usize, usize, Vec<usize>);

/// Cells of `WIDTH` bytes, right-aligned, line by line; a byte for each, 0 where it is blank, 1 where it has dashes alone, 2 where it has more;
/// another, 1 where it is not to be read; and why.
pub struct Cut {
    pub cells: Vec<u8>,
    pub filled: Vec<u8>,
    pub suspect: Vec<u8>,
    pub faults: Vec<Fault>,
}

impl Heading {
    /// Whether every part of it is on the line, and every span is there.
    pub fn is_sound(&self) -> bool {
        let is_span = |span: usize| span < self.spans.len();
        let parts = || self.beyond.iter().chain(&self.before).chain(&self.late);
        (1..=WIDEST).contains(&self.width)
            && self.spans.iter().all(|span| span.end <= self.width && span.start <= self.width && span.cells.end <= self.width)
            && self.borders.iter().all(|border| border.at > 0 && border.at < self.width && border.beside.iter().all(|&span| is_span(span)))
            && parts().all(|part| is_span(part.span) && part.columns.end <= self.width)
    }

    /// lines: all as wide as the heading; ends: of the lines of each of some headings that are alike.
    pub fn cut(&self, lines: &[u8], ends: &[usize]) -> Cut {
        let rows: Vec<&[u8]> = lines.chunks_exact(self.width).collect();
        let filled: Vec<Columns> = rows.iter().map(|row| Columns::filled(row)).collect();
        let many = rows.len() * self.spans.len();
        let mut cut = Cut { cells: vec![b' '; many * WIDTH], filled: vec![0; many], suspect: vec![0; many], faults: vec![] };
        let mut places = cut.cells.chunks_exact_mut(WIDTH);
        for row in &rows {
            for (span, place) in self.spans.iter().zip(&mut places) {
                fill(place, row, span.cells.clone(), span.cells.end);
            }
        }
        self.across_borders(&rows, &filled, &mut cut);
        let mut begin = 0;
        for &end in ends {
            self.cut_within(&rows, &filled, begin..end, &mut cut);
            begin = end;
        }
        self.out_of_place(&filled, &mut cut);
        for (cell, filled) in cut.cells.chunks_exact(WIDTH).zip(&mut cut.filled) {
            if cell != [b' '; WIDTH] {
                *filled = if cell.iter().all(|&byte| byte == b' ' || byte == b'-') { 1 } else { 2 };
            }
        }
        cut
    }

    fn across_borders(&self, rows: &[&[u8]], filled: &[Columns], cut: &mut Cut) {
        let borders = Columns::of(self.borders.iter().map(|border| border.at));
        // By border.
        let mut crossed = vec![vec![]; self.borders.len()];
        for (row, columns) in filled.iter().enumerate() {
            let across = columns.and(&columns.right(1)).and(&borders);
            if across.is_empty() {
                continue;
            }
            // Per cell that was given a value across a border: the span at the other side of it.
            let mut given: Vec<Option<usize>> = vec![None; self.spans.len()];
            let first = row * self.spans.len();
            for (border, crossed) in self.borders.iter().zip(&mut crossed) {
                if !across.has(border.at) || border.gives && self.give_to_one(rows[row], border, first, &mut given, &mut cut.cells) {
                    continue;
                }
                for &span in &border.beside {
                    cut.suspect[first + span] = 1;
                    // One cell for two values: the one that it was given before may be of either side too.
                    if let Some(other) = given[span] {
                        cut.suspect[first + other] = 1;
                    }
                }
                crossed.push(row);
            }
        }
        for (number, (rows, border)) in crossed.into_iter().zip(&self.borders).enumerate() {
            cut.tell("across", number, border.at - 1, rows);
        }
    }

    /// Whether the value across the border belongs to one cell, because the other has its own value beside it. It goes there, and `given` says
    /// so. A cell that was given a value is given no second one.
    fn give_to_one(&self, row: &[u8], border: &Border, first: usize, given: &mut [Option<usize>], cells: &mut [u8]) -> bool {
        let &[left, right] = &border.beside[..] else { return false };
        let (of_left, of_right) = (&self.spans[left], &self.spans[right]);
        let before = row.get(of_left.start..border.at).unwrap_or_default();
        let behind = row.get(border.at..of_right.end).unwrap_or_default();
        let is_blank = |&byte: &u8| byte == b' ';
        // Without a blank in its whole column the value may be several.
        let (Some(back), Some(on)) = (before.iter().rev().position(is_blank), behind.iter().position(is_blank)) else { return false };
        let (start, end) = (border.at - back, border.at + on);
        if back == 0 || on == 0 || end - start > WIDTH {
            return false;
        }
        let blank_at = |at: usize| row[at] == b' ';
        let filled = |part: &[u8]| part.iter().filter(|&&byte| byte != b' ').count();
        // The other cell's value must not cross its other border. A number far from its title may be two numbers.
        let left_has_own = filled(before) > back && (blank_at(of_left.start.saturating_sub(1)) || blank_at(of_left.start));
        let right_has_own = filled(behind) > on
            && (blank_at(of_right.end - 1) || blank_at(of_right.end.min(self.width - 1)))
            && end <= of_left.edge + RIGHT_OF_TITLE;
        let (other, place) = match (left_has_own, right_has_own) {
            (true, false) => (left, right),
            (false, true) => (right, left),
            _ => return false,
        };
        if given[place].is_some() {
            return false;
        }
        given[place] = Some(other);
        let cell = |span: usize| (first + span) * WIDTH..(first + span + 1) * WIDTH;
        cells[cell(place)].fill(b' ');
        fill(&mut cells[cell(place)], row, start..end, end);
        let rest = &self.spans[other].cells;
        let (from, to) = (start.max(rest.start).max(rest.end.saturating_sub(WIDTH)), end.min(rest.end));
        if from < to {
            cells[cell(other)][WIDTH + from - rest.end..WIDTH + to - rest.end].fill(b' ');
        }
        true
    }

    /// Numbers at the end of a line, left of where most numbers of their column end, while most lines continue.
    fn cut_within(&self, rows: &[&[u8]], filled: &[Columns], some: Range<usize>, cut: &mut Cut) {
        // A line without values has its end where the heading has.
        let last = |row: usize| filled[row].last().unwrap_or(self.width - 1);
        let mut ending = [0usize; WIDEST];
        some.clone().for_each(|row| ending[last(row)] += 1);
        for (number, span) in self.spans.iter().enumerate() {
            let ends_here: usize = ending[..span.end].iter().skip(span.start).sum();
            if !span.is_numeric || ends_here == 0 || 2 * ends_here > some.len() {
                continue;
            }
            // Where the digits of the cell end, if it ends with one, a point or a suffix.
            let end = |row: usize| {
                let at = filled[row].and(&Columns::of(span.start..span.end)).last()?;
                match rows[row][at] {
                    b'0'..=b'9' | b'.' => Some(at + 1),
                    b'K' | b'M' | b'G' | b'B' | b'T' | b'%' => Some(at),
                    _ => None,
                }
            };
            let mut usual = [0usize; WIDEST + 1];
            some.clone().filter(|&row| last(row) >= span.end).filter_map(end).for_each(|end| usual[end] += 1);
            let Some(most) = usual.iter().rposition(|&many| many > 0) else { continue };
            if 2 * usual[most] < usual.iter().sum() {
                continue;
            }
            // By the column at which the lines end.
            let mut short = vec![vec![]; span.end - span.start];
            for row in some.clone().filter(|&row| (span.start..span.end).contains(&last(row))) {
                if end(row).is_some_and(|end| end < most) {
                    cut.suspect[row * self.spans.len() + number] = 1;
                    short[last(row) - span.start].push(row);
                }
            }
            for (column, rows) in short.into_iter().enumerate() {
                cut.tell("within", number, span.start + column, rows);
            }
        }
    }

    fn out_of_place(&self, filled: &[Columns], cut: &mut Cut) {
        type Wrong = fn(&Columns) -> Columns;
        // A number that ends left of its title may belong to the column before; a text that begins right of its title may be that of the column
        // behind, or the first word of it.
        let kinds: [(&'static str, &[Part], Wrong, usize); 3] = [
            ("beyond", &self.beyond, |filled| filled.clone(), 1),
            ("before", &self.before, |filled| filled.without(&filled.left(1)), 1),
            ("late", &self.late, |filled| filled.without(&filled.right(1)).without(&filled.right(2)), 2),
        ];
        for (what, parts, wrong, many) in kinds {
            let every: Vec<Columns> = parts.iter().map(|part| Columns::of(part.columns.clone())).collect();
            let any = every.iter().fold(Columns::default(), |any, part| any.or(part));
            let mut found = vec![vec![]; parts.len()];
            for (row, columns) in filled.iter().enumerate() {
                let wrong = wrong(columns).and(&any);
                if wrong.is_empty() {
                    continue;
                }
                for ((part, columns), found) in parts.iter().zip(&every).zip(&mut found) {
                    if !wrong.and(columns).is_empty() {
                        let cells = row * self.spans.len();
                        cut.suspect[cells + part.span..cells + (part.span + many).min(self.spans.len())].fill(1);
                        found.push(row);
                    }
                }
            }
            for (part, rows) in parts.iter().zip(found) {
                cut.tell(what, part.span, part.columns.start, rows);
            }
        }
    }
}

impl Cut {
    fn tell(&mut self, what: &'static str, number: usize, column: usize, rows: Vec<usize>) {
        if !rows.is_empty() {
            self.faults.push((what, number, column, rows));
        }
    }
}

/// Put columns of a line into a cell that ends with column `end`, as far as it reaches.
fn fill(cell: &mut [u8], row: &[u8], columns: Range<usize>, end: usize) {
    let start = columns.start.max(end.saturating_sub(WIDTH));
    if start < columns.end {
        cell[WIDTH + start - end..WIDTH + columns.end - end].copy_from_slice(&row[start..columns.end]);
    }
}

/// A set of columns of a line.
#[derive(Clone, Default)]
struct Columns([u64; WIDEST / 64]);

impl Columns {
    fn filled(row: &[u8]) -> Columns {
        let mut out = Columns::default();
        for (word, bytes) in out.0.iter_mut().zip(row.chunks(64)) {
            *word = bytes.iter().rev().fold(0, |word, &byte| word << 1 | u64::from(byte != b' '));
        }
        out
    }

    fn of(columns: impl Iterator<Item = usize>) -> Columns {
        let mut out = Columns::default();
        columns.for_each(|at| out.0[at / 64] |= 1 << (at % 64));
        out
    }

    fn each(&self, other: &Columns, of: impl Fn(u64, u64) -> u64) -> Columns {
        let mut out = self.clone();
        out.0.iter_mut().zip(other.0).for_each(|(word, other)| *word = of(*word, other));
        out
    }

    fn and(&self, other: &Columns) -> Columns {
        self.each(other, |one, other| one & other)
    }

    fn or(&self, other: &Columns) -> Columns {
        self.each(other, |one, other| one | other)
    }

    fn without(&self, other: &Columns) -> Columns {
        self.each(other, |one, other| one & !other)
    }

    /// Each column moved right; of 1 or 2.
    fn right(&self, by: u32) -> Columns {
        let mut over = 0;
        let mut out = self.clone();
        for word in &mut out.0 {
            (*word, over) = (*word << by | over, *word >> (64 - by));
        }
        out
    }

    fn left(&self, by: u32) -> Columns {
        let mut over = 0;
        let mut out = self.clone();
        for word in out.0.iter_mut().rev() {
            (*word, over) = (*word >> by | over, *word << (64 - by));
        }
        out
    }

    fn has(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    fn last(&self) -> Option<usize> {
        let word = self.0.iter().rposition(|&word| word != 0)?;
        Some(word * 64 + 63 - self.0[word].leading_zeros() as usize)
    }

    fn is_empty(&self) -> bool {
        self.0 == [0; WIDEST / 64]
    }
}
