"""What goes wrong with a question, as a page that says so."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable

from ...dashboards.templating import render
from ..errors import IronlakeError, UsageError
from .requests import HTML, Answer


def answered(make: Callable[[], Answer]) -> Answer:
    """What `make` makes, or why it makes nothing."""
    try:
        return make()
    except IronlakeError as error:
        return said(error, "400 Bad Request" if isinstance(error, UsageError) else "503 Service Unavailable")
    except MemoryError:
        return said(IronlakeError("the answer takes more memory than one may"), "503 Service Unavailable")
    except Exception as error:
        # The others go on. What it was is for the terminal: a page may show it to somebody who looks on.
        traceback.print_exc(file=sys.stderr)
        return said(IronlakeError(f"internal error: {type(error).__name__}"), "500 Internal Server Error")


def said(error: IronlakeError, status: str) -> Answer:
    page = render("serve_error.html", title="Not answered", here="", error=str(error))
    return Answer(page.encode("utf-8", "backslashreplace"), HTML, status)
