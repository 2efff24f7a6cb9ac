"""What planners ask: a tried cap, replayed, and work charged; worked by hand, and computed again from the same rows."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow as pa
import pytest
from command_line import PROGRAM, ended
from ironlake.pipeline.sql.known_tables import tables
from lake_rows import write_lake
from one_lake import Rows, examples
from rmf_rows import HOUR, hourly, processor, service_class
from views_lake import START, Row, approx, heading

# Its functions are of many types.
pd: Any = pandas
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
    (lake,) = yield [{"rmf_partition_data": rows, "rmf_workload_activity": work}]
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


def engines(hour: int, busy: float, seconds: float = 3600, **other: Any) -> list[Row]:
    """Three general processors of an hour."""
    times = {
        name: value for name, value in heading(START + hour * HOUR, seconds).items() if name.startswith("interval_")
    }
    return [processor(n, busy, **times, **other) for n in range(3)]


def classes(hour: int, scope: str = "SYSA", **cp: float | None) -> list[Row]:
    """Service classes of an hour in percent of an engine, each in a workload of its own."""
    return [
        service_class(name, value, 60 * hour, 3600, scope=scope, workload=f"W{name}", line=20 + n)
        for n, (name, value) in enumerate(cp.items())
    ]


def charged(work: list[Row], *processors: Row) -> Rows:
    return {"rmf_workload_activity": work, "rmf_cpu_activity": processors}


CHARGED = "charged_s, uncaptured_s, basis FROM charge_hour ORDER BY class_name"
# ONLINE 3,600 and BATCH 1,800 s.
WORK = classes(0, ONLINE=100.0, BATCH=50.0)


def unknown(basis: str, rows: int = 2) -> list[tuple[object, ...]]:
    return [(None, None, basis)] * rows


test_charges = examples(
    # 3 x 60% of an hour are 6,480 s, of which classes have 5,400: each gets 1.2 times its own.
    ("what no class captured", charged(WORK, *engines(0, 60.0)), CHARGED,
     [(approx(2160), approx(360), "shared_by_use"), (approx(4320), approx(720), "shared_by_use")]),
    # Another hour has 900 and 2,700 s of 5,400: 1.5 times. Both classes used 4,500 s, but not one half each of 11,880 s.
    ("hours of unlike capture", charged([*WORK, *classes(1, ONLINE=25.0, BATCH=75.0)], *engines(0, 60.0), *engines(1, 50.0)),
     "charged_to, captured_s, charged_s, busy_s, hours_known, cost, cost_assumption FROM charge_month ORDER BY charged_to",
     [("WBATCH", 4500.0, approx(6210), approx(11880), 2, None, "no price is given"),
      ("WONLINE", 4500.0, approx(5670), approx(11880), 2, None, "no price is given")]),
    ("an hour that is not known", charged([*WORK, *classes(1, ONLINE=25.0)], *engines(0, 60.0)),
     "charged_to, charged_s, share_pct, hours_known, hours_unknown FROM charge_month ORDER BY charged_to",
     [("WBATCH", approx(2160), approx(100 / 3), 1, 1), ("WONLINE", approx(4320), approx(200 / 3), 1, 1)]),
    ("no processors", charged(WORK), CHARGED, unknown("no_processor_time")),
    ("processors of half an hour", charged(WORK, *engines(0, 60.0, 1800)), CHARGED, unknown("no_processor_time")),
    ("less than the classes", charged(WORK, *engines(0, 30.0)), CHARGED, unknown("captured_above_busy")),
    ("a class that cannot be read", charged([*WORK, *(row | {"appl_iip_pct": 5.0} for row in classes(0, X=None))], *engines(0, 60.0)), CHARGED,
     unknown("classes_unknown", 3)),
    ("nothing in classes", charged(classes(0, ONLINE=0.0), *engines(0, 60.0)), CHARGED, unknown("nothing_captured", 1)),
    # STC is on the page of SYSA alone: its time is not all that SYSA was busy.
    ("classes in two scopes", charged([*classes(0, "SYSA,SYSB", ONLINE=100.0), *(row | {"source_id": "s2"} for row in classes(0, "SYSA", STC=10.0))], *engines(0, 60.0),
     *engines(0, 60.0, system="SYSB")), CHARGED, unknown("no_processor_time")),
)  # fmt: skip


@pytest.mark.slow
def test_a_site_charges_by_its_map_and_price(tmp_path: Path):
    """Ten days of two systems on machines of their own, charged with pandas: by hour, by map, and by the month's peak."""
    random = np.random.default_rng(7)
    names = ("PAYHI", "PAYLO", "BATCH", "STC")
    to = {"PAYHI": "Payments", "PAYLO": "Payments", "BATCH": "Night", "STC": "not in the map"}
    used, work, cpus, partitions = [], [], [], []
    for system in ("SYSA", "SYSB"):
        msu = random.uniform(100, 400, 240).round()
        partitions += [
            row | {"line": n}
            for n, row in enumerate(hourly(*msu, system=system, name=f"L{system}", own=f"L{system}"), 1)
        ]
        for hour in range(240):
            cp = random.uniform(1, 50, 4).round(2)
            busy = round(float(cp.sum() / 3 * random.uniform(1.02, 1.6)), 2)
            work += [
                row | {"source_id": system}
                for row in classes(hour, system, **dict(zip(names, map(float, cp), strict=True)))
            ]
            cpus += [row | {"source_id": system} for row in engines(hour, busy, system=system)]
            used += [
                {"scope": system, "hour": hour, "name": name, "cp": 36 * value, "busy": 3 * 36 * busy}
                for name, value in zip(names, cp, strict=True)
            ]
    rows = {"rmf_workload_activity": work, "rmf_cpu_activity": cpus, "rmf_partition_data": partitions}
    write_lake(tmp_path / "lake", {
        name: pa.table({f.name: [row.get(f.name) for row in of_one] for f in tables()[name].schema}, schema=pa.schema(
            [f.with_nullable(True) for f in tables()[name].schema])) for name, of_one in rows.items()})  # fmt: skip
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "charges.toml").write_text(
        'price_per_msu = 95.5\ncurrency = "EUR"\nprice_note = "list"\n'
        '[[charge]]\nto = "Payments"\nservice_class = "PAY*"\n[[charge]]\nto = "Night"\nworkload = "WBATCH"\nsystem = "SYS?"\n'
    )
    asked = ("sql", "FROM charge_month ORDER BY scope, charged_to", "--format", "json", "--lake", tmp_path / "lake")
    answer = ended(*PROGRAM, *asked, IRONLAKE_PLUGINS=str(tmp_path / "ours"))
    assert answer.returncode == 0, answer.stderr
    found = pd.DataFrame(json.loads(answer.stdout))
    frame = pd.DataFrame(used)
    frame["charged_s"] = frame["cp"] / frame.groupby(["scope", "hour"])["cp"].transform("sum") * frame["busy"]
    frame["to"] = frame["name"].map(to)
    expected = frame.groupby(["scope", "to"])["charged_s"].sum().reset_index()
    assert found[["scope", "charged_to"]].to_numpy().tolist() == expected[["scope", "to"]].to_numpy().tolist()
    assert found["charged_s"].to_list() == approx(expected["charged_s"].to_list())
    busy = frame.drop_duplicates(["scope", "hour"]).groupby("scope")["busy"].sum()
    assert found.groupby("scope")["charged_s"].sum().to_list() == approx(busy.to_list())
    msu = pd.DataFrame(partitions).groupby("system")["msu_used"]
    peak = msu.apply(lambda of_one: of_one.rolling(4).mean().max())
    cost = expected["charged_s"] / expected["scope"].map(busy) * expected["scope"].map(peak) * 95.5
    assert found["cost"].to_list() == approx(cost.to_list())
    assert set(found["cost_assumption"]) == {"95.5 EUR per MSU of the monthly peak (list)"}
    (tmp_path / "ours" / "charges.toml").write_text('[[charge]]\nto = "Payments"\nclass = "PAY*"\n')
    answer = ended(*PROGRAM, *asked, IRONLAKE_PLUGINS=str(tmp_path / "ours"))
    assert (
        answer.returncode,
        "charges.toml:1: {'to': 'Payments', 'class': 'PAY*'} charges nothing" in answer.stderr,
    ) == (2, True)
