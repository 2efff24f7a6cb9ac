-- Grain: one row per system whose page it is, interval and processor type of the machine.
-- Every system of a machine prints the same: take the pages of one system.
-- Formulas: busy_engines = TOTAL dispatch of the partitions and *PHYSICAL* / interval; physical_busy_pct = busy / physical engines.
-- management_engines = *PHYSICAL* + (TOTAL - EFFECTIVE) of the partitions. logical_per_physical = logical processors of shared
-- partitions / shared engines: far above 1, a logical processor that is ready often has to wait for a physical one.
-- NULL: values that need the number of physical processors, where that is not printed; sums with an unknown row, or that differ from the
-- printed TOTAL: then a partition is missing.
-- Source: RMF Report Analysis, Partition Data Report; PR/SM Planning Guide.
-- Worked: 4138.328 s of the partitions and 43.21 s of *PHYSICAL* in 899.998 s are 4.646 of 10 engines, 46.46%.
-- Shards: by interval_start.
-- Columns:
--   partitions: active ones of the type
--   logical_processors_shared: of partitions that share processors
--   physical_busy_pct, management_pct [%]: of physical engines
--   free_engines: physical less busy
--   partitions_beyond_entitlement: how many used more than they are entitled to; NULL if it is not known of all
--   capped_partitions: with a cap; NULL if it is not known of all
WITH once AS (
    SELECT
        system, report_kind, interval_start, interval_end, partition, processor_type, is_total,
        one_value(total_dispatch / nullif(interval_s, 0)) AS engines,
        one_value((total_dispatch - effective_dispatch) / nullif(interval_s, 0)) AS overhead_engines
    FROM counted('rmf_partition_data')
    GROUP BY ALL
),
summed AS (
    SELECT
        p.system, p.report_kind, p.interval_start, p.interval_end, max(p.interval_s) AS interval_s, p.processor_type,
        count(*) AS partitions,
        max(p.physical_engines) AS physical_engines, max(p.shared_engines) AS shared_engines,
        sum_or_zero(p.logical_processors, p.dedicated IS NOT TRUE) AS logical_processors_shared,
        sum_all(p.used_engines) AS used_engines,
        sum_all(d.overhead_engines) AS overhead_engines,
        -- A thousandth of tolerance: rounding alone must not count as above the entitlement.
        CASE WHEN count(p.entitled_engines) = count(*) AND count(p.used_engines) = count(*)
            THEN count(*) FILTER (p.used_engines > 1.001 * p.entitled_engines) END AS partitions_beyond_entitlement,
        CASE WHEN count(p.is_capped) = count(*) THEN count(*) FILTER (p.is_capped) END AS capped_partitions,
        bool_or(p.is_conflicting) AS is_conflicting,
        flatten(list(p.refs ORDER BY p.partition, p.refs)) AS refs
    FROM partition_capacity AS p
    JOIN once AS d
        ON system_interval_key(d) = system_interval_key(p) AND d.partition = p.partition AND d.processor_type = p.processor_type AND NOT d.is_total
    GROUP BY p.system, p.report_kind, p.interval_start, p.interval_end, p.processor_type
),
joined AS (
    SELECT
        summed.*, physical.engines AS physical_row_engines,
        coalesce(
            abs(summed.used_engines + coalesce(physical.engines, 0) - added_up.engines) <= 0.01 + 0.001 * added_up.engines, TRUE
        ) AS is_whole
    FROM summed
    LEFT JOIN once AS physical
        ON system_interval_key(physical) = system_interval_key(summed) AND physical.processor_type = summed.processor_type
        AND physical.partition = '*PHYSICAL*' AND NOT physical.is_total
    -- The page's own total.
    LEFT JOIN once AS added_up
        ON system_interval_key(added_up) = system_interval_key(summed) AND added_up.processor_type = summed.processor_type AND added_up.is_total
),
-- The partitions left on a page that lost one are not the whole machine.
whole AS (
    SELECT
        * REPLACE (
            CASE WHEN is_whole THEN used_engines END AS used_engines,
            CASE WHEN is_whole THEN overhead_engines END AS overhead_engines,
            CASE WHEN is_whole THEN logical_processors_shared END AS logical_processors_shared
        )
    FROM joined
)
SELECT
    summed.system, summed.report_kind, summed.interval_start, summed.interval_end, summed.interval_s, summed.processor_type,
    summed.partitions, summed.physical_engines, summed.shared_engines, summed.logical_processors_shared,
    summed.logical_processors_shared / nullif(summed.shared_engines, 0) AS logical_per_physical,
    summed.used_engines + summed.physical_row_engines AS busy_engines,
    summed.overhead_engines + summed.physical_row_engines AS management_engines,
    100 * (summed.used_engines + summed.physical_row_engines) / nullif(summed.physical_engines, 0) AS physical_busy_pct,
    100 * (summed.overhead_engines + summed.physical_row_engines) / nullif(summed.physical_engines, 0) AS management_pct,
    summed.physical_engines - summed.used_engines - summed.physical_row_engines AS free_engines,
    summed.partitions_beyond_entitlement, summed.capped_partitions, summed.is_conflicting, summed.refs
FROM whole AS summed
