"""Where a change comes from: the classes or subsystems one below the other, each beginning where the one before ended;
for several configurations the change of each against the baseline."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..numbers import column_decimals, pair_writer, signed
from ..study_rows import ConfigurationMeasures, Row, StudyMeasures
from .finding import MOST_OF_IT, class_pairs, quoted

_MOST_SHOWN = 8
# Changes below this part of the largest are added up.
_SMALL = 0.02


@dataclass(frozen=True)
class Piece:
    """A coloured part of a bar, as percent of the width. `style` is a class of page.css."""

    left: float
    width: float
    style: str


@dataclass(frozen=True)
class Bar:
    name: str
    pieces: Sequence[Piece]
    change: str
    note: str
    is_total: bool = False


@dataclass(frozen=True)
class Waterfall:
    """`zero` is the place of 0 as percent of the width. `adds_up`: each bar begins where the one above ended, else all
    begin at 0. `words` name the bars, `head` their column."""

    title: str
    unit: str
    zero: float
    bars: Sequence[Bar]
    has_overflow: bool
    adds_up: bool
    words: str = ""
    head: str = "Change"


@dataclass(frozen=True)
class _Change:
    """A change of general-processor time: of zIIP-eligible work, and of all work."""

    name: str
    overflow: float
    whole: float
    note: str = ""


def waterfall(study: StudyMeasures) -> Waterfall | None:
    """The waterfall of two configurations by class or subsystem, or of more by configuration, each against the
    baseline, in the order of the table; None where a part is unknown, or nothing changed."""
    count = len(study.configurations)
    if count < 2 or count > _MOST_CONFIGURATIONS:
        return None
    if count == 2 and not study.cost_is_known and (coupled := _coupled(study)):
        return coupled
    if study.compares_classes:
        unit, subject, part = "points of one engine", "general-processor time", "class"
    else:
        unit, subject, part = "ms per request", "general-processor time per request", "subsystem"
    if count > 2:
        found = _of_configurations(study)
        title = f"Change of {subject}, each configuration against {quoted(study.baseline.name)}"
        return _drawn(title, unit, found, adds_up=False) if found else None
    found = _of_parts(study, *study.configurations)
    return _drawn(f"Change of {subject} by {part}", unit, found) if found and len(found) > 1 else None


# Nobody reads more bars one by one.
_MOST_CONFIGURATIONS = 12


def _coupled(study: StudyMeasures) -> Waterfall | None:
    """Busy time per request before and after coupling, with the increase."""
    row = next(
        (r for r in study.coupling if r["busy_basis"] == "cp" and r["coupling_efficiency_pct"] is not None), None
    )
    if row is None:
        return None
    old, new = (row[f"busy_ms_per_request_{side}"] for side in ("uncoupled", "coupled"))
    if not old or not new:
        return None
    write, most, both = pair_writer(old, new), max(old, new) / 100, min(old, new)
    more = [Piece(round(old / most, 2), round((new - old) / most, 2), "more")] if new > old else []
    bars = [
        Bar(row["uncoupled"], [Piece(0, round(old / most, 2), "own")], write(old), "uncoupled"),
        Bar(row["coupled"], [Piece(0, round(both / most, 2), "own"), *more], write(new), f"coupled, {signed(row['cpu_increase_pct'], 1)}%: efficiency {row['coupling_efficiency_pct']:,.1f}%"),
    ]  # fmt: skip
    words = (
        "Busy time of general processors divided by requests; the lighter part is what coupling adds" if more else ""
    )
    return Waterfall(
        "What coupling costs per request", "ms per request", 0, bars, False, False, words, "Busy processor time"
    )


def _of_parts(study: StudyMeasures, base: ConfigurationMeasures, other: ConfigurationMeasures) -> list[_Change] | None:
    return (_of_classes if study.compares_classes else _of_subsystems)(study, base, other)


def _of_configurations(study: StudyMeasures) -> list[_Change] | None:
    """The change of each configuration against the baseline, the least time first, with the class or subsystem that has
    most of it; None if one is unknown."""
    names = (
        ("ziip_on_cp_pct", "cp_pct") if study.compares_classes else ("ziip_on_cp_ms_per_request", "cp_ms_per_request")
    )
    totals = study.totals() if study.compares_classes else {}
    rows = {c.name: totals.get(c.name, {}) if study.compares_classes else c.cost for c in study.configurations}
    if any(row.get(names[1]) is None for row in rows.values()):
        return None
    base, others = rows[study.baseline.name], sorted(study.configurations[1:], key=lambda c: rows[c.name][names[1]])
    changes = [[_value(rows[c.name], n) - _value(base, n) for n in names] for c in others]
    largest = [
        _largest(_of_parts(study, study.baseline, c) or [], whole)
        for c, (_, whole) in zip(others, changes, strict=True)
    ]
    decimals = column_decimals([part.whole for part in largest if part])
    notes = [f"mostly {part.name}, {signed(part.whole, decimals)}" if part else "" for part in largest]
    return [
        _Change(c.name, overflow, whole, note)
        for c, (overflow, whole), note in zip(others, changes, notes, strict=True)
    ]


def _largest(parts: Sequence[_Change], whole: float) -> _Change | None:
    """The part with most of the whole change, if there are several parts."""
    most = max(parts, key=lambda part: abs(part.whole), default=None)
    if most is None or len(parts) < 2 or most.whole * whole <= 0:
        return None
    return most if 0.5 * abs(whole) <= abs(most.whole) <= MOST_OF_IT * abs(whole) else None


def _of_classes(
    study: StudyMeasures, base: ConfigurationMeasures, other: ConfigurationMeasures
) -> list[_Change] | None:
    totals = study.totals()
    rows = [r for r in study.classes_of() if r["cp_pct"] is not None]
    if any(totals.get(c.name, {}).get("cp_pct") is None for c in (base, other)):
        return None
    found = []
    for old, new in class_pairs(totals[base.name], totals[other.name], rows):
        overflow, whole = (_value(new, name) - _value(old, name) for name in ("ziip_on_cp_pct", "cp_pct"))
        name = (new or old or {})["class_name"] or "(no name)"
        found.append(_Change(name, overflow, whole, _volume(old, new)))
    return found


def _volume(old: Row | None, new: Row | None) -> str:
    if old is None or new is None:
        return "on one side only"
    before, after = old["transactions_per_s"], new["transactions_per_s"]
    counted = old["counts_its_work"] and new["counts_its_work"]
    return f"{signed((after / before - 1) * 100, 1)}% transactions" if counted and before and after is not None else ""


def _value(row: Row | None, name: str) -> float:
    return (row[name] or 0.0) if row else 0.0


def _of_subsystems(
    study: StudyMeasures, base: ConfigurationMeasures, other: ConfigurationMeasures
) -> list[_Change] | None:
    names = ("ziip_on_cp_ms_per_request", "cp_ms_per_request")
    found = []
    for subsystem in study.subsystems:
        sides = base.by_subsystem.get(subsystem), other.by_subsystem.get(subsystem)
        if any(side is None or side["cp_ms_per_request"] is None for side in sides):
            return None
        overflow, whole = (_value(sides[1], n) - _value(sides[0], n) for n in names)
        found.append(_Change(subsystem, overflow, whole))
    return found


def _drawn(title: str, unit: str, found: Sequence[_Change], *, adds_up: bool = True) -> Waterfall | None:
    """The bars; if they add up, the largest first, the small ones as one bar, and their sum."""
    total = sum(c.whole for c in found)
    largest = max(abs(c.whole) for c in found)
    if largest < 0.005:
        return None
    # Changes in the direction of the total first, the largest first.
    ranked = sorted(found, key=lambda c: (c.whole * total < 0, -abs(c.whole), c.name))
    large = sorted(ranked, key=lambda c: -abs(c.whole))[:_MOST_SHOWN]
    shown = [c for c in ranked if c in large and abs(c.whole) >= _SMALL * largest]
    if not adds_up:
        ranked = shown = list(found)
    rest = [c for c in ranked if c not in shown]
    if rest:
        words = rest[0].name if len(rest) == 1 else f"{len(rest):,} others"
        shown.append(_Change(words, sum(c.overflow for c in rest), sum(c.whole for c in rest)))
    overflow = sum(c.overflow for c in found)
    decimals = max(1, column_decimals([c.whole for c in shown]) - 1)
    starts: list[float] = []
    ends = [0.0]
    for change in shown:
        starts.append(ends[-1] if adds_up else 0.0)
        ends.append(starts[-1] + change.whole)
    low, high = min(ends), max(ends)
    span = (high - low) or 1.0

    def place(value: float) -> float:
        return round((value - low) / span * 100, 2)

    bars = [_bar(change, start, place, decimals) for change, start in zip(shown, starts, strict=True)]
    if adds_up:
        bars.append(_bar(_Change("together", overflow, total), 0.0, place, decimals, is_total=True))
    has_overflow = any(p.style == "overflow" for bar in bars for p in bar.pieces)
    return Waterfall(title, unit, place(0.0), bars, has_overflow, adds_up)


def _bar(
    change: _Change, start: float, place: Callable[[float], float], decimals: int, *, is_total: bool = False
) -> Bar:
    own = change.whole - change.overflow
    # Parts of unlike sign cannot be side by side in one bar.
    parts = [("own", own), ("overflow", change.overflow)] if own * change.overflow > 0 else [("own", change.whole)]
    pieces = []
    for style, value in parts:
        left, right = sorted((place(start), place(start + value)))
        pieces.append(Piece(left, round(right - left, 2), style))
        start += value
    return Bar(change.name, pieces, signed(change.whole, decimals), change.note, is_total)
