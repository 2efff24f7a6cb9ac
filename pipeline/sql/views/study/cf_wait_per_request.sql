-- Grain: one row per study, configuration, run and structure of a coupling facility that the run's systems used, and one for all (is_total).
-- Formula: engines = processors of the run's systems that wait for synchronous requests (as in cf_host_cost), weighted by time. sync_us_per_request =
-- engines x 10^6 / requests per second: processor time of a request that is spent waiting for the facility. This time is within the CPU time of
-- the classes that ask (mostly CICS or DDF for Db2's structures; not IRLM for locks: the thread itself asks).
-- of_cpu_pct = that / cpu_ms_per_request of all subsystems that the study charges (without the unallocated rest, and without the study's
-- normalisation). Structures of other work (JES2, XCF, GRS) are listed too: their waits belong to no class that the study charges.
-- Rule: structure intervals whose midpoint lies in a selected interval, overlapping ones left out. covered_s is the time of the structure's intervals.
-- NULL: if a rate or service time is not printed, if it is unknown which copy of a duplexed structure is the primary (null_reason), and
-- without requests. A total with an unknown part is NULL.
-- Source: RMF Report Analysis, Coupling Facility Activity; a synchronous request keeps its processor busy.
-- Worked: 80 lock requests/s of 10 us and 10/s of 200 us: 0.0028 engines; for 8 requests/s 100 + 250 = 350 us of each.
-- Columns:
--   selected_s, covered_s [s]: covered time of the run, and of the structure's intervals in it
--   sync_per_s [1/s]: synchronous requests to the structure
--   sync_per_request: per request of the run
WITH of_system AS (
    SELECT
        study, configuration, run, structure_name, max(structure_type) AS structure_type, system,
        sum(interval_s) AS covered_s,
        mean_all(sync_per_s, interval_s) AS sync_per_s,
        mean_all(sync_us_per_s, interval_s) / 1e6 AS engines,
        max(null_reason) AS null_reason,
        flatten(list(refs ORDER BY interval_start, refs)) AS refs
    FROM run_cf_interval
    GROUP BY study, configuration, run, structure_name, system
),
of_structure AS (
    SELECT
        study, configuration, run, structure_name,
        CASE WHEN grouping(structure_name) = 0 THEN max(structure_type) END AS structure_type,
        grouping(structure_name) = 1 AS is_total,
        string_agg(DISTINCT system, ',' ORDER BY system) AS systems,
        min(covered_s) AS covered_s,
        sum_all(sync_per_s) AS sync_per_s,
        sum_all(engines) AS engines,
        string_agg(DISTINCT null_reason, '; ' ORDER BY null_reason) AS null_reason,
        flatten(list(refs ORDER BY structure_name, system, refs)) AS refs
    FROM of_system
    GROUP BY GROUPING SETS ((study, configuration, run, structure_name), (study, configuration, run))
),
charged AS (
    SELECT study, configuration, run, sum_all(cpu_ms_per_request / busy_factor) AS cpu_ms_per_request
    FROM cost_per_request
    WHERE subsystem <> 'unallocated'
    GROUP BY study, configuration, run
)
SELECT
    s.study, s.configuration, s.run, s.structure_name, s.structure_type, s.is_total, s.systems,
    r.covered_s AS selected_s, s.covered_s, s.sync_per_s,
    s.sync_per_s / nullif(r.requests_per_s, 0) AS sync_per_request,
    s.engines,
    s.engines * 1e6 / nullif(r.requests_per_s, 0) AS sync_us_per_request,
    100 * s.engines * 1000 / nullif(r.requests_per_s, 0) / nullif(c.cpu_ms_per_request, 0) AS of_cpu_pct,
    CASE WHEN s.engines IS NULL THEN coalesce(s.null_reason, 'rate or service time not printed') END AS null_reason,
    list_concat(s.refs, r.refs) AS refs
FROM of_structure AS s
JOIN run_requests AS r USING (study, configuration, run)
LEFT JOIN charged AS c USING (study, configuration, run)
