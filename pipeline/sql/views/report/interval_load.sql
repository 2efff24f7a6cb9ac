-- Grain: one row per system and interval that prints an analysis part of CPU Activity.
-- Work that waited for processors: two runs at like load have like numbers here. Work units above N waited: N is the number of processors
-- online and not parked, and a work unit takes one.
-- Formula: waiting_samples_pct = 100 - share of the samples with up to N work units (the bucket <=N).
-- NULL: a value that the interval does not print, or that two prints give differently. Print counts where the lake has XML of an interval as well.
-- Source: RMF Report Analysis, CPU Activity: System Address Space and Work Unit Analysis, Blocked Workload Analysis.
-- Shards: by interval_start.
-- Columns:
--   work_units_cp_avg, work_units_iip_avg: work units that run or are ready, on general processors and on zIIPs
--   blocked_waiters_avg, blocked_waiters_peak: blocked work that waited for a promotion
--   promotes_used_pct [%]: promotions of blocked work, of those that BLWLTRPCT allows
WITH units AS (
    SELECT
        system, report_kind, interval_start, interval_end,
        max(work_units_avg) FILTER (processor_type = 'CP') AS work_units_cp_avg,
        max(work_units_avg) FILTER (processor_type = 'IIP') AS work_units_iip_avg,
        known_value(processors_unparked_avg) AS processors_unparked_avg,
        flatten(list(refs ORDER BY processor_type, refs)) AS refs
    FROM once_rmf_work_unit
    GROUP BY system, report_kind, interval_start, interval_end
),
queue AS (
    SELECT * FROM once_rmf_work_unit_queue WHERE relation = '<=' AND above_n = 0
),
every AS (
    SELECT system, report_kind, interval_start, interval_end FROM once_rmf_address_space_count
    UNION
    SELECT system, report_kind, interval_start, interval_end FROM queue
    UNION
    SELECT system, report_kind, interval_start, interval_end FROM units
    UNION
    SELECT system, report_kind, interval_start, interval_end FROM once_rmf_blocked_workload
)
SELECT
    every.system, every.report_kind, every.interval_start, every.interval_end,
    spaces.in_ready_avg, spaces.in_ready_max, spaces.in_avg,
    spaces.batch_avg, spaces.stc_avg, spaces.tso_avg, spaces.omvs_avg,
    units.work_units_cp_avg, units.work_units_iip_avg, units.processors_unparked_avg,
    100 - queue.samples_pct AS waiting_samples_pct,
    blocked.waiters_avg AS blocked_waiters_avg, blocked.waiters_peak AS blocked_waiters_peak, blocked.promotes_used_pct,
    list_concat(spaces.refs, queue.refs, units.refs, blocked.refs) AS refs
FROM every
LEFT JOIN once_rmf_address_space_count AS spaces ON system_interval_key(spaces) = system_interval_key(every)
LEFT JOIN queue ON system_interval_key(queue) = system_interval_key(every)
LEFT JOIN units ON system_interval_key(units) = system_interval_key(every)
LEFT JOIN once_rmf_blocked_workload AS blocked ON system_interval_key(blocked) = system_interval_key(every)
