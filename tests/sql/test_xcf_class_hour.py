"""Messages of transport classes by clock hour: shares by messages, what is unknown, and what is left out. Worked by hand."""

import pytest
from views_lake import Row, expect, heading, one_row, span


def sent(minute: float, seconds: float, count: int | None, big: float | None, **other: object) -> Row:
    """Messages of which some are too big, half of these with overhead, and none is smaller than the buffer."""
    row = heading(scope=None) | span(minute, seconds)
    row |= {"system": "SYSA", "peer_system": "SYSB", "transport_class": "DEFAULT", "direction": "outbound"}
    row |= {"is_total": False, "buffer_length_bytes": 956, "requests_out": count, "big_pct": big, "over_pct": 50.0}
    row |= {"small_pct": 0.0, "fit_pct": None if big is None else 100 - big, "all_paths_unavailable": 0, "rejects": 1}
    return row | other


def test_shares_are_by_messages():
    """2% of 900 and 22 of 100 are 40 of 1,000. Of these 18 with 50% and 22 with 25% overhead: 14.5, 36.25%. 9 and 11 found no path: 2%."""
    other = {"over_pct": 25.0, "all_paths_unavailable": 11, "rejects": 4}
    lake = yield {
        "rmf_xcf_system": [sent(0, 900, 900, 2.0, all_paths_unavailable=9), sent(15, 1100, 100, 22.0, **other)]
    }
    row = one_row(lake, "FROM xcf_class_hour")
    expect(row, covered_s=2000, messages=1000, messages_per_s=0.5, big_pct=pytest.approx(4), fit_pct=pytest.approx(96))
    expect(row, small_pct=pytest.approx(0), messages_with_overhead=pytest.approx(14.5), over_pct=pytest.approx(36.25))
    expect(row, path_unavailable_pct=pytest.approx(2), rejects=5, buffer_length_bytes=956, buffer_is_too_small=False)


@pytest.mark.parametrize(
    ("change", "unknown"),
    [
        ({"big_pct": None}, {"big_pct", "over_pct", "messages_with_overhead", "buffer_is_too_small"}),
        ({"rejects": None}, {"rejects"}),
        ({"buffer_length_bytes": 4028}, {"buffer_length_bytes"}),
        ({"all_paths_unavailable": None}, {"path_unavailable_pct"}),
    ],
)
def test_what_is_unknown_of_one_interval_is_unknown_of_the_hour(change: Row, unknown: set[str]):
    rows = [sent(0, 900, 900, 2.0), sent(15, 900, 900, 2.0, **change)]
    row = one_row((yield {"rmf_xcf_system": rows}), "FROM xcf_class_hour")
    assert {name for name, value in row.items() if value is None} - {"utc_offset_minutes"} == unknown


@pytest.mark.parametrize(("big", "small", "found"), [(5.0, 4.0, True), (4.9, 0.0, False), (6.0, 6.0, False)])
def test_a_buffer_is_too_small_by_the_shares_of_the_hour(big: float, small: float, found: bool):
    """An interval without messages has no share, and one that overlaps is left out."""
    rows = [sent(0, 1800, 900, big, small_pct=small), sent(15, 900, 900, 90.0), sent(30, 900, 0, 0.0)]
    row = one_row((yield {"rmf_xcf_system": rows}), "FROM xcf_class_hour")
    assert (row["buffer_is_too_small"], row["covered_s"], row["big_pct"]) == (found, 2700, pytest.approx(big))


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


def test_the_same_print_in_two_files_is_one():
    lake = yield {"rmf_xcf_system": [sent(0, 900, 900, 2.0), sent(0, 900, 900, 2.0, source_id="s2")]}
    assert one_row(lake, "SELECT is_conflicting AS c, len(refs) AS n FROM xcf_class_interval") == {"c": False, "n": 2}
    assert one_row(lake, "SELECT messages AS m, rejects AS r FROM xcf_class_hour") == {"m": 900, "r": 1}
