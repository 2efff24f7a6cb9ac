-- Grain: one row per system whose page it is, interval and processor type of the machine.
-- Every system of a machine prints the same: take the pages of one system.
-- Formulas: busy_engines = TOTAL dispatch of the partitions and *PHYSICAL* / interval; physical_busy_pct = busy / physical engines.
-- management_engines = *PHYSICAL* + (TOTAL - EFFECTIVE) of the partitions. logical_per_physical = logical processors of shared
-- partitions / shared engines: far above 1, a logical processor that is ready often has to wait for a physical one.
-- NULL: what needs the number of physical processors, where that is not printed; sums of which one row is unknown, or
-- which are not what TOTAL adds up: then a partition is missing.
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
WITH physical AS (
    SELECT
        system, report_kind, interval_start, interval_end, processor_type,
        one_value(total_dispatch / nullif(interval_s, 0)) AS physical_row_engines
    FROM rmf_partition_data AS printed
    ANTI JOIN print_and_xml AS left_out ON is_left_out(left_out, printed, 'rmf_partition_data')
    WHERE partition = '*PHYSICAL*' AND NOT is_total
    GROUP BY system, report_kind, interval_start, interval_end, processor_type
),
dispatched AS (
    SELECT
        system, report_kind, interval_start, interval_end, partition, processor_type,
        one_value((total_dispatch - effective_dispatch) / nullif(interval_s, 0)) AS overhead_engines
    FROM rmf_partition_data AS printed
    ANTI JOIN print_and_xml AS left_out ON is_left_out(left_out, printed, 'rmf_partition_data')
    WHERE partition <> '*PHYSICAL*' AND NOT is_total AND processor_type IS NOT NULL
    GROUP BY system, report_kind, interval_start, interval_end, partition, processor_type
),
-- What the page adds up itself.
added_up AS (
    SELECT
        system, report_kind, interval_start, interval_end, processor_type,
        one_value(total_dispatch / nullif(interval_s, 0)) AS engines
    FROM rmf_partition_data AS printed
    ANTI JOIN print_and_xml AS left_out ON is_left_out(left_out, printed, 'rmf_partition_data')
    WHERE is_total
    GROUP BY system, report_kind, interval_start, interval_end, processor_type
),
summed AS (
    SELECT
        p.system, p.report_kind, p.interval_start, p.interval_end, max(p.interval_s) AS interval_s, p.processor_type,
        count(*) AS partitions,
        max(p.physical_engines) AS physical_engines, max(p.shared_engines) AS shared_engines,
        sum_or_zero(p.logical_processors, p.dedicated IS NOT TRUE) AS logical_processors_shared,
        sum_all(p.used_engines) AS used_engines,
        sum_all(d.overhead_engines) AS overhead_engines,
        -- Rounded, so that a partition at its entitlement is not beyond it.
        CASE WHEN count(p.entitled_engines) = count(*) AND count(p.used_engines) = count(*)
            THEN count(*) FILTER (p.used_engines > 1.001 * p.entitled_engines) END AS partitions_beyond_entitlement,
        CASE WHEN count(p.is_capped) = count(*) THEN count(*) FILTER (p.is_capped) END AS capped_partitions,
        bool_or(p.is_conflicting) AS is_conflicting,
        flatten(list(p.refs ORDER BY p.partition, p.refs)) AS refs
    FROM partition_capacity AS p
    JOIN dispatched AS d
        ON d.system IS NOT DISTINCT FROM p.system AND d.report_kind IS NOT DISTINCT FROM p.report_kind
        AND d.interval_start = p.interval_start AND d.interval_end = p.interval_end
        AND d.partition = p.partition AND d.processor_type = p.processor_type
    GROUP BY p.system, p.report_kind, p.interval_start, p.interval_end, p.processor_type
),
joined AS (
    SELECT
        summed.*, physical.physical_row_engines,
        coalesce(
            abs(summed.used_engines + coalesce(physical.physical_row_engines, 0) - added_up.engines) <= 0.01 + 0.001 * added_up.engines, TRUE
        ) AS is_whole
    FROM summed
    LEFT JOIN physical
        ON physical.system IS NOT DISTINCT FROM summed.system AND physical.report_kind IS NOT DISTINCT FROM summed.report_kind
        AND physical.interval_start = summed.interval_start AND physical.interval_end = summed.interval_end
        AND physical.processor_type = summed.processor_type
    LEFT JOIN added_up
        ON added_up.system IS NOT DISTINCT FROM summed.system AND added_up.report_kind IS NOT DISTINCT FROM summed.report_kind
        AND added_up.interval_start = summed.interval_start AND added_up.interval_end = summed.interval_end
        AND added_up.processor_type = summed.processor_type
),
-- Of a page that lost a partition the rest is not the machine.
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
