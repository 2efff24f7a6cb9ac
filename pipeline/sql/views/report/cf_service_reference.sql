-- Grain: one row per coupling facility, system and interval with synchronous requests.
-- Synchronous service time beside the time to expect of its links: reference_us by the type of the links in use, plus 10 us for each kilometre of
-- distance that is printed as a number (light goes there and back at 5 us/km).
-- above_reference_us = sync_service_us - reference_us: time in the facility (busy or shared processors), large data, busy paths.
-- References are for small requests (locks) to a facility on dedicated processors: caches and lists that move data take longer.
-- NULL: where a link has a type without a reference, or no links are printed; where links differ in reference or distance (a distance that is not
-- printed differs from one that is), because no page says how many requests each of them carried.
-- Source: field practice, IBM Z z14 to z16: ICP 5, CS5 8, CL5 and CL6 12, CIB 14, CFP 25 us; 10 us/km: z/OS Parallel Sysplex, coupling links over distance.
-- Worked: CS5 over less than 1 km, 5.6 us: 2.4 us less than its reference.
-- Shards: by interval_start.
-- Columns:
--   distance_km [km]: longest printed; NULL if none is a number (<1)
--   reference_us [us]: see above
--   of_reference_pct [%]: sync_service_us in percent of reference_us
--   sync_engines: engines of the system that wait
WITH reference AS (
    SELECT *
    FROM (VALUES ('ICP', 5), ('CS5', 8), ('CL5', 12), ('CL6', 12), ('CIB', 14), ('CFP', 25)) AS listed (link_type, reference_us)
),
link AS (
    SELECT
        sysplex, cf_name, system, report_kind, interval_start, interval_end,
        unnest(string_split(link_types, ',')) AS link_type
    FROM cf_link_interval
    WHERE link_types IS NOT NULL
),
expected AS (
    SELECT
        sysplex, cf_name, system, report_kind, interval_start, interval_end,
        CASE WHEN count(reference_us) = count(*) AND min(reference_us) = max(reference_us) THEN max(reference_us) END AS reference_us
    FROM link
    LEFT JOIN reference USING (link_type)
    GROUP BY sysplex, cf_name, system, report_kind, interval_start, interval_end
),
far AS (
    SELECT
        sysplex, cf_name, system, report_kind, interval_start, interval_end,
        max(TRY_CAST(distance AS DOUBLE)) AS distance_km,
        CASE WHEN count(DISTINCT coalesce(distance, '')) <= 1 THEN coalesce(max(TRY_CAST(distance AS DOUBLE)), 0) END AS one_distance_km
    FROM rmf_cf_channel_path
    WHERE system IS NOT NULL
    GROUP BY sysplex, cf_name, system, report_kind, interval_start, interval_end
),
beside AS (
    SELECT
        l.sysplex, l.cf_name, l.system, l.report_kind, l.interval_start, l.interval_end,
        l.link_types, far.distance_km, l.requests_per_s, l.sync_share_pct, l.sync_service_us,
        e.reference_us + 10 * CASE WHEN far.cf_name IS NULL THEN 0 ELSE far.one_distance_km END AS expected_us,
        l.sync_engines, l.refs
    FROM cf_link_interval AS l
    LEFT JOIN expected AS e
        ON e.sysplex IS NOT DISTINCT FROM l.sysplex AND e.cf_name = l.cf_name AND e.system IS NOT DISTINCT FROM l.system
        AND e.report_kind = l.report_kind AND e.interval_start = l.interval_start AND e.interval_end = l.interval_end
    LEFT JOIN far
        ON far.sysplex IS NOT DISTINCT FROM l.sysplex AND far.cf_name = l.cf_name AND far.system IS NOT DISTINCT FROM l.system
        AND far.report_kind = l.report_kind AND far.interval_start = l.interval_start AND far.interval_end = l.interval_end
    WHERE l.sync_requests > 0
)
SELECT
    sysplex, cf_name, system, report_kind, interval_start, interval_end,
    link_types, distance_km, requests_per_s, sync_share_pct, sync_service_us,
    expected_us AS reference_us,
    sync_service_us - expected_us AS above_reference_us,
    100 * sync_service_us / expected_us AS of_reference_pct,
    sync_engines, refs
FROM beside
