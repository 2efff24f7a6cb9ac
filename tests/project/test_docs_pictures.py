"""The pictures at the top of README.md and of the documentation show what the pages say now."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_MOST_BYTES = 150_000


@pytest.mark.slow
def test_pictures_of_pages_are_current_and_small(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    import pictures

    assert [name for name, _ in pictures.outdated()] == [], "make docs makes them anew"
    for name in pictures.PAGES:
        file = pictures.PICTURES / f"{name}.png"
        assert file.read_bytes().startswith(b"\x89PNG")
        assert file.stat().st_size <= _MOST_BYTES
        assert f"pictures/{name}.png" in (ROOT / "docs" / "index.md").read_text("utf-8")
    assert "pictures/comparison.png" in (ROOT / "README.md").read_text("utf-8")
