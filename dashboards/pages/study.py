"""The page of one or several studies: sentences, tables and charts against the baseline, with confidence intervals."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from ...pipeline.errors import IronlakeError
from ...pipeline.sql.ask import Queryable
from ...pipeline.sql.open_lake import OpenLake
from ...pipeline.sql.tables_inside import Tables
from ...pipeline.study.lake import CHECK_HINT, StudiedLake, check_studied
from ...pipeline.study.runs import ANYWHERE, ComparedSystems, Windows, name_of, studies_of_runs, windows_without_data
from ...pipeline.study.study_file import Study
from ...pipeline.words import counted
from ..charts.arrange_charts import charts_by_group, score_pictures
from ..charts.chart import Chart
from ..charts.comparison_page_charts import DRIVER, GROUPS
from ..columns import CLASS_KINDS_MANY
from ..document import Page, publish
from ..first_screen.finding import finding, leading_change
from ..first_screen.headline import headline_study, page_finding
from ..first_screen.screen import first_screen, kicker, summary_table, verdict_words
from ..first_screen.waterfall import waterfall
from ..first_screen.weaknesses import MOST_SHOWN, verdict_of, weaknesses
from ..headline_table import summary
from ..numbers import signed
from ..page_file import Output
from ..parts import sources_table
from ..references import Sources
from ..study_rows import Measured, StudyMeasures, measure_studies
from ..told_classes import ALL, ClassFilter, narrowed
from .class_tables import classes_by_kind
from .comparability import facts_of, goals_table, notes_list
from .findings_tables import findings_tables
from .source_tables import quality_tables
from .study_tables import cost_source_table, coupling_table, runs_table, subsystem_table


class Compared(NamedTuple):
    """The result of a comparison: the headline of its page, a table with one row per study and configuration, and the
    measured studies."""

    headline: str
    table: pa.Table
    studies: Sequence[StudyMeasures]


def compare_studies(
    lake: Queryable,
    studies: Sequence[str],
    out: Path | Output,
    step: Callable[[str], None] = lambda words: None,
    whole: Queryable | None = None,
) -> Compared:
    """Write the page of studies in a lake, or in the part of the `whole` lake near their windows. Raises IronlakeError
    if a file cannot be written."""
    sources = Sources(lake)
    if not studies:
        raise IronlakeError("no study to compare", "a study file with at least one study")
    step("comparing")
    measured = measure_studies(lake, studies, sources, whole)
    return _publish(measured, sources, out, step=step)


class _Tables(Tables, Queryable, Protocol):
    """A lake that a study can be added to in memory."""


def compare_given(
    lake: OpenLake,
    studies: Sequence[Study],
    out: Output,
    warn: Callable[[str], None],
    step: Callable[[str], None] = lambda words: None,
) -> Compared:
    """Write the page of studies that need not be in the lake; notes go to `warn`. Raises IronlakeError if a study does not fit the lake."""
    with StudiedLake(lake, studies) as studied:
        step("checking what the studies select")
        checked = check_studied(studied, studies)
        for note in (note for c in checked for note in c.notes):
            warn(note)
        errors = [error for c in checked for error in c.errors]
        if errors:
            raise IronlakeError("\n".join(errors), hint=CHECK_HINT)
        with studied.near_windows() as near:
            return compare_studies(near, [study.name for study in studies], out, step, studied)


def compare_runs(
    lake: _Tables,
    runs: Windows,
    out: Path | Output,
    step: Callable[[str], None] = lambda words: None,
    place: ComparedSystems = ANYWHERE,
    only: ClassFilter = ALL,
) -> Compared:
    """Write the page that compares runs (name → windows; the first is the baseline), of all classes or `only` some.
    Raises IronlakeError if a run has no data or a file cannot be written."""
    studies = studies_of_runs(lake, runs, place)
    with StudiedLake(lake, studies) as studied, studied.near_windows() as near:
        sources = Sources(near)
        step("comparing")
        measured = measure_studies(near, [s.name for s in studies], sources, studied)
        for study, of in zip(studies, measured.studies, strict=True):
            name_absent(of, study, runs)
        if only:
            measured.studies = narrowed(near, measured.studies, only)
        return _publish(measured, sources, out, name_of(runs), step)


def name_absent(measures: StudyMeasures, study: Study, runs: Windows) -> None:
    """Add the runs and windows without data to the study. Raises IronlakeError if no kind of class is in all of its
    runs."""
    if measures.class_kind is None:
        what = f"the runs have no kind of class in common: {_kinds(measures)}"
        raise IronlakeError(what, "service classes, or report classes, in every window")
    measures.absent = tuple(run for run in runs if run not in {c.name for c in study.configurations})
    without = windows_without_data(study, runs)
    measures.windows_without_data = {run: (windows, len(runs[run])) for run, windows in without.items()}


def _publish(
    measured: Measured,
    sources: Sources,
    out: Path | Output,
    name: str = "",
    step: Callable[[str], None] = lambda words: None,
) -> Compared:
    step("drawing the page")
    publish(render(measured, sources, name), out if isinstance(out, Output) else Output(out))
    return Compared(headlines(measured.studies), summary(measured.studies), measured.studies)


def headlines(studies: Sequence[StudyMeasures]) -> str:
    """The finding of each study, and how sure it is."""
    said = [(s.name, f"{finding(s)}. {verdict_words(verdict_of(s))}.") for s in studies]
    return " ".join(f"{name}: {words}" if len(said) > 1 else words for name, words in said)


def _kinds(study: StudyMeasures) -> str:
    """The kinds of class that each configuration prints, in words."""
    kinds = {
        c.name: [many for kind, many in CLASS_KINDS_MANY.items() if c.name in study.totals(kind)]
        for c in study.configurations
    }
    return ", ".join(f"{name} prints {' and '.join(mine) or 'no classes'}" for name, mine in kinds.items())


def render(measured: Measured, sources: Sources, name: str = "") -> Page:
    """The page, with data for study.html; `name` is the heading of several studies."""
    studies = measured.studies
    several = len(studies) > 1
    heading = page_finding(studies)
    first = first_screen(studies, heading)
    # The table and the weaknesses of the study that gives the headline are on the first screen already.
    heads = None if several and not first.of else studies[headline_study(studies)]
    parts = [_study_part(s, f"study_{n}", s is heads, sources) for n, s in enumerate(studies, 1)]
    scores = score_pictures(DRIVER, measured.scores)
    name = name or (f"{len(studies)} studies" if several else studies[0].name)
    return Page(
        title=f"Ironlake: {name}",
        heading=heading,
        headline=first.verdict,
        template="study.html",
        content={
            "first": first,
            "studies": [{"heading": part["title"] if several else "Configurations", **part} for part in parts],
            "driver_charts": scores,
            "findings": findings_tables(studies),
            "method": _method(studies),
            "quality": quality_tables(measured.suspect, measured.unread),
            "files": len(sources.used),
            "sources": sources_table(measured.references, sources),
        },
        pictures={chart.id: chart for chart in (*(c for part in parts for c in _charts(part)), *scores)},
        kicker=kicker(studies),
        lede=False,
    )


def _charts(part: Mapping[str, Any]) -> list[Chart]:
    charts: list[Chart] = [chart for kind in part["classes"] for chart in kind.charts]
    return charts + [chart for panel in part["panels"] for chart in panel["charts"]]


def _study_part(study: StudyMeasures, prefix: str, heads: bool, sources: Sources) -> dict[str, Any]:
    """The part of a page on one study: `prefix` begins every HTML id in it. Tabs have an id, a title and a note; tabs
    of questions also a key, so that they move together in all studies."""
    tables = {
        "cost": subsystem_table(study),
        "sources": cost_source_table(study),
        "capacity": coupling_table(study),
        "goals": goals_table(study, sources),
    }
    classes = classes_by_kind(study, prefix, sources) if study.classes else []
    missed = {(g["systems"], g["service_class"], g["period"]) for g in study.goals if g["missed"]}
    panels = [
        {
            "id": f"{prefix}_of_{group}",
            "key": group,
            "title": GROUPS[group],
            "note": f"{len(missed):,} missed"
            if group == "goals" and missed
            else counted(len(charts), "chart")
            if charts
            else "",
            "charts": charts,
            "table": tables.get(group),
            "sentences": sentences,
        }
        for group, (charts, sentences) in charts_by_group(study, prefix).items()
        if charts or tables.get(group) or sentences
    ]
    return {
        "id": f"{prefix}_tab",
        "key": "",
        "note": _change_of(study),
        "prefix": prefix,
        "title": study.name,
        "summary": None if heads else summary_table(study),
        "waterfall": None if heads else waterfall(study),
        "weaknesses": weaknesses(study)[MOST_SHOWN if heads else 0 :],
        "notes": notes_list(study),
        "facts": facts_of(study),
        "classes": classes,
        "panels": panels,
        "runs": runs_table(study, sources),
    }


def _change_of(study: StudyMeasures) -> str:
    """The text of a tab beside the name of the study: the change in its finding; the largest one of several
    configurations."""
    change = leading_change(study)
    return "" if change is None else f"{signed(change * 100, 1)}%"


def _method(studies: Sequence[StudyMeasures]) -> list[str]:
    picks = {s["rule"] for study in studies for s in study.steps}
    rules = {
        "last": "The last printed interval of each window is used.",
        "all": "All printed intervals of each window are used.",
        "list": "The intervals listed in the study are used.",
        None: "Each window holds one printed interval.",
    }
    items = [
        *(rules[p] for p in sorted(picks, key=str)),
        "General-processor time comes first because it is what is paid for: CP of APPL %, including zIIP-eligible time that ran on CP. "
        "CPU time adds zIIP time as measured. If the zIIP normalisation factor is not 1, normalised CPU time is compared, with the "
        "measured figure beside it.",
        "Time per request is the total processor time of the charged classes divided by the total requests of the selected intervals, "
        "never a mean of percentages.",
        "Time that must run on a general processor is CP − IIPCP − AAPCP of APPL %. The published CP − (IIP + IIPCP) subtracts zIIP "
        "time that CP never contained; it is not used here.",
        "The units of a 95% interval are the intervals or steps of a configuration: at least 3, or 14 if they are consecutive. With "
        "several configurations, Holm's method corrects for the number of comparisons.",
    ]  # fmt: skip
    factors = [
        f"The busy time of {r['configuration']} in {s.name} is multiplied by {r['busy_factor']:.4g}, as the study asks."
        for s in studies for c in s.configurations for r in c.itr
        if r["busy_basis"] == "cp" and r["busy_factor"] not in (None, 1)
    ]  # fmt: skip
    return [*items, *dict.fromkeys(factors)]
