-- Grain: one row per rule that `finding` evaluates.
-- The rules are data, and this is their declaration. A study sets another limit by `limits: {rule: number}`, and by
-- `limits: {rule: {limit: number, lock: number, list: number, cache: number, least_size: number}}` those by kind and the least size.
-- Limits by kind of structure: the requester waits for a lock; requests to lists and caches can be made asynchronous.
-- Least sizes: a share of few requests is noise and costs little. A value without a printed size is compared only with its limit.
-- Source: each rule has its own. A document is named with its page where the page was looked up, otherwise with the title of the topic and 'page
-- not verified'. Least sizes, and limits of 'field practice', are set by this project, without a document.
-- Shards: no: its rows are the rules.
-- Columns:
--   rule: name of the rule
--   title: what it finds
--   comparison: a finding is a value '>' or '>=' the limit; '<=' for a lower limit
--   limit_value: the limit, unless a study sets another
--   lock_limit_value, list_limit_value, cache_limit_value: limit for structures of that kind; NULL for the general limit
--   unit: of value and limit
--   least_size: minimum size, in size_unit; NULL for none
--   size_unit: of least_size
--   rule_source: source of the rule
SELECT
    rule, title, comparison, CAST(limit_value AS DOUBLE) AS limit_value, CAST(lock_limit_value AS DOUBLE) AS lock_limit_value,
    CAST(list_limit_value AS DOUBLE) AS list_limit_value, CAST(cache_limit_value AS DOUBLE) AS cache_limit_value, unit,
    CAST(least_size AS DOUBLE) AS least_size, size_unit, rule_source
FROM (VALUES
    ('cf_changed_pct', 'Requests to a structure were changed from synchronous to asynchronous',
        '>=', 10, 5, 10, 10, '%', 1, 'requests/s',
        'z/OS MVS Setting Up a Sysplex, SA23-1399-00, topic "CHNGD requests" (page not verified): less than 10% of the requests to a structure; '
        || 'half of that for locks: field practice'),
    ('cf_delayed_pct', 'Requests to a coupling facility or structure were delayed',
        '>=', 10, 5, 10, 10, '%', 1, 'requests/s',
        'IBM eServer zSeries 900 Technical Guide, ISBN 0738426970, page 187: more than 10% delayed by busy subchannels or paths; '
        || 'half of that for locks: field practice'),
    ('cf_utilization_pct', 'A coupling facility is busy',
        '>=', 50, NULL, NULL, NULL, '%', 0.1, 'processors in use',
        'IBM eServer zSeries 900 Technical Guide, ISBN 0738426970, page 187: below 50% in all coupling facilities'),
    ('cf_subchannel_busy_pct', 'The subchannels of a system to a coupling facility are busy: requests wait for one or become asynchronous',
        '>=', 30, NULL, NULL, NULL, '%', 1, 'requests/s', 'field practice'),
    ('cf_of_reference_pct', 'Synchronous requests take far longer than the links let expect: a busy or shared facility, large data, busy paths',
        '>=', 200, NULL, NULL, NULL, '% of the reference', 0.1, 'engines that wait', 'field practice'),
    ('cf_memory_reads', 'A structure reads entries back from storage class memory: its storage did not hold them',
        '>', 0, NULL, NULL, NULL, 'reads', NULL, NULL,
        'RMF Report Analysis, Coupling Facility Activity (page not verified): storage class memory takes what the structure cannot hold'),
    ('channel_busy_pct', 'A FICON channel path of the machine is busy: requests wait in the channel subsystem',
        '>=', 50, NULL, NULL, NULL, '%', NULL, NULL, 'field practice'),
    ('alias_waits', 'I/O requests waited for a HyperPAV alias',
        '>=', 0.1, NULL, NULL, NULL, 'waits per request', 10, 'requests/s', 'field practice'),
    ('cache_delayed_writes_pct', 'Writes to a storage control unit found no room in its non-volatile storage',
        '>=', 1, NULL, NULL, NULL, '%', 10, 'writes/s', 'field practice'),
    ('contention_pct', 'Lock requests met contention, real or false',
        '>', 2, NULL, NULL, NULL, '%', 10, 'lock requests/s',
        'field practice; Db2 13 for z/OS, Data Sharing: Planning and Administration, topic "How much contention is acceptable" '
        || '(page not verified): from 3% to be watched, above 5% to be tuned, not where few locks are asked for'),
    ('false_contention_pct', 'Lock requests met false contention: the lock structure has few entries',
        '>', 1, NULL, NULL, NULL, '%', 10, 'lock requests/s',
        'Data Sharing in a Nutshell, SG24-7322 (page not verified); z/OS MVS Planning: Global Resource Serialization, SA23-1389-00, '
        || 'topic "Getting the right structure size" (page not verified): high above one or two percent'),
    ('gbp_reads_failed_no_storage', 'Reads of a group buffer pool failed for lack of storage',
        '>', 0, NULL, NULL, NULL, 'reads', NULL, NULL,
        'Db2 13 for z/OS, Data Sharing: Planning and Administration, topic "Too few data entries" (page not verified)'),
    ('gbp_writes_failed_no_storage', 'Writes to a group buffer pool failed for lack of storage',
        '>', 0, NULL, NULL, NULL, 'writes', NULL, NULL,
        'Db2 13 for z/OS, Data Sharing: Planning and Administration, topic "Too few data entries" (page not verified)'),
    ('gbp_directory_reclaim_xi', 'Pages of a group buffer pool were invalidated because directory entries were reclaimed',
        '>', 0, NULL, NULL, NULL, 'cross-invalidations', NULL, NULL,
        'Db2 12 for z/OS, Data Sharing: Planning and Administration, topic "Too few directory entries" (page not verified)'),
    ('xcf_rejects', 'XCF rejected requests for lack of message buffers',
        '>', 0, NULL, NULL, NULL, 'requests', NULL, NULL,
        'z/OS MVS Setting Up a Sysplex, SA23-1399-00, topic "Using RMF reports to analyze message buffer space" (page not verified)'),
    ('xcf_path_busy_pct', 'Messages found their XCF signalling path busy: one more path, or a faster one, would take them',
        '>=', 10, NULL, NULL, NULL, '%', 1, 'signals/s', 'field practice'),
    ('db2entry_waits', 'Tasks waited for a thread of a DB2ENTRY, or overflowed to the pool',
        '>', 0, NULL, NULL, NULL, 'waits or overflows', NULL, NULL,
        'CICS Db2 Guide, THREADLIMIT and THREADWAIT of a DB2ENTRY (page not verified)'),
    ('cics_qr_busy_pct', 'The QR TCB of a CICS region is busy: quasi-reentrant work can use one processor at most',
        '>=', 70, NULL, NULL, NULL, '%', NULL, NULL,
        'CICS Transaction Server, Performance Guide, topic "TCB statistics" (page not verified): above 70% a region nears its capacity'),
    ('cics_times_at_mxt', 'A CICS region reached MXT: further tasks waited',
        '>', 0, NULL, NULL, NULL, 'times', NULL, NULL, 'CICS Transaction Server, Performance Guide, topic "MXT" (page not verified)'),
    ('cics_short_on_storage', 'A storage area of a CICS region was short on storage',
        '>', 0, NULL, NULL, NULL, 'times', NULL, NULL,
        'CICS Transaction Server, Performance Guide, topic "Short-on-storage conditions" (page not verified)'),
    ('crossover_pct', 'zIIP-eligible time ran on general processors',
        '>', 10, NULL, NULL, NULL, '%', 0.5, '% of an engine', 'field practice'),
    ('performance_index', 'A class period missed its goal',
        '>', 1, NULL, NULL, NULL, 'goals', 10, 'transactions of a response time goal',
        'z/OS MVS Programming: Workload Management Services, SC34-2663-00, topic "Performance Index" (page not verified): above 1 the goal is missed'),
    ('lpar_capped_pct', 'WLM capped the partition: its work waited for processors that were there, and an ITR is that of the cap',
        '>', 0, NULL, NULL, NULL, '% of the interval', NULL, NULL,
        'RMF Report Analysis, Partition Data Report, CAPPING (page not verified): share of the time that WLM capped the partition'),
    ('group_capped_pct', 'The limit of a capacity group held the partition back: an ITR of the interval is that of the cap',
        '>', 0, NULL, NULL, NULL, '% of the interval', NULL, NULL,
        'RMF Report Analysis, Group Capacity Report, CAPPING ACT% (page not verified): share of the time that the cap held the partition back'),
    ('resource_group_pct', 'A resource group used what its maximum gives: its work waited for processors that were there',
        '>=', 95, NULL, NULL, NULL, '% of the maximum', NULL, NULL, 'field practice'),
    ('machine_busy_pct', 'The physical processors of the machine are busy: partitions wait for each other',
        '>=', 90, NULL, NULL, NULL, '%', NULL, NULL, 'field practice'),
    ('beyond_entitlement_pct', 'A partition used far more than its weight gives: it has that only while other partitions leave it',
        '>=', 150, NULL, NULL, NULL, '% of the entitlement', 0.5, 'engines beyond it', 'field practice'),
    ('waiting_pct', 'Work was ready and its logical processors were not dispatched (MVS BUSY above LPAR BUSY): other partitions or a cap held them',
        '>=', 20, NULL, NULL, NULL, '% of the ready work', 0.5, 'engines waiting', 'field practice'),
    ('printed_twice', 'The same interval is printed in several sources; it counts once',
        '>', 1, NULL, NULL, NULL, 'sources', NULL, NULL, 'equal keys name the same fact'),
    ('printed_differently', 'The same class and interval is printed with different values; the first print counts',
        '>', 1, NULL, NULL, NULL, 'prints', NULL, NULL, 'equal keys name the same fact'),
    ('no_requests', 'A run has no requests: nothing can be stated a request',
        '<=', 0, NULL, NULL, NULL, 'requests', NULL, NULL, 'division by zero'),
    ('db2_above_rmf_pct', 'Db2 accounts for more CPU per request than the classes that the study charges: a class is missing, or the work is not the same',
        '>', 105, NULL, NULL, NULL, '% of RMF', NULL, NULL, 'a part is not more than the whole; 5% for time covered and rounding'),
    ('cics_above_rmf_pct', 'CICS monitoring has more CPU per request than the classes of the subsystem CICS: a class is missing, or the work is not the same',
        '>', 105, NULL, NULL, NULL, '% of RMF', NULL, NULL, 'a part is not more than the whole; 5% for time covered and rounding'),
    ('cics_apart_from_rmf_pct', 'CICS statistics and RMF have different CPU of the same address spaces: other regions, or other time',
        '>', 5, NULL, NULL, NULL, '%', NULL, NULL, 'both are the address spaces'' TCB and SRB time; 5% for time covered'),
    ('covered_off_pct', 'The selected intervals cover more or less time than was asked for',
        '>', 2, NULL, NULL, NULL, '%', NULL, NULL, 'rates are of the covered time')
) AS listed (
    rule, title, comparison, limit_value, lock_limit_value, list_limit_value, cache_limit_value, unit, least_size, size_unit, rule_source
)
