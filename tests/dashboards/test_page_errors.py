"""What stops a page of runs, and what a page does not overwrite."""

import datetime as dt
import os
from pathlib import Path

import pytest
from compared_runs import RUNS, class_rows
from ironlake.dashboards.page_file import write
from ironlake.dashboards.pages.study import compare_runs
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.study.windows import Window
from views_lake import START, MemoryLake


def test_window_without_data_lists_what_there_is(tmp_path: Path):
    lake = MemoryLake(rmf_workload_activity=class_rows())
    with pytest.raises(IronlakeError) as caught:
        compare_runs(lake, {"x": [Window(dt.datetime(1999, 1, 1), dt.datetime(1999, 1, 2))]}, tmp_path / "page.html")
    assert "the window of x (1999-01-01 00:00:00 to 1999-01-02 00:00:00) has no data" in str(caught.value)
    assert "PLEX1: 2021-04-13T10:00:00 to 2021-04-13T10:02:00, 2 interval reports of about 60 s" in str(caught.value)
    assert not (tmp_path / "page.html").exists()
    with pytest.raises(IronlakeError, match="no workload activity by class"):
        compare_runs(MemoryLake(), RUNS, tmp_path / "page.html")
    with pytest.raises(IronlakeError, match="no window"):
        compare_runs(MemoryLake(), {}, tmp_path / "page.html")
    with pytest.raises(IronlakeError, match="ends before it starts"):
        compare_runs(MemoryLake(), {"x": [Window(START, START)]}, tmp_path / "page.html")


def test_a_page_that_cannot_be_written_is_an_error_and_replaces_no_fifo(tmp_path: Path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(IronlakeError, match="cannot be written"):
        write("page", tmp_path / "taken" / "page.html")
    fifo = tmp_path / "page.html"
    os.mkfifo(fifo)
    with pytest.raises(IronlakeError, match=r"page\.html is not a regular file"):
        write("page", fifo)
    assert [p.name for p in tmp_path.iterdir() if p.is_fifo()] == ["page.html"]


def test_a_half_written_page_follows_no_link_and_is_not_left(tmp_path: Path):
    other = tmp_path / "other.txt"
    other.write_text("kept")
    (tmp_path / "page.html.partial").symlink_to(other)
    write("page", tmp_path / "page.html")
    assert other.read_text() == "kept"
    assert (tmp_path / "page.html").read_text() == "page"
    assert sorted(os.listdir(tmp_path)) == ["other.txt", "page.html"]
