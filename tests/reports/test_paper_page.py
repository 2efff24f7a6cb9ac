"""The report class of IBM REDP-5208: the sample prints it in its true layout."""

from __future__ import annotations

import pytest
from sample_pages import SHARED, sample

EXTRACT = SHARED / "reference" / "extracts" / "rmf_workload_activity_cics2a20.txt"


@pytest.mark.skipif(not EXTRACT.exists(), reason="the paper's extract is not in ../shared/reference beside the project")
def test_sample_prints_what_the_paper_prints() -> None:
    """Every cell of the extract stands in the sample; two labels are misprinted there."""
    text = EXTRACT.read_text().replace("MS0", "MSO").replace("HSWAPS", "#SWAPS")
    page = " ".join(sample("cics_liberty_report_class").read_text().split())
    cells = [" ".join(cell.split()) for line in text.splitlines()[2:] for cell in line.split("\t") if cell.strip()]
    titles = 7
    assert len(cells) > 50
    missing = [cell for cell in cells[titles:] if cell not in page]
    assert missing == []
