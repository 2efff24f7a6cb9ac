"""Partitions, machines, dispatched work, coupling facilities and messages of XCF by clock hour: means by time and by requests, what is unknown, and
what is left out. Worked by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from one_lake import Rows, examples
from rmf_rows import processor
from views_lake import Row, approx, heading, one_row, span


def _page(minute: float, seconds: float, **other: object) -> Row:
    row = heading(scope=None)
    return row | {"sysplex": None, "system": "SYSA", "source_form": "print"} | span(minute, seconds) | other


def shared(minute: float, seconds: float, *used: float | None, system: str = "SYSA", **other: object) -> list[Row]:
    """A machine of 4 processors that LPA and LPB share by 300 and 100: 3 and 1; of each what it used, and none of *PHYSICAL*."""
    page = _page(minute, seconds, system=system) | {"mvs_partition": "LPA", "processor_type": "CP", "is_total": False}
    page |= {"dedicated": False, "physical_processors_cp": 4.0, "capping_wlm_pct": 10.0, "logical_processors": 4.0}
    names = (("LPA", 300.0), ("LPB", 100.0), ("*PHYSICAL*", None))
    return [
        page | {"partition": name, "weight": weight, "line": 10 + n, **dict.fromkeys(TIMES, engines and engines * seconds)} | other
        for n, ((name, weight), engines) in enumerate(zip(names, (*used, 0.0), strict=True))
    ]  # fmt: skip


TIMES = ("total_dispatch", "effective_dispatch")


def ready(minute: float, seconds: float, mvs: float | None, lpar: float | None, **other: object) -> Row:
    """A processor of SYSA that parks for no time."""
    named = {"parked_pct": 0.0, "polarization": "HIGH", "source_form": "print", "mvs_busy_pct": mvs}
    return processor(0, lpar) | span(minute, seconds) | named | other


def nulls(names: Sequence[str]) -> str:
    return f"[{', '.join(f'{name} IS NULL' for name in names)}]"


def partitions(*some: list[Row], **tables: list[Row]) -> Rows:
    return {"rmf_partition_data": [row for rows in some for row in rows], **tables}


# 900 s of 3 and 1,800 s of 1.5 of 4 engines: 2, 50%; the busiest 75%.
MACHINE = [*shared(0, 900, 2.0, 1.0), *shared(15, 1800, 1.0, 0.5)]
# The half hour counts; the quarter in it, and the report of the day, do not. Of 11:00 two sources say other things.
PRINTED = partitions(
    shared(0, 1800, 2.0, 1.0), shared(0, 900, 4.0, 0.0), shared(0, 3600, 4.0, 0.0, report_kind="duration"),
    shared(60, 900, 2.0, 1.0), shared(60, 900, 3.0, 1.0, source_id="s2"),
)  # fmt: skip
OF_PARTITION = ("used_engines", "entitled_engines", "use_of_entitlement_pct", "beyond_entitlement_engines", "capping_wlm_pct", "weight_share_pct",
 "logical_processors")  # fmt: skip
OF_WORK = ("engines_online", "engines_parked", "ready_engines", "busy_engines", "waiting_engines", "waiting_pct", "low_busy_engines")  # fmt: skip
# 900 s of 0.8 ready and 0.6 busy, 1,800 s of 0.2 and 0.15: 0.4 and 0.3, a quarter waits. A second processor is vertical low, parked half the time.
SECOND = {"processor_id": "1", "polarization": "LOW", "parked_pct": 50.0}
WORK = [ready(0, 900, 80.0, 60.0), ready(15, 1800, 20.0, 15.0), ready(0, 900, 0.0, 0.0, **SECOND), ready(15, 1800, 0.0, 0.0, **SECOND)]  # fmt: skip
LOW = {"polarization": "LOW"}


test_hours = examples(
    # 900 s of 4 and 1,800 s of 2.5 engines: 3, all of the 3 that weight gives. LPB: 0.5 and 1.25 of 1.
    ("partitions by time", partitions(shared(0, 900, 4.0, 0.5), shared(15, 1800, 2.5, 1.25, capping_wlm_pct=40.0)),
     f"partition, is_own, covered_s, dedicated, [r.line for r in refs], [{', '.join(OF_PARTITION)}] FROM partition_hour ORDER BY partition",
     [("LPA", True, 2700, False, [10], [approx(n) for n in (3, 3, 100, 0, 30, 75, 4)]),
      ("LPB", False, 2700, False, [11], [approx(n) for n in (1, 1, 100, 0, 30, 25, 4)])]),
    # Of one interval, and so of the hour.
    *((f"without {name}", partitions(shared(0, 900, 3.0, 1.0), shared(15, 900, 3.0, 1.0, **Row({name: None}))),
       f"{nulls(OF_PARTITION)} FROM partition_hour WHERE is_own",
       [([of in unknown for of in OF_PARTITION],)]) for name, unknown in (
          ("total_dispatch", ["used_engines", "use_of_entitlement_pct", "beyond_entitlement_engines"]),
          ("physical_processors_cp", ["entitled_engines", "use_of_entitlement_pct", "beyond_entitlement_engines"]),
          ("capping_wlm_pct", ["capping_wlm_pct"]))),
    ("partitions printed otherwise", PRINTED, "covered_s, used_engines, entitled_engines FROM partition_hour WHERE is_own ORDER BY hour_start",
     [(1800, approx(2), approx(3)), (900, None, None)]),
    ("machines printed otherwise", PRINTED, "covered_s, physical_busy_pct FROM machine_hour ORDER BY hour_start", [(1800, approx(75)), (900, None)]),
    # Named as CPU Activity does; SYSB prints no sequence code.
    ("machines by time", partitions(MACHINE, shared(0, 900, 1.0, 1.0, system="SYSB", source_id="s2"),
     rmf_cpu_activity=[ready(0, 900, 50.0, 50.0, sequence_code="0123")]),
     "machine, covered_s, partitions, shared_engines, busy_engines, physical_busy_pct, physical_busy_max_pct, logical_per_physical, management_engines,"
     " refs[1].line FROM machine_hour ORDER BY system",
     [("0123", 2700, 2, 4, approx(2), approx(50), approx(75), approx(2), approx(0), 10), (None, 900, 2, 4, approx(2), approx(50), approx(50),
      approx(2), approx(0), 10)]),
    ("a partition lost once", partitions(shared(0, 900, 2.0, 1.0), shared(15, 900, None, 1.0)),
     "busy_engines, physical_busy_pct, physical_busy_max_pct, physical_engines FROM machine_hour", [(None, None, None, 4)]),
    ("dispatched work by time", {"rmf_cpu_activity": WORK}, f"covered_s, [{', '.join(OF_WORK)}] FROM dispatch_hour",
     [(2700, [approx(n) for n in (2, 0.5, 0.4, 0.3, 0.1, 25, 0)])]),
    *((f"without {name}", {"rmf_cpu_activity": [ready(0, 900, 80.0, 60.0, **LOW), ready(15, 900, 80.0, 60.0, **LOW | {name: None})]},
       f"{nulls(OF_WORK)} FROM dispatch_hour", [([of in unknown for of in OF_WORK],)]) for name, unknown in (
          ("mvs_busy_pct", ["ready_engines", "waiting_engines", "waiting_pct"]),
          ("lpar_busy_pct", ["busy_engines", "waiting_engines", "waiting_pct", "low_busy_engines"]), ("polarization", ["low_busy_engines"]))),
    # Nothing waits, and no share is known.
    ("no ready work", {"rmf_cpu_activity": [ready(0, 900, 0.0, 0.0)]}, "waiting_engines, waiting_pct FROM dispatch_hour", [(0, None)]),
    ("work that overlaps", {"rmf_cpu_activity": [
        ready(0, 1800, 40.0, 30.0), ready(15, 900, 80.0, 60.0), ready(0, 3600, 90.0, 90.0, report_kind="duration")]},
     "covered_s, ready_engines FROM dispatch_hour", [(1800, approx(0.4))]),
)  # fmt: skip


# --- Links and storage of coupling facilities -------------------------------------------------------------------------


def _of_facility(minute: float, seconds: float, **other: object) -> Row:
    row = heading(scope=None)
    return row | {"cf_name": "CF1"} | span(minute, seconds) | other


def link(minute: float, seconds: float, count: int | None, us: float | None, **other: object) -> Row:
    """Synchronous requests over CS5, of which 8 us are expected, on 2 subchannels; no asynchronous ones."""
    row = _of_facility(
        minute, seconds, system="SYSA", link_1_type="CS5", link_1_used=2, link_2_type="SUBCH", link_2_used=2
    )
    row |= {"requests": count, "requests_per_s": count and count / seconds, "sync_requests": count}
    row |= {"sync_service_us": us, "async_requests": 0, "path_busy": 0, "changed_requests": 0}
    return row | {"delayed_total_pct": 0.0} | other


_MEASURES = """
interval_s requests requests_per_s sync_requests sync_service_us async_requests async_service_us changed_requests
unsuccessful_requests path_busy delayed_total_pct delayed_list_cache_pct delayed_lock_pct
"""


@pytest.mark.parametrize("name", [*_MEASURES.split(), *(f"link_{n}_{of}" for n in (1, 2, 3, 4) for of in ("type", "generated", "used"))])  # fmt: skip
def test_what_two_files_print_with_other_values_is_unknown(name: str):
    first = link(0, 900, 900, 10.0)
    change = "CFP" if name.endswith("type") else (first.get(name) or 0) + 1
    lake = yield {"rmf_cf_subchannel_activity": [first, first | {name: change, "source_id": "s2"}]}
    assert one_row(lake, "SELECT is_conflicting AS c, len(refs) AS n FROM cf_link_interval") == {"c": True, "n": 2}
    known = {name for name, value in one_row(lake, "FROM cf_link_hour").items() if value is not None}
    assert known == {"sysplex", "cf_name", "system", "hour_start", "covered_s", "refs"}


def storage(minute: float, available: int | None, reclaims: int | None, **other: object) -> dict[str, list[Row]]:
    """A facility of 1,000 bytes with one cache of 100."""
    page = _of_facility(minute, 900) | other
    cache = {"structure_name": "GBP1", "structure_type": "CACHE", "is_total": False, "allocated_bytes": 100}
    cache |= {"directory_reclaims": reclaims, "directory_reclaim_cross_invalidations": reclaims}
    return {
        "rmf_cf_usage": [page | {"total_storage_bytes": 1000, "available_storage_bytes": available}],
        "rmf_cf_structure_summary": [page | cache | {"line": 30}],
    }


def facility(*parts: dict[str, list[Row]]) -> Rows:
    return {name: [row for part in parts for row in part[name]] for name in parts[0]}


def links(*rows: Row) -> Rows:
    return {"rmf_cf_subchannel_activity": [*rows]}


# 900 s of 300,000 requests of 10 us and 1,800 s of 100,000 of 30 us: 15 us, 187.5% of 8. 3 s in 900 and 3 s in 1,800, of two subchannels: 0.111%.
# 4% of the first and 8 of the second are delayed: 5%; 3,000 and 5,000 met a busy path: 2%; 20,000 changed: 5%.
FIRST = link(0, 900, 300_000, 10.0, delayed_total_pct=4.0, path_busy=3000, changed_requests=0)
OTHER = link(15, 1800, 100_000, 30.0, delayed_total_pct=8.0, path_busy=5000, changed_requests=20000)
OF_LINK = ("sync_service_us", "reference_us", "of_reference_pct", "subchannel_busy_pct", "sync_engines", "delayed_pct", "path_busy_pct",
 "changed_pct")  # fmt: skip
HALF = [link(0, 900, 900, 10.0), link(15, 900, 0, None), link(0, 600, 9, 90.0), link(0, 3600, 9, 90.0, report_kind="duration")]  # fmt: skip
TWICE = links(link(0, 900, 900, 10.0), link(0, 900, 900, 10.0) | {"source_id": "s2"})
OF_STORAGE = "used_pct, available_bytes, reclaims, reclaim_invalidations, total_bytes"


test_hours_of_facilities = examples(
    ("links by requests and time", links(FIRST, OTHER),
     f"covered_s, link_types, sync_share_pct, requests_per_s, async_service_us, [{', '.join(OF_LINK)}] FROM cf_link_hour",
     [(2700, "CS5", 100, approx(400_000 / 2700), None, [approx(n) for n in (15, 8, 187.5, 100 * 6 / 2700 / 2, 6 / 2700, 5, 2, 5)])]),
    # Of one interval, and so of the hour.
    *((f"unknown {change}", links(link(0, 900, 900, 10.0), link(15, 900, 900, 10.0, **change)),
       f"link_types IS NULL, [{', '.join(f'{name} IS NULL' for name in OF_LINK)}] FROM cf_link_hour",
       [("link_1_type" in change, [name in unknown for name in OF_LINK])]) for change, unknown in (
          ({"sync_service_us": None}, ("sync_service_us", "subchannel_busy_pct", "of_reference_pct", "sync_engines")),
          ({"delayed_total_pct": None}, ("delayed_pct",)), ({"path_busy": None}, ("path_busy_pct",)),
          ({"link_1_type": "XX"}, ("reference_us", "of_reference_pct")))),
    ("the same print in two files", TWICE, "is_conflicting, len(refs) FROM cf_link_interval", [(False, 2)]),
    ("once", TWICE, "sync_service_us FROM cf_link_hour", [(10,)]),
    # An interval without requests takes no time of service, and overlaps count once.
    ("no requests and overlaps", links(*HALF), "covered_s, sync_service_us, of_reference_pct FROM cf_link_hour", [(1800, 10, 125)]),
    # At its fullest, and reclaims added.
    ("storage", facility(storage(0, 400, 10), storage(15, 360, 5), storage(30, 700, 0)),
     f"{OF_STORAGE}, largest_structure_pct, [r.line for r in refs] FROM cf_storage_hour", [(64, 360, 15, 15, 1000, 10, [10, 30])]),
    ("unknown storage", facility(storage(0, 400, 10), storage(15, None, None)), f"{OF_STORAGE} FROM cf_storage_hour", [(None, None, None, None,
     1000)]),
)  # fmt: skip


# --- Messages of transport classes ------------------------------------------------------------------------------------


def sent(minute: float, seconds: float, count: int | None, big: float | None, **other: object) -> Row:
    """Messages of which some are too big, half of these with overhead, and none is smaller than the buffer."""
    row = heading(scope=None) | span(minute, seconds)
    row |= {"system": "SYSA", "peer_system": "SYSB", "transport_class": "DEFAULT", "direction": "outbound"}
    row |= {"is_total": False, "buffer_length_bytes": 956, "requests_out": count, "big_pct": big, "over_pct": 50.0}
    row |= {"small_pct": 0.0, "fit_pct": None if big is None else 100 - big, "all_paths_unavailable": 0, "rejects": 1}
    return row | other


def messages(*rows: Row) -> Rows:
    return {"rmf_xcf_system": [*rows]}


CHANGED = {"over_pct": 25.0, "all_paths_unavailable": 11, "rejects": 4}
NAMES = ("big_pct", "fit_pct", "small_pct", "over_pct", "messages_with_overhead", "path_unavailable_pct", "rejects", "buffer_length_bytes",
 "buffer_is_too_small")  # fmt: skip
SENT_TWICE = messages(sent(0, 900, 900, 2.0), sent(0, 900, 900, 2.0, source_id="s2"))


test_hours_of_messages = examples(
    # 2% of 900 and 22 of 100 are 40 of 1,000. Of these 18 with 50% and 22 with 25% overhead: 14.5, 36.25%. 9 and 11 found no path: 2%.
    ("shares by messages", messages(sent(0, 900, 900, 2.0, all_paths_unavailable=9), sent(15, 1100, 100, 22.0, **CHANGED)),
     f"covered_s, messages, messages_per_s, {', '.join(NAMES)} FROM xcf_class_hour",
     [(2000, 1000, 0.5, *(approx(n) for n in (4, 96, 0, 36.25, 14.5, 2)), 5, 956, False)]),
    # Of one interval, and so of the hour.
    *((f"unknown {change}", messages(sent(0, 900, 900, 2.0), sent(15, 900, 900, 2.0, **change)),
       f"[{', '.join(f'{name} IS NULL' for name in NAMES)}], messages FROM xcf_class_hour", [([name in unknown for name in NAMES], 1800)])
      for change, unknown in (
          ({"big_pct": None}, ("big_pct", "over_pct", "messages_with_overhead", "buffer_is_too_small")), ({"rejects": None}, ("rejects",)),
          ({"buffer_length_bytes": 4028}, ("buffer_length_bytes",)), ({"all_paths_unavailable": None}, ("path_unavailable_pct",)))),
    # An interval without messages has no share, and one that overlaps is left out.
    *((f"big {big}, small {small}", messages(sent(0, 1800, 900, big, small_pct=small), sent(15, 900, 900, 90.0), sent(30, 900, 0, 0.0)),
       "buffer_is_too_small, covered_s, big_pct FROM xcf_class_hour", [(too_small, 2700, approx(big))])
      for big, small, too_small in ((5.0, 4.0, True), (4.9, 0.0, False), (6.0, 6.0, False))),
    ("the same print in two files", SENT_TWICE, "is_conflicting, len(refs) FROM xcf_class_interval", [(False, 2)]),
    ("once", SENT_TWICE, "messages, rejects FROM xcf_class_hour", [(900, 1)]),
)  # fmt: skip


_OTHER: Row = {"requests_out": 901, "big_pct": 3.0, "over_pct": 51.0, "small_pct": 1.0, "fit_pct": 9.0, "rejects": 2}
_OTHER |= {"all_paths_unavailable": 1, "buffer_length_bytes": 4028}


@pytest.mark.parametrize("name", _OTHER)
def test_what_two_files_print_of_messages_with_other_values_is_unknown(name: str):
    """Pages name no sysplex: the second may be of a system of the same name. The same print twice is one."""
    rows = [sent(0, 900, 900, 2.0), sent(0, 900, 900, 2.0, source_id="s2", **{name: _OTHER[name]})]
    lake = yield {"rmf_xcf_system": rows}
    assert one_row(lake, "SELECT is_conflicting AS c, messages AS m FROM xcf_class_interval") == {"c": True, "m": 900}
    row = one_row(lake, "FROM xcf_class_hour")
    key = {"system", "peer_system", "transport_class", "hour_start", "covered_s", "refs"}
    assert {name for name, value in row.items() if value is not None} == key | {"sysplex"}


# --- interval_load: what waited for processors, once per interval, from print or XML ----------------------------------


def page(**other: object) -> Row:
    """The heading of a page of SYSA."""
    row = processor(0, 0.0)
    for name in ("is_total", "thread", "processor_type", "processor_id", "online_pct", "lpar_busy_pct"):
        del row[name]
    return row | {"source_form": "print"} | other


def every_part(**other: object) -> dict[str, list[Row]]:
    """Of 7.9 address spaces ready on average, 71.4% of the samples found no more work units than processors."""
    head = page(**other)
    return {
        "rmf_address_space_count": [
            head | {"in_ready_avg": 7.9, "in_ready_max": 47.0, "in_avg": 120.6, "stc_avg": 149.7}
        ],
        "rmf_work_unit_queue": [
            head | {"relation": "<=", "above_n": 0, "samples_pct": 71.4, "line": 24},
            head | {"relation": "=", "above_n": 1, "samples_pct": 8.3, "line": 25},
            head | {"relation": "<=", "above_n": 5, "samples_pct": 20.3, "line": 26},
        ],
        "rmf_work_unit": [
            head | {"processor_type": "CP", "work_units_avg": 4.6, "processors_unparked_avg": 2.4, "line": 43},
            head | {"processor_type": "IIP", "work_units_avg": 1.3, "processors_unparked_avg": 2.4, "line": 44},
        ],
        "rmf_blocked_workload": [
            head | {"waiters_avg": 0.027, "waiters_peak": 6.0, "promotes_used_pct": 13.0, "line": 48}
        ],
    }


# 100 - 71.4 of the samples waited.
EXPECTED = {
    "in_ready_avg": 7.9, "in_ready_max": 47.0, "in_avg": 120.6, "stc_avg": 149.7, "work_units_cp_avg": 4.6, "work_units_iip_avg": 1.3,
    "processors_unparked_avg": 2.4, "waiting_samples_pct": approx(28.6), "blocked_waiters_avg": 0.027, "blocked_waiters_peak": 6.0,
    "promotes_used_pct": 13.0,
}  # fmt: skip
FROM = "FROM interval_load"


def changed(more: bool = True, **first: Row) -> Rows:
    """The parts, and of some the first row changed: a second print of it, or in its place."""
    parts = every_part()
    again = {table: parts[table][0] | {"source_id": "s9"} | values for table, values in first.items()}
    return {
        t: [*rows[0 if more or t not in again else 1 :], *([again[t]] if t in again else [])]
        for t, rows in parts.items()
    }


# Print counts; the other has no counts of address spaces.
XML = every_part(source_form="xml", source_id="s9")
XML["rmf_blocked_workload"][0]["waiters_peak"] = 60.0
XML["rmf_address_space_count"] = []
BOTH = {name: [*rows, *XML[name]] for name, rows in every_part().items()}
DIFFERENT = changed(rmf_work_unit_queue={"samples_pct": 50.0}, rmf_work_unit={"work_units_avg": 4.7})


test_interval_load = examples(
    ("one row of all parts", every_part(), f"batch_avg, [r.line for r in refs], {', '.join(EXPECTED)} {FROM}", [(None, [30, 24, 43, 44, 48],
     *EXPECTED.values())]),
    ("print and XML", BOTH, f"{', '.join(EXPECTED)} {FROM}", [(*EXPECTED.values(),)]),
    ("two prints that differ", DIFFERENT, f"waiting_samples_pct, work_units_cp_avg, work_units_iip_avg {FROM}", [(None, None, 1.3)]),
    ("one part", {"rmf_blocked_workload": every_part()["rmf_blocked_workload"]}, f"blocked_waiters_avg, in_ready_avg, waiting_samples_pct {FROM}",
     [(0.027, None, None)]),
    # A share that cannot be read is not taken from the other buckets.
    ("unknown share", changed(False, rmf_work_unit_queue={"samples_pct": None}), f"waiting_samples_pct {FROM}", [(None,)]),
)  # fmt: skip
