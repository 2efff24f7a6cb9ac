"""Every headline of a lake's page is what SQL over the printed rows gives."""

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


def test_busiest_system(page: LakePage, lake: OpenLake):
    system, busy, online, at = one_row(
        lake,
        """
        SELECT system, sum(lpar_busy_pct * online_pct) / sum(online_pct) AS busy, sum(online_pct) / 100, interval_start
        FROM rmf_cpu_activity WHERE processor_type = 'CP' AND NOT is_total
        GROUP BY system, interval_start ORDER BY busy DESC LIMIT 1
        """,
    )
    assert (
        section(page, "systems").finding
        == f"Busiest: {system}, {busy:.0f}% of {online:.1f} general processors on Mon 19 Oct, {at:%H:%M}."
    )


def test_workloads(page: LakePage, lake: OpenLake):
    (share,) = one_row(
        lake,
        """
        SELECT 100 * sum(appl_cp_pct * interval_s) FILTER (workload = 'CICS') / sum(appl_cp_pct * interval_s)
        FROM rmf_workload_activity WHERE class_kind = 'service_class_period'
        """,
    )
    assert section(page, "workloads").finding.startswith(f"CICS used {share:.0f}% of the general processor time")


def test_overflow(page: LakePage, lake: OpenLake):
    (worst,) = one_row(
        lake,
        """
        SELECT 100 * sum(appl_iipcp_pct) / sum(appl_iipcp_pct + appl_iip_pct) AS pct
        FROM rmf_workload_activity WHERE class_kind = 'service_class_period'
        GROUP BY CAST(interval_start AS DATE) ORDER BY pct DESC LIMIT 1
        """,
    )
    assert section(page, "overflow").finding.startswith(f"Most: {worst:.1f}% of the eligible time of SHPA, SHPB")
    (told,) = happened(page, "overflow")
    assert " of the zIIP-eligible time ran on general processors on Mon 19 Oct, " in told.sentence


def test_facilities(page: LakePage, lake: OpenLake):
    worst, name, at = one_row(
        lake,
        "SELECT utilization_pct, cf_name, interval_start FROM rmf_cf_usage ORDER BY utilization_pct DESC, interval_start LIMIT 1",
    )
    missing = one_row(
        lake,
        """
        SELECT min(interval_start), max(interval_end) FROM rmf_cf_usage
        WHERE interval_start NOT IN (SELECT interval_start FROM rmf_cf_usage WHERE cf_name = 'CF01')
        """,
    )
    assert missing[0] == MONDAY.replace(hour=10)
    assert (
        f"CF01 has no report from Mon 19 Oct, 10:00 to {missing[1] + dt.timedelta(seconds=1):%H:%M}"
        in section(page, "facilities").finding
    )
    assert f"Busiest: {name}, {worst:.1f}% on Mon {at.day} Oct, {at:%H:%M}." in section(page, "facilities").finding
    (told,) = happened(page, "facilities")
    assert "120 minutes" in told.sentence
    assert told.new


def test_structures_and_contention(page: LakePage, lake: OpenLake):
    most, name = one_row(
        lake,
        """
        SELECT sum(requests_per_s) AS rate, any_value(cf_name || ' ' || structure_name)
        FROM rmf_cf_structure_activity WHERE is_total IS NOT TRUE
        GROUP BY cf_name, structure_name, interval_start ORDER BY rate DESC LIMIT 1
        """,
    )
    assert section(page, "structures").finding.startswith(f"Most requests: {name}, {most:,.0f} per second")
    (worst,) = one_row(
        lake,
        """
        SELECT 100 * sum(contention_total) / sum(contention_requests) AS pct
        FROM rmf_cf_structure_activity WHERE is_total IS NOT TRUE AND contention_requests > 0
        GROUP BY structure_name, interval_start ORDER BY pct DESC LIMIT 1
        """,
    )
    assert f", {worst:.2f}% of its lock requests" in section(page, "contention").finding
    # 0.6% is below the limit of 2%.
    assert not happened(page, "contention")


def test_paths(page: LakePage, lake: OpenLake):
    (busy,) = one_row(lake, "SELECT coalesce(sum(busy), 0) + coalesce(sum(buffers_unavailable), 0) FROM rmf_xcf_path")
    assert busy == 0
    assert section(page, "paths").finding == "No signal found a path busy or without a buffer, on 4 paths."


def test_pools(page: LakePage, lake: OpenLake):
    counter = "sum(quantity) FILTER (counter = '{}')"
    (hit,) = one_row(
        lake,
        f"""
        SELECT 100 * (1 - {counter.format("SYNCHRONOUS READS")} / {counter.format("GETPAGE REQUEST")}) AS hit
        FROM db2_statistics_counter WHERE object = 'BP1' AND block NOT LIKE 'GROUP%' AND is_total IS NOT TRUE
        GROUP BY begin_at ORDER BY hit LIMIT 1
        """,
    )
    assert f"Least: DSNSHOP BP1, {hit:.1f}% of its getpages" in section(page, "pools").finding


def test_threads(page: LakePage, lake: OpenLake):
    (least,) = one_row(
        lake,
        """
        SELECT 100 * thread_reuses / (thread_reuses + thread_creates) AS pct FROM cics_db2entry_request
        WHERE is_total IS NOT TRUE AND collection = 'interval' ORDER BY pct LIMIT 1
        """,
    )
    assert f"{least:.2f}%" in section(page, "threads").finding
    assert section(page, "threads").finding.startswith("No request waited for a thread or used the pool.")


def test_response(page: LakePage, lake: OpenLake):
    """The bucket that 90% of a day reach, of counts added over its hours."""
    (slowest,) = one_row(
        lake,
        """
        SELECT max(p90) FROM (
            SELECT day, min(upper_bound_s) FILTER (reached >= 0.9 * total) AS p90 FROM (
                SELECT day, upper_bound_s, sum(ended) OVER (PARTITION BY day ORDER BY upper_bound_s NULLS LAST) AS reached,
                    sum(ended) OVER (PARTITION BY day) AS total
                FROM (
                    SELECT CAST(interval_start AS DATE) AS day, upper_bound_s, sum(transactions) AS ended
                    FROM rmf_response_time_distribution WHERE service_class = 'CICSHI' GROUP BY ALL
                )
            ) GROUP BY day
        )
        """,
    )
    assert section(page, "response").finding.startswith(f"Slowest: 90% of CICSHI ended within {1000 * slowest:,.0f} ms")


def test_coverage(page: LakePage, lake: OpenLake):
    (days,) = one_row(
        lake,
        """
        SELECT count(*) FROM (
            SELECT DISTINCT system, CAST(interval_start AS DATE) FROM rmf_cpu_activity
        )
        """,
    )
    rows = section(page, "coverage").rows
    assert sum(report == "CPU Activity" for report in rows.of("report")) == days == 32
    # Of the systems CPU Activity, Partition Data and XCF Activity; of the sysplex, the regions and the member the others.
    assert section(page, "coverage").finding == f"No gaps in {len(rows)} days of reports."


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
