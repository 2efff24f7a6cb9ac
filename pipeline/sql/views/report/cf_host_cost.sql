-- Grain: one row per coupling facility, structure, system and interval.
-- Formula: a processor waits for a synchronous request, so engines = sync_per_s x sync_service_us / 1,000,000.
-- Engines of structures and facilities may be added for one system and interval; over time, weight them by interval_s, and leave overlapping
-- intervals out. Asynchronous requests cost the host too, but not their service time.
-- Duplexing: a request goes to both copies at once, and one processor waits for both. engines is that of the primary; NULL on the
-- secondary, and where the role of two copies is unknown (null_reason). sync_per_s and sync_service_us are printed for each copy.
-- Not for: facilities whose requests z/OS makes asynchronous by itself (they cost a task switch instead of a wait); a processor with
-- multithreading waits as a core, so its other thread waits too.
-- Source: RMF Report Analysis, Coupling Facility Activity, SERV TIME; a synchronous request keeps its processor busy.
-- Worked: 251.5/s x 150.4 us = 3.78% of one engine.
-- Shards: by interval_start.
-- Columns:
--   engines: engines that wait for them; NULL on secondary copies
--   host_cpu_pct [% of one engine]: the same in percent
SELECT
    sysplex, system, cf_name, structure_name, structure_type, interval_start, interval_end, interval_s,
    sync_per_s, sync_service_us,
    CASE WHEN is_counted THEN sync_us_per_s / 1e6 END AS engines,
    CASE WHEN is_counted THEN sync_us_per_s / 1e4 END AS host_cpu_pct,
    duplex_role, is_secondary,
    CASE
        WHEN is_counted IS NULL THEN null_reason
        WHEN NOT is_counted THEN 'secondary copy: the wait is its primary''s'
        WHEN sync_us_per_s IS NULL THEN 'rate or service time not printed'
    END AS null_reason,
    is_overlapping, is_conflicting, refs
FROM (
    SELECT
        *,
        -- Without requests no time is printed.
        CASE WHEN requests_per_s = 0 OR sync_requests = 0 THEN 0 ELSE sync_per_s * sync_service_us END AS sync_us_per_s
    FROM cf_structure_interval
)
