"""RMF XCF Activity: halves side by side, and names that hold below themselves alone. Values of pages stand beside them."""

from __future__ import annotations

from typing import Any

import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import Tables, sample, sample_tables

SYSTEM, PATH, MEMBER, REJECT = "rmf_xcf_system", "rmf_xcf_path", "rmf_xcf_member", "parse_reject"

OUTBOUND = (
    *("peer_system", "transport_class", "buffer_length_bytes", "requests_out"),
    *("small_pct", "fit_pct", "big_pct", "over_pct", "all_paths_unavailable", "rejects"),
)
NONE = None


def rows(tables: Tables, table: str, columns: tuple[str, ...], **where: Any) -> list[tuple]:
    return tables[table].filter(**where).select(columns).rows()


def halves(tables: Tables) -> dict[str, list[tuple]]:
    inbound = ("peer_system", "requests_in", "rejects")
    columns = {"outbound": OUTBOUND, "inbound": inbound, "local": ("transport_class", "rejects")}
    return {d: rows(tables, SYSTEM, c, direction=d, is_total=False) for d, c in columns.items()}


def test_halves_are_separated_where_the_rule_has_no_gaps() -> None:
    lines = sample("xcf_usage_side_by_side").read_text().splitlines()
    closed = ["-" * len(line) if set(line) == {"-", " "} and line.startswith("-") else line for line in lines]
    tables = read_text("\n".join(closed) + "\n")
    assert tables[REJECT].is_empty()
    assert halves(tables) == halves(sample_tables(sample("xcf_usage_side_by_side")))


def test_one_half_alone_is_read() -> None:
    whole = halves(sample_tables(sample("xcf_usage_side_by_side")))
    lines = sample("xcf_usage_side_by_side").read_text().splitlines()
    for direction, begin, end in (("outbound", 0, 76), ("inbound", 79, 108)):
        alone = [line[begin:end].rstrip() if k % 18 > 8 else line for k, line in enumerate(lines)]
        tables = read_text("\n".join(alone) + "\n")
        assert tables[REJECT].is_empty()
        assert halves(tables) == {d: found if d == direction else [] for d, found in whole.items()}


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("TIME 10.15.00", "TIME 10.30.00"),
        ("OUTBOUND FROM SYSA", "OUTBOUND FROM SYSB"),
        ("SYSTEM ID SYSA", "SYSTEM ID SYSB"),
    ],
)
def test_a_name_holds_for_pages_of_its_own_section_alone(was: str, now: str) -> None:
    text = sample("xcf_paths_over_pages").read_text()
    second = text.index("X C F", 200)
    tables = read_text(text[:second] + text[second:].replace(was, now))
    names = tables[PATH].filter(page=2)["peer_system"].to_list()
    assert names == [NONE, NONE, "SYSC", "SYSC"]
    assert tables[REJECT]["what"][-1] == "peer_system: 2 rows have no name, and no row above gives one"


def test_a_name_does_not_pass_rows_that_were_not_read() -> None:
    lines = sample("xcf_paths_over_pages").read_text().splitlines()
    titles, last = lines[:14], lines[14:]
    middle = [line for line in titles[:-2] if "OUTBOUND" not in line and "P STRUCT" not in line]
    middle += ["SYSD     S IXCPATH_9        DEFAULT        5    0.00       5       0       0"]
    tables = read_text("\n".join([*titles, *middle, *last]) + "\n")
    assert tables[PATH].filter(page=3, direction="outbound")["peer_system"].to_list() == [NONE]
    assert tables[REJECT].height == 2


def test_rows_below_a_spoilt_row_do_not_take_the_name_above_it() -> None:
    text = sample("xcf_members").read_text().replace("SYSGRS    SYSB ", "SYS;RS    SYSB ")
    tables = read_text(text)
    groups = rows(tables, MEMBER, ("xcf_group", "member", "requests_out"), direction="remote")
    assert groups == [
        ("DSNDB0A", "DB2A$SYSB", 12044),
        ("DSNDB0A", "DB2C", 301),
        (NONE, "SYSC", 40006),
        ("SYSWLM", "SYSB", 77),
    ]
    assert tables[REJECT].filter(line=15).height == 1
