-- Grain: one row per study, configuration, unit and printed interval that the study selects.
-- Rule: an interval belongs to the first unit of its run that holds its midpoint, so systems that report separately share one unit.
-- Source: the study file; the intervals as printed.
-- Columns:
--   scope: systems of the page; '' if unknown
--   unit_s [s]: the longest covered time of a scope in the unit
--   refs: empty
WITH placed AS (
    SELECT
        unit.study, unit.configuration, unit.run, min(unit.unit_start) AS unit_start, coalesce(selected.scope, '') AS scope,
        selected.interval_start, selected.interval_end, selected.interval_s
    FROM study_unit AS unit
    JOIN run_selection AS selected
        ON selected.study = unit.study AND selected.configuration = unit.configuration AND selected.run = unit.run
        AND (unit.unit_kind = 'step' OR (
            is_middle_within(selected.interval_start, selected.interval_end, unit.unit_start, unit.unit_end)))
    GROUP BY ALL
),
summed AS (
    SELECT *, count(*) OVER of_scope AS intervals, sum(interval_s) OVER of_scope AS covered_s
    FROM placed
    WINDOW of_scope AS (PARTITION BY study, configuration, run, unit_start, scope)
)
SELECT
    summed.study, summed.configuration, summed.run, summed.unit_start, summed.scope,
    summed.interval_start, summed.interval_end, summed.interval_s, summed.intervals, summed.covered_s, of_scope.request_weight,
    max(summed.covered_s) OVER (PARTITION BY study, configuration, run, summed.unit_start) AS unit_s,
    [] AS refs
FROM summed
JOIN run_scope AS of_scope USING (study, configuration, run, scope)
