"""What counts once: a view `once_<table>` of each table that views take printed facts from, made from the table's declared key.

Equal keys name the same fact, however often it was printed: one row a key, of the first print by source_id and line,
with all prints in `refs`. Rows of XML beside print of the same are left out (print_and_xml); rows of workload pages have
the scope that interval_scope reads them as. Almost all keys are printed once: only the rows of the others, told by a hash
of the key, are sorted.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..declaration.report import PROVENANCE, Table
from .known_tables import tables
from .schema import columns_of, plain_schema

# Not compared: where and how a row was read, and by which release it was printed.
HEADING = (
    *(column.name for column in PROVENANCE),
    *("source_form", "utc_offset_minutes", "release", "report_version", "sysplex", "scope"),
)
_TIMES = ("interval_start", "collected_at", "begin_at")


@dataclass(frozen=True)
class Once:
    """How the prints of a key become one row. Columns are named with blanks between them."""

    compared: str = ""
    """Columns: prints that differ in one are conflicting. Empty: all that is printed."""
    more: str = ""
    """Columns of the key beside the declared ones."""
    less: str = ""
    """Columns that are declared of the key, and do not tell facts apart."""
    where: str = ""
    """Which rows have facts, in SQL."""
    most: str = ""
    """Columns of which the largest print counts."""
    known: str = ""
    """Columns that some prints leave out: the value of the others, NULL where these differ."""
    or_null: bool = False
    """A compared column is NULL where prints differ in it, or in interval_s if that is compared; else as first printed."""


ONCE = {
    # No page of these names its sysplex; systems of two may have one name.
    "rmf_channel_path": Once(
        "interval_s channel_path_type speed busy_pct partition_busy_pct bus_busy_pct read_mb_per_s write_mb_per_s ficon_per_s"
        " ficon_active_avg ficon_deferred_per_s zhpf_per_s zhpf_active_avg zhpf_deferred_per_s",
        more="sysplex",
    ),
    # Of a device in two logical control units one is misprinted.
    "rmf_device": Once(
        "interval_s volume storage_group lcu exposures io_per_s response_ms iosq_ms pend_ms disconnect_ms connect_ms utilization_pct",
        more="sysplex",
        less="lcu",
        where="NOT is_total",
    ),
    "rmf_device_synchronous_io": Once(
        "reads_per_s writes_per_s async_per_s read_ms write_ms",
        more="sysplex",
        where="(reads_per_s IS NOT NULL OR writes_per_s IS NOT NULL)",
    ),
    "rmf_cache_subsystem": Once(
        "interval_s model cache_interval_s requests async_tracks_per_s dfw_bypass delayed_storage", more="sysplex"
    ),
    "rmf_cache_request": Once("reads reads_per_s read_hits writes writes_per_s write_hits", more="sysplex"),
    "rmf_cache_miss": Once("staged_tracks", more="sysplex"),
    "rmf_cache_device": Once(
        "interval_s io_per_s read_pct read_hit_ratio write_hit_ratio stage_per_s async_tracks_per_s",
        more="sysplex is_total volume",
    ),
    "rmf_io_queue": Once(
        "interval_s taken_per_s director_busy_pct control_unit_busy_pct contention_per_s delay_queue_length_avg"
        " channel_subsystem_delay_ms command_response_delay_ms control_unit_busy_delay_ms alias_wait_per_request aliases_max"
        " open_exchanges_avg transfers_avg",
        more="sysplex",
    ),
    "rmf_io_processor": Once(
        "interval_s busy_pct queued_per_s queue_length_avg started_per_s interrupts_per_s retries_per_request",
        more="sysplex",
        where="interval_s > 0",
        most="interval_s",
        or_null=True,
    ),
    "rmf_xcf_system": Once(
        "interval_s buffer_length_bytes requests_out small_pct fit_pct big_pct over_pct all_paths_unavailable rejects",
        more="sysplex",
    ),
    "rmf_cf_usage": Once("total_storage_bytes available_storage_bytes"),
    "rmf_cf_structure_summary": Once("allocated_bytes directory_reclaims directory_reclaim_cross_invalidations"),
    "rmf_cf_structure_activity": Once(
        "interval_s structure_type status requests requests_per_s sync_requests sync_service_us sync_service_stddev_us"
        " async_requests async_service_us async_service_stddev_us changed_requests contention_requests contention_deferred"
        " contention_total contention_false"
    ),
    "rmf_cf_subchannel_activity": Once(
        "interval_s link_1_type link_1_generated link_1_used link_2_type link_2_generated link_2_used link_3_type"
        " link_3_generated link_3_used link_4_type link_4_generated link_4_used requests requests_per_s sync_requests"
        " sync_service_us async_requests async_service_us changed_requests unsuccessful_requests path_busy"
        " delayed_total_pct delayed_list_cache_pct delayed_lock_pct"
    ),
    "cics_tcb_time": Once("interval_s waits wait_time_s dispatch_time_s cpu_time_s dispatcher_cpu_time_s"),
    "cics_db2entry_request": Once(
        "interval_s calls commits aborts single_phase thread_creates thread_reuses thread_waits_or_overflows"
    ),
    "cics_server_pool": Once(),
    "cics_server_access": Once(),
    # Of what CPU Activity prints, and where a partition used what, a value in which prints differ is unknown.
    "rmf_cpu_activity": Once(
        "online_pct lpar_busy_pct mvs_busy_pct parked_pct logical_share_pct hiperdispatch",
        more="is_total",
        most="interval_s polarization",
        or_null=True,
    ),
    "rmf_multithreading": Once(
        "capacity_factor capacity_factor_max",
        where="threads_per_core IS NOT NULL",
        most="threads_per_core",
        or_null=True,
    ),
    "rmf_address_space_count": Once(
        "in_ready_avg in_ready_max in_avg batch_avg stc_avg tso_avg omvs_avg", or_null=True
    ),
    "rmf_work_unit_queue": Once("samples_pct", or_null=True),
    "rmf_work_unit": Once("work_units_avg", known="processors_unparked_avg", or_null=True),
    "rmf_blocked_workload": Once("waiters_avg waiters_peak promotes_used_pct", or_null=True),
    "rmf_group_capacity": Once(
        "member_system capacity_group_limit capacity_group_available msu_defined msu_used weight msu_entitled_min"
        " msu_entitled_max capping_wlm_pct capping_actual_pct",
        most="interval_s",
        or_null=True,
    ),
    # It declares no key: its members have names that may be missing.
    "rmf_resource_group": Once(
        "description cpus msu su_per_s su_per_s_resolution capacity_min capacity_max capacity_unit memory_usage_bytes memory_limit",
        more="sysplex scope report_kind interval_start interval_end policy_activated_at resource_group system class_name",
        where="resource_group IS NOT NULL",
        most="interval_s",
        or_null=True,
    ),
    "rmf_partition_data": Once(
        "interval_s mvs_partition weight dedicated logical_processors total_dispatch capped initial_capping"
        " lpar_hardware_capping hardware_group_capping capping_wlm_pct weight_changed logical_processors_changed"
        " physical_processors_cp physical_processors_iip physical_processors_aap physical_processors_ifl physical_processors_icf"
    ),
    "db2_statistics_counter": Once(
        "quantity null_reason per_second sent received value_text tcb_time_s preemptable_srb_time_s"
        " nonpreemptable_srb_time_s cp_cpu_time_s preemptable_iip_srb_time_s",
        where="is_total IS NOT TRUE",
    ),
    "db2_accounting_counter": Once(
        "average total appl_class_1 db2_class_2 package_class_7 average_time_s average_events elapsed_time_s events value"
        " value_text null_reason",
        where="is_total IS NOT TRUE",
    ),
    "rmf_workload_activity": Once(),
    "rmf_workload_goal": Once(
        "goal_type goal_s goal_pct actual_s actual_pct velocity_pct performance_index", most="is_total"
    ),
    "rmf_workload_delay": Once("pct"),
    "rmf_response_time_distribution": Once("transactions transactions_cumulative"),
}


def once_views() -> dict[str, str]:
    """The texts of the views, by name."""
    return {f"once_{name}": once_view(tables()[name], once) for name, once in ONCE.items()}


def once_view(table: Table, once: Once) -> str:
    """The text of the view of a table: header and SELECT."""
    key = _key(table, once)
    differing = "What they differ in is NULL." if once.or_null else "What they differ in is as first printed."
    header = [
        f"Grain: {table.grain}, however often it was printed.",
        f"All columns of {table.name}. Rows of XML beside print are left out.",
        f"Key: {', '.join(key)}.",
        f"Compared: {', '.join(once.compared.split()) or 'all that is printed'}. {differing}",
        *(f"Shards: by {name} (overlapping intervals only)." for name in _TIMES if name in key),
    ]
    return "".join(f"-- {line}\n" for line in header) + f"{select_once(table, once)};\n"


def once_columns(table: Table) -> str:
    """The columns of the view, for a statement: where nothing is printed there is nothing to plan."""
    refs = "STRUCT(source_id VARCHAR, page BIGINT, line BIGINT)[]"
    return f'{columns_of(plain_schema(table))}, "is_conflicting" BOOLEAN, "refs" {refs}'


def select_once(table: Table, once: Once) -> str:
    """The SELECT of the view."""
    name_of = {name: f"printed.{name}" for name in table.schema.names}
    rows = f"counted('{table.name}')" if "source_form" in name_of else f"{table.name} AS printed"
    where = f" WHERE {once.where}" if once.where else ""
    key, fact = _key(table, once), fact_of(table, _key(table, once))
    repeated = f"SELECT {fact} AS fact FROM {rows}{where} GROUP BY fact HAVING count(*) > 1"
    compared = once.compared.split() or [name for name in name_of if name not in {*key, *HEADING}]
    values = f"hash({', '.join(name_of[name] for name in compared)})"
    instead = {}
    if is_of_workload(table):
        rows += " LEFT JOIN interval_scope AS wider ON is_scope_of(wider, printed)"
        name_of["scope"] = instead["scope"] = "coalesce(wider.scope, printed.scope)"
    settled = {}
    if once.or_null:
        # Prints of other lengths agree in nothing, where lengths are compared.
        length = "interval_s, " if "interval_s" in compared else ""
        agreed = f"CASE WHEN min(hash({length}{{0}})) OVER copies = max(hash({length}{{0}})) OVER copies THEN {{0}} END"
        settled |= {name: agreed.format(name_of[name]) for name in compared}
    known = "CASE WHEN min({0}) OVER copies = max({0}) OVER copies THEN min({0}) OVER copies END"
    settled |= {name: known.format(name_of[name]) for name in once.known.split()}
    settled |= {name: f"max({name_of[name]}) OVER copies" for name in once.most.split()}
    return f"""\
WITH repeated AS MATERIALIZED ({repeated})
SELECT {_star(instead)}, FALSE AS is_conflicting, [ref(source_id, page, line)] AS refs
FROM {rows}
ANTI JOIN repeated ON fact = {fact}{where}
UNION ALL
SELECT
    {_star(instead | settled)},
    min({values}) OVER copies <> max({values}) OVER copies AS is_conflicting,
    list(ref(source_id, page, line)) OVER copies AS refs
FROM {rows}
SEMI JOIN repeated ON fact = {fact}{where}
WINDOW copies AS (
    PARTITION BY {", ".join(name_of[name] for name in key)}
    ORDER BY source_id, line
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
)
QUALIFY row_number() OVER copies = 1"""


def fact_of(table: Table, key: list[str]) -> str:
    """The hash that keys are told by; those that share one by chance, or differ in scope alone, are told apart later."""
    return f"hash({', '.join(f'printed.{name}' for name in key if name != 'scope' or not is_of_workload(table))})"


def is_of_workload(table: Table) -> bool:
    """Whether its rows have a scope that interval_scope may read as a wider one."""
    return {"scope", "policy_activated_at"} <= set(table.key)


def _key(table: Table, once: Once) -> list[str]:
    return [name for name in table.key if name not in once.less.split()] + once.more.split()


def _star(instead: dict[str, str]) -> str:
    values = ", ".join(f"{value} AS {name}" for name, value in instead.items())
    return f"printed.* REPLACE ({values})" if values else "printed.*"
