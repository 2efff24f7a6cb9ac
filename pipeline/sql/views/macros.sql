-- Macros that many views share. A query may use them too.
-- A parameter `t`, `wider`, `page` or `left_out` is a row: pass the alias of a table in FROM. No column of the table may have that name.

-- The sum, or NULL where one of the values is unknown: the sum of the others is not that of all.
-- With a condition: of the rows that meet it; NULL where none does.
CREATE MACRO sum_all
    (x) AS CASE WHEN count(x) = count(*) THEN sum(x) END,
    (x, condition) AS CASE WHEN count(x) FILTER (condition) = count(*) FILTER (condition) THEN sum(x) FILTER (condition) END;

-- The mean by weight, or NULL where one of the values is unknown or the weights add up to 0.
CREATE MACRO mean_all(x, weight) AS
    CASE WHEN count(x) = count(*) THEN sum(x * weight) / nullif(sum(weight), 0) END;

-- The smallest and the largest, or NULL where one of the values is unknown.
CREATE MACRO min_all(x) AS CASE WHEN count(x) = count(*) THEN min(x) END;
CREATE MACRO max_all(x) AS CASE WHEN count(x) = count(*) THEN max(x) END;

-- The value that all rows have; NULL where two differ or one is unknown.
CREATE MACRO one_value(x) AS CASE WHEN min(x) = max(x) AND count(x) = count(*) THEN min(x) END;

-- The value that all rows with a value have; NULL where two differ.
CREATE MACRO known_value(x) AS CASE WHEN min(x) = max(x) THEN min(x) END;

-- The first value that is printed: of the smallest source_id and line.
CREATE MACRO first_known(x, source_id, line) AS arg_min(x, struct_pack(source_id := source_id, line := line)) FILTER (x IS NOT NULL);

-- Whether a page of Db2 has the counts of a member: in its own report, in one of its group, or without a scope under its name.
CREATE MACRO is_of_member(scope, member) AS scope IN ('member', 'group_member') OR (scope IS NULL AND member IS NOT NULL);

-- Whether a row counts: a member's row in a report of the group counts only where no other row has the key, which names member and interval.
CREATE MACRO is_own_or_only(scope, key) AS
    scope IS DISTINCT FROM 'group_member' OR NOT bool_or(scope IS DISTINCT FROM 'group_member') OVER (PARTITION BY key);

-- Whether a value is a finding: it breaks its limit, and its size is not known to be below the least size. `finding` and the pages both ask this.
CREATE MACRO is_beyond(value, comparison, limit_value, size, least_size) AS
    CASE comparison WHEN '>' THEN value > limit_value WHEN '>=' THEN value >= limit_value WHEN '<=' THEN value <= limit_value END
    AND coalesce(size >= least_size, TRUE);

-- Where a row was printed.
CREATE MACRO ref(source_id, page, line) AS struct_pack(source_id := source_id, page := page, line := line);

-- Where the rows of a group were printed, in order.
CREATE MACRO all_refs(source_id, page, line) AS
    list(struct_pack(source_id := source_id, page := page, line := line) ORDER BY source_id, line, page);

-- In how many sources the rows of a group were printed.
CREATE MACRO count_of_sources(refs) AS len(list_distinct(list_transform(refs, lambda printed: printed.source_id)));

-- Keys: two NULLs are equal here, as in no other comparison of SQL.
-- An interval of a system in one form.
CREATE MACRO form_key(t) AS struct_pack(
    source_form := t.source_form, system := t.system, interval_start := t.interval_start, interval_end := t.interval_end
);

-- Classes of a kind in an interval of systems of a sysplex, in one form.
CREATE MACRO class_form_key(t) AS struct_pack(
    source_form := t.source_form, sysplex := t.sysplex, scope := t.scope, class_kind := t.class_kind,
    interval_start := t.interval_start, interval_end := t.interval_end
);

-- The service policy of an interval of systems of a sysplex, in one form.
CREATE MACRO policy_form_key(t) AS struct_pack(
    source_form := t.source_form, sysplex := t.sysplex, scope := t.scope,
    interval_start := t.interval_start, interval_end := t.interval_end
);

-- Whether a row of print_and_xml leaves a row of a report out: of a system, of classes, of a policy.
CREATE MACRO is_left_out(left_out, page, of_report) AS left_out.report = of_report AND form_key(left_out) = form_key(page);
CREATE MACRO is_class_left_out(left_out, page, of_report) AS left_out.report = of_report AND class_form_key(left_out) = class_form_key(page);
CREATE MACRO is_policy_left_out(left_out, page) AS left_out.report = 'rmf_service_policy' AND policy_form_key(left_out) = policy_form_key(page);

-- Forms in the order of which counts: the last.
CREATE MACRO digits_of_form(source_form) AS CASE source_form WHEN 'xml' THEN 1 WHEN 'smf' THEN 3 ELSE 2 END;

-- Whether two pages of Workload Activity are of one report and interval, and may be of one system.
CREATE MACRO of_one_page(a, b) AS
    a.report = b.report AND a.interval_start = b.interval_start AND a.interval_end = b.interval_end
    AND a.class_kind IS NOT DISTINCT FROM b.class_kind AND a.sysplex IS NOT DISTINCT FROM b.sysplex
    AND may_be_of_one_system(a.scope, b.scope);

-- An interval of a system.
CREATE MACRO system_interval_key(t) AS struct_pack(
    system := t.system, report_kind := t.report_kind, interval_start := t.interval_start, interval_end := t.interval_end
);

-- An interval of a sysplex.
CREATE MACRO sysplex_interval_key(t) AS struct_pack(
    sysplex := t.sysplex, report_kind := t.report_kind, interval_start := t.interval_start, interval_end := t.interval_end
);

-- A storage control unit in an interval of a system.
CREATE MACRO control_unit_key(t) AS struct_pack(
    sysplex := t.sysplex, system := t.system, report_kind := t.report_kind, interval_start := t.interval_start,
    interval_end := t.interval_end, ssid := t.ssid, control_unit := t.control_unit
);

-- An interval of one set of systems.
CREATE MACRO interval_key(t) AS struct_pack(
    sysplex := t.sysplex, scope := t.scope, report_kind := t.report_kind,
    interval_start := t.interval_start, interval_end := t.interval_end
);

-- The same under one service policy: RMF prints an interval again when the policy changes within it.
CREATE MACRO policy_interval_key(t) AS struct_pack(
    sysplex := t.sysplex, scope := t.scope, report_kind := t.report_kind,
    interval_start := t.interval_start, interval_end := t.interval_end, policy_activated_at := t.policy_activated_at
);

-- A class or policy in it.
CREATE MACRO class_key(t) AS struct_pack(
    sysplex := t.sysplex, scope := t.scope, report_kind := t.report_kind,
    interval_start := t.interval_start, interval_end := t.interval_end, policy_activated_at := t.policy_activated_at,
    class_kind := t.class_kind, policy := t.policy, workload := t.workload,
    service_class := t.service_class, report_class := t.report_class
);

-- A period of a class, or a class.
CREATE MACRO period_key(t) AS struct_pack(
    sysplex := t.sysplex, scope := t.scope, report_kind := t.report_kind,
    interval_start := t.interval_start, interval_end := t.interval_end, policy_activated_at := t.policy_activated_at,
    class_kind := t.class_kind, policy := t.policy, workload := t.workload,
    service_class := t.service_class, report_class := t.report_class, period := t.period
);

-- An interval of a Db2 member or group.
CREATE MACRO db2_interval_key(t) AS struct_pack(
    location := t.location, db2_group := t.db2_group, member := t.member, subsystem := t.subsystem,
    report_kind := t.report_kind, scope := t.scope, begin_at := t.begin_at, end_at := t.end_at
);

-- The same, and the keys of the ORDER of an accounting report, or the thread of a trace.
CREATE MACRO db2_entry_key(t) AS struct_pack(
    location := t.location, db2_group := t.db2_group, member := t.member, subsystem := t.subsystem,
    report_kind := t.report_kind, scope := t.scope, begin_at := t.begin_at, end_at := t.end_at,
    primauth := t.primauth, origauth := t.origauth, plan := t.plan, connection := t.connection, conntype := t.conntype,
    corrname := t.corrname, corrnmbr := t.corrnmbr, mainpack := t.mainpack, end_user := t.end_user,
    workstation := t.workstation, transaction := t.transaction, activity := t.activity,
    requesting_location := t.requesting_location, record_time := t.record_time
);

-- An interval under one service policy, of rows whose scope on the pages is in printed_scope (interval_scope, run_selection).
CREATE MACRO printed_interval_key(t) AS struct_pack(
    sysplex := t.sysplex, scope := t.printed_scope, report_kind := t.report_kind,
    interval_start := t.interval_start, interval_end := t.interval_end, policy_activated_at := t.policy_activated_at
);

-- Whether two pages may be of the same systems: they have a system in common, or one of them names none.
CREATE MACRO may_be_of_one_system(a, b) AS coalesce(list_has_any(string_split(a, ','), string_split(b, ',')), TRUE);

-- Whether a row of interval_scope gives the scope that the rows of a page are read with.
CREATE MACRO is_scope_of(wider, page) AS printed_interval_key(wider) = policy_interval_key(page);

-- Whether the middle of an interval is between two times.
CREATE MACRO is_middle_within(begin_at, end_at, first_at, last_at) AS
    begin_at + (end_at - begin_at) / 2 >= first_at AND begin_at + (end_at - begin_at) / 2 < last_at;

-- Whether a page of a system is of an interval of systems, or within it.
CREATE MACRO is_page_within(wider, page) AS
    page.report_kind = wider.report_kind
    AND is_middle_within(page.interval_start, page.interval_end, wider.interval_start, wider.interval_end)
    AND (wider.scope IS NULL OR list_contains(string_split(wider.scope, ','), page.system));

-- The mean by weight (0 or more) over the rows with some weight, or NULL where one of their values or any weight is unknown.
CREATE MACRO mean_where_any(x, weight) AS
    CASE WHEN count(weight) = count(*) AND count(x * nullif(weight, 0)) = count(nullif(weight, 0))
        THEN sum(x * nullif(weight, 0)) / nullif(sum(weight), 0) END;

-- A sum, difference or product of values that are printed with few decimals, none above some millions, without the error of binary digits:
-- 491.34999999999997 is 491.35. Values computed from the result change by less than 10^-9.
CREATE MACRO without_noise(x) AS round(x, 9) + 0;

-- A difference that rounding alone can make negative; NULL stays NULL, which greatest(0, x) would make 0.
CREATE MACRO at_least_zero(x) AS CASE WHEN x < 0 THEN 0 ELSE x END;

-- The sum of the rows that meet a condition: 0 where none does, NULL where the value of one is unknown.
CREATE MACRO sum_or_zero(x, condition) AS
    CASE WHEN count(x) FILTER (condition) = count(*) FILTER (condition) THEN coalesce(sum(x) FILTER (condition), 0) END;

-- Whether an interval begins before `reached`, the last end of the intervals before it: their common time is printed twice. Among intervals in
-- the order of their starts, if any two overlap, one overlaps its predecessors; a sum of lengths hides an overlap beside a gap.
-- Intervals end a little off the clock: one second does not count.
CREATE MACRO is_there_twice(starts_at, reached) AS coalesce(starts_at + INTERVAL 1 SECOND < reached, FALSE);

-- The same of an interval among those of one key; where several begin at once the longest comes first.
CREATE MACRO is_printed_again(key, starts_at, ends_at) AS is_there_twice(
    starts_at,
    max(ends_at) OVER (PARTITION BY key ORDER BY starts_at, ends_at DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
);

-- Whether the buffers of a transport class are too small: 5% or more of its messages are big, and more than are small.
CREATE MACRO has_small_buffers(big_pct, small_pct) AS big_pct >= 5 AND big_pct > small_pct;

-- The clock hour, in local time, that an interval belongs to: the hour of its midpoint.
CREATE MACRO hour_of(starts_at, ends_at) AS date_trunc('hour', starts_at + (ends_at - starts_at) / 2);

-- The offset from UTC of an hour that the clock repeats; NULL for any other hour. A session answers for each of the two hours separately, and
-- puts the offset in (repeated_hours.py).
CREATE MACRO offset_if_repeated() AS CAST(NULL AS BIGINT);

-- The name of a class of a kind.
CREATE MACRO name_of_class(class_kind, policy, workload, service_class, report_class) AS CASE class_kind
    WHEN 'service_class' THEN service_class WHEN 'report_class' THEN report_class WHEN 'workload' THEN workload ELSE policy
END;

-- What a cap displaces in each interval of a series, in MSU x seconds. `steps`: of each interval, in order, its MSU, the average of the four hours
-- before it (NULL: not known, the cap is not on), its seconds, and how many intervals these four hours have. The cap is on where that
-- average, less what was displaced in these hours, is at least the cap; then no more than the cap is used. What is displaced does not come back.
CREATE MACRO displaced_by_cap(steps, cap) AS list_reduce(
    steps,
    lambda displaced, step: list_append(
        displaced,
        CASE WHEN step[1] > cap
            AND step[2] - coalesce(list_sum(CASE WHEN step[4] > 0 THEN displaced[-CAST(step[4] AS BIGINT):] END), 0) / 14400 >= cap
            THEN (step[1] - cap) * step[3] ELSE 0 END
    ),
    CAST([] AS DOUBLE[])
);

-- What a sum of money rests on, in words: the price of an MSU that the site gives (charges.toml).
CREATE MACRO cost_assumption(price_per_msu, currency, price_note) AS CASE
    WHEN price_per_msu IS NULL THEN 'no price is given'
    ELSE concat_ws(' ', price_per_msu, currency, 'per MSU of the monthly peak', '(' || price_note || ')')
END;
