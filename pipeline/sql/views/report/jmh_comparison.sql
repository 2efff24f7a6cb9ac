-- Grain: one row per pair of JMH results of one benchmark that differ in one parameter, or that are of the same parameters in two sources.
-- Formula: JMH's +- is the half-width of a 99.9% interval: error = t(99.9%, Cnt - 1) x s/sqrt(n). It is converted to 95% by t of the same
-- degrees: error x t(95%) / t(99.9%). The difference's interval is Welch's, with s/sqrt(n) of both and degrees rounded down (1000 for
-- more): slightly too wide, never too narrow.
-- is_different: the interval of the difference excludes 0. Each pair is judged alone: of 20 equal pairs, one differs by chance. `one` is printed first.
-- A change is stated both ways: 0.8 against 1.0 ms is 20% less, and 1.0 against 0.8 ms 25% more.
-- NULL: intervals where there is no error or a count below 2; changes where a score is not a number.
-- DuckDB syntax: functions of maps and lambdas.
-- Source: JMH 1.x, class Result (getScoreError is of 99.9%); Welch, Biometrika 34 (1947).
-- Shards: no: the results of drivers have no time.
-- Columns:
--   differs_in: the parameter, or source_file
--   one, other: its values
--   parameters: those that are the same, as JSON
--   one_score, other_score: scores, in unit
--   one_error_95, other_error_95: half-widths of their 95% intervals, in unit
--   difference: other - one
--   difference_low, difference_high: its 95% interval
--   is_different: it excludes 0; not adjusted for the number of pairs
--   other_of_one_pct [%]: (other - one) / one
--   one_of_other_pct [%]: (one - other) / other
WITH
-- Quantiles of Student's t: up to 30 degrees as tabulated, above by the expansion in 1/degrees from the normal quantile
-- (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5), whose error is below 0.00001.
tabulated AS (
    SELECT
        unnest(range(1, 31)) AS degrees_of_freedom,
        unnest([
            12.706204736, 4.302652730, 3.182446305, 2.776445105, 2.570581836, 2.446911851, 2.364624252,
            2.306004135, 2.262157163, 2.228138852, 2.200985160, 2.178812830, 2.160368656, 2.144786688,
            2.131449546, 2.119905299, 2.109815578, 2.100922040, 2.093024054, 2.085963447, 2.079613845,
            2.073873068, 2.068657610, 2.063898562, 2.059538553, 2.055529439, 2.051830516, 2.048407142,
            2.045229642, 2.042272456
        ]) AS t_95,
        unnest([
            636.619248769, 31.599054576, 12.923978637, 8.610301581, 6.868826626, 5.958816179, 5.407882521,
            5.041305433, 4.780912586, 4.586893859, 4.436979338, 4.317791284, 4.220831728, 4.140454113,
            4.072765196, 4.014996327, 3.965126272, 3.921645825, 3.883405853, 3.849516275, 3.819277164,
            3.792130672, 3.767626804, 3.745398619, 3.725143950, 3.706611743, 3.689591713, 3.673906401,
            3.659405019, 3.645958635
        ]) AS t_99_9
),
normal_quantile AS (
    SELECT CAST(1.959963984540054 AS DOUBLE) AS z_95, CAST(3.290526731491926 AS DOUBLE) AS z_99_9
),
degrees AS (
    SELECT unnest(range(31, 1001)) AS n
),
expanded AS (
    SELECT
        n AS degrees_of_freedom,
        z_95 + (pow(z_95, 3) + z_95) / (4 * n) + (5 * pow(z_95, 5) + 16 * pow(z_95, 3) + 3 * z_95) / (96 * n * n)
            + (3 * pow(z_95, 7) + 19 * pow(z_95, 5) + 17 * pow(z_95, 3) - 15 * z_95) / (384 * pow(n, 3))
            + (79 * pow(z_95, 9) + 776 * pow(z_95, 7) + 1482 * pow(z_95, 5) - 1920 * pow(z_95, 3) - 945 * z_95)
            / (92160 * pow(n, 4)) AS t_95,
        z_99_9 + (pow(z_99_9, 3) + z_99_9) / (4 * n) + (5 * pow(z_99_9, 5) + 16 * pow(z_99_9, 3) + 3 * z_99_9) / (96 * n * n)
            + (3 * pow(z_99_9, 7) + 19 * pow(z_99_9, 5) + 17 * pow(z_99_9, 3) - 15 * z_99_9) / (384 * pow(n, 3))
            + (79 * pow(z_99_9, 9) + 776 * pow(z_99_9, 7) + 1482 * pow(z_99_9, 5) - 1920 * pow(z_99_9, 3) - 945 * z_99_9)
            / (92160 * pow(n, 4)) AS t_99_9
    FROM degrees
    CROSS JOIN normal_quantile
),
student_t AS (
    SELECT degrees_of_freedom, CAST(t_95 AS DOUBLE) AS t_95, CAST(t_99_9 AS DOUBLE) AS t_99_9 FROM tabulated
    UNION ALL
    SELECT degrees_of_freedom, t_95, t_99_9 FROM expanded
),
results AS MATERIALIZED (
    SELECT
        benchmark, mode, unit, score, error, "count" - 1 AS degrees,
        CAST(CAST(coalesce(parameters, '{}') AS JSON) AS MAP(VARCHAR, VARCHAR)) AS parameters,
        source_id, source_file, page, line
    FROM jmh_result
),
known AS MATERIALIZED (
    SELECT
        results.*,
        results.error / quantile.t_99_9 AS standard_error,
        results.error / quantile.t_99_9 * quantile.t_95 AS error_95
    FROM results
    LEFT JOIN student_t AS quantile ON quantile.degrees_of_freedom = CASE WHEN results.degrees > 1000 THEN 1000 ELSE results.degrees END
),
pairs AS (
    SELECT
        first, later,
        list_filter(map_keys(first.parameters), lambda name: first.parameters[name] IS DISTINCT FROM later.parameters[name])
            AS names
    FROM known AS first
    JOIN known AS later
        ON later.benchmark = first.benchmark
        AND later.mode IS NOT DISTINCT FROM first.mode AND later.unit IS NOT DISTINCT FROM first.unit
        AND list_sort(map_keys(later.parameters)) = list_sort(map_keys(first.parameters))
        AND (later.source_file, later.source_id, later.line) > (first.source_file, first.source_id, first.line)
),
comparable AS (
    SELECT first, later, CASE WHEN first.source_id = later.source_id THEN names[1] ELSE 'source_file' END AS differs_in
    FROM pairs
    WHERE len(names) = CASE WHEN first.source_id = later.source_id THEN 1 ELSE 0 END
),
welch AS (
    SELECT
        *,
        sqrt(pow(first.standard_error, 2) + pow(later.standard_error, 2)) AS standard_error,
        pow(pow(first.standard_error, 2) + pow(later.standard_error, 2), 2) / nullif(
            pow(first.standard_error, 4) / nullif(first.degrees, 0) + pow(later.standard_error, 4) / nullif(later.degrees, 0), 0
        ) AS degrees
    FROM comparable
),
with_half_width AS (
    SELECT
        welch.*,
        -- No deviation at all leaves no degrees, and no doubt.
        CASE WHEN welch.standard_error = 0 THEN 0 ELSE welch.standard_error * quantile.t_95 END AS half_width
    FROM welch
    LEFT JOIN student_t AS quantile
        ON quantile.degrees_of_freedom = CASE WHEN welch.degrees > 1000 THEN 1000 ELSE CAST(floor(welch.degrees) AS BIGINT) END
)
SELECT
    first.benchmark AS benchmark, first.mode AS mode, first.unit AS unit, differs_in,
    CASE differs_in WHEN 'source_file' THEN first.source_file ELSE first.parameters[differs_in] END AS "one",
    CASE differs_in WHEN 'source_file' THEN later.source_file ELSE later.parameters[differs_in] END AS other,
    CAST(to_json(map_from_entries(
        list_filter(map_entries(first.parameters), lambda entry: entry.key <> differs_in))) AS VARCHAR) AS parameters,
    first.score AS one_score, later.score AS other_score,
    first.error_95 AS one_error_95, later.error_95 AS other_error_95,
    later.score - first.score AS difference,
    later.score - first.score - half_width AS difference_low,
    later.score - first.score + half_width AS difference_high,
    abs(later.score - first.score) > half_width AS is_different,
    100 * (later.score - first.score) / nullif(first.score, 0) AS other_of_one_pct,
    100 * (first.score - later.score) / nullif(later.score, 0) AS one_of_other_pct,
    [
        ref(first.source_id, first.page, first.line),
        ref(later.source_id, later.page, later.line)
    ] AS refs
FROM with_half_width
