-- Grain: one row per source of the figure, level, owner, and clock hour: the four-hour rolling average, independent of the rest of the month.
-- All of hourly_four_hour_msu except the parts that depend on more than the neighbouring days: the peaks, and which machines show more than
-- one partition. Here a machine with one partition has rows, too.
-- Source: as hourly_four_hour_msu.
-- Worked: as hourly_four_hour_msu.
-- Shards: no: as interval_msu; a system's machine is asked of all days.
-- Columns:
--   level: partition, capacity_group, machine or pages
--   machine: sequence code, otherwise the first of its systems; NULL for pages
--   scope: systems whose own pages are in it
--   name: of the partition, group or machine; of pages their scope
--   utc_offset_minutes [min]: of the hour; NULL if hours are ordered by local time
--   is_utc: the hours are ordered by UTC
--   clock_hour, clock_start, clock_end: the hour, and what its intervals cover, by the clock that orders them: UTC, otherwise local time
--   is_within: four hours that end in the hour lie within a stretch (interval_msu)
--   cap_msu [MSU/h]: defined capacity or limit of the group; NULL if there is none, and for machines
--   capped_msu [MSU/h]: rolling_msu up to the cap, as hourly_four_hour_msu says
--   cap_basis: defined_capacity, group_limit, none; not_printed where the defined capacity of a partition is unknown, changed where it
--     changed within an interval (an asterisk beside it), members_unknown where a partition of a machine that has groups may be in one,
--     limit_unknown where the limit or the group is not printed or changed, no_partition for pages
--   partitions, partitions_unknown: partitions included, and those with unknown rolling_msu
WITH series_hour AS (
    SELECT
        msu_source, sysplex, scope, partition, is_utc,
        hour_of(interval_start, interval_end) AS hour_start,
        utc_offset_minutes,
        stretch_start, stretch_end,
        bool_and(is_own) AS is_own,
        min(clock_start) AS clock_start,
        max(clock_end) AS clock_end,
        min(clock_end) - INTERVAL 4 HOUR >= stretch_start - INTERVAL 288 SECOND AS begins_within,
        mean_all(msu, interval_s) AS msu,
        CASE WHEN abs(sum(interval_s) / 3600 - 1) <= 0.02 THEN mean_all(rolling_msu, interval_s) END AS rolling_msu,
        CASE WHEN abs(sum(interval_s) / 3600 - 1) <= 0.02 THEN mean_all(rolling_msu_service, interval_s) END AS rolling_msu_service,
        CASE WHEN min(msu_basis) = max(msu_basis) THEN min(msu_basis) ELSE 'differing' END AS msu_basis,
        -- A capacity that was defined or changed within the hour has no mean.
        CASE WHEN NOT bool_or(msu_defined_changed) AND count(msu_defined) = count(*) AND ((min(msu_defined) > 0) OR max(msu_defined) = 0)
            THEN sum(msu_defined * interval_s) / sum(interval_s) END AS defined_msu,
        coalesce(bool_or(msu_defined_changed), FALSE) AS defined_changed,
        CASE WHEN NOT bool_or(capacity_group_changed) THEN one_value(capacity_group) END AS capacity_group,
        count(capacity_group) > 0 OR coalesce(bool_or(capacity_group_changed), FALSE) AS names_group,
        CASE WHEN NOT bool_or(capacity_group_limit_changed) THEN one_value(capacity_group_limit) END AS capacity_group_limit,
        flatten(list(refs ORDER BY interval_start, refs)) AS refs
    FROM interval_msu
    GROUP BY
        msu_source, sysplex, scope, partition, is_utc, hour_of(interval_start, interval_end),
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
-- Which systems are on one machine, by their pages of a day.
serial AS (
    SELECT system, hour_of(interval_start, interval_end) AS hour_start, min(sequence_code) AS code
    FROM counted('rmf_cpu_activity')
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
-- Without a sequence code: pages that list each other's own partition.
by_name AS (
    SELECT DISTINCT one.day, one.is_utc, one.scope, one.own, other.scope AS other_scope, other.own AS other_own
    FROM shown AS one
    JOIN shown AS other ON other.day = one.day AND other.is_utc = one.is_utc
    WHERE other.scope <> one.scope AND other.own <> one.own AND (one.code IS NULL OR other.code IS NULL)
        AND list_contains(one.partitions, other.own) AND list_contains(other.partitions, one.own)
),
-- Partitions of two machines may have one name; pages of one machine print nearly the same figure for each partition over a day.
unlike AS (
    SELECT pair.day, pair.is_utc, pair.scope, pair.other_scope
    FROM by_name AS pair
    JOIN timed AS mine
        ON mine.msu_source = 'partition_data' AND mine.scope = pair.scope AND mine.is_utc = pair.is_utc
        AND date_trunc('day', mine.clock_hour) = pair.day
    JOIN timed AS theirs
        ON theirs.msu_source = 'partition_data' AND theirs.scope = pair.other_scope AND theirs.is_utc = pair.is_utc
        AND theirs.clock_hour = mine.clock_hour AND theirs.partition = mine.partition
    WHERE mine.msu IS NOT NULL AND theirs.msu IS NOT NULL
    GROUP BY pair.day, pair.is_utc, pair.scope, pair.other_scope, mine.partition
    HAVING abs(avg(mine.msu) - avg(theirs.msu)) > 1 + 0.02 * greatest(avg(mine.msu), avg(theirs.msu))
),
on_one AS (
    SELECT *
    FROM by_name
    ANTI JOIN unlike USING (day, is_utc, scope, other_scope)
    -- A name is unique on a machine: where two pages could belong to it, neither does.
    QUALIFY count(*) OVER (PARTITION BY day, is_utc, scope, other_own) = 1 AND count(*) OVER (PARTITION BY day, is_utc, other_scope, own) = 1
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
        OR (one.day, one.is_utc, one.scope, one.own, other.scope, other.own) IN (
            SELECT (day, is_utc, scope, own, other_scope, other_own) FROM on_one
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
        -- A capacity that changed on one page may be printed as before or after the change on another.
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
        -- The group of a partition that was in a group for a part of the hour is unknown.
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
hour_of_machine AS (
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
        hour_of_machine.* EXCLUDE (machine_id) REPLACE (
            CASE WHEN lost.lost IS NULL THEN hour_of_machine.rolling_msu END AS rolling_msu,
            CASE WHEN lost.lost IS NULL THEN hour_of_machine.capped_msu END AS capped_msu,
            hour_of_machine.partitions + coalesce(lost.lost, 0) AS partitions,
            hour_of_machine.partitions_unknown + coalesce(lost.lost, 0) AS partitions_unknown
        ),
        'act_msu' AS msu_basis
    FROM hour_of_machine
    LEFT JOIN lost
        ON lost.machine = hour_of_machine.machine AND lost.clock_hour = hour_of_machine.clock_hour AND lost.is_utc = hour_of_machine.is_utc
    UNION ALL BY NAME
    SELECT
        msu_source, 'pages' AS level, sysplex, scope, scope AS name, hour_start, clock_hour, utc_offset_minutes, is_utc,
        clock_start, clock_end, is_within, rolling_msu, rolling_msu_service, 'no_partition' AS cap_basis, msu_basis, refs
    FROM timed
    WHERE msu_source = 'workload_activity'
)
SELECT
    msu_source, level, sysplex, machine, scope, name, hour_start, utc_offset_minutes, is_utc, clock_hour, clock_start, clock_end, is_within,
    rolling_msu, rolling_msu_service, cap_msu, capped_msu, cap_basis, msu_basis,
    CAST(partitions AS BIGINT) AS partitions, CAST(partitions_unknown AS BIGINT) AS partitions_unknown, refs
FROM listed
