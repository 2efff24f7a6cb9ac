"""Two minutes a week apart as runs: their rows, and what pages and views hold of them."""

import datetime as dt
import re
from pathlib import Path
from typing import Any

from ironlake.dashboards.pages.study import compare_runs
from ironlake.pipeline.study.rows import study_rows
from ironlake.pipeline.study.runs import studies_of_runs
from ironlake.pipeline.study.windows import Window
from one_lake import Asks
from views_lake import START, MemoryLake, Row, heading

NEXT_WEEK = START + dt.timedelta(days=7)
MINUTE = dt.timedelta(minutes=1)
RUNS = {"before": [Window(START, START + 2 * MINUTE)], "after": [Window(NEXT_WEEK, NEXT_WEEK + 2 * MINUTE)]}


def class_row(start: dt.datetime, line: int, cp: float | None, ended: int | None = 1000, **other: Any) -> Row:
    source = {"source_id": "s2", "source_file": "after.txt"} if start >= NEXT_WEEK else {"source_file": "before.txt"}
    row = heading(start) | source | {"line": line, "class_kind": "service_class", "workload": "ONLINE"}
    row |= {"service_class": "CICS", "appl_cp_pct": cp, "appl_iip_pct": 20.0, "appl_iipcp_pct": 5.0}
    row |= {"appl_aapcp_pct": 0.0, "transactions_ended": ended, "actual_time_s": 0.1, "total_service": 1}
    return row | other


def class_rows(**other: Any) -> list[Row]:
    """CICS: 40 and 60% CP before, 30 and 30% after, two minutes each; zIIP 20 and IIPCP 5 throughout."""
    return [
        class_row(START, 10, 40.0, **other),
        class_row(START + MINUTE, 20, 60.0, 3000, **other),
        class_row(NEXT_WEEK, 30, 30.0, 2000, **other),
        class_row(NEXT_WEEK + MINUTE, 40, 30.0, 2000, **other),
    ]


def page_of_runs(lake: MemoryLake, tmp_path: Path, runs: dict[str, Any] = RUNS) -> tuple[str, str]:
    headline = compare_runs(lake, runs, tmp_path / "page.html").headline
    return headline, (tmp_path / "page.html").read_text("utf-8")


def title_of(page: str, picture: str) -> str:
    (found,) = re.findall(rf'<h4 id="{picture}-title">(.*?)</h4>', page)
    return found


def rows_in(tables: dict[str, list[Row]], view: str, runs: dict[str, Any] = RUNS, of: str = "TRUE") -> Asks[list[Row]]:
    """What a view holds of the runs."""
    lake = yield tables
    studies = study_rows(studies_of_runs(lake, runs), "not in the lake")
    studied = yield tables | {name: rows.to_pylist() for name, rows in studies.items()}
    return studied.rows(f"SELECT * FROM {view} WHERE {of} ORDER BY ALL")


def total_cpu(tables: dict[str, list[Row]], run: str = "before", runs: dict[str, Any] = RUNS) -> Asks[float | None]:
    """CPU of all service classes of a run."""
    (row,) = yield from rows_in(
        tables, "configuration_class", runs, f"is_total AND class_kind = 'service_class' AND configuration = '{run}'"
    )
    return row["cpu_pct"]


def notes_of(tables: dict[str, list[Row]], runs: dict[str, Any] = RUNS) -> Asks[dict[tuple[str, str], Row]]:
    return {
        (row["configuration"], row["note"]): row for row in (yield from rows_in(tables, "configuration_note", runs))
    }


def rows_of_class(name: str) -> list[Row]:
    return [row | {"service_class": name, "line": row["line"] + 1} for row in class_rows()]


def one_minute(runs: int = 2) -> dict[str, Any]:
    return dict(
        [("before", [Window(START, START + MINUTE)]), ("after", [Window(NEXT_WEEK, NEXT_WEEK + MINUTE)])][:runs]
    )
