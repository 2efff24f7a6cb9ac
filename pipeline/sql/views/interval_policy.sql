-- Grain: one row a sysplex, scope and interval that has a service policy page.
-- Inputs: rmf_service_policy, rmf_service_policy_system, interval_scope.
-- Source: SERVICE POLICY PAGE. A value that two pages of one scope and interval print differently is NULL. interval_factor says to which
-- pages of classes it applies.
-- Columns:
--   sysplex, scope, report_kind, interval_start, interval_end: the interval
--   norm_factor_iip, norm_factor_aap: normalisation factors of zIIP and zAAP time
--   norm_factor_iip_min, norm_factor_iip_max: that of zIIP time, over the pages of the scope
--   coefficient_cpu, coefficient_srb, coefficient_ioc, coefficient_mso: service definition coefficients
--   su_per_s_min, su_per_s_max [service units/s]: of one engine, over the systems of the page
--   refs: the printed pages
WITH system_printed AS (
    SELECT printed.* REPLACE (coalesce(read_as.scope, printed.scope) AS scope)
    FROM rmf_service_policy_system AS printed
    LEFT JOIN interval_scope AS read_as
        ON read_as.sysplex = printed.sysplex AND read_as.report_kind = printed.report_kind
        AND read_as.interval_start = printed.interval_start AND read_as.interval_end = printed.interval_end
        AND read_as.policy_activated_at IS NOT DISTINCT FROM printed.policy_activated_at
        AND read_as.printed_scope IS NOT DISTINCT FROM printed.scope
),
page_printed AS (
    SELECT printed.* REPLACE (coalesce(read_as.scope, printed.scope) AS scope)
    FROM rmf_service_policy AS printed
    LEFT JOIN interval_scope AS read_as
        ON read_as.sysplex = printed.sysplex AND read_as.report_kind = printed.report_kind
        AND read_as.interval_start = printed.interval_start AND read_as.interval_end = printed.interval_end
        AND read_as.policy_activated_at IS NOT DISTINCT FROM printed.policy_activated_at
        AND read_as.printed_scope IS NOT DISTINCT FROM printed.scope
),
speeds AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end,
        min(su_per_s) AS su_per_s_min,
        max(su_per_s) AS su_per_s_max
    FROM system_printed
    GROUP BY sysplex, scope, report_kind, interval_start, interval_end
),
pages AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end,
        CASE WHEN min(norm_factor_iip) = max(norm_factor_iip) THEN min(norm_factor_iip) END AS norm_factor_iip,
        CASE WHEN min(norm_factor_aap) = max(norm_factor_aap) THEN min(norm_factor_aap) END AS norm_factor_aap,
        min(norm_factor_iip) AS norm_factor_iip_min,
        max(norm_factor_iip) AS norm_factor_iip_max,
        CASE WHEN min(coefficient_cpu) = max(coefficient_cpu) THEN min(coefficient_cpu) END AS coefficient_cpu,
        CASE WHEN min(coefficient_srb) = max(coefficient_srb) THEN min(coefficient_srb) END AS coefficient_srb,
        CASE WHEN min(coefficient_ioc) = max(coefficient_ioc) THEN min(coefficient_ioc) END AS coefficient_ioc,
        CASE WHEN min(coefficient_mso) = max(coefficient_mso) THEN min(coefficient_mso) END AS coefficient_mso,
        list(struct_pack(source_id := source_id, page := page, line := line) ORDER BY source_id, line) AS refs
    FROM page_printed
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
