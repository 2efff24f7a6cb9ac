"""Of a pictured lake: channels, volumes, caches and a capacity group, five minutes of each run."""

import datetime as dt

from views_lake import Row, heading

MINUTES = 300
# Of each configuration, its two runs: busy channel in percent; requests per second and their delay in the channel subsystem; requests per
# second of a volume and its queue, and what else its response time consists of; reads, read hits, writes and write hits; MSU and capping.
CHANNEL = {"T2": (20.0, 40.0), "T4": (10.0, 10.0)}
QUEUE = {"T2": ((100.0, 0.2), (300.0, 0.4)), "T4": ((200.0, 0.1), (200.0, 0.1))}
VOLUME = {"T2": ((100.0, 0.0, 0.2), (300.0, 0.4, 0.2)), "T4": ((200.0, 0.0, 0.1), (200.0, 0.0, 0.1))}
CACHE = {
    "T2": ((30_000, 27_000, 6_000, 6_000), (60_000, 57_000, 6_000, 5_700)),
    "T4": ((30_000, 30_000, 6_000, 6_000),) * 2,
}
GROUP = {"T2": ((100.0, 0.0), (200.0, 10.0)), "T4": ((130.0, 0.0), (130.0, 0.0))}


def storage_tables(starts: dict[tuple[str, int], dt.datetime]) -> dict[str, list[Row]]:
    """`starts`: of each configuration and run."""
    found: dict[str, list[Row]] = {}

    def put(table: str, start: dt.datetime, line: int, **values: object) -> None:
        row = heading(start, MINUTES, scope="SYSA", source_id="s4", source_file="io.txt", line=line, system="SYSA")
        found.setdefault(table, []).append(row | values)

    for at, ((configuration, run), start) in enumerate(starts.items()):
        line = 100 * at
        busy = CHANNEL[configuration][run]
        # What repeats the time of the interval, and what is no FICON channel.
        for n, (path, kind, value, report_kind) in enumerate(
            (
                ("3A", "FC_S", busy, "interval"),
                ("3A", "FC_S", 99.0, "duration"),
                ("3B", "FC_S", 5.0, "interval"),
                ("8A", "CS5", 90.0, "interval"),
            )
        ):
            put(
                "rmf_channel_path", start, line + n, channel_subsystem="0", channel_path_id=path, channel_path_type=kind, busy_pct=value,
                report_kind=report_kind,
            )  # fmt: skip
        rate, delay = QUEUE[configuration][run]
        put(
            "rmf_io_queue",
            start,
            line + 10,
            alias_group="00000001",
            is_total=True,
            taken_per_s=rate,
            channel_subsystem_delay_ms=delay,
        )
        put(
            "rmf_io_queue",
            start,
            line + 11,
            lcu="0041",
            is_total=True,
            taken_per_s=rate,
            channel_subsystem_delay_ms=7.0,
        )
        put(
            "rmf_io_queue",
            start,
            line + 12,
            alias_group="00000002",
            is_total=True,
            taken_per_s=50.0,
            channel_subsystem_delay_ms=1.0,
        )
        rate, queued, disconnected = VOLUME[configuration][run]
        volume = {"volume": "DBL001", "device_number": "08A10", "is_total": False, "io_per_s": rate, "iosq_ms": queued}
        volume |= {"pend_ms": 0.1, "disconnect_ms": disconnected, "connect_ms": 0.3}
        volume |= {"response_ms": queued + disconnected + 0.4}
        put("rmf_device", start, line + 20, **volume)
        reads, read_hits, writes, write_hits = CACHE[configuration][run]
        unit = {"ssid": "8A01", "control_unit": "8A04", "cache_interval_s": MINUTES}
        counts = {"reads": reads, "reads_per_s": reads / MINUTES, "read_hits": read_hits}
        counts |= {"writes": writes, "writes_per_s": writes / MINUTES, "write_hits": write_hits}
        put("rmf_cache_subsystem", start, line + 30, **unit)
        put("rmf_cache_request", start, line + 31, is_total=True, **unit, **counts)
        used, capped = GROUP[configuration][run]
        member = {"capacity_group": "GRP1", "msu_entitled_min": 120.0, "weight": 10.0, "is_total": False}
        put(
            "rmf_group_capacity",
            start,
            line + 40,
            partition="LP1",
            member_system="SYSA",
            msu_used=used,
            capping_actual_pct=capped,
            **member,
        )
        put(
            "rmf_group_capacity",
            start,
            line + 41,
            partition="LP2",
            member_system="SYSB",
            msu_used=900.0,
            capping_actual_pct=90.0,
            **member,
        )
    return found
