-- Grain: one row per interval of workload pages (of one system set) and processor type (CP, IIP).
-- Formula: captured = processor time of all service classes / 100, or of the policy where they are not all printed; busy = LPAR BUSY x ONLINE
-- of the systems' processors, x CF where a core runs several threads: both are then in time of one thread. Busy time that is in no class is
-- uncaptured: shown, but not charged. Zero or less means that the figures do not belong together.
-- Intervals of one scope may be added where is_overlapping is not true: weight the engines by interval_s, then divide.
-- NULL: if one of the two is unknown; the ratio also if nothing was busy.
-- Source: RMF Report Analysis, Workload Activity and CPU Activity.
-- Worked: service classes of CP 90.00 in all, two CPs of LPAR BUSY 60.00 and 40.00: 0.9 of 1.0 engines, 90%.
-- Shards: by interval_start.
-- Columns:
--   class_kind: service_class or policy: what was added up
--   engines_captured, engines_uncaptured: in classes, and the rest of engines_work
--   capture_ratio_pct [%]: captured of engines_work
--   refs: the printed rows of the processors, and the first of the interval's classes
WITH by_type AS (
    SELECT
        *, 'CP' AS processor_type,
        cp_engines_online AS engines_online, cp_engines_busy AS engines_busy, cp_engines_work AS engines_work,
        without_noise(cp_pct / 100) AS engines_captured, CAST(NULL AS VARCHAR) AS time_source
    FROM interval_processor_time
    UNION ALL
    SELECT
        *, 'IIP' AS processor_type,
        ziip_engines_online AS engines_online, ziip_engines_busy AS engines_busy, ziip_engines_work AS engines_work,
        without_noise(ziip_pct / 100) AS engines_captured, ziip_time_source AS time_source
    FROM interval_processor_time
    WHERE ziip_engines_online > 0 OR ziip_pct > 0
)
SELECT
    sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, interval_s, processor_type,
    class_kind, engines_online, engines_busy, engines_work, time_source AS ziip_time_source, engines_captured,
    without_noise(engines_work - engines_captured) AS engines_uncaptured,
    without_noise(100 * engines_captured / nullif(engines_work, 0)) AS capture_ratio_pct,
    is_overlapping, is_conflicting, refs
FROM by_type
