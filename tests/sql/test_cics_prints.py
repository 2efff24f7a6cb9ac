"""Views of CICS where pages are printed again, or lack what others have; worked by hand."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from cics_rows import COLLECTED, END, SPAN
from views_lake import Row, one_row, place

MODE = COLLECTED | {"is_total": False, "tcb_mode": "QR", "cpu_time_s": 60.0, "dispatch_time_s": 80.0}
MODE |= {"wait_time_s": 220.0}


def test_of_two_prints_of_a_region_the_first_counts_whole():
    """The second has a smaller peak and a larger queue time: neither value is mixed into the first."""
    first = COLLECTED | {"transactions_total": 100, "active_peak": 9, "mxt": 10, "mxt_queue_time_s": 1.0}
    second = first | {"active_peak": 8, "mxt_queue_time_s": 2.0}
    lake = yield {"cics_transaction_manager": [first | place(1), second | place(1, "s2")]}
    row = one_row(lake, "SELECT active_peak, mxt_queue_time_s, peak_of_mxt_pct, is_conflicting FROM cics_region_load")
    assert row == {"active_peak": 9, "mxt_queue_time_s": 1.0, "peak_of_mxt_pct": 90.0, "is_conflicting": True}


@pytest.mark.parametrize(
    ("table", "name", "differs"),
    [
        ("cics_transaction_manager", "active_total", False),
        ("cics_transaction_manager", "active_total", True),
        ("cics_transaction_manager", "times_at_mxt", True),
        ("cics_dispatcher", "address_space_cpu_s", True),
        ("cics_dispatcher", "address_space_srb_s", True),
        ("cics_storage", "edsa_peak_bytes", True),
    ],
)
def test_any_value_that_differs_in_a_second_print_is_told(table: str, name: str, differs: bool):
    of: Row = {"cics_transaction_manager": {"transactions_total": 100, "active_total": 90, "times_at_mxt": 0}}
    of |= {"cics_dispatcher": {"address_space_cpu_s": 20.0, "address_space_srb_s": 1.0}}
    of |= {"cics_storage": {"edsa_peak_bytes": 50, "edsa_limit_bytes": 200}}
    rows = {key: [COLLECTED | values | place(number)] for number, (key, values) in enumerate(of.items())}
    again = COLLECTED | of[table] | {name: of[table][name] + differs} | place(1, "s2")
    lake = yield rows | {table: [*rows[table], again]}
    row = one_row(lake, "SELECT is_conflicting, edsa_peak_pct FROM cics_region_load")
    assert row == {"is_conflicting": differs, "edsa_peak_pct": 25.0}


@pytest.mark.parametrize(
    "other", [{"applid": "CICSB"}, {"collection": "end_of_day"}, {"collected_at": END + dt.timedelta(minutes=5)}]
)
def test_storage_of_another_region_or_collection_is_not_that_of_the_first(other: Row):
    """An area of the first went short twice by one page and three times by another: the larger counts."""
    count = COLLECTED | {"measure": "Times went short on storage", "dsa": "CDSA"}
    lake = yield {
        "cics_dsa_count": [
            count | {"value": 2.0} | place(10),
            count | {"value": 3.0} | place(10, "s2"),
            count | other | {"value": 7.0} | place(11),
        ],
        "cics_dispatcher": [COLLECTED | {"address_space_cpu_s": 1.0} | place(9)],
    }
    assert one_row(lake, "SELECT times_short_on_storage AS n FROM cics_region_load") == {"n": 3}


@pytest.mark.parametrize(("name", "value"), [("wait_time_s", 221.0), ("cpu_time_s", 59.0), ("waits", 5)])
def test_a_second_print_of_a_mode_with_another_time_is_told(name: str, value: Any):
    lake = yield {"cics_tcb_time": [MODE | place(1), MODE | {name: value} | place(1, "s2")]}
    row = one_row(lake, "SELECT is_conflicting, engines, busy_pct, len(refs) AS prints FROM cics_tcb_cpu")
    assert row == {"is_conflicting": True, "engines": 0.2, "busy_pct": pytest.approx(26.6667, abs=5e-5), "prints": 2}


def test_a_mode_that_did_nothing_in_no_time_has_no_shares():
    nothing = {"interval_s": 0.0, "cpu_time_s": 0.0, "dispatch_time_s": 0.0, "wait_time_s": 0.0}
    row = one_row((yield {"cics_tcb_time": [MODE | nothing | place(1)]}), "SELECT * FROM cics_tcb_cpu")
    assert (row["engines"], row["busy_pct"], row["cpu_of_dispatch_pct"]) == (None, None, None)


@pytest.mark.parametrize("other", [{"tasks": 401}, {"response_s": 0.02}, {"cpu_s": 0.003}])
def test_a_second_print_of_a_transaction_with_another_value_is_told(other: Row):
    """Of one program alone: the transaction is told for it."""
    one = SPAN | {"program": "A", "tasks": 400, "response_s": 0.01, "cpu_s": 0.0025}
    lake = yield {
        "cics_monitoring_summary": [
            one | place(1),
            one | other | place(1, "s2"),
            one | {"program": "B"} | place(2),
            one | {"program": "B"} | place(2, "s2"),
        ]
    }
    row = one_row(lake, "SELECT is_conflicting, tasks, cpu_ms FROM cics_transaction_time")
    assert row == {"is_conflicting": True, "tasks": 800, "cpu_ms": pytest.approx(2.5)}


def test_every_time_of_a_transaction_is_in_milliseconds():
    seconds: Row = {"response_s": 0.020, "dispatch_s": 0.008, "cpu_s": 0.005, "suspend_s": 0.012}
    seconds |= {"dispatch_wait_s": 0.002, "first_dispatch_delay_s": 0.001, "qr_cpu_s": 0.0031, "l8_cpu_s": 0.0011}
    seconds |= {"t8_cpu_s": 0.0008, "cpu_on_cp_s": 0.0041, "ziip_on_cp_s": 0.0007}
    lake = yield {"cics_monitoring_summary": [SPAN | {"tasks": 10} | seconds | place(1)]}
    row = one_row(lake, "SELECT * FROM cics_transaction_time")
    found = {name: row[name.removesuffix("_s") + "_ms"] for name in seconds}
    assert found == {name: pytest.approx(1000 * value) for name, value in seconds.items()}
    assert (row["waiting_for_processor_ms"], row["other_wait_ms"]) == pytest.approx((3.0, 9.0))
    assert (row["dispatch_pct"], row["suspend_pct"], row["cpu_s"]) == pytest.approx((40, 60, 0.05))


def test_a_response_time_of_zero_has_no_shares():
    times = {"tasks": 10, "response_s": 0.0, "dispatch_s": 0.0, "suspend_s": 0.0}
    row = one_row((yield {"cics_monitoring_summary": [SPAN | times | place(1)]}), "SELECT * FROM cics_transaction_time")
    assert (row["response_ms"], row["dispatch_pct"], row["suspend_pct"]) == (0.0, None, None)
