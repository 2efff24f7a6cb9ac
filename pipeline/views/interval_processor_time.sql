-- Grain: one row an interval of workload pages that prints service classes, or else the policy: processor time of all work beside
-- the engines of the systems that the page is of.
-- Inputs: workload_interval, cpu_by_class, processor_busy.
-- Formula: sums of APPL % over the service classes; where none is printed those of the policy. Engines: sums over the systems of the
-- scope, weighted by time, of the CPU Activity intervals whose midpoint lies in the interval.
-- NULL: processor time where a class's is not known; engines where the page names no system, where a system of the scope has no CPU
-- Activity, or where its time differs by more than 2 percent from the interval's. No zIIP rows: no zIIPs.
-- A page of several systems adds time on engines of unlike speed. Under multithreading APPL % IIP may reach engines x MAX CF.
-- Source: RMF Report Analysis, Workload Activity and CPU Activity.
-- Columns:
--   sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at: the key of the interval
--   interval_s [s]: its length
--   is_overlapping: as in workload_interval; not to be added
--   class_kind: service_class or policy: what was added up
--   classes: how many of them print processor time
--   cp_pct, ziip_pct, ziip_on_cp_pct [% of one engine]: CP, IIP, IIPCP of all of them; CP holds IIPCP
--   normalization_factor, su_per_s [service units/s]: as in cpu_by_class
--   cp_engines_online, cp_engines_busy: general processors: ONLINE, and LPAR BUSY of them
--   ziip_engines_online, ziip_engines_busy: zIIPs, likewise; 0 where there is none
--   is_conflicting: a class was also printed with other values
--   refs: the printed rows of the processors, and the first of the interval's classes
WITH whole AS (
    SELECT interval.*
    FROM workload_interval AS interval
    WHERE interval.class_kind IN ('service_class', 'policy')
    QUALIFY row_number() OVER (
        PARTITION BY
            interval.sysplex, interval.scope, interval.report_kind, interval.interval_start, interval.interval_end,
            interval.policy_activated_at
        ORDER BY interval.class_kind DESC
    ) = 1
),
time AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind,
        count(cpu_source) AS classes,
        -- Classes of transactions alone print no processor time.
        CASE WHEN count(cp_pct) = count(cpu_source) THEN sum(cp_pct) END AS cp_pct,
        CASE WHEN count(ziip_eligible_pct) = count(cpu_source)
            THEN sum(ziip_eligible_pct - coalesce(ziip_on_cp_pct, 0)) END AS ziip_pct,
        CASE WHEN count(ziip_eligible_pct) = count(cpu_source)
            THEN sum(coalesce(ziip_on_cp_pct, 0)) FILTER (ziip_eligible_pct IS NOT NULL) END AS ziip_on_cp_pct,
        any_value(normalization_factor) AS normalization_factor,
        any_value(su_per_s) AS su_per_s,
        bool_or(is_conflicting) AS is_conflicting
    FROM cpu_by_class
    WHERE class_kind IN ('service_class', 'policy')
    GROUP BY ALL
),
-- A day is an equal value to join by; an interval has the days that it touches.
system_day AS (
    SELECT *, unnest(generate_series(date_trunc('day', interval_start), interval_end, INTERVAL 1 DAY)) AS day
    FROM (
        SELECT DISTINCT
            scope, report_kind, interval_start, interval_end, interval_s, len(string_split(scope, ',')) AS systems,
            unnest(string_split(scope, ',')) AS system
        FROM whole
    )
),
busy AS (
    SELECT *, interval_start + (interval_end - interval_start) / 2 AS midpoint
    FROM processor_busy
    WHERE processor_type IN ('CP', 'IIP')
),
of_system AS (
    SELECT
        wanted.scope, wanted.report_kind, wanted.interval_start, wanted.interval_end, wanted.interval_s,
        wanted.systems, wanted.system, busy.processor_type,
        abs(sum(busy.interval_s) / wanted.interval_s - 1) <= 0.02 AS is_covered,
        CASE WHEN count(busy.engines_online) = count(*)
            THEN sum(busy.engines_online * busy.interval_s) / sum(busy.interval_s) END AS online,
        CASE WHEN count(busy.engines_busy) = count(*)
            THEN sum(busy.engines_busy * busy.interval_s) / sum(busy.interval_s) END AS busy,
        flatten(list(busy.refs ORDER BY busy.interval_start)) AS refs
    FROM system_day AS wanted
    JOIN busy
        ON busy.system = wanted.system AND busy.report_kind = wanted.report_kind
        AND date_trunc('day', busy.midpoint) = wanted.day
        AND busy.midpoint >= wanted.interval_start AND busy.midpoint < wanted.interval_end
    GROUP BY
        wanted.scope, wanted.report_kind, wanted.interval_start, wanted.interval_end, wanted.interval_s,
        wanted.systems, wanted.system, busy.processor_type
),
engines AS (
    SELECT
        scope, report_kind, interval_start, interval_end, interval_s,
        bool_and(is_covered) AND count(*) FILTER (processor_type = 'CP') = max(systems) AS is_covered,
        CASE WHEN count(online) FILTER (processor_type = 'CP') = count(*) FILTER (processor_type = 'CP')
            THEN sum(online) FILTER (processor_type = 'CP') END AS cp_online,
        CASE WHEN count(busy) FILTER (processor_type = 'CP') = count(*) FILTER (processor_type = 'CP')
            THEN sum(busy) FILTER (processor_type = 'CP') END AS cp_busy,
        CASE WHEN count(online) FILTER (processor_type = 'IIP') = count(*) FILTER (processor_type = 'IIP')
            THEN coalesce(sum(online) FILTER (processor_type = 'IIP'), 0) END AS ziip_online,
        CASE WHEN count(busy) FILTER (processor_type = 'IIP') = count(*) FILTER (processor_type = 'IIP')
            THEN coalesce(sum(busy) FILTER (processor_type = 'IIP'), 0) END AS ziip_busy,
        flatten(list(refs ORDER BY system, processor_type)) AS refs
    FROM of_system
    GROUP BY scope, report_kind, interval_start, interval_end, interval_s
),
final AS (
    SELECT
        whole.sysplex, whole.scope, whole.report_kind, whole.interval_start, whole.interval_end,
        whole.policy_activated_at, whole.interval_s, whole.is_overlapping, whole.class_kind, time.classes,
        CASE WHEN time.classes > 0 THEN time.cp_pct END AS cp_pct,
        CASE WHEN time.classes > 0 THEN time.ziip_pct END AS ziip_pct,
        CASE WHEN time.classes > 0 THEN time.ziip_on_cp_pct END AS ziip_on_cp_pct,
        time.normalization_factor, time.su_per_s,
        CASE WHEN engines.is_covered THEN engines.cp_online END AS cp_engines_online,
        CASE WHEN engines.is_covered THEN engines.cp_busy END AS cp_engines_busy,
        CASE WHEN engines.is_covered THEN engines.ziip_online END AS ziip_engines_online,
        CASE WHEN engines.is_covered THEN engines.ziip_busy END AS ziip_engines_busy,
        time.is_conflicting,
        list_concat(coalesce(engines.refs, []), whole.refs) AS refs
    FROM whole
    JOIN time
        ON time.sysplex IS NOT DISTINCT FROM whole.sysplex
        AND time.scope IS NOT DISTINCT FROM whole.scope
        AND time.report_kind IS NOT DISTINCT FROM whole.report_kind
        AND time.interval_start = whole.interval_start
        AND time.interval_end = whole.interval_end
        AND time.policy_activated_at IS NOT DISTINCT FROM whole.policy_activated_at
        AND time.class_kind = whole.class_kind
    LEFT JOIN engines
        ON engines.scope = whole.scope AND engines.report_kind = whole.report_kind
        AND engines.interval_start = whole.interval_start AND engines.interval_end = whole.interval_end
        AND engines.interval_s = whole.interval_s
)
SELECT * FROM final
