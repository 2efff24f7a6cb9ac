-- Grain: one row per coupling facility and interval.
-- Rows printed twice count once (the smallest source_id and line).
-- Formulas: used = total - available. reclaims = DIR REC of its caches (lists and locks have none); a reclaim of a directory entry in use
-- invalidates pages of members (DIR REC XI'S). largest_structure_pct: of the storage of the facility: another facility must have this much free to
-- take the structure over.
-- NULL: if a part is not printed; reclaims where one cache prints none, or there is none.
-- Source: RMF Report Analysis, Coupling Facility Activity, "Storage Summary" and "Structure Summary".
-- Worked: 19,456,327,680 of 21,474,836,480 bytes available: 9.40% used.
-- Shards: by interval_start.
-- Columns:
--   total_bytes, available_bytes, structure_bytes, dump_bytes [bytes]: as printed
--   used_pct [%]: see above
--   structures: how many are printed
--   largest_structure: of the most allocated storage; NULL where that of one is unknown
--   reclaim_invalidations, gbp_invalidations: see above, of all caches, and of group buffer pools of Db2
--   reclaiming_structures: how many reclaimed entries
WITH summed AS (
    SELECT
        sysplex, report_kind, interval_start, interval_end, cf_name,
        count(*) AS structures, bool_or(is_conflicting) AS is_conflicting,
        -- A structure of unknown size may be the largest.
        CASE WHEN count(allocated_bytes) = count(*)
            THEN arg_max(structure_name, struct_pack(bytes := allocated_bytes, name := structure_name)) END AS largest_structure,
        max_all(allocated_bytes) AS largest_bytes,
        sum_all(directory_reclaims, structure_type = 'CACHE') AS reclaims,
        sum_all(directory_reclaim_cross_invalidations, structure_type = 'CACHE') AS reclaim_invalidations,
        sum_all(directory_reclaim_cross_invalidations, structure_name LIKE '%\_GBP%' ESCAPE '\') AS gbp_invalidations,
        count(*) FILTER (directory_reclaims > 0) AS reclaiming_structures,
        list(ref(source_id, page, line) ORDER BY source_id, line, page) FILTER (directory_reclaims > 0) AS refs
    FROM once_rmf_cf_structure_summary
    WHERE NOT is_total
    GROUP BY sysplex, report_kind, interval_start, interval_end, cf_name
)
SELECT
    f.sysplex, f.cf_name, f.report_kind, f.interval_start, f.interval_end,
    f.total_storage_bytes AS total_bytes, f.available_storage_bytes AS available_bytes,
    f.structure_storage_bytes AS structure_bytes, f.dump_storage_bytes AS dump_bytes,
    100 * (f.total_storage_bytes - f.available_storage_bytes) / nullif(f.total_storage_bytes, 0) AS used_pct,
    s.structures, s.largest_structure,
    100 * s.largest_bytes / nullif(f.total_storage_bytes, 0) AS largest_structure_pct,
    s.reclaims, s.reclaim_invalidations, s.gbp_invalidations, s.reclaiming_structures,
    f.is_conflicting OR coalesce(s.is_conflicting, FALSE) AS is_conflicting,
    list_concat(f.refs, coalesce(s.refs, [])) AS refs
FROM once_rmf_cf_usage AS f
LEFT JOIN summed AS s
    ON s.sysplex IS NOT DISTINCT FROM f.sysplex AND s.report_kind IS NOT DISTINCT FROM f.report_kind
    AND s.interval_start = f.interval_start AND s.interval_end = f.interval_end AND s.cf_name = f.cf_name
WHERE f.cf_name IS NOT NULL
