"""The printer of CICS Db2 statistics against its parser."""

from dataclasses import fields
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from ironlake.pipeline.synthesis.contents import CicsDb2, CommandThreads, Db2Entry, Threads
from ironlake.pipeline.synthesis.pages import Paper
from ironlake.pipeline.synthesis.printers.cics import print_cics_db2
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
