"""Coupling Facility Activity pages of a made-up sysplex: a usage summary of many structures, then the activity of each by
system, in the layout of z/OS V2R5. Counts are drawn once a structure and system; totals and shares follow from them."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count
from random import Random

_RULE = "-" * 126
_PAGE_LINES = 60
_INTERVAL_S = 900
_SYSTEMS = ("SYSA", "SYSB", "SYSC", "SYSD")
_SUMMARY_HEAD = (
    "                                                      % OF             % OF    % OF     AVG    LST/DIR  DATA      LOCK     DIR REC/",
    "        STRUCTURE                             ALLOC   CF          #    ALL     CF       REQ/   ENTRIES  ELEMENTS  ENTRIES  DIR REC",
    " TYPE   NAME              STATUS CHG  ENC     SIZE    STOR      REQ    REQ     UTIL     SEC    TOT/CUR  TOT/CUR   TOT/CUR  XI'S",
)
_ACTIVITY_HEAD = (
    "           # REQ    -------------- REQUESTS -------------   -------------- DELAYED REQUESTS -------------",
    " SYSTEM    TOTAL             #     % OF  -SERV TIME(MIC)-    REASON    #   % OF  ---- AVG TIME(MIC) -----   EXTERNAL REQUEST",
    " NAME      AVG/SEC           REQ    ALL     AVG   STD_DEV            REQ    REQ   /DEL    STD_DEV   /ALL    CONTENTIONS",
)


def printed(number: float, width: int) -> str:
    """A count as it is printed: beyond the field in thousands (K) or millions (M), the letter one column right of the digits."""
    for suffix, worth in ((" ", 1), ("K", 1e3), ("M", 1e6)):
        digits = f"{number / worth:.0f}"
        if len(digits) <= width and (suffix != " " or number < 100_000):
            return f"{digits:>{width}}{suffix}"
    return "*" * width + " "


def _rate(number: float) -> str:
    text = f"{number:.2f}" if number < 100 else f"{number:.1f}"
    return f"{text[:6].rstrip('.'):>6}"


def _activity(kind: str, name: str, total: int, parts: list[tuple[str, int, int]], sizes: Random) -> list[str]:
    """A structure's lines. parts: system, synchronous and asynchronous requests of each; the last one is TOTAL."""
    lines = [
        f" STRUCTURE NAME = {name:<17} TYPE = {kind:<6}  STATUS = ACTIVE                ENCRYPTED = NO",
        *_ACTIVITY_HEAD,
        "",
    ]
    delays_of_all, changed_of_all = [0] * 5, 0
    for system, sync, other in parts:
        delays, changed = [min(sizes.randint(0, most), sync) for most in (900, 40, 40, 0, 9)], other // 40
        if system == "TOTAL":
            lines.append(_RULE)
            delays, changed = delays_of_all, changed_of_all
        else:
            delays_of_all = [a + b for a, b in zip(delays_of_all, delays, strict=True)]
            changed_of_all += changed
        if kind == "LOCK":
            contention = [sync + other, sync // 250, sync // 260, sync // 700]
            beside = [
                f"{n:<12}{printed(c, 6)}"
                for n, c in zip(("REQ TOTAL", "REQ DEFERRED", "-CONT", "-FALSE CONT"), contention, strict=True)
            ]
        elif kind == "CACHE" and system == "TOTAL":
            access = [sync // 2, sync // 30, sync // 40, sync // 500]
            beside = [
                "-- DATA ACCESS ---",
                *(
                    f"{n:<12}{printed(c, 6)}"
                    for n, c in zip(("READS", "WRITES", "CASTOUTS", "XI'S"), access, strict=True)
                ),
            ]
        else:
            beside = []
        service = (
            f"{sizes.uniform(3, 40):7.1f}  {sizes.uniform(1, 20):7.1f}",
            f"{sizes.uniform(50, 200):7.1f}  {sizes.uniform(20, 90):7.1f}",
        )
        share = 100 / max(total, 1)
        left = [
            f" {system:<8}{printed(sync + other, 7)}   SYNC {printed(sync, 6)}  {sync * share:4.1f} {service[0]}   ",
            f"         {_rate((sync + other) / _INTERVAL_S)}    ASYNC{printed(other, 6)}  {other * share:4.1f} {service[1]}   ",
            f"                    CHNGD{printed(changed, 6)}  {changed * share:4.1f}  "
            + ("INCLUDED IN ASYNC   " if system != "TOTAL" else " " * 20),
            f"                    SUPPR{printed(0, 6)}  {0:4.1f}" + " " * 22,
            " " * 60,
        ]
        for k, reason in enumerate(("NO SCH", "PR WT", "PR CMP", "DUMP", "MONOP")):
            delay = f" {reason:<6}{printed(delays[k], 5)} {delays[k] * 100 / max(sync + other, 1):5.1f}  {sizes.uniform(0, 99):5.1f}      {sizes.uniform(0, 50):5.1f}  {sizes.uniform(0, 1):5.1f}"
            lines.append(f"{left[k]:<60}{delay:<48}{beside[k] if k < len(beside) else ''}".rstrip())
        lines.append("")
    return lines


def _summary(facility: list[tuple[str, str, int, int]], total: int, sizes: Random) -> list[str]:
    """The usage summary. facility: type, name, requests and megabytes of each structure."""
    lines = [" GENERAL STRUCTURE SUMMARY", _RULE, "", *_SUMMARY_HEAD]
    kind_before = ""
    for kind, name, requests, size in facility:
        if kind != kind_before and kind_before:
            lines.append("")
        entries, elements = sizes.randint(100, 99999), sizes.randint(0, 99999)
        lock = f"{printed(sizes.randint(1, 10**7), 6)}" if kind == "LOCK" else "   N/A "
        lines.append(
            f" {kind if kind != kind_before else '':<6} {name:<17} ACTIVE      NO   {size:>5}M   {size / 2000:4.1f}   {printed(requests, 8)}"
            f" {100 * requests / total:5.1f}  {sizes.uniform(0, 9):6.1f}   {_rate(requests / _INTERVAL_S)}   {printed(entries, 6)}   {printed(elements, 6)}   {lock}     N/A"
        )
        lines.append(f"{'':<93}{printed(entries // 2, 6)}   {printed(elements // 3, 6)}   {lock}     N/A")
        kind_before = kind
    lines.append(f"{'':<44}-----   -----     ------   ----          -------")
    lines.append(
        f"        STRUCTURE TOTALS              {sum(s for *_, s in facility):>10}M   {sum(s for *_, s in facility) / 2000:4.1f}   {printed(total, 8)}   100"
    )
    return lines


def intervals(rng: Random, structures: int = 120) -> Iterator[list[str]]:
    """Endless intervals, each as the lines of the pages of two coupling facilities."""
    names = [
        (kind, f"DSN{chr(65 + n % 26)}{n // 26}_{kind[:4]}{n:03d}")
        for kind in ("LIST", "LOCK", "CACHE")
        for n in range(structures // 3)
    ]
    start = datetime(2021, 3, 1)
    for turn in count():
        begins = start + timedelta(seconds=turn * _INTERVAL_S)
        pages: list[str] = []
        for facility in ("CF01", "CF02"):
            structure = [
                (kind, name, rng.randint(0, 4_000_000), rng.choice((8, 64, 512, 2048))) for kind, name in names
            ]
            total = sum(requests for *_, requests, _ in structure)
            blocks = [("COUPLING  FACILITY  USAGE  SUMMARY", _summary(structure, total, rng))]
            for kind, name, requests, _ in structure:
                shares = [rng.random() for _ in _SYSTEMS]
                parts = []
                for system, share in zip(_SYSTEMS, shares, strict=True):
                    mine = int(requests * share / sum(shares))
                    parts.append((system, mine - mine // 20, mine // 20))
                parts.append(("TOTAL", sum(p[1] for p in parts), sum(p[2] for p in parts)))
                blocks.append(("COUPLING  FACILITY  STRUCTURE  ACTIVITY", _activity(kind, name, requests, parts, rng)))
            pages += _paged(blocks, facility, begins)
        yield pages


def _paged(blocks: list[tuple[str, list[str]]], facility: str, begins: datetime) -> list[str]:
    """Blocks on pages; every page names the facility, and a long block goes on under its own heading."""
    out: list[str] = []
    used, page, title_before = _PAGE_LINES, 0, ""
    for title, lines in blocks:
        if title != title_before or used + len(lines) > _PAGE_LINES:
            page += 1
            top = [
                "                                      C O U P L I N G   F A C I L I T Y   A C T I V I T Y",
                f"{'':<117}PAGE {page:>3}",
                f"     z/OS V2R5               SYSPLEX PLEXQ               DATE {begins:%m/%d/%Y}           INTERVAL 015.00.000",
                f"                             RPT VERSION V2R5 RMF        TIME {begins:%H.%M.%S}             CYCLE 01.000 SECONDS",
                "",
                _RULE,
                f" COUPLING FACILITY NAME = {facility}",
                *([" TOTAL SAMPLES(AVG) =   900  (MAX) =   900  (MIN) =   899"] if "USAGE" in title else []),
                _RULE,
                f"{'':<45}{title}",
                _RULE,
            ]
            out += top
            used = len(top)
        out += lines
        used += len(lines)
        title_before = title
    return out
