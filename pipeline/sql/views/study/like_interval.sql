-- Grain: one row per study, configuration, run, place in the run, class kind and class: the use of the class in the time of this place.
-- Rule: runs of a configuration are counted by the time of their windows. A run is divided into places of one length for the whole study, and an
-- interval is in the place that holds its midpoint. So rows with the same run_number and place are like intervals of two configurations: the third
-- quarter-hour of the second day of each. The length is the least common multiple of the usual interval lengths (for each configuration and scope
-- the length with most time), in whole minutes: half-hours beside quarter-hours make places of half an hour. Where the multiple is above an hour,
-- the longest usual length is taken.
-- Formula: the intervals of one scope (set of systems) in a place are weighted by time; the scopes of a place are added.
-- NULL: percentages where one scope has no interval at the place, or less of its time than another by more than 10 percent (a late start), or
-- where the class's processor time is unknown in one; msu also where the rate of one is unknown.
-- Source: RMF Report Analysis, Workload Activity.
-- Worked: quarter-hours from 10:00, a service policy activated at 10:20: 10:15 to 10:20 and 10:20 to 10:30 are both in place 1; 150% and 120%
-- there are (150 x 300 + 120 x 600) / 900 = 130%.
-- Columns:
--   run_number: of the configuration's runs, from 1
--   place: from the start of the window, from 0
--   place_s [s]: length of a place
--   interval_start: of the first interval in it
--   interval_s [s]: time of the intervals in it; of several scopes the least
--   follows: the run has an interval at the place before
--   msu [MSU/h]: CP in software MSU
WITH run AS (
    SELECT
        study, configuration, run, window_start,
        dense_rank() OVER (PARTITION BY study, configuration ORDER BY window_start, run) AS run_number
    FROM study_step
),
chosen AS MATERIALIZED (
    SELECT * REPLACE (coalesce(scope, '') AS scope), greatest(CAST(round(interval_s / 60) AS BIGINT), 1) AS minutes
    FROM run_selection
),
usual AS (
    SELECT study, configuration, scope, minutes
    FROM chosen
    GROUP BY study, configuration, scope, minutes
    QUALIFY row_number() OVER (PARTITION BY study, configuration, scope ORDER BY sum(interval_s) DESC, minutes DESC) = 1
),
divided AS (
    SELECT study, 60 * CASE WHEN multiple <= greatest(longest, 60) THEN multiple ELSE longest END AS place_s
    FROM (
        SELECT study, max(minutes) AS longest, list_reduce(list(DISTINCT minutes), lambda one, other: lcm(one, other)) AS multiple
        FROM usual
        GROUP BY study
    )
),
selected AS (
    SELECT
        chosen.study, chosen.configuration, chosen.run, chosen.scope, chosen.interval_start, chosen.interval_s, run.run_number, divided.place_s,
        max(chosen.scope_number) OVER of_run AS scopes, rate.msu_per_cp,
        -- Clocks may be a second off: a midpoint just before the end of a place belongs to the next place.
        CAST(floor(epoch(chosen.interval_start + (chosen.interval_end - chosen.interval_start) / 2 - run.window_start) / divided.place_s + 0.01) AS BIGINT)
            AS place
    FROM chosen
    JOIN run USING (study, configuration, run)
    JOIN divided USING (study)
    LEFT JOIN interval_msu_rate AS rate
        ON rate.sysplex IS NOT DISTINCT FROM chosen.sysplex AND rate.scope IS NOT DISTINCT FROM chosen.own_scope
        AND rate.interval_start = chosen.interval_start AND rate.interval_end = chosen.interval_end
    WINDOW of_run AS (PARTITION BY chosen.study, chosen.configuration, chosen.run)
),
known AS (
    SELECT
        *,
        count(cpu_source) OVER (PARTITION BY study, configuration, run, scope, class_kind, class_name) > 0 AS has_cpu
    FROM run_class_interval
),
of_scope AS (
    SELECT
        known.study, known.configuration, known.run, selected.place, known.scope, known.class_kind, known.class_name,
        bool_or(known.has_cpu) AS has_cpu,
        mean_all(COLUMNS(['cp_pct', 'cpu_pct', 'cpu_normalized_pct', 'ziip_pct', 'ziip_on_cp_pct']), known.interval_s),
        mean_all(known.cp_pct / 100 * selected.msu_per_cp, known.interval_s) AS msu,
        sum_all(known.transactions_ended) AS transactions_ended,
        flatten(list(known.refs ORDER BY known.interval_start, known.refs)) AS refs
    FROM known
    JOIN selected
        ON selected.study = known.study AND selected.configuration = known.configuration AND selected.run = known.run
        AND selected.scope = known.scope AND selected.interval_start = known.interval_start
    GROUP BY known.study, known.configuration, known.run, selected.place, known.scope, known.class_kind, known.class_name
),
place AS (
    SELECT
        study, configuration, run, run_number, place, place_s, min(interval_start) AS interval_start, min(scope_s) AS interval_s,
        count(*) = any_value(scopes) AND min(scope_s) >= 0.9 * max(scope_s) AS is_whole,
        coalesce(lag(place) OVER (PARTITION BY study, configuration, run ORDER BY place) = place - 1, FALSE) AS follows
    FROM (
        SELECT
            study, configuration, run, run_number, place, place_s, scope, scopes,
            min(interval_start) AS interval_start, sum(interval_s) AS scope_s
        FROM selected
        GROUP BY ALL
    )
    GROUP BY study, configuration, run, run_number, place, place_s
),
added AS (
    SELECT
        study, configuration, run, place, class_kind, class_name, bool_or(has_cpu) AS has_cpu,
        sum_all(COLUMNS(['cp_pct', 'cpu_pct', 'cpu_normalized_pct', 'ziip_pct', 'ziip_on_cp_pct', 'msu'])),
        CAST(sum_all(transactions_ended) AS BIGINT) AS transactions_ended,
        flatten(list(refs ORDER BY scope, refs)) AS refs
    FROM of_scope
    GROUP BY study, configuration, run, place, class_kind, class_name
)
SELECT
    study, configuration, run, place.run_number, place, place.place_s, place.interval_start, place.interval_s,
    place.follows, added.class_kind, added.class_name, added.has_cpu,
    CASE WHEN place.is_whole THEN COLUMNS(['cp_pct', 'cpu_pct', 'cpu_normalized_pct', 'ziip_pct', 'ziip_on_cp_pct', 'msu']) END,
    added.transactions_ended, added.refs
FROM added
JOIN place USING (study, configuration, run, place)
