-- Grain: one row per Db2 member (or group), interval, keys of the ORDER (of a trace: per thread) and package, of one report_kind.
-- The blocks of packages of long reports and the boxes of short ones. A package of several collections, or called in several ways, is printed
-- again in each: its executions and times add.
-- Take one scope, one report_kind and one ORDER before adding: each ORDER prints the same work again.
-- Formulas: cpu = cp + ziip (CP CPU TIME + SE CPU TIME of class 7); short reports print the sum alone. A report prints means of an execution of
-- the package, a trace the thread's sum. cpu_ms_per_commit = cpu × executions / commits of the entry. cpu_share_pct: of class 2 CPU of the
-- entry, whose parts are the packages of class 7; the shares add up to less than 100 where some packages are not printed. Times of several
-- collections are weighted by executions.
-- Source: OMEGAMON for Db2 PE Report Reference, Accounting, "Package Identification", "Package Times".
-- Worked: 0.006104 s in 6 executions of STKUPD01 and 5 commits are 7.3248 ms per commit. 0.0006 s in 100 executions of one collection and 0.0009 s in
-- 100 of another, in 100 commits: 200 executions of 0.00075 s, 1.5 ms.
-- Shards: by begin_at.
-- Columns:
--   package: its name
--   collections: in order; NULL where none is printed
--   package_type: PACKAGE, DBRM, …; NULL where its blocks differ
--   executions: OCCURRENCES of the package; of a trace 1
--   elapsed_s, cp_s, ziip_s, cpu_s, suspension_s [s]: of an execution, classes 7 and 8
--   commits: of db2_accounting_cost
--   cpu_ms_per_commit, cp_ms_per_commit, suspension_ms_per_commit [ms]: see above; NULL without commits
WITH printed AS (
    SELECT
        entry, object AS package, occurrence,
        max(value_text) FILTER (label = 'TYPE') AS package_type,
        max(value_text) FILTER (label = 'COLLECTIONID') AS collection,
        max(value) FILTER (block = 'PACKAGE IDENTIFICATION' AND label = 'OCCURRENCES') AS executions_long,
        max(total) FILTER (block = 'PACKAGE GENERAL' AND label IN ('#OCCURS', '#OCCURRENCES')) AS executions_short,
        max(package_class_7) FILTER (block = 'PACKAGE TIMES' AND regexp_matches(label, '^(ELAPCL7TIME|ELAPSEDTIMECL7)')) AS elapsed_long,
        max(average) FILTER (block = 'PACKAGE GENERAL' AND label = 'CL7ELAPTIME') AS elapsed_short,
        max(package_class_7) FILTER (block = 'PACKAGE TIMES' AND regexp_matches(label, '^(CP)?CPUTIME$')) AS cp_s,
        max(package_class_7) FILTER (block = 'PACKAGE TIMES' AND label = 'SECPUTIME') AS ziip_s,
        max(average) FILTER (block = 'PACKAGE GENERAL' AND label = 'CL7CPUTIME') AS cpu_short,
        max(package_class_7) FILTER (block = 'PACKAGE TIMES' AND regexp_matches(label, '^SUSPENSIONCL8$|^SUSPENSIONTIMECL8$'))
            AS suspension_long,
        max(average) FILTER (block = 'PACKAGE GENERAL' AND label = 'CL8SUSPTIME') AS suspension_short,
        bool_or(is_conflicting) AS is_conflicting,
        flatten(list(refs ORDER BY page, line, refs)) AS refs
    FROM stg_db2_accounting_counter
    WHERE object IS NOT NULL AND block IN ('PACKAGE IDENTIFICATION', 'PACKAGE TIMES', 'PACKAGE GENERAL')
    GROUP BY entry, object, occurrence
    -- A counter that a block repeats is not another block.
    HAVING count(*) FILTER (
        regexp_matches(label, '^(TYPE|OCCURRENCES|#OCCURS|#OCCURRENCES|(CP|SE)?CPUTIME|CL7ELAPTIME|CL7CPUTIME|ELAPCL7TIME.*|ELAPSEDTIMECL7.*)$')
    ) > 0
),
read_as AS (
    SELECT
        *,
        coalesce(executions_long, executions_short) AS executions,
        coalesce(elapsed_long, elapsed_short) AS elapsed_s,
        coalesce(cp_s + ziip_s, cpu_short) AS cpu_s,
        coalesce(suspension_long, suspension_short) AS suspension_s
    FROM printed
),
named AS (
    SELECT
        entry, package, known_value(package_type) AS package_type,
        string_agg(DISTINCT collection, ',' ORDER BY collection) AS collections,
        coalesce(sum_all(executions), CASE WHEN entry.report_kind = 'trace' THEN 1 END) AS executions,
        -- With one block the mean is as printed.
        CASE WHEN count(*) = 1 THEN max(COLUMNS(['elapsed_s', 'cp_s', 'ziip_s', 'cpu_s', 'suspension_s']))
            WHEN entry.report_kind = 'trace' THEN sum_all(COLUMNS(['elapsed_s', 'cp_s', 'ziip_s', 'cpu_s', 'suspension_s']))
            ELSE mean_where_any(COLUMNS(['elapsed_s', 'cp_s', 'ziip_s', 'cpu_s', 'suspension_s']), executions) END,
        bool_or(is_conflicting) AS is_conflicting,
        flatten(list(refs ORDER BY occurrence, refs)) AS refs
    FROM read_as
    GROUP BY entry, package
)
SELECT
    entry.*, named.package, named.collections, named.package_type, named.executions,
    named.elapsed_s, named.cp_s, named.ziip_s, named.cpu_s, named.suspension_s,
    c.commits,
    1000 * named.cpu_s * named.executions / nullif(c.commits, 0) AS cpu_ms_per_commit,
    1000 * named.cp_s * named.executions / nullif(c.commits, 0) AS cp_ms_per_commit,
    1000 * named.suspension_s * named.executions / nullif(c.commits, 0) AS suspension_ms_per_commit,
    100 * named.cpu_s * named.executions / nullif(c.class2_cpu_s * c.occurrences, 0) AS cpu_share_pct,
    named.is_conflicting, named.refs
FROM named
-- An ORDER by activity prints packages alone.
LEFT JOIN db2_accounting_cost AS c ON db2_entry_key(c) = named.entry
