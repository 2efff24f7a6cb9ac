"""What charts share: colours, bare figures, marks and labels.

layout.meta of a figure has a stable id, a description, the source view, and the names of its CSV columns. `meta` of a data trace
names its measure; `customdata` has the texts that the CSV puts before measure, value and unit. Names from reports are escaped where
plotly would read markup; customdata has them unescaped.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

Row = Mapping[str, Any]

# One palette per meaning, no colour in two of them; each has a contrast of 3 to all grounds, the shaded ones too. Hatching and symbols tell apart
# what colours do not to everyone.
# What may run where: on general processors alone, on them though a zIIP would do, on zIIPs.
PART_COLORS = {
    "non_ziip_eligible_pct": "#2f74b5",
    "ziip_on_cp_pct": "#c9740a",
    "ziip_pct": "#848a93",
    "other_pct": "#70757e",
}
# Configurations, the baseline in grey.
RUN_COLORS = ("#6d727b", "#1a8f7a", "#8a63d2", "#b8503a", "#84871c", "#b84a95", "#8c6a3f", "#3f9440")
# All other series: the first stands alone where there is one.
SERIES_COLORS = ("#5f6f86", "#a07f3f", "#8a5a7a", "#5f8a6a", "#767bb0", "#9a6a5a")
# The number of symbols and of hatchings differs from that of colours, so combinations repeat late.
RUN_SYMBOLS = ("circle-open", "circle", "diamond", "square", "triangle-up", "cross", "triangle-down", "star", "hexagon")
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def layout_of(figure: go.Figure) -> Any:
    """The layout of a figure; plotly declares no types for it."""
    return figure.layout


def text(name: object) -> str:
    """A name as plotly text, markup escaped."""
    return escape(str(name), quote=False)


def lower_first(words: str) -> str:
    """
    >>> lower_first("General-processor time"), lower_first("CPU per request")
    ('general-processor time', 'CPU per request')
    """
    return words if words[1:2].isupper() else words[:1].lower() + words[1:]


def short(value: float) -> float:
    """A value rounded to the digits that a chart can show."""
    return float(f"{value:.6g}")


def faint(color: str) -> str:
    """A colour (#rrggbb) made transparent.

    >>> faint("#2f74b5")
    'rgba(47,116,181,0.22)'
    """
    red, green, blue = (int(color[n : n + 2], 16) for n in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.22)"


_PATTERNS = ("", "/", ".", "-", "\\", "x", "+")


def fill(color: str, turn: int) -> dict[str, Any]:
    """The fill of a bar: its colour, and a hatching that separates neighbours without colour."""
    pattern = {"shape": _PATTERNS[turn % len(_PATTERNS)], "size": 6, "solidity": 0.25, "fillmode": "overlay"}
    return {
        "color": color,
        "line": {"width": 1, "color": "rgba(128,128,128,0.35)"},
        "pattern": pattern | {"fgcolor": "rgba(255,255,255,0.75)"},
    }


def bare_figure(
    figure_id: str, title: str, description: str, view: str, unit: str, csv: Sequence[str], value_axis: str, height: int
) -> go.Figure:
    """A figure without traces, with the common layout."""
    figure = go.Figure()
    figure.update_layout(
        title={"text": title},
        meta={
            "id": figure_id,
            "description": description,
            "view": view,
            "unit": unit,
            "csv": list(csv),
            "value_axis": value_axis,
        },
        height=height,
        font={"family": FONT, "size": 13},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        margin={"l": 12, "r": 24, "t": 40, "b": 52},
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom", "traceorder": "normal"},
        hoverlabel={"align": "left"},
        template="none",
    )
    axis = {
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "automargin": True,
        "gridcolor": "rgba(128,128,128,0.25)",
    }
    axis |= {"ticklabelstandoff": 6, "separatethousands": True, "title": {"font": {"size": 13}, "standoff": 14}}
    figure.update_xaxes(axis)
    figure.update_yaxes(axis)
    return figure


def write_beside(
    figure: go.Figure, x: Sequence[float], y: Sequence[float], words: Sequence[str], size: int = 12, side: str = "right"
) -> None:
    """Texts right (or left) of bars or marks."""
    figure.add_scatter(
        mode="text", x=x, y=y, text=words, textposition=f"middle {side}", textfont={"size": size}, hoverinfo="skip",
        showlegend=False, cliponaxis=False,
    )  # fmt: skip


def mark_paid(figure: go.Figure, x: Sequence[float], y: Sequence[float], size: int, width: float) -> None:
    """General-processor time as a vertical mark on each bar."""
    marker = {"symbol": "line-ns-open", "size": size, "color": "rgba(128,128,128,1)", "line": {"width": width}}
    figure.add_scatter(mode="markers", x=x, y=y, marker=marker, hoverinfo="skip", showlegend=False)


def name_rows(figure: go.Figure, names: Sequence[str], has_grid: bool = False, *, are_written: bool = False) -> None:
    """The names of rows of bars or marks, the first at the top. `are_written`: they are plotly text already."""
    at = list(range(len(names)))
    ends = [max(1, len(names)) - 0.5, -0.5]
    written = [name if are_written else text(name) for name in names]
    figure.update_yaxes(tickvals=at, ticktext=written, range=ends, showgrid=has_grid)


def run_marker(turn: int) -> dict[str, Any]:
    color = RUN_COLORS[turn % len(RUN_COLORS)]
    symbol = RUN_SYMBOLS[turn % len(RUN_SYMBOLS)]
    return {"color": color, "symbol": symbol, "size": 11, "line": {"color": color, "width": 2}}
