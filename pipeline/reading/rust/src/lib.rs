//! The compiled part of reading. Python hands over a grammar once, and then the lines of pages; it gets arrays.

mod automaton;
mod grammar;
mod lalr;

use automaton::{Automaton, Mask};
use grammar::{Grammar, Rules};
use lalr::{Lalr, Tables};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
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

fn number(kind: Option<usize>) -> i64 {
    kind.map_or(-1, |kind| kind as i64)
}

#[pymodule]
fn compiled(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // A fault becomes an exception; its place in Rust helps nobody at a terminal.
    std::panic::set_hook(Box::new(|_| {}));
    module.add_class::<LineKinds>()
}
