"""The names that the tables of a page hold."""

from __future__ import annotations

from ironlake.pipeline.share.anonymize import _KEPT, CHOSEN, _own_words, _words
from sample_pages import Tables


def names_on(found: Tables) -> set[str]:
    """Words in columns of names that are not the report's own."""
    said = {
        word
        for name, frame in found.items()
        for column in set(frame.columns) & CHOSEN
        for value in frame[column].drop_nulls().to_list()
        for word in _words(value)
    }
    return {word for word in said if word not in _own_words() and not _KEPT.fullmatch(word)}
