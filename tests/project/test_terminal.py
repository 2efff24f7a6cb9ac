"""Nothing that is not our own text steers a terminal: every command, every place where text of others comes in."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from ironlake.pipeline.cli import main as cli
from ironlake.pipeline.cli.commands import commands
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.ingest.progress import Progress
from ironlake.pipeline.status_line import StatusLine
from sample_pages import sample
from terminals import stream

C0 = "".join(map(chr, (*range(1, 10), *range(11, 32))))
C1 = "".join(map(chr, range(0x7F, 0xA0)))
BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u2028"
EVIL = f"x\x1b]0;gone\x07{C0}{C1}{BIDI}\udc9b"
# No file name has a slash; a short one, so that names of partial files beside it fit too.
EVIL_NAME = f"x\x1b[31m\r\x9b31m\x7f{BIDI[4]}{BIDI[8]}\udc9b"
STEERS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# What the status line of `check` writes, and nothing else.
OWN = "\r\x1b[K"

STUDY = f"""\
study: {json.dumps("evil " + EVIL[:-1])}
requests: {{service_class: "BAT\\u202eROD"}}
subsystems: {{"sub \\e[31m\\x9b": {{service_class: "BAT\\u202eROD"}}}}
configurations: {{"a \\e]0;x\\a": {{steps: [{{window: 2016-09-20T08:30/08:45}}]}}}}
"""
STRANGE_CLASS = STUDY.replace("BAT\\u202eROD", "B\\e[31m\\x9b")
WRONG_STUDY = 'study: A\nrequests: {"\\e[31m\\x9b\\u202e": "\\e[31m"}\n"\\e]0;\\a": 1\n'
NOT_YAML = "study: [\x1b[31m\x9b\u202e\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files of a stranger, and a lake of them."""
    folder = tmp_path_factory.mktemp("evil")
    text = sample("velocity_goal").read_text()
    changed = text.replace("SYSPLEX PLEXA", "SYSPLEX P\x9bE\x1bA").replace("CLASS=BATPROD", "CLASS=BAT\u202eROD")
    changed = changed.replace("MVSA ", "M\u2067\x7fA ").replace("EXCTD        0", "EXCTD     \x1b[3m\x9b")
    assert changed.count("\x9b") == 2
    assert "\u202e" in changed
    assert "\u2067" in changed
    reports = folder / "reports"
    reports.mkdir()
    (reports / (EVIL_NAME + ".txt")).write_text(changed)
    (folder / "page.txt").write_text(changed)
    (folder / "unknown.txt").write_text("C H A N N E L \x1b[31m  P\x9bTH   A C T I V I T Y\n" + "some line\n" * 40)
    (folder / "empty").write_text("")
    for name, content in (("study", STUDY), ("class", STRANGE_CLASS), ("wrong", WRONG_STUDY), ("yaml", NOT_YAML)):
        (folder / f"{name}.yaml").write_text(content)
    (folder / (EVIL_NAME + ".yaml")).write_text("study: 1")
    (folder / "template.html").write_text("$heading \x1b[31m $\x9b31m")
    ingest([str(reports), str(folder / "unknown.txt")], folder / "lake", Options(), jobs=1)
    return folder


def run(arguments: list[str], monkeypatch: pytest.MonkeyPatch, terminal: bool) -> tuple[int, str, str]:
    """A command in this process with a terminal, or pipes, as standard output and error."""
    monkeypatch.setattr(sys, "argv", ["ironlake", *arguments])
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "200")
    code: Any = 0
    with stream(terminal) as (out, out_bytes), stream(terminal) as (err, err_bytes):
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            # `ironlake test` sets it, for its own process.
            patch.setenv("IRONLAKE_PLUGINS", "")
            try:
                code = cli.main()
            except SystemExit as end:
                code = end.code
        out.close()
        err.close()
    return code, out_bytes().decode("utf-8", "surrogateescape"), err_bytes().decode("utf-8", "surrogateescape")


def evil_commands(place: Path) -> Iterator[list[str]]:
    lake = ["--lake", str(place / "lake")]
    out = ["--out", str(place / "out.html")]
    page, study = str(place / "page.txt"), str(place / "study.yaml")
    odd = str(place / EVIL_NAME)
    every = "SELECT * FROM rmf_workload_activity"
    # Values, and names of columns and keys.
    for form in ("table", "markdown", "json", "csv"):
        yield ["sql", every, "--format", form, *lake]
        strange = f'SELECT chr(27) || chr(155) || chr(8238) AS "{EVIL[:-1]}", [chr(7)], chr(10)'
        yield ["sql", strange, "--format", form, *lake]
        yield ["sql", f"SELECT {{'{EVIL[:-1]}': 1}} AS a", "--format", form, *lake]
        yield ["rejects", "--format", form, *lake]
        yield ["describe", EVIL, "--format", form, *lake]
    yield ["sql", f'SELECT * FROM "{EVIL[:-1]}"', *lake]
    yield ["sql", f"SELECT '{EVIL[:-1]}", *lake]
    yield ["sql", f"SELECT error('{EVIL[:-1]}')", *lake]
    yield ["sql", EVIL, *lake]
    yield ["sql", "SELECT 1", "--format", EVIL, *lake]
    # Files.
    for form in ("text", "json"):
        yield ["explain", page, "--format", form]
    yield ["explain", page, "--encoding", EVIL]
    for form in ("table", "csv"):
        yield ["check", "--format", form, *lake]
    for form in ("table", "json"):
        inputs = [str(place / "reports"), str(place / "unknown.txt"), odd]
        yield ["ingest", *inputs, "--lake", str(place / f"{form}{EVIL_NAME}"), "--format", form]
        yield ["study", "show", "--format", form, *lake]
        yield ["study", "list", "--format", form, *lake]
        yield ["study", "check", study, "--format", form, *lake]
    shared = str(place / f"shared{os.urandom(4).hex()}{EVIL_NAME}")
    yield ["anonymize", str(place / "reports"), odd, str(place / "empty"), "--out", shared]
    yield ["rejects", "--bug-report", str(place / f"report{os.urandom(4).hex()}{EVIL_NAME}"), *lake]
    yield ["catalog", "--out", odd + "/x", *lake]
    yield ["export", "--out", odd + "/x", *lake]
    yield ["publish", "--lake", odd]
    yield ["publish", *lake]
    yield ["export", "--table", EVIL, "--out", str(place / f"export{EVIL_NAME}"), *lake]
    yield ["sql", f"SELECT ${EVIL[:-1]}", "--param", f"{EVIL[:-1]}=1", "--file", odd, *lake]
    yield ["sql", "SELECT $a", "--param", f"a={EVIL[:-1]}", *lake]
    yield ["generate", EVIL, "--out", str(place / "generated")]
    yield ["generate", odd + ".yaml", "--out", str(place / "generated")]
    yield ["demo", "--out", str(place / "page.txt" / EVIL_NAME)]
    yield ["docs", EVIL]
    yield ["completion", EVIL]
    # Studies.
    yield ["study", "add", study, *lake]
    yield ["study", "init", *lake]
    for command in (["study", "check"], ["study", "add"]):
        for name in ("class", "wrong", "yaml", EVIL_NAME):
            yield [*command, str(place / f"{name}.yaml"), *lake]
    yield ["study", "show", EVIL, *lake]
    yield ["compare", study, *out, *lake]
    yield ["compare", study, "--out", odd + "/x/page.html", *lake]
    yield ["compare", study, "--template", str(place / "template.html"), *out, *lake]
    yield ["compare", study, "--template", odd, *out, *lake]
    yield ["compare", "--run", EVIL, "--run", "b=1", *out, *lake]
    run_named = ["--run", f"{EVIL[:-1]}=2016-09-20T08:30/08:45", "--run", "b=2016-09-20T08:30/08:45"]
    yield ["compare", *run_named, *out, *lake]
    # Words of the command line that no command knows.
    yield [EVIL]
    yield [f"--{EVIL}"]
    for command in all_commands():
        yield [*command, f"--{EVIL}"]
        yield [*command, EVIL, EVIL, EVIL]
        yield [*command, "--lake", odd, *out]
        yield [*command, EVIL, "--lake", odd, *out]
    yield ["status", *lake]
    # What the ledger says.
    for form in ("table", "json"):
        yield ["history", "--format", form, *lake]
        yield ["undo", "--dry-run", "--format", form, *lake]
        yield ["remove", "--before", "2100-01-01", "--dry-run", "--format", form, *lake]
    for wrong in ([EVIL], ["--report", EVIL], ["--before", EVIL]):
        yield ["remove", *wrong, "--dry-run", *lake]


def all_commands() -> list[list[str]]:
    found: list[list[str]] = []
    for name, command in typer.main.get_group(commands()).commands.items():
        parts = getattr(command, "commands", None)
        found += [[name, part] for part in parts] if parts else [[name]]
    assert len(found) == 35
    return found


@pytest.mark.parametrize(
    ("terminal", "nth"),
    [
        pytest.param(True, 12, marks=pytest.mark.sampled),
        pytest.param(True, 3, marks=pytest.mark.slow),
        pytest.param(False, 8, marks=pytest.mark.slow),
        pytest.param(False, 1, marks=pytest.mark.soak),
    ],
)
def test_no_text_of_others_steers_the_terminal(place, monkeypatch, terminal, nth):
    steered, told = [], []
    for arguments in list(evil_commands(place))[::nth]:
        code, out, err = run(arguments, monkeypatch, terminal)
        assert code in (0, 1, 2), arguments
        # CSV to a pipe is data, and has it as it is.
        shown = (out if terminal or "csv" not in arguments else "") + err.replace(OWN, "")
        if found := set(STEERS.findall(shown)):
            steered.append((arguments, found, shown[:300]))
        assert "Traceback" not in shown, arguments
        told += [a for a in arguments if a and a in (EVIL, EVIL_NAME)]
        if "json" in arguments and code == 0:
            json.loads(out)
    assert steered == []
    assert len(told) > 40 / nth


def test_what_was_escaped_is_shown(place, monkeypatch):
    """So that the sweep does not pass because nothing of it was printed."""
    lake = ["--lake", str(place / "lake")]
    query = "SELECT sysplex, service_class FROM rmf_workload_activity LIMIT 1"
    _, out, _ = run(["sql", query, "--format", "markdown", *lake], monkeypatch, True)
    assert "| P\\\\x9bE\\\\x1bA | BAT\\\\u202eROD |" in out
    _, out, _ = run(["sql", query, "--format", "csv", *lake], monkeypatch, True)
    assert out == "sysplex,service_class\nP\\x9bE\\x1bA,BAT\\u202eROD\n"
    _, out, _ = run(["sql", query, "--format", "csv", *lake], monkeypatch, False)
    assert out == "sysplex,service_class\nP\x9bE\x1bA,BAT\u202eROD\n"
    _, out, _ = run(["sql", query, "--format", "json", *lake], monkeypatch, True)
    assert '"P\\u009bE\\u001bA", "service_class": "BAT\\u202eROD"' in out
    assert json.loads(out) == [{"sysplex": "P\x9bE\x1bA", "service_class": "BAT\u202eROD"}]
    _, _, err = run(["--\x1b[31m\x9b\u202e\udcff"], monkeypatch, True)
    assert "--\\x1b[31m\\x9b\\u202e\\xff" in err


def test_an_unforeseen_error_is_escaped_too():
    """Python prints it after the command has ended."""
    code = (
        "import sys; from ironlake.pipeline.cli import main\n"
        "def run(): raise ValueError('\\x1b[31m\\x9b\\u202e')\n"
        "main._run = run; main.program()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=False, env=os.environ | {"PYTHONIOENCODING": "utf-8"}
    )
    assert b"ValueError: \\x1b[31m\\x9b\\u202e\n" in done.stderr
    assert not STEERS.search(done.stderr.decode())


def test_a_terminal_without_a_code_page_is_not_steered():
    """Typer writes its errors past a stream that says ASCII."""
    done = subprocess.run(
        [sys.executable, "-c", "from ironlake.pipeline.cli.main import program; program()", "--\x1b[31m"],
        capture_output=True, check=False, env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert done.returncode == 2
    assert b"--\\x1b[31m" in done.stderr
    assert b"\x1b" not in done.stderr


def test_our_own_control_sequences_stay(monkeypatch):
    """The status line and the progress of an ingest still write theirs, while all else is escaped."""
    monkeypatch.setenv("TERM", "xterm")
    with stream(True) as (err, written):
        monkeypatch.setattr(sys, "stderr", err)
        with cli.escaped_output():
            with StatusLine() as status:
                status.step("reading \x1b[31m")
            with Progress(True) as progress:
                progress.expect(10)
                print("\x1b]0;x", file=sys.stderr)
                progress.read(10, 1)
        err.close()
    found = written().decode()
    assert found.startswith("\r\x1b[Kreading \\x1b[31m …\r\x1b[K")
    assert "\x1b[?25l" in found
    assert "\\x1b]0;x" in found
    assert "\x1b]0;x" not in found
