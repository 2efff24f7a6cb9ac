"""Comparability: facts of the selected intervals side by side, and notes on what is missing."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..columns import CLASS_KINDS
from ..first_screen.compared_facts import FACTS
from ..numbers import DASH
from ..parts import Body, Cell, Head, Table, facts, left, left_heads, place_title
from ..parts import Row as TableRow
from ..references import Sources
from ..study_rows import Row, StudyMeasures

# Shown whether they differ or not.
_ALWAYS = ("Window", "Printed intervals", "Time covered")
_FACTOR_SOURCES = {
    "policy_page": "service policy page",
    "recovered": "recovered from the printed times",
    "assumed_1": "assumed to be 1",
    "contradictory": "the pages contradict each other",
}


@dataclass(frozen=True)
class Facts:
    """The facts of the selected intervals: different ones, and equal ones; `words` names the equal ones."""

    differing: Table | None
    alike: Table | None
    words: str


def facts_of(study: StudyMeasures) -> Facts | None:
    """Facts of the selected intervals, one column per configuration."""
    names = [c.name for c in study.configurations]
    values: dict[tuple[str, str], str] = {(row["fact"], row["configuration"]): row["value"] for row in study.facts}
    values |= {
        ("normalization_source", c): ", ".join(str(_FACTOR_SOURCES.get(s, s)) for s in value.split(", "))
        for (fact, c), value in values.items()
        if fact == "normalization_source" and value
    }
    rows = [
        (fact.title, [values.get((key, name)) or DASH for name in names])
        for key, fact in FACTS.items()
        if fact.title and any((key, name) in values for name in names)
    ]
    # Without zIIPs both busy facts are the same.
    rows = [
        row
        for n, row in enumerate(rows)
        if not (row[0] == FACTS["busy_cp_and_ziip"].title and n and rows[n - 1][1] == row[1])
    ]
    if all(len(c.runs) == 1 for c in study.configurations):
        runs = [c.runs[0] for c in study.configurations]
        rows = [
            ("Window", [f"{r['window_start']:%A %Y-%m-%d %H:%M:%S} to {r['window_end']:%Y-%m-%d %H:%M:%S}" for r in runs]),
            ("Printed intervals", [f"{r['intervals']:,}" for r in runs]),
            ("Time covered", [_covered(r) for r in runs]),
            *(row for row in rows if row[0] != FACTS["weekday"].title),
        ]  # fmt: skip
    if not rows:
        return None
    heads = [f"{n} (baseline)" if len(names) > 1 and n == study.baseline.name else n for n in names]
    differing = [row for row in rows if len(names) < 2 or row[0] in _ALWAYS or len(set(row[1])) > 1]
    alike = [row for row in rows if row not in differing]

    def table(shown: list[tuple[str, list[str]]], caption: str) -> Table | None:
        return (
            facts(heads, [(title, [Cell(value) for value in values]) for title, values in shown], caption)
            if shown
            else None
        )

    words = f"{len(alike)} more facts are alike" if len(alike) > 1 else f"{alike[0][0]} is alike" if alike else ""
    return Facts(table(differing, "Windows, and what differs"), table(alike, "Alike in all configurations"), words)


def _covered(run: Row) -> str:
    if run["covered_s"] is None:
        return DASH
    return f"{run['covered_s']:,.0f} of {run['asked_s']:,.0f} s ({run['covered_s'] / run['asked_s'] * 100:.1f}%)"


def _intervals(row: Row) -> str:
    return f"{row['found']:,.0f} of {row['expected']:,.0f} intervals"


def _at(row: Row) -> str:
    return f": {row['detail']}" if row["detail"] else ""


_MOST_NAMED = 8


def _listed(rows: Sequence[Row], name: Callable[[Row], str]) -> str:
    names = [name(row) for row in rows]
    return ", ".join(names[:_MOST_NAMED]) + (
        f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    )


def _name(row: Row) -> str:
    return f"{CLASS_KINDS.get(row['class_kind'], row['class_kind'] or '')} {row['class_name'] or '(no name)'}".strip()


_NOTES: dict[str, Callable[[Sequence[Row]], str]] = {
    "covered": lambda rows: (
        f"the printed intervals cover {rows[0]['found']:,.0f} of {rows[0]['expected']:,.0f} s "
        f"({rows[0]['found'] / rows[0]['expected'] * 100:.1f}%). Percentages refer to the covered time."
    ),
    "cut": lambda rows: (
        f"the windows cut printed intervals: {rows[0]['found']:,.0f} of {rows[0]['expected']:,.0f} s are outside of the windows. An interval belongs "
        "to the window that contains its midpoint."
    ),
    "left_out": lambda rows: (
        f"{rows[0]['found']:,.0f} printed interval(s) left out: they overlap selected ones, or name no sysplex. The first: "
        f"{rows[0]['detail']}."
    ),
    "policy": lambda rows: (
        f"the policy block prints {rows[0]['expected']:,.2f}% of one engine, but the service classes add up to {rows[0]['found']:,.2f}%: "
        "classes are missing, or a page is wrong."
    ),
    "policy_change": lambda rows: (
        f"the service policy changed at {rows[0]['detail']}, within an interval of CPU Activity: which part of the interval's busy time belongs to which "
        "policy is not printed."
    ),
    "cpu_lacks": lambda rows: (
        f"CPU is missing or unreadable for {_listed(rows, lambda r: f'{_name(r)} in {_intervals(r)}{_at(r)}')}. Totals that include it are "
        "unknown."
    ),
    "unread": lambda rows: (
        f"missing in intervals with rejected lines: {_listed(rows, lambda r: f'{_name(r)} ({_intervals(r)}{_at(r)})')}. "
        "Their figures, and totals that include them, are unknown."
    ),
    "not_printed": lambda rows: (
        f"printed in some intervals only, and counted as 0 in the others: {_listed(rows, lambda r: f'{_name(r)} ({_intervals(r)})')}."
    ),
    "no_cpu": lambda rows: (
        f"no CPU printed for {_listed(rows, _name)}: transaction classes; their CPU is in the classes of their regions."
    ),
    "conflicting": lambda rows: (
        "a class and interval is printed twice with different values; the first is shown: "
        + _listed(rows, lambda r: f"{_name(r)} at {r['detail']} differ between {_places(r)}") + "."
    ),
}  # fmt: skip


def _places(row: Row) -> str:
    return " and ".join(f"[{n}] page {page}, line {line}" for n, page, line in row["reference"].places[:3])


def notes_list(study: StudyMeasures) -> list[str]:
    """Missing or doubtful data, each with its configurations."""
    notes: dict[str, list[str]] = {}
    known = {(row["configuration"], row["fact"]) for row in study.facts}
    for configuration in study.configurations:
        for note, write_one in _NOTES.items():
            mine = [r for r in study.notes if (r["configuration"], r["note"]) == (configuration.name, note)]
            if mine:
                unknown = note == "policy_change" and (configuration.name, "busy_cp") not in known
                notes.setdefault(f"{write_one(mine)}{_NO_BUSY if unknown else ''}", []).append(configuration.name)
    return [f"{', '.join(names)}: {words}" for words, names in notes.items()]


_NO_BUSY = " So the busy time of the processors, and the engines online, are not known."
_SIGNS = {"upper": "≤ ", "lower": "≥ ", None: ""}


def _index(value: float | None, bound: str | None = None) -> str:
    return DASH if value is None else f"{_SIGNS[bound]}{value:,.2f}"


def _actual(row: Row) -> str:
    """The result of the worst interval, in the unit of the goal."""
    kind = row["goal_type"]
    if kind == "average" and row["actual_s"] is not None:
        return f"{row['actual_s']:.3g} s"
    if kind == "percentile" and row["actual_pct"] is not None:
        return f"{row['actual_pct']:g}%"
    if kind == "velocity" and row["velocity_pct"] is not None:
        return f"velocity {row['velocity_pct']:g}%"
    return DASH


def goals_table(study: StudyMeasures, sources: Sources) -> Table | None:
    """Goal against actual of each service class period, most important first."""
    apart = len({(r["configuration"], r["service_class"], r["period"]) for r in study.goals}) < len(study.goals)
    groups: dict[str, list[Row]] = {}
    for row in study.goals:
        period = f".{row['period']}" if row["period"] is not None else ""
        name = f"{row['service_class'] or '(no name)'}{period}"
        groups.setdefault(f"{row['systems']} · {name}" if apart and row["systems"] else name, []).append(row)
    bodies = [_goal_body(study, label, rows, sources) for label, rows in groups.items()]
    if not bodies:
        return None
    heads = [
        *left_heads("Period", "Configuration", "Goal"),
        Head("Actual", "worst interval"),
        Head("Missed", "intervals above 1"),
        Head("Worst index", "as printed"),
        Head("Index", "as printed, median interval"),
        Head("Index", "recomputed, median"),
        Head("Printed at", left=True),
    ]
    caption = (
        "Goal and actual, most important first. A performance index of 1 just meets the goal; above 1 misses it. Only intervals with an "
        "index count. A goal met in the median interval may still be missed in half of the intervals."
    )
    return Table("Table of goals", heads, bodies, caption)


def _goal_body(study: StudyMeasures, label: str, rows: Iterable[Row], sources: Sources) -> Body:
    mine = {row["configuration"]: row for row in rows}
    importance = next((row["importance"] for row in mine.values() if row["importance"] is not None), None)
    notes = [f"importance {importance}"] if importance is not None else []
    head = [Cell(label, notes, scope="rowgroup", span=len(study.configurations))]
    lines = []
    for configuration in study.configurations:
        row = mine.get(configuration.name)
        cells = [*([] if lines else head), Cell(configuration.name, style="run")]
        if row is None:
            lines.append(TableRow([*cells, Cell("not printed", style="l quiet", span=7)]))
            continue
        cells += [
            left(row["goal"]),
            Cell(_actual(row)),
            Cell(f"{row['missed']:,} of {row['intervals']:,}" if row["intervals"] else DASH),
            Cell(_index(row["index_worst"], row["index_worst_bound"])),
            Cell(_index(row["index_median"], row["index_median_bound"])),
            Cell(_index(row["index_computed"])),
        ]
        lines.append(TableRow(cells, row["reference"], place_title(row["reference"], sources)))
    return Body(lines)
