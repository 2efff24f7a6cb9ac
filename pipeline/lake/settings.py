"""The settings of a lake: a text file in it that people edit. So far, how long its rows are kept."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ..declaration.bookkeeping import stored_tables
from ..declaration.report import reports
from ..errors import UsageError
from ..storage.os_errors import translate_os_errors
from ..storage.storage import Storage
from .ledger import Ledger
from .parts import PartStore
from .state import State

FILE = "settings.txt"
_MOST_BYTES = 1 << 20
_LINE = re.compile(r"keep\s*:(.*)", re.IGNORECASE)
_ITEM = re.compile(r"(\w+)\s+(\d{1,6})\s+days?", re.IGNORECASE)
_EXAMPLE = "keep: cell_null 30 days, unread_section 90 days"
# Tables about pages, which have no interval: their age is that of the ingest.
ABOUT_PAGES = ("cell_null", "parse_reject", "quality_result", "unknown_report", "unread_section")
_ENDS = ("interval_end", "end_at", "collected_at")


@dataclass(frozen=True)
class Limit:
    """Rows of `tables` are kept that many `days`: those that ended `before` go. None as long as there are none."""

    name: str
    days: int
    tables: tuple[str, ...]
    before: datetime | None = None


def read_settings(files: Storage) -> list[Limit]:
    """What settings.txt says; nothing if it is not there. Raises UsageError for what it cannot say."""
    if not files.exists(FILE):
        return []
    place = files.root / FILE
    try:
        # Editors of Windows begin a text with a byte order mark.
        lines = files.read(FILE, _MOST_BYTES).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise UsageError(f"{place} is not in UTF-8", f"a text such as {_EXAMPLE}", "save it as UTF-8") from None
    except ValueError as error:
        raise UsageError(f"{place} is no text: {error}", _EXAMPLE) from None
    found: dict[str, Limit] = {}
    for number, line in enumerate(lines, 1):
        if not (said := line.partition("#")[0].strip()):
            continue
        if not (keep := _LINE.fullmatch(said)):
            raise UsageError(f"{place}:{number}: {said!r} is not a setting", _EXAMPLE)
        for item in filter(None, map(str.strip, keep[1].split(","))):
            limit = _limit(f"{place}:{number}", item)
            if limit.name in found:
                raise UsageError(f"{place}:{number}: {limit.name} is there twice", "each name once")
            found[limit.name] = limit
    return list(found.values())


def set_limits(ledger: Ledger, keep: Mapping[str, int | None]) -> None:
    """Write to settings.txt how many days the rows of each name are kept, None: always. All else in the file stays as it is.

    Raises UsageError for a name that cannot be kept for a time, for 0 days, and where the file has an error."""
    said = [f"{name} {'1' if days is None else days} days" for name, days in keep.items()]
    for item in said:
        _limit("--keep", item)
    with translate_os_errors(ledger.root), ledger.writing():
        before = read_settings(ledger.files)
        text = ledger.files.read(FILE, _MOST_BYTES).decode("utf-8-sig") if before or ledger.files.exists(FILE) else ""
        lines = [line for old in text.splitlines() if (line := _without(old, keep)) is not None]
        lines += [f"keep: {item}" for item, days in zip(said, keep.values(), strict=True) if days is not None]
        ledger.files.put(FILE, "".join(f"{line}\n" for line in lines).encode())


def _without(line: str, names: Collection[str]) -> str | None:
    """A line of the file without what it says of some names; None if that was all of it."""
    said, mark, comment = line.partition("#")
    if not (keep := _LINE.fullmatch(said.strip())):
        return line
    items = [item.strip() for item in keep[1].split(",")]
    left = [item for item in items if item.partition(" ")[0] not in names]
    if left == items:
        return line
    return f"keep: {', '.join(left)}  {mark}{comment}".rstrip() if left else mark + comment if mark else None


def _limit(place: str, item: str) -> Limit:
    if not (said := _ITEM.fullmatch(item)):
        raise UsageError(f"{place}: {item!r} is not a name and a number of days", _EXAMPLE)
    name, days = said[1], int(said[2])
    if not days:
        raise UsageError(f"{place}: {item!r} keeps nothing", "1 day or more")
    if name in reports():
        return Limit(name, days, tuple(t.name for t in reports()[name].tables))
    if name in ABOUT_PAGES:
        return Limit(name, days, (name,))
    known = [*reports(), *ABOUT_PAGES]
    near = difflib.get_close_matches(name, known, n=3)
    raise UsageError(
        f"{place}: {name} cannot be kept for a time",
        f"a report, or one of {', '.join(ABOUT_PAGES)}",
        f"near names: {', '.join(near)}" if near else "ironlake describe lists the reports",
    )


def measured(store: PartStore, state: State, limits: list[Limit]) -> list[Limit]:
    """The limits with the time before which rows go: whole days before the newest interval of the report, or before now if that is
    earlier, so that neither a wrong date nor a lake without new reports loses what it has."""
    now = datetime.now(UTC).replace(tzinfo=None)
    return [_measured(limit, _newest(store, state, limit), now) for limit in limits]


def _measured(limit: Limit, newest: datetime | None, now: datetime) -> Limit:
    if newest is None:
        return limit
    # Reports print local time, which may be ahead of UTC.
    day = min(newest, now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    before = day - timedelta(days=limit.days) if limit.days < (day - datetime.min).days else datetime.min
    return Limit(limit.name, limit.days, limit.tables, before)


def _newest(store: PartStore, state: State, limit: Limit) -> datetime | None:
    if limit.name in ABOUT_PAGES:
        times = [e.committed_at for e in state.sources.values() if e.rows.get(limit.name)]
        return max(map(datetime.fromisoformat, times), default=None)
    found: list[datetime] = []
    for part in (p for table in limit.tables for p in state.parts_of(table)):
        if part.last_time:
            found.append(datetime.fromisoformat(part.last_time))
        elif end := next((c for c in _ENDS if c in stored_tables()[part.table].schema.names), None):
            found += [t for group in store.read(part, [end]) for t in group[end].unique().to_pylist() if t]
    return max(found, default=None)


def limits_of(ledger: Ledger) -> list[Limit]:
    """The limits of a lake that may be one to read only."""
    in_use = ledger.files.in_use()
    try:
        with translate_os_errors(ledger.root, "read"):
            return measured(PartStore(ledger.files), ledger.state(), read_settings(ledger.files))
    finally:
        in_use.close()


def by_table(limits: list[Limit]) -> Mapping[str, datetime]:
    return {table: limit.before for limit in limits if limit.before for table in limit.tables}
