"""What pages say of two, three and eight configurations: what is paid for comes first, a label names its mark, a share is of all
intervals, a sum is of one sysplex, and what the printed values cannot tell is not told."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import duckdb
import pytest
from drawn import rows_of, series, told, words_of
from ironlake.dashboards.certainty import spread, verdict
from ironlake.dashboards.charts.arrange_charts import charts_by_group
from ironlake.dashboards.charts.chart import Chart
from ironlake.dashboards.charts.comparison_page_charts import PICTURES
from ironlake.dashboards.charts.draw_declared import draw
from ironlake.dashboards.charts.svg import WIDE, svg
from ironlake.dashboards.columns import TERMS
from ironlake.dashboards.first_screen.finding import finding
from ironlake.dashboards.first_screen.screen import first_screen, summary_table
from ironlake.dashboards.first_screen.waterfall import waterfall
from ironlake.dashboards.references import Reference
from ironlake.dashboards.study_rows import ConfigurationMeasures, StudyMeasures, rows_on_page

# Eight ways to reach Db2: time that must run on a general processor, zIIP-eligible time that ran on one, and time on zIIPs, in ms.
EIGHT = {
    "local": (1.2, 0.1, 0.7),  # GP 1.3, all 2.0
    "driver A": (1.5, 0.2, 0.5),  # GP 1.7, all 2.2: the most of general processors
    "driver B": (0.6, 0.2, 1.8),  # GP 0.8, all 2.6
    "pool": (1.2, 0.2, 0.4),  # GP 1.4, all 1.8: the least of all
    "pool B": (0.8, 0.15, 1.05),  # GP 0.95, all 2.0
    "XA": (0.9, 0.3, 1.9),  # GP 1.2, all 3.1: the most of all
    "XA local": (1.4, 0.1, 0.9),  # GP 1.5, all 2.4
    "far": (0.5, 0.1, 1.4),  # GP 0.6, all 2.0: the least of general processors
}


def _configuration(
    name: str, parts: tuple[float, float, float] | None, factor: float = 1.0, **other: Any
) -> ConfigurationMeasures:
    own, on_cp, ziip = parts or (None, None, None)
    cost: dict[str, Any] = {"requests": 1000, "response_ms": None, "runs": 1}
    cost |= dict.fromkeys(("cp_ms_per_request", "cpu_ms_per_request", "cpu_normalized_ms_per_request"))
    cost |= {"non_ziip_eligible_ms_per_request": own, "ziip_on_cp_ms_per_request": on_cp, "ziip_ms_per_request": ziip}
    if own is not None and on_cp is not None and ziip is not None:
        cost["cp_ms_per_request"] = own + on_cp
        cost["cpu_ms_per_request"] = own + on_cp + ziip
        cost["cpu_normalized_ms_per_request"] = own + on_cp + factor * ziip
    return ConfigurationMeasures(name, cost, {}, None, Reference(), **other)


def _study(configurations: Sequence[ConfigurationMeasures], name: str = "S") -> StudyMeasures:
    return StudyMeasures(name, list(configurations), [], False, [], [], [], [], {p.name: [] for p in PICTURES})


def _of(names: Sequence[str], factor: float = 1.0) -> StudyMeasures:
    return _study([_configuration(name, EIGHT[name], factor) for name in names])


def _drawn(study: StudyMeasures) -> dict[str, Any]:
    rows = rows_on_page(study)
    study.pictured |= {p.name: rows.get(p.rows or p.view, []) for p in PICTURES if p.joined_by == "page"}
    return {chart.id: chart for charts, _ in charts_by_group(study, "study_1").values() for chart in charts}


def _cells(study: StudyMeasures) -> list[list[str]]:
    table = summary_table(study)
    assert table
    return [[cell.text for cell in row.cells] for row in table.bodies[0].rows]


def _declared(name: str) -> Any:
    (picture,) = (p for p in PICTURES if p.name == name)
    return picture


def test_without_ziip_time_there_is_one_cpu_time():
    study = _study([_configuration("old", (2.0, 0.0, 0.0)), _configuration("new", (3.0, 0.0, 0.0))])
    assert finding(study) == "“new” needs 50.0% more CPU time per request than “old” (2 → 3 ms)"
    assert "General-processor" not in "".join(row[0] for row in _cells(study))
    # Nothing is said of parts or marks that are not drawn.
    figure = _drawn(study)["study_1_cost"]
    assert not [v for v in figure.values if v.kind == "tick"]
    assert "split" not in figure.about


@pytest.mark.parametrize(
    ("names", "order"),
    [
        (["local", "driver B"], ["driver B", "local"]),
        (["local", "XA", "driver A"], ["XA", "local", "driver A"]),
        (list(EIGHT), ["far", "driver B", "pool B", "XA", "local", "pool", "XA local", "driver A"]),
    ],
)
def test_bars_are_ordered_and_labelled_by_general_processor_time(names: list[str], order: list[str]):
    figure = _drawn(_of(names))["study_1_cost"]
    assert rows_of(figure) == order
    assert "which is what is paid for" in figure.about
    # One number of decimals for all.
    paid = dict(zip(order, words_of(figure), strict=True))["local"]
    assert paid == f"2.0, general processors {'1.30' if len(names) == 8 else '1.3'}"
    # The upright marks are where general-processor time ends: GP 1.3 of the baseline.
    (tick,) = (v.value for v in figure.lanes[order.index("local")].values if v.kind == "tick")
    assert tick == pytest.approx(1.3)


def test_the_table_has_general_processor_time_first():
    """Of the first screen sorted by it: 0.6 / 1.3 = -53.8%, 1.7 / 1.3 = +30.8%."""
    study = _of(list(EIGHT))
    summary = summary_table(study)
    assert summary
    assert [h.title for h in summary.heads] == [
        "Configuration", "General-processor time per request", "Change", "of it zIIP-eligible on CP", "zIIP time per request",
        "All CPU time per request",
    ]  # fmt: skip
    rows = _cells(study)
    assert [row[0] for row in rows] == ["far", "driver B", "pool B", "XA", "local", "pool", "XA local", "driver A"]
    assert [row[2] for row in rows] == ["−53.8%", "−38.5%", "−26.9%", "−7.7%", "baseline", "+7.7%", "+15.4%", "+30.8%"]
    # One number of decimals per column.
    assert [row[1] for row in rows] == ["0.60", "0.80", "0.95", "1.20", "1.30", "1.40", "1.50", "1.70"]


def test_bars_of_more_than_two_are_of_each_configuration_against_the_baseline_in_the_order_of_the_table():
    """GP 1.3 of the baseline, 1.7 and 0.8 ms: -0.5 first, then +0.4, of it 0.1 zIIP-eligible, both from 0, which is at 5/9."""
    study = _of(["local", "driver A", "driver B"])
    found, table = waterfall(study), summary_table(study)
    assert found
    assert table
    assert found.title == "Change of general-processor time per request, each configuration against “local”"
    assert [(b.name, b.change) for b in found.bars] == [("driver B", "−0.5"), ("driver A", "+0.4")]
    in_table = [row.cells[0].text for row in table.bodies[0].rows]
    assert [b.name for b in found.bars] == [name for name in in_table if name != "local"]
    assert found.zero == pytest.approx(5 / 9 * 100, abs=0.01)
    own, overflow = found.bars[1].pieces
    assert own.left == pytest.approx(found.zero, abs=0.01)
    assert (own.style, own.width) == ("own", pytest.approx(0.3 / 0.9 * 100, abs=0.01))
    assert (overflow.style, overflow.width) == ("overflow", pytest.approx(0.1 / 0.9 * 100, abs=0.01))
    assert (
        waterfall(_study([*(_configuration(n, EIGHT[n]) for n in ("local", "pool")), _configuration("lost", None)]))
        is None
    )


def _difference(base: float, new: float, half: float, **other: Any) -> dict[str, Any]:
    change = new - base
    ends = {"lower": change - half, "upper": change + half}
    told = {
        "baseline_value": base, "difference": change, "difference_pct": 100 * change / base, "verdict": "differs",
        "p_value": None,
    }  # fmt: skip
    return told | ends | other


def test_an_interval_below_the_printed_digit_is_none():
    """53 and 56 ms printed to 1 ms: 55.5 / 53.5 = +3.7%, 56.5 / 52.5 = +7.6%; a half-width of 2 ms is 1 / 53 to 5 / 53."""
    assert verdict(_difference(53, 56, 0.0, printed_to=1.0)) == (
        "printed to 1 ms, no 95% interval: +3.7 to +7.6% by rounding alone"
    )
    assert verdict(_difference(53, 56, 2.0, printed_to=1.0)) == "95% interval +1.9 to +9.4%"
    assert verdict(_difference(0.005, 1, 0.1, difference_pct=None)) == "95% interval 0.895 to 1.095 ms"
    assert (
        verdict(_difference(10, 12, 0.0)) == "no 95% interval: same difference in all intervals, to the printed digits"
    )
    assert verdict(_difference(10, 10, 0.0, verdict="within noise")) == "equal in all intervals, to the printed digits"
    assert verdict(_difference(1, 1, 3, printed_to=1.0, verdict="within noise")) == "within noise"
    assert spread({"lower": 55.9, "upper": 56.1, "printed_to": 1.0}) == "printed to 1 ms"
    assert spread({"lower": 55.0, "upper": 57.0, "printed_to": 1.0}) == "55 to 57"
    assert spread({"lower": 2.0, "upper": 2.0}) == ""
    assert spread({"lower": None, "upper": None}) == ""


def test_throughput_is_extrapolated_from_the_busiest_run_and_stands_beside_what_was_measured():
    """Two runs each: 500/s at 10% busy would be 5,000/s, 2,000/s at 80% are 2,500/s: the busier one is what is said. B ends at 1,345/s with 18% busy,
    which would be 7,472/s, and is not extrapolated; where none is, there is nothing."""
    runs = [
        ("S", "A", "1", 500, 10),
        ("S", "A", "2", 2000, 80),
        ("S", "B", "1", 500, 7),
        ("S", "B", "2", 1345, 18),
        ("T", "A", "1", 8, 17),
    ]
    printed = ", ".join(
        f"('{study}', '{c}', '{run}', '{basis}', {rate:e}, {rate / busy * 100:e}, {busy:e}, [1])"
        for study, c, run, rate, busy in runs for basis in ("cp", "cp_and_ziip")
    )  # fmt: skip
    itr = f"(VALUES {printed}) AS itr(study, configuration, run, busy_basis, etr_per_s, itr_per_s, cpu_busy_pct, refs)"
    found = duckdb.connect().sql(f"WITH itr AS (FROM {itr}) FROM {_declared('itr_cp').rows} ORDER BY ALL")
    rows: list[dict[str, Any]] = [
        dict(zip(found.columns, row, strict=True)) | {"reference": Reference()} for row in found.fetchall()
    ]
    assert {row["study"] for row in rows} == {"S"}
    figure: Any = draw(_declared("itr_cp"), rows, ["A", "B"])
    assert rows_of(figure) == ["A", "B"]
    assert told(figure) == {"Extrapolated": [2500], "Highest measured": [2000, 1345]}
    assert words_of(figure) == ["busiest run 80% busy", "busiest run 18% busy"]
    # Without zIIPs both bases are the same, and there is one chart.
    assert draw(_declared("itr_cp_and_ziip"), rows, ["A", "B"]) == ""
    assert draw(_declared("itr_cp_and_ziip"), [row | {"itr_cp_and_ziip": 2000.0} for row in rows], ["A", "B"])


def _class(name: str, run: str, cp: float, cpu: float | None = None, **other: Any) -> dict[str, Any]:
    """Own time, as printed without a zIIP; milliseconds a transaction are as many."""
    row = {
        "class": name,
        "configuration": run,
        "cp_pct": cp,
        "cpu_pct": cp if cpu is None else cpu,
        "rank": cp,
        "reference": Reference(),
    }
    row |= {"non_ziip_eligible_pct": cp, "ziip_on_cp_pct": 0.0, "ziip_pct": row["cpu_pct"] - cp, "other_pct": 0.0}
    return row | {"cp_ms_per_transaction": cp} | other


def test_classes_are_split_by_what_may_run_where_those_with_the_most_general_processor_time_first():
    """DDF: CP 60 of 90, TSO 70 of 70; IDLE has none, and OLD prints no split."""
    picture, none = _declared("cpu_by"), dict.fromkeys(("non_ziip_eligible_pct", "ziip_on_cp_pct", "ziip_pct"))
    rows = [_class("DDF", run, 60.0, 90.0) for run in ("a", "b")] + [_class("TSO", run, 70.0) for run in ("a", "b")]
    rows += [_class("IDLE", "a", 0.0), _class("OLD", "a", 8.0, **none, other_pct=8.0)]
    figure: Any = draw(picture, rows, ["a", "b"])
    assert rows_of(figure) == ["[TSO]", "a", "b", "[DDF]", "a", "b", "[OLD]", "a"]
    assert told(figure) == {
        "Not zIIP-eligible": [70, 70, 60, 60],
        "On zIIP": [0, 0, 30, 30],
        "zAAP or not split": [0, 0, 0, 0, 8],
    }
    assert words_of(figure)[2:] == ["90, general processors 60", "90, general processors 60", "8, general processors 8"]
    assert [v.value for v in figure.values if v.kind == "tick"] == [70, 70, 60, 60, 8]
    many: Any = draw(picture, [_class(f"C{n:02}", run, 100.0 - n) for n in range(40) for run in ("a", "b")], ["a", "b"])
    assert many.title.endswith("; shown are the 24 of 80 with the most general-processor time")
    assert rows_of(many)[0] == "[C00]"


def test_a_cost_is_drawn_at_its_change_and_those_that_do_not_change_are_a_sentence():
    """A from 1 to 1.2 ms, +20%; B from 2 to 1 ms, -50%; C has a cost in one run only."""
    picture = replace(_declared("cost_by"), against="before", question="Cost?")
    names = ["before", "after"]
    rows = [
        _class("A", "before", 1.0),
        _class("A", "after", 1.2),
        _class("B", "before", 2.0),
        _class("B", "after", 1.0),
    ]
    figure: Any = draw(picture, [*rows, _class("C", "before", 5.0)], names)
    assert {one["name"]: one["x"] for one in series(figure)} == {"before": [0, 0], "after": [-50, 20]}
    # The saved data and the texts have the costs.
    assert told(figure) == {"before": [2.0, 1.0], "after": [1.0, 1.2]}
    assert words_of(figure) == ["2 → 1 ms, −50.0%", "1.0 → 1.2 ms, +20.0%"]
    assert (figure.title, figure.axis) == (
        "Cost? 1 of 2 more, 1 less, 0 the same within 1%",
        "Change against before (%)",
    )
    # Ten times as much needs a logarithmic scale, which says so.
    figure = draw(picture, [*rows, _class("D", "before", 1.0), _class("D", "after", 10.0)], names)
    assert figure.is_log
    assert figure.axis == "General-processor time per transaction, before = 1 (ratio, logarithmic)"
    assert {one["name"]: one["x"] for one in series(figure)}["after"] == [10, 0.5, 1.2]
    # Of three the lowest and the highest change are said.
    figure = draw(picture, [*rows, _class("A", "third", 0.9), _class("B", "third", 2.5)], [*names, "third"])
    assert words_of(figure) == ["after −50.0%, third +25.0%", "third −10.0%, after +20.0%"]
    same = [
        _class("A", "before", 1000.0),
        _class("A", "after", 1004.0),
        _class("B", "before", 1000.0),
        _class("B", "after", 991.0),
    ]
    assert (
        draw(picture, same, names)
        == "General-processor time per transaction is the same in all 2 that print it, within 0.9%."
    )
    assert isinstance(draw(picture, [*same[:3], _class("B", "after", 989.0)], names), Chart)
    assert draw(picture, rows[:1], names) == ""


def _rates(**responses: list[float]) -> Any:
    found = []
    for name, of in responses.items():
        configuration = _configuration(name, None)
        configuration.runs = [
            dict.fromkeys(("cp_pct", "cpu_pct", "cpu_ms_per_request"))
            | {
                "configuration": name,
                "run": str(n),
                "requests_per_s": (100.0, 300.0, 250.0)[n],
                "response_ms": ms,
                "reference": Reference(),
            }
            for n, ms in enumerate(of)
        ]
        found.append(configuration)
    return _drawn(_study(found))["study_1_response_ms"]


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


def _coupled(first: str) -> StudyMeasures:
    """B2 needs 80 ms a request alone and B1 100 ms coupled: efficiency 80%, 25% more."""
    row: dict[str, Any] = {
        "busy_basis": "cp",
        "busy": "",
        "uncoupled": "B2",
        "coupled": "B1",
        "coupling_efficiency_pct": 80.0,
    }
    row |= {"capacity_delta_pct": 20.0, "cpu_increase_pct": 25.0}
    for side, ms, busy in (("uncoupled", 80.0, 14.0), ("coupled", 100.0, 20.0)):
        row |= {f"busy_ms_per_request_{side}": ms, f"cpu_busy_{side}_pct": busy, f"engines_online_{side}": 10.0}
    study = _study([_configuration(name, None) for name in (first, "B1" if first == "B2" else "B2")])
    for configuration, rate in zip(study.configurations, (17.5, 20.0), strict=True):
        configuration.runs = [{"intervals": 1, "requests_per_s": rate}]
        configuration.itr = [{"busy_basis": "cp", "etr_per_s": rate}]
    study.coupling = [row]
    study.facts = [
        {"fact": "machine", "configuration": name, "value": value}
        for name, value in (("B2", "9672 R53"), ("B1", "9672 RX3"))
    ]
    return study


def test_coupling_has_its_picture_before_and_after_its_efficiency_and_names_that_are_explained():
    study = _coupled("B2")
    found = waterfall(study)
    assert found
    assert [(bar.name, bar.change) for bar in found.bars] == [("B2", "80"), ("B1", "100")]
    assert [[(p.left, p.width) for p in bar.pieces] for bar in found.bars] == [[(0, 80)], [(0, 80), (80, 20)]]
    assert found.bars[1].note == "coupled, +25.0%: efficiency 80.0%"
    assert _cells(study) == [
        [
            "Busy processor time per request",
            "80 ms",
            "100 ms",
            "+20 ms",
            "efficiency 80.0%; no 95% interval: 1 interval a side",
        ],
        ["Requests per second", "17.5", "20.0", "+2.5", "not alike"],
        ["Processors busy", "14", "20", "+6", "not alike"],
        ["General processors", "10", "10", "0", "alike"],
    ]
    screen = first_screen([study], finding(study))
    assert screen.runs == [("B2", "uncoupled · 9672 R53"), ("B1", "coupled · 9672 RX3")]
    # A baseline that is coupled has its time before.
    assert _cells(_coupled("B1"))[0][1:3] == ["100 ms", "80 ms"]


@pytest.mark.parametrize(
    "study", [_coupled("B2"), _of(["local", "driver B"]), _of(list(EIGHT))], ids=("coupled", "two", "eight")
)
def test_terms_are_told_where_they_stand_and_no_others(study: StudyMeasures):
    screen = first_screen([study], finding(study))
    said = screen.text[: screen.text.index(f"\n{screen.terms[0][0]}: ")]
    shown = {name for name in TERMS if re.search(rf"\b{name}s?\b", said)}
    assert {name for name, _ in screen.terms} == shown
    assert all(f"\n{name}: {meaning}." in screen.text for name, meaning in screen.terms)
