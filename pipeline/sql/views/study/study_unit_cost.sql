-- Grain: one row per study, configuration, unit of replication (study_unit) and subsystem, and one for the unallocated rest ('unallocated').
-- Formula: as cost_per_request, over the intervals of the unit: processor time, weighted with its requests (run_scope, request_weight), over its
-- covered time, normalised as the study says.
-- NULL: if a class of the subsystem is unknown in one of its intervals (run_class_interval). unallocated as in cost_per_request.
-- Source: as cost_per_request.
WITH class_scope AS (
    SELECT
        place.study, place.configuration, place.run, place.unit_start, place.scope, class.class_kind, class.class_name,
        CASE WHEN count(COLUMNS(['cpu_pct', 'cpu_normalized_pct', 'cp_pct'])) = max(place.intervals) AND count(*) = max(place.intervals)
            THEN sum(COLUMNS(['cpu_pct', 'cpu_normalized_pct', 'cp_pct']) * place.interval_s) * max(place.request_weight) / max(place.unit_s) END,
        flatten(list(class.refs ORDER BY place.interval_start, class.refs)) AS refs
    FROM study_unit_interval AS place
    JOIN run_class_interval AS class
        ON class.study = place.study AND class.configuration = place.configuration AND class.run = place.run
        AND class.scope = place.scope AND class.interval_start = place.interval_start
    GROUP BY place.study, place.configuration, place.run, place.unit_start, place.scope, class.class_kind, class.class_name
),
class_unit AS (
    SELECT
        study, configuration, run, unit_start, class_kind, class_name,
        sum_all(COLUMNS('_pct')),
        flatten(list(refs ORDER BY scope, refs)) AS refs
    FROM class_scope
    GROUP BY study, configuration, run, unit_start, class_kind, class_name
),
charged AS (
    SELECT
        unit.study, unit.configuration, unit.run, unit.unit_start, class.subsystem,
        sum_all(COLUMNS('_pct')),
        flatten(list(used.refs ORDER BY class.class_number, used.refs) FILTER (used.refs IS NOT NULL)) AS refs
    FROM study_unit AS unit
    JOIN study_class AS class ON class.study = unit.study AND class.role = 'cpu'
    LEFT JOIN class_unit AS used
        ON used.study = unit.study AND used.configuration = unit.configuration AND used.run = unit.run
        AND used.unit_start = unit.unit_start AND used.class_kind = class.class_kind AND used.class_name = class.class_name
    GROUP BY unit.study, unit.configuration, unit.run, unit.unit_start, class.subsystem
),
charged_sum AS (
    SELECT
        study, configuration, run, unit_start,
        sum_all(COLUMNS('_pct'))
    FROM charged
    GROUP BY study, configuration, run, unit_start
),
charged_kind AS (
    SELECT study, CASE WHEN count(DISTINCT class_kind) = 1 THEN min(class_kind) END AS class_kind
    FROM study_class
    WHERE role = 'cpu'
    GROUP BY study
),
kind_scope AS (
    SELECT
        place.study, place.configuration, place.run, place.unit_start, place.scope, kind.class_kind, max(kind.classes) AS classes,
        count(*) FILTER (kind.classes > 0) = max(place.intervals) AS is_complete,
        CASE WHEN count(COLUMNS(['cpu_pct', 'cpu_normalized_pct', 'cp_pct'])) = max(place.intervals)
            THEN sum(COLUMNS(['cpu_pct', 'cpu_normalized_pct', 'cp_pct']) * place.interval_s) * max(place.request_weight) / max(place.unit_s) END
    FROM study_unit_interval AS place
    JOIN run_kind_interval AS kind
        ON kind.study = place.study AND kind.configuration = place.configuration AND kind.run = place.run
        AND kind.scope = place.scope AND kind.interval_start = place.interval_start
    GROUP BY place.study, place.configuration, place.run, place.unit_start, place.scope, kind.class_kind
),
kind_unit AS (
    SELECT
        study, configuration, run, unit_start, class_kind, sum(classes) AS classes,
        bool_and(is_complete) AND count(*) = max(unit_scopes.scopes) AS is_complete,
        sum_all(COLUMNS('_pct'))
    FROM kind_scope
    JOIN (
        SELECT study, configuration, run, unit_start, count(DISTINCT scope) AS scopes
        FROM study_unit_interval
        GROUP BY study, configuration, run, unit_start
    ) AS unit_scopes USING (study, configuration, run, unit_start)
    GROUP BY study, configuration, run, unit_start, class_kind
),
whole AS (
    SELECT kind_unit.*
    FROM kind_unit
    LEFT JOIN charged_kind USING (study)
    WHERE kind_unit.is_complete AND (charged_kind.study IS NULL OR charged_kind.class_kind IS NOT NULL)
        AND (kind_unit.class_kind = 'service_class' OR charged_kind.class_kind IS DISTINCT FROM 'service_class')
    QUALIFY row_number() OVER (
        PARTITION BY kind_unit.study, kind_unit.configuration, kind_unit.run, kind_unit.unit_start
        ORDER BY CASE kind_unit.class_kind
            WHEN 'service_class' THEN 1 WHEN 'policy' THEN 2 WHEN 'report_class' THEN 3 ELSE 4 END
    ) = 1 AND kind_unit.class_kind IN ('service_class', 'policy', 'report_class')
),
rest AS (
    SELECT
        unit.study, unit.configuration, unit.run, unit.unit_start,
        whole.cpu_pct - CASE WHEN charged_sum.study IS NULL THEN 0 ELSE charged_sum.cpu_pct END AS cpu_pct,
        whole.cpu_normalized_pct - CASE WHEN charged_sum.study IS NULL THEN 0 ELSE charged_sum.cpu_normalized_pct END AS cpu_normalized_pct,
        whole.cp_pct - CASE WHEN charged_sum.study IS NULL THEN 0 ELSE charged_sum.cp_pct END AS cp_pct,
        -- Each percentage is printed to a hundredth: less than that per class counts as no time.
        0.01 * whole.classes AS tolerance_pct
    FROM study_unit AS unit
    LEFT JOIN whole USING (study, configuration, run, unit_start)
    LEFT JOIN charged_sum USING (study, configuration, run, unit_start)
),
every_row AS (
    SELECT * FROM charged
    UNION ALL BY NAME
    SELECT
        study, configuration, run, unit_start, 'unallocated' AS subsystem,
        -- Rounded: a difference of equal sums in their last binary digits is no time either.
        CASE WHEN cpu_pct >= -tolerance_pct THEN without_noise(COLUMNS(['cpu_pct', 'cpu_normalized_pct', 'cp_pct'])) END
    FROM rest
)
SELECT
    study, configuration, run, unit_start, subsystem,
    COLUMNS('_pct') * factor.busy_factor,
    coalesce(every_row.refs, []) AS refs
FROM every_row
JOIN busy_factor AS factor USING (study, configuration)
