"""Messages of transport classes by clock hour: shares by messages, what is unknown, and what is left out. Worked by hand."""

import pytest
from one_lake import Found, Rows, examples, shown
from views_lake import Row, heading, one_row, span

approx = pytest.approx


def sent(minute: float, seconds: float, count: int | None, big: float | None, **other: object) -> Row:
    """Messages of which some are too big, half of these with overhead, and none is smaller than the buffer."""
    row = heading(scope=None) | span(minute, seconds)
    row |= {"system": "SYSA", "peer_system": "SYSB", "transport_class": "DEFAULT", "direction": "outbound"}
    row |= {"is_total": False, "buffer_length_bytes": 956, "requests_out": count, "big_pct": big, "over_pct": 50.0}
    row |= {"small_pct": 0.0, "fit_pct": None if big is None else 100 - big, "all_paths_unavailable": 0, "rejects": 1}
    return row | other


def messages(*rows: Row) -> Rows:
    return {"rmf_xcf_system": [*rows]}


OTHER = {"over_pct": 25.0, "all_paths_unavailable": 11, "rejects": 4}
NAMES = ("big_pct", "fit_pct", "small_pct", "over_pct", "messages_with_overhead", "path_unavailable_pct", "rejects", "buffer_length_bytes",
 "buffer_is_too_small")  # fmt: skip
TWICE = messages(sent(0, 900, 900, 2.0), sent(0, 900, 900, 2.0, source_id="s2"))


@examples(
    # 2% of 900 and 22 of 100 are 40 of 1,000. Of these 18 with 50% and 22 with 25% overhead: 14.5, 36.25%. 9 and 11 found no path: 2%.
    ("shares by messages", messages(sent(0, 900, 900, 2.0, all_paths_unavailable=9), sent(15, 1100, 100, 22.0, **OTHER)),
     f"covered_s, messages, messages_per_s, {', '.join(NAMES)} FROM xcf_class_hour",
     [(2000, 1000, 0.5, *(approx(n) for n in (4, 96, 0, 36.25, 14.5, 2)), 5, 956, False)]),
    # Of one interval, and so of the hour.
    *((f"unknown {change}", messages(sent(0, 900, 900, 2.0), sent(15, 900, 900, 2.0, **change)),
       f"[{', '.join(f'{name} IS NULL' for name in NAMES)}], messages FROM xcf_class_hour", [([name in unknown for name in NAMES], 1800)])
      for change, unknown in (
          ({"big_pct": None}, ("big_pct", "over_pct", "messages_with_overhead", "buffer_is_too_small")), ({"rejects": None}, ("rejects",)),
          ({"buffer_length_bytes": 4028}, ("buffer_length_bytes",)), ({"all_paths_unavailable": None}, ("path_unavailable_pct",)))),
    # An interval without messages has no share, and one that overlaps is left out.
    *((f"big {big}, small {small}", messages(sent(0, 1800, 900, big, small_pct=small), sent(15, 900, 900, 90.0), sent(30, 900, 0, 0.0)),
       "buffer_is_too_small, covered_s, big_pct FROM xcf_class_hour", [(too_small, 2700, approx(big))])
      for big, small, too_small in ((5.0, 4.0, True), (4.9, 0.0, False), (6.0, 6.0, False))),
    ("the same print in two files", TWICE, "is_conflicting, len(refs) FROM xcf_class_interval", [(False, 2)]),
    ("once", TWICE, "messages, rejects FROM xcf_class_hour", [(900, 1)]),
)  # fmt: skip
def test_hours(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)


_OTHER: Row = {"requests_out": 901, "big_pct": 3.0, "over_pct": 51.0, "small_pct": 1.0, "fit_pct": 9.0, "rejects": 2}
_OTHER |= {"all_paths_unavailable": 1, "buffer_length_bytes": 4028}


@pytest.mark.parametrize("name", _OTHER)
def test_what_two_files_print_with_other_values_is_unknown(name: str):
    """Pages name no sysplex: the second may be of a system of the same name. The same print twice is one."""
    rows = [sent(0, 900, 900, 2.0), sent(0, 900, 900, 2.0, source_id="s2", **{name: _OTHER[name]})]
    lake = yield {"rmf_xcf_system": rows}
    assert one_row(lake, "SELECT is_conflicting AS c, messages AS m FROM xcf_class_interval") == {"c": True, "m": 900}
    row = one_row(lake, "FROM xcf_class_hour")
    key = {"system", "peer_system", "transport_class", "hour_start", "covered_s", "refs"}
    assert {name for name, value in row.items() if value is not None} == key | {"sysplex"}
