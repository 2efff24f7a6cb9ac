"""Results of drivers that know no time: JMH scores."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go

from .draw import draw
from .spec import Picture

Row = dict[str, Any]


def score_pictures(
    picture: Picture, rows: Sequence[Row], configurations: Sequence[str] = (), prefix: str = ""
) -> list[go.Figure]:
    """A picture of each mode and unit, for they have no axis in common. Colour tells configurations where there are several with
    results, else the parameter of the fewest values."""
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


def by_parameter(rows: Sequence[Row], told_apart: str = "") -> list[Row]:
    """Rows with what colour tells as `variant`: the column `told_apart`, else the parameter that has the fewest values, two at least.
    The other parameters that differ stand in `parameters`."""
    given = [json.loads(row["parameters"] or "{}") for row in rows]
    values: dict[str, set[str]] = {}
    for one in given:
        for name, value in one.items():
            values.setdefault(name, set()).add(str(value))
    telling = [name for name, found in values.items() if len(found) > 1]
    variant = "" if told_apart else min(telling, key=lambda n: (len(values[n]), n), default="")
    return [
        row
        | {
            "variant": row[told_apart] if told_apart else f"{variant} {one.get(variant, '')}".strip(),
            "parameters": ", ".join(f"{name} {one[name]}" for name in telling if name in one and name != variant),
        }
        for row, one in zip(rows, given, strict=True)
    ]
