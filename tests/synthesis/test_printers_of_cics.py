"""The printers of CICS statistics and CICS PA against their parsers."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ironlake.pipeline.synthesis.contents import CicsDb2, CommandThreads, Db2Entry, Threads
from ironlake.pipeline.synthesis.contents.cics_monitoring import MonitoredRegion, MonitoredTransaction
from ironlake.pipeline.synthesis.contents.cics_region import Region, StorageArea, TcbMode, Transaction, TransactionClass
from ironlake.pipeline.synthesis.contents.common import Intervals
from ironlake.pipeline.synthesis.pages import Paper
from ironlake.pipeline.synthesis.printers.cics import print_cics_db2
from ironlake.pipeline.synthesis.printers.cics_monitoring import print_cics_monitoring
from printed import SETTINGS, Numbers, read

PAPERS = st.builds(Paper, asa=st.booleans(), ebcdic=st.booleans(), page_lines=st.sampled_from([30, 60]))

_REQUESTS = {
    "calls": "calls",
    "signons": "signons",
    "partial_signons": "partial_signons",
    "commits": "commits",
    "aborts": "aborts",
    "single_phases": "single_phase",
    "creates": "thread_creates",
    "reuses": "thread_reuses",
    "terminates": "thread_terminates",
    "waits": "thread_waits_or_overflows",
}


def random_threads(numbers: Numbers) -> Threads:
    """Threads with counts of any size; limits are settings and do not change."""
    counts: dict[str, Any] = {one.name: numbers.count(9_000_000) for one in fields(Threads)}
    return Threads(**counts | {"limit": 40, "protected_limit": 12})


@st.composite
def regions(draw: st.DrawFn) -> CicsDb2:
    """Regions with any number of DB2ENTRYs, over some collections."""
    numbers = Numbers(draw(st.integers(0, 10**6)), draw(st.integers(1, 3)))
    entries = tuple(
        Db2Entry(f"ENT$#{number:02d}", random_threads(numbers), plan=draw(st.sampled_from(["N/A", "PLAN1"])))
        for number in range(draw(st.integers(0, 30)))
    )
    reset = numbers.starts(step_s=60)
    return CicsDb2(
        "CICS@1",
        reset + np.timedelta64(60, "s"),
        reset,
        entries,
        pool=random_threads(numbers),
        command=CommandThreads(calls=numbers.count(999)),
        kind=draw(st.sampled_from(["Interval", "End of Day", "Requested", "Requested Reset", "Unsolicited"])),
        db2_group="DSNG",
        tcbs=numbers.count(99),
    )


@SETTINGS
@given(report=regions(), paper=PAPERS)
def test_cics_statistics_are_read_as_they_were_filled(report: CicsDb2, paper: Paper) -> None:
    tables = read(print_cics_db2(report, paper))
    moments = report.collected.astype("datetime64[us]").tolist()
    connections = tables["cics_db2_connection"].sort("collected_at").rows(named=True)
    assert [row["collected_at"] for row in connections] == moments
    for at, row in enumerate(connections):
        assert (row["applid"], row["interval_s"]) == ("CICS@1", 60)
        assert row["collection"] == report.kind.lower().replace(" ", "_")
        assert row["pool_calls"] == np.asarray(report.pool.calls)[at]
        assert row["pool_thread_reuses"] == np.asarray(report.pool.reuses)[at]
        assert row["command_calls"] == np.asarray(report.command.calls)[at]
        assert row["tcbs_current"] == np.asarray(report.tcbs)[at]
    names = [*(one.name for one in report.entries), *(["*TOTALS*"] if report.entries else [])]
    requests = tables["cics_db2entry_request"].rows(named=True)
    found = {(r["collected_at"], r["db2entry"] or "*TOTALS*"): r for r in requests}
    assert len(found) == len(requests) == len(moments) * len(names)
    levels = {
        (r["collected_at"], r["db2entry"] or "*TOTALS*"): r
        for r in tables["cics_db2entry_performance"].rows(named=True)
    }
    for at, moment in enumerate(moments):
        for one in report.entries:
            for name, column in _REQUESTS.items():
                value = np.asarray(getattr(one.threads, name))[at]
                assert found[moment, one.name][column] == value, (moment, one.name, column)
            assert levels[moment, one.name]["tasks_total"] == np.asarray(one.threads.tasks_total)[at]
            assert levels[moment, one.name]["thread_limit"] == 40
        if report.entries:
            total = sum(np.asarray(one.threads.reuses)[at] for one in report.entries)
            assert found[moment, "*TOTALS*"]["thread_reuses"] == total
    if report.entries:
        plans = tables["cics_db2entry_resource"].filter(tables["cics_db2entry_resource"]["db2entry"] == "ENT$#00")
        assert set(plans["plan"]) == {None if report.entries[0].plan == "N/A" else "PLAN1"}


# --- A region, its monitoring, and accounting of its threads ------------------------------------------------------------


def random_region(numbers: Numbers, transactions: int) -> Region:
    """A region whose numbers break no rule: times on processors within those dispatched, tasks within all tasks."""
    cpu = numbers.number(9_000)
    modes = tuple(
        TcbMode(
            name,
            pool,
            is_open,
            attached=3,
            in_use=2,
            waits=numbers.count(9e6),
            wait_s=numbers.number(9e4),
            dispatch_s=cpu * 1.5,
            cpu_s=cpu,
        )
        for name, pool, is_open in (("QR", "N/A", "NO"), ("L8", "OPEN", "YES"), ("T8", "THRD", "YES"))
    )
    return Region(
        mxt=250,
        active_peak=numbers.count(250),
        delayed_s=numbers.number(99_999),
        system_tasks=numbers.count(9_999),
        cpu_s=numbers.number(300_000),
        srb_s=numbers.number(999),
        modes=modes,
        transactions=tuple(
            Transaction(f"T{n:03d}", f"PROGRAM{n % 10}", "" if n % 2 else "CLASSONE", attaches=numbers.count(9e6))
            for n in range(transactions)
        ),
        classes=(TransactionClass("CLASSONE", 40, attaches=numbers.count(999_999), queue_s=numbers.number(3_000)),),
        below=(StorageArea("CDSA", 512, 64, 100, numbers.count(9e6)), StorageArea("UDSA", 256, 64, 200)),
        above=(
            StorageArea("ECDSA", 40_960, 128, 900),
            StorageArea("EUDSA", 90_112, 128, 9, times_short=numbers.count(9)),
        ),
    )


@SETTINGS
@given(seed=st.integers(0, 10**6), intervals=st.integers(1, 3), transactions=st.integers(1, 12), paper=PAPERS)
def test_a_region_is_read_as_it_was_filled(seed: int, intervals: int, transactions: int, paper: Paper) -> None:
    numbers = Numbers(seed, intervals)
    region, reset = random_region(numbers, transactions), numbers.starts(step_s=300)
    report = CicsDb2("CICS@1", reset + np.timedelta64(300, "s"), reset, (), region=region)
    tables = read(print_cics_db2(report, paper))

    def column(table: str, name: str, **where: object) -> list[Any]:
        rows = tables[table].sort("collected_at").rows(named=True)
        return [row[name] for row in rows if all(row[key] == value for key, value in where.items())]

    def of(value: Any) -> list[Any]:
        return np.broadcast_to(np.asarray(value), intervals).tolist()

    assert column("cics_transaction_manager", "active_total") == of(region.user_tasks)
    assert column("cics_transaction_manager", "transactions_total") == of(region.tasks)
    assert column("cics_dispatcher", "address_space_cpu_s") == pytest.approx(of(region.cpu_s), abs=1e-5)
    for mode in region.modes:
        assert column("cics_tcb_time", "cpu_time_s", tcb_mode=mode.name) == pytest.approx(of(mode.cpu_s), abs=1e-5)
        assert column("cics_tcb_time", "waits", tcb_mode=mode.name) == of(mode.waits)
        assert column("cics_tcb_mode", "tcbs_attached_current", tcb_mode=mode.name) == of(3)
    for one in region.transactions:
        assert column("cics_transaction", "attaches", transaction=one.name) == of(one.attaches)
    assert column("cics_transaction_class", "queue_time_s", transaction_class="CLASSONE") == pytest.approx(
        of(region.classes[0].queue_s), abs=1e-5
    )
    short = {"dsa": "EUDSA", "measure": "Times went short on storage"}
    assert column("cics_dsa_count", "value", **short) == of(region.above[1].times_short)
    assert set(column("cics_dsa_size", "size_bytes", dsa="CDSA", measure="Current DSA Size")) == {512 * 1024}


@SETTINGS
@given(seed=st.integers(0, 10**6), intervals=st.integers(1, 3), transactions=st.integers(1, 12), paper=PAPERS)
def test_monitoring_is_read_as_it_was_filled(seed: int, intervals: int, transactions: int, paper: Paper) -> None:
    numbers = Numbers(seed, intervals)
    cpu = {f"T{n:03d}": numbers.number(90) for n in range(transactions)}
    monitored = tuple(
        MonitoredTransaction(
            name,
            numbers.count(9e6) + 1,
            response_s=4 * one,
            dispatch_s=2 * one,
            cpu_s=one,
            qr_cpu_s=one / 4,
            l8_cpu_s=one / 2,
        )
        for name, one in cpu.items()
    )
    starts = Intervals(numbers.starts(step_s=300), 300.0)
    tables = read(print_cics_monitoring(MonitoredRegion("CICS@1", starts, monitored), paper))
    rows = tables["cics_monitoring_summary"].sort("begin_at").rows(named=True)
    for one in monitored:
        mine = [row for row in rows if row["transaction"] == one.name]
        assert [row["begin_at"] for row in mine] == starts.start.astype("datetime64[us]").tolist()
        assert [row["interval_s"] for row in mine] == [300.0] * intervals
        assert [row["tasks"] for row in mine] == np.asarray(one.tasks).tolist()
        for name, value in (("cpu_s", one.cpu_s), ("response_s", one.response_s), ("l8_cpu_s", one.l8_cpu_s)):
            assert [row[name] for row in mine] == pytest.approx(np.asarray(value).tolist(), abs=0.5001e-4)
