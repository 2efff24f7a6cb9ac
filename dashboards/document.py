"""The frame of every page: one offline HTML file with text and tables as HTML and charts as SVG. It also has the charts
as compressed data, with plotly.js, which takes a chart over when a reader asks for it.

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
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from markupsafe import Markup, escape

from ..pipeline.errors import IronlakeError
from .charts.chart import Chart, data
from .page_file import Output, require_own, write
from .templating import own_file, render

# Scripts of every kind of page, in the order in which they run.
_SCRIPTS = ("page_tabs.js", "page_numbers.js", "page_copy.js", "page_zoom.js", "page.js")


@dataclass(frozen=True)
class Page:
    """A page: `content` is the data of its template, `pictures` its charts by id, `kind` the word after "Ironlake" at
    the top, `kicker` the line above the heading. `lede`: the headline is below the heading; otherwise only a site's own
    template shows the headline."""

    title: str
    heading: str
    headline: str
    template: str
    content: Any
    pictures: Mapping[str, Chart]
    kind: str = "comparison"
    # Extra files of templates/ for this kind of page; its scripts run first.
    styles: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    kicker: str = ""
    lede: bool = True


def publish(page: Page, out: Output) -> None:
    """Write a page, and its charts and PDF if asked for. Raises IronlakeError if a file cannot be written or read, and
    UsageError for an existing file that Ironlake did not write."""
    require_own(out)
    above = site_header(out.template, page) if out.template else Markup()
    text = document(page, above, command=out.command, lake=out.lake, is_static=out.is_static)
    write(text, out.page)
    out.written(text)
    if out.pictures:
        from .charts.image_files import write_images

        write_images(page.pictures, out.pictures, out.force)
    if out.pdf:
        from .charts.image_files import write_pdf

        write_pdf(text, out.pdf, out.force)


def site_header(template: Path, page: Page) -> Markup:
    """A site's own HTML with $heading, $headline and $date filled in. Raises IronlakeError if the file cannot be read
    or names another variable."""
    words = {"heading": page.heading, "headline": page.headline, "date": f"{dt.date.today():%Y-%m-%d}"}
    try:
        # The site's file is HTML; the words filled in are text.
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
    """The time, version and lake of the page, in words."""
    of = f", lake {lake}" if lake else ""
    return f"Made {dt.date.today():%Y-%m-%d} by Ironlake {version('ironlake')} from printed reports{of}."


def document(
    page: Page, above: Markup = Markup(), *, command: str = "", lake: str = "", is_static: bool = False
) -> str:
    """The whole page as text; `above` is HTML for its top. `is_static`: without plotly.js."""
    scripts = [own_file(name) for name in (*page.scripts, *_SCRIPTS)]
    charts = json.dumps([data(chart) for chart in page.pictures.values()], ensure_ascii=False, separators=(",", ":"))
    library = plotly_js() if page.pictures and not is_static else ""
    return render(
        page.template,
        page=page,
        content=page.content,
        above=above,
        command=command,
        made=made(lake),
        policy=_content_policy(*scripts, *([library] if library else [])),
        style=Markup("\n").join(own_file(name) for name in ("page.css", *page.styles)),
        library=_packed_library() if library else "",
        charts=packed(charts) if page.pictures else "",
        scripts=scripts,
    )


def packed(text: str, level: int = 9) -> str:
    """Text in the form that page.js unpacks: base 85, a fifteenth shorter than base 64, without characters that HTML
    would read as markup."""
    return base64.b85encode(gzip.compress(text.encode(), level, mtime=0)).decode().translate(_NO_MARKUP)


_NO_MARKUP = str.maketrans("&<>", "[],")


def plotly_js() -> str:
    """The text of plotly.js as installed."""
    return (files("plotly") / "package_data" / "plotly.min.js").read_text("utf-8")


@cache
def _packed_library() -> str:
    return packed(plotly_js())


def _content_policy(*scripts: str) -> str:
    """A content security policy that allows only these scripts, and inline styles, which plotly.js writes."""
    digests = (base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts)
    allowed = " ".join(f"'sha256-{d}'" for d in digests)
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"
