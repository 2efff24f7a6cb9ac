"""Studies: what is wrong with a file, what a study selects, what follows from it, and the published results."""

from __future__ import annotations

import datetime as dt
import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from command_line import Command, command_line
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import UsageError
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.study.lake import StudiedLake, add_studies, check_studied, check_studies
from ironlake.pipeline.study.study_file import BOTH_KINDS, parse_studies, read_studies
from one_lake import Asks, share_lake
from rmf_rows import overlapping, processor
from sample_pages import SAMPLES
from study_lakes import ONE_STEP, minutes, one, studied
from views_lake import START, MemoryLake, Row, heading, worked_page

STUDIES = SAMPLES / "studies"
COUPLING = STUDIES / "sysplex_and_data_sharing"

DRIVERS = """\
study: Drivers
interval: last
engines: {cp: 3, ziip: 2}
subsystems:
  CICS: {report_class: [CICS2A20]}
  DB2:  {report_class: [DB2], location: remote}
requests: {report_class: CICS2A20}
configurations:
  T2: {steps: [{window: 2021-04-13T10:00/10:05, simulator: t2_1.log}]}
  T4: {steps: [{window: 2021-04-13T11:00/11:05}, {window: 2021-04-13T23:00/2021-04-14T00:10, run: night}]}
normalization: {T2: {engine_mips: [16.5, 19.4]}, T4: {lpar_overhead_pct: 10}}
coupling: {uncoupled: T2, coupled: T4}
"""


# --- The file --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("study: A\n# " + "x" * 2_100_000, "s.yaml:2: the file is larger than 2,097,152 bytes"),
        (
            "study: A\nx: &x " + "y" * 1000 + "\nz: [" + "*x, " * 5000 + "]",
            "s.yaml:3: has more than 4,194,304 characters",
        ),
        (
            "a: &a0 [1, 2]\n" + "".join(f"b{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 61)),
            "4,194,304 characters, aliases written out",
        ),
        ("study: A\nsteps: &a [*a]", "s.yaml:2: contains itself"),
    ],
    ids=["large", "repeated", "laughs", "itself"],
)
def test_a_file_is_bounded_however_little_of_it_is_written(tmp_path: Path, text: str, said: str):
    """Of the third, 60 lines, 2 to the power of 60 values would come."""
    (tmp_path / "s.yaml").write_text(text)
    with pytest.raises(UsageError, match=re.escape(said)):
        read_studies(tmp_path / "s.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "study: A\n" + "".join(f"k{n}: 1\n" for n in range(10_000)),
        "study: A\nbaseline: " + "x" * 100_000 + "\n" + "y" * 1000 + ": 1\nconfigurations: {A: {steps: []}}",
        "".join(f"{'---' if n else ''}\nstudy: A\n" for n in range(2_000)),
    ],
    ids=["keys", "texts", "studies"],
)
def test_errors_are_no_longer_than_anybody_reads(text: str):
    with pytest.raises(UsageError) as refused:
        parse_studies(text, "s.yaml")
    assert len(str(refused.value)) < 20_000
    assert "s.yaml:2: " in str(refused.value)


def test_a_study_is_read_as_it_stands():
    (study,) = parse_studies(DRIVERS, "drivers.yaml")
    assert (study.name, study.baseline, study.uncoupled, study.coupled) == ("Drivers", "T2", "T2", "T4")
    assert study.engines == {"cp": 3, "ziip": 2}
    assert [(s.name, s.location, [c.name for c in s.classes]) for s in study.subsystems] == [
        ("CICS", "local", ["CICS2A20"]),
        ("DB2", "remote", ["DB2"]),
    ]
    t2, t4 = study.configurations
    assert (t2.engine_mips, t2.lpar_overhead_pct, t4.lpar_overhead_pct) == ((16.5, 19.4), None, 10)
    assert (t2.steps[0].start, t2.steps[0].end) == (dt.datetime(2021, 4, 13, 10), dt.datetime(2021, 4, 13, 10, 5))
    assert [(s.run, s.rule, s.line) for s in t4.steps] == [("1", "last", 10), ("night", "last", 10)]
    assert t4.steps[1].end == dt.datetime(2021, 4, 14, 0, 10)


def test_texts_are_not_taken_for_what_yaml_makes_of_them():
    text = DRIVERS.replace("interval: last\n", "").replace("T2:", "NO:").replace("uncoupled: T2", "uncoupled: NO")
    text = text.replace("run: night", "run: 1e3, interval: [23:30]")
    (study,) = parse_studies(text, "drivers.yaml")
    night = study.configurations[1].steps[1]
    assert (study.baseline, night.run, night.rule, night.listed) == (
        "NO",
        "1e3",
        "list",
        (dt.datetime(2021, 4, 13, 23, 30),),
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("last", "lst", "2: interval: 'lst'; expected last, all or a list of starts"),
        ("study: Drivers", "study:", "1: study: nothing; expected a text"),
        ("interval: last", "baseline: T3", "2: baseline: no configuration is called 'T3'; expected one of T2, T4"),
        ("interval: last", "intervall: last", "2: intervall: no such key; expected interval (or another of study,"),
        ("engines: {cp: 3", "engines: {cp: three", "3: engines.cp: 'three'; expected a number of 0 or more"),
        ("[DB2]", "[CICS2A20]", "6: subsystems.DB2: report_class CICS2A20 is charged to CICS already; expected every"),
        ("{report_class: [DB2]", "{service_class: [DB2]",
            "6: subsystems: service_class DB2 and report_class CICS2A20 are both charged, and work that is in both counts twice;"
            " expected classes of one kind, or allow_both_kinds: true if they have no work in common"),
        ("interval: last", "allow_both_kinds: yes", "2: allow_both_kinds: 'yes'; expected true or false"),
        ("[DB2]", "[]", "6: subsystems.DB2.report_class: a list of 0; expected a list"),
        ("  DB2:", "  unallocated:", "6: subsystems.unallocated: is the name of the unallocated rest; expected another name"),
        ("remote", "far", "6: subsystems.DB2.location: 'far'; expected local or remote"),
        ("{report_class: CICS2A20}", "{source: workload_simulator}", "7: requests: count is missing; expected page_elements"),
        ("requests: {report_class: CICS2A20}", "systems: SYSA", "9: requests is missing, and this step gives no volume"),
        ("{report_class: CICS2A20}\n", "{page_class: X}\n", "7: requests.page_class: no such key; expected"),
        ("10:00/10:05", "10:05/10:00", "9: configurations.T2.steps[1].window: '2021-04-13T10:05/10:00'; expected an END"),
        ("10:00/10:05", "ten/10:00", "9: configurations.T2.steps[1].window: '2021-04-13Tten' is not a time; expected a local"),
        ("10:00/10:05", "10:00", "9: configurations.T2.steps[1].window: '2021-04-13T10:00'; expected START/END"),
        ("10:00/10:05", "10:00Z/10:05", "9: configurations.T2.steps[1].window: '2021-04-13T10:00Z' has a time zone"),
        ("13T11:00/11:05", "13T10:04/10:09", "10: the window of T4 overlaps that of T2 on line 9; expected windows apart"),
        ("run: night", "run: 1", "10: configurations.T4.steps[2]: run '1' is a step of T4 already; expected another name"),
        ("[16.5, 19.4]", "[16.5]", "11: normalization.T2.engine_mips: a list of 1; expected two numbers"),
        ("{lpar_overhead_pct: 10}", "{lpar_overhead_pct: 100}", "expected a number of 0 or more, below 100"),
        ("{T2: {engine", "{T5: {engine", "11: normalization.T5: no configuration is called 'T5'; expected one of T2, T4"),
        ("coupled: T4", "coupled: T2", "12: coupling.coupled: 'T2' is the uncoupled configuration too; expected another"),
        ("interval: last\n", "interval: last\ninterval: all\n", "3: interval: is given twice; expected every key once"),
        ("simulator: t2_1.log", "volume: 100", "9: volume is given, and requests on line 7 too; expected one of them"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_line_and_key(old: str, new: str, message: str):
    text = DRIVERS.replace(old, new, 1)
    with pytest.raises(UsageError) as caught:
        parse_studies(text, "drivers.yaml")
    assert message in str(caught.value)
    assert str(caught.value).startswith("drivers.yaml:")


@pytest.mark.parametrize(
    "text", ["", "- 1", "a: [", "&a [*a]", "study: x", "[" * 5000, "\0", "study: {configurations: 1}"]
)
def test_what_is_no_study_is_an_error_that_says_so(text: str):
    with pytest.raises(UsageError, match=r"^drivers.yaml"):
        parse_studies(text, "drivers.yaml")


def test_every_mistake_is_told_at_once():
    with pytest.raises(UsageError) as caught:
        parse_studies(
            DRIVERS.replace("last", "lst").replace("far", "x").replace("coupled: T4", "coupled: T9"), "a.yaml"
        )
    assert [line.split(":")[1] for line in str(caught.value).splitlines()] == ["2", "12"]


# --- What a study selects -------------------------------------------------------------------------------------------


def named(name: str) -> str:
    return ONE_STEP.replace("study: S", f"study: '{name}'")


@share_lake
def test_rules_pick_intervals():
    rules = {"last": [5000], "all": [1000, 2000, 3000, 4000, 5000], "[10:01, 10:03]": [2000, 4000]}
    studies = [named(rule) + f"interval: {rule}\n" for rule in rules]
    lake = yield studied("---\n".join([*studies, ONE_STEP]), rmf_workload_activity=minutes(7))
    rows = lake.rows("SELECT study, list(requests ORDER BY requests) AS ended FROM run_interval GROUP BY study")
    assert {row["study"]: row["ended"] for row in rows} == rules


@share_lake
def test_an_interval_belongs_to_a_window_by_its_midpoint():
    late = [row | {"interval_start": row["interval_start"] + dt.timedelta(seconds=20)} for row in minutes(6)]
    late = [row | {"interval_end": row["interval_start"] + dt.timedelta(seconds=60)} for row in late]
    row = one((yield studied(ONE_STEP + "interval: last\n", rmf_workload_activity=late)), "FROM run_interval")
    assert (row["interval_start"], row["requests"]) == (START + dt.timedelta(minutes=4, seconds=20), 5000)


@share_lake
def test_without_a_rule_one_interval_alone_counts():
    row = one((yield studied(ONE_STEP, rmf_workload_activity=minutes(1))), "FROM run_interval")
    assert (row["interval_s"], row["requests"], row["scope"], row["system"]) == (60, 1000, "SYSA,SYSB", None)
    assert row["requests_per_s"] == pytest.approx(1000 / 60)
    assert row["response_ms"] == pytest.approx(19)


@share_lake
def test_intervals_that_hold_the_same_time_are_not_added():
    whole = worked_page(**heading(START, 300, line=90), transactions_ended=15000)
    lake = yield studied(ONE_STEP + "interval: all\n", rmf_workload_activity=[*minutes(5), whole])
    assert one(lake, "SELECT sum(requests) AS n, sum(interval_s) AS s FROM run_interval") == {"n": 15000, "s": 300}


@share_lake
def test_the_same_page_twice_counts_once():
    again = [row | {"source_id": "s2"} for row in minutes(1)]
    row = one(
        (yield studied(ONE_STEP, rmf_workload_activity=minutes(1) + again)),
        "FROM cost_per_request WHERE subsystem = 'CICS'",
    )
    assert row["requests"] == 1000
    assert row["cpu_pct"] == pytest.approx(107.19)


@share_lake
def test_duration_reports_count_only_where_they_are_asked_for():
    pages = [worked_page(report_kind="duration")]
    assert (yield studied(ONE_STEP, rmf_workload_activity=pages)).rows("FROM run_interval") == []
    assert (
        len(
            (yield studied(ONE_STEP + "report_kind: duration\n", rmf_workload_activity=pages)).rows("FROM run_interval")
        )
        == 1
    )


@share_lake
def test_one_system_of_a_page_of_two_is_refused():
    pages = minutes(1)
    studies = [
        named(name) + f"systems: {systems}\n"
        for name, systems in (("one", "SYSA"), ("both", "[SYSB, SYSA]"), ("three", "[SYSA, SYSB, SYSC]"))
    ]
    lake = yield studied("---\n".join(studies), rmf_workload_activity=pages)
    assert [row["study"] for row in lake.rows("FROM run_interval ORDER BY study")] == ["both", "three"]


@share_lake
def test_a_window_of_two_sysplexes_selects_nothing_until_one_is_named():
    pages = minutes(1) + minutes(1, sysplex="PLEX2", line=80)
    assert (yield studied(ONE_STEP, rmf_workload_activity=pages)).rows("FROM run_interval") == []
    row = one((yield studied(ONE_STEP + "sysplex: PLEX2\n", rmf_workload_activity=pages)), "FROM run_interval")
    assert row["sysplex"] == "PLEX2"


@share_lake
def test_systems_that_report_apart_add_up():
    a = minutes(1, scope="SYSA")
    b = minutes(1, scope="SYSB", line=70, transactions_ended=500, source_id="s2")
    lake = yield studied(ONE_STEP, rmf_workload_activity=a + b)
    row = one(lake, "FROM cost_per_request WHERE subsystem = 'CICS'")
    assert row["requests_per_s"] == pytest.approx(25)
    assert row["cpu_pct"] == pytest.approx(2 * 107.19)
    assert row["cpu_ms_per_request"] == pytest.approx(2 * 1071.9 / 25)


# --- Cost per request -----------------------------------------------------------------------------------------------


@share_lake
def test_cost_of_the_worked_page():
    """CP 31.66, IIP 75.53, IIPCP 6.76 for 1476.40 requests a second (88,584 in 60 s)."""
    rows = (yield studied(ONE_STEP, rmf_workload_activity=[worked_page()])).rows(
        "FROM cost_per_request ORDER BY subsystem"
    )
    assert [row["subsystem"] for row in rows] == ["CICS", "unallocated"]
    row = rows[0]
    assert row["cpu_ms_per_request"] == pytest.approx(0.72602, abs=5e-6)
    assert row["ziip_ms_per_request"] == pytest.approx(755.3 / 1476.4)
    assert row["ziip_on_cp_ms_per_request"] == pytest.approx(67.6 / 1476.4)
    assert row["non_ziip_eligible_ms_per_request"] == pytest.approx(249.0 / 1476.4)
    assert row["response_ms"] == pytest.approx(19)
    assert row["refs"] == [{"source_id": "s1", "page": 1, "line": 10}]


def _two_minutes_of_two_classes() -> list[Row]:
    other = {
        "report_class": "DB2",
        "transactions_ended": 0,
        "appl_cp_pct": 10.0,
        "appl_iip_pct": 2.0,
        "appl_iipcp_pct": 1.0,
    }
    return [*minutes(2), *(row | other | {"line": row["line"] + 50} for row in minutes(2))]


@share_lake
def test_what_no_subsystem_is_charged_stays_visible():
    lake = yield studied(ONE_STEP + "interval: all\n", rmf_workload_activity=_two_minutes_of_two_classes())
    row = one(lake, "FROM cost_per_request WHERE subsystem = 'unallocated'")
    assert row["class_kind"] == "report_class"
    assert row["cpu_pct"] == pytest.approx(12)
    assert row["cpu_ms_per_request"] == pytest.approx(120 / 25)
    assert row["non_ziip_eligible_ms_per_request"] == pytest.approx(90 / 25)


@share_lake
def test_locations_add_up():
    """CICS 107.19% here, DB2 12% there, 25 requests a second; of a location that holds an unprinted class nothing is known."""
    text = ONE_STEP.replace("CICS: {", "DB2: {report_class: DB2, location: remote}, CICS: {") + "interval: all\n"
    rows = (yield studied(text, rmf_workload_activity=_two_minutes_of_two_classes())).rows(
        "FROM cost_by_location ORDER BY is_total, location"
    )
    assert [(row["location"], row["subsystems"]) for row in rows] == [
        ("local", "CICS"),
        ("remote", "DB2"),
        (None, "CICS,DB2"),
    ]
    assert [round(row["cpu_pct"], 2) for row in rows] == [107.19, 12.0, 119.19]
    assert [round(row["cpu_ms_per_request"], 3) for row in rows] == [42.876, 4.8, 47.676]
    assert [round(row["non_ziip_eligible_pct"], 2) for row in rows] == [24.9, 9.0, 33.9]
    lacking = (yield studied(text, rmf_workload_activity=minutes(2))).rows(
        "FROM cost_by_location ORDER BY is_total, location"
    )
    assert [row["cpu_pct"] is None for row in lacking] == [False, True, True]


@share_lake
def test_service_classes_are_the_whole_where_they_are_printed():
    service = [
        row
        | {"class_kind": "service_class", "report_class": None, "service_class": "ALL", "appl_cp_pct": 60.0, "line": 99}
        for row in minutes(1)
    ]
    lake = yield studied(ONE_STEP, rmf_workload_activity=minutes(1) + service)
    row = one(lake, "FROM cost_per_request WHERE subsystem = 'unallocated'")
    assert (row["class_kind"], row["cpu_pct"]) == ("service_class", pytest.approx(60 - 31.66))


@share_lake
@pytest.mark.parametrize("ended", [0, None])
def test_no_requests_no_cost_and_the_time_is_shown(ended: int | None):
    page = worked_page(transactions_ended=ended)
    row = one((yield studied(ONE_STEP, rmf_workload_activity=[page])), "FROM cost_per_request WHERE subsystem = 'CICS'")
    assert (row["requests"], row["cpu_ms_per_request"]) == (ended, None)
    assert row["cpu_pct"] == pytest.approx(107.19)


@share_lake
def test_a_class_that_is_not_printed_keeps_its_row():
    text = ONE_STEP.replace("CICS: {", "DB2: {report_class: DB2}, CICS: {")
    rows = (yield studied(text, rmf_workload_activity=[worked_page()])).rows("FROM cost_per_request ORDER BY subsystem")
    assert [(row["subsystem"], row["cpu_pct"] is None) for row in rows] == [
        ("CICS", False),
        ("DB2", True),
        ("unallocated", True),
    ]


def rejected(line: int, page: int = 1, source: str = "s1", report: str = "rmf_workload_activity") -> Row:
    return {"report": report, "source_id": source, "source_file": f"{source}.txt", "page": page, "line": line}


@share_lake
def test_a_class_that_one_interval_lacks_used_nothing_there_if_it_is_whole():
    """RMF leaves out what did nothing: DB2 at 12% in one of two minutes is 6% of both. A line that could not be read may have been it;
    CICS, which both minutes print, is known all the same, and what is charged to none is not."""
    pages = _two_minutes_of_two_classes()[:-1]
    text = ONE_STEP.replace("CICS: {", "DB2: {report_class: DB2}, CICS: {") + "interval: all\n"
    asked = "FROM cost_per_request ORDER BY subsystem"
    cics, db2, rest = (yield studied(text, rmf_workload_activity=pages)).rows(asked)
    assert (db2["cpu_pct"], cics["cpu_pct"] is None, rest["cpu_pct"]) == (pytest.approx(6), False, pytest.approx(0))
    cut = yield studied(text, rmf_workload_activity=pages, parse_reject=[rejected(33)])
    found = {row["subsystem"]: row["cpu_pct"] for row in cut.rows(asked)}
    assert found == {"CICS": cics["cpu_pct"], "DB2": None, "unallocated": None}
    # Lines of other pages, sources and reports do not count.
    others = [rejected(33, page=2), rejected(33, source="s2"), rejected(33, report="rmf_cpu_activity")]
    row = one(
        (yield studied(text, rmf_workload_activity=pages, parse_reject=others)),
        "FROM cost_per_request WHERE subsystem = 'DB2'",
    )
    assert row["cpu_pct"] == pytest.approx(6)


@share_lake
def test_requests_of_an_interval_that_lacks_the_class():
    """1000 in the first of two minutes, which the second does not print: 1000 / 120 s where it is whole."""
    first = minutes(1)[0]
    other = worked_page(**heading(START + dt.timedelta(minutes=1), line=30), report_class="OTHER")
    text = ONE_STEP + "interval: all\n"
    asked = "FROM run_requests"
    row = one((yield studied(text, rmf_workload_activity=[first, other])), asked)
    assert (row["requests"], row["requests_per_s"]) == (1000, pytest.approx(1000 / 120))
    assert row["response_ms"] == pytest.approx(19)
    row = one((yield studied(text, rmf_workload_activity=[first, other], parse_reject=[rejected(33)])), asked)
    assert (row["requests"], row["requests_per_s"]) == (None, None)
    # The second minute prints no class of the kind: nothing is known of it.
    service = other | {"class_kind": "service_class", "report_class": None, "service_class": "S"}
    row = one((yield studied(text, rmf_workload_activity=[first, service])), asked)
    assert (row["requests"], row["requests_per_s"]) == (None, None)


@share_lake
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


@share_lake
def test_requests_of_the_simulator_are_a_rate():
    """1303.760 page elements a second over 304 s, processor time of one minute of it."""
    text = ONE_STEP.replace("{report_class: CICS2A20}\nsub", "{source: workload_simulator, count: page_elements}\nsub")
    text = text.replace("10:05}", "10:05, simulator: t4.log}")
    log = {"source_id": "s9", "source_file": "logs/t4.log", "page": 1, "line": 2, "run_time_s": 304.0}
    log |= {"page_elements": 397189, "page_elements_per_s": 1303.76, "transactions_per_s": 1079.83}
    lake = yield studied(text, rmf_workload_activity=[worked_page()], workload_simulator_run=[log])
    row = one(lake, "FROM cost_per_request WHERE subsystem = 'CICS'")
    assert row["requests_per_s"] == pytest.approx(1303.76)
    assert row["cpu_ms_per_request"] == pytest.approx(1071.9 / 1303.76)
    span = one(lake, "SELECT request_span_s, covered_s, is_other_span FROM run_requests")
    assert span == {"request_span_s": 304, "covered_s": 60, "is_other_span": True}
    other = yield studied(
        text, rmf_workload_activity=[worked_page()], workload_simulator_run=[log | {"source_file": "t4xlog"}]
    )
    assert one(other, "SELECT requests FROM run_requests")["requests"] is None


# --- Busy and ITR ---------------------------------------------------------------------------------------------------


def _itr(processors: list[Row], text: str = ONE_STEP, scope: str | None = "SYSA") -> Asks[dict[str, Row]]:
    page = worked_page(scope=scope, transactions_ended=6000)
    lake = yield studied(text, rmf_workload_activity=[page], rmf_cpu_activity=processors)
    return {row["busy_basis"]: row for row in lake.rows("FROM itr")}


@share_lake
def test_busy_is_weighted_by_the_time_online():
    """80 of 100 and 40 of 50 online: (80 + 20)/150, not the mean of the rows; a total and a second thread are left out."""
    total = processor(9, 60.0, is_total=True, processor_id=None)
    second = processor(0, None, thread=1)
    rows = yield from _itr([processor(0, 80.0), processor(1, 40.0, 50.0), processor(2, 99.0, 0.0), total, second])
    assert rows["cp"]["cpu_busy_pct"] == pytest.approx(200 / 3)
    assert rows["cp"]["itr_per_s"] == pytest.approx(150)
    assert rows["cp"]["itr_per_interval"] == pytest.approx(9000)


@share_lake
def test_ziips_are_weighted_in_both_sums():
    """The factor 2.5 is recovered from the page's own times; 1 CP 50% busy, 1 zIIP 20%: (50 + 50)/(100 + 250)."""
    times = {"cpu_time_s": 100.0, "iip_time_s": 28.0, "appl_cp_pct": 50.0, "appl_iip_pct": 46.67}
    page = worked_page(scope="SYSA", transactions_ended=6000, srb_time_s=0.0, **times)
    processors = [processor(0, 50.0), processor(1, 20.0, kind="IIP")]
    lake = yield studied(ONE_STEP, rmf_workload_activity=[page], rmf_cpu_activity=processors)
    rows = {row["busy_basis"]: row for row in lake.rows("FROM itr")}
    assert rows["cp"]["cpu_busy_pct"] == pytest.approx(50)
    assert rows["cp_and_ziip"]["cpu_busy_pct"] == pytest.approx(100 / 3.5)


@share_lake
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


@share_lake
def test_a_system_without_cpu_activity_gives_no_itr():
    both = [processor(0, 50.0), processor(0, 30.0, system="SYSB", line=60)]
    assert (yield from _itr(both, scope="SYSA,SYSB"))["cp"]["cpu_busy_pct"] == pytest.approx(40)
    assert (yield from _itr(both[:1], scope="SYSA,SYSB"))["cp"]["itr_per_s"] is None


@share_lake
def test_the_study_names_the_systems_of_a_page_that_names_none():
    both = [processor(0, 50.0), processor(0, 30.0, system="SYSB", line=60)]
    assert (yield from _itr(both, ONE_STEP + "systems: SYSA\n", scope=None))["cp"]["cpu_busy_pct"] == pytest.approx(50)


@share_lake
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


@share_lake
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
    assert row["coupling_efficiency_pct"] == pytest.approx(busy["A"] / 45 * 100)
    assert row["cpu_increase_pct"] == pytest.approx((45 / busy["A"] - 1) * 100)
    assert row["is_comparable"] is True


# --- In a lake ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def coupling_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("studies") / "lake"
    report = ingest([str(p) for p in sorted(COUPLING.glob("*.txt"))], lake, Options())
    assert report.exit_code(strict=True) == 0
    assert len(report.files) == 4
    return lake


@pytest.fixture
def run(coupling_lake: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.setenv("IRONLAKE_LAKE", str(coupling_lake))
    return command_line(monkeypatch, capsys)


def rows_of(lake: Path, text: str) -> list[Row]:
    with open_lake(lake) as opened:
        return opened.sql(text).arrow().to_pylist()


def test_a_study_of_the_same_name_replaces_the_former(coupling_lake: Path, run, tmp_path: Path):
    file = tmp_path / "study.yaml"
    text = (
        "study: S\nrequests: {report_class: RCICS}\nconfigurations: {A: {steps: [{window: 1996-05-29T10:00/10:30}]}}\n"
    )
    file.write_text(text)
    assert run("study", "add", file)[:2] == (0, "S: added (1 configurations, 1 runs)\n")
    assert run("study", "add", file)[:2] == (0, "S: already there\n")
    file.write_text(text.replace("10:00/10:30", "11:00/11:30"))
    assert run("study", "add", file)[0] == 0
    mine = "WHERE study = 'S'"
    assert [r["requests"] for r in rows_of(coupling_lake, f"FROM run_interval {mine}")] == [31615]
    file.write_text(text)
    assert run("study", "add", file)[0] == 0
    (row,) = rows_of(coupling_lake, f"FROM run_interval {mine}")
    assert row["requests"] == 32814
    (source,) = rows_of(coupling_lake, "FROM ingest_file WHERE form = 'study'")
    assert source["source_file"] == str(file)
    # The file of a study among the reports is no report, and does not take the study out.
    code, out, _ = run("ingest", file)
    assert (code, "is a YAML file; expected a print report" in out) == (1, True)
    assert [r["requests"] for r in rows_of(coupling_lake, f"FROM run_interval {mine}")] == [32814]


def test_a_study_is_checked_without_being_added(coupling_lake: Path, run):
    code, out, err = run("study", "check", COUPLING / "studies.yaml", "--format", "json")
    assert (code, err) == (0, "")
    found = {r["configuration"]: r for r in json.loads(out)}
    assert list(found) == ["B4", "B3", "B2", "B1"]
    assert [found["B3"][k] for k in ("intervals", "scope", "requests", "engines_cp", "busy_systems")] == [
        1, "SYS1,SYS2", 15234, 10, "SYS1,SYS2",
    ]  # fmt: skip
    names = {r["study"] for r in rows_of(coupling_lake, "FROM study_step")}
    assert "Sysplex overhead (table 5)" not in names


ONE_RUN = """\
study: S
requests: {report_class: RCICS}
configurations:
  A: {steps: [{window: 1996-05-29T10:00/10:30}]}
"""
# What in place of what in that file, and what is said of it.
UNFIT = [
    ("10:00/10:30", "08:00/08:30", [":4: A: the window 1996-05-29T08:00:00/1996-05-29T08:30:00 has no data; expected",
        "CPU Activity SYS1: 1996-05-29T10:00:00 to 1996-05-29T14:30:00, 4 interval report(s) of up to 1800 s",
        "Workload Activity PLEXTEST: 1996-05-29T10:00:00 to 1996-05-29T13:30:00, 3 interval report(s)"]),
    ("10:00/10:30", "10:00/11:30", [":4: A: the window has 2 intervals, and no rule selects some; expected interval: "
        "last, all or a list of starts", "  1996-05-29T11:00:00 (1800 s)"]),
    ("10:00/10:30", "10:00/14:30", [":4: A: the window has sysplexes MONOTEST, PLEXTEST; expected sysplex: one of them"]),
    ("RCICS}\n", "RCISC}\n", [":2: report_class RCISC is in none of the selected intervals; expected RCICS"]),
    ("study: S", "study: S\nreport_kind: duration", [":5: A: the window has only interval reports; expected report_kind: interval"]),
    ("study: S", "study: S\nsystems: [SYS1, SYS2]\nengines: {cp: 12}",
        [":6: A: engines.cp is 12, but CPU Activity has 10.00 online; expected the printed number, or none"]),
    # CPU Activity names no sysplex, and would match whatever is asked for.
    ("study: S", "study: S\nsysplex: PLEX9", [":5: A: no page of the window names sysplex PLEX9; expected PLEXTEST"]),
    ("10:00/10:30}", "08:00/08:30, sysplex: PLEX9}", [":4: A: no page of the lake names sysplex PLEX9; expected MONOTEST, PLEXTEST"]),
    ("study: S", "study: S\nsysplex: MONOTEST", [":5: A: no page of the window names sysplex MONOTEST; expected PLEXTEST"]),
    ("study: S", "study: S\nsystems: [SYS8, SYS9]", [":5: A: no page of the window names system SYS8, SYS9; expected SYS1, SYS2"]),
    ("study: S", "study: S\nremote_systems: SYS7", [":5: A: no page of the window names system SYS7; expected SYS1, SYS2"]),
]  # fmt: skip


def test_what_does_not_fit_the_lake_is_told(coupling_lake: Path):
    texts = [ONE_RUN.replace(old, new, 1).replace("study: S", f"study: S{n}") for n, (old, new, _) in enumerate(UNFIT)]
    studies = [study for n, text in enumerate(texts) for study in parse_studies(text, f"s{n}.yaml")]
    with open_lake(coupling_lake) as lake:
        checked = check_studies(lake, studies)
    for n, ((*_, messages), one_of_them) in enumerate(zip(UNFIT, checked, strict=True)):
        told = "\n".join(one_of_them.errors)
        assert told.startswith(f"s{n}.yaml{messages[0]}")
        assert [m for m in messages if m not in told] == [], told


@pytest.mark.parametrize(
    ("old", "new", "code", "message"),
    [
        ("RCICS}\n", "RCISC}\n", 1, "study.yaml:2: report_class RCISC is in none of the selected intervals"),
        ("{report_class: RCICS}", "{source: workload_simulator, count: transactions}", 2, ": simulator is missing"),
    ],
)
def test_a_study_that_is_wrong_is_neither_checked_nor_added(
    run: Command, tmp_path: Path, old: str, new: str, code: int, message: str
):
    (tmp_path / "study.yaml").write_text(ONE_RUN.replace(old, new))
    for command in ("check", "add"):
        found, _, err = run("study", command, tmp_path / "study.yaml")
        assert found == code
        assert message in err


def _checked(text: str, **rows: list[Row]) -> tuple[list[str], list[str]]:
    studies = parse_studies(text, "study.yaml")
    (checked,) = check_studied(StudiedLake(MemoryLake(**rows), studies), studies)
    return checked.errors, checked.notes


def test_a_sysplex_of_no_page_is_an_error_though_cpu_activity_matches_anything():
    processors = [processor(0, 50.0)]
    errors, _ = _checked("sysplex: PLEX9\n" + ONE_STEP, rmf_workload_activity=minutes(1), rmf_cpu_activity=processors)
    assert errors == ["study.yaml:5: A: no page of the window names sysplex PLEX9; expected PLEX1"]
    errors, _ = _checked("sysplex: PLEX1\n" + ONE_STEP, rmf_workload_activity=minutes(1), rmf_cpu_activity=processors)
    assert errors == []


def test_systems_of_a_page_that_names_none_are_those_of_the_study_if_one_of_them_is_known():
    pages = {"rmf_workload_activity": minutes(1, scope=None), "rmf_cpu_activity": [processor(0, 50.0)]}
    assert _checked("systems: [SYSA, SYSB]\n" + ONE_STEP, **pages)[0] == []
    errors, _ = _checked("systems: [SYS8, SYS9]\n" + ONE_STEP, **pages)
    assert errors == ["study.yaml:5: A: no page of the window names system SYS8, SYS9; expected SYSA"]


def test_a_class_is_an_error_where_the_selected_pages_print_no_class():
    errors, _ = _checked(ONE_STEP, rmf_cpu_activity=[processor(0, 50.0)])
    what = "report_class CICS2A20 is in none of the selected intervals"
    expected = "windows whose Workload Activity prints a report_class"
    assert f"study.yaml:2: {what}; expected {expected}" in errors
    assert f"study.yaml:3: {what}; expected {expected}" in errors


def test_classes_of_both_kinds_that_are_allowed_are_told():
    text = "allow_both_kinds: true\n" + ONE_STEP.replace("CICS: {", "DB2: {service_class: DB2}, CICS: {")
    service = [
        row | {"class_kind": "service_class", "report_class": None, "service_class": "DB2", "line": 99}
        for row in minutes(1)
    ]
    errors, notes = _checked(text, rmf_workload_activity=minutes(1) + service)
    assert errors == []
    assert any(BOTH_KINDS in note for note in notes)


def test_without_a_lake_the_file_is_checked(run, tmp_path: Path):
    code, out, err = run("study", "check", COUPLING / "studies.yaml", "--lake", tmp_path / "none")
    assert (code, out) == (0, "")
    assert "no lake" in err


# --- Published results ------------------------------------------------------------------------------------------------


@cache
def coupling(lake: Path) -> dict[str, Row]:
    add_studies(lake, read_studies(COUPLING / "studies.yaml"))
    rows = rows_of(lake, "FROM coupling_efficiency WHERE busy_basis = 'cp' ORDER BY study")
    return {row["coupled"]: row for row in rows}


@pytest.mark.parametrize(
    ("coupled", "efficiency", "delta", "increase"), [("B3", 90.29, 9.71, 10.76), ("B1", 89.61, 10.39, 11.60)]
)
def test_coupling_efficiency_of_tables_5_and_6(
    coupling_lake: Path, coupled: str, efficiency: float, delta: float, increase: float
):
    row = coupling(coupling_lake)[coupled]
    assert round(row["coupling_efficiency_pct"], 2) == efficiency
    assert round(row["capacity_delta_pct"], 2) == delta
    assert round(row["cpu_increase_pct"], 2) == increase
    assert len(row["refs"]) == 2 + 20


@pytest.mark.parametrize(
    ("configuration", "printed", "digits"), [("B1", 192457.48, 2), ("B2", 214775.82, 2), ("B3", 74859.951, 3)]
)
def test_itr_of_tables_5_and_6(coupling_lake: Path, configuration: str, printed: float, digits: int):
    coupling(coupling_lake)
    query = f"SELECT itr_per_interval AS itr FROM itr WHERE configuration = '{configuration}' AND busy_basis = 'cp'"
    (row,) = rows_of(coupling_lake, query)
    assert round(row["itr"], digits) == printed


def test_itr_of_b4_follows_from_its_processors_and_not_from_the_rounded_busy_figure(coupling_lake: Path):
    """Printed 82914.713 beside a busy figure of 17.43; the ten processors sum to 174.35."""
    coupling(coupling_lake)
    (row,) = rows_of(coupling_lake, "FROM itr WHERE configuration = 'B4' AND busy_basis = 'cp'")
    assert row["cpu_busy_pct"] == pytest.approx(17.435)
    assert row["itr_per_interval"] == pytest.approx(82913.68, abs=0.005)
    assert row["itr_per_interval"] != pytest.approx(82914.713, abs=0.5)
    assert row["requests"] / 0.1743 == pytest.approx(82937.46, abs=0.01)


@pytest.fixture(scope="module")
def connect_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("connect") / "lake"
    folder = STUDIES / "zos_connect"
    assert ingest([str(p) for p in sorted(folder.glob("*.txt"))], lake, Options()).exit_code(strict=True) == 0
    add_studies(lake, read_studies(folder / "studies.yaml"))
    return lake


def test_costs_and_improvements_of_zos_connect(connect_lake: Path):
    """CPU cost per transaction in ms of 3.0.36 and 3.0.37, and the improvement printed, which is a share of the new cost."""
    rows = rows_of(connect_lake, "FROM cost_change WHERE subsystem <> 'unallocated'")
    found = {
        row["study"].split()[2]: (
            round(row["baseline_cpu_ms_per_request"], 2),
            round(row["cpu_ms_per_request"], 2),
            round(row["improvement_pct_of_new"]),
        )
        for row in rows
    }
    assert found == {
        "1K": (0.51, 0.25, 104),
        "5K": (0.75, 0.49, 53),
        "10K": (1.03, 0.73, 41),
        "30K": (2.08, 1.90, 9),
        "50K": (3.02, 3.02, 0),
    }
    (small,) = [row for row in rows if "1K" in row["study"]]
    assert round(small["reduction_pct_of_baseline"]) == 51
    assert len(small["refs"]) == 2


def test_studies_that_are_checked_together_are_told_each_its_own(connect_lake: Path):
    """Their configurations are called alike, and select other intervals."""
    first, second = read_studies(STUDIES / "zos_connect" / "studies.yaml")[:2]
    assert second.requests.of_class
    wrong = replace(second, requests=replace(second.requests, of_class=replace(second.requests.of_class, name="NONE")))
    with open_lake(connect_lake) as lake:
        together = check_studies(lake, [first, wrong])
        alone = [check_studies(lake, [study])[0] for study in (first, wrong)]
    assert [(c.selection, c.errors, c.notes) for c in together] == [(c.selection, c.errors, c.notes) for c in alone]
    assert [len(c.errors) for c in together] == [0, 1]
    assert together[0].selection["first_start"] != together[1].selection["first_start"]


def test_a_page_that_prints_no_ziip_gives_no_split(connect_lake: Path):
    query = "SELECT DISTINCT ziip_pct, non_ziip_eligible_pct, response_ms FROM cost_per_request"
    assert rows_of(connect_lake, query) == [{"ziip_pct": None, "non_ziip_eligible_pct": None, "response_ms": None}]


PUBLISHED_RESULTS = (
    *("90.29", "89.61", "9.71", "10.39", "10.76", "11.60", "74859", "82914", "192457", "214775"),
    *("515.4", "11.11", "20.36", "8.93", "137.45", "108.5", "65.398", "99.99", "9.33", "78226"),
)


def test_no_published_result_stands_in_a_sample():
    for path in STUDIES.rglob("*.*"):
        text = path.read_text()
        assert [n for n in PUBLISHED_RESULTS if n in text] == [], path
