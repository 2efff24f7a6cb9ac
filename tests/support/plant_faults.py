"""Plant faults, one at a time, and see whether the tests notice: `python tests/support/plant_faults.py [--count N] [--seed S]`.

Each fault is one small change of a grammar, a declaration, the reading, a view, the lake or a page, chosen at random. Faults are planted in
clones of the last commit, never in this checkout. The tests of the rooms nearest to the fault run until one fails; `--whole` runs all
others too where none did. Prints a line of JSON per fault. `--faults FILE` plants those of an earlier run again, in another checkout
(`--checkout DIR`) if need be: a fault is known by its file, its line of code and what the line becomes.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from random import Random

from near_tests import near_tests

# By area: the files of its faults, and the tests that are nearest to them, the cheapest first.
AREAS = {
    "grammars": (["grammars/*.lark"], ["tests/reports/test_samples.py", "tests/reports", "tests/reading"]),
    "declarations": (
        ["parsers/*.py"],
        ["tests/reports/test_samples.py", "tests/reports", "tests/reading", "tests/quality"],
    ),
    "reading": (
        ["pipeline/reading/*.py", "pipeline/files/*.py"],
        ["tests/reports/test_samples.py", "tests/files", "tests/reading", "tests/reports", "tests/share"],
    ),
    "views": (
        ["pipeline/sql/views/*/*.sql", "pipeline/sql/views/macros.sql"],
        ["tests/sql", "tests/study", "tests/dashboards"],
    ),
    "lake": (
        ["pipeline/lake/*.py", "pipeline/storage/*.py", "pipeline/ingest/*.py"],
        ["tests/lake", "tests/cli", "tests/reading/test_batches.py", "tests/project"],
    ),
    "pages": (["dashboards/**/*.py"], ["tests/dashboards", "tests/study", "tests/quality", "tests/project"]),
    "sql": (["pipeline/sql/*.py", "pipeline/study/*.py"], ["tests/sql", "tests/study", "tests/cli", "tests/project"]),
    "models": (["models/**/*.py", "pipeline/printing/*.py"], ["tests/models"]),
    "share": (
        ["pipeline/share/*.py", "pipeline/quality/*.py", "pipeline/output/*.py"],
        ["tests/share", "tests/quality", "tests/cli"],
    ),
}
# Of `make test`, and with --slow those of CI.
QUICK, ALL = "not slow and not soak and not spark", "not soak and not spark and not sampled"
_PYTEST = ("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m")
# A fault may make a test wait for ever.
_LONGEST_SECONDS = 1500


@dataclass(frozen=True)
class Fault:
    area: str
    file: str
    # Of this line of code in the file, the first being 0: a file may have it several times.
    line: str
    nth: int
    becomes: str


def faults_of(area: str, root: Path) -> Iterator[Fault]:
    """All faults that can be planted in an area."""
    for file in sorted({file for pattern in AREAS[area][0] for file in root.glob(pattern)}):
        text = file.read_text("utf-8")
        changes = _of_python(text) if file.suffix == ".py" else _of_lines(text, file.suffix)
        lines = text.split("\n")
        for number, becomes in sorted(set(changes)):
            line = lines[number]
            if becomes != line:
                yield Fault(area, str(file.relative_to(root)), line, lines[:number].count(line), becomes)


_COMPARE = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
}
_COMPARE |= {ast.In: "not in", ast.NotIn: "in"}
_OPERATE = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "+",
    ast.BitAnd: "|",
    ast.BitOr: "&",
}


def _of_python(text: str) -> Iterator[tuple[int, str]]:
    """Line numbers from 0, and what these lines become: another operator, number, constant, condition, text or result."""
    # In bytes: columns of ast are those of UTF-8.
    lines = [line.encode() for line in text.split("\n")]
    tree = ast.parse(text)
    silent = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)} | {id(n) for n in _of_annotations(tree)}

    def put(line: int, begin: int, end: int, new: str) -> tuple[int, str]:
        content = lines[line - 1]
        return line - 1, (content[:begin] + new.encode() + content[end:]).decode()

    def between(left: ast.expr, right: ast.expr, new: str) -> Iterator[tuple[int, str]]:
        if left.end_lineno == right.lineno and left.end_col_offset is not None:
            gap = lines[right.lineno - 1][left.end_col_offset : right.col_offset].decode()
            if found := re.search(r"[^\s()]+( not| in)?", gap):
                begin = left.end_col_offset + found.start()
                yield put(right.lineno, begin, begin + len(found[0]), new)

    for node in ast.walk(tree):
        if id(node) in silent:
            continue
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARE:
            yield from between(node.left, node.comparators[0], _COMPARE[type(node.ops[0])])
        elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATE:
            yield from between(node.left, node.right, _OPERATE[type(node.op)])
        elif isinstance(node, ast.BoolOp) and len(node.values) == 2:
            yield from between(node.values[0], node.values[1], "or" if isinstance(node.op, ast.And) else "and")
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield put(node.lineno, node.col_offset, node.col_offset + 4, "")
        elif isinstance(node, ast.Constant) and node.lineno == node.end_lineno and node.end_col_offset is not None:
            where = node.lineno, node.col_offset, node.end_col_offset
            if isinstance(node.value, bool):
                yield put(*where, str(not node.value))
            elif isinstance(node.value, int):
                yield put(*where, str(node.value + 1))
            # Sentences apart: a slip of the pen in them is no fault of the program.
            elif (
                isinstance(node.value, str)
                and not node.value.endswith(".")
                and lines[node.lineno - 1][node.col_offset : node.col_offset + 1] in (b'"', b"'")
            ):
                # A letter less: a misspelt name, title or word.
                literal = lines[node.lineno - 1][node.col_offset : node.end_col_offset].decode()
                if letter := re.search(r"[A-Za-z]{3}", literal):
                    yield put(*where, literal[: letter.start() + 1] + literal[letter.start() + 2 :])
        elif (
            isinstance(node, ast.If | ast.While)
            and node.test.lineno == node.test.end_lineno
            and node.test.end_col_offset
        ):
            for new in ("True", "False") if isinstance(node, ast.If) else ("False",):
                yield put(node.test.lineno, node.test.col_offset, node.test.end_col_offset, new)
        elif isinstance(node, ast.Return) and node.value and node.lineno == node.end_lineno and node.end_col_offset:
            yield put(node.lineno, node.col_offset, node.end_col_offset, "return None")


def _of_annotations(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        for field in ("annotation", "returns"):
            if isinstance(found := getattr(node, field, None), ast.AST):
                yield from ast.walk(found)


_SQL = [
    (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "), (r" <= ", " < "), (r" < ", " <= "), (r" >= ", " > "), (r" > ", " >= "),
    (r" = ", " <> "), (r"\bAND\b", "OR"), (r"\bOR\b", "AND"), (r"\bsum\(", "max("), (r"\bmax\(", "min("), (r"\bmin\(", "max("), (r"\bLEFT JOIN\b", "JOIN"),
    (r"\bNOT\b ", ""), (r"\bIS NOT NULL\b", "IS NULL"), (r"\bIS NULL\b", "IS NOT NULL"), (r"\b(\d+)\b", None), (r"\bDESC\b", ""), (r"'(\w)\w", r"'\1"),
    (r"\bcoalesce\(([\w.]+), [^()]+?\)", r"\1"), (r"\bnullif\(([\w.]+), 0\)", r"\1"), (r"\bUNION ALL\b", "UNION"),
]  # fmt: skip
_LARK = [
    (r"\+(?= |$)", ""), (r"\?(?= |$)", ""), (r"\*(?= |$)", "?"), (r"\.(\d+):", None), (r"(?<=[A-Z]{2})[A-Z](?=[A-Z ]*( \+|\+))", ""), (r"\| (\w+)(?= |$)", ""),
    (r"\[0-9\]\+", "[0-9]"), (r"\{(\d)", None),
]  # fmt: skip


def _of_lines(text: str, suffix: str) -> Iterator[tuple[int, str]]:
    comment, patterns = ("--", _SQL) if suffix == ".sql" else ("//", _LARK)
    for number, line in enumerate(text.split("\n")):
        code = line.split(comment)[0] if suffix == ".sql" else line
        if line.lstrip().startswith(comment):
            continue
        for pattern, new in patterns:
            for found in re.finditer(pattern, code):
                replaced = found.expand(new) if new is not None else _one_more(found)
                yield number, line[: found.start()] + replaced + line[found.end() :]


def _one_more(found: re.Match[str]) -> str:
    begin, end = (at - found.start() for at in found.span(1))
    return found[0][:begin] + str(int(found[1]) + 1) + found[0][end:]


class Clone:
    """A clone of a checkout's last commit, with an environment that borrows the checkout's libraries."""

    def __init__(self, checkout: Path, folder: Path, marks: str):
        self.folder, self._marks = folder, marks
        subprocess.run(["git", "clone", "--quiet", str(checkout), str(folder)], check=True)
        python = folder / ".venv/bin/python"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / ".venv")], check=True)
        (packages,) = (folder / ".venv/lib").glob("python*/site-packages")
        borrowed = [path for path in sys.path if path.endswith("site-packages")]
        (packages / "borrowed.pth").write_text("\n".join(borrowed) + "\n", "utf-8")
        install = "-m pip install --quiet --quiet --no-compile --no-deps --no-build-isolation --no-index -e ."
        subprocess.run([str(python), *install.split()], cwd=folder, check=True, capture_output=True)

    def put(self, fault: Fault) -> bool:
        """Plant it; whether its line is there. `git checkout` takes it out."""
        file = self.folder / fault.file
        lines = file.read_text("utf-8").split("\n") if file.exists() else []
        places = [number for number, line in enumerate(lines) if line == fault.line]
        if fault.nth >= len(places):
            return False
        lines[places[fault.nth]] = fault.becomes
        file.write_text("\n".join(lines), "utf-8")
        return True

    def take_out(self) -> None:
        subprocess.run(["git", "checkout", "--quiet", "."], cwd=self.folder, check=True)

    def first_failure(self, tests: Sequence[str], least_seconds: float) -> str:
        """The first test that fails, or what else ended the run badly; empty if all passed."""
        there = [test for test in tests if (self.folder / test).exists()]
        command = [str(self.folder / ".venv/bin/python"), *_PYTEST, self._marks, *there]
        environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(
                command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=least_seconds
            )
        except subprocess.TimeoutExpired:
            return f"no end within {least_seconds:.0f} s"
        if done.returncode in (0, 5):
            return ""
        named = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
        return named[1] if named else f"exit code {done.returncode}: {done.stdout[-200:]}"


def steps(root: Path, fault: Fault) -> list[list[str]]:
    """Test files in the order in which they are tried: those that name the file of the fault, then those of its rooms."""
    rooms = AREAS[fault.area][1]
    first = [name for name in rooms if name.endswith(".py")]
    near = list(dict.fromkeys([*first, *near_tests(root, fault.file)]))
    files = [str(file.relative_to(root)) for room in rooms for file in sorted(root.glob(f"{room}/test_*.py"))]
    return [near, [file for file in dict.fromkeys(files) if file not in near]]


def tried(clone: Clone, fault: Fault, whole: bool) -> dict[str, object]:
    began = time.monotonic()
    if not clone.put(fault):
        return asdict(fault) | {"noticed_by": None, "gone": True}
    try:
        noticed = ""
        for tests in [*steps(clone.folder, fault), *([["tests"]] if whole else [])]:
            if tests and (noticed := clone.first_failure(tests, _LONGEST_SECONDS)):
                break
    finally:
        clone.take_out()
    return asdict(fault) | {"noticed_by": noticed or None, "seconds": round(time.monotonic() - began)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--count", type=int, default=150, help="faults in all, as many of each area as of another")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--areas", default=",".join(AREAS), help="some of: %(default)s")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--slow", action="store_true", help="with the tests that CI runs and `make test` does not")
    parser.add_argument("--whole", action="store_true", help="run all tests where the nearest notice nothing")
    parser.add_argument("--checkout", type=Path, default=Path.cwd(), help="default: this folder")
    parser.add_argument("--faults", type=Path, help="plant those of an earlier run that nobody noticed")
    parser.add_argument("--all", action="store_true", help="with --faults: also those that were noticed")
    parser.add_argument("--list", action="store_true", help="print the faults and plant none")
    given = parser.parse_args()

    if given.faults:
        rows = [json.loads(line) for line in given.faults.read_text("utf-8").splitlines()]
        names = Fault.__dataclass_fields__
        faults = [
            Fault(**{n: row[n] for n in names})
            for row in rows
            if given.all or not (row.get("noticed_by") or row.get("gone"))
        ]
    else:
        random, areas = Random(given.seed), given.areas.split(",")
        each = -(-given.count // len(areas))
        faults = []
        for area in areas:
            possible = list(faults_of(area, given.checkout))
            faults += random.sample(possible, min(each, len(possible)))
        faults = faults[: given.count]
    if given.list:
        for fault in faults:
            print(json.dumps(asdict(fault)))
        return
    with tempfile.TemporaryDirectory() as around:
        clones: SimpleQueue[Clone] = SimpleQueue()
        for number in range(given.jobs):
            clones.put(Clone(given.checkout, Path(around) / f"clone_{number}", ALL if given.slow else QUICK))

        def one(fault: Fault) -> dict[str, object]:
            clone = clones.get()
            try:
                return tried(clone, fault, given.whole)
            finally:
                clones.put(clone)

        counts = {"noticed": 0, "not noticed": 0, "gone": 0}
        with ThreadPoolExecutor(given.jobs) as pool:
            for row in pool.map(one, faults):
                print(json.dumps(row), flush=True)
                counts["gone" if row.get("gone") else "noticed" if row["noticed_by"] else "not noticed"] += 1
    print(", ".join(f"{count} {name}" for name, count in counts.items()), file=sys.stderr)


if __name__ == "__main__":
    main()
