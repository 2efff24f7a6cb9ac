"""SMF records as JSON, with numbers of our own: tables, unknown things, damage; and documents with known numbers, where they are there."""

from __future__ import annotations

import gzip
import json
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.files import smf_json
from ironlake.pipeline.ingest import batches
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.quality.check_lake import check
from ironlake.pipeline.reading.engine import canonical_segment, parse, read_text
from ironlake.pipeline.reading.explain import explain
from property_settings import examples
from sample_pages import SHARED, Tables, one, selected
from smf_records import changed, class_record, cpu_record, document, in_parts, period

CPU, PARTITIONS, HEAD, GROUPS = "rmf_cpu_activity", "rmf_partition_data", "rmf_partition_head", "rmf_group_capacity"
ACTIVITY, GOALS, DELAYS, REJECT = "rmf_workload_activity", "rmf_workload_goal", "rmf_workload_delay", "parse_reject"
close = pytest.approx


def read(*records: dict) -> Tables:
    return read_text(document(*records))


def values(tables: Tables, table: str, *names: str, **where: object) -> list[tuple]:
    return selected(tables, table, **where).select(names).rows()


def test_processors_partitions_and_groups() -> None:
    tables = read(cpu_record())
    assert tables[REJECT].height == 0
    head = one(tables, HEAD)
    assert (head["system"], head["sysplex"], head["release"], head["utc_offset_minutes"], head["source_form"]) == (
        *("TST1", "PLEXT", "z/OS V2R5", -300, "smf"),
    )
    assert (head["interval_start"], head["interval_end"]) == (datetime(2025, 7, 14, 13), datetime(2025, 7, 14, 13, 10))
    assert [
        head[name]
        for name in ("mvs_partition", "configured_partitions", "physical_processors_iip", "capacity_group_available")
    ] == [
        *("TSTLP", 3, 2, 12.0),
    ]
    # 1.8 of 4 CPs by weight: the HIGH has 100 %, the MED 80. Core 1 was online half of the time, and a third of that parked.
    assert values(tables, CPU, "processor_id", "online_pct", "lpar_busy_pct", "mvs_busy_pct", "parked_pct", "polarization", "logical_share_pct",
                  processor_type="CP", is_total=False) == [("0", 100.0, 50.0, 60.0, 0.0, "HIGH", 100.0), ("1", 50.0, 50.0, 50.0, 33.333333333333, "MED", 80.0)]  # fmt: skip
    assert values(
        tables,
        CPU,
        "thread",
        "lpar_busy_pct",
        "mvs_busy_pct",
        "mt_productivity_pct",
        "mt_utilization_pct",
        processor_id="2",
    ) == [
        (0, 25.0, 20.0, 75.0, 18.75),
        (1, None, 10.0, None, None),
    ]
    # (300 + 150) of (600 + 300) s; 1,200 of 7,200 interrupts.
    total = one(tables, CPU, processor_type="CP", is_total=True)
    assert (total["lpar_busy_pct"], total["io_interrupts_per_s"], total["io_interrupts_tpi_pct"]) == (
        50.0,
        12.0,
        close(100 / 6),
    )
    assert values(
        tables, "rmf_multithreading", "processor_type", "threads_per_core", "capacity_factor_max", "capacity_factor"
    ) == [
        ("CP", 1, 1.0, 1.0),
        ("IIP", 2, 1.5, 1.25),
    ]
    # 434 s × 3600 × 16 / (300 × 600) = 138.88 MSU; of 4 CPs 450 s, 16 of these LPAR management, and 12 of no partition.
    row = one(tables, PARTITIONS, partition="TSTLP", processor_type="CP")
    assert [
        row[n]
        for n in ("msu_used", "logical_processors", "logical_total_pct", "physical_total_pct", "lpar_management_pct")
    ] == close([138.88, 1.5, 50.0, 18.75, 100 * 16 / 2400])
    assert (row["capping_definition"], row["capping_wlm_pct"], row["status"]) == ("N N N", 10.0, "A")
    assert one(tables, PARTITIONS, partition="OTHER")["initial_capping"] is True
    assert values(tables, PARTITIONS, "status", "processor_type", "total_dispatch", partition="IDLE") == [
        ("D", None, None)
    ]
    total = one(tables, PARTITIONS, processor_type="CP", is_total=True)
    assert [total[n] for n in ("weight", "effective_dispatch", "total_dispatch", "lpar_management_pct")] == close(
        [100.0, 491.0, 522.0, 100 * 31 / 2400]
    )
    # By average weight, 45 and 55 of 100; 90 for the group.
    assert values(
        tables, GROUPS, "partition", "msu_entitled_min", "msu_entitled_max", "capping_actual_pct", "capped"
    ) == [
        ("OTHER", 49.5, 90.0, 5.0, True),
        ("TSTLP", 40.5, 60.0, 5.0, False),
        (None, None, None, None, None),
    ]
    assert one(tables, "rmf_work_unit", processor_type="CP")["work_units_avg"] == 2.5
    assert values(tables, "rmf_work_unit_queue", "samples_pct", relation=">", above_n=150) == [(2.5,)]
    blocked = one(tables, "rmf_blocked_workload")
    assert [
        blocked[n] for n in ("promote_limit_pct", "promotes_defined_per_s", "promotes_used_pct", "waiters_avg")
    ] == close([1.0, 100.0, 1.0, 0.05])


BUCKETS = (
    [50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150, 200, 400, "0xFFFFFFFF"],
    [40, 20, 10, 8, 6, 4, 3, 3, 2, 1, 1, 1, 0, 1],
)


def test_classes_goals_and_delays() -> None:
    online = period(1, "percentile", 400, 100, 250_000, crtx=1)
    tables = read(class_record(online, period(2, "average", 2, 50, 3_000_000), buckets=BUCKETS))
    assert tables[REJECT].height == 0
    row = one(tables, ACTIVITY, period=1)
    # 300,000 × 500 / 16e6 s, of which 1.875 s zIIP × 1.5; 0.3 s of RCT and IIT.
    names = ("cpu_time_s", "srb_time_s", "iip_time_s", "appl_cp_pct", "appl_iip_pct", "appl_iipcp_pct")
    assert [row[n] for n in names] == close(
        [9.375, 0.9375, 1.875, (9.375 + 0.9375 + 0.3 - 2.8125) / 6, 1.875 / 6, 0.1875 / 6]
    )
    names = (
        "transactions_avg",
        "transactions_mpl",
        "transactions_per_s",
        "actual_time_s",
        "ineligible_time_s",
        "service_per_s",
    )
    assert [row[n] for n in names] == close([2.0, 1.0, 1 / 6, 0.25, 0.1, 550.0])
    # x = 0.25 s: (100 × 12.5 − 25²) / (100 × 99).
    assert row["time_stddev_s"] == close((625 / 9900) ** 0.5)
    assert (row["class_kind"], row["critical"], row["importance"], row["policy_activated_at"]) == (
        *("service_class_period", "CPU", 2, datetime(2025, 7, 1, 2, 3, 4)),
    )
    # No zAAP is installed: that is no time of 0 s.
    assert (row["aap_time_s"], row["appl_aap_pct"]) == (None, None)
    whole = one(tables, ACTIVITY, class_kind="service_class")
    assert [whole[n] for n in ("cpu_time_s", "transactions_ended", "actual_time_s")] == close([18.75, 150, 175 / 150])
    # 90 of 100 are reached in the bucket of 110 %; 88 are within the goal.
    assert values(
        tables,
        GOALS,
        "goal_type",
        "goal_s",
        "goal_pct",
        "actual_pct",
        "actual_s",
        "velocity_pct",
        "performance_index",
        is_total=False,
    ) == [
        ("percentile", 0.4, 90.0, 88.0, None, 80.0, 1.1),
        ("average", 2.0, None, None, 3.0, 80.0, 1.5),
    ]
    assert values(tables, DELAYS, "pct", reason="TOT", period=1, is_total=True) == [(10.0,)]
    assert values(tables, DELAYS, "pct", reason="AAP", period=1, is_total=True) == [(None,)]
    bounds = values(
        tables, "rmf_response_time_distribution", "upper_bound_s", "transactions", "cumulative_pct", period=1
    )
    assert (bounds[0], bounds[5], bounds[13]) == ((0.2, 40, 40.0), (0.4, 4, 88.0), (None, 1, 100.0))
    assert one(tables, "rmf_service_policy")["norm_factor_iip"] == 1.5
    assert one(tables, "rmf_service_policy_system")["su_per_s"] == 32_000


def test_percentile_goals_that_are_missed_by_more_than_is_counted_have_no_index() -> None:
    late = ([*BUCKETS[0]], [0] * 13 + [100])
    tables = read(class_record(period(1, "percentile", 400, 100, 5_000_000, crtx=1), buckets=late))
    assert values(tables, GOALS, "actual_pct", "performance_index", is_total=False) == [(0.0, None)]


def test_older_records_without_microseconds_have_the_same_times() -> None:
    record = class_record(period(1, "average", 2, 50, 3_000_000))
    older = class_record(
        {k: v for k, v in record["r723scs"].items() if not k.endswith("x") or k in ("r723crtx", "r723cwmx")}
    )
    names = ("actual_time_s", "ineligible_time_s", "time_stddev_s")
    assert values(read(older), ACTIVITY, *names) == [close(row) for row in values(read(record), ACTIVITY, *names)]


def test_rounded_fields_say_what_a_unit_of_them_counts() -> None:
    row = one(read(class_record(period(1, "average", 2, 50, 3_000_000, ccpu=4.523457e07))), ACTIVITY, period=1)
    assert (row["cpu_service"], row["cpu_service_resolution"], row["transactions_ended_resolution"]) == (
        45_234_570,
        10.0,
        1.0,
    )


def test_systems_say_the_same_whatever_else_a_file_holds() -> None:
    records = [cpu_record("TST1"), cpu_record("TST2")]
    records[1]["smf70bpd"][1]["smf70pdt"] = "00:02:00.000000"
    both = read(*records)
    for record in records:
        alone = read(record)
        system = record["header"]["sysId"]
        for table in (CPU, PARTITIONS, GROUPS, HEAD):
            assert selected(both, table, system=system).drop("page", "line").equals(alone[table].drop("page", "line"))


def test_parts_of_a_record_are_one_and_without_one_nothing_is_said() -> None:
    whole = read(cpu_record())
    first, second = in_parts(cpu_record())
    for parts in ((first, second), (second, cpu_record("TST9"), first)):
        tables = read(*parts)
        assert tables[REJECT].height == 0
        assert (
            selected(tables, PARTITIONS, system="TST1")
            .drop("page", "line")
            .equals(whole[PARTITIONS].drop("page", "line"))
        )
    for part in (first, second):
        tables = read(part, cpu_record("TST9"))
        assert set(tables[PARTITIONS]["system"]) == set(tables[CPU]["system"]) == {"TST9"}
        assert "1 of 2 parts" in one(tables, REJECT)["what"]


@pytest.mark.parametrize("many", [1, 2, 3, 7])
def test_batches_keep_the_parts_of_a_record_together(
    many: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = document(*(part for k in range(6) for part in in_parts(cpu_record(f"TST{k}"))))
    size = len(data) * many // 12
    monkeypatch.setattr(smf_json, "_BLOCK", 512)
    monkeypatch.setattr(batches, "BATCH_BYTES", size)
    monkeypatch.setattr(batches, "MOST_BYTES", 2 * size)
    (tmp_path / "x.json").write_bytes(data)
    ingested = ingest([str(tmp_path / "x.json")], tmp_path / "lake", Options(), jobs=1)
    assert (ingested.files[0].rejects, ingested.files[0].pages) == (0, 12)
    with open_lake(tmp_path / "lake") as lake:
        assert lake.sql(f"SELECT count(*), count(DISTINCT page), max(line) FROM {HEAD}").fetchall() == [(6, 6, 12)]


def test_a_lost_part_makes_no_batch_longer_than_the_next_interval(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first of six intervals has lost a part: the other five are whole in batches of a record's size."""
    records = [part for k in range(6) for part in in_parts(cpu_record(start=f"13:{k}0:00"))][1:]
    data = document(*records)
    monkeypatch.setattr(smf_json, "_BLOCK", 512)
    monkeypatch.setattr(batches, "BATCH_BYTES", len(data) // 6)
    monkeypatch.setattr(smf_json, "LONGEST_RECORD", len(data) // 2)
    (tmp_path / "x.json").write_bytes(data)
    assert ingest([str(tmp_path / "x.json")], tmp_path / "lake", Options(), jobs=1).files[0].rejects == 1
    with open_lake(tmp_path / "lake") as lake:
        assert lake.sql(f"SELECT count(*) FROM {HEAD}").fetchall() == [(5,)]


def test_a_cut_document_loses_its_last_record_alone() -> None:
    data = document(cpu_record("TST1"), cpu_record("TST2"))
    tables = read_text(data[:-500])
    assert set(tables[CPU]["system"]) == {"TST1"}
    assert "cannot be read" in one(tables, REJECT)["what"]
    assert one(tables, REJECT)["line"] == 3


def test_forms_of_documents_say_the_same() -> None:
    """Glued documents, an object a line, indented ones, and code pages."""
    records = [cpu_record("TST1"), cpu_record("TST2")]
    whole = read(*records)
    lines = b"".join(json.dumps(r).encode() + b"\n" for r in records)
    indented = json.dumps(records, indent=1)
    ebcdic = document(*records).decode().encode("cp1140").replace(b"\x25", b"\x15")
    for data in (
        b"".join(document(r) for r in records), lines, indented.encode(), lines.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + lines,
        indented.encode("utf-16"), ebcdic,
    ):  # fmt: skip
        tables = read_text(data)
        assert tables[REJECT].height == 0
        for table in (CPU, PARTITIONS):
            assert tables[table].drop("line").equals(whole[table].drop("line"))


def test_a_section_that_occurs_once_may_be_an_object_or_a_list() -> None:
    record = class_record(period(1, "average", 2, 50, 3_000_000))
    assert read(record)[ACTIVITY].equals(read(record | {"r723scs": [record["r723scs"]]})[ACTIVITY])


def test_what_is_unknown_is_named_and_not_read() -> None:
    record = changed(cpu_record(), smf70new={"smf70abc": 1}, smf70ctl={"smf70xyz": 5})
    tables = read(record)
    unread = dict(tables["unread_section"].select("section", "text").iter_rows())
    assert "smf70xyz" in unread["SMF smf70ctl"]
    assert unread["SMF smf70new"] == "smf70new"
    assert tables[CPU].drop("source_id").equals(read(cpu_record())[CPU].drop("source_id"))
    other = changed(cpu_record(), header={"recType": 99, "subType": 6})
    unknown = read(other, other, cpu_record())["unknown_report"]
    assert unknown.select("banner", "pages").rows() == [("SMF record 99.6 (JSON)", 2)]


@pytest.mark.parametrize(
    ("value", "lost"),
    [("abc", True), (None, True), (True, True), ("00:61:00.00", False), ("1D 00:00:00.000000", False)],
)
def test_a_field_of_another_kind_is_a_reject_and_no_value(value: object, lost: bool) -> None:
    record = cpu_record()
    record["smf70bpd"][1]["smf70pdt"] = value
    tables = read(record)
    busy = one(tables, CPU, processor_id="0")["lpar_busy_pct"]
    dispatched = one(tables, PARTITIONS, partition="TSTLP", processor_type="CP")["total_dispatch"]
    assert ((busy, dispatched) == (None, None)) == lost
    assert [("smf70bpd[1].smf70pdt" in r["what"]) for r in tables[REJECT].to_dicts()] == [True] * lost
    assert one(tables, CPU, processor_id="1")["lpar_busy_pct"] == 50.0


def test_numbers_as_text_and_other_things_in_place_of_sections_are_rejects() -> None:
    tables = read(changed(cpu_record(), smf70ctl={"smf70wla": "200"}), changed(cpu_record("TST2"), smf70aid=[1, 2]))
    assert selected(tables, HEAD, system="TST1")["image_capacity"].to_list() == [None]
    told = [r["what"] for r in tables[REJECT].to_dicts()]
    assert any("smf70ctl.smf70wla is" in what for what in told)
    assert any("2 sections smf70aid" in what for what in told)
    assert selected(tables, "rmf_address_space_count", system="TST2").height == 0


def test_partitions_with_sections_that_are_not_there_have_no_values() -> None:
    record = cpu_record()
    record["smf70bct"][1]["smf70bdn"] = 30
    tables = read(record)
    assert selected(tables, PARTITIONS, partition="TSTLP").height == 0
    assert one(tables, CPU, processor_id="0")["lpar_busy_pct"] is None
    assert selected(tables, PARTITIONS, partition="OTHER").height == 1


_VALUES = st.one_of(
    st.sampled_from([None, True, -1, 0, 1.5, 1e300, 10**30, "", "x", "0x", "0xFFFFFFFFFFFFFFFFFF", "99999D 00:00:00", "9999-12-31 23:59:59", [], {}, [[]]]),
    st.integers(-(10**6), 10**6),
    st.text(max_size=8),
)  # fmt: skip
_ONLINE = period(1, "percentile", 400, 100, 250_000, crtx=1, cwmx=1, cwmn=1)
_WHOLE = [
    cpu_record(),
    *in_parts(cpu_record("TST2")),
    class_record(_ONLINE, buckets=BUCKETS) | {"r723wrs": {"r723rtyp": "CICS", "r723ress": 9}},
]


@examples(100)
@given(st.data())
def test_whatever_a_field_or_section_holds_the_account_of_a_document_closes(data: st.DataObject) -> None:
    records = json.loads(json.dumps(_WHOLE))
    for _ in range(data.draw(st.integers(1, 4))):
        at, name = records, data.draw(st.integers(0, len(records) - 1))
        while isinstance(at[name], dict | list) and at[name] and data.draw(st.integers(0, 9)):
            at = at[name]
            name = data.draw(st.sampled_from(sorted(at) if isinstance(at, dict) else range(len(at))))
        if at is not records:
            at[name] = data.draw(_VALUES)
    parsed = parse([canonical_segment(document(*records), "x", Options())], Options())
    assert parsed.counts[0].closes


def test_explain_says_what_a_value_is_made_of_and_why_there_is_none() -> None:
    record = changed(cpu_record(), smf70ctl={"smf70wla": "x"})
    [page] = explain(canonical_segment(document(record), "x", Options()), Options())
    [line] = page.lines
    assert (page.report, page.why) == (
        "rmf_cpu_activity, rmf_group_capacity, rmf_partition_data",
        "SMF record 70.1 (JSON)",
    )
    cells = {(c.table, c.column): c for c in reversed(line.cells)}
    assert cells[CPU, "lpar_busy_pct"].text == "100 * busy / NULLIF(busy_of, 0) [busy 300.0, busy_of 600.0]"
    assert (cells[HEAD, "image_capacity"].value, cells[HEAD, "image_capacity"].why_null) == (
        None,
        "no value of smf70wla",
    )
    assert "smf70ctl.smf70wla" in line.rejects[0].what


# A record of type 70 and system TST1 at 2025.195, with its length in front.
BINARY = bytes.fromhex("0040 0000 DE46 00473B01 0125195F E3E2E3F1 D9D4C640 0001") + bytes(40)


def test_packed_documents_are_ingested_and_other_files_are_named(tmp_path: Path) -> None:
    given = {
        "cpu.json.gz": (gzip.compress(document(cpu_record())), ""),
        "other.json": (b'{"metrics": [{"name": "CPU", "value": 1}]}', "is a JSON file"),
        "zebra.json": (b'{"title": "CPU", "columnhead": ["a"], "table": []}', "Zebra"),
        "dds.json": (b'{"report": [{"timeData": {}}]}', "Distributed Data Server"),
        "pa.json": (b'{"applid": "C1", "tran": "T1"}\n{"applid": "C1", "tran": "T2"}\n', "CICS Performance Analyzer"),
        "smf.bin": (BINARY * 3, "SMF records in binary"),
        "no_lengths.bin": (BINARY[4:], "SMF records in binary"),
    }
    for name, (data, _) in given.items():
        (tmp_path / name).write_bytes(data)
    files = {
        Path(f.path).name: f for f in ingest([str(tmp_path / n) for n in given], tmp_path / "lake", Options()).files
    }
    for name, (_, said) in given.items():
        assert files[name].status == ("failed" if said else "ingested")
        assert said in (files[name].error or "")
        assert "smf_json" in (files[name].error or "smf_json")


PAGE = """\
                                             C P U  A C T I V I T Y
                                                                                                                       PAGE    1
          z/OS V2R5               SYSTEM ID TST1             DATE 07/14/2025            INTERVAL 10.00.000
                                 RPT VERSION V2R5 RMF        TIME 13.00.00              CYCLE 1.000 SECONDS
CPU  3931       CPC CAPACITY   500    SEQUENCE CODE 00000000000ABCDE
MODEL 704        CHANGE REASON=NONE    HIPERDISPATCH=YES
H/W MODEL A01

---CPU---    ---------------- TIME % ----------------     LOG PROC      --I/O INTERRUPTS--
NUM  TYPE    ONLINE    LPAR BUSY    MVS BUSY   PARKED     SHARE %       RATE     % VIA TPI
 0    CP     100.00    50.00        60.00        0.00     100.0  HIGH   6.000     16.67
 1    CP      50.00    50.00        50.00       33.33      80.0  MED    6.000     16.67
"""


def test_print_that_differs_by_more_than_its_digits_is_told(tmp_path: Path) -> None:
    record = cpu_record()
    for name, text in (("same", PAGE), ("other", PAGE.replace("  50.00        60", "  50.02        60"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.json").write_bytes(document(record))
        # The same again, of classes too.
        for again in "yz":
            (tmp_path / name / f"{again}.json").write_bytes(
                document(record, class_record(_ONLINE, buckets=BUCKETS)) + b" " * ord(again)
            )
        (tmp_path / name / "x.txt").write_text(text)
        ingest([str(tmp_path / name)], tmp_path / name / "lake", Options())
        with open_lake(tmp_path / name / "lake") as lake:
            told = [(r["rule"], r["column"]) for r in check(lake).to_reader().read_all().to_pylist()]
            assert ("rmf_cpu_activity.forms_agree", "lpar_busy_pct") in told if name == "other" else told == []
            assert lake.sql("SELECT DISTINCT source_form FROM print_and_xml").fetchall() == [("print",)]


def test_of_two_hours_of_one_local_time_none_is_compared_with_print(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text(PAGE.replace("  50.00        60", "  50.02        60"))
    later = changed(cpu_record(), smf70pro={"smf70lgo": "-06:00:00.000000"})
    (tmp_path / "x.json").write_bytes(document(cpu_record(), later))
    ingest([str(tmp_path)], tmp_path / "lake", Options())
    with open_lake(tmp_path / "lake") as lake:
        assert check(lake).to_reader().read_all().to_pylist() == []
        offsets = lake.sql("SELECT DISTINCT utc_offset_minutes FROM rmf_partition_head ORDER BY ALL").fetchall()
    assert offsets == [(-360,), (-300,)]


# --- Documents with known numbers, where they are there ---------------------------------------------------------------------------

KNOWN = SHARED / "smf_json"
known = pytest.mark.skipif(not KNOWN.exists(), reason="the documents are not there")
NINE, QUARTER_PAST = (datetime(2026, 10, 5, 9, minute) for minute in (0, 15))


@known
def test_known_numbers_of_processors_and_partitions() -> None:
    both = read_text((KNOWN / "smf70_cpu.json").read_bytes())
    assert both[REJECT].height == 0
    busy = {"SYSA": [70.0, 60.0, 50.0, 20.0], "SYSB": [25.0, 15.0, 5.0]}
    for system, numbers in busy.items():
        for start, times in ((NINE, 1.0), (QUARTER_PAST, 1.1)):
            found = values(both, CPU, "lpar_busy_pct", system=system, interval_start=start, is_total=False)
            assert [busy for (busy,) in found] == close([number * times for number in numbers])
        alone = read_text((KNOWN / f"smf70_cpu_{system}.json").read_bytes())
        for table in (CPU, PARTITIONS, GROUPS, HEAD):
            assert selected(both, table, system=system).drop("page", "line").equals(alone[table].drop("page", "line"))
    assert values(both, HEAD, "mvs_partition", interval_start=NINE) == [("PRODA",), ("PRODB",)]
    total = one(both, CPU, system="SYSA", interval_start=NINE, processor_type="CP", is_total=True)
    assert total["io_interrupts_tpi_pct"] == close(100 * 1600 / 15100)
    assert values(both, GROUPS, "partition", "msu_used", "msu_entitled_max", system="SYSA", interval_start=NINE) == [
        ("PRODA", close(251.2), 120.0),
        ("PRODB", close(55.2), 40.0),
        (None, close(306.4), None),
    ]
    row = one(both, PARTITIONS, system="SYSA", interval_start=NINE, partition="PRODA", processor_type="CP")
    assert [row[n] for n in ("total_dispatch", "effective_dispatch", "logical_total_pct", "physical_total_pct")] == [
        1620.0,
        1570.0,
        60.0,
        36.0,
    ]
    physical = one(both, PARTITIONS, system="SYSB", interval_start=NINE, partition="*PHYSICAL*", processor_type="IIP")
    assert (physical["total_dispatch"], physical["lpar_management_pct"]) == (2.7, close(0.15))


@known
def test_known_share_of_samples_that_a_partition_was_capped() -> None:
    records = json.loads((KNOWN / "smf70_cpu_SYSA.json").read_bytes())
    for processor in records[0]["smf70bpd"][:3]:
        processor["smf70nsw"] = 90
    row = one(read(records[0]), PARTITIONS, partition="PRODA", processor_type="CP")
    assert row["capping_wlm_pct"] == 10.0


@known
def test_known_numbers_of_classes() -> None:
    tables = read_text((KNOWN / "smf72_wlm.json").read_bytes())
    assert tables[REJECT].height == 0
    for system, times in (("SYSA", 1.0), ("SYSB", 1.5)):
        row = one(
            tables,
            ACTIVITY,
            scope=system,
            service_class="STCHI",
            class_kind="service_class_period",
            interval_start=NINE,
        )
        # What is not scaled: RCT, IIT and HST.
        names = ("cpu_time_s", "srb_time_s", "iip_time_s", "rct_time_s", "iit_time_s", "hst_time_s")
        assert [row[n] for n in names] == close([57.0 * times, 9.0 * times, 6.0 * times, 0.1, 0.2, 0.05])
        names = ("appl_cp_pct", "appl_iip_pct", "appl_iipcp_pct")
        assert [row[n] for n in names] == close([(54.0 * times + 0.35) / 9, 6.0 * times / 9, 1.5 * times / 9])
    first = {"scope": "SYSA", "interval_start": NINE, "is_total": False}
    found = {
        r["service_class"]: r
        for r in selected(tables, GOALS, period=1, class_kind="service_class_period", **first).to_dicts()
    }
    assert found["STCHI"]["velocity_pct"] == close(100 * 570 / 725)
    assert found["TSO"]["performance_index"] == 0.75
    assert (found["ONLHI"]["actual_pct"], found["ONLHI"]["performance_index"]) == (88.0, 0.8)
    online = one(tables, ACTIVITY, scope="SYSA", service_class="ONLHI", period=1, interval_start=NINE)
    assert [online[n] for n in ("transactions_ended", "actual_time_s", "queued_time_s")] == close([1000, 0.31, 0.01])
    assert values(tables, DELAYS, "pct", service_class="STCHI", reason="TOT", **first) == [(close(6.9, abs=0.1),)]
    states = selected(tables, "rmf_workload_response_breakdown", scope="SYSA", interval_start=NINE, state="TIME (%)")
    assert states.select("subsystem", "phase").rows() == [("CICS", "BTE")]
