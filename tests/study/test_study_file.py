"""The file of a study: what is read, bounds, mistakes with their lines."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

import pytest
from ironlake.pipeline.errors import UsageError
from ironlake.pipeline.study.study_file import parse_studies, read_studies

DRIVERS = """\
study: Drivers
interval: last
engines: {cp: 3, ziip: 2}
subsystems:
  CICS: {report_class: [CICS2A20]}
  DB2:  {report_class: [DB2], location: remote}
requests: {report_class: CICS2A20}
configurations:
  T2: {steps: [{window: 2021-04-13T10:00/10:05, simulator: t2_1.log}]}
  T4: {steps: [{window: 2021-04-13T11:00/11:05}, {window: 2021-04-13T23:00/2021-04-14T00:10, run: night}]}
normalization: {T2: {engine_mips: [16.5, 19.4]}, T4: {lpar_overhead_pct: 10}}
coupling: {uncoupled: T2, coupled: T4}
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("study: A\n# " + "x" * 2_100_000, "s.yaml:2: the file is larger than 2,097,152 bytes"),
        (
            "study: A\nx: &x " + "y" * 1000 + "\nz: [" + "*x, " * 5000 + "]",
            "s.yaml:3: has more than 4,194,304 characters",
        ),
        (
            "a: &a0 [1, 2]\n" + "".join(f"b{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 61)),
            "4,194,304 characters, aliases written out",
        ),
        ("study: A\nsteps: &a [*a]", "s.yaml:2: contains itself"),
    ],
    ids=["large", "repeated", "laughs", "itself"],
)
def test_a_file_is_bounded_however_little_of_it_is_written(tmp_path: Path, text: str, said: str):
    """Of the third, 60 lines, 2 to the power of 60 values would come."""
    (tmp_path / "s.yaml").write_text(text)
    with pytest.raises(UsageError, match=re.escape(said)):
        read_studies(tmp_path / "s.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "study: A\n" + "".join(f"k{n}: 1\n" for n in range(10_000)),
        "study: A\nbaseline: " + "x" * 100_000 + "\n" + "y" * 1000 + ": 1\nconfigurations: {A: {steps: []}}",
        "".join(f"{'---' if n else ''}\nstudy: A\n" for n in range(2_000)),
    ],
    ids=["keys", "texts", "studies"],
)
def test_errors_are_no_longer_than_anybody_reads(text: str):
    with pytest.raises(UsageError) as refused:
        parse_studies(text, "s.yaml")
    assert len(str(refused.value)) < 20_000
    assert "s.yaml:2: " in str(refused.value)


def test_a_study_is_read_as_it_stands():
    (study,) = parse_studies(DRIVERS, "drivers.yaml")
    assert (study.name, study.baseline, study.uncoupled, study.coupled) == ("Drivers", "T2", "T2", "T4")
    assert study.engines == {"cp": 3, "ziip": 2}
    assert [(s.name, s.location, [c.name for c in s.classes]) for s in study.subsystems] == [
        ("CICS", "local", ["CICS2A20"]),
        ("DB2", "remote", ["DB2"]),
    ]
    t2, t4 = study.configurations
    assert (t2.engine_mips, t2.lpar_overhead_pct, t4.lpar_overhead_pct) == ((16.5, 19.4), None, 10)
    assert (t2.steps[0].start, t2.steps[0].end) == (dt.datetime(2021, 4, 13, 10), dt.datetime(2021, 4, 13, 10, 5))
    assert [(s.run, s.rule, s.line) for s in t4.steps] == [("1", "last", 10), ("night", "last", 10)]
    assert t4.steps[1].end == dt.datetime(2021, 4, 14, 0, 10)


def test_texts_are_not_taken_for_what_yaml_makes_of_them():
    text = DRIVERS.replace("interval: last\n", "").replace("T2:", "NO:").replace("uncoupled: T2", "uncoupled: NO")
    text = text.replace("run: night", "run: 1e3, interval: [23:30]")
    (study,) = parse_studies(text, "drivers.yaml")
    night = study.configurations[1].steps[1]
    assert (study.baseline, night.run, night.rule, night.listed) == (
        "NO", "1e3", "list", (dt.datetime(2021, 4, 13, 23, 30),),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("last", "lst", "2: interval: 'lst'; expected last, all or a list of starts"),
        ("study: Drivers", "study:", "1: study: nothing; expected a text"),
        ("interval: last", "baseline: T3", "2: baseline: no configuration is called 'T3'; expected one of T2, T4"),
        ("interval: last", "intervall: last", "2: intervall: no such key; expected interval (or another of study,"),
        ("engines: {cp: 3", "engines: {cp: three", "3: engines.cp: 'three'; expected a number of 0 or more"),
        ("[DB2]", "[CICS2A20]", "6: subsystems.DB2: report_class CICS2A20 is charged to CICS already; expected every"),
        ("{report_class: [DB2]", "{service_class: [DB2]",
            "6: subsystems: service_class DB2 and report_class CICS2A20 are both charged, and work that is in both counts twice;"
            " expected classes of one kind, or allow_both_kinds: true if they have no work in common"),
        ("interval: last", "allow_both_kinds: yes", "2: allow_both_kinds: 'yes'; expected true or false"),
        ("[DB2]", "[]", "6: subsystems.DB2.report_class: a list of 0; expected a list"),
        ("  DB2:", "  unallocated:", "6: subsystems.unallocated: is the name of the unallocated rest; expected another name"),
        ("remote", "far", "6: subsystems.DB2.location: 'far'; expected local or remote"),
        ("{report_class: CICS2A20}", "{source: workload_simulator}", "7: requests: count is missing; expected page_elements"),
        ("requests: {report_class: CICS2A20}", "systems: SYSA", "9: requests is missing, and this step gives no volume"),
        ("{report_class: CICS2A20}\n", "{page_class: X}\n", "7: requests.page_class: no such key; expected"),
        ("10:00/10:05", "10:05/10:00", "9: configurations.T2.steps[1].window: '2021-04-13T10:05/10:00'; expected an END"),
        ("10:00/10:05", "ten/10:00", "9: configurations.T2.steps[1].window: '2021-04-13Tten' is not a time; expected a local"),
        ("10:00/10:05", "10:00", "9: configurations.T2.steps[1].window: '2021-04-13T10:00'; expected START/END"),
        ("10:00/10:05", "10:00Z/10:05", "9: configurations.T2.steps[1].window: '2021-04-13T10:00Z' has a time zone"),
        ("13T11:00/11:05", "13T10:04/10:09", "10: the window of T4 overlaps that of T2 on line 9; expected windows apart"),
        ("run: night", "run: 1", "10: configurations.T4.steps[2]: run '1' is a step of T4 already; expected another name"),
        ("[16.5, 19.4]", "[16.5]", "11: normalization.T2.engine_mips: a list of 1; expected two numbers"),
        ("{lpar_overhead_pct: 10}", "{lpar_overhead_pct: 100}", "expected a number of 0 or more, below 100"),
        ("{T2: {engine", "{T5: {engine", "11: normalization.T5: no configuration is called 'T5'; expected one of T2, T4"),
        ("coupled: T4", "coupled: T2", "12: coupling.coupled: 'T2' is the uncoupled configuration too; expected another"),
        ("interval: last\n", "interval: last\ninterval: all\n", "3: interval: is given twice; expected every key once"),
        ("simulator: t2_1.log", "volume: 100", "9: volume is given, and requests on line 7 too; expected one of them"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_line_and_key(old: str, new: str, message: str):
    text = DRIVERS.replace(old, new, 1)
    with pytest.raises(UsageError) as caught:
        parse_studies(text, "drivers.yaml")
    assert message in str(caught.value)
    assert str(caught.value).startswith("drivers.yaml:")


@pytest.mark.parametrize(
    "text", ["", "- 1", "a: [", "&a [*a]", "study: x", "[" * 5000, "\0", "study: {configurations: 1}"]
)
def test_what_is_no_study_is_an_error_that_says_so(text: str):
    with pytest.raises(UsageError, match=r"^drivers.yaml"):
        parse_studies(text, "drivers.yaml")


def test_every_mistake_is_told_at_once():
    with pytest.raises(UsageError) as caught:
        parse_studies(
            DRIVERS.replace("last", "lst").replace("far", "x").replace("coupled: T4", "coupled: T9"), "a.yaml"
        )
    assert [line.split(":")[1] for line in str(caught.value).splitlines()] == ["2", "12"]
