-- Grain: one row per source of the figure, level, owner, and clock hour: the four-hour rolling average as sub-capacity reports have it.
-- Inputs: interval_msu, rmf_cpu_activity, print_and_xml.
-- Levels of partition_data: partition; capacity_group; machine, the sum of its partitions, where it shows more than one. Of workload_activity:
-- pages, use by the classes of one set of pages.
-- Formula: rolling_msu is the mean over the hour's intervals of the four-hour averages that end with them, weighted by time; of a group or
-- machine the sum of these. capped_msu: of a partition the lesser of rolling_msu and the mean defined capacity of the hour; of a group the
-- lesser of the sum of its partitions' and its limit; of a machine the sum of its groups' and of the partitions in no group.
-- An interval is in the hour that holds its midpoint. The peak of the interval grid is higher, and peaks of partitions do not add up.
-- Machine: systems whose pages show the same sequence code (CPU Activity), or list each other's partition. A value that several pages
-- print is taken once, from the partition's own page where it is known there.
-- A partition that is no longer printed is unknown for four hours; one that is deactivated used 0.
-- The machine holds all partitions with general processors, those that do not run z/OS too: a sub-capacity report leaves these out.
-- NULL: rolling_msu where a four-hour average of the hour is unknown, or the intervals do not cover the hour within 2 percent.
-- capped_msu where the cap is unknown (cap_basis). is_peak, on all rows of a stretch in a reporting period, where an hour of it is not
-- known (hours_unknown).
-- Source: Sub-Capacity Reporting Tool: hourly means of SMF70LAC, the lesser of these and defined capacity; IBM group capacity.
-- Worked: four hours of 550, then four of 800 by the clock in intervals of 15 minutes: averages of 753.125, 768.75, 784.375 and 800 in the last
-- hour: 776.5625.
-- Columns:
--   msu_source: partition_data or workload_activity
--   level: partition, capacity_group, machine or pages
--   sysplex: of the pages
--   machine: sequence code, otherwise the first of its systems; NULL for pages
--   scope: systems whose own pages are in it
--   name: of the partition, group or machine; of pages their scope
--   hour_start, hour_end: the clock hour, in local time
--   utc_offset_minutes [min]: of it; NULL if hours are ordered by local time
--   rolling_msu [MSU/h]: see above, not capped
--   rolling_msu_service [million service units/h]: of pages, in service units, which are not software MSU
--   cap_msu [MSU/h]: defined capacity or limit of the group; NULL if there is none, and for machines
--   capped_msu [MSU/h]: see above
--   cap_basis: defined_capacity, group_limit, none; not_printed where the defined capacity of a partition is unknown, changed where it
--     changed within an interval (an asterisk beside it), members_unknown where a partition of a machine that has groups may be in one,
--     limit_unknown where the limit or the group is not printed or changed, no_partition for pages
--   msu_basis: as in interval_msu
--   partitions, partitions_unknown: partitions included, and those with unknown rolling_msu
--   reporting_month: the month whose second day begins the hour's reporting period, which ends with the first day of the next month
--   hours_unknown: how many hours of the stretch (interval_msu) in this period are unknown
--   peak_of: capped_msu where it is known in all of these hours, otherwise rolling_msu
--   is_peak: the hour of these in which that is highest, the first of ties; NULL if one is unknown
--   refs: the printed rows of the hour's intervals
WITH series_hour AS (
    SELECT
        msu_source, sysplex, scope, partition, is_utc,
        date_trunc('hour', interval_start + (interval_end - interval_start) / 2) AS hour_start,
        utc_offset_minutes,
        stretch_start, stretch_end,
        bool_and(is_own) AS is_own,
        min(clock_start) AS clock_start,
        max(clock_end) AS clock_end,
        min(clock_end) - INTERVAL 4 HOUR >= stretch_start - INTERVAL 288 SECOND AS begins_within,
        CASE WHEN abs(sum(interval_s) / 3600 - 1) <= 0.02 THEN mean_all(rolling_msu, interval_s) END AS rolling_msu,
        CASE WHEN abs(sum(interval_s) / 3600 - 1) <= 0.02 THEN mean_all(rolling_msu_service, interval_s) END AS rolling_msu_service,
        CASE WHEN min(msu_basis) = max(msu_basis) THEN min(msu_basis) ELSE 'differing' END AS msu_basis,
        -- A capacity that was defined within the hour has no mean.
        CASE WHEN NOT bool_or(msu_defined_changed) AND count(msu_defined) = count(*) AND ((min(msu_defined) > 0) OR max(msu_defined) = 0)
            THEN sum(msu_defined * interval_s) / sum(interval_s) END AS defined_msu,
        coalesce(bool_or(msu_defined_changed), FALSE) AS defined_changed,
        CASE WHEN NOT bool_or(capacity_group_changed) THEN one_value(capacity_group) END AS capacity_group,
        count(capacity_group) > 0 OR coalesce(bool_or(capacity_group_changed), FALSE) AS names_group,
        CASE WHEN NOT bool_or(capacity_group_limit_changed) THEN one_value(capacity_group_limit) END AS capacity_group_limit,
        flatten(list(refs ORDER BY interval_start, refs)) AS refs
    FROM interval_msu
    GROUP BY
        msu_source, sysplex, scope, partition, is_utc, date_trunc('hour', interval_start + (interval_end - interval_start) / 2),
        utc_offset_minutes, stretch_start, stretch_end
),
timed AS (
    SELECT
        *,
        hour_start - to_minutes(CAST(coalesce(utc_offset_minutes, 0) AS BIGINT)) AS clock_hour,
        begins_within AND hour_start - to_minutes(CAST(coalesce(utc_offset_minutes, 0) AS BIGINT)) + INTERVAL 1 HOUR
            <= stretch_end + INTERVAL 72 SECOND AS is_within
    FROM series_hour
),
-- Which systems are on one machine, by what their pages show on a day.
serial AS (
    SELECT system, date_trunc('hour', interval_start + (interval_end - interval_start) / 2) AS hour_start, min(sequence_code) AS code
    FROM rmf_cpu_activity AS printed
    ANTI JOIN print_and_xml AS left_out
        ON left_out.report = 'rmf_cpu_activity' AND form_key(left_out) = form_key(printed)
    WHERE sequence_code IS NOT NULL
    GROUP BY ALL
    HAVING min(sequence_code) = max(sequence_code)
),
only_serial AS (
    SELECT system, min(code) AS code FROM serial GROUP BY system HAVING min(code) = max(code)
),
page_hour AS (
    SELECT
        hours.scope, hours.is_utc, hours.clock_hour, hours.hour_start,
        max(hours.partition) FILTER (hours.is_own) AS own,
        list(DISTINCT hours.partition ORDER BY hours.partition) AS partitions,
        max(coalesce(serial.code, only_serial.code)) AS code
    FROM timed AS hours
    LEFT JOIN serial ON serial.system = hours.scope AND serial.hour_start = hours.hour_start
    LEFT JOIN only_serial ON only_serial.system = hours.scope
    WHERE hours.msu_source = 'partition_data'
    GROUP BY hours.scope, hours.is_utc, hours.clock_hour, hours.hour_start
),
shown AS (
    SELECT
        scope, is_utc, date_trunc('day', clock_hour) AS day, own, partitions, code,
        concat_ws(' ', scope, own, code, array_to_string(partitions, ',')) AS id
    FROM page_hour
    GROUP BY ALL
),
of_machine AS MATERIALIZED (
    SELECT
        one.day, one.is_utc, one.id,
        min(other.id) AS machine_id,
        coalesce(min(other.code), min(other.scope)) AS machine
    FROM shown AS one
    JOIN shown AS other ON other.day = one.day AND other.is_utc = one.is_utc
    WHERE other.id = one.id
        OR (other.code = one.code)
        OR (
            other.scope <> one.scope AND other.own <> one.own AND coalesce(other.code = one.code, TRUE)
            AND list_contains(one.partitions, other.own) AND list_contains(other.partitions, one.own)
        )
    GROUP BY one.day, one.is_utc, one.id
),
on_machine AS (
    SELECT hours.*, machine.machine, machine.machine_id
    FROM timed AS hours
    JOIN page_hour
        ON page_hour.scope = hours.scope AND page_hour.is_utc = hours.is_utc AND page_hour.clock_hour = hours.clock_hour
        AND page_hour.hour_start = hours.hour_start
    JOIN of_machine AS machine
        ON machine.day = date_trunc('day', page_hour.clock_hour) AND machine.is_utc = page_hour.is_utc
        AND machine.id = concat_ws(' ', page_hour.scope, page_hour.own, page_hour.code, array_to_string(page_hour.partitions, ','))
    WHERE hours.msu_source = 'partition_data'
),
printed_once AS (
    SELECT
        msu_source, 'partition' AS level, max(sysplex) AS sysplex, machine, machine_id, partition AS name, hour_start, clock_hour,
        utc_offset_minutes, is_utc,
        string_agg(DISTINCT scope, ',' ORDER BY scope) FILTER (is_own) AS scope,
        min(clock_start) AS clock_start,
        max(clock_end) AS clock_end,
        bool_or(is_within) AS is_within,
        first(rolling_msu ORDER BY rolling_msu IS NULL, is_own DESC, scope, refs) AS rolling_msu,
        -- What one page says to have changed another may have printed before or after.
        CASE WHEN NOT bool_or(defined_changed) THEN first(defined_msu ORDER BY defined_msu IS NULL, is_own DESC, scope, refs) END AS defined_msu,
        bool_or(defined_changed) AS defined_changed,
        min(capacity_group) FILTER (is_own) AS capacity_group,
        min(capacity_group_limit) FILTER (is_own) AS capacity_group_limit,
        coalesce(bool_or(is_own), FALSE) AS has_page,
        coalesce(bool_or(names_group), FALSE) AS names_group,
        first(refs ORDER BY rolling_msu IS NULL, is_own DESC, scope, refs) AS refs
    FROM on_machine
    GROUP BY msu_source, machine, machine_id, partition, hour_start, clock_hour, utc_offset_minutes, is_utc
),
-- The use of a partition that is no longer printed is unknown.
lost AS (
    SELECT machine, is_utc, clock_hour, count(DISTINCT name) AS lost
    FROM (
        SELECT machine, is_utc, name, unnest([clock_hour + to_hours(n) FOR n IN range(1, 5)]) AS clock_hour FROM printed_once
    ) AS expected
    ANTI JOIN printed_once USING (machine, is_utc, name, clock_hour)
    GROUP BY machine, is_utc, clock_hour
),
of_partition AS (
    SELECT
        *,
        nullif(defined_msu, 0) AS cap_msu,
        CASE WHEN defined_msu = 0 THEN rolling_msu WHEN rolling_msu > defined_msu THEN defined_msu WHEN defined_msu > 0 THEN rolling_msu END
            AS capped_msu,
        CASE WHEN defined_msu = 0 THEN 'none' WHEN defined_msu > 0 THEN 'defined_capacity' WHEN defined_changed THEN 'changed'
            ELSE 'not_printed' END AS cap_basis,
        -- A partition that was in a group for a part of the hour is in one that is unknown.
        CASE WHEN names_group AND capacity_group IS NULL THEN '' ELSE capacity_group END AS group_name,
        bool_or(names_group) OVER (PARTITION BY machine, machine_id, clock_hour, is_utc) AND rolling_msu IS DISTINCT FROM 0
            AND (NOT has_page OR (names_group AND capacity_group IS NULL)) AS may_be_member
    FROM printed_once
),
of_group AS (
    SELECT
        msu_source, 'capacity_group' AS level, max(sysplex) AS sysplex, machine, machine_id, group_name AS name, hour_start, clock_hour,
        utc_offset_minutes, is_utc,
        string_agg(DISTINCT scope, ',' ORDER BY scope) AS scope,
        min(clock_start) AS clock_start,
        max(clock_end) AS clock_end,
        bool_or(is_within) AS is_within,
        sum_all(rolling_msu) AS rolling_msu,
        CASE WHEN group_name <> '' THEN one_value(capacity_group_limit) END AS cap_msu,
        sum_all(capped_msu) AS members_msu,
        max(cap_basis) FILTER (cap_basis IN ('not_printed', 'changed')) AS unknown_basis,
        count(*) AS partitions,
        count(*) - count(rolling_msu) AS partitions_unknown,
        flatten(list(refs ORDER BY name, refs)) AS refs
    FROM of_partition
    WHERE group_name IS NOT NULL
    GROUP BY msu_source, machine, machine_id, group_name, hour_start, clock_hour, utc_offset_minutes, is_utc
),
capped_group AS (
    SELECT
        of_group.* EXCLUDE (members_msu, unknown_basis) REPLACE (CASE WHEN lost.lost IS NULL THEN rolling_msu END AS rolling_msu),
        CASE WHEN doubt.may_be_member IS NULL AND lost.lost IS NULL AND cap_msu IS NOT NULL
            THEN CASE WHEN members_msu > cap_msu THEN cap_msu ELSE members_msu END END AS capped_msu,
        CASE
            WHEN doubt.may_be_member OR lost.lost IS NOT NULL THEN 'members_unknown' WHEN cap_msu IS NULL THEN 'limit_unknown'
            ELSE coalesce(unknown_basis, 'group_limit')
        END AS cap_basis
    FROM of_group
    LEFT JOIN (
        SELECT DISTINCT machine, machine_id, clock_hour, is_utc, TRUE AS may_be_member FROM of_partition WHERE may_be_member
    ) AS doubt
        ON doubt.machine = of_group.machine AND doubt.machine_id = of_group.machine_id
        AND doubt.clock_hour = of_group.clock_hour AND doubt.is_utc = of_group.is_utc
    LEFT JOIN lost
        ON lost.machine = of_group.machine AND lost.clock_hour = of_group.clock_hour AND lost.is_utc = of_group.is_utc
),
part AS (
    SELECT msu_source, sysplex, machine, machine_id, hour_start, clock_hour, utc_offset_minutes, is_utc, scope, clock_start, clock_end, is_within,
        rolling_msu, capped_msu, cap_basis, 1 AS partitions, CASE WHEN rolling_msu IS NULL THEN 1 ELSE 0 END AS partitions_unknown, name, refs
    FROM of_partition
    WHERE group_name IS NULL
    UNION ALL BY NAME
    SELECT msu_source, sysplex, machine, machine_id, hour_start, clock_hour, utc_offset_minutes, is_utc, scope, clock_start, clock_end, is_within,
        rolling_msu, capped_msu, cap_basis, partitions, partitions_unknown, name, refs
    FROM capped_group
),
machine_hour AS (
    SELECT
        msu_source, 'machine' AS level, max(sysplex) AS sysplex, machine, machine_id, machine AS name, hour_start, clock_hour,
        utc_offset_minutes, is_utc,
        array_to_string(list_sort(list_distinct(string_split(string_agg(scope, ','), ','))), ',') AS scope,
        min(clock_start) AS clock_start,
        max(clock_end) AS clock_end,
        bool_or(is_within) AS is_within,
        sum_all(rolling_msu) AS rolling_msu,
        sum_all(capped_msu) AS capped_msu,
        coalesce(
            min(cap_basis) FILTER (cap_basis IN ('members_unknown', 'limit_unknown', 'not_printed', 'changed')),
            max(cap_basis) FILTER (cap_basis = 'group_limit'), max(cap_basis) FILTER (cap_basis = 'defined_capacity'), 'none'
        ) AS cap_basis,
        sum(partitions) AS partitions,
        sum(partitions_unknown) AS partitions_unknown,
        flatten(list(refs ORDER BY name, refs)) AS refs
    FROM part
    GROUP BY msu_source, machine, machine_id, hour_start, clock_hour, utc_offset_minutes, is_utc
),
listed AS (
    SELECT
        * EXCLUDE (machine_id, capacity_group, capacity_group_limit, defined_msu, has_page, names_group, group_name, may_be_member, defined_changed),
        1 AS partitions, CASE WHEN rolling_msu IS NULL THEN 1 ELSE 0 END AS partitions_unknown, 'act_msu' AS msu_basis,
        CAST(NULL AS DOUBLE) AS rolling_msu_service
    FROM of_partition
    UNION ALL BY NAME
    SELECT * EXCLUDE (machine_id), 'act_msu' AS msu_basis FROM capped_group WHERE name <> ''
    UNION ALL BY NAME
    SELECT
        machine_hour.* EXCLUDE (machine_id) REPLACE (
            CASE WHEN lost.lost IS NULL THEN machine_hour.rolling_msu END AS rolling_msu,
            CASE WHEN lost.lost IS NULL THEN machine_hour.capped_msu END AS capped_msu,
            machine_hour.partitions + coalesce(lost.lost, 0) AS partitions,
            machine_hour.partitions_unknown + coalesce(lost.lost, 0) AS partitions_unknown
        ),
        'act_msu' AS msu_basis
    FROM machine_hour
    LEFT JOIN lost
        ON lost.machine = machine_hour.machine AND lost.clock_hour = machine_hour.clock_hour AND lost.is_utc = machine_hour.is_utc
    QUALIFY max(machine_hour.partitions + coalesce(lost.lost, 0)) OVER (PARTITION BY machine_hour.machine) > 1
    UNION ALL BY NAME
    SELECT
        msu_source, 'pages' AS level, sysplex, scope, scope AS name, hour_start, clock_hour, utc_offset_minutes, is_utc,
        clock_start, clock_end, is_within, rolling_msu, rolling_msu_service, 'no_partition' AS cap_basis, msu_basis, refs
    FROM timed
    WHERE msu_source = 'workload_activity'
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
        FROM listed
    )
),
counted AS (
    SELECT
        *,
        -- All hours of the month from the first whose averages lie in the stretch to the last that it covers, less those that are known.
        CAST(greatest(coalesce(floor((
            epoch(least(max(clock_end) OVER one_stretch + INTERVAL 72 SECOND, arg_max(month_end, (clock_hour, month_end)) OVER one_month))
            - epoch(greatest(min(clock_hour) FILTER (is_within) OVER one_stretch, arg_min(month_start, (clock_hour, month_start)) OVER one_month))
        ) / 3600), 0) - count(rolling_msu) FILTER (is_within) OVER one_month, 0) AS BIGINT) AS hours_unknown,
        CASE WHEN count(capped_msu) FILTER (is_within) OVER one_month = count(*) FILTER (is_within) OVER one_month
            THEN 'capped_msu' ELSE 'rolling_msu' END AS peak_of
    FROM (
        SELECT
            *,
            reporting_month + INTERVAL 1 DAY - (hour_start - clock_hour) AS month_start,
            reporting_month + INTERVAL 1 MONTH + INTERVAL 1 DAY - (hour_start - clock_hour) AS month_end
        FROM (SELECT *, CAST(date_trunc('month', hour_start - INTERVAL 1 DAY) AS DATE) AS reporting_month FROM stretched)
    )
    WINDOW
        one_stretch AS (PARTITION BY msu_source, level, sysplex, machine, name, stretch),
        one_month AS (PARTITION BY msu_source, level, sysplex, machine, name, stretch, reporting_month)
),
final AS (
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
)
SELECT * FROM final
