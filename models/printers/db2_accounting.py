"""The long accounting report of OMEGAMON for Db2 Performance Expert: times, class 3 suspensions and highlights of each connection.

Source: published headings and blocks of accounting reports; the blocks of SQL, buffer pools and locking are not printed.
"""

from collections.abc import Iterator

import numpy as np

from ...pipeline.printing.pages import Paper, Section, print_intervals, same_top
from ..contents.common import Numbers
from ..contents.db2 import Db2Accounting
from .db2_statistics import stamps, top_of_page

_HEAD = """\
AVERAGE       APPL(CL.1)  DB2 (CL.2)  IFI (CL.5)    CLASS 3 SUSPENSIONS   AVERAGE TIME  AV.EVENT    HIGHLIGHTS
------------  ----------  ----------  ----------    --------------------  ------------  --------    --------------------------
ELAPSED TIME  %(class1_elapsed_s)10.6f  %(class2_elapsed_s)10.6f         N/P    LOCK/LATCH(DB2+IRLM)  %(lock_wait_s)12.6f      0.10    #OCCURRENCES    : %(occurrences)8d
                                                    SYNCHRON. I/O         %(io_s)12.6f      1.00    #ALLIEDS        :      N/A
CP CPU TIME   %(class1_cp_s)10.6f  %(class2_cp_s)10.6f         N/P     DATABASE I/O         %(io_s)12.6f      1.00    #COMMITS        : %(commits)8d
SE CPU TIME     0.000000    0.000000         N/A                                                    #ROLLBACKS      :        0
SUSPEND TIME    0.000000  %(class3_s)10.6f         N/A    TOTAL CLASS 3         %(class3_s)12.6f      1.10    THREAD TYPE     :   ALLIED
"""


def print_db2_accounting(report: Db2Accounting, paper: Paper | None = None) -> bytes:
    """The pages of all intervals of a member, one interval after the other."""
    top = top_of_page(report, "ACCOUNTING REPORT - LONG", "ORDER: CONNTYPE-CONNECT-PLANNAME")
    heading = same_top(top, stamps(report.intervals))
    return print_intervals(len(report.intervals), _sections(report), heading, paper or Paper())


def _sections(report: Db2Accounting) -> Iterator[Section]:
    """Class 3 is printed as the sum of its parts as printed."""
    for one in report.connections:
        lock = np.floor(np.asarray(one["lock_wait_s"], float) * 1e6 + 0.5) / 1e6
        whole: Numbers = np.maximum(np.floor(np.asarray(one["class3_s"], float) * 1e6 + 0.5) / 1e6, lock)
        parts = {"class3_s": whole, "lock_wait_s": lock, "io_s": whole - lock}
        yield Section(f"\n{one['key']}\n\n{_HEAD}", one | parts)
