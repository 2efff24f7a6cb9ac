-- Grain: one row per class period, interval and system with a performance index, with the row of all systems together (is_total) beside them.
-- Do not add the rows of one period: take the total, or the systems.
-- The largest execution delays, which keep a period from its goal, beside its index. RMF samples the state of the work:
-- using a resource, delayed, or neither (idle, unknown). Percentages are of all samples; delay_1_share_pct is of the execution delays.
-- Delays by reason (CPU, I/O, CAP: capped by a resource group or a group limit, swap-in, storage …) are those printed below EXEC DELAYS %
-- or EXECUTION DELAYS %; RMF prints the largest. Their total is printed, and so is the time on processors and I/O (EXEC USING%).
-- MVS/ESA prints USING CPU %, also of all samples, and OTHR, the rest of 100%. Its velocity does not count OTHR as a delay: unknown here.
-- MVS/ESA does not count I/O.
-- NULL: delays where the page prints none. A reason of 0% is no reason.
-- Source: RMF Report Analysis, Workload Activity, "Goals and actuals"; delays of a velocity goal: velocity = using / (using + delay).
-- Worked: MVS/ESA USING CPU 11.2, TOTAL 42.9, OTHR 45.9: velocity 11.2 / 54.1 = 20.7%, as printed. CPU 2.0, I/O 0.9, CAP 0.7 of a total of 3.6: CPU is 55.6% of the delays.
-- Shards: by interval_start.
-- Columns:
--   performance_index: as printed, otherwise as computed
--   is_missed: the index is above 1
--   using_cpu_pct, using_ziip_pct, using_io_pct [%]: of all samples
--   delays_pct [%]: TOT or TOTAL of the execution delays
--   delay_1_reason, delay_2_reason, delay_3_reason: the largest, as titled
--   delay_1_pct, delay_2_pct, delay_3_pct [%]: of all samples
--   delay_1_share_pct [%]: of delays_pct
--   idle_pct, unknown_pct [%]: of all samples: neither using nor delayed
WITH printed AS (
    SELECT
        struct_pack(of_period := period_key(d), system := d.system) AS delay_key,
        d.delay_group, d.reason, d.pct, d.source_id, d.page, d.line, d.is_conflicting,
        coalesce(regexp_matches(d.delay_group, '^EXEC(UTION)? DELAYS'), FALSE) AS is_delay,
        d.reason IN ('TOT', 'TOTAL') AS is_all,
        coalesce(starts_with(d.delay_group, 'EXEC USING'), FALSE) AS is_using
    FROM once_rmf_workload_delay AS d
),
of_period AS (
    SELECT
        delay_key,
        list(struct_pack(reason := reason, pct := pct) ORDER BY pct DESC, delay_group, reason)
            FILTER (is_delay AND NOT is_all AND pct > 0) AS delays,
        max(pct) FILTER (is_delay AND is_all) AS delays_pct,
        max(pct) FILTER ((is_using AND reason = 'CPU') OR reason = 'USING CPU %') AS using_cpu_pct,
        max(pct) FILTER (is_using AND reason = 'IIP') AS using_ziip_pct,
        max(pct) FILTER (is_using AND reason = 'I/O') AS using_io_pct,
        max(pct) FILTER (reason IN ('IDL', 'IDLE')) AS idle_pct,
        max(pct) FILTER (reason IN ('UNK', 'UNKNOWN', 'OTHR')) AS unknown_pct,
        bool_or(is_conflicting) AS is_conflicting,
        list(DISTINCT ref(source_id, page, line)) AS printed_at
    FROM printed
    GROUP BY delay_key
)
SELECT
    p.sysplex, p.scope, p.report_kind, p.interval_start, p.interval_end, p.policy_activated_at,
    p.class_kind, p.policy, p.workload, p.service_class, p.report_class, p.period, p.system, p.is_total,
    p.importance, p.goal_type,
    coalesce(p.performance_index, p.performance_index_computed) AS performance_index,
    coalesce(p.performance_index, p.performance_index_computed) > 1 AS is_missed,
    p.velocity_pct, d.using_cpu_pct, d.using_ziip_pct, d.using_io_pct, d.delays_pct,
    d.delays[1].reason AS delay_1_reason, d.delays[2].reason AS delay_2_reason, d.delays[3].reason AS delay_3_reason,
    d.delays[1].pct AS delay_1_pct, d.delays[2].pct AS delay_2_pct, d.delays[3].pct AS delay_3_pct,
    100 * d.delays[1].pct / nullif(d.delays_pct, 0) AS delay_1_share_pct,
    d.idle_pct, d.unknown_pct,
    p.is_conflicting OR coalesce(d.is_conflicting, FALSE) AS is_conflicting,
    list_sort(list_distinct(list_concat(p.refs, coalesce(d.printed_at, [])))) AS refs
FROM performance_index AS p
LEFT JOIN of_period AS d ON d.delay_key = struct_pack(of_period := period_key(p), system := p.system)
WHERE coalesce(p.performance_index, p.performance_index_computed) IS NOT NULL
