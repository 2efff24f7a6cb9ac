"""What the ledger says: the sources and the parts of a lake."""

from __future__ import annotations

import re
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from functools import cache
from hashlib import sha256 as _sha256
from typing import Any, Literal, TypeVar, cast, get_args

from ..declaration.bookkeeping import stored_tables
from ..declaration.reading_options import READER_VERSION
from ..errors import IronlakeError
from .kept_rows import Kept

Status = Literal["ingested", "empty", "failed"]

# The names that PartStore makes, see parts.py.
_STEM = r"[0-9a-f]{16}-\d{6,}|[0-9a-f]{32}-(?:\d{6,}|rest|merged)"
_HALF = re.compile("[\ud800-\udfff]")
_PART_NAME = re.compile(rf"(?:{_STEM})\.parquet")


_Made = TypeVar("_Made", "SourceEntry", "Part")


def source_id_of(sha256: str, options_key: str) -> str:
    """The id of a source: 16 hex digits of a digest of its content and of all options that change how it is read."""
    return _sha256((sha256 + options_key).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class SourceEntry:
    """One source. `sha256` is that of its uncompressed bytes, `options_key` is Options.as_key(); `rows` counts its rows by
    table. `committed_at` (UTC, ISO) is set by the commit. `removed` says how much of it `ironlake remove` took out: nothing, "part" or
    "all"; "replaced" if rows of it gave way to newer prints, "expired" if the lake kept them long enough. One that is removed whole is also
    `failed`: it is read again when its file is met. `other_values`: which intervals other sources had with
    other values when it came, as long as both keep them: how many by "source_id report start"."""

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
    removed: str = ""
    other_values: dict[str, int] = field(default_factory=dict)

    @property
    def source_id(self) -> str:
        return source_id_of(self.sha256, self.options_key)

    @property
    def is_known(self) -> bool:
        """Whether its file need not be read again."""
        return self.status != "failed" and self.removed in ("", "replaced", "expired")


@dataclass(frozen=True)
class Part:
    """One Parquet file. `path` is relative to the lake; `source_ids` are the sources of its rows; `sha256` is the digest of
    the file, `footer` that of its footer (schema and offsets). `first_time` is the earliest start of an interval, `last_time` the latest
    end (ISO), of rows with one of both this one; `last_start` and `first_end` are the latest start and the earliest end; all None
    without intervals."""

    table: str
    path: str
    rows: int
    bytes: int
    source_ids: tuple[str, ...]
    sha256: str = ""
    footer: str = ""
    first_time: str | None = None
    last_time: str | None = None
    last_start: str | None = None
    first_end: str | None = None

    def __getattr__(self, name: str) -> Any:
        # Of a part in a checkpoint its sources are read when they are first needed: they may be thousands.
        if name == "source_ids" and "_packed" in self.__dict__:
            sets, value = self.__dict__["_packed"]
            self.__dict__[name] = sets.of(value)
            return self.__dict__[name]
        raise AttributeError(name)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _PART_FIELDS}

    def __hash__(self) -> int:
        return hash((self.path, self.sha256))


def _kept(each: MutableMapping[str, _Made]) -> Kept[_Made]:
    return each if isinstance(each, Kept) else Kept({**each})


@dataclass
class State:
    """The content of the ledger after `step`: sources by sha256, parts by path, in commit order. `digest` is that of the step."""

    step: int = 0
    sources: MutableMapping[str, SourceEntry] = field(default_factory=lambda: Kept[SourceEntry]())
    parts: MutableMapping[str, Part] = field(default_factory=lambda: Kept[Part]())
    digest: str = ""

    def __post_init__(self) -> None:
        self.sources, self.parts = _kept(self.sources), _kept(self.parts)

    def apply(self, step: dict[str, Any]) -> None:
        """Raises KeyError, TypeError or ValueError for a step that does not fit."""
        for path in step["drop_parts"]:
            del self.parts[path]
        self.parts.update((part.path, part) for part in map(part_of, step["add_parts"]))
        all(is_time(record["committed_at"]) for record in step["add_sources"])
        self.sources.update((entry.sha256, entry) for entry in map(entry_of, step["add_sources"]))
        self.step, self.digest = step["step"], step["digest"]

    def parts_of(self, table: str) -> list[Part]:
        return cast(Kept[Part], self.parts).where("table", table)

    def read_otherwise(self, reader_version: str) -> list[SourceEntry]:
        """The sources that another version of the reader read."""
        return cast(Kept[SourceEntry], self.sources).where("reader_version", reader_version, is_equal=False)


_ENTRY_FIELDS = {f.name: str(f.type) for f in fields(SourceEntry)}
_SELDOM = ("removed", "other_values")
_PART_FIELDS = {f.name: str(f.type) for f in fields(Part)}


def record_of(made: SourceEntry | Part) -> dict[str, Any]:
    """What is kept of an entry or a part, as `entry_of` and `part_of` read it. What has nothing removed and no other values does not say so."""
    kept = {name: getattr(made, name) for name in (_PART_FIELDS if isinstance(made, Part) else _ENTRY_FIELDS)}
    return {name: value for name, value in kept.items() if value or name not in _SELDOM}


def entry_of(record: dict[str, Any]) -> SourceEntry:
    """Raises TypeError or ValueError for values of other kinds than an entry has."""
    return _of_its_types(SourceEntry(**{k: v for k, v in record.items() if k in _ENTRY_FIELDS}), _ENTRY_FIELDS)


def part_of(record: dict[str, Any]) -> Part:
    """Raises as `entry_of`, and for a part of another name than Ironlake makes: it could be anywhere."""
    known: dict[str, Any] = {k: v for k, v in record.items() if k in _PART_FIELDS}
    known["source_ids"] = tuple(record["source_ids"])
    part = _of_its_types(Part(**known), _PART_FIELDS)
    require_part_path(part.table, part.path)
    return part


def _of_its_types(made: _Made, types: dict[str, str]) -> _Made:
    for name, kind in types.items():
        if not _IS_OF_TYPE[kind](value := getattr(made, name)):
            raise ValueError(f"has {value!r} as {name}")
    return made


def _is_text(value: object) -> bool:
    # JSON has escapes for halves of characters, which are no text elsewhere.
    return isinstance(value, str) and (value.isascii() or not _HALF.search(value))


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63


_IS_OF_TYPE: dict[str, Callable[[Any], bool]] = {
    "str": _is_text,
    "Status": lambda value: value in get_args(Status),
    "int": _is_count,
    "int | None": lambda value: value is None or _is_count(value),
    "str | None": lambda value: value is None or is_time(value),
    "tuple[str, ...]": lambda value: all(map(_is_text, value)),
    "dict[str, int]": lambda value: all(map(_is_text, value)) and all(map(_is_count, value.values())),
}


def is_time(value: str) -> bool:
    """Whether a text is a time; raises ValueError or TypeError if not."""
    return bool(datetime.fromisoformat(value))


def require_part_path(table: str, path: str) -> None:
    """Raise ValueError for a path that Ironlake does not make, IronlakeError for a table that is not declared: with a newer Ironlake it
    may be, so it is not repaired."""
    # Those of studies are seldom needed and take a while to load.
    if table not in stored_tables() and table not in part_tables():
        what = f"the ledger is damaged: it names a table that is not declared: {table!r}"
        hint = "if a newer Ironlake or one with other reports wrote the lake, use that one; reports of your own: --plugins DIR"
        raise IronlakeError(what, hint=hint)
    if not path.startswith(f"{table}/") or not is_part_name(path[len(table) + 1 :]):
        raise ValueError(f"names a part that Ironlake does not make: {path!r}")


def is_part_name(name: str) -> bool:
    return _PART_NAME.fullmatch(name) is not None


@cache
def part_tables() -> frozenset[str]:
    """The tables that have parts: those that reading fills, and those of studies."""
    from ..declaration.study_tables import TABLES

    return frozenset(stored_tables()) | {t.name for t in TABLES}


def failed(entry: SourceEntry) -> SourceEntry:
    """The entry of a source whose rows were removed from the lake."""
    keep = ("sha256", "options_key", "source_file", "bytes", "encoding", "form", "reader_version")
    return SourceEntry(**{name: getattr(entry, name) for name in keep}, status="failed")


def removed(entry: SourceEntry) -> SourceEntry:
    """The entry of a source that was removed on request: it is no more in the lake, and nothing has to be done about it."""
    return replace(failed(entry), removed="all")
