-- Grain: one row per source that workload activity rows came from.
-- Source: the provenance of every row. It names the file behind the refs of a view.
-- Shards: no: one row for all days of a source.
-- Columns:
--   first_page, last_page, first_line, last_line: range of its rows
--   printed_rows: number of its rows
WITH places AS (
    SELECT source_id, source_file, page, line FROM rmf_workload_activity
    UNION ALL
    SELECT source_id, source_file, page, line FROM rmf_workload_goal
)
SELECT
    source_id,
    min(source_file) AS source_file,
    min(page) AS first_page,
    max(page) AS last_page,
    min(line) AS first_line,
    max(line) AS last_line,
    count(*) AS printed_rows
FROM places
GROUP BY source_id
