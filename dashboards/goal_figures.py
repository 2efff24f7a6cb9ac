"""The picture of goals: a pure function of rows and column metadata that returns a plotly figure, as those of figures."""

from collections.abc import Sequence

import plotly.graph_objects as go

from .columns import Columns
from .figures import Row, bare_figure, run_marker, text

INDEX_CAP = 4.0


def goals(
    rows: Sequence[Row], columns: Columns, *, figure_id: str, runs: Sequence[str], most: int = 25, rest: str = "table"
) -> go.Figure:
    """Performance index of each class period by importance, a mark a run, with a line where the goal is just met.

    rows: one a period and run, with label, run, importance, index (median interval, as printed; None where the goal has
    none), bound, worst, missed, intervals, goal and reference. Marks beyond 4 stand at 4 and say their value.
    rest: where those are that there is no room for.
    """
    info = columns["performance_index"]
    by_label: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row["index"] is not None:
            by_label.setdefault(row["label"], {})[row["run"]] = row

    def importance(label: str) -> int:
        return min((r["importance"] for r in by_label[label].values() if r["importance"] is not None), default=9)

    worst_first = sorted(by_label, key=lambda n: (-max(r["index"] for r in by_label[n].values()), n))
    shown = sorted(worst_first[:most], key=lambda n: (importance(n), worst_first.index(n)))
    others = len(worst_first) - len(shown)
    missed = {run: sum(1 for n in by_label if run in by_label[n] and by_label[n][run]["index"] > 1) for run in runs}
    counted = {run: sum(1 for n in by_label if run in by_label[n]) for run in runs}
    title = "Which goals are missed? " + ", ".join(
        f"{text(r)}: {missed[r]} of {counted[r]} periods" if counted[r] else f"{text(r)}: no index" for r in runs
    )
    if others:
        title += f"; {others:,} others with a lower index are in the {rest}"
    figure = bare_figure(
        figure_id,
        title,
        "Performance index of service class periods, most important first, one mark a run; right of 1 the goal is missed.",
        "performance_index",
        info.unit,
        ("period", "run", "importance", "goal", "source"),
        "x",
        140 + 28 * max(1, len(shown)),
    )
    for turn, run in enumerate(runs):
        marks = [(place, by_label[n][run]) for place, n in enumerate(shown) if run in by_label[n]]
        signs = {"upper": "at most ", "lower": "at least ", None: ""}
        figure.add_scatter(
            mode="markers+text",
            x=[min(r["index"], INDEX_CAP) for _, r in marks],
            y=[place for place, _ in marks],
            text=[f"  {r['index']:,.1f}" if r["index"] > INDEX_CAP else "" for _, r in marks],
            textposition="middle right",
            textfont={"size": 11},
            cliponaxis=False,
            name=text(run),
            marker=run_marker(turn),
            customdata=[[r["label"], run, r["importance"], r["goal"], r["reference"]] for _, r in marks],
            hovertext=[
                f"<b>{text(r['label'])}</b> · {text(run)}<br>performance index {signs[r['bound']]}{r['index']:,.2f}"
                + (f" (median interval; worst {r['worst']:,.2f})" if r["intervals"] > 1 else "")
                + f"<br>goal missed in {r['missed']:,} of {r['intervals']:,} interval{'s' if r['intervals'] > 1 else ''}"
                f"<br>goal: {text(r['goal'])}<br>{text(r['reference'])}"
                for _, r in marks
            ],
            hoverinfo="text",
            meta={"measure": info.axis, "name": "performance_index", "values": [r["index"] for _, r in marks]},
        )
    figure.add_vline(x=1, line={"color": "rgba(128,128,128,0.9)", "width": 1.5, "dash": "dot"})
    figure.update_xaxes(title={"text": info.axis}, range=[0, INDEX_CAP * 1.06], dtick=0.5)
    figure.update_yaxes(
        tickvals=list(range(len(shown))),
        ticktext=[f"{_importance_words(importance(n))} · {text(n)}" for n in shown],
        range=[max(1, len(shown)) - 0.5, -0.5],
    )
    return figure


def _importance_words(importance: int) -> str:
    return "no importance" if importance == 9 else f"importance {importance}"
