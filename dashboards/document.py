"""The shell of every page: one HTML file that works offline, text and tables as HTML, pictures as packed data beside plotly.js.

Everything that comes from a report is escaped where it is written; the file forbids itself all network and runs only the
two scripts whose digests it names.
"""

import base64
import datetime as dt
import gzip
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs
from plotly.utils import PlotlyJSONEncoder

from ..pipeline.errors import IronlakeError
from .charts.figures import layout_of, signed

DASH = "–"


@dataclass(frozen=True)
class Page:
    """What a page says. `title`, `heading` and `headline` are text, `cards` and `sections` are HTML; `pictures` are those that the
    sections have places for, by id; `kind` is what pages of its kind are called."""

    title: str
    heading: str
    headline: str
    cards: str
    sections: Sequence[str]
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
    above = site_header(out.template, page) if out.template else ""
    write(document(page, above), out.page)
    if out.pictures:
        from .charts.images import write_images

        write_images(page.pictures, out.pictures)


def site_header(template: Path, page: Page) -> str:
    """A site's own HTML, with the words of the page in place of $heading, $headline and $date. Raises IronlakeError where the file
    cannot be read or asks for something else."""
    words = {"heading": page.heading, "headline": page.headline, "date": f"{dt.date.today():%Y-%m-%d}"}
    try:
        return Template(template.read_text("utf-8")).substitute({name: escape(text) for name, text in words.items()})
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8"
        raise IronlakeError(f"{template} cannot be read: {reason}", "an HTML file for the top of the page") from None
    except KeyError as error:
        raise IronlakeError(f"{template}: ${error.args[0]} is not known", "$heading, $headline or $date") from None
    except ValueError as error:
        raise IronlakeError(f"{template}: {error}", "$heading, $headline or $date, and $$ for a dollar sign") from None


def document(page: Page, above: str = "") -> str:
    """The whole page as text; `above` is HTML for the top of it."""
    plotly_js, script = get_plotlyjs(), _file("page.js")
    drawn = json.dumps([_bare(f) for f in page.pictures.values()], cls=PlotlyJSONEncoder, separators=(",", ":"))
    return Template(_file("page.html")).substitute(
        policy=_content_policy(script, plotly_js),
        title=escape(page.title),
        style=_file("page.css"),
        above=above,
        kind=escape(page.kind),
        heading=escape(page.heading),
        headline=escape(page.headline),
        cards=page.cards,
        sections="\n".join(s for s in page.sections if s),
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


def _file(name: str) -> str:
    return (files("ironlake.dashboards") / "templates" / name).read_text("utf-8")


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


def tabs(panels: Sequence[tuple[str, str, str]], label: str, heading: str = "") -> str:
    """Panels (id, title, HTML) of which a browser shows one at a time, and paper all. With a `heading`, a tag as `h3`, a panel
    says its title where there are no tabs."""
    if len(panels) < 2:
        return "".join(held for _, _, held in panels)
    listed = "".join(
        f'<button type="button" role="tab" id="{i}-tab" aria-controls="{i}">{escape(title)}</button>'
        for i, title, _ in panels
    )
    shown = "".join(
        f'<div class="panel" role="tabpanel" id="{i}" aria-labelledby="{i}-tab">'
        + (f'<{heading} class="paper">{escape(title)}</{heading}>' if heading else "")
        + f"{held}</div>"
        for i, title, held in panels
    )
    return f'<div class="tabs"><div class="list" role="tablist" aria-label="{escape(label)}" hidden>{listed}</div>{shown}</div>'


def picture(drawn: Mapping[str, go.Figure], figure_id: str, heading: str = "h3") -> str:
    """A picture with its heading, its words for those who do not see it, and its data; nothing where it was not drawn."""
    figure = drawn.get(figure_id)
    if figure is None:
        return ""
    description = escape(layout_of(figure).meta["description"])
    # The title is plotly text already: its names are escaped once.
    return (
        f'<figure><{heading} id="{figure_id}-title">{layout_of(figure).title.text}</{heading}>'
        f'<div class="picture" id="{figure_id}" role="group" aria-label="{description}" '
        f'style="height:{layout_of(figure).height}px">The picture needs JavaScript; the tables hold its numbers.</div>'
        f"<figcaption><p>{description} Source: view {escape(layout_of(figure).meta['view'])}.</p>"
        f'<button type="button" id="{figure_id}-csv" aria-describedby="{figure_id}-title">Data as CSV</button>'
        "</figcaption></figure>"
    )


def facts(names: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]], caption: str) -> str:
    head = "".join(f'<th scope="col">{escape(n)}</th>' for n in names)
    body = "".join(
        f'<tr><th scope="row">{escape(what)}</th>{"".join(f"<td>{v}</td>" for v in values)}</tr>'
        for what, values in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table class="facts">'
        f"<caption>{escape(caption)}</caption><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def change_cell(old: float | None, new: float | None, write_one: Callable[[float], str], below: str = "") -> str:
    """A table cell with the absolute change, the relative one below it, then what else is to stand there (HTML); a dash where
    one side is missing. What is written as zero has no sign."""
    if old is None or new is None:
        return f"<td>{DASH}</td>"
    change = new - old
    if abs(change) <= 1e-9 * max(abs(old), abs(new)):
        change = 0.0
    written = write_one(abs(change))
    sign = "" if not set(written) & set("123456789") else "+" if change > 0 else "−"
    relative = f"{signed(change / old * 100, 1)}%" if old else "" if not new else "from 0"
    return f"<td>{sign}{written}{f'<small>{relative}</small>' if relative else ''}{below}</td>"
