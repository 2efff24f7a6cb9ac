"""Batches: where sources are cut, and that no cut and no number of workers changes a row."""

import gc
import hashlib
import os
import signal
import time
import weakref
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.files.segment import Segment
from ironlake.pipeline.files.source import Source, open_sources
from ironlake.pipeline.ingest import batches
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.ingest.workers import collector_paused
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.reading import engine
from ironlake.pipeline.reading.pages import find_lines, split
from reading_pages import records, report, text_of, with_asa
from report_forms import encoded_1047
from sizes import some

from benchmarks.corpus import write_corpus

SMALL = 32 << 10


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> str:
    """Pages of a dozen sites and two layouts, as text with LF."""
    path = tmp_path_factory.mktemp("corpus") / "mixed.txt"
    write_corpus(path, "mixed", 0.5, seed=5)
    return path.read_text()


@pytest.fixture(scope="module")
def in_text(corpus: str) -> dict[str, pl.DataFrame]:
    """Its rows, read in one piece."""
    return tables_in_one_piece(corpus.encode())


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(batches, "BATCH_BYTES", SMALL)
    monkeypatch.setattr(batches, "MOST_BYTES", 16 * SMALL)


def tables_of(lake: Path) -> dict[str, pl.DataFrame]:
    """Rows of every table of a lake, sorted, without the names of sources."""
    parts: dict[str, list[Path]] = {}
    for part in Ledger(lake).state().parts.values():
        parts.setdefault(part.table, []).append(lake / part.path)
    return {name: comparable(pl.concat([plain(pl.read_parquet(f)) for f in files])) for name, files in parts.items()}


def plain(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.col(pl.Categorical).cast(pl.String))


def comparable(frame: pl.DataFrame) -> pl.DataFrame:
    frame = frame.drop("source_id", "source_file")
    return frame.sort(frame.columns, nulls_last=True)


def tables_in_one_piece(content: bytes) -> dict[str, pl.DataFrame]:
    found = engine.read_text(content)
    return {name: comparable(frame) for name, frame in found.items() if len(frame)}


def assert_same(found: dict[str, pl.DataFrame], expected: dict[str, pl.DataFrame]) -> None:
    assert found.keys() == expected.keys()
    for name, frame in expected.items():
        assert found[name].equals(frame), name


def opened(path: Path, spool: Path) -> Source:
    (source,) = open_sources([str(path)], Options(), spool)
    assert isinstance(source, Source)
    return source


def asa(text: str) -> str:
    return "".join(("1" if "W O R K L O A D" in line else " ") + line + "\n" for line in text.splitlines())


FORMS: dict[str, Callable[[str], bytes]] = {
    "lf": str.encode,
    "crlf": lambda text: text.replace("\n", "\r\n").encode(),
    "asa": lambda text: asa(text).encode(),
    "form_feeds": lambda text: asa(text).replace("\n1", "\n\f").removeprefix("1").replace("\n ", "\n").encode(),
    "ebcdic": encoded_1047,
    "utf_16": lambda text: text.encode("utf-16"),
    "records_of_133_with_asa_in_ebcdic": lambda text: encoded_1047(records(asa(text).splitlines(), 133)),
}


# `make test` tries the form that changes most of the text.
@pytest.mark.parametrize("form", some(reversed(FORMS), 7))
@pytest.mark.usefixtures("small_batches")
def test_rows_pages_and_lines_are_those_of_the_file_in_one_piece(tmp_path, corpus, in_text, form):
    content = FORMS[form](corpus)
    path = tmp_path / "pages.txt"
    path.write_bytes(content)
    cuts = list(batches.plan([opened(path, tmp_path / "spool")]))
    assert len(cuts) > 3
    result = ingest([str(path)], tmp_path / "lake", Options())
    assert (result.files[0].status, result.files[0].rejects) == ("ingested", 0)
    expected = tables_in_one_piece(content)
    assert_same(tables_of(tmp_path / "lake"), expected)
    assert expected["rmf_workload_activity"]["page"].sort()[-1] > 50
    assert_same(expected, in_text)


@pytest.mark.usefixtures("small_batches")
def test_batches_join_without_a_gap_and_begin_where_an_interval_does(tmp_path, corpus):
    path = tmp_path / "pages.txt"
    path.write_text(corpus)
    source = opened(path, tmp_path / "spool")
    cuts = [batch.ranges[0] for batch in batches.plan([source])]
    assert [c.start for c in cuts] == [0, *(c.end for c in cuts[:-1])]
    assert cuts[-1].end == source.size
    lines = corpus.splitlines()
    for earlier, later in pairwise(cuts):
        assert "W O R K L O A D" in lines[later.first_line - 1]
        before = corpus.encode()[earlier.start : earlier.end].decode().splitlines()
        heading = interval_of(lines[later.first_line - 1 :])
        last = max(number for number, line in enumerate(before) if "W O R K L O A D" in line)
        assert heading != interval_of(before[last:])


def interval_of(page: list[str]) -> list[str]:
    return [line.strip() for line in page[:8] if line.strip() and "PAGE " not in line][1:3]


@pytest.mark.slow
def test_any_number_of_workers_writes_the_same_parts(tmp_path, corpus, monkeypatch):
    # Spawned workers get their batches from this process: only the cutting has to know the small size.
    monkeypatch.setattr(batches, "BATCH_BYTES", SMALL)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "large.txt").write_text(corpus)
    write_corpus(tmp_path / "in" / "small", "many_small_files", 0.1, seed=3)
    write_corpus(tmp_path / "in" / "rejects.txt", "dense_rejects", 0.05, seed=4)
    made = []
    for jobs in (1, 3):
        lake = tmp_path / f"lake{jobs}"
        result = ingest([str(tmp_path / "in")], lake, Options(), jobs=jobs)
        assert {f.status for f in result.files} == {"ingested"}
        files = {p.relative_to(lake).as_posix(): p for p in lake.glob("[!_]*/*.parquet")}
        made.append({name: hashlib.sha256(p.read_bytes()).hexdigest() for name, p in files.items()})
    assert len(made[0]) > 30
    assert made[0] == made[1]


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("control", [True, False])
def test_pages_that_all_name_one_interval_are_cut_at_a_page(tmp_path, control):
    lines = report(1000)
    content = "".join(line + "\n" for line in (with_asa(lines) if control else lines)).encode()
    path = tmp_path / "one_interval.txt"
    path.write_bytes(content)
    source = opened(path, tmp_path / "spool")
    cuts = [batch.ranges[0] for batch in batches.plan([source])]
    assert len(cuts) > 2
    assert max(c.end - c.start for c in cuts) <= 16 * SMALL
    assert [c.first_page for c in cuts] == [(c.first_line - 1) // 16 + 1 for c in cuts]
    ingest([str(path)], tmp_path / "lake", Options())
    assert_same(tables_of(tmp_path / "lake"), tables_in_one_piece(text_of(lines)))


def test_page_numbers_beside_the_title_begin_no_interval(tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "BATCH_BYTES", 2000)
    lines = []
    for number in range(1, 100):
        day = 1 + (number > 30)
        title = f"{'':40}W O R K L O A D   A C T I V I T Y".ljust(116) + f"PAGE {number:4}"
        lines += [title, f"  z/OS V2R2   SYSPLEX LAKEPLEX   DATE 03/0{day}/2024", "  a line of the page", ""]
    path = tmp_path / "pages.txt"
    path.write_text("1" + "\n1".join("\n ".join(lines[n : n + 4]) for n in range(0, len(lines), 4)) + "\n")
    cuts = [batch.ranges[0] for batch in batches.plan([opened(path, tmp_path / "spool")])]
    assert [c.first_page for c in cuts] == [1, 31]


def test_small_sources_share_batches(tmp_path):
    write_corpus(tmp_path / "in", "many_small_files", 0.4, seed=3)
    sources = [s for s in open_sources([str(tmp_path / "in")], Options(), tmp_path / "spool") if isinstance(s, Source)]
    (batch,) = batches.plan(sources)
    assert [s.source for s in batch.ranges] == sources
    assert all((s.start, s.end, s.first_line, s.first_page) == (0, s.source.size, 1, 1) for s in batch.ranges)
    many = [sources[0]] * (batches.MOST_SOURCES + 1)
    assert [len(b.ranges) for b in batches.plan(many)] == [batches.MOST_SOURCES, 1]


def test_parts_carry_what_the_declaration_says(tmp_path, corpus):
    path = tmp_path / "pages.txt"
    path.write_text(corpus)
    ingest([str(path)], tmp_path / "lake", Options())
    (part,) = (tmp_path / "lake" / "rmf_workload_activity").iterdir()
    field = pq.read_schema(part).field("appl_cp_pct")
    assert field.metadata[b"unit"] == b"% of one engine"


def test_the_same_sources_in_another_order_give_the_same_parts(tmp_path, corpus):
    """Two ingests at once may write the same part."""
    half = corpus.index("\n", len(corpus) // 2) + 1
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for file, text in zip(files, (corpus[:half], corpus[half:]), strict=True):
        file.write_text(text)
    made = []
    for lake, order in (("one", files), ("two", files[::-1])):
        result = ingest([str(f) for f in order], tmp_path / lake, Options())
        assert [f.path for f in result.files] == [str(f) for f in order]
        made.append({p.name: p.read_bytes() for p in (tmp_path / lake).glob("[!_]*/*.parquet")})
        by_path = {f.path: f.rows for f in result.files}
        assert len({str(rows) for rows in by_path.values()}) == 2
        made[-1]["rows"] = str(sorted(by_path.items())).encode()
    assert made[0] == made[1]


def test_lines_and_pages_of_many_small_files_are_those_of_each() -> None:
    title = "                  W O R K L O A D   A C T I V I T Y\n"
    texts = [
        (title + "a\n", b""),
        ("", b""),
        ("of a page that begins elsewhere\n\n" + title + "cut", b""),
        ("\n\n", b""),
        ("\n" + title + "a\n", b"1 0"),
        ("above\n" + title, b" 1"),
        (title + "\n" + title, b""),
    ]
    segments = [Segment(str(k), "f", text.encode(), control, 5, 3) for k, (text, control) in enumerate(texts)]
    segments[5] = replace(segments[5], split=split(segments[5].text, segments[5].control))
    together = find_lines(segments)
    assert together.counts.tolist() == [[2, 0], [0, 0], [4, 1], [2, 2], [3, 1], [2, 0], [3, 1]]
    assert together.pages.tolist() == [1, 0, 2, 0, 1, 2, 2]
    for k, segment in enumerate(segments):
        alone, mine = find_lines([segment]), together.segment == k
        assert together.text.filter(pl.Series(mine)).to_list() == alone.text.to_list()
        for name in ("number", "page", "report"):
            assert getattr(together, name)[mine].tolist() == getattr(alone, name).tolist()
        assert together.counts[k].tolist() == alone.counts[0].tolist()


def test_an_interrupt_among_destructors_is_not_lost():
    """The reader holds back the collector in a batch, and lets it run at the end."""

    class Cycle:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)  # Python handles signals between two steps

    with pytest.raises(KeyboardInterrupt), collector_paused():
        Cycle()


def test_the_collector_looks_at_a_batch_alone():
    class Cycle:
        def __init__(self) -> None:
            self.itself = self

    before = weakref.ref(Cycle())
    with collector_paused():
        within = weakref.ref(Cycle())
        assert not gc.isenabled()
    assert gc.isenabled()
    assert within() is None
    assert before() is not None
    # Nothing stays out of its reach.
    assert gc.get_freeze_count() == 0
    gc.collect()
    assert before() is None
