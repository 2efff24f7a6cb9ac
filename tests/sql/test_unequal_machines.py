"""Comparisons of machines that are unlike: other numbers of engines, engines of another speed, zIIPs faster than general processors."""

import datetime as dt
from typing import Any

import pytest
from ironlake.dashboards.pages.study_tables import coupling_table
from ironlake.dashboards.study_rows import StudyMeasures
from ironlake.pipeline.sql.statistics import study_statistics
from one_lake import Asks, CaseLake, Rows, each, examples
from rmf_rows import policy, processor, report_class, service_class
from study_lakes import studied
from views_lake import START, Answers, Row, approx, expect, heading, one_row, worked_page

MINUTE = dt.timedelta(minutes=1)


COUPLED = """\
study: S
requests: {report_class: RCICS}
subsystems: {CICS: {report_class: RCICS}}
configurations:
  alone: {steps: [{window: 2021-04-13T10:00/10:01}]}
  coupled: {steps: [{window: 2021-04-13T10:01/10:02}]}
coupling: {uncoupled: alone, coupled: coupled}
"""


def engines(number: int, busy: float, minute: int = 0, online: float = 100.0, **other: Any) -> list[Row]:
    """So many engines of a system in a minute, all as busy."""
    at: Row = {"interval_start": START + minute * MINUTE, "interval_end": START + (minute + 1) * MINUTE}
    rows: list[Row] = [at | {"line": 100 * minute + 30 + n} | other for n in range(number)]
    return [processor(n, busy, online, **row) for n, row in enumerate(rows)]


def two_runs(uncoupled: list[Row], coupled: list[Row], rate: float = 110.0, text: str = COUPLED) -> Asks[CaseLake]:
    """100 requests a second for 500% of an engine uncoupled, then `rate` a second coupled for 544.4%."""
    pages = [report_class("RCICS", 0, 500.0, 6000, scope="SYSA"), report_class("RCICS", 1, 544.4, round(60 * rate), scope="SYSA,SYSB")]  # fmt: skip
    return (yield studied(text, rmf_workload_activity=pages, rmf_cpu_activity=[*uncoupled, *coupled]))


def coupling(lake: Answers, basis: str = "cp") -> Row:
    return one_row(lake, f"FROM coupling_efficiency WHERE busy_basis = '{basis}'")


def test_twelve_engines_against_ten_compare_by_processor_time_per_request():
    """5 of 10 engines at 100/s are 50 ms a request, 5.444 of 2 x 6 at 100/s are 54.44: 8.88% more, efficiency 50/54.44 = 91.844%.
    Busy shares alone, 50% and 45.367%, would say 50/45.367 = 110.21%."""
    busy = 544.4 / 12
    both = [row for s in ("SYSA", "SYSB") for row in engines(6, busy, 1, system=s)]
    lake = yield from two_runs(engines(10, 50.0), both, rate=100.0)
    row = coupling(lake)
    expect(row, engines_online_uncoupled=approx(10), engines_online_coupled=approx(12))
    expect(row, busy_ms_per_request_uncoupled=approx(50), busy_ms_per_request_coupled=approx(54.44))
    expect(row, cpu_increase_pct=approx(8.88), coupling_efficiency_pct=approx(91.844, abs=5e-4))
    expect(row, capacity_delta_pct=approx(8.156, abs=5e-4))
    assert row["itr_coupled"] / row["itr_uncoupled"] == approx(1.1021, abs=1e-4)
    # What the classes say of the same runs.
    (overhead,) = lake.rows("FROM coupling_overhead_by_class WHERE is_total AND class_kind = 'report_class'")
    assert overhead["cpu_increase_pct"] == approx(8.88)


def test_the_page_shows_engines_and_processor_time_beside_the_itr():
    """5 of 10 engines busy for 100 requests a second, then 6 of 2 x 6 for 110: 50 and 54.55 ms; ITRs of 200 and 220 are of 10 and of 12
    engines."""
    both = [row for s in ("SYSA", "SYSB") for row in engines(6, 50.0, 1, system=s)]
    row = coupling((yield from two_runs(engines(10, 50.0), both))) | {"busy": "general processors"}
    study = StudyMeasures("S", [], [], False, [row], [], [], [], {})
    table = coupling_table(study)
    assert table
    found = {row.cells[0].text: row.cells[1].text for row in table.bodies[0].rows}
    assert found["Busy processor time per request uncoupled, coupled (ms)"] == "50, 54.55"
    assert found["Engines online uncoupled, coupled"] == "10, 12"
    assert found["ITR uncoupled, coupled (1/s, all online engines)"] == "200, 220"


@pytest.mark.parametrize(
    ("each", "busy", "rate", "efficiency", "ratio"),
    [
        # Each image has the 10 engines of the machine as logical ones: 20 online, 5.444 busy. Shares would say 183.67%.
        (10, 27.22, 100.0, approx(91.844, abs=5e-4), approx(1.8369, abs=1e-4)),
        # As many engines give the ratio of the rates: 50% and 49.491% of 10, 100 and 110/s: (110/0.49491) / (100/0.5) = 111.131%.
        (5, 49.491, 110.0, approx(111.131, abs=1e-3), approx(1.11131, abs=1e-5)),
    ],
)
def test_two_images_of_as_many_engines(each: int, busy: float, rate: float, efficiency: object, ratio: object):
    both = [row for s in ("SYSA", "SYSB") for row in engines(each, busy, 1, system=s)]
    row = coupling((yield from two_runs(engines(10, 50.0), both, rate=rate)))
    assert (row["coupling_efficiency_pct"], row["itr_coupled"] / row["itr_uncoupled"]) == (efficiency, ratio)


def test_runs_with_other_engines_online_are_weighted_by_engine_time():
    """2 of 2 engines busy, then 2 of 6: 4 of 8 engine-minutes, 50%. The mean of 100 and 33.3% would be 66.7%.
    200 requests a second over that share are 400/s; 4 engine-minutes for 24,000 requests are 10 ms each."""
    text = COUPLED.replace("10:00/10:01}]", "10:00/10:01}, {window: 2021-04-13T10:05/10:06}]")
    pages = [report_class("RCICS", minute, 50.0, 12000, scope="SYSA") for minute in (0, 1, 5)]
    processors = [*engines(2, 100.0), *engines(6, 100 / 3, 5), *engines(2, 50.0, 1)]
    row = coupling((yield studied(text, rmf_workload_activity=pages, rmf_cpu_activity=processors)))
    expect(row, cpu_busy_uncoupled_pct=approx(50), itr_uncoupled=approx(400), busy_ms_per_request_uncoupled=approx(10))


def statistics(lake: Answers, measure: str) -> Row:
    tables = study_statistics(lake)
    rows = [r for r in tables["study_difference"].to_pylist() if r["measure"] == measure]
    return next(r for r in rows if r["subject"] in (None, "cp", "CICS"))


def test_itrs_of_other_numbers_of_engines_have_no_difference():
    both = [row for s in ("SYSA", "SYSB") for row in engines(6, 544.4 / 12, 1, system=s)]
    lake = yield from two_runs(engines(10, 50.0), both, rate=100.0)
    row = statistics(lake, "itr_per_s")
    assert (row["verdict"], row["difference"], row["difference_pct"]) == ("unlike engines", None, None)
    assert (row["baseline_value"], row["value"]) == (approx(200), approx(100 / (5.444 / 12)))
    row = statistics(lake, "busy_ms_per_request")
    assert row["difference_pct"] == approx(8.88)


def test_engines_threads_and_weights_are_among_the_warnings():
    def machine(minute: int, weight: float, threads: int) -> dict[str, list[Row]]:
        at = heading(START + minute * MINUTE, line=300 + minute, scope=None, system="SYSA")
        partition = at | {"is_total": False, "processor_type": "CP", "mvs_partition": "LPA"}
        return {
            "rmf_multithreading": [at | {"processor_type": "IIP", "threads_per_core": threads}],
            "rmf_partition_data": [
                partition | {"partition": "LPA", "weight": weight},
                partition | {"partition": "LPB", "weight": 100.0},
                partition | {"partition": None, "weight": weight + 100.0, "is_total": True},
            ],
        }

    first, second = machine(0, 300.0, 1), machine(1, 100.0, 2)
    pages = [report_class("RCICS", minute, 50.0, 6000, scope="SYSA") for minute in (0, 1)]
    lake = yield studied(
        COUPLED,
        rmf_workload_activity=pages,
        rmf_cpu_activity=[*engines(4, 50.0), *engines(3, 66.0, 1), *engines(1, 66.0, 1, 50.0, processor_id="9")],
        **{name: [*first[name], *second[name]] for name in first},
    )
    found = {r["warning"]: (r["baseline_value"], r["value"]) for r in lake.rows("FROM comparison_warning")}
    expect(found, engines_cp=("4.0", "3.5"), threads=("IIP 1", "IIP 2"))
    # 300 of 400 and 100 of 200.
    assert found["lpar_weight"] == ("CP 75.0%", "CP 50.0%")


NORMALIZED = (
    COUPLED + "normalization: {alone: {engine_mips: [16.5, 19.4]}, coupled: {lpar_overhead_pct: 10}}\nbaseline: alone\n"
)


def test_every_comparison_is_normalised():
    """20 ms on engines of 16.5 MIPS are 20 x 16.5/19.4 = 17.0103 ms; 23 ms less 10% are 20.7: 21.69% more, whoever says it."""
    pages = [report_class("RCICS", 0, 20.0, 600), report_class("RCICS", 1, 26.45, 690)]
    lake = yield studied(NORMALIZED, rmf_workload_activity=pages)
    before, after = 20 * 16.5 / 19.4, 20.7
    change = one_row(lake, "FROM cost_change WHERE subsystem = 'CICS'")
    expect(change, baseline_cpu_ms_per_request=approx(before), cpu_ms_per_request=approx(after))
    expect(change, reduction_pct_of_baseline=approx(-21.69, abs=5e-3))
    expect(change, cp_reduction_pct_of_baseline=approx(-21.69, abs=5e-3))
    (overhead,) = lake.rows("FROM coupling_overhead_by_class WHERE class_name = 'RCICS'")
    assert overhead["cpu_increase_pct"] == approx(21.69, abs=5e-3)
    by_location = lake.rows("FROM cost_by_location WHERE is_total ORDER BY run, configuration")
    assert [row["cpu_ms_per_request"] for row in by_location] == [approx(before), approx(after)]
    # Percentages stay as measured.
    assert [row["cpu_pct"] for row in by_location] == [approx(20), approx(26.45)]
    difference = statistics(lake, "cpu_ms_per_request")
    assert difference["difference_pct"] == approx(21.69, abs=5e-3)
    confidence = study_statistics(lake)["study_confidence"].to_pylist()
    costs = {
        r["configuration"]: r["value"]
        for r in confidence
        if r["measure"] == "cpu_ms_per_request" and r["subject"] == "CICS"
    }
    assert costs == {"alone": approx(before), "coupled": approx(after)}


def test_the_fitted_cost_is_normalised():
    """2 + 0.5 x rate percent at 10, 20, 30 and 40 requests a second: 5 ms a request and 2% fixed, times 0.9."""
    text = COUPLED.replace("10:00/10:01", "10:00/10:04").replace("study: S", "study: S\ninterval: all")
    text = text.replace("10:01/10:02", "10:10/10:11") + "normalization: {alone: {lpar_overhead_pct: 10}}\n"
    pages = [report_class("RCICS", n, 2 + 5 * (n + 1), 600 * (n + 1)) for n in range(4)]
    lake = yield studied(text, rmf_workload_activity=[*pages, report_class("RCICS", 10, 20.0, 600)])
    rows = study_statistics(lake)["study_fit"].to_pylist()
    row = next(
        r for r in rows if (r["configuration"], r["measure"], r["subject"]) == ("alone", "cpu_ms_per_request", "CICS")
    )
    expect(row, ms_per_request=approx(4.5), fixed_pct=approx(1.8))


def test_a_line_is_fitted_to_each_cost():
    """At 10, 20, 30 and 40 requests a second CP is 1 + 0.2 x rate, 3, 5, 7 and 9%, and IIP 2 + 0.3 x rate, 5, 8, 11 and 14%, of zIIPs twice
    as fast. CP: 0.2% of an engine for a request a second is 2 ms, 1% fixed. CP + IIP: 5 ms, 3%. CP + 2 IIP: 0.2 + 0.6, 8 ms, 1 + 4 = 5%."""
    pages = []
    for n, rate in enumerate((10, 20, 30, 40)):
        cp, iip = 1 + 0.2 * rate, 2 + 0.3 * rate
        times = {"iip_time_s": iip * 0.6, "cpu_time_s": cp * 0.6 + 2 * iip * 0.6, "srb_time_s": 0.0}
        row = worked_page(**heading(START + n * MINUTE, line=10 + n), transactions_ended=60 * rate) | times
        pages.append(row | {"report_class": "RCICS", "appl_cp_pct": cp, "appl_iip_pct": iip, "appl_iipcp_pct": 0.0})
    text = COUPLED.replace("10:00/10:01", "10:00/10:04").replace("10:01/10:02", "10:10/10:11")
    text = text.replace("study: S", "study: S\ninterval: all")
    rows = study_statistics((yield studied(text, rmf_workload_activity=pages)))["study_fit"].to_pylist()
    found = {r["measure"]: r for r in rows if (r["configuration"], r["subject"]) == ("alone", "CICS")}
    assert {name: (row["ms_per_request"], row["fixed_pct"]) for name, row in found.items()} == {
        "cp_ms_per_request": (approx(2), approx(1)),
        "cpu_ms_per_request": (approx(5), approx(3)),
        "cpu_normalized_ms_per_request": (approx(8), approx(5)),
    }


def test_three_costs_where_ziips_are_twice_as_fast():
    """A second of work at 10 requests: CP 10% + IIP 20% is 30 ms, with NF 2 as of general processors 50 ms, 10 ms of them paid for.
    Then CP 35% + IIP 5%: 40 ms is a third more, like for like 45 ms is 10% less, and on general processors 35 ms is 250% more."""

    def minute(number: int, cp: float, iip: float) -> Row:
        times = {"iip_time_s": iip * 0.6, "cpu_time_s": cp * 0.6 + 2 * iip * 0.6, "srb_time_s": 0.0}
        row = worked_page(**heading(START + number * MINUTE, line=10 + number), transactions_ended=600) | times
        return row | {"report_class": "RCICS", "appl_cp_pct": cp, "appl_iip_pct": iip, "appl_iipcp_pct": 0.0}

    lake = yield studied(
        COUPLED + "baseline: alone\n", rmf_workload_activity=[minute(0, 10.0, 20.0), minute(1, 35.0, 5.0)]
    )
    row = one_row(lake, "FROM cost_change WHERE subsystem = 'CICS'")
    assert (row["baseline_cpu_ms_per_request"], row["cpu_ms_per_request"]) == (approx(30), approx(40))
    assert row["reduction_pct_of_baseline"] == approx(-100 / 3)
    normalised = row["baseline_cpu_normalized_ms_per_request"], row["cpu_normalized_ms_per_request"]
    assert normalised == (approx(50), approx(45))
    assert row["cpu_normalized_reduction_pct_of_baseline"] == approx(10)
    assert (row["baseline_cp_ms_per_request"], row["cp_ms_per_request"]) == (approx(10), approx(35))
    assert row["cp_reduction_pct_of_baseline"] == approx(-250)
    assert row["cp_improvement_pct_of_new"] == approx(-100 * 25 / 35)
    differences = {m: statistics(lake, m)["difference_pct"] for m in ("cpu_ms_per_request", "cp_ms_per_request")}
    assert differences == {"cpu_ms_per_request": approx(100 / 3), "cp_ms_per_request": approx(250)}
    assert statistics(lake, "cpu_normalized_ms_per_request")["difference_pct"] == approx(-10)


# --- A service policy page is evidence for the systems that it names: factors and SU/SEC by scope ---------------------


def page(
    scope: str | None, factor: float | None, speed: dict[str, float] | None = None, line: int = 10, **other: object
) -> dict[str, list[Row]]:
    """A service policy page of systems, with SU/SEC of each."""
    printed = policy(1.0)
    name = {"scope": scope, "line": line} | other
    return {
        "rmf_service_policy": [printed["rmf_service_policy"][0] | name | {"norm_factor_iip": factor}],
        "rmf_service_policy_system": [
            printed["rmf_service_policy_system"][0] | name | {"system": system, "su_per_s": su}
            for system, su in (speed or {}).items()
        ],
    }


def pages(*some: dict[str, list[Row]]) -> dict[str, list[Row]]:
    return {name: [row for each in some for row in each[name]] for name in some[0]}


def factor(
    scope: str | None, *some: dict[str, list[Row]], others: tuple[str, ...] = ()
) -> Asks[tuple[float | None, str]]:
    """The factor of a page of classes of a scope, and its source; `others` are scopes of other pages of the interval."""
    classes = [
        service_class("CICS", 60.0 + n, scope=each, appl_iip_pct=30.0, line=10 + n)
        for n, each in enumerate((scope, *others))
    ]
    lake = yield dict(rmf_workload_activity=classes, **pages(*some))
    asked = "IS NULL" if scope is None else f"= '{scope}'"
    row = one_row(lake, f"FROM cpu_by_class WHERE scope {asked}")
    normalized = row["cpu_normalized_pct"]
    assert normalized == (
        None if row["normalization_factor"] is None else approx(60 + 30 * row["normalization_factor"])
    )
    return row["normalization_factor"], row["normalization_source"]


def test_the_factor_of_a_page_of_classes_is_that_of_the_pages_that_name_its_systems():
    a, b, other_b = page("SYSA", 2.0), page("SYSB", 2.0, line=11), page("SYSB", 1.5, line=11)
    both = ("SYSA", "SYSB")
    two, one, unlike = (2.0, "policy_page"), (1.0, "assumed_1"), (None, "contradictory")
    cases = [
        (factor("SYSA", a, other_b, others=("SYSB",)), two),
        (factor("SYSB", a, other_b, others=("SYSA",)), (1.5, "policy_page")),
        # The page of SYSA says nothing of SYSB, though it is the only one of the sysplex; one of more systems does.
        (factor("SYSB", a, others=("SYSA",)), one),
        (factor("SYSB", page("SYSA,SYSB,SYSC", 2.0, source_id="s2"), others=("SYSA",)), two),
        # Pages of one system each cover a page of both where they agree.
        (factor("SYSA,SYSB", a, b), two),
        (factor("SYSA,SYSB", a, other_b), unlike),
        # Of one alone 2 would be a neighbour's for SYSB, and 1 is wrong for SYSA. A factor of 1 contradicts nothing.
        (factor("SYSA,SYSB", page("SYSA", 2.0, source_id="s2")), unlike),
        (factor("SYSA,SYSB", page("SYSA", 1.0, source_id="s2")), one),
        # Pages that differ for one system. A cell that could not be read is no evidence.
        (factor("SYSA", a, page("SYSA", 2.2, line=11, source_id="s2")), unlike),
        (factor("SYSA", a, page("SYSA,SYSB", 2.2, line=11), others=("SYSB", "SYSA,SYSB")), unlike),
        (factor("SYSA", a, page("SYSA", None, line=11)), two),
        # Of unknown systems: all that are known must have one factor. A policy page without systems is one of the unknown.
        (factor(None, a, b, others=both), two),
        (factor(None, a, other_b, others=both), unlike),
        (factor(None, page("SYSA", 1.0), others=both), one),
        (factor(None, page(None, 2.0), others=both), two),
        (factor(None, page(None, 2.0), page("SYSA", 1.5, line=11), others=both), unlike),
        (factor("SYSA", page(None, 2.0), others=("SYSB",)), one),
    ]
    assert (yield from each(*(asked for asked, _ in cases))) == [expected for _, expected in cases]


STUDY = """\
study: S
requests: {service_class: CICS}
configurations: {A: {steps: [{window: 2021-04-13T10:00/10:01}]}}
"""


# Two CPs of SYSA at 50% with a zIIP at 40, two CPs of SYSB at 25% with a zIIP at 20; pages of classes of each.
PROCESSORS = [
    processor(n, busy, kind=kind, system=system, line=line + n)
    for system, line, cp, ziip in (("SYSA", 30, 50.0, 40.0), ("SYSB", 40, 25.0, 20.0))
    for n, (busy, kind) in enumerate(((cp, "CP"), (cp, "CP"), (ziip, "IIP")))
]
CLASSES = [service_class("CICS", 60.0, scope=scope, line=10 + n) for n, scope in enumerate(("SYSA", "SYSB"))]
A, B = page("SYSA", 2.0), page("SYSB", 1.5, line=11)


def busy(*some: dict[str, list[Row]]) -> Rows:
    return studied(STUDY, rmf_workload_activity=CLASSES, rmf_cpu_activity=PROCESSORS, **pages(*some))


SPEEDS = pages(page("SYSA", 1.0, {"SYSA": 5e4}), page("SYSB", 1.0, {"SYSB": 6e4}, line=11))
NAMED = pages(page("SYSA", 2.0), page("SYSB", 2.0, line=11), page("SYSC", 1.5, line=12))
BOTH = "FROM run_busy WHERE busy_basis = 'cp_and_ziip'"
ZIIPS = f"ziip_engines_online, ziip_engines_busy, normalization_source {BOTH}"


test_scopes = examples(
    # 60% of an engine of 50,000 SU/s are 0.6 x 50000 x 3600 / 1,000,000 = 108 million an hour, of one of 60,000 129.6.
    *((f"service units of {scope}", {"rmf_workload_activity": [service_class("CICS", 60.0, scope=scope)], **SPEEDS},
     "gp_msu_service FROM cpu_by_class",
       [(units,)]) for scope, units in (("SYSA", approx(108)), ("SYSB", approx(129.6)), ("SYSA,SYSB", None), ("SYSC", None))),
    ("pages are named", {"rmf_workload_activity": [service_class("CICS", 60.0, scope="SYSA,SYSB")], **NAMED},
     "[[r.page, r.line] for r in refs] FROM interval_factor", [([[9, 10], [9, 11]],)]),
    # Online 4 + 1 x 2 + 1 x 1.5 = 7.5, busy 1 + 0.5 + 0.4 x 2 + 0.2 x 1.5 = 2.6: 34.667%. One factor of 2 would say 2.7 of 8. Weighted by
    # the zIIPs the factor is (2 + 1.5) / 2.
    ("factor of each scope", busy(A, B), f"engines_online, engines_busy, cpu_busy_pct, normalization_factor, {ZIIPS}",
     [(approx(7.5), approx(2.6), approx(2.6 / 7.5 * 100), approx(1.75), approx(2), approx(0.6), "policy_page")]),
    ("general processors", busy(A, B), "cpu_busy_pct FROM run_busy WHERE busy_basis = 'cp'", [(approx(37.5),)]),
    # SYSB has no page: 4 + 2 + 1 online, 1.5 + 0.8 + 0.2 busy, and the sources say so.
    ("no factor of a neighbour", busy(A), f"engines_online, engines_busy, normalization_source {BOTH}", [(approx(7), approx(2.5),
     "assumed_1,policy_page")]),
    ("contradictory factors", busy(A, page("SYSA", 2.5, line=11), page("SYSB", 1.5, line=12)),
     f"engines_online, engines_busy, cpu_busy_pct, normalization_factor, {ZIIPS}", [(None, None, None, None, approx(2), approx(0.6),
      "contradictory")]),
    ("general processors beside them", busy(A, page("SYSA", 2.5, line=11), page("SYSB", 1.5, line=12)),
     "cpu_busy_pct FROM run_busy WHERE busy_basis = 'cp'", [(approx(37.5),)]),
)  # fmt: skip


def test_an_interval_that_shows_no_factor_has_that_of_the_others_of_its_scope():
    """The first minute shows NF = (100 - 0.5 x 60) / 28 = 2.5, the second has hardly any zIIP time: of one machine, and so 2.5 as well.
    Two minutes of a CP at 50% and a zIIP at 40: (1 + 2.5) online, (0.5 + 0.4 x 2.5) busy."""
    times = {"srb_time_s": 0.0, "rct_time_s": 0.0, "iit_time_s": 0.0, "hst_time_s": 0.0}
    large = {"cpu_time_s": 100.0, "iip_time_s": 28.0, "appl_iip_pct": 46.67} | times
    small = {"cpu_time_s": 30.006, "iip_time_s": 0.006, "appl_iip_pct": 0.01} | times
    rows = [service_class("CICS", 50.0, n, line=10 + n) | cells for n, cells in enumerate((large, small))]
    at = [{"interval_start": row["interval_start"], "interval_end": row["interval_end"]} for row in rows]
    processors = [
        processor(n, busy, kind=kind, line=30 + 10 * m + n) | at[m]
        for m in (0, 1)
        for n, (busy, kind) in enumerate(((50.0, "CP"), (40.0, "IIP")))
    ]
    text = STUDY.replace("10:00/10:01", "10:00/10:02").replace("study: S", "study: S\ninterval: all")
    lake = yield studied(text, rmf_workload_activity=rows, rmf_cpu_activity=processors)
    row = one_row(lake, "FROM run_busy WHERE busy_basis = 'cp_and_ziip'")
    assert (row["engines_online"], row["engines_busy"]) == approx((3.5, 1.5))
    assert (row["normalization_factor"], row["normalization_source"]) == (approx(2.5), "recovered")
