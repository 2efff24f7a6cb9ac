"""The documentation says what is so: generated pages are up to date, shown commands print what is shown."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from ironlake.pipeline.cli.commands import commands
from ironlake.pipeline.declaration.report import reports
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.view_files import views

ROOT = Path(__file__).parents[2]
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


def test_readme_is_short_and_begins_with_the_two_commands():
    lines = README.splitlines()
    assert len(lines) <= MOST_README_LINES
    top = "\n".join(lines[:12])
    assert top.index("make demo") < top.index("make test")


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
        assert [o for p in command.params for o in p.opts if o.startswith("--") and o not in section] == []


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in PAGES)])
def test_links_lead_somewhere(page: str):
    path = ROOT / page
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text())
    assert [t for t in targets if not (path.parent / t).exists()] == []


def test_readme_leads_to_every_page():
    assert [p.name for p in PAGES if f"(docs/{p.name})" not in README] == []


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


def test_no_tracked_file_names_a_place_of_one_machine():
    found = {name: hits for name, text in tracked() if (hits := _ABSOLUTE.findall(text))}
    assert found == {}


def test_no_tracked_file_names_a_package_registry():
    found = {
        name: hits
        for name, text in tracked()
        if name != "tests/project/test_docs.py" and (hits := _REGISTRY.findall(text))
    }
    assert found == {}


def test_the_lock_file_has_hashes_and_no_address():
    lock = (ROOT / "requirements.lock").read_text()
    assert lock.count("--hash=sha256:") > 20
    assert "://" not in lock


def test_the_machine_checks_see_what_they_look_for():
    assert _ABSOLUTE.findall("see /ho" + "me/me/lake and lib/tmp/x") == ["/ho" + "me/me/lake"]
    assert _REGISTRY.search("https://pypi" + ".org/simple")
    assert len(list(tracked())) > 80
