"""CPU and cost of service classes, compared: each chart is a function of rows and column metadata."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..columns import PARTS, Columns
from ..numbers import LEAST_BASE_PCT, change_pct, pair_writer, signed
from .chart import Chart, Lane, Value
from .chart import Row as ChartRow
from .drawing import PART_COLORS, Row, lower_first, run_color, series_color


def cpu_by_class(
    rows: Sequence[Row],
    columns: Columns,
    *,
    figure_id: str,
    what: str,
    runs: Sequence[str],
    most: int = 12,
    view: str = "cpu_by_class",
) -> Chart:
    """CPU of each class, one bar per run, split by zIIP eligibility.

    rows: one per class and run, with name, run, cpu_pct, cp_pct (general-processor time; None: all of it), its parts (None if not
    split) and reference. The `most` classes with the most general-processor time have their own bars; one bar sums the others.
    """
    by_class: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row["cpu_pct"] is not None:
            by_class.setdefault(row["name"], {})[row["run"]] = row
    # What has no time in any run is a word in the caption.
    idle = sorted(n for n in by_class if all(r["cpu_pct"] == 0 for r in by_class[n].values()))
    busy = [n for n in by_class if n not in idle] or idle
    idle = [n for n in idle if n not in busy]
    ranked = sorted(busy, key=lambda n: (-max(map(_paid, by_class[n].values())), n))
    shown = ranked if len(ranked) <= most + 1 else ranked[:most]
    others = ranked[len(shown) :]
    if others:
        label = f"{len(others):,} others"
        by_class[label] = {
            run: _sum_rows([by_class[n][run] for n in others if run in by_class[n]], run) for run in runs
        }
        shown = [*shown, label]

    info = columns["cpu_pct"]
    is_split = any(row.get(p) for row in rows for p in PARTS if p != "other_pct")
    present = [p for p in PARTS if any((by_class[n].get(r) or {}).get(p) for n in shown for r in runs)] or PARTS[:1]
    has_other = _has_other_time(rows)

    def lane(name: str, run: str) -> Lane:
        row = by_class[name][run]
        values = [
            Value(
                row[part],
                (name, run, row["reference"]),
                columns[part].axis,
                columns[part].title if is_split else info.title,
                PART_COLORS[part] if is_split else series_color(0),
                int(part == "ziip_on_cp_pct"),
            )
            for part in present
            if row[part] is not None
        ]
        if has_other:
            values.append(Value(_paid(row), series=columns["cp_pct"].title, kind="tick"))
        return Lane(values, f"{run} {_paid_of_all(row)}")

    return Chart(
        figure_id,
        _cpu_title(by_class, ranked, runs, what),
        f"CPU of the {what} with the most {_paid_words(rows)}, in percent of one engine, one bar per run"
        + (
            ", split into time that must run on a general processor, zIIP-eligible time that ran on one, and time on zIIPs."
            if is_split
            else ". The pages print no zIIP columns."
        )
        + (
            " The vertical mark and the first number are general-processor time, which is what is paid for."
            if has_other
            else ""
        )
        + (f" No CPU time: {', '.join(idle) if len(idle) <= _MOST_IDLE else f'{len(idle):,} {what}'}." if idle else ""),
        view,
        info.unit,
        ("class", "run"),
        info.axis,
        [ChartRow(name, [lane(name, run) for run in runs if run in by_class[name]]) for name in shown],
    )


# So many classes without time are named.
_MOST_IDLE = 8


def _sum_rows(rows: Sequence[Row], run: str) -> dict[str, Any]:
    """One row for several classes of a run; a part is None only if no class has it."""
    out: dict[str, Any] = {"run": run, "reference": f"{len(rows):,} classes, see the table"}
    for name in ("cpu_pct", *PARTS):
        values = [r[name] for r in rows if r[name] is not None]
        out[name] = sum(values) if values or name == "cpu_pct" else None
    return out | {"cp_pct": sum(map(_paid, rows))}


def _paid(row: Row) -> float:
    """The general-processor time of a row; all its CPU if not printed separately."""
    of_cp = row.get("cp_pct")
    return row["cpu_pct"] if of_cp is None else of_cp


def _has_other_time(rows: Iterable[Row]) -> bool:
    """Whether any CPU time is not general-processor time."""
    return any(r["cpu_pct"] is not None and abs(r["cpu_pct"] - _paid(r)) > 1e-9 for r in rows)


def _paid_words(rows: Iterable[Row]) -> str:
    return "general-processor time" if _has_other_time(rows) else "CPU"


def _paid_of_all(row: Row) -> str:
    all_of_it = f", all CPU {row['cpu_pct']:,.2f}" if _has_other_time([row]) else ""
    return f"{_paid(row):,.2f}{all_of_it}"


def _cpu_title(by_class: Mapping[str, Mapping[str, Row]], ranked: Sequence[str], runs: Sequence[str], what: str) -> str:
    """The largest change against the first run, in points and in percent, which may be of different classes."""
    rows = [row for name in ranked for row in by_class[name].values()]
    words = _paid_words(rows)
    words = words[0].upper() + words[1:]
    if len(runs) < 2 or not ranked:
        return f"Which {what} use the CPU?" if words == "CPU" else f"{words}: which {what} use it?"
    first = runs[0]
    changes = {
        (name, run): (_paid(by_class[name][run]) - _paid(by_class[name][first]), _paid(by_class[name][first]))
        for name in ranked
        for run in runs[1:]
        if first in by_class[name] and run in by_class[name]
    }
    if not changes:
        return f"Which {what} use the CPU? None is in two windows"
    name, run = max(changes, key=lambda key: abs(changes[key][0]))
    points, base = changes[name, run]
    if abs(points) < 0.005:
        return f"{words} of the {what} is the same in {' and '.join(runs)}"

    def relative(key: tuple[str, str]) -> float:
        return changes[key][0] / changes[key][1] * 100 if changes[key][1] else 0.0

    percent = change_pct(base, base + points, LEAST_BASE_PCT)
    change = f"{signed(points)} points of one engine" + (f" ({percent})" if percent else "")
    title = f"{words}: {name} changes most, {change} from {first} to {run}"
    # A change of almost nothing is a large percentage; ignore it.
    weighty = [key for key in changes if changes[key][1] >= max(0.05 * base, LEAST_BASE_PCT)]
    steepest = max(weighty, key=lambda key: abs(relative(key)), default=(name, run))
    if steepest[0] != name and abs(relative(steepest)) > abs(relative((name, run))) + 0.05:
        title += f"; in percent {steepest[0]}, {signed(relative(steepest), 1)}%"
    return title


def cost_per_transaction(
    rows: Sequence[Row], columns: Columns, *, figure_id: str, what: str, runs: Sequence[str], most: int = 15,
    measure: str = "cp_ms_per_transaction", view: str = "cpu_by_class",
) -> Chart | None:  # fmt: skip
    """Change of the cost per transaction of each class against the first run, on one scale whatever it costs; None if no class has a cost
    in two runs, or all cost the same (see `same_cost`).

    rows: one per class (or other subject) and run, with name, run, cp_pct, the measure (None: no transactions or no CPU),
    transactions, reference. Shown are the `most` classes with the most general-processor time.
    """
    by_class, changes = _cost_changes(rows, runs, measure)
    if not any(abs(change) > _SAME for mine in changes.values() for change in mine.values()):
        return None
    shown, others = list(changes)[:most], list(changes)[most:]
    info = columns[measure]
    alone = len(by_class) - len(changes)
    is_ratio = max(1 + change for name in shown for change in changes[name].values()) > _MOST_LINEAR

    def place_of(change: float) -> float:
        return 1 + change if is_ratio else change * 100

    def value(row: Row, turn: int) -> Value:
        name, run = row["name"], runs[turn]
        return Value(
            row[measure], (name, run, row["transactions"], row["reference"]), info.axis, run, run_color(turn), turn, "dot",
            place=place_of(changes[name].get(run, 0.0)),
        )  # fmt: skip

    def lane(name: str) -> Lane:
        values = [value(by_class[name][run], turn) for turn, run in enumerate(runs) if run in by_class[name]]
        return Lane(values, _cost_words(by_class[name], changes[name], runs, measure, info.unit), joined=True)

    return Chart(
        figure_id,
        _cost_title(info.title, changes, runs, what, len(others)),
        f"Change of {lower_first(info.title)} against {runs[0]}, one mark per run; beside it what it costs."
        + (
            f" Shown are the {len(shown):,} of {len(changes):,} {what} with the most general-processor time."
            if others
            else ""
        )
        + (f" Without a cost in {runs[0]} and another run: {alone:,}." if alone else ""),
        view,
        info.unit,
        ("class", "run", "transactions"),
        f"{info.title}, {runs[0]} = 1 (ratio, logarithmic)" if is_ratio else f"Change against {runs[0]} (%)",
        [ChartRow(name, [lane(name)]) for name in shown],
        is_log=is_ratio,
        origin=place_of(0.0),
    )


# A change as small counts as none.
_SAME = 0.01
# With a larger ratio to the first run the others would not be seen on a linear axis.
_MOST_LINEAR = 5.0


def _cost_changes(
    rows: Sequence[Row], runs: Sequence[str], measure: str
) -> tuple[dict[str, dict[str, Row]], dict[str, dict[str, float]]]:
    """The rows with a cost by class and run, and the changes against the first run of classes that have one of more than a printed digit, those
    with the most general-processor time first."""
    by_class: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row[measure]:
            by_class.setdefault(row["name"], {})[row["run"]] = row
    ranked = sorted(by_class, key=lambda n: (-max(r["cp_pct"] or 0 for r in by_class[n].values()), n))
    changes = {
        name: {run: by_class[name][run][measure] / base[measure] - 1 for run in runs[1:] if run in by_class[name]}
        for name in ranked
        if (base := by_class[name].get(runs[0])) and not 0 < (base["cp_pct"] or 0.0) < LEAST_BASE_PCT
    }
    return by_class, {name: mine for name, mine in changes.items() if mine}


def same_cost(
    rows: Sequence[Row], columns: Columns, *, what: str, runs: Sequence[str], measure: str = "cp_ms_per_transaction"
) -> str:
    """The sentence in place of a chart of costs that do not change; empty if one does, or nothing is compared."""
    _, changes = _cost_changes(rows, runs, measure)
    found = [abs(change) for mine in changes.values() for change in mine.values()]
    if not found or max(found) > _SAME:
        return ""
    least = f"{max(found) * 100:.1f}%"
    of = f"of {next(iter(changes))}" if len(changes) == 1 else f"of all {len(changes):,} {what} that print it"
    return f"{columns[measure].title} {of} is the same in {' and '.join(runs) if len(runs) < 4 else 'all runs'}, within {least}."


def _cost_words(
    mine: Mapping[str, Row], changes: Mapping[str, float], runs: Sequence[str], measure: str, unit: str
) -> str:
    """What a class costs in two runs and the change; of several runs the lowest and highest change."""
    if len(runs) > 2:
        return _change_words(changes, runs)
    costs = [mine[run][measure] for run in runs]
    write = pair_writer(*costs)
    return f"{_change_words(changes, runs)}, {' → '.join(map(write, costs))} {unit}"


def _change_words(changes: Mapping[str, float], runs: Sequence[str]) -> str:
    """The change of one other run; for several, the lowest and highest with their names."""
    if len(runs) <= 2:
        return f"{signed(next(iter(changes.values())) * 100, 1)}%"
    ends = dict.fromkeys((min(changes, key=changes.__getitem__), max(changes, key=changes.__getitem__)))
    return ", ".join(f"{run} {signed(changes[run] * 100, 1)}%" for run in ends)


# Up to so many other runs, the title gives each change.
_MOST_IN_TITLE = 3


def _cost_title(
    title: str, changes: Mapping[str, Mapping[str, float]], runs: Sequence[str], what: str, others: int
) -> str:
    rest = f"; {others:,} others are in the table" if others else ""
    if len(runs) < 2 or not changes:
        return f"{title}{rest}"
    against = f"against {runs[0]}"
    if len(changes) == 1:
        ((name, mine),) = changes.items()
        words = (
            ", ".join(f"{run} {signed(change * 100, 1)}%" for run, change in mine.items())
            if len(mine) <= _MOST_IN_TITLE
            else _change_words(mine, runs)
        )
        return f"{title} of {name} {against}: {words}{rest}"
    if len(runs) - 1 > _MOST_IN_TITLE:
        ends = [{pick(mine, key=mine.__getitem__) for mine in changes.values()} for pick in (min, max)]
        least, most = (next(iter(e)) if len(e) == 1 else "" for e in ends)
        words = (
            f"lowest in {least}, highest in {most}, in all {len(changes)} {what}"
            if least and most
            else f"{what} differ in which of {len(runs)} is lowest or highest"
        )
        return f"{title}, {len(runs) - 1} others {against}: {words}{rest}"
    return (
        f"{title} {against}: "
        + "; ".join(
            f"{f'{run} ' if len(runs) > 2 else ''}{_counted([mine[run] for mine in changes.values() if run in mine], what)}"
            for run in runs[1:]
        )
        + rest
    )


def _counted(changes: Sequence[float], what: str) -> str:
    dearer, cheaper = sum(c > 0.01 for c in changes), sum(c < -0.01 for c in changes)
    return f"{dearer} of {len(changes)} {what} cost more, {cheaper} less, {len(changes) - dearer - cheaper} the same within 1%"
