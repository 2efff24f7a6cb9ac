"""Print and XML of one model agree cell for cell. This shows that the reader is consistent, not that it is right: that real documents show."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import polars.selectors as cs
import pytest
from ironlake.models.command import model_path
from ironlake.models.contents.common import Intervals
from ironlake.models.contents.workload import ServicePolicy, WorkloadActivity
from ironlake.models.fill_partitions import partition_data
from ironlake.models.fill_processors import cpu_activity
from ironlake.models.fill_workload import workload_activity
from ironlake.models.generate import Order, generate
from ironlake.models.printers.machine import print_cpu, print_partitions
from ironlake.models.printers.workload import print_workload
from ironlake.models.printers.workload_xml import print_workload_xml
from ironlake.models.printers.xml import BEGIN, END, print_xml
from ironlake.pipeline.declaration.report import reports
from printed import read
from random_models import solved

TABLES = (
    *("rmf_cpu_activity", "rmf_partition_data", "rmf_partition_head", "rmf_address_space_count"),
    *("rmf_work_unit_queue", "rmf_work_unit", "rmf_blocked_workload"),
)
NOT_OF_THE_INTERVAL = ("source_id", "source_file", "source_form", "page", "line")
# Print leaves out the types of processor that the machine does not have; XML has 0.
TYPES = ("cp", "aap", "ifl", "icf", "iip")


def compared(frame: pl.DataFrame) -> list[dict]:
    """The rows, of both forms alike."""
    frame = frame.drop(*NOT_OF_THE_INTERVAL)
    types = [name for name in (f"physical_processors_{kind}" for kind in TYPES) if name in frame.columns]
    changed = [f"{name}_changed" for name in types if f"{name}_changed" in frame.columns]
    return frame.with_columns(
        *(pl.col(name).fill_null(0) for name in types), *(pl.col(c).fill_null(False) for c in changed)
    ).to_dicts()


@pytest.mark.parametrize("seed", [2, pytest.param(9, marks=pytest.mark.slow)])
def test_print_and_xml_of_a_system_agree_cell_for_cell(seed: int) -> None:
    part = solved(seed)
    assert part
    compared_rows = 0
    for system in part.configuration.systems:
        cpu, partitions = cpu_activity(part, system), partition_data(part, system)
        if not partitions:
            continue
        pages, document = print_cpu(cpu) + print_partitions(partitions), BEGIN + print_xml(cpu, partitions) + END
        printed, written = read(pages), read(document)
        for kind, one in (line for line in partitions.lines if line[0] == "PARTITION_ROW"):
            printed_rows = printed["rmf_partition_data"].filter(
                partition=one["partition"], processor_type=one["processor_type"]
            )
            busy = np.broadcast_to(one["logical_total_pct"], len(printed_rows))
            assert printed_rows["logical_total_pct"].to_list() == pytest.approx(busy.tolist(), abs=0.0051), kind
        for name in TABLES:
            assert printed[name].height
            assert compared(printed[name]) == compared(written[name])
            assert set(written[name]["source_form"]) == {"xml"}
            compared_rows += printed[name].height
    assert compared_rows > 50


IN_XML = ("service_class", "workload")
OF_WORKLOAD = ("rmf_workload_activity", "rmf_workload_importance", "rmf_service_policy", "rmf_service_policy_system")


def of_both(frame: pl.DataFrame, table: str) -> list[dict]:
    """What print and XML both have, in order. Print leaves out what is zero: ALL DATA ZERO stands for it."""
    declared = next(t for t in reports()["rmf_workload_activity"].tables if t.name == table)
    if "class_kind" in frame.columns:
        frame = frame.filter(pl.col("class_kind").is_in(IN_XML))
    frame = frame.drop(*NOT_OF_THE_INTERVAL, *declared.only_in_print).with_columns(cs.numeric().fill_null(0))
    return sorted(frame.to_dicts(), key=lambda row: [str(row[name]) for name in declared.key if name in row])


@pytest.mark.parametrize("seed", [2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (4, 9))])
def test_print_and_xml_of_workload_activity_agree(seed: int) -> None:
    """Classes and the service policy."""
    part = solved(seed)
    assert part
    report = workload_activity(part)
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


def test_a_document_is_one_whatever_its_length(tmp_path: Path) -> None:
    """Intervals are written some hundred at a time."""
    generate(model_path("link_to_liberty"), tmp_path, Order(scale=52, xml=True))
    text = max(tmp_path.glob("*.xml"), key=lambda path: path.stat().st_size).read_text()
    assert text.count("<ddsml") == text.count("</ddsml>") == 1
    assert text.count("<postprocessor>") > 256
    assert not re.search(r"> +[^ <\n]|[^ >\n] +<", text)
