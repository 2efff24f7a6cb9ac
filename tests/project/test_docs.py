"""The documentation says what is so: generated pages are up to date, shown commands print what is shown."""

from __future__ import annotations

import ast
import configparser
import doctest
import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from command_line import Command, ended
from ironlake.pipeline.cli.commands import commands
from ironlake.pipeline.declaration.report import reports
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.view_files import views
from sample_pages import ROOT, sample

README = (ROOT / "README.md").read_text()
PAGES = sorted((ROOT / "docs").glob("*.md"))
MOST_README_LINES = 180


def tracked() -> Iterator[tuple[str, str]]:
    """Name and text of every text file that is kept in git; what git does not know yet counts too, if it would be kept."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout.decode()
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        if path.is_file() and b"\0" not in (data := path.read_bytes()):
            yield name, data.decode("utf-8", "replace")


@pytest.mark.slow
def test_an_outdated_page_is_found(tmp_path: Path):
    copy = tmp_path / "docs"
    shutil.copytree(ROOT / "docs", copy, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in ("sample_reports", "grammars", "parsers", "pipeline", "models", "dashboards"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    console = "| report | sure | tables |\n|---|---|---|\n\n```console\n$ ironlake --version\nironlake 0.0.0\n```\n"
    (tmp_path / "README.md").write_text(console)
    (copy / "columns.md").write_text((copy / "columns.md").read_text().replace("### jmh_result", "### jmh_rezult"))
    pages = ["docs/columns.md", "docs/benchmarks.md", "README.md"]
    command = [sys.executable, str(copy / "generate.py"), "--check", *pages]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == 1, answer.stdout + answer.stderr
    assert re.findall(r"^(\S+) is out of date", answer.stdout, re.MULTILINE) == ["docs/columns.md", "README.md"]
    assert "-ironlake 0.0.0" in answer.stdout


def test_readme_is_short_begins_with_the_two_commands_and_leads_to_every_page():
    lines = README.splitlines()
    assert len(lines) <= MOST_README_LINES
    top = "\n".join(lines[:12])
    assert top.index("make demo") < top.index("make test")
    assert [p.name for p in PAGES if f"(docs/{p.name})" not in README] == []


def generated(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import generate

    return generate


def test_readme_names_every_report_and_table(monkeypatch: pytest.MonkeyPatch):
    assert generated(monkeypatch).with_report_table(README) == README, "make docs writes the table of reports anew"
    for report in reports().values():
        assert len(report.summary) > 10
        tables_of = ", ".join(f"`{table.name}`" for table in report.tables)
        (line,) = [line for line in README.splitlines() if line.endswith(f" | {tables_of} |")]
        what, how_sure = line.split(" | ")[:2]
        said = "field knowledge" in report.summary
        assert (how_sure != "compared", "field knowledge" in what) == (said, False)
        # The details are no less said than before.
        assert report.summary in (ROOT / "docs" / "columns.md").read_text()


def test_a_table_of_reports_that_is_outdated_or_not_there_is_found(monkeypatch: pytest.MonkeyPatch):
    with_report_table = generated(monkeypatch).with_report_table
    (row,) = [line for line in README.splitlines(keepends=True) if "`jmh_result`" in line]
    assert with_report_table(README.replace(row, "| Spool | `old` |\n")) == README
    with pytest.raises(SystemExit, match="0 tables"):
        with_report_table(README.replace("| report | sure |", "| sure |"))


def test_every_table_and_column_is_documented():
    page = (ROOT / "docs" / "columns.md").read_text()
    for name, table in tables().items():
        (section,) = re.findall(rf"^### {name}\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
        documented = re.findall(r"^\| `(\w+)` \| [^|]+ \| [^|]*\| (?:yes|no) \| [^|]{2,}\|", section, re.MULTILINE)
        assert documented == [c.name for c in table.all_columns]
    assert [name for name in reports() if f"## Report {name}\n" not in page] == []


def test_every_view_and_its_columns_are_documented():
    page = (ROOT / "docs" / "views.md").read_text()
    assert re.findall(r"^## (\w+)$", page, re.MULTILINE) == sorted(views())
    rows = re.findall(r"^\| `\w+` \|.*$", page, re.MULTILINE)
    assert len(rows) > 100
    assert [row for row in rows if row.endswith("|  |")] == []


def test_every_command_and_option_is_documented():
    page = (ROOT / "docs" / "cli.md").read_text()
    found = typer.main.get_group(commands()).commands
    assert re.findall(r"^## ironlake ?(\w*)$", page, re.MULTILINE) == ["", *found]
    for name, command in found.items():
        (section,) = re.findall(rf"^## ironlake {name}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
        assert "Example:" in section
        # A hidden one is no option: it says what to give in its place.
        offered = [o for p in command.params if not getattr(p, "hidden", False) for o in p.opts if o.startswith("--")]
        assert [o for o in offered if o not in section] == []


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in PAGES)])
def test_links_lead_somewhere(page: str):
    path = ROOT / page
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text())
    assert [t for t in targets if not (path.parent / t).exists()] == []


@pytest.mark.slow
def test_the_worked_example_passes_the_tests_that_every_report_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import examples

    shown = examples.files((ROOT / "docs" / "adding_a_report.md").read_text())
    added = {
        path.removeprefix("ours/"): text
        for path, text in shown.items()
        if path.endswith((".lark", ".py")) or "sample_reports" in path
    }
    (name,) = {Path(path).stem for path in added if path.startswith("grammars/")}
    assert {str(Path(path).parent) for path in added} == {"grammars", "parsers", f"sample_reports/{name}"}
    site = examples.project_with(added, tmp_path)
    shutil.copytree(ROOT / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("PYTHONPATH", str(site))
    sample = next(Path(path).stem for path in added if path.endswith(".expected.jsonl")).removesuffix(".expected")
    folder = "tests/reports"
    files = [f"{folder}/test_discovery.py", f"{folder}/test_samples.py", f"{folder}/test_grammars.py"]
    files += [f"tests/reading/test_{of}.py" for of in ("explain", "robustness", "unread", "whole_pages")]
    which = [*files, "-k", f"{name} or {sample} or same_reports or page_lines_has_whole_pages"]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), *which]
    command += ["-o", "pythonpath=tests/support tests/reading"]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout[-4000:]
    (passed,) = re.findall(r"(\d+) passed", answer.stdout)
    assert int(passed) >= 12, answer.stdout[-1000:]


# --- Nothing of one machine -----------------------------------------------------------------------------------------

_ABSOLUTE = re.compile(r"(?<![\w.~$}/-])/(?:work|tmp|root|home|Users|farm|mnt|opt)/\w[^\s\"']*")
_REGISTRY = re.compile(
    r"pypi[.]|pythonhosted[.]|files[.]pythonhosted|(?<!emit-)index-url|npmjs[.]|anaconda[.]org|artifactory"
)


def test_no_tracked_file_names_a_place_of_one_machine_or_a_package_registry():
    texts = dict(tracked())
    assert {name: hits for name, text in texts.items() if (hits := _ABSOLUTE.findall(text))} == {}
    texts.pop("tests/project/test_docs.py")
    assert {name: hits for name, text in texts.items() if (hits := _REGISTRY.findall(text))} == {}
    assert len(texts) > 80


def test_the_lock_file_has_hashes_and_no_address():
    lock = (ROOT / "requirements.lock").read_text()
    assert lock.count("--hash=sha256:") > 20
    assert "://" not in lock


def test_the_machine_checks_see_what_they_look_for():
    assert _ABSOLUTE.findall("see /ho" + "me/me/lake and lib/tmp/x") == ["/ho" + "me/me/lake"]
    assert _REGISTRY.search("https://pypi" + ".org/simple")


# --- Pictures show what the pages say now -----------------------------------------------------------------------------


_MOST_BYTES = 150_000


@pytest.mark.slow
def test_pictures_of_pages_are_current_and_small(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    import pictures

    assert [name for name, _ in pictures.outdated()] == [], "make docs makes them anew"
    for name in pictures.PAGES:
        file = pictures.PICTURES / f"{name}.png"
        assert file.read_bytes().startswith(b"\x89PNG")
        assert file.stat().st_size <= _MOST_BYTES
        assert f"pictures/{name}.png" in (ROOT / "docs" / "index.md").read_text("utf-8")
    assert "pictures/comparison.png" in (ROOT / "README.md").read_text("utf-8")


# --- Examples in docstrings are true ----------------------------------------------------------------------------------


ROOMS = ("api", "benchmarks", "dashboards", "grammars", "models", "parsers", "pipeline", "sample_reports")


def modules() -> list[str]:
    """Those whose text has an example, as they are imported."""
    found = []
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            if ">>> " in path.read_text("utf-8"):
                parts = path.relative_to(ROOT).with_suffix("").parts
                parts = {"benchmarks": parts, "api": ("ironlake", *parts[1:])}.get(room, ("ironlake", *parts))
                found.append(".".join(parts).removesuffix(".__init__"))
    return found


def test_examples_are_true():
    for name in modules():
        found = doctest.testmod(importlib.import_module(name))
        assert found.attempted, name
        assert not found.failed, name


# Files that a user may have, in examples of commands.
_OF_USERS = {"peak.sql", "view.sql", "report.md"}
_FILE = re.compile(r"(?<![\w./*{<-])((?:[\w.-]+/)*[a-z_]\w*\.(?:py|sql|lark|md|rs))\b(?!\()")


def test_files_that_comments_name_are_there():
    rooms = [ROOT / room for room in (*ROOMS, "docs", "tests")]
    paths = [*ROOT.glob("*.md"), *(path for room in rooms for path in room.rglob("*.*"))]
    parts = [path.relative_to(ROOT).parts for path in paths]
    ends = {"/".join(one[begin:]) for one in parts for begin in range(len(one))}
    named = set()
    for path in (path for path in paths if path.suffix in (".py", ".sql", ".lark", ".rs")):
        said = re.findall(r'"""(?:.|\n)*?"""|(?:#|--|//) .*', path.read_text("utf-8"))
        named |= {(path.name, name) for text in said for name in _FILE.findall(text)}
    assert len(named) > 100
    assert {(path, name) for path, name in named if name not in ends | _OF_USERS} == set()


# --- `ironlake docs`: the pages that every installation has, and messages that name them ------------------------------


SHOWN = {path.stem: path.read_text("utf-8") for path in (ROOT / "docs").glob("*.md")}


def test_pages_are_listed_and_shown(run: Command):
    code, out, _ = run("docs")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == sorted(SHOWN)
    assert re.search(r"^glossary +Glossary$", out, re.MULTILINE)
    for name in ("studies", "studies.md", "docs/studies.md"):
        assert run("docs", name) == (0, SHOWN["studies"].rstrip("\n") + "\n", "")


def test_an_unknown_page_is_an_error_with_near_names(run: Command):
    assert run("docs", "study") == (2, "", "ironlake: no page is called study\nhint: near names: studies; ironlake docs lists all\n")  # fmt: skip
    code, _, err = run("docs", "../x.y")
    assert (code, "no page is called ../x.y; expected adding_a_report, benchmarks" in err) == (2, True)


def texts(path: Path) -> Iterator[str]:
    """Texts of a module that a user may see: not the docstrings, but for those of commands, which are their help."""
    tree = ast.parse(path.read_text("utf-8"))
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
        and not (isinstance(node, ast.FunctionDef) and path.parent.name in ("cli", "models", "api"))
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def test_messages_name_pages_that_a_wheel_has():
    modules = [
        path
        for folder in ("pipeline", "models", "dashboards", "parsers", "api")
        for path in (ROOT / folder).rglob("*.py")
    ]
    found = [(path, text) for path in modules if "docs" in path.read_text("utf-8") for text in texts(path)]
    assert len(found) > 1000
    # Only the command of pages itself takes names that begin with the folder.
    assert [(str(path), text) for path, text in found if re.search(r"docs/\w+\.md", text)] == []
    named = {name for _, text in found for name in re.findall(r"ironlake docs (\w+)(?=[ `).])", text)} - {"lists"}
    assert {"studies", "model", "measures", "adding_a_report"} <= named
    assert named - {*SHOWN} == set()


# --- The commands of README.md can be typed as they are shown, those that the demo prints too -------------------------


_ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def typed(text: str) -> list[str]:
    """What follows `$ `: to the end of the line, of the text in double quotes that begins on it, or of the lines behind `> `."""
    found = re.findall(r'^\$ ((?:[^"\n]|"[^"]*")*)$', re.sub(r"^> ", "", text, flags=re.MULTILINE), re.MULTILINE)
    return [command for block in found for command in [block.strip()]]


def type_in(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in _ENVIRONMENT.items() if k != "IRONLAKE_LAKE"}
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )


@pytest.mark.slow
def test_every_command_of_the_readme_can_be_typed(tmp_path: Path):
    (tmp_path / "sample_reports").symlink_to(ROOT / "sample_reports")
    make, *commands = typed(README)
    assert make == "make demo | grep added"
    assert {command.split()[1] for command in commands} == {"compare", "ingest", "sql"}
    # What `make demo` calls; test_the_first_block looks at make itself.
    demo = type_in(tmp_path, "ironlake demo --out demo")
    assert demo.returncode == 0
    shown = typed(demo.stdout)
    assert {command.split()[1] for command in shown} == {"ingest", "study", "sql"}
    commands += shown
    answers = {command: type_in(tmp_path, command) for command in commands}
    assert {command: a.stderr for command, a in answers.items() if a.returncode or a.stderr} == {}
    ingested = [
        a.stdout for command, a in answers.items() if command.startswith("ironlake ingest") and "/demo" in command
    ]
    assert [out.splitlines()[-1] for out in ingested] == ["3 files: 3 already ingested"]


def test_the_first_block_can_be_typed():
    block = README.split("```\n")[1]
    lines = block.splitlines()
    assert [line.split("#")[0].strip() for line in lines[:2]] == ["make demo", "make test"]
    # What make would do, without doing it.
    dry = block.replace("make ", "make --dry-run ").replace("$PWD/.venv/bin", str(Path(sys.executable).parent))
    answer = type_in(ROOT, f"set -e\n{dry}\nironlake --version")
    assert answer.returncode == 0, answer.stderr
    assert "ironlake demo --out demo" in answer.stdout
    assert "-m pytest" in answer.stdout
    assert re.search(r"^ironlake \d+\.\d+\.\d+$", answer.stdout, re.MULTILINE)


# --- The page about nightly runs --------------------------------------------------------------------------------------


NIGHTLY = (ROOT / "docs" / "nightly.md").read_text("utf-8")
SERVICE, TIMER = re.findall(r"```ini\n(.*?)```", NIGHTLY, re.DOTALL)
COMMANDS = re.findall(r"(?:^|= ?|\* |\|\| |/)(ironlake (?:ingest|status) .*?)(?= \|\||$)", NIGHTLY, re.MULTILINE)


def rows_of(title: str) -> list[str]:
    """The first cells of the table below a heading."""
    section = NIGHTLY.partition(f"## {title}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| (.+?) \|", section, re.MULTILINE)[1:]


def test_the_units_are_what_systemd_takes(tmp_path: Path):
    if not (verify := shutil.which("systemd-analyze")):
        pytest.skip("no systemd on this machine; the units are parsed")
    # A program and a user that are on every machine.
    program = shutil.which("true")
    service = re.sub(r"(?<=^ExecStart=)\S+", str(program), SERVICE, flags=re.MULTILINE).replace(
        "User=ironlake", "User=root"
    )
    for name, text in (("ironlake.service", service), ("ironlake.timer", TIMER)):
        (tmp_path / name).write_text(text)
        done = ended(verify, "verify", "--man=no", tmp_path / name)
        mine = [line for line in done.stderr.splitlines() if str(tmp_path) in line or "ironlake" in line]
        assert (done.returncode, mine) == (0, [])
    (tmp_path / "ironlake.service").write_text(service.replace("Type=oneshot", "Typ=oneshot"))
    assert "Typ" in ended(verify, "verify", "--man=no", tmp_path / "ironlake.service").stderr


def test_the_units_belong_together_and_cron_has_one_line():
    def parsed(text: str) -> configparser.ConfigParser:
        unit = configparser.ConfigParser(interpolation=None, strict=True)
        unit.optionxform = str  # type: ignore[assignment]
        unit.read_string(text)
        return unit

    service, timer = parsed(SERVICE), parsed(TIMER)
    assert service.sections() == ["Unit", "Service"]
    assert timer.sections() == ["Unit", "Timer", "Install"]
    assert service["Service"]["Type"] == "oneshot"
    assert timer["Timer"]["Persistent"] == "true"
    arguments = shlex.split(service["Service"]["ExecStart"])
    assert arguments[arguments.index("--lake") + 1] in service["Service"]["ReadWritePaths"].split()
    assert arguments[arguments.index("--log") + 1].startswith(f"/var/log/{service['Service']['LogsDirectory']}/")
    (line,) = re.findall(r"```cron\n(.*)\n```", NIGHTLY)
    assert re.match(r"\d+ \d+ \* \* \* ironlake ingest ", line)
    # In a crontab it would end the command.
    assert "%" not in line


def test_the_commands_are_taken(run: Command, tmp_path: Path):
    assert len(COMMANDS) == 5
    (tmp_path / "reports").mkdir()
    shutil.copy(sample("velocity_goal"), tmp_path / "reports")
    codes = []
    for command in COMMANDS:
        moved = command.replace("/srv/", f"{tmp_path}/").replace("/var/log/ironlake/", f"{tmp_path}/")
        _, *arguments = shlex.split(moved)
        codes.append(run(*arguments)[0])
    # The second and third ingest find nothing new.
    assert codes == [0, 3, 0, 3, 0]


def test_the_fields_of_the_log_are_those(run: Command, tmp_path: Path):
    log = tmp_path / "log.jsonl"
    run("ingest", sample("velocity_goal"), "--lake", tmp_path / "lake", "--log", log)
    told = [field for cell in rows_of("The log") for field in re.findall(r"`(\w+)`", cell)]
    assert sorted(told) == sorted(json.loads(log.read_text()))


def test_the_exit_codes_are_those():
    from ironlake.pipeline.ingest.summary import EMPTY, REJECTED

    assert rows_of("Exit codes of ironlake ingest") == ["0", "1", "2", str(EMPTY), str(REJECTED), "130"]
