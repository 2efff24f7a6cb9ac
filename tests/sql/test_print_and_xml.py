"""The same interval as print and as XML: views take one of them, and never add both. The rule: where there is print, it counts."""

from __future__ import annotations

import pytest
from rmf_rows import partition, processor, service_class
from views_lake import expect

XML = {"source_form": "xml", "source_id": "s9", "line": 90}
PRINT = {"source_form": "print"}
COMPARED = ("rmf_cpu_activity", "rmf_partition_data", "rmf_workload_activity")


def test_a_processor_in_both_forms_counts_once_as_printed():
    """Processors of 60 and 40 percent: one engine of two, whatever the XML of the first says."""
    rows = [processor(0, 60.0) | PRINT, processor(0, 61.0) | XML, processor(1, 40.0) | PRINT, processor(1, 40.0) | XML]
    (busy,) = (yield {"rmf_cpu_activity": rows}).rows("FROM processor_busy")
    assert (busy["processors"], busy["engines_online"], busy["engines_busy"]) == (2, 2.0, pytest.approx(1.0))


def test_an_interval_in_xml_alone_counts():
    lake = yield {"rmf_cpu_activity": [processor(0, 60.0) | XML, processor(1, 40.0) | XML | {"line": 91}]}
    (busy,) = lake.rows("FROM processor_busy")
    assert busy["engines_busy"] == pytest.approx(1.0)


def test_of_an_interval_one_form_counts_as_a_whole():
    """A processor that the print of the interval does not have is not taken from its XML."""
    lake = yield {"rmf_cpu_activity": [processor(0, 60.0) | XML, processor(1, 40.0) | PRINT | {"line": 31}]}
    (busy,) = lake.rows("FROM processor_busy")
    assert (busy["processors"], busy["engines_busy"]) == (1, pytest.approx(0.4))


@pytest.mark.parametrize("form", [{"source_form": None}, PRINT, {"source_form": "xml"}])
def test_two_prints_that_differ_are_unknown_in_any_form(form: dict):
    """Rows without a form were read by an older Ironlake: they are print."""
    lake = yield {"rmf_cpu_activity": [processor(0, 60.0) | form, processor(0, 61.0) | form | {"source_id": "s9"}]}
    (busy,) = lake.rows("FROM processor_busy")
    assert busy["engines_busy"] is None


def test_msu_of_a_partition_in_both_forms_are_those_printed():
    lake = yield {"rmf_partition_data": [partition(0, 100.0) | PRINT, partition(0, 300.0) | XML]}
    (msu,) = lake.rows("FROM interval_msu")
    assert msu["msu"] == 100.0


def test_msu_of_an_engine_come_from_one_form():
    """Half an engine that used 50 MSU: 100 for an engine, whatever the XML says of the same interval."""
    dispatch = {"effective_dispatch": 450.0, "dedicated": False}
    printed = [partition(0, 50.0, **dispatch) | PRINT, partition(0, 70.0, **dispatch) | XML]
    workload = service_class("CICS", 60.0, seconds=900)
    lake = yield {"rmf_workload_activity": [workload], "rmf_partition_data": printed}
    (rate,) = lake.rows("FROM interval_msu_rate")
    assert (rate["msu_per_cp"], rate["msu_basis"]) == (pytest.approx(100), "partition_data")


def test_intervals_of_both_forms_are_named_once():
    other = processor(0, 60.0, system="SYSB") | XML | {"line": 91}
    lake = yield {"rmf_cpu_activity": [processor(0, 60.0) | PRINT, processor(0, 60.0) | XML, other]}
    assert [(row["report"], row["system"]) for row in lake.rows("FROM print_and_xml")] == [("rmf_cpu_activity", "SYSA")]


def both_forms(**changed: dict) -> dict[str, list[dict]]:
    """A processor, a partition and a class in both forms, alike but for what is `changed` in XML. Print leaves out the type of processor
    that the machine does not have, and has columns that XML has not."""
    printed = {
        "rmf_cpu_activity": processor(0, 60.0) | {"mt_productivity_pct": 90.0},
        "rmf_partition_data": partition(0, 100.0) | {"physical_processors_aap": None},
        "rmf_workload_activity": service_class("CICS", 60.0, seconds=900) | {"io_priority_group": "HIGH"},
    }
    of_xml = {"mt_productivity_pct": None, "physical_processors_aap": 0, "io_priority_group": None}
    return {
        table: [row | PRINT, row | XML | {k: v for k, v in of_xml.items() if k in row} | changed.get(table, {})]
        for table, row in printed.items()
    }


def test_forms_that_agree_are_no_conflict():
    lake = yield both_forms()
    assert lake.rows("FROM conflicting_intervals") == []
    assert lake.rows("FROM finding WHERE rule IN ('printed_differently', 'printed_twice')") == []


def test_what_is_printed_twice_is_named_beside_what_is_there_in_both_forms():
    """In both forms is SYSA; SYSB is printed twice."""
    of_b = {"system": "SYSB", "sysplex": "PLEXB", "line": 95}
    twice = {
        table: [rows[0] | of_b, rows[0] | of_b | {"source_id": "s9"}]
        for table, rows in both_forms().items()
        if table != "rmf_partition_data"
    }
    lake = yield {table: [*rows, *twice.get(table, [])] for table, rows in both_forms().items()}
    found = lake.rows("SELECT subject, value FROM finding WHERE rule = 'printed_twice' ORDER BY subject")
    assert [(row["subject"], row["value"]) for row in found] == [("CPU Activity", 2), ("Workload Activity", 2)]


@pytest.mark.parametrize("value", [61.25, None])
def test_one_cell_that_differs_between_print_and_xml_is_named(value: float | None):
    names = zip(COMPARED, ("lpar_busy_pct", "msu_used", "appl_cp_pct"), strict=True)
    lake = yield both_forms(**{table: {name: value} for table, name in names})
    told = lake.rows("SELECT report, subject, differing_columns, copies FROM conflicting_intervals ORDER BY report")
    assert [[*row.values()] for row in told] == [
        ["rmf_cpu_activity", "processor 0 CP", ["lpar_busy_pct"], 2],
        ["rmf_partition_data", "partition LPARA CP", ["msu_used"], 2],
        ["rmf_workload_activity", "service class CICS", ["appl_cp_pct"], 2],
    ]
    found = lake.rows("SELECT subject FROM finding WHERE rule = 'printed_differently' ORDER BY subject")
    assert [row["subject"] for row in found] == ["partition LPARA CP", "processor 0 CP", "service class CICS"]


def test_two_prints_of_a_processor_that_differ_are_named():
    """Also in what XML does not have."""
    again = {"source_id": "s9", "line": 90, "source_form": "print", "mt_productivity_pct": 80.0}
    lake = yield {
        "rmf_cpu_activity": [processor(0, 60.0) | {"mt_productivity_pct": 90.0} | PRINT, processor(0, 60.0) | again]
    }
    told = lake.rows("SELECT differing_columns AS d FROM conflicting_intervals")
    assert [row["d"] for row in told] == [["mt_productivity_pct"]]


def test_a_class_in_both_forms_counts_once_as_printed():
    """Of service classes the print counts; report classes are in print alone, workloads in XML alone."""
    rows = [
        service_class("CICS", 60.0, seconds=900) | PRINT,
        service_class("CICS", 61.0, seconds=900) | XML,
        service_class("IMS", 5.0, seconds=900) | XML | {"line": 91},
        service_class("CICS", 70.0, seconds=900)
        | XML
        | {"class_kind": "workload", "service_class": None, "workload": "ONL", "line": 92},
    ]
    lake = yield {"rmf_workload_activity": rows}
    classes = lake.rows("SELECT class_kind AS k, service_class AS c, cpu_pct FROM cpu_by_class ORDER BY k")
    assert [(row["k"], row["c"], row["cpu_pct"]) for row in classes] == [
        ("service_class", "CICS", 60.0),
        ("workload", None, 70.0),
    ]
    (named,) = lake.rows("FROM print_and_xml")
    expect(named, report="rmf_workload_activity", class_kind="service_class", source_form="xml")


@pytest.mark.parametrize(
    ("scope", "counted"), [("SYSB", [5.0, 60.0]), ("SYSA,SYSB", [60.0]), ("SYSA", [60.0]), (None, [60.0])]
)
def test_a_system_whose_classes_are_in_xml_alone_counts_beside_a_printed_one(scope: str | None, counted: list[float]):
    """Reports of single systems of a sysplex: print of one of them says nothing of another."""
    rows = [
        service_class("CICS", 60.0, seconds=900) | PRINT | {"scope": "SYSA"},
        service_class("CICS", 5.0, seconds=900) | XML | {"scope": scope},
    ]
    lake = yield {"rmf_workload_activity": rows}
    assert [row["cpu_pct"] for row in lake.rows("SELECT cpu_pct FROM cpu_by_class ORDER BY ALL")] == counted
