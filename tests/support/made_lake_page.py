"""A lake's page made by hand: 20 systems, 30 days, 24 hours; always the same. What is planted in it, the tests of the page find."""

import datetime as dt
import math
import random
from collections.abc import Mapping
from dataclasses import replace

from ironlake.dashboards.lake_page.contract import (
    Chart,
    Column,
    Filter,
    Happened,
    LakePage,
    Names,
    Rows,
    Section,
    Select,
    Series,
)

SYSTEMS = tuple(
    f"{kind}{letter}" for kind, letters in (("PRD", "ABCDEFGHIJKL"), ("DEV", "ABCD"), ("TST", "ABCD")) for letter in letters
)  # fmt: skip
SYSPLEXES = ("SHOPPLEX", "TESTPLEX")
CLASSES = {
    "CICSPROD": "CICS", "CICSWEB": "CICS", "DDFHI": "DDF", "DDFLO": "DDF", "DB2SRV": "STC", "IMSTX": "IMS",
    "BATCHHI": "BATCH", "BATCHLO": "BATCH", "TSOUSER": "TSO", "OMVS": "OMVS", "STCHI": "STC", "STCLO": "STC",
}  # fmt: skip
DAYS, HOURS = 30, 24
HOUR, DAY = 3600, 86_400
START = dt.datetime(2026, 10, 23)
# Planted: the release that costs more, the day on which goals were missed, and systems that fell silent.
CHANGE_DAY, BAD_DAY, SILENT_FROM = 22, 29, 29 * DAY + 3 * HOUR
SILENT = ("DEVB", "DEVC")
STRUCTURES = ("DSNDB2P_GBP0", "DSNDB2P_LOCK1", "ISGLOCK", "IXCSTR1")


def sysplex(system: str) -> str:
    return SYSPLEXES[0] if system.startswith("PRD") else SYSPLEXES[1]


def _load(day: int, hour: int) -> float:
    weekend = 0.45 if (day + 4) % 7 in (5, 6) else 1.0
    return weekend * (0.45 + 0.45 * math.exp(-((hour - 11) ** 2) / 8) + 0.35 * math.exp(-((hour - 15) ** 2) / 7))


def _rows(columns: list[Column], lines: list[tuple]) -> Rows:
    return Rows(tuple(columns), tuple(map(list, zip(*lines, strict=True))) if lines else tuple([] for _ in columns))


_SYSTEM = [Column("sysplex", "Sysplex", kind="text"), Column("system", "System", kind="text")]
_START = Column("start", "Start", kind="time")
_BY_SYSTEM: Mapping[Filter, str] = {"sysplex": "sysplex", "system": "system", "time": "start"}


def made_page(systems: tuple[str, ...] = SYSTEMS, days: int = DAYS) -> LakePage:
    dice = random.Random(7)
    hours = [(d, h) for d in range(days) for h in range(HOURS)]
    silent = lambda s, d, h: s in SILENT and d * DAY + h * HOUR >= SILENT_FROM  # noqa: E731
    size = {s: 400 * math.exp(-n / 6) + 15 for n, s in enumerate(systems)}
    msu, use, goals, overflow, cover = [], [], [], [], []
    for s in systems:
        for d, h in hours:
            value = None if silent(s, d, h) else size[s] * _load(d, h) * (1 + 0.05 * dice.uniform(-1, 1))
            limit = 420.0 if s == systems[0] else None
            if d == 7 and h == 12:
                value = None
            msu.append((sysplex(s), s, d * DAY + h * HOUR, value, limit))
            ziip = None if value is None else value * 0.4
            use.append((sysplex(s), s, d * DAY + h * HOUR, value, value and value * 0.03, ziip))
            cover.append((sysplex(s), s, d * DAY + h * HOUR, 0.0 if d % 9 else 25.0)) if not silent(s, d, h) else None
        for d in range(days):
            overflow.append((sysplex(s), s, d * DAY, 1.0 + 12 * (s == "PRDC" and d >= CHANGE_DAY) + dice.random()))
        for n, c in enumerate(CLASSES):
            for d, h in hours:
                index = 0.55 + 0.25 * dice.random()
                if c == "DDFHI" and 13 <= h <= 16:
                    index += 0.4
                if s == "PRDF" and d == BAD_DAY and 13 < h < 18 and n < 4:
                    index += 1.9
                if not silent(s, d, h):
                    known = None if (s, c, d, h) == (systems[0], "OMVS", 3, 4) else index
                    goals.append((sysplex(s), s, CLASSES[c], c, 1 + n % 5, d * DAY + h * HOUR, known))
    workload = []
    for w in dict.fromkeys(CLASSES.values()):
        share = 1 + len(w) % 4
        for p in dict.fromkeys(map(sysplex, systems)):
            total = sum(size[s] for s in systems if sysplex(s) == p)
            workload += [(p, w, d * DAY + h * HOUR, total * _load(d, h) * share / 18) for d, h in hours]
    cost = []
    for c, base in (("CICSPROD", 4.61), ("CICSWEB", 2.1), ("DDFHI", 3.79), ("IMSTX", 1.2)):
        for d in range(days):
            after = c == "CICSPROD" and d >= CHANGE_DAY
            level = base * (1.22 if after else 1.0)
            step = 22.0 if after and d == CHANGE_DAY else None
            cost.append((SYSPLEXES[0], CLASSES[c], c, d * DAY, level * (1 + 0.02 * dice.uniform(-1, 1)), level, step))
    peak = [
        (sysplex(s), s, CLASSES[c], c, "Peak hour, Sat 7 Nov 11:00", size[s] * (1 + n % 4) / 30)
        for s in systems[:8] for n, c in enumerate(CLASSES)
    ]  # fmt: skip
    coupling = [
        (SYSPLEXES[0], name, d * DAY + h * HOUR, 900 * (n + 1) * _load(d, h), 12.0 + 3 * n + _load(d, h))
        for n, name in enumerate(STRUCTURES)
        for d, h in hours
    ]
    reuse = [("PRDA", f"ENTRY{n}", 1000 * n, 97.5 - n) for n in range(12)]
    sections = (
        Section("msu", "Where is the bill made?", "PRDA set its peak of the month: 383 MSU on Mon 26 Oct 11:00.",
            Chart("lines", "start", "rolling_msu", split="system", limit="limit_msu"),
            _rows([*_SYSTEM, _START, Column("rolling_msu", "Rolling four-hour average", "MSU/h", 1), Column("limit_msu", "Limit", "MSU/h", 0)], msu),
            _BY_SYSTEM),
        Section("peak", "What made the peak?", "PRDA made 25% of the peak, most of it DDFLO.",
            Chart("bars", "gp_msu", "system", split="hour"),
            _rows([*_SYSTEM, Column("workload", "Workload", kind="text"), Column("class_name", "Class", kind="text"),
                   Column("hour", "Hour", kind="text"), Column("gp_msu", "General-processor MSU", "MSU/h", 1)], peak),
            {"sysplex": "sysplex", "system": "system", "workload": "workload", "class": "class_name"}),
        Section("goals", "Which goals were missed, and when?", "DDFHI missed its goal in the afternoon on most days; on PRDF four classes missed on Sat 21 Nov.",
            Chart("heat", "start", "class_name", value="performance_index", steps=((1.0, "missed"), (2.0, "missed badly"))),
            _rows([*_SYSTEM, Column("workload", "Workload", kind="text"), Column("class_name", "Class", kind="text"),
                   Column("importance", "Importance", decimals=0), _START, Column("performance_index", "Performance index", decimals=2)], goals),
            {**_BY_SYSTEM, "workload": "workload", "class": "class_name"}),
        Section("cost", "Did the cost per transaction change?", "CICSPROD costs 22% more since Sat 14 Nov: 4.61 → 5.62 ms.",
            Chart("lines", "start", "cp_ms", split="class_name", level="level_ms", change="step_pct"),
            _rows([_SYSTEM[0], Column("workload", "Workload", kind="text"), Column("class_name", "Class", kind="text"), _START,
                   Column("cp_ms", "General-processor time per transaction", "ms", 2), Column("level_ms", "Level", "ms", 2),
                   Column("step_pct", "Step", "%", 1)], cost),
            {"sysplex": "sysplex", "workload": "workload", "class": "class_name", "time": "start"},
            note="Weekdays and weekends are compared apart."),
        Section("use", "How busy were the systems?", "PRDA used most: 383 MSU/h at its highest.",
            Chart("lines", "start", ("cp_msu", "ziip_on_cp_msu", "ziip_msu"), split="system"),
            _rows([*_SYSTEM, _START, Column("cp_msu", "General processors", "MSU/h", 1), Column("ziip_on_cp_msu", "zIIP-eligible on CP", "MSU/h", 1),
                   Column("ziip_msu", "zIIP", "MSU/h", 1)], use),
            _BY_SYSTEM),
        Section("workloads", "Which workloads used the processors?", "DDF and STC used most.",
            Chart("lines", "start", "cp_msu", split="workload"),
            _rows([_SYSTEM[0], Column("workload", "Workload", kind="text"), _START, Column("cp_msu", "General processors", "MSU/h", 1)], workload),
            {"sysplex": "sysplex", "workload": "workload", "time": "start"}),
        Section("overflow", "Does zIIP work run on general processors?", "PRDC: 13% of the eligible work since Sat 14 Nov.",
            Chart("heat", "start", "system", value="overflow_pct", steps=((5.0, "high"), (10.0, "very high"))),
            _rows([*_SYSTEM, _START, Column("overflow_pct", "Eligible work on CP", "%", 1)], overflow), _BY_SYSTEM),
        Section("structures", "How busy are the coupling facility structures?", "IXCSTR1 has the most requests.",
            Chart("lines", "start", "requests_per_s", split="structure"),
            _rows([_SYSTEM[0], Column("structure", "Structure", kind="text"), _START, Column("requests_per_s", "Requests", "per s", 0),
                   Column("sync_us", "Synchronous service", "µs", 1)], coupling),
            {"sysplex": "sysplex", "time": "start"}),
        Section("reuse", "Are Db2 threads reused?", "All entries reuse at least 86.5%.", Chart("none"),
            _rows([Column("system", "System", kind="text"), Column("entry", "DB2ENTRY", kind="text"), Column("requests", "Requests", decimals=0),
                   Column("reuse_pct", "Reused", "%", 1)], reuse),
            {"system": "system"}),
        Section("pools", "Do group buffer pools find their pages?", "Least: GBP1, 88.0%.",
            Chart("bars", "hit_pct", "pool"),
            # Printed for several systems together, and without a sysplex.
            _rows([_SYSTEM[0], Column("scope", "Systems", kind="text"), Column("pool", "Pool", kind="text"), Column("hit_pct", "Hits", "%", 1)],
                  [(None, "PRDA,PRDB", "GBP0", 91.0), (None, "PRDC", "GBP1", 88.0), (None, "TSTA,TSTB", "GBP2", 93.0)]),
            {"sysplex": "sysplex", "system": "scope"}),
        Section("coverage", "What is missing?", "DEVB and DEVC have no reports since Sat 21 Nov 03:00.",
            Chart("strip", "start", "system", value="missing_pct", steps=((1.0, "incomplete"), (50.0, "mostly missing"))),
            _rows([*_SYSTEM, _START, Column("missing_pct", "Missing", "%", 0)], cover), _BY_SYSTEM),
    )  # fmt: skip
    sections = tuple(
        replace(one, group="Bill" if n < 4 else "Other", short=one.id, view=f"{one.id}_hour")
        for n, one in enumerate(sections)
    )
    happened = (
        Happened("CICSPROD costs 22% more general-processor time per transaction since Sat 14 Nov", "4.61 → 5.62 ms at like volume; 18 MSU a day",
            Select(class_name="CICSPROD", from_s=(CHANGE_DAY - 8) * DAY, to_s=days * DAY), "cost", "wlm_1114.txt, page 12, line 640", True, "ironlake compare", "serious", Series("CICSPROD")),
        Happened("PRDF missed the goals of 4 classes on Sat 21 Nov from 14:00 to 18:00", "performance index up to 2.7",
            Select(system="PRDF", from_s=BAD_DAY * DAY + 14 * HOUR, to_s=BAD_DAY * DAY + 18 * HOUR), "goals", "wlm_1121.txt, page 88, line 4120", True),
        Happened("DEVB and DEVC have no reports since Sat 21 Nov 03:00", "42 of 48 hours are missing", Select(sysplex="TESTPLEX", from_s=BAD_DAY * DAY, to_s=days * DAY), "coverage", "", True),
        Happened("PRDC runs 13% of its zIIP-eligible work on general processors", "limit 5%; since Sat 14 Nov", Select(system="PRDC"), "overflow", "wlm_1121.txt, page 41, line 1893"),
    )  # fmt: skip
    return LakePage(
        "prod", dt.datetime(2026, 11, 22, 6, 10), "ironlake page --lake prod --days 30 --out today.html", "0.1.0",
        START.date(), (START + dt.timedelta(days=days - 1)).date(), START,
        Names(tuple(dict.fromkeys(map(sysplex, systems))), systems, tuple(dict.fromkeys(CLASSES.values())), tuple(CLASSES)),
        happened, sections, ("MSU of TESTPLEX: its CPU activity pages print no service units per second.",),
    )  # fmt: skip
