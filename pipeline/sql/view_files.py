"""The SQL views: one file each in a folder of pipeline/sql/views/, one SELECT behind a header comment that says what the rows are.

The folders: staging (what each interval and class counts once as), report (one row per printed thing), study (every row belongs to a
study), finding (rules and what they find).

The header reads `-- Grain: …`, free lines, then `-- Columns:` and lines `--   name, name [unit]: description` (declaration/columns.py) for
the columns that are the view's own. Any other is what the text above says (`name = …`, `name: …`), or means what it does in all views or in what the
view reads (view_schema.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import dropwhile, takewhile
from pathlib import Path

from ..declaration.columns import Meaning, read_columns
from ..errors import UsageError
from ..plugins import own_files

_SHARDS = re.compile(r"^Shards: by (\w+(?:\.\w+)?)( \(overlapping intervals only\))?\.$", re.MULTILINE)
_REPEATS = re.compile(r"^Repeated hours: by (\w+)\.$", re.MULTILINE)
_FOLDER = Path(__file__).parent / "views"
_MACROS = _FOLDER / "macros.sql"
# `name = …` anywhere, `name: …` where a sentence begins; each up to where its sentence ends, or the next begins.
_FORMULA = re.compile(
    r"(?:\b(?=\w+ =)|(?<![^.;:] )(?<!\S)(?=\w+:))([a-z]\w*)(?: =|:) (.+?)(?=[;.](?: |$)|,? (?:and )?[a-z]\w* = |$)"
)
_HEADER = re.compile(r"\A(?:--.*(?:\n|\Z))*")


# Of views that answer for each of two hours of one local time: their headers do not say it.
_OFFSET_IF_REPEATED = Meaning("min", "of an hour that the clock repeats: a row for each of the two; else NULL")


@dataclass(frozen=True)
class View:
    """A view: the text of its file, and the folder that it is in. A session needs few of them, so what the text says is read when asked.

    >>> view = View("v", "-- Grain: one row per class.\\n-- Columns:\\n--   cpu_s, io_s [s]: times\\nSELECT 1;")
    >>> view.grain, view.sql, view.columns["cpu_s"]
    ('one row per class', 'SELECT 1', Meaning(unit='s', doc='times', title=''))
    """

    name: str
    text: str
    folder: str = ""

    @cached_property
    def sql(self) -> str:
        """Its SELECT."""
        from .view_relations import relations_written_out

        return _written_out(relations_written_out(_HEADER.sub("", self.text).strip().removesuffix(";").rstrip()))

    @property
    def _header(self) -> list[str]:
        return [line[2:] for line in _HEADER.findall(self.text)[0].splitlines()]

    @cached_property
    def doc(self) -> str:
        """What the header says above `Columns:`."""
        return "\n".join(line.strip() for line in takewhile(lambda line: line != " Columns:", self._header))

    @property
    def grain(self) -> str:
        found = re.search(r"^Grain: (.*?)\.?$", self.doc, re.MULTILINE)
        return found[1] if found else ""

    @cached_property
    def shards_by(self) -> str | None:
        """The column, or field of one, by which it shards; None where it does not, or is of studies."""
        found = _SHARDS.search(self.doc)
        return found[1] if found else None

    @cached_property
    def repeats_by(self) -> str | None:
        """The time by which it answers for each of two hours that have one local time (repeated_hours.py); None where it does not."""
        found = _REPEATS.search(self.doc)
        return found[1] if found else None

    @cached_property
    def needs_overlaps_only(self) -> bool:
        """Whether a row rests on nothing but printed intervals that overlap its own; else on those of the days beside it, too."""
        found = _SHARDS.search(self.doc)
        return bool(found and found[2])

    @cached_property
    def columns(self) -> dict[str, Meaning]:
        """What the header says of columns, by name; of the others view_schema.py tells."""
        repeated = {"utc_offset_minutes": _OFFSET_IF_REPEATED} if self.repeats_by else {}
        return repeated | read_columns([*dropwhile(lambda line: line != " Columns:", self._header)][1:])

    @cached_property
    def formulas(self) -> dict[str, str]:
        """What the header says above `Columns:` that columns are.

        >>> View("v", "-- Formula: a_pct = b / c, d = b +\\n-- c; of all. e: the rest.\\nSELECT 1").formulas
        {'a_pct': 'b / c', 'd': 'b + c', 'e': 'the rest'}
        """
        return dict(_FORMULA.findall(self.doc.replace("\n", " ")))

    @property
    def is_of_studies(self) -> bool:
        """Whether every row belongs to a study: rows are few, and made from the data near the windows of studies alone."""
        return self.folder == "study"


@cache
def views() -> dict[str, View]:
    """All views by name, discovered by file name. Raises UsageError for one of the user that has a name which is taken."""
    from .known_tables import tables
    from .once_views import once_views

    files = {p.stem: p for p in _FOLDER.rglob("*.sql") if p != _MACROS}
    own = {p.stem: p for p in own_files("views", "**/*.sql")}
    found = {name: View(name, path.read_text("utf-8"), path.parent.name) for name, path in (own | files).items()}
    made = {name: View(name, text, "staging") for name, text in once_views().items()}
    for name in own.keys() & {*files, *made, *tables()}:
        raise UsageError(f"{own[name]}:1: a table or view is called {name} already", "another name")
    return dict(sorted((found | made).items()))


@cache
def macros(schema: str = "main") -> str:
    """The statements that create the macros of the views."""
    return in_schema(_MACROS.read_text("utf-8"), schema)


def in_schema(text: str, schema: str) -> str:
    """SQL that names the macros by the schema which they are in."""
    names = "|".join(re.findall(r"^CREATE MACRO (\w+)", _MACROS.read_text("utf-8"), re.MULTILINE))
    return re.sub(rf"(?<![\w.])(?=(?:{names})\s*\()", f"{schema}.", text)


# Macros of which the parameters are rows.
_ROW_MACRO = re.compile(
    r"^CREATE MACRO (\w+)\((t|wider, page|left_out, page, of_report)\) AS (.*?);$", re.MULTILINE | re.DOTALL
)


@cache
def _row_macros() -> dict[str, tuple[list[str], str]]:
    """Parameters and text of the macros over rows, by name."""
    found = _ROW_MACRO.findall(_MACROS.read_text("utf-8"))
    return {name: (parameters.split(", "), f"({' '.join(text.split())})") for name, parameters, text in found}


def _written_out(sql: str) -> str:
    """SQL with the macros over rows written out: given a row, DuckDB binds all its columns again for each that the macro names.

    >>> _written_out("SELECT * FROM a JOIN b ON is_scope_of(a, b)")[:66]
    'SELECT * FROM a JOIN b ON ((struct_pack( sysplex := a.sysplex, sco'
    """
    macros = _row_macros()

    def text_of(call: re.Match[str]) -> str:
        parameters, text = macros[call[1]]
        row_of = dict(zip(parameters, call[2].split(", "), strict=True))
        return _written_out(re.sub(rf"\b({'|'.join(parameters)})\b", lambda found: row_of[found[0]], text))

    return re.sub(rf"\b({'|'.join(macros)})\(('?\w+'?(?:, '?\w+'?)*)\)", text_of, sql)
