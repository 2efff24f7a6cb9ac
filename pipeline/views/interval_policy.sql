-- Grain: one row a sysplex, scope and interval that has a service policy page.
-- Inputs: rmf_service_policy, rmf_service_policy_system.
-- Source: SERVICE POLICY PAGE. A value that two pages of one interval print differently is NULL.
-- Columns:
--   sysplex, scope, report_kind, interval_start, interval_end: the interval
--   norm_factor_iip, norm_factor_aap: normalisation factors of zIIP and zAAP time
--   coefficient_cpu, coefficient_srb, coefficient_ioc, coefficient_mso: service definition coefficients
--   su_per_s_min, su_per_s_max [service units/s]: of one engine, over the systems of the page
--   refs: the printed pages
WITH speeds AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end,
        min(su_per_s) AS su_per_s_min,
        max(su_per_s) AS su_per_s_max
    FROM rmf_service_policy_system
    GROUP BY sysplex, scope, report_kind, interval_start, interval_end
),
pages AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end,
        CASE WHEN min(norm_factor_iip) = max(norm_factor_iip) THEN min(norm_factor_iip) END AS norm_factor_iip,
        CASE WHEN min(norm_factor_aap) = max(norm_factor_aap) THEN min(norm_factor_aap) END AS norm_factor_aap,
        CASE WHEN min(coefficient_cpu) = max(coefficient_cpu) THEN min(coefficient_cpu) END AS coefficient_cpu,
        CASE WHEN min(coefficient_srb) = max(coefficient_srb) THEN min(coefficient_srb) END AS coefficient_srb,
        CASE WHEN min(coefficient_ioc) = max(coefficient_ioc) THEN min(coefficient_ioc) END AS coefficient_ioc,
        CASE WHEN min(coefficient_mso) = max(coefficient_mso) THEN min(coefficient_mso) END AS coefficient_mso,
        list(struct_pack(source_id := source_id, page := page, line := line) ORDER BY source_id, line) AS refs
    FROM rmf_service_policy
    GROUP BY sysplex, scope, report_kind, interval_start, interval_end
),
final AS (
    SELECT pages.* EXCLUDE (refs), speeds.su_per_s_min, speeds.su_per_s_max, pages.refs
    FROM pages
    LEFT JOIN speeds
        ON speeds.sysplex IS NOT DISTINCT FROM pages.sysplex
        AND speeds.scope IS NOT DISTINCT FROM pages.scope
        AND speeds.report_kind IS NOT DISTINCT FROM pages.report_kind
        AND speeds.interval_start IS NOT DISTINCT FROM pages.interval_start
        AND speeds.interval_end IS NOT DISTINCT FROM pages.interval_end
)
SELECT * FROM final
