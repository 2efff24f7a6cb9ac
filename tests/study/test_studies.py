"""Studies: what is wrong with a file, what a study selects, what follows from it, and the published results."""

from __future__ import annotations

import datetime as dt

import pytest
from one_lake import Asks, each
from rmf_rows import overlapping, processor
from study_lakes import ONE_STEP, minutes, one, studied
from views_lake import START, Row, expect, heading, worked_page


def named(name: str) -> str:
    return ONE_STEP.replace("study: S", f"study: '{name}'")


def test_rules_pick_intervals():
    rules = {"last": [5000], "all": [1000, 2000, 3000, 4000, 5000], "[10:01, 10:03]": [2000, 4000]}
    studies = [named(rule) + f"interval: {rule}\n" for rule in rules]
    lake = yield studied("---\n".join([*studies, ONE_STEP]), rmf_workload_activity=minutes(7))
    rows = lake.rows("SELECT study, list(requests ORDER BY requests) AS ended FROM run_interval GROUP BY study")
    assert {row["study"]: row["ended"] for row in rows} == rules


def test_an_interval_belongs_to_a_window_by_its_midpoint():
    late = [row | {"interval_start": row["interval_start"] + dt.timedelta(seconds=20)} for row in minutes(6)]
    late = [row | {"interval_end": row["interval_start"] + dt.timedelta(seconds=60)} for row in late]
    row = one((yield studied(ONE_STEP + "interval: last\n", rmf_workload_activity=late)), "FROM run_interval")
    assert (row["interval_start"], row["requests"]) == (START + dt.timedelta(minutes=4, seconds=20), 5000)


def test_without_a_rule_one_interval_alone_counts():
    row = one((yield studied(ONE_STEP, rmf_workload_activity=minutes(1))), "FROM run_interval")
    expect(row, interval_s=60, requests=1000, scope="SYSA,SYSB", system=None, requests_per_s=pytest.approx(1000 / 60))
    expect(row, response_ms=pytest.approx(19))


def test_intervals_that_hold_the_same_time_are_not_added():
    whole = worked_page(**heading(START, 300, line=90), transactions_ended=15000)
    lake = yield studied(ONE_STEP + "interval: all\n", rmf_workload_activity=[*minutes(5), whole])
    assert one(lake, "SELECT sum(requests) AS n, sum(interval_s) AS s FROM run_interval") == {"n": 15000, "s": 300}


def test_the_same_page_twice_counts_once():
    again = [row | {"source_id": "s2"} for row in minutes(1)]
    row = one(
        (yield studied(ONE_STEP, rmf_workload_activity=minutes(1) + again)),
        "FROM cost_per_request WHERE subsystem = 'CICS'",
    )
    expect(row, requests=1000, cpu_pct=pytest.approx(107.19))


def test_duration_reports_count_only_where_they_are_asked_for():
    pages = [worked_page(report_kind="duration")]
    texts = ONE_STEP, ONE_STEP + "report_kind: duration\n"
    lakes = yield [studied(text, rmf_workload_activity=pages) for text in texts]
    assert [len(lake.rows("FROM run_interval")) for lake in lakes] == [0, 1]


def test_one_system_of_a_page_of_two_is_refused():
    pages = minutes(1)
    studies = [
        named(name) + f"systems: {systems}\n"
        for name, systems in (("one", "SYSA"), ("both", "[SYSB, SYSA]"), ("three", "[SYSA, SYSB, SYSC]"))
    ]
    lake = yield studied("---\n".join(studies), rmf_workload_activity=pages)
    assert [row["study"] for row in lake.rows("FROM run_interval ORDER BY study")] == ["both", "three"]


def test_a_window_of_two_sysplexes_selects_nothing_until_one_is_named():
    pages = minutes(1) + minutes(1, sysplex="PLEX2", line=80)
    texts = ONE_STEP, ONE_STEP + "sysplex: PLEX2\n"
    lakes = yield [studied(text, rmf_workload_activity=pages) for text in texts]
    assert [[row["sysplex"] for row in lake.rows("FROM run_interval")] for lake in lakes] == [[], ["PLEX2"]]


def test_systems_that_report_apart_add_up():
    a = minutes(1, scope="SYSA")
    b = minutes(1, scope="SYSB", line=70, transactions_ended=500, source_id="s2")
    row = one((yield studied(ONE_STEP, rmf_workload_activity=a + b)), "FROM cost_per_request WHERE subsystem = 'CICS'")
    expect(row, requests_per_s=pytest.approx(25), cpu_pct=pytest.approx(2 * 107.19))
    expect(row, cpu_ms_per_request=pytest.approx(2 * 1071.9 / 25))


def test_pages_of_a_system_beside_its_sysplexs_are_no_wrong_print():
    """Those of more systems are taken, 1000 to 5000 requests. A note on what is left out is for prints of the same systems that overlap."""
    own = minutes(5, scope="SYSA", source_id="s2", transactions_ended=7)
    long = minutes(1, source_id="s3", interval_end=START + dt.timedelta(minutes=3), interval_s=180.0)
    lakes = yield [studied(ONE_STEP + "interval: all\n", rmf_workload_activity=minutes(5) + of) for of in (own, long)]
    asked = "SELECT sum(requests), max(scope) FROM run_interval"
    assert [lake.sql(asked).fetchall() for lake in lakes] == [[(15000, "SYSA,SYSB")]] * 2
    asked = "SELECT found FROM configuration_note WHERE note = 'left_out'"
    assert [lake.sql(asked).fetchall() for lake in lakes] == [[], [(1.0,)]]


def _two_minutes_of_two_classes() -> list[Row]:
    other: Row = {"report_class": "DB2", "transactions_ended": 0, "appl_cp_pct": 10.0, "appl_iip_pct": 2.0}
    other |= {"appl_iipcp_pct": 1.0}
    return [*minutes(2), *(row | other | {"line": row["line"] + 50} for row in minutes(2))]


def test_locations_add_up():
    """CICS 107.19% here, DB2 12% there, 25 requests a second; of a location that holds an unprinted class nothing is known."""
    text = ONE_STEP.replace("CICS: {", "DB2: {report_class: DB2, location: remote}, CICS: {") + "interval: all\n"
    pages = _two_minutes_of_two_classes(), minutes(2)
    lakes = yield [studied(text, rmf_workload_activity=of) for of in pages]
    rows, lacking = (lake.rows("FROM cost_by_location ORDER BY is_total, location") for lake in lakes)
    found = [(row["location"], row["subsystems"], round(row["cpu_pct"], 2)) for row in rows]
    assert found == [("local", "CICS", 107.19), ("remote", "DB2", 12.0), (None, "CICS,DB2", 119.19)]
    assert [round(row["cpu_ms_per_request"], 3) for row in rows] == [42.876, 4.8, 47.676]
    assert [round(row["non_ziip_eligible_pct"], 2) for row in rows] == [24.9, 9.0, 33.9]
    assert [row["cpu_pct"] is None for row in lacking] == [False, True, True]


@pytest.mark.parametrize("ended", [0, None])
def test_no_requests_no_cost_and_the_time_is_shown(ended: int | None):
    page = worked_page(transactions_ended=ended)
    row = one((yield studied(ONE_STEP, rmf_workload_activity=[page])), "FROM cost_per_request WHERE subsystem = 'CICS'")
    expect(row, requests=ended, cpu_ms_per_request=None, cpu_pct=pytest.approx(107.19))


def rejected(line: int, page: int = 1, source: str = "s1", report: str = "rmf_workload_activity") -> Row:
    return {"report": report, "source_id": source, "source_file": f"{source}.txt", "page": page, "line": line}


def test_a_class_that_one_interval_lacks_used_nothing_there_if_it_is_whole():
    """RMF leaves out what did nothing: DB2 at 12% in one of two minutes is 6% of both. A line that could not be read may have been it;
    CICS, which both minutes print, is known all the same, and what is charged to none is not."""
    pages = _two_minutes_of_two_classes()[:-1]
    text = ONE_STEP.replace("CICS: {", "DB2: {report_class: DB2}, CICS: {") + "interval: all\n"
    # Lines of other pages, sources and reports do not count.
    others = [rejected(33, page=2), rejected(33, source="s2"), rejected(33, report="rmf_cpu_activity")]
    lakes = yield [
        studied(text, rmf_workload_activity=pages, parse_reject=lost) for lost in ([], others, [rejected(33)])
    ]
    *whole, cut = ({row["subsystem"]: row["cpu_pct"] for row in lake.rows("FROM cost_per_request")} for lake in lakes)
    known = {"CICS": pytest.approx(107.19), "DB2": pytest.approx(6), "unallocated": pytest.approx(0)}
    assert whole == [known, known]
    assert cut == {"CICS": pytest.approx(107.19), "DB2": None, "unallocated": None}


def test_requests_of_an_interval_that_lacks_the_class():
    """1000 in the first of two minutes, which the second does not print: 1000 / 120 s where it is whole. If it prints no class of the kind,
    nothing is known of it."""
    first = minutes(1)[0]
    other = worked_page(**heading(START + dt.timedelta(minutes=1), line=30), report_class="OTHER")
    service = other | {"class_kind": "service_class", "report_class": None, "service_class": "S"}
    pages = ([first, other], []), ([first, other], [rejected(33)]), ([first, service], [])
    text = ONE_STEP + "interval: all\n"
    lakes = yield [studied(text, rmf_workload_activity=rows, parse_reject=lost) for rows, lost in pages]
    whole, *unknown = (one(lake, "FROM run_requests") for lake in lakes)
    expect(whole, requests=1000, requests_per_s=pytest.approx(1000 / 120), response_ms=pytest.approx(19))
    for row in unknown:
        expect(row, requests=None, requests_per_s=None)


def test_classes_of_both_kinds_leave_no_rest():
    service = [
        row
        | {"class_kind": "service_class", "report_class": None, "service_class": "DB2", "appl_cp_pct": 60.0, "line": 99}
        for row in minutes(1)
    ]
    text = "allow_both_kinds: true\n" + ONE_STEP.replace("CICS: {", "DB2: {service_class: DB2}, CICS: {")
    rows = (yield studied(text, rmf_workload_activity=minutes(1) + service)).rows(
        "FROM cost_per_request ORDER BY subsystem"
    )
    assert [row["cpu_pct"] is None for row in rows] == [False, False, True]


def test_requests_of_the_simulator_are_a_rate():
    """1303.760 page elements a second over 304 s, processor time of one minute of it."""
    text = ONE_STEP.replace("{report_class: CICS2A20}\nsub", "{source: workload_simulator, count: page_elements}\nsub")
    text = text.replace("10:05}", "10:05, simulator: t4.log}")
    log = {"source_id": "s9", "source_file": "logs/t4.log", "page": 1, "line": 2, "run_time_s": 304.0}
    log |= {"page_elements": 397189, "page_elements_per_s": 1303.76, "transactions_per_s": 1079.83}
    logs = log, log | {"source_file": "t4xlog"}
    lake, other = yield [
        studied(text, rmf_workload_activity=[worked_page()], workload_simulator_run=[run]) for run in logs
    ]
    row = one(lake, "FROM cost_per_request WHERE subsystem = 'CICS'")
    expect(row, requests_per_s=pytest.approx(1303.76), cpu_ms_per_request=pytest.approx(1071.9 / 1303.76))
    expect(one(lake, "FROM run_requests"), request_span_s=304, covered_s=60, is_other_span=True)
    assert one(other, "SELECT requests FROM run_requests")["requests"] is None


def _itr(processors: list[Row], text: str = ONE_STEP, scope: str | None = "SYSA") -> Asks[dict[str, Row]]:
    page = worked_page(scope=scope, transactions_ended=6000)
    lake = yield studied(text, rmf_workload_activity=[page], rmf_cpu_activity=processors)
    return {row["busy_basis"]: row for row in lake.rows("FROM itr")}


def test_busy_is_weighted_by_the_time_online():
    """80 of 100 and 40 of 50 online: (80 + 20)/150, not the mean of the rows; a total and a second thread are left out."""
    total = processor(9, 60.0, is_total=True, processor_id=None)
    second = processor(0, None, thread=1)
    rows = yield from _itr([processor(0, 80.0), processor(1, 40.0, 50.0), processor(2, 99.0, 0.0), total, second])
    expect(rows["cp"], cpu_busy_pct=pytest.approx(200 / 3), itr_per_s=pytest.approx(150))
    expect(rows["cp"], itr_per_interval=pytest.approx(9000))


def test_ziips_are_weighted_in_both_sums():
    """The factor 2.5 is recovered from the page's own times; 1 CP 50% busy, 1 zIIP 20%: (50 + 50)/(100 + 250)."""
    times = {"cpu_time_s": 100.0, "iip_time_s": 28.0, "appl_cp_pct": 50.0, "appl_iip_pct": 46.67}
    page = worked_page(scope="SYSA", transactions_ended=6000, srb_time_s=0.0, **times)
    processors = [processor(0, 50.0), processor(1, 20.0, kind="IIP")]
    lake = yield studied(ONE_STEP, rmf_workload_activity=[page], rmf_cpu_activity=processors)
    rows = {row["busy_basis"]: row for row in lake.rows("FROM itr")}
    assert rows["cp"]["cpu_busy_pct"] == pytest.approx(50)
    assert rows["cp_and_ziip"]["cpu_busy_pct"] == pytest.approx(100 / 3.5)


@pytest.mark.parametrize(
    "processors",
    [
        [],
        [processor(0, None)],
        [processor(0, 50.0), processor(1, None)],
        [processor(0, 50.0, interval_end=START + dt.timedelta(seconds=90), interval_s=90.0)],
        [processor(0, 50.0), processor(0, 51.0, source_id="s2")],
        [processor(0, 50.0, system="SYSB")],
        overlapping(),
    ],
)
def test_busy_that_is_not_known_is_null(processors: list[Row]):
    rows = yield from _itr(processors)
    assert {row["itr_per_s"] for row in rows.values()} == {None}
    assert {row["etr_per_s"] for row in rows.values()} == {100}


def test_a_system_without_cpu_activity_gives_no_itr():
    rows = [processor(0, 50.0), processor(0, 30.0, system="SYSB", line=60)]
    both, one_of_them = yield from each(*(_itr(of, scope="SYSA,SYSB") for of in (rows, rows[:1])))
    assert (both["cp"]["cpu_busy_pct"], one_of_them["cp"]["itr_per_s"]) == (pytest.approx(40), None)


def test_the_study_names_the_systems_of_a_page_that_names_none():
    both = [processor(0, 50.0), processor(0, 30.0, system="SYSB", line=60)]
    assert (yield from _itr(both, ONE_STEP + "systems: SYSA\n", scope=None))["cp"]["cpu_busy_pct"] == pytest.approx(50)


def test_a_given_volume_needs_no_workload_page():
    text = "study: S\nconfigurations: {A: {steps: [{window: 2021-04-13T10:00/10:05, volume: 6000}]}}\n"
    lake = yield studied(text, rmf_cpu_activity=[processor(0, 50.0), processor(0, 30.0, system="SYSB", line=60)])
    row = one(lake, "FROM itr WHERE busy_basis = 'cp'")
    assert (row["etr_per_s"], row["itr_per_interval"]) == (pytest.approx(100), pytest.approx(15000))


NORMALIZED = """\
study: S
requests: {report_class: CICS2A20}
configurations:
  A: {steps: [{window: 2021-04-13T10:00/10:01}]}
  B: {steps: [{window: 2021-04-13T10:01/10:02}]}
normalization: {A: {engine_mips: [16.5, 19.4]}, B: {lpar_overhead_pct: 10}}
coupling: {uncoupled: A, coupled: B}
"""


def test_busy_is_normalized_as_the_study_says():
    """40% on engines of 16.5 MIPS is 34.02% on 19.4: 14.9% less busy. 50% with 10% LPAR management is 45%."""
    next_minute = heading(START + dt.timedelta(minutes=1))
    later = {k: next_minute[k] for k in ("interval_start", "interval_end")}
    lake = yield studied(
        NORMALIZED,
        rmf_workload_activity=minutes(2, scope="SYSA", transactions_ended=6000),
        rmf_cpu_activity=[processor(0, 40.0), processor(0, 50.0, **later)],
    )
    busy = {row["configuration"]: row["cpu_busy_pct"] for row in lake.rows("FROM itr WHERE busy_basis = 'cp'")}
    assert busy == {"A": pytest.approx(40 * 16.5 / 19.4), "B": pytest.approx(45)}
    assert 1 - busy["A"] / 40 == pytest.approx(0.149, abs=0.0005)
    row = one(lake, "FROM coupling_efficiency WHERE busy_basis = 'cp'")
    expect(row, coupling_efficiency_pct=pytest.approx(busy["A"] / 45 * 100))
    expect(row, cpu_increase_pct=pytest.approx((45 / busy["A"] - 1) * 100), is_comparable=True)
