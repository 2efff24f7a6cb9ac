"""Peaks of machines, defined capacity and groups, and the share of the classes at the peak, worked by hand."""

from one_lake import Rows, examples
from rmf_rows import HOUR, both, clocked, hourly, machine, partition, policy, service_class
from views_lake import START, Row, approx, expect

EARLY = [0.0] * 4 + [750.0] * 4 + [0.0] * 4
LATE = [0.0] * 5 + [750.0] * 4 + [0.0] * 3
SYSTEMS = ("SYSA", "SYSB", "SYSC", "SYSD")


def data(*some: list[Row], **tables: list[Row]) -> Rows:
    return {"rmf_partition_data": [row for rows in some for row in rows], **tables}


def two_machines(of_c: list[float], of_d: list[float]) -> list[Row]:
    """Of each the pages of two systems in LPARA and LPARB: 100 and 50 of one machine."""
    names = {"SYSA": "SYSC", "SYSB": "SYSD"}
    second = [r | {"system": names[r["system"]], "source_id": names[r["source_id"]]} for r in both(of_c, of_d)]
    return [*both([100.0] * 5, [50.0] * 5), *second]


def coded(*codes: str) -> list[Row]:
    return [row for system, code in zip(SYSTEMS, codes, strict=False) for row in machine(12, system, sequence_code=code)]  # fmt: skip


APART = [*hourly(*EARLY), *hourly(*LATE, system="SYSB", name="LPARB", own="LPARB")]
PARTS = data(hourly(*EARLY), hourly(*LATE, name="LPARB"))
# LPARB's fifth hour is not read.
LOST = data(hourly(*EARLY), hourly(*LATE[:4], None, *LATE[5:], name="LPARB"))
OFF = {"processor_type": None, "status": "D"}
# Printed as deactivated in the first four hours; one that never had processors is no partition of the machine.
DEACTIVATED = [row | (OFF if row["msu_used"] is None else {}) for row in hourly(*[None] * 4, 400.0, name="LPARB")]
# Pages of one machine print one figure of a partition, or nearly: intervals end a little apart.
NEAR = [r | {"msu_used": r["msu_used"] + (r["system"] == "SYSD")} for r in two_machines([300.0] * 5, [79.0] * 5)]
# Not printed; and defined in the middle of an hour, whose mean would be of 600 and of none.
NOT_PRINTED, DEFINED_LATER, LOWERED = (
    data([partition(n, 800.0, msu_defined=600.0 if n >= 30 else defined) for n in range(32)]) for defined in (None, 0.0, 700.0)
)  # fmt: skip
# An asterisk beside DEF of the last quarter: 600 is the newest value, and what held before in it is not known. It is so where another page of
# the machine prints the same without one.
CHANGED = [partition(n, 800.0, msu_defined=700.0 if n < 31 else 600.0) for n in range(32)]
CHANGED[-1]["msu_defined_changed"] = True
OTHER = [r | {"system": "SYSB", "mvs_partition": "LPARB", "source_id": "s2", "msu_defined_changed": None} for r in CHANGED]  # fmt: skip
OF_B = [r | {"partition": "LPARB", "msu_used": 10.0, "msu_defined": 0.0} for r in OTHER]
OF_BOTH = [*CHANGED, *OTHER, *OF_B, *(r | {"system": "SYSA", "mvs_partition": "LPARA"} for r in OF_B)]


def grouped(used: dict[str, float], pages: str, hours: int = 5) -> list[Row]:
    """Pages of each partition with all of them: LPARA and LPARB in a group of 1000, LPARC with a defined capacity of 200 in none."""
    rows = []
    for own in pages:
        group = {"capacity_group": "GROUP", "capacity_group_limit": 1000.0} if own != "C" else {}
        for name, msu in used.items():
            defined = {"msu_defined": 200.0 if name == "LPARC" else 0.0}
            rows += hourly(*[msu] * hours, system=f"SYS{own}", name=name, own=f"LPAR{own}", **group, **defined)
    return rows


THREE = {"LPARA": 800.0, "LPARB": 600.0, "LPARC": 300.0}
OF_THREE = grouped(THREE, "ABC")
# LPARB, 600 of 1400, is on SYSA's page to the end, its own ends an hour before: then the group is not 800.
ENDING = [r for r in grouped({"LPARA": 800.0, "LPARB": 600.0}, "AB",
 6) if r["system"] != "SYSB" or r["interval_start"] < START + 5 * HOUR]  # fmt: skip


def asterisk(name: str, rows: list[Row] = OF_THREE) -> Rows:
    """The group of three with an asterisk on SYSA's page of the last hour."""
    keys = ("system", "report_kind", "interval_start", "interval_end", "mvs_partition", "line")
    heads = [{key: row[key] for key in keys} for row in OF_THREE if row["partition"] == row["mvs_partition"]]
    last = START + 4 * HOUR
    marked = [head | {name: head["interval_start"] == last and head["system"] == "SYSA"} for head in heads]
    return data(rows, rmf_partition_head=marked)


DEFINED = [row | {"msu_defined_changed": row["partition"] == "LPARB" or None} for row in OF_THREE]
FROM = "FROM hourly_four_hour_msu"
ORDER = "ORDER BY machine, level, name, hour_start"
AT = f"date_diff('hour', TIMESTAMP '{START}', hour_start)"
PEAKS = f"level, scope, rolling_msu {FROM} WHERE is_peak {ORDER}"
MACHINES = f"machine, scope, rolling_msu, partitions {FROM} WHERE is_peak AND level = 'machine' {ORDER}"
CAPPED = f"level, name, {AT}, rolling_msu, capped_msu, cap_msu, cap_basis, peak_of {FROM} WHERE is_peak {ORDER}"
BASES = f"capped_msu, cap_basis {FROM} WHERE name = 'LPARA' AND {AT} >= 6 {ORDER}"
LAST_GROUP = f"rolling_msu, capped_msu, cap_basis {FROM} WHERE level = 'capacity_group' AND {AT} = 4"
UNKNOWN = f"level, rolling_msu, capped_msu, cap_basis, peak_of {FROM} WHERE is_peak AND level <> 'partition' {ORDER}"


test_machines_and_groups = examples(
    # 750 in four hours each, the second an hour later: 750 + 562.5 = 1312.5, where the peaks of the partitions sum to 1500.
    ("peak of the sum", PARTS, f"name, {AT}, partitions, {PEAKS}",
     [("SYSA", 7, 2, "machine", "SYSA", 1312.5), ("LPARA", 7, 1, "partition", "SYSA", 750), ("LPARB", 8, 1, "partition", None, 750)]),
    ("printed rows of the peak", PARTS, f"[[r.line, len(refs)] for r in refs] {FROM} WHERE is_peak AND level = 'machine'", [([[17, 2]] * 2,)]),
    ("pages of two systems count once", data(both(EARLY, LATE)), PEAKS,
     [("machine", "SYSA,SYSB", 1312.5), ("partition", "SYSA", 750), ("partition", "SYSB", 750)]),
    # Each page lists its own partition alone. By unlike codes, or with none, nothing says that they are on one machine.
    ("one sequence code", data(APART, rmf_cpu_activity=coded("ABC12", "ABC12")), MACHINES, [("ABC12", "SYSA,SYSB", 1312.5, 2)]),
    ("machines of one code", data(APART, rmf_cpu_activity=coded("ABC12", "ABC12")), f"DISTINCT machine {FROM} WHERE is_peak", [("ABC12",)]),
    ("unlike codes", data(APART, rmf_cpu_activity=coded("ABC12", "21CBA")),
     f"count(DISTINCT machine), bool_or(level = 'machine') {FROM} WHERE is_peak",
     [(2, False)]),
    ("no codes", data(APART), f"DISTINCT level {FROM}", [("partition",)]),
    # Both systems run in a partition LPARA, of 100 and of 900.
    ("one name on two machines", data(hourly(*[100.0] * 5), hourly(*[900.0] * 5, system="SYSZ")), f"machine, {PEAKS}",
     [("SYSA", "partition", "SYSA", 100), ("SYSZ", "partition", "SYSZ", 900)]),
    # 300 and 79.75 are of SYSC and SYSD, whichever partition of the other machine has the name of theirs.
    ("equal names", data(two_machines([300.0] * 5, [79.75] * 5)), MACHINES, [("SYSA", "SYSA,SYSB", 150, 2), ("SYSC", "SYSC,SYSD", 379.75, 2)]),
    # Each partition's own page: 300 of SYSC, 80 of SYSD.
    ("nearly equal figures", data(NEAR), MACHINES, [("SYSA", "SYSA,SYSB", 150, 2), ("SYSC", "SYSC,SYSD", 380, 2)]),
    # Nothing tells them apart: each page is of a machine of its own, never of two.
    ("equal figures", data(two_machines([100.0] * 5, [50.0] * 5)), MACHINES, [(s, s, 150, 2) for s in SYSTEMS]),
    ("codes tell like names apart", data(both(EARLY, LATE), rmf_cpu_activity=coded("A1", "B2")), MACHINES,
     [("A1", "SYSA", 1312.5, 2), ("B2", "SYSB", 1312.5, 2)]),
    # From then on four averages are not known, and the machine has no peak; LPARA has. In three hours nobody has an average of four.
    ("sum without a part", LOST, f"{AT}, partitions_unknown {FROM} WHERE level = 'machine' AND rolling_msu IS NULL {ORDER}",
     [(0, 2), (1, 2), (2, 2), (4, 1), (5, 1), (6, 1), (7, 1)]),
    ("peak without a part", LOST, f"name {FROM} WHERE is_peak", [("LPARA",)]),
    # LPARB's row of the last hour is lost, or it is printed for two hours only: LPARA's 100 alone are no sum of the hour after, nor of the
    # three that follow. (Those before hour 3 have no average of LPARA either.)
    *((f"printed for {hours} hours", data(hourly(*[100.0] * 12), hourly(*[50.0] * hours, name="LPARB")),
       f"{AT}, rolling_msu, is_peak {FROM} WHERE level = 'machine' AND {AT} >= {hours} AND partitions_unknown = 1 {ORDER}",
       [(hour, None, None) for hour in unknown]) for hours, unknown in ((11, [11]), (2, [3, 4, 5]))),
    ("no peak of a part", data(hourly(*[100.0] * 12), hourly(*[50.0] * 2, name="LPARB")),
     f"count(*) {FROM} WHERE level = 'machine' AND {AT} >= 2 AND is_peak", [(0,)]),
    # (0 + 0 + 0 + 400) / 4 = 100 in the fifth hour, beside 100 of LPARA.
    ("a deactivated partition uses nothing", data(hourly(*[100.0] * 5), DEACTIVATED, hourly(*[None] * 5, name="TEST", **OFF)), f"{AT}, {MACHINES}",
     [(4, "SYSA", "SYSA", 200, 2)]),
    # LPARA of 750 is capped at 600: with LPARB 600 + 562.5 at hour 7 and 562.5 + 750 at hour 8, which is now the peak. 600 is reached first
    # at hour 7 only: 3 x 750 / 4 = 562.5 before.
    ("defined capacity", data(hourly(*EARLY, msu_defined=600.0), hourly(*LATE, name="LPARB", msu_defined=0.0)), CAPPED,
     [("machine", "SYSA", 8, 1312.5, 1312.5, None, "defined_capacity", "capped_msu"),
      ("partition", "LPARA", 7, 750, 600, 600, "defined_capacity", "capped_msu"), ("partition", "LPARB", 8, 750, 750, None, "none", "capped_msu")]),
    ("capacity not printed", NOT_PRINTED, f"{AT}, rolling_msu, peak_of {FROM} WHERE is_peak", [(4, 800, "rolling_msu")]),
    ("basis not printed", NOT_PRINTED, f"{BASES} DESC LIMIT 1", [(None, "not_printed")]),
    ("defined within an hour", DEFINED_LATER, f"{AT}, rolling_msu, peak_of {FROM} WHERE is_peak", [(4, 800, "rolling_msu")]),
    ("basis of a part", DEFINED_LATER, f"{BASES} DESC LIMIT 1", [(None, "not_printed")]),
    ("lowered", LOWERED, f"capped_msu {FROM} WHERE {AT} >= 6 {ORDER}", [(700,), (650,)]),
    *((f"asterisk of {which}", data(rows), BASES, [(700, "defined_capacity"), (None, "changed")])
      for which, rows in (("one page", CHANGED), ("one of two", OF_BOTH))),
    # The peak is that of what was used, for with caps it is not known.
    ("peak with an asterisk", data(OF_BOTH), f"DISTINCT peak_of {FROM} WHERE name = 'LPARA'", [("rolling_msu",)]),
    ("machine with an asterisk", data(OF_BOTH), f"rolling_msu, capped_msu, cap_basis {FROM} WHERE level = 'machine' AND {AT} = 7",
     [(810, None, "changed")]),
    # 1400 of the group are capped at 1000, 300 at 200: 1200 of 1700.
    ("limit of a group", data(OF_THREE), f"scope, {CAPPED}",
     [("SYSA,SYSB", "capacity_group", "GROUP", 3, 1400, 1000, 1000, "group_limit", "capped_msu"),
      ("SYSA,SYSB,SYSC", "machine", "SYSA", 3, 1700, 1200, None, "group_limit", "capped_msu"),
      ("SYSA", "partition", "LPARA", 3, 800, 800, None, "none", "capped_msu"), ("SYSB", "partition", "LPARB", 3, 600, 600, None, "none",
       "capped_msu"),
      ("SYSC", "partition", "LPARC", 3, 300, 200, 200, "defined_capacity", "capped_msu")]),
    # The asterisk at the limit, at the group, and at a defined capacity of LPARB. Whose group changed, LPARA, may have been in another: what
    # is left of the group is not all that the limit is for.
    ("asterisk elsewhere", asterisk("wait_completion_changed"), LAST_GROUP, [(1400, 1000, "group_limit")]),
    ("asterisk of a limit", asterisk("capacity_group_limit_changed"), LAST_GROUP, [(1400, None, "limit_unknown")]),
    ("asterisk of a group", asterisk("capacity_group_changed"), LAST_GROUP, [(600, None, "members_unknown")]),
    ("asterisk of a member", asterisk("wait_completion_changed", DEFINED), LAST_GROUP, [(1400, None, "changed")]),
    # Without a page of its own LPARC may be in the group.
    ("members that are not known", data(grouped(THREE, "AB")), UNKNOWN,
     [("capacity_group", 1400, None, "members_unknown", "rolling_msu"), ("machine", 1700, None, "members_unknown", "rolling_msu")]),
    ("no limit printed", data([row | {"capacity_group_limit": None} for row in OF_THREE]), f"cap_basis {FROM} WHERE is_peak AND level <> 'partition'",
     [("limit_unknown",)] * 2),
    ("pages of a member end", data(ENDING),
     f"rolling_msu, cap_basis, partitions, partitions_unknown, hours_unknown, is_peak {FROM} WHERE level = 'capacity_group' AND {AT} >= 4 {ORDER}",
     [(1400, "group_limit", 2, 0, 1, None), (None, "members_unknown", 2, 1, 1, None)]),
    # Hours of 100 MSU from 10:00 to 14:00 at UTC+1, and a copy of the third read at UTC+2: by UTC that is the second hour.
    ("one interval of two offsets", data(
        [row | {"utc_offset_minutes": 60} for row in hourly(100.0, 200.0, 300.0, 400.0)],
        [hourly(100.0, 200.0, 300.0, 400.0)[2] | {"utc_offset_minutes": 120, "source_id": "copy"}]),
     "msu FROM interval_msu ORDER BY clock_start", [(100.0,), (None,), (300.0,), (400.0,)]),
)  # fmt: skip


def test_shares_of_the_classes_at_the_peak():
    """CICS 60% from 12:00, BATCH 80% in one hour: 2.4 and 0.8 engine hours of 3.2 in the four hours to 16:00. Partition Data has quarters:
    100 until 14:00, then 200; its peak hour from 15:00 has averages of 131.25, 137.5, 143.75 and 150: 140.625. The hour of classes
    whose middle is 11:30 is in the averages that end at 15:15 and 15:30: CICS used 10% there and 60% in three and in four hours."""
    classes = [service_class("CICS", 10.0, 60 * n, 3600, line=n + 10) for n in range(2)]
    classes += [service_class("CICS", 60.0, 60 * n, 3600, line=n + 10) for n in range(2, 6)]
    classes += [service_class("BATCH", 80.0, 180, 3600, line=30)]
    pages = [policy(1.0, 60 * n, 3600) for n in range(6)]
    policies = {name: [row for page in pages for row in page[name]] for name in pages[0]}
    lake = yield dict(
        rmf_workload_activity=classes,
        rmf_partition_data=[partition(n, 100.0 if n < 16 else 200.0) for n in range(24)],
        rmf_cpu_activity=machine(6),
        **policies,
    )
    rows = lake.rows("FROM peak_msu_by_class ORDER BY msu_source, class_name")
    assert [(r["msu_source"], r["level"], r["class_name"]) for r in rows] == [
        ("partition_data", "partition", "BATCH"), ("partition_data", "partition", "CICS"),
        ("workload_activity", "pages", "BATCH"), ("workload_activity", "pages", "CICS"),
    ]  # fmt: skip
    # CICS: two averages of (0.1 + 3 x 0.6) h and two of 4 x 0.6 h: 2.15 h of 2.15 + 0.8.
    assert [r["cp_time_s"] for r in rows] == approx([2880, 7740, 2880, 8640])
    assert [r["share_pct"] for r in rows] == approx([100 * 0.8 / 2.95, 100 * 2.15 / 2.95, 25, 75])
    # Of 181.41 MSU an engine hour in four hours; in service units of 180.
    of_four = 3084 / 17 / 4
    assert [r["gp_msu"] for r in rows] == approx([0.8 * of_four, 2.15 * of_four, 0.8 * of_four, 2.4 * of_four])
    assert [r["gp_msu_service"] for r in rows] == approx([36, 96.75, 36, 108])
    assert [r["rolling_msu"] for r in rows] == approx([140.625] * 2 + [3.2 * of_four] * 2)
    assert {(r["peak_start"], r["peak_end"]) for r in rows} == {(START + 5 * HOUR, START + 6 * HOUR)}
    assert [ref["line"] for ref in rows[1]["refs"]] == [11, 12, 13, 14, 15]
    assert [ref["line"] for ref in rows[3]["refs"]] == [12, 13, 14, 15]


def test_what_ran_hours_before_weighs_as_the_average_does():
    """Four hours of 550, four of 800. CICS 50% always; BATCH 80% from 13:00 to 14:00, of which the averages that end at 17:15, 17:30, 17:45
    and 18:00 hold 3, 2, 1 and 0 quarters: 1.5 x 900 x 0.8 = 1080 s of 1080 + 7200."""
    classes = [service_class("CICS", 50.0, 15 * n, 900, line=n + 10) for n in range(32)]
    classes += [service_class("BATCH", 80.0, 15 * n, 900, line=n + 60) for n in range(12, 16)]
    parts = [partition(n, 550.0 if n < 16 else 800.0) for n in range(32)]
    # With a quarter of workload pages missing the four hours are not whole.
    fewer = [row for row in classes if row["interval_start"] != START + 6 * HOUR]
    lake, gap = yield [{"rmf_workload_activity": rows, "rmf_partition_data": parts} for rows in (classes, fewer)]
    batch, cics = lake.rows("FROM peak_msu_by_class ORDER BY class_name")
    assert (batch["cp_time_s"], cics["cp_time_s"]) == (approx(1080), approx(7200))
    assert (batch["share_pct"], cics["share_pct"]) == (approx(100 * 1080 / 8280), approx(100 * 7200 / 8280))
    expect(batch, rolling_msu=approx(776.5625), gp_msu=None, msu_basis="not_in_lake")
    assert {r["share_pct"] for r in gap.rows("FROM peak_msu_by_class")} == {None}


def test_a_class_at_the_peak_is_not_known_where_an_interval_may_have_lost_it():
    """Four hours of CICS 50%, each on its page; BATCH 80% in the second hour alone: 7200 and 2880 s, 71.4 and 28.6%. A line of the third
    page could not be read: BATCH may have been there, CICS was; the shares are of what is not known. One of the second page, where
    both are printed, leaves both known."""
    classes = [service_class("CICS", 50.0, 60 * n, 3600, line=n + 10, page=n + 1) for n in range(4)]
    classes += [service_class("BATCH", 80.0, 60, 3600, line=30, page=2)]
    pages: Row = {"rmf_workload_activity": classes, "rmf_partition_data": hourly(*[100.0] * 4)}
    pages |= {"rmf_cpu_activity": machine(4)}
    reject = {"report": "rmf_workload_activity", "source_id": "s1", "line": 99}
    lakes = yield [pages | {"parse_reject": [reject | {"page": page}]} for page in (2, 3)]
    expected = (2880, [100 * 2880 / 10080, 100 * 7200 / 10080]), (None, [None, None])
    for lake, (batch, shares) in zip(lakes, expected, strict=True):
        for source in ("partition_data", "workload_activity"):
            rows = lake.rows(f"FROM peak_msu_by_class WHERE msu_source = '{source}' ORDER BY class_name")
            assert [row["cp_time_s"] for row in rows] == [batch, 7200]
            assert [row["share_pct"] for row in rows] == (shares if batch is None else approx(shares))
            assert [row["gp_msu"] is None for row in rows] == [batch is None, False]


def test_a_system_that_never_prints_a_class_does_not_leave_it_unknown():
    """CICS on SYSA, BATCH on SYSB, whose first page has a line that could not be read: nothing says that CICS runs there."""
    classes = [service_class("CICS", 60.0, 60 * n, 3600, line=n + 10) for n in range(4)]
    classes += [
        service_class("BATCH", 20.0, 60 * n, 3600, scope="SYSB", line=n + 50, source_id="s2", page=n + 1)
        for n in range(4)
    ]
    reject = {"report": "rmf_workload_activity", "source_id": "s2", "page": 1, "line": 99}
    lake = yield {"rmf_workload_activity": classes, "rmf_partition_data": both([100.0] * 4, [50.0] * 4), "parse_reject": [reject]}  # fmt: skip
    found = lake.rows("FROM peak_msu_by_class WHERE level = 'machine' ORDER BY class_name")
    # 4 x 0.2 and 4 x 0.6 hours.
    assert [(row["class_name"], row["share_pct"]) for row in found] == [("BATCH", approx(25)), ("CICS", approx(75))]


def test_classes_of_all_systems_share_the_peak_of_a_machine():
    """SYSA: CICS 60% in all eight hours. SYSB: BATCH 80% from the sixth on. At the peak of the machine, hour 7: 4 x 0.6 and 3 x 0.8 hours."""
    classes = [service_class("CICS", 60.0, 60 * n, 3600, line=n + 10) for n in range(9)]
    of_b = [service_class("BATCH", 80.0 if n >= 5 else 0.0, 60 * n, 3600, scope="SYSB", line=n + 50) for n in range(9)]
    parts = both(EARLY[:9], LATE[:9])
    lake, without_b = yield [
        {"rmf_workload_activity": rows, "rmf_partition_data": parts} for rows in (classes + of_b, classes)
    ]
    found = lake.rows("FROM peak_msu_by_class WHERE level = 'machine' ORDER BY class_name")
    assert [(r["class_name"], r["share_pct"], r["rolling_msu"]) for r in found] == [
        ("BATCH", approx(50), 1312.5), ("CICS", approx(50), 1312.5),
    ]  # fmt: skip
    # LPARB's own peak is hour 8: nothing but BATCH.
    (own,) = lake.rows("FROM peak_msu_by_class WHERE name = 'LPARB'")
    assert (own["class_name"], own["share_pct"], own["rolling_msu"]) == ("BATCH", approx(100), 750)
    # Without the pages of SYSB the shares of the machine are not known.
    assert {r["share_pct"] for r in without_b.rows("FROM peak_msu_by_class WHERE level = 'machine'")} == {None}


def test_classes_at_a_peak_over_a_clock_change():
    """Clocks go from 3 to 4 o'clock. CICS 50% in the four hours 2, 4, 5 and 6, which are the peak; BATCH in the hour 1 only."""
    hours, offsets = [0, 1, 2, 4, 5, 6], [-300] * 3 + [-240] * 3
    parts = clocked(hours, offsets, 0, 0, 100, 100, 100, 100)
    classes = [service_class("CICS" if hour > 1 else "BATCH", 50.0, 60 * hour, 3600, line=hour + 10) for hour in hours]
    known = [row | {"utc_offset_minutes": offset} for row, offset in zip(classes, offsets, strict=True)]
    lake = yield {"rmf_workload_activity": known, "rmf_partition_data": parts}
    found = lake.rows("FROM peak_msu_by_class WHERE msu_source = 'partition_data'")
    assert [(r["class_name"], r["cp_time_s"]) for r in found] == [("CICS", approx(7200))]
