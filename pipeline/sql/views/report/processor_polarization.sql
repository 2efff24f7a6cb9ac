-- Grain: one row per system, interval, processor type and polarization (HIGH, MED, LOW; NULL without HiperDispatch).
-- Printed totals are left out; a core counts once, however many threads it runs.
-- Formulas: entitled_engines = sum of LOG PROC SHARE %: the share by weight. busy = LPAR BUSY × ONLINE, parked = PARKED × ONLINE, unparked =
-- ONLINE - parked. ready_engines = MVS BUSY × unparked: z/OS had work for them (MVS BUSY is of the time that a processor was not parked).
-- waiting_engines = ready - busy: work was ready and the logical processor was not dispatched on a physical one: other partitions,
-- or a cap, held them. Rounding can make it a little less than 0. Vertical low processors work on what other partitions leave.
-- NULL: of a processor without the printed value; ready and waiting where cores run two threads (MVS BUSY is then of threads).
-- Source: RMF Report Analysis, CPU Activity; PR/SM and HiperDispatch: z/OS MVS Planning: Workload Management.
-- Worked: MVS BUSY 80 and 40, LPAR BUSY 60 and 15, the second parked half the time: 0.8 + 0.5 × 0.4 = 1.0 ready, 0.75 busy, 0.25 waiting.
-- Shards: by interval_start.
-- Columns:
--   processors: logical processors
--   engines_online, engines_parked: weighted by time
--   busy_engines: see above
--   use_of_entitlement_pct [%]: busy of entitled; of LOW there is none
WITH core AS (
    SELECT
        *, bool_or(thread > 0) OVER (PARTITION BY system, report_kind, interval_start, interval_end, processor_type) AS is_threaded,
        online_pct / 100 AS online,
        -- A system without HiperDispatch parks none and prints none.
        CASE WHEN hiperdispatch = 'NO' THEN 0 ELSE parked_pct END AS parked_time_pct,
        online_pct * parked_time_pct / 10000 AS parked
    FROM once_rmf_cpu_activity
    WHERE NOT is_total
    QUALIFY thread = 0
)
SELECT
    system, report_kind, interval_start, interval_end,
    max(interval_s) AS interval_s,
    processor_type, polarization,
    count(*) AS processors,
    without_noise(sum_all(online)) AS engines_online,
    without_noise(sum_all(parked)) AS engines_parked,
    without_noise(sum_all(logical_share_pct) / 100) AS entitled_engines,
    without_noise(sum_all(CASE WHEN online = 0 THEN 0 ELSE online * lpar_busy_pct / 100 END)) AS busy_engines,
    CASE WHEN NOT bool_or(is_threaded)
            -- A processor that was offline or parked all the time had no work.
            THEN without_noise(sum_all(CASE WHEN online_pct = 0 OR parked_time_pct = 100 THEN 0 ELSE (online - parked) * mvs_busy_pct / 100 END))
        END AS ready_engines,
    without_noise(ready_engines - busy_engines) AS waiting_engines,
    100 * busy_engines / nullif(engines_online, 0) AS lpar_busy_pct,
    100 * ready_engines / nullif(engines_online - engines_parked, 0) AS mvs_busy_pct,
    100 * busy_engines / nullif(entitled_engines, 0) AS use_of_entitlement_pct,
    flatten(list(refs ORDER BY processor_id, refs)) AS refs
FROM core
GROUP BY system, report_kind, interval_start, interval_end, processor_type, polarization
