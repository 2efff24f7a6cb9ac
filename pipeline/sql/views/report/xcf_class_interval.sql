-- Grain: one row per system, interval, receiving system and transport class: whether the messages fit the buffers of their class.
-- Printed totals are left out; rows printed twice count once (the smallest source_id and line).
-- Formulas: %SML, %FIT and %BIG are shares of the messages; a message that is too big for the class needs a larger buffer first, and %OVR of the
-- big ones had to wait for one (with overhead). messages_with_overhead = messages × BIG × OVR. buffer_is_too_small: more big
-- messages than small ones, and 5% or more big.
-- Path busy is in xcf_path_hour. The transfer time of z/OS 2.5 (path utilization) is not read.
-- Source: RMF Report Analysis, XCF Activity, "XCF Usage by System"; limits of 5%: field practice.
-- Worked: 27,044 messages, 3% of them big, and 64% of the big ones with overhead: 519.
-- Shards: by interval_start.
-- Columns:
--   messages: REQ OUT
--   messages_per_s [1/s]: by interval_s
--   path_unavailable_pct [%]: messages that found no path of the class; they are sent by those of another
--   is_conflicting: the row was printed again with other values, or a system of another sysplex has its name: pages name no sysplex
SELECT
    sysplex, system, report_kind, interval_start, interval_end, interval_s, peer_system, transport_class, buffer_length_bytes,
    requests_out AS messages,
    requests_out / nullif(interval_s, 0) AS messages_per_s,
    small_pct, fit_pct, big_pct, over_pct,
    requests_out * big_pct / 100 * over_pct / 100 AS messages_with_overhead,
    all_paths_unavailable, rejects,
    100 * all_paths_unavailable / nullif(requests_out, 0) AS path_unavailable_pct,
    has_small_buffers(big_pct, small_pct) AS buffer_is_too_small,
    is_conflicting, refs
FROM once_rmf_xcf_system
WHERE direction = 'outbound' AND is_total IS NOT TRUE
