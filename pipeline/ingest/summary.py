"""The report of an ingest for people: the result of each file, and the first rejects."""

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from ..errors import format_error
from ..lake.other_values import OtherValues
from ..quality.reject_text import counted
from ..terminal import printable

Status = Literal["ingested", "already_ingested", "empty", "skipped", "failed"]

# Exit codes of --fail-on-empty and --fail-on-reject.
EMPTY, REJECTED = 3, 4

REJECTS_SHOWN = 3
_BANNERS_SHOWN = 5
_SECTIONS_SHOWN = 5
_FILES_SHOWN = 5
_BOOKKEEPING = ("parse_reject", "cell_null", "unknown_report", "unread_section", "quality_result")


@dataclass(frozen=True)
class Replaced:
    """How many prints of another file a file replaced: a print is a report, an interval, a system and a kind of rows."""

    source_id: str
    path: str
    prints: int


@dataclass(frozen=True)
class FileResult:
    """The result of one file. unread_lines: None if unknown (an older Ironlake read the file). other_values: what the lake has of its
    intervals with other values; replaced: what gave way to it; undated: no date in it can be read.

    Only for the text form: note (how the file was read), unread (lines that are recognised but not read, by section) and
    first_rejects (as printed)."""

    path: str
    source_id: str | None
    status: Status
    pages: int = 0
    lines: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    rejects: int = 0
    suspect_pages: int = 0
    wrong_pages: int = 0
    unread_lines: int | None = 0
    error: str | None = None
    note: str = ""
    unread: dict[str, int] = field(default_factory=dict)
    first_rejects: tuple[str, ...] = ()
    other_values: OtherValues | None = None
    replaced: tuple[Replaced, ...] = ()
    undated: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The file as `ironlake ingest --format json` prints it."""
        names = (
            "path",
            "source_id",
            "status",
            "pages",
            "lines",
            "rows",
            "unread_lines",
            "rejects",
            "suspect_pages",
            "error",
        )
        intervals = len(self.other_values.intervals) if self.other_values else 0
        told = {"intervals_with_other_values": intervals, "replaced": [asdict(each) for each in self.replaced]}
        return {name: getattr(self, name) for name in names} | told

    @property
    def reason(self) -> str:
        """Why it was not read, without its name."""
        return (self.error or "").partition("\n")[0].removeprefix(f"{self.path}: ")

    def as_text(self) -> list[str]:
        """One line, followed by the note and the error."""
        rows = sum(n for name, n in self.rows.items() if name not in _BOOKKEEPING)
        suspect = f", {counted(self.suspect_pages, 'suspect page')}" if self.suspect_pages else ""
        unread = f", {counted(self.unread_lines, 'line')} not read" if self.unread_lines else ""
        other = len(self.other_values.intervals) if self.other_values else 0
        there = f", {counted(other, 'interval')} in the lake with other values" if other else ""
        told = f"{counted(self.rejects, 'reject')}{unread}{suspect}{there}"
        facts = f" ({counted(self.pages, 'page')}, {counted(rows, 'row')}, {told})"
        head = f"{self.path}: {self.status.replace('_', ' ')}" + (facts if self.lines else "")
        error = (self.error or "").removeprefix(f"{self.path}: ").splitlines()
        notes = [*self.note.splitlines(), *self._about_others()]
        return [head, *(f"  note: {line}" for line in notes), *(f"  {line}" for line in error)]

    def _about_others(self) -> list[str]:
        """What it replaced of other files, or which of them have other values."""
        notes = [f"replaced {counted(each.prints, 'print')} of {each.path}" for each in self.replaced[:_FILES_SHOWN]]
        if (more := len(self.replaced) - _FILES_SHOWN) > 0:
            notes.append(f"and of {counted(more, 'other file')}")
        if self.other_values:
            files = sorted(self.other_values.files)
            some = files[:_FILES_SHOWN] + ([f"{len(files) - _FILES_SHOWN} more"] if len(files) > _FILES_SHOWN else [])
            what = f"other values of the same intervals are in {', '.join(some)}"
            notes.append(f"{what}; all are kept: ironlake remove takes out the wrong one")
        return notes


@dataclass(repr=False)
class IngestReport:
    """Results of all files of an ingest into `lake`, in the order of completion; and the rows, by report, that are older than its settings
    keep."""

    lake: Path
    files: list[FileResult] = field(default_factory=list)
    expired: dict[str, int] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {"files": [f.as_dict() for f in self.files], "expired": self.expired}

    def not_read(self) -> tuple[dict[str, tuple[str, str]], set[str]]:
        """Files of which the ledger knows nothing, by path with status and reason; and the paths of those that it knows."""
        met = {f.path: (f.status, f.reason) for f in self.files if f.status == "failed" or not f.source_id}
        return met, {f.path for f in self.files} - met.keys()

    @property
    def failed(self) -> list[FileResult]:
        return [f for f in self.files if f.status == "failed"]

    def exit_code(self, strict: bool, fail_on_reject: bool = False, fail_on_empty: bool = False) -> int:
        """1 if a file failed or has no date that can be read, or with `strict` if any line was rejected or a rule of severity error is broken; else 4 with
        `fail_on_reject` if a line of a file that this ingest read was rejected; else 3 with `fail_on_empty` if it read no file; else 0."""
        read = [f for f in self.files if f.status == "ingested"]
        if (
            self.failed
            or any(f.undated for f in read)
            or (strict and any(f.rejects or f.wrong_pages for f in self.files))
        ):
            return 1
        if fail_on_reject and any(f.rejects for f in read):
            return REJECTED
        return EMPTY if fail_on_empty and not read else 0

    def as_text(self) -> str:
        """One line per file with its note and error (one for many files of a kind that were passed over), the totals, the first rejects and how to see all."""
        kinds = Counter(f.reason for f in self.files if f.status == "skipped")
        summed = {reason for reason, count in kinds.items() if count > _FILES_SHOWN}
        shown = [f for f in self.files if f.status != "skipped" or f.reason not in summed]
        out = [line for f in shown for line in f.as_text()]
        out += [f"{kinds[reason]:,} files: skipped ({reason})" for reason in kinds if reason in summed]
        if len(self.files) > 1:
            by_status = {name: sum(f.status == name for f in self.files) for name in get_args(Status)}
            parts = [f"{n} {name.replace('_', ' ')}" for name, n in by_status.items() if n]
            others = [f.other_values.intervals for f in self.files if f.other_values]
            there = len(set().union(*others))
            told = f"; {counted(there, 'interval')} in the lake with other values" if there else ""
            out.append(f"{len(self.files)} files: {', '.join(parts)}{told}")
        if self.expired:
            rows = ", ".join(f"{name} {count:,}" for name, count in self.expired.items())
            out.append(f"removed rows that are older than the settings keep: {rows}; {self._see('settings')}")
        rejects = sum(f.rejects for f in self.files)
        if rejects:
            shown = [text for f in self.files for text in f.first_rejects][:REJECTS_SHOWN]
            out.extend(f"\n{text}" for text in shown)
            out.append(f"\n{counted(rejects, 'reject')}: {self._see('rejects')}")
        unread: Counter[str] = Counter()
        for f in self.files:
            unread.update(f.unread)
        if unread:
            some = [f"{name} ({counted(many, 'line')})" for name, many in unread.most_common(_SECTIONS_SHOWN)]
            more = [f"{len(unread) - len(some)} more"] if len(unread) > len(some) else []
            what = f"recognised but not read: {', '.join([*some, *more])}"
            out.append(f"\n{counted(unread.total(), 'line')} {what}; {self._see('rejects')}")
        suspect = sum(f.suspect_pages for f in self.files)
        if suspect:
            what = "values on them are inconsistent"
            seen = self._see('sql "FROM quality_result"')
            out.append(f"\n{counted(suspect, 'suspect page')}: {what}; {seen}")
        return "\n".join(out)

    # What a notebook shows.
    __repr__ = as_text

    def _see(self, command: str) -> str:
        return f"see ironlake {command} --lake {shlex.quote(str(self.lake))}"


def no_report(name: str, banners: list[str]) -> str:
    if banners and all(banner.startswith("message ") for banner in banners):
        what = f"{name}: has {counted(len(banners), 'message')} and no report: {format_banners(banners)}"
        return format_error(what, "pages of a known report", "the message says why RMF wrote none")
    seen = f" (pages begin with {format_banners(banners)})" if banners else ""
    hint = "ironlake describe lists the known reports"
    return format_error(f"{name}: contains no known report{seen}", "pages of a known report", hint)


def format_banners(banners: list[str]) -> str:
    different = list(dict.fromkeys(banners))
    shown = [printable(banner) for banner in different[:_BANNERS_SHOWN]]
    more = len(different) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
