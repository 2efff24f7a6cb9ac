"""The sections around the data block: page heading, class header, goals, distributions, importance, policy page.

Every function returns whole lines without carriage control, in the print positions of the layout of its release.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from .cells import fit, full_time, share
from .facts import Facts, Period, ServiceClass, Site, buckets, split

_IMPORTANCE_WORDS = ("", "HIGHEST", "HIGH", "MEDIUM", "LOW", "LOWEST")
_BOUNDS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 2.0, 4.0)
_SCALE = "0    10   20   30   40   50   60   70   80   90   100"
_TICKS = "|....|....|....|....|....|....|....|....|....|....|"

G1_BREAKDOWN_HEAD: str = """\
           -------------------------------RESPONSE TIME BREAKDOWN IN PERCENTAGE-----------------------------   ------STATE------
SUB    P   TOTAL  ACTIVE  READY   IDLE   ----------------------------WAITING FOR----------------------------   SWITCHED TIME (%)
TYPE                                     LOCK    I/O   CONV   DIST  LOCAL  SYSPL  REMOT  TIMER   PROD   MISC   LOCAL SYSPL REMOT"""

G1_GOAL_HEAD: str = """\
        ---RESPONSE TIME---  EX   PERF   AVG   USING  ------------------ EXECUTION DELAYS % ------------------ ---DELAY  %---
        HH.MM.SS.TTT         VEL  INDX  ADRSP  CPU %  TOTAL  CPU CAPP SWIN  MPL  -AUXILIARY PAGE DELAY % FROM-  OTHR IDLE QUIE"""

G1_SHORT_GOAL_HEAD: str = """\
        ---RESPONSE TIME---  EX   PERF
        HH.MM.SS.TTT         VEL  INDX"""

IMPORTANCE_HEAD: str = """\
PER IMPORTANCE  PERF     --TRANSACTIONS--     ---------------RESPONSE TIME---------------   -EX VEL%-   TOTAL   -EXE--
                INDX     -NUMBER-     -%-     ------GOAL------  -----ACTUAL----     TOTAL   GOAL  ACT   USING%  DELAY%"""

_POLICY_HEAD = """\
SERVICE DEFINITION: {definition:<48}  -SERVICE DEFINITION COEFFICIENTS-   -NORM FACTORS-
  INSTALL DATE: {installed}  INSTALLED BY: {user:<8}                IOC     CPU     SRB     MSO       AAP     IIP
  POLICY: {policy:<8}  {words}
  {options[0]:<71}{ioc:>5}   {cpu:>5}   {srb:>5}  {mso}    {aap}  {iip}
  {options[1]}
  {options[2]}"""

G2_RESOURCE_HEAD: str = """\
RESOURCE GROUPS
  --NAME--    ----------DESCRIPTION-----------     -SERVICE-    ACTUAL SUs     ---------------CAPACITY--------------   --MEMORY--
                                                     CLASS       CONSUMED           MIN        MAX   DEFINED AS           LIMIT
"""

G3_RESOURCE_HEAD: str = """\
RESOURCE GROUPS
  --NAME--   ----------DESCRIPTION-----------   -SYSTEM-   ---CPU CONSUMPTION---   --------CPU CAPACITY---------   ----MEMORY----
                                                            #CPS    MSU  SU/SEC      MIN    MAX    DEFINED AS       USAGE   LIMIT
"""


@dataclass(frozen=True)
class Interval:
    """One printed interval: its start, its true length (a little off the clock) and the number of its first page."""

    start: datetime
    length_s: float
    activated: datetime

    @property
    def end(self) -> datetime:
        return self.start + timedelta(seconds=self.length_s)


def _date(when: datetime) -> str:
    return when.strftime("%m/%d/%Y")


def _time(when: datetime) -> str:
    return when.strftime("%H.%M.%S")


def heading(site: Site, interval: Interval, page: int) -> list[str]:
    """Title, PAGE, the two heading lines and the policy activation."""
    title, page_at, left, middle = {"G1": (47, 117, 6, 30), "G2": (44, 117, 6, 30), "G3": (49, 119, 8, 32)}[site.layout]
    system = "MVS/ESA" if site.layout == "G1" else f"z/OS {site.release}"
    if site.layout == "G1":
        below = " " * left + f"{site.release:<24}RPT VERSION 5.1.0"
    elif site.converted:
        below = " " * (middle - 5) + f"CONVERTED TO z/OS {site.release} RMF"
    else:
        below = " " * middle + f"RPT VERSION {site.release} RMF"
    first = f"{' ' * left}{system:<24}SYSPLEX {site.sysplex:<8}"
    if site.duration:
        minutes = round(interval.length_s / 60)
        when = f"START {_date(interval.start)}-{_time(interval.start)} INTERVAL {minutes // 60:03d}.{minutes % 60:02d}.00   "
        end = interval.start + timedelta(minutes=minutes)
        below = f"{below:<{middle + 27}}END   {_date(end)}-{_time(end)}"
    else:
        minutes, rest = divmod(round(interval.length_s * 1000), 60_000)
        length = f"INTERVAL {minutes:02d}.{rest // 1000:02d}.{rest % 1000:03d}"
        when = f"DATE {_date(interval.start)}           {length}   "
        below = f"{below:<{middle + 27}}TIME {_time(interval.start)}"
    return [
        " " * title + "W O R K L O A D   A C T I V I T Y",
        f"{' ' * page_at}PAGE{page:4d}",
        f"{first:<{middle + 27}}{when}MODE = GOAL",
        below,
        "",
        f"{' ' * (middle + 10)}POLICY ACTIVATION DATE/TIME {_date(interval.activated)} {_time(interval.activated)}",
    ]


def rule(layout: str, section: str) -> str:
    """The dashed rule of a section, cut where the line ends."""
    dashes = 110 if layout == "G3" else 108
    return ("-" * dashes + " " + section)[:132]


def class_header(site: Site, one: ServiceClass | None, workload: str, period: Period | None) -> list[str]:
    """The line that names policy, workload, class and period, and the lines below it. `one` None: a whole workload, or
    the policy where `workload` is empty as well."""
    layout = site.layout
    line = f"POLICY={site.policy:<8}  " if layout == "G3" else f"REPORT BY: POLICY={site.policy:<8}  "
    at = 38 if layout == "G3" else 49
    report_class = one is not None and not one.workload
    if one is None:
        return [(line + (f" WORKLOAD={workload}" if workload else "")).rstrip()]
    tail = f"PERIOD={period.number}" if period else ""
    if report_class:
        tenant = f"TENANT={one.tenant:<8}   " if one.tenant else ""
        lines = [f"{line} {tenant}REPORT CLASS={one.name:<8}   {tail}".rstrip()]
        if period:
            return [*lines, f"{' ' * at}HOMOGENEOUS: GOAL DERIVED FROM SERVICE CLASS {site.classes[0].name}"]
        return [*lines, f"{' ' * at}DESCRIPTION  ={one.description}"]
    if period and period.kind in ("average", "percentile", "velocity"):
        importance = _IMPORTANCE_WORDS[period.importance] if layout == "G1" else str(period.importance)
        tail += f" IMPORTANCE={importance}"
    group = one.resource_group or "*NONE"
    names = f"{line} WORKLOAD={one.workload:<8}  "
    class_at = names if layout != "G3" else names.rstrip().ljust(38)
    gap = "     " if layout == "G3" else "   "
    lines = [f"{class_at.ljust(at)}SERVICE CLASS={one.name:<8}{gap}RESOURCE GROUP={group:<8}   {tail}".rstrip()]
    if layout == "G1":
        return [*lines, " " * 63 + one.description] if period is None or period.number == 1 else lines
    priority = " " * 26 + "I/O PRIORITY GROUP=HIGH" if one.io_group_high else ""
    if not one.honor_priority:
        priority = " " * 2 + "HONOR PRIORITY=NO"
    lines.append(f"{' ' * at}CRITICAL     ={one.critical:<11}{priority}".rstrip())
    if period is None:
        lines.append(f"{' ' * at}DESCRIPTION  ={one.description}")
    return lines


def served(one: ServiceClass) -> list[str]:
    """The classes that address spaces of this class serve, eight names a line."""
    head = "-" * 47 + "SERVICE CLASSES BEING SERVED" + "-" * 54
    names = one.served
    return ["", head, *("  ".join(f"{n:<8}" for n in names[i : i + 8]).rstrip() for i in range(0, len(names), 8))]


# --- Goals --------------------------------------------------------------------------------------------------------


def goal_line(period: Period) -> str:
    """The GOAL line of G2 and G3."""
    if period.kind == "average":
        return f"GOAL: RESPONSE TIME {full_time(period.goal_s, 3)} AVG"
    if period.kind == "percentile":
        return f"GOAL: RESPONSE TIME {full_time(period.goal_s, 3)} FOR {period.goal_pct:3.0f}%"
    if period.kind == "velocity":
        velocity = f"{period.goal_pct:.1f}%"
        return f"GOAL: EXECUTION VELOCITY {velocity:<6}    VELOCITY MIGRATION:   I/O MGMT  {velocity:<6}    INIT MGMT {velocity}"
    return f"GOAL: {period.kind.upper()}"


def goals(rng: Random, site: Site, period: Period, facts: Facts) -> list[str]:
    """Goal line, headings and one row a system behind *ALL (G2 and G3); the delay columns vary from block to block."""
    r = rng.random
    wide = 16 if site.layout == "G3" else 13
    titles = site.delay_titles[: rng.randint(1, len(site.delay_titles))]
    below = "ACTUAL%" if period.kind == "percentile" else "HHH.MM.SS.FFFFFF" if wide == 16 else "HHH.MM.SS.TTT"
    head = (
        f"{' ' * 9}{'RESPONSE TIME':<{wide + 1}}EX   PERF  AVG   --EXEC USING%--  -------------- EXEC DELAYS % -----------"
        "  -USING%-  --- DELAY % ---    %"
    )
    columns = "".join(f" {t:>3}" for t in titles)
    titles_line = (
        f"SYSTEM   {below if period.kind in ('average', 'percentile') else '':<{wide}} VEL% INDX ADRSP  CPU AAP IIP I/O"
        f"  TOT{columns:<38}  CRY CNT  UNK IDL CRY CNT  QUI"
    )
    lines = [goal_line(period), "", head, titles_line, ""]
    for system in ("*ALL", *site.systems):
        velocity = min(100.0, period.goal_pct * (0.4 + 1.6 * r()))
        index = f"{0.3 + 2 * r():.1f}" if period.kind in ("average", "percentile", "velocity") else ""
        if period.kind == "average":
            of_system = 0.5 + r()
            response = full_time(facts["actual"] * (of_system if system != "*ALL" else 1), 6 if wide == 16 else 3)
        elif period.kind == "percentile":
            response = f"{fit(60 + 40 * r(), 4, 1)}%".rjust(7)
        else:
            response = "--N/A--"
        delays = [10 * r() ** 4 for _ in titles]
        delay_cells = "".join(f" {fit(d, 3, 1):>3}" for d in delays)
        total = fit(round(sum(round(d, 1) for d in delays), 1), 3, 1)
        aap = "0.0" if site.aap else "N/A"
        idle = fit(100 * r(), 3, 1) if r() < 0.9 else "100"
        lines.append(
            f"{system:<8} {response:<{wide}} {fit(velocity, 4, 1):>4} {index:>4} {fit(40 * r() ** 2, 5, 1):>5}"
            f"  {9 * r():3.1f} {aap} {3 * r():3.1f} {2 * r():3.1f}  {total:>3}{delay_cells:<38}"
            f"  {0:3.1f} {r():3.1f}  {9 * r():3.1f} {idle:>3} {0:3.1f} {r():3.1f}  {0:3.1f}"
        )
    return lines


def goals_g1(rng: Random, period: Period, facts: Facts, transaction_only: bool) -> list[str]:
    """GOALS and ACTUALS of MVS/ESA; transaction classes have no samples, so no using and delay columns."""
    r = rng.random
    response = full_time(facts["actual"], 3, 2)
    index = f"{0.3 + 2 * r():.1f}"
    if transaction_only:
        goal = f"GOALS   {full_time(period.goal_s, 3, 2)}   AVG"
        return [*G1_SHORT_GOAL_HEAD.split("\n"), goal, f"ACTUALS {response}         N/A {index:>5}"]
    if period.kind == "average":
        goal, response = f"GOALS   {full_time(period.goal_s, 3, 2)}   AVG", response
    else:
        goal, response = f"GOALS{' ' * 23}{period.goal_pct:4.1f}%", " " * 12
    delays = [3 * r() ** 4 for _ in range(10)]
    cpu, capp, swin, mpl, *pages = (f"{d:4.1f}" for d in delays)
    velocity = f"{fit(100 * r(), 4, 1)}%"
    total = fit(sum(round(d, 1) for d in delays), 4, 1)
    actuals = (
        f"ACTUALS {response}      {velocity:>7}{index:>5}{fit(160 * r() ** 3, 5, 1):>7}  {fit(30 * r() ** 2, 4, 1):>4}"
        f"    {total:>4} {cpu} {capp} {swin} {mpl}  {' '.join(pages)}  {r():4.1f} {fit(100 * r(), 4, 1):>4} {0:4.1f}"
    )
    names = "PRIV COMM XMEM VIO  SHSP EHSP"
    return [*G1_GOAL_HEAD.split("\n"), f"{goal:<81}{names}", actuals]


def breakdown_g1(rng: Random, subsystem: str) -> list[str]:
    """States of a CICS or IMS transaction class, for both phases."""
    lines = G1_BREAKDOWN_HEAD.split("\n")
    for phase in ("BTE", "EXE"):
        states = [round(20 * rng.random() ** 3, 1) for _ in range(13)]
        cells = [sum(states), *states, *(round(40 * rng.random() ** 2, 1) for _ in range(3))]
        widths = (8, 8, 7, 7, 7, *(7,) * 9, 8, 6, 6)
        ends = "".join(f"{fit(c, 4, 1):>{w}}" for c, w in zip(cells, widths, strict=True))
        lines.append(f"{subsystem:<6}{phase}{ends[1:]}")
    return lines


# --- Distributions ------------------------------------------------------------------------------------------------


def distribution_g1(rng: Random, period: Period, transactions: int) -> list[str]:
    """Four buckets around an average response time goal, with the graph of the cumulative percentages."""
    counts = buckets(rng, transactions, 4)
    lines = [
        "-" * 49 + "RESPONSE TIME DISTRIBUTION" + "-" * 52,
        f"   ----TIME----    ---NUMBER TRANSACTIONS---           ----PERCENT----  {_SCALE}",
        f"   HH.MM.SS.TTT    BUCKETS             TOTAL           BUCKETS   TOTAL  {_TICKS}",
    ]
    total = 0
    for sign, factor, count in zip(("< ", "<=", "<=", "> "), (0.5, 1, 2, 2), counts, strict=True):
        total += count
        bound = full_time(period.goal_s * factor, 3, 2)
        graph = ">" * min(51, round(51 * total / transactions)) if transactions else ""
        pct, cumulative = share(count, transactions), share(total, transactions)
        lines.append(f"{sign} {bound}{count:11d}{total:18d}{pct:>18}{cumulative:>8}  {graph}".rstrip())
    return lines


def _bucket_cells(goal_s: float, counts: list[int], decimals: int) -> list[str]:
    """Bound, counts and percentages of 14 buckets, in the columns of one panel."""
    transactions, total, rows = sum(counts), 0, []
    width = 9 + decimals
    for number, count in enumerate(counts):
        total += count
        bound = full_time(goal_s * _BOUNDS[min(number, 12)], decimals, 2)
        sign = "> " if number == 13 else "<="
        rows.append(
            f"{sign} {bound:<{width}}{total:11d}{count:11d}{share(total, transactions):>11}{share(count, transactions):>11}"
        )
    return rows


def distribution(rng: Random, site: Site, period: Period, transactions: int) -> list[str]:
    """One table of 14 buckets for a response time goal, with its graph."""
    decimals = 6 if site.layout == "G3" else 3
    counts = buckets(rng, transactions, 14)
    time, unit = ("-----TIME------", "HH.MM.SS.FFFFFF") if decimals == 6 else ("----TIME----", "HH.MM.SS.TTT")
    lines = [
        f"{' ' * 39}----------RESPONSE TIME DISTRIBUTION----------",
        f"   {time}  ---# TRANSACTIONS---  ---% TRANSACTIONS---  {_SCALE}",
        f"   {unit}  CUM TOTAL  IN BUCKET  CUM TOTAL  IN BUCKET  {_TICKS}",
    ]
    for row, count in zip(_bucket_cells(period.goal_s, counts, decimals), counts, strict=True):
        graph = ">" * min(51, round(51 * count / transactions) + (count > 0)) if transactions else ""
        lines.append(f"{row}  {graph}".rstrip())
    return lines


def distributions(rng: Random, site: Site, transactions: int, length_s: float) -> list[list[str]]:
    """Tables of 14 buckets a system for a velocity goal, two systems side by side; a pair stays on its page."""
    decimals = 6 if site.layout == "G3" else 3
    time, unit = ("-----TIME------", "HH.MM.SS.FFFFFF") if decimals == 6 else ("----TIME----", "HH.MM.SS.TTT")
    heads = (
        f"   {time}  ---# TRANSACTIONS---  ---% TRANSACTIONS---",
        f"   {unit}  CUM TOTAL  IN BUCKET  CUM TOTAL  IN BUCKET",
    )
    panels = []
    for system, share_of in zip(site.systems, split(rng, transactions, len(site.systems)), strict=True):
        interval = full_time(length_s - rng.randint(0, 3) / 1000, 3, 2)
        top = f"SYSTEM: {system:<4} ----INTERVAL: {interval} ---MRT CHANGES: {rng.randint(0, 2):2d} ---"
        rows = _bucket_cells(rng.choice([0.05, 0.247, 0.385, 2.0]), buckets(rng, share_of, 14), decimals)
        panels.append([top, *heads, *rows])
    pairs = [panels[number : number + 2] for number in range(0, len(panels), 2)]
    tables = [
        [f"{left:<67}{right}" for left, right in zip(*pair, strict=True)] if len(pair) == 2 else pair[0]
        for pair in pairs
    ]
    tables[0].insert(0, f"{' ' * 39}----------RESPONSE TIME DISTRIBUTIONS----------")
    return tables


def importance_summary(rng: Random, periods: list[Period], parts: list[Facts]) -> list[str]:
    """PER IMPORTANCE: a line a period of a class of several, and TOTAL."""
    ended = sum(p["ended"] for p in parts)
    lines = IMPORTANCE_HEAD.split("\n")
    for period, part in zip(periods, parts, strict=True):
        r = rng.random
        goal = actual = total = velocity_goal = ""
        if period.kind == "percentile":
            goal, actual = f"{full_time(period.goal_s, 3, 2)}  {period.goal_pct:.0f}%", f"     {60 + 39 * r():.1f}%"
            total = f"{60 + 39 * r():.1f}%"
        elif period.kind == "average":
            goal, actual = f"{full_time(period.goal_s, 3, 2)} AVG", full_time(part["actual"], 6, 2)
        elif period.kind == "velocity":
            velocity_goal = f"{period.goal_pct:.1f}"
        index = f"{0.3 + 2 * r():.1f}" if goal or velocity_goal else ""
        share_of = f"{100 * part['ended'] / ended if ended else 0:.0f}"
        velocity, using, delay = fit(100 * r(), 4, 1), fit(60 * r(), 4, 1), fit(20 * r(), 4, 1)
        lines.append(
            f"{period.number:<4d}{period.importance:<12d}{index:>4}{part['ended']:13d}{share_of:>8}     {goal:<18}{actual:<15}"
            f"{total:>10}{velocity_goal:>7} {velocity:>4}{using:>8}{delay:>8}".rstrip()
        )
    return [*lines, f"TOTAL{ended:28d}{100 if ended else 0:8d}"]


# --- Service policy page ------------------------------------------------------------------------------------------


def policy_page(rng: Random, site: Site, interval: Interval) -> list[str]:
    """What stands below the heading of the last page of an interval: coefficients, systems, resource groups."""
    new = site.release in ("V2R5",)
    ioc, cpu, srb, mso = (
        ("0.0", "1.0", "1.0", "0.0000") if new else ("5.0", "10.0", "10.0", "0.0001" if site.mso else "0.0000")
    )
    options = ["DISCRETIONARY GOAL MANAGEMENT: NO", "DYNAMIC ALIAS MANAGEMENT: YES", "I/O PRIORITY MANAGEMENT:  YES"]
    if site.layout == "G2":
        options = ["I/O PRIORITY MANAGEMENT:  YES", "DYNAMIC ALIAS MANAGEMENT: YES", ""]
    installed = interval.activated - timedelta(seconds=6)
    definition = "SYSTES2"
    lines = [" " * 55 + "- SERVICE POLICY PAGE -", ""]
    lines += _POLICY_HEAD.format(
        definition=definition,
        words="Standard policy",
        installed=f"{_date(installed)} {_time(installed)}",
        user="SYSPROG",
        policy=site.policy,
        options=options,
        ioc=ioc,
        cpu=cpu,
        srb=srb,
        mso=mso,
        aap="1.0000",
        iip="1.0000",
    ).split("\n")
    while lines[-1].strip() == "":
        lines.pop()
    return [*lines, "", *_systems(rng, site, interval, boost=new), *_resource_groups(rng, site)]


def _systems(rng: Random, site: Site, interval: Interval, boost: bool) -> list[str]:
    """SYSTEMS, two tables side by side, filled column by column."""
    head = "---ID---  OPT  SU/SEC  CAP% --TIME--  INTERVAL" + ("  --BOOST--" if boost else "")
    cells = []
    for system in sorted(site.systems):
        length = round(interval.length_s) - rng.randint(0, 1)
        cell = f"{system:<8}   00 {site.su_per_s:8.1f}  100 {_time(interval.start)}  "
        cell += f"{length // 3600:02d}.{length // 60 % 60:02d}.{length % 60:02d}"
        cells.append(cell + (f"  {rng.choice(['None', 'IPL', 'Recovery'])}" if boost else ""))
    half = (len(cells) + 1) // 2
    width = 60 if boost else 53
    lines = ["SYSTEMS", f"  {f'{head:<{width}}{head}' if len(cells) > 1 else head}"]
    for number in range(half):
        right = cells[half + number] if half + number < len(cells) else ""
        lines.append(f"  {cells[number]:<{width}}{right}".rstrip())
    return lines


def _resource_groups(rng: Random, site: Site) -> list[str]:
    members = [one.name for one in site.classes if one.resource_group]
    if not members:
        return []
    used = {name: rng.randint(10, 900) for name in members}
    total = sum(used.values())
    name, words = "RGROUP1", "resource group 1"
    if site.layout == "G2":
        lines = G2_RESOURCE_HEAD.split("\n")
        lines.append(f"  {name:<12}{words:<32}{total:26d}{'0.75':>16}{'11.25':>10}   NUMBER OF CPs{248:>13}")
        return [*lines, *(f"{' ' * 51}{member:<8}{su:13d}" for member, su in used.items())]
    lines = ["", *G3_RESOURCE_HEAD.split("\n")]
    lines.append(f"  {name:<11}{words:<32}{'':3}{'':12}{0.02:4.2f}{total:14d}{20:>9}  50000K    SU/SEC{'120G':>24}")
    for system, su in zip(site.systems, split(rng, total, len(site.systems)), strict=True):
        lines.append(f"{' ' * 48}{system:<12}{0.01:4.2f}{0:6d}{su:8d}{'138M':>43}")
    first = " " * 13 + "------SERVICE CLASSES   "
    for member, su in used.items():
        lines.append(f"{first}{member:<8}{'':15}{0.01:4.2f}{su:14d}")
        first = " " * 37
    return lines
