"""The frame of every page: one offline HTML file with text and tables as HTML, charts as compressed data, and plotly.js.

Its content security policy forbids all network access and allows only our own scripts, by digest.
"""

import base64
import datetime as dt
import gzip
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from string import Template
from typing import Any

import plotly.graph_objects as go
from markupsafe import Markup, escape
from plotly.offline import get_plotlyjs
from plotly.utils import PlotlyJSONEncoder

from ..pipeline.errors import IronlakeError, without_extra
from .page_file import Output, require_own, write
from .templating import own_file, render

# Of every kind of page, in the order in which they run.
_SCRIPTS = ("page_tabs.js", "page_legends.js", "page_numbers.js", "page_copy.js", "page.js")


@dataclass(frozen=True)
class Page:
    """A page: `content` is the data of its template, `pictures` its charts by id, `kind` the word after "Ironlake" at the top, `eyebrow` the
    line above the heading, `lede`: the headline stands below it (else only a site's own template shows it)."""

    title: str
    heading: str
    headline: str
    template: str
    content: Any
    pictures: Mapping[str, go.Figure]
    kind: str = "comparison"
    # Files of templates/ that this kind of page has beside those of every page; its scripts run first.
    styles: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    eyebrow: str = ""
    lede: bool = True


def publish(page: Page, out: Output) -> None:
    """Write a page, and its charts if asked for. Raises IronlakeError if a file cannot be written or read, and UsageError if one is there
    that Ironlake did not write."""
    require_own(out)
    above = site_header(out.template, page) if out.template else Markup()
    if out.pictures:
        require_kaleido()
    text = document(page, above, command=out.command, lake=out.lake)
    write(text, out.page)
    out.written(text)
    if out.pictures:
        from .charts.image_files import write_images

        write_images(page.pictures, out.pictures, out.force)


def require_kaleido() -> None:
    """Raise UsageError where the library is not installed that draws chart files."""
    try:
        import kaleido  # noqa: F401
    except ModuleNotFoundError:
        raise without_extra("--png", "kaleido", "png") from None


def site_header(template: Path, page: Page) -> Markup:
    """A site's own HTML with $heading, $headline and $date filled in. Raises IronlakeError if the file cannot be read or names
    another variable."""
    words = {"heading": page.heading, "headline": page.headline, "date": f"{dt.date.today():%Y-%m-%d}"}
    try:
        # The site's file is HTML; our words are text.
        text = template.read_text("utf-8")
        return Markup(Template(text).substitute({name: escape(word) for name, word in words.items()}))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise IronlakeError(f"{template} cannot be read: {reason}", "an HTML file for the top of the page") from None
    except KeyError as error:
        raise IronlakeError(f"{template}: unknown variable ${error.args[0]}", "$heading, $headline or $date") from None
    except ValueError as error:
        raise IronlakeError(f"{template}: {error}", "$heading, $headline or $date, and $$ for a dollar sign") from None


def made(lake: str = "") -> str:
    """When, by which version and of which lake the page is."""
    of = f", lake {lake}" if lake else ""
    return f"Made {dt.date.today():%Y-%m-%d} by Ironlake {version('ironlake')} from printed reports{of}."


def document(page: Page, above: Markup = Markup(), *, command: str = "", lake: str = "") -> str:
    """The whole page as text; `above` is HTML for its top."""
    scripts = [own_file(name) for name in (*page.scripts, *_SCRIPTS)]
    drawn = json.dumps([_bare(f) for f in page.pictures.values()], cls=PlotlyJSONEncoder, separators=(",", ":"))
    return render(
        page.template,
        page=page,
        content=page.content,
        above=above,
        command=command,
        made=made(lake),
        policy=_content_policy(*scripts, *([get_plotlyjs()] if page.pictures else [])),
        style=Markup("\n").join(own_file(name) for name in ("page.css", *page.styles)),
        library=_packed_library() if page.pictures else packed(""),
        pictures=packed(drawn),
        scripts=scripts,
    )


def packed(text: str, level: int = 9) -> str:
    """Text as page.js unpacks it."""
    return base64.b64encode(gzip.compress(text.encode(), level, mtime=0)).decode()


@cache
def _packed_library() -> str:
    return packed(get_plotlyjs())


def _content_policy(*scripts: str) -> str:
    """A content security policy that allows only these scripts, and inline styles, which plotly.js writes."""
    digests = (base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts)
    allowed = " ".join(f"'sha256-{d}'" for d in digests)
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"


def _bare(figure: go.Figure) -> dict[str, Any]:
    """A figure without its title, which the page shows as a heading."""
    out = figure.to_plotly_json()
    return out | {"layout": {k: v for k, v in out["layout"].items() if k != "title"}}
