"""The parsers read from printed contents the same numbers, to the printed digit."""

import ast
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import ironlake.pipeline.synthesis
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ironlake.pipeline.synthesis.contents import (
    Goal,
    Intervals,
    Period,
    PolicySystem,
    ReportClass,
    ServiceClass,
    ServicePolicy,
    Work,
    WorkloadActivity,
    add,
)
from ironlake.pipeline.synthesis.pages import Paper
from ironlake.pipeline.synthesis.printers.workload import layout_of, print_workload
from printed import SETTINGS, Numbers, assert_printed, last_digit, last_suffixed, read
from random_workloads import random_period, random_work, workloads

SYNTHESIS = Path(ironlake.pipeline.synthesis.__path__[0])
MODULES = sorted(p for p in SYNTHESIS.rglob("*.py"))
PAPERS = st.builds(Paper, asa=st.booleans(), ebcdic=st.booleans(), page_lines=st.sampled_from([58, 60, 90]))


def test_printers_share_no_code_with_what_reads_reports() -> None:
    """Modules of synthesis import one another and nothing else of Ironlake, the model's own reading of YAML apart."""
    assert len(MODULES) > 8
    for path in MODULES:
        if path.parent == SYNTHESIS and path.stem not in ("numbers", "pages"):
            continue
        depth = len(path.relative_to(SYNTHESIS).parts)
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert node.level <= depth, f"{path.name} imports from outside of synthesis"
                assert node.level or (node.module or "").split(".")[0] != "ironlake", path.name
            if isinstance(node, ast.Import):
                assert not any(name.name.startswith("ironlake") for name in node.names), path.name


# --- Workload activity ------------------------------------------------------------------------------------------------

_WHOLE = {"ended": "transactions_ended", "swaps": "swaps", "executed": "transactions_executed"}
_TIMES = {
    "actual_s": "actual_time_s",
    "execution_s": "execution_time_s",
    "queued_s": "queued_time_s",
    "affinity_s": "rs_affinity_time_s",
    "ineligible_s": "ineligible_time_s",
    "conversion_s": "conversion_time_s",
    "deviation_s": "time_stddev_s",
}
_SECONDS = {f"{kind}_s": f"{kind}_time_s" for kind in ("cpu", "srb", "rct", "iit", "hst", "iip")}
_SECONDS |= {f"{kind}_s": f"promoted_{kind}_s" for kind in ("blk", "enq", "crm", "lck", "sup")}


def expected_block(report: WorkloadActivity, work: Work, at: int, first_only: bool) -> dict[str, tuple[float, float]]:
    """The columns of a data block of interval `at`, each with the worth of its last printed digit."""
    layout = layout_of(report.printed_by or report.release)
    length = float(report.intervals.printed_s[at])

    def of(value: Any) -> float:
        return float(np.broadcast_to(np.asarray(value, float), len(report.intervals))[at])

    out: dict[str, tuple[float, float]] = {}

    def fixed(column: str, value: Any, width: int, decimals: int) -> None:
        out[column] = of(value), last_digit(of(value), width, decimals)

    def suffixed(column: str, value: float, digits: int) -> None:
        out[column] = value, last_suffixed(value, digits)

    for name, column in _WHOLE.items():
        out[column] = of(getattr(work, name)), 0
    for name, column in _TIMES.items():
        if layout != "G1" or name in ("actual_s", "execution_s", "queued_s", "deviation_s"):
            out[column] = of(getattr(work, name)), 1e-6 if layout == "G3" else 1e-3
    fixed("transactions_avg", work.avg, 7, 2)
    fixed("transactions_mpl", work.mpl, 7, 2)
    fixed("transactions_per_s", of(work.ended) / length, 7, 2)
    if layout == "G3" or (layout == "G2" and report.transaction_appl):
        time = work.transaction_time(report.policy.norm_factor_iip)
        for category, one in {"total": time, "mobile": work.mobile}.items():
            for part, value in (("cp", one.cp_s), ("on_cp", one.on_cp_s), ("ziip", one.specialty_s)):
                fixed(f"transaction_appl_{category}_{part}_pct", of(value) * 100 / length, 6, 2)
    if first_only:
        return out
    digits, rate_digits = {"G1": (8, 6), "G2": (6, 4), "G3": (6, 6)}[layout]
    units = {name: of(getattr(work, name)) for name in ("ioc", "cpu", "mso", "srb")}
    for name, value in units.items():
        suffixed(f"{name}_service", value, digits)
    rate = sum(units.values()) / length
    suffixed("total_service", sum(units.values()), digits)
    cut = math.floor if layout == "G1" else float
    suffixed("service_per_s", cut(rate), 6)
    suffixed("absorption_rate", cut(rate / of(work.mpl)), rate_digits)
    suffixed("transaction_service_rate", cut(rate / of(work.avg)) if of(work.avg) else 0, rate_digits)
    width = 7 if layout == "G1" else 8
    fixed("storage_total_frames", work.frames, width, 2)
    fixed("storage_avg_frames", of(work.frames) / of(work.mpl), width, 2)
    fixed("page_in_single_per_s", work.page_in_single_per_s, 6, 2 if layout == "G1" else 1)
    if layout == "G1":
        fixed("cpu_time_s", work.cpu_s, 8, 1)
        fixed("appl_tcb_srb_pct", (of(work.cpu_s) + of(work.srb_s)) * 100 / length, 7, 1)
        return out
    for name, column in _SECONDS.items():
        fixed(column, getattr(work, name), 8, 3)
    cp = sum(of(getattr(work, f"{kind}_s")) for kind in ("cpu", "srb", "rct", "iit", "hst"))
    fixed("appl_cp_pct", (cp - report.policy.norm_factor_iip * of(work.iip_s)) * 100 / length, 7, 2)
    fixed("appl_iip_pct", of(work.iip_s) * 100 / length, 7, 2)
    fixed("appl_iipcp_pct", of(work.iipcp_s) * 100 / length, 6, 2)
    for column, name in (("ssch_per_s", "ssch_per_s"), ("dasd_connect_ms", "connect_ms"), ("dasd_iosq_ms", "iosq_ms")):
        fixed(column, getattr(work, name), 5, 1)
    parts = (work.connect_ms, work.disconnect_ms, work.qpend_ms, work.iosq_ms)
    fixed("dasd_response_ms", sum(of(part) for part in parts), 5, 1)
    fixed("storage_shared_frames", work.shared_frames, 8, 2)
    fixed("enclaves_avg", work.enclaves, 6, 2)
    return out


def printed_blocks(report: WorkloadActivity) -> dict[tuple[Any, ...], tuple[Work, bool]]:
    """The blocks that a report prints, by kind, workload, class and period."""
    g1 = layout_of(report.release) == "G1"
    blocks: dict[tuple[Any, ...], tuple[Work, bool]] = {}
    if not g1 and "policy" in report.sections:
        blocks["policy", None, None, None] = add([one.work for one in report.classes]), False
    for one in report.classes:
        if not g1 and "workload" in report.sections:
            same = [other.work for other in report.classes if other.workload == one.workload]
            blocks["workload", one.workload, None, None] = add(same), False
        if not g1 and "class" in report.sections:
            blocks["service_class", one.workload, one.name, None] = one.work, False
        for period in one.periods if "period" in report.sections else ():
            blocks["service_class_period", one.workload, one.name, period.number] = period.work, one.transactions_only
    for one in report.report_classes if "report" in report.sections else ():
        blocks["report_class", None, one.name, None] = one.work, bool(one.tenant)
    return blocks


@SETTINGS
@given(report=workloads(), paper=PAPERS)
def test_workload_activity_is_read_as_it_was_filled(report: WorkloadActivity, paper: Paper) -> None:
    tables = read(print_workload(report, paper))
    starts = report.intervals.start.astype("datetime64[us]").tolist()
    rows = tables["rmf_workload_activity"].rows(named=True)
    found = {
        (
            row["interval_start"],
            row["class_kind"],
            row["workload"],
            row["service_class"] or row["report_class"],
            row["period"],
        ): row
        for row in rows
    }
    blocks = printed_blocks(report)
    assert len(found) == len(rows) == len(blocks) * len(starts)
    for at, start in enumerate(starts):
        for key, (work, first_only) in blocks.items():
            row = found[start, *key]
            if row["all_data_zero"]:
                assert not np.any(np.broadcast_to(work.cpu_s, len(starts))[at])
                continue
            assert_printed(row, expected_block(report, work, at, first_only), (start, key))
    assert rows[0]["sysplex"] == "PLEX1"
    assert rows[0]["interval_s"] == pytest.approx(float(report.intervals.printed_s[0]), abs=1e-9)
    _assert_goals(report, tables)
    if layout_of(report.release) != "G1":
        systems = tables["rmf_service_policy_system"]
        assert set(systems["system"]) == {one.name for one in report.policy.systems}
        assert set(systems["su_per_s"]) == {91954.0}
        assert set(tables["rmf_service_policy"]["norm_factor_iip"]) == {report.policy.norm_factor_iip}


def _assert_goals(report: WorkloadActivity, tables: dict[str, Any]) -> None:
    """Goal rows, delays and distributions."""
    g1 = layout_of(report.release) == "G1"
    seen = 0
    goals = {
        (r["interval_start"], r["service_class"], r["period"], r["system"]): r
        for r in tables["rmf_workload_goal"].rows(named=True)
    }
    delays = {
        (r["interval_start"], r["service_class"], r["period"], r["system"], r["reason"]): r["pct"]
        for r in tables["rmf_workload_delay"].rows(named=True)
        if r["delay_group"].startswith("EXEC") and "DELAY" in r["delay_group"]
    }
    buckets: dict[Any, list[int]] = {}
    for r in tables["rmf_response_time_distribution"].rows(named=True):
        buckets.setdefault((r["interval_start"], r["service_class"], r["period"], r["system"]), []).append(
            r["transactions"]
        )
    for at, start in enumerate(report.intervals.start.astype("datetime64[us]").tolist()):
        for one in report.classes:
            for period in one.periods:
                if period.work.ended[at] == 0 and not period.work.cpu_s[at]:  # pyright: ignore[reportIndexIssue]
                    continue
                for row in (period.everywhere,) if g1 else (period.everywhere, *period.systems):
                    key = (start, one.name, period.number, row.system)
                    found = goals[key]
                    seen += 1
                    assert found["goal_type"] == period.goal.kind
                    if period.goal.kind == "average":
                        value = float(np.asarray(row.actual_s)[at])
                        assert found["actual_s"] == pytest.approx(value, abs=5.1e-4)
                    if period.goal.kind == "percentile":
                        assert found["actual_pct"] == pytest.approx(
                            row.within_goal()[at], abs=0.0501 if row.within_goal()[at] < 99.9 else 0.5
                        )
                    if one.transactions_only:
                        continue
                    assert found["velocity_pct"] == pytest.approx(
                        row.velocity[at], abs=0.0501 if row.velocity[at] < 99.9 else 0.5
                    )
                    for title, value in row.delays.items():
                        digit = 0.1 if value[at] < 9.9 or g1 else 1  # pyright: ignore[reportIndexIssue]
                        assert delays[*key, title] == pytest.approx(value[at], abs=digit * 0.501)  # pyright: ignore[reportIndexIssue]
                _assert_buckets(period, at, buckets, (start, one.name, period.number), g1)
    assert seen


def _assert_buckets(period: Period, at: int, found: dict[Any, list[int]], key: tuple[Any, ...], g1: bool) -> None:
    counts = period.everywhere.buckets
    assert counts is not None
    if (
        not counts[at].sum()
        or period.goal.kind in ("discretionary", "system")
        or (g1 and period.goal.kind != "average")
    ):
        assert not any(k[:3] == key for k in found)
    elif g1:
        assert found[*key, None] == [
            counts[at, 0],
            counts[at, 1:6].sum(),
            counts[at, 6:12].sum(),
            counts[at, 12:].sum(),
        ]
    elif period.goal.kind == "velocity":
        for one in period.systems:
            assert one.buckets is not None
            assert found[*key, one.system] == one.buckets[at].tolist()
    else:
        assert found[*key, None] == counts[at].tolist()


def test_a_goal_that_old_pages_are_not_known_to_print_is_refused() -> None:
    numbers = Numbers(1, 1)
    period = random_period(numbers, "G1", 1, Goal("percentile", 0.5, 90), ["SYSA"])
    policy = ServicePolicy("P", np.datetime64("1996-01-01T00:00:00"), (PolicySystem("SYSA", 5000.0),))
    report = WorkloadActivity(
        "PLEX1", "SP5.1.0", Intervals(numbers.starts(), 900), policy, (ServiceClass("TSO", "TSO", (period,)),)
    )
    with pytest.raises(ValueError, match="percentile goal"):
        print_workload(report)
    print_workload(replace(report, release="V2R2"))


def test_intervals_of_different_shape_stay_in_order() -> None:
    """A class without work for an interval prints ALL DATA ZERO there, and pages shorten; page numbers begin at 1."""
    numbers = Numbers(3, 3)
    work = random_work(numbers, "G2")
    quiet = np.array([1, 0, 1])
    some = Work(**{name: getattr(work, name) * quiet for name in ("avg", "mpl", "ended", "cpu_s", "srb_s", "frames")})
    policy = ServicePolicy("P", np.datetime64("2024-01-01T00:00:00"), (PolicySystem("SYSA", 5000.0),))
    report = WorkloadActivity(
        "PLEX1", "V2R2", Intervals(numbers.starts(), 900), policy, (), (ReportClass("R1", some),), frozenset({"report"})
    )
    tables = read(print_workload(report))
    rows = tables["rmf_workload_activity"].sort("line")
    assert rows["all_data_zero"].to_list() == [None, True, None]
    assert rows["interval_start"].is_sorted()
    assert b"PAGE   3" not in print_workload(report)
