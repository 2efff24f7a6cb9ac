-- Grain: one row per study, configuration and unit of replication: the repetitions whose spread gives confidence intervals.
-- Rule: where requests are counted by a class, each selected interval is a unit, unless its midpoint is in a longer interval of another scope
-- (among equal intervals, the one of the scope with most time is the unit). Where requests are counted once per step, or no interval is
-- selected, the step is the unit.
-- Source: the study file; the intervals as printed.
-- Worked: intervals 10:00-10:15 and 10:15-10:30 of one run: two units, the second follows. Two runs of one volume each: two units, none follows.
-- Columns:
--   unit_start, unit_end: of the interval, or of the step's window
--   follows: it begins where the unit before it ended, in the same run: consecutive units are correlated
--   refs: empty
WITH taken AS MATERIALIZED (
    SELECT * FROM run_selection WHERE request_source = 'class'
),
-- Most intervals of the systems of a run begin together.
first_of_start AS (
    FROM taken
    ANTI JOIN taken AS other
        ON other.study = taken.study AND other.configuration = taken.configuration AND other.run = taken.run
        AND other.interval_start = taken.interval_start
        AND (round(other.interval_s), taken.scope_number) > (round(taken.interval_s), other.scope_number)
        AND is_middle_within(taken.interval_start, taken.interval_end, other.interval_start, other.interval_end)
),
unit AS (
    SELECT
        step.study, step.configuration, step.run,
        CASE WHEN interval.study IS NULL THEN 'step' ELSE 'interval' END AS unit_kind,
        coalesce(interval.interval_start, step.window_start) AS unit_start,
        coalesce(interval.interval_end, step.window_end) AS unit_end,
        interval.interval_s
    FROM study_step AS step
    LEFT JOIN (
        FROM first_of_start AS one
        ANTI JOIN taken AS other
            ON other.study = one.study AND other.configuration = one.configuration AND other.run = one.run
            AND other.scope_number <> one.scope_number
            AND (round(other.interval_s), one.scope_number) > (round(one.interval_s), other.scope_number)
            AND is_middle_within(one.interval_start, one.interval_end, other.interval_start, other.interval_end)
    ) AS interval USING (study, configuration, run)
)
SELECT
    study, configuration, run, unit_kind, unit_start, unit_end,
    -- Starts are printed to the second, ends to the millisecond.
    coalesce(
        unit_kind = 'interval' AND lag(unit_kind) OVER before = 'interval' AND lag(run) OVER before = run
            AND abs(epoch(unit_start) - epoch(lag(unit_end) OVER before)) <= greatest(1, 0.01 * interval_s),
        FALSE
    ) AS follows,
    [] AS refs
FROM unit
WINDOW before AS (PARTITION BY study, configuration ORDER BY unit_start, run)
