-- Grain: one row per key of rmf_workload_activity, rmf_cpu_activity or rmf_partition_data that was printed more than once with different values.
-- Source: equal keys name the same fact; two prints of it that disagree are an error that names both pages.
-- A value missing in one of the prints differs too. Not compared: provenance, ingest options and releases.
-- Print and XML of one key are compared in what both have: a value that is zero in XML may be missing in print, which leaves it out; the columns
-- that XML has not, and resolutions, are compared among prints.
-- DuckDB syntax: macros over COLUMNS(lambda …).
-- Shards: by interval_start.
-- Columns:
--   report: rmf_workload_activity, rmf_cpu_activity or rmf_partition_data
--   system: of processors and partitions
--   subject: the class, the processor or the partition
--   differing_columns: names of the columns whose printed values differ, sorted
--   copies: number of prints of the key
--   refs: every printed row of the key; views keep the first
WITH class_repeated AS MATERIALIZED (
    SELECT hash(sysplex, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy, workload, service_class, report_class, period) AS fact
    FROM rmf_workload_activity
    GROUP BY fact
    HAVING count(*) > 1
),
class_copies AS (
    SELECT printed.* REPLACE (coalesce(wider.scope, printed.scope) AS scope)
    FROM rmf_workload_activity AS printed
    SEMI JOIN class_repeated AS repeated
        ON repeated.fact = hash(printed.sysplex, printed.report_kind, printed.interval_start, printed.interval_end, printed.policy_activated_at, printed.class_kind, printed.policy, printed.workload, printed.service_class, printed.report_class, printed.period)
    LEFT JOIN interval_scope AS wider ON is_scope_of(wider, printed)
),
class_compared AS MATERIALIZED (
    SELECT
        row_number() OVER () AS number, sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy, workload, service_class, report_class, period,
        count(*) AS copies, all_refs(source_id, page, line) AS refs,
        -- TRUE where the column differs, else NULL, which UNPIVOT leaves out.
        differs(COLUMNS(lambda name:
            name NOT IN (
                'sysplex', 'scope', 'report_kind', 'interval_start', 'interval_end', 'policy_activated_at',
                'class_kind', 'policy', 'workload', 'service_class', 'report_class', 'period', 'source_id',
                'source_file', 'page', 'line', 'source_form', 'utc_offset_minutes', 'release', 'report_version',
                'all_data_zero', 'appl_tcb_srb_pct', 'goal_derived_from', 'importance', 'importance_printed',
                'io_priority_group', 'page_in_expanded_block_per_s', 'page_in_expanded_single_per_s',
                'page_in_hsp_miss_per_s', 'storage_central_frames', 'storage_expanded_frames', 'tenant'
            ) AND NOT ends_with(name, '_resolution')
        ), source_form),
        differs_in_print(COLUMNS(lambda name:
            name IN (
                'all_data_zero', 'appl_tcb_srb_pct', 'goal_derived_from', 'importance', 'importance_printed',
                'io_priority_group', 'page_in_expanded_block_per_s', 'page_in_expanded_single_per_s',
                'page_in_hsp_miss_per_s', 'storage_central_frames', 'storage_expanded_frames', 'tenant'
            ) OR ends_with(name, '_resolution')
        ), source_form)
    FROM class_copies
    GROUP BY sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy, workload, service_class, report_class, period
),
class_differing AS (
    SELECT number, list(column_name ORDER BY column_name) AS differing_columns
    FROM class_compared
    UNPIVOT (is_different FOR column_name IN (COLUMNS(* EXCLUDE (number, copies, refs, sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy, workload, service_class, report_class, period))))
    GROUP BY number
),
processor_repeated AS MATERIALIZED (
    SELECT hash(system, report_kind, interval_start, interval_end, processor_type, processor_id, thread) AS fact
    FROM rmf_cpu_activity
    GROUP BY fact
    HAVING count(*) > 1
),
processor_copies AS (
    SELECT printed.*
    FROM rmf_cpu_activity AS printed
    SEMI JOIN processor_repeated AS repeated
        ON repeated.fact = hash(printed.system, printed.report_kind, printed.interval_start, printed.interval_end, printed.processor_type, printed.processor_id, printed.thread)
),
processor_compared AS MATERIALIZED (
    SELECT
        row_number() OVER () AS number, system, report_kind, interval_start, interval_end, processor_type, processor_id, thread,
        count(*) AS copies, all_refs(source_id, page, line) AS refs,
        -- TRUE where the column differs, else NULL, which UNPIVOT leaves out.
        differs(COLUMNS(lambda name:
            name NOT IN (
                'system', 'report_kind', 'interval_start', 'interval_end', 'processor_type', 'processor_id',
                'thread', 'source_id', 'source_file', 'page', 'line', 'source_form', 'utc_offset_minutes', 'release',
                'report_version', 'sysplex', 'scope', 'mt_productivity_pct', 'mt_utilization_pct'
            ) AND NOT ends_with(name, '_resolution')
        ), source_form),
        differs_in_print(COLUMNS(lambda name:
            name IN (
                'mt_productivity_pct', 'mt_utilization_pct'
            ) OR ends_with(name, '_resolution')
        ), source_form)
    FROM processor_copies
    GROUP BY system, report_kind, interval_start, interval_end, processor_type, processor_id, thread
),
processor_differing AS (
    SELECT number, list(column_name ORDER BY column_name) AS differing_columns
    FROM processor_compared
    UNPIVOT (is_different FOR column_name IN (COLUMNS(* EXCLUDE (number, copies, refs, system, report_kind, interval_start, interval_end, processor_type, processor_id, thread))))
    GROUP BY number
),
partition_repeated AS MATERIALIZED (
    SELECT hash(system, report_kind, interval_start, interval_end, partition, processor_type, is_total) AS fact
    FROM rmf_partition_data
    GROUP BY fact
    HAVING count(*) > 1
),
partition_copies AS (
    SELECT printed.*
    FROM rmf_partition_data AS printed
    SEMI JOIN partition_repeated AS repeated
        ON repeated.fact = hash(printed.system, printed.report_kind, printed.interval_start, printed.interval_end, printed.partition, printed.processor_type, printed.is_total)
),
partition_compared AS MATERIALIZED (
    SELECT
        row_number() OVER () AS number, system, report_kind, interval_start, interval_end, partition, processor_type, is_total,
        count(*) AS copies, all_refs(source_id, page, line) AS refs,
        -- TRUE where the column differs, else NULL, which UNPIVOT leaves out.
        differs(COLUMNS(lambda name:
            name NOT IN (
                'system', 'report_kind', 'interval_start', 'interval_end', 'partition', 'processor_type', 'is_total',
                'source_id', 'source_file', 'page', 'line', 'source_form', 'utc_offset_minutes', 'release',
                'report_version', 'sysplex', 'scope'
            )
        ), source_form)
    FROM partition_copies
    GROUP BY system, report_kind, interval_start, interval_end, partition, processor_type, is_total
),
partition_differing AS (
    SELECT number, list(column_name ORDER BY column_name) AS differing_columns
    FROM partition_compared
    UNPIVOT (is_different FOR column_name IN (COLUMNS(* EXCLUDE (number, copies, refs, system, report_kind, interval_start, interval_end, partition, processor_type, is_total))))
    GROUP BY number
)
SELECT
    'rmf_workload_activity' AS report,
    sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, CAST(NULL AS VARCHAR) AS system,
    class_kind, policy, workload, service_class, report_class, period,
    concat(replace(class_kind, '_', ' '), ' ', coalesce(report_class, service_class, workload, policy), ' period ' || period) AS subject,
    differing_columns, copies, refs
FROM class_compared
JOIN class_differing USING (number)
UNION ALL BY NAME
SELECT
    'rmf_cpu_activity' AS report, system, report_kind, interval_start, interval_end,
    coalesce('processor ' || processor_id || CASE WHEN thread > 0 THEN ' thread ' || thread ELSE '' END, 'TOTAL/AVERAGE') || ' ' || processor_type AS subject,
    differing_columns, copies, refs
FROM processor_compared
JOIN processor_differing USING (number)
UNION ALL BY NAME
SELECT
    'rmf_partition_data' AS report, system, report_kind, interval_start, interval_end,
    concat_ws(' ', CASE WHEN is_total THEN 'TOTAL' ELSE 'partition ' || partition END, processor_type) AS subject,
    differing_columns, copies, refs
FROM partition_compared
JOIN partition_differing USING (number)
