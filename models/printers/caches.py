"""RMF Cache Subsystem Activity of a system on paper: state, requests, misses and volumes of each storage control unit.

Source: the head of the page, state, totals and titles of requests as printed by V2R1 and V2R4; misses, MISC and volumes from field
knowledge. Which release between them changed the form is not known: it is taken to be V2R2. Of V2R4 the titles below DASD I/O RATE are
not known: those of V2R1 are printed. What RMF prints below the misses (CKD statistics, host adapter, disk activity) is left out.
"""

from collections.abc import Iterator

from ...pipeline.printing.pages import Paper, Section, beside, cells_of, placed, print_intervals, together
from ...pipeline.printing.print_rows import arts, heading, print_row
from ..contents.common import Row, SystemReport
from ._headings import dates, system_heading, times

_NAME = "rmf_cache_subsystem"
_RULE = "-" * 132
# Of MISC and NON-CACHE I/O a model has none.
_MISC, _OLD_MISC = ("delayed_storage", "delayed_cache", "dfw_inhibit"), ("dfw_bypass", "cfw_bypass", "dfw_inhibit")
_NON_CACHE = ("inhibit_cache_load", "bypass", "non_cache")
_OVERVIEW, _DEVICES = "overview", "devices"
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


def print_caches(report: SystemReport, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a system: of each control unit its requests, then its volumes."""
    title = "C A C H E   S U B S Y S T E M   A C T I V I T Y"
    device_head = heading(_NAME, "ALL_ROW")
    top, values = system_heading(title, 42, report.release, report.system, report.intervals, has_cycle=False)
    start, length = report.intervals.start, report.head["cache_interval_s"]
    values |= {"cdate": dates(start), "ctime": times(start), "cmin": length // 60, "csec": length % 60}
    units = {unit["ssid"]: unit for unit in report.lines}

    def page_top(page: int, part: str) -> Section:
        ssid, _, kind = part.partition(" ")
        unit = units[ssid]
        lines = [
            top,
            "",
            f"SUBSYSTEM  2107-01     CU-ID  {unit['control_unit']}     SSID {ssid}     CDATE  %(cdate)10s     CTIME %(ctime)8s"
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


def _sections(report: SystemReport) -> Iterator[Section]:
    for unit in report.lines:
        # Only its first line says whose numbers the overview has: it stays on one page.
        yield together(_overview(unit, report.release < "V2R2"))
        for kind, values in unit["volumes"]:
            yield _row(kind, values | {"extent_pool": "0000"}, part=f"{unit['ssid']} {_DEVICES}")


def _row(kind: str, values: Row, below: str = "", **section: str) -> Section:
    """A row with those of the values that it has columns for."""
    columns = next(art.columns for art in arts(_NAME, kind) if below in ("", art.heading))
    there = {name: one for name, one in values.items() if name in columns}
    return print_row(_NAME, kind, there, below=below, **section)


def _overview(unit: Row, is_old: bool) -> Iterator[Section]:
    every = unit["categories"]["NORMAL"]
    yield Section(_STATUS_OLD if is_old else _STATUS, part=f"{unit['ssid']} {_OVERVIEW}")
    yield Section(f"{_RULE}\n{' ' * 54}CACHE SUBSYSTEM OVERVIEW\n{_RULE}\n")
    offline = "  58 CACHE OFFLINE  81 0" if is_old else ""
    yield Section(placed(*cells_of(f"0 TOTAL I/O  18 %(requests)6n  29 CACHE I/O  47 %(requests)6n{offline}")), every)
    yield Section(placed(*cells_of("0 TOTAL H/R  18 %(hit_ratio)6.3f  29 CACHE H/R  47 %(hit_ratio)6.3f")), every)
    yield Section("\n" + heading(_NAME, "SUM_ROW"))
    for category, one in unit["categories"].items():
        yield _row("REQUEST_ROW", one | {"category": category})
    yield _row("SUM_ROW", every)
    head = heading(_NAME, "MISS_ROW", {"bypass": 0} if is_old else {})
    yield Section("\n" + head)
    for number, (category, one) in enumerate(unit["categories"].items()):
        beside_it = (_OLD_MISC[number], _NON_CACHE[number]) if is_old else (_MISC[number],)
        misses = {name: value for name, value in one.items() if not name.startswith("async_tracks")}
        row = misses | {"category": category} | dict.fromkeys(beside_it, 0)
        # Cache fast writes stage no tracks.
        no_tracks = dict.fromkeys(("staged_tracks", "staged_tracks_per_s") if category == "CFW DATA" else ())
        yield _row("MISS_ROW", row | no_tracks, head)
    total = placed(*cells_of("0 TOTAL  13 %(misses)6n  23 RATE  31 %(misses_per_s)6.1f"))
    tracks = _row("MISS_SUM_ROW", every, head)
    yield Section(beside(total, tracks.form.lstrip(), 64), every | tracks.values)
