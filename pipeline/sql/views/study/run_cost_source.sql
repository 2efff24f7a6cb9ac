-- Grain: one row per study, configuration, run and part of a request's processor time, where CICS monitoring or Db2 accounting is in the window.
-- The cost of a request by three sources: each part from the source that knows it best, beside another source that has it too. The parts add
-- up to the busy time of the processors, per request.
-- Parts, in order (part_number):
--   1 application: tasks of CICS less what Db2 does on their threads: CICS monitoring - class 2 of accounting (without accounting: all of the tasks)
--   2 SQL on the thread: class 2 of Db2 accounting
--   3 CICS itself: the address spaces less their tasks: RMF, subsystem CICS - CICS monitoring. Beside it: CICS statistics - CICS monitoring
--   4 Db2 address spaces: Db2 statistics. Beside it: RMF, subsystem Db2 (or DB2)
--   5 other classes: RMF, all other classes, those that the study charges to nothing too
--   6 not captured: busy processors by CPU Activity less all classes of RMF
-- Rule: as of run_cics_cost and run_db2_cost: reports of CICS and Db2 belong to a window if their midpoint does. Without the study's
-- normalisation; zIIP time at the speed of a general processor. A part is NULL where its source is not in the window; then the time stays in the
-- part from which it would be subtracted: 3 is all of RMF's CICS, 5 has the classes of Db2. Without monitoring, class 2 is subtracted from 3,
-- and where the study has no subsystem CICS, from 5. Class 2 of threads that are not of CICS (by connection type, where the ORDER has it) is in 2
-- and subtracted from 5. DDF's enclaves are not in 4, because their threads are in 2; time that these threads use outside Db2 is in 5.
-- Source: CICS monitoring, DFHTASK; OMEGAMON for Db2 PE Report Reference; RMF Report Analysis, APPL % and CPU Activity.
-- All sources count as rates over their own covered time. Where systems cover unlike times, rates weigh each system alike; seconds over requests
-- (cost_per_request, itr) weigh by time, and explained_by says so.
-- Worked: 3 ms of tasks, of these 1.8 ms class 2, 3.5 ms of RMF's CICS, 0.4 ms of Db2's address spaces, 4 ms of all classes and 4.3 ms busy:
-- 1.2, 1.8, 0.5, 0.4, 0.1 and 0.3 ms.
-- Columns:
--   part_number, part: key
--   requests_per_s [1/s]: requests of the run
--   cpu_ms_per_request [ms]: of the part; NULL where it is not known
--   share_pct [%]: of the busy time per request
--   told_by: the source
--   beside_ms_per_request [ms], beside_told_by: the same by another source, where one has it
--   apart_pct [%]: cpu_ms_per_request over beside_ms_per_request, less 100
--   open_ms_per_request [ms]: what the printed digits of CICS' means leave open, more or less, of a part told by them
--   explained_by: what can explain a difference; open_ms_per_request, where it is more than 5% of the part; systems that cover unlike times
--   refs: the printed rows of CICS or Db2; of parts of RMF alone, the study definition of the run
WITH rmf AS (
    SELECT
        study, configuration, run,
        sum_all(cpu_normalized_pct) / 100 AS every_engine,
        sum_all(cpu_normalized_pct, upper(subsystem) = 'CICS') / 100 AS cics_engine,
        sum_all(cpu_normalized_pct, upper(subsystem) = 'DB2') / 100 AS db2_engine
    FROM cost_per_request
    GROUP BY study, configuration, run
),
unlike AS (
    SELECT study, configuration, run, max(covered_s) > 1.02 * min(covered_s) AS is_unlike FROM run_scope GROUP BY study, configuration, run
),
known AS (
    SELECT
        step.study, step.configuration, step.run, counted.requests_per_s, [ref(step.source_id, step.page, step.line)] AS step_refs,
        cics.study IS NOT NULL AS has_cics, db2.study IS NOT NULL AS has_db2,
        1000 * rmf.every_engine / nullif(counted.requests_per_s, 0) AS every_ms,
        1000 * rmf.cics_engine / nullif(counted.requests_per_s, 0) AS cics_ms,
        1000 * rmf.db2_engine / nullif(counted.requests_per_s, 0) AS db2_ms,
        1000 * busy.engines_busy / nullif(counted.requests_per_s, 0) AS busy_ms,
        cics.task_cpu_ms_per_request AS task_ms,
        -- Statistics of other regions are no measure of these tasks.
        CASE WHEN cics.task_cpu_ms_per_request IS NULL OR cics.itself_ms_per_request IS NOT NULL THEN cics.region_cpu_ms_per_request END AS region_ms,
        cics.task_cpu_ms_per_request * cics.task_cpu_precision_pct / 100 AS open_ms,
        cics.explained_by AS cics_explained_by, cics.refs AS cics_refs,
        db2.class2_cpu_ms_per_request AS class2_ms,
        db2.class2_cpu_ms_per_request - db2.class2_others_cpu_ms_per_request AS class2_cics_ms,
        coalesce(db2.class2_others_cpu_ms_per_request, 0) AS class2_others_ms,
        db2.address_spaces_cpu_ms_per_request AS spaces_ms,
        db2.explained_by AS db2_explained_by, db2.refs AS db2_refs,
        CASE
            WHEN cics.task_cpu_ms_per_request IS NOT NULL THEN ' - CICS monitoring'
            WHEN db2.class2_cpu_ms_per_request IS NOT NULL THEN ' - Db2 accounting class 2'
        END AS less,
        CASE WHEN unlike.is_unlike THEN 'systems cover unlike times: rates, not seconds over requests as in cost_per_request' END AS why_unlike
    FROM study_step AS step
    JOIN run_requests AS counted USING (study, configuration, run)
    LEFT JOIN unlike USING (study, configuration, run)
    LEFT JOIN rmf USING (study, configuration, run)
    LEFT JOIN run_busy AS busy
        ON busy.study = step.study AND busy.configuration = step.configuration AND busy.run = step.run AND busy.busy_basis = 'cp_and_ziip'
    LEFT JOIN run_cics_cost AS cics
        ON cics.study = step.study AND cics.configuration = step.configuration AND cics.run = step.run
    LEFT JOIN run_db2_cost AS db2
        ON db2.study = step.study AND db2.configuration = step.configuration AND db2.run = step.run
    WHERE cics.study IS NOT NULL OR db2.study IS NOT NULL
),
parts AS (
    SELECT
        k.study, k.configuration, k.run, k.requests_per_s, k.busy_ms, k.step_refs, k.why_unlike,
        unnest([
            {
                'number': 1, 'part': 'application', 'ms': k.task_ms - coalesce(k.class2_cics_ms, 0),
                'told_by': CASE WHEN k.class2_ms IS NULL THEN 'CICS monitoring' ELSE 'CICS monitoring - Db2 accounting class 2' END,
                'beside': NULL, 'beside_by': NULL, 'open': k.open_ms, 'explained_by': k.cics_explained_by, 'refs': k.cics_refs
            },
            {
                'number': 2, 'part': 'SQL on the thread', 'ms': k.class2_ms, 'told_by': 'Db2 accounting class 2',
                'beside': NULL, 'beside_by': NULL, 'open': NULL, 'explained_by': k.db2_explained_by, 'refs': k.db2_refs
            },
            {
                'number': 3, 'part': 'CICS itself', 'ms': k.cics_ms - coalesce(k.task_ms, k.class2_cics_ms, 0),
                'told_by': concat('RMF', k.less),
                'beside': k.region_ms - coalesce(k.task_ms, k.class2_cics_ms, 0),
                'beside_by': CASE WHEN k.region_ms IS NOT NULL THEN concat('CICS statistics', k.less) END,
                'open': k.open_ms, 'explained_by': k.cics_explained_by, 'refs': k.cics_refs
            },
            {
                'number': 4, 'part': 'Db2 address spaces', 'ms': k.spaces_ms, 'told_by': 'Db2 statistics',
                'beside': k.db2_ms, 'beside_by': CASE WHEN k.db2_ms IS NOT NULL THEN 'RMF' END,
                'open': NULL, 'explained_by': k.db2_explained_by, 'refs': k.db2_refs
            },
            {
                'number': 5, 'part': 'other classes',
                'ms': k.every_ms - coalesce(k.cics_ms, k.task_ms, k.class2_cics_ms, 0) - k.class2_others_ms - coalesce(k.spaces_ms, 0),
                'told_by': 'RMF', 'beside': NULL, 'beside_by': NULL, 'open': NULL, 'explained_by': NULL, 'refs': k.step_refs
            },
            {
                'number': 6, 'part': 'not captured', 'ms': k.busy_ms - k.every_ms, 'told_by': 'RMF, CPU Activity - Workload Activity',
                'beside': NULL, 'beside_by': NULL, 'open': NULL, 'explained_by': NULL, 'refs': k.step_refs
            }
        ]) AS one
    FROM known AS k
)
SELECT
    study, configuration, run, CAST(one.number AS BIGINT) AS part_number, one.part AS part, requests_per_s,
    CAST(one.ms AS DOUBLE) AS cpu_ms_per_request,
    100 * one.ms / nullif(busy_ms, 0) AS share_pct,
    one.told_by AS told_by,
    CAST(one.beside AS DOUBLE) AS beside_ms_per_request,
    one.beside_by AS beside_told_by,
    100 * one.ms / nullif(one.beside, 0) - 100 AS apart_pct,
    CAST(one.open AS DOUBLE) AS open_ms_per_request,
    nullif(concat_ws(
        '; ', one.explained_by, why_unlike,
        CASE WHEN one.open > 0.05 * abs(one.ms)
            THEN concat('the digits of monitoring leave ', CAST(round(one.open, 3) AS VARCHAR), ' ms more or less open') END
    ), '') AS explained_by,
    coalesce(one.refs, step_refs) AS refs
FROM parts
