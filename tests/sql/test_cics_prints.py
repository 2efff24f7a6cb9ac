"""Views of CICS where pages are printed again, or lack what others have; worked by hand."""

from __future__ import annotations

import datetime as dt

import pytest
from cics_rows import COLLECTED, END, SPAN
from one_lake import Found, Rows, examples, shown
from views_lake import Row, place

approx = pytest.approx

MODE = COLLECTED | {"is_total": False, "tcb_mode": "QR", "cpu_time_s": 60.0, "dispatch_time_s": 80.0}
MODE |= {"wait_time_s": 220.0}


# The second has a smaller peak and a larger queue time: neither value is mixed into the first.
FIRST = COLLECTED | {"transactions_total": 100, "active_peak": 9, "mxt": 10, "mxt_queue_time_s": 1.0}
SECOND = FIRST | {"active_peak": 8, "mxt_queue_time_s": 2.0}
OF: dict[str, Row] = {"cics_transaction_manager": {"transactions_total": 100, "active_total": 90, "times_at_mxt": 0}}
OF |= {"cics_dispatcher": {"address_space_cpu_s": 20.0, "address_space_srb_s": 1.0}}
OF |= {"cics_storage": {"edsa_peak_bytes": 50, "edsa_limit_bytes": 200}}
SHORT = COLLECTED | {"measure": "Times went short on storage", "dsa": "CDSA"}
NOTHING = {"interval_s": 0.0, "cpu_time_s": 0.0, "dispatch_time_s": 0.0, "wait_time_s": 0.0}
ONE = SPAN | {"program": "A", "tasks": 400, "response_s": 0.01, "cpu_s": 0.0025}
SECONDS: dict[str, float] = {"response_s": 0.020, "dispatch_s": 0.008, "cpu_s": 0.005, "suspend_s": 0.012}
SECONDS |= {"dispatch_wait_s": 0.002, "first_dispatch_delay_s": 0.001, "qr_cpu_s": 0.0031, "l8_cpu_s": 0.0011}
SECONDS |= {"t8_cpu_s": 0.0008, "cpu_on_cp_s": 0.0041, "ziip_on_cp_s": 0.0007}
ZERO = {"tasks": 10, "response_s": 0.0, "dispatch_s": 0.0, "suspend_s": 0.0}


def twice(table: str, name: str, more: float) -> Rows:
    """A region whose row of a table is printed again with so much more."""
    rows = {key: [COLLECTED | values | place(number)] for number, (key, values) in enumerate(OF.items())}
    return rows | {table: [*rows[table], COLLECTED | OF[table] | {name: OF[table][name] + more} | place(1, "s2")]}


def programs(other: Row) -> Rows:
    """Two programs printed twice, the one with another value: the transaction is told for it."""
    of_b = ONE | {"program": "B"}
    return {
        "cics_monitoring_summary": [
            ONE | place(1),
            ONE | other | place(1, "s2"),
            of_b | place(2),
            of_b | place(2, "s2"),
        ]
    }


@examples(
    ("the first counts whole", {"cics_transaction_manager": [FIRST | place(1), SECOND | place(1, "s2")]},
     "active_peak, mxt_queue_time_s, peak_of_mxt_pct, is_conflicting FROM cics_region_load", [(9, 1.0, 90.0, True)]),
    *((f"{name} again, {more} more", twice(table, name, more), "is_conflicting, edsa_peak_pct FROM cics_region_load", [(bool(more), 25.0)])
      for table, name, more in (
          ("cics_transaction_manager", "active_total", 0), ("cics_transaction_manager", "active_total", 1), ("cics_transaction_manager",
           "times_at_mxt", 1),
          ("cics_dispatcher", "address_space_cpu_s", 1), ("cics_dispatcher", "address_space_srb_s", 1), ("cics_storage", "edsa_peak_bytes", 1))),
    # An area of the first went short twice by one page and three times by another: the larger counts; that of another region or collection is not its.
    *((f"storage of {other}", {
        "cics_dsa_count": [SHORT | {"value": 2.0} | place(10), SHORT | {"value": 3.0} | place(10, "s2"), SHORT | other | {"value": 7.0} | place(11)],
        "cics_dispatcher": [COLLECTED | {"address_space_cpu_s": 1.0} | place(9)]}, "times_short_on_storage FROM cics_region_load", [(3,)])
      for other in ({"applid": "CICSB"}, {"collection": "end_of_day"}, {"collected_at": END + dt.timedelta(minutes=5)})),
    *((f"mode with another {name}", {"cics_tcb_time": [MODE | place(1), MODE | {name: value} | place(1, "s2")]},
       "is_conflicting, engines, busy_pct, len(refs) FROM cics_tcb_cpu", [(True, 0.2, approx(26.6667, abs=5e-5), 2)])
      for name, value in (("wait_time_s", 221.0), ("cpu_time_s", 59.0), ("waits", 5))),
    ("no time", {"cics_tcb_time": [MODE | NOTHING | place(1)]}, "engines, busy_pct, cpu_of_dispatch_pct FROM cics_tcb_cpu", [(None, None, None)]),
    *((f"transaction with another {other}", programs(other), "is_conflicting, tasks, cpu_ms FROM cics_transaction_time", [(True, 800, approx(2.5))])
      for other in ({"tasks": 401}, {"response_s": 0.02}, {"cpu_s": 0.003})),
    ("milliseconds", {"cics_monitoring_summary": [SPAN | {"tasks": 10} | SECONDS | place(1)]},
     f"[{', '.join(name.removesuffix('_s') + '_ms' for name in SECONDS)}] FROM cics_transaction_time",
      [([approx(1000 * s) for s in SECONDS.values()],)]),
    ("parts of a response", {"cics_monitoring_summary": [SPAN | {"tasks": 10} | SECONDS | place(1)]},
     "[waiting_for_processor_ms, other_wait_ms, dispatch_pct, suspend_pct, cpu_s] FROM cics_transaction_time", [([approx(n) for n in (3, 9, 40, 60,
      0.05)],)]),
    ("a response time of zero", {"cics_monitoring_summary": [SPAN | ZERO | place(1)]},
     "response_ms, dispatch_pct, suspend_pct FROM cics_transaction_time",
     [(0.0, None, None)]),
)  # fmt: skip
def test_prints(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)
