-- Grain: one row per sysplex, scope, report kind and interval of workload pages with a system whose zIIPs run more than one thread a core.
-- With two threads SERVICE TIME of zIIPs is the time that one thread would have taken. APPL % IIP divides it by the interval, or by interval
-- x MAX CF. The page shows which: SERVICE TIME IIP / interval / APPL % IIP is 1 or MAX CF. The row with most zIIP time is taken, if that is at
-- least 2 percent of an engine; APPL % is known to 0.02 percent of an engine, MAX CF to 0.001.
-- NULL: reading where no row prints both, or where the quotient is neither; capacity_factor_max where systems differ in it.
-- Multithreading belongs to an interval by its midpoint. A page that names no system has no row.
-- Source: RMF Report Analysis, CPU Activity (MODE, MAX CF), Workload Activity (SERVICE TIME, APPL %).
-- Worked: SERVICE TIME IIP 56.25 s of 60, APPL % IIP 75.00: 93.75 / 75 = 1.25, which is MAX CF.
-- Shards: by interval_start (overlapping intervals only).
-- Columns:
--   threads_per_core: most of its systems
--   capacity_factor_max: MAX CF of zIIPs
--   shown_factor: SERVICE TIME / interval / APPL %
--   reading: appl (of the interval) or appl_x_max_cf (of interval x MAX CF)
WITH cores AS MATERIALIZED (
    SELECT
        *, interval_start + (interval_end - interval_start) / 2 AS midpoint,
        date_trunc('day', interval_start + (interval_end - interval_start) / 2) AS day
    FROM counted('rmf_multithreading') AS printed_cores
    WHERE processor_type = 'IIP' AND threads_per_core IS NOT NULL
),
threaded_day AS (
    -- An interval that begins late may hold a midpoint of the day after.
    SELECT DISTINCT unnest([day - INTERVAL 1 DAY, day]) AS day FROM cores WHERE threads_per_core > 1
),
printed AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at,
        max(appl_iip_pct) FILTER (is_sound) AS largest_pct,
        arg_max(100 * iip_time_s / interval_s / appl_iip_pct, (appl_iip_pct, iip_time_s, interval_s)) FILTER (is_sound) AS shown_factor
    FROM (
        SELECT *, coalesce(iip_time_s > 0 AND appl_iip_pct >= 2 AND interval_s > 0, FALSE) AS is_sound
        FROM counted('rmf_workload_activity')
        SEMI JOIN threaded_day ON threaded_day.day = date_trunc('day', interval_start)
    )
    WHERE scope IS NOT NULL OR sysplex IS NOT NULL
    GROUP BY sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at
),
page AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end,
        max(largest_pct) AS largest_pct, arg_max(shown_factor, (largest_pct, shown_factor)) AS shown_factor
    FROM scoped(printed)
    GROUP BY ALL
),
system_day AS (
    SELECT *, unnest(generate_series(date_trunc('day', interval_start), interval_end, INTERVAL 1 DAY)) AS day
    FROM (SELECT *, unnest(string_split(scope, ',')) AS system FROM page WHERE scope IS NOT NULL)
),
of_scope AS (
    SELECT
        page.sysplex, page.scope, page.report_kind, page.interval_start, page.interval_end,
        known_value(page.largest_pct) AS largest_pct, known_value(page.shown_factor) AS shown_factor,
        max(cores.threads_per_core) AS threads_per_core,
        -- A system without a second thread has a factor of 1.
        CASE WHEN count(DISTINCT cores.system) < max(len(string_split(page.scope, ','))) THEN 1
            ELSE min(CASE WHEN cores.threads_per_core = 1 THEN 1 ELSE cores.capacity_factor_max END) END AS least,
        max(CASE WHEN cores.threads_per_core = 1 THEN 1 ELSE cores.capacity_factor_max END) AS most,
        count(cores.capacity_factor_max) = count(*) AS is_known,
        list(ref(cores.source_id, cores.page, cores.line)
            ORDER BY cores.system, cores.source_id, cores.line) AS refs
    FROM system_day AS page
    JOIN cores
        ON cores.system = page.system AND cores.report_kind = page.report_kind AND cores.day = page.day
        AND cores.midpoint >= page.interval_start AND cores.midpoint < page.interval_end
    GROUP BY page.sysplex, page.scope, page.report_kind, page.interval_start, page.interval_end
    HAVING max(cores.threads_per_core) > 1
)
SELECT
    sysplex, scope, report_kind, interval_start, interval_end, threads_per_core,
    CASE WHEN is_known AND least = most THEN most END AS capacity_factor_max,
    shown_factor,
    CASE
        WHEN abs(shown_factor - 1) <= shown_factor * 0.02 / largest_pct THEN 'appl'
        WHEN is_known AND least = most AND abs(shown_factor - most) <= 0.001 + shown_factor * 0.02 / largest_pct THEN 'appl_x_max_cf'
    END AS reading,
    refs
FROM of_scope
