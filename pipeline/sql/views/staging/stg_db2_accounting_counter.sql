-- Grain: one row per key of db2_accounting_counter, however often it was printed; totals (is_total) are left out.
-- Rule: of counters with equal keys the first in order of source_id and line is kept.
-- Shards: by entry.begin_at.
-- Columns:
--   entry: key of the interval and the keys of the ORDER (of a trace those of the thread), as one value
--   label: label_path, otherwise counter, in capitals without blanks, points and hyphens; > separates its steps
WITH entries AS (
    SELECT
        db2_entry_key(t) AS entry,
        regexp_replace(upper(coalesce(label_path, counter)), '[^A-Z0-9>#]', '', 'g') AS label,
        *
    FROM db2_accounting_counter AS t
    WHERE is_total IS NOT TRUE
),
repeated AS MATERIALIZED (
    -- The hash of a key is small; keys that share one by chance are told apart below.
    SELECT hash(entry, block, object, counter, label_path, occurrence) AS fact
    FROM entries
    GROUP BY fact
    HAVING count(*) > 1
),
copies AS (
    SELECT
        printed.*,
        row_number() OVER all_copies AS copy,
        list(ref(source_id, page, line)) OVER all_copies AS refs,
        row(
            average, total, appl_class_1, db2_class_2, package_class_7, average_time_s, average_events, elapsed_time_s, events,
            value, value_text, null_reason
        ) AS compared,
        min(compared) OVER all_copies IS DISTINCT FROM max(compared) OVER all_copies AS is_conflicting
    FROM entries AS printed
    SEMI JOIN repeated
        ON repeated.fact = hash(
            printed.entry, printed.block, printed.object, printed.counter, printed.label_path, printed.occurrence
        )
    WINDOW all_copies AS (
            PARTITION BY entry, block, object, counter, label_path, occurrence
            ORDER BY source_id, line
            ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
        )
),
-- Almost all rows are printed once and need no sorting.
once AS (
    SELECT printed.*, [ref(source_id, page, line)] AS refs, FALSE AS is_conflicting
    FROM entries AS printed
    ANTI JOIN repeated
        ON repeated.fact = hash(
            printed.entry, printed.block, printed.object, printed.counter, printed.label_path, printed.occurrence
        )
    UNION ALL BY NAME
    SELECT * EXCLUDE (copy, compared) FROM copies WHERE copy = 1
)
SELECT
    entry, block, object, counter, label_path, occurrence, label, average, total, appl_class_1, db2_class_2, package_class_7,
    average_events, events, value, value_text, average_time_s, elapsed_time_s, total_resolution, value_resolution, null_reason,
    page, line, is_conflicting, refs
FROM once
