-- Grain: one row per study and configuration: the factor that normalises its processor time.
-- Formula: MIPS of an engine as measured / MIPS of the engine compared on (a run on engines of 16.5 MIPS is 16.5/19.4 as busy on
-- engines of 19.4), x (1 - LPAR overhead / 100). 1 if the study gives neither.
-- Source: the study file; Friedman, Sysplex/CICSplex/Db2 data sharing, for both normalisations.
-- Columns:
--   refs: the configuration in the study file
SELECT
    study, configuration,
    coalesce(engine_mips_measured / engine_mips_compared, 1) * (1 - coalesce(lpar_overhead_pct, 0) / 100) AS busy_factor,
    [ref(source_id, page, line)] AS refs
FROM study_configuration
