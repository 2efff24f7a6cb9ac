"""What `make smoke` runs, and the faults that `tests/support/plant_faults.py` plants."""

from __future__ import annotations

import ast
import sys
from itertools import islice
from pathlib import Path

import pytest
from command_line import ended
from near_tests import EVERY_ROOM, near_tests
from plant_faults import AREAS, faults_of
from sample_pages import ROOT


def test_what_is_changed_has_near_tests():
    assert [test for test in EVERY_ROOM if not (ROOT / test).is_file()] == []
    assert "tests/reading/test_values.py" in near_tests(ROOT, "pipeline/reading/cast.py")
    assert "tests/sql/test_db2_statistics_views.py" in near_tests(ROOT, "pipeline/sql/views/report/db2_latch.sql")
    assert near_tests(ROOT, "tests/project/test_near_tests.py") == ["tests/project/test_near_tests.py"]


def test_a_fault_is_another_line_that_can_be_read():
    for area in AREAS:
        some = [*islice(faults_of(area, ROOT), 20)]
        assert len(some) == 20
        for fault in some:
            lines = (ROOT / fault.file).read_text("utf-8").split("\n")
            places = [number for number, line in enumerate(lines) if line == fault.line]
            lines[places[fault.nth]] = fault.becomes
            assert fault.becomes != fault.line
            if fault.file.endswith(".py"):
                ast.parse("\n".join(lines))


# --- `pytest --shared`: only tests that read published pages, and none of these left out ------------------------------


FILES = {
    "test_a.py": "def test_plain():\n    assert True\n",
    "test_b.py": "SHARED = 'there'\ndef read():\n    return [SHARED for _ in '1']\ndef test_page():\n    assert read()\ndef test_plain():\n    assert 0\n",
    "test_c.py": "import pytest\nSHARED = 'away'\n@pytest.mark.skipif(True, reason='no pages')\ndef test_page():\n    assert SHARED\n",
}


@pytest.mark.slow
def test_only_tests_of_published_pages_run_and_a_missing_page_fails(tmp_path: Path) -> None:
    for name, text in (FILES | {"conftest.py": (Path(__file__).parents[1] / "conftest.py").read_text()}).items():
        (tmp_path / name).write_text(text)
    done = ended(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--shared", "--rootdir", tmp_path, tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 passed, 1 deselected, 1 error" in done.stdout
