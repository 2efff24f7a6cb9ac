"""RMF Coupling Facility Activity (Postprocessor). Grain: one report per interval and coupling facility; tables by structure,
by structure and system, by system, by peer, and by channel path.

Source: IBM z/OS RMF Report Analysis, "CF - Coupling Facility Activity report"; layouts of MVS/ESA 5.2.2 to z/OS V2R5.
Structure, duplexing, structure activity, CF to CF and channel path parts are as published pages print them. The
storage and processor summaries, subchannel activity and the channel paths below it, data access of caches and the column
ENC are field knowledge: no published page shows them. So is the storage class memory structure summary (z/OS V2R1): what it holds
is as in SMF 74.4, its titles are not. Rates and service times are of the interval; service times in microseconds.
Sizes count K, M and G by 1024.
"""

import re
from typing import Any

from ..pipeline.declaration.layouts import Columns, SideBySide
from ..pipeline.declaration.once import Once
from ..pipeline.declaration.places import Constant, Field, Gathered, LineParser, Parsed, Place, Under
from ..pipeline.declaration.reading_options import Options
from ..pipeline.declaration.report import (
    Column,
    Report,
    Table,
    Type,
    count,
    flag,
    number,
    per_second,
    percent,
    storage,
    text,
)
from ..pipeline.errors import Problem, Unreadable
from ._rmf import UNREAD_PARTS, header_columns
from ._rmf_coupling_facility_rules import (
    ACTIVITY_RULES,
    CF_TO_CF_RULES,
    KEY,
    MEMORY_RULES,
    SUBCHANNEL_RULES,
    SUMMARY_RULES,
    USAGE_RULES,
)

_STRUCTURE_FIELDS = {
    "structure_name": r"STRUCTURE +NAME *= {0,3}(\S+)(?= |$)(?! *=)",
    "structure_type": r"TYPE *= {0,3}(\S+)(?= |$)(?! *=)",
    "status": r"STATUS *= {0,3}([^ =]+(?: [^ =]+)*)(?=  | *$)",
    "encrypted": r"ENCRYPTED *= {0,3}(\S+)",
}


def read_structure(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """Name, type, status and encryption of a structure; None if not printed."""
    found = {name: re.search(pattern, texts[0] or "") for name, pattern in _STRUCTURE_FIELDS.items()}
    return {name: match and match[1] for name, match in found.items()}


STRUCTURE = LineParser(("STRUCTURE_LINE",), read_structure)


def read_facility(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """The coupling facility of a page. Raises Unreadable if a page has a title but no name: structures of several facilities may share
    a name."""
    line, title = texts
    if found := re.search(r"NAME *= *(\S+)", line or ""):
        return {"cf_name": found[1]}
    if line is None and title is None:
        return {"cf_name": None}
    what, expected = "no coupling facility name on the page", "COUPLING FACILITY NAME = "
    raise Unreadable({"cf_name": None}, [Problem(0 if line else 1, 0, what, expected, "the line may be missing")])


FACILITY = LineParser(("CF_NAME_LINE", "TITLE"), read_facility)

_SYSTEMS = (("rmf_cf_structure_activity", "system"), ("rmf_cf_subchannel_activity", "system"))
_SCOPE = Gathered(_SYSTEMS, "scope")
_CF_NAME = Column("cf_name", text(), Parsed(FACILITY), "Coupling facility; NULL if the page does not name it.")
_TYPES = ("LIST", "LOCK", "CACHE", "UNKN")
# One word: a second one is of the next column.
_WORD, _ID, _LINK_TYPE = r"^(\S+)$", "^([0-9A-F]{2})$", "^([A-Z][A-Z0-9]{1,4})$"


def _header(system: Place | tuple[Place, ...] | None = None) -> tuple[Column, ...]:
    return (*header_columns(scope=_SCOPE, system=system), _CF_NAME)


def _microseconds() -> Type:
    return number("us")


def _counted(name: str, at: Place | tuple[Place, ...], doc: str) -> Column:
    return Column(name, count(), at, doc, resolution=True)


def _any_title(*titles: str, label: str = "", line: str = "", group: str = "") -> tuple[Place, ...]:
    """Releases use different words for the same heading."""
    return tuple(Under(t, group, label=label, line=line) for t in titles)


# --- Structure summary ---------------------------------------------------------------------------------------------

_IS_TOTAL = Column(
    "is_total", flag(), (Constant(True, ("TOTALS_ROW",)), Constant(False)), "The row is STRUCTURE TOTALS."
)
_NAMED = ("TYPE_ROW", "NAME_ROW")
# No status ends in X: that is the mark of a change which lost the blank before it.
_STATUS_PATTERN = r"^([A-Z]*[A-WYZ](?: [A-Z]*[A-WYZ])?)$"


def _entries(name: str, title: str, what: str) -> tuple[Column, ...]:
    return (
        _counted(f"{name}_total", Under(title, rows=_NAMED), f"{what}: TOT, capacity of the structure."),
        _counted(f"{name}_current", Under(title, line="CURRENT_ROW", reach="below"), f"{what}: CUR, in use."),
    )


# fmt: off
SUMMARY = Table(
    "rmf_cf_structure_summary",
    grain="one row per coupling facility and structure, and one per coupling facility for STRUCTURE TOTALS",
    rows=("TYPE_ROW", "NAME_ROW", "TOTALS_ROW"),
    key=(*KEY, "structure_name", "is_total"),
    rules=SUMMARY_RULES,
    filled_together=(("list_directory_entries_total", "data_elements_total", "lock_entries_total", "directory_reclaims"),),
    columns=(
        *_header(),
        _IS_TOTAL,
        Column("structure_type", text(), Under("TYPE", fill="down", rows=_NAMED), "LIST, LOCK, CACHE or UNKN; printed once per group."),
        Column("structure_name", text(), Under("STRUCTURE NAME", pattern=_WORD, rows=_NAMED, width=16)),
        Column("status", text(), Under("STATUS", pattern=_STATUS_PATTERN, rows=_NAMED, width=7), "ACTIVE, INACTV, …"),
        Column("status_change", text(), Under("CHG", pattern="^(X)$", rows=_NAMED), "X: the status changed within the interval."),
        Column(
            "duplex_role",
            text(),
            Under("STATUS", pattern=r"^(PRIM|SEC)(?: +A)?$", line="CURRENT_ROW", reach="below", width=7),
            "PRIM or SEC copy of a duplexed structure; NULL if not duplexed.",
            allowed=("PRIM", "SEC"),
        ),
        Column(
            "duplex_asynchronous",
            flag(),
            # First on its line, so it is read there wherever the heading ends the column.
            Field("CURRENT_ROW", r"^ *((?:PRIM|SEC)(?: +A)?)(?: |$)", follows=True),
            "Duplexed asynchronously (A); NULL if not duplexed.",
            allowed=tuple(role + " " * blanks + "A" for role in ("PRIM", "SEC") for blanks in (1, 2, 3)),
        ),
        Column("encrypted", text(), Under("ENC", pattern="^(YES|NO)$", rows=_NAMED), "YES or NO; NULL before V2R3.", allowed=("YES", "NO")),
        Column("allocated_bytes", storage(), Under("ALLOC SIZE"), "Storage allocated.", resolution=True, filled=True),
        Column("cf_storage_pct", percent(), _any_title("% OF CF STOR", "% OF CF STORAGE"), "Of the facility's storage.", decimals=1, filled=True),
        _counted("requests", Under("# REQ"), "Requests to the structure."),
        Column("all_requests_pct", percent(), Under("% OF ALL REQ"), "Share of the requests to all structures.", decimals=1, filled=True),
        Column("cf_utilization_pct", percent(), Under("% OF CF UTIL"), "Share of the facility's processor time in use.", decimals=1),
        Column("requests_per_s", per_second(), _any_title("AVG REQ/ SEC", "AVG REQ/SEC"), resolution=True, filled=True, decimals_vary=True),
        *_entries("list_directory_entries", "LST/DIR ENTRIES", "List or directory entries"),
        *_entries("data_elements", "DATA ELEMENTS", "Data elements"),
        *_entries("lock_entries", "LOCK ENTRIES", "Lock table entries"),
        _counted("directory_reclaims", Under("DIR REC/ DIR REC", rows=_NAMED), "Directory entries reclaimed."),
        _counted(
            "directory_reclaim_cross_invalidations",
            Under("DIR REC/ DIR REC", line="CURRENT_ROW", reach="below"),
            "Cross-invalidations that these reclaims caused (DIR REC XI'S).",
        ),
    ),
    once=Once("allocated_bytes directory_reclaims directory_reclaim_cross_invalidations"),
)
# fmt: on


# --- The facility: storage and processors --------------------------------------------------------------------------

_NUMBER = r"([0-9*][^ ]*|-*N/A-*|-+)(?: |$)"
# A size has a suffix or is 0, unlike the percentage after it.
_SIZE = r" +([^ ]*[^0-9. ][^ ]*|0)(?: |$)"


def _beside(line: str, pattern: str) -> tuple[Place, ...]:
    """On a line above or below the row: storage and processors come in either order."""
    return Field(line, pattern), Field(line, pattern, follows=True)


def _size(name: str, line: str, label: str, doc: str) -> Column:
    return Column(name, storage(), _beside(line, label + _SIZE), doc, resolution=True)


# fmt: off
USAGE = Table(
    "rmf_cf_usage",
    grain="one row per coupling facility",
    rows=("MODEL_LINE",),
    key=KEY,
    rules=USAGE_RULES,
    columns=(
        *_header(),
        Column("cf_type", text(), Field("MODEL_LINE", r"COUPLING +FACILITY +(\S+)"), "Machine type."),
        Column("cf_model", text(), Field("MODEL_LINE", r" MODEL +(\S+)"), "Machine model."),
        Column("cf_level", count(), Field("MODEL_LINE", r"CFLEVEL +" + _NUMBER), "CFLEVEL: level of the control code."),
        Column("dynamic_dispatch", text(), Field("MODEL_LINE", r"DYNDISP +(\S+)"), "DYNDISP: OFF, ON or THIN."),
        Column(
            "utilization_pct",
            percent(),
            Field("UTILIZATION_LINE", r"\(% ?BUSY\) +" + _NUMBER, follows=True),
            "Busy share of the logical processors: busy / (busy + wait).",
        ),
        Column(
            "processors_defined",
            count(),
            Field("UTILIZATION_LINE", "DEFINED +" + _NUMBER, follows=True),
            "Logical processors, dedicated and shared.",
        ),
        Column(
            "processors_effective",
            number(),
            Field("UTILIZATION_LINE", "EFFECTIVE +" + _NUMBER, follows=True),
            "Processor capacity of the facility, in processors.",
        ),
        Column("processors_shared", count(), Field("SHARED_LINE", "SHARED +" + _NUMBER, follows=True), "Of these, shared."),
        Column("processor_weight_avg", number(), Field("SHARED_LINE", "AVG +WEIGHT +" + _NUMBER, follows=True), "Average weight of the shared processors."),
        _size("structure_storage_bytes", "USED_LINE", "USED BY STRUCTURES", "Used by structures."),
        _size("dump_storage_bytes", "DUMP_LINE", "DUMP STORAGE", "Set aside for dumps."),
        _size("available_storage_bytes", "AVAILABLE_LINE", "AVAILABLE", "Not used."),
        _size("total_storage_bytes", "SIZE_LINE", "STORAGE SIZE", "Total storage of the facility."),
        _size("control_storage_bytes", "CONTROL_LINE", "STORAGE DEFINED", "Defined as control storage."),
        _size("data_storage_bytes", "DATA_LINE", "STORAGE DEFINED", "Defined as data storage."),
        Column("samples_avg", count(), Field("SAMPLES_LINE", r"\(AVG\) *= *" + _NUMBER), "Samples: average over systems."),
        Column("samples_max", count(), Field("SAMPLES_LINE", r"\(MAX\) *= *" + _NUMBER), "Most samples of a system."),
        Column("samples_min", count(), Field("SAMPLES_LINE", r"\(MIN\) *= *" + _NUMBER), "Fewest samples of a system."),
    ),
    once=Once("total_storage_bytes available_storage_bytes"),
)
# fmt: on


# --- Asynchronous duplexing ------------------------------------------------------------------------------------------

_OPERATIONS, _SYNC_UP = "ASYNC DUPLEX CF OPERATIONS", "ASYNC DUPLEX SYNC_UP REQUESTS"


def _average_and_deviation(name: str, group: str, doc: str) -> tuple[Column, ...]:
    return (
        Column(f"{name}_us", _microseconds(), Under("AVG", group), f"{doc}, average."),
        Column(f"{name}_stddev_us", _microseconds(), Under("STD_DEV", group), f"{doc}, standard deviation."),
    )


# fmt: off
DUPLEXING = Table(
    "rmf_cf_async_duplexing",
    grain="one row per coupling facility and asynchronously duplexed structure",
    rows=("DUPLEX_TYPE_ROW", "DUPLEX_NAME_ROW"),
    key=(*KEY, "structure_name"),
    columns=(
        *_header(),
        Column("structure_type", text(), Under("TYPE", fill="down"), "LOCK: printed once per group."),
        Column("structure_name", text(), Under("STRUCTURE NAME", pattern=_WORD, width=16), "Structure."),
        _counted("operations", Under("TOTAL", _OPERATIONS), "Asynchronous duplex operations between the facilities."),
        *_average_and_deviation("transmit", "TRANSMIT TIME", "Time to transmit an operation"),
        *_average_and_deviation("service", "SERVICE TIME", "Service time of an operation"),
        _counted("sync_up_requests", Under("TOTAL", _SYNC_UP), "Requests to wait until an operation is duplexed."),
        _counted("sync_up_suspended", Under("#SUSPEND", _SYNC_UP), "Of these, suspended."),
        *_average_and_deviation("suspend", "SUSPEND TIME", "Time that these were suspended"),
    ),
)
# fmt: on


# --- Storage class memory --------------------------------------------------------------------------------------------

_MEMORY_ROWS = ("MEMORY_TYPE_ROW", "MEMORY_NAME_ROW")
_SPACE, _AUGMENTED = "SCM SPACE", "AUGMENTED SPACE"

# fmt: off
MEMORY = Table(
    "rmf_cf_storage_class_memory",
    grain="one row per coupling facility and structure that may use storage class memory",
    rows=_MEMORY_ROWS,
    key=(*KEY, "structure_name"),
    rules=MEMORY_RULES,
    covers=False,
    columns=(
        *_header(),
        Column("structure_type", text(), Under("TYPE", fill="down", rows=_MEMORY_ROWS), "LIST: printed once per group."),
        Column("structure_name", text(), Under("STRUCTURE NAME", pattern=_WORD, rows=_MEMORY_ROWS, width=16), "Structure."),
        Column("algorithm", text(), Under("ALG TYPE", pattern=_WORD, width=4), "Which objects go to storage class memory first: KP1, by key priority."),
        Column("memory_max_bytes", storage(), Under("MAX", _SPACE), "Storage class memory that the structure may use.", resolution=True),
        Column("memory_used_pct", percent(), Under("%USED", _SPACE), "Of these, in use at the end of the interval."),
        Column("augmented_max_bytes", storage(), Under("EST.MAX", _AUGMENTED), "Augmented space, storage of the facility that tracks what is in storage class memory: estimated maximum.", resolution=True),
        Column("augmented_used_pct", percent(), Under("%USED", _AUGMENTED), "Of these, in use at the end of the interval."),
        _counted("list_entries_max", Under("EST.MAX", "LIST ENTRIES"), "List entries in storage class memory: estimated maximum."),
        _counted("list_entries_current", Under("CUR", "LIST ENTRIES"), "List entries in storage class memory at the end of the interval."),
        _counted("list_elements_max", Under("EST.MAX", "LIST ELEMENTS"), "List elements in storage class memory: estimated maximum."),
        _counted("list_elements_current", Under("CUR", "LIST ELEMENTS"), "List elements in storage class memory at the end of the interval."),
        _counted("reads", Under("COUNT", "SCM READ"), "Reads from storage class memory in the interval."),
        Column("read_bytes", storage(), Under("BYTES", "SCM READ"), "Storage that these moved to the facility.", resolution=True),
        _counted("writes", Under("COUNT", "SCM WRITE"), "Writes to storage class memory in the interval."),
        Column("write_bytes", storage(), Under("BYTES", "SCM WRITE"), "Storage that these moved out of the facility.", resolution=True),
    ),
)
# fmt: on


# --- Structure activity ----------------------------------------------------------------------------------------------

_REQUESTS, _SERVICE = "REQUESTS", "SERV TIME(MIC)"
_DELAYED, _DELAY = "DELAYED REQUESTS", "AVG TIME(MIC)"
_REASONS = {
    "no_sch": ("NO SCH", "no subchannel was free"),
    "pr_wt": ("PR WT", "the peer's subchannel was not free (duplexing)"),
    "pr_cmp": ("PR CMP", "the peer had not completed (duplexing)"),
    "dump": ("DUMP", "the structure was being dumped"),
    "monop": ("MONOP", "monopolization of the facility was to be avoided (V2R5)"),
}


def _labelled(name: str, label: str, what: str, service: str = "") -> tuple[Column, ...]:
    """The columns of one line of the requests."""
    return (
        _counted(f"{name}_requests", Under("# REQ", _REQUESTS, label=label), f"Requests {what}."),
        Column(f"{name}_pct", percent(), Under("% OF ALL", label=label), "Share of the requests of all systems."),
        *_service(name, label, what, service),
    )


# fmt: off
def _service(name: str, label: str, what: str, group: str) -> tuple[Column, ...]:
    if not group:
        return ()
    of = f"Service time of requests {what}"
    return (
        Column(f"{name}_service_us", _microseconds(), Under("AVG", group, label=label), f"{of}, average."),
        Column(f"{name}_service_stddev_us", _microseconds(), Under("STD_DEV", group, label=label), f"{of}, standard deviation."),
    )
# fmt: on


# fmt: off
def _delayed(name: str, label: str, what: str) -> tuple[Column, ...]:
    why = f"Requests delayed because {what}"
    return (
        _counted(f"delayed_{name}_requests", Under("# REQ", _DELAYED, label=label), f"{why}."),
        Column(f"delayed_{name}_pct", percent(), Under("% OF REQ", label=label), f"{why}, of all requests."),
        Column(f"delayed_{name}_time_us", _microseconds(), Under("/DEL", label=label), f"{why}: average delay of a delayed request."),
        Column(
            f"delayed_{name}_stddev_us",
            _microseconds(),
            Under("STD_DEV", _DELAY, label=label),
            f"{why}: standard deviation of the delay of a delayed request.",
        ),
        Column(f"delayed_{name}_all_us", _microseconds(), Under("/ALL", label=label), f"{why}: average delay over all requests."),
    )
# fmt: on


# The letters are a vendor's callouts on a page of a manual.
_CONTENTION = r" *(?P<value>[0-9*][^ ]*|-*N/A-*|)(?: +[A-Z])?$"


def _contention(name: str, label: str, doc: str) -> Column:
    pattern = f"(?i)^{label}" + _CONTENTION.replace("?P<value>", "")
    titles = ("EXTERNAL REQUEST CONTENTIONS", "REQUEST CONTENTIONS")
    return _counted(f"contention_{name}", tuple(Under(t, pattern=pattern) for t in titles), doc)


_DATA_ACCESS_LINES = ("TOTAL_ROW", "ASYNC_ROW", "CHNGD_ROW", "SUPPR_ROW", "DELAY_ROW", "DATA_ACCESS_ROW")


def _data_access(name: str, label: str, doc: str) -> Column:
    at = tuple(Field(line, rf"\b{label} +([^ ]+)", follows=True) for line in _DATA_ACCESS_LINES)
    return _counted(name, at, f"{doc}; printed for caches, beside TOTAL.")


# fmt: off
ACTIVITY = Table(
    "rmf_cf_structure_activity",
    grain="one row per coupling facility, structure and system, and one per structure for its printed TOTAL",
    rows=("SYSTEM_ROW", "TOTAL_ROW"),
    key=(*KEY, "structure_name", "system", "is_total"),
    rules=ACTIVITY_RULES,
    columns=(
        *_header(system=Under("SYSTEM NAME", pattern=_WORD, line="SYSTEM_ROW", width=8)),
        Column("is_total", flag(), (Constant(True, ("TOTAL_ROW",)), Constant(False)), "The row is TOTAL."),
        Column("structure_name", text(), Parsed(STRUCTURE), "Structure.", nullable=False),
        Column("structure_type", text(), Parsed(STRUCTURE), "LIST, LOCK or CACHE.", allowed=_TYPES),
        Column("status", text(), Parsed(STRUCTURE), "ACTIVE, ACTIVE PRIMARY, …"),
        Column("encrypted", text(), Parsed(STRUCTURE), "YES or NO; NULL before V2R3."),
        _counted("requests", _any_title("# REQ TOTAL", "#REQ TOTAL", label="SYNC"), "All requests (# REQ TOTAL)."),
        Column(
            "requests_per_s",
            per_second(),
            _any_title("# REQ TOTAL AVG/SEC", "#REQ TOTAL AVG/SEC", label="ASYNC"),
            resolution=True,
            filled=True,
        ),
        *_labelled("sync", "SYNC", "that the processor waited for", _SERVICE),
        *_labelled("async", "ASYNC", "that it did not wait for", _SERVICE),
        *_labelled("changed", "CHNGD", "changed from synchronous; they are within the asynchronous"),
        *_labelled("suppressed", "SUPPR", "suppressed"),
        *(column for name, (label, what) in _REASONS.items() for column in _delayed(name, label, what)),
        _contention("requests", "(?:REQ TOTAL|# ?REQ)", "Lock requests as counted by XES: the base of contention."),
        _contention("deferred", "(?:REQ DEFERRED|# ?REQ DELAYED)", "Lock requests deferred (1996: delayed)."),
        _contention("total", "-?CONT", "Of these, because of contention, real or false."),
        _contention("false", "-?FALSE CONT", "Of these, because of false contention."),
        _data_access("reads", "READS", "Reads of data"),
        _data_access("writes", "WRITES", "Writes of data"),
        _data_access("castouts", "CASTOUTS", "Castouts"),
        _data_access("cross_invalidations", "XI'S", "Cross-invalidations"),
    ),
    once=Once(
        "interval_s structure_type status requests requests_per_s sync_requests sync_service_us sync_service_stddev_us"
        " async_requests async_service_us async_service_stddev_us changed_requests contention_requests contention_deferred"
        " contention_total contention_false"
    ),
)
# fmt: on


# --- Subchannels -----------------------------------------------------------------------------------------------------

_LINKS = ("SYNC", "ASYNC", "CHANGED", "UNSUCC")


def _link(n: int, label: str) -> tuple[Column, ...]:
    def under(title: str) -> Under:
        return Under(title, "CF LINKS", label=label)

    return (
        Column(f"link_{n}_type", text(), under("TYPE"), f"CF links, line {n}: type; SUBCH for subchannels."),
        Column(f"link_{n}_generated", count(), under("GEN"), f"CF links, line {n}: GEN, defined."),
        Column(f"link_{n}_used", count(), under("USE"), f"CF links, line {n}: USE, in use."),
    )


def _subchannel(name: str, label: str, what: str, times: bool = True) -> tuple[Column, ...]:
    return (
        _counted(f"{name}_requests", Under("# REQ", _REQUESTS, label=label), f"Requests {what}."),
        *_service(name, label, what, "SERVICE TIME(MIC)" if times else ""),
    )


# fmt: off
SUBCHANNELS = Table(
    "rmf_cf_subchannel_activity",
    grain="one row per coupling facility and system",
    rows=("SUBCHANNEL_ROW",),
    key=(*KEY, "system"),
    filled_together=tuple(
        (f"link_{n}_type", f"link_{n}_generated", f"link_{n}_used") for n in range(1, len(_LINKS) + 1)
    ),
    rules=SUBCHANNEL_RULES,
    columns=(
        *_header(system=Under("SYSTEM NAME", pattern=_WORD, line="SUBCHANNEL_ROW", width=8)),
        _counted("requests", Under("# REQ TOTAL", label="SYNC"), "All requests (# REQ TOTAL)."),
        Column("requests_per_s", per_second(), Under("# REQ TOTAL AVG/SEC", label="ASYNC"), resolution=True),
        *(column for n, label in enumerate(_LINKS, start=1) for column in _link(n, label)),
        _counted("path_busy", Under("PTH BUSY", label="SYNC"), "Times that a path was busy."),
        *_subchannel("sync", "SYNC", "that the processor waited for"),
        *_subchannel("async", "ASYNC", "that it did not wait for"),
        *_subchannel("changed", "CHANGED", "changed from synchronous; they are within the asynchronous", times=False),
        *_subchannel("unsuccessful", "UNSUCC", "that could not complete"),
        *_delayed("list_cache", "LIST/CACHE", "no subchannel was free, to lists and caches"),
        *_delayed("lock", "LOCK", "no subchannel was free, to locks"),
        *_delayed("total", "TOTAL", "no subchannel was free, to any structure")[:2],
    ),
    once=Once(
        "interval_s link_1_type link_1_generated link_1_used link_2_type link_2_generated link_2_used link_3_type"
        " link_3_generated link_3_used link_4_type link_4_generated link_4_used requests requests_per_s sync_requests"
        " sync_service_us async_requests async_service_us changed_requests unsuccessful_requests path_busy"
        " delayed_total_pct delayed_list_cache_pct delayed_lock_pct"
    ),
)
# fmt: on


# --- Links between coupling facilities ---------------------------------------------------------------------------------

_PEER = Under("PEER CF", pattern=_WORD, fill="down")


def _of_peer(title: str, group: str = "") -> Under:
    return Under(title, group, label="SYNC")


# fmt: off
CF_TO_CF = Table(
    "rmf_cf_to_cf",
    grain="one row per coupling facility and peer",
    rows=("PEER_ROW",),
    key=(*KEY, "peer_cf"),
    rules=CF_TO_CF_RULES,
    columns=(
        *_header(),
        Column("peer_cf", text(), _PEER, "The other coupling facility."),
        _counted("sync_requests", _of_peer("# REQ", _REQUESTS), "Synchronous requests to the peer."),
        Column("sync_requests_per_s", per_second(), _of_peer("AVG/ SEC"), "Their rate.", resolution=True),
        *_service("sync", "SYNC", "to the peer", "SERVICE TIME(MIC)"),
        _counted("delayed_requests", _of_peer("# REQ", _DELAYED), "Requests delayed."),
        Column("delayed_pct", percent(), _of_peer("% OF REQ"), "Of the requests.", decimals=1),
        Column("delayed_time_us", _microseconds(), _of_peer("/DEL"), "Average delay of a delayed request."),
        Column("delayed_stddev_us", _microseconds(), _of_peer("STD_DEV", _DELAY), "Standard deviation of the delay of a delayed request."),
        Column("delayed_all_us", _microseconds(), _of_peer("/ALL"), "Delay over all requests.", decimals=1),
    ),
)
# fmt: on

CF_TO_CF_LINK = Table(
    "rmf_cf_to_cf_link",
    grain="one row per coupling facility, peer and line of link types",
    rows=("PEER_ROW", "PEER_LINK_ROW"),
    key=(*KEY, "peer_cf", "receiver_type", "sender_type"),
    covers=False,
    columns=(
        *_header(),
        Column("peer_cf", text(), _PEER, "The other coupling facility; printed once."),
        Column("receiver_type", text(), Under("TYPE", "RECEIVER", pattern=_LINK_TYPE), "Type of the receiving links."),
        Column("receiver_used", count(), Under("USE", "RECEIVER"), "Such links in use."),
        Column("sender_type", text(), Under("TYPE", "SENDER", pattern=_LINK_TYPE), "Type of the sending links."),
        Column("sender_used", count(), Under("USE", "SENDER"), "Such links in use."),
    ),
)

# fmt: off
CHANNEL_PATHS = Table(
    "rmf_cf_channel_path",
    grain="one row per coupling facility, peer or system, channel path and direction",
    rows=("CHANNEL_ROW", "CHANNEL_MORE_ROW"),
    key=(*KEY, "peer_cf", "system", "channel_path_id", "direction"),
    filled_together=(("adapter_id", "adapter_port"),),
    columns=(
        *_header(system=tuple(Under(title, pattern=_WORD, fill="down", width=8) for title in ("SYSTEM NAME", "SYSTEM"))),
        Column("peer_cf", text(), _PEER, "The other coupling facility; printed once. NULL for paths of a system."),
        Column("channel_path_id", text(), Under("ID", pattern=_ID), "Channel path identifier, hexadecimal."),
        Column("channel_path_type", text(), Under("TYPE", pattern=_LINK_TYPE), "CS5, CIB, CFP, …"),
        Column("direction", text(), Under("R/S", pattern="^([RS])$"), "R receiver, S sender; NULL for paths of a system."),
        Column("operation_mode", text(), Under("OPERATION MODE", width=20), "Width, generation and adapter."),
        Column("degraded", flag(), Under("DEGRADED"), "It runs in degraded mode.", allowed=("Y", "YES")),
        Column("distance", text(), Under("DISTANCE"), "Kilometres, as printed: <1 is less than one."),
        Column("physical_channel_id", text(), Under("PCHID"), "PCHID: physical channel identifier, hexadecimal."),
        Column("adapter_id", text(), Under("HCA ID", pattern=_WORD), "HCA ID: host channel adapter."),
        Column("adapter_port", text(), Under("HCA PORT", pattern=_ID), "HCA PORT: port of the adapter."),
        Column("io_processor_ids", text(), Under("IOP IDS", pattern="^([0-9A-F]{2}(?: [0-9A-F]{2})*)$", width=20), "IOP IDS: I/O processors that serve the path."),
    ),
)
# fmt: on


_USAGE_HEAD, _ACTIVITY_HEAD = ("USAGE_HEAD",), ("ACTIVITY_HEAD",)
_SIDES = (("# REQ", _REQUESTS), ("# REQ", _DELAYED))
_INCLUDED = "INCLUDED IN ASYNC"
_BESIDE_TOTAL = (r"-+ ?DATA ACCESS ?-*", r"(?:READS|WRITES|CASTOUTS|XI'S) +[0-9.]+[KMGT]?")
_MEMORY_ART = """\
                               - SCM SPACE - -AUGMENTED SPACE- - LIST ENTRIES - -LIST ELEMENTS-   -- SCM READ --  - SCM WRITE --
        STRUCTURE         ALG
 TYPE   NAME              TYPE    MAX  %USED   EST.MAX  %USED   EST.MAX     CUR  EST.MAX     CUR    COUNT  BYTES    COUNT  BYTES

 ssss   ssssssssssssssss  ssss wwwwwww fff.f    wwwwwww fff.f    kkkkkk  kkkkkk   kkkkkk  kkkkkk   kkkkkk wwwwwww  kkkkkk wwwwwww
        ssssssssssssssss  ssss wwwwwww fff.f    wwwwwww fff.f    kkkkkk  kkkkkk   kkkkkk  kkkkkk   kkkkkk wwwwwww  kkkkkk wwwwwww"""

# The heading and its first row, the other first row, a row CUR and the totals; from z/OS V2R3 on with ENC.
_USAGE_ART = """\
                                                % OF             % OF    % OF     AVG    LST/DIR  DATA      LOCK     DIR REC/
        STRUCTURE                       ALLOC   CF          #    ALL     CF       REQ/   ENTRIES  ELEMENTS  ENTRIES  DIR REC
 TYPE   NAME              STATUS CHG    SIZE    STOR      REQ    REQ     UTIL     SEC    TOT/CUR  TOT/CUR   TOT/CUR  XI'S

 sssss  ssssssssssssssss  sssssss    wwwwwww   fff.f    kkkkkk  fff.f   fff.f   rrrrrr   kkkkkk    kkkkkk     kkkkk    kkkkkk
        ssssssssssssssss  sssssss    wwwwwww   fff.f    kkkkkk  fff.f   fff.f   rrrrrr   kkkkkk    kkkkkk     kkkkk    kkkkkk
                                                                                         kkkkkk    kkkkkk     kkkkk    kkkkkk
        STRUCTURE TOTALS             wwwwwww    ff.f    kkkkkk   ff.f           rrrrrr"""
_ENC_ART = """\
                                                      % OF             % OF    % OF     AVG    LST/DIR  DATA      LOCK     DIR REC/
        STRUCTURE                             ALLOC   CF          #    ALL     CF       REQ/   ENTRIES  ELEMENTS  ENTRIES  DIR REC
 TYPE   NAME              STATUS CHG  ENC     SIZE    STOR      REQ    REQ     UTIL     SEC    TOT/CUR  TOT/CUR   TOT/CUR  XI'S

 sssss  ssssssssssssssss  sssssss     sss  wwwwwww   fff.f    kkkkkk  fff.f   fff.f   rrrrrr   kkkkkk    kkkkkk     kkkkk    kkkkkk
        ssssssssssssssss  sssssss     sss  wwwwwww   fff.f    kkkkkk  fff.f   fff.f   rrrrrr   kkkkkk    kkkkkk     kkkkk    kkkkkk
                                                                                               kkkkkk    kkkkkk     kkkkk    kkkkkk
        STRUCTURE TOTALS                   wwwwwww    ff.f    kkkkkk   ff.f           rrrrrr"""
_ACTIVITY_ART = """\
           # REQ    -------------- REQUESTS -------------   -------------- DELAYED REQUESTS -------------
 SYSTEM    TOTAL             #     % OF  -SERV TIME(MIC)-    REASON    #   % OF  ---- AVG TIME(MIC) -----
 NAME      AVG/SEC           REQ    ALL     AVG   STD_DEV            REQ    REQ   /DEL    STD_DEV   /ALL

 ssssssss  kkkkkk   xxxxx kkkkkk  fff.f  ffff.f  fffff.f     xxxxxx kkkkk fff.f ffff.f    fffff.f ffff.f
 TOTAL     kkkkkk   xxxxx kkkkkk  fff.f  ffff.f  fffff.f     xxxxxx kkkkk fff.f ffff.f    fffff.f ffff.f
          rrrrrr    xxxxx kkkkkk  fff.f  ffff.f  fffff.f     xxxxxx kkkkk fff.f ffff.f    fffff.f ffff.f
                    xxxxx kkkkkk  fff.f  INCLUDED IN ASYNC   xxxxxx kkkkk fff.f ffff.f    fffff.f ffff.f
                    xxxxx kkkkkk  fff.f                      xxxxxx kkkkk fff.f ffff.f    fffff.f ffff.f
                                                             xxxxxx kkkkk fff.f ffff.f    fffff.f ffff.f"""
_SUBCHANNEL_ART = """\
          # REQ                             ----------- REQUESTS -----------   --------------- DELAYED REQUESTS ---------------
 SYSTEM   TOTAL     -- CF LINKS --   PTH               #  -SERVICE TIME(MIC)-               #   % OF  ---- AVG TIME(MIC) ----
 NAME     AVG/SEC   TYPE  GEN  USE   BUSY             REQ     AVG    STD_DEV              REQ    REQ   /DEL   STD_DEV    /ALL

 ssssssss kkkkkk    sssss  dd   dd      d   xxxxxxxkkkkkk  ffff.f    fffff.f   xxxxxxxxxxkkkkk fff.f ffff.f   fffff.f  ffff.f
         rrrrrr     sssss  dd   dd          xxxxxxxkkkkkk  ffff.f    fffff.f   xxxxxxxxxxkkkkk fff.f ffff.f   fffff.f  ffff.f
                                            xxxxxxx kkkkkk INCLUDED IN ASYNC   xxxxxxxxxxkkkkk fff.f
                                            xxxxxxxdddddd  ffff.f    fffff.f"""


def _usage(first: int, last: int) -> tuple[str, ...]:
    """The heading of the usage summary with some of its rows."""
    arts = (one.rpartition("\n\n") for one in (_USAGE_ART, _ENC_ART))
    return tuple("\n\n".join((head, "\n".join(rows.split("\n")[first:last]))) for head, _, rows in arts)


REPORT = Report(
    "rmf_coupling_facility_activity",
    summary=(
        "RMF Coupling Facility Activity: structures, processors and storage, storage class memory, subchannels, links, "
        "asynchronous duplexing (storage, storage class memory, processors and subchannels from field knowledge)"
    ),
    banner="COUPLINGFACILITYACTIVITY",
    doc=__doc__ or "",
    tables=(SUMMARY, USAGE, MEMORY, DUPLEXING, ACTIVITY, SUBCHANNELS, CF_TO_CF, CF_TO_CF_LINK, CHANNEL_PATHS),
    interval=("SYSTEM_LINE", "VERSION_LINE"),
    systems=(),
    numbered=("TITLE", "PAGE_NO"),
    in_turn=("SUMMARY_TITLE", "SUBCHANNEL_TITLE"),
    carried=("CF_NAME_LINE",),
    closing=("TOTAL_ROW", "TOTALS_ROW"),
    unread_parts={
        **UNREAD_PARTS,
        "share of the storage, behind its size": r"(?<=[0-9KMG]) +[0-9.]+$",
        "samples, on pages that name no model of the facility": r"TOTAL SAMPLES.*",
    },
    layouts=(
        Columns(_USAGE_HEAD, _NAMED, depth=3, art=_usage(0, 2)),
        Columns(_USAGE_HEAD, ("CURRENT_ROW",), depth=3, open=True, art=_usage(2, 3)),
        Columns(_USAGE_HEAD, ("TOTALS_ROW",), depth=3, open=True, art=_usage(3, 4)),
        Columns(("MEMORY_HEAD",), _MEMORY_ROWS, depth=3, art=(_MEMORY_ART,)),
        Columns(("DUPLEX_HEAD",), ("DUPLEX_TYPE_ROW", "DUPLEX_NAME_ROW"), depth=3),
        Columns(
            _ACTIVITY_HEAD,
            ("SYSTEM_ROW", "TOTAL_ROW", "ASYNC_ROW", "CHNGD_ROW", "SUPPR_ROW", "DELAY_ROW", "CONTENTION_ROW"),
            depth=3,
            ignored=("^REASON$",),
            sides=SideBySide(_SIDES, (_INCLUDED, *_BESIDE_TOTAL)),
            art=(_ACTIVITY_ART,),
        ),
        Columns(
            ("SUBCHANNEL_HEAD",),
            ("SUBCHANNEL_ROW", "SUBCHANNEL_ASYNC_ROW", "SUBCHANNEL_CHANGED_ROW", "SUBCHANNEL_UNSUCC_ROW"),
            depth=3,
            sides=SideBySide(_SIDES, (_INCLUDED,)),
            art=(_SUBCHANNEL_ART,),
        ),
        Columns(("PEER_HEAD",), ("PEER_ROW", "PEER_LINK_ROW"), depth=3, sides=SideBySide(_SIDES[:1])),
        Columns(("CHANNEL_HEAD",), ("CHANNEL_ROW", "CHANNEL_MORE_ROW")),
    ),
)
