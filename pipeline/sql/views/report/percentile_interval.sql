-- Grain: one row per sysplex, scope, class kind and class: the interval below or at which 95 percent of the intervals stay in processor time.
-- Formula: nearest rank: of n intervals in rising order the one at place 0.95 x n, rounded up; a printed interval, nothing in between.
-- In a complete interval without the class the class used nothing; in an incomplete one it is unknown (workload_interval). A class that is
-- printed in fewer than 5 percent of the intervals used nothing in the interval of its 95th percentile, and has no row. The earliest of equal
-- intervals is taken.
-- Intervals of different length have equal weight. Those in which the class is unknown are not ranked, but counted separately.
-- Source: RMF Report Analysis, Workload Activity, APPL %; nearest-rank percentile.
-- Worked: 20 intervals of 1, 2, … 20% of an engine: place 19, 19%.
-- Shards: no: the percentile is that of all intervals.
-- Columns:
--   cpu_pct [% of one engine]: 95th percentile
--   intervals, intervals_unknown: number of intervals, and those in which the class is unknown
WITH counted AS (
    SELECT sysplex, scope, class_kind, count(*) AS intervals, count_if(NOT is_whole) AS damaged
    FROM workload_time
    GROUP BY sysplex, scope, class_kind
),
ranked AS (
    SELECT
        class.*, counted.intervals,
        count(*) OVER of_class - count(class.cpu_pct) OVER of_class
            + counted.damaged - count_if(NOT class.is_whole) OVER of_class AS intervals_unknown,
        row_number() OVER (
            PARTITION BY class.sysplex, class.scope, class.class_kind, class.class_name
            ORDER BY class.cpu_pct DESC NULLS LAST, class.interval_start DESC, class.refs
        ) AS place_from_above
    FROM class_interval AS class
    JOIN counted
        ON counted.sysplex IS NOT DISTINCT FROM class.sysplex
        AND counted.scope IS NOT DISTINCT FROM class.scope
        AND counted.class_kind = class.class_kind
    WINDOW of_class AS (PARTITION BY class.sysplex, class.scope, class.class_kind, class.class_name)
)
SELECT
    sysplex, scope, class_kind, class_name, interval_start, interval_end, interval_s, cpu_pct, transactions_ended,
    intervals, CAST(intervals_unknown AS BIGINT) AS intervals_unknown, is_conflicting, refs
FROM ranked
-- Whole numbers: 0.95 x 20 in binary is a little more than 19.
WHERE place_from_above = intervals - intervals_unknown - (95 * (intervals - intervals_unknown) + 99) // 100 + 1
    AND cpu_pct IS NOT NULL
