"""Views of I/O reports, of links to coupling facilities and of response times against load. Expected values are worked from the pages."""

import datetime as dt
from typing import Any

import pytest
import scipy
from one_lake import Asks, AsksSeveral, each
from views_lake import START, Row, expect, heading, one_row, sample_rows

MINUTE = dt.timedelta(minutes=1)


def test_channel_paths_off_the_page() -> Asks[None]:
    """22.18% busy, 4.61% by the partition; 1,204.6 FICON and 2,210.9 zHPF operations/s, none deferred; 1.1 and 2.3 at a time."""
    lake = yield sample_rows("chan_all_kinds_of_channels", "rmf_channel_path")
    rows = {row["channel_path_id"]: row for row in lake.rows("SELECT * FROM channel_path_interval")}
    row = rows["3A"]
    expect(row, kind="ficon", speed="16G", other_partitions_busy_pct=pytest.approx(17.57))
    expect(row, operations_per_s=pytest.approx(3415.5), zhpf_pct=pytest.approx(64.73, abs=5e-3), deferred_pct=0)
    expect(row, active_avg=pytest.approx(3.4))
    # 0.1 + 0.3 of 1,198 + 2,190.4.
    assert rows["3B"]["deferred_pct"] == pytest.approx(0.011805, abs=5e-6)
    # What is not measured is not known.
    expect(rows["4F"], busy_pct=None, other_partitions_busy_pct=None, zhpf_pct=None)
    assert {i: row["kind"] for i, row in rows.items() if i not in ("3A", "3B", "4F", "50")} == {
        "0A": "osa",
        "0C": "osa",
        "F4": "hipersockets",
        **dict.fromkeys(("8A", "8B", "E0", "E4"), "coupling"),
    }
    assert rows["E0"]["busy_pct"] is rows["E0"]["operations_per_s"] is None


def test_units_and_groups_off_the_page() -> Asks[None]:
    """Of 921.33 requests/s 311.02 on the busiest path; 0.733 x 2,424.4 alias waits/s."""
    lake = yield sample_rows("ioq_all_parts", "rmf_io_queue")
    rows = {row["unit"]: row for row in lake.rows("SELECT * FROM io_queue_interval")}
    assert {unit: (row["kind"], row["paths"]) for unit, row in rows.items()} == {
        "0041": ("lcu", 3),
        "0042": ("lcu", 1),
        "0057": ("lcu", 1),
        "00000001": ("alias_group", 2),
        "0000000B": ("alias_group", 1),
        "0000001C": ("alias_group", 1),
    }
    assert (rows["0041"]["io_per_s"], rows["0041"]["busiest_path_pct"]) == (921.33, pytest.approx(33.758, abs=5e-4))
    assert rows["00000001"]["alias_waits_per_s"] == pytest.approx(1777.085, abs=1e-3)
    # Its only line is that of its path.
    expect(rows["0057"], io_per_s=0.027, busiest_path_pct=pytest.approx(100), transfers_avg=0.01)
    assert rows["0042"]["alias_waits_per_s"] is None
    assert [len(rows[unit]["refs"]) for unit in ("0041", "0042", "0057")] == [4, 2, 1]


def test_volumes_off_the_page() -> Asks[None]:
    lake = yield sample_rows("device_lcu_totals", "rmf_device", "rmf_device_synchronous_io")
    rows = {row["volume"]: row for row in lake.rows("SELECT * FROM volume_interval")}
    assert set(rows) == {"DBL001", "DBL002", "GBPC01", "SYSRES"}
    row = rows["GBPC01"]
    # 96.017 x 0.883 ms; 0.112 + 0.201 + 0.377 of 0.883.
    assert (row["io_in_progress"], row["delay_pct"]) == pytest.approx((0.084783, 78.143), rel=1e-4)
    assert (row["sync_pct"], row["sync_engines"]) == (None, None)
    assert (rows["SYSRES"]["io_in_progress"], rows["SYSRES"]["delay_pct"]) == (0, None)


def test_a_processor_waits_for_synchronous_requests() -> Asks[None]:
    """318.41 x 0.023 + 12.027 x 0.031 ms a second: 0.0077 engines; 330.437 of 542.843 requests."""
    row = one_row(
        (yield sample_rows("device_synchronous_io", "rmf_device", "rmf_device_synchronous_io")),
        "SELECT * FROM volume_interval",
    )
    expect(row, sync_engines=pytest.approx(0.007696, abs=5e-7), sync_pct=pytest.approx(60.872, abs=5e-4))
    assert len(row["refs"]) == 2


@pytest.mark.parametrize(("again", "is_conflicting"), [(100.0, False), (101.0, True)])
def test_two_prints_of_one_interval_that_differ_are_told(again: float, is_conflicting: bool):
    """A system of another sysplex may have the name as well: these pages name no sysplex."""
    page = heading(system="SYSA", sysplex=None)

    def twice(name: str, **values: object) -> list[Row]:
        return [
            page | values | {"source_id": source, "line": 10, name: value}
            for source, value in (("s1", 100.0), ("s2", again))
        ]

    lake = yield {
        "rmf_device": twice("io_per_s", device_number="08A10", is_total=False, response_ms=1.0),
        "rmf_channel_path": twice("read_mb_per_s", channel_path_id="50", channel_path_type="FC_S"),
        "rmf_io_queue": twice("taken_per_s", lcu="0051", channel_path_id="50", is_total=False),
    }
    for view in ("volume_interval", "channel_path_interval", "io_queue_interval"):
        assert one_row(lake, f"SELECT is_conflicting FROM {view}") == {"is_conflicting": is_conflicting}, view


@pytest.mark.parametrize(("beside", "share"), [(100.0, 75), (None, None)])
def test_the_rate_of_the_volume_is_not_taken_for_that_of_asynchronous_requests(
    beside: float | None, share: float | None
):
    """300 synchronous of 400 requests/s; a rate of 400 may have them in it or not."""
    of = heading(system="SYSA", device_number="08A10", volume="DBL001")
    synchronous = of | {"line": 60, "reads_per_s": 300.0, "writes_per_s": 0.0, "async_per_s": beside}
    lake = yield {
        "rmf_device": [of | {"is_total": False, "io_per_s": 400.0}],
        "rmf_device_synchronous_io": [synchronous],
    }
    row = one_row(lake, "SELECT * FROM volume_interval")
    assert (row["sync_pct"], row["async_per_s"], row["io_per_s"]) == (share, beside, 400)


def test_control_units_off_the_page() -> Asks[None]:
    """57,425 reads, 54,110 of them hits; 15,982 writes, 15,909 hits, 3 without non-volatile storage; 11,147 tracks, in 900 s."""
    lake = yield sample_rows("cache_bypass_and_offline", "rmf_cache_subsystem", "rmf_cache_request", "rmf_cache_miss")
    row = one_row(lake, "SELECT * FROM cache_interval")
    assert (row["requests_per_s"], row["reads_per_s"], row["writes_per_s"]) == (pytest.approx(81.6878), 63.8, 17.8)
    assert (row["read_hit_pct"], row["write_hit_pct"]) == pytest.approx((94.2273, 99.5432), abs=5e-5)
    assert (row["read_misses_per_s"], row["write_misses_per_s"]) == pytest.approx((3.68333, 0.08111), abs=5e-6)
    assert (row["staged_tracks_per_s"], row["async_tracks_per_s"]) == (pytest.approx(12.38556), 23.4)
    assert row["delayed_writes_pct"] == pytest.approx(0.018771, abs=5e-7)
    assert len(row["refs"]) == 5


def test_tracks_of_one_category_are_not_all_tracks():
    """The line of the sequential requests was lost."""
    of = heading(system="SYSA", ssid="1A00", control_unit="B105")
    lake = yield {
        "rmf_cache_subsystem": [of | {"cache_interval_s": 60}],
        "rmf_cache_miss": [of | {"category": "NORMAL", "staged_tracks": 600}],
    }
    assert one_row(lake, "SELECT * FROM cache_interval")["staged_tracks_per_s"] is None


def test_delayed_operations_are_those_of_later_releases():
    of = heading(system="SYSA", ssid="1A00", control_unit="B105")
    unit = of | {"cache_interval_s": 60, "delayed_storage": 6, "dfw_bypass": None}
    total = of | {"is_total": True, "reads": 0, "read_hits": 0, "writes": 300, "write_hits": 300}
    row = one_row((yield {"rmf_cache_subsystem": [unit], "rmf_cache_request": [total]}), "SELECT * FROM cache_interval")
    expect(row, delayed_writes_pct=2, read_hit_pct=None, write_hit_pct=100, staged_tracks_per_s=None)


def test_a_volume_of_the_cache_is_that_of_the_device_report():
    """2.2 of 50 requests/s are staged; 0.18 ms disconnected a request. Another volume of the same number, and a copy in another
    subchannel set, are others."""
    of = heading(system="SYSA")
    cached = of | {"ssid": "8A01", "control_unit": "8A04", "is_total": False, "volume": "DBL001"}
    cached |= {"device_number": "8A10", "io_per_s": 50.0, "stage_per_s": 2.2, "read_pct": 79.9, "read_hit_ratio": 0.951}
    others = {"response_ms": 9.0, "disconnect_ms": 9.0}
    devices = [
        of | {"line": line, "is_total": False, "volume": volume, "device_number": number, "io_per_s": 21.0, **more}
        for line, volume, number, more in (
            (50, "DBL001", "08A10", {"response_ms": 0.4, "disconnect_ms": 0.18}),
            (51, "DBL001", "18A10", others),
            (52, "OTHER1", "08A11", others),
        )
    ]
    # A system of the same name in another sysplex has the same numbers of another volume's.
    devices.append(devices[0] | others | {"sysplex": "PLEX2", "line": 53})
    row = one_row((yield {"rmf_cache_device": [cached], "rmf_device": devices}), "SELECT * FROM cache_volume_interval")
    assert (row["staged_pct"], row["writes_per_s"], row["read_hit_pct"]) == pytest.approx((4.4, 10.05, 95.1))
    assert (row["device_io_per_s"], row["response_ms"], row["disconnect_ms"]) == (21, 0.4, 0.18)
    assert row["disconnect_per_miss_ms"] == pytest.approx(4.0909, abs=5e-5)
    assert len(row["refs"]) == 2


LINKS = ("rmf_cf_subchannel_activity", "rmf_cf_channel_path")


def test_subchannels_and_reference_off_the_page() -> Asks[None]:
    """SYSA: 9,011K x 5.6 us and 92,714 x 88.4 us in 1,800 s on 40 subchannels; CS5, CL5 and CFP links: nobody knows by which. SYSB: ICP."""
    lake = yield sample_rows("cf_processors_and_subchannels", *LINKS)
    busy = {r["system"]: r["subchannel_busy_pct"] for r in lake.rows("SELECT * FROM cf_link_interval")}
    assert busy == {"SYSA": pytest.approx(0.081469, abs=5e-7), "SYSB": pytest.approx(0.156579, abs=5e-7)}
    rows = {r["system"]: r for r in lake.rows("SELECT * FROM cf_service_reference")}
    a, b = rows["SYSA"], rows["SYSB"]
    assert (a["distance_km"], a["reference_us"], a["above_reference_us"]) == (4.5, None, None)
    assert (b["distance_km"], b["reference_us"], b["above_reference_us"]) == (None, 5, pytest.approx(2.9))
    assert b["of_reference_pct"] == pytest.approx(158)


@pytest.mark.parametrize(
    ("distances", "reference"),
    [(("4.5", "4.5"), 53), (("<1", "<1"), 8), (("<1", "4.5"), None), (("4.5", None), None), ((None, None), 8)],
)
def test_the_reference_of_links_over_a_distance(distances: tuple[str | None, ...], reference: float | None):
    """CS5: 8 us, and 10 us a kilometre."""
    key = heading(system="SYSA", cf_name="CF1")
    link = key | {"link_1_type": "CS5", "link_1_used": 2, "requests": 100, "sync_requests": 100}
    link |= {"sync_service_us": 60.0}
    paths = [key | {"line": n + 10, "distance": distance} for n, distance in enumerate(distances)]
    lake = yield {"rmf_cf_subchannel_activity": [link], "rmf_cf_channel_path": paths}
    assert one_row(lake, "SELECT * FROM cf_service_reference")["reference_us"] == reference


@pytest.mark.parametrize("beside", [{}, {"link_2_type": "CS5", "link_2_used": 1}])
def test_a_link_without_a_reference_has_none(beside: Row):
    """Nor with one beside it that has one."""
    row = heading(system="SYSA", cf_name="CF1", requests=100, sync_requests=100, sync_service_us=7.0, async_requests=0)
    row |= {"link_1_type": "NEW", "link_1_used": 1} | beside
    found = one_row((yield {"rmf_cf_subchannel_activity": [row]}), "SELECT * FROM cf_service_reference")
    assert (found["reference_us"], found["of_reference_pct"], found["sync_service_us"]) == (None, None, 7)


def distribution(minute: int, *counts: int) -> list[Row]:
    """Buckets to 0.5, 1 and 2 s and above of a class period in a minute."""
    named: Row = {"class_kind": "service_class_period", "workload": "W", "service_class": "ONLINE", "period": 1}
    named |= {"system": "SYSA"}
    rows, running = [], 0
    for number, (bound, count) in enumerate(zip((0.5, 1.0, 2.0, None), counts, strict=True)):
        running += count
        row = heading(START + minute * MINUTE, line=10 + 10 * minute + number) | named
        rows.append(
            row | {"upper_bound_s": bound, "transactions": count, "transactions_cumulative": running, "occurrence": 1}
        )
    return rows


def against_load(intervals: list[tuple[int, int]], *, beyond: int = 0) -> Asks[Row]:
    """Intervals of (transactions, of these within 0.5 s), a minute each; the others are within 2 s, or are so many above it."""
    rows = [
        row
        for n, (all_, fast) in enumerate(intervals)
        for row in distribution(n, fast, 0, max(all_ - fast - beyond, 0), min(all_ - fast, beyond))
    ]
    return one_row((yield {"rmf_response_time_distribution": rows}), "SELECT * FROM response_load")


# 10 to 20/s: from 18/s on less than 90% are within 0.5 s.
QUICK = [(600, 600), (720, 700), (840, 800), (960, 900)]
SLOW = [(1080, 900), (1140, 900), (1200, 800)]


def test_the_knee_of_response_times():
    """Ranks of rates 1 to 7, of percentiles 2.5 four times and 6 three times, off their means -3 to 3 and -1.5 and 2: products 9 + 12 = 21, squares 28
    and 21: 21 / sqrt(28 x 21) = sqrt(3/4); x sqrt(6) is 2.12."""
    row = yield from against_load([*SLOW, *QUICK])
    expect(row, intervals=7, least_per_s=10, most_per_s=20, p90_low_s=0.5, p90_high_s=2, growth=4, knee_per_s=18)
    expect(row, rank_correlation=pytest.approx(0.75**0.5), rank_score=pytest.approx(0.75**0.5 * 6**0.5))
    expect(row, null_reason=None)


def test_responses_above_the_last_bound_are_not_left_out():
    """From 1,080 a minute on more than one in ten takes longer than 2 s, nobody knows how long."""
    row = yield from against_load([*SLOW, *QUICK], beyond=150)
    expect(row, intervals=7, most_per_s=20, p90_low_s=0.5, knee_per_s=18, p90_high_s=None, growth=None)
    expect(row, null_reason="at high load above the last bound")


def test_no_knee_where_chance_or_a_bucket_may_make_it() -> AsksSeveral[None]:
    """The highest load as quick; two intervals; and a morning of ten minutes of low and ten of high load, each slower than the last: by the intervals
    0.866 x sqrt(19) = 3.8, but neighbours resemble each other so much that they count for one."""
    morning = [(600 + 10 * n, 600) for n in range(10)] + [(1200 + 10 * n, 600) for n in range(10)]
    lakes = [[*QUICK, *SLOW, (1260, 1260)], [*QUICK, *SLOW[1:]], morning]
    found = yield from each(*map(against_load, lakes))
    assert [row["knee_per_s"] for row in found] == [None] * 3
    assert [row["rank_score"] < 2.054 for row in found] == [True] * 3
    assert [row["growth"] for row in found[1:]] == [4, 4]


@pytest.mark.slow
def test_the_rank_correlation_is_that_of_scipy():
    intervals = [(600 + 37 * n % 400, 500 + 53 * n % 300) for n in range(12)]
    row = yield from against_load([(all_, min(all_, fast)) for all_, fast in intervals])
    slow = [fast < 0.9 * all_ for all_, fast in intervals]
    found: Any = scipy.stats.spearmanr([all_ for all_, _ in intervals], slow)
    theirs = float(found[0])
    assert 0 < theirs < 1
    expect(row, rank_correlation=pytest.approx(theirs, rel=1e-6), rank_score=pytest.approx(theirs * 11**0.5, rel=1e-6))


def test_a_percentile_one_bucket_higher_is_no_knee():
    rows = [row for n, (all_, fast) in enumerate([*QUICK, *SLOW]) for row in distribution(n, fast, all_ - fast, 0, 0)]
    row = one_row((yield {"rmf_response_time_distribution": rows}), "SELECT * FROM response_load")
    expect(row, growth=2, knee_per_s=None, rank_score=pytest.approx(4.5**0.5))


@pytest.mark.parametrize(
    ("intervals", "reason"),
    [([(600, 600)] * 5, "fewer than 6 intervals"), ([(600 + n, 600) for n in range(6)], "load hardly differs")],
)
def test_loads_that_tell_nothing(intervals: list[tuple[int, int]], reason: str):
    row = yield from against_load(intervals)
    assert (row["null_reason"], row["p90_low_s"], row["growth"], row["knee_per_s"]) == (reason, None, None, None)


@pytest.mark.parametrize(("of_type", "kind"), [("XYZ", "other"), (None, None), ("FC_S", "ficon")])
def test_a_channel_path_of_a_type_that_is_not_known(of_type: str | None, kind: str | None):
    row = heading(system="SYSA", channel_path_id="50")
    lake = yield {"rmf_channel_path": [row | {"channel_path_type": of_type}]}
    assert one_row(lake, "SELECT kind FROM channel_path_interval") == {"kind": kind}


def test_synchronous_requests_are_those_of_the_first_print_that_has_some():
    """10 x 0.02 ms a second; the writes of another print are not mixed in, and its rates do not add."""
    row = heading(system="SYSA", device_number="08A10")
    sync = {"reads_per_s": 10.0, "writes_per_s": 0.0, "read_ms": 0.02, "write_ms": None, "async_per_s": 30.0}
    lake = yield {
        "rmf_device": [row | {"is_total": False, "io_per_s": 30.0, "response_ms": 1.0}],
        "rmf_device_synchronous_io": [
            row | {"line": 20, "reads_per_s": None, "writes_per_s": None},
            row | sync | {"line": 21},
            row | sync | {"line": 22, "reads_per_s": 99.0},
        ],
    }
    row = one_row(lake, "SELECT sync_pct, sync_engines, sync_reads_per_s FROM volume_interval")
    assert row == {"sync_pct": 25.0, "sync_engines": pytest.approx(0.0002), "sync_reads_per_s": 10.0}


@pytest.mark.parametrize(
    ("table", "name"),
    [
        ("rmf_cache_subsystem", "cache_interval_s"),
        ("rmf_cache_request", "read_hits"),
        ("rmf_cache_miss", "staged_tracks"),
        (None, ""),
    ],
)
def test_a_second_print_of_a_control_unit_with_another_value_is_told(table: str | None, name: str):
    of = heading(system="SYSA", ssid="1A00", control_unit="B105")
    rows: Row = {"rmf_cache_subsystem": of | {"line": 10, "cache_interval_s": 60.0, "requests": 100}}
    rows |= {"rmf_cache_request": of | {"line": 11, "is_total": True, "reads": 100, "read_hits": 90, "writes": 0}}
    rows |= {"rmf_cache_miss": of | {"line": 12, "category": "NORMAL", "staged_tracks": 5}}
    again = {
        key: row | {"source_id": "s2"} | ({name: row[name] + 1} if key == table else {}) for key, row in rows.items()
    }
    lake = yield {key: [row, again[key]] for key, row in rows.items()}
    row = one_row(lake, "SELECT is_conflicting, read_hit_pct FROM cache_interval")
    assert row == {"is_conflicting": table is not None, "read_hit_pct": 90.0}


@pytest.mark.parametrize("again", [0.9, 0.8])
def test_a_second_print_of_a_volume_of_the_cache_with_another_value_is_told(again: float):
    of = heading(system="SYSA", ssid="1A00", control_unit="B105", volume="DBL001")
    row = of | {"line": 10, "device_number": "8A10", "is_total": False, "io_per_s": 50.0, "read_hit_ratio": 0.9}
    lake = yield {"rmf_cache_device": [row, row | {"source_id": "s2", "read_hit_ratio": again}]}
    found = one_row(lake, "SELECT is_conflicting, read_hit_pct FROM cache_volume_interval")
    assert found == {"is_conflicting": again != 0.9, "read_hit_pct": 90.0}
