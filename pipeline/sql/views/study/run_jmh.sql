-- Grain: one row per study, configuration, run and JMH result of the file that the step names.
-- Inputs: study_step, jmh_result, run_requests.
-- A JMH table names no time: what it was measured beside is what the study says. is_other_span marks a run whose length is not that of
-- the intervals whose processor time stands beside it. A name that several files have, or a file of several runs, is none. NULL:
-- where JMH's log does not say how long it ran.
-- Source: the study file; JMH 1.x.
-- Columns:
--   study, configuration, run: the step
--   source_file: the file of the results
--   benchmark, parameters, mode, unit: what was measured
--   count: iterations
--   score, error: as printed, in unit; error is the half-width of a 99.9% interval
--   run_time_s [s]: how long the JMH run took, warm-up and all
--   is_other_span: it is more than 2 percent off the time that the run's intervals cover
--   refs: the printed row
WITH final AS (
    SELECT
        step.study, step.configuration, step.run, result.source_file,
        result.benchmark, result.parameters, result.mode, result.unit, result."count", result.score, result.error,
        result.run_time_s,
        abs(result.run_time_s / nullif(of_run.covered_s, 0) - 1) > 0.02 AS is_other_span,
        [ref(result.source_id, result.page, result.line)] AS refs
    FROM study_step AS step
    JOIN jmh_result AS result
        ON result.source_file = step.jmh_file OR ends_with(result.source_file, concat('/', step.jmh_file))
    LEFT JOIN run_requests AS of_run
        ON of_run.study = step.study AND of_run.configuration = step.configuration AND of_run.run = step.run
    QUALIFY count(DISTINCT (result.source_id, result.page)) OVER (PARTITION BY step.study, step.configuration, step.run) = 1
)
SELECT * FROM final
