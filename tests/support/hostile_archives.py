"""Archives and compressed files from a stranger: an outcome of its own, bounded memory, nothing left in the spool, and the report beside
them is read."""

from __future__ import annotations

import atexit
import bz2
import gzip
import io
import lzma
import shutil
import tarfile
import warnings
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from zlib import crc32

import pyarrow as pa
from hostile_inputs import entries, mutated, outcome, private_folder, steers_a_terminal
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.files.archives import Limits
from ironlake.pipeline.ingest.ingest import ingest
from reading_pages import report, text_of

# As the program has them, but smaller: nothing that is tried here is meant to fill the disk.
_LIMITS = Limits(uncompressed_bytes=64 << 20, ratio=1000, ratio_from_bytes=32 << 20)
_GOOD = "zz_good.txt"


@cache
def _folder() -> Path:
    folder = private_folder("archives")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def one_input(data: bytes) -> str:
    given, lake = _folder() / "in", _folder() / "lake"
    shutil.rmtree(given, ignore_errors=True)
    shutil.rmtree(lake, ignore_errors=True)
    given.mkdir()
    hostile, good = given / "a.bin", given / _GOOD
    hostile.write_bytes(data)
    # A member may be the good report itself, which is then read under that name.
    good.write_bytes(text_of(report(1)) + b"X" * 5 + b"\n")
    there = sorted(_folder().rglob("*"))
    results = {}

    def read() -> str:
        for result in ingest([str(given)], lake, Options(), jobs=1, limits=_LIMITS).files:
            results[result.path] = result
        return ""

    _, wrong = outcome(read)
    if wrong:
        return wrong
    if not any(name.endswith(_GOOD) and result.status == "ingested" for name, result in results.items()):
        return f"the report beside it was not read: {list(results.items())[-1:]}"
    if not any(name.startswith(str(hostile)) for name in results):
        return "no outcome"
    for name, result in results.items():
        if "bug in Ironlake" in (told := f"{name} {result.error}"):
            return told
        if steers_a_terminal(name):
            return f"steers the terminal: {name!r}"
    if left := list((lake / "_tmp").iterdir()):
        return f"left over: {left}"
    if strangers := [p for p in _folder().rglob("*") if p not in there and lake not in (p, *p.parents)]:
        return f"wrote {strangers}"
    return ""


# --- Containers with anything in their headers ----------------------------------------------------------------------


def _zip(random: Random, content: bytes) -> bytes:
    out = io.BytesIO()
    method = random.choice(
        (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    )
    names = (
        "a.txt",
        "../../gone",
        "/etc/gone",
        "C:\\gone",
        "a\x1b[31m.txt",
        "\u202etxt.a",
        ".hidden",
        "d/",
        "a.txt\0b",
        "é",
        "x" * 300,
    )
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(out, "w", method) as archive:
        for _ in range(random.choice((1, 1, 2, 5))):
            info = zipfile.ZipInfo(random.choice(names))
            info.external_attr = random.choice((0, 0o120777 << 16, 0o010644 << 16, 0o644 << 16))
            archive.writestr(info, random.choice((content, b"", content[:50])), random.choice((method, None)))
    made = bytearray(out.getvalue())
    # Fields that the reader goes by: version, flags, method, sizes, offset of a directory entry; counts and offset of the end.
    for mark, fields in (
        (b"PK\x01\x02", (6, 8, 10, 16, 20, 24, 28, 30, 32, 42)),
        (b"PK\x05\x06", (4, 8, 10, 12, 16, 20)),
    ):
        if random.random() < 0.4 and (at := made.find(mark)) >= 0:
            field = at + random.choice(fields)
            made[field : field + 2] = random.choice((0, 1, 8, 9, 12, 14, 93, 95, 99, 0x7FFF, 0xFFFF)).to_bytes(
                2, "little"
            )
    return bytes(made)


def _tar(random: Random, content: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo(random.choice(("a.txt", "../gone", "/etc/gone")))
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def _wrapped(random: Random, content: bytes) -> bytes:
    match random.randrange(8):
        case 0 | 1 | 2:
            return _zip(random, content)
        case 3:
            return gzip.compress(content, 1, mtime=0) * random.choice((1, 1, 3))
        case 4:
            return pa.Codec("zstd").compress(content, asbytes=True) if content else b""
        case 5:
            return random.choice((bz2.compress, lzma.compress))(content)
        case 6:
            return _tar(random, content)
        case _:
            # Deflate of nothing but repetitions, and a checksum that is right.
            return gzip.compress(content * random.choice((1, 2000)), 9, mtime=random.randrange(crc32(content) + 1))


def tried(random: Random) -> Iterator[bytes]:
    corpus = list(entries("archives").values())
    page = text_of(report(1))
    while True:
        data = random.choice((page, page, b"", random.choice(corpus)))
        for _ in range(random.choice((0, 1, 1, 2, 6))):
            data = _wrapped(random, data)[: 4 << 20]
        yield mutated(data, random, corpus) if random.random() < 0.7 else data
