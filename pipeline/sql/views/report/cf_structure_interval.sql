-- Grain: one row per coupling facility, structure, system and interval, as interval reports print it.
-- Left out: TOTAL rows and duration reports. Rows printed twice count once (the smallest source_id and line).
-- Rates by kind: requests_per_s is printed with more digits than counts in K, so sync_per_s is its share of it:
-- requests_per_s x sync / (sync + async). CHNGD requests are within the asynchronous ones.
-- is_overlapping: an interval of the same structure and system that began no later reaches into this one (two runs of the Postprocessor with
-- other lengths); do not add such rows to it.
-- Duplexing: a request to a duplexed structure goes to both copies at the same time, and both pages count it. To add structures, take
-- the rows where is_counted: the primaries, and structures that have one copy. Asynchronously duplexed secondaries (A) get their
-- operations from the primary's facility, and few requests from systems.
-- Role of a copy: as STATUS of its activity, or of the usage summary of its facility, prints it (PRIM, SEC); where only one copy has a
-- printed role, the other copy has the other role. A summary that prints no role says that the structure is not duplexed at the end of
-- the interval: two such structures of one name are one that moved, and add. Structures of one name in two facilities without a printed
-- role may be a pair or one that moved: is_counted is NULL, unless one alone has requests.
-- Source: RMF Report Analysis, Coupling Facility Activity, "Structure Activity" and "Usage Summary"; z/OS MVS Setting Up a Sysplex,
-- SA23-1399, duplexing rebuild.
-- Shards: by interval_start.
-- Columns:
--   status: as printed
--   duplex_role: PRIM or SEC; NULL if the structure is not duplexed or its role is unknown
--   duplex_basis: where the role is from: status, usage_summary, other_copy; not_duplexed by the usage summary; only_copy: no other
--     facility has requests to a structure of this name; unknown; contradictory: what is printed does not agree
--   is_secondary: the structure is the secondary copy of a duplexed pair; NULL if that is unknown
--   is_counted: TRUE: its requests are to be added; FALSE: they are those of the system to the primary, which are in the lake; NULL: not
--     known
--   null_reason: why is_counted is NULL: role of the copies unknown, or primary copy not in the lake
--   sync_per_s [1/s]: synchronous requests
--   async_per_s [1/s]: asynchronous requests
WITH placed AS (
    SELECT
        *,
        sync_requests + async_requests AS requests_by_kind,
        max(interval_end) OVER (
            PARTITION BY sysplex, cf_name, structure_name, system
            ORDER BY interval_start, interval_end DESC
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS latest_end
    FROM once_rmf_cf_structure_activity
    WHERE is_total IS NOT TRUE AND report_kind = 'interval'
),
-- The summary of an interval, once for each structure. A blank role means "not duplexed" only where figures are printed beside it (is_read).
summary AS (
    SELECT
        sysplex, interval_start, interval_end, cf_name, structure_name,
        max(duplex_role) AS summary_role,
        bool_or(duplex_asynchronous) AS duplex_asynchronous,
        count(DISTINCT duplex_role) > 1 AS is_twofold,
        count(coalesce(list_directory_entries_current, data_elements_current, lock_entries_current)) > 0 AS is_read
    FROM rmf_cf_structure_summary
    WHERE is_total IS NOT TRUE AND report_kind = 'interval' AND structure_name IS NOT NULL
    GROUP BY sysplex, interval_start, interval_end, cf_name, structure_name
),
-- One row per copy, all systems.
printed_role AS (
    SELECT
        copy.*,
        summary.duplex_asynchronous,
        CASE
            WHEN copy.is_twofold OR coalesce(summary.is_twofold, FALSE) OR copy.status_role <> summary.summary_role THEN 'contradictory'
            WHEN copy.status_role IS NOT NULL THEN 'status'
            WHEN summary.summary_role IS NOT NULL THEN 'usage_summary'
            WHEN summary.is_read THEN 'not_duplexed'
        END AS basis,
        coalesce(copy.status_role, summary.summary_role) AS role
    FROM (
        SELECT
            sysplex, interval_start, interval_end, structure_name, cf_name,
            max(CASE WHEN status LIKE '%SEC%' THEN 'SEC' WHEN status LIKE '%PRI%' THEN 'PRIM' END) AS status_role,
            count(DISTINCT CASE WHEN status LIKE '%SEC%' THEN 'SEC' WHEN status LIKE '%PRI%' THEN 'PRIM' END) > 1 AS is_twofold,
            bool_and(coalesce(requests, requests_per_s) IS NOT DISTINCT FROM 0) AS is_idle
        FROM placed
        GROUP BY sysplex, interval_start, interval_end, structure_name, cf_name
    ) AS copy
    LEFT JOIN summary
        ON summary.sysplex IS NOT DISTINCT FROM copy.sysplex AND summary.cf_name IS NOT DISTINCT FROM copy.cf_name
        AND summary.structure_name = copy.structure_name
        AND summary.interval_start = copy.interval_start AND summary.interval_end = copy.interval_end
),
beside AS (
    SELECT
        *,
        count(*) OVER of_name AS copies,
        count_if(NOT is_idle) OVER of_name AS busy_copies,
        coalesce(bool_or(basis = 'contradictory') OVER of_name, FALSE) AS is_any_contradictory,
        count_if(basis IN ('status', 'usage_summary') AND role = 'PRIM') OVER of_name AS primaries,
        count_if(basis IN ('status', 'usage_summary') AND role = 'SEC') OVER of_name AS secondaries
    FROM printed_role
    WINDOW of_name AS (PARTITION BY sysplex, interval_start, interval_end, structure_name)
),
judged AS (
    SELECT
        sysplex, interval_start, interval_end, structure_name, cf_name, role, duplex_asynchronous, is_idle, primaries,
        CASE
            WHEN basis = 'contradictory' OR primaries > 1 OR secondaries > 1 THEN 'contradictory'
            WHEN basis IS NOT NULL THEN basis
            WHEN copies = 2 AND primaries + secondaries = 1 THEN 'other_copy'
            WHEN busy_copies <= 1 AND NOT is_idle OR copies = 1 THEN 'only_copy'
            WHEN is_any_contradictory THEN 'contradictory'
            ELSE 'unknown'
        END AS duplex_basis
    FROM beside
),
copy_role AS (
    SELECT
        * EXCLUDE (role),
        CASE
            WHEN duplex_basis IN ('status', 'usage_summary') THEN role
            WHEN duplex_basis = 'other_copy' THEN CASE WHEN primaries = 1 THEN 'SEC' ELSE 'PRIM' END
        END AS duplex_role,
        CASE WHEN duplex_basis NOT IN ('contradictory', 'unknown') THEN CASE
            WHEN duplex_basis = 'other_copy' THEN primaries = 1
            WHEN duplex_basis IN ('status', 'usage_summary') THEN role = 'SEC'
            ELSE FALSE END
        END AS is_secondary
    FROM judged
),
with_role AS (
    SELECT
        placed.*, copy_role.duplex_role, copy_role.duplex_asynchronous, copy_role.duplex_basis, copy_role.is_secondary, copy_role.is_idle
    FROM placed
    LEFT JOIN copy_role
        ON copy_role.sysplex IS NOT DISTINCT FROM placed.sysplex AND copy_role.cf_name IS NOT DISTINCT FROM placed.cf_name
        AND copy_role.structure_name IS NOT DISTINCT FROM placed.structure_name
        AND copy_role.interval_start IS NOT DISTINCT FROM placed.interval_start
        AND copy_role.interval_end IS NOT DISTINCT FROM placed.interval_end
),
-- The primary must have the row of the system, too.
counted AS (
    SELECT
        *,
        CASE
            WHEN is_secondary AND bool_or(duplex_role = 'PRIM') OVER (
                PARTITION BY sysplex, interval_start, interval_end, structure_name, system
            ) THEN FALSE
            WHEN NOT is_secondary OR (is_secondary IS NULL AND is_idle) THEN TRUE
        END AS is_counted
    FROM with_role
)
SELECT
    sysplex, system, cf_name, structure_name, structure_type, status,
    duplex_role, duplex_asynchronous, duplex_basis, is_secondary, is_counted,
    CASE
        WHEN is_counted IS NOT NULL THEN NULL
        WHEN is_secondary THEN concat('primary copy of ', structure_name, ' not in the lake')
        ELSE concat('role of the copies of ', structure_name, ' ', duplex_basis)
    END AS null_reason,
    interval_start, interval_end, interval_s,
    requests, requests_per_s,
    sync_requests, sync_service_us, sync_service_stddev_us,
    requests_per_s * sync_requests / nullif(requests_by_kind, 0) AS sync_per_s,
    async_requests, async_service_us, async_service_stddev_us,
    requests_per_s * async_requests / nullif(requests_by_kind, 0) AS async_per_s,
    changed_requests,
    contention_requests, contention_requests_resolution, contention_deferred,
    contention_total, contention_total_resolution, contention_false, contention_false_resolution,
    -- Intervals end a little off the clock: one second does not count as an overlap.
    coalesce(latest_end > interval_start + INTERVAL 1 SECOND, FALSE) AS is_overlapping,
    is_conflicting, refs
FROM counted
