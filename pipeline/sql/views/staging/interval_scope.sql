-- Grain: one row per printed interval and scope of workload pages that belongs to a wider scope of the same interval.
-- The systems of a page come from the service policy page of its file, otherwise from its goals. So pages of one interval have
-- several scopes in the tables: none if a run prints only classes, some if it prints goals of some classes. Views that
-- have a scope read it through this view; the tables keep the scope of the file.
-- Rule: only if one scope of the interval contains all others. A page that names no system belongs to it. A scope of fewer systems
-- belongs to it where the rows that both print have the same values, some of them not zero, or where both come from one source and no row
-- is printed in both. Rows with other values really are of fewer systems, and keep their scope.
-- SMF records name their system: they keep it, and tell nothing of pages.
-- DuckDB syntax: ANTI JOIN, functions of lists and * EXCLUDE.
-- Source: equal keys name the same fact, on whatever page.
-- Shards: by interval_start (overlapping intervals only).
-- Columns:
--   printed_scope: scope as printed
WITH printed AS (
    SELECT sysplex, report_kind, interval_start, interval_end, policy_activated_at, scope, source_id
    FROM rmf_workload_activity
    WHERE sysplex IS NOT NULL AND interval_start IS NOT NULL AND interval_end IS NOT NULL AND source_form IS DISTINCT FROM 'smf'
    GROUP BY ALL
    UNION ALL
    SELECT sysplex, report_kind, interval_start, interval_end, policy_activated_at, scope, source_id
    FROM rmf_service_policy
    WHERE sysplex IS NOT NULL AND interval_start IS NOT NULL AND interval_end IS NOT NULL AND source_form IS DISTINCT FROM 'smf'
),
of_scope AS (
    SELECT
        sysplex, report_kind, interval_start, interval_end, policy_activated_at, scope,
        string_split(scope, ',') AS systems,
        list(DISTINCT source_id) AS sources
    FROM printed
    GROUP BY sysplex, report_kind, interval_start, interval_end, policy_activated_at, scope
),
beside_others AS (
    SELECT
        *,
        hash(sysplex, report_kind, interval_start, interval_end, policy_activated_at) AS interval,
        first_value(scope) OVER widest_first AS widest_scope,
        first_value(systems) OVER widest_first AS widest_systems,
        first_value(sources) OVER widest_first AS widest_sources
    FROM of_scope
    WINDOW widest_first AS (
        PARTITION BY sysplex, report_kind, interval_start, interval_end, policy_activated_at
        ORDER BY len(systems) DESC NULLS LAST, scope
    )
),
narrower AS MATERIALIZED (
    SELECT *
    FROM beside_others
    WHERE scope IS DISTINCT FROM widest_scope
        AND interval NOT IN (
            SELECT interval FROM beside_others WHERE NOT coalesce(list_has_all(widest_systems, systems), TRUE)
        )
),
-- Few intervals have nested scopes: only their rows are read.
compared AS (
    SELECT *
    FROM rmf_workload_activity
    SEMI JOIN (SELECT interval FROM narrower WHERE scope IS NOT NULL) AS doubtful
        ON doubtful.interval = hash(sysplex, report_kind, interval_start, interval_end, policy_activated_at)
    WHERE source_form IS DISTINCT FROM 'smf'
),
hashed AS MATERIALIZED (
    SELECT
        hash(sysplex, report_kind, interval_start, interval_end, policy_activated_at) AS interval,
        scope,
        hash(class_kind, policy, workload, service_class, report_class, period) AS class,
        hash(*COLUMNS(* EXCLUDE (
            sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind,
            policy, workload, service_class, report_class, period,
            source_id, source_file, page, line, source_form, utc_offset_minutes, release, report_version
        ))) AS printed_values,
        greatest(total_service, transactions_ended, appl_cp_pct, appl_tcb_srb_pct) > 0 AS is_used
    FROM compared
),
judged AS (
    SELECT
        narrower.interval, narrower.scope,
        bool_and(narrow.printed_values = wide.printed_values) AS is_same,
        bool_or(narrow.is_used) AS is_seen
    FROM narrower
    JOIN hashed AS narrow ON narrow.interval = narrower.interval AND narrow.scope = narrower.scope
    JOIN hashed AS wide ON wide.interval = narrow.interval AND wide.class = narrow.class
    WHERE wide.scope IS NULL OR wide.scope = narrower.widest_scope
    GROUP BY narrower.interval, narrower.scope
)
SELECT
    narrower.sysplex, narrower.report_kind, narrower.interval_start, narrower.interval_end,
    narrower.policy_activated_at, narrower.scope AS printed_scope, narrower.widest_scope AS scope
FROM narrower
LEFT JOIN judged ON judged.interval = narrower.interval AND judged.scope = narrower.scope
ANTI JOIN (
    SELECT DISTINCT hash(sysplex, report_kind, interval_start, interval_end, policy_activated_at) AS interval, scope
    FROM rmf_workload_activity
    WHERE source_form = 'smf'
) AS record ON record.interval = narrower.interval AND record.scope = narrower.scope
WHERE narrower.scope IS NULL
    OR (judged.is_same AND judged.is_seen)
    OR (judged.is_same IS NULL AND list_has_any(narrower.sources, narrower.widest_sources))
