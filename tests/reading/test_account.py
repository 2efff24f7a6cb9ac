"""An account of every line: blank, claimed, not read, rejected or of an unknown report, each counted by itself, and together all."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from pathlib import Path
from random import Random

import pytest
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.reading import engine
from page_variants import every_of, turns
from reading_pages import report
from sample_pages import REAL_PAGES, options_of, parse_each, sample_files


def assert_every_line_is_accounted_for(texts: list[bytes], options: Options) -> engine.Parsed:
    found = parse_each(texts, options)
    told = dict.fromkeys(range(len(texts)), 0)
    for row in found.tables["parse_reject"].to_pylist() if "parse_reject" in found.tables else ():
        told[int(row["source_id"])] += row["lines"]
    unread = dict.fromkeys(range(len(texts)), 0)
    for row in found.tables["unread_section"].to_pylist() if "unread_section" in found.tables else ():
        unread[int(row["source_id"])] += row["lines"]
    for number, (text, counts) in enumerate(zip(texts, found.counts, strict=True)):
        lines = text.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
        lines = lines[:-1] if not lines[-1] else lines
        assert counts.lines == len(lines)
        as_read = engine.canonical_segment(text, "page.txt", options).text.decode().split("\n")[:-1]
        assert counts.blank == sum(not line.strip() for line in as_read)
        assert counts.lines == counts.blank + counts.claimed + counts.unread + counts.rejected + counts.unknown
        assert min(counts.claimed, counts.unread, counts.rejected, counts.unknown) >= 0
        assert counts.unread == unread[number]
        assert counts.rejected <= told[number], "a line that no reject stands for"
    return found


@every_of(sample_files(), pages=4, nth=3)
def test_every_line_of_a_sample_and_of_its_damaged_pages_is_accounted_for(paths: list[Path], nth: int) -> None:
    for (_, options), of_report in groupby(paths, lambda path: (path.parent, options_of(path))):
        texts = []
        for path in of_report:
            random, lines = Random(path.stem), path.read_bytes().splitlines(keepends=True)
            damaged = [b"".join(damage(lines, random)) for _ in range(12)]
            readable = [page for page in turns(damaged, nth, path.stem) if is_readable(page)]
            assert len(readable) >= 6 // nth or "carriage_control" in path.stem
            texts += [path.read_bytes(), *readable]
        assert_every_line_is_accounted_for(texts, options)


def is_readable(page: bytes) -> bool:
    """Whether the file is read at all: one with carriage control on some lines is refused whole."""
    try:
        engine.canonical_segment(page, "page.txt", Options())
    except IronlakeError:
        return False
    return True


def damage(lines: list[bytes], random: Random) -> list[bytes]:
    """The page with lines lost, doubled, out of order, cut, and strange ones among them."""
    out = list(lines)
    for _ in range(random.randint(1, 8)):
        at = random.randrange(len(out))
        match random.randrange(5):
            case 0:
                del out[at : at + random.randint(1, 6)]
            case 1:
                out[at:at] = out[at : at + random.randint(1, 6)]
            case 2:
                other = random.randrange(len(out))
                out[at], out[other] = out[other], out[at]
            case 3:
                out[at] = out[at].rstrip(b"\n")[: random.randint(0, len(out[at]))] + b"\n"
            case 4:
                out.insert(at, bytes(random.choices(b" ABC12.-*:\t", k=60)) + b"\n")
        if not out:
            return list(lines)
    return out


@pytest.mark.skipif(not REAL_PAGES, reason="published pages are no part of the project")
def test_every_line_of_published_pages_is_accounted_for() -> None:
    found = assert_every_line_is_accounted_for([p.read_bytes() for p in REAL_PAGES], Options())
    assert sum(c.claimed for c in found.counts) > 500


def test_lines_without_a_place_and_of_unknown_reports_are_told_apart() -> None:
    page = "\n".join(report(1)) + "\n??? 1\n??? 2\n\n"
    stranger = " " * 40 + "D I R E C T   A C C E S S   A C T I V I T Y\n  DEV 0A01\n\n"
    counts = parse_each([page + stranger]).counts[0]
    assert (counts.rejected, counts.unknown, counts.unknown_pages) == (2, 2, 1)
    assert counts.blank == page.count("\n\n") + 1
    assert counts.claimed == counts.lines - counts.blank - 4


def test_a_line_of_which_one_cell_cannot_be_read_is_claimed() -> None:
    page = "\n".join(report(1)).replace("64.307", "6x.307") + "\n"
    counts = parse_each([page]).counts[0]
    assert (counts.rejects, counts.rejected, counts.unknown) == (1, 0, 0)


@pytest.mark.parametrize("lost", ["lines", "claimed"])
def test_a_source_whose_account_does_not_close_is_kept_out_and_the_others_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    """What cannot happen is looked for nevertheless: a defect that loses lines must not pass in silence."""
    (tmp_path / "a.txt").write_text("\n".join(report(1)) + "\n")
    (tmp_path / "b.txt").write_text("\n".join(report(2)) + "\n")
    parse = engine.parse

    def losing(segments, options):
        found = parse(segments, options)
        counts = [
            replace(c, **{lost: getattr(c, lost) - 1}) if s.source_file.endswith("a.txt") else c
            for s, c in zip(segments, found.counts, strict=True)
        ]
        return replace(found, counts=counts)

    monkeypatch.setattr(engine, "parse", losing)
    done = ingest([str(tmp_path / "a.txt"), str(tmp_path / "b.txt")], tmp_path / "lake", Options())
    assert {Path(f.path).name: f.status for f in done.files} == {"a.txt": "failed", "b.txt": "ingested"}
    lines = len(report(1))
    looked_at = lines - (lost == "lines")
    error = next(f.error for f in done.files if f.status == "failed") or ""
    assert f"{lines} lines in the file, {looked_at} read, {lines - (lost == 'claimed')} accounted for" in error
    with open_lake(tmp_path / "lake") as lake:
        assert lake.sql("SELECT count(*) FROM rmf_workload_activity").fetchall() == [(2,)]
