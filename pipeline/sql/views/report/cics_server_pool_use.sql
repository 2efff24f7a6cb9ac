-- Grain: one row per CICS server, pool and time that the server printed its pool's list structure.
-- Rows printed twice count once (the smallest source_id and line).
-- Several servers of a pool (one per system) print the same structure: do not add them.
-- Formulas: …_in_use_pct = in use / total, …_max_used_pct = most in use since the last reset / total. A structure may have been altered
-- since, so that max_used is above 100%. fullest_pct = the largest of the three max_used: at 100% writes fail; NULL if one is not known.
-- Source: CICS Transaction Server, messages DFHCF0432I and DFHNC0432I.
-- Worked: 21,052 of 84,210 entries are 25.00%, 25,263 at most 30.00%; 140 of 1,024 lists 13.67%, 28,800 of 96,000 elements 30%.
-- Shards: by collected_at.
-- Columns:
--   size_pct [%]: size_bytes / size_max_bytes: what is left to grow by altering
--   lists_in_use_pct, lists_max_used_pct, entries_in_use_pct, entries_max_used_pct [%]: see above
--   elements_in_use_pct, elements_max_used_pct, fullest_pct [%]: see above; named counters have no lists and no elements
--   is_conflicting: the key was printed again, with another value in any column, or without one
WITH shared AS (
    SELECT
        *,
        100 * lists_in_use / nullif(lists_total, 0) AS lists_in_use_pct,
        100 * lists_max_used / nullif(lists_total, 0) AS lists_max_used_pct,
        100 * entries_in_use / nullif(entries_total, 0) AS entries_in_use_pct,
        100 * entries_max_used / nullif(entries_total, 0) AS entries_max_used_pct,
        100 * elements_in_use / nullif(elements_total, 0) AS elements_in_use_pct,
        100 * elements_max_used / nullif(elements_total, 0) AS elements_max_used_pct
    FROM once_cics_server_pool
)
SELECT
    system, job_id, server, structure_name, collected_at, printed_at, size_bytes, size_max_bytes,
    100 * size_bytes / nullif(size_max_bytes, 0) AS size_pct,
    objects_current, objects_highest,
    lists_in_use_pct, lists_max_used_pct, entries_in_use_pct, entries_max_used_pct, elements_in_use_pct, elements_max_used_pct,
    -- greatest() ignores NULL, and an unknown part may be the fullest.
    CASE
        WHEN server = 'named_counter' THEN entries_max_used_pct
        WHEN lists_max_used_pct IS NOT NULL AND entries_max_used_pct IS NOT NULL AND elements_max_used_pct IS NOT NULL
            THEN greatest(lists_max_used_pct, entries_max_used_pct, elements_max_used_pct)
    END AS fullest_pct,
    is_conflicting, refs
FROM shared
