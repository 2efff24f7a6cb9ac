"""Cards of the page and findings of SQL say the same of the same place and hour: both go by the one list of rules."""

import datetime as dt
import random
import re
from itertools import count

from db2_rows import GBP6, counter_rows
from ironlake.dashboards.lake_page.gather import QUESTIONS, question_of
from ironlake.dashboards.lake_page.question import Question
from ironlake.pipeline.declaration.finding_rules import rules
from lake_facts import FIRST, LAST, asked, hour, sentences
from one_lake import Asks
from test_lake_limits import link, ready, shared
from views_lake import Row, heading

Rows = dict[str, list[Row]]
LINES = count(1000)
NAMES = ("AA", "BB", "CC")


def near(dice: random.Random, limit: float, step: float) -> float:
    """A number as printed: at a limit, one or two steps beside it, or far away."""
    return round(
        max(0.0, dice.choice([limit, limit + step, limit - step, limit + 2 * step, 0.1 * limit, 3 * limit])), 4
    )


def of(day: int, at: int, system: str | None = "SYSA", **values: object) -> Row:
    return hour(day, at, system=system, line=next(LINES)) | values


def pages(dice: random.Random, day: int, at: int, name: str) -> Rows:
    """Printed rows of an hour of something, with a value near the limit of each rule, and its size."""
    goal = heading(hour(day, at)["interval_start"], 3600, scope="SYSA", line=next(LINES))
    goal |= {"class_kind": "service_class_period", "period": 1, "service_class": name, "workload": "W"}
    kind = dice.choice(["average", "percentile", "velocity"])
    end = hour(day, at)["interval_end"]
    writes, delayed, free = (
        round(3600 * near(dice, 10, 1)),
        dice.choice([0, 359, 360, 361, 900]),
        dice.choice([54, 3600]),
    )
    unit = {"ssid": name, "control_unit": "8A04"}
    cores = {"system": f"S{name}", "line": next(LINES)}
    waits = dice.choice([75.0, 80.0, 81.0])
    locks = round(3600 * near(dice, 10, 1))
    structure = {
        "cf_name": "CF",
        "structure_name": name,
        "structure_type": "LOCK",
        "is_total": False,
        "status": "ACTIVE",
        "requests": 36000,
    }
    structure |= {
        "requests_per_s": 10.0,
        "sync_requests": 36000,
        "sync_service_us": 5.0,
        "async_requests": 0,
        "changed_requests": 0,
    }
    cache = {
        "cf_name": name,
        "structure_name": "DSN_GBP1",
        "structure_type": "CACHE",
        "is_total": False,
        "allocated_bytes": 1,
        "directory_reclaims": 9,
    }
    storage = {"total_storage_bytes": 9, "available_storage_bytes": 5, "utilization_pct": near(dice, 50, 0.1)}
    machine = shared(
        day,
        dice.choice([1.4, 1.5, 1.6, 2.5]),
        dice.choice([1.0, 2.1]),
        at=at,
        **cores,
        capping_wlm_pct=dice.choice([0.0, 2.5]),
    )
    total = machine[0] | {"partition": None, "is_total": True, "line": next(LINES)}
    used = sum(row["total_dispatch"] for row in machine)
    total |= {
        "weight": None,
        "logical_processors": None,
        "total_dispatch": used,
        "effective_dispatch": used,
        "physical_total_pct": used / 36 / 4,
    }
    return {
        "rmf_cf_subchannel_activity": [
            link(day, dice.choice([1, 2, 60_000, 90_000]), near(dice, 10, 1), at, cf_name=f"B{name}", line=next(LINES)),
            link(day, dice.choice([1, 2, 10_000]), near(dice, 16, 1), at, cf_name=f"R{name}", line=next(LINES)) | {"delayed_total_pct": near(dice, 10, 0.1)},
        ],
        "rmf_cf_usage": [of(day, at, None, cf_name=name, processors_effective=dice.choice([0.1, 0.2, None, 3.0]), **storage)],
        "rmf_cf_structure_activity": [
            of(day, at, **structure, contention_requests=locks, contention_total=round(locks * near(dice, 0.02, 0.001)), contention_false=0)
        ],
        "rmf_cf_structure_summary": [of(day, at, None, **cache, directory_reclaim_cross_invalidations=dice.choice([0, 0, 3]))],
        "rmf_channel_path": [of(day, at, channel_path_id=name, channel_path_type=dice.choice(["FC_S", "CS5"]), busy_pct=near(dice, 50, 0.1))],
        "rmf_io_queue": [of(day, at, lcu=name, is_total=True, taken_per_s=near(dice, 10, 0.1), alias_wait_per_request=near(dice, 0.1, 0.001),
                            channel_subsystem_delay_ms=0.1)],
        "rmf_cache_subsystem": [of(day, at, **unit, cache_interval_s=3600, requests=9, dfw_bypass=min(delayed, writes))],
        "rmf_cache_request": [of(day, at, **unit, is_total=True, reads=0, read_hits=0, reads_per_s=0.0, writes=writes, write_hits=writes,
                                 writes_per_s=writes / 3600)],
        "rmf_xcf_system": [of(day, at, direction="outbound", peer_system="SYSB", transport_class=name, is_total=False, requests_out=100,
                              rejects=dice.choice([0, 0, 5]))],
        "rmf_xcf_path": [of(day, at, direction="outbound", peer_system="SYSB", transport_class="D", path_type="S", structure=name, available=54 * free,
                            busy=dice.choice([5, 6, 7]) * free, requests_out=60 * free, retries=0)],
        "rmf_partition_data": [*machine, total],
        "rmf_cpu_activity": [
            row | {"sequence_code": name}
            for row in ready(day, 80.0, 0.8 * waits, engines=dice.choice([1, 4]), at=at, system=f"S{name}")
        ],
        "rmf_workload_activity": [goal | {"transactions_ended": dice.choice([0, 9, 10, 500]), "importance": 1}],
        "rmf_workload_goal": [goal | {"system": "*ALL", "is_total": True, "goal_type": kind, "performance_index": near(dice, 1, 0.1)}],
        "db2_statistics_counter": counter_rows(
            GBP6 | {"READ FAILED-NO STORAGE": dice.choice([0.0, 0.0, 2.0])},
            db2_group=name, member=f"D{name}", subsystem=f"D{name}", begin_at=end - dt.timedelta(hours=1), end_at=end,
        ),
        "cics_db2entry_request": [
            {"source_id": "s1", "source_file": "one.txt", "page": 1, "line": next(LINES), "applid": name, "db2entry": "PAY", "is_total": False}
            | {"collection": "interval", "collected_at": end, "interval_s": 3600, "calls": 5, "thread_waits_or_overflows": dice.choice([0, 0, 4])}
        ],
    }  # fmt: skip


def test_cards_and_findings_are_of_the_same_hours() -> Asks[None]:
    """Intervals are of an hour, so that what an hour has is what its interval has."""
    dice, rows = random.Random(51), {}
    for day, at, name in ((day, at, name) for day in (0, 1) for at in range(8, 16) for name in NAMES):
        for table, of_table in pages(dice, day, at, name).items():
            rows.setdefault(table, []).extend(of_table)
    asking = yield from asked(LAST, FIRST, **rows)
    found: dict[str, dict[dt.datetime, int]] = {}
    for row in asking.ask(
        "SELECT rule, date_trunc('hour', interval_start) AS at, count(DISTINCT (subject, system)) AS places FROM finding"
        f" WHERE interval_start >= DATE '{LAST}' AND subject NOT LIKE '%locks)' GROUP BY ALL"
    ).to_pylist():
        found.setdefault(row["rule"], {})[row["at"]] = row["places"]
    told = 0
    for question in (one for one in map(question_of, QUESTIONS) if isinstance(one, Question)):
        answer = question(asking)
        assert all(one.happened.action and one.happened.series for one in answer.happened), question.id
        every = sentences(answer)
        cards = [(card.rule, card.measure, r"; (\d+) ") for card in question.cards if isinstance(card.rule, str)]
        for rule, measure, counts in cards + [("performance_index", "performance index", r"goal in (\d+) of")] * (
            question.id == "goals"
        ):
            mine = [said for said, one in zip(every, answer.happened, strict=True) if one.happened.measure == measure]
            hours = sum(int(re.search(counts, sentence)[1]) for sentence in mine)  # pyright: ignore[reportOptionalSubscript]
            assert hours == sum(found.get(rule, {}).values()), (rule, mine)
            assert hours, rule
            told += 1
            moments = {f"{moment:%H:%M}" for moment in found[rule]}
            assert all(moments & set(re.findall(r"\d\d:\d\d", sentence)) for sentence in mine)
    assert told == len([rule for rule in rules().values() if rule.hours]) + 1
