"""Bytes as files: opened, and read whole."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.files.source import CanonicalText, SkippedFile, Source, open_sources


@pytest.fixture
def opened_or_skipped(tmp_path: Path) -> Iterator[Callable[..., Source | SkippedFile]]:
    """Opens bytes as one file and gives its source or refusal."""
    sources: list[Source] = []
    names = iter(range(1000))

    def open_one(content: bytes, name: str = "", encoding: str = "auto") -> Source | SkippedFile:
        path = tmp_path / (name or f"report{next(names)}.txt")
        path.write_bytes(content)
        (found,) = open_sources([str(path)], Options(encoding=encoding), tmp_path / "spool")
        if isinstance(found, Source):
            sources.append(found)
        return found

    yield open_one
    for source in sources:
        source.close()
    assert not list((tmp_path / "spool").glob("*"))


@pytest.fixture
def opened(opened_or_skipped: Callable[..., Source | SkippedFile]) -> Callable[..., Source]:
    """Opens bytes that are a print file."""

    def open_one(content: bytes, **how: str) -> Source:
        source = opened_or_skipped(content, **how)
        assert isinstance(source, Source), source
        return source

    return open_one


@pytest.fixture
def skipped(opened_or_skipped: Callable[..., Source | SkippedFile]) -> Callable[..., SkippedFile]:
    """The refusal of bytes that are none."""

    def open_one(content: bytes, **how: str) -> SkippedFile:
        found = opened_or_skipped(content, **how)
        assert isinstance(found, SkippedFile), found
        return found

    return open_one


@pytest.fixture
def read(opened: Callable[..., Source]) -> Callable[..., CanonicalText]:
    """Opens bytes as one file and reads it whole; line count and end are as promised."""

    def read_one(content: bytes, **how: str) -> CanonicalText:
        source = opened(content, **how)
        chunk = source.read(0, 1 << 30)
        assert chunk.end == source.size
        assert chunk.text.count(b"\n") == source.lines
        assert len(chunk.control) in (0, source.lines)
        return chunk

    return read_one
