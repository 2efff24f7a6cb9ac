-- Grain: one row per report, system and interval that the lake holds as print and as XML. Print counts there: the views leave its XML rows out.
-- Inputs: rmf_cpu_activity, rmf_multithreading, rmf_address_space_count, rmf_work_unit_queue, rmf_work_unit,
-- rmf_blocked_workload, rmf_partition_data, rmf_partition_head.
-- Source: RMF Postprocessor, XML and print of one interval (docs/xml.md).
-- Shards: by interval_start.
-- Columns:
--   report: rmf_cpu_activity or rmf_partition_data
--   system, interval_start, interval_end: the interval
--   source_form: xml, the form that does not count
WITH every AS (
    SELECT 'rmf_cpu_activity' AS report, system, interval_start, interval_end, source_form FROM rmf_cpu_activity
    UNION ALL
    SELECT 'rmf_cpu_activity' AS report, system, interval_start, interval_end, source_form FROM rmf_multithreading
    UNION ALL
    SELECT 'rmf_cpu_activity' AS report, system, interval_start, interval_end, source_form FROM rmf_address_space_count
    UNION ALL
    SELECT 'rmf_cpu_activity' AS report, system, interval_start, interval_end, source_form FROM rmf_work_unit_queue
    UNION ALL
    SELECT 'rmf_cpu_activity' AS report, system, interval_start, interval_end, source_form FROM rmf_work_unit
    UNION ALL
    SELECT 'rmf_cpu_activity' AS report, system, interval_start, interval_end, source_form FROM rmf_blocked_workload
    UNION ALL
    SELECT 'rmf_partition_data' AS report, system, interval_start, interval_end, source_form FROM rmf_partition_data
    UNION ALL
    SELECT 'rmf_partition_data' AS report, system, interval_start, interval_end, source_form FROM rmf_partition_head
),
final AS (
    SELECT report, system, interval_start, interval_end, 'xml' AS source_form
    FROM every
    GROUP BY report, system, interval_start, interval_end
    HAVING bool_or(source_form = 'xml') AND bool_or(source_form IS DISTINCT FROM 'xml')
)
SELECT * FROM final
