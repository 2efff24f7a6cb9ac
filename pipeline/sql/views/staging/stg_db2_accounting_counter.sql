-- Grain: one row per key of db2_accounting_counter, however often it was printed; totals (is_total) are left out.
-- Rule: of counters with equal keys the first in order of source_id and line is kept.
-- Shards: by entry.begin_at.
-- Columns:
--   entry: key of the interval and the keys of the ORDER (of a trace those of the thread), as one value
--   label: label_path, otherwise counter, in capitals without blanks, points and hyphens; > separates its steps
-- Almost all rows are printed once and need no sorting.
SELECT
    db2_entry_key(once) AS entry, block, object, counter, label_path, occurrence,
    regexp_replace(upper(coalesce(label_path, counter)), '[^A-Z0-9>#]', '', 'g') AS label,
    average, total, appl_class_1, db2_class_2, package_class_7, average_events, events, value, value_text, average_time_s, elapsed_time_s,
    total_resolution, value_resolution, null_reason, page, line, is_conflicting, refs
FROM once_db2_accounting_counter AS once
