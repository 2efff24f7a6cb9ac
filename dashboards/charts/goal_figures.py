"""The chart of goals: a pure function of rows and column metadata that returns a plotly figure."""

from collections.abc import Sequence

import plotly.graph_objects as go

from ..columns import Columns
from .drawing import RUN_COLORS, Row, bare_figure, fill, name_rows, text, write_beside

_MOST_BARS = 60
_MOST_PERIODS = 25


def goals(rows: Sequence[Row], columns: Columns, *, figure_id: str, runs: Sequence[str]) -> go.Figure | None:
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
    names: list[str] = []
    place: dict[str, int] = {}
    for n in shown:
        if (heading := f"<b>{_importance_words(importance(n))}</b>") not in names:
            names.append(heading)
        place[n] = len(names)
        names.append(text(n))
    slot = 0.8 / max(1, len(runs))
    figure = bare_figure(
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
        ("period", "run", "importance", "goal", "intervals missed", "intervals", "worst index", "source"),
        "x",
        130 + len(shown) * (18 * len(runs) + 8) + 24 * (len(names) - len(shown)),
    )
    ends: list[tuple[float, float, str]] = []
    for turn, run in enumerate(runs):
        marks = [(place[n], by_label[n][run]) for n in shown if run in by_label[n]]
        at = [row + (turn - (len(runs) - 1) / 2) * slot for row, _ in marks]
        figure.add_bar(
            orientation="h",
            x=[round(_share(r), 4) for _, r in marks],
            y=at,
            width=slot * 0.86,
            name=text(run),
            marker=fill(RUN_COLORS[turn % len(RUN_COLORS)], turn),
            customdata=[
                [r["label"], run, r["importance"], r["goal"], r["missed"], r["intervals"], r["worst"], r["reference"]]
                for _, r in marks
            ],
            hovertext=[
                f"<b>{text(r['label'])}</b> · {text(run)}<br>goal missed in {r['missed']:,} of {r['intervals']:,} interval"
                f"{'s' if r['intervals'] > 1 else ''}<br>worst performance index {_index(r)}"
                f"<br>goal: {text(r['goal'])}<br>{text(r['reference'])}"
                for _, r in marks
            ],
            hoverinfo="text",
            meta={"measure": info.axis, "name": "goals_missed_pct"},
        )
        ends += [
            (_share(r), y, f"  {text(run)}: {r['missed']:,} of {r['intervals']:,}, worst {_index(r)}")
            for y, (_, r) in zip(at, marks, strict=True)
        ]  # fmt: skip
    write_beside(figure, [x for x, _, _ in ends], [y for _, y, _ in ends], [words for _, _, words in ends], 11)
    largest = max((x for x, _, _ in ends), default=0.0)
    figure.update_xaxes(title={"text": info.axis}, range=[0, max(10.0, largest) * 1.5], rangemode="tozero")
    name_rows(figure, names, are_written=True)
    return figure


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
        return f"{text(run)}: no index is printed"
    missed = [r for r in mine if r["missed"]]
    periods = f"of {len(mine):,} period{'s' if len(mine) > 1 else ''}"
    if not missed:
        return f"{text(run)}: none {periods}"
    intervals = sum(r["missed"] for r in missed), sum(r["intervals"] for r in missed)
    return f"{text(run)}: {len(missed):,} {periods}, in {intervals[0]:,} of {'its' if len(missed) == 1 else 'their'} {intervals[1]:,} intervals"


def _importance_words(importance: int) -> str:
    return "no importance" if importance == 9 else f"importance {importance}"
