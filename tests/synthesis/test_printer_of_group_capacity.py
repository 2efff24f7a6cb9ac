"""What the printer of Group Capacity prints, the reader reads, and a published page has its lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from ironlake.pipeline.synthesis.command import model_path
from ironlake.pipeline.synthesis.contents.common import Intervals, Row, SystemReport
from ironlake.pipeline.synthesis.fill_group_capacity import group_lines
from ironlake.pipeline.synthesis.generate import Order, generate
from ironlake.pipeline.synthesis.printers.system_reports import print_system
from printed import read
from sample_pages import SHARED

ONE = Intervals(np.array(["2010-10-13T15:15:00"], "datetime64[s]"), 899.968)
PUBLISHED = SHARED / "real_reports_2" / "rmf_group_capacity__zos_v1r12.txt"


def printed(system: str, name: str, limit: int, members: list[Row]) -> bytes:
    lines = group_lines(name, limit, members)
    return print_system(SystemReport("rmf_group_capacity", system, "V1R12", ONE, [lines]))


def test_a_group_whose_members_use_more_than_its_limit() -> None:
    member = {"partition": "LP", "member_system": "SYSA", "weight": 10, "msu_used": 122, "msu_defined": 0}
    (row, total) = read(printed("SYSA", "G", 100, [member]))["rmf_group_capacity"].rows(named=True)
    assert (row["capacity_group_available"], row["msu_entitled_min"], total["msu_used"]) == (-22, 100, 122)


@pytest.mark.skipif(not PUBLISHED.is_file(), reason=f"no ../{SHARED.name} beside the project")
def test_the_numbers_of_a_published_page_give_its_lines() -> None:
    """Its members have used 6 MSU of 1500, and -22 are available: AVAIL is the average of four hours, so it is not compared."""
    members = [
        {
            "partition": name,
            "weight": weight,
            "msu_used": 3,
            "msu_defined": 80,
            "capping_wlm_pct": wlm,
            "capping_actual_pct": cap,
        }
        for name, weight, wlm, cap in (("SYS1", 600, 25, 23), ("SYS2", 500, 100, 46))
    ]
    pages = printed("SYS1", "GROUP1", 1500, members)
    published = [line.rstrip() for line in PUBLISHED.read_text().split("\n")]
    lines = [line.rstrip() for line in pages.decode().split("\n")]
    begin, first = published.index(next(x for x in published if x.startswith("----GROUP"))), "----GROUP"
    mine = lines[lines.index(next(x for x in lines if x.startswith(first))) :]
    mine = [line.replace("    1494 ", "     -22 ") for line in mine if line]
    theirs = [line for line in published[begin:] if line]
    assert mine == theirs
    (row,) = read(PUBLISHED.read_bytes())["rmf_group_capacity"].filter(partition="SYS2").rows(named=True)
    assert (row["capping_wlm_pct"], row["capping_actual_pct"], row["msu_entitled_min"], row["capacity_group"]) == (
        *(100, 46, 80),
        "GROUP1",
    )
    assert row["capped"] is False


def test_a_model_with_a_capacity_group_prints_it(tmp_path: Path) -> None:
    """SYSL is the only partition of 1200 MSU/h in a group of 800: it is entitled to all of these."""
    text = model_path("link_to_liberty").read_text()
    text = text.replace("cpu_activity, monitoring]", "cpu_activity, partition_data, group_capacity, monitoring]")
    machine = "machines:\n  M: {cp: 6, ziip: 2, capacity_msu: 1200, group: GRP, group_limit_msu: 800}\n\nsystems:\n"
    text = text.replace("systems:\n", machine, 1).replace("SYSL: {cp: 4", "SYSL: {machine: M, cp: 4", 1)
    (tmp_path / "model.yaml").write_text(text)
    generate(tmp_path / "model.yaml", tmp_path / "out", Order())
    pages = sorted((tmp_path / "out").glob("*_sysl_group_capacity.txt"))
    assert len(pages) == 3
    for path in pages:
        group = read(path.read_bytes())["rmf_group_capacity"]
        partitions = read(path.with_name(path.name.replace("group_capacity", "partition_data")).read_bytes())
        of_type = partitions["rmf_partition_data"].filter(partition="SYSL", processor_type="CP")
        mine = group.filter(partition="SYSL")
        assert mine["msu_used"].to_list() == of_type["msu_used"].to_list() != []
        assert set(mine.select("capacity_group", "capacity_group_limit", "msu_entitled_min").rows()) == {
            ("GRP", 800, 800)
        }
