"""Studies as rows of the lake: what a study file says, in tables that views join to the reports."""

from __future__ import annotations

import pyarrow as pa

from .report import Column, Table, Type, count, number, percent, text, timestamp

# Processor time that a study charges to no subsystem.
UNALLOCATED = "unallocated"
# Times that monitoring figures may have.
MONITORING_TIMES = ("response", "dispatch", "suspend", "cpu")

_STUDY = Column("study", text(), doc="Name of the study.", nullable=False)
_CONFIGURATION = Column("configuration", text(), doc="What is compared, by its name in the study.", nullable=False)
_FROM_A_STUDY = "From study files; ironlake study add replaces the rows of a study of the same name."

CONFIGURATION = Table(
    "study_configuration",
    grain="one row per study and configuration",
    rows=(),
    doc=_FROM_A_STUDY,
    key=("study", "configuration"),
    columns=(
        _STUDY,
        _CONFIGURATION,
        Column("is_baseline", Type("flag", pa.bool_(), "none"), doc="The others are compared with it."),
        Column(
            "coupling_role", text(), doc="uncoupled or coupled; NULL for neither.", allowed=("uncoupled", "coupled")
        ),
        Column("engine_mips_measured", number("MIPS"), doc="Speed of an engine that the run was measured on."),
        Column("engine_mips_compared", number("MIPS"), doc="Speed of the engine that busy time is stated for."),
        Column("lpar_overhead_pct", percent(), doc="Share of the busy time that is LPAR management, to be taken off."),
    ),
)

STEP = Table(
    "study_step",
    grain="one row per study, configuration and run",
    rows=(),
    doc=_FROM_A_STUDY,
    key=("study", "configuration", "run"),
    columns=(
        _STUDY,
        _CONFIGURATION,
        Column("run", text(), doc="The run's name, or its number in the configuration.", nullable=False),
        Column("window_start", timestamp(), doc="Window, local time as printed.", nullable=False),
        Column("window_end", timestamp(), doc="End of the window, not in it.", nullable=False),
        Column(
            "rule",
            text(),
            doc="Which intervals of the window count: last, all or list; NULL where there must be one alone.",
            allowed=("last", "all", "list"),
        ),
        Column(
            "listed_starts", Type("timestamps", pa.list_(pa.timestamp("us")), "none"), doc="Rule list: their starts."
        ),
        Column("report_kind", text(), doc="interval or duration.", nullable=False),
        Column("sysplex", text(), doc="The sysplex, where the study names one."),
        Column("systems", text(), doc="The systems, sorted, where the study names any."),
        Column(
            "remote_systems",
            text(),
            doc="Which of them are the remote part, sorted, where the study says it by system.",
        ),
        Column("request_source", text(), doc="class, workload_simulator or volume.", nullable=False),
        Column("request_count", text(), doc="Count of the workload simulator: page_elements or transactions."),
        Column("simulator_file", text(), doc="File name of the run's simulator log."),
        Column("jmh_file", text(), doc="File name of the run's JMH results."),
        Column("volume", number(), doc="Requests of the run, where the study gives them."),
        Column("engines_cp", number(), doc="General processors as typed in the study."),
        Column("engines_ziip", number(), doc="zIIPs as typed in the study."),
    ),
)

CLASS = Table(
    "study_class",
    grain="one row per study, role and class",
    rows=(),
    doc=_FROM_A_STUDY,
    key=("study", "role", "class_kind", "class_name"),
    columns=(
        _STUDY,
        Column(
            "role",
            text(),
            doc="cpu: its processor time is charged; requests: its ended transactions are counted.",
            nullable=False,
            allowed=("cpu", "requests"),
        ),
        Column("subsystem", text(), doc="What its processor time is charged to."),
        Column("location", text(), doc="Of the subsystem: local or remote.", allowed=("local", "remote")),
        Column("class_kind", text(), doc="service_class or report_class.", nullable=False),
        Column("class_name", text(), doc="Name of the class.", nullable=False),
        Column("class_number", count(), doc="Place of the subsystem in the study, from 1."),
    ),
)

LIMIT = Table(
    "study_limit",
    grain="one row per study and rule that it sets a limit of its own for",
    rows=(),
    doc=_FROM_A_STUDY,
    key=("study", "rule"),
    columns=(
        _STUDY,
        Column("rule", text(), doc="Name of the rule, as in finding_rule.", nullable=False),
        Column(
            "limit_value", number(), doc="The limit, in the unit of the rule; NULL where the study gives none for all."
        ),
        *(
            Column(
                f"{kind}_limit_value",
                number(),
                doc=f"The limit for {kind} structures; NULL where it is that of the others.",
            )
            for kind in ("lock", "list", "cache")
        ),
        Column("least_size", number(), doc="The least size, in size_unit of the rule; NULL where it is the rule's."),
    ),
)

MONITORING = Table(
    "study_monitoring",
    grain="one row per study, configuration, run and transaction of its monitoring figures",
    rows=(),
    doc=f"CICS monitoring figures, from the CSV file that a step names. {_FROM_A_STUDY}",
    key=("study", "configuration", "run", "transaction"),
    columns=(
        _STUDY,
        _CONFIGURATION,
        Column("run", text(), doc="The run's name, or its number in the configuration.", nullable=False),
        Column("transaction", text(), doc="As the file names it."),
        Column("tasks", number(), doc="How many tasks the means are of."),
        Column("span_s", number("s"), doc="The time that the figures are of, where the file says so."),
        *(Column(f"{time}_ms", number("ms"), doc=f"Mean {time} time a task.") for time in MONITORING_TIMES),
    ),
)

TABLES = (CONFIGURATION, STEP, CLASS, LIMIT, MONITORING)

_COMPUTED = (
    "Computed when it is asked for. The unit is the interval where requests are counted by a class, the step where they are counted"
    " once a step. Intervals are of 95%, by Student's t on a ratio of sums; of intervals on end count as many as their"
    " autocorrelation leaves (ironlake docs measures). Where units are printed alike they are what half a digit hides."
)
_MEASURE = Column(
    "measure",
    text(),
    doc="cpu_ms_per_request, cpu_normalized_ms_per_request (zIIP time as that of a general processor), cp_ms_per_request (general"
    " processors alone), busy_ms_per_request (of all busy engines), response_ms or itr_per_s; normalised as the study says.",
    nullable=False,
)
_SUBJECT = Column(
    "subject",
    text(),
    doc="Subsystem of a cost, busy basis of busy_ms_per_request and of an ITR; NULL for all charged subsystems together, and for response time.",
)
_UNITS = (
    Column("unit_kind", text(), allowed=("interval", "step")),
    Column("units", count(), doc="How many there are; fewer than three, or fewer than 14 on end, give no interval."),
    Column(
        "effective_units",
        number(),
        doc="How many count, for neighbours resemble each other: of a long stretch a part, of short stretches each one.",
    ),
)


def _signed(name: str, doc: str, unit: str = "") -> Column:
    return Column(name, number(unit, minimum=None), doc=doc)


CONFIDENCE = Table(
    "study_confidence",
    grain="one row per study, configuration, measure and subject",
    rows=(),
    doc=_COMPUTED,
    key=("study", "configuration", "measure", "subject"),
    columns=(
        _STUDY,
        _CONFIGURATION,
        _MEASURE,
        _SUBJECT,
        *_UNITS,
        _signed(
            "value",
            "Of all units together, as in cost_change and coupling_efficiency; NULL where a unit's is not known.",
        ),
        _signed("stddev", "Spread: standard deviation between the units."),
        _signed("lower", "Lower end of the interval."),
        _signed("upper", "Upper end of the interval."),
        Column(
            "requests_per_s_least", number("1/s"), doc="Rate of the slowest unit: cost and response may depend on it."
        ),
        Column("requests_per_s_most", number("1/s"), doc="Rate of the fastest unit."),
        Column(
            "verdict",
            text(),
            doc="interval; printed digits (the units are nearer to each other than their digits tell: the interval is half a digit to both"
            " sides); no interval (fewer than three units, or, of units on end, neither 14 nor three stretches of like length); unlike loads"
            " (a response time of units whose rates are more than a factor of 2 apart); not known (a unit's value is not).",
        ),
    ),
)

DIFFERENCE = Table(
    "study_difference",
    grain="one row per study, pair of configurations, measure and subject",
    rows=(),
    doc=f"Against the baseline, and coupled against uncoupled, by Welch's t. {_COMPUTED}",
    key=("study", "baseline", "configuration", "measure", "subject"),
    columns=(
        _STUDY,
        Column("baseline", text(), doc="What it is compared with.", nullable=False),
        _CONFIGURATION,
        _MEASURE,
        _SUBJECT,
        _signed("baseline_value", "Of the baseline."),
        _signed("value", "Of the configuration."),
        _signed("difference", "value - baseline_value."),
        _signed("difference_pct", "The same of the baseline's; NULL for a cost of one printed digit.", "%"),
        _signed("lower", "Lower end of the interval of the difference."),
        _signed("upper", "Upper end of the interval of the difference."),
        Column("degrees_of_freedom", number(), doc="Of Welch's t."),
        Column(
            "p_value", number(), doc="Chance of a difference as large where there is none, of this difference alone."
        ),
        Column(
            "p_value_adjusted",
            number(),
            doc="The same by Holm, over all differences of the study in this measure and subject.",
        ),
        Column(
            "verdict",
            text(),
            doc="differs (p_value_adjusted below 0.05), within noise, no interval, unlike loads (as in study_confidence), unlike engines (an ITR of other numbers of"
            " engines: compare busy_ms_per_request), or not known.",
        ),
    ),
)

FIT = Table(
    "study_fit",
    grain="one row per study, configuration, measure and subject",
    rows=(),
    doc=f"A straight line of processor time (percent of one engine) against requests per second, by least squares. {_COMPUTED}",
    key=("study", "configuration", "measure", "subject"),
    columns=(
        _STUDY,
        _CONFIGURATION,
        Column(
            "measure",
            text(),
            doc="The cost per request that the slope is: cpu_ms_per_request, cpu_normalized_ms_per_request or cp_ms_per_request.",
            nullable=False,
        ),
        Column("subject", text(), doc="Subsystem; NULL for all charged subsystems together."),
        *_UNITS,
        _signed(
            "ms_per_request",
            "Slope: what one more request costs, normalised as the study says. 1% of an engine per request/s is 10 ms.",
            "ms",
        ),
        _signed("ms_per_request_lower", "Lower end of its interval.", "ms"),
        _signed("ms_per_request_upper", "Upper end of its interval.", "ms"),
        _signed("fixed_pct", "Intercept: processor time without requests.", "% of one engine"),
        _signed("fixed_pct_lower", "Lower end of its interval.", "% of one engine"),
        _signed("fixed_pct_upper", "Upper end of its interval.", "% of one engine"),
        Column("r_squared", number(), doc="Share of the variance of processor time that the line explains."),
        Column("requests_per_s_least", number("1/s"), doc="Rate of the slowest unit."),
        Column("requests_per_s_most", number("1/s"), doc="Rate of the fastest unit; the line holds only in between."),
        Column("requests_per_s_mean", number("1/s"), doc="Mean rate of the units, where the line is surest."),
        Column(
            "verdict",
            text(),
            doc="fitted; loads too alike (the fastest unit under 1.2 times the slowest) or slope may be 0 (its interval holds 0): the line says nothing; no interval (of units on end, neither 20 nor three stretches of like length); no fit (fewer than three units, or of one rate); not known.",
        ),
    ),
)

# What study_statistics computes; no part of a lake holds rows of these.
COMPUTED = (CONFIDENCE, DIFFERENCE, FIT)
