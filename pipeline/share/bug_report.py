"""A report of rejects for the developers: causes and their pages, anonymised."""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ...parsers._unread_reports import WORDS
from ..declaration.reading_options import READER_VERSION, Options
from ..files.other_kinds import BUG_REPORT_TITLE
from ..files.source import Source, open_sources
from ..lake.ledger import SourceEntry
from ..quality.reject_groups import format_account
from ..reading.pages import split
from ..sql.open_lake import OpenLake
from ..temporary_folders import temporary_folder
from ..terminal import printable
from .anonymize import Anonymizer

_MOST_CAUSES = 20
_MOST_LINES = 200
_CHUNK_BYTES = 4 << 20
_WORD = re.compile(r"[\w@#$]+")

_HEAD = """{title}

Ironlake {version}, reader {reader}. Names are replaced by random words of the same length; numbers and columns are as printed.
**Review it before you send it.**

{account}
"""


def bug_report(lake: OpenLake, causes: pa.Table) -> str:
    """The first causes as Markdown, each with the page of its example; with the line alone if the file is missing or changed."""
    anonymizer = Anonymizer()
    entries = {e.source_id: e for e in lake.state.sources.values()}
    number = {source_id: k for k, source_id in enumerate(entries, 1)}
    account = "\n".join(format_account(lake))
    out = [_HEAD.format(title=BUG_REPORT_TITLE, version=version("ironlake"), reader=READER_VERSION, account=account)]
    rows = [row for row in causes.to_pylist() if row["kind"] != "unread_section"]
    pages = [_page(entries[row["source_id"]], row["line"]) for row in rows[:_MOST_CAUSES]]
    for row, page in zip(rows, pages, strict=False):
        anonymizer.avoid("\n".join([*page, *(row[k] or "" for k in ("text", "what", "cause"))]))
    for row, page in zip(rows, pages, strict=False):
        entry = entries[row["source_id"]]
        printed = page or [row["text"] or row["what"]]
        known = WORDS if row["report"] is None else None
        without_names = anonymizer.pages("\n".join(page)).split("\n")
        name, *said = (
            _anonymized(row[k] or "", printed, anonymizer, known) for k in ("cause", "what", "expected", "hint")
        )
        out.append(f"## {name}\n")
        out.append(f"{row['times']:,} times on {row['lines']:,} lines of {row['sources']:,} files\n")
        names = ("what", "expected", "hint")
        out += [f"- {label}: {text}" for label, text in zip(names, said, strict=True) if text]
        out.append(f"- example: file {number[row['source_id']]} ({entry.encoding}; {entry.form}), {_place(row)}\n")
        if row["text"]:
            out += _block([anonymizer.text(row["text"]), row["caret"]])
        if page:
            out += ["its page:\n", *_block(without_names)]
    if len(rows) > _MOST_CAUSES:
        out.append(f"{len(rows) - _MOST_CAUSES} more causes are not shown.\n")
    return "\n".join(out)


def _place(row: dict[str, Any]) -> str:
    column = f", column {row['column']}" if row["column"] else ""
    return f"page {row['page']}, line {row['line']}{column}"


def _block(lines: list[str]) -> list[str]:
    fence = "`" * (1 + max((len(run) for line in lines for run in re.findall("`+", line)), default=2))
    return [fence, *map(printable, lines), fence + "\n"]


def _anonymized(message: str, printed: list[str], anonymizer: Anonymizer, known: frozenset[str] | None) -> str:
    """A message, anonymised: words that occur on the page, and all words not in lower case. Words in `known` stay."""
    names = {word for line in printed for word in _WORD.findall(line)}
    return _WORD.sub(
        lambda m: anonymizer.text(m[0], known) if m[0] in names or m[0] != m[0].lower() else m[0], printable(message)
    )


def _page(entry: SourceEntry, line: int) -> list[str]:
    """The lines of the page around a line of a source, at most _MOST_LINES; none if the file is missing, changed or in an archive."""
    if not Path(entry.source_file).is_file():
        return []
    with temporary_folder() as spool:
        for source in open_sources([entry.source_file], Options(encoding=entry.encoding), spool):
            if isinstance(source, Source):
                try:
                    if source.sha256 == entry.sha256:
                        return _page_of(source, line)
                finally:
                    source.close()
    return []


def _page_of(source: Source, line: int) -> list[str]:
    start, first = 0, 1
    while start < source.size:
        chunk = source.read(start, _CHUNK_BYTES)
        found = split(chunk.text, chunk.control)
        at = line - first
        file_lines = len(found.lines)
        if chunk.line_numbers is not None:
            # The last of the lines that are on this one, or the next.
            file_lines = chunk.file_lines
            at = (
                max(int(np.searchsorted(chunk.line_numbers, at, "right")) - 1, 0)
                if at <= file_lines
                else len(found.lines)
            )
        if at < len(found.lines):
            begin = max((int(s) for s in found.page_starts if s <= at), default=0)
            end = min((int(s) for s in found.page_starts if s > at), default=len(found.lines))
            begin = max(begin, at - _MOST_LINES // 2)
            return found.lines.slice(begin, min(end - begin, _MOST_LINES)).to_list()
        start, first = chunk.end, first + file_lines
    return []
