"""The documentation, which every installation has."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UsageError
from .common import print_text
from .completion import beginning

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def _pages(incomplete: str) -> list[str]:
    return beginning(incomplete, titles())


def docs(
    page: Annotated[str | None, typer.Argument(metavar="[PAGE]", help="Name of a page.", autocompletion=_pages)] = None,
) -> None:
    """Show a page of the documentation, or which pages there are.

    \b
    Example:
      ironlake docs studies | less
    """
    found = titles()
    if page is None:
        width = max(map(len, found))
        print_text("\n".join(f"{name:{width}}  {title}" for name, title in found.items()))
        return
    name = page.removeprefix("docs/").removesuffix(".md").lower()
    if name not in found:
        import difflib

        near = difflib.get_close_matches(name, found, n=3, cutoff=0.5)
        hint = f"near names: {', '.join(near)}; ironlake docs lists all" if near else ""
        raise UsageError(f"no page is called {page}", "" if near else ", ".join(found), hint)
    print_text(_text(name).rstrip("\n"))


@cache
def titles() -> dict[str, str]:
    """The pages by name, with their headings."""
    names = sorted(entry.name.removesuffix(".md") for entry in _folder().iterdir() if entry.name.endswith(".md"))
    return {name: _heading(_text(name)) for name in names}


def _folder() -> Traversable:
    from importlib import resources

    return resources.files("ironlake") / "docs"


def _text(name: str) -> str:
    return (_folder() / f"{name}.md").read_text("utf-8")


def _heading(text: str) -> str:
    return next((line[2:] for line in text.splitlines() if line.startswith("# ")), "")
