-- Grain: one row per study, configuration, run and printed interval that the study selects.
-- Formula: sums over the processors of all systems of the page: seconds online, and seconds busy.
-- CPU Activity belongs to a selected interval if its midpoint does. An interval that shows no normalisation factor has that of the scope's
-- other intervals in the run, which have one machine; otherwise 1.
-- NULL: seconds where a processor does not print its part; the factor where it is contradictory, or where the factors of a scope differ
-- by more than 0.02 and this interval shows none.
-- Source: RMF Report Analysis, CPU Activity.
-- Columns:
--   scope, own_scope: systems of the page, as in run_selection
--   is_covered: every system has CPU Activity for the interval, within 2 percent of its time
--   cp_online_s, cp_busy_s [s]: sum over general processors
--   ziip_online_s, ziip_busy_s [s]: sum over zIIPs; 0 where there are none
--   factor: normalisation factor of zIIP time
WITH chosen AS MATERIALIZED (
    SELECT * FROM run_selection
),
matched AS (
    SELECT
        selected.study, selected.configuration, selected.run, selected.run_scope AS scope, selected.interval_start AS selected_start,
        selected.interval_s AS selected_s,
        busy.system, busy.processor_type, busy.interval_start, busy.interval_end, busy.interval_s, busy.engines_online, busy.engines_busy, busy.refs
    FROM (SELECT * REPLACE (own_scope AS scope), scope AS run_scope FROM chosen) AS selected
    JOIN processor_busy AS busy ON is_page_within(selected, busy) AND busy.processor_type IN ('CP', 'IIP')
),
of_system AS (
    SELECT
        study, configuration, run, scope, selected_start, selected_s, system, processor_type,
        abs(sum(interval_s) / selected_s - 1) <= 0.02 AND NOT bool_or(is_there_twice(interval_start, reached)) AS is_covered,
        sum_all(engines_online * interval_s) AS online_s,
        sum_all(engines_busy * interval_s) AS busy_s,
        flatten(list(refs ORDER BY interval_start, refs)) AS refs
    FROM (
        SELECT
            *, max(interval_end) OVER (
                PARTITION BY study, configuration, run, scope, selected_start, system, processor_type
                ORDER BY interval_start, interval_end ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS reached
        FROM matched
    )
    GROUP BY study, configuration, run, scope, selected_start, selected_s, system, processor_type
),
of_interval AS (
    SELECT
        selected.study, selected.configuration, selected.run, selected.scope, selected.own_scope, selected.sysplex, selected.printed_scope,
        selected.report_kind, selected.interval_start, selected.interval_end,
        coalesce(bool_and(of_system.is_covered), FALSE)
            AND count(DISTINCT of_system.system) FILTER (of_system.processor_type = 'CP')
                >= coalesce(len(string_split(selected.own_scope, ',')), 1) AS is_covered,
        sum_all(of_system.online_s, of_system.processor_type = 'CP') AS cp_online_s,
        sum_all(of_system.busy_s, of_system.processor_type = 'CP') AS cp_busy_s,
        sum_or_zero(of_system.online_s, of_system.processor_type = 'IIP') AS ziip_online_s,
        sum_or_zero(of_system.busy_s, of_system.processor_type = 'IIP') AS ziip_busy_s,
        list_sort(list_distinct(list(of_system.system))) AS systems,
        flatten(list(of_system.refs ORDER BY of_system.system, of_system.processor_type, of_system.refs)
            FILTER (of_system.refs IS NOT NULL)) AS refs
    FROM chosen AS selected
    LEFT JOIN of_system
        ON of_system.study = selected.study AND of_system.configuration = selected.configuration
        AND of_system.run = selected.run AND of_system.scope IS NOT DISTINCT FROM selected.scope
        AND of_system.selected_start = selected.interval_start
    GROUP BY
        selected.study, selected.configuration, selected.run, selected.scope, selected.own_scope, selected.sysplex, selected.printed_scope,
        selected.report_kind, selected.interval_start, selected.interval_end
),
with_factor AS (
    SELECT
        interval.study, interval.configuration, interval.run, interval.scope, interval.own_scope, interval.interval_start, interval.interval_end,
        interval.is_covered, interval.cp_online_s, interval.cp_busy_s, interval.ziip_online_s, interval.ziip_busy_s, interval.systems, interval.refs,
        factor.normalization_factor,
        -- A window without workload pages has no row in interval_factor.
        coalesce(factor.normalization_source, 'assumed_1') AS normalization_source,
        min(CASE WHEN factor.normalization_source <> 'assumed_1' THEN factor.normalization_factor END) OVER of_scope AS least,
        max(CASE WHEN factor.normalization_source <> 'assumed_1' THEN factor.normalization_factor END) OVER of_scope AS most,
        max(CASE WHEN factor.normalization_factor IS NOT NULL AND factor.normalization_source <> 'assumed_1'
            THEN factor.normalization_source END) OVER of_scope AS shown_source
    FROM of_interval AS interval
    LEFT JOIN interval_factor AS factor
        ON factor.sysplex IS NOT DISTINCT FROM interval.sysplex
        AND factor.scope IS NOT DISTINCT FROM interval.printed_scope
        AND factor.report_kind = interval.report_kind
        AND factor.interval_start = interval.interval_start
        AND factor.interval_end = interval.interval_end
    WINDOW of_scope AS (PARTITION BY interval.study, interval.configuration, interval.run, interval.scope)
),
factored AS (
    SELECT
        * EXCLUDE (normalization_factor, normalization_source),
        CASE
            WHEN normalization_source <> 'assumed_1' THEN normalization_factor
            WHEN least IS NULL THEN 1
            WHEN most - least <= 0.02 THEN (least + most) / 2
        END AS factor,
        CASE
            WHEN normalization_source <> 'assumed_1' OR least IS NULL THEN normalization_source
            WHEN most - least <= 0.02 THEN shown_source
            ELSE 'contradictory'
        END AS normalization_source
    FROM with_factor
)
SELECT
    study, configuration, run, scope, own_scope, interval_start, interval_end, is_covered, cp_online_s, cp_busy_s, ziip_online_s, ziip_busy_s, factor,
    normalization_source, systems, coalesce(refs, []) AS refs
FROM factored
