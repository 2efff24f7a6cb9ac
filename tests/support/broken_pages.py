"""Sample pages with one printed value changed, the rule that each breaks, and what the judge of rules finds on a page."""

from __future__ import annotations

import re
from typing import Any

from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.declaration.report import Column, Table, count, percent, text
from ironlake.pipeline.quality.check_batch import check_batch
from ironlake.pipeline.reading import engine
from sample_pages import OPTIONS

Finding = dict[str, Any]


def with_number(line: str, place: int, number: str) -> str:
    """The line with another number in one of its columns, counted from 0, which end where they ended."""
    end = [match.end() for match in re.finditer(r"[\d.]+", line)][place]
    return line[: end - len(number)] + number + line[end:]


def findings(name: str, page: str | bytes, options: Options | None = None) -> list[Finding]:
    data = page if isinstance(page, bytes) else page.encode()
    options = options or OPTIONS.get(name, Options())
    parsed = engine.parse([engine.canonical_segment(data, name, options)], options)
    results = check_batch(parsed.tables, parsed.unread_pages)
    return results.to_pylist() if results is not None else []


# Rule, sample page, what is printed there, and what is printed in its place.
PERIODS, DISTRIBUTION, IMPORTANCE = "g2_periods_of_a_class", "g1_tso_two_periods", "importance_summary"
STRUCTURE, LOCK, USAGE = ("cf_structure_continued_page_and_links", "cf_structures_asa_carriage_control", "cf_usage_summary")  # fmt: skip
CF = "cf_processors_and_subchannels"
SPACES, QUEUE = "cpu_analysis_parts_on_pages_of_their_own", "cpu_v2r4_work_unit_queue"
GROUP = "group_capacity_two_groups"
LEAST = " MIN         2      61       0        1         0         77         4      112       9       1        2"
AVERAGE = " AVG       3.7    62.8     0.1      1.4       0.0       98.2       5.5    133.1    10.1     1.0      2.9"
CPU, PARTITION, XCF = "cpu_changed_within_duration", "partition_three_types", "xcf_usage_side_by_side"
ENTRIES, DB2, RUN = "cics_entries_among_other_sections", "statistics_member_report", "simulator_run"
DEVICES, QUEUES, CHANNELS = "device_lcu_totals", "ioq_all_parts", "chan_all_kinds_of_channels"
GROUPS, MEMORY = "chan_managed_groups", "cf_storage_class_memory"
CACHE, CACHED = "cache_bypass_and_offline", "rmf_cache_request."
REGION, SUMMARY, TASKS, SERVERS = "cics_region", "summary_default_columns", "list_of_tasks", "servers_of_three_kinds"
EQUATIONS, SHARING = "statistics_equations_of_db2pm", "statistics_data_sharing_locking"
TIMES, LONG, PACKAGES = "accounting_times_of_all_parts", "accounting_long_report", "accounting_long_packages"
SHORT, TRACE = "accounting_short_report", "accounting_short_trace"
ACTIVITY, ACCOUNTING = "rmf_workload_activity.", "db2_accounting_counter."
CHANGED = [
    (ACTIVITY + "service_adds_up", PERIODS, "TOT     23017K", "TOT     23071K"),
    (ACTIVITY + "service_rate", PERIODS, "/SEC    25574", "/SEC    25754"),
    (ACTIVITY + "ended_rate", PERIODS, "END/S     2.16", "END/S     2.61"),
    (ACTIVITY + "iip_share_of_the_interval", PERIODS, "IIP     3.58", "IIP     3.85"),
    (ACTIVITY + "aap_share_of_the_interval", PERIODS, "AAP    0.000", "AAP    9.000"),
    (ACTIVITY + "cp_share_of_the_interval", PERIODS, "CP     45.71", "CP     54.71"),
    (ACTIVITY + "eligible_time_is_within_cp", PERIODS, "IIPCP   0.46", "IIPCP  60.46"),
    (ACTIVITY + "promoted_time_is_within_cpu_time", PERIODS, "LCK    0.000", "LCK  900.000"),
    (ACTIVITY + "periods_add_up_to_their_class", PERIODS, "ENDED     1844", "ENDED     1884"),
    ("rmf_workload_goal.response_time_of_all_systems", DISTRIBUTION, "ACTUALS 00.00.00.091", "ACTUALS 00.00.00.019"),
    ("rmf_response_time_distribution.buckets_add_up", DISTRIBUTION, "288              3423", "288              3432"),
    ("rmf_response_time_distribution.bucket_share", DISTRIBUTION, "15.0    87.0", "51.0    87.0"),
    ("rmf_response_time_distribution.cumulative_share", DISTRIBUTION, "28.2    72.6", "28.2    76.2"),
    ("rmf_response_time_distribution.buckets_add_up_to_ended", DISTRIBUTION, "ENDED      3603", "ENDED      3630"),
    ("rmf_workload_importance.total_is_the_sum_of_its_rows", IMPORTANCE, "7520      94", "7250      94"),
    ("rmf_cf_structure_summary.requests_per_s_of_the_interval", USAGE, "1452.2", "1542.2"),
    ("rmf_cf_structure_summary.totals_are_the_sum_of_their_rows", USAGE, "20748K", "27048K"),
    ("rmf_cf_structure_summary.share_of_all_requests", USAGE, "76.5    41.8", "75.6    41.8"),
    ("rmf_cf_structure_summary.list_directory_entries_in_use_are_within_the_total", USAGE, "15360     30720", "    9     30720"),
    ("rmf_cf_structure_summary.data_elements_in_use_are_within_the_total", USAGE, "15360     30720", "15360        30"),
    ("rmf_cf_structure_summary.lock_entries_in_use_are_within_the_total", USAGE, "16777K", "16777 "),
    ("rmf_cf_usage.storage_adds_up", CF, "18555M", "15855M"),
    ("rmf_cf_structure_activity.requests_add_up", STRUCTURE, "SYSC     41255", "SYSC     42155"),
    ("rmf_cf_structure_activity.requests_per_s_of_the_interval", STRUCTURE, "22.92", "29.22"),
    ("rmf_cf_structure_activity.changed_are_within_asynchronous", STRUCTURE, "ASYNC  344", "ASYNC    4"),
    ("rmf_cf_structure_activity.false_contention_is_contention", LOCK, "FALSE CONT  15029", "FALSE CONT  45029"),
    ("rmf_cf_structure_activity.contentions_were_deferred", LOCK, "-CONT        40316", "-CONT        43016"),
    ("rmf_cf_structure_activity.deferred_are_requests", LOCK, "REQ TOTAL    11024K", "REQ TOTAL    11024 "),
    ("rmf_cf_structure_activity.total_is_the_sum_of_its_systems", STRUCTURE, "TOTAL    66760", "TOTAL    67660"),
    ("rmf_cf_structure_activity.total_rate_is_the_sum_of_its_systems", STRUCTURE, "37.09", "37.90"),
    ("rmf_cf_structure_activity.sync_share_of_all", STRUCTURE, "SYNC 40911    61.3", "SYNC 40911    63.1"),
    ("rmf_cf_structure_activity.async_share_of_all", STRUCTURE, "ASYNC  344     0.5", "ASYNC  344     5.0"),
    ("rmf_cf_structure_activity.changed_share_of_all", STRUCTURE, "CHNGD   12     0.0", "CHNGD   12     0.6"),
    ("rmf_cf_structure_activity.suppressed_share_of_all", STRUCTURE, "SUPPR    0     0.0", "SUPPR    0     0.9"),
    ("rmf_cf_subchannel_activity.requests_per_s_of_the_interval", CF, "5057.8", "5507.8"),
    ("rmf_cf_to_cf.sync_requests_per_s_of_the_interval", STRUCTURE, "11691", "16191"),
    ("rmf_cf_to_cf.delayed_share_of_the_requests", STRUCTURE, "17K   0.1", "17K   1.0"),
    ("rmf_cpu_activity.total_is_the_average_of_its_processors", CPU, "23.80", "28.30"),
    ("rmf_cpu_activity.total_is_the_sum_of_its_processors", CPU, "21.87   137.5", "21.87   173.5"),
    ("rmf_cpu_activity.utilization_is_busy_times_productivity", CPU, "46.58", "48.56"),
    ("rmf_cpu_activity.specialty_engines_take_no_interrupts", CPU, "37.5  MED", "37.5  MED    12.41     8.07"),
    # Each least number above its average, and each average above its greatest, on a page of its own.
    *(
        (f"rmf_address_space_count.{queue}_{rule}", SPACES, printed, with_number(printed, place, number))
        for place, queue in enumerate(
            (*("in_ready", "in", "out_ready", "out_wait", "logical_out_ready", "logical_out_wait"), *("batch", "stc", "tso", "asch", "omvs"))
        )
        for rule, printed, number in (("min_is_at_most_avg", LEAST, "999"), ("avg_is_at_most_max", AVERAGE, "999.9"))
    ),
    ("rmf_work_unit.work_units_min_is_at_most_avg", QUEUE, "38     4.6", "38     0.6"),
    ("rmf_work_unit.work_units_avg_is_at_most_max", QUEUE, "38     4.6", " 4     4.6"),
    ("rmf_work_unit_queue.buckets_add_up", QUEUE, "71.4", "70.4"),
    ("rmf_group_capacity.total_weight_is_the_sum_of_its_rows", GROUP, "882  1200", "882  1020"),
    ("rmf_group_capacity.total_msu_is_the_sum_of_its_rows", GROUP, "882  1200", "828  1200"),
    ("rmf_group_capacity.capping_limits_at_most_while_it_is_on", GROUP, "41    38", "31    38"),
    ("rmf_group_capacity.least_entitlement_is_at_most_the_greatest", GROUP, "225     250", "252     250"),
    ("rmf_cf_storage_class_memory.list_entries_in_storage_class_memory_are_within_the_maximum", MEMORY, "2097K    106K", "2097K    601M"),
    ("rmf_cf_storage_class_memory.list_elements_in_storage_class_memory_are_within_the_maximum", MEMORY, "4194K    219K", "4194K    921M"),
    ("rmf_channel_path.the_partition_is_within_busy_pct", CHANNELS, "4.61  22.18", "46.1  22.18"),
    ("rmf_channel_path.the_partition_is_within_read_mb_per_s", CHANNELS, "1.20   9.84", "12.0   9.84"),
    ("rmf_channel_path.the_partition_is_within_write_mb_per_s", CHANNELS, "0.77   6.02", "7.70   6.02"),
    ("rmf_channel_path_group.the_partition_is_within_busy_pct", GROUPS, "1.04   5.77", "10.4   5.77"),
    ("rmf_channel_path_group.the_partition_is_within_read_mb_per_s", GROUPS, "0.30   1.41", "3.00   1.41"),
    ("rmf_channel_path_group.the_partition_is_within_write_mb_per_s", GROUPS, "0.21   0.98", "2.10   0.98"),
    ("rmf_cache_subsystem.cache_requests_are_requests", CACHE, "73407", "83407"),
    ("rmf_cache_subsystem.available_is_within_configured", CACHE, "2704.5M", "4704.5M"),
    (CACHED + "total_requests_are_the_sum_of_their_rows", CACHE, "57425    63.8", "57452    63.8"),
    (CACHED + "rate_of_reads", CACHE, "48211    53.6", "48211    56.3"),
    (CACHED + "rate_of_read_hits", CACHE, "45310    50.3", "45310    53.0"),
    (CACHED + "rate_of_writes", CACHE, "12876    14.3     12876", "12876    13.4     12876"),
    (CACHED + "rate_of_fast_writes", CACHE, "12876    14.3     12803", "12876    13.4     12803"),
    (CACHED + "rate_of_write_hits", CACHE, "12803    14.2", "12803    12.4"),
    (CACHED + "read_hits_are_reads", CACHE, "45310    50.3", "54310    50.3"),
    (CACHED + "write_hits_are_writes", CACHE, "12803    14.2", "13803    14.2"),
    (CACHED + "fast_writes_are_writes", CACHE, "12876    14.3     12803", "13876    14.3     12803"),
    (CACHED + "read_hit_ratio_is_hits_of_requests", CACHE, "50.3   0.940", "50.3   0.904"),
    (CACHED + "write_hit_ratio_is_hits_of_requests", CACHE, "14.2   0.994", "14.2   0.949"),
    ("rmf_cache_miss.rate_of_read_misses", CACHE, "2901     3.2", "2901     2.3"),
    ("rmf_cache_miss.rate_of_write_misses", CACHE, "73     0.1", "73     1.0"),
    ("rmf_cache_miss.rate_of_staged_tracks", CACHE, "3020     3.4", "3020     4.3"),
    ("rmf_cache_device.all_rates_are_the_sum_of_their_rows", CACHE, "100.0    81.7", "100.0    87.1"),
    ("rmf_cache_device.hits_are_within_requests", CACHE, "37.9    9.8", "47.9    9.8"),
    ("rmf_device.response_time_adds_up", DEVICES, ".377 .193", ".733 .193"),
    ("rmf_device.delays_are_within_pending", DEVICES, ".883 .112 .034", ".883 .112 .340"),
    ("rmf_device.connect_is_within_utilization", DEVICES, "1.85   5.47", "8.15   5.47"),
    ("rmf_io_processor.total_rates_are_the_sum_of_their_rows", QUEUES, "6416.9", "6461.9"),
    ("rmf_io_queue.paths_taken_add_up", QUEUES, "921.33", "912.33"),
    ("rmf_io_queue.transfers_are_open_exchanges", QUEUES, "2.41  1.87", "1.41  1.87"),
    ("rmf_partition_data.total_dispatch_is_the_sum_of_its_rows", PARTITION, "01.09.41.538", "01.09.14.538"),
    ("rmf_partition_data.total_shares_are_the_sum_of_their_rows", PARTITION, "45.41 46.47", "45.41 47.46"),
    ("rmf_partition_data.msu_are_those_of_general_processors", PARTITION, "700               N N N", "700         812   N N N"),
    ("rmf_partition_data.effective_is_within_total", PARTITION, "00.15.25.010", "00.15.52.010"),
    ("rmf_xcf_system.total_is_the_sum_of_its_rows", XCF, "1231349", "1231394"),
    ("rmf_xcf_system.message_sizes_add_up", XCF, "1150910    0   99    1", "1150910    0   79    1"),
    ("cics_db2entry_request.totals_are_the_sum_of_their_rows", ENTRIES, "*TOTALS*    152060", "*TOTALS*    150260"),
    ("cics_db2entry_performance.totals_are_the_sum_of_their_rows", ENTRIES, "17366", "17636"),
    ("cics_transaction_manager.peak_of_tasks_at_most_mxt", REGION, ".: 88\n Total", ".: 188\n Total"),
    ("cics_transaction_manager.user_tasks_at_most_all_tasks", REGION, ": 27553", ": 27653"),
    ("cics_tcb_mode.totals_are_the_sum_of_their_modes", REGION, "Totals                       15", "Totals                       51"),
    ("cics_tcb_mode.tcbs_in_use_at_most_attached", REGION, "31        12", "31        21"),
    ("cics_tcb_time.totals_are_the_sum_of_their_modes_of_time", REGION, "274521", "275421"),
    ("cics_tcb_time.cpu_at_most_dispatch_time", REGION, "000-00:45:10.50001", "000-00:54:10.50001"),
    ("cics_transaction.totals_are_the_sum_of_their_transactions", REGION, "27553        2", "27535        2"),
    ("cics_transaction.abends_at_most_attaches", REGION, "        7\n", "    99997\n"),
    (
        "cics_transaction_class.totals_are_the_sum_of_their_classes",
        REGION,
        "*TOTALS*                          18433",
        "*TOTALS*                          18343",
    ),
    ("cics_transaction_class.accepted_at_most_attaches", REGION, "18421       0      12", "18421    9000      12"),
    ("cics_storage.dsa_total_at_most_its_limit", REGION, ": 1536K\n Current EDSA", ": 6536K\n Current EDSA"),
    ("cics_storage.edsa_total_at_most_its_limit", REGION, ": 40960K\n MEMLIMIT", ": 940960K\n MEMLIMIT"),
    ("cics_server_pool.entries_in_use_and_free_are_all", SERVERS, "84210     21052", "84210     21152"),
    ("cics_server_pool.elements_in_use_and_free_are_all", SERVERS, "96000     24000", "96000     24500"),
    ("cics_server_pool.lists_used_at_most_all", SERVERS, "120       140", "120      1140"),
    ("cics_server_pool.entries_used_at_most_all", SERVERS, "21052     25263", "21052     95263"),
    ("cics_server_pool.elements_used_at_most_all", SERVERS, "24000     28800", "24000     98800"),
    ("cics_monitoring_summary.response_is_dispatch_and_suspend", SUMMARY, "6.2078   9.1030", "6.7028   9.1030"),
    ("cics_monitoring_summary.parts_of_dispatch_s", SUMMARY, ".1615    .0101", ".1615    .1701"),
    ("cics_monitoring_summary.parts_of_suspend_s", SUMMARY, "9.0022    .0007", "9.0022   7.0007"),
    ("cics_monitoring_summary.parts_of_cpu_s", "summary_delays_and_tcbs", ".0010    .0066", ".0100    .0066"),
    ("cics_monitoring_summary.tasks_of_all_transactions", SUMMARY, "27555", "25755"),
    ("cics_monitoring_task.response_is_dispatch_and_suspend", TASKS, "10.5089    .5042", "15.0089    .5042"),
    ("cics_monitoring_task.parts_of_dispatch_s", TASKS, ".5042    .4001", ".5042    .5401"),
    ("cics_monitoring_task.parts_of_suspend_s", TASKS, "10.0047    .0000", "10.0047  20.0000"),
    ("cics_monitoring_task.parts_of_cpu_s", "list_of_delays_and_tcbs", ".0012    .0080", ".0210    .0080"),
    ("db2_statistics_counter.rate_of_the_interval", DB2, "21404.00    23.78", "21404.00    27.38"),
    ("db2_statistics_counter.rate_of_the_interval_in_minutes", "statistics_minutes_of_db2pm", "20.00  1200.00", "20.00  1020.00"),
    ("db2_statistics_counter.reads_add_up", EQUATIONS, "429", "492"),
    ("db2_statistics_counter.cross_invalidation_share", EQUATIONS, "12%", "21%"),
    ("db2_statistics_counter.not_found_share", EQUATIONS, "88%", "78%"),
    ("db2_statistics_counter.read_hit_percentage", EQUATIONS, "13%", "31%"),
    ("db2_statistics_counter.shared_interest_share", EQUATIONS, "81%", "82%"),
    ("db2_statistics_counter.no_interest_share", EQUATIONS, "6%", "9%"),
    ("db2_statistics_counter.global_contention_rate", SHARING, "0.23\n", "0.25\n"),
    ("db2_statistics_counter.false_contention_rate", SHARING, "0.05\n", "0.07\n"),
    ("db2_statistics_counter.suspensions_add_up", DB2, "SUSPENSIONS (ALL)            2107", "SUSPENSIONS (ALL)            2701"),
    ("db2_statistics_counter.processor_time_adds_up", "statistics_blocks_without_quantity", "0.297447", "0.279447"),
    (ACCOUNTING + "elapsed_time_adds_up", TIMES, "STORED PROC    0.000900", "STORED PROC    0.009000"),
    (ACCOUNTING + "processor_time_adds_up", TIMES, "PAR.TASKS      0.000310", "PAR.TASKS      0.000301"),
    (ACCOUNTING + "agent_time_adds_up", TIMES, "UDF           0.000020", "UDF           0.000200"),
    (ACCOUNTING + "specialty_engine_time_adds_up", TIMES, "TRIGGER        0.000005", "TRIGGER        0.000050"),
    (ACCOUNTING + "class_2_is_within_class_1", LONG, "0.051208    0.040117", "0.015208    0.040117"),
    (ACCOUNTING + "class_2_average_elapsed_is_within_class_1", SHORT, "0.051208       0.04", "0.015208       0.04"),
    (ACCOUNTING + "class_2_average_processor_is_within_class_1", SHORT, "0.006991", "0.009691"),
    (ACCOUNTING + "class_2_elapsed_is_within_class_1", TRACE, "4.010000      3.2", "1.040000      3.2"),
    (ACCOUNTING + "class_2_processor_is_within_class_1", TRACE, "0.101400", "0.141400"),
    (ACCOUNTING + "lock_and_latch_suspensions_add_up", LONG, " 0.000038", " 0.000083"),
    (ACCOUNTING + "lock_and_latch_suspensions_of_a_package_add_up", PACKAGES, " 0.000038", " 0.000083"),
    (ACCOUNTING + "synchronous_io_suspensions_add_up", LONG, "0.003593      1.00", "0.003593      2.00"),
    (ACCOUNTING + "suspensions_are_within_class_3", LONG, "0.030117     11.81", "0.030117      8.11"),
    (ACCOUNTING + "suspend_time_is_class_3", LONG, "0.000000    0.030117", "0.000000    0.031017"),
    (ACCOUNTING + "time_per_event", TIMES, "0.001845", "0.001485"),
    (ACCOUNTING + "time_per_event_of_a_trace", TIMES, "0.000075", "0.000750"),
    (ACCOUNTING + "synchronous_io_average", LONG, "0.002596", "0.002569"),
    (ACCOUNTING + "total_is_the_average_of_its_occurrences", LONG, "61183", "61138"),
    (ACCOUNTING + "hit_ratio_of_the_pages_read_average", TIMES, "96.41", "94.61"),
    (ACCOUNTING + "hit_ratio_of_the_pages_read_total", TIMES, "(%)          96 ", "(%)          69 "),
    ("workload_simulator_run.page_elements_rate_of_the_run", RUN, "1390.901 /s", "1930.901 /s"),
    ("workload_simulator_run.transactions_rate_of_the_run", RUN, "Transactions = 63286", "Transactions = 68236"),
    ("workload_simulator_run.pages_rate_of_the_run", RUN, "pages retrieved = 253140", "pages retrieved = 235140"),
]  # fmt: skip
SHARES = Table(
    "shares",
    grain="one row a made-up share",
    rows=(),
    columns=(
        Column("share_pct", percent(), doc="A share."),
        Column("kind", text(), doc="Its kind.", allowed=("interval", "duration")),
        Column("period", count(), doc="Its period.", nullable=False, minimum=1),
    ),
)
