"""Check studies against a lake, and add them as rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..declaration.reading_options import READER_VERSION
from ..declaration.report import Table
from ..declaration.study_tables import COMPUTED, TABLES
from ..errors import IronlakeError, UsageError, first_of
from ..lake.kept_files import digest_of
from ..lake.lake import Lake
from ..lake.ledger import SourceEntry
from ..lake.origin import Receipt
from ..sql.answer import Result
from ..sql.kept_views import KeptViews
from ..sql.known_tables import tables
from ..sql.open_lake import OpenLake
from ..sql.part_rows import PartRows
from ..sql.session import Session
from ..sql.tables_inside import NearWindows, Tables, threads_for
from .check import Check, Checked
from .rows import study_rows
from .study_file import Study, read_studies

CHECK_HINT = "ironlake study check STUDY shows what each configuration selects"


def add_studies(lake_path: Path, studies: Sequence[Study], memory: str | None = None) -> list[str]:
    """Add studies to a lake, replacing those of the same name; returns one message per study.

    Raises IronlakeError if one does not fit the lake; then none is added."""
    with OpenLake(lake_path, memory=memory) as opened:
        errors = [e for checked in check_studies(opened, studies) for e in checked.errors]
    if errors:
        raise IronlakeError("\n".join(first_of(errors)), hint=CHECK_HINT)
    return [_add(lake_path, study) for study in studies]


def _add(lake_path: Path, study: Study) -> str:
    content = study_rows([study], "")
    digest = sha256(repr([table.to_pylist() for table in content.values()]).encode()).hexdigest()
    # The ledger replaces a source with the same key; the key of a study is its name, not its content.
    entry = SourceEntry(
        sha256=sha256(b"study\0" + study.name.encode()).hexdigest(),
        options_key=f"study={study.name}|content={digest}|reader={READER_VERSION}",
        source_file=study.file,
        encoding="utf-8",
        form="study",
        rows={name: table.num_rows for name, table in content.items()},
    )
    with Lake(lake_path) as lake:
        if lake.find(entry.sha256, entry.options_key):
            return f"{study.name}: already there"
        tables = study_rows([study], entry.source_id)
        declared = {t.name: (tables[t.name], t.schema) for t in TABLES if t.name in tables}
        lake.commit([entry], lake.write_batch(declared, [Receipt(entry, 0, last=True)]))
    runs = sum(len(c.steps) for c in study.configurations)
    return f"{study.name}: added ({len(study.configurations)} configurations, {runs} runs)"


class StudiedLake:
    """A lake with only these studies; nothing is written."""

    def __init__(self, lake: Tables, studies: Sequence[Study]):
        self._lake, self._studies = lake, studies
        self._own = study_rows(studies, "not in the lake")
        kept_views = KeptViews(lake.kept_files, self._identity) if lake.kept_files else None
        self._session = Session(
            self._rows_of, memory=lake.memory, threads=threads_for(lake), files=lake.files(), kept_views=kept_views
        )

    def _identity(self, name: str) -> object:
        own = {table: digest_of(repr(rows.to_pylist())) for table, rows in self._own.items()}
        if tables()[name] in COMPUTED:
            return self._lake.identity(name), own
        return own.get(name) or self._lake.identity(name)

    def _rows_of(self, table: Table) -> pa.Table | PartRows:
        if table in COMPUTED:
            return self._statistics[table.name]
        return self._own[table.name] if table.name in self._own else self._lake.rows_of(table)

    @cached_property
    def _statistics(self) -> dict[str, pa.Table]:
        from ..sql.statistics import study_statistics

        return study_statistics(self)

    def sql(self, text: str) -> Result:
        """Answer one SELECT statement, like OpenLake.sql."""
        return Result(self._lake, *self._session.relation(text), text)

    def near_windows(self) -> StudiedLake:
        """The same studies over what was printed near their windows: what views that shard say of the windows is the same. What is in memory is not
        cut: of such a lake it is this one, whose views are made already."""
        if self._lake.is_in_memory:
            return self
        windows = [(s.start, s.end) for study in self._studies for c in study.configurations for s in c.steps]
        return StudiedLake(NearWindows(self._lake, windows), self._studies)

    def __enter__(self) -> StudiedLake:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()


def check_studies(lake: OpenLake, studies: Sequence[Study]) -> list[Checked]:
    """The selection of each study in a lake, without adding it. Names must be unique."""
    with StudiedLake(lake, studies) as studied:
        return check_studied(studied, studies)


def check_studied(lake: StudiedLake, studies: Sequence[Study]) -> list[Checked]:
    """The selection of each study of a lake."""

    @cache
    def ask(text: str) -> list[dict[str, Any]]:
        return lake.sql(text).arrow().to_pylist()

    return [Check(ask, study).check() for study in studies]


def read_and_check(lake_path: Path, studies: Sequence[Study], memory: str | None = None) -> list[Checked]:
    """Check studies against a lake."""
    with OpenLake(lake_path, memory=memory) as opened:
        return check_studies(opened, studies)


def selections(checked: Sequence[Checked]) -> pa.Table:
    """The selections of studies, one row per run."""
    return pa.concat_tables([c.selection for c in checked])


def read_files(paths: Iterable[Path]) -> list[Study]:
    """The studies of several files. Raises UsageError if two have the same name: one would replace the other."""
    return require_names_of_their_own([study for path in paths for study in read_studies(path)])


def require_names_of_their_own(studies: Sequence[Study]) -> list[Study]:
    """The studies. Raises UsageError if two have the same name."""
    seen: dict[str, Study] = {}
    for study in studies:
        if other := seen.get(study.name):
            raise UsageError(f"{study.file}:{study.line}: study: {study.name!r} is in {other.file} too", "another name")
        seen[study.name] = study
    return list(seen.values())
