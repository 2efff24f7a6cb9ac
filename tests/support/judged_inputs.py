"""What holds for any bytes at all, and bytes to try: pages cut anywhere, with bits flipped, with lines out of place."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.reading import engine

# Far more than the slowest page takes on a busy machine.
MOST_SECONDS = 20


def judge(data: bytes, options: Options | None = None) -> str:
    """What is wrong with how some bytes are read; empty where nothing is. They may be refused with a message; else every line
    is accounted for, every rejected line is told, and it takes no longer than a page may."""
    began = time.process_time()
    options = options or Options()
    try:
        try:
            segment = engine.canonical_segment(data, "input", options)
        except IronlakeError:
            return ""
        found = engine.parse([segment], options)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    (counts,) = found.counts
    rejects = found.tables["parse_reject"].to_pylist() if "parse_reject" in found.tables else []
    if not counts.closes or counts.lines != segment.text.count(b"\n"):
        return f"the account does not close: {counts}"
    if counts.rejected > sum(row["lines"] for row in rejects) or counts.rejects != len(rejects):
        return f"rejected lines that no reject tells: {counts}"
    if any(not 1 <= row["line"] <= counts.lines for row in rejects):
        return "a reject on a line that is not there"
    took = time.process_time() - began
    return f"took {took:.1f} s" if took > MOST_SECONDS else ""


def flipped(page: bytes, random: Random) -> bytes:
    """The page with a few bits flipped."""
    out = bytearray(page)
    for _ in range(random.randint(1, 6)):
        out[random.randrange(len(out))] ^= 1 << random.randrange(8)
    return bytes(out)


def edits(page: bytes, random: Random, other: bytes) -> bytes:
    """The page with lines lost, doubled, cut, moved by some columns or taken from another page."""
    lines = page.splitlines(keepends=True)
    strange = other.splitlines(keepends=True)
    for _ in range(random.randint(1, 6)):
        at = random.randrange(len(lines))
        match random.randrange(6):
            case 0 if len(lines) > 8:
                del lines[at : at + random.randint(1, 4)]
            case 1:
                lines[at:at] = lines[at : at + random.randint(1, 4)]
            case 2:
                lines[at] = lines[at].rstrip(b"\n")[: random.randint(0, len(lines[at]))] + b"\n"
            case 3:
                lines[at] = b" " * random.randint(1, 9) + lines[at]
            case 4:
                lines[at] = lines[at][random.randint(1, 9) :] or b"\n"
            case 5:
                lines[at:at] = random.choices(strange, k=random.randint(1, 4))
    return b"".join(lines)


def tried(pages: list[Path], random: Random) -> Iterator[bytes]:
    """Damaged pages without end."""
    contents = [path.read_bytes() for path in pages]
    while True:
        page, other = random.choice(contents), random.choice(contents)
        match random.randrange(3):
            case 0:
                yield flipped(page, random)
            case 1:
                yield edits(page, random, other)
            case 2:
                yield flipped(edits(page, random, other), random)
