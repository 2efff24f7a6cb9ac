"""Studies: which windows of which configurations are compared."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from ironlake.arguments import checked
from ironlake.lake import LakePath, lake_path, open_lake
from ironlake.pipeline.errors import IronlakeError, UsageError, first_of
from ironlake.pipeline.output.html import html_table
from ironlake.pipeline.sql.open_lake import OpenLake
from ironlake.pipeline.study import study_file
from ironlake.pipeline.study.lake import CHECK_HINT, add_studies, check_studies
from ironlake.pipeline.study.show import known_studies

_MOST_SHOWN = 200
_WINDOWS = """
SELECT study_step.configuration, study_step.run, window_start, window_end, is_baseline
FROM study_step JOIN study_configuration USING (study, configuration)
WHERE study = $study ORDER BY study_step.line, study_step.run
"""


@dataclass(frozen=True)
class Window:
    """One run of a configuration: a window of local time, as printed; `end` is not in it."""

    configuration: str
    run: str
    start: dt.datetime
    end: dt.datetime


class Study:
    """A study of a file, `Study("drivers.yaml")`, or of a lake by its name, `Study("JDBC drivers", lake="lake")`.

    `name` is its name, `baseline` the configuration that the others are compared with, `windows` what it compares."""

    name: str
    baseline: str
    windows: list[Window]
    # As its file has it; None for one of a lake.
    parsed: study_file.Study | None = None

    @checked
    def __init__(self, source: str | os.PathLike[str], lake: LakePath | OpenLake = None):
        """Raises UsageError where the file cannot be read or does not hold one study, and where the lake has no study of this name."""
        if lake is not None:
            self._find(os.fspath(source), lake)
            return
        found = study_file.read_studies(Path(source))
        if len(found) != 1:
            what = f"{os.fspath(source)} has {len(found)} studies"
            raise UsageError(what, "one study", f"Study.all({os.fspath(source)!r}) gives every one")
        self._take(found[0])

    @classmethod
    @checked
    def all(cls, file: str | os.PathLike[str]) -> list[Study]:
        """Every study of a file. Raises UsageError with every error in it, its line and key."""
        return [cls._of(parsed) for parsed in study_file.read_studies(Path(file))]

    @classmethod
    def _of(cls, parsed: study_file.Study) -> Study:
        study = cls.__new__(cls)
        study._take(parsed)
        return study

    def _take(self, parsed: study_file.Study) -> None:
        self.parsed, self.name, self.baseline = parsed, parsed.name, parsed.baseline
        self.windows = [Window(c.name, s.run, s.start, s.end) for c in parsed.configurations for s in c.steps]

    def _find(self, name: str, lake: LakePath | OpenLake) -> None:
        with opened(lake) as there:
            known_studies(there, [name])
            rows = there.sql(_WINDOWS, {"study": name}).fetchall()
        self.name, self.baseline = name, next(row[0] for row in rows if row[-1])
        self.windows = [Window(*row[:-1]) for row in rows]

    @checked
    def check(self, lake: LakePath | OpenLake = None) -> pa.Table:
        """What each run selects in a lake, as `ironlake study check` shows it. Nothing is added to the lake.

        Raises IronlakeError with all that does not fit the lake."""
        with opened(lake) as there:
            (checked,) = check_studies(there, [self._of_a_file()])
        if checked.errors:
            raise IronlakeError("\n".join(first_of(checked.errors)), hint=CHECK_HINT)
        return checked.selection

    @checked
    def add(self, lake: LakePath = None) -> str:
        """Add the study to a lake, in place of one of the same name; the study views then compare it. Returns what was done.

        Raises IronlakeError if it does not fit the lake; then nothing is added."""
        (done,) = add_studies(lake_path(lake), [self._of_a_file()])
        return done

    def _of_a_file(self) -> study_file.Study:
        if self.parsed is None:
            raise UsageError(f"{self.name!r} was found in a lake", "a study of a file")
        return self.parsed

    def __dir__(self) -> list[str]:
        return ["add", "all", "baseline", "check", "name", "windows"]

    def __repr__(self) -> str:
        return f"<Study {self.name!r}: {len(self.windows)} windows, baseline {self.baseline!r}>"

    def _repr_html_(self) -> str:
        """The windows as an HTML table, for notebooks."""
        rows = pa.Table.from_pylist([{"study": self.name, **vars(window)} for window in self.windows])
        return html_table(rows.to_reader(), _MOST_SHOWN)


@contextmanager
def opened(lake: LakePath | OpenLake) -> Iterator[OpenLake]:
    """A lake, opened and closed where it is not open yet."""
    if isinstance(lake, OpenLake):
        yield lake
        return
    with open_lake(lake) as there:
        yield there
