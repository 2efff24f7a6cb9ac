"""RMF Cache Subsystem Activity of a system on paper: state, requests, misses and volumes of each storage control unit.

Source: the head of the page, state, totals and titles of requests as printed by V2R1 and V2R4; misses, MISC and volumes from field
knowledge. Which release between them changed the form is not known: it is taken to be V2R2. Of V2R4 the titles below DASD I/O RATE are
not known: those of V2R1 are printed. What RMF prints below the misses (CKD statistics, host adapter, disk activity) is left out.
"""

from collections.abc import Iterator

from ..contents.caches import CacheActivity, CachedUnit
from ..contents.common import Row
from ..pages import Paper, Section, cells_of, placed, print_intervals, together
from ..print_rows import arts, heading, print_row
from ._headings import dates, system_heading, times

_NAME = "rmf_cache_subsystem"
_RULE = "-" * 132
# Of what no request does.
_NONE = {"async_tracks": 0, "async_tracks_per_s": 0}
_OVERVIEW, _DEVICES = "overview", "devices"
_MISS_HEAD = """\

-----------------------CACHE MISSES--------------------------   ------------MISC-------------
REQUESTS       READ    RATE     WRITE    RATE  TRACKS    RATE                   COUNT    RATE"""
_MISS_HEAD_OLD = """\

-----------------------CACHE MISSES--------------------------   ------------MISC-------------    ------NON-CACHE I/O---------
REQUESTS       READ    RATE     WRITE    RATE  TRACKS    RATE                   COUNT    RATE                   COUNT    RATE"""
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
# The numbers of misses of a category.
_MISSES = cells_of("""
    13 %(read_misses)6n  21 %(read_misses_per_s)6.1f  31 %(write_misses)6n  39 %(write_misses_per_s)6.1f  47 %(staged_tracks)6n
    55 %(staged_tracks_per_s)6.1f""")


def print_caches(report: CacheActivity, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a system: of each control unit its requests, then its volumes."""
    title = "C A C H E   S U B S Y S T E M   A C T I V I T Y"
    device_head = heading(_NAME, "ALL_ROW")
    top, values = system_heading(title, 42, report.release, report.system, report.intervals, has_cycle=False)
    start, length = report.intervals.start, report.length_s
    values |= {"cdate": dates(start), "ctime": times(start), "cmin": length // 60, "csec": length % 60}
    units = {unit.ssid: unit for unit in report.units}

    def page_top(page: int, part: str) -> Section:
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
            lines.append(device_head)
        return Section("\n".join(lines), values | {"page": str(page)}, title=True)

    return print_intervals(len(report.intervals), _sections(report), page_top, paper or Paper())


def _sections(report: CacheActivity) -> Iterator[Section]:
    for unit in report.units:
        # Only its first line says whose numbers the overview has: it stays on one page.
        yield together(_overview(unit, report.release < "V2R2"))
        for kind, values in unit.volumes:
            yield _row(kind, values | {"extent_pool": "0000"}, part=f"{unit.ssid} {_DEVICES}")


def _row(kind: str, values: Row, **section: str) -> Section:
    """A row with those of the values that it has columns for."""
    (art,) = arts(_NAME, kind)
    return print_row(_NAME, kind, {name: one for name, one in values.items() if name in art.columns}, **section)


def _overview(unit: CachedUnit, is_old: bool) -> Iterator[Section]:
    every = unit.categories["NORMAL"]
    yield Section(_STATUS_OLD if is_old else _STATUS, part=f"{unit.ssid} {_OVERVIEW}")
    yield Section(f"{_RULE}\n{' ' * 54}CACHE SUBSYSTEM OVERVIEW\n{_RULE}\n")
    offline = "  58 CACHE OFFLINE  81 0" if is_old else ""
    yield Section(placed(*cells_of(f"0 TOTAL I/O  18 %(requests)6n  29 CACHE I/O  47 %(requests)6n{offline}")), every)
    yield Section(placed(*cells_of("0 TOTAL H/R  18 %(hit_ratio)6.3f  29 CACHE H/R  47 %(hit_ratio)6.3f")), every)
    yield Section("\n" + heading(_NAME, "SUM_ROW"))
    for category, one in unit.categories.items():
        yield _row("REQUEST_ROW", one | {"category": category})
    yield _row("SUM_ROW", every)
    yield Section(_MISS_HEAD_OLD if is_old else _MISS_HEAD)
    beside = ("DFW BYPASS", "CFW BYPASS", "DFW INHIBIT") if is_old else ("DELAYED NVS", "DELAYED CACHE", "DFW INHIBIT")
    others = ("ICL", "BYPASS", "TOTAL") if is_old else ("", "", "")
    for (category, one), what, other in zip(unit.categories.items(), beside, others, strict=True):
        # Cache fast writes stage no tracks.
        columns = _MISSES if category != "CFW DATA" else _MISSES[:4]
        yield Section(placed((0, category), *columns, *_misc(what, other)), one | _NONE)
    total = [(0, "TOTAL"), (13, "%(misses)6n"), (23, "RATE"), (31, "%(misses_per_s)6.1f"), *_misc("ASYNC (TRKS)")]
    yield Section(placed(*total), every)


def _misc(label: str, other: str = "") -> list[tuple[int, str]]:
    """A line of MISC, and beside it one of NON-CACHE I/O, which has no requests."""
    cells = [(64, label), (79, "%(async_tracks)6n"), (87, "%(async_tracks_per_s)6.1f")]
    return [*cells, *(((97, other), (116, "0"), (122, "0.0")) if other else ())]
