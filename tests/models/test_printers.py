"""What a model puts into a report is read back from its pages, by declared column and to the printed digit."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import ironlake.models
import numpy as np
import polars as pl
import pytest
from ironlake.models.contents.common import Intervals, SystemReport
from ironlake.models.contents.db2 import Db2Statistics, group_of
from ironlake.models.contents.workload import PolicySystem, ReportClass, ServicePolicy, Work, WorkloadActivity
from ironlake.models.fill_db2 import db2_statistics
from ironlake.models.printers.db2 import print_db2_group_statistics, print_db2_statistics
from ironlake.models.printers.workload import print_workload
from ironlake.pipeline.printing.pages import Paper
from printed import read
from printed_models import contents, numbers
from random_models import INTERVALS, solved

ROOT = Path(ironlake.models.__path__[0]).parent
# They print sums of what is filled in; each column of the Overview has decimals of its own (test_printer_of_overview.py).
OF_SUMS = ("rmf_cf_structure_summary", "rmf_cf_subchannel_activity", "rmf_overview")
# What columns are filled from, and they, where the two are not called the same.
OTHERS = {
    "rmf_workload_activity": """avg transactions_avg mpl transactions_mpl ended transactions_ended executed transactions_executed actual_s actual_time_s
        execution_s execution_time_s queued_s queued_time_s deviation_s time_stddev_s response_ms dasd_response_ms connect_ms dasd_connect_ms
        disconnect_ms dasd_disconnect_ms qpend_ms dasd_qpend_ms cpu cpu_service srb srb_service cpu_s cpu_time_s srb_s srb_time_s iip_s iip_time_s
        frames storage_total_frames""",
    "rmf_workload_goal": "address_spaces address_spaces_avg velocity velocity_pct",
}  # fmt: skip

WITNESSES = {"workload", "workload_xml", "db2"}


def test_witnesses_share_no_code_with_what_reads_reports() -> None:
    """Rooms: models import printing, which is the mirror of reading. Those of workload and Db2 import its pages and numbers alone."""
    for path in [ROOT / "pipeline/printing/pages.py", ROOT / "pipeline/printing/numbers.py"]:
        assert imports(path) <= {"numbers"}, path.name
    for name in WITNESSES:
        found = imports(ROOT / "models/printers" / f"{name}.py")
        printing = {one for one in found if "pipeline" in one}
        assert "pipeline.printing.pages" in found
        assert printing <= {"pipeline.printing.pages", "pipeline.printing.numbers"}, name


def imports(path: Path) -> set[str]:
    """The modules of the project that a module imports."""
    nodes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
    return {node.module or "" for node in nodes if node.level or (node.module or "").startswith("ironlake")}


def filled_from(table: str, given: dict[str, list[float]]) -> list[tuple[str, str]]:
    """Names of what was given, and the columns of a table that they fill."""
    if table in OF_SUMS:
        return []
    names = OTHERS.get(table, "").split()
    others = list(zip(names[::2], names[1::2], strict=True))
    taken = {column for _, column in others}
    return [*others, *((name, name) for name in given if name not in taken)]


def digits(frame: pl.DataFrame, column: str) -> list[float]:
    """What the last printed digit of each value is worth."""
    values = frame[column].to_list()
    if f"{column}_resolution" in frame.columns:
        return frame[f"{column}_resolution"].to_list()
    # A value that ends in a zero is worth no more than the others of the column.
    decimals = [len(f"{v:.9f}".rstrip("0").split(".")[1]) for v in values]
    return [10.0 ** -(max(decimals) if v < 10 else d) for v, d in zip(values, decimals, strict=True)]


def lacking(found: list[float], worth: list[float], inputs: list[float]) -> list[float]:
    """Of the values that were read, those that nothing was filled with."""
    given = np.array(inputs)
    return [
        value
        for value, digit in zip(found, worth, strict=True)
        if not (np.abs(given - value) <= digit * 0.5001 + 1e-9 * (1 + abs(value))).any()
    ]


PAPERS = {2: Paper(asa=True, page_lines=58), 5: Paper(asa=True, ebcdic=True, page_lines=90)}


@pytest.mark.parametrize(
    "seeds", [pytest.param((5,), marks=pytest.mark.sampled), pytest.param((2, 5), marks=pytest.mark.slow)], ids=str
)
def test_what_models_put_into_their_reports_is_read_back(seeds: tuple[int, ...]) -> None:
    """Models of each layout, with and without data sharing."""
    checked: set[tuple[str, str]] = set()
    for seed in seeds:
        part = solved(seed)
        assert part
        for content, prints in contents(part):
            tables, given = read(prints(content, PAPERS[seed])), numbers(content, INTERVALS)
            for table, frame in tables.items():
                # Others have the totals too.
                has_sums = "is_total" in frame.columns and (
                    not isinstance(content, SystemReport) or content.name == "cics_statistics"
                )
                rows = frame.filter(~pl.col("is_total")) if has_sums else frame
                for name, column in filled_from(table, given):
                    there = rows.drop_nulls(column) if column in frame.columns else rows.clear()
                    if len(there) and name in given:
                        found = there[column].cast(pl.Float64).to_list()
                        assert lacking(found, digits(there, column), given[name]) == [], (table, column, name)
                        checked.add((table, column))
    wanted = {(table, name) for table, names in OTHERS.items() for name in names.split()[1::2]}
    assert wanted - checked == set()
    assert len(checked) > 120


def test_intervals_of_different_shape_stay_in_order() -> None:
    """A class without work for an interval prints ALL DATA ZERO there, and pages shorten; page numbers begin at 1."""
    starts = np.datetime64("2024-03-30T22:45:00") + np.arange(3) * np.timedelta64(900, "s")
    some = np.array([1.0, 0.0, 1.0])
    work = Work(avg=some, mpl=2 * some, ended=7 * some, cpu_s=50 * some, srb_s=some, frames=900 * some)
    policy = ServicePolicy("P", np.datetime64("2024-01-01T00:00:00"), (PolicySystem("SYSA", 5000.0),))
    pages = print_workload(
        WorkloadActivity("PLEX1", "V2R2", Intervals(starts, 900), policy, (), (ReportClass("R1", work),))
    )
    rows = read(pages)["rmf_workload_activity"].sort("line")
    assert rows["all_data_zero"].to_list() == [None, True, None]
    assert rows["interval_start"].is_sorted()
    assert b"PAGE   3" not in pages


def worth(value: float, width: int) -> float:
    """The last printed digit of a Db2 counter."""
    if len(f"{value:.2f}") <= width:
        return 0.01
    power = next(power for power in range(1, 5) if len(f"{value / 1000**power:.1f}") <= width - 1)
    return 0.1 * 1000**power


def assert_counters(rows: list[dict[str, Any]], report: Db2Statistics, blocks: Any) -> None:
    """Each counter of the blocks is in one row of each interval, with its quantity and rates."""
    found = {
        (r["begin_at"], r["counter"], r["object"] or ""): r
        for r in rows
        if r["block"] not in ("HIGHLIGHTS", "CPU TIMES")
    }
    expected = 0
    for at, start in enumerate(report.intervals.start.astype("datetime64[us]").tolist()):
        for block in blocks:
            of = (
                f"{'G' * block.title.startswith('GROUP')}BP{block.title.split('BP')[1].split()[0]}"
                if "BP" in block.title
                else ""
            )
            for one in (one for one in block.counters if one.kind != "blank"):
                expected += 1
                row = found[start, one.label.strip(), of]
                value, commits = (
                    float(np.broadcast_to(np.asarray(n, float), INTERVALS)[at]) for n in (one.quantity, report.commits)
                )
                assert abs(row["quantity"] - value) <= worth(value, 8) * 0.5001, (one.label, value, row)
                if one.kind == "count" and row["per_commit"] is not None:
                    assert abs(row["per_commit"] - value / commits) <= worth(value / commits, 7) * 0.5001
    assert len(found) == expected > 50


def test_counters_of_members_and_of_their_group_are_read_back() -> None:
    part = next(part for seed in range(20) if (part := solved(seed)) and part.configuration.data_sharing)
    members = db2_statistics(part)
    assert len(members) == 2
    for member in members:
        rows = read(print_db2_statistics(member))["db2_statistics_counter"]
        assert set(rows["member"]) == {member.member}
        assert_counters(rows.rows(named=True), member, member.blocks())
    rows = read(print_db2_group_statistics(members))["db2_statistics_counter"]
    whose = [(member.member, "group_member", member) for member in members] + [(None, "group", group_of(members))]
    assert set(rows.select("member", "scope").rows()) == {(name, scope) for name, scope, _ in whose}
    for name, _, report in whose:
        mine = rows.filter(pl.col("member").eq_missing(name))
        assert_counters(mine.rows(named=True), report, report.shared_blocks())
