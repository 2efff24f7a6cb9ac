"""What is beyond a limit on the last day of a lake's page, and what is not told: processors, coupling facilities, input and output, XCF, delays and
response times."""

import datetime as dt
from collections.abc import Sequence

import pytest
from ironlake.dashboards.lake_page.asked import Asked
from ironlake.dashboards.lake_page.facts.caches import caches
from ironlake.dashboards.lake_page.facts.channels import channels
from ironlake.dashboards.lake_page.facts.dispatch import dispatch
from ironlake.dashboards.lake_page.facts.goal_delays import goal_delays
from ironlake.dashboards.lake_page.facts.goals import goals
from ironlake.dashboards.lake_page.facts.io_processors import io_processors
from ironlake.dashboards.lake_page.facts.link_service import link_service
from ironlake.dashboards.lake_page.facts.links import links
from ironlake.dashboards.lake_page.facts.littles_law import littles_law
from ironlake.dashboards.lake_page.facts.machines import machines
from ironlake.dashboards.lake_page.facts.messages import messages
from ironlake.dashboards.lake_page.facts.overflow import overflow
from ironlake.dashboards.lake_page.facts.partitions import partitions
from ironlake.dashboards.lake_page.facts.paths import paths
from ironlake.dashboards.lake_page.facts.queues import queues
from ironlake.dashboards.lake_page.facts.response import response
from ironlake.dashboards.lake_page.facts.response_load import response_load
from ironlake.dashboards.lake_page.facts.storage import storage
from ironlake.dashboards.lake_page.facts.volumes import volumes
from ironlake.dashboards.lake_page.found import Found
from lake_facts import FIRST, LAST, asked, hour, sentences
from one_lake import Asks
from rmf_rows import service_class
from views_lake import Row, heading


def processors(day: int, at: int = 10, **other: object) -> Row:
    return hour(day, at, sysplex=None, system="SYSA", source_form="print") | other


def shared(
    day: int, own: float | None, other: float, *, at: int = 10, system: str = "SYSA", **more: object
) -> list[Row]:
    """A machine of 4 CPs that the system's own partition and LPB share by 100 and 300: 1 and 3."""
    page = processors(day, at, system=system) | {"mvs_partition": f"LP{system}", "processor_type": "CP"}
    page |= {"is_total": False}
    page |= {"dedicated": False, "physical_processors_cp": 4.0, "capping_wlm_pct": 0.0, "logical_processors": 4.0}
    rows = ((f"LP{system}", 100.0, own), ("LPB", 300.0, other), ("*PHYSICAL*", None, 0.0))
    return [
        page | {"partition": name, "weight": weight, "line": 10 + n}
        | dict.fromkeys(("total_dispatch", "effective_dispatch"), used if used is None else used * 3600) | more
        for n, (name, weight, used) in enumerate(rows)
    ]  # fmt: skip


def ready(
    day: int, mvs: float | None, lpar: float | None, *, engines: int = 4, at: int = 10, system: str = "SYSA"
) -> list[Row]:
    return [
        processors(
            day, at, system=system, processor_type="CP", processor_id=str(n), thread=0, is_total=False, line=30 + n
        )
        | {"online_pct": 100.0, "parked_pct": 0.0, "mvs_busy_pct": mvs, "lpar_busy_pct": lpar, "sequence_code": "0123"}
        for n in range(engines)
    ]


def test_a_partition_far_beyond_its_entitlement_is_told() -> Asks[None]:
    """1 engine by weight: 1.6 and 2.4 on the last day, 3 on the day before."""
    rows = [*shared(0, 3.0, 1.0), *shared(1, 1.6, 1.0), *shared(1, 2.4, 1.0, at=11), *shared(1, 1.4, 1.0, at=12)]
    found = partitions((yield from asked(rmf_partition_data=rows)))
    assert sentences(found) == [
        "LPSYSA CP used 2.40 engines on Tue 3 Nov, 11:00, 240% of the 1.00 that its weight gives; 2 hours of that day"
        " with at least 150% of the entitlement and at least 0.5 engines beyond it."
    ]
    assert found.happened[0].happened.source == "one.txt, page 1, line 10"
    (section,) = found.sections
    assert section.finding == "Most: LPSYSA CP, 300% of 1.00 engines on Mon 2 Nov, 10:00."
    # What the page prints of others is theirs to tell.
    assert set(section.rows.of("label")) == {"LPSYSA CP"}
    assert section.rows.of("entitled_engines") == [1, 1, 1, 1]


def test_the_section_names_the_most_of_all_and_shows_it() -> Asks[None]:
    """Twenty partitions use 3 engines of one, 300%; another 0.9 of 0.2, 450%, which is not among the twenty that use most."""
    rows = [row for n in range(20) for row in shared(1, 3.0, 1.0, system=f"S{n:02}")]
    small = shared(1, 0.9, 1.0, system="SMALL")
    small[0] |= {"logical_processors": 0.2}
    (section,) = partitions((yield from asked(rmf_partition_data=[*rows, *small]))).sections
    assert section.finding == "Most: LPSMALL CP, 450% of 0.20 engines on Tue 3 Nov, 10:00."
    assert section.note.startswith("The 20 highest of 21 partitions and types, and LPSMALL CP. ")
    assert "LPSMALL CP" in section.rows.of("label")


def test_without_physical_processors_no_entitlement_is_told() -> Asks[None]:
    found = partitions((yield from asked(rmf_partition_data=shared(1, 3.0, 1.0, physical_processors_cp=None))))
    assert found.sections[0].finding == "What weights give is not known."
    assert found.sections[0].rows.of("entitled_engines") == [None]
    assert not found.happened


def test_a_busy_machine_is_told_once_whichever_systems_print_it() -> Asks[None]:
    """3.6 of 4 engines; SYSC is on a machine whose CPU Activity is not there, half busy."""
    rows = shared(1, 1.6, 2.0) + shared(1, 1.6, 2.0, system="SYSB") + shared(1, 1.0, 1.0, system="SYSC")
    pages = ready(1, 50.0, 50.0) + ready(1, 50.0, 50.0, system="SYSB")
    found = machines((yield from asked(rmf_partition_data=rows, rmf_cpu_activity=pages)))
    assert sentences(found) == [
        "Machine 0123, CP: 90.0% of the physical processors busy on Tue 3 Nov, 10:00; 1 hour of that day with at least 90%."
    ]
    (section,) = found.sections
    assert section.finding == "Busiest: Machine 0123, 90.0% of 4.0 CP on Tue 3 Nov, 10:00."
    names = ("label", "systems", "physical_busy_pct")
    assert list(zip(*map(section.rows.of, names), strict=True)) == [
        ("Machine 0123", "SYSA,SYSB", 90),
        ("Machine of SYSC", "SYSC", 50),
    ]


def test_dedicated_processors_alone_are_no_busy_machine() -> Asks[None]:
    rows = shared(1, 2.0, 2.0, dedicated=True, logical_processors=2.0, weight=None)
    assert machines((yield from asked(rmf_partition_data=rows))) == Found()


def test_work_that_waits_is_told() -> Asks[None]:
    """80% of 4 ready and 60 dispatched: 0.8 of 3.2. On one engine it is 0.2; on the day before half."""
    rows = ready(1, 80.0, 60.0) + ready(1, 90.0, 72.0, at=11) + ready(0, 80.0, 40.0)
    rows += ready(1, 80.0, 60.0, engines=1, system="SYSB") + ready(1, None, 60.0, at=12)
    found = dispatch((yield from asked(rmf_cpu_activity=rows)))
    assert sentences(found) == [
        "SYSA CP: 25% of the ready work waited for a physical processor on Tue 3 Nov, 10:00, 0.80 of 3.20 engines; 2 hours of that day"
        " with at least 20% of the ready work and at least 0.5 engines waiting."
    ]
    (section,) = found.sections
    assert section.finding == "Most: SYSA CP, 50.0% of 3.20 engines of ready work on Mon 2 Nov, 10:00."
    assert section.rows.of("ready_engines") == [3.2, 3.2, 3.6, None, 0.8]


@pytest.mark.parametrize(
    ("lpar", "said"),
    [
        (79.99, "Less than 0.1% of the ready work waited."),
        (80.01, "Less than 0.1% of the ready work waited."),
        (None, "What was dispatched is not known."),
    ],
)
def test_where_nothing_waits_or_is_known_nothing_is_named(lpar: float | None, said: str) -> Asks[None]:
    """0.01 of 80; rounding can make it less than nothing."""
    assert dispatch((yield from asked(rmf_cpu_activity=ready(1, 80.0, lpar)))).sections[0].finding == said


def link(day: int, per_s: int, us: float, at: int = 10, **other: object) -> Row:
    """Synchronous requests over CS5, of which 8 us are expected, on 2 subchannels."""
    count = per_s * 3600
    row = hour(
        day, at, cf_name="CF1", system="SYSA", link_1_type="CS5", link_1_used=2, link_2_type="SUBCH", link_2_used=2
    )
    row |= {"requests": count, "requests_per_s": float(per_s), "sync_requests": count, "sync_service_us": us}
    return row | {"async_requests": 0, "path_busy": 0, "changed_requests": 0, "delayed_total_pct": 0.0} | other


def test_of_links_without_a_reference_nothing_is_expected() -> Asks[None]:
    found = link_service((yield from asked(rmf_cf_subchannel_activity=[link(1, 10_000, 99.0, link_1_type="XX")])))
    assert found.sections[0].finding == "What their links let expect is not known."
    assert found.sections[0].rows.of("reference_us") == [None]
    assert not found.happened


def kept(day: int, available: int, reclaims: int | None) -> dict[str, list[Row]]:
    cache = {"structure_name": "DSN_GBP1", "structure_type": "CACHE", "is_total": False, "allocated_bytes": 100}
    cache |= {"directory_reclaims": reclaims, "directory_reclaim_cross_invalidations": reclaims, "line": 30}
    return {
        "rmf_cf_usage": [
            hour(day, cf_name="CF1") | {"total_storage_bytes": 1000, "available_storage_bytes": available}
        ],
        "rmf_cf_structure_summary": [hour(day, cf_name="CF1") | cache],
    }


@pytest.mark.parametrize(
    ("before", "last", "said", "told"),
    [
        (7, 1200, "1,207 reclaimed directory entries are printed.", "1,200 pages became invalid"),
        (7, 0, "7 reclaimed directory entries are printed.", ""),
        (None, 0, "No reclaimed directory entry is printed.", ""),
        (None, None, "Reclaims are not known.", ""),
    ],
)
def test_reclaims_of_the_last_day_are_told(before: int | None, last: int | None, said: str, told: str) -> Asks[None]:
    days = (kept(0, 400, before), kept(1, 500, last))
    found = storage((yield from asked(**{name: [row for day in days for row in day[name]] for name in days[0]})))
    assert found.sections[0].finding == f"Fullest: CF1, 60.0% used on Mon 2 Nov, 10:00. {said}"
    assert [told in sentence for sentence in sentences(found)] == [True] * bool(told)


DAYS = 6


def of_system(day: int, at: int = 10, line: int = 1) -> Row:
    return hour(day, at, system="SYSA", line=line)


def of_six_days(**rows: list[Row]) -> Asks[Asked]:
    return asked(FIRST + dt.timedelta(days=DAYS - 1), **rows)


def channel(day: int, busy: float | None, *, number: str = "3A", kind: str = "FC_S") -> Row:
    return of_system(day) | {"channel_path_id": number, "channel_path_type": kind, "busy_pct": busy}


def volume(day: int, rate: float, response: float | None, number: str = "8A10", at: int = 10) -> Row:
    row = {"device_number": number, "volume": f"V{number}", "io_per_s": rate, "response_ms": response}
    return of_system(day, at) | row | {"is_total": False}


def cache(day: int, hits: int, *, per_s: int = 100) -> tuple[Row, Row]:
    """Reads of which `hits` in 100 hit, and as many writes."""
    unit = of_system(day) | {"ssid": "8A01", "control_unit": "8A04", "cache_interval_s": 3600.0}
    reads = 3600 * per_s
    counts = {"reads": reads, "read_hits": reads * hits // 100, "reads_per_s": float(per_s), "is_total": True}
    counts |= {"writes": reads, "write_hits": reads, "writes_per_s": float(per_s)}
    return unit | {"requests": 2 * reads, "dfw_bypass": 0}, unit | counts


def of_caches(days: Sequence[tuple[Row, Row]]) -> Asks[Found]:
    units, requests = zip(*days, strict=True)
    return caches((yield from of_six_days(rmf_cache_subsystem=list(units), rmf_cache_request=list(requests))))


def test_a_busy_path_of_the_last_day_is_told() -> Asks[None]:
    """A FICON path is busy on the first and on the last day, and a link to a coupling facility on the last. A path without a value has no row, an
    hour without one has."""
    rows = [channel(day, busy) for day, busy in enumerate((70.0, 20.0, 20.0, None, 20.0, 61.5))]
    rows += [channel(5, 80.0, number="E0", kind="CS5"), channel(5, None, number="F4")]
    busy = channels((yield from of_six_days(rmf_channel_path=rows)))
    assert sentences(busy) == [
        "FICON channel path 3A on SYSA was 62% busy on Sat 7 Nov, 10:00; 1 hour of that day with at least 50%."
    ]
    (told,) = busy.happened
    assert (told.happened.source, told.happened.select.system) == ("one.txt, page 1, line 1", "SYSA")
    assert told.happened.select.from_s == (5 * 24 + 10) * 3600
    (section,) = busy.sections
    assert section.finding == "Busiest: E0 on SYSA, 80.0% on Sat 7 Nov, 10:00."
    assert list(zip(section.rows.of("label"), section.rows.of("busy_pct"), strict=True)) == [
        *(("3A on SYSA", value) for value in (70.0, 20.0, 20.0, None, 20.0, 61.5)),
        ("E0 on SYSA", 80.0),
    ]


def test_a_volume_with_more_in_progress_than_ever_is_told() -> Asks[None]:
    """500/s of 1 ms are 0.5 in progress on five days, then 500/s of 4 ms; another volume is as it was."""
    rows = [volume(day, 500, 4.0 if day == 5 else 1.0) for day in range(DAYS)]
    rows += [volume(day, 900, 4.0, "8A11") for day in range(DAYS)]
    found = volumes((yield from of_six_days(rmf_device=rows)))
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
def test_what_is_no_news_of_a_volume_is_not_told(rows: list[Row]) -> Asks[None]:
    found = volumes((yield from of_six_days(rmf_device=rows)))
    assert found.sections
    assert not found.happened


def test_a_falling_hit_ratio_is_told_by_its_misses() -> Asks[None]:
    """1% misses, then 2%."""
    found = yield from of_caches([cache(day, 98 if day == 5 else 99) for day in range(DAYS)])
    assert sentences(found) == [
        "Cache of 8A04 (SSID 8A01) on SYSA: 98.0% of the reads hit on Sat 7 Nov, usually 99.0%."
    ]
    assert found.sections[0].finding == "Most: 8A04 (SSID 8A01) on SYSA, 2.0% of its reads on Sat 7 Nov, 10:00."


def test_of_few_reads_no_ratio_is_told() -> Asks[None]:
    assert not (yield from of_caches([cache(day, 98 if day == 5 else 99, per_s=9) for day in range(DAYS)])).happened


def test_of_hours_that_are_written_alike_the_first_is_told() -> Asks[None]:
    """61.46 at 09:00 and 61.54 at 10:00 are both 61.5% in the table and in the picture, which marks the first."""
    rows = [channel(5, 61.46) | of_system(5, 9), channel(5, 61.54)]
    found = channels((yield from of_six_days(rmf_channel_path=rows)))
    assert found.sections[0].finding == "Busiest: 3A on SYSA, 61.5% on Sat 7 Nov, 09:00."
    assert sentences(found) == [
        "FICON channel path 3A on SYSA was 61% busy on Sat 7 Nov, 09:00; 2 hours of that day with at least 50%."
    ]


def group(day: int, delay: float | None, waits: float, per_s: float = 1000.0, number: str = "01") -> Row:
    row = {"alias_group": number, "channel_path_id": "3A", "is_total": False, "taken_per_s": per_s}
    row |= {"contention_per_s": 1.0, "delay_queue_length_avg": 0.05, "alias_wait_per_request": waits}
    return of_system(day, line=day) | row | {"channel_subsystem_delay_ms": delay}


def test_requests_that_wait_are_rate_by_delay_and_waits_for_aliases_are_told() -> Asks[None]:
    """1,000/s of 2.5 ms are 2.5 requests; of 9/s nobody is told, nor of earlier days."""
    rows = [group(4, 9.0, 0.5), group(5, 2.5, 0.25), group(5, 2.5, 0.25, 9.0, "02"), group(5, 2.5, 0.09, number="03")]
    found = queues((yield from of_six_days(rmf_io_queue=rows)))
    assert found.sections[0].finding == (
        "Most: AMG 01 on SYSA, 9.00 requests waiting in the channel subsystem on Fri 6 Nov, 10:00."
    )
    assert sentences(found) == [
        "AMG 01 on SYSA: 0.25 waits for an alias per request on Sat 7 Nov, 10:00; 1 hour of that day with at least 0.1 waits per request"
        " and at least 10 requests/s."
    ]
    assert found.happened[0].happened.source == "one.txt, page 1, line 5"
    assert found.sections[0].rows.of("contention_pct") == [0.1, 0.1, 11.111, 0.1]


def test_where_no_request_waits_nothing_is_named() -> Asks[None]:
    (section,) = queues((yield from of_six_days(rmf_io_queue=[group(5, 0.0, 0.0)]))).sections
    assert section.finding == "Fewer than 0.01 requests waited in the channel subsystem anywhere."
    assert queues((yield from of_six_days(rmf_io_queue=[group(5, None, 0.0)]))) == Found()


def test_the_busiest_io_processor_is_named() -> Asks[None]:
    rows = [of_system(day) | {"io_processor": f"0{day}", "busy_pct": 10.0 + day, "is_total": False} for day in (4, 5)]
    (section,) = io_processors((yield from of_six_days(rmf_io_processor=rows))).sections
    assert section.finding == "Busiest: I/O processor 05 on SYSA, 15.0% on Sat 7 Nov, 10:00."
    assert section.rows.of("system_label") == ["SYSA", "SYSA"]


def sent(day: int, big: float | None, small: float, rejects: int = 0, at: int = 10) -> Row:
    row = hour(day, at)
    row |= {"system": "SYSA", "peer_system": "SYSB", "transport_class": "DEFAULT", "direction": "outbound"}
    row |= {"is_total": False, "buffer_length_bytes": 956, "requests_out": 7200, "big_pct": big, "over_pct": 50.0}
    return row | {"small_pct": small, "fit_pct": 0.0, "all_paths_unavailable": 0, "rejects": rejects}


def of_messages(*rows: Row) -> Asks[Found]:
    return messages((yield from asked(rmf_xcf_system=list(rows))))


def test_messages_that_are_too_big_or_rejected_are_told() -> Asks[None]:
    told = yield from of_messages(
        sent(0, 60.0, 0.0, 9), sent(1, 12.0, 3.0), sent(1, 20.0, 3.0, 1, 11), sent(1, 12.0, 13.0, at=12)
    )
    assert [one.happened.sentence for one in told.happened] == [
        "XCF class DEFAULT to SYSB from SYSA: 1 message was rejected for lack of buffers on Tue 3 Nov, 11:00; 1 such hour of that day.",
        "XCF class DEFAULT to SYSB from SYSA: 20% of the messages are too big for the buffer of 956 bytes on Tue 3 Nov, 11:00; 2 hours of that"
        " day with at least 5% too big and more than are smaller than it.",
    ]
    assert told.happened[0].happened.source == "one.txt, page 1, line 10"
    (section,) = told.sections
    assert section.finding == "Most: DEFAULT to SYSB from SYSA, 60.0% too big on Mon 2 Nov, 10:00."
    assert section.rows.of("messages_per_s") == [2, 2, 2, 2]


def test_what_fits_or_is_unknown_is_not_told() -> Asks[None]:
    assert (yield from of_messages(sent(1, 0.0, 90.0))).sections[
        0
    ].finding == "No class prints messages that were too big."
    unknown = yield from of_messages(sent(1, None, 0.0))
    assert unknown.sections[0].finding == "How many messages were too big is not known."
    assert not unknown.happened


def path(at: int, day: int = 1, **values: object) -> Row:
    row = hour(day, at)
    row |= {"system": "SYSA", "peer_system": "SYSB", "transport_class": "DEFAULT", "direction": "outbound"}
    return row | {"path_type": "S", "structure": "IXCPATH1"} | values


def outbound(at: int, sent: int, busy: int | None, day: int = 1, retries: int | None = 0) -> Row:
    return path(at, day, requests_out=sent, available=sent - (busy or 0), busy=busy, retries=retries)


@pytest.mark.parametrize(
    ("row", "finding"),
    [
        (outbound(9, 7200, 0, retries=1), "Most: SYSA outbound IXCPATH1, 1 restart on Tue 3 Nov, 09:00."),
        (outbound(9, 7200, 36, retries=2), "Most: SYSA outbound IXCPATH1, 0.50% of its signals found it busy and 2 restarts on Tue 3 Nov, 09:00."),
        (path(9, direction="inbound", requests_in=50, buffers_unavailable=3), "Most: SYSA inbound IXCPATH1, 3 signals found no buffer on Tue 3 Nov, 09:00."),
        (outbound(9, 7200, None, retries=None), "Whether signals waited is not known."),
        (outbound(9, 7200, 0), "No signal found a path busy or without a buffer, on 1 path."),
        (outbound(9, 7200, None, retries=0), "No signal found a path busy or without a buffer, on 1 path, as far as is known."),
    ],
)  # fmt: skip
def test_the_sentence_says_what_is_printed(row: Row, finding: str) -> Asks[None]:
    told = paths((yield from asked(rmf_xcf_path=[row])))
    assert told.sections[0].finding == finding
    assert not told.happened


def test_a_lake_without_such_reports_has_no_such_sections() -> Asks[None]:
    of_processors = [machines, partitions, dispatch, links, link_service, storage, littles_law]
    of_input_output = [channels, volumes, caches, queues, io_processors, messages, paths]
    nothing = yield from asked()
    assert [question for question in (*of_processors, *of_input_output) if question(nothing) != Found()] == []


DAY = dt.date(2026, 11, 3)


def period(name: str, index: float, *delays: tuple[str, float], at: int = 10) -> dict[str, list[Row]]:
    """A velocity goal in an hour of the day, with execution delays."""
    page = heading(dt.datetime.combine(DAY, dt.time(at)), 3600, scope="SYSA")
    page |= {"class_kind": "service_class_period", "period": 1, "workload": "W", "service_class": name}
    of_all = page | {"system": "*ALL", "is_total": True}
    goal = of_all | {"goal_type": "velocity", "goal_pct": 50.0, "performance_index": index, "line": 20}
    return {
        "rmf_workload_activity": [
            service_class(name, 40.0) | page | {"class_kind": "service_class", "period": None},
            page | {"transactions_ended": 5, "importance": 2, "line": 11},
        ],
        "rmf_workload_goal": [goal],
        "rmf_workload_delay": [
            of_all | {"delay_group": "EXEC DELAYS %", "reason": reason, "pct": pct, "line": 30 + n}
            for n, (reason, pct) in enumerate(delays)
        ],
    }


def of_periods(*periods: dict[str, list[Row]]) -> Asks[Asked]:
    rows: dict[str, list[Row]] = {}
    for one in periods:
        for name, some in one.items():
            rows.setdefault(name, []).extend(some)
    return asked(DAY, DAY, **rows)


def test_the_delays_of_the_worst_are_told() -> Asks[None]:
    found = goal_delays(
        (
            yield from of_periods(
                period("ONLINE", 1.4, ("TOT", 50.0), ("CPU", 31.04), ("I/O", 12.0)),
                period("BATCH", 3.2, ("CAP", 60.0), ("SWIN", 2.5), ("CPU", 2.0), ("I/O", 1.0), at=11),
                period("MET", 0.9, ("CPU", 90.0)),
            )
        )
    )
    (section,) = found.sections
    assert section.finding == (
        "Worst: BATCH, index 3.2 on Tue 3 Nov, 11:00: delayed by CAP in 60.0% of the samples, SWIN 2.5% and CPU 2.0%."
    )
    names = ("class_period", "reason", "pct", "delays_pct")
    assert list(zip(*map(section.rows.of, names), strict=True)) == [
        *(("BATCH", reason, pct, None) for reason, pct in (("CAP", 60.0), ("SWIN", 2.5), ("CPU", 2.0))),
        *(("ONLINE", reason, pct, 50.0) for reason, pct in (("CPU", 31.0), ("I/O", 12.0))),
    ]


def test_twelve_periods_are_shown() -> Asks[None]:
    """Indexes of 1.01 to 1.15: the lowest three are not among them."""
    (section,) = goal_delays(
        (yield from of_periods(*(period(f"C{n:02}", 1 + n / 100, ("CPU", 5.0)) for n in range(1, 16))))
    ).sections
    assert section.rows.of("service_class") == [f"C{n:02}" for n in range(15, 3, -1)]


def test_a_missed_goal_says_what_delayed_it_most() -> Asks[None]:
    lake = yield from of_periods(
        period("ONLINE", 1.4, ("TOT", 50.0), ("I/O", 12.0), ("CPU", 31.04)), period("BARE", 1.2)
    )
    told = {one.happened.sentence for one in goals(lake).happened}
    assert told == {
        "ONLINE on PLEX1 missed its goal in 1 of 1 interval, importance 2; worst index 1.4 at 10:00, delayed most by CPU, 31.0% of the samples.",
        "BARE on PLEX1 missed its goal in 1 of 1 interval, importance 2; worst index 1.2 at 10:00.",
    }


def test_without_printed_delays_there_is_no_such_section() -> Asks[None]:
    assert not goal_delays((yield from of_periods(period("BARE", 1.2)))).sections
    assert not goal_delays((yield from of_periods(period("MET", 1.0, ("CPU", 90.0))))).sections


def distribution(day: int, minute: int, *counts: int) -> list[Row]:
    """Buckets to 0.5, 1 and 2 s and above, of a class period of all systems in a minute after 9."""
    start = dt.datetime.combine(FIRST, dt.time(9, minute)) + dt.timedelta(days=day)
    named = {"class_kind": "service_class_period", "workload": "W", "service_class": "ONLINE", "period": 2}
    rows, running = [], 0
    for number, (bound, count) in enumerate(zip((0.5, 1.0, 2.0, None), counts, strict=True)):
        running += count
        row = heading(start, 60, line=100 * day + 10 * minute + number) | named | {"system": None, "occurrence": 1}
        rows.append(row | {"upper_bound_s": bound, "transactions": count, "transactions_cumulative": running})
    return rows


def grown(*intervals: tuple[int, int, int, int, int, int]) -> Asks[Found]:
    """Intervals by day, minute and buckets."""
    rows = [row for each in intervals for row in distribution(*each)]
    return response_load((yield from asked(rmf_response_time_distribution=rows)))


QUICK = [(0, 1, 600, 0, 0, 0), (0, 2, 720, 0, 0, 0), (0, 3, 840, 0, 0, 0), (0, 4, 960, 0, 0, 0)]
# With these it is sure that what is slower above them is so by its load.
MORE = [(0, 11, 660, 0, 0, 0), (0, 12, 780, 0, 0, 0), (0, 13, 900, 0, 0, 0)]


def test_intervals_of_the_last_day_at_the_knee_are_told() -> Asks[None]:
    """10 to 16/s within 0.5 s; at 18 on the day before and on the last day, and at 20, one in six takes up to 2 s."""
    found = yield from grown(*QUICK, *MORE, (0, 5, 900, 0, 180, 0), (1, 6, 900, 0, 180, 0), (1, 7, 1000, 0, 200, 0))
    (section,) = found.sections
    assert (
        section.finding
        == "Most: ONLINE period 2, 90% ended within 500 ms at low load and within 2,000 ms at high load, from 18.0/s on."
    )
    names = ("class_period", "load", "p90_ms", "growth", "knee_per_s", "least_per_s", "most_per_s", "intervals")
    assert list(zip(*map(section.rows.of, names), strict=True)) == [
        ("ONLINE period 2", "Low load", 500, 4.0, 18.0, 10.0, 20.0, 10),
        ("ONLINE period 2", "High load", 2000, 4.0, 18.0, 10.0, 20.0, 10),
    ]
    (told,) = found.happened
    assert told.happened.sentence == (
        "ONLINE period 2: 90% ended within 2,000 ms at 20.0/s on Tue 3 Nov, 09:07, against 500 ms at low load; 2 intervals at 18.0/s or more,"
        " from where on it is slower."
    )
    assert (told.happened.section, told.happened.source) == ("response_load", "one.txt, page 1, line 170")


def test_what_takes_longer_than_the_largest_bound_is_said_so() -> Asks[None]:
    found = yield from grown(*QUICK, *MORE, (0, 9, 800, 80, 0, 200), (1, 5, 800, 80, 0, 200), (1, 6, 900, 100, 0, 200))
    assert found.sections[0].finding == (
        "Most: ONLINE period 2, 90% ended within 500 ms at low load and later than the largest bound at high load, from 18.0/s on."
    )
    assert found.sections[0].rows.of("p90_ms") == [500, None]
    assert found.happened[0].happened.sentence.startswith(
        "ONLINE period 2: less than 90% ended within 2,000 ms at 20.0/s on Tue 3 Nov, 09:06, against 500 ms at low load; 2 intervals at 18.0/s"
    )


def test_without_a_knee_or_a_slow_last_day_nothing_is_told() -> Asks[None]:
    level = yield from grown(*QUICK, (1, 5, 1080, 0, 0, 0), (1, 6, 1200, 0, 0, 0))
    assert level.sections[0].finding == "At high load 90% of the transactions ended as soon as at low load."
    assert not level.happened
    assert not (
        yield from grown(*QUICK, *MORE, *((0, n, 900, 0, 180, 0) for n in (5, 6, 7)), (1, 1, 600, 0, 0, 0))
    ).happened
    # Two intervals, and one bucket.
    few = yield from grown(*QUICK, *MORE, (1, 5, 900, 0, 180, 0), (1, 6, 900, 0, 180, 0))
    one_bucket = yield from grown(*QUICK, *MORE, *((1, n, 900, 180, 0, 0) for n in (5, 6, 7)))
    assert not [*few.happened, *one_bucket.happened]
    assert few.sections[0].finding == "Not surely: 1 class period slower at high load, no more than chance may make it."
    # Of the three busiest intervals, two are quick.
    quick = [(0, 4 + n, 960 + 40 * n, 0, 0, 0) for n in range(1, 5)]
    assert not (yield from grown(*QUICK, *quick, (1, 9, 1000, 200, 0, 0))).happened
    assert (yield from grown(*QUICK)) == Found()


def test_a_day_above_the_largest_bound_is_the_slowest() -> Asks[None]:
    """On the first day 500 of 1,000 take more than 2 s; on the last all are within 1 s."""
    rows = [*distribution(0, 1, 500, 0, 0, 500), *distribution(1, 1, 0, 1000, 0, 0)]
    (section,) = response((yield from asked(rmf_response_time_distribution=rows))).sections
    assert section.finding == "Slowest: less than 90% of ONLINE period 2 ended within 2,000 ms on Mon 2 Nov."
    assert section.rows.of("p90_ms") == [None, 1000]


def counted(name: str, average: float | None, rate: float, minute: int = 1, seconds: int = 60) -> Row:
    """A class whose transactions take half a second."""
    row = heading(dt.datetime.combine(LAST, dt.time(9, minute)), seconds, line=10 * minute) | {
        "class_kind": "service_class",
        "workload": "W",
    }
    return row | {"service_class": name, "transactions_avg": average, "transactions_per_s": rate, "actual_time_s": 0.5}


def test_classes_that_hold_littles_law_and_those_that_do_not() -> Asks[None]:
    """A minute at 4/s and three minutes at 8/s: (2 × 60 + 4 × 180) / 240 are 3.5 in the system."""
    rows = [
        counted("HOLDS", 2.0, 4.0),
        counted("HOLDS", 4.0, 8.0, 2, 180),
        counted("REGIONS", 1.0, 100.0),
        counted("UNKNOWN", None, 4.0),
    ]
    (section,) = littles_law((yield from asked(rmf_workload_activity=rows))).sections
    assert section.finding == (
        "Of 2 classes, 1 has in most intervals the transactions in the system that their rate and response time give (Little's law); of the others, CPU per"
        " transaction rests on ENDED alone."
    )
    names = ("label", "counted", "in_system", "holds_pct", "verdict", "intervals")
    assert list(zip(*map(section.rows.of, names), strict=True)) == [
        ("REGIONS", "AVG, as printed", 1.0, 0, "average is of regions", 1),
        ("REGIONS", "Rate × response time", 50.0, 0, "average is of regions", 1),
        ("HOLDS", "AVG, as printed", 3.5, 100, "holds", 2),
        ("HOLDS", "Rate × response time", 3.5, 100, "holds", 2),
    ]
    assert not section.note


def test_twelve_classes_are_shown_and_all_are_counted() -> Asks[None]:
    (section,) = littles_law(
        (yield from asked(rmf_workload_activity=[counted(f"C{n:02}", 2.0, 4.0) for n in range(13)]))
    ).sections
    assert (
        section.finding
        == "All 13 classes have in most intervals the transactions in the system that their rate and response time give (Little's law)."
    )
    assert section.rows.of("label")[::2] == [f"C{n:02}" for n in range(12)]
    assert section.note == "The 12 of 13 classes that hold it least."


@pytest.mark.parametrize(("on_cp_pct", "told"), [(0.6, ["SYSA: 20% of the zIIP-eligible time"]), (0.4, [])])
def test_an_overflow_of_little_time_is_not_told(on_cp_pct: float, told: list[str]) -> Asks[None]:
    """A fifth of the eligible time, on general processors for 0.6 and for 0.4% of an engine: the rule asks for 0.5."""
    starts = [dt.datetime.combine(LAST, dt.time(n)) for n in range(24)]
    rows = [
        service_class("CICS", 50.0, appl_iipcp_pct=on_cp_pct, appl_iip_pct=4 * on_cp_pct, workload="W")
        | {"interval_start": start, "interval_end": start + dt.timedelta(hours=1), "interval_s": 3600.0, "line": n}
        for n, start in enumerate(starts)
    ]
    found = overflow((yield from asked(rmf_workload_activity=rows)))
    assert found.sections[0].finding.startswith("Most: 20.0% of the eligible time of SYSA")
    assert [one.partition(" ran")[0] for one in sentences(found)] == told


def test_a_goal_missed_by_few_transactions_is_not_told_as_missed() -> Asks[None]:
    """Three hours of an average response time: 400 transactions at an index of 1.5, 3 at 9.0, and 20 that are in time."""
    page = {"class_kind": "service_class_period", "period": 1, "service_class": "ONLINE", "workload": "W"}
    goal = {"system": "*ALL", "is_total": True, "goal_type": "average"}
    hours = [
        (hour(1, at, policy="P", scope="SYSA") | page, ended, index)
        for at, ended, index in ((10, 400, 1.5), (11, 3, 9.0), (12, 20, 0.8))
    ]
    rows = {
        "rmf_workload_activity": [row | {"transactions_ended": ended, "importance": 1} for row, ended, _ in hours],
        "rmf_workload_goal": [row | goal | {"performance_index": index} for row, _, index in hours],
    }
    found = goals((yield from asked(**rows)))
    assert sentences(found) == [
        "ONLINE on PLEX1 missed its goal in 1 of 3 intervals, and in 1 of few transactions, importance 1; worst index 1.5 at 10:00."
    ]
    assert found.sections[0].finding == "1 of 1 goal missed at times; worst: ONLINE, 9.0 on Tue 3 Nov, 11:00."
