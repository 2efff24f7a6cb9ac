"""Lines that are wider than any page: nothing of them is read as something else, and what is not read is told."""

from __future__ import annotations

from ironlake.pipeline.reading.engine import read_text
from judged_inputs import judge
from sample_pages import sample


def test_a_heading_that_goes_on_beyond_the_widest_page() -> None:
    """A fuzzer found it: a column's title where no cell is looked for."""
    wide = sample("statistics_suspect_values").read_text().splitlines()
    at = next(k for k, line in enumerate(wide) if line.startswith("SQL DCL "))
    wide[at] += " " * 130 + "SQL DDL                    QUANTITY  /SECOND"
    wide[at + 1] += " " * 130 + "------------------------   --------  -------"
    assert judge(("\n".join(wide) + "\n").encode()) == ""
    found = read_text("\n".join(wide) + "\n")
    told = found["parse_reject"].filter(what="db2_statistics: text after column 200 is not read")
    assert told["line"].to_list() == [at + 1, at + 2]
    assert told["column"].to_list() == [201, 201]


def test_cells_beyond_the_widest_page_are_told() -> None:
    lines = sample("cpu_two_threads").read_text().splitlines()
    at = next(k for k, line in enumerate(lines) if line.lstrip().startswith("0 ") or line.startswith(" 0"))
    whole = read_text("\n".join(lines) + "\n")
    lines[at] = lines[at].ljust(230) + "77.7"
    found = read_text("\n".join(lines) + "\n")
    assert "text after column 200 is not read" in " ".join(found["parse_reject"]["what"])
    kept = found["rmf_cpu_activity"].drop("source_id")
    assert kept.equals(whole["rmf_cpu_activity"].drop("source_id"))
