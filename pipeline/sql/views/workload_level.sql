-- Grain: one row a class and interval: the class block where it is printed, else the sum of its periods.
-- Inputs: workload_printed_once.
-- Rows of different class_kind describe the same work: pick one kind, then add. Interval and duration reports are rows
-- of their own (report_kind): pick one. Rows of one scope whose intervals overlap must not be added either.
-- Sums of periods: counts, service, times and percentages of an engine add; response times are weighted by ended
-- transactions, their deviation pooled by second moments, DASD times weighted by start subchannels. A value that one
-- period lacks is NULL, never the sum of the others. Averages per resident transaction (absorption rate, page-in rates,
-- average frames) do not add and stay in rmf_workload_activity.
-- Source: RMF Report Analysis, Workload Activity; sum over periods = class.
-- Columns:
--   sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at: the interval
--   class_kind: policy, workload, service_class or report_class; periods are folded into their class
--   policy, workload, service_class, report_class: the class
--   period: always NULL, so that the key is that of rmf_workload_activity
--   interval_s [s], utc_offset_minutes [min], release, report_version: from the heading
--   tenant, resource_group, critical, description: of the class; NULL where its periods differ
--   all_data_zero: ALL DATA ZERO is printed in place of every block
--   transactions_avg, transactions_mpl, transactions_ended, transactions_per_s [1/s]: transactions
--   swaps, transactions_executed, enclaves_avg, enclaves_remote_avg, enclaves_multisystem_avg: counts and averages
--   transaction_appl_total_cp_pct, transaction_appl_total_on_cp_pct, transaction_appl_total_ziip_pct [% of one engine]: by category
--   transaction_appl_mobile_cp_pct, transaction_appl_mobile_on_cp_pct, transaction_appl_mobile_ziip_pct [% of one engine]: by category
--   transaction_appl_category_a_cp_pct, transaction_appl_category_a_on_cp_pct, transaction_appl_category_a_ziip_pct [% of one engine]: by category
--   transaction_appl_category_b_cp_pct, transaction_appl_category_b_on_cp_pct, transaction_appl_category_b_ziip_pct [% of one engine]: by category
--   ssch_per_s [1/s]: start subchannels
--   ioc_service, cpu_service, mso_service, srb_service, total_service, service_per_s [1/s]: service units
--   cpu_time_s, srb_time_s, rct_time_s, iit_time_s, hst_time_s, aap_time_s, iip_time_s [s]: processor time
--   appl_cp_pct, appl_aapcp_pct, appl_iipcp_pct [% of one engine]: on general processors
--   appl_aap_pct, appl_iip_pct [% of one engine]: on specialty engines, not normalised
--   appl_tcb_srb_pct [% of one engine]: MVS/ESA, in place of APPL %
--   promoted_blk_s, promoted_enq_s, promoted_crm_s, promoted_lck_s, promoted_sup_s [s]: promoted
--   storage_total_frames [frames of 4 KiB]: frames of the class
--   ioc_service_resolution, cpu_service_resolution, mso_service_resolution: worth of the last printed digit, summed
--   srb_service_resolution, total_service_resolution, service_per_s_resolution: worth of the last printed digit, summed
--   actual_time_s, execution_time_s, queued_time_s [s]: response time and its parts
--   rs_affinity_time_s, ineligible_time_s, conversion_time_s [s]: parts of the response time
--   time_stddev_s [s]: standard deviation of the response time
--   dasd_response_ms, dasd_connect_ms, dasd_disconnect_ms, dasd_qpend_ms, dasd_iosq_ms [ms]: DASD
--   iip_not_applicable, iipcp_not_applicable, specialty_cell_unread: why APPL % cells are empty
--   level_source: class or periods
--   periods: how many periods were added; NULL for a class block
--   is_conflicting: a printed row was also printed with other values
--   refs: the printed rows
WITH class_blocks AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy,
        workload, service_class, report_class,
        CAST(NULL AS BIGINT) AS period,
        interval_s, utc_offset_minutes, release, report_version, tenant, resource_group, critical, description,
        all_data_zero, transactions_avg, transactions_mpl, transactions_ended, transactions_per_s, swaps,
        transactions_executed, enclaves_avg, enclaves_remote_avg, enclaves_multisystem_avg,
        transaction_appl_total_cp_pct, transaction_appl_total_on_cp_pct, transaction_appl_total_ziip_pct,
        transaction_appl_mobile_cp_pct, transaction_appl_mobile_on_cp_pct, transaction_appl_mobile_ziip_pct,
        transaction_appl_category_a_cp_pct, transaction_appl_category_a_on_cp_pct,
        transaction_appl_category_a_ziip_pct, transaction_appl_category_b_cp_pct,
        transaction_appl_category_b_on_cp_pct, transaction_appl_category_b_ziip_pct, ssch_per_s, ioc_service,
        cpu_service, mso_service, srb_service, total_service, service_per_s, cpu_time_s, srb_time_s,
        rct_time_s, iit_time_s, hst_time_s, aap_time_s, iip_time_s, appl_cp_pct, appl_aapcp_pct,
        appl_iipcp_pct, appl_aap_pct, appl_iip_pct, appl_tcb_srb_pct, promoted_blk_s, promoted_enq_s,
        promoted_crm_s, promoted_lck_s, promoted_sup_s, storage_total_frames, ioc_service_resolution,
        cpu_service_resolution, mso_service_resolution, srb_service_resolution, total_service_resolution,
        service_per_s_resolution, actual_time_s, execution_time_s, queued_time_s, rs_affinity_time_s,
        ineligible_time_s, conversion_time_s, time_stddev_s, dasd_response_ms, dasd_connect_ms,
        dasd_disconnect_ms, dasd_qpend_ms, dasd_iosq_ms, iip_not_applicable, iipcp_not_applicable,
        specialty_cell_unread,
        'class' AS level_source,
        CAST(NULL AS BIGINT) AS periods,
        is_conflicting, refs
    FROM workload_printed_once
    WHERE class_kind NOT IN ('service_class_period', 'report_class_period')
),
periods_alone AS (
    SELECT printed.*
    FROM workload_printed_once AS printed
    WHERE printed.class_kind IN ('service_class_period', 'report_class_period')
        AND NOT EXISTS (
            SELECT 1
            FROM workload_printed_once AS class_block
            WHERE class_block.class_kind = replace(printed.class_kind, '_period', '')
                AND policy_interval_key(class_block) = policy_interval_key(printed) AND class_block.policy IS NOT DISTINCT FROM printed.policy AND class_block.workload IS NOT DISTINCT FROM printed.workload AND class_block.service_class IS NOT DISTINCT FROM printed.service_class AND class_block.report_class IS NOT DISTINCT FROM printed.report_class
        )
),
period_sums AS (
    SELECT
        sysplex,
        scope,
        report_kind,
        interval_start,
        interval_end,
        policy_activated_at,
        replace(class_kind, '_period', '') AS class_kind,
        policy,
        workload,
        service_class,
        report_class,
        CAST(NULL AS BIGINT) AS period,
        max(interval_s) AS interval_s,
        max(utc_offset_minutes) AS utc_offset_minutes,
        max(release) AS release,
        max(report_version) AS report_version,
        one_value(tenant) AS tenant,
        one_value(resource_group) AS resource_group,
        one_value(critical) AS critical,
        one_value(description) AS description,
        bool_and(coalesce(all_data_zero, FALSE)) AS all_data_zero,
        sum_all(transactions_avg) AS transactions_avg,
        sum_all(transactions_mpl) AS transactions_mpl,
        CAST(sum_all(transactions_ended) AS BIGINT) AS transactions_ended,
        sum_all(transactions_per_s) AS transactions_per_s,
        CAST(sum_all(swaps) AS BIGINT) AS swaps,
        CAST(sum_all(transactions_executed) AS BIGINT) AS transactions_executed,
        sum_all(enclaves_avg) AS enclaves_avg,
        sum_all(enclaves_remote_avg) AS enclaves_remote_avg,
        sum_all(enclaves_multisystem_avg) AS enclaves_multisystem_avg,
        sum_all(transaction_appl_total_cp_pct) AS transaction_appl_total_cp_pct,
        sum_all(transaction_appl_total_on_cp_pct) AS transaction_appl_total_on_cp_pct,
        sum_all(transaction_appl_total_ziip_pct) AS transaction_appl_total_ziip_pct,
        sum_all(transaction_appl_mobile_cp_pct) AS transaction_appl_mobile_cp_pct,
        sum_all(transaction_appl_mobile_on_cp_pct) AS transaction_appl_mobile_on_cp_pct,
        sum_all(transaction_appl_mobile_ziip_pct) AS transaction_appl_mobile_ziip_pct,
        sum_all(transaction_appl_category_a_cp_pct) AS transaction_appl_category_a_cp_pct,
        sum_all(transaction_appl_category_a_on_cp_pct) AS transaction_appl_category_a_on_cp_pct,
        sum_all(transaction_appl_category_a_ziip_pct) AS transaction_appl_category_a_ziip_pct,
        sum_all(transaction_appl_category_b_cp_pct) AS transaction_appl_category_b_cp_pct,
        sum_all(transaction_appl_category_b_on_cp_pct) AS transaction_appl_category_b_on_cp_pct,
        sum_all(transaction_appl_category_b_ziip_pct) AS transaction_appl_category_b_ziip_pct,
        sum_all(ssch_per_s) AS ssch_per_s,
        CAST(sum_all(ioc_service) AS BIGINT) AS ioc_service,
        CAST(sum_all(cpu_service) AS BIGINT) AS cpu_service,
        CAST(sum_all(mso_service) AS BIGINT) AS mso_service,
        CAST(sum_all(srb_service) AS BIGINT) AS srb_service,
        CAST(sum_all(total_service) AS BIGINT) AS total_service,
        sum_all(service_per_s) AS service_per_s,
        sum_all(cpu_time_s) AS cpu_time_s,
        sum_all(srb_time_s) AS srb_time_s,
        sum_all(rct_time_s) AS rct_time_s,
        sum_all(iit_time_s) AS iit_time_s,
        sum_all(hst_time_s) AS hst_time_s,
        sum_all(aap_time_s) AS aap_time_s,
        sum_all(iip_time_s) AS iip_time_s,
        sum_all(appl_cp_pct) AS appl_cp_pct,
        sum_all(appl_aapcp_pct) AS appl_aapcp_pct,
        sum_all(appl_iipcp_pct) AS appl_iipcp_pct,
        sum_all(appl_aap_pct) AS appl_aap_pct,
        sum_all(appl_iip_pct) AS appl_iip_pct,
        sum_all(appl_tcb_srb_pct) AS appl_tcb_srb_pct,
        sum_all(promoted_blk_s) AS promoted_blk_s,
        sum_all(promoted_enq_s) AS promoted_enq_s,
        sum_all(promoted_crm_s) AS promoted_crm_s,
        sum_all(promoted_lck_s) AS promoted_lck_s,
        sum_all(promoted_sup_s) AS promoted_sup_s,
        sum_all(storage_total_frames) AS storage_total_frames,
        sum_all(ioc_service_resolution) AS ioc_service_resolution,
        sum_all(cpu_service_resolution) AS cpu_service_resolution,
        sum_all(mso_service_resolution) AS mso_service_resolution,
        sum_all(srb_service_resolution) AS srb_service_resolution,
        sum_all(total_service_resolution) AS total_service_resolution,
        sum_all(service_per_s_resolution) AS service_per_s_resolution,
        CASE WHEN count(transactions_ended) = count(*) AND count(actual_time_s) FILTER (transactions_ended > 0) = count(*) FILTER (transactions_ended > 0)
            THEN sum(actual_time_s * transactions_ended) FILTER (transactions_ended > 0) / nullif(sum(transactions_ended), 0) END AS actual_time_s,
        CASE WHEN count(transactions_ended) = count(*) AND count(execution_time_s) FILTER (transactions_ended > 0) = count(*) FILTER (transactions_ended > 0)
            THEN sum(execution_time_s * transactions_ended) FILTER (transactions_ended > 0) / nullif(sum(transactions_ended), 0) END AS execution_time_s,
        CASE WHEN count(transactions_ended) = count(*) AND count(queued_time_s) FILTER (transactions_ended > 0) = count(*) FILTER (transactions_ended > 0)
            THEN sum(queued_time_s * transactions_ended) FILTER (transactions_ended > 0) / nullif(sum(transactions_ended), 0) END AS queued_time_s,
        CASE WHEN count(transactions_ended) = count(*) AND count(rs_affinity_time_s) FILTER (transactions_ended > 0) = count(*) FILTER (transactions_ended > 0)
            THEN sum(rs_affinity_time_s * transactions_ended) FILTER (transactions_ended > 0) / nullif(sum(transactions_ended), 0) END AS rs_affinity_time_s,
        CASE WHEN count(transactions_ended) = count(*) AND count(ineligible_time_s) FILTER (transactions_ended > 0) = count(*) FILTER (transactions_ended > 0)
            THEN sum(ineligible_time_s * transactions_ended) FILTER (transactions_ended > 0) / nullif(sum(transactions_ended), 0) END AS ineligible_time_s,
        CASE WHEN count(transactions_ended) = count(*) AND count(conversion_time_s) FILTER (transactions_ended > 0) = count(*) FILTER (transactions_ended > 0)
            THEN sum(conversion_time_s * transactions_ended) FILTER (transactions_ended > 0) / nullif(sum(transactions_ended), 0) END AS conversion_time_s,
        CASE WHEN count(transactions_ended) = count(*)
                AND count(time_stddev_s + actual_time_s) FILTER (transactions_ended > 0)
                    = count(*) FILTER (transactions_ended > 0)
            THEN sqrt(greatest(0,
                sum(transactions_ended * (pow(time_stddev_s, 2) + pow(actual_time_s, 2))) FILTER (transactions_ended > 0)
                    / nullif(sum(transactions_ended), 0)
                - pow(
                    sum(transactions_ended * actual_time_s) FILTER (transactions_ended > 0)
                        / nullif(sum(transactions_ended), 0), 2
                )
            )) END AS time_stddev_s,
        CASE WHEN count(ssch_per_s) = count(*) AND count(dasd_response_ms) FILTER (ssch_per_s > 0) = count(*) FILTER (ssch_per_s > 0)
            THEN sum(dasd_response_ms * ssch_per_s) FILTER (ssch_per_s > 0) / nullif(sum(ssch_per_s), 0) END AS dasd_response_ms,
        CASE WHEN count(ssch_per_s) = count(*) AND count(dasd_connect_ms) FILTER (ssch_per_s > 0) = count(*) FILTER (ssch_per_s > 0)
            THEN sum(dasd_connect_ms * ssch_per_s) FILTER (ssch_per_s > 0) / nullif(sum(ssch_per_s), 0) END AS dasd_connect_ms,
        CASE WHEN count(ssch_per_s) = count(*) AND count(dasd_disconnect_ms) FILTER (ssch_per_s > 0) = count(*) FILTER (ssch_per_s > 0)
            THEN sum(dasd_disconnect_ms * ssch_per_s) FILTER (ssch_per_s > 0) / nullif(sum(ssch_per_s), 0) END AS dasd_disconnect_ms,
        CASE WHEN count(ssch_per_s) = count(*) AND count(dasd_qpend_ms) FILTER (ssch_per_s > 0) = count(*) FILTER (ssch_per_s > 0)
            THEN sum(dasd_qpend_ms * ssch_per_s) FILTER (ssch_per_s > 0) / nullif(sum(ssch_per_s), 0) END AS dasd_qpend_ms,
        CASE WHEN count(ssch_per_s) = count(*) AND count(dasd_iosq_ms) FILTER (ssch_per_s > 0) = count(*) FILTER (ssch_per_s > 0)
            THEN sum(dasd_iosq_ms * ssch_per_s) FILTER (ssch_per_s > 0) / nullif(sum(ssch_per_s), 0) END AS dasd_iosq_ms,
        bool_and(iip_not_applicable OR coalesce(all_data_zero, FALSE)) AND bool_or(iip_not_applicable) AS iip_not_applicable,
        bool_and(iipcp_not_applicable OR coalesce(all_data_zero, FALSE)) AND bool_or(iipcp_not_applicable) AS iipcp_not_applicable,
        bool_or(specialty_cell_unread) AS specialty_cell_unread,
        'periods' AS level_source,
        count(*) AS periods,
        bool_or(is_conflicting) AS is_conflicting,
        flatten(list(refs ORDER BY period, refs)) AS refs
    FROM periods_alone
    GROUP BY
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at,
        replace(class_kind, '_period', ''),
        policy, workload, service_class, report_class
),
final AS (
    SELECT * FROM class_blocks
    UNION ALL BY NAME
    SELECT * FROM period_sums
)
SELECT * FROM final
