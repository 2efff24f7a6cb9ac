"""Classes: the charts and table of each kind of class."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ...pipeline.words import counted
from ..charts.chart import Chart
from ..charts.comparison_page_charts import PICTURES
from ..charts.draw_declared import draw
from ..columns import CLASS_KINDS, CLASS_KINDS_MANY, COLUMNS
from ..numbers import DASH, LEAST_BASE_PCT, four_digits
from ..parts import Body, Cell, Head, Table, change_cell, left_heads, place_title
from ..parts import Row as TableRow
from ..references import Sources
from ..study_rows import Row, StudyMeasures

_CHARTS = [picture for picture in PICTURES if picture.group == "class"]


@dataclass(frozen=True)
class ClassesOfKind:
    """All classes of a kind: `many` is its plural name, `words` says whether its classes add up, or that they repeat
    those of the other kind (then there is no table). `is_second`: the other kind is the compared one."""

    id: str
    many: str
    words: str
    charts: Sequence[Chart]
    table: Table | None
    is_second: bool


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


def _has_digits(base: Row, name: str) -> bool:
    """Whether a change can be given in percent of the base: not where the base has one printed digit of processor
    time."""
    time = (
        name
        if name in _TOTAL_COLUMNS
        else name.replace("_ms_per_transaction", "_pct")
        if name in _PER_TRANSACTION
        else ""
    )
    return not time or (base[time] or 0.0) >= LEAST_BASE_PCT


def classes_by_kind(study: StudyMeasures, prefix: str, sources: Sources) -> list[ClassesOfKind]:
    """The kinds of class that the configurations print, the compared kind first."""
    out: list[ClassesOfKind] = []
    for kind in sorted(CLASS_KINDS_MANY, key=lambda kind: kind != study.class_kind):
        if not study.classes_of(kind):
            continue
        many = CLASS_KINDS_MANY[kind]
        words = (
            "Report classes are a second, incomplete view of the same work: never add them to service classes."
            if kind == "report_class"
            else "Each unit of work is in exactly one service class, so the classes add up."
        )
        if out and (repeated := _repeated(study, kind)):
            said = f"The {many} repeat the {out[0].many}, value by value: {repeated}."
            out.append(ClassesOfKind(f"{prefix}_{kind}", many, said, [], None, is_second=True))
            continue
        charts, sentences = _drawn(study, kind, prefix)
        words = " ".join([words, *sentences])
        table = _table(study, kind, sources)
        out.append(ClassesOfKind(f"{prefix}_{kind}", many, words, charts, table, is_second=bool(out)))
    return out


def _repeated(study: StudyMeasures, kind: str) -> str:
    """The class of the compared kind that each class of this kind repeats; empty if a class has other values than all
    of them."""

    def by_values(kind: str) -> dict[object, str]:
        names: dict[str, list[Row]] = {}
        for row in study.classes_of(kind):
            names.setdefault(row["class_name"] or "(no name)", []).append(row)
        columns = ("configuration", "cp_pct", "cpu_pct", "transactions_ended", "response_ms")
        return {frozenset(tuple(r[c] for c in columns) for r in rows): name for name, rows in names.items()}

    known, mine = by_values(study.class_kind or ""), by_values(kind)
    if not mine.keys() <= known.keys():
        return ""
    return ", ".join(f"{name} is {known[values]}" if name != known[values] else name for values, name in mine.items())


def _drawn(study: StudyMeasures, kind: str, prefix: str) -> tuple[list[Chart], list[str]]:
    """The charts of a kind, and the sentences in place of charts of one bar or of equal costs."""
    names, words = (
        [c.name for c in study.configurations],
        {"many": CLASS_KINDS_MANY[kind], "baseline": study.baseline.name},
    )
    charts, sentences = [], []
    for declared in _CHARTS:
        rows = [row for row in study.pictured[declared.name] if row["class_kind"] == kind]
        texts = {name: getattr(declared, name).format(**words) for name in ("question", "about", "against")}
        picture = replace(declared, name=f"{declared.name}_{kind}", **texts)
        if picture.tick and all(row["cp_pct"] == row["cpu_pct"] for row in rows):
            picture = replace(picture, tick=None, note=None)
        if drawn := draw(picture, rows, names, f"{prefix}_"):
            charts.append(drawn) if isinstance(drawn, Chart) else sentences.append(drawn)
    return charts, sentences


def _table(study: StudyMeasures, kind: str, sources: Sources) -> Table:
    """All classes of a kind below their sum, by general-processor time; classes without CPU last."""
    many = CLASS_KINDS_MANY[kind]
    groups: dict[str, dict[str, Row]] = {}
    for row in study.classes_of(kind):
        groups.setdefault(row["class_name"] or "(no name)", {})[row["configuration"]] = row
    ranked = sorted(groups, key=lambda n: (-max(r["cp_pct"] or -1.0 for r in groups[n].values()), n))
    whole = f"These {many}" if study.only else f"All {many}"
    shown = {
        name: write for name, write in _CLASS_COLUMNS.items() if any(_says(row, name) for row in study.classes_of(kind))
    }
    of_total = [name for name in _TOTAL_COLUMNS if name in shown]
    totals = _rows(study, whole, ["sum of the rows below"], study.totals(kind), sources, shown, of_total)
    bodies = [Body(totals, "total")] if of_total else []
    for name in ranked:
        mine = groups[name]
        notes = [r["workload"] for r in mine.values() if r["workload"]][:1]
        notes += ["conflicting prints"] if any(r["is_conflicting"] for r in mine.values()) else []
        bodies.append(Body(_rows(study, name, notes, mine, sources, shown, shown)))
    heads = [
        *left_heads("Class", "Configuration"),
        *(Head(COLUMNS[n].title, COLUMNS[n].unit, COLUMNS[n].doc) for n in shown),
        Head("Printed at", left=True),
    ]
    of_time = ", by general-processor time, which is what is paid for. In percent of one engine over the covered time; changes in points, with percent below"
    caption = (
        f"{'Only' if study.only else 'All'} {counted(len(groups), CLASS_KINDS[kind], many)}{of_time if of_total else ''}. {DASH} means no value: not "
        "printed, or nothing to divide by."
    )
    return Table(f"Table of {many}", heads, bodies, caption)


def _rows(
    study: StudyMeasures,
    name: str,
    notes: Sequence[str],
    mine: Mapping[str, Row],
    sources: Sources,
    shown: Mapping[str, Callable[[float], str]],
    columns: Collection[str],
) -> list[TableRow]:
    """A class, or the sum of all, in every configuration, with its change against the baseline. Cells of other `shown` columns than
    `columns` are empty."""
    base = mine.get(study.baseline.name)
    rows: list[TableRow] = []
    for configuration in study.configurations:
        owner = Cell(configuration.name, style="run")
        row = mine.get(configuration.name)
        if row is None:
            rows.append(TableRow([owner, Cell("not printed", style="l quiet", span=len(shown) + 1)]))
            continue
        cells = [_cell(row, column) if column in columns else Cell("") for column in shown]
        rows.append(TableRow([owner, *cells], row["reference"], place_title(row["reference"], sources)))
        if base is not None and row is not base:
            changes = [
                change_cell(_value(base, column), _value(row, column), write, is_relative=_has_digits(base, column))
                if column in columns
                else Cell("")
                for column, write in shown.items()
            ]
            rows.append(TableRow([Cell("change", style="run"), *changes, Cell("")], style="change"))
    head = Cell(name, notes, scope="rowgroup", span=len(rows))
    return [replace(rows[0], cells=[head, *rows[0].cells]), *rows[1:]]


def _says(row: Row, name: str) -> bool:
    """Whether a column has a value in a row, or says why there is none (the first of several equal columns does)."""
    return _value(row, name) is not None or (name == _PER_TRANSACTION[0] and bool(_cell(row, name).notes))


def _cell(row: Row, name: str) -> Cell:
    """A value of a class; for an unknown cost per transaction, the class that has the time or the transactions."""
    write, value = _CLASS_COLUMNS[name], _value(row, name)
    why = ""
    if name in _PER_TRANSACTION and value is None and (row["transactions_ended"] or row["transactions_of"]):
        shared = row[name.replace("_transaction", "_workload_transaction")]
        if row["time_is_in"]:
            why = f"its time is in {', '.join(row['time_is_in'])}"
        elif row["transactions_of"]:
            why = "" if shared is None else f"{write(shared)} per transaction of {', '.join(row['transactions_of'])}"
        else:
            why = "its transactions do not count its work" if row["cpu_pct"] else "its time is in other classes"
    return Cell(DASH if value is None else write(value), [why] if why else [])
