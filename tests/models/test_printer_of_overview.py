"""What the printer of the Overview report prints, the reader reads, and a published page has its lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ironlake.models.command import model_path
from ironlake.models.contents.common import Intervals, SystemReport
from ironlake.models.generate import Order, generate
from ironlake.models.printers.overview import print_overview
from printed import read
from sample_pages import SHARED

PUBLISHED = SHARED / "real_reports_2" / "rmf_overview__zos_v2r2_with_statements.txt"


@pytest.mark.skipif(not PUBLISHED.is_file(), reason=f"no ../{SHARED.name} beside the project")
def test_the_numbers_of_a_published_page_give_its_lines() -> None:
    """The page itself, but for its blank line at the end: its first line is 15 minutes before its range."""
    starts = np.datetime64("2015-04-21T01:00:00") + np.arange(8) * np.timedelta64(3600, "s")
    starts[0] += np.timedelta64(900, "s")
    lengths = np.array([2700.0, *[3600] * 6, 3599])
    of_classes = (
        ("APPLC", (100.2, 100.3, 100.1, 100.3, 101.5, 100, 100.2, 109.3), 1),
        ("APPLM", (41, 40.5, 37.9, 37.7, 40, 40.3, 38.9, 44.2), 1),
        ("TRANSC", (*[0.01] * 7, 0.07), 2),
        ("TRANSM", (0,) * 8, 2),
        ("RTIMEC", (0.198, 0.178, 0.163, 0.214, 0.176, 15755.31, 0.107, 0.06), 3),
        ("RTIMEM", (0,) * 8, 3),
    )
    others = (("PROCS", 14, 1), ("CPUBSY", (20.6, 20.3, 19.3, 19.3, 20.1, 19.8, 19.7, 22), 1))
    columns = [
        {"overview_column": name, "value": np.array(values), "decimals": decimals, "of_class": group is of_classes}
        for group in (others, of_classes)
        for name, values, decimals in group
    ]
    head = {"range_start": np.datetime64("2015-04-21T01:30:00"), "range_end": np.datetime64("2015-04-21T09:00:00")}
    intervals = Intervals(starts, lengths, duration=True)
    report = SystemReport("rmf_overview", "CB88", "V2R2", intervals, columns, head)
    printed = print_overview(report).decode().splitlines()
    theirs = [line.rstrip() for line in PUBLISHED.read_text().splitlines()]
    assert [line.rstrip() for line in printed] == theirs


def model(folder: Path) -> Path:
    """LINK to Liberty around midnight, with the reports that tell the same."""
    text = model_path("link_to_liberty").read_text()
    text = text.replace("cpu_activity, monitoring]", "cpu_activity, overview]")
    text = text.replace("2026-04-14T09:00", "2026-04-14T23:50")
    assert "overview" in text
    assert "23:50" in text
    path = folder / "model.yaml"
    path.write_text(text)
    return path


def test_a_model_prints_an_overview_of_each_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it prints is what CPU Activity and Workload Activity print, also where intervals come in chunks."""
    monkeypatch.setattr("ironlake.models.generate._AT_ONCE", 4)
    generate(model(tmp_path), tmp_path / "out", Order(scale=3))
    pages = sorted((tmp_path / "out").glob("*_overview.txt"))
    assert len(pages) == 3
    days = []
    for path in pages:
        found = read(path.read_bytes())["rmf_overview"]
        days += found["range_start"].unique().sort().dt.strftime("%d %H:%M").to_list()
        by_column = {name: rows.sort("interval_start") for (name,), rows in found.group_by("overview_column")}
        stem = path.name.removesuffix("_sysl_overview.txt")
        cpu = read((path.parent / f"{stem}_sysl_cpu_activity.txt").read_bytes())["rmf_cpu_activity"]
        busy = cpu.filter(is_total=True, processor_type="CP")
        assert by_column["CPUBSY"]["interval_start"].to_list() == busy["interval_start"].to_list()
        assert by_column["CPUBSY"]["value"].to_list() == approx(busy["mvs_busy_pct"].to_list(), 0.06)
        assert set(by_column["PROCS"]["value"]) == {4}
        work = read((path.parent / f"{stem}_workload_activity.txt").read_bytes())["rmf_workload_activity"]
        classes = work.filter(class_kind="service_class").sort("interval_start")
        (name,) = set(classes["service_class"])
        assert name
        for column, theirs, digit in (
            *(("APPL1", "appl_cp_pct", 0.06), ("TRANS1", "transactions_per_s", 0.06)),
            ("RTIME1", "actual_time_s", 0.001),
        ):
            assert by_column[column]["value"].to_list() == approx(classes[theirs].to_list(), digit)
    assert sorted(days) == ["14 23:50", "15 00:00", "15 00:05", "15 00:20"]


def approx(numbers: list[float], digit: float) -> list[Any]:
    return [pytest.approx(number, abs=digit) for number in numbers]
