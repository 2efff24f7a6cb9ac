"""`pytest --shared`: only files that read published pages, and none of their tests left out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

READS_NONE = "def test_plain():\n    assert True\n"
READS_SOME = "SHARED = 'there'\ndef test_page():\n    assert True\n"
SKIPS = (
    "import pytest\nSHARED = 'away'\n@pytest.mark.skipif(True, reason='no pages')\ndef test_page():\n    assert True\n"
)
COLLECTED_NOTHING = 5


@pytest.mark.parametrize(
    ("files", "code", "summary"),
    [
        ({"test_a.py": READS_NONE, "test_b.py": READS_SOME}, 0, "1 passed in"),
        ({"test_a.py": READS_NONE}, COLLECTED_NOTHING, "no tests ran"),
        ({"test_b.py": READS_SOME, "test_c.py": SKIPS}, 1, "1 passed, 1 error"),
    ],
    ids=["files_of_pages", "no_file_of_pages", "a_page_is_missing"],
)
def test_only_tests_of_published_pages_run_and_all_of_them(
    files: dict[str, str], code: int, summary: str, tmp_path: Path
) -> None:
    conftest = (Path(__file__).parents[1] / "conftest.py").read_text()
    for name, text in (files | {"conftest.py": conftest}).items():
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--shared", "--rootdir", tmp_path, tmp_path]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    assert summary in done.stdout
