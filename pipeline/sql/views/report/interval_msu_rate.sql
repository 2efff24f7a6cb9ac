-- Grain: one row per interval of workload pages (of one system set): the software MSU of one fully busy general processor.
-- Formula: CPC CAPACITY / general processors of the model (CPU Activity), otherwise ACT MSU / dispatched engines (Partition Data). The model
-- names its processors in its last two characters: 717 and Z06 have 17 and 6, 7A0 has 100. Dispatched engines are EFFECTIVE dispatch
-- time / interval, where it is printed, otherwise TOTAL, over the partitions of the page that share processors. Of several systems the rate
-- is given where it is the same for all.
-- NULL: if a system of the scope has neither (msu_basis not_in_lake), if systems or pages differ by more than 1 percent (differing:
-- unlike machines, or a machine that was changed), where the two sources differ by more than 10 percent (contradicting), where ACT is so
-- small that its rounding is more than 5 percent (too_small), where the page names no system (no_system), where pages of another sysplex name a
-- system of the name in the interval (two_sysplexes: CPU Activity and Partition Data name no sysplex).
-- A service unit of SU/SEC is not a software MSU: since z990 the scales differ by machine.
-- Source: RMF Report Analysis, CPU Activity and Partition Data Report; on 136 rows of published pages ACT = EFFECTIVE / interval x MSU
-- of a CP, rounded; the same with TOTAL does not hold. IBM Large Systems Performance Reference for the models.
-- Worked: 8561-717 with CPC CAPACITY 3084: 3084 / 17 = 181.4. ACT 363 of 1800 s in 900 s: 363 / 2 = 181.5.
-- Shards: by interval_start (overlapping intervals only).
-- Columns:
--   msu_per_cp [MSU/h]: of a fully busy general processor
--   msu_basis: cpc_capacity, partition_data, cpc_capacity,partition_data where systems differ in it, or why there is no rate
WITH workload AS MATERIALIZED (
    SELECT
        sysplex, scope, interval_start, interval_end, interval_start + (interval_end - interval_start) / 2 AS midpoint
    FROM workload_interval
    GROUP BY sysplex, scope, interval_start, interval_end
),
shared AS (
    SELECT system, interval_start, interval_end
    FROM (SELECT sysplex, interval_start, interval_end, unnest(string_split(scope, ',')) AS system FROM workload)
    GROUP BY system, interval_start, interval_end
    HAVING count(DISTINCT sysplex) > 1
),
-- A day makes the join an equi-join; an interval has all days that it touches.
system_day AS (
    SELECT *, unnest(generate_series(date_trunc('day', interval_start), interval_end, INTERVAL 1 DAY)) AS day
    FROM (
        SELECT DISTINCT scope, interval_start, interval_end, midpoint, unnest(string_split(scope, ',')) AS system
        FROM workload
    )
),
machine AS (
    SELECT DISTINCT system, interval_start, interval_end, cpc_type, cpc_model, cpc_capacity
    FROM counted('rmf_cpu_activity')
    WHERE cpc_model IS NOT NULL AND cpc_capacity IS NOT NULL
),
processors AS (
    SELECT
        system, interval_start, interval_end, cpc_capacity,
        CASE
            -- The models of these machines are numbered in another way.
            WHEN cpc_type IN ('2066', '2086', '9672') THEN NULL
            WHEN regexp_full_match(cpc_model, '[3-7A-Z][0-9]{2}') THEN CAST(cpc_model[2:3] AS INTEGER)
            WHEN regexp_full_match(cpc_model, '7[A-K][0-9]') THEN 10 * (ascii(cpc_model[2]) - 55) + CAST(cpc_model[3] AS INTEGER)
        END AS cps
    FROM machine
),
partition_page AS (
    SELECT
        system, interval_start, interval_end,
        sum(msu_used) AS msu,
        sum(coalesce(effective_dispatch, total_dispatch) / interval_s) AS engines,
        count(*) AS partitions
    FROM (
        SELECT DISTINCT
            system, interval_start, interval_end, interval_s, partition, msu_used, effective_dispatch, total_dispatch
        FROM counted('rmf_partition_data')
        WHERE NOT is_total AND processor_type = 'CP' AND partition <> '*PHYSICAL*' AND dedicated IS NOT TRUE
            AND msu_used IS NOT NULL AND coalesce(effective_dispatch, total_dispatch) IS NOT NULL AND interval_s > 0
    )
    GROUP BY system, interval_start, interval_end
),
printed AS (
    SELECT system, interval_start, interval_end, cpc_capacity / nullif(cps, 0) AS of_machine, NULL AS msu, NULL AS engines, NULL AS partitions
    FROM processors
    UNION ALL
    SELECT system, interval_start, interval_end, NULL AS of_machine, msu, engines, partitions FROM partition_page
),
printed_day AS (
    SELECT
        *, interval_start + (interval_end - interval_start) / 2 AS midpoint,
        unnest(generate_series(date_trunc('day', interval_start), interval_end, INTERVAL 1 DAY)) AS day
    FROM printed
),
found AS (
    SELECT DISTINCT
        wanted.scope, wanted.interval_start, wanted.interval_end, wanted.system,
        printed.interval_start AS printed_start, printed.interval_end AS printed_end,
        printed.of_machine, printed.msu, printed.engines, printed.partitions
    FROM system_day AS wanted
    JOIN printed_day AS printed ON printed.system = wanted.system AND printed.day = wanted.day
    WHERE (printed.midpoint >= wanted.interval_start AND printed.midpoint < wanted.interval_end)
        OR (wanted.midpoint >= printed.interval_start AND wanted.midpoint < printed.interval_end)
),
of_system AS (
    SELECT
        scope, interval_start, interval_end, system,
        min(of_machine) AS least, max(of_machine) AS most,
        -- Each ACT is rounded to a whole MSU.
        0.5 * sum(partitions) / nullif(sum(msu), 0) AS rounding,
        sum(msu) / nullif(sum(engines), 0) AS of_partitions
    FROM found
    GROUP BY scope, interval_start, interval_end, system
),
rated AS (
    SELECT
        *,
        CASE
            WHEN most > 1.01 * least THEN 'differing'
            WHEN least IS NOT NULL AND rounding <= 0.05 AND abs(of_partitions / least - 1) > 0.1 + rounding THEN 'contradicting'
            WHEN least IS NOT NULL THEN 'cpc_capacity'
            WHEN of_partitions IS NULL THEN 'not_in_lake'
            WHEN rounding > 0.05 THEN 'too_small'
            ELSE 'partition_data'
        END AS basis
    FROM of_system
),
of_scope AS (
    SELECT
        scope, interval_start, interval_end,
        count(*) AS systems,
        min(CASE basis WHEN 'cpc_capacity' THEN least WHEN 'partition_data' THEN of_partitions END) AS least,
        max(CASE basis WHEN 'cpc_capacity' THEN least WHEN 'partition_data' THEN of_partitions END) AS most,
        min(basis) FILTER (basis NOT IN ('cpc_capacity', 'partition_data')) AS reason,
        string_agg(DISTINCT basis, ',' ORDER BY basis) AS basis
    FROM rated
    GROUP BY scope, interval_start, interval_end
),
judged AS (
    SELECT
        workload.sysplex, workload.scope, workload.interval_start, workload.interval_end,
        (of_scope.least + of_scope.most) / 2 AS msu_per_cp,
        CASE
            WHEN workload.scope IS NULL THEN 'no_system'
            WHEN of_two.scope IS NOT NULL THEN 'two_sysplexes'
            WHEN of_scope.scope IS NULL OR of_scope.systems < len(string_split(workload.scope, ',')) THEN 'not_in_lake'
            WHEN of_scope.reason IS NOT NULL THEN of_scope.reason
            WHEN of_scope.most > 1.01 * of_scope.least THEN 'differing'
            ELSE of_scope.basis
        END AS msu_basis
    FROM workload
    LEFT JOIN of_scope
        ON of_scope.scope = workload.scope
        AND of_scope.interval_start = workload.interval_start AND of_scope.interval_end = workload.interval_end
    LEFT JOIN (
        SELECT DISTINCT wanted.scope, wanted.interval_start, wanted.interval_end
        FROM system_day AS wanted
        SEMI JOIN shared
            ON shared.system = wanted.system AND shared.interval_start = wanted.interval_start AND shared.interval_end = wanted.interval_end
    ) AS of_two
        ON of_two.scope = workload.scope AND of_two.interval_start = workload.interval_start AND of_two.interval_end = workload.interval_end
)
SELECT
    sysplex, scope, interval_start, interval_end,
    CASE WHEN msu_basis IN ('cpc_capacity', 'partition_data', 'cpc_capacity,partition_data') THEN msu_per_cp END AS msu_per_cp,
    msu_basis
FROM judged
