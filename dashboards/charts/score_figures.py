"""Driver results without a time of day: JMH scores."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from .chart import Chart
from .draw_declared import draw
from .spec import Picture

Row = dict[str, Any]


def score_pictures(
    picture: Picture, rows: Sequence[Row], configurations: Sequence[str] = (), prefix: str = ""
) -> list[Chart]:
    """One chart per mode and unit, which cannot share an axis. Colour shows the configuration if several have results, else the
    parameter with the fewest values."""
    kinds = sorted({(row["unit"] or "", row["mode"] or "") for row in rows})
    out = []
    for number, (unit, mode) in enumerate(kinds, 1):
        mine = [r for r in rows if (r["unit"] or "", r["mode"] or "") == (unit, mode)]
        compared = [c for c in configurations if any(r["configuration"] == c for r in mine)]
        mine = by_parameter(mine, "configuration" if len(compared) > 1 else "")
        of_kind = replace(
            picture,
            name=picture.name + (f"_{number}" if len(kinds) > 1 else ""),
            axis=f"Score, {mode}" if mode else "Score",
            measures=[replace(picture.measures[0], unit=unit)],
            of={n: n for n in picture.of if n not in ("mode", "unit", "configuration")} | {"variant": "variant"},
            series="variant",
        )
        drawn = draw(of_kind, mine, compared, prefix)
        out += [drawn] if drawn else []
    return out


def by_parameter(rows: Sequence[Row], by: str = "") -> list[Row]:
    """Rows with the meaning of colour as `variant`: the column `by`, else the parameter with the fewest values, at least two.
    `parameters` holds the other parameters that differ."""
    given = [json.loads(row["parameters"] or "{}") for row in rows]
    values: dict[str, set[str]] = {}
    for one in given:
        for name, value in one.items():
            values.setdefault(name, set()).add(str(value))
    telling = [name for name, found in values.items() if len(found) > 1]
    variant = "" if by else min(telling, key=lambda n: (len(values[n]), n), default="")
    return [
        row
        | {
            "variant": row[by] if by else f"{variant} {one.get(variant, '')}".strip(),
            "parameters": ", ".join(f"{name} {one[name]}" for name in telling if name in one and name != variant),
        }
        for row, one in zip(rows, given, strict=True)
    ]
