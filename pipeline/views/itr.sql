-- Grain: one row a study, configuration, run and busy basis (cp, cp_and_ziip).
-- Inputs: run_requests, run_busy, busy_factor.
-- Reads: only what lies in the windows of studies.
-- Formula: ETR = requests / elapsed time; ITR = ETR / (busy / 100), the rate that the processors would reach if they were busy all the
-- time. Both bases always; compare equal ones only.
-- Normalised busy: x the factor of busy_factor, where the study gives one.
-- NULL: where requests or busy are not known, and where nothing was busy. An ITR at one utilisation says little of one at another.
-- Source: IBM Large Systems Performance Reference, ITR; RMF CPU Activity.
-- Columns:
--   study, configuration, run, busy_basis: what the figure is of
--   requests: of the run
--   etr_per_s [1/s]: external throughput rate
--   cpu_busy_measured_pct [%]: as measured
--   cpu_busy_pct [%]: normalised if the study says so
--   busy_factor: product of the factors
--   itr_per_s [1/s]: internal throughput rate
--   itr_per_interval: the same for the time that the run's intervals cover: requests / (busy / 100)
--   covered_s [s]: that time
--   refs: the printed rows of requests and processors
WITH normalized AS (
    SELECT
        of_run.study, of_run.configuration, of_run.run, busy.busy_basis,
        of_run.requests, of_run.requests_per_s, of_run.covered_s,
        busy.cpu_busy_pct AS cpu_busy_measured_pct,
        busy.cpu_busy_pct * factor.busy_factor AS cpu_busy_pct,
        factor.busy_factor,
        list_concat(of_run.refs, busy.refs) AS refs
    FROM run_requests AS of_run
    JOIN run_busy AS busy USING (study, configuration, run)
    JOIN busy_factor AS factor USING (study, configuration)
),
final AS (
    SELECT
        study, configuration, run, busy_basis, requests,
        requests_per_s AS etr_per_s,
        cpu_busy_measured_pct, cpu_busy_pct, busy_factor,
        requests_per_s / nullif(cpu_busy_pct / 100, 0) AS itr_per_s,
        requests / nullif(cpu_busy_pct / 100, 0) AS itr_per_interval,
        covered_s, refs
    FROM normalized
)
SELECT * FROM final
