"""The result of a comparison as a table: one row per study and configuration against the baseline."""

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from .certainty import total_certainty, verdict
from .first_screen.compared_facts import fact
from .first_screen.finding import delays, finding
from .first_screen.weaknesses import absent_classes, verdict_of, weaknesses
from .numbers import four_digits
from .study_rows import ConfigurationMeasures, Row, StudyMeasures

_OF_CLASSES = {"msu": "MSU", "cp_pct": "CP % of one engine"}
_MEASURES = {"cp_ms_per_request": "CP ms per request", "cpu_ms_per_request": "CPU ms per request"}
_SCHEMA = pa.schema(
    [
        ("study", pa.string()),
        ("compared", pa.string()),
        ("measure", pa.string()),
        ("before", pa.float64()),
        ("after", pa.float64()),
        ("change_pct", pa.float64()),
        ("certainty", pa.string()),
        ("cautions", pa.string()),
    ]
)


def summary(studies: list[StudyMeasures]) -> pa.Table:
    """Shown with four digits; NULL is not known, and empty text is nothing to say. A study without a second configuration has no `after`."""
    return pa.Table.from_pylist([row for study in studies for row in _rows(study)], _SCHEMA)


def with_findings(table: pa.Table, studies: Sequence[StudyMeasures]) -> pa.Table:
    """The table with what the first screen of the page says of each study: its finding, verdict with reason, and weaknesses."""
    of = {s.name: (finding(s), verdict_of(s), [f"{w.text} {w.settle}" for w in weaknesses(s)]) for s in studies}
    mine = [of[name] for name in table["study"].to_pylist()]
    columns: dict[str, tuple[list[Any], pa.DataType]] = {
        "finding": ([found for found, _, _ in mine], pa.string()),
        "verdict": ([judged.level for _, judged, _ in mine], pa.string()),
        "reason": ([judged.reason for _, judged, _ in mine], pa.string()),
        "weaknesses": ([weak for _, _, weak in mine], pa.list_(pa.string())),
    }
    for name, (values, kind) in columns.items():
        table = table.append_column(name, pa.array(values, kind))
    return table


def _rows(study: StudyMeasures) -> list[dict[str, Any]]:
    base, others = study.baseline, study.configurations[1:]
    coupled = next((r for r in study.coupling if r["busy_basis"] == "cp" and r["busy_ms_per_request_coupled"]), None)
    if coupled and base.cost[study.leads_with] is None:
        values = coupled["busy_ms_per_request_uncoupled"], coupled["busy_ms_per_request_coupled"]
        names = coupled["uncoupled"], coupled["coupled"]
        return [_row(study, *names, "busy CP ms per request", *values, _cautions(study, *names))]
    measure, values = _values(study)
    if not others:
        return [_row(study, base.name, None, measure, values.get(base.name), None, "")]
    return [
        _row(study, base.name, c.name, measure, values.get(base.name), values.get(c.name), _cautions(study, base.name, c.name))
        | {"certainty": _certainty(study, c)}
        for c in others
    ]  # fmt: skip


def _values(study: StudyMeasures) -> tuple[str, dict[str, float | None]]:
    """What the headline leads with, by configuration."""
    name = study.leads_with
    values = {c.name: c.cost[name] for c in study.configurations}
    if all(value is None for value in values.values()):
        if study.compares_classes:
            return _OF_CLASSES[study.class_measure], study.class_totals()
        if waits := delays(study):
            return "structure wait µs per transaction", waits
    return _MEASURES[name], values


def _certainty(study: StudyMeasures, configuration: ConfigurationMeasures) -> str | None:
    difference = configuration.difference.get(study.leads_with)
    if difference:
        return verdict(difference)
    return total_certainty(study, configuration) if study.compares_classes and not study.cost_is_known else None


# What a configuration's notes say of its data.
_DATA_CAUTIONS: dict[str, Callable[[Row], str]] = {
    "covered": lambda row: f"reports for {row['found'] / row['expected'] * 100:.0f}% of the time",
    "cut": lambda row: f"{row['found'] / row['expected'] * 100:.0f}% of the time outside of the windows",
    "left_out": lambda _: "overlapping intervals left out",
    "conflicting": lambda _: "conflicting prints",
}


def _cautions(study: StudyMeasures, *pair: str) -> str:
    """What makes the data of a pair doubtful, each with the configurations that share it, and how they differ."""
    of: dict[str, list[str]] = {}
    for note, words in _DATA_CAUTIONS.items():
        for name in pair:
            row = next((r for r in study.notes if (r["configuration"], r["note"]) == (name, note)), None)
            # More than the window is there where long intervals reach out of it, and `cut` says that.
            if row and (note != "covered" or row["found"] < row["expected"]):
                of.setdefault(words(row), []).append(name)
    found = [f"{words} in {' and '.join(names)}" for words, names in of.items()]
    found += [caution for name in pair for caution in absent_classes(study, name)]
    found += [fact(w["warning"]).caution for w in study.warnings if {w["configuration"], w["baseline"]} == {*pair}]
    return ", ".join(dict.fromkeys([*found, *(["classes of both kinds"] if study.charges_both_kinds else [])]))


def _row(
    study: StudyMeasures, baseline: str, other: str | None, measure: str, before: float | None, after: float | None, cautions: str
) -> dict[str, Any]:  # fmt: skip
    # Plus 0.0: what rounds to 0 has no sign.
    has_digits = measure not in _OF_CLASSES.values() or study.class_base_has_digits
    return {
        "study": study.name,
        "compared": f"{baseline} → {other}" if other else baseline,
        "measure": measure,
        "before": _rounded(before),
        "after": _rounded(after),
        "change_pct": round((after / before - 1) * 100, 1) + 0.0
        if before and has_digits and after is not None
        else None,
        "certainty": None,
        "cautions": cautions,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(four_digits(value).replace(",", ""))
