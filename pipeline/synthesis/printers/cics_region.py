"""A region's own statistics as DFHSTUP prints them: transaction manager, dispatcher, TCB modes, transactions, classes, storage.

Source: IBM's manuals for names of values and columns; the layout is field knowledge.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contents.cics_region import Region, StorageArea, TcbMode, Transaction, TransactionClass
from ..contents.common import Numbers
from ..pages import Section, cells_of, placed, texts, together

_RULE = " " + "_" * 110
_MODES = f"""\
 TCB   Open     TCB     -- TCBs Attached --  --- TCBs In Use ---       TCB  ---------- TCBs Detached -----------     TCB         TCB
 Mode           Pool     Current       Peak   Current       Peak  Attaches   Unclean    Stolen   Excess    Other  Steals  Mismatches
{_RULE}"""
_TIMES = f"""\
 TCB    Operating System    Operating System           Total TCB           Total TCB              DS TCB
 Mode              Waits           Wait Time       Dispatch Time            CPU Time            CPU Time
{_RULE}"""
_TRANSACTIONS = f"""\
 Trans     Program   Tclass    Prty  Remote    Remote  Dynamic    Attach    Retry  Dynamic  Dynamic   Remote  Storage    Abend
 ID        Name      Name            Name      Sysid                Count    Count    Local   Remote   Starts    Viols    Count
{_RULE}"""
_CLASSES = f"""\
 Tclass    Number   Max   Purge ------------------------ Total -----------------------   Peak    Peak   Times     Times - Current -
 Name     Trandfs   Act  Thresh Attaches AcptImm PurgImm  Queued PurgQ'd   Queuing-Time    Act  Queued  MaxAct  PurgeThr  Act Queued
{_RULE}"""
_MODE_CELLS = cells_of("""
    24 %(attached)8d  35 %(attached_peak)8d  45 %(in_use)8d  56 %(in_use_peak)8d  66 %(none)8d  76 %(none)8d  86 %(none)8d
    95 %(none)8d  104 %(none)8d  112 %(none)6d  120 %(none)8d""")
_TIME_CELLS = (("wait_s", 26), ("dispatch_s", 46), ("cpu_s", 66), ("dispatcher_cpu_s", 86))


def region_sections(region: Region) -> Iterator[Section]:
    """All sections, in the order that they are printed."""
    yield _pairs("TRANSACTION MANAGER STATISTICS", _MANAGER, _manager(region))
    yield from _transactions(region.transactions)
    yield from _classes(region.classes)
    yield _pairs("DISPATCHER STATISTICS", _DISPATCHER, _dispatcher(region))
    yield from _modes(region.modes)
    yield _pairs("STORAGE MANAGER STATISTICS", _STORAGE, _limits(region))
    yield from (_areas(areas) for areas in (region.below, region.above) if areas)


def lengths(seconds: Numbers, width: int = 18) -> NDArray[np.uint8]:
    """Lengths of time as days-hh:mm:ss.fffff, as many as there are numbers."""

    def one(value: float) -> str:
        hundred_thousandths = round(value * 100_000)
        whole, rest = divmod(hundred_thousandths, 100_000)
        days, day = divmod(whole, 86_400)
        return f"{days:03d}-{day // 3600:02d}:{day // 60 % 60:02d}:{day % 60:02d}.{rest:05d}"

    return texts((f"{one(float(value)):>{width}}" for value in np.atleast_1d(np.asarray(seconds, float))), width)


def title_lines(words: str) -> str:
    return f"{words}\n{'_' * len(words)}\n"


# --- Labels and values ------------------------------------------------------------------------------------------------

_MANAGER = (
    ("Total number of transactions (user + system)", "tasks"),
    ("Current MAXTASKS limit", "mxt"),
    ("Current number of active user transactions", "active"),
    ("Current number of MAXTASK queued user transactions", "none"),
    ("Times the MAXTASKS limit reached", "times_at_mxt"),
    ("Peak number of MAXTASK queued user transactions", "none"),
    ("Peak number of active user transactions", "active_peak"),
    ("Total number of active user transactions", "user_tasks"),
    ("Total number of MAXTASK delayed user transactions", "none"),
    ("Total MAXTASK queuing time", "no_time"),
    ("Total MAXTASK queuing time of currently queued user transactions", "no_time"),
)
_DISPATCHER = (
    ("Dispatcher Start Date and Time", "start"),
    ("Address Space CPU Time", "cpu_s"),
    ("Address Space SRB Time", "srb_s"),
    ("Current number of dispatcher tasks", "tasks_now"),
    ("Peak number of dispatcher tasks", "tasks_peak"),
    ("Current ICV time (msec)", "icv"),
    ("Current ICVR time (msec)", "icvr"),
    ("Current ICVTSD time (msec)", "icvtsd"),
    ("Current PRTYAGE time (msec)", "prtyage"),
    ("Current MRO (QR) Batching (MROBTCH) value", "mrobtch"),
    ("Concurrent Subtasking (SUBTSKS) value", "none"),
    ("Number of Excess TCB Scans", "scans"),
    ("Excess TCB Scans - No TCB Detached", "scans"),
    ("Number of Excess TCBs Detached", "none"),
    ("Number of CICS TCB MODEs", "modes"),
    ("Number of CICS TCB POOLs", "pools"),
)
_STORAGE = (
    ("Storage protection", "protection"),
    ("Transaction isolation", "isolation"),
    ("Reentrant programs", "reentrant"),
    ("Current DSA limit", "dsa_limit"),
    ("Current DSA total", "dsa_total"),
    ("Peak DSA total", "dsa_total"),
    ("Current EDSA limit", "edsa_limit"),
    ("Current EDSA total", "edsa_total"),
    ("Peak EDSA total", "edsa_total"),
    ("MEMLIMIT size", "memlimit"),
    ("MEMLIMIT set by", "set_by"),
    ("Current GDSA active", "gdsa"),
    ("Peak GDSA active", "gdsa"),
    ("MVS storage request waits", "none"),
    ("Total time waiting for MVS storage", "no_time"),
)


def _pairs(title: str, labels: Sequence[tuple[str, str]], values: dict[str, Any]) -> Section:
    """A label and its value on each line."""
    lines = [title_lines(title)]
    for label, name in labels:
        is_text = isinstance(values[name], str) or (
            isinstance(values[name], np.ndarray) and values[name].dtype == np.uint8
        )
        lines.append(f" {label + '. ' * 40:.70}: %({name}){'-26s' if is_text else '12l'}")
    return Section("\n".join([*lines, ""]), values)


def _times(values: dict[str, Numbers]) -> dict[str, NDArray[np.uint8]]:
    return {name: lengths(value, 26) for name, value in values.items()}


def _manager(region: Region) -> dict[str, Any]:
    names = ("tasks", "mxt", "active", "times_at_mxt", "active_peak", "user_tasks")
    return {name: getattr(region, name) for name in names} | {"none": 0} | _times({"no_time": 0})


def _dispatcher(region: Region) -> dict[str, Any]:
    pools = {mode.pool for mode in region.modes} - {"N/A"}
    settings = {"icv": 1000, "icvr": 5000, "icvtsd": 0, "prtyage": 1000, "mrobtch": 1, "scans": 1, "none": 0}
    tasks = {"tasks_now": region.active, "tasks_peak": region.active_peak}
    found = settings | tasks | {"start": "01/05/2026 06:00:00.0000", "modes": len(region.modes), "pools": len(pools)}
    return found | _times({"cpu_s": region.cpu_s, "srb_s": region.srb_s})


def _limits(region: Region) -> dict[str, Any]:
    below, above = (sum(area.size for area in areas) for areas in (region.below, region.above))
    sizes = {"dsa_limit": 5120, "dsa_total": below, "edsa_limit": 819_200, "edsa_total": above}
    words = {"protection": "ACTIVE", "isolation": "INACTIVE", "reentrant": "PROTECT", "set_by": "SMFPRM"}
    printed = {name: f"{size}K" for name, size in sizes.items()}
    return words | printed | {"memlimit": "10G", "gdsa": "4M", "none": 0} | _times({"no_time": 0})


# --- Tables -----------------------------------------------------------------------------------------------------------


def table_sections(title: str, head: str, rows: list[Section], total: Section) -> Iterator[Section]:
    """A table: its title and heading with the first row, the last row with the totals."""
    if not rows:
        return
    rows = [together([Section(f"{title_lines(title)}\n{head}" if title else f"\n{head}"), rows[0]]), *rows[1:]]
    rows[-1] = together([rows[-1], total])
    for number, row in enumerate(rows):
        yield Section(row.form, row.values, head=head if number else "")


def added(parts: Sequence[Any]) -> dict[str, Any]:
    """Sums of all numbers of equal contents."""
    names = [one.name for one in fields(parts[0]) if not isinstance(getattr(parts[0], one.name), str)]
    return {name: np.sum(np.broadcast_arrays(*(getattr(one, name) for one in parts)), axis=0) for name in names}


def _ends(head: str) -> list[int]:
    """Where the titles of the second line of a heading end: numbers end with their title."""
    return [found.end() for found in re.finditer(r"\S+", head.split("\n")[1])]


def _modes(modes: tuple[TcbMode, ...]) -> Iterator[Section]:
    rows = [
        Section(placed((1, m.name), (7, m.is_open), (16, m.pool), *_MODE_CELLS), vars(m) | {"none": 0}) for m in modes
    ]
    total = added(modes) | {"none": 0} if modes else {}
    yield from table_sections(
        "DISPATCHER - TCB MODES STATISTICS", _MODES, rows, Section(placed((1, "Totals"), *_MODE_CELLS) + "\n", total)
    )
    cells = [(10, "%(waits)14d"), *((at, f"%({name})18s") for name, at in _TIME_CELLS)]
    rows = [Section(placed((1, m.name), *cells), {"waits": m.waits} | _of_times(vars(m))) for m in modes]
    total = {"waits": total["waits"]} | _of_times(total) if modes else {}
    yield from table_sections("", _TIMES, rows, Section(placed((1, "Totals"), *cells) + "\n", total))


def _of_times(numbers: dict[str, Any]) -> dict[str, NDArray[np.uint8]]:
    return {name: lengths(numbers[name]) for name, _ in _TIME_CELLS}


def _transactions(transactions: tuple[Transaction, ...]) -> Iterator[Section]:
    names = ("attaches", *["none"] * 6)
    counts = [(end - 8, f"%({name})8d") for name, end in zip(names, _ends(_TRANSACTIONS)[5:], strict=True)]
    rows = [
        Section(
            placed((1, t.name), (11, t.program), (21, t.transaction_class), (31, "   1"), (55, "NO"), *counts),
            vars(t) | {"none": 0},
        )
        for t in transactions
    ]
    total = added(transactions) | {"none": 0} if transactions else {}
    yield from table_sections(
        "TRANSACTION STATISTICS", _TRANSACTIONS, rows, Section(placed((1, "*TOTALS*"), *counts) + "\n", total)
    )


def _classes(classes: tuple[TransactionClass, ...]) -> Iterator[Section]:
    names = ("one", "limit", "none", "attaches", "attaches", "none", "none", "none", "queue_s")
    names += ("active_peak", "none", "none", "none", "active", "none")
    ends = _ends(_CLASSES)
    cells = [
        (end - 14, "%(queue_s)14s") if name == "queue_s" else (end - 4, f"%({name})4d")
        for name, end in zip(names, ends[1:], strict=True)
    ]
    cells[3:9] = [(at - 2, cell.replace(")4d", ")6d")) for at, cell in cells[3:8]] + cells[8:9]
    rows = [Section(placed((1, c.name), *cells), _of_class(vars(c))) for c in classes]
    total = _of_class(added(classes)) if classes else {}
    yield from table_sections(
        "TRANSACTION CLASS STATISTICS", _CLASSES, rows, Section(placed((1, "*TOTALS*"), *cells[3:9]) + "\n", total)
    )


def _of_class(numbers: dict[str, Any]) -> dict[str, Any]:
    """What a class prints: no task waited for it. A length of time has no days there."""
    return numbers | {"one": 1, "none": 0, "queue_s": lengths(0)[:, 4:]}


_AREA_LINES: tuple[tuple[str, str], ...] = (
    ("Current DSA Size", "size"),
    ("Peak DSA Size", "size"),
    ("Cushion Size", "cushion"),
    ("Free Storage (inc. Cushion)", "free"),
    ("Peak Free Storage", "free"),
    ("Lowest Free Storage", "cushion"),
    ("Largest Free Area", "cushion"),
    ("Current number of extents", "extents"),
    ("Number of extents added", "none"),
    ("Number of extents released", "none"),
    ("Getmain Requests", "getmains"),
    ("Freemain Requests", "freemains"),
    ("Current number of Subpools", "subpools"),
    ("Add Subpool Requests", "none"),
    ("Delete Subpool Requests", "none"),
    ("Times no storage returned", "none"),
    ("Times request suspended", "none"),
    ("Current requests suspended", "none"),
    ("Peak requests suspended", "none"),
    ("Purged while waiting", "none"),
    ("Times Cushion released", "none"),
    ("Times went short on storage", "none"),
    ("Total time SOS", "no_time"),
    ("Storage violations", "none"),
)


def _areas(areas: tuple[StorageArea, ...]) -> Section:
    """Areas side by side, a line for each of their numbers."""
    lines = [placed((35, ""), *((36 + 19 * k, f"{area.name:>18}") for k, area in enumerate(areas)))]
    values: dict[str, Any] = {"none": 0, "extents": 1, "subpools": 40, "no_time": lengths(0)}
    for number, area in enumerate(areas):
        sizes = {f"{name}{number}": f"{getattr(area, name)}K" for name in ("size", "cushion", "free")}
        values |= sizes | {f"{name}{number}": getattr(area, name) for name in ("getmains", "freemains")}
    for label, name in _AREA_LINES:
        letter = "s" if name in ("size", "cushion", "free", "no_time") else "d"
        holes = [name if name in values else f"{name}{k}" for k in range(len(areas))]
        lines.append(
            placed(
                (1, f"{label + ' .' * 20:.32}:"),
                *((36 + 19 * k, f"%({hole})18{letter}") for k, hole in enumerate(holes)),
            )
        )
    return Section("\n".join([*lines, ""]), values)
