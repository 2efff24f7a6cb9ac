"""The same interval as print and as XML: views take one of them, and never add both. The rule: where there is print, it counts."""

from __future__ import annotations

import pytest
from one_lake import share_lake
from rmf_rows import partition, processor, service_class

XML = {"source_form": "xml", "source_id": "s9", "line": 90}
PRINT = {"source_form": "print"}


@share_lake
def test_a_processor_in_both_forms_counts_once_as_printed():
    """Processors of 60 and 40 percent: one engine of two, whatever the XML of the first says."""
    rows = [
        processor(0, 60.0) | PRINT,
        processor(0, 61.0) | XML,
        processor(1, 40.0) | PRINT,
        processor(1, 40.0) | XML,
    ]
    lake = yield {"rmf_cpu_activity": rows}
    (busy,) = lake.rows("FROM processor_busy")
    assert (busy["processors"], busy["engines_online"], busy["engines_busy"]) == (2, 2.0, pytest.approx(1.0))


@share_lake
def test_an_interval_in_xml_alone_counts():
    lake = yield {"rmf_cpu_activity": [processor(0, 60.0) | XML, processor(1, 40.0) | XML | {"line": 91}]}
    (busy,) = lake.rows("FROM processor_busy")
    assert busy["engines_busy"] == pytest.approx(1.0)


@share_lake
def test_of_an_interval_one_form_counts_as_a_whole():
    """A processor that the print of the interval does not have is not taken from its XML."""
    lake = yield {"rmf_cpu_activity": [processor(0, 60.0) | XML, processor(1, 40.0) | PRINT | {"line": 31}]}
    (busy,) = lake.rows("FROM processor_busy")
    assert (busy["processors"], busy["engines_busy"]) == (1, pytest.approx(0.4))


@share_lake
@pytest.mark.parametrize("form", [{"source_form": None}, PRINT, {"source_form": "xml"}])
def test_two_prints_that_differ_are_unknown_in_any_form(form: dict):
    """Rows without a form were read by an older Ironlake: they are print."""
    lake = yield {"rmf_cpu_activity": [processor(0, 60.0) | form, processor(0, 61.0) | form | {"source_id": "s9"}]}
    (busy,) = lake.rows("FROM processor_busy")
    assert busy["engines_busy"] is None


@share_lake
def test_msu_of_a_partition_in_both_forms_are_those_printed():
    lake = yield {"rmf_partition_data": [partition(0, 100.0) | PRINT, partition(0, 300.0) | XML]}
    (msu,) = lake.rows("FROM interval_msu")
    assert msu["msu"] == 100.0


@share_lake
def test_msu_of_an_engine_come_from_one_form():
    """Half an engine that used 50 MSU: 100 for an engine, whatever the XML says of the same interval."""
    dispatch = {"effective_dispatch": 450.0, "dedicated": False}
    printed = [partition(0, 50.0, **dispatch) | PRINT, partition(0, 70.0, **dispatch) | XML]
    workload = service_class("CICS", 60.0, seconds=900)
    lake = yield {"rmf_workload_activity": [workload], "rmf_partition_data": printed}
    (rate,) = lake.rows("FROM interval_msu_rate")
    assert (rate["msu_per_cp"], rate["msu_basis"]) == (pytest.approx(100), "partition_data")


@share_lake
def test_intervals_of_both_forms_are_named_once():
    rows = [
        processor(0, 60.0) | PRINT,
        processor(0, 60.0) | XML,
        processor(0, 60.0, system="SYSB") | XML | {"line": 91},
    ]
    lake = yield {"rmf_cpu_activity": rows}
    assert [(row["report"], row["system"]) for row in lake.rows("FROM print_and_xml")] == [("rmf_cpu_activity", "SYSA")]
