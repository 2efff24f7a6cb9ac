"""RMF Channel Path Activity (Postprocessor). Grains: one row per interval, system and channel path; one row per group of channel
paths that dynamic channel path management (DCM) manages.

Source: IBM z/OS RMF Report Analysis, "CHAN - Channel Path Activity report". A published page of z/OS V2R4 shows the page's head and the
titles ID, TYPE, G, SPEED, SHR, UTILIZATION(%) PART, TOTAL and BUS, READ and WRITE (MB/SEC) PART and TOTAL, FICON and ZHPF OPERATIONS RATE,
ACTIVE and DEFER. From field knowledge: all rows; the headings of OSA and HiperSockets, whose titles the overview conditions of the report
name (MESSAGE RATE, MESSAGE SIZE, SEND FAIL, RECEIVE FAIL, WRITE(B/SEC)); DCM-managed channels. Links to coupling facilities (CFP, CIB, CS5,
CL5, CL6, ICP) have a type and, where they are measured, their utilization. PART is the printing system's partition, TOTAL the machine.
"""

from ..pipeline.declaration.layouts import Columns
from ..pipeline.declaration.once import Once
from ..pipeline.declaration.places import Field, Parsed, Under
from ..pipeline.declaration.report import Column, Report, Table, count, flag, number, per_second, percent, text
from ..pipeline.declaration.rules import AtMost, Rule
from ._rmf import HEADER, IODF, UNREAD_IODF, UNREAD_PARTS, header_columns

_HEADER = header_columns(scope=Parsed(HEADER, "system"))
_KEY = ("system", "report_kind", "interval_start", "interval_end", "channel_subsystem")
_RMF = "RMF Report Analysis, Channel Path Activity"
_SUBSYSTEM = Column(
    "channel_subsystem",
    text(),
    Field("IODF_LINE", r"CSSID: *([0-9]+)(?: |$)"),
    "CSSID: channel subsystem of the channel paths.",
    filled=True,
)
_BUSY, _READ, _WRITE = "UTILIZATION(%)", "READ(MB/SEC)", "WRITE(MB/SEC)"


def _in_both(name: str, group: str, kind: str, doc: str) -> tuple[Column, Column]:
    """A column of the partition and one of the machine. `kind`: %, MB/s or bytes/s."""
    of = percent() if kind == "%" else number(kind)
    return (
        Column(f"partition_{name}", of, Under("PART", group), f"{doc} by the partition.", resolution=kind == "MB/s"),
        Column(name, of, Under("TOTAL", group), f"{doc} by the machine.", resolution=kind == "MB/s"),
    )


def _operations(name: str, group: str, what: str) -> tuple[Column, ...]:
    return (
        Column(f"{name}_per_s", per_second(), Under("RATE", group), f"{what} operations of the machine."),
        Column(
            f"{name}_active_avg", number(), Under("ACTIVE", group), f"{what} operations at the same time, on average."
        ),
        Column(
            f"{name}_deferred_per_s",
            per_second(),
            Under("DEFER", group),
            f"{what} operations that the channel deferred.",
        ),
    )


# Total and partition are measured at different times.
_RULES: tuple[Rule, ...] = tuple(
    AtMost(name=f"the_partition_is_within_{name}", parts=(f"partition_{name}",), most=(name,), within=0.5, severity="warn", source=_RMF)
    for name in ("busy_pct", "read_mb_per_s", "write_mb_per_s")
)  # fmt: skip
_TOGETHER = (
    *((f"partition_{name}", name) for name in ("busy_pct", "read_mb_per_s", "write_mb_per_s")),
    *((f"{name}_per_s", f"{name}_active_avg", f"{name}_deferred_per_s") for name in ("ficon", "zhpf")),
)
_MEASURED = (
    *_in_both("busy_pct", _BUSY, "%", "Share of the interval in which the channel path was busy"),
    Column("bus_busy_pct", percent(), Under("BUS", _BUSY), "Utilization of the internal bus of the channel."),
    *_in_both("read_mb_per_s", _READ, "MB/s", "Data read"),
    *_in_both("write_mb_per_s", _WRITE, "MB/s", "Data written"),
)

# fmt: off
PATHS = Table(
    "rmf_channel_path",
    grain="one row per system and channel path",
    rows=("CHANNEL_ROW",),
    key=(*_KEY, "channel_path_id"),
    rules=_RULES,
    filled_together=_TOGETHER,
    columns=(
        *_HEADER,
        IODF,
        _SUBSYSTEM,
        Column("measurement_mode", text(), Field("IODF_LINE", r"CPMF: *(\S+ MODE)"), "CPMF: mode of the channel path measurement facility.", filled=True),
        Column("channel_path_id", text(), Under("ID", pattern="^([0-9A-F]{2})$", width=2), "Channel path identifier, hexadecimal."),
        Column("channel_path_type", text(), (Under("TYPE", "CHANNEL PATH", width=6), Under("TYPE", width=6)), "FC_S, OSD, IQD, CS5, ICP, …; an M at its end: managed by DCM."),
        Column("generation", count(), Under("G"), "G: generation of the channel."),
        Column("speed", text(), Under("SPEED", width=5), "Link speed as printed (16G)."),
        Column("shared", flag(), Under("SHR", width=3), "Shared between partitions (Y); NULL where blank, as at the end of a line that is cut.", allowed=("Y",)),
        *_MEASURED,
        *_operations("ficon", "FICON OPERATIONS", "FICON"),
        *_operations("zhpf", "ZHPF OPERATIONS", "zHPF"),
        *_in_both("write_bytes_per_s", "WRITE(B/SEC)", "bytes/s", "Data written over HiperSockets"),
        *_in_both("messages_per_s", "MESSAGE RATE", "1/s", "Messages sent"),
        *_in_both("message_bytes", "MESSAGE SIZE", "bytes", "Average size of a message sent"),
        Column("partition_send_failures_per_s", per_second(), (Under("PART", "SEND FAIL"), Under("SEND FAIL PART")), "Messages of the partition that could not be sent."),
        *_in_both("receive_failures_per_s", "RECEIVE FAIL", "1/s", "Messages not received for want of a buffer"),
    ),
    # No page of these names its sysplex; systems of two may have one name.
    once=Once(
        "interval_s channel_path_type speed busy_pct partition_busy_pct bus_busy_pct read_mb_per_s write_mb_per_s ficon_per_s"
        " ficon_active_avg ficon_deferred_per_s zhpf_per_s zhpf_active_avg zhpf_deferred_per_s",
        more="sysplex",
    ),
)

GROUPS = Table(
    "rmf_channel_path_group",
    grain="one row per system and group of managed channel paths",
    rows=("GROUP_ROW",),
    key=(*_KEY, "channel_path_type", "generation"),
    rules=_RULES,
    filled_together=_TOGETHER,
    columns=(
        *_HEADER,
        IODF,
        _SUBSYSTEM,
        Column("channel_path_type", text(), (Under("CHANNEL GROUP", width=6), Under("GROUP", width=6)), "Type of the channel paths of the group."),
        Column("generation", count(), Under("G"), "G: generation of the channels."),
        Column("channel_paths", count(), Under("NO"), "Channel paths of the group."),
        *_MEASURED,
    ),
)
# fmt: on

_OF_FACILITIES = """\
    CHANNEL PATH             UTILIZATION(%)
 ID TYPE   G  SPEED SHR    PART  TOTAL

 ss sssss dd  wwwww   s  mmm.mm mmm.mm"""
_OF_NETWORKS = """\
    CHANNEL PATH             UTILIZATION(%)    READ(MB/SEC) WRITE(MB/SEC)
 ID TYPE   G  SPEED SHR    PART  TOTAL    BUS   PART  TOTAL   PART  TOTAL

 ss sssss dd  wwwww   s  mmm.mm mmm.mm fff.ff  ff.ff  ff.ff  ff.ff  ff.ff"""
_OF_FICON = """\
    CHANNEL PATH             UTILIZATION(%)    READ(MB/SEC) WRITE(MB/SEC)        FICON OPERATIONS        ZHPF OPERATIONS
 ID TYPE   G  SPEED SHR    PART  TOTAL    BUS   PART  TOTAL   PART  TOTAL      RATE  ACTIVE   DEFER    RATE  ACTIVE   DEFER

 ss sssss dd  wwwww   s  mmm.mm mmm.mm fff.ff  ff.ff  ff.ff  ff.ff  ff.ff  ffffff.f  ffff.f  ffff.f fffff.f  ffff.f  ffff.f"""

REPORT = Report(
    "rmf_channel_path_activity",
    summary="RMF Channel Path Activity: FICON, OSA, HiperSockets and coupling links (the rows from field knowledge)",
    banner="CHANNELPATHACTIVITY",
    doc=__doc__ or "",
    tables=(PATHS, GROUPS),
    interval=("SYSTEM_LINE", "VERSION_LINE"),
    numbered=("TITLE", "PAGE_NO"),
    in_turn=("GROUP_TITLE", "CHANNEL_TITLE"),
    unread_parts=UNREAD_PARTS | UNREAD_IODF | {"MODE of the machine": r"MODE: *\S+"},
    layouts=(
        Columns(
            ("CHANNEL_HEAD",),
            ("CHANNEL_ROW",),
            depth=2,
            together=(r"READ\(MB/SEC\)", r"WRITE\(MB/SEC\)", r"UTILIZATION\(%\)"),
            art=(_OF_FACILITIES, _OF_NETWORKS, _OF_FICON),
        ),
        Columns(
            ("GROUP_HEAD",),
            ("GROUP_ROW",),
            depth=2,
            together=(r"READ\(MB/SEC\)", r"WRITE\(MB/SEC\)", r"UTILIZATION\(%\)"),
        ),
    ),
)
