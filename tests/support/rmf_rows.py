"""Rows of RMF reports in memory, made up so that figures can be worked by hand."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from views_lake import START, Row, heading, worked_page


def processor(number: int, busy: float | None, online: float = 100.0, kind: str = "CP", **other: object) -> Row:
    row = heading(
        sysplex=None, scope=None, system="SYSA", is_total=False, thread=0, processor_type=kind, line=30 + number
    )
    return row | {"processor_id": f"{number:X}", "online_pct": online, "lpar_busy_pct": busy} | other


def service_class(name: str, cp: float | None, minute: int = 0, seconds: float = 60, **other: object) -> Row:
    row = worked_page(**heading(START + dt.timedelta(minutes=minute), seconds, scope="SYSA"))
    row |= {"class_kind": "service_class", "report_class": None, "service_class": name, "transactions_ended": 600}
    row |= {"appl_cp_pct": cp, "appl_iip_pct": 0.0, "appl_iipcp_pct": 0.0, "cpu_time_s": None, "iip_time_s": None}
    return row | other


def policy(factor: float = 1.0, minute: int = 0, seconds: float = 60, **other: object) -> dict[str, list[Row]]:
    """The service policy page: the zIIP's factor, and SU/SEC of each system."""
    page = heading(START + dt.timedelta(minutes=minute), seconds, scope="SYSA", page=9)
    del page["policy"]
    return {
        "rmf_service_policy": [page | {"norm_factor_iip": factor}],
        "rmf_service_policy_system": [page | {"system": "SYSA", "su_per_s": 50000.0} | other],
    }


def captured() -> list[Row]:
    return [
        service_class("CICS", 60.0, appl_iip_pct=30.0, appl_iipcp_pct=5.0),
        service_class("BATCH", 30.0, line=12, appl_iip_pct=50.0, appl_iipcp_pct=15.0),
        service_class("TRANS", None, line=14, appl_iip_pct=None, appl_iipcp_pct=None, total_service=None),
        service_class("ALL", 90.0, line=16, class_kind="policy", appl_iip_pct=80.0, appl_iipcp_pct=20.0),
        service_class("R", 70.0, line=18, class_kind="report_class", report_class="R"),
    ]


def overlapping() -> list[Row]:
    """A processor in seconds 0 to 20, 10 to 20 and 30 to 60 of a minute: 60 seconds, ten of them twice and ten missing."""
    seconds = ((0, 20), (10, 20), (30, 60))
    return [
        processor(
            0,
            50.0,
            line=90 + n,
            interval_start=START + dt.timedelta(seconds=begin),
            interval_end=START + dt.timedelta(seconds=end),
            interval_s=float(end - begin),
        )
        for n, (begin, end) in enumerate(seconds)
    ]


PROCESSORS = [processor(0, 60.0), processor(1, 40.0), processor(2, 90.0, 50.0), processor(3, 50.0, kind="IIP"), processor(4, 50.0, kind="IIP")]  # fmt: skip
HOUR = dt.timedelta(hours=1)
# 3084 MSU of 17 general processors: 181.412 a processor.
MACHINE = {"cpc_type": "8561", "cpc_model": "717", "cpc_capacity": 3084.0}


def machine(hours: int, system: str = "SYSA", **other: object) -> list[Row]:
    """CPU Activity of the hours after START."""
    times = [(START + n * HOUR, START + (n + 1) * HOUR) for n in range(hours)]
    return [
        processor(0, 50.0, system=system, interval_start=start, interval_end=end, interval_s=3600.0) | MACHINE | other
        for start, end in times
    ]


def partition(quarter: int, msu: float | None, **other: object) -> Row:
    row = heading(START + dt.timedelta(minutes=15 * quarter), 900, line=10 + quarter, scope=None, sysplex=None)
    row |= {"partition": "LPARA", "mvs_partition": "LPARA", "processor_type": "CP", "is_total": False}
    return row | {"system": "SYSA", "msu_used": msu} | other


def hourly(
    *msu: float | None, system: str = "SYSA", name: str = "LPARA", own: str = "LPARA", **other: object
) -> list[Row]:
    """A partition on the pages of a system whose own partition is `own`, in intervals of an hour."""
    return [
        partition(4 * n, value, interval_end=START + (n + 1) * HOUR, interval_s=3600.0, line=10 + n)
        | {"system": system, "partition": name, "mvs_partition": own, "source_id": system}
        | other
        for n, value in enumerate(msu)
    ]


def both(of_a: list[float], of_b: list[float], **other: object) -> list[Row]:
    """Pages of two systems of a machine, each with both partitions."""
    return [
        row
        for system, own in (("SYSA", "LPARA"), ("SYSB", "LPARB"))
        for name, msu in (("LPARA", of_a), ("LPARB", of_b))
        for row in hourly(*msu, system=system, name=name, own=own, **other)
    ]


def report_class(name: str, minute: int, cpu: float | None, ended: int | None = None, **other: object) -> Row:
    """A report class of one minute that uses general processors only."""
    row = worked_page(**heading(START + dt.timedelta(minutes=minute), line=10 + minute), report_class=name)
    row |= {"appl_cp_pct": cpu, "appl_iip_pct": 0.0, "appl_iipcp_pct": 0.0, "transactions_ended": ended}
    row |= {"cpu_time_s": None if cpu is None else cpu * 0.6, "srb_time_s": 0.0, "iip_time_s": 0.0}
    return row | other


def structure(minute: int = 0, **values: object) -> Row:
    """The lock structure of a published page: 30179 requests in 2 minutes, 251.5/s, 30K of them synchronous in 150.4 us."""
    row = heading(START + dt.timedelta(minutes=minute), 120)
    row |= {"system": "SYS1", "cf_name": "CF1", "structure_name": "DSNDB2B_LOCK1", "structure_type": "LOCK"}
    row |= {"is_total": False, "status": "ACTIVE", "requests": 30179, "requests_per_s": 251.5, "sync_requests": 30000}
    row |= {"sync_requests_resolution": 1000.0, "async_requests": 0, "changed_requests": 0, "sync_service_us": 150.4}
    row |= {"sync_service_stddev_us": 29.1, "async_service_us": 0.0, "contention_requests": 29000}
    row |= {"contention_requests_resolution": 1000.0, "contention_deferred": 517, "contention_total": 515}
    row |= {"contention_total_resolution": 1.0, "contention_false": 199, "contention_false_resolution": 1.0}
    return row | values


def synchronous_structure(name: str, per_s: float, service_us: float | None, **other: object) -> Row:
    """A structure in 15 minutes, all of its requests synchronous."""
    row = heading(START, 900, line=50, system="SYS1", cf_name="CF1", structure_name=name, structure_type="CACHE")
    row |= {"is_total": False, "status": "ACTIVE", "requests": round(per_s * 900), "requests_per_s": per_s}
    row |= {"sync_requests": round(per_s * 900), "sync_service_us": service_us, "async_requests": 0}
    return row | other


def structures(*rows: Row) -> dict[str, list[Row]]:
    return {"rmf_cf_structure_activity": [*rows]}


def hour_of(row: Row, name: str = "hour_start") -> int:
    """Hours after START."""
    return (row[name] - START) // HOUR


def clocked(hours: Sequence[int], offsets: Sequence[int | None], *msu: float) -> list[Row]:
    """Intervals of an hour that start at local hours after START, in the order of the page."""
    times = [{"interval_start": START + hour * HOUR, "interval_end": START + (hour + 1) * HOUR} for hour in hours]
    return [
        partition(0, value, interval_s=3600.0, line=10 + n, utc_offset_minutes=offset, **at)
        for n, (at, offset, value) in enumerate(zip(times, offsets, msu, strict=True))
    ]
