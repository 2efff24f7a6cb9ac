-- Grain: one row per study, configuration and reason why figures are incomplete or unknown.
-- Rule: notes cover the classes that the study charges or counts requests by; all classes if it charges none. Windows must be covered, and
-- left-out intervals are noted, only if the study uses all intervals of a window.
-- Source: the study file; RMF Report Analysis, Workload Activity.
-- Columns:
--   note: covered (the selected intervals are more than 2 percent shorter or longer than the windows), cut (more than 2 percent of
--     their time is outside of the windows), left_out (printed intervals
--     that hold the same time as selected ones of not more systems, or name no sysplex where the study does), no_cpu (the class prints no
--     processor time in any), cpu_lacks (it does in others),
--     unread (not printed, in intervals with rejected lines), not_printed (in all; it counts as 0 where
--     it is not), policy (the processor time of the policy is not that of its service classes), policy_change (the service policy changed
--     within an interval of CPU Activity: its busy time is that of several selected intervals) or conflicting (printed with other values)
--   class_kind, class_name: the class, for notes on a class
--   found, expected: covered and asked seconds; seconds outside of the windows, and covered; how many intervals, and of how many; changes of the policy; percent of an engine of the service classes and of
--     the policy
--   detail: what else is to be said: the first interval that is left out; the first three intervals that lack the class's processor time,
--     or the class with it; the first three times at which the policy changed; the interval and the columns that differ
WITH charging AS (
    SELECT DISTINCT study FROM study_class WHERE role = 'cpu'
),
takes_all AS (
    SELECT study, configuration, run, report_kind, sysplex, systems, window_start, window_end
    FROM study_step
    WHERE coalesce(rule, 'all') = 'all'
),
covered AS (
    SELECT
        asked.study, asked.configuration, 'covered' AS note, sum(covered.covered_s) AS found, sum(covered.asked_s) AS expected,
        flatten(list(covered.refs[1:1] ORDER BY asked.run, covered.refs[1:1])) AS refs
    FROM takes_all AS asked
    JOIN run_requests AS covered USING (study, configuration, run)
    GROUP BY asked.study, asked.configuration
    HAVING abs(sum(covered.covered_s) - sum(covered.asked_s)) > 0.02 * sum(covered.asked_s)
),
cut AS (
    SELECT study, configuration, 'cut' AS note, sum(outside_s) AS found, sum(interval_s) AS expected
    FROM (
        SELECT
            asked.study, asked.configuration, selected.interval_s,
            greatest(0, date_diff('millisecond', selected.interval_start, asked.window_start) / 1000)
                + greatest(0, date_diff('millisecond', asked.window_end, selected.interval_end) / 1000) AS outside_s
        FROM takes_all AS asked
        JOIN run_selection AS selected USING (study, configuration, run)
    )
    GROUP BY study, configuration
    HAVING found > 0.02 * expected
),
left_out AS (
    SELECT
        asked.study, asked.configuration, 'left_out' AS note,
        count(DISTINCT row(printed.sysplex, printed.scope, printed.interval_start, printed.interval_end)) AS found,
        concat(min(printed.interval_start), coalesce(', systems ' || min_by(printed.scope, (printed.interval_start, printed.scope)), '')) AS detail,
        [min(printed.refs[1])] AS refs
    FROM takes_all AS asked
    JOIN workload_interval AS printed
        ON printed.report_kind = asked.report_kind
        AND printed.midpoint >= asked.window_start AND printed.midpoint < asked.window_end
        AND (asked.sysplex IS NULL OR printed.sysplex IS NULL OR printed.sysplex = asked.sysplex)
        AND (asked.systems IS NULL OR printed.scope IS NULL
            OR list_has_all(string_split(asked.systems, ','), string_split(printed.scope, ',')))
    ANTI JOIN run_selection AS selected
        ON selected.study = asked.study AND selected.configuration = asked.configuration AND selected.run = asked.run
        AND selected.sysplex IS NOT DISTINCT FROM printed.sysplex
        AND selected.printed_scope IS NOT DISTINCT FROM printed.scope
        AND selected.interval_start = printed.interval_start AND selected.interval_end = printed.interval_end
        AND selected.policy_activated_at IS NOT DISTINCT FROM printed.policy_activated_at
    -- Pages of a system beside those of its sysplex are not an error.
    ANTI JOIN run_selection AS wider
        ON wider.study = asked.study AND wider.configuration = asked.configuration AND wider.run = asked.run
        AND wider.sysplex IS NOT DISTINCT FROM printed.sysplex AND wider.printed_scope <> printed.scope
        AND list_has_all(string_split(wider.printed_scope, ','), string_split(printed.scope, ','))
        AND printed.midpoint >= wider.interval_start AND printed.midpoint < wider.interval_end
    GROUP BY asked.study, asked.configuration
),
classes AS MATERIALIZED (
    SELECT class.*
    FROM configuration_class AS class
    LEFT JOIN (SELECT DISTINCT study, class_kind, class_name FROM study_class) AS named
        ON named.study = class.study AND named.class_kind = class.class_kind AND named.class_name = class.class_name
    WHERE class.class_kind IN ('service_class', 'report_class', 'policy')
        AND (named.study IS NOT NULL OR class.is_total OR class.study NOT IN (SELECT study FROM charging))
),
-- The first three intervals without a known time of a class: separately for intervals that print the class and intervals that do not.
unknown AS (
    SELECT
        study, configuration, class_kind, class_name, is_printed,
        list(DISTINCT strftime(interval_start, '%Y-%m-%d %H:%M:%S') ORDER BY strftime(interval_start, '%Y-%m-%d %H:%M:%S')) AS starts
    FROM run_class_interval
    WHERE cpu_pct IS NULL
    GROUP BY study, configuration, class_kind, class_name, is_printed
),
of_class AS (
    SELECT
        study, configuration, class_kind, class_name, refs, intervals AS expected,
        unnest([
            struct_pack(note := 'no_cpu', found := intervals_printed, holds := classes = 0),
            struct_pack(note := 'cpu_lacks', found := intervals_without_cpu, holds := classes > 0 AND intervals_without_cpu > 0),
            struct_pack(note := 'unread', found := intervals_unknown, holds := intervals_unknown > 0),
            struct_pack(note := 'not_printed', found := intervals_printed, holds := intervals_unknown = 0 AND intervals_printed < intervals)
        ]) AS judged
    FROM classes
    WHERE NOT is_total AND class_kind <> 'policy'
),
of_policy AS (
    SELECT
        study, configuration, 'policy' AS note,
        max(cpu_pct) FILTER (class_kind = 'service_class') AS found, max(cpu_pct) FILTER (class_kind = 'policy') AS expected
    FROM classes
    WHERE is_total
    GROUP BY study, configuration
    -- Each class is printed to 0.01, and the identity holds to 0.02 on genuine pages.
    HAVING abs(found - expected) > 0.02 + 0.01 * max(classes) FILTER (class_kind = 'service_class')
),
policy_change AS (
    SELECT
        changed.study, changed.configuration, 'policy_change' AS note, count(DISTINCT changed.changed_at) AS found,
        array_to_string(list_sort(list_distinct(list(strftime(changed.changed_at, '%Y-%m-%d %H:%M:%S'))))[1:3], ', ')
            || CASE WHEN count(DISTINCT changed.changed_at) > 3 THEN ' …' ELSE '' END AS detail
    FROM (
        SELECT study, configuration, scope, interval_start AS changed_at
        FROM run_selection
        WINDOW of_scope AS (PARTITION BY study, configuration, run, scope ORDER BY interval_start)
        QUALIFY policy_activated_at <> lag(policy_activated_at) OVER of_scope
            AND abs(epoch(interval_start - lag(interval_end) OVER of_scope)) <= 1
    ) AS changed
    JOIN (SELECT DISTINCT system, interval_start, interval_end FROM rmf_cpu_activity WHERE report_kind = 'interval') AS processors
        ON processors.interval_start < changed.changed_at - INTERVAL 1 SECOND
        AND processors.interval_end > changed.changed_at + INTERVAL 1 SECOND
        AND (changed.scope IS NULL OR list_contains(string_split(changed.scope, ','), processors.system))
    GROUP BY changed.study, changed.configuration
),
conflicting AS (
    SELECT
        selected.study, selected.configuration, 'conflicting' AS note, replace(printed.class_kind, '_period', '') AS class_kind,
        coalesce(printed.service_class, printed.report_class, printed.policy) || coalesce('.' || printed.period, '') AS class_name,
        concat(printed.interval_start, ': ', array_to_string(printed.differing_columns[1:4], ', '),
            CASE WHEN len(printed.differing_columns) > 4 THEN ' …' ELSE '' END) AS detail,
        printed.refs
    FROM run_selection AS selected
    JOIN conflicting_intervals AS printed
        ON policy_interval_key(printed) = printed_interval_key(selected)
    WHERE printed.report = 'rmf_workload_activity' AND printed.class_kind <> 'workload'
        AND (selected.study NOT IN (SELECT study FROM charging) OR (selected.study, printed.class_kind,
            coalesce(printed.service_class, printed.report_class)) IN (SELECT (study, class_kind, class_name) FROM study_class))
),
final AS (
    SELECT study, configuration, note, CAST(NULL AS VARCHAR) AS class_kind, CAST(NULL AS VARCHAR) AS class_name, found, expected,
        CAST(NULL AS VARCHAR) AS detail, refs
    FROM covered
    UNION ALL BY NAME
    SELECT *, [] AS refs FROM cut
    UNION ALL BY NAME
    SELECT * REPLACE (CAST(found AS DOUBLE) AS found) FROM left_out
    UNION ALL BY NAME
    SELECT
        class.study, class.configuration, class.class_kind, class.class_name, class.judged.note,
        CAST(class.judged.found AS DOUBLE) AS found, CAST(class.expected AS DOUBLE) AS expected,
        array_to_string(unknown.starts[1:3], ', ') || CASE WHEN len(unknown.starts) > 3 THEN ' …' ELSE '' END AS detail, class.refs
    FROM of_class AS class
    LEFT JOIN unknown
        ON unknown.study = class.study AND unknown.configuration = class.configuration AND unknown.class_kind = class.class_kind
        AND unknown.class_name IS NOT DISTINCT FROM class.class_name
        AND unknown.is_printed = (class.judged.note = 'cpu_lacks') AND class.judged.note IN ('cpu_lacks', 'unread')
    WHERE class.judged.holds
    UNION ALL BY NAME
    SELECT *, [] AS refs FROM of_policy
    UNION ALL BY NAME
    SELECT * REPLACE (CAST(found AS DOUBLE) AS found), [] AS refs FROM policy_change
    UNION ALL BY NAME
    SELECT * FROM conflicting
)
SELECT study, configuration, note, class_kind, class_name, found, expected, detail, refs FROM final
