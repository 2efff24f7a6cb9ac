"""The comparison of runs class by class, as one HTML file: tables, pictures, and where every number was printed."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from . import figures, goal_figures
from .columns import CLASS_KINDS_MANY, COLUMNS, PARTS
from .compare import Comparison, Part
from .document import DASH, Page, change_cell, facts, picture
from .figures import four_digits, signed
from .measures import ClassMeasure, GoalMeasure
from .references import reference_cell, row_title, sources_section
from .windows import Run


def render(comparison: Comparison) -> Page:
    """The whole page."""
    drawn = _figures(comparison)
    names = " against ".join([r.name for r in comparison.runs[1:]] + [comparison.runs[0].name])
    sections = [_runs_section(comparison), _notes_section(comparison)]
    for kind, many in CLASS_KINDS_MANY.items():
        if comparison.of_kind(kind):
            sections.append(_class_section(comparison, kind, many, drawn))
    sections += [
        _goals_section(comparison, drawn),
        _published_section(comparison),
        sources_section((i.reference for i in (*comparison.classes, *comparison.goals)), comparison.sources),
    ]
    return Page(
        title=f"Ironlake: {names}",
        heading=names,
        headline=comparison.headline,
        cards=_cards(comparison),
        sections=sections,
        pictures=drawn,
    )


# --- Pictures ------------------------------------------------------------------------------------------------------


def _figures(comparison: Comparison) -> dict[str, go.Figure]:
    """Every picture of the page by its id, in the order of the page."""
    runs = [r.name for r in comparison.runs]
    drawn: list[go.Figure] = []
    for kind, many in CLASS_KINDS_MANY.items():
        classes = comparison.of_kind(kind)
        if not classes:
            continue
        rows = [
            {"name": comparison.label(c.name, c.sysplex), "run": c.run, "reference": c.reference.short} | c.values
            for c in classes
        ]
        if any(row["cpu_pct"] is not None for row in rows):
            drawn.append(figures.cpu_by_class(rows, COLUMNS, figure_id=f"cpu_by_{kind}", what=many, runs=runs))
        if any(row["cp_ms_per_transaction"] for row in rows):
            drawn.append(figures.cost_per_transaction(rows, COLUMNS, figure_id=f"cost_by_{kind}", what=many, runs=runs))
        if kind == comparison.kind and any(len(r.intervals[kind]) > 1 for r in comparison.runs):
            drawn.append(_over_time(comparison, many, runs))
    goal_rows = [
        {
            "label": comparison.label(g.label, g.sysplex),
            "goal": " or ".join(g.goals),
            "reference": g.reference.short,
            **{k: getattr(g, k) for k in ("run", "importance", "worst", "missed", "intervals")},
            "bound": g.worst_bound,
        }
        for g in comparison.goals
    ]
    if any(row["intervals"] for row in goal_rows):
        drawn.append(goal_figures.goals(goal_rows, COLUMNS, figure_id="goals", runs=runs))
    return {figure.layout.meta["id"]: figure for figure in drawn}


def _over_time(comparison: Comparison, many: str, runs: Sequence[str]) -> go.Figure:
    begin = {r.name: r.start for r in comparison.runs}
    rows = [
        {
            "minutes": (p.start - begin[p.run]).total_seconds() / 60,
            "minutes_end": (p.end - begin[p.run]).total_seconds() / 60,
            **{k: getattr(p, k) for k in ("run", "sysplex", "start", "end", "cp_pct", "reference")},
        }
        for p in comparison.over_time
    ]
    return figures.cpu_over_time(rows, COLUMNS, figure_id="cpu_over_time", what=many, runs=runs)


# --- Numbers as text -------------------------------------------------------------------------------------------------


def _percent(value: float) -> str:
    return f"{value:,.2f}".replace("-", "−")


def _milliseconds(value: float) -> str:
    return four_digits(value) if value >= 0.001 or value == 0 else f"{value:.2g}"


def _seconds(value: float) -> str:
    return four_digits(value)


def _count(value: float) -> str:
    return f"{value:,.0f}"


_CLASS_COLUMNS: tuple[tuple[str, Callable[[float], str]], ...] = (
    ("cp_pct", _percent),
    ("non_ziip_eligible_pct", _percent),
    ("ziip_on_cp_pct", _percent),
    ("ziip_pct", _percent),
    ("cpu_pct", _percent),
    ("transactions", _count),
    ("cp_ms_per_transaction", _milliseconds),
    ("cpu_ms_per_transaction", _milliseconds),
    ("response_s", _seconds),
)


def _cell(value: float | None, write: Callable[[float], str], why: str = "") -> str:
    small = f"<small>{escape(why)}</small>" if why else ""
    return f"<td>{DASH if value is None else write(value)}{small}</td>"


_PER_TRANSACTION = ("cp_ms_per_transaction", "cpu_ms_per_transaction")


def _class_cell(c: ClassMeasure, name: str, write: Callable[[float], str]) -> str:
    """A value of a class; of a cost per transaction that cannot be told the reason, and where the time or the transactions are."""
    value = c.values[name]
    if name not in _PER_TRANSACTION or value is not None or (not c.values["transactions"] and not c.transactions_of):
        return _cell(value, write)
    if c.time_is_in:
        return _cell(None, write, f"its time is in {', '.join(c.time_is_in)}")
    if c.transactions_of:
        of = c.values["cp_pct" if name == "cp_ms_per_transaction" else "cpu_pct"]
        each = None if of is None else of / 100 * c.covered_s / c.workload_transactions * 1000
        return _cell(
            None, write, "" if each is None else f"{write(each)} per transaction of {', '.join(c.transactions_of)}"
        )
    return _cell(
        None, write, "its time is in other classes" if not c.values["cpu_pct"] else "its endings do not count its work"
    )


# --- Sections ------------------------------------------------------------------------------------------------------


def _cards(comparison: Comparison) -> str:
    """The totals at a glance, what is paid for first. Of one run or two: the parts of the other one against the baseline. Of more: each
    run's time. Every sysplex on its own."""
    first, *others = comparison.runs
    cards = []
    for part in comparison.parts:
        base = comparison.totals[first.name, part.sysplex[first.name]] if first.name in part.sysplex else {}
        names = ("cp_pct",) if len(others) > 1 else ("cp_pct", "ziip_on_cp_pct", "ziip_pct", "cpu_pct")
        for run in comparison.runs if len(others) > 1 else [*others, first][:1]:
            if run.name in part.sysplex:
                mine = comparison.totals[run.name, part.sysplex[run.name]]
                cards += [
                    _card(comparison, " · ".join(filter(None, (part.label, run.name))), name, value, base.get(name), run is first)
                    for name in names if (value := mine[name]) is not None
                ]  # fmt: skip
    unit = '<p class="quiet">Percent of one engine: 100% keeps one engine busy for the whole window. A point is one percent of one engine.</p>'
    return f'<ul class="cards">{"".join(cards)}</ul>{unit}'


def _card(comparison: Comparison, whose: str, name: str, value: float, old: float | None, is_first: bool) -> str:
    first, change = comparison.runs[0], ""
    if is_first:
        change = "baseline" if len(comparison.runs) > 1 else ""
    elif old is not None:
        relative = f" ({signed((value / old - 1) * 100, 1)}%)" if old else ""
        change = f"{signed(value - old)} points{relative} against {escape(first.name)}, {_percent(old)}%"
    return (
        f'<li><a href="#{comparison.kind}" title="{escape(COLUMNS[name].doc)}"><span class="what">{COLUMNS[name].title}, '
        f'{escape(whose)}</span><span class="value">{_percent(value)}%</span><span class="change">{change}</span></a></li>'
    )


def _runs_section(comparison: Comparison) -> str:
    kind = comparison.kind

    def each(read: Callable[[Run], str]) -> list[str]:
        return [escape(read(r)) for r in comparison.runs]

    def distinct(read: Callable[[Any], Any]) -> list[str]:
        return each(
            lambda r: (
                ", ".join(sorted({str(read(i)) for i in r.intervals[kind] if read(i) is not None})) or "not printed"
            )
        )

    def covered(run: Run) -> str:
        parts = []
        for sysplex in run.sysplexes(kind):
            seconds = run.covered_s(kind, sysplex)
            of_plex = f"{sysplex}: " if len(run.sysplexes(kind)) > 1 else ""
            parts.append(f"{of_plex}{seconds:,.0f} of {run.asked_s:,.0f} s ({seconds / run.asked_s * 100:.1f}%)")
        return "; ".join(parts)

    rows = [
        ("Window", each(lambda r: f"{r.start:%A %Y-%m-%d %H:%M:%S} to {r.end:%Y-%m-%d %H:%M:%S}")),
        ("Printed intervals", each(lambda r: f"{len(r.intervals[kind]):,}")),
        ("Time covered", each(covered)),
        ("Sysplex", distinct(lambda i: i.sysplex)),
        ("Systems", distinct(lambda i: i.scope)),
        ("Release of the data", distinct(lambda i: i.release)),
        ("Release of the report", distinct(lambda i: i.report_version)),
        ("Service policy", distinct(lambda i: i.policy)),
        ("Policy activated", distinct(lambda i: i.policy_activated_at)),
    ]
    names = [
        f"{r.name} (baseline)" if n == 0 and len(comparison.runs) > 1 else r.name for n, r in enumerate(comparison.runs)
    ]
    return f'<section aria-labelledby="compared"><h2 id="compared">What is compared</h2>{facts(names, rows, "Runs, their windows and where they were printed")}</section>'


def _notes_section(comparison: Comparison) -> str:
    out = []
    titles = {"differs": "Not like for like", "incomplete": "Not whole"}
    for kind, title in titles.items():
        notes = [n for n in comparison.notes if n.kind == kind]
        if notes:
            items = "".join(f"<li>{escape(n.text)}</li>" for n in notes)
            out.append(f'<h3>{title}</h3><ul class="notes">{items}</ul>')
    items = "".join(f"<li>{escape(n.text)}</li>" for n in comparison.notes if n.kind == "method")
    out.append(f'<h3>How it is measured</h3><ul class="method">{items}</ul>')
    return f'<section aria-labelledby="notes"><h2 id="notes">Before you conclude</h2>{"".join(out)}</section>'


def _class_groups(comparison: Comparison, kind: str) -> list[tuple[str, dict[str, ClassMeasure]]]:
    """Classes by label with their measure in each run, the most general-processor time first, classes without CPU last."""
    groups: dict[str, dict[str, ClassMeasure]] = {}
    for c in comparison.of_kind(kind):
        groups.setdefault(comparison.label(c.name, c.sysplex), {})[c.run] = c

    def rank(label: str) -> tuple[float, str]:
        return -max((c.values["cp_pct"] or -1.0 for c in groups[label].values()), default=-1.0), label

    return [(label, groups[label]) for label in sorted(groups, key=rank)]


def _class_section(comparison: Comparison, kind: str, many: str, drawn: dict[str, go.Figure]) -> str:
    title = f"CPU by {many}"
    words = (
        f"Report classes are a second view of the same work, and an incomplete one: never add them to {CLASS_KINDS_MANY['service_class']}."
        if kind == "report_class"
        else "Each unit of work stands in one service class, so the classes add up."
    )
    pictures = [picture(drawn, f"cpu_by_{kind}"), picture(drawn, f"cost_by_{kind}")]
    if kind == comparison.kind:
        pictures.append(picture(drawn, "cpu_over_time"))
    return (
        f'<section aria-labelledby="{kind}"><h2 id="{kind}">{title}</h2><p class="quiet">{words}</p>'
        f"{''.join(pictures)}{_class_table(comparison, kind, many)}</section>"
    )


def _class_table(comparison: Comparison, kind: str, many: str) -> str:
    groups = _class_groups(comparison, kind)
    columns = _CLASS_COLUMNS
    heads = "".join(
        f'<th scope="col" title="{escape(COLUMNS[name].doc)}">{COLUMNS[name].title}<small>{COLUMNS[name].unit}</small></th>'
        for name, _ in columns
    )
    bodies = []
    if kind == comparison.kind:
        bodies += [_totals_body(comparison, part, many) for part in comparison.parts]
    base = comparison.runs[0].name
    for label, runs in groups:
        rows = []
        for run in comparison.runs:
            c = runs.get(run.name)
            if c is None:
                rows.append(
                    f'<td class="run">{escape(run.name)}</td><td class="l quiet" colspan="{len(columns) + 1}">not printed</td>'
                )
                continue
            cells = "".join(_class_cell(c, name, write) for name, write in columns)
            rows.append(f'<td class="run">{escape(run.name)}</td>{cells}{reference_cell(c.reference)}')
            if run.name != base and base in runs:
                changes = "".join(
                    change_cell(runs[base].values[name], c.values[name], write) for name, write in columns
                )
                rows.append(f'<td class="run">change</td>{changes}<td></td>')
        any_run = next(iter(runs.values()))
        workload = f"<small>{escape(any_run.workload)}</small>" if any_run.workload else ""
        flags = "<small>conflicting prints</small>" if any(c.is_conflicting for c in runs.values()) else ""
        head = f'<th scope="rowgroup" rowspan="{len(rows)}">{escape(label)}{workload}{flags}</th>'
        bodies.append(
            "<tbody>"
            + "".join(_tr(r, head if n == 0 else "", runs, comparison) for n, r in enumerate(rows))
            + "</tbody>"
        )
    caption = f"All {len(groups):,} {many}, the most general-processor time first, which is what is paid for. In percent of one engine over the covered time; changes are in points, with percent below. Hover over a row for its first printed place. – stands for no value: not printed, or nothing to divide by."
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="Table of {many}"><table><caption>{caption}</caption>'
        f'<thead><tr><th scope="col" class="l">Class</th><th scope="col" class="l">Run</th>{heads}'
        f'<th scope="col" class="l">Printed at</th></tr></thead>{"".join(bodies)}</table></div>'
    )


def _tr(cells: str, head: str, runs: dict[str, ClassMeasure], comparison: Comparison) -> str:
    if cells.startswith('<td class="run">change'):
        return f'<tr class="change">{head}{cells}</tr>'
    for name, c in runs.items():
        if cells.startswith(f'<td class="run">{escape(name)}</td>'):
            return f"<tr{row_title(c.reference, comparison.sources)}>{head}{cells}</tr>"
    return f"<tr>{head}{cells}</tr>"


def _totals_body(comparison: Comparison, part: Part, many: str) -> str:
    base = comparison.runs[0].name
    names = ("cp_pct", *PARTS[:3], "cpu_pct")
    empty = "<td></td>" * (len(_CLASS_COLUMNS) - len(names) + 1)
    sums = {name: comparison.totals[name, plex] for name, plex in part.sysplex.items()}
    rows = []
    for run in comparison.runs:
        total = sums.get(run.name)
        if total is None:
            rows.append(
                (
                    "",
                    f'<td class="run">{escape(run.name)}</td><td class="l quiet" colspan="{len(_CLASS_COLUMNS) + 1}">not printed</td>',
                )
            )
            continue
        rows.append(
            ("", f'<td class="run">{escape(run.name)}</td>{"".join(_cell(total[n], _percent) for n in names)}{empty}')
        )
        if run.name != base and base in sums:
            changes = "".join(change_cell(sums[base][n], total[n], _percent) for n in names)
            rows.append((' class="change"', f'<td class="run">change</td>{changes}{empty}'))
    of_plex = f" of {escape(part.label)}" if part.label else ""
    head = f'<th scope="rowgroup" rowspan="{len(rows)}">All {many}{of_plex}<small>sum of the rows below</small></th>'
    return (
        '<tbody class="total">'
        + "".join(f"<tr{c}>{head if n == 0 else ''}{r}</tr>" for n, (c, r) in enumerate(rows))
        + "</tbody>"
    )


def _goals_section(comparison: Comparison, drawn: dict[str, go.Figure]) -> str:
    if not comparison.goals:
        return ""
    groups: dict[str, dict[str, GoalMeasure]] = {}
    for g in comparison.goals:
        groups.setdefault(comparison.label(g.label, g.sysplex), {})[g.run] = g
    bodies = []
    for label, runs in groups.items():
        rows = []
        for run in comparison.runs:
            g = runs.get(run.name)
            if g is None:
                rows.append(
                    f'<tr>{{head}}<td class="run">{escape(run.name)}</td><td class="l quiet" colspan="7">not printed</td></tr>'
                )
                continue
            sign = {"upper": "≤ ", "lower": "≥ ", None: ""}[g.bound]
            index = DASH if g.index is None else f"{sign}{g.index:,.2f}"
            computed = DASH if g.index_computed is None else f"{g.index_computed:,.2f}"
            worst = (
                DASH
                if g.worst is None
                else f"{ {'upper': '≤ ', 'lower': '≥ ', None: ''}[g.worst_bound] }{g.worst:,.2f}"
            )
            missed = f"{g.missed:,} of {g.intervals:,}" if g.intervals else DASH
            rows.append(
                f'<tr{row_title(g.reference, comparison.sources)}>{{head}}<td class="run">{escape(run.name)}</td>'
                f'<td class="l">{escape(" or ".join(g.goals))}</td><td>{escape(g.actual) or DASH}</td><td>{missed}</td>'
                f"<td>{worst}</td><td>{index}</td><td>{computed}</td>{reference_cell(g.reference)}</tr>"
            )
        importance = next((g.importance for g in runs.values() if g.importance is not None), None)
        small = f"<small>importance {importance}</small>" if importance is not None else ""
        head = f'<th scope="rowgroup" rowspan="{len(rows)}">{escape(label)}{small}</th>'
        bodies.append(
            "<tbody>" + "".join(r.replace("{head}", head if n == 0 else "", 1) for n, r in enumerate(rows)) + "</tbody>"
        )
    heads = (
        '<th scope="col" class="l">Period</th><th scope="col" class="l">Run</th><th scope="col" class="l">Goal</th>'
        '<th scope="col">Actual<small>worst interval</small></th><th scope="col">Missed<small>intervals above 1</small></th>'
        '<th scope="col">Worst index<small>as printed</small></th><th scope="col">Index<small>as printed, median interval</small></th>'
        '<th scope="col">Index<small>recomputed, median</small></th><th scope="col" class="l">Printed at</th>'
    )
    words = (
        "The performance index is 1 where the goal is just met and above 1 where it is missed. Intervals are counted that have an index: "
        "a goal that is met in the median interval may still be missed in half of them."
    )
    return (
        f'<section aria-labelledby="goals-heading"><h2 id="goals-heading">Goals by importance</h2><p class="quiet">{words}</p>'
        f'{picture(drawn, "goals")}<div class="scroll" tabindex="0" role="region" aria-label="Table of goals"><table>'
        f"<caption>Goal against actual, most important first.</caption><thead><tr>{heads}</tr></thead>{''.join(bodies)}</table></div></section>"
    )


def _published_section(comparison: Comparison) -> str:
    """CP − (IIP + IIPCP) beside why it can be negative; folded away, because findings rest on the other figure."""
    names = [r.name for r in comparison.runs]
    bodies = []
    for kind in CLASS_KINDS_MANY:
        for label, runs in _class_groups(comparison, kind):
            if any(c.values["non_ziip_pct"] is not None for c in runs.values()):
                cells = "".join(_cell(runs[n].values["non_ziip_pct"] if n in runs else None, _percent) for n in names)
                bodies.append(
                    f'<tr><th scope="row">{escape(label)}<small>{kind.replace("_", " ")}</small></th>{cells}</tr>'
                )
    if not bodies:
        return ""
    heads = "".join(f'<th scope="col">{escape(n)}</th>' for n in names)
    why = (
        "This formula takes zIIP time away from CP. CP of APPL % never held zIIP time (it holds IIPCP and AAPCP, not IIP), so the "
        "result is too small wherever zIIPs run, and negative where they run more than general processors do. It is right only "
        "where IIP is 0. Findings on this page use CP − IIPCP − AAPCP."
    )
    return (
        '<section aria-labelledby="published"><h2 id="published">The published non-zIIP formula</h2><details class="block">'
        f"<summary>CP − (IIP + IIPCP) by class, and why it can be negative</summary><p>{why}</p>"
        f'<div class="scroll" tabindex="0" role="region" aria-label="Published formula by class"><table><caption>CP − (IIP + IIPCP), percent of one engine. '
        f"Printed places stand in the tables above.</caption>"
        f'<thead><tr><th scope="col" class="l">Class</th>{heads}</tr></thead><tbody>{"".join(bodies)}</tbody></table></div></details></section>'
    )
