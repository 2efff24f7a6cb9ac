-- Grain: one row a study, configuration that is not the baseline, and subsystem.
-- Inputs: configuration_cost, study_configuration.
-- Reads: only what lies in the windows of studies.
-- Formula: a change is stated both ways, because both are in print: less of the baseline's cost (0.51 to
-- 0.25 ms is 51% less), and more than the new cost (104% more before).
-- NULL: where a cost is not known, and as a share of no cost.
-- Source: z/OS Connect performance report for (old - new) / new.
-- Columns:
--   study, subsystem: what is compared
--   baseline, configuration: the two configurations
--   baseline_cpu_ms_per_request, cpu_ms_per_request [ms]: cost of each
--   reduction_pct_of_baseline [%]: (baseline - this) / baseline
--   improvement_pct_of_new [%]: (baseline - this) / this
--   refs: the printed rows
WITH final AS (
    SELECT
        this.study, this.subsystem, baseline.configuration AS baseline, this.configuration,
        before.cpu_ms_per_request AS baseline_cpu_ms_per_request,
        this.cpu_ms_per_request,
        (before.cpu_ms_per_request - this.cpu_ms_per_request) / nullif(before.cpu_ms_per_request, 0) * 100
            AS reduction_pct_of_baseline,
        (before.cpu_ms_per_request - this.cpu_ms_per_request) / nullif(this.cpu_ms_per_request, 0) * 100
            AS improvement_pct_of_new,
        list_concat(before.refs, this.refs) AS refs
    FROM configuration_cost AS this
    JOIN study_configuration AS baseline
        ON baseline.study = this.study AND baseline.is_baseline AND baseline.configuration <> this.configuration
    JOIN configuration_cost AS before
        ON before.study = this.study AND before.configuration = baseline.configuration
        AND before.subsystem = this.subsystem
)
SELECT * FROM final
