-- Grain: one row per Db2 member, interval and latch class, of one report_kind (report, trace) and scope.
-- Block LATCH CNT. Rows printed twice count once.
-- Take one scope and one report_kind before adding.
-- The page prints rates alone. Formulas: suspensions = suspensions_per_s × interval_elapsed_s; per commit by the commits of
-- db2_thread_activity. A rate is printed to 0.01: 0 is less than 0.005 per second.
-- Source: OMEGAMON for Db2 PE Report Reference, Statistics, "Latch Counters": suspensions of agents; an agent may be suspended several
-- times for one latch, so they are not the waits of accounting class 3.
-- Worked: 12.24 per second in 900 s with 18,360 commits are 0.6 per commit.
-- Shards: by begin_at.
-- Columns:
--   latch_class: LC01 to LC32, LC254
--   suspensions_per_s [1/s]: as printed; NULL if printed as N/A
--   suspensions_per_commit: see above; NULL without commits
SELECT
    s.location, s.db2_group, s.member, s.subsystem, s.report_kind, s.scope, s.begin_at, s.end_at, s.interval_elapsed_s,
    s.label AS latch_class,
    s.per_second AS suspensions_per_s,
    s.per_second * s.interval_elapsed_s AS suspensions,
    t.commits,
    s.per_second * s.interval_elapsed_s / nullif(t.commits, 0) AS suspensions_per_commit,
    s.is_conflicting, s.refs
FROM stg_db2_statistics_counter AS s
JOIN db2_thread_activity AS t ON db2_interval_key(t) = db2_interval_key(s)
WHERE s.block = 'LATCH CNT' AND s.occurrence = 1
