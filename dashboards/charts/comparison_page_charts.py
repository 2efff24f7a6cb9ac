"""The declared charts by question. The page shows the groups in this order."""

from dataclasses import replace

from ..columns import BUSY_BASES, COLUMNS, ENGINE
from .report_charts import REPORT_PICTURES
from .spec import Measure, Picture, by_time, ratio, total

GROUPS = {
    "cost": "Cost per request",
    "sources": "Cost by source: RMF, CICS, Db2",
    "load": "Load and response",
    "capacity": "Throughput and capacity",
    "facility": "Coupling facility",
    "io": "Channels and storage",
    "database": "Db2",
    "threads": "CICS to Db2 threads",
    "goals": "Goals",
    "driver": "Driver results",
}

_SCORES = Picture(
    "scores", "driver", "How long does an operation take?", "Score",
    "JMH scores, one row per set of parameters, with the 99.9% interval that JMH prints as its error.", "run_jmh",
    {"run": "run", "benchmark": "benchmark", "mode": "mode", "unit": "unit", "parameters": "parameters"}
    | {"configuration": "configuration"},
    [Measure("score", "Score")], "marks", ends=(Measure("lower", "Lower end"), Measure("upper", "Upper end")),
    rows="(SELECT *, score - error AS lower, score + error AS upper FROM run_jmh)",
)  # fmt: skip
# Driver results of the lake, if no step of a study names them.
DRIVER = replace(
    _SCORES,
    name="jmh",
    view="jmh_result",
    of={"file": "source_file", "benchmark": "benchmark", "mode": "mode", "unit": "unit", "parameters": "parameters"},
    rows="(SELECT *, score - error AS lower, score + error AS upper, [ref(source_id, page, line)] AS refs FROM jmh_result)",
    joined_by="lake",
    where="NOT EXISTS (FROM study_step WHERE jmh_file IS NOT NULL)",
)  # fmt: skip

_PARTS = (("non_ziip_eligible", "Not zIIP-eligible"), ("ziip_on_cp", "zIIP-eligible on CP"), ("ziip", "On zIIP"))
# The busiest run is extrapolated, if its processors were busy enough, and is drawn beside the fastest one.
LEAST_BUSY_PCT = 30
_EXTRAPOLATED = ", ".join(
    f"arg_max(itr_per_s, (cpu_busy_pct, run)) FILTER (busy_basis = '{basis}' AND cpu_busy_pct >= {LEAST_BUSY_PCT}) AS itr_{basis}, "
    f"max(cpu_busy_pct) FILTER (busy_basis = '{basis}') AS busy_{basis}_pct"
    for basis in BUSY_BASES
)
_THROUGHPUT = f"""(
    SELECT study, configuration, max(etr_per_s) AS measured_per_s, {_EXTRAPOLATED}, list_distinct(flatten(list(refs))) AS refs
    FROM itr GROUP BY study, configuration QUALIFY bool_or(itr_cp IS NOT NULL) OVER (PARTITION BY study)
)"""
_SPLIT = (
    " Bars are split into time that must run on a general processor, zIIP-eligible time that ran on one, and time on zIIPs. The upright mark is "
    "general-processor time, which is what is paid for."
)
_PAID, _PAID_FOR, _OF_BOTH = "General-processor time", "which is what is paid for", "general processors and zIIPs"
_CLASSES = "class_kind IN ('report_class', 'service_class')"
_MIX = {
    "rate_pct": "Dearer or cheaper transactions",
    "volume_pct": "More or fewer transactions",
    "unpartnered_pct": "Classes on one side only",
}
# A difference between percentages of one engine is in points.
_POINTS = "points of one engine"
_STUDY_CPU = """(
    SELECT printed.*, printed.interval_start + to_milliseconds(CAST(printed.interval_s * 1000 AS BIGINT)) AS interval_end
    FROM run_class_interval AS printed
    JOIN (FROM study_class WHERE role = 'cpu') AS class
        ON class.study = printed.study AND class.class_kind = printed.class_kind AND class.class_name = printed.class_name
)"""


def _coupled(measure: str) -> list[Measure]:
    return [Measure(f"{measure}_{kind}_ms_per_request", kind.capitalize()) for kind in ("uncoupled", "coupled")]


PICTURES = (
    Picture(
        "cpu_by", "class", "Which {many} use the processors?", "CPU",
        "CPU of the {many}, in percent of one engine, one bar per configuration. Classes without CPU are left out.",
        "configuration_class", {"class": "class_name", "configuration": "configuration"},
        [
            *(Measure(f"{name}_pct", title, unit=ENGINE) for name, title in _PARTS),
            Measure("other_pct", COLUMNS["other_pct"].title, unit=ENGINE, completes=True),
        ],
        "stack", tick=Measure("cp_pct", _PAID), note=("general processors {}", Measure("cp_pct", _PAID, unit="")),
        rank=("", "the most general-processor time"), joined_by="page", rows="classes", drops_zeros="groups", split=_SPLIT,
    ),
    Picture(
        "cost_by", "class", "What does a transaction of the {many} cost, against {baseline}?",
        "General-processor time per transaction",
        "Change of general-processor time per transaction, one mark per configuration; beside it what a transaction costs.",
        "configuration_class", {"class": "class_name", "configuration": "configuration"},
        [Measure("cp_ms_per_transaction", "General-processor time per transaction", unit="ms")], "marks",
        series="configuration", rank=("", "the most general-processor time"), joined_by="page", rows="class costs",
        against="{baseline}",
    ),
    Picture(
        "cost", "cost", "What does a request cost?", "CPU per request",
        "Processor time per request, one bar per configuration, the least first, with its 95% interval where there is one.",
        "configuration_cost", {"configuration": "configuration"},
        [Measure(f"{name}_ms_per_request", title) for name, title in _PARTS], "stack",
        whole=Measure("cpu_ms_per_request", "CPU per request"), tick=Measure("paid_ms", _PAID),
        note=("general processors {}", Measure("paid_ms", _PAID, unit="")),
        ends=(Measure("lower", "Lower end"), Measure("upper", "Upper end")), joined_by="page", rows="costs",
        at_least={"configuration": 2}, split=_SPLIT,
    ),
    Picture(
        "cost_by_both", "cost", "CPU time per request by subsystem", "CPU per request",
        "Processor time per request, one bar per subsystem and configuration, split by zIIP eligibility if that is printed. "
        "Bars of 0 are left out, as are unknown ones, which the table shows as –.",
        "configuration_cost", {"subsystem": "subsystem", "configuration": "configuration"},
        [Measure(f"{name}_ms_per_request", title) for name, title in _PARTS], "stack",
        whole=Measure("cpu_ms_per_request", "CPU per request"), joined_by="page", at_least={"subsystem": 2},
        # Eight subsystems of eight configurations.
        most=64, drops_zeros="bars",
    ),
    Picture(
        "cost_by_location", "cost", "General-processor time per request, local and remote",
        "General-processor time per request",
        "General-processor time per request, one bar per configuration over all its runs, split by where it is spent.",
        "cost_by_location", {"configuration": "configuration", "run": "run", "location": "location"},
        [Measure("cp_ms_per_request", "General-processor time per request")], "stack", mean_by="requests",
        series="location",
        rows="""(
            SELECT * FROM cost_by_location
            WHERE NOT is_total
            QUALIFY bool_or(location <> 'local') OVER (PARTITION BY study, configuration)
        )""",
    ),
    Picture(
        "cost_by_run", "cost", "General-processor time per request by run", "General-processor time per request",
        "General-processor time per request of runs that the study names, one mark per configuration.",
        "cost_per_request", {"run": "run", "configuration": "configuration"},
        [Measure("cp_ms_per_request", "General-processor time per request")], "marks", series="configuration",
        joined_by="page", at_least={"run": 2},
    ),
    Picture(
        "cost_source", "sources", "What does a request's processor time consist of?", "Processor time per request",
        "Processor time per request, one bar per configuration, split into parts that RMF, CICS monitoring and Db2 tell. Together they are "
        "the busy time of the processors.",
        "run_cost_source", {"configuration": "configuration", "run": "run", "part": "part"},
        [Measure("cpu_ms_per_request", "Processor time per request")], "stack", series="part", in_order=True,
        joined_by="page", mean_by="requests_per_s",
    ),
    Picture(
        "response_split", "load", "Where does the response time go?", "Response time",
        "Mean response time, one bar per configuration over the tasks of its runs, split into dispatch, suspend and the rest.",
        "response_split", {"configuration": "configuration", "run": "run"},
        [Measure("dispatch_ms", "Dispatched"), Measure("suspend_ms", "Suspended"), Measure("other_ms", "Neither")],
        "stack", whole=Measure("response_ms", "Response time"), mean_by="tasks", where="is_total",
    ),
    Picture(
        "requests_over_time", "load", "How steady is the load?", "Requests",
        "Requests per second in each selected interval, one line per configuration.", "run_interval",
        {"systems": "scope", "configuration": "configuration"}, [Measure("requests_per_s", "Requests")], "lines",
    ),
    *(
        Picture(
            f"{name}_over_time", "load", f"How steady is the {words}?", f"{axis} charged",
            f"{about} of the charged classes in each selected interval{rest}, one line per configuration.",
            "run_class_interval", {"systems": "scope", "configuration": "configuration"},
            [Measure(f"{name}_pct", axis, total(f"{name}_pct"))], "lines", rows=_STUDY_CPU,
            beside=[Measure("cpu_pct", "CPU", total("cpu_pct"))] if name == "cp" else [],
        )
        for name, axis, words, about, rest in (
            ("cp", _PAID, _PAID.lower(), f"{_PAID}, {_PAID_FOR},", ""),
            ("cpu", "CPU", "processor time, zIIP time included", "Processor time", f", {_OF_BOTH}"),
        )
    ),
    Picture(
        "class_cpu_over_time", "load", "How steady is the general-processor time of all classes?",
        "General-processor time",
        "General-processor time of all classes in each selected interval, one line per configuration.",
        "run_kind_interval", {"systems": "scope", "configuration": "configuration"},
        [Measure("cp_pct", "General-processor time")], "lines",
        where="(study, class_kind) IN (SELECT (study, class_kind) FROM study_kind) "
        "AND study NOT IN (SELECT study FROM study_class WHERE role = 'cpu')",
    ),
    Picture(
        "response_over_time", "load", "How steady is the response time?", "Response time",
        "Mean response time in each selected interval, one line per configuration.", "run_interval",
        {"systems": "scope", "configuration": "configuration"}, [Measure("response_ms", "Response time")], "lines",
        weight=Measure("requests", "Requests"),
    ),
    *(
        Picture(
            f"itr_{basis}", "capacity", f"Throughput if {words} were the only limit (extrapolated)", "Requests",
            "Requests per second of the busiest run divided by the busy share of its processors, and the highest measured rate. Other limits, such as "
            f"memory, locks or disks, keep throughput below. Nothing is extrapolated where processors were never {LEAST_BUSY_PCT}% busy.",
            "itr", {"configuration": "configuration"},
            [
                Measure(f"itr_{basis}", "Extrapolated", unit="1/s"),
                Measure("measured_per_s", "Highest measured", unit="1/s"),
            ],
            "group", note=("busiest run {} busy", Measure(f"busy_{basis}_pct", "Busy", unit="%")), rows=_THROUGHPUT,
            beside=[Measure("itr_cp", ""), Measure("measured_per_s", "")] if basis != "cp" else [],
        )
        for basis, words in BUSY_BASES.items()
    ),
    Picture(
        "coupling_cost", "capacity", "What does coupling cost per request?",
        "Busy general-processor time per request",
        "Busy time of the general processors divided by the requests, uncoupled and coupled; efficiency is uncoupled over coupled.",
        "coupling_efficiency", {"configuration": "configuration"},
        [Measure("busy_ms_per_request", "Busy processor time per request", unit="ms")], "stack",
        note=("efficiency {}", Measure("coupling_efficiency_pct", "Coupling efficiency")), joined_by="page",
    ),
    *(
        Picture(
            name, "capacity", f"Coupling overhead by class, {question}", f"{axis} per request",
            f"{about} of each class, {parts}uncoupled and coupled.", "coupling_overhead_by_class",
            {"subsystem": "subsystem", "class": "class_name"}, _coupled(measure), "group",
            note=("{+}", Measure(f"{measure}_increase_pct", f"{axis} increase")),
            where=f"NOT is_total AND {_CLASSES}", one_of="class_kind DESC",
            beside=_coupled("cpu") if measure == "cp" else [],
        )
        for name, measure, axis, question, about, parts in (
            ("cp_coupling_by_class", "cp", _PAID, _PAID.lower(), f"{_PAID} per request, {_PAID_FOR},", ""),
            ("coupling_by_class", "cpu", "CPU", "zIIP time included", "Processor time per request", f"{_OF_BOTH}, "),
        )
    ),
    *(
        Picture(
            f"{prefix}mix_change", "capacity",
            f"Where the change in {words} comes from{'' if prefix else ', zIIP time included'}",
            f"Change of {axis} against the baseline",
            f"Change of {about}, one bar per class and configuration: cost per transaction, number of transactions, and classes in "
            "one only.",
            "mix_change", {"class": "class_name", "configuration": "configuration"},
            [Measure(f"{prefix}{name}", title, unit=_POINTS) for name, title in _MIX.items()], "stack",
            whole=Measure(f"{prefix}difference_pct", f"Change of {axis}", unit=_POINTS),
            where=f"NOT is_total AND {_CLASSES} AND {prefix}difference_pct IS NOT NULL", one_of="class_kind DESC",
            beside=[Measure(name, name) for name in _MIX] if prefix else [],
        )
        for prefix, axis, words, about in (
            ("cp_", _PAID.lower(), _PAID.lower(), f"{_PAID.lower()}, {_PAID_FOR}"),
            ("", "CPU", "CPU time", f"processor time, {_OF_BOTH}"),
        )
    ),
    Picture(
        "capture", "capacity", "Uncaptured processor time", "Busy engines",
        "Busy engines, split into time captured in classes and uncaptured time.", "capture_ratio",
        {
            "processors": "CASE processor_type WHEN 'CP' THEN 'general processors' WHEN 'IIP' THEN 'zIIPs' ELSE processor_type END",
            "systems": "scope",
            "configuration": "configuration",
        },
        [
            Measure("engines_captured", "In classes", by_time("engines_captured"), "engines"),
            Measure("engines_uncaptured", "In no class", by_time("engines_uncaptured"), "engines"),
        ],
        "stack",
        note=(
            "captured {}",
            Measure(
                "capture_ratio_pct",
                "Capture ratio",
                ratio("engines_captured * interval_s", "engines_busy * interval_s", 100),
                "%",
            ),
        ),
        joined_by="scope", where="is_overlapping IS NOT TRUE AND engines_busy > 0", flat_within=1.0,
    ),
    Picture(
        "rolling_msu", "capacity", "What is the rolling four-hour average?", "General processors",
        "Rolling four-hour MSU average, the mean per clock hour as in sub-capacity reports, with defined capacity and group limits if "
        "printed; one line per machine, partition or set of pages and configuration.",
        "hourly_four_hour_msu",
        # One source is partitions, the other classes.
        {
            "systems": "scope",
            "of": "CASE level WHEN 'machine' THEN 'whole machine' ELSE '' END",
            "caps": "CASE peak_of WHEN 'capped_msu' THEN 'with caps' ELSE '' END",
            "configuration": "configuration",
            "measured by": "replace(msu_source, '_', ' ')",
        },
        [Measure("four_hour_msu", "Four-hour average", unit="MSU/h")], "lines", joined_by="systems",
        time=("hour_start", "hour_end"), systems="scope",
        rows="""(
            SELECT *, CASE peak_of WHEN 'capped_msu' THEN capped_msu ELSE rolling_msu END AS four_hour_msu
            FROM hourly_four_hour_msu WHERE level <> 'capacity_group' AND scope IS NOT NULL
            -- The machine total, if there is one.
            QUALIFY level <> 'partition' OR NOT bool_or(level = 'machine' AND rolling_msu IS NOT NULL) OVER (PARTITION BY machine)
        )""",
        where="four_hour_msu IS NOT NULL", one_of="msu_source",
    ),
    *REPORT_PICTURES,
    _SCORES,
)  # fmt: skip
