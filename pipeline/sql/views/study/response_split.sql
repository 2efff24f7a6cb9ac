-- Grain: one row per study, configuration, run and transaction of the run's monitoring figures, and one for all of them (is_total).
-- Formula: means per task, those of several transactions weighted by their tasks. Shares are of the response time.
-- NULL: if a transaction with tasks has no figure, and if there were no tasks.
-- Source: CICS monitoring, dispatch time and suspend time; the CSV file that the study names.
-- Worked: 100 tasks of 2 ms and 300 of 4 ms are 400 of 3.5 ms; 1.4 ms of dispatch are 40% of it.
-- Columns:
--   transaction: as the file names it; NULL on totals
--   dispatch_pct, suspend_pct [%]: of the response time
--   other_ms [ms]: response_ms - dispatch_ms - suspend_ms
--   monitored_span_s [s]: the time that the figures cover
--   is_other_span: run_time_s differs from the covered time by more than 2 percent
WITH summed AS (
    SELECT
        study, configuration, run, transaction, grouping(transaction) = 1 AS is_total,
        sum_all(tasks) AS tasks,
        mean_where_any(COLUMNS(['response_ms', 'dispatch_ms', 'suspend_ms', 'cpu_ms']), tasks),
        one_value(span_s) AS monitored_span_s,
        all_refs(source_id, page, line) AS refs
    FROM study_monitoring
    GROUP BY GROUPING SETS ((study, configuration, run, transaction), (study, configuration, run))
)
SELECT
    split.study, split.configuration, split.run, split.transaction, split.is_total, split.tasks,
    split.response_ms, split.dispatch_ms, split.suspend_ms, split.cpu_ms,
    split.dispatch_ms / nullif(split.response_ms, 0) * 100 AS dispatch_pct,
    split.suspend_ms / nullif(split.response_ms, 0) * 100 AS suspend_pct,
    split.response_ms - split.dispatch_ms - split.suspend_ms AS other_ms,
    split.monitored_span_s,
    abs(split.monitored_span_s / nullif(of_run.covered_s, 0) - 1) > 0.02 AS is_other_span,
    split.refs
FROM summed AS split
LEFT JOIN run_requests AS of_run USING (study, configuration, run)
