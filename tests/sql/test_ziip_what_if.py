"""What if zIIP-eligible time of general processors ran on zIIPs: the edges of ziip_what_if. Worked by hand."""

from typing import Any

import pytest
from one_lake import Asks
from rmf_rows import policy, processor, service_class
from views_lake import START, Row, expect, one_row, span


def page(iip: float | None, iipcp: float | None, **other: Any) -> Row:
    """A minute of a class of so much zIIP and zIIP-eligible time, CP 60%."""
    return service_class("CICS", 60.0, appl_iip_pct=iip, appl_iipcp_pct=iipcp, **other)


def what_if(iip: float, iipcp: float, cp_busy: float = 50.0, *ziips: float, factor: float = 1.0) -> Asks[Row]:
    processors = [processor(0, cp_busy), *(processor(n, busy, kind="IIP") for n, busy in enumerate(ziips, 1))]
    lake = yield dict(rmf_workload_activity=[page(iip, iipcp)], rmf_cpu_activity=processors, **policy(factor))
    return one_row(lake, "FROM ziip_what_if")


def test_the_row_says_which_interval_and_which_factor_it_is_of():
    row = yield from what_if(50.0, 10.0, 70.0, 60.0, factor=2.0)
    at = span(0, 60)
    assert {name: row[name] for name in at} == at
    expect(row, scope="SYSA", report_kind="interval", normalization_factor=2, normalization_source="policy_page")
    expect(row, ziip_time_source="appl", cp_engines_busy=pytest.approx(0.7), is_overlapping=False, is_conflicting=False)


def test_intervals_without_eligible_time_are_not_listed():
    """0 and 0 in the second of six minutes; the fifth does not print it. Half a percent is some, be it on zIIPs or not, or on both."""
    eligible = [(0.5, 0.0), (0.0, 0.0), (0.0, 0.5), (10.0, 20.0), (None, None), (0.5, 0.5)]
    lake = yield {
        "rmf_workload_activity": [page(iip, cp, line=10 + n) | span(n, 60) for n, (iip, cp) in enumerate(eligible)]
    }
    rows = lake.rows("FROM ziip_what_if ORDER BY interval_start")
    assert [(row["interval_start"] - START).seconds // 60 for row in rows] == [0, 2, 3, 5]
    assert [row["crossover_pct"] for row in rows] == pytest.approx([0, 100, 200 / 3, 50])


def test_ziips_that_would_be_busy_all_the_time_fit():
    """80 + 20 of 100%."""
    row = yield from what_if(80.0, 20.0, 50.0, 80.0)
    assert (row["busy_after_pct"], row["fits"]) == (pytest.approx(100), True)


def test_eligible_time_does_not_fit_where_there_are_no_ziips():
    row = yield from what_if(0.0, 20.0)
    assert (row["engines_online"], row["engines_capacity"], row["engines_busy_after"]) == (0, 0, pytest.approx(0.2))
    assert (row["busy_after_pct"], row["fits"]) == (None, False)


@pytest.mark.parametrize(("busy", "saved_pct"), [(100.0, 20.0), (0.0, None)])
def test_what_is_saved_is_a_share_of_the_busy_general_processors(busy: float, saved_pct: float | None):
    """20% of an engine, where one is busy and where none is."""
    row = yield from what_if(0.0, 20.0, busy, 50.0)
    expect(row, cp_engines_saved=pytest.approx(0.2), cp_saved_pct=saved_pct and pytest.approx(saved_pct))


def test_an_interval_that_overlaps_and_one_that_is_printed_differently_say_so():
    lake = yield {
        "rmf_workload_activity": [
            page(50.0, 10.0),
            page(50.0, 10.0, line=11) | span(0, 180),
            page(50.0, 10.0, line=12) | span(10, 60),
            page(50.0, 11.0, line=12, source_id="s2") | span(10, 60),
        ]
    }
    rows = lake.rows("FROM ziip_what_if ORDER BY interval_start, interval_end")
    assert [(row["is_overlapping"], row["is_conflicting"]) for row in rows] == [
        (True, False),
        (False, False),
        (False, True),
    ]


def test_a_factor_of_zero_says_nothing_of_ziips():
    row = yield from what_if(50.0, 10.0, 50.0, 60.0, factor=0.0)
    assert {row[name] for name in ("engines_eligible", "engines_busy_after", "busy_after_pct", "fits")} == {None}
    assert row["cp_engines_saved"] == pytest.approx(0.1)
