-- Grain: one row per key of rmf_workload_activity that was printed more than once with different values.
-- Inputs: rmf_workload_activity, interval_scope.
-- Source: equal keys name the same fact; two prints of it that disagree are an error that names both pages.
-- A value missing in one of the prints differs too. Not compared: provenance, ingest options and releases.
-- DuckDB syntax: expressions over COLUMNS(* EXCLUDE …).
-- Shards: by interval_start.
-- Columns:
--   sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at: the interval
--   class_kind, policy, workload, service_class, report_class, period: the class
--   differing_columns: names of the columns whose printed values differ, sorted
--   copies: number of prints of the key
--   refs: every printed row of the key; views keep the first
WITH repeated AS MATERIALIZED (
    -- The hash of a key is small; what shares one by chance, or is of other systems, is one copy each below, which differs from nothing.
    SELECT
        hash(
            sysplex, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy, workload,
            service_class, report_class, period
        ) AS fact
    FROM rmf_workload_activity
    GROUP BY fact
    HAVING count(*) > 1
),
copies AS (
    SELECT printed.* REPLACE (coalesce(wider.scope, printed.scope) AS scope)
    FROM rmf_workload_activity AS printed
    SEMI JOIN repeated
        ON repeated.fact = hash(
            printed.sysplex, printed.report_kind, printed.interval_start, printed.interval_end, printed.policy_activated_at,
            printed.class_kind, printed.policy, printed.workload, printed.service_class, printed.report_class, printed.period
        )
    LEFT JOIN interval_scope AS wider ON is_scope_of(wider, printed)
),
compared AS MATERIALIZED (
    SELECT
        row_number() OVER () AS number,
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy,
        workload, service_class, report_class, period,
        count(*) AS copies,
        all_refs(source_id, page, line) AS refs,
        -- TRUE where the column differs, else NULL, which UNPIVOT leaves out.
        CASE
            WHEN min(COLUMNS(* EXCLUDE (
                sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind,
                policy, workload, service_class, report_class, period,
                source_id, source_file, page, line, utc_offset_minutes, release, report_version
            ))) IS DISTINCT FROM max(COLUMNS(* EXCLUDE (
                sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind,
                policy, workload, service_class, report_class, period,
                source_id, source_file, page, line, utc_offset_minutes, release, report_version
            )))
                OR count(COLUMNS(* EXCLUDE (
                sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind,
                policy, workload, service_class, report_class, period,
                source_id, source_file, page, line, utc_offset_minutes, release, report_version
            ))) NOT IN (0, count(*))
            THEN TRUE
        END
    FROM copies
    GROUP BY
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy,
        workload, service_class, report_class, period
),
differing_cells AS (
    SELECT number, column_name
    FROM compared
    UNPIVOT (
        is_different FOR column_name IN (COLUMNS(* EXCLUDE (
            number, copies, refs,
            sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy,
            workload, service_class, report_class, period
        )))
    )
),
differing AS (
    SELECT number, list(column_name ORDER BY column_name) AS differing_columns
    FROM differing_cells
    GROUP BY number
),
final AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy,
        workload, service_class, report_class, period,
        differing_columns, copies, refs
    FROM compared
    JOIN differing USING (number)
)
SELECT * FROM final
