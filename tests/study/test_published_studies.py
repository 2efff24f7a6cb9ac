"""Published figures, each redone from the inputs printed beside it: what follows is asserted to the last printed digit, what
does not is asserted as ours, with theirs beside it (docs/published.md)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ironlake.pipeline import open_lake
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.ingest.ingest import ingest
from ironlake.pipeline.sql.open_lake import OpenLake
from ironlake.pipeline.study.lake import add_studies
from ironlake.pipeline.study.study_file import read_studies
from sample_pages import SAMPLES, sample
from views_lake import Row

STUDIES = SAMPLES / "studies"
FOLDERS = ("buffer_pools", "data_sharing_by_address_space", "group_buffer_pools", "jdbc_drivers", "jmh_type2_type4")
# Printed figures that need no study stand among the samples of their report.
REPORTS = ("cics_published_requests", "statistics_equations_of_db2pm", "cf_structures_mvs_1996")


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenLake]:
    """A lake of the reports of the papers, with their studies."""
    path = tmp_path_factory.mktemp("published") / "lake"
    pages = [str(page) for folder in FOLDERS for page in sorted((STUDIES / folder).glob("*.txt"))]
    report = ingest([*pages, *(str(sample(name)) for name in REPORTS)], path, Options())
    assert report.exit_code(strict=True) == 0
    files = [file for folder in FOLDERS for file in (STUDIES / folder).glob("*.yaml")]
    add_studies(path, [study for file in files for study in read_studies(file)])
    with open_lake(path) as opened:
        yield opened


def rows(lake: OpenLake, text: str) -> list[Row]:
    return lake.sql(text).arrow().to_pylist()


# Plan, pool, then as printed: getpages a transaction, getpages a synchronous read, hit percentage.
TABLE_9 = """
UPD2 BP1  0.483   1.38 28
UPD2 BP2  3.088   7.8  87
UPDB BP1 11.924   5.05 80
UPDB BP2 65.398  15.19 93
UPDB BP4  1.198   4.2  75
UPDB BP5 12.495 137.45 99
UPDB BP6 11.189 108.5  83
UPDB BP7  3.725   2.26  9
INQ3 BP1  0.268   2.05  0
INQ3 BP2  1.260   4.38  0
INQ3 BP4  0.650   3.99 75
INQ3 BP5  1.084   8.02 88
INQ3 BP6  3.545  26.65 12
INQ3 BP7  0.258   2.86  0
INQ2 BP1  0.160   3.47  0
INQ2 BP2  0.636   7.67 38
INQ2 BP4  0.093  16.45 94
INQ2 BP5  0.168  67.21 99
INQ2 BP6  3.182  67.56 75
INQ2 BP7  0.053   3.67  0
INQ1 BP1  0.356   2.66  0
INQ1 BP2  1.749   4.83 49
INQ1 BP4  1.077   5.66 82
INQ1 BP5  1.600   5.77 83
INQ1 BP6  4.120  69.83 83
INQ1 BP7  0.287   4.85  0
"""


def test_buffer_pools_of_table_9(lake: OpenLake):
    """All getpage ratios follow. Of the hit percentages 23 do, six of them below 0 where 0 is printed. Three rows lack the pages that
    prefetch read: ours is NULL, and at most 76.2, 99.3 and 51.2, which holds the printed 99 if prefetch read next to nothing, and neither
    75 nor 0 exactly."""
    printed = {
        (plan, pool): (float(a_transaction), float(a_read), float(hit))
        for plan, pool, a_transaction, a_read, hit in (line.split() for line in TABLE_9.split("\n") if line)
    }
    ours = {(row["plan"], row["buffer_pool"]): row for row in rows(lake, "FROM buffer_pool_accounting")}
    assert set(ours) == set(printed)
    for key, (a_transaction, a_read, _) in printed.items():
        assert round(ours[key]["getpages_per_transaction"], 3) == a_transaction, key
        assert round(ours[key]["getpages_per_sync_io"], 2) == a_read, key
    differ = {key: hit for key, (_, _, hit) in printed.items() if ours[key]["hit_pct"] is None}
    # The paper cuts at 0 what prefetch read in excess of the getpages; ours says how much that is.
    assert [
        key for key in printed if key not in differ and max(round(ours[key]["hit_pct"]), 0) != printed[key][2]
    ] == []
    below = {key: round(row["hit_pct"], 1) for key, row in ours.items() if key not in differ and row["hit_pct"] < 0}
    assert {key: printed[key][2] for key in below} == dict.fromkeys(below, 0)
    # 1 - (1257 + 20041) / 3342, (555 + 22345) / 2693, (534 + 5275) / 1854, (167 + 7598) / 613, (134 + 1061) / 587, (42 + 1942) / 120.
    assert below == {
        ("INQ1", "BP1"): -537.3, ("INQ1", "BP7"): -750.4, ("INQ2", "BP1"): -213.3, ("INQ2", "BP7"): -1166.7,
        ("INQ3", "BP2"): -103.6, ("INQ3", "BP7"): -1553.3,
    }  # fmt: skip
    assert differ == {("UPDB", "BP4"): 75, ("UPDB", "BP5"): 99, ("INQ3", "BP1"): 0}
    at_most = {key: round(ours[key]["application_hit_pct"], 1) for key in differ}
    assert at_most == {("UPDB", "BP4"): 76.2, ("UPDB", "BP5"): 99.3, ("INQ3", "BP1"): 51.2}


def test_transaction_rates_of_tables_11_and_13(lake: OpenLake):
    """The text has 27 and 83 transactions a second: the sums of the classes are 27.27 and 26.93, and 83.96 and 83.32."""
    query = """SELECT scope, interval_start, sum(transactions_ended) / max(interval_s) AS per_s FROM workload_level
        WHERE sysplex = 'CPLEX1' AND class_kind = 'report_class' GROUP BY ALL ORDER BY ALL"""
    assert [round(row["per_s"], 2) for row in rows(lake, query)] == [27.27, 83.96, 26.93, 83.32]


def test_overhead_by_address_space_of_table_7(lake: OpenLake):
    """The printed differences do not follow from the printed columns, from which all but DB2I1's are about 15%. Its printed total of
    0.0024 s without data sharing is not the sum of its parts, 0.0025 s; from that total it would be 16.7%."""
    query = """SELECT subsystem, sum(cpu_uncoupled_ms_per_request) AS alone, sum(cpu_coupled_ms_per_request) AS together
        FROM coupling_overhead_by_class WHERE study LIKE '%(table 7)' AND NOT is_total GROUP BY subsystem"""
    found = {row["subsystem"]: row for row in rows(lake, query)}
    seconds = {name: (round(row["alone"] / 1000, 4), round(row["together"] / 1000, 4)) for name, row in found.items()}
    ours = {name: round((row["together"] / row["alone"] - 1) * 100, 2) for name, row in found.items()}
    theirs = {"DB2I1": 15.00, "TOR1": 11.11, "INQ1A": 6.69, "DB2U1": 15.00, "UPD1": 20.36, "INQ1B": 8.93}
    assert seconds == {
        "DB2I1": (0.0025, 0.0028), "TOR1": (0.0084, 0.0097), "INQ1A": (0.0332, 0.0382), "DB2U1": (0.0062, 0.0071),
        "UPD1": (0.0122, 0.0140), "INQ1B": (0.0341, 0.0392),
    }  # fmt: skip
    assert ours == {"DB2I1": 12.00, "TOR1": 15.48, "INQ1A": 15.06, "DB2U1": 14.52, "UPD1": 14.75, "INQ1B": 14.96}
    assert [name for name in theirs if ours[name] == theirs[name]] == []


def test_group_buffer_pool_delay_of_tables_11_to_14(lake: OpenLake):
    """Accesses a transaction, and their delay in microseconds, of SYS1 in pools 2, 6 and 7 of DB2T: the text has 1.1 x 225.6 +
    .46 x 294.5 + .46 x 286.4 = 515.4, and .4 for the latter two; the tables give 1.12, 0.35, 0.44 and 483.2. Its 3.3 accesses a
    transaction in pool 1 of DB2D are SYS2's 43 a second over SYS1's 13.2: 3.9 on SYS1, 3.4 on SYS2."""
    found = {
        (row["configuration"], row["db2_group"], row["gbp"]): row
        for row in rows(lake, "FROM gbp_delay_per_transaction WHERE NOT is_total")
    }
    pools = [found["A3 SYS1", "DSNDB2T", gbp] for gbp in ("GBP2", "GBP6", "GBP7")]
    assert [round(pool["accesses_per_transaction"], 2) for pool in pools] == [1.12, 0.35, 0.44]
    assert [round(pool["service_us"], 1) for pool in pools] == [225.6, 294.5, 286.4]
    assert round(sum(pool["delay_per_transaction_us"] for pool in pools), 1) == 483.2
    assert round(1.1 * 225.6 + 0.46 * 294.5 + 0.46 * 286.4, 1) == 515.4
    accesses = {
        key: round(row["accesses_per_transaction"], 1) for key, row in found.items() if key[1:] == ("DSNDB2D", "GBP1")
    }
    assert accesses == {
        ("A3 SYS1", "DSNDB2D", "GBP1"): 3.9,
        ("A3 SYS2", "DSNDB2D", "GBP1"): 3.4,
        ("A1 SYS1", "DSNDB2D", "GBP1"): 4.2,
        ("A1 SYS2", "DSNDB2D", "GBP1"): 3.8,
    }


def test_group_buffer_pool_of_figure_2(lake: OpenLake):
    (row,) = rows(lake, "FROM group_buffer_pool")
    assert (round(row["read_hit_pct"]), round(row["xi_read_pct"])) == (13, 12)
    assert (row["reads_total"], row["accesses_total"]) == (429, 2091)


def test_db2entry_ratios(lake: OpenLake):
    first, second = rows(lake, "FROM db2entry_thread_reuse ORDER BY collected_at")
    assert (round(first["thread_reuse_pct"], 3), round(first["calls_per_request"], 2)) == (99.990, 9.33)
    # Six aborts are units of work too: 2,455,733 calls in 262,984, where the single-phase commits alone give 9.34.
    assert round(second["thread_reuse_pct"], 3) == 99.990
    assert round(second["calls"] / second["single_phase"], 2) == round(second["calls_per_request"], 2) == 9.34


def test_cost_of_the_printed_page_by_who_counts_requests(lake: OpenLake):
    """107.19% of an engine for 88,584 requests in the minute, or for 1303.76 page elements a second (the text: 80,000 a minute)."""
    query = "SELECT study, requests_per_s, cpu_ms_per_request AS ms FROM cost_per_request WHERE subsystem = 'CICS' ORDER BY study"
    by_rmf, by_simulator = rows(lake, query)
    assert round(by_rmf["ms"], 5) == 0.72602
    assert round(by_simulator["requests_per_s"] * 60) == 78226
    assert by_simulator["ms"] == pytest.approx(1071.9 / 1303.76)


def test_type_2_against_type_4_by_jmh(lake: OpenLake):
    """The text has about 30%: that is type 4 over type 2, 27 to 32% more; type 2 takes 21 to 24% less than type 4."""
    query = """SELECT other_of_one_pct AS more, -one_of_other_pct AS less, is_different FROM jmh_comparison
        WHERE differs_in = 'zdbc' AND one = 't2' ORDER BY one_score"""
    found = rows(lake, query)
    assert [round(row["more"], 1) for row in found] == [28.6, 26.9, 27.8, 31.7]
    assert [round(row["less"], 1) for row in found] == [22.2, 21.2, 21.8, 24.1]
    assert {row["is_different"] for row in found} == {True}
