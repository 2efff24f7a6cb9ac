"""The command line: runs a command; errors become messages and exit codes.

A worker process imports this module as its main one, but not the commands and Typer, which take a twentieth of a second.
"""

from __future__ import annotations

import os
import sys
from typing import Any

# Nothing here needs threads of numpy's linear algebra, which only wait, and take a tenth of the time of an ingest.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from ..errors import IronlakeError, UsageError
from ..plugins import ENVIRONMENT
from ..terminal import escape_output, escaped_output, forget_output
from .compiled_modules import cut_modules_named
from .quick import convert_plain_values, end


def main() -> int:
    """Run the command line; returns the exit code: 0 success, 1 rejects or failures, 2 usage error, 130 interrupted."""
    with escaped_output():
        return _run()


def _run() -> int:
    try:
        try:
            with cut_modules_named():
                _command()()
        finally:
            _flush_output()
    except IronlakeError as error:
        print(f"ironlake: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        return _interrupted()
    except RuntimeError as error:
        # Where DuckDB gets the interrupt while it works in the main thread.
        if str(error) != "Query interrupted":
            raise
        return _interrupted()
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"ironlake: {where}{error.strerror or error}", file=sys.stderr)
        forget_output()
        return 1
    except UnicodeEncodeError as error:
        # A path of the command line that libraries cannot take: they all want UTF-8.
        if error.reason != "surrogates not allowed":
            raise
        print(f"ironlake: {error.object} is not UTF-8; expected a name in UTF-8", file=sys.stderr)
        return 2
    except SystemExit as end:
        if end.code == 130:
            return _interrupted()
        raise
    return 0


def _command() -> Any:
    """What the words of the command line ask for. To load it takes a while, in which an interrupt may come."""
    import typer

    from .commands import commands
    from .completion import prepare_completion

    prepare_completion()
    words, folder = _without_plugins(sys.argv[1:])
    # Before anything is imported that reads the folder; workers see the environment too.
    os.environ |= {ENVIRONMENT: folder} if folder else {}
    if words[:1] == ["help"]:
        words = [*words[1:2], "--help"]
    sys.argv[1:] = _lake_last(words)
    command = typer.main.get_command(commands(*sys.argv[1:2]))
    convert_plain_values(command)
    # Typer takes the end of a file for the end of what somebody types, and says no more than "Aborted!".
    command.invoke = cut_modules_named()(command.invoke)
    return command


def _without_plugins(words: list[str]) -> tuple[list[str], str]:
    """The words of a command line without --plugins, which all commands have, and the folder that it names last; empty without.

    >>> _without_plugins(["--plugins", "ours", "sql", "FROM a"]), _without_plugins(["sql", "--plugins=ours", "--", "--plugins"])
    ((['sql', 'FROM a'], 'ours'), (['sql', '--', '--plugins'], 'ours'))
    """
    end = words.index("--") if "--" in words else len(words)
    left, folder, given = [], "", iter(words[:end])
    for word in given:
        name, equals, value = word.partition("=")
        if name != "--plugins":
            left.append(word)
        elif not (folder := value if equals else next(given, "")):
            raise UsageError("--plugins names no folder", "--plugins DIR")
    return [*left, *words[end:]], folder


def _lake_last(words: list[str]) -> list[str]:
    """The words of a command line, with a --lake before the command behind it, where commands have the option.

    >>> _lake_last(["--lake", "prod", "sql", "FROM a"]), _lake_last(["--lake=prod", "study", "check", "--", "a.yaml"])
    (['sql', 'FROM a', '--lake', 'prod'], ['study', 'check', '--lake=prod', '--', 'a.yaml'])
    """
    size = 2 if words[:1] == ["--lake"] else 1 if words and words[0].startswith("--lake=") else 0
    lake, command = words[:size], words[size:]
    if not size or not command:
        return command
    end = command.index("--") if "--" in command else len(command)
    return [*command[:end], *lake, *command[end:]]


def _flush_output() -> None:
    """Write what Python still holds for standard output. A closed pipe (`| head`) is not an error."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except BrokenPipeError:
        forget_output()
    except IronlakeError:
        forget_output()
        raise


def program() -> None:
    """The command `ironlake`: `main`, then the end of the process."""
    # To the end of the process: what Python itself says of an unforeseen error is escaped as well.
    escape_output()
    try:
        code = main()
    except SystemExit as ended:
        code = ended.code
    end(code)
    sys.exit(code)


def _interrupted() -> int:
    print("ironlake: interrupted; committed files are safe", file=sys.stderr)
    return 130


if __name__ == "__main__":
    program()
