"""Findings: which values are beyond their limits, in the whole lake and in the runs of a study, and where they are printed."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from ironlake.pipeline.declaration.finding_rules import rules
from ironlake.pipeline.errors import UsageError
from ironlake.pipeline.study.rows import study_rows
from ironlake.pipeline.study.study_file import parse_studies
from test_cics_views import three_sources
from views_lake import START, MemoryLake, Row, heading, place, worked_page

STUDY = """\
study: S
interval: all
systems: [SYSA, SYSB]
requests: {report_class: CICS2A20}
limits: {cf_utilization_pct: 61, xcf_rejects: 5.5}
configurations:
  A: {steps: [{window: 2021-04-13T10:00/10:01}, {window: 2021-04-13T10:01/10:04}]}
subsystems: {CICS: {report_class: CICS2A20}}
"""
MINUTE = dt.timedelta(minutes=1)


def interval(line: int, start: dt.datetime = START, system: str | None = "SYSA", **values: Any) -> Row:
    """A row of an RMF table of one system."""
    return heading(start, line=line, scope=None, system=system) | values


def structure(line: int, **values: Any) -> Row:
    return interval(line, cf_name="CF01", structure_name="DBP1_LOCK1", is_total=False, **values)


def region(line: int, applid: str, minutes: int = 1, **values: Any) -> Row:
    """A row of the statistics of a CICS region, of the minute that ends so many minutes after START."""
    collected = {"collection": "interval", "collected_at": START + minutes * MINUTE, "interval_s": 60.0}
    return place(line, "cics") | {"applid": applid} | collected | values


def pages() -> dict[str, list[Row]]:
    """Rows at a limit and beyond it, of every rule."""
    lock = {"requests": 30000, "contention_requests": 29000, "contention_requests_resolution": 1000}
    counter = {"location": "LOC", "member": "DB1A", "report_kind": "report", "scope": "member", "block": "GROUP BP",
        "object": "GBP6", "begin_at": START, "end_at": START + MINUTE, "interval_elapsed_s": 60.0, "occurrence": 1}  # fmt: skip
    goal = heading() | {"class_kind": "service_class_period", "workload": "W", "service_class": "ONLINE", "period": 1}
    second = worked_page(**heading(START + MINUTE, line=50), transactions_ended=0)
    return {
        "rmf_cf_structure_activity": [
            structure(1, changed_pct=10.0, delayed_no_sch_pct=9.9, delayed_pr_wt_pct=12.5),
            structure(2, changed_pct=9.9, delayed_dump_pct=10.0) | {"structure_name": "LIST1", "system": "SYSC"},
            structure(3, changed_pct=99.0) | {"is_total": True},
            structure(4, **lock, contention_total=580, contention_false=291) | {"system": "SYSB"},
        ],
        "rmf_cf_subchannel_activity": [
            interval(5, cf_name="CF01", delayed_total_pct=20.0),
            # 60,000 of 10 us in 60 s on 2 subchannels are 0.5% busy, of 600 us 30%.
            *(
                interval(line, system=system, cf_name="CF03", requests=60_000, requests_per_s=1_000.0, sync_requests=60_000, sync_service_us=us,
                    async_requests=0, link_1_type="SUBCH", link_1_used=2)
                for line, system, us in ((17, "SYSA", 600.0), (18, "SYSB", 10.0))
            ),
            # CS5 lets expect 8 us: 16 us are twice as much; 600,000 of them in 60 s are 0.16 of an engine, 60,000 are 0.016.
            *(
                interval(line, system=system, cf_name="CF04", requests=count, requests_per_s=count / 60, sync_requests=count, sync_service_us=us,
                    async_requests=0, link_1_type="CS5", link_1_used=2)
                for line, system, count, us in ((126, "SYSA", 600_000, 16.0), (127, "SYSB", 60_000, 16.0), (128, "SYSC", 600_000, 15.9))
            ),
        ],
        "rmf_cf_storage_class_memory": [
            interval(line, system=None, cf_name="CF01", structure_name=name, reads=reads) for line, name, reads in ((101, "MQ1", 12), (102, "MQ2", 0))
        ],
        "rmf_channel_path": [
            interval(line, channel_subsystem="0", channel_path_id=path, channel_path_type=kind, busy_pct=busy)
            for line, path, kind, busy in ((103, "3A", "FC_S", 50.0), (104, "3B", "FC_S", 49.9), (105, "8A", "CS5", 90.0))
        ],
        # Of few requests nobody has to wait long.
        "rmf_io_queue": [
            interval(line, lcu=lcu, is_total=True, taken_per_s=rate, alias_wait_per_request=waits)
            for line, lcu, rate, waits in ((106, "0041", 900.0, 0.1), (107, "0042", 9.9, 0.9), (108, "0043", 900.0, 0.099))
        ],
        # 12 and 11 of 1,200 writes; of 9.9 a second nobody asks.
        "rmf_cache_subsystem": [
            interval(line, ssid=ssid, control_unit="8A04", cache_interval_s=60, dfw_bypass=delayed)
            for line, ssid, delayed in ((109, "8A01", 12), (110, "8A02", 11), (111, "8A03", 59))
        ],
        "rmf_cache_request": [
            interval(line, ssid=ssid, control_unit="8A04", is_total=True, reads=0, read_hits=0, writes=writes, write_hits=writes,
             writes_per_s=writes / 60)
            for line, ssid, writes in ((112, "8A01", 1_200), (113, "8A02", 1_200), (114, "8A03", 594))
        ],
        "rmf_cf_usage": [
            interval(6, system=None, cf_name="CF01", utilization_pct=50.0),
            interval(7, system=None, cf_name="CF02", utilization_pct=49.9),
            interval(16, system=None, cf_name="CF01", utilization_pct=70.0, report_kind="duration"),
            interval(8, START + MINUTE, system=None, cf_name="CF01", utilization_pct=61.0),
        ],
        "rmf_cf_structure_summary": [
            structure(9, directory_reclaim_cross_invalidations=3) | {"structure_name": "DBP1_GBP6", "system": None},
            structure(10, directory_reclaim_cross_invalidations=8) | {"structure_name": "IXLIST", "system": None},
        ],
        "rmf_xcf_system": [
            interval(11, direction="outbound", peer_system="SYSB", transport_class="DEFAULT", rejects=5, is_total=False),
            interval(12, direction="outbound", peer_system="SYSC", transport_class="DEFAULT", rejects=0, is_total=False),
        ],
        # 6 of 60 messages and 5 of 60; 5 of 30 in a minute are less than one a second.
        "rmf_xcf_path": [
            interval(130 + n, direction="outbound", peer_system="SYSB", transport_class="DEFAULT", path_type="S", structure=name, available=free,
             busy=busy)
            for n, (name, free, busy) in enumerate([("IXCPATH1", 54, 6), ("IXCPATH2", 55, 5), ("IXCPATH3", 25, 5)])
        ],
        "db2_statistics_counter": [
            place(13, "db2") | counter | {"counter": name, "label_path": name, "quantity": value}
            for name, value in (("READ FAILED-NO STORAGE", 2.0), ("WRITE FAILED-NO STORAGE", 7.0))
        ],
        "cics_db2entry_request": [
            place(line, "cics")
            | {"applid": "CICSA", "collection": "interval", "collected_at": START + MINUTE, "interval_s": 60, "is_total": False}
            | {"db2entry": name, "thread_waits_or_overflows": waits}
            for line, name, waits in ((14, "PAY", 4), (15, "QUIET", 0))
        ],
        # QR of CICSA is dispatched 42 of 60 s, 70%; that of CICSB 41.94 s, 69.9%.
        "cics_tcb_time": [
            region(110, "CICSA", tcb_mode="QR", is_total=False, dispatch_time_s=42.0, wait_time_s=18.0),
            region(111, "CICSA", tcb_mode="L8", is_total=False, dispatch_time_s=59.0, wait_time_s=1.0),
            region(112, "CICSB", 2, tcb_mode="QR", is_total=False, dispatch_time_s=41.94, wait_time_s=18.06),
        ],
        "cics_transaction_manager": [
            region(113, "CICSA", transactions_total=88584, times_at_mxt=2), region(114, "CICSB", 2, transactions_total=10, times_at_mxt=0),
        ],
        # Two areas of CICSA went short, one of them twice; the line of totals has the same again.
        "cics_dsa_count": [
            region(line, applid, minutes, dsa=dsa, measure="Times went short on storage", value=value)
            for line, applid, minutes, dsa, value in (
                (115, "CICSA", 1, "ECDSA", 1.0), (116, "CICSA", 1, "EUDSA", 2.0), (117, "CICSA", 1, "Totals", 3.0), (118, "CICSB", 2, "EUDSA", 0.0),
            )
        ],
        # The class of CICS used 31.66 + 75.53% of 60 s, 64.314 s: the address space has 57 + 3 s, and the tasks 0.8 ms each.
        "cics_dispatcher": [region(119, "CICSA", address_space_cpu_s=57.0, address_space_srb_s=3.0)],
        "cics_monitoring_summary": [
            place(120, "cics")
            | {"applid": "CICSA", "begin_at": START, "end_at": START + MINUTE, "interval_s": 60.0, "transaction": "ORDR"}
            | {"tasks": 88584, "cpu_s": 0.0008, "cpu_s_resolution": 0.0001}
        ],
        "rmf_workload_goal": [
            goal | {"line": 20, "system": "*ALL", "is_total": True, "goal_type": "average", "performance_index": 1.2},
            goal | {"line": 21, "system": "SYSA", "is_total": False, "goal_type": "average", "performance_index": 1.9},
            goal | {"line": 22, "period": 2, "system": "*ALL", "is_total": True, "performance_index": 1.0},
        ],
        # WLM capped LPA for 2.5% of its own page, which prints LPB too; the processors are 90.5 and 89.9% busy.
        "rmf_partition_data": [
            interval(line, partition=name, mvs_partition="LPA", processor_type=kind, is_total=name is None, source_form="print") | values
            for line, name, kind, values in (
                (90, "LPA", "CP", {"capping_wlm_pct": 2.5}),
                (91, "LPB", "CP", {"capping_wlm_pct": 7.5}),
                (92, None, "CP", {"physical_total_pct": 90.5}),
                (93, "LPA", "IIP", {"capping_wlm_pct": 0.0}),
                (94, None, "IIP", {"physical_total_pct": 89.9}),
                # Processors of coupling facilities alone are dispatched all the time: nobody waits for them.
                (95, "CF1", "ICF", {"dedicated": True, "physical_total_pct": 100.0}),
                (96, "*PHYSICAL*", "ICF", {"physical_total_pct": 0.0}),
                (97, None, "ICF", {"physical_total_pct": 100.0}),
            )
        ] + [
            # LPX and LPY are entitled to 1 and 3 of 4 zAAPs and used 1.5 and 0.5: 150%, half an engine more. That of LPX tells it.
            interval(line, partition=name, mvs_partition="LPX", processor_type="AAP", is_total=False, source_form="print", system="SYSD",
                weight=weight, dedicated=False, logical_processors=4.0, physical_processors_aap=4, total_dispatch=used)
            for line, name, weight, used in ((121, "LPX", 100.0, 90.0), (122, "LPY", 300.0, 300.0))
        ],
        # Of two processors 1.3 engines ready and 0.8 dispatched: half an engine, 38.5%, waits. Of one, 0.2 of 0.8.
        "rmf_cpu_activity": [
            interval(line, system=system, processor_type="CP", processor_id=str(line), thread=0, is_total=False, source_form="print",
                online_pct=100.0, parked_pct=0.0, mvs_busy_pct=mvs, lpar_busy_pct=lpar)
            for line, system, mvs, lpar in ((123, "SYSA", 80.0, 55.0), (124, "SYSA", 50.0, 25.0), (125, "SYSB", 80.0, 60.0))
        ],
        # The limit of group G held LPA of SYSA back, on its own page; LPB is told by the page of SYSB.
        "rmf_group_capacity": [
            interval(line, capacity_group="G", partition=name, member_system=system, is_total=name is None, capping_actual_pct=held)
            for line, name, system, held in ((98, "LPA", "SYSA", 17.0), (99, "LPB", "SYSB", 38.0), (100, None, None, None))
        ],
        # 39,000 of 40,000 service units per second, printed as 39K; of the other group 90%.
        "rmf_resource_group": [
            interval(line, system=None, resource_group=name, su_per_s=used, su_per_s_resolution=1000.0, capacity_max=40_000.0, capacity_unit="SU/SEC")
            for line, name, used in ((131, "LIMITED", 39_000.0), (132, "FREE", 36_000.0))
        ],
        # Times that go with their percentages: a page that no factor fits has no crossover.
        # The class of 10:00: 6.76 of 82.29 is 8.2% crossover. Printed in two sources, alike; the one of 10:01 otherwise.
        "rmf_workload_activity": [
            worked_page(line=30),
            worked_page(line=30, source_id="s2"),
            second | {"appl_iipcp_pct": 0.0},
            second | {"appl_iipcp_pct": 0.01, "line": 60},
            worked_page(line=70, report_class="SMALL", appl_cp_pct=5.0, appl_iip_pct=4.55, appl_iipcp_pct=0.51, iip_time_s=2.73, cpu_time_s=5.723),
            worked_page(line=75, report_class="TINY", appl_cp_pct=5.0, appl_iip_pct=0.05, appl_iipcp_pct=0.03, iip_time_s=0.03),
            worked_page(line=80, report_class="CROSSING", appl_cp_pct=50.0, appl_iip_pct=10.0, appl_iipcp_pct=30.0, iip_time_s=6.0,
             cpu_time_s=35.993),
        ],
        "ingest_file": [place(1, "s1") | {"source_file": "one.txt"}, place(1, "cics"), place(1, "study") | {"source_file": "s.yaml"}],
    }  # fmt: skip


@pytest.fixture(scope="module")
def found() -> list[Row]:
    study = study_rows(parse_studies(STUDY, "s.yaml"), "study")
    lake = MemoryLake(**pages(), **{name: table.to_pylist() for name, table in study.items()})
    return lake.rows("FROM finding ORDER BY study NULLS FIRST, rule, interval_start, line")


def of(found: list[Row], study: str | None, rule: str) -> list[tuple[object, ...]]:
    return [(r["subject"], r["value"], r["line"]) for r in found if r["study"] == study and r["rule"] == rule]


def test_values_beyond_their_limits_are_found_in_the_whole_lake(found: list[Row]):
    whole = {rule: of(found, None, rule) for rule in rules()}
    near = pytest.approx
    assert whole == {
        "cf_changed_pct": [("CF01 DBP1_LOCK1", 10.0, 1)],
        "cf_delayed_pct": [
            ("CF01 DBP1_LOCK1 (PR WT)", 12.5, 1), ("CF01 LIST1 (DUMP)", 10.0, 2), ("CF01 (subchannels)", 20.0, 5),
        ],
        "cf_subchannel_busy_pct": [("CF03", near(30), 17)],
        "cf_of_reference_pct": [("CF04", near(200), 126)],
        "cf_memory_reads": [("CF01 MQ1", 12.0, 101)],
        "channel_busy_pct": [("channel path 0.3A", 50.0, 103)],
        "alias_waits": [("lcu 0041", near(0.1), 106)],
        "cache_delayed_writes_pct": [("control unit 8A04 (8A01)", near(1), 109)],
        "cf_utilization_pct": [("CF01", 50.0, 6), ("CF01", 70.0, 16), ("CF01", 61.0, 8)],
        "contention_pct": [],
        "false_contention_pct": [("CF01 DBP1_LOCK1", near(291 / 290), 4)],
        "gbp_reads_failed_no_storage": [("DB1A GBP6", 2.0, 13)],
        "gbp_writes_failed_no_storage": [("DB1A GBP6", 7.0, 13)],
        "gbp_directory_reclaim_xi": [("CF01 DBP1_GBP6", 3.0, 9)],
        "xcf_rejects": [("outbound SYSB DEFAULT", 5.0, 11)],
        "xcf_path_busy_pct": [("outbound IXCPATH1 SYSB DEFAULT", near(10), 130)],
        "db2entry_waits": [("CICSA PAY", 4.0, 14)],
        "cics_qr_busy_pct": [("CICSA QR", near(70), 110)],
        "cics_times_at_mxt": [("CICSA", 2.0, 113)],
        "cics_short_on_storage": [("CICSA", 3.0, 113)],
        # 0.51 of 5.06 and 30 of 40; 0.03 of 0.08 is 37.5%, of three ten-thousandths of an engine.
        "crossover_pct": [("report class SMALL", near(51 / 5.06), 70), ("report class CROSSING", near(75), 80)],
        "lpar_capped_pct": [("LPA CP", 2.5, 90)],
        "group_capped_pct": [("G LPA", 17.0, 98)],
        "resource_group_pct": [("resource group LIMITED", 97.5, 131)],
        "machine_busy_pct": [("CP of the machine", 90.5, 92)],
        "performance_index": [("ONLINE period 1", near(1.2), 20)],
        "beyond_entitlement_pct": [("LPX AAP", near(150), 121)],
        "waiting_pct": [("CP of SYSA", near(100 * 0.5 / 1.3), 123)],
        "printed_twice": [("Workload Activity", 2.0, 30)],
        "printed_differently": [("report class CICS2A20", 2.0, 50)],
        "no_requests": [],
        "db2_above_rmf_pct": [],
        # What a study charges to a request is of its runs.
        "cics_above_rmf_pct": [],
        "cics_apart_from_rmf_pct": [],
        "covered_off_pct": [],
    }  # fmt: skip


def test_a_limit_that_lost_digits_may_not_be_passed_is_said(found: list[Row]):
    """291 of 29K may be 291 of 29,500; 0.51 of 5.06 may be 0.505 of 5.06, and 30 of 40 is beyond any doubt."""
    certain = {r["subject"]: (r["is_certain"], r["least_value"]) for r in found if r["study"] is None}
    assert certain["CF01 DBP1_LOCK1"] == (False, pytest.approx(29100 / 29500))
    assert certain["report class SMALL"] == (False, pytest.approx(50.5 / 5.06))
    assert certain["report class CROSSING"][0] is True
    assert certain["CF01"] == (True, None)
    # 38,500 of 40,000.
    assert certain["resource group LIMITED"] == (True, pytest.approx(96.25))


def test_a_run_has_what_its_window_and_its_systems_hold_by_the_limits_of_its_study(found: list[Row]):
    """SYSC is not in the study; the facility is 61% busy in the second run, 50 in the first; 5 rejects are below 5.5.
    A duration report is of the same time again."""
    mine = [r for r in found if r["study"] == "S"]
    assert "CF01 LIST1 (DUMP)" not in {r["subject"] for r in mine}
    assert [(r["run"], r["value"], r["limit_value"]) for r in mine if r["rule"] == "cf_utilization_pct"] == [
        ("2", 61, 61)
    ]
    assert of(found, "S", "xcf_rejects") == []
    assert [(r["run"], r["subject"], r["limit_value"]) for r in mine if r["rule"] == "db2entry_waits"] == [
        ("1", "CICSA PAY", 0)
    ]
    assert [(r["run"], r["value"]) for r in mine if r["rule"] == "performance_index"] == [("1", pytest.approx(1.2))]


def test_a_run_without_requests_and_one_that_is_partly_covered_are_found(found: list[Row]):
    """The second window is of three minutes, one is printed, and nothing ended in it."""
    rows = {r["rule"]: r for r in found if r["rule"] in ("no_requests", "covered_off_pct")}
    assert (rows["no_requests"]["run"], rows["no_requests"]["value"]) == ("2", 0)
    assert rows["covered_off_pct"]["value"] == pytest.approx(200 / 3)
    assert len([r for r in found if r["rule"] in rows]) == 2
    # Where: the step in the study file, and behind it the printed row of the class.
    assert (rows["no_requests"]["source_file"], rows["no_requests"]["line"]) == ("s.yaml", 7)
    assert [ref["line"] for ref in rows["no_requests"]["refs"]] == [7, 50, 60]


def test_cics_beside_rmf_is_found_in_a_run(found: list[Row]):
    """88,584 tasks of 0.8 ms are 70.8672 s of the 64.314 that RMF has; the address space has 60 s of them. Nothing ended in run 2."""
    rows = [r for r in found if r["rule"].startswith("cics_a")]
    assert [(r["run"], r["rule"], r["subject"], r["value"]) for r in rows] == [
        ("1", "cics_above_rmf_pct", "A, run 1, CICSA", pytest.approx(100 * 70.8672 / 64.314)),
        ("1", "cics_apart_from_rmf_pct", "A, run 1, CICSA", pytest.approx(100 - 100 * 60 / 64.314)),
    ]
    # The step in the study file, and behind it the tasks, and the two parts of the region's statistics.
    assert [[ref["line"] for ref in r["refs"]] for r in rows] == [[7, 120, 113, 119]] * 2


def test_cics_that_fits_rmf_is_no_finding():
    """6,000 tasks of 3 ms and an address space of 3.5 ms each, of RMF's 3.5 ms."""
    assert (yield three_sources()).rows("FROM finding WHERE starts_with(rule, 'cics')") == []


def test_where_a_finding_is_printed(found: list[Row]):
    twice = next(r for r in found if r["rule"] == "printed_twice")
    assert (twice["source_file"], twice["page"], twice["line"]) == ("one.txt", 1, 30)
    assert {ref["source_id"] for ref in twice["refs"]} == {"s1", "s2"}
    differing = next(r for r in found if r["rule"] == "printed_differently" and r["study"] is None)
    assert [ref["line"] for ref in differing["refs"]] == [50, 60]


def test_every_rule_is_found_somewhere(found: list[Row]):
    # That of Db2 above RMF needs a study that charges classes: test_db2_accounting_views.
    assert {"contention_pct", "db2_above_rmf_pct"} == set(rules()) - {r["rule"] for r in found}


def kinds(changed_pct: float, cf_name: str = "CF01", **values: Any) -> list[Row]:
    """A lock, a list, a cache and a structure of no printed kind, 6,000 requests in the minute."""
    return [
        structure(line, changed_pct=changed_pct, requests=6000, structure_type=kind, **values)
        | {"structure_name": kind or "NONE", "cf_name": cf_name}
        for line, kind in enumerate(("LOCK", "LIST", "CACHE", None), 1)
    ]


def lock(line: int, cf_name: str, requests: int, total: int, status: str = "ACTIVE") -> Row:
    of_lock: dict[str, Any] = {"contention_requests": requests, "contention_total": total, "contention_false": 0}
    of_lock |= {"contention_requests_resolution": 1, "contention_false_resolution": 1, "status": status}
    return structure(line, requests=requests, **of_lock) | {"cf_name": cf_name}


def goal(goal_type: str, ended: int) -> dict[str, list[Row]]:
    period = heading() | {"class_kind": "service_class_period", "workload": "W", "service_class": "ONLINE", "period": 1}
    missed = period | {"system": "*ALL", "is_total": True, "goal_type": goal_type, "performance_index": 1.4}
    return {"rmf_workload_goal": [missed], "rmf_workload_activity": [period | {"transactions_ended": ended}]}


LOUD = {"changed_pct": 50.0, "delayed_no_sch_pct": 20.0}
# 10 requests in a minute are 0.17/s, 60 are 1/s, as printed or as it follows; of 0.5/s it is the printed rate that counts.
FEW = [
    structure(line, requests=requests, requests_per_s=printed, **LOUD) | {"structure_name": name}
    for line, name, requests, printed in ((1, "FEW", 10, None), (2, "ENOUGH", 60, None), (3, "PRINTED", 60, 0.5))
]
LINKS = [interval(n, cf_name=cf, requests=count, delayed_total_pct=50.0) for n, cf, count in ((4, "CF01", 10), (5, "CF02", 6000))]  # fmt: skip
OF_LOCKS: Row = {"delayed_total_pct": 4.0, "delayed_lock_pct": 6.0, "delayed_list_cache_pct": 3.0}
MISSED = [("performance_index", "ONLINE period 1", 1)]


@pytest.mark.parametrize(
    ("study", "tables", "expected"),
    [
        ("", {"rmf_cf_structure_activity": FEW, "rmf_cf_subchannel_activity": LINKS},
         [("cf_changed_pct", "CF01 ENOUGH", 10), ("cf_delayed_pct", "CF01 ENOUGH (NO SCH)", 10), ("cf_delayed_pct", "CF02 (subchannels)", 10)]),
        # 7% are much for a lock, whose requester waits, and not for the others; 12% for all.
        ("", {"rmf_cf_structure_activity": [*kinds(7.0, "SOME"), *kinds(12.0, "MANY"), *kinds(0.0, "LATE", delayed_dump_pct=7.0)]},
         [("cf_changed_pct", "MANY CACHE", 10), ("cf_changed_pct", "MANY LIST", 10), ("cf_changed_pct", "MANY LOCK", 5),
          ("cf_changed_pct", "MANY NONE", 10), ("cf_changed_pct", "SOME LOCK", 5), ("cf_delayed_pct", "LATE LOCK (DUMP)", 5)]),
        # 4% of all requests are below 10%, 6% of those to locks are not below 5%.
        ("", {"rmf_cf_subchannel_activity": [interval(4, cf_name="CF01", requests=6000, **OF_LOCKS)]},
         [("cf_delayed_pct", "CF01 (subchannels, locks)", 5)]),
        # A study sets limits by kind and least sizes: 12% of 100 requests a second.
        *((f"cf_changed_pct: {limits}", {"rmf_cf_structure_activity": kinds(12.0)}, [("cf_changed_pct", f"CF01 {of}", limit) for of, limit in names])
          for limits, names in (
              ("13", ()), ("11", (("CACHE", 11), ("LIST", 11), ("LOCK", 11), ("NONE", 11))),
              ("{lock: 13}", (("CACHE", 10), ("LIST", 10), ("NONE", 10))), ("{limit: 13, list: 12}", (("LIST", 12),)), ("{least_size: 101}", ()))),
        # 20 of 600 lock requests in a minute, 10/s, are 3.3%, and of a pair once; 2 of 60 are no more than two.
        ("", {"rmf_cf_structure_activity": [lock(1, "CF01", 600, 20, "ACTIVE PRIMARY"), lock(2, "CF02", 600, 20, "ACTIVE SECONDARY")]},
         [("contention_pct", "CF01 DBP1_LOCK1", 2)]),
        ("", {"rmf_cf_structure_activity": [lock(1, "CF01", 60, 2)]}, []),
        # 90% of 0.05 processors are 0.045 in use, 90% of 1.5 are 1.35.
        ("", {"rmf_cf_usage": [interval(n, system=None, cf_name=cf, utilization_pct=90.0, processors_effective=of)
                               for n, cf, of in ((1, "THIN", 0.05), (2, "BUSY", 1.5))]}, [("cf_utilization_pct", "BUSY", 50)]),
        # A goal of few transactions is not missed.
        ("", goal("average", 9), []), ("", goal("average", 10), MISSED), ("", goal("percentile", 9), []), ("", goal("velocity", 0), MISSED),
    ],
)  # fmt: skip
def test_limits_and_least_sizes(study: str, tables: dict[str, list[Row]], expected: list[tuple[str, str, float]]):
    """Rule, subject and limit of what is found in one minute, in the whole lake or by the limits of a study."""
    text = STUDY.replace("cf_utilization_pct: 61, xcf_rejects: 5.5", study or "cf_utilization_pct: 61")
    rows = study_rows(parse_studies(text, "s.yaml"), "study")
    lake = yield dict(**tables, **{name: table.to_pylist() for name, table in rows.items()})
    which = "study = 'S'" if study else "study IS NULL"
    asked = f"SELECT rule, subject, limit_value FROM finding WHERE {which} AND rule NOT IN ('no_requests', 'covered_off_pct')"
    assert lake.sql(f"{asked} ORDER BY ALL").fetchall() == expected


def test_every_limit_says_who_set_it():
    rules = MemoryLake().rows("FROM finding_rule")
    assert all(rule["rule_source"] for rule in rules)
    pages = {rule["rule"] for rule in rules if "page 187" in rule["rule_source"]}
    assert pages == {"cf_delayed_pct", "cf_utilization_pct"}
    # What names a document says where in it, or that nobody has looked; the rest is of this project.
    own = """
        crossover_pct printed_twice printed_differently no_requests covered_off_pct db2_above_rmf_pct cics_above_rmf_pct
        cics_apart_from_rmf_pct machine_busy_pct beyond_entitlement_pct waiting_pct cf_subchannel_busy_pct
        cf_of_reference_pct channel_busy_pct alias_waits cache_delayed_writes_pct xcf_path_busy_pct
        resource_group_pct
    """
    unseen = {rule["rule"] for rule in rules if "page not verified" in rule["rule_source"]}
    assert unseen == {rule["rule"] for rule in rules} - pages - {*own.split()}
    assert {rule["rule"] for rule in rules if (rule["least_size"] is None) != (rule["size_unit"] is None)} == set()


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ("{cf_utilization_pct: {lock: 3}}", "limits.cf_utilization_pct.lock: no such key; expected limit, least_size"),
        ("{cf_changed_pct: {least_size: few}}", "limits.cf_changed_pct.least_size: 'few'; expected a number"),
        ("{cf_utilisation_pct: 60}", "limits.cf_utilisation_pct: no such key; expected cf_utilization_pct (or"),
        ("{cf_utilization_pct: much}", "limits.cf_utilization_pct: 'much'; expected a number of 0 or more"),
        ("60", "limits: '60'; expected rules of findings and their limits"),
    ],
)
def test_a_limit_that_is_none_is_told(limits: str, message: str):
    text = f"study: S\nlimits: {limits}\nconfigurations: {{A: {{steps: [{{window: 2021-04-13T10:00/10:05, volume: 1}}]}}}}\n"
    with pytest.raises(UsageError) as caught:
        parse_studies(text, "study.yaml")
    assert f"study.yaml:2: {message}" in str(caught.value)
