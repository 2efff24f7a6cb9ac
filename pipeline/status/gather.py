"""What `ironlake status` says: facts of the ledger, days and gaps, and what needs attention with the command for it."""

from __future__ import annotations

import datetime as dt
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..declaration.reading_options import READER_VERSION
from ..declaration.report import reports
from ..lake.damage import find_damage
from ..lake.ledger import require_lake
from ..lake.not_read import NotRead, not_read
from ..lake.part_files import unneeded_bytes
from ..lake.parts import PartStore
from ..lake.state import Part, State
from ..storage.storage import Storage
from ..terminal import printable
from .calendar import Calendar, Day, Gaps
from .conflicts import find_conflict
from .coverage import Intervals, Place, read_intervals
from .files import Files

_MOST_GAPS = 10
_MOST_FILES = 5


@dataclass(frozen=True)
class Attention:
    """Something to look at, and the command that shows or mends it."""

    what: str
    command: str


@dataclass(frozen=True)
class Disk:
    """Bytes of the parts that the ledger names, of parts that no longer count, and of the ledger itself."""

    parts: int
    superseded: int
    ledger: int


@dataclass(frozen=True)
class Status:
    lake: Path
    state: State
    damaged: dict[Part, str]
    calendar: Calendar
    disk: Disk
    days_shown: int
    not_read: list[NotRead]

    @cached_property
    def files(self) -> Files:
        return Files(self.state)

    @property
    def rows(self) -> int:
        return sum(part.rows for part in self.state.parts.values())

    @cached_property
    def days(self) -> list[Day]:
        return self.calendar.newest(self.days_shown)

    @cached_property
    def spans(self) -> dict[Place, tuple[dt.date, dt.date]]:
        return self.calendar.spans()

    @cached_property
    def gaps(self) -> Gaps:
        return self.calendar.gaps(_MOST_GAPS)

    @cached_property
    def attention(self) -> list[Attention]:
        of_reports = {table.name for report in reports().values() for table in report.tables}
        found = [
            self._told(len(self.damaged), "damaged part", "check --repair"),
            self._lost(),
            *self._not_read(),
            self._other_values(),
            self._repeated_hours(),
            self._told(self.files.total("rejects"), "reject", "rejects"),
            self._told(
                self.files.total("wrong_pages"),
                "page with impossible values",
                "sql \"FROM quality_result WHERE severity = 'error'\"",
                "pages with impossible values",
            ),
            self._told(
                self.files.total("suspect_pages"), "suspect page", 'sql "FROM quality_result ORDER BY severity"'
            ),
            self._told(
                self.files.without_report,
                "file without a known report",
                "sql \"SELECT source_file FROM ingest_file WHERE status = 'empty'\"",
                "files without a known report",
            ),
            self._told(
                self.files.without_rows_of(of_reports),
                "file of which no row was read: it may be cut off",
                "sql \"SELECT source_file FROM ingest_file WHERE status = 'ingested' AND len(rows) = 0\"",
                "files of which no row was read: they may be cut off",
            ),
            self._told(
                self.files.of_older_reader,
                "file ingested by an older Ironlake or with other plugins: ingest it again",
                f"sql \"SELECT source_file FROM ingest_file WHERE reader_version <> '{READER_VERSION}'\"",
                "files ingested by an older Ironlake or with other plugins: ingest them again",
            ),
            self._told(
                self.gaps.days_missing,
                "missing day of a report",
                "sql \"FROM report_coverage ORDER BY day DESC\"",
                "missing days of reports",
            ),
            self._told(
                self.gaps.within_days,
                "gap within a day",
                'sql "FROM report_coverage WHERE gaps > 0 ORDER BY day DESC"',
                "gaps within a day",
            ),
        ]  # fmt: skip
        return [one for one in found if one]

    def _told(self, number: int, one: str, command: str, many: str = "") -> Attention | None:
        if not number:
            return None
        what = f"{number:,} {one if number == 1 else many or one + 's'}"
        return Attention(what, f"ironlake {command} --lake {shlex.quote(str(self.lake))}")

    def _lost(self) -> Attention | None:
        if not (lost := self.files.lost):
            return None
        names = " ".join(shlex.quote(name) for name in lost[:_MOST_FILES])
        more = f" (and {len(lost) - _MOST_FILES:,} more)" if len(lost) > _MOST_FILES else ""
        what = f"{len(lost):,} file{'s'[: len(lost) > 1]} whose rows were lost{more}"
        return Attention(what, f"ironlake ingest {names} --lake {shlex.quote(str(self.lake))}")

    def _not_read(self) -> Iterator[Attention]:
        """Files that failed or were empty, by reason; and how many were passed over, of each kind."""
        by_reason: dict[tuple[str, str], list[NotRead]] = {}
        for each in sorted(self.not_read, key=lambda one: one.status == "skipped"):
            by_reason.setdefault((each.status, each.reason), []).append(each)
        lake = f"--lake {shlex.quote(str(self.lake))}"
        for (status, reason), those in by_reason.items():
            # An archive is read again as a whole.
            files = dict.fromkeys(each.path.partition("!")[0] for each in those)
            names = [shlex.quote(name) for name in [*files][:_MOST_FILES]]
            count = f"{len(those):,} file{'s'[: len(those) > 1]}"
            dismiss = f"ironlake status --dismiss {names[0] if len(those) == 1 else status} {lake}"
            if status == "skipped":
                kind = printable(reason.removeprefix("is ").removesuffix(": passed over"))
                yield Attention(f"{count} passed over: {kind}", dismiss)
            else:
                more = f" (and {len(files) - len(names):,} more)" if len(files) > len(names) else ""
                what = f"{count} {'failed' if status == 'failed' else 'empty'}{more}: {printable(reason)}"
                yield Attention(f"{what} (to forget: {dismiss})", f"ironlake ingest {' '.join(names)} {lake}")

    def _other_values(self) -> Attention | None:
        """Intervals that two files have with other values, as far as both still have them."""
        conflict = find_conflict(self.files.in_conflict())
        if not conflict:
            return None
        command = f"ironlake remove {shlex.quote(conflict.older)} --dry-run --lake {shlex.quote(str(self.lake))}"
        clock = ", or, if the clock was set back, ingest both anew with --utc-offset" if conflict.is_of_one_hour else ""
        return Attention(f"{conflict.sentence}: remove the wrong file{clock}", command)

    def _repeated_hours(self) -> Attention | None:
        hours = list(self.calendar.set_back)
        if not hours:
            return None
        one = len(hours) == 1
        what = f"{len(hours):,} {'hour' if one else 'hours'} printed twice, as where the clock is set back ({hours[-1]:%Y-%m-%d %H:%M}): unknown by hour"
        return Attention(
            f"{what}; ingest the pages before and after the change as files of their own, each with its offset",
            f"ironlake ingest FILE --utc-offset MINUTES --lake {shlex.quote(str(self.lake))}",
        )

    @property
    def exit_code(self) -> int:
        return int(bool(self.damaged))

    def as_dict(self) -> dict[str, Any]:
        """The status as `--format json` prints it."""
        last = self.files.last_ingest
        return {
            "lake": str(self.lake),
            "files": len(self.files),
            "rows": self.rows,
            "parts": len(self.state.parts),
            "bytes": {"parts": self.disk.parts, "superseded": self.disk.superseded, "ledger": self.disk.ledger},
            "last_ingest": {"at": last[0].isoformat(timespec="seconds") + "Z", "files": last[1]} if last else None,
            "rejects": self.files.total("rejects"),
            "suspect_pages": self.files.total("suspect_pages"),
            "wrong_pages": self.files.total("wrong_pages"),
            "suspect_files": [
                {"file": e.source_file, "rejects": e.rejects, "suspect_pages": e.suspect_pages}
                for e in self.files.suspects(max(_MOST_FILES, self.days_shown))
            ],
            "days_in_lake": len(self.calendar.days),
            "days": [
                {"day": row.day.isoformat()}
                | {name: getattr(row.place, name) for name in ("report", "sysplex", "system")}
                | {"report_kind": row.place.kind, "intervals": row.intervals, "gaps": row.gaps, "gap_s": row.gap_s}
                for row in self.days
            ],
            "gap_count": self.gaps.count,
            "gaps": [
                {name: getattr(gap, name) for name in ("report", "sysplex", "system")}
                | {"start": gap.start.isoformat(), "end": gap.end.isoformat(), "days": gap.days}
                for gap in self.gaps.newest
            ],
            "scopes": [one._asdict() for one in self.calendar.scopes],
            "not_read": [
                {name: getattr(each, name) for name in ("path", "status", "reason", "at")} for each in self.not_read
            ],
            "attention": [{"what": one.what, "command": one.command} for one in self.attention],
        }


def gather(lake: Path, days: int) -> Status:
    """The status of a lake, with its newest `days` days. Raises UsageError where there is no lake, IronlakeError for one whose ledger
    is damaged."""
    ledger = require_lake(lake)
    in_use = ledger.files.in_use()
    try:
        state = ledger.state()
        store = PartStore(ledger.files)
        damaged = find_damage(lake, state, quick=True)
        # What is damaged is told; days and gaps of half a lake would only mislead.
        intervals = Intervals.none() if damaged else read_intervals(store, state)
        superseded = unneeded_bytes(ledger.files, state.parts)
        disk = Disk(sum(part.bytes for part in state.parts.values()), superseded, _size(ledger.files, "_ledger"))
        return Status(lake, state, damaged, Calendar(intervals), disk, days, not_read(ledger.files))
    finally:
        in_use.close()


def _size(files: Storage, folder: str) -> int:
    """Bytes of the files below a folder."""
    return sum(found.size for found in files.below(folder).values())
