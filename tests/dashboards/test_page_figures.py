"""Figures as pure functions: traces, titles, units, and what stands behind each point."""

import re
from typing import Any

import pytest
from drawn import rows_of, series, told, words_of
from ironlake.dashboards.charts import class_figures, study_figures
from ironlake.dashboards.charts import goal_figures as goal_figures
from ironlake.dashboards.charts.svg import WIDE, svg
from ironlake.dashboards.columns import COLUMNS

RUNS = ("before", "after")


def _cpu(name: str, run: str, cpu: float | None, **other: Any) -> dict[str, Any]:
    row = {"name": name, "run": run, "cpu_pct": cpu, "reference": "[1] page 1, line 1"}
    row |= {"non_ziip_eligible_pct": cpu, "ziip_on_cp_pct": 0.0, "ziip_pct": 0.0, "other_pct": 0.0}
    return row | {"cp_pct": cpu, "transactions": 10, "cp_ms_per_transaction": cpu} | other


def _draw_cpu(rows: list[dict[str, Any]], **other: Any) -> Any:
    return class_figures.cpu_by_class(rows, COLUMNS, figure_id="cpu", what="service classes", runs=RUNS, **other)


def test_cpu_is_split_and_stacked_side_by_side_per_run():
    split = {"non_ziip_eligible_pct": 24.9, "ziip_on_cp_pct": 6.76, "ziip_pct": 75.53}
    figure = _draw_cpu([_cpu("CICS", "before", 107.19, **split), _cpu("CICS", "after", 50.0)])
    assert {name: values[0] for name, values in told(figure).items()} == {
        "Not zIIP-eligible": 24.9, "zIIP-eligible on CP": 6.76, "On zIIP": 75.53,
    }  # fmt: skip
    (row,) = figure.rows
    assert [[v.kind for v in lane.values] for lane in row.lanes] == [["bar"] * 3] * 2
    first = series(figure)[0]
    assert first["y"][0] != first["y"][1]
    assert figure.axis == "CPU (% of one engine)"
    assert figure.title == "CPU: CICS changes most, −57.19 points of one engine (−53.4%) from before to after"
    assert figure.id == "cpu"
    assert list(first["words"][0]) == ["CICS", "before", "[1] page 1, line 1"]


def _classes(**of_runs: dict[str, tuple[float, float]]) -> list[dict[str, Any]]:
    return [_cpu(name, run, cpu, cp_pct=cp) for run, of in of_runs.items() for name, (cp, cpu) in of.items()]


def test_changes_are_of_general_processor_time_in_points_and_in_percent():
    """DDF: GP 60 to 40, -33.3%, though all CPU rises; TSO: 30 to 15, -50.0%; IDLE's 0.1 to 0.3 is no change worth a percentage."""
    before = {"DDF": (60.0, 90.0), "TSO": (30.0, 30.0), "IDLE": (0.1, 0.1)}
    figure = _draw_cpu(_classes(before=before, after={"DDF": (40.0, 95.0), "TSO": (15.0, 15.0), "IDLE": (0.3, 0.3)}))
    assert figure.title == (
        "General-processor time: DDF changes most, −20.00 points of one engine (−33.3%) from before to after; in percent TSO, −50.0%"
    )
    assert [v.value for v in figure.values if v.kind == "tick"][:2] == [60.0, 40.0]
    assert words_of(figure)[:2] == ["before 60.00, all CPU 90.00", "after 40.00, all CPU 95.00"]


def test_the_largest_change_is_that_of_any_run_and_not_of_the_last():
    """Of three the second: 60 to 20. Of eight the sixth, in a class of its own."""
    three = _classes(a={"X": (60, 60)}, b={"X": (20, 20)}, c={"X": (58, 58)})
    figure = class_figures.cpu_by_class(three, COLUMNS, figure_id="cpu", what="service classes", runs="abc")
    assert figure.title == "CPU: X changes most, −40.00 points of one engine (−66.7%) from a to b"
    eight = _classes(**{run: {"X": (60.0, 60.0), "Y": (10.0 + 50.0 * (run == "f"), 70.0)} for run in "abcdefgh"})
    figure = class_figures.cpu_by_class(eight, COLUMNS, figure_id="cpu", what="service classes", runs="abcdefgh")
    assert "Y changes most, +50.00 points of one engine (+500.0%) from a to f" in figure.title


def test_cpu_that_is_not_split_is_a_part_of_its_own():
    none = dict.fromkeys(("non_ziip_eligible_pct", "ziip_on_cp_pct", "ziip_pct"))
    figure = _draw_cpu([_cpu("TSO", "before", 8.1, **none, other_pct=8.1)])
    # Where no page splits it there is nothing to tell apart.
    assert told(figure) == {"CPU": [8.1]}
    assert figure.about.endswith("The pages print no zIIP columns.")
    split = _cpu("TSO", "after", 9.0, non_ziip_eligible_pct=9.0, ziip_on_cp_pct=0.0, ziip_pct=0.0, other_pct=0.0)
    figure = _draw_cpu([_cpu("TSO", "before", 8.1, **none, other_pct=8.1), split])
    assert told(figure) == {"Not zIIP-eligible": [9.0], "zAAP or not split": [8.1, 0.0]}


def test_many_classes_end_in_a_bar_of_the_others_and_those_without_time_have_none():
    rows = [_cpu(f"C{n:02}", run, 100.0 - n) for n in range(40) for run in RUNS]
    figure = _draw_cpu(rows, most=12)
    assert len(figure.rows) == 13
    assert rows_of(figure)[-1] == "28 others"
    assert sum(v.value for v in figure.values) == pytest.approx(2 * sum(100.0 - n for n in range(40)))
    figure = _draw_cpu([_cpu("CICS", "before", 10.0), _cpu("TXN", "before", None)])
    assert rows_of(figure) == ["CICS"]
    figure = _draw_cpu([_cpu(n, r, v) for n, v in (("CICS", 10.0), ("TXN", 0.0)) for r in RUNS])
    assert rows_of(figure) == ["CICS"]
    assert figure.about.endswith(" No CPU time: TXN.")


def _draw_cost(rows: list[dict[str, Any]]) -> Any:
    return class_figures.cost_per_transaction(rows, COLUMNS, figure_id="cost", what="service classes", runs=RUNS)


def _places(figure: Any) -> dict[str, list[float]]:
    return {one["name"]: one["x"] for one in series(figure)}


def test_cost_has_a_mark_a_run_on_a_scale_of_changes_and_counts_who_changed():
    """A from 1 to 1.2 ms, +20%; B from 2 to 1 ms, -50%; C has a cost in one run only."""
    rows = [_cpu("A", "before", 1.0), _cpu("A", "after", 1.2), _cpu("B", "before", 2.0), _cpu("B", "after", 1.0)]
    figure = _draw_cost([*rows, _cpu("C", "before", 5.0), _cpu("D", "before", 5.0, cp_ms_per_transaction=None)])
    assert _places(figure) == {"before": [0.0, 0.0], "after": [-50.0, 20.0]}
    # The saved data and the texts have the costs.
    assert told(figure) == {"before": [2.0, 1.0], "after": [1.0, 1.2]}
    assert words_of(figure) == ["−50.0%, 2 → 1 ms", "+20.0%, 1.0 → 1.2 ms"]
    assert figure.title.endswith("1 of 2 service classes cost more, 1 less, 0 the same within 1%")
    assert figure.axis == "Change against before (%)"
    assert figure.about.endswith(" Without a cost in before and another run: 1.")
    # Half of 0.2 ms and half of 900 ms are equally far from no change; ten times as much needs a logarithmic scale, which says so.
    cheap, dear = ([_cpu(n, "before", v), _cpu(n, "after", v / 2)] for n, v in (("A", 0.2), ("B", 900.0)))
    figure = _draw_cost([*cheap, *dear])
    assert _places(figure)["after"] == [-50.0, -50.0]
    figure = _draw_cost([*cheap, _cpu("C", "before", 1.0), _cpu("C", "after", 10.0)])
    assert _places(figure)["after"] == [10.0, 0.5]
    assert figure.is_log
    assert figure.axis == "General-processor time per transaction, before = 1 (ratio, logarithmic)"


def test_costs_that_do_not_change_are_a_sentence():
    """0.4 and 0.9%; 1.1% is a change."""
    rows = [_cpu("A", "before", 1000.0), _cpu("A", "after", 1004.0), _cpu("B", "before", 1000.0)]
    same = [*rows, _cpu("B", "after", 991.0)]
    assert _draw_cost(same) is None
    said = class_figures.same_cost(same, COLUMNS, what="service classes", runs=RUNS)
    assert said == (
        "General-processor time per transaction of all 2 service classes that print it is the same in before and after, within 0.9%."
    )
    moved = [*rows, _cpu("B", "after", 989.0)]
    assert _draw_cost(moved) is not None
    assert class_figures.same_cost(moved, COLUMNS, what="service classes", runs=RUNS) == ""
    # One run has nothing to compare with.
    assert _draw_cost(rows[:1]) is None
    assert class_figures.same_cost(rows[:1], COLUMNS, what="service classes", runs=RUNS) == ""


def _goal(label: str, missed: int, worst: float, run: str = "before", **other: Any) -> dict[str, Any]:
    row = {"label": label, "run": run, "importance": 2, "missed": missed, "intervals": 4, "worst": worst, "bound": None}
    return row | {"goal": "velocity 40%", "reference": "[1] page 1, line 5"} | other


def _draw_goals(rows: list[dict[str, Any]], runs: tuple[str, ...] = ("before",)) -> Any:
    return goal_figures.goals(rows, COLUMNS, figure_id="goals", runs=runs)


def test_goals_are_below_their_importance_and_name_their_bounds():
    """LOW missed 1 of 4, NEAR 2 and FAR all 4; HIGH none; SYS has no index in any interval."""
    rows = [
        _goal("LOW.1", 1, 2.0, importance=4, bound="upper"),
        _goal("HIGH.1", 0, 0.5, importance=1),
        _goal("NEAR.1", 2, 3.0),
    ]
    figure = _draw_goals([*rows, _goal("SYS", 0, 0.0, intervals=0), _goal("FAR.1", 4, 81.0)])
    assert rows_of(figure) == ["[importance 2]", "FAR.1", "NEAR.1", "[importance 4]", "LOW.1"]
    assert figure.title == "Which goals are missed? before: 3 of 4 periods, in 7 of their 12 intervals"
    assert figure.about.endswith(" Always met (worst index): HIGH.1 0.50.")
    (bars,) = series(figure)
    assert dict(zip(bars["y"], bars["values"], strict=True)) == {1: 100.0, 2: 50.0, 4: 25.0}
    assert figure.axis == "Intervals that missed the goal (%)"
    assert bars["words"][2] == ("LOW.1", "before", 4, "velocity 40%", 1, 4, 2.0, "[1] page 1, line 5")
    assert words_of(figure) == [
        "before: 4 of 4, worst 81.00", "before: 2 of 4, worst 3.00", "before: 1 of 4, worst at most 2.00",
    ]  # fmt: skip


def test_goals_that_were_all_met_are_a_sentence():
    rows = [_goal("A.1", 0, 0.9, run) for run in RUNS] + [_goal("B.1", 0, 1.0)]
    assert _draw_goals(rows, RUNS) is None
    said = "No goal of 2 periods was missed in any interval. Always met (worst index): A.1 0.90, B.1 1.00."
    assert goal_figures.met(rows) == said
    assert goal_figures.met([*rows, _goal("C.1", 1, 1.1)]) == ""
    assert _draw_goals([*rows, _goal("C.1", 1, 1.1)], RUNS) is not None
    # Without an index nothing is said, neither that it was met nor that it was missed.
    assert goal_figures.met([_goal("A.1", 0, 0.0, intervals=0)]) == ""
    assert _draw_goals([_goal("A.1", 0, 0.0, intervals=0)]) is None
    figure = _draw_goals([_goal("FAR.1", 4, 81.0)], ("before", "after"))
    assert figure.title == (
        "Which goals are missed? before: 1 of 1 period, in 4 of its 4 intervals; after: no index is printed"
    )


@pytest.mark.parametrize(("runs", "shown"), [(2, 25), (3, 20), (8, 7)])
def test_a_goal_missed_in_half_of_its_intervals_is_missed_whatever_the_middle_one_is(runs: int, shown: int):
    """20 of 40: the lower middle interval met the goal, the upper one missed it."""
    names = tuple(f"run {n}" for n in range(runs))
    half = {"intervals": 40}
    figure = _draw_goals([_goal("P", 20, 28.4, run, **half) for run in names], names)
    assert figure.title.count("1 of 1 period, in 20 of its 40 intervals") == runs
    assert told(figure) == {name: [50.0] for name in names}
    assert words_of(figure) == [f"{run}: 20 of 40, worst 28.40" for run in names]
    many = [_goal(f"P.{n}", n % 5, 2.0, run) for n in range(40) for run in names]
    figure = _draw_goals(many, names)
    assert figure.title.endswith(f"; shown are the {shown} missed most, the others are in the table")
    # Eight of the forty missed all of their intervals.
    assert told(figure)[names[0]].count(100.0) == min(8, shown)


def _rates(**responses: list[float]) -> Any:
    rows = [
        {"configuration": name, "run": str(n), "requests_per_s": (100.0, 300.0, 250.0)[n], "response_ms": ms, "reference": ""}
        for name, of in responses.items() for n, ms in enumerate(of)
    ]  # fmt: skip
    return study_figures.against_rate(
        rows,
        COLUMNS,
        measure="response_ms",
        figure_id="rate",
        configurations=list(responses),
        fits={},
        limit_pct=None,
        title="?",
    )


def test_response_times_that_span_decades_have_a_logarithmic_axis_and_lines_have_their_names_at_their_ends():
    """2 to 39 ms is less than twenty times, 2 to 137 ms is more."""
    assert not _rates(A=[2.0, 4.0, 39.0]).is_log
    figure = _rates(A=[2.0, 4.0, 137.0])
    assert (figure.is_log, figure.axis) == (True, "Response time (ms, logarithmic)")
    # Past saturation the third run has fewer requests than the second.
    figure = _rates(A=[2.0, 4.0, 39.0], B=[2.0, 3.0, 4.0])
    assert [one["x"] for one in series(figure)] == [[100, 300, 250]] * 2
    ends = re.findall(r'<text x="([\d.]+)" y="([\d.]+)">([AB])</text>', svg(figure, WIDE))
    assert [(name, x) for x, _, name in ends] == [("A", ends[0][0]), ("B", ends[0][0])]
    # Names of lines that end side by side are moved apart.
    figure = _rates(A=[2.0, 4.0, 39.0], B=[2.0, 3.0, 38.0])
    (_, above, _), (_, below, _) = re.findall(r'<text x="([\d.]+)" y="([\d.]+)">([AB])</text>', svg(figure, WIDE))
    assert float(below) - float(above) == pytest.approx(14)


def test_throughput_that_cannot_be_extrapolated_is_a_sentence():
    rows = [
        {"configuration": name, "run": "1", "itr_per_s": etr / busy * 100, "etr_per_s": etr, "cpu_busy_pct": busy, "reference": ""}
        for name, etr, busy in (("B4", 8.03, 17.44), ("B3", 8.46, 20.35))
    ]  # fmt: skip

    def drawn(mine: list[dict[str, Any]]) -> Any:
        return study_figures.internal_throughput(
            mine, COLUMNS, figure_id="itr", configurations=["B4", "B3"], title="Throughput"
        )

    assert drawn(rows) is None
    assert study_figures.throughput_words(rows, ["B4", "B3"], "Throughput") == (
        "Throughput, requests per second: B4: measured 8.03; at most 17.4% busy: too little to extrapolate; "
        "B3: measured 8.46; at most 20.4% busy: too little to extrapolate."
    )
    busy = [rows[0], rows[1] | {"cpu_busy_pct": 50.0, "itr_per_s": 16.92}]
    assert set(told(drawn(busy))) == {"Extrapolated", "Highest measured"}
    assert study_figures.throughput_words(busy, ["B4", "B3"], "Throughput") == ""
    # One bar has nothing beside it.
    assert drawn(busy[1:]) is None
    assert study_figures.throughput_words(busy[1:], ["B4", "B3"], "Throughput") == (
        "Throughput, requests per second: B3: 16.9 from 50% busy, measured 8.46."
    )
