-- Grain: one row per study, configuration, run, Db2 location, group and group buffer pool with castouts in the run's window.
-- Castout moves changed pages from the group buffer pool through a member to the volume. Formulas: castout_pages_per_request = pages cast out per
-- second / requests per second of the run. castout_requests_per_request: READ FOR CASTOUT and MULT; pages_per_castout_request: pages by castout
-- requests. castout_of_accesses_pct: castout requests (where no member prints any, pages) of all accesses. castout_us_per_request = castout
-- requests (or pages) per request x service_us of the pool in RMF (gbp_delay_per_transaction): time in the facility; no request waits for it.
-- The write to the volume is not included: see volume_interval for the volumes.
-- Rule: statistics of members and reports whose midpoint lies in the run's window; members add, each over its own time. A report of the group
-- counts for the members that have no report of their own for the interval. A page without a scope is of a member if it names one, else it does
-- not count. A page without a location belongs to the location that other pages print for the group, if there is only one. Groups that are not
-- of the run (run_db2_group) and pools without castout are not listed.
-- NULL: per request, if it is unknown whether the group is of the run; if a part is not printed or intervals of a member overlap (null_reason);
-- castout_us_per_request where RMF has no structure of the name (null_reason).
-- Source: OMEGAMON for Db2 PE Report Reference, "Group Buffer Pools Activity"; Db2 13 for z/OS, Data Sharing, castout.
-- Worked: 120 pages/s in 30 requests/s for 60 requests/s of the run: 2 pages, 0.5 requests; at 40 us each 20 us a request.
-- Columns:
--   location, db2_group: of the group buffer pool
--   members: with statistics, in order
--   covered_s [s]: covered time of the member with least
--   castout_pages_per_s, castout_requests_per_s [1/s]: of all members; requests NULL where only pages are printed
--   pages_per_castout_request: see above
--   castout_engine_not_available: times that no castout engine was there
--   service_us [us]: mean service time of the structure, of RMF
--   null_reason: why castout_us_per_request, or all, is NULL
WITH of_interval AS (
    SELECT
        step.study, step.configuration, step.run, g.location, g.db2_group, g.gbp, coalesce(g.member, g.subsystem) AS member,
        g.begin_at, g.interval_elapsed_s AS length_s,
        g.castout_pages, g.castout_requests, g.accesses_total AS accesses, g.castout_engine_not_available,
        g.accesses_basis = 'requests' AS has_requests, g.is_conflicting, g.refs,
        max(g.end_at) OVER (
            PARTITION BY step.study, step.configuration, step.run, g.location, g.db2_group, g.gbp, coalesce(g.member, g.subsystem)
            ORDER BY g.begin_at, g.end_at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS reached
    FROM study_step AS step
    JOIN (
        FROM (
            SELECT * REPLACE (
                coalesce(location, CASE WHEN min(location) OVER of_name = max(location) OVER of_name THEN min(location) OVER of_name END) AS location
            )
            FROM group_buffer_pool
            WHERE is_of_member(scope, coalesce(member, subsystem)) AND report_kind = 'report'
            WINDOW of_name AS (PARTITION BY db2_group)
        )
        QUALIFY is_own_or_only(scope, (location, db2_group, gbp, coalesce(member, subsystem), begin_at, end_at))
    ) AS g
        ON is_middle_within(g.begin_at, g.end_at, step.window_start, step.window_end)
),
of_member AS (
    SELECT
        study, configuration, run, location, db2_group, gbp, member, sum_all(length_s) AS covered_s,
        -- Overlapping intervals print the same castouts twice, and so do two pages of one time where one page has no scope.
        bool_or(is_there_twice(begin_at, reached)) AS is_overlapping,
        sum_all(castout_pages) / nullif(sum_all(length_s), 0) AS pages_per_s,
        sum_all(castout_requests) / nullif(sum_all(length_s), 0) AS requests_per_s,
        sum_all(accesses) / nullif(sum_all(length_s), 0) AS accesses_per_s,
        sum_all(castout_engine_not_available) AS castout_engine_not_available,
        bool_or(has_requests) AS has_requests, sum_all(length_s) IS NULL AS has_no_length,
        bool_or(is_conflicting) AS is_conflicting,
        flatten(list(refs ORDER BY begin_at, refs)) AS refs
    FROM of_interval
    GROUP BY study, configuration, run, location, db2_group, gbp, member
),
of_pool AS (
    SELECT
        study, configuration, run, location, db2_group, gbp,
        string_agg(member, ',' ORDER BY member) AS members,
        CASE WHEN NOT bool_or(has_no_length) THEN min(covered_s) END AS covered_s,
        bool_or(is_overlapping) AS is_overlapping, bool_or(has_no_length) AS has_no_length, bool_or(has_requests) AS has_requests,
        CASE WHEN NOT bool_or(is_overlapping) THEN sum_all(pages_per_s) END AS pages_per_s,
        CASE WHEN NOT bool_or(is_overlapping) THEN sum_all(requests_per_s) END AS castouts_per_s,
        CASE WHEN NOT bool_or(is_overlapping) THEN sum_all(accesses_per_s) END AS accesses_per_s,
        CASE WHEN NOT bool_or(is_overlapping) THEN sum_all(castout_engine_not_available) END AS castout_engine_not_available,
        bool_or(is_conflicting) AS is_conflicting,
        flatten(list(refs ORDER BY member, refs)) AS refs
    FROM of_member
    GROUP BY study, configuration, run, location, db2_group, gbp
),
counted AS (
    -- Where some member prints requests, only requests count.
    SELECT
        of_pool.*, CASE WHEN has_requests THEN castouts_per_s ELSE pages_per_s END AS counted_per_s,
        placed.db2_group IS NOT NULL AND placed.is_of_run IS NULL AS is_of_nobody_knows_whom
    FROM of_pool
    LEFT JOIN run_db2_group AS placed
        ON placed.study = of_pool.study AND placed.configuration = of_pool.configuration AND placed.run = of_pool.run
        AND placed.db2_group = of_pool.db2_group
    WHERE placed.is_of_run IS NOT FALSE
),
requested AS (
    SELECT
        counted.*, CASE WHEN NOT is_of_nobody_knows_whom THEN of_run.requests_per_s END AS run_requests_per_s
    FROM counted
    JOIN run_requests AS of_run USING (study, configuration, run)
)
SELECT
    p.study, p.configuration, p.run, p.location, p.db2_group, p.gbp, p.members, p.covered_s,
    p.pages_per_s AS castout_pages_per_s, p.castouts_per_s AS castout_requests_per_s,
    p.pages_per_s / nullif(p.run_requests_per_s, 0) AS castout_pages_per_request,
    p.castouts_per_s / nullif(p.run_requests_per_s, 0) AS castout_requests_per_request,
    p.pages_per_s / nullif(p.castouts_per_s, 0) AS pages_per_castout_request,
    100 * p.counted_per_s / nullif(p.accesses_per_s, 0) AS castout_of_accesses_pct,
    p.castout_engine_not_available,
    d.service_us,
    p.counted_per_s / nullif(p.run_requests_per_s, 0) * d.service_us AS castout_us_per_request,
    CASE
        WHEN p.is_overlapping THEN 'statistics intervals overlap'
        WHEN p.has_no_length THEN 'length of an interval not printed'
        WHEN p.pages_per_s IS NULL THEN 'pages cast out not printed'
        WHEN p.counted_per_s IS NULL THEN 'castout requests not printed'
        WHEN p.is_of_nobody_knows_whom THEN 'which sysplex the group is of is not known'
        WHEN coalesce(p.run_requests_per_s, 0) = 0 THEN 'no requests'
        WHEN d.study IS NULL THEN 'no structure of this name in RMF'
        WHEN d.service_us IS NULL THEN coalesce(d.null_reason, 'service time not printed')
    END AS null_reason,
    p.is_conflicting,
    CASE WHEN d.study IS NULL THEN p.refs ELSE list_concat(p.refs, d.refs) END AS refs
FROM requested AS p
LEFT JOIN gbp_delay_per_transaction AS d
    ON d.study = p.study AND d.configuration = p.configuration AND d.run = p.run AND d.db2_group = p.db2_group AND d.gbp = p.gbp
    AND NOT d.is_total
WHERE p.pages_per_s IS DISTINCT FROM 0
