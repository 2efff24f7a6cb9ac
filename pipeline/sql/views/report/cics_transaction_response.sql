-- Grain: one row per CICS region, transaction and clock hour in which tasks ended, in local time; tasks whose end cannot be placed in an hour
-- are a row without one, per span of data.
-- Response times of single tasks off the lists of CICS PA, and where the time went. Summaries print no percentiles, and percentiles of hours or
-- lists do not average to those of all tasks.
-- Rule: a task counts in the hour that it ended in, with all of its time, which may begin hours before (tasks_begun_before). A task that several
-- lists print, of the same span or another, counts once; each value is the first printed. Tasks printed without their number cannot be told
-- apart: those of a span are taken from one file.
-- Formulas: a percentile is the nearest rank, a response time that was measured: at least that share of the tasks took no longer. Response is
-- dispatch and suspend. waiting_for_processor_ms = dispatch - processor time. Of suspend are first_dispatch_delay_ms (with that for MXT and the
-- class) and the waits by kind; other_wait_ms = suspend - these, as far as the lists print them. Each kind of wait has the wait for redispatch
-- in it, so dispatch_wait_ms is a part of the kinds and not beside them; rmi_ms is partly dispatch and partly suspend: add neither.
-- NULL: a percentile without a task above its rank (p50 of fewer than 2 tasks, p90 of 10, p95 of 20, p99 of 100); any value that one of the
-- tasks lacks; other_wait_ms where the parts exceed suspend by more than rounding; hour_start where the list has no end, or covers the time of
-- day on two days.
-- Source: CICS Transaction Server Performance Guide, transaction wait (suspend) times; CICS PA Report Reference, Performance List.
-- Worked: 95 tasks of 10 ms and 5 of 500 ms: mean 34.5 ms, p50, p90 and p95 10, p99 500. Suspend 8 ms, of which first dispatch 1, Db2 4 (with
-- 2 of redispatch), file control 2: other wait 1 ms, not -1.
-- Shards: no: a list of one day may print tasks of the next.
-- Columns:
--   hour_start: begin of the clock hour
--   begin_at, end_at: ends of the first and last of the tasks, so what part of the hour they fill; without an hour the span of data
--   tasks: that ended in the hour, as far as listed
--   tasks_begun_before: of these, before the hour began
--   response_ms [ms]: mean per task
--   response_p50_ms, response_p90_ms, response_p95_ms, response_p99_ms [ms]: see above
--   response_max_ms [ms]: of the slowest task
--   dispatch_ms, cpu_ms, suspend_ms, first_dispatch_delay_ms [ms]: means per task
--   db2_wait_ms, file_wait_ms, region_wait_ms, journal_wait_ms [ms]: of suspend, means per task
--   storage_wait_ms, queue_wait_ms, lock_wait_ms, enqueue_wait_ms [ms]: of suspend, means per task
--   dispatch_wait_ms [ms]: mean per task
--   rmi_ms [ms]: mean per task from call to return of resource managers, such as Db2
--   db2_requests_per_task: SQL requests
--   is_conflicting: a task was printed again with other times
WITH numbered AS (
    SELECT *, CAST(begin_at AS DATE) + try_cast(stopped_at_printed AS TIME) AS on_first_day
    FROM cics_monitoring_task
    QUALIFY task IS NOT NULL OR source_id = min(source_id) FILTER (task IS NULL) OVER (PARTITION BY applid, begin_at, end_at)
),
-- Spans are printed in whole seconds, ends of tasks in hundredths.
placed AS (
    SELECT
        * EXCLUDE (on_first_day, stop),
        CASE WHEN stop <= end_at + INTERVAL 1 SECOND AND stop + INTERVAL 1 DAY > end_at + INTERVAL 1 SECOND THEN stop END AS stopped_at
    FROM (
        SELECT
            *,
            CASE WHEN on_first_day < begin_at - INTERVAL 1 SECOND THEN on_first_day + INTERVAL 1 DAY ELSE on_first_day END AS stop
        FROM numbered
    )
),
once AS (
    SELECT
        applid, transaction, stopped_at, min(begin_at) AS begin_at, min(end_at) AS end_at,
        first_known(COLUMNS('^(response|dispatch|cpu|suspend|first_dispatch_delay|rmi|\w+_wait)_s$|^db2_requests$'), source_id, line),
        min(response_s) <> max(response_s) OR min(dispatch_s) <> max(dispatch_s) OR min(cpu_s) <> max(cpu_s) OR min(suspend_s) <> max(suspend_s)
            AS is_conflicting,
        all_refs(source_id, page, line) AS refs
    FROM placed
    GROUP BY
        applid, transaction, stopped_at, task,
        -- What else tells tasks apart: of one without a place its span and what is printed, of one without a number its line.
        CASE WHEN stopped_at IS NULL THEN struct_pack(begin_at := begin_at, end_at := end_at, stop := stopped_at_printed) END,
        CASE WHEN task IS NULL THEN struct_pack(source_id := source_id, line := line) END
),
hourly AS (
    SELECT
        applid, transaction, date_trunc('hour', stopped_at) AS hour_start, count(*) AS tasks,
        sum_all(CAST(stopped_at - to_microseconds(CAST(1000000 * response_s AS BIGINT)) < date_trunc('hour', stopped_at) AS BIGINT))
            AS tasks_begun_before,
        coalesce(min(stopped_at), min(begin_at)) AS begin_at, coalesce(max(stopped_at), min(end_at)) AS end_at,
        CASE WHEN count(response_s) = count(*) THEN quantile_disc(response_s, [0.5, 0.9, 0.95, 0.99, 1]) END AS rank_s,
        1000 * mean_all(COLUMNS('^(\w+)_s$'), 1) AS '\1_ms',
        mean_all(db2_requests, 1) AS db2_requests_per_task,
        coalesce(bool_or(is_conflicting), FALSE) AS is_conflicting,
        flatten(list(refs ORDER BY refs)) AS refs
    FROM once
    GROUP BY applid, transaction, date_trunc('hour', stopped_at), CASE WHEN stopped_at IS NULL THEN struct_pack(b := begin_at, e := end_at) END
),
explained AS (
    SELECT
        *,
        suspend_ms - coalesce(first_dispatch_delay_ms, 0) - coalesce(db2_wait_ms, 0) - coalesce(file_wait_ms, 0) - coalesce(region_wait_ms, 0)
        - coalesce(journal_wait_ms, 0) - coalesce(storage_wait_ms, 0) - coalesce(queue_wait_ms, 0) - coalesce(lock_wait_ms, 0)
        - coalesce(enqueue_wait_ms, 0) AS other_ms
    FROM hourly
)
SELECT
    applid, transaction, hour_start, begin_at, end_at, tasks, tasks_begun_before, response_ms,
    CASE WHEN tasks >= 2 THEN 1000 * rank_s[1] END AS response_p50_ms,
    CASE WHEN tasks >= 10 THEN 1000 * rank_s[2] END AS response_p90_ms,
    CASE WHEN tasks >= 20 THEN 1000 * rank_s[3] END AS response_p95_ms,
    CASE WHEN tasks >= 100 THEN 1000 * rank_s[4] END AS response_p99_ms,
    1000 * rank_s[5] AS response_max_ms,
    dispatch_ms, cpu_ms, at_least_zero(dispatch_ms - cpu_ms) AS waiting_for_processor_ms, suspend_ms, first_dispatch_delay_ms,
    db2_wait_ms, file_wait_ms, region_wait_ms, journal_wait_ms, storage_wait_ms, queue_wait_ms, lock_wait_ms, enqueue_wait_ms,
    -- Times are printed in tenths of a millisecond, ten of them here.
    CASE WHEN other_ms >= -0.5 THEN at_least_zero(other_ms) END AS other_wait_ms,
    dispatch_wait_ms, rmi_ms, db2_requests_per_task, is_conflicting, refs
FROM explained
