"""What pages say of two, three and eight configurations: what is paid for comes first, a label names its mark, a share is of all
intervals, a sum is of one sysplex, and what the printed values cannot tell is not told."""

from collections.abc import Sequence
from typing import Any

import pytest
from drawn import rows_of, told, words_of
from ironlake.dashboards.charts import class_figures
from ironlake.dashboards.charts.arrange_charts import pictures_by_group
from ironlake.dashboards.charts.comparison_page_charts import PICTURES
from ironlake.dashboards.charts.study_figures import internal_throughput
from ironlake.dashboards.columns import COLUMNS
from ironlake.dashboards.first_screen.screen import summary_table
from ironlake.dashboards.first_screen.waterfall import waterfall
from ironlake.dashboards.headline_sentences import headline, spread, verdict
from ironlake.dashboards.pages.study import overview
from ironlake.dashboards.pages.study_tables import configuration_table
from ironlake.dashboards.references import Reference, Sources
from ironlake.dashboards.study_rows import ConfigurationMeasures, StudyMeasures
from ironlake.dashboards.templating import render_macro
from views_lake import MemoryLake

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
    return {f.id: f for group in pictures_by_group(study, "study_1").values() for f in group}


def test_of_two_the_headline_says_less_where_general_processors_do_less_though_all_cpu_is_more():
    """0.8 of 1.3 ms is 38.5% less; 2.6 of 2.0 ms in all is 30.0% more."""
    assert headline(_of(["local", "driver B"])) == (
        "driver B needs 0.8 ms of general-processor time per request, 38.5% less than local (1.3 ms). "
        "zIIP-eligible on CP: 0.1 → 0.2 ms; on zIIPs: 0.7 → 1.8 ms; all CPU time: 2 → 2.6 ms (+30.0%)."
    )


def test_of_eight_the_ends_are_those_of_general_processors_and_other_ends_are_said_beside_them():
    """Of all CPU the ends are others: 1.8 / 2.0 = -10.0%, 3.1 / 2.0 = +55.0%."""
    said = headline(_of(list(EIGHT)))
    assert said.startswith(
        "Of 8 configurations far needs the least general-processor time per request and driver A the most. far needs 0.6 ms"
    )
    assert said.endswith(
        "All CPU time, zIIPs included, is lowest in pool (1.8 ms, −10.0%), highest in XA (3.1 ms, +55.0%)."
    )
    study = _study([*(_configuration(n, p) for n, p in EIGHT.items()), _configuration("lost", None)])
    assert headline(study).endswith("The cost per request of 1 is unknown.")


def test_where_ziip_time_is_normalised_all_cpu_is_judged_so_with_the_measured_beside_it():
    """Factor 2: 1.3 + 1.4 = 2.7 and 0.8 + 3.6 = 4.4 ms, 63.0% more; as measured 30.0% more."""
    assert headline(_of(["local", "driver B"], 2.0)).endswith(
        "all CPU time with zIIP time normalised: 2.7 → 4.4 ms (+63.0%); as measured: 2 → 2.6 ms (+30.0%)."
    )


def test_without_ziip_time_there_is_one_cpu_time():
    study = _study([_configuration("old", (2.0, 0.0, 0.0)), _configuration("new", (3.0, 0.0, 0.0))])
    assert headline(study) == "new needs 3 ms of CPU time per request, 50.0% more than old (2 ms)."
    table = render_macro("table.html", "table", configuration_table(study, "study_1", Sources(MemoryLake())))
    assert "General-processor time" not in table


@pytest.mark.parametrize(
    ("names", "order", "title"),
    [
        (["local", "driver B"], ["driver B", "local (baseline)"], "lowest in driver B and highest in local"),
        (["local", "XA", "driver A"], ["XA", "local (baseline)", "driver A"], "lowest in XA and highest in driver A"),
        (
            list(EIGHT),
            ["far", "driver B", "pool B", "XA", "local (baseline)", "pool", "XA local", "driver A"],
            "lowest in far and highest in driver A",
        ),
    ],
)
def test_bars_are_ordered_and_labelled_by_general_processor_time(names: list[str], order: list[str], title: str):
    figure = _drawn(_of(names))["study_1_cost"]
    assert rows_of(figure) == order
    assert figure.title == f"General-processor time per request is {title}"
    assert "which is what is paid for" in figure.about
    labels = words_of(figure)
    # One number of decimals for all.
    labels = dict(zip(order, labels, strict=True))
    assert labels["local (baseline)"] == f"general processors {'1.30' if len(names) == 8 else '1.3'}, all 2.0"
    if "driver B" in names:
        assert labels["driver B"] == (
            f"general processors {'0.80' if len(names) == 8 else '0.8'} (−38.5%), all 2.6 (+30.0%)"
        )
    # The upright marks are where general-processor time ends: GP 1.3 of the baseline.
    (tick,) = (v.value for v in figure.lanes[order.index("local (baseline)")].values if v.kind == "tick")
    assert tick == pytest.approx(1.3)


def test_both_tables_have_general_processor_time_first():
    """Of the first screen sorted by it: 0.6 / 1.3 = -53.8%, 1.7 / 1.3 = +30.8%."""
    study = _of(list(EIGHT))
    summary = summary_table(study)
    assert summary
    assert [h.title for h in summary.heads] == [
        "Configuration", "General-processor time per request", "Change", "of it zIIP-eligible on CP", "zIIP time per request",
        "All CPU time per request",
    ]  # fmt: skip
    rows = [[cell.text for cell in row.cells] for row in summary.bodies[0].rows]
    assert [row[0] for row in rows] == ["far", "driver B", "pool B", "XA", "local", "pool", "XA local", "driver A"]
    assert [row[2] for row in rows] == ["−53.8%", "−38.5%", "−26.9%", "−7.7%", "baseline", "+7.7%", "+15.4%", "+30.8%"]
    # One number of decimals per column.
    assert [row[1] for row in rows] == ["0.60", "0.80", "0.95", "1.20", "1.30", "1.40", "1.50", "1.70"]
    table = render_macro("table.html", "table", configuration_table(study, "study_1", Sources(MemoryLake())))
    heads = [head.split(">", 1)[1].split("<")[0] for head in table.split('<th scope="col"')[1:]]
    assert heads[2:7] == [
        "General-processor time per request", "Not zIIP-eligible", "zIIP-eligible on CP", "On zIIP", "CPU per request",
    ]  # fmt: skip


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


def _dumbbell(costs: dict[str, dict[str, float]], runs: list[str]) -> Any:
    rows = [
        {"name": name, "run": run, "cp_pct": 1.0, "cp_ms_per_request": ms, "transactions": 10, "reference": ""}
        for name, of_runs in costs.items() for run, ms in of_runs.items()
    ]  # fmt: skip
    return class_figures.cost_per_transaction(
        rows, COLUMNS, figure_id="x", what="studies", runs=runs, measure="cp_ms_per_request", view="configuration_cost"
    )


def test_of_two_and_three_runs_every_change_is_said_and_of_eight_the_lowest_and_the_highest():
    figure = _dumbbell({"S": {"a": 2.0, "b": 1.5}}, ["a", "b"])
    assert figure.title == "General-processor time per request of S against a: b −25.0%"
    assert words_of(figure) == ["−25.0%, 2.0 → 1.5 ms"]
    figure = _dumbbell({"S": {"a": 2.0, "b": 3.0, "c": 1.0}}, ["a", "b", "c"])
    assert figure.title == "General-processor time per request of S against a: b +50.0%, c −50.0%"
    assert words_of(figure) == ["c −50.0%, b +50.0%"]
    figure = _dumbbell({n: {"a": 2.0, "b": 3.0, "c": 1.0} for n in "ST"}, ["a", "b", "c"])
    assert figure.title == (
        "General-processor time per request against a: b 2 of 2 studies cost more, 0 less, 0 the same within 1%; "
        "c 0 of 2 studies cost more, 2 less, 0 the same within 1%"
    )
    # The last of the file is neither: 0.6 / 1.3 = -53.8%, 1.7 / 1.3 = +30.8%.
    gp = {name: own + on_cp for name, (own, on_cp, _) in EIGHT.items()}
    runs = ["local", "far", "driver A", *(n for n in EIGHT if n not in ("local", "far", "driver A"))]
    figure = _dumbbell({"one": gp, "two": gp}, runs)
    assert figure.title == (
        "General-processor time per request, 7 others against local: lowest in far, highest in driver A, in all 2 studies"
    )
    assert words_of(figure) == ["far −53.8%, driver A +30.8%"] * 2


def test_the_overview_of_studies_compares_general_processor_time():
    drawn: dict[str, Any] = {}
    studies = [_study([_configuration(n, EIGHT[n]) for n in ("local", "driver B")], name) for name in ("one", "two")]
    overview(studies, drawn)
    assert drawn["studies"].title == (
        "General-processor time per request against local: 0 of 2 studies cost more, 2 less, 0 the same within 1%"
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


def _itr(name: str, run: int, rate: float, busy_pct: float) -> dict[str, Any]:
    row = {"configuration": name, "run": str(run), "etr_per_s": rate, "cpu_busy_pct": busy_pct, "reference": ""}
    return row | {"itr_per_s": rate / busy_pct * 100}


@pytest.mark.parametrize("count", [2, 3, 8])
def test_throughput_is_extrapolated_from_the_busiest_run_and_stands_beside_what_was_measured(count: int):
    """Two runs each: 500/s at 10% busy would be 5,000/s, 2,000/s at 80% are 2,500/s: the busier one is what is said. The last ends at
    1,345/s with 18% busy, which would be 7,472/s, and is not extrapolated."""
    names = [f"C{n}" for n in range(count)]
    rows = [_itr(name, *run) for name in names[:-1] for run in ((1, 500.0, 10.0), (2, 2000.0, 80.0))]
    rows += [_itr(names[-1], 1, 500.0, 7.0), _itr(names[-1], 2, 1345.0, 18.0)]
    figure: Any = internal_throughput(rows, COLUMNS, figure_id="itr", configurations=names, title="T")
    assert rows_of(figure) == names
    assert told(figure) == {
        "Extrapolated": [2500.0] * (count - 1), "Highest measured": [2000.0] * (count - 1) + [1345.0],
    }  # fmt: skip
    assert words_of(figure) == [
        *["2,500 from 80% busy, measured 2,000"] * (count - 1), "measured 1,345; at most 18% busy: too little to extrapolate",
    ]  # fmt: skip
    assert "There is no bar if processors were never 30% busy." in figure.about
