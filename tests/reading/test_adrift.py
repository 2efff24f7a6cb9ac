"""Titles above numbers of the Overview report, in layouts made at random: a heading as RMF prints it is never moved, and one
that lost blanks gives each number its own name, or none and a reject."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import assume, example, given
from hypothesis import strategies as st
from ironlake.pipeline.reading.engine import read_text
from printed import SETTINGS

Cell = tuple[str, float | None]

TOP = """\
                                 R M F   O V E R V I E W   R E P O R T
                                                                                   PAGE  001
          z/OS V2R5               SYSTEM ID SYSR             START 02/09/2024-06.00.00  INTERVAL 00.15.00
                            RPT VERSION V2R5 RMF       END   02/09/2024-23.00.00  CYCLE 1.000 SECONDS

NUMBER OF INTERVALS 5             TOTAL LENGTH OF INTERVALS 01.15.00

"""
ABOVE = "DATE    TIME     INT"
UNITS = "MM/DD HH.MM.SS HH.MM.SS"


@dataclass(frozen=True)
class Page:
    """Titles and where they end, and rows of cells: per title what is printed and its value."""

    names: tuple[str, ...]
    ends: tuple[int, ...]
    offsets: tuple[int, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def text(self, margin: int = 0, lost: int = 0) -> str:
        """The page, each line `margin` blanks in, its titles moved left by `lost`."""
        heading = ABOVE
        for name, end in zip(self.names, self.ends, strict=True):
            heading = heading.ljust(end - len(name) - lost) + name
        lines = [heading, UNITS]
        for number, row in enumerate(self.rows):
            line = f"02/09 {6 + number:02d}.15.00 00.15.00"
            for (printed, _), end, offset in zip(row, self.ends, self.offsets, strict=True):
                at = end + offset + printed.endswith("K")
                assume(not printed or len(line) < at - len(printed))
                line = line.ljust(at - len(printed)) + printed if printed else line
            lines.append(line)
        return TOP + "".join(f"{' ' * margin}{line.rstrip()}\n" for line in lines)

    def values(self) -> list[dict[str, float | None]]:
        return [{name: value for name, (_, value) in zip(self.names, row, strict=True)} for row in self.rows]


def read(page: Page, margin: int = 0, lost: int = 0) -> tuple[list[dict[str, float | None]], list[str]]:
    """Values by name, a dictionary per row of the page (empty where the row is a reject), and what was rejected."""
    tables = read_text(page.text(margin, lost))
    found: list[dict[str, float | None]] = [{} for _ in page.rows]
    for row in tables["rmf_overview"].iter_rows(named=True):
        found[row["interval_start"].hour - 6][row["overview_column"]] = row["value"]
    return found, tables["parse_reject"]["what"].to_list()


@st.composite
def pages(draw: st.DrawFn, offsets: tuple[int, ...] = (0, -1), widest: int = 8, blanks: bool = True) -> Page:
    """A page whose numbers end `offsets` columns behind the end of their titles (one of these a column). Fields are as wide as
    the widest title and number that RMF puts there, and numbers of a column have equally many decimals; some cells and whole columns are
    blank."""
    names = draw(
        st.lists(st.from_regex(r"[A-Z][A-Z0-9]{0,7}", fullmatch=True), min_size=1, max_size=9, unique=True).filter(
            lambda names: not {"DATE", "TIME", "INT"} & set(names)
        )
    )
    widths = [draw(st.integers(max(len(name), widest) + 2, 12)) for name in names]
    ends = [len(UNITS) + 1 + sum(widths[: k + 1]) for k in range(len(names))]
    rows = []
    bare = [blanks and draw(st.integers(0, 5)) == 0 for _ in names]
    places = [draw(st.integers(0, 3)) for _ in names]
    for _ in range(draw(st.integers(1, 5))):
        row: list[Cell] = []
        for empty, decimals in zip(bare, places, strict=True):
            kind = "blank" if empty else draw(st.sampled_from(["number"] * 6 + ["stars", "K"] + ["blank"] * blanks))
            if kind == "number":
                digits = draw(st.integers(1, widest - decimals - bool(decimals)))
                printed = f"{draw(st.integers(1, 10**digits - 1)):d}" + (
                    f".{draw(st.integers(0, 10**decimals - 1)):0{decimals}d}" if decimals else ""
                )
                row.append((printed, float(printed)))
            elif kind == "K":
                number = draw(st.integers(1, 99999))
                row.append((f"{number}K", number * 1000.0))
            else:
                row.append(("*****", None) if kind == "stars" else ("", None))
        rows.append(tuple(row))
    return Page(tuple(names), tuple(ends), tuple(draw(st.sampled_from(offsets)) for _ in names), tuple(rows))


@SETTINGS
@given(pages(), st.integers(0, 12))
def test_a_heading_as_printed_is_never_moved(page: Page, margin: int) -> None:
    assume(any(printed for row in page.rows for printed, _ in row))
    found, what = read(page, margin)
    assert found == page.values()
    assert all("did not fit its field" in words for words in what)


# A number that begins at the end of the title before it, beside one that has none: its first digits were lost once.
TOUCHING = Page(
    ("A0000", "A000"),
    (34, 44),
    (-4, -3),
    ((("1.0", 1.0), ("1.0", 1.0)), (("*****", None), ("100.000", 100.0))),
)


@SETTINGS
@given(pages(offsets=(-4, -3, -2, -1, 0, 1, 2, 3, 4)), st.integers(0, 12))
@example(TOUCHING, 0)
def test_numbers_that_end_anywhere_have_no_other_name(page: Page, margin: int) -> None:
    assert_printed_or_told(page, *read(page, margin))


# Moved by a whole column: of the second row alone, every number ends with a title, which is another's.
A_COLUMN_LOST = Page(
    ("AB", "C", "DE"),
    (40, 52, 64),
    (0, 0, 0),
    ((("1.5", 1.5), ("2.5", 2.5), ("3.5", 3.5)), (("4.5", 4.5), ("5.5", 5.5), ("", None))),
)


@SETTINGS
@given(pages(), st.integers(1, 12))
@example(A_COLUMN_LOST, 12)
def test_a_heading_that_lost_blanks_names_no_other_number(page: Page, lost: int) -> None:
    assume(len(ABOVE) < page.ends[0] - len(page.names[0]) - lost)
    assert_printed_or_told(page, *read(page, lost=lost))


def assert_printed_or_told(page: Page, found: list[dict[str, float | None]], what: list[str]) -> None:
    """Each value read is the one printed under its name; where one is missing, something beside overflow is told."""
    printed = page.values()
    for row, of_row in zip(found, printed, strict=True):
        assert set(row) <= set(of_row)
        for name, value in row.items():
            assert value in (of_row[name], None), (name, what)
    if found != printed:
        assert any("did not fit its field" not in words for words in what)
