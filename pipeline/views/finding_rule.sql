-- Grain: one row a rule that `finding` evaluates.
-- Inputs: none; the rules are data, and this is their declaration. A study sets another limit by `limits: {rule: number}`.
-- Source: each rule has its own.
-- Columns:
--   rule: name of the rule
--   title: what it finds
--   comparison: a value is found that is '>' or '>=' the limit; '<=' for what should not be so little
--   limit_value: the limit, unless a study says another
--   unit: of value and limit
--   rule_source: who says so
SELECT rule, title, comparison, CAST(limit_value AS DOUBLE) AS limit_value, unit, rule_source
FROM (VALUES
    ('cf_changed_pct', 'Requests to a structure were changed from synchronous to asynchronous',
        '>=', 10, '%', 'MVS Setting Up a Sysplex'),
    ('cf_delayed_pct', 'Requests to a coupling facility or structure were delayed',
        '>=', 10, '%', 'IBM Redbooks on Parallel Sysplex performance'),
    ('cf_utilization_pct', 'A coupling facility is busy',
        '>=', 50, '%', 'IBM Redbooks on Parallel Sysplex performance'),
    ('contention_pct', 'Lock requests met contention, real or false',
        '>', 2, '%', 'field practice'),
    ('false_contention_pct', 'Lock requests met false contention: the lock structure has few entries',
        '>', 1, '%', 'Data Sharing in a Nutshell'),
    ('gbp_reads_failed_no_storage', 'Reads of a group buffer pool failed for lack of storage',
        '>', 0, 'reads', 'Db2 Data Sharing: Planning and Administration'),
    ('gbp_writes_failed_no_storage', 'Writes to a group buffer pool failed for lack of storage',
        '>', 0, 'writes', 'Db2 Data Sharing: Planning and Administration'),
    ('gbp_directory_reclaim_xi', 'Pages of a group buffer pool were invalidated because directory entries were reclaimed',
        '>', 0, 'cross-invalidations', 'Db2 Data Sharing: Planning and Administration'),
    ('xcf_rejects', 'XCF rejected requests for lack of message buffers',
        '>', 0, 'requests', 'MVS Setting Up a Sysplex'),
    ('db2entry_waits', 'Tasks waited for a thread of a DB2ENTRY, or overflowed to the pool',
        '>', 0, 'waits or overflows', 'CICS Db2 Guide'),
    ('crossover_pct', 'zIIP-eligible time ran on general processors',
        '>', 10, '%', 'field practice'),
    ('performance_index', 'A class period missed its goal',
        '>', 1, 'goals', 'RMF Report Analysis, PERF INDX'),
    ('printed_twice', 'The same interval is printed in several sources; it counts once',
        '>', 1, 'sources', 'equal keys name the same fact'),
    ('printed_differently', 'The same class and interval is printed with different values; the first print counts',
        '>', 1, 'prints', 'equal keys name the same fact'),
    ('no_requests', 'A run has no requests: nothing can be stated a request',
        '<=', 0, 'requests', 'division by zero'),
    ('covered_off_pct', 'The selected intervals cover more or less time than was asked for',
        '>', 2, '%', 'rates are of the covered time')
) AS listed (rule, title, comparison, limit_value, unit, rule_source)
