"""Values at random, printed below each heading that a layout declares, are read back by declared column, with no reject."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ironlake.models.contents.common import Intervals, SystemReport
from ironlake.models.printers.cics import print_cics, print_cics_monitoring
from ironlake.models.printers.system_reports import print_system
from ironlake.pipeline.declaration.report import Column, Table, reports
from ironlake.pipeline.printing.print_rows import arts
from ironlake.pipeline.reading.engine import read_text
from printed_models import contents
from property_settings import examples
from random_models import solved

ONE = Intervals(np.array(["2024-03-01T10:00:00"], "datetime64[s]"), 900)
# Each heading, and the kinds of row that there are pictures of below it.
HEADINGS: dict[tuple[str, str], list[str]] = {}
# Reports with more than rows on a page.
_OTHERS = ("rmf_cache_subsystem", "rmf_coupling_facility_activity")
_QUEUES = ("QUEUE_IN_ROW", "QUEUE_ROW", "BUCKET_ROW", "WORK_UNIT_ROW")
for _report in (one for name, one in reports().items() if name not in _OTHERS):
    for _kind in (kind for table in _report.tables for kind in table.rows if kind not in _QUEUES):
        for _art in arts(_report.name, _kind):
            HEADINGS.setdefault((_report.name, _art.heading), []).append(_kind)
# Texts of which neither the column nor its place says the form.
FORMS = {
    "channel_path_type": "FC_S",
    "tcb_mode": "L8",
    "is_open": "YES",
    "dynamic": "NO",
    "account_records": "UOW",
    "device_type": "33909",
    "path_type": "S",
    "speed": "16G",
    "processor_type": "CP",
    "processor_id": "1F",
    "status": "A",
    "boost_type": "N",
    "capping_definition": "N N N",
    "structure_type": "LIST",
    "relation": "<=  N +   3",
}


def value(n: np.random.Generator, column: Column, hole: str) -> Any:
    """What a cell can hold and print to its last digit."""
    ((width, decimals, letter),) = re.findall(r"%\(\{\}\)-?(\d+)(?:\.(\d))?([a-z])$", hole)
    if letter in "sw":
        if column.type.reader == "storage":
            return f"{n.integers(1, 1000)}K"
        of_hex = re.search(
            r"\[0-9A-F\]\{(?:\d,)?(\d)\}", " ".join(getattr(place, "pattern", "") for place in column.places)
        )
        letters, many = ("0123456789ABCDEF", int(of_hex[1])) if of_hex else ("ABCDEFGH", n.integers(1, int(width) + 1))
        random = "".join(n.choice(list(letters), many))
        return FORMS.get(column.name) or (column.allowed[0] if column.allowed else random)
    if letter == "y":
        return int(n.integers(86_400 * 10**5)) / 10**5
    point = int(decimals or 0)
    if letter == "c":
        return int(n.integers(3600 * 10**point)) / 10**point
    if letter == "r":
        return int(n.integers(1000)) / 100
    digits = int(width) - bool(point) - (int(width) // 4 if letter == "g" else letter == "k")
    return int(n.integers(10**digits)) / 10**point


@pytest.mark.parametrize(("report", "heading"), HEADINGS)
@given(st.integers(0, 10_000))
@examples(2)
def test_what_is_printed_at_random_is_read_back(report: str, heading: str, seed: int) -> None:
    n = np.random.default_rng(seed)
    kinds = HEADINGS[report, heading]
    (table,) = (one for one in reports()[report].tables if kinds[0] in one.rows)
    lines: list[tuple[Any, ...]] = []
    for kind in kinds:
        rows: list[dict[str, Any]] = []
        for cell in next(art for art in arts(report, kind) if art.heading == heading).cells:
            for name in cell.columns[:1]:
                rows += [{} for _ in range(cell.panel + 1 - len(rows))]
                rows[cell.panel][name] = value(n, column_of(table, name), cell.hole)
        lines.append((kind, *rows))
    if report == "cics_statistics":
        # Totals are added up.
        lines = lines[:1]
        pages = print_cics(SystemReport(report, "REGION", "", ONE, [("", lines)], {"collected": ONE.start + 900}))
    else:
        prints = print_cics_monitoring if report == "cics_monitoring" else print_system
        pages = prints(SystemReport(report, "SYSA", "V2R4", ONE, lines))
    tables = read_text(pages)
    assert tables["parse_reject"].rows(named=True) == []
    printed = [row for _, *rows in lines for row in rows]
    found = tables[table.name]
    if report == "cics_statistics":
        found = found.filter(~found["is_total"])
    for row, read in zip(printed, found.rows(named=True), strict=True):
        flags = {name for name in row if column_of(table, name).type.reader == "flag"}
        assert {name: read[name] for name in row} == {
            name: name in flags or (value if isinstance(value, str) else pytest.approx(value, rel=1e-12))
            for name, value in row.items()
        }


def column_of(table: Table, name: str) -> Column:
    return next(one for one in table.columns if one.name == name)


# Of the reports of a model.
PAGES = {
    "cics": "ce3894287377f249", "cics_monitoring": "b1750bbc31aac3de", "server": "8a5c0493fabae604",
    "caches": "ee3d42bf0f13309c", "cpu": "4926405ea4369f50", "partitions": "c0441c984828b554",
    "rmf_group_capacity": "8decaf82e2e4de4e", "rmf_xcf_activity": "b95460dc9f4a97ad",
    "rmf_device_activity": "fcb37e5c1de78247", "rmf_channel_path_activity": "6d413b0fd095ce60",
    "rmf_io_queuing": "9794a0eb9fded01e", "workload": "978e45f5dff32076", "overview": "c3e3feaa980abb45",
    "coupling_facility": "d5de1ae3c8f80159", "db2_statistics": "2b618e3a547e7924", "db2_accounting": "2e62000259cfb71d",
}  # fmt: skip


def test_every_page_of_a_model_is_as_it_was() -> None:
    """A title, place or decimal of an art that changes is noticed: change a digest only for a page that should be another."""
    part, found = solved(1), defaultdict(hashlib.sha256)
    assert part
    for content, prints in contents(part):
        name = content.name if prints is print_system else re.sub("^_?print_", "", prints.__name__)
        found[name].update(prints(content, None))
    assert {name: digest.hexdigest()[:16] for name, digest in found.items()} == PAGES
