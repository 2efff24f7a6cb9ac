"""`ironlake status`: days by report and system, gaps, sizes, what needs attention; over whole, empty, missing and damaged lakes."""

from __future__ import annotations

import datetime as dt
import gzip
import json
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from command_line import Command
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.bookkeeping import stored_tables
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.declaration.report import reports
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.lake.lake import Lake
from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.lake.parts import PartStore
from ironlake.pipeline.sql.view_files import views
from ironlake.pipeline.status.calendar import Calendar
from ironlake.pipeline.status.coverage import read_intervals
from lake_rows import answer_of, repaired, write_files
from sample_pages import SAMPLES

CPU, WORKLOAD, CICS = "rmf_cpu_activity", "rmf_workload_activity", "cics_db2_connection"


def at(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(f"2021-04-{text}")


def intervals(system: str | None, *spans: tuple[str, str], **of_all: object) -> list[dict[str, object]]:
    return [
        {"system": system, "report_kind": "interval", "interval_start": at(a), "interval_end": at(b)} | of_all
        for a, b in spans
    ]


def write(lake: Path, name: str, tables: Mapping[str, Sequence[Mapping[str, object]]], **counts: int) -> None:
    with Lake(lake) as target:
        write_files(target, {name: tables}, False, **counts)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """Three nights of SYSA, of which the second lacks half an hour; SYSB has no second night, and of the first one quarter less; a sysplex page of
    both, of one quarter; a region."""
    lake = tmp_path / "lake"
    both = {"sysplex": "PLEX1", "scope": "SYSA,SYSB", "report_kind": "interval"}
    write(
        lake,
        "night_1",
        {
            CPU: intervals("SYSA", ("13 00:00", "13 00:15"), ("13 00:15", "13 00:30"), ("13 00:15", "13 00:30"))
            + intervals("SYSB", ("13 00:00", "13 00:15")),
            WORKLOAD: [both | {"interval_start": at("13 00:00"), "interval_end": at("13 00:15")}],
        },
    )
    write(lake, "night_2", {CPU: intervals("SYSA", ("14 00:00", "14 00:15"), ("14 00:45", "14 01:00"))}, rejects=3)
    region = {"applid": "CICSA", "collection": "interval", "collected_at": at("15 01:00"), "interval_s": 3600.0}
    cpu = intervals("SYSA", ("15 00:00", "15 00:15")) + intervals("SYSB", ("15 00:00", "15 00:15"))
    write(lake, "night_3", {CPU: cpu, CICS: [region]}, suspect_pages=2, wrong_pages=1)
    return lake


def test_days_gaps_and_attention_by_hand(lake: Path, run: Command):
    code, out, err = run("status", "--lake", lake)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith(f"{lake}: 3 files, 10 rows, ")
    assert lines[0].endswith(" in 5 parts")
    assert "last ingest: " in lines[2]
    assert lines[2].endswith("UTC (just now): night_3.txt")
    top = next(number for number, line in enumerate(lines) if line.startswith("day "))
    assert lines[top - 1 : top + 3] == [
        f"{'cics':>39}{'cpu':>10}{'workload':>10}",
        "day         sysplex  system  statistics  activity  activity",
        "----------  -------  ------  ----------  --------  --------",
        "2021-04-15           CICSA            1",
    ]
    table = [line.split() for line in lines if line.startswith("2021-04-")]
    # Day, (sysplex,) system, and how many intervals; the region's hour begins at midnight.
    assert table == [
        ["2021-04-15", "CICSA", "1"], ["2021-04-15", "SYSA", "1"], ["2021-04-15", "SYSB", "1"],
        ["2021-04-14", "SYSA", "2+"], ["2021-04-14", "SYSB", "-"], ["2021-04-13", "SYSA", "2"],
        ["2021-04-13", "SYSB", "1+"], ["2021-04-13", "PLEX1", "SYSA", "1+"], ["2021-04-13", "PLEX1", "SYSB", "1"],
    ]  # fmt: skip
    gaps = out.partition("gaps, newest first\n")[2].partition("\n\n")[0].splitlines()
    assert gaps == [
        "  rmf_cpu_activity SYSA: 2021-04-14 00:15 to 00:45",
        "  rmf_cpu_activity SYSB: 2021-04-14",
        "  rmf_cpu_activity SYSB: 2021-04-13 00:15 to 00:30",
        "  rmf_workload_activity PLEX1 SYSA: 2021-04-13 00:15 to 00:30",
    ]
    suspect = out.partition("files with rejects or suspect pages, newest first\n")[2].partition("\n\n")[0].splitlines()
    assert suspect == ["  night_3.txt: 2 suspect pages", "  night_2.txt: 3 rejects"]
    attention = out.partition("needs attention\n")[2].splitlines()
    assert [line.strip() for line in attention] == [
        "3 rejects", f"ironlake rejects --lake {lake}",
        "1 page with impossible values", f"ironlake sql \"FROM quality_result WHERE severity = 'error'\" --lake {lake}",
        "2 suspect pages", f'ironlake sql "FROM quality_result ORDER BY severity" --lake {lake}',
        "1 missing day of a report", f'ironlake sql "FROM report_coverage ORDER BY day DESC" --lake {lake}',
        "3 gaps within a day", f'ironlake sql "FROM report_coverage WHERE gaps > 0 ORDER BY day DESC" --lake {lake}',
    ]  # fmt: skip


def test_files_that_were_not_read_are_shown_until_they_are_read_or_dismissed(tmp_path: Path, run: Command):
    """Seven YAML files, an empty file and an archive cut short, beside a report; then the archive comes whole, and the others again."""
    folder, lake = tmp_path / "in", ["--lake", tmp_path / "lake"]
    folder.mkdir()
    page = (SAMPLES / CPU / "cpu_changed_within_duration.txt").read_bytes()
    archive = gzip.compress(page + b"\n")
    for name, content in {"a.txt": page, "b.gz": archive[:-20], "c.txt": b""}.items():
        (folder / name).write_bytes(content)
    for number in range(7):
        (folder / f"{number}.yaml").write_text("a: 1\nb: 2\n")

    def shown() -> list[tuple[str, str]]:
        found = json.loads(run("status", *lake, "--format", "json")[1])
        for one in found["attention"]:
            assert shlex.split(one["command"])[:2] in (["ironlake", "ingest"], ["ironlake", "status"], ["ironlake", "sql"])  # fmt: skip
        return [(Path(each["path"]).name, each["status"]) for each in found["not_read"]]

    _, out, _ = run("ingest", folder, *lake)
    assert "\n7 files: skipped (is a YAML file, no print report: passed over)\n" in out
    assert ".yaml" not in out
    yaml = [(f"{number}.yaml", "skipped") for number in range(7)]
    assert sorted(shown()) == [*yaml, ("b.gz", "failed"), ("c.txt", "empty")]
    text = run("status", *lake)[1]
    assert "  1 file failed: cannot be unpacked: " in text
    assert f"      ironlake ingest {folder / 'b.gz'} --lake {lake[1]}\n" in text
    assert "  7 files passed over: a YAML file, no print report\n      ironlake status --dismiss skipped" in text
    assert run("status", "--dismiss", "skipped", *lake)[2] == "dismissed: 7 files\n"
    assert run("status", "--dismiss", "none.txt", *lake)[0] == 2
    # Dismissed for good, as long as the reason is the same.
    run("ingest", folder, *lake)
    assert sorted(shown()) == [("b.gz", "failed"), ("c.txt", "empty")]
    (folder / "b.gz").write_bytes(archive)
    run("ingest", folder, *lake)
    assert shown() == [("c.txt", "empty")]
    assert run("status", "--dismiss", folder / "c.txt", *lake)[0] == 0
    assert shown() == []


def test_a_day_on_which_nothing_is_missing_has_one_row(tmp_path: Path, run: Command):
    """On the first day SYSB has its quarters and SYSA its half hour, whole; on the second SYSB lacks a quarter that SYSA has."""
    lake = tmp_path / "lake"
    quarters = [(f"13 00:{minute:02}", f"13 00:{minute + 15}") for minute in (0, 15)]
    rows = intervals("SYSA", ("13 00:00", "13 00:30")) + intervals("SYSB", *quarters)
    next_day = intervals("SYSA", ("14 00:00", "14 00:15"), ("14 00:15", "14 00:30")) + intervals(
        "SYSB", ("14 00:00", "14 00:15")
    )
    write(lake, "both", {CPU: [row | {"sysplex": "PLEX1"} for row in rows + next_day]})
    table = [line.split() for line in run("status", "--lake", lake)[1].splitlines() if line.startswith("2021-04-1")]
    assert table == [
        ["2021-04-14", "PLEX1", "SYSA", "2"], ["2021-04-14", "PLEX1", "SYSB", "1+"],
        ["2021-04-13", "PLEX1", "all", "2", "1-2"],
    ]  # fmt: skip


def test_as_json_and_the_commands_that_it_names_work(lake: Path, run: Command):
    found = json.loads(run("status", "--lake", lake, "--format", "json")[1])
    assert (found["files"], found["rows"], found["parts"]) == (3, 10, 5)
    assert (found["rejects"], found["suspect_pages"], found["wrong_pages"], found["days_in_lake"]) == (3, 2, 1, 3)
    assert found["last_ingest"]["files"] == ["night_3.txt"]
    assert found["bytes"]["parts"] == sum(p.stat().st_size for p in lake.rglob("*-??????.parquet"))
    (day,) = [d for d in found["days"] if (d["day"], d["system"]) == ("2021-04-14", "SYSA")]
    assert day == {
        "day": "2021-04-14", "report": CPU, "sysplex": None, "system": "SYSA", "report_kind": "interval",
        "intervals": 2, "gaps": 1, "gap_s": 1800.0,
    }  # fmt: skip
    edge = {"system": "SYSB", "start": "2021-04-13T00:15:00", "end": "2021-04-13T00:30:00", "days": 0}
    assert (found["gap_count"], found["gaps"][2]) == (4, {"report": CPU, "sysplex": None} | edge)
    assert found["gaps"][:2] == [
        {"report": CPU, "sysplex": None, "system": "SYSA", "start": "2021-04-14T00:15:00", "end": "2021-04-14T00:45:00", "days": 0},
        {"report": CPU, "sysplex": None, "system": "SYSB", "start": "2021-04-14T00:00:00", "end": "2021-04-15T00:00:00", "days": 1},
    ]  # fmt: skip
    assert len(found["attention"]) == 5
    for one in found["attention"]:
        _, *arguments = shlex.split(one["command"])
        assert run(*arguments)[0] == 0, one


def test_the_first_and_the_last_interval_of_a_day_are_missed_by_system_and_by_report(tmp_path: Path, run: Command):
    """A day of quarters. SYSB starts an hour late and loses its last; Partition Data of SYSA ends after 40 of 96, and an hour of devices is lost.
    SYSC, whose quarters begin seven minutes later, and SYSX of another sysplex miss nothing of that day; SYSX lacks two more that SYSY has, and
    not the ten before them. Durations are no intervals."""
    lake = tmp_path / "lake"
    day = dt.datetime(2021, 4, 13)

    def spans(first: int, last: int, minutes: int = 15, late: int = 0, **of_all: object) -> list[dict[str, object]]:
        starts = [day + dt.timedelta(minutes=minutes * n + late) for n in range(first, last)]
        times = [{"interval_start": at, "interval_end": at + dt.timedelta(minutes=minutes)} for at in starts]
        return [{"report_kind": "interval"} | one | of_all for one in times]

    cpu = spans(0, 96, system="SYSA") + spans(4, 95, system="SYSB") + spans(0, 95, late=7, system="SYSC")
    plex = spans(0, 96, sysplex="PLEX1", scope="SYSA,SYSB,SYSC") + spans(40, 50, sysplex="PLEX2", scope="SYSX")
    plex += spans(-960, -950, sysplex="PLEX2", scope="SYSY")
    other = (
        spans(40, 50, system="SYSX")
        + spans(-960, -950, system="SYSY")
        + spans(232, 242, system="SYSY")
        + spans(0, 1, 1440, system="SYSA", report_kind="duration")
    )
    tables = {CPU: cpu + other, WORKLOAD: plex, "rmf_partition_data": spans(0, 40, system="SYSA")}
    write(lake, "day", tables | {"rmf_device": spans(0, 23, 60, system="SYSA")})
    found = json.loads(run("status", "--lake", lake, "--format", "json")[1])
    assert [
        (gap["report"], gap["system"], gap["start"][8:16], gap["end"][8:16], gap["days"]) for gap in found["gaps"]
    ] == [
        (CPU, "SYSX", "14T00:00", "16T00:00", 2),
        (CPU, "SYSB", "13T23:45", "14T00:00", 0),
        ("rmf_device_activity", "SYSA", "13T23:00", "14T00:00", 0),
        ("rmf_partition_data", "SYSA", "13T10:00", "14T00:00", 0),
        (CPU, "SYSB", "13T00:00", "13T01:00", 0),
        (CPU, "SYSY", "04T00:00", "15T00:00", 11),
    ]
    assert "4 gaps within a day" in [one["what"] for one in found["attention"]]
    view = "SELECT system, gaps, missing_before_s, missing_after_s FROM report_coverage WHERE gaps > 0 AND report = 'RMF CPU Activity'"
    assert answer_of(lake, view) == [("SYSB", 2, 3600, 900)]


def test_a_long_table_says_how_to_see_all(lake: Path, run: Command):
    _, out, _ = run("status", "--lake", lake, "--days", "1")
    assert {line[:10] for line in out.splitlines() if line.startswith("2021-04-")} == {"2021-04-15"}
    assert "1 of 3 days; --days 3 shows all" in out
    assert "shows all" not in run("status", "--lake", lake, "--days", "3")[1]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake of every sample."""
    lake = tmp_path_factory.mktemp("samples") / "lake"
    ingest([str(p) for p in SAMPLES.rglob("*.txt")], lake, Options(), jobs=1)
    return lake


@pytest.mark.slow
def test_the_days_are_those_of_the_view(samples: Path):
    """Over every sample: the same intervals and gaps as `report_coverage`, which is SQL."""
    ledger = Ledger(samples)
    calendar = Calendar(read_intervals(PartStore(ledger.files), ledger.state()))
    found = {
        (row.day, *row.place): (row.intervals, row.gaps, pytest.approx(row.gap_s))
        for row in calendar.newest(len(calendar.days))
    }
    asked = "SELECT day, lower(replace(report, ' ', '_')), sysplex, system, report_kind, intervals, gaps, gap_s FROM report_coverage"
    expected = {tuple(key): tuple(values) for *key, a, b, c in answer_of(samples, asked) for values in [(a, b, c)]}
    assert len(expected) > 60
    assert found == expected


NO_MEASURES = {"rmf_service_policy", "rmf_service_policy_system", "rmf_resource_group"}


@pytest.mark.slow
def test_tables_that_do_not_cover_have_no_interval_of_their_own(samples: Path):
    """But those that measure nothing. What a report declares is what status reads, and `report_coverage`."""
    covering = {table.name for report in reports().values() for table in report.tables if table.covers}
    asked = set(re.findall(r"FROM (\w+)", views()["report_coverage"].sql)) & stored_tables().keys()
    times = {"interval_start", "begin_at", "collected_at"}
    timed = {t.name for r in reports().values() for t in r.tables if times.intersection(t.schema.names)}
    assert asked == covering & timed
    with open_lake(samples) as opened:
        for report in reports().values():
            mains = [t for t in report.tables if t.covers]
            for table in (t for t in report.tables if not t.covers and t.name not in NO_MEASURES):
                time = next(
                    name for name in ("interval_start", "begin_at", "collected_at") if name in table.schema.names
                )
                beside = [f"SELECT source_id, {time} FROM {main.name}" for main in mains if time in main.schema.names]
                alone = f"SELECT source_id, {time} FROM {table.name} EXCEPT ({' UNION ALL '.join(beside)})"
                assert opened.rows(table.name) > 0
                assert (table.name, opened.sql(alone).fetchall()) == (table.name, [])


def test_pages_of_members_alone_are_there(tmp_path: Path, run: Command):
    ingest([str(SAMPLES / "rmf_xcf_activity" / "xcf_members.txt")], tmp_path / "lake", Options())
    told = json.loads(run("status", "--lake", tmp_path / "lake", "--format", "json")[1])
    assert [(row["report"], row["intervals"]) for row in told["days"]] == [("rmf_xcf_activity", 1)]


def test_an_empty_lake_and_a_missing_one(tmp_path: Path, run: Command):
    lake = tmp_path / "lake"
    Ledger(lake).create()
    code, out, err = run("status", "--lake", lake)
    assert (code, out, err) == (0, f"{lake}: the lake is empty; ironlake ingest FILE… reads reports into it\n", "")
    assert json.loads(run("status", "--lake", lake, "--format", "json")[1])["days"] == []
    code, out, err = run("status", "--lake", tmp_path / "none")
    assert (code, out) == (2, "")
    assert err.startswith(f"ironlake: no lake in {tmp_path / 'none'}; expected a folder that ironlake ingest made")


def test_a_lake_with_a_missing_part(lake: Path, run: Command):
    (part, *_) = sorted((lake / CPU).iterdir())
    part.unlink()
    code, out, err = run("status", "--lake", lake)
    assert (code, err) == (1, "")
    assert "  1 damaged part\n" in out
    assert f"      ironlake check --repair --lake {lake}" in out
    assert "days" not in out.partition("needs attention")[0]


def test_files_that_a_repair_removed_are_named_to_ingest_again(lake: Path, run: Command):
    (part, *_) = sorted((lake / CICS).iterdir())
    part.write_bytes(b"")
    assert repaired(lake) == ["night_3.txt"]
    _, out, _ = run("status", "--lake", lake)
    assert f"  1 file whose rows were lost\n      ironlake ingest night_3.txt --lake {lake}\n" in out


def test_parts_that_no_longer_count_are_told(lake: Path, run: Command):
    before = json.loads(run("status", "--lake", lake, "--format", "json")[1])["bytes"]
    size = next((lake / CICS).iterdir()).stat().st_size
    shutil.copy(next((lake / CICS).iterdir()), lake / CICS / f"{'0' * 16}-000000.parquet")
    after = json.loads(run("status", "--lake", lake, "--format", "json")[1])["bytes"]
    assert after == before | {"superseded": size}
    assert "of parts that no longer count" in run("status", "--lake", lake)[1]


def test_what_was_removed_or_replaced_needs_no_attention(tmp_path: Path, run: Command):
    """Of three nights one is removed and one gives way to a corrected print: two files are left, and none is lost."""
    lake, text = tmp_path / "lake", (SAMPLES / "rmf_workload_activity" / "velocity_goal.txt").read_text()
    for day, ended in (("20", "1844"), ("21", "1844"), ("22", "1844"), ("22", "1999")):
        night = tmp_path / f"{day}-{ended}.txt"
        night.write_text(text.replace("09/20/2016", f"09/{day}/2016").replace("ENDED     1844", f"ENDED     {ended}"))
        assert run("ingest", night, "--lake", lake, *(["--replace"] if ended == "1999" else []))[0] == 0
    assert run("remove", "21-1844.txt", "--lake", lake)[0] == 0
    code, out, _ = run("status", "--lake", lake, "--format", "json")
    said = json.loads(out)
    assert (code, said["files"]) == (0, 2)
    assert not any("lost" in one["what"] for one in said["attention"])
    with open_lake(lake) as opened:
        asked = "SELECT regexp_extract(source_file, '[^/]*$') AS file, status FROM ingest_file ORDER BY file"
        assert opened.sql(asked).fetchall() == [("20-1844.txt", "ingested"), ("22-1844.txt", "replaced"), ("22-1999.txt", "ingested")]  # fmt: skip


def test_a_file_that_was_cut_off_before_its_first_row_is_named(tmp_path: Path, run: Command):
    lake, cut = tmp_path / "lake", tmp_path / "cut.txt"
    page = (SAMPLES / "rmf_workload_activity" / "velocity_goal.txt").read_text()
    cut.write_text("".join(page.splitlines(keepends=True)[:4]))
    assert run("ingest", cut, "--lake", lake)[0] == 0
    said = json.loads(run("status", "--lake", lake, "--format", "json")[1])
    assert "1 file of which no row was read: it may be cut off" in [one["what"] for one in said["attention"]]


def test_an_hour_that_is_printed_twice_and_the_scope_that_counts(tmp_path: Path, run: Command):
    """Quarters from 01:00 to 03:00 and again from 02:00 to 04:00 in one file; SYSA's pages of two hours, and the sysplex's of the first."""
    quarters = [at("13 01:00") + n * dt.timedelta(minutes=15) for n in (*range(8), *range(4, 12))]
    cpu = [{"system": "SYSA", "report_kind": "interval", "interval_start": q, "interval_end": q + dt.timedelta(minutes=15)} for q in quarters]  # fmt: skip
    of_class = {"sysplex": "PLEX1", "report_kind": "interval", "class_kind": "service_class"}
    pages = [
        of_class | {"scope": scope, "interval_start": at(f"13 0{hour}:00"), "interval_end": at(f"13 0{hour + 1}:00")}
        for scope, hour in (("SYSA", 1), ("SYSA", 2), ("SYSA,SYSB", 1))
    ]
    write(tmp_path / "lake", "autumn", {CPU: cpu, WORKLOAD: pages})
    _, out, _ = run("status", "--lake", tmp_path / "lake")
    assert "1 hour printed twice, as where the clock is set back (2021-04-13 02:00): unknown by hour;" in out
    assert "  PLEX1 SYSA: 1 interval beside SYSA,SYSB, which counts" in out.splitlines()
    _, told, _ = run("status", "--format", "json", "--lake", tmp_path / "lake")
    assert json.loads(told)["scopes"] == [
        {"sysplex": "PLEX1", "scope": "SYSA", "counted_scope": "SYSA,SYSB", "intervals": 1}
    ]


def test_an_hour_of_two_files_is_told_unless_their_offsets_are_known(tmp_path: Path, run: Command):
    """The ends are of two hours, three milliseconds apart; so that the files print one hour of SYSA, but not the same. That the offsets of
    SYSB are known says nothing of SYSA."""
    for name, offsets in (("unknown", (None, None)), ("beside", (None, None)), ("known", (120, 60))):
        for late, offset in enumerate(offsets):
            if name == "beside":
                other = intervals("SYSB", ("13 02:00", "13 03:00"), utc_offset_minutes=120 - 60 * late)
                write(tmp_path / name, f"other_{late}", {CPU: other})
            rows = intervals("SYSA", ("13 02:00", "13 03:00"), utc_offset_minutes=offset)
            rows[0]["interval_end"] = at("13 03:00") + dt.timedelta(milliseconds=3 * late)
            write(tmp_path / name, f"file_{late}", {CPU: rows})
        _, out, _ = run("status", "--lake", tmp_path / name)
        assert ("1 hour printed twice" in out) == (name != "known")


def test_a_gap_after_an_interval_that_ends_early_is_told_by_the_clock(tmp_path: Path, run: Command):
    rows = intervals("SYSA", ("13 02:00", "13 02:15"), ("13 02:30", "13 02:45"))
    rows[0]["interval_end"] = at("13 02:15") - dt.timedelta(milliseconds=2)
    write(tmp_path / "lake", "file", {CPU: rows})
    lines = run("status", "--lake", tmp_path / "lake")[1].splitlines()
    assert "  rmf_cpu_activity SYSA: 2021-04-13 02:15 to 02:30" in lines
