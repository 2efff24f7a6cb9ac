"""interval_load: what waited for processors, once per interval, from print or XML."""

from __future__ import annotations

import pytest
from rmf_rows import processor
from views_lake import Row


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


EXPECTED = {
    "in_ready_avg": 7.9,
    "in_ready_max": 47.0,
    "in_avg": 120.6,
    "stc_avg": 149.7,
    "work_units_cp_avg": 4.6,
    "work_units_iip_avg": 1.3,
    "processors_unparked_avg": 2.4,
    # 100 - 71.4
    "waiting_samples_pct": pytest.approx(28.6),
    "blocked_waiters_avg": 0.027,
    "blocked_waiters_peak": 6.0,
    "promotes_used_pct": 13.0,
}


def test_the_parts_of_an_interval_are_one_row():
    (row,) = (yield every_part()).rows("FROM interval_load")
    assert {name: row[name] for name in EXPECTED} == EXPECTED
    assert row["batch_avg"] is None
    assert [ref["line"] for ref in row["refs"]] == [30, 24, 43, 44, 48]


def test_print_and_xml_of_an_interval_are_one_row_and_print_counts():
    printed, document = every_part(), every_part(source_form="xml", source_id="s9")
    document["rmf_blocked_workload"][0]["waiters_peak"] = 60.0
    del document["rmf_address_space_count"]
    lake = yield {name: [*rows, *document.get(name, ())] for name, rows in printed.items()}
    (row,) = lake.rows("FROM interval_load")
    assert {name: row[name] for name in EXPECTED} == EXPECTED


def test_two_prints_that_differ_are_unknown():
    rows = every_part()
    rows["rmf_work_unit_queue"].append(rows["rmf_work_unit_queue"][0] | {"samples_pct": 50.0, "source_id": "s9"})
    rows["rmf_work_unit"].append(rows["rmf_work_unit"][0] | {"work_units_avg": 4.7, "source_id": "s9"})
    (row,) = (yield rows).rows("FROM interval_load")
    assert (row["waiting_samples_pct"], row["work_units_cp_avg"], row["work_units_iip_avg"]) == (None, None, 1.3)


def test_an_interval_with_one_part_has_the_others_unknown():
    (row,) = (yield {"rmf_blocked_workload": every_part()["rmf_blocked_workload"]}).rows("FROM interval_load")
    assert (row["blocked_waiters_avg"], row["in_ready_avg"], row["waiting_samples_pct"]) == (0.027, None, None)


def test_a_share_that_cannot_be_read_is_not_taken_from_the_other_buckets():
    rows = every_part()
    rows["rmf_work_unit_queue"][0]["samples_pct"] = None
    (row,) = (yield rows).rows("FROM interval_load")
    assert row["waiting_samples_pct"] is None
