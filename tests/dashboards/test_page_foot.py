"""The foot of a page: when, by which version, of which lake and with which command it was made, and no folder of the machine."""

import datetime as dt
from importlib.metadata import version
from pathlib import Path

from ironlake.dashboards.document import Page, publish
from ironlake.dashboards.page_file import Output
from ironlake.dashboards.references import distinct_tails
from ironlake.pipeline.cli.common import typed


def test_the_foot_says_how_the_page_was_made(tmp_path: Path):
    page = Page("T", "H", "", "quality.html", {"parts": [], "sources": None}, {})
    publish(page, Output(tmp_path / "page.html", command="ironlake compare <x>", lake="prod"))
    text = (tmp_path / "page.html").read_text("utf-8")
    assert f"Made {dt.date.today():%Y-%m-%d} by Ironlake {version('ironlake')} from printed reports, lake prod." in text
    assert "<code>ironlake compare &lt;x&gt;</code>" in text
    publish(page, Output(tmp_path / "page.html"))
    assert "Made by:" not in (tmp_path / "page.html").read_text("utf-8")


def test_a_command_names_no_folder_above_and_other_programs_none():
    words = [
        "compare", "/data/study.yaml", "--out=/srv/www/page.html", "--lake", "data/lake", "--run",
        "a=2021-04-13T10:00/11:00",
    ]  # fmt: skip
    assert typed(words, "/usr/local/bin/ironlake") == (
        "ironlake compare study.yaml --out=page.html --lake data/lake --run a=2021-04-13T10:00/11:00"
    )
    assert typed(words, "/usr/bin/pytest") == ""


def test_files_keep_the_folders_that_tell_them_apart():
    assert distinct_tails({"a": "/x/mon/wlm.txt", "b": "/x/tue/wlm.txt", "c": "/x/cf.txt", "d": "s1.yaml, /y/s2.yaml"}) == {
        "a": "mon/wlm.txt", "b": "tue/wlm.txt", "c": "cf.txt", "d": "s1.yaml, s2.yaml",
    }  # fmt: skip
    # One file that was ingested twice has one name.
    assert distinct_tails({"a": "/x/wlm.txt", "b": "/x/wlm.txt"}) == {"a": "wlm.txt", "b": "wlm.txt"}
