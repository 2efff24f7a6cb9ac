"""Channel paths, volumes and caches on the page of a lake: what is busy, what is slower than on the days before, what is not told."""

import datetime as dt
from collections.abc import Sequence

import pytest
from answering import Answering
from ironlake.dashboards.lake_page.facts.asked import Asked
from ironlake.dashboards.lake_page.facts.found import Found
from ironlake.dashboards.lake_page.facts.input_output import caches, channels, volumes
from ironlake.dashboards.lake_page.facts.io_queuing import io_processors, queues
from ironlake.pipeline.status.calendar import Calendar
from ironlake.pipeline.status.coverage import Intervals
from views_lake import Row, heading

FIRST, DAYS = dt.date(2026, 11, 2), 6
LAST = FIRST + dt.timedelta(days=DAYS - 1)


def hour(day: int, at: int = 10, line: int = 1) -> Row:
    """The heading of a page without a service policy, of an hour."""
    start = dt.datetime.combine(FIRST, dt.time(at)) + dt.timedelta(days=day)
    row = {k: v for k, v in heading(start, 3600, line=line).items() if not k.startswith("policy")}
    return row | {"system": "SYSA"}


def asked(**rows: list[Row]) -> Asked:
    return Asked(Answering(**rows), FIRST, LAST, Calendar(Intervals.none()), {"s1": "io.txt"})


def path(day: int, busy: float | None, *, number: str = "3A", kind: str = "FC_S") -> Row:
    return hour(day) | {"channel_path_id": number, "channel_path_type": kind, "busy_pct": busy}


def volume(day: int, rate: float, response: float | None, number: str = "8A10", at: int = 10) -> Row:
    row = {"device_number": number, "volume": f"V{number}", "io_per_s": rate, "response_ms": response}
    return hour(day, at) | row | {"is_total": False}


def cache(day: int, hits: int, delayed: int = 0, *, per_s: int = 100) -> tuple[Row, Row]:
    """Reads of which `hits` in 100 hit, and as many writes, of which some are delayed."""
    unit = hour(day) | {"ssid": "8A01", "control_unit": "8A04", "cache_interval_s": 3600.0}
    reads = 3600 * per_s
    counts = {"reads": reads, "read_hits": reads * hits // 100, "reads_per_s": float(per_s), "is_total": True}
    counts |= {"writes": reads, "write_hits": reads, "writes_per_s": float(per_s)}
    return unit | {"requests": 2 * reads, "dfw_bypass": delayed}, unit | counts


def of_caches(days: Sequence[tuple[Row, Row]]) -> Found:
    units, requests = zip(*days, strict=True)
    return caches(asked(rmf_cache_subsystem=list(units), rmf_cache_request=list(requests)))


def sentences(found: Found) -> list[str]:
    return [one.happened.sentence for one in found.happened]


@pytest.fixture(scope="module")
def busy() -> Found:
    """A FICON path is busy on the first and on the last day, and a link to a coupling facility on the last."""
    rows = [path(day, busy) for day, busy in enumerate((70.0, 20.0, 20.0, None, 20.0, 61.5))]
    return channels(asked(rmf_channel_path=[*rows, path(5, 80.0, number="E0", kind="CS5"), path(5, None, number="F4")]))


def test_a_busy_path_of_the_last_day_is_told(busy: Found) -> None:
    assert sentences(busy) == ["Channel path 3A on SYSA was 62% busy on Sat 7 Nov, 10:00; 1 hour of 50% or more."]
    (told,) = busy.happened
    assert (told.happened.source, told.happened.select.system) == ("io.txt, page 1, line 1", "SYSA")
    assert told.happened.select.from_s == (5 * 24 + 10) * 3600


def test_a_path_without_a_value_has_no_row_and_an_hour_without_one_has(busy: Found) -> None:
    (section,) = busy.sections
    assert section.finding == "Busiest: E0 on SYSA, 80.0% on Sat 7 Nov, 10:00."
    assert list(zip(section.rows.of("label"), section.rows.of("busy_pct"), strict=True)) == [
        *(("3A on SYSA", value) for value in (70.0, 20.0, 20.0, None, 20.0, 61.5)),
        ("E0 on SYSA", 80.0),
    ]


def test_twenty_of_many_paths_are_shown_and_all_are_judged() -> None:
    rows = [path(5, 50.0 + n, number=f"{n:02X}") for n in range(25)]
    found = channels(asked(rmf_channel_path=rows))
    assert set(found.sections[0].rows.of("busy_pct")) == {55.0 + n for n in range(20)}
    assert found.sections[0].note.startswith("The 20 highest of 25 channel paths. ")
    assert len(found.happened) == 25


def test_a_volume_with_more_in_progress_than_ever_is_told() -> None:
    """500/s of 1 ms are 0.5 in progress on five days, then 500/s of 4 ms; another volume is as it was."""
    rows = [volume(day, 500, 4.0 if day == 5 else 1.0) for day in range(DAYS)]
    rows += [volume(day, 900, 4.0, "8A11") for day in range(DAYS)]
    found = volumes(asked(rmf_device=rows))
    assert sentences(found) == [
        "V8A10 8A10 on SYSA: 2.00 requests in progress on Sat 7 Nov, 10:00, usually 0.50 at most; response time 4.000 ms."
    ]
    assert found.happened[0].happened.new
    assert found.sections[0].finding.startswith(
        "Most: V8A11 8A11 on SYSA, 3.60 requests in progress on Mon 2 Nov, 10:00"
    )


@pytest.mark.parametrize(
    "rows",
    [
        [volume(day, 500, 4.0 if day == 5 else 1.0) for day in (2, 3, 4, 5)],
        [volume(day, 500, 4.0 if day in (0, 5) else 1.0) for day in range(DAYS)],
        [volume(day, 100, 4.0 if day == 5 else 1.0) for day in range(DAYS)],
        [volume(day, 500, 1.4 if day == 5 else 1.0) for day in range(DAYS)],
        [*(volume(d, 500, 4.0 if d == 5 else 1.0) for d in range(1, 6)), volume(1, 500, None, at=11)],
    ],
    ids=["three earlier days", "as much before", "little in progress", "a little more", "a day with an unknown hour"],
)
def test_what_is_no_news_of_a_volume_is_not_told(rows: list[Row]) -> None:
    found = volumes(asked(rmf_device=rows))
    assert found.sections
    assert not found.happened


def test_a_falling_hit_ratio_is_told_by_its_misses() -> None:
    """1% misses, then 2%."""
    found = of_caches([cache(day, 98 if day == 5 else 99) for day in range(DAYS)])
    assert sentences(found) == [
        "Cache of 8A04 (SSID 8A01) on SYSA: 98.0% of the reads hit on Sat 7 Nov, usually 99.0%."
    ]
    assert found.sections[0].finding == "Most: 8A04 (SSID 8A01) on SYSA, 2.0% of its reads on Sat 7 Nov, 10:00."


def test_of_few_reads_no_ratio_is_told() -> None:
    assert not of_caches([cache(day, 98 if day == 5 else 99, per_s=9) for day in range(DAYS)]).happened


def test_writes_without_storage_are_told_from_the_limit_on() -> None:
    """1% of 360,000 writes."""
    found = of_caches([cache(day, 99, 3600 if day == 5 else 0) for day in range(DAYS)])
    (told,) = sentences(found)
    assert told.endswith("1.0% of the writes found no non-volatile storage on Sat 7 Nov, 10:00; 1 hour of 1% or more.")
    assert not of_caches([cache(day, 99, 3599 if day == 5 else 0) for day in range(DAYS)]).happened


def test_of_hours_that_are_written_alike_the_first_is_told() -> None:
    """61.46 at 09:00 and 61.54 at 10:00 are both 61.5% in the table and in the picture, which marks the first."""
    rows = [path(5, 61.46) | hour(5, 9), path(5, 61.54)]
    found = channels(asked(rmf_channel_path=rows))
    assert found.sections[0].finding == "Busiest: 3A on SYSA, 61.5% on Sat 7 Nov, 09:00."
    assert sentences(found) == ["Channel path 3A on SYSA was 61% busy on Sat 7 Nov, 09:00; 2 hours of 50% or more."]


def group(day: int, delay: float | None, waits: float, per_s: float = 1000.0, number: str = "01") -> Row:
    row = {"alias_group": number, "channel_path_id": "3A", "is_total": False, "taken_per_s": per_s}
    row |= {"contention_per_s": 1.0, "delay_queue_length_avg": 0.05, "alias_wait_per_request": waits}
    return hour(day, line=day) | row | {"channel_subsystem_delay_ms": delay}


def test_requests_that_wait_are_rate_by_delay_and_waits_for_aliases_are_told() -> None:
    """1,000/s of 2.5 ms are 2.5 requests; of 9/s nobody is told, nor of earlier days."""
    rows = [group(4, 9.0, 0.5), group(5, 2.5, 0.25), group(5, 2.5, 0.25, 9.0, "02"), group(5, 2.5, 0.09, number="03")]
    found = queues(asked(rmf_io_queue=rows))
    assert found.sections[0].finding == (
        "Most: AMG 01 on SYSA, 9.00 requests waiting in the channel subsystem on Fri 6 Nov, 10:00."
    )
    assert sentences(found) == [
        "AMG 01 on SYSA: 0.25 waits for an alias per request on Sat 7 Nov, 10:00; 1 hour of 0.1 or more."
    ]
    assert found.happened[0].happened.source == "io.txt, page 1, line 5"
    assert found.sections[0].rows.of("contention_pct") == [0.1, 0.1, 11.111, 0.1]


def test_where_no_request_waits_nothing_is_named() -> None:
    (section,) = queues(asked(rmf_io_queue=[group(5, 0.0, 0.0)])).sections
    assert section.finding == "Fewer than 0.01 requests waited in the channel subsystem anywhere."
    assert queues(asked(rmf_io_queue=[group(5, None, 0.0)])) == Found()


def test_the_busiest_io_processor_is_named() -> None:
    rows = [hour(day) | {"io_processor": f"0{day}", "busy_pct": 10.0 + day, "is_total": False} for day in (4, 5)]
    (section,) = io_processors(asked(rmf_io_processor=rows)).sections
    assert section.finding == "Busiest: I/O processor 05 on SYSA, 15.0% on Sat 7 Nov, 10:00."
    assert section.rows.of("system_label") == ["SYSA", "SYSA"]


def test_a_lake_without_such_reports_has_no_such_sections() -> None:
    nothing = asked()
    assert channels(nothing) == volumes(nothing) == caches(nothing) == Found()
    assert queues(nothing) == io_processors(nothing) == Found()
