"""Db2 Statistics pages of a made-up data sharing group: two counter blocks side by side, an interval of each member."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random

_COLUMNS = (("QUANTITY", 8), ("/SECOND", 7), ("/THREAD", 7), ("/COMMIT", 7))
_LABELS = 27
_BLOCKS = {
    "SQL DML": ("SELECT", "INSERT", "UPDATE", "MERGE", "DELETE", "PREPARE", "DESCRIBE", "OPEN CURSOR", "FETCH"),
    "LOCKING ACTIVITY": ("SUSPENSIONS (ALL)", " SUSPENSIONS (LOCK ONLY)", " SUSPENSIONS (IRLM LATCH)", "TIMEOUTS"),
    "DATA SHARING LOCKING": ("GLOBAL CONTENTION RATE (%)", "SYNCH.XES - LOCK REQUESTS", "SUSPENDS - FALSE CONT. MBR"),
}
_POOL_BLOCKS = {
    "BP{} READ OPERATIONS": ("BPOOL HIT RATIO (%)", "GETPAGE REQUEST", "SYNCHRONOUS READS", " SYNC.READS-RANDOM"),
    "BP{} WRITE OPERATIONS": ("BUFFER UPDATES", "PAGES WRITTEN", "SYNCHRONOUS WRITES", "DWT HIT"),
    "GROUP BP{}": (
        "GBP-DEPENDENT GETPAGES",
        "SYN.READ(XI)-DATA RETURNED",
        "SYN.READ(NF)-DATA RETURNED",
        "PAGES CASTOUT",
    ),
}
_PAGE_LINES = 60


def intervals(rng: Random) -> Iterator[list[str]]:
    """Endless intervals of a quarter of an hour, each as the lines of its pages."""
    start = datetime(2024, 1, 8) + timedelta(minutes=15 * rng.randint(0, 95))
    members = [f"DB{letter}{rng.randint(1, 9)}" for letter in "ABCD"]
    while True:
        for member in members:
            yield _pages(rng, member, start)
        start += timedelta(minutes=15)


def _pages(rng: Random, member: str, start: datetime) -> list[str]:
    blocks = [_block(rng, title, labels) for title, labels in _BLOCKS.items()]
    for pool in (0, 1, 2, 7, 32):
        blocks += [_block(rng, title.format(pool), labels) for title, labels in _POOL_BLOCKS.items()]
    lines: list[str] = []
    used, page = _PAGE_LINES, 0
    for left, right in zip(blocks[::2], blocks[1::2], strict=False):
        size = max(len(left), len(right))
        if used + size + 1 > _PAGE_LINES:
            page += 1
            heading = _heading(member, start, page)
            lines += heading
            used = len(heading)
        left, right = (part + [""] * (size - len(part)) for part in (left, right))
        lines += ["", *(f"{a:<68}{b}".rstrip() for a, b in zip(left, right, strict=True))]
        used += size + 1
    return lines


def _heading(member: str, start: datetime, page: int) -> list[str]:
    begin, end = (f"{at:%m/%d/%y %H:%M:%S}.07" for at in (start, start + timedelta(minutes=15)))
    return [
        f"{'   LOCATION: BENCH':<40}{'OMEGAMON XE FOR DB2 PERFORMANCE EXPERT (V5R4M0)':<67}PAGE: 1-{page}",
        f"{'      GROUP: DBGB':<50}{'STATISTICS REPORT - LONG':<47}REQUESTED FROM: NOT SPECIFIED",
        f"{'     MEMBER: ' + member:<109}TO: NOT SPECIFIED",
        f"{'  SUBSYSTEM: ' + member:<98}INTERVAL FROM: {begin}",
        f"{'DB2 VERSION: V13':<54}{'SCOPE: MEMBER':<55}TO: {end}",
    ]


def _block(rng: Random, title: str, labels: tuple[str, ...]) -> list[str]:
    def line(label: str, cells: list[str]) -> str:
        printed = (f"{cell:>{width}}" for cell, (_, width) in zip(cells, _COLUMNS, strict=True))
        return f"{label:<{_LABELS}}  " + "  ".join(printed)

    lines = [line(title, [name for name, _ in _COLUMNS]), line("-" * _LABELS, ["-" * width for _, width in _COLUMNS])]
    for label in labels:
        quantity = min(rng.lognormvariate(7, 3), 9e6)
        if "%" in label:
            lines.append(line(label, [f"{rng.uniform(0, 100):.2f}", "N/A", "N/A", "N/A"]))
        else:
            rates = [f"{min(quantity / by, 9999.99):.2f}" for by in (900, 37, 4100)]
            lines.append(line(label, [f"{quantity:.2f}" if quantity < 99_999 else f"{quantity / 1000:.1f}K", *rates]))
    return lines
