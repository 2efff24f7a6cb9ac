"""Did messages between systems fit the buffers of their transport class, and did they find a path?"""

from typing import Any

from ....pipeline.words import counted
from ..contract import Chart, Column, Section
from .asked import Asked, highest, highest_known, rows_of
from .columns import of_hours
from .found import Found, Rank, Ranked, format_hour
from .named_hours import BY_SYSTEM, beyond, labelled, limits, most_of, of_hour

_CLASSES = """
SELECT *, concat_ws(' ', transport_class, 'to', peer_system) || ' from ' || system AS name FROM xcf_class_hour
WHERE hour_start >= $from AND hour_start < $to ORDER BY name, sysplex, hour_start
"""
_COLUMNS = of_hours(
    Column("label", "Class, receiver and sender", kind="text"),
    Column("big_pct", "Too big for the buffer", "%", 1),
    Column("over_pct", "Of these, with overhead", "%", 1),
    Column("small_pct", "Smaller than the buffer", "%", 1),
    Column("path_unavailable_pct", "Found no path of the class", "%", 2),
    Column("rejects", "Rejected"),
    Column("messages_per_s", "Messages", "1/s", 1),
    Column("buffer_length_bytes", "Buffer", "bytes"),
)


def messages(asked: Asked) -> Found:
    hours = labelled(asked, _CLASSES, "messages_per_s")
    if not len(hours):
        return Found()
    shown, note = most_of(hours, "messages_per_s", "class and receiver", "classes and receivers")
    top = highest(shown.to_pylist(), _COLUMNS, "big_pct")
    section = Section(
        "messages",
        "Did messages between systems fit their buffers?",
        "How many messages were too big is not known."
        if not top
        else f"Most: {top['label']}, {top['big_pct']:.1f}% too big on {format_hour(top['hour_start'])}."
        if top["big_pct"] > 0
        else "No class prints messages that were too big.",
        Chart("lines", "hour_start", "big_pct", split="label"),
        rows_of(asked, shown, _COLUMNS),
        BY_SYSTEM,
        f"{note}A message that is too big for its class needs a larger buffer first, with overhead where none is there yet. RMF prints whole percents.",
    )
    limit, _ = limits(asked)["xcf_rejects"]
    known = hours.to_pylist()
    small = beyond(asked, known, lambda row: bool(row["buffer_is_too_small"]))
    rejected = beyond(asked, known, lambda row: (row["rejects"] or 0) > limit)
    return Found((section,), (*(_rejected(asked, rows) for rows in rejected), *(_small(asked, rows) for rows in small)))


def _small(asked: Asked, rows: list[dict[str, Any]]) -> Ranked:
    worst = highest_known(rows, _COLUMNS, "big_pct")
    bytes_long = f" of {worst['buffer_length_bytes']:,} bytes" if worst["buffer_length_bytes"] is not None else ""
    sentence = (
        f"XCF class {worst['label']}: {worst['big_pct']:.0f}% of the messages are too big for the buffer{bytes_long} on"
        f" {format_hour(worst['hour_start'])}, more than are smaller; {counted(len(rows), 'such hour')}."
    )
    return Ranked(Rank.LIMIT, worst["big_pct"], of_hour(asked, worst, sentence, "fit of XCF messages", "messages"))


def _rejected(asked: Asked, rows: list[dict[str, Any]]) -> Ranked:
    worst = highest_known(rows, _COLUMNS, "rejects")
    sentence = (
        f"XCF class {worst['label']}: {counted(worst['rejects'], 'message was', 'messages were')} rejected for lack of buffers on"
        f" {format_hour(worst['hour_start'])}; {counted(len(rows), 'such hour')}."
    )
    return Ranked(Rank.LIMIT, worst["rejects"], of_hour(asked, worst, sentence, "XCF rejects", "messages"))
