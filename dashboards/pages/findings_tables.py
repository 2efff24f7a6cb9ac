"""Limits that selected values break: a row per rule and unit, a column per configuration."""

from collections.abc import Sequence

from ..numbers import column_writer
from ..parts import Body, Cell, Head, Row, Table, left, left_heads
from ..study_rows import Row as Finding
from ..study_rows import StudyMeasures

# More subjects than this are counted.
_MOST_NAMED = 3


def findings_tables(studies: Sequence[StudyMeasures]) -> list[Table]:
    """One table per set of configurations. Studies of the same configurations, such as the same work with requests
    counted in two ways, find the same values: these count once."""
    groups: dict[tuple[str, ...], list[StudyMeasures]] = {}
    for study in studies:
        groups.setdefault(tuple(c.name for c in study.configurations), []).append(study)
    found = []
    for names, mine in groups.items():
        for alike in _same_values(mine):
            rows = alike[0].findings
            if rows:
                of = ", ".join(s.name for s in alike) if len(studies) > 1 else ""
                found.append(_table(names, rows, of))
    return found


def _same_values(studies: Sequence[StudyMeasures]) -> list[list[StudyMeasures]]:
    """Studies that found the same values, together."""
    groups: dict[frozenset[tuple[object, ...]], list[StudyMeasures]] = {}
    for study in studies:
        key = frozenset(
            (r["configuration"], r["rule"], r["subject"], r["value"], r["reference"].short) for r in study.findings
        )
        groups.setdefault(key, []).append(study)
    return list(groups.values())


def _table(names: Sequence[str], rows: Sequence[Finding], of: str) -> Table:
    # Limits of one rule may be by kind of structure.
    rules: dict[tuple[str, float | None], list[Finding]] = {}
    for row in rows:
        rules.setdefault((row["rule"], row["limit_value"]), []).append(row)
    columns = [n for n in names if any(r["configuration"] == n for r in rows)]
    without = [r for r in rows if r["configuration"] not in names]
    heads = [*left_heads("Rule"), Head("Limit"), *map(Head, columns), *([Head("All")] if without else []), *left_heads("Source of limit", "Worst printed at")]  # fmt: skip
    body = Body([_row(mine, columns, bool(without)) for mine in rules.values()])
    caption = "How many values break the limit, if they are large enough, with the worst of them and what they are of."
    return Table(
        f"Table of findings{f' of {of}' if of else ''}",
        heads,
        [body],
        f"{of}: {caption}" if of else caption,
        style="words",
    )


def _row(rows: Sequence[Finding], columns: Sequence[str], has_others: bool) -> Row:
    first, worst = rows[0], _worst(rows)
    write = column_writer([r["value"] for r in rows])
    limit = column_writer([first["limit_value"]])(first["limit_value"])
    # A value of a smaller size is not counted.
    least = [] if first["least_size"] is None else [f"and ≥ {first['least_size']:g} {first['size_unit']}"]
    cells = [
        Cell(first["title"], _subjects(rows), scope="row"),
        Cell(f"{first['comparison']} {limit} {_UNITS.get(first['unit'], first['unit'] or '')}".rstrip(), least),
    ]
    groups = [[r for r in rows if r["configuration"] == name] for name in columns]
    if has_others:
        groups.append([r for r in rows if r["configuration"] not in columns])
    for mine in groups:
        if not mine:
            cells.append(Cell("0", style="quiet"))
            continue
        unsure = [] if any(r["is_certain"] for r in mine) else ["within rounding"]
        cells.append(Cell(f"{len(mine):,}", [f"worst {write(_worst(mine)['value'])}", *unsure]))
    return Row([*cells, left(first["rule_source"] or "")], worst["reference"])


# Words of a rule's unit for a value.
_UNITS = {"goals": "(performance index)"}


def _worst(rows: Sequence[Finding]) -> Finding:
    known = [r for r in rows if r["value"] is not None] or list(rows)
    return (min if known[0]["comparison"].startswith("<") else max)(known, key=lambda r: r["value"] or 0)


def _subjects(rows: Sequence[Finding]) -> list[str]:
    names = sorted({r["subject"] for r in rows if r["subject"]})
    if not names:
        return []
    return [
        ", ".join(names)
        if len(names) <= _MOST_NAMED
        else f"{', '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED:,} more"
    ]
