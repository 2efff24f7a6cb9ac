"""Channel paths, volumes and caches by clock hour: means by time and by requests, what is unknown, and what is left out. Worked by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from one_lake import Rows
from views_lake import START, Row, expect, heading, one_row, span

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
UNIT = ("ssid", "control_unit", "dfw_bypass", "cache_interval_s")


def cache(minute: float, seconds: float = 900, /, value: float | None = 10.0, **other: object) -> Rows:
    """A control unit of `value` reads per second, of which one misses, and as many writes, which all hit."""
    page = _page(minute, seconds) | {"ssid": "8A01", "control_unit": "8A04"}
    count = None if value is None else value * seconds
    counts = {"reads": count, "read_hits": None if count is None else count - seconds, "writes": count}
    counts |= {"write_hits": count, "reads_per_s": value, "writes_per_s": value, "is_total": True}
    unit = page | {"cache_interval_s": seconds, "dfw_bypass": 0}
    keys = {k: v for k, v in other.items() if k in unit}
    return {
        "rmf_cache_subsystem": [unit | keys],
        "rmf_cache_request": [page | {k: v for k, v in keys.items() if k not in UNIT[2:]} | counts | other_of(other)],
    }


def other_of(other: dict[str, object]) -> dict[str, object]:
    """What is not of the line of the control unit alone."""
    return {k: v for k, v in other.items() if k not in UNIT[2:]}


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
    assert [row[RATE[view]] for row in rows] == pytest.approx([(1800 * 20 + 600 * 60) / 2400] * 2)


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
    assert [row[RATE[view]] for row in rows] == [*map(pytest.approx, (20, 35, 30)), None]


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
    assert [(row["covered_s"], row[RATE[view]]) for row in rows] == [
        (1800, pytest.approx(20)),
        (900, pytest.approx(40)),
    ]
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
    assert (row["hour_start"], row["covered_s"], row[RATE[view]]) == (START, 900, pytest.approx(20))
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
    first = [
        make(0, 900, 90.0, line=11, **{lost: None}),
        make(15, 900, 40.0, line=12, **high),
        make(30, 900, 30.0, line=13),
    ]
    none = [make(0, 900, None, line=11), make(15, 900, None, line=12), make(30, 900, 0.0, line=13, **high)]
    equal = [make(15, 900, 40.0, line=12), make(0, 900, 40.0, line=11)]
    lakes = yield [together(*pages) for pages in (first, none, equal)]
    refs = [one_row(lake, f"SELECT refs FROM {view}")["refs"] for lake in lakes]
    assert [{ref["line"] for ref in found} for found in refs] == [{12}, {13}, {11}]


def test_channel_paths_are_means_by_time():
    """900 s of the first and 300 s of the other: three quarters and one."""
    first = dict(zip(MEASURES["channel_path_hour"], (10.0, 4.0, 20.0, 100.0, 8.0), strict=True))
    other = dict(zip(MEASURES["channel_path_hour"], (30.0, 8.0, 40.0, 300.0, 16.0), strict=True))
    row = one_row((yield together(path(0, 900, **first), path(15, 300, **other))), "FROM channel_path_hour")
    assert [row[name] for name in MEASURES["channel_path_hour"]] == pytest.approx([15, 5, 25, 150, 10])
    assert (row["kind"], row["hour_start"], row["covered_s"], row["busy_max_pct"]) == ("ficon", START, 1200, 30)


@pytest.mark.parametrize("name", MEASURES["channel_path_hour"])
def test_a_measure_of_a_path_that_is_unknown_once_is_unknown(name: str):
    """And no other measure."""
    lake = yield together(path(0, **ALL_OF_PATH), path(15, 900, 10.0, **ALL_OF_PATH | {name: None}))
    row = one_row(lake, "FROM channel_path_hour")
    assert [other for other in MEASURES["channel_path_hour"] if row[other] is None] == [name]


@pytest.mark.parametrize(("of_type", "kind"), [("FC_S", "ficon"), (None, "ficon"), ("OSD", None)])
def test_the_kind_is_that_of_all_intervals(of_type: str | None, kind: str | None):
    lake = yield together(path(0), path(15, channel_path_type=of_type))
    assert one_row(lake, "SELECT kind FROM channel_path_hour") == {"kind": kind}


def test_times_of_volumes_are_means_by_requests():
    """600 s of 100/s of 1 ms, 1,200 s of 400/s of 4 ms, and 600 s of none: (600 x 0.1 + 1,200 x 1.6) / 2,400 = 0.825 in progress, 225/s, so
    3.667 ms. Of the parts .1, .2, .3 and .4 of it."""
    parts = dict(zip(TIMES, (0.1, 0.2, 0.3, 0.4), strict=True))
    lake = yield together(
        volume(0, 600, 100.0, **parts),
        volume(10, 1200, 400.0, response_ms=4.0, **{name: 4 * value for name, value in parts.items()}),
        volume(30, 600, 0.0, response_ms=None, **dict.fromkeys(TIMES)),
    )
    row = one_row(lake, "FROM volume_hour")
    assert (row["volume"], row["covered_s"], row["io_per_s"]) == ("DBL001", 2400, pytest.approx(225))
    assert (row["io_in_progress"], row["response_ms"]) == pytest.approx((0.825, 1000 * 0.825 / 225))
    assert [row[name] / row["response_ms"] for name in TIMES] == pytest.approx([0.1, 0.2, 0.3, 0.4])


@pytest.mark.parametrize("name", TIMES)
def test_a_part_of_the_response_time_that_is_unknown_once_is_unknown(name: str):
    """And no other."""
    row = one_row((yield together(volume(0), volume(15, 900, 10.0, **{name: None}))), "FROM volume_hour")
    assert [other for other in MEASURES["volume_hour"] if row[other] is None] == [name]


@pytest.mark.parametrize(
    ("lost", "unknown"),
    [({"response_ms": None}, {"io_in_progress", "response_ms"}), ({"io_per_s": None}, set(MEASURES["volume_hour"]))],
)
def test_requests_of_a_volume_that_are_unknown_once_are_unknown(lost: Row, unknown: set[str]):
    row = one_row((yield together(volume(0), volume(15, **lost))), "FROM volume_hour")
    assert {name for name in MEASURES["volume_hour"] if row[name] is None} == unknown


def test_a_volume_without_requests_has_no_times():
    row = one_row((yield together(volume(0, value=0.0), volume(15, value=0.0))), "FROM volume_hour")
    assert (row["io_per_s"], row["io_in_progress"]) == (0, 0)
    assert {row[name] for name in ("response_ms", *TIMES)} == {None}


@pytest.mark.parametrize("name", ["DBL002", None])
def test_a_volume_that_changed_has_no_name(name: str | None):
    lake = yield together(volume(0), volume(15, volume=name))
    assert one_row(lake, "SELECT volume, io_per_s FROM volume_hour") == {"volume": None, "io_per_s": 10.0}


def counts(seconds: int, reads: float, read_misses: float, writes: float, write_misses: float) -> Row:
    """So many per second."""
    row = {"reads": reads, "read_hits": reads - read_misses, "writes": writes, "write_hits": writes - write_misses}
    return {name: seconds * value for name, value in row.items()} | {"reads_per_s": reads, "writes_per_s": writes}


def test_caches_are_means_by_time():
    """600 s of 100 reads/s of which 10 miss, 50 writes/s of which 1; 1,200 s of 400 and 40, 200 and 4. 30 and 480 writes wait for storage."""
    lake = yield together(
        cache(0, 600, dfw_bypass=30, **counts(600, 100, 10, 50, 1)),
        cache(10, 1200, dfw_bypass=480, **counts(1200, 400, 40, 200, 4)),
    )
    row = one_row(lake, "FROM cache_hour")
    assert (row["covered_s"], row["reads_per_s"], row["writes_per_s"]) == pytest.approx((1800, 300, 150))
    assert (row["read_misses_per_s"], row["write_misses_per_s"]) == pytest.approx((30, 3))
    assert (row["read_hit_pct"], row["write_hit_pct"]) == pytest.approx((90, 98))
    assert row["delayed_writes_pct"] == pytest.approx(100 * 510 / 270_000)


def test_few_reads_are_not_less_than_their_misses():
    """44 reads in 900 s are printed as 0.0 a second, 46 as 0.1; all but nine missed: a tenth hit."""
    few = {"reads": 44, "read_hits": 0, "reads_per_s": 0.0, "writes": 44, "write_hits": 0, "writes_per_s": 0.0}
    more = {"reads": 46, "read_hits": 9, "reads_per_s": 0.1, "writes": 46, "write_hits": 9, "writes_per_s": 0.1}
    row = one_row((yield together(cache(0, dfw_bypass=44, **few), cache(15, dfw_bypass=46, **more))), "FROM cache_hour")
    assert (row["read_hit_pct"], row["write_hit_pct"], row["delayed_writes_pct"]) == pytest.approx((10, 10, 100))
    assert (row["reads_per_s"], row["writes_per_s"]) == pytest.approx((0.05, 0.05))


@pytest.mark.parametrize(
    ("lost", "unknown"),
    [
        ("reads", {"reads_per_s", "read_misses_per_s", "read_hit_pct"}),
        ("read_hits", {"read_misses_per_s", "read_hit_pct"}),
        ("writes", {"writes_per_s", "write_misses_per_s", "write_hit_pct", "delayed_writes_pct"}),
        ("write_hits", {"write_misses_per_s", "write_hit_pct"}),
        ("dfw_bypass", {"delayed_writes_pct"}),
    ],
)
def test_a_count_that_is_unknown_once_is_unknown(lost: str, unknown: set[str]):
    row = one_row((yield together(cache(0), cache(15, 900, 10.0, **{lost: None}))), "FROM cache_hour")
    assert {name for name, value in row.items() if value is None} - {"sysplex", "utc_offset_minutes"} == unknown


def test_a_cache_without_reads_and_writes_has_no_shares():
    lake = yield together(cache(0, **counts(900, 0, 0, 0, 0)), cache(15, **counts(900, 0, 0, 0, 0)))
    row = one_row(lake, "FROM cache_hour")
    expect(row, reads_per_s=0, writes_per_s=0, read_misses_per_s=0, write_misses_per_s=0, read_hit_pct=None)
    expect(row, write_hit_pct=None, delayed_writes_pct=None)


def test_an_interval_without_writes_has_none_that_waited():
    lake = yield together(cache(0, **counts(900, 10, 1, 0, 0)), cache(15, dfw_bypass=90, **counts(900, 10, 1, 10, 1)))
    assert one_row(lake, "SELECT delayed_writes_pct FROM cache_hour") == {"delayed_writes_pct": pytest.approx(1)}


def test_queues_are_means_by_time_and_delays_by_requests():
    """600 s of 100/s, 1,200 s of 400/s, 600 s of none: 225/s, a ninth of the requests in the first. 4 and 16 ms are 14.667 ms, and (600 x 0.4 +
    1,200 x 6.4) / 2,400 = 3.3 requests. 1/s and 8/s put on the queue are 4.25/s; 0.5 and 2 on it 1.125."""
    first = dict(zip(OF_QUEUE, (1.0, 0.5, 0.9, 1.8, 4.0, 0.9, 0.18, 0.09), strict=True))
    other = dict(zip(OF_QUEUE, (8.0, 2.0, 9.9, 2.7, 16.0, 1.8, 0.36, 0.27), strict=True))
    lake = yield together(
        queue(0, 600, 100.0, aliases_max=3, **first),
        queue(10, 1200, 400.0, aliases_max=7, **other),
        queue(30, 600, 0.0, aliases_max=0, **dict.fromkeys(OF_QUEUE) | dict.fromkeys(OF_QUEUE[:2], 0.0)),
    )
    row = one_row(lake, "FROM io_queue_hour")
    assert (row["kind"], row["unit"], row["covered_s"], row["io_per_s"]) == ("lcu", "0041", 2400, pytest.approx(225))
    assert (row["contention_per_s"], row["delay_queue_length_avg"]) == pytest.approx((4.25, 1.125))
    assert row["contention_pct"] == pytest.approx(100 * 4.25 / 225)
    assert (row["channel_subsystem_requests"], row["aliases_max"]) == (pytest.approx(3.3), 7)
    assert [row[name] for name in OF_QUEUE[2:]] == pytest.approx([8.9, 2.6, 44 / 3, 1.7, 0.34, 0.25])


@pytest.mark.parametrize("name", [*OF_QUEUE, "aliases_max"])
def test_a_measure_of_a_queue_that_is_unknown_once_is_unknown(name: str):
    row = one_row((yield together(queue(0), queue(15, 900, 10.0, **{name: None}))), "FROM io_queue_hour")
    made = {"contention_per_s": {"contention_pct"}, "channel_subsystem_delay_ms": {"channel_subsystem_requests"}}
    assert {other for other in MEASURES["io_queue_hour"] if row[other] is None} == {name} | made.get(name, set())


def test_a_queue_without_requests_has_no_delay():
    row = one_row((yield together(queue(0, value=0.0), queue(15, value=0.0))), "FROM io_queue_hour")
    assert (row["io_per_s"], row["contention_per_s"], row["channel_subsystem_requests"]) == (0, 0, 0)
    assert {row[name] for name in ("contention_pct", *OF_QUEUE[2:])} == {None}


def test_the_refs_of_a_queue_are_those_of_most_requests_in_the_channel_subsystem():
    """40 requests a second that wait 1 ms are fewer at a time than 10 that wait 9 ms."""
    lake = yield together(queue(0, 900, 40.0, line=11), queue(15, 900, 10.0, line=12, channel_subsystem_delay_ms=9.0))
    assert [ref["line"] for ref in one_row(lake, "SELECT refs FROM io_queue_hour")["refs"]] == [12]


def test_a_unit_and_a_group_of_one_number_are_apart():
    lake = yield together(queue(0), queue(0, lcu=None, alias_group="0041"))
    rows = lake.rows("SELECT kind, covered_s FROM io_queue_hour ORDER BY kind")
    assert [tuple(row.values()) for row in rows] == [("alias_group", 900), ("lcu", 900)]


def test_processors_are_means_by_time_and_retries_by_requests():
    """900 s of 100 requests started per second, and 300 s of 300: as many. The line of all processors is none."""
    first = dict(zip(OF_PROCESSOR, (110.0, 0.2, 100.0, 40.0, 0.1), strict=True))
    other = dict(zip(OF_PROCESSOR, (310.0, 0.6, 300.0, 80.0, 0.3), strict=True))
    lake = yield together(
        processor(0, 900, 10.0, **first),
        processor(15, 300, 30.0, **other),
        processor(0, 900, 99.0, io_processor=None, is_total=True),
    )
    row = one_row(lake, "FROM io_processor_hour")
    assert (row["covered_s"], row["busy_pct"], row["busy_max_pct"]) == (1200, pytest.approx(15), 30)
    assert [row[name] for name in OF_PROCESSOR] == pytest.approx([160, 0.3, 150, 50, 0.2])


@pytest.mark.parametrize("name", MEASURES["io_processor_hour"])
def test_a_measure_of_a_processor_that_is_unknown_once_is_unknown(name: str):
    row = one_row((yield together(processor(0), processor(15, 900, 10.0, **{name: None}))), "FROM io_processor_hour")
    made = {"started_per_s": {"retries_per_request"}}
    assert {other for other in MEASURES["io_processor_hour"] if row[other] is None} == {name} | made.get(name, set())
