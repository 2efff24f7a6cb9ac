-- Grain: one row per key of rmf_workload_activity (class or class period and interval), however often it was printed.
-- Rows from XML are left out where there is print of their kind of class (print_and_xml).
-- Source: equal keys name the same fact, so they count once. If values differ, the row of the smallest
-- source_id and line is kept and is_conflicting says so. ALL DATA ZERO in place of a block is read as the zeros it
-- represents (not for averages per transaction, which have no value without transactions).
-- DuckDB syntax: UNION ALL BY NAME and * EXCLUDE and REPLACE.
-- Shards: by interval_start (overlapping intervals only).
-- Columns:
--   iip_not_applicable, iipcp_not_applicable: the APPL % cell prints N/A: there is no such engine
--   specialty_cell_unread: an APPL % cell of a specialty engine was printed and could not be read
--   cp_cell_unread: APPL % CP, or TCB+SRB%, was printed and could not be read
-- Almost all rows are printed once and need no sorting.
WITH appl_cells AS (
    SELECT
        source_id, row_line AS line,
        bool_or("column" = 'appl_iip_pct' AND reason = 'N/A') AS iip_not_applicable,
        bool_or("column" = 'appl_iipcp_pct' AND reason = 'N/A') AS iipcp_not_applicable,
        bool_or(reason IN ('overflow', 'unreadable') AND "column" NOT IN ('appl_cp_pct', 'appl_tcb_srb_pct')) AS specialty_cell_unread,
        bool_or(reason IN ('overflow', 'unreadable') AND "column" IN ('appl_cp_pct', 'appl_tcb_srb_pct')) AS cp_cell_unread
    FROM cell_null
    WHERE "table" = 'rmf_workload_activity'
        AND "column" IN ('appl_cp_pct', 'appl_tcb_srb_pct', 'appl_iip_pct', 'appl_iipcp_pct', 'appl_aap_pct', 'appl_aapcp_pct')
    GROUP BY source_id, row_line
)
SELECT
    once.* EXCLUDE (zero, is_conflicting, refs, source_id, source_file, page, line, source_form) REPLACE (
        coalesce(transactions_avg, zero) AS transactions_avg, coalesce(transactions_mpl, zero) AS transactions_mpl,
        coalesce(transactions_ended, zero) AS transactions_ended, coalesce(transactions_per_s, zero) AS transactions_per_s,
        coalesce(swaps, zero) AS swaps, coalesce(transactions_executed, zero) AS transactions_executed,
        coalesce(enclaves_avg, zero) AS enclaves_avg, coalesce(enclaves_remote_avg, zero) AS enclaves_remote_avg,
        coalesce(enclaves_multisystem_avg, zero) AS enclaves_multisystem_avg,
        coalesce(transaction_appl_total_cp_pct, zero) AS transaction_appl_total_cp_pct,
        coalesce(transaction_appl_total_on_cp_pct, zero) AS transaction_appl_total_on_cp_pct,
        coalesce(transaction_appl_total_ziip_pct, zero) AS transaction_appl_total_ziip_pct,
        coalesce(transaction_appl_mobile_cp_pct, zero) AS transaction_appl_mobile_cp_pct,
        coalesce(transaction_appl_mobile_on_cp_pct, zero) AS transaction_appl_mobile_on_cp_pct,
        coalesce(transaction_appl_mobile_ziip_pct, zero) AS transaction_appl_mobile_ziip_pct,
        coalesce(transaction_appl_category_a_cp_pct, zero) AS transaction_appl_category_a_cp_pct,
        coalesce(transaction_appl_category_a_on_cp_pct, zero) AS transaction_appl_category_a_on_cp_pct,
        coalesce(transaction_appl_category_a_ziip_pct, zero) AS transaction_appl_category_a_ziip_pct,
        coalesce(transaction_appl_category_b_cp_pct, zero) AS transaction_appl_category_b_cp_pct,
        coalesce(transaction_appl_category_b_on_cp_pct, zero) AS transaction_appl_category_b_on_cp_pct,
        coalesce(transaction_appl_category_b_ziip_pct, zero) AS transaction_appl_category_b_ziip_pct, coalesce(ssch_per_s, zero) AS ssch_per_s,
        coalesce(ioc_service, zero) AS ioc_service, coalesce(cpu_service, zero) AS cpu_service, coalesce(mso_service, zero) AS mso_service,
        coalesce(srb_service, zero) AS srb_service, coalesce(total_service, zero) AS total_service, coalesce(service_per_s, zero) AS service_per_s,
        coalesce(cpu_time_s, zero) AS cpu_time_s, coalesce(srb_time_s, zero) AS srb_time_s, coalesce(rct_time_s, zero) AS rct_time_s,
        coalesce(iit_time_s, zero) AS iit_time_s, coalesce(hst_time_s, zero) AS hst_time_s, coalesce(aap_time_s, zero) AS aap_time_s,
        coalesce(iip_time_s, zero) AS iip_time_s, coalesce(appl_cp_pct, zero) AS appl_cp_pct, coalesce(appl_aapcp_pct, zero) AS appl_aapcp_pct,
        coalesce(appl_iipcp_pct, zero) AS appl_iipcp_pct, coalesce(appl_aap_pct, zero) AS appl_aap_pct,
        coalesce(appl_iip_pct, zero) AS appl_iip_pct, coalesce(appl_tcb_srb_pct, zero) AS appl_tcb_srb_pct,
        coalesce(promoted_blk_s, zero) AS promoted_blk_s, coalesce(promoted_enq_s, zero) AS promoted_enq_s,
        coalesce(promoted_crm_s, zero) AS promoted_crm_s, coalesce(promoted_lck_s, zero) AS promoted_lck_s,
        coalesce(promoted_sup_s, zero) AS promoted_sup_s, coalesce(storage_total_frames, zero) AS storage_total_frames
    ),
    coalesce(appl_cells.iip_not_applicable, FALSE) AS iip_not_applicable,
    coalesce(appl_cells.iipcp_not_applicable, FALSE) AS iipcp_not_applicable,
    coalesce(appl_cells.specialty_cell_unread, FALSE) OR coalesce(anywhere.specialty_cell_unread, FALSE)
        AS specialty_cell_unread,
    coalesce(appl_cells.cp_cell_unread, FALSE) AS cp_cell_unread,
    once.is_conflicting, once.refs
FROM (SELECT *, CASE WHEN all_data_zero THEN 0 END AS zero FROM once('rmf_workload_activity')) AS once
LEFT JOIN appl_cells
    ON appl_cells.source_id = once.source_id
    AND appl_cells.line = once.line
-- A cell without a known row (read by an older Ironlake) may belong to any row of its source.
LEFT JOIN appl_cells AS anywhere
    ON anywhere.source_id = once.source_id
    AND anywhere.line IS NULL
