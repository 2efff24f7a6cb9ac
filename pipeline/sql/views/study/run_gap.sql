-- Grain: one row per study, configuration, run, systems and stretch of time that these systems lack and other systems of the run have.
-- Rule: a system lacks the intervals that only another system of the run has. A system of the configuration, or one that the study names, lacks
-- the whole run where no interval of the run is of that system. A system lacks CPU Activity in selected intervals without it, where the
-- configuration has CPU Activity of other systems. Consecutive intervals make one stretch.
-- Source: the study file; the intervals as printed.
-- Worked: SYSA has 10:00 to 11:00 in quarters, SYSB does not have the last: SYSB, 10:45 to 11:00, 900 s.
-- Columns:
--   systems: that lack it
--   report: Workload Activity or CPU Activity
--   gap_start, gap_end [local time]: of the stretch
--   missing_s [s]: how much of it is missing
--   gap: system and times in words
--   refs: empty
WITH taken AS MATERIALIZED (
    SELECT
        study, configuration, run, step.rule, unnest(string_split(coalesce(own_scope, ''), ',')) AS scope, interval_start, interval_end
    FROM run_selection
    JOIN study_step AS step USING (study, configuration, run)
),
scopes AS (
    SELECT DISTINCT study, configuration, run, scope FROM taken
),
slot AS (
    SELECT study, configuration, run, interval_start, max(interval_end) AS interval_end
    FROM taken
    GROUP BY study, configuration, run, interval_start
),
-- Most intervals of the systems of a run begin together.
open AS (
    SELECT scopes.study, scopes.configuration, scopes.run, scopes.scope, slot.interval_start, slot.interval_end
    FROM scopes
    JOIN slot ON slot.study = scopes.study AND slot.configuration = scopes.configuration AND slot.run = scopes.run
    ANTI JOIN taken AS same
        ON same.study = scopes.study AND same.configuration = scopes.configuration AND same.run = scopes.run AND same.scope = scopes.scope
        AND same.interval_start = slot.interval_start
        AND epoch(same.interval_end) - epoch(same.interval_start) >= 0.98 * (epoch(slot.interval_end) - epoch(slot.interval_start)) - 1
),
not_there AS (
    SELECT
        open.study, open.configuration, open.run, open.scope AS systems, 'Workload Activity' AS report, open.interval_start, open.interval_end
    FROM open
    LEFT JOIN taken AS mine
        ON mine.study = open.study AND mine.configuration = open.configuration AND mine.run = open.run AND mine.scope = open.scope
        AND mine.interval_start < open.interval_end AND mine.interval_end > open.interval_start
    -- Rule last: a system with a later interval does not need this one.
    ANTI JOIN taken AS later
        ON later.study = open.study AND later.configuration = open.configuration AND later.run = open.run AND later.scope = open.scope
        AND later.rule = 'last' AND later.interval_start > open.interval_start
    GROUP BY open.study, open.configuration, open.run, open.scope, open.interval_start, open.interval_end
    -- least() and greatest() ignore NULL.
    HAVING coalesce(sum(
        epoch(least(mine.interval_end, open.interval_end)) - epoch(greatest(mine.interval_start, open.interval_start))
    ) FILTER (mine.study IS NOT NULL), 0) < 0.98 * (epoch(open.interval_end) - epoch(open.interval_start)) - 1
),
-- Systems that other runs of the configuration have, or that the study names.
expected AS (
    SELECT study, configuration, run, unnest(string_split(systems, ',')) AS system FROM study_step WHERE systems IS NOT NULL
    UNION
    SELECT run.study, run.configuration, run.run, unnest(string_split(of_any.scope, ','))
    FROM (SELECT DISTINCT study, configuration, run FROM taken) AS run
    JOIN scopes AS of_any ON of_any.study = run.study AND of_any.configuration = run.configuration AND of_any.scope <> ''
),
absent AS (
    SELECT
        expected.study, expected.configuration, expected.run, expected.system AS systems, 'Workload Activity' AS report,
        taken.interval_start, taken.interval_end
    FROM expected
    JOIN taken USING (study, configuration, run)
    ANTI JOIN scopes
        ON scopes.study = expected.study AND scopes.configuration = expected.configuration AND scopes.run = expected.run
        AND (scopes.scope = '' OR list_contains(string_split(scopes.scope, ','), expected.system))
),
without_processors AS (
    SELECT
        study, configuration, run,
        coalesce(
            nullif(array_to_string(list_filter(string_split(own_scope, ','), lambda one: NOT list_contains(systems, one)), ','), ''), own_scope, ''
        ) AS systems,
        'CPU Activity' AS report, interval_start, interval_end
    FROM run_busy_interval
    WHERE NOT is_covered AND (study, configuration) IN (SELECT (study, configuration) FROM run_busy_interval WHERE is_covered)
),
lacking AS (
    SELECT *, sum(begins) OVER (PARTITION BY study, configuration, run, systems, report ORDER BY interval_start, interval_end) AS stretch
    FROM (
        SELECT
            *,
            CASE WHEN interval_start <= max(interval_end) OVER (
                PARTITION BY study, configuration, run, systems, report
                ORDER BY interval_start, interval_end ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) + INTERVAL 2 SECOND THEN 0 ELSE 1 END AS begins
        FROM (FROM not_there UNION ALL FROM absent UNION ALL FROM without_processors)
    )
),
stretches AS (
    SELECT study, configuration, run, systems, report, min(interval_start) AS gap_start, max(interval_end) AS gap_end
    FROM lacking
    GROUP BY study, configuration, run, systems, report, stretch
),
measured AS (
    SELECT
        gap.study, gap.configuration, gap.run, gap.systems, gap.report, gap.gap_start, gap.gap_end,
        epoch(gap.gap_end) - epoch(gap.gap_start) - coalesce(sum(
            epoch(least(mine.interval_end, gap.gap_end)) - epoch(greatest(mine.interval_start, gap.gap_start))
        ) FILTER (mine.study IS NOT NULL AND gap.report = 'Workload Activity'), 0) AS missing_s
    FROM stretches AS gap
    LEFT JOIN taken AS mine
        ON mine.study = gap.study AND mine.configuration = gap.configuration AND mine.run = gap.run AND mine.scope = gap.systems
        AND mine.interval_start < gap.gap_end AND mine.interval_end > gap.gap_start
    GROUP BY gap.study, gap.configuration, gap.run, gap.systems, gap.report, gap.gap_start, gap.gap_end
)
SELECT
    study, configuration, run, systems, report, gap_start, gap_end, missing_s,
    concat_ws(
        ' ', nullif(systems, ''), CASE WHEN report = 'CPU Activity' THEN report END,
        strftime(gap_start, '%Y-%m-%d %H:%M'), 'to', strftime(gap_end + INTERVAL 500 MILLISECOND, '%H:%M'),
        -- Starts are printed to the second, ends to the millisecond.
        CASE WHEN missing_s < epoch(gap_end) - epoch(gap_start) - 2 THEN printf('(%.0f s of it)', missing_s) END
    ) AS gap,
    [] AS refs
FROM measured
