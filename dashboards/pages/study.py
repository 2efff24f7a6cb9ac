"""The page of one or several studies: findings in sentences, tables and pictures against the baseline, and how sure they are."""

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any, Protocol

import plotly.graph_objects as go

from ...pipeline.declaration.report import Table
from ...pipeline.errors import IronlakeError
from ...pipeline.sql.session import OpenLake
from ...pipeline.study.lake import StudiedLake, check_studied, read_files
from ...pipeline.study.runs import Windows, name_of, studies_of_runs
from ..charts import figures
from ..charts.by_question import pictures_by_group
from ..charts.figures import layout_of, signed
from ..charts.questions import DRIVER, GROUPS
from ..charts.scores import score_pictures
from ..columns import CLASS_KINDS_MANY, COLUMNS
from ..document import Output, Page, picture, publish, tabs
from ..measures import Configuration, Measured, Row, StudyMeasures, measure_studies
from ..queries import Lake
from ..references import Sources, reference_cell, sources_section
from ..sentences import headline
from .class_tables import class_cards, class_sections
from .comparability import facts_table, goals_table, notes_list, warnings_list
from .data_quality import quality_section
from .study_tables import configuration_table, coupling_table, number, runs_table, subsystem_table


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

    def dataset(self, table: Table, /) -> Any: ...


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


def render(measured: Measured, sources: Sources, name: str = "") -> tuple[Page, str]:
    """The page, and its headline; `name` is what several studies are called together."""
    studies = measured.studies
    drawn: dict[str, go.Figure] = {}
    several = len(studies) > 1
    is_of_classes = all(s.classes and s.class_kind for s in studies)
    sections = [_overview(studies, drawn)] if several and not is_of_classes else []
    of_study = [
        (f"study_{n}_tab", s.name, _study_section(s, f"study_{n}", several, sources, drawn))
        for n, s in enumerate(studies, 1)
    ]
    sections.append(tabs(of_study, "Studies"))
    sections += [_driver_section(measured.scores, drawn), _findings_section(studies), _method_section(studies)]
    sections += [
        quality_section(measured.suspect, measured.unread, sources),
        sources_section(measured.references, sources),
    ]
    said = " ".join(f"{s.name}: {headline(s)}" if len(studies) > 1 else headline(s) for s in studies)
    name = name or (studies[0].name if len(studies) == 1 else f"{len(studies)} studies")
    page = Page(
        title=f"Ironlake: {name}",
        heading=name,
        headline=said if len(studies) == 1 or is_of_classes else _counted(studies),
        cards=(_cards(studies[0]) if len(studies) == 1 else "") or (class_cards(studies) if is_of_classes else ""),
        sections=sections,
        pictures=drawn,
    )
    return page, said


def _counted(studies: Sequence[StudyMeasures]) -> str:
    warned = sum(bool(s.warnings) for s in studies)
    found = sum(len(s.findings) for s in studies)
    unlike = f" {warned} of them compare unlike with unlike." if warned else ""
    beyond = f" {found} {'value is' if found == 1 else 'values are'} beyond a limit." if found else ""
    return f"{len(studies)} studies, each against its own baseline.{unlike}{beyond}"


_MOST_CARDS = 8


def _cards(study: StudyMeasures) -> str:
    """Cost a request of each configuration at a glance: what is paid for, and all CPU below it."""
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
        cards.append(
            f'<li><a href="#study_1_table" title="{escape(COLUMNS[first].doc)}"><span class="what">{COLUMNS[first].title}, '
            f'{escape(configuration.name)}</span><span class="value">{number(configuration.cost[first])} ms</span><span class="change">{escape(said)}</span></a></li>'
        )
    more = len(known) - _MOST_CARDS
    rest = f'<p class="quiet">{more:,} more configurations are in the table.</p>' if more > 0 else ""
    return f'<ul class="cards">{"".join(cards)}</ul>{rest}' if cards else ""


def _change(study: StudyMeasures, configuration: Configuration, measure: str, against: str = "") -> str:
    """The change of a cost against the baseline in percent; nothing for the baseline itself and against none."""
    old, new = study.baseline.cost[measure], configuration.cost[measure]
    if configuration is study.baseline or not old or new is None:
        return ""
    return f"{signed((new / old - 1) * 100, 1)}%{against}"


# --- One study -------------------------------------------------------------------------------------------------------


def _study_section(
    study: StudyMeasures, prefix: str, is_one_of_many: bool, sources: Sources, drawn: dict[str, go.Figure]
) -> str:
    title = study.name if is_one_of_many else "Configurations"
    lede = f"<p>{escape(headline(study))}</p>" if is_one_of_many and not study.classes else ""
    tables = {"cost": subsystem_table(study), "capacity": coupling_table(study), "goals": goals_table(study, sources)}
    classes = class_sections(study, prefix, sources, drawn) if study.classes else ""
    panels = []
    for group, figures_of_group in pictures_by_group(study, prefix).items():
        mine = {layout_of(f).meta["id"]: f for f in figures_of_group}
        drawn |= mine
        held = "".join(picture(mine, i, "h4") for i in mine) + tables.get(group, "")
        panels += [(f"{prefix}_of_{group}", GROUPS[group], held)] if held else []
    return (
        f'<section aria-labelledby="{prefix}"><h2 id="{prefix}">{escape(title)}</h2>{lede}{warnings_list(study)}'
        f"{notes_list(study)}{facts_table(study)}{configuration_table(study, prefix, sources)}{classes}{tabs(panels, f'Pictures of {study.name} by question', 'h3')}"
        f"{runs_table(study, sources)}</section>"
    )


def _driver_section(scores: Sequence[Row], drawn: dict[str, go.Figure]) -> str:
    """What the lake holds of drivers that know no time."""
    mine = {layout_of(f).meta["id"]: f for f in score_pictures(DRIVER, scores)}
    if not mine:
        return ""
    drawn |= mine
    return (
        '<section aria-labelledby="driver"><h2 id="driver">Driver results</h2><p class="quiet">JMH knows no time of day, and no step of a study names '
        f"these results: they are all that the lake holds.</p>{''.join(picture(mine, i) for i in mine)}</section>"
    )


# --- All studies -------------------------------------------------------------------------------------------------------


def _overview(studies: Sequence[StudyMeasures], drawn: dict[str, go.Figure]) -> str:
    """Several studies side by side: a sentence each, and one picture where they have the same configurations."""
    items = "".join(
        f'<li><a href="#study_{n}">{escape(s.name)}</a>: {escape(headline(s))}</li>' for n, s in enumerate(studies, 1)
    )
    names = [c.name for c in studies[0].configurations]
    shown = ""
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
            drawn["studies"] = figure
            shown = picture(drawn, "studies")
        if all(len(c.runs) == 1 for s in studies for c in s.configurations):
            of_cpu = [
                {**c.runs[0], "name": s.name, "run": c.name, "reference": c.reference.short, "other_pct": _unsplit(c.runs[0])}
                for s in studies for c in s.configurations
            ]  # fmt: skip
            if any(r["cpu_pct"] is not None for r in of_cpu):
                drawn["studies_cpu"] = figures.cpu_by_class(
                    of_cpu, COLUMNS, figure_id="studies_cpu", what="studies", runs=names, view="cost_per_request"
                )
                shown += picture(drawn, "studies_cpu")
    return f'<section aria-labelledby="overview"><h2 id="overview">Studies</h2><ul class="method">{items}</ul>{shown}</section>'


def _unsplit(run: Row) -> float | None:
    """The CPU of a run that prints no split of it."""
    return run["cpu_pct"] if run["non_ziip_eligible_pct"] is None else None


_MOST_FINDINGS = 100


def _findings_section(studies: Sequence[StudyMeasures]) -> str:
    """What is beyond a limit: a row a rule, configuration and subject, with the worst of its values and how often."""
    groups: dict[tuple[str, str, str, str], list[Row]] = {}
    for study in studies:
        for row in study.findings:
            key = (study.name, row["configuration"] or "", row["rule"], row["subject"] or "")
            groups.setdefault(key, []).append(row)
    if not groups:
        return (
            '<section aria-labelledby="findings"><h2 id="findings">Findings</h2><p class="quiet">No value that these studies select is '
            "beyond a limit of the rules (view finding_rule).</p></section>"
        )
    body = "".join(_finding(key, rows) for key, rows in list(groups.items())[:_MOST_FINDINGS])
    more = len(groups) - _MOST_FINDINGS
    hidden = f" {more:,} more are in the view finding." if more > 0 else ""
    return (
        '<section aria-labelledby="findings"><h2 id="findings">Findings</h2><p class="quiet">Values that are beyond a limit, the worst of '
        f"several. A study file may set other limits.{hidden}</p>"
        '<div class="scroll" tabindex="0" role="region" aria-label="Findings"><table class="words"><thead><tr>'
        '<th scope="col" class="l">Rule</th><th scope="col" class="l">Of</th><th scope="col">Value</th><th scope="col">Limit</th>'
        '<th scope="col">Found<small>times</small></th><th scope="col" class="l">Whose limit</th><th scope="col" class="l">Printed at</th>'
        f"</tr></thead><tbody>{body}</tbody></table></div></section>"
    )


def _finding(key: tuple[str, str, str, str], rows: Sequence[Row]) -> str:
    study, configuration, _, subject = key
    known = [r for r in rows if r["value"] is not None] or list(rows)
    worst = (min if known[0]["comparison"].startswith("<") else max)(known, key=lambda r: r["value"] or 0)
    unsure = "" if any(r["is_certain"] for r in rows) else "<small>within the printed digits</small>"
    return (
        f'<tr><th scope="row">{escape(worst["title"])}<small>{escape(study)}: {escape(configuration)}</small></th>'
        f'<td class="l">{escape(subject)}</td><td>{number(worst["value"])}{unsure}</td>'
        f"<td>{escape(worst['comparison'])} {number(worst['limit_value'])} {escape(worst['unit'] or '')}</td><td>{len(rows):,}</td>"
        f'<td class="l">{escape(worst["rule_source"] or "")}</td>{reference_cell(worst["reference"])}</tr>'
    )


def _method_section(studies: Sequence[StudyMeasures]) -> str:
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
    listed = "".join(f"<li>{escape(i)}</li>" for i in (*items, *dict.fromkeys(factors)))
    return f'<section aria-labelledby="method"><h2 id="method">How it is measured</h2><ul class="method">{listed}</ul></section>'
