-- Grain: one row per class and interval of interval reports; intervals that overlap another of their scope and kind are left out.
-- Rows of one class_kind and scope may be added over classes and over time. Classes that print no processor time (of transactions alone)
-- are not in it. A class missing from an interval used nothing there if the interval is complete, otherwise it is unknown (workload_interval).
-- Source: RMF Report Analysis, Workload Activity, APPL %.
-- Two hours with the same local time count separately where their offsets are known.
-- Repeated hours: by midpoint.
-- Shards: by midpoint.
SELECT
    class.sysplex, class.scope, class.class_kind,
    name_of_class(class.class_kind, class.policy, class.workload, class.service_class, class.report_class) AS class_name,
    class.interval_start, class.interval_end, class.interval_s, interval.midpoint,
    class.transactions_ended, class.cpu_pct, class.cp_pct,
    class.gp_msu, class.gp_msu_service, class.msu_basis, interval.utc_offset_minutes, interval.is_whole, class.is_conflicting, class.refs
FROM cpu_by_class AS class
JOIN workload_interval AS interval
    ON policy_interval_key(interval) = policy_interval_key(class) AND interval.class_kind = class.class_kind
WHERE class.report_kind = 'interval' AND NOT interval.is_overlapping AND class.cpu_source IS NOT NULL
