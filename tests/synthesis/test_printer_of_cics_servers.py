"""What the printer of CICS servers prints, the reader reads; a sample has its lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ironlake.pipeline.synthesis.contents.cics_servers import (
    Accesses,
    CicsServer,
    Lists,
    Pool,
    ServerKind,
    TableRequests,
    Used,
)
from ironlake.pipeline.synthesis.generate import Order, generate
from ironlake.pipeline.synthesis.pages import Paper
from ironlake.pipeline.synthesis.printers.cics_servers import print_cics_server, print_log_top
from printed import SETTINGS, Numbers, assert_printed, last_suffixed, read
from sample_pages import SAMPLES

KINDS: tuple[ServerKind, ...] = ("data_table", "named_counter", "shared_ts")
COUNTER = ("creates", "gets", "sets", "deletes", "inquires", "browses")
# Digits that narrow fields have room for; all others have nine.
FIRST = {"asynchronous": 8, "normal": 8, "list_full": 8}
OF_COUNTERS = {
    "creates": 7,
    "sets": 4,
    "deletes": 7,
    "inquires": 8,
    "browses": 7,
    "asynchronous": 7,
    "unavailable": 8,
    "normal": 7,
    "not_found": 8,
    "errors": 8,
}
PAPERS = st.builds(Paper, asa=st.booleans(), ebcdic=st.booleans(), page_lines=st.just(60))


def random_used(numbers: Numbers) -> Used:
    """Never more in use than at most, and never more than there are."""
    total = numbers.count(2_000_000_000)
    most = np.floor(total * numbers.rng.random(numbers.intervals))
    return Used(total, np.floor(most * numbers.rng.random(numbers.intervals)), most, numbers.count(99_999))


def random_requests(numbers: Numbers, name: str = "") -> TableRequests:
    counts: dict[str, Any] = {
        one.name: numbers.count(3_000_000_000) for one in fields(TableRequests) if one.name != "name"
    }
    return TableRequests(name, **counts)


@st.composite
def servers(draw: st.DrawFn) -> CicsServer:
    numbers, kind = Numbers(draw(st.integers(0, 10**6)), draw(st.integers(1, 4))), draw(st.sampled_from(KINDS))
    lists = random_used(numbers)
    control = np.floor(lists.in_use / 3)
    pool = Pool(
        draw(st.integers(256, 9_999_999)),
        99_999_999,
        random_used(numbers),
        draw(st.sampled_from([256, 512, 4096])),
        numbers.count(9_999),
        numbers.count(99_999),
        Lists(lists.total, control, lists.in_use - control, lists.max_used),
        random_used(numbers),
    )
    accesses = Accesses(**{one.name: numbers.count(3_000_000_000) for one in fields(Accesses)})
    tables = tuple(random_requests(numbers, f"TAB.{n}$") for n in range(draw(st.integers(0, 3))))
    requests = (*tables, random_requests(numbers)) if kind == "data_table" else ()
    return CicsServer(kind, "SY#1", "STC01234", "POOL$1", numbers.starts(), pool, accesses, requests)


def counts(numbers: Mapping[str, Any], at: int, digits: Mapping[str, int]) -> dict[str, tuple[float, float]]:
    """What is read of counts, to what their field has room for."""
    found = {}
    for name, value in numbers.items():
        array = np.asarray(value, float)
        number = float(array[at] if array.ndim else array)
        room = digits.get(name, 9)
        # A letter for thousands takes a digit's place.
        fits = len(f"{number:.0f}") <= room
        found[name] = number, 0 if fits else max(1000.0, last_suffixed(number, room - 1))
    return found


def of_use(name: str, used: Used, more: tuple[str, ...]) -> dict[str, Any]:
    return {f"{name}_{one}": getattr(used, one) for one in ("total", "in_use", "max_used", "free", *more)}


@SETTINGS
@given(server=servers(), paper=PAPERS)
def test_every_number_is_read_back(server: CicsServer, paper: Paper) -> None:
    tables = read(print_log_top(server, paper) + print_cics_server(server, paper))
    pools, accesses = tables["cics_server_pool"], tables["cics_server_access"]
    assert pools.height == accesses.height == len(server.printed_at)
    of_counters, of_tables, pool = server.kind == "named_counter", server.kind == "data_table", server.structure
    prefix = {"data_table": "DFHCFLS_", "named_counter": "DFHNCLS_", "shared_ts": "DFHXQLS_"}[server.kind]
    told = of_use("entries", pool.entries, {"data_table": ("min_free", "reserve"), "named_counter": ("min_free",)}.get(server.kind, ()))  # fmt: skip
    if not of_counters:
        told |= of_use("elements", pool.elements, ("min_free", "reserve") if of_tables else ())
        told |= {f"lists_{one}": getattr(pool.lists, one) for one in ("total", "in_use", "max_used", "control", "data")}
        told |= {"objects_current": pool.objects, "objects_highest": pool.objects_highest}
    made = vars(server.accesses)
    absent = set() if of_tables else {"data_rewrites"} if server.kind == "shared_ts" else {"timed_out", "list_full"}
    if of_counters:
        absent |= {name for name in made if name.startswith(("index_", "data_"))}
    else:
        absent |= set(COUNTER)
    for at, moment in enumerate(server.printed_at.astype("datetime64[us]").tolist()):
        (row,) = pools.filter(collected_at=moment).rows(named=True)
        assert (row["system"], row["job_id"], row["server"]) == ("SY#1", "STC01234", server.kind)
        assert row["structure_name"] == f"{prefix}POOL$1"
        assert (row["size_bytes"], row["size_max_bytes"]) == (pool.size_kb * 1024, pool.max_size_kb * 1024)
        assert row["element_bytes"] == (None if of_counters else pool.element_bytes)
        assert_printed(row, counts(told, at, {}), (moment, server.kind))
        (row,) = accesses.filter(collected_at=moment).rows(named=True)
        kept = {name: value for name, value in made.items() if name not in absent}
        assert_printed(row, counts(kept, at, OF_COUNTERS if of_counters else FIRST), (moment, server.kind))
        assert all(row[name] is None for name in absent)
        if not of_tables:
            continue
        rows = tables["cics_data_table_access"].filter(collected_at=moment).rows(named=True)
        for row, one in zip(rows, server.requests, strict=True):
            numbers = {name: value for name, value in vars(one).items() if name != "name"}
            if one.name:
                assert (row["table_name"], row["is_total"]) == (one.name, False)
                last = list(numbers).index("prepares")
                numbers = dict(list(numbers.items())[:last])
            else:
                assert (row["pool"], row["is_total"]) == ("POOL$1", True)
            assert_printed(row, counts(numbers, at, {}), (moment, one.name))


# --- A page that is known ---------------------------------------------------------------------------------------------

AT, *LATER = (np.array([f"2025-10-06T10:15:0{second}"], "datetime64[s]") for second in range(3))
SERVERS = (
    CicsServer(
        *("data_table", "SYSA", "STC01234", "ORDPOOL", AT),
        Pool(
            *(32768, 65536, Used(84210, 21052, 25263, 4210), 256, 3, 4, Lists(1024, 10, 110, 140)),
            Used(96000, 24000, 28800, 4800),
        ),
        Accesses(
            *(0, 0, 0, 0, 0, 0, 0, 12, 45210, 120, 4, 12, 9120, 181240, 31, 45310, 8104),
            *(1204, 0, 288410, 0, 612, 131, 0, 0, 2, 0),
        ),
        (
            TableRequests("ORDERS", 2, 1, 0, 0, 4, 1200, 0, 180040, 1200, 310, 0, 9120, 45310, 6904, 2),
            TableRequests(
                *("", 5, 3, 1, 0, 9, 1300, 10, 182040, 1300, 410, 20000, 9240, 45410, 7004, 2),
                *(9000, 0, 9000, 12, 1, 1),
            ),
        ),
    ),
    CicsServer(
        *("named_counter", "SYSA", "STC01240", "CTRPOOL", LATER[0]),
        Pool(1024, 2048, Used(4000, 50, 60)),
        Accesses(2, 124610, 0, 0, 14, 0, normal=124100, not_found=1, version_failed=524),
    ),
    CicsServer(
        *("shared_ts", "SYSA", "STC01250", "TSPOOL", LATER[1]),
        Pool(
            *(16384, 32768, Used(40000, 4120, 6550), 256, 412, 655, Lists(2048, 5, 7, 30)),
            Used(50000, 9000, 14000),
        ),
        Accesses(
            *(0, 0, 0, 0, 0, 0, 6010, 20, 81200, 64100, 4000, 30, 1200, 2400, 10, 0, 30),
            *(900, 0, 158000, 0, 1000, 90),
        ),
    ),
)


def test_the_numbers_of_a_sample_give_its_lines() -> None:
    """The layout of half of the messages is field knowledge: one page is kept, so that printer and reader have the same one."""
    sample = (SAMPLES / "cics_servers" / "servers_of_three_kinds.txt").read_text().splitlines()
    theirs = [sample[0], *sample[3:-1]]
    mine = [print_log_top(SERVERS[0]).decode().splitlines()[0]]
    for server in SERVERS:
        mine += [line.removeprefix("2025-10-06 ") for line in print_cics_server(server).decode().splitlines()]
    assert mine == theirs


def test_the_log_begins_with_its_day() -> None:
    assert print_log_top(SERVERS[0]).decode().splitlines()[1] == "10.15.00 STC01234 ---- MONDAY,    06 OCT 2025 ----"


# --- Of a model -------------------------------------------------------------------------------------------------------

MODEL = """
model: Shared queues
start: 2026-01-31T23:00
interval_s: 1800
step_intervals: 4
variation_pct: 2
reports: [cics_servers, cf_activity]
systems: {SYSA: {cp: 4}, SYSB: {cp: 4}}
coupling_facilities: {CF01: {processors: 1, link_us: 10}}
data_sharing:
  group: DSNH
  lock: {facility: CF01, service_us: 5}
  queues:
    DFHXQLS_ORDERS: {facility: CF01, service_us: 8, kilobytes: 2, kept_s: 30}
    OTHER: {facility: CF01, service_us: 8}
service_classes: {STC: {workload: CICS, velocity_pct: 60}}
classes: {TASK: {service_class: STC, subsystem: CICS}}
work: {send: {TASK: {cp_ms: 1, messages: {DFHXQLS_ORDERS: 1.5, OTHER: 1}}}}
workloads: {Send: {counted_by: TASK, request: {send: 1}}}
configurations:
  shared: {data_sharing: yes, load: {Send: {rate_per_s: 200}}}
  alone: {systems: SYSA, load: {Send: {rate_per_s: 200}}}
"""


def test_a_pool_of_a_model_has_the_requests_that_rmf_counts(tmp_path: Path) -> None:
    """150 messages a second on each of two systems, kept for 30 s: 9,000 queues, of 8 elements each."""
    (tmp_path / "model.yaml").write_text(MODEL)
    generate(tmp_path / "model.yaml", tmp_path / "out", Order())
    pages = sorted((tmp_path / "out").glob("*_cics_server.txt"))
    assert [path.name for path in pages] == [f"shared_sys{name}_orders_cics_server.txt" for name in "ab"]
    facility = read((tmp_path / "out" / "shared_cf01_cf_activity.txt").read_bytes())["rmf_cf_structure_activity"]
    for path, system in zip(pages, ("SYSA", "SYSB"), strict=True):
        tables = read(path.read_bytes())
        pools, accesses = tables["cics_server_pool"], tables["cics_server_access"]
        assert pools["collected_at"].dt.strftime("%d %H:%M").to_list() == [
            "31 23:30",
            "01 00:00",
            "01 00:30",
            "01 01:00",
        ]
        assert set(pools["system"]) == set(accesses["system"]) == {system}
        rmf = facility.filter(structure_name="DFHXQLS_ORDERS", system=system)
        # RMF prints thousands.
        of_rmf = [pytest.approx(count, abs=500) for count in rmf["requests"].to_list()]
        assert (accesses["index_writes"] + accesses["index_deletes"]).to_list() == of_rmf
        assert accesses["normal"].to_list() == of_rmf
        assert len(of_rmf) == 4
        for row in pools.rows(named=True):
            assert row["objects_current"] == row["entries_in_use"] == pytest.approx(9000, rel=0.1)
            for used in ("in_use", "max_used", "free", "total"):
                assert row[f"elements_{used}"] == 8 * row[f"entries_{used}"]
            assert row["entries_in_use"] < row["entries_max_used"] < row["entries_total"]
    assert pages[0].read_text().count("J E S 2") == 1
