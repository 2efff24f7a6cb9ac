"""What must hold among the values of a table: the kinds of rule that a declaration may name.

Reports print many things twice: a total and its parts, a rate and its count, a share and its whole. A page on which two of
them disagree is suspect: a digit was misread, a line is lost, or the page was printed so. Rules say what must agree and how
closely; quality.py judges them. Ranges, enumerations and columns that must have a value follow from the columns themselves.

How closely: reports round what they do not print, or cut it, so that a cell stands for its value give or take one unit of its
last printed digit; where a rule says what its report does (`digits`), for half a unit less and more, or for up to a unit
more. Where a column has a resolution beside it, that is what the unit is worth, cell by cell (a thousand where a K is
printed), else it is the rule's `digit`. A count that is printed in full is exact, unless the rule has a `digit`. `within`
and `within_share` (of the expected value) come on top.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Severity = Literal["error", "warn"]
# Rows of which a column has one of these values.
Where = tuple[str, tuple[Any, ...]]

# A column on such rows, added up.
Cells = tuple[str, Where]

TOTALS: Where = ("is_total", (True,))
NOT_TOTALS: Where = ("is_total", (False,))


@dataclass(frozen=True, kw_only=True)
class Rule:
    """`name` with the table's name before it is the rule's id. An error is what cannot be so; a warning may be the way in
    which the page was printed, or a page that holds but a part. `source` says where the rule is from."""

    name: str
    severity: Severity = "error"
    source: str = ""
    digit: float = 0.0
    digits: Literal["", "rounded", "cut"] = ""
    within: float = 0.0
    within_share: float = 0.0

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are judged; with several, each by itself."""
        raise NotImplementedError

    @property
    def needs(self) -> tuple[str, ...]:
        """Every column of the table that the rule looks at."""
        raise NotImplementedError

    def says(self, column: str) -> str:
        """The rule in words, for one of its columns."""
        raise NotImplementedError

    def closeness(self) -> str:
        """How closely, in words."""
        parts = [f"{self.within:g}"] if self.within else []
        parts += [f"{self.within_share:.4%}".replace("00%", "%")] if self.within_share else []
        return "; within the last printed digits" + "".join(f" and {p}" for p in parts)


# --- What follows from the columns -----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class OfColumn(Rule):
    """A rule about one column."""

    column: str

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.column,)


@dataclass(frozen=True, kw_only=True)
class Range(OfColumn):
    low: float | None
    high: float | None

    def says(self, column: str) -> str:
        bounds = [f"not below {self.low:g}"] if self.low is not None else []
        bounds += [f"not above {self.high:g}"] if self.high is not None else []
        return f"{column} is {' and '.join(bounds)}"


@dataclass(frozen=True, kw_only=True)
class OneOf(OfColumn):
    allowed: tuple[str, ...]

    def says(self, column: str) -> str:
        return f"{column} is one of {', '.join(self.allowed)}"


@dataclass(frozen=True, kw_only=True)
class Filled(OfColumn):
    def says(self, column: str) -> str:
        return f"{column} has a value"


# --- Among the cells of a row ----------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Sum(Rule):
    """`total` is the sum of `parts` of the same row. A number as total: the parts add up to it, or are all zero."""

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


@dataclass(frozen=True, kw_only=True)
class Ratio(Rule):
    """`found` is `times` the product of `of`, divided by `per`. The `digit` is that of `found`, and of the columns of a product.
    `where`: the rows that are judged."""

    found: str
    of: tuple[str, ...]
    per: str = ""
    times: float = 1.0
    where: Where | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.found,)

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.found, *self.of, *filter(None, (self.per, self.where and self.where[0])))

    def says(self, column: str) -> str:
        product = " x ".join([*([f"{self.times:g}"] if self.times != 1 else []), *self.of])
        return f"{column} is {product}{f' / {self.per}' if self.per else ''}{self.closeness()}"


@dataclass(frozen=True, kw_only=True)
class AtMost(Rule):
    """The `parts` together are not more than `most`, which may be several columns added up. `where`: the rows that are judged."""

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
        return f"{' + '.join(self.parts)}{of} is not more than {' + '.join(self.most)}{self.closeness()}"


@dataclass(frozen=True, kw_only=True)
class Net(Rule):
    """`found` is `times` x (sum of `plus` - factor x sum of `minus`) / `per`, where the factor, at least 1, is the same for
    all rows of equal `over`. It is taken from the row whose `minus` is largest, which tells it best. `minus` names with
    each column another: where that has no value either, or 0, there is nothing to take off. Rows on which all of
    `minus` is NULL are not judged."""

    found: str
    plus: tuple[str, ...]
    minus: tuple[tuple[str, str], ...]
    per: str
    over: tuple[str, ...]
    times: float = 1.0

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.found,)

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.found, *self.plus, *(c for pair in self.minus for c in pair), self.per, *self.over)

    def says(self, column: str) -> str:
        less = f"a factor of 1 or more, one for the interval, x ({' + '.join(c for c, _ in self.minus)})"
        return f"{column} is {self.times:g} x ({' + '.join(self.plus)} - {less}) / {self.per}{self.closeness()}"


# --- Among rows ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Total(Rule):
    """Each column of `of` is, on the rows of `total`, the sum over the rows of `rows` with equal `over`. Columns stand in
    `of` by what their last printed digit is worth: 0 where they are exact, or say it themselves. A total of numbers that are
    cut is not less than their sum, and at most one unit a row more. A sum of which a value is NULL is not judged. With
    `alike` the total is the average of the rows; it is judged where that column has the same value on all of them, for reports do not say what else they weight it by. With `each` there must be a row of each
    value that `rows` names: a site may have printed a part of them. With `at_most` there may be rows that are not named: the total
    is not less than the sum. With `counts` the columns hold counts, whatever else they hold: what is printed in full is exact."""

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


@dataclass(frozen=True, kw_only=True)
class Quotient(Rule):
    """Among rows with equal `over`: `found` is `times` x (`plus` - `minus`) / `per`, each of them cells that are added up, or with
    `at_most` not more. Each row that they name must be there once, with a value: a site may have printed a part of them. With
    `counts` it is worked out of counts: what is printed in full is exact."""

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


@dataclass(frozen=True, kw_only=True)
class Product(Rule):
    """`found` is, on these `rows`, `of` x the cell `by` of the row with equal `over`: a total, its average, and how often. That is
    a count: printed in full it is exact."""

    found: str
    of: str
    by: Cells
    over: tuple[str, ...]
    rows: Where

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.found,)

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.found, self.of, self.by[0], self.by[1][0], self.rows[0], *self.over)

    def says(self, column: str) -> str:
        return f"{column} is {self.of} x {_cells(self.by)}{self.closeness()}"


@dataclass(frozen=True, kw_only=True)
class Share(Rule):
    """`pct` is the row's percentage of `of`: of what the row of `total` with equal `over` has as `whole` (pages without
    one are not judged), or, without `total`, of the sum over these rows."""

    pct: str
    of: str
    over: tuple[str, ...]
    whole: str = ""
    total: Where | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.pct,)

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.pct, self.of, *self.over, *filter(None, (self.whole, self.total and self.total[0])))

    def says(self, column: str) -> str:
        whole = f"{self.whole or self.of} of {_where(self.total)}" if self.total else "the sum over its rows"
        return f"{column} is 100 x {self.of} / {whole}{self.closeness()}"


@dataclass(frozen=True, kw_only=True)
class Running(Rule):
    """`found` adds up `of` from row to row with equal `over`, in the order of the page; a new list begins behind a row
    whose `last` is NULL."""

    found: str
    of: str
    over: tuple[str, ...]
    last: str

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.found,)

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.found, self.of, *self.over, self.last)

    def says(self, column: str) -> str:
        return f"{column} is that of the row before, plus {self.of}"


@dataclass(frozen=True, kw_only=True)
class Same(Rule):
    """The sum of `of` over the rows of `where` with equal `over` is what the row of another `table` has as `other`."""

    of: str
    table: str
    other: str
    over: tuple[str, ...]
    where: Where

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.of,)

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
