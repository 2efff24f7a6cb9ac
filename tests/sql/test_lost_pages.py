"""A whole page that is missing from an interval: the numbers of the pages beside it leave it out, and its classes are not known."""

from __future__ import annotations

import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import sample
from views_lake import Row, one_row

MISSING = "rmf_workload_activity: pages of this interval are missing before this one: {}"
# CP 45.71 and IIP 3.58 of the sample's page; AAP 0.
OF_B = 49.29


def page(name: str, number: int, minute: int = 30) -> str:
    """The sample's page of another class, number and interval."""
    text = sample("g2_periods_of_a_class").read_text()
    of_class = "\n".join(text.split("\n")[:24]) + "\n"
    for printed, other in (
        ("PAGE   1", f"PAGE {number:3}"),
        ("TIME 08.30.00", f"TIME 08.{minute:02}.00"),
        ("SERVICE CLASS=BATPROD ", f"SERVICE CLASS={name:8}"),
    ):
        assert printed in of_class
        of_class = of_class.replace(printed, other)
    return of_class


def read(*pages: str) -> tuple[dict[str, list[Row]], list[tuple[int, int, str]]]:
    tables = read_text("".join(pages))
    rows = {name: table.to_dicts() for name, table in tables.items()}
    return rows, tables["parse_reject"].select("page", "line", "what").rows()


FIRST = tuple(
    page(name, n, minute) for minute in (0, 15, 30) for n, name in enumerate(("CLASSA", "CLASSB", "CLASSC"), 1)
)
OF_CLASS_B = "WHERE class_name = 'CLASSB'"


def test_a_class_whose_page_is_missing_is_not_known():
    """CLASSB is printed in three quarters of an hour of four; the last prints page 3 behind page 1. Of three known intervals, place 3
    (0.95 x 3, rounded up): 45.71 + 3.58. The mean of the hour is not known, so no hour is its busiest."""
    rows, rejects = read(*FIRST, page("CLASSA", 1, 45), page("CLASSC", 3, 45))
    # The eleventh page of 24 lines.
    assert rejects == [(11, 241, MISSING.format(1))]
    lake = yield rows
    whole = [row["is_whole"] for row in lake.rows("FROM workload_interval ORDER BY interval_start")]
    assert whole == [True, True, True, False]
    row = one_row(lake, f"FROM percentile_interval {OF_CLASS_B}")
    assert (row["cpu_pct"], row["intervals"], row["intervals_unknown"]) == (pytest.approx(OF_B), 4, 1)
    assert lake.rows(f"FROM peak_hour {OF_CLASS_B}") == []
    # What the last quarter prints is known.
    assert one_row(lake, "FROM peak_hour WHERE class_name = 'CLASSC'")["cpu_pct"] == pytest.approx(OF_B)


def test_a_class_that_no_page_is_missing_for_used_nothing():
    """The same with pages 1 and 2 in the last quarter: CLASSB is 0 there. Of 0 and three times 49.29, place 4: 49.29. The mean of the
    hour is 3 x 49.29 / 4 = 36.9675."""
    rows, rejects = read(*FIRST, page("CLASSA", 1, 45), page("CLASSC", 2, 45))
    assert rejects == []
    lake = yield rows
    assert all(row["is_whole"] for row in lake.rows("FROM workload_interval"))
    row = one_row(lake, f"FROM percentile_interval {OF_CLASS_B}")
    assert (row["cpu_pct"], row["intervals"], row["intervals_unknown"]) == (pytest.approx(OF_B), 4, 0)
    assert one_row(lake, f"FROM peak_hour {OF_CLASS_B}")["cpu_pct"] == pytest.approx(36.9675, rel=1e-4)


@pytest.mark.parametrize(
    ("pages", "missing"),
    [
        # Numbers that go on, begin again or are repeated miss none; of another interval nobody knows.
        ((page("CLASSA", 7), page("CLASSB", 8)), []),
        ((page("CLASSA", 9), page("CLASSB", 1)), []),
        ((page("CLASSA", 9), page("CLASSA", 9)), []),
        ((page("CLASSA", 999), page("CLASSB", 0)), []),
        ((page("CLASSA", 1), page("CLASSB", 5, 45)), []),
        ((page("CLASSA", 1), page("CLASSB", 5)), [(2, 3)]),
        ((page("CLASSA", 1), page("CLASSB", 3), page("CLASSC", 6)), [(2, 1), (3, 2)]),
    ],
)
def test_pages_are_missing_where_numbers_of_an_interval_leave_them_out(
    pages: tuple[str, ...], missing: list[tuple[int, int]]
):
    _, rejects = read(*pages)
    assert [(page, what) for page, _, what in rejects] == [(page, MISSING.format(n)) for page, n in missing]


def test_pages_of_other_reports_between_are_no_gap():
    """Numbers may run through all reports of a file."""
    other = sample("cpu_without_multithreading").read_text()
    _, rejects = read(page("CLASSA", 1), other, page("CLASSB", 3))
    assert rejects == []
