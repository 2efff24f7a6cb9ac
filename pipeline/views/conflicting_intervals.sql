-- Grain: one row a key of rmf_workload_activity that was printed more than once with different values.
-- Inputs: rmf_workload_activity.
-- Source: equal keys name the same fact; two prints of it that disagree are an error that names both pages.
-- A value printed once and missing once differs as well. Not compared: provenance, ingest options and releases.
-- Only DuckDB knows UNPIVOT over COLUMNS(* EXCLUDE …).
-- Columns:
--   sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at: the interval
--   class_kind, policy, workload, service_class, report_class, period: the class
--   differing_columns: names of the columns whose printed values differ, sorted
--   copies: how often the key was printed
--   refs: every printed row of the key; views keep the first
WITH repeated AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy,
        workload, service_class, report_class, period
    FROM rmf_workload_activity
    GROUP BY ALL
    HAVING count(*) > 1
),
copies AS (
    SELECT printed.*
    FROM rmf_workload_activity AS printed
    JOIN repeated
        ON printed.sysplex IS NOT DISTINCT FROM repeated.sysplex
        AND printed.scope IS NOT DISTINCT FROM repeated.scope
        AND printed.report_kind IS NOT DISTINCT FROM repeated.report_kind
        AND printed.interval_start IS NOT DISTINCT FROM repeated.interval_start
        AND printed.interval_end IS NOT DISTINCT FROM repeated.interval_end
        AND printed.policy_activated_at IS NOT DISTINCT FROM repeated.policy_activated_at
        AND printed.class_kind IS NOT DISTINCT FROM repeated.class_kind
        AND printed.policy IS NOT DISTINCT FROM repeated.policy
        AND printed.workload IS NOT DISTINCT FROM repeated.workload
        AND printed.service_class IS NOT DISTINCT FROM repeated.service_class
        AND printed.report_class IS NOT DISTINCT FROM repeated.report_class
        AND printed.period IS NOT DISTINCT FROM repeated.period
),
copies_as_text AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy,
        workload, service_class, report_class, period,
        source_id, page, line,
        COLUMNS(* EXCLUDE (
            sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy,
            workload, service_class, report_class, period,
            source_id, source_file, page, line, utc_offset_minutes, release, report_version
        ))::VARCHAR
    FROM copies
),
cells AS (
    SELECT *
    FROM copies_as_text
    UNPIVOT INCLUDE NULLS (
        printed_value FOR column_name IN (COLUMNS(* EXCLUDE (
            sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy,
            workload, service_class, report_class, period,
            source_id, page, line
        )))
    )
),
differing_cells AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy,
        workload, service_class, report_class, period,
        column_name
    FROM cells
    GROUP BY ALL
    HAVING count(DISTINCT printed_value) > 1 OR count(printed_value) NOT IN (0, count(*))
),
differing AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy,
        workload, service_class, report_class, period,
        list(column_name ORDER BY column_name) AS differing_columns
    FROM differing_cells
    GROUP BY ALL
),
printed_rows AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy,
        workload, service_class, report_class, period,
        count(*) AS copies,
        list(struct_pack(source_id := source_id, page := page, line := line) ORDER BY source_id, line) AS refs
    FROM copies
    GROUP BY ALL
),
final AS (
    SELECT printed_rows.* EXCLUDE (copies, refs), differing.differing_columns, printed_rows.copies, printed_rows.refs
    FROM printed_rows
    JOIN differing
        ON printed_rows.sysplex IS NOT DISTINCT FROM differing.sysplex
        AND printed_rows.scope IS NOT DISTINCT FROM differing.scope
        AND printed_rows.report_kind IS NOT DISTINCT FROM differing.report_kind
        AND printed_rows.interval_start IS NOT DISTINCT FROM differing.interval_start
        AND printed_rows.interval_end IS NOT DISTINCT FROM differing.interval_end
        AND printed_rows.policy_activated_at IS NOT DISTINCT FROM differing.policy_activated_at
        AND printed_rows.class_kind IS NOT DISTINCT FROM differing.class_kind
        AND printed_rows.policy IS NOT DISTINCT FROM differing.policy
        AND printed_rows.workload IS NOT DISTINCT FROM differing.workload
        AND printed_rows.service_class IS NOT DISTINCT FROM differing.service_class
        AND printed_rows.report_class IS NOT DISTINCT FROM differing.report_class
        AND printed_rows.period IS NOT DISTINCT FROM differing.period
)
SELECT * FROM final
