"""The rules of findings: what is compared with which limit. The view `finding` judges printed intervals by them, the page of a lake the hours of
its last day. A study sets another limit by `limits: {rule: number}`, and by `limits: {rule: {limit: number, lock: number, list: number, cache:
number, least_size: number}}` those by kind and the least size.

Each rule has its own source. A document is named with its page where the page was looked up, otherwise with the title of the topic and 'page not
verified'. Least sizes, and limits of 'field practice', are set by this project, without a document.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import groupby
from math import isfinite

from ..errors import UsageError
from ..plugins import line_with, own
from .report import reports

# What a study may set of a rule, and the column that it is in.
RULE_KEYS = {
    "limit": "limit_value",
    "lock": "lock_limit_value",
    "list": "list_limit_value",
    "cache": "cache_limit_value",
    "least_size": "least_size",
}


@dataclass(frozen=True)
class Measured:
    """What a rule compares, in SQL: a value of `rows` (a table, view or relation, perhaps with WHERE), what it is of, and the size of its base. `least`:
    the least value that the printed digits allow. `kind`: lock, list or cache, where the limit goes by that."""

    rows: str
    value: str
    subject: str
    size: str = ""
    least: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Hours:
    """The same of the hours of a view; `where` tells those that the rule is about."""

    view: str
    value: str
    size: str = ""
    where: str = "TRUE"


@dataclass(frozen=True)
class Rule:
    """A finding is a value `comparison` the limit, of a size that is not known to be less than the least."""

    name: str
    title: str
    comparison: str
    limit: float
    unit: str
    source: str
    least_size: float | None = None
    size_unit: str | None = None
    by_kind: Mapping[str, float] = field(default_factory=dict)
    measured: tuple[Measured, ...] = ()
    hours: Hours | None = None

    @property
    def may_set(self) -> tuple[str, ...]:
        """What a study may set of it."""
        size = ("least_size",) if self.least_size is not None else ()
        return ("limit", *self.by_kind, *size)

    @property
    def holds_of_hours(self) -> str:
        """Whether an hour of its view is one to tell of, in SQL. Of a rule that has hours."""
        assert self.hours
        return f"{self.hours.where} AND {self.holds(self.hours.value, self.hours.size)}"

    def holds(self, value: str, size: str) -> str:
        """The same of a value and its size, which may be unknown."""
        least = "NULL" if self.least_size is None else self.least_size
        return f"coalesce(is_beyond({value}, '{self.comparison}', {self.limit}, {size or 'NULL'}, {least}), FALSE)"


_STRUCTURE = "concat(cf_name, ' ', structure_name)"
_REQUESTS = "coalesce(requests_per_s, requests / nullif(interval_s, 0))"
_LOCKS = "(SELECT *, 'interval' AS report_kind FROM lock_contention WHERE is_secondary IS NOT TRUE)"
_LOCK_REQUESTS = "contention_requests / nullif(interval_s, 0)"
_SUBCHANNELS = "rmf_cf_subchannel_activity"
_FIELD = "field practice"
_UNVERIFIED = "(page not verified)"
_SYSPLEX = "z/OS MVS Setting Up a Sysplex, SA23-1399-00, topic"
_SHARING = "Data Sharing: Planning and Administration, topic"
_HALF_FOR_LOCKS = "; half of that for locks: field practice"
_Z900 = "IBM eServer zSeries 900 Technical Guide, ISBN 0738426970, page 187:"
_CICS = "CICS Transaction Server, Performance Guide, topic"
_RMF = "RMF Report Analysis,"
_A_PART = "a part is not more than the whole; 5% for time covered and rounding"
# The requester waits for a lock; requests to lists and caches can be made asynchronous.
_KINDS = {"lock": 5, "list": 10, "cache": 10}

RULES = (
    Rule("cf_changed_pct", "Requests to a structure were changed from synchronous to asynchronous", ">=", 10, "%",
         f'{_SYSPLEX} "CHNGD requests" {_UNVERIFIED}: less than 10% of the requests to a structure{_HALF_FOR_LOCKS}', 1, "requests/s", _KINDS,
         (Measured("rmf_cf_structure_activity WHERE is_total IS NOT TRUE", "changed_pct", _STRUCTURE, _REQUESTS, kind="lower(structure_type)"),)),
    # Per reason, because a request may be delayed for several; for subchannels of all requests, with locks separate.
    Rule("cf_delayed_pct", "Requests to a coupling facility or structure were delayed", ">=", 10, "%",
         f"{_Z900} more than 10% delayed by busy subchannels or paths{_HALF_FOR_LOCKS}", 1, "requests/s", _KINDS,
         (Measured("delayed", "delayed_pct", "concat(cf_name, ' ', structure_name, ' (', reason, ')')", _REQUESTS, kind="lower(structure_type)"),
          Measured(_SUBCHANNELS, "delayed_total_pct", "concat(cf_name, ' (subchannels)')", _REQUESTS),
          Measured(_SUBCHANNELS, "delayed_lock_pct", "concat(cf_name, ' (subchannels, locks)')", _REQUESTS, kind="'lock'")),
         Hours("cf_link_hour", "delayed_pct", "requests_per_s")),
    # Of shared processors: a facility that is seldom dispatched is busy while it is, and has next to nothing to do.
    Rule("cf_utilization_pct", "A coupling facility is busy", ">=", 50, "%",
         f"{_Z900} below 50% in all coupling facilities", 0.1, "processors in use", {},
         (Measured("rmf_cf_usage", "utilization_pct", "cf_name", "processors_effective * utilization_pct / 100"),),
         Hours("cf_hour", "utilization_pct", "processors_effective * utilization_pct / 100")),
    Rule("cf_subchannel_busy_pct", "The subchannels of a system to a coupling facility are busy: requests wait for one or become asynchronous",
         ">=", 30, "%", _FIELD, 1, "requests/s", {},
         (Measured("cf_link_interval", "subchannel_busy_pct", "cf_name", "requests_per_s"),),
         Hours("cf_link_hour", "subchannel_busy_pct", "requests_per_s")),
    Rule("cf_of_reference_pct", "Synchronous requests take far longer than the links let expect: a busy or shared facility, large data, busy paths",
         ">=", 200, "% of the reference", _FIELD, 0.1, "engines that wait", {},
         (Measured("cf_service_reference", "of_reference_pct", "cf_name", "sync_engines"),),
         Hours("cf_link_hour", "of_reference_pct", "sync_engines")),
    Rule("cf_memory_reads", "A structure reads entries back from storage class memory: its storage did not hold them", ">", 0, "reads",
         f"{_RMF} Coupling Facility Activity {_UNVERIFIED}: storage class memory takes what the structure cannot hold",
         measured=(Measured("rmf_cf_storage_class_memory", "reads", _STRUCTURE),)),
    Rule("channel_busy_pct", "A FICON channel path of the machine is busy: requests wait in the channel subsystem", ">=", 50, "%", _FIELD,
         measured=(Measured("channel_path_interval WHERE kind = 'ficon'", "busy_pct",
                            "concat('channel path ', concat_ws('.', channel_subsystem, channel_path_id))"),),
         hours=Hours("channel_path_hour", "busy_pct", where="kind = 'ficon'")),
    Rule("alias_waits", "I/O requests waited for a HyperPAV alias", ">=", 0.1, "waits per request", _FIELD, 10, "requests/s", {},
         (Measured("io_queue_interval", "alias_wait_per_request", "concat(replace(kind, '_', ' '), ' ', unit)", "io_per_s"),),
         Hours("io_queue_hour", "alias_wait_per_request", "io_per_s")),
    Rule("cache_delayed_writes_pct", "Writes to a storage control unit found no room in its non-volatile storage", ">=", 1, "%", _FIELD, 10, "writes/s", {},
         (Measured("cache_interval", "delayed_writes_pct", "concat('control unit ', control_unit, ' (', ssid, ')')", "writes_per_s"),),
         Hours("cache_hour", "delayed_writes_pct", "writes_per_s")),
    # Contention of a duplexed pair is reported once, for the primary.
    Rule("contention_pct", "Lock requests met contention, real or false", ">", 2, "%",
         f'{_FIELD}; Db2 13 for z/OS, {_SHARING} "How much contention is acceptable" {_UNVERIFIED}: from 3% to be watched, above 5% to be tuned,'
         " not where few locks are asked for", 10, "lock requests/s", {},
         (Measured(_LOCKS, "contention_pct", _STRUCTURE, _LOCK_REQUESTS, "contention_lower_pct"),),
         Hours("cf_structure_hour", "contention_pct", "contention_requests / covered_s")),
    Rule("false_contention_pct", "Lock requests met false contention: the lock structure has few entries", ">", 1, "%",
         f"Data Sharing in a Nutshell, SG24-7322 {_UNVERIFIED}; z/OS MVS Planning: Global Resource Serialization, SA23-1389-00, "
         f'topic "Getting the right structure size" {_UNVERIFIED}: high above one or two percent', 10, "lock requests/s", {},
         (Measured(_LOCKS, "false_contention_pct", _STRUCTURE, _LOCK_REQUESTS, "false_contention_lower_pct"),)),
    Rule("gbp_reads_failed_no_storage", "Reads of a group buffer pool failed for lack of storage", ">", 0, "reads",
         f'Db2 13 for z/OS, {_SHARING} "Too few data entries" {_UNVERIFIED}',
         measured=(Measured("of_group_buffer_pool", "reads_failed_no_storage", "subject"),),
         hours=Hours("group_buffer_pool_hour", "failed_no_storage")),
    Rule("gbp_writes_failed_no_storage", "Writes to a group buffer pool failed for lack of storage", ">", 0, "writes",
         f'Db2 13 for z/OS, {_SHARING} "Too few data entries" {_UNVERIFIED}',
         measured=(Measured("of_group_buffer_pool", "writes_failed_no_storage", "subject"),)),
    Rule("gbp_directory_reclaim_xi", "Pages of a group buffer pool were invalidated because directory entries were reclaimed",
         ">", 0, "cross-invalidations", f'Db2 12 for z/OS, {_SHARING} "Too few directory entries" {_UNVERIFIED}',
         measured=(Measured("rmf_cf_structure_summary WHERE is_total IS NOT TRUE AND structure_name LIKE '%\\_GBP%' ESCAPE '\\'",
                            "directory_reclaim_cross_invalidations", _STRUCTURE),),
         hours=Hours("cf_storage_hour", "gbp_invalidations")),
    Rule("xcf_rejects", "XCF rejected requests for lack of message buffers", ">", 0, "requests",
         f'{_SYSPLEX} "Using RMF reports to analyze message buffer space" {_UNVERIFIED}',
         measured=(Measured("rmf_xcf_system WHERE is_total IS NOT TRUE", "rejects", "concat_ws(' ', direction, peer_system, transport_class)"),),
         hours=Hours("xcf_class_hour", "rejects")),
    Rule("xcf_path_busy_pct", "Messages found their XCF signalling path busy: one more path, or a faster one, would take them",
         ">=", 10, "%", _FIELD, 1, "signals/s", {},
         (Measured("rmf_xcf_path", "100 * busy / nullif(busy + available, 0)",
                   "concat_ws(' ', direction, coalesce(structure, concat_ws(' ', from_device, to_device)), peer_system, transport_class)",
                   "(busy + available) / nullif(interval_s, 0)"),),
         Hours("xcf_path_hour", "busy_pct", "signals_per_s")),
    Rule("db2entry_waits", "Tasks waited for a thread of a DB2ENTRY, or overflowed to the pool", ">", 0, "waits or overflows",
         f"CICS Db2 Guide, THREADLIMIT and THREADWAIT of a DB2ENTRY {_UNVERIFIED}",
         measured=(Measured("of_region", "thread_waits_or_overflows", "concat(applid, ' ', db2entry)"),),
         hours=Hours("db2entry_hour", "thread_waits_or_overflows")),
    Rule("cics_qr_busy_pct", "The QR TCB of a CICS region is busy: quasi-reentrant work can use one processor at most", ">=", 70, "%",
         f'{_CICS} "TCB statistics" {_UNVERIFIED}: above 70% a region nears its capacity',
         measured=(Measured("of_region", "qr_busy_pct", "concat(applid, ' QR')"),)),
    Rule("cics_times_at_mxt", "A CICS region reached MXT: further tasks waited", ">", 0, "times", f'{_CICS} "MXT" {_UNVERIFIED}',
         measured=(Measured("of_region", "times_at_mxt", "applid"),)),
    Rule("cics_short_on_storage", "A storage area of a CICS region was short on storage", ">", 0, "times",
         f'{_CICS} "Short-on-storage conditions" {_UNVERIFIED}', measured=(Measured("of_region", "times_short_on_storage", "applid"),)),
    # Both are printed to a hundredth.
    Rule("crossover_pct", "zIIP-eligible time ran on general processors", ">", 10, "%", _FIELD, 0.5, "% of an engine", {},
         (Measured("cpu_by_class WHERE class_kind IN ('service_class', 'report_class')", "crossover_pct",
                   "concat(replace(class_kind, '_', ' '), ' ', coalesce(report_class, service_class))", "ziip_on_cp_pct",
                   "(ziip_on_cp_pct - 0.005) / nullif(ziip_eligible_normalized_pct + 0.005 * normalization_factor - 0.005, 0) * 100"),)),
    # Work with a velocity goal need not end.
    Rule("performance_index", "A class period missed its goal", ">", 1, "goals",
         f'z/OS MVS Programming: Workload Management Services, SC34-2663-00, topic "Performance Index" {_UNVERIFIED}: above 1 the goal is missed',
         10, "transactions of a response time goal", {},
         (Measured("goal", "performance_index", "concat(coalesce(report_class, service_class), ' period ', period)", "ended_of_response_goal"),)),
    Rule("lpar_capped_pct", "WLM capped the partition: its work waited for processors that were there, and an ITR is that of the cap",
         ">", 0, "% of the interval", f"{_RMF} Partition Data Report, CAPPING {_UNVERIFIED}: share of the time that WLM capped the partition",
         measured=(Measured("of_partition", "capping_wlm_pct", "concat(partition, ' ', processor_type)"),),
         hours=Hours("partition_hour", "capping_wlm_pct")),
    Rule("group_capped_pct", "The limit of a capacity group held the partition back: an ITR of the interval is that of the cap",
         ">", 0, "% of the interval",
         f"{_RMF} Group Capacity Report, CAPPING ACT% {_UNVERIFIED}: share of the time that the cap held the partition back",
         measured=(Measured("group_capacity WHERE is_own", "capping_actual_pct", "concat(capacity_group, ' ', partition)"),)),
    # What is printed in thousands may be up to half of one less.
    Rule("resource_group_pct", "A resource group used what its maximum gives: its work waited for processors that were there",
         ">=", 95, "% of the maximum", _FIELD,
         measured=(Measured("resource_group_use", "use_of_max_pct", "concat_ws(' ', 'resource group', resource_group, 'of ' || system)",
                            least="CASE WHEN limit_basis = 'su_per_s' THEN use_of_max_pct * (1 - su_per_s_resolution / 2 / used) END"),)),
    Rule("machine_busy_pct", "The physical processors of the machine are busy: partitions wait for each other", ">=", 90, "%", _FIELD,
         measured=(Measured("of_partition", "machine_busy_pct", "concat(processor_type, ' of the machine')"),),
         hours=Hours("machine_hour", "physical_busy_pct")),
    Rule("beyond_entitlement_pct", "A partition used far more than its weight gives: it has that only while other partitions leave it",
         ">=", 150, "% of the entitlement", _FIELD, 0.5, "engines beyond it", {},
         (Measured("partition_capacity WHERE is_own AND dedicated IS NOT TRUE", "use_of_entitlement_pct", "concat(partition, ' ', processor_type)",
                   "beyond_entitlement_engines"),),
         Hours("partition_hour", "use_of_entitlement_pct", "beyond_entitlement_engines")),
    Rule("waiting_pct", "Work was ready and its logical processors were not dispatched (MVS BUSY above LPAR BUSY): other partitions or a cap held them",
         ">=", 20, "% of the ready work", _FIELD, 0.5, "engines waiting", {},
         (Measured("dispatch_interval", "waiting_pct", "concat(processor_type, ' of ', system)", "waiting_engines"),),
         Hours("dispatch_hour", "waiting_pct", "waiting_engines")),
    Rule("printed_twice", "The same interval is printed in several sources; it counts once", ">", 1, "sources", "equal keys name the same fact",
         measured=(Measured("printed_again", "sources", "subject"),)),
    Rule("printed_differently", "The same class and interval is printed with different values; the first print counts", ">", 1, "prints",
         "equal keys name the same fact", measured=(Measured("conflicting_intervals", "copies", "subject"),)),
    # Of the runs of studies.
    Rule("no_requests", "A run has no requests: nothing can be stated a request", "<=", 0, "requests", "division by zero"),
    Rule("db2_above_rmf_pct", "Db2 accounts for more CPU per request than the classes that the study charges: a class is missing, or the work is not the same",
         ">", 105, "% of RMF", _A_PART),
    Rule("cics_above_rmf_pct",
         "CICS monitoring has more CPU per request than the classes of the subsystem CICS: a class is missing, or the work is not the same",
         ">", 105, "% of RMF", _A_PART),
    Rule("cics_apart_from_rmf_pct", "CICS statistics and RMF have different CPU of the same address spaces: other regions, or other time", ">", 5, "%",
         "both are the address spaces' TCB and SRB time; 5% for time covered"),
    Rule("covered_off_pct", "The selected intervals cover more or less time than was asked for", ">", 2, "%", "rates are of the covered time"),
)  # fmt: skip


@cache
def rules() -> dict[str, Rule]:
    """The rules by name, with the user's own limits: `limits.toml` of a folder of plugins, spelt as in a study. Raises UsageError for what is none."""
    found = {rule.name: rule for rule in RULES}
    for path in own("limits.toml"):
        try:
            said = tomllib.loads(path.read_text("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeError) as error:
            raise UsageError(f"{path}: {error}", "lines NAME = NUMBER, as cf_changed_pct = 15") from None
        for name, limit in said.items():
            values = limit if isinstance(limit, dict) else {"limit": limit}
            rule = found.get(name)
            if not rule or not values.keys() <= {*rule.may_set} or not all(map(_is_number, values.values())):
                keys = f"NAME = NUMBER, or of {name} {', '.join(rule.may_set)}" if rule else "NAME = NUMBER"
                hint = 'ironlake sql "FROM finding_rule" lists the names'
                raise UsageError(f"{line_with(path, name)}: {name} = {limit!r} sets no limit", keys, hint)
            limits = {"limit": values.pop("limit", rule.limit), "least_size": values.pop("least_size", rule.least_size)}
            found[name] = replace(rule, **limits, by_kind={**rule.by_kind, **values}, source=f"{path.name} of the site")
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def rules_as_sql() -> str:
    """The rules as rows, in SQL."""
    rows = (
        "\n({})".format(
            ", ".join(
                map(
                    _literal,
                    (
                        r.name,
                        r.title,
                        r.comparison,
                        r.limit,
                        *map(r.by_kind.get, _KINDS),
                        r.unit,
                        r.least_size,
                        r.size_unit,
                        r.source,
                    ),
                )
            )
        )
        for r in rules().values()
    )
    columns = (*list(RULE_KEYS.values())[:4], "unit", "least_size", "size_unit", "rule_source")
    return f"(VALUES {', '.join(rows)}) AS listed (rule, title, comparison, {', '.join(columns)})"


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int | float) else "'" + str(value).replace("'", "''") + "'"


def measured_as_sql() -> str:
    """What the rules measure of each interval, in SQL; each relation is read once for all that is measured of it."""
    return " UNION ALL BY NAME ".join(_of_rows(rows, list(found)) for rows, found in _by_rows())


def _by_rows() -> Iterator[tuple[str, Iterator[tuple[Rule, Measured]]]]:
    every = [(rule, one) for rule in rules().values() for one in rule.measured]
    return groupby(sorted(every, key=lambda pair: pair[1].rows), key=lambda pair: pair[1].rows)


def _of_rows(rows: str, found: list[tuple[Rule, Measured]]) -> str:
    columns = {
        "rule": [f"'{rule.name}'" for rule, _ in found],
        "value": [f"CAST({one.value} AS DOUBLE)" for _, one in found],
        "subject": [one.subject for _, one in found],
        "size": [f"CAST({one.size or 'NULL'} AS DOUBLE)" for _, one in found],
        "least_value": [f"CAST({one.least or 'NULL'} AS DOUBLE)" for _, one in found],
        "structure_kind": [f"CAST({one.kind or 'NULL'} AS VARCHAR)" for _, one in found],
    }
    values = ", ".join(
        f"{of[0]} AS {name}" if len(found) == 1 else f"unnest([{', '.join(of)}]) AS {name}"
        for name, of in columns.items()
    )
    names = ["sysplex", "system", "report_kind", "interval_start", "interval_end"]
    # A table has the place of each row in columns of its own, and a scope beside the system where it counts of neither.
    is_table = any(rows.split()[0] == table.name for report in reports().values() for table in report.tables)
    names, refs = (names, ", [ref(source_id, page, line)] AS refs") if is_table else ([*names, "scope", "refs"], "")
    return f"SELECT {values}, COLUMNS(lambda c: list_contains({names}, c)){refs} FROM {rows}"
