"""Shared by the XML documents of the Postprocessor (ddsml): what is above the segments of an interval, variables, and rows of a table."""

import re
from collections.abc import Iterable
from html import escape

import numpy as np

from ...pipeline.printing.pages import Section
from ..contents.common import Intervals
from ._headings import dates, times

# Holes have a fixed width, values of a document none.
PADDED = re.compile(rb"(?<=>) +(?=[^ <\n])|(?<=[^ >\n]) +(?=<)")


def top(
    resource: tuple[str, str], release: str, intervals: Intervals, metric: tuple[str, str], printed_by: str = ""
) -> Section:
    """What is above the segments of an interval. `resource`: its name and kind; `metric`: the report's id and title."""
    length = intervals.printed_s
    # The document says whole seconds.
    end = intervals.start + np.floor(length + 0.5).astype("timedelta64[s]")
    thousandths = np.floor(length * 1000 + 0.5)
    values = {
        "date": dates(intervals.start),
        "time": times(intervals.start),
        "end_date": dates(end),
        "end_time": times(end),
        "minutes": thousandths // 60_000,
        "seconds": thousandths // 1000 % 60,
        "thousandths": thousandths % 1000,
    }
    kind = "Duration" if intervals.duration else "Interval"
    form = f"""\
<postprocessor><metric id="{metric[0]}"><description>{metric[1]}</description><type>{kind}</type></metric>
<version><smf-data>z/OS {release}</smf-data><rmf-report>z/OS {printed_by or release}</rmf-report></version>
<resource><resname>{resource[0]}</resname><restype>{resource[1]}</restype></resource>
<time-data><display-start locale="en-us">%(date)10s-%(time)8s</display-start>
<display-end locale="en-us">%(end_date)10s-%(end_time)8s</display-end>
<report-interval unit="minutes">%(minutes)4z:%(seconds)2z:%(thousandths)3z</report-interval>
<cycle unit="milliseconds">1000</cycle></time-data>"""
    return Section(form, values)


def variables(named: Iterable[tuple[str, object]]) -> str:
    lines = (f"<var><name>{name}</name><value>{escape(str(value))}</value></var>" for name, value in named)
    return "\n".join(["<var-list>", *lines, "</var-list>"])


def table(headings: Iterable[str]) -> str:
    return "\n".join(["<table><column-headers>", *(f"<col>{title}</col>" for title in headings), "</column-headers>"])


def row(*cells: object, is_sum: bool = False) -> str:
    lines = (f"<col>{cell}</col>" if cell not in ("", None) else "<col/>" for cell in cells)
    return "\n".join(['<row type="SUM">' if is_sum else "<row>", *lines, "</row>"])
