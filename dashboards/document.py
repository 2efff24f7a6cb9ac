"""The shell of every page: one HTML file that works offline, text and tables as HTML, pictures as packed data beside plotly.js.

The file forbids itself all network and runs only the two scripts whose digests it names.
"""

import base64
import datetime as dt
import gzip
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

import plotly.graph_objects as go
from markupsafe import Markup, escape
from plotly.offline import get_plotlyjs
from plotly.utils import PlotlyJSONEncoder

from ..pipeline.errors import IronlakeError
from .templating import own_file, render


@dataclass(frozen=True)
class Page:
    """What a page says: `content` is what its template shows, `pictures` are those that it has places for, by id; `kind` is what pages
    of its kind are called."""

    title: str
    heading: str
    headline: str
    template: str
    content: Any
    pictures: Mapping[str, go.Figure]
    kind: str = "comparison"


@dataclass(frozen=True)
class Output:
    """Where a page goes: the file, the folder of its pictures as files, and the template of what stands above it."""

    page: Path
    pictures: Path | None = None
    template: Path | None = None


def publish(page: Page, out: Output) -> None:
    """Write a page, and its pictures where they are wanted. Raises IronlakeError where something cannot be written or read."""
    above = site_header(out.template, page) if out.template else Markup()
    write(document(page, above), out.page)
    if out.pictures:
        from .charts.images import write_images

        write_images(page.pictures, out.pictures)


def site_header(template: Path, page: Page) -> Markup:
    """A site's own HTML, with the words of the page in place of $heading, $headline and $date. Raises IronlakeError where the file
    cannot be read or asks for something else."""
    words = {"heading": page.heading, "headline": page.headline, "date": f"{dt.date.today():%Y-%m-%d}"}
    try:
        # The site's file is HTML; what the page says is text.
        text = template.read_text("utf-8")
        return Markup(Template(text).substitute({name: escape(said) for name, said in words.items()}))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8"
        raise IronlakeError(f"{template} cannot be read: {reason}", "an HTML file for the top of the page") from None
    except KeyError as error:
        raise IronlakeError(f"{template}: ${error.args[0]} is not known", "$heading, $headline or $date") from None
    except ValueError as error:
        raise IronlakeError(f"{template}: {error}", "$heading, $headline or $date, and $$ for a dollar sign") from None


def document(page: Page, above: Markup = Markup()) -> str:
    """The whole page as text; `above` is HTML for the top of it."""
    script = own_file("page.js")
    drawn = json.dumps([_bare(f) for f in page.pictures.values()], cls=PlotlyJSONEncoder, separators=(",", ":"))
    return render(
        page.template,
        page=page,
        content=page.content,
        above=above,
        policy=_content_policy(script, get_plotlyjs()),
        style=own_file("page.css"),
        library=_packed_library() if page.pictures else _packed(""),
        pictures=_packed(drawn),
        script=script,
    )


def write(page: str, out: Path) -> None:
    """Write a page as a whole or not at all. Raises IronlakeError where the file cannot be written."""
    partial = out.with_name(out.name + ".partial")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(page, "utf-8")
        os.replace(partial, out)
    except OSError as error:
        raise IronlakeError(f"{out} cannot be written: {error.strerror}", "a file name in a writable folder") from None


def _packed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


@cache
def _packed_library() -> str:
    return _packed(get_plotlyjs())


def _content_policy(*scripts: str) -> str:
    """No source of anything but the file itself; of scripts only these texts. plotly.js writes style sheets."""
    digests = (base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts)
    allowed = " ".join(f"'sha256-{d}'" for d in digests)
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"


def _bare(figure: go.Figure) -> dict[str, Any]:
    """A figure without its title, which stands above it as a heading."""
    out = figure.to_plotly_json()
    return out | {"layout": {k: v for k, v in out["layout"].items() if k != "title"}}
