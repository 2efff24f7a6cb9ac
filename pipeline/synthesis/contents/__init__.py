"""What each report prints, as plain data: one object a report, in the printed units, numbers one an interval.

A number is an array with one value an interval, or a plain number that holds for all of them. Only what does not follow
from other numbers is kept; rates, shares and totals are properties with their formula, so that a page agrees with itself.
"""

from .common import Intervals, Numbers
from .workload import (
    Breakdown,
    Category,
    Goal,
    OnSystem,
    Period,
    PolicySystem,
    ReportClass,
    ServiceClass,
    ServicePolicy,
    Work,
    WorkloadActivity,
    add,
)

__all__ = [
    "Breakdown",
    "Category",
    "Goal",
    "Intervals",
    "Numbers",
    "OnSystem",
    "Period",
    "PolicySystem",
    "ReportClass",
    "ServiceClass",
    "ServicePolicy",
    "Work",
    "WorkloadActivity",
    "add",
]
