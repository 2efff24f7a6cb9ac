"""Views over the coupling facility: what goes in, what must come out, worked by hand."""

import datetime as dt

import pytest
from db2_rows import GBP6, counter_rows
from one_lake import Asks, CaseLake
from rmf_rows import structure
from sample_pages import sample, sample_tables
from views_lake import START, Row, expect, heading, one_row, sample_rows, span


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
    assert (row["sync_service_stddev_us"], row["async_service_stddev_us"]) == (None, None)


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
