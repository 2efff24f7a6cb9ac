"""Below the data block of a period: goals and actuals, response time distributions, importance."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contents import Breakdown, Goal, OnSystem, Period, ServiceClass
from ..contents.common import ratio
from ..contents.workload import BUCKET_BOUNDS
from ..numbers import clock, show
from ..pages import Section, beside
from . import _workload_forms as forms

_G1_DELAYS = ("CPU", "CAPP", "SWIN", "MPL", "PRIV", "COMM", "XMEM", "VIO", "SHSP", "EHSP")
_G1_BUCKETS = ((0, 1), (1, 6), (6, 12), (12, 14))


def time_text(seconds: float, decimals: int, hour_digits: int = 3) -> str:
    """A time with all its units.

    >>> time_text(0.09, 3, 2), time_text(15, 6)
    ('00.00.00.090', '000.00.15.000000')
    """
    return show(clock(np.array([seconds], float), hour_digits + 7 + decimals, decimals))[0]


def goal_sections(
    layout: str, one: ServiceClass, period: Period, length_s: NDArray[np.float64], zaap: bool
) -> tuple[Section, list[Section]]:
    """The lines directly below a period's block, and the distributions, which may be on the next page."""
    if layout == "G1":
        below, values = _goals_g1(one, period)
    else:
        below, values = _goals(layout, period, zaap)
    return Section(below, values), list(_distributions(layout, period, length_s))


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


def _goals_g1(one: ServiceClass, period: Period) -> tuple[str, dict[str, Any]]:
    """GOALS and ACTUALS of MVS/ESA; transaction classes have no samples, so no using and delay columns."""
    row, goal = period.everywhere, period.goal
    lines, values = [""], {}
    for number, phase in enumerate(one.breakdown):
        if not number:
            lines += ["", *forms.G1_BREAKDOWN_HEAD.split("\n")][1:]
        form, cells = _breakdown(phase)
        lines.append(form.replace("%(", f"%(phase{number}_"))
        values |= {f"phase{number}_{name}": value for name, value in cells.items()}
    if one.breakdown:
        lines.append("")
    index = row.index(goal)
    values |= {"actual": row.actual_s, "perf": "N/A" if index is None else index}
    if goal.kind not in ("average", "velocity"):
        raise ValueError(
            f"class {one.name}: a {goal.kind} goal on a page of MVS/ESA; only average and velocity are known"
        )
    average = goal.kind == "average"
    goals = f"GOALS   {time_text(goal.seconds, 3, 2)}   AVG" if average else f"GOALS{' ' * 23}{goal.percent:4.1f}%"
    response = "%(actual)12.3c" if average else " " * 12
    if one.transactions_only:
        lines += [*forms.G1_SHORT_GOAL_HEAD.split("\n"), goals, f"ACTUALS {response}         N/A  %(perf)4.1f"]
        return "\n" + "\n".join(lines), values
    delays = {title: row.delays.get(title, 0) for title in _G1_DELAYS}
    values |= {f"delay{number}": value for number, value in enumerate(delays.values())}
    values |= {"velocity": row.velocity, "address_spaces": row.address_spaces, "using": row.using_cpu}
    values |= {"delayed": sum(delays.values()), "unknown": row.unknown, "idle": row.idle, "quiesced": row.quiesced}
    cells = [f"%(delay{number})4.1f" for number in range(len(delays))]
    lines += [
        *forms.G1_GOAL_HEAD.split("\n"),
        f"{goals:<81}PRIV COMM XMEM VIO  SHSP EHSP",
        f"ACTUALS {response}       %(velocity)5.1f% %(perf)4.1f  %(address_spaces)5.1f  %(using)4.1f    %(delayed)4.1f "
        f"{' '.join(cells[:4])}  {' '.join(cells[4:])}  %(unknown)4.1f %(idle)4.1f %(quiesced)4.1f",
    ]
    return "\n" + "\n".join(lines), values


def _breakdown(phase: Breakdown) -> tuple[str, dict[str, Any]]:
    """A line of the response time breakdown: TOTAL, 13 states, 3 kinds of switched."""
    cells = [sum(phase.states), *phase.states, *phase.switched]
    gaps = (3, 4, 3, 3, *(3,) * 10, 4, 2, 2)
    form = f"{phase.subsystem:<6}{phase.phase}" + "".join(
        f"{' ' * gap}%(state{number})4.1f" for number, gap in enumerate(gaps)
    )
    return form, {f"state{number}": cell for number, cell in enumerate(cells)}


# --- Distributions ----------------------------------------------------------------------------------------------------


def _distributions(layout: str, period: Period, length_s: NDArray[np.float64]) -> list[Section]:
    """The tables of a period, printed in intervals in which transactions ended."""
    goal, everywhere = period.goal, period.everywhere
    if everywhere.buckets is None or goal.kind not in ("average", "percentile", "velocity"):
        return []
    ended = everywhere.buckets.sum(1) > 0
    when = None if ended.all() else ended
    if layout == "G1":
        return [_distribution_g1(goal, everywhere.buckets, when)] if goal.kind == "average" else []
    decimals, heads = (6, forms.G3_DISTRIBUTION_HEAD) if layout == "G3" else (3, forms.G2_DISTRIBUTION_HEAD)
    if goal.kind != "velocity":
        form, values = _panel(everywhere.buckets, goal.seconds, decimals, "")
        rows = [f"{row}  %(bar{number})51h" for number, row in enumerate(form)]
        top = ["", f"{' ' * 39}----------RESPONSE TIME DISTRIBUTION----------"]
        lines = [*top, *(head + scale for head, scale in zip(heads, forms.SCALE, strict=True)), *rows]
        return [Section("\n".join(lines), values, when)]
    tables = []
    for first in range(0, len(period.systems), 2):
        panels, values = [], {"length": length_s}
        for number, one in enumerate(period.systems[first : first + 2]):
            counts = one.buckets if one.buckets is not None else np.zeros_like(everywhere.buckets)
            form, cells = _panel(counts, one.middle_s, decimals, f"panel{number}_")
            values |= cells
            top = f"SYSTEM: {one.system:<4} ----INTERVAL: %(length)12.3c ---MRT CHANGES:  0 ---"
            panels.append([top, *heads, *form])
        lines = [""]
        if not first:
            lines.append(f"{' ' * 39}----------RESPONSE TIME DISTRIBUTIONS----------")
        if len(panels) == 2:
            lines += [beside(left, right, 67) for left, right in zip(*panels, strict=True)]
        else:
            lines += panels[0]
        tables.append(Section("\n".join(lines), values, when))
    return tables


def _shares(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Counts, running counts, and both as percentages."""
    running = counts.cumsum(1)
    total = running[:, -1:]
    return running, 100 * ratio(counts, total), 100 * ratio(running, total)


def _panel(counts: NDArray[np.int64], middle_s: float, decimals: int, prefix: str) -> tuple[list[str], dict[str, Any]]:
    """The rows of 14 buckets; cum total, in bucket, and both in percent."""
    running, share, running_share = _shares(counts)
    rows, values = [], {}
    for number in range(counts.shape[1]):
        bound = time_text(middle_s * BUCKET_BOUNDS[min(number, len(BUCKET_BOUNDS) - 1)], decimals, 2)
        sign = "> " if number == counts.shape[1] - 1 else "<="
        rows.append(
            f"{sign} {bound}%({prefix}running{number})11d%({prefix}count{number})11d"
            f"       %({prefix}runpct{number})4.1f       %({prefix}pct{number})4.1f"
        )
        values |= {f"{prefix}running{number}": running[:, number], f"{prefix}count{number}": counts[:, number]}
        values |= {f"{prefix}runpct{number}": running_share[:, number], f"{prefix}pct{number}": share[:, number]}
        values[f"{prefix}bar{number}"] = share[:, number]
    return rows, values


def _distribution_g1(goal: Goal, buckets: NDArray[np.int64], when: NDArray[np.bool_] | None) -> Section:
    """Four buckets around an average response time goal, with the graph of the cumulative percentages."""
    counts = np.stack([buckets[:, first:end].sum(1) for first, end in _G1_BUCKETS], axis=1)
    running, share, running_share = _shares(counts)
    lines: list[str] = ["", *forms.G1_DISTRIBUTION_HEAD.split("\n")]
    values: dict[str, Any] = {}
    for number, (sign, factor) in enumerate((("< ", 0.5), ("<=", 1), ("<=", 2), ("> ", 2))):
        bound = time_text(goal.seconds * factor, 3, 2)
        lines.append(
            f"{sign} {bound}%(count{number})11d%(running{number})18d{' ' * 14}%(pct{number})4.1f    %(runpct{number})4.1f"
            f"  %(runpct{number})51h"
        )
        values |= {f"count{number}": counts[:, number], f"running{number}": running[:, number]}
        values |= {f"pct{number}": share[:, number], f"runpct{number}": running_share[:, number]}
    return Section("\n".join(lines), values, when)


# --- Importance -------------------------------------------------------------------------------------------------------


def importance_summary(one: ServiceClass) -> Section:
    """PER IMPORTANCE: one line per period of a class of several, and TOTAL."""
    lines: list[str] = ["", *forms.IMPORTANCE_HEAD.split("\n")]
    values: dict[str, Any] = {"ended_all": one.work.ended, "all": 100 * (np.asarray(one.work.ended) > 0)}
    for number, period in enumerate(one.periods):
        row, goal = period.everywhere, period.goal
        target, actual, total, velocity = " " * 18, " " * 15, " " * 10, " " * 7
        if goal.kind == "percentile":
            target = f"{f'{time_text(goal.seconds, 3, 2)}  {goal.percent:.0f}%':<18}"
            actual, total = f"     %(within{number})4.1f%     ", f"     %(within{number})4.1f%"
        elif goal.kind == "average":
            target, actual = f"{time_text(goal.seconds, 3, 2)} AVG  ", f"%(actual{number})15.6c"
        elif goal.kind == "velocity":
            velocity = f"{goal.percent:7.1f}"
        index = row.index(goal)
        values |= {f"ended{number}": period.work.ended, f"actual{number}": row.actual_s}
        values |= {f"within{number}": row.within_goal(), f"velocity{number}": row.velocity}
        values |= {f"index{number}": "" if index is None else index, f"delayed{number}": row.delayed}
        values[f"using{number}"] = row.using
        values[f"share{number}"] = 100 * ratio(period.work.ended, one.work.ended)
        lines.append(
            f"{period.number:<4d}{period.importance or 6:<12d}%(index{number})4.1f%(ended{number})13d%(share{number})8d     "
            f"{target}{actual}{total}{velocity} %(velocity{number})4.1f    %(using{number})4.1f    %(delayed{number})4.1f"
        )
    lines.append("TOTAL%(ended_all)28d%(all)8d")
    return Section("\n".join(["", *lines]), values)
