"""Commands shown in the documentation: run, and their output put in place of the one that stands there.

A block that begins with ```` ```console ```` holds one command behind `$ ` (further lines of it behind `> `) and then
what it prints, standard error included. The commands of a page run in its order in a folder of their own.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("grammars", "parsers", "pipeline", "models", "dashboards", "sample_reports")

_BLOCK = re.compile(r"^```console\n(?P<command>\$ .*\n(?:> .*\n)*)(?P<output>(?:.*\n)*?)```$", re.MULTILINE)
_FILE = re.compile(r"^`(?P<path>[\w./]+)`:\n\n```\w*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
# make does no more than call this, once everything is installed.
_MAKE_DEMO = ("make demo", "ironlake demo --out demo")


def refreshed(text: str, folder: Path) -> str:
    """The page with what its commands print now, when run in `folder`."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    environment |= {"COLUMNS": "100", "PYTHONPATH": ""}
    environment.pop("IRONLAKE_LAKE", None)

    def run(block: re.Match[str]) -> str:
        command = re.sub(r"^[$>] ", "", block["command"], flags=re.MULTILINE).strip().replace(*_MAKE_DEMO)
        answer = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
        )
        output = answer.stdout.decode()
        for place in (folder, ROOT):
            output = output.replace(f"{place}/", "")
        output = "".join(line.rstrip() + "\n" for line in output.splitlines())
        return f"```console\n{block['command']}{output}```"

    return _BLOCK.sub(run, text)


def commands(text: str) -> list[str]:
    """The commands that a page shows, as they are typed."""
    return [re.sub(r"^[$>] ", "", m["command"], flags=re.MULTILINE).strip() for m in _BLOCK.finditer(text)]


def files(text: str) -> dict[str, str]:
    """The files that a page spells out: a path between backquotes and a colon, and a block below it."""
    return {m["path"]: m["text"] for m in _FILE.finditer(text)}


def write(added: dict[str, str], folder: Path) -> None:
    """The files that a page spells out, in a folder."""
    for path, text in added.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def project_with(added: dict[str, str], folder: Path) -> Path:
    """A copy of the project in `folder` with some files more; returns the folder in which Python finds its `ironlake`."""
    site, ignored = folder / "site", shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "api", site / "ironlake", ignore=ignored)
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=ignored)
        (site / "ironlake" / package).symlink_to(folder / package)
    write(added, folder)
    return site
