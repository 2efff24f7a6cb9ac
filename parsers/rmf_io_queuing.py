"""RMF I/O Queuing Activity (Postprocessor). Grains: one row per interval and I/O processor; one row per interval, logical control
unit or alias management group, and channel path, with the total of each.

Source: IBM z/OS RMF Report Analysis, "IOQ - I/O Queuing Activity report". Alias management groups are those of a published page of
z/OS V2R2: AMG, CHAN PATHS, CHPID TAKEN, % DP BUSY, % CU BUSY, CUB DLY, CMR DLY, CONTENTION RATE, Q LNGTH, CSS DLY, HPAV WAIT and MAX,
OPEN EXCH, XFER CONC; DCM GROUP is in its heading only. The columns of I/O processors are those that the overview conditions of the
report name; their places, and logical control units (LCU, CU), are field knowledge. Delays are milliseconds, shares percent of
requests.
"""

from ..pipeline.declaration.layouts import Columns
from ..pipeline.declaration.once import Once
from ..pipeline.declaration.places import Constant, Parsed, Under
from ..pipeline.declaration.report import (
    Column,
    Report,
    Table,
    count,
    flag,
    milliseconds,
    number,
    per_second,
    percent,
    text,
)
from ..pipeline.declaration.rules import AtMost, Total
from ._rmf import HEADER, IODF, SAMPLES, UNREAD_IODF, UNREAD_PARTS, header_columns

_HEADER = header_columns(scope=Parsed(HEADER, "system"))
_KEY = ("system", "report_kind", "interval_start", "interval_end")
_RMF = "RMF Report Analysis, I/O Queuing Activity"
_RETRIED, _RETRIES = "% I/O REQUESTS RETRIED", "RETRIES / SSCH"
_BUSY = (("cp", "CP BUSY", "a channel path"), ("dp", "DP BUSY", "a director port"), ("cu", "CU BUSY", "a control unit"), ("dv", "DV BUSY", "a device"))  # fmt: skip

# fmt: off
PROCESSORS = Table(
    "rmf_io_processor",
    grain="one row per I/O processor, and one for all of a system",
    rows=("PROCESSOR_ROW", "TOTAL_ROW"),
    key=(*_KEY, "io_processor", "is_total"),
    filled_together=(
        ("retried_pct", *(f"retried_{name}_pct" for name, _, _ in _BUSY)),
        ("retries_per_request", *(f"retries_{name}_per_request" for name, _, _ in _BUSY)),
    ),
    rules=(
        Total(
            name="total_rates_are_the_sum_of_their_rows",
            of={0.1: ("queued_per_s", "started_per_s", "interrupts_per_s")},
            over=_KEY,
            severity="warn",
            source=f"{_RMF}; field knowledge",
        ),
    ),
    columns=(
        *_HEADER,
        IODF,
        SAMPLES,
        Column("is_total", flag(), (Constant(True, ("TOTAL_ROW",)), Constant(False)), "The row is SYS: all I/O processors."),
        Column("io_processor", text(), Under("IOP", pattern="^([0-9A-F]{2})$", line="PROCESSOR_ROW", width=3), "I/O processor, hexadecimal; NULL on totals."),
        Column("queued_per_s", per_second(), Under("ACTIVITY RATE"), "Requests put on the initiative queue.", resolution=True),
        Column("queue_length_avg", number(), Under("AVG Q LNGTH"), "Average length of the initiative queue."),
        Column("busy_pct", percent(), Under("% IOP BUSY"), "Share of the samples in which the processor was busy."),
        Column("compression_busy_pct", percent(), Under("% CMPR BUSY"), "Of these, with compression (z15)."),
        Column("memory_busy_pct", percent(), Under("% SCM BUSY"), "Of these, with storage class memory."),
        Column("started_per_s", per_second(), Under("I/O START RATE"), "Requests started.", resolution=True),
        Column("interrupts_per_s", per_second(), Under("INTERRUPT RATE"), "Interrupts processed.", resolution=True),
        Column("retried_pct", percent(), Under("ALL", _RETRIED), "Requests that were retried, of all requests and retries."),
        *(Column(f"retried_{name}_pct", percent(), Under(title, _RETRIED), f"The same, because {what} was busy.") for name, title, what in _BUSY),
        Column("retries_per_request", number(), Under("ALL", _RETRIES), "Retries per request."),
        *(Column(f"retries_{name}_per_request", number(), Under(title, _RETRIES), f"The same, because {what} was busy.") for name, title, what in _BUSY),
    ),
    once=Once(
        "interval_s busy_pct queued_per_s queue_length_avg started_per_s interrupts_per_s retries_per_request",
        more="sysplex",
        where="interval_s > 0",
        most="interval_s",
        or_null=True,
    ),
)

_PATH, _PATHS = ("PATH_ROW",), ("PATHS_ROW",)
_UNIT = "^([0-9A-F]{4})$"
# The last row of a control unit or group.
_LAST = ("PATHS_ROW",)
QUEUES = Table(
    "rmf_io_queue",
    grain="one row per logical control unit or alias management group and channel path, and one for all its paths",
    rows=(*_PATH, *_PATHS),
    key=(*_KEY, "alias_group", "lcu", "control_unit", "channel_path_id", "is_total"),
    filled_together=(
        ("dcm_paths_min", "dcm_paths_max", "dcm_paths_defined"),
        (
            *("taken_per_s", "director_busy_pct", "control_unit_busy_pct"),
            *("control_unit_busy_delay_ms", "command_response_delay_ms"),
        ),
        ("contention_per_s", "delay_queue_length_avg", "channel_subsystem_delay_ms"),
        ("alias_wait_per_request", "aliases_max"),
        ("open_exchanges_avg", "transfers_avg"),
    ),
    rules=(
        Total(
            name="paths_taken_add_up",
            of={0.1: ("taken_per_s",)},
            over=(*_KEY, "alias_group", "lcu"),
            severity="warn",
            source=_RMF,
        ),
        AtMost(
            name="transfers_are_open_exchanges",
            parts=("transfers_avg",),
            most=("open_exchanges_avg",),
            severity="warn",
            source=f"{_RMF}; field knowledge",
        ),
    ),
    columns=(
        *_HEADER,
        Column("alias_group", text(), Under("AMG", pattern="^([0-9A-F]{8})$", width=8, fill="down", until=_LAST), "AMG: alias management group of logical control units (SuperPAV), hexadecimal; printed once."),
        Column("lcu", text(), Under("LCU", pattern=_UNIT, width=4, fill="down", until=_LAST), "Logical control unit, hexadecimal; printed once. NULL on the rows of groups."),
        Column("control_unit", text(), Under("CU", pattern=_UNIT, width=4, whole=True), "Physical control unit, hexadecimal; printed on the first of its paths."),
        Column("is_total", flag(), (Constant(True, _PATHS), Constant(False)), "All paths of the unit or group (*)."),
        Column("channel_path_id", text(), Under("CHAN PATHS", pattern="^([0-9A-F]{2})$", width=5, line="PATH_ROW"), "Channel path identifier, hexadecimal; NULL on totals."),
        Column("dcm_paths_min", count(), Under("MIN", "DCM GROUP"), "Channel paths that dynamic channel path management used, at least."),
        Column("dcm_paths_max", count(), Under("MAX", "DCM GROUP"), "The same, at most."),
        Column("dcm_paths_defined", count(), Under("DEF", "DCM GROUP"), "The same, defined."),
        Column("taken_per_s", per_second(), Under("CHPID TAKEN"), "Requests that the channel path accepted.", resolution=True, filled=True),
        Column("director_busy_pct", percent(), Under("% DP BUSY"), "Requests that found the director port busy.", decimals=2, filled=True),
        Column("control_unit_busy_pct", percent(), Under("% CU BUSY"), "Requests that found the control unit busy.", decimals=2, filled=True),
        Column("control_unit_busy_delay_ms", milliseconds(), Under("CUB DLY"), "Average delay of a request by a busy control unit.", decimals=1, filled=True),
        Column("command_response_delay_ms", milliseconds(), Under("CMR DLY"), "Average time until the device accepts the first command of a request.", decimals=1, filled=True),
        Column("contention_per_s", per_second(), Under("CONTENTION RATE"), "Requests put on the queue of the control unit because all its paths were busy.", decimals=3),
        Column("delay_queue_length_avg", number(), Under("Q LNGTH"), "Average length of that queue.", decimals=2),
        Column("channel_subsystem_delay_ms", milliseconds(), Under("CSS DLY"), "Average time of a request in the channel subsystem until it is started.", decimals=1),
        Column("alias_wait_per_request", number(), (Under("WAIT", "HPAV"), Under("HPAV WAIT")), "Requests that waited for a HyperPAV alias, per request.", decimals=3),
        Column("aliases_max", count(), (Under("MAX", "HPAV"), Under("MAX", whole=True)), "Aliases in use at the same time, at most."),
        Column("open_exchanges_avg", number(), Under("OPEN EXCH"), "Open exchanges: FICON operations active at the same time, on average.", resolution=True),
        Column("transfers_avg", number(), Under("XFER CONC"), "Data transfers at the same time, on average.", resolution=True),
    ),
    once=Once(
        "interval_s taken_per_s director_busy_pct control_unit_busy_pct contention_per_s delay_queue_length_avg"
        " channel_subsystem_delay_ms command_response_delay_ms control_unit_busy_delay_ms alias_wait_per_request aliases_max"
        " open_exchanges_avg transfers_avg",
        more="sysplex",
    ),
)
# fmt: on

_PROCESSORS = """\
           -INITIATIVE QUEUE- ------------ IOP UTILIZATION -------------   -- % I/O REQUESTS RETRIED --- ---- RETRIES / SSCH -----
           ACTIVITY   AVG Q   % IOP  % CMPR  % SCM  I/O START  INTERRUPT           CP    DP    CU    DV          CP   DP   CU   DV
 IOP           RATE   LNGTH    BUSY    BUSY   BUSY      RATE        RATE    ALL  BUSY  BUSY  BUSY  BUSY    ALL BUSY BUSY BUSY BUSY

  ss         fff.ff   ff.ff  fff.ff  fff.ff fff.ff    fff.ff      fff.ff   ff.f  ff.f  ff.f  ff.f  ff.f   f.ff f.ff f.ff f.ff f.ff
 SYS         fff.ff   ff.ff  fff.ff  fff.ff fff.ff    fff.ff      fff.ff   ff.f  ff.f  ff.f  ff.f  ff.f   f.ff f.ff f.ff f.ff f.ff"""
_UNITS = """\
                                                       AVG   AVG              DELAY   AVG                AVG  DATA{above}
 LCU   CU    DCM GROUP  CHAN    CHPID    % DP   % CU   CUB   CMR  CONTENTION      Q   CSS     HPAV      OPEN  XFER
            MIN MAX DEF PATHS   TAKEN    BUSY   BUSY   DLY   DLY     RATE     LNGTH   DLY   WAIT  MAX   EXCH  CONC

 ssss  ssss             ss    fff.fff  fff.ff fff.ff  ff.f  ff.f
                         *    fff.fff  fff.ff fff.ff  ff.f  ff.f      f.fff   ff.ff  ff.f  f.fff  ddd   f.ff  f.ff"""

REPORT = Report(
    "rmf_io_queuing",
    summary=(
        "RMF I/O Queuing Activity: I/O processors, logical control units, alias management groups (I/O processors and "
        "logical control units from field knowledge)"
    ),
    banner="I/OQUEUINGACTIVITY",
    doc=__doc__ or "",
    tables=(PROCESSORS, QUEUES),
    interval=("SYSTEM_LINE", "VERSION_LINE"),
    numbered=("TITLE", "PAGE_NO"),
    in_turn=("PROCESSOR_TITLE", "UNIT_TITLE", "QUEUE_HEAD"),
    unread_parts=UNREAD_PARTS | UNREAD_IODF,
    layouts=(
        Columns(("PROCESSOR_HEAD",), ("PROCESSOR_ROW", "TOTAL_ROW"), depth=3, art=(_PROCESSORS,)),
        Columns(("QUEUE_HEAD",), (*_PATH, *_PATHS), depth=2, above=("ABOVE_HEAD",), art=(_UNITS,)),
    ),
)
