-- Grain: one row per system, interval and processor type: the ready work beside the dispatched work.
-- Formula: waiting_pct = waiting_engines / ready_engines: the share of the work for logical processors of z/OS that was not on a physical one
-- (MVS BUSY above LPAR BUSY). Other partitions or a cap held it.
-- NULL: a sum with an unknown part; ready and waiting where cores run two threads.
-- Source: as processor_polarization.
-- Worked: 1.0 ready and 0.75 busy: 0.25 waiting, 25%.
-- Shards: by interval_start.
-- Columns:
--   low_busy_engines: busy of the vertical low processors, which work on what other partitions leave; NULL where a processor has no polarization
WITH summed AS (
    SELECT
        system, report_kind, interval_start, interval_end, max(interval_s) AS interval_s, processor_type,
        without_noise(sum_all(COLUMNS(['engines_online', 'engines_parked', 'entitled_engines', 'busy_engines', 'ready_engines']))),
        CASE WHEN count(polarization) = count(*) THEN sum_or_zero(busy_engines, polarization = 'LOW') END AS low_busy_engines,
        flatten(list(refs ORDER BY polarization, refs)) AS refs
    FROM processor_polarization
    GROUP BY system, report_kind, interval_start, interval_end, processor_type
)
SELECT
    system, report_kind, interval_start, interval_end, interval_s, processor_type,
    engines_online, engines_parked, entitled_engines, busy_engines, ready_engines,
    without_noise(ready_engines - busy_engines) AS waiting_engines,
    low_busy_engines,
    100 * (ready_engines - busy_engines) / nullif(ready_engines, 0) AS waiting_pct,
    refs
FROM summed
