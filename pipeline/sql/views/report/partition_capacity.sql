-- Grain: one row per system whose page it is, interval, partition of the machine and processor type.
-- Every system of a machine prints all its partitions: take the pages of one system.
-- Deactivated partitions, *PHYSICAL* and TOTAL are left out. Rows printed twice count once; what print and XML give, as printed.
-- Formulas: used_engines = TOTAL dispatch time / interval. A dedicated partition owns its processors; the others are shared:
-- entitled_engines = weight / sum of weights of the type × shared_engines, and at most the partition's logical processors.
-- use_of_entitlement_pct = used / entitled: above 100 the partition uses what other partitions leave. A partition is limited by its logical
-- processors (use_of_logical_pct), its cap, or other partitions.
-- NULL: entitlement where the physical processors of the type are not printed (old pages), where a weight, or the
-- number of processors, changed within the interval or is not printed, or where rows of the printed TOTAL are missing.
-- Source: RMF Report Analysis, Partition Data Report; PR/SM Planning Guide, weights of shared partitions.
-- Worked: weight 600 of 1000 of 10 shared processors is 6.0; 3164.118 s in 899.998 s are 3.516 engines, 58.6%.
-- Shards: by interval_start.
-- Columns:
--   weight: as printed; NULL if dedicated
--   weight_share_pct [%]: of the weights of the type
--   physical_engines, shared_engines: of the machine and type; without those of dedicated partitions
--   entitled_engines, used_engines: see above; dedicated: its logical processors
--   use_of_entitlement_pct, use_of_logical_pct [%]: used by entitled, and by logical processors
--   beyond_entitlement_engines: used less entitled; below 0 what it left to others
--   is_capped: a cap is set: by definition, initial, hardware or group
--   is_conflicting: the row, or the line of the totals, was printed again with other values
WITH once AS (
    SELECT * FROM once_rmf_partition_data WHERE processor_type IS NOT NULL AND partition IS DISTINCT FROM '*PHYSICAL*'
),
of_type AS (
    SELECT
        system, report_kind, interval_start, interval_end, processor_type,
        max(CASE processor_type
            WHEN 'CP' THEN physical_processors_cp WHEN 'IIP' THEN physical_processors_iip WHEN 'AAP' THEN physical_processors_aap
            WHEN 'IFL' THEN physical_processors_ifl WHEN 'ICF' THEN physical_processors_icf
        END) AS physical_engines,
        sum_or_zero(logical_processors, NOT is_total AND dedicated) AS dedicated_engines,
        sum_all(weight, NOT is_total AND dedicated IS NOT TRUE) AS weights,
        max(weight) FILTER (is_total) AS weights_printed,
        coalesce(bool_or(weight_changed OR logical_processors_changed) FILTER (NOT is_total), FALSE) AS is_changed,
        coalesce(bool_or(is_conflicting) FILTER (is_total), FALSE) AS is_total_conflicting
    FROM once
    GROUP BY system, report_kind, interval_start, interval_end, processor_type
),
changed AS (
    SELECT
        system, report_kind, interval_start, interval_end,
        bool_or(physical_processors_cp_changed) AS is_cp_changed, bool_or(physical_processors_iip_changed) AS is_iip_changed,
        bool_or(physical_processors_aap_changed) AS is_aap_changed, bool_or(physical_processors_ifl_changed) AS is_ifl_changed,
        bool_or(physical_processors_icf_changed) AS is_icf_changed
    FROM counted('rmf_partition_head')
    GROUP BY system, report_kind, interval_start, interval_end
),
weighed AS (
    SELECT
        once.system, once.report_kind, once.interval_start, once.interval_end, once.interval_s, once.partition, once.processor_type,
        once.partition = once.mvs_partition AS is_own,
        once.dedicated, once.weight, once.logical_processors,
        of_type.physical_engines,
        of_type.physical_engines - of_type.dedicated_engines AS shared_engines,
        of_type.weights,
        once.total_dispatch / nullif(once.interval_s, 0) AS used_engines,
        coalesce(once.capped, FALSE) OR coalesce(once.initial_capping, FALSE) OR coalesce(once.lpar_hardware_capping, FALSE)
            OR coalesce(once.hardware_group_capping, FALSE) AS is_any_cap,
        coalesce(once.capped, once.initial_capping, once.lpar_hardware_capping, once.hardware_group_capping) AS any_cap_printed,
        once.capping_wlm_pct,
        CASE
            WHEN once.dedicated THEN CASE WHEN once.logical_processors IS NULL THEN 'logical processors not printed' END
            WHEN of_type.physical_engines IS NULL THEN 'physical processors of the type not printed'
            WHEN of_type.dedicated_engines IS NULL THEN 'logical processors not printed'
            WHEN of_type.weights IS NULL THEN 'a weight is not printed'
            WHEN of_type.is_changed OR CASE of_type.processor_type
                WHEN 'CP' THEN changed.is_cp_changed WHEN 'IIP' THEN changed.is_iip_changed WHEN 'AAP' THEN changed.is_aap_changed
                WHEN 'IFL' THEN changed.is_ifl_changed WHEN 'ICF' THEN changed.is_icf_changed END
                THEN 'changed within the interval'
            WHEN of_type.weights_printed <> of_type.weights THEN 'not all partitions are there'
            WHEN of_type.weights = 0 THEN 'no weights'
        END AS null_reason,
        once.is_conflicting OR of_type.is_total_conflicting AS is_conflicting, once.refs
    FROM once
    JOIN of_type
        ON of_type.system IS NOT DISTINCT FROM once.system AND of_type.report_kind IS NOT DISTINCT FROM once.report_kind
        AND of_type.interval_start = once.interval_start AND of_type.interval_end = once.interval_end
        AND of_type.processor_type = once.processor_type
    LEFT JOIN changed
        ON changed.system IS NOT DISTINCT FROM once.system AND changed.report_kind IS NOT DISTINCT FROM once.report_kind
        AND changed.interval_start = once.interval_start AND changed.interval_end = once.interval_end
    WHERE NOT once.is_total
),
entitled AS (
    SELECT
        *,
        CASE
            WHEN null_reason IS NOT NULL THEN NULL
            WHEN dedicated THEN logical_processors
            -- least() ignores NULL.
            ELSE least(weight / weights * shared_engines, coalesce(logical_processors, shared_engines))
        END AS entitled_engines
    FROM weighed
)
SELECT
    system, report_kind, interval_start, interval_end, interval_s, partition, processor_type, is_own,
    dedicated, weight, 100 * weight / nullif(weights, 0) AS weight_share_pct, logical_processors,
    physical_engines, shared_engines, entitled_engines, used_engines,
    100 * used_engines / nullif(entitled_engines, 0) AS use_of_entitlement_pct,
    100 * used_engines / nullif(logical_processors, 0) AS use_of_logical_pct,
    used_engines - entitled_engines AS beyond_entitlement_engines,
    CASE WHEN is_any_cap THEN TRUE WHEN any_cap_printed IS NOT NULL THEN FALSE END AS is_capped,
    capping_wlm_pct, null_reason, is_conflicting, refs
FROM entitled
