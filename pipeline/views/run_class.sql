-- Grain: one row a study, configuration, run and class, and one for all classes of a kind together (is_total).
-- Inputs: run_selection, cpu_by_class.
-- Reads: only what lies in the windows of studies.
-- Formula: processor time over all selected intervals, over their time; of several scopes (systems that report apart) the percentages
-- add. Percentages are sums of processor time over covered time, never means. Rows of different class_kind describe the same work.
-- NULL: where a class is printed in some of a scope's intervals only, and where a cell that is a part of it is not known. Of a kind:
-- where any of its classes that print processor time has one that is not known.
-- Source: RMF Report Analysis, Workload Activity.
-- Columns:
--   study, configuration, run: the step
--   class_kind, class_name: service_class, report_class, workload or policy, and its name; no name on totals
--   is_total: all classes of the kind
--   classes: how many of them print processor time; of unlike intervals the most
--   is_complete: every selected interval prints it, of a scope that prints it at all; a kind in every scope
--   covered_s [s]: time of the selected intervals; of several scopes the longest
--   cpu_pct [% of one engine]: CP + IIP (+ AAP), zIIP time as it is
--   cpu_normalized_pct [% of one general processor]: CP + NF x (IIP + AAP)
--   ziip_pct, ziip_on_cp_pct, non_ziip_eligible_pct [% of one engine]: IIP, IIPCP, CP - IIPCP - AAPCP
--   transactions_ended: in all intervals; NULL on totals, for several classes may count the same request
--   transactions_per_s [1/s]: the same by time
--   response_ms [ms]: mean response time, by ended transactions
--   refs: the printed rows of the class; empty on totals, whose rows are those of their classes
WITH chosen AS MATERIALIZED (
    SELECT * FROM run_selection
),
scope_time AS (
    SELECT study, configuration, run, coalesce(scope, '') AS scope, count(*) AS intervals, sum(interval_s) AS covered_s
    FROM chosen
    GROUP BY study, configuration, run, coalesce(scope, '')
),
in_run AS MATERIALIZED (
    SELECT
        selected.study, selected.configuration, selected.run, coalesce(selected.scope, '') AS scope,
        selected.interval_start, selected.interval_s, scope_time.intervals, scope_time.covered_s,
        class.class_kind,
        CASE class.class_kind
            WHEN 'service_class' THEN class.service_class WHEN 'report_class' THEN class.report_class
            WHEN 'workload' THEN class.workload WHEN 'policy' THEN class.policy
        END AS class_name,
        class.cpu_pct, class.cpu_normalized_pct,
        -- A page says N/A where there is no zIIP; one that prints nothing of them leaves the split unknown.
        CASE WHEN class.ziip_eligible_pct IS NOT NULL THEN class.ziip_eligible_pct - coalesce(class.ziip_on_cp_pct, 0) END
            AS ziip_pct,
        CASE WHEN class.ziip_eligible_pct IS NOT NULL THEN coalesce(class.ziip_on_cp_pct, 0) END AS ziip_on_cp_pct,
        class.non_ziip_eligible_pct, class.cpu_source,
        class.transactions_ended, class.actual_time_s * 1000 * class.transactions_ended AS response_total_ms, class.refs
    FROM chosen AS selected
    JOIN scope_time
        ON scope_time.study = selected.study AND scope_time.configuration = selected.configuration
        AND scope_time.run = selected.run AND scope_time.scope = coalesce(selected.scope, '')
    JOIN cpu_by_class AS class
        ON class.sysplex IS NOT DISTINCT FROM selected.sysplex
        AND class.scope IS NOT DISTINCT FROM selected.printed_scope
        AND class.report_kind = selected.report_kind
        AND class.interval_start = selected.interval_start
        AND class.interval_end = selected.interval_end
        AND class.policy_activated_at IS NOT DISTINCT FROM selected.policy_activated_at
    WHERE selected.interval_source = 'workload_activity'
),
class_scope AS (
    SELECT
        study, configuration, run, scope, class_kind, class_name,
        CASE WHEN count(cpu_pct) = max(intervals) AND count(*) = max(intervals)
            THEN sum(cpu_pct * interval_s) / max(covered_s) END AS cpu_pct,
        CASE WHEN count(cpu_normalized_pct) = max(intervals) AND count(*) = max(intervals)
            THEN sum(cpu_normalized_pct * interval_s) / max(covered_s) END AS cpu_normalized_pct,
        CASE WHEN count(ziip_pct) = max(intervals) AND count(*) = max(intervals)
            THEN sum(ziip_pct * interval_s) / max(covered_s) END AS ziip_pct,
        CASE WHEN count(ziip_on_cp_pct) = max(intervals) AND count(*) = max(intervals)
            THEN sum(ziip_on_cp_pct * interval_s) / max(covered_s) END AS ziip_on_cp_pct,
        CASE WHEN count(non_ziip_eligible_pct) = max(intervals) AND count(*) = max(intervals)
            THEN sum(non_ziip_eligible_pct * interval_s) / max(covered_s) END AS non_ziip_eligible_pct,
        count(cpu_source) > 0 AS has_cpu,
        count(*) = max(intervals) AS is_complete,
        max(covered_s) AS covered_s,
        CASE WHEN count(transactions_ended) = max(intervals) AND count(*) = max(intervals)
            THEN sum(transactions_ended) END AS transactions_ended,
        CASE WHEN count(transactions_ended) = max(intervals) AND count(*) = max(intervals)
            THEN sum(transactions_ended) / max(covered_s) END AS transactions_per_s,
        CASE WHEN count(response_total_ms) FILTER (transactions_ended > 0) = count(*) FILTER (transactions_ended > 0)
            THEN sum(response_total_ms) FILTER (transactions_ended > 0) END AS response_total_ms,
        flatten(list(refs ORDER BY interval_start)) AS refs
    FROM in_run
    GROUP BY study, configuration, run, class_kind, class_name, scope
),
class_run AS (
    SELECT
        study, configuration, run, class_kind, class_name,
        CASE WHEN count(cpu_pct) = count(*) THEN sum(cpu_pct) END AS cpu_pct,
        CASE WHEN count(cpu_normalized_pct) = count(*) THEN sum(cpu_normalized_pct) END AS cpu_normalized_pct,
        CASE WHEN count(ziip_pct) = count(*) THEN sum(ziip_pct) END AS ziip_pct,
        CASE WHEN count(ziip_on_cp_pct) = count(*) THEN sum(ziip_on_cp_pct) END AS ziip_on_cp_pct,
        CASE WHEN count(non_ziip_eligible_pct) = count(*) THEN sum(non_ziip_eligible_pct) END AS non_ziip_eligible_pct,
        CAST(bool_or(has_cpu) AS BIGINT) AS classes,
        bool_and(is_complete) AS is_complete,
        max(covered_s) AS covered_s,
        CAST(CASE WHEN count(transactions_ended) = count(*) THEN sum(transactions_ended) END AS BIGINT) AS transactions_ended,
        CASE WHEN count(transactions_ended) = count(*) THEN sum(transactions_per_s) END AS transactions_per_s,
        CASE WHEN count(transactions_ended) = count(*)
                AND count(response_total_ms) FILTER (transactions_ended > 0) = count(*) FILTER (transactions_ended > 0)
            THEN sum(response_total_ms) FILTER (transactions_ended > 0) / nullif(sum(transactions_ended), 0) END AS response_ms,
        flatten(list(refs ORDER BY scope)) AS refs
    FROM class_scope
    GROUP BY study, configuration, run, class_kind, class_name
),
kind_interval AS (
    SELECT
        study, configuration, run, scope, class_kind, interval_start, interval_s, intervals, covered_s,
        -- Classes of transactions alone print no processor time: they have none of their own.
        CASE WHEN count(cpu_pct) = count(cpu_source) THEN sum(cpu_pct) END AS cpu_pct,
        CASE WHEN count(cpu_normalized_pct) = count(cpu_source) THEN sum(cpu_normalized_pct) END AS cpu_normalized_pct,
        CASE WHEN count(ziip_pct) = count(cpu_source) THEN sum(ziip_pct) END AS ziip_pct,
        CASE WHEN count(ziip_on_cp_pct) = count(cpu_source) THEN sum(ziip_on_cp_pct) END AS ziip_on_cp_pct,
        CASE WHEN count(non_ziip_eligible_pct) = count(cpu_source)
            THEN sum(non_ziip_eligible_pct) END AS non_ziip_eligible_pct,
        count(cpu_source) AS classes
    FROM in_run
    GROUP BY study, configuration, run, scope, class_kind, interval_start, interval_s, intervals, covered_s
),
kind_scope AS (
    SELECT
        study, configuration, run, scope, class_kind, max(classes) AS classes,
        count(*) FILTER (classes > 0) = max(intervals) AS is_complete,
        max(covered_s) AS covered_s,
        CASE WHEN count(cpu_pct) = max(intervals) THEN sum(cpu_pct * interval_s) / max(covered_s) END AS cpu_pct,
        CASE WHEN count(cpu_normalized_pct) = max(intervals)
            THEN sum(cpu_normalized_pct * interval_s) / max(covered_s) END AS cpu_normalized_pct,
        CASE WHEN count(ziip_pct) = max(intervals) THEN sum(ziip_pct * interval_s) / max(covered_s) END AS ziip_pct,
        CASE WHEN count(ziip_on_cp_pct) = max(intervals)
            THEN sum(ziip_on_cp_pct * interval_s) / max(covered_s) END AS ziip_on_cp_pct,
        CASE WHEN count(non_ziip_eligible_pct) = max(intervals)
            THEN sum(non_ziip_eligible_pct * interval_s) / max(covered_s) END AS non_ziip_eligible_pct
    FROM kind_interval
    GROUP BY study, configuration, run, scope, class_kind
),
kind_run AS (
    SELECT
        study, configuration, run, class_kind, CAST(sum(classes) AS BIGINT) AS classes,
        bool_and(is_complete) AND count(*) = max(run_scopes.scopes) AS is_complete,
        max(covered_s) AS covered_s,
        CASE WHEN count(cpu_pct) = count(*) THEN sum(cpu_pct) END AS cpu_pct,
        CASE WHEN count(cpu_normalized_pct) = count(*) THEN sum(cpu_normalized_pct) END AS cpu_normalized_pct,
        CASE WHEN count(ziip_pct) = count(*) THEN sum(ziip_pct) END AS ziip_pct,
        CASE WHEN count(ziip_on_cp_pct) = count(*) THEN sum(ziip_on_cp_pct) END AS ziip_on_cp_pct,
        CASE WHEN count(non_ziip_eligible_pct) = count(*) THEN sum(non_ziip_eligible_pct) END AS non_ziip_eligible_pct
    FROM kind_scope
    JOIN (
        SELECT study, configuration, run, count(*) AS scopes FROM scope_time GROUP BY study, configuration, run
    ) AS run_scopes USING (study, configuration, run)
    GROUP BY study, configuration, run, class_kind
),
final AS (
    SELECT
        study, configuration, run, class_kind, class_name, FALSE AS is_total, classes, is_complete, covered_s,
        cpu_pct, cpu_normalized_pct, ziip_pct, ziip_on_cp_pct, non_ziip_eligible_pct,
        transactions_ended, transactions_per_s, response_ms, refs
    FROM class_run
    UNION ALL BY NAME
    SELECT
        study, configuration, run, class_kind, TRUE AS is_total, classes, is_complete, covered_s,
        cpu_pct, cpu_normalized_pct, ziip_pct, ziip_on_cp_pct, non_ziip_eligible_pct, [] AS refs
    FROM kind_run
)
SELECT * FROM final
