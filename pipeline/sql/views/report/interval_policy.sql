-- Grain: one row per sysplex, scope and interval that has a service policy page.
-- Source: SERVICE POLICY PAGE. A value that two pages of one scope and interval print differently is NULL. interval_factor says to which
-- pages of classes it applies.
-- Shards: by interval_start (overlapping intervals only).
-- Columns:
--   norm_factor_iip_min, norm_factor_iip_max: that of zIIP time, over the pages of the scope
--   su_per_s_min, su_per_s_max [service units/s]: of one engine, over the systems of the page
WITH speeds AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end,
        min(su_per_s) AS su_per_s_min,
        max(su_per_s) AS su_per_s_max
    FROM scoped(counted('rmf_service_policy_system'))
    GROUP BY sysplex, scope, report_kind, interval_start, interval_end
),
pages AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end,
        known_value(norm_factor_iip) AS norm_factor_iip,
        known_value(norm_factor_aap) AS norm_factor_aap,
        min(norm_factor_iip) AS norm_factor_iip_min,
        max(norm_factor_iip) AS norm_factor_iip_max,
        known_value(coefficient_cpu) AS coefficient_cpu,
        known_value(coefficient_srb) AS coefficient_srb,
        known_value(coefficient_ioc) AS coefficient_ioc,
        known_value(coefficient_mso) AS coefficient_mso,
        all_refs(source_id, page, line) AS refs
    FROM scoped(counted('rmf_service_policy'))
    GROUP BY sysplex, scope, report_kind, interval_start, interval_end
)
SELECT pages.* EXCLUDE (refs), speeds.su_per_s_min, speeds.su_per_s_max, pages.refs
FROM pages
LEFT JOIN speeds
    ON interval_key(speeds) = interval_key(pages)
