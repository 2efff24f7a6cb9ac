-- Grain: one row per printed interval of workload pages and class kind.
-- is_overlapping: an interval of the same scope, report_kind and class kind that began no later reaches into this one (two runs of
-- the Postprocessor with other lengths, a policy printed twice); do not add such rows to it.
-- RMF leaves out a class that did nothing. So a class that is missing from an interval used nothing there if is_whole is true; otherwise the class
-- may be on lines that could not be read, and is unknown. This is the only rule for adding classes over intervals.
-- is_whole: no line was rejected on the pages of workload activity from the first to the last of the interval in each source. A missing page is
-- a reject where the printed page numbers skip it; a page missing after the last page of the interval is not noticed.
-- Source: RMF Report Analysis, Workload Activity.
-- Shards: by midpoint (overlapping intervals only).
-- Columns:
--   utc_offset_minutes [min]: offset of its local times; NULL if it was not given at ingest, or is not one
--   utc_offsets: how many offsets its pages were read with; 2 for an hour that was printed before and after the clock was set back
WITH printed_scopes AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at,
        replace(class_kind, '_period', '') AS class_kind,
        max(interval_s) AS interval_s,
        min(utc_offset_minutes) AS least_offset,
        max(utc_offset_minutes) AS most_offset,
        count(*) = count(utc_offset_minutes) AS has_offset,
        source_id, min(page) AS first_page, max(page) AS last_page,
        min(ref(source_id, page, line)) AS first_row
    FROM counted('rmf_workload_activity')
    WHERE interval_start IS NOT NULL AND interval_end IS NOT NULL AND interval_s > 0
    GROUP BY ALL
),
-- Blocks of 64 pages make the join an equi-join.
rejected AS MATERIALIZED (
    SELECT DISTINCT source_id, page, page // 64 AS block
    FROM parse_reject
    WHERE report = 'rmf_workload_activity'
),
pages AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, source_id,
        min(first_page) AS first_page, max(last_page) AS last_page
    FROM printed_scopes
    SEMI JOIN rejected ON rejected.source_id = printed_scopes.source_id
    GROUP BY ALL
),
damaged AS (
    SELECT DISTINCT
        pages.sysplex, pages.scope, pages.report_kind, pages.interval_start, pages.interval_end, pages.policy_activated_at
    FROM (SELECT *, unnest(generate_series(first_page // 64, last_page // 64)) AS block FROM pages) AS pages
    JOIN rejected
        ON rejected.source_id = pages.source_id AND rejected.block = pages.block
        AND rejected.page >= pages.first_page AND rejected.page <= pages.last_page
),
marked AS (
    SELECT printed_scopes.*, damaged.interval_start IS NULL AS is_whole
    FROM printed_scopes
    LEFT JOIN damaged
        ON policy_interval_key(damaged) = policy_interval_key(printed_scopes)
),
printed AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind,
        max(interval_s) AS interval_s,
        CASE WHEN min(least_offset) = max(most_offset) AND bool_and(has_offset) THEN min(least_offset) END AS utc_offset_minutes,
        -- A clock that is set back has two offsets, never more.
        CASE WHEN min(least_offset) < max(most_offset) THEN 2 WHEN min(least_offset) IS NOT NULL THEN 1 ELSE 0 END AS utc_offsets,
        bool_and(is_whole) AS is_whole,
        min(first_row) AS first_row
    FROM scoped(marked)
    GROUP BY ALL
)
SELECT
    sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, interval_s,
    interval_start + (interval_end - interval_start) / 2 AS midpoint,
    -- Intervals end a little off the clock: one second does not count as an overlap.
    coalesce(max(interval_end) OVER (
        PARTITION BY sysplex, scope, report_kind, class_kind
        ORDER BY interval_start, interval_end DESC, policy_activated_at
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) > interval_start + INTERVAL 1 SECOND, FALSE) AS is_overlapping,
    is_whole, utc_offset_minutes, utc_offsets,
    [first_row] AS refs
FROM printed
