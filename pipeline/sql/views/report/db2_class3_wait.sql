-- Grain: one row per Db2 member (or group), interval, keys of the ORDER (of a trace: per thread) and kind of wait, of one report_kind.
-- Blocks CLASS 3 SUSPENSIONS and GLOBAL CONTENTION. Totals are left out.
-- Waits nest: a wait below another (wait_group) is a part of it. Add one level alone, and not both GLOBAL CONTENTION and its locks.
-- Formulas: ms_per_commit = mean of an occurrence × occurrences / commits; ms_per_event = time / events. wait_share_pct: of all class 3.
-- Source: OMEGAMON for Db2 PE Report Reference, Accounting, "Class 3 Suspensions", "Global Contention L-Locks and P-Locks".
-- Worked: 0.0005 s for GLOBAL CONTENTION per occurrence, of 0.017383 s of class 3: 2.88%; 1,250 occurrences in 1,248 commits: 0.5008 ms.
-- Shards: by begin_at.
-- Columns:
--   wait: as printed; of the locks of data sharing with L-LOCKS or P-LOCKS before it
--   wait_group: the wait that it is a part of; NULL for the highest level
--   is_data_sharing: one that data sharing adds: global contention, messages between members, asynchronous requests to a coupling facility
--   time_s [s]: of an occurrence; of a trace, of the thread
--   ms_per_event, ms_per_commit [ms]: see above; NULL without events, or commits
--   events_per_commit: events × occurrences / commits
WITH waits AS (
    SELECT
        *,
        label = 'TOTALCLASS3' AS is_all,
        regexp_extract(block, '^GLOBAL CONTENTION ([LP]-LOCKS)', 1) AS of_locks,
        coalesce(average_time_s, elapsed_time_s) AS time_s,
        coalesce(average_events, events) AS events_printed
    FROM stg_db2_accounting_counter
    WHERE block = 'CLASS 3 SUSPENSIONS' OR block LIKE 'GLOBAL CONTENTION%'
)
SELECT
    entry.*,
    CASE WHEN waits.of_locks <> '' AND NOT regexp_matches(waits.label, '^[LP]LOCKS$')
        THEN concat(waits.of_locks, ' ', waits.counter) ELSE waits.counter END AS wait,
    CASE WHEN waits.of_locks <> '' THEN CASE WHEN regexp_matches(waits.label, '^[LP]LOCKS$') THEN 'GLOBAL CONTENTION' ELSE waits.of_locks END
        WHEN contains(waits.label_path, ' > ') THEN regexp_extract(waits.label_path, '^(.*) > ', 1) END AS wait_group,
    waits.of_locks <> '' OR regexp_matches(waits.label, '^(GLOBALCONTENTION|NOTIFYMSGS?|NOTIFYMESSAGES|ASYNCHCFREQUESTS)')
        AS is_data_sharing,
    waits.time_s, waits.events_printed AS events,
    1000 * waits.time_s / nullif(waits.events_printed, 0) AS ms_per_event,
    1000 * waits.time_s * c.occurrences / nullif(c.commits, 0) AS ms_per_commit,
    waits.events_printed * c.occurrences / nullif(c.commits, 0) AS events_per_commit,
    100 * waits.time_s / nullif(c.class3_s, 0) AS wait_share_pct,
    waits.is_conflicting, waits.refs
FROM waits
JOIN db2_accounting_cost AS c
    ON db2_entry_key(c) = waits.entry
WHERE NOT waits.is_all
