-- Grain: one row per interval of workload pages that prints processor time of service classes or of the policy: the processor time of all work,
-- beside the engines of the systems of the page.
-- Formula: sums of APPL % over the service classes; APPL % of the policy where none is printed, where one is unknown, or where the
-- policy's CP is not their sum within the printed digits (some of them are not on the pages). Engines: sums over the systems of the
-- scope, weighted by time, of the CPU Activity intervals whose midpoint lies in the interval.
-- NULL: processor time where a class's is unknown; engines where the page names no system, where a system of the scope has no CPU
-- Activity, or where its time differs by more than 2 percent from the interval's; and where workload pages of another sysplex name a
-- system of the same name in the interval, for CPU Activity names no sysplex. No zIIP rows: no zIIPs.
-- A page of several systems adds time on engines of unlike speed. With two threads per core zIIP time is that of one thread (cpu_by_class), beside
-- work and capacity of the engines in the same time (processor_busy).
-- Source: RMF Report Analysis, Workload Activity and CPU Activity.
-- Shards: by interval_start.
-- Columns:
--   class_kind: service_class or policy: what was added up
--   ziip_time_source: as in cpu_by_class; of several, those of all classes
--   cp_engines_online, cp_engines_busy: general processors: ONLINE, and LPAR BUSY of them
--   ziip_engines_online, ziip_engines_busy: zIIPs, likewise; 0 where there is none
--   cp_engines_work: LPAR BUSY x CF of general processors
--   ziip_engines_work, ziip_engines_capacity: LPAR BUSY x CF and ONLINE x MAX CF of zIIPs
--   refs: the printed rows of the processors, and the first of the interval's classes
WITH kind_time AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind,
        count(cpu_source) AS classes,
        -- Classes of transactions alone print no processor time.
        CASE WHEN count(cp_pct) = count(cpu_source) THEN without_noise(sum(cp_pct)) END AS cp_pct,
        CASE WHEN count(ziip_eligible_pct) = count(cpu_source)
            THEN without_noise(sum(ziip_eligible_pct - coalesce(ziip_on_cp_pct, 0))) END AS ziip_pct,
        CASE WHEN count(ziip_eligible_pct) = count(cpu_source)
            THEN without_noise(sum(coalesce(ziip_on_cp_pct, 0)) FILTER (ziip_eligible_pct IS NOT NULL)) END AS ziip_on_cp_pct,
        -- The source of classes that used some zIIP time; 0 needs no source.
        string_agg(DISTINCT ziip_time_source, ',' ORDER BY ziip_time_source) FILTER (ziip_pct IS DISTINCT FROM 0) AS ziip_time_source,
        known_value(COLUMNS(['normalization_factor', 'normalization_source', 'su_per_s', 'msu_per_cp', 'msu_basis'])),
        bool_or(is_conflicting) AS is_conflicting
    FROM cpu_by_class
    WHERE class_kind IN ('service_class', 'policy')
    GROUP BY ALL
),
beside_policy AS (
    SELECT
        *,
        max(cp_pct) FILTER (class_kind = 'policy') OVER (
            PARTITION BY sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at
        ) AS policy_cp_pct
    FROM kind_time
    WHERE classes > 0
),
kind_chosen AS (
    SELECT *
    FROM beside_policy
    QUALIFY row_number() OVER (
        PARTITION BY sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at
        ORDER BY
            -- Each percentage is printed to a hundredth.
            CASE WHEN class_kind = 'service_class'
                AND coalesce(abs(cp_pct - policy_cp_pct) > 0.01 * (classes + 1), policy_cp_pct IS NOT NULL) THEN 1 ELSE 0 END,
            class_kind DESC
    ) = 1
),
whole AS (
    SELECT kind_chosen.* EXCLUDE (policy_cp_pct), interval.interval_s, interval.is_overlapping, interval.refs
    FROM kind_chosen
    JOIN workload_interval AS interval
        ON policy_interval_key(interval) = policy_interval_key(kind_chosen) AND interval.class_kind = kind_chosen.class_kind
),
-- Systems of two sysplexes.
shared AS (
    SELECT system, report_kind, interval_start, interval_end
    FROM (SELECT sysplex, report_kind, interval_start, interval_end, unnest(string_split(scope, ',')) AS system FROM whole)
    GROUP BY system, report_kind, interval_start, interval_end
    HAVING count(DISTINCT sysplex) > 1
),
-- A day makes the join an equi-join; an interval has all days that it touches.
system_day AS (
    SELECT *, unnest(generate_series(date_trunc('day', interval_start), interval_end, INTERVAL 1 DAY)) AS day
    FROM (
        SELECT DISTINCT
            scope, report_kind, interval_start, interval_end, interval_s, len(string_split(scope, ',')) AS systems,
            unnest(string_split(scope, ',')) AS system
        FROM whole
    )
    ANTI JOIN shared USING (system, report_kind, interval_start, interval_end)
),
busy AS (
    SELECT *, interval_start + (interval_end - interval_start) / 2 AS midpoint
    FROM processor_busy
    WHERE processor_type IN ('CP', 'IIP')
),
within AS (
    SELECT
        wanted.scope, wanted.report_kind, wanted.interval_start, wanted.interval_end, wanted.interval_s,
        wanted.systems, wanted.system, busy.processor_type,
        busy.interval_start AS busy_start, busy.interval_s AS busy_s,
        busy.engines_online, busy.engines_busy, busy.engines_work, busy.engines_capacity, busy.refs,
        max(busy.interval_end) OVER (
            PARTITION BY wanted.scope, wanted.report_kind, wanted.interval_start, wanted.interval_end, wanted.system, busy.processor_type
            ORDER BY busy.interval_start, busy.interval_end ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS reached
    FROM system_day AS wanted
    JOIN busy
        ON busy.system = wanted.system AND busy.report_kind = wanted.report_kind
        AND date_trunc('day', busy.midpoint) = wanted.day
        AND busy.midpoint >= wanted.interval_start AND busy.midpoint < wanted.interval_end
),
of_system AS (
    SELECT
        scope, report_kind, interval_start, interval_end, interval_s, systems, system, processor_type,
        abs(sum(busy_s) / interval_s - 1) <= 0.02 AND NOT bool_or(is_there_twice(busy_start, reached)) AS is_covered,
        without_noise(mean_all(engines_online, busy_s)) AS online,
        without_noise(mean_all(engines_busy, busy_s)) AS busy,
        without_noise(mean_all(engines_work, busy_s)) AS work,
        without_noise(mean_all(engines_capacity, busy_s)) AS capacity,
        flatten(list(refs ORDER BY busy_start, refs)) AS refs
    FROM within
    GROUP BY scope, report_kind, interval_start, interval_end, interval_s, systems, system, processor_type
),
engines AS (
    SELECT
        scope, report_kind, interval_start, interval_end, interval_s,
        bool_and(is_covered) AND count(*) FILTER (processor_type = 'CP') = max(systems) AS is_covered,
        sum_all(online, processor_type = 'CP') AS cp_online,
        sum_all(busy, processor_type = 'CP') AS cp_busy,
        sum_or_zero(online, processor_type = 'IIP') AS ziip_online,
        sum_or_zero(busy, processor_type = 'IIP') AS ziip_busy,
        sum_all(work, processor_type = 'CP') AS cp_work,
        sum_or_zero(work, processor_type = 'IIP') AS ziip_work,
        sum_or_zero(capacity, processor_type = 'IIP') AS ziip_capacity,
        flatten(list(refs ORDER BY system, processor_type, refs)) AS refs
    FROM of_system
    GROUP BY scope, report_kind, interval_start, interval_end, interval_s
)
SELECT
    whole.sysplex, whole.scope, whole.report_kind, whole.interval_start, whole.interval_end,
    whole.policy_activated_at, whole.interval_s, whole.is_overlapping, whole.class_kind, whole.classes,
    whole.cp_pct, whole.ziip_pct, whole.ziip_on_cp_pct, whole.ziip_time_source,
    whole.normalization_factor, whole.normalization_source, whole.su_per_s, whole.msu_per_cp,
    whole.msu_basis,
    CASE WHEN engines.is_covered THEN engines.cp_online END AS cp_engines_online,
    CASE WHEN engines.is_covered THEN engines.cp_busy END AS cp_engines_busy,
    CASE WHEN engines.is_covered THEN engines.ziip_online END AS ziip_engines_online,
    CASE WHEN engines.is_covered THEN engines.ziip_busy END AS ziip_engines_busy,
    CASE WHEN engines.is_covered THEN engines.cp_work END AS cp_engines_work,
    CASE WHEN engines.is_covered THEN engines.ziip_work END AS ziip_engines_work,
    CASE WHEN engines.is_covered THEN engines.ziip_capacity END AS ziip_engines_capacity,
    whole.is_conflicting,
    list_concat(coalesce(engines.refs, []), whole.refs) AS refs
FROM whole
LEFT JOIN engines
    ON engines.scope = whole.scope AND engines.report_kind = whole.report_kind
    AND engines.interval_start = whole.interval_start AND engines.interval_end = whole.interval_end
    AND engines.interval_s = whole.interval_s
