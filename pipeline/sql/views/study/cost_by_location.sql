-- Grain: one row per study, configuration, run and location (local, remote), and one for both together (is_total).
-- Formula: sums over the classes that the study charges to a subsystem, by the location of its subsystem or of the systems that print it.
-- The unallocated rest has no location and is left out. Percentages are as measured, milliseconds per request normalised as the
-- study says (busy_factor), as in cost_per_request.
-- NULL: if a class of the location is not printed, or has a missing cell; per request also if there were no requests.
-- Source: as cost_per_request; REDP-5208 for a remote Db2 beside the local part.
-- Worked: 107.19% local and 12.00% remote are 119.19% together, at 25 requests per second 47.676 ms.
-- Columns:
--   location: local or remote; both where pages are of systems of both, which cannot be separated; NULL on totals
--   subsystems: their names, sorted
WITH placed AS MATERIALIZED (
    SELECT
        step.study, step.configuration, step.run, charged.subsystem,
        coalesce(of_scope.location, charged.location) AS location,
        of_scope.cpu_pct, of_scope.cp_pct, of_scope.ziip_pct, of_scope.ziip_on_cp_pct, of_scope.non_ziip_eligible_pct,
        of_scope.cpu_s, of_scope.cp_s, of_scope.ziip_s, of_scope.ziip_on_cp_s, of_scope.non_ziip_eligible_s, of_scope.refs
    FROM study_step AS step
    JOIN study_class AS charged ON charged.study = step.study AND charged.role = 'cpu'
    LEFT JOIN run_class_scope AS of_scope
        ON of_scope.study = step.study AND of_scope.configuration = step.configuration AND of_scope.run = step.run
        AND of_scope.class_kind = charged.class_kind AND of_scope.class_name = charged.class_name
),
summed AS (
    SELECT
        study, configuration, run, location, grouping(location) = 1 AS is_total,
        string_agg(DISTINCT subsystem, ',' ORDER BY subsystem) AS subsystems,
        sum_all(COLUMNS('_(pct|s)$')),
        flatten(list(refs ORDER BY subsystem, refs) FILTER (refs IS NOT NULL)) AS refs
    FROM placed
    GROUP BY GROUPING SETS ((study, configuration, run, location), (study, configuration, run))
)
SELECT
    summed.study, summed.configuration, summed.run, summed.location, summed.is_total, summed.subsystems,
    of_run.requests, of_run.requests_per_s, factor.busy_factor,
    summed.cpu_pct, summed.cp_pct, summed.ziip_pct, summed.ziip_on_cp_pct, summed.non_ziip_eligible_pct,
    1000 * summed.cpu_s * factor.busy_factor / nullif(of_run.requests, 0) AS cpu_ms_per_request,
    1000 * summed.cp_s * factor.busy_factor / nullif(of_run.requests, 0) AS cp_ms_per_request,
    1000 * summed.ziip_s * factor.busy_factor / nullif(of_run.requests, 0) AS ziip_ms_per_request,
    1000 * summed.ziip_on_cp_s * factor.busy_factor / nullif(of_run.requests, 0) AS ziip_on_cp_ms_per_request,
    1000 * summed.non_ziip_eligible_s * factor.busy_factor / nullif(of_run.requests, 0) AS non_ziip_eligible_ms_per_request,
    of_run.response_ms, coalesce(summed.refs, []) AS refs
FROM summed
JOIN run_requests AS of_run USING (study, configuration, run)
JOIN busy_factor AS factor USING (study, configuration)
