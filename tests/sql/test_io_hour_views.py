"""Channel paths, volumes and caches by clock hour: means by time and by requests, what is unknown, and what is left out. Worked by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from one_lake import Found, Rows, examples, shown
from views_lake import START, Row, heading, one_row, span

approx = pytest.approx

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
    assert [(row["covered_s"], row[RATE[view]]) for row in rows] == [
        (1800, approx(20)),
        (900, approx(40)),
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


@examples(
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
def test_hours(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)


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
