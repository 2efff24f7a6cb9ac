"""What tests of printers share: pages are read, and nothing on them is odd."""

import polars as pl
from ironlake.pipeline.quality.check_batch import check_batch
from ironlake.pipeline.reading.engine import read_text
from property_settings import examples

SETTINGS = examples(12)


def read(pages: bytes) -> dict[str, pl.DataFrame]:
    """The tables of printed pages; nothing on them is unread, and they break no rule."""
    tables = read_text(pages)
    rejects = tables.get("parse_reject", pl.DataFrame())
    assert not rejects.height, rejects.rows(named=True)[:3]
    broken = check_batch({name: frame.to_arrow() for name, frame in tables.items() if frame.height})
    assert broken is None, broken.to_pylist()[:3]
    return tables
