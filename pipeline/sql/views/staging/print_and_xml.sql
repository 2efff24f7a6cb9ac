-- Grain: one row per report, system and interval (Workload Activity: sysplex, scope of the pages, kind of class and interval) and form that the
-- lake holds beside another that counts there as a whole: SMF records have more digits than print, and print counts where there is XML.
-- The views leave the rows of the form that does not count out. Workload Activity: rows of SMF are of one system. They count beside pages of this
-- system alone, and beside pages of several systems where all of these have records; otherwise the pages count. XML counts for systems without print.
-- Source: RMF Postprocessor, XML and print of one interval (docs/xml.md); SMF records (docs/smf_json.md).
-- Shards: by interval_start (overlapping intervals only).
-- Columns:
--   report: rmf_cpu_activity, rmf_partition_data, rmf_group_capacity, rmf_workload_activity, or rmf_service_policy (the policy page alone)
--   source_form: the form that does not count; NULL: rows of print without a form
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
    UNION ALL
    SELECT 'rmf_group_capacity' AS report, system, interval_start, interval_end, source_form FROM rmf_group_capacity
),
-- Most lakes have one form: then no row of print is read. A page of no class is that of the policy.
other_page AS (
    SELECT DISTINCT 'rmf_workload_activity' AS report, sysplex, scope, class_kind, interval_start, interval_end, source_form
    FROM rmf_workload_activity
    WHERE source_form IN ('xml', 'smf')
    UNION ALL
    SELECT DISTINCT 'rmf_service_policy', sysplex, scope, NULL, interval_start, interval_end, source_form
    FROM rmf_service_policy
    WHERE source_form IN ('xml', 'smf')
),
printed_page AS (
    SELECT DISTINCT 'rmf_workload_activity' AS report, sysplex, scope, class_kind, interval_start, interval_end, NULL AS source_form
    FROM rmf_workload_activity AS printed
    SEMI JOIN other_page USING (interval_start, interval_end)
    WHERE coalesce(source_form, 'print') = 'print'
    UNION ALL
    SELECT DISTINCT 'rmf_service_policy', sysplex, scope, NULL, interval_start, interval_end, NULL
    FROM rmf_service_policy AS printed
    SEMI JOIN other_page USING (interval_start, interval_end)
    WHERE coalesce(source_form, 'print') = 'print'
),
page AS MATERIALIZED (FROM other_page UNION ALL FROM printed_page),
-- Pages and records of one system at least, and whether records of all systems of the page are there.
beside AS (
    SELECT
        page, record,
        len(list_filter(string_split(page.scope, ','), lambda s: NOT list_contains(list(record.scope) OVER of_page, s))) = 0 AS is_whole
    FROM page
    JOIN page AS record
        ON record.source_form = 'smf' AND page.source_form IS DISTINCT FROM 'smf' AND of_one_page(page, record)
    WINDOW of_page AS (PARTITION BY page)
),
left_out AS (
    SELECT unnest(CASE WHEN coalesce(is_whole, FALSE) THEN page ELSE record END) FROM beside
    UNION ALL
    SELECT xml.*
    FROM page AS xml
    SEMI JOIN page AS printed ON printed.source_form IS NULL AND xml.source_form = 'xml' AND of_one_page(printed, xml)
)
SELECT
    report, CAST(NULL AS VARCHAR) AS sysplex, CAST(NULL AS VARCHAR) AS scope, system, CAST(NULL AS VARCHAR) AS class_kind,
    interval_start, interval_end, source_form
FROM (SELECT DISTINCT * FROM every)
QUALIFY digits_of_form(source_form) < max(digits_of_form(source_form)) OVER (PARTITION BY report, system, interval_start, interval_end)
UNION ALL
SELECT DISTINCT
    report, sysplex, scope, NULL, class_kind, interval_start, interval_end,
    unnest(CASE WHEN source_form IS NULL THEN [NULL, 'print'] ELSE [source_form] END)
FROM left_out
