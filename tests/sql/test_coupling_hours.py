"""Links and storage of coupling facilities by clock hour: means by requests and by time, what is unknown, and what is left out. Worked by hand."""

import pytest
from views_lake import Row, heading, one_row, span


def _page(minute: float, seconds: float, **other: object) -> Row:
    row = heading(scope=None)
    return row | {"cf_name": "CF1"} | span(minute, seconds) | other


def link(minute: float, seconds: float, count: int | None, us: float | None, **other: object) -> Row:
    """Synchronous requests over CS5, of which 8 us are expected, on 2 subchannels; no asynchronous ones."""
    row = _page(minute, seconds, system="SYSA", link_1_type="CS5", link_1_used=2, link_2_type="SUBCH", link_2_used=2)
    row |= {"requests": count, "requests_per_s": count and count / seconds, "sync_requests": count}
    row |= {"sync_service_us": us, "async_requests": 0, "path_busy": 0, "changed_requests": 0}
    return row | {"delayed_total_pct": 0.0} | other


def test_links_are_means_by_requests_and_by_time():
    """900 s of 300,000 requests of 10 us and 1,800 s of 100,000 of 30 us: 15 us, 187.5% of 8. 3 s in 900 and 3 s in 1,800, of two subchannels: 0.111%.
    4% of the first and 8 of the second are delayed: 5%; 3,000 and 5,000 met a busy path: 2%; 20,000 changed: 5%."""
    first = {"delayed_total_pct": 4.0, "path_busy": 3000, "changed_requests": 0}
    other = {"delayed_total_pct": 8.0, "path_busy": 5000, "changed_requests": 20000}
    lake = yield {
        "rmf_cf_subchannel_activity": [link(0, 900, 300_000, 10.0, **first), link(15, 1800, 100_000, 30.0, **other)]
    }
    row = one_row(lake, "FROM cf_link_hour")
    assert (row["covered_s"], row["link_types"], row["sync_share_pct"]) == (2700, "CS5", 100)
    assert (row["sync_service_us"], row["reference_us"], row["of_reference_pct"]) == pytest.approx((15, 8, 187.5))
    assert (row["subchannel_busy_pct"], row["sync_engines"]) == pytest.approx((100 * 6 / 2700 / 2, 6 / 2700))
    assert (row["delayed_pct"], row["path_busy_pct"], row["changed_pct"]) == pytest.approx((5, 2, 5))
    assert (row["requests_per_s"], row["async_service_us"]) == (pytest.approx(400_000 / 2700), None)


@pytest.mark.parametrize(
    ("change", "unknown"),
    [
        ({"sync_service_us": None}, {"sync_service_us", "subchannel_busy_pct", "of_reference_pct", "sync_engines"}),
        ({"delayed_total_pct": None}, {"delayed_pct"}),
        ({"link_1_type": "XX"}, {"link_types", "reference_us", "of_reference_pct"}),
        ({"path_busy": None}, {"path_busy_pct"}),
    ],
)
def test_what_is_unknown_of_one_interval_is_unknown_of_the_hour(change: Row, unknown: set[str]):
    rows = [link(0, 900, 900, 10.0), link(15, 900, 900, 10.0, **change)]
    row = one_row((yield {"rmf_cf_subchannel_activity": rows}), "FROM cf_link_hour")
    assert {name for name, value in row.items() if value is None} - {"utc_offset_minutes"} == unknown | {
        "async_service_us"
    }


_MEASURES = """
interval_s requests requests_per_s sync_requests sync_service_us async_requests async_service_us changed_requests
unsuccessful_requests path_busy delayed_total_pct delayed_list_cache_pct delayed_lock_pct
"""


@pytest.mark.parametrize(
    "name",
    [
        *_MEASURES.split(),
        *(f"link_{n}_{of}" for n in (1, 2, 3, 4) for of in ("type", "generated", "used")),
    ],
)
def test_what_two_files_print_with_other_values_is_unknown(name: str):
    first = link(0, 900, 900, 10.0)
    change = "CFP" if name.endswith("type") else (first.get(name) or 0) + 1
    lake = yield {"rmf_cf_subchannel_activity": [first, first | {name: change, "source_id": "s2"}]}
    assert one_row(lake, "SELECT is_conflicting AS c, len(refs) AS n FROM cf_link_interval") == {"c": True, "n": 2}
    known = {name for name, value in one_row(lake, "FROM cf_link_hour").items() if value is not None}
    assert known == {"sysplex", "cf_name", "system", "hour_start", "covered_s", "refs"}


def test_the_same_print_in_two_files_is_one():
    first = link(0, 900, 900, 10.0)
    lake = yield {"rmf_cf_subchannel_activity": [first, first | {"source_id": "s2"}]}
    assert one_row(lake, "SELECT is_conflicting AS c, len(refs) AS n FROM cf_link_interval") == {"c": False, "n": 2}
    assert one_row(lake, "SELECT sync_service_us AS us FROM cf_link_hour") == {"us": 10}


def test_an_interval_without_requests_takes_no_time_of_service_and_overlaps_count_once():
    rows = [link(0, 900, 900, 10.0), link(15, 900, 0, None), link(0, 600, 9, 90.0)]
    lake = yield {"rmf_cf_subchannel_activity": [*rows, link(0, 3600, 9, 90.0, report_kind="duration")]}
    row = one_row(lake, "FROM cf_link_hour")
    assert (row["covered_s"], row["sync_service_us"], row["of_reference_pct"]) == (1800, 10, 125)


def storage(minute: float, available: int | None, reclaims: int | None, **other: object) -> dict[str, list[Row]]:
    """A facility of 1,000 bytes with one cache of 100."""
    page = _page(minute, 900) | other
    cache = {"structure_name": "GBP1", "structure_type": "CACHE", "is_total": False, "allocated_bytes": 100}
    cache |= {"directory_reclaims": reclaims, "directory_reclaim_cross_invalidations": reclaims}
    return {
        "rmf_cf_usage": [page | {"total_storage_bytes": 1000, "available_storage_bytes": available}],
        "rmf_cf_structure_summary": [page | cache | {"line": 30}],
    }


def test_storage_at_its_fullest_and_reclaims_added():
    parts = [storage(0, 400, 10), storage(15, 360, 5), storage(30, 700, 0)]
    row = one_row((yield {name: [r for p in parts for r in p[name]] for name in parts[0]}), "FROM cf_storage_hour")
    assert (row["used_pct"], row["available_bytes"], row["total_bytes"]) == (64, 360, 1000)
    assert (row["reclaims"], row["reclaim_invalidations"], row["largest_structure_pct"]) == (15, 15, 10)
    assert [ref["line"] for ref in row["refs"]] == [10, 30]


def test_storage_that_is_unknown_once_is_unknown():
    parts = [storage(0, 400, 10), storage(15, None, None)]
    row = one_row((yield {name: [r for p in parts for r in p[name]] for name in parts[0]}), "FROM cf_storage_hour")
    names = ("used_pct", "available_bytes", "reclaims", "reclaim_invalidations")
    assert ([row[name] for name in names], row["total_bytes"]) == ([None] * 4, 1000)
