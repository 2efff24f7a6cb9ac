-- Grain: one row per system and interval that prints an analysis part of CPU Activity.
-- What waited for processors: two runs at like load have like numbers here. What is above N waited: N is the number of processors
-- online and not parked, and a work unit takes one.
-- Formula: waiting_samples_pct = 100 - share of the samples with up to N work units (the bucket <=N).
-- NULL: what the interval does not print, or where two prints of it differ. Print counts where the lake has XML of an interval as well.
-- Source: RMF Report Analysis, CPU Activity: System Address Space and Work Unit Analysis, Blocked Workload Analysis.
-- Shards: by interval_start.
-- Columns:
--   work_units_cp_avg, work_units_iip_avg: work units that run or are ready, on general processors and on zIIPs
--   blocked_waiters_avg, blocked_waiters_peak: blocked work that waited for a promotion
--   promotes_used_pct [%]: promotions of blocked work, of those that BLWLTRPCT allows
WITH spaces AS (
    SELECT
        system, report_kind, interval_start, interval_end,
        one_value(in_ready_avg) AS in_ready_avg, one_value(in_ready_max) AS in_ready_max, one_value(in_avg) AS in_avg,
        one_value(batch_avg) AS batch_avg, one_value(stc_avg) AS stc_avg, one_value(tso_avg) AS tso_avg,
        one_value(omvs_avg) AS omvs_avg,
        all_refs(source_id, page, line) AS refs
    FROM rmf_address_space_count AS printed
    ANTI JOIN print_and_xml AS left_out ON is_left_out(left_out, printed, 'rmf_cpu_activity')
    GROUP BY system, report_kind, interval_start, interval_end
),
queue AS (
    SELECT
        system, report_kind, interval_start, interval_end,
        100 - one_value(samples_pct) AS waiting_samples_pct,
        all_refs(source_id, page, line) AS refs
    FROM rmf_work_unit_queue AS printed
    ANTI JOIN print_and_xml AS left_out ON is_left_out(left_out, printed, 'rmf_cpu_activity')
    WHERE relation = '<=' AND above_n = 0
    GROUP BY system, report_kind, interval_start, interval_end
),
units_of_type AS (
    SELECT
        system, report_kind, interval_start, interval_end, processor_type,
        one_value(work_units_avg) AS work_units_avg,
        known_value(processors_unparked_avg) AS processors_unparked_avg,
        all_refs(source_id, page, line) AS refs
    FROM rmf_work_unit AS printed
    ANTI JOIN print_and_xml AS left_out ON is_left_out(left_out, printed, 'rmf_cpu_activity')
    GROUP BY system, report_kind, interval_start, interval_end, processor_type
),
units AS (
    SELECT
        system, report_kind, interval_start, interval_end,
        max(work_units_avg) FILTER (processor_type = 'CP') AS work_units_cp_avg,
        max(work_units_avg) FILTER (processor_type = 'IIP') AS work_units_iip_avg,
        known_value(processors_unparked_avg) AS processors_unparked_avg,
        flatten(list(refs ORDER BY processor_type, refs)) AS refs
    FROM units_of_type
    GROUP BY system, report_kind, interval_start, interval_end
),
blocked AS (
    SELECT
        system, report_kind, interval_start, interval_end,
        one_value(waiters_avg) AS blocked_waiters_avg, one_value(waiters_peak) AS blocked_waiters_peak,
        one_value(promotes_used_pct) AS promotes_used_pct,
        all_refs(source_id, page, line) AS refs
    FROM rmf_blocked_workload AS printed
    ANTI JOIN print_and_xml AS left_out ON is_left_out(left_out, printed, 'rmf_cpu_activity')
    GROUP BY system, report_kind, interval_start, interval_end
),
every AS (
    SELECT system, report_kind, interval_start, interval_end FROM spaces
    UNION
    SELECT system, report_kind, interval_start, interval_end FROM queue
    UNION
    SELECT system, report_kind, interval_start, interval_end FROM units
    UNION
    SELECT system, report_kind, interval_start, interval_end FROM blocked
)
SELECT
    every.system, every.report_kind, every.interval_start, every.interval_end,
    spaces.in_ready_avg, spaces.in_ready_max, spaces.in_avg,
    spaces.batch_avg, spaces.stc_avg, spaces.tso_avg, spaces.omvs_avg,
    units.work_units_cp_avg, units.work_units_iip_avg, units.processors_unparked_avg,
    queue.waiting_samples_pct,
    blocked.blocked_waiters_avg, blocked.blocked_waiters_peak, blocked.promotes_used_pct,
    list_concat(spaces.refs, queue.refs, units.refs, blocked.refs) AS refs
FROM every
LEFT JOIN spaces ON system_interval_key(spaces) = system_interval_key(every)
LEFT JOIN queue ON system_interval_key(queue) = system_interval_key(every)
LEFT JOIN units ON system_interval_key(units) = system_interval_key(every)
LEFT JOIN blocked ON system_interval_key(blocked) = system_interval_key(every)
