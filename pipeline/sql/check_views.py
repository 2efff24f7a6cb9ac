"""What is wrong with the views and queries of a user's folder: `ironlake test` asks it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ..declaration.charges import charges
from ..declaration.finding_rules import rules
from ..errors import UsageError
from ..plugins import line_with, own_files
from .schema import plain_schema
from .session import Session
from .view_files import views
from .view_schema import meaning


def view_problems() -> Iterator[str]:
    """A line of text each. Raises UsageError for what cannot be loaded."""
    rules()
    charges()
    session = Session(lambda table: plain_schema(table).empty_table())
    for path in own_files("views", "**/*.sql"):
        view = views()[path.stem]
        if not view.grain:
            yield f"{path}:1: nothing says what a row is; expected a first line -- Grain: one row per …"
        try:
            named = session.schema(view.name).names
        except UsageError as error:
            yield _said(path, error)
            continue
        yield from (f"{path}:1: nothing says what {name} means" for name in named if not meaning(view, name).doc)
    for path in own_files("queries", "*.sql"):
        text = path.read_text("utf-8")
        try:
            session.relation(text, dict.fromkeys(session.parameters(text)))
        except UsageError as error:
            yield _said(path, error)
        if not text.startswith("--"):
            yield f"{path}:1: nothing says what the query answers; expected a first line -- TEXT"


def _said(path: Path, error: UsageError) -> str:
    """The first line of an error, at the line of the file that has what it names."""
    first = error.what.partition("\n")[0]
    named = re.search('"([^"]+)"', first)
    return f"{line_with(path, named[1] if named else 'SELECT')}: {first}"
