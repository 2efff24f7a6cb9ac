"""Results of drivers that know no time, and so belong to the lake and to no study: JMH scores."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go

from .declared import Picture
from .view_pictures import draw

Row = dict[str, Any]


def score_pictures(picture: Picture, rows: Sequence[Row]) -> list[go.Figure]:
    """A picture of each mode and unit, for they have no axis in common."""
    kinds = sorted({(row["unit"] or "", row["mode"] or "") for row in rows})
    out = []
    for number, (unit, mode) in enumerate(kinds, 1):
        mine = by_parameter([r for r in rows if (r["unit"] or "", r["mode"] or "") == (unit, mode)])
        of_kind = replace(
            picture,
            name=picture.name + (f"_{number}" if len(kinds) > 1 else ""),
            axis=f"Score, {mode}" if mode else "Score",
            measures=[replace(picture.measures[0], unit=unit)],
            of={"file": "file", "benchmark": "benchmark", "parameters": "parameters", "variant": "variant"},
        )
        drawn = draw(of_kind, mine, list(dict.fromkeys(r["variant"] for r in mine)))
        out += [drawn] if drawn else []
    return out


def by_parameter(rows: Sequence[Row]) -> list[Row]:
    """Rows with the parameter that has the fewest values, two at least, as `variant`, for colour to tell, and the others that
    differ as `parameters`."""
    given = [json.loads(row["parameters"] or "{}") for row in rows]
    values: dict[str, set[str]] = {}
    for one in given:
        for name, value in one.items():
            values.setdefault(name, set()).add(str(value))
    telling = [name for name, found in values.items() if len(found) > 1]
    variant = min(telling, key=lambda n: (len(values[n]), n), default="")
    return [
        row
        | {
            "variant": f"{variant} {one.get(variant, '')}".strip(),
            "parameters": ", ".join(f"{name} {one[name]}" for name in telling if name in one and name != variant),
        }
        for row, one in zip(rows, given, strict=True)
    ]
