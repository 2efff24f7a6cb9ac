"""`pytest --shared`: only files that read published pages, and none of their tests left out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FILES = {
    "test_a.py": "def test_plain():\n    assert True\n",
    "test_b.py": "SHARED = 'there'\ndef test_page():\n    assert True\n",
    "test_c.py": "import pytest\nSHARED = 'away'\n@pytest.mark.skipif(True, reason='no pages')\ndef test_page():\n    assert True\n",
}


@pytest.mark.slow
def test_only_tests_of_published_pages_run_and_a_missing_page_fails(tmp_path: Path) -> None:
    for name, text in (FILES | {"conftest.py": (Path(__file__).parents[1] / "conftest.py").read_text()}).items():
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--shared", "--rootdir", tmp_path, tmp_path]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 passed, 1 error" in done.stdout
