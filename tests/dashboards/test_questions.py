"""A section of the page is one file, which says of a column only what the view and the columns of all views do not say."""

import pkgutil

import pytest
from ironlake.dashboards.lake_page import facts
from ironlake.dashboards.lake_page.gather import QUESTIONS, question_of
from ironlake.dashboards.lake_page.question import COLUMN, Question, columns, question
from ironlake.pipeline.sql.describe import schema_of_view
from ironlake.pipeline.sql.view_files import views
from ironlake.pipeline.sql.view_schema import view_unit

DECLARED = [one for one in map(question_of, QUESTIONS) if isinstance(one, Question)]


def test_every_file_is_a_section_of_its_name():
    assert sorted(QUESTIONS) == sorted(module.name for module in pkgutil.iter_modules(facts.__path__))
    assert all(one.id == name for name in QUESTIONS if isinstance(one := question_of(name), Question))


@pytest.mark.parametrize("one", DECLARED, ids=lambda one: one.id)
def test_columns_repeat_nothing(one: Question):
    repeated = []
    for said in COLUMN.finditer(one.columns):
        (plain,) = columns(one.view, said["name"])
        repeated += [said[0]] * (said["title"] == plain.title or said["unit"] == plain.unit)
    assert repeated == []


@pytest.mark.parametrize("one", [one for one in DECLARED if one.view], ids=lambda one: one.id)
def test_units_are_those_of_the_view(one: Question):
    """What is left out is as SQL answers it, with its unit in the metadata."""
    names = set(schema_of_view(one.view).names)
    inherited = {said["name"] for said in COLUMN.finditer(one.columns) if said["unit"] is None} & names
    units = {name: view_unit(views()[one.view], name).replace("us", "µs") for name in inherited}
    shown = {column.name: column.unit for column in columns(one.view, ", ".join(sorted(inherited)))}
    assert shown == units


def test_what_is_misspelt_is_refused():
    for text in (
        "x: X?\n    view: cf_hour\n    colums: hour_start",
        "x: X?\n    card: cf_utilization_pct busy: {value}",
    ):
        with pytest.raises((KeyError, ValueError)):
            question(text)
    with pytest.raises(ValueError, match="not columns"):
        columns("cf_hour", 'utilization_pct .1 "Busy"')
