-- Grain: one row per key of db2_statistics_counter, however often it was printed; totals (is_total) are left out.
-- Inputs: db2_statistics_counter.
-- Rule: of counters with equal keys the first in order of source_id and line is kept.
-- Columns:
--   location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at: key of the statistics interval
--   interval_elapsed_s [s]: length of the interval
--   block, object, counter, label_path, occurrence: the counter, as printed
--   label: the counter in capitals without blanks, points and hyphens, where releases differ
--   path: label_path, otherwise counter, in the same way; > separates its steps
--   quantity, per_commit: as printed
--   null_reason: reason of a NULL quantity
--   page, line: place of the kept row
--   is_conflicting: a counter was printed again with another value
--   refs: the printed rows behind the row
WITH copies AS (
    SELECT
        *,
        row_number() OVER all_copies AS copy,
        list(ref(source_id, page, line)) OVER all_copies AS refs,
        min(row(quantity, null_reason)) OVER all_copies
            IS DISTINCT FROM max(row(quantity, null_reason)) OVER all_copies AS is_conflicting
    FROM db2_statistics_counter
    WHERE is_total IS NOT TRUE
    WINDOW all_copies AS (
        PARTITION BY
            location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at, block, object,
            counter, label_path, occurrence
        ORDER BY source_id, line
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
    )
),
final AS (
    SELECT
        location, db2_group, member, subsystem, report_kind, scope, begin_at, end_at, interval_elapsed_s,
        block, object, counter, label_path, occurrence,
        regexp_replace(upper(counter), '[^A-Z0-9]', '', 'g') AS label,
        regexp_replace(upper(coalesce(label_path, counter)), '[^A-Z0-9>]', '', 'g') AS path,
        quantity, per_commit, null_reason, page, line, is_conflicting, refs
    FROM copies
    WHERE copy = 1
)
SELECT * FROM final
