"""Signalling paths on the page of a lake: what waited, what is beyond the limit, and what is not known."""

import datetime as dt

import pytest
from answering import Answering
from ironlake.dashboards.lake_page.facts.asked import Asked
from ironlake.dashboards.lake_page.facts.found import Found
from ironlake.dashboards.lake_page.facts.xcf_paths import paths
from ironlake.pipeline.status.calendar import Calendar
from ironlake.pipeline.status.coverage import Intervals
from views_lake import Row, heading

FIRST, LAST = dt.date(2026, 11, 2), dt.date(2026, 11, 3)


def path(hour: int, day: int = 1, **values: object) -> Row:
    start = dt.datetime.combine(FIRST, dt.time(hour)) + dt.timedelta(days=day)
    row = {k: v for k, v in heading(start, 3600).items() if not k.startswith("policy") and k != "scope"}
    row |= {"system": "SYSA", "peer_system": "SYSB", "transport_class": "DEFAULT", "direction": "outbound"}
    return row | {"path_type": "S", "structure": "IXCPATH1"} | values


def outbound(hour: int, sent: int, busy: int | None, day: int = 1, retries: int | None = 0) -> Row:
    return path(hour, day, requests_out=sent, available=sent - (busy or 0), busy=busy, retries=retries)


def found(*rows: Row) -> Found:
    return paths(Asked(Answering(rmf_xcf_path=list(rows)), FIRST, LAST, Calendar(Intervals.none()), {"s1": "xcf.txt"}))


def test_a_path_that_is_busy_is_told() -> None:
    """720 of 7,200 are 10%, and 7,200 in an hour 2 a second; 1,799 of 3,599 are too few signals; the day before is not the last."""
    told = found(
        outbound(9, 7200, 900),
        outbound(10, 7200, 720),
        outbound(11, 7200, 719),
        outbound(12, 3599, 1799),
        outbound(9, 7200, 3600, 0),
    )
    (busy,) = told.happened
    assert (
        busy.happened.sentence
        == "XCF path SYSA outbound IXCPATH1: 12% of its signals found it busy on Tue 3 Nov, 09:00; 2 hours of 10% or more."
    )
    assert (busy.happened.section, busy.happened.source) == ("paths", "xcf.txt, page 1, line 10")
    assert (
        told.sections[0].finding
        == "Most: SYSA outbound IXCPATH1, 50.00% of its signals found it busy on Mon 2 Nov, 09:00."
    )


@pytest.mark.parametrize(
    ("row", "finding"),
    [
        (outbound(9, 7200, 0, retries=1), "Most: SYSA outbound IXCPATH1, 1 restart on Tue 3 Nov, 09:00."),
        (outbound(9, 7200, 36, retries=2), "Most: SYSA outbound IXCPATH1, 0.50% of its signals found it busy and 2 restarts on Tue 3 Nov, 09:00."),
        (path(9, direction="inbound", requests_in=50, buffers_unavailable=3), "Most: SYSA inbound IXCPATH1, 3 signals found no buffer on Tue 3 Nov, 09:00."),
        (outbound(9, 7200, None, retries=None), "Whether signals waited is not known."),
        (outbound(9, 7200, 0), "No signal found a path busy or without a buffer, on 1 path."),
    ],
)  # fmt: skip
def test_the_sentence_says_what_is_printed(row: Row, finding: str) -> None:
    told = found(row)
    assert told.sections[0].finding == finding
    assert not told.happened


def test_without_paths_there_is_no_such_section() -> None:
    assert found() == Found()
