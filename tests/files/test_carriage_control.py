"""Carriage control is taken off where it stands and nowhere else: pages without a column of it, whatever their margins and the first
characters of their lines, keep every character; pages with it lose that column on every line. Nothing prints over a line but a line
that says so."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.reading.engine import canonical_segment
from property_settings import examples

SETTINGS = examples(8)
RMF = "R M F   O V E R V I E W   R E P O R T"
CPU = "C P U  A C T I V I T Y"
TITLES = [RMF, CPU, "W O R K L O A D   A C T I V I T Y"]
# First lines of pages without a letter-spaced title.
TOPS = [
    "LOCATION: DB3ALOC                  OMEGAMON XE FOR DB2 PERFORMANCE EXPERT (V5R4M0)              PAGE: 1-1",
    "Unsolicited Statistics Report            Collection Date-Time 03/01/2024-10:15:00  CICS 5.5.0      PAGE      1",
]

cells = st.from_regex(r"[0-9]{1,4}(\.[0-9]{1,3})?[KM%]?|[A-Z]{2,8}|-{3,8}|N/A", fullmatch=True)


@st.composite
def rows(draw: st.DrawFn, first: str) -> str:
    """A line of a table whose first cell, at the left edge, is `first`; it has a number."""
    line = first
    for cell in draw(st.lists(cells, max_size=6)):
        line += " " * draw(st.integers(1, 9)) + cell
    return (
        line + " " * draw(st.integers(1, 9)) + draw(st.from_regex(r"[0-9]{1,4}(\.[0-9]{1,3})?[KM%]?", fullmatch=True))
    )


def first_cells() -> st.SearchStrategy[str]:
    """What stands at the left edge of a table: often what carriage control looks like."""
    return st.sampled_from(["0", "1", "-", "+", "1", "0", "1B", "10", "2", "-----", "+1", "-0.5", "", "", "CP", "T"])


@st.composite
def bodies(draw: st.DrawFn, most: int = 12) -> list[str]:
    lines = []
    for _ in range(draw(st.integers(1, most))):
        lines.append(draw(first_cells().flatmap(rows)))
    return lines


@st.composite
def plain_files(draw: st.DrawFn) -> list[str]:
    """Lines without carriage control: pages with or without a title, a title a margin of blanks in."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 3))
        if kind in (0, 1):
            lines.append(" " * draw(st.integers(9, 60)) + draw(st.sampled_from(TITLES)))
        elif kind == 2:
            lines.append(" " * draw(st.integers(0, 9)) + draw(st.sampled_from(TOPS)))
        lines += draw(bodies())
    return lines


def read(lines: list[str], encoding: str, end: str) -> tuple[list[str], str]:
    """Text and control of a file of these lines."""
    segment = canonical_segment((end.join(lines) + end).encode(encoding), "file", Options())
    return segment.text.decode().split("\n")[:-1], segment.control.decode()


FORMS = st.sampled_from([("ascii", "\n"), ("ascii", "\r\n"), ("cp037", "\x85")])


@SETTINGS
@given(plain_files(), FORMS)
@example([" NUM TYPE   ONLINE", "0     CP   100.00", "1     CP   100.00"], ("ascii", "\n"))
@example([" " * 40 + CPU, " NUM TYPE   ONLINE", "0     CP   100.00", "1     CP   100.00"], ("ascii", "\n"))
@example(["1B    IIP  100.00", "1 ", " TOTAL     99.00"], ("ascii", "\n"))
def test_lines_without_a_column_of_control_lose_no_character(lines: list[str], form: tuple[str, str]) -> None:
    found, control = read(lines, *form)
    assert found == [line.rstrip() for line in lines]
    assert control.strip() == ""


@st.composite
def controlled_files(draw: st.DrawFn) -> list[tuple[str, str]]:
    """Control and text of lines: each page begins with 1 and its title; nothing prints over another line."""
    lines: list[tuple[str, str]] = []
    for _ in range(draw(st.integers(1, 3))):
        if draw(st.booleans()):
            lines.append(("1", " " * draw(st.integers(9, 60)) + draw(st.sampled_from(TITLES))))
        else:
            lines.append(("1", " " * draw(st.integers(0, 9)) + draw(st.sampled_from(TOPS))))
        lines += [(draw(st.sampled_from(" 0-")), text) for text in draw(bodies())]
    return lines


@SETTINGS
@given(controlled_files(), FORMS)
def test_a_column_of_control_is_taken_off_every_line(lines: list[tuple[str, str]], form: tuple[str, str]) -> None:
    found, control = read([control + text for control, text in lines], *form)
    assert found == [text.rstrip() for _, text in lines]
    assert control == "".join(control for control, _ in lines)


MACHINE = {0x09: " ", 0x11: "0", 0x19: "-", 0x89: "1"}


@SETTINGS
@given(controlled_files(), st.lists(st.sampled_from([*MACHINE]), min_size=40, max_size=40), st.sampled_from(["ascii", "cp037"]))  # fmt: skip
def test_a_column_of_machine_control_is_taken_off_every_line(
    lines: list[tuple[str, str]], codes: list[int], encoding: str
):
    end = b"\x15" if encoding == "cp037" else b"\n"
    codes = [0x09, 0x89, *codes * 2][: len(lines)]
    raw = b"".join(bytes([code]) + text.encode(encoding) + end for code, (_, text) in zip(codes, lines, strict=True))
    segment = canonical_segment(raw, "file", Options())
    assert segment.text.decode().split("\n")[:-1] == [text.rstrip() for _, text in lines]
    assert segment.control.decode()[1:] == "".join(MACHINE[code] for code in codes)[:-1]


@SETTINGS
@given(st.sampled_from(TITLES), bodies(), bodies())
def test_a_file_of_both_kinds_is_refused(title: str, plain: list[str], controlled: list[str]) -> None:
    """Pages with carriage control beside pages of the same report without it: read either way, some would lose characters."""
    without = [" " * 40 + title, *["  A LINE OF THE HEADING"] * 3, *plain]
    with_control = ["1" + " " * 40 + title, *["   A LINE OF THE HEADING"] * 3, *(" " + line for line in controlled)]
    for lines in ([*without, *with_control], [*with_control, *without]):
        with pytest.raises(IronlakeError, match="ASA carriage control on some lines but not on others"):
            read(lines, "ascii", "\n")


# --- Overprint ---------------------------------------------------------------------------------------------------------


@SETTINGS
@given(controlled_files(), st.data())
def test_lines_print_over_each_other_only_where_control_says_so(lines: list[tuple[str, str]], data: st.DataObject):
    """A `+` that is data is none, wherever it stands; one that is control empties its own line and changes the one above alone."""
    alone, _ = read([control + text for control, text in lines], "ascii", "\n")
    at = data.draw(st.integers(0, len(lines) - 1))
    over = data.draw(rows("+"))
    found, control = read([c + t for c, t in [*lines[: at + 1], ("+", over), *lines[at + 1 :]]], "ascii", "\n")
    assert found[:at] + found[at + 2 :] == alone[:at] + alone[at + 1 :]
    assert found[at + 1] == ""
    assert control[at + 1] == "+"
    for place, character in enumerate(alone[at]):
        assert character == " " or found[at][place] == character
