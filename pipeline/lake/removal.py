"""Which rows of a lake `ironlake remove` takes out: found in the parts, and nothing is changed here.

Rows of reports go by what is asked. Of a source of which rows stay, a row about a page (a reject, an empty cell, a broken rule) goes
with the last row that the same report has on that page. With the last row of all reports that gives way to newer prints, all of them go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..declaration.report import reports
from ..errors import IronlakeError, format_error
from ..storage.os_errors import translate_os_errors
from ..without_pandas import leave_pandas_alone
from .damage import damage_error, find_damage
from .history import STUDY, Event, event_of
from .ledger import Ledger
from .other_values import interval_key, own_key
from .parts import REPAIR_HINT, PartStore
from .prints import (
    Print,
    Prints,
    columns_with_offset,
    frame_of,
    has_prints,
    in_words,
    may_have,
    plain,
    print_of,
    tell_once,
    time_column,
    twice,
)
from .state import Part, SourceEntry, State, removed

# The times between which a row was measured, by the first of these pairs that its table has.
_TIMES = (("interval_start", "interval_end"), ("begin_at", "end_at"), ("last_reset_at", "collected_at"))
# Tables about pages, and their column that tells the report or a table of it; none is of pages of unknown reports.
_ABOUT_PAGES = {
    "parse_reject": "report",
    "unread_section": "report",
    "cell_null": "table",
    "quality_result": "table",
    "unknown_report": None,
}
DOUBT_HINT = "nothing was replaced; ingest it without --replace, or remove the old file first; --scope names the systems of pages"
# A source, a page of it, and a report.
_Page = tuple[str, int, str]


@dataclass(frozen=True)
class Selection:
    """Rows that meet all that is given: of these sources, of this report, of intervals that ended by this time, of these prints."""

    source_ids: frozenset[str] | None = None
    report: str | None = None
    before: datetime | None = None
    prints: Prints | None = None
    # By table: rows of intervals that ended by this time; of tables about pages, of files ingested before.
    expired: Mapping[str, datetime] | None = None

    @property
    def is_of_sources(self) -> bool:
        """Whether all rows of the sources go."""
        return self.report is None and not self.is_of_some_rows

    @property
    def keeps_sources(self) -> bool:
        """Whether files of which nothing is left stay known: they are not read again when a folder is ingested every night."""
        return self.prints is not None or self.expired is not None

    def before_of(self, table: str) -> datetime | None:
        return self.before if self.expired is None else self.expired.get(table)

    @property
    def is_of_some_rows(self) -> bool:
        """Whether some rows of a report may go and others stay."""
        return self.before is not None or self.prints is not None or self.expired is not None

    def __str__(self) -> str:
        before = str(self.before or "").removesuffix(" 00:00:00")
        words = [f"report {self.report}" if self.report else "", f"before {before}" if before else ""]
        words.append("by the settings of the lake" if self.expired is not None else "")
        return ", ".join(filter(None, words))


@dataclass
class Removal:
    """What goes. `rows`: by source and table. `changed`: sources of which rows stay, as they are then. `keep`: of the parts with rows of
    these, the rows that stay, by row group."""

    selection: Selection
    whole: list[SourceEntry] = field(default_factory=list)
    changed: list[SourceEntry] = field(default_factory=list)
    # Sources that keep their rows, but of whose intervals no other source has other values any more.
    settled: list[SourceEntry] = field(default_factory=list)
    rows: dict[str, Counter[str]] = field(default_factory=dict)
    intervals: set[tuple[datetime | None, datetime | None]] = field(default_factory=set)
    keep: dict[str, list[np.ndarray]] = field(default_factory=dict)
    # Of a replacement: the prints that go, by their source and by the one that has the newer print.
    replaced: dict[tuple[str, str], set[Print]] = field(default_factory=dict)
    # How many rows of a print go: by their source, table and print.
    gone: Counter[tuple[str, str, Print]] = field(default_factory=Counter)
    # How many rejects go because of each newer source.
    gone_rejects: Counter[str] = field(default_factory=Counter)
    # Of which newer sources it is not sure what they replace, and why.
    doubts: dict[str, str] = field(default_factory=dict)
    # Which newer sources another process committed first.
    there: frozenset[str] = frozenset()

    @property
    def entries(self) -> list[SourceEntry]:
        """The sources as the next step has them."""
        return [*map(self._gone, self.whole), *self.changed, *self.settled]

    def _gone(self, entry: SourceEntry) -> SourceEntry:
        """A source without any row. One of which rows gave way stays known, unless it is removed by name."""
        if entry.removed == "replaced" and not self.selection.is_of_sources:
            return replace(entry, rows={}, rejects=0, suspect_pages=0, wrong_pages=0)
        return removed(entry)

    @property
    def source_ids(self) -> set[str]:
        return {e.source_id for e in (*self.whole, *self.changed)}

    def rows_by_report(self) -> dict[str, int]:
        """The rows that go, by report; those of no report's tables (rejects, empty cells, studies) as `other`."""
        found: Counter[str] = Counter()
        for rows in self.rows.values():
            for table, count in rows.items():
                found[report_of_tables().get(table, "other")] += count
        return dict(sorted(found.items()))

    def events(self, newer: dict[str, str] | None = None) -> list[Event]:
        """`newer`: the names of the sources that have the newer prints."""
        if newer is not None:
            return [self._gave_way(entry, newer) for entry in self.changed]
        why = str(self.selection)
        if self.selection.expired is not None:
            return [event_of("expired", e, why, self.rows[e.source_id].total()) for e in self.changed]
        gone = [event_of("removed", e, why, self.rows[e.source_id].total()) for e in self.whole]
        return gone + [event_of("removed_in_part", e, why, self.rows[e.source_id].total()) for e in self.changed]

    def replaced_by(self, newer: str) -> list[tuple[str, str, int]]:
        """What a source replaced: the id and the name of each source, and how many prints."""
        names = {e.source_id: e.source_file for e in self.changed}
        found = {old: len(prints) for (old, new), prints in self.replaced.items() if new == newer}
        return [(old, names[old], count) for old, count in sorted(found.items())]

    def _gave_way(self, entry: SourceEntry, newer: dict[str, str]) -> Event:
        why = "by newer prints in " + ", ".join(
            sorted(newer[new] for old, new in self.replaced if old == entry.source_id)
        )
        is_all = not any(table in report_of_tables() for table in entry.rows)
        gone = self.rows[entry.source_id].total()
        return event_of("replaced" if is_all else "replaced_in_part", entry, why, gone)


def _others_of(entry: SourceEntry) -> Iterator[str]:
    """The sources that had other values of intervals of an entry."""
    return (key.partition(" ")[0] for key in entry.other_values)


@cache
def report_of_tables() -> dict[str, str]:
    return {t.name: r.name for r in reports().values() for t in r.tables}


def planned(ledger: Ledger, selection: Selection) -> Removal:
    """What would go of a lake that may be one to read only. Raises as `plan`."""
    in_use = ledger.files.in_use()
    try:
        with translate_os_errors(ledger.root, "read"):
            return plan(PartStore(ledger.files), ledger.state(), selection)
    finally:
        in_use.close()


def plan(store: PartStore, state: State, selection: Selection, without: frozenset[str] = frozenset()) -> Removal:
    """What goes of a lake. `without`: sources that go as a whole, not because of the selection. Raises IronlakeError for a damaged part."""
    leave_pandas_alone()
    asked = {
        e.source_id: e
        for e in state.sources.values()
        if e.status != "failed"
        and (selection.source_ids is None or e.source_id in selection.source_ids)
        and (selection.is_of_sources or e.form != STUDY)
        and e.source_id not in without
    }
    try:
        return _Plan(store, state, selection, asked, without).made()
    except (OSError, pa.ArrowException) as error:
        if isinstance(error, OSError) and error.errno:
            raise
        raise IronlakeError(f"a part cannot be read: {' '.join(str(error).split())}", hint=REPAIR_HINT) from None


class _Plan:
    def __init__(
        self,
        store: PartStore,
        state: State,
        selection: Selection,
        asked: dict[str, SourceEntry],
        without: frozenset[str],
    ):
        self.store, self.state, self.selection, self.asked = store, state, selection, asked
        self.without = pa.array(sorted(without), pa.string())
        self.removal = Removal(selection)
        self.ids = pa.array(sorted(asked), pa.string())
        self.gone_pages: set[_Page] = set()
        # The known offsets of what a print may replace.
        self.offsets: dict[Print, set[int]] = {}
        # Of a replacement: the sources of which no row of a report stays, and the newer sources of the prints of a page.
        self.emptied: set[str] = set()
        self.newer: dict[_Page, set[str]] = {}
        # Sources that other values are known of, and what goes of their intervals: by source, report and start.
        self.doubled = {i for e in state.sources.values() if e.other_values for i in (e.source_id, *_others_of(e))}
        self.gone_intervals: set[str] = set()
        # By part: the rows that stay, and the sources of those that go.
        self.keep: dict[str, tuple[list[np.ndarray], set[str]]] = {}

    def made(self) -> Removal:
        removal, rows = self.removal, self.removal.rows
        of_reports = [p for p in self._parts(self.asked) if self._is_in_report(p)]
        for part in self._undamaged([p for p in of_reports if self._may_go(p)]):
            self._search(part)
        if self.selection.is_of_sources:
            changed = set()
            removal.whole = list(self.asked.values())
        elif self.selection.keeps_sources:
            changed = set(rows) | {i for i, e in self.asked.items() if any(self._expires(e, t) for t in _ABOUT_PAGES)}
            for source_id in changed:
                rows.setdefault(source_id, Counter())
        else:
            changed = {i for i in rows if rows[i].total() < self._rows_of_reports(self.asked[i])}
            removal.whole = [e for i, e in self.asked.items() if i in rows and i not in changed]
        if changed and self.selection.is_of_some_rows:
            self.gone_pages = {page for page in self.gone_pages if page[0] in changed}
            stay = self._undamaged([p for p in of_reports if not changed.isdisjoint(p.source_ids)])
            self.gone_pages -= {page for part in stay for page in self._pages_that_stay(part, changed)}
        if self.selection.prints:
            self.emptied = {i for i in changed if rows[i].total() == self._rows_of_reports(self.asked[i])}
        marked = {i: Counter[str]() for i in changed}
        for part in self._undamaged([p for p in self._parts(changed) if p.table in _ABOUT_PAGES]):
            self._search_about_pages(part, changed, marked)
        removal.keep = {path: keep for path, (keep, sources) in self.keep.items() if sources & changed}
        removal.changed = [self._rest(self.asked[i], marked[i]) for i in self.asked if i in changed]
        for entry in removal.whole:
            rows[entry.source_id] = Counter(entry.rows)
        self._settle()
        return removal

    def _settle(self) -> None:
        """Take the intervals that go off what sources say of other values."""
        removal = self.removal
        if not self.gone_intervals:
            return
        without = {e.source_id for e in removal.whole} | set(self.without.to_pylist())
        changed = {e.source_id: e for e in removal.changed}
        for e in self.state.sources.values():
            left = {
                key: n for key, n in e.other_values.items() if self.gone_intervals.isdisjoint((key, own_key(e, key)))
            }
            if left == e.other_values or e.source_id in without:
                continue
            if e.source_id in changed:
                changed[e.source_id] = replace(changed[e.source_id], other_values=left)
            else:
                removal.settled.append(replace(e, other_values=left))
        removal.changed = list(changed.values())

    def _parts(self, source_ids: Iterable[str]) -> list[Part]:
        wanted = set(source_ids)
        return [p for p in self.state.parts.values() if not wanted.isdisjoint(p.source_ids)]

    def _undamaged(self, parts: list[Part]) -> list[Part]:
        if damaged := find_damage(self.store.files.root, self.state, parts, quick=True):
            raise damage_error(self.store.files.root, self.state, damaged)
        return parts

    def _is_in_report(self, part: Part) -> bool:
        report = report_of_tables().get(part.table)
        return report is not None and self.selection.report in (None, report)

    def _expires(self, entry: SourceEntry, table: str) -> bool:
        """Whether what a table says about pages of a source goes."""
        before = (self.selection.expired or {}).get(table)
        return before is not None and table in entry.rows and entry.committed_at < before.isoformat()

    def _may_go(self, part: Part) -> bool:
        """Whether rows of a part may be selected, as far as the ledger knows."""
        before, prints = self.selection.before_of(part.table), self.selection.prints
        if self.selection.expired is not None and before is None:
            return False
        is_later = before is not None and part.first_time is not None and part.first_time >= before.isoformat()
        return not is_later and (prints is None or may_have(part, prints))

    def _rows_of_reports(self, entry: SourceEntry) -> int:
        return sum(n for table, n in entry.rows.items() if table in report_of_tables())

    def _search(self, part: Part) -> None:
        """Find the rows of a report's part that go, and count them."""
        report = report_of_tables()[part.table]
        times = next((pair for pair in _TIMES if set(pair) <= set(self.store.schema(part).names)), ())
        prints = self.selection.prints
        named = (
            columns_with_offset(part.table) if prints else [time_column(part.table)] if has_prints(part.table) else []
        )
        keep, sources = [], set[str]()
        for group in self.store.read(part, list(dict.fromkeys(["source_id", "page", *times, *named]))):
            group = plain(group)
            goes = np.asarray(pc.call_function("is_in", [group["source_id"]], pc.SetLookupOptions(self.ids)))
            if before := self.selection.before_of(part.table):
                goes = goes & _ended(group, times, before)
            if prints:
                goes = goes & self._is_of(prints, part.table, group, goes)
            keep.append(
                ~goes & ~np.asarray(pc.call_function("is_in", [group["source_id"]], pc.SetLookupOptions(self.without)))
            )
            gone = group.filter(pa.array(goes))
            for source_id, count in _counted(gone, "source_id"):
                sources.add(source_id)
                self.removal.rows.setdefault(source_id, Counter())[part.table] += count
            if not self.doubled.isdisjoint(group["source_id"].unique().to_pylist()) and has_prints(part.table):
                for source_id, start, _ in _counted(gone, "source_id", time_column(part.table)):
                    self.gone_intervals.add(interval_key(source_id, report, start))
            if times:
                self.removal.intervals.update((s, e) for s, e, _ in _counted(gone, *times) if s or e)
            if self.selection.is_of_some_rows:
                self.gone_pages.update((s, page, report) for s, page, _ in _counted(gone, "source_id", "page"))
        if sources:
            self.keep[part.path] = keep, sources

    def _is_of(self, prints: Prints, table: str, group: pa.Table, asked: np.ndarray) -> np.ndarray:
        """Whether rows are of prints; notes which, and which may be."""
        columns = ["source_id", "page", *columns_with_offset(table)]
        near = np.asarray(pc.call_function("is_in", [group[time_column(table)]], pc.SetLookupOptions(prints.starts())))
        goes = np.zeros(group.num_rows, dtype=bool)
        if not (near & asked).any():
            return goes
        frame = frame_of(group, columns)
        verdicts: dict[tuple[Any, ...], Print | None] = {}
        times = Counter[tuple[Any, ...]]()
        for number in np.flatnonzero(near & asked):
            row = frame.row(int(number))
            if row not in verdicts:
                verdicts[row] = self._verdict(prints, table, row[0], row[2:])
            times[row] += 1
            goes[number] = verdicts[row] is not None
        for row, known in verdicts.items():
            if known:
                source_id, page, *_ = row
                self.removal.gone[source_id, table, known] += times[row]
                self.newer.setdefault((source_id, page, known[0]), set()).update(prints.sources[known])
        return goes

    def _verdict(self, prints: Prints, table: str, source_id: str, values: tuple[Any, ...]) -> Print | None:
        """The print that a row gives way to."""
        found = prints.same(table, values)
        if found and source_id in prints.fresh:
            tell_once(self.removal.doubts, prints.sources[found], twice(found))
            return None
        if found:
            offsets = self.offsets.setdefault(found, set())
            offsets.update({print_of(table, values)[2][-1]} - {None})
            if len(offsets) > 1:
                what = f"the lake has {in_words(found)} of two hours, as the clock was set back: not sure which this is"
                why = format_error(what, hint="ingest it with --utc-offset")
                self.removal.doubts |= dict.fromkeys(prints.sources[found], why)
                return None
            for newer in prints.sources[found]:
                self.removal.replaced.setdefault((source_id, newer), set()).add(found)
            return found
        if doubtful := prints.doubtful(table, values):
            what = f"not sure whether {in_words(doubtful)} is a newer print of {in_words(print_of(table, values))}"
            name = self.asked[source_id].source_file
            why = format_error(f"{what} in {name}", "the same systems and names in both", DOUBT_HINT)
            self.removal.doubts |= dict.fromkeys(prints.sources[doubtful], why)
        return None

    def _pages_that_stay(self, part: Part, changed: set[str]) -> Iterator[_Page]:
        if changed.isdisjoint(part.source_ids):
            return
        keep, _ = self.keep.get(part.path, (None, None))
        for number, group in enumerate(self.store.read(part, ["source_id", "page"])):
            stays = plain(group) if keep is None else plain(group).filter(pa.array(keep[number]))
            for source_id, page, _ in _counted(stays, "source_id", "page"):
                yield source_id, page, report_of_tables()[part.table]

    def _search_about_pages(self, part: Part, changed: set[str], marked: dict[str, Counter[str]]) -> None:
        """Find the rows about pages that go with sources, and with pages of those that change; count the pages that stay marked."""
        column = _ABOUT_PAGES[part.table]
        whole = {e.source_id for e in self.removal.whole} | set(self.without.to_pylist())
        columns = [
            "source_id",
            "page",
            *filter(None, [column]),
            *(["severity"] if part.table == "quality_result" else []),
        ]
        keep, sources, pages = [], set[str](), {name: set[tuple[str, int]]() for name in ("error", "any")}
        for group in self.store.read(part, columns):
            of_group = plain(group)
            names = ("source_id", "page", column, "severity")
            rows = [of_group[n].to_pylist() if n in columns else [None] * group.num_rows for n in names]
            stays = np.ones(group.num_rows, dtype=bool)
            for number, (source_id, page, about, severity) in enumerate(zip(*rows, strict=True)):
                if source_id in whole:
                    stays[number] = False
                elif source_id in changed and (
                    source_id in self.emptied
                    or self._expires(self.asked[source_id], part.table)
                    or self._goes_with_its_page(source_id, page, about, column)
                ):
                    stays[number] = False
                    sources.add(source_id)
                    self.removal.rows[source_id][part.table] += 1
                    if part.table == "parse_reject" and self.selection.prints:
                        self.removal.gone_rejects.update(self._newer_of(source_id, page, about))
                elif source_id in changed and severity:
                    pages["any"].add((source_id, page))
                    pages["error"].update([(source_id, page)] if severity == "error" else [])
            keep.append(stays)
        for name, found in pages.items():
            for source_id, _ in found:
                marked[source_id][name] += 1
        if sources:
            self.keep[part.path] = keep, sources

    def _newer_of(self, source_id: str, page: int, report: str | None) -> set[str]:
        """The sources because of which a row about a page goes; of a page without rows of reports, all that replace something of its source."""
        every = {new for old, new in self.removal.replaced if old == source_id}
        return self.newer.get((source_id, page, report or ""), every)

    def _goes_with_its_page(self, source_id: str, page: int, about: str | None, column: str | None) -> bool:
        report = report_of_tables().get(about or "") if column == "table" else about
        if not self.selection.is_of_some_rows:
            return report == self.selection.report
        return (source_id, page, report) in self.gone_pages

    def _rest(self, entry: SourceEntry, marked: Counter[str]) -> SourceEntry:
        """The entry of a source without the rows that go."""
        gone = self.removal.rows[entry.source_id]
        rows = {table: n - gone[table] for table, n in entry.rows.items() if n > gone[table]}
        rejects = entry.rejects - gone["parse_reject"]
        judged = {"suspect_pages": marked["any"], "wrong_pages": marked["error"]} if gone["quality_result"] else {}
        how = (entry.removed or "expired") if self.selection.keeps_sources else "part"
        if self.selection.prints or entry.removed == "replaced":
            # Whatever else is removed of it: what gave way to newer prints is not to come back with its file.
            how = "replaced"
        return replace(entry, rows=rows, rejects=rejects, removed=how, **judged)


def _ended(group: pa.Table, times: tuple[str, ...], before: datetime) -> np.ndarray:
    """Whether rows are of intervals that ended by a time; of those without an end, whether they began before."""
    if not times:
        return np.zeros(group.num_rows, dtype=bool)
    # NaT is neither before nor after anything.
    start, end = (np.asarray(group[name].cast(pa.timestamp("us")), dtype="datetime64[us]") for name in times)
    moment = np.datetime64(before, "us")
    return np.where(np.isnat(end), start < moment, end <= moment)


def _counted(rows: pa.Table, *names: str) -> Iterator[tuple[Any, ...]]:
    """The different values of columns, each with the number of its rows."""
    found = rows.select(names).group_by(list(names)).aggregate([([], "count_all")])
    return zip(*(found[name].to_pylist() for name in (*names, "count_all")), strict=True)
