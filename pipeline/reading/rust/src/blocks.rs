//! Labels of cells under group titles.

use std::ops::Range;

/// No label, for want of a value that is of the group alone: one of the group in front runs into it; or there is none, or it runs into the
/// group behind, which says so.
const RUN_OVER: i64 = -3;
const NOTHING: i64 = -2;
const UNKNOWN: i64 = -1;

/// Columns of the lines, and labels that may begin there.
pub struct Group {
    pub columns: Range<usize>,
    pub labels: Vec<String>,
}

/// Per line the index of the first label that the group begins with, or of those behind up to `shift` blanks, in this order, then as many more
/// for each blank as there are labels. No further letter follows a label.
pub fn labels(lines: &[u8], width: usize, group: &Group, shift: usize) -> Vec<i64> {
    lines.chunks_exact(width).map(|line| label(line, group, shift)).collect()
}

fn label(line: &[u8], group: &Group, shift: usize) -> i64 {
    let is_filled = |at: usize| line.get(at).is_some_and(|&byte| byte != b' ');
    let Range { start, end } = group.columns;
    let cell = line.get(start..end.min(line.len())).unwrap_or_default();
    if start > 0 && is_filled(start - 1) && is_filled(start) {
        return RUN_OVER;
    }
    let blanks = cell.iter().take_while(|&&byte| byte == b' ').count();
    if blanks == cell.len() || is_filled(end - 1) && is_filled(end) {
        return NOTHING;
    }
    let begins = |label: &String| {
        let behind = cell[blanks..].strip_prefix(label.as_bytes());
        behind.is_some_and(|behind| !behind.first().is_some_and(|byte| matches!(byte, b'A'..=b'Z' | b'%' | b'+')))
    };
    let found = if blanks <= shift { group.labels.iter().position(begins) } else { None };
    found.map_or(UNKNOWN, |number| (blanks * group.labels.len() + number) as i64)
}
