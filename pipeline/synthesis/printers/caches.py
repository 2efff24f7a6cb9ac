"""RMF Cache Subsystem Activity of a system on paper: state, requests, misses and volumes of each storage control unit.

Source: the head of the page, state, totals and titles of requests as printed by V2R1 and V2R4; misses, MISC and volumes from field
knowledge. Which release between them changed the form is not known: it is taken to be V2R2. Of V2R4 the titles below DASD I/O RATE are
not known: those of V2R1 are printed. What RMF prints below the misses (CKD statistics, host adapter, disk activity) is left out.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ..contents.caches import CacheActivity, Cached, CachedUnit, CachedVolume
from ..contents.common import Numbers, ratio
from ..pages import Paper, Section, cells_of, placed, print_intervals, together
from ._headings import dates, system_heading, times

_RULE = "-" * 132
_OVERVIEW, _DEVICES = "overview", "devices"
_REQUEST_HEAD = """\

CACHE I/O  -------------READ I/O REQUESTS-------------   ----------------------WRITE I/O REQUESTS----------------------    %
REQUESTS      COUNT    RATE      HITS    RATE     H/R      COUNT    RATE      FAST    RATE      HITS    RATE     H/R     READ"""
_MISS_HEAD = """\

-----------------------CACHE MISSES--------------------------   ------------MISC-------------
REQUESTS       READ    RATE     WRITE    RATE  TRACKS    RATE                   COUNT    RATE"""
_MISS_HEAD_OLD = """\

-----------------------CACHE MISSES--------------------------   ------------MISC-------------    ------NON-CACHE I/O---------
REQUESTS       READ    RATE     WRITE    RATE  TRACKS    RATE                   COUNT    RATE                   COUNT    RATE"""
_DEVICE_HEAD = """\
VOLUME    DEV  XTNT      %    I/O   ----CACHE HIT RATE---        -------DASD I/O RATE-------   ASYNC  TOTAL   READ  WRITE     %
SERIAL    NUM  POOL     I/O   RATE     READ    DFW    CFW    STAGE  DFWBP   ICL   BYP  OTHER    RATE    H/R    H/R    H/R    READ"""
_STATUS = """\

SUBSYSTEM STORAGE           NON-VOLATILE STORAGE           STATUS

CONFIGURED       262144M    CONFIGURED         8192M       NON-VOLATILE STORAGE    - ACTIVE
AVAILABLE        251904M    PINNED               0.0       CACHE FAST WRITE        - DEACTIVATED
PINNED               0.0
OFFLINE              0.0
"""
_STATUS_OLD = """\

SUBSYSTEM STORAGE           NON-VOLATILE STORAGE           STATUS

CONFIGURED       262144M    CONFIGURED         8192M       CACHING                 - ACTIVE
AVAILABLE        251904M    PINNED               0.0       NON-VOLATILE STORAGE    - ACTIVE
PINNED               0.0                                   CACHE FAST WRITE        - ACTIVE
OFFLINE              0.0                                   IML DEVICE AVAILABLE    - YES
"""
# The numbers of a category, of its misses, and of a volume.
_REQUESTS = cells_of("""
    13 %(reads)6n  21 %(reads_per_s)6.1f  31 %(read_hits)6n  39 %(read_hits_per_s)6.1f  48 %(read_hit_ratio)5.3f  58 %(writes)6n
    66 %(writes_per_s)6.1f  76 %(writes)6n  84 %(writes_per_s)6.1f  94 %(write_hits)6n  102 %(write_hits_per_s)6.1f
    111 %(write_hit_ratio)5.3f  120 %(read_pct)5.1f""")
_MISSES = cells_of("""
    13 %(read_misses)6n  21 %(read_misses_per_s)6.1f  31 %(write_misses)6n  39 %(write_misses_per_s)6.1f  47 %(staged_tracks)6n
    55 %(staged_tracks_per_s)6.1f""")
_DEVICE = cells_of("""
    21 %(io_pct)5.1f  28 %(requests_per_s)6.1f  37 %(read_hits_per_s)6.1f  44 %(write_hits_per_s)6.1f  52 %(none)5.1f
    60 %(misses_per_s)6.1f  68 %(delayed_per_s)5.1f  74 %(none)5.1f  80 %(none)5.1f  87 %(none)5.1f  94 %(written_tracks_per_s)6.1f
    102 %(hit_ratio)5.3f  109 %(read_hit_ratio)5.3f  116 %(write_hit_ratio)5.3f  124 %(read_pct)5.1f""")


def print_caches(report: CacheActivity, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a system: of each control unit its requests, then its volumes."""
    title = "C A C H E   S U B S Y S T E M   A C T I V I T Y"
    top, values = system_heading(title, 42, report.release, report.system, report.intervals, has_cycle=False)
    start, length = report.intervals.start, report.length_s
    values |= {"cdate": dates(start), "ctime": times(start), "cmin": length // 60, "csec": length % 60}
    units = {unit.ssid: unit for unit in report.units}

    def heading(page: int, part: str) -> Section:
        ssid, _, kind = part.partition(" ")
        unit = units[ssid]
        lines = [
            top,
            "",
            f"SUBSYSTEM  2107-01     CU-ID  {unit.control_unit}     SSID {ssid}     CDATE  %(cdate)10s     CTIME %(ctime)8s"
            "      CINT  %(cmin)2z.%(csec)2z",
            "TYPE-MODEL 2107-996    MANUF  IBM      PLANT  75     SERIAL 0000000MD001",
            _RULE,
            f"{' ' * 55}CACHE SUBSYSTEM STATUS" if kind == _OVERVIEW else f"{' ' * 50}CACHE SUBSYSTEM DEVICE OVERVIEW",
            _RULE,
        ]
        if kind == _DEVICES:
            lines.append(_DEVICE_HEAD)
        return Section("\n".join(lines), values | {"page": str(page)}, title=True)

    return print_intervals(len(report.intervals), _sections(report), heading, paper or Paper())


def _sections(report: CacheActivity) -> Iterator[Section]:
    is_old = report.release < "V2R2"
    for unit in report.units:
        # Only its first line says whose numbers the overview has: it stays on one page.
        yield together(_overview(unit, report.length_s, is_old))
        yield from _devices(unit, report.length_s)


def _row(label: str, cells: list[tuple[int, str]], values: Mapping[str, Any], part: str = "") -> Section:
    return Section(placed((0, label), *cells), values, part=part)


def _per_second(counts: Mapping[str, Any], length: Numbers) -> dict[str, Any]:
    return {f"{name}_per_s": value / length for name, value in counts.items()}


def _values(one: Cached, length: Numbers) -> dict[str, Any]:
    counts = {name: getattr(one, name) for name in (*vars(one), "requests", "read_hits", "write_hits", "misses")}
    shares = {name: getattr(one, name) for name in ("hit_ratio", "read_hit_ratio", "write_hit_ratio", "read_pct")}
    return counts | shares | _per_second(counts, length)


def _overview(unit: CachedUnit, length: Numbers, is_old: bool) -> Iterator[Section]:
    every = _values(unit.every, length)
    yield Section(_STATUS_OLD if is_old else _STATUS, part=f"{unit.ssid} {_OVERVIEW}")
    yield Section(f"{_RULE}\n{' ' * 54}CACHE SUBSYSTEM OVERVIEW\n{_RULE}\n")
    offline = "  58 CACHE OFFLINE  81 0" if is_old else ""
    yield Section(placed(*cells_of(f"0 TOTAL I/O  18 %(requests)6n  29 CACHE I/O  47 %(requests)6n{offline}")), every)
    yield Section(placed(*cells_of("0 TOTAL H/R  18 %(hit_ratio)6.3f  29 CACHE H/R  47 %(hit_ratio)6.3f")), every)
    categories = {"NORMAL": unit.every, "SEQUENTIAL": Cached(), "CFW DATA": Cached()}
    yield Section(_REQUEST_HEAD)
    for label, one in categories.items():
        yield _row(label, _REQUESTS, _values(one, length))
    yield _row("TOTAL", _REQUESTS, every)
    yield Section(_MISS_HEAD_OLD if is_old else _MISS_HEAD)
    beside = ("DFW BYPASS", "CFW BYPASS", "DFW INHIBIT") if is_old else ("DELAYED NVS", "DELAYED CACHE", "DFW INHIBIT")
    others = ("ICL", "BYPASS", "TOTAL") if is_old else ("", "", "")
    for (label, one), what, other in zip(categories.items(), beside, others, strict=True):
        # Cache fast writes stage no tracks.
        columns = _MISSES if label != "CFW DATA" else _MISSES[:4]
        row = _row(label, columns, _values(one, length))
        yield Section(placed((0, row.form), *_misc(what, other)), {**row.values, **_of_misc(0, length)})
    total = [(0, "TOTAL"), (13, "%(misses)6n"), (23, "RATE"), (31, "%(misses_per_s)6.1f"), *_misc("ASYNC (TRKS)")]
    yield Section(placed(*total), every | _of_misc(unit.written_tracks, length))


def _misc(label: str, other: str = "") -> list[tuple[int, str]]:
    """A line of MISC, and beside it one of NON-CACHE I/O, which has no requests."""
    cells = [(64, label), (79, "%(misc)6n"), (87, "%(misc_per_s)6.1f")]
    return [*cells, *(((97, other), (116, "0"), (122, "0.0")) if other else ())]


def _of_misc(count: Numbers, length: Numbers) -> dict[str, Any]:
    return {"misc": count} | _per_second({"misc": count}, length)


def _devices(unit: CachedUnit, length: Numbers) -> Iterator[Section]:
    part, requests = f"{unit.ssid} {_DEVICES}", unit.every.requests
    every = _device(unit, requests, length)
    yield _row("*ALL", _DEVICE, every, part)
    yield _row("*CACHE-OFF", _DEVICE[:2], {"io_pct": 0, "requests_per_s": 0}, part)
    yield _row("*CACHE", _DEVICE, every, part)
    for one in unit.volumes:
        yield _row(f"{one.serial:<9}{one.number:<6}0000", _DEVICE, _device(one, requests, length), part)


def _device(one: CachedUnit | CachedVolume, requests: Numbers, length: Numbers) -> dict[str, Any]:
    counts = {"written_tracks": one.written_tracks, "delayed": 0}
    share = {"io_pct": 100 * ratio(one.every.requests, requests), "none": 0}
    return _values(one.every, length) | _per_second(counts, length) | share
