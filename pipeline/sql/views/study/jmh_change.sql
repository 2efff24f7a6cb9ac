-- Grain: one row per study, configuration, run and JMH result, against the same result of a run of the baseline.
-- Inputs: study_configuration, run_jmh, jmh_comparison.
-- Formula: as jmh_comparison, for the files that steps name: results of one benchmark and of the same parameters.
-- Source: as jmh_comparison.
-- Columns:
--   study, configuration, run: key of the comparison
--   baseline, baseline_run: the run compared with
--   benchmark, parameters, mode, unit: key of the result
--   baseline_score, score: in unit
--   baseline_error_95, error_95: half-widths of their 95% intervals, in unit
--   difference: score - baseline_score
--   difference_low, difference_high: its 95% interval
--   is_different: it excludes 0; not adjusted for the number of results
--   difference_pct [%]: of the baseline's
--   refs: the printed rows, the baseline's first
WITH of_run AS MATERIALIZED (
    SELECT * FROM run_jmh
),
pairs AS MATERIALIZED (
    SELECT * FROM jmh_comparison WHERE differs_in = 'source_file'
),
-- A pair is printed in either order.
both_ways AS (
    SELECT
        mode, unit, refs[1] AS baseline_ref, refs[2] AS ref,
        one_error_95 AS baseline_error_95, other_error_95 AS error_95, difference_low, difference_high, is_different
    FROM pairs
    UNION ALL
    SELECT
        mode, unit, refs[2] AS baseline_ref, refs[1] AS ref,
        other_error_95 AS baseline_error_95, one_error_95 AS error_95,
        -difference_high AS difference_low, -difference_low AS difference_high, is_different
    FROM pairs
),
final AS (
    SELECT
        of_run.study, of_run.configuration, of_run.run,
        baseline.configuration AS baseline, baseline.run AS baseline_run,
        of_run.benchmark, of_run.parameters, of_run.mode, of_run.unit,
        baseline.score AS baseline_score, of_run.score,
        pair.baseline_error_95, pair.error_95,
        of_run.score - baseline.score AS difference,
        pair.difference_low, pair.difference_high, pair.is_different,
        100 * (of_run.score - baseline.score) / nullif(baseline.score, 0) AS difference_pct,
        list_concat(baseline.refs, of_run.refs) AS refs
    FROM of_run
    JOIN study_configuration AS first ON first.study = of_run.study AND first.is_baseline
    JOIN of_run AS baseline ON baseline.study = first.study AND baseline.configuration = first.configuration
    JOIN both_ways AS pair ON pair.baseline_ref = baseline.refs[1] AND pair.ref = of_run.refs[1]
    WHERE of_run.configuration <> first.configuration
)
SELECT * FROM final
