"""Two minutes a week apart as runs: their rows, and what pages and views hold of them."""

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
from ironlake.dashboards.document import Page, document
from ironlake.dashboards.headline_table import summary
from ironlake.dashboards.pages.study import headlines, name_absent, render
from ironlake.dashboards.references import Sources
from ironlake.dashboards.study_rows import Measured, StudyMeasures, measure_studies
from ironlake.dashboards.told_classes import ClassFilter, narrowed
from ironlake.pipeline.sql.ask import Queryable
from ironlake.pipeline.study.lake import StudiedLake
from ironlake.pipeline.study.rows import study_rows
from ironlake.pipeline.study.runs import ComparedSystems, Windows, name_of, studies_of_runs
from ironlake.pipeline.study.windows import Window
from one_lake import Asks
from pages import pictures_of
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


# --- Many comparisons over one lake ------------------------------------------------------------------------------------

# In front of the names of a case, so that it has sysplexes, systems and sources of its own.
_FIRST_SIGN, _SIGNS = 0xE000, re.compile("[\ue000-\uefff]")
_OWN = ("source_id", "sysplex", "system", "scope")


@dataclass
class Comparison:
    """A comparison of runs that lies in one lake with those of all other tests: views, which take most of the time, are asked once for all. Its
    numbers of sources count on from those of others."""

    tables: Mapping[str, Sequence[Row]]
    runs: Windows
    sign: str
    name: str = ""
    studies: list[StudyMeasures] = field(default_factory=list)
    lake: Queryable | None = None
    sources: Sources | None = None

    @property
    def study(self) -> StudyMeasures:
        (study,) = self.studies
        return study

    def of_classes(self, only: ClassFilter) -> "Comparison":
        """The same, of some classes alone."""
        assert self.lake
        return replace(self, studies=narrowed(self.lake, [replace(study) for study in self.studies], only))

    @property
    def headline(self) -> str:
        return unsigned(headlines(self.studies))

    @property
    def table(self) -> pa.Table:
        return summary(self.studies)

    @property
    def rendered(self) -> Page:
        assert self.sources
        return render(Measured(self.studies, [], [], []), self.sources, self.name)

    @cached_property
    def page(self) -> str:
        return unsigned(document(self.rendered))

    @property
    def pictures(self) -> dict[str, dict[str, Any]]:
        return pictures_of(self.page)

    def write(self, folder: Path) -> Path:
        (folder / "page.html").write_text(self.page, "utf-8")
        return folder / "page.html"


_COMPARISONS: list[Comparison] = []


def unsigned(text: str) -> str:
    """A text without the marks that separate cases."""
    return _SIGNS.sub("", text)


def comparison(runs: Windows = RUNS, **tables: Sequence[Row]) -> int:
    """Ask for a comparison before any test runs; returns its number for the fixture `compared`."""
    _COMPARISONS.append(Comparison(tables, runs, chr(_FIRST_SIGN + len(_COMPARISONS))))
    return len(_COMPARISONS) - 1


def measured_comparisons() -> Iterator[list[Comparison]]:
    """All that were asked for, measured."""
    rows: dict[str, list[Row]] = {}
    for one in _COMPARISONS:
        for table, of in one.tables.items():
            rows.setdefault(table, []).extend(_signed(row, one.sign) for row in of)
    lake = MemoryLake(**rows)
    studies, of_case = [], {}
    for one in _COMPARISONS:
        plexes = sorted({f"{one.sign}{row['sysplex']}" for row in one.tables["rmf_workload_activity"]})
        found = studies_of_runs(_OfSysplexes(lake, plexes), one.runs, ComparedSystems())
        of_case[one.sign] = mine = [replace(s, name=one.sign + s.name.removeprefix(one.sign)) for s in found]
        studies += mine
    with ExitStack() as stack:
        studied = stack.enter_context(StudiedLake(lake, studies))
        near = stack.enter_context(studied.near_windows())
        sources = Sources(near)
        measured = measure_studies(near, [s.name for s in studies], sources, studied)
        by_name = {study.name: study for study in measured.studies}
        for one in _COMPARISONS:
            for study in of_case[one.sign]:
                name_absent(by_name[study.name], study, one.runs)
            one.studies = [by_name[study.name] for study in of_case[one.sign]]
            one.lake, one.sources, one.name = near, sources, name_of(one.runs)
        yield _COMPARISONS


def _signed(row: Row, sign: str) -> Row:
    own = {k: ",".join(sign + part for part in row[k].split(",")) for k in _OWN if row.get(k)}
    return row | own


class _OfSysplexes:
    """What a lake has of some sysplexes: what runs are found in."""

    def __init__(self, lake: MemoryLake, names: Sequence[str]):
        self._lake, self._names = lake, ", ".join(f"'{name}'" for name in names)

    def sql(self, text: str) -> Any:
        own = f"(FROM workload_interval WHERE sysplex IN ({self._names}))"
        return self._lake.sql(text.replace("workload_interval AS printed", f"{own} AS printed"))


# --- Rows of views -----------------------------------------------------------------------------------------------------


def title_of(page: str, picture: str) -> str:
    (found,) = re.findall(rf'<h4 id="{picture}-title">(.*?)</h4>', page)
    return found


def rows_in(tables: dict[str, list[Row]], view: str, runs: dict[str, Any] = RUNS, of: str = "TRUE") -> Asks[list[Row]]:
    """What a view holds of the runs."""
    lake = yield tables
    studies = study_rows(studies_of_runs(lake, runs), "not in the lake")
    studied = yield tables | {name: rows.to_pylist() for name, rows in studies.items()}
    return studied.rows(f"SELECT * FROM {view} WHERE {of} ORDER BY ALL")


def warnings_of(tables: dict[str, list[Row]], runs: dict[str, Any] = RUNS) -> Asks[dict[str, tuple[str, str]]]:
    """What is not alike: the word for the baseline and for the other run."""
    rows = yield from rows_in(tables, "comparison_warning", runs)
    return {row["warning"]: (row["baseline_value"], row["value"]) for row in rows}


def total_cpu(tables: dict[str, list[Row]], run: str = "before", runs: dict[str, Any] = RUNS) -> Asks[Any]:
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
