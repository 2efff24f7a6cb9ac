"""What the page of a study shows: the views of one study as rows, in the order of its file, with references to print."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..pipeline.study import UNALLOCATED
from .columns import PART_OF_COST
from .declared import Reader
from .questions import DRIVER, PICTURES
from .references import Reference, Sources
from .source_quality import quality_rows
from .windows import Lake, ask, literal

Row = dict[str, Any]

# What a request costs: the time that is paid for, and all time as it is and as normalised.
COSTS = ("cp_ms_per_request", "cpu_ms_per_request", "cpu_normalized_ms_per_request")

BUSY_BASES = {"cp": "general processors", "cp_and_ziip": "general processors and zIIPs"}


@dataclass
class Configuration:
    """One configuration: `cost` of all that its subsystems are charged, a row of configuration_cost each in `by_subsystem`,
    what is charged to none in `unallocated`."""

    name: str
    cost: Row
    by_subsystem: dict[str, Row]
    unallocated: Row | None
    reference: Reference
    runs: list[Row] = field(default_factory=list)
    itr: list[Row] = field(default_factory=list)
    fit: Row | None = None
    confidence: dict[str, Row] = field(default_factory=dict)
    difference: dict[str, Row] = field(default_factory=dict)

    @property
    def prints_whole_milliseconds(self) -> bool:
        """Whether its response times are those of classes, which RMF prints to the millisecond."""
        return bool(self.runs) and all(run.get("request_source") == "class" for run in self.runs)


@dataclass
class StudyMeasures:
    """One study: its configurations, the baseline first."""

    name: str
    configurations: list[Configuration]
    subsystems: list[str]
    # Service classes and report classes are both charged.
    charges_both_kinds: bool
    coupling: list[Row]
    findings: list[Row]
    warnings: list[Row]
    steps: list[Row]
    # Rows of the declared pictures, by their name.
    pictured: dict[str, list[Row]]

    @property
    def baseline(self) -> Configuration:
        return self.configurations[0]

    @property
    def leads_with(self) -> str:
        """The cost that sentences, order and labels go by: the time of general processors, which is what is paid for. All CPU, where
        that is the same everywhere, and where that alone is known of all."""
        known = [c.cost for c in self.configurations if c.cost["cpu_ms_per_request"] is not None]
        if not known or any(cost["cp_ms_per_request"] is None for cost in known):
            return "cpu_ms_per_request"
        ran_elsewhere = any(not _is_same(cost["cp_ms_per_request"], cost["cpu_ms_per_request"]) for cost in known)
        return "cp_ms_per_request" if ran_elsewhere else "cpu_ms_per_request"

    @property
    def is_normalized(self) -> bool:
        """Whether a second of zIIP time counts for more or less than a second: then all CPU is judged as normalised."""
        costs = [(c.cost["cpu_ms_per_request"], c.cost["cpu_normalized_ms_per_request"]) for c in self.configurations]
        return any(None not in pair and not _is_same(*pair) for pair in costs)

    def has(self, measure: str) -> bool:
        """Whether any configuration has a value of a measure."""
        return any(c.cost[measure] is not None for c in self.configurations)

    @property
    def references(self) -> list[Reference]:
        rows = [r for c in self.configurations for r in (*c.by_subsystem.values(), *c.runs, *c.itr)]
        rows += [r for found in self.pictured.values() for r in found]
        return [
            *(c.reference for c in self.configurations),
            *(r["reference"] for r in (*rows, *self.coupling, *self.findings, *self.warnings)),
        ]


@dataclass
class Measured:
    """Everything that a page says of some studies of a lake. `scores` are of drivers that know no time; of the sources that anything
    rests on, `suspect` are rows of quality_result, `unread` rows of parse_reject."""

    studies: list[StudyMeasures]
    scores: list[Row]
    suspect: list[Row]
    unread: list[Row]

    @property
    def references(self) -> list[Reference]:
        return [*(r for s in self.studies for r in s.references), *(row["reference"] for row in self.scores)]


def measure_studies(lake: Lake, studies: Sequence[str], sources: Sources) -> Measured:
    """Measure some studies of a lake: every view is asked once for all of them."""
    asked, reader = Asked(lake, studies, sources), Reader(lake, studies, (*PICTURES, DRIVER), sources)
    found = [_measure(asked, reader, study) for study in studies]
    scores = reader.rows(DRIVER, "")
    return Measured(found, scores, *quality_rows(lake, sources))


class Asked:
    """Rows of views by study, with their `refs` as a reference."""

    def __init__(self, lake: Lake, studies: Sequence[str], sources: Sources):
        self._lake, self._sources = lake, sources
        self._of_studies = f"WHERE study IN ({', '.join(map(literal, studies))})"
        self._known: dict[str, list[Row]] = {}

    def rows(self, study: str, view: str, order: str = "ALL") -> list[Row]:
        if view not in self._known:
            found = ask(self._lake, f"SELECT * FROM {view} {self._of_studies} ORDER BY {order}")
            for row in found:
                row["reference"] = Reference.of(row.pop("refs", None), self._sources)
            self._known[view] = found
        return [row for row in self._known[view] if row["study"] == study]


def _measure(asked: Asked, reader: Reader, study: str) -> StudyMeasures:
    named = asked.rows(study, "study_configuration", "study, is_baseline DESC, line, configuration")
    charged = [r for r in asked.rows(study, "study_class", "study, class_number, line") if r["role"] == "cpu"]
    subsystems = list(dict.fromkeys(r["subsystem"] for r in charged))
    costs = {(r["configuration"], r["subsystem"]): r for r in asked.rows(study, "configuration_cost")}
    by_name = {}
    for name in (r["configuration"] for r in named):
        mine = {s: costs[name, s] for s in subsystems if (name, s) in costs}
        rest = costs.get((name, UNALLOCATED))
        reference = Reference.joined(r["reference"] for r in mine.values())
        by_name[name] = Configuration(name, _sum_of(mine.values(), rest), mine, rest, reference)
    baseline = next(iter(by_name))
    for row in asked.rows(study, _RUNS, "study, window_start, run"):
        by_name[row["configuration"]].runs.append(row)
    for row in asked.rows(study, "itr"):
        by_name[row["configuration"]].itr.append(row)
    for configuration in by_name.values():
        if not configuration.reference.count:
            configuration.reference = Reference.joined(
                r["reference"] for r in configuration.itr if r["busy_basis"] == "cp"
            )
    # Of several subsystems the sum has no subject; one alone is its own sum.
    whole = {None, *(subsystems if len(subsystems) == 1 else ())}
    for row in asked.rows(study, "study_fit"):
        if row["subject"] in whole and row["verdict"] == "fitted":
            by_name[row["configuration"]].fit = row
    for row in asked.rows(study, "study_confidence"):
        if row["subject"] in whole:
            by_name[row["configuration"]].confidence[row["measure"]] = row
    for row in asked.rows(study, "study_difference"):
        if row["subject"] in whole and row["baseline"] == baseline:
            by_name[row["configuration"]].difference[row["measure"]] = row
    for configuration in by_name.values():
        for row, of in (
            (configuration.confidence.get("response_ms"), (configuration,)),
            (configuration.difference.get("response_ms"), (configuration, by_name[baseline])),
        ):
            if row and all(c.prints_whole_milliseconds for c in of):
                row["printed_to"] = 1.0
    coupling = [row | {"busy": BUSY_BASES[row["busy_basis"]]} for row in asked.rows(study, "coupling_efficiency")]
    on_page = {
        "cost_per_request": [row for c in by_name.values() for row in c.runs],
        "configuration_cost": [row for c in by_name.values() for row in c.by_subsystem.values()],
        "coupling_efficiency": coupling,
    }
    return StudyMeasures(
        name=study,
        configurations=list(by_name.values()),
        subsystems=subsystems,
        charges_both_kinds=len({r["class_kind"] for r in charged}) > 1,
        coupling=coupling,
        findings=asked.rows(study, "finding"),
        warnings=asked.rows(study, "comparison_warning"),
        steps=asked.rows(study, "study_step", "study, configuration, window_start, run"),
        pictured={p.name: on_page[p.view] if p.near == "page" else reader.rows(p, study) for p in PICTURES},
    )


def _charged(column: str) -> str:
    """The sum over the charged subsystems of a run, NULL where one is not known and where there is none."""
    charged = f"FILTER (cost.subsystem <> '{UNALLOCATED}')"
    known = f"count(cost.{column}) {charged}"
    return f"CASE WHEN {known} > 0 AND {known} = count(*) {charged} THEN sum(cost.{column}) {charged} END AS {column}"


_OF_RUNS = (
    "cp_pct",
    "cpu_pct",
    "non_ziip_eligible_pct",
    "ziip_on_cp_pct",
    "ziip_pct",
    "cpu_ms_per_request",
    "cp_ms_per_request",
)
# A run's rate beside the processor time of all its charged subsystems; engines are those that were measured.
_RUNS = f"""(
    SELECT
        cost.study, cost.configuration, cost.run, any_value(of_run.window_start) AS window_start,
        any_value(of_run.window_end) AS window_end, any_value(of_run.asked_s) AS asked_s,
        any_value(of_run.covered_s) AS covered_s, any_value(of_run.request_source) AS request_source, any_value(of_run.intervals) AS intervals,
        any_value(cost.requests) AS requests, any_value(cost.requests_per_s) AS requests_per_s,
        {", ".join(_charged(name) for name in _OF_RUNS)},
        any_value(cost.response_ms) AS response_ms,
        -- CPU is charged in engines as they are: zIIPs are counted without the factor that run_busy weighs them with.
        any_value(cp.engines_online + busy.ziip_engines_online) AS engines_online,
        any_value(cp.engines_online) AS engines_cp_online,
        any_value(busy.cpu_busy_pct) AS cpu_busy_pct,
        list_distinct(list_concat(flatten(list(cost.refs)), any_value(of_run.refs))) AS refs
    FROM cost_per_request AS cost
    JOIN run_requests AS of_run
        ON of_run.study = cost.study AND of_run.configuration = cost.configuration AND of_run.run = cost.run
    LEFT JOIN run_busy AS busy
        ON busy.study = cost.study AND busy.configuration = cost.configuration AND busy.run = cost.run
        AND busy.busy_basis = 'cp_and_ziip'
    LEFT JOIN run_busy AS cp
        ON cp.study = cost.study AND cp.configuration = cost.configuration AND cp.run = cost.run
        AND cp.busy_basis = 'cp'
    GROUP BY cost.study, cost.configuration, cost.run
)"""


def _is_same(one: float, other: float) -> bool:
    """Whether two costs differ in their last binary digits at most."""
    return abs(one - other) <= 1e-9 * max(abs(one), abs(other))


def _sum_of(subsystems: Iterable[Row], rest: Row | None) -> Row:
    """Cost of several subsystems together; None where one is not known, and where there is none."""
    parts = list(subsystems)
    of_requests = next(iter(parts), rest) or {}
    out: Row = {name: of_requests.get(name) for name in ("requests", "response_ms", "runs")}
    for name in (*COSTS, *PART_OF_COST):
        values = [row[name] for row in parts]
        out[name] = sum(values) if values and None not in values else None
    return out
