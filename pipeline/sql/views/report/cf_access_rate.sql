-- Grain: one row per Db2 data sharing group, system and interval.
-- Structures of a group are named GROUP_LOCK1, GROUP_SCA and GROUP_GBPn; a structure with another name belongs to no
-- group.
-- Formula: accesses_per_s = lock_per_s + gbp_per_s. Secondary copies of duplexed structures are listed apart: Db2 counts
-- an access once.
-- NULL if the rate of a structure of that kind is not printed, if the role of its copies is unknown, or if
-- only its secondary copy is in the lake (null_reason); if there is no structure of a kind, its rate is NULL and
-- counts as 0 in the sum.
-- Rates of systems may be added for one interval; over time, weight them by interval_s, and leave overlapping
-- intervals out.
-- Source: RMF Report Analysis, Coupling Facility Activity, AVG/SEC; Db2 Data Sharing: Planning and Administration,
-- names.
-- Worked: LOCK1 154.28/s and GBP0, GBP1, GBP2 0.11, 107.58, 63.36/s give 325.33/s.
-- Shards: by interval_start.
-- Columns:
--   db2_group: data sharing group, by the names of its structures
--   lock_per_s, gbp_per_s, sca_per_s [1/s]: requests to the lock structure, to group buffer pools, to the SCA
--   secondary_per_s [1/s]: requests to secondary copies
--   structures: how many structures, copies included
WITH named AS (
    SELECT
        *,
        regexp_extract(structure_name, '^(.+)_(LOCK|SCA|GBP)[0-9K]*$', 1) AS db2_group,
        regexp_extract(structure_name, '^(.+)_(LOCK|SCA|GBP)[0-9K]*$', 2) AS kind,
        CASE WHEN is_counted THEN requests_per_s WHEN NOT is_counted THEN 0 END AS added_per_s
    FROM cf_structure_interval
    WHERE regexp_matches(structure_name, '^(.+)_(LOCK|SCA|GBP)[0-9K]*$')
)
SELECT
    sysplex, system, db2_group, interval_start, interval_end,
    max(interval_s) AS interval_s,
    sum_all(added_per_s, kind = 'LOCK') AS lock_per_s,
    sum_all(added_per_s, kind = 'GBP') AS gbp_per_s,
    sum_all(added_per_s, kind = 'SCA') AS sca_per_s,
    sum_all(added_per_s, kind IN ('LOCK', 'GBP')) AS accesses_per_s,
    sum_all(requests_per_s, is_secondary) AS secondary_per_s,
    count(*) AS structures,
    string_agg(
            DISTINCT coalesce(null_reason, concat('rate of ', structure_name, ' not printed')), '; '
            ORDER BY coalesce(null_reason, concat('rate of ', structure_name, ' not printed'))
        ) FILTER (added_per_s IS NULL) AS null_reason,
    bool_or(is_overlapping) AS is_overlapping,
    bool_or(is_conflicting) AS is_conflicting,
    flatten(list(refs ORDER BY structure_name, cf_name, refs)) AS refs
FROM named
GROUP BY sysplex, system, db2_group, interval_start, interval_end
