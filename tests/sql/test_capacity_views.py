"""Views of what pages print and no view asked for: partitions and their entitlement, polarization, delays beside goals, links and storage of
coupling facilities, XCF buffers, Little's law. Expected values are worked from the pages."""

import datetime as dt

from one_lake import Rows, examples
from views_lake import START, Row, approx, expect, heading, one_row, place, sample_rows

PARTITIONS = ("rmf_partition_data", "rmf_partition_head")
GOALS = ("rmf_workload_goal", "rmf_workload_delay", "rmf_workload_activity")
MINUTE = dt.timedelta(minutes=1)


def test_partitions_off_the_page():
    """CP: weights 600, 350 and 50 of 1,000 and 10 processors, 899.998 s. IIP: 700 of 1,000 of 6 is 4.2, with 4 logical processors 4. The machine:
    4,138.328 s of partitions and 43.21 s of *PHYSICAL*: 4.646 of 10; management 51.801 + 43.21 s; 11 logical on 10 physical ones."""
    lake = yield sample_rows("partition_three_types", *PARTITIONS)
    rows = {(row["partition"], row["processor_type"]): row for row in lake.rows("SELECT * FROM partition_capacity")}
    cp = {name: rows[name, "CP"] for name in ("PRDA", "PRDB", "SANDBOX")}
    assert {name: row["entitled_engines"] for name, row in cp.items()} == {"PRDA": 6, "PRDB": 3.5, "SANDBOX": 0.5}
    assert cp["PRDA"]["used_engines"] == approx(3164.118 / 899.998)
    # 3164.118 s in 899.998 s are 58.595% of 6 entitled and of 6 logical ones; 941.204 s are 29.88% of 3.5, 26.14% of 4.
    used = [(row["use_of_entitlement_pct"], row["use_of_logical_pct"]) for row in cp.values()]
    assert used == [approx(pair, abs=0.005) for pair in ((58.595, 58.595), (29.88, 26.14), (7.33, 3.67))]
    assert [(row["is_capped"], row["capping_wlm_pct"]) for row in cp.values()] == [(True, 0), (False, 0), (True, 12.5)]
    assert (rows["PRDA", "IIP"]["entitled_engines"], rows["PRDB", "IIP"]["entitled_engines"]) == (4, approx(1.8))
    # The head of the page prints ICF 2.
    facility = rows["CF1", "ICF"]
    expect(facility, dedicated=True, entitled_engines=2, weight=None, physical_engines=2)
    assert facility["use_of_entitlement_pct"] == approx(99.995, abs=5e-4)
    # A partition that is not active has no type.
    assert {name for name, _ in rows} == {"PRDA", "PRDB", "SANDBOX", "CF1"}
    row = one_row(lake, "SELECT * FROM machine_capacity WHERE processor_type = 'CP'")
    expect(row, partitions=3, physical_engines=10, logical_per_physical=approx(1.1), capped_partitions=2)
    expect(row, busy_engines=approx(4.646164, abs=5e-06), physical_busy_pct=approx(46.46164, abs=5e-06))
    expect(row, management_engines=approx(0.105568, abs=5e-06), management_pct=approx(1.05568, abs=5e-06))
    expect(row, free_engines=approx(5.353836, abs=5e-6), partitions_beyond_entitlement=0)


def test_no_entitlement_where_the_processors_changed_within_the_interval():
    """The page prints PRODA's use, and an asterisk beside the number of general processors."""
    lake = yield sample_rows("partition_boost_and_changed_values", *PARTITIONS)
    row = one_row(lake, "SELECT * FROM partition_capacity WHERE partition = 'PRODA' AND processor_type = 'CP'")
    expect(row, entitled_engines=None, use_of_entitlement_pct=None, null_reason="changed within the interval")
    expect(row, used_engines=approx(4337.204 / 598.12))
    text = "SELECT partitions_beyond_entitlement FROM machine_capacity WHERE processor_type = 'CP'"
    assert lake.sql(text).fetchall() == [(None,)]


def partition(name: str | None, line: int = 300, **other: object) -> Row:
    row: Row = heading(line=line) | {"system": "SYSA", "source_form": "print", "partition": name}
    row |= {"is_total": name is None, "dedicated": False, "interval_s": 900.0, "interval_end": START + 15 * MINUTE}
    row |= {"physical_processors_cp": 4, "mvs_partition": "PRODA", "processor_type": "CP"}
    if name and name != "*PHYSICAL*":
        row |= {"weight": 300.0, "logical_processors": 4.0, "effective_dispatch": 890.0, "total_dispatch": 900.0}
    return row | other


def of_machine(*rows: Row) -> Rows:
    return {"rmf_partition_data": [*rows]}


B = partition("PRODB", line=301, weight=100.0)
# One dedicated processor leaves 3: 100 of 400 is 0.75, of which 1 is used. 3 of 4 physical ones and 0.1 are busy.
BEYOND = of_machine(
    partition("PRODA"), B, partition("*PHYSICAL*", line=303, total_dispatch=90.0),
    partition("ALONE", line=302, weight=None, dedicated=True, logical_processors=1.0),
)  # fmt: skip
ENTITLED = "entitled_engines, null_reason, is_own FROM partition_capacity WHERE partition = 'PRODA'"
NO_CP = {"physical_processors_cp": None}


test_partitions = examples(
    # 300 and 100 of 400, of 4 processors.
    *((f"with {change}", of_machine(partition("PRODA", **Row(change)), B | (change if change == NO_CP else {})), ENTITLED, [(engines, reason, True)])
      for change, engines, reason in (
          ({}, 3, None), ({"weight": None}, None, "a weight is not printed"), (NO_CP, None, "physical processors of the type not printed"),
          ({"weight_changed": True}, None, "changed within the interval"), ({"logical_processors": 2.0}, 2, None), ({"weight": 0.0}, 0, None))),
    # TOTAL adds up 400; the row of 100 is not there.
    ("lost partition", of_machine(partition("PRODA"), partition(None, line=310, weight=400.0)), ENTITLED,
     [(None, "not all partitions are there", True)]),
    ("beyond its entitlement", BEYOND, "entitled_engines, use_of_entitlement_pct FROM partition_capacity WHERE partition = 'PRODB'",
     [(0.75, approx(400 / 3))]),
    # These pages print no caps: nobody knows how many there are.
    ("machine of a dedicated processor", BEYOND,
     "partitions_beyond_entitlement, physical_busy_pct, logical_processors_shared, shared_engines, capped_partitions FROM machine_capacity",
     [(1, approx(77.5), 8, 3, None)]),
    # 900 s of a partition and 90 s of *PHYSICAL*; TOTAL has these, as rounding has it, or 900 s more.
    *((f"total of {total}", of_machine(partition("PRODA"), partition("*PHYSICAL*", line=303, total_dispatch=90.0),
       partition(None, line=310, weight=300.0, total_dispatch=total)), "busy_engines, physical_busy_pct IS NULL FROM machine_capacity",
       [(busy and approx(busy), busy is None)]) for total, busy in ((990.0, 1.1), (990.5, 1.1), (1890.0, None))),
    # Every printed type is shared by weight: 30 of 60 of 4 processors are 2.
    *((f"processors {kind}", of_machine(*(
        partition(name, line=line, processor_type=kind, weight=30.0, logical_processors=3.0, interval_s=60.0, total_dispatch=6.0)
        | {"physical_processors_cp": None, f"physical_processors_{kind.lower()}": 4} for line, name in ((700, "LP1"), (701, "LP2")))),
       "entitled_engines, use_of_entitlement_pct, null_reason FROM partition_capacity WHERE partition = 'LP1'", [(2, approx(5), None)])
      for kind in ("IFL", "ICF", "AAP")),
)  # fmt: skip


def processor(number: str, line: int = 400, **other: object) -> Row:
    row: Row = heading(line=line, hiperdispatch="YES", thread=0, is_total=False, online_pct=100.0, parked_pct=0.0)
    row |= {"system": "SYSA", "source_form": "print", "processor_type": "CP", "processor_id": number}
    return row | {"mvs_busy_pct": 80.0, "lpar_busy_pct": 60.0} | other


def test_ready_and_dispatched_of_the_published_page():
    """Five general processors: 46.41% LPAR BUSY of five are 9.28, as printed. MVS BUSY of what is not parked: 31.61, 15.74 and 3.51 of
    0.23% are 23.65, printed as 23.66 (99.77% parked is rounded)."""
    printed = (("MED", 31.10, 31.61, 0.0, 50.1), ("MED", 15.31, 15.74, 0.0, 50.1), ("LOW", 0.0, 3.51, 99.77, 0.0))
    printed += (("LOW", 0.0, None, 100.0, 0.0), ("LOW", 0.0, None, 100.0, 0.0))
    names = ("polarization", "lpar_busy_pct", "mvs_busy_pct", "parked_pct", "logical_share_pct")
    rows = [processor(str(n), 400 + n, **dict(zip(names, values, strict=True))) for n, values in enumerate(printed)]
    low, middle = (yield {"rmf_cpu_activity": rows}).rows("FROM processor_polarization ORDER BY polarization")
    expect(middle, polarization="MED", processors=2, entitled_engines=approx(1.002), engines_parked=0)
    expect(middle, waiting_engines=approx(0.0094))
    expect(low, polarization="LOW", processors=3, engines_parked=approx(2.9977), use_of_entitlement_pct=None)
    ready = middle["ready_engines"] + low["ready_engines"]
    assert 100 * ready / (5 - low["engines_parked"]) == approx(23.66, abs=0.01)
    assert 100 * (middle["busy_engines"] + low["busy_engines"]) / 5 == approx(9.28, abs=0.005)


READY = "ready_engines, busy_engines FROM processor_polarization"


test_what_processors_are_ready_for = examples(
    # 0.8 and half of 0.4 ready, 0.6 and 0.15 dispatched.
    ("work that waits", {"rmf_cpu_activity": [processor("0"), processor("1", 401, mvs_busy_pct=40.0, lpar_busy_pct=15.0, parked_pct=50.0)]},
     f"waiting_engines, mvs_busy_pct, lpar_busy_pct, polarization, {READY}", [(approx(0.25), approx(200 / 3), 37.5, None, approx(1.0),
      approx(0.75))]),
    *((f"processor {other}", {"rmf_cpu_activity": [processor("0", **Row(other))]}, READY, [(ready and approx(ready), busy and approx(busy))])
      for other, ready, busy in (
          ({}, 0.8, 0.6), ({"mvs_busy_pct": None}, None, 0.6), ({"lpar_busy_pct": None}, 0.8, None), ({"parked_pct": None}, None, 0.6),
          # Without HiperDispatch nothing is parked, and nothing is printed.
          ({"parked_pct": None, "hiperdispatch": "NO"}, 0.8, 0.6), ({"online_pct": 0.0, "lpar_busy_pct": None, "mvs_busy_pct": None}, 0, 0))),
    ("of two threads", {"rmf_cpu_activity": [processor("0"), processor("0", 401, thread=1, online_pct=None, lpar_busy_pct=None, mvs_busy_pct=30.0)]},
     f"processors, {READY}", [(1, None, 0.6)]),
)  # fmt: skip


def test_what_delays_a_period_off_the_pages():
    """*ALL: CPU 2.0, I/O 0.9, CAP 0.7 of 3.6; 3.1 on general processors, 0.4 on zIIPs, 50 idle, 42 unknown. Of MVS/ESA USING CPU % 12.6,
    TOTAL 42.7, OTHR 44.7: all samples; 12.6 of 55.3 is the velocity of 22.8% beside them."""
    lake, of_mvs = yield [
        sample_rows(name, *GOALS) for name in ("names_with_national_characters", "g1_tso_two_periods")
    ]
    row = one_row(lake, "SELECT * FROM goal_delay WHERE service_class = '#BAT$@1' AND is_total")
    delays = [(row[f"delay_{n}_reason"], row[f"delay_{n}_pct"]) for n in (1, 2, 3)]
    assert delays == [("CPU", 2.0), ("I/O", 0.9), ("CAP", 0.7)]
    expect(row, delays_pct=3.6, delay_1_share_pct=approx(100 * 2 / 3.6), using_cpu_pct=3.1, using_ziip_pct=0.4)
    expect(row, using_io_pct=2.2, idle_pct=50, unknown_pct=42, performance_index=0.8, is_missed=False)
    row = one_row(of_mvs, "SELECT * FROM goal_delay WHERE period = 2")
    expect(row, using_cpu_pct=12.6, delays_pct=42.7, unknown_pct=44.7, idle_pct=0, using_ziip_pct=None)
    expect(row, using_io_pct=None, velocity_pct=approx(100 * 12.6 / (12.6 + 42.7), abs=0.05))
    assert [row[f"delay_{n}_reason"] for n in (1, 2, 3)] == ["CPU", "PRIV", "XMEM"]


PERIOD = heading(line=500, class_kind="service_class_period", workload="W", service_class="ONLINE", period=1)
PERIOD |= {"system": "*ALL", "is_total": True}


def delays(*of: tuple[str, float | None], index: float = 1.5, again: Row | None = None) -> Rows:
    """A goal, its delays of execution and one of another kind; printed again with `again`."""
    named = [("EXEC DELAYS %", *one) for one in of] + [("DELAY %", "CRY", 35.0)] * bool(of)
    rows = [PERIOD | {"delay_group": g, "reason": r, "pct": p, "line": 510 + n} for n, (g, r, p) in enumerate(named)]
    second = [row | {"source_id": "s2"} for row in rows] if again is not None else []
    second[:1] = [row | (again or {}) for row in second[:1]]
    goal = PERIOD | {"goal_type": "velocity", "performance_index": index}
    return {"rmf_workload_goal": [goal], "rmf_workload_delay": rows + second}


test_delays_of_a_goal = examples(
    # A delay of 0, one that cannot be read and one that is not of execution are no reasons.
    ("printed twice", delays(("TOT", 40.0), ("CPU", 30.0), ("I/O", 0.0), ("CAP", None), again={}),
     "is_missed, delay_1_reason, delay_1_share_pct, delay_2_reason, delay_2_pct, idle_pct, is_conflicting FROM goal_delay",
     [(True, "CPU", 75, None, None, None, False)]),
    ("printed otherwise", delays(("TOT", 40.0), ("CPU", 30.0), again={"pct": 41.0}), "delays_pct, delay_1_pct, is_conflicting FROM goal_delay",
     [(40.0, 30.0, True)]),
    ("no delays", delays(index=1.0), "is_missed, delays_pct, delay_1_reason, len(refs) FROM goal_delay", [(False, None, None, 1)]),
)  # fmt: skip


def test_links_and_storage_off_the_page():
    """9,011,000 of 9,103,714 are synchronous; 5.6 us each in 1,800 s are 0.028 processors; 117 of 9,104,000 met a busy path."""
    tables = ("rmf_cf_subchannel_activity", "rmf_cf_usage", "rmf_cf_structure_summary")
    lake = yield sample_rows("cf_processors_and_subchannels", *tables)
    row = one_row(lake, "SELECT * FROM cf_link_interval WHERE system = 'SYSA'")
    assert (row["sync_share_pct"], row["sync_engines"]) == approx((98.98158, 0.0280342), abs=5e-6)
    expect(row, path_busy_pct=approx(100 * 117 / 9104000), changed_pct=approx(100 * 2175 / 9104000), delayed_pct=0.3)
    # 4 + 1 + 1 of 4 + 2 + 1 links; SUBCH are no links.
    expect(row, delayed_lock_pct=0.2, link_types="CS5,CL5,CFP", links_used=6, links_generated=7)
    expect(row, subchannels_used=40, subchannels_generated=42)
    row = one_row(lake, "SELECT * FROM cf_storage")
    expect(row, used_pct=approx(9.39941, abs=5e-6), total_bytes=21474836480, structures=None, reclaims=None)


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
    text = "SELECT used_pct, structures, largest_structure, largest_structure_pct, reclaims, reclaiming_structures"
    found = lake.sql(f"{text}, len(refs) FROM cf_storage ORDER BY interval_start").fetchall()
    assert found == [(75, 3, "GBP32K", 50, 73, 1, 2), (75, 3, None, None, None, 1, 2)]


def test_messages_and_their_buffers_off_the_page():
    """SYSC DEFAULT: 3% of 27,044 are big, 64% of these with overhead. SYSB BIG: 3 of 8,317 found no path. On the other page 9% are big and 1% small."""
    names = ("xcf_usage_side_by_side", "xcf_usage_halves_below_each_other")
    lake, halves = yield [sample_rows(name, "rmf_xcf_system") for name in names]
    rows = {(row["peer_system"], row["transport_class"]): row for row in lake.rows("SELECT * FROM xcf_class_interval")}
    assert len(rows) == 5
    assert rows["SYSC", "DEFAULT"]["messages_with_overhead"] == approx(519.2448)
    assert rows["SYSB", "BIG"]["path_unavailable_pct"] == approx(100 * 3 / 8317)
    assert not any(row["buffer_is_too_small"] for row in rows.values())
    small = halves.sql("SELECT transport_class, peer_system FROM xcf_class_interval WHERE buffer_is_too_small")
    assert small.fetchall() == [("DEFAULT", "SYSA")]


def of_class(average: float, **other: object) -> Row:
    row = heading(class_kind="service_class", workload="W", service_class="C", transactions_avg=average)
    return row | {"transactions_ended": 10} | other


LINK = heading(cf_name="CF1", system="SYSA", link_1_type="CS5", link_1_used=4, link_2_type="CL5")
BUFFER = heading(system="SYSA", direction="outbound", peer_system="SYSB", transport_class="DEFAULT", is_total=False)


test_links_buffers_and_littles_law = examples(
    *((f"links used {used}", {"rmf_cf_subchannel_activity": [LINK | {"link_2_used": used}]},
       "links_used, link_types, subchannels_used FROM cf_link_interval", [(links, "CS5,CL5", None)])
      for used, links in ((2, 6), (0, 4), (None, None))),
    # Too small where more messages are big than small.
    *((f"small {small}, big {big}", {"rmf_xcf_system": [BUFFER | {"requests_out": 1000, "small_pct": small, "big_pct": big}]},
       "buffer_is_too_small, messages_with_overhead FROM xcf_class_interval", [(too_small, None)])
      for small, big, too_small in ((1.0, 9.0, True), (40.0, 9.0, False), (0.0, 4.0, False), (None, 9.0, None))),
    *((verdict, {"rmf_workload_activity": [of_class(average, transactions_per_s=rate, actual_time_s=actual)]},
       "verdict, concurrent_by_law, law_ratio FROM littles_law", [(verdict, approx(rate * actual),
        approx(rate * actual / average) if average else None)])
      for average, rate, actual, verdict in (
          # TSO of a page: 2.63/s of 0.118 s are 0.310. Batch: 2.16/s of 2.319 s are 5.01. The regions of CICS2A20: 28.05.
          (0.31, 2.63, 0.118, "holds"), (5.03, 2.16, 2.319, "holds"), (1.0, 1476.42, 0.019, "average_is_of_regions"),
          # CICS transactions are in no address space of the class: 9.92. Started tasks: 38 are there, 0.02/s end after 4 s.
          (0.0, 46.37, 0.214, "no_average"), (38.2, 0.02, 4.203, "average_is_more"),
          # 0.02/s of 760 s, in an interval of 60 s. 0.01/s is 0.005 to 0.015: 0.1 to 0.3, which 0.2 is among.
          (3.41, 0.02, 760.115, "longer_than_interval"), (0.2, 0.01, 20.0, "holds"))),
    ("no law without transactions", {"rmf_workload_activity": [
        of_class(1.0, transactions_per_s=0.0, actual_time_s=0.0), of_class(1.0, transactions_per_s=1.0, service_class="D", line=20)]},
     "* FROM littles_law", []),
)  # fmt: skip
