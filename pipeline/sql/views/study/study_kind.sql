-- Grain: one row per study: the kind of class compared if the study charges none.
-- Rule: one kind for all configurations, so service classes are never compared with report classes: service classes where every
-- configuration prints them, otherwise report classes where every one does.
-- NULL: if the configurations have no kind in common.
-- Source: RMF Report Analysis, Workload Activity.
-- Columns:
--   refs: empty
SELECT
    study_configuration.study,
    CASE
        WHEN count(DISTINCT CASE WHEN printed.class_kind = 'service_class' THEN study_configuration.configuration END) = count(DISTINCT study_configuration.configuration)
            THEN 'service_class'
        WHEN count(DISTINCT CASE WHEN printed.class_kind = 'report_class' THEN study_configuration.configuration END) = count(DISTINCT study_configuration.configuration)
            THEN 'report_class'
    END AS class_kind,
    [] AS refs
FROM study_configuration
LEFT JOIN run_class AS printed
    ON printed.is_total AND printed.study = study_configuration.study AND printed.configuration = study_configuration.configuration
GROUP BY study_configuration.study
