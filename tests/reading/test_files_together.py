"""Files that are read together: each is read as it is alone, whatever stands in front of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import Random

import polars as pl
from ironlake.pipeline.reading.engine import read_text
from page_variants import every_of
from sample_pages import (
    OPTIONS,
    PUBLISHED,
    as_frame,
    document_files,
    parse_each,
    read_sample,
    row_lines,
    sample,
    sample_files,
)

SAMPLES = [path for path in [*sample_files(), *document_files()] if path.stem not in OPTIONS]
REAL = [path for path in PUBLISHED if path.stem not in OPTIONS]


def alone(path: Path) -> list[str]:
    return row_lines({name: table for name, table in read_sample(path).items() if table.height})


def together(paths: Sequence[Path]) -> dict[str, list[str]]:
    """The rows of each file, by its number."""
    found: dict[str, dict[str, pl.DataFrame]] = defaultdict(dict)
    for name, table in parse_each(path.read_bytes() for path in paths).tables.items():
        for (source_id,), rows in as_frame(table).partition_by("source_id", as_dict=True).items():
            found[source_id][name] = rows
    return {source_id: row_lines(tables) for source_id, tables in found.items()}


@every_of([*SAMPLES, *REAL], pages=12)
def test_each_page_is_read_as_it_is_alone(paths: list[Path], nth: int) -> None:
    paths = paths[::nth]
    expected = {path: alone(path) for path in paths}
    for seed in range(2):
        order = Random(seed).sample(paths, len(paths))
        found = together(order)
        assert sum(map(len, found.values())) > 8 * len(order)
        for number, path in enumerate(order):
            assert found.get(str(number), []) == expected[path], f"{path.name} behind {order[number - 1].name}"


def test_an_excerpt_is_read_behind_a_file_that_ends_with_another_section() -> None:
    """Rows of the excerpt have no place in a policy, and its own heading names no class."""
    paths = [sample("duration_report"), sample("excerpt_without_class_line")]
    found = together(paths)
    assert sum('"rmf_workload_response_breakdown"' in line for line in found["1"]) == 10
    assert not any('"parse_reject"' in line for lines in found.values() for line in lines)


def test_an_excerpt_on_a_page_of_its_own_is_read_behind_a_page_with_another_section() -> None:
    before, excerpt = (sample(name).read_text() for name in ("duration_report", "excerpt_without_class_line"))
    tables = read_text(before + "\f" + excerpt.lstrip("\n"))
    assert tables["parse_reject"].is_empty()
    assert set(tables["rmf_workload_response_breakdown"]["page"]) == {3}
    assert tables["rmf_workload_response_breakdown"].height == 10
    assert tables["rmf_workload_activity"].filter(page=3)["transactions_ended"].to_list() == [512]
