"""The first screen of a page as plain data: finding, verdict, table, weaknesses, waterfall, other findings, and all of it as text."""

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...pipeline.words import counted
from ..certainty import spread, verdict
from ..columns import COLUMNS, ENGINE, TERMS
from ..numbers import DASH, LEAST_BASE_PCT, Write, change_pct, column_decimals, column_writer, pair_decimals, signed
from ..parts import Body, Cell, Head, Row, Strip, Table, strip
from ..study_rows import ConfigurationMeasures, StudyMeasures
from ..study_rows import Row as Values
from .evidence import Compared
from .finding import class_pairs, delays, finding, is_normalized
from .headline import headline_study, in_common
from .waterfall import Waterfall, waterfall
from .weaknesses import MOST_SHOWN, Verdict, Weakness, verdict_of, weaknesses

_LEVELS = {"strong": "Strong evidence", "weak": "Weak evidence", "inconclusive": "Inconclusive"}
# Classes whose cost per transaction is in the table.
_MOST_COSTS = 2


@dataclass(frozen=True)
class Listed:
    """The finding of another study of the page."""

    link: str
    name: str
    sentence: str
    level: str
    verdict: str


@dataclass(frozen=True)
class FirstScreen:
    """`of`: the study that gives the headline, where a page has several. `runs`: what the names of its configurations
    stand for, where the line above does not say so. `terms`: meanings of words on the screen. `text`: the screen as
    text, for a mail."""

    of: str
    runs: Sequence[tuple[str, str]]
    level: str
    verdict: str
    table: Table | None
    weaknesses: Sequence[Weakness]
    more_weaknesses: int
    waterfall: Waterfall | None
    others: Sequence[Listed]
    terms: Sequence[tuple[str, str]] = ()
    text: str = ""


def kicker(studies: Sequence[StudyMeasures]) -> str:
    """The compared systems, classes, runs and windows, in one line."""
    first = studies[0]
    only = [f"only {', '.join(first.only)}"] if first.only else []
    if len(studies) == 1:
        return " · ".join([_where(first), *only, *_windows(first)])
    alike = _have_windows_of(studies)
    return " · ".join(
        [
            ", ".join(s.name for s in studies[:4]) + (" …" if len(studies) > 4 else ""),
            *only,
            *(_windows(first) if alike else ()),
        ]
    )


def first_screen(studies: Sequence[StudyMeasures], heading: str) -> FirstScreen:
    at = headline_study(studies)
    study = studies[at]
    judged, weak = verdict_of(study), weaknesses(study)
    common = bool(in_common(studies))
    # A finding in common has a row for each study; the study of the headline is told above.
    others = [] if common else [_listed(n, s) for n, s in enumerate(studies, 1) if s is not study]
    table = _by_study(studies) if common else summary_table(study)
    shown = FirstScreen(
        of=study.name if len(studies) > 1 and not common else "",
        runs=[] if common else _named_runs(study, is_above=len(studies) == 1 or _have_windows_of(studies)),
        level=judged.level,
        verdict=verdict_words(judged),
        table=table,
        weaknesses=weak[:MOST_SHOWN],
        more_weaknesses=max(0, len(weak) - MOST_SHOWN),
        waterfall=None if common else waterfall(study),
        others=others,
    )
    text = _as_text(heading, kicker(studies), judged, shown, weak)
    terms = [(name, meaning) for name, meaning in TERMS.items() if re.search(rf"\b{name}s?\b", text)]
    text += "".join(f"\n{name}: {meaning}." for name, meaning in terms)
    return replace(shown, text=text, terms=terms)


def _have_windows_of(studies: Sequence[StudyMeasures]) -> bool:
    """Whether all have the windows of the first."""
    return all(_windows(s) == _windows(studies[0]) for s in studies)


def _named_runs(study: StudyMeasures, *, is_above: bool) -> list[tuple[str, str]]:
    """What the names of a few configurations stand for: role; where they differ, sysplex, systems and machine; and the
    window, unless `is_above`."""
    names = [c.name for c in study.configurations]
    if not 1 < len(names) <= _MOST_WINDOWS:
        return []
    facts = {(r["fact"], r["configuration"]): r["value"] for r in study.facts}
    roles = {row[role]: role for row in study.coupling for role in ("uncoupled", "coupled")}
    told = [f for f in ("sysplex", "systems", "machine") if len({facts.get((f, n)) for n in names}) > 1]
    found = []
    for name in names:
        steps = [s for s in study.steps if s["configuration"] == name and s["window_start"] is not None]
        where = [facts.get((f, name)) for f in told]
        found.append((name, [roles.get(name), *where, _span(steps) if steps and not is_above else ""]))
    return [(name, " · ".join(filter(None, words)).replace(",", ", ")) for name, words in found if any(words)]


def verdict_words(judged: Verdict) -> str:
    return f"{_LEVELS[judged.level]}: {judged.reason}" if judged.reason else _LEVELS[judged.level]


def _listed(number: int, study: StudyMeasures) -> Listed:
    judged = verdict_of(study)
    return Listed(f"#study_{number}", study.name, finding(study), judged.level, verdict_words(judged))


def _where(study: StudyMeasures) -> str:
    """Sysplex and systems, if all configurations have the same."""
    found = {fact: {r["value"] for r in study.facts if r["fact"] == fact} for fact in ("sysplex", "systems")}
    plex, systems = (next(iter(v)) if len(v) == 1 else "" for v in found.values())
    systems = (systems or "").replace(",", ", ")
    if plex and systems and plex != systems:
        return f"{plex} ({systems})"
    return plex or systems or study.name


_MOST_WINDOWS = 3


def _windows(study: StudyMeasures) -> list[str]:
    """The time of each configuration; only the whole span of many."""
    steps = [s for s in study.steps if s["window_start"] is not None]
    by_name = {c.name: [s for s in steps if s["configuration"] == c.name] for c in study.configurations}
    if not steps:
        return []
    if len(by_name) > _MOST_WINDOWS:
        return [f"{len(by_name)} configurations", _span(steps)]
    return [f"{name}: {_span(mine)}" for name, mine in by_name.items() if mine]


def _span(steps: Sequence[Values]) -> str:
    start, end = min(s["window_start"] for s in steps), max(s["window_end"] for s in steps)
    several = f" ({len(steps):,} windows)" if len(steps) > 1 else ""
    day = f"{start:%a} {start.day} {start:%b %Y}"
    if start.date() == end.date():
        return f"{day} {start:%H:%M}–{end:%H:%M}{several}"
    if start.time() == end.time() == dt.time():
        last = end - dt.timedelta(days=1)
        return (
            f"{day}{several}" if last.date() == start.date() else f"{day} to {last:%a} {last.day} {last:%b %Y}{several}"
        )
    return f"{day} {start:%H:%M} to {end:%a} {end.day} {end:%b %Y} {end:%H:%M}{several}"


# --- The table ---------------------------------------------------------------------------------------------------------


def summary_table(study: StudyMeasures) -> Table | None:
    """The cost that is paid for comes first. Two configurations: a row per measure; more: a row per configuration."""
    of_classes = study.compares_classes and not study.cost_is_known
    if len(study.configurations) == 2:
        rows = (_class_rows(study) if of_classes else _cost_rows(study)) or _coupling_rows(study)
        if not rows:
            return None
        base, other = study.configurations
        has_ends = any(row.cells[-1].strip and row.cells[-1].strip.ends for row in rows)
        dots = f"After − before: a dot per like interval{', a bar for the 95% interval' if has_ends else ''}"
        last = dots if of_classes else "Certainty"
        heads = [Head(""), Head(base.name), Head(other.name), Head("Change"), Head(last, left=True)]
        return Table("Summary", heads, [Body(rows)], style="summary")
    return _by_configuration(study, of_classes=of_classes)


def _by_study(studies: Sequence[StudyMeasures]) -> Table:
    """A row per study that compares the same two configurations."""
    lead = studies[0].leads_with
    base, other = studies[0].configurations
    sides = [(s.baseline.cost[lead], s.configurations[1].cost[lead]) for s in studies]
    write = column_writer(value for pair in sides for value in pair)
    rows = []
    for number, (study, (old, new)) in enumerate(zip(studies, sides, strict=True), 1):
        found = study.configurations[1].difference.get(lead)
        cells = [
            Cell(study.name, scope="row", link=f"#study_{number}"), Cell(write(old)), Cell(write(new)),
            Cell((change_pct(old, new) if study.configurations[1].is_relative(lead) else "") or DASH, style="delta"),
            Cell(_certainty(found), style="l"),
        ]  # fmt: skip
        rows.append(Row(cells))
    info = COLUMNS[lead]
    heads = [Head(info.title, info.unit, info.doc, left=True), Head(base.name), Head(other.name), Head("Change"), Head("Certainty", left=True)]  # fmt: skip
    return Table("Summary", heads, [Body(rows)], style="summary")


def _certainty(difference: Values | None) -> str:
    if not difference:
        return ""
    return "too few intervals" if difference["verdict"] == "no interval" else verdict(difference)


def _line(
    what: str, note: str, values: tuple[float | None, float | None], *, unit: str = "", sure: str = "", is_lead: bool = False,
    drawn: Strip | None = None, relative: bool = True, least: float = 0.0, decimals: int | None = None,
) -> Row:  # fmt: skip
    """A measure before and after, and its change; also in percent where the base is `least` or more."""
    old, new = values
    places = pair_decimals(old, new) if decimals is None else decimals

    def written(value: float | None) -> str:
        return DASH if value is None else f"{signed(value, places).removeprefix('+')}{unit}"

    change = DASH if old is None or new is None else signed(new - old, places) + unit
    percent = change_pct(old, new, least) if relative else ""
    last = Cell(sure, style="l", strip=drawn)
    cells = [
        Cell(what, [note] if note else [], scope="row"), Cell(written(old)), Cell(written(new)),
        Cell(change, [percent] if percent else [], style="delta"), last,
    ]  # fmt: skip
    return Row(cells, style="lead" if is_lead else "")


_CLASS_LINES = (
    ("cp_pct", "General-processor time", "% of one engine: what is paid for"),
    ("ziip_on_cp_pct", "of it zIIP-eligible", "% of one engine: work that found no zIIP"),
    ("ziip_pct", "zIIP time", "% of one engine"),
    ("cpu_pct", "All CPU time", "% of one engine, zIIP time as measured"),
    ("cpu_normalized_pct", "All CPU time", "% of one general processor, zIIP time normalised"),
)


def _whole(*totals: Values) -> str:
    """The measure of all CPU time: normalised where the factor of zIIP time is not 1."""
    return "cpu_normalized_pct" if is_normalized(*totals) else "cpu_pct"


def _class_rows(study: StudyMeasures) -> list[Row]:
    base, other = study.configurations
    totals = study.totals()
    compared = study.by_interval(other)
    rows = []
    if compared and study.class_measure == "msu":
        msu = compared.before.mean("msu"), compared.after.mean("msu")
        peaks, relative = _peak_row(study), study.class_base_has_digits
        mean = _line(
            "MSU", "mean of the window", msu, is_lead=not peaks, relative=relative, **_evidence(compared, "msu")
        )
        rows += [*peaks, mean]
    whole = _whole(totals[base.name], totals[other.name])
    for name, title, note in _CLASS_LINES:
        values = totals[base.name][name], totals[other.name][name]
        is_whole = name.startswith("cpu_")
        if not any(values) or (
            is_whole and (name != whole or values == (totals[base.name]["cp_pct"], totals[other.name]["cp_pct"]))
        ):
            continue
        evidence = _evidence(compared, name) if compared else {}
        rows.append(_line(title, note, values, is_lead=name == "cp_pct", least=LEAST_BASE_PCT, **evidence))
    if study.only:
        shares = totals[base.name]["cp_share_pct"], totals[other.name]["cp_share_pct"]
        rows.append(
            _line(
                "Share of all general-processor time",
                "% of that of all classes",
                shares,
                relative=False,
                sure="of the whole window",
            )
        )
    return [*rows, *_transaction_rows(study), *_goal_rows(study)]


def _peak_row(study: StudyMeasures) -> list[Row]:
    """The highest hour of the four-hour average in the windows of each side, the basis of sub-capacity charges; unknown
    where an hour of the windows is. No row where neither side has one, or the sides are not of the same systems and
    caps."""
    of: dict[str, dict[tuple[Any, ...], dict[dt.datetime, float]]] = {}
    for row in study.pictured.get("rolling_msu", ()):
        series = tuple(row[n] for n in ("measured by", "caps", "of", "systems"))
        hours = of.setdefault(row["configuration"], {}).setdefault(series, {})
        # An hour that the clock repeats has two rows.
        hours[row["line_start"]] = max(hours.get(row["line_start"], 0.0), row["four_hour_msu"])
    whole = {series for found in of.values() for series in found}
    systems = [name for series in whole for name in (series[-1] or "").split(",")]
    # Averages of pages that share no system add; those of machines and partitions do not.
    adds = all(series[0] == "workload activity" for series in whole) and len(systems) == len({*systems})
    if not whole or not (adds or len(whole) == 1) or any(found.keys() != whole for found in of.values()):
        return []
    peaks = []
    for configuration in study.configurations:
        mine = list(of.get(configuration.name, {}).values())
        asked = [hour for s in study.steps if s["configuration"] == configuration.name for hour in _clock_hours(s)]
        is_known = mine and asked and all({*asked} <= {*hours} for hours in mine)
        peaks.append(max(sum(hours[hour] for hours in mine) for hour in asked) if is_known else None)
    if not any(peaks):
        return []
    (by, caps, what, _), *_ = sorted(whole, key=str)
    words = ", ".join(filter(None, ("highest hour of the window", what, caps, f"by {by}")))
    sure, relative = "highest hours, no dots", study.class_base_has_digits
    return [_line("MSU, four-hour average", words, (peaks[0], peaks[1]), is_lead=True, relative=relative, sure=sure)]


def _clock_hours(step: Values) -> list[dt.datetime]:
    """The clock hours whose middle is in the window."""
    hour, half = dt.timedelta(hours=1), dt.timedelta(minutes=30)
    first = step["window_start"].replace(minute=0, second=0, microsecond=0)
    count = int((step["window_end"] - first) / hour) + 1
    return [h for n in range(count) if step["window_start"] <= (h := first + n * hour) + half < step["window_end"]]


def _evidence(compared: Compared, measure: str) -> dict:
    sure, pairs = compared.sureness(measure), compared.pairs(measure)
    ends = (sure.lower, sure.upper) if sure.lower is not None and sure.upper is not None else None
    # An interval that holds 0 beside differences of one sign is too wide to be told.
    ends = None if sure.is_of_sign_alone else ends
    places = column_decimals(pairs or [1.0])
    if ends:
        places = max(places, column_decimals(pairs or [1.0], [(ends[1] - ends[0]) / 2]))
    unit = COLUMNS[measure].unit if measure in COLUMNS else measure.upper()
    unit = "points of one engine" if unit == ENGINE else unit
    drawn = strip(pairs, ends, lambda v: signed(v, places), "After − before by interval", unit)
    words = (
        sure.basis
        if sure.is_of_sign_alone
        else f"95% interval {signed(ends[0], places)} to {signed(ends[1], places)}, {sure.basis}"
        if ends
        else ""
        if drawn
        else "too few intervals"
    )
    return {"sure": words, "drawn": drawn}


def _transaction_rows(study: StudyMeasures) -> list[Row]:
    """General-processor time per transaction of the classes with the most of it."""
    base, other = study.configurations
    totals = study.totals()
    found = []
    for old, new in class_pairs(totals[base.name], totals[other.name], study.classes_of()):
        if old is None or new is None:
            continue
        weight, has_digits = max(old["cp_pct"] or 0.0, new["cp_pct"] or 0.0), (old["cp_pct"] or 0.0) >= LEAST_BASE_PCT
        name = old["class_name"] or "(no name)"
        if old["cp_ms_per_transaction"] is not None and new["cp_ms_per_transaction"] is not None:
            counts = f"{old['transactions_ended']:,} → {new['transactions_ended']:,} transactions"
            costs = old["cp_ms_per_transaction"], new["cp_ms_per_transaction"]
            found.append((weight, name, counts, costs, has_digits))
        elif old["transactions_of"] and old["transactions_of"] == new["transactions_of"]:
            counts = f"region time per transaction of {' and '.join(old['transactions_of'])}"
            costs = old["cp_ms_per_workload_transaction"], new["cp_ms_per_workload_transaction"]
            found.append((weight, name, counts, costs, has_digits))
    largest = sorted(found, key=lambda f: (-f[0], f[1]))[:_MOST_COSTS]
    return [
        _line(
            f"GP time per transaction, {name}",
            counts,
            values,
            unit=" ms",
            relative=has_digits,
            sure="of the whole window",
        )
        for _, name, counts, values, has_digits in largest
    ]


def _goal_rows(study: StudyMeasures) -> list[Row]:
    counts = []
    for configuration in study.configurations:
        mine = [g for g in study.goals if g["configuration"] == configuration.name and g["intervals"]]
        counts.append((sum(bool(g["missed"]) for g in mine), len(mine)))
    if not all(of for _, of in counts):
        return []
    (old, of_old), (new, of_new) = counts
    cells = [
        Cell("Goals missed", ["service class periods, in any interval"], scope="row"), Cell(f"{old} of {of_old}"),
        Cell(f"{new} of {of_new}"), Cell(signed(new - old, 0), style="delta"), Cell("of the whole window", style="l"),
    ]  # fmt: skip
    return [Row(cells)]


def _measures(study: StudyMeasures) -> list[str]:
    """Measures of configurations, what is paid for first."""
    first = study.leads_with
    names = [first]
    if first == "cp_ms_per_request":
        names += ["ziip_on_cp_ms_per_request", "ziip_ms_per_request"]
        names += ["cpu_normalized_ms_per_request" if study.is_normalized else "cpu_ms_per_request"]
    return [n for n in (*names, "response_ms") if study.has(n)]


def _cost_rows(study: StudyMeasures) -> list[Row]:
    base, other = study.configurations
    rows = []
    for name in _measures(study):
        info, found = COLUMNS[name], other.difference.get(name)
        sure = _certainty(found)
        title = info.title if name == study.leads_with else _TITLES.get(name, info.title)
        rows.append(_line(title, "", (base.cost[name], other.cost[name]), unit=f" {info.unit}", sure=sure, is_lead=name == study.leads_with, relative=other.is_relative(name)))  # fmt: skip
    rates = [
        max((r["requests_per_s"] for r in c.runs if r["requests_per_s"] is not None), default=None)
        for c in study.configurations
    ]
    counts = [c.cost["requests"] for c in study.configurations]
    loads = ("Requests", "in the selected intervals", counts), ("Highest measured rate", "requests per second", rates)
    return [*rows, *_loads(*loads)] if rows else []


def _loads(*of: tuple[str, str, Sequence[float | None]]) -> list[Row]:
    """The loads at which both sides were measured, where they are known, and whether they are alike."""
    found = []
    for title, note, (old, new) in of:
        if old is not None and new is not None:
            sure = "alike" if old == new else "alike within 10%" if abs(new - old) <= 0.1 * old else "not alike"
            found.append(_line(title, note, (old, new), relative="%" not in note, sure=sure))
    return found


def _coupling_rows(study: StudyMeasures) -> list[Row]:
    """Busy time per request uncoupled and coupled, where no class has a time, with the loads of the measurement."""
    found = next((r for r in study.coupling if r["busy_basis"] == "cp" and r["busy_ms_per_request_coupled"]), None)
    if not found or not found["busy_ms_per_request_uncoupled"]:
        return []
    sides = ["uncoupled", "coupled"]
    sides = sides if found["uncoupled"] == study.baseline.name else sides[::-1]

    def pair(name: str) -> tuple[float | None, float | None]:
        return found[name.format(sides[0])], found[name.format(sides[1])]

    count = min(sum(run["intervals"] or 0 for run in c.runs) for c in study.configurations)
    sure = f"efficiency {found['coupling_efficiency_pct']:,.1f}%; no 95% interval: {counted(count, 'interval')} a side"
    rates = [
        max((r["etr_per_s"] for r in c.itr if r["etr_per_s"] is not None), default=None) for c in study.configurations
    ]
    what, note = "Busy processor time per request", "general processors, whatever their work"
    return [
        _line(what, note, pair("busy_ms_per_request_{}"), unit=" ms", sure=sure, is_lead=True),
        *_loads(
            ("Requests per second", "at which it was measured", rates),
            ("Processors busy", "% of all general processors", pair("cpu_busy_{}_pct")),
            ("General processors", "online", pair("engines_online_{}")),
        ),
    ]


_TITLES = {
    "ziip_on_cp_ms_per_request": "of it zIIP-eligible on CP",
    "ziip_ms_per_request": "zIIP time per request",
    "cpu_ms_per_request": "All CPU time per request",
    "cpu_normalized_ms_per_request": "All CPU time per request, zIIP time normalised",
}


def _by_configuration(study: StudyMeasures, *, of_classes: bool) -> Table | None:
    """A row per configuration, the cheapest first, and its change against the baseline."""
    values: dict[str, Values]
    if of_classes:
        values = study.totals()
        names = ["cp_pct", "ziip_on_cp_pct", "ziip_pct", _whole(*values.values())]
    else:
        values, names = {c.name: c.cost for c in study.configurations}, _measures(study)
    if not study.cost_is_known and not of_classes and (waits := delays(study)):
        values, names = (
            {name: {"wait_us_per_transaction": wait} for name, wait in waits.items()},
            ["wait_us_per_transaction"],
        )
    names = [n for n in names if any(row[n] for row in values.values())]
    if not names:
        return None
    lead = names[0]
    known = sorted(
        (c for c in study.configurations if values.get(c.name, {}).get(lead) is not None),
        key=lambda c: values[c.name][lead],
    )
    known += [c for c in study.configurations if c not in known]
    writers = {n: column_writer((values.get(c.name, {}).get(n) for c in known), _half_widths(known, n)) for n in names}
    base = values.get(study.baseline.name, {})
    several = len(known) > 1
    rows = []
    for c in known:
        mine, is_base = values.get(c.name, {}), c is study.baseline
        least = LEAST_BASE_PCT if of_classes else 0.0
        percent = change_pct(base.get(lead), mine.get(lead), least) if of_classes or c.is_relative(lead) else ""
        change = "baseline" if is_base else percent or DASH
        found = c.difference.get(lead)
        sure = [_certainty(found).removeprefix("95% interval ")] if found and not is_base else []
        cells = [Cell(c.name, scope="row"), Cell(writers[lead](mine.get(lead)), _ends(c, lead, writers[lead]))]
        cells += [Cell(change, sure, style="delta")] if several else []
        cells += [Cell(writers[n](mine.get(n))) for n in names[1:]]
        rows.append(Row(cells, style="baseline" if is_base and several else ""))
    heads = [Head("Configuration", left=True), Head(COLUMNS[lead].title, COLUMNS[lead].unit, COLUMNS[lead].doc)]
    has_ends = any(c.difference.get(lead) for c in known)
    heads += [Head("Change", f"against the baseline{', 95% interval' if has_ends else ''}")] if several else []
    heads += [Head(_TITLES.get(n, COLUMNS[n].title), COLUMNS[n].unit, COLUMNS[n].doc) for n in names[1:]]
    return Table("Summary", heads, [Body(rows)], style="summary")


def _ends(configuration: ConfigurationMeasures, name: str, write: Write) -> list[str]:
    ends = spread(configuration.confidence.get(name), write)
    return [ends] if ends else []


def _half_widths(configurations: Sequence[ConfigurationMeasures], name: str) -> list[float]:
    sure = [c.confidence.get(name) for c in configurations]
    return [(s["upper"] - s["lower"]) / 2 for s in sure if s and s["lower"] is not None and s["upper"] is not None]


# --- As text -----------------------------------------------------------------------------------------------------------


def _as_text(heading: str, line: str, judged: Verdict, shown: "FirstScreen", weak: Sequence[Weakness]) -> str:
    """The text of everything on the first screen, and of the weaknesses that only the page shows."""
    lines = [f"{heading}.", f"{verdict_words(judged)}.", line]
    lines += [f"{name}: {words}" for name, words in shown.runs]
    if shown.table:
        lines += ["", *([f"{shown.of}:"] if shown.of else []), *_table_lines(shown.table)]
    if weak:
        lines += ["", "What weakens this:", *(f"{n}. {w.text} {w.settle}" for n, w in enumerate(weak, 1))]
    if shown.waterfall:
        lines += ["", f"{shown.waterfall.title}, {shown.waterfall.unit}:"]
        lines += [f"- {bar.name}: {bar.change}{f' ({bar.note})' if bar.note else ''}" for bar in shown.waterfall.bars]
    if shown.others:
        lines += ["", "Other comparisons:", *(f"- {o.name}: {o.sentence}. {o.verdict}." for o in shown.others)]
    return "\n".join(lines)


def _table_lines(table: Table) -> list[str]:
    """A line per row: its name with its unit, then each column that has a value; dots as numbers."""
    heads = [f"{h.title}, {h.unit}" if h.unit else h.title for h in table.heads]
    lines = []
    for row in table.bodies[0].rows:
        what, *cells = row.cells
        told = []
        for head, cell in zip(heads[1:], cells, strict=False):
            if cell.strip:
                # The label names the dots, and may end with the interval, which is already in the text.
                told += [cell.strip.label.split("; 95% interval")[0], *([cell.text] if cell.text else [])]
            elif cell.text and cell is cells[-1] and len(cells) == 4:
                told.append(cell.text)
            elif cell.text:
                told.append(f"{head} {cell.text}{_in_brackets(cell.notes)}")
        lines.append(f"- {what.text}{_in_brackets(what.notes)}: {'; '.join(told)}")
    return lines


def _in_brackets(notes: Sequence[str]) -> str:
    return f" ({', '.join(notes)})" if notes else ""
