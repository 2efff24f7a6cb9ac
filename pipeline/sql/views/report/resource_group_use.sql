-- Grain: one row per service policy page's interval, resource group and member: the group itself, a system of it, or a service or report class of it.
-- The use of a group beside the minimum and maximum that the service policy gives it. The systems of a group add up to the group, and so do its
-- classes: pick one member_kind before adding.
-- Rule: a limit in service units per second or in MSU holds for the group in the whole sysplex. A limit in processors, or in a share of a partition,
-- holds for each system separately: it is compared with the rows of systems, and with the row of the group only if the page is of one system.
-- Formulas: used is su_per_s, msu or cpus, whichever the limit counts; use_of_max_pct = used / capacity_max, use_of_min_pct = used / capacity_min.
-- NULL: a value that the page does not print, or that two prints give differently; used and its shares where limit_basis says why. RMF rounds large
-- numbers to thousands or millions (25K): shares are no more precise than these (su_per_s_resolution).
-- Above 100% of the maximum by a little is possible: WLM holds a group to its limit on average.
-- Source: RMF Report Analysis, Workload Activity, service policy page; units and scope of limits: IBM SMF Explorer, SMF 72.3 R723GGLT.
-- workload_level has the group of each class that prints one.
-- Worked: 25,000 of at most 40,000 service units per second are 62.5%; of at least 20, 125,000%. 21 of 4,711 MSU are 0.446%.
-- Shards: by interval_start.
-- Columns:
--   member_kind: group, system or class
--   msu [MSU/h]: MSU used, as a rate
--   limit_basis: su_per_s, msu or cpus; of_each_system (see the rows of the systems), share_of_partition or unknown_unit where used cannot be
--     compared; NULL for classes, for systems of a group limited in the sysplex, and where no limit is printed
--   used: in units of capacity_unit
WITH of_group AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, resource_group, capacity_min, capacity_max, capacity_unit,
        CASE
            WHEN coalesce(capacity_min, capacity_max) IS NULL THEN NULL
            WHEN capacity_unit ILIKE 'SU/SEC%' OR capacity_unit ILIKE 'SERVICE UNITS%' THEN 'su_per_s'
            WHEN capacity_unit ILIKE 'MSU%' THEN 'msu'
            WHEN capacity_unit ILIKE '%CPS' OR capacity_unit ILIKE '%CPS %' THEN 'cpus'
            WHEN capacity_unit ILIKE '%SHARE%' OR capacity_unit ILIKE '%LPAR%' THEN 'share_of_partition'
            ELSE 'unknown_unit'
        END AS counted
    FROM once_rmf_resource_group
    WHERE system IS NULL AND class_name IS NULL
),
limited AS (
    SELECT
        once.* EXCLUDE (capacity_min, capacity_max, capacity_unit),
        CASE WHEN class_name IS NOT NULL THEN 'class' WHEN system IS NOT NULL THEN 'system' ELSE 'group' END AS member_kind,
        of_group.counted,
        of_group.counted IN ('cpus', 'share_of_partition') AS is_of_systems,
        of_group.capacity_min, of_group.capacity_max, of_group.capacity_unit,
        -- The page of one system has its group as that system.
        once.scope NOT LIKE '%,%' AS is_one_system
    FROM once_rmf_resource_group AS once
    LEFT JOIN of_group
        ON row(of_group.sysplex, of_group.scope, of_group.report_kind, of_group.interval_start, of_group.interval_end, of_group.policy_activated_at,
            of_group.resource_group)
        IS NOT DISTINCT FROM row(once.sysplex, once.scope, once.report_kind, once.interval_start, once.interval_end, once.policy_activated_at,
            once.resource_group)
),
placed AS (
    SELECT
        *,
        CASE
            WHEN counted IS NULL OR member_kind = 'class' THEN NULL
            WHEN NOT is_of_systems AND member_kind = 'system' THEN NULL
            WHEN is_of_systems AND member_kind = 'group' AND is_one_system IS NOT TRUE THEN 'of_each_system'
            ELSE counted
        END AS limit_basis
    FROM limited
)
SELECT
    sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at, interval_s, resource_group, description,
    member_kind, system, class_name, cpus, msu, su_per_s, su_per_s_resolution,
    CASE WHEN limit_basis IS NOT NULL THEN COLUMNS(['capacity_min', 'capacity_max', 'capacity_unit']) END,
    limit_basis,
    CASE limit_basis WHEN 'su_per_s' THEN su_per_s WHEN 'msu' THEN msu WHEN 'cpus' THEN cpus END AS used,
    100 * used / nullif(CASE WHEN limit_basis IS NOT NULL THEN capacity_max END, 0) AS use_of_max_pct,
    100 * used / nullif(CASE WHEN limit_basis IS NOT NULL THEN capacity_min END, 0) AS use_of_min_pct,
    memory_usage_bytes, memory_limit, refs
FROM placed
