-- Grain: one row per Db2 member and interval, of one report_kind (report, trace) and scope.
-- Block LOCKING ACTIVITY. Rows printed twice count once.
-- Take one scope and one report_kind before adding.
-- Labels are compared without blanks and signs, which sites may have removed. NULL if not printed, or N/A, N/C, N/P.
-- Formulas: lock_requests_per_s = lock_requests / interval_elapsed_s; suspensions_per_lock_pct = suspensions_lock / lock_requests.
-- Source: OMEGAMON for Db2 PE Report Reference, "Locking Activity".
-- Worked: 664.9K lock requests in 900.25 s are 738.57/s; 411 of them suspended are 0.0618%.
-- Shards: by begin_at.
-- Columns:
--   suspensions_lock, suspensions_latch, suspensions_other: waits for a lock, for a latch of the lock manager, for others
--   timeouts, deadlocks: of agents
--   lock_requests, unlock_requests, query_requests, change_requests, other_requests: to the lock manager
--   escalations_shared, escalations_exclusive: of lock escalation
--   drain_requests, drain_requests_failed, claim_requests, claim_requests_failed: of drain locks and claims
SELECT
    location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at,
    max(interval_elapsed_s) AS interval_elapsed_s,
    max(quantity) FILTER (regexp_matches(label, '^SUSPENSIONSLOCK')) AS suspensions_lock,
    max(quantity) FILTER (regexp_matches(label, '^SUSPENSIONS(IRLM)?LATCH')) AS suspensions_latch,
    max(quantity) FILTER (regexp_matches(label, '^SUSPENSIONSOTHER')) AS suspensions_other,
    max(quantity) FILTER (label = 'TIMEOUTS') AS timeouts,
    max(quantity) FILTER (label = 'DEADLOCKS') AS deadlocks,
    max(quantity) FILTER (label = 'LOCKREQUESTS') AS lock_requests,
    max(quantity) FILTER (label = 'UNLOCKREQUESTS') AS unlock_requests,
    max(quantity) FILTER (label = 'QUERYREQUESTS') AS query_requests,
    max(quantity) FILTER (label = 'CHANGEREQUESTS') AS change_requests,
    max(quantity) FILTER (label = 'OTHERREQUESTS') AS other_requests,
    max(quantity) FILTER (regexp_matches(label, '^LOCKESCALATION(S)?SHARED')) AS escalations_shared,
    max(quantity) FILTER (regexp_matches(label, '^LOCKESCALATION(S)?EXCL')) AS escalations_exclusive,
    max(quantity) FILTER (label = 'DRAINREQUESTS') AS drain_requests,
    max(quantity) FILTER (label = 'DRAINREQUESTSFAILED') AS drain_requests_failed,
    max(quantity) FILTER (label = 'CLAIMREQUESTS') AS claim_requests,
    max(quantity) FILTER (label = 'CLAIMREQUESTSFAILED') AS claim_requests_failed,
    lock_requests / nullif(max(interval_elapsed_s), 0) AS lock_requests_per_s,
    100 * suspensions_lock / nullif(lock_requests, 0) AS suspensions_per_lock_pct,
    bool_or(is_conflicting) AS is_conflicting,
    flatten(list(refs ORDER BY page, line, refs)) AS refs
FROM stg_db2_statistics_counter
WHERE block = 'LOCKING ACTIVITY' AND occurrence = 1
GROUP BY location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at
