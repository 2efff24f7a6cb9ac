"""Check a lake, and remove what is damaged."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import without_extra
from ..status_line import StatusLine
from .common import DEFAULT_LAKE, FormatOption, LakeOption, MemoryOption, typed, write_answer
from .kept_answer import KeptAnswer
from .outputs import ForceOption, outside_lakes

if TYPE_CHECKING:
    from ...dashboards.page_file import Output
    from ..quality.expectation_suites import ExpectationSuites
    from ..sql.open_lake import OpenLake


def check(
    lake: LakeOption = DEFAULT_LAKE,
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Remove damaged data from the lake and list the files to ingest again."),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Also write the results as an HTML page that works offline.", callback=outside_lakes
        ),
    ] = None,
    force: ForceOption = False,
    output_format: FormatOption = "table",
    memory: MemoryOption = None,
) -> None:
    """Check the lake: file integrity, totals, ranges, gaps.

    First, every file of the lake is compared with its checksum. If one is missing or damaged, the command stops with an
    error that names the sources of its rows.

    Then the values are checked: totals against their rows, rates against their counts, values against their range (also
    recorded in quality_result at each ingest). Across the whole lake: rows printed twice with different values, missing
    systems, intervals that overlap or leave a gap. Exit code 1 if there is an error; warnings alone give 0.

    \b
    Example:
      ironlake check --lake lake
      ironlake check --out quality.html --format csv
    """
    from ..lake.damage import damage_error, find_damage
    from ..lake.ledger import require_lake
    from ..sql.memory import memory_limit
    from ..sql.open_lake import open_lake

    memory_limit(memory)
    from ...dashboards.page_file import Output, require_own, write

    if out:
        require_own(Output(out, force=force))
    repaired = repair and _repair(lake)
    with open_lake(lake, memory) as opened:
        with StatusLine() as status:
            # However often it was asked: files may be damaged that nobody has written to.
            status.step("comparing files with their checksums")
            require_lake(lake).history()
            if found := find_damage(opened.path, opened.state):
                raise damage_error(opened.path, opened.state, found)
        command = typed(sys.argv[1:])
        known = KeptAnswer(lake, "check", str(lake), output_format, str(out), command, is_kept=not repaired)
        if known.is_known:
            if out:
                write(known.pages[0], out)
            known.give()
        else:
            output = (
                Output(out, force=force, command=command, lake=lake.name, written=known.pages.append) if out else None
            )
            with known.recorded():
                known.code = int(_check(opened, output, output_format, repaired))
    raise typer.Exit(known.code)


def _check(lake: OpenLake, out: Output | None, output_format: FormatOption, repaired: bool) -> bool:
    """Check the values, and print what is found; returns whether something is wrong, or was."""
    with StatusLine() as status:
        status.step("loading Great Expectations")
        from ..quality.check_lake import check as check_lake

        suites = _suites(out)
        results = check_lake(lake, suites, step=status.step)
    if suites is None:
        hint = "the same rules hold at ingest; pip install 'ironlake[check]' adds it"
        print(f"note: checked without Great Expectations: {hint}", file=sys.stderr)
    elif out:
        from ...dashboards.pages.quality import write_quality_page

        headline = write_quality_page(lake, results, suites.judged, out)
        print(f"{out.page}: {headline}", file=sys.stderr)
    if results.is_empty and not repaired:
        print(_all_is_well(lake), file=sys.stderr)
    write_answer(results.to_reader(), output_format)
    return repaired or results.has_errors


def _all_is_well(lake: OpenLake) -> str:
    parts = lake.state.parts.values()
    rows = sum(part.rows for part in parts)
    return f"{lake.path}: all is well: {len(parts):,} parts are as written, and {rows:,} rows break no rule"


def _suites(out: Output | None) -> ExpectationSuites | None:
    """None where Great Expectations is not installed: the rules are then applied as at ingest, and find the same. Raises UsageError where
    a page is asked for, which shows what Great Expectations judged."""
    try:
        from ..quality.expectation_suites import ExpectationSuites
    except ModuleNotFoundError as error:
        if error.name != "great_expectations":
            raise
        if out:
            raise without_extra("a page of the results", "Great Expectations", "check") from None
        return None
    return ExpectationSuites()


def _repair(lake: Path) -> bool:
    """Remove damaged data from the lake, and print the files to ingest again; returns whether there were any."""
    from ..lake.lake import Lake

    with Lake(lake) as target:
        wrong = target.damage()
        if wrong is None:
            return False
        lost = target.repair()
    done = "removed; ingest again:" if lost else "repaired; nothing to ingest again"
    print("\n".join([f"ironlake: {wrong.what}", done, *(f"  {entry.source_file}" for entry in lost)]), file=sys.stderr)
    return True
