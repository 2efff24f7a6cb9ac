"""A quick start and a quick end of the command line: what they leave out is only work that changes nothing."""

from __future__ import annotations

import atexit
import gc
import os
import re
import sys
import threading
from collections.abc import Sequence
from copy import copy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from ..errors import LEFT_WORKING, IronlakeError

if TYPE_CHECKING:
    import typer

_DIGITS = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,15})?")


def only_asked_for(app: typer.Typer, arguments: Sequence[str]) -> typer.Typer:
    """The app without the commands that are not asked for, or the whole one: to build them all takes a hundredth of a second."""
    asked = [c for c in app.registered_commands if c.callback and [c.callback.__name__] == [*arguments[:1]]]
    if asked:
        app = copy(app)
        app.registered_commands, app.registered_groups = asked, []
    return app


def convert_plain_values(command: Any) -> None:
    """Values that need no conversion or only a plain one are not given to Typer's own, which would load pydantic for it: a third of
    the time that a question takes. All others, and every error, stay Typer's."""
    for below in getattr(command, "commands", {}).values():
        convert_plain_values(below)
    command.get_params = partial(_parameters, command.get_params)


def _parameters(given: Any, context: typer.Context) -> list[Any]:
    """The parameters of a command, that for help included."""
    parameters = given(context)
    for parameter in parameters:
        # Older releases of Typer convert without pydantic, and have no descriptor.
        described = getattr(parameter, "type_descriptor", None)
        if described and not isinstance(parameter.process_value, partial):
            parameter.process_value = partial(_processed, parameter, described, parameter.process_value)
    return parameters


def _processed(parameter: Any, described: Any, otherwise: Any, context: typer.Context, value: Any) -> Any:
    many = parameter.multiple or parameter.nargs == -1
    if parameter.required and not value:
        return otherwise(context, value)
    if value is None:
        found = () if many else None
    elif many:
        kind = next(iter(get_args(described.annotation)), None)
        is_list = isinstance(value, list | tuple) and get_origin(described.annotation) is list
        found = [_plain(kind, one) for one in value] if is_list else [None]
        if None in found:
            return otherwise(context, value)
    elif described.annotation in (int, float):
        found = _number(described.annotation, value, described.parameter_info)
        if found is None:
            return otherwise(context, value)
    elif (found := _plain(described.annotation, value)) is None:
        return otherwise(context, value)
    return parameter.callback(context, parameter, found) if parameter.callback else found


def _plain(annotation: Any, value: Any) -> Any:
    """The value as its annotation says; None if that is not plain."""
    if get_origin(annotation) is Literal:
        return value if value in get_args(annotation) else None
    if annotation in (str, bool) and isinstance(value, annotation):
        return value
    if annotation is Path and isinstance(value, str | Path):
        # What Typer would say of a file that cannot be read, it shall say.
        return Path(value) if os.access(value, os.R_OK) or not os.path.exists(value) else None
    return None


def _number(kind: type[int] | type[float], value: Any, bounds: Any) -> int | float | None:
    """A number within its bounds, as digits or as a default; None for any other value."""
    if isinstance(value, str) and _DIGITS.fullmatch(value) and (kind is float or value.isdigit()):
        value = kind(value)
    if type(value) is not kind:
        return None
    number = kind(value)
    is_within = (bounds.min is None or number >= bounds.min) and (bounds.max is None or number <= bounds.max)
    return number if is_within else None


def collect_rarely() -> None:
    """Let Python look for cyclic garbage less often: a command imports large libraries, which make many objects that stay, and it
    ends soon."""
    gc.set_threshold(100_000, 20, 50)


def end(code: int | str | None) -> None:
    """End the process with what is registered for its end, but without taking every imported module apart: of the large libraries that
    takes a second. Returns where the interpreter itself must end the process."""
    if isinstance(code, str) or any(not t.daemon for t in threading.enumerate() if t is not threading.main_thread()):
        return
    # Libraries that still work say in theirs that they lost their objects.
    if not any(t.name == LEFT_WORKING for t in threading.enumerate()):
        atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream:
                stream.flush()
    except (IronlakeError, OSError, ValueError):
        return
    os._exit(code or 0)
