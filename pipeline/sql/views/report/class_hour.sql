-- Grain: one row per sysplex, scope, class kind, class and clock hour: the processor time and transactions of the class.
-- Formula: sums over the intervals whose midpoint is in the hour; time is percent / 100 x interval. Overlapping intervals and duration
-- reports are left out.
-- One scope counts for each class and interval (class_of_wider_scope): pages of a system beside those of its sysplex are left out.
-- An hour with missing intervals is not a smaller hour: compare covered_s with 3600 s.
-- A class missing from an interval used nothing there if the interval is complete, otherwise it is unknown (workload_interval).
-- NULL: a sum with a value that is unknown or was printed again with another value: it may be that of another hour (a clock that was set back).
-- Source: RMF Report Analysis, Workload Activity, APPL %.
-- Worked: intervals of 900 s with CP 40, 60, 50 and 50%: 1800 s.
-- Repeated hours: by hour_start.
-- Shards: by hour_start.
-- Columns:
--   covered_s [s]: time of the intervals that count, with and without the class
--   is_whole: as in workload_interval, of all intervals of the hour
--   cpu_time_s, cp_time_s, ziip_time_s, ziip_on_cp_time_s [s]: processor time: CP + IIP (+ AAP), CP, IIP, IIPCP; CP includes IIPCP
--   ziip_eligible_normalized_time_s [s]: NF x IIP + IIPCP, in time of a general processor
--   gp_msu [MSU/h]: CP in software MSU, as in cpu_by_class, mean over covered_s
--   has_cpu: it prints processor time in the hour; classes of transactions alone do not
--   release, policy_activated_at, su_per_s [service units/s]: the newest of the hour: release of the pages, policy, speed of an engine
WITH hours AS (
    SELECT
        sysplex, scope, class_kind, date_trunc('hour', midpoint) AS hour_start,
        sum(interval_s) AS covered_s, count_if(NOT is_whole) AS damaged
    FROM workload_interval
    WHERE report_kind = 'interval' AND NOT is_overlapping
    GROUP BY ALL
),
class AS (
    SELECT
        class.sysplex, class.scope, class.class_kind,
        name_of_class(class.class_kind, class.policy, class.workload, class.service_class, class.report_class) AS class_name,
        CASE WHEN class.class_kind = 'service_class' THEN class.workload END AS workload,
        date_trunc('hour', interval.midpoint) AS hour_start,
        interval.is_whole, class.interval_s, class.interval_start,
        CASE WHEN NOT class.is_conflicting THEN
            COLUMNS(['transactions_ended', 'cpu_pct', 'cp_pct', 'ziip_pct', 'ziip_on_cp_pct', 'ziip_eligible_normalized_pct', 'gp_msu']) END,
        class.release, class.policy_activated_at, class.su_per_s, class.cpu_source IS NOT NULL AS has_cpu, class.refs[1] AS ref
    FROM cpu_by_class AS class
    JOIN workload_interval AS interval
        ON policy_interval_key(interval) = policy_interval_key(class) AND interval.class_kind = class.class_kind
    ANTI JOIN class_of_wider_scope AS wider
        ON wider.sysplex IS NOT DISTINCT FROM class.sysplex AND wider.scope IS NOT DISTINCT FROM class.scope
        AND wider.interval_start = class.interval_start AND wider.interval_end = class.interval_end
        AND wider.policy_activated_at IS NOT DISTINCT FROM class.policy_activated_at AND wider.class_kind = class.class_kind
        AND wider.class_name IS NOT DISTINCT FROM
            name_of_class(class.class_kind, class.policy, class.workload, class.service_class, class.report_class)
    WHERE class.report_kind = 'interval' AND NOT interval.is_overlapping AND (class.cpu_source IS NOT NULL OR class.transactions_ended IS NOT NULL)
),
-- A class that counts in a wider scope in an interval did not use nothing there.
elsewhere AS (
    SELECT sysplex, scope, class_kind, class_name, hour_of(interval_start, interval_end) AS hour_start, sum(interval_s) AS interval_s
    FROM class_of_wider_scope
    GROUP BY ALL
),
summed AS (
    SELECT
        sysplex, scope, class_kind, class_name, hour_start,
        max(workload) AS workload,
        count_if(NOT is_whole) AS damaged,
        sum_all(COLUMNS('^(.*)_pct$') / 100 * interval_s) AS '\1_time_s',
        sum_all(gp_msu * interval_s) AS gp_msu_s,
        CAST(sum_all(transactions_ended) AS BIGINT) AS transactions_ended,
        arg_max(release, interval_start) AS release,
        bool_or(has_cpu) AS has_cpu,
        max(policy_activated_at) AS policy_activated_at,
        arg_max(su_per_s, interval_start) AS su_per_s,
        min(ref) AS ref
    FROM class
    GROUP BY sysplex, scope, class_kind, class_name, hour_start
)
SELECT
    summed.sysplex, summed.scope, summed.class_kind, summed.class_name, summed.workload, summed.hour_start,
    offset_if_repeated() AS utc_offset_minutes, without_noise(hours.covered_s - coalesce(elsewhere.interval_s, 0)) AS covered_s,
    hours.damaged = 0 AS is_whole,
    CASE WHEN summed.damaged >= hours.damaged THEN without_noise(COLUMNS('_time_s$')) END,
    CASE WHEN summed.damaged >= hours.damaged THEN
        without_noise(summed.gp_msu_s / nullif(hours.covered_s - coalesce(elsewhere.interval_s, 0), 0)) END AS gp_msu,
    summed.has_cpu,
    CASE WHEN summed.damaged >= hours.damaged THEN summed.transactions_ended END AS transactions_ended,
    summed.release, summed.policy_activated_at, summed.su_per_s, [summed.ref] AS refs
FROM summed
JOIN hours
    ON hours.sysplex IS NOT DISTINCT FROM summed.sysplex AND hours.scope IS NOT DISTINCT FROM summed.scope
    AND hours.class_kind = summed.class_kind AND hours.hour_start = summed.hour_start
LEFT JOIN elsewhere
    ON elsewhere.sysplex IS NOT DISTINCT FROM summed.sysplex AND elsewhere.scope IS NOT DISTINCT FROM summed.scope
    AND elsewhere.class_kind = summed.class_kind AND elsewhere.class_name IS NOT DISTINCT FROM summed.class_name
    AND elsewhere.hour_start = summed.hour_start
