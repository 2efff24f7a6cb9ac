"""Compare what two checkouts of Ironlake make of the same files: every row of every table and view, and every number of every page.

Each checkout reads the files with its own code and its own Python (.venv/bin/python), with one reader version, so that the ids of sources are
the same. Every folder of reports becomes a lake of its own; its studies are added, and each file of these makes a page.

    python tests/support/compare_checkouts.py BEFORE AFTER [FOLDER...] [--skip COLUMN]...

Without a FOLDER the sample reports of AFTER are read. Exit code 1 on any difference.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import gzip
import io
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

# When a row was written is never the same.
ALWAYS_SKIPPED = ("committed_at",)
NO_REPORTS = {".yaml", ".yml", ".jsonl", ".md", ".py", ".pyc", ".parquet"}
_MOST_SHOWN = 5
_NUMBER = re.compile(r"(?<![\w.])[-+−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)")
_ID = re.compile(r"\b[0-9a-f]{16}\b")


def dump(folder: Path, out: Path) -> None:
    """In a checkout: write all rows of every table and view, and the pages, that it makes of a folder of reports."""
    import pyarrow.parquet as pq
    from ironlake.pipeline.declaration import reading_options

    setattr(reading_options, "READER_VERSION", "compared")  # noqa: B010
    from ironlake.pipeline import open_lake

    lake = str(out / "lake")
    files = sorted(p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    run("ingest", *(str(p) for p in files if p.suffix not in NO_REPORTS), "--lake", lake)
    for study in files:
        if study.suffix in (".yaml", ".yml") and re.search(r"^study:", study.read_text("utf-8"), re.MULTILINE):
            run("study", "add", str(study), "--lake", lake)
            page = study.relative_to(folder).with_suffix(".html").as_posix().replace("/", "_")
            run("compare", str(study), "--lake", lake, "--out", str(out / page))
    with open_lake(lake) as opened:
        for name in (*opened.tables, *opened.views):
            pq.write_table(opened.sql(f'SELECT * FROM "{name}"').arrow(), out / f"{name}.parquet")


def run(*arguments: str) -> None:
    """One command of Ironlake, within this process; it may fail, in both checkouts alike."""
    from ironlake.pipeline.cli.main import main

    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    sys.argv = ["ironlake", *arguments]
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            code = main()
        except SystemExit as end:
            code = end.code
    if code:
        text = said.buffer.getvalue().decode()[-300:]  # type: ignore[attr-defined]
        print(f"ironlake {arguments[0]} … {arguments[-1]}: exit code {code}: {text}", file=sys.stderr)


def normal(value: Any, skipped: set[str]) -> Any:
    """A value without the skipped names, however deep they stand, and with eleven digits of a float."""
    if isinstance(value, dict):
        return {name: normal(each, skipped) for name, each in value.items() if name not in skipped}
    if isinstance(value, list):
        return [normal(each, skipped) for each in value]
    return f"{value:.11g}" if isinstance(value, float) else value


def content(file: Path, skipped: set[str]) -> Counter[str]:
    """Every row of a Parquet file, or every number of a page: of its text, and of the pictures that are packed into it."""
    if file.suffix == ".parquet":
        import pyarrow.parquet as pq

        table = pq.read_table(file)
        schema = [f"column {field.name} {field.type}" for field in table.schema if field.name not in skipped]
        return Counter([*schema, *(repr(normal(row, skipped)) for row in table.to_pylist())])
    text, _, packed = file.read_text("utf-8").partition('id="pictures">')
    packed, _, rest = packed.partition("<")
    found = Counter(
        _NUMBER.findall(_ID.sub("", re.sub(r"<(script|style).*?</\1>|<[^>]*>", " ", text + rest, flags=re.S)))
    )
    if packed.strip():
        found.update(_NUMBER.findall(repr(normal(json.loads(gzip.decompress(base64.b64decode(packed))), set()))))
    return found


def differences(before: Path, after: Path, skipped: set[str]) -> list[str]:
    names = [{p.name for p in root.iterdir() if p.suffix in (".parquet", ".html")} for root in (before, after)]
    told = [
        f"{name}: only {where}"
        for name in sorted(names[0] ^ names[1])
        for where in ("before", "after")
        if (before.parent / where / name).exists()
    ]
    for name in sorted(names[0] & names[1]):
        old, new = content(before / name, skipped), content(after / name, skipped)
        for where, gone in (("before", old - new), ("after", new - old)):
            told += [f"{name}: only {where}: {row[:400]}" for row in [*gone][:_MOST_SHOWN]]
            told += [f"{name}: {gone.total()} of {old.total()} rows or numbers only {where}"] if gone else []
    return [*told, *([] if names[0] else [f"{before.name}: nothing was made"])]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("before", type=Path, help="a checkout with its own .venv")
    parser.add_argument("after", type=Path, help="another")
    parser.add_argument("folders", type=Path, nargs="*", help="folders of reports and studies")
    parser.add_argument("--skip", action="append", default=[], metavar="COLUMN", help="a column, or a name within one")
    given = parser.parse_args()
    told = []
    for folder in given.folders or [given.after / "sample_reports"]:
        with tempfile.TemporaryDirectory() as work:
            for where, checkout in (("before", given.before), ("after", given.after)):
                (Path(work) / where).mkdir()
                python = checkout.absolute() / ".venv" / "bin" / "python"
                command = [python, Path(__file__).absolute(), "--dump", folder.absolute(), Path(work, where)]
                subprocess.run(command, check=True, cwd=work)
            told += differences(Path(work, "before"), Path(work, "after"), {*ALWAYS_SKIPPED, *given.skip})
    print("\n".join([*told, f"{len(told)} differences"]))
    return int(bool(told))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--dump"]:
        dump(*map(Path, sys.argv[2:]))
    else:
        sys.exit(main())
