//! The compiled part of reading. Python hands over a grammar once, and then the lines of pages; it gets arrays.

mod alike;
mod automaton;
mod blocks;
mod cast;
mod cut;
mod grammar;
mod lalr;
mod numbers;

use automaton::{Automaton, Mask};
use blocks::Group;
use cast::{Block, Job, Pages};
use cut::{Border, Fault, Heading, Part, Span};
use grammar::{Grammar, Rules};
use lalr::{Lalr, Tables};
use numbers::{How, Reader, WIDTH};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

/// Lines as Arrow holds them: the bytes of line k are those from offset k to offset k + 1.
struct Lines {
    offsets: Vec<i64>,
    bytes: Vec<u8>,
}

impl Lines {
    fn of(py: Python<'_>, offsets: &PyBuffer<i64>, bytes: &PyBuffer<u8>) -> PyResult<Lines> {
        let lines = Lines { offsets: offsets.to_vec(py)?, bytes: bytes.to_vec(py)? };
        let good = |pair: &[i64]| pair[0] >= 0 && pair[0] <= pair[1] && usize::try_from(pair[1]).is_ok_and(|end| end <= lines.bytes.len());
        if !lines.offsets.windows(2).all(good) {
            return Err(PyValueError::new_err("offsets of lines beyond their text"));
        }
        Ok(lines)
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.offsets.windows(2).map(|pair| &self.bytes[pair[0] as usize..pair[1] as usize])
    }

    fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }
}

/// A report's line grammar.
#[pyclass(frozen)]
struct LineKinds(Mutex<Grammar>);

/// A mask per kind.
type Masks = Vec<Mask>;
/// First line, how many, kind or -1, what was expected.
type Lost = (usize, usize, i64, String);

impl LineKinds {
    /// Work on the grammar without Python's lock. After a fault what the grammar remembers is forgotten: it may be half done.
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Grammar) -> T + Send) -> PyResult<T> {
        py.detach(|| {
            let mut grammar = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let done = guarded(|| work(&mut grammar));
            if done.is_err() {
                grammar.forget();
            }
            done
        })
    }
}

/// A fault of ours is an exception, and Python lives on.
fn guarded<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|fault| {
        let text = fault.downcast_ref::<String>().map(String::as_str).or(fault.downcast_ref::<&str>().copied());
        PyRuntimeError::new_err(text.unwrap_or("no word why").to_string())
    })
}

#[pymethods]
impl LineKinds {
    /// patterns: regular expressions by number of kind; names likewise. rules, states, start, end: those of `grammar_tables.Tables`.
    /// The others: `Rules`.
    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new(
        patterns: Vec<String>,
        names: Vec<String>,
        rules: Vec<(String, Vec<String>)>,
        states: Vec<HashMap<String, i32>>,
        start: usize,
        end: usize,
        sections: Vec<(Mask, Mask)>,
        needed: Masks,
        held: Masks,
        reachable: Masks,
        alike: (Mask, Mask, Mask, Mask, Mask, Mask, Mask),
    ) -> PyResult<LineKinds> {
        let (particular, below, firsts, rests, heading, excerpts, free) = alike;
        guarded(|| {
            let lalr = Lalr::new(Tables { names, rules, states, start, end });
            let rules = Rules { sections, needed, held, reachable, particular, below, firsts, rests, heading, excerpts, free };
            let automaton = Automaton::new(&patterns).map_err(PyValueError::new_err)?;
            Ok(LineKinds(Mutex::new(Grammar::new(automaton, lalr, rules))))
        })?
    }

    /// uint64 per line: bit k is set where the pattern of kind k matches.
    fn matched<'py>(&self, py: Python<'py>, offsets: PyBuffer<i64>, bytes: PyBuffer<u8>) -> PyResult<Bound<'py, PyBytes>> {
        let lines = Lines::of(py, &offsets, &bytes)?;
        let masks = self.with(py, |grammar| grammar.matched(lines.iter()))?;
        Ok(PyBytes::new(py, &masks.iter().flat_map(|mask| mask.to_ne_bytes()).collect::<Vec<u8>>()))
    }

    /// Per mask, taken in turn from the beginning of a text: the kind (-1 for none), the mask of kinds that fit then, and whether the text may end.
    fn follow(&self, py: Python<'_>, masks: Vec<Mask>) -> PyResult<Vec<(i64, Mask, bool)>> {
        let steps = self.with(py, |grammar| grammar.follow(&masks))?;
        Ok(steps.into_iter().map(|(kind, choices, may_end)| (number(kind), choices, may_end)).collect())
    }

    /// page_begins, source_begins: a byte per line, 1 for the first of a page and of a source. Returns int16 per line, its kind (-1 for none);
    /// a byte per line, 1 where a section begins; the lines without a place; and the lines behind which a section lost its heading.
    #[allow(clippy::type_complexity)]
    fn read<'py>(
        &self,
        py: Python<'py>,
        offsets: PyBuffer<i64>,
        bytes: PyBuffer<u8>,
        page_begins: PyBuffer<u8>,
        source_begins: PyBuffer<u8>,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>, Vec<Lost>, Vec<usize>)> {
        let lines = Lines::of(py, &offsets, &bytes)?;
        let (pages, sources) = (page_begins.to_vec(py)?, source_begins.to_vec(py)?);
        if pages.len() != lines.len() || sources.len() != lines.len() {
            return Err(PyValueError::new_err("not as many pages and sources as lines"));
        }
        let read = self.with(py, |grammar| grammar.read(lines.iter(), &pages, &sources))?;
        let kind: Vec<u8> = read.kind.iter().flat_map(|kind| kind.to_ne_bytes()).collect();
        let lost = read.lost.into_iter().map(|one| (one.at, one.lines, number(one.kind), one.expected)).collect();
        Ok((PyBytes::new(py, &kind), PyBytes::new(py, &read.begins), lost, read.lost_after))
    }
}

/// target, unit, decimals, digits, place (-1 for none, 0 for its own, else 1 and the edge in common), start, end, never, and the flags in
/// their order in `Job`.
type JobFields = (usize, f64, i64, i64, i64, i64, i64, Mask, (bool, bool, bool, bool, bool));
/// Cells, how many of each line, those that are read, lines, first job, headings, and which are suspect, as in `Block`.
type BlockFields = (PyBuffer<u8>, usize, Vec<usize>, PyBuffer<i64>, usize, Option<PyBuffer<i64>>, Option<PyBuffer<u8>>);
type Bytes<'py> = Bound<'py, PyBytes>;

/// The targets of the cells of a report's pages, one per column below a heading.
#[pyclass(frozen)]
struct Jobs(Vec<Job>);

#[pymethods]
impl Jobs {
    /// layouts: jobs of each. runs: a layout, and for each of its jobs an index of the title that it is alike with, or -1.
    #[new]
    fn new(layouts: Vec<Vec<JobFields>>, runs: Vec<(usize, Vec<i64>)>) -> PyResult<Jobs> {
        let is_sound = |(layout, alike): &(usize, Vec<i64>)| layouts.get(*layout).is_some_and(|jobs| jobs.len() == alike.len());
        if !runs.iter().all(is_sound) {
            return Err(PyValueError::new_err("jobs of no layout"));
        }
        let many: i64 = runs.iter().map(|(_, alike)| alike.len() as i64).sum();
        let fields = runs.iter().flat_map(|(layout, alike)| layouts[*layout].iter().zip(alike));
        let job = |(number, (fields, &alike)): (i64, (&JobFields, &i64))| {
            let &(target, unit, decimals, digits, place, start, end, never, flags) = fields;
            let (is_percent, is_whole, is_scaled, is_resolved, keeps_blank) = flags;
            let place = match place {
                0 => number,
                1.. => many + place - 1,
                _ => -1,
            };
            Job {
                target,
                unit,
                decimals,
                digits,
                alike,
                place,
                start,
                end,
                never,
                is_percent,
                is_whole,
                is_scaled,
                is_resolved,
                keeps_blank,
            }
        };
        Ok(Jobs((0..).zip(fields).map(job).collect()))
    }

    /// Read cells. page, kind, is_xml: per line, with the number of kinds in `Pages`. Returns, for each target with cells, line and job
    /// (int64 and uint32), number and, if it has a resolution, worth of its last digit (float64, NaN for none); and (job, line, code) of cells with a reason for no value.
    #[allow(clippy::type_complexity, clippy::too_many_arguments)]
    fn cast<'py>(
        &self,
        py: Python<'py>,
        reader: &str,
        suffixes: &str,
        blocks: Vec<BlockFields>,
        page: PyBuffer<i64>,
        kind: PyBuffer<i16>,
        is_xml: PyBuffer<u8>,
        kinds: i64,
    ) -> PyResult<(Vec<(usize, Bytes<'py>, Bytes<'py>, Bytes<'py>, Bytes<'py>)>, Vec<(usize, i64, u8)>)> {
        let how = how(reader, suffixes, false, 0.0)?;
        let block = |(cells, spans, at, lines, first, heading, suspect): BlockFields| {
            let heading = heading.map(|heading| heading.to_vec(py)).transpose()?;
            let suspect = suspect.map(|suspect| suspect.to_vec(py)).transpose()?;
            Ok(Block { cells: cells.to_vec(py)?, spans, at, lines: lines.to_vec(py)?, first, heading, suspect })
        };
        let blocks = blocks.into_iter().map(block).collect::<PyResult<Vec<Block>>>()?;
        let pages = Pages { page: page.to_vec(py)?, kind: kind.to_vec(py)?, is_xml: is_xml.to_vec(py)?, kinds };
        if !guarded(|| cast::are_sound(&self.0, &blocks, &pages))? {
            return Err(PyValueError::new_err("cells of lines or jobs that are not there"));
        }
        let cast = py.detach(|| guarded(|| cast::cast(&self.0, &blocks, &pages, how)))?;
        let some = cast.values.iter().enumerate().filter(|(_, values)| !values.line.is_empty());
        let values = some.map(|(target, values)| {
            let (line, job) = (array(py, &values.line, i64::to_ne_bytes)?, array(py, &values.job, u32::to_ne_bytes)?);
            Ok((target, line, job, array(py, &values.number, f64::to_ne_bytes)?, array(py, &values.worth, f64::to_ne_bytes)?))
        });
        Ok((values.collect::<PyResult<_>>()?, cast.stated))
    }
}

/// Span and columns of the line.
type PartFields = (usize, usize, usize);

/// Columns below stacked titles.
#[pyclass(frozen)]
struct Columns(Heading);

#[pymethods]
impl Columns {
    /// spans: start, end, those of its cells, edge, and whether it has numbers alone; borders: column, spans beside it, and whether a cell may be
    /// given a value across it; the others: as in `Heading`.
    #[new]
    #[allow(clippy::type_complexity)]
    fn new(
        width: usize,
        spans: Vec<(usize, usize, (usize, usize), usize, bool)>,
        borders: Vec<(usize, Vec<usize>, bool)>,
        beyond: Vec<PartFields>,
        before: Vec<PartFields>,
        late: Vec<PartFields>,
    ) -> PyResult<Columns> {
        let span = |(start, end, (from, to), edge, is_numeric)| Span { start, end, cells: from..to, edge, is_numeric };
        let parts = |parts: Vec<PartFields>| parts.into_iter().map(|(span, from, to)| Part { span, columns: from..to }).collect();
        let heading = Heading {
            width,
            spans: spans.into_iter().map(span).collect(),
            borders: borders.into_iter().map(|(at, beside, gives)| Border { at, beside, gives }).collect(),
            beyond: parts(beyond),
            before: parts(before),
            late: parts(late),
        };
        if heading.is_sound() { Ok(Columns(heading)) } else { Err(PyValueError::new_err("columns beyond the line")) }
    }

    /// lines: bytes, all as wide as the heading; ends: of the lines of each of some headings that are alike. Returns cells, how they are filled, and
    /// which are suspect, if any is, as in `Cut`; and what is wrong, at which border or span, at which column, on which lines.
    #[allow(clippy::type_complexity)]
    fn cut<'py>(
        &self,
        py: Python<'py>,
        lines: PyBuffer<u8>,
        ends: Vec<usize>,
    ) -> PyResult<(Bound<'py, PyByteArray>, Bytes<'py>, Option<Bound<'py, PyByteArray>>, Vec<Fault>)> {
        let lines = lines.to_vec(py)?;
        if !ends.is_sorted() || ends.last().is_some_and(|&end| end > lines.len() / self.0.width) {
            return Err(PyValueError::new_err("headings of lines that are not there"));
        }
        let cut = py.detach(|| guarded(|| self.0.cut(&lines, &ends)))?;
        let suspect = cut.suspect.contains(&1).then(|| PyByteArray::new(py, &cut.suspect));
        Ok((PyByteArray::new(py, &cut.cells), PyBytes::new(py, &cut.filled), suspect, cut.faults))
    }
}

fn how<'a>(reader: &str, suffixes: &'a str, in_text: bool, unit: f64) -> PyResult<How<'a>> {
    let unknown = || PyValueError::new_err(format!("no reader of cells {reader}"));
    Ok(How { reader: Reader::of(reader).ok_or_else(unknown)?, suffixes: suffixes.as_bytes(), in_text, unit })
}

fn array<'py, T: Copy, const N: usize>(py: Python<'py>, numbers: &[T], bytes: fn(T) -> [u8; N]) -> PyResult<Bytes<'py>> {
    PyBytes::new_with(py, numbers.len() * N, |out| {
        out.chunks_exact_mut(N).zip(numbers).for_each(|(place, &number)| place.copy_from_slice(&bytes(number)));
        Ok(())
    })
}

/// Per cell of 24 bytes: value, factor, and worth of the last digit (float64 each), code, and 1 where a percent sign follows (a byte each).
#[pyfunction]
#[allow(clippy::type_complexity)]
fn read_cells<'py>(
    py: Python<'py>,
    cells: PyBuffer<u8>,
    reader: &str,
    suffixes: &str,
    in_text: bool,
    unit: f64,
) -> PyResult<(Bytes<'py>, Bytes<'py>, Bytes<'py>, Bytes<'py>, Bytes<'py>)> {
    let (how, cells) = (how(reader, suffixes, in_text, unit)?, cells.to_vec(py)?);
    let read: Vec<_> = guarded(|| cells.chunks_exact(WIDTH).map(|cell| numbers::read(cell, how)).collect())?;
    let of = |field: &dyn Fn(&numbers::Read) -> f64| array(py, &read.iter().map(field).collect::<Vec<f64>>(), f64::to_ne_bytes);
    let flags = |field: fn(&numbers::Read) -> u8| PyBytes::new(py, &read.iter().map(field).collect::<Vec<u8>>());
    let (factor, digit) = (of(&|one| one.factor(how))?, of(&|one| one.last_digit(how))?);
    Ok((of(&|one| one.value)?, factor, digit, flags(|one| one.code), flags(|one| u8::from(one.percent))))
}

/// A byte per cell of 24: whether it has so many decimals, or no room for them.
#[pyfunction]
fn have_decimals<'py>(py: Python<'py>, cells: PyBuffer<u8>, wanted: i64, full: i64) -> PyResult<Bytes<'py>> {
    let cells = cells.to_vec(py)?;
    let have: Vec<u8> = guarded(|| cells.chunks_exact(WIDTH).map(|cell| u8::from(numbers::has_decimals(cell, wanted, full))).collect())?;
    Ok(PyBytes::new(py, &have))
}

/// Texts of so many characters, a byte each (? for one that is not ASCII): longer ones are cut, others padded with blanks, in front of them where they
/// stand `right`.
#[pyfunction]
fn padded<'py>(py: Python<'py>, offsets: PyBuffer<i64>, bytes: PyBuffer<u8>, width: usize, right: bool) -> PyResult<Bound<'py, PyBytes>> {
    let texts = Lines::of(py, &offsets, &bytes)?;
    let many = texts.len().checked_mul(width).ok_or_else(|| PyValueError::new_err("texts too wide"))?;
    PyBytes::new_with(py, many, |out| {
        guarded(|| out.chunks_exact_mut(width.max(1)).zip(texts.iter()).for_each(|(place, text)| pad(place, text, right)))
    })
}

fn pad(place: &mut [u8], text: &[u8], right: bool) {
    place.fill(b' ');
    let many = if text.is_ascii() {
        let many = text.len().min(place.len());
        place[..many].copy_from_slice(&text[..many]);
        many
    } else {
        // Each character of UTF-8 has one byte that continues none.
        let characters = text.iter().filter(|&&byte| byte & 0xC0 != 0x80).map(|&byte| if byte.is_ascii() { byte } else { b'?' });
        place.iter_mut().zip(characters).map(|(place, byte)| *place = byte).count()
    };
    if right {
        place.rotate_right(place.len() - many);
    }
}

/// A code per text: why it has no value.
#[pyfunction]
fn reasons<'py>(py: Python<'py>, offsets: PyBuffer<i64>, bytes: PyBuffer<u8>) -> PyResult<Bytes<'py>> {
    let texts = Lines::of(py, &offsets, &bytes)?;
    let codes: Vec<u8> = guarded(|| texts.iter().map(numbers::reason).collect())?;
    Ok(PyBytes::new(py, &codes))
}

/// For each group, given as its columns and labels, what `blocks::labels` says of lines that are all as wide: int64 per line.
#[pyfunction]
fn labels<'py>(
    py: Python<'py>,
    lines: PyBuffer<u8>,
    width: usize,
    groups: Vec<(usize, usize, Vec<String>)>,
    shift: usize,
) -> PyResult<Vec<Bytes<'py>>> {
    let lines = lines.to_vec(py)?;
    if width == 0 {
        return Err(PyValueError::new_err("lines without columns"));
    }
    let groups = groups.into_iter().map(|(start, end, labels)| Group { columns: start..end, labels });
    let found = py.detach(|| guarded(|| groups.map(|group| blocks::labels(&lines, width, &group, shift)).collect::<Vec<_>>()))?;
    found.iter().map(|of_group| array(py, of_group, i64::to_ne_bytes)).collect()
}

fn number(kind: Option<usize>) -> i64 {
    kind.map_or(-1, |kind| kind as i64)
}

#[pymodule]
fn compiled(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // A fault becomes an exception; its place in Rust helps nobody at a terminal.
    std::panic::set_hook(Box::new(|_| {}));
    module.add_function(wrap_pyfunction!(read_cells, module)?)?;
    module.add_function(wrap_pyfunction!(have_decimals, module)?)?;
    module.add_function(wrap_pyfunction!(reasons, module)?)?;
    module.add_function(wrap_pyfunction!(padded, module)?)?;
    module.add_function(wrap_pyfunction!(labels, module)?)?;
    module.add_class::<Columns>()?;
    module.add_class::<Jobs>()?;
    module.add_class::<LineKinds>()
}
