"""A lake with files that are gone or not what was written: no number of them is read, the loss is named, and it heals."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Command
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError, UsageError
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake.damage import find_damage
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger
from lake_rows import DMY, add, answers, entry
from sample_pages import sample

TABLE = "rmf_workload_activity"
# The first two are read in one batch and share their parts; the third came later.
SHARED_PAGES = ("g2_every_cell_differs", "g3_every_cell_differs")
ALONE = "velocity_goal"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[tuple]]]:
    """A folder with pages and their lake, and the lake's rows."""
    folder = tmp_path_factory.mktemp("damage")
    for name in (*SHARED_PAGES, ALONE):
        shutil.copy(sample(name), folder / f"{name}.txt")
    ingest([str(folder / f"{name}.txt") for name in SHARED_PAGES], folder / "lake", Options())
    ingest([str(folder / f"{ALONE}.txt")], folder / "lake", Options())
    return folder, answers(folder / "lake")


@pytest.fixture
def lake(made: tuple[Path, dict[str, list[tuple]]], tmp_path: Path) -> Path:
    shutil.copytree(made[0] / "lake", tmp_path / "lake")
    return tmp_path / "lake"


def shared_part(lake: Path) -> Path:
    (part,) = [p for p in Ledger(lake).state().parts_of(TABLE) if len(p.source_ids) == 2]
    return lake / part.path


def flip(path: Path, at: int, bit: int = 0) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1 << bit
    path.write_bytes(content)


def flip_in_the_data(path: Path) -> None:
    # Past the magic bytes and the header of the first page, within its values.
    flip(path, 60)


DAMAGES = [
    pytest.param(Path.unlink, "is missing", id="deleted", marks=pytest.mark.slow),
    pytest.param(lambda p: p.write_bytes(p.read_bytes()[:-1000]), "bytes instead of", id="cut_short"),
    pytest.param(flip_in_the_data, "is corrupt", id="a_bit_flipped"),
]


@pytest.mark.parametrize(("damage", "words"), DAMAGES)
def test_damage_is_named_taken_out_and_healed_by_a_new_ingest(
    run: Command, made: tuple[Path, dict[str, list[tuple]]], lake: Path, damage: Callable[[Path], None], words: str
):
    folder, expected = made
    damage(shared_part(lake))
    code, out, err = run("sql", f"SELECT * FROM {TABLE}", "--lake", lake)
    assert (code, out) == (1, "")
    assert "ironlake check --repair" in err

    code, out, err = run("check", "--lake", lake)
    assert (code, out) == (1, "")
    assert f"the lake {lake} is damaged:\n{TABLE}/" in err
    assert words in err
    assert all(f"{name}.txt" in err for name in SHARED_PAGES)
    assert ALONE not in err
    assert err.endswith("hint: ironlake check --repair removes damaged data and lists the files to ingest again\n")

    if words == "is missing":
        code, _, err = run("check", "--repair", "--lake", lake)
        assert code == 1
        assert err.endswith("removed; ingest again:\n" + "".join(f"  {folder / n}.txt\n" for n in SHARED_PAGES))
    else:
        # As the command does, which then judges the values of the lake.
        with Lake(lake) as damaged:
            assert [Path(e.source_file).stem for e in damaged.repair()] == [*SHARED_PAGES]
    with open_lake(lake) as opened:
        query = "SELECT parse_filename(source_file, true), status FROM ingest_file ORDER BY ALL"
        there = [(SHARED_PAGES[0], "failed"), (SHARED_PAGES[1], "failed"), (ALONE, "ingested")]
        assert opened.sql(query).fetchall() == there
        for table in opened.tables:
            sources = opened.sql(f"SELECT DISTINCT source_file FROM {table}").fetchall() if opened.rows(table) else []
            assert table == "ingest_file" or sources in ([], [(str(folder / f"{ALONE}.txt"),)]), table
    code, out, _ = run("ingest", *(folder / f"{name}.txt" for name in SHARED_PAGES), "--lake", lake, "--format", "json")
    assert code == 0
    assert [f["status"] for f in json.loads(out)["files"]] == ["ingested", "ingested"]
    assert answers(lake) == expected
    with open_lake(lake) as opened:
        assert find_damage(lake, opened.state) == {}


def test_an_ingest_does_not_go_on_over_a_part_that_is_gone(lake: Path, made: tuple[Path, dict[str, list[tuple]]]):
    """Its sources would be told to be there already."""
    shared_part(lake).unlink()
    with pytest.raises(IronlakeError, match=r"is missing \(.* rows of .*g2_every_cell_differs.txt"):
        ingest([str(made[0] / f"{SHARED_PAGES[0]}.txt")], lake, Options())


def test_other_tables_are_still_read(lake: Path) -> None:
    shared_part(lake).unlink()
    with open_lake(lake) as opened:
        assert opened.sql("SELECT count(*) > 0 FROM rmf_workload_goal").fetchall() == [(True,)]
        with pytest.raises(IronlakeError) as caught:
            opened.sql(f"SELECT count(*) FROM {TABLE}").fetchall()
    assert not isinstance(caught.value, UsageError)


def test_a_bit_flipped_anywhere_is_found(lake: Path) -> None:
    part, state = shared_part(lake), Ledger(lake).state()
    content = part.read_bytes()
    for at in range(0, len(content), len(content) // 60):
        flip(part, at, at % 8)
        assert [lake / p.path for p in find_damage(lake, state)] == [part], at
        part.write_bytes(content)


def test_a_bit_flipped_in_printed_values_is_no_other_value(lake: Path) -> None:
    """Pages have checksums, which a query looks at: each is flipped in turn, behind the magic number of its compression."""
    part = shared_part(lake)
    content = part.read_bytes()
    places = [m.end() + 2 for m in re.finditer(rb"\x28\xb5\x2f\xfd", content)]
    assert len(places) > 100
    for at in places[::24]:
        flip(part, at, at % 8)
        with open_lake(lake) as opened, pytest.raises(IronlakeError, match="is corrupt"):
            opened.sql(f"SELECT * FROM {TABLE}").fetchall()
        part.write_bytes(content)


def test_a_bit_flipped_in_the_footer_is_no_other_value(lake: Path) -> None:
    """Parquet has no checksum of what says where values are and which of them are NULL."""
    part = shared_part(lake)
    content = part.read_bytes()
    size = int.from_bytes(content[-8:-4], "little")
    for at in range(len(content) - 8 - size, len(content), size // 8):
        flip(part, at, at % 8)
        with open_lake(lake) as opened, pytest.raises(IronlakeError, match="is corrupt"):
            opened.sql(f"SELECT * FROM {TABLE}").fetchall()
        part.write_bytes(content)


def test_what_is_damaged_is_neither_merged_nor_rewritten(tmp_path: Path) -> None:
    """With a checksum of its own, nobody could tell it any more."""
    lake = Lake(tmp_path / "lake")
    for number in range(4):
        add(lake, entry(f"s{number}"))
    add(lake, entry("left"), entry("right"))
    parts = Ledger(lake.path).state().parts
    flip_in_the_data(lake.path / list(parts)[1])
    assert lake.compact(most_small_parts=2) == 4
    assert list(parts)[1] in Ledger(lake.path).state().parts
    (shared,) = [p for p in Ledger(lake.path).state().parts.values() if p.path in parts]
    assert len(find_damage(lake.path, Ledger(lake.path).state())) == 1

    other = Lake(tmp_path / "other")
    add(other, entry("left"), entry("right"))
    (path,) = Ledger(other.path).state().parts
    flip_in_the_data(other.path / path)
    step = Ledger(other.path).state().step
    with pytest.raises(IronlakeError, match="is corrupt"):
        add(other, entry("left", DMY, lines=3))
    assert Ledger(other.path).state().step == step
    assert shared
