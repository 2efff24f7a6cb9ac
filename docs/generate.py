"""Writes the pages of columns, views and commands, runs the commands that the documentation shows, and makes its pictures (pictures.py).

python docs/generate.py          # write
python docs/generate.py --check  # write nothing; print what would change and end with 1
"""

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import examples
import pictures
from ironlake.pipeline.declaration.bookkeeping import TABLES as BOOKKEEPING
from ironlake.pipeline.declaration.layouts import Columns
from ironlake.pipeline.declaration.report import Report, Table, reports
from ironlake.pipeline.declaration.study_tables import COMPUTED
from ironlake.pipeline.declaration.study_tables import TABLES as STUDIES
from ironlake.pipeline.reading.unread import never_read
from ironlake.pipeline.sql.describe import columns_of
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.view_files import views
from ironlake.pipeline.sql.view_schema import read_by

ROOT = examples.ROOT
DOCS = ROOT / "docs"
WORKED_EXAMPLE = DOCS / "adding_a_report.md"
_FINDINGS = "../findings/README.md"
_REPORT_TITLES = ("report", "sure", "tables")
# What a summary says of itself in brackets.
_FIELD = re.compile(r" \(([^()]*from field knowledge)\)")
GENERATED = "<!-- Written by docs/generate.py; `make docs` updates it. -->"


def prose(text: str) -> str:
    """Text in which no character is markup."""
    return re.sub(r"([*<\\])", r"\\\1", text)


def markdown_table(titles: Sequence[str], rows: Iterable[Sequence[str | None]]) -> Iterator[str]:
    yield "| " + " | ".join(titles) + " |"
    yield "|" + "---|" * len(titles)
    for row in rows:
        yield "| " + " | ".join((value or "").replace("|", "\\|") for value in row) + " |"


def sure(report: Report) -> str:
    """How sure the reading of a report is, in a word."""
    said = " ".join(_FIELD.findall(report.summary))
    return "field" if "layout mostly" in said else "partly" if said else "compared"


def with_report_table(readme: str) -> str:
    """README.md with its table of reports as the declarations have it."""
    rows = (
        (_FIELD.sub("", r.summary), sure(r), ", ".join(f"`{t.name}`" for t in r.tables)) for r in reports().values()
    )
    table = "\n".join(markdown_table(_REPORT_TITLES, rows))
    begins = re.escape(next(markdown_table(_REPORT_TITLES, ())))
    changed, times = re.subn(rf"^{begins}\n(?:\|.*\n)*", lambda _: table + "\n", readme, flags=re.MULTILINE)
    if times != 1:
        raise SystemExit(
            f"README.md has {times} tables that begin with {next(markdown_table(_REPORT_TITLES, ()))}; expected one"
        )
    return changed


def columns_page() -> str:
    """Every table of every report and of the bookkeeping: what a row is, its key, its columns."""
    lines = [GENERATED, "# Tables and columns", ""]
    lines += ["`ironlake describe` shows the same. The metadata of each Parquet file has it too.", ""]
    lines += [
        "Percent of CPU is percent of one engine, as RMF prints it. Times are local, as printed."
        " [Blank, zero, unreadable](reading.md#blank-zero-unreadable) says when a cell is NULL.",
        "",
    ]
    for report in reports().values():
        lines += [f"## Report {report.name}", "", f"{report.summary}.", "", report.doc.strip(), ""]
        for table in report.tables:
            lines += _table(table)
        lines += _not_read(report)
    for title, some in (("Studies", (*STUDIES, *COMPUTED)), ("Bookkeeping", BOOKKEEPING)):
        lines += [f"## {title}", ""]
        for table in some:
            lines += _table(table)
    return "\n".join(lines).rstrip() + "\n"


def _not_read(report: Report) -> Iterator[str]:
    """What the grammar has a place for and the tables have none."""
    ignored = [
        f"{' '.join(f'`{title}`' for title in h.ignored)} (lines {', '.join(h.rows)})"
        for h in report.layouts
        if isinstance(h, Columns) and h.ignored
    ]
    said = {
        "Recognised but not read (listed in `unread_section`)": never_read(report),
        "Not read, on lines that are otherwise read": tuple(report.unread_parts),
        "Column titles under which nothing is read": tuple(ignored),
    }
    for words, names in said.items():
        if names:
            yield f"{words}: {'; '.join(names)}."
            yield ""


def _table(table: Table) -> Iterator[str]:
    yield f"### {table.name}"
    yield ""
    yield prose(f"{table.grain[0].upper()}{table.grain[1:]}. {table.doc}".rstrip())
    yield ""
    if table.key:
        yield f"Key: {', '.join(f'`{name}`' for name in table.key)}."
        yield ""
    titles = ("column", "type", "unit", "NULL", "description", "place on the page")
    rows = []
    for row in columns_of(table.name).to_pylist():
        nullable = "yes" if row["nullable"] else "no"
        place = f"`{row['place']}`" if row["place"] else None
        rows.append((f"`{row['column']}`", row["type"], row["unit"], nullable, prose(row["description"]), place))
    yield from markdown_table(titles, rows)
    yield ""
    if table.rules:
        yield f"Rules in addition to the ranges of the columns (full name: `{table.name}.` and the name of the rule):"
        yield ""
        titles = ("rule", "severity", "what must hold", "basis")
        rules = [(f"`{r.name}`", r.severity, prose(r.says(", ".join(r.columns))), prose(r.source)) for r in table.rules]
        yield from markdown_table(titles, rules)
        yield ""


# What views are made of.
_STAR = """\
                                  ┌─▶ hours (class_hour, cf_hour, …) ──────────────────┐
printed      what counts once     │                                                    ├─▶ finding
tables   ─▶  once_<table>     ─▶ intervals (cpu_by_class, cf_structure_interval, …) ───┤
             one row a key        │                                                    │
                                  └─▶ runs and configurations of studies ──────────────┘""".splitlines()


def views_page() -> str:
    """Every view: what a row is, what it is made of, the rest of its header comment, its columns."""
    lines = [GENERATED, "# Views", ""]
    lines += [
        "Each view is one SELECT in `pipeline/sql/views/`, but for `once_<table>`, which is made from the key of the table. This page shows header"
        " comments and columns.",
        "",
        "```",
        *_STAR,
        "```",
        "",
    ]
    for name, view in views().items():
        about = [line for line in view.doc.splitlines() if not line.startswith("Grain:")]
        if inputs := read_by(name):
            about.insert(0, f"Inputs: {', '.join(inputs)}.")
        lines += [f"## {name}", "", prose(f"{view.grain[0].upper()}{view.grain[1:]}."), ""]
        lines += [*(_sentences(about)), ""]
        if (table := name.removeprefix("once_")) != name and table in tables():
            lines += [f"Columns: those of [{table}](columns.md#{table}), `is_conflicting` and `refs`.", ""]
            continue
        rows = [
            (f"`{r['column']}`", r["type"], r["unit"], prose(r["description"])) for r in columns_of(name).to_pylist()
        ]
        lines += [*markdown_table(("column", "type", "unit", "description"), rows), ""]
    return "\n".join(lines).rstrip() + "\n"


def _sentences(header: Sequence[str]) -> Iterator[str]:
    """Lines of a header as a list: an item where a line begins with a word and a colon, or a sentence ended above."""
    items: list[str] = []
    for line in header:
        if items and not items[-1].endswith((".", ":")):
            items[-1] += f" {line}"
        else:
            items.append(line)
    yield from (f"- {prose(item)}" for item in items if item)


def cli_page() -> str:
    """The help of every command, as it prints it."""
    import typer
    from ironlake.pipeline.cli.commands import commands

    group = typer.main.get_group(commands())
    lines = [GENERATED, "# Commands", ""]
    lines += [
        "Data goes to standard output, progress to standard error. Exit codes: 0 success; 1 a file that could not be"
        " read, or rejects with `--strict`; 2 wrong usage; 130 interrupted; those of `ingest` are in [Nightly runs](nightly.md).",
        "",
        "Control characters and invisible format characters in text that is not Ironlake's own are shown as escapes (`\\x1b`), on a"
        " terminal and in table, markdown and text. JSON escapes them in its own way, which loses nothing. CSV is escaped on a terminal"
        " only: in a file or pipe it has every character of the data, so open it with a program that does not obey them.",
        "",
    ]
    lines += _command()
    for name, command in group.commands.items():
        lines += _command(name)
        for part in getattr(command, "commands", ()):
            lines += _command(name, part)
    return "\n".join(lines).rstrip() + "\n"


def findings_page() -> str:
    """What surprised us: the first line of each finding."""
    text = (DOCS / _FINDINGS).read_text()
    of = {
        path.name: path.read_text().splitlines()[1].removeprefix("# ")
        for path in sorted((ROOT / "findings").glob("*.sh"))
    }
    rows = ((f"[{name}]({name})", prose(said)) for name, said in of.items())
    table = "\n".join(markdown_table(("finding", "what happens"), rows))
    return text.partition("| finding |")[0] + table + "\n"


def _command(*names: str) -> list[str]:
    title = " ".join([f"{'#' * max(2, len(names) + 1)} ironlake", *names])
    return [title, "", "```", _help(*names), "```", ""]


def _help(*command: str) -> str:
    environment = os.environ | {"COLUMNS": "100"}
    script = Path(sys.executable).with_name("ironlake")
    return subprocess.run(
        [str(script), *command, "--help"], env=environment, check=True, capture_output=True, text=True
    ).stdout.rstrip()


GENERATED_PAGES = {"columns.md": columns_page, "views.md": views_page, "cli.md": cli_page, _FINDINGS: findings_page}


def pages(only: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Every page that is written or refreshed, or those in `only`, with the text that it must have."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        every = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
        shown = [p for p in every if (not only or p in only) and examples.commands(p.read_text())]
        answers = pool.map(refreshed_page, shown)
        for name, write in GENERATED_PAGES.items():
            page = Path(os.path.normpath(DOCS / name))
            if not only or page in only:
                yield page, write()
        yield from zip(shown, answers, strict=True)


def refreshed_page(page: Path) -> str:
    """A page with what the commands on it print now."""
    text = page.read_text()
    if page == ROOT / "README.md":
        text = with_report_table(text)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        if page == WORKED_EXAMPLE:
            examples.write(examples.files(text), folder)
            return examples.refreshed(text, folder)
        (folder / "sample_reports").symlink_to(ROOT / "sample_reports")
        return examples.refreshed(text, folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 if a page would change")
    parser.add_argument("pages", nargs="*", type=Path, help="pages to look at, from the project's folder (all)")
    given = parser.parse_args()
    if unknown := [page for page in given.pages if not (ROOT / page).is_file()]:
        parser.error(f"no such page: {', '.join(map(str, unknown))}")
    changed = 0
    for path, text in pages([ROOT / page for page in given.pages]):
        old = path.read_text() if path.exists() else ""
        if text == old:
            continue
        changed += 1
        name = path.relative_to(ROOT)
        if given.check:
            difference = difflib.unified_diff(old.splitlines(), text.splitlines(), f"{name}", "now", lineterm="", n=1)
            print(f"{name} is out of date; run make docs", *list(difference)[:60], sep="\n")
        else:
            path.write_text(text)
            print(f"wrote {name}")
    if not given.check and not given.pages:
        pictures.write()
    return int(given.check and changed > 0)


if __name__ == "__main__":
    sys.exit(main())
