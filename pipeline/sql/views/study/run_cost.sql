-- Grain: one row per study, configuration and run.
-- The request rate of a run with the processor time of all charged subsystems.
-- NULL: processor time if that of a charged subsystem is unknown, or if the study charges none.
-- Source: as cost_per_request and run_busy.
-- Columns:
--   covered_s [s]: covered time of the scope with most
--   engines_online: general processors and zIIPs, counted without the factor of run_busy
--   engines_cp_online: general processors
--   cpu_busy_pct [%]: of general processors and zIIPs, as in run_busy
WITH charged AS (
    SELECT
        study, configuration, run,
        sum_all(COLUMNS('_pct|_ms_per_request'), is_charged),
        flatten(list(refs ORDER BY subsystem, refs)) AS refs
    FROM (SELECT *, subsystem <> 'unallocated' AS is_charged FROM cost_per_request) AS cost
    GROUP BY study, configuration, run
)
SELECT
    of_run.study, of_run.configuration, of_run.run, of_run.window_start, of_run.window_end, of_run.asked_s, of_run.covered_s,
    of_run.request_source, of_run.intervals, of_run.requests, of_run.requests_per_s,
    charged.cp_pct, charged.cpu_pct, charged.non_ziip_eligible_pct, charged.ziip_on_cp_pct, charged.ziip_pct,
    charged.cpu_ms_per_request, charged.cp_ms_per_request,
    of_run.response_ms,
    cp.engines_online + busy.ziip_engines_online AS engines_online,
    cp.engines_online AS engines_cp_online,
    busy.cpu_busy_pct,
    list_distinct(list_concat(charged.refs, of_run.refs)) AS refs
FROM run_requests AS of_run
JOIN charged USING (study, configuration, run)
LEFT JOIN run_busy AS busy
    ON busy.study = of_run.study AND busy.configuration = of_run.configuration AND busy.run = of_run.run
    AND busy.busy_basis = 'cp_and_ziip'
LEFT JOIN run_busy AS cp
    ON cp.study = of_run.study AND cp.configuration = of_run.configuration AND cp.run = of_run.run
    AND cp.busy_basis = 'cp'
