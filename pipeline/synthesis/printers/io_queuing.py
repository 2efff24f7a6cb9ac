"""RMF I/O Queuing Activity of a system on paper: I/O processors and logical control units.

Source: the titles as printed by V2R2 (of alias management groups); I/O processors from field knowledge.
"""

from collections.abc import Iterator
from typing import Any

from ..contents.io_queuing import IoProcessor, IoQueuing, QueuePath, QueueUnit
from ..pages import Paper, Section, cells_of, placed, print_intervals, same_top, together
from ._headings import system_heading

_RULE = "-" * 131
_PROCESSORS, _UNITS = "INPUT/OUTPUT PROCESSORS", "LOGICAL CONTROL UNITS"
_PROCESSOR_HEAD = """\
           -INITIATIVE QUEUE- ------------ IOP UTILIZATION -------------   -- % I/O REQUESTS RETRIED --- ---- RETRIES / SSCH -----
           ACTIVITY   AVG Q   % IOP  % CMPR  % SCM  I/O START  INTERRUPT           CP    DP    CU    DV          CP   DP   CU   DV
 IOP           RATE   LNGTH    BUSY    BUSY   BUSY      RATE        RATE    ALL  BUSY  BUSY  BUSY  BUSY    ALL BUSY BUSY BUSY BUSY"""
_UNIT_HEAD = """\
                                                       AVG   AVG              DELAY   AVG                AVG  DATA
 LCU   CU    DCM GROUP  CHAN    CHPID    % DP   % CU   CUB   CMR  CONTENTION      Q   CSS     HPAV      OPEN  XFER
            MIN MAX DEF PATHS   TAKEN    BUSY   BUSY   DLY   DLY     RATE     LNGTH   DLY   WAIT  MAX   EXCH  CONC"""
_PROCESSOR_CELLS = """
    13 %(per_s)6.2f  22 %(queue_length)5.2f  29 %(busy_pct)6.2f  37 %(none)6.2f  44 %(none)6.2f  54 %(per_s)6.2f  66 %(interrupts_per_s)6.2f"""
_PATH_CELLS = """
    30 %(taken_per_s)7.3f  39 %(director_busy_pct)6.2f  46 %(control_unit_busy_pct)6.2f  54 %(busy_delay_ms)4.1f  60 %(command_response_ms)4.1f"""
_TOGETHER_CELLS = """
    70 %(contention_per_s)5.3f  78 %(queue_length)5.2f  85 %(channel_subsystem_ms)4.1f  91 %(alias_wait)5.3f  98 %(aliases_max)3d
    104 %(open_exchanges)4.2f  110 %(transfers)4.2f"""
_HEADS = {_PROCESSORS: _PROCESSOR_HEAD, _UNITS: _UNIT_HEAD}


def print_io_queuing(report: IoQueuing, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a system, one interval after the other."""
    title = "I/O   Q U E U I N G   A C T I V I T Y"
    top, values = system_heading(title, 43, report.release, report.system, report.intervals)
    configuration = (
        " TOTAL SAMPLES =%(samples)7d   IODF = A4   CR-DATE: 02/17/2021   CR-TIME: 09.41.12     ACT: ACTIVATE"
    )
    below = {part: f"{_RULE}\n{' ' * 53}{part}\n{_RULE}\n{head}" for part, head in _HEADS.items()}
    heading = same_top(f"{top}\n{configuration}\n", values | {"samples": report.intervals.printed_s}, below)
    return print_intervals(len(report.intervals), _sections(report), heading, paper or Paper())


def _sections(report: IoQueuing) -> Iterator[Section]:
    for one in report.processors:
        yield _processor(one, f" {one.number}")
    if report.processors:
        yield _processor(_all_of(report.processors), "SYS")
    for unit in report.units:
        # A unit is named on its first row, so its rows stay on one page.
        names = [(1, unit.unit), (7, unit.control_unit)]
        rows = [_path(path, names if not first else []) for first, path in enumerate(unit.paths)]
        yield together([*rows, _together(unit)])


def _all_of(processors: tuple[IoProcessor, ...]) -> IoProcessor:
    """SYS: rates added up, shares and queue lengths averaged."""
    count = len(processors)
    return IoProcessor(
        "",
        sum(one.per_s for one in processors),
        sum(one.busy_pct for one in processors) / count,
        sum(one.queue_length for one in processors) / count,
        sum(one.interrupts_per_s for one in processors),
    )


def _processor(one: IoProcessor, name: str) -> Section:
    cells = [(1, name), *cells_of(_PROCESSOR_CELLS)]
    cells += [(at, "%(none)4.1f") for at in (75, 81, 87, 93, 99)]
    cells += [(at, "%(none)4.2f") for at in (106, 111, 116, 121, 126)]
    return Section(placed(*cells), vars(one) | {"none": 0}, part=_PROCESSORS)


def _cells(path: QueuePath) -> list[tuple[int, str]]:
    return [(25, "*") if not path.number else (24, path.number), *cells_of(_PATH_CELLS)]


def _path(path: QueuePath, named: list[tuple[int, str]]) -> Section:
    return Section(placed(*((at, name) for at, name in named if name), *_cells(path)), vars(path), part=_UNITS)


def _together(unit: QueueUnit) -> Section:
    values: dict[str, Any] = vars(unit.together) | vars(unit)
    return Section(placed(*_cells(unit.together), *cells_of(_TOGETHER_CELLS)), values, part=_UNITS)
