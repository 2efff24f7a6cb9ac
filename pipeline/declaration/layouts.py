"""The layouts that tables are printed in: one class per family, each with a cutter of its own (reading/cut_report.py).

A layout names the kinds of line that are the heading and those of the rows below it. The heading of a row is the nearest run
of its lines above.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from ..frozen import frozen
from .places import Field


@frozen()
class TableLayout:
    """What all families have."""

    lines: tuple[str, ...]
    """Kinds of line that are the heading. Pairs have none."""
    rows: tuple[str, ...]
    """Kinds of line that hold the cells."""

    @property
    def run(self) -> tuple[str, ...]:
        """Kinds of line that stand together as the heading, those included that name no column."""
        return self.lines

    @property
    def has_digits(self) -> bool:
        """Whether digits of the heading belong to titles. Otherwise they are values beside the titles."""
        return True

    @property
    def words(self) -> tuple[str, ...]:
        """Titles that the layout declares, beyond those of the columns' places."""
        return ()


@frozen()
class SideBySide:
    """Tables side by side below one heading: in each, a label in front of the first cell says what a line's cells are."""

    first: tuple[tuple[str, str], ...]
    """(title, group) of the first column of each table."""
    ignore_text: tuple[str, ...] = ()
    """Patterns of texts among or beside the cells that are no value of their column."""


@frozen()
class Panels:
    """The same table several times side by side. Each panel is a row of its own.

    Where a line of dashes among the heading's lines has gaps, it says how far each panel reaches. Otherwise a panel begins
    where the first column's title comes again."""

    begin: tuple[tuple[str, ...], ...] = ()
    """A panel begins also where these titles follow each other."""


@frozen()
class WholeRows:
    """A row has a number in every column, with the decimals that the column declares (`Column.decimals`), or N/A for a share. One cell that
    has not is a reject. If two have not, or the cells beside may be shifted by a column, the row is a reject and not read."""

    short: tuple[tuple[str, str, str], ...] = ()
    """(pattern, title, group): lines that match end in front of this column."""
    cell: str = ""
    """A pattern of the cells of every column, where decimals do not tell the columns apart. Any cell without it may be a shift."""


@frozen()
class Columns(TableLayout):
    """Cells stand under titles, which may be stacked over several lines."""

    depth: int = 1
    """The heading has at least that many lines. With fewer it is damaged, and the rows below are not read."""
    above: tuple[str, ...] = ()
    """Kinds of line that belong to the heading and name no column."""
    ignored: tuple[str, ...] = ()
    """Patterns of titles over what is deliberately not read (row labels, bar graphs)."""
    open: bool = False
    """Titles that no column names are not rejected: free text shares the line."""
    digits: bool = False
    """Titles may hold digits. (They may be printed in any case where the grammar says so; they are declared in capitals.)"""
    together: tuple[str, ...] = ()
    """Patterns of titles of several words that hold a name (TO SYSA)."""
    panels: Panels | None = None
    sides: SideBySide | None = None
    keys: int = 0
    """Titles that nobody knows, of one line and left of the first numbers, are those of texts that many columns wide. The first
    is what a place called `*` has; it is a reject all the same."""
    aligned: bool = False
    """The numbers of the rows of a heading end below each other. A row whose numbers end elsewhere is not read."""
    flush: bool = False
    """Every number ends where its title does."""
    whole_rows: WholeRows | None = None
    adjacent: bool = False
    """The heading has one row, right below it. A row below any other line is not read, and a heading without a row is a reject."""
    titles: tuple[tuple[tuple[str, str], ...], ...] = ()
    """All titles of the heading from left to right, as (title, group), for each form of it. If some titles are the same, only their
    order says which is which (`Under.nth`): below a heading with other titles, fewer or more, no row is read. A number must end
    below its title. The title `*` is any titles of the group that no form lists; they are rejected and the others read."""
    title_shift: int = 0
    """Spread titles that cannot be right as printed may have lost up to that many blanks in front (see title_shift.py)."""
    art: tuple[str, ...] = ()
    """What models print, for each form of the heading: its lines, a blank line, and pictures of `rows` (see print_rows.py)."""

    @property
    def run(self) -> tuple[str, ...]:
        return (*self.lines, *self.above)

    @property
    def has_digits(self) -> bool:
        return self.digits

    @property
    def words(self) -> tuple[str, ...]:
        sides = [*(t for first in self.sides.first for t in first), *self.sides.ignore_text] if self.sides else []
        return (*self.together, *sides)


@frozen()
class LabelledBlock(TableLayout):
    """Labelled cells (`Cell`) under group titles."""

    embedded_groups: tuple[str, ...] = ()
    """Titles that stand inside a group's column and begin another group there (-PAGE-IN RATES-)."""

    @property
    def has_digits(self) -> bool:
        return False

    @property
    def words(self) -> tuple[str, ...]:
        return self.embedded_groups


@frozen()
class Pairs(TableLayout):
    """Labels and values with a colon between (`Labelled`), one or several to a line, without a heading. The nearest line above
    that begins a row of the section says whose they are."""

    lines: tuple[str, ...] = field(default=(), init=False)
    art: Mapping[str, str] = field(default_factory=dict)
    """What models print, by the kind of the first row: labels, a line each or several with | between."""


@frozen()
class XmlVariables(TableLayout):
    """Names and values of an XML document (`Var`): the first two cells of each line. `lines`: the titles of their parts."""

    untitled: tuple[tuple[str, str], ...] = ()
    """Of parts that have no title of their own, but that of a segment: their kind of line, and what `Var` calls the part."""


@frozen()
class XmlRows(TableLayout):
    """Rows of an XML document (`Col`): cells between bars, in the order of those of the heading. `lines`: the headings."""

    order: tuple[tuple[str, str], ...] = ()
    """(what `Col` calls a column, pattern of its title in capitals) from the first column to the last, where the titles of the heading are not
    known word by word. A heading of more or fewer columns, or with a title that does not match, is a reject."""


@frozen()
class Rates:
    """The titles of a quantity and of its rates. Each rate is the quantity by a divisor that is the same for all rows of an interval. A row has a
    number (or N/A) below every title, or a quantity alone. One that has not is a reject and not read, unless its numbers show that none is in the
    column of another (see rates_of_quantity.py)."""

    quantity: str
    rates: tuple[str, ...]


@frozen()
class CounterBlocks(TableLayout):
    """A label and its numbers on each line, below a line of titles and a line of dashes, which give the exact extents of the
    columns. Each number and its label is a row of the table (`Counter`).

    Several blocks may stand side by side, each with its title over the labels and a title (any `Under`) over each column of
    numbers. Labels are not declared. A label that is indented belongs to the one above it. A block goes on where its title
    comes again for the same interval. Where all columns have one title, a label names a value in each (LC01-LC04)."""

    repeats: tuple[str, ...] = ()
    """Patterns of lines of titles that may come again within an entry of one page. Others that do stand below a lost entry."""
    titles: tuple[str, ...] = ()
    """Titles of blocks, each word a pattern. A block whose title lacks words of one of these, and is none of them, has lost these and is not
    read. Other titles are read as they are."""
    below_names: tuple[str, ...] = ()
    """Titles of columns of blocks that are named for what they are of: below one of `titles`, or below none, they have lost words."""
    apart: tuple[tuple[str, str], ...] = ()
    """Pairs of titles of columns of which no block has both: one has lost a word."""
    rates: Rates | None = None
    """Of the blocks that have no other columns of numbers."""


@frozen()
class Entries(TableLayout):
    """Entries of several lines, each with a line of titles above one line of dashes (see cut_entries.py).

    Places are `Under("#*")` for titles that begin with #, and `Under("*")` for all others, both with the rows as `line`."""

    depth: int
    """The heading has at least that many lines. With fewer it is damaged, and the rows below are not read."""
    title: str
    """Used as the title of the block, which has none."""
    order: Field
    """Picks the words for the keys off a page line, joined by -."""

    @property
    def words(self) -> tuple[str, ...]:
        return (self.title,)


@frozen()
class Listing(TableLayout):
    """Texts and numbers under titles, as many lines per entry as there are lines of titles (see cut_listings.py). Places are those
    of `Entries`."""

    title: str
    """Used as the title of the block, which has none."""
    depth: int = 1
    """The heading has at least that many lines. With fewer it is damaged, and the rows below are not read."""
    first_line_title: str = ""
    """A pattern of a title. Its column holds a time of day on the first line of an entry, and on no other. Needed where an entry
    has several lines."""
    inherit_keys_below: tuple[str, ...] = ()
    """An entry takes the keys that it does not print from the entry above it whose lines are of these kinds."""

    @property
    def words(self) -> tuple[str, ...]:
        return (self.title,)
