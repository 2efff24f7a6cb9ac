"""The declared charts of channels, storage and capacity groups."""

from .spec import Measure, Picture, by_time, ratio

# A duration report repeats the time of its intervals.
_INTERVALS = "report_kind DESC"
_UNIT = "concat(control_unit, ' (SSID ' || ssid || ')')"


def _by_requests(time: str, requests: str = "io_per_s * interval_s") -> str:
    """The mean over requests. Without requests no time is printed."""
    return ratio(f"CASE WHEN {requests} = 0 THEN 0 ELSE {requests} * {time} END", requests)


IO_PICTURES = (
    Picture(
        "channel_busy",
        "io",
        "How busy are the channel paths of the machine?",
        "Time busy",
        "Mean utilization of FICON channel paths by all partitions of the machine, one row per channel path and system that prints it, "
        "one mark per configuration.",
        "channel_path_interval",
        {"channel": "concat_ws('.', channel_subsystem, channel_path_id)", "system": "system", "configuration": "configuration"},
        [Measure("busy_pct", "Busy", by_time("busy_pct"))],
        "marks",
        series="configuration",
        joined_by="systems",
        one_of=_INTERVALS,
        where="kind = 'ficon'",
    ),
    Picture(
        "io_queue_delay",
        "io",
        "How long do I/O requests wait in the channel subsystem until they are started?",
        "Delay in the channel subsystem",
        "Mean delay of a request (CSS DLY), one row per alias management group, or per logical control unit where none are printed, and "
        "system; one mark per configuration.",
        "io_queue_interval",
        {"unit": "unit", "system": "system", "configuration": "configuration"},
        [Measure("channel_subsystem_delay_ms", "Delay", _by_requests("channel_subsystem_delay_ms"))],
        "marks",
        series="configuration",
        rank=(ratio("io_per_s * interval_s", "interval_s"), "the most requests"),
        joined_by="systems",
        one_of=f"{_INTERVALS}, kind",
    ),
    Picture(
        "volume_response",
        "io",
        "Where does the response time of volumes go?",
        "Response time of a request",
        "Mean response time of I/O requests, one bar per volume, system and configuration: queue of the device (IOSQ), channel subsystem "
        "(PEND), disconnected (mostly cache misses and remote copy), connected.",
        "volume_interval",
        {"volume": "coalesce(volume, device_number)", "system": "system", "configuration": "configuration"},
        [
            Measure(f"{name}_ms", title, _by_requests(f"{name}_ms"))
            for name, title in (("iosq", "IOSQ"), ("pend", "Pending"), ("disconnect", "Disconnected"), ("connect", "Connected"))
        ],
        "stack",
        rank=(by_time("io_in_progress"), "the most requests in progress"),
        joined_by="systems",
        one_of=_INTERVALS,
        where="io_per_s > 0",
    ),
    Picture(
        "cache_misses",
        "io",
        "How many requests miss the cache of a storage control unit?",
        "Misses",
        "Read and write misses per second of all systems, one bar per control unit, system that prints it and configuration; beside it the "
        "share of reads that hit.",
        "cache_interval",
        {"unit": _UNIT, "system": "system", "configuration": "configuration"},
        [
            Measure(f"{kind}_misses_per_s", f"{kind.capitalize()} misses", by_time(f"{kind}_misses_per_s", "cache_interval_s"))
            for kind in ("read", "write")
        ],
        "stack",
        note=("{} of reads hit", Measure("read_hit_pct", "Read hits", ratio("reads_per_s * cache_interval_s * read_hit_pct", "reads_per_s * cache_interval_s"))),
        joined_by="systems",
        one_of=_INTERVALS,
    ),
    Picture(
        "group_capacity",
        "capacity",
        "Do the partitions of a capacity group get their MSU?",
        "Capacity",
        "MSU used and least entitlement of a partition, as its own system prints them, one bar per partition and configuration; beside it how "
        "long a cap held it back.",
        "group_capacity",
        {"group": "capacity_group", "partition": "partition", "configuration": "configuration"},
        [
            Measure("msu_used", "Used", by_time("msu_used")),
            Measure("msu_entitled_min", "Entitled at least", by_time("msu_entitled_min")),
        ],
        "group",
        note=("capped {} of the time", Measure("capping_actual_pct", "Capped", by_time("capping_actual_pct"))),
        joined_by="systems",
        rows="(SELECT CAST(NULL AS VARCHAR) AS sysplex, * FROM group_capacity)",
        one_of=_INTERVALS,
        where="is_own",
    ),
)  # fmt: skip
