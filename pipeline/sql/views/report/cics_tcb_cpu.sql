-- Grain: one row per CICS region, TCB mode and collection that ended a statistics interval.
-- Rows may be added over collections: interval, requested_reset, unsolicited and end_of_day set the counts to zero.
-- Left out: requested collections and summaries, which repeat figures of other collections, and totals. Rows printed twice count once (the
-- smallest source_id and line).
-- Formulas: engines = cpu_time_s / interval_s. busy_pct = 100 × dispatch_time_s / (dispatch_time_s + wait_time_s): of the time of the mode's
-- TCBs. QR is one TCB, so its busy_pct is how close the region is to its limit. waiting_for_processor_s = dispatch - processor time: the TCB
-- was dispatched and had no processor (z/OS ran other work, or the TCB waited for a page).
-- Source: CICS Transaction Server, "TCB statistics": TCB time is that in MVS wait and dispatched.
-- Worked: 60 s on a processor and 80 s dispatched of 300 s are 0.2 engines, 26.67% busy, and 20 s of waiting for a processor.
-- Shards: by collected_at.
-- Columns:
--   cpu_of_dispatch_pct [%]: cpu_time_s / dispatch_time_s
SELECT
    applid, tcb_mode, collection, collected_at, interval_s, waits,
    wait_time_s, dispatch_time_s, cpu_time_s, dispatcher_cpu_time_s,
    at_least_zero(dispatch_time_s - cpu_time_s) AS waiting_for_processor_s,
    cpu_time_s / nullif(interval_s, 0) AS engines,
    100 * dispatch_time_s / nullif(dispatch_time_s + wait_time_s, 0) AS busy_pct,
    100 * cpu_time_s / nullif(dispatch_time_s, 0) AS cpu_of_dispatch_pct,
    is_conflicting, refs
FROM once_cics_tcb_time
WHERE is_total IS NOT TRUE AND collection IN ('interval', 'requested_reset', 'unsolicited', 'end_of_day')
