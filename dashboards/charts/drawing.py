"""Colours and words that charts share."""

from collections.abc import Mapping
from typing import Any

Row = Mapping[str, Any]

# One palette per meaning, no colour in two of them; each has a contrast of 3 to all grounds, the shaded ones too.
# Hatching and symbols help readers who cannot tell the colours apart.
# By processor: work for general processors alone, zIIP-eligible work on general processors, work on zIIPs.
PART_COLORS = {
    "non_ziip_eligible_pct": "#2f74b5",
    "ziip_on_cp_pct": "#c9740a",
    "ziip_pct": "#848a93",
    "other_pct": "#70757e",
}
# Configurations, the baseline in grey.
RUN_COLORS = ("#6d727b", "#1a8f7a", "#8a63d2", "#b8503a", "#84871c", "#b84a95", "#8c6a3f", "#3f9440")
# All other series; a single series has the first colour.
SERIES_COLORS = ("#5f6f86", "#a07f3f", "#8a5a7a", "#5f8a6a", "#767bb0", "#9a6a5a")


def run_color(turn: int) -> str:
    return RUN_COLORS[turn % len(RUN_COLORS)]


def series_color(turn: int) -> str:
    return SERIES_COLORS[turn % len(SERIES_COLORS)]


def lower_first(words: str) -> str:
    """
    >>> lower_first("General-processor time"), lower_first("CPU per request")
    ('general-processor time', 'CPU per request')
    """
    return words if words[1:2].isupper() else words[:1].lower() + words[1:]
