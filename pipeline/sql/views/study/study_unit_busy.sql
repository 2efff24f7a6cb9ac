-- Grain: one row per study, configuration, unit of replication (study_unit) and busy basis (cp, cp_and_ziip).
-- Formula: engine-seconds of the intervals of the unit, weighted with its requests (run_scope, request_weight), over its covered time.
-- NULL: as run_busy.
-- Source: as run_busy.
-- Columns:
--   engines_busy: mean over the unit's time, zIIPs weighted; normalised if the study says so
WITH basis AS (
    SELECT 'cp' AS busy_basis
    UNION ALL
    SELECT 'cp_and_ziip'
),
summed AS (
    SELECT
        place.study, place.configuration, place.run, place.unit_start, basis.busy_basis,
        max(place.unit_s) AS covered_s,
        bool_and(busy.is_covered) AS is_covered,
        sum_all(place.request_weight * busy.cp_busy_s) AS cp_busy_s,
        -- Intervals that have no zIIPs need no factor.
        sum(CASE WHEN busy.ziip_online_s = 0 THEN 0 ELSE place.request_weight * busy.factor * busy.ziip_busy_s END) AS ziip_busy_s,
        count(CASE WHEN busy.ziip_online_s = 0 THEN 0 ELSE busy.factor * busy.ziip_busy_s END) = count(*) AS has_busy,
        flatten(list(busy.refs ORDER BY busy.interval_start, busy.systems, busy.refs)) AS refs
    FROM study_unit_interval AS place
    CROSS JOIN basis
    JOIN run_busy_interval AS busy
        ON busy.study = place.study AND busy.configuration = place.configuration AND busy.run = place.run
        AND coalesce(busy.scope, '') = place.scope
        AND busy.interval_start = place.interval_start AND busy.interval_end = place.interval_end
    GROUP BY place.study, place.configuration, place.run, place.unit_start, basis.busy_basis
)
SELECT
    unit.study, unit.configuration, unit.run, unit.unit_start, basis.busy_basis,
    CASE WHEN NOT summed.is_covered THEN NULL
        WHEN basis.busy_basis = 'cp' THEN summed.cp_busy_s
        WHEN summed.has_busy THEN summed.cp_busy_s + summed.ziip_busy_s END / summed.covered_s * factor.busy_factor AS engines_busy,
    coalesce(summed.refs, []) AS refs
FROM study_unit AS unit
CROSS JOIN basis
JOIN busy_factor AS factor USING (study, configuration)
LEFT JOIN summed
    ON summed.study = unit.study AND summed.configuration = unit.configuration AND summed.run = unit.run
    AND summed.unit_start = unit.unit_start AND summed.busy_basis = basis.busy_basis
