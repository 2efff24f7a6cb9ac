-- Grain: one row per system, interval and processor type.
-- Formula: engines_busy = sum of LPAR BUSY x ONLINE over the logical processors, engines_online = sum of ONLINE; busy_pct =
-- engines_busy / engines_online. Never MVS BUSY, and never a plain mean of processors with different online times.
-- NULL: busy where a processor prints no LPAR BUSY (basic mode, an unreadable cell), both where one prints no ONLINE, or where
-- two prints of the same interval differ. A processor that print and XML give counts once, as printed. Printed totals are left out; a core
-- counts once, however many threads it runs.
-- LPAR BUSY is the time of cores. Where cores run several threads, the work is LPAR BUSY x CF, and the most work is ONLINE x MAX CF, both in
-- time of one thread, as SERVICE TIME is. With one thread, and where no page says how many there are, work and capacity are the same as time.
-- Source: RMF Report Analysis, CPU Activity.
-- Shards: by interval_start.
-- Columns:
--   processors: logical processors
--   engines_online: processors, weighted by the time that they were online
--   engines_busy: of these, engines dispatched on real ones
--   busy_pct [%]: busy of online
--   threads_per_core: as printed; NULL if it is not
--   engines_work: engines_busy x CF; NULL if a core runs several threads and CF is not printed, or printed with two values
--   engines_capacity: engines_online x MAX CF, likewise
WITH summed AS (
    SELECT
        system, report_kind, interval_start, interval_end,
        max(interval_s) AS interval_s,
        processor_type,
        count(*) AS processors,
        without_noise(sum_all(online_pct) / 100) AS engines_online,
        -- A processor that was never online was never busy, whatever is printed.
        without_noise(sum_all(CASE WHEN online_pct = 0 THEN 0 ELSE online_pct * lpar_busy_pct END) / 10000) AS engines_busy,
        flatten(list(refs ORDER BY processor_id, refs)) AS refs
    FROM once_rmf_cpu_activity
    WHERE NOT is_total AND thread = 0
    GROUP BY system, report_kind, interval_start, interval_end, processor_type
)
SELECT
    summed.system, summed.report_kind, summed.interval_start, summed.interval_end, summed.interval_s, summed.processor_type,
    summed.processors, summed.engines_online, summed.engines_busy,
    without_noise(summed.engines_busy / nullif(summed.engines_online, 0) * 100) AS busy_pct,
    cores.threads_per_core,
    CASE WHEN cores.threads_per_core > 1 THEN summed.engines_busy * cores.capacity_factor ELSE summed.engines_busy END AS engines_work,
    CASE WHEN cores.threads_per_core > 1 THEN summed.engines_online * cores.capacity_factor_max ELSE summed.engines_online END
        AS engines_capacity,
    summed.refs
FROM summed
LEFT JOIN once_rmf_multithreading AS cores
    ON cores.system = summed.system AND cores.report_kind = summed.report_kind
    AND cores.interval_start = summed.interval_start AND cores.interval_end = summed.interval_end
    AND cores.processor_type = summed.processor_type
