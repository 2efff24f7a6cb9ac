"""Read SMF records: rows of tables from lines of JSON, by the declarations of records.py.

A field is converted by its declared kind, never by its look: what its kind does not take is a reject, and all that needs it is NULL. Parts
of one record are joined before anything is computed; without all of them nothing of it is read. What no declaration names is not read, and
told by section.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple, NoReturn

import numpy as np
import polars as pl
import pyarrow as pa

from ..declaration.records import Fields, Kind, Record, RecordForm, RecordRows
from ..declaration.report import Column, Report, Table, reports
from ..files.segment import Segment
from ..files.smf_json import TAG
from .pages import RECORDS, Lines
from .rejects import Rejects

_TAG = re.compile(TAG)
_DURATION = re.compile(r"([+-]?)(?:(\d+)D )?(\d+):(\d+):(\d+)(?:\.(\d{2,12}))?")
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?:\.(\d{2,12}))?")
_ZERO_MOMENT = "0000-00-00 "
# A TOD clock ends in 2042, an extended one far later.
_LAST_YEAR = 2200
_LONGEST = 100 * 366 * 86400.0
_DIGITS, _MOST_DIGITS = 7, 14
_TYPES = {"text": pl.String, "flags": pl.String, "moment": pl.Datetime("us"), "yes": pl.Boolean}
_INFINITE = "0xFFFFFFFF"
_EXPECTED = {
    "number": "a number",
    "real": "a number",
    "hex": "hexadecimal digits behind 0x",
    "flags": "hexadecimal digits behind 0x",
    "duration": "a length of time as HH:MM:SS.ffffff",
    "moment": "a date and time as YYYY-MM-DD HH:MM:SS",
    "text": "a text",
}


class _Problem(NamedTuple):
    what: str
    expected: str
    hint: str


@dataclass
class RecordLines:
    """The lines of one form of record, as `Rejects` knows lines: arrays with one entry per line."""

    report: Report
    text: pl.Series
    segment: np.ndarray
    page: np.ndarray
    number: np.ndarray

    @property
    def kind(self) -> np.ndarray:
        return self.segment


@dataclass
class RowsRead:
    """Rows of a table so far. values: by name of the row; line: the line of `RecordLines` that each is of."""

    declared: RecordRows
    values: dict[str, list[Any]]
    line: list[int] = field(default_factory=list)
    seen: set[tuple[Any, ...]] = field(default_factory=set)


class ReadRows(NamedTuple):
    """Rows of a table, the line of each, and the values by name that the formulas used."""

    rows: pa.Table
    line: np.ndarray
    used: pl.DataFrame


class ReadRecords(NamedTuple):
    """The lines of a form of record; by table its rows; bool per line: nothing of it was read; by segment and section the
    fields that are not read, and the first line of each."""

    form: RecordForm
    lines: RecordLines
    tables: dict[str, ReadRows]
    rejected: np.ndarray
    unread: dict[tuple[int, str], tuple[list[str], int]]


@cache
def forms() -> dict[str, tuple[Report, RecordForm]]:
    """By type and subtype: the form of a record and the first report that has it."""
    out: dict[str, tuple[Report, RecordForm]] = {}
    for report in reports().values():
        for rows in report.records:
            out.setdefault(rows.form.record, (report, rows.form))
    return out


def read_records(lines: Lines, segments: Sequence[Segment], rejects: Rejects) -> Iterator[ReadRecords]:
    """All lines that hold records of a known form, form by form."""
    at = np.flatnonzero(lines.report == RECORDS)
    if not len(at):
        return
    record = lines.text.gather(at).str.extract(TAG, 1)
    for name, (report, form) in forms().items():
        chosen = at[(record == name).to_numpy()]
        if len(chosen):
            own = RecordLines(
                report, lines.text.gather(chosen), *(a[chosen] for a in (lines.segment, lines.page, lines.number))
            )
            yield _Reader(form, own, segments, rejects).read()


class _Reader:
    """Reads the lines of one form."""

    def __init__(self, form: RecordForm, lines: RecordLines, segments: Sequence[Segment], rejects: Rejects):
        self.form, self.lines, self.segments, self.rejects = form, lines, segments, rejects
        declared = [rows for report in reports().values() for rows in report.records if rows.form is form]
        self.rows = [
            RowsRead(one, {name: [] for f in table_of(one.table).formulas.values() for name in names_in(f)})
            for one in declared
        ]
        self.rejected = np.zeros(len(lines.text), dtype=bool)
        self.unread: dict[tuple[int, str], tuple[list[str], int]] = {}

    def read(self) -> ReadRecords:
        # Of a record with parts: whose it is → its parts by number, with their lines.
        waiting: dict[tuple[Any, ...], dict[int, tuple[int, dict[str, Any]]]] = {}
        for line, text in enumerate(self.lines.text):
            sections = self._parsed(line, text)
            if sections is None:
                continue
            key, number, many = self._part(line, sections)
            if not many:
                self._take(line, [(line, sections)])
                continue
            parts = waiting.setdefault(key, {})
            parts.setdefault(number, (line, sections))
            if len(parts) == many:
                self._take(min(at for at, _ in parts.values()), [parts[k] for k in sorted(waiting.pop(key))])
        for parts in waiting.values():
            self._lost(parts)
        tables = {rows.declared.table: self._table(rows) for rows in self.rows if rows.line}
        return ReadRecords(self.form, self.lines, tables, self.rejected, self.unread)

    def _parsed(self, line: int, text: str) -> dict[str, Any] | None:
        """The sections of a record; None, with a reject, if it is none."""
        tag = _TAG.match(text)
        assert tag
        try:
            sections = json.loads(text[tag.end() :], parse_constant=_refuse)
        except (ValueError, RecursionError) as error:
            what, hint = f"the record cannot be read: {error}", "the document is cut or damaged here; write it again"
            self._reject(line, _Problem(what, "one object of JSON", hint), is_lost=True)
            return None
        lacking = [name for name in ("header", self.form.product) if name and not isinstance(sections.get(name), dict)]
        if lacking:
            what = f"the record has no section {lacking[0]}"
            self._reject(line, _Problem(what, "an object", "nothing of it is read"), is_lost=True)
            return None
        return sections

    def _part(self, line: int, sections: Mapping[str, Any]) -> tuple[tuple[Any, ...], int, int]:
        """Whose part of a record it is, its number and how many there are; 0 of a whole record."""
        product, prefix = sections.get(self.form.product, {}), self.form.prefix
        if not product.get(f"{prefix}ran"):
            return (), 0, 0
        whose = [product.get(f"{prefix}{name}") for name in ("xnm", "snm", "ist", "int", "iet")]
        key = (int(self.lines.segment[line]), *map(str, (sections["header"].get("sysId"), *whose)))
        # The reassembly area is in the product section, or beside it.
        areas = [product, sections, *(s for s in sections.values() if isinstance(s, dict))]
        many, number = (
            next((a[f"{prefix}{n}"] for a in areas if isinstance(a.get(f"{prefix}{n}"), int)), 0)
            for n in ("rbr", "rsq")
        )
        return key, number, max(many, 1)

    def _lost(self, parts: Mapping[int, tuple[int, dict[str, Any]]]) -> None:
        """A record without all of its parts."""
        line, sections = next(iter(parts.values()))
        _, _, many = self._part(line, sections)
        what = f"{len(parts)} of {many} parts of a record: {', '.join(map(str, sorted(parts)))}"
        hint = "nothing of this system and interval is read; write the document again with all records"
        for at, _ in parts.values():
            self._reject(at, _Problem(what, f"parts 1 to {many}", hint), is_lost=True)

    def _take(self, line: int, parts: Sequence[tuple[int, dict[str, Any]]]) -> None:
        """The rows of a record from all of its parts."""
        one, many = Fields(), {name: [] for name in (*self.form.several, *self.form.vectors)}
        for at, sections in parts:
            for name, section in sections.items():
                some = section if isinstance(section, list) else [section]
                if name in self.form.vectors:
                    some = some if some and isinstance(some[0], list) else [some]
                    many[name] += [self._vector(at, f"{name}[{len(many[name]) + k}]", v) for k, v in enumerate(some)]
                    continue
                if name in many:
                    many[name] += [
                        self._fields(at, f"{name}[{len(many[name]) + k}]", name, s) for k, s in enumerate(some)
                    ]
                elif name in self.form.single and len(some) == 1:
                    for key, value in self._fields(at, name, name, some[0]).items():
                        one.setdefault(key, value)
                elif name in self.form.single:
                    what = f"{len(some)} sections {name}"
                    self._reject(at, _Problem(self._said(what), "one", "none is read: it is not known which counts"))
                else:
                    self._not_read(name, [name], at)
        record = Record(one, many)
        for rows in self.rows:
            for names in rows.declared.rows(record):
                row = tuple(names[name] if name in names else one[name] for name in rows.values)
                if rows.declared.once:
                    of_source = int(self.lines.segment[line]), row
                    if of_source in rows.seen:
                        continue
                    rows.seen.add(of_source)
                for values, value in zip(rows.values.values(), row, strict=True):
                    values.append(value)
                rows.line.append(line)

    def _fields(self, line: int, path: str, section: str, given: Any) -> Fields:
        out = Fields()
        if not isinstance(given, dict):
            self._reject(
                line, _Problem(self._said(f"{path} is {json.dumps(given)[:40]}"), "an object", "it is not read")
            )
            return out
        unread = []
        for name, value in given.items():
            kind = self.form.fields.get(name)
            if kind is None:
                unread.append(name)
                continue
            try:
                out[name] = _value(value, kind)
            except (ValueError, TypeError, OverflowError):
                what = self._said(f"{path}.{name} is {json.dumps(value)[:40]}")
                self._reject(line, _Problem(what, _EXPECTED[kind], "what needs it is NULL"))
        self._not_read(section, unread, line)
        return out

    def _vector(self, line: int, path: str, given: Any) -> Fields:
        try:
            return Fields(vector=[float("inf") if value == _INFINITE else _value(value, "number") for value in given])
        except (TypeError, OverflowError):
            what = self._said(f"{path} is {json.dumps(given)[:40]}")
            self._reject(line, _Problem(what, "a list of numbers", "what needs it is NULL"))
            return Fields()

    def _not_read(self, section: str, names: Sequence[str], line: int) -> None:
        if names:
            known = self.unread.setdefault((int(self.lines.segment[line]), section), ([], line))[0]
            known += [name for name in names if name not in known]

    def _said(self, what: str) -> str:
        return f"SMF {self.form.record}: {what}"

    def _reject(self, line: int, problem: _Problem, is_lost: bool = False) -> None:
        at = np.array([line])
        what = problem.what if problem.what.startswith("SMF ") else self._said(problem.what)
        self.rejects.add(self.lines, at, what, problem.expected, problem.hint, unread=at if is_lost else None)  # type: ignore[arg-type]
        self.rejected[line] |= is_lost

    def _table(self, rows: RowsRead) -> ReadRows:
        """The rows of a table, by the formulas of its columns. Rows without a needed value are rejects."""
        table, form = table_of(rows.declared.table), self.form
        frame = pl.DataFrame({n: pl.Series(n, v, _type_of(form.fields.get(n), v)) for n, v in rows.values.items()})
        formulas = table.formulas
        made = frame.select(*(pl.sql_expr(f).alias(name) for name, f in formulas.items()))
        line = np.array(rows.line, dtype=np.int64)
        arrays: dict[str, pa.Array] = {}
        keep = np.ones(len(line), dtype=bool)
        for column in table.columns:
            values = made[column.name] if column.name in formulas else pl.Series([None] * len(line), dtype=pl.Null)
            arrays[column.name] = _cast(values, column)
            if column.resolution:
                arrays[f"{column.name}_resolution"] = _resolution(
                    arrays[column.name], column, form, formulas.get(column.name)
                )
            if column.name in formulas and (not column.nullable or column.needed):
                lost = values.is_null().to_numpy() & keep
                for at in np.unique(line[lost]).tolist():
                    what = self._said(f"a row of {table.name} has no {column.name}")
                    self._reject(at, _Problem(what, "a value", "the row is not read"))
                keep &= ~lost
        arrays |= self._provenance(line)
        whole = pa.Table.from_arrays([arrays[f.name].cast(f.type) for f in table.schema], schema=table.schema)
        return ReadRows(whole.filter(pa.array(keep)), line[keep], frame.filter(pl.Series(keep)))

    def _provenance(self, line: np.ndarray) -> dict[str, pa.Array]:
        of_segment = pa.array(self.lines.segment[line], pa.int64())
        return {
            "source_id": pa.array([s.source_id for s in self.segments], pa.string())
            .take(of_segment)
            .dictionary_encode(),
            "source_file": pa.array([s.source_file for s in self.segments], pa.string())
            .take(of_segment)
            .dictionary_encode(),
            "page": pa.array(self.lines.page[line], pa.int64()),
            "line": pa.array(self.lines.number[line], pa.int64()),
        }


def unread_rows(read: ReadRecords) -> dict[str, list]:
    """Columns of unread_section, with `segment` in place of the source: a row for each section with fields that are not read. No line is
    without effect for that."""
    out: dict[str, list] = {k: [] for k in ("report", "section", "lines", "text", "segment", "page", "line")}
    for (_, section), (names, line) in read.unread.items():
        told = [read.lines.report.name, f"SMF {section}", 0, ", ".join(names)]
        told += [int(a[line]) for a in (read.lines.segment, read.lines.page, read.lines.number)]
        for column, value in zip(out.values(), told, strict=True):
            column.append(value)
    return out


@cache
def table_of(name: str) -> Table:
    return next(t for r in reports().values() for t in r.tables if t.name == name)


@cache
def names_in(formula: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(pl.sql_expr(formula).meta.root_names()))


def _value(value: Any, kind: Kind) -> Any:
    """A field as its kind has it; None for an empty text or a zero time of day. Raises ValueError, TypeError or OverflowError."""
    if kind in ("number", "real"):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(value)
        return float(value)
    if not isinstance(value, str):
        raise TypeError(value)
    if kind == "text":
        return value.strip() or None
    if kind == "duration":
        return _seconds(value)
    if kind == "moment":
        return _moment(value)
    if not re.fullmatch("0x[0-9A-Fa-f]+", value):
        raise ValueError(value)
    return float(int(value, 16)) if kind == "hex" else f"{int(value, 16):0{4 * (len(value) - 2)}b}"


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _seconds(text: str) -> float:
    """A length of time. Minutes up to 99; the sign is of all of it.

    >>> [_seconds(text) for text in ("1D 02:03:04.000000", "00:60:00.000", "-02:00:00.000000", "00:00:00.000001500000")]
    [93784.0, 3600.0, -7200.0, 1.5e-06]
    """
    found = _DURATION.fullmatch(text)
    if not found:
        raise ValueError(text)
    sign, days, hours, minutes, seconds, fraction = found.groups()
    whole = int(days or 0) * 86400 + int(hours) * 3600 + int(minutes) * 60 + int(seconds)
    fraction = fraction or "0"
    length = (whole * 10 ** len(fraction) + int(fraction)) / 10 ** len(fraction)
    if length > _LONGEST:
        raise ValueError(text)
    return -length if sign == "-" else length


def _moment(text: str) -> dt.datetime | None:
    """A date and time; its part below a microsecond is cut. None where no time was stored.

    >>> _moment("2026-03-01 10:00:00.5") is None
    Traceback (most recent call last):
    ValueError: 2026-03-01 10:00:00.5
    >>> _moment("0000-00-00 00:00:00.000000"), _moment("2026-03-01 10:00:00.25")
    (None, datetime.datetime(2026, 3, 1, 10, 0, 0, 250000))
    """
    if text.startswith(_ZERO_MOMENT):
        return None
    found = _MOMENT.fullmatch(text)
    if not found:
        raise ValueError(text)
    begin = dt.datetime.fromisoformat(found[1])
    if begin.year > _LAST_YEAR:
        raise ValueError(text)
    return begin.replace(microsecond=int((found[2] or "0")[:6].ljust(6, "0")))


def _type_of(kind: Kind | None, values: Sequence[Any]) -> Any:
    if kind:
        return _TYPES.get(kind, pl.Float64)
    first = next((v for v in values if v is not None), None)
    if isinstance(first, bool):
        return pl.Boolean
    if isinstance(first, dt.datetime):
        return pl.Datetime("us")
    return pl.String if isinstance(first, str) else pl.Float64


def _cast(values: pl.Series, column: Column) -> pa.Array:
    """As the column has it. What divides by zero has no value, nor has a part of a count."""
    if column.type.arrow == pa.bool_():
        return values.cast(pl.Boolean).to_arrow()
    if column.type.name == "timestamp":
        return values.cast(pl.Datetime("us")).to_arrow()
    if pa.types.is_dictionary(column.type.arrow):
        return values.cast(pl.String).to_arrow().cast(pa.string()).dictionary_encode()
    numbers = values.cast(pl.Float64)
    # No field has as many digits: what is beyond is of the arithmetic.
    numbers = numbers.set(~numbers.is_finite().fill_null(True), None).round_sig_figs(_MOST_DIGITS)
    if pa.types.is_integer(column.type.arrow):
        whole = numbers.round()
        return (
            whole.set(((whole - numbers).abs() > 1e-6).fill_null(False), None).cast(pl.Int64, strict=False).to_arrow()
        )
    return numbers.to_arrow()


def _resolution(values: pa.Array, column: Column, form: RecordForm, formula: str | None) -> pa.Array:
    """What one unit of the last known digit counts. Whole numbers are exact; all others have seven digits, as real fields and times have."""
    names = names_in(formula) if formula else ()
    is_exact = pa.types.is_integer(column.type.arrow) and all(form.fields.get(name) == "number" for name in names)
    numbers = pl.Series(values).cast(pl.Float64)
    seven = 10.0 ** (numbers.abs().log10().floor() - (_DIGITS - 1))
    unit = pl.Series([1.0] * len(numbers)) if is_exact else seven.set((numbers == 0).fill_null(False), 0.0)
    if pa.types.is_integer(column.type.arrow):
        unit = unit.clip(1.0)
    return unit.set(numbers.is_null(), None).to_arrow()
