"""The command line run in this process."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Protocol

import pytest
from ironlake.pipeline.cli import main as cli

# How long a test waits for another process before it calls that one stuck: no measure, a busy machine may be slow.
PATIENCE_S = 600
# The program as another process, and its function alone, which lets Python take everything apart at the end.
PROGRAM = [sys.executable, "-c", "from ironlake.pipeline.cli.main import program; program()"]
MAIN = [sys.executable, "-c", "import sys; from ironlake.pipeline.cli.main import main; sys.exit(main())"]


def ended(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """A process that has ended, whatever its exit code."""
    command, environ = [*map(str, words)], os.environ | environment
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S, env=environ)


class Command(Protocol):
    """Runs a command: exit code, standard output, standard error."""

    def __call__(self, *arguments: object) -> tuple[int, str, str]: ...


def command_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ironlake", *map(str, arguments)])
        try:
            code = cli.main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run
