"""Headlines of a lake's page that rest on several reports are what SQL over the printed rows gives."""

import datetime as dt

from ironlake.dashboards.lake_page.contract import LakePage
from ironlake.pipeline.sql.open_lake import OpenLake
from lake_facts import MONDAY, happened, one_row, section


def test_msu(page: LakePage, lake: OpenLake):
    """Intervals are of an hour: an hour's value is the mean of four, summed over the partitions."""
    value, at = one_row(
        lake,
        """
        SELECT sum(rolling) AS rolling, interval_start FROM (
            SELECT interval_start, row_number() OVER hours AS n,
                sum(msu_used * interval_s) OVER (hours ROWS 3 PRECEDING) / sum(interval_s) OVER (hours ROWS 3 PRECEDING) AS rolling
            FROM rmf_partition_data WHERE partition = mvs_partition AND processor_type = 'CP' AND NOT is_total
            WINDOW hours AS (PARTITION BY partition ORDER BY interval_start)
        ) WHERE n >= 4 GROUP BY interval_start ORDER BY rolling DESC LIMIT 1
        """,
    )
    assert at == MONDAY.replace(hour=12)
    finding = section(page, "msu").finding
    assert f"{value:,.0f} MSU of a limit of 880 on Mon 19 Oct, 12:00" in finding
    group = next(one for one in happened(page, "msu") if one.sentence.startswith("Group SHOPGRP"))
    assert f"{value:,.0f} MSU, {value / 880:.0%} of its limit of 880" in group.sentence
    assert group.new
    rows = section(page, "msu").rows
    at_s = (MONDAY.replace(hour=12) - dt.datetime(2026, 10, 4)).total_seconds()
    cells = zip(rows.of("level"), rows.of("hour_start"), rows.of("rolling_msu"), rows.of("cap_msu"), strict=True)
    assert [(msu, cap) for level, hour, msu, cap in cells if level == "capacity_group" and hour == at_s] == [
        (round(value), 880)
    ]


def test_the_first_hours_of_the_lake_have_no_four_hours(page: LakePage):
    rows = section(page, "msu").rows
    first = [msu for hour, msu in zip(rows.of("hour_start"), rows.of("rolling_msu"), strict=True) if hour < 3 * 3600]
    assert len(first) == 3 * 4
    assert set(first) == {None}


def test_what_made_the_peak(page: LakePage, lake: OpenLake):
    """Four intervals of an hour, those of 09:00 to 12:00."""
    rows = lake.sql(
        """
        SELECT service_class, sum(appl_cp_pct * interval_s) AS cp FROM rmf_workload_activity
        WHERE class_kind = 'service_class_period' AND interval_start BETWEEN TIMESTAMP '2026-10-19 09:00' AND TIMESTAMP '2026-10-19 12:30'
        GROUP BY service_class ORDER BY cp DESC
        """
    ).fetchall()
    shares = {name: 100 * cp / sum(c for _, c in rows) for name, cp in rows}
    first = max(shares, key=lambda name: shares[name])
    assert section(page, "peak").finding.startswith(f"SHOPPLEX, Mon 19 Oct, 12:00: {first} {shares[first]:.0f}%,")


def test_goals(page: LakePage, lake: OpenLake):
    raw = "FROM rmf_workload_goal WHERE class_kind = 'service_class_period' AND is_total"
    worst, name = one_row(
        lake, f"SELECT performance_index, service_class {raw} ORDER BY performance_index DESC LIMIT 1"
    )
    missed, goals = one_row(
        lake,
        f"SELECT count(DISTINCT service_class) FILTER (performance_index > 1), count(DISTINCT service_class) {raw}",
    )
    assert missed == 1
    assert section(page, "goals").finding.startswith(
        f"{missed} of {goals} goals missed at times; worst: {name}, {worst:.1f} on Mon"
    )
    yesterday = f"{raw} AND service_class = '{name}' AND interval_start >= TIMESTAMP '2026-10-19'"
    missed, known = one_row(
        lake, f"SELECT count(*) FILTER (performance_index > 1), count(performance_index) {yesterday}"
    )
    (told,) = happened(page, "goals")
    assert f"{name} on SHOPPLEX missed its goal in {missed} of {known} intervals, importance 1" in told.sentence


def test_cost_steps_on_its_day(page: LakePage, lake: OpenLake):
    days = lake.sql(
        """
        SELECT median(1000 * appl_cp_pct / 100 * interval_s / transactions_ended) AS ms
        FROM rmf_workload_activity WHERE class_kind LIKE 'service_class%' AND service_class = 'CICSHI'
            AND dayofweek(interval_start) BETWEEN 1 AND 5
        GROUP BY CAST(interval_start AS DATE) ORDER BY CAST(interval_start AS DATE)
        """
    ).fetchall()
    costs = [ms for (ms,) in days]
    before, after = sorted(costs[:6]), sorted(costs[6:])
    assert len(after) == 5
    sides = (before[2] * before[3]) ** 0.5, after[2]
    (told, *_) = happened(page, "cost")
    assert f"({sides[0]:,.3f} → {sides[1]:,.3f} ms)" in told.sentence
    assert f"{sides[1] / sides[0] - 1:+.0%} since Tue 13 Oct" in told.sentence
    # Report classes have the same work: their steps are told once.
    assert len(happened(page, "cost")) == 1
    rows = section(page, "cost").rows
    steps = [
        (day, label)
        for day, label, step in zip(rows.of("day"), rows.of("label"), rows.of("step_pct"), strict=True)
        if step
    ]
    assert steps == [(9 * 86_400, "CICSHI"), (9 * 86_400, "CICSORD (report class)")]


def test_group_pools(page: LakePage, lake: OpenLake):
    """Labels as the model prints them; an hour has one interval of each of two members, whose counters are added before they are divided."""
    of = "sum(quantity) FILTER (label_path = '{}')"
    labels = one_row(
        lake,
        """
        SELECT list(DISTINCT label_path ORDER BY label_path) FROM db2_statistics_counter
        WHERE block = 'GROUP BP' AND label_path LIKE 'SYN.READ(XI)%'
        """,
    )[0]
    assert labels == ["SYN.READ(XI)-DATA RETURNED", "SYN.READ(XI)-NO DATA RETURN"]
    returned, not_returned = map(of.format, labels)
    group, pool, at, share = one_row(
        lake,
        f"""
        SELECT db2_group, object, begin_at, 100 * {returned} / ({returned} + {not_returned}) AS share
        FROM db2_statistics_counter WHERE block = 'GROUP BP' AND is_total IS NOT TRUE AND scope = 'member' AND report_kind = 'report'
        GROUP BY db2_group, object, begin_at ORDER BY share, begin_at LIMIT 1
        """,
    )
    assert section(page, "group_pools").finding == (
        f"Least: {group} {pool} returned data for {share:.0f}% of the reads after a cross-invalidation on {at:%a} {at.day} Oct, {at:%H:%M}."
    )
    assert not happened(page, "group_pools")


# As SQL over the printed rows gave each number when it was written down.
FOUND = {
    "systems": "Busiest: SHPB, 74% of 4.0 general processors on Mon 19 Oct, 10:00.",
    "workloads": "CICS used 82% of the general processor time of all workloads.",
    "overflow": "Most: 21.1% of the eligible time of SHPA, SHPB on Mon 5 Oct.",
    "facilities": "CF01 has no report from Mon 19 Oct, 10:00 to 12:00, while others have. Busiest: CF02, 4.3% on Mon 19 Oct, 10:00.",
    "structures": "Most requests: CF02 DSNSHOP_GBP1, 4,423 per second on Mon 5 Oct, 10:00.",
    "contention": "Most: CF01 DSNSHOP_LOCK1, 0.60% of its lock requests on Sun 4 Oct, 00:00.",
    "paths": "No signal found a path busy or without a buffer, on 4 paths.",
    "pools": "Least: DSNSHOP BP1, 98.0% of its getpages on Sat 10 Oct, 22:00.",
    "threads": "No request waited for a thread or used the pool. Least used again: CICSO002 ORDENT, 99.85% on Mon 19 Oct, 10:00.",
    "response": "Slowest: 90% of CICSHI ended within 19 ms on Tue 13 Oct.",
    "coverage": "No gaps in 208 days of reports.",
}


def test_the_others_name_the_most_of_all(page: LakePage):
    assert {name: section(page, name).finding for name in FOUND} == FOUND
    (told,) = happened(page, "overflow")
    assert " of the zIIP-eligible time ran on general processors on Mon 19 Oct, " in told.sentence
    assert not happened(page, "contention")
