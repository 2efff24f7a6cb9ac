-- Grain: one row per report, system and interval (Workload Activity: sysplex, scope of the XML, kind of class and interval) that the lake holds
-- as print and as XML. Print counts there: the views leave its XML rows out. XML of Workload Activity counts for systems without print.
-- Source: RMF Postprocessor, XML and print of one interval (docs/xml.md).
-- Shards: by interval_start (overlapping intervals only).
-- Columns:
--   report: rmf_cpu_activity, rmf_partition_data, rmf_workload_activity, or rmf_service_policy (the policy page alone)
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
-- Most lakes have no XML: then no row of print is read.
xml_class AS (
    SELECT DISTINCT sysplex, scope, class_kind, interval_start, interval_end FROM rmf_workload_activity WHERE source_form = 'xml'
),
xml_policy AS (
    SELECT DISTINCT sysplex, scope, interval_start, interval_end FROM rmf_service_policy WHERE source_form = 'xml'
),
printed_class AS (
    SELECT DISTINCT xml.sysplex, xml.scope, xml.class_kind, xml.interval_start, xml.interval_end
    FROM rmf_workload_activity AS printed
    JOIN xml_class AS xml
        ON xml.interval_start = printed.interval_start AND xml.interval_end = printed.interval_end
        AND xml.class_kind = printed.class_kind AND xml.sysplex IS NOT DISTINCT FROM printed.sysplex
        AND may_be_of_one_system(xml.scope, printed.scope)
    WHERE printed.source_form IS DISTINCT FROM 'xml'
),
printed_policy AS (
    SELECT DISTINCT xml.sysplex, xml.scope, xml.interval_start, xml.interval_end
    FROM rmf_service_policy AS printed
    JOIN xml_policy AS xml
        ON xml.interval_start = printed.interval_start AND xml.interval_end = printed.interval_end
        AND xml.sysplex IS NOT DISTINCT FROM printed.sysplex AND may_be_of_one_system(xml.scope, printed.scope)
    WHERE printed.source_form IS DISTINCT FROM 'xml'
),
of_system AS (
    SELECT report, system, interval_start, interval_end, 'xml' AS source_form
    FROM every
    GROUP BY report, system, interval_start, interval_end
    HAVING bool_or(source_form = 'xml') AND bool_or(source_form IS DISTINCT FROM 'xml')
)
SELECT report, CAST(NULL AS VARCHAR) AS sysplex, CAST(NULL AS VARCHAR) AS scope, system, CAST(NULL AS VARCHAR) AS class_kind, interval_start, interval_end, source_form
FROM of_system
UNION ALL
SELECT 'rmf_workload_activity', sysplex, scope, NULL, class_kind, interval_start, interval_end, 'xml' FROM printed_class
UNION ALL
SELECT 'rmf_service_policy', sysplex, scope, NULL, NULL, interval_start, interval_end, 'xml' FROM printed_policy
