-- Grain: one row per study, configuration, run and printed interval that the study selects.
-- Rule: an interval belongs to a window if its midpoint does. Where intervals have the same time of the same systems, the interval with
-- more systems, then the shorter, then the one with more printed rows is taken, and the others are left out. Then the step's rule picks: last (for
-- each scope), all, or those that start nearest to the listed times; without a rule there must be exactly one interval, or none is
-- selected. A window with several sysplexes selects nothing unless the study names one.
-- A page of several systems is selected only where the study names all of them, or none; a page that names no system is
-- taken to be of the systems that the study names. Intervals are those of workload pages; a window without workload pages takes those of
-- CPU Activity.
-- Source: the study file; the intervals as printed.
-- Columns:
--   scope: its systems; from the study if no system is printed; where intervals of the run are of some of the systems of others, the widest: a page
--     leaves out a system that was down
--   own_scope: of the interval alone
--   system_location: remote where all of them are the study's remote systems, local where none is, both where they cannot be
--     separated; NULL if the study names no remote systems
--   interval_source: workload_activity or cpu_activity
--   scope_covered_s [s]: time of all selected intervals of this scope
--   scope_number: number of the scope within the run, from 1: the one with the most time first
WITH workload_scopes AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at,
        max(interval_s) AS interval_s, count(*) AS printed_rows
    FROM counted('rmf_workload_activity')
    WHERE interval_start IS NOT NULL AND interval_end IS NOT NULL AND interval_s > 0
    GROUP BY sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at
),
workload_printed AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at,
        max(interval_s) AS interval_s, CAST(sum(printed_rows) AS BIGINT) AS printed_rows, 'workload_activity' AS interval_source
    FROM scoped(workload_scopes)
    GROUP BY ALL
),
cpu_printed AS (
    SELECT
        sysplex, system AS scope, report_kind, interval_start, interval_end,
        CAST(NULL AS TIMESTAMP) AS policy_activated_at,
        max(interval_s) AS interval_s, count(*) AS printed_rows, 'cpu_activity' AS interval_source
    FROM counted('rmf_cpu_activity')
    WHERE interval_start IS NOT NULL AND interval_end IS NOT NULL AND interval_s > 0 AND system IS NOT NULL
    GROUP BY sysplex, system, report_kind, interval_start, interval_end
),
printed AS (
    SELECT * FROM workload_printed
    UNION ALL BY NAME
    SELECT * FROM cpu_printed
),
in_window AS MATERIALIZED (
    SELECT
        step.study, step.configuration, step.run, step.rule, step.listed_starts, step.remote_systems,
        step.window_start, step.window_end, step.request_source, step.request_count, step.simulator_file, step.volume,
        printed.*,
        coalesce(printed.scope, step.systems) AS covered_scope,
        string_split(coalesce(printed.scope, step.systems), ',') AS covered_systems
    FROM study_step AS step
    JOIN printed
        ON printed.report_kind = step.report_kind
        AND printed.interval_start < step.window_end AND printed.interval_end > step.window_start
        AND is_middle_within(printed.interval_start, printed.interval_end, step.window_start, step.window_end)
        AND (step.sysplex IS NULL OR printed.sysplex = step.sysplex
            OR (printed.sysplex IS NULL AND printed.interval_source = 'cpu_activity'))
        AND (step.systems IS NULL OR printed.scope IS NULL
            OR list_has_all(string_split(step.systems, ','), string_split(printed.scope, ',')))
),
one_source AS (
    SELECT in_window.*
    FROM in_window
    JOIN (
        SELECT study, configuration, run, max(interval_source) AS interval_source
        FROM in_window
        GROUP BY study, configuration, run
        HAVING count(DISTINCT sysplex) <= 1
    ) AS first_source USING (study, configuration, run, interval_source)
),
ranked AS MATERIALIZED (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY study, configuration, run
            ORDER BY coalesce(len(covered_systems), 0) DESC, interval_s, printed_rows DESC, interval_start, scope,
                policy_activated_at
        ) AS place
    FROM one_source
),
not_overlapping AS MATERIALIZED (
    SELECT ranked.*
    FROM ranked
    -- Ends are printed to the millisecond and starts to the second: neighbours may share a second.
    ANTI JOIN ranked AS preferred
        ON preferred.study = ranked.study AND preferred.configuration = ranked.configuration AND preferred.run = ranked.run
        AND preferred.place < ranked.place
        AND preferred.interval_start < ranked.interval_end AND ranked.interval_start < preferred.interval_end
        AND date_diff('millisecond', greatest(preferred.interval_start, ranked.interval_start),
                least(preferred.interval_end, ranked.interval_end))
            > greatest(1000, 10 * least(preferred.interval_s, ranked.interval_s))
        AND coalesce(list_has_any(preferred.covered_systems, ranked.covered_systems), TRUE)
),
picked AS (
    SELECT not_overlapping.*
    FROM not_overlapping
    -- Rule last: no later interval of the same systems. No rule: no other interval.
    ANTI JOIN not_overlapping AS other
        ON other.study = not_overlapping.study AND other.configuration = not_overlapping.configuration AND other.run = not_overlapping.run
        AND other.place <> not_overlapping.place
        AND coalesce(list_has_any(other.covered_systems, not_overlapping.covered_systems), TRUE)
        AND (not_overlapping.rule IS NULL OR (not_overlapping.rule = 'last' AND other.interval_start > not_overlapping.interval_start))
    WHERE not_overlapping.rule IS DISTINCT FROM 'list' OR len(list_filter(not_overlapping.listed_starts, lambda listed:
        listed >= not_overlapping.interval_start - (not_overlapping.interval_end - not_overlapping.interval_start) / 2
        AND listed < not_overlapping.interval_start + (not_overlapping.interval_end - not_overlapping.interval_start) / 2)) > 0
),
run_scopes AS (
    SELECT DISTINCT study, configuration, run, covered_scope, covered_systems FROM picked WHERE covered_scope IS NOT NULL
),
wider AS (
    SELECT
        one.study, one.configuration, one.run, one.covered_scope AS own_scope,
        arg_min(other.covered_scope, struct_pack(systems := -len(other.covered_systems), scope := other.covered_scope)) AS covered_scope
    FROM run_scopes AS one
    JOIN run_scopes AS other
        ON other.study = one.study AND other.configuration = one.configuration AND other.run = one.run
        AND list_has_any(other.covered_systems, one.covered_systems)
    GROUP BY one.study, one.configuration, one.run, one.covered_scope
),
widest AS (
    SELECT picked.* EXCLUDE (covered_scope), picked.covered_scope AS own_scope, wider.covered_scope
    FROM picked
    LEFT JOIN wider
        ON wider.study = picked.study AND wider.configuration = picked.configuration AND wider.run = picked.run
        AND wider.own_scope = picked.covered_scope
),
of_the_scope AS (
    SELECT
        study, configuration, run, coalesce(covered_scope, '') AS scope_name,
        sum(interval_s) AS scope_covered_s,
        row_number() OVER (PARTITION BY study, configuration, run ORDER BY round(sum(interval_s)) DESC, coalesce(covered_scope, '')) AS scope_number
    FROM widest
    GROUP BY study, configuration, run, coalesce(covered_scope, '')
)
SELECT
    picked.study, picked.configuration, picked.run, picked.window_start, picked.window_end,
    picked.sysplex, picked.scope AS printed_scope, picked.report_kind, picked.interval_start, picked.interval_end,
    picked.policy_activated_at,
    picked.covered_scope AS scope, picked.own_scope,
    CASE WHEN picked.remote_systems IS NULL THEN NULL
        WHEN list_has_all(string_split(picked.remote_systems, ','), picked.covered_systems) THEN 'remote'
        WHEN NOT list_has_any(string_split(picked.remote_systems, ','), picked.covered_systems) THEN 'local'
        ELSE 'both' END AS system_location,
    picked.interval_s, picked.interval_source,
    of_the_scope.scope_covered_s, of_the_scope.scope_number,
    picked.request_source, picked.request_count, picked.simulator_file, picked.volume
FROM widest AS picked
JOIN of_the_scope
    ON of_the_scope.study = picked.study AND of_the_scope.configuration = picked.configuration
    AND of_the_scope.run = picked.run AND of_the_scope.scope_name = coalesce(picked.covered_scope, '')
