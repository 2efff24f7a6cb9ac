-- Grain: one row per class and interval, as in workload_level (pick one class_kind and one report_kind before adding).
-- Percent is percent of ONE engine, as RMF prints it. CP, IIP, AAP, IIPCP, AAPCP are the cells of APPL %; CP includes IIPCP
-- and AAPCP already.
-- IIP: where zIIPs run two threads per core, the zIIP time is that of one thread: SERVICE TIME IIP / interval where it is printed, otherwise APPL %,
-- read as the page's other rows show (interval_multithreading), otherwise NULL. APPL % everywhere else.
-- NULL: a CP that is not printed; any zIIP figure where the page prints no zIIP; CPU time per transaction where none ended; normalised
-- figures of classes with zIIP time where the factor is contradictory.
-- An empty zAAP cell adds nothing; N/A for the zIIP means that there is none. Where a cell of a specialty engine was printed and could not be
-- read, every sum with it is NULL. A block that prints no specialty engine at all (before z/OS 1.6) gives cpu_pct = CP.
-- Source: RMF Report Analysis, APPL %; IBM SMF Explorer, utilization_cp; REDP-5208 for non_ziip_pct.
-- Worked: CP 31.66, IIP 75.53, IIPCP 6.76, AAPCP 0, 88,584 ended in 60 s give 107.19, 82.29, -50.63, 24.90, 0.72602 ms.
-- Shards: by interval_start (overlapping intervals only).
-- Columns:
--   period: always NULL, so the key is that of rmf_workload_activity
--   zaap_pct, zaap_on_cp_pct [% of one engine]: AAP, AAPCP
--   ziip_time_source: where IIP is from: appl, service_time, appl_x_max_cf, or unknown where APPL % could be either; NULL without zIIP cells
--   ziip_eligible_pct [% of one engine]: IIP + IIPCP
--   non_ziip_pct [% of one engine]: CP - (IIP + IIPCP), as published; CP never contains IIP, so it can be negative
--   ziip_eligible_normalized_pct [% of one general processor]: NF x IIP + IIPCP
--   crossover_pct [%]: IIPCP of ziip_eligible_normalized_pct
--   cpu_ms_per_transaction [ms]: cpu_pct/100 x interval_s / transactions_ended x 1000
--   su_per_s [service units/s]: speed of an engine, as in interval_factor; NULL if the systems of the page differ
--   msu_per_cp [MSU/h]: software MSU of a fully busy general processor, as in interval_msu_rate
--   gp_msu [MSU/h]: CP / 100 x msu_per_cp: software MSU; excludes time in no class (capture_ratio)
--   gp_msu_service [million service units/h]: CP / 100 x su_per_s x 3600 / 1,000,000: up to 1.8 times gp_msu, and never to be added
--     to or compared with it
--   cpu_source: appl_cp, or appl_tcb_srb (MVS/ESA prints TCB+SRB% in place of APPL %); unreadable where that cell could not be
--     read, or is empty beside zIIP time; NULL if no processor time is printed
WITH cells AS (
    SELECT
        *,
        coalesce(appl_cp_pct, appl_tcb_srb_pct) AS cp,
        CASE
            WHEN appl_cp_pct IS NOT NULL THEN 'appl_cp'
            WHEN appl_tcb_srb_pct IS NOT NULL THEN 'appl_tcb_srb'
            -- The time of the class is unknown then, and so is every sum with it; a class of transactions alone prints none of the cells.
            WHEN cp_cell_unread OR appl_iip_pct > 0 OR appl_iipcp_pct > 0 THEN 'unreadable'
        END AS cpu_source,
        CASE WHEN iip_not_applicable THEN 0 ELSE appl_iip_pct END AS iip,
        CASE WHEN iipcp_not_applicable THEN 0 ELSE appl_iipcp_pct END AS iipcp,
        CASE WHEN NOT specialty_cell_unread THEN coalesce(appl_aap_pct, 0) ELSE appl_aap_pct END AS aap,
        CASE WHEN NOT specialty_cell_unread THEN coalesce(appl_aapcp_pct, 0) ELSE appl_aapcp_pct END AS aapcp,
        -- The TOT of SERVICE is below the APPL % cells: if it is there, the block is complete without them.
        total_service IS NOT NULL AND NOT specialty_cell_unread
            AND NOT iip_not_applicable AND NOT iipcp_not_applicable
            AND coalesce(appl_iip_pct, appl_iipcp_pct, appl_aap_pct, appl_aapcp_pct) IS NULL AS has_no_specialty_cells
    FROM workload_level
),
normalized AS (
    SELECT
        cells.* EXCLUDE (iip),
        CASE
            WHEN cells.iip_not_applicable OR cells.appl_iip_pct IS NULL OR threads.threads_per_core IS NULL THEN cells.iip
            WHEN cells.iip_time_s IS NOT NULL AND cells.interval_s > 0 THEN 100 * cells.iip_time_s / cells.interval_s
            WHEN threads.reading = 'appl' OR cells.appl_iip_pct = 0 THEN cells.iip
            WHEN threads.reading = 'appl_x_max_cf' THEN cells.iip * threads.capacity_factor_max
        END AS iip,
        CASE
            WHEN cells.appl_iip_pct IS NULL THEN NULL
            WHEN threads.threads_per_core IS NULL THEN 'appl'
            WHEN cells.iip_time_s IS NOT NULL AND cells.interval_s > 0 THEN 'service_time'
            WHEN cells.appl_iip_pct = 0 THEN 'appl'
            ELSE coalesce(threads.reading, 'unknown')
        END AS ziip_time_source,
        factor.normalization_factor AS factor, factor.normalization_source, factor.su_per_s,
        rate.msu_per_cp, coalesce(rate.msu_basis, 'not_in_lake') AS msu_basis
    FROM cells
    LEFT JOIN interval_factor AS factor
        ON interval_key(factor) = interval_key(cells)
    LEFT JOIN interval_multithreading AS threads
        ON interval_key(threads) = interval_key(cells)
    LEFT JOIN interval_msu_rate AS rate
        ON rate.sysplex IS NOT DISTINCT FROM cells.sysplex
        AND rate.scope IS NOT DISTINCT FROM cells.scope
        AND rate.interval_start = cells.interval_start
        AND rate.interval_end = cells.interval_end
),
measured AS (
    SELECT
        *,
        CASE WHEN has_no_specialty_cells THEN cp ELSE without_noise(cp + iip + aap) END AS cpu_pct,
        -- Without zIIP time no factor is needed.
        CASE WHEN iip = 0 THEN 0 ELSE factor END AS factor_of_iip
    FROM normalized
)
SELECT
    sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, class_kind, policy,
    workload, service_class, report_class, period,
    interval_s, release, report_version,
    transactions_ended, transactions_per_s, actual_time_s,
    cpu_pct,
    cp AS cp_pct, CASE WHEN appl_iip_pct IS NOT NULL THEN iip END AS ziip_pct, appl_iipcp_pct AS ziip_on_cp_pct,
    appl_aap_pct AS zaap_pct, appl_aapcp_pct AS zaap_on_cp_pct,
    ziip_time_source,
    CASE WHEN coalesce(appl_iip_pct, appl_iipcp_pct) IS NOT NULL THEN without_noise(iip + iipcp) END AS ziip_eligible_pct,
    CASE WHEN coalesce(appl_iip_pct, appl_iipcp_pct) IS NOT NULL THEN without_noise(cp - (iip + iipcp)) END AS non_ziip_pct,
    without_noise(cp - iipcp - aapcp) AS non_ziip_eligible_pct,
    CASE WHEN has_no_specialty_cells OR iip + aap = 0 THEN cp ELSE without_noise(cp + factor * (iip + aap)) END AS cpu_normalized_pct,
    CASE WHEN coalesce(appl_iip_pct, appl_iipcp_pct) IS NOT NULL THEN without_noise(factor_of_iip * iip + iipcp) END
        AS ziip_eligible_normalized_pct,
    iipcp / nullif(factor_of_iip * iip + iipcp, 0) * 100 AS crossover_pct,
    factor AS normalization_factor,
    normalization_source,
    cpu_pct / 100 * interval_s / nullif(transactions_ended, 0) * 1000 AS cpu_ms_per_transaction,
    su_per_s,
    msu_per_cp,
    without_noise(cp / 100 * msu_per_cp) AS gp_msu,
    msu_basis,
    without_noise(cp / 100 * su_per_s * 3600 / 1e6) AS gp_msu_service,
    cpu_source, level_source, is_conflicting, refs
FROM measured
