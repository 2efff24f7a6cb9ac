"""Peaks of machines, defined capacity and groups, and the share of the classes at the peak, worked by hand."""

import pytest
from msu_rows import clocked, hour_of
from one_lake import Asks, each
from rmf_rows import HOUR, both, hourly, machine, partition, policy, service_class
from views_lake import START, Row, expect

EARLY = [0.0] * 4 + [750.0] * 4 + [0.0] * 4
LATE = [0.0] * 5 + [750.0] * 4 + [0.0] * 3


def hours_of(rows: list[Row], where: str = "TRUE", **tables: list[Row]) -> Asks[list[Row]]:
    lake = yield dict(rmf_partition_data=rows, **tables)
    return lake.rows(f"FROM hourly_four_hour_msu WHERE {where} ORDER BY machine, level, name, hour_start")


def test_the_peak_of_a_machine_is_that_of_the_sum():
    """750 in four hours each, the second an hour later: 750 + 562.5 = 1312.5, where the peaks of the partitions sum to 1500."""
    rows = [*hourly(*EARLY), *hourly(*LATE, name="LPARB")]
    peaks = yield from hours_of(rows, "is_peak")
    assert [(r["level"], r["name"], hour_of(r), r["rolling_msu"]) for r in peaks] == [
        ("machine", "SYSA", 7, 1312.5), ("partition", "LPARA", 7, 750), ("partition", "LPARB", 8, 750),
    ]  # fmt: skip
    assert [(r["scope"], r["partitions"]) for r in peaks] == [("SYSA", 2), ("SYSA", 1), (None, 1)]


def test_what_pages_of_two_systems_print_of_a_machine_counts_once():
    peaks = yield from hours_of(both(EARLY, LATE), "is_peak")
    assert [(r["level"], r["scope"], r["rolling_msu"]) for r in peaks] == [
        ("machine", "SYSA,SYSB", 1312.5), ("partition", "SYSA", 750), ("partition", "SYSB", 750),
    ]  # fmt: skip


def test_systems_of_one_sequence_code_are_on_one_machine():
    """Each page lists its own partition alone. By unlike codes, or with none, nothing says that they are on one machine."""
    rows = [*hourly(*EARLY), *hourly(*LATE, system="SYSB", name="LPARB", own="LPARB")]
    code = "00000000000ABC12"
    same, unlike = (
        [*machine(12, sequence_code=code), *machine(12, "SYSB", sequence_code=other)] for other in (code, code[::-1])
    )
    of_one, of_two, of_none = yield from each(
        *(hours_of(rows, "is_peak", rmf_cpu_activity=cpus) for cpus in (same, unlike)), hours_of(rows)
    )
    assert [(r["machine"], r["rolling_msu"]) for r in of_one if r["level"] == "machine"] == [(code, 1312.5)]
    assert {r["machine"] for r in of_one} == {code}
    assert ([r for r in of_two if r["level"] == "machine"], len({r["machine"] for r in of_two})) == ([], 2)
    assert {r["level"] for r in of_none} == {"partition"}


def test_partitions_of_one_name_are_on_two_machines():
    """Both systems run in a partition LPARA, of 100 and of 900."""
    rows = [*hourly(*[100.0] * 5), *hourly(*[900.0] * 5, system="SYSZ")]
    found = yield from hours_of(rows, "is_peak")
    assert [(r["machine"], r["scope"], r["rolling_msu"]) for r in found] == [
        ("SYSA", "SYSA", 100),
        ("SYSZ", "SYSZ", 900),
    ]


def two_machines(of_c: list[float], of_d: list[float], **other: object) -> list[Row]:
    """Of each the pages of two systems in LPARA and LPARB: 100 and 50 of one machine."""
    names = {"SYSA": "SYSC", "SYSB": "SYSD"}
    second = [r | {"system": names[r["system"]], "source_id": names[r["source_id"]]} for r in both(of_c, of_d, **other)]
    return [*both([100.0] * 5, [50.0] * 5), *second]


def test_equal_partition_names_on_two_machines_without_sequence_codes():
    """300 and 79.75 are of SYSC and SYSD, whichever partition of the other machine has the name of theirs. Pages of one machine print one
    figure of a partition, or nearly: intervals end a little apart."""
    equal, near, alike = yield from each(
        hours_of(two_machines([300.0] * 5, [79.75] * 5), "is_peak AND level = 'machine'"),
        hours_of(
            [r | {"msu_used": r["msu_used"] + (r["system"] == "SYSD")} for r in two_machines([300.0] * 5, [79.0] * 5)],
            "is_peak AND level = 'machine'",
        ),
        hours_of(two_machines([100.0] * 5, [50.0] * 5), "is_peak AND level = 'machine'"),
    )
    assert [(r["machine"], r["scope"], r["rolling_msu"], r["partitions"]) for r in equal] == [
        ("SYSA", "SYSA,SYSB", 150, 2),
        ("SYSC", "SYSC,SYSD", 379.75, 2),
    ]
    # Each partition's own page: 300 of SYSC, 80 of SYSD.
    assert [(r["machine"], r["scope"], r["rolling_msu"]) for r in near] == [
        ("SYSA", "SYSA,SYSB", 150),
        ("SYSC", "SYSC,SYSD", 380),
    ]
    # Nothing tells them apart: each page is of a machine of its own, never of two.
    assert [(r["machine"], r["scope"], r["rolling_msu"]) for r in alike] == [
        (s, s, 150) for s in ("SYSA", "SYSB", "SYSC", "SYSD")
    ]


def test_sequence_codes_tell_machines_apart_whose_partitions_have_like_names():
    cpus = [*machine(12, sequence_code="A1"), *machine(12, "SYSB", sequence_code="B2")]
    found = yield from hours_of(both(EARLY, LATE), "is_peak AND level = 'machine'", rmf_cpu_activity=cpus)
    assert [(r["machine"], r["scope"], r["rolling_msu"]) for r in found] == [
        ("A1", "SYSA", 1312.5),
        ("B2", "SYSB", 1312.5),
    ]


def test_a_sum_without_one_of_its_partitions_is_not_known():
    """LPARB's fifth hour is not read: from then on four averages are not known, and the machine has no peak. LPARA has."""
    rows = [*hourly(*EARLY), *hourly(*LATE[:4], None, *LATE[5:], name="LPARB")]
    found = yield from hours_of(rows)
    assert [r["rolling_msu"] is None for r in found if r["level"] == "machine"] == [
        *[True] * 3,
        False,
        *[True] * 4,
        *[False] * 4,
    ]
    assert {r["partitions_unknown"] for r in found if r["level"] == "machine" and hour_of(r) == 5} == {1}
    assert [r["name"] for r in found if r["is_peak"]] == ["LPARA"]


def test_a_partition_that_is_printed_no_more_is_not_known():
    """LPARB's row of the last hour is lost, or it is printed for two hours only: LPARA's 100 alone are no sum of the hour after, nor of
    the three that follow. (Those before hour 3 have no average of LPARA either.)"""
    cases = {11: [11], 2: [3, 4, 5]}
    rows = [[*hourly(*[100.0] * 12), *hourly(*[50.0] * hours, name="LPARB")] for hours in cases]
    for found, (hours, unknown) in zip((yield from each(*map(hours_of, rows))), cases.items(), strict=True):
        sums = [r for r in found if r["level"] == "machine" and hour_of(r) >= hours]
        assert [hour_of(r) for r in sums if r["partitions_unknown"] == 1] == unknown
        assert [r["rolling_msu"] for r in sums if hour_of(r) in unknown] == [None] * len(unknown)
        assert {r["is_peak"] for r in sums} == {None}


def test_a_partition_that_is_deactivated_uses_nothing():
    """LPARB is printed as deactivated in the first four hours: (0 + 0 + 0 + 400) / 4 = 100 in the fifth, beside 100 of LPARA. One that
    never had processors is no partition of the machine."""
    off = {"processor_type": None, "status": "D"}
    rows = [*hourly(*[100.0] * 5), *hourly(*[None] * 4, 400.0, name="LPARB"), *hourly(*[None] * 5, name="TEST", **off)]
    rows = [row | (off if row["partition"] == "LPARB" and row["msu_used"] is None else {}) for row in rows]
    (peak,) = yield from hours_of(rows, "is_peak AND level = 'machine'")
    assert (hour_of(peak), peak["rolling_msu"], peak["partitions"]) == (4, 200, 2)


def test_the_lesser_of_average_and_defined_capacity_counts():
    """LPARA of 750 is capped at 600: with LPARB 600 + 562.5 at hour 7 and 562.5 + 750 at hour 8, which is now the peak."""
    rows = [*hourly(*EARLY, msu_defined=600.0), *hourly(*LATE, name="LPARB", msu_defined=0.0)]
    peaks = yield from hours_of(rows, "is_peak")
    assert [(r["level"], r["name"], hour_of(r), r["capped_msu"], r["cap_msu"], r["cap_basis"]) for r in peaks] == [
        ("machine", "SYSA", 8, 1312.5, None, "defined_capacity"),
        # 600 is reached first at hour 7 only: 3 x 750 / 4 = 562.5 before.
        ("partition", "LPARA", 7, 600, 600, "defined_capacity"),
        ("partition", "LPARB", 8, 750, None, "none"),
    ]
    assert {r["peak_of"] for r in peaks} == {"capped_msu"}


def test_a_defined_capacity_that_is_not_known_caps_nothing():
    """Not printed; and defined in the middle of an hour, whose mean would be of 600 and of none."""
    rows = [
        [partition(n, 800.0, msu_defined=600.0 if n >= 30 else defined) for n in range(32)]
        for defined in (None, 0.0, 700.0)
    ]
    *unknown, changed = yield from each(*map(hours_of, rows))
    for found in unknown:
        assert [(r["capped_msu"], r["cap_basis"]) for r in found][-1] == (None, "not_printed")
        assert [(hour_of(r), r["rolling_msu"], r["peak_of"]) for r in found if r["is_peak"]] == [
            (4, 800, "rolling_msu")
        ]
    assert [r["capped_msu"] for r in changed][-2:] == [700, 650]


def test_a_defined_capacity_that_changed_within_an_interval_caps_nothing():
    """An asterisk beside DEF of the last quarter: 600 is the newest value, and what held before in it is not known. It is so where another
    page of the machine prints the same without one."""
    rows = [partition(n, 800.0, msu_defined=700.0 if n < 31 else 600.0) for n in range(32)]
    rows[-1]["msu_defined_changed"] = True
    other = [
        row | {"system": "SYSB", "mvs_partition": "LPARB", "source_id": "s2", "msu_defined_changed": None}
        for row in rows
    ]
    of_b = [row | {"partition": "LPARB", "msu_used": 10.0, "msu_defined": 0.0} for row in other]
    of_both = [*rows, *other, *of_b, *(row | {"system": "SYSA", "mvs_partition": "LPARA"} for row in of_b)]
    for all_rows in (answers := (yield from each(hours_of(rows), hours_of(of_both)))):
        found = [r for r in all_rows if r["name"] == "LPARA"]
        assert [(r["cap_msu"], r["capped_msu"], r["cap_basis"]) for r in found][-2:] == [
            (700, 700, "defined_capacity"),
            (None, None, "changed"),
        ]
        # The peak is that of what was used, for with caps it is not known.
        assert {r["peak_of"] for r in found} == {"rolling_msu"}
    machine = [r for r in answers[-1] if r["level"] == "machine"]
    assert [(r["rolling_msu"], r["capped_msu"], r["cap_basis"]) for r in machine][-1] == (810, None, "changed")


def test_a_group_that_changed_within_an_interval_has_no_limit():
    """LPARA and LPARB of a group of 1000, the asterisk at the limit, at the group, and at a defined capacity of LPARB in the last hour."""
    heads = [
        {key: row[key] for key in ("system", "report_kind", "interval_start", "interval_end", "mvs_partition", "line")}
        for row in group_of_three()
        if row["partition"] == row["mvs_partition"]
    ]
    last = START + 4 * HOUR

    def groups(name: str, rows: list[Row]) -> Asks[list[tuple[object, object, str]]]:
        changed = [head | {name: head["interval_start"] == last and head["system"] == "SYSA"} for head in heads]
        found = yield from hours_of(rows, "level = 'capacity_group'", rmf_partition_head=changed)
        return [(r["rolling_msu"], r["capped_msu"], r["cap_basis"]) for r in found if r["hour_start"] == last]

    defined = [row | {"msu_defined_changed": row["partition"] == "LPARB" or None} for row in group_of_three()]
    changed = "wait_completion_changed", "capacity_group_limit_changed", "capacity_group_changed"
    found = yield from each(*(groups(name, group_of_three()) for name in changed), groups(changed[0], defined))
    # Whose group changed, LPARA, may have been in another: what is left of the group is not all that the limit is for.
    assert found == [
        [(1400, 1000, "group_limit")], [(1400, None, "limit_unknown")],
        [(600, None, "members_unknown")], [(1400, None, "changed")],
    ]  # fmt: skip


def group_of_three(with_page_of_c: bool = True) -> list[Row]:
    """LPARA 800 and LPARB 600 in a group of 1000, LPARC 300 with a defined capacity of 200 in none."""
    used = {"LPARA": 800.0, "LPARB": 600.0, "LPARC": 300.0}
    rows = []
    for own in (*used,)[: 3 if with_page_of_c else 2]:
        group = {"capacity_group": "GROUP", "capacity_group_limit": 1000.0} if own != "LPARC" else {}
        for name, msu in used.items():
            defined = {"msu_defined": 200.0 if name == "LPARC" else 0.0}
            rows += hourly(*[msu] * 5, system=f"SYS{own[-1]}", name=name, own=own, **group, **defined)
    return rows


def test_a_group_counts_its_limit():
    """1400 of the group are capped at 1000, 300 at 200: 1200 of 1700."""
    peaks = yield from hours_of(group_of_three(), "is_peak")
    assert [
        (r["level"], r["name"], r["rolling_msu"], r["capped_msu"], r["cap_msu"], r["cap_basis"]) for r in peaks
    ] == [
        ("capacity_group", "GROUP", 1400, 1000, 1000, "group_limit"),
        ("machine", "SYSA", 1700, 1200, None, "group_limit"),
        ("partition", "LPARA", 800, 800, None, "none"),
        ("partition", "LPARB", 600, 600, None, "none"),
        ("partition", "LPARC", 300, 200, 200, "defined_capacity"),
    ]
    assert [r["scope"] for r in peaks] == ["SYSA,SYSB", "SYSA,SYSB,SYSC", "SYSA", "SYSB", "SYSC"]


def test_a_group_whose_members_are_not_known_has_no_sum():
    """Without a page of its own LPARC may be in the group."""
    limits = [row | {"capacity_group_limit": None} for row in group_of_three()]
    of_two = group_of_three(with_page_of_c=False)
    peaks, unlimited = yield from each(hours_of(of_two, "is_peak"), hours_of(limits, "is_peak"))
    assert [(r["level"], r["rolling_msu"], r["capped_msu"], r["cap_basis"], r["peak_of"]) for r in peaks][:2] == [
        ("capacity_group", 1400, None, "members_unknown", "rolling_msu"),
        ("machine", 1700, None, "members_unknown", "rolling_msu"),
    ]
    assert [r["cap_basis"] for r in unlimited][:2] == ["limit_unknown", "limit_unknown"]


def test_a_group_of_which_the_pages_of_a_member_end_is_unknown_from_then_on():
    """LPARB, 600 of 1400, is on SYSA's page to the end, its own ends an hour before: then the group is not 800."""
    rows = [row for row in hours_of_two() if row["system"] != "SYSB" or row["interval_start"] < START + 5 * HOUR]
    names = "rolling_msu", "cap_basis", "partitions", "partitions_unknown", "hours_unknown", "is_peak"
    found = [tuple(r[n] for n in names) for r in (yield from hours_of(rows, "level = 'capacity_group'"))]
    assert found[4:] == [(1400, "group_limit", 2, 0, 1, None), (None, "members_unknown", 2, 1, 1, None)]


def hours_of_two() -> list[Row]:
    """Six hours of LPARA 800 and LPARB 600 in a group of 1000."""
    used, group = (
        {"LPARA": 800.0, "LPARB": 600.0},
        {"capacity_group": "GROUP", "capacity_group_limit": 1000.0, "msu_defined": 0.0},
    )
    return [
        row
        for own in used
        for name, msu in used.items()
        for row in hourly(*[msu] * 6, system=f"SYS{own[-1]}", name=name, own=own, **group)
    ]


def test_printed_rows_of_the_peak_are_named():
    (peak,) = yield from hours_of([*hourly(*EARLY), *hourly(*LATE, name="LPARB")], "is_peak AND level = 'machine'")
    assert [(ref["source_id"], ref["line"]) for ref in peak["refs"]] == [("SYSA", 17), ("SYSA", 17)]


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
    assert [r["cp_time_s"] for r in rows] == pytest.approx([2880, 7740, 2880, 8640])
    assert [r["share_pct"] for r in rows] == pytest.approx([100 * 0.8 / 2.95, 100 * 2.15 / 2.95, 25, 75])
    # Of 181.41 MSU an engine hour in four hours; in service units of 180.
    of_four = 3084 / 17 / 4
    assert [r["gp_msu"] for r in rows] == pytest.approx([0.8 * of_four, 2.15 * of_four, 0.8 * of_four, 2.4 * of_four])
    assert [r["gp_msu_service"] for r in rows] == pytest.approx([36, 96.75, 36, 108])
    assert [r["rolling_msu"] for r in rows] == pytest.approx([140.625] * 2 + [3.2 * of_four] * 2)
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
    assert (batch["cp_time_s"], cics["cp_time_s"]) == (pytest.approx(1080), pytest.approx(7200))
    assert (batch["share_pct"], cics["share_pct"]) == (
        pytest.approx(100 * 1080 / 8280),
        pytest.approx(100 * 7200 / 8280),
    )
    expect(batch, rolling_msu=pytest.approx(776.5625), gp_msu=None, msu_basis="not_in_lake")
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
            assert [row["share_pct"] for row in rows] == (shares if batch is None else pytest.approx(shares))
            assert [row["gp_msu"] is None for row in rows] == [batch is None, False]


def test_a_system_that_never_prints_a_class_does_not_leave_it_unknown():
    """CICS on SYSA, BATCH on SYSB, whose first page has a line that could not be read: nothing says that CICS runs there."""
    classes = [service_class("CICS", 60.0, 60 * n, 3600, line=n + 10) for n in range(4)]
    classes += [
        service_class("BATCH", 20.0, 60 * n, 3600, scope="SYSB", line=n + 50, source_id="s2", page=n + 1)
        for n in range(4)
    ]
    reject = {"report": "rmf_workload_activity", "source_id": "s2", "page": 1, "line": 99}
    lake = yield {
        "rmf_workload_activity": classes,
        "rmf_partition_data": both([100.0] * 4, [50.0] * 4),
        "parse_reject": [reject],
    }
    found = lake.rows("FROM peak_msu_by_class WHERE level = 'machine' ORDER BY class_name")
    # 4 x 0.2 and 4 x 0.6 hours.
    assert [(row["class_name"], row["share_pct"]) for row in found] == [
        ("BATCH", pytest.approx(25)),
        ("CICS", pytest.approx(75)),
    ]


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
        ("BATCH", pytest.approx(50), 1312.5), ("CICS", pytest.approx(50), 1312.5),
    ]  # fmt: skip
    # LPARB's own peak is hour 8: nothing but BATCH.
    (own,) = lake.rows("FROM peak_msu_by_class WHERE name = 'LPARB'")
    assert (own["class_name"], own["share_pct"], own["rolling_msu"]) == ("BATCH", pytest.approx(100), 750)
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
    assert [(r["class_name"], r["cp_time_s"]) for r in found] == [("CICS", pytest.approx(7200))]


def test_one_interval_with_two_offsets_is_unknown_where_it_meets_another():
    """Hours of 100 MSU from 10:00 to 14:00 at UTC+1, and a copy of the third read at UTC+2: by UTC that is the second hour."""
    hours = [row | {"utc_offset_minutes": 60} for row in hourly(100.0, 200.0, 300.0, 400.0)]
    copy = hours[2] | {"utc_offset_minutes": 120, "source_id": "copy"}
    lake = yield {"rmf_partition_data": [*hours, copy]}
    found = lake.rows("SELECT interval_start, msu FROM interval_msu ORDER BY clock_start")
    assert [row["msu"] for row in found] == [100.0, None, 300.0, 400.0]
