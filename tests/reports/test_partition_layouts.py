"""RMF Partition Data Report, cell by cell: the layouts of z/OS V2R4 and V1R8. Every cell was read off its page by eye."""

from __future__ import annotations

import datetime as dt
import re
from functools import cache
from typing import Any

import pytest
from ironlake.parsers.rmf_partition_data import read_head_line
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.reading.engine import read_text
from ironlake.pipeline.reading.headings import heading_columns
from page_variants import every, read_variants, turns, whole
from sample_pages import SHARED, Tables, one, options_of, read_each, sample, sample_tables

PARTITION, HEAD, NULLS, REJECT = "rmf_partition_data", "rmf_partition_head", "cell_null", "parse_reject"
DAY_FIRST = Options(date_order="dmy")
BOOST, OLD = "partition_boost_and_changed_values", "partition_old_head_dd_mm"

# The cells of a line in the order of the page, blank where nothing is printed.
CELLS = (
    *("partition", "status", "boost_type", "weight", "msu_defined", "msu_used", "capping_definition"),
    *("capping_wlm_pct", "logical_processors", "processor_type", "effective_dispatch", "total_dispatch"),
    *("logical_effective_pct", "logical_total_pct"),
    *("lpar_management_pct", "physical_effective_pct", "physical_total_pct"),
)
TEXTS = ("partition", "boost_type", "capping_definition", "processor_type")
MAY_CHANGE = ("status", "weight", "msu_defined", "logical_processors")
LETTERS = ("initial_capping", "lpar_hardware_capping", "hardware_group_capping")

# Values of the head in the order of the page.
HEAD_CELLS = (
    *("system", "mvs_partition", "image_capacity", "configured_partitions", "physical_processors"),
    *(f"physical_processors_{kind}" for kind in ("cp", "aap", "ifl", "icf", "iip")),
    *("wait_completion", "dispatch_interval", "capacity_group", "capacity_group_limit", "capacity_group_available"),
    *(*LETTERS, "absolute_msu_capping"),
)
NONE = None

BOOST_ROWS = """
PRODA     |A |S|1000|900*|871|Y N Y |100.0|12.0|CP |01.11.40.611|01.12.17.204|59.92|60.43|0.51|59.92|60.43
PRODB     |A*|N|640*|0   |246|N*N*Y*|0.0  |7.5 |CP |00.20.15.340|00.20.28.009|27.09|27.37|0.18|16.93|17.11
DEVTEST1  |A |N|55  |60  |12 |N Y N |3.4  |3*  |CP |00.01.01.022|00.01.03.518|3.40 |3.54 |0.03|0.85 |0.88
*PHYSICAL*|  | |    |    |   |      |     |    |CP |            |00.00.09.876|     |     |0.14|     |0.14
TOTAL     |  | |1695|    |   |      |     |    |CP |01.32.56.973|01.33.58.607|     |     |0.86|77.70|78.56
LNXPOOL   |A | |200 |    |   |N N N |     |3   |IFL|00.06.42.117|00.06.42.990|22.41|22.46|0.05|22.41|22.46
*PHYSICAL*|  | |    |    |   |      |     |    |IFL|            |00.00.00.105|     |     |0.01|     |0.01
TOTAL     |  | |200 |    |   |      |     |    |IFL|00.06.42.117|00.06.43.095|     |     |0.05|22.41|22.46
CFPROD    |A | |DED |    |   |      |     |1   |ICF|00.09.58.102|00.09.58.107|100.0|100.0|0.00|50.00|50.00
CFTEST    |A | |40  |    |   |N*N N |     |1   |ICF|00.00.44.310|00.00.44.592|7.41 |7.46 |0.02|3.70 |3.73
*PHYSICAL*|  | |    |    |   |      |     |    |ICF|            |00.00.00.038|     |     |0.00|     |0.00
TOTAL     |  | |40  |    |   |      |     |    |ICF|00.10.42.412|00.10.42.737|     |     |0.03|53.70|53.73
PRODA     |A |I|1000|    |   |Y N Y |     |3   |IIP|00.13.20.230|00.13.23.004|44.60|44.75|0.15|44.60|44.75
PRODB     |A*|N|640*|    |   |N N*Y |     |2*  |IIP|00.01.30.008|00.01.30.551|7.52 |7.57 |0.03|5.02 |5.05
*PHYSICAL*|  | |    |    |   |      |     |    |IIP|            |00.00.01.209|     |     |0.07|     |0.07
TOTAL     |  | |1640|    |   |      |     |    |IIP|00.14.50.238|00.14.54.764|     |     |0.25|49.61|49.87
SPARE1    |D | |    |    |   |      |     |    |   |            |            |     |     |    |     |
RETIRED9  |D*| |    |    |   |      |     |    |   |            |            |     |     |    |     |
"""
BOOST_HEAD = (
    *("SYSP", "PRODA", 900.0, 8, 20, 12, NONE, 3, 2, 3),
    *("NO", "DYNAMIC", "CAPGRP1", 1200.0, -46.0, True, False, True, NONE),
)
BOOST_CHANGED = {"image_capacity", "physical_processors_cp", "capacity_group_limit", "initial_capping"}

OLD_ROWS = """
LPB1      |A | |410 |310 |287|NO    |100.0|4.0 |CP |00.38.10.112|00.38.21.930|63.61|63.94|0.19|36.35|36.54
LPB2      |A | |250 |0   |121|YES   |0.0  |3   |CP |00.16.05.440|00.16.12.008|35.76|36.00|0.10|15.32|15.43
LPB3      |A*| |90* |60* |61 |NO*   |12.5 |2.2*|CP |00.08.04.771|00.08.08.306|24.48|24.66|0.06|7.69 |7.75
*PHYSICAL*|  | |    |    |   |      |     |    |CP |            |00.00.52.605|     |     |0.83|     |0.83
TOTAL     |  | |750 |    |   |      |     |    |CP |01.02.20.323|01.03.34.849|     |     |1.18|59.37|60.55
CFB1      |A | |DED |    |   |      |     |1   |ICF|00.14.59.981|00.14.59.990|100.0|100.0|0.00|50.00|50.00
CFB2      |A | |60  |    |   |      |     |1   |ICF|00.03.00.102|00.03.00.377|20.01|20.04|0.02|10.01|10.02
*PHYSICAL*|  | |    |    |   |      |     |    |ICF|            |00.00.00.121|     |     |0.01|     |0.01
TOTAL     |  | |60  |    |   |      |     |    |ICF|00.18.00.083|00.18.00.488|     |     |0.02|60.00|60.03
LPB8      |D | |    |    |   |      |     |    |   |            |            |     |     |    |     |
LPB9      |D*| |    |    |   |      |     |    |   |            |            |     |     |    |     |
"""
OLD_HEAD = (
    *("SYSB", "LPB1", 310.0, 8, 14, 7, 2, 2, 2, 1),
    *("NO", "DYNAMIC", "CPUGRPA", 450.0, NONE, NONE, NONE, NONE, NONE),
)
OLD_CHANGED = {"capacity_group_limit"}

# Published pages, read from beside the project where they are there.
PUBLISHED = SHARED / "real_reports_2"
PUBLISHED_ROWS = """
R75       |A |S|500 |0   |38 |N N Y |0.0  |6.0 |CP |00.05.23.107|00.05.30.280|7.05 |7.21 |0.03|1.24 |1.27
S50       |A |N|500 |0   |152|N N N |0.0  |20.0|CP |00.21.23.721|00.21.36.551|8.40 |8.49 |0.05|4.94 |4.99
S51       |A |N|500 |0   |144|N N N |0.0  |20.0|CP |00.20.22.311|00.20.38.368|8.00 |8.11 |0.06|4.71 |4.77
R76       |A*|S|459*|0   |32 |N*N*Y*|0.0  |5.5 |CP |00.04.34.774|00.04.52.328|6.52 |6.94 |0.07|1.06 |1.13
S58       |A |N|500 |0   |150|N N N |0.0  |50.0|CP |00.21.11.686|00.21.26.534|3.33 |3.37 |0.06|4.90 |4.95
S59       |A |N|500 |0   |151|N N N |0.0  |30.0|CP |00.21.22.220|00.21.35.710|5.60 |5.66 |0.05|4.94 |4.99
*PHYSICAL*|  | |    |    |   |      |     |    |CP |            |00.01.05.274|     |     |0.25|     |0.25
TOTAL     |  | |2959|    |   |      |     |    |CP |01.34.17.821|01.36.45.049|     |     |0.57|21.79|22.36
XACFT87   |A | |DED |    |   |      |     |1   |ICF|00.12.43.708|00.12.43.711|99.99|100.0|0.00|10.00|10.00
X5CFT87   |A | |DED |    |   |      |     |6   |ICF|01.16.22.488|01.16.22.488|100.0|100.0|0.00|60.00|60.00
X7CFT87   |A | |DED |    |   |      |     |3   |ICF|00.38.11.103|00.38.11.109|99.99|99.99|0.00|30.00|30.00
*PHYSICAL*|  | |    |    |   |      |     |    |ICF|            |00.00.00.068|     |     |0.00|     |0.00
TOTAL     |  | |0   |    |   |      |     |    |ICF|02.07.17.299|02.07.17.377|     |     |0.00|100.0|100.0
R75       |A |I|500 |    |   |N N Y |     |10  |IIP|00.01.21.881|00.01.22.452|1.07 |1.08 |0.01|1.07 |1.08
S50       |A |N|500 |    |   |N N N |     |5   |IIP|00.00.28.080|00.00.28.476|0.74 |0.75 |0.01|0.37 |0.37
S51       |A |N|500 |    |   |N N N |     |5   |IIP|00.00.27.696|00.00.28.111|0.73 |0.74 |0.01|0.36 |0.37
R76       |A*|I|459*|    |   |N*Y*Y*|     |10* |IIP|00.00.03.529|00.00.03.583|0.08 |0.08 |0.00|0.05 |0.05
S58       |A |N|500 |    |   |N N N |     |4   |IIP|00.00.27.968|00.00.28.239|0.92 |0.92 |0.00|0.37 |0.37
S59       |A |N|500 |    |   |N N N |     |4   |IIP|00.00.27.989|00.00.28.396|0.92 |0.93 |0.01|0.37 |0.37
*PHYSICAL*|  | |    |    |   |      |     |    |IIP|            |00.00.02.163|     |     |0.03|     |0.03
"""
PUBLISHED_HEAD = (
    *("R75", "R75", 541.0, 44, 54, 34, NONE, NONE, 10, 10),
    *("NO", "DYNAMIC", NONE, NONE, NONE, False, False, True, True),
)
# Up to the first of the letters.
PUBLISHED_OLD_HEAD = ("SYS1", "A", 120.0, 6, 16, 8, 2, 5, 1, NONE, "NO", "DYNAMIC", "GROUP1", 200.0, NONE, NONE)


@cache
def published(name: str) -> Tables:
    path = PUBLISHED / f"rmf_partition_data__{name}.txt"
    if not path.exists():
        pytest.skip(f"the published page {path.name} is not in ../{SHARED.name}/{PUBLISHED.name} beside the project")
    return read_text(path.read_bytes(), options=DAY_FIRST if "ddmm" in name else Options(), name=path.name)


def cell_values(line: str) -> dict[str, Any]:
    """What the row of a line of cells must hold. Number, text and flag are told by the cell alone."""
    printed = dict(zip(CELLS, (cell.strip() for cell in line.split("|")), strict=True))
    is_total = printed["partition"] == "TOTAL"
    of_partition = printed["partition"] not in ("TOTAL", "*PHYSICAL*")
    row: dict[str, Any] = {"is_total": is_total, "dedicated": None, "capped": None, "capping_changed": None}
    row |= dict.fromkeys(LETTERS)
    for name, cell in printed.items():
        bare = cell.rstrip("*") if name in MAY_CHANGE else cell
        if name in MAY_CHANGE:
            row[f"{name}_changed"] = cell.endswith("*") if cell and of_partition else None
        if name in TEXTS or name == "status":
            row[name] = bare or None
        elif name.endswith("_dispatch"):
            row[name] = (
                sum(float(p) * w for p, w in zip(cell.split(".", 2), (3600, 60, 1), strict=True)) if cell else None
            )
        else:
            row[name] = float(bare) if bare and bare != "DED" else None
    if is_total:
        row["partition"] = None
    if of_partition and printed["weight"]:
        row["dedicated"] = printed["weight"] == "DED"
    if capping := printed["capping_definition"]:
        row |= {"capped": "Y" in capping, "capping_changed": "*" in capping}
        letters = re.sub("[* ]", "", capping)
        if len(letters) == 3 and set(letters) <= {"Y", "N"}:
            row |= {name: letter == "Y" for name, letter in zip(LETTERS, letters, strict=True)}
    return row


def assert_rows(tables: Tables, cells: str) -> None:
    expected = [cell_values(line) for line in cells.strip("\n").splitlines()]
    found = tables[PARTITION].select(list(expected[0])).to_dicts()
    assert [{k: pytest.approx(v) if isinstance(v, float) else v for k, v in row.items()} for row in expected] == found
    assert tables[REJECT].height == 0


def assert_head(tables: Tables, values: tuple[Any, ...], changed: set[str]) -> None:
    (row,) = tables[HEAD].to_dicts()
    assert tuple(row[name] for name in HEAD_CELLS[: len(values)]) == values
    marked = {k.removesuffix("_changed") for k, v in row.items() if k.endswith("_changed") and v}
    assert marked == changed


def test_cells_of_the_layout_of_v2r4() -> None:
    assert_rows(sample_tables(sample(BOOST)), BOOST_ROWS)


def test_head_of_v2r4() -> None:
    assert_head(sample_tables(sample(BOOST)), BOOST_HEAD, BOOST_CHANGED)
    stated = one(sample_tables(sample(BOOST)), NULLS, column="absolute_msu_capping")
    assert (stated["table"], stated["reason"], stated["line"]) == (HEAD, "N/A", 6)


def test_cells_of_the_layout_of_v1r8() -> None:
    assert_rows(sample_tables(sample(OLD)), OLD_ROWS)


def test_head_of_v1r8() -> None:
    assert_head(sample_tables(sample(OLD)), OLD_HEAD, OLD_CHANGED)
    assert sample_tables(sample(OLD))[HEAD]["interval_start"].to_list() == [dt.datetime(2006, 11, 23, 9, 45)]


def test_the_order_of_a_date_is_not_guessed() -> None:
    tables = read_text(sample(OLD).read_text())
    assert tables[PARTITION]["interval_start"].to_list() == [None] * 11
    assert [r.split(": ")[1] for r in tables[REJECT]["what"]] == ["date 23/11/2006 09.45.00 cannot be read"]


def test_cells_of_the_published_page_of_v2r4() -> None:
    assert_rows(published("zos_v2r4_boost"), PUBLISHED_ROWS)


def test_head_of_the_published_page_of_v2r4() -> None:
    tables = published("zos_v2r4_boost")
    assert_head(tables, PUBLISHED_HEAD, set())
    stated = tables[NULLS].filter(table=HEAD, reason="N/A")
    assert set(stated["column"]) == {"capacity_group", "capacity_group_limit", "capacity_group_available"}


def test_head_of_the_published_page_of_v1r8() -> None:
    tables = published("zos_v1r8_head_ddmm")
    assert_head(tables, PUBLISHED_OLD_HEAD, {"capacity_group_limit"})
    assert tables[HEAD].select("interval_start", "interval_s").rows() == [(dt.datetime(2006, 4, 30, 13, 30), 900.999)]
    assert tables[REJECT].height == 0


def test_the_letters_of_a_partition_are_those_of_its_head() -> None:
    """The page prints them twice for the partition whose system printed it: that is what the three letters mean."""
    for tables in (sample_tables(sample(BOOST)), published("zos_v2r4_boost")):
        (head,) = tables[HEAD].to_dicts()
        own = one(tables, PARTITION, partition=head["mvs_partition"], processor_type="CP")
        assert [own[name] for name in LETTERS] == [head[name] for name in LETTERS]


@pytest.mark.parametrize("name", ["zos_v2r4_boost", "zos_v1r8_head_ddmm"])
def test_published_pages_as_sites_deliver_them(name: str) -> None:
    """With a margin, and with carriage control on every line."""
    whole = published(name)
    lines = (PUBLISHED / f"rmf_partition_data__{name}.txt").read_text().splitlines()
    controls = ["1", *("0" if k % 5 == 2 else "-" if k % 7 == 3 else " " for k in range(1, len(lines)))]
    for fronts in (*([" " * columns] * len(lines) for columns in (1, 2, 7)), controls):
        text = "".join(front + line + "\n" for front, line in zip(fronts, lines, strict=True))
        found = read_text(text, options=DAY_FIRST if "ddmm" in name else Options())
        for table in (PARTITION, HEAD):
            names = [c for c in whole[table].columns if not c.startswith("source")]
            assert found[table].select(names).equals(whole[table].select(names))
        assert found[REJECT].height == 0


# --- The head, line by line -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("MVS PARTITION NAME     CP        PHYS PROC NUM    9", {"mvs_partition": "CP", "physical_processors": 9.0}),
        ("DISPATCH INTERVAL   DYNAMIC      IIP    3      ", {"physical_processors_iip": 3.0}),
        ("CAPACITY  12", {}),
        ("IMAGE CAPACITY   N/A     CP  10    LIMIT      *****    LPAR HW CAP   YES", {"image_capacity": "N/A"}),
        ("IMAGE CAPACITY   12x     CP  10    LIMIT        900    LPAR HW CAP   NO", {"capacity_group_limit": 900.0}),
        ("WAIT COMPLETION          ICF  2", {"physical_processors_icf": 2.0}),
        ("NUMBER OF CONFIGURED PARTITIONS   4    AAP  1    AVAILABLE          HW GROUP CAP   NO", {}),
    ],
)
def test_a_line_of_the_head(line: str, values: dict[str, Any]) -> None:
    found, _ = read_head_line(line)
    assert values.items() <= found.items()


@pytest.mark.parametrize(
    ("line", "missing", "unknown"),
    [
        ("IMAGE CAPACITY   ****    CP  10", "image_capacity", [(17, "****")]),
        ("IMAGE CAPACITY   12x     CP  10", "image_capacity", [(17, "12x")]),
        ("WAIT COMPLETION          ICF  2", "wait_completion", []),
        (
            "MVS PARTITION NAME   LPA     BOOST SOURCE  IPL    GROUP NAME   G1",
            "physical_processors",
            [(29, "BOOST SOURCE")],
        ),
    ],
)
def test_a_head_line_gives_no_value_that_it_does_not_print(line: str, missing: str, unknown: list) -> None:
    found, words = read_head_line(line)
    assert missing not in found
    assert words[: len(unknown)] == unknown
    assert bool(words) == bool(unknown)


def test_an_unknown_word_of_the_head_is_one_reject() -> None:
    """Once a page, though every row below takes values from these lines."""
    text = sample(BOOST).read_text().replace("AVAILABLE         -46", "AVAILABLE       SHARED")
    tables = read_text(text)
    (reject,) = tables[REJECT].to_dicts()
    assert (reject["line"], reject["what"]) == (8, "rmf_partition_data: 'SHARED' cannot be read")
    (head,) = tables[HEAD].to_dicts()
    assert (head["capacity_group_available"], head["capacity_group_limit"], head["hardware_group_capping"]) == (
        *(None, 1200.0, True),
    )


def test_a_head_without_partitions_is_a_row() -> None:
    text = "".join(sample(OLD).read_text().splitlines(keepends=True)[:12])
    tables = read_text(text, options=DAY_FIRST)
    assert tables[PARTITION].height == 0
    assert_head(tables, OLD_HEAD, OLD_CHANGED)


@pytest.mark.parametrize("width", range(97, 104))
def test_a_head_that_is_cut_at_the_right_has_no_part_of_a_value(width: int) -> None:
    """LIMIT 450 * ends in column 104, CPUGRPA in column 103; what is left of them is neither."""
    text = "".join(line[:width].rstrip() + "\n" for line in sample(OLD).read_text().splitlines())
    tables = read_text(text, options=DAY_FIRST)
    (head,) = tables[HEAD].to_dicts()
    assert (head["capacity_group"], head["capacity_group_limit"]) == (None, None)
    assert head["physical_processors_icf"] == 2
    assert {6, 7} & set(tables[REJECT]["line"]) or "were cut" in " ".join(tables[REJECT]["what"])


@every(9)
@pytest.mark.parametrize("name", [BOOST, OLD])
def test_no_part_of_a_value_is_read_where_a_file_ends_within_the_head(name: str, nth: int) -> None:
    text = sample(name).read_text()
    ends = turns(range(text.index("MVS PARTITION"), text.index("PARTITION DATA -")), nth, name)
    (printed,) = (row for key, row in whole(sample(name)).rows.items() if key[0] == HEAD)
    heads = 0
    for cut in read_variants([text[:end] for end in ends], options_of(sample(name))):
        for row in (row for key, row in cut.rows.items() if key[0] == HEAD):
            assert all(value is None or value == printed[column] for column, value in row.items())
            heads += 1
    assert heads > len(ends) / 2


# --- The heading ----------------------------------------------------------------------------------------------------


def groups_of(lines: str) -> list[tuple[str, str]]:
    """The groups that span each column of a heading, outermost first."""
    columns = heading_columns(lines.strip("\n").splitlines(), ["LPAR MGMT"], {})
    return [(column.title, " / ".join(column.groups)) for column in columns]


def test_groups_one_blank_apart_are_separate() -> None:
    """Whether each has dashes at both its ends or not; a dash within a title ends none."""
    assert groups_of("""
--APART ----B PART---- --C-D RATES--  ---- E ----
 ONE TWO THREE    FOUR   FIVE  SIX      SEVEN
""") == [
        *(("ONE", "APART"), ("TWO", "APART"), ("THREE", "B PART"), ("FOUR", "B PART")),
        *(("FIVE", "C-D RATES"), ("SIX", "C-D RATES"), ("SEVEN", "E")),
    ]


# --- Cells ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [BOOST, OLD])
def test_a_margin_changes_nothing(name: str) -> None:
    lines, whole = sample(name).read_text().splitlines(keepends=True), sample_tables(sample(name))
    moved = ["".join(" " * columns + line for line in lines) for columns in (*range(1, 12), 40)]
    for found in read_each(moved, options_of(sample(name))):
        for table in (PARTITION, HEAD):
            assert found[table].drop("source_file").equals(whole[table].drop("source_file"))
        assert found[REJECT].height == 0


@pytest.mark.parametrize("printed", ["N Q N ", "N N   ", "?     "])
def test_unknown_capping_letters_are_rejected(printed: str) -> None:
    tables = read_text(sample(BOOST).read_text().replace("N Y N ", printed))
    row = one(tables, PARTITION, partition="DEVTEST1")
    assert [row[name] for name in ("capping_definition", "capped", *LETTERS)] == [None] * 5
    assert tables[REJECT]["line"].to_list() == [17]
    assert (row["capping_wlm_pct"], row["msu_used"]) == (3.4, 12.0)


def test_mixed_capping_leaves_capped_null() -> None:
    tables = read_text(sample(OLD).read_text().replace("YES ", "MIX "), options=DAY_FIRST)
    row = one(tables, PARTITION, partition="LPB2")
    assert (row["capping_definition"], row["capped"], row["capping_changed"]) == ("MIX", None, False)
    assert tables[REJECT].height == 0


def test_a_value_that_did_not_fit_did_not_change() -> None:
    text = sample(BOOST).read_text().replace("A* N 640*    0    246", "A* N ****    0    246")
    tables = read_text(text)
    row = one(tables, PARTITION, partition="PRODB", processor_type="CP")
    assert (row["weight"], row["weight_changed"], row["dedicated"]) == (None, None, None)
    assert tables[NULLS].filter(line=16)["reason"].to_list() == ["overflow"]
    assert tables[REJECT]["line"].to_list() == [16]
