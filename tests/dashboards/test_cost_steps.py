"""Steps and drifts of the cost on a lake's page: since when, until when, what they cost, and what changed with them."""

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import replace

import pytest
from ironlake.dashboards.lake_page.contract import Happened, Section
from ironlake.dashboards.lake_page.facts.cost import cost
from ironlake.dashboards.lake_page.stories import severity
from lake_facts import MONDAY, asked
from one_lake import Asks, AsksSeveral, each
from rmf_rows import processor
from views_lake import Row, heading


def cost_of(
    costs: Mapping[str, list[float]], volumes: list[int] | None = None, **tables: list[Row]
) -> Asks[tuple[Section, list[Happened]]]:
    """What is said of classes with a cost in milliseconds on each day from Monday on: an hour of 360,000 transactions a day, if no `volumes` are
    given, on a machine of 100 MSU a processor."""
    days = max(map(len, costs.values()))
    hours = [MONDAY.replace(hour=10) + dt.timedelta(days=n) for n in range(days)]
    # 360,000 transactions of 1 ms are 360 s: 10% of an hour.
    classes = [
        heading(hours[n], 3600, scope="SYSA")
        | {"class_kind": "service_class", "service_class": name, "workload": "W", "transactions_ended": ended}
        | {"appl_cp_pct": 10 * ms * ended / 360_000, "appl_iip_pct": 0.0, "appl_iipcp_pct": 0.0}
        for name, values in costs.items()
        for n, (ms, ended) in enumerate(zip(values, volumes or [360_000] * days, strict=False))
    ]
    machine = {"cpc_type": "8561", "cpc_model": "710", "cpc_capacity": 1000.0, "interval_s": 3600.0}
    cpus = [
        processor(0, 50.0, interval_start=hour, interval_end=hour + dt.timedelta(hours=1), **machine) for hour in hours
    ]
    rows = {"rmf_cpu_activity": cpus} | tables
    found = cost((yield from asked(hours[-1].date(), MONDAY.date(), rmf_workload_activity=classes, **rows)))
    return found.sections[0], [replace(one.happened, severity=severity(one)) for one in found.happened]


def test_a_step_that_was_undone_has_an_end() -> Asks[None]:
    """Two weeks of 2 ms, two of 3 ms, one of 2.1 ms: as many weekends as are needed."""
    finding, told = yield from cost_of({"ONE": [2.0] * 14 + [3.0] * 14 + [2.1] * 7})
    assert [one.sentence.partition(")")[0] for one in told] == [
        "ONE on PLEX1: general processor time per transaction +50% from Mon 2 Nov to Sun 15 Nov (2.000 → 3.000 ms",
        "ONE on PLEX1: general processor time per transaction −30% since Mon 16 Nov (3.000 → 2.100 ms",
    ]
    # 30 MSU hours instead of 20, then 21.
    assert [" +10 MSU hours a day" in told[0].sentence, " −9 MSU hours a day" in told[1].sentence] == [True, True]
    assert finding.finding == "1 class changed; most: ONE, +50% from Mon 2 Nov to Sun 15 Nov."
    # It costs nothing more; what costs less is no reason to worry.
    assert [one.severity for one in told] == ["watch", "better"]


def test_a_step_costs_what_it_costs_until_the_next() -> Asks[None]:
    """2, 3 and 4 ms: 20, 30 and 40 MSU hours a day."""
    _, told = yield from cost_of({"ONE": [2.0] * 14 + [3.0] * 7 + [4.0] * 14})
    assert sorted(
        re.findall(r"(from .*?|since .*?) \(.*?, (\S+ MSU hours)", " ".join(one.sentence for one in told))
    ) == [("from Mon 2 Nov to Sun 8 Nov", "+10 MSU hours"), ("since Mon 9 Nov", "+10 MSU hours")]


def test_a_drift_is_told_by_the_day_and_not_as_dated_steps() -> Asks[None]:
    """2 ms that rise by 0.5% a day for 60 days, by turns 1% above and below: 2 x 1.005^59 = 2.684 ms, +34%. 20 MSU hours a day would be 26.6 in the
    middle of the last seven days (1.005^56 = 1.322, so 6.4 more)."""
    rising = [2 * 1.005**n * (1.01 if n % 2 else 0.99) for n in range(60)]
    section, (told,) = yield from cost_of({"ONE": rising})
    assert told.sentence == (
        "ONE on PLEX1: general processor time per transaction rises by 0.5% a day from Mon 19 Oct to Thu 17 Dec (1.999 → 2.685 ms, +34%), +6 MSU hours a day."
    )
    assert section.finding == "1 class changed; most: ONE, rises by 0.5% a day from Mon 19 Oct to Thu 17 Dec."
    steps, drifts, levels = (section.rows.of(name) for name in ("step_pct", "drift_pct", "segment_ms"))
    assert set(steps) == {None}
    assert drifts == pytest.approx([0.5] * 60, abs=0.011)
    assert (levels[0], levels[-1]) == (pytest.approx(2.0, rel=0.01), pytest.approx(2.684, rel=0.01))


def test_a_fixed_cost_that_more_transactions_share_is_no_step() -> AsksSeveral[None]:
    """Of 2 ms 30% are fixed. 40% more transactions: 0.6 / 1.4 + 1.4 = 1.829 ms, -8.6%; 15% more: 0.6 / 1.15 + 1.4 = 1.922, -3.9%. Without them the same
    is a step; and half a cost that is fixed explains at most -6.8% of 15% more: -17% is one too."""
    months = [(1.4, 1.829), (1.15, 1.922), (1.0, 1.829), (1.15, 1.66)]
    lakes = [
        cost_of({"ONE": [2.0] * 14 + [after] * 14}, [360_000] * 14 + [round(360_000 * volume)] * 14)
        for volume, after in months
    ]
    found = yield from each(*lakes)
    assert [len(told) for _, told in found] == [0, 0, 1, 1]
    assert [section.finding for section, _ in found[:2]] == ["1 class changed with its volume, which may be why."] * 2
    assert "−9% since Mon 2 Nov (2.000 → 1.829 ms)" in found[2][1][0].sentence


def test_what_could_not_be_looked_at_is_no_usual_range() -> AsksSeveral[None]:
    """From Monday, nine days have seven weekdays; twelve have ten."""
    few, enough = [2.0] * 9, [2.0] * 12
    # Three weekends have weekdays around each.
    months = [{"ONE": few, "TWO": few}, {"ONE": [2.0]}, {"ONE": few, "TWO": enough}]
    months += [{"ONE": [2.0] * 22}, {"ONE": [2.0] * 22, "TWO": enough}]
    found = yield from each(*map(cost_of, months))
    assert [told for _, told in found] == [[]] * 5
    none = "Steps could not be looked for: 4 days on each side are needed, and no class has more than"
    assert [said.finding for said, _ in found] == [
        f"{none} 7 days to compare.",
        f"{none} 1 day to compare.",
        "No step: 1 class within its usual range. 1 class with too few days to look for steps.",
        "No step: 1 class within its usual range.",
        "No step: 2 classes within their usual range.",
    ]
    notes = [said.note for said, _ in found]
    assert notes[0].endswith("Days of the weekend are left out where a class has fewer than three weekends.")
    assert notes[3].endswith("Days of the weekend are compared with each other.")
    assert notes[4].endswith("fewer than three weekends, and else compared with each other.")


def engines_of(counts: list[tuple[int, int]], system: str = "SYSA") -> list[Row]:
    """CPU Activity of an hour a day from Monday on, with so many CPs and zIIPs."""
    return [
        processor(number, 50.0, kind=kind, system=system, interval_s=3600.0, line=30 + number)
        | {"interval_start": hour, "interval_end": hour + dt.timedelta(hours=1)}
        for hour, (cps, ziips) in zip(
            (MONDAY.replace(hour=10) + dt.timedelta(days=n) for n in range(len(counts))), counts, strict=True
        )
        for number, kind in enumerate(["CP"] * cps + ["IIP"] * ziips)
    ]


def weights_of(values: list[float], own: str = "LPARA", engines: float = 4.0) -> list[Row]:
    """Partition Data of an hour a day from Monday on: the weight of a system's own partition; another partition's is always another."""
    page = heading(MONDAY, 3600, sysplex=None, scope=None)
    page |= {"system": "SYSA", "mvs_partition": own, "processor_type": "CP", "is_total": False}
    hours = [MONDAY.replace(hour=10) + dt.timedelta(days=n) for n in range(len(values))]
    return [
        page
        | {"interval_start": hour, "interval_end": hour + dt.timedelta(hours=1), "partition": name}
        | {"weight": weight, "logical_processors": engines + n // 14}
        for n, (hour, value) in enumerate(zip(hours, values, strict=True))
        for name, weight in ((own, value), ("OTHER", 10.0 + n))
    ]


def beside(told: list[Happened]) -> str:
    (one,) = told
    return one.sentence.rpartition("changed with it: ")[2].removesuffix(".")


def test_engines_and_weights_that_changed_on_the_day_of_a_step_are_told() -> AsksSeveral[None]:
    steps = {"ONE": [2.0] * 14 + [3.0] * 14}
    cpus = engines_of([(6, 1)] * 14 + [(8, 2)] * 14)
    # Those of a system that the class does not run on are of no interest.
    cpus += engines_of([(2, 1)] * 14 + [(3, 1)] * 14, "SYSX")
    partitions = weights_of([600.0] * 14 + [700.0] * 14)
    # WLM moves weights within a cluster, and within a day.
    moved = [row | {"interval_start": row["interval_start"] + dt.timedelta(hours=h), "weight": row["weight"] + h} for row in weights_of([600.0] * 28) for h in (0, 1)]  # fmt: skip
    # Without CPU Activity, Partition Data has the engines.
    pages: list[dict[str, list[Row]]] = [
        {"rmf_cpu_activity": cpus, "rmf_partition_data": partitions},
        {"rmf_cpu_activity": [], "rmf_partition_data": partitions},
        {"rmf_cpu_activity": engines_of([(6, 1)] * 12 + [(8, 2)] * 16)},
        {"rmf_partition_data": moved},
        {
            "rmf_cpu_activity": [
                row | {"boost_type": "Speed" if n >= 14 else "None"} for n, row in enumerate(engines_of([(1, 0)] * 28))
            ]
        },
    ]
    both, partitions_alone, another_day, within_a_day, boosted = yield from each(
        *(cost_of(steps, None, **of) for of in pages)
    )
    assert beside(both[1]) == "CPs of SYSA 6 → 8, zIIPs of SYSA 1 → 2 and weight of SYSA 600 → 700"
    assert beside(partitions_alone[1]) == "CPs of SYSA 4 → 5 and weight of SYSA 600 → 700"
    assert "changed with it" not in another_day[1][0].sentence
    assert "weight" not in within_a_day[1][0].sentence
    assert beside(boosted[1]) == "boost of SYSA off → on"
