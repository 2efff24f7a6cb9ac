-- Grain: one row per study with a coupling and busy basis (cp, cp_and_ziip).
-- Formula: busy_ms_per_request = busy engine-seconds / requests, of all runs of a configuration (normalised as the study says).
-- Coupling efficiency = uncoupled / coupled processor time per request; capacity delta = 1 - that; CPU increase = (coupled - uncoupled) /
-- uncoupled. If both have the same number of engines online, this is coupled ITR / uncoupled ITR, as Friedman's tables compute it (his footnote has
-- the fraction the other way round). With unequal numbers of engines the ratio of ITRs compares the engines as well and is not used.
-- The busy share of several runs is busy over online engine-seconds; ITR is engines online / busy_ms_per_request, as in itr.
-- NULL: if an ITR is NULL; busy_ratio and is_comparable where a busy share is not known, or 0. busy_ratio above 1.5: utilisation differs too much
-- for a fair comparison of costs.
-- Source: Friedman, Sysplex/CICSplex/Db2 data sharing.
-- Worked: uncoupled 100/s with 5 of 10 engines busy (50 ms, ITR 200/s), coupled 110/s with 6 of 12 busy (54.545 ms, ITR 220/s):
-- 91.67% efficiency, 8.33% less capacity, 9.09% more processor time. The ITRs alone would say 110%.
-- Columns:
--   itr_uncoupled, itr_coupled [1/s]: ITR of all online engines
--   engines_online_uncoupled, engines_online_coupled: mean engines online, zIIPs weighted
--   busy_ms_per_request_uncoupled, busy_ms_per_request_coupled [ms]: processor time per request, normalised
--   coupling_efficiency_pct [%]: uncoupled / coupled processor time per request
--   capacity_delta_pct [%]: 100 - efficiency
--   cpu_increase_pct [%]: increase of processor time per request
--   cpu_busy_uncoupled_pct, cpu_busy_coupled_pct [%]: busy share of each, normalised
--   busy_ratio: the larger of the smaller
--   is_comparable: busy_ratio is at most 1.5
WITH of_configuration AS MATERIALIZED (
    SELECT
        study, configuration, busy_basis,
        CASE WHEN count(busy_ms_per_request) = count(*)
            THEN 1000 * sum(busy_s) / nullif(sum(requests), 0) END AS busy_ms_per_request,
        mean_all(engines_online, covered_s) AS engines_online,
        CASE WHEN count(cpu_busy_pct) = count(*)
            THEN sum(engines_busy * covered_s) / nullif(sum(engines_online * covered_s), 0) * 100 END AS cpu_busy_pct,
        CASE WHEN count(itr_per_s) = count(*) THEN sum(requests) / nullif(sum(busy_s), 0) END AS requests_per_engine_s,
        flatten(list(refs ORDER BY run, refs)) AS refs
    FROM itr
    GROUP BY study, configuration, busy_basis
),
pairs AS (
    SELECT alone.study, alone.configuration AS uncoupled, together.configuration AS coupled
    FROM study_configuration AS alone
    JOIN study_configuration AS together ON together.study = alone.study
    WHERE alone.coupling_role = 'uncoupled' AND together.coupling_role = 'coupled'
),
compared AS (
    SELECT
        pairs.study, uncoupled.busy_basis, pairs.uncoupled, pairs.coupled,
        uncoupled.engines_online * uncoupled.requests_per_engine_s AS itr_uncoupled,
        coupled.engines_online * coupled.requests_per_engine_s AS itr_coupled,
        uncoupled.engines_online AS engines_online_uncoupled, coupled.engines_online AS engines_online_coupled,
        uncoupled.busy_ms_per_request AS busy_ms_per_request_uncoupled,
        coupled.busy_ms_per_request AS busy_ms_per_request_coupled,
        nullif(uncoupled.busy_ms_per_request, 0) / nullif(coupled.busy_ms_per_request, 0) AS efficiency,
        uncoupled.cpu_busy_pct AS cpu_busy_uncoupled_pct, coupled.cpu_busy_pct AS cpu_busy_coupled_pct,
        -- greatest() and least() ignore NULL.
        CASE WHEN uncoupled.cpu_busy_pct > 0 AND coupled.cpu_busy_pct > 0
            THEN greatest(uncoupled.cpu_busy_pct, coupled.cpu_busy_pct) / least(uncoupled.cpu_busy_pct, coupled.cpu_busy_pct) END AS busy_ratio,
        list_concat(uncoupled.refs, coupled.refs) AS refs
    FROM pairs
    JOIN of_configuration AS uncoupled
        ON uncoupled.study = pairs.study AND uncoupled.configuration = pairs.uncoupled
    JOIN of_configuration AS coupled
        ON coupled.study = pairs.study AND coupled.configuration = pairs.coupled
        AND coupled.busy_basis = uncoupled.busy_basis
)
SELECT
    study, busy_basis, uncoupled, coupled, itr_uncoupled, itr_coupled,
    engines_online_uncoupled, engines_online_coupled, busy_ms_per_request_uncoupled, busy_ms_per_request_coupled,
    efficiency * 100 AS coupling_efficiency_pct,
    (1 - efficiency) * 100 AS capacity_delta_pct,
    (1 / efficiency - 1) * 100 AS cpu_increase_pct,
    cpu_busy_uncoupled_pct, cpu_busy_coupled_pct, busy_ratio,
    busy_ratio <= 1.5 AS is_comparable,
    refs
FROM compared
