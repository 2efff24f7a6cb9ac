-- Grain: one row per rule that `finding` evaluates.
-- The rules are declared in parsers/_finding_rules.py. A study sets another limit by `limits: {rule: number}`, and by
-- `limits: {rule: {limit: number, lock: number, list: number, cache: number, least_size: number}}` those by kind and the least size.
-- Limits by kind of structure: the requester waits for a lock; requests to lists and caches can be made asynchronous.
-- Least sizes: a share of few requests is noise and costs little. A value without a printed size is compared only with its limit.
-- Source: each rule has its own. A document is named with its page where the page was looked up, otherwise with the title of the topic and 'page
-- not verified'. Least sizes, and limits of 'field practice', are set by this project, without a document.
-- Shards: no: its rows are the rules.
-- Columns:
--   rule: name of the rule
--   title: what it finds
--   comparison: a finding is a value '>' or '>=' the limit; '<=' for a lower limit
--   limit_value: the limit, unless a study sets another
--   lock_limit_value, list_limit_value, cache_limit_value: limit for structures of that kind; NULL for the general limit
--   unit: of value and limit
--   least_size: minimum size, in size_unit; NULL for none
--   size_unit: of least_size
--   rule_source: source of the rule
SELECT
    rule, title, comparison, CAST(limit_value AS DOUBLE) AS limit_value, CAST(lock_limit_value AS DOUBLE) AS lock_limit_value,
    CAST(list_limit_value AS DOUBLE) AS list_limit_value, CAST(cache_limit_value AS DOUBLE) AS cache_limit_value, unit,
    CAST(least_size AS DOUBLE) AS least_size, size_unit, rule_source
FROM finding_rules()
