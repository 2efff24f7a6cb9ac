-- Grain: one row per sysplex, scope, reporting month, class kind and what is charged to: its part of the general processor time, and of the price.
-- Formulas: sums of charge_hour over the hours of the month that are known; share_pct = charged_s of busy_s of these hours.
-- cost = share_pct x price_per_msu x peak_msu: the month's price goes by use in all hours, not by use in the hour of the peak (peak_msu_by_class).
-- Price: what the site's charges.toml says of an MSU of the monthly peak; cost_assumption repeats it beside the sum.
-- peak_msu: of the partition, or of a machine that has the partitions of the scope and no others (hourly_four_hour_msu): the highest capped_msu where
-- caps are known, otherwise rolling_msu.
-- NULL: cost and peak where an hour of the month has no known average, or no price is given; cost also where hours are not known (hours_unknown)
-- for more than 5% of the month's hours: what is charged then depends on which these are.
-- Source: as charge_hour and hourly_four_hour_msu.
-- Worked: 4,320 of 6,480 s are two thirds; a peak of 300 MSU at 100 a MSU is 30,000, so 20,000.
-- Shards: no: the share is that of all days.
-- Columns:
--   scope: systems covered by the pages, sorted, comma-separated
--   reporting_month: as in hourly_four_hour_msu
--   charged_to: as in charge_hour
--   hours_known, hours_unknown: with charged_s of all classes, and other hours with classes
--   captured_s, uncaptured_s, charged_s [s]: general processor time, as in charge_hour
--   busy_s [s]: of all that is charged in these hours: what the rows of a scope and kind add up to
--   ziip_normalized_s [s]: as in charge_hour, of the same hours
--   share_pct [%]: of busy_s
--   peak_msu [MSU/h]: see above
--   price_per_msu, currency: as the site says
--   cost [currency]: see above
--   cost_assumption: the price that the money rests on, in words
WITH hours AS (
    SELECT *, CAST(date_trunc('month', hour_start - INTERVAL 1 DAY) AS DATE) AS reporting_month FROM charge_hour
),
known AS (
    SELECT
        sysplex, scope, reporting_month, class_kind,
        count(DISTINCT hour_start) FILTER (basis = 'shared_by_use') AS hours_known,
        count(DISTINCT hour_start) FILTER (basis <> 'shared_by_use') AS hours_unknown,
        sum(charged_s) AS busy_s
    FROM hours
    GROUP BY sysplex, scope, reporting_month, class_kind
),
part AS (
    SELECT
        sysplex, scope, reporting_month, class_kind, charged_to, sum(captured_s) AS captured_s, sum(uncaptured_s) AS uncaptured_s,
        sum(charged_s) AS charged_s, sum_all(ziip_normalized_s) AS ziip_normalized_s
    FROM hours
    WHERE basis = 'shared_by_use'
    GROUP BY sysplex, scope, reporting_month, class_kind, charged_to
),
peak AS (
    SELECT
        list_sort(string_split(scope, ',')) AS systems, reporting_month,
        CASE WHEN count(is_peak) = count(*) THEN max(CASE peak_of WHEN 'capped_msu' THEN capped_msu ELSE rolling_msu END) END AS peak_msu
    FROM hourly_four_hour_msu
    WHERE level = CASE WHEN contains(scope, ',') THEN 'machine' ELSE 'partition' END
    GROUP BY list_sort(string_split(scope, ',')), reporting_month
    -- Partitions without pages are of no scope.
    HAVING max(partitions) = len(list_sort(string_split(scope, ','))) AND count(DISTINCT name) = 1
)
SELECT
    part.sysplex, part.scope, part.reporting_month, part.class_kind, part.charged_to, known.hours_known, known.hours_unknown,
    part.captured_s, part.uncaptured_s, part.charged_s, known.busy_s, part.ziip_normalized_s,
    100 * part.charged_s / nullif(known.busy_s, 0) AS share_pct, peak.peak_msu, price.price_per_msu, price.currency,
    CASE WHEN known.hours_unknown <= 0.05 * (known.hours_known + known.hours_unknown)
        THEN part.charged_s / nullif(known.busy_s, 0) * peak.peak_msu * price.price_per_msu END AS cost,
    cost_assumption(price.price_per_msu, price.currency, price.price_note) AS cost_assumption
FROM part
JOIN known
    ON known.sysplex IS NOT DISTINCT FROM part.sysplex AND known.scope = part.scope AND known.reporting_month = part.reporting_month
    AND known.class_kind = part.class_kind
CROSS JOIN site_price() AS price
LEFT JOIN peak ON peak.systems = list_sort(string_split(part.scope, ',')) AND peak.reporting_month = part.reporting_month
