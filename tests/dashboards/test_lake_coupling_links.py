"""Subchannels, service times and storage of coupling facilities on the page of a lake: what is beyond a limit, what is not told."""

import datetime as dt

import pytest
from answering import Answering
from ironlake.dashboards.lake_page.facts.asked import Asked
from ironlake.dashboards.lake_page.facts.coupling_links import link_service, links, storage
from ironlake.dashboards.lake_page.facts.found import Found
from ironlake.pipeline.status.calendar import Calendar
from ironlake.pipeline.status.coverage import Intervals
from views_lake import Row, heading

FIRST, LAST = dt.date(2026, 11, 2), dt.date(2026, 11, 3)


def asked(**rows: list[Row]) -> Asked:
    return Asked(Answering(**rows), FIRST, LAST, Calendar(Intervals.none()), {"s1": "cf.txt"})


def hour(day: int, at: int = 10, **other: object) -> Row:
    start = dt.datetime.combine(FIRST, dt.time(at)) + dt.timedelta(days=day)
    row = {k: v for k, v in heading(start, 3600).items() if not k.startswith("policy") and k != "scope"}
    return row | {"cf_name": "CF1"} | other


def link(day: int, per_s: int, us: float, at: int = 10, **other: object) -> Row:
    """Synchronous requests over CS5, of which 8 us are expected, on 2 subchannels."""
    count = per_s * 3600
    row = hour(day, at, system="SYSA", link_1_type="CS5", link_1_used=2, link_2_type="SUBCH", link_2_used=2)
    row |= {"requests": count, "requests_per_s": float(per_s), "sync_requests": count, "sync_service_us": us}
    return row | {"async_requests": 0, "path_busy": 0, "changed_requests": 0, "delayed_total_pct": 0.0} | other


def sentences(found: Found) -> list[str]:
    return [one.happened.sentence for one in found.happened]


def test_busy_subchannels_and_delayed_requests_are_told() -> None:
    """60,000/s of 10 us are 0.6 seconds a second, 30% of two; 12% of those at 11:00 are delayed. On the day before 90% are busy."""
    rows = [link(0, 60_000, 30.0), link(1, 60_000, 10.0), link(1, 100, 10.0, 11, delayed_total_pct=12.0)]
    found = links(asked(rmf_cf_subchannel_activity=rows))
    assert sentences(found) == [
        "CF1 from SYSA: 30% of the subchannels busy on Tue 3 Nov, 10:00; 1 hour of 30% or more.",
        "CF1 from SYSA: 12% of the requests delayed on Tue 3 Nov, 11:00; 1 hour of 10% or more.",
    ]
    assert found.happened[0].happened.source == "cf.txt, page 1, line 10"
    assert found.sections[0].finding == "Busiest subchannels: CF1 from SYSA, 90.00% on Mon 2 Nov, 10:00."


def test_little_is_not_told() -> None:
    rows = [link(1, 59_000, 10.0), link(1, 0, 0.0, 11, delayed_total_pct=90.0), link(1, 100, 10.0, 12, delayed_total_pct=9.9)]  # fmt: skip
    found = links(asked(rmf_cf_subchannel_activity=rows))
    assert found.sections
    assert not found.happened


def test_a_service_time_beyond_its_reference_is_told() -> None:
    """10,000/s of 16 us keep 0.16 engines waiting; 15.9 us are less than twice 8, and of 6,000/s 0.096 engines wait."""
    rows = [link(1, 10_000, 16.0), link(1, 10_000, 15.9, 11), link(1, 6_000, 16.0, 12), link(0, 10_000, 40.0)]
    found = link_service(asked(rmf_cf_subchannel_activity=rows))
    assert sentences(found) == [
        "CF1 from SYSA: 200% of the expected service time on Tue 3 Nov, 10:00; 1 hour of 200% or more."
    ]
    (section,) = found.sections
    assert section.finding == "Most: CF1 from SYSA, 40.0 µs where 8.0 are expected on Mon 2 Nov, 10:00."


def test_of_links_without_a_reference_nothing_is_expected() -> None:
    found = link_service(asked(rmf_cf_subchannel_activity=[link(1, 10_000, 99.0, link_1_type="XX")]))
    assert found.sections[0].finding == "What their links let expect is not known."
    assert found.sections[0].rows.of("reference_us") == [None]
    assert not found.happened


def kept(day: int, available: int, reclaims: int | None) -> dict[str, list[Row]]:
    cache = {"structure_name": "GBP1", "structure_type": "CACHE", "is_total": False, "allocated_bytes": 100}
    cache |= {"directory_reclaims": reclaims, "directory_reclaim_cross_invalidations": reclaims, "line": 30}
    return {
        "rmf_cf_usage": [hour(day) | {"total_storage_bytes": 1000, "available_storage_bytes": available}],
        "rmf_cf_structure_summary": [hour(day) | cache],
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
def test_reclaims_of_the_last_day_are_told(before: int | None, last: int | None, said: str, told: str) -> None:
    days = (kept(0, 400, before), kept(1, 500, last))
    found = storage(asked(**{name: [row for day in days for row in day[name]] for name in days[0]}))
    assert found.sections[0].finding == f"Fullest: CF1, 60.0% used on Mon 2 Nov, 10:00. {said}"
    assert [told in sentence for sentence in sentences(found)] == [True] * bool(told)


def test_a_lake_without_such_reports_has_no_such_sections() -> None:
    nothing = asked()
    assert links(nothing) == link_service(nothing) == storage(nothing) == Found()
