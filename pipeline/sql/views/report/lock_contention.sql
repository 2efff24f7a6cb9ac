-- Grain: one row per lock structure, system and interval whose page prints EXTERNAL REQUEST CONTENTIONS.
-- Formulas: contention_pct = CONT / REQ TOTAL, false_contention_pct = FALSE CONT / REQ TOTAL: both of contention_requests (lock requests as
-- XES counts them), never of the structure's # REQ. false_of_contention_pct = FALSE CONT / CONT.
-- Rule: a count printed in K may be any count within half a unit of its last digit; the lower and upper percentages are the least and the
-- most that follow. NULL if nothing was requested, or a part is not printed.
-- Add counts, then divide; never average percentages. Do not add overlapping intervals (is_overlapping).
-- Db2 counts its own false contention in another way: see DATA SHARING LOCKING in db2_statistics_counter.
-- Duplexing: both copies of a structure count the same lock requests. Add the rows where is_secondary is FALSE; it is NULL if the
-- role of two copies is unknown.
-- Source: RMF Report Analysis, Coupling Facility Activity; domain rule of Data Sharing in a Nutshell: false above 1% is much.
-- Worked: 515 and 199 of 29K give 1.78% (1.75 to 1.81) and 0.69%; 199 of 515 are 38.6%.
-- Shards: by interval_start.
-- Columns:
--   contention_pct, contention_lower_pct, contention_upper_pct [%]: contention, real or false, of the lock requests
--   false_contention_pct, false_contention_lower_pct, false_contention_upper_pct [%]: of them, false
--   false_of_contention_pct [%]: false contention of all contention
WITH bounded AS (
    SELECT
        *,
        -- Resolution 1 is a count that is exact.
        CASE WHEN contention_requests_resolution > 1 THEN contention_requests_resolution / 2 ELSE 0 END AS requests_off,
        CASE WHEN contention_total_resolution > 1 THEN contention_total_resolution / 2 ELSE 0 END AS total_off,
        CASE WHEN contention_false_resolution > 1 THEN contention_false_resolution / 2 ELSE 0 END AS false_off
    FROM cf_structure_interval
    WHERE contention_requests IS NOT NULL
),
divisors AS (
    SELECT
        *,
        CASE WHEN contention_requests > 0 THEN contention_requests END AS requests_printed,
        CASE WHEN contention_requests > requests_off THEN contention_requests - requests_off END AS requests_least,
        CASE WHEN contention_requests > 0 THEN contention_requests + requests_off END AS requests_most
    FROM bounded
)
SELECT
    sysplex, system, cf_name, structure_name, interval_start, interval_end, interval_s,
    contention_requests, contention_deferred, contention_total, contention_false,
    100.0 * contention_total / requests_printed AS contention_pct,
    100.0 * at_least_zero(contention_total - total_off) / requests_most AS contention_lower_pct,
    100.0 * (contention_total + total_off) / requests_least AS contention_upper_pct,
    100.0 * contention_false / requests_printed AS false_contention_pct,
    100.0 * at_least_zero(contention_false - false_off) / requests_most AS false_contention_lower_pct,
    100.0 * (contention_false + false_off) / requests_least AS false_contention_upper_pct,
    100.0 * contention_false / nullif(contention_total, 0) AS false_of_contention_pct,
    duplex_role, is_secondary, duplex_basis,
    is_overlapping, is_conflicting, refs
FROM divisors
