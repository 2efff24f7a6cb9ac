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
SELECT
    'rmf_workload_activity' AS report,
    sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, CAST(NULL AS VARCHAR) AS system,
    class_kind, policy, workload, service_class, report_class, period,
    concat(replace(class_kind, '_', ' '), ' ', coalesce(report_class, service_class, workload, policy), ' period ' || period) AS subject,
    differing_columns, copies, refs
FROM differing('rmf_workload_activity')
UNION ALL BY NAME
SELECT
    'rmf_cpu_activity' AS report, system, report_kind, interval_start, interval_end,
    coalesce('processor ' || processor_id || CASE WHEN thread > 0 THEN ' thread ' || thread ELSE '' END, 'TOTAL/AVERAGE') || ' ' || processor_type AS subject,
    differing_columns, copies, refs
FROM differing('rmf_cpu_activity')
UNION ALL BY NAME
SELECT
    'rmf_partition_data' AS report, system, report_kind, interval_start, interval_end,
    concat_ws(' ', CASE WHEN is_total THEN 'TOTAL' ELSE 'partition ' || partition END, processor_type) AS subject,
    differing_columns, copies, refs
FROM differing('rmf_partition_data')
