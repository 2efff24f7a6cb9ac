"""JMH results as people keep them: behind the words of a build tool, in comments and mails, among free text."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ironlake.pipeline.reading.engine import read_text
from sample_pages import NOT_PRINTED, Tables, sample, sample_files, sample_tables

RESULT, REJECT = "jmh_result", "parse_reject"
LOGS = [path for path in sample_files() if path.parent.name == "jmh" and "time_stamps" not in path.stem]
# What stands in front of line k.
FRONTS = {
    "sbt": lambda k: "[info] ",
    "maven": lambda k: "[INFO] ",
    "star": lambda k: "   * ",
    "comment": lambda k: "//",
    "mail": lambda k: "> ",
    "shell": lambda k: "# ",
    "container": lambda k: "bench-1  | ",
    "clock": lambda k: f"09:41:{k % 60:02} ",
    "server": lambda k: f"2025-11-03T09:41:{k % 60:02}.{k:03}Z ",
    "colours": lambda k: "\x1b[0m[\x1b[36minfo\x1b[0m] \x1b[0m",
    "logger": lambda k: f"2025-11-03 09:41:{k % 60:02},{k:03} INFO  [main] o.e.j.Runner - ",
}
WORDS = st.text(st.characters(codec="ascii", categories=("L", "N", "P", "S", "Zs")), max_size=60)


def rows(tables: Tables, *without: str) -> pl.DataFrame:
    return tables[RESULT].drop(*NOT_PRINTED, *without)


@pytest.mark.parametrize("front", FRONTS)
def test_what_stands_in_front_of_every_line_is_taken_off(front: str) -> None:
    for path in LOGS:
        lines = path.read_text().splitlines()
        end = "\x1b[0m\n" if front == "colours" else "\n"
        found = read_text("".join(FRONTS[front](k) + line + end for k, line in enumerate(lines)))
        whole = sample_tables(path)
        assert rows(found).equals(rows(whole)), path.stem
        assert found[REJECT]["what"].to_list() == whole[REJECT]["what"].to_list(), path.stem


def test_a_row_with_another_front_than_its_heading_is_a_reject() -> None:
    lines = sample("jmh_profiler_and_groups").read_text().splitlines()
    row = next(k for k, line in enumerate(lines) if line.startswith("Queue.both:offer"))
    for front in ("", "[warn] ", "[inf] "):
        found = read_text("".join(("[info] " if k != row else front) + line + "\n" for k, line in enumerate(lines)))
        assert found[REJECT]["line"].to_list() == [row + 1]
        assert (found[RESULT].height, found[RESULT]["score"].count()) == (5, 3)


@given(above=st.lists(WORDS, max_size=8), below=st.lists(WORDS, max_size=8))
def test_the_text_around_a_table_is_free(above: list[str], below: list[str]) -> None:
    """Whatever a profiler prints."""
    whole = sample("jmh_profiler_and_groups").read_text()
    table = whole[whole.index("Benchmark  ") : whole.index("\n\nBenchmark result")]
    text = ["# JMH version: 1.37", *above, "# Run complete. Total time: 00:00:21", *above, table, "Done", *below, ""]
    found = read_text("\n".join(text))
    assert found[REJECT].height == 0
    expected = sample_tables(sample("jmh_profiler_and_groups"))
    assert rows(found, "page", "line").equals(rows(expected, "page", "line"))


def test_a_damaged_last_row_is_no_text_below_the_table() -> None:
    text = sample("jmh_profiler_and_groups").read_text()
    last = "Queue.both:p0,50 "
    assert last in text
    for damaged in ("Queue.both:p0", "[x] Queue.both:p0,50    64  ring buffer sam"):
        begin = text.index(last)
        found = read_text(text[:begin] + damaged + text[text.index("\n", begin) :])
        assert found[RESULT].height == 4
        assert found[REJECT]["text"].to_list() == [damaged]
