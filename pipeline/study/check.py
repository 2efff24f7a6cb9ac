"""What a study selects in a lake, and what is wrong with that: errors prevent a comparison, notes do not."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from ..errors import first_of
from ..sql.known_tables import table_of
from .study_file import BOTH_KINDS, ClassName, Step, Study

_MOST_LISTED = 20
# Tolerated difference between covered time and window.
_COVERED_TOLERANCE = 0.02


@dataclass
class Checked:
    """The selection of a study in a lake, one row per run. `errors` prevent a comparison, `notes` do not."""

    study: Study
    selection: pa.Table
    errors: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


# The selection of each run. Each query covers all studies and runs once.
_RUNS = """
SELECT study, configuration, run, intervals, asked_s, covered_s, request_span_s, requests, requests_per_s
FROM run_requests
"""
_CHOSEN = """
SELECT study, configuration, run, min(interval_start) AS first_start, max(interval_end) AS last_end,
    string_agg(DISTINCT sysplex, ',' ORDER BY sysplex) AS sysplex, string_agg(DISTINCT scope, ' and ' ORDER BY scope) AS scope
FROM run_selection
GROUP BY study, configuration, run
"""
_BY_SYSTEM = """
SELECT study, configuration, run,
    string_agg(concat_ws(' ', nullif(scope, ''), printf('%.0f s', covered_s)), ', ' ORDER BY scope) AS covered_by_system
FROM run_scope
GROUP BY study, configuration, run
"""
_GAPS = "SELECT study, configuration, run, gap FROM run_gap ORDER BY ALL"
_BUSY = """
SELECT study, configuration, run, busy_basis, engines_online, cpu_busy_pct, ziip_engines_online, systems
FROM run_busy
"""
_SHOWN = pa.schema(
    [
        *[(name, pa.string()) for name in ("study", "configuration", "run")],
        ("intervals", pa.int64()),
        *[(name, pa.timestamp("us")) for name in ("first_start", "last_end")],
        *[(name, pa.float64()) for name in ("asked_s", "covered_s")],
        *[(name, pa.string()) for name in ("covered_by_system", "sysplex", "scope")],
        *[
            (name, pa.float64())
            for name in ("requests", "requests_per_s", "cpu_busy_pct", "engines_cp", "engines_ziip")
        ],
        ("busy_systems", pa.string()),
    ]
)

# One line per sysplex or system, kind and day keeps the list short.
_THERE_IS = f"""
SELECT report, coalesce(sysplex, system, '') AS place, coalesce(scope, '') AS scope, report_kind,
    min(interval_start) AS first_start, max(interval_end) AS last_end,
    count(DISTINCT interval_start) AS intervals, max(interval_s) AS longest_s
FROM (
    SELECT 'Workload Activity' AS report, sysplex, NULL AS system, scope, report_kind, interval_start, interval_end, interval_s
    FROM workload_interval
    UNION ALL
    SELECT 'CPU Activity', sysplex, system, NULL, report_kind, interval_start, interval_end, interval_s FROM {table_of("processors")}
)
WHERE interval_start IS NOT NULL
GROUP BY report, place, scope, report_kind, CAST(interval_start AS DATE)
ORDER BY first_start, report DESC, place, scope
"""


# Sysplexes and systems named on pages, by time; NULL for workload pages without systems.
_PAGES_THAT_NAME = f"""
    SELECT 'sysplex' AS key, sysplex AS name, interval_start, interval_end FROM workload_interval WHERE sysplex IS NOT NULL
    UNION
    SELECT 'sysplex', sysplex, interval_start, interval_end FROM {table_of("processors")} WHERE sysplex IS NOT NULL
    UNION
    SELECT 'system', unnest(coalesce(string_split(scope, ','), [NULL])), interval_start, interval_end FROM workload_interval
    UNION
    SELECT 'system', system, interval_start, interval_end FROM {table_of("processors")} WHERE system IS NOT NULL
"""
_NAMED_IN_LAKE = f"SELECT DISTINCT key, name FROM ({_PAGES_THAT_NAME}) WHERE name IS NOT NULL"
_NAMED_IN_WINDOW = f"""
SELECT DISTINCT step.study, step.configuration, step.run, page.key, page.name
FROM study_step AS step
JOIN ({_PAGES_THAT_NAME}) AS page
    ON is_middle_within(page.interval_start, page.interval_end, step.window_start, step.window_end)
"""


class Check:
    def __init__(self, ask: Callable[[str], list[dict[str, Any]]], study: Study):
        self.ask, self.study = ask, study
        self.errors: list[str] = []
        self.notes: list[str] = []

    def ask_of_mine(self, text: str) -> list[dict[str, Any]]:
        return [row for row in self.ask(text) if row["study"] == self.study.name]

    def tell(self, line: int, what: str, expected: str = "", below: Iterable[str] = ()) -> None:
        error = f"{self.study.file}:{line}: {what}" + (f"; expected {expected}" if expected else "")
        self.errors.append("\n".join([error, *below]))

    def note(self, line: int, what: str) -> None:
        self.notes.append(f"{self.study.file}:{line}: {what}")

    def runs(self) -> dict[tuple[str, str], dict[str, Any]]:
        """The selection of each run, in study order."""
        found: dict[tuple[str, str], dict[str, Any]] = {
            (c.name, s.run): {"study": self.study.name} for c in self.study.configurations for s in c.steps
        }
        for row in [*self.ask_of_mine(_RUNS), *self.ask_of_mine(_CHOSEN), *self.ask_of_mine(_BY_SYSTEM)]:
            found[row["configuration"], row["run"]] |= row
        for row in sorted(self.ask_of_mine(_BUSY), key=lambda r: r["busy_basis"]):
            of_run = found[row["configuration"], row["run"]]
            if row["busy_basis"] == "cp":
                of_run |= {"cpu_busy_pct": row["cpu_busy_pct"], "engines_cp": row["engines_online"]}
                of_run["busy_systems"] = row["systems"]
            else:
                of_run["engines_ziip"] = row["ziip_engines_online"]
        return found

    def check(self) -> Checked:
        by_run = self.runs()
        placed = [(c.name, s) for c in self.study.configurations for s in c.steps]
        unnamed = self.selectors(placed)
        for name, step in placed:
            if by_run[name, step.run]["intervals"]:
                self.coverage(name, step, by_run[name, step.run])
            elif (name, step.run) not in unnamed:
                self.explain_nothing(name, step)
        self.gaps(placed)
        self.classes(placed, by_run)
        if self.study.requests.source == "workload_simulator":
            self.simulators(placed, by_run)
        self.jmh_results(placed, by_run)
        self.locations(placed)
        self.engines(placed, by_run)
        return Checked(self.study, pa.Table.from_pylist(list(by_run.values()), schema=_SHOWN), self.errors, self.notes)

    def selectors(self, placed: list[tuple[str, Step]]) -> set[tuple[str, str]]:
        """Report sysplexes and systems that no page of the window names although pages name others; if none does, those that no page of
        the lake names. Returns the runs with pages that name others. A page without names matches any."""
        if not any(step.sysplex or step.systems or step.remote_systems for _, step in placed):
            return set()
        in_lake: dict[str, set[str | None]] = {"sysplex": set(), "system": set()}
        for row in self.ask(_NAMED_IN_LAKE):
            in_lake[row["key"]].add(row["name"])
        in_window: dict[tuple[str, str, str], set[str | None]] = {}
        for row in self.ask_of_mine(_NAMED_IN_WINDOW):
            in_window.setdefault((row["configuration"], row["run"], row["key"]), set()).add(row["name"])
        found = set()
        for name, step in placed:
            systems = dict.fromkeys((*step.systems, *step.remote_systems))
            for key, wanted in (("sysplex", filter(None, [step.sysplex])), ("system", systems)):
                here = in_window.get((name, step.run, key), set())
                named = (here - {None}) or in_lake[key]
                unknown = [w for w in wanted if named and w not in named]
                # The study may give the systems of pages without names; at least one must be found.
                if not unknown or (None in here and len(unknown) < len(systems)):
                    continue
                there = sorted(filter(None, named))
                listed = ", ".join(there[:_MOST_LISTED]) + (" …" if len(there) > _MOST_LISTED else "")
                where = "the window" if here - {None} else "the lake"
                self.tell(step.line, f"{name}: no page of {where} names {key} {', '.join(unknown)}", listed)
                if here - {None}:
                    found.add((name, step.run))
        return found

    def explain_nothing(self, name: str, step: Step) -> None:
        """Report why a run selects no interval."""
        start, end = step.start.isoformat(" "), step.end.isoformat(" ")
        there = self.ask(f"""
            SELECT sysplex, scope, report_kind, interval_start, interval_end, max(interval_s) AS interval_s
            FROM workload_interval
            WHERE is_middle_within(interval_start, interval_end, TIMESTAMP '{start}', TIMESTAMP '{end}')
            GROUP BY ALL ORDER BY interval_start, sysplex, scope""")
        kinds = {r["report_kind"] for r in there}
        there = [r for r in there if r["report_kind"] == self.study.report_kind]
        of_sysplex = [r for r in there if step.sysplex in (None, r["sysplex"])]
        sysplexes = sorted({r["sysplex"] for r in of_sysplex if r["sysplex"]})
        systems = set(step.systems)
        wider = [
            r for r in of_sysplex if systems and r["scope"] and systems.intersection(s := r["scope"].split(",")) and not systems.issuperset(s)
        ]  # fmt: skip
        intervals = [
            f"  {r['interval_start'].isoformat()} ({r['interval_s']:.0f} s)" for r in of_sysplex[:_MOST_LISTED]
        ]
        if len(sysplexes) > 1:
            self.tell(step.line, f"{name}: the window has sysplexes {', '.join(sysplexes)}", "sysplex: one of them")
        elif wider:
            what = f"{name}: the pages are of systems {wider[0]['scope']} together; {', '.join(step.systems)} cannot be told apart"
            self.tell(step.line, what, "systems: all of a page's, or none")
        elif of_sysplex and step.rule is None and len(of_sysplex) > 1:
            what = f"{name}: the window has {len(of_sysplex)} intervals, and no rule selects some"
            self.tell(step.line, what, "interval: last, all or a list of starts", intervals)
        elif of_sysplex and step.rule == "list":
            self.tell(step.line, f"{name}: no interval starts at the listed times", "starts of these", intervals)
        elif kinds and not there:
            what = f"{name}: the window has only {', '.join(sorted(map(str, kinds)))} reports"
            self.tell(step.line, what, f"report_kind: {sorted(map(str, kinds))[0]}")
        else:
            what = f"{name}: the window {step.start:%Y-%m-%dT%H:%M:%S}/{step.end:%Y-%m-%dT%H:%M:%S} has no data"
            self.tell(
                step.line,
                what,
                "a window that contains the midpoint of a printed interval",
                _there_is(self.ask(_THERE_IS)),
            )

    def coverage(self, name: str, step: Step, row: dict[str, Any]) -> None:
        if step.rule in (None, "all") and abs(row["covered_s"] / row["asked_s"] - 1) > _COVERED_TOLERANCE:
            self.note(step.line, f"{name}: intervals cover {row['covered_s']:.0f} of {row['asked_s']:.0f} s")
        if row["requests"] is None and self.study.requests.source != "class":
            return
        if row["cpu_busy_pct"] is None:
            of = f" of {row['scope']}" if row["scope"] else ""
            changes = self.ask_of_mine("SELECT * FROM configuration_note WHERE note = 'policy_change'")
            changed = next((c["detail"] for c in changes if c["configuration"] == name), "")
            why = (
                f"the service policy changed at {changed}, within an interval of CPU Activity"
                if changed
                else f"no CPU Activity{of} for these intervals"
            )
            self.note(step.line, f"{name}: {why}: no ITR")

    def gaps(self, placed: list[tuple[str, Step]]) -> None:
        """Note what a system lacks that others of its run have."""
        missing = self.ask_of_mine(_GAPS)
        for name, step in placed:
            mine = [row["gap"] for row in missing if (row["configuration"], row["run"]) == (name, step.run)]
            if mine:
                self.note(step.line, f"{name}: missing, though others have it: {', '.join(first_of(mine))}")

    def classes(self, placed: list[tuple[str, Step]], by_run: dict[tuple[str, str], dict[str, Any]]) -> None:
        """A class printed in no selected interval is an error; a request class must be in each run."""
        printed = self.ask_of_mine(f"""
            SELECT selected.study, selected.configuration, selected.run, replace(class.class_kind, '_period', '') AS class_kind,
                coalesce(class.report_class, class.service_class) AS name
            FROM {table_of("classes")} AS class
            LEFT JOIN interval_scope AS wider
                ON wider.sysplex = class.sysplex AND wider.report_kind = class.report_kind
                AND wider.interval_start = class.interval_start AND wider.interval_end = class.interval_end
                AND wider.policy_activated_at IS NOT DISTINCT FROM class.policy_activated_at
                AND wider.printed_scope IS NOT DISTINCT FROM class.scope
            JOIN run_selection AS selected
                ON class.sysplex IS NOT DISTINCT FROM selected.sysplex
                AND coalesce(wider.scope, class.scope) IS NOT DISTINCT FROM selected.printed_scope
                AND class.interval_start = selected.interval_start AND class.interval_end = selected.interval_end
            WHERE coalesce(class.report_class, class.service_class) IS NOT NULL
            GROUP BY ALL""")
        selected = {run for run, row in by_run.items() if row["intervals"]}
        if not printed and (self.errors or not selected):
            return  # no class is expected there
        every = {(r["class_kind"], r["name"]) for r in printed}
        in_run = {(r["configuration"], r["run"], r["class_kind"], r["name"]) for r in printed}
        charged = [c for s in self.study.subsystems for c in s.classes]
        for c in [*charged, *filter(None, [self.study.requests.of_class])]:
            if (c.kind, c.name) not in every:
                self.unknown_class(c, sorted(n for kind, n in every if kind == c.kind and n))
        for name, step in placed:
            lacking = [
                c for c in charged if (c.kind, c.name) in every and (name, step.run, c.kind, c.name) not in in_run
            ]
            if lacking and (name, step.run) in selected:
                names = ", ".join(c.name for c in lacking)
                self.note(step.line, f"{name}: {names} not printed in these intervals: cost unknown there")
            c = self.study.requests.of_class
            is_expected = c and (c.kind, c.name) in every and (name, step.run) in selected
            if c and is_expected and (name, step.run, c.kind, c.name) not in in_run:
                what = f"{name}: {c.kind} {c.name}, which counts requests, is not printed in these intervals"
                self.tell(step.line, what)
        if len({c.kind for c in charged}) > 1:
            self.note(charged[0].line, f"{BOTH_KINDS} No unallocated.")

    def unknown_class(self, c: ClassName, known: list[str]) -> None:
        near = difflib.get_close_matches(c.name.upper(), known, n=3)
        shown = near or known[:_MOST_LISTED]
        what = f"{c.kind} {c.name} is in none of the selected intervals"
        listed = ", ".join(shown) + (" …" if len(known) > len(shown) else "")
        self.tell(c.line, what, listed or f"windows whose Workload Activity prints a {c.kind}")

    def simulators(self, placed: list[tuple[str, Step]], by_run: dict[tuple[str, str], dict[str, Any]]) -> None:
        files = [r["source_file"] for r in self.ask(f"SELECT source_file FROM {table_of('simulator')} ORDER BY 1")]
        for name, step in placed:
            self.driver_file(name, step, "simulator", step.simulator or "", files)
            self.span(name, step, "the simulator", by_run[name, step.run]["request_span_s"], by_run)

    def jmh_results(self, placed: list[tuple[str, Step]], by_run: dict[tuple[str, str], dict[str, Any]]) -> None:
        named = [(name, step, step.jmh) for name, step in placed if step.jmh]
        if not named:
            return
        found = self.ask(
            f"SELECT source_file, max(run_time_s) AS run_time_s FROM {table_of('jmh')} GROUP BY source_id, source_file, page ORDER BY 1"
        )
        times = {r["source_file"]: r["run_time_s"] for r in found}
        for name, step, file in named:
            here = self.driver_file(name, step, "jmh", file, [r["source_file"] for r in found])
            for one in here[:1]:
                self.span(name, step, "JMH", times[one], by_run)

    def driver_file(self, name: str, step: Step, key: str, wanted: str, files: list[str]) -> list[str]:
        """The driver result files of a step; an error unless there is exactly one."""
        here = [f for f in files if f == wanted or f.endswith(f"/{wanted}")]
        if len(here) != 1:
            what = f"{name}: {key} {wanted} " + (f"has {len(here)} runs" if here else "is not in the lake")
            there = ", ".join(list(dict.fromkeys(files))[:_MOST_LISTED])
            self.tell(step.line, what, f"one of {there}" if there and not here else "the results of one run")
        return here

    def span(
        self, name: str, step: Step, driver: str, span: float | None, by_run: dict[tuple[str, str], dict[str, Any]]
    ) -> None:
        covered = by_run[name, step.run]["covered_s"]
        if span and covered and abs(span / covered - 1) > _COVERED_TOLERANCE:
            self.note(step.line, f"{name}: {driver} ran {span:.0f} s, but processor time covers {covered:.0f} s")

    def locations(self, placed: list[tuple[str, Step]]) -> None:
        """Report pages that combine local and remote systems."""
        if not any(step.remote_systems for _, step in placed):
            return
        mixed = self.ask_of_mine("""
            SELECT study, configuration, run, min(scope) AS scope FROM run_selection
            WHERE system_location = 'both' GROUP BY ALL""")
        found = {(r["configuration"], r["run"]): r["scope"] for r in mixed}
        for name, step in placed:
            if (name, step.run) in found:
                systems = found[name, step.run]
                of = f"of systems {systems} together" if systems else "of no named system"
                what = f"{name}: the pages are {of}; remote {', '.join(step.remote_systems)} cannot be told apart"
                self.tell(step.line, what, "pages of each system, or location: remote of a subsystem")

    def engines(self, placed: list[tuple[str, Step]], by_run: dict[tuple[str, str], dict[str, Any]]) -> None:
        """Engine counts in the study that contradict CPU Activity are an error."""
        for name, step in placed:
            for kind, typed in self.study.engines.items():
                online = by_run[name, step.run].get(f"engines_{kind}")
                if online is not None and abs(online - typed) > 0.01 * max(typed, 1):
                    what = f"{name}: engines.{kind} is {typed:g}, but CPU Activity has {online:.2f} online"
                    self.tell(step.line, what, "the printed number, or none")


def _there_is(rows: list[dict[str, Any]]) -> list[str]:
    """Lines with the contents of the lake."""
    if not rows:
        return ["the lake has no Workload Activity and no CPU Activity"]
    lines = [
        f"  {r['report']} {' '.join(filter(None, (r['place'], r['scope'])))}: {r['first_start']:%Y-%m-%dT%H:%M:%S} to"
        f" {r['last_end']:%Y-%m-%dT%H:%M:%S}, {r['intervals']} {r['report_kind']} report(s) of up to {r['longest_s'] or 0:.0f} s"
        for r in rows[:_MOST_LISTED]
    ]
    more = [f"  and {len(rows) - _MOST_LISTED} more"] if len(rows) > _MOST_LISTED else []
    return ["there is:", *lines, *more]
