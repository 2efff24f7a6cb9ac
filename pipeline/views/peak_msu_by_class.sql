-- Grain: one row a source of the figure, scope, class kind and class: its part of the four hours with the highest rolling average.
-- Inputs: rolling_four_hour_msu, class_interval.
-- Formula: general processor time (CP) of the class in the intervals whose midpoint is in the four hours, over that of all classes of the
-- kind. For partition_data the classes are those of pages of that one system.
-- share_pct is of captured time: what is in no class is shared by nobody (capture_ratio). Report classes need not cover all work.
-- NULL: where one of the class's figures is not known; a class that is not printed in an interval used nothing there.
-- Source: as rolling_four_hour_msu.
-- Columns:
--   msu_source, sysplex, scope: as in rolling_four_hour_msu
--   peak_start, peak_end [local time]: the four hours
--   rolling_msu [MSU/h]: their average
--   class_kind, class_name: service_class or report_class, and its name
--   share_pct [%]: of the general processor time of all classes of the kind
--   cp_time_s [s]: its general processor time in the four hours
--   gp_msu [MSU/h]: the same over four hours, in units that no machine changes; NULL where SU/SEC is not known
--   is_conflicting: a row was also printed with other values
--   refs: the printed rows of the class
WITH peak AS MATERIALIZED (
    SELECT
        msu_source, sysplex, scope, interval_end - INTERVAL 4 HOUR AS peak_start, interval_end AS peak_end, rolling_msu
    FROM rolling_four_hour_msu
    WHERE is_peak
),
summed AS (
    SELECT
        peak.msu_source, peak.sysplex, peak.scope, peak.peak_start, peak.peak_end, peak.rolling_msu,
        class.class_kind, class.class_name,
        CASE WHEN count(class.cp_pct) = count(*) THEN sum(class.cp_pct / 100 * class.interval_s) END AS cp_time_s,
        CASE WHEN count(class.gp_msu) = count(*) THEN sum(class.gp_msu * class.interval_s) / 14400 END AS gp_msu,
        bool_or(class.is_conflicting) AS is_conflicting,
        flatten(list(class.refs ORDER BY class.interval_start)) AS refs
    FROM peak
    JOIN class_interval AS class
        ON class.scope IS NOT DISTINCT FROM peak.scope
        -- A partition's page names no sysplex.
        AND (class.sysplex IS NOT DISTINCT FROM peak.sysplex OR (peak.sysplex IS NULL AND peak.msu_source = 'partition_data'))
        AND class.midpoint >= peak.peak_start AND class.midpoint < peak.peak_end
    WHERE class.class_kind IN ('service_class', 'report_class')
    GROUP BY
        peak.msu_source, peak.sysplex, peak.scope, peak.peak_start, peak.peak_end, peak.rolling_msu,
        class.class_kind, class.class_name
),
final AS (
    SELECT
        msu_source, sysplex, scope, peak_start, peak_end, rolling_msu, class_kind, class_name,
        CASE WHEN count(cp_time_s) OVER of_kind = count(*) OVER of_kind
            THEN 100 * cp_time_s / nullif(sum(cp_time_s) OVER of_kind, 0) END AS share_pct,
        cp_time_s, gp_msu, is_conflicting, refs
    FROM summed
    WINDOW of_kind AS (PARTITION BY msu_source, sysplex, scope, class_kind)
)
SELECT * FROM final
