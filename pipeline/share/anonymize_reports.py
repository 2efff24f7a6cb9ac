"""The command `ironlake anonymize`: anonymised reports to share. Its libraries are loaded when it runs.

Every file becomes plain text in UTF-8; carriage control stays in the first column. The files are numbered, because file
names may contain names of systems.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UsageError, format_error, writing_to
from ..temporary_folders import temporary_folder

if TYPE_CHECKING:
    from ..files.source import Source
    from .anonymize import Anonymizer

_CHUNK_BYTES = 1 << 20


def anonymize(
    paths: Annotated[
        list[str], typer.Argument(metavar="REPORTS...", help="Files, archives and folders; - is standard input.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the anonymised files.")],
    encoding: Annotated[str, typer.Option(help="Character encoding; detected by default.")] = "auto",
) -> None:
    """Write anonymised copies of reports, to share with others.

    Every word that is not part of a known report (names of systems, classes, jobs, structures) is replaced by a random word of
    the same length, the same one in all files; so is a word of a report where a name is read (a service class called BATCH).
    Numbers and columns do not change. Review the pages before you send them.

    \b
    Example:
      ironlake anonymize reports/ --out to_share
    """
    from ..declaration.reading_options import Options
    from ..files.source import SkippedFile, open_sources
    from .anonymize import Anonymizer

    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file", "a folder")
    if out.exists() and any(out.iterdir()):
        raise UsageError(f"{out} is not empty", "a new or an empty folder")
    anonymizer, failed, written = Anonymizer(), False, 0
    with temporary_folder() as spool:
        for source in open_sources(paths, Options(encoding=encoding.lower()), spool):
            if isinstance(source, SkippedFile):
                failed |= source.status == "failed"
                print(format_error(f"{source.source_file}: {source.what}", source.expected), file=sys.stderr)
                continue
            written += 1
            with writing_to(out):
                out.mkdir(parents=True, exist_ok=True)
            target = out / f"report_{written:03d}.txt"
            lines = _write(target, _lines(source, anonymizer))
            source.close()
            print(f"{source.source_file}: {target}, {lines} lines")
    if failed or not written:
        raise typer.Exit(1)
    print("review the pages before you send them", file=sys.stderr)


def _write(target: Path, lines: Iterator[str]) -> int:
    """Write the lines, and return how many they are."""
    written = 0
    with writing_to(target):
        stream = target.open("w", encoding="utf-8", newline="\n")
    # The lines are read meanwhile: what cannot be read is no error of this file.
    for line in lines:
        with writing_to(target):
            stream.write(line)
        written += 1
    with writing_to(target):
        stream.close()
    return written


def _lines(source: Source, anonymizer: Anonymizer) -> Iterator[str]:
    """The lines of a source, anonymised."""
    start = 0
    while start < source.size:
        chunk = source.read(start, _CHUNK_BYTES)
        lines = anonymizer.pages(chunk.text.decode("utf-8"), chunk.control).split("\n")[:-1]
        control = chunk.control.decode("ascii") or [""] * len(lines)
        yield from (f"{before}{line}\n" for before, line in zip(control, lines, strict=True))
        start = chunk.end
