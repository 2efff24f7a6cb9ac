-- Grain: one row per Db2 member, interval and remote location, of one report_kind (report, trace) and scope.
-- Blocks REMOTE LOCATION STATISTICS. Rows printed twice count once.
-- Take one scope and one report_kind before adding. Received counts are sent by remote requesters to this member: its load as a server.
-- Labels are compared without blanks and signs, which sites may have removed. NULL if not printed, or N/A, N/C, N/P.
-- Formulas: bytes_sent_per_commit = bytes_sent / commits_received; likewise the others.
-- Source: OMEGAMON for Db2 PE Report Reference, Statistics, "DRDA Remote Locations".
-- Worked: as published, 36 messages received for 6 commits are 6 per commit, and 19,556 bytes sent are 3,259 per commit.
-- Shards: by begin_at.
-- Columns:
--   remote_location, product: name and product of the remote location, as printed
--   location_number: 1, 2, … in the order of the report; what is printed for one number belongs together
--   connections_received, statements_received, commits_received, rollbacks_received, messages_received, bytes_received: from there
--   statements_sent, commits_sent, rollbacks_sent, rows_sent, messages_sent, bytes_sent, blocks_sent: to there
--   statements_per_commit, messages_per_commit, bytes_sent_per_commit: received, received and sent, by commits_received; NULL without
SELECT
    location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at,
    max(interval_elapsed_s) AS interval_elapsed_s,
    max(value_text) FILTER (label = 'LOCATIONNAME') AS remote_location,
    max(value_text) FILTER (label = 'PRODUCTID') AS product,
    occurrence AS location_number,
    max(received) FILTER (label = 'CONNECTIONS') AS connections_received,
    max(received) FILTER (label = 'SQLSTATEMENTS') AS statements_received,
    max(received) FILTER (label = 'COMMITS') AS commits_received,
    max(received) FILTER (label = 'ROLLBACKS') AS rollbacks_received,
    max(received) FILTER (label = 'MESSAGES') AS messages_received,
    max(received) FILTER (label = 'BYTES') AS bytes_received,
    max(sent) FILTER (label = 'SQLSTATEMENTS') AS statements_sent,
    max(sent) FILTER (label = 'COMMITS') AS commits_sent,
    max(sent) FILTER (label = 'ROLLBACKS') AS rollbacks_sent,
    max(sent) FILTER (label = 'ROWS') AS rows_sent,
    max(sent) FILTER (label = 'MESSAGES') AS messages_sent,
    max(sent) FILTER (label = 'BYTES') AS bytes_sent,
    max(sent) FILTER (label = 'BLOCKS') AS blocks_sent,
    statements_received / nullif(commits_received, 0) AS statements_per_commit,
    messages_received / nullif(commits_received, 0) AS messages_per_commit,
    bytes_sent / nullif(commits_received, 0) AS bytes_sent_per_commit,
    bool_or(is_conflicting) AS is_conflicting,
    flatten(list(refs ORDER BY page, line, refs)) AS refs
FROM stg_db2_statistics_counter AS s
WHERE block = 'REMOTE LOCATION STATISTICS'
GROUP BY ALL
