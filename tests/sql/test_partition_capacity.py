"""What partitions are entitled to: pages apart and printed twice, caps, changes, dedicated processors. Worked by hand."""

import datetime as dt

import pytest
from one_lake import Asks, Rows, each
from views_lake import START, Row, expect, heading

QUARTER = dt.timedelta(minutes=15)
COUNTS = ("physical_processors_cp", "physical_processors_iip", "physical_processors_aap")
COUNTS += ("physical_processors_ifl", "physical_processors_icf")
CAPS = ("capped", "initial_capping", "lpar_hardware_capping", "hardware_group_capping")
TYPES = ("CP", "IIP", "AAP", "IFL", "ICF")


def page(line: int, **other: object) -> Row:
    row = heading(seconds=900.0, line=line)
    for name in ("scope", "release", "report_version"):
        del row[name]
    return row | {"system": "SYSA", "source_form": "print"} | other


def partition(name: str | None, weight: float | None, line: int = 300, **other: object) -> Row:
    """A partition with four logical processors on a machine of four of each type, busy 900 s of 900; without a name the TOTAL."""
    row = page(line) | {"partition": name, "processor_type": "CP", "is_total": name is None, "dedicated": False}
    row |= {"mvs_partition": "PRODA", "weight": weight} | dict.fromkeys(COUNTS, 4)
    return row | {"logical_processors": 4.0, "total_dispatch": 900.0} | other


def both(proda: float | None = 300.0, prodb: float | None = 100.0, **other: object) -> list[Row]:
    return [partition("PRODA", proda, 300, **other), partition("PRODB", prodb, 301, **other)]


def found(rows: list[Row], heads: list[Row] | None = None) -> Asks[dict[str, Row]]:
    tables: Rows = {"rmf_partition_data": rows, "rmf_partition_head": heads or []}
    lake = yield tables
    return {row["partition"]: row for row in lake.rows("FROM partition_capacity ORDER BY refs")}


@pytest.mark.parametrize(
    "other",
    [
        {"system": "SYSB"},
        {"system": None},
        {"report_kind": "duration"},
        {"report_kind": None},
        {"interval_start": START - QUARTER},
        {"interval_end": START + 2 * QUARTER},
    ],
)
def test_the_weights_of_a_page_are_not_those_of_another(other: Row):
    """300 of 400 of 4 processors are 3, 100 of 400 on the other page 1; a change on that page is none on this one."""
    again = both(100.0, 300.0, page=2, **other)
    changed = page(20, page=2, physical_processors_cp_changed=True, **other)
    lake = yield {"rmf_partition_data": both() + again, "rmf_partition_head": [changed]}
    rows = lake.rows("FROM partition_capacity WHERE partition = 'PRODA' ORDER BY weight DESC")
    assert [(row["weight"], row["entitled_engines"], row["null_reason"]) for row in rows] == [
        (300, 3, None),
        (100, None, "changed within the interval"),
    ]
    assert [row["weight_share_pct"] for row in rows] == [75, 25]
    assert {row["is_conflicting"] for row in rows} == {False}


def test_a_page_that_is_printed_twice_counts_once():
    """The file that is read first is not the first of its name."""
    row = (yield from found(both(source_id="s2") + both()))["PRODA"]
    assert (row["entitled_engines"], row["weight_share_pct"], row["is_conflicting"]) == (3, 75, False)
    assert [ref["source_id"] for ref in row["refs"]] == ["s1", "s2"]


def test_of_two_prints_with_other_values_the_first_counts_and_it_is_told():
    """Of PRODA alone."""
    again = partition("PRODA", 900.0, 299, source_id="s2")
    rows = yield from found([again, *both()])
    assert (rows["PRODA"]["weight"], rows["PRODA"]["entitled_engines"]) == (300, 3)
    assert [rows[name]["is_conflicting"] for name in ("PRODA", "PRODB")] == [True, False]


def test_of_two_lines_of_one_file_the_first_counts():
    again = partition("PRODA", 900.0, 350)
    row = (yield from found([again, *both()]))["PRODA"]
    assert (row["weight"], row["is_conflicting"]) == (300, True)


def test_dedicated_processors_count_though_their_line_is_printed_again_with_other_values():
    owned = [
        partition("OWN", None, 302, dedicated=True, logical_processors=2.0, total_dispatch=dispatch, source_id=source)
        for source, dispatch in (("s1", 1350.0), ("s2", 1351.0))
    ]
    rows = yield from found([*both(), *owned])
    assert (rows["OWN"]["is_conflicting"], rows["PRODA"]["shared_engines"]) == (True, 2)


@pytest.mark.parametrize("dispatch", [900.0, 901.0])
def test_totals_that_are_printed_again_with_other_values_are_told_of_every_partition(dispatch: float):
    totals = [
        partition(None, 400.0, 310, total_dispatch=1800.0),
        partition(None, 400.0, 310, source_id="s2", total_dispatch=900 + dispatch),
    ]
    rows = yield from found([*both(), *both(source_id="s2"), *totals])
    assert {row["is_conflicting"] for row in rows.values()} == {dispatch != 900}
    assert [row["entitled_engines"] for row in rows.values()] == [3, 1]


def test_print_counts_where_there_is_xml_too():
    """As printed: XML has other weights, and says that the number of processors changed."""
    xml: Row = {"source_form": "xml", "source_id": "s2"}
    rows = yield from found(
        [*both(), *both(100.0, 300.0, **xml)],
        [page(20, physical_processors_cp_changed=False), page(20, physical_processors_cp_changed=True, **xml)],
    )
    assert [(row["entitled_engines"], row["is_conflicting"]) for row in rows.values()] == [(3, False), (1, False)]
    assert [len(row["refs"]) for row in rows.values()] == [1, 1]


def test_xml_counts_where_another_report_alone_is_printed_too():
    """CPU Activity of the same interval is there in both forms."""
    xml: Row = {"source_form": "xml", "source_id": "s2"}
    lake = yield {
        "rmf_partition_data": both(**xml),
        "rmf_partition_head": [page(20, physical_processors_cp_changed=True, **xml)],
        "rmf_cpu_activity": [page(30), page(30, **xml)],
    }
    assert [row["null_reason"] for row in lake.rows("FROM partition_capacity")] == ["changed within the interval"] * 2


@pytest.mark.parametrize(("cap", "value"), [(cap, value) for cap in CAPS for value in (True, False)])
def test_each_kind_of_cap_caps(cap: str, value: bool):
    """What is not printed does not."""
    rows = yield from found([partition("PRODA", 300.0, **{cap: value}), partition("PRODB", 100.0, 301)])
    assert [row["is_capped"] for row in rows.values()] == [value, None]


CHANGED = (None, "changed within the interval")


@pytest.mark.parametrize("name", ["weight_changed", "logical_processors_changed"])
def test_a_change_of_one_partition_leaves_all_unknown(name: str):
    """Not so what is said of the totals, nor of another type."""
    flags: Row = {"weight_changed": False, "logical_processors_changed": False}
    pages = [partition("PRODA", 300.0, **flags | {name: True}), partition("PRODB", 100.0, 301, **flags)]
    others = [
        partition(None, 400.0, 310, **{name: True}),
        partition("PRODC", 1.0, 311, processor_type="IIP", **{name: True}),
    ]
    of_one, rows = yield from each(found(pages), found(both() + others))
    assert {(row["entitled_engines"], row["null_reason"]) for row in of_one.values()} == {CHANGED}
    assert {row["is_conflicting"] for row in of_one.values()} == {False}
    assert [rows[name]["entitled_engines"] for name in ("PRODA", "PRODB", "PRODC")] == [3, 1, None]


@pytest.mark.parametrize("of_type", TYPES)
def test_a_change_of_the_processors_of_a_type_is_of_that_type(of_type: str):
    """Which one of two pages of the interval tells."""
    pages = [partition(name, 100.0, 300 + n, processor_type=name) for n, name in enumerate(TYPES)]
    flags = {f"physical_processors_{name.lower()}_changed": name == of_type for name in TYPES}
    heads = [page(20, **dict.fromkeys(flags, False)), page(21, source_id="s2", **flags)]
    rows = yield from found(pages, heads)
    assert {name: row["null_reason"] for name, row in rows.items()} == {
        name: CHANGED[1] if name == of_type else None for name in TYPES
    }


def test_processors_of_dedicated_partitions_are_theirs():
    """Two of four; of the other two PRODA gets 300 of 400, 1.5. Dedicated ones have no weight."""
    own = partition("OWN", None, 302, dedicated=True, logical_processors=2.0, total_dispatch=1350.0)
    rows = yield from found([*both(), own])
    assert [(name, row["shared_engines"], row["entitled_engines"]) for name, row in rows.items()] == [
        ("PRODA", 2, 1.5),
        ("PRODB", 2, 0.5),
        ("OWN", 2, 2),
    ]
    assert (rows["OWN"]["used_engines"], rows["OWN"]["use_of_entitlement_pct"]) == (1.5, 75)


def test_dedicated_processors_that_are_not_printed_are_not_known_to_be_shared():
    own = partition("OWN", None, 302, dedicated=True, logical_processors=None)
    rows = yield from found([*both(), own])
    assert {(row["entitled_engines"], row["null_reason"]) for row in rows.values()} == {
        (None, "logical processors not printed")
    }


def test_logical_processors_of_a_shared_partition_that_are_not_printed_do_not_hold_it():
    rows = yield from found(both(logical_processors=None, total_dispatch=90.0))
    assert [(row["entitled_engines"], row["use_of_logical_pct"]) for row in rows.values()] == [(3, None), (1, None)]


@pytest.mark.parametrize(
    ("weight", "share", "reason"),
    [(0.0, None, "no weights"), (None, None, "a weight is not printed"), (1.0, 100, None)],
)
def test_without_weights_nothing_is_entitled(weight: float | None, share: float | None, reason: str | None):
    row = (yield from found([partition("PRODA", weight)]))["PRODA"]
    expect(row, weight_share_pct=share, null_reason=reason, entitled_engines=4 if reason is None else None)


@pytest.mark.parametrize(("seconds", "used"), [(0.0, None), (1.0, 3.0)])
def test_in_no_time_nothing_is_used(seconds: float, used: float | None):
    row = (yield from found([partition("PRODA", 300.0, interval_s=seconds, total_dispatch=3.0)]))["PRODA"]
    assert (row["used_engines"], row["use_of_entitlement_pct"]) == (used, used and 75)


def test_what_is_used_beside_what_is_entitled():
    """One engine each, of 3 and of 1. Then of none: without weight, and with all weight for no logical processor."""
    none = [partition("PRODA", 0.0), partition("PRODB", 100.0, 301, logical_processors=0.0)]
    rows, of_none = yield from each(found(both()), found(none))
    assert [row["use_of_entitlement_pct"] for row in rows.values()] == pytest.approx([100 / 3, 100])
    assert [row["beyond_entitlement_engines"] for row in rows.values()] == [-2, 0]
    names = "entitled_engines", "use_of_entitlement_pct", "use_of_logical_pct", "beyond_entitlement_engines"
    assert [tuple(row[name] for name in names) for row in of_none.values()] == [(0, None, 25, 1), (0, None, None, 1)]


def test_lines_of_no_type_and_of_the_machine_are_no_partitions():
    rows = yield from found(
        [*both(), partition("OFF", 100.0, 302, processor_type=None), partition("*PHYSICAL*", 100.0, 303)]
    )
    assert [(name, row["entitled_engines"]) for name, row in rows.items()] == [("PRODA", 3), ("PRODB", 1)]
