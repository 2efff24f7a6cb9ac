-- Grain: one row per Db2 member and interval, of one report_kind (report, trace) and scope.
-- Block DATA SHARING LOCKING (short reports: DATA SHARING LOCKS). Rows printed twice count once.
-- Take one scope and one report_kind before adding.
-- Labels are compared without blanks and signs, which sites may have removed. NULL if not printed, or N/A, N/C, N/P.
-- Formulas: suspends_total = suspends_irlm + suspends_xes + suspends_false. xes_requests = xes_lock_requests + xes_change_requests +
-- xes_unlock_requests + xes_child_locks + xes_converted_locks. global_contention_pct = suspends_total / xes_requests and
-- false_contention_pct = suspends_false / xes_requests; with the rates as printed, which Db2 cuts or rounds.
-- False contention is that of the member; that of the system (LPAR) counts only where the member's is not printed.
-- Source: Db2 Data Sharing: Planning and Administration, lock monitoring with the statistics trace.
-- Worked: 3236 + 334 + 863 = 4433 suspends of 2,334,358 requests are 0.190%, printed as 0.19; 863 are 0.037%, printed as 0.04.
-- Shards: by begin_at.
-- Columns:
--   global_contention_printed_pct, false_contention_printed_pct, xes_printed_pct [%]: the rates as printed
--   plock_lock_requests, plock_unlock_requests, plock_change_requests: for P-locks
--   xes_lock_requests, xes_change_requests, xes_unlock_requests: synchronous, to XES
--   xes_child_locks, xes_converted_locks: propagated in the background; synchronous ones made asynchronous
--   suspends_irlm, suspends_xes, suspends_false, suspends_total: for global contention, by who found it; see above
--   notify_messages_sent, notify_messages_received: between members
--   locks_rejected_xes, locks_rejected_no_delay: lock requests rejected, as printed (REJECTED - XES; NO DELAY LOCK REQ REJECTS)
--   incompatible_retained_locks: lock requests that met a lock which a failed member retains
--   plock_notify_engines_unavailable: how often no engine was free for a P-lock or notify exit
--   plock_negotiations_page_set, plock_negotiations_page, plock_negotiations_other: P-locks negotiated between members
WITH found AS (
    SELECT
        location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at,
        max(interval_elapsed_s) AS interval_elapsed_s,
        max(quantity) FILTER (regexp_matches(label, '^GLOBALCONTENTIONRATE')) AS global_contention_printed_pct,
        max(quantity) FILTER (regexp_matches(label, '^FALSECONTENTIONRATE')) AS false_contention_printed_pct,
        max(quantity) FILTER (regexp_matches(label, '^PLLOCKSXESRATE')) AS xes_printed_pct,
        max(quantity) FILTER (regexp_matches(label, '^LOCKREQ(UESTS?)?PLOCKS?$')) AS plock_lock_requests,
        max(quantity) FILTER (regexp_matches(label, '^UNLOCKREQ(UESTS?)?PLOCKS?$')) AS plock_unlock_requests,
        max(quantity) FILTER (regexp_matches(label, '^CHANGEREQ(UESTS?)?PLOCKS?$')) AS plock_change_requests,
        max(quantity) FILTER (regexp_matches(label, '^SYNC?H?XESLOCKREQ')) AS xes_lock_requests,
        max(quantity) FILTER (regexp_matches(label, '^SYNC?H?XESCHANGEREQ')) AS xes_change_requests,
        max(quantity) FILTER (regexp_matches(label, '^SYNC?H?XESUNLOCKREQ')) AS xes_unlock_requests,
        max(quantity) FILTER (regexp_matches(label, 'XESCHILDLOCKS$')) AS xes_child_locks,
        max(quantity) FILTER (regexp_matches(label, 'XESCONVERTEDLOCKS$')) AS xes_converted_locks,
        max(quantity) FILTER (regexp_matches(label, '^SUSPENDS?IRLM')) AS suspends_irlm,
        max(quantity) FILTER (regexp_matches(label, '^SUSPENDS?XES')) AS suspends_xes,
        max(quantity) FILTER (regexp_matches(label, '^SUSPENDS?FALSECONT[A-Z]*MBR|^SUSPENDS?FALSECONT(ENTION)?$')) AS suspends_false_member,
        max(quantity) FILTER (regexp_matches(label, '^SUSPENDS?FALSECONT[A-Z]*LPAR')) AS suspends_false_system,
        max(quantity) FILTER (label = 'NOTIFYMESSAGESSENT') AS notify_messages_sent,
        max(quantity) FILTER (label = 'NOTIFYMESSAGESRECEIVED') AS notify_messages_received,
        max(quantity) FILTER (regexp_matches(label, '^REJECTEDXES')) AS locks_rejected_xes,
        max(quantity) FILTER (regexp_matches(label, '^NODELAYLOCKREQ[A-Z]*REJECT')) AS locks_rejected_no_delay,
        max(quantity) FILTER (regexp_matches(label, '^INCOMPAT[A-Z]*RETAINEDLOCK')) AS incompatible_retained_locks,
        max(quantity) FILTER (regexp_matches(label, '^PLO?CKN(OTI)?FY(EXITS|EX)ENGINES?UNAVAIL')) AS plock_notify_engines_unavailable,
        max(quantity) FILTER (regexp_matches(label, '^PSETPARTPLO?CKNEGOTIAT')) AS plock_negotiations_page_set,
        max(quantity) FILTER (regexp_matches(label, '^PAGEPLO?CKNEGOTIAT')) AS plock_negotiations_page,
        max(quantity) FILTER (regexp_matches(label, '^OTHERPLO?CKNEGOTIAT')) AS plock_negotiations_other,
        bool_or(is_conflicting) AS is_conflicting,
        flatten(list(refs ORDER BY page, line, refs)) AS refs
    FROM stg_db2_statistics_counter
    WHERE block IN ('DATA SHARING LOCKING', 'DATA SHARING LOCKS') AND occurrence = 1
    GROUP BY location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at
),
suspended AS (
    SELECT
        *,
        coalesce(suspends_false_member, suspends_false_system) AS suspends_false,
        xes_lock_requests + xes_change_requests + xes_unlock_requests + xes_child_locks + xes_converted_locks AS xes_requests
    FROM found
),
summed AS (
    SELECT *, suspends_irlm + suspends_xes + suspends_false AS suspends_total FROM suspended
)
SELECT
    location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at, interval_elapsed_s,
    global_contention_printed_pct, false_contention_printed_pct, xes_printed_pct,
    plock_lock_requests, plock_unlock_requests, plock_change_requests,
    xes_lock_requests, xes_change_requests, xes_unlock_requests, xes_child_locks, xes_converted_locks, xes_requests,
    suspends_irlm, suspends_xes, suspends_false, suspends_total,
    100 * suspends_total / nullif(xes_requests, 0) AS global_contention_pct,
    100 * suspends_false / nullif(xes_requests, 0) AS false_contention_pct,
    notify_messages_sent, notify_messages_received,
    locks_rejected_xes, locks_rejected_no_delay, incompatible_retained_locks, plock_notify_engines_unavailable,
    plock_negotiations_page_set, plock_negotiations_page, plock_negotiations_other,
    is_conflicting, refs
FROM summed
