"""Consistency rules: the kinds of rule that a declaration can use.

Reports print many things twice: a total and its parts, a rate and its count, a share and its whole. A page on which two of
them disagree is suspect: a misread digit, a missing line, or printed that way. Rules say what must agree, and how closely;
quality/ checks them. Rules about ranges, allowed values and required columns are derived from the columns.

Tolerance: reports round or truncate, so a printed value is exact to one unit of its last digit, more or less. If a rule knows
which (`digits`): to half a unit, more or less (rounded), or up to one unit more (cut). The unit is the value of the column's
resolution, cell by cell (1000 if a K is printed), or else the rule's `digit`. A count printed in full is exact, unless the
rule has a `digit`. `within` and `within_share` (of the expected value) are added.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal

from ..frozen import frozen

Severity = Literal["error", "warn"]
# Rows where a column has one of these values.
Where = tuple[str, tuple[Any, ...]]

# The sum of a column over such rows.
Cells = tuple[str, Where]

TOTALS: Where = ("is_total", (True,))
NOT_TOTALS: Where = ("is_total", (False,))


@frozen(kw_only=True)
class Rule(ABC):
    """A rule. Its id is `table.name`. severity error: an impossible value; warn: inconsistent, but seen in genuine or partial
    pages. `source`: where the rule is from."""

    name: str
    severity: Severity = "error"
    source: str = ""
    digit: float = 0.0
    digits: Literal["", "rounded", "cut"] = ""
    within: float = 0.0
    within_share: float = 0.0

    # The field with the checked column, of which there is mostly one.
    checked: ClassVar[str]

    @property
    def columns(self) -> tuple[str, ...]:
        """The checked columns, each checked separately."""
        return (getattr(self, self.checked),)

    @property
    @abstractmethod
    def needs(self) -> tuple[str, ...]:
        """All columns of the table that the rule uses."""

    @abstractmethod
    def says(self, column: str) -> str:
        """The rule in words, for one of its columns."""

    def closeness(self) -> str:
        """The tolerance in words."""
        parts = [f"{self.within:g}"] if self.within else []
        parts += [f"{self.within_share:.4%}".replace("00%", "%")] if self.within_share else []
        return "; within the last printed digits" + "".join(f" and {p}" for p in parts)


# --- What follows from the columns -----------------------------------------------------------------------------------


@frozen(kw_only=True)
class OfColumn(Rule):
    """A rule about one column."""

    column: str

    checked = "column"

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.column,)


@frozen(kw_only=True)
class Range(OfColumn):
    low: float | None
    high: float | None

    def says(self, column: str) -> str:
        bounds = [f"not below {self.low:g}"] if self.low is not None else []
        bounds += [f"not above {self.high:g}"] if self.high is not None else []
        return f"{column} is {' and '.join(bounds)}"


@frozen(kw_only=True)
class OneOf(OfColumn):
    allowed: tuple[str, ...]

    def says(self, column: str) -> str:
        return f"{column} is one of {', '.join(self.allowed)}"


@frozen(kw_only=True)
class Filled(OfColumn):
    on_pages: bool = False
    """SMF records do not have the column: their rows have no value."""

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.column, *(["source_form"] if self.on_pages else []))

    def says(self, column: str) -> str:
        return f"{column} has a value"


@frozen(kw_only=True)
class Span(Rule):
    """`length`, in seconds, is the time from `start` to `end`; where no length is known, the end is at least not before the start."""

    start: str
    end: str
    length: str = ""
    """Empty: only the order of the two is checked."""

    checked = "length"

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.length or self.start,)

    @property
    def needs(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.length, self.start, self.end)))

    def says(self, column: str) -> str:
        if not self.length:
            return f"{column} is not after {self.end}"
        return f"{column} is the time from {self.start} to {self.end}, give or take {self.within:g} s"


# --- Among the cells of a row ----------------------------------------------------------------------------------------


@frozen(kw_only=True)
class Sum(Rule):
    """`total` is the sum of `parts` of the same row. If `total` is a number, the parts add up to it or are all zero."""

    total: str | float
    parts: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.total if isinstance(self.total, str) else self.parts[0],)

    @property
    def needs(self) -> tuple[str, ...]:
        return (*self.parts, *([self.total] if isinstance(self.total, str) else []))

    def says(self, column: str) -> str:
        total = self.total if isinstance(self.total, str) else f"{self.total:g}"
        return f"{' + '.join(self.parts)} is {total}{self.closeness()}"


@frozen(kw_only=True)
class Ratio(Rule):
    """`found` is `times` the product of `of`, divided by `per`. The `digit` is that of `found`, and of the columns of a product.
    `where`: the rows to check."""

    found: str
    of: tuple[str, ...]
    per: str = ""
    times: float = 1.0
    where: Where | None = None

    checked = "found"

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.found, *self.of, *filter(None, (self.per, self.where and self.where[0])))

    def says(self, column: str) -> str:
        product = " x ".join([*([f"{self.times:g}"] if self.times != 1 else []), *self.of])
        return f"{column} is {product}{f' / {self.per}' if self.per else ''}{self.closeness()}"


@frozen(kw_only=True)
class AtMost(Rule):
    """The `parts` together are not more than `most`, which may be the sum of several columns, or 0 if it is empty. `where`: the rows to check."""

    parts: tuple[str, ...]
    most: tuple[str, ...]
    where: Where | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.parts[0],)

    @property
    def needs(self) -> tuple[str, ...]:
        return (*self.parts, *self.most, *filter(None, (self.where and self.where[0],)))

    def says(self, column: str) -> str:
        of = f" of {_where(self.where)}" if self.where else ""
        return f"{' + '.join(self.parts)}{of} is not more than {' + '.join(self.most) or '0'}{self.closeness()}"


@frozen(kw_only=True)
class Net(Rule):
    """`found` is `times` x (sum of `plus` - factor x sum of `minus`) / `per`, where the factor, at least 1, is the same for
    all rows of equal `over`. It is computed from the row with the largest `minus`, the most precise one. `minus` pairs each
    column with another: if that is NULL or 0 too, a NULL counts as 0. Rows where all of `minus` is NULL are not checked."""

    found: str
    plus: tuple[str, ...]
    minus: tuple[tuple[str, str], ...]
    per: str
    over: tuple[str, ...]
    times: float = 1.0

    checked = "found"

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.found, *self.plus, *(c for pair in self.minus for c in pair), self.per, *self.over)

    def says(self, column: str) -> str:
        less = f"a factor of 1 or more, one for the interval, x ({' + '.join(c for c, _ in self.minus)})"
        return f"{column} is {self.times:g} x ({' + '.join(self.plus)} - {less}) / {self.per}{self.closeness()}"


# --- Among rows ------------------------------------------------------------------------------------------------------


@frozen(kw_only=True)
class Total(Rule):
    """Each column of `of` is, on the rows of `total`, the sum over the rows of `rows` with equal `over`. The keys
    of `of` are the value of the last printed digit: 0 if exact, or given by a resolution column. A total of truncated numbers
    is not less than their sum, and at most one unit per row more. A sum with a NULL is not checked. `alike`: the total is the
    average of the rows; checked only if that column has the same value on all of them, because reports do not say how they
    weight. `each`: there must be a row for each value in `rows` (a site may print only some). `at_most`: there may be other
    rows too, so the total is not less than the sum. `counts`: the columns hold counts; a count printed in full is exact."""

    of: dict[float, tuple[str, ...]]
    over: tuple[str, ...]
    total: Where = TOTALS
    rows: Where = NOT_TOTALS
    alike: str = ""
    each: bool = False
    at_most: bool = False
    counts: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(c for columns in self.of.values() for c in columns)

    @property
    def needs(self) -> tuple[str, ...]:
        return (*self.columns, *self.over, self.total[0], self.rows[0], *filter(None, (self.alike,)))

    def says(self, column: str) -> str:
        many = f"average of its rows, where {self.alike} is the same on all," if self.alike else "sum of its rows"
        return f"{column} of {_where(self.total)} is {'not less than ' if self.at_most else ''}the {many} ({_where(self.rows)}){self.closeness()}"


@frozen(kw_only=True)
class Quotient(Rule):
    """Among rows with equal `over`: `found` is `times` x (`plus` - `minus`) / `per`, each a sum of cells, or with
    `at_most` not more. Each row named must occur once, with a value (a site may print only some). `counts`: the cells are
    counts; a count printed in full is exact."""

    found: Cells
    plus: Cells
    over: tuple[str, ...]
    minus: Cells | None = None
    per: Cells | None = None
    times: float = 1.0
    at_most: bool = False
    counts: bool = False

    @property
    def terms(self) -> dict[str, Cells]:
        given = {"plus": self.plus, "minus": self.minus, "per": self.per}
        return {name: cells for name, cells in given.items() if cells}

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.found[0],)

    @property
    def needs(self) -> tuple[str, ...]:
        return (
            tuple(name for column, where in (self.found, *self.terms.values()) for name in (column, where[0]))
            + self.over
        )

    def says(self, column: str) -> str:
        worked = _cells(self.plus) + (f" - {_cells(self.minus)}" if self.minus else "")
        worked = f"{self.times:g} x ({worked})" if self.times != 1 else worked
        worked += f" / {_cells(self.per)}" if self.per else ""
        return f"{_cells(self.found)} is {'not more than ' if self.at_most else ''}{worked}{self.closeness()}"


@frozen(kw_only=True)
class Product(Rule):
    """`found` is, on these `rows`, `of` x the cell `by` of the row with equal `over`: a total is its average times a
    count, which is exact if printed in full."""

    found: str
    of: str
    by: Cells
    over: tuple[str, ...]
    rows: Where

    checked = "found"

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.found, self.of, self.by[0], self.by[1][0], self.rows[0], *self.over)

    def says(self, column: str) -> str:
        return f"{column} is {self.of} x {_cells(self.by)}{self.closeness()}"


@frozen(kw_only=True)
class Share(Rule):
    """`pct` is the row's `of` in percent of `whole` on the row of `total` with equal `over` (pages without such a row are not
    checked), or, without `total`, of the sum over the rows with equal `over`."""

    pct: str
    of: str
    over: tuple[str, ...]
    whole: str = ""
    total: Where | None = None

    checked = "pct"

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.pct, self.of, *self.over, *filter(None, (self.whole, self.total and self.total[0])))

    def says(self, column: str) -> str:
        whole = f"{self.whole or self.of} of {_where(self.total)}" if self.total else "the sum over its rows"
        return f"{column} is 100 x {self.of} / {whole}{self.closeness()}"


@frozen(kw_only=True)
class Running(Rule):
    """`found` is the running sum of `of` over the rows with equal `over`, in page order; a new list begins after a row whose
    `last` is NULL."""

    found: str
    of: str
    over: tuple[str, ...]
    last: str

    checked = "found"

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.found, self.of, *self.over, self.last)

    def says(self, column: str) -> str:
        return f"{column} is that of the previous row plus {self.of}"


@frozen(kw_only=True)
class AddsUp(Rule):
    """The values of `of` over the rows with equal `over` add up to `to`. A sum with a NULL is not checked."""

    of: str
    to: float
    over: tuple[str, ...]

    checked = "of"

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.of, *self.over)

    def says(self, column: str) -> str:
        return f"{column} adds up to {self.to:g} over its rows{self.closeness()}"


@frozen(kw_only=True)
class Same(Rule):
    """The sum of `of` over the rows of `where` with equal `over` equals `other` on the row of another `table`."""

    of: str
    table: str
    other: str
    over: tuple[str, ...]
    where: Where

    checked = "of"

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.of, *self.over, self.where[0])

    def says(self, column: str) -> str:
        return f"{column} over the rows of {_where(self.where)} is {self.table}.{self.other}{self.closeness()}"


def _cells(cells: Cells) -> str:
    column, (name, values) = cells
    return f"{column} of {name} {' + '.join(map(str, values))}"


def _where(where: Where) -> str:
    column, values = where
    named = ["NULL" if v is None else str(v) for v in values]
    return f"{column} {' or '.join(named)}"
