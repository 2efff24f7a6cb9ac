"""Published pages of RMF I/O reports, read from beside the project where they are there: every row as printed.

The pages are not part of the project. Every value below was read off its page by eye.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from ironlake.pipeline.reading.engine import read_text
from sample_pages import SHARED

QUEUING = SHARED / "real_reports_2" / "rmf_ioq__zos_v2r2_amg.txt"
CHANNELS = SHARED / "real_reports" / "rmf_channel_path_activity__zos_v2r4_head.txt"
pytestmark = pytest.mark.skipif(
    not (QUEUING.exists() and CHANNELS.exists()), reason="the published pages are not beside the project"
)

# Group, channel path (none: all of the group), CHPID TAKEN, CMR DLY, and of all CSS DLY, HPAV WAIT and MAX, OPEN EXCH, XFER CONC.
# % DP BUSY, % CU BUSY and CUB DLY are 0 on all rows; CONTENTION RATE and Q LNGTH are 0 where they are printed.
ROWS = (
    (1, "90", 741.32, 0.2),
    (1, "91", 741.62, 0.2),
    (1, None, 1482.9, 0.2, 27.2, 2.013, 21, 7.50, 7.23),
    (2, "90", 741.25, 0.2),
    (2, "91", 743.49, 0.2),
    (2, None, 1484.7, 0.2, 27.1, 1.973, 24, 7.65, 7.38),
    (3, "5D", 358.47, 16.2),
    (3, "65", 346.24, 16.0),
    (3, "34", 121.38, 16.8),
    (3, "5E", 332.06, 16.2),
    (3, None, 1158.1, 16.2, 2.8, 1.846, 20, 45.4, 26.6),
    (4, "5D", 343.01, 9.5),
    (4, "65", 397.37, 9.3),
)


def read(path: Path) -> dict[str, pl.DataFrame]:
    tables = read_text(path.read_bytes())
    assert tables["parse_reject"].is_empty()
    assert tables["unknown_report"].is_empty()
    return tables


def test_alias_management_groups_as_published() -> None:
    """The top line of its heading stands ten columns too far right; its last word is on a line of its own."""
    rows = read(QUEUING)["rmf_io_queue"]
    columns = [
        "alias_group",
        "channel_path_id",
        "taken_per_s",
        "command_response_delay_ms",
        "channel_subsystem_delay_ms",
    ]
    columns += ["alias_wait_per_request", "aliases_max", "open_exchanges_avg", "transfers_avg"]
    assert rows.select(columns).rows() == [(f"{row[0]:08X}", *(*row[1:], *[None] * 5)[:8]) for row in ROWS]
    assert rows["is_total"].to_list() == [row[1] is None for row in ROWS]
    for column in ("director_busy_pct", "control_unit_busy_pct", "control_unit_busy_delay_ms"):
        assert rows[column].to_list() == [0.0] * len(ROWS)
    for column in ("contention_per_s", "delay_queue_length_avg"):
        assert rows[column].to_list() == [None if row[1] else 0.0 for row in ROWS]
    for column in ("lcu", "control_unit", "dcm_paths_min", "dcm_paths_max", "dcm_paths_defined"):
        assert rows[column].null_count() == len(ROWS)
    assert set(rows["system"]) == {"TA0"}
    assert (str(rows["interval_start"][0]), rows["interval_s"][0]) == ("2016-03-31 11:40:00", 599.995)


def test_the_head_of_channel_paths_as_published() -> None:
    """It ends within its last title, above the first row."""
    tables = read(CHANNELS)
    assert "rmf_channel_path" not in tables or tables["rmf_channel_path"].is_empty()
