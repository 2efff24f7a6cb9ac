"""Views of I/O reports, of links to coupling facilities and of response times against load. Expected values are worked from the pages."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
import scipy
from one_lake import Asks, Rows, examples
from views_lake import START, Row, approx, expect, heading, one_row, sample_rows, span

MINUTE = dt.timedelta(minutes=1)


def test_channel_paths_off_the_page() -> Asks[None]:
    """22.18% busy, 4.61% by the partition; 1,204.6 FICON and 2,210.9 zHPF operations/s, none deferred; 1.1 and 2.3 at a time."""
    lake = yield sample_rows("chan_all_kinds_of_channels", "rmf_channel_path")
    rows = {row["channel_path_id"]: row for row in lake.rows("SELECT * FROM channel_path_interval")}
    row = rows["3A"]
    expect(row, kind="ficon", speed="16G", other_partitions_busy_pct=approx(17.57), operations_per_s=approx(3415.5))
    expect(row, zhpf_pct=approx(64.73, abs=5e-3), deferred_pct=0, active_avg=approx(3.4))
    # 0.1 + 0.3 of 1,198 + 2,190.4.
    assert rows["3B"]["deferred_pct"] == approx(0.011805, abs=5e-6)
    # What is not measured is not known.
    expect(rows["4F"], busy_pct=None, other_partitions_busy_pct=None, zhpf_pct=None)
    expect(rows["E0"], busy_pct=None, operations_per_s=None)
    kinds = {"0A": "osa", "0C": "osa", "F4": "hipersockets"} | dict.fromkeys(("8A", "8B", "E0", "E4"), "coupling")
    assert {i: row["kind"] for i, row in rows.items() if i not in ("3A", "3B", "4F", "50")} == kinds


def test_units_and_groups_off_the_page() -> Asks[None]:
    """Of 921.33 requests/s 311.02 on the busiest path; 0.733 x 2,424.4 alias waits/s."""
    lake = yield sample_rows("ioq_all_parts", "rmf_io_queue")
    rows = {row["unit"]: row for row in lake.rows("SELECT * FROM io_queue_interval")}
    units = {"0041": ("lcu", 3), "0042": ("lcu", 1), "0057": ("lcu", 1), "00000001": ("alias_group", 2)}
    units |= dict.fromkeys(("0000000B", "0000001C"), ("alias_group", 1))
    assert {unit: (row["kind"], row["paths"]) for unit, row in rows.items()} == units
    expect(rows["0041"], io_per_s=921.33, busiest_path_pct=approx(33.758, abs=5e-4))
    assert rows["00000001"]["alias_waits_per_s"] == approx(1777.085, abs=1e-3)
    # Its only line is that of its path.
    expect(rows["0057"], io_per_s=0.027, busiest_path_pct=approx(100), transfers_avg=0.01)
    assert rows["0042"]["alias_waits_per_s"] is None
    assert [len(rows[unit]["refs"]) for unit in ("0041", "0042", "0057")] == [4, 2, 1]


def test_volumes_off_the_pages():
    """318.41 x 0.023 + 12.027 x 0.031 ms a second: 0.0077 engines; 330.437 of 542.843 requests."""
    tables = ("rmf_device", "rmf_device_synchronous_io")
    lake, synchronous = yield [sample_rows(name, *tables) for name in ("device_lcu_totals", "device_synchronous_io")]
    rows = {row["volume"]: row for row in lake.rows("SELECT * FROM volume_interval")}
    assert set(rows) == {"DBL001", "DBL002", "GBPC01", "SYSRES"}
    # 96.017 x 0.883 ms; 0.112 + 0.201 + 0.377 of 0.883.
    expect(rows["GBPC01"], io_in_progress=approx(0.084783, rel=1e-4), delay_pct=approx(78.143, rel=1e-4))
    expect(rows["GBPC01"], sync_pct=None, sync_engines=None)
    expect(rows["SYSRES"], io_in_progress=0, delay_pct=None)
    row = one_row(synchronous, "SELECT * FROM volume_interval")
    expect(row, sync_engines=approx(0.007696, abs=5e-7), sync_pct=approx(60.872, abs=5e-4))
    assert len(row["refs"]) == 2


def test_control_units_off_the_page() -> Asks[None]:
    """57,425 reads, 54,110 of them hits; 15,982 writes, 15,909 hits, 3 without non-volatile storage; 11,147 tracks, in 900 s."""
    lake = yield sample_rows("cache_bypass_and_offline", "rmf_cache_subsystem", "rmf_cache_request", "rmf_cache_miss")
    row = one_row(lake, "SELECT * FROM cache_interval")
    expect(row, requests_per_s=approx(81.6878), reads_per_s=63.8, writes_per_s=17.8)
    assert (row["read_hit_pct"], row["write_hit_pct"]) == approx((94.2273, 99.5432), abs=5e-5)
    assert (row["read_misses_per_s"], row["write_misses_per_s"]) == approx((3.68333, 0.08111), abs=5e-6)
    expect(row, staged_tracks_per_s=approx(12.38556), async_tracks_per_s=23.4)
    assert (row["delayed_writes_pct"], len(row["refs"])) == (approx(0.018771, abs=5e-7), 5)


UNIT = heading(system="SYSA", ssid="1A00", control_unit="B105")
ONLY_NORMAL = {
    "rmf_cache_subsystem": [UNIT | {"cache_interval_s": 60}],
    "rmf_cache_miss": [UNIT | {"category": "NORMAL", "staged_tracks": 600}],
}
LATER = {
    "rmf_cache_subsystem": [UNIT | {"cache_interval_s": 60, "delayed_storage": 6, "dfw_bypass": None}],
    "rmf_cache_request": [UNIT | {"is_total": True, "reads": 0, "read_hits": 0, "writes": 300, "write_hits": 300}],
}


def of_volume(*synchronous: Row, **device: object) -> Rows:
    of = heading(system="SYSA", device_number="08A10", volume="DBL001")
    rows = [of | {"line": 20 + n} | row for n, row in enumerate(synchronous)]
    return {"rmf_device": [of | {"is_total": False} | device], "rmf_device_synchronous_io": rows}


SYNC = {"reads_per_s": 10.0, "writes_per_s": 0.0, "read_ms": 0.02, "write_ms": None, "async_per_s": 30.0}
CACHED = heading(system="SYSA", ssid="8A01", control_unit="8A04", is_total=False, volume="DBL001", device_number="8A10")
CACHED |= {"io_per_s": 50.0, "stage_per_s": 2.2, "read_pct": 79.9, "read_hit_ratio": 0.951}
# Another volume of the same number, and a copy in another subchannel set, are others; so is that of a system of the same name in another sysplex.
DEVICES = [
    heading(system="SYSA", line=line, is_total=False, io_per_s=21.0, volume=volume, device_number=number, response_ms=ms, disconnect_ms=off)
    | {"sysplex": sysplex}
    for line, volume, number, ms, off, sysplex in (
        (50, "DBL001", "08A10", 0.4, 0.18, "PLEX1"), (51, "DBL001", "18A10", 9.0, 9.0, "PLEX1"), (52, "OTHER1", "08A11", 9.0, 9.0, "PLEX1"),
        (53, "DBL001", "08A10", 9.0, 9.0, "PLEX2"),
    )
]  # fmt: skip


test_volumes_and_caches = examples(
    # 300 synchronous of 400 requests/s; a rate of 400 may have them in it or not.
    *((f"asynchronous rate {beside}", of_volume({"reads_per_s": 300.0, "writes_per_s": 0.0, "async_per_s": beside}, io_per_s=400.0),
       "sync_pct, async_per_s, io_per_s FROM volume_interval", [(share, beside, 400)]) for beside, share in ((100.0, 75), (None, None))),
    # 10 x 0.02 ms a second; the writes of another print are not mixed in, and its rates do not add.
    ("first print that has some", of_volume({"reads_per_s": None, "writes_per_s": None}, SYNC, SYNC | {"reads_per_s": 99.0}, io_per_s=30.0,
     response_ms=1.0),
     "sync_pct, sync_engines, sync_reads_per_s FROM volume_interval", [(25.0, approx(0.0002), 10.0)]),
    ("no synchronous requests", of_volume(io_per_s=100.0, response_ms=1.0), "is_conflicting, sync_pct FROM volume_interval", [(False, None)]),
    # The line of the sequential requests was lost.
    ("tracks of one category", ONLY_NORMAL, "staged_tracks_per_s FROM cache_interval", [(None,)]),
    ("delayed operations of later releases", LATER,
     "is_conflicting, delayed_writes_pct, read_hit_pct, write_hit_pct, staged_tracks_per_s FROM cache_interval",
     [(False, 2, None, 100, None)]),
    # 2.2 of 50 requests/s are staged; 0.18 ms disconnected a request.
    ("volume of the cache and of the device report", {"rmf_cache_device": [CACHED], "rmf_device": DEVICES},
     "staged_pct, writes_per_s, read_hit_pct, device_io_per_s, response_ms, disconnect_ms, disconnect_per_miss_ms, len(refs) FROM cache_volume_interval",
     [(approx(4.4), approx(10.05), approx(95.1), 21, 0.4, 0.18, approx(4.0909, abs=5e-5), 2)]),
    *((f"channel path of type {of}", {"rmf_channel_path": [heading(system="SYSA", channel_path_id="50", channel_path_type=of)]},
       "kind FROM channel_path_interval", [(kind,)]) for of, kind in (("XYZ", "other"), (None, None), ("FC_S", "ficon"))),
)  # fmt: skip


def test_subchannels_and_reference_off_the_page() -> Asks[None]:
    """SYSA: 9,011K x 5.6 us and 92,714 x 88.4 us in 1,800 s on 40 subchannels; CS5, CL5 and CFP links: nobody knows by which. SYSB: ICP."""
    tables = ("rmf_cf_subchannel_activity", "rmf_cf_channel_path")
    lake = yield sample_rows("cf_processors_and_subchannels", *tables)
    busy = lake.sql("SELECT system, subchannel_busy_pct FROM cf_link_interval ORDER BY system").fetchall()
    assert busy == [("SYSA", approx(0.081469, abs=5e-7)), ("SYSB", approx(0.156579, abs=5e-7))]
    text = "SELECT distance_km, reference_us, above_reference_us, of_reference_pct FROM cf_service_reference"
    a, b = lake.sql(f"{text} ORDER BY system").fetchall()
    assert a[:3] == (4.5, None, None)
    assert b == (None, 5, approx(2.9), approx(158))


def link(*distances: str | None, **other: object) -> Rows:
    """100 synchronous requests of 60 us over CS5."""
    key = heading(system="SYSA", cf_name="CF1")
    row = key | {"link_1_type": "CS5", "link_1_used": 2, "requests": 100, "sync_requests": 100, "async_requests": 0}
    paths = [key | {"line": n + 10, "distance": distance} for n, distance in enumerate(distances)]
    return {"rmf_cf_subchannel_activity": [row | {"sync_service_us": 60.0} | other], "rmf_cf_channel_path": paths}


test_the_reference_of_links = examples(
    # CS5: 8 us, and 10 us a kilometre.
    *((f"distances {distances}", link(*distances), "reference_us FROM cf_service_reference", [(reference,)]) for distances, reference in (
        (("4.5", "4.5"), 53), (("<1", "<1"), 8), (("<1", "4.5"), None), (("4.5", None), None), ((None, None), 8))),
    # Nor with one beside it that has one.
    *((f"link without a reference beside {beside}", link(link_1_type="NEW", link_1_used=1, **beside),
       "reference_us, of_reference_pct, sync_service_us FROM cf_service_reference", [(None, None, 60)])
      for beside in ({}, {"link_2_type": "CS5", "link_2_used": 1})),
)  # fmt: skip


def distribution(minute: int, *counts: int) -> list[Row]:
    """Buckets to 0.5, 1 and 2 s and above of a class period in a minute."""
    named = heading(START + minute * MINUTE, system="SYSA", workload="W", service_class="ONLINE", period=1)
    named |= {"class_kind": "service_class_period", "occurrence": 1}
    totals = [sum(counts[: n + 1]) for n in range(len(counts))]
    return [
        named | {"line": 10 + 10 * minute + n, "upper_bound_s": bound, "transactions": count, "transactions_cumulative": total}
        for n, (bound, count, total) in enumerate(zip((0.5, 1.0, 2.0, None), counts, totals, strict=True))
    ]  # fmt: skip


def load(intervals: list[tuple[int, int]], *, beyond: int = 0, within_1: bool = False) -> Rows:
    """Intervals of (transactions, of these within 0.5 s), a minute each; the others are within 2 s, or within 1, or so many above it."""
    rows: list[Row] = []
    for n, (all_, fast) in enumerate(intervals):
        slow, above = max(all_ - fast - beyond, 0), min(all_ - fast, beyond)
        rows += distribution(n, fast, *((slow, 0) if within_1 else (0, slow)), above)
    return {"rmf_response_time_distribution": rows}


# 10 to 20/s: from 18/s on less than 90% are within 0.5 s.
QUICK = [(600, 600), (720, 700), (840, 800), (960, 900)]
SLOW = [(1080, 900), (1140, 900), (1200, 800)]
# Ten minutes of low and ten of high load, each slower than the last: by the intervals 0.866 x sqrt(19) = 3.8, but neighbours resemble each
# other so much that they count for one.
MORNING = [(600 + 10 * n, 600) for n in range(10)] + [(1200 + 10 * n, 600) for n in range(10)]
KNEE = "intervals, p90_low_s, p90_high_s, growth, knee_per_s, null_reason FROM response_load"
CHANCE = "growth, knee_per_s, rank_score < 2.054 FROM response_load"


test_response_times_against_load = examples(
    ("knee", load([*SLOW, *QUICK]), f"least_per_s, most_per_s, {KNEE}", [(10, 20, 7, 0.5, 2, 4, 18, None)]),
    # Ranks of rates 1 to 7, of percentiles 2.5 four times and 6 three times, off their means -3 to 3 and -1.5 and 2: products 9 + 12 = 21, squares 28
    # and 21: 21 / sqrt(28 x 21) = sqrt(3/4); x sqrt(6) is 2.12.
    ("ranks", load([*SLOW, *QUICK]), "rank_correlation, rank_score FROM response_load", [(approx(0.75**0.5), approx(0.75**0.5 * 6**0.5))]),
    # From 1,080 a minute on more than one in ten takes longer than 2 s, nobody knows how long.
    ("above the last bound", load([*SLOW, *QUICK], beyond=150), f"most_per_s, {KNEE}", [(20, 7, 0.5, None, None, 18,
     "at high load above the last bound")]),
    # The highest load as quick, and two intervals.
    ("quick at the highest load", load([*QUICK, *SLOW, (1260, 1260)]), "knee_per_s, rank_score < 2.054 FROM response_load", [(None, True)]),
    ("two intervals", load([*QUICK, *SLOW[1:]]), CHANCE, [(4, None, True)]),
    ("morning", load(MORNING), CHANCE, [(4, None, True)]),
    ("one bucket higher", load([*QUICK, *SLOW], within_1=True), "growth, knee_per_s, rank_score FROM response_load", [(2, None, approx(4.5**0.5))]),
    ("few intervals", load([(600, 600)] * 5), KNEE, [(5, None, None, None, None, "fewer than 6 intervals")]),
    ("one load", load([(600 + n, 600) for n in range(6)]), KNEE, [(6, None, None, None, None, "load hardly differs")]),
)  # fmt: skip


@pytest.mark.slow
def test_the_rank_correlation_is_that_of_scipy():
    intervals = [(600 + 37 * n % 400, 500 + 53 * n % 300) for n in range(12)]
    row = one_row((yield load([(all_, min(all_, fast)) for all_, fast in intervals])), "SELECT * FROM response_load")
    slow = [fast < 0.9 * all_ for all_, fast in intervals]
    found: Any = scipy.stats.spearmanr([all_ for all_, _ in intervals], slow)
    theirs = float(found[0])
    assert 0 < theirs < 1
    expect(row, rank_correlation=approx(theirs, rel=1e-6), rank_score=approx(theirs * 11**0.5, rel=1e-6))


# --- Channel paths, volumes, caches, queues and I/O processors by clock hour ------------------------------------------


TIMES = ("iosq_ms", "pend_ms", "disconnect_ms", "connect_ms")
Make = Callable[..., Rows]


def _page(minute: float, seconds: float, **other: object) -> Row:
    """The heading of a page of SYSA: of I/O reports it names no sysplex and no policy."""
    row = heading()
    return row | {"sysplex": None, "scope": None, "system": "SYSA"} | span(minute, seconds) | other


def path(minute: float, seconds: float = 900, /, value: float | None = 10.0, **other: object) -> Rows:
    """A channel path; `value` percent busy."""
    row = {"channel_path_id": "3A", "channel_path_type": "FC_S", "busy_pct": value}
    return {"rmf_channel_path": [_page(minute, seconds) | row | other]}


def volume(minute: float, seconds: float = 900, /, value: float | None = 10.0, **other: object) -> Rows:
    """A volume of `value` requests per second, 1 ms each."""
    row = {"device_number": "8A10", "volume": "DBL001", "is_total": False, "io_per_s": value, "response_ms": 1.0}
    row |= dict.fromkeys(TIMES, 0.25)
    return {"rmf_device": [_page(minute, seconds) | row | other]}


def queue(minute: float, seconds: float = 900, value: float | None = 10.0, **other: object) -> Rows:
    """A control unit with one path, of `value` requests per second."""
    row = {"lcu": "0041", "control_unit": "8A00", "channel_path_id": "3A", "is_total": False, "taken_per_s": value}
    row |= dict.fromkeys(OF_QUEUE, 0.0) | {"channel_subsystem_delay_ms": 1.0, "aliases_max": 0}
    return {"rmf_io_queue": [_page(minute, seconds) | row | other]}


def processor(minute: float, seconds: float = 900, value: float | None = 10.0, **other: object) -> Rows:
    """An I/O processor; `value` percent busy."""
    row = {"io_processor": "00", "is_total": False, "busy_pct": value} | dict.fromkeys(OF_PROCESSOR, 1.0)
    return {"rmf_io_processor": [_page(minute, seconds) | row | other]}


OF_QUEUE = ("contention_per_s", "delay_queue_length_avg", "director_busy_pct", "control_unit_busy_pct")
OF_QUEUE += ("channel_subsystem_delay_ms", "command_response_delay_ms", "control_unit_busy_delay_ms")
OF_QUEUE += ("alias_wait_per_request",)
OF_PROCESSOR = ("queued_per_s", "queue_length_avg", "started_per_s", "interrupts_per_s", "retries_per_request")


def cache(minute: float, seconds: float = 900, /, value: float | None = 10.0, **other: object) -> Rows:
    """A control unit of `value` reads per second, of which one misses, and as many writes, which all hit."""
    page = _page(minute, seconds) | {"ssid": "8A01", "control_unit": "8A04"}
    count = None if value is None else value * seconds
    counts = {"reads": count, "read_hits": None if count is None else count - seconds, "writes": count}
    counts |= {"write_hits": count, "reads_per_s": value, "writes_per_s": value, "is_total": True}
    unit = page | {"cache_interval_s": seconds, "dfw_bypass": 0}
    keys = {k: v for k, v in other.items() if k in unit}
    of_requests = {k: v for k, v in other.items() if k not in ("dfw_bypass", "cache_interval_s")}
    return {"rmf_cache_subsystem": [unit | keys], "rmf_cache_request": [page | counts | of_requests]}


def together(*pages: Rows) -> Rows:
    rows: dict[str, list[Row]] = {}
    for page in pages:
        for name, some in page.items():
            rows.setdefault(name, []).extend(some)
    return rows


VIEWS = {"channel_path_hour": path, "volume_hour": volume, "cache_hour": cache}
VIEWS |= {"io_queue_hour": queue, "io_processor_hour": processor}
RATE = {"channel_path_hour": "busy_pct", "volume_hour": "io_per_s", "cache_hour": "reads_per_s"}
RATE |= {"io_queue_hour": "io_per_s", "io_processor_hour": "busy_pct"}
each_view = pytest.mark.parametrize(("view", "make"), list(VIEWS.items()))


@each_view
def test_an_interval_belongs_to_the_hour_of_its_middle(view: str, make: Make):
    """10:40 to 11:10 to 10 o'clock, 11:15 to 12:45 to 12 o'clock."""
    lake = yield together(make(40, 1800), make(75, 5400))
    rows = lake.rows(f"SELECT hour_start, covered_s FROM {view} ORDER BY hour_start")
    assert [(row["hour_start"].hour, row["covered_s"]) for row in rows] == [(10, 1800), (12, 5400)]


@each_view
def test_of_intervals_that_overlap_the_first_and_longest_counts(view: str, make: Make):
    """Ten minutes at 10:00 and 10:20 are within the half hour, and are printed twice; 10:30 is not. Whichever is read first."""
    pages = (0, 600, 90.0), (0, 1800, 20.0), (20, 600, 80.0), (30, 600, 60.0)
    lake = yield together(
        *(make(*page) for page in pages), *(make(120 + minute, *other) for minute, *other in reversed(pages))
    )
    rows = lake.rows(f"FROM {view}")
    assert [row["covered_s"] for row in rows] == [2400, 2400]
    assert [row[RATE[view]] for row in rows] == approx([(1800 * 20 + 600 * 60) / 2400] * 2)


@each_view
def test_intervals_add_up(view: str, make: Make):
    """A second between intervals is no overlap; an interval of one second counts. A second print of the same counts once; what one of two does not
    print is unknown."""
    second = make(0, 900, 20.0, source_id="s2")
    lakes = yield [
        together(make(0, 901, 20.0), make(15, 900, 20.0)),
        together(make(0, 1, 20.0), make(1, 3, 40.0)),
        together(make(0, 900, 20.0), second, make(15, 900, 40.0)),
        together(make(0, 900, None), second, make(15, 900, 40.0)),
    ]
    rows = [one_row(lake, f"FROM {view}") for lake in lakes]
    assert [row["covered_s"] for row in rows] == [1801, 4, 1800, 1800]
    assert [row[RATE[view]] for row in rows] == [*map(approx, (20, 35, 30)), None]


KEYS: Row = {"channel_path_hour": ("sysplex", "system", "channel_subsystem", "channel_path_id")}
KEYS |= {"volume_hour": ("sysplex", "system", "device_number")}
KEYS |= {"cache_hour": ("sysplex", "system", "ssid", "control_unit"), "io_queue_hour": ("sysplex", "system", "unit")}
KEYS |= {"io_processor_hour": ("sysplex", "system", "io_processor")}


@pytest.mark.parametrize(("view", "key"), [(view, key) for view, keys in KEYS.items() for key in keys])
def test_what_has_another_key_is_apart(view: str, key: str):
    """In the same hour and, beside it, in a part of it."""
    make = VIEWS[view]
    lake = yield together(make(0, 1800, 20.0), make(15, 900, 40.0, **{"lcu" if key == "unit" else key: "7F"}))
    rows = lake.rows(f"FROM {view} ORDER BY covered_s DESC")
    assert [(row["covered_s"], row[RATE[view]]) for row in rows] == [(1800, approx(20)), (900, approx(40))]
    assert rows[1][key] == "7F"


@each_view
def test_durations_and_intervals_without_time_are_left_out(view: str, make: Make):
    none = {"interval_s": 0.0} | ({"cache_interval_s": 0.0} if make is cache else {})
    lake = yield together(
        make(0, 900, 20.0),
        make(15, 900, 90.0, report_kind="duration"),
        make(30, 900, 90.0, **none),
        make(45, 900, 90.0, interval_start=None),
        make(90, 900, 90.0, **none),
    )
    row = one_row(lake, f"FROM {view}")
    assert (row["hour_start"], row["covered_s"], row[RATE[view]]) == (START, 900, approx(20))
    assert row.get("busy_max_pct") in (None, 20)


MEASURES = {
    "channel_path_hour": ("busy_pct", "partition_busy_pct", "bus_busy_pct", "read_mb_per_s", "write_mb_per_s"),
    "volume_hour": ("io_per_s", "io_in_progress", "response_ms", "iosq_ms", "pend_ms", "disconnect_ms", "connect_ms"),
    "cache_hour": ("reads_per_s", "writes_per_s", "read_misses_per_s", "write_misses_per_s", "delayed_writes_pct"),
    "io_queue_hour": ("io_per_s", "contention_pct", "channel_subsystem_requests", "aliases_max", *OF_QUEUE),
    "io_processor_hour": ("busy_pct", *OF_PROCESSOR),
}
# A page of a processor is compared by its values one by one.
DIFFERENT = {"io_processor_hour": dict.fromkeys(OF_PROCESSOR, 2.0)}
ALL_OF_PATH = {"partition_busy_pct": 4.0, "bus_busy_pct": 5.0, "read_mb_per_s": 6.0, "write_mb_per_s": 7.0}


@each_view
def test_what_two_sources_print_differently_is_unknown(view: str, make: Make):
    """Of the hour: a mean of the other interval is none of the hour. So is the busiest, unless it is known to be the other."""
    other = ALL_OF_PATH if make is path else {}
    lake = yield together(
        make(0, 900, 20.0, **other),
        make(0, 900, 21.0, source_id="s2", **DIFFERENT.get(view, other)),
        make(15, 900, 40.0, **other),
    )
    row = one_row(lake, f"FROM {view}")
    assert {name for name in MEASURES[view] if row[name] is not None} == set()
    assert row["covered_s"] == 1800


@each_view
def test_rates_of_two_sources_with_other_lengths_are_unknown(view: str, make: Make):
    """The same times and rates, but 900 and 899 seconds: those of the quarter after it are not the rates of both."""
    length = "cache_interval_s" if make is cache else "interval_s"
    lake = yield together(
        make(0, 900, 20.0), make(0, 900, 20.0, source_id="s2", **{length: 899.0}), make(15, 900, 40.0)
    )
    assert one_row(lake, f"SELECT covered_s, {RATE[view]} FROM {view}") == {"covered_s": 1800, RATE[view]: None}


@each_view
def test_the_refs_are_those_of_the_first_of_the_highest_that_are_known(view: str, make: Make):
    """Of line 11 it is not known; 12 is higher than 13. Then 13 has no load, and of the others it is not known. Then they are equal."""
    lost = {volume: "io_per_s", cache: "read_hits", queue: "taken_per_s"}.get(make, "busy_pct")
    high = {"read_hits": 0} if make is cache else {}
    first = [make(0, 900, 90.0, line=11, **{lost: None}), make(15, 900, 40.0, line=12, **high), make(30, 900, 30.0, line=13)]  # fmt: skip
    none = [make(0, 900, None, line=11), make(15, 900, None, line=12), make(30, 900, 0.0, line=13, **high)]
    equal = [make(15, 900, 40.0, line=12), make(0, 900, 40.0, line=11)]
    lakes = yield [together(*pages) for pages in (first, none, equal)]
    refs = [one_row(lake, f"SELECT refs FROM {view}")["refs"] for lake in lakes]
    assert [{ref["line"] for ref in found} for found in refs] == [{12}, {13}, {11}]


def of(view: str, *values: float) -> Row:
    """All measures of a view that are printed as such."""
    return dict(zip(MEASURES[view], values, strict=True))


def counts(seconds: int, reads: float, read_misses: float, writes: float, write_misses: float) -> Row:
    """So many per second."""
    row = {"reads": reads, "read_hits": reads - read_misses, "writes": writes, "write_hits": writes - write_misses}
    return {name: seconds * value for name, value in row.items()} | {"reads_per_s": reads, "writes_per_s": writes}


PARTS = dict(zip(TIMES, (0.1, 0.2, 0.3, 0.4), strict=True))
# 44 reads in 900 s are printed as 0.0 a second, 46 as 0.1; all but nine missed: a tenth hit.
FEW = counts(1, 44, 44, 44, 44) | {"reads_per_s": 0.0, "writes_per_s": 0.0, "dfw_bypass": 44}
MORE = counts(1, 46, 37, 46, 37) | {"reads_per_s": 0.1, "writes_per_s": 0.1, "dfw_bypass": 46}
NO_QUEUE = dict.fromkeys(OF_QUEUE) | dict.fromkeys(OF_QUEUE[:2], 0.0)


test_hours = examples(
    # 900 s of the first and 300 s of the other: three quarters and one.
    ("paths by time", together(path(0, 900, **of("channel_path_hour", 10.0, 4.0, 20.0, 100.0, 8.0)),
     path(15, 300, **of("channel_path_hour", 30.0, 8.0, 40.0, 300.0, 16.0))),
     f"kind, hour_start, covered_s, busy_max_pct, {', '.join(MEASURES['channel_path_hour'])} FROM channel_path_hour",
     [("ficon", START, 1200, 30, *map(approx, (15, 5, 25, 150, 10)))]),
    *((f"path of {of_type}", together(path(0), path(15, channel_path_type=of_type)), "kind FROM channel_path_hour", [(kind,)])
      for of_type, kind in (("FC_S", "ficon"), (None, "ficon"), ("OSD", None))),
    # 600 s of 100/s of 1 ms, 1,200 s of 400/s of 4 ms, and 600 s of none: (600 x 0.1 + 1,200 x 1.6) / 2,400 = 0.825 in progress, 225/s, so
    # 3.667 ms. Of the parts .1, .2, .3 and .4 of it.
    ("volumes by requests", together(volume(0, 600, 100.0, **PARTS),
     volume(10, 1200, 400.0, response_ms=4.0, **{name: 4 * value for name, value in PARTS.items()}),
     volume(30, 600, 0.0, response_ms=None, **dict.fromkeys(TIMES))),
     f"volume, covered_s, io_per_s, io_in_progress, response_ms, {', '.join(f'{name} / response_ms' for name in TIMES)} FROM volume_hour",
     [("DBL001", 2400, approx(225), approx(0.825), approx(1000 * 0.825 / 225), *map(approx, PARTS.values()))]),
    ("no requests, no times", together(volume(0, value=0.0), volume(15, value=0.0)),
     f"io_per_s, io_in_progress, response_ms, {', '.join(TIMES)} FROM volume_hour", [(0, 0, None, None, None, None, None)]),
    *((f"volume {name}", together(volume(0), volume(15, volume=name)), "volume, io_per_s FROM volume_hour", [(None, 10.0)]) for name in ("DBL002",
     None)),
    # 600 s of 100 reads/s of which 10 miss, 50 writes/s of which 1; 1,200 s of 400 and 40, 200 and 4. 30 and 480 writes wait for storage.
    ("caches by time", together(cache(0, 600, dfw_bypass=30, **counts(600, 100, 10, 50, 1)), cache(10, 1200, dfw_bypass=480, **counts(1200, 400, 40,
     200, 4))),
     f"covered_s, read_hit_pct, write_hit_pct, {', '.join(MEASURES['cache_hour'])} FROM cache_hour",
     [(1800, approx(90), approx(98), approx(300), approx(150), approx(30), approx(3), approx(100 * 510 / 270_000))]),
    ("few reads are not less than their misses", together(cache(0, **FEW), cache(15, **MORE)),
     "read_hit_pct, write_hit_pct, delayed_writes_pct, reads_per_s, writes_per_s FROM cache_hour",
     [(approx(10), approx(10), approx(100), approx(0.05), approx(0.05))]),
    ("no reads and writes", together(*(cache(n, **counts(900, 0, 0, 0, 0)) for n in (0, 15))),
     f"read_hit_pct, write_hit_pct, {', '.join(MEASURES['cache_hour'])} FROM cache_hour", [(None, None, 0, 0, 0, 0, None)]),
    ("no writes, none that waited", together(cache(0, **counts(900, 10, 1, 0, 0)), cache(15, dfw_bypass=90, **counts(900, 10, 1, 10, 1))),
     "delayed_writes_pct FROM cache_hour", [(approx(1),)]),
    # 600 s of 100/s, 1,200 s of 400/s, 600 s of none: 225/s, a ninth of the requests in the first. 4 and 16 ms are 14.667 ms, and (600 x 0.4 +
    # 1,200 x 6.4) / 2,400 = 3.3 requests. 1/s and 8/s put on the queue are 4.25/s; 0.5 and 2 on it 1.125.
    ("queues by time and delays by requests", together(
        queue(0, 600, 100.0, aliases_max=3, **dict(zip(OF_QUEUE, (1.0, 0.5, 0.9, 1.8, 4.0, 0.9, 0.18, 0.09), strict=True))),
        queue(10, 1200, 400.0, aliases_max=7, **dict(zip(OF_QUEUE, (8.0, 2.0, 9.9, 2.7, 16.0, 1.8, 0.36, 0.27), strict=True))),
        queue(30, 600, 0.0, aliases_max=0, **NO_QUEUE)),
     f"kind, unit, covered_s, io_per_s, contention_pct, channel_subsystem_requests, aliases_max, {', '.join(OF_QUEUE)} FROM io_queue_hour",
     [("lcu", "0041", 2400, approx(225), approx(100 * 4.25 / 225), approx(3.3), 7, *map(approx, (4.25, 1.125, 8.9, 2.6, 44 / 3, 1.7, 0.34, 0.25)))]),
    ("no requests, no delay", together(queue(0, value=0.0), queue(15, value=0.0)),
     f"io_per_s, contention_per_s, channel_subsystem_requests, contention_pct, {', '.join(OF_QUEUE[2:])} FROM io_queue_hour", [(0, 0, 0,
      *[None] * 7)]),
    # 40 requests a second that wait 1 ms are fewer at a time than 10 that wait 9 ms.
    ("refs of most requests", together(queue(0, 900, 40.0, line=11), queue(15, 900, 10.0, line=12, channel_subsystem_delay_ms=9.0)),
     "[r.line for r in refs] FROM io_queue_hour", [([12],)]),
    ("unit and group of one number", together(queue(0), queue(0, lcu=None, alias_group="0041")),
     "kind, covered_s FROM io_queue_hour ORDER BY kind", [("alias_group", 900), ("lcu", 900)]),
    # 900 s of 100 requests started per second, and 300 s of 300: as many. The line of all processors is none.
    ("processors by time and retries by requests", together(
        processor(0, 900, 10.0, **dict(zip(OF_PROCESSOR, (110.0, 0.2, 100.0, 40.0, 0.1), strict=True))),
        processor(15, 300, 30.0, **dict(zip(OF_PROCESSOR, (310.0, 0.6, 300.0, 80.0, 0.3), strict=True))),
        processor(0, 900, 99.0, io_processor=None, is_total=True)),
     f"covered_s, busy_pct, busy_max_pct, {', '.join(OF_PROCESSOR)} FROM io_processor_hour", [(1200, approx(15), 30, *map(approx, (160, 0.3, 150,
      50, 0.2)))]),
)  # fmt: skip


# What is not known of the hour besides, where a column is not printed once.
BESIDE: dict[tuple[str, str], set[str]] = {
    ("volume_hour", "response_ms"): {"io_in_progress"}, ("volume_hour", "io_per_s"): {*MEASURES["volume_hour"]},
    ("cache_hour", "reads"): {"reads_per_s", "read_misses_per_s", "read_hit_pct"}, ("cache_hour", "read_hits"): {"read_misses_per_s", "read_hit_pct"},
    ("cache_hour", "writes"): {"writes_per_s", "write_misses_per_s", "write_hit_pct", "delayed_writes_pct"},
    ("cache_hour", "write_hits"): {"write_misses_per_s", "write_hit_pct"}, ("cache_hour", "dfw_bypass"): {"delayed_writes_pct"},
    ("io_queue_hour", "contention_per_s"): {"contention_pct"}, ("io_queue_hour", "channel_subsystem_delay_ms"): {"channel_subsystem_requests"},
    ("io_processor_hour", "started_per_s"): {"retries_per_request"},
}  # fmt: skip
LOST = {
    "channel_path_hour": MEASURES["channel_path_hour"], "volume_hour": ("io_per_s", "response_ms", *TIMES),
    "cache_hour": ("reads", "read_hits", "writes", "write_hits", "dfw_bypass"), "io_queue_hour": (*OF_QUEUE, "aliases_max"),
    "io_processor_hour": MEASURES["io_processor_hour"],
}  # fmt: skip


@pytest.mark.parametrize(("view", "name"), [(view, name) for view, names in LOST.items() for name in names])
def test_a_measure_that_is_unknown_once_is_unknown(view: str, name: str):
    """And no other measure, but for those that are made of it."""
    make, printed = VIEWS[view], ALL_OF_PATH if view == "channel_path_hour" else {}
    row = one_row((yield together(make(0, **printed), make(15, 900, **printed | {name: None}))), f"FROM {view}")
    measures = {*MEASURES[view], "read_hit_pct", "write_hit_pct"} & row.keys()
    assert {other for other in measures if row[other] is None} == BESIDE.get((view, name), set()) | ({name} & measures)
