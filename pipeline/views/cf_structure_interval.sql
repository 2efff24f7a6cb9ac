-- Grain: one row a coupling facility, structure, system and interval, as interval reports print it.
-- Inputs: rmf_cf_structure_activity.
-- Left out: TOTAL rows and duration reports. What is printed twice counts once (the smallest source_id and line).
-- Rates by kind: requests_per_s is printed with more digits than counts in K, so sync_per_s is its share of it:
-- requests_per_s x sync / (sync + async). CHNGD requests are within the asynchronous ones.
-- is_overlapping: an interval of the same structure and system that began no later reaches into this one (two runs of
-- the
-- Postprocessor with other lengths); such rows are not to be added to it.
-- Source: RMF Report Analysis, Coupling Facility Activity, "Structure Activity".
-- Columns:
--   sysplex, system, cf_name, structure_name, structure_type: what the row is about
--   status: as printed
--   is_secondary: the structure is the secondary copy of a duplexed pair
--   interval_start, interval_end, interval_s [s]: the interval
--   requests, requests_per_s [1/s]: all requests, as printed
--   sync_requests, sync_service_us, sync_service_stddev_us [us], sync_per_s [1/s]: synchronous requests
--   async_requests, async_service_us, async_service_stddev_us [us], async_per_s [1/s]: asynchronous requests
--   changed_requests: changed from synchronous to asynchronous
--   contention_requests, contention_requests_resolution: EXTERNAL REQUEST CONTENTIONS, REQ TOTAL (1996: # REQ)
--   contention_deferred: REQ DEFERRED, or # REQ DELAYED
--   contention_total, contention_total_resolution: -CONT
--   contention_false, contention_false_resolution: -FALSE CONT
--   is_overlapping: see above
--   is_conflicting: the key was also printed with other values
--   refs: the printed rows
WITH copies AS (
    SELECT
        *,
        row_number() OVER first_to_last AS copy,
        list(struct_pack(source_id := source_id, page := page, line := line)) OVER all_copies AS refs,
        min(row(requests, requests_per_s, sync_requests, sync_service_us, async_requests, async_service_us,
            contention_requests, contention_total, contention_false)) OVER all_copies AS least,
        max(row(requests, requests_per_s, sync_requests, sync_service_us, async_requests, async_service_us,
            contention_requests, contention_total, contention_false)) OVER all_copies AS most
    FROM rmf_cf_structure_activity
    WHERE is_total IS NOT TRUE AND report_kind = 'interval'
    WINDOW
        first_to_last AS (
            PARTITION BY sysplex, interval_start, interval_end, cf_name, structure_name, system
            ORDER BY source_id, line
        ),
        all_copies AS (
            PARTITION BY sysplex, interval_start, interval_end, cf_name, structure_name, system
            ORDER BY source_id, line
            ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
        )
),
placed AS (
    SELECT
        *,
        sync_requests + async_requests AS requests_by_kind,
        max(interval_end) OVER (
            PARTITION BY sysplex, cf_name, structure_name, system
            ORDER BY interval_start, interval_end DESC
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS latest_end
    FROM copies
    WHERE copy = 1
),
final AS (
    SELECT
        sysplex, system, cf_name, structure_name, structure_type, status,
        coalesce(status LIKE '%SEC%', FALSE) AS is_secondary,
        interval_start, interval_end, interval_s,
        requests, requests_per_s,
        sync_requests, sync_service_us, sync_service_stddev_us,
        requests_per_s * sync_requests / nullif(requests_by_kind, 0) AS sync_per_s,
        async_requests, async_service_us, async_service_stddev_us,
        requests_per_s * async_requests / nullif(requests_by_kind, 0) AS async_per_s,
        changed_requests,
        contention_requests, contention_requests_resolution, contention_deferred,
        contention_total, contention_total_resolution, contention_false, contention_false_resolution,
        -- Intervals end a little off the clock: a second is no overlap.
        coalesce(latest_end > interval_start + INTERVAL 1 SECOND, FALSE) AS is_overlapping,
        least IS DISTINCT FROM most AS is_conflicting,
        refs
    FROM placed
)
SELECT * FROM final
