-- Grain: one row per system, reporting month, tried defined capacity, importance and service class period: what the capacity would hold back.
-- Formula: in each interval of cap_interval the displaced MSU are taken from discretionary work first, then from importance 5, and so on to 1, as
-- WLM gives processors; within one importance from its periods by their use. Use of a period is its part of the APPL % CP of all periods of the
-- pages of the system alone, times the MSU of the partition: so time in no class is shared out by use. SYSTEM and SYSSTC keep what they use; what
-- would have to come from them is `system`, one row.
-- Kind `unknown`: what is displaced in intervals without whole pages of the system alone, where a period's CP is unknown, or where a class that
-- used some prints no periods, and so no importance.
-- The rows of a capacity and month add up to displaced_msu_h of cap_what_if.
-- Source: IBM z/OS MVS Planning: Workload Management, importance; RMF Report Analysis, Workload Activity, APPL %.
-- Worked: 300 MSU, of which SYSTEM used 10%, importance 1 60%, 4 20% and discretionary 10%, under a cap of 200: 100 displaced, 30 of discretionary,
-- 60 of importance 4, 10 of importance 1.
-- Shards: no: as interval_msu.
-- Columns:
--   system: as in tried_cap
--   kind: importance, discretionary, system, unknown
--   importance: 1 the highest; NULL for other kinds
--   period: period of the class
--   displaced_msu_h [MSU x h]: held back
--   of_its_use_pct [%]: of what the period used in the intervals with displaced work; NULL for system and unknown
WITH printed AS (
    SELECT class.*
    FROM workload_printed_once AS class
    JOIN workload_interval AS interval
        ON policy_interval_key(interval) = policy_interval_key(class) AND interval.class_kind = 'service_class'
    WHERE class.report_kind = 'interval' AND class.class_kind IN ('service_class', 'service_class_period')
        AND (class.appl_cp_pct > 0 OR class.cp_cell_unread) AND interval.is_whole AND NOT interval.is_overlapping
),
-- A class without periods has no importance: its use is not known here.
period AS (
    SELECT
        scope AS system, interval_start, interval_end, service_class, period, importance,
        CASE WHEN service_class = 'SYSTEM' OR service_class LIKE 'SYSSTC%' THEN 0 ELSE coalesce(importance, 6) END AS rank,
        CASE WHEN class_kind = 'service_class_period' AND NOT is_conflicting THEN appl_cp_pct END AS cp_pct
    FROM printed
    QUALIFY class_kind = 'service_class_period'
        OR count_if(class_kind = 'service_class_period') OVER (PARTITION BY scope, interval_start, interval_end, service_class) = 0
),
used AS (
    SELECT
        held.system, held.partition, held.reporting_month, held.cap_pct, held.cap_msu, held.interval_start, held.interval_s,
        period.service_class, period.period, period.importance, period.rank, held.displaced_msu,
        CASE WHEN count(period.cp_pct) OVER of_interval = count(*) OVER of_interval
            THEN held.msu * period.cp_pct / sum(period.cp_pct) OVER of_interval END AS used_msu
    FROM cap_interval AS held
    JOIN period
        ON period.system = held.system AND period.interval_start = held.interval_start AND period.interval_end = held.interval_end
    WINDOW of_interval AS (PARTITION BY held.system, held.partition, held.cap_pct, held.interval_start, held.interval_end)
),
-- Of each importance, what less important work cannot give.
of_rank AS (
    SELECT
        system, partition, cap_pct, interval_start, rank, sum(used_msu) AS rank_msu,
        greatest(0, least(sum(used_msu), any_value(displaced_msu) - coalesce(sum(sum(used_msu)) OVER (
            PARTITION BY system, partition, cap_pct, interval_start ORDER BY rank DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0))) AS taken_msu
    FROM used
    WHERE rank > 0 AND used_msu IS NOT NULL
    GROUP BY system, partition, cap_pct, interval_start, rank
),
part AS (
    SELECT
        used.* EXCLUDE (displaced_msu), CASE WHEN used.rank = 6 THEN 'discretionary' ELSE 'importance' END AS kind,
        used.used_msu * of_rank.taken_msu / of_rank.rank_msu AS displaced_msu
    FROM used
    JOIN of_rank USING (system, partition, cap_pct, interval_start, rank)
    UNION ALL BY NAME
    SELECT
        held.system, held.partition, held.reporting_month, held.cap_pct, held.cap_msu, held.interval_s,
        CASE WHEN known.taken_msu IS NULL THEN 'unknown' ELSE 'system' END AS kind,
        held.displaced_msu - coalesce(known.taken_msu, 0) AS displaced_msu
    FROM cap_interval AS held
    LEFT JOIN (
        SELECT system, partition, cap_pct, interval_start, coalesce(sum(of_rank.taken_msu), 0) AS taken_msu
        FROM (SELECT DISTINCT system, partition, cap_pct, interval_start FROM used WHERE used_msu IS NOT NULL)
        LEFT JOIN of_rank USING (system, partition, cap_pct, interval_start)
        GROUP BY system, partition, cap_pct, interval_start
    ) AS known USING (system, partition, cap_pct, interval_start)
    WHERE held.displaced_msu > coalesce(known.taken_msu, 0) + 1e-9
)
SELECT
    system, partition, reporting_month, cap_pct, cap_msu, kind, importance, service_class, period,
    sum(displaced_msu * interval_s) / 3600 AS displaced_msu_h,
    100 * sum(displaced_msu * interval_s) / nullif(sum(used_msu * interval_s), 0) AS of_its_use_pct
FROM part
GROUP BY system, partition, reporting_month, cap_pct, cap_msu, kind, importance, service_class, period
