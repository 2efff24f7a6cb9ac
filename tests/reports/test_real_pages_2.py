"""Published pages of RMF Workload Activity and Db2 that were found after the readers were written, read from beside the project
where they are there: every value as printed.

The pages are not part of the project. Every value below was read off its page by eye; a page's name begins its tests.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ironlake.pipeline.reading.engine import read_text
from margins import values_of, with_margin, without_margin
from sample_pages import NOT_PRINTED, SHARED, Tables, plain
from sizes import some

FOLDER = SHARED / "real_reports_2"
WORKLOAD = "rmf_workload_activity__"
OS390, WAS, STATES = "os390_batch_excerpt", "was_zos15_report_class_excerpt", "was_state_samples_excerpt"
VELOCITY, MOBILE = "v1r13_velocity_distributions_p49", "zos_v2r2_cics_mobile_header_added"
POLICY_BOOST = "zos_v2r4_service_policy_boost"
POOL, DDF = "db2_accounting__db2pm_bp2_total", "db2_statistics__db2pm_global_ddf_minute"
# Pages whose rows were moved against their heading by who published them, and how many rejects that gives.
EDITED = {VELOCITY: 14}

ACTIVITY, GOAL, DELAY = "rmf_workload_activity", "rmf_workload_goal", "rmf_workload_delay"
BUCKET, BREAKDOWN = "rmf_response_time_distribution", "rmf_workload_response_breakdown"
POLICY, SYSTEM = "rmf_service_policy", "rmf_service_policy_system"
ACCOUNTING, STATISTICS = "db2_accounting_counter", "db2_statistics_counter"
# What follows from other columns, or from where a row stands.
DERIVED = {*NOT_PRINTED, "page", "line", "interval_end", "scope", "source_form"}


def path_of(name: str) -> Path:
    return FOLDER / f"{'' if name.startswith('db2') else WORKLOAD}{name}.txt"


PAGES = (OS390, WAS, STATES, VELOCITY, MOBILE, POLICY_BOOST, POOL, DDF)
pytestmark = pytest.mark.skipif(
    not all(path_of(name).exists() for name in PAGES),
    reason=f"the published pages are not in ../{FOLDER.parent.name}/{FOLDER.name} beside the project",
)
EVERY = pytest.mark.parametrize("name", PAGES)


@cache
def tables_of(name: str) -> Tables:
    return read_text(path_of(name).read_bytes())


def printed(name: str, table: str) -> list[dict[str, Any]]:
    """The rows of a table, each with all that is not NULL and is printed; resolutions follow from the K of a number."""
    rows = tables_of(name)[table].iter_rows(named=True)
    return [
        {k: plain(v) for k, v in row.items() if v is not None and k not in DERIVED and not k.endswith("_resolution")}
        for row in rows
    ]


# --- What each page must give: all of its values ------------------------------------------------------------------------------

_HEADER_14 = {
    "sysplex": "PLEX21",
    "release": "z/OS V2R1",
    "report_version": "V2R1",
    "report_kind": "interval",
    "interval_start": "2014-06-01 10:15:00",
    "interval_s": 900.0,
}
_HEADER_19 = {
    "sysplex": "SVPLEX7",
    "release": "z/OS V2R4",
    "report_version": "V2R4",
    "report_kind": "interval",
    "interval_start": "2019-08-07 03:30:00",
    "interval_s": 899.98,
    "policy_activated_at": str(dt.datetime(2019, 5, 14, 10, 14, 45)),
}
_CICSLOW = _HEADER_14 | {
    "class_kind": "service_class",
    "policy": "BASEPOL",
    "workload": "CICS_WLD",
    "service_class": "CICSLOW",
}
_SBATPMD = {
    "class_kind": "service_class_period",
    "policy": "DAYPOL",
    "workload": "BATCH",
    "service_class": "SBATPMD",
    "period": 1,
}
_GOAL_20 = _SBATPMD | {"goal_type": "velocity", "goal_pct": 20.0}

# Delays of a system as printed from left to right; AAP is N/A.
_REASONS = (
    *(("EXEC USING%", reason) for reason in ("CPU", "AAP", "IIP", "I/O")),
    *(("EXEC DELAYS %", reason) for reason in ("TOT", "CPU", "I/O")),
    *(("USING%", reason) for reason in ("CRY", "CNT")),
    *(("DELAY %", reason) for reason in ("UNK", "IDL", "CRY", "CNT")),
    ("", "QUI"),
)
_DELAYS = {
    "*ALL": (2.8, None, 0.0, 50, 12, 9.2, 3.0, 0.0, 0.0, 33, 2.7, 0.0, 0.0, 0.0),
    "SYS1": (3.5, None, 0.0, 75, 16, 15, 1.6, 0.0, 0.0, 2.2, 3.4, 0.0, 0.0, 0.0),
    "SYS2": (1.7, None, 0.0, 14, 6.5, 1.5, 4.9, 0.0, 0.0, 76, 1.8, 0.0, 0.0, 0.0),
}
# Bound, cumulative, in bucket, and the two percentages: of SYS1, then of SYS2; 00.05.32.317 is 332.317 s.
_BUCKETS = (
    ((16.994, 21, 21, 84.0, 84.0), (332.317, 4, 4, 21.1, 21.1)),
    ((20.393, 22, 1, 88.0, 4.0), (398.781, 4, 0, 21.1, 0.0)),
    ((23.792, 24, 2, 96.0, 8.0), (465.244, 4, 0, 21.1, 0.0)),
    ((27.191, 24, 0, 96.0, 0.0), (531.708, 5, 1, 26.3, 5.3)),
    ((30.59, 24, 0, 96.0, 0.0), (598.171, 5, 0, 26.3, 0.0)),
    ((33.989, 25, 1, 100.0, 4.0), (664.635, 11, 6, 57.9, 31.6)),
    ((37.387, 25, 0, 100.0, 0.0), (731.098, 15, 4, 78.9, 21.1)),
    ((40.786, 25, 0, 100.0, 0.0), (797.562, 17, 2, 89.5, 10.5)),
    ((44.185, 25, 0, 100.0, 0.0), (864.025, 17, 0, 89.5, 0.0)),
    ((47.584, 25, 0, 100.0, 0.0), (930.489, 17, 0, 89.5, 0.0)),
    ((50.983, 25, 0, 100.0, 0.0), (996.952, 18, 1, 94.7, 5.3)),
    ((67.978, 25, 0, 100.0, 0.0), (1329.27, 19, 1, 100.0, 5.3)),
    ((135.956, 25, 0, 100.0, 0.0), (2658.54, 19, 0, 100.0, 0.0)),
    ((None, 25, 0, 100.0, 0.0), (None, 19, 0, 100.0, 0.0)),
)


def _delays() -> Iterator[dict[str, Any]]:
    for system, values in _DELAYS.items():
        for (group, reason), pct in zip(_REASONS, values, strict=True):
            row = _SBATPMD | {"system": system, "is_total": system == "*ALL", "delay_group": group, "reason": reason}
            yield row if pct is None else row | {"pct": pct}


def _buckets() -> Iterator[dict[str, Any]]:
    for line in _BUCKETS:
        for system, (bound, cumulative, number, cumulative_pct, pct) in zip(("SYS1", "SYS2"), line, strict=True):
            row = _SBATPMD | {"system": system, "transactions": number, "transactions_cumulative": cumulative}
            row |= {"pct": pct, "cumulative_pct": cumulative_pct, "occurrence": 1}
            yield row if bound is None else row | {"upper_bound_s": bound}


# States of a line as printed from left to right, what WAITING FOR holds between IDLE and LOCAL.
_LINES = (
    ("BTE", (0.0, 0.0, 0.0, 0.0, 0.0), {"TYP1": 0.0}),
    ("EXE", (95.7, 0.5, 74.7, 0.0, 0.0), {"TYP1": 24.9}),
    ("BTE", (0.0, 26.9, 0.0, 0.0, 0.0), {"TYP4": 65.4, "REGT": 3.8, "LOCL": 3.8}),
    ("EXE", (0.0, 0.0, 0.0, 0.0, 0.0), {"TYP4": 0.0, "REGT": 0.0, "LOCL": 0.0}),
    ("BTE", (0.0, 100.0, 0.0, 0.0, 0.0), {}),
    ("EXE", (0.0, 0.0, 0.0, 0.0, 0.0), {}),
)
_STATES = (("", "TIME (%)"), ("ACTIVE", "SUB"), ("ACTIVE", "APPL"), ("", "READY"), ("", "IDLE"))


def _states() -> Iterator[dict[str, Any]]:
    for phase, values, waiting in _LINES:
        cells = [*zip(_STATES, values, strict=True), *((("WAITING FOR", k), v) for k, v in waiting.items())]
        cells += [(("SWITCHED SAMPL(%)", where), 0.0) for where in ("LOCAL", "SYSPL", "REMOT")]
        for (group, state), pct in cells:
            yield {"subsystem": "CB", "phase": phase, "state_group": group, "state": state, "pct": pct}


def _counters(block: str, rows: tuple[tuple[str, dict[str, Any]], ...]) -> list[dict[str, Any]]:
    named = {"block": block, "is_total": False, "occurrence": 1}
    return [named | {"counter": label, "label_path": label} | values for label, values in rows]


_NOT_PRESENT = {"null_reason": "N/P"}
MUST_GIVE: dict[str, dict[str, list[dict[str, Any]]]] = {
    OS390: {
        ACTIVITY: [
            {
                "class_kind": "service_class",
                "policy": "POLICY1",
                "workload": "BATCH",
                "service_class": "HOTBATCH",
                "transactions_avg": 23.03,
                "transactions_mpl": 23.03,
                "transactions_ended": 6,
                "transactions_per_s": 0.0,
                "swaps": 13,
                "transactions_executed": 0,
                "actual_time_s": 3.883,
                "execution_time_s": 3.312,
                "queued_time_s": 0.571,
                "rs_affinity_time_s": 0.0,
                "conversion_time_s": 0.31,
                "ineligible_time_s": 0.0,
                "time_stddev_s": 6.617,
            }
        ]
    },
    WAS: {
        ACTIVITY: [
            {
                "transactions_avg": 1.0,
                "transactions_mpl": 1.0,
                "transactions_ended": 0,
                "transactions_per_s": 0.0,
                "actual_time_s": 0.0,
                "execution_time_s": 0.0,
                "queued_time_s": 0.0,
                "rs_affinity_time_s": 0.0,
                "ioc_service": 0,
                "cpu_service": 522567,
                "mso_service": 10159000,
                "absorption_rate": 89615.0,
                "transaction_service_rate": 89615.0,
                "cpu_time_s": 39.9,
            }
        ]
    },
    STATES: {BREAKDOWN: list(_states())},
    # Right of a value with a K the line is one column to the left of its heading: nothing is read there, nor where the last
    # column turns into PAGE-IN RATES.
    VELOCITY: {
        ACTIVITY: [
            {
                **_SBATPMD,
                "importance": 4,
                "importance_printed": "4",
                "critical": "NONE",
                "transactions_avg": 1.7,
                "transactions_mpl": 1.7,
                "transactions_ended": 44,
                "transactions_per_s": 0.05,
                "swaps": 2,
                "transactions_executed": 0,
                "enclaves_avg": 0.0,
                "enclaves_remote_avg": 0.0,
                "enclaves_multisystem_avg": 0.0,
                # 4.06.826 and 3.36.554 and 5.35.053: minutes, seconds, milliseconds
                "actual_time_s": 246.826,
                "execution_time_s": 28.632,
                "queued_time_s": 1.639,
                "rs_affinity_time_s": 0.0,
                "ineligible_time_s": 216.554,
                "conversion_time_s": 0.047,
                "time_stddev_s": 335.053,
                "ssch_per_s": 1467.0,
                "dasd_response_ms": 0.1,
                "dasd_connect_ms": 0.0,
                "dasd_disconnect_ms": 0.1,
                "dasd_qpend_ms": 0.1,
                "dasd_iosq_ms": 0.0,
                "ioc_service": 133593,
                "mso_service": 0,
                "srb_service": 236535,
                "absorption_rate": 1396.0,
                "transaction_service_rate": 1396.0,
                "cpu_time_s": 64.577,
                "rct_time_s": 0.007,
                "iit_time_s": 7.204,
                "iip_time_s": 0.0,
                "appl_cp_pct": 8.94,
                "appl_iipcp_pct": 0.0,
                "promoted_blk_s": 0.0,
                "promoted_crm_s": 0.0,
                "promoted_lck_s": 1.617,
                "storage_avg_frames": 1217.86,
                "storage_shared_frames": 11.66,
            }
        ],
        GOAL: [
            _GOAL_20
            | {"system": system, "is_total": system == "*ALL", "velocity_pct": velocity}
            | {"performance_index": index, "address_spaces_avg": spaces}
            | {"velocity_io_management_pct": 81.2, "velocity_init_management_pct": 78.2}
            for system, velocity, index, spaces in (
                ("*ALL", 81.2, 0.2, 1.8),
                ("SYS1", 82.9, 0.2, 0.7),
                ("SYS2", 71.2, 0.3, 1.1),
            )
        ],
        DELAY: list(_delays()),
        BUCKET: list(_buckets()),
    },
    MOBILE: {
        ACTIVITY: [
            {
                **_CICSLOW,
                "critical": "CPU",
                "description": "Low priority for CICS workloads",
                "transactions_avg": 0.0,
                "transactions_mpl": 0.0,
                "transactions_ended": 626,
                "transactions_per_s": 0.7,
                "swaps": 0,
                "transactions_executed": 15836,
                "enclaves_avg": 0.0,
                "enclaves_remote_avg": 0.0,
                "enclaves_multisystem_avg": 0.0,
                "transaction_appl_total_cp_pct": 15.3,
                "transaction_appl_total_on_cp_pct": 0.0,
                "transaction_appl_total_ziip_pct": 29.5,
                "transaction_appl_mobile_cp_pct": 13.4,
                "transaction_appl_mobile_on_cp_pct": 0.0,
                "transaction_appl_mobile_ziip_pct": 20.46,
                "actual_time_s": 0.0,
                "execution_time_s": 0.002,
                "queued_time_s": 0.0,
                "rs_affinity_time_s": 0.0,
                "ineligible_time_s": 0.0,
                "conversion_time_s": 0.0,
                "time_stddev_s": 0.0,
            }
        ],
        GOAL: [
            _CICSLOW | {"system": system, "is_total": total, "actual_pct": 100.0, "performance_index": 0.5}
            for system, total in (("*ALL", True), ("CB8B", False))
        ],
    },
    POLICY_BOOST: {
        POLICY: [
            {
                **_HEADER_19,
                "service_definition": "SYSTEST",
                "installed_by": "SETUP",
                "installed_at_printed": "05/14/2019 10.14.44",
                "service_definition_description": "BASEPOL from ...DEF.IOSPLEX",
                "policy": "BASEPOL",
                "policy_description": "BASEPOL from ...DEF.IOSPLEX",
                "discretionary_goal_management": "YES",
                "dynamic_alias_management": "YES",
                "io_priority_management": "YES",
                "norm_factor_aap": 1.0,
                "norm_factor_iip": 1.0,
                "coefficient_ioc": 0.1,
                "coefficient_cpu": 99.9,
                "coefficient_srb": 0.1,
                "coefficient_mso": 0.0001,
            }
        ],
        SYSTEM: [
            {
                **_HEADER_19,
                "system": "R75",
                "opt": "AA",
                "su_per_s": 53156.1,
                "capacity_pct": 171.0,
                # 00.14.59 is 899 s
                "system_time": "03.30.00",
                "system_interval_s": 899.0,
                "boost": "A Shutdown",
            }
        ],
    },
    POOL: {
        ACCOUNTING: _counters(
            "BP2",
            (
                ("BPOOL HIT RATIO (%)", {"total": 0.0}),
                ("GETPAGES", {"total": 5835348.0}),
                ("BUFFER UPDATES", {"total": 0.0}),
                ("SYNCHRONOUS WRITE", {"total": 0.0}),
                ("SYNCHRONOUS READ", {"total": 18796.0}),
                ("SEQ. PREFETCH REQS", {"total": 163939.0}),
                ("LIST PREFETCH REQS", {"total": 0.0}),
            ),
        )
    },
    DDF: {
        STATISTICS: _counters(
            "GLOBAL DDF ACTIVITY",
            (
                ("DBAT QUEUED-MAXIMUM ACTIVE", _NOT_PRESENT),
                ("CONV.DEALLOC-MAX.CONNECTED", _NOT_PRESENT),
                ("INACTIVE DBATS - CURRENTLY", _NOT_PRESENT),
                ("INACTIVE DBATS - HWM", _NOT_PRESENT),
                ("ACTIVE DBATS - CURRENTLY", _NOT_PRESENT),
                ("COLD START CONNECTIONS", _NOT_PRESENT),
                ("WARM START CONNECTIONS", _NOT_PRESENT),
            ),
        )
    },
}
CASES = [(name, table) for name, tables in MUST_GIVE.items() for table in tables]


def _ordered(rows: list[dict[str, Any]]) -> list[list[tuple[str, Any]]]:
    return sorted((sorted(row.items()) for row in rows), key=str)


@pytest.mark.parametrize(("name", "table"), CASES)
def test_every_value_of_published_pages_is_as_printed(name: str, table: str) -> None:
    assert _ordered(printed(name, table)) == _ordered(MUST_GIVE[name][table])


@EVERY
def test_published_pages_give_no_other_rows_and_no_rejects(name: str) -> None:
    tables = tables_of(name)
    filled = {t for t, rows in tables.items() if rows.height} - {"cell_null", "parse_reject"}
    assert filled == set(MUST_GIVE[name])
    assert tables["parse_reject"].height == EDITED.get(name, 0), tables["parse_reject"]["what"].to_list()


def test_moved_cells_of_the_edited_page_are_rejects() -> None:
    """Each cell right of 1770K, of 2140K and of the line below, and what stands below the lost title PAGE-IN RATES."""
    rejects = tables_of(VELOCITY)["parse_reject"].select("line", "what").rows()
    into = "a value extends into column "
    groups = ("SERVICE TIME", "APPL %", "PROMOTED", "STORAGE")
    assert rejects == [
        *((line, into + group) for line in (5, 8) for group in groups),
        *((9, into + group) for group in ("SERVICE TIME", "APPL %", "STORAGE")),
        (10, "unknown label under STORAGE"),
        (11, into + "STORAGE"),
        (12, "unknown label under STORAGE"),
    ]


def test_why_a_minute_has_no_value_is_kept() -> None:
    """N/P four times or N/P, N/A twice or thrice: 7 rows of 4 columns."""
    nulls = tables_of(DDF)["cell_null"].select("line", "column", "reason").rows()
    of_minute = {line: reason for line, column, reason in nulls if column == "per_minute"}
    assert of_minute == {3: "N/P", 4: "N/P", 5: "N/A", 6: "N/A", 7: "N/A", 8: "N/P", 9: "N/P"}
    assert not [column for _, column, _ in nulls if column == "per_second"]
    assert len(nulls) == 28


# --- The same page elsewhere on the paper --------------------------------------------------------------------------------------


def _rows(values: list[str]) -> list[str]:
    return [value for value in values if '"parse_reject"' not in value]


@EVERY
@pytest.mark.parametrize("columns", some([1, 2, 5], 3))
def test_left_margin_changes_nothing(name: str, columns: int) -> None:
    text = path_of(name).read_text()
    assert _rows(values_of(with_margin(text, columns))) == _rows(values_of(text))


@EVERY
def test_lost_margin_changes_nothing(name: str) -> None:
    text = path_of(name).read_text()
    assert _rows(values_of(without_margin(text))) == _rows(values_of(text))


@EVERY
def test_carriage_control_changes_nothing(name: str) -> None:
    """Two pages with control characters: enough of them to be seen as such."""
    text = path_of(name).read_text()
    lines = text.splitlines()
    page = "".join(("1" if k == 0 else " ") + line + "\n" for k, line in enumerate(lines))
    once, twice = tables_of(name), read_text(page + page)
    for table in MUST_GIVE[name]:
        assert twice[table].height == 2 * once[table].height
        places = ["page", "line", "source_id"]
        half = twice[table].filter(twice[table]["page"] == 1)
        assert half.drop(places).equals(once[table].drop(places))


@pytest.mark.slow
@EVERY
def test_a_lost_line_gives_no_other_number(name: str) -> None:
    """Without any one of its lines, a page gives rows that the whole page has, or rows with less in them."""
    lines = path_of(name).read_text().splitlines()
    whole = {table: [dict(row) for row in printed(name, table)] for table in MUST_GIVE[name]}
    for lost in range(len(lines)):
        if not lines[lost].strip():
            continue
        tables = read_text("\n".join([*lines[:lost], *lines[lost + 1 :]]) + "\n")
        for table, rows in whole.items():
            if table not in tables:
                continue
            for row in tables[table].iter_rows(named=True):
                kept = {k: plain(v) for k, v in row.items() if v is not None and k not in DERIVED}
                kept = {k: v for k, v in kept.items() if not k.endswith("_resolution")}
                assert any(kept.items() <= r.items() for r in rows), (lost, lines[lost], kept)
