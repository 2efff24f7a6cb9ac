"""Templates of pages, with autoescape on."""

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from .charts.svg import picture


@cache
def environment() -> Environment:
    found = Environment(
        loader=PackageLoader("ironlake.dashboards"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"thousands": "{:,}".format, "picture": picture}
    found.filters["first_upper"] = lambda words: words[:1].upper() + words[1:]
    return found


def render(template: str, **values: Any) -> str:
    return environment().get_template(template).render(**values)


def own_file(name: str) -> Markup:
    """The style or script of every page: part of this package, so it needs no escaping."""
    return Markup((files("ironlake.dashboards") / "templates" / name).read_text("utf-8"))
