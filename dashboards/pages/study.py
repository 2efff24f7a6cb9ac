"""The page of one or several studies: findings in sentences, tables and pictures against the baseline, and how sure they are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import plotly.graph_objects as go

from ...pipeline.declaration.report import Table as ReportTable
from ...pipeline.errors import IronlakeError
from ...pipeline.sql.session import OpenLake
from ...pipeline.study.lake import StudiedLake, check_studied, read_files
from ...pipeline.study.runs import Windows, name_of, studies_of_runs
from ..charts import figures
from ..charts.by_question import pictures_by_group
from ..charts.figures import layout_of
from ..charts.questions import DRIVER, GROUPS
from ..charts.scores import score_pictures
from ..columns import CLASS_KINDS_MANY, COLUMNS
from ..document import Output, Page, publish
from ..measures import Configuration, Measured, Row, StudyMeasures, measure_studies
from ..numbers import number, signed
from ..parts import Body, Card, Cell, Figure, Head, Table, left, left_heads, sources_table
from ..parts import Row as TableRow
from ..queries import Lake
from ..references import Sources
from ..sentences import headline
from .class_tables import UNIT_OF_CARDS, ClassesOfKind, class_cards, classes_by_kind, published_formula
from .comparability import facts_table, goals_table, notes_list, warnings_list
from .data_quality import quality_tables
from .study_tables import Runs, configuration_table, coupling_table, runs_table, subsystem_table


def compare_studies(lake: Lake, studies: Sequence[str], out: Path | Output) -> str:
    """Write the page of studies that a lake holds, and return its headline. Raises IronlakeError where a file cannot be written."""
    sources = Sources(lake)
    if not studies:
        raise IronlakeError("no study to compare", "a study file with at least one study")
    page, said = render(measure_studies(lake, studies, sources), sources)
    publish(page, out if isinstance(out, Output) else Output(out))
    return said


class _Tables(Lake, Protocol):
    """A lake that a study can be added to in memory."""

    def dataset(self, table: ReportTable, /) -> Any: ...


def compare_files(lake: OpenLake, files: Sequence[Path], out: Output, tell: Callable[[str], None]) -> str:
    """Write the page of studies in files, which need not be in the lake, and return its headline; `tell` is told what is doubtful.
    Raises IronlakeError where a study does not fit the lake."""
    studies = read_files(files)
    with StudiedLake(lake, studies) as studied:
        checked = check_studied(studied, studies)
        for note in (note for c in checked for note in c.notes):
            tell(note)
        errors = [error for c in checked for error in c.errors]
        if errors:
            hint = "ironlake study check STUDY shows what each configuration selects"
            raise IronlakeError("\n".join(errors), hint=hint)
        return compare_studies(studied, [study.name for study in studies], out)


def compare_runs(lake: _Tables, runs: Windows, out: Path | Output) -> str:
    """Write the comparison of runs (name → start and end of its window; the first is the baseline) as one page, and return its headline.
    Raises IronlakeError where a window has no data or a file cannot be written."""
    studies = studies_of_runs(lake, runs)
    with StudiedLake(lake, studies) as studied:
        sources = Sources(studied)
        measured = measure_studies(studied, [s.name for s in studies], sources)
        for study, of in zip(studies, measured.studies, strict=True):
            if of.class_kind is None:
                raise IronlakeError(
                    f"the runs have no kind of class in common: {_kinds(of)}",
                    "service classes, or report classes, in every window",
                )
            of.absent = tuple(run for run in runs if run not in {c.name for c in study.configurations})
        page, said = render(measured, sources, name_of(runs))
    publish(page, out if isinstance(out, Output) else Output(out))
    return said


def _kinds(study: StudyMeasures) -> str:
    """Which kinds of class each configuration prints."""
    kinds = {
        c.name: [many for kind, many in CLASS_KINDS_MANY.items() if c.name in study.totals(kind)]
        for c in study.configurations
    }
    return ", ".join(f"{name} prints {' and '.join(mine) or 'no classes'}" for name, mine in kinds.items())


@dataclass(frozen=True)
class Panel:
    """What answers one question about a study."""

    id: str
    title: str
    figures: Sequence[Figure]
    table: Table | None


@dataclass(frozen=True)
class StudyPart:
    """What a page says of one study; `prefix` begins every id in it, `id` is that of its tab."""

    id: str
    prefix: str
    title: str
    heading: str
    lede: str
    warnings: Sequence[str]
    notes: Sequence[str]
    facts: Table | None
    configurations: Table | None
    classes: Sequence[ClassesOfKind]
    published: Table | None
    panels: Sequence[Panel]
    runs: Runs


@dataclass(frozen=True)
class Listed:
    """A study in the list of all."""

    prefix: str
    name: str
    headline: str


@dataclass(frozen=True)
class Overview:
    studies: Sequence[Listed]
    figures: Sequence[Figure]


@dataclass(frozen=True)
class StudyContent:
    """What study.html shows; `files` is how many files the page rests on."""

    cards: Sequence[Card]
    cards_note: str
    overview: Overview | None
    studies: Sequence[StudyPart]
    driver_figures: Sequence[Figure]
    findings: Table | None
    findings_hidden: int
    method: Sequence[str]
    quality: Sequence[Table]
    files: int
    sources: Table


def render(measured: Measured, sources: Sources, name: str = "") -> tuple[Page, str]:
    """The page, and its headline; `name` is what several studies are called together."""
    studies = measured.studies
    drawn: dict[str, go.Figure] = {}
    several = len(studies) > 1
    is_of_classes = all(s.classes and s.class_kind for s in studies)
    cards, cards_note = ([], "") if several else cost_cards(studies[0])
    if not cards and is_of_classes:
        cards, cards_note = class_cards(studies), UNIT_OF_CARDS
    findings, hidden = _findings(studies)
    content = StudyContent(
        cards=cards,
        cards_note=cards_note,
        overview=overview(studies, drawn) if several and not is_of_classes else None,
        studies=[_study_part(s, f"study_{n}", several, sources, drawn) for n, s in enumerate(studies, 1)],
        # What the lake holds of drivers that know no time.
        driver_figures=_places(score_pictures(DRIVER, measured.scores), drawn),
        findings=findings,
        findings_hidden=hidden,
        method=_method(studies),
        quality=quality_tables(measured.suspect, measured.unread),
        files=len(sources.used),
        sources=sources_table(measured.references, sources),
    )
    said = " ".join(f"{s.name}: {headline(s)}" if several else headline(s) for s in studies)
    name = name or (f"{len(studies)} studies" if several else studies[0].name)
    page = Page(
        title=f"Ironlake: {name}",
        heading=name,
        headline=said if not several or is_of_classes else _counted(studies),
        template="study.html",
        content=content,
        pictures=drawn,
    )
    return page, said


def _places(found: Sequence[go.Figure], drawn: dict[str, go.Figure]) -> list[Figure]:
    """Where pictures go on the page; the pictures themselves go to `drawn`."""
    drawn |= {layout_of(f).meta["id"]: f for f in found}
    return [Figure.of(f) for f in found]


def _counted(studies: Sequence[StudyMeasures]) -> str:
    warned = sum(bool(s.warnings) for s in studies)
    found = sum(len(s.findings) for s in studies)
    unlike = f" {warned} of them compare unlike with unlike." if warned else ""
    beyond = f" {found} {'value is' if found == 1 else 'values are'} beyond a limit." if found else ""
    return f"{len(studies)} studies, each against its own baseline.{unlike}{beyond}"


_MOST_CARDS = 8


def cost_cards(study: StudyMeasures) -> tuple[list[Card], str]:
    """Cost a request of each configuration at a glance: what is paid for, and all CPU below it. Then what is said below the cards."""
    first = study.leads_with
    known = [c for c in study.configurations if c.cost[first] is not None]
    cards = []
    for configuration in known[:_MOST_CARDS]:
        said = (
            "baseline"
            if configuration is study.baseline
            else _change(study, configuration, first, " against " + study.baseline.name)
        )
        if first != "cpu_ms_per_request" and (whole := configuration.cost["cpu_ms_per_request"]) is not None:
            change = _change(study, configuration, "cpu_ms_per_request")
            said += f"; all CPU {number(whole)} ms{' (' + change + ')' if change else ''}"
        what, value = f"{COLUMNS[first].title}, {configuration.name}", f"{number(configuration.cost[first])} ms"
        cards.append(Card("#study_1_table", what, value, said, COLUMNS[first].doc))
    more = len(known) - _MOST_CARDS
    return cards, f"{more:,} more configurations are in the table." if more > 0 else ""


def _change(study: StudyMeasures, configuration: Configuration, measure: str, against: str = "") -> str:
    """The change of a cost against the baseline in percent; nothing for the baseline itself and against none."""
    old, new = study.baseline.cost[measure], configuration.cost[measure]
    if configuration is study.baseline or not old or new is None:
        return ""
    return f"{signed((new / old - 1) * 100, 1)}%{against}"


def _study_part(
    study: StudyMeasures, prefix: str, is_one_of_many: bool, sources: Sources, drawn: dict[str, go.Figure]
) -> StudyPart:
    tables = {"cost": subsystem_table(study), "capacity": coupling_table(study), "goals": goals_table(study, sources)}
    classes = classes_by_kind(study, prefix, sources, drawn) if study.classes else []
    panels = [
        Panel(f"{prefix}_of_{group}", GROUPS[group], _places(found, drawn), tables.get(group))
        for group, found in pictures_by_group(study, prefix).items()
        if found or tables.get(group)
    ]
    return StudyPart(
        id=f"{prefix}_tab",
        prefix=prefix,
        title=study.name,
        heading=study.name if is_one_of_many else "Configurations",
        lede=headline(study) if is_one_of_many and not study.classes else "",
        warnings=warnings_list(study),
        notes=notes_list(study),
        facts=facts_table(study),
        configurations=configuration_table(study, prefix, sources),
        classes=classes,
        published=published_formula(study) if classes else None,
        panels=panels,
        runs=runs_table(study, sources),
    )


def overview(studies: Sequence[StudyMeasures], drawn: dict[str, go.Figure]) -> Overview:
    """Several studies side by side: a sentence each, and pictures where they have the same configurations."""
    listed = [Listed(f"study_{n}", s.name, headline(s)) for n, s in enumerate(studies, 1)]
    names = [c.name for c in studies[0].configurations]
    shown: list[go.Figure] = []
    if all([c.name for c in s.configurations] == names for s in studies):
        # Where no study has zIIP time both are the same.
        leading = {s.leads_with for s in studies}
        knows_cp = all(
            c.cost["cp_ms_per_request"] is not None
            for s in studies
            for c in s.configurations
            if c.cost["cpu_ms_per_request"] is not None
        )
        measure = "cp_ms_per_request" if "cp_ms_per_request" in leading and knows_cp else "cpu_ms_per_request"
        rows = [
            {
                "name": s.name,
                "run": c.name,
                "reference": c.reference.short,
                "cp_pct": -place,  # the order of the file, not of size
                measure: c.cost[measure],
                "transactions": c.cost["requests"],
            }
            for place, s in enumerate(studies) for c in s.configurations
        ]  # fmt: skip
        if any(r[measure] for r in rows):
            figure = figures.cost_per_transaction(
                rows, COLUMNS, figure_id="studies", what="studies", runs=names, measure=measure, view="configuration_cost",
            )  # fmt: skip
            shown.append(figure)
        if all(len(c.runs) == 1 for s in studies for c in s.configurations):
            of_cpu = [
                {**c.runs[0], "name": s.name, "run": c.name, "reference": c.reference.short, "other_pct": _unsplit(c.runs[0])}
                for s in studies for c in s.configurations
            ]  # fmt: skip
            if any(r["cpu_pct"] is not None for r in of_cpu):
                figure = figures.cpu_by_class(
                    of_cpu, COLUMNS, figure_id="studies_cpu", what="studies", runs=names, view="cost_per_request"
                )
                shown.append(figure)
    return Overview(listed, _places(shown, drawn))


def _unsplit(run: Row) -> float | None:
    """The CPU of a run that prints no split of it."""
    return run["cpu_pct"] if run["non_ziip_eligible_pct"] is None else None


_MOST_FINDINGS = 100


def _findings(studies: Sequence[StudyMeasures]) -> tuple[Table | None, int]:
    """What is beyond a limit: a row a rule, configuration and subject, with the worst of its values and how often; and how many rows
    are left out."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for study in studies:
        for row in study.findings:
            whose = f"{study.name}: {row['configuration'] or ''}"
            groups.setdefault((whose, row["rule"], row["subject"] or ""), []).append(row)
    if not groups:
        return None, 0
    rows = [_finding(whose, subject, rows) for (whose, _, subject), rows in list(groups.items())[:_MOST_FINDINGS]]
    heads = [
        *left_heads("Rule", "Of"),
        Head("Value"),
        Head("Limit"),
        Head("Found", "times"),
        *left_heads("Whose limit", "Printed at"),
    ]
    return Table("Findings", heads, [Body(rows)], style="words"), len(groups) - len(rows)


def _finding(whose: str, subject: str, rows: Sequence[Row]) -> TableRow:
    known = [r for r in rows if r["value"] is not None] or list(rows)
    worst = (min if known[0]["comparison"].startswith("<") else max)(known, key=lambda r: r["value"] or 0)
    unsure = [] if any(r["is_certain"] for r in rows) else ["within the printed digits"]
    cells = [
        Cell(worst["title"], [whose], scope="row"),
        left(subject),
        Cell(number(worst["value"]), unsure),
        Cell(f"{worst['comparison']} {number(worst['limit_value'])} {worst['unit'] or ''}"),
        Cell(f"{len(rows):,}"),
        left(worst["rule_source"] or ""),
    ]
    return TableRow(cells, worst["reference"])


def _method(studies: Sequence[StudyMeasures]) -> list[str]:
    picks = {s["rule"] for study in studies for s in study.steps}
    rules = {
        "last": "Of each window the last printed interval counts.",
        "all": "All printed intervals of a window count.",
        "list": "The intervals that the study lists count.",
        None: "Each window holds one printed interval.",
    }
    items = [
        *(rules[p] for p in sorted(picks, key=str)),
        "General-processor time is what is paid for, so it comes first: CP of APPL %, zIIP-eligible time that ran there included. CPU "
        "time adds zIIP time, as measured; where the normalisation factor of zIIP time is not 1, CPU time is compared as normalised, with "
        "the measured figure beside it.",
        "Time per request is the processor time of the charged classes over all selected intervals, over their requests: recomputed "
        "from sums, never a mean of percentages.",
        "Time that must run on a general processor is CP − IIPCP − AAPCP of APPL %. The published CP − (IIP + IIPCP) takes away zIIP "
        "time that CP never held, and is not used here.",
        "A 95% interval rests on the intervals or steps of a configuration as units: three at least, or 14 where each begins as the one "
        "before ends. Where several configurations are compared, a difference is told from noise by Holm's method over all of them.",
    ]  # fmt: skip
    factors = [
        f"Busy time of {r['configuration']} in {s.name} is multiplied by {r['busy_factor']:.4g}, as the study says."
        for s in studies for c in s.configurations for r in c.itr
        if r["busy_basis"] == "cp" and r["busy_factor"] not in (None, 1)
    ]  # fmt: skip
    return [*items, *dict.fromkeys(factors)]
