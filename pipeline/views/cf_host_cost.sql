-- Grain: one row a coupling facility, structure, system and interval.
-- Inputs: cf_structure_interval.
-- Formula: a processor waits for a synchronous request, so engines = sync_per_s x sync_service_us / 1,000,000.
-- Engines of structures and facilities may be added for one system and interval; over time, weight them by
-- interval_s, and
-- leave overlapping intervals out. Asynchronous requests cost the host too, but not their service time.
-- Source: RMF Report Analysis, Coupling Facility Activity, SERV TIME; a synchronous request keeps its processor busy.
-- Worked: 251.5/s x 150.4 us = 3.78% of one engine.
-- Columns:
--   sysplex, system, cf_name, structure_name, structure_type: what the row is about
--   interval_start, interval_end, interval_s [s]: the interval
--   sync_per_s [1/s], sync_service_us [us]: synchronous requests and their service time
--   engines: engines that wait for them
--   host_cpu_pct [% of one engine]: the same in percent
--   is_overlapping, is_conflicting: as in cf_structure_interval
--   refs: the printed rows
WITH final AS (
    SELECT
        sysplex, system, cf_name, structure_name, structure_type, interval_start, interval_end, interval_s,
        sync_per_s, sync_service_us,
        sync_per_s * sync_service_us / 1e6 AS engines,
        100.0 * sync_per_s * sync_service_us / 1e6 AS host_cpu_pct,
        is_overlapping, is_conflicting, refs
    FROM cf_structure_interval
)
SELECT * FROM final
