-- Grain: one row per study, configuration and run whose window holds Db2 accounting reports of members.
-- The cost of a request by Db2 alone, beside that of RMF. Accounting charges threads: class 1 application and Db2, class 2 Db2 alone.
-- Statistics have the address spaces of Db2. RMF has both, in the classes that the study charges.
-- The address spaces are counted without DDF's preemptable SRB and zIIP time (db2_address_space_cpu): that is the work of distributed threads,
-- which class 1 has. Some of this time may be charged to no thread; how much is not known, so it is given beside: ddf_enclaves_cpu_ms_per_request.
-- Rule: accounting and statistics belong to a window if their midpoint does, and if their group is not known to be of other systems
-- (run_db2_group): none of their pages names a system of RMF. Among several ORDERs the one with most commits counts. A page without a scope is of
-- a member if it names one, else its owner is unknown and it does not count. Statistics in a report of the group count for a member without
-- statistics of its own for the interval. Members add; each counts as its time over its own covered time.
-- Formulas: per request = time per second / requests_per_s of the run. Without the study's normalisation; zIIP time of RMF at the speed of a
-- general processor, as Db2 prints it. other = rmf - class1 - address spaces. class1_of_rmf_pct = (class1 + address spaces) / rmf,
-- without address spaces where no statistics are in the window.
-- Source: OMEGAMON for Db2 PE Report Reference; RMF Report Analysis, APPL %.
-- Worked: 18 s of class 1 in 300 s and 20 requests/s are 3 ms; RMF's classes use 10% of an engine, 5 ms: 60%, other 2 ms. With 0.6 s of TCBs of
-- DDF and 17.4 s of its preemptable SRBs address spaces are 0.1 ms: 62%, other 1.9 ms; the enclaves 2.9 ms.
-- Columns:
--   members: of Db2, in order
--   covered_s, db2_covered_s [s]: covered time of the run's intervals, and of the accounting reports of the member with least
--   requests_per_s, commits_per_s [1/s]: requests of the run, commits of all threads
--   commits_per_request: the one by the other
--   class1_cpu_ms_per_request, class1_cp_ms_per_request, class1_ziip_ms_per_request [ms]: application and Db2
--   class2_cpu_ms_per_request [ms]: in Db2
--   class2_others_cpu_ms_per_request [ms]: of it, of connection types other than CICS; 0 where the ORDER has no connection type
--   class3_ms_per_request, data_sharing_wait_ms_per_request [ms]: in Db2
--   address_spaces_cpu_ms_per_request [ms]: MSTR, DBM1, IRLM (general processors alone, where its zIIP time is N/A) and DDF without its enclaves;
--     NULL without statistics of one of the members, or where one is unknown
--   ddf_enclaves_cpu_ms_per_request [ms]: see above: not added to anything; 0 where no DDF is printed, NULL where its time is
--     not, and as address_spaces_cpu_ms_per_request
--   rmf_cpu_ms_per_request [ms]: of the classes that the study charges
--   other_ms_per_request [ms]: see above
--   explained_by: what can explain a difference: other time covered, members that may be of another sysplex, work that the study does not charge,
--     distributed threads that accounting lacks, several commits per request
--   null_reason: why Db2's figures are NULL: a group may be of another sysplex, accounting intervals overlap, their length is not known (the clock
--     was set back), or times, occurrences or commits not printed
WITH not_of_run AS (
    FROM run_db2_group WHERE NOT is_of_run
),
printed AS (
    SELECT
        step.study, step.configuration, step.run,
        coalesce(c.member, c.subsystem) AS member, c.order_keys, c.begin_at, c.end_at,
        date_diff('millisecond', c.begin_at, c.end_at) / 1000 AS length_s,
        c.commits, c.class1_cpu_s, c.class1_cp_s, c.class1_ziip_s, c.class2_cpu_s, c.class3_s, c.data_sharing_wait_s,
        CASE WHEN upper(c.conntype) = 'CICS' OR c.conntype IS NULL THEN 0 ELSE c.class2_cpu_s END AS class2_others_cpu_s,
        CASE WHEN upper(c.conntype) = 'CICS' THEN 0 ELSE c.class1_cpu_s END AS class1_distributable_cpu_s,
        struct_pack(conntype := c.conntype, connection := c.connection) AS threads, c.db2_group IS NULL AS is_in_no_group, c.is_conflicting, c.refs
    FROM study_step AS step
    JOIN db2_connection_cost AS c
        ON is_middle_within(c.begin_at, c.end_at, step.window_start, step.window_end)
    ANTI JOIN not_of_run AS n
        ON n.study = step.study AND n.configuration = step.configuration AND n.run = step.run AND n.db2_group = c.db2_group
    WHERE c.report_kind = 'report' AND is_of_member(c.scope, coalesce(c.member, c.subsystem))
),
of_order AS (
    SELECT
        study, configuration, run, order_keys,
        row_number() OVER (PARTITION BY study, configuration, run ORDER BY sum(commits) DESC NULLS LAST, order_keys) AS place
    FROM printed
    GROUP BY study, configuration, run, order_keys
),
of_interval AS (
    SELECT
        study, configuration, run, order_keys, member, begin_at, end_at,
        -- Where the clock was set back within the interval, its length is not known.
        CASE WHEN max(length_s) > 0 THEN max(length_s) END AS length_s,
        sum_all(commits) AS commits, sum_all(COLUMNS('class|wait')),
        -- The same threads again, on a page without a scope.
        count(DISTINCT threads) < count(*) AS is_again, bool_or(is_in_no_group) AS is_in_no_group,
        bool_or(is_conflicting) AS is_conflicting, flatten(list(refs ORDER BY refs)) AS refs
    FROM printed
    SEMI JOIN of_order
        ON of_order.study = printed.study AND of_order.configuration = printed.configuration AND of_order.run = printed.run
        AND of_order.order_keys = printed.order_keys AND of_order.place = 1
    GROUP BY study, configuration, run, order_keys, member, begin_at, end_at
),
of_member AS (
    SELECT
        study, configuration, run, order_keys, member, sum_all(length_s) AS covered_s,
        -- Reports that overlap print the same work twice.
        bool_or(is_again OR is_there_twice(begin_at, reached)) AS is_overlapping, bool_or(is_in_no_group) AS is_in_no_group,
        sum_all(commits) / nullif(sum_all(length_s), 0) AS commits_per_s,
        sum_all(COLUMNS('class|wait')) / nullif(sum_all(length_s), 0),
        bool_or(is_conflicting) AS is_conflicting, flatten(list(refs ORDER BY begin_at, refs)) AS refs
    FROM (
        SELECT
            *, max(end_at) OVER (
                PARTITION BY study, configuration, run, order_keys, member
                ORDER BY begin_at, end_at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS reached
        FROM of_interval
    )
    GROUP BY study, configuration, run, order_keys, member
),
of_run AS (
    SELECT
        study, configuration, run, order_keys, string_agg(member, ',' ORDER BY member) AS members,
        min_all(covered_s) AS db2_covered_s,
        bool_or(is_overlapping) AS is_overlapping, bool_or(is_in_no_group) AS has_member_without_group,
        sum_all(commits_per_s) AS commits_per_s, sum_all(COLUMNS('class|wait')),
        bool_or(is_conflicting) AS is_conflicting, flatten(list(refs ORDER BY member, refs)) AS refs
    FROM of_member
    GROUP BY study, configuration, run, order_keys
),
space_of_interval AS (
    SELECT
        step.study, step.configuration, step.run, coalesce(s.member, s.subsystem) AS member, s.address_space, s.begin_at, s.interval_elapsed_s,
        s.own_cpu_s, s.enclave_cpu_s,
        max(s.end_at) OVER (
            PARTITION BY step.study, step.configuration, step.run, coalesce(s.member, s.subsystem), s.address_space
            ORDER BY s.begin_at, s.end_at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS reached
    FROM study_step AS step
    JOIN (
        FROM db2_address_space_cpu
        WHERE is_of_member(scope, coalesce(member, subsystem)) AND report_kind = 'report'
        QUALIFY is_own_or_only(scope, (db2_group, coalesce(member, subsystem), address_space, begin_at, end_at))
    ) AS s
        ON is_middle_within(s.begin_at, s.end_at, step.window_start, step.window_end)
    ANTI JOIN not_of_run AS n
        ON n.study = step.study AND n.configuration = step.configuration AND n.run = step.run AND n.db2_group = s.db2_group
),
space_of_member AS (
    SELECT
        study, configuration, run, member, address_space,
        sum_all(own_cpu_s) / nullif(sum_all(interval_elapsed_s), 0) AS engines,
        sum_all(enclave_cpu_s) / nullif(sum_all(interval_elapsed_s), 0) AS enclave_engines,
        bool_or(is_there_twice(begin_at, reached)) AS is_overlapping
    FROM space_of_interval
    GROUP BY study, configuration, run, member, address_space
),
spaces AS (
    SELECT
        study, configuration, run, bool_or(is_overlapping) AS is_overlapping,
        CASE WHEN NOT bool_or(is_overlapping) THEN sum_all(engines) END AS engines,
        CASE WHEN NOT bool_or(is_overlapping) THEN sum_or_zero(enclave_engines, address_space = 'DDF') END AS enclave_engines
    FROM space_of_member
    GROUP BY study, configuration, run
),
-- Members with known threads and unknown address spaces: without them the address spaces are incomplete.
without_spaces AS (
    SELECT study, configuration, run, string_agg(member, ',' ORDER BY member) AS members
    FROM of_member
    ANTI JOIN space_of_member AS s USING (study, configuration, run, member)
    GROUP BY study, configuration, run
),
charged AS (
    SELECT study, configuration, run, sum_all(cpu_normalized_pct, subsystem <> 'unallocated') AS cpu_pct
    FROM cost_per_request
    GROUP BY study, configuration, run
),
per_request AS (
    SELECT
        d.study, d.configuration, d.run, around.sysplexes, d.has_member_without_group, d.members, d.order_keys, counted.covered_s, d.db2_covered_s,
        counted.requests_per_s, CASE WHEN NOT d.is_overlapping AND unplaced.study IS NULL THEN d.commits_per_s END AS commits_per_s,
        CASE WHEN NOT d.is_overlapping AND unplaced.study IS NULL THEN 1000 / nullif(counted.requests_per_s, 0) END AS ms,
        d.class1_cpu_s, d.class1_cp_s, d.class1_ziip_s, d.class2_cpu_s, d.class2_others_cpu_s, d.class1_distributable_cpu_s,
        d.class3_s, d.data_sharing_wait_s,
        CASE WHEN without_spaces.members IS NULL AND unplaced.study IS NULL THEN 1000 * spaces.engines / nullif(counted.requests_per_s, 0) END
            AS address_spaces_cpu_ms_per_request,
        CASE WHEN without_spaces.members IS NULL AND unplaced.study IS NULL THEN 1000 * spaces.enclave_engines / nullif(counted.requests_per_s, 0) END
            AS ddf_enclaves_cpu_ms_per_request,
        CASE
            WHEN unplaced.study IS NOT NULL THEN NULL
            WHEN spaces.is_overlapping IS NULL THEN 'no statistics of the address spaces'
            WHEN spaces.is_overlapping THEN 'statistics of the address spaces overlap'
            WHEN without_spaces.members IS NOT NULL THEN concat('no statistics of the address spaces of ', without_spaces.members)
            ELSE 'time of an address space not printed'
        END AS no_spaces_reason,
        1000 * charged.cpu_pct / 100 / nullif(counted.requests_per_s, 0) AS rmf_cpu_ms_per_request,
        CASE
            WHEN unplaced.study IS NOT NULL THEN 'which sysplex a Db2 group is of is not known'
            WHEN d.is_overlapping THEN 'accounting intervals overlap'
            WHEN d.db2_covered_s IS NULL THEN 'length of an accounting interval not known'
            WHEN d.class1_cpu_s IS NULL THEN 'class 1 CPU or occurrences not printed'
            WHEN d.commits_per_s IS NULL THEN 'commits not printed'
        END AS null_reason,
        d.is_conflicting, d.refs
    FROM of_run AS d
    JOIN run_requests AS counted USING (study, configuration, run)
    JOIN run_sysplex_count AS around USING (study, configuration, run)
    LEFT JOIN charged USING (study, configuration, run)
    LEFT JOIN spaces USING (study, configuration, run)
    LEFT JOIN without_spaces USING (study, configuration, run)
    LEFT JOIN (SELECT DISTINCT study, configuration, run FROM run_db2_group WHERE is_of_run IS NULL) AS unplaced USING (study, configuration, run)
),
compared AS (
    SELECT
        *,
        class1_cpu_s * ms AS class1_cpu_ms_per_request,
        100 * (class1_cpu_s * ms + coalesce(address_spaces_cpu_ms_per_request, 0)) / nullif(rmf_cpu_ms_per_request, 0) AS class1_of_rmf_pct
    FROM per_request
)
SELECT
    study, configuration, run, members, order_keys, covered_s, db2_covered_s, requests_per_s, commits_per_s,
    commits_per_s / nullif(requests_per_s, 0) AS commits_per_request,
    class1_cpu_ms_per_request,
    class1_cp_s * ms AS class1_cp_ms_per_request,
    class1_ziip_s * ms AS class1_ziip_ms_per_request,
    class2_cpu_s * ms AS class2_cpu_ms_per_request,
    class2_others_cpu_s * ms AS class2_others_cpu_ms_per_request,
    class3_s * ms AS class3_ms_per_request,
    data_sharing_wait_s * ms AS data_sharing_wait_ms_per_request,
    address_spaces_cpu_ms_per_request, ddf_enclaves_cpu_ms_per_request, rmf_cpu_ms_per_request, class1_of_rmf_pct,
    rmf_cpu_ms_per_request - class1_cpu_ms_per_request - address_spaces_cpu_ms_per_request AS other_ms_per_request,
    nullif(concat_ws(
        '; ',
        CASE WHEN abs(db2_covered_s / nullif(covered_s, 0) - 1) > 0.02
            THEN concat('accounting covers ', CAST(round(db2_covered_s) AS BIGINT), ' s, RMF ', CAST(round(covered_s) AS BIGINT), ' s') END,
        CASE WHEN sysplexes > 1 AND has_member_without_group
            THEN concat('pages of ', sysplexes, ' sysplexes in the window: members without a group may be of another') END,
        CASE WHEN class1_of_rmf_pct > 105 THEN 'Db2 has work that the study charges to no class' END,
        CASE WHEN address_spaces_cpu_ms_per_request IS NULL THEN no_spaces_reason END,
        CASE WHEN ddf_enclaves_cpu_ms_per_request > 1.05 * class1_distributable_cpu_s * ms
            THEN 'accounting lacks threads: the enclaves of DDF used more than those that can be distributed' END,
        CASE WHEN commits_per_s > 1.05 * requests_per_s THEN 'several commits per request' END,
        CASE WHEN commits_per_s < 0.95 * requests_per_s THEN 'requests without commits in Db2' END
    ), '') AS explained_by,
    null_reason, is_conflicting, refs
FROM compared
