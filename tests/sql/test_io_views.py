"""Views of I/O reports, of links to coupling facilities and of response times against load. Expected values are worked from the pages."""

import datetime as dt
from typing import Any

import pytest
import scipy
from one_lake import Asks, Found, Rows, examples, shown
from views_lake import START, Row, expect, heading, one_row, sample_rows

approx = pytest.approx
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


@examples(
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
def test_volumes_and_caches(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)


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
    return {
        "rmf_cf_subchannel_activity": [row | {"sync_service_us": 60.0} | other],
        "rmf_cf_channel_path": paths,
    }


@examples(
    # CS5: 8 us, and 10 us a kilometre.
    *((f"distances {distances}", link(*distances), "reference_us FROM cf_service_reference", [(reference,)]) for distances, reference in (
        (("4.5", "4.5"), 53), (("<1", "<1"), 8), (("<1", "4.5"), None), (("4.5", None), None), ((None, None), 8))),
    # Nor with one beside it that has one.
    *((f"link without a reference beside {beside}", link(link_1_type="NEW", link_1_used=1, **beside),
       "reference_us, of_reference_pct, sync_service_us FROM cf_service_reference", [(None, None, 60)])
      for beside in ({}, {"link_2_type": "CS5", "link_2_used": 1})),
)  # fmt: skip
def test_the_reference_of_links(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)


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


@examples(
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
def test_response_times_against_load(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)


@pytest.mark.slow
def test_the_rank_correlation_is_that_of_scipy():
    intervals = [(600 + 37 * n % 400, 500 + 53 * n % 300) for n in range(12)]
    row = one_row((yield load([(all_, min(all_, fast)) for all_, fast in intervals])), "SELECT * FROM response_load")
    slow = [fast < 0.9 * all_ for all_, fast in intervals]
    found: Any = scipy.stats.spearmanr([all_ for all_, _ in intervals], slow)
    theirs = float(found[0])
    assert 0 < theirs < 1
    expect(row, rank_correlation=approx(theirs, rel=1e-6), rank_score=approx(theirs * 11**0.5, rel=1e-6))
