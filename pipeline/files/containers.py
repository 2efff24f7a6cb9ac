"""Files as they are found: folders walked, archives and compressed files unpacked one at a time into a spool folder."""

import gzip
import math
import os
import re
import stat
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import IronlakeError

_BLOCK = 1 << 20
_GZIP = b"\x1f\x8b"
_ZSTD = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18", re.DOTALL)
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_MOST_LAYERS = 4
_ANY_SIZE_HINT = "if the file is what it should be, ingest it with --unpack-any-size"
_NOT_WHOLE = "transfer the file again, in binary mode"


@dataclass(frozen=True)
class Limits:
    """What a compressed file may unpack to, so that a small hostile file cannot fill the disk or keep the program busy.

    uncompressed_bytes: of one file, or one member of an archive. ratio: all that comes out of a given file, members of members
    included, over its own size, looked at once more than ratio_from_bytes came out.
    """

    uncompressed_bytes: float = 64 << 30
    ratio: float = 1000
    ratio_from_bytes: int = 1 << 30


ANY_SIZE = Limits(uncompressed_bytes=math.inf, ratio=math.inf)


@dataclass
class _Budget:
    """What has come out of one given file so far; of a stream nobody knows how large it is."""

    limits: Limits
    packed_bytes: float
    unpacked_bytes: int = 0

    def too_much(self, more: int, of_one: int) -> IronlakeError | None:
        """Takes `more` bytes, by which one file has come to `of_one` bytes; the error where that is too much."""
        self.unpacked_bytes += more
        if of_one > self.limits.uncompressed_bytes:
            what = f"unpacks to more than {self.limits.uncompressed_bytes:,} bytes"
            return IronlakeError(what, "less", _ANY_SIZE_HINT)
        return self.spent()

    def spent(self) -> IronlakeError | None:
        if self.unpacked_bytes <= max(self.limits.ratio_from_bytes, self.limits.ratio * self.packed_bytes):
            return None
        return IronlakeError(f"unpacks to more than {self.limits.ratio:,} times its size", "print text", _ANY_SIZE_HINT)


@dataclass(frozen=True)
class Found:
    """A file on disk by the name it goes by; spooled: it was made here and is removed after use."""

    name: str
    path: Path
    spooled: bool = False


@dataclass(frozen=True)
class Unusable:
    """Something that cannot be read, by the name it goes by, and why."""

    name: str
    error: IronlakeError
    empty: bool = False


def find(paths: Sequence[str], spool: Path, limits: Limits, stdin: BinaryIO | None) -> Iterator[Found | Unusable]:
    """Every file named by `paths` or below a folder named there, unpacked, each once. `-` is standard input.

    Spooled files belong to the consumer, who removes them.
    """
    seen: set[Any] = set()
    for path in paths:
        for found in _standard_input(spool, limits, stdin, seen) if path == "-" else _walk(path, seen, True):
            if isinstance(found, Found):
                yield from _unpacked(found, spool, limits, None, 0)
            else:
                yield found


def _standard_input(spool: Path, limits: Limits, stdin: BinaryIO | None, seen: set[Any]) -> Iterator[Found | Unusable]:
    if "-" not in seen:
        seen.add("-")
        stream = stdin or getattr(sys.stdin, "buffer", None)
        error = IronlakeError("is closed", "a print report on standard input", "ironlake ingest - < report.txt")
        yield _spooled("-", stream, _Budget(limits, math.inf), spool) if stream else Unusable("-", error)


def _walk(name: str, seen: set[Any], given: bool) -> Iterator[Found | Unusable]:
    """The file, or all files below the folder in the order of their names; hidden ones only where they are `given`, and
    nothing of a lake."""
    try:
        status = os.stat(name)
        identity = (status.st_dev, status.st_ino)
        if identity in seen:
            return
        seen.add(identity)
        if not stat.S_ISDIR(status.st_mode):
            usable = stat.S_ISREG(status.st_mode) or (given and stat.S_ISFIFO(status.st_mode))
            error = IronlakeError("is neither a file nor a folder", "a print file or a folder of print files")
            yield Found(name, Path(name)) if usable else Unusable(name, error)
            return
        entries = sorted(entry for entry in os.listdir(name) if not entry.startswith("."))
    except (OSError, ValueError) as error:
        yield Unusable(name, _unreadable(error))
        return
    if os.path.isdir(os.path.join(name, "_ledger")):
        if given:
            error = IronlakeError("is a lake", "print files", "ironlake sql and ironlake describe read it with --lake")
            yield Unusable(name, error, empty=True)
        return
    if given and not entries:
        error = IronlakeError("holds no file", "print files in the folder", "hidden files are left out")
        yield Unusable(name, error, empty=True)
    for entry in entries:
        yield from _walk(os.path.join(name, entry), seen, False)


def _unreadable(error: Exception) -> IronlakeError:
    match error:
        case FileNotFoundError():
            return IronlakeError("does not exist", "a file, a folder or -", "check the spelling and the working folder")
        case PermissionError():
            return IronlakeError("may not be read", "read permission", "ask its owner, or copy it")
    return IronlakeError(f"cannot be read: {_reason(error)}", "a readable file", "check the disk or network share")


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def _unpacked(
    found: Found | Unusable, spool: Path, limits: Limits, budget: _Budget | None, layer: int
) -> Iterator[Found | Unusable]:
    """The file itself, or what is in it where it is compressed or an archive; intermediate files are removed. `budget`: of the
    given file that it came out of, if it did."""
    if isinstance(found, Unusable):
        yield found
        return
    try:
        if not found.spooled and not found.path.is_file():
            with open(found.path, "rb") as pipe:
                found = _spooled(found.name, pipe, _Budget(limits, math.inf), spool)
            yield from _unpacked(found, spool, limits, budget, layer)
            return
        with open(found.path, "rb") as stream:
            head = stream.read(4)
            size = os.fstat(stream.fileno()).st_size
    except OSError as error:
        yield Unusable(found.name, _unreadable(error))
        return
    packed = head.startswith(_GZIP) or _ZSTD.match(head) or head in _ZIP
    if not packed:
        yield found
        return
    budget = budget or _Budget(limits, size)
    try:
        if layer == _MOST_LAYERS:
            error = IronlakeError(
                f"is compressed more than {_MOST_LAYERS} times over", "a print file", "unpack it first"
            )
            yield Unusable(found.name, error)
        elif head in _ZIP:
            yield from _members(found, spool, budget, layer)
        else:
            opener = gzip.open if head.startswith(_GZIP) else _open_zstd
            yield from _unpacked(_decompressed(found, opener, spool, budget), spool, limits, budget, layer + 1)
    finally:
        if found.spooled:
            found.path.unlink(missing_ok=True)


def _open_zstd(path: Path) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(pa.OSFile(os.fspath(path)), "zstd")


def _decompressed(found: Found, opener: Any, spool: Path, budget: _Budget) -> Found | Unusable:
    try:
        with closing(opener(found.path)) as stream:
            return _spooled(found.name, stream, budget, spool)
    except (OSError, EOFError, zlib.error) as error:
        return Unusable(found.name, IronlakeError(f"cannot be unpacked: {_reason(error)}", "a whole file", _NOT_WHOLE))


def _members(found: Found, spool: Path, budget: _Budget, layer: int) -> Iterator[Found | Unusable]:
    """Each file in a zip archive. A member's name is only shown: nothing is ever written under it."""
    try:
        with zipfile.ZipFile(found.path) as archive:
            members = [m for m in archive.infolist() if not m.is_dir() and not _is_hidden(m.filename)]
            names = {m.filename for m in members}
            if "[Content_Types].xml" in names:
                error = IronlakeError("is an Office document", "a print file", "export its text to a plain file")
                yield Unusable(found.name, error)
                return
            if not members:
                yield Unusable(found.name, IronlakeError("holds no file", "print files in the archive"), empty=True)
            for member in members:
                name = f"{found.name}!{member.filename}"
                unpacked = _member(archive, member, name, spool, budget)
                yield from _unpacked(unpacked, spool, budget.limits, budget, layer + 1)
                if budget.spent():
                    return  # said of the member that went too far; what is behind it would take as long
    except (OSError, zipfile.BadZipFile, ValueError) as error:
        yield Unusable(
            found.name, IronlakeError(f"cannot be unpacked: {_reason(error)}", "a whole archive", _NOT_WHOLE)
        )


def _is_hidden(member: str) -> bool:
    parts = member.split("/")
    return "__MACOSX" in parts or any(p.startswith(".") and p not in (".", "..") for p in parts)


def _member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, spool: Path, budget: _Budget
) -> Found | Unusable:
    if member.flag_bits & 0x1:
        return Unusable(name, IronlakeError("is encrypted", "a member without a password", "unpack the archive first"))
    try:
        with archive.open(member) as stream:
            return _spooled(name, stream, budget, spool)
    except NotImplementedError:
        error = IronlakeError("is compressed in a way that is not supported", "deflate", "unpack the archive first")
        return Unusable(name, error)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, ValueError) as error:
        return Unusable(name, IronlakeError(f"cannot be unpacked: {_reason(error)}", "a whole archive", _NOT_WHOLE))


def _spooled(name: str, stream: Any, budget: _Budget, spool: Path) -> Found | Unusable:
    """The stream copied to a new file of the spool folder, block by block. Errors of the stream are the caller's."""
    path: Path | None = None
    try:
        spool.mkdir(parents=True, exist_ok=True)
        handle, made = tempfile.mkstemp(prefix="spool-", dir=spool)
        path = Path(made)
        out = os.fdopen(handle, "wb")
    except OSError as error:
        return Unusable(name, _no_spool(spool, error))
    written = 0
    keep = False
    try:
        with out:
            while block := stream.read(_BLOCK):
                written += len(block)
                if error := budget.too_much(len(block), written):
                    return Unusable(name, error)
                try:
                    out.write(block)
                except OSError as error:
                    return Unusable(name, _no_spool(spool, error))
        keep = True
        return Found(name, path, spooled=True)
    finally:
        if not keep:
            path.unlink(missing_ok=True)


def _no_spool(spool: Path, error: OSError) -> IronlakeError:
    return IronlakeError(
        f"cannot be unpacked into {spool}: {_reason(error)}", "room for the unpacked text", "free space there"
    )
