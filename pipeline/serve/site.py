"""The pages of the server by their path, and what goes wrong in words."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from ...dashboards.templating import own_file, render
from ..errors import IronlakeError, UsageError
from ..sql.known_tables import table_of
from ..sql.open_lake import OpenLake
from . import browse, made_pages, printed, query
from .questions import Questions
from .requests import HTML, Answer, Gate, Refused, Request, sent

# Each answers a request of a lake, by the path below the server's own.
_PAGES: dict[str, Callable[[OpenLake, Request], Answer]] = {
    "": browse.overview_page,
    "rows": browse.rows_page,
    "names": query.names,
    "sql": query.sql_page,
    "file": query.file,
    "printed": printed.printed_page,
    "pages": made_pages.forms,
    "page": made_pages.lake_page,
    "compare": made_pages.comparison,
}
_FILES = {"page.css": "text/css", "serve.css": "text/css", "serve.js": "text/javascript"}


class Site:
    """The application that the server library calls, in many threads at once."""

    def __init__(self, questions: Questions, gate: Gate):
        self._questions, self._gate = questions, gate
        # What is slow the first time is done while somebody copies the address.
        threading.Thread(target=self._warm_up, daemon=True, name="warm-up").start()

    def _warm_up(self) -> None:
        for path, of in (("rows", table_of("classes")), ("rows", "cpu_by_class"), ("sql", "")):
            with suppress(Exception):
                self._answer(Request(path, {"of": [of], "q": ["SELECT 1 AS one"]}))

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        try:
            entered = self._gate.enter(environ)
            answer = self._answer(entered) if isinstance(entered, Request) else entered
        except Refused as refused:
            plain = f"{refused.why}\n".encode()
            allowed = (("Allow", "GET, POST"),) if refused.status.startswith("405") else ()
            answer = Answer(plain, "text/plain; charset=utf-8", refused.status, allowed)
        return sent(answer, environ, start)

    def _answer(self, request: Request) -> Answer:
        if kind := _FILES.get(request.path):
            return Answer(own_file(request.path).encode(), f"{kind}; charset=utf-8")
        if not (page := _PAGES.get(request.path)):
            return _said(IronlakeError("there is no such page"), "404 Not Found")
        try:
            return self._questions.ask(lambda lake: page(lake, request), request.is_gone)
        except IronlakeError as error:
            return _said(error, "400 Bad Request" if isinstance(error, UsageError) else "503 Service Unavailable")
        except Exception as error:
            # The others go on. What it was is for the terminal: a page may show it to somebody who looks on.
            traceback.print_exc(file=sys.stderr)
            return _said(IronlakeError(f"internal error: {type(error).__name__}"), "500 Internal Server Error")


def _said(error: IronlakeError, status: str) -> Answer:
    page = render("serve_error.html", title="Not answered", here="", error=str(error))
    return Answer(page.encode("utf-8", "backslashreplace"), HTML, status)
