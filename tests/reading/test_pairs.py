"""Lines of labels and values are cut where a label and its colon say so."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from ironlake.pipeline.reading.cut_pairs import find_pairs
from ironlake.pipeline.reading.engine import read_text
from sample_pages import SAMPLES


def pairs(line: str) -> list[tuple[str, str | None]]:
    return find_pairs(pl.Series([line]), np.array([0])).filter(pl.col("name") != "").select("name", "value").rows()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (" Name. . . . : DB3A      Sysid . . . : S1", [("NAME", "DB3A"), ("SYSID", "S1")]),
        ("Pool  thread   limit  . . . .:12", [("POOL THREAD LIMIT", "12")]),
        (" At 09:57:09", []),
        (" Calls:12", []),
        (" Calls: 12   Signons:", [("CALLS", "12"), ("SIGNONS", "")]),
        (" Pool  thread   limit  . . . .: 12", [("POOL THREAD LIMIT", "12")]),
        (" Name. . :                Sysid. . :", [("NAME", ""), ("SYSID", "")]),
        (" Connected. . : 11/03/2025  07:02:11.4   Tasks on Conn./TCB. . : 4",
         [("CONNECTED", "11/03/2025  07:02:11.4"), ("TASKS ON CONN./TCB", "4")]),
        (" Calls. . : 12 Signons. . : 5", [("CALLS", "12 Signons. . : 5")]),
        (" Calls. . : 12      Signons. . 5", [("CALLS", "12      Signons. . 5")]),
    ],
)  # fmt: skip
def test_pairs_of_a_line(line: str, expected: list[tuple[str, str]]) -> None:
    assert [pair for pair in pairs(line) if pair[1] is not None] == expected


def test_columns_of_a_pair_are_those_of_the_page() -> None:
    line = "   Calls. . :   12      Signons. . : 5"
    rows = find_pairs(pl.Series([line, line]), np.array([3, 7])).filter(pl.col("value").is_not_null())
    assert rows["line"].to_list() == [3, 3, 7, 7]
    for name, begin, start, end in rows.select("name", "begin", "start", "end").rows():
        assert line[begin:].strip().upper().startswith(name)
        assert line[start - 1] == ":"
        assert line[start:end].split()[0] in ("12", "5")


def test_a_reject_shows_the_last_value_of_a_line_alone() -> None:
    """The last pair of a line reaches beyond the widest line of the report: what stands on the next line is not part of it."""
    page = (SAMPLES / "cics_statistics" / "cics_connection.txt").read_text()
    tables = read_text(page.replace(" : 2205\n", " : 22(5\n").replace(" : 11360\n", " : 11³60\n"))
    assert tables["parse_reject"]["what"].to_list() == [
        "pool_commits: '22(5' cannot be read",
        "pool_tasks_total: '11?60' cannot be read",
    ]
