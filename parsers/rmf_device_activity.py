"""RMF Direct Access Device Activity (Postprocessor). Grains: one row per interval, system and volume, with the totals of logical control
units; one row per interval, system and volume with synchronous I/O (zHyperLink).

Source: IBM z/OS RMF Report Analysis, "DEVICE - Device Activity report". A published page of z/OS V2R4 shows the head of the page, all
titles of volumes and the beginning of a row (storage group, device number of five digits, device type, cylinders). From field knowledge:
the rows behind it, the lines LCU, pages without storage groups, and the section of synchronous I/O, whose measures are those of SMF 74.1
(requests, bytes, time, link busy, cache miss, other rejects; reads and writes) and whose titles are not seen. Times are milliseconds.
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
from ..pipeline.declaration.rules import AtMost, Sum
from ._rmf import HEADER, IODF, SAMPLES, UNREAD_IODF, UNREAD_PARTS, header_columns

_HEADER = header_columns(scope=Parsed(HEADER, "system"))
_KEY = ("system", "report_kind", "interval_start", "interval_end")
_RMF = "RMF Report Analysis, Device Activity"
_ROW = ("DEVICE_ROW",)
_PAV = r"^([0-9.]+)(?:H|\*)?$"

# fmt: off
VOLUMES = Table(
    "rmf_device",
    grain="one row per volume, and one per logical control unit for its total",
    rows=("DEVICE_ROW", "LCU_ROW"),
    filled_together=(("connect_pct", "utilization_pct", "reserved_pct", "allocations_avg", "any_allocation_pct"),),
    key=(*_KEY, "device_number", "lcu", "is_total"),
    rules=(
        Sum(
            name="response_time_adds_up",
            total="response_ms",
            parts=("iosq_ms", "pend_ms", "disconnect_ms", "connect_ms"),
            severity="warn",
            source=_RMF,
        ),
        AtMost(
            name="delays_are_within_pending",
            parts=("command_response_ms", "device_busy_delay_ms"),
            most=("pend_ms",),
            severity="warn",
            source=f"{_RMF}: AVG PEND TIME includes them",
        ),
        AtMost(name="connect_is_within_utilization", parts=("connect_pct",), most=("utilization_pct",), digit=0.01, severity="warn", source=_RMF),
    ),
    columns=(
        *_HEADER,
        IODF,
        SAMPLES,
        Column("is_total", flag(), (Constant(True, ("LCU_ROW",)), Constant(False)), "The row is LCU: all volumes of a logical control unit."),
        Column("storage_group", text(), Under("STORAGE GROUP", line="DEVICE_ROW", width=8), "Storage group; NULL for none, and on totals."),
        Column("device_number", text(), Under("DEV NUM", pattern="^([0-9A-F]{4,5})$", line="DEVICE_ROW", around=5), "Device number, hexadecimal; five digits with its subchannel set. NULL on totals."),
        Column("device_type", text(), Under("DEVICE TYPE", line="DEVICE_ROW", width=6), "Device type, such as 33909."),
        Column("cylinders", count(), Under("NUMBER OF CYL", line="DEVICE_ROW"), "Cylinders of the volume."),
        Column("volume", text(), Under("VOLUME SERIAL", pattern=r"^(\S+)$", line="DEVICE_ROW", width=6), "Volume serial."),
        Column("exposures", number(), Under("PAV", pattern=_PAV, line="DEVICE_ROW", width=4), "Base and alias devices of the volume (PAV), on average with HyperPAV."),
        Column("hyperpav", flag(), Under("PAV", pattern=r"^[0-9.]+(H|\*)?$", line="DEVICE_ROW", width=4), "HyperPAV: H behind the number.", allowed=("H",)),
        Column("lcu", text(), Under("LCU", pattern="^([0-9A-F]{4})$", width=4), "Logical control unit, hexadecimal."),
        Column("io_per_s", per_second(), Under("DEVICE ACTIVITY RATE"), "I/O requests (SSCH).", resolution=True),
        Column("response_ms", milliseconds(), Under("AVG RESP TIME"), "Average response time of a request.", resolution=True),
        Column("iosq_ms", milliseconds(), Under("AVG IOSQ TIME"), "Of it, in the queue of the device in z/OS.", resolution=True),
        Column("command_response_ms", milliseconds(), Under("AVG CMR DLY"), "Of the pending time, until the device accepts the first command.", resolution=True),
        Column("device_busy_delay_ms", milliseconds(), Under("AVG DB DLY"), "Of the pending time, because another system had the device reserved.", resolution=True),
        Column("interrupt_delay_ms", milliseconds(), Under("AVG INT DLY"), "From the end of a request until z/OS saw its interrupt; not within the response time."),
        Column("pend_ms", milliseconds(), Under("AVG PEND TIME"), "Of it, pending in the channel subsystem.", resolution=True),
        Column("disconnect_ms", milliseconds(), Under("AVG DISC TIME"), "Of it, disconnected: cache misses, remote copy.", resolution=True),
        Column("connect_ms", milliseconds(), Under("AVG CONN TIME"), "Of it, connected: data transfer.", resolution=True),
        Column("connect_pct", percent(), Under("DEV CONN"), "Share of the interval in which the device was connected, by exposure."),
        Column("utilization_pct", percent(), Under("DEV UTIL"), "Share of the interval in which the device was in use, by exposure."),
        Column("reserved_pct", percent(), Under("DEV RESV"), "Share of the samples in which the system had the device reserved."),
        Column("allocations_avg", number(), Under("AVG NMBR ALLOC"), "Average number of data sets allocated on the volume."),
        Column("any_allocation_pct", percent(), Under("ANY ALLOC"), "Share of the samples in which the device was allocated."),
    ),
    # Of a device in two logical control units one is misprinted.
    once=Once(
        "interval_s volume storage_group lcu exposures io_per_s response_ms iosq_ms pend_ms disconnect_ms connect_ms utilization_pct",
        more="sysplex",
        less="lcu",
        where="NOT is_total",
    ),
)

_RATE, _TIME, _TRANSFER = "DEVICE ACTIVITY RATE", "AVG RESP TIME", "TRANSFER RATE"
_SHARES = (
    ("successful", "% REQ SUCCESS", "that were served synchronously"),
    ("link_busy", "% LINK BUSY", "that found the link busy"),
    ("cache_miss", "% CACHE MISS", "that found their data not in the cache"),
    ("rejected", "% REJECTS", "rejected for other reasons"),
)
SYNCHRONOUS = Table(
    "rmf_device_synchronous_io",
    grain="one row per volume with synchronous I/O",
    rows=("SYNCH_ROW",),
    key=(*_KEY, "device_number"),
    filled_together=(
        *(("reads_per_s", "writes_per_s", "async_per_s"), ("read_ms", "write_ms", "async_ms")),
        ("read_mb_per_s", "write_mb_per_s"),
        *(tuple(f"{name}_{way}_pct" for name, _, _ in _SHARES) for way in ("read", "write")),
    ),
    covers=False,
    columns=(
        *_HEADER,
        Column("storage_group", text(), Under("STORAGE GROUP", width=8), "Storage group; NULL for none."),
        Column("device_number", text(), Under("DEV NUM", pattern="^([0-9A-F]{4,5})$", around=5)),
        Column("device_type", text(), Under("DEVICE TYPE", width=6), "Device type, such as 33909."),
        Column("volume", text(), Under("VOLUME SERIAL", pattern=r"^(\S+)$", width=6), "Volume serial."),
        Column("lcu", text(), Under("LCU", pattern="^([0-9A-F]{4})$", width=4), "Logical control unit, hexadecimal."),
        Column("reads_per_s", per_second(), Under("READ", _RATE), "Synchronous reads: the processor waits for them."),
        Column("writes_per_s", per_second(), Under("WRITE", _RATE), "Synchronous writes."),
        Column("async_per_s", per_second(), Under("ASYNC", _RATE), "Asynchronous I/O requests to the same volume."),
        Column("read_ms", milliseconds(), Under("READ", _TIME), "Average response time of a synchronous read.", decimals=3),
        Column("write_ms", milliseconds(), Under("WRITE", _TIME), "Average response time of a synchronous write.", decimals=3),
        Column("async_ms", milliseconds(), Under("ASYNC", _TIME), "Average response time of an asynchronous request.", decimals=3),
        Column("read_mb_per_s", number("MB/s"), Under("READ", _TRANSFER), "Data read synchronously.", decimals=3),
        Column("write_mb_per_s", number("MB/s"), Under("WRITE", _TRANSFER), "Data written synchronously.", decimals=3),
        *(
            Column(f"{name}_{way}_pct", percent(), Under(way.upper(), group), f"Synchronous {way}s {what}.", decimals=1)
            for name, group, what in _SHARES
            for way in ("read", "write")
        ),
    ),
    once=Once(
        "reads_per_s writes_per_s async_per_s read_ms write_ms",
        more="sysplex",
        where="(reads_per_s IS NOT NULL OR writes_per_s IS NOT NULL)",
    ),
)
# fmt: on

# Titles that stand together, or with a blank alone between them.
_ADJOINING = ("OF CYL", "VOLUME", "PAV")
_OF_VOLUMES = tuple(
    f"^{title}$"
    for title in ("STORAGE GROUP", "DEV NUM", "DEVICE TYPE", "NUMBER OF CYL", "VOLUME SERIAL", "PAV", "LCU")
)

_HEAD = """\
                                                 DEVICE   AVG  AVG   AVG  AVG  AVG   AVG  AVG  AVG    %      %     %     AVG   %
STORAGE   DEV  DEVICE   NUMBER  VOLUME PAV  LCU  ACTIVITY RESP IOSQ  CMR  DB   INT   PEND DISC CONN   DEV    DEV   DEV   NMBR  ANY
 GROUP    NUM  TYPE     OF CYL  SERIAL           RATE     TIME TIME  DLY  DLY  DLY   TIME TIME TIME   CONN   UTIL  RESV  ALLOC ALLOC

"""
_VOLUME = "ssssssss sssss ssssss   dddddd  ssssss f.fs "
_UNIT = "                                       LCU  "
_NUMBERS = "ssss ffff.fff .ppp .ppp .ppp .ppp .ppp  .ppp .ppp .ppp   ff.ff  ff.ff fff.f fff.f  fff.f"

REPORT = Report(
    "rmf_device_activity",
    summary="RMF Direct Access Device Activity: volumes, logical control units, synchronous I/O (rows and synchronous I/O from field knowledge)",
    banner="DIRECTACCESSDEVICEACTIVITY",
    doc=__doc__ or "",
    tables=(VOLUMES, SYNCHRONOUS),
    interval=("SYSTEM_LINE", "VERSION_LINE"),
    numbered=("TITLE", "PAGE_NO"),
    in_turn=("DEVICE_TOP_HEAD", "SYNCH_TITLE"),
    unread_parts=UNREAD_PARTS | UNREAD_IODF,
    layouts=(
        Columns(
            ("DEVICE_TOP_HEAD", "DEVICE_HEAD"),
            ("DEVICE_ROW",),
            depth=3,
            together=_ADJOINING,
            art=(_HEAD + _VOLUME + _NUMBERS,),
        ),
        Columns(
            ("DEVICE_TOP_HEAD", "DEVICE_HEAD"),
            ("LCU_ROW",),
            depth=3,
            together=_ADJOINING,
            ignored=_OF_VOLUMES,
            art=(_HEAD + _UNIT + _NUMBERS,),
        ),
        Columns(("SYNCH_HEAD",), ("SYNCH_ROW",), depth=3),
    ),
)
