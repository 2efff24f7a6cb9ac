-- Grain: one row per study, configuration, run and JMH result of the file that the step names.
-- A JMH table prints no time: the study assigns it to a run. is_other_span marks a run whose length is not that of
-- the intervals with its processor time. A file name that is not unique, or a file with several runs, is not used. NULL:
-- if the JMH log does not print its duration.
-- Source: the study file; JMH 1.x.
-- Columns:
--   source_file: the file of the results
--   run_time_s [s]: duration of the JMH run, warm-up included
--   is_other_span: run_time_s differs from the covered time by more than 2 percent
SELECT
    step.study, step.configuration, step.run, result.source_file,
    result.benchmark, result.parameters, result.mode, result.unit, result."count", result.score, result.error,
    result.run_time_s,
    abs(result.run_time_s / nullif(of_run.covered_s, 0) - 1) > 0.02 AS is_other_span,
    [ref(result.source_id, result.page, result.line)] AS refs
FROM study_step AS step
JOIN jmh_result AS result
    ON result.source_file = step.jmh_file OR ends_with(result.source_file, concat('/', step.jmh_file))
LEFT JOIN run_requests AS of_run USING (study, configuration, run)
QUALIFY count(DISTINCT (result.source_id, result.page)) OVER (PARTITION BY step.study, step.configuration, step.run) = 1
