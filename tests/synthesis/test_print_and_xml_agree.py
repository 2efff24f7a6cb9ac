"""Print and XML of one model agree cell for cell. This shows that the reader is consistent, not that it is right: that real documents show."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import numpy as np
import polars as pl
import polars.selectors as cs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.declaration.report import reports
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.sql.open_lake import OpenLake, open_lake
from ironlake.pipeline.synthesis.command import model_path
from ironlake.pipeline.synthesis.contents import (
    CpuActivity,
    Intervals,
    Partition,
    PartitionData,
    Processor,
    ServicePolicy,
    WorkloadActivity,
)
from ironlake.pipeline.synthesis.generate import Order, generate
from ironlake.pipeline.synthesis.printers.cpu import print_cpu
from ironlake.pipeline.synthesis.printers.partitions import print_partitions
from ironlake.pipeline.synthesis.printers.workload import print_workload
from ironlake.pipeline.synthesis.printers.workload_xml import has_xml, print_workload_xml
from ironlake.pipeline.synthesis.printers.xml import BEGIN, END, print_xml
from printed import SETTINGS, Numbers, read
from random_analysis import random_analysis
from random_workloads import workloads

TABLES = (
    *("rmf_cpu_activity", "rmf_partition_data", "rmf_partition_head", "rmf_address_space_count"),
    *("rmf_work_unit_queue", "rmf_work_unit", "rmf_blocked_workload"),
)
NOT_OF_THE_INTERVAL = ("source_id", "source_file", "source_form", "page", "line")
# Print leaves out the types of processor that the machine does not have; XML has 0.
TYPES = ("cp", "aap", "ifl", "icf", "iip")


@st.composite
def systems(draw: st.DrawFn) -> tuple[CpuActivity, PartitionData]:
    """A system of any processor types and its machine: partitions that take more or less of it, with or without a capacity group."""
    numbers = Numbers(draw(st.integers(0, 10**6)), draw(st.integers(1, 4)))
    release = draw(st.sampled_from(["V2R4", "V2R5"]))
    length = 900 if draw(st.booleans()) else 899.95 + numbers.rng.random(numbers.intervals) / 10
    # A duration report prints whole seconds.
    intervals = Intervals(numbers.starts(), length, duration=draw(st.booleans()))
    processors, partitions, physical = [], [], {}
    for kind in draw(st.sampled_from([["CP"], ["CP", "IIP"], ["CP", "ICF", "IIP"], ["CP", "IFL"]])):
        for _ in range(draw(st.integers(1, 5)) if kind in ("CP", "IIP") else 0):
            away = numbers.rng.random(numbers.intervals) < 0.2
            processors.append(
                Processor(
                    len(processors) + draw(st.sampled_from([0, 8])),
                    kind,
                    lpar_busy_pct=np.where(away, 0, numbers.number(100)),
                    mvs_busy_pct=(numbers.number(100),),
                    parked_pct=(np.where(away, 100, numbers.number(99, 0.5)),),
                    online_pct=100 if draw(st.booleans()) else numbers.number(99) + 0.5,
                    share_pct=numbers.number(100),
                    polarization=draw(st.sampled_from(["HIGH", "MED", "LOW"])),
                    interrupts_per_s=numbers.number(20_000) if kind == "CP" else 0,
                    tpi_pct=numbers.number(100),
                )
            )
        physical[kind] = 0
        for number in range(draw(st.integers(1, 4))):
            logical = draw(st.integers(1, 12))
            physical[kind] += logical
            partitions.append(
                Partition(
                    f"LP{kind}{number}",
                    kind,
                    logical,
                    draw(st.integers(1, 999)),
                    engines=numbers.number(logical),
                    msu=numbers.count(9999),
                    defined_msu=draw(st.sampled_from([0, 350])),
                )
            )
    group = draw(st.sampled_from(["", "GROUP1"]))
    cpu = CpuActivity(
        *("SYS#", release, intervals, tuple(processors)),
        boost_type=draw(st.sampled_from(["None", "Speed", "zIIP"])),
        analysis=random_analysis(numbers, tuple(dict.fromkeys(one.kind for one in processors))),
    )
    own = partitions[0].name
    return cpu, PartitionData(
        "SYS#", release, intervals, own, 1200, physical, tuple(partitions), group, 800 if group else 0
    )


def compared(frame: pl.DataFrame) -> list[dict]:
    """The rows, of both forms alike."""
    frame = frame.drop(*NOT_OF_THE_INTERVAL)
    types = [name for name in (f"physical_processors_{kind}" for kind in TYPES) if name in frame.columns]
    changed = [f"{name}_changed" for name in types if f"{name}_changed" in frame.columns]
    return frame.with_columns(
        *(pl.col(name).fill_null(0) for name in types), *(pl.col(c).fill_null(False) for c in changed)
    ).to_dicts()


@SETTINGS
@given(system=systems())
def test_print_and_xml_of_one_content_agree_cell_for_cell(system: tuple[CpuActivity, PartitionData]) -> None:
    cpu, partitions = system
    pages, document = print_cpu(cpu) + print_partitions(partitions), BEGIN + print_xml(cpu, partitions) + END
    printed, written = read(pages), read(document)
    for name in TABLES:
        assert printed[name].height
        assert compared(printed[name]) == compared(written[name])
        assert set(written[name]["source_form"]) == {"xml"}


IN_XML = ("service_class", "workload")
OF_WORKLOAD = ("rmf_workload_activity", "rmf_workload_importance", "rmf_service_policy", "rmf_service_policy_system")


def of_both(frame: pl.DataFrame, table: str) -> list[dict]:
    """What print and XML both have, in order. Print leaves out what is zero: ALL DATA ZERO stands for it."""
    declared = next(t for t in reports()["rmf_workload_activity"].tables if t.name == table)
    if "class_kind" in frame.columns:
        frame = frame.filter(pl.col("class_kind").is_in(IN_XML))
    frame = frame.drop(*NOT_OF_THE_INTERVAL, *declared.only_in_print).with_columns(cs.numeric().fill_null(0))
    return sorted(frame.to_dicts(), key=lambda row: [str(row[name]) for name in declared.key if name in row])


@SETTINGS
@given(report=workloads().filter(has_xml))
def test_print_and_xml_of_workload_activity_agree(report: WorkloadActivity) -> None:
    """Classes, workloads, importance and the service policy, of reports that print these."""
    report = dataclasses.replace(report, sections=frozenset({"class", "workload"}))
    printed, written = read(print_workload(report)), read(BEGIN + print_workload_xml(report) + END)
    assert written["rmf_workload_activity"].height >= len(report.classes)
    for name in OF_WORKLOAD:
        assert of_both(printed[name], name) == of_both(written[name], name)
        assert set(written[name]["source_form"]) <= {"xml"}


def test_workload_activity_of_older_releases_has_no_xml() -> None:
    intervals = Intervals(np.array(["2024-03-01T10:00:00"], "datetime64[s]"), 900)
    policy = ServicePolicy("POL1", np.datetime64("2024-01-01T00:00:00"), ())
    with pytest.raises(ValueError, match="V2R3"):
        print_workload_xml(WorkloadActivity("PLEX1", "V2R2", intervals, policy, ()))


def values(lake: OpenLake, rows: str, without: tuple[str, ...]) -> list[str]:
    """The rows as text, in order."""
    found = lake.sql(f"FROM {rows}").to_arrow_table().to_pylist()
    return sorted(str({name: value for name, value in row.items() if name not in without}) for row in found)


@pytest.mark.parametrize("model", ["link_to_liberty", "data_sharing"])
def test_print_and_xml_of_a_model_agree_in_one_lake(model: str, tmp_path: Path) -> None:
    """The views take one of the two, so that they say the same as of print alone."""
    file = model_path(model)
    generate(file, tmp_path / "print", Order())
    generate(file, tmp_path / "xml", Order(xml=True))
    documents = sorted((tmp_path / "xml").glob("*.xml"))
    assert documents
    report = ingest([str(tmp_path / "print")], tmp_path / "lake", Options())
    assert sum(file.rejects for file in report.files) == 0
    views = ("processor_busy", "interval_msu", "print_and_xml")

    def asked() -> dict[str, list[str]]:
        with open_lake(tmp_path / "lake") as lake:
            return {view: values(lake, view, ("refs",)) for view in views}

    alone = asked()
    assert alone["processor_busy"]
    assert not alone["print_and_xml"]
    report = ingest([str(path) for path in documents], tmp_path / "lake", Options())
    assert sum(file.rejects for file in report.files) == 0
    both = asked()
    assert both.pop("print_and_xml")
    assert both == {name: rows for name, rows in alone.items() if name in both}
    with open_lake(tmp_path / "lake") as lake:
        each = [
            values(lake, f"rmf_cpu_activity WHERE source_form = '{form}'", NOT_OF_THE_INTERVAL)
            for form in ("print", "xml")
        ]
    assert each[0] == each[1]
    assert each[0]


def test_a_document_is_one_whatever_its_length(tmp_path: Path) -> None:
    """Intervals are written some hundred at a time."""
    generate(model_path("link_to_liberty"), tmp_path, Order(scale=60, xml=True))
    text = max(tmp_path.glob("*.xml"), key=lambda path: path.stat().st_size).read_text()
    assert text.count("<ddsml") == text.count("</ddsml>") == 1
    assert text.count("<postprocessor>") > 256
    assert not re.search(r"> +[^ <\n]|[^ >\n] +<", text)


def test_a_system_of_several_threads_is_printed() -> None:
    from ironlake.pipeline.synthesis.contents import Multithreading

    cpu = CpuActivity(
        "SYSA",
        "V2R5",
        Intervals(np.array(["2024-03-01T10:00:00"], "datetime64[s]"), 900),
        (),
        (Multithreading("CP", 2),),
    )
    with pytest.raises(ValueError, match="multithreading"):
        print_xml(cpu, None)
