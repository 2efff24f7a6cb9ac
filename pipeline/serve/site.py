"""The pages of the server by their path, and what goes wrong in words."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from ...dashboards.templating import own_file
from ..errors import IronlakeError
from ..sql.known_tables import table_of
from ..sql.open_lake import OpenLake
from . import browse, made_pages, query
from .answered import answered, said
from .questions import Questions
from .requests import Answer, Gate, Refused, Request, sent


def _printed(lake: OpenLake, request: Request) -> Answer:
    # What reads reports is loaded after the address is printed: it takes a third of a second.
    from .printed import printed_page

    return printed_page(lake, request)


# Each answers a request of a lake, by the path below the server's own.
_PAGES: dict[str, Callable[[OpenLake, Request], Answer]] = {
    "": browse.overview_page,
    "rows": browse.rows_page,
    "names": query.names,
    "sql": query.sql_page,
    "file": query.file,
    "printed": _printed,
    "pages": made_pages.forms,
    "page": made_pages.lake_page,
    "compare": made_pages.comparison,
}
# Their queries are a reader's own.
_OWN_QUERIES = {"sql", "file"}
_FILES = {"page.css": "text/css", "serve.css": "text/css", "serve.js": "text/javascript"}


class Site:
    """The application that the server library calls, in many threads at once."""

    def __init__(self, questions: Questions, gate: Gate):
        self._questions, self._gate = questions, gate
        # What is slow the first time is done while somebody copies the address.
        threading.Thread(target=self._warm_up, daemon=True, name="warm-up").start()

    def _warm_up(self) -> None:
        for path, of in (("rows", table_of("classes")), ("rows", "cpu_by_class"), ("sql", ""), ("printed", "")):
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
            return said(IronlakeError("there is no such page"), "404 Not Found")
        if request.path in _OWN_QUERIES:
            return answered(lambda: self._questions.ask_apart(page, request))
        return answered(lambda: self._questions.ask(lambda lake: page(lake, request), request.is_gone))
