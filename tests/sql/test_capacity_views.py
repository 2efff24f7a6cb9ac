"""Views of what pages print and no view asked for: partitions and their entitlement, polarization, delays beside goals, links and storage of
coupling facilities, XCF buffers, Little's law. Expected values are worked from the pages."""

import datetime as dt

import pytest
from views_lake import START, Row, expect, heading, lake_of, one_row, place, sample_rows

PARTITIONS = ("rmf_partition_data", "rmf_partition_head")
GOALS = ("rmf_workload_goal", "rmf_workload_delay", "rmf_workload_activity")
MINUTE = dt.timedelta(minutes=1)


def test_entitlement_off_the_page():
    """CP: weights 600, 350 and 50 of 1,000 and 10 processors, 899.998 s. IIP: 700 of 1,000 of 6 is 4.2, with 4 logical processors 4."""
    lake = yield sample_rows("partition_three_types", *PARTITIONS)
    rows = {(row["partition"], row["processor_type"]): row for row in lake.rows("SELECT * FROM partition_capacity")}
    cp = {name: rows[name, "CP"] for name in ("PRDA", "PRDB", "SANDBOX")}
    assert {name: row["entitled_engines"] for name, row in cp.items()} == {"PRDA": 6, "PRDB": 3.5, "SANDBOX": 0.5}
    assert cp["PRDA"]["used_engines"] == pytest.approx(3164.118 / 899.998)
    # 3164.118 s in 899.998 s are 58.595% of 6 entitled and of 6 logical ones; 941.204 s are 29.88% of 3.5, 26.14% of 4.
    used = [(row["use_of_entitlement_pct"], row["use_of_logical_pct"]) for row in cp.values()]
    assert used == [pytest.approx(pair, abs=0.005) for pair in ((58.595, 58.595), (29.88, 26.14), (7.33, 3.67))]
    assert [(row["is_capped"], row["capping_wlm_pct"]) for row in cp.values()] == [(True, 0), (False, 0), (True, 12.5)]
    assert (rows["PRDA", "IIP"]["entitled_engines"], rows["PRDB", "IIP"]["entitled_engines"]) == (4, pytest.approx(1.8))
    facility = rows["CF1", "ICF"]
    assert (facility["dedicated"], facility["entitled_engines"], facility["weight"]) == (True, 2, None)
    assert facility["use_of_entitlement_pct"] == pytest.approx(99.995, abs=5e-4)
    # The head of the page prints ICF 2.
    assert facility["physical_engines"] == 2
    # A partition that is not active has no type.
    assert {name for name, _ in rows} == {"PRDA", "PRDB", "SANDBOX", "CF1"}


def test_the_machine_off_the_page():
    """4,138.328 s of partitions and 43.21 s of *PHYSICAL*: 4.646 of 10; management 51.801 + 43.21 s; 11 logical on 10 physical ones."""
    lake = yield sample_rows("partition_three_types", *PARTITIONS)
    row = one_row(lake, "SELECT * FROM machine_capacity WHERE processor_type = 'CP'")
    expect(row, partitions=3, physical_engines=10, logical_per_physical=pytest.approx(1.1))
    expect(row, busy_engines=pytest.approx(4.646164, abs=5e-06), physical_busy_pct=pytest.approx(46.46164, abs=5e-06))
    expect(row, management_engines=pytest.approx(0.105568, abs=5e-06), management_pct=pytest.approx(1.05568, abs=5e-06))
    expect(row, free_engines=pytest.approx(5.353836, abs=5e-6), capped_partitions=2, partitions_beyond_entitlement=0)


def test_no_entitlement_where_the_processors_changed_within_the_interval():
    """The page prints PRODA's use, and an asterisk beside the number of general processors."""
    lake = yield sample_rows("partition_boost_and_changed_values", *PARTITIONS)
    row = one_row(lake, "SELECT * FROM partition_capacity WHERE partition = 'PRODA' AND processor_type = 'CP'")
    expect(row, entitled_engines=None, use_of_entitlement_pct=None, null_reason="changed within the interval")
    expect(row, used_engines=pytest.approx(4337.204 / 598.12))
    assert one_row(
        lake, "SELECT partitions_beyond_entitlement AS n FROM machine_capacity WHERE processor_type = 'CP'"
    ) == {"n": None}


def partition(name: str | None, line: int = 300, **other: object) -> Row:
    row: Row = heading(line=line)
    row |= {"system": "SYSA", "source_form": "print", "partition": name, "processor_type": "CP"}
    row |= {"is_total": name is None, "dedicated": False, "interval_s": 900.0, "interval_end": START + 15 * MINUTE}
    row |= {"physical_processors_cp": 4, "mvs_partition": "PRODA"}
    if name and name != "*PHYSICAL*":
        row |= {"weight": 300.0, "logical_processors": 4.0, "effective_dispatch": 890.0, "total_dispatch": 900.0}
    return row | other


@pytest.mark.parametrize(
    ("change", "entitled", "reason"),
    [
        ({}, 3, None),
        ({"weight": None}, None, "a weight is not printed"),
        ({"physical_processors_cp": None}, None, "physical processors of the type not printed"),
        ({"weight_changed": True}, None, "changed within the interval"),
        ({"logical_processors": 2.0}, 2, None),
        ({"weight": 0.0}, 0, None),
    ],
)
def test_entitlement_of_one_partition(change: Row, entitled: float | None, reason: str | None):
    """300 and 100 of 400, of 4 processors."""
    own = partition("PRODA", **change)
    of_machine = {k: v for k, v in change.items() if k == "physical_processors_cp"}
    lake = yield {"rmf_partition_data": [own, partition("PRODB", line=301, weight=100.0, **of_machine)]}
    row = one_row(lake, "FROM partition_capacity WHERE partition = 'PRODA'")
    assert (row["entitled_engines"], row["null_reason"], row["is_own"]) == (entitled, reason, True)


def test_a_lost_partition_leaves_no_entitlement():
    """TOTAL adds up 400; the row of 100 is not there."""
    lake = yield {"rmf_partition_data": [partition("PRODA"), partition(None, line=310, weight=400.0)]}
    row = one_row(lake, "SELECT entitled_engines, null_reason FROM partition_capacity")
    assert row == {"entitled_engines": None, "null_reason": "not all partitions are there"}


def test_a_partition_beyond_its_entitlement_and_dedicated_processors():
    """One dedicated processor leaves 3: 100 of 400 is 0.75, of which 1 is used. 3 of 4 physical ones and 0.1 are busy."""
    rows = [partition("PRODA"), partition("PRODB", line=301, weight=100.0)]
    rows.append(partition("*PHYSICAL*", line=303, total_dispatch=90.0))
    rows.append(partition("ALONE", line=302, weight=None, dedicated=True, logical_processors=1.0))
    lake = yield {"rmf_partition_data": rows}
    row = one_row(lake, "SELECT * FROM partition_capacity WHERE partition = 'PRODB'")
    assert (row["entitled_engines"], row["use_of_entitlement_pct"]) == (0.75, pytest.approx(400 / 3))
    row = one_row(lake, "SELECT * FROM machine_capacity")
    assert (row["partitions_beyond_entitlement"], row["physical_busy_pct"]) == (1, pytest.approx(77.5))
    assert (row["logical_processors_shared"], row["shared_engines"]) == (8, 3)
    # These pages print no caps: nobody knows how many there are.
    assert row["capped_partitions"] is None


@pytest.mark.parametrize(("total", "busy"), [(990.0, 1.1), (990.5, 1.1), (1890.0, None)])
def test_partitions_that_are_lost_leave_the_machine_unknown(total: float, busy: float | None):
    """900 s of a partition and 90 s of *PHYSICAL*; TOTAL has these, as rounding has it, or 900 s more."""
    rows = [partition("PRODA"), partition("*PHYSICAL*", line=303, total_dispatch=90.0)]
    lake = yield {"rmf_partition_data": [*rows, partition(None, line=310, weight=300.0, total_dispatch=total)]}
    row = one_row(lake, "SELECT busy_engines, free_engines, physical_busy_pct FROM machine_capacity")
    assert (row["busy_engines"], row["physical_busy_pct"] is None) == (busy and pytest.approx(busy), busy is None)


def processor(number: str, line: int, **other: object) -> Row:
    row: Row = heading(line=line)
    row |= {"system": "SYSA", "source_form": "print", "processor_type": "CP", "processor_id": number, "thread": 0}
    row |= {"is_total": False}
    return row | {"online_pct": 100.0, "parked_pct": 0.0, "hiperdispatch": "YES"} | other


def test_ready_and_dispatched_of_the_published_page():
    """Five general processors: 46.41% LPAR BUSY of five are 9.28, as printed. MVS BUSY of what is not parked: 31.61, 15.74 and 3.51 of
    0.23% are 23.65, printed as 23.66 (99.77% parked is rounded)."""
    printed = (("MED", 31.10, 31.61, 0.0, 50.1), ("MED", 15.31, 15.74, 0.0, 50.1), ("LOW", 0.0, 3.51, 99.77, 0.0))
    printed += (("LOW", 0.0, None, 100.0, 0.0), ("LOW", 0.0, None, 100.0, 0.0))
    names = ("polarization", "lpar_busy_pct", "mvs_busy_pct", "parked_pct", "logical_share_pct")
    rows = [processor(str(n), 400 + n, **dict(zip(names, values, strict=True))) for n, values in enumerate(printed)]
    low, middle = (yield {"rmf_cpu_activity": rows}).rows("FROM processor_polarization ORDER BY polarization")
    assert (low["polarization"], middle["polarization"]) == ("LOW", "MED")
    assert (middle["processors"], middle["entitled_engines"], middle["engines_parked"]) == (2, pytest.approx(1.002), 0)
    assert (low["processors"], low["engines_parked"], low["use_of_entitlement_pct"]) == (3, pytest.approx(2.9977), None)
    ready = middle["ready_engines"] + low["ready_engines"]
    unparked = 5 - low["engines_parked"]
    assert 100 * ready / unparked == pytest.approx(23.66, abs=0.01)
    assert 100 * (middle["busy_engines"] + low["busy_engines"]) / 5 == pytest.approx(9.28, abs=0.005)
    assert middle["waiting_engines"] == pytest.approx(0.0094)


def test_work_that_waits_for_a_physical_processor():
    """0.8 and half of 0.4 ready, 0.6 and 0.15 dispatched."""
    rows = [
        processor("0", 400, mvs_busy_pct=80.0, lpar_busy_pct=60.0),
        processor("1", 401, mvs_busy_pct=40.0, lpar_busy_pct=15.0, parked_pct=50.0),
    ]
    row = one_row((yield {"rmf_cpu_activity": rows}), "SELECT * FROM processor_polarization")
    assert (row["ready_engines"], row["busy_engines"], row["waiting_engines"]) == pytest.approx((1.0, 0.75, 0.25))
    assert (row["mvs_busy_pct"], row["lpar_busy_pct"], row["polarization"]) == (pytest.approx(200 / 3), 37.5, None)


@pytest.mark.parametrize(
    ("other", "ready", "busy"),
    [
        ({}, 0.8, 0.6),
        ({"mvs_busy_pct": None}, None, 0.6),
        ({"lpar_busy_pct": None}, 0.8, None),
        ({"parked_pct": None}, None, 0.6),
        # Without HiperDispatch nothing is parked, and nothing is printed.
        ({"parked_pct": None, "hiperdispatch": "NO"}, 0.8, 0.6),
        ({"online_pct": 0.0, "lpar_busy_pct": None, "mvs_busy_pct": None}, 0, 0),
    ],
)
def test_what_a_processor_does_not_print(other: Row, ready: float | None, busy: float | None):
    rows = [processor("0", 400, **{"mvs_busy_pct": 80.0, "lpar_busy_pct": 60.0} | other)]
    row = one_row((yield {"rmf_cpu_activity": rows}), "SELECT ready_engines, busy_engines FROM processor_polarization")
    assert row == {"ready_engines": ready and pytest.approx(ready), "busy_engines": busy and pytest.approx(busy)}


def test_of_two_threads_what_is_ready_is_not_known():
    rows = [
        processor("0", 400, mvs_busy_pct=80.0, lpar_busy_pct=60.0),
        processor("0", 401, thread=1, online_pct=None, mvs_busy_pct=30.0),
    ]
    row = one_row((yield {"rmf_cpu_activity": rows}), "SELECT * FROM processor_polarization")
    assert (row["processors"], row["busy_engines"], row["ready_engines"]) == (1, 0.6, None)


def test_what_delays_a_period_off_the_page():
    """*ALL: CPU 2.0, I/O 0.9, CAP 0.7 of 3.6; 3.1 on general processors, 0.4 on zIIPs, 50 idle, 42 unknown."""
    lake = yield sample_rows("names_with_national_characters", *GOALS)
    row = one_row(lake, "SELECT * FROM goal_delay WHERE service_class = '#BAT$@1' AND is_total")
    assert (row["performance_index"], row["is_missed"]) == (0.8, False)
    delays = [(row[f"delay_{n}_reason"], row[f"delay_{n}_pct"]) for n in (1, 2, 3)]
    assert delays == [("CPU", 2.0), ("I/O", 0.9), ("CAP", 0.7)]
    expect(row, delays_pct=3.6, delay_1_share_pct=pytest.approx(100 * 2 / 3.6), using_cpu_pct=3.1, using_ziip_pct=0.4)
    expect(row, using_io_pct=2.2, idle_pct=50, unknown_pct=42)


def test_what_delays_a_period_off_a_page_of_mvs_esa():
    """USING CPU % 12.6, TOTAL 42.7, OTHR 44.7: all samples; 12.6 of 55.3 is the velocity of 22.8% beside them."""
    row = one_row((yield sample_rows("g1_tso_two_periods", *GOALS)), "SELECT * FROM goal_delay WHERE period = 2")
    assert (row["using_cpu_pct"], row["delays_pct"], row["unknown_pct"], row["idle_pct"]) == (12.6, 42.7, 44.7, 0)
    assert row["velocity_pct"] == pytest.approx(100 * 12.6 / (12.6 + 42.7), abs=0.05)
    assert (row["using_ziip_pct"], row["using_io_pct"]) == (None, None)
    assert [row[f"delay_{n}_reason"] for n in (1, 2, 3)] == ["CPU", "PRIV", "XMEM"]


def goal(**other: object) -> Row:
    row = heading(line=500, class_kind="service_class_period", workload="W", service_class="ONLINE", period=1)
    return row | {"system": "*ALL", "is_total": True, "goal_type": "velocity", "performance_index": 1.5} | other


def delay(group: str, reason: str, pct: float | None, line: int) -> Row:
    row = {k: v for k, v in goal(line=line).items() if k not in ("goal_type", "performance_index")}
    return row | {"delay_group": group, "reason": reason, "pct": pct}


def test_a_missed_goal_with_its_delays_printed_twice():
    of_execution: Row = {"TOT": 40.0, "CPU": 30.0, "I/O": 0.0, "CAP": None}
    delays = [delay("EXEC DELAYS %", *of, line) for line, of in enumerate(of_execution.items(), 510)]
    delays.append(delay("DELAY %", "CRY", 35.0, 514))
    again = [row | {"source_id": "s2"} for row in delays]
    row = one_row(
        (yield {"rmf_workload_goal": [goal()], "rmf_workload_delay": delays + again}), "SELECT * FROM goal_delay"
    )
    assert (row["is_missed"], row["delay_1_reason"], row["delay_1_share_pct"]) == (True, "CPU", 75)
    # A delay of 0, one that cannot be read and one that is not of execution are no reasons.
    assert (row["delay_2_reason"], row["delay_2_pct"], row["idle_pct"]) == (None, None, None)
    assert not row["is_conflicting"]


def test_a_delay_that_a_second_page_prints_otherwise():
    of_all = delay("EXEC DELAYS %", "TOT", 40.0, 510)
    delays = [of_all, delay("EXEC DELAYS %", "CPU", 30.0, 511), of_all | {"source_id": "s2", "pct": 41.0}]
    row = one_row((yield {"rmf_workload_goal": [goal()], "rmf_workload_delay": delays}), "SELECT * FROM goal_delay")
    assert (row["delays_pct"], row["delay_1_pct"], row["is_conflicting"]) == (40.0, 30.0, True)


def test_a_period_without_delays_on_its_page():
    row = one_row((yield {"rmf_workload_goal": [goal(performance_index=1.0)]}), "SELECT * FROM goal_delay")
    assert (row["is_missed"], row["delays_pct"], row["delay_1_reason"], len(row["refs"])) == (False, None, None, 1)


def test_links_off_the_page():
    """9,011,000 of 9,103,714 are synchronous; 5.6 us each in 1,800 s are 0.028 processors; 117 of 9,104,000 met a busy path."""
    lake = yield sample_rows("cf_processors_and_subchannels", "rmf_cf_subchannel_activity")
    row = one_row(lake, "SELECT * FROM cf_link_interval WHERE system = 'SYSA'")
    assert (row["sync_share_pct"], row["sync_engines"]) == pytest.approx((98.98158, 0.0280342), abs=5e-6)
    assert (row["path_busy_pct"], row["changed_pct"]) == pytest.approx((100 * 117 / 9104000, 100 * 2175 / 9104000))
    assert (row["delayed_pct"], row["delayed_lock_pct"], row["link_types"]) == (0.3, 0.2, "CS5,CL5,CFP")
    # 4 + 1 + 1 of 4 + 2 + 1 links; SUBCH are no links.
    expect(row, links_used=6, links_generated=7, subchannels_used=40, subchannels_generated=42)


@pytest.mark.parametrize(("used", "links"), [(2, 6), (0, 4), (None, None)])
def test_links_of_which_one_is_unknown(used: int | None, links: int | None):
    row = heading(cf_name="CF1", system="SYSA", link_1_type="CS5", link_1_used=4, link_2_type="CL5", link_2_used=used)
    found = one_row((yield {"rmf_cf_subchannel_activity": [row]}), "SELECT * FROM cf_link_interval")
    assert (found["links_used"], found["link_types"], found["subchannels_used"]) == (links, "CS5,CL5", None)


def test_storage_off_the_page():
    lake = yield sample_rows("cf_processors_and_subchannels", "rmf_cf_usage", "rmf_cf_structure_summary")
    row = one_row(lake, "SELECT * FROM cf_storage")
    expect(row, used_pct=pytest.approx(9.39941, abs=5e-6), total_bytes=21474836480, structures=None, reclaims=None)


def test_storage_and_reclaims_of_structures():
    """73 reclaims in one cache, 0 in another, and a lock structure that prints none. Of a cache that cannot be read the sum is not known,
    nor whether it is the largest."""
    key: Row = heading() | {"cf_name": "CF1"}
    usage = key | {"total_storage_bytes": 4000, "available_storage_bytes": 1000}
    of = ("GBP0", "CACHE", 0, 500), ("GBP32K", "CACHE", 73, 2000), ("LOCK1", "LOCK", None, 400)
    names = ("structure_name", "structure_type", "directory_reclaims", "allocated_bytes")
    structures = [
        key | dict(zip(names, values, strict=True)) | {"is_total": False} | place(line)
        for line, values in enumerate(of, 600)
    ]
    structures.append(key | {"is_total": True, "allocated_bytes": 2900} | place(610))
    later = {"interval_start": START + MINUTE, "interval_end": START + 2 * MINUTE}
    unread = {"directory_reclaims": None, "allocated_bytes": None}
    structures += [structures[0] | later | unread, *(row | later for row in structures[1:])]
    lake = yield {"rmf_cf_usage": [usage, usage | later], "rmf_cf_structure_summary": structures}
    row, unknown = lake.rows("SELECT * FROM cf_storage ORDER BY interval_start")
    assert (unknown["reclaims"], unknown["reclaiming_structures"]) == (None, 1)
    assert (unknown["structures"], unknown["largest_structure"], unknown["largest_structure_pct"]) == (3, None, None)
    expect(row, used_pct=75, structures=3, largest_structure="GBP32K", largest_structure_pct=50)
    assert (row["reclaims"], row["reclaiming_structures"], len(row["refs"])) == (73, 1, 2)


def test_messages_and_their_buffers_off_the_page():
    """SYSC DEFAULT: 3% of 27,044 are big, 64% of these with overhead. SYSB BIG: 3 of 8,317 found no path."""
    lake = lake_of("xcf_usage_side_by_side", "rmf_xcf_system")
    rows = {(row["peer_system"], row["transport_class"]): row for row in lake.rows("SELECT * FROM xcf_class_interval")}
    assert len(rows) == 5
    assert rows["SYSC", "DEFAULT"]["messages_with_overhead"] == pytest.approx(519.2448)
    assert rows["SYSB", "BIG"]["path_unavailable_pct"] == pytest.approx(100 * 3 / 8317)
    assert not any(row["buffer_is_too_small"] for row in rows.values())
    lake = lake_of("xcf_usage_halves_below_each_other", "rmf_xcf_system")
    # 9% big and 1% small.
    small = lake.rows("SELECT transport_class, peer_system FROM xcf_class_interval WHERE buffer_is_too_small")
    assert small == [{"transport_class": "DEFAULT", "peer_system": "SYSA"}]


@pytest.mark.parametrize(
    ("small", "big", "too_small"), [(1.0, 9.0, True), (40.0, 9.0, False), (0.0, 4.0, False), (None, 9.0, None)]
)
def test_a_buffer_is_too_small_where_more_messages_are_big_than_small(
    small: float | None, big: float, too_small: bool | None
):
    row = heading(system="SYSA", direction="outbound", peer_system="SYSB", transport_class="DEFAULT", is_total=False)
    lake = yield {"rmf_xcf_system": [row | {"requests_out": 1000, "small_pct": small, "big_pct": big}]}
    expect(one_row(lake, "FROM xcf_class_interval"), buffer_is_too_small=too_small, messages_with_overhead=None)


@pytest.mark.parametrize(
    ("average", "rate", "actual", "verdict"),
    [
        # TSO of a page: 2.63/s of 0.118 s are 0.310.
        (0.31, 2.63, 0.118, "holds"),
        # Batch: 2.16/s of 2.319 s are 5.01.
        (5.03, 2.16, 2.319, "holds"),
        # The regions of CICS2A20: 28.05.
        (1.0, 1476.42, 0.019, "average_is_of_regions"),
        # CICS transactions are in no address space of the class: 9.92.
        (0.0, 46.37, 0.214, "no_average"),
        # Started tasks: 38 are there, 0.02/s end after 4 s.
        (38.2, 0.02, 4.203, "average_is_more"),
        # 0.02/s of 760 s, in an interval of 60 s.
        (3.41, 0.02, 760.115, "longer_than_interval"),
        # 0.01/s is 0.005 to 0.015: 0.1 to 0.3, which 0.2 is among.
        (0.2, 0.01, 20.0, "holds"),
    ],
)
def test_littles_law(average: float, rate: float, actual: float, verdict: str):
    row = heading(class_kind="service_class", workload="W", service_class="C", transactions_avg=average)
    row |= {"transactions_per_s": rate, "actual_time_s": actual, "transactions_ended": 10}
    found = one_row((yield {"rmf_workload_activity": [row]}), "SELECT * FROM littles_law")
    assert (found["verdict"], found["concurrent_by_law"]) == (verdict, pytest.approx(rate * actual))
    assert found["law_ratio"] == (pytest.approx(rate * actual / average) if average else None)


def test_no_law_without_transactions():
    row = heading() | {"class_kind": "service_class", "workload": "W", "service_class": "C", "transactions_avg": 1.0}
    none, no_time = {"transactions_per_s": 0.0, "actual_time_s": 0.0}, {"service_class": "D", "transactions_per_s": 1.0}
    lake = yield {"rmf_workload_activity": [row | none, row | no_time | {"line": 20}]}
    assert lake.rows("FROM littles_law") == []


@pytest.mark.parametrize("kind", ["IFL", "ICF", "AAP"])
def test_processors_of_every_printed_type_are_shared_by_weight(kind: str):
    """30 of 60 of the weights of 4 processors are 2."""
    row = heading(system="SYSA", processor_type=kind, interval_s=60.0, weight=30.0, logical_processors=3.0)
    row |= {f"physical_processors_{kind.lower()}": 4, "dedicated": False, "total_dispatch": 6.0, "is_total": False}
    rows = [row | {"partition": name} | place(line) for line, name in ((700, "LP1"), (701, "LP2"))]
    row = one_row((yield {"rmf_partition_data": rows}), "SELECT * FROM partition_capacity WHERE partition = 'LP1'")
    assert (row["entitled_engines"], row["use_of_entitlement_pct"], row["null_reason"]) == (2, pytest.approx(5), None)
