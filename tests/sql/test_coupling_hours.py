"""Links and storage of coupling facilities by clock hour: means by requests and by time, what is unknown, and what is left out. Worked by hand."""

import pytest
from one_lake import Found, Rows, examples, shown
from views_lake import Row, heading, one_row, span

approx = pytest.approx


def _page(minute: float, seconds: float, **other: object) -> Row:
    row = heading(scope=None)
    return row | {"cf_name": "CF1"} | span(minute, seconds) | other


def link(minute: float, seconds: float, count: int | None, us: float | None, **other: object) -> Row:
    """Synchronous requests over CS5, of which 8 us are expected, on 2 subchannels; no asynchronous ones."""
    row = _page(minute, seconds, system="SYSA", link_1_type="CS5", link_1_used=2, link_2_type="SUBCH", link_2_used=2)
    row |= {"requests": count, "requests_per_s": count and count / seconds, "sync_requests": count}
    row |= {"sync_service_us": us, "async_requests": 0, "path_busy": 0, "changed_requests": 0}
    return row | {"delayed_total_pct": 0.0} | other


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


def storage(minute: float, available: int | None, reclaims: int | None, **other: object) -> dict[str, list[Row]]:
    """A facility of 1,000 bytes with one cache of 100."""
    page = _page(minute, 900) | other
    cache = {"structure_name": "GBP1", "structure_type": "CACHE", "is_total": False, "allocated_bytes": 100}
    cache |= {"directory_reclaims": reclaims, "directory_reclaim_cross_invalidations": reclaims}
    return {
        "rmf_cf_usage": [page | {"total_storage_bytes": 1000, "available_storage_bytes": available}],
        "rmf_cf_structure_summary": [page | cache | {"line": 30}],
    }


def facility(*parts: dict[str, list[Row]]) -> Rows:
    return {name: [row for part in parts for row in part[name]] for name in parts[0]}


def links(*rows: Row) -> Rows:
    return {"rmf_cf_subchannel_activity": [*rows]}


# 900 s of 300,000 requests of 10 us and 1,800 s of 100,000 of 30 us: 15 us, 187.5% of 8. 3 s in 900 and 3 s in 1,800, of two subchannels: 0.111%.
# 4% of the first and 8 of the second are delayed: 5%; 3,000 and 5,000 met a busy path: 2%; 20,000 changed: 5%.
FIRST = link(0, 900, 300_000, 10.0, delayed_total_pct=4.0, path_busy=3000, changed_requests=0)
OTHER = link(15, 1800, 100_000, 30.0, delayed_total_pct=8.0, path_busy=5000, changed_requests=20000)
OF_LINK = ("sync_service_us", "reference_us", "of_reference_pct", "subchannel_busy_pct", "sync_engines", "delayed_pct", "path_busy_pct",
 "changed_pct")  # fmt: skip
HALF = [link(0, 900, 900, 10.0), link(15, 900, 0, None), link(0, 600, 9, 90.0), link(0, 3600, 9, 90.0, report_kind="duration")]  # fmt: skip
TWICE = links(link(0, 900, 900, 10.0), link(0, 900, 900, 10.0) | {"source_id": "s2"})
OF_STORAGE = "used_pct, available_bytes, reclaims, reclaim_invalidations, total_bytes"


@examples(
    ("links by requests and time", links(FIRST, OTHER),
     f"covered_s, link_types, sync_share_pct, requests_per_s, async_service_us, [{', '.join(OF_LINK)}] FROM cf_link_hour",
     [(2700, "CS5", 100, approx(400_000 / 2700), None, [approx(n) for n in (15, 8, 187.5, 100 * 6 / 2700 / 2, 6 / 2700, 5, 2, 5)])]),
    # Of one interval, and so of the hour.
    *((f"unknown {change}", links(link(0, 900, 900, 10.0), link(15, 900, 900, 10.0, **change)),
       f"link_types IS NULL, [{', '.join(f'{name} IS NULL' for name in OF_LINK)}] FROM cf_link_hour",
       [("link_1_type" in change, [name in unknown for name in OF_LINK])]) for change, unknown in (
          ({"sync_service_us": None}, ("sync_service_us", "subchannel_busy_pct", "of_reference_pct", "sync_engines")),
          ({"delayed_total_pct": None}, ("delayed_pct",)), ({"path_busy": None}, ("path_busy_pct",)),
          ({"link_1_type": "XX"}, ("reference_us", "of_reference_pct")))),
    ("the same print in two files", TWICE, "is_conflicting, len(refs) FROM cf_link_interval", [(False, 2)]),
    ("once", TWICE, "sync_service_us FROM cf_link_hour", [(10,)]),
    # An interval without requests takes no time of service, and overlaps count once.
    ("no requests and overlaps", links(*HALF), "covered_s, sync_service_us, of_reference_pct FROM cf_link_hour", [(1800, 10, 125)]),
    # At its fullest, and reclaims added.
    ("storage", facility(storage(0, 400, 10), storage(15, 360, 5), storage(30, 700, 0)),
     f"{OF_STORAGE}, largest_structure_pct, [r.line for r in refs] FROM cf_storage_hour", [(64, 360, 15, 15, 1000, 10, [10, 30])]),
    ("unknown storage", facility(storage(0, 400, 10), storage(15, None, None)), f"{OF_STORAGE} FROM cf_storage_hour", [(None, None, None, None,
     1000)]),
)  # fmt: skip
def test_hours(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)
