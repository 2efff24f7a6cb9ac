"""A quick start and a quick end of the command line: what they leave out is only work that changes nothing."""

from __future__ import annotations

import atexit
import os
import re
import sys
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from ..errors import LEFT_WORKING, IronlakeError

if TYPE_CHECKING:
    import typer

_NUMBER = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,9})?")


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
    bounds = described.parameter_info.min, described.parameter_info.max
    if parameter.required and not value:
        return otherwise(context, value)
    if value is None:
        found = () if many else None
    elif many:
        kind = next(iter(get_args(described.annotation)), None)
        is_list = isinstance(value, list | tuple) and get_origin(described.annotation) is list
        found = [_plain(kind, one, bounds) for one in value] if is_list else [None]
        if None in found:
            return otherwise(context, value)
    elif (found := _plain(described.annotation, value, bounds)) is None:
        return otherwise(context, value)
    return parameter.callback(context, parameter, found) if parameter.callback else found


def _plain(annotation: Any, value: Any, bounds: tuple[float | None, float | None]) -> Any:
    """The value as its annotation says; None if that is not plain."""
    if get_origin(annotation) is Literal:
        return value if value in get_args(annotation) else None
    if annotation in (str, bool) and isinstance(value, annotation):
        return value
    if annotation in (int, float):
        printed = _NUMBER.fullmatch(value) if isinstance(value, str) else None
        if type(value) is not annotation and not (printed and (annotation is float or not printed[1])):
            return None
        number, (least, most) = annotation(value), bounds
        return number if (least is None or number >= least) and (most is None or number <= most) else None
    if annotation is Path and isinstance(value, str | Path):
        # What Typer would say of a file that cannot be read, it shall say.
        return Path(value) if os.access(value, os.R_OK) or not os.path.exists(value) else None
    return None


def end(code: int | str | None) -> None:
    """End the process with what is registered for its end, but without taking every imported module apart: of the large libraries that
    takes a second. Returns where the interpreter itself must end the process."""
    if isinstance(code, str):
        return
    others = [thread for thread in threading.enumerate() if thread is not threading.main_thread()]
    if any(thread.name == LEFT_WORKING for thread in others):
        # Libraries that still work say at their end that they lost their objects, and threads that work for them would be waited for.
        from ..temporary_folders import remove_held

        remove_held()
    elif not all(thread.daemon for thread in others):
        return
    else:
        atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream:
                stream.flush()
    except (IronlakeError, OSError, ValueError):
        return
    os._exit(code or 0)
