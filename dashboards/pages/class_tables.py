"""Classes: cards, and the charts and table of each kind of class."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ...pipeline.words import counted
from ..charts import class_figures
from ..charts.chart import Chart
from ..columns import CLASS_KINDS, CLASS_KINDS_MANY, COLUMNS
from ..numbers import DASH, LEAST_BASE_PCT, four_digits
from ..parts import Body, Cell, Figure, Head, Table, change_cell, left_heads, place_title
from ..parts import Row as TableRow
from ..references import Sources
from ..study_rows import Row, StudyMeasures
from .study_tables import column_heads


@dataclass(frozen=True)
class ClassesOfKind:
    """All classes of a kind: `many` is its plural name, `words` says whether its classes add up."""

    id: str
    many: str
    words: str
    figures: Sequence[Figure]
    table: Table


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
    """Whether a change can be told in percent of the base: not of one printed digit of processor time."""
    time = (
        name
        if name in _TOTAL_COLUMNS
        else name.replace("_ms_per_transaction", "_pct")
        if name in _PER_TRANSACTION
        else ""
    )
    return not time or (base[time] or 0.0) >= LEAST_BASE_PCT


def classes_by_kind(
    study: StudyMeasures, prefix: str, sources: Sources, drawn: dict[str, Chart]
) -> list[ClassesOfKind]:
    """The kinds of class that the configurations print, the compared kind first. Charts go to `drawn`."""
    out = []
    for kind in sorted(CLASS_KINDS_MANY, key=lambda kind: kind != study.class_kind):
        if not study.classes_of(kind):
            continue
        words = (
            "Report classes are a second, incomplete view of the same work: never add them to service classes."
            if kind == "report_class"
            else "Each unit of work is in exactly one service class, so the classes add up."
        )
        rows = _rows_of(study, kind)
        names = [c.name for c in study.configurations]
        mine = _figures(rows, kind, names, prefix)
        drawn |= {chart.id: chart for chart in mine}
        shown = [Figure.of(f) for f in mine]
        same = class_figures.same_cost(rows, COLUMNS, what=CLASS_KINDS_MANY[kind], runs=names)
        words = f"{words} {same}".rstrip()
        out.append(
            ClassesOfKind(f"{prefix}_{kind}", CLASS_KINDS_MANY[kind], words, shown, _table(study, kind, sources))
        )
    return out


def _rows_of(study: StudyMeasures, kind: str) -> list[Row]:
    return [
        row | {"name": row["class_name"] or "(no name)", "run": row["configuration"], "transactions": row["transactions_ended"],
               "reference": row["reference"].short}
        for row in study.classes_of(kind)
    ]  # fmt: skip


def _figures(rows: Sequence[Row], kind: str, names: Sequence[str], prefix: str) -> list[Chart]:
    """The chart of processor time, unless it had one bar, which the table says as well; and that of costs, if they are compared."""
    many = CLASS_KINDS_MANY[kind]
    found = []
    busy = {(row["name"], row["run"]) for row in rows if row["cpu_pct"]}
    if len(busy) > 1:
        found.append(
            class_figures.cpu_by_class(
                rows, COLUMNS, figure_id=f"{prefix}_cpu_by_{kind}", what=many, runs=names, view="configuration_class"
            )
        )
    cost = class_figures.cost_per_transaction(
        rows, COLUMNS, figure_id=f"{prefix}_cost_by_{kind}", what=many, runs=names, view="configuration_class"
    )
    return [*found, cost] if cost else found


def _table(study: StudyMeasures, kind: str, sources: Sources) -> Table:
    """All classes of a kind below their sum, by general-processor time; classes without CPU last."""
    many = CLASS_KINDS_MANY[kind]
    groups: dict[str, dict[str, Row]] = {}
    for row in study.classes_of(kind):
        groups.setdefault(row["class_name"] or "(no name)", {})[row["configuration"]] = row
    ranked = sorted(groups, key=lambda n: (-max(r["cp_pct"] or -1.0 for r in groups[n].values()), n))
    whole = f"These {many}" if study.only else f"All {many}"
    totals = _rows(study, whole, ["sum of the rows below"], study.totals(kind), sources, _TOTAL_COLUMNS)
    bodies = [Body(totals, "total")]
    for name in ranked:
        mine = groups[name]
        notes = [r["workload"] for r in mine.values() if r["workload"]][:1]
        notes += ["conflicting prints"] if any(r["is_conflicting"] for r in mine.values()) else []
        bodies.append(Body(_rows(study, name, notes, mine, sources, _CLASS_COLUMNS)))
    heads = [*left_heads("Class", "Configuration"), *column_heads(_CLASS_COLUMNS), Head("Printed at", left=True)]
    caption = (
        f"{'Only' if study.only else 'All'} {counted(len(groups), CLASS_KINDS[kind], many)}, by general-processor time, which is what is paid for. In percent of one engine over the covered "
        f"time; changes in points, with percent below. Hover over a row to see where it was printed. {DASH} means no value: not printed, "
        "or nothing to divide by."
    )
    return Table(f"Table of {many}", heads, bodies, caption)


def _rows(
    study: StudyMeasures,
    name: str,
    notes: Sequence[str],
    mine: Mapping[str, Row],
    sources: Sources,
    columns: Collection[str],
) -> list[TableRow]:
    """A class, or the sum of all, in every configuration, with its change against the baseline. Cells of other columns than
    `columns` are empty."""
    base = mine.get(study.baseline.name)
    rows: list[TableRow] = []
    for configuration in study.configurations:
        owner = Cell(configuration.name, style="run")
        row = mine.get(configuration.name)
        if row is None:
            rows.append(TableRow([owner, Cell("not printed", style="l quiet", span=len(_CLASS_COLUMNS) + 1)]))
            continue
        cells = [_cell(row, column) if column in columns else Cell("") for column in _CLASS_COLUMNS]
        rows.append(TableRow([owner, *cells], row["reference"], place_title(row["reference"], sources)))
        if base is not None and row is not base:
            changes = [
                change_cell(_value(base, column), _value(row, column), write, is_relative=_has_digits(base, column))
                if column in columns
                else Cell("")
                for column, write in _CLASS_COLUMNS.items()
            ]
            rows.append(TableRow([Cell("change", style="run"), *changes, Cell("")], style="change"))
    head = Cell(name, notes, scope="rowgroup", span=len(rows))
    return [replace(rows[0], cells=[head, *rows[0].cells]), *rows[1:]]


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


def published_formula(study: StudyMeasures) -> Table | None:
    """CP − (IIP + IIPCP) by class; findings use another formula."""
    groups: dict[tuple[str, str], dict[str, float | None]] = {}
    for kind in CLASS_KINDS_MANY:
        for row in sorted(study.classes_of(kind), key=lambda r: -(r["cp_pct"] or -1.0)):
            groups.setdefault((kind, row["class_name"] or "(no name)"), {})[row["configuration"]] = row["non_ziip_pct"]
    names = [c.name for c in study.configurations]
    rows = [
        TableRow(
            [
                Cell(name, [kind.replace("_", " ")], scope="row"),
                *(Cell(DASH if (value := mine.get(n)) is None else _percent(value)) for n in names),
            ]
        )
        for (kind, name), mine in groups.items()
        if any(value is not None for value in mine.values())
    ]
    if not rows:
        return None
    caption = "CP − (IIP + IIPCP), percent of one engine. See the tables above for the printed lines."
    heads = [Head("Class", left=True), *map(Head, names)]
    return Table("Published formula by class", heads, [Body(rows)], caption)
