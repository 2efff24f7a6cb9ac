-- Grain: one row per source of the figure, level, owner, peak, class kind and class: the class's part of the hour with the highest
-- four-hour rolling average.
-- Formula: general processor time (CP) of the class in the four hours that end with each interval of the hour, their mean weighted by the
-- time of these intervals, over that of all classes of the kind. So the classes weigh as the average does: work that ran four hours before the
-- peak counts in a part of it. For partition_data the classes are those of pages of one system each.
-- share_pct is of captured time: it excludes uncaptured time (capture_ratio), and time that partitions without pages of classes
-- used. Report classes need not cover all work.
-- A class missing from an interval, but printed by another of the same pages in the four hours, used nothing there if the interval is complete,
-- else it is unknown (workload_interval).
-- NULL: if one of the class's figures is unknown, or pages with classes of a system do not cover the four hours within 2 percent;
-- share_pct also where a class of the kind is unknown. No rows where no peak is known.
-- Source: as hourly_four_hour_msu.
-- Shards: no: the peak is that of all days.
-- Columns:
--   scope: as in hourly_four_hour_msu
--   peak_start, peak_end [local time]: the hour
--   rolling_msu, capped_msu [MSU/h]: of the hour, as in hourly_four_hour_msu
--   peak_of: which of them is highest there
--   share_pct [%]: of the general processor time of all classes of the kind
--   cp_time_s [s]: its general processor time in four hours
--   gp_msu [MSU/h]: the same over four hours, in software MSU
--   gp_msu_service [million service units/h]: the same in service units, which are not software MSU
WITH peak AS MATERIALIZED (
    SELECT
        msu_source, level, sysplex, machine, scope, name, hour_start AS peak_start, hour_end AS peak_end, utc_offset_minutes,
        rolling_msu, capped_msu, peak_of,
        struct_pack(
            msu_source := msu_source, level := level, sysplex := sysplex, machine := machine, name := name, start := hour_start,
            utc_offset_minutes := utc_offset_minutes
        ) AS peak_key
    FROM hourly_four_hour_msu
    WHERE is_peak AND scope IS NOT NULL
),
page_set AS (
    SELECT *, scope AS pages FROM peak WHERE level = 'pages'
    UNION ALL
    SELECT *, unnest(string_split(scope, ',')) AS pages FROM peak WHERE level <> 'pages'
),
-- The four hours that end with each interval of the peak hour. If their clock is UTC, a page without an offset is taken as UTC too.
four_hours AS (
    SELECT
        peak.peak_key, peak.msu_source, peak.sysplex, peak.utc_offset_minutes, peak.pages,
        msu.clock_end - INTERVAL 4 HOUR AS clock_start, msu.clock_end, msu.is_utc,
        msu.interval_s / sum(msu.interval_s) OVER (PARTITION BY peak.peak_key, peak.pages) AS weight
    FROM page_set AS peak
    JOIN own_interval_msu AS msu
        ON msu.msu_source = peak.msu_source AND msu.scope = peak.pages
        AND (msu.sysplex IS NOT DISTINCT FROM peak.sysplex)
        AND date_trunc('hour', msu.midpoint) = peak.peak_start
        AND msu.utc_offset_minutes IS NOT DISTINCT FROM peak.utc_offset_minutes
),
covered AS (
    SELECT
        four.peak_key, four.pages, interval.class_kind,
        abs(sum(interval.interval_s * four.weight) / 14400 - 1) <= 0.02 AS is_covered,
        count_if(NOT interval.is_whole) AS damaged
    FROM four_hours AS four
    JOIN workload_time AS interval
        ON interval.scope = four.pages
        -- A partition's page names no sysplex.
        AND (interval.sysplex IS NOT DISTINCT FROM four.sysplex OR (four.sysplex IS NULL AND four.msu_source = 'partition_data'))
        AND interval.midpoint - to_minutes(
            CAST(CASE WHEN four.is_utc THEN coalesce(interval.utc_offset_minutes, four.utc_offset_minutes) ELSE 0 END AS BIGINT)
        ) >= four.clock_start
        AND interval.midpoint - to_minutes(
            CAST(CASE WHEN four.is_utc THEN coalesce(interval.utc_offset_minutes, four.utc_offset_minutes) ELSE 0 END AS BIGINT)
        ) < four.clock_end
    WHERE interval.class_kind IN ('service_class', 'report_class')
    GROUP BY four.peak_key, four.pages, interval.class_kind
),
-- Every system of the peak must have its classes.
whole AS (
    SELECT peak_key, class_kind, bool_and(coalesce(covered.is_covered, FALSE)) AS is_covered
    FROM (SELECT peak_key, pages, unnest(['service_class', 'report_class']) AS class_kind FROM page_set) AS wanted
    LEFT JOIN covered USING (peak_key, pages, class_kind)
    GROUP BY peak_key, class_kind
),
used_on_pages AS (
    SELECT
        four.peak_key, four.pages, class.class_kind, class.class_name,
        count_if(NOT class.is_whole) AS damaged,
        sum_all(class.cp_pct / 100 * class.interval_s * four.weight) AS cp_time_s,
        sum_all(class.gp_msu * class.interval_s * four.weight) / 14400 AS gp_msu,
        CASE WHEN min(class.msu_basis) = max(class.msu_basis) THEN min(class.msu_basis) ELSE 'differing' END AS msu_basis,
        sum_all(class.gp_msu_service * class.interval_s * four.weight) / 14400 AS gp_msu_service,
        bool_or(class.is_conflicting) AS is_conflicting,
        list_sort(list_distinct(flatten(list(class.refs)))) AS refs
    FROM four_hours AS four
    JOIN class_interval AS class
        ON class.scope = four.pages
        AND (class.sysplex IS NOT DISTINCT FROM four.sysplex OR (four.sysplex IS NULL AND four.msu_source = 'partition_data'))
        AND class.midpoint - to_minutes(
            CAST(CASE WHEN four.is_utc THEN coalesce(class.utc_offset_minutes, four.utc_offset_minutes) ELSE 0 END AS BIGINT)
        ) >= four.clock_start
        AND class.midpoint - to_minutes(
            CAST(CASE WHEN four.is_utc THEN coalesce(class.utc_offset_minutes, four.utc_offset_minutes) ELSE 0 END AS BIGINT)
        ) < four.clock_end
    WHERE class.class_kind IN ('service_class', 'report_class')
    GROUP BY four.peak_key, four.pages, class.class_kind, class.class_name
),
used AS (
    SELECT
        peak_key, class_kind, class_name,
        CASE WHEN count(cp_time_s) FILTER (is_known) = count(*) THEN sum(cp_time_s) END AS cp_time_s,
        CASE WHEN count(gp_msu) FILTER (is_known) = count(*) THEN sum(gp_msu) END AS gp_msu,
        CASE WHEN min(msu_basis) = max(msu_basis) THEN min(msu_basis) ELSE 'differing' END AS msu_basis,
        CASE WHEN count(gp_msu_service) FILTER (is_known) = count(*) THEN sum(gp_msu_service) END AS gp_msu_service,
        bool_or(is_conflicting) AS is_conflicting,
        list_sort(list_distinct(flatten(list(refs)))) AS refs
    FROM (
        SELECT used_on_pages.*, used_on_pages.damaged >= covered.damaged AS is_known
        FROM used_on_pages
        JOIN covered USING (peak_key, pages, class_kind)
    )
    GROUP BY peak_key, class_kind, class_name
)
SELECT
    peak.msu_source, peak.level, peak.sysplex, peak.machine, peak.scope, peak.name, peak.peak_start, peak.peak_end,
    peak.rolling_msu, peak.capped_msu, peak.peak_of, used.class_kind, used.class_name,
    CASE WHEN whole.is_covered AND count(used.cp_time_s) OVER of_kind = count(*) OVER of_kind
        THEN 100 * used.cp_time_s / nullif(sum(used.cp_time_s) OVER of_kind, 0) END AS share_pct,
    CASE WHEN whole.is_covered THEN used.cp_time_s END AS cp_time_s,
    CASE WHEN whole.is_covered THEN used.gp_msu END AS gp_msu,
    used.msu_basis,
    CASE WHEN whole.is_covered THEN used.gp_msu_service END AS gp_msu_service,
    used.is_conflicting, used.refs
FROM used
JOIN peak USING (peak_key)
JOIN whole USING (peak_key, class_kind)
WINDOW of_kind AS (PARTITION BY peak_key, used.class_kind)
