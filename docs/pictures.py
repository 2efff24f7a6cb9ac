"""Makes the pictures at the top of README.md and of docs/index.md: the first screens of the comparison of the demo and of the page of a lake.

python docs/pictures.py          # write docs/pictures/; needs Chrome or Chromium
python docs/pictures.py --check  # write nothing; end with 1 if a page says something else than its picture shows

Beside each picture lies what its page said when it was made: a picture is current while the page says the same. `make docs` makes it anew where not.
"""

import html
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import ironlake
from ironlake.dashboards.charts.image_files import write_screen
from ironlake.dashboards.lake_page.gather import Wanted, lake_page
from ironlake.dashboards.lake_page.page import document
from ironlake.models.generate import Order, generate
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.sql.open_lake import open_lake

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
_WIDTH, _HEIGHT = 1160, 760
_RUNS = {"before": "2021-04-13T10:00/11:00", "after": "2021-04-14T10:00/11:00"}


def comparison(folder: Path) -> str:
    """The page of the demo's comparison."""
    ingest([str(ROOT / "sample_reports" / "demo")], folder / "demo", Options(), jobs=1)
    ironlake.compare(runs=_RUNS, lake=folder / "demo", out=folder / "demo.html")
    return (folder / "demo.html").read_text("utf-8")


def lake(folder: Path) -> str:
    """The page of the last days of a lake of made-up reports."""
    generate(ROOT / "tests" / "dashboards" / "small_month.yaml", folder / "reports", Order())
    ingest([str(folder / "reports")], folder / "lake", Options(), jobs=1)
    with open_lake(folder / "lake") as opened:
        return document(lake_page(opened, Wanted(30, None, "ironlake page")))


PAGES = {"comparison": comparison, "lake": lake}


def said(page: str) -> str:
    """What the first screen of a page says: its heading, and its text for a mail, without when it was made."""
    heading = re.findall(r"<h1[^>]*>(.*?)</h1>", page, re.S)
    text = re.findall(r'<pre id="summary-text">(.*?)\s+Made ', page, re.S)
    return html.unescape("\n".join([*heading[:1], *text[:1]])).strip() + "\n"


def outdated() -> Iterator[tuple[str, str]]:
    """The pictures whose page says something else, with that page."""
    with tempfile.TemporaryDirectory() as folder:
        for name, make in PAGES.items():
            page, known = make(Path(folder)), PICTURES / f"{name}.txt"
            if not known.is_file() or known.read_text("utf-8") != said(page) or not known.with_suffix(".png").is_file():
                yield name, page


def write() -> None:
    PICTURES.mkdir(exist_ok=True)
    for name, page in outdated():
        write_screen(page, PICTURES / f"{name}.png", _WIDTH, _HEIGHT)
        (PICTURES / f"{name}.txt").write_text(said(page), "utf-8")
        print(f"wrote docs/pictures/{name}.png")


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        names = [name for name, _ in outdated()]
        print(*(f"docs/pictures/{name}.png is out of date; run make docs" for name in names), sep="\n")
        sys.exit(bool(names))
    write()
