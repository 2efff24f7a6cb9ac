"""A name means one thing: what tables, views and the list of shared columns say of columns, said once."""

from collections import defaultdict
from functools import cache

import pytest
from ironlake.pipeline.declaration.columns import shared
from ironlake.pipeline.sql.describe import comment, schema_of_view
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.view_files import View, views
from ironlake.pipeline.sql.view_schema import inherited, read_by, view_unit

pytestmark = pytest.mark.slow

# Names of two things, both of them in use.
TWO_UNITS = {"difference_pct": {"%", "% of one engine"}, "msu": {"MSU", "MSU/h"}}
# Views with columns of what lies further below that have another name between, or are fields of a value there.
FROM_FURTHER_BELOW = {"buffer_pool_accounting", "capture_ratio", "db2_accounting_cost", "run_kind_interval"}


@cache
def _columns() -> dict[str, list[str]]:
    of_tables = {name: table.schema.names for name, table in tables().items()}
    return of_tables | {name: schema_of_view(name).names for name in views()}


def test_every_column_is_described():
    assert [(name, c) for name, columns in _columns().items() for c in columns if not comment(name, c)] == []


def test_a_name_has_one_unit():
    units = defaultdict(set)
    for name, table in tables().items():
        for column in _columns()[name]:
            units[column].add(table.column(column).type.unit)
    for name, view in views().items():
        for column in _columns()[name]:
            units[column].add(view_unit(view, column))
    assert {column: found for column, found in units.items() if len(found) > 1} == TWO_UNITS


def test_a_header_says_what_is_its_own_in_the_order_of_the_columns():
    """And nothing that would hold without it."""
    for name, view in views().items():
        # Without the line that gives all hour views their offset.
        said = View(name, view.text.replace("Repeated hours:", "")).columns
        assert [*said] == [c for c in _columns()[name] if c in said], name
        for column, own in said.items():
            other = inherited(view, column)
            assert (own.doc, view_unit(view, column)) != (other.doc, other.unit), (name, column)


def test_what_a_view_inherits_is_of_a_column_that_it_reads():
    """What lies further below may have another column of the name."""
    for name in views().keys() - FROM_FURTHER_BELOW:
        said = views()[name].columns.keys() | views()[name].formulas.keys() | shared().keys()
        for column in {*_columns()[name]} - said:
            assert any(column in _columns()[other] for other in read_by(name)), (name, column)


def test_a_shared_column_is_of_several_tables_or_views_and_no_table_repeats_it():
    for column, said in shared().items():
        assert sum(column in columns for columns in _columns().values()) > 1, column
        own = [table.column(column).doc for table in tables().values() if column in table.schema.names]
        assert said.doc.lower() not in [doc.rstrip(".").lower() for doc in own], column
