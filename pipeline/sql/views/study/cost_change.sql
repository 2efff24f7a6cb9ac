-- Grain: one row per study, configuration other than the baseline, and subsystem.
-- Formula: a change is stated both ways, because publications use both: less of the baseline's cost (0.51 to
-- 0.25 ms is 51% less), and more than the new cost (104% more before). Costs are normalised as the study says (busy_factor).
-- Three costs are compared. cpu adds zIIP time not normalised. cpu_normalized adds zIIP time as time of a general processor: compare this one
-- where a normalisation factor is not 1. cp is general-processor time, the time that is paid for.
-- NULL: if a cost is unknown; shares of a cost of 0.
-- Source: z/OS Connect performance report for (old - new) / new.
-- Worked: CP 10 and IIP 20 ms with NF 2 are 30 ms, normalised 50; CP 35 and IIP 5 are 40 ms, normalised 45: 33.3% more, like for like 10% less,
-- and 250% more on general processors.
-- Columns:
--   baseline_cpu_ms_per_request [ms]: cost of the baseline
--   reduction_pct_of_baseline [%]: (baseline - this) / baseline
--   improvement_pct_of_new [%]: (baseline - this) / this
--   baseline_cpu_normalized_ms_per_request [ms]: the same of the baseline, zIIP time normalised
--   cpu_normalized_reduction_pct_of_baseline, cpu_normalized_improvement_pct_of_new [%]: relative change
--   baseline_cp_ms_per_request [ms]: general-processor time of the baseline
--   cp_reduction_pct_of_baseline, cp_improvement_pct_of_new [%]: relative change
SELECT
    now.study, now.subsystem, baseline.configuration AS baseline, now.configuration,
    before.cpu_ms_per_request AS baseline_cpu_ms_per_request,
    now.cpu_ms_per_request,
    (before.cpu_ms_per_request - now.cpu_ms_per_request) / nullif(before.cpu_ms_per_request, 0) * 100
        AS reduction_pct_of_baseline,
    (before.cpu_ms_per_request - now.cpu_ms_per_request) / nullif(now.cpu_ms_per_request, 0) * 100
        AS improvement_pct_of_new,
    before.cpu_normalized_ms_per_request AS baseline_cpu_normalized_ms_per_request,
    now.cpu_normalized_ms_per_request,
    (before.cpu_normalized_ms_per_request - now.cpu_normalized_ms_per_request)
        / nullif(before.cpu_normalized_ms_per_request, 0) * 100 AS cpu_normalized_reduction_pct_of_baseline,
    (before.cpu_normalized_ms_per_request - now.cpu_normalized_ms_per_request)
        / nullif(now.cpu_normalized_ms_per_request, 0) * 100 AS cpu_normalized_improvement_pct_of_new,
    before.cp_ms_per_request AS baseline_cp_ms_per_request,
    now.cp_ms_per_request,
    (before.cp_ms_per_request - now.cp_ms_per_request) / nullif(before.cp_ms_per_request, 0) * 100
        AS cp_reduction_pct_of_baseline,
    (before.cp_ms_per_request - now.cp_ms_per_request) / nullif(now.cp_ms_per_request, 0) * 100
        AS cp_improvement_pct_of_new,
    list_concat(before.refs, now.refs) AS refs
FROM configuration_cost AS now
JOIN study_configuration AS baseline
    ON baseline.study = now.study AND baseline.is_baseline AND baseline.configuration <> now.configuration
JOIN configuration_cost AS before
    ON before.study = now.study AND before.configuration = baseline.configuration
    AND before.subsystem = now.subsystem
