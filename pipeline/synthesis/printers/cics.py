"""The statistics of a region as DFHSTUP prints them: the region itself, then Db2: connection, DB2ENTRYs as resources, requests and performance.

Source: IBM's manuals for the columns; published excerpts for the table of requests; pages from field knowledge.
"""

from collections.abc import Iterator
from typing import Any

from ..contents.cics import CicsDb2, Db2Entry
from ..pages import Paper, Section, cells_of, placed, print_intervals, same_top
from ._headings import dates, times
from .cics_region import added, region_sections, table_sections, title_lines

_UNDER = " " + "_" * 110
_RESOURCES = f"""\
 DB2Entry  Plan      PlanExit  Auth      Auth      Account   Thread    Thread
 Name      Name      Name      Id        Type      records   Wait      Prty
{_UNDER}"""
_REQUESTS = f"""\
 DB2Entry    Call     Signon   Partial   Commit    Abort    Single   Thread   Thread   Thread   Thread
 Name        Count    Count    Signon    Count     Count    Phase    Create   Reuse    Terms    Waits/Overflows
{_UNDER}"""
_PERFORMANCE = f"""\
 DB2Entry   Thread   Thread   Thread  Pthread  Pthread  Pthread     Task     Task     Task   Readyq   Readyq
 Name        Limit  Current      HWM    Limit  Current      HWM  Current      HWM    Total  Current      HWM
{_UNDER}"""
# The numbers of contents.Threads.
_REQUEST_CELLS = cells_of("""
    10 %(calls)9d  20 %(signons)8d  29 %(partial_signons)8d  38 %(commits)9d  48 %(aborts)8d  57 %(single_phases)9d  67 %(creates)8d
    76 %(reuses)8d  85 %(terminates)8d  94 %(waits)16d""")
_LEVELS = (
    *("limit", "current", "peak", "protected_limit", "protected_current", "protected_peak"),
    *("tasks_current", "tasks_peak", "tasks_total", "queue_current", "queue_peak"),
)
_LEVEL_CELLS = [(10 + 9 * number, f"%({name})8d") for number, name in enumerate(_LEVELS)]
# Left and right label of each line of the connection, with the name of the value.
_CONNECTION = (
    ("DB2 Connection Name", "connection", "DB2 Sysid", "db2_sysid"),
    ("DB2 Groupid", "db2_group", "DB2 Release", "db2_release"),
    ("DB2 Connect Time", "connected_at", "TCB Limit", "tcb_limit"),
    ("Current number of TCBs", "tcbs", "Peak number of TCBs", "tcbs_peak"),
    ("Current number of free TCBs", "tcbs_free", "Pool Thread Plan name", "plan"),
    ("Number of calls using Pool Threads", "calls", "Number of Pool Thread Signons", "signons"),
    ("Number of Pool Thread Partial Signons", "partial_signons", "Number of Pool Thread Commits", "commits"),
    ("Number of Pool Thread Aborts", "aborts", "Number of Pool Thread Single Phases", "single_phases"),
    ("Number of Pool Thread Creates", "creates", "Number of Pool Thread Reuses", "reuses"),
    ("Number of Pool Thread Terminates", "terminates", "Number of Pool Thread Waits", "waits"),
    ("Current Pool Thread Limit", "limit", "Current number of Pool Threads in use", "current"),
    ("Peak number of Pool Threads in use", "peak", "Current number of Pool tasks", "tasks_current"),
    ("Peak number of Pool tasks", "tasks_peak", "Total number of Pool tasks", "tasks_total"),
    (
        "Current number of tasks on the Pool Readyq",
        "queue_current",
        "Peak number of tasks on the Pool Readyq",
        "queue_peak",
    ),
    ("Number of calls using Command Threads", "command_calls", "Number of Command Thread Signons", "command_signons"),
    (
        "Number of Command Thread Creates",
        "command_creates",
        "Number of Command Thread Terminates",
        "command_terminates",
    ),
    ("Number of Command Thread Overflows to Pool", "command_overflows", "Command Thread Limit", "command_limit"),
    ("Current number of Command Threads", "command_current", "Peak number of Command Threads", "command_peak"),
)


# Nothing uses command threads or waits in the pool.
_NONE = ("tcbs_free", "queue_current", "queue_peak")
_COMMAND = ("calls", "signons", "creates", "terminates", "overflows", "current", "peak")
_SETTINGS: dict[str, Any] = dict.fromkeys((*_NONE, *(f"command_{name}" for name in _COMMAND)), 0) | {
    "command_limit": 1,
    "tcb_limit": 120,
}
_SETTINGS |= {"connection": "DB2CONN", "db2_sysid": "DB2A", "db2_group": "", "db2_release": "12.1.0", "plan": "N/A"}
_SETTINGS |= {"connected_at": "06:00:00.00000"}


def print_cics_db2(report: CicsDb2, paper: Paper | None = None) -> bytes:
    """The pages of all collections of a region, one collection after the other."""
    top = (
        f"Interval Report  Collection Date-Time %(date)10s-%(time)8s  Last Reset %(reset)8s  "
        f"Applid {report.applid:<8}  Jobname {report.jobname or report.applid:<8}  PAGE %(page)3s\n"
    )
    values = {
        "date": dates(report.collected),
        "time": times(report.collected, ":"),
        "reset": times(report.last_reset, ":"),
    }
    heading = same_top(top, values)
    return print_intervals(len(report.collected), _sections(report), heading, paper or Paper())


def _sections(report: CicsDb2) -> Iterator[Section]:
    if report.region:
        yield from region_sections(report.region)
    yield _connection(report)
    if report.entries:
        yield from _resources(report.entries)
        yield from _table("REQUESTS", _REQUESTS, _REQUEST_CELLS, report.entries)
        yield from _table("PERFORMANCE", _PERFORMANCE, _LEVEL_CELLS, report.entries)


def _connection(report: CicsDb2) -> Section:
    """Labels and values, two per line; a number is printed at the left of its field."""
    values: dict[str, Any] = vars(report) | vars(report.pool) | _SETTINGS
    lines = [title_lines("CICS DB2 CONNECTION STATISTICS")]
    for left, left_name, right, right_name in _CONNECTION:
        cells = []
        for at, label, name in ((1, left, left_name), (68, right, right_name)):
            hole = f"%({name})-14s" if isinstance(values[name], str) else f"%({name})12l"
            cells += [(at, f"{label + '. ' * 24:.47}"), (at + 48, f": {hole}")]
        lines.append(placed(*cells).rstrip())
    return Section("\n".join([*lines, ""]), values)


def _resources(entries: tuple[Db2Entry, ...]) -> Iterator[Section]:
    rows = []
    for one in entries:
        settings = (one.name, one.plan, "N/A", one.auth_id, "USERID", "UOW", "POOL", "HIGH")
        rows.append(Section(placed(*((1 + 10 * number, text) for number, text in enumerate(settings)))))
    return table_sections("DB2ENTRY STATISTICS - RESOURCES", _RESOURCES, rows, Section(" *TOTALS*\n"))


def _table(title: str, head: str, cells: list[tuple[int, str]], entries: tuple[Db2Entry, ...]) -> Iterator[Section]:
    rows = [Section(placed((1, one.name), *cells), vars(one.threads) | _SETTINGS) for one in entries]
    total = Section(placed((1, "*TOTALS*"), *cells) + "\n", added([one.threads for one in entries]) | _SETTINGS)
    return table_sections(f"DB2ENTRY STATISTICS - {title}", head, rows, total)
