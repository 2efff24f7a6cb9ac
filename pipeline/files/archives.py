"""Find files: walk folders, and unpack archives and compressed files one at a time into a spool folder."""

import errno
import gzip
import io
import math
import os
import re
import stat
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..errors import IronlakeError, OtherKind
from ..storage.address import Address, place_of
from .stored_files import listed, opened

_BLOCK = 1 << 20
_GZIP = b"\x1f\x8b"
_ZSTD = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18", re.DOTALL)
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
# The names that Office documents begin with, in the head of a member.
_OFFICE = re.compile(
    rb"PK\x03\x04.{26}(?:\[Content_Types\]\.xml|_rels/\.rels|docProps/|word/|xl/|ppt/|mimetype)", re.DOTALL
)
_MOST_LAYERS = 4
# zipfile decompresses these within the size that is asked for; of bzip2 and LZMA it makes as much as comes out.
_BOUNDED_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_METHOD_NAMES = {zipfile.ZIP_BZIP2: "bzip2", zipfile.ZIP_LZMA: "LZMA"}
# A directory of 6 MiB names at most some 130,000 members, which zipfile holds in about 200 MB.
_LARGEST_DIRECTORY = 6 << 20
_ANY_SIZE_HINT = "if you trust the file, ingest it with --unpack-any-size"
_NOT_WHOLE = "transfer the file again, in binary mode"


@dataclass(frozen=True)
class Limits:
    """Decompression limits, against small hostile files that fill the disk.

    uncompressed_bytes: of one file or archive member. ratio: total unpacked size of a given file (nested archives included)
    over its own size; checked above ratio_from_bytes.
    """

    uncompressed_bytes: float = 64 << 30
    ratio: float = 1000
    ratio_from_bytes: int = 1 << 30


ANY_SIZE = Limits(uncompressed_bytes=math.inf, ratio=math.inf)


@dataclass
class _Budget:
    """Bytes unpacked from one given file so far; the packed size of a stream is unknown (infinite)."""

    limits: Limits
    packed_bytes: float
    unpacked_bytes: int = 0

    def too_much(self, more: int, of_one: int) -> IronlakeError | None:
        """Count `more` bytes, of a file of `of_one` bytes so far; returns an error if a limit is exceeded."""
        self.unpacked_bytes += more
        if of_one > self.limits.uncompressed_bytes:
            what = f"unpacks to more than {self.limits.uncompressed_bytes:,} bytes"
            return IronlakeError(what, hint=_ANY_SIZE_HINT)
        return self.spent()

    def spent(self) -> IronlakeError | None:
        if self.unpacked_bytes <= max(self.limits.ratio_from_bytes, self.limits.ratio * self.packed_bytes):
            return None
        return IronlakeError(f"unpacks to more than {self.limits.ratio:,} times its size", hint=_ANY_SIZE_HINT)


class Found(NamedTuple):
    """A file on disk with its display name; spooled: unpacked here, and removed after use. size: as it was found, in bytes."""

    name: str
    path: Path
    spooled: bool = False
    size: int = 0


class Unusable(NamedTuple):
    """An unreadable file with its display name and the reason."""

    name: str
    error: IronlakeError
    empty: bool = False


def find(paths: Sequence[str], spool: Path, limits: Limits, stdin: BinaryIO | None) -> Iterator[Found | Unusable]:
    """All files in `paths` and the folders there, unpacked, without duplicates. `-` is standard input.

    The caller removes spooled files.
    """
    seen: set[Any] = set()
    for path in paths:
        for found in _standard_input(spool, limits, stdin, seen) if path == "-" else walk(path, seen):
            if isinstance(found, Found):
                yield from _unpacked(found, spool, limits, None, 0)
            else:
                yield found


def _standard_input(spool: Path, limits: Limits, stdin: BinaryIO | None, seen: set[Any]) -> Iterator[Found | Unusable]:
    if "-" not in seen:
        seen.add("-")
        stream = stdin or getattr(sys.stdin, "buffer", None)
        error = IronlakeError("standard input is closed", "a print report", "ironlake ingest - < report.txt")
        yield _spooled("-", stream, _Budget(limits, math.inf), spool) if stream else Unusable("-", error)


def walk(given: str, seen: set[Any]) -> Iterator[Found | Unusable]:
    """The file, or all files below the folder in name order, at any depth. `seen`: files and folders that were given before.

    Hidden files are left out unless given themselves, and so are the files of a lake.
    """
    waiting = [given]
    while waiting:
        name = waiting.pop()
        if isinstance(address := place_of(name), Address):
            yield from _objects(address, seen)
            continue
        try:
            status = os.stat(name)
            identity = (status.st_dev, status.st_ino)
            if identity in seen:
                continue
            seen.add(identity)
            if not stat.S_ISDIR(status.st_mode):
                usable = stat.S_ISREG(status.st_mode) or (name == given and stat.S_ISFIFO(status.st_mode))
                error = IronlakeError("is neither a file nor a folder", "a print file or a folder of print files")
                yield Found(name, Path(name), size=status.st_size) if usable else Unusable(name, error)
                continue
            entries = sorted(entry for entry in os.listdir(name) if not entry.startswith("."))
        except (OSError, ValueError) as error:
            yield Unusable(name, _unreadable(error))
            continue
        if os.path.isdir(os.path.join(name, "_ledger")):
            if name == given:
                hint = "ironlake sql and ironlake describe read it with --lake"
                yield Unusable(name, IronlakeError("is a lake", "print files", hint), empty=True)
            continue
        if name == given and not entries:
            error = IronlakeError("contains no files", "print files in the folder", "hidden files are skipped")
            yield Unusable(name, error, empty=True)
        waiting += [os.path.join(name, entry) for entry in reversed(entries)]


def _objects(address: Address, seen: set[Any]) -> Iterator[Found | Unusable]:
    """The files at an address of object storage, and below it."""
    try:
        found = dict(listed(address))
    except IronlakeError as error:
        yield Unusable(str(address), error)
        return
    if not found:
        yield Unusable(str(address), IronlakeError("contains no files", "a print file, or files below it"))
    for place, size in found.items():
        if place not in seen:
            seen.add(place)
            yield Found(str(place), place, size=size)


def _unreadable(error: Exception) -> IronlakeError:
    match error:
        case FileNotFoundError():
            return IronlakeError("does not exist", "a file, a folder or -", "check the spelling and the current folder")
        case PermissionError():
            return IronlakeError("permission denied", "read permission", "ask its owner, or copy it")
        case OSError(errno=errno.ENAMETOOLONG):
            return IronlakeError(
                "path too long for this system", "a shorter path", "move the folder up, or ingest a part of it"
            )
    return IronlakeError(f"cannot be read: {_reason(error)}", "a readable file", "check the disk or network share")


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def _unpacked(
    found: Found | Unusable, spool: Path, limits: Limits, budget: _Budget | None, layer: int
) -> Iterator[Found | Unusable]:
    """The file itself, or its contents if it is compressed or an archive; intermediate files are removed. `budget`: that of the
    given file it was unpacked from, if any."""
    if isinstance(found, Unusable):
        yield found
        return
    try:
        if not found.spooled and not found.path.is_file():
            place = found.path
            with opened(place) if isinstance(place, Address) else open(place, "rb") as pipe:
                found = _spooled(found.name, pipe, _Budget(limits, math.inf), spool)
            yield from _unpacked(found, spool, limits, budget, layer)
            return
        with open(found.path, "rb") as stream:
            begin = stream.read(tarfile.BLOCKSIZE)
            size = os.fstat(stream.fileno()).st_size
    except (OSError, IronlakeError) as error:
        yield Unusable(found.name, error if isinstance(error, IronlakeError) else _unreadable(error))
        return
    head, is_tar = begin[:4], _is_tar(begin)
    packed = head.startswith(_GZIP) or _ZSTD.match(head) or head in _ZIP
    if not packed and not is_tar:
        yield found
        return
    budget = budget or _Budget(limits, size)
    try:
        if layer == _MOST_LAYERS:
            error = IronlakeError(f"is compressed more than {_MOST_LAYERS} times", "a print file", "unpack it first")
            yield Unusable(found.name, error)
        elif is_tar:
            yield from _tar_members(found, spool, budget, layer)
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
    except Exception as error:  # as with archives
        return _damaged(found.name, error, "a complete file")


def _members(found: Found, spool: Path, budget: _Budget, layer: int) -> Iterator[Found | Unusable]:
    """Each file in a zip archive. A member's name is only displayed, never used as a path."""
    try:
        with _Directory(found.path) as file, zipfile.ZipFile(file) as archive:
            # zipfile's own test for a folder fails for a member without a name.
            members = [m for m in archive.infolist() if not m.filename.endswith("/") and not _is_hidden(m.filename)]
            names = {m.filename for m in members}
            if "[Content_Types].xml" in names:
                yield _office_document(found.name)
                return
            if not members:
                yield Unusable(found.name, IronlakeError("contains no files", "print files in the archive"), empty=True)
            for member in members:
                name = f"{found.name}!{member.filename}"
                unpacked = _member(archive, member, name, spool, budget)
                yield from _unpacked(unpacked, spool, budget.limits, budget, layer + 1)
                if budget.spent():
                    return  # reported for this member; the rest would take as long
    except Exception as error:  # zipfile raises what damaged bytes happen to cause; no other input pays for it
        with open(found.path, "rb") as stream:
            is_office = _OFFICE.match(stream.read(100))
        yield _office_document(found.name) if is_office else _damaged(found.name, error, "a complete archive")


def _office_document(name: str) -> Unusable:
    return Unusable(name, OtherKind("is an Office document", "a print file", "export its text to a plain file"))


def _is_tar(begin: bytes) -> bool:
    """Whether a file begins with the head of a member of a tar archive, which has a checksum."""
    try:
        tarfile.TarInfo.frombuf(begin, "utf-8", "surrogateescape")
    except tarfile.TarError:
        return False
    return True


def _tar_members(found: Found, spool: Path, budget: _Budget, layer: int) -> Iterator[Found | Unusable]:
    """Each file in a tar archive. Links are left out: what they lead to in the archive is read itself."""
    is_empty = True
    try:
        with _Directory(found.path) as file, tarfile.open(fileobj=file, mode="r:") as archive:
            while member := archive.next():
                # Else all heads of an archive of millions of empty files are held.
                archive.members.clear()  # pyright: ignore[reportAttributeAccessIssue]
                if member.isdir() or _is_hidden(member.name):
                    continue
                is_empty = False
                name = f"{found.name}!{member.name}"
                yield from _unpacked(
                    _tar_member(archive, member, name, spool, budget), spool, budget.limits, budget, layer + 1
                )
                if budget.spent():
                    return  # as above
            file.seek(archive.offset)
            # tarfile ends where a head cannot be read as where zeros are.
            if any(file.read(tarfile.BLOCKSIZE)):
                raise tarfile.ReadError(f"what follows its first {archive.offset:,} bytes is damaged")
        if is_empty:
            yield Unusable(found.name, IronlakeError("contains no files", "print files in the archive"), empty=True)
    except Exception as error:  # as above
        yield _damaged(found.name, error, "a complete archive")


def _tar_member(
    archive: tarfile.TarFile, member: tarfile.TarInfo, name: str, spool: Path, budget: _Budget
) -> Found | Unusable:
    try:
        # Refuses devices, and what leads out of the archive.
        member = tarfile.data_filter(member, os.fspath(spool))
        stream = archive.extractfile(member) if member.isreg() else None
        if stream is None:
            return Unusable(name, OtherKind("is a link within the archive", "a file", "what it leads to is read"))
        with stream:
            return _spooled(name, stream, budget, spool)
    except tarfile.FilterError:
        error = IronlakeError("is a device, or leads out of the archive", "a plain file", "unpack the archive first")
        return Unusable(name, error)
    except Exception as error:  # as above
        return _damaged(name, error, "a complete archive")


class _Directory(io.FileIO):
    """An archive whose directory is read only up to a bound: zipfile asks for all of it at once, and tarfile for a long head."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _LARGEST_DIRECTORY:
            raise zipfile.BadZipFile(
                f"its directory, or a head in it, has {size:,} bytes, more than {_LARGEST_DIRECTORY:,}"
            )
        return super().read(-1 if size is None else size) or b""


def _damaged(name: str, error: Exception, expected: str) -> Unusable:
    return Unusable(name, IronlakeError(f"cannot be unpacked: {_reason(error)}", expected, _NOT_WHOLE))


def _is_hidden(member: str) -> bool:
    parts = member.split("/")
    return "__MACOSX" in parts or any(p.startswith(".") and p not in (".", "..") for p in parts)


def _member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, spool: Path, budget: _Budget
) -> Found | Unusable:
    if member.flag_bits & 0x1:
        return Unusable(name, IronlakeError("is encrypted", "a member without a password", "unpack the archive first"))
    if member.compress_type not in _BOUNDED_METHODS:
        method = _METHOD_NAMES.get(member.compress_type, f"method {member.compress_type}")
        return Unusable(name, IronlakeError(f"is compressed by {method}", "deflate", "unpack the archive first"))
    try:
        with archive.open(member) as stream:
            return _spooled(name, stream, budget, spool)
    except Exception as error:  # as above
        return _damaged(name, error, "a complete archive")


def _spooled(name: str, stream: Any, budget: _Budget, spool: Path) -> Found | Unusable:
    """Copy a stream to a new file in the spool folder, block by block. Read errors are raised to the caller."""
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
    return IronlakeError(f"cannot be unpacked into {spool}: {_reason(error)}", "enough free space", "free disk space")
