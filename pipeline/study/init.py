"""A draft study file from the contents of a lake: windows, classes, and alternatives.

The file begins with the coverage of the lake as a comment. A window is a stretch of workload pages without a gap, cut at midnight. The
choices are only proposals.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ..declaration.study_tables import UNALLOCATED
from ..errors import IronlakeError
from ..output.lines import table_lines
from ..output.values import shown
from ..sql.ask import literal
from ..sql.known_tables import table_of
from ..sql.open_lake import OpenLake

Row = dict[str, Any]

_MOST_CONFIGURATIONS = 8
_MOST_CLASSES = 12
_MOST_DAYS_SHOWN = 60
# Ends are printed to the millisecond but starts to the second, so neighbours may be up to a second apart.
_NO_GAP = dt.timedelta(seconds=1)

_COVERAGE = """
SELECT report, sysplex, system, report_kind AS kind, day, intervals, first_start, last_end, gaps, gap_s
FROM report_coverage
ORDER BY report, sysplex, system, kind, day
"""
_INTERVALS = """
SELECT sysplex, scope, report_kind, interval_start, max(interval_s) AS interval_s
FROM workload_interval
WHERE class_kind <> 'policy'
GROUP BY sysplex, scope, report_kind, interval_start
ORDER BY interval_start
"""


@dataclass
class _Stretch:
    """Intervals of one group of pages without a gap between them."""

    starts: list[dt.datetime]
    end: dt.datetime

    @property
    def window(self) -> str:
        end = _time(self.end)
        return f"{_time(self.starts[0])}/{end[11:] if self.end.date() == self.starts[0].date() else end}"

    @property
    def length(self) -> str:
        return _counted(len(self.starts))


def coverage(lake: OpenLake) -> pa.Table:
    """Reports per system and day, and missing intervals."""
    return lake.sql(_COVERAGE).arrow()


def first_study(lake: OpenLake) -> str:
    """The text of a study file. Raises IronlakeError if the lake has no workload pages."""
    held = coverage(lake)
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in lake.sql(_INTERVALS).arrow().to_pylist():
        groups[row["sysplex"], row["scope"], row["report_kind"]].append(row)
    if not groups:
        there = "\n".join(["there is:", *_coverage_lines(held)]) if held.num_rows else ""
        raise IronlakeError("the lake has no workload pages by class", "RMF Workload Activity reports", there)
    # Interval reports before duration reports, then the longest coverage.
    (sysplex, scope, report_kind), rows = max(
        groups.items(), key=lambda item: (item[0][2] == "interval", sum(r["interval_s"] for r in item[1]), str(item[0]))
    )
    stretches = _stretches(rows)
    chosen = sorted(sorted(stretches, key=lambda s: -len(s.starts))[:_MOST_CONFIGURATIONS], key=lambda s: s.starts[0])
    classes = _classes(lake, (sysplex, scope, report_kind), chosen)
    if not classes:
        raise IronlakeError(
            "no class is printed in every interval", "a class to count requests of", "name windows by hand"
        )
    driver_logs = [
        f for (f,) in lake.sql(f"SELECT DISTINCT source_file FROM {table_of('simulator')} ORDER BY 1").fetchall()
    ]
    has_processors = "RMF CPU Activity" in held["report"].to_pylist()
    others = [group for group in groups if group != (sysplex, scope, report_kind)]
    lines = [
        "# A draft study from the contents of the lake. Change it to match what was measured; ironlake docs studies lists all keys.",
        "#",
        *(f"# {line}" for line in _coverage_lines(held)),
        "",
        "study: First look",
        f"{'interval: all':<37}# {_counted(len(rows))} of about {_usual(rows):.0f} s; or last, or a list of starts",
        *([f"sysplex: {_yaml(sysplex)}"] if sysplex else []),
        *([f"systems: [{', '.join(map(_yaml, scope.split(',')))}]"] if scope else []),
        *([f"report_kind: {report_kind}"] if report_kind != "interval" else []),
        *(f"# Not in it: {_group(group)}, {_counted(len(groups[group]))}" for group in others),
        *([] if has_processors else [f"{'# engines: {cp: 3, ziip: 2}':<37}# no CPU Activity in the lake: no ITR"]),
        *_subsystem_lines(classes),
        *_request_lines(classes, driver_logs),
        *_configuration_lines(stretches, chosen),
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _coverage_lines(held: pa.Table) -> Iterator[str]:
    """The coverage as a table, with the length of gaps."""
    rows = [
        {
            **{name: row[name] for name in ("report", "sysplex", "system", "kind", "day", "intervals")},
            "from": f"{row['first_start']:%H:%M:%S}",
            "to": f"{row['last_end']:%H:%M:%S}",
            "gaps": f"{row['gaps']} ({row['gap_s']:.0f} s)" if row["gaps"] else None,
        }
        for row in held.slice(0, _MOST_DAYS_SHOWN).to_pylist()
    ]
    yield from table_lines(pa.Table.from_pylist(rows).to_reader(), None)
    if held.num_rows > len(rows):
        yield f'and {held.num_rows - len(rows)} more: ironlake sql "FROM report_coverage"'


def _stretches(rows: Sequence[Row]) -> list[_Stretch]:
    found: list[_Stretch] = []
    for row in rows:
        start, end = row["interval_start"], row["interval_start"] + dt.timedelta(seconds=round(row["interval_s"]))
        last = found[-1] if found else None
        if last and start < last.end - _NO_GAP:
            continue
        if last and start <= last.end + _NO_GAP and start.date() == last.starts[0].date():
            last.starts.append(start)
            last.end = end
        else:
            found.append(_Stretch([start], end))
    return found


def _usual(rows: Sequence[Row]) -> float:
    lengths = sorted(row["interval_s"] for row in rows)
    return lengths[len(lengths) // 2]


def _classes(lake: OpenLake, group: tuple[Any, ...], chosen: Sequence[_Stretch]) -> list[Row]:
    """The classes printed in every chosen interval, by processor time."""
    same = " AND ".join(
        f"{name} IS NOT DISTINCT FROM {literal(value)}"
        for name, value in zip(("sysplex", "scope", "report_kind"), group, strict=True)
    )
    within = " OR ".join(f"interval_start BETWEEN {literal(s.starts[0])} AND {literal(s.starts[-1])}" for s in chosen)
    intervals = sum(len(s.starts) for s in chosen)
    query = f"""
        SELECT
            class_kind, coalesce(report_class, service_class) AS name,
            sum(transactions_ended) AS ended, coalesce(sum(cpu_pct * interval_s) / 100, 0) AS cpu_s
        FROM cpu_by_class
        WHERE {same} AND ({within}) AND class_kind IN ('service_class', 'report_class')
            AND coalesce(report_class, service_class) IS NOT NULL
        GROUP BY class_kind, coalesce(report_class, service_class)
        HAVING count(DISTINCT interval_start) >= {intervals}
        ORDER BY cpu_s DESC, name"""
    return lake.sql(query).arrow().to_pylist()


def _subsystem_lines(classes: Sequence[Row]) -> Iterator[str]:
    """Each class with processor time as its own subsystem; only one kind, because both kinds describe the same work."""
    kind = (
        "service_class" if any(c["class_kind"] == "service_class" and c["cpu_s"] for c in classes) else "report_class"
    )
    charged = [c for c in classes if c["class_kind"] == kind and c["cpu_s"] > 0 and c["name"] != UNALLOCATED]
    if not charged:
        return
    yield f"{'subsystems:':<37}# processor time is charged to these; list the classes of a subsystem together"
    for c in charged[:_MOST_CLASSES]:
        entry = f"  {_yaml(c['name'])}: {{{kind}: [{_yaml(c['name'])}]}}"
        yield f"{entry:<36} # {c['cpu_s']:,.0f} s of CPU"
    if rest := charged[_MOST_CLASSES:]:
        yield f"  # and {', '.join(shown(c['name']) for c in rest)}"


def _request_lines(classes: Sequence[Row], driver_logs: Sequence[str]) -> Iterator[str]:
    """The class with the most ended transactions, and the other candidates: several may count the same request."""
    first, *others = sorted(classes, key=lambda c: -(c["ended"] or 0))
    entry = f"requests: {{{first['class_kind']}: {_yaml(first['name'])}}}"
    yield f"{entry:<37}# {first['ended'] or 0:,} ended; choose ONE class: several may count the same request"
    for c in [c for c in others if c["ended"]][:_MOST_CLASSES]:
        entry = f"#         {{{c['class_kind']}: {_yaml(c['name'])}}}"
        yield f"{entry:<37}# {c['ended']:,}"
    if driver_logs:
        yield "#         {source: workload_simulator, count: page_elements}, or count: transactions, and at each step simulator: FILE,"
        yield f"#         one of {', '.join(map(shown, driver_logs[:_MOST_CLASSES]))}"


def _configuration_lines(stretches: Sequence[_Stretch], chosen: Sequence[_Stretch]) -> Iterator[str]:
    # The shortest unique form.
    form = next(
        f
        for f in ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S.%f")
        if len({f"{s.starts[0]:{f}}" for s in chosen}) == len(chosen)
    )
    yield f"{'configurations:':<37}# the first is the baseline; a configuration may have several steps"
    for stretch in chosen:
        yield f"  {stretch.starts[0]:{form}}: {{steps: [{{window: {stretch.window}}}]}}   # {stretch.length}"
    for stretch in [s for s in stretches if s not in chosen][:_MOST_DAYS_SHOWN]:
        yield f"  # {stretch.window}, {stretch.length}"


def _group(group: tuple[Any, ...]) -> str:
    sysplex, scope, report_kind = group
    return f"{report_kind} reports of {shown(sysplex or 'no sysplex')}, systems {shown(scope or 'not printed')}"


def _counted(intervals: int) -> str:
    return f"{intervals} interval{'s' if intervals > 1 else ''}"


def _time(moment: dt.datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}" if moment.second else f"{moment:%Y-%m-%dT%H:%M}"


def _yaml(text: str) -> str:
    """A name in YAML, quoted unless it has only letters, digits and a few signs.

    >>> _yaml("CICS2A20"), _yaml("A: B'S")
    ('CICS2A20', "'A: B''S'")
    """
    return text if re.fullmatch(r"[A-Za-z0-9_$.-]+", text) else "'" + shown(text).replace("'", "''") + "'"
