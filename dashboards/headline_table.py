"""The result of a comparison as a table: one row per study and configuration against the baseline."""

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from .certainty import total_certainty, verdict
from .first_screen.compared_facts import fact
from .first_screen.finding import finding, leading_values
from .first_screen.weaknesses import absent_classes, verdict_of, weaknesses
from .numbers import four_digits
from .study_rows import ConfigurationMeasures, Row, StudyMeasures

_OF_CLASSES = {"msu": "MSU", "cp_pct": "CP % of one engine"}
_MEASURES = _OF_CLASSES | {
    "cp_ms_per_request": "CP ms per request",
    "cpu_ms_per_request": "CPU ms per request",
    "busy_ms_per_request": "busy CP ms per request",
    "wait_us": "structure wait µs per transaction",
}
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
    """The table, shown with four digits; NULL is unknown, and empty text means nothing to say. A study without a second
    configuration has no `after`."""
    return pa.Table.from_pylist([row for study in studies for row in _rows(study)], _SCHEMA)


def with_findings(table: pa.Table, studies: Sequence[StudyMeasures]) -> pa.Table:
    """The table with the finding, the verdict with its reason, and the weaknesses from the first screen of each
    study."""
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
    measure, values = leading_values(study)
    (base, before), *others = values.items()
    if len(study.configurations) < 2:
        return [_row(study, base, None, measure, before, None)]
    of = {c.name: c for c in study.configurations}
    return [
        _row(study, base, name, measure, before, after)
        | {"certainty": None if measure == "busy_ms_per_request" else _certainty(study, of[name]), "cautions": _cautions(study, base, name)}
        for name, after in others
    ]  # fmt: skip


def _certainty(study: StudyMeasures, configuration: ConfigurationMeasures) -> str | None:
    difference = configuration.difference.get(study.leads_with)
    if difference:
        return verdict(difference)
    return total_certainty(study, configuration) if study.compares_classes and not study.cost_is_known else None


# Words for the notes on a configuration's data.
_DATA_CAUTIONS: dict[str, Callable[[Row], str]] = {
    "covered": lambda row: f"reports for {row['found'] / row['expected'] * 100:.0f}% of the time",
    "cut": lambda row: f"{row['found'] / row['expected'] * 100:.0f}% of the time outside of the windows",
    "left_out": lambda _: "overlapping intervals left out",
    "conflicting": lambda _: "conflicting prints",
}


def _cautions(study: StudyMeasures, *pair: str) -> str:
    """Doubts about the data of a pair, each with the configurations that share it, and how they differ."""
    of: dict[str, list[str]] = {}
    for note, words in _DATA_CAUTIONS.items():
        for name in pair:
            row = next((r for r in study.notes if (r["configuration"], r["note"]) == (name, note)), None)
            # Above 100% where long intervals reach out of the window: `cut` says that.
            if row and (note != "covered" or row["found"] < row["expected"]):
                of.setdefault(words(row), []).append(name)
    found = [f"{words} in {' and '.join(names)}" for words, names in of.items()]
    found += [caution for name in pair for caution in absent_classes(study, name)]
    found += [fact(w["warning"]).caution for w in study.warnings if {w["configuration"], w["baseline"]} == {*pair}]
    return ", ".join(dict.fromkeys([*found, *(["classes of both kinds"] if study.charges_both_kinds else [])]))


def _row(
    study: StudyMeasures, baseline: str, other: str | None, measure: str, before: float | None, after: float | None
) -> dict[str, Any]:
    has_digits = measure not in _OF_CLASSES or study.class_base_has_digits
    is_known = before and has_digits and after is not None
    return {
        "study": study.name,
        "compared": f"{baseline} → {other}" if other else baseline,
        "measure": _MEASURES[measure],
        "before": _rounded(before),
        "after": _rounded(after),
        # Plus 0.0 takes the sign from -0.0.
        "change_pct": round((after / before - 1) * 100, 1) + 0.0 if is_known else None,  # type: ignore[operator]
        "certainty": None,
        "cautions": "",
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(four_digits(value).replace(",", ""))
