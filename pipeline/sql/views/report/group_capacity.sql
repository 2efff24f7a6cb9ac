-- Grain: one row per system whose page it is, interval, capacity group and partition of it.
-- Every system of a group prints all its partitions: take the pages of one system.
-- The use that the limit of the group leaves to each partition: above its least entitlement a partition uses what others leave; below it, the
-- partition is never capped for the group. During capping_actual_pct of the time the ITR of this interval is set by the cap, not the machine.
-- Formulas: group_msu_used = sum over the partitions; group_use_of_limit_pct = that / limit; use_of_entitlement_pct = msu_used / msu_entitled_min.
-- NULL: a value that the page does not print, or that two prints give differently; a sum, and any share of it, where a part is NULL or a printed
-- TOTAL differs. MSU may differ by their rounding where TOTAL has the weights of all partitions.
-- Source: RMF Report Analysis, Group Capacity Report.
-- Worked: 585 of an entitlement of 525 MSU are 111.4%; 201 + 585 + 96 = 882 of a limit of 900 are 98%.
-- Shards: by interval_start.
-- Columns:
--   group_msu_used [MSU/h]: of all its partitions
--   weight_share_pct [%]: of the weights of the group
WITH once AS (
    SELECT * FROM once_rmf_group_capacity WHERE NOT is_total
),
of_group AS (
    SELECT
        system, report_kind, interval_start, interval_end, capacity_group,
        sum_all(msu_used) AS msu_used, sum_all(weight) AS weight,
        -- Whole numbers; TOTAL is rounded separately.
        (count(*) + 1) / 2 AS msu_rounding
    FROM once
    GROUP BY system, report_kind, interval_start, interval_end, capacity_group
),
-- The page's own total: where it is another sum in one of the prints, a partition is missing.
added_up AS (
    SELECT
        system, report_kind, interval_start, interval_end, capacity_group,
        min(msu_used) AS least_msu, max(msu_used) AS most_msu, min(weight) AS least_weight, max(weight) AS most_weight
    FROM counted('rmf_group_capacity')
    WHERE is_total
    GROUP BY system, report_kind, interval_start, interval_end, capacity_group
),
whole AS (
    SELECT
        of_group.* REPLACE (
            CASE
                WHEN coalesce(least_msu = msu_used AND most_msu = msu_used, TRUE) THEN msu_used
                WHEN least_weight = weight AND most_weight = weight AND least_msu = most_msu AND abs(most_msu - msu_used) <= msu_rounding
                    THEN msu_used
            END AS msu_used,
            CASE WHEN coalesce(least_weight = weight AND most_weight = weight, TRUE) THEN weight END AS weight
        )
    FROM of_group
    LEFT JOIN added_up
        ON system_interval_key(added_up) = system_interval_key(of_group) AND added_up.capacity_group = of_group.capacity_group
)
SELECT
    once.system, once.report_kind, once.interval_start, once.interval_end, once.interval_s,
    once.capacity_group, once.partition, once.member_system, once.member_system = once.system AS is_own,
    once.capacity_group_limit, once.capacity_group_available,
    whole.msu_used AS group_msu_used,
    100 * whole.msu_used / nullif(once.capacity_group_limit, 0) AS group_use_of_limit_pct,
    once.msu_defined, once.msu_used,
    100 * once.weight / nullif(whole.weight, 0) AS weight_share_pct,
    once.msu_entitled_min, once.msu_entitled_max,
    100 * once.msu_used / nullif(once.msu_entitled_min, 0) AS use_of_entitlement_pct,
    once.capping_wlm_pct, once.capping_actual_pct, once.refs
FROM once
JOIN whole ON system_interval_key(whole) = system_interval_key(once) AND whole.capacity_group = once.capacity_group
