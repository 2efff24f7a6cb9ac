"""RMF XCF Activity: published pages as printed, read from beside the project where they are there, and what the samples are
there to show. Every value was read off its page by eye."""

from __future__ import annotations

from typing import Any

import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import SHARED, Tables, sample, sample_tables

SYSTEM, PATH, MEMBER, REJECT = "rmf_xcf_system", "rmf_xcf_path", "rmf_xcf_member", "parse_reject"
FOLDER = SHARED / "real_reports"
USAGE_PAGE = FOLDER / "rmf_xcf_activity__zos_v2r4_usage_by_system_outbound.txt"
PATH_PAGE = FOLDER / "rmf_xcf_activity__zos_v2r4_path_statistics_outbound.txt"
published = pytest.mark.skipif(not USAGE_PAGE.exists(), reason=f"{USAGE_PAGE.name} is not beside the project")

OUTBOUND = (
    *("peer_system", "transport_class", "buffer_length_bytes", "requests_out"),
    *("small_pct", "fit_pct", "big_pct", "over_pct", "all_paths_unavailable", "rejects"),
)
SENT = ("peer_system", "path_type", "structure", "from_device", "to_device", "transport_class", "requests_out")
SENT += ("queue_length_avg", "available", "busy", "retries")
NONE = None


def rows(tables: Tables, table: str, columns: tuple[str, ...], **where: Any) -> list[tuple]:
    return tables[table].filter(**where).select(columns).rows()


@published
def test_the_published_usage_by_system_is_read_whole() -> None:
    tables = read_text(USAGE_PAGE.read_bytes())
    assert tables[REJECT].is_empty()
    assert tables[SYSTEM].select("system", "direction").unique().rows() == [("S5A", "outbound")]
    idle = (0, 0, 0, 0, 0, 0, 0)
    assert rows(tables, SYSTEM, OUTBOUND) == [
        ("S5B", "_XCFMGD", 956, 624950, 0, 99, 1, 100, 0, 0),
        ("S5B", "BIG", 40892, *idle),
        ("S5B", "CTTX", 40892, *idle),
        ("S5B", "DAE", 956, *idle),
        ("S5B", "DEFAULT", 20412, *idle),
        ("S5B", "DEFSMALL", 956, *idle),
        ("S5B", "DEF8K", 8124, *idle),
        ("S5B", "FEWFAST", 956, *idle),
    ]


@published
def test_the_published_path_statistics_are_read_whole() -> None:
    tables = read_text(PATH_PAGE.read_bytes())
    assert tables[REJECT].is_empty()
    assert tables[PATH].select("system", "direction").unique().rows() == [("S5A", "outbound")]
    assert rows(tables, PATH, SENT) == [
        ("S5B", "S", "IXCPLEX_PATH1", NONE, NONE, "_XCFMGD", 147251, 0.0, 147251, 0, 0),
        ("S5B", "S", "IXCPLEX_PATH2", NONE, NONE, "_XCFMGD", 454322, 0.0, 454322, 0, 0),
        ("S5B", "S", "IXCPLEX_PATH3", NONE, NONE, "_XCFMGD", 5011, 0.0, 5011, 0, 0),
        ("S5B", "S", "IXCPLEX_PATH4", NONE, NONE, "CTTX", 0, 0.0, 0, 0, 0),
        ("S5B", "S", "IXCPLEX_PATH5", NONE, NONE, "_XCFMGD", 18395, 0.0, 18383, 12, 0),
        ("S5B", "C", NONE, "C5B0", "C5A4", "_XCFMGD", 57, 0.0, 53, 4, 0),
        ("S5B", "C", NONE, "C5B1", "C5A5", "_XCFMGD", 73, 0.0, 64, 9, 0),
        ("S5B", "C", NONE, "C5B2", "C5A6", "_XCFMGD", 52, 0.0, 47, 5, 0),
    ]


IN = ("peer_system", "requests_in", "rejects")
SIDE_BY_SIDE = {
    "outbound": [
        ("SYSB", "DEFAULT", 956, 1150910, 0, 99, 1, 100, 0, 0),
        ("SYSB", "BIG", 40892, 8317, 12, 88, 0, 0, 3, 0),
        ("SYSC", "DEFAULT", 956, 27044, 0, 97, 3, 64, 0, 2),
        ("SYSC", "BIG", 40892, 512, 40, 60, 0, 0, 0, 0),
        ("SYSD", "_XCFMGD", 62464, 99, 100, 0, 0, 0, 0, 0),
    ],
    "inbound": [("SYSB", 1204338, 0), ("SYSC", 26910, 5), ("SYSD", 101, 0)],
    "local": [("DEFAULT", 0), ("BIG", 7), ("DEFSMALL", 0), ("_XCFMGD", 1)],
}


def halves(tables: Tables) -> dict[str, list[tuple]]:
    columns = {"outbound": OUTBOUND, "inbound": IN, "local": ("transport_class", "rejects")}
    return {d: rows(tables, SYSTEM, c, direction=d, is_total=False) for d, c in columns.items()}


def test_halves_side_by_side_do_not_mix() -> None:
    tables = sample_tables(sample("xcf_usage_side_by_side"))
    assert halves(tables) == SIDE_BY_SIDE
    assert rows(tables, SYSTEM, ("direction", "peer_system", "requests_out", "requests_in"), is_total=True) == [
        ("inbound", NONE, NONE, 1231349),
        ("outbound", NONE, 1186882, NONE),
    ]


def test_halves_are_separated_where_the_rule_has_no_gaps() -> None:
    lines = sample("xcf_usage_side_by_side").read_text().splitlines()
    closed = ["-" * len(line) if set(line) == {"-", " "} and line.startswith("-") else line for line in lines]
    tables = read_text("\n".join(closed) + "\n")
    assert tables[REJECT].is_empty()
    assert halves(tables) == SIDE_BY_SIDE


def test_one_half_alone_is_read() -> None:
    lines = sample("xcf_usage_side_by_side").read_text().splitlines()
    for direction, begin, end in (("outbound", 0, 76), ("inbound", 79, 108)):
        alone = [line[begin:end].rstrip() if k % 18 > 8 else line for k, line in enumerate(lines)]
        tables = read_text("\n".join(alone) + "\n")
        assert tables[REJECT].is_empty()
        assert halves(tables) == {d: found if d == direction else [] for d, found in SIDE_BY_SIDE.items()}


def test_halves_below_each_other() -> None:
    tables = sample_tables(sample("xcf_usage_halves_below_each_other"))
    assert halves(tables) == {
        "outbound": [
            ("SYSA", "DEFAULT", 956, 88120, 1, 90, 9, 100, 0, 0),
            ("SYSA", "BIG", 40892, 401, 0, 100, 0, 0, 0, 0),
        ],
        "inbound": [("SYSA", 87005, 0), ("SYSC", 12, 0)],
        "local": [("DEFAULT", 3), ("BIG", 0)],
    }


def test_paths_go_on_over_a_page() -> None:
    tables = sample_tables(sample("xcf_paths_over_pages"))
    assert rows(tables, PATH, SENT, direction="outbound") == [
        ("SYSB", "S", "IXCPATH_DEFAULT1", NONE, NONE, "DEFAULT", 312004, 0.12, 310877, 1127, 0),
        ("SYSB", "C", NONE, "4F20", "4E20", "BIG", 1150910, 1.5, 1150002, 908, 2),
        ("SYSB", "C", NONE, "4F21", "4E21", "BIG", 7, 0.0, 7, 0, 0),
    ]
    received = (
        "peer_system",
        "path_type",
        "structure",
        "from_device",
        "to_device",
        "requests_in",
        "buffers_unavailable",
    )
    assert rows(tables, PATH, received, direction="inbound") == [
        ("SYSB", "S", "IXCPATH_DEFAULT1", NONE, NONE, 298417, 0),
        ("SYSB", "S", "IXCPATH_BIG", NONE, NONE, 55, 4),
        ("SYSB", "C", NONE, "4E30", "4F30", 1402, 0),
        ("SYSC", "S", "IXCPATH_DEFAULT1", NONE, NONE, 12118, 0),
        ("SYSC", "C", NONE, "4E40", "4F40", 3, 1),
    ]


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


def test_local_and_remote_members_are_read() -> None:
    tables = sample_tables(sample("xcf_members"))
    columns = ("xcf_group", "member", "member_system", "requests_out", "requests_in")
    assert rows(tables, MEMBER, columns, direction="remote") == [
        ("DSNDB0A", "DB2A$SYSB", "SYSB", 12044, 11870),
        ("DSNDB0A", "DB2C", "SYSC", 301, 288),
        ("SYSGRS", "SYSB", "SYSB", 2205117, 2198406),
        ("SYSGRS", "SYSC", "SYSC", 40006, 39115),
        ("SYSWLM", "SYSB", "SYSB", 77, 0),
    ]
    assert rows(tables, MEMBER, columns, direction="local") == [
        ("DSNDB0A", "DB2B", "SYSA", 12158, 12345),
        ("SYSGRS", "SYSA", "SYSA", 2237521, 2245123),
    ]


def test_what_cannot_be_read_is_a_reject_and_the_rest_is_kept() -> None:
    tables = sample_tables(sample("xcf_shifted_unseen_title_and_overflow"))
    assert rows(tables, MEMBER, ("xcf_group", "member", "member_system", "requests_out", "requests_in")) == [
        ("SYSXCF", "SYSA", "SYSA", 1024, 987),
        ("SYSXCF", "SYSB", "SYSB", NONE, 5),
        ("SYSWLM", "SYSB", "SYSB", 77, NONE),
    ]
    assert rows(tables, PATH, ("structure", "requests_out", "available", "busy", "retries")) == [
        ("IXCPATH_1", 9114, 9100, 14, 0),
        ("IXCPATH_2", 0, 0, 0, 0),
    ]
    told = tables[REJECT]["what"].to_list()
    assert ["12,34" in told[0], "did not fit" in told[1], "SIGNALS" in told[2], "unexpected" in told[3]] == [True] * 4


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
