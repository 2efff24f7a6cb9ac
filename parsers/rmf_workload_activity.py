"""RMF Workload Activity (Postprocessor, goal mode). Grain: one row per interval and class or class period.

Source: IBM z/OS RMF Report Analysis, "WLMGL - Workload Activity report"; releases MVS/ESA 5.1, z/OS V1R6 to V2R2
(nine-row block) and V2R3 and later (two stacked blocks). Not parsed: the bar graph of a response time distribution,
which repeats its percentages, and the names below SERVICE CLASSES BEING SERVED. In XML: classes, workloads and the service
policy, by names from public code; no document is published (_rmf_workload_xml.py).
"""

from ..pipeline.declaration.layouts import Columns, LabelledBlock, Panels
from ..pipeline.declaration.once import Once
from ..pipeline.declaration.places import Cell, Constant, Field, Occurrence, Parsed, Place, Spread, Under
from ..pipeline.declaration.report import (
    Column,
    Report,
    Table,
    bound,
    clock,
    count,
    engine_percent,
    flag,
    milliseconds,
    number,
    per_second,
    percent,
    seconds,
    text,
)
from . import _rmf_workload_xml as xml
from . import _smf_workload as smf
from ._rmf import UNREAD_PARTS
from ._rmf_service_policy import POLICY, POLICY_SYSTEM, RESOURCE_GROUP
from ._rmf_workload_class import CLASS, CLASS_TEXT, CRITICAL, GOAL, GOAL_TYPES, columns_of_class
from ._rmf_workload_rules import ACTIVITY_RULES, DISTRIBUTION_RULES, GOAL_RULES, IMPORTANCE_RULES, KEY
from ._smf import in_records


def _attribute(pattern: str) -> tuple[Field, ...]:
    """A field on one of the lines below the class header, depending on the release. The same words in a description mean nothing."""
    return tuple(Field(kind, pattern) for kind in ("CRITICAL_LINE", "ATTRIBUTE_LINE"))


def _transaction_appl() -> tuple[Column, ...]:
    """TRANSACTION APPL% by category: below the block until V2R2, one of its column groups since V2R3. A value that fills its field touches the
    label before it, so a value is everything between two labels."""
    categories = (("total", "TOTAL"), ("mobile", "MOBILE"), ("category_a", "CATEGORYA"), ("category_b", "CATEGORYB"))
    parts = (
        ("cp", "CP", r": *CP *([^A ].*?|) *(?:AAP/IIP|$)", "on general processors"),
        (
            "on_cp",
            "IIPCP/AAPCP",
            r"AAP/IIP *ON *CP *([^A ].*?|) *(?:AAP/IIP|$)",
            "eligible for a specialty engine, on general processors",
        ),
        ("ziip", "IIP/AAP", r"AAP/IIP *([^O ].*?|) *$", "on specialty engines"),
    )
    columns = []
    for name, label in categories:
        for part, under, pattern, words in parts:
            line = f"TRANSACTION_APPL_{name.upper()}"
            at = (Cell("TRANS-APPL%", label, under), Field(line, pattern, follows=True))
            doc = f"TRANSACTION APPL%, {label}: time {words}."
            columns.append(Column(f"transaction_appl_{name}_{part}_pct", engine_percent(), at, doc, decimals=2))
    return tuple(columns)


_ZERO = Constant(0, ("ALL_DATA_ZERO",))


def _groups(groups: tuple[str, ...], label: str | tuple[str, ...]) -> tuple[Place, ...]:
    """A cell by any of its group titles and labels; 0 if ALL DATA ZERO replaces the block."""
    labels = (label,) if isinstance(label, str) else label
    return (*(Cell(group, one) for group in groups for one in labels), _ZERO)


_TRANSACTIONS = ("TRANSACTIONS",)
_TIME = ("TRANS-TIME", "TRANS.-TIME", "TRANSACTION TIME")
_DASD = ("DASD I/O",)
_SERVICE = ("SERVICE", "INTERVAL SERVICE")
_RATES = ("SERVICE", "SERVICE RATES")
# Until z/OS 1.5 times are among the rates; their own group is first called SERVICE TIMES (field knowledge).
_SERVICE_TIME = ("SERVICE TIME", "SERVICE TIMES")
# Some of the first releases with specialty engines print these among the times, zAAPs as IFA (field knowledge).
_APPL_AMONG_TIMES = {
    "CP": ("CP",),
    "AAPCP": ("AAPCP", "IFACP"),
    "IIPCP": ("IIPCP",),
    "AAP": ("AAP", "IFA"),
    "IIP": ("IIP",),
}
_PROMOTED = ("PROMOTED",)
_STORAGE = ("STORAGE",)
_PAGE_IN = ("PAGE-IN RATES",)


def _service_time(label: str, older: str = "") -> tuple[Place, ...]:
    """Seconds of one kind of time; `older`: its labels in older releases."""
    older_cells = (Cell(group, one) for group in ("SERVICE TIMES", "SERVICE RATES") for one in (label, older) if one)
    return (Cell("SERVICE TIME", label, decimals=3), *older_cells, _ZERO)


def _appl(name: str, label: str, doc: str, *older: str) -> Column:
    """APPL % by kind of engine; `older`: labels among the SERVICE RATES, for releases with one value."""
    among_times = tuple(Cell("SERVICE TIMES", f"APPL% {one}") for one in _APPL_AMONG_TIMES[label])
    rates = tuple(Cell("SERVICE RATES", one) for one in older)
    # Among rates and times one decimal is printed.
    return Column(name, engine_percent(), (Cell("APPL %", label, decimals=2), *rates, *among_times, _ZERO), doc)


# fmt: off
ACTIVITY = Table(
    "rmf_workload_activity",
    role="classes",
    grain="one row per class or class period and interval",
    rows=("BLOCK_HEAD", "ALL_DATA_ZERO", xml.CLASS_TITLE),
    key=KEY,
    rules=ACTIVITY_RULES,
    columns=in_records(smf.ACTIVITY, xml.in_xml(xml.ACTIVITY, (
        *columns_of_class(xml_rows=(xml.CLASS_TITLE,), in_smf=True),
        Column("tenant", text(), Parsed(CLASS), "Tenant of a tenant report class."),
        Column("resource_group", text(), Parsed(CLASS), "Resource group; NULL for *NONE."),
        Column("importance", count(), Parsed(CLASS), "Importance, 1 the highest (MVS/ESA prints words).", maximum=6),
        Column("importance_printed", text(), Parsed(CLASS), "Importance as printed."),
        Column("critical", text(), Parsed(CRITICAL, "critical"), "NONE, CPU, STORAGE or CPU+STORAGE."),
        Column("io_priority_group", text(), _attribute(r"I/O PRIORITY GROUP *= ?(\S+)"), "I/O priority group."),
        Column("honor_priority", text(), _attribute(r"HONOR ?PRIORITY *= ?(\S+)"), "HONOR PRIORITY of the class."),
        Column(
            "goal_derived_from",
            text(),
            Field("ATTRIBUTE_LINE", r"GOAL DERIVED FROM SERVICE CLASS +(\S+)"),
            "Service class of a homogeneous report class, whose goal is shown.",
        ),
        Column(
            "description",
            text(),
            (Field("DESCRIPTION_LINE", r"DESCRIPTION *= ?(.*\S)"), Parsed(CLASS_TEXT, "description")),
            "Description of the class.",
        ),
        Column("all_data_zero", flag(), Constant(True, ("ALL_DATA_ZERO",)), "ALL DATA ZERO is printed in place of the block."),
        # transactions
        Column("transactions_avg", number(), _groups(_TRANSACTIONS, "AVG"), "Average number of active transactions.", decimals=2),
        Column("transactions_mpl", number(), _groups(_TRANSACTIONS, "MPL"), "Average number of transactions resident in storage.", decimals=2),
        Column("transactions_ended", count(), _groups(_TRANSACTIONS, "ENDED"), resolution=True, filled=True),
        Column("transactions_per_s", per_second(), _groups(_TRANSACTIONS, ("END/S", "END/SEC")), resolution=True, decimals=2),
        Column("swaps", count(), _groups(_TRANSACTIONS, "#SWAPS"), "Swaps.", resolution=True),
        Column("transactions_executed", count(), _groups(_TRANSACTIONS, ("EXCTD", "EXECUTD")), "Executed for others; not ended.", resolution=True),
        Column("enclaves_avg", number(), (Cell("TRANSACTIONS", "AVG ENC"), Cell("ENCLAVES", "AVG ENC")), "Enclaves.", decimals=2),
        Column("enclaves_remote_avg", number(), (Cell("TRANSACTIONS", "REM ENC"), Cell("ENCLAVES", "REM ENC")), "Remote enclaves.", decimals=2),
        Column("enclaves_multisystem_avg", number(), (Cell("TRANSACTIONS", "MS ENC"), Cell("ENCLAVES", "MS ENC")), "Multisystem enclaves.", decimals=2),
        *_transaction_appl(),
        # transaction times
        Column("actual_time_s", clock(), _groups(_TIME, "ACTUAL"), "Average response time."),
        Column("execution_time_s", clock(), _groups(_TIME, "EXECUTION"), "Average execution time."),
        Column("queued_time_s", clock(), _groups(_TIME, "QUEUED"), "Average time queued."),
        Column("rs_affinity_time_s", clock(), _groups(_TIME, ("R/S AFFIN", "R/S AFFINITY")), "Average resource affinity delay."),
        Column("ineligible_time_s", clock(), _groups(_TIME, "INELIGIBLE"), "Average time ineligible to run."),
        Column("conversion_time_s", clock(), _groups(_TIME, "CONVERSION"), "Average JCL conversion time."),
        Column("time_stddev_s", clock(), _groups(_TIME, ("STD DEV", "STANDARD DEVIATION")), "Standard deviation of ACTUAL."),
        # DASD
        Column("ssch_per_s", per_second(), _groups(_DASD, "SSCHRT"), "Start subchannels per second.", decimals=1),
        Column("dasd_response_ms", milliseconds(), _groups(_DASD, "RESP"), "DASD response time.", decimals=1),
        Column("dasd_connect_ms", milliseconds(), _groups(_DASD, "CONN"), "DASD connect time.", decimals=1),
        Column("dasd_disconnect_ms", milliseconds(), _groups(_DASD, "DISC"), "DASD disconnect time.", decimals=1),
        Column("dasd_qpend_ms", milliseconds(), _groups(_DASD, "Q+PEND"), "Queue and pending time.", decimals=1),
        Column("dasd_iosq_ms", milliseconds(), _groups(_DASD, "IOSQ"), "IOS queue time.", decimals=1),
        # service units
        Column("ioc_service", count("service units"), _groups(_SERVICE, "IOC"), "I/O service.", resolution=True),
        Column("cpu_service", count("service units"), _groups(_SERVICE, "CPU"), "CPU service.", resolution=True, decimals=3),
        Column("mso_service", count("service units"), _groups(_SERVICE, ("MSO", "MS0")), "Storage service.", resolution=True),
        Column("srb_service", count("service units"), _groups(_SERVICE, "SRB"), "SRB service.", resolution=True),
        Column("total_service", count("service units"), _groups(_SERVICE, "TOT"), "All service.", resolution=True),
        Column("service_per_s", number("service units/s"), _groups(_SERVICE, ("/SEC", "PER SEC")), "Service rate.", resolution=True),
        Column("absorption_rate", number("service units/s"), _groups(_RATES, "ABSRPTN"), "Service rate while resident.", resolution=True),
        Column("transaction_service_rate", number("service units/s"), _groups(_RATES, "TRX SERV"), "Service rate while active.", resolution=True),
        # processor time
        Column("cpu_time_s", seconds(), _service_time("CPU", "TCB"), "TCB time, specialty engines included."),
        Column("srb_time_s", seconds(), _service_time("SRB"), "SRB time."),
        Column("rct_time_s", seconds(), _service_time("RCT"), "Region control task time."),
        Column("iit_time_s", seconds(), _service_time("IIT"), "I/O interrupt time."),
        Column("hst_time_s", seconds(), _service_time("HST"), "Hiperspace service time."),
        Column("aap_time_s", seconds(), (Cell("SERVICE TIME", "AAP", decimals=3), *_groups(("SERVICE TIMES",), ("AAP", "IFA"))), "Time on zAAPs."),
        Column("iip_time_s", seconds(), _groups(_SERVICE_TIME, "IIP"), "Time on zIIPs, not normalised.", decimals=3),
        _appl("appl_cp_pct", "CP", "Time on general processors, IIPCP and AAPCP included.", "APPL %", "APPL%"),
        _appl("appl_aapcp_pct", "AAPCP", "zAAP-eligible time on general processors."),
        _appl("appl_iipcp_pct", "IIPCP", "zIIP-eligible time on general processors."),
        _appl("appl_aap_pct", "AAP", "Time on zAAPs, not normalised."),
        _appl("appl_iip_pct", "IIP", "Time on zIIPs, not normalised."),
        Column("appl_tcb_srb_pct", engine_percent(), Cell("SERVICE RATES", "TCB+SRB%"), "MVS/ESA: task and SRB time.", decimals=1),
        # promoted
        Column("promoted_blk_s", seconds(), _groups(_PROMOTED, "BLK"), "Time promoted while blocking.", decimals=3),
        Column("promoted_enq_s", seconds(), _groups(_PROMOTED, "ENQ"), "Time promoted for enqueue holders.", decimals=3),
        Column("promoted_crm_s", seconds(), _groups(_PROMOTED, "CRM"), "Time promoted by chronic contention management.", decimals=3),
        Column("promoted_lck_s", seconds(), _groups(_PROMOTED, "LCK"), "Time promoted for local lock holders.", decimals=3),
        Column("promoted_sup_s", seconds(), _groups(_PROMOTED, "SUP"), "Time promoted by the supervisor.", decimals=3),
        # storage
        Column("storage_avg_frames", number("frames of 4 KiB"), _groups(_STORAGE, "AVG"), "Average frames of a resident transaction.", decimals=2, digits=7),
        Column("storage_total_frames", number("frames of 4 KiB"), _groups(_STORAGE, "TOTAL"), "Frames of the class.", decimals=2, digits=7),
        Column("storage_shared_frames", number("frames of 4 KiB"), _groups(_STORAGE, "SHARED"), "Shared frames.", decimals=2, digits=7),
        Column("storage_central_frames", number("frames of 4 KiB"), Cell("STORAGE", "CENTRAL"), "Central storage (MVS/ESA).", decimals=2),
        Column("storage_expanded_frames", number("frames of 4 KiB"), Cell("STORAGE", "EXPAND"), "Expanded storage (MVS/ESA).", decimals=2),
        Column("page_in_single_per_s", per_second(), _groups(_PAGE_IN, "SINGLE"), "Single page-ins."),
        Column("page_in_block_per_s", per_second(), _groups(_PAGE_IN, "BLOCK"), "Block page-ins."),
        Column("page_in_shared_per_s", per_second(), _groups(_PAGE_IN, "SHARED"), "Shared page-ins.", decimals=1),
        Column("page_in_hsp_per_s", per_second(), _groups(_PAGE_IN, "HSP"), "Hiperspace page-ins."),
        Column("page_in_hsp_miss_per_s", per_second(), Cell("PAGE-IN RATES", "HSP MISS"), "Hiperspace misses (MVS/ESA)."),
        Column("page_in_expanded_single_per_s", per_second(), Cell("PAGE-IN RATES", "EXP SNGL"), "From expanded storage (MVS/ESA)."),
        Column("page_in_expanded_block_per_s", per_second(), Cell("PAGE-IN RATES", "EXP BLK"), "Blocks from expanded (MVS/ESA)."),
    ))),
    once=Once(),
)
# fmt: on


def _actual(pattern: str) -> tuple[Under, ...]:
    """The RESPONSE TIME cell of a goal row: a time or a percentage, by the kind of goal."""
    return (Under("RESPONSE TIME", pattern=pattern), Under("HH.MM.SS.TTT", "RESPONSE TIME", pattern))


# MVS/ESA: the goal is the last line of the heading, so its percentage (each digit a 0) is the title of the actual value.
_BELOW_GOAL_PCT = tuple(Under(goal, "RESPONSE TIME") for goal in ("00.0%", "00%"))
_CLOCK = r"^(\d{2,3}\.\d\d\.\d\d\.\d+)$"
_SYSTEM = (Under("SYSTEM", width=8), Constant("*ALL", ("ACTUALS",)))
_IS_TOTAL = Column("is_total", flag(), _SYSTEM, "The row is *ALL, printed beside its systems.", allowed=("*ALL",))

# fmt: off
GOALS = Table(
    "rmf_workload_goal",
    grain="one row per period and system (*ALL: all systems together)",
    rows=("GOAL_ROW", "ACTUALS"),
    key=(*KEY, "system"),
    rules=GOAL_RULES,
    covers=False,
    columns=in_records(smf.GOALS, (
        *columns_of_class(_SYSTEM, in_smf=True),
        _IS_TOTAL,
        Column("goal_type", text(), Parsed(GOAL), allowed=GOAL_TYPES),
        Column("goal_s", seconds(), Parsed(GOAL), "Response time goal."),
        Column("goal_pct", percent(), Parsed(GOAL), "Percentile of the response time goal, or the velocity goal."),
        Column("actual_s", clock(), _actual(_CLOCK), "Actual response time, for an average goal."),
        Column("actual_pct", percent(), (*_actual(r"^(\d+(?:\.\d+)?) ?%?$"), *_BELOW_GOAL_PCT), "Actual percentile, for a percentile goal."),
        Column("velocity_pct", percent(), (Under("EX VEL%"), Under("EX VEL")), "Execution velocity reached.", decimals=1),
        Column(
            "velocity_io_management_pct",
            percent(),
            Field("GOAL", r"I/O *MGMT *(\S+?) ?%"),
            "VELOCITY MIGRATION: the velocity if I/O priorities were managed.",
        ),
        Column(
            "velocity_init_management_pct",
            percent(),
            Field("GOAL", r"INIT *MGMT *(\S+?) ?%"),
            "VELOCITY MIGRATION: the velocity if initiators were managed.",
        ),
        Column("performance_index", number(), Under("PERF INDX"), "Performance index as printed.", decimals=1),
        Column("address_spaces_avg", number(), Under("AVG ADRSP"), "Average number of address spaces.", decimals=1),
    )),
    once=Once(
        "goal_type goal_s goal_pct actual_s actual_pct velocity_pct performance_index", most="is_total"
    ),
)
# fmt: on

DELAYS = Table(
    "rmf_workload_delay",
    grain="one row per period, system, group and reason, as titled on the page",
    rows=("GOAL_ROW", "ACTUALS"),
    key=(*KEY, "system", "delay_group", "reason"),
    spread=Spread(
        "delay_group",
        "reason",
        "pct",
        after="AVG ADRSP",
        filled=0,
        groups=(
            "EXEC USING%",
            "EXEC DELAYS %",
            "USING%",
            "DELAY %",
            "EXECUTION DELAYS %",
            "AUXILIARY PAGE DELAY % FROM",
            # Of z/OS V1, from field knowledge.
            *("USING %", "DLY%", "CRYPTO%", "CNT%"),
        ),
    ),
    covers=False,
    columns=in_records(
        smf.DELAYS,
        (
            *columns_of_class(_SYSTEM, in_smf=True),
            _IS_TOTAL,
            Column("delay_group", text(), doc="Title that spans the column: execution using, execution delays, …"),
            Column("reason", text(), doc="Title of the column: CPU, I/O, TOT, UNK, IDL, …"),
            Column("pct", percent(), doc="Percent of the samples."),
        ),
    ),
    once=Once("pct"),
)

# The titles of z/OS V2R3, z/OS before that, and MVS/ESA.
_NUMBERS, _PERCENTS = ("# TRANSACTIONS", "NUMBER OF TRANSACTIONS"), ("% TRANSACTIONS", "PERCENT")
_BUCKETS = *((group, "IN BUCKET") for group in _NUMBERS), ("NUMBER TRANSACTIONS", "BUCKETS")
_TOTALS = *((group, "CUM TOTAL") for group in _NUMBERS), ("NUMBER TRANSACTIONS", "TOTAL")
_BUCKET_PCT = *((group, "IN BUCKET") for group in _PERCENTS), ("PERCENT", "BUCKETS")
_TOTAL_PCT = *((group, "CUM TOTAL") for group in _PERCENTS), ("PERCENT", "TOTAL")


def _under(pairs: tuple[tuple[str, str], ...]) -> tuple[Under, ...]:
    return tuple(Under(title, group) for group, title in pairs)


_OCCURRENCE = "1; 2, 3, … for buckets whose bounds are printed with the same digits, as for goals below 10 ms."

# fmt: off
DISTRIBUTION = Table(
    "rmf_response_time_distribution",
    grain="one row per period, system and bucket; system is NULL for one table of all systems",
    rows=("DIST_ROW",),
    key=(*KEY, "system", "upper_bound_s", "occurrence"),
    rules=DISTRIBUTION_RULES,
    covers=False,
    columns=in_records(smf.DISTRIBUTION, (
        *columns_of_class(Field("DIST_SYSTEM", r"SYSTEM: *([^\s-]+)", panel=True, optional=("DIST_RULE", "DIST_SYSTEMS_RULE")), in_smf=True),
        Column("upper_bound_s", bound(), (Under("HH.MM.SS.FFFFFF"), Under("HH.MM.SS.TTT")), "Upper bound; NULL for the last."),
        Column("occurrence", count(), Occurrence(("system", "upper_bound_s")), _OCCURRENCE, minimum=1),
        Column("transactions", count(), _under(_BUCKETS), "Transactions in the bucket.", resolution=True, filled=True),
        Column("transactions_cumulative", count(), _under(_TOTALS), "Transactions up to this bound.", resolution=True, filled=True),
        Column("pct", percent(), _under(_BUCKET_PCT), "Percent of the transactions in the bucket.", decimals=1, filled=True),
        Column("cumulative_pct", percent(), _under(_TOTAL_PCT), "Cumulative percent of the transactions up to this bound.", decimals=1, filled=True),
    )),
    once=Once("transactions transactions_cumulative"),
)
# fmt: on

_RESPONSE_TIMES = ("goal_s", "goal_pct", "actual_s", "actual_pct", "total_pct")
_OF_PERIOD = (
    *("performance_index", *_RESPONSE_TIMES, "velocity_goal_pct", "velocity_pct"),
    *("total_using_pct", "execution_delay_pct"),
)

IMPORTANCE = Table(
    "rmf_workload_importance",
    grain="one row per period and importance of a service class; the TOTAL row is marked",
    rows=("IMPORTANCE_ROW", "IMPORTANCE_TIME_ROW", "IMPORTANCE_TOTAL_ROW", *xml.SUMMARY_ROWS),
    # A velocity has no response time.
    blank_on=(
        ("IMPORTANCE_TIME_ROW", ("velocity_goal_pct",)),
        ("IMPORTANCE_ROW", _RESPONSE_TIMES),
        ("IMPORTANCE_TOTAL_ROW", _OF_PERIOD),
    ),
    key=(*KEY, "summary_period", "summary_importance"),
    filled_together=(("total_using_pct", "execution_delay_pct"),),
    rules=IMPORTANCE_RULES,
    covers=False,
    columns=xml.in_xml(
        xml.IMPORTANCE,
        (
            *columns_of_class(xml_rows=xml.SUMMARY_ROWS),
            Column("is_total", flag(), Under("PER IMPORTANCE", width=14), "The row is TOTAL.", allowed=("TOTAL",)),
            Column("summary_period", count(), Under("PER IMPORTANCE", pattern=r"^(\d+)\b"), "Period."),
            Column(
                "summary_importance",
                count(),
                Under("PER IMPORTANCE", pattern=r"^\d+ +(\d+)$"),
                "Importance.",
                maximum=6,
            ),
            Column("performance_index", number(), Under("PERF INDX"), "Performance index as printed.", decimals=1),
            Column(
                "transactions",
                count(),
                Under("NUMBER", "TRANSACTIONS"),
                "Transactions that ended.",
                resolution=True,
                filled=True,
            ),
            Column(
                "transactions_pct",
                percent(),
                Under("%", "TRANSACTIONS"),
                "Percent of the class's transactions.",
                filled=True,
            ),
            Column("goal_s", clock(), Under("GOAL", "RESPONSE TIME", r"^(\S+\.\S+)"), "Response time goal."),
            Column("goal_pct", percent(), Under("GOAL", "RESPONSE TIME", r"(\S+)%$"), "Percentile of the goal."),
            Column("actual_s", clock(), Under("ACTUAL", "RESPONSE TIME", _CLOCK), "Response time reached."),
            Column(
                "actual_pct",
                percent(),
                Under("ACTUAL", "RESPONSE TIME", r"^(\S+)%$"),
                "Percentile reached.",
                decimals=1,
            ),
            Column("total_pct", percent(), Under("TOTAL", "RESPONSE TIME"), "RESPONSE TIME TOTAL.", decimals=1),
            Column("velocity_goal_pct", percent(), Under("GOAL", "EX VEL%"), "Velocity asked for."),
            Column("velocity_pct", percent(), Under("ACT", "EX VEL%"), "Velocity reached.", decimals=1),
            Column("total_using_pct", percent(), Under("TOTAL USING%"), "TOTAL USING%.", decimals=1),
            Column(
                "execution_delay_pct",
                percent(),
                (Under("DELAY%", "EXE"), Under("EXE DELAY%")),
                "Execution delay.",
                decimals=1,
            ),
        ),
    ),
)


def _breakdown_text(pattern: str) -> tuple[Field, ...]:
    return tuple(Field(kind, pattern) for kind in ("BREAKDOWN_ROW", "STATE_ROW"))


BREAKDOWN = Table(
    "rmf_workload_response_breakdown",
    grain="one row per period, subsystem, phase and state",
    rows=("BREAKDOWN_ROW", "STATE_ROW"),
    key=(*KEY, "subsystem", "phase", "state_group", "state"),
    # Of an enclave elsewhere the response time and one state alone are printed.
    spread=Spread(
        "state_group",
        "state",
        "pct",
        filled=2,
        groups=(
            *("", "RESPONSE TIME BREAKDOWN IN PERCENTAGE", "WAITING FOR", "STATE", "SWITCHED TIME (%)"),
            *("ACTIVE", "SWITCHED SAMPL(%)", "SWITCHED TIME(%)"),
            # Field knowledge.
            *("RESPONSE TIME BREAKDOWN (%)", "STATE SAMPLES BREAKDOWN (%)"),
        ),
    ),
    covers=False,
    columns=in_records(
        smf.BREAKDOWN,
        (
            *columns_of_class(in_smf=True),
            Column("subsystem", text(), _breakdown_text(r"^ *(\S+)"), "Subsystem: CICS, IMS, CB (WebSphere)."),
            Column("phase", text(), _breakdown_text(r"^ *\S+ +(\S+)"), "Phase: BTE (begin to end) or EXE (execution)."),
            Column("state_group", text(), doc="Title that spans the column: the breakdown, waiting for, switched."),
            Column("state", text(), doc="Title of the column: TOTAL, ACTIVE, LOCK, I/O, …"),
            Column(
                "pct",
                percent(None),
                doc="Percent of the response time (switched: of the transactions).",
                decimals=1,
                filled=True,
            ),
        ),
    ),
)

# MVS/ESA and OS/390.
_OF_OLD_RELEASES = Field("VERSION_LINE", r"RPT VERSION ([0-9])")

REPORT = Report(
    "rmf_workload_activity",
    summary="RMF Workload Activity (WLMGL), goal mode, interval and duration reports",
    banner="WORKLOADACTIVITY",
    segments=xml.SEGMENTS,
    xml_grammar="rmf_workload_activity_xml",
    doc=__doc__ or "",
    tables=(ACTIVITY, GOALS, DELAYS, DISTRIBUTION, IMPORTANCE, BREAKDOWN, POLICY, POLICY_SYSTEM, RESOURCE_GROUP),
    interval=("SYSTEM_LINE", "VERSION_LINE"),
    records=smf.ROWS,
    systems=("scope",),
    numbered=("TITLE", "PAGE_NO"),
    one_name=((Field("CLASS_LINE", r"POLICY ?= ?([^ =]+)"),),),
    in_turn=("POLICY_RULE", "SYSTEMS_TITLE", "RESOURCE_TITLE"),
    not_below=(
        ("POLICY_RULE", "CLASS_LINE"),
        *((kind, _OF_OLD_RELEASES) for kind in ("TRANSACTION_APPL_TOTAL", "DIST_SYSTEM")),
    ),
    absent_means_idle=True,
    unread={
        "SERVICE CLASSES BEING SERVED": ("SERVED_ROW",),
        "OTHER OPTIONS OF THE SERVICE DEFINITION": ("POLICY_OTHER_ROW",),
        "MESSAGES": ("XML_MESSAGE",),
    },
    unread_parts={
        **UNREAD_PARTS,
        "INTERVAL and MRT CHANGES of a system's distribution": r"INTERVAL: *[0-9.]+ *-+ *MRT CHANGES: *[0-9]+",
    },
    layouts=(
        LabelledBlock(
            ("BLOCK_HEAD", "BLOCK2_HEAD"), ("BLOCK_ROW", "BLOCK_OTHER_ROW"), embedded_groups=("PAGE-IN RATES",)
        ),
        Columns(("GOAL_HEAD",), ("GOAL_ROW",), depth=2),
        Columns(("GOALS_HEAD", "GOAL"), ("ACTUALS",), depth=3, ignored=(r"^GOALS", r"^AVG$")),
        Columns(
            ("DIST_HEAD",), ("DIST_ROW",), above=("DIST_SYSTEM",), depth=2, panels=Panels(), ignored=(r"\|\.\.\.",)
        ),
        Columns(("IMPORTANCE_HEAD",), ("IMPORTANCE_ROW", "IMPORTANCE_TIME_ROW", "IMPORTANCE_TOTAL_ROW"), depth=2),
        # States may be called TYP1, TYP2, …
        Columns(
            ("BREAKDOWN_HEAD", "BREAKDOWN_HEAD_MORE"),
            ("BREAKDOWN_ROW",),
            depth=3,
            ignored=(r"^SUB", r"^P$"),
            digits=True,
        ),
        # The line above these two is a common title; manuals print it shifted.
        Columns(
            ("STATE_HEAD",),
            ("STATE_ROW",),
            above=("STATE_RULE",),
            depth=2,
            ignored=(r"^SUB TYPE$", r"^P$", r"^WAITING FOR$"),
            digits=True,
        ),
        Columns(("DEFINITION", "INSTALL"), ("POLICY_OPTION_ROW", "POLICY_OTHER_ROW"), depth=2, open=True),
        Columns(("SYSTEMS_HEAD",), ("POLICY_SYSTEM_ROW",), panels=Panels()),
        Columns(("RESOURCE_HEAD",), ("RESOURCE_GROUP_ROW", "RESOURCE_MEMBER_ROW")),
        *xml.LAYOUTS,
    ),
)
