"""A query of the reader's own: its answer, a chart of it, and the answer as a file."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast, get_args
from urllib.parse import urlencode

import pyarrow as pa

from ...dashboards.charts.answer_chart import answer_chart
from ...dashboards.charts.svg import picture
from ..errors import IronlakeError, UsageError
from ..output.formats import Format
from ..output.write import write
from ..sql.describe import described_answer
from ..sql.open_lake import OpenLake
from .browse import columns, html
from .requests import Answer, Request
from .shown_rows import first_rows, require_small, shown_rows

_ROWS_SHOWN, _ROWS_DRAWN = 200, 5_000
_MOST_FILE_BYTES = 2 << 30
_ROWS_AT_ONCE, _MOST_BATCH_BYTES = 4_096, 128 << 20
_KINDS: dict[str, tuple[str, str]] = {
    "table": ("text/plain; charset=utf-8", "txt"),
    "json": ("application/json", "json"),
    "csv": ("text/csv; charset=utf-8", "csv"),
    "markdown": ("text/markdown; charset=utf-8", "md"),
    "parquet": ("application/vnd.apache.parquet", "parquet"),
    "xlsx": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
}


def names(lake: OpenLake, request: Request) -> Answer:
    """For completion: all tables and views, or the columns of one."""
    of = request.one("of")
    found = [each["column"] for each in columns(of)] if of else [*lake.tables, *lake.views]
    return Answer(json.dumps(found).encode(), "application/json")


def sql_page(lake: OpenLake, request: Request) -> Answer:
    text = request.one("q")
    content: dict[str, Any] = {"title": "SQL", "here": "sql", "query": text, "error": None, "answered": False}
    if not text:
        return html("serve_sql.html", **content)
    try:
        answer = lake.sql(text).written("json", _ROWS_AT_ONCE)
        found, more = first_rows(answer, _ROWS_DRAWN)
        if not text.lstrip().lower().startswith(("describe", "summarize", "explain")):
            answer = described_answer(lake, text, answer)
    except UsageError as error:
        return html("serve_sql.html", **content | {"error": with_caret(text, str(error))})
    chart = answer_chart(answer.schema, found)
    links = [(name, f"file?{urlencode({'q': text, 'format': name})}") for name in get_args(Format)]
    content |= {
        "answered": True, "links": links, "chart": chart, "drawn": picture(chart) if chart else "",
        "known": _heads(answer.schema), "rows": shown_rows(answer.schema, found[:_ROWS_SHOWN]), "count": len(found),
        "shown": min(len(found), _ROWS_SHOWN), "more": more,
    }  # fmt: skip
    return html("serve_sql.html", **content)


def with_caret(text: str, error: str) -> tuple[str, str]:
    """An error, and the line of the query that it is about with a caret: as DuckDB has it, or of the name where it says no more.

    >>> with_caret("SELECT\\n  a, foo(1)", "Scalar Function with name foo does not exist!")[1].splitlines()
    ['LINE 2:   a, foo(1)', '             ^']
    """
    what, _, line = error.partition("\n\nLINE ")
    if line:
        return what, f"LINE {line}"
    named = re.search(r'(?:column|table) "(.+?)" not found|[Nn]ame "?(.+?)"? does not exist', error)
    found = named and re.search(rf"(?i)(?<!\w){re.escape(named[1] or named[2])}(?!\w)", text)
    if not found:
        return error, ""
    before = text[: found.start()].split("\n")
    line = text.split("\n")[len(before) - 1]
    begin = f"LINE {len(before)}: "
    return error, f"{begin}{line}\n{' ' * (len(begin) + len(before[-1]))}^"


def _heads(schema: pa.Schema) -> list[dict[str, str]]:
    said = [(field.metadata or {}) for field in schema]
    return [
        {"column": name, **{key: of.get(key.encode(), b"").decode() for key in ("unit", "description")}}
        for name, of in zip(schema.names, said, strict=True)
    ]


class _Bounded:
    """A file that no answer fills the disk with."""

    def __init__(self, file: IO[bytes]):
        self._file, self._left = file, _MOST_FILE_BYTES

    def write(self, data: bytes) -> int:
        self._left -= len(data)
        if self._left < 0:
            raise IronlakeError(
                f"the answer is larger than {_MOST_FILE_BYTES >> 30} GB", hint="ironlake sql writes any"
            )
        return self._file.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def file(lake: OpenLake, request: Request) -> Answer:
    """The answer as `ironlake sql --format` writes it. It is written whole before it is sent: an error is a sentence, not half a file.

    Who gets the answer removes the file."""
    text, output_format = request.one("q"), cast(Format, request.one("format"))
    if output_format not in get_args(Format):
        raise UsageError(f"no format is called {output_format[:40]}", ", ".join(get_args(Format)))
    answer = lake.sql(text).written(output_format, _ROWS_AT_ONCE)
    if output_format == "xlsx":
        answer = described_answer(lake, text, answer)
    kind, ending = _KINDS[output_format]
    descriptor, name = tempfile.mkstemp()
    out = Path(name)
    try:
        with open(descriptor, "wb") as written:
            write(_in_small(answer), output_format, cast(Any, _Bounded(written)), "the file")
    except BaseException:
        out.unlink()
        raise
    return Answer(out, kind, headers=(("Content-Disposition", f'attachment; filename="answer.{ending}"'),))


def _in_small(answer: pa.RecordBatchReader) -> pa.RecordBatchReader:
    def batches() -> Iterator[pa.RecordBatch]:
        for batch in answer:
            require_small(batch, _MOST_BATCH_BYTES)
            yield batch

    return pa.RecordBatchReader.from_batches(answer.schema, batches())
