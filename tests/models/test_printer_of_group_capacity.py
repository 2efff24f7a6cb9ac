"""What the printer of Group Capacity prints, the reader reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from ironlake.models.command import model_path
from ironlake.models.contents.common import Intervals, Row, SystemReport
from ironlake.models.fill_partitions import group_lines
from ironlake.models.generate import Order, generate
from ironlake.models.printers.system_reports import print_system
from printed import read

ONE = Intervals(np.array(["2010-10-13T15:15:00"], "datetime64[s]"), 899.968)


def printed(system: str, name: str, limit: int, members: list[Row]) -> bytes:
    lines = group_lines(name, limit, members)
    return print_system(SystemReport("rmf_group_capacity", system, "V1R12", ONE, [lines]))


def test_a_group_whose_members_use_more_than_its_limit() -> None:
    member = {"partition": "LP", "member_system": "SYSA", "weight": 10, "msu_used": 122, "msu_defined": 0}
    (row, total) = read(printed("SYSA", "G", 100, [member]))["rmf_group_capacity"].rows(named=True)
    assert (row["capacity_group_available"], row["msu_entitled_min"], total["msu_used"]) == (-22, 100, 122)


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
