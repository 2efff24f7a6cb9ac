"""The chart of goals: a pure function of rows and column metadata."""

from collections.abc import Sequence
from itertools import groupby

from ..columns import Columns
from .chart import Chart, Lane, Value
from .chart import Row as ChartRow
from .drawing import Row, run_color

_MOST_BARS = 60
_MOST_PERIODS = 25


def goals(rows: Sequence[Row], columns: Columns, *, figure_id: str, runs: Sequence[str]) -> Chart | None:
    """Share of intervals in which each class period missed its goal, one bar per run, by importance.

    rows: one per period and run, with label, run, importance, intervals (with a performance index), missed (index above 1), worst
    (highest printed index), bound (of worst), goal and reference. A period without an index is not drawn, and one that always met its
    goal is named in the caption. None if all did: `met` says so.
    """
    info = columns["goals_missed_pct"]
    by_label = _by_label(rows)

    def importance(label: str) -> int:
        return min((r["importance"] for r in by_label[label].values() if r["importance"] is not None), default=9)

    def badness(label: str) -> tuple[float, float, str]:
        mine = by_label[label].values()
        return -max(map(_share, mine)), -max(r["worst"] for r in mine), label

    missed = [n for n in by_label if any(r["missed"] for r in by_label[n].values())]
    if not missed:
        return None
    worst_first = sorted(missed, key=badness)
    most = max(1, min(_MOST_PERIODS, _MOST_BARS // max(1, len(runs))))
    shown = sorted(worst_first[:most], key=lambda n: (importance(n), worst_first.index(n)))

    def lane(label: str, run: str) -> Lane:
        row, turn = by_label[label][run], runs.index(run)
        counts = f"{row['missed']:,} of {row['intervals']:,}"
        keys = (
            label,
            run,
            *(row[name] for name in ("importance", "goal", "missed", "intervals", "worst", "reference")),
        )
        value = Value(_share(row), keys, info.axis, run, run_color(turn), turn)
        return Lane([value], f"{run}: {counts}, worst {_index(row)}")

    drawn: list[ChartRow] = []
    for level, labels in groupby(shown, key=importance):
        drawn.append(ChartRow(_importance_words(level)))
        drawn += [ChartRow(n, [lane(n, run) for run in runs if run in by_label[n]]) for n in labels]
    return Chart(
        figure_id,
        f"Which goals are missed? {'; '.join(_said(run, by_label) for run in runs)}"
        + (
            f"; shown are the {len(shown)} missed most, the others are in the table" if len(shown) < len(missed) else ""
        ),
        "Intervals that missed the goal, in percent of those with a performance index, of service class periods, the most important "
        "first; one bar per run. A goal is missed if the index is above 1. The worst index is beside the bar."
        + _met_words([by_label[n] for n in by_label if n not in missed]),
        "performance_index",
        info.unit,
        ("period", "run", "importance", "goal", "intervals missed", "intervals", "worst index"),
        info.axis,
        drawn,
    )


def met(rows: Sequence[Row]) -> str:
    """The sentence in place of a chart of goals that were all met; empty if one was missed, or no index is printed."""
    by_label = _by_label(rows)
    if not by_label or any(r["missed"] for mine in by_label.values() for r in mine.values()):
        return ""
    periods = f"{len(by_label):,} period{'s' if len(by_label) > 1 else ''}"
    return f"No goal of {periods} was missed in any interval.{_met_words(list(by_label.values()))}"


def _by_label(rows: Sequence[Row]) -> dict[str, dict[str, Row]]:
    by_label: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row["intervals"]:
            by_label.setdefault(row["label"], {})[row["run"]] = row
    return by_label


# So many periods are named.
_MOST_MET = 8


def _met_words(found: Sequence[dict[str, Row]]) -> str:
    """The periods that met their goal in all intervals, with their worst index."""
    worst = [max(mine.values(), key=lambda r: r["worst"]) for mine in found]
    if not worst:
        return ""
    if len(worst) > _MOST_MET:
        return (
            f" Always met by {len(worst):,} periods, their worst index {_index(max(worst, key=lambda r: r['worst']))}."
        )
    listed = ", ".join(f"{r['label']} {_index(r)}" for r in worst)
    return f" Always met (worst index): {listed}."


def _index(row: Row) -> str:
    """An index as printed, to two decimals, with its bound."""
    return f"{_SIGNS[row['bound']]}{row['worst']:,.2f}"


_SIGNS = {"upper": "at most ", "lower": "at least ", None: ""}


def _share(row: Row) -> float:
    return row["missed"] / row["intervals"] * 100


def _said(run: str, by_label: dict[str, dict[str, Row]]) -> str:
    """How many periods missed their goal in a run, and in how many intervals."""
    mine = [of_runs[run] for of_runs in by_label.values() if run in of_runs]
    if not mine:
        return f"{run}: no index is printed"
    missed = [r for r in mine if r["missed"]]
    periods = f"of {len(mine):,} period{'s' if len(mine) > 1 else ''}"
    if not missed:
        return f"{run}: none {periods}"
    intervals = sum(r["missed"] for r in missed), sum(r["intervals"] for r in missed)
    return f"{run}: {len(missed):,} {periods}, in {intervals[0]:,} of {'its' if len(missed) == 1 else 'their'} {intervals[1]:,} intervals"


def _importance_words(importance: int) -> str:
    return "no importance" if importance == 9 else f"importance {importance}"
