"""The same interval as print and as XML: views take one of them, and never add both. The rule: where there is print, it counts."""

from __future__ import annotations

from typing import Any

import pytest
from one_lake import Found, Rows, examples, shown
from rmf_rows import partition, processor, service_class
from views_lake import Row

approx = pytest.approx
XML: dict[str, Any] = {"source_form": "xml", "source_id": "s9", "line": 90}
PRINT: dict[str, Any] = {"source_form": "print"}
COMPARED = ("rmf_cpu_activity", "rmf_partition_data", "rmf_workload_activity")


def cpus(*rows: Row) -> Rows:
    return {"rmf_cpu_activity": [*rows]}


def classes(*rows: Row) -> Rows:
    return {"rmf_workload_activity": [*rows]}


def cics(cp: float, **other: object) -> Row:
    return service_class("CICS", cp, seconds=900) | other


def both_forms(of_b: bool = False, **changed: Row) -> Rows:
    """A processor, a partition and a class in both forms, alike but for what is `changed` in XML. Print leaves out the type of processor
    that the machine does not have, and has columns that XML has not. `of_b`: a processor and a class of SYSB are printed twice, too."""
    printed = {
        "rmf_cpu_activity": processor(0, 60.0) | {"mt_productivity_pct": 90.0},
        "rmf_partition_data": partition(0, 100.0) | {"physical_processors_aap": None},
        "rmf_workload_activity": cics(60.0, io_priority_group="HIGH"),
    }
    of_xml = {"mt_productivity_pct": None, "physical_processors_aap": 0, "io_priority_group": None}
    more = PRINT | {"system": "SYSB", "sysplex": "PLEXB", "line": 95}
    return {
        table: [row | PRINT, row | XML | {k: v for k, v in of_xml.items() if k in row} | changed.get(table, {}),
            *([row | more, row | more | {"source_id": "s9"}] if of_b and table != "rmf_partition_data" else [])]
        for table, row in printed.items()
    }  # fmt: skip


HALF = {"effective_dispatch": 450.0, "dedicated": False}
OTHER_CELLS = ("lpar_busy_pct", "msu_used", "appl_cp_pct")
AGAIN = PRINT | {"source_id": "s9", "line": 90, "mt_productivity_pct": 80.0}
# Of service classes the print counts; report classes are in print alone, workloads in XML alone.
CLASSES = classes(
    cics(60.0, **PRINT), cics(61.0, **XML), service_class("IMS", 5.0, seconds=900) | XML | {"line": 91},
    cics(70.0, **XML | {"class_kind": "workload", "service_class": None, "workload": "ONL", "line": 92}),
)  # fmt: skip
BUSY = "processors, engines_online, engines_busy FROM processor_busy"


@examples(
    # Processors of 60 and 40 percent: one engine of two, whatever the XML of the first says.
    ("processors in both forms", cpus(*(processor(n, busy) | form for n, busy, form in ((0, 60.0, PRINT), (0, 61.0, XML), (1, 40.0, PRINT), (1,
     40.0, XML)))),
     BUSY, [(2, 2.0, approx(1.0))]),
    ("XML alone", cpus(processor(0, 60.0) | XML, processor(1, 40.0) | XML | {"line": 91}), BUSY, [(2, 2.0, approx(1.0))]),
    # A processor that the print of the interval does not have is not taken from its XML.
    ("one form as a whole", cpus(processor(0, 60.0) | XML, processor(1, 40.0) | PRINT | {"line": 31}), BUSY, [(1, 1.0, approx(0.4))]),
    # Rows without a form were read by an older Ironlake: they are print.
    *((f"two prints that differ, {form}", cpus(processor(0, 60.0, source_form=form), processor(0, 61.0, source_form=form, source_id="s9")),
       "engines_busy FROM processor_busy", [(None,)]) for form in (None, "print", "xml")),
    ("MSU of a partition", {"rmf_partition_data": [partition(0, 100.0) | PRINT, partition(0, 300.0) | XML]}, "msu FROM interval_msu", [(100.0,)]),
    # Half an engine that used 50 MSU: 100 for an engine, whatever the XML says of the same interval.
    ("MSU of an engine", {"rmf_partition_data": [partition(0, 50.0, **HALF) | PRINT, partition(0, 70.0, **HALF) | XML], **classes(cics(60.0))},
     "msu_per_cp, msu_basis FROM interval_msu_rate", [(approx(100), "partition_data")]),
    ("intervals of both forms", cpus(processor(0, 60.0) | PRINT, processor(0, 60.0) | XML, processor(0, 60.0, system="SYSB") | XML | {"line": 91}),
     "report, system FROM print_and_xml", [("rmf_cpu_activity", "SYSA")]),
    ("no conflict of forms that agree", both_forms(), "* FROM conflicting_intervals", []),
    ("no finding of forms that agree", both_forms(), "* FROM finding WHERE rule IN ('printed_differently', 'printed_twice')", []),
    ("printed twice beside both forms", both_forms(True), "subject, value FROM finding WHERE rule = 'printed_twice' ORDER BY subject",
     [("CPU Activity", 2), ("Workload Activity", 2)]),
    *((f"cells of {value}", both_forms(**Row({table: {name: value} for table, name in zip(COMPARED, OTHER_CELLS, strict=True)})), asked, found)
      for value in (61.25, None) for asked, found in (
          ("report, subject, differing_columns, copies FROM conflicting_intervals ORDER BY report",
           [(table, of, [name], 2) for table, name, of in zip(COMPARED, OTHER_CELLS, ("processor 0 CP", "partition LPARA CP", "service class CICS"),
            strict=True)]),
          ("subject FROM finding WHERE rule = 'printed_differently' ORDER BY subject", [("partition LPARA CP",), ("processor 0 CP",),
           ("service class CICS",)]))),
    # Also in what XML does not have.
    ("prints of a processor", cpus(processor(0, 60.0) | {"mt_productivity_pct": 90.0} | PRINT, processor(0, 60.0) | AGAIN),
     "differing_columns FROM conflicting_intervals", [(["mt_productivity_pct"],)]),
    ("classes in both forms", CLASSES, "class_kind, service_class, cpu_pct FROM cpu_by_class ORDER BY ALL",
     [("service_class", "CICS", 60.0), ("workload", None, 70.0)]),
    ("kinds in both forms", CLASSES, "report, class_kind, source_form FROM print_and_xml", [("rmf_workload_activity", "service_class", "xml")]),
    # Reports of single systems of a sysplex: print of one of them says nothing of another.
    *((f"XML of {scope}", classes(cics(60.0, **PRINT, scope="SYSA"), cics(5.0, **XML, scope=scope)), "cpu_pct FROM cpu_by_class ORDER BY ALL",
     counted)
      for scope, counted in (("SYSB", [(5.0,), (60.0,)]), ("SYSA,SYSB", [(60.0,)]), ("SYSA", [(60.0,)]), (None, [(60.0,)]))),
)  # fmt: skip
def test_print_and_xml(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)
