"""`import ironlake`: what a notebook or script of a site uses."""

from __future__ import annotations

import datetime as dt
import re
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, cast

import ironlake
import pyarrow as pa
import pytest
from command_line import Command
from ironlake.pipeline.output.html import html_table
from sample_pages import ROOT

SAMPLES = ROOT / "sample_reports"
# Named in the study file of the sample, with the logs beside it.
STUDY = SAMPLES / "studies" / "zos_connect"
RUNS = {"before": "2021-04-13T10:00/11:00", "after": "2021-04-14T10:00/11:00"}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("python") / "lake"
    ironlake.ingest([SAMPLES / "demo", *sorted(STUDY.glob("*.txt"))], path)
    return path


@pytest.fixture(scope="module")
def lake(path: Path) -> Iterator[ironlake.Lake]:
    with ironlake.open_lake(path) as opened:
        yield opened


def test_all_that_is_named_is_there():
    assert {"open_lake", "ingest", "compare", "Study"} <= {*ironlake.__all__} == {*dir(ironlake)}
    assert [name for name in ironlake.__all__ if not getattr(ironlake, name).__doc__] == []
    with pytest.raises(AttributeError, match="has no attribute 'reports'"):
        _ = ironlake.reports  # pyright: ignore[reportAttributeAccessIssue]
    assert (Path(ironlake.__file__).parent / "py.typed").is_file()


def test_a_lake_and_an_answer_say_what_they_are_and_name_what_is_public(lake: ironlake.Lake):
    rows = sum(lake.rows(name) for name in lake.tables if name in {part.table for part in lake.state.parts.values()})
    assert re.fullmatch(rf"<Lake '.*lake': \d+ files, {rows:,} rows, 20\d\d-\d\d-\d\d to 20\d\d-\d\d-\d\d>", repr(lake))
    shown = lake._repr_html_()
    assert f'<td style="text-align: right">{lake.rows("rmf_workload_activity")}</td>' in shown
    assert "db2_accounting" not in shown
    answer = lake.table("cpu_by_class")
    for public in (lake, answer, answer.plot()):
        assert [name for name in dir(public) if not name.startswith("__") and not hasattr(public, name)] == []
    assert "state" not in dir(lake)
    assert "written" not in dir(answer)


def test_an_answer_is_drawn_as_on_the_pages(lake: ironlake.Lake, tmp_path: Path):
    query = (
        "SELECT service_class, max(cpu_pct) AS cpu_pct FROM cpu_by_class WHERE cpu_pct > 0 GROUP BY ALL ORDER BY ALL"
    )
    names = [name for name, _ in lake.sql(query).fetchall() if name]
    plot = lake.sql(query).plot(width=640)
    assert (plot.title, plot._repr_svg_()) == ("cpu_pct by service_class", plot.svg)
    assert 'width="672"' in plot.svg
    assert all(f">{name}</text>" in plot.svg for name in names)
    plot.save(tmp_path / "peak.svg")
    assert (tmp_path / "peak.svg").read_text("utf-8") == plot.svg
    timed = lake.sql("SELECT interval_start, service_class, cpu_pct FROM cpu_by_class")
    assert " over interval_start" in timed.plot().title
    for wrong, said in (
        ("SELECT 1 AS one", "cannot be drawn; expected two rows"),
        ("FROM range(100001)", "more than 100,000 rows"),
    ):
        with pytest.raises(ironlake.UsageError, match=said):
            lake.sql(wrong).plot()
    with pytest.raises(ironlake.UsageError, match="width is 10; expected 300 to 4000 pixels"):
        lake.sql(query).plot(width=10)
    with pytest.raises(ironlake.IronlakeError, match="cannot be written"):
        plot.save(tmp_path / "none" / "peak.svg")


# --- Reading ------------------------------------------------------------------------------------------------------------


def test_an_ingest_tells_what_it_read(tmp_path: Path):
    file = SAMPLES / "demo" / "before.txt"
    report = ironlake.ingest(file, tmp_path / "lake")
    (result,) = report.files
    assert (result.status, result.pages, result.rejects) == ("ingested", 40, 0)
    assert repr(report) == f"{file}: ingested (40 pages, 1728 rows, 0 rejects)"
    assert [f.status for f in ironlake.ingest(str(file), tmp_path / "lake").files] == ["already_ingested"]
    page = SAMPLES / "rmf_workload_activity" / "overflowed_cell.txt"
    with pytest.raises(ironlake.IngestFailed, match="expected a number, blank or N/A"):
        ironlake.ingest(page, tmp_path / "other", strict=True)


def test_a_file_that_cannot_be_read_is_an_error_with_the_words_of_the_command(
    tmp_path: Path, run: Command, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("IRONLAKE_LAKE", str(tmp_path / "lake"))
    missing, good = tmp_path / "none.txt", SAMPLES / "demo" / "after.txt"
    with pytest.raises(ironlake.IngestFailed) as raised:
        ironlake.ingest([missing, good])
    assert [f.status for f in raised.value.report.files] == ["failed", "ingested"]
    code, out, _ = run("ingest", missing)
    assert code == 1
    # The command says them below the name of the file.
    words = str(raised.value).removeprefix(f"{missing}: ").splitlines()
    assert words[0].startswith("does not exist; expected a file")
    assert [line.strip() for line in out.splitlines()] == [f"{missing}: failed", *words]
    # The lake of the environment has the other file.
    with ironlake.open_lake() as lake:
        assert lake.table("ingest_file").pl()["source_file"].to_list() == [str(good)]


# --- Asking -------------------------------------------------------------------------------------------------------------

QUERY = """
SELECT CAST(interval_start AS DATE) AS day, sum(transactions_ended) AS ended
FROM cpu_by_class WHERE sysplex = 'PLEXD' AND service_class = $class GROUP BY day ORDER BY day
"""


def test_an_answer_in_each_form(lake: ironlake.Lake):
    answer = lake.sql(QUERY, {"class": "DDFHI"})
    # As README.md has it.
    rows = [(dt.date(2021, 4, 13), 715086), (dt.date(2021, 4, 14), 729692)]
    assert answer.fetchall() == rows
    assert answer.pl().rows() == rows
    assert answer.arrow().to_pylist() == [{"day": day, "ended": ended} for day, ended in rows]
    assert answer.df()["ended"].tolist() == [715086, 729692]
    assert lake.sql(QUERY, {"class": "NONE"}).pl().height == 0


WRONG_INGESTS: list[tuple[dict[str, Any], str]] = [
    ({"date_order": "ymd"}, "date_order is 'ymd'; expected 'mdy' or 'dmy'"),
    ({"utc_offset": 900}, "utc_offset 900 is no offset; expected minutes from -840 to 840"),
    ({"jobs": 0}, "jobs is 0; expected at least 1"),
    ({"jobs": True}, "jobs is of type bool; expected a whole number or None"),
    ({"scope": ["SYSA"]}, "scope is of type list; expected a text or None"),
    ({"wait": float("nan")}, "wait is nan; expected seconds, 0 or more, or None"),
    ({"strict": "no"}, "strict is 'no'; expected True or False"),
    ({"paths": iter([Path("x"), 1])}, "paths[1] is of type int; expected a text or a path"),
    ({"paths": None}, "paths is of type NoneType; expected a text, a path or a list"),
]
WRONG_COMPARISONS: list[tuple[dict[str, Any], str]] = [
    ({"runs": [1]}, "runs is of type list; expected a dict: a text or a pair (each a datetime) by name or None"),
    ({"runs": {"a": (dt.date(2021, 4, 13),) * 2}}, "runs['a'][0] is of type date; expected a datetime"),
    ({"systems": ["SYSA", 3]}, "systems[1] is of type int; expected a text"),
    ({"out": 3}, "out is of type int; expected a text or a path"),
]
WRONG_QUESTIONS: list[tuple[Callable[[Any], Any], str]] = [
    (lambda lake: lake.sql(1), "text is of type int; expected a text"),
    (lambda lake: lake.sql("SELECT 1", ["x"]), "parameters is of type list; expected a dict: a value by name or None"),
    (lambda lake: lake.sql("SELECT $1", {1: 2}), "a name in parameters is of type int; expected a text"),
    (lambda lake: lake.table(None), "name is of type NoneType; expected a text"),
    (lambda lake: lake.rows("nothing"), "no table or view is called nothing"),
    (lambda lake: lake.sql("SELECT 1").reader("x"), "rows is 'x'; expected a whole number"),
    (lambda lake: lake.sql("SELECT 1").reader(0), "rows is 0; expected at least 1"),
    (lambda lake: ironlake.open_lake("a\0b"), "path is 'a\\x00b'; expected a text, a path or None"),
    (lambda lake: ironlake.ingest("x", lake), "lake is of type Lake; expected a text, a path or None"),
    (lambda lake: ironlake.Study.all(cast("Any", 1)), "file is of type int; expected a text or a path"),
]


def test_wrong_values_are_told_in_plain_words(lake: ironlake.Lake, tmp_path: Path):
    whole: dict[str, Any] = {"runs": RUNS, "lake": lake, "out": tmp_path / "page.html"}
    new: dict[str, Any] = {"paths": SAMPLES / "demo", "lake": tmp_path / "lake"}
    asked: list[tuple[Callable[[], Any], str]] = [
        *((partial(ask, lake), words) for ask, words in WRONG_QUESTIONS),
        *((partial(ironlake.compare, **whole | wrong), words) for wrong, words in WRONG_COMPARISONS),
        *((partial(ironlake.ingest, **new | wrong), words) for wrong, words in WRONG_INGESTS),
    ]
    for ask, words in asked:
        with pytest.raises(ironlake.UsageError) as raised:
            ask()
        assert str(raised.value).splitlines()[0].startswith(words), words
    assert list(tmp_path.iterdir()) == []


def test_a_closed_lake_answers_nothing(path: Path):
    lake = ironlake.open_lake(path)
    answer = lake.sql("SELECT 1 AS x")
    lake.close()
    lake.close()
    asked: list[Callable[[], Any]] = [
        *(lambda: lake.sql("SELECT 1"), lambda: lake.table("ingest_file"), lambda: lake.schema("cpu_by_class")),
        *(answer.pl, answer.df, answer.arrow, answer.reader, answer.fetchall, answer._repr_html_),
        *(lambda: answer.columns, lambda: answer.types, lake.__enter__),
        *(lambda: ironlake.Study("x", lake=lake), lambda: ironlake.compare(runs=RUNS, out="x.html", lake=lake)),
    ]
    for ask in asked:
        with pytest.raises(ironlake.UsageError, match="is closed; expected an open lake"):
            ask()
    assert repr(answer) == "<Answer: the lake is closed>"
    assert "cpu_by_class" in lake.views


def test_a_table_and_a_view_as_a_whole(lake: ironlake.Lake):
    assert lake.table("rmf_workload_activity").arrow().num_rows == lake.rows("rmf_workload_activity") > 100
    assert "cpu_pct" in lake.table("cpu_by_class").columns
    with pytest.raises(
        ironlake.UsageError, match="no table or view is called cpu_by_clas\nhint: near names: cpu_by_class"
    ):
        lake.table("cpu_by_clas")
    with pytest.raises(ironlake.UsageError, match="no table or view is called"):
        lake.table('cpu_by_class" JOIN "x')


def test_no_lake_and_a_wrong_query_are_errors_with_the_words_of_the_command(
    lake: ironlake.Lake, path: Path, run: Command, tmp_path: Path
):
    for query in ("SELECT nothing FROM cpu_by_class", "SELEC 1", "SELECT 1; SELECT 2", "FROM cpu_by_clas"):
        with pytest.raises(ironlake.UsageError) as raised:
            lake.sql(query).arrow()
        assert run("sql", query, "--lake", path) == (2, "", f"ironlake: {raised.value}\n")
    with pytest.raises(ironlake.UsageError, match="no lake in") as raised:
        ironlake.open_lake(tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert run("sql", "SELECT 1", "--lake", tmp_path) == (2, "", f"ironlake: {raised.value}\n")


def test_a_query_reads_no_file_and_writes_none(lake: ironlake.Lake, tmp_path: Path):
    (tmp_path / "secret.csv").write_text("a\n1\n")
    out = tmp_path / "out.csv"
    for query in (f"SELECT * FROM '{tmp_path / 'secret.csv'}'", f"COPY (SELECT 1) TO '{out}'"):
        with pytest.raises(ironlake.UsageError):
            lake.sql(query).arrow()
    answer = lake.sql("SELECT 1 AS a")
    for write in ("to_csv", "to_parquet", "write_csv", "write_parquet"):
        with pytest.raises(Exception, match=r"(?i)permission|disabled"):
            getattr(answer, write)(str(out))
    secret = pa.table({"a": [1]})
    with pytest.raises(ironlake.UsageError, match="secret"):
        lake.sql("FROM secret").arrow()
    assert secret.num_rows == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["secret.csv"]


def test_pandas_is_not_needed_before_df(lake: ironlake.Lake, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    answer = lake.sql("SELECT 1 AS one")
    assert (answer.pl().rows(), answer.arrow().num_rows, len(answer._repr_html_()) > 10) == ([(1,)], 1, True)
    with pytest.raises(ironlake.UsageError) as raised:
        answer.df()
    assert str(raised.value).splitlines() == [
        "df() needs pandas, which is not installed; expected the package pandas",
        "hint: pip install pandas; pl() and arrow() have the same rows without it",
    ]


def test_a_lake_that_an_older_ironlake_filled_is_told(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from ironlake.pipeline.sql import open_lake

    shutil.copytree(path, tmp_path / "lake")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ironlake.open_lake(tmp_path / "lake").close()
    monkeypatch.setattr(open_lake, "READER_VERSION", "next")
    with pytest.warns(
        UserWarning, match=r"ingested by an older Ironlake or with other plugins: some values are unknown; ingest again"
    ):
        ironlake.open_lake(tmp_path / "lake").close()


# --- In a notebook --------------------------------------------------------------------------------------------------------


def test_a_notebook_shows_units_and_null(lake: ironlake.Lake):
    shown = lake.sql(
        "SELECT service_class, cpu_pct, cpu_ms_per_transaction FROM cpu_by_class"
        " WHERE sysplex = 'PLEXD' AND service_class = 'CICSRGN' AND class_kind = 'service_class' LIMIT 1"
    )._repr_html_()
    assert ">service_class</th>" in shown
    assert ">cpu_pct<br><small>% of one engine</small></th>" in shown
    assert shown.count('<td style="text-align: right">-</td>') == 1
    assert shown.endswith("<p>1 row</p>")


def test_a_long_answer_is_cut_with_a_word(lake: ironlake.Lake):
    shown = lake.sql("SELECT range AS n FROM range(100000000000)")._repr_html_()
    assert shown.count("<tr>") == 51
    assert shown.endswith("<p>the first 50 rows; there are more: pl(), df() and arrow() have all</p>")
    assert lake.sql("SELECT range AS n FROM range(50)")._repr_html_().endswith("<p>50 rows</p>")
    assert "aaa… 800 characters more</td>" in lake.sql("SELECT repeat('a', 1000) AS a")._repr_html_()
    assert ">1; 2; 3; … 97 more</td>" in lake.sql("SELECT range(1, 101) AS a")._repr_html_()


def test_markup_in_names_and_values_is_shown_as_it_is(lake: ironlake.Lake):
    shown = lake.sql("""SELECT '<script>alert("&")</script>' AS "<b>name", 1 AS "a""b" """)._repr_html_()
    assert "&lt;script&gt;alert(&quot;&amp;&quot;)&lt;/script&gt;" in shown
    assert "&lt;b&gt;name</th>" in shown
    assert "<script" not in shown
    assert "<b>" not in shown
    field = pa.field("a", pa.int64(), metadata={"unit": "<i>", "description": 'say "<i>"'})
    said = html_table(pa.table({"a": [1]}, schema=pa.schema([field])).to_reader(), 5)
    assert "<small>&lt;i&gt;</small>" in said
    assert 'title="say &quot;&lt;i&gt;&quot;"' in said
    assert "\\x1b[31m" in lake.sql("SELECT chr(27) || '[31m' AS a")._repr_html_()


# --- Studies --------------------------------------------------------------------------------------------------------------


def test_a_study_lists_its_windows(path: Path, tmp_path: Path):
    studies = [s for file in sorted(STUDY.glob("*.yaml")) for s in ironlake.Study.all(file)]
    assert sorted(s.name for s in studies) == sorted(f"z/OS Connect {size}K response" for size in (1, 5, 10, 30, 50))
    shutil.copytree(path, tmp_path / "lake")
    study = studies[0]
    assert study.baseline == "3.0.36"
    assert {w.configuration for w in study.windows} == {"3.0.36", "3.0.37"}
    assert all(w.start < w.end for w in study.windows)
    assert study.check(tmp_path / "lake").num_rows == len(study.windows)
    assert study.add(tmp_path / "lake").startswith(f"{study.name}: added (2 configurations")
    found = ironlake.Study(study.name, lake=tmp_path / "lake")
    assert (found.name, found.baseline, found.windows) == (study.name, study.baseline, study.windows)
    assert f">{study.name}</td>" in found._repr_html_()
    with pytest.raises(ironlake.UsageError, match="no study in the lake is called 'other'; expected z/OS Connect"):
        ironlake.Study("other", lake=tmp_path / "lake")


def test_a_file_of_several_studies_is_read_with_all(tmp_path: Path):
    file = tmp_path / "two.yaml"
    one = "study: {name}\nrequests: {{report_class: A}}\nconfigurations:\n  X: {{steps: [{{window: 2021-04-13T10:00/11:00}}]}}\n"
    file.write_text(one.format(name="A") + "---\n" + one.format(name="B"))
    assert [(s.name, s.windows[0].start) for s in ironlake.Study.all(file)] == [
        (name, dt.datetime(2021, 4, 13, 10)) for name in "AB"
    ]
    with pytest.raises(ironlake.UsageError, match=r"two.yaml has 2 studies; expected one study\nhint: Study.all"):
        ironlake.Study(file)
    (tmp_path / "none.yaml").write_text("study: 5: 6")
    with pytest.raises(ironlake.UsageError, match=r"none.yaml:1"):
        ironlake.Study(tmp_path / "none.yaml")


def _without_charts(page: Path) -> str:
    """A page but for the packed numbers of its charts, whose last binary digits depend on what a session was asked before, and for the
    command that made it."""
    text, times = re.subn(r'(id="charts">)[^<]*', r"\1", page.read_text("utf-8"))
    assert times == 1
    text = re.sub(r"<p>Made by: <code>.*?</code></p>\n", "", text)
    return re.sub(r"(lake \S+\.) ironlake compare .*?</pre>", r"\1</pre>", text)


@pytest.mark.slow
def test_a_comparison_writes_the_page_of_the_command(lake: ironlake.Lake, path: Path, tmp_path: Path, run: Command):
    here, there = tmp_path / "here.html", tmp_path / "there.html"
    compared = ironlake.compare(runs=RUNS, lake=lake, out=here)
    assert compared.page == here
    # As README.md has it.
    found = {r["study"]: (r["before"], r["after"]) for r in compared.table.to_pylist()}
    assert found == {"PLEXD": (239.3, 211.9), "PLEXT": (23.36, 17.75)}
    said = "PLEXD: “after” needs 11.4% less general-processor time than “before” (239.3 → 211.9% of one engine)"
    assert said in compared.headline
    assert compared.pl().height == compared.df().shape[0] == 2
    assert "PLEXD</td>" in compared._repr_html_()
    runs = [a for name, window in RUNS.items() for a in ("--run", f"{name}={window}")]
    assert run("compare", *runs, "--lake", path, "--out", there)[0] == 0
    assert _without_charts(here) == _without_charts(there)


@pytest.mark.slow
def test_studies_of_a_file_and_of_a_lake_are_compared(path: Path, tmp_path: Path):
    lake = tmp_path / "lake"
    shutil.copytree(path, lake)
    study = ironlake.Study.all(min(STUDY.glob("*.yaml")))[0]
    by_file = ironlake.compare(study, lake=lake, out=tmp_path / "file.html")
    study.add(lake)
    kept = ironlake.Study(study.name, lake=lake)
    assert ironlake.compare(kept, lake=lake, out=tmp_path / "name.html").table.equals(by_file.table)
    with pytest.raises(ironlake.UsageError, match="studies of files and of a lake are given together"):
        ironlake.compare(study, kept, lake=lake, out=tmp_path / "x.html")
    with pytest.raises(ironlake.UsageError, match=f"{study.name}' is in .* too; expected another name"):
        ironlake.compare(study, study, lake=lake, out=tmp_path / "x.html")
    assert not (tmp_path / "x.html").exists()


def test_a_comparison_of_nothing_or_into_a_lake_is_refused(path: Path, tmp_path: Path):
    out = tmp_path / "x.html"
    hour = (dt.datetime(2021, 4, 13, 10), dt.datetime(2021, 4, 13, 11))
    refused: list[tuple[dict[str, Any], str]] = [
        ({}, "nothing to compare"),
        ({"runs": {"a": hour}}, "only one run is given"),
        ({"runs": {"a": hour, "b": "13.4.2021"}}, "is no period"),
        ({"runs": {"a": hour, "b": (hour[1], hour[0])}}, "a window of b ends before it starts"),
        ({"runs": {"a": hour, "b": (hour[0].replace(tzinfo=dt.UTC), hour[1])}}, "the window of b has a time zone"),
        ({"runs": {"a": hour, "b": (dt.datetime(1999, 1, 1), dt.datetime(1999, 1, 2))}}, "has no data"),
    ]
    for given, words in refused:
        with pytest.raises(ironlake.IronlakeError, match=words):
            ironlake.compare(lake=path, out=out, **given)
    with pytest.raises(ironlake.UsageError, match="is among the files of the lake"):
        ironlake.compare(runs={"a": hour, "b": hour}, lake=path, out=path / "_ledger" / "page.html")
    assert not out.exists()


def test_a_corrected_file_replaces_the_wrong_one(tmp_path: Path):
    text = (SAMPLES / "rmf_workload_activity" / "velocity_goal.txt").read_text()
    for name, ended in (("old", "1844"), ("new", "1999")):
        (tmp_path / f"{name}.txt").write_text(text.replace("ENDED     1844", f"ENDED     {ended}"))
        ironlake.ingest(tmp_path / f"{name}.txt", tmp_path / "lake", replace=True, wait=5)
    with ironlake.open_lake(tmp_path / "lake") as lake:
        assert lake.sql("SELECT transactions_ended FROM rmf_workload_activity").fetchall() == [(1999,)]
