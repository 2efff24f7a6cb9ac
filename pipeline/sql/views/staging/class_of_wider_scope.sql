-- Grain: one row per class and interval of pages that do not count, because pages of more systems, some of them the same, print the class in that
-- time.
-- Pages of a system beside those of its sysplex print its work again. Where work is added up, or goals are counted, one scope counts for each
-- class and interval: the scope with most systems, then the shorter interval, then the first by name. Pages that name no system come last.
-- A class that no wider scope prints counts with the scope that prints it. Duration reports are left out.
-- Source: RMF Report Analysis, Workload Activity.
-- Worked: B on a page of SYSA,SYSB and on one of SYSA: a row of SYSA. W on the first alone: none.
-- Shards: by interval_start (overlapping intervals only).
-- Columns:
--   counted_scope: the scope that counts
WITH page AS (
    SELECT
        sysplex, scope, interval_start, interval_end,
        -- An hour makes the join an equi-join.
        unnest(generate_series(date_trunc('hour', interval_start), interval_end - INTERVAL 1 SECOND, INTERVAL 1 HOUR)) AS hour
    FROM workload_interval
    WHERE report_kind = 'interval'
),
beside_others AS MATERIALIZED (
    SELECT DISTINCT *
    FROM page
    SEMI JOIN (FROM page SELECT sysplex, hour GROUP BY ALL HAVING count(DISTINCT coalesce(scope, '')) > 1) AS several
        ON several.sysplex IS NOT DISTINCT FROM page.sysplex AND several.hour = page.hour
),
class AS MATERIALIZED (
    SELECT DISTINCT
        page.sysplex, page.scope, page.interval_start, page.interval_end, page.hour, printed.policy_activated_at, printed.interval_s,
        replace(printed.class_kind, '_period', '') AS class_kind,
        name_of_class(
            replace(printed.class_kind, '_period', ''), printed.policy, printed.workload, printed.service_class, printed.report_class
        ) AS class_name
    FROM workload_printed_once AS printed
    JOIN beside_others AS page
        ON page.sysplex IS NOT DISTINCT FROM printed.sysplex AND page.scope IS NOT DISTINCT FROM printed.scope
        AND page.interval_start = printed.interval_start AND page.interval_end = printed.interval_end
    WHERE printed.report_kind = 'interval'
)
SELECT
    less.sysplex, less.scope, less.interval_start, less.interval_end, less.policy_activated_at, less.interval_s, less.class_kind, less.class_name,
    arg_max(more.scope, (len(string_split(more.scope, ',')), -more.interval_s, more.scope)) AS counted_scope
FROM class AS less
JOIN class AS more
    ON more.sysplex IS NOT DISTINCT FROM less.sysplex AND more.hour = less.hour
    AND more.class_kind = less.class_kind AND more.class_name IS NOT DISTINCT FROM less.class_name
    AND more.scope IS NOT NULL AND more.scope IS DISTINCT FROM less.scope AND may_be_of_one_system(more.scope, less.scope)
    AND is_there_twice(greatest(more.interval_start, less.interval_start), least(more.interval_end, less.interval_end))
    AND row(len(string_split(more.scope, ',')), -more.interval_s, less.scope)
        > row(coalesce(len(string_split(less.scope, ',')), 0), -less.interval_s, more.scope)
GROUP BY ALL
