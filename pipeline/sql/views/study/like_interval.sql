-- Grain: one row per study, configuration, run, place in the run, class kind and class: what the class used in the interval at this place.
-- Rule: runs of a configuration are counted by the time of their windows, places by interval lengths from the start of the window. So
-- intervals with the same run_number and place are like intervals of two configurations: the third quarter-hour of the second day of each.
-- A place has all scopes (sets of systems) of the run added.
-- NULL: percentages where one scope has no interval at the place, or where the class's processor time is unknown in one; msu also where
-- the rate of one is.
-- Source: RMF Report Analysis, Workload Activity.
-- Worked: a window from 10:00 and one from 10:00 the next day, quarter-hours: 10:30 is place 2 of both.
-- Columns:
--   study, configuration, run: the run
--   run_number: of the configuration's runs, from 1
--   place: intervals since the start of the window, from 0
--   interval_start, interval_s [s]: of the interval; of several scopes the first
--   follows: the run has an interval at the place before
--   class_kind, class_name: service_class, report_class, workload or policy, and its name
--   has_cpu: the class prints processor time in some interval of the run
--   cp_pct, cpu_pct, ziip_pct, ziip_on_cp_pct [% of one engine]: CP, CP + IIP (+ AAP), IIP, IIPCP
--   msu [MSU/h]: CP in software MSU
--   transactions_ended: in the interval
--   refs: the printed rows of the class
WITH run AS (
    SELECT
        study, configuration, run, window_start,
        dense_rank() OVER (PARTITION BY study, configuration ORDER BY window_start, run) AS run_number
    FROM study_step
),
selected AS (
    SELECT
        chosen.study, chosen.configuration, chosen.run, chosen.interval_start, run.run_number, rate.msu_per_cp,
        coalesce(chosen.scope, '') AS scope, max(chosen.scope_number) OVER of_run AS scopes,
        CAST(round(epoch(chosen.interval_start - run.window_start) / nullif(chosen.interval_s, 0)) AS BIGINT) AS place
    FROM run_selection AS chosen
    JOIN run USING (study, configuration, run)
    LEFT JOIN interval_msu_rate AS rate
        ON rate.sysplex IS NOT DISTINCT FROM chosen.sysplex AND rate.scope IS NOT DISTINCT FROM chosen.scope
        AND rate.interval_start = chosen.interval_start AND rate.interval_end = chosen.interval_end
    WINDOW of_run AS (PARTITION BY chosen.study, chosen.configuration, chosen.run)
),
known AS (
    SELECT
        *,
        count(cpu_source) OVER (PARTITION BY study, configuration, run, scope, class_kind, class_name) > 0 AS has_cpu
    FROM run_class_interval
),
placed AS (
    SELECT
        known.study, known.configuration, known.run, selected.run_number, selected.place, known.class_kind, known.class_name,
        min(known.interval_start) AS interval_start, min(known.interval_s) AS interval_s,
        bool_or(known.has_cpu) AS has_cpu, any_value(selected.scopes) AS scopes,
        sum_all(known.cp_pct) AS cp_pct, sum_all(known.cpu_pct) AS cpu_pct, sum_all(known.ziip_pct) AS ziip_pct,
        sum_all(known.ziip_on_cp_pct) AS ziip_on_cp_pct, sum_all(known.cp_pct / 100 * selected.msu_per_cp) AS msu,
        CAST(sum_all(known.transactions_ended) AS BIGINT) AS transactions_ended,
        flatten(list(known.refs ORDER BY known.scope, known.refs)) AS refs
    FROM known
    JOIN selected
        ON selected.study = known.study AND selected.configuration = known.configuration AND selected.run = known.run
        AND selected.scope = known.scope AND selected.interval_start = known.interval_start
    GROUP BY known.study, known.configuration, known.run, selected.run_number, selected.place, known.class_kind, known.class_name
),
place AS (
    SELECT
        study, configuration, run, place, count(DISTINCT scope) AS scopes_there,
        coalesce(lag(place) OVER (PARTITION BY study, configuration, run ORDER BY place) = place - 1, FALSE) AS follows
    FROM selected
    GROUP BY study, configuration, run, place
)
SELECT
    placed.study, placed.configuration, placed.run, placed.run_number, placed.place, placed.interval_start, placed.interval_s,
    place.follows, placed.class_kind, placed.class_name, placed.has_cpu,
    CASE WHEN place.scopes_there = placed.scopes THEN COLUMNS(['cp_pct', 'cpu_pct', 'ziip_pct', 'ziip_on_cp_pct', 'msu']) END,
    placed.transactions_ended, placed.refs
FROM placed
JOIN place USING (study, configuration, run, place)
