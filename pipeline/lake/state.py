"""What the ledger says: the sources and the parts of a lake."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from functools import cache
from hashlib import sha256 as _sha256
from typing import Any, Literal

from ..declaration.reading_options import READER_VERSION

Status = Literal["ingested", "empty", "failed"]

# The names that PartStore makes, see parts.py.
_STEM = r"[0-9a-f]{16}-\d{6}|[0-9a-f]{32}-(?:\d{6}|rest|merged)"
_PART_NAME = re.compile(rf"(?:{_STEM})\.parquet")


def source_id_of(sha256: str, options_key: str) -> str:
    """The id of a source: 16 hex digits of a digest of its content and of all options that change how it is read."""
    return _sha256((sha256 + options_key).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class SourceEntry:
    """One source. `sha256` is that of its uncompressed bytes, `options_key` is Options.as_key(); `rows` counts its rows by
    table. `committed_at` (UTC, ISO) is set by the commit."""

    sha256: str
    options_key: str
    source_file: str
    status: Status = "ingested"
    bytes: int = 0
    encoding: str = ""
    form: str = ""
    pages: int = 0
    lines: int = 0
    blank_lines: int = 0
    claimed_lines: int = 0
    unread_lines: int | None = None
    rejected_lines: int = 0
    unknown_lines: int = 0
    rejects: int = 0
    suspect_pages: int = 0
    wrong_pages: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    reader_version: str = READER_VERSION
    committed_at: str = ""

    @property
    def source_id(self) -> str:
        return source_id_of(self.sha256, self.options_key)


@dataclass(frozen=True)
class Part:
    """One Parquet file. `path` is relative to the lake; `source_ids` are the sources of its rows; `sha256` is the digest of
    the file, `footer` that of its footer (schema and offsets); both are empty if an older Ironlake wrote it. `first_time` is the
    earliest start of an interval, `last_time` the latest end (ISO); None without intervals or in older parts."""

    table: str
    path: str
    rows: int
    bytes: int
    source_ids: tuple[str, ...]
    sha256: str = ""
    footer: str = ""
    first_time: str | None = None
    last_time: str | None = None


@dataclass
class State:
    """The content of the ledger after `step`: sources by sha256, parts by path, in commit order. `digest` is that of the step."""

    step: int = 0
    sources: dict[str, SourceEntry] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)
    digest: str = ""

    def apply(self, step: dict[str, Any]) -> None:
        """Raises KeyError, TypeError or ValueError for a step that does not fit."""
        for path in step["drop_parts"]:
            del self.parts[path]
        for record in step["add_parts"]:
            self.parts[record["path"]] = part_of(record)
        for record in step["add_sources"]:
            self.sources[record["sha256"]] = entry_of(record)
        self.step, self.digest = step["step"], step.get("digest", "")

    def parts_of(self, table: str) -> list[Part]:
        return [p for p in self.parts.values() if p.table == table]


_ENTRY_FIELDS = {f.name for f in fields(SourceEntry)}
_PART_FIELDS = {f.name for f in fields(Part)}


def entry_of(record: dict[str, Any]) -> SourceEntry:
    return SourceEntry(**{k: v for k, v in record.items() if k in _ENTRY_FIELDS})


def part_of(record: dict[str, Any]) -> Part:
    """Raises ValueError or TypeError for a part of another table or name than Ironlake makes: it could be anywhere."""
    known: dict[str, Any] = {k: v for k, v in record.items() if k in _PART_FIELDS}
    known["source_ids"] = tuple(record["source_ids"])
    part = Part(**known)
    require_part_path(part.table, part.path)
    return part


def require_part_path(table: str, path: str) -> None:
    if table not in part_tables():
        raise ValueError(f"names a table that is not declared: {table!r}")
    if not path.startswith(f"{table}/") or not is_part_name(path[len(table) + 1 :]):
        raise ValueError(f"names a part that Ironlake does not make: {path!r}")


def is_part_name(name: str) -> bool:
    return _PART_NAME.fullmatch(name) is not None


@cache
def part_tables() -> frozenset[str]:
    """The tables that have parts: those that reading fills, and those of studies."""
    from ..declaration.bookkeeping import stored_tables
    from ..declaration.study_tables import TABLES

    return frozenset(stored_tables()) | {t.name for t in TABLES}


def failed(entry: SourceEntry) -> SourceEntry:
    """The entry of a source whose rows were removed from the lake."""
    keep = ("sha256", "options_key", "source_file", "bytes", "encoding", "form", "reader_version")
    return SourceEntry(**{name: getattr(entry, name) for name in keep}, status="failed")
