"""Values at random in rows of several lines, and in rows below a title, are read back by declared column, with no reject."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ironlake.pipeline.declaration.report import reports
from ironlake.pipeline.printing.pages import Paper, Section, print_intervals
from ironlake.pipeline.printing.print_rows import arts, print_row
from ironlake.pipeline.reading.engine import read_text
from property_settings import examples
from test_print_rows import value

_WHEN = "DATE 03/01/2024            INTERVAL {}15.00.000"
_TOPS = {
    "rmf_cache_subsystem": f"""\
C A C H E   S U B S Y S T E M   A C T I V I T Y
          z/OS V2R4              SYSTEM ID SYSA            {_WHEN.format("")}
                                 RPT VERSION V2R4 RMF      TIME 10.00.00

SUBSYSTEM  2107-01     CU-ID  8A10     SSID 1051     CDATE  03/01/2024     CTIME 10.00.00      CINT  15.00
""",
    "rmf_coupling_facility_activity": f"""\
C O U P L I N G   F A C I L I T Y   A C T I V I T Y
     z/OS V2R4               SYSPLEX PLEX1               {_WHEN.format("0")}
                             RPT VERSION V2R4 RMF        TIME 10.00.00             CYCLE 01.000 SECONDS
 COUPLING FACILITY NAME = CF01
""",
    "rmf_cpu_activity": f"""\
C P U  A C T I V I T Y
          z/OS V2R4              SYSTEM ID SYSA              {_WHEN.format("")}
                                 RPT VERSION V2R4 RMF        TIME 10.00.00              CYCLE 1.000 SECONDS
""",
}
_OVERVIEW = "CACHE SUBSYSTEM OVERVIEW\n\nTOTAL I/O              5     CACHE I/O              5"
_DEVICES = "CACHE SUBSYSTEM DEVICE OVERVIEW"
# Tables, what is above the heading, and kinds of line below it with their labels.
BLOCKS = [
    (
        "rmf_cf_structure_summary",
        "COUPLING  FACILITY  USAGE  SUMMARY",
        ("TYPE_ROW", "CURRENT_ROW", "NAME_ROW", "CURRENT_ROW", "TOTALS_ROW"),
    ),
    (
        "rmf_cf_storage_class_memory",
        "STORAGE CLASS MEMORY STRUCTURE SUMMARY",
        ("MEMORY_TYPE_ROW", "MEMORY_NAME_ROW"),
    ),
    (
        "rmf_cf_structure_activity",
        "STRUCTURE NAME = STR1    TYPE = LIST    STATUS = ACTIVE",
        (
            *("SYSTEM_ROW SYNC NO_SCH", "ASYNC_ROW ASYNC PR_WT", "CHNGD_ROW CHNGD PR_CMP", "SUPPR_ROW SUPPR DUMP"),
            *("DELAY_ROW MONOP", "SYSTEM_ROW SYNC DUMP", "TOTAL_ROW SYNC NO_SCH", "ASYNC_ROW ASYNC PR_WT"),
        ),
    ),
    (
        "rmf_cf_subchannel_activity",
        "SUBCHANNEL  ACTIVITY",
        (
            *("SUBCHANNEL_ROW SYNC LIST/CACHE", "SUBCHANNEL_ASYNC_ROW ASYNC LOCK"),
            *("SUBCHANNEL_CHANGED_ROW CHANGED TOTAL", "SUBCHANNEL_UNSUCC_ROW UNSUCC", "SUBCHANNEL_ROW SYNC LIST/CACHE"),
        ),
    ),
    ("rmf_cache_request", _OVERVIEW, ("REQUEST_ROW", "REQUEST_ROW", "SUM_ROW")),
    (
        "rmf_cache_miss rmf_cache_subsystem",
        _OVERVIEW,
        ("MISS_ROW DFW_BYPASS ICL", "MISS_ROW CFW_BYPASS BYPASS", "MISS_ROW DFW_INHIBIT TOTAL", "MISS_SUM_ROW ASYNC_(TRKS)"),
    ),
    ("rmf_cache_device", _DEVICES, ("DEVICE_ROW", "DEVICE_ROW")),
    ("rmf_cache_device", _DEVICES, ("ALL_ROW", "UNCACHED_ROW", "CACHED_ROW")),
    (
        "rmf_address_space_count rmf_work_unit_queue",
        "SYSTEM ADDRESS SPACE AND WORK UNIT ANALYSIS",
        ("QUEUE_IN_ROW IN", "QUEUE_ROW IN_READY", "BUCKET_ROW", "QUEUE_ROW LOGICAL_OUT_RDY", "QUEUE_ROW OMVS"),
    ),
    ("rmf_work_unit", "---------NUMBER OF WORK UNITS-------------", ("WORK_UNIT_ROW", "WORK_UNIT_ROW")),
]  # fmt: skip


@pytest.mark.parametrize(("names", "above", "kinds"), BLOCKS, ids=[f"{names}-{len(k)}" for names, _, k in BLOCKS])
@given(st.integers(0, 10_000))
@examples(2)
def test_lines_printed_at_random_are_read_back(names: str, above: str, kinds: tuple[str, ...], seed: int) -> None:
    n = np.random.default_rng(seed)
    report = next(one for one in _TOPS if any(table.name in names.split() for table in reports()[one].tables))
    tables = [table for table in reports()[report].tables if table.name in names.split()]
    for heading in [art.heading for art in arts(report, kinds[0].split()[0])]:
        page, given_rows = f"{_TOPS[report]}{above}\n{heading}\n", {table.name: [] for table in tables}
        for kind, *words in (one.split() for one in kinds):
            labels = {"", *(word.replace("_", " ") for word in words)}
            line: dict[str, Any] = {}
            (art,) = (one for one in arts(report, kind) if one.heading == heading)
            for cell in (one for one in art.cells if not one.labels):
                for table in tables:
                    for column in (one for one in table.columns if one.name in cell.columns):
                        if any(getattr(place, "label", None) in labels for place in column.places):
                            line.setdefault(column.name, value(n, column, cell.hole))
            if "structure_name" in line and "status" in line:
                line["status"] = "ACTIVE"
            page += print_intervals(
                1, [print_row(report, kind, line, below=heading)], lambda *_: Section(""), Paper()
            ).decode()[1:]
            for table in tables:
                rows = given_rows[table.name]
                if kind in table.rows or not rows:
                    rows.append({})
                rows[-1] |= {one.name: line[one.name] for one in table.columns if one.name in line}
        found = read_text(page.encode())
        assert found["parse_reject"].drop("text").rows() == [], page
        for name, rows in given_rows.items():
            there = [row for row in rows if row]
            assert there
            assert len(found[name]) == len(there), page
            for row, read in zip(there, found[name].rows(named=True), strict=True):
                assert {one: read[one] for one in row} == {one: _read(cell) for one, cell in row.items()}, page


def _read(cell: Any) -> Any:
    """What is read of a printed cell: a size in bytes, of a bucket its relation."""
    if not isinstance(cell, str):
        return pytest.approx(cell, rel=1e-12)
    return int(cell[:-1]) * 1024 if cell[-1] == "K" and cell[:-1].isdigit() else cell.split()[0]
