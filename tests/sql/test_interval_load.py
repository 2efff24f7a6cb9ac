"""interval_load: what waited for processors, once per interval, from print or XML."""

from __future__ import annotations

import pytest
from one_lake import Found, Rows, examples, shown
from rmf_rows import processor
from views_lake import Row

approx = pytest.approx


def page(**other: object) -> Row:
    """The heading of a page of SYSA."""
    row = processor(0, 0.0)
    for name in ("is_total", "thread", "processor_type", "processor_id", "online_pct", "lpar_busy_pct"):
        del row[name]
    return row | {"source_form": "print"} | other


def every_part(**other: object) -> dict[str, list[Row]]:
    """Of 7.9 address spaces ready on average, 71.4% of the samples found no more work units than processors."""
    head = page(**other)
    return {
        "rmf_address_space_count": [
            head | {"in_ready_avg": 7.9, "in_ready_max": 47.0, "in_avg": 120.6, "stc_avg": 149.7}
        ],
        "rmf_work_unit_queue": [
            head | {"relation": "<=", "above_n": 0, "samples_pct": 71.4, "line": 24},
            head | {"relation": "=", "above_n": 1, "samples_pct": 8.3, "line": 25},
            head | {"relation": "<=", "above_n": 5, "samples_pct": 20.3, "line": 26},
        ],
        "rmf_work_unit": [
            head | {"processor_type": "CP", "work_units_avg": 4.6, "processors_unparked_avg": 2.4, "line": 43},
            head | {"processor_type": "IIP", "work_units_avg": 1.3, "processors_unparked_avg": 2.4, "line": 44},
        ],
        "rmf_blocked_workload": [
            head | {"waiters_avg": 0.027, "waiters_peak": 6.0, "promotes_used_pct": 13.0, "line": 48}
        ],
    }


# 100 - 71.4 of the samples waited.
EXPECTED = {
    "in_ready_avg": 7.9, "in_ready_max": 47.0, "in_avg": 120.6, "stc_avg": 149.7, "work_units_cp_avg": 4.6, "work_units_iip_avg": 1.3,
    "processors_unparked_avg": 2.4, "waiting_samples_pct": approx(28.6), "blocked_waiters_avg": 0.027, "blocked_waiters_peak": 6.0,
    "promotes_used_pct": 13.0,
}  # fmt: skip
FROM = "FROM interval_load"


def changed(more: bool = True, **first: Row) -> Rows:
    """The parts, and of some the first row changed: a second print of it, or in its place."""
    parts = every_part()
    again = {table: parts[table][0] | {"source_id": "s9"} | values for table, values in first.items()}
    return {
        t: [*rows[0 if more or t not in again else 1 :], *([again[t]] if t in again else [])]
        for t, rows in parts.items()
    }


# Print counts; the other has no counts of address spaces.
XML = every_part(source_form="xml", source_id="s9")
XML["rmf_blocked_workload"][0]["waiters_peak"] = 60.0
XML["rmf_address_space_count"] = []
BOTH = {name: [*rows, *XML[name]] for name, rows in every_part().items()}
DIFFERENT = changed(rmf_work_unit_queue={"samples_pct": 50.0}, rmf_work_unit={"work_units_avg": 4.7})


@examples(
    ("one row of all parts", every_part(), f"batch_avg, [r.line for r in refs], {', '.join(EXPECTED)} {FROM}", [(None, [30, 24, 43, 44, 48],
     *EXPECTED.values())]),
    ("print and XML", BOTH, f"{', '.join(EXPECTED)} {FROM}", [(*EXPECTED.values(),)]),
    ("two prints that differ", DIFFERENT, f"waiting_samples_pct, work_units_cp_avg, work_units_iip_avg {FROM}", [(None, None, 1.3)]),
    ("one part", {"rmf_blocked_workload": every_part()["rmf_blocked_workload"]}, f"blocked_waiters_avg, in_ready_avg, waiting_samples_pct {FROM}",
     [(0.027, None, None)]),
    # A share that cannot be read is not taken from the other buckets.
    ("unknown share", changed(False, rmf_work_unit_queue={"samples_pct": None}), f"waiting_samples_pct {FROM}", [(None,)]),
)  # fmt: skip
def test_interval_load(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)
