"""Find the start and report of each page: number lines, remove blank lines, look up banners in bulk."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import polars as pl

from ..declaration.layouts import XmlRows
from ..declaration.report import reports
from ..files.segment import Segment, SplitText
from ..files.smf_json import TAG
from ..files.xml_lines import MALFORMED

# A letter-spaced title: at least six single characters, one to three blanks between them, of other programs up to five; I/O may be one of
# these.
_SPACED_TITLE = r"^ *(?:[A-Z]/)?[A-Z/&*\-](?: {1,5}(?:[A-Z]/)?[A-Z/&*\-]){5,} *$"
# The title of a segment of an XML document (files/xml_lines.py), and a message of one without segments.
_SEGMENT = r"^<segment> +(.*)$"
_MESSAGE = r"^<message ([^>]*)> *(.*)$"
# The title is within this many non-blank lines of a page.
_BANNER_REACH = 3
TITLE_REACH = 5
# Other programs print pages in RMF's look; their numbers may mean other things. One says so among the first lines; RMF itself
# prints its heading in capitals (SYSTEM ID, RPT VERSION) and no colon in its INTERVAL.
_PRODUCED_BY = r"PRODUCED BY (?:\w+ )*CMF(?: \w+)*"
_OTHER_HEADING = r"\b(?:RMF|Rpt|Report) Version \S|\b(?:System ID|Sysplex) +\S+ +Date +\d|\bInterval +\d+:\d\d\.\d"
_LOOK_ALIKE = f"{_PRODUCED_BY}|{_OTHER_HEADING}"
_LOOK_ALIKE_REACH = 8
UNKNOWN = -1
# A record of SMF that is known: several reports may have rows of it (records.py).
RECORDS = -2
_LONGEST_MESSAGE = 200
# Titles of one maker may begin alike.
_LONGEST_BANNER = 132
# Wider than any print line; text after it is a reject, not a cell.
WIDEST = 200
# The page number that ends a line of a page's heading.
PAGE_NUMBER = re.compile(r"\bPAGE:? +[\d,]+(?:-\d+)?\s*$", re.IGNORECASE)

_LAST_NUMBER = re.compile(r"(?<!\d)([0-9]{1,9})\s*$")


def page_number(line: str) -> int:
    """The page number at the end of a line (the last part, if it has two); -1 if missing or impossible.

    >>> [page_number(line) for line in ("PAGE  17", "PAGE: 1-12", "PAGE 1,234", "PAGE ,", "PAGE " + "9" * 30, "1 page")]
    [17, 12, 1234, -1, -1, -1]
    """
    printed = PAGE_NUMBER.search(line)
    last = _LAST_NUMBER.search(printed[0].replace(",", "")) if printed else None
    return int(last[1]) if last else -1


class Lines(NamedTuple):
    """The non-blank lines of some segments. Arrays have one entry per line: text, segment, number in the file, page of the file, and report
    (index into sorted `reports()`, or UNKNOWN, or RECORDS). `page_starts`: indexes of first lines of pages; `counts`: lines and blank lines per
    segment; `cut`: indexes of lines that the end of their file may have cut."""

    text: pl.Series
    segment: np.ndarray
    number: np.ndarray
    page: np.ndarray
    report: np.ndarray
    page_starts: np.ndarray
    counts: np.ndarray
    pages: np.ndarray
    cut: np.ndarray


@cache
def banners() -> dict[str, int]:
    """Banner without blanks → index into the sorted reports. Some pages print REPORT after a title, others do not."""
    known = {number: report.banner for number, report in enumerate(reports().values()) if report.banner}
    return {name: k for k, banner in known.items() for name in (banner, banner.removesuffix("REPORT") + "REPORT")}


@cache
def _segments() -> dict[str, int]:
    """The same for segments of XML documents, which have the titles of print: the reports that can be read from XML."""
    known = list(reports().values())
    return {name: k for name, k in banners().items() if any(isinstance(h, XmlRows) for h in known[k].layouts)}


@cache
def _any_page_top() -> str:
    """A pattern of every line that begins a page: a letter-spaced title, or the first line of reports without one."""
    return "|".join(
        f"(?:{p})"
        for p in dict.fromkeys([_SPACED_TITLE, _SEGMENT, TAG, *(r.page_top for r in reports().values())])
        if p
    )


def split_lines(text: bytes) -> pl.Series:
    """The lines of canonical text as strings, line ends removed."""
    if not text:
        return pl.Series("line", [], dtype=pl.String)
    return pl.read_lines(io.BytesIO(text)).to_series()


def split(text: bytes, control: bytes) -> SplitText:
    """Canonical text and its carriage control, split."""
    lines = split_lines(text)
    return SplitText(lines, page_starts(lines, control, titles(lines)))


def _splits(segments: Sequence[Segment]) -> list[SplitText]:
    """All segments split; small ones together, because calls cost more than their lines."""
    texts = [s.text for s in segments if s.split is None]
    lines = split_lines(b"".join(t if t.endswith(b"\n") or not t else t + b"\n" for t in texts))
    titled = titles(lines)
    out, begin = [], 0
    for segment in segments:
        if segment.split is None:
            text = segment.text
            length = text.count(b"\n") + bool(text and not text.endswith(b"\n"))
            mine = lines.slice(begin, length)
            first, last = np.searchsorted(titled, (begin, begin + length))
            out.append(SplitText(mine, page_starts(mine, segment.control, titled[first:last] - begin)))
            begin += length
        else:
            out.append(segment.split)
    return out


def titles(lines: pl.Series) -> np.ndarray:
    """Indexes of lines that begin a page by their text: letter-spaced titles of any report, first lines of known pages without such
    a title, and the heading of another program far below any of these."""
    found = lines.str.contains(f"{_any_page_top()}|{_LOOK_ALIKE}").arg_true().to_numpy().astype(np.int64)
    is_top = lines.gather(found).str.contains(_any_page_top()).to_numpy()
    if is_top.all():
        return found
    begins, last = [], -_LOOK_ALIKE_REACH
    for line, is_one in zip(found.tolist(), is_top.tolist(), strict=True):
        if is_one or line - last >= _LOOK_ALIKE_REACH:
            begins.append(line)
            last = line
    return np.array(begins, dtype=np.int64)


def names_itself(lines: pl.Series) -> np.ndarray:
    """Indexes of lines that identify the report of a page: titles, and names of other programs."""
    return np.union1d(titles(lines), lines.str.contains(_LOOK_ALIKE).arg_true().to_numpy().astype(np.int64))


def page_starts(lines: pl.Series, control: bytes, titled: np.ndarray) -> np.ndarray:
    """Indexes of lines that begin a page: carriage control "1", and `titles` without such a line directly above (blank lines aside)."""
    if not control:
        return titled
    ejects = np.flatnonzero(np.frombuffer(control, np.uint8) == ord("1"))
    if not len(titled) or not len(ejects):
        return titled if len(titled) else ejects
    before = np.searchsorted(ejects, titled, side="right") - 1
    blank = (lines.str.strip_chars().str.len_bytes() == 0).to_numpy()
    filled = np.concatenate([[0], np.cumsum(~blank)])
    nearest = ejects[np.maximum(before, 0)]
    fresh = (before < 0) | (filled[titled] - filled[nearest] > 0)
    return np.union1d(ejects, titled[fresh])


def count_pages(lines: pl.Series, starts: np.ndarray) -> int:
    """The number of pages: one per entry of `starts`, and one for text above the first."""
    inside = starts[starts < len(lines)]
    above = lines.head(int(inside[0])) if len(inside) else lines
    return len(inside) + int(_is_filled(above))


def _is_filled(lines: pl.Series) -> bool:
    return bool((lines.str.strip_chars().str.len_bytes() > 0).any())


def find_lines(segments: Sequence[Segment]) -> Lines:
    """Split, number and recognise the lines of segments; see `Lines`."""
    splits = _splits(segments)
    texts, starts = [s.lines for s in splits], [s.page_starts for s in splits]
    lengths = np.array([len(t) for t in texts], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    every = pl.concat(texts) if len(texts) > 1 else texts[0]
    segment = np.repeat(np.arange(len(segments)), lengths)
    first_line = np.array([s.first_line for s in segments], dtype=np.int64)
    number = np.arange(len(every), dtype=np.int64) - offsets[segment] + first_line[segment]
    for k, one in enumerate(segments):
        if one.line_numbers is not None:
            number[offsets[k] : offsets[k + 1]] = one.line_numbers

    keep = every.str.contains(r"\S").to_numpy()
    # Lines above the first page start of a segment are a page too (a file may begin in the middle of one).
    filled = np.concatenate([[0], np.cumsum(keep)])
    begins = np.zeros(len(every), dtype=bool)
    for k, found in enumerate(starts):
        begins[offsets[k] + found] = True
        first = offsets[k] + found[0] if len(found) else offsets[k + 1]
        if filled[first] > filled[offsets[k]]:
            begins[offsets[k]] = True
    first_page = np.array([s.first_page for s in segments], dtype=np.int64)
    running = np.cumsum(begins)
    before_segment = np.concatenate([[0], running])[offsets[:-1]] if len(every) else np.zeros(len(segments), np.int64)
    page = running - before_segment[segment] + first_page[segment] - 1
    pages = (running[offsets[1:] - 1] if len(every) else np.zeros(len(segments), np.int64)) - before_segment

    text = every.filter(pl.Series(keep))
    kept = np.flatnonzero(keep)
    # A page whose first line was blank begins at its first line that is not.
    page_id = running[kept] if len(every) else running
    starts_kept = np.flatnonzero(np.diff(page_id, prepend=-1))
    starts_kept = starts_kept[page_id[starts_kept] > 0] if len(starts_kept) else starts_kept
    counts = np.stack([lengths, lengths - np.bincount(segment[kept], minlength=len(segments))], axis=1)
    report = _reports_of(text, starts_kept)
    _report_malformed(text, report)
    last = [int(offsets[k + 1]) - 1 for k, s in enumerate(segments) if s.cut_short and lengths[k]]
    cut = np.flatnonzero(np.isin(kept, last)) if last else np.zeros(0, dtype=np.int64)
    return Lines(text, segment[kept], number[kept], page[kept], report, starts_kept, counts, pages, cut)


def _reports_of(text: pl.Series, starts: np.ndarray) -> np.ndarray:
    """Report of each line by the first lines of its page; UNKNOWN if they name none."""
    report = np.full(len(text), UNKNOWN, dtype=np.int16)
    if not len(starts):
        return report
    ends = np.append(starts[1:], len(text))
    # Pages begin alike: each different line is looked at once.
    at = np.minimum(starts[:, None] + np.arange(_LOOK_ALIKE_REACH), ends[:, None] - 1)
    encoded = text.gather(at.ravel()).to_arrow().dictionary_encode()
    words = pl.Series(encoded.dictionary)
    word = encoded.indices.to_numpy(zero_copy_only=False).reshape(at.shape)

    def has(pattern: str, reach: int) -> np.ndarray:
        """Bool per page: one of its first lines matches."""
        return np.any(words.str.contains(pattern).to_numpy()[word[:, :reach]], axis=1)

    named = words.str.replace_all(" ", "").replace_strict(banners(), default=UNKNOWN, return_dtype=pl.Int16).to_numpy()
    of_segment = words.str.extract(_SEGMENT, 1)
    if of_segment.is_not_null().any():
        title = of_segment.str.replace_all(" ", "").str.to_uppercase()
        segment = title.replace_strict(_segments(), default=UNKNOWN, return_dtype=pl.Int16).to_numpy().copy()
        for number, known in enumerate(reports().values()):
            if known.segments:
                segment[of_segment.str.contains(known.segments).fill_null(False).to_numpy()] = number
        named = np.where(of_segment.is_not_null().to_numpy(), segment, named)
    of_page = np.full(len(starts), UNKNOWN, dtype=np.int16)
    for down in reversed(range(_BANNER_REACH)):
        of_page = np.where(named[word[:, down]] != UNKNOWN, named[word[:, down]], of_page)
    for number, known in enumerate(reports().values()):
        if known.page_top:
            is_one = (of_page == UNKNOWN) & has(known.page_top, 1)
            if is_one.any():
                of_page[is_one & has(known.title, TITLE_REACH)] = number
    of_page[has(_LOOK_ALIKE, _LOOK_ALIKE_REACH)] = UNKNOWN
    record = words.str.extract(TAG, 1).is_in(_known_records()).fill_null(False).to_numpy()
    if record.any():
        of_page[record[word[:, 0]]] = RECORDS
    report[starts[0] :] = np.repeat(of_page, ends - starts)
    return report


@cache
def _known_records() -> list[str]:
    """Types and subtypes of the records that a report has rows of."""
    return sorted({rows.form.record for report in reports().values() for rows in report.records})


def in_xml(lines: Lines) -> np.ndarray:
    """Bool per page: it is a segment of an XML document."""
    return lines.text.gather(lines.page_starts).str.contains(_SEGMENT).to_numpy()


def _report_malformed(text: pl.Series, report: np.ndarray) -> None:
    """Give lines that tell of a malformed XML document on pages of unknown reports to a report that is read from XML: what is lost behind
    them may be its, and only lines of a known report are rejects."""
    told = (text.str.starts_with(MALFORMED)).to_numpy() & (report == UNKNOWN)
    report[told] = min(_segments().values())


def _of_look_alike(text: pl.Series, starts: np.ndarray, ends: np.ndarray) -> list[str | None]:
    """Per page: the evidence that another program imitating RMF printed it; None for all others."""
    found: list[str | None] = [None] * len(starts)
    for down in reversed(range(_LOOK_ALIKE_REACH)):
        lines = text.gather(np.minimum(starts + down, ends - 1))
        produced_by = lines.str.extract(f"({_PRODUCED_BY})", 1).to_list()
        headed = lines.str.contains(_OTHER_HEADING).to_list()
        for k, (product, other) in enumerate(zip(produced_by, headed, strict=True)):
            found[k] = product or found[k] or ("heading of another program" if other else None)
    return found


def spaced_words(title: str) -> str:
    """A letter-spaced title as words: gaps between words are wider than within. A copy with equal gaps reads as one word.

    >>> spaced_words("  C H A N N E L   P A T H   A C T I V I T Y"), spaced_words("I/O  Q U E U I N G"), spaced_words("C P U A C T")
    ('CHANNEL PATH ACTIVITY', 'I/O QUEUING', 'CPUACT')
    """
    gap = min((len(blanks) for blanks in re.findall(" +", title.strip())), default=0)
    return " ".join(word.replace(" ", "") for word in re.split(f" {{{gap + 1},}}", title.strip()))


def titles_of(text: pl.Series, starts: np.ndarray, ends: np.ndarray) -> list[str | None]:
    """Title of each page: its letter-spaced title, else the title that a report with similar pages would use; None if there is neither."""
    names: list[str | None] = [None] * len(starts)
    for report in (r for r in reports().values() if r.any_title):
        begun = text.gather(starts).str.contains(report.page_top)
        for down in reversed(range(TITLE_REACH)):
            title = text.gather(np.minimum(starts + down, ends - 1)).str.extract(report.any_title, 1)
            for k in (begun & title.is_not_null()).arg_true().to_list():
                names[k] = title[k]
    for down in range(_BANNER_REACH):
        at = np.minimum(starts + down, ends - 1)
        lines = text.gather(at)
        spaced = lines.str.contains(_SPACED_TITLE).to_numpy()
        for k in np.flatnonzero(spaced):
            names[k] = spaced_words(lines[int(k)])
    return names


def _banner_of_line(line: str) -> str:
    """The first line of a page; of an XML document the title of the segment, or the message; the type of a record.

    >>> _banner_of_line("<segment>  Workload Activity"), _banner_of_line("<message GPM0739E> Invalid parameter")
    ('Workload Activity (XML)', 'message GPM0739E Invalid parameter')
    """
    if segment := re.match(_SEGMENT, line):
        return f"{segment[1]} (XML)"
    if message := re.match(_MESSAGE, line):
        return f"message {message[1]} {message[2]}"[:_LONGEST_MESSAGE]
    if record := re.match(TAG, line):
        return f"SMF record {record[1]} (JSON)"
    return line.strip()[:_LONGEST_BANNER]


def banner_of(text: pl.Series, starts: np.ndarray, ends: np.ndarray) -> list[str]:
    """Name of each page: its title, else its first line (at most a print line), with a note if another program printed it."""
    first = [_banner_of_line(line) for line in text.gather(starts)]
    names = [title or line for title, line in zip(titles_of(text, starts, ends), first, strict=True)]
    for k, evidence in enumerate(_of_look_alike(text, starts, ends)):
        if evidence and evidence not in names[k]:
            names[k] = f"{names[k]} ({evidence}, not RMF)"
    return names
