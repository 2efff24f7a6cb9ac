"""What planners ask: a tried cap, replayed, and work charged; worked by hand, and computed again from the same rows."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from one_lake import Rows, examples
from rmf_rows import HOUR, hourly, service_class
from views_lake import START, Row, approx, heading

# The average of the four hours is 100, 150, 200, 250, 300 from the fourth to the eighth hour, then 250, 200 and 150: its highest hour is 300.
WAVE = (100.0,) * 4 + (300.0,) * 4 + (100.0,) * 4
CAPPED = "bound_h, displaced_msu_h, peak_under_cap_msu FROM cap_what_if WHERE cap_pct ="


def period(hour: int, name: str, cp: float | None, importance: int | None = None, **other: object) -> Row:
    """A period of a service class in an hour."""
    row = service_class(name, cp, period=1, class_kind="service_class_period", line=50, importance=importance)
    return (
        row
        | {name: value for name, value in heading(START + hour * HOUR, 3600).items() if name.startswith("interval_")}
        | other
    )


def used(hour: int, **cp: float) -> list[Row]:
    """SYSTEM, importance 1 and 4, and discretionary work in percent of an engine."""
    importance = {"ONLINE": 1, "BATCH": 4}
    return [period(hour, name, value, importance.get(name)) for name, value in cp.items()]


def capped(*workload: Row, msu: tuple[float, ...] = WAVE) -> Rows:
    return {"rmf_partition_data": hourly(*msu), "rmf_workload_activity": workload}


BY_CLASS = "service_class, kind, displaced_msu_h, of_its_use_pct FROM cap_what_if_class WHERE cap_pct = 70 ORDER BY ALL"
# Hour 8, of 300 MSU, of which a cap of 210 displaces 90.
HELD = used(7, SYSTEM=10.0, ONLINE=70.0, BATCH=10.0, TEST=10.0)


test_tried_caps = examples(
    # 70% of 300 are 210. Hours 8 and 9 begin with 250 and 300: hour 8 uses 210, 90 less, and hour 9 its 100. The average is above 210 in three
    # hours, by 40 + 90 + 40.
    ("the use, not the average", capped(), f"{CAPPED} 70", [(1.0, approx(90), 210.0)]),
    # Hours 8 to 12 begin with 250, 300, 280, 270 and 260. 80% are 240: hour 8 gives 60, hour 9 fits, hours 10 and 11 give 20 each. Then the
    # average is 260 - 100 / 4 = 235, and hour 12 may use its 250, which the measured average would have held back.
    ("what was held back ends the cap", capped(msu=(100.0,) * 4 + (300.0,) * 4 + (220.0, 260.0, 260.0, 250.0)), f"{CAPPED} 80",
     [(3.0, approx(100), 240.0)]),
    ("an hour that is missing", {"rmf_partition_data": [row for n, row in enumerate(hourly(*WAVE)) if n != 6]},
     "covered_h, unknown_h, peak_msu, peak_under_cap_msu FROM cap_what_if WHERE cap_pct = 70", [(11.0, 8.0, None, None)]),
    ("capped already", {"rmf_partition_data": [row | {"capping_wlm_pct": 5.0 * (n == 7)} for n, row in enumerate(hourly(*WAVE))]},
     "covered_h, unknown_h, was_capped_h, used_msu_h, displaced_pct FROM cap_what_if WHERE cap_pct = 70", [(12.0, 4.0, 1.0, 2000.0, approx(4.5))]),
    # 30 MSU each of TEST and BATCH are less than 90: importance 1 gives 30 of its 210. By use, ONLINE would give 70 of 100.
    ("the least important first", capped(*HELD), BY_CLASS,
     [("BATCH", "importance", approx(30), approx(100)), ("ONLINE", "importance", approx(30), approx(100 / 7)),
      ("TEST", "discretionary", approx(30), approx(100))]),
    ("more than all work", capped(*used(7, SYSTEM=80.0, TEST=20.0)), BY_CLASS,
     [("TEST", "discretionary", approx(60), approx(100)), (None, "system", approx(30), None)]),
    ("no pages of the system", capped(*(row | {"scope": "SYSA,SYSB"} for row in HELD)), BY_CLASS, [(None, "unknown", approx(90), None)]),
    ("a class without periods", capped(*HELD, period(7, "STC", 5.0) | {"class_kind": "service_class", "period": None}), BY_CLASS,
     [(None, "unknown", approx(90), None)]),
)  # fmt: skip


@pytest.mark.slow
def test_caps_replayed_step_by_step():
    """Six days of quarters, replayed one after the other; what is taken from classes adds up."""
    random = np.random.default_rng(56)
    quarters = 6 * 96
    level = 300 + 150 * np.sin(np.arange(quarters) * 2 * np.pi / 96)
    msu = np.maximum(0, level + random.normal(0, 40, quarters)).round()
    quarter = dt.timedelta(minutes=15)
    times = [
        {"interval_start": START + n * quarter, "interval_end": START + (n + 1) * quarter} for n in range(quarters)
    ]
    rows = [row | at | {"interval_s": 900.0} for row, at in zip(hourly(*msu), times, strict=True)]
    work = [
        row | at | {"interval_s": 900.0}
        for at in times
        for row in used(
            0, SYSTEM=5.0, **dict(zip(("ONLINE", "BATCH", "TEST"), random.uniform(1, 50, 3).round(2), strict=True))
        )
    ]
    (lake,) = yield [capped(*work) | {"rmf_partition_data": rows}]
    found = lake.sql(
        "SELECT cap_pct, cap_msu, sum(displaced_msu_h), sum(bound_h) FROM cap_what_if GROUP BY ALL ORDER BY cap_pct"
    ).fetchall()
    assert len(found) == 6
    for _, cap, displaced, bound in found:
        after = msu.copy()
        for n in range(16, quarters):
            if after[n - 16 : n].mean() >= cap:
                after[n] = min(msu[n], cap)
        assert (displaced, bound) == (approx((msu - after).sum() / 4), (after < msu).sum() / 4)
    assert found[0][2] > 0
    by_class = lake.sql(
        "SELECT cap_pct, sum(displaced_msu_h) FROM cap_what_if_class GROUP BY ALL ORDER BY cap_pct"
    ).fetchall()
    assert by_class == [(pct, approx(displaced)) for pct, _, displaced, _ in found if displaced]
