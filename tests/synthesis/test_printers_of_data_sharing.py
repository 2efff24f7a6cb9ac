"""Printers of reports about data sharing against their parsers: coupling facility activity, Db2 statistics."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from ironlake.pipeline.synthesis.contents import (
    BufferPool,
    CouplingFacility,
    Db2Statistics,
    FromSystem,
    GroupBufferPool,
    Intervals,
    Links,
    Locking,
    StorageClassMemory,
    Structure,
    Timed,
)
from ironlake.pipeline.synthesis.pages import Paper
from ironlake.pipeline.synthesis.printers.coupling_facility import print_coupling_facility
from ironlake.pipeline.synthesis.printers.db2_statistics import print_db2_group_statistics, print_db2_statistics
from printed import SETTINGS, Numbers, assert_printed, last_digit, last_suffixed, read

PAPERS = st.builds(Paper, asa=st.booleans(), ebcdic=st.booleans(), page_lines=st.sampled_from([45, 60]))
Expected = dict[str, tuple[float, float]]


def at_interval(value: Any, at: int) -> float:
    """A number of a report in one of its intervals."""
    array = np.asarray(value, float)
    return float(array[at] if array.ndim else array)


# --- Coupling facility ------------------------------------------------------------------------------------------------

_REASONS = {"NO SCH": "no_sch", "PR WT": "pr_wt", "PR CMP": "pr_cmp", "DUMP": "dump", "MONOP": "monop"}


def random_requests(numbers: Numbers, system: str, kind: str) -> FromSystem:
    """What a system asks of a structure: false contentions within contentions within deferred within requests."""
    n = numbers
    sync, other = n.count(9_000_000), n.count(800_000)
    lock = sync * 2 if kind == "LOCK" else 0
    return FromSystem(
        system,
        Timed(sync, n.number(400), n.number(900)),
        Timed(other, n.number(4000), n.number(9000)),
        changed=other // 7,
        suppressed=n.count(90, 0.8),
        delayed={reason: Timed(sync // 50, n.number(4000), n.number(9000)) for reason in _REASONS},
        lock_requests=lock,
        deferred=lock // 100,
        contentions=lock // 120,
        false_contentions=lock // 400,
    )


def random_memory(numbers: Numbers) -> StorageClassMemory:
    """Storage class memory of a structure, less of everything than may be."""
    entries, elements = numbers.count(9_000_000), numbers.count(9_000_000)
    return StorageClassMemory(
        512 * 2**30,
        numbers.number(100),
        20 * 2**20,
        numbers.number(100),
        (entries, entries // 3),
        (elements, elements // 2),
        numbers.count(90_000_000),
        15 * 2**20,
        numbers.count(90_000),
        512 * 2**10,
    )


@st.composite
def facilities(draw: st.DrawFn) -> CouplingFacility:
    """Facilities with any number of structures of the three types, used by one to four systems."""
    numbers = n = Numbers(draw(st.integers(0, 10**6)), draw(st.integers(1, 3)))
    systems = draw(st.lists(st.sampled_from(["SYSA", "SYS#", "P1", "CB88"]), min_size=1, max_size=4, unique=True))
    structures = []
    for kind in ("LIST", "LOCK", "CACHE"):
        for number in range(draw(st.integers(0, 4))):
            total = n.count(9_000_000) + 1
            structures.append(
                Structure(
                    f"DSN{number}_{kind}",
                    kind,
                    draw(st.sampled_from([512 * 2**10, 47 * 2**20, 2**30])),
                    tuple(random_requests(numbers, system, kind) for system in systems),
                    utilization_pct=n.number(9),
                    role=draw(st.sampled_from(["", "PRIM", "SEC"])),
                    encrypted=draw(st.booleans()),
                    entries=(total, total // 3),
                    elements=(total * 2, total),
                    lock_entries=(total, total // 5),
                    directory_reclaims=n.count(9000),
                    reads=n.count(900_000),
                    writes=n.count(900_000),
                    castouts=n.count(900_000),
                    cross_invalidations=n.count(9000),
                    memory=random_memory(n) if kind == "LIST" and draw(st.booleans()) else None,
                )
            )
    if not structures:
        structures = [Structure("ONLY1", "LIST", 2**20, tuple(random_requests(n, s, "LIST") for s in systems))]
    length = 900 if draw(st.booleans()) else 899.95 + n.rng.random(n.intervals) / 10
    return CouplingFacility(
        "CF01",
        "PLEX1",
        draw(st.sampled_from(["V2R2", "V2R4", "V2R5"])),
        Intervals(numbers.starts(), length, duration=draw(st.booleans())),
        tuple(structures),
        tuple(Links(system, path_busy=n.count(9000)) for system in systems) if draw(st.booleans()) else (),
        utilization_pct=n.number(99),
    )


def expected_requests(report: CouplingFacility, row: FromSystem, one: Structure, at: int) -> Expected:
    """The columns of rmf_cf_structure_activity, each with the worth of its last printed digit."""
    requests = at_interval(row.requests, at)
    everything = at_interval(one.everywhere.requests, at)
    rate = requests / float(report.intervals.printed_s[at])
    out: Expected = {
        "requests": (requests, last_suffixed(requests, 5)),
        "requests_per_s": (rate, max(last_digit(rate, 6, 2), 0.1 if rate > 99.99 else 0.01)),
        "changed_requests": (at_interval(row.changed, at), last_suffixed(at_interval(row.changed, at), 5)),
        "suppressed_requests": (at_interval(row.suppressed, at), 1),
    }
    for kind, timed in (("sync", row.synchronous), ("async", row.asynchronous)):
        count = at_interval(timed.count, at)
        out[f"{kind}_requests"] = count, last_suffixed(count, 5)
        out[f"{kind}_pct"] = 100 * count / everything if everything else 0, 0.1
        average, deviation = at_interval(timed.average_us, at), at_interval(timed.deviation_us, at)
        out[f"{kind}_service_us"] = average, last_digit(average, 6, 1)
        out[f"{kind}_service_stddev_us"] = deviation, last_digit(deviation, 7, 1)
    for reason, name in _REASONS.items():
        if reason == "MONOP" and report.release < "V2R5":
            continue
        count, average = (
            at_interval(value, at) for value in (row.delayed[reason].count, row.delayed[reason].average_us)
        )
        out[f"delayed_{name}_requests"] = count, last_suffixed(count, 4)
        out[f"delayed_{name}_time_us"] = average, last_digit(average, 6, 1)
    if one.kind == "LOCK":
        contentions = {"requests": row.lock_requests, "deferred": row.deferred, "total": row.contentions}
        for name, value in (contentions | {"false": row.false_contentions}).items():
            out[f"contention_{name}"] = at_interval(value, at), last_suffixed(at_interval(value, at), 5)
    if one.kind == "CACHE" and row is one.everywhere:
        for name in ("reads", "writes", "castouts", "cross_invalidations"):
            value = at_interval(getattr(one, name), at)
            out[name] = value, last_suffixed(value, 5)
    return out


MEMORY = "rmf_cf_storage_class_memory"


def assert_memory(row: dict[str, Any], memory: StorageClassMemory, at: int) -> None:
    counts = {
        "list_entries_max": memory.entries[0],
        "list_entries_current": memory.entries[1],
        "list_elements_max": memory.elements[0],
        "list_elements_current": memory.elements[1],
        "reads": memory.reads,
        "writes": memory.writes,
    }
    expected: Expected = {
        name: (at_interval(v, at), last_suffixed(at_interval(v, at), 5)) for name, v in counts.items()
    }
    expected |= {
        "memory_used_pct": (at_interval(memory.used_pct, at), 0.1),
        "augmented_used_pct": (at_interval(memory.augmented_used_pct, at), 0.1),
    }
    assert_printed(row, expected, row["structure_name"])
    sizes = [row[name] for name in ("memory_max_bytes", "augmented_max_bytes", "read_bytes", "write_bytes")]
    assert sizes == [memory.max_bytes, memory.augmented_bytes, memory.read_bytes, memory.write_bytes]
    assert (row["structure_type"], row["algorithm"]) == ("LIST", "KP1")


@SETTINGS
@given(report=facilities(), paper=PAPERS)
def test_coupling_facility_activity_is_read_as_it_was_filled(report: CouplingFacility, paper: Paper) -> None:
    tables = read(print_coupling_facility(report, paper))
    count = len(report.intervals)
    rows = tables["rmf_cf_structure_activity"].rows(named=True)
    found = {(r["interval_start"], r["structure_name"], "TOTAL" if r["is_total"] else r["system"]): r for r in rows}
    summaries = {
        (r["interval_start"], r["structure_name"]): r for r in tables["rmf_cf_structure_summary"].rows(named=True)
    }
    memories = (
        {(r["interval_start"], r["structure_name"]): r for r in tables[MEMORY].rows(named=True)}
        if MEMORY in tables
        else {}
    )
    assert len(rows) == sum(len(one.systems) + 1 for one in report.structures) * count == len(found)
    for at, start in enumerate(report.intervals.start.astype("datetime64[us]").tolist()):
        for one in report.structures:
            for row in (*one.systems, one.everywhere):
                where = start, one.name, row.system
                assert found[where]["structure_type"] == one.kind
                assert_printed(found[where], expected_requests(report, row, one, at), where)
            summary = summaries[start, one.name]
            requests = at_interval(one.everywhere.requests, at)
            expected: Expected = {
                "requests": (requests, last_suffixed(requests, 5)),
                "allocated_bytes": (one.size_bytes, 0),
                "cf_storage_pct": (100 * one.size_bytes / report.storage_bytes, 0.1),
                "cf_utilization_pct": (at_interval(one.utilization_pct, at), 0.1),
            }
            for name, pair in (("list_directory_entries", one.entries), ("data_elements", one.elements)):
                for which, value in zip(("total", "current"), pair, strict=True):
                    expected[f"{name}_{which}"] = at_interval(value, at), last_suffixed(at_interval(value, at), 5)
            assert_printed(summary, expected, (start, one.name))
            assert summary["structure_type"] == one.kind
            assert (summary["duplex_role"] or "") == {"PRIM": "PRIM", "SEC": "SEC", "": ""}[one.role]
            if one.memory:
                assert_memory(memories.pop((start, one.name)), one.memory, at)
    assert not memories
    usage = tables["rmf_cf_usage"].sort("interval_start")
    assert usage.height == count
    assert usage["processors_defined"].to_list() == [2] * count
    for at in range(count):
        assert abs(usage["utilization_pct"][at] - at_interval(report.utilization_pct, at)) <= 0.0501
    if report.links:
        asked = tables["rmf_cf_subchannel_activity"].rows(named=True)
        assert len(asked) == len(report.links) * count
        for row in asked:
            at = report.intervals.start.astype("datetime64[us]").tolist().index(row["interval_start"])
            parts = [r for one in report.structures for r in one.systems if r.system == row["system"]]
            total = sum(at_interval(part.requests, at) for part in parts)
            assert_printed(row, {"requests": (total, last_suffixed(total, 5))}, row["system"])


# --- Db2 statistics ---------------------------------------------------------------------------------------------------


@st.composite
def members(draw: st.DrawFn) -> Db2Statistics:
    """Members of a data sharing group with any buffer pools, counters of all sizes."""
    numbers = n = Numbers(draw(st.integers(0, 10**6)), draw(st.integers(1, 3)))

    def counts(of: type) -> dict[str, Any]:
        return {one.name: n.count(900_000_000) for one in fields(of) if one.name != "number"}

    pools = draw(st.lists(st.sampled_from(["0", "1", "32K", "8K0"]), max_size=3, unique=True))
    length = draw(st.sampled_from([900.0, 59.99, 7200.5]))
    return Db2Statistics(
        "NEWYORK",
        "DBG1",
        "DB1A",
        Intervals(numbers.starts(), length),
        threads=n.count(90_000),
        commits=n.count(900_000),
        locking=Locking(**counts(Locking)) if not pools or draw(st.booleans()) else None,
        buffer_pools=tuple(
            BufferPool(pool, **counts(BufferPool) | {"getpages": n.count(9e8) + 7, "getpages_random": 7})
            for pool in pools
        ),
        group_buffer_pools=tuple(GroupBufferPool(pool, **counts(GroupBufferPool)) for pool in pools),
    )


def worth(value: float, width: int) -> float:
    """The last printed digit of a Db2 counter."""
    if len(f"{value:.2f}") <= width:
        return 0.01
    power = next(power for power in range(1, 5) if len(f"{value / 1000**power:.1f}") <= width - 1)
    return 0.1 * 1000**power


@SETTINGS
@given(report=members(), paper=PAPERS)
def test_db2_statistics_are_read_as_they_were_filled(report: Db2Statistics, paper: Paper) -> None:
    rows = read(print_db2_statistics(report, paper))["db2_statistics_counter"].rows(named=True)
    found = {
        (r["begin_at"], f"{r['block']}|{r['object'] or ''}", r["counter"]): r
        for r in rows
        if r["block"] != "HIGHLIGHTS"
    }
    expected = {}
    for at, start in enumerate(report.intervals.start.astype("datetime64[us]").tolist()):
        for block in report.blocks():
            for one in block.counters:
                if one.kind != "blank":
                    expected[start, block.title, one.label.strip()] = at, one
    assert len(found) == len(expected)
    seconds = float(report.intervals.printed_s[0])
    for (start, key, counter), row in found.items():
        title = next(t for s, t, c in expected if s == start and c == counter and _is_title(t, *key.split("|")))
        at, one = expected[start, title, counter]
        value = at_interval(one.quantity, at)
        where: Expected = {"quantity": (value, worth(value, 8))}
        if one.kind == "count":
            for column, whole in (
                ("per_second", seconds),
                ("per_thread", report.threads),
                ("per_commit", report.commits),
            ):
                divisor = at_interval(whole, at)
                if divisor:
                    where[column] = value / divisor, worth(value / divisor, 7)
                else:
                    assert row[column] is None
        assert_printed(row, where, (start, key, counter))
    for row in rows[:1]:
        assert (row["location"], row["db2_group"], row["member"]) == ("NEWYORK", "DBG1", "DB1A")
        assert abs(row["interval_elapsed_s"] - seconds) < 1e-6


def _is_title(title: str, block: str, of: str) -> bool:
    """Whether a block and its object are what a title names."""
    number = of.removeprefix("GBP").removeprefix("BP")
    return (
        title == block
        if not of
        else title.startswith("GROUP") == of.startswith("GBP") and title.split("BP")[1].split()[0] == number
    )


@SETTINGS
@given(report=members(), paper=PAPERS, times=st.integers(2, 3))
def test_a_group_is_read_by_member_and_as_their_sum(report: Db2Statistics, paper: Paper, times: int) -> None:
    assume(report.shared_blocks())
    names = [f"DB{number}A" for number in range(1, times + 1)]
    group = [replace(report, member=name) for name in names]
    rows = read(print_db2_group_statistics(group, paper))["db2_statistics_counter"].rows(named=True)
    whose = {(row["member"], row["scope"]) for row in rows}
    assert whose == {*((name, "group_member") for name in names), (None, "group")}
    found = {(row["begin_at"], row["member"], row["object"], row["counter"]): row for row in rows}
    assert len(found) == len(rows)
    for at, start in enumerate(report.intervals.start.astype("datetime64[us]").tolist()):
        for block in report.shared_blocks():
            for one in block.counters:
                if one.kind == "blank":
                    continue
                of_pool = f"G{block.title.removeprefix('GROUP ')}" if block.title.startswith("GROUP") else None
                value = at_interval(one.quantity, at)
                for name in (*names, None):
                    row = found[start, name, of_pool, one.label]
                    total = value * (times if name is None and one.kind == "count" else 1)
                    where = {"quantity": (total, worth(total, 8))}
                    commits = at_interval(report.commits, at) * (1 if name else times)
                    assert abs(row["total_commits"] - commits) <= worth(commits, 8) / 2 + 1e-6
                    assert_printed(row, where, f"{name} {one.label}")
