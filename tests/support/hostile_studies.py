"""Study files from a stranger: selected from the lake, or refused in words that name the file and the line; no traceback, nothing that
steers a terminal, and the lake as it was."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from random import Random
from unittest.mock import patch

from hostile_inputs import entries, limited, mutated, outcome, private_folder, steers_a_terminal, tree
from ironlake.pipeline.cli import main as cli
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from sample_pages import SAMPLES

# Half a megabyte of errors is nothing that anybody reads.
_MOST_SAID = 20_000
_WORDS = tuple(
    b"study: |configurations: |requests: |subsystems: |steps: |window: |engines: |baseline: |coupling: |normalization: |interval: |run: |"
    b'{|}|[|]|: |, |- |---\n|...\n|&a |*a|<<: *a|!!python/object:os.system |!!binary |%YAML 9.9\n|? |>\n |"\\e[31m"|"\\0"|\'|"|#|\t|'
    b"\xff|\x00|\x1b[2J|\xe2\x80\xae|\xef\xbb\xbf|2021-04-13T10:00/10:05|9999-12-31T23:59/0001-01-01T00:00|10:00/09:00|2021-04-13T10:00Z/|"
    b"1e999|-1|NaN|.inf|0x10|1_000|~|no|{report_class: CICS2A20}|[16.5, 19.4]|99999999999999999999".split(b"|")
)


class Scene:
    def __init__(self) -> None:
        self.folder = private_folder("studies")
        self.lake, self.file = self.folder / "lake", self.folder / "study.yaml"
        pages = sorted(str(p) for p in (SAMPLES / "studies" / "jdbc_drivers").glob("*.txt"))
        ingest(pages, self.lake, Options(), jobs=1)
        self.files = tree(self.lake)

    def run(self, *arguments: object) -> tuple[int, str, str]:
        """The command line in this process: exit code, standard output, standard error."""
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        with redirect_stdout(out), redirect_stderr(err), patch.object(sys, "argv", ["ironlake", *map(str, arguments)]):
            try:
                code = cli.main()
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 0
        told = [stream.buffer.getvalue().decode() for stream in (out, err)]  # pyright: ignore[reportAttributeAccessIssue]
        return code, told[0], told[1]


@cache
def _scene() -> Scene:
    return Scene()


def one_input(data: bytes) -> str:
    scene = _scene()
    scene.file.write_bytes(data)
    found: list[tuple[int, str, str]] = []

    def check() -> str:
        with limited(60):
            found.append(scene.run("study", "check", scene.file, "--lake", scene.lake))
        return ""

    _, wrong = outcome(check)
    if wrong or not found:
        return wrong or "no end within a minute"
    code, out, err = found[0]
    if tree(scene.lake) != scene.files:
        return "changed the lake"
    if steers_a_terminal(out + err):
        return f"steers the terminal: {(out + err)[:200]!r}"
    if "Traceback" in err or code not in (0, 1, 2):
        return f"exit {code}: {err[-300:]}"
    if code and not (
        re.search(rf"{re.escape(str(scene.file))}(:\d+)?: ", err) and re.search("expected |hint: |line \\d", err)
    ):
        return f"does not say where and what to do: {err[:300]}"
    return f"{len(err):,} characters of errors" if len(err) > _MOST_SAID else ""


def tried(random: Random) -> Iterator[bytes]:
    corpus = list(entries("studies").values())
    while True:
        text = random.choice(corpus)
        if random.random() < 0.5:
            yield mutated(text, random, corpus)
            continue
        lines = text.splitlines(keepends=True)
        for _ in range(random.choice((1, 2, 4))):
            at = random.randrange(len(lines) + 1)
            match random.randrange(4):
                case 0:
                    del lines[at : at + 1]
                case 1:
                    lines[at:at] = random.choice(corpus).splitlines(keepends=True)[at : at + 2]
                case 2:
                    lines[at : at + 1] = [b" " * random.randrange(6) + some for some in lines[at : at + 1]]
                case _ if at < len(lines):
                    place = random.randrange(len(lines[at]) + 1)
                    lines[at] = (
                        lines[at][:place] + random.choice(_WORDS) + lines[at][place + random.choice((0, 0, 5)) :]
                    )
        yield b"".join(lines)
