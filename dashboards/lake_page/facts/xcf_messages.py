"""Did messages between systems fit the buffers of their transport class, and did they find a path?"""

from typing import Any

from ....pipeline.words import counted
from ..contract import Chart, Column, Section
from .asked import Asked, highest, rows_of
from .columns import of_hours
from .conditions import Condition, Part, of_rule
from .found import Found, format_hour
from .named_hours import BY_SYSTEM, labelled, most_of, told_hours

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

# As buffer_is_too_small of the view.
_TOO_SMALL = Condition(
    (Part("big_pct", ">=", 5.0, "% too big"), Part("big_pct", ">", "small_pct", "are smaller than it"))
)


def messages(asked: Asked) -> Found:
    hours = labelled(asked, _CLASSES, "messages_per_s")
    if not len(hours):
        return Found()
    known = hours.to_pylist()
    top = highest(known, _COLUMNS, "big_pct")
    shown, note = most_of(hours, "messages_per_s", "class and receiver", "classes and receivers", top)
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
    rows, rejected = [_with_words(row) for row in known], of_rule(asked, "xcf_rejects", "rejects")
    said, told = "XCF class {label}: {rejected} for lack of buffers on {at}", ("XCF rejects", "messages")
    of_rejected = told_hours(asked, rows, rejected, _COLUMNS, said, told)
    said = "XCF class {label}: {value}% of the messages are too big for the buffer{of_bytes} on {at}"
    told = ("fit of XCF messages", "messages")
    return Found((section,), (*of_rejected, *told_hours(asked, rows, _TOO_SMALL, _COLUMNS, said, told)))


def _with_words(row: dict[str, Any]) -> dict[str, Any]:
    length = row["buffer_length_bytes"]
    return row | {
        "of_bytes": f" of {length:,} bytes" if length is not None else "",
        "rejected": counted(row["rejects"] or 0, "message was rejected", "messages were rejected"),
    }
