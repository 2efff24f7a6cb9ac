"""Below the data block of a period: goals and actuals, response time distributions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...pipeline.printing.numbers import clock, show
from ...pipeline.printing.pages import Section
from ..contents.common import ratio
from ..contents.workload import BUCKET_BOUNDS, Goal, OnSystem, Period
from . import _workload_forms as forms


def time_text(seconds: float, decimals: int, hour_digits: int = 3) -> str:
    """A time with all its units.

    >>> time_text(0.09, 3, 2), time_text(15, 6)
    ('00.00.00.090', '000.00.15.000000')
    """
    return show(clock(np.array([seconds], float), hour_digits + 7 + decimals, decimals))[0]


def goal_sections(layout: str, period: Period, zaap: bool) -> tuple[Section, list[Section]]:
    """The lines directly below a period's block, and the distribution, which may be on the next page."""
    below, values = _goals(layout, period, zaap)
    return Section(below, values), list(_distribution(layout, period))


# --- Goals ------------------------------------------------------------------------------------------------------------


def _goal_line(goal: Goal) -> str:
    if goal.kind == "average":
        return f"GOAL: RESPONSE TIME {time_text(goal.seconds, 3)} AVG"
    if goal.kind == "percentile":
        return f"GOAL: RESPONSE TIME {time_text(goal.seconds, 3)} FOR {goal.percent:3.0f}%"
    if goal.kind == "velocity":
        velocity = f"{goal.percent:.1f}%"
        return f"GOAL: EXECUTION VELOCITY {velocity:<6}    VELOCITY MIGRATION:   I/O MGMT  {velocity:<6}    INIT MGMT {velocity}"
    return f"GOAL: {goal.kind.upper()}"


def _goals(layout: str, period: Period, zaap: bool) -> tuple[str, dict[str, Any]]:
    """Goal line, headings, *ALL and one row per system; the columns of delays differ between periods."""
    goal = period.goal
    wide, decimals = (16, 6) if layout == "G3" else (13, 3)
    rows = [period.everywhere, *period.systems]
    titles = list(period.everywhere.delays)
    below = "ACTUAL%" if goal.kind == "percentile" else "HHH.MM.SS.FFFFFF" if wide == 16 else "HHH.MM.SS.TTT"
    lines = [
        *[""] * (1 if layout == "G3" else 2),
        _goal_line(goal),
        "",
        f"{' ' * 9}{'RESPONSE TIME':<{wide + 1}}EX   PERF  AVG   --EXEC USING%--  -------------- EXEC DELAYS % -----------"
        "  -USING%-  --- DELAY % ---    %",
        f"SYSTEM   {below if goal.kind in ('average', 'percentile') else '':<{wide}} VEL% INDX ADRSP  CPU AAP IIP I/O"
        f"  TOT{''.join(f' {title:>3}' for title in titles):<38}  CRY CNT  UNK IDL CRY CNT  QUI",
        "",
    ]
    values: dict[str, Any] = {}
    for number, row in enumerate(rows):
        holes, cells = _goal_row(row, goal, wide, decimals, zaap)
        lines.append(holes.replace("%(", f"%(row{number}_"))
        values |= {f"row{number}_{name}": value for name, value in cells.items()}
    return "\n".join(lines), values


def _goal_row(row: OnSystem, goal: Goal, wide: int, decimals: int, zaap: bool) -> tuple[str, dict[str, Any]]:
    if goal.kind == "average":
        response = f"%(actual){wide}.{decimals}c"
    elif goal.kind == "percentile":
        response = "  %(within)4.1f%".ljust(len("  %(within)4.1f%") + wide - 7)
    else:
        response = f"{'--N/A--':<{wide}}"
    delays = "".join(f" %(delay{number})3.1f" for number in range(len(row.delays)))
    delays += " " * (38 - 4 * len(row.delays))
    form = (
        f"{row.system:<8} {response} %(velocity)4.1f %(index)4.1f %(address_spaces)5.1f"
        "  %(using_cpu)3.1f %(using_aap)3.1f %(using_iip)3.1f %(using_io)3.1f  %(delayed)3.1f"
        f"{delays}  %(using_crypto)3.1f %(using_contention)3.1f  %(unknown)3.1f %(idle)3.1f %(delay_crypto)3.1f"
        " %(delay_contention)3.1f  %(quiesced)3.1f"
    )
    index = row.index(goal)
    values: dict[str, Any] = {name: value for name, value in vars(row).items() if name not in ("delays", "buckets")}
    values |= {f"delay{number}": value for number, value in enumerate(row.delays.values())}
    values |= {"actual": row.actual_s, "within": row.within_goal(), "velocity": row.velocity, "delayed": row.delayed}
    values["index"] = "N/A" if index is None else index
    if not zaap:
        values["using_aap"] = "N/A"
    return form, values


# --- Distributions ----------------------------------------------------------------------------------------------------


def _distribution(layout: str, period: Period) -> list[Section]:
    """The table of a period with a response time goal, printed in intervals in which transactions ended."""
    goal, buckets = period.goal, period.everywhere.buckets
    if buckets is None:
        return []
    ended = buckets.sum(1) > 0
    decimals, heads = (6, forms.G3_DISTRIBUTION_HEAD) if layout == "G3" else (3, forms.G2_DISTRIBUTION_HEAD)
    form, values = _panel(buckets, goal.seconds, decimals)
    rows = [f"{row}  %(bar{number})51h" for number, row in enumerate(form)]
    top = ["", f"{' ' * 39}----------RESPONSE TIME DISTRIBUTION----------"]
    lines = [*top, *(head + scale for head, scale in zip(heads, forms.SCALE, strict=True)), *rows]
    return [Section("\n".join(lines), values, None if ended.all() else ended)]


def _shares(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Counts, running counts, and both as percentages."""
    running = counts.cumsum(1)
    total = running[:, -1:]
    return running, 100 * ratio(counts, total), 100 * ratio(running, total)


def _panel(counts: NDArray[np.int64], goal_s: float, decimals: int) -> tuple[list[str], dict[str, Any]]:
    """The rows of 14 buckets; cum total, in bucket, and both in percent."""
    running, share, running_share = _shares(counts)
    rows, values = [], {}
    for number in range(counts.shape[1]):
        bound = time_text(goal_s * BUCKET_BOUNDS[min(number, len(BUCKET_BOUNDS) - 1)], decimals, 2)
        sign = "> " if number == counts.shape[1] - 1 else "<="
        rows.append(
            f"{sign} {bound}%(running{number})11d%(count{number})11d       %(runpct{number})4.1f       %(pct{number})4.1f"
        )
        values |= {f"running{number}": running[:, number], f"count{number}": counts[:, number]}
        values |= {f"runpct{number}": running_share[:, number], f"pct{number}": share[:, number]}
        values[f"bar{number}"] = share[:, number]
    return rows, values
