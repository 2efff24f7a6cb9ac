"""The data of a study page: rows of its views in the order of the study file, with references to the printed lines."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..pipeline.declaration.study_tables import UNALLOCATED
from ..pipeline.sql.ask import Queryable, ask, literal
from ..pipeline.study.windows import Window
from .charts.comparison_page_charts import DRIVER, PICTURES
from .charts.spec import Reader
from .columns import BUSY_BASES, PART_OF_COST
from .first_screen.evidence import Compared, Intervals, read_intervals
from .numbers import LEAST_BASE_PCT
from .references import Reference, Sources, quality_rows

Row = dict[str, Any]

# Cost per request: general-processor time, all CPU time as measured, and normalised.
COSTS = ("cp_ms_per_request", "cpu_ms_per_request", "cpu_normalized_ms_per_request")


@dataclass
class ConfigurationMeasures:
    """One configuration: total `cost`, one row of configuration_cost per subsystem in `by_subsystem`, and the `unallocated` rest."""

    name: str
    cost: Row
    by_subsystem: dict[str, Row]
    unallocated: Row | None
    reference: Reference
    runs: list[Row] = field(default_factory=list)
    itr: list[Row] = field(default_factory=list)
    fits: dict[str, Row] = field(default_factory=dict)
    confidence: dict[str, Row] = field(default_factory=dict)
    difference: dict[str, Row] = field(default_factory=dict)

    def is_relative(self, measure: str) -> bool:
        """Whether its difference can be given in percent of the baseline."""
        found = self.difference.get(measure)
        return not found or found["difference"] is None or found["difference_pct"] is not None

    @property
    def prints_whole_milliseconds(self) -> bool:
        """Whether its response times are those of classes, which RMF prints to the millisecond."""
        return bool(self.runs) and all(run.get("request_source") == "class" for run in self.runs)


@dataclass
class StudyMeasures:
    """One study; the baseline is the first configuration."""

    name: str
    configurations: list[ConfigurationMeasures]
    subsystems: list[str]
    charges_both_kinds: bool  # service classes and report classes
    coupling: list[Row]
    findings: list[Row]
    warnings: list[Row]
    steps: list[Row]
    pictured: dict[str, list[Row]]  # rows of the declared charts, by name
    facts: list[Row] = field(default_factory=list)  # of the selected intervals
    notes: list[Row] = field(default_factory=list)  # on missing data
    goals: list[Row] = field(default_factory=list)
    cost_sources: list[Row] = field(
        default_factory=list
    )  # parts of a request's processor time, told by RMF, CICS and Db2
    # For a study that charges no classes: every class of every configuration, and the kind compared.
    classes: list[Row] = field(default_factory=list)
    class_kind: str | None = None
    only: tuple[str, ...] = ()  # the classes asked for, if not all: `classes` and the totals have only these
    # Totals of the classes of the main kind, interval by interval, by configuration.
    intervals: Mapping[str, Intervals] = field(default_factory=dict)
    absent: tuple[str, ...] = ()  # runs without data for the study's sysplex
    # Of runs with several windows: those without data, and how many there are.
    windows_without_data: Mapping[str, tuple[Sequence[Window], int]] = field(default_factory=dict)

    @property
    def baseline(self) -> ConfigurationMeasures:
        return self.configurations[0]

    @property
    def leads_with(self) -> str:
        """The main cost: general-processor time, which is paid for. All CPU time if both are equal everywhere, or if
        general-processor time is unknown for some configuration."""
        known = [c.cost for c in self.configurations if c.cost["cpu_ms_per_request"] is not None]
        if not known or any(cost["cp_ms_per_request"] is None for cost in known):
            return "cpu_ms_per_request"
        ran_elsewhere = any(not _is_same(cost["cp_ms_per_request"], cost["cpu_ms_per_request"]) for cost in known)
        return "cp_ms_per_request" if ran_elsewhere else "cpu_ms_per_request"

    @property
    def is_normalized(self) -> bool:
        """Whether a zIIP normalisation factor other than 1 applies; then normalised CPU time is compared."""
        costs = [(c.cost["cpu_ms_per_request"], c.cost["cpu_normalized_ms_per_request"]) for c in self.configurations]
        return any(None not in pair and not _is_same(*pair) for pair in costs)

    def totals(self, kind: str | None = None) -> dict[str, Row]:
        """The total of all classes of a kind (default: the main kind), by configuration."""
        wanted = kind or self.class_kind
        return {r["configuration"]: r for r in self.classes if r["is_total"] and r["class_kind"] == wanted}

    def classes_of(self, kind: str | None = None) -> list[Row]:
        """The classes of a kind (default: the main kind)."""
        wanted = kind or self.class_kind
        return [r for r in self.classes if not r["is_total"] and r["class_kind"] == wanted]

    @property
    def cost_is_known(self) -> bool:
        """Whether the baseline has a cost per request, so that others are compared by it."""
        return self.baseline.cost[self.leads_with] is not None

    @property
    def compares_classes(self) -> bool:
        """Whether classes are compared, and any configuration prints their processor time."""
        return self.class_kind is not None and any(t["cp_pct"] is not None for t in self.totals().values())

    @property
    def class_measure(self) -> str:
        """The measure for the change of all classes: software MSU where two configurations have them in every interval,
        else CP %."""
        sides = [self.intervals.get(c.name) for c in self.configurations]
        in_msu = len(sides) == 2 and all(side is not None and side.mean("msu") is not None for side in sides)
        return "msu" if in_msu else "cp_pct"

    @property
    def class_base_has_digits(self) -> bool:
        """Whether the processor time of all classes of the baseline has more than one printed digit: a percentage of a
        single digit is rounding."""
        return (self.totals().get(self.baseline.name, {}).get("cp_pct") or 0.0) >= LEAST_BASE_PCT

    def class_totals(self) -> dict[str, float | None]:
        """The total of all classes in this measure, by configuration."""
        if self.class_measure == "msu":
            return {name: side.mean("msu") for name, side in self.intervals.items()}
        return {name: total["cp_pct"] for name, total in self.totals().items()}

    def by_interval(self, configuration: ConfigurationMeasures) -> Compared | None:
        """The classes of a configuration beside those of the baseline, interval by interval."""
        before, after = self.intervals.get(self.baseline.name), self.intervals.get(configuration.name)
        return Compared(before, after) if before and after else None

    def has(self, measure: str) -> bool:
        """Whether any configuration has this measure."""
        return any(c.cost[measure] is not None for c in self.configurations)

    @property
    def references(self) -> list[Reference]:
        rows = [r for c in self.configurations for r in (*c.by_subsystem.values(), *c.runs, *c.itr)]
        rows += [r for found in self.pictured.values() for r in found]
        return [
            *(c.reference for c in self.configurations),
            *(r["reference"] for r in (*rows, *self.coupling, *self.findings, *self.warnings)),
            *(r["reference"] for r in (*self.notes, *self.goals, *self.cost_sources, *self.classes)),
        ]


@dataclass
class Measured:
    """The data of a page of several studies. `scores` are driver results without a time of day; `suspect` (quality_result) and
    `unread` (parse_reject) concern the sources used."""

    studies: list[StudyMeasures]
    scores: list[Row]
    suspect: list[Row]
    unread: list[Row]

    @property
    def references(self) -> list[Reference]:
        return [*(r for s in self.studies for r in s.references), *(row["reference"] for row in self.scores)]


def measure_studies(
    lake: Queryable, studies: Sequence[str], sources: Sources, whole: Queryable | None = None
) -> Measured:
    """Read the views of some studies, each view once for all of them. `lake` may have only the rows near their windows:
    views that do not shard are then read from the `whole` lake."""
    views, reader = StudyViews(lake, studies, sources), Reader(lake, studies, (*PICTURES, DRIVER), sources, whole)
    found = [_measure(views, reader, study) for study in studies]
    intervals = read_intervals(lake, {s.name: s.class_kind for s in found if s.class_kind is not None})
    for study in found:
        study.intervals = intervals.get(study.name, {})
    scores = reader.rows(DRIVER, "")
    return Measured(found, scores, *quality_rows(lake, sources))


class StudyViews:
    """Rows of views by study, with `refs` as a Reference."""

    def __init__(self, lake: Queryable, studies: Sequence[str], sources: Sources):
        self._lake, self._sources = lake, sources
        self._of_studies = f"WHERE study IN ({', '.join(map(literal, studies))})"
        self._known: dict[str, list[Row]] = {}

    def has_any(self, *tables: str) -> bool:
        """Whether one of these tables has a row: views over empty tables need not be made."""
        return any(ask(self._lake, f"SELECT 1 FROM {name} LIMIT 1") for name in tables)

    def rows(self, study: str, view: str, order: str = "ALL") -> list[Row]:
        if view not in self._known:
            found = ask(self._lake, f"SELECT * FROM {view} {self._of_studies} ORDER BY {order}")
            for row in found:
                row["reference"] = Reference.of(row.pop("refs", None), self._sources)
            self._known[view] = found
        return [row for row in self._known[view] if row["study"] == study]


# Views with the cost of a request from sources other than RMF.
_COST_SOURCES = ("cics_monitoring_summary", "cics_monitoring_task", "cics_dispatcher", "db2_accounting_counter")
# The baseline first, then the order of the study file: source numbers follow the order of rows.
_BY_CONFIGURATION = """array_position(
    (SELECT list(configuration ORDER BY study, is_baseline DESC, line, configuration) FROM study_configuration), configuration)"""


def _measure(views: StudyViews, reader: Reader, study: str) -> StudyMeasures:
    named = views.rows(study, "study_configuration", "study, is_baseline DESC, line, configuration")
    charged = [r for r in views.rows(study, "study_class", "study, class_number, line") if r["role"] == "cpu"]
    subsystems = list(dict.fromkeys(r["subsystem"] for r in charged))
    steps = views.rows(study, "study_step", "study, configuration, window_start, run")
    # Without requests there is no cost per request and no confidence interval.
    has_requests = any(r["request_source"] != "volume" or r["volume"] is not None for r in steps)
    costs = {
        (r["configuration"], r["subsystem"]): r
        for r in (views.rows(study, "configuration_cost") if has_requests else ())
    }
    by_name = {}
    for name in (r["configuration"] for r in named):
        mine = {s: costs[name, s] for s in subsystems if (name, s) in costs}
        rest = costs.get((name, UNALLOCATED))
        reference = Reference.joined(r["reference"] for r in mine.values())
        by_name[name] = ConfigurationMeasures(name, _sum_of(mine.values(), rest), mine, rest, reference)
    baseline = next(iter(by_name))
    for row in views.rows(study, "run_cost", "study, window_start, run, configuration"):
        by_name[row["configuration"]].runs.append(row)
    for row in views.rows(study, "itr"):
        by_name[row["configuration"]].itr.append(row)
    for configuration in by_name.values():
        if not configuration.reference.count:
            configuration.reference = Reference.joined(
                r["reference"] for r in configuration.itr if r["busy_basis"] == "cp"
            )
    # The total of several subsystems has no subject; a single subsystem is its own total.
    whole = {None, *(subsystems if len(subsystems) == 1 else ())}
    for view, into, wanted in (
        ("study_fit", "fits", lambda row: row["verdict"] == "fitted"),
        ("study_confidence", "confidence", lambda row: True),
        ("study_difference", "difference", lambda row: row["baseline"] == baseline),
    ):
        for row in views.rows(study, view) if has_requests else ():
            if row["subject"] in whole and wanted(row):
                getattr(by_name[row["configuration"]], into)[row["measure"]] = row
    for configuration in by_name.values():
        for row, of in (
            (configuration.confidence.get("response_ms"), (configuration,)),
            (configuration.difference.get("response_ms"), (configuration, by_name[baseline])),
        ):
            if row and all(c.prints_whole_milliseconds for c in of):
                row["printed_to"] = 1.0
    coupling = [
        row | {"busy": BUSY_BASES[row["busy_basis"]]}
        for row in (views.rows(study, "coupling_efficiency") if any(r["coupling_role"] for r in named) else ())
    ]
    has_sources = has_requests and views.has_any(*_COST_SOURCES)
    sources = (
        views.rows(study, "run_cost_source", f"study, {_BY_CONFIGURATION}, run, part_number") if has_sources else []
    )
    # If no class is charged, the classes themselves are compared.
    classes = (
        []
        if charged
        else views.rows(study, "configuration_class", f"study, class_kind, class_name, {_BY_CONFIGURATION}")
    )
    of_kind = [] if charged else views.rows(study, "study_kind")
    found = StudyMeasures(
        name=study,
        configurations=list(by_name.values()),
        subsystems=subsystems,
        charges_both_kinds=len({r["class_kind"] for r in charged}) > 1,
        coupling=coupling,
        findings=views.rows(study, "finding"),
        warnings=views.rows(study, "comparison_warning"),
        steps=steps,
        facts=views.rows(study, "configuration_fact"),
        notes=views.rows(study, "configuration_note"),
        goals=views.rows(
            study,
            "configuration_goal",
            f"study, importance NULLS LAST, service_class, period, systems, {_BY_CONFIGURATION}",
        ),
        cost_sources=sources,
        classes=classes,
        class_kind=next((row["class_kind"] for row in of_kind), None),
        pictured={},
    )
    on_page = rows_on_page(found)
    found.pictured = {
        p.name: on_page[p.rows or p.view] if p.joined_by == "page" else reader.rows(p, study) for p in PICTURES
    }
    return found


def rows_on_page(study: StudyMeasures) -> dict[str, list[Row]]:
    """The rows of charts that are on the page already, by view or name."""
    named = [
        r | {"class": r["class_name"] or "(no name)", "rank": r["cp_pct"] or 0.0}
        for r in study.classes
        if not r["is_total"]
    ]
    bases = {
        (r["class_kind"], r["class"]): r["cp_pct"] or 0.0 for r in named if r["configuration"] == study.baseline.name
    }
    lead = study.leads_with
    has_ticks = lead == "cp_ms_per_request"
    by_cost = sorted((c for c in study.configurations if c.cost[lead] is not None), key=lambda c: c.cost[lead])
    return {
        "classes": named,
        # A percentage of a base with one printed digit would be rounding.
        "class costs": [
            r for r in named if r["cp_ms_per_transaction"] and not 0 < bases.get((r["class_kind"], r["class"]), 0.0) < LEAST_BASE_PCT
        ],
        "costs": [
            {"configuration": c.name, "reference": c.reference, "paid_ms": c.cost[lead] if has_ticks else None}
            | {name: c.cost[name] for name in ("cpu_ms_per_request", *PART_OF_COST)}
            | {end: (c.confidence.get(lead) or {}).get(end) for end in ("lower", "upper")}
            for c in by_cost
        ],
        "run_cost_source": [row for row in study.cost_sources if row["cpu_ms_per_request"] is not None],
        # For runs that the study names.
        "cost_per_request": [r for c in study.configurations for r in c.runs if not r["run"].isdecimal()],
        "configuration_cost": [row for c in study.configurations for row in c.by_subsystem.values()],
        "coupling_efficiency": [
            {"configuration": row[side], "busy_ms_per_request": row[f"busy_ms_per_request_{side}"], "reference": row["reference"]}
            | {"coupling_efficiency_pct": row["coupling_efficiency_pct"] if side == "coupled" else None}
            for row in study.coupling if row["busy_basis"] == "cp" for side in ("uncoupled", "coupled")
        ],
    }  # fmt: skip


def _is_same(one: float, other: float) -> bool:
    """Whether two costs are equal up to floating-point error."""
    return abs(one - other) <= 1e-9 * max(abs(one), abs(other))


def _sum_of(subsystems: Iterable[Row], rest: Row | None) -> Row:
    """Total cost of several subsystems; None if one is unknown, or if there are none."""
    parts = list(subsystems)
    of_requests = next(iter(parts), rest) or {}
    out: Row = {name: of_requests.get(name) for name in ("requests", "response_ms", "runs")}
    for name in (*COSTS, *PART_OF_COST):
        values = [row[name] for row in parts]
        out[name] = sum(values) if values and None not in values else None
    return out
