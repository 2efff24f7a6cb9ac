-- Grain: one row per class and interval: the class block where it is printed, else the sum of its periods.
-- Rows of different class_kind describe the same work: pick one kind, then add. Interval and duration reports are rows
-- of their own (report_kind): pick one. Rows of one scope whose intervals overlap must not be added either.
-- Sums of periods: counts, service, times and percentages of an engine add; response times are weighted by ended
-- transactions, their deviation pooled by second moments, DASD times weighted by start subchannels. A value that one
-- period lacks is NULL, never the sum of the others. Averages per resident transaction (absorption rate, page-in rates,
-- average frames) do not add and stay in rmf_workload_activity.
-- Source: RMF Report Analysis, Workload Activity; sum over periods = class.
-- Shards: by interval_start (overlapping intervals only).
-- Columns:
--   period: always NULL, so the key is that of rmf_workload_activity
--   tenant, resource_group, critical, description: of the class; NULL where its periods differ
--   level_source: class or periods
--   periods: how many periods were added; NULL for a class block
WITH class_blocks AS (
    SELECT
        * EXCLUDE (
            system, importance, importance_printed, io_priority_group, honor_priority, goal_derived_from,
            transactions_ended_resolution, transactions_per_s_resolution, swaps_resolution, transactions_executed_resolution,
            absorption_rate, absorption_rate_resolution, transaction_service_rate, transaction_service_rate_resolution,
            storage_avg_frames, storage_shared_frames, storage_central_frames, storage_expanded_frames,
            page_in_single_per_s, page_in_block_per_s, page_in_shared_per_s, page_in_hsp_per_s, page_in_hsp_miss_per_s,
            page_in_expanded_single_per_s, page_in_expanded_block_per_s, is_conflicting, refs
        ) REPLACE (CAST(NULL AS BIGINT) AS period),
        'class' AS level_source,
        CAST(NULL AS BIGINT) AS periods,
        is_conflicting, refs
    FROM workload_printed_once
    WHERE class_kind NOT IN ('service_class_period', 'report_class_period')
),
period_blocks AS (
    SELECT * REPLACE (replace(class_kind, '_period', '') AS class_kind)
    FROM workload_printed_once
    WHERE class_kind IN ('service_class_period', 'report_class_period')
),
periods_alone AS (
    SELECT * FROM period_blocks ANTI JOIN class_blocks ON class_key(class_blocks) = class_key(period_blocks)
),
period_sums AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy, workload,
        service_class, report_class,
        CAST(NULL AS BIGINT) AS period,
        max(COLUMNS(['interval_s', 'utc_offset_minutes', 'release', 'report_version'])),
        one_value(COLUMNS(['tenant', 'resource_group', 'critical', 'description'])),
        bool_and(coalesce(all_data_zero, FALSE)) AS all_data_zero,
        CAST(sum_all(COLUMNS('^(transactions_ended|transactions_executed|swaps|(ioc|cpu|mso|srb|total)_service)$')) AS BIGINT),
        without_noise(sum_all(COLUMNS('^(transactions_(avg|mpl|per_s)|enclaves_.*|transaction_appl_.*|ssch_per_s)$'))),
        sum_all(storage_total_frames) AS storage_total_frames,
        sum_all(COLUMNS('^(service_per_s|(ioc|cpu|mso|srb|total)_service_resolution|service_per_s_resolution)$')),
        without_noise(sum_all(COLUMNS('^((cpu|srb|rct|iit|hst|aap|iip)_time_s|appl_.*|promoted_.*)$'))),
        mean_where_any(COLUMNS('^(actual|execution|queued|rs_affinity|ineligible|conversion)_time_s$'), transactions_ended),
        sqrt(at_least_zero(
            mean_where_any(pow(time_stddev_s, 2) + pow(actual_time_s, 2), transactions_ended)
            - pow(mean_where_any(actual_time_s, transactions_ended), 2)
        )) AS time_stddev_s,
        mean_where_any(COLUMNS('^dasd_.*_ms$'), ssch_per_s),
        bool_and(iip_not_applicable OR coalesce(all_data_zero, FALSE)) AND bool_or(iip_not_applicable) AS iip_not_applicable,
        bool_and(iipcp_not_applicable OR coalesce(all_data_zero, FALSE)) AND bool_or(iipcp_not_applicable) AS iipcp_not_applicable,
        bool_or(specialty_cell_unread) AS specialty_cell_unread,
        bool_or(cp_cell_unread) AS cp_cell_unread,
        'periods' AS level_source,
        count(*) AS periods,
        bool_or(is_conflicting) AS is_conflicting,
        flatten(list(refs ORDER BY period, refs)) AS refs
    FROM periods_alone
    GROUP BY
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy, workload,
        service_class, report_class
)
SELECT * FROM class_blocks
UNION ALL BY NAME
SELECT * FROM period_sums
