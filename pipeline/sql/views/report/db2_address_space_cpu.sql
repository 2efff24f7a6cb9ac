-- Grain: one row per Db2 member, interval and address space, of one report_kind (report, trace) and scope.
-- Block CPU TIMES, whose TOTAL is left out. Rows printed twice count once.
-- Take one scope and one report_kind before adding.
-- Formulas: cp_s = CP CPU TIME, otherwise TCB + preemptable SRB + nonpreemptable SRB. cpu_s = cp_s + ziip_s. Per commit: by the
-- commits of db2_thread_activity. ziip_share_pct = ziip_s / cpu_s.
-- enclave_cpu_s = preemptable SRB + zIIP time of DDF: distributed threads run there, in enclaves, and accounting has their time, too.
-- own_cpu_s = cpu_s of the other address spaces, and of DDF TCB + nonpreemptable SRB (otherwise CP CPU TIME - preemptable SRB): add this one to the
-- time of accounting. Time on zIIPs is as printed; N/A of IRLM, which does not use them, is none in own_cpu_s.
-- Documented: a distributed request runs under a preemptable SRB, an enclave SRB (Report Reference); the preemptable SRB time of an address
-- space is that of all SRBs that have it as home (statistics record, QWSASRBT); RMF has the time of an enclave in the class of the enclave, not
-- of DDF (z/OS MVS Workload Management Services, enclave resource accounting). No document says how much of this time is charged to no thread,
-- such as that of threads that wait in the pool.
-- Source: OMEGAMON for Db2 PE Report Reference, Statistics, "CPU Times".
-- Worked: as published, 1.135886 s of DDF in 33 commits are 34.421 ms per commit; 1.122965 s of it are preemptable SRBs: 0.012922 s its own.
-- Shards: by begin_at.
-- Columns:
--   address_space: MSTR (system services), DBM1 (database services), IRLM or DDF
--   tcb_s, preemptable_srb_s, nonpreemptable_srb_s, ziip_s [s]: see above
--   own_cpu_s, enclave_cpu_s [s]: see above; enclave_cpu_s of DDF alone
--   engines: cpu_s / interval_elapsed_s
--   cp_ms_per_commit, ziip_ms_per_commit, cpu_ms_per_commit [ms]: see above; NULL without commits
--   cp_ms_per_commit_printed [ms]: CP CPU /COMMIT, as printed
--   caution: printed and computed time per commit, where they differ by more than their digits: a microsecond, and 50 commits where those of
--     HIGHLIGHTS are in thousands; the time, or the commits, are not those of the page's own division
--   null_reason: why cpu_ms_per_commit is NULL: time on general processors not printed, time on zIIPs not printed, commits not printed
--     or no commits
WITH found AS (
    SELECT
        db2_interval_key(s) AS of_interval, interval_elapsed_s,
        CASE
            WHEN label LIKE 'SYSTEMS%' THEN 'MSTR'
            WHEN label LIKE 'DATABASES%' THEN 'DBM1'
            WHEN label LIKE 'IRLM%' THEN 'IRLM'
            WHEN label LIKE 'DDF%' THEN 'DDF'
        END AS address_space,
        tcb_time_s AS tcb_s, preemptable_srb_time_s AS preemptable_srb_s, nonpreemptable_srb_time_s AS nonpreemptable_srb_s,
        coalesce(cp_cpu_time_s, tcb_time_s + preemptable_srb_time_s + nonpreemptable_srb_time_s) AS cp_s,
        preemptable_iip_srb_time_s AS ziip_s,
        1000 * per_commit AS cp_ms_per_commit_printed, is_conflicting, refs
    FROM stg_db2_statistics_counter AS s
    WHERE block = 'CPU TIMES' AND occurrence = 1
)
SELECT
    of_interval.*, found.interval_elapsed_s, found.address_space,
    found.tcb_s, found.preemptable_srb_s, found.nonpreemptable_srb_s, found.cp_s, found.ziip_s,
    without_noise(found.cp_s + found.ziip_s) AS cpu_s,
    without_noise(CASE found.address_space
        WHEN 'DDF' THEN coalesce(found.tcb_s + found.nonpreemptable_srb_s, found.cp_s - found.preemptable_srb_s)
        WHEN 'IRLM' THEN found.cp_s + coalesce(found.ziip_s, 0)
        ELSE found.cp_s + found.ziip_s
    END) AS own_cpu_s,
    CASE WHEN found.address_space = 'DDF' THEN without_noise(found.preemptable_srb_s + found.ziip_s) END AS enclave_cpu_s,
    (found.cp_s + found.ziip_s) / nullif(found.interval_elapsed_s, 0) AS engines,
    100 * found.ziip_s / nullif(found.cp_s + found.ziip_s, 0) AS ziip_share_pct,
    t.commits, t.commits_source,
    1000 * found.cp_s / nullif(t.commits, 0) AS cp_ms_per_commit,
    1000 * found.ziip_s / nullif(t.commits, 0) AS ziip_ms_per_commit,
    1000 * (found.cp_s + found.ziip_s) / nullif(t.commits, 0) AS cpu_ms_per_commit,
    found.cp_ms_per_commit_printed,
    CASE WHEN abs(1000 * found.cp_s / nullif(t.commits, 0) - found.cp_ms_per_commit_printed) > 1.001 * (
        0.001 + CASE WHEN t.commits_source = 'highlights' AND t.commits >= 1000
            THEN found.cp_ms_per_commit_printed * 50 / t.commits ELSE 0 END
    )
        THEN printf(
            'printed per commit: %.6f s; the time by the commits: %.6f s',
            found.cp_ms_per_commit_printed / 1000, found.cp_s / t.commits
        ) END AS caution,
    CASE
        WHEN found.cp_s IS NULL THEN 'time on general processors not printed'
        WHEN found.ziip_s IS NULL THEN 'time on zIIPs not printed'
        WHEN t.commits IS NULL THEN 'commits not printed'
        WHEN t.commits = 0 THEN 'no commits'
    END AS null_reason,
    found.is_conflicting OR t.is_conflicting AS is_conflicting,
    found.refs
FROM found
JOIN db2_thread_activity AS t ON db2_interval_key(t) = found.of_interval
WHERE found.address_space IS NOT NULL
