-- Grain: one row per study, configuration and run.
-- The number of sysplexes with workload pages in the window: pages of CICS and Db2, which name no sysplex, may be of any of them.
-- Source: the study file; RMF Workload Activity.
-- Columns:
--   sysplexes: with workload pages of which the midpoint is in the window; pages that name none are of none
--   refs: the study definition of the run
SELECT
    step.study, step.configuration, step.run, count(DISTINCT printed.sysplex) AS sysplexes,
    [min(ref(step.source_id, step.page, step.line))] AS refs
FROM study_step AS step
LEFT JOIN workload_interval AS printed ON printed.midpoint >= step.window_start AND printed.midpoint < step.window_end
GROUP BY step.study, step.configuration, step.run
