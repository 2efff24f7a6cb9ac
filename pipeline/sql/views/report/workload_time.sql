-- Grain: one row per interval of workload pages and class kind that does not overlap another: the time behind hours, peaks and percentiles. The
-- processor time of all work is in the row of the class kind that it is added up from.
-- Two hours with the same local time count separately where their offsets are known.
-- NULL: processor time and rates in the rows of other kinds, and as in interval_processor_time.
-- Source: as workload_interval and interval_processor_time.
-- Repeated hours: by midpoint.
-- Shards: by midpoint.
-- Columns:
--   is_of_all: the row has the processor time of all work
--   is_ambiguous: it was printed again with other values, or read with two offsets
SELECT
    interval.sysplex, interval.scope, interval.class_kind, interval.interval_start, interval.interval_end, interval.interval_s, interval.midpoint,
    interval.is_whole, interval.utc_offset_minutes,
    time.interval_s IS NOT NULL AS is_of_all,
    interval.utc_offsets > 1 OR coalesce(time.is_conflicting, FALSE) AS is_ambiguous,
    time.cp_pct, time.msu_per_cp, time.su_per_s, time.msu_basis, coalesce(time.refs, interval.refs) AS refs
FROM workload_interval AS interval
LEFT JOIN interval_processor_time AS time
    ON policy_interval_key(interval) = policy_interval_key(time) AND interval.class_kind = time.class_kind
WHERE interval.report_kind = 'interval' AND NOT interval.is_overlapping
