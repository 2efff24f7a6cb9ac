"""Weaknesses of a finding, ranked by how likely they turn its sign, each with what would settle it; and the verdict
with its reason."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ...pipeline.study.study_file import BOTH_KINDS
from ..study_rows import ConfigurationMeasures, Row, StudyMeasures
from .compared_facts import FACTS, fact
from .finding import SAME, leading_change, quoted

Level = Literal["strong", "weak", "inconclusive"]
MOST_SHOWN = 4
# Less covered time than this says nothing of the whole window.
_LEAST_COVERED = 0.5
# Transactions that differ by more explain a change of processor time.
_LIKE_VOLUME = 0.1
_MOST_NAMED = 3


@dataclass(frozen=True)
class Weakness:
    """`short`: the words in the verdict; `settle`: what to do about it. The lower the `rank`, the likelier it turns the
    sign."""

    rank: int
    short: str
    text: str
    settle: str


@dataclass(frozen=True)
class Verdict:
    level: Level
    reason: str


# By note of the data: rank, words for the verdict, and what settles it.
_NOTES: dict[str, tuple[int, str, str]] = {
    "cpu_lacks": (0, "unreadable processor time", "See Quality of the data, and ingest a complete print with --replace."),
    "unread": (0, "rejected lines", "See ironlake rejects, and ingest a complete print with --replace."),
    "conflicting": (1, "conflicting prints", "ironlake check names both pages; ingest the right one with --replace."),
    "policy": (1, "classes do not add up to the policy", "A page is missing or wrong: ingest the whole report again."),
    "left_out": (4, "overlapping intervals left out", "ironlake check names them; remove the print that is wrong."),
}  # fmt: skip
# Notes on a class whose detail lists the intervals without a known time.
_NAMES_INTERVALS = ("cpu_lacks", "unread")
_MISSING = "Ingest the missing intervals, or choose a window that is printed."
# Pairs of facts about the same thing: on the first screen the first one is enough.
_SAME_FACT = {FACTS["busy_cp_and_ziip"].caution: FACTS["busy_cp"].caution}
# A class counts as 0 where a complete page does not print it, but a page may be missing. From this share of all CPU on
# that is a caution.
_LARGE = 0.02


def weaknesses(study: StudyMeasures) -> list[Weakness]:
    """The most serious first."""
    kinds = (_of_notes, _coverage, _cut, _absent, _without_data, _of_warnings, _volume, _overflow, _unlike, _too_few)
    found = [weakness for kind in kinds for weakness in kind(study)]
    if study.charges_both_kinds:
        found.append(Weakness(3, "classes of both kinds", BOTH_KINDS, "Charge classes of one kind in the study file."))
    shorts = {w.short for w in found}
    return sorted((w for w in found if _SAME_FACT.get(w.short) not in shorts), key=lambda w: w.rank)


def verdict_of(study: StudyMeasures) -> Verdict:
    """How strong the evidence for the leading change is. It is strong only if all of several configurations differ."""
    weak = weaknesses(study)
    change = leading_change(study)
    if change is None:
        words = "nothing to compare" if len(study.configurations) < 2 else _joined(weak) or "the cost is not known"
        return Verdict("inconclusive", words)
    verdicts = [_sure(study, c) for c in study.configurations[1:]]
    if any(w.rank <= 0 for w in weak) or _covered(study) < _LEAST_COVERED:
        return Verdict("inconclusive", _joined(weak))
    if all(v == "within noise" for v in verdicts):
        return Verdict("inconclusive", "the difference is within noise")
    if all(v == "differs" for v in verdicts) and not any(w.rank <= 6 for w in weak):
        like = "like for like" if not weak else f"though {_joined(weak)}"
        several = len(verdicts) > 1
        leave = f"the 95% interval{'s' if several else ''} leave{'' if several else 's'} out 0"
        if any(_is_of_sign_alone(study, c) for c in study.configurations[1:]):
            leave = "like intervals all have the same sign (sign test)"
        return Verdict("strong", f"{leave}, {like}")
    if "differs" not in verdicts and abs(change) < SAME:
        return Verdict("inconclusive", _joined(weak) or "too small a difference")
    return Verdict("weak", _joined(weak) or "not all configurations differ")


def _joined(weak: Sequence[Weakness]) -> str:
    words = list(dict.fromkeys(w.short for w in weak))
    return ", ".join(words[:2]) + (f", and {len(words) - 2} more" if len(words) > 2 else "")


def _sure(study: StudyMeasures, configuration: ConfigurationMeasures) -> str:
    """differs, within noise, or no interval."""
    difference = configuration.difference.get(study.leads_with)
    if difference:
        return difference["verdict"]
    if study.compares_classes and not study.cost_is_known and (compared := study.by_interval(configuration)):
        sure = compared.sureness(study.class_measure)
        return "no interval" if not sure.is_known else "differs" if sure.differs else "within noise"
    return "no interval"


def _is_of_sign_alone(study: StudyMeasures, configuration: ConfigurationMeasures) -> bool:
    if configuration.difference.get(study.leads_with) or study.cost_is_known:
        return False
    compared = study.by_interval(configuration)
    return compared is not None and compared.sureness(study.class_measure).is_of_sign_alone


def _named(names: Iterable[str]) -> str:
    listed = [quoted(n) for n in names]
    more = len(listed) - _MOST_NAMED
    return " and ".join(listed) if more <= 0 else f"{', '.join(listed[:_MOST_NAMED])} and {more} more"


def _of_notes(study: StudyMeasures) -> list[Weakness]:
    found = []
    for note, (rank, short, settle) in _NOTES.items():
        names = dict.fromkeys(r["configuration"] for r in study.notes if r["note"] == note)
        if names:
            mine = [r for r in study.notes if r["note"] == note and r["detail"]]
            where = _intervals_of(mine) if note in _NAMES_INTERVALS else ""
            text = f"{short[0].upper()}{short[1:]} in {_named(names)}{where}: see “Incomplete” below."
            found.append(Weakness(rank, short, text, settle))
    return found


def _intervals_of(rows: Sequence[Row]) -> str:
    """The class of the first note and the intervals without its time, and how many more classes there are."""
    if not rows:
        return ""
    first = rows[0]
    more = f", and {len(rows) - 1:,} more class{'es' if len(rows) > 2 else ''}" if len(rows) > 1 else ""
    return f" ({first['class_name'] or '(no name)'} at {first['detail']}{more})"


def _ratios(study: StudyMeasures, note: str) -> dict[str, float]:
    return {r["configuration"]: r["found"] / r["expected"] for r in study.notes if r["note"] == note and r["expected"]}


def _covered(study: StudyMeasures) -> float:
    """The share of its windows that a configuration has reports for: the smallest of all configurations."""
    return min([1.0, *_ratios(study, "covered").values()])


def _by_percent(ratios: dict[str, float]) -> str:
    alike: dict[str, list[str]] = {}
    for name, ratio in ratios.items():
        alike.setdefault(f"{ratio * 100:.0f}%", []).append(name)
    return ", ".join(f"{pct} in {_named(names)}" for pct, names in alike.items())


def _coverage(study: StudyMeasures) -> list[Weakness]:
    # Above 1 where long intervals reach out of the window: `_cut` says that.
    ratios = {name: ratio for name, ratio in _ratios(study, "covered").items() if ratio < 1}
    if not ratios:
        return []
    least = min(ratios.values())
    short = f"reports for {least * 100:.0f}% of the time"
    text = f"Reports do not cover the windows: {_by_percent(ratios)}."
    return [Weakness(2 if least < _LEAST_COVERED else 6, short, text, _MISSING)]


def _cut(study: StudyMeasures) -> list[Weakness]:
    ratios = _ratios(study, "cut")
    if not ratios:
        return []
    text = f"Windows cut printed intervals; time outside of the windows: {_by_percent(ratios)}."
    return [Weakness(6, "windows that cut intervals", text, "Choose windows that begin and end where intervals do.")]


def _absent(study: StudyMeasures) -> list[Weakness]:
    lines = [caution for c in study.configurations for caution in absent_classes(study, c.name)]
    if not lines:
        return []
    text = f"{'; '.join(lines[:2])}{f'; and {len(lines) - 2} more' if len(lines) > 2 else ''}."
    return [Weakness(2, "a large class is not printed everywhere", text, "Check that no page is missing.")]


def absent_classes(study: StudyMeasures, configuration: str) -> list[str]:
    whole = study.totals().get(configuration)
    return [
        f"{row['class_name']} counted as 0 in {row['intervals'] - row['intervals_printed']:,} of {row['intervals']:,} intervals of {configuration}"
        for row in study.classes_of()
        if row["configuration"] == configuration
        and row["cp_pct"]
        and row["intervals_printed"] < row["intervals"]
        and whole
        and row["cp_pct"] * row["intervals"] / row["intervals_printed"] >= _LARGE * (whole["cp_pct"] or 0)
    ]


def _without_data(study: StudyMeasures) -> list[Weakness]:
    """Runs, and windows of runs, without reports in the lake."""
    found = []
    if study.absent:
        text = f"No reports of {study.name} in {_named(study.absent)}."
        found.append(Weakness(2, "runs without reports", text, _MISSING))
    for run, (windows, of) in study.windows_without_data.items():
        one, (start, _), (_, end) = len(windows) == 1, windows[0], windows[-1]
        text = f"{len(windows):,} of {of:,} windows of {quoted(run)} {'has' if one else 'have'} no data, {start:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M}."
        found.append(Weakness(7, "windows without data", text, _MISSING))
    return found


def _of_warnings(study: StudyMeasures) -> list[Weakness]:
    """Facts that differ between configurations, one weakness per fact."""
    groups: dict[str, list[Row]] = {}
    for row in study.warnings:
        groups.setdefault(str(row["warning"]), []).append(row)
    found = []
    for kind, rows in groups.items():
        _, short, rank, settle = fact(kind)
        if kind == "covered" and _covered(study) < 1:
            settle = _MISSING
        found.append(Weakness(rank, short, f"{short[0].upper()}{short[1:]}: {_values(study, rows)}.", settle))
    return found


def _values(study: StudyMeasures, rows: Sequence[Row]) -> str:
    """The baseline's value against those of the other configurations, equal ones together."""
    alike: dict[str, list[str]] = {}
    for row in rows:
        alike.setdefault(str(row["value"]), []).append(row["configuration"])
    several = len(study.configurations) > 2
    listed = [f"{value} in {_named(names)}" if several else value for value, names in list(alike.items())[:_MOST_NAMED]]
    more = len(alike) - len(listed)
    base = rows[0]
    others = f"{'; '.join(listed)}{f'; and {more} more' if more > 0 else ''}"
    return f"{base['baseline_value']} in {quoted(base['baseline'])}, {others}" + (
        "" if several else f" in {quoted(base['configuration'])}"
    )


def _volume(study: StudyMeasures) -> list[Weakness]:
    """Transactions of classes, where processor time is not per transaction."""
    if study.class_kind is None or len(study.configurations) != 2:
        return []
    rates: list[float] = []
    for configuration in study.configurations:
        rows = [r for r in study.classes_of() if r["configuration"] == configuration.name]
        counted = [r["transactions_per_s"] for r in rows if r["counts_its_work"] or r["time_is_in"]]
        rates.append(sum(r or 0.0 for r in counted))
    old, new = rates
    if not old or not new or abs(new / old - 1) <= _LIKE_VOLUME:
        return []
    change = (new / old - 1) * 100
    text = f"The transaction rate is {abs(change):,.0f}% {'higher' if change > 0 else 'lower'} ({old:,.1f} → {new:,.1f}/s): the change is not per transaction."
    return [Weakness(5, "different transaction rates", text, "See the general-processor time per transaction.")]


def _overflow(study: StudyMeasures) -> list[Weakness]:
    """A saving that comes from zIIPs with more room, or a loss from zIIPs with less, is not one of the software."""
    if len(study.configurations) != 2:
        return []
    base, other = study.configurations
    if study.cost_is_known:
        sides, names = (base.cost, other.cost), ("ziip_on_cp_ms_per_request", "cp_ms_per_request")
    elif study.compares_classes:
        totals = study.totals()
        sides, names = (totals[base.name], totals[other.name]), ("ziip_on_cp_pct", "cp_pct")
    else:
        return []
    if any(side[name] is None for side in sides for name in names):
        return []
    overflow, whole = (sides[1][name] - sides[0][name] for name in names)
    if abs(whole) < SAME * sides[0][names[1]] or overflow / whole <= 0.5 if whole else True:
        return []
    text = f"{overflow / whole * 100:,.0f}% of the change is zIIP-eligible work that {'found' if whole < 0 else 'did not find'} a zIIP."
    return [
        Weakness(7, "mostly zIIP-eligible work", text, "Check whether the number of zIIPs or IIPHONORPRIORITY changed.")
    ]


def _unlike(study: StudyMeasures) -> list[Weakness]:
    """95% intervals that do not come from like intervals."""
    if not study.compares_classes or study.cost_is_known:
        return []
    parts: dict[str, float] = {}
    are_as_long = True
    for configuration in study.configurations[1:]:
        compared = study.by_interval(configuration)
        if compared and (sure := compared.sureness(study.class_measure)).is_known and sure.unit == "side":
            parts[configuration.name] = compared.paired(study.class_measure)
            are_as_long &= compared.are_as_long
    if not parts:
        return []
    text = (
        f"Time with like intervals on both sides: {_by_percent(parts)}. The 95% interval is that of two separate means, in which the rise and "
        "fall of each day counts as noise."
    )
    settle = (
        "Print both sides with the same interval length."
        if are_as_long
        else "Compare as many windows of the same length."
    )
    return [Weakness(8, "few like intervals", text, settle)]


def _too_few(study: StudyMeasures) -> list[Weakness]:
    others = study.configurations[1:]
    without = [c for c in others if _sure(study, c) == "no interval"]
    if not without or (len(without) < len(others) and len(others) > 1):
        return []
    sides = [study.intervals.get(c.name) for c in study.configurations]
    counts = [len(s.rows) for s in sides if s]
    intervals = (
        f"{min(counts):,}"
        if counts and min(counts) == max(counts)
        else f"{min(counts):,} to {max(counts):,}"
        if counts
        else ""
    )
    text = f"{intervals} interval{'' if intervals == '1' else 's'} a side: too few for a 95% interval." if intervals else "Too few intervals for a 95% interval."  # fmt: skip
    add = "Add windows: at least 3 days a side, or 14 intervals on end." if study.class_kind else "Add steps: at least 3 per configuration, or 14 intervals on end."  # fmt: skip
    return [Weakness(7, "too few intervals for a 95% interval", text, add)]
