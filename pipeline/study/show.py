"""Results of a study as text: cautions, figures with confidence intervals, findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..errors import UsageError
from ..output.lines import table_lines
from ..output.values import plain, shown
from ..sql.answer import Result
from ..sql.open_lake import OpenLake
from ..sql.session import Session
from ..sql.tables_inside import NearWindows
from ..terminal import json_text
from .study_file import BOTH_KINDS

_DIGITS = 5
_FINDINGS = "finding"

# By view or table of each part: its title, and its most important columns.
_PARTS = {
    "study_class": (
        "Classes charged",
        """
        SELECT study, subsystem, class_kind, class_name
        FROM study_class
        WHERE role = 'cpu'
        ORDER BY class_number, class_kind, class_name
        """,
    ),
    "comparison_warning": (
        "Cautions",
        """
        SELECT study, baseline, configuration, warning, baseline_value, value
        FROM comparison_warning
        ORDER BY baseline, configuration, warning
        """,
    ),
    "study_confidence": (
        "95% intervals over intervals or steps",
        """
        SELECT study, configuration, measure, subject, unit_kind, units, effective_units, value, stddev, lower, upper, verdict
        FROM study_confidence
        ORDER BY measure, subject, configuration
        """,
    ),
    "study_difference": (
        "Differences, with 95% intervals",
        """
        SELECT study, baseline, configuration, measure, subject, baseline_value, value, difference, difference_pct, lower, upper, p_value_adjusted, verdict
        FROM study_difference
        ORDER BY measure, subject, baseline, configuration
        """,
    ),
    "study_fit": (
        "Processor time against requests: cost per further request, and fixed part",
        """
        SELECT
            study, configuration, measure, subject, units, ms_per_request, ms_per_request_lower, ms_per_request_upper,
            fixed_pct, fixed_pct_lower, fixed_pct_upper, r_squared, verdict
        FROM study_fit
        ORDER BY measure, subject, configuration
        """,
    ),
    _FINDINGS: (
        "Findings, each with its worst value and where it was printed",
        """
        SELECT study, configuration, run, rule, subject, system, times, value, comparison, limit_value, unit, source_file, page, line
        FROM (
            SELECT *, count(*) OVER place AS times, row_number() OVER (place ORDER BY value DESC, interval_start, line) AS number
            FROM finding
            WINDOW place AS (PARTITION BY study, configuration, run, rule, subject, sysplex, system)
        )
        WHERE study IS NOT NULL AND number = 1
        ORDER BY rule, configuration, run, subject, system
        """,
    ),
}


def known_studies(lake: OpenLake, names: Sequence[str]) -> list[str]:
    """The named studies of the lake (default: all). Raises UsageError for an unknown name."""
    there = [name for (name,) in lake.sql("SELECT DISTINCT study FROM study_configuration ORDER BY study").fetchall()]
    if unknown := [name for name in names if name not in there]:
        hint = "ironlake study add FILE adds a study"
        raise UsageError(f"no study in the lake is called {unknown[0]!r}", ", ".join(there) or "a study", hint)
    return list(dict.fromkeys(names)) or there


def gather(lake: OpenLake, names: Sequence[str]) -> dict[str, dict[str, pa.Table]]:
    """Results of the named studies (default: all), by study and part. Raises UsageError for an unknown name."""
    wanted = known_studies(lake, names)
    found = (
        {part: lake.sql(query).arrow() for part, (_, query) in _PARTS.items() if part != _FINDINGS} if wanted else {}
    )
    if wanted:
        with _near_windows(lake) as ask:
            found[_FINDINGS] = ask(_PARTS[_FINDINGS][1]).arrow()
    return {name: {part: _of_study(table, name) for part, table in found.items()} for name in wanted}


@contextmanager
def _near_windows(lake: OpenLake) -> Iterator[Callable[[str], Result]]:
    """Answers questions about what was printed near the windows of the lake's studies: findings are of the whole lake, too, and those of years
    would be made only to be left out. A lake in memory is not cut: its views are made already."""
    if lake.is_in_memory:
        yield lake.sql
        return
    windows = lake.sql("SELECT window_start, window_end FROM study_step").fetchall()
    near = NearWindows(lake, windows)
    with closing(Session(near.rows_of, memory=near.memory, files=near.files())) as session:
        yield lambda text: Result(lake, *session.relation(text), text)


def _of_study(table: pa.Table, study: str) -> pa.Table:
    return table.filter(pc.field("study") == study).drop_columns("study")


def as_json(found: Mapping[str, Mapping[str, pa.Table]]) -> str:
    """A list of studies, with all digits."""
    studies = [{"study": name, **{p: plain(t.to_pylist()) for p, t in parts.items()}} for name, parts in found.items()]
    return json_text(studies, indent=2)


def as_text(found: Mapping[str, Mapping[str, pa.Table]]) -> str:
    """Tables under their titles, numbers rounded."""
    blocks: list[str] = []
    for study, parts in found.items():
        name = shown(study)
        kinds = set(parts["study_class"]["class_kind"].to_pylist())
        blocks.append("\n".join([name, "=" * len(name), *([BOTH_KINDS] if len(kinds) > 1 else [])]))
        for part, table in parts.items():
            rows = [{column: _rounded(value) for column, value in row.items()} for row in table.to_pylist()]
            lines = table_lines(pa.Table.from_pylist(rows, schema=table.schema).to_reader(), None) if rows else ["none"]
            blocks.append("\n".join([f"{_PARTS[part][0]} ({part})", *lines]))
    return "\n\n".join(blocks) or "no studies in the lake"


def _rounded(value: Any) -> Any:
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value
