-- Grain: one row per system, channel subsystem, channel path and interval.
-- Rows printed twice count once (the smallest source_id and line).
-- Formulas: other_partitions_busy_pct = busy_pct - partition_busy_pct, not below 0: the two are measured at different times. zhpf_pct and
-- deferred_pct are shares of FICON and zHPF operations together.
-- A channel path is printed by each system of the machine: busy_pct, rates and operations are of the machine, and do not add over systems.
-- NULL: if a part is not printed, or nothing is to be divided.
-- Source: RMF Report Analysis, Channel Path Activity.
-- Worked: 22.18% busy, 4.61% of it by the partition: 17.57% by others; 2,210.9 of 3,415.5 operations/s are zHPF: 64.73%.
-- Shards: by interval_start.
-- Columns:
--   kind: ficon, coupling (to a coupling facility), osa, hipersockets or other, by the type
--   operations_per_s [1/s]: FICON and zHPF
--   zhpf_pct, deferred_pct [%]: see above
--   active_avg: operations at the same time
--   is_conflicting: the row was printed again with other values, or a system of another sysplex has its name: pages name no sysplex
SELECT
    sysplex, system, channel_subsystem, channel_path_id, report_kind, interval_start, interval_end, interval_s,
    channel_path_type, speed,
    CASE
        WHEN channel_path_type LIKE 'FC%' THEN 'ficon'
        WHEN regexp_matches(channel_path_type, '^(CFP|CFS|CFR|CBP|CBS|CBR|CIB|CS5|CL5|CL6|ICP|ICS|ICR)$') THEN 'coupling'
        WHEN channel_path_type LIKE 'OS_' THEN 'osa'
        WHEN channel_path_type LIKE 'IQ%' THEN 'hipersockets'
        WHEN channel_path_type IS NOT NULL THEN 'other'
    END AS kind,
    busy_pct, partition_busy_pct,
    CASE WHEN busy_pct < partition_busy_pct THEN 0 ELSE busy_pct - partition_busy_pct END AS other_partitions_busy_pct,
    bus_busy_pct, read_mb_per_s, write_mb_per_s,
    ficon_per_s + zhpf_per_s AS operations_per_s,
    100 * zhpf_per_s / nullif(ficon_per_s + zhpf_per_s, 0) AS zhpf_pct,
    100 * (ficon_deferred_per_s + zhpf_deferred_per_s) / nullif(ficon_per_s + zhpf_per_s, 0) AS deferred_pct,
    ficon_active_avg + zhpf_active_avg AS active_avg,
    is_conflicting, refs
FROM once_rmf_channel_path
