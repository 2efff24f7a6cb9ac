"""Pages with the kind of each line known, as reading builds them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from ironlake.pipeline.declaration.report import reports
from ironlake.pipeline.reading import engine, pages
from ironlake.pipeline.reading import line_kinds as grammar
from ironlake.pipeline.reading.claim_lines import build
from ironlake.pipeline.reading.rejects import Rejects
from ironlake.pipeline.reading.report_lines import ReportLines
from sample_pages import options_of


def all_report_lines(text: str, path: Path) -> Iterator[ReportLines]:
    """The report lines of each report on a page, as reading builds it."""
    segment = engine.canonical_segment(text.encode(), "page.txt", options_of(path))
    lines = pages.find_lines([segment])
    known = dict(enumerate(reports().values()))
    engine.claim_pages_without_banner(lines, known)
    for number, report in known.items():
        chosen = np.flatnonzero(lines.report == number)
        if len(chosen):
            yield build(report, grammar.load(report.name), lines, chosen, Rejects())
