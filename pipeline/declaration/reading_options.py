"""Options of an ingest that change how pages are read; part of a source's key."""

from dataclasses import asdict, dataclass
from functools import cache
from typing import Literal

from ..plugins import reading_digest

# Part of every source's key: increase it when the same bytes give other rows; a new ingest then replaces the old rows.
READER_VERSION = "+".join(filter(None, ("4", reading_digest())))
# Of tables and views, see docs/upgrade.md: increase it, and the version of the reader, when a column goes or gets another name, unit or meaning.
SCHEMA_VERSION = 2


@dataclass(frozen=True)
class Options:
    """date_order: "mdy" or "dmy". encoding: "auto" or a codec name. scope: systems of sysplex-wide pages that name none,
    joined by commas. utc_offset_minutes: offset of the printed local times, or None."""

    date_order: Literal["mdy", "dmy"] = "mdy"
    encoding: str = "auto"
    scope: str | None = None
    utc_offset_minutes: int | None = None

    def as_key(self) -> str:
        """A stable text of everything that changes the rows read from given bytes."""
        return _key_of(self)


@cache
def _key_of(options: Options) -> str:
    """Asked for again and again for every file."""
    return "|".join(f"{k}={v}" for k, v in sorted(asdict(options).items())) + f"|reader={READER_VERSION}"
