"""Views over the coupling facility: what goes in, what must come out, worked by hand."""

import datetime as dt
from collections.abc import Mapping

import pytest
from db2_rows import GBP6, counter_rows
from one_lake import Asks, CaseLake
from rmf_rows import structure
from sample_pages import sample, sample_tables
from views_lake import START, MemoryLake, Row, expect, heading, lake_of, one_row, sample_rows, span


@pytest.mark.parametrize(
    ("values", "engines", "reason"),
    [
        ({"requests": 0, "requests_per_s": 0.0, "sync_requests": 0, "sync_service_us": None}, 0, None),
        ({"sync_service_us": None}, None, "rate or service time not printed"),
    ],
)
def test_an_idle_structure_costs_nothing_and_one_of_unknown_time_is_not_known(
    values: Row, engines: float | None, reason: str | None
):
    row = one_row((yield {"rmf_cf_structure_activity": [structure(**values)]}), "SELECT * FROM cf_host_cost")
    assert (row["engines"], row["host_cpu_pct"], row["null_reason"]) == (engines, engines, reason)


def test_contention_is_of_the_lock_requests_and_has_bounds():
    row = one_row((yield {"rmf_cf_structure_activity": [structure()]}), "SELECT * FROM lock_contention")
    expect(row, contention_pct=pytest.approx(1.78, abs=0.005), contention_lower_pct=pytest.approx(515 / 295))
    expect(row, contention_upper_pct=pytest.approx(515 / 285), false_contention_pct=pytest.approx(0.69, abs=0.005))
    expect(row, false_of_contention_pct=pytest.approx(38.64, abs=0.005))


def test_no_lock_request_no_contention():
    idle = structure(contention_requests=0, contention_total=0, contention_false=0)
    other = structure(system="SYS2", contention_requests=None, line=30)
    row = one_row((yield {"rmf_cf_structure_activity": [idle, other]}), "SELECT * FROM lock_contention")
    assert (row["system"], row["contention_pct"], row["false_of_contention_pct"]) == ("SYS1", None, None)
    assert (row["contention_lower_pct"], row["contention_upper_pct"]) == (None, None)


def test_a_window_weights_times_by_requests_and_rates_by_time():
    """100 requests of 10 us (deviation 0) in 2 minutes, 300 of 30 us in 4: 25 us, and a deviation of 8.66 us."""
    short = structure(0, requests=100, requests_per_s=0.833, sync_requests=100, sync_service_us=10.0)
    long = structure(2, requests=300, requests_per_s=1.25, sync_requests=300, sync_service_us=30.0, line=50)
    long |= {"interval_s": 240.0, "interval_end": START + dt.timedelta(minutes=6)}
    lake = yield {"rmf_cf_structure_activity": [r | {"sync_service_stddev_us": 0.0} for r in (short, long)]}
    row = one_row(lake, "SELECT * FROM cf_structure_window WHERE window_kind = 'hour'")
    expect(row, window_start=START, window_end=START + dt.timedelta(hours=1), window_s=3600.0, covered_s=360.0)
    expect(row, intervals=2, requests=400, sync_service_us=25.0, sync_service_stddev_us=pytest.approx(75**0.5))
    expect(row, requests_per_s=pytest.approx((0.833 * 120 + 1.25 * 240) / 360), sync_pct=100.0, async_pct=0.0)
    expect(row, async_service_us=None)
    assert [ref["line"] for ref in row["refs"]] == [10, 50]
    own = one_row(
        lake,
        "SELECT sum(sync_service_total_us) / sum(sync_requests) AS us FROM cf_structure_window"
        " WHERE window_kind = 'interval'",
    )
    assert own["us"] == 25.0
    assert (
        one_row(lake, "SELECT sync_service_us AS us FROM cf_structure_window WHERE window_kind = 'day'")["us"] == 25.0
    )


def test_a_window_with_a_cell_that_is_not_printed_is_not_known():
    lake = yield {"rmf_cf_structure_activity": [structure(), structure(2, sync_service_us=None, line=50)]}
    row = one_row(lake, "SELECT * FROM cf_structure_window WHERE window_kind = 'hour'")
    assert (row["sync_service_us"], row["sync_requests"]) == (None, 60000)


def test_totals_duration_reports_and_copies_are_not_added():
    rows = [structure(), structure(source_id="s2"), structure(is_total=True, system=None, line=60)]
    rows.append(structure(report_kind="duration", line=70))
    row = one_row(
        (yield {"rmf_cf_structure_activity": rows}), "SELECT * FROM cf_structure_window WHERE window_kind = 'day'"
    )
    assert (row["requests"], row["intervals"], row["is_conflicting"], len(row["refs"])) == (30179, 1, False, 2)


def test_an_interval_within_another_is_not_added():
    inside = structure(1, interval_end=START + dt.timedelta(minutes=2), interval_s=60.0, line=50)
    lake = yield {"rmf_cf_structure_activity": [structure(), inside]}
    row = one_row(lake, "SELECT * FROM cf_structure_window WHERE window_kind = 'hour'")
    assert (row["requests"], row["intervals"], row["intervals_left_out"]) == (30179, 1, 1)


def test_accesses_of_a_group_are_its_locks_and_group_buffer_pools():
    """The structures of DSNDB2U1 on two published pages of one interval, here of one system."""
    rates = {"LOCK1": 154.28, "SCA": 0.4, "GBP0": 0.11, "GBP1": 107.58, "GBP2": 63.36}
    rows = [
        structure(structure_name=f"DSNDB2U1_{name}", requests_per_s=rate, line=n)
        for n, (name, rate) in enumerate(rates.items(), 10)
    ]
    rows.append(structure(structure_name="IXCXC", requests_per_s=7.7, line=30))
    rows.append(structure(structure_name="DSNDB2U1_GBP1", cf_name="CF2", status="ACTIVE SECONDARY", line=31))
    row = one_row((yield {"rmf_cf_structure_activity": rows}), "SELECT * FROM cf_access_rate")
    expect(row, db2_group="DSNDB2U1", lock_per_s=154.28, sca_per_s=0.4, gbp_per_s=pytest.approx(171.05))
    expect(row, accesses_per_s=pytest.approx(325.33), secondary_per_s=251.5, structures=6)


def test_accesses_that_db2_counts_stand_beside_requests_that_rmf_counts():
    gbp = {"structure_name": "DSNDB2I1_GBP6", "structure_type": "CACHE", "contention_requests": None}
    counters = {"db2_statistics_counter": counter_rows(GBP6)}
    structures = {
        "rmf_cf_structure_activity": [
            structure(4, requests=316, requests_per_s=2.63, **gbp),
            structure(4, system="SYS2", requests=244, requests_per_s=2.03, line=20, **gbp),
            structure(30, requests_per_s=99.0, line=30, **gbp),
            structure(4, line=60, **(gbp | {"structure_name": "OTHER_GBP6"})),
            structure(4, cf_name="CF2", status="ACTIVE SECONDARY", requests_per_s=1.0, line=40, **gbp),
        ],
    }
    lake, of_db2 = yield [counters | structures, counters]
    first, second = lake.rows("SELECT * FROM gbp_rmf_reconciliation ORDER BY system")
    assert (first["system"], first["rmf_requests_per_s"], first["covered_s"]) == ("SYS1", pytest.approx(2.63), 120.0)
    assert first["accesses_per_s"] == first["group_accesses_per_s"] == pytest.approx(3.485)
    assert first["rmf_less_db2_per_s"] == pytest.approx(-0.855)
    assert second["rmf_requests_per_s"] == pytest.approx(2.03)
    assert first["rmf_structure_per_s"] == second["rmf_structure_per_s"] == pytest.approx(4.66)
    assert first["structure_match"] == "group"
    alone = one_row(of_db2, "SELECT system, accesses_per_s FROM gbp_rmf_reconciliation")
    assert alone == {"system": None, "accesses_per_s": pytest.approx(3.485)}


def test_structures_of_one_name_in_two_sysplexes_do_not_add():
    """2.63 and 2.03/s in PLEX1, 40 and 60/s in PLEX2, of systems and a facility of the same names. The group of another location has 2,091
    accesses in 600 s as well: 3.485/s of each, not 6.97."""
    gbp = {"structure_name": "DSNDB2I1_GBP6", "structure_type": "CACHE", "contention_requests": None}
    rows = [
        structure(requests_per_s=per_s, sysplex=sysplex, system=system, line=n, **gbp) | span(0, 600)
        for n, (sysplex, system, per_s) in enumerate(
            (("PLEX1", "SYS1", 2.63), ("PLEX1", "SYS2", 2.03), ("PLEX2", "SYS1", 40.0), ("PLEX2", "SYS2", 60.0))
        )
    ]
    lake = yield {
        "db2_statistics_counter": [*counter_rows(GBP6), *counter_rows(GBP6, location="M", source_id="s2")],
        "rmf_cf_structure_activity": rows,
    }
    found = lake.rows(
        "SELECT location, sysplex, system, group_accesses_per_s AS db2, rmf_structure_per_s AS rmf FROM gbp_rmf_reconciliation ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in found] == [
        (location, sysplex, system, pytest.approx(3.485), pytest.approx(rmf))
        for location in "LM"
        for sysplex, rmf in (("PLEX1", 4.66), ("PLEX2", 100))
        for system in ("SYS1", "SYS2")
    ]
    # Which of them is Db2's is not known: nothing disagrees.
    assert lake.rows("FROM reports_disagree") == []


def test_accesses_of_a_report_of_the_group_stand_beside_requests_too():
    """2,091 accesses of DB2A in its own report, and 2,091 of DB2B in that of the group, which has those of DB2A again; in 600 s."""
    of_group = {"scope": "group_member", "subsystem": None, "location": "L", "source_id": "s2"}
    rows = [
        *counter_rows(GBP6),
        *counter_rows(GBP6, **of_group),
        *counter_rows(GBP6, **(of_group | {"member": "DB2B"})),
    ]
    found = (yield {"db2_statistics_counter": rows}).rows(
        "SELECT member, accesses_per_s, group_accesses_per_s FROM gbp_rmf_reconciliation ORDER BY member"
    )
    assert [row["member"] for row in found] == ["DB2A", "DB2B"]
    assert [row["accesses_per_s"] for row in found] == pytest.approx([3.485, 3.485])
    assert [row["group_accesses_per_s"] for row in found] == pytest.approx([6.97, 6.97])


def test_coupling_facility_off_the_sample_page():
    lake = yield sample_rows("cf_structures_mvs_1996", "rmf_cf_structure_activity")
    row = one_row(lake, "SELECT * FROM lock_contention")
    assert (row["system"], row["contention_requests"], row["contention_deferred"]) == ("SYS1", 29000, 517)
    assert row["contention_pct"] == pytest.approx(515 / 290)
    assert row["contention_upper_pct"] - row["contention_lower_pct"] == pytest.approx(0.0613, abs=1e-4)
    cost = one_row(lake, "SELECT * FROM cf_host_cost WHERE structure_type = 'LOCK'")
    assert cost["host_cpu_pct"] == pytest.approx(3.78256)
    rates = lake.rows("SELECT system, gbp_per_s, lock_per_s FROM cf_access_rate ORDER BY db2_group, system")
    assert [tuple(row.values()) for row in rates] == [("SYS1", None, 251.5), ("SYS1", 2.63, None), ("SYS2", 2.03, None)]
    window = one_row(
        lake,
        "SELECT sum(requests) AS requests, sum(requests_per_s) AS per_s FROM cf_structure_window"
        " WHERE window_kind = 'hour' AND structure_name = 'DSNDB2I1_GBP6'",
    )
    assert (window["requests"], window["per_s"]) == (560, pytest.approx(4.66))


def test_structures_of_another_name_are_candidates_off_the_sample_pages():
    """The group prints as DBGA, the structure as DSNDB2I1_GBP6: 3.485/s of Db2 beside 2.63 and 2.03/s of RMF."""
    db2, rmf = "db2_statistics_counter", "rmf_cf_structure_activity"
    lake = yield {
        "db2_statistics_counter": sample_tables(sample("statistics_equations_of_db2pm"))[db2].to_dicts(),
        "rmf_cf_structure_activity": sample_tables(sample("cf_structures_mvs_1996"))[rmf].to_dicts(),
    }
    rows = lake.rows(
        "SELECT structure_name, system, structure_match, covered_s, accesses_per_s, rmf_requests_per_s"
        " FROM gbp_rmf_reconciliation ORDER BY system"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("DSNDB2I1_GBP6", "SYS1", "pool", 120.0, pytest.approx(3.485), pytest.approx(2.63)),
        ("DSNDB2I1_GBP6", "SYS2", "pool", 120.0, pytest.approx(3.485), pytest.approx(2.03)),
    ]


def _summary(cf_name: str, role: str | None = None, minute: int = 0, **values: object) -> Row:
    """The structure in the usage summary of a facility: STATUS and, below it, the role; 2 of its lock entries are in use."""
    row = heading(START + dt.timedelta(minutes=minute), 120)
    row |= {"cf_name": cf_name, "structure_name": "DSNDB2B_LOCK1", "structure_type": "LOCK", "is_total": False}
    return row | {"status": "ACTIVE", "duplex_role": role, "lock_entries_current": 2} | values


# 251.5/s x 150.4 us is 3.78256% of an engine; the copy of every request in CF2 waits on the same processor, at the same time.
PAIR = [structure(), structure(cf_name="CF2", line=30)]


def _pair(*summary: Row, pair: list[Row] = PAIR) -> Asks[CaseLake]:
    return (yield {"rmf_cf_structure_activity": pair, "rmf_cf_structure_summary": summary})


def test_the_copies_of_a_duplexed_structure_are_not_added():
    """STATUS is ACTIVE on both pages; the usage summaries say PRIM and SEC, duplexed asynchronously."""
    lake = yield from _pair(
        _summary("CF1", "PRIM", duplex_asynchronous=True), _summary("CF2", "SEC", duplex_asynchronous=True)
    )
    copies = lake.rows(
        "SELECT cf_name, duplex_role, duplex_asynchronous, duplex_basis, is_secondary, is_counted, null_reason"
        " FROM cf_structure_interval ORDER BY cf_name"
    )
    assert [tuple(row.values()) for row in copies] == [
        ("CF1", "PRIM", True, "usage_summary", False, True, None),
        ("CF2", "SEC", True, "usage_summary", True, False, None),
    ]
    costs = lake.rows("SELECT * FROM cf_host_cost ORDER BY cf_name")
    assert [(row["is_secondary"], row["engines"], row["sync_per_s"]) for row in costs] == [
        (False, pytest.approx(0.0378256), 251.5),
        (True, None, 251.5),
    ]
    assert costs[1]["null_reason"] == "secondary copy: the wait is its primary's"
    assert one_row(lake, "SELECT sum(host_cpu_pct) AS pct FROM cf_host_cost")["pct"] == pytest.approx(3.78256)
    contention = lake.rows("SELECT duplex_role, is_secondary, contention_pct FROM lock_contention ORDER BY cf_name")
    assert [tuple(row.values()) for row in contention] == [
        ("PRIM", False, pytest.approx(515 / 290)),
        ("SEC", True, pytest.approx(515 / 290)),
    ]
    windows = lake.rows(
        "SELECT duplex_role, is_secondary, duplex_basis FROM cf_structure_window WHERE window_kind = 'day' ORDER BY cf_name"
    )
    assert [tuple(row.values()) for row in windows] == [
        ("PRIM", False, "usage_summary"),
        ("SEC", True, "usage_summary"),
    ]
    rate = one_row(lake, "SELECT * FROM cf_access_rate")
    expect(rate, lock_per_s=251.5, accesses_per_s=251.5, secondary_per_s=251.5, null_reason=None)


def test_the_other_copy_has_the_other_role():
    """One page prints SEC; that of the other facility prints no role, and no summary."""
    for given, other in (("SEC", "PRIM"), ("PRIM", "SEC")):
        rows = (yield from _pair(_summary("CF2", given))).rows("SELECT * FROM cf_structure_interval ORDER BY cf_name")
        assert [(row["duplex_role"], row["duplex_basis"]) for row in rows] == [
            (other, "other_copy"),
            (given, "usage_summary"),
        ]
        assert [row["is_counted"] for row in rows] == [other == "PRIM", given == "PRIM"]


@pytest.mark.parametrize(
    ("summary", "basis"),
    [
        ([], "unknown"),
        # Nothing that stands on the role's line was read: the role may be on it.
        ([_summary("CF1", lock_entries_current=None), _summary("CF2", lock_entries_current=None)], "unknown"),
        ([_summary("CF1", "PRIM"), _summary("CF2", "PRIM")], "contradictory"),
        ([_summary("CF1", "SEC"), _summary("CF1", "PRIM", source_id="s2")], "contradictory"),
        # Of another interval, and of a duration report.
        ([_summary("CF2", "SEC", minute=2), _summary("CF2", "SEC", report_kind="duration")], "unknown"),
    ],
)
def test_two_copies_of_unknown_roles_are_not_added(summary: list[Row], basis: str):
    lake = yield from _pair(*summary)
    why = f"role of the copies of DSNDB2B_LOCK1 {basis}"
    rows = lake.rows("SELECT is_secondary, engines, null_reason FROM cf_host_cost WHERE cf_name = 'CF1'")
    assert rows == [{"is_secondary": None, "engines": None, "null_reason": why}]
    rate = one_row(lake, "SELECT * FROM cf_access_rate")
    assert (rate["lock_per_s"], rate["accesses_per_s"], rate["null_reason"]) == (None, None, why)
    window = lake.rows(
        "SELECT is_secondary, duplex_basis FROM cf_structure_window WHERE window_kind = 'hour' AND cf_name = 'CF1'"
    )
    assert window == [{"is_secondary": None, "duplex_basis": basis}]


def test_a_structure_that_moved_is_no_pair():
    """Neither summary prints a role: 4/s in the old facility and 6/s in the new one are 10/s."""
    pair = [structure(requests_per_s=4.0), structure(cf_name="CF2", requests_per_s=6.0, line=30)]
    rate = one_row(
        (yield from _pair(_summary("CF1", status="INACTV"), _summary("CF2"), pair=pair)), "SELECT * FROM cf_access_rate"
    )
    assert (rate["lock_per_s"], rate["null_reason"]) == (10.0, None)


def test_a_copy_without_requests_doubles_nothing():
    """As an asynchronous secondary, whose facility gets its operations from the primary's."""
    idle = structure(cf_name="CF2", requests=0, requests_per_s=0.0, sync_requests=0, line=30)
    lake = yield from _pair(pair=[structure(), idle])
    assert one_row(lake, "SELECT lock_per_s FROM cf_access_rate")["lock_per_s"] == 251.5
    bases = lake.rows("SELECT duplex_basis AS basis, is_secondary FROM cf_structure_interval ORDER BY cf_name")
    assert [tuple(row.values()) for row in bases] == [("only_copy", False), ("unknown", None)]


def test_a_secondary_alone_says_nothing_of_its_primary():
    """The primary may have had reads that are not sent to the secondary."""
    alone = structure(cf_name="CF2", status="ACTIVE SECONDARY")
    # Of SYS2 the primary's page has no row.
    of_another_system = [structure(line=29, status="ACTIVE PRIMARY"), alone | {"system": "SYS2"}]
    for pair in ([alone], of_another_system):
        rate = (yield from _pair(pair=pair)).rows("SELECT * FROM cf_access_rate ORDER BY system")[-1]
        assert (rate["lock_per_s"], rate["secondary_per_s"]) == (None, 251.5)
        assert rate["null_reason"] == "primary copy of DSNDB2B_LOCK1 not in the lake"


def test_a_role_that_changes_within_a_window_is_none():
    """In the second interval the copies have changed places: of the day neither is the primary."""
    pages = [structure(minute, cf_name=cf, line=line) for minute, cf, line in
        ((0, "CF1", 10), (0, "CF2", 11), (2, "CF1", 12), (2, "CF2", 13))]  # fmt: skip
    roles = [_summary("CF1", "PRIM"), _summary("CF2", "SEC"), _summary("CF1", "SEC", 2), _summary("CF2", "PRIM", 2)]
    lake = yield from _pair(*roles, pair=pages)
    day = lake.rows("SELECT is_secondary, duplex_role, duplex_basis FROM cf_structure_window WHERE window_kind = 'day'")
    assert day == [{"is_secondary": None, "duplex_role": None, "duplex_basis": "changed"}] * 2
    text = "SELECT sum(requests) AS n FROM cf_structure_window WHERE window_kind = 'interval' AND NOT is_secondary"
    assert one_row(lake, text)["n"] == 2 * 30179


def test_roles_off_the_sample_page():
    """The structure's own page says ACTIVE, the usage summary of its facility SEC A."""
    activity, summary = "rmf_cf_structure_activity", "rmf_cf_structure_summary"
    lake = yield sample_rows("cf_asynchronous_duplexing", activity, summary)
    row = one_row(
        lake, "SELECT structure_name, is_secondary, duplex_asynchronous, is_counted FROM cf_structure_interval"
    )
    assert tuple(row.values()) == ("TSTLOCK1_ASYN", True, True, None)


@pytest.mark.parametrize(("role", "per_s", "less"), [("SEC", 2.63, -0.855), (None, None, None)])
def test_which_copy_db2_is_compared_with(role: str | None, per_s: float | None, less: float | None):
    """3.485/s of Db2 beside 2.63/s of RMF; with two copies of unknown roles beside neither."""
    gbp = {"structure_name": "DSNDB2I1_GBP6", "structure_type": "CACHE", "contention_requests": None}
    pages = [structure(4, requests_per_s=2.63, **gbp), structure(4, requests_per_s=2.5, cf_name="CF2", line=20, **gbp)]
    summary = [_summary("CF2", role, 4, structure_name="DSNDB2I1_GBP6")] if role else []
    lake = yield {
        "db2_statistics_counter": counter_rows(GBP6),
        "rmf_cf_structure_activity": pages,
        "rmf_cf_structure_summary": summary,
    }
    rows = lake.rows("SELECT * FROM gbp_rmf_reconciliation ORDER BY cf_name")
    assert [row["cf_name"] for row in rows] == (["CF1"] if role else ["CF1", "CF2"])
    expect(rows[0], rmf_structure_per_s=per_s and pytest.approx(per_s), rmf_less_db2_per_s=less and pytest.approx(less))
    assert rows[0]["is_secondary"] is (False if role else None)
    assert rows[0]["null_reason"] == (None if role else "role of the copies of DSNDB2I1_GBP6 unknown")


# --- coupling hours
# Links and storage of coupling facilities by clock hour: means by requests and by time, what is unknown, and what is left out. Worked by hand.


def _page(minute: float, seconds: float, **other: object) -> Row:
    row = heading(scope=None)
    return row | {"cf_name": "CF1"} | span(minute, seconds) | other


def link(minute: float, seconds: float, count: int | None, us: float | None, **other: object) -> Row:
    """Synchronous requests over CS5, of which 8 us are expected, on 2 subchannels; no asynchronous ones."""
    row = _page(minute, seconds, system="SYSA", link_1_type="CS5", link_1_used=2, link_2_type="SUBCH", link_2_used=2)
    row |= {"requests": count, "requests_per_s": count and count / seconds, "sync_requests": count}
    row |= {"sync_service_us": us, "async_requests": 0, "path_busy": 0, "changed_requests": 0}
    return row | {"delayed_total_pct": 0.0} | other


def test_links_are_means_by_requests_and_by_time():
    """900 s of 300,000 requests of 10 us and 1,800 s of 100,000 of 30 us: 15 us, 187.5% of 8. 3 s in 900 and 3 s in 1,800, of two subchannels: 0.111%.
    4% of the first and 8 of the second are delayed: 5%; 3,000 and 5,000 met a busy path: 2%; 20,000 changed: 5%."""
    first = {"delayed_total_pct": 4.0, "path_busy": 3000, "changed_requests": 0}
    other = {"delayed_total_pct": 8.0, "path_busy": 5000, "changed_requests": 20000}
    lake = yield {
        "rmf_cf_subchannel_activity": [link(0, 900, 300_000, 10.0, **first), link(15, 1800, 100_000, 30.0, **other)]
    }
    row = one_row(lake, "FROM cf_link_hour")
    assert (row["covered_s"], row["link_types"], row["sync_share_pct"]) == (2700, "CS5", 100)
    assert (row["sync_service_us"], row["reference_us"], row["of_reference_pct"]) == pytest.approx((15, 8, 187.5))
    assert (row["subchannel_busy_pct"], row["sync_engines"]) == pytest.approx((100 * 6 / 2700 / 2, 6 / 2700))
    assert (row["delayed_pct"], row["path_busy_pct"], row["changed_pct"]) == pytest.approx((5, 2, 5))
    assert (row["requests_per_s"], row["async_service_us"]) == (pytest.approx(400_000 / 2700), None)


@pytest.mark.parametrize(
    ("change", "unknown"),
    [
        ({"sync_service_us": None}, {"sync_service_us", "subchannel_busy_pct", "of_reference_pct", "sync_engines"}),
        ({"delayed_total_pct": None}, {"delayed_pct"}),
        ({"link_1_type": "XX"}, {"link_types", "reference_us", "of_reference_pct"}),
        ({"path_busy": None}, {"path_busy_pct"}),
    ],
)
def test_what_is_unknown_of_one_interval_is_unknown_of_the_hour(change: Row, unknown: set[str]):
    rows = [link(0, 900, 900, 10.0), link(15, 900, 900, 10.0, **change)]
    row = one_row((yield {"rmf_cf_subchannel_activity": rows}), "FROM cf_link_hour")
    assert {name for name, value in row.items() if value is None} - {"utc_offset_minutes"} == unknown | {
        "async_service_us"
    }


_MEASURES = """
interval_s requests requests_per_s sync_requests sync_service_us async_requests async_service_us changed_requests
unsuccessful_requests path_busy delayed_total_pct delayed_list_cache_pct delayed_lock_pct
"""


@pytest.mark.parametrize(
    "name",
    [
        *_MEASURES.split(),
        *(f"link_{n}_{of}" for n in (1, 2, 3, 4) for of in ("type", "generated", "used")),
    ],
)
def test_what_two_files_print_with_other_values_is_unknown(name: str):
    first = link(0, 900, 900, 10.0)
    change = "CFP" if name.endswith("type") else (first.get(name) or 0) + 1
    lake = yield {"rmf_cf_subchannel_activity": [first, first | {name: change, "source_id": "s2"}]}
    assert one_row(lake, "SELECT is_conflicting AS c, len(refs) AS n FROM cf_link_interval") == {"c": True, "n": 2}
    known = {name for name, value in one_row(lake, "FROM cf_link_hour").items() if value is not None}
    assert known == {"sysplex", "cf_name", "system", "hour_start", "covered_s", "refs"}


def test_the_same_print_in_two_files_is_one():
    first = link(0, 900, 900, 10.0)
    lake = yield {"rmf_cf_subchannel_activity": [first, first | {"source_id": "s2"}]}
    assert one_row(lake, "SELECT is_conflicting AS c, len(refs) AS n FROM cf_link_interval") == {"c": False, "n": 2}
    assert one_row(lake, "SELECT sync_service_us AS us FROM cf_link_hour") == {"us": 10}


def test_an_interval_without_requests_takes_no_time_of_service_and_overlaps_count_once():
    rows = [link(0, 900, 900, 10.0), link(15, 900, 0, None), link(0, 600, 9, 90.0)]
    lake = yield {"rmf_cf_subchannel_activity": [*rows, link(0, 3600, 9, 90.0, report_kind="duration")]}
    row = one_row(lake, "FROM cf_link_hour")
    assert (row["covered_s"], row["sync_service_us"], row["of_reference_pct"]) == (1800, 10, 125)


def storage(minute: float, available: int | None, reclaims: int | None, **other: object) -> dict[str, list[Row]]:
    """A facility of 1,000 bytes with one cache of 100."""
    page = _page(minute, 900) | other
    cache = {"structure_name": "GBP1", "structure_type": "CACHE", "is_total": False, "allocated_bytes": 100}
    cache |= {"directory_reclaims": reclaims, "directory_reclaim_cross_invalidations": reclaims}
    return {
        "rmf_cf_usage": [page | {"total_storage_bytes": 1000, "available_storage_bytes": available}],
        "rmf_cf_structure_summary": [page | cache | {"line": 30}],
    }


def test_storage_at_its_fullest_and_reclaims_added():
    parts = [storage(0, 400, 10), storage(15, 360, 5), storage(30, 700, 0)]
    row = one_row((yield {name: [r for p in parts for r in p[name]] for name in parts[0]}), "FROM cf_storage_hour")
    assert (row["used_pct"], row["available_bytes"], row["total_bytes"]) == (64, 360, 1000)
    assert (row["reclaims"], row["reclaim_invalidations"], row["largest_structure_pct"]) == (15, 15, 10)
    assert [ref["line"] for ref in row["refs"]] == [10, 30]


def test_storage_that_is_unknown_once_is_unknown():
    parts = [storage(0, 400, 10), storage(15, None, None)]
    row = one_row((yield {name: [r for p in parts for r in p[name]] for name in parts[0]}), "FROM cf_storage_hour")
    names = ("used_pct", "available_bytes", "reclaims", "reclaim_invalidations")
    assert ([row[name] for name in names], row["total_bytes"]) == ([None] * 4, 1000)


# --- Locks and group buffer pools of a data sharing group per commit: members and their group, each once


@pytest.fixture(scope="module")
def page() -> MemoryLake:
    """A group of two members: 18,000 and 9,000 commits."""
    return lake_of("statistics_short_of_a_group", "db2_statistics_counter")


def test_members_and_their_group_off_the_page(page: MemoryLake):
    """180,000 / 18,000 and 54,000 / 9,000 requests to XES; 8,280 + 18,000 + 7,200 + 2,700 and 3,060 + 5,400 + 1,800 + 900 accesses."""
    rows = page.rows("SELECT * FROM data_sharing_overhead ORDER BY is_total, member")
    columns = "member is_total total_source commits xes_requests gbp_accesses gbp_reads gbp_writes"
    assert [tuple(row[c] for c in columns.split()) for row in rows] == [
        ("DBT1", False, None, 18000, 180000, 36180, 8280, 18000),
        ("DBT2", False, None, 9000, 54000, 11160, 3060, 5400),
        (None, True, "printed", 27000, 234000, 47340, 11340, 23400),
    ]
    per_commit = [f"{what}_per_commit" for what in ("xes_requests", "plock_requests", "suspends", "gbp_accesses")]
    assert [[row[c] for c in per_commit] for row in rows] == [
        pytest.approx([10, 71100 / 18000, 0.03, 2.01]),
        pytest.approx([6, 17100 / 9000, 0.03, 1.24]),
        pytest.approx([26 / 3, 88200 / 27000, 0.03, 47340 / 27000]),
    ]
    assert [row["global_contention_pct"] for row in rows] == pytest.approx([0.3, 0.5, 100 * 810 / 234000])
    assert [row["members"] for row in rows] == [2, 2, 2]


LOCKS = {
    "SYNCH.XES - LOCK REQUESTS": 100.0,
    "SYNCH.XES - CHANGE REQUESTS": 10.0,
    "SYNCH.XES - UNLOCK REQUESTS": 90.0,
    "BACKGROUND.XES -CHILD LOCKS": 0.0,
    "ASYNCH.XES -CONVERTED LOCKS": 0.0,
}


def _locks(member: str | None, scope: str, locks: Mapping[str, float | None] = LOCKS, **more: object) -> list[dict]:
    values = {"member": member, "scope": scope, "object": None, "total_commits": 50.0}
    block = "DATA SHARING LOCKS" if scope != "member" else "DATA SHARING LOCKING"
    subsystem = member if scope == "member" else None
    return counter_rows(locks, block, **(values | {"subsystem": subsystem} | more))


def test_a_member_of_two_reports_counts_once_and_members_add_up_to_a_group_that_is_not_printed():
    lake = yield {
        "db2_statistics_counter": [
            *_locks("DB2A", "member"),
            *_locks("DB2A", "group_member"),
            *_locks("DB2B", "group_member"),
        ]
    }
    rows = lake.rows(
        "SELECT member, scope, total_source, members, xes_requests, xes_requests_per_commit FROM data_sharing_overhead ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("DB2A", "member", None, 2, 200, 4),
        ("DB2B", "group_member", None, 2, 200, 4),
        (None, None, "members", 2, 400, 4),
    ]


def test_groups_of_one_name_at_two_locations_stay_apart():
    """200 requests of DB2A at L, 300 of DB2A and 400 of DB2B at M. A report of the group without a location is of neither."""
    more = [LOCKS | {"SYNCH.XES - LOCK REQUESTS": n} for n in (200.0, 300.0)]
    rows = [
        *_locks("DB2A", "member"),
        *_locks("DB2A", "member", more[0], location="M"),
        *_locks("DB2B", "member", more[1], location="M"),
    ]
    asked = (
        "SELECT location, member, members, xes_requests FROM data_sharing_overhead ORDER BY location, is_total, member"
    )
    two, of_group, one = yield [
        {"db2_statistics_counter": rows},
        {"db2_statistics_counter": [*rows, *_locks("DB2A", "group_member", location=None)]},
        {"db2_statistics_counter": [*rows[5:], *_locks("DB2C", "group_member", location=None)]},
    ]
    known = [
        ("L", "DB2A", 1, 200),
        ("L", None, 1, 200),
        ("M", "DB2A", 2, 300),
        ("M", "DB2B", 2, 400),
        ("M", None, 2, 700),
    ]
    assert [tuple(row.values()) for row in two.rows(asked)] == known
    assert [tuple(row.values()) for row in of_group.rows(asked)] == [
        *known,
        (None, "DB2A", 1, 200),
        (None, None, 1, 200),
    ]
    assert [tuple(row.values()) for row in one.rows(asked)][-1] == ("M", None, 3, 900)


def test_an_unknown_member_leaves_the_group_unknown():
    unknown = LOCKS | {"SYNCH.XES - LOCK REQUESTS": None}
    lake = yield {"db2_statistics_counter": [*_locks("DB2A", "member"), *_locks("DB2B", "member", unknown)]}
    row = one_row(lake, "SELECT * FROM data_sharing_overhead WHERE is_total")
    assert (row["xes_requests"], row["xes_requests_per_commit"], row["commits"]) == (None, None, 100)


def test_work_of_no_group_and_of_nobody_is_left_out():
    lake = yield {"db2_statistics_counter": [*_locks("DB2A", "member", db2_group=None), *_locks(None, "member")]}
    assert lake.rows("SELECT * FROM data_sharing_overhead") == []
