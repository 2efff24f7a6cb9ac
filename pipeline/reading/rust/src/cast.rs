//! The cells of a report's pages that one reader reads: their values, and what contradicts the column or the row that they stand in.

use crate::alike::{self, Number};
use crate::numbers::{self, BLANK, How, OK, Read, UNREADABLE, WIDTH, trimmed};

/// One target of a column of cells; `pipeline/reading/cast.py` says what the fields mean. Where -1 is said there, it is said here.
pub struct Job {
    pub target: usize,
    pub unit: f64,
    pub decimals: i64,
    pub digits: i64,
    pub alike: i64,
    pub place: i64,
    pub start: i64,
    pub end: i64,
    /// Kinds of line that never have a value there.
    pub never: u64,
    pub is_percent: bool,
    pub is_whole: bool,
    pub is_scaled: bool,
    pub is_resolved: bool,
    pub keeps_blank: bool,
}

/// Lines by their index: page, kind (-1 for none), and whether it is of an XML document, whose numbers have other decimals.
pub struct Pages {
    pub page: Vec<i64>,
    pub kind: Vec<i16>,
    pub is_xml: Vec<u8>,
    pub kinds: i64,
}

/// Cells of some lines: of each line `spans` cells, those `at` of which are read. Their jobs are the first and those behind it, or as
/// many more as the heading of the line has jobs in front. `suspect`: a byte per cell, 1 where it is not to be read.
pub struct Block {
    pub cells: Vec<u8>,
    pub spans: usize,
    pub at: Vec<usize>,
    pub lines: Vec<i64>,
    pub first: usize,
    pub heading: Option<Vec<i64>>,
    pub suspect: Option<Vec<u8>>,
}

/// Values of one target, in the order of the cells: line, job, number (NaN for none), and, of targets with a resolution, what one unit of its
/// last digit is worth.
#[derive(Default)]
pub struct Values {
    pub line: Vec<i64>,
    pub job: Vec<u32>,
    pub number: Vec<f64>,
    pub worth: Vec<f64>,
}

/// Values by target, and cells with a reason for no value: job, line and code, by job.
pub struct Cast {
    pub values: Vec<Values>,
    pub stated: Vec<(usize, i64, u8)>,
}

struct Cell<'a> {
    line: u32,
    job: u32,
    text: &'a [u8; WIDTH],
    is_suspect: bool,
    read: Read,
}

impl Cell<'_> {
    fn is_good(&self) -> bool {
        self.read.code == OK
    }

    /// Whether it is a number without a suffix on a printed page.
    fn is_plain(&self, pages: &Pages) -> bool {
        self.is_good() && !self.read.has_suffix() && !self.read.percent && pages.is_xml[self.line as usize] == 0
    }
}

pub fn cast(jobs: &[Job], blocks: &[Block], pages: &Pages, how: How) -> Cast {
    let mut cells = read(jobs, blocks, how);
    if how.reader.is_number() {
        hold_to_declaration(&mut cells, jobs, pages);
    }
    for cell in &mut cells {
        if cell.is_good() && jobs[cell.job as usize].never & bit(pages.kind[cell.line as usize]) != 0 {
            cell.read.code = UNREADABLE;
        }
    }
    end_below_others(&mut cells, jobs, pages);
    let targets = jobs.iter().map(|job| job.target + 1).max().unwrap_or(0);
    let mut cast = Cast { values: (0..targets).map(|_| Values::default()).collect(), stated: vec![] };
    for cell in &cells {
        let job = &jobs[cell.job as usize];
        let code = if cell.is_suspect { BLANK } else { cell.read.code };
        if code == BLANK && !job.keeps_blank {
            continue;
        }
        if code > BLANK {
            cast.stated.push((cell.job as usize, i64::from(cell.line), code));
        }
        let values = &mut cast.values[job.target];
        values.line.push(i64::from(cell.line));
        values.job.push(cell.job);
        values.number.push(if code == OK { cell.read.value } else { f64::NAN });
        if job.is_resolved && how.reader.is_number() {
            values.worth.push(if code == OK { cell.read.last_digit(how) } else { f64::NAN });
        }
    }
    cast.stated.sort_by_key(|one| one.0);
    cast
}

/// The mask of a kind of line.
fn bit(kind: i16) -> u64 {
    if kind < 0 { 0 } else { 1 << kind }
}

/// The cells that are not blank, or are kept blank.
fn read<'a>(jobs: &[Job], blocks: &'a [Block], how: How) -> Vec<Cell<'a>> {
    let mut cells = vec![];
    for block in blocks {
        for (k, &line) in block.lines.iter().enumerate() {
            let heading = block.heading.as_ref().map_or(0, |heading| heading[k] as usize);
            for (turn, &at) in block.at.iter().enumerate() {
                let cell = k * block.spans + at;
                let job = block.first + heading * block.at.len() + turn;
                let text = block.cells[cell * WIDTH..].first_chunk().expect("as many cells as are told");
                let read = numbers::read(text, How { unit: jobs[job].unit, ..how });
                if read.code != BLANK || jobs[job].keeps_blank {
                    let is_suspect = block.suspect.as_ref().is_some_and(|suspect| suspect[cell] != 0);
                    cells.push(Cell { line: line as u32, job: job as u32, text, is_suspect, read });
                }
            }
        }
    }
    cells
}

fn hold_to_declaration(cells: &mut [Cell], jobs: &[Job], pages: &Pages) {
    for cell in cells.iter_mut() {
        let job = &jobs[cell.job as usize];
        let has_other_decimals =
            || cell.is_plain(pages) && job.decimals >= 0 && !numbers::has_decimals(cell.text, job.decimals, job.digits);
        let has_suffix = cell.read.percent && !job.is_percent || cell.read.has_suffix() && !job.is_scaled;
        if cell.is_good() && (has_suffix || has_other_decimals()) {
            cell.read.code = UNREADABLE;
        }
    }
    let are_compared = |cell: &Cell| cell.is_plain(pages) && jobs[cell.job as usize].alike >= 0;
    let compared = of_columns(cells, jobs, pages, are_compared, |job| job.alike);
    let unlike = alike::unlike(compared, |index| jobs[cells[index as usize].job as usize].is_percent);
    for cell in cells.iter_mut() {
        let job = &jobs[cell.job as usize];
        // Shares have a digit in front of the point, where shorter times may have none. And a whole number has no point: 0.0 is one of
        // another column.
        let has_bad_point = job.is_percent && trimmed(cell.text).starts_with(b".") || job.is_whole && cell.text.contains(&b'.');
        if cell.is_plain(pages) && has_bad_point || cell.is_good() && job.is_whole && !cell.read.is_whole() {
            cell.read.code = UNREADABLE;
        }
    }
    for index in unlike {
        cells[index as usize].read.code = UNREADABLE;
    }
}

fn end_below_others(cells: &mut [Cell], jobs: &[Job], pages: &Pages) {
    let end = |cell: &Cell| {
        let blanks = cell.text.iter().rev().take_while(|&&byte| byte == b' ').count();
        jobs[cell.job as usize].end - blanks as i64
    };
    let are_compared = |cell: &Cell| {
        let job = &jobs[cell.job as usize];
        // What has a suffix ends elsewhere.
        if !cell.is_plain(pages) || cell.is_suspect || job.place < 0 {
            return false;
        }
        // Behind a label and a blank alone there may be no room for more.
        let filled = cell.text.iter().filter(|&&byte| byte != b' ').count();
        job.place < jobs.len() as i64 || end(cell) - filled as i64 > job.start + 1
    };
    let compared = of_columns(cells, jobs, pages, are_compared, |job| job.place);
    let early = alike::ending_early(compared, |index| (end(&cells[index as usize]), cells[index as usize].line));
    for index in early {
        cells[index as usize].read.code = UNREADABLE;
    }
}

/// Numbers of some cells. A column is of its page and of one kind of line: those of totals may have more room.
fn of_columns<'a>(
    cells: &[Cell<'a>],
    jobs: &[Job],
    pages: &Pages,
    are_compared: impl Fn(&Cell) -> bool,
    column: impl Fn(&Job) -> i64,
) -> impl Iterator<Item = Number<'a>> {
    let columns = jobs.iter().map(&column).max().unwrap_or(0) + 1;
    let some = (0..).zip(cells).filter(move |(_, cell)| are_compared(cell));
    some.map(move |(index, cell)| {
        let of_page = pages.page[cell.line as usize] * columns + column(&jobs[cell.job as usize]);
        // Lines without a kind have -1.
        Number { index, cell: cell.text, column: of_page * (pages.kinds + 1) + i64::from(pages.kind[cell.line as usize]) + 1 }
    })
}

/// Whether each line, job and cell of the blocks is there.
pub fn are_sound(jobs: &[Job], blocks: &[Block], pages: &Pages) -> bool {
    let lines = pages.page.len();
    let is_sound = |block: &Block| {
        let cells = block.lines.len() * block.spans;
        let headings = block.heading.as_ref().map_or(0, |heading| heading.iter().copied().max().unwrap_or(0));
        let most = block.first + (headings.max(0) as usize + 1) * block.at.len();
        block.cells.len() == cells * WIDTH
            && block.suspect.as_ref().is_none_or(|suspect| suspect.len() == cells)
            && block.heading.as_ref().is_none_or(|heading| heading.len() == block.lines.len() && heading.iter().all(|&k| k >= 0))
            && block.at.iter().all(|&at| at < block.spans)
            && block.lines.iter().all(|&line| line >= 0 && (line as usize) < lines)
            && (block.lines.is_empty() || most <= jobs.len())
    };
    u32::try_from(jobs.len().max(lines)).is_ok() && pages.kind.len() == lines && pages.is_xml.len() == lines && blocks.iter().all(is_sound)
}
