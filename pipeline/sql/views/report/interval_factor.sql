-- Grain: one row per sysplex, scope, report kind and interval of workload pages: the normalisation factor of zIIP time, and the speed of a general
-- processor.
-- Rule: a service policy page applies only to the systems of its scope. So a page of classes has the factor of the policy
-- pages that name its systems, if each of them is named and all these pages print one factor. A page of classes that names no system has
-- that of all policy pages of the sysplex and interval, if they print one factor and either name every system that any page of the
-- interval names, or one of them names none. A policy page that names no system applies to no other pages.
-- Without such pages the factor is the one NF that the numbers of the pages of classes show, otherwise 1:
--   APPL % CP = (CPU + SRB + RCT + IIT + HST - NF x IIP) / interval x 100, so
--   NF = (CPU + SRB + RCT + IIT + HST - CP/100 x interval) / IIP.
-- The identity holds on real pages to 0.02 percent of an engine, so a row knows NF to 0.02/100 x interval / IIP time. A row counts where that bound
-- is at most 0.01 (zIIP of at least 2 percent of an engine) and the row has no zAAP time. A sysplex page has one NF: the row with the smallest
-- bound gives it, and a factor that is 1 within the bound is taken as 1. No factor fits if two rows contradict each other outside their bounds
-- (systems with unlike factors, a changed page), or if NF is below 1 (a zIIP is never slower than the general processors).
-- NULL, contradictory: policy pages of the systems differ, or name only some of them with a factor that is not 1; or, without policy pages, no
-- factor fits the rows of the page. SU/SEC: NULL if one of the systems has none, or two of them differ.
-- Source: SERVICE POLICY PAGE: one NORM FACTORS per page, one SU/SEC per system. RMF Report Analysis, APPL %; NF is 1 unless the general processors
-- are sub-capacity models.
-- Worked: policy pages of SYSA (factor 2) and SYSB (factor 1.5): 2 for SYSA, 1.5 for SYSB, contradictory for pages of both.
-- Shards: by interval_start (overlapping intervals only).
-- Columns:
--   refs: the policy pages, or the row that shows the factor; empty where it is assumed
WITH printed AS (
    SELECT DISTINCT sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at
    FROM rmf_workload_activity
),
wanted AS MATERIALIZED (
    SELECT DISTINCT sysplex, scope, report_kind, interval_start, interval_end FROM scoped(printed)
),
page AS MATERIALIZED (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end,
        min(norm_factor_iip) AS least, max(norm_factor_iip) AS most, all_refs(source_id, page, line) AS refs
    FROM scoped(counted('rmf_service_policy'))
    GROUP BY sysplex, scope, report_kind, interval_start, interval_end
),
named AS (
    SELECT sysplex, report_kind, interval_start, interval_end, unnest(string_split(scope, ',')) AS system, least, most, refs
    FROM page
    WHERE scope IS NOT NULL
),
of_system AS (
    SELECT
        sysplex, report_kind, interval_start, interval_end, system,
        min(least) AS least, max(most) AS most,
        flatten(list(refs ORDER BY refs) FILTER (least IS NOT NULL)) AS refs
    FROM named
    GROUP BY sysplex, report_kind, interval_start, interval_end, system
),
speed AS (
    SELECT
        sysplex, report_kind, interval_start, interval_end, system,
        min(su_per_s) AS least, max(su_per_s) AS most
    FROM counted('rmf_service_policy_system')
    WHERE su_per_s IS NOT NULL AND system IS NOT NULL
    GROUP BY sysplex, report_kind, interval_start, interval_end, system
),
known AS (
    SELECT DISTINCT sysplex, report_kind, interval_start, interval_end, unnest(string_split(scope, ',')) AS system
    FROM (
        SELECT sysplex, scope, report_kind, interval_start, interval_end FROM wanted
        UNION ALL
        SELECT sysplex, scope, report_kind, interval_start, interval_end FROM page
    )
    WHERE scope IS NOT NULL
),
needed AS (
    SELECT *, unnest(string_split(scope, ',')) AS system FROM wanted WHERE scope IS NOT NULL
    UNION ALL
    SELECT wanted.*, known.system
    FROM wanted
    JOIN known ON sysplex_interval_key(known) = sysplex_interval_key(wanted)
    WHERE wanted.scope IS NULL
),
of_scope AS (
    SELECT
        needed.sysplex, needed.scope, needed.report_kind, needed.interval_start, needed.interval_end,
        count(of_system.least) = count(*) AS is_covered,
        min(of_system.least) AS least, max(of_system.most) AS most,
        CASE WHEN count(speed.least) = count(*) AND min(speed.least) = max(speed.most) THEN min(speed.least) END AS su_per_s,
        list_sort(list_distinct(flatten(list(of_system.refs) FILTER (of_system.refs IS NOT NULL)))) AS refs
    FROM needed
    LEFT JOIN of_system ON sysplex_interval_key(of_system) = sysplex_interval_key(needed) AND of_system.system = needed.system
    LEFT JOIN speed ON sysplex_interval_key(speed) = sysplex_interval_key(needed) AND speed.system = needed.system
    GROUP BY needed.sysplex, needed.scope, needed.report_kind, needed.interval_start, needed.interval_end
),
identity AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end, policy_activated_at,
        [ref(source_id, page, line)] AS refs,
        (cpu_time_s + srb_time_s + rct_time_s + iit_time_s + hst_time_s - appl_cp_pct / 100 * interval_s)
            / nullif(iip_time_s, 0) AS factor,
        0.0002 * interval_s / nullif(iip_time_s, 0) AS error_bound
    FROM counted('rmf_workload_activity')
    WHERE coalesce(aap_time_s, 0) = 0
),
recovered AS (
    SELECT
        sysplex, scope, report_kind, interval_start, interval_end,
        arg_min(factor, (error_bound, refs)) AS factor,
        min(error_bound) AS error_bound,
        max(factor - error_bound) <= min(factor + error_bound) AS agrees,
        arg_min(refs, (error_bound, refs)) FILTER (factor IS NOT NULL) AS refs
    FROM scoped(identity)
    WHERE error_bound <= 0.01
    GROUP BY sysplex, scope, report_kind, interval_start, interval_end
),
evidence AS (
    SELECT
        wanted.*,
        -- least() and greatest() ignore NULL.
        least(of_scope.least, unnamed.least) AS least,
        greatest(of_scope.most, unnamed.most) AS most,
        unnamed.least IS NOT NULL OR coalesce(of_scope.is_covered, FALSE) AS is_covered,
        of_scope.su_per_s,
        list_concat(coalesce(of_scope.refs, []), coalesce(unnamed.refs, [])) AS policy_refs,
        CASE
            WHEN agrees AND factor - error_bound > 1 THEN factor
            WHEN agrees AND factor + error_bound >= 1 THEN 1
        END AS recovered_factor,
        coalesce(NOT agrees OR factor + error_bound < 1, FALSE) AS rows_contradict,
        recovered.refs AS recovered_refs
    FROM wanted
    LEFT JOIN of_scope
        ON interval_key(of_scope) = interval_key(wanted)
    LEFT JOIN (SELECT * FROM page WHERE scope IS NULL) AS unnamed
        ON interval_key(unnamed) = interval_key(wanted)
    LEFT JOIN recovered
        ON interval_key(recovered) = interval_key(wanted)
),
judged AS (
    SELECT
        *,
        CASE
            WHEN least < most THEN 'contradictory'
            WHEN least IS NOT NULL AND is_covered THEN 'policy_page'
            WHEN rows_contradict THEN 'contradictory'
            WHEN recovered_factor IS NOT NULL THEN 'recovered'
            -- A page of other systems is not in `least`; a page of some of these systems with another factor shows that 1 is wrong.
            WHEN least <> 1 THEN 'contradictory'
            ELSE 'assumed_1'
        END AS normalization_source
    FROM evidence
)
SELECT
    sysplex, scope, report_kind, interval_start, interval_end,
    CASE normalization_source
        WHEN 'policy_page' THEN least WHEN 'recovered' THEN recovered_factor WHEN 'assumed_1' THEN 1
    END AS normalization_factor,
    normalization_source, su_per_s,
    CASE
        WHEN normalization_source = 'assumed_1' THEN []
        WHEN normalization_source = 'recovered' OR least IS NULL THEN coalesce(recovered_refs, [])
        ELSE policy_refs
    END AS refs
FROM judged
