"""What a chart shows, for tests: of a chart, or of its data as a page packs them."""

from collections.abc import Mapping
from typing import Any

from ironlake.dashboards.charts.chart import Chart, data


def series(chart: Any) -> list[dict[str, Any]]:
    """The series that are data, and not drawn only."""
    found: Mapping[str, Any] = data(chart) if isinstance(chart, Chart) else chart
    return [one for one in found["series"] if one["measure"]]


def told(chart: Any) -> dict[str, list[float | None]]:
    """The values of each series; None where a line ends."""
    return {one["name"]: one["values"] for one in series(chart)}


def rows_of(chart: Chart) -> list[str]:
    """The names along the axis, headings in brackets."""
    return [row.name if row.lanes else f"[{row.name}]" for row in chart.rows]


def words_of(chart: Chart) -> list[str]:
    """What is beside marks."""
    return [lane.words for lane in chart.lanes if lane.words]
