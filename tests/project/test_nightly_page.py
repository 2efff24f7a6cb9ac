"""The page about nightly runs: its units are what systemd takes, its commands what Ironlake takes, its fields and codes what there is."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from command_line import Command
from sample_pages import ROOT, sample

PAGE = (ROOT / "docs" / "nightly.md").read_text("utf-8")
SERVICE, TIMER = re.findall(r"```ini\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = re.findall(r"(?:^|= ?|\* |\|\| |/)(ironlake (?:ingest|status) .*?)(?= \|\||$)", PAGE, re.MULTILINE)


def rows_of(title: str) -> list[str]:
    """The first cells of the table below a heading."""
    section = PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]
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
        done = subprocess.run(
            [verify, "verify", "--man=no", tmp_path / name], capture_output=True, text=True, check=False
        )
        mine = [line for line in done.stderr.splitlines() if str(tmp_path) in line or "ironlake" in line]
        assert (done.returncode, mine) == (0, [])
    (tmp_path / "ironlake.service").write_text(service.replace("Type=oneshot", "Typ=oneshot"))
    wrong = subprocess.run(
        [verify, "verify", "--man=no", tmp_path / "ironlake.service"], capture_output=True, text=True, check=False
    )
    assert "Typ" in wrong.stderr


def test_the_units_belong_together():
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


def test_the_line_of_cron_has_a_time_and_one_line():
    (line,) = re.findall(r"```cron\n(.*)\n```", PAGE)
    assert re.match(r"\d+ \d+ \* \* \* ironlake ingest ", line)
    # In a crontab it would end the command.
    assert "%" not in line


def test_the_fields_of_the_log_are_those(run: Command, tmp_path: Path):
    log = tmp_path / "log.jsonl"
    run("ingest", sample("velocity_goal"), "--lake", tmp_path / "lake", "--log", log)
    told = [field for cell in rows_of("The log") for field in re.findall(r"`(\w+)`", cell)]
    assert sorted(told) == sorted(json.loads(log.read_text()))


def test_the_exit_codes_are_those():
    from ironlake.pipeline.ingest.summary import EMPTY, REJECTED

    assert rows_of("Exit codes of ironlake ingest") == ["0", "1", "2", str(EMPTY), str(REJECTED), "130"]
