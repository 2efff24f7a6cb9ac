"""What tests of the facts of a lake's page ask."""

import datetime as dt
from typing import Any

from ironlake.dashboards.lake_page.contract import Happened, LakePage, Section
from ironlake.pipeline.sql.open_lake import OpenLake

MONDAY = dt.datetime(2026, 10, 19)


def section(page: LakePage, name: str) -> Section:
    return next(one for one in page.sections if one.id == name)


def happened(page: LakePage, of: str) -> list[Happened]:
    return [one for one in page.happened if one.section == of]


def one_row(lake: OpenLake, text: str) -> tuple[Any, ...]:
    (row,) = lake.sql(text).fetchall()
    return row
