-- Grain: one row per study, configuration, run and Db2 data sharing group named by Db2 reports in the run's window.
-- No page of Db2 names a system of RMF; pages of the group's structures (GROUP_GBPn, GROUP_LOCKn, GROUP_SCA) do. A group is of a run if the run's
-- systems used one of its structures. It is not if only other systems used them: systems of another sysplex, or of another run of this one.
-- Without such pages the group is of the run, unless workload pages of several sysplexes are in the window: then it is unknown.
-- Source: RMF Report Analysis, Coupling Facility Activity; Db2 Data Sharing: Planning and Administration, names of structures.
-- Worked: the systems of PLEX1 use DSNA_GBP0, those of PLEX2 DSNB_GBP0: a run of PLEX1 has group DSNA alone.
-- Columns:
--   is_of_run: see above; NULL where it is not known
--   refs: the study definition of the run
WITH named AS (
    SELECT DISTINCT step.study, step.configuration, step.run, printed.db2_group, ref(step.source_id, step.page, step.line) AS ref
    FROM study_step AS step
    JOIN (
        SELECT DISTINCT db2_group, begin_at, end_at FROM db2_statistics_counter
        UNION
        SELECT DISTINCT db2_group, begin_at, end_at FROM db2_accounting_counter
    ) AS printed
        ON is_middle_within(printed.begin_at, printed.end_at, step.window_start, step.window_end)
    WHERE printed.db2_group IS NOT NULL
),
picked AS (
    SELECT study, configuration, run, max(sysplex) AS sysplex, string_agg(DISTINCT scope, ',') AS systems, bool_or(scope IS NULL) AS names_none
    FROM run_selection
    GROUP BY study, configuration, run
),
-- Over the whole window: intervals of coupling facilities need not be those of the workload pages.
used AS (
    SELECT
        step.study, step.configuration, step.run, regexp_extract(printed.structure_name, '^(.+)_(LOCK|SCA|GBP)[0-9K]*$', 1) AS db2_group,
        -- Systems of a window that selects nothing are not known.
        bool_or(
            (picked.sysplex IS NULL OR printed.sysplex = picked.sysplex)
            AND (picked.names_none OR list_contains(string_split(picked.systems, ','), printed.system))
        ) AS is_of_run
    FROM study_step AS step
    JOIN cf_structure_interval AS printed
        ON is_middle_within(printed.interval_start, printed.interval_end, step.window_start, step.window_end)
    LEFT JOIN picked ON picked.study = step.study AND picked.configuration = step.configuration AND picked.run = step.run
    WHERE printed.requests_per_s IS DISTINCT FROM 0
    GROUP BY ALL
)
SELECT
    named.study, named.configuration, named.run, named.db2_group,
    CASE
        WHEN used.is_of_run IS NOT NULL THEN used.is_of_run
        WHEN around.sysplexes > 1 THEN NULL
        ELSE TRUE
    END AS is_of_run,
    [named.ref] AS refs
FROM named
LEFT JOIN used USING (study, configuration, run, db2_group)
LEFT JOIN run_sysplex_count AS around USING (study, configuration, run)
