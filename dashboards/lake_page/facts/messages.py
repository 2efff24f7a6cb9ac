"""Did messages between systems fit the buffers of their transport class, and find a path?"""

from ....pipeline.declaration.finding_rules import Hours, Rule
from ..question import Card, question

_TOO_BIG = Card(
    Rule(
        "buffer_is_too_small",
        "Messages are too big for the buffers of their class",
        *(">=", 5, "% too big and more than are smaller than it", "as in xcf_class_interval"),
        hours=Hours("xcf_class_hour", "big_pct", where="buffer_is_too_small"),
    ),
    "fit of XCF messages",
    "XCF class {label}: {value}% of the messages are too big for the buffer{of_bytes} on {at}",
)

messages = question(
    """
    messages: Did messages between systems fit their buffers?
    view: xcf_class_hour
    name: concat_ws(' ', transport_class, 'to', peer_system) || ' from ' || system
    also: coalesce(format(' of {:,} bytes', buffer_length_bytes), '') AS of_bytes
    columns: hour_start, label "Class, receiver and sender", big_pct "Too big for the buffer" .1,
        over_pct "Of these, with overhead" .1, small_pct "Smaller than the buffer" .1,
        path_unavailable_pct "Found no path of the class" .2, rejects "Rejected", messages_per_s .1,
        buffer_length_bytes "Buffer", system, sysplex
    chart: lines big_pct
    finding: Most: {label}, {big_pct:.1f}% too big on {at}.
    unknown: How many messages were too big is not known.
    least: 1e-09
    none: No class prints messages that were too big.
    ranks: messages_per_s
    most: class and receiver, classes and receivers
    note: A message that is too big for its class needs a larger buffer first, with overhead where none is there yet.
        RMF prints whole percents.
    card: xcf_rejects "XCF rejects": XCF class {label}: {rejects:#message was rejected|messages were rejected} for
        lack of buffers on {at}
    """,
    cards=(_TOO_BIG,),
)
