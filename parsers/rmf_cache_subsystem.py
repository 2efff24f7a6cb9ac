"""RMF Cache Subsystem Activity (Postprocessor). Grains: one row per interval, system and storage control unit; one per category of its
requests; one per category of its misses; one per volume, with the totals of the control unit.

Source: IBM z/OS RMF Report Analysis, "CACHE - Cache Subsystem Activity report". Published pages of z/OS V2R1 and V2R4 show the head of
the page, the lines SUBSYSTEM and TYPE-MODEL, status, totals, and the titles of requests with the beginning of a row. From field knowledge:
the titles of misses, MISC and NON-CACHE I/O, which a published look-alike has; the names DELAYED NVS and DELAYED CACHE of z/OS V2R4; the
titles of the device overview, whose measures are published. Titles that come again (COUNT RATE HITS RATE) are told apart by their order:
where a title is missing, no row below is read. Titles of the device overview under DASD I/O RATE that are not known are rejected, and the
other columns read. Not read: CKD statistics, record caching, host adapter, disk and synchronous I/O activity; pages of single devices
(CACHE DEVICE ACTIVITY), RAID ranks and extent pools.

RMF counts for the cache interval (CDATE, CTIME, CINT), a little beside the interval of the page: rates are per second of it. The counts
are those of the control unit: all systems that use it are in them, so pages of two systems are the same requests. Ratios are shares of 1.
"""

import datetime as dt
import re
from typing import Any

from ..pipeline.declaration.layouts import Columns, SideBySide, WholeRows
from ..pipeline.declaration.once import Once
from ..pipeline.declaration.places import Constant, Field, LineParser, Parsed, Under
from ..pipeline.declaration.reading_options import Options
from ..pipeline.declaration.report import (
    Column,
    Report,
    Table,
    count,
    flag,
    number,
    per_second,
    percent,
    storage,
    text,
    timestamp,
)
from ..pipeline.declaration.rules import AtMost, Ratio, Total
from ..pipeline.errors import Problem, Unreadable
from ._dates import ORDER_HINT, read_date
from ._rmf import HEADER, UNREAD_PARTS, header_columns, read_time

_RMF = "RMF Report Analysis, Cache Subsystem Activity"


def read_unit(texts: tuple[str | None, ...], options: Options) -> dict[str, Any]:
    """The control unit of a page, and start and length of the cache interval: CDATE, CTIME and CINT (mm.ss). Raises Unreadable if one of
    them is missing or cannot be read, and if a page has a title but no such line: its rows may be those of any control unit."""
    line = texts[0]
    found: dict[str, Any] = dict.fromkeys(("ssid", "control_unit", "cache_started_at", "cache_interval_s"))
    if line is None:
        what = "no control unit on the page"
        raise Unreadable(found, [Problem(1, 0, what, "SUBSYSTEM … CU-ID … SSID …", "the line may be missing")])
    problems: list[Problem] = []

    def take(pattern: str, missing: str, expected: str) -> re.Match[str] | None:
        match = re.search(pattern, line)
        if not match:
            problems.append(Problem(0, len(line.rstrip()), f"no {missing} in the heading", expected, ""))
        return match

    if unit := take(r" CU-ID +([0-9A-F]{4,5})(?: |$)", "control unit", "CU-ID, 4 or 5 hexadecimal digits"):
        found["control_unit"] = unit[1]
    if ssid := take(r" SSID +([0-9A-F]{4})(?: |$)", "subsystem identifier", "SSID, 4 hexadecimal digits"):
        found["ssid"] = ssid[1]
    if start := take(r" CDATE +(\S+) +CTIME +(\S+)", "start of the cache interval", "CDATE and CTIME"):
        try:
            date = read_date(start[1], options.date_order)
            found["cache_started_at"] = dt.datetime.combine(date, read_time(start[2]))
        except ValueError:
            what = f"date {start[1]} {start[2]} cannot be read"
            problems.append(Problem(0, start.start(1), what, "CDATE as mm/dd/yyyy and CTIME as hh.mm.ss", ORDER_HINT))
    if length := take(r" CINT +(\S+)", "length of the cache interval", "CINT as mm.ss"):
        if re.fullmatch(r"\d+\.[0-5]\d", length[1]):
            minutes, seconds = length[1].split(".")
            found["cache_interval_s"] = int(minutes) * 60.0 + int(seconds)
        else:
            what = f"cache interval {length[1]!r} cannot be read"
            problems.append(Problem(0, length.start(1), what, "CINT as mm.ss", ""))
    if problems:
        raise Unreadable(found, problems)
    return found


_UNIT_LINE = LineParser(("SUBSYSTEM_LINE", "TITLE"), read_unit)
_STATUS_LINES = ("CONFIGURED_LINE", "AVAILABLE_LINE", "PINNED_LINE", "OFFLINE_LINE")
_KEY = ("system", "report_kind", "interval_start", "interval_end", "ssid", "control_unit")


def _status(label: str) -> tuple[Field, ...]:
    """A state, at the right of one of the lines of the status."""
    return tuple(Field(kind, rf" {label} +- +(\S(?:.*\S)?) *$") for kind in _STATUS_LINES)


def _size(name: str, line: str, pattern: str, doc: str, *, resolution: bool = False) -> Column:
    """A size has a suffix, or is 0.0: without either, its end is lost."""
    return Column(name, storage(), Field(line, pattern), doc, resolution=resolution, decimals=1, digits=9)


# fmt: off
_UNIT = (
    *header_columns(scope=Parsed(HEADER, "system")),
    Column("cache_started_at", timestamp(), Parsed(_UNIT_LINE), "Start of the cache interval (CDATE, CTIME), local time as printed."),
    Column("cache_interval_s", number("s"), Parsed(_UNIT_LINE), "Length of the cache interval (CINT): rates are per second of it."),
    Column("ssid", text(), Parsed(_UNIT_LINE), "Subsystem identifier of the control unit, hexadecimal."),
    Column("control_unit", text(), Parsed(_UNIT_LINE), "Control unit: its lowest device number, hexadecimal."),
)
_MISC_LINES = ("MISS_ROW", "MISS_SUM_ROW", "MISC_ROW")
_MISC = (
    ("dfw_bypass", "DFW BYPASS", "MISC", "DASD fast writes that bypassed the cache: the storage for them was full"),
    ("cfw_bypass", "CFW BYPASS", "MISC", "Cache fast writes that bypassed the cache"),
    ("dfw_inhibit", "DFW INHIBIT", "MISC", "Writes with DASD fast write inhibited"),
    ("delayed_storage", "DELAYED NVS", "MISC", "Operations delayed for lack of non-volatile storage (z/OS V2R4)"),
    ("delayed_cache", "DELAYED CACHE", "MISC", "Operations delayed for lack of cache (z/OS V2R4)"),
    ("async_tracks", "ASYNC (TRKS)", "MISC", "Tracks that the control unit wrote from cache to disk on its own"),
    ("inhibit_cache_load", "ICL", "NON-CACHE I/O", "Requests that inhibited cache load"),
    ("bypass", "BYPASS", "NON-CACHE I/O", "Requests that bypassed the cache"),
    ("non_cache", "TOTAL", "NON-CACHE I/O", "Requests that did not use the cache"),
)


def _misc(name: str, label: str, group: str, doc: str) -> tuple[Column, Column]:
    def under(title: str) -> tuple[Under, ...]:
        return tuple(Under(title, group, label=label, line=line) for line in _MISC_LINES)

    return (
        Column(name, count(), under("COUNT"), f"{doc}.", resolution=True, decimals=0),
        Column(f"{name}_per_s", per_second(), under("RATE"), "The same, per second of the cache interval.", decimals=1),
    )


SUBSYSTEMS = Table(
    "rmf_cache_subsystem",
    grain="one row per storage control unit",
    rows=("TOTAL_ROW",),
    key=_KEY,
    rules=(
        AtMost(name="cache_requests_are_requests", parts=("cache_requests",), most=("requests",), source=_RMF),
        AtMost(name="available_is_within_configured", parts=("available_bytes",), most=("configured_bytes",), severity="warn", source=_RMF),
    ),
    columns=(
        *_UNIT,
        Column("subsystem", text(), Field("SUBSYSTEM_LINE", r"^ *SUBSYSTEM +(\S+) .*CU-ID"), "Type and number of the subsystem, such as 2107-01.", filled=True),
        Column("model", text(), Field("MODEL_LINE", r"TYPE-MODEL {1,4}(\S+)"), "Type and model, such as 2107-981."),
        Column("manufacturer", text(), Field("MODEL_LINE", r"MANUF +(\S+)"), "Manufacturer."),
        Column("plant", text(), Field("MODEL_LINE", r"PLANT +(\S\S)(?: |$)"), "Plant of manufacture.", filled=True),
        Column("serial", text(), Field("MODEL_LINE", r"SERIAL +(\S+)"), "Serial number of the storage server."),
        _size("configured_bytes", "CONFIGURED_LINE", r"^ *CONFIGURED +(\S+)", "Cache configured.", resolution=True),
        _size("available_bytes", "AVAILABLE_LINE", r"^ *AVAILABLE +(\S+)", "Cache available.", resolution=True),
        _size("pinned_bytes", "PINNED_LINE", r"^ *PINNED +(\S+)", "Cache with data that cannot be written to disk."),
        _size("offline_bytes", "OFFLINE_LINE", r"^ *OFFLINE +(\S+)", "Cache that is offline."),
        _size("nvs_configured_bytes", "CONFIGURED_LINE", r"^ *CONFIGURED +\S+ +CONFIGURED +(\S+)", "Non-volatile storage configured."),
        _size("nvs_pinned_bytes", "AVAILABLE_LINE", r"^ *AVAILABLE +\S+ +PINNED +(\S+)", "Non-volatile storage with data that cannot be written to disk."),
        Column("caching", text(), _status("CACHING"), "State of caching, such as ACTIVE; up to z/OS V2R1 or later."),
        Column("nvs_status", text(), _status("NON-VOLATILE STORAGE"), "State of non-volatile storage."),
        Column("cache_fast_write", text(), _status("CACHE FAST WRITE"), "State of cache fast write."),
        Column("iml_device", text(), _status("IML DEVICE AVAILABLE"), "Whether the device for the initial load is available; up to z/OS V2R1 or later."),
        Column("requests", count(), Field("TOTAL_ROW", r"TOTAL +I/O +(\S+)"), "I/O requests of all systems to the control unit.", resolution=True),
        Column("cache_requests", count(), Field("TOTAL_ROW", r"CACHE +I/O +(\S+)"), "Of these, requests that use the cache.", resolution=True),
        Column("cache_offline_requests", count(), Field("TOTAL_ROW", r"CACHE +OFFLINE +(\S+)"), "Requests while the cache was offline; up to z/OS V2R1 or later.", resolution=True),
        Column("hit_ratio", number(), Field("RATIO_ROW", r"TOTAL +H/R +(\S+)", follows=True), "Cache hits as a share of all requests.", maximum=1),
        Column("cache_hit_ratio", number(), Field("RATIO_ROW", r"CACHE +H/R +(\S+)", follows=True), "Cache hits as a share of the requests that use the cache.", maximum=1),
        *(column for misc in _MISC for column in _misc(*misc)),
    ),
    once=Once(
        "interval_s model cache_interval_s requests async_tracks_per_s dfw_bypass delayed_storage", more="sysplex"
    ),
)

_READ, _WRITE, _MISSES = "READ I/O REQUESTS", "WRITE I/O REQUESTS", "CACHE MISSES"
_CATEGORIES = ("NORMAL", "SEQUENTIAL", "CFW DATA")


def _per_second(name: str) -> Ratio:
    return Ratio(name=f"rate_of_{name}", found=f"{name}_per_s", of=(name,), per="cache_interval_s", digit=0.1, severity="warn", source=_RMF)


def _hit_ratio(name: str, hits: str, of: str) -> Ratio:
    return Ratio(name=f"{name}_is_hits_of_requests", found=name, of=(hits,), per=of, digit=0.001, severity="warn", source=_RMF)


_COUNTS = ("reads", "read_hits", "writes", "fast_writes", "write_hits")
REQUESTS = Table(
    "rmf_cache_request",
    grain="one row per storage control unit and category of requests, and one for all",
    rows=("REQUEST_ROW", "SUM_ROW"),
    key=(*_KEY, "category", "is_total"),
    covers=False,
    rules=(
        Total(name="total_requests_are_the_sum_of_their_rows", of={0.0: _COUNTS}, over=_KEY, severity="warn", source=_RMF),
        *(_per_second(name) for name in _COUNTS),
        AtMost(name="read_hits_are_reads", parts=("read_hits",), most=("reads",), source=_RMF),
        AtMost(name="write_hits_are_writes", parts=("write_hits",), most=("writes",), source=_RMF),
        AtMost(name="fast_writes_are_writes", parts=("fast_writes",), most=("writes",), source=_RMF),
        _hit_ratio("read_hit_ratio", "read_hits", "reads"),
        _hit_ratio("write_hit_ratio", "write_hits", "writes"),
    ),
    columns=(
        *_UNIT,
        Column("is_total", flag(), (Constant(True, ("SUM_ROW",)), Constant(False)), "The row is TOTAL: all categories."),
        Column("category", text(), Under("CACHE I/O REQUESTS", line="REQUEST_ROW", width=10), "NORMAL, SEQUENTIAL, or CFW DATA (cache fast write); NULL on totals.", allowed=_CATEGORIES),
        Column("reads", count(), Under("COUNT", _READ), "Read requests.", resolution=True, decimals=0),
        Column("reads_per_s", per_second(), Under("RATE", _READ, nth=1), "Read requests per second.", resolution=True, decimals=1),
        Column("read_hits", count(), Under("HITS", _READ), "Reads that found their data in the cache.", resolution=True, decimals=0),
        Column("read_hits_per_s", per_second(), Under("RATE", _READ, nth=2), "The same, per second.", resolution=True, decimals=1),
        Column("read_hit_ratio", number(), Under("H/R", _READ), "Read hits as a share of the reads.", maximum=1, resolution=True, decimals=3),
        Column("writes", count(), Under("COUNT", _WRITE), "Write requests.", resolution=True, decimals=0),
        Column("writes_per_s", per_second(), Under("RATE", _WRITE, nth=1), "Write requests per second.", resolution=True, decimals=1),
        Column("fast_writes", count(), Under("FAST", _WRITE), "DASD or cache fast writes.", resolution=True, decimals=0),
        Column("fast_writes_per_s", per_second(), Under("RATE", _WRITE, nth=2), "The same, per second.", resolution=True, decimals=1),
        Column("write_hits", count(), Under("HITS", _WRITE), "Writes that found their track in the cache.", resolution=True, decimals=0),
        Column("write_hits_per_s", per_second(), Under("RATE", _WRITE, nth=3), "The same, per second.", resolution=True, decimals=1),
        Column("write_hit_ratio", number(), Under("H/R", _WRITE), "Write hits as a share of the writes.", maximum=1, resolution=True, decimals=3),
        Column("read_pct", percent(), Under("READ"), "Reads as a share of reads and writes.", decimals=1),
    ),
    once=Once("reads reads_per_s read_hits writes writes_per_s write_hits", more="sysplex"),
)

_MISS_COUNTS = ("read_misses", "write_misses", "staged_tracks")
MISSES = Table(
    "rmf_cache_miss",
    grain="one row per storage control unit and category of requests",
    rows=("MISS_ROW",),
    key=(*_KEY, "category"),
    covers=False,
    rules=tuple(_per_second(name) for name in _MISS_COUNTS),
    columns=(
        *_UNIT,
        Column("category", text(), Under("REQUESTS", _MISSES, width=10), "NORMAL, SEQUENTIAL, or CFW DATA (cache fast write).", allowed=_CATEGORIES),
        Column("read_misses", count(), Under("READ", _MISSES), "Reads that did not find their data in the cache.", resolution=True, decimals=0),
        Column("read_misses_per_s", per_second(), Under("RATE", _MISSES, nth=1), "The same, per second.", resolution=True, decimals=1),
        Column("write_misses", count(), Under("WRITE", _MISSES), "Writes that did not find their track in the cache.", resolution=True, decimals=0),
        Column("write_misses_per_s", per_second(), Under("RATE", _MISSES, nth=2), "The same, per second.", resolution=True, decimals=1),
        Column("staged_tracks", count(), Under("TRACKS", _MISSES), "Tracks read from disk into the cache.", resolution=True, decimals=0),
        Column("staged_tracks_per_s", per_second(), Under("RATE", _MISSES, nth=3), "The same, per second.", resolution=True, decimals=1),
    ),
    once=Once("staged_tracks", more="sysplex"),
)

_SEVERAL = ("ALL_ROW", "CACHED_ROW", "UNCACHED_ROW")
_HITS, _DISK = "CACHE HIT RATE", "DASD I/O RATE"
DEVICES = Table(
    "rmf_cache_device",
    grain="one row per volume, and those of a storage control unit for all its volumes (*ALL), those without caching and those with",
    rows=("DEVICE_ROW", *_SEVERAL),
    key=(*_KEY, "device_number", "all_of"),
    rules=(
        Total(name="all_rates_are_the_sum_of_their_rows", of={0.1: ("io_per_s",)}, over=_KEY, total=("all_of", ("ALL",)), severity="warn", source=_RMF),
        AtMost(name="hits_are_within_requests", parts=("read_hits_per_s", "fast_write_hits_per_s", "cache_fast_write_hits_per_s"), most=("io_per_s",), digit=0.1, severity="warn", source=_RMF),
    ),
    columns=(
        *_UNIT,
        Column("is_total", flag(), (Constant(True, _SEVERAL), Constant(False)), "The row is of several volumes."),
        Column("all_of", text(), (Constant("ALL", ("ALL_ROW",)), Constant("CACHE", ("CACHED_ROW",)), Constant("CACHE-OFF", ("UNCACHED_ROW",))), "On totals: ALL volumes, those with caching (CACHE) or without (CACHE-OFF).", allowed=("ALL", "CACHE", "CACHE-OFF")),
        Column("volume", text(), Under("VOLUME SERIAL", pattern=r"^(\S+)$", line="DEVICE_ROW", width=6), "Volume serial."),
        Column("device_number", text(), Under("DEV NUM", pattern="^([0-9A-F]{4,5})$", line="DEVICE_ROW", around=5), "Device number, hexadecimal. NULL on totals."),
        Column("extent_pool", text(), (Under("XTNT POOL", pattern="^([0-9A-F]{4})$", line="DEVICE_ROW", width=4), Under("RRID", pattern="^([0-9A-F]{4})$", line="DEVICE_ROW", width=4)), "Extent pool of the volume; of older control units its RAID rank (RRID)."),
        Column("io_pct", percent(), Under("I/O", whole=True), "Share of the requests to the control unit.", decimals=1),
        Column("io_per_s", per_second(), Under("I/O RATE"), "Requests of all systems to the volume.", resolution=True, decimals=1),
        Column("read_hits_per_s", per_second(), Under("READ", _HITS), "Read hits.", resolution=True, decimals=1),
        Column("fast_write_hits_per_s", per_second(), Under("DFW", _HITS), "Hits of DASD fast writes.", resolution=True, decimals=1),
        Column("cache_fast_write_hits_per_s", per_second(), Under("CFW", _HITS), "Hits of cache fast writes.", resolution=True, decimals=1),
        Column("stage_per_s", per_second(), Under("STAGE", _DISK), "Requests that missed the cache: their data were read from disk.", resolution=True, decimals=1),
        Column("dfw_bypass_per_s", per_second(), Under("DFWBP", _DISK), "Fast writes that bypassed the cache.", decimals=1),
        Column("inhibit_cache_load_per_s", per_second(), Under("ICL", _DISK), "Requests that inhibited cache load.", decimals=1),
        Column("bypass_per_s", per_second(), Under("BYP", _DISK), "Requests that bypassed the cache.", decimals=1),
        Column("other_per_s", per_second(), Under("OTHER", _DISK), "Other requests served by the disk.", decimals=1),
        Column("async_tracks_per_s", per_second(), Under("ASYNC RATE"), "Tracks written from cache to disk by the control unit on its own.", decimals=1),
        Column("hit_ratio", number(), Under("TOTAL H/R"), "Cache hits as a share of the requests.", maximum=1, decimals=3),
        Column("read_hit_ratio", number(), Under("READ H/R"), "Read hits as a share of the reads.", maximum=1, decimals=3),
        Column("write_hit_ratio", number(), Under("WRITE H/R"), "Write hits as a share of the writes.", maximum=1, decimals=3),
        Column("read_pct", percent(), Under("READ", whole=True), "Reads as a share of reads and writes.", decimals=1),
    ),
    once=Once(
        "interval_s io_per_s read_pct read_hit_ratio write_hit_ratio stage_per_s async_tracks_per_s",
        more="sysplex is_total volume",
    ),
)
# fmt: on

_REQUEST_TITLES = (
    ("CACHE I/O REQUESTS", ""),
    *((title, _READ) for title in ("COUNT", "RATE", "HITS", "RATE", "H/R")),
    *((title, _WRITE) for title in ("COUNT", "RATE", "FAST", "RATE", "HITS", "RATE", "H/R")),
    ("READ", ""),
)
_MISS_TITLES = (
    ("REQUESTS", _MISSES),
    *((title, _MISSES) for title in ("READ", "RATE", "WRITE", "RATE", "TRACKS", "RATE")),
    ("COUNT", "MISC"),
    ("RATE", "MISC"),
)
_NON_CACHE_TITLES = (("COUNT", "NON-CACHE I/O"), ("RATE", "NON-CACHE I/O"))
_DEVICE_TITLES = tuple(
    (
        ("VOLUME SERIAL", ""),
        ("DEV NUM", ""),
        *((pool, "") for pool in pools),
        ("I/O", ""),
        ("I/O RATE", ""),
        *((title, _HITS) for title in ("READ", "DFW", "CFW")),
        ("STAGE", _DISK),
        *(others),
        ("ASYNC RATE", ""),
        ("TOTAL H/R", ""),
        ("READ H/R", ""),
        ("WRITE H/R", ""),
        ("READ", ""),
    )
    for pools in ((), ("XTNT POOL",), ("RRID",))
    for others in (tuple((title, _DISK) for title in ("DFWBP", "ICL", "BYP", "OTHER")), (("*", _DISK),))
)
_OF_VOLUMES = tuple(f"^{title}$" for title in ("VOLUME SERIAL", "DEV NUM", "XTNT POOL", "RRID"))
# Volumes without caching have no hits.
_UNCACHED = WholeRows(((r"^ *\*CACHE-OFF ", "READ", _HITS),))
# What is missed or hit in all, beside the last lines of MISC.
_IN_ALL = r"TOTAL(?: +CACHE +(?:MISSES|HITS))? +\S+ +RATE +\S+"

_REQUEST_ART = """\
CACHE I/O  -------------READ I/O REQUESTS-------------   ----------------------WRITE I/O REQUESTS----------------------    %
REQUESTS      COUNT    RATE      HITS    RATE     H/R      COUNT    RATE      FAST    RATE      HITS    RATE     H/R     READ

ssssssssss   nnnnnn  ffff.f    nnnnnn  ffff.f   f.fff     nnnnnn  ffff.f    nnnnnn  ffff.f    nnnnnn  ffff.f   f.fff    fff.f
TOTAL        nnnnnn  ffff.f    nnnnnn  ffff.f   f.fff     nnnnnn  ffff.f    nnnnnn  ffff.f    nnnnnn  ffff.f   f.fff    fff.f"""
_MISS_ART = """\
-----------------------CACHE MISSES--------------------------   ------------MISC-------------
REQUESTS       READ    RATE     WRITE    RATE  TRACKS    RATE                   COUNT    RATE

ssssssssss   nnnnnn  ffff.f    nnnnnn  ffff.f  nnnnnn  ffff.f   xxxxxxxxxxxxxx nnnnnn  ffff.f
                                                                xxxxxxxxxxxxxx nnnnnn  ffff.f"""
# Up to z/OS V2R1 or later.
_NON_CACHE_ART = """\
-----------------------CACHE MISSES--------------------------   ------------MISC-------------    ------NON-CACHE I/O---------
REQUESTS       READ    RATE     WRITE    RATE  TRACKS    RATE                   COUNT    RATE                   COUNT    RATE

ssssssssss   nnnnnn  ffff.f    nnnnnn  ffff.f  nnnnnn  ffff.f   xxxxxxxxxxxxxx nnnnnn  ffff.f    xxxxxx        nnnnnn  ffff.f
                                                                xxxxxxxxxxxxxx nnnnnn  ffff.f"""
_DEVICE_HEADING = """\
VOLUME    DEV  XTNT      %    I/O   ----CACHE HIT RATE---        -------DASD I/O RATE-------   ASYNC  TOTAL   READ  WRITE     %
SERIAL    NUM  POOL     I/O   RATE     READ    DFW    CFW    STAGE  DFWBP   ICL   BYP  OTHER    RATE    H/R    H/R    H/R    READ

"""
_VOLUME = """\
ssssss   sssss ssss  fff.f  ffff.f   ffff.f ffff.f  fff.f   ffff.f  fff.f fff.f fff.f  fff.f  ffff.f  f.fff  f.fff  f.fff   fff.f"""
_VOLUMES = """\
*ALL                 fff.f  ffff.f   ffff.f ffff.f  fff.f   ffff.f  fff.f fff.f fff.f  fff.f  ffff.f  f.fff  f.fff  f.fff   fff.f
*CACHE               fff.f  ffff.f   ffff.f ffff.f  fff.f   ffff.f  fff.f fff.f fff.f  fff.f  ffff.f  f.fff  f.fff  f.fff   fff.f
*CACHE-OFF           fff.f  ffff.f"""

REPORT = Report(
    "rmf_cache_subsystem",
    summary=(
        "RMF Cache Subsystem Activity: storage control units, their requests, hits and misses, and volumes (misses and volumes "
        "from field knowledge)"
    ),
    banner="CACHESUBSYSTEMACTIVITY",
    doc=__doc__ or "",
    tables=(SUBSYSTEMS, REQUESTS, MISSES, DEVICES),
    interval=("SYSTEM_LINE", "VERSION_LINE"),
    carried=("SUBSYSTEM_LINE",),
    numbered=("TITLE", "PAGE_NO"),
    once=("OVERVIEW_TITLE", "DEVICE_TITLE"),
    unread={"CKD statistics, record caching, host adapter and disk activity": ("LOWER_HEAD", "LOWER_ROW")},
    unread_parts=UNREAD_PARTS | {"misses and hits in all": _IN_ALL},
    layouts=(
        Columns(
            ("REQUEST_HEAD",),
            ("REQUEST_ROW", "SUM_ROW"),
            depth=2,
            titles=(_REQUEST_TITLES,),
            whole_rows=WholeRows(),
            art=(_REQUEST_ART,),
        ),
        Columns(
            ("MISS_HEAD",),
            _MISC_LINES,
            depth=2,
            titles=(_MISS_TITLES, (*_MISS_TITLES, *_NON_CACHE_TITLES)),
            sides=SideBySide((("COUNT", "MISC"), ("COUNT", "NON-CACHE I/O")), (_IN_ALL,)),
            whole_rows=WholeRows(((r"^ *CFW DATA ", "TRACKS", _MISSES),)),
            art=(_MISS_ART, _NON_CACHE_ART),
        ),
        Columns(
            ("DEVICE_HEAD",),
            ("DEVICE_ROW",),
            depth=2,
            titles=_DEVICE_TITLES,
            whole_rows=WholeRows(),
            art=(_DEVICE_HEADING + _VOLUME,),
        ),
        Columns(
            ("DEVICE_HEAD",),
            _SEVERAL,
            depth=2,
            titles=_DEVICE_TITLES,
            ignored=_OF_VOLUMES,
            whole_rows=_UNCACHED,
            art=(_DEVICE_HEADING + _VOLUMES,),
        ),
    ),
)
