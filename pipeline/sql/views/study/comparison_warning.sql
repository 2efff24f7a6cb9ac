-- Grain: one row per study, pair of compared configurations, and difference.
-- Rule: the baseline is compared with every other configuration, and the coupled with the uncoupled, fact by fact
-- (configuration_fact); facts printed for only one of the two are not compared. Busy figures (normalised) differ
-- if one is more than 1.5 times the other: an ITR at one utilisation says little about another. Systems are compared only if the
-- study names none. Where the study charges no classes, the classes themselves are compared: then the covered time must be the same within
-- 2 percent, each class must be in both, and no interval may be in both. Time that a system of either lacks while others have it (run_gap) is
-- named: the first three stretches.
-- busy_unknown: where a system is in two sysplexes, or its CPU Activity is printed with two values, busy time is NULL or may be that of the
-- other system, for CPU Activity prints no sysplex.
-- Source: the study file; RMF Workload Activity, CPU Activity and service policy pages.
-- Columns:
--   warning: the fact that differs; or covered (time of the selected intervals), service_classes or report_classes (in only
--     has), shared_intervals, missing_intervals (of which system, and when), or busy_unknown
--   baseline_value, value: the two values; of busy_unknown why, or known
--   refs: the first row of each with the fact
WITH pairs AS (
    SELECT one.study, one.configuration AS baseline, other.configuration
    FROM study_configuration AS one
    JOIN study_configuration AS other
        ON other.study = one.study AND other.configuration <> one.configuration
        AND (one.is_baseline OR (one.coupling_role = 'uncoupled' AND other.coupling_role = 'coupled'))
),
-- Studies that compare the classes themselves.
of_classes AS (
    SELECT DISTINCT study FROM study_configuration
    ANTI JOIN (SELECT DISTINCT study FROM study_class WHERE role = 'cpu') AS charging USING (study)
),
facts AS MATERIALIZED (
    SELECT * FROM configuration_fact
    WHERE fact <> 'normalization_source'
        AND (fact <> 'systems' OR study NOT IN (SELECT study FROM study_step WHERE systems IS NOT NULL))
),
unlike_facts AS (
    SELECT
        pairs.study, pairs.baseline, pairs.configuration, mine.fact AS warning,
        theirs.value AS baseline_value, mine.value, list_concat(theirs.refs, mine.refs) AS refs
    FROM pairs
    JOIN facts AS theirs ON theirs.study = pairs.study AND theirs.configuration = pairs.baseline
    JOIN facts AS mine
        ON mine.study = pairs.study AND mine.configuration = pairs.configuration AND mine.fact = theirs.fact
    WHERE CASE WHEN mine.busy_pct IS NULL THEN mine.value <> theirs.value
        ELSE greatest(mine.busy_pct, theirs.busy_pct) > 1.5 * least(mine.busy_pct, theirs.busy_pct) END
),
covered AS (
    SELECT study, configuration, sum(covered_s) AS covered_s
    FROM run_requests
    SEMI JOIN of_classes USING (study)
    GROUP BY study, configuration
),
unlike_times AS (
    SELECT
        pairs.study, pairs.baseline, pairs.configuration, 'covered' AS warning,
        printf('%.0f s', theirs.covered_s) AS baseline_value, printf('%.0f s', mine.covered_s) AS value
    FROM pairs
    JOIN covered AS theirs ON theirs.study = pairs.study AND theirs.configuration = pairs.baseline
    JOIN covered AS mine ON mine.study = pairs.study AND mine.configuration = pairs.configuration
    WHERE abs(mine.covered_s - theirs.covered_s) > 0.02 * greatest(mine.covered_s, theirs.covered_s)
),
classes AS MATERIALIZED (
    SELECT study, configuration, class_kind, class_name
    FROM configuration_class
    SEMI JOIN of_classes USING (study)
    WHERE NOT is_total AND class_kind IN ('service_class', 'report_class')
),
in_one_only AS (
    SELECT
        pairs.study, pairs.baseline, pairs.configuration, class.class_kind, class.class_name, class.configuration = pairs.baseline AS is_theirs
    FROM pairs
    JOIN classes AS class ON class.study = pairs.study AND class.configuration IN (pairs.baseline, pairs.configuration)
    ANTI JOIN classes AS other
        ON other.study = pairs.study AND other.configuration IN (pairs.baseline, pairs.configuration)
        AND other.configuration <> class.configuration AND other.class_kind = class.class_kind
        AND other.class_name IS NOT DISTINCT FROM class.class_name
    -- A kind that only one configuration prints is not a difference of classes.
    WHERE (SELECT count(DISTINCT kind.configuration) FROM classes AS kind
        WHERE kind.study = pairs.study AND kind.configuration IN (pairs.baseline, pairs.configuration)
            AND kind.class_kind = class.class_kind) = 2
),
unlike_classes AS (
    SELECT
        study, baseline, configuration, class_kind || 'es' AS warning,
        coalesce(string_agg(class_name, ', ' ORDER BY class_name) FILTER (is_theirs), 'none') AS baseline_value,
        coalesce(string_agg(class_name, ', ' ORDER BY class_name) FILTER (NOT is_theirs), 'none') AS value
    FROM in_one_only
    GROUP BY study, baseline, configuration, class_kind
),
shared AS (
    SELECT
        pairs.study, pairs.baseline, pairs.configuration, 'shared_intervals' AS warning,
        CAST(count(*) AS VARCHAR) AS baseline_value, CAST(count(*) AS VARCHAR) AS value
    FROM pairs
    SEMI JOIN of_classes ON of_classes.study = pairs.study
    JOIN run_selection AS theirs ON theirs.study = pairs.study AND theirs.configuration = pairs.baseline
    JOIN run_selection AS mine
        ON mine.study = pairs.study AND mine.configuration = pairs.configuration
        AND mine.interval_start = theirs.interval_start AND mine.interval_end = theirs.interval_end
        AND mine.sysplex IS NOT DISTINCT FROM theirs.sysplex
        AND mine.own_scope IS NOT DISTINCT FROM theirs.own_scope
    GROUP BY pairs.study, pairs.baseline, pairs.configuration
),
disputed AS (
    SELECT
        selected.study, selected.configuration, concat('CPU Activity of ', printed.system, ' is printed with two values') AS reason, printed.refs
    FROM (SELECT * REPLACE (own_scope AS scope) FROM run_selection) AS selected
    JOIN conflicting_intervals AS printed ON printed.report = 'rmf_cpu_activity' AND is_page_within(selected, printed)
    SEMI JOIN run_busy AS busy
        ON busy.study = selected.study AND busy.configuration = selected.configuration AND busy.run = selected.run
        AND busy.busy_basis = 'cp' AND busy.cpu_busy_pct IS NULL
    UNION ALL
    SELECT
        selected.study, selected.configuration,
        concat(selected.system, ' is in ', least(selected.sysplex, other.sysplex), ' and ', greatest(selected.sysplex, other.sysplex),
            ', and CPU Activity names no sysplex') AS reason,
        other.refs
    FROM (SELECT *, unnest(string_split(own_scope, ',')) AS system FROM run_selection WHERE own_scope IS NOT NULL) AS selected
    JOIN workload_interval AS other
        ON other.sysplex <> selected.sysplex AND other.report_kind = selected.report_kind
        AND other.interval_start < selected.interval_end AND other.interval_end > selected.interval_start
        AND list_contains(string_split(other.scope, ','), selected.system)
    -- Without processors in the lake there is no busy time to confuse.
    SEMI JOIN processor_busy AS busy
        ON busy.system = selected.system AND busy.report_kind = selected.report_kind
        AND busy.interval_start < selected.interval_end AND busy.interval_end > selected.interval_start
),
why_unknown AS (
    SELECT study, configuration, string_agg(DISTINCT reason, '; ' ORDER BY reason) AS reason, min(refs[1:1]) AS refs
    FROM disputed
    GROUP BY study, configuration
),
unknown_busy AS (
    SELECT
        pairs.study, pairs.baseline, pairs.configuration, 'busy_unknown' AS warning, coalesce(theirs.reason, 'known') AS baseline_value,
        coalesce(mine.reason, 'known') AS value, list_concat(theirs.refs, mine.refs) AS refs
    FROM pairs
    LEFT JOIN why_unknown AS theirs ON theirs.study = pairs.study AND theirs.configuration = pairs.baseline
    LEFT JOIN why_unknown AS mine ON mine.study = pairs.study AND mine.configuration = pairs.configuration
    WHERE theirs.study IS NOT NULL OR mine.study IS NOT NULL
),
gaps AS (
    SELECT
        study, configuration,
        array_to_string(list(gap ORDER BY gap_start, gap)[1:3], ', ')
            || CASE WHEN count(*) > 3 THEN printf(' and %d more', count(*) - 3) ELSE '' END AS value
    FROM run_gap
    GROUP BY study, configuration
),
missing AS (
    SELECT
        pairs.study, pairs.baseline, pairs.configuration, 'missing_intervals' AS warning,
        coalesce(theirs.value, 'none') AS baseline_value, coalesce(mine.value, 'none') AS value
    FROM pairs
    LEFT JOIN gaps AS theirs ON theirs.study = pairs.study AND theirs.configuration = pairs.baseline
    LEFT JOIN gaps AS mine ON mine.study = pairs.study AND mine.configuration = pairs.configuration
    WHERE theirs.study IS NOT NULL OR mine.study IS NOT NULL
)
SELECT * FROM unlike_facts
UNION ALL
SELECT * FROM unknown_busy
UNION ALL
SELECT *, [] AS refs
FROM (
    SELECT * FROM unlike_times
    UNION ALL
    SELECT * FROM unlike_classes
    UNION ALL
    SELECT * FROM shared
    UNION ALL
    SELECT * FROM missing
)
