"""Db2 statistics: a counter of which one number is lost and others stand in the column beside gives no value; one that is blanked in place is NULL alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import read_each

COUNTER, REJECT = "db2_statistics_counter", "parse_reject"
NAMES = ("quantity", "per_second", "per_thread", "per_commit")
SHIFT = "db2_statistics: a number is missing, and the others may be those of the columns beside"
# 900 seconds, 200 threads, 9,000 commits.
TITLES = """\
GROUP BP0                    QUANTITY  /SECOND  /THREAD  /COMMIT
---------------------------  --------  -------  -------  -------
"""
WHOLE = """\
SYN.READ(XI)-DATA RETURNED     900.00     1.00     4.50     0.10
CHANGED PGS SYNC.WRTN         4500.00     5.00    22.50     0.50
GROUP BP R/W RATIO (%)          41.07      N/A      N/A      N/A
GLOBAL CONTENTION RATE (%)       0.35
"""
Numbers = tuple[float | None, ...]


def read_rows(rows: Iterable[str], others: str, titles: str) -> Iterator[tuple[Numbers, str | None, list[str]]]:
    """The numbers of each row on a page of its own, its reason for none, and what was rejected of its line."""
    number = len((titles + others).splitlines()) + 1
    for tables in read_each(titles + others + row + "\n" + others for row in rows):
        (found,) = tables[COUNTER].filter(line=number).to_dicts()
        rejects = tables[REJECT].to_dicts()
        assert {reject["line"] for reject in rejects} <= {number}
        yield tuple(found[name] for name in NAMES), found["null_reason"], [reject["what"] for reject in rejects]


def read(row: str, others: str = WHOLE, titles: str = TITLES) -> tuple[Numbers, str | None, list[str]]:
    (found,) = read_rows([row], others, titles)
    return found


SHIFTED = [
    "PAGES CASTOUT                    2.00     9.00     0.20",
    "PAGES CASTOUT                 1800.00     9.00     0.20",
    "PAGES CASTOUT                 1800.00     2.00     0.20",
    "PAGES CASTOUT                          1800.00     2.00     9.00",
    "PAGES CASTOUT                          1800.00     2.00     0.20",
    "PAGES CASTOUT                 1800.00              2.00     9.00",
    "PAGES CASTOUT                 1800.00     2.00              9.00",
    # Small numbers: 12 is 0.01 per second.
    "PAGES CASTOUT                    0.01     0.06     0.00",
    "PAGES CASTOUT                   12.00     0.06     0.00",
    # Whatever is counted may be as little as nothing by the second.
    "PAGES CASTOUT                    0.00     0.00     0.00",
    "GLOBAL CONTENTION RATE (%)                0.35",
    "GROUP BP R/W RATIO (%)                   41.07      N/A      N/A",
    "GROUP BP R/W RATIO (%)            N/A      N/A      N/A",
    "PAGES CASTOUT                    2.00     9.00",
]


def test_a_row_that_may_be_shifted_gives_no_value() -> None:
    for row, found in zip(SHIFTED, read_rows(SHIFTED, WHOLE, TITLES), strict=True):
        assert found == ((None,) * 4, None, [SHIFT]), row


KEPT = [
    ("PAGES CASTOUT                             2.00     9.00     0.20", (None, 2, 9, 0.2)),
    ("PAGES CASTOUT                 1800.00              9.00     0.20", (1800, None, 9, 0.2)),
    ("PAGES CASTOUT                 1800.00     2.00              0.20", (1800, 2, None, 0.2)),
    ("PAGES CASTOUT                 1800.00     2.00     9.00", (1800, 2, 9, None)),
    ("PAGES CASTOUT                   18.0K    20.00    90.00", (18000, 20, 90, None)),
    ("PAGES CASTOUT                             0.00     0.00     0.00", (None, 0, 0, 0)),
    ("PAGES CASTOUT                    0.00              0.00     0.00", (0, None, 0, 0)),
    ("PAGES CASTOUT                 1800.00     2.00", (1800, 2, None, None)),
    ("GLOBAL CONTENTION RATE (%)       0.35", (0.35, None, None, None)),
    ("PAGES CASTOUT                 1800.00     2.00     9.00     0.20", (1800, 2, 9, 0.2)),
]


def test_a_row_with_its_numbers_in_their_columns_keeps_them() -> None:
    for (row, numbers), found in zip(KEPT, read_rows((row for row, _ in KEPT), WHOLE, TITLES), strict=True):
        assert found == (numbers, None, []), row


def test_without_other_rows_nothing_tells_and_nothing_is_read() -> None:
    assert read("PAGES CASTOUT                    2.00     9.00     0.20", "")[0] == (None,) * 4
    assert read("PAGES CASTOUT                 1800.00     2.00     9.00", "")[0] == (None,) * 4
    # Nothing counted is nothing by the second, too.
    assert read("PAGES CASTOUT                             0.00     0.00     0.00", "")[0] == (None, 0, 0, 0)


def test_one_wrong_row_among_others_misleads_nobody() -> None:
    wrong = "CLEAN PAGES SYNC.WRTN        90000.00     1.00     4.50     0.10\n"
    others = WHOLE + "UNREGISTER PAGE                900.00     1.00     4.50     0.10\n" + wrong
    assert read("PAGES CASTOUT                 1800.00     2.00     9.00", others)[0] == (1800, 2, 9, None)
    assert read("PAGES CASTOUT                    2.00     9.00     0.20", others)[0] == (None,) * 4


def test_another_interval_has_other_divisors() -> None:
    page = "DB2 VERSION: V13                                      SCOPE: MEMBER                                          TO: 10/06/25 {}:00:00.00\n"
    row = "PAGES CASTOUT                 1800.00     2.00     9.00\n"
    hourly = "SYN.READ(XI)-DATA RETURNED    3600.00     1.00     4.50     0.10\n"
    tables = read_text(page.format(10) + TITLES + WHOLE + row + page.format(11) + TITLES + hourly + row)
    castout = tables[COUNTER].filter(counter="PAGES CASTOUT").sort("line")
    assert castout["quantity"].to_list() == [1800, None]


@pytest.mark.parametrize(
    ("label", "printed", "is_read"),
    [
        ("LOOK-AHEAD MOUNT", 8.4, False),
        ("LOOK-AHEAD MOUNT", 0, False),
        ("LOOK-AHEAD MOUNT", 7, True),
        ("HIT RATIO (%)", 8.4, True),
    ],
)
def test_in_front_of_one_rate_a_share_or_a_whole_number_may_be_alone(label: str, printed: float, is_read: bool) -> None:
    titles = "LOG ACTIVITY                QUANTITY   /SECOND\n------------------------    --------   -------\n"
    others = "LOG WRITE REQUESTS          15118.00      8.40\n"
    numbers, _, rejects = read(f"{label:28}{printed:8.2f}", others, titles)
    assert (numbers[0], rejects) == ((printed, []) if is_read else (None, [SHIFT]))


def test_what_has_rates_is_a_whole_number() -> None:
    """Without other rows the interval tells nothing: 8.40 4.20 may be the rates of a lost quantity, and are not a quantity and a rate."""
    assert read("PAGES CASTOUT                    8.40     4.20", "")[0] == (None,) * 4
    titles = "LOG ACTIVITY                QUANTITY   /SECOND\n------------------------    --------   -------\n"
    # And 8.40 is not a quantity that was moved right, while 8 may be one.
    assert read(f"{'LOG WRITE REQUESTS':36}      8.40", "", titles)[0][:2] == (None, 8.4)
    assert read(f"{'LOG WRITE REQUESTS':36}      8.00", "", titles)[0][:2] == (None, None)
