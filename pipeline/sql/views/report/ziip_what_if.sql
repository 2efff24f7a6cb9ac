-- Grain: one row per interval of workload pages (of one system set) that prints zIIP-eligible time.
-- Formula: what if all eligible time that ran on general processors (IIPCP) had run on zIIPs: a zIIP is NF times as fast, so it needs
-- IIPCP / NF there, and frees IIPCP of general processors. Engines are zIIPs, unless their name says cp.
-- With two threads per core all figures are in time of one thread: busy is LPAR BUSY x CF, and engine capacity is ONLINE x MAX CF.
-- fits says whether the configured zIIPs would have been busy no more than all the time on average; queueing begins far below that.
-- NULL: if the time, the factor or the zIIPs of a system are unknown.
-- Source: RMF Report Analysis, APPL % IIP and IIPCP, CPU Activity.
-- Worked: IIP 150.00, IIPCP 40.00, NF 2, 2 zIIPs of LPAR BUSY 80.00 each: eligible 1.7 engines, busy 1.6 + 0.2 = 1.8 of 2; 0.4 CPs saved.
-- Shards: by interval_start.
-- Columns:
--   engines_online, engines_busy: configured zIIPs, and how many were busy
--   engines_work, engines_capacity: the same x CF and x MAX CF, as in processor_busy
--   engines_used: IIP / 100, in classes
--   engines_eligible: (IIP + IIPCP / NF) / 100
--   engines_busy_after: engines_work + IIPCP / NF / 100
--   busy_after_pct [%]: of engines_capacity
--   fits: at most all of them
--   cp_engines_busy: general processors that were busy
--   cp_engines_saved: IIPCP / 100
--   cp_saved_s [s]: the same as time
--   cp_saved_pct [%]: of the busy general processors
--   gp_msu_saved [MSU/h]: cp_engines_saved x msu_per_cp: software MSU
--   gp_msu_saved_service [million service units/h]: cp_engines_saved x SU/SEC; not software MSU
--   crossover_pct [%]: IIPCP of NF x IIP + IIPCP
--   refs: the printed rows of the processors, and the first of the interval's classes
WITH moved AS (
    SELECT
        *,
        ziip_on_cp_pct / 100 AS saved,
        ziip_on_cp_pct / 100 / nullif(normalization_factor, 0) AS more
    FROM interval_processor_time
    WHERE ziip_pct + ziip_on_cp_pct > 0
)
SELECT
    sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, interval_s,
    normalization_factor, normalization_source,
    ziip_engines_online AS engines_online,
    ziip_engines_busy AS engines_busy,
    ziip_engines_work AS engines_work,
    ziip_engines_capacity AS engines_capacity,
    ziip_pct / 100 AS engines_used,
    ziip_time_source,
    ziip_pct / 100 + more AS engines_eligible,
    ziip_engines_work + more AS engines_busy_after,
    100 * (ziip_engines_work + more) / nullif(ziip_engines_capacity, 0) AS busy_after_pct,
    ziip_engines_work + more <= ziip_engines_capacity AS fits,
    cp_engines_busy,
    saved AS cp_engines_saved,
    saved * interval_s AS cp_saved_s,
    100 * saved / nullif(cp_engines_busy, 0) AS cp_saved_pct,
    saved * msu_per_cp AS gp_msu_saved,
    msu_basis,
    saved * su_per_s * 3600 / 1e6 AS gp_msu_saved_service,
    100 * ziip_on_cp_pct / nullif(normalization_factor * ziip_pct + ziip_on_cp_pct, 0) AS crossover_pct,
    is_overlapping, is_conflicting, refs
FROM moved
