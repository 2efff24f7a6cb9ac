-- Grain: one row per sysplex, scope, class kind, class and clock hour: the general processor time that is charged to the class.
-- Formulas: busy_s = LPAR BUSY of all general processors of the systems x time, as CPU Activity prints it. captured_s is the CP time of the class,
-- uncaptured_s = captured_s x (busy_s / captured time of all classes of the kind - 1): time that no class captured is shared out by use.
-- charged_s = captured_s + uncaptured_s. The classes of a kind add up to busy_s; kinds describe the same work: pick one.
-- Report classes need not cover all work: then what is in none is shared out among those that are printed (captured_pct).
-- charged_to: the first line of the site's map (charges.toml) that matches; what none matches is `not in the map`. Without a map the workload, of
-- report classes the class.
-- One scope counts for each class (class_hour). Time of partitions without pages of classes, and of the machine itself, is charged to nobody.
-- NULL: charged_s where one of the values is not known; basis says which: classes_unknown (a class, or damaged pages), no_processor_time (a
-- system without CPU Activity of the same time, or whose classes count in several scopes), captured_above_busy (by more than 2%), nothing_captured.
-- Source: RMF Report Analysis, Workload Activity, APPL %, and CPU Activity; capture ratio as in capture_ratio.
-- Worked: 3 processors 60% busy for an hour are 6,480 s. ONLINE 3,600 and BATCH 1,800 s, so captured 83.3%: 6480 / 5400 is 1.2, so 4,320 and
-- 2,160 s are charged.
-- Repeated hours: by hour_start.
-- Shards: by hour_start.
-- Columns:
--   class_name, workload, covered_s [s]: as in class_hour
--   captured_pct [%]: of busy_s, by all classes of the kind
--   captured_s [s]: see above
--   ziip_normalized_s [s]: time of the class on zIIPs, as a general processor would need; nothing is charged for it
--   basis: shared_by_use, or why charged_s is NULL
WITH class AS (
    SELECT
        *, ziip_eligible_normalized_time_s - ziip_on_cp_time_s AS ziip_normalized_s,
        CASE WHEN count(cp_time_s) OVER of_hour = count(*) OVER of_hour AND bool_and(is_whole) OVER of_hour
            THEN sum(cp_time_s) OVER of_hour END AS all_captured_s
    FROM class_hour
    WHERE class_kind IN ('service_class', 'report_class') AND has_cpu
    WINDOW of_hour AS (PARTITION BY sysplex, scope, class_kind, hour_start, utc_offset_minutes)
),
busy AS (
    SELECT page.sysplex, page.scope, page.class_kind, page.hour_start, sum_all(processor.engines_busy * page.covered_s) AS busy_s
    FROM (
        -- A system whose classes count in two scopes, or in two sysplexes, has no time of its own in either.
        SELECT *, count(*) OVER (PARTITION BY class_kind, hour_start, system) AS scopes
        FROM (
            SELECT sysplex, scope, class_kind, hour_start, one_value(covered_s) AS covered_s, unnest(string_split(scope, ',')) AS system
            FROM class
            GROUP BY sysplex, scope, class_kind, hour_start
        )
    ) AS page
    LEFT JOIN processor_hour AS processor
        ON processor.system = page.system AND processor.hour_start = page.hour_start AND processor.processor_type = 'CP'
        AND abs(processor.covered_s / page.covered_s - 1) <= 0.02 AND page.scopes = 1
    GROUP BY page.sysplex, page.scope, page.class_kind, page.hour_start
),
charged AS (
    SELECT
        class.*, busy.busy_s, 100 * class.all_captured_s / nullif(busy.busy_s, 0) AS captured_pct,
        CASE
            WHEN all_captured_s IS NULL THEN 'classes_unknown' WHEN busy_s IS NULL THEN 'no_processor_time'
            WHEN all_captured_s > 1.02 * busy_s THEN 'captured_above_busy' WHEN all_captured_s = 0 THEN 'nothing_captured' ELSE 'shared_by_use'
        END AS basis
    FROM class
    LEFT JOIN busy
        ON busy.sysplex IS NOT DISTINCT FROM class.sysplex AND busy.scope = class.scope AND busy.class_kind = class.class_kind
        AND busy.hour_start = class.hour_start
),
mapped AS (
    SELECT class.class_kind, class.class_name, class.workload, class.scope, arg_min(charged_to, number) AS charged_to
    FROM (SELECT DISTINCT class_kind, class_name, workload, scope FROM class) AS class
    JOIN site_map() AS said
        ON (said.workload IS NULL OR class.workload GLOB said.workload)
        AND (said.service_class IS NULL OR (class.class_kind = 'service_class' AND class.class_name GLOB said.service_class))
        AND (said.report_class IS NULL OR (class.class_kind = 'report_class' AND class.class_name GLOB said.report_class))
        AND (said.system IS NULL OR class.scope GLOB said.system)
    GROUP BY class.class_kind, class.class_name, class.workload, class.scope
)
SELECT
    charged.sysplex, charged.scope, charged.class_kind, charged.class_name, charged.workload,
    CASE
        WHEN mapped.charged_to IS NOT NULL THEN mapped.charged_to
        WHEN (SELECT count(*) FROM site_map()) > 0 THEN 'not in the map'
        ELSE coalesce(charged.workload, charged.class_name)
    END AS charged_to,
    charged.hour_start, offset_if_repeated() AS utc_offset_minutes, charged.covered_s, charged.busy_s, charged.captured_pct,
    charged.cp_time_s AS captured_s,
    CASE WHEN basis = 'shared_by_use' THEN charged.cp_time_s * (charged.busy_s / charged.all_captured_s - 1) END AS uncaptured_s,
    CASE WHEN basis = 'shared_by_use' THEN charged.cp_time_s * (charged.busy_s / charged.all_captured_s) END AS charged_s,
    charged.ziip_normalized_s, charged.basis, charged.refs
FROM charged
LEFT JOIN mapped
    ON mapped.class_kind = charged.class_kind AND mapped.class_name IS NOT DISTINCT FROM charged.class_name
    AND mapped.workload IS NOT DISTINCT FROM charged.workload AND mapped.scope IS NOT DISTINCT FROM charged.scope
