"""Figures as pure functions: traces, titles, units, and what stands behind each point."""

import datetime as dt
from typing import Any

import pytest
from ironlake.dashboards import figures, goal_figures
from ironlake.dashboards.columns import COLUMNS

RUNS = ("before", "after")


def _cpu(name: str, run: str, cpu: float | None, **other: Any) -> dict[str, Any]:
    row = {"name": name, "run": run, "cpu_pct": cpu, "reference": "[1] page 1, line 1"}
    row |= {"non_ziip_eligible_pct": cpu, "ziip_on_cp_pct": 0.0, "ziip_pct": 0.0, "other_pct": 0.0}
    return row | {"transactions": 10, "cpu_ms_per_transaction": cpu} | other


def _data_traces(figure: Any) -> list[Any]:
    return [trace for trace in figure.data if trace.meta]


def _draw_cpu(rows: list[dict[str, Any]], **other: Any) -> Any:
    return figures.cpu_by_class(rows, COLUMNS, figure_id="cpu", what="service classes", runs=RUNS, **other)


def test_cpu_is_split_and_stacked_side_by_side_per_run():
    split = {"non_ziip_eligible_pct": 24.9, "ziip_on_cp_pct": 6.76, "ziip_pct": 75.53}
    figure = _draw_cpu([_cpu("CICS", "before", 107.19, **split), _cpu("CICS", "after", 50.0)])
    traces = _data_traces(figure)
    assert [t.name for t in traces] == ["Not zIIP-eligible", "zIIP-eligible on CP", "On zIIP"]
    assert [t.x[0] for t in traces] == [24.9, 6.76, 75.53]
    assert len({t.y[0] for t in traces}) == 1
    assert traces[0].y[0] != traces[0].y[1]
    assert figure.layout.barmode == "stack"
    assert figure.layout.xaxis.title.text == "CPU (% of one engine)"
    assert figure.layout.title.text == "CICS changes most: −57.19% of one engine from before to after"
    assert figure.layout.meta["id"] == "cpu"
    assert traces[0].customdata[0] == ["CICS", "before", "[1] page 1, line 1"]
    assert "[1] page 1, line 1" in traces[0].hovertext[0]


def test_cpu_that_is_not_split_is_a_part_of_its_own():
    none = dict.fromkeys(("non_ziip_eligible_pct", "ziip_on_cp_pct", "ziip_pct"))
    figure = _draw_cpu([_cpu("TSO", "before", 8.1, **none, other_pct=8.1)])
    assert [(t.name, list(t.x)) for t in _data_traces(figure)] == [("zAAP or not split", [8.1])]


def test_many_classes_end_in_a_bar_of_the_others():
    rows = [_cpu(f"C{n:02}", run, 100.0 - n) for n in range(40) for run in RUNS]
    figure = _draw_cpu(rows, most=12)
    assert len(figure.layout.yaxis.ticktext) == 13
    assert figure.layout.yaxis.ticktext[-1] == "28 others"
    (trace,) = _data_traces(figure)
    assert sum(trace.x) == pytest.approx(2 * sum(100.0 - n for n in range(40)))


def test_class_without_cpu_is_not_drawn_as_zero():
    figure = _draw_cpu([_cpu("CICS", "before", 10.0), _cpu("TXN", "before", None)])
    assert list(figure.layout.yaxis.ticktext) == ["CICS"]


def _draw_cost(rows: list[dict[str, Any]]) -> Any:
    return figures.cost_per_transaction(rows, COLUMNS, figure_id="cost", what="service classes", runs=RUNS)


def test_cost_has_a_mark_a_run_and_counts_who_changed():
    rows = [_cpu("A", "before", 1.0), _cpu("A", "after", 1.2), _cpu("B", "before", 2.0), _cpu("B", "after", 1.0)]
    figure = _draw_cost([*rows, _cpu("C", "before", 5.0, cpu_ms_per_transaction=None)])
    assert [(t.name, list(t.x)) for t in _data_traces(figure)] == [("before", [2.0, 1.0]), ("after", [1.0, 1.2])]
    assert figure.layout.title.text.endswith("1 of 2 service classes cost more, 1 less, 0 the same within 1%")
    assert figure.layout.xaxis.type == "linear"
    assert figure.layout.xaxis.title.text == "CPU per transaction (ms)"


def test_costs_far_apart_stand_on_a_logarithmic_axis_that_says_so():
    figure = _draw_cost([_cpu("A", "before", 0.1), _cpu("B", "before", 900.0)])
    assert figure.layout.xaxis.type == "log"
    assert figure.layout.xaxis.title.text == "CPU per transaction (ms, logarithmic)"


def _goal(label: str, index: float | None, run: str = "before", **other: Any) -> dict[str, Any]:
    row = {"label": label, "run": run, "importance": 2, "index": index, "bound": None, "worst": index, "missed": 1}
    return row | {"intervals": 1, "goal": "velocity 40%", "reference": "[1] page 1, line 5"} | other


def test_goals_are_ordered_by_importance_and_name_their_bounds():
    rows = [_goal("LOW.1", 2.0, importance=4), _goal("HIGH.1", 0.5, importance=1, bound="upper"), _goal("SYS", None)]
    figure = goal_figures.goals([*rows, _goal("FAR.1", 81.0)], COLUMNS, figure_id="goals", runs=("before",))
    assert list(figure.layout.yaxis.ticktext) == [
        "importance 1 · HIGH.1",
        "importance 2 · FAR.1",
        "importance 4 · LOW.1",
    ]
    assert figure.layout.title.text == "Which goals are missed? before: 2 of 3 periods"
    (trace,) = _data_traces(figure)
    assert list(trace.x) == [0.5, 4.0, 2.0]
    assert trace.meta["values"] == [0.5, 81.0, 2.0]
    assert "at most 0.50" in trace.hovertext[0]
    assert trace.text[1].strip() == "81.0"
    figure = goal_figures.goals([_goal("FAR.1", 81.0)], COLUMNS, figure_id="goals", runs=("before", "after"))
    assert figure.layout.title.text == "Which goals are missed? before: 1 of 1 periods, after: no index"
    many = [_goal(f"P.{n}", 2.0) for n in range(26)]
    figure = goal_figures.goals(many, COLUMNS, figure_id="goals", runs=("before",), rest="view")
    assert figure.layout.title.text.endswith("; 1 others with a lower index are in the view")


def test_time_breaks_where_intervals_do():
    start = dt.datetime(2021, 4, 13, 10)
    rows = []
    for minute in (0, 1, 5):
        begin = start + dt.timedelta(minutes=minute)
        row = {"run": "before", "start": begin, "end": begin + dt.timedelta(minutes=1), "reference": "[1] lines 1 to 9"}
        rows.append(row | {"minutes": float(minute), "minutes_end": minute + 1.0, "cpu_pct": 50.0 + minute})
    figure = figures.cpu_over_time(rows, COLUMNS, figure_id="time", what="service classes", runs=("before",))
    (trace,) = _data_traces(figure)
    assert list(trace.x) == [0, 1, 2, 2, 5, 6, 6]
    assert list(trace.y) == [50, 51, 51, None, 55, 55, None]
    assert figure.layout.yaxis.title.text == "CPU (% of one engine)"
    assert figure.layout.title.text == "How steady is the CPU? before 50 to 55% of one engine"


def test_names_are_escaped_for_plotly_and_kept_for_csv():
    figure = _draw_cpu([_cpu("<b>A&B</b>", "before", 1.0)])
    assert figure.layout.yaxis.ticktext[0] == "&lt;b&gt;A&amp;B&lt;/b&gt;"
    assert _data_traces(figure)[0].customdata[0][0] == "<b>A&B</b>"
