"""Messages between systems on the page of a lake: those too big for their buffers, those rejected, and what is not told."""

import datetime as dt

from answering import Answering
from ironlake.dashboards.lake_page.facts.asked import Asked
from ironlake.dashboards.lake_page.facts.found import Found
from ironlake.dashboards.lake_page.facts.xcf_messages import messages
from ironlake.pipeline.status.calendar import Calendar
from ironlake.pipeline.status.coverage import Intervals
from views_lake import Row, heading

FIRST, LAST = dt.date(2026, 11, 2), dt.date(2026, 11, 3)


def sent(day: int, big: float | None, small: float, rejects: int = 0, at: int = 10) -> Row:
    start = dt.datetime.combine(FIRST, dt.time(at)) + dt.timedelta(days=day)
    row = {k: v for k, v in heading(start, 3600).items() if not k.startswith("policy") and k != "scope"}
    row |= {"system": "SYSA", "peer_system": "SYSB", "transport_class": "DEFAULT", "direction": "outbound"}
    row |= {"is_total": False, "buffer_length_bytes": 956, "requests_out": 7200, "big_pct": big, "over_pct": 50.0}
    return row | {"small_pct": small, "fit_pct": 0.0, "all_paths_unavailable": 0, "rejects": rejects}


def found(*rows: Row) -> Found:
    lake = Answering(rmf_xcf_system=list(rows))
    return messages(Asked(lake, FIRST, LAST, Calendar(Intervals.none()), {"s1": "xcf.txt"}))


def test_messages_that_are_too_big_or_rejected_are_told() -> None:
    told = found(sent(0, 60.0, 0.0, 9), sent(1, 12.0, 3.0), sent(1, 20.0, 3.0, 1, 11), sent(1, 12.0, 13.0, at=12))
    assert [one.happened.sentence for one in told.happened] == [
        "XCF class DEFAULT to SYSB from SYSA: 1 message was rejected for lack of buffers on Tue 3 Nov, 11:00; 1 such hour.",
        "XCF class DEFAULT to SYSB from SYSA: 20% of the messages are too big for the buffer of 956 bytes on Tue 3 Nov, 11:00, more than are"
        " smaller; 2 such hours.",
    ]
    assert told.happened[0].happened.source == "xcf.txt, page 1, line 10"
    (section,) = told.sections
    assert section.finding == "Most: DEFAULT to SYSB from SYSA, 60.0% too big on Mon 2 Nov, 10:00."
    assert section.rows.of("messages_per_s") == [2, 2, 2, 2]


def test_what_fits_or_is_unknown_is_not_told() -> None:
    assert found(sent(1, 0.0, 90.0)).sections[0].finding == "No class prints messages that were too big."
    unknown = found(sent(1, None, 0.0))
    assert unknown.sections[0].finding == "How many messages were too big is not known."
    assert not unknown.happened
    assert found() == Found()
