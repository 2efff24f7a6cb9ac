-- Grain: one row per study, configuration other than the baseline, class kind and class that prints processor time in either, and
-- one for all classes of a kind together (is_total).
-- Formula: the difference of processor time is cost x volume before against cost x volume now. volume_pct = (volume now - before) x cost
-- before: the effect of volume; rate_pct = (cost now - before) x volume now: the effect of cost per transaction. A class in one
-- configuration only has no partner: all of its time is unpartnered_pct. The three add up to the difference, for each class and over all.
-- Volume is that of the class's own ended transactions if they count its work in both configurations (configuration_class), otherwise that
-- of the study's requests, otherwise fixed: transactions of regions and started tasks do not measure their work, so the whole difference is
-- rate_pct.
-- Processor time is normalised as the study says (busy_factor). Classes of one kind add; classes of different kinds describe the same work.
-- NULL: if a class is unknown in a run that prints it; totals with such a class. A fixed volume has no rate per second.
-- Source: the price and volume split of a difference between two periods; RMF Report Analysis, APPL %.
-- Worked: 20.00% at 10/s, now 36.00% at 12/s: growth 2 x 2 = 4.00, cost (3 - 2) x 12 = 12.00, together 16.00.
-- Columns:
--   volume_basis: transactions (of the class), requests (of the study) or fixed; NULL without a partner and on totals
--   baseline_per_s, volume_per_s [1/s]: the volume of each
--   baseline_cp_pct, cp_pct [% of one engine]: general-processor time of each, which is what is paid for, normalised by busy_factor
--   cp_difference_pct [% of one engine]: cp_pct - baseline_cp_pct
--   cp_rate_pct, cp_volume_pct, cp_unpartnered_pct [% of one engine]: parts of the difference
--   baseline_cpu_pct, cpu_pct [% of one engine]: all processor time of each (zIIP time not normalised), normalised by busy_factor
--   difference_pct [% of one engine]: cpu_pct - baseline_cpu_pct
--   rate_pct, volume_pct, unpartnered_pct [% of one engine]: parts of the difference
WITH classes AS MATERIALIZED (
    SELECT
        study, configuration, class_kind, class_name, classes, transactions_per_s, counts_its_work, requests_per_s, refs,
        cpu_pct * busy_factor AS cpu_pct, cp_pct * busy_factor AS cp_pct
    FROM configuration_class
    WHERE NOT is_total
),
compared AS (
    SELECT
        coalesce(now.study, before.study) AS study,
        coalesce(now.configuration, before.configuration) AS configuration,
        coalesce(now.baseline, before.baseline) AS baseline,
        coalesce(now.class_kind, before.class_kind) AS class_kind,
        coalesce(now.class_name, before.class_name) AS class_name,
        before.study IS NOT NULL AND now.study IS NOT NULL AS has_partner,
        before.cpu_pct AS cpu_before, now.cpu_pct AS cpu_now, before.cp_pct AS cp_before, now.cp_pct AS cp_now,
        before.counts_its_work AND now.counts_its_work AS counts_its_work,
        before.transactions_per_s AS transactions_before, now.transactions_per_s AS transactions_now,
        before.requests_per_s AS requests_before, now.requests_per_s AS requests_now,
        list_concat(coalesce(before.refs, []), coalesce(now.refs, [])) AS refs
    FROM (
        SELECT classes.*, baseline.configuration AS baseline
        FROM classes
        JOIN study_configuration AS baseline ON baseline.study = classes.study AND baseline.is_baseline
        WHERE classes.configuration <> baseline.configuration
    ) AS now
    FULL JOIN (
        SELECT classes.* EXCLUDE (configuration), classes.configuration AS baseline, other.configuration
        FROM classes
        JOIN study_configuration AS baseline
            ON baseline.study = classes.study AND baseline.configuration = classes.configuration AND baseline.is_baseline
        JOIN study_configuration AS other ON other.study = classes.study AND NOT other.is_baseline
    ) AS before
        ON before.study = now.study AND before.configuration = now.configuration
        AND before.class_kind = now.class_kind AND before.class_name IS NOT DISTINCT FROM now.class_name
    -- Classes of transactions alone print no processor time in either.
    WHERE before.classes > 0 OR now.classes > 0
),
measured AS (
    SELECT
        *,
        CASE volume_basis WHEN 'transactions' THEN transactions_before WHEN 'requests' THEN requests_before
            WHEN 'fixed' THEN 1 END AS volume_before,
        CASE volume_basis WHEN 'transactions' THEN transactions_now WHEN 'requests' THEN requests_now
            WHEN 'fixed' THEN 1 END AS volume_now
    FROM (
        SELECT
            *,
            CASE WHEN NOT has_partner THEN NULL WHEN counts_its_work THEN 'transactions'
                WHEN requests_before > 0 AND requests_now > 0 THEN 'requests' ELSE 'fixed' END AS volume_basis
        FROM compared
    ) AS based
),
split AS (
    SELECT
        *, FALSE AS is_total,
        -- A printed class with unknown time is not 0: only a class that is not there has no time.
        CASE WHEN has_partner THEN cpu_now - cpu_before ELSE coalesce(cpu_now, -cpu_before) END AS difference,
        CASE WHEN NOT has_partner THEN 0
            WHEN volume_basis IS NOT NULL
            THEN (cpu_now / volume_now - cpu_before / volume_before) * volume_now END AS rate,
        CASE WHEN NOT has_partner THEN 0
            WHEN volume_basis IS NOT NULL AND cpu_now IS NOT NULL
            THEN (volume_now - volume_before) * cpu_before / volume_before END AS volume,
        CASE WHEN has_partner THEN 0 ELSE coalesce(cpu_now, -cpu_before) END AS unpartnered,
        CASE WHEN has_partner THEN cp_now - cp_before ELSE coalesce(cp_now, -cp_before) END AS cp_difference,
        CASE WHEN NOT has_partner THEN 0
            WHEN volume_basis IS NOT NULL
            THEN (cp_now / volume_now - cp_before / volume_before) * volume_now END AS cp_rate,
        CASE WHEN NOT has_partner THEN 0
            WHEN volume_basis IS NOT NULL AND cp_now IS NOT NULL
            THEN (volume_now - volume_before) * cp_before / volume_before END AS cp_volume,
        CASE WHEN has_partner THEN 0 ELSE coalesce(cp_now, -cp_before) END AS cp_unpartnered
    FROM measured
),
totals AS (
    SELECT
        study, baseline, configuration, class_kind, TRUE AS is_total,
        CASE WHEN count(difference) = count(*) THEN coalesce(sum(cpu_before), 0) END AS cpu_before,
        CASE WHEN count(difference) = count(*) THEN coalesce(sum(cpu_now), 0) END AS cpu_now,
        CASE WHEN count(cp_difference) = count(*) THEN coalesce(sum(cp_before), 0) END AS cp_before,
        CASE WHEN count(cp_difference) = count(*) THEN coalesce(sum(cp_now), 0) END AS cp_now,
        sum_all(COLUMNS(['difference', 'rate', 'volume', 'unpartnered', 'cp_difference', 'cp_rate', 'cp_volume', 'cp_unpartnered'])),
        flatten(list(refs ORDER BY class_name, refs)) AS refs
    FROM split
    GROUP BY study, baseline, configuration, class_kind
)
SELECT
    study, baseline, configuration, class_kind, class_name, is_total, volume_basis,
    CASE WHEN volume_basis <> 'fixed' THEN volume_before END AS baseline_per_s,
    CASE WHEN volume_basis <> 'fixed' THEN volume_now END AS volume_per_s,
    cp_before AS baseline_cp_pct, cp_now AS cp_pct, cp_difference AS cp_difference_pct,
    cp_rate AS cp_rate_pct, cp_volume AS cp_volume_pct, cp_unpartnered AS cp_unpartnered_pct,
    cpu_before AS baseline_cpu_pct, cpu_now AS cpu_pct, difference AS difference_pct,
    rate AS rate_pct, volume AS volume_pct, unpartnered AS unpartnered_pct, refs
FROM (SELECT * FROM split UNION ALL BY NAME SELECT * FROM totals)
