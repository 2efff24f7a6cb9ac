-- Grain: one row per source of the figure, level, owner, and clock hour: the four-hour rolling average as sub-capacity reports have it.
-- Levels of partition_data: partition; capacity_group; machine, the sum of its partitions, where it shows more than one. Level of
-- workload_activity: pages, the use by the classes of one set of pages.
-- Formula: rolling_msu is the mean over the hour's intervals of the four-hour averages that end with them, weighted by time; of a group or
-- machine the sum of these. capped_msu: of a partition the lesser of rolling_msu and the mean defined capacity of the hour; of a group the
-- lesser of the sum of its partitions' and its limit; of a machine the sum of its groups' and of the partitions in no group.
-- An interval is in the hour that holds its midpoint. The peak of the interval grid is higher, and peaks of partitions do not add up.
-- Machine: systems whose pages show the same sequence code (CPU Activity). Without one: pages that list each other's partition and print the
-- same of all partitions over a day (within 1 MSU and 2%); if two pages with a partition of one name may be of a machine, neither is. A value
-- that several pages print is taken once, from the partition's own page where that page has the value.
-- A partition that is no longer printed is unknown for four hours; one that is deactivated used 0.
-- The machine holds all partitions with general processors, also those that do not run z/OS: a sub-capacity report leaves these out.
-- NULL: rolling_msu where a four-hour average of the hour is unknown, or the intervals do not cover the hour within 2 percent; of a group also
-- where a member has no page of its own but has one in other hours.
-- capped_msu where the cap is unknown (cap_basis). is_peak, on all rows of a stretch in a reporting period, where an hour of the stretch is not
-- known (hours_unknown): also an hour that this report lacks and other reports of its systems have (Workload Activity, CPU Activity, Partition
-- Data; for a partition without pages of its own, reports of the machine's systems).
-- Source: Sub-Capacity Reporting Tool: hourly means of SMF70LAC, the lesser of these and defined capacity; IBM group capacity.
-- Worked: four hours of 550, then four of 800 by the clock in intervals of 15 minutes: averages of 753.125, 768.75, 784.375 and 800 in the last
-- hour: 776.5625.
-- Shards: no: as owner_hour_msu.
-- Columns:
--   scope: systems whose own pages are in it
--   hour_end: end of the clock hour, in local time
--   rolling_msu [MSU/h]: see above, not capped
--   rolling_msu_service [million service units/h]: of pages, in service units, which are not software MSU
--   reporting_month: the month whose second day begins the hour's reporting period, which ends with the first day of the next month
--   hours_unknown: how many hours of the stretch in this period are unknown; a stretch is as in interval_msu, but of whatever the systems print
--   peak_of: capped_msu where it is known in all of these hours, otherwise rolling_msu
--   is_peak: the hour of these in which that is highest, the first of ties; NULL if one is unknown
WITH owned AS (
    SELECT *
    FROM owner_hour_msu
    QUALIFY level <> 'machine' OR max(partitions) OVER (PARTITION BY level, machine) > 1
),
-- Groups in hours that lack the page of a system which is a member in other hours.
without_member AS (
    SELECT of_group.machine, of_group.name, of_group.is_utc, of_group.clock_hour, count(*) AS lost
    FROM owned AS of_group
    JOIN (
        SELECT machine, name, unnest(list_distinct(string_split(string_agg(DISTINCT scope, ','), ','))) AS system
        FROM owned
        WHERE level = 'capacity_group'
        GROUP BY machine, name
    ) AS member USING (machine, name)
    ANTI JOIN owned AS page
        ON page.level = 'partition' AND page.scope = member.system AND page.is_utc = of_group.is_utc AND page.clock_hour = of_group.clock_hour
    WHERE of_group.level = 'capacity_group' AND of_group.cap_basis = 'members_unknown'
    GROUP BY ALL
),
listed AS (
    SELECT
        owned.* REPLACE (
            CASE WHEN lost.lost IS NULL THEN rolling_msu END AS rolling_msu,
            partitions + coalesce(lost.lost, 0) AS partitions, partitions_unknown + coalesce(lost.lost, 0) AS partitions_unknown
        )
    FROM owned
    LEFT JOIN without_member AS lost
        ON owned.level = 'capacity_group' AND lost.machine = owned.machine AND lost.name = owned.name
        AND lost.is_utc = owned.is_utc AND lost.clock_hour = owned.clock_hour
),
-- Whole hours for which systems print something.
seen AS (
    SELECT DISTINCT unnest(string_split(scope, ',')) AS system, hour_start
    FROM (
        SELECT scope, date_trunc('hour', midpoint) AS hour_start
        FROM workload_interval
        WHERE report_kind = 'interval' AND NOT is_overlapping AND scope IS NOT NULL
        GROUP BY sysplex, scope, class_kind, date_trunc('hour', midpoint)
        HAVING sum(interval_s) >= 3528
        UNION ALL
        SELECT system, hour_start FROM processor_hour WHERE covered_s >= 3528
        UNION ALL
        SELECT scope, hour_start FROM owner_hour_msu
        WHERE level = 'partition' AND scope IS NOT NULL AND clock_end - clock_start >= INTERVAL 3528 SECOND
    )
),
of_machine AS (
    SELECT machine, string_agg(DISTINCT scope, ',') AS scopes FROM listed WHERE machine IS NOT NULL GROUP BY machine
),
owner AS (
    SELECT
        msu_source, level, listed.sysplex, machine, name, max_by(utc_offset_minutes, clock_hour) AS utc_offset_minutes,
        list_distinct(string_split(coalesce(string_agg(DISTINCT scope, ','), any_value(of_machine.scopes)), ',')) AS systems
    FROM listed
    LEFT JOIN of_machine USING (machine)
    GROUP BY msu_source, level, listed.sysplex, machine, name
),
not_printed AS (
    SELECT DISTINCT
        msu_source, level, sysplex, machine, name, hour_start, utc_offset_minutes,
        hour_start - to_minutes(CAST(coalesce(utc_offset_minutes, 0) AS BIGINT)) AS clock_hour,
        clock_hour AS clock_start, clock_hour + INTERVAL 1 HOUR AS clock_end
    FROM (SELECT *, unnest(systems) AS system FROM owner)
    JOIN seen USING (system)
),
every_hour AS (
    SELECT *, FALSE AS is_missing FROM listed
    UNION ALL BY NAME
    SELECT *, TRUE AS is_missing
    FROM not_printed
    ANTI JOIN listed
        ON listed.msu_source = not_printed.msu_source AND listed.level = not_printed.level AND listed.name IS NOT DISTINCT FROM not_printed.name
        AND listed.sysplex IS NOT DISTINCT FROM not_printed.sysplex AND listed.machine IS NOT DISTINCT FROM not_printed.machine
        AND listed.clock_hour = not_printed.clock_hour
),
stretched AS (
    SELECT
        *,
        sum(CASE WHEN begins THEN 1 ELSE 0 END) OVER (
            PARTITION BY msu_source, level, sysplex, machine, name ORDER BY clock_hour ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS stretch
    FROM (
        SELECT
            *,
            coalesce(clock_start - lag(clock_end) OVER (
                PARTITION BY msu_source, level, sysplex, machine, name ORDER BY clock_hour
            ) >= INTERVAL 4 HOUR, TRUE) AS begins
        FROM every_hour
    )
),
reached AS (
    SELECT
        * REPLACE (
            CASE WHEN is_missing THEN clock_hour - INTERVAL 4 HOUR >= min(clock_start) OVER (
                PARTITION BY msu_source, level, sysplex, machine, name, stretch
            ) - INTERVAL 288 SECOND ELSE is_within END AS is_within
        )
    FROM stretched
),
counted AS (
    SELECT
        *,
        -- All hours of the month from the first with averages in the stretch to the last that the stretch covers, less the known ones.
        CAST(greatest(coalesce(floor((
            epoch(least(max(clock_end) OVER one_stretch + INTERVAL 72 SECOND, arg_max(month_end, (clock_hour, month_end)) OVER one_month))
            - epoch(greatest(min(clock_hour) FILTER (is_within) OVER one_stretch, arg_min(month_start, (clock_hour, month_start)) OVER one_month))
        ) / 3600), 0) - count(rolling_msu) FILTER (is_within) OVER one_month, 0) AS BIGINT) AS hours_unknown,
        CASE WHEN count(capped_msu) FILTER (is_within) OVER one_month = count(*) FILTER (is_within AND NOT is_missing) OVER one_month
            THEN 'capped_msu' ELSE 'rolling_msu' END AS peak_of
    FROM (
        SELECT
            *,
            reporting_month + INTERVAL 1 DAY - (hour_start - clock_hour) AS month_start,
            reporting_month + INTERVAL 1 MONTH + INTERVAL 1 DAY - (hour_start - clock_hour) AS month_end
        FROM (SELECT *, CAST(date_trunc('month', hour_start - INTERVAL 1 DAY) AS DATE) AS reporting_month FROM reached)
    )
    WINDOW
        one_stretch AS (PARTITION BY msu_source, level, sysplex, machine, name, stretch),
        one_month AS (PARTITION BY msu_source, level, sysplex, machine, name, stretch, reporting_month)
)
SELECT
    msu_source, level, sysplex, machine, scope, name, hour_start, hour_start + INTERVAL 1 HOUR AS hour_end, utc_offset_minutes,
    rolling_msu, rolling_msu_service, cap_msu, capped_msu, cap_basis, msu_basis,
    CAST(partitions AS BIGINT) AS partitions, CAST(partitions_unknown AS BIGINT) AS partitions_unknown,
    reporting_month, hours_unknown, peak_of,
    CASE
        WHEN hours_unknown > 0 THEN NULL
        ELSE is_within AND row_number() OVER (
            PARTITION BY msu_source, level, sysplex, machine, name, stretch, reporting_month
            ORDER BY is_within DESC, CASE peak_of WHEN 'capped_msu' THEN capped_msu ELSE rolling_msu END DESC NULLS LAST, clock_hour
        ) = 1
    END AS is_peak,
    refs
FROM counted
WHERE NOT is_missing
