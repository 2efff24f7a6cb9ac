"""Views over the coupling facility: what goes in, what must come out, worked by hand."""

import datetime as dt

import pytest
from db2_rows import GBP6, counter_rows, counters
from one_lake import Asks, CaseLake, Rows, examples
from rmf_rows import structure, structures
from views_lake import START, Row, approx, expect, heading, one_row, sample_rows, span

# 100 requests of 10 us (deviation 0) in 2 minutes, 300 of 30 us in 4: 25 us, and a deviation of 8.66 us.
SHORT = structure(0, requests=100, requests_per_s=0.833, sync_requests=100, sync_service_us=10.0, sync_service_stddev_us=0.0)  # fmt: skip
LONG = structure(2, requests=300, requests_per_s=1.25, sync_requests=300, sync_service_us=30.0, line=50)
LONG |= {"interval_s": 240.0, "interval_end": START + dt.timedelta(minutes=6), "sync_service_stddev_us": 0.0}
IDLE = structure(contention_requests=0, contention_total=0, contention_false=0)
# The structures of DSNDB2U1 on two published pages of one interval, here of one system.
GROUP = [
    structure(structure_name=f"DSNDB2U1_{name}", requests_per_s=rate, line=n)
    for n, (name, rate) in enumerate({"LOCK1": 154.28, "SCA": 0.4, "GBP0": 0.11, "GBP1": 107.58, "GBP2": 63.36}.items(), 10)
]  # fmt: skip
GROUP += [structure(structure_name="IXCXC", requests_per_s=7.7, line=30)]
GROUP += [structure(structure_name="DSNDB2U1_GBP1", cf_name="CF2", status="ACTIVE SECONDARY", line=31)]
COST = "engines, host_cpu_pct, null_reason FROM cf_host_cost"
CONTENTION = "contention_pct, false_of_contention_pct, contention_lower_pct, contention_upper_pct FROM lock_contention"
HOUR, DAY, INTERVAL = (f"FROM cf_structure_window WHERE window_kind = '{kind}'" for kind in ("hour", "day", "interval"))


test_structures = examples(
    ("idle costs nothing", structures(structure(requests=0, requests_per_s=0.0, sync_requests=0, sync_service_us=None)), COST, [(0, 0, None)]),
    ("unknown time", structures(structure(sync_service_us=None)), COST, [(None, None, "rate or service time not printed")]),
    ("contention has bounds", structures(structure()), f"false_contention_pct, {CONTENTION}",
     [(approx(0.69, abs=0.005), approx(1.78, abs=0.005), approx(38.64, abs=0.005), approx(515 / 295), approx(515 / 285))]),
    ("no lock request", structures(IDLE, structure(system="SYS2", contention_requests=None, line=30)), f"system, {CONTENTION}",
     [("SYS1", None, None, None, None)]),
    ("window", structures(SHORT, LONG),
     "window_start, window_end, window_s, covered_s, intervals, requests, requests_per_s,"
     f" sync_pct, async_pct, async_service_us, [r.line for r in refs] {HOUR}",
     [(START, START + dt.timedelta(hours=1), 3600.0, 360.0, 2, 400, approx((0.833 * 120 + 1.25 * 240) / 360), 100.0, 0.0, None, [10, 50])]),
    ("times of a window", structures(SHORT, LONG), f"sync_service_us, sync_service_stddev_us {HOUR}", [(25.0, approx(75**0.5))]),
    ("times of a day", structures(SHORT, LONG), f"sync_service_us {DAY}", [(25.0,)]),
    ("times of intervals", structures(SHORT, LONG), f"sum(sync_service_total_us) / sum(sync_requests) {INTERVAL}", [(25.0,)]),
    ("unknown cell", structures(structure(), structure(2, sync_service_us=None, line=50)),
     f"sync_service_us, sync_requests, sync_service_stddev_us, async_service_stddev_us {HOUR}", [(None, 60000, None, None)]),
    ("totals, durations and copies", structures(structure(), structure(source_id="s2"), structure(is_total=True, system=None, line=60),
     structure(report_kind="duration", line=70)), f"requests, intervals, is_conflicting, len(refs) {DAY}", [(30179, 1, False, 2)]),
    ("interval within another", structures(structure(), structure(1, interval_end=START + dt.timedelta(minutes=2), interval_s=60.0, line=50)),
     f"requests, intervals, intervals_left_out {HOUR}", [(30179, 1, 1)]),
    ("locks and pools of a group", structures(*GROUP),
     "db2_group, lock_per_s, sca_per_s, gbp_per_s, accesses_per_s, secondary_per_s, structures FROM cf_access_rate",
     [("DSNDB2U1", 154.28, 0.4, approx(171.05), approx(325.33), 251.5, 6)]),
)  # fmt: skip


GBP: Row = {"structure_name": "DSNDB2I1_GBP6", "structure_type": "CACHE", "contention_requests": None}


BESIDE = [
    structure(4, requests=316, requests_per_s=2.63, **GBP),
    structure(4, system="SYS2", requests=244, requests_per_s=2.03, line=20, **GBP),
    structure(30, requests_per_s=99.0, line=30, **GBP),
    structure(4, line=60, **(GBP | {"structure_name": "OTHER_GBP6"})),
    structure(4, cf_name="CF2", status="ACTIVE SECONDARY", requests_per_s=1.0, line=40, **GBP),
]
# 2.63 and 2.03/s in PLEX1, 40 and 60/s in PLEX2, of systems and a facility of the same names. The group of another location has 2,091
# accesses in 600 s as well: 3.485/s of each, not 6.97.
PLEXES = (("PLEX1", "SYS1", 2.63), ("PLEX1", "SYS2", 2.03), ("PLEX2", "SYS1", 40.0), ("PLEX2", "SYS2", 60.0))
OF_TWO = counters(counter_rows(GBP6), counter_rows(GBP6, location="M", source_id="s2"), rmf_cf_structure_activity=[
    structure(requests_per_s=per_s, sysplex=sysplex, system=system, line=n, **GBP) | span(0, 600) for n, (sysplex, system, per_s) in enumerate(PLEXES)
])  # fmt: skip
# 2,091 accesses of DB2A in its own report, and 2,091 of DB2B in that of the group, which has those of DB2A again; in 600 s.
OF_GROUP = {"scope": "group_member", "subsystem": None, "location": "L", "source_id": "s2"}
OF_MEMBERS = counters(counter_rows(GBP6), counter_rows(GBP6, **OF_GROUP), counter_rows(GBP6, **(OF_GROUP | {"member": "DB2B"})))  # fmt: skip


test_accesses_that_db2_counts_stand_beside_requests_that_rmf_counts = examples(
    ("requests and accesses", counters(counter_rows(GBP6), rmf_cf_structure_activity=BESIDE),
     "system, rmf_requests_per_s, covered_s, accesses_per_s, group_accesses_per_s, rmf_structure_per_s, structure_match, rmf_less_db2_per_s"
     " FROM gbp_rmf_reconciliation ORDER BY system",
     [(system, approx(per_s), 120.0, approx(3.485), approx(3.485), approx(4.66), "group", approx(less))
      for system, per_s, less in (("SYS1", 2.63, -0.855), ("SYS2", 2.03, -1.455))]),
    ("Db2 alone", counters(counter_rows(GBP6)), "system, accesses_per_s FROM gbp_rmf_reconciliation", [(None, approx(3.485))]),
    ("two sysplexes", OF_TWO,
     "location, sysplex, system, group_accesses_per_s, rmf_structure_per_s FROM gbp_rmf_reconciliation ORDER BY ALL",
     [(location, sysplex, system, approx(3.485), approx(rmf)) for location in "LM" for sysplex, rmf in (("PLEX1", 4.66), ("PLEX2", 100))
      for system in ("SYS1", "SYS2")]),
    # Which of them is Db2's is not known.
    ("nothing disagrees", OF_TWO, "* FROM reports_disagree", []),
    ("report of a group", OF_MEMBERS, "member, accesses_per_s, group_accesses_per_s FROM gbp_rmf_reconciliation ORDER BY member",
     [("DB2A", approx(3.485), approx(6.97)), ("DB2B", approx(3.485), approx(6.97))]),
)  # fmt: skip


def test_coupling_facility_off_the_sample_page():
    lake = yield sample_rows("cf_structures_mvs_1996", "rmf_cf_structure_activity")
    row = one_row(lake, "SELECT * FROM lock_contention")
    expect(row, system="SYS1", contention_requests=29000, contention_deferred=517, contention_pct=approx(515 / 290))
    assert row["contention_upper_pct"] - row["contention_lower_pct"] == approx(0.0613, abs=1e-4)
    cost = lake.sql("SELECT host_cpu_pct FROM cf_host_cost WHERE structure_type = 'LOCK'").fetchall()
    assert cost == [(approx(3.78256),)]
    rates = lake.sql("SELECT system, gbp_per_s, lock_per_s FROM cf_access_rate ORDER BY db2_group, system").fetchall()
    assert rates == [("SYS1", None, 251.5), ("SYS1", 2.63, None), ("SYS2", 2.03, None)]
    window = lake.sql(f"SELECT sum(requests), sum(requests_per_s) {HOUR} AND structure_name = 'DSNDB2I1_GBP6'")
    assert window.fetchall() == [(560, approx(4.66))]


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
    roles = [_summary(*of, duplex_asynchronous=True) for of in (("CF1", "PRIM"), ("CF2", "SEC"))]
    lake = yield from _pair(*roles)
    why = "secondary copy: the wait is its primary's"
    asked = {
        "duplex_role, duplex_asynchronous, duplex_basis, is_secondary, is_counted, null_reason FROM cf_structure_interval ORDER BY cf_name":
            [("PRIM", True, "usage_summary", False, True, None), ("SEC", True, "usage_summary", True, False, None)],
        "is_secondary, engines, sync_per_s, null_reason FROM cf_host_cost ORDER BY cf_name":
            [(False, approx(0.0378256), 251.5, None), (True, None, 251.5, why)],
        "sum(host_cpu_pct) FROM cf_host_cost": [(approx(3.78256),)],
        "duplex_role, is_secondary, contention_pct FROM lock_contention ORDER BY cf_name":
            [("PRIM", False, approx(515 / 290)), ("SEC", True, approx(515 / 290))],
        f"duplex_role, is_secondary, duplex_basis {DAY} ORDER BY cf_name":
            [("PRIM", False, "usage_summary"), ("SEC", True, "usage_summary")],
        "lock_per_s, accesses_per_s, secondary_per_s, null_reason FROM cf_access_rate": [(251.5, 251.5, 251.5, None)],
    }  # fmt: skip
    for text, found in asked.items():
        assert lake.sql(f"SELECT {text}").fetchall() == found


def test_the_other_copy_has_the_other_role():
    """One page prints SEC; that of the other facility prints no role, and no summary."""
    for given, other in (("SEC", "PRIM"), ("PRIM", "SEC")):
        lake = yield from _pair(_summary("CF2", given))
        rows = lake.sql("SELECT duplex_role, duplex_basis, is_counted FROM cf_structure_interval ORDER BY cf_name")
        counted = [(other, "other_copy", other == "PRIM"), (given, "usage_summary", given == "PRIM")]
        assert rows.fetchall() == counted


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
    cost = lake.sql("SELECT is_secondary, engines, null_reason FROM cf_host_cost WHERE cf_name = 'CF1'").fetchall()
    rate = lake.sql("SELECT lock_per_s, accesses_per_s, null_reason FROM cf_access_rate").fetchall()
    assert cost == rate == [(None, None, why)]
    window = lake.sql(f"SELECT is_secondary, duplex_basis {HOUR} AND cf_name = 'CF1'").fetchall()
    assert window == [(None, basis)]


def pair_of(*pair: Row, summary: tuple[Row, ...] = ()) -> Rows:
    return {"rmf_cf_structure_activity": [*pair], "rmf_cf_structure_summary": [*summary]}


WITHOUT_REQUESTS = structure(cf_name="CF2", requests=0, requests_per_s=0.0, sync_requests=0, line=30)
ALONE = structure(cf_name="CF2", status="ACTIVE SECONDARY")
NO_PRIMARY = (None, 251.5, "primary copy of DSNDB2B_LOCK1 not in the lake")
# In the second interval the copies have changed places.
CHANGED = pair_of(
    *(structure(minute, cf_name=cf, line=10 + minute + (cf == "CF2")) for minute in (0, 2) for cf in ("CF1", "CF2")),
    summary=(_summary("CF1", "PRIM"), _summary("CF2", "SEC"), _summary("CF1", "SEC", 2), _summary("CF2", "PRIM", 2)),
)  # fmt: skip
RATE = "lock_per_s, secondary_per_s, null_reason FROM cf_access_rate ORDER BY system"


test_copies = examples(
    # Neither summary prints a role: 4/s in the old facility and 6/s in the new one are 10/s.
    ("a structure that moved is no pair", pair_of(structure(requests_per_s=4.0), structure(cf_name="CF2", requests_per_s=6.0, line=30),
     summary=(_summary("CF1", status="INACTV"), _summary("CF2"))), "lock_per_s, null_reason FROM cf_access_rate", [(10.0, None)]),
    # As an asynchronous secondary, whose facility gets its operations from the primary's.
    ("a copy without requests doubles nothing", pair_of(structure(), WITHOUT_REQUESTS), "lock_per_s FROM cf_access_rate", [(251.5,)]),
    ("roles of a copy without requests", pair_of(structure(), WITHOUT_REQUESTS),
     "duplex_basis, is_secondary FROM cf_structure_interval ORDER BY cf_name", [("only_copy", False), ("unknown", None)]),
    # The primary may have had reads that are not sent to the secondary.
    ("a secondary alone", pair_of(ALONE), RATE, [NO_PRIMARY]),
    ("a primary of another system", pair_of(structure(line=29, status="ACTIVE PRIMARY"), ALONE | {"system": "SYS2"}), f"{RATE} DESC LIMIT 1",
     [NO_PRIMARY]),
    ("roles that change are none", CHANGED, f"is_secondary, duplex_role, duplex_basis {DAY}", [(None, None, "changed")] * 2),
    ("roles of each interval", CHANGED, f"sum(requests) {INTERVAL} AND NOT is_secondary", [(2 * 30179,)]),
)  # fmt: skip


def test_roles_and_names_off_the_sample_pages():
    """The structure's own page says ACTIVE, the usage summary of its facility SEC A. The group prints as DBGA, the structure as
    DSNDB2I1_GBP6: 3.485/s of Db2 beside 2.63 and 2.03/s of RMF."""
    db2, rmf = "db2_statistics_counter", "rmf_cf_structure_activity"
    roles, names = yield [
        sample_rows("cf_asynchronous_duplexing", rmf, "rmf_cf_structure_summary"),
        sample_rows("statistics_equations_of_db2pm", db2) | sample_rows("cf_structures_mvs_1996", rmf),
    ]
    text = "SELECT structure_name, is_secondary, duplex_asynchronous, is_counted FROM cf_structure_interval"
    assert roles.sql(text).fetchall() == [("TSTLOCK1_ASYN", True, True, None)]
    text = "SELECT structure_name, system, structure_match, covered_s, accesses_per_s, rmf_requests_per_s"
    assert names.sql(f"{text} FROM gbp_rmf_reconciliation ORDER BY system").fetchall() == [
        ("DSNDB2I1_GBP6", system, "pool", 120.0, approx(3.485), approx(per_s)) for system, per_s in (("SYS1", 2.63), ("SYS2", 2.03))
    ]  # fmt: skip


@pytest.mark.parametrize(("role", "per_s", "less"), [("SEC", 2.63, -0.855), (None, None, None)])
def test_which_copy_db2_is_compared_with(role: str | None, per_s: float | None, less: float | None):
    """3.485/s of Db2 beside 2.63/s of RMF; with two copies of unknown roles beside neither."""
    copies = [structure(4, requests_per_s=2.63, **GBP), structure(4, requests_per_s=2.5, cf_name="CF2", line=20, **GBP)]
    summary = [_summary("CF2", role, 4, structure_name="DSNDB2I1_GBP6")] if role else []
    lake = yield counters(counter_rows(GBP6), rmf_cf_structure_activity=copies, rmf_cf_structure_summary=summary)
    rows = lake.rows("SELECT * FROM gbp_rmf_reconciliation ORDER BY cf_name")
    assert [row["cf_name"] for row in rows] == (["CF1"] if role else ["CF1", "CF2"])
    expect(rows[0], rmf_structure_per_s=per_s and approx(per_s), rmf_less_db2_per_s=less and approx(less))
    expect(rows[0], is_secondary=False if role else None)
    expect(rows[0], null_reason=None if role else "role of the copies of DSNDB2I1_GBP6 unknown")
