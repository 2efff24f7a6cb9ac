-- Grain: one row per system, logical control unit or alias management group, and interval.
-- Rows printed twice count once (the smallest source_id and line).
-- Rule: the values of a unit or group come from its line with *; without such a line, and with a single path, from that path.
-- io_per_s: of the line *, else of the path. busiest_path_pct = most requests that one path took / io_per_s: even paths share alike.
-- Logical control units of an alias management group are listed as well as the group: take one `kind` before adding.
-- NULL: where a value is not printed.
-- Source: RMF Report Analysis, I/O Queuing Activity.
-- Worked: paths took 310.44, 311.02 and 299.87 of 921.33 requests/s: 33.76% on the busiest of 3.
-- Shards: by interval_start.
-- Columns:
--   kind, unit: lcu or alias_group, and its number
--   paths: channel paths printed
--   io_per_s [1/s]: requests that its paths took
--   alias_waits_per_s [1/s]: the same per second
--   is_conflicting: the row was printed again with other values, or a system of another sysplex has its name: pages name no sysplex
WITH once AS (
    SELECT
        *, CASE WHEN alias_group IS NOT NULL THEN 'alias_group' ELSE 'lcu' END AS kind, coalesce(alias_group, lcu) AS unit
    FROM once_rmf_io_queue
    WHERE coalesce(alias_group, lcu) IS NOT NULL
),
of_unit AS (
    SELECT
        sysplex, system, kind, unit, report_kind, interval_start, interval_end,
        count(*) FILTER (NOT is_total) AS paths,
        CASE WHEN count(taken_per_s) = count(*) THEN max(taken_per_s) FILTER (NOT is_total) END AS busiest_per_s,
        -- The line of all paths, or the only one.
        arg_max(once, struct_pack(a := is_total, b := source_id, c := line)) FILTER (is_total OR channel_path_id IS NOT NULL) AS whole,
        bool_or(is_conflicting) AS is_conflicting,
        all_refs(source_id, page, line) AS refs
    FROM once
    GROUP BY sysplex, system, kind, unit, report_kind, interval_start, interval_end
    HAVING bool_or(is_total) OR count(*) = 1
)
SELECT
    sysplex, system, kind, unit, report_kind, interval_start, interval_end, whole.interval_s AS interval_s, paths,
    whole.taken_per_s AS io_per_s,
    100 * busiest_per_s / nullif(whole.taken_per_s, 0) AS busiest_path_pct,
    whole.director_busy_pct, whole.control_unit_busy_pct, whole.contention_per_s, whole.delay_queue_length_avg,
    whole.channel_subsystem_delay_ms, whole.command_response_delay_ms, whole.control_unit_busy_delay_ms, whole.alias_wait_per_request,
    whole.alias_wait_per_request * whole.taken_per_s AS alias_waits_per_s,
    whole.aliases_max, whole.open_exchanges_avg, whole.transfers_avg,
    is_conflicting, refs
FROM of_unit
