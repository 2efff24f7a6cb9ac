-- Grain: one row a study, configuration, run and location (local, remote), and one for both together (is_total).
-- Inputs: cost_per_request.
-- Reads: only what lies in the windows of studies.
-- Formula: sums over the subsystems that the study places there. What is charged to none has no place and is left out.
-- NULL: where a subsystem of the location lacks it, and per request where there was none.
-- Source: as cost_per_request; REDP-5208 for a remote Db2 beside the local part.
-- Worked: 107.19% local and 12.00% remote are 119.19% together, at 25 requests a second 47.676 ms.
-- Columns:
--   study, configuration, run: the step
--   location: local or remote; NULL for both together
--   is_total: both together
--   subsystems: their names, sorted
--   requests, requests_per_s [1/s]: of the run
--   cpu_pct, ziip_pct, ziip_on_cp_pct, non_ziip_eligible_pct [% of one engine]: processor time
--   cpu_ms_per_request, ziip_ms_per_request, ziip_on_cp_ms_per_request, non_ziip_eligible_ms_per_request [ms]: the same a request
--   response_ms [ms]: mean response time of the run's requests
--   refs: the printed rows of the classes
WITH placed AS MATERIALIZED (
    SELECT * FROM cost_per_request WHERE location IS NOT NULL
),
summed AS (
    SELECT
        study, configuration, run, location, grouping(location) = 1 AS is_total,
        string_agg(subsystem, ',' ORDER BY subsystem) AS subsystems,
        max(requests) AS requests,
        max(requests_per_s) AS requests_per_s,
        CASE WHEN count(cpu_pct) = count(*) THEN sum(cpu_pct) END AS cpu_pct,
        CASE WHEN count(ziip_pct) = count(*) THEN sum(ziip_pct) END AS ziip_pct,
        CASE WHEN count(ziip_on_cp_pct) = count(*) THEN sum(ziip_on_cp_pct) END AS ziip_on_cp_pct,
        CASE WHEN count(non_ziip_eligible_pct) = count(*) THEN sum(non_ziip_eligible_pct) END AS non_ziip_eligible_pct,
        max(response_ms) AS response_ms,
        flatten(list(refs ORDER BY subsystem)) AS refs
    FROM placed
    GROUP BY GROUPING SETS ((study, configuration, run, location), (study, configuration, run))
),
final AS (
    SELECT
        study, configuration, run, location, is_total, subsystems, requests, requests_per_s,
        cpu_pct, ziip_pct, ziip_on_cp_pct, non_ziip_eligible_pct,
        cpu_pct * 10 / nullif(requests_per_s, 0) AS cpu_ms_per_request,
        ziip_pct * 10 / nullif(requests_per_s, 0) AS ziip_ms_per_request,
        ziip_on_cp_pct * 10 / nullif(requests_per_s, 0) AS ziip_on_cp_ms_per_request,
        non_ziip_eligible_pct * 10 / nullif(requests_per_s, 0) AS non_ziip_eligible_ms_per_request,
        response_ms, refs
    FROM summed
)
SELECT * FROM final
