-- Grain: one row per study, configuration, run and busy basis (cp, cp_and_ziip).
-- Formula: busy_ms_per_request = busy engine-seconds / requests: the processor time of a request. ETR = requests / elapsed time; ITR =
-- engines online / busy_ms_per_request, the rate of these engines if they were busy all the time: ETR / (busy / 100) where all systems
-- cover the same time. Both bases are given; compare only rows of one basis. ITRs are comparable only if both runs had the same number of engines
-- online; busy_ms_per_request is comparable for any number.
-- Normalised busy: x the factor of busy_factor, where the study gives one.
-- NULL: if requests or busy are unknown, and if nothing was busy. An ITR at one utilisation says little about another.
-- Source: IBM Large Systems Performance Reference, ITR; RMF CPU Activity.
-- Worked: 100/s with 5 of 10 engines busy: ITR 200/s, 50 ms per request. With 5 of 20 busy: ITR 400/s, and still 50 ms.
-- A system of 300/s and 0.7 busy engines for an hour, one of 600/s and 1.3 that lost a quarter of it: 2,520 + 3,510 engine-seconds for 1,080,000 +
-- 1,620,000 requests, 2.2333 ms.
-- Columns:
--   etr_per_s [1/s]: external throughput rate
--   cpu_busy_measured_pct [%]: as measured
--   cpu_busy_pct [%]: normalised if the study says so
--   busy_factor: product of the factors
--   engines_online: mean over the run's time, zIIPs weighted as in run_busy
--   engines_busy: of these, busy; normalised if the study says so
--   busy_s [s]: busy engine-seconds, normalised, as they go with the requests (run_scope, request_weight)
--   itr_per_s [1/s]: internal throughput rate
--   itr_per_interval: the same for the time that the run's intervals cover
WITH normalized AS (
    SELECT
        of_run.study, of_run.configuration, of_run.run, busy.busy_basis,
        of_run.requests, of_run.requests_per_s, of_run.covered_s,
        busy.cpu_busy_pct AS cpu_busy_measured_pct,
        busy.cpu_busy_pct * factor.busy_factor AS cpu_busy_pct,
        busy.engines_online,
        busy.engines_busy * factor.busy_factor AS engines_busy,
        busy.busy_s * factor.busy_factor AS busy_s,
        factor.busy_factor,
        list_concat(of_run.refs, busy.refs) AS refs
    FROM run_requests AS of_run
    JOIN run_busy AS busy USING (study, configuration, run)
    JOIN busy_factor AS factor USING (study, configuration)
)
SELECT
    study, configuration, run, busy_basis, requests,
    requests_per_s AS etr_per_s,
    cpu_busy_measured_pct, cpu_busy_pct, busy_factor, engines_online, engines_busy,
    busy_s, 1000 * busy_s / nullif(requests, 0) AS busy_ms_per_request,
    engines_online * requests / nullif(busy_s, 0) AS itr_per_s,
    engines_online * requests / nullif(busy_s, 0) * covered_s AS itr_per_interval,
    covered_s, refs
FROM normalized
