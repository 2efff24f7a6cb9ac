-- Grain: one row per interval in which two reports do not agree: columns as those of quality_result, for ironlake check.
-- Rules, all warnings, for two reports may be of other systems or of another time:
-- appl_within_engines: APPL % of all service classes is not more than 100 per online engine on the page's systems in CPU Activity of the same
-- minute; 1% and 0.005 per class are for rounding. zIIPs run two threads at most, each of which may count as an engine.
-- gbp_rates_agree: requests per second of a group buffer pool's structure, as RMF counts them, are between half and twice the accesses of
-- all members, as Db2 counts them (a prefetch or castout moves many pages at once), where RMF covers the Db2 interval within 2% and
-- the structure is named as the group.
-- Source: RMF Report Analysis, Workload Activity, CPU Activity and Coupling Facility Activity; Db2 statistics.
-- Shards: no: its rows have no time.
-- Columns:
--   rule, table, column, severity, what, basis: as in quality_result
--   found, expected, tolerance: percent of one engine, or accesses per second
--   rows: number of rows concerned: classes, or printed rows of both reports
--   source_id, source_file, page, line: a printed row of the first report
WITH engines AS MATERIALIZED (
    SELECT
        system, report_kind, date_trunc('minute', interval_start) AS minute,
        max(engines_online) FILTER (processor_type = 'CP') AS general,
        coalesce(max(engines_online) FILTER (processor_type = 'IIP'), 0) AS ziips
    FROM processor_busy
    GROUP BY system, report_kind, date_trunc('minute', interval_start)
),
-- Only the rows of intervals with both reports are read, which may be few. Rows printed twice in a file count once.
classes AS (
    SELECT
        source_id, source_file, sysplex, scope, report_kind, date_trunc('minute', interval_start) AS minute, interval_start,
        max(appl_cp_pct) AS cp_pct, max(appl_iip_pct) AS iip_pct, min({'page': page, 'line': line}) AS place
    FROM rmf_workload_activity
    SEMI JOIN engines
        ON engines.report_kind = rmf_workload_activity.report_kind
        AND engines.minute = date_trunc('minute', rmf_workload_activity.interval_start)
    WHERE class_kind = 'service_class' AND scope IS NOT NULL
    GROUP BY source_id, source_file, sysplex, scope, report_kind, interval_start, policy, workload, service_class
),
captured AS (
    SELECT
        source_id, source_file, sysplex, scope, report_kind, minute, interval_start,
        sum(cp_pct) AS cp_pct, sum(iip_pct) AS iip_pct, count(*) AS classes, min(place) AS place
    FROM classes
    GROUP BY source_id, source_file, sysplex, scope, report_kind, minute, interval_start
),
of_system AS (
    SELECT *, count(DISTINCT sysplex) OVER (PARTITION BY system, report_kind, minute) AS sysplexes
    FROM (SELECT captured.*, unnest(string_split(scope, ',')) AS system FROM captured)
),
online AS (
    SELECT
        of_system.source_id, of_system.source_file, of_system.place, of_system.cp_pct, of_system.iip_pct, of_system.classes,
        sum_all(engines.general) AS general,
        CASE WHEN count(engines.general) = count(*) THEN sum(engines.ziips) END AS ziips
    FROM of_system
    LEFT JOIN engines
        ON engines.system = of_system.system AND engines.report_kind = of_system.report_kind
        AND engines.minute = of_system.minute
    GROUP BY of_system.source_id, of_system.source_file, of_system.sysplex, of_system.scope, of_system.interval_start, of_system.place,
        of_system.cp_pct, of_system.iip_pct, of_system.classes
    -- CPU Activity does not name the sysplex of its processors.
    HAVING max(of_system.sysplexes) <= 1
),
by_type AS (
    SELECT *, 'appl_cp_pct' AS "column", cp_pct AS found, general * 100 AS expected FROM online
    UNION ALL BY NAME
    SELECT *, 'appl_iip_pct' AS "column", iip_pct AS found, ziips * 200 AS expected FROM online
),
processors AS (
    SELECT
        'rmf_workload_activity.appl_within_engines' AS rule, 'rmf_workload_activity' AS "table", "column",
        'APPL % of all service classes is not more than 100 an engine that is online' AS what,
        'RMF Report Analysis, Workload Activity' AS basis,
        found, expected, expected * 0.01 + classes * 0.005 AS tolerance, classes AS rows, source_id, source_file, place
    FROM by_type
),
accesses AS (
    SELECT
        'db2_statistics_counter.gbp_rates_agree' AS rule, 'db2_statistics_counter' AS "table", 'quantity' AS "column",
        'requests per second that RMF counts are between half and twice the accesses that Db2 counts' AS what,
        'Db2 statistics, group buffer pool; RMF Report Analysis, Coupling Facility Activity' AS basis,
        rmf_structure_per_s AS found, group_accesses_per_s AS expected,
        CASE WHEN rmf_structure_per_s < group_accesses_per_s THEN 0.5 ELSE 1 END * group_accesses_per_s AS tolerance,
        CAST(len(refs) AS BIGINT) AS rows, refs[1].source_id AS source_id, {'page': refs[1].page, 'line': refs[1].line} AS place
    FROM gbp_rmf_reconciliation
    WHERE structure_match = 'group' AND abs(covered_s / interval_elapsed_s - 1) <= 0.02
    -- One row per group and pool, although each member and each system has one. A structure of the name in another sysplex may be another group's.
    QUALIFY row_number() OVER (
        PARTITION BY location, db2_group, gbp, report_kind, begin_at, end_at, structure_name, cf_name, sysplex ORDER BY member, system, refs
    ) = 1 AND count(DISTINCT sysplex) OVER (PARTITION BY db2_group, gbp, report_kind, begin_at, end_at) <= 1
),
broken AS (
    SELECT * FROM processors WHERE found - expected > tolerance
    UNION ALL BY NAME
    SELECT accesses.*, source.source_file
    FROM accesses
    LEFT JOIN ingest_file AS source ON source.source_id = accesses.source_id
    WHERE abs(found - expected) > tolerance
)
SELECT
    rule, "table", "column", 'warn' AS severity, what, basis, found, expected, tolerance, rows,
    source_id, source_file, place.page AS page, place.line AS line
FROM broken
