-- Grain: one row per study, configuration, unit and printed interval that the study selects.
-- Rule: an interval belongs to a unit of its run if its midpoint does, so systems that report separately share one unit.
-- Source: the study file; the intervals as printed.
-- Columns:
--   study, configuration, run, unit_start: the unit
--   scope: systems of the page; '' if unknown
--   interval_start, interval_end, interval_s [s]: of the interval
--   intervals, covered_s [s]: intervals of this scope in the unit, and their total time
--   refs: empty
SELECT
    unit.study, unit.configuration, unit.run, unit.unit_start, coalesce(selected.scope, '') AS scope,
    selected.interval_start, selected.interval_end, selected.interval_s,
    count(*) OVER of_scope AS intervals, sum(selected.interval_s) OVER of_scope AS covered_s,
    [] AS refs
FROM study_unit AS unit
JOIN run_selection AS selected
    ON selected.study = unit.study AND selected.configuration = unit.configuration AND selected.run = unit.run
    AND (unit.unit_kind = 'step' OR (
        is_middle_within(selected.interval_start, selected.interval_end, unit.unit_start, unit.unit_end)))
WINDOW of_scope AS (PARTITION BY unit.study, unit.configuration, unit.run, unit.unit_start, coalesce(selected.scope, ''))
