"""Two sysplexes with systems of one name, and two machines with partitions of one name: nothing is added or mixed on the page."""

import datetime as dt
from collections.abc import Callable

import numpy as np
import pytest
from db2_rows import counter_rows
from ironlake.dashboards.lake_page.asked import Asked
from ironlake.dashboards.lake_page.contract import Happened, Section
from ironlake.dashboards.lake_page.facts.contention import contention
from ironlake.dashboards.lake_page.facts.cost import cost
from ironlake.dashboards.lake_page.facts.coverage import coverage
from ironlake.dashboards.lake_page.facts.facilities import facilities
from ironlake.dashboards.lake_page.facts.goals import goals
from ironlake.dashboards.lake_page.facts.msu import msu
from ironlake.dashboards.lake_page.facts.overflow import overflow
from ironlake.dashboards.lake_page.facts.paths import paths
from ironlake.dashboards.lake_page.facts.pools import pools
from ironlake.dashboards.lake_page.facts.systems import systems
from ironlake.dashboards.lake_page.facts.threads import threads
from ironlake.dashboards.lake_page.found import Found
from ironlake.pipeline.status.calendar import Calendar
from ironlake.pipeline.status.coverage import Intervals, Place
from lake_facts import asked
from one_lake import Asks
from rmf_rows import hourly, processor
from views_lake import Row, heading, place

TEN = dt.datetime(2021, 4, 13, 10)
DAY = TEN.date()


def found_of(
    question: Callable[[Asked], Found], calendar: Calendar | None = None, /, **rows: list[Row]
) -> Asks[tuple[Section, list[Happened], tuple[str, ...]]]:
    found = question((yield from asked(DAY, DAY, calendar, **rows)))
    return found.sections[0], [one.happened for one in found.happened], found.unknown


def of_page(plex: str | None, source: str, **values: object) -> Row:
    return heading(TEN, 3600, sysplex=plex, scope="SYS1", **place(10, source)) | values


def of_class(plex: str, cp: float, **values: object) -> Row:
    row = heading(TEN, 3600, sysplex=plex, scope="SYS1", **place(10, plex))
    row |= {"class_kind": "service_class", "service_class": "CICS", "workload": "W", "transactions_ended": 360_000}
    return row | {"appl_cp_pct": cp, "appl_iip_pct": 90.0, "appl_iipcp_pct": cp / 10} | values


BOTH = {"rmf_workload_activity": [of_class("PLEX1", 10.0), of_class("PLEX2", 40.0)]}


def test_the_cost_of_a_class_is_that_of_its_sysplex() -> Asks[None]:
    section, _, _ = yield from found_of(cost, **BOTH)
    assert dict(zip(section.rows.of("label"), section.rows.of("cp_ms"), strict=True)) == {
        "CICS on PLEX1": 1.0,
        "CICS on PLEX2": 4.0,
    }


def test_the_goals_of_a_class_are_those_of_its_sysplex() -> Asks[None]:
    period = {"class_kind": "service_class_period", "period": 1, "importance": 1}
    goal = {"system": "*ALL", "is_total": True, "goal_type": "velocity", "goal_pct": 50.0}
    pages = [of_class(plex, 10.0, **period) for plex in ("PLEX1", "PLEX2")]
    kept = ("appl_cp_pct", "appl_iip_pct", "appl_iipcp_pct", "transactions_ended", "importance")
    goal_rows = [
        {k: v for k, v in row.items() if k not in kept} | goal | {"performance_index": index}
        for row, index in zip(pages, (0.5, 2.5), strict=True)
    ]
    section, happened, _ = yield from found_of(goals, rmf_workload_activity=pages, rmf_workload_goal=goal_rows)
    assert section.finding == "1 of 2 goals missed at times; worst: CICS on PLEX2, 2.5 on Tue 13 Apr, 10:00."
    assert section.rows.of("class_period") == ["CICS on PLEX1", "CICS on PLEX2"]
    assert [one.sentence.partition(" missed")[0] for one in happened] == ["CICS on PLEX2"]


def test_the_overflow_of_systems_is_that_of_their_sysplex() -> Asks[None]:
    section, _, _ = yield from found_of(overflow, **BOTH)
    assert section.rows.of("place") == ["SYS1 on PLEX1", "SYS1 on PLEX2"]
    assert section.finding.startswith("Most: 4.3% of the eligible time of SYS1 on PLEX2 on")


def test_a_page_without_a_sysplex_may_be_of_either_system() -> Asks[None]:
    """CPU Activity names no sysplex: what two files say of one interval is unknown, and whose one file's is, too."""
    times = {"interval_start": TEN, "interval_end": TEN + dt.timedelta(hours=1), "interval_s": 3600.0}
    cpus = [processor(0, busy, system="SYS1", **times, **place(30, s)) for busy, s in ((20.0, "s1"), (80.0, "s2"))]
    section, _, _ = yield from found_of(systems, **BOTH, rmf_cpu_activity=cpus)
    assert section.rows.of("sysplex") == [None]
    assert section.rows.of("cp_engines") == [None]
    assert section.finding == "How busy the processors were is not printed."


def test_the_page_says_whose_name_is_shared_and_does_not_add_their_days() -> Asks[None]:
    places = [Place("rmf_workload_activity", plex, "SYS1", "interval") for plex in ("PLEX1", "PLEX2")]
    start = [int((TEN - dt.datetime(1970, 1, 1)).total_seconds() * 1e6)] * 2
    calendar = Calendar(Intervals(places, np.arange(2), np.array(start), np.array(start) + 3_600_000_000))
    section, _, unknown = yield from found_of(coverage, calendar, **BOTH)
    assert section.rows.of("label") == ["SYS1 Workload Activity on PLEX1", "SYS1 Workload Activity on PLEX2"]
    assert [words.partition(":")[0] for words in unknown] == ["Whose SYS1 it is"]
    assert "PLEX1 and PLEX2 each have a system of this name" in unknown[0]


def test_facilities_and_structures_of_one_name() -> Asks[None]:
    usage = {"cf_name": "CF01", "processors_effective": 2.0}
    rows = [
        of_page("PLEX1", "s1", utilization_pct=20.0, **usage),
        of_page("PLEX2", "s2", utilization_pct=60.0, **usage),
    ]
    section, happened, _ = yield from found_of(facilities, rmf_cf_usage=rows)
    assert section.finding.startswith("Busiest: CF01 on PLEX2, 60.0%")
    assert happened[0].sentence.startswith("Coupling facility CF01 on PLEX2 was 60% busy")
    lock = {"cf_name": "CF01", "structure_name": "LOCK1", "structure_type": "LOCK", "system": "SYS1", "is_total": False}
    lock |= {"requests": 36000, "sync_requests": 36000, "sync_service_us": 5.0, "async_requests": 0}
    lock |= {"changed_requests": 0}
    rows = [
        of_page(plex, plex, requests_per_s=rate, contention_requests=36000, contention_total=waits, contention_false=0)
        | lock
        for plex, rate, waits in (("PLEX1", 10.0, 1080), ("PLEX2", 20.0, 1800))
    ]
    section, happened, _ = yield from found_of(contention, rmf_cf_structure_activity=rows)
    assert section.rows.of("structure") == ["CF01 LOCK1 on PLEX1", "CF01 LOCK1 on PLEX2"]
    # Each structure counts its own hours.
    assert [one.sentence for one in happened] == [
        f"CF01 LOCK1 on {plex}: {pct}% of the lock requests waited on Tue 13 Apr, 10:00; 1 hour of that day with more than 2% and at least 10 lock requests/s."
        for plex, pct in (("PLEX1", "3.0"), ("PLEX2", "5.0"))
    ]


def path(plex: str | None, source: str, peer: str, sent: int, **values: object) -> Row:
    row = {"system": "SYS1", "direction": "outbound", "path_type": "S", "structure": "IXCSTR1", "peer_system": peer}
    counts = {"requests_out": sent, "available": sent, "busy": 0, "retries": 0, "transport_class": "DEFAULT"}
    return of_page(plex, source) | row | counts | values


def test_paths_of_one_name() -> Asks[None]:
    section, _, _ = yield from found_of(
        paths, rmf_xcf_path=[path("PLEX1", "s1", "SYS2", 3600), path("PLEX2", "s2", "SYS2", 7200)]
    )
    assert section.rows.of("label") == ["SYS1 outbound IXCSTR1 on PLEX1", "SYS1 outbound IXCSTR1 on PLEX2"]
    assert section.rows.of("system_label") == ["SYS1 on PLEX1", "SYS1 on PLEX2"]
    assert section.rows.of("signals_per_s") == [1.0, 2.0]


@pytest.mark.parametrize("peer", ["SYS2", "SYS3"])
def test_paths_whose_sysplex_is_not_printed_are_not_added(peer: str) -> Asks[None]:
    """One value of two files, or the sum of both, would be wrong for either system."""
    rows = [path(None, "s1", "SYS2", 3600), path(None, "s2", peer, 7200)]
    section, _, _ = yield from found_of(paths, rmf_xcf_path=rows)
    assert section.rows.of("signals_per_s") == [None]
    # The same pages twice are one.
    section, _, _ = yield from found_of(paths, rmf_xcf_path=[rows[0], path(None, "s2", "SYS2", 3600)])
    assert section.rows.of("signals_per_s") == [1.0]


def entry(source: str, calls: int, end: dt.datetime) -> Row:
    row = {"applid": "CICSA", "collection": "interval", "is_total": False, "db2entry": "ENT", "interval_s": 3600.0}
    counts = {"calls": calls, "commits": 0, "aborts": 0, "single_phase": calls}
    counts |= {"thread_creates": 1, "thread_reuses": calls - 1, "thread_waits_or_overflows": 0}
    return row | counts | place(10, source) | {"collected_at": end}


@pytest.mark.parametrize("seconds", [0, 5])
def test_threads_of_regions_of_one_name_are_not_added(seconds: int) -> Asks[None]:
    """At 11:00 both, or the second region 5 s later; an hour later there is one."""
    end = TEN + dt.timedelta(hours=1)
    rows = [entry("s1", 3600, end), entry("s2", 7200, end + dt.timedelta(seconds=seconds))]
    rows.append(entry("s1", 3600, end + dt.timedelta(hours=1, seconds=seconds)))
    section, _, _ = yield from found_of(threads, cics_db2entry_request=rows)
    assert section.rows.of("calls_per_s") == [None, 1]
    assert section.finding.startswith(
        "No request waited for a thread or used the pool, as far as is known. Least used again: CICSA ENT, 99.97%"
    )
    assert section.note.startswith("1 hour of a region and DB2ENTRY unknown")


def test_pools_of_groups_of_one_name() -> Asks[None]:
    """Groups are told apart by their location; what has one location and member is unknown."""
    times = {"begin_at": TEN, "end_at": TEN + dt.timedelta(hours=1), "interval_elapsed_s": 3600.0, "object": "BP1"}

    def rows(location: str, getpages: float, source: str) -> list[Row]:
        counters = {"GETPAGE REQUEST": getpages, "SYNCHRONOUS READS": 36.0, "SEQUENTIAL PREFETCH READS": 0.0}
        counters |= {"LIST PREFETCH READS": 0.0, "DYNAMIC PREFETCH READS": 0.0}
        return counter_rows(counters, block="READ OPERATIONS", location=location, **times, source_id=source)

    section, _, _ = yield from found_of(
        pools, db2_statistics_counter=[*rows("L1", 3600.0, "s1"), *rows("L2", 7200.0, "s2")]
    )
    labels = section.rows.of("label")
    assert dict(zip(labels, section.rows.of("getpages_per_s"), strict=True)) == {
        "DSNDB2I1 BP1 on L1": 1,
        "DSNDB2I1 BP1 on L2": 2,
    }
    later = {"begin_at": times["end_at"], "end_at": times["end_at"] + dt.timedelta(hours=1)}
    once = [row | later for row in rows("L1", 3600.0, "s1")]
    both = [*rows("L1", 3600.0, "s1"), *rows("L1", 7200.0, "s2"), *once]
    section, _, _ = yield from found_of(pools, db2_statistics_counter=both)
    assert section.rows.of("getpages_per_s") == [None, 1]


def test_partitions_of_one_name_on_two_machines() -> Asks[None]:
    """LPAR1 of 100 MSU on the machine of SYSA, of 300 on that of SYSB."""
    pages = [
        row
        for system, msu in (("SYSA", 100.0), ("SYSB", 300.0))
        for row in hourly(*[msu] * 5, system=system, name="LPAR1", own="LPAR1")
    ]
    # As START of rmf_rows: from 10:00 on.
    cpus = [
        processor(0, 50.0, system=system, sequence_code=code, interval_s=3600.0)
        | {"interval_start": TEN + dt.timedelta(hours=n), "interval_end": TEN + dt.timedelta(hours=n + 1)}
        for system, code in (("SYSA", "CPC1"), ("SYSB", "CPC2"))
        for n in range(5)
    ]
    section, _, _ = yield from found_of(msu, rmf_partition_data=pages, rmf_cpu_activity=cpus)
    known = {
        (name, msu)
        for name, level, msu in zip(*map(section.rows.of, ("name", "level", "rolling_msu")), strict=True)
        if msu and level == "partition"
    }
    assert known == {("LPAR1 on CPC1", 100), ("LPAR1 on CPC2", 300)}
    assert section.finding.startswith("Highest: LPAR1 on CPC2, 300 MSU on")


def test_a_partition_and_a_machine_of_one_name() -> Asks[None]:
    """Without a sequence code the machine is named as its first system. SYSX has no page of its own, and is in the machine alone."""
    pages = [*hourly(*[100.0] * 5, name="SYSA", own="SYSA"), *hourly(*[50.0] * 5, name="SYSX", own="SYSA")]
    section, _, _ = yield from found_of(msu, rmf_partition_data=pages)
    known = {
        (name, msu) for name, msu in zip(*map(section.rows.of, ("name", "rolling_msu")), strict=True) if msu is not None
    }
    assert known == {("Partition SYSA", 100), ("Machine SYSA", 150)}
