"""Shipped models: the reports that they print make a lake whose views show the shapes of the published studies."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from ironlake.models.command import model_path
from ironlake.models.filling import normal
from ironlake.models.generate import Order, generate
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import UsageError
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.sql.open_lake import OpenLake
from ironlake.pipeline.study.lake import add_studies
from ironlake.pipeline.study.study_file import read_studies
from made_once import made_once
from sample_pages import SAMPLES
from views_lake import Row, expect

MODELS = SAMPLES / "models"
JDBC = ("T2", "T4", "T2 reuse", "T4 reuse", "T4 remote", "T2 OC", "T4 JTA", "T2 JTA")
PAYLOADS = ("1K", "5K", "10K", "30K", "50K")


# `make test` has the bytes of one model, and what by hand and of random models is read back.
@pytest.fixture(
    scope="module",
    params=[
        pytest.param({path.stem for path in MODELS.glob("*.yaml")} - {"jdbc_drivers"}, marks=pytest.mark.slow, id="")
    ],
)
def lake(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenLake]:
    yield from lake_of(tmp_path_factory, request.param)


# The largest study by far.
@pytest.fixture(scope="module", params=[pytest.param("jdbc_drivers", marks=pytest.mark.slow)])
def jdbc(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenLake]:
    yield from lake_of(tmp_path_factory, {request.param})


def lake_of(tmp_path_factory: pytest.TempPathFactory, models: set[str]) -> Iterator[OpenLake]:
    """A lake of what shipped models print, with their studies."""
    folder = made_once(tmp_path_factory, f"{len(models)}_models", lambda folder: make_lake(folder, models))
    with open_lake(folder / "lake") as opened:
        yield opened


def make_lake(folder: Path, models: set[str]) -> None:
    """Every line is read, and no page is suspect."""
    for model in sorted(models):
        generate(MODELS / f"{model}.yaml", folder / model, Order())
    report = ingest([str(path) for path in sorted(folder.rglob("*.txt"))], folder / "lake", Options())
    assert report.exit_code(strict=True) == 0
    assert {(file.rejects, file.suspect_pages) for file in report.files} == {(0, 0)}
    add_studies(folder / "lake", [study for file in sorted(folder.rglob("study.yaml")) for study in read_studies(file)])


def rows(lake: OpenLake, text: str) -> list[Row]:
    return lake.sql(text).arrow().to_pylist()


def test_processor_time_is_in_classes_as_far_as_it_is_captured(lake: OpenLake) -> None:
    assert_captured(lake, least=40)


def test_processor_time_of_drivers_is_in_classes(jdbc: OpenLake) -> None:
    assert_captured(jdbc, least=300)


def assert_captured(lake: OpenLake, least: int) -> None:
    """What CPU Activity has busy is what the service classes used, and what the model says is in none."""
    asked = (
        "SELECT sysplex, processor_type, capture_ratio_pct FROM capture_ratio WHERE engines_busy > 0.05 ORDER BY ALL"
    )
    found = rows(lake, asked)
    assert len(found) > least
    for row in found:
        captured = {"SHRPLEX": 92, "CONNPLEX": 95, "SRCPLEX": 93}.get(row["sysplex"], 100)
        assert row["capture_ratio_pct"] == pytest.approx(captured, abs=1), row


def test_remote_part_is_charged_apart(jdbc: OpenLake) -> None:
    found = rows(
        jdbc,
        """SELECT location, is_total, cpu_ms_per_request FROM cost_by_location
        WHERE study = 'JDBC drivers in CICS Liberty' AND configuration = 'T4 remote' AND run = '1'""",
    )
    parts = {row["location"]: row["cpu_ms_per_request"] for row in found}
    # 31 calls of (0.6 x 0.018 + ...) there, the rest here: as the model's units of work add up.
    assert parts["remote"] == pytest.approx(31 * (0.004 + 0.018 + 0.001) + 3.5 * 0.015, rel=0.03)
    assert parts["local"] == pytest.approx(0.55 + 31 * (0.010 + 0.004) + 3.5 * 0.005, rel=0.03)
    assert parts[None] == pytest.approx(parts["local"] + parts["remote"], abs=0.001)


def test_simulator_and_rmf_count_the_same_requests(jdbc: OpenLake) -> None:
    found = rows(
        jdbc,
        """SELECT configuration, run, list(requests_per_s) AS rates FROM run_requests
        WHERE study LIKE 'JDBC drivers%' GROUP BY ALL""",
    )
    assert len(found) == 64
    for row in found:
        rmf, simulator = row["rates"]
        assert simulator == pytest.approx(rmf, rel=0.03)


def test_threads_are_made_as_protectnum_and_reuselimit_say(jdbc: OpenLake) -> None:
    """No thread is kept without PROTECTNUM; with it one in 10,001 uses makes one (REUSELIMIT 10,000)."""
    found = rows(
        jdbc,
        """SELECT s.configuration, sum(r.calls) / sum(r.single_phase) AS calls_per_use, sum(r.single_phase) AS uses,
            100.0 * sum(r.thread_reuses) / sum(r.thread_reuses + r.thread_creates) AS reuse_pct
        FROM cics_db2entry_request r JOIN run_interval s
            ON r.collected_at > s.interval_start AND r.collected_at <= s.interval_end + INTERVAL 1 SECOND
        WHERE s.study = 'JDBC drivers in CICS Liberty' AND NOT r.is_total GROUP BY ALL""",
    )
    entries = {row["configuration"]: row for row in found}
    assert set(entries) == {"T2", "T2 reuse", "T2 OC", "T2 JTA"}
    assert entries["T2"]["reuse_pct"] == 0
    for name in ("T2 reuse", "T2 OC", "T2 JTA"):
        assert entries[name]["reuse_pct"] == pytest.approx(99.990, abs=0.001)
    assert entries["T2 reuse"]["calls_per_use"] == pytest.approx(31 / 3.5, rel=1e-3)
    assert entries["T2 OC"]["calls_per_use"] == pytest.approx(31, rel=1e-3)


def test_type_2_takes_a_fifth_to_a_quarter_less_time(lake: OpenLake) -> None:
    found = rows(
        lake, "SELECT one, other, one_of_other_pct, is_different FROM jmh_comparison WHERE differs_in = 'zdbc'"
    )
    assert len(found) == 4
    for row in found:
        assert (row["one"], row["other"]) == ("t2", "t4")
        assert 21 <= -row["one_of_other_pct"] <= 24
        assert row["is_different"]


def test_type_2_runs_on_general_processors_and_type_4_mostly_on_ziips(lake: OpenLake) -> None:
    found = rows(
        lake,
        """SELECT report_class, sum(appl_cp_pct) AS cp_pct, sum(appl_iip_pct) AS iip_pct FROM rmf_workload_activity
        WHERE sysplex = 'JMHPLEX' AND report_class IS NOT NULL GROUP BY ALL""",
    )
    by_class = {row["report_class"]: row for row in found}
    assert by_class["SERVT2"]["iip_pct"] == 0
    assert by_class["SERVT4"]["iip_pct"] > 4 * by_class["SERVT4"]["cp_pct"]
    assert by_class["DDF"]["iip_pct"] == pytest.approx(1.5 * by_class["DDF"]["cp_pct"], rel=0.01)


def test_cost_of_zos_connect_by_payload(lake: OpenLake) -> None:
    found = rows(
        lake,
        """SELECT configuration, run, requests_per_s, cpu_ms_per_request, ziip_ms_per_request, ziip_on_cp_ms_per_request
        FROM cost_per_request WHERE subsystem = 'z/OS Connect' ORDER BY configuration, run::INT""",
    )
    costs = {}
    for release in ("old", "new"):
        for payload in PAYLOADS:
            runs = [row for row in found if row["configuration"] == f"{release} {payload}"]
            assert [row["requests_per_s"] for row in runs] == [pytest.approx(n, rel=0.03) for n in (200, 400, 600)]
            of_runs = [row["cpu_ms_per_request"] for row in runs]
            # Flat from 100 to 300 clients; without a zIIP nearly all of it is eligible.
            assert max(of_runs) / min(of_runs) < 1.04
            assert all(row["ziip_ms_per_request"] == 0 for row in runs)
            assert all(row["ziip_on_cp_ms_per_request"] > 0.95 * row["cpu_ms_per_request"] for row in runs)
            costs[release, payload] = sum(of_runs) / 3
    for release in ("old", "new"):
        of_release = [costs[release, payload] for payload in PAYLOADS]
        assert of_release == sorted(of_release)
    gains = [costs["old", payload] / costs["new", payload] - 1 for payload in PAYLOADS]
    assert gains == sorted(gains, reverse=True)
    assert gains[0] > 0.8
    assert abs(gains[-1]) < 0.02


def test_liberty_is_a_little_over_twice_cobol(lake: OpenLake) -> None:
    found = rows(lake, "SELECT * FROM cost_per_request WHERE study = 'LINK to Liberty' AND subsystem = 'CICS'")
    cobol, osgi, liberty = (next(r for r in found if r["configuration"] == n) for n in ("COBOL", "OSGi", "Liberty"))
    assert all(row["requests_per_s"] == pytest.approx(5000, rel=0.02) for row in found)
    assert 2 < liberty["cpu_ms_per_request"] / cobol["cpu_ms_per_request"] < 2.25
    extra = liberty["cpu_ms_per_request"] - cobol["cpu_ms_per_request"]
    eligible = liberty["ziip_ms_per_request"] + liberty["ziip_on_cp_ms_per_request"]
    assert eligible / extra == pytest.approx(0.5, abs=0.03)
    assert osgi["cpu_ms_per_request"] > 1.2 * liberty["cpu_ms_per_request"]


def test_response_is_split_in_dispatch_and_suspend(lake: OpenLake) -> None:
    found = rows(lake, "SELECT * FROM response_split WHERE study = 'LINK to Liberty' AND is_total")
    split = {row["configuration"]: row for row in found}
    assert split["OSGi"]["response_ms"] > split["Liberty"]["response_ms"] > split["COBOL"]["response_ms"]
    for row in found:
        assert row["other_ms"] == pytest.approx(0, abs=0.001)
        assert not row["is_other_span"]
        assert row["cpu_ms"] <= row["dispatch_ms"]
    assert split["COBOL"]["suspend_pct"] == pytest.approx(0, abs=0.1)
    assert split["OSGi"]["suspend_pct"] > 50


def test_data_sharing_costs_updates_and_hardly_inquiries(lake: OpenLake) -> None:
    found = rows(
        lake,
        """SELECT subsystem, class_name, is_total, cpu_increase_pct FROM coupling_overhead_by_class
        WHERE study = 'Db2 data sharing' AND class_kind = 'report_class'""",
    )
    (total,) = (row["cpu_increase_pct"] for row in found if row["is_total"])
    assert 10 <= total <= 12
    by_class = {row["class_name"]: row["cpu_increase_pct"] for row in found if not row["is_total"]}
    assert abs(by_class["AORINQ1"]) < 3
    assert abs(by_class["AORINQ2"]) < 3
    assert by_class["AORUPD"] > 10
    assert by_class["AORINS"] > 10


def test_a_coupled_system_does_less_in_the_same_processor_time(lake: OpenLake) -> None:
    found = rows(lake, "SELECT * FROM coupling_efficiency WHERE busy_basis = 'cp' AND coupled ILIKE '%data sharing%'")
    studies = {row["study"]: row for row in found}
    assert set(studies) == {"Db2 data sharing", "Sysplex of two images"}
    assert 10 <= studies["Db2 data sharing"]["cpu_increase_pct"] <= 12
    assert 7 <= studies["Sysplex of two images"]["cpu_increase_pct"] <= 11
    for row in found:
        assert row["coupling_efficiency_pct"] == pytest.approx(100 / (1 + row["cpu_increase_pct"] / 100), abs=0.01)


def test_db2_and_rmf_count_the_same_requests_to_structures(lake: OpenLake) -> None:
    found = rows(
        lake,
        """SELECT DISTINCT gbp, begin_at, structure_name, group_accesses_per_s, rmf_structure_per_s FROM gbp_rmf_reconciliation
        WHERE db2_group = 'DSNDBU' ORDER BY ALL""",
    )
    assert [row["structure_name"] for row in found] == ["DSNDBU_GBP1"] * 4 + ["DSNDBU_GBP2"] * 4
    for row in found:
        assert row["rmf_structure_per_s"] == pytest.approx(row["group_accesses_per_s"], abs=0.15)


def test_locks_contend_and_pages_are_found_as_the_model_says(lake: OpenLake) -> None:
    contention = rows(
        lake, "SELECT contention_pct, false_of_contention_pct FROM lock_contention WHERE sysplex = 'SHRPLEX'"
    )
    assert len(contention) == 8
    for row in contention:
        expect(row, contention_pct=pytest.approx(1.2, abs=0.01), false_of_contention_pct=pytest.approx(35, abs=0.1))
    pools = rows(
        lake, "SELECT gbp, avg(read_hit_pct) AS hit_pct FROM group_buffer_pool WHERE db2_group = 'DSNDBU' GROUP BY ALL"
    )
    assert {row["gbp"]: round(row["hit_pct"], 1) for row in pools} == {"GBP1": 50, "GBP2": 60}
    local = rows(
        lake,
        "SELECT buffer_pool, min(hit_pct) AS least, max(hit_pct) AS most FROM buffer_pool WHERE db2_group = 'DSNDBU' GROUP BY ALL",
    )
    assert {row["buffer_pool"]: (round(row["least"]), round(row["most"])) for row in local} == {
        "BP1": (90, 90),
        "BP2": (80, 80),
    }


def test_systems_that_share_data_signal_each_other(lake: OpenLake) -> None:
    found = rows(
        lake,
        """SELECT system, peer_system, min(requests_out) AS least, max(requests_out) AS most FROM rmf_xcf_system
        WHERE NOT is_total AND transport_class = 'DEFAULT' AND system != 'ONE' GROUP BY ALL HAVING least IS NOT NULL ORDER BY ALL""",
    )
    assert [(row["system"], row["peer_system"]) for row in found] == [("SYS1", "SYS2"), ("SYS2", "SYS1")]
    for row in found:
        # Two signals a second in 15 minutes; and with data sharing one for each contention, there or here.
        assert row["least"] == pytest.approx(1800, abs=1)
        locks_per_s = 4 * 95 + 20 * 8 + 10 * 1.5 + 11 * 1
        assert row["most"] == pytest.approx(1800 + 2 * 0.012 * 900 * locks_per_s, rel=0.02)


def digest(folder: Path) -> str:
    content = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        content.update(path.name.encode() + path.read_bytes())
    return content.hexdigest()


def test_the_same_seed_gives_the_same_bytes_and_nothing_is_overwritten(tmp_path: Path) -> None:
    model = MODELS / "link_to_liberty.yaml"
    for name, order in (("one", Order(seed=7)), ("same", Order(seed=7)), ("other", Order(seed=8))):
        generate(model, tmp_path / name, order)
    assert digest(tmp_path / "one") == digest(tmp_path / "same")
    assert digest(tmp_path / "one") != digest(tmp_path / "other")
    with pytest.raises(UsageError, match=r"study\.yaml is there already; expected a folder without it"):
        generate(model, tmp_path / "one", Order(seed=2))
    assert digest(tmp_path / "one") == digest(tmp_path / "same")


def test_the_shipped_study_is_what_its_model_prints(tmp_path: Path) -> None:
    written = generate(MODELS / "three_sources.yaml", tmp_path, Order())
    made = {path.name.replace("study.yaml", "studies.yaml"): path.read_bytes() for path in written.paths}
    assert made == {path.name: path.read_bytes() for path in (SAMPLES / "studies" / "cost_by_source").iterdir()}


def test_random_numbers_are_the_same_everywhere_and_normal() -> None:
    drawn = normal(np.random.Generator(np.random.PCG64(np.random.SeedSequence([1, 0, 0]))), 2, 3)
    assert drawn[0].tolist() == [0.49465859960764647, 0.06891362695023417, -0.7092111471574754]
    many = normal(np.random.Generator(np.random.PCG64(5)), 20_000, 1)
    assert float(many.mean()) == pytest.approx(0, abs=0.02)
    assert float(many.std()) == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("name", ["link_to_liberty", pytest.param("zos_connect", marks=pytest.mark.slow)])
def test_chunks_and_processes_give_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """In reports and in what is printed once a step: monitoring of the one, the simulator's logs of the other."""
    model = MODELS / f"{name}.yaml"
    generate(model, tmp_path / "one", Order())
    with monkeypatch.context() as patch:
        patch.setattr("ironlake.models.generate._AT_ONCE", 2)
        generate(model, tmp_path / "chunks", Order())
    monkeypatch.setattr("ironlake.models.generate._WORTH_PROCESSES", 1)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    generate(model, tmp_path / "side_by_side", Order())
    assert digest(tmp_path / "one") == digest(tmp_path / "chunks") == digest(tmp_path / "side_by_side")


def test_a_report_without_pages_gives_no_file(tmp_path: Path) -> None:
    """One image signals no other."""
    written = generate(MODELS / "data_sharing.yaml", tmp_path / "out", Order())
    assert all(path.stat().st_size for path in written.paths)
    assert {path.name for path in written.paths if "xcf" in path.name} == {
        f"{configuration}_{system}_xcf_activity.txt"
        for configuration in ("no_data_sharing", "data_sharing")
        for system in ("sys1", "sys2")
    }


def test_scale_gives_more_intervals_and_the_study_follows(tmp_path: Path) -> None:
    written = generate(MODELS / "link_to_liberty.yaml", tmp_path / "three", Order(scale=3))
    assert written.intervals == 3 * 3 * 5
    assert written.bytes == sum(path.stat().st_size for path in (tmp_path / "three").iterdir())
    (study,) = read_studies(tmp_path / "three" / "study.yaml")
    windows = [(step.start, step.end) for one in study.configurations for step in one.steps]
    assert [(end - start).total_seconds() for start, end in windows] == [3 * 5 * 60] * 3
    assert all(before[1] == after[0] for before, after in pairwise(windows))


def test_a_model_that_cannot_be_solved_writes_nothing(tmp_path: Path) -> None:
    text = (
        (MODELS / "link_to_liberty.yaml")
        .read_text()
        .replace("Liberty: {rate_per_s: 5000}", "Liberty: {rate_per_s: 50000}")
    )
    (tmp_path / "model.yaml").write_text(text)
    with pytest.raises(UsageError, match=r"configurations\.Liberty: step 1: SYSL \w+: utilisation \d"):
        generate(tmp_path / "model.yaml", tmp_path / "out", Order())
    assert not (tmp_path / "out").exists()


def test_a_shipped_model_is_found_by_its_name() -> None:
    assert model_path("jdbc_drivers") == MODELS / "jdbc_drivers.yaml"
    assert model_path("mine.yaml") == Path("mine.yaml")
    with pytest.raises(
        UsageError,
        match="jdbc: no such file, and no shipped model is called so; expected a model file, or one of data_sharing",
    ):
        model_path("jdbc")
