"""What is read of many inputs, as a digest each: `python tests/support/reading_digests.py [--count N] [--seed S] [FILE…] > digests.txt`.

Inputs: every sample and published page alone, N damaged ones (the kinds of damage.py, flipped bits, lines out of place, bytes that are no
text), and the files named. A digest is of all values and types of all tables, `parse_reject` and `cell_null` among them, of counts of
lines, and of pages that are hardly read. Two commits whose lists are equal (`diff`) read alike."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from random import Random

from damage import KINDS, Page
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.reading import engine
from judged_inputs import edits, flipped
from sample_pages import PUBLISHED, document_files, options_of, sample_files

# So many inputs are read at once, each a source of its own.
_TOGETHER = 40
_STRANGE = (b"\0", b"\xff\xfe", b"\xc3", "é".encode(), "…".encode(), b"\xa0", b"\x85", "\u0661".encode(), b"\t", b"\r", b"\x0c", b"\n" * 40)  # fmt: skip


def inputs(count: int, seed: int, files: list[Path]) -> Iterator[tuple[str, bytes, Options]]:
    paths = [*sample_files(), *PUBLISHED, *document_files()]
    for path in paths:
        yield path.name, path.read_bytes(), options_of(path)
    for path in files:
        yield str(path), path.read_bytes(), Options()
    pages = [path.read_bytes() for path in paths]
    for number in range(seed, seed + count):
        random = Random(number)
        page, other = random.choice(pages), random.choice(pages)
        match number % 4:
            case 0:
                yield f"{number} bits", flipped(page, random), Options()
            case 1:
                yield f"{number} lines", edits(page, random, other), Options()
            case 2:
                out = bytearray(page)
                for _ in range(random.randint(1, 8)):
                    at = random.randrange(len(out))
                    out[at : at + random.randint(0, 3)] = random.choice(_STRANGE)
                yield f"{number} strange", bytes(out), Options()
            case _:
                kind = random.choice(sorted(KINDS))
                lines = [p.decode("utf-8", "replace").splitlines() for p in (page, other)]
                damaged = KINDS[kind](Page(*lines), random)
                yield f"{number} {kind}", damaged.text.encode() if damaged else page + other, Options()


def digest(parsed: engine.Parsed) -> str:
    said = sha256(repr(parsed.counts).encode())
    for name, table in sorted(parsed.tables.items()):
        said.update(f"{name} {table.schema.to_string(show_field_metadata=False, show_schema_metadata=False)}".encode())
        for column in table.columns:
            said.update(repr(column.to_pylist()).encode())
    said.update(repr(parsed.unread_pages.to_dicts()).encode())
    return said.hexdigest()[:24]


def main() -> int:
    parser = argparse.ArgumentParser(description="What is read of many inputs, as a digest each.")
    parser.add_argument("files", type=Path, nargs="*", help="more inputs")
    parser.add_argument("--count", type=int, default=2000, help="number of damaged inputs")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    together: dict[Options, list[engine.Segment]] = {}
    for name, data, options in inputs(given.count, given.seed, given.files):
        try:
            segment = engine.canonical_segment(data, "input", options)
            print(name, digest(engine.parse([segment], options)), flush=True)
            together.setdefault(options, []).append(segment)
        except IronlakeError as error:
            print(name, "refused", sha256(str(error).encode()).hexdigest()[:24])
    for options, segments in together.items():
        for begin in range(0, len(segments), _TOGETHER):
            some = [replace(one, source_id=str(k)) for k, one in enumerate(segments[begin : begin + _TOGETHER])]
            print("together", begin, digest(engine.parse(some, options)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
