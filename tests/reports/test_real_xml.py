"""Real documents of RMF in XML, where they are there (see sample_pages.SHARED): every cell of both reports, compared with what a plain
XML reader finds in the document, and values read by eye."""

from __future__ import annotations

import datetime as dt
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import SHARED, Tables, one

FOLDER = SHARED / "real_xml"
REPORTS = sorted(FOLDER.glob("cpu_*.xml"))
CPU, PARTITIONS, HEAD = "rmf_cpu_activity", "rmf_partition_data", "rmf_partition_head"
pytestmark = pytest.mark.skipif(not REPORTS, reason="the real documents are not there")

OF_CPU = {
    "CPU Type": "processor_type",
    "Time% Online": "online_pct",
    "Time% LPAR Busy": "lpar_busy_pct",
    "Time% MVS Busy": "mvs_busy_pct",
    "Time% Parked": "parked_pct",
    "LOG PROC Share%": "logical_share_pct",
    "HiperDispatch Priority": "polarization",
    "I/O Interrupts Rate": "io_interrupts_per_s",
    "I/O Interrupts% via TPI": "io_interrupts_tpi_pct",
}
OF_PARTITION = {
    "Partition Weight": "weight",
    "MSU Defined": "msu_defined",
    "MSU Actual": "msu_used",
    "Capping Defined": "capping_definition",
    "Capping WLM%": "capping_wlm_pct",
    "Num of LOG PROCs": "logical_processors",
    "PROC Type": "processor_type",
    "Effective Dispatch Time": "effective_dispatch",
    "Total Dispatch Time": "total_dispatch",
    "Avg Util%: LOG PROC Effective": "logical_effective_pct",
    "Avg Util%: LOG PROC Total": "logical_total_pct",
    "Avg Util%: PHYS PROC LPAR MGMT": "lpar_management_pct",
    "Avg Util%: PHYS PROC Effective": "physical_effective_pct",
    "Avg Util%: PHYS PROC Total": "physical_total_pct",
}
OF_MACHINE = {
    "CPU": "cpc_type",
    "Model": "cpc_model",
    "H/W Model": "hardware_model",
    "Sequence Code": "sequence_code",
    "HiperDispatch": "hiperdispatch",
    "CPC Capacity": "cpc_capacity",
    "Change Reason": "change_reason",
}
OF_HEAD = {
    "MVS Partition Name": "mvs_partition",
    "Image Capacity": "image_capacity",
    "Number of Configured Partitions": "configured_partitions",
    "Wait Completion": "wait_completion",
    "Dispatch Interval": "dispatch_interval",
    "Group Name": "capacity_group",
    "Group Limit": "capacity_group_limit",
    "Group Capacity Available": "capacity_group_available",
    "Initial Capping": "initial_capping",
    "LPAR Hardware Capping": "lpar_hardware_capping",
    "Hardware Group Capping": "hardware_group_capping",
    "Absolute MSU Capping": "absolute_msu_capping",
}
# Rows of the analysis parts: the first cell, and the columns of the cells behind it.
OF_ADDRESS_SPACES = {
    "IN Queue": "in",
    "IN READY Queue": "in_ready",
    "OUT READY Queue": "out_ready",
    "OUT WAIT Queue": "out_wait",
    "LOGICAL OUT READY Queue": "logical_out_ready",
    "LOGICAL OUT WAIT Queue": "logical_out_wait",
    "BATCH Address Spaces": "batch",
    "STC Address Spaces": "stc",
    "TSO Address Spaces": "tso",
    "ASCH Address Spaces": "asch",
    "OMVS Address Spaces": "omvs",
}
OF_BLOCKED = {
    "OPT Parameter: BLWLTRPCT (%)": "promote_limit_pct",
    "OPT Parameter: BLWLINTHD": "promote_after_s",
    "Promote Rate Defined": "promotes_defined_per_s",
    "Promote Rate Used(%)": "promotes_used_pct",
    "Avg Waiters for Promote": "waiters_avg",
    "Peak Waiters for Promote": "waiters_peak",
}
TEXTS = {
    *(
        "processor_type",
        "polarization",
        "capping_definition",
        "cpc_type",
        "cpc_model",
        "hardware_model",
        "sequence_code",
    ),
    *("hiperdispatch", "change_reason", "mvs_partition", "wait_completion", "dispatch_interval", "capacity_group"),
}


@cache
def tables(path: Path) -> Tables:
    return read_text(path.read_bytes(), name=path.name)


def value(column: str, text: str | None) -> Any:
    """A cell as the table should have it."""
    if text is None or text == "N/A":
        return None
    if column.endswith("_capping"):
        return text == "YES"
    if column in TEXTS:
        return text
    if match := re.fullmatch(r"(\d+)\.(\d\d)\.(\d\d)\.(\d{3})", text):
        hours, minutes, seconds, thousandths = map(int, match.groups())
        return ((hours * 3600 + minutes * 60 + seconds) * 1000 + thousandths) / 1000
    return float(text)


def rows_of(page: ET.Element, title: str) -> Iterator[tuple[bool, dict[str, str | None]]]:
    """Rows below the heading that begins with a title: whether one is a sum, and its cells by heading."""
    for table in page.iter("table"):
        headings = [col.text or "" for col in table.find("column-headers") or ()]
        if headings[0] != title:
            continue
        for row in table.iter("row"):
            cells = [col.text for col in row]
            # A deactivated partition lacks a cell, and has none but its name and status.
            assert len(cells) == len(headings) or not any(cells[2:])
            yield row.get("type") == "SUM", dict(zip(headings, [*cells, None], strict=False))


def variables(page: ET.Element) -> dict[str, str | None]:
    """The names and values of the parts without a title."""
    found = {}
    for part in page.iter("part"):
        if part.find("name") is None:
            found |= {str(var.findtext("name")): var.findtext("value") for var in part.iter("var")}
    return found


def start_of(page: ET.Element) -> dt.datetime:
    return dt.datetime.strptime(str(page.findtext("time-data/display-start")), "%m/%d/%Y-%H.%M.%S")


@pytest.mark.parametrize("path", REPORTS, ids=lambda p: p.stem)
def test_every_cell_is_that_of_the_document(path: Path) -> None:
    read = tables(path)
    assert read["parse_reject"].is_empty()
    cells = 0
    for page in ET.parse(path).getroot().iter("postprocessor"):
        start = start_of(page)
        named = variables(page)
        minutes, seconds, thousandths = map(int, str(page.findtext("time-data/report-interval")).split(":"))
        length = minutes * 60 + seconds + thousandths / 1000
        heading = {
            "system": page.findtext("resource/resname"),
            "release": page.findtext("version/smf-data"),
            "interval_s": length,
            "interval_end": start + dt.timedelta(seconds=length),
            "report_kind": "interval",
            "source_form": "xml",
        }
        machine = {c: value(c, named[n]) for n, c in OF_MACHINE.items()}
        machine |= {"boost_type": named["Boost Type"].title(), "boost_class": named["Boost Class"].title()}  # type: ignore[union-attr]
        got = read[CPU].filter(interval_start=start).to_dicts()
        expected = list(rows_of(page, "CPU Number"))
        assert len(got) == len(expected)
        for row, (is_sum, printed) in zip(got, expected, strict=True):
            wanted = heading | machine | {c: value(c, printed[h]) for h, c in OF_CPU.items()}
            wanted |= {"processor_id": None if is_sum else printed["CPU Number"], "is_total": is_sum}
            assert {c: row[c] for c in wanted} == wanted
            cells += len(wanted)
        of_page = {c: value(c, named[n]) for n, c in OF_HEAD.items()}
        (head,) = read[HEAD].filter(interval_start=start).to_dicts()
        assert {c: head[c] for c in of_page} == of_page
        got = read[PARTITIONS].filter(interval_start=start).to_dicts()
        expected = list(rows_of(page, "Partition Name"))
        assert len(got) == len(expected)
        for row, (is_sum, printed) in zip(got, expected, strict=True):
            wanted = heading | {c: value(c, printed[h]) for h, c in OF_PARTITION.items()}
            wanted |= {"partition": None if is_sum else printed["Partition Name"], "is_total": is_sum}
            wanted |= {"status": {"Active": "A", "Deactivated": "D", None: None}[printed["Partition Status"]]}
            wanted |= {"boost_type": {"None": "N", None: None}[printed["Boost Type"]]}
            wanted |= {c: of_page[c] for c in ("mvs_partition", "image_capacity", "configured_partitions")}
            assert {c: row[c] for c in wanted} == wanted
            cells += len(wanted)
    assert cells > 400


def part_of(page: ET.Element, title: str) -> ET.Element:
    (part,) = [part for part in page.iter("part") if part.findtext("name") == title]
    return part


def cells_of(part: ET.Element) -> list[list[str]]:
    """The rows of a part, without those that set others apart."""
    rows = [[col.text or "" for col in row] for row in part.iter("row")]
    return [row for row in rows if any(row)]


@pytest.mark.parametrize("path", REPORTS, ids=lambda p: p.stem)
def test_every_cell_of_the_analysis_parts_is_that_of_the_document(path: Path) -> None:
    read = tables(path)
    for page in ET.parse(path).getroot().iter("postprocessor"):
        start = start_of(page)
        named = {str(var.findtext("name")): var.findtext("value") for var in page.iter("var")}

        def rows(table: str, start: dt.datetime = start) -> list[dict[str, Any]]:
            return read[table].filter(interval_start=start).to_dicts()

        (spaces,) = rows("rmf_address_space_count")
        printed = cells_of(part_of(page, "System Address Space Analysis"))
        assert {row[0] for row in printed} == set(OF_ADDRESS_SPACES)
        for name, *cells in printed:
            column = OF_ADDRESS_SPACES[name]
            assert [spaces[f"{column}_{end}"] for end in ("min", "max", "avg")] == list(map(float, cells))
        buckets = [
            f"{row['relation']}N{(row['above_n'] and '+' + str(row['above_n'])) or ''}"
            for row in rows("rmf_work_unit_queue")
        ]
        shares = [row["samples_pct"] for row in rows("rmf_work_unit_queue")]
        printed = cells_of(part_of(page, "Distribution of In-ready Work Unit Queue"))
        assert len(printed) == 16
        assert list(zip(buckets, shares, strict=True)) == [(bucket, float(share)) for bucket, share in printed]
        units = [
            [row["processor_type"], row["work_units_min"], row["work_units_max"], row["work_units_avg"]]
            for row in rows("rmf_work_unit")
        ]
        assert units == [[kind, *map(float, cells)] for kind, *cells in cells_of(part_of(page, "Work Unit Analysis"))]
        unparked = float(str(named["Avg Number of Processors Online and Unparked (N)"]))
        assert {row["processors_unparked_avg"] for row in rows("rmf_work_unit")} == {unparked}
        (blocked,) = rows("rmf_blocked_workload")
        assert {c: blocked[c] for c in OF_BLOCKED.values()} == {c: float(str(named[n])) for n, c in OF_BLOCKED.items()}
        assert {(blocked["system"], blocked["source_form"]), (spaces["system"], spaces["source_form"])} == {
            (page.findtext("resource/resname"), "xml")
        }


def test_values_read_by_eye() -> None:
    late, early = (tables(FOLDER / f"cpu_zos_{name}.xml") for name in ("v2r5_1_interval", "v2r4_34_intervals"))
    kvm = one(late, PARTITIONS, partition="KVMOCP1")
    assert (kvm["effective_dispatch"], kvm["total_dispatch"], kvm["logical_total_pct"]) == (1281.72, 1313.78, 18.25)
    assert (kvm["processor_type"], kvm["boost_type"], kvm["msu_used"], kvm["line"]) == ("IFL", None, None, 554)
    gone = late[PARTITIONS].filter(status="D")
    assert gone["partition"].to_list() == ["VISSC1", "ZVMVIN"]
    assert gone["processor_type"].to_list() == gone["total_dispatch"].to_list() == [None, None]
    assert one(late, CPU, is_total=True)["io_interrupts_per_s"] == 29.54
    assert one(late, HEAD)["physical_processors_ifl"] == 4
    first = early[CPU].row(0, named=True)
    assert (first["lpar_busy_pct"], first["mvs_busy_pct"], first["polarization"]) == (2.52, 2.49, "MED")
    assert (first["change_reason"], first["boost_type"], first["cpc_capacity"]) == (None, "None", 365.0)


def test_the_folder_gives_35_intervals_of_both_reports(tmp_path: Path) -> None:
    report = ingest([str(FOLDER)], tmp_path / "lake", Options())
    assert sum(f.rejects for f in report.files) == 0
    assert {Path(f.path).name: f.status for f in report.files if f.path.endswith(".xml")} == {
        "cpu_zos_v2r4_34_intervals.xml": "ingested",
        "cpu_zos_v2r5_1_interval.xml": "ingested",
        "messages_only_monitor_iii.xml": "empty",
        "messages_only_postprocessor.xml": "empty",
    }
    rows = [f.rows for f in report.files if f.status == "ingested"]
    assert [r["rmf_partition_head"] for r in rows] == [34, 1]
    assert sum(r[CPU] for r in rows) == 105
    assert sum(r[PARTITIONS] for r in rows) == 561
