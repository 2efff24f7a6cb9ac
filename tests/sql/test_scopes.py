"""One interval printed by several runs of the Postprocessor: what a run prints beside a class does not make it another fact."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pytest
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.quality.check_lake import check
from ironlake.pipeline.sql import kept_days
from ironlake.pipeline.sql.kept_days import KeptDays
from ironlake.pipeline.sql.known_tables import tables
from ironlake.pipeline.sql.shards import ShardedLake
from one_lake import Rows, examples
from rmf_rows import partition, processor, service_class
from sizes import some
from views_lake import START, MemoryLake, Row, approx, heading

HEADING = """\
                                              W O R K L O A D   A C T I V I T Y
                                                                                                                    PAGE   1
     z/OS V2R2               SYSPLEX PLEXQ              DATE 03/17/2018            INTERVAL 15.00.007   MODE = GOAL
                             RPT VERSION V2R2 RMF        TIME 09.15.00

                                       POLICY ACTIVATION DATE/TIME 03/01/2018 04.05.06
"""
CLASS = """
------------------------------------------------------------------------------------------------------------ SERVICE CLASS(ES)

REPORT BY: POLICY=POLA       WORKLOAD=WLA        SERVICE CLASS=X          RESOURCE GROUP=*NONE
                                                 CRITICAL     =NONE
"""
PERIOD = """
------------------------------------------------------------------------------------------------------------ SERVICE CLASS PERIODS

REPORT BY: POLICY=POLA       WORKLOAD=WLA        SERVICE CLASS=X          RESOURCE GROUP=*NONE        PERIOD=1 IMPORTANCE=2
                                                 CRITICAL     =NONE
"""
# CP 50% of an engine.
BLOCK = """
-TRANSACTIONS-  TRANS-TIME HHH.MM.SS.TTT  --DASD I/O--  ---SERVICE---   SERVICE TIME  ---APPL %---  --PROMOTED--  ----STORAGE----
AVG       1.25  ACTUAL            15.590  SSCHRT 474.2  IOC      2237K  CPU  450.004  CP     50.00  BLK    0.001  AVG    53003.11
MPL       1.20  EXECUTION            143  RESP     3.3  CPU    356803K  SRB    0.000  AAPCP   0.00  ENQ    0.002  TOTAL  13425085
ENDED     1234  QUEUED            15.447  CONN     2.5  MSO         1   RCT    0.000  IIPCP   0.00  CRM    0.003  SHARED 95538.02
END/S     1.37  R/S AFFIN             11  DISC     0.6  SRB      4123K  IIT    0.000                LCK    8.443
#SWAPS       5  INELIGIBLE            12  Q+PEND   0.1  TOT    363163K  HST    0.000  AAP     0.00  SUP    0.005  -PAGE-IN RATES-
EXCTD        7  CONVERSION           224  IOSQ     0.2  /SEC   403512   AAP    0.000  IIP     0.00                SINGLE      0.1
AVG ENC   0.11  STD DEV              465                                IIP    0.000                              BLOCK       0.2
REM ENC   0.22                                          ABSRPTN  1593                                             SHARED      0.3
MS ENC    0.33                                          TRX SERV 1594                                             HSP         0.4
"""
GOAL = """
GOAL: RESPONSE TIME 000.00.05.000 AVG

         RESPONSE TIME EX   PERF  AVG   --EXEC USING%--  ------------ EXEC DELAYS % ------------  -USING%- --- DELAY % ---    %
SYSTEM   HHH.MM.SS.TTT VEL% INDX ADRSP  CPU AAP IIP I/O  TOT CPU                                  CRY CNT  UNK IDL CRY CNT  QUI

*ALL     000.00.15.590 30.8  3.1   4.4  0.0 N/A 0.0 0.0  0.1 0.1                                  0.0 0.0  0.0 100 0.0 0.0  0.0
SYSA     000.00.15.590 30.8  3.1   4.4  0.0 N/A 0.0 0.0  0.1 0.1                                  0.0 0.0  0.0 100 0.0 0.0  0.0
"""
SYSB = "SYSB     000.00.15.590 30.8  3.1   4.4  0.0 N/A 0.0 0.0  0.1 0.1                                  0.0 0.0  0.0 100 0.0 0.0  0.0\n"
POLICY = """                                                   - SERVICE POLICY PAGE -

SERVICE DEFINITION: SYSTES2                                           -SERVICE DEFINITION COEFFICIENTS-   -NORM FACTORS-
  INSTALL DATE: 01/13/2017 12.04.27  INSTALLED BY: BMAI                    IOC     CPU     SRB     MSO       AAP     IIP
  POLICY: POLA      Standard policy
  I/O PRIORITY MANAGEMENT:  YES                                            5.0    10.0    10.0  0.0001    1.0000  2.2200
  DYNAMIC ALIAS MANAGEMENT: YES

SYSTEMS
  ---ID---  OPT  SU/SEC  CAP% --TIME--  INTERVAL       ---ID---  OPT  SU/SEC  CAP% --TIME--  INTERVAL
  SYSA       00  79602.0  100 13.59.34  00.15.00       SYSB       00  79602.0  100 13.59.34  00.15.00
"""
# What a run prints: the class alone (of no system), with goals of one system, of both, or with the policy page of both.
CLASS_ALONE = HEADING + CLASS + BLOCK
PERIOD_ALONE = HEADING + PERIOD + BLOCK
GOALS_OF_ONE = HEADING + CLASS + BLOCK + PERIOD + BLOCK + GOAL
GOALS_OF_BOTH = HEADING + PERIOD + BLOCK + GOAL + SYSB
WITH_POLICY = HEADING + CLASS + BLOCK + HEADING + POLICY


# What sysplexes print, file by file, and what cpu_by_class has of class X: scope, source and how many rows it is of.
GIVEN: dict[str, tuple[Sequence[str], tuple[str, str, int]]] = {
    f"PLEX{letter}": case
    for letter, case in zip(
        ascii_uppercase,
        [
            *((runs, ("SYSA,SYSB", "class", 1)) for runs in permutations([CLASS_ALONE, GOALS_OF_BOTH])),
            ([CLASS_ALONE + GOALS_OF_BOTH], ("SYSA,SYSB", "class", 1)),
            *((runs, ("SYSA,SYSB", "class", 3)) for runs in permutations([CLASS_ALONE, GOALS_OF_ONE, WITH_POLICY])),
            # Pages alone belong to the policy page of another file.
            ([PERIOD_ALONE, HEADING + POLICY], ("SYSA,SYSB", "periods", 1)),
            ([CLASS_ALONE, GOALS_OF_ONE], ("SYSA", "class", 2)),
        ],
        strict=False,
    )
}
# A run that names no system and has another value.
OTHER_VALUE = [CLASS_ALONE.replace("CP     50.00", "CP     60.00"), GOALS_OF_ONE]


def test_runs_that_name_other_systems_count_once_and_check_tells_of_other_values(tmp_path: Path):
    given = {name: runs for name, (runs, _) in GIVEN.items()} | {"PLEXZ": OTHER_VALUE}
    # One after the other; those of all sysplexes at once.
    for number in range(3):
        (tmp_path / str(number)).mkdir()
        for name, runs in given.items():
            for text in runs[number : number + 1]:
                (tmp_path / str(number) / f"{name}.txt").write_text(text.replace("PLEXQ", name), "utf-8")
        assert ingest([str(tmp_path / str(number))], tmp_path / "lake", Options()).exit_code(strict=True) == 0
    with open_lake(tmp_path / "lake") as lake:
        asked = "SELECT sysplex, service_class, cpu_pct, scope, level_source, len(refs) FROM cpu_by_class WHERE sysplex <> 'PLEXZ'"
        found = lake.sql(f"{asked} ORDER BY ALL").fetchall()
        results = check(lake).to_reader().read_all().to_pylist()
    assert found == [(name, "X", 50.0, *expected) for name, (_, expected) in GIVEN.items()]
    told = [r for r in results if r["rule"] == "rmf_workload_activity.printed_once"]
    assert sorted(("/".join(r["source_file"].split("/")[-2:]), r["severity"]) for r in told) == [
        ("0/PLEXZ.txt", "error"),
        ("1/PLEXZ.txt", "error"),
    ]


@pytest.mark.parametrize(("summer", "winter", "conflicts"), some([(120, 60, 0), (120, None, 2), (None, None, 2)], 3))
def test_two_hours_that_offsets_tell_apart_are_no_conflict(
    summer: int | None, winter: int | None, conflicts: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The page before the clock was set back and the page after it: ingest and check name a conflict unless both offsets are known."""
    lake = tmp_path / "lake"
    (tmp_path / "summer.txt").write_text(CLASS_ALONE, "utf-8")
    (tmp_path / "winter.txt").write_text(CLASS_ALONE.replace("CP     50.00", "CP     60.00"), "utf-8")
    ingest([str(tmp_path / "summer.txt")], lake, Options(utc_offset_minutes=summer))
    (file,) = ingest([str(tmp_path / "winter.txt")], lake, Options(utc_offset_minutes=winter)).files
    assert bool(file.other_values.intervals if file.other_values else 0) == bool(conflicts)
    with open_lake(lake) as opened:
        told = [r for r in check(opened).to_reader().read_all().to_pylist() if r["rule"].endswith(".printed_once")]
        asked = "SELECT utc_offset_minutes, round(cp_time_s, 1) FROM class_hour ORDER BY ALL"
        found = opened.sql(asked).fetchall()
        with ShardedLake(opened, most_rows=1) as sharded:
            assert sharded.sql(asked).fetchall() == found
        day = dt.date(2018, 3, 17)
        # Of one view alone: all views of a day take ten times as long.
        monkeypatch.setattr(kept_days, "_SELECTS", {"class_hour": kept_days._SELECTS["class_hour"]})
        kept = KeptDays(opened, day, day, opened.made_of).rows("class_hour").to_pylist()
        assert {row["utc_offset_minutes"] for row in kept} == {offset for offset, _ in found}
    assert len(told) == conflicts
    assert found == ([(60, 540.0), (120, 450.0)] if not conflicts else [(None, None)])


def _class(scope: str | None, source: str, name: str = "X", cp: float = 50.0, **values: object) -> Row:
    row = heading(scope=scope, source_id=source) | {"class_kind": "service_class", "workload": "W"}
    return row | {"service_class": name, "appl_cp_pct": cp, "total_service": 100} | values


BOTH = "SYSA,SYSB"
CPU = "scope, service_class, cpu_pct, is_conflicting FROM cpu_by_class ORDER BY ALL"


test_scopes = examples(
    # Of SYSA alone X used 20%: a row of the same class has another value, so Y, which has the same, stays with it too.
    ("a run of one system is no part of the sysplex's", {"rmf_workload_activity": [
        _class(BOTH, "s1"), _class(BOTH, "s1", "Y", line=20), _class("SYSA", "s2", cp=20.0), _class("SYSA", "s2", "Y", line=20)]}, CPU,
     [("SYSA", "X", 20.0, False), ("SYSA", "Y", 50.0, False), (BOTH, "X", 50.0, False), (BOTH, "Y", 50.0, False)]),
    ("classes that did nothing show no scope", {"rmf_workload_activity": [
        _class(BOTH, "s1", cp=0.0, total_service=0), _class("SYSA", "s2", cp=0.0, total_service=0)]}, CPU,
     [("SYSA", "X", 0.0, False), (BOTH, "X", 0.0, False)]),
    # A large file is read in batches, of which one may hold the goals of one system only.
    ("an interval of a file is of one scope", {"rmf_workload_activity": [_class("SYSA", "s1"), _class(BOTH, "s1", "Y", line=900)]}, CPU,
     [(BOTH, "X", 50.0, False), (BOTH, "Y", 50.0, False)]),
    ("no scope beside systems that report apart", {"rmf_workload_activity": [
        _class("SYSA", "s1", cp=10.0), _class("SYSB", "s2", cp=20.0), _class(None, "s3", cp=30.0)]}, CPU,
     [("SYSA", "X", 10.0, False), ("SYSB", "X", 20.0, False), (None, "X", 30.0, False)]),
    ("other kinds of report", {"rmf_workload_activity": [_class("SYSA", "s1"), _class(None, "s2", report_kind="duration", line=99)]}, CPU,
     [("SYSA", "X", 50.0, False), (None, "X", 50.0, False)]),
)  # fmt: skip


def test_pages_without_a_system_that_print_other_values_are_told():
    lake = yield {"rmf_workload_activity": [_class("SYSA", "s1"), _class(None, "s2", cp=30.0)]}
    assert lake.sql("SELECT cpu_pct, is_conflicting FROM cpu_by_class").fetchall() == [(50.0, True)]
    told = lake.sql("SELECT scope, differing_columns, copies FROM conflicting_intervals").fetchall()
    assert told == [("SYSA", ["appl_cp_pct"], 2)]


def test_goals_and_intervals_are_of_the_wider_scope():
    period = {"class_kind": "service_class_period", "period": 1}
    of_both, of_one = _class("SYSA,SYSB", "s1", **period), _class("SYSA", "s2", **period)
    goal = {"system": "*ALL", "is_total": True, "goal_type": "average", "goal_s": 1.0, "performance_index": 0.5}
    keys = set(heading()) | {"class_kind", "workload", "service_class", "period"}
    goals = [{k: v for k, v in row.items() if k in keys} | goal for row in (of_both, of_one)]
    lake = yield {"rmf_workload_activity": [of_both, of_one], "rmf_workload_goal": goals}
    asked = "SELECT scope, performance_index, is_conflicting, len(refs) FROM performance_index"
    assert lake.sql(asked).fetchall() == [("SYSA,SYSB", 0.5, False, 2)]
    assert lake.sql("SELECT scope, is_overlapping FROM workload_interval").fetchall() == [("SYSA,SYSB", False)]


OTHER = {"string": ("a", "b"), "double": (1.0, 2.0), "int64": (1, 2), "int32": (1, 2), "bool": (False, True)}
# What tells where a row was printed, and how it was read.
NOT_COMPARED = {"source_id", "source_file", "page", "line", "utc_offset_minutes", "release", "report_version"}
KEY = {*tables()["rmf_workload_activity"].key}


def test_prints_conflict_where_a_column_differs_and_both_views_say_so():
    """A service class for each column, printed twice, and another: only this column differs, from another value and from none."""
    printed, expected = [], {}
    for number, field in enumerate(tables()["rmf_workload_activity"].schema):
        if field.name in KEY or (kind := str(field.type)) not in OTHER:
            continue
        first, second = OTHER[kind]
        for n, value in enumerate((first, None)):
            name = f"{field.name} {n}"
            row = heading() | {"class_kind": "service_class", "workload": "W", "service_class": name, "line": number}
            printed += [
                row | {field.name: value, "source_id": "s1"},
                row | {"line": number, "source_file": "two.txt"} | {field.name: second} | {"source_id": "s2"},
            ]
            if field.name not in NOT_COMPARED:
                expected[name] = [field.name]
    lake = MemoryLake(rmf_workload_activity=printed)
    told = lake.sql("SELECT service_class, differing_columns FROM conflicting_intervals").fetchall()
    marked = lake.sql("SELECT service_class FROM workload_printed_once WHERE is_conflicting").fetchall()
    assert len(expected) > 120
    assert dict(told) == expected
    assert {name for (name,) in marked} == {*expected}


def _pages(*pages: tuple[str | None, int, int, dict[str, float]]) -> list[Row]:
    """Pages of a scope from a minute on, so many minutes long: the CP of classes, which end 60 transactions a minute."""
    return [
        _class(scope, f"s{n}", name, cp, line=10 * k, transactions_ended=60 * minutes)
        | {"interval_start": START + dt.timedelta(minutes=at), "interval_s": 60.0 * minutes}
        | {"interval_end": START + dt.timedelta(minutes=at + minutes), "page": n}
        for n, (scope, at, minutes, classes) in enumerate(pages)
        for k, (name, cp) in enumerate(classes.items(), 1)
    ]


def test_one_scope_counts_for_each_class_and_interval():
    """B of SYSA alone, W of SYSB alone, on the sysplex's page and on SYSA's: B is 100% of an engine for an hour, 3600 s, once. Then SYSA's page in
    quarters, or longer than the sysplex's; for half an hour the sysplex's alone; a class that SYSA's page alone prints; systems that report
    apart; and a page that names none."""
    both, one, other = "SYSA,SYSB", "SYSA", "SYSB"
    wide = (both, 0, 60, {"W": 90.0, "B": 100.0})
    quarters = [(one, at, 15, {"W": 0.0, "B": 100.0}) for at in (0, 15, 30, 45)]
    halves = [(both, at, 30, {"W": 90.0, "B": 100.0}) for at in (0, 30)]
    cases = {
        "same time": [wide, (one, 0, 60, {"W": 0.0, "B": 100.0})],
        "shorter": [wide, *quarters],
        "longer": [*halves, (one, 0, 60, {"W": 0.0, "B": 100.0})],
        "half": [halves[0], *quarters],
        "a class of one": [wide, (one, 0, 60, {"W": 0.0, "B": 100.0, "C": 5.0})],
        "apart": [(one, 0, 60, {"B": 100.0}), (other, 0, 60, {"W": 90.0})],
        "of nobody": [(one, 0, 60, {"B": 100.0}), (other, 0, 60, {"W": 90.0}), (None, 0, 60, {"B": 100.0, "W": 90.0})],
    }
    lakes = yield [{"rmf_workload_activity": _pages(*pages)} for pages in cases.values()]
    asked = "SELECT class_name, scope, cp_time_s, covered_s, transactions_ended FROM class_hour ORDER BY ALL"
    found = {name: lake.sql(asked).fetchall() for name, lake in zip(cases, lakes, strict=True)}
    of_both = [("B", both, 3600.0, 3600.0, 3600), ("W", both, 3240.0, 3600.0, 3600)]
    assert [found[name] for name in ("same time", "shorter", "longer")] == [of_both] * 3
    of_half = [
        *(("B", one, 1800.0, 1800.0, 1800), ("B", both, 1800.0, 1800.0, 1800)),
        *(("W", one, 0.0, 1800.0, 1800), ("W", both, 1620.0, 1800.0, 1800)),
    ]
    assert found["half"] == of_half
    assert found["a class of one"] == [of_both[0], ("C", one, 180.0, 3600.0, 3600), of_both[1]]
    of_each = [("B", one, 3600.0, 3600.0, 3600), ("W", other, 3240.0, 3600.0, 3600)]
    assert [found[name] for name in ("apart", "of nobody")] == [of_each] * 2
    peaks = lakes[0].sql("SELECT class_name, scope, cpu_pct, hours FROM peak_hour ORDER BY ALL").fetchall()
    assert peaks == [("B", both, 100.0, 1), ("W", both, 90.0, 1)]
    told = lakes[0].sql("SELECT class_name, scope, counted_scope FROM class_of_wider_scope ORDER BY ALL").fetchall()
    assert told == [("B", one, both), ("W", one, both)]


# --- The same interval as print and as XML: views take one of them, and never add both; where there is print, it counts


XML: dict[str, Any] = {"source_form": "xml", "source_id": "s9", "line": 90}
PRINT: dict[str, Any] = {"source_form": "print"}
SMF: dict[str, Any] = {"source_form": "smf", "source_id": "s8", "line": 80}
COMPARED = ("rmf_cpu_activity", "rmf_partition_data", "rmf_workload_activity")


def cpus(*rows: Row) -> Rows:
    return {"rmf_cpu_activity": [*rows]}


def classes(*rows: Row) -> Rows:
    return {"rmf_workload_activity": [*rows]}


def cics(cp: float, **other: object) -> Row:
    return service_class("CICS", cp, seconds=900) | other


def both_forms(of_b: bool = False, **changed: Row) -> Rows:
    """A processor, a partition and a class in both forms, alike but for what is `changed` in XML. Print leaves out the type of processor
    that the machine does not have, and has columns that XML has not. `of_b`: a processor and a class of SYSB are printed twice, too."""
    printed = {
        "rmf_cpu_activity": processor(0, 60.0) | {"mt_productivity_pct": 90.0},
        "rmf_partition_data": partition(0, 100.0) | {"physical_processors_aap": None},
        "rmf_workload_activity": cics(60.0, io_priority_group="HIGH"),
    }
    of_xml = {"mt_productivity_pct": None, "physical_processors_aap": 0, "io_priority_group": None}
    more = PRINT | {"system": "SYSB", "sysplex": "PLEXB", "line": 95}
    return {
        table: [row | PRINT, row | XML | {k: v for k, v in of_xml.items() if k in row} | changed.get(table, {}),
            *([row | more, row | more | {"source_id": "s9"}] if of_b and table != "rmf_partition_data" else [])]
        for table, row in printed.items()
    }  # fmt: skip


HALF = {"effective_dispatch": 450.0, "dedicated": False}
OTHER_CELLS = ("lpar_busy_pct", "msu_used", "appl_cp_pct")
AGAIN = PRINT | {"source_id": "s9", "line": 90, "mt_productivity_pct": 80.0}
# Of service classes the print counts; report classes are in print alone, workloads in XML alone.
CLASSES = classes(
    cics(60.0, **PRINT), cics(61.0, **XML), service_class("IMS", 5.0, seconds=900) | XML | {"line": 91},
    cics(70.0, **XML | {"class_kind": "workload", "service_class": None, "workload": "ONL", "line": 92}),
)  # fmt: skip
BUSY = "processors, engines_online, engines_busy FROM processor_busy"


test_print_and_xml = examples(
    # Processors of 60 and 40 percent: one engine of two, whatever the XML of the first says.
    ("processors in both forms", cpus(*(processor(n, busy) | form for n, busy, form in ((0, 60.0, PRINT), (0, 61.0, XML), (1, 40.0, PRINT), (1,
     40.0, XML)))),
     BUSY, [(2, 2.0, approx(1.0))]),
    ("XML alone", cpus(processor(0, 60.0) | XML, processor(1, 40.0) | XML | {"line": 91}), BUSY, [(2, 2.0, approx(1.0))]),
    # A processor that the print of the interval does not have is not taken from its XML.
    ("one form as a whole", cpus(processor(0, 60.0) | XML, processor(1, 40.0) | PRINT | {"line": 31}), BUSY, [(1, 1.0, approx(0.4))]),
    # Rows without a form were read by an older Ironlake: they are print.
    *((f"two prints that differ, {form}", cpus(processor(0, 60.0, source_form=form), processor(0, 61.0, source_form=form, source_id="s9")),
       "engines_busy FROM processor_busy", [(None,)]) for form in (None, "print", "xml")),
    ("MSU of a partition", {"rmf_partition_data": [partition(0, 100.0) | PRINT, partition(0, 300.0) | XML]}, "msu FROM interval_msu", [(100.0,)]),
    # Half an engine that used 50 MSU: 100 for an engine, whatever the XML says of the same interval.
    ("MSU of an engine", {"rmf_partition_data": [partition(0, 50.0, **HALF) | PRINT, partition(0, 70.0, **HALF) | XML], **classes(cics(60.0))},
     "msu_per_cp, msu_basis FROM interval_msu_rate", [(approx(100), "partition_data")]),
    ("intervals of both forms", cpus(processor(0, 60.0) | PRINT, processor(0, 60.0) | XML, processor(0, 60.0, system="SYSB") | XML | {"line": 91}),
     "report, system FROM print_and_xml", [("rmf_cpu_activity", "SYSA")]),
    ("no conflict of forms that agree", both_forms(), "* FROM conflicting_intervals", []),
    ("no finding of forms that agree", both_forms(), "* FROM finding WHERE rule IN ('printed_differently', 'printed_twice')", []),
    ("printed twice beside both forms", both_forms(True), "subject, value FROM finding WHERE rule = 'printed_twice' ORDER BY subject",
     [("CPU Activity", 2), ("Workload Activity", 2)]),
    *((f"cells of {value}", both_forms(**Row({table: {name: value} for table, name in zip(COMPARED, OTHER_CELLS, strict=True)})), asked, found)
      for value in (61.25, None) for asked, found in (
          ("report, subject, differing_columns, copies FROM conflicting_intervals ORDER BY report",
           [(table, of, [name], 2) for table, name, of in zip(COMPARED, OTHER_CELLS, ("processor 0 CP", "partition LPARA CP", "service class CICS"),
            strict=True)]),
          ("subject FROM finding WHERE rule = 'printed_differently' ORDER BY subject", [("partition LPARA CP",), ("processor 0 CP",),
           ("service class CICS",)]))),
    # Also in what XML does not have.
    ("prints of a processor", cpus(processor(0, 60.0) | {"mt_productivity_pct": 90.0} | PRINT, processor(0, 60.0) | AGAIN),
     "differing_columns FROM conflicting_intervals", [(["mt_productivity_pct"],)]),
    ("classes in both forms", CLASSES, "class_kind, service_class, cpu_pct FROM cpu_by_class ORDER BY ALL",
     [("service_class", "CICS", 60.0), ("workload", None, 70.0)]),
    ("kinds in both forms", CLASSES, "report, class_kind, source_form FROM print_and_xml", [("rmf_workload_activity", "service_class", "xml")]),
    # Reports of single systems of a sysplex: print of one of them says nothing of another.
    *((f"XML of {scope}", classes(cics(60.0, **PRINT, scope="SYSA"), cics(5.0, **XML, scope=scope)), "cpu_pct FROM cpu_by_class ORDER BY ALL",
     counted)
      for scope, counted in (("SYSB", [(5.0,), (60.0,)]), ("SYSA,SYSB", [(60.0,)]), ("SYSA", [(60.0,)]), (None, [(60.0,)]))),
    # SMF records have more digits: they count as a whole, whatever other form there is.
    ("processors in three forms", cpus(processor(0, 60.0) | PRINT, processor(0, 60.1) | XML, processor(0, 60.04) | SMF, processor(1, 40.0) | XML),
     BUSY, [(1, 1.0, approx(0.6004))]),
    ("forms that do not count", cpus(processor(0, 60.0) | PRINT, processor(0, 60.1) | XML, processor(0, 60.04) | SMF),
     "source_form FROM print_and_xml ORDER BY ALL", [("print",), ("xml",)]),
    # Of a system alone, and of all systems of a page; not of some of its systems, and not of others.
    *((f"records of {of} and {form} of {scope}", classes(*(cics(60.5, **SMF, scope=s) for s in of.split()), cics(70.0, **other, scope=scope)),
       "scope, cpu_pct FROM cpu_by_class ORDER BY ALL", counted)
      for form, other in (("print", PRINT), ("XML", XML))
      for of, scope, counted in (
          ("SYSA", "SYSA", [("SYSA", 60.5)]),
          ("SYSA SYSB", "SYSA,SYSB", [("SYSA", 60.5), ("SYSB", 60.5)]),
          ("SYSA", "SYSA,SYSB", [("SYSA,SYSB", 70.0)]),
          ("SYSA", None, [(None, 70.0)]),
          ("SYSA", "SYSB", [("SYSA", 60.5), ("SYSB", 70.0)]))),
    ("records and pages of one system and of both", classes(*(cics(60.5, **SMF, scope=s) for s in ("SYSA", "SYSB")),
     *(cics(70.0, **PRINT, scope=s) for s in ("SYSA", "SYSA,SYSB"))), "scope, cpu_pct FROM cpu_by_class ORDER BY ALL", [("SYSA", 60.5), ("SYSB", 60.5)]),
)  # fmt: skip
