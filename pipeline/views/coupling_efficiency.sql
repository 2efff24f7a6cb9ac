-- Grain: one row a study with a coupling and busy basis (cp, cp_and_ziip).
-- Inputs: study_configuration, itr.
-- Reads: only what lies in the windows of studies.
-- Formula: coupling efficiency = coupled ITR / uncoupled ITR; capacity delta = 1 - that; CPU increase = (uncoupled - coupled) / coupled.
-- (Friedman's footnote has the first fraction the other way round; his own tables compute it so.) The ITR of a configuration of
-- several runs is its requests over its busy time: rates and busy shares are weighted by the time of the runs.
-- NULL: where an ITR is. busy_ratio above 1.5: the runs were too unlike in utilisation for their ITRs to say much.
-- Source: Friedman, Sysplex/CICSplex/Db2 data sharing.
-- Columns:
--   study, busy_basis: what is compared
--   uncoupled, coupled: the configurations
--   itr_uncoupled, itr_coupled [1/s]: ITR of each
--   coupling_efficiency_pct [%]: coupled of uncoupled
--   capacity_delta_pct [%]: the rest to 100
--   cpu_increase_pct [%]: processor time a request more
--   cpu_busy_uncoupled_pct, cpu_busy_coupled_pct [%]: busy of each, normalised
--   busy_ratio: the larger of the smaller
--   is_comparable: busy_ratio is at most 1.5
--   refs: the printed rows
WITH of_configuration AS MATERIALIZED (
    SELECT
        study, configuration, busy_basis,
        CASE WHEN count(itr_per_s) = count(*)
            THEN sum(etr_per_s * covered_s) / nullif(sum(cpu_busy_pct / 100 * covered_s), 0) END AS itr_per_s,
        CASE WHEN count(cpu_busy_pct) = count(*) THEN sum(cpu_busy_pct * covered_s) / sum(covered_s) END AS cpu_busy_pct,
        flatten(list(refs ORDER BY run)) AS refs
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
        uncoupled.itr_per_s AS itr_uncoupled, coupled.itr_per_s AS itr_coupled,
        uncoupled.cpu_busy_pct AS cpu_busy_uncoupled_pct, coupled.cpu_busy_pct AS cpu_busy_coupled_pct,
        greatest(uncoupled.cpu_busy_pct, coupled.cpu_busy_pct)
            / nullif(least(uncoupled.cpu_busy_pct, coupled.cpu_busy_pct), 0) AS busy_ratio,
        list_concat(uncoupled.refs, coupled.refs) AS refs
    FROM pairs
    JOIN of_configuration AS uncoupled
        ON uncoupled.study = pairs.study AND uncoupled.configuration = pairs.uncoupled
    JOIN of_configuration AS coupled
        ON coupled.study = pairs.study AND coupled.configuration = pairs.coupled
        AND coupled.busy_basis = uncoupled.busy_basis
),
final AS (
    SELECT
        study, busy_basis, uncoupled, coupled, itr_uncoupled, itr_coupled,
        itr_coupled / nullif(itr_uncoupled, 0) * 100 AS coupling_efficiency_pct,
        (1 - itr_coupled / nullif(itr_uncoupled, 0)) * 100 AS capacity_delta_pct,
        (itr_uncoupled - itr_coupled) / nullif(itr_coupled, 0) * 100 AS cpu_increase_pct,
        cpu_busy_uncoupled_pct, cpu_busy_coupled_pct, busy_ratio,
        busy_ratio <= 1.5 AS is_comparable,
        refs
    FROM compared
)
SELECT * FROM final
