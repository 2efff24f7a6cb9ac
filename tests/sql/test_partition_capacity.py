"""What partitions are entitled to: pages apart and printed twice, caps, changes, dedicated processors. Worked by hand."""

import datetime as dt

import pytest
from one_lake import Found, Rows, examples, shown
from views_lake import START, Row, heading

approx = pytest.approx

QUARTER = dt.timedelta(minutes=15)
COUNTS = ("physical_processors_cp", "physical_processors_iip", "physical_processors_aap")
COUNTS += ("physical_processors_ifl", "physical_processors_icf")
CAPS = ("capped", "initial_capping", "lpar_hardware_capping", "hardware_group_capping")
FLAGS = ("weight_changed", "logical_processors_changed")
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


def data(*some: list[Row], heads: list[Row] | None = None, **tables: list[Row]) -> Rows:
    rows = [row for rows in some for row in rows]
    return {"rmf_partition_data": rows, "rmf_partition_head": heads or [], **tables}


# The weights of a page are not those of another: 300 of 400 of 4 processors are 3, 100 of 400 on the other page 1; a change on that page is
# none on this one.
OTHER_PAGES: list[Row] = [
    {"system": "SYSB"}, {"system": None}, {"report_kind": "duration"}, {"report_kind": None}, {"interval_start": START - QUARTER},
    {"interval_end": START + 2 * QUARTER},
]  # fmt: skip
OWNED = [
    partition("OWN", None, 302, dedicated=True, logical_processors=2.0, total_dispatch=dispatch, source_id=source)
    for source, dispatch in (("s1", 1350.0), ("s2", 1351.0))
]
XML: Row = {"source_form": "xml", "source_id": "s2"}
CHANGE = {"physical_processors_cp_changed": True}


def totals(again: float) -> list[Row]:
    """Totals that are printed again."""
    of = (("s1", 1800.0), ("s2", again))
    return [partition(None, 400.0, 310, total_dispatch=dispatch, source_id=source) for source, dispatch in of]


def changed(name: str) -> list[Row]:
    flags: Row = {"weight_changed": False, "logical_processors_changed": False}
    return [partition("PRODA", 300.0, **flags | {name: True}), partition("PRODB", 100.0, 301, **flags)]


def of_types(of_type: str) -> Rows:
    """The processors of a type changed, which one of two pages of the interval tells."""
    pages = [partition(name, 100.0, 300 + n, processor_type=name) for n, name in enumerate(TYPES)]
    flags = {f"physical_processors_{name.lower()}_changed": name == of_type for name in TYPES}
    return data(pages, heads=[page(20, **dict.fromkeys(flags, False)), page(21, source_id="s2", **flags)])


FROM = "FROM partition_capacity ORDER BY refs"
IN_INTERVAL = "changed within the interval"
ENTITLED = f"entitled_engines, is_conflicting {FROM}"
REASON = f"entitled_engines, null_reason {FROM}"
USED = "entitled_engines, use_of_entitlement_pct, use_of_logical_pct, beyond_entitlement_engines"


@examples(
    *((f"another page, {other}", data(both(), both(100.0, 300.0, page=2, **other), heads=[page(20, page=2, **CHANGE, **other)]),
       "weight, entitled_engines, null_reason, weight_share_pct, is_conflicting FROM partition_capacity WHERE partition = 'PRODA' ORDER BY weight DESC",
       [(300, 3, None, 75, False), (100, None, IN_INTERVAL, 25, False)]) for other in OTHER_PAGES),
    # The file that is read first is not the first of its name.
    ("printed twice", data(both(source_id="s2"), both()), f"len(refs), weight_share_pct, {ENTITLED}", [(2, 75, 3, False), (2, 25, 1, False)]),
    # Of two prints, and of two lines of one file, the first counts and it is told, of PRODA alone.
    ("other values", data([partition("PRODA", 900.0, 299, source_id="s2")], both()), f"partition, weight, {ENTITLED}",
     [("PRODA", 300, 3, True), ("PRODB", 100, 1, False)]),
    ("two lines", data([partition("PRODA", 900.0, 350)], both()), f"weight, {ENTITLED}", [(300, 3, True), (100, 1, False)]),
    ("dedicated processors printed again", data(both(), OWNED), f"partition, shared_engines, {ENTITLED}",
     [("PRODA", 2, 1.5, False), ("PRODB", 2, 0.5, False), ("OWN", 2, 2, True)]),
    # Told of every partition.
    *((f"totals of {again}", data(both(), both(source_id="s2"), totals(again)), ENTITLED, [(3, again != 1800), (1, again != 1800)])
      for again in (1800.0, 1801.0)),
    # XML has other weights, and says that the number of processors changed; CPU Activity of the same interval is there in both forms.
    ("print beside XML", data(both(), both(100.0, 300.0, **XML), heads=[page(20, physical_processors_cp_changed=False), page(20, **CHANGE, **XML)]),
     f"len(refs), {ENTITLED}", [(1, 3, False), (1, 1, False)]),
    ("XML where another report is printed", data(both(**XML), heads=[page(20, **CHANGE, **XML)], rmf_cpu_activity=[page(30), page(30, **XML)]),
     REASON,
     [(None, IN_INTERVAL)] * 2),
    # What is not printed does not cap.
    *((f"{cap} {value}", data([partition("PRODA", 300.0, **{cap: value}), partition("PRODB", 100.0, 301)]), f"is_capped {FROM}", [(value,), (None,)])
      for cap in CAPS for value in (True, False)),
    # A change of one partition leaves all unknown; not so what is said of the totals, nor of another type.
    *((f"{name} of a partition", data(changed(name)), f"is_conflicting, {REASON}", [(False, None, IN_INTERVAL)] * 2) for name in FLAGS),
    *((f"{name} of others", data(both(), [partition(None, 400.0, 310, **{name: True}), partition("PRODC", 1.0, 311, processor_type="IIP",
     **{name: True})]),
       REASON, [(3, None), (1, None), (None, IN_INTERVAL)]) for name in FLAGS),
    *((f"change of {of_type}", of_types(of_type), f"partition, null_reason {FROM}", [(name,
     IN_INTERVAL if name == of_type else None) for name in TYPES])
      for of_type in TYPES),
    # Two of four are dedicated; of the other two PRODA gets 300 of 400, 1.5. Dedicated ones have no weight.
    ("dedicated", data(both(), OWNED[:1]), f"partition, shared_engines, entitled_engines, used_engines, use_of_entitlement_pct {FROM}",
     [("PRODA", 2, 1.5, 1, approx(200 / 3)), ("PRODB", 2, 0.5, 1, 200), ("OWN", 2, 2, 1.5, 75)]),
    ("dedicated processors not printed", data(both(), [partition("OWN", None, 302, dedicated=True, logical_processors=None)]), REASON,
     [(None, "logical processors not printed")] * 3),
    # Logical processors of a shared partition that are not printed do not hold it.
    ("logical processors not printed", data(both(logical_processors=None, total_dispatch=90.0)), f"entitled_engines, use_of_logical_pct {FROM}",
     [(3, None), (1, None)]),
    *((f"weight {weight}", data([partition("PRODA", weight)]), f"weight_share_pct, {REASON}", [(share, engines, reason)])
      for weight, share, engines, reason in ((0.0, None, None, "no weights"), (None, None, None, "a weight is not printed"), (1.0, 100, 4, None))),
    *((f"{seconds} seconds", data([partition("PRODA", 300.0, interval_s=seconds, total_dispatch=3.0)]),
     f"used_engines, use_of_entitlement_pct {FROM}",
       [(used, used and 75)]) for seconds, used in ((0.0, None), (1.0, 3.0))),
    # One engine each, of 3 and of 1. Then of none: without weight, and with all weight for no logical processor.
    ("used", data(both()), f"{USED} {FROM}", [(3, approx(100 / 3), 25, -2), (1, approx(100), 25, 0)]),
    ("used of none", data([partition("PRODA", 0.0), partition("PRODB", 100.0, 301, logical_processors=0.0)]), f"{USED} {FROM}",
     [(0, None, 25, 1), (0, None, None, 1)]),
    ("lines of no type and of the machine", data(both(), [partition("OFF", 100.0, 302, processor_type=None), partition("*PHYSICAL*", 100.0, 303)]),
     f"partition, entitled_engines {FROM}", [("PRODA", 3), ("PRODB", 1)]),
)  # fmt: skip
def test_entitlement(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)
