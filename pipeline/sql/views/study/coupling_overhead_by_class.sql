-- Grain: one row per study with a coupling, class kind and class that prints processor time in either configuration, and one for all
-- classes of a kind together (is_total).
-- Formula: processor time of the class over the study's requests, and over the class's own ended transactions, as in
-- configuration_class (the study's factors are in it); cpu_increase_pct = (coupled - uncoupled) / uncoupled, as in coupling_efficiency.
-- Classes of one kind add; classes of different kinds describe the same work. For several classes (the address spaces of a Db2 subsystem)
-- use the milliseconds: sum(cpu_coupled_ms_per_request) / sum(cpu_uncoupled_ms_per_request) - 1.
-- NULL: if a class is unknown in a run or printed in one configuration only, and without requests.
-- Source: Friedman, Sysplex/CICSplex/Db2 data sharing, table 7 (CPU seconds per transaction by address space).
-- Worked: 20% of an engine at 10 requests/s is 20 ms; coupled 26.45% at 11.5/s is 23 ms: 3 ms or 15% more.
-- Columns:
--   subsystem: subsystem of the class; NULL for none
--   cp_uncoupled_ms_per_request, cp_coupled_ms_per_request [ms]: general-processor time, which is what is paid for, of the study's requests
--   cp_increase_ms_per_request [ms], cp_increase_pct [%]: coupled - uncoupled, and its share of uncoupled
--   cpu_uncoupled_ms_per_request, cpu_coupled_ms_per_request [ms]: all processor time, zIIP time not normalised, of the study's requests
--   cpu_increase_ms_per_request [ms]: coupled - uncoupled
--   cpu_increase_pct [%]: of the uncoupled
--   overhead_share_pct [%]: share of cpu_increase_ms_per_request of all classes of the kind
--   cpu_uncoupled_share_pct, cpu_coupled_share_pct [%]: of the processor time of all classes of the kind
--   cpu_share_change_pct [percentage points]: coupled - uncoupled
--   cpu_uncoupled_ms_per_transaction, cpu_coupled_ms_per_transaction [ms]: of the class's own ended transactions
--   cpu_increase_ms_per_transaction [ms], cpu_increase_per_transaction_pct [%]: coupled - uncoupled, and its share of uncoupled
WITH classes AS MATERIALIZED (
    SELECT
        class.study, role.coupling_role, class.class_kind, class.class_name, class.is_total, class.cpu_share_pct,
        class.cpu_ms_per_request AS ms_per_request,
        class.cp_ms_per_request AS cp_ms_per_request,
        class.cpu_ms_per_transaction AS ms_per_transaction,
        class.refs
    FROM configuration_class AS class
    JOIN study_configuration AS role USING (study, configuration)
    WHERE role.coupling_role IS NOT NULL AND class.classes > 0
),
pairs AS (
    SELECT alone.study, alone.configuration AS uncoupled, together.configuration AS coupled
    FROM study_configuration AS alone
    JOIN study_configuration AS together ON together.study = alone.study
    WHERE alone.coupling_role = 'uncoupled' AND together.coupling_role = 'coupled'
),
-- A class may be printed on one side only.
compared AS (
    SELECT
        study, class_kind, class_name, is_total,
        max(cp_ms_per_request) FILTER (coupling_role = 'uncoupled') AS cp_before,
        max(cp_ms_per_request) FILTER (coupling_role = 'coupled') AS cp_after,
        max(ms_per_request) FILTER (coupling_role = 'uncoupled') AS request_before,
        max(ms_per_request) FILTER (coupling_role = 'coupled') AS request_after,
        max(ms_per_transaction) FILTER (coupling_role = 'uncoupled') AS transaction_before,
        max(ms_per_transaction) FILTER (coupling_role = 'coupled') AS transaction_after,
        max(cpu_share_pct) FILTER (coupling_role = 'uncoupled') AS share_before,
        max(cpu_share_pct) FILTER (coupling_role = 'coupled') AS share_after,
        flatten(list(refs ORDER BY coupling_role DESC, refs)) AS refs
    FROM classes
    GROUP BY study, class_kind, class_name, is_total
)
SELECT
    compared.study, pairs.uncoupled, pairs.coupled, charged.subsystem,
    compared.class_kind, compared.class_name, compared.is_total,
    cp_before AS cp_uncoupled_ms_per_request,
    cp_after AS cp_coupled_ms_per_request,
    cp_after - cp_before AS cp_increase_ms_per_request,
    100 * (cp_after - cp_before) / nullif(cp_before, 0) AS cp_increase_pct,
    request_before AS cpu_uncoupled_ms_per_request,
    request_after AS cpu_coupled_ms_per_request,
    request_after - request_before AS cpu_increase_ms_per_request,
    100 * (request_after - request_before) / nullif(request_before, 0) AS cpu_increase_pct,
    100 * (request_after - request_before) / nullif(max(
        CASE WHEN compared.is_total THEN request_after - request_before END
    ) OVER (PARTITION BY compared.study, compared.class_kind), 0) AS overhead_share_pct,
    share_before AS cpu_uncoupled_share_pct,
    share_after AS cpu_coupled_share_pct,
    share_after - share_before AS cpu_share_change_pct,
    transaction_before AS cpu_uncoupled_ms_per_transaction,
    transaction_after AS cpu_coupled_ms_per_transaction,
    transaction_after - transaction_before AS cpu_increase_ms_per_transaction,
    100 * (transaction_after - transaction_before) / nullif(transaction_before, 0) AS cpu_increase_per_transaction_pct,
    compared.refs
FROM compared
JOIN pairs ON pairs.study = compared.study
LEFT JOIN study_class AS charged
    ON charged.study = compared.study AND charged.role = 'cpu'
    AND charged.class_kind = compared.class_kind AND charged.class_name = compared.class_name
