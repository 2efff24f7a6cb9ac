-- Grain: one row per sysplex, scope and interval: the normalisation factor NF of zIIP time that its own numbers show.
-- A row printed twice gives the same factor twice.
-- Formula: APPL % CP = (CPU + SRB + RCT + IIT + HST - NF x IIP) / interval x 100, so
--   NF = (CPU + SRB + RCT + IIT + HST - CP/100 x interval) / IIP.
-- Rule: the identity holds on real pages to 0.02 percent of an engine, so NF is known to 0.02/100 x interval / IIP time.
-- A row counts where that error bound is at most 0.01 (zIIP of at least 2 percent of an engine) and no zAAP time is in it.
-- The factor is one for the whole sysplex page: the row of the smallest bound gives it, and 1 is taken for all that is 1
-- within the bound. NULL, and is_contradictory, if two rows contradict each other outside their bounds (systems with unlike factors, a
-- changed page), and if NF is below 1 (a zIIP is never slower than the general processors).
-- Source: RMF Report Analysis, APPL %; NF is 1 unless the general processors are sub-capacity models.
-- Shards: by interval_start (overlapping intervals only).
-- Columns:
--   recovered_factor: NF, or NULL
--   recovered_error: its error bound
--   is_contradictory: rows allow a factor, and none fits all of them
--   rows_used: rows that allow a factor
--   refs: the printed row that gave it
WITH identity AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at,
        [ref(source_id, page, line)] AS refs,
        (cpu_time_s + srb_time_s + rct_time_s + iit_time_s + hst_time_s - appl_cp_pct / 100 * interval_s)
            / nullif(iip_time_s, 0) AS factor,
        0.0002 * interval_s / nullif(iip_time_s, 0) AS error_bound
    FROM counted('rmf_workload_activity')
    WHERE coalesce(aap_time_s, 0) = 0
),
sound AS (
    SELECT * FROM scoped(identity) WHERE error_bound <= 0.01
),
best AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end,
        arg_min(factor, (error_bound, refs)) AS factor,
        min(error_bound) AS error_bound,
        count(*) AS rows_used,
        max(factor - error_bound) <= min(factor + error_bound) AS agrees,
        arg_min(refs, (error_bound, refs)) FILTER (factor IS NOT NULL) AS refs
    FROM sound
    GROUP BY sysplex, scope, report_kind, interval_start, interval_end
)
SELECT
    sysplex, scope, report_kind, interval_start, interval_end,
    CASE
        WHEN agrees AND factor - error_bound > 1 THEN factor
        WHEN agrees AND factor + error_bound >= 1 THEN 1
    END AS recovered_factor,
    error_bound AS recovered_error,
    NOT agrees OR factor + error_bound < 1 AS is_contradictory,
    rows_used,
    refs
FROM best
