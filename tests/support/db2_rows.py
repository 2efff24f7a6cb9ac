"""Counters of Db2 statistics and accounting in memory."""

import datetime as dt
from collections.abc import Mapping

from views_lake import START, Row, place

# GBP6 as published: 53 + 0 reads after cross-invalidation, 4 + 347 + 25 of pages not found, 430 writes, 1 castout.
GBP6: Row = {"SYN.READ(XI)-DATA RETURNED": 53.0, "SYN.READ(XI)-NO DATA RETURN": 0.0, "SYN.READ(NF)-DATA RETURNED": 4.0}
GBP6 |= {"SYN.READ(NF)-NO DATA RETURN": 372.0, "CLEAN PAGES SYNC.WRTN": 0.0, "CHANGED PGS SYNC.WRTN": 430.0}
GBP6 |= {"CLEAN PAGES ASYNC.WRTN": 0.0, "CHANGED PGS ASYNC.WRTN": 0.0, "PAGES CASTOUT": 1.0, "UNREGISTER PAGE": 1200.0}
GBP6 |= {"DELETE NAME": 31.0, "WRITE FAILED-NO STORAGE": 0.0}


def counters(*some: list[Row], **tables: list[Row]) -> dict[str, list[Row]]:
    """Tables; one has counters of statistics."""
    return {"db2_statistics_counter": [row for rows in some for row in rows], **tables}


def counter_rows(counters: Mapping[str, float | None], block: str = "GROUP BP", **values: object) -> list[Row]:
    row: Row = {"location": "L", "db2_group": "DSNDB2I1", "member": "DB2A", "subsystem": "DB2A", "scope": "member"}
    row |= {"report_kind": "report", "begin_at": START, "end_at": START + dt.timedelta(minutes=10)}
    row |= {"interval_elapsed_s": 600.0, "block": block, "object": "GBP6", "is_total": False, "occurrence": 1}
    rows = []
    for line, (label, quantity) in enumerate(counters.items(), 100):
        named = {"counter": label.rpartition(" > ")[2], "label_path": label, "quantity": quantity}
        rows.append(row | named | place(line) | values)
    return rows


_MEMBER: Row = {"location": "L", "db2_group": "G", "member": "DB1A", "subsystem": "DB1A", "scope": "member"}
_MEMBER |= {"report_kind": "report", "begin_at": START, "end_at": START + dt.timedelta(minutes=5)}
_MEMBER |= {"is_total": False, "occurrence": 1}
# CPU of an address space in five minutes.
SPACE = _MEMBER | {"interval_elapsed_s": 300.0, "block": "CPU TIMES", "total_commits": 15000.0}
SPACE |= dict.fromkeys(("counter", "label_path"), "DATABASE SERVICES ADDRESS SPACE")


def entry(
    *, cp: float | None, ziip: float | None, occurrences: float, commits: float | None, line: int = 200, **other: object
) -> list[Row]:
    """Counters of a long report of five minutes: the times of class 1, half of them in class 2."""
    key = _MEMBER | {"conntype": "DRDA"}
    half = {name: value and value / 2 for name, value in (("CP", cp), ("SE", ziip))}
    rows: list[Row] = [
        {"block": "AVERAGE", "counter": "CP CPU TIME", "appl_class_1": cp, "db2_class_2": half["CP"]},
        {"block": "AVERAGE", "counter": "SE CPU TIME", "appl_class_1": ziip, "db2_class_2": half["SE"]},
        {"block": "HIGHLIGHTS", "counter": "#OCCURRENCES", "value": occurrences, "value_resolution": 1.0},
        {"block": "HIGHLIGHTS", "counter": "#COMMITS", "value": commits, "value_resolution": 1.0},
    ]
    return [key | row | {"label_path": row["counter"]} | place(line + n) | other for n, row in enumerate(rows)]
