"""RMF XCF Activity (Postprocessor, Monitor III data of one system). Grains: one row per interval, direction and transport
class to a system; per member of a group; per signalling path.

Source: IBM z/OS RMF Report Analysis, "XCF Activity report". The outbound tables are those of published pages of z/OS V2R4;
inbound, local and members are field knowledge, so columns are found only from the headings, and the halves may be side by
side or one below the other. Path utilization (z/OS V2R5) is not read: no text known gives its titles. A system or group is
printed on its first row and applies to the rows below. Counts have commas between thousands unless they fill their field.
`system` is the printing system, `peer_system` the other end.
"""

from ..pipeline.declaration.layouts import Columns, Panels
from ..pipeline.declaration.once import Once
from ..pipeline.declaration.places import Constant, Field, Parsed, Under
from ..pipeline.declaration.report import Column, Report, Table, count, flag, number, percent, text
from ..pipeline.declaration.rules import Sum, Total
from ._rmf import HEADER, UNREAD_PARTS, header_columns


def _half(pattern: str, line: str = "HALF_LINE", first: str = "") -> Field:
    """Part of the line that names the row's half; only of halves that begin with the title `first`."""
    return Field(line, pattern, panel=True, first=first)


_LOCAL = r"^ *(?:LOCAL(?: +ON)? +)?([A-Z0-9$#@]+) *$"
_SYSTEM = (Parsed(HEADER, "system"), _half(r"(?:FROM|TO) +([A-Z0-9$#@]+)"), _half(_LOCAL))
_HEADER = header_columns(scope=Parsed(HEADER, "system"), system=_SYSTEM)
_MEMBER_SYSTEM = (Parsed(HEADER, "system"), _half(r"(?:WITH|ON) +([A-Z0-9$#@]+)", "MEMBER_HALF_LINE"))
_MEMBER_HEADER = header_columns(scope=Parsed(HEADER, "system"), system=_MEMBER_SYSTEM)
_KEY = ("system", "report_kind", "interval_start", "interval_end", "direction")

_DIRECTION = Column(
    "direction",
    text(),
    (
        Constant("outbound", where=_half(r"(OUTBOUND) +FROM", first="TO SYSTEM")),
        Constant("inbound", where=_half(r"(INBOUND) +TO", first="FROM SYSTEM")),
        Constant("local", where=_half(_LOCAL, first="TRANSPORT CLASS")),
    ),
    "outbound (sent by the system), inbound (received by it), or local.",
    allowed=("outbound", "inbound", "local"),
    nullable=False,
)
# Any name but TOTAL: patterns cannot look ahead.
_NAME = r"^([^ T]\S*|T|T[^ O]\S*|TO|TO[^ T]\S*|TOT|TOT[^ A]\S*|TOTA|TOTA[^ L]\S*|TOTAL\S+)$"
_PEERS = ("TO SYSTEM", "FROM SYSTEM")
_PEER = tuple(Under(title, pattern=_NAME, width=8, fill="down") for title in _PEERS)
_IS_TOTAL = Column(
    "is_total",
    flag(),
    (*(Under(title, width=8) for title in _PEERS), Constant(False)),
    "The row is TOTAL of its half.",
    allowed=("TOTAL",),
)
_CLASS = Column("transport_class", text(), Under("TRANSPORT CLASS", width=8), "Transport class of the messages.")

_RMF = "RMF Report Analysis, XCF Activity"

# fmt: off
SYSTEMS = Table(
    "rmf_xcf_system",
    grain="one row per receiving system and transport class, per sending system, and per local class",
    rows=("SYSTEM_ROW",),
    key=(*_KEY, "peer_system", "transport_class", "is_total"),
    # Totals have requests alone; a local class has rejects alone, in a half of its own.
    filled_together=(
        ("buffer_length_bytes", "small_pct", "fit_pct", "big_pct", "over_pct", "all_paths_unavailable", "rejects"),
    ),
    rules=(
        Total(
            name="total_is_the_sum_of_its_rows",
            of={0: ("requests_out", "requests_in", "all_paths_unavailable", "rejects")},
            over=_KEY,
            source=_RMF,
        ),
        Sum(
            name="message_sizes_add_up",
            total=100,
            parts=("small_pct", "fit_pct", "big_pct"),
            digit=1,
            severity="warn",
            source=_RMF,
        ),
    ),
    columns=(
        *_HEADER,
        _DIRECTION,
        Column("peer_system", text(), _PEER, "The system at the other end; NULL on local rows and totals."),
        _IS_TOTAL,
        _CLASS,
        Column("buffer_length_bytes", count("bytes"), Under("BUFFER LENGTH"), "Message length of the class."),
        Column("requests_out", count(), Under("REQ OUT"), "Messages sent.", resolution=True),
        Column("requests_in", count(), Under("REQ IN"), "Messages received.", resolution=True),
        Column("small_pct", percent(), Under("SML"), "Messages that would fit into a smaller buffer."),
        Column("fit_pct", percent(), Under("FIT"), "Messages that fit the buffer."),
        Column("big_pct", percent(), Under("BIG"), "Messages that needed a larger buffer."),
        Column("over_pct", percent(), Under("OVR"), "Big messages with extra overhead."),
        Column("all_paths_unavailable", count(), Under("ALL PATHS UNAVAIL"), "Messages without an available path of the class.", resolution=True),
        Column("rejects", count(), Under("REQ REJECT"), "Messages rejected for lack of a buffer.", resolution=True),
    ),
    once=Once(
        "interval_s buffer_length_bytes requests_out small_pct fit_pct big_pct over_pct all_paths_unavailable rejects",
        more="sysplex",
    ),
)
# fmt: on

# fmt: off
PATHS = Table(
    "rmf_xcf_path",
    grain="one row per signalling path, outbound or inbound",
    rows=("PATH_ROW",),
    key=(*_KEY, "peer_system", "path_type", "from_device", "to_device", "structure", "transport_class"),
    filled_together=(
        ("requests_out", "queue_length_avg", "available", "busy", "retries"),
        ("requests_in", "buffers_unavailable"),
    ),
    columns=(
        *_HEADER,
        _DIRECTION,
        Column("peer_system", text(), _PEER, "The system at the other end."),
        Column("path_type", text(), Under("T Y P"), "S coupling facility structure, C channel-to-channel device."),
        Column("structure", text(), Under("FROM/TO DEVICE, OR STRUCTURE", pattern=r"^(\S+)$", width=16), "Structure; NULL for devices."),
        Column("from_device", text(), Under("FROM/TO DEVICE, OR STRUCTURE", pattern=r"^(\S+) +TO +\S+$", width=16), "Device at the sending end."),
        Column("to_device", text(), Under("FROM/TO DEVICE, OR STRUCTURE", pattern=r"^\S+ +TO +(\S+)$", width=16), "Device at the receiving end."),
        _CLASS,
        Column("requests_out", count(), Under("REQ OUT"), "Messages sent over the path."),
        Column("requests_in", count(), Under("REQ IN"), "Messages received over the path."),
        Column("queue_length_avg", number(), Under("AVG Q LNGTH"), "Average number of messages queued.", decimals=2),
        Column("available", count(), Under("AVAIL"), "Messages that found the path available."),
        Column("busy", count(), Under("BUSY"), "Messages that found the path busy."),
        Column("retries", count(), Under("RETRY"), "Restarts of the path."),
        Column("buffers_unavailable", count(), Under("BUFFERS UNAVAIL"), "Messages that found no inbound buffer."),
    ),
)
# fmt: on

MEMBERS = Table(
    "rmf_xcf_member",
    grain="one row per member of an XCF group",
    rows=("MEMBER_ROW",),
    key=(*_KEY, "xcf_group", "member", "member_system"),
    filled_together=(("requests_out", "requests_in"),),
    columns=(
        *_MEMBER_HEADER,
        Column(
            "direction",
            text(),
            (
                Constant("remote", where=_half(r"(COMMUNICATING) +WITH", "MEMBER_HALF_LINE")),
                Constant("local", where=_half(r"(MEMBERS) +ON", "MEMBER_HALF_LINE")),
            ),
            "remote (members on other systems), local (its own), NULL if the page has no halves.",
            allowed=("remote", "local"),
        ),
        Column("xcf_group", text(), Under("GROUP", width=8, fill="down"), "XCF group."),
        Column("member", text(), Under("MEMBER", width=16), "Member of the group."),
        Column(
            "member_system",
            text(),
            (Under("SYSTEM", width=8), _half(r"MEMBERS +ON +([A-Z0-9$#@]+)", "MEMBER_HALF_LINE")),
            "System that the member runs on.",
        ),
        Column(
            "requests_out",
            count(),
            (Under("REQ OUT"), Under("REQ FROM")),
            "Messages sent: by the member, or by the printing system to a remote member.",
        ),
        Column(
            "requests_in",
            count(),
            (Under("REQ IN"), Under("REQ TO")),
            "Messages received: by the member, or by the printing system from a remote member.",
        ),
    ),
)

# Where the rule above has no gaps.
_HALVES = (("TO SYSTEM",), ("FROM SYSTEM",), ("TRANSPORT CLASS", "REQ REJECT"))
_USAGE = """\
-----------------------------------------------------------------------------------------------------------    -----------------
                            OUTBOUND FROM {system:<44}INBOUND TO {system:<20}{system}
---------------------------------------------------------------------------    ----------------------------    -----------------
                                        ----- BUFFER -----      ALL
TO        TRANSPORT  BUFFER        REQ   %    %    %    %     PATHS     REQ    FROM             REQ     REQ    TRANSPORT     REQ
SYSTEM    CLASS      LENGTH        OUT  SML  FIT  BIG  OVR  UNAVAIL  REJECT    SYSTEM            IN  REJECT    CLASS      REJECT

ssssssss  ssssssss  ggggggg   gggggggg  ddd  ddd  ddd  ddd  ggggggg ggggggg    ssssssss    gggggggg ggggggg"""
_PATHS = """\
                            OUTBOUND FROM {system:<54}INBOUND TO {system}
----------------------------------------------------------------------------    --------------------------------------------
         T FROM/TO                                                                       T FROM/TO
TO       Y DEVICE, OR       TRANSPORT    REQ   AVG Q                            FROM     Y DEVICE, OR           REQ  BUFFERS
SYSTEM   P STRUCTURE        CLASS        OUT   LNGTH   AVAIL    BUSY   RETRY    SYSTEM   P STRUCTURE             IN  UNAVAIL

ssssssss s ssssssssssssssss ssssssss ggggggg  fff.ff ggggggg ggggggg ggggggg    ssssssss s ssssssssssssssss ggggggg  ggggggg"""

REPORT = Report(
    "rmf_xcf_activity",
    summary=(
        "RMF XCF Activity: usage by system and by member, signalling paths (inbound, local and members from "
        "field knowledge)"
    ),
    banner="XCFACTIVITY",
    doc=__doc__ or "",
    tables=(SYSTEMS, MEMBERS, PATHS),
    interval=("SYSTEM_LINE", "VERSION_LINE"),
    numbered=("TITLE", "PAGE_NO"),
    one_name=(
        (
            Field("SYSTEM_LINE", r"SYSTEM ID +([A-Z0-9$#@]+)"),
            *(
                Field("HALF_LINE", rf"{half} +([A-Z0-9$#@]+)")
                for half in ("OUTBOUND +FROM", "INBOUND +TO", "LOCAL +ON")
            ),
            *(Field("MEMBER_HALF_LINE", rf"MEMBERS +{half} +([A-Z0-9$#@]+)") for half in ("COMMUNICATING +WITH", "ON")),
        ),
    ),
    in_turn=("USAGE_TITLE", "MEMBER_TITLE", "PATH_TITLE"),
    unread_parts=UNREAD_PARTS,
    layouts=(
        Columns(
            ("RULE", "SYSTEM_HEAD"),
            ("SYSTEM_ROW",),
            above=("HALF_LINE",),
            panels=Panels(_HALVES),
            depth=2,
            art=(_USAGE,),
        ),
        Columns(
            ("RULE", "PATH_HEAD"), ("PATH_ROW",), above=("HALF_LINE",), panels=Panels(_HALVES), depth=3, art=(_PATHS,)
        ),
        Columns(
            ("RULE", "MEMBER_HEAD"),
            ("MEMBER_ROW",),
            above=("MEMBER_HALF_LINE",),
            panels=Panels((("GROUP", "MEMBER"),)),
            together=("TO [A-Z0-9$#@]+",),
            depth=2,
        ),
    ),
)
