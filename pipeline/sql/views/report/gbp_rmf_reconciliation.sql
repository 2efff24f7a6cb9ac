-- Grain: one row per Db2 member, group buffer pool, interval of Db2, and system of a sysplex of RMF that used the structure in the
-- interval. Structures of one name in two sysplexes stay apart: no report says which of them the member uses.
-- The structure is GROUP_GBPn; of a duplexed pair the primary copy. Where the primary copy is unknown, each copy is listed and
-- neither is compared (null_reason). Where RMF prints no structure of that name, all structures whose name ends in _GBPn are listed as
-- candidates (structure_match 'pool'): the name of a group need not be that of its structures.
-- No report prints the system of a member: take the row of its system, or compare the group: group_accesses_per_s with rmf_structure_per_s.
-- Rule: RMF intervals whose midpoint lies in the Db2 interval, overlapping ones left out; rates are weighted by time.
-- covered_s says how much of the Db2 interval they cover. A Db2 row without RMF stays, with NULL; an RMF row without Db2 is not listed.
-- The two may differ: where Db2 prints pages alone (accesses_basis 'pages') one request may have moved many, and reads
-- by prefetch are in RMF's count only.
-- Source: group_buffer_pool, cf_structure_interval; members without a report of their own come from reports of their group.
-- Worked: 2091 accesses in 600 s are 3.485/s beside 2.63/s that RMF shows for 2 minutes of it.
-- Shards: by begin_at.
-- Columns:
--   report_kind: as in group_buffer_pool
--   structure_name, cf_name, sysplex, system: the structure and the system as in RMF
--   structure_match: group where the structure is named as the group, pool where only the pool fits; NULL without RMF
--   interval_elapsed_s, covered_s [s]: length of the Db2 interval, and of the RMF intervals in it
--   accesses_per_s [1/s]: of the member, as Db2 counts
--   group_accesses_per_s [1/s]: of all members that have this interval; NULL if one is unknown
--   rmf_requests_per_s [1/s]: of the system, as RMF counts
--   rmf_structure_per_s [1/s]: of all systems
--   rmf_less_db2_per_s [1/s]: rmf_requests_per_s - accesses_per_s
--   duplex_role, is_secondary: of the copy that is listed
WITH members AS (
    SELECT
        *,
        CASE WHEN count(accesses_per_s) OVER of_group = count(*) OVER of_group THEN sum(accesses_per_s) OVER of_group END
            AS group_accesses_per_s
    FROM (
        FROM group_buffer_pool
        WHERE scope IN ('member', 'group_member')
        QUALIFY is_own_or_only(scope, (location, db2_group, gbp, coalesce(member, subsystem), report_kind, begin_at, end_at))
    )
    WINDOW of_group AS (PARTITION BY location, db2_group, gbp, report_kind, begin_at, end_at)
),
requests AS (
    SELECT
        *,
        interval_start + (interval_end - interval_start) / 2 AS midpoint,
        regexp_extract(structure_name, '^(.+)_(GBP[0-9K]+)$', 1) AS structure_group,
        regexp_extract(structure_name, '^(.+)_(GBP[0-9K]+)$', 2) AS structure_gbp
    FROM cf_structure_interval
    WHERE is_counted IS NOT FALSE AND NOT is_overlapping
),
beside AS (
    SELECT
        members.db2_group, members.member, members.gbp, members.report_kind, members.begin_at, members.end_at,
        requests.structure_name, requests.cf_name, requests.sysplex, requests.system,
        members.location, members.subsystem,
        bool_or(requests.structure_group = members.db2_group) AS is_of_group,
        any_value(members.interval_elapsed_s) AS interval_elapsed_s,
        sum(requests.interval_s) AS covered_s,
        any_value(members.accesses_per_s) AS accesses_per_s,
        any_value(members.group_accesses_per_s) AS group_accesses_per_s,
        mean_all(requests.requests_per_s, requests.interval_s) AS rmf_requests_per_s,
        one_value(requests.duplex_role)
            AS duplex_role,
        CASE WHEN count(requests.is_secondary) = count(*) THEN bool_or(requests.is_secondary) END AS is_secondary,
        any_value(members.accesses_basis) AS accesses_basis,
        max(requests.null_reason) AS copy_null_reason,
        max(members.null_reason) AS db2_null_reason,
        any_value(members.refs) AS db2_refs,
        flatten(list(requests.refs ORDER BY requests.interval_start, requests.refs)) AS rmf_refs
    FROM members
    LEFT JOIN requests
        ON requests.structure_gbp = members.gbp
        AND requests.midpoint >= members.begin_at
        AND requests.midpoint < members.end_at
    GROUP BY
        members.location, members.db2_group, members.member, members.subsystem, members.gbp, members.report_kind,
        members.begin_at, members.end_at, requests.structure_name, requests.cf_name, requests.sysplex, requests.system
),
chosen AS (
    SELECT *
    FROM beside
    QUALIFY is_of_group OR NOT coalesce(bool_or(is_of_group) OVER (
        PARTITION BY location, db2_group, member, subsystem, gbp, report_kind, begin_at, end_at
    ), FALSE)
)
SELECT
    location, db2_group, member, gbp, report_kind, begin_at, end_at,
    structure_name, cf_name, sysplex, system,
    CASE WHEN is_of_group THEN 'group' WHEN structure_name IS NOT NULL THEN 'pool' END AS structure_match,
    interval_elapsed_s, covered_s,
    accesses_per_s, group_accesses_per_s,
    rmf_requests_per_s,
    CASE WHEN count(rmf_requests_per_s) OVER of_structure = count(*) OVER of_structure AND copy_null_reason IS NULL
        THEN sum(rmf_requests_per_s) OVER of_structure
    END AS rmf_structure_per_s,
    CASE WHEN copy_null_reason IS NULL THEN rmf_requests_per_s - accesses_per_s END AS rmf_less_db2_per_s,
    duplex_role, is_secondary, accesses_basis,
    CASE WHEN structure_name IS NULL THEN 'no structure of this pool in the interval'
        ELSE coalesce(copy_null_reason, db2_null_reason) END AS null_reason,
    CASE WHEN structure_name IS NULL THEN db2_refs ELSE list_concat(db2_refs, rmf_refs) END AS refs
FROM chosen
WINDOW of_structure AS (
    PARTITION BY location, db2_group, member, subsystem, gbp, report_kind, begin_at, end_at, structure_name, cf_name, sysplex
)
