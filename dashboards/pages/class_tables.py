"""Classes in HTML: cards, and of each kind the pictures and the table of every class in every configuration."""

from collections.abc import Callable, Mapping, Sequence
from html import escape

import plotly.graph_objects as go

from ..charts import figures
from ..charts.figures import four_digits, layout_of, signed
from ..columns import CLASS_KINDS_MANY, COLUMNS
from ..document import DASH, change_cell, picture
from ..measures import Row, StudyMeasures
from ..references import Sources, reference_cell, row_title


def _percent(value: float) -> str:
    return f"{value:,.2f}".replace("-", "−")


def _milliseconds(value: float) -> str:
    return four_digits(value) if value >= 0.001 or value == 0 else f"{value:.2g}"


def _count(value: float) -> str:
    return f"{value:,.0f}"


_TOTAL_COLUMNS = ("cp_pct", "non_ziip_eligible_pct", "ziip_on_cp_pct", "ziip_pct", "cpu_pct")
_PER_TRANSACTION = ("cp_ms_per_transaction", "cpu_ms_per_transaction")
_CLASS_COLUMNS: Mapping[str, Callable[[float], str]] = {
    **dict.fromkeys(_TOTAL_COLUMNS, _percent),
    "transactions_ended": _count,
    **dict.fromkeys(_PER_TRANSACTION, _milliseconds),
    "class_response_ms": four_digits,
}


def _value(row: Row, name: str) -> float | None:
    return row[name.removeprefix("class_")]


def class_cards(studies: Sequence[StudyMeasures]) -> str:
    """The totals at a glance, what is paid for first. Of one configuration or two: the parts of the other one against the baseline. Of
    more: each one's time. Every study on its own."""
    cards = []
    for number, study in enumerate(studies, 1):
        totals, (first, *others) = study.totals(), study.configurations
        base = totals.get(first.name, {})
        names = ("cp_pct",) if len(others) > 1 else ("cp_pct", "ziip_on_cp_pct", "ziip_pct", "cpu_pct")
        for configuration in study.configurations if len(others) > 1 else [*others, first][:1]:
            mine = totals.get(configuration.name, {})
            whose = " · ".join(filter(None, (study.name if len(studies) > 1 else "", configuration.name)))
            cards += [
                _card(f"#study_{number}", whose, name, mine[name], None if configuration is first else base.get(name), first.name)
                for name in names if mine.get(name) is not None
            ]  # fmt: skip
    unit = '<p class="quiet">Percent of one engine: 100% keeps one engine busy for the whole window. A point is one percent of one engine.</p>'
    return f'<ul class="cards">{"".join(cards)}</ul>{unit}' if cards else ""


def _card(link: str, whose: str, name: str, value: float, old: float | None, baseline: str) -> str:
    change = ""
    if old is not None:
        relative = f" ({signed((value / old - 1) * 100, 1)}%)" if old else ""
        change = f"{signed(value - old)} points{relative} against {escape(baseline)}, {_percent(old)}%"
    return (
        f'<li><a href="{link}" title="{escape(COLUMNS[name].doc)}"><span class="what">{COLUMNS[name].title}, {escape(whose)}</span>'
        f'<span class="value">{_percent(value)}%</span><span class="change">{change}</span></a></li>'
    )


def class_sections(study: StudyMeasures, prefix: str, sources: Sources, drawn: dict[str, go.Figure]) -> str:
    """Every kind of class that the configurations print, that which they are compared by first."""
    kinds = sorted(CLASS_KINDS_MANY, key=lambda kind: kind != study.class_kind)
    return "".join(
        _of_kind(study, kind, prefix, sources, drawn) for kind in kinds if study.classes_of(kind)
    ) + _published(study)


def _of_kind(study: StudyMeasures, kind: str, prefix: str, sources: Sources, drawn: dict[str, go.Figure]) -> str:
    many = CLASS_KINDS_MANY[kind]
    words = (
        f"Report classes are a second view of the same work, and an incomplete one: never add them to {CLASS_KINDS_MANY['service_class']}."
        if kind == "report_class"
        else "Each unit of work stands in one service class, so the classes add up."
    )
    mine = {layout_of(f).meta["id"]: f for f in _figures(study, kind, prefix)}
    drawn |= mine
    shown = "".join(picture(mine, figure_id, "h4") for figure_id in mine)
    return (
        f'<h3 id="{prefix}_{kind}">CPU by {many}</h3><p class="quiet">{words}</p>{shown}{_table(study, kind, sources)}'
    )


def _figures(study: StudyMeasures, kind: str, prefix: str) -> list[go.Figure]:
    many, names = CLASS_KINDS_MANY[kind], [c.name for c in study.configurations]
    rows = [
        row | {"name": row["class_name"] or "(no name)", "run": row["configuration"], "transactions": row["transactions_ended"],
               "reference": row["reference"].short}
        for row in study.classes_of(kind)
    ]  # fmt: skip
    found = []
    if any(row["cpu_pct"] is not None for row in rows):
        found.append(
            figures.cpu_by_class(
                rows, COLUMNS, figure_id=f"{prefix}_cpu_by_{kind}", what=many, runs=names, view="configuration_class"
            )
        )
    if any(row["cp_ms_per_transaction"] for row in rows):
        found.append(
            figures.cost_per_transaction(
                rows, COLUMNS, figure_id=f"{prefix}_cost_by_{kind}", what=many, runs=names, view="configuration_class"
            )
        )
    return found


def _table(study: StudyMeasures, kind: str, sources: Sources) -> str:
    """All classes of a kind, the most general-processor time first, classes without CPU last; their sum above them."""
    many = CLASS_KINDS_MANY[kind]
    groups: dict[str, dict[str, Row]] = {}
    for row in study.classes_of(kind):
        groups.setdefault(row["class_name"] or "(no name)", {})[row["configuration"]] = row
    ranked = sorted(groups, key=lambda n: (-max(r["cp_pct"] or -1.0 for r in groups[n].values()), n))
    bodies = [_body(study, "", f"All {many}<small>sum of the rows below</small>", study.totals(kind), sources)]
    for name in ranked:
        mine = groups[name]
        workload = next((f"<small>{escape(r['workload'])}</small>" for r in mine.values() if r["workload"]), "")
        flags = "<small>conflicting prints</small>" if any(r["is_conflicting"] for r in mine.values()) else ""
        bodies.append(_body(study, name, f"{escape(name)}{workload}{flags}", mine, sources))
    heads = "".join(
        f'<th scope="col" title="{escape(COLUMNS[name].doc)}">{COLUMNS[name].title}<small>{COLUMNS[name].unit}</small></th>'
        for name in _CLASS_COLUMNS
    )
    caption = (
        f"All {len(groups):,} {many}, the most general-processor time first, which is what is paid for. In percent of one engine over the "
        f"covered time; changes are in points, with percent below. Hover over a row for its first printed place. {DASH} stands for no "
        "value: not printed, or nothing to divide by."
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="Table of {many}"><table><caption>{caption}</caption>'
        f'<thead><tr><th scope="col" class="l">Class</th><th scope="col" class="l">Configuration</th>{heads}'
        f'<th scope="col" class="l">Printed at</th></tr></thead>{"".join(bodies)}</table></div>'
    )


def _body(study: StudyMeasures, name: str, head: str, mine: Mapping[str, Row], sources: Sources) -> str:
    """A class in every configuration, each with its change against the baseline; without a name the sum of all."""
    base = mine.get(study.baseline.name)
    rows = []
    for configuration in study.configurations:
        whose = f'<td class="run">{escape(configuration.name)}</td>'
        row = mine.get(configuration.name)
        if row is None:
            rows.append(("", f'{whose}<td class="l quiet" colspan="{len(_CLASS_COLUMNS) + 1}">not printed</td>'))
            continue
        cells = "".join(_cell(row, column) for column in _CLASS_COLUMNS)
        rows.append((row_title(row["reference"], sources), f"{whose}{cells}{reference_cell(row['reference'])}"))
        if base is not None and row is not base:
            changes = "".join(
                change_cell(_value(base, column), _value(row, column), write) if name or column in _TOTAL_COLUMNS else "<td></td>"
                for column, write in _CLASS_COLUMNS.items()
            )  # fmt: skip
            rows.append((' class="change"', f'<td class="run">change</td>{changes}<td></td>'))
    head = f'<th scope="rowgroup" rowspan="{len(rows)}">{head}</th>'
    inner = "".join(f"<tr{what}>{head if n == 0 else ''}{cells}</tr>" for n, (what, cells) in enumerate(rows))
    kind = "" if name else ' class="total"'
    return f"<tbody{kind}>{inner}</tbody>"


def _cell(row: Row, name: str) -> str:
    """A value of a class; of a cost per transaction that cannot be told the reason, and where the time or the transactions are."""
    write, value = _CLASS_COLUMNS[name], _value(row, name)
    if row["is_total"] and name not in _TOTAL_COLUMNS:
        return "<td></td>"
    why = ""
    if name in _PER_TRANSACTION and value is None and (row["transactions_ended"] or row["transactions_of"]):
        each = row[name.replace("_transaction", "_workload_transaction")]
        if row["time_is_in"]:
            why = f"its time is in {', '.join(row['time_is_in'])}"
        elif row["transactions_of"]:
            why = "" if each is None else f"{write(each)} per transaction of {', '.join(row['transactions_of'])}"
        else:
            why = "its endings do not count its work" if row["cpu_pct"] else "its time is in other classes"
    small = f"<small>{escape(why)}</small>" if why else ""
    return f"<td>{DASH if value is None else write(value)}{small}</td>"


def _published(study: StudyMeasures) -> str:
    """CP − (IIP + IIPCP) beside why it can be negative; folded away, because findings rest on the other figure."""
    groups: dict[tuple[str, str], dict[str, float | None]] = {}
    for kind in CLASS_KINDS_MANY:
        for row in sorted(study.classes_of(kind), key=lambda r: -(r["cp_pct"] or -1.0)):
            groups.setdefault((kind, row["class_name"] or "(no name)"), {})[row["configuration"]] = row["non_ziip_pct"]
    names = [c.name for c in study.configurations]
    body = "".join(
        f'<tr><th scope="row">{escape(name)}<small>{kind.replace("_", " ")}</small></th>'
        + "".join(f"<td>{DASH if (value := mine.get(n)) is None else _percent(value)}</td>" for n in names)
        + "</tr>"
        for (kind, name), mine in groups.items()
        if any(value is not None for value in mine.values())
    )
    if not body:
        return ""
    heads = "".join(f'<th scope="col">{escape(n)}</th>' for n in names)
    why = (
        "This formula takes zIIP time away from CP. CP of APPL % never held zIIP time (it holds IIPCP and AAPCP, not IIP), so the "
        "result is too small wherever zIIPs run, and negative where they run more than general processors do. It is right only "
        "where IIP is 0. Findings on this page use CP − IIPCP − AAPCP."
    )
    return (
        '<h3>The published non-zIIP formula</h3><details class="block">'
        f"<summary>CP − (IIP + IIPCP) by class, and why it can be negative</summary><p>{why}</p>"
        '<div class="scroll" tabindex="0" role="region" aria-label="Published formula by class"><table><caption>CP − (IIP + IIPCP), percent '
        f'of one engine. Printed places stand in the tables above.</caption><thead><tr><th scope="col" class="l">Class</th>{heads}</tr>'
        f"</thead><tbody>{body}</tbody></table></div></details>"
    )
