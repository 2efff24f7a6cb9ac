"""SMF 72.3: classes and their periods, goals, delays, response times and the service policy, as RMF derives them.

Sources: the names and forms of fields are SMF2JSON's; meaning and units of fields are IBM's, z/OS MVS SMF, record type 72 subtype 3; the
derivations are those of RMF Report Analysis, Workload Activity. A record is of one class and one system: so are its rows, of each period and of
the class, which adds its periods up before anything is divided. Rows of workloads, of the policy and of a sysplex add up records, of which a
file may lack some: they are not made. Not read: resource groups, served classes, importance.

Units: times that the formulas multiply by 0.001024 count 1024 µs, those by 0.128 count 128 µs as ms, others µs. A service unit lasts
r723madj / 16,000,000 s; service has the coefficients r723mcpu and r723msrb of ten-thousandths in it, and the time of specialty engines in it
is normalised by r723nffi and r723nffs / 256.
Worked: 2,280,000 units at 400 and coefficient 1 are 57 s. With 9 s of SRBs, 0.35 s of RCT, IIT and HST, and 6 s of zIIPs at factor 2, that is
100 × (57 + 9 + 0.35 − 12) / 900 = 6.04 % of general processors and 0.67 % of zIIPs; 570 samples using and 155 delayed are a velocity of 78.6; a
mean of 1.5 s for a goal of 2 s has the index 0.75.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..pipeline.declaration.records import Fields, Record, RecordForm, RecordRows, is_on, kinds
from ._smf import fields, header

_APPL = (("total", "t"), ("mobile", "m"), ("category_a", "a"), ("category_b", "b"))
_TIMES = {
    "actual": "tet",
    "execution": "xet",
    "queued": "qdt",
    "rs_affinity": "adt",
    "ineligible": "iqt",
    "conversion": "cvt",
}
# Fields that add up over the periods of a class.
_REAL = (
    "csrv ccpu cioc cmso csrb cpir chpi cbpi cprs ctrr ctat crct ciit chst ctet cxet cets csrs cspa cict cidt ciwt ciot cqdt cadt ccvt ciqt ciea"
    " cxea cfea ctsa csup csuc cifa cifc tpdp ectc cpdp lpdp spdp ctetx cxetx cetsx cqdtx cadtx ccvtx ciqtx"
    + "".join(f" {c}su{kind}" for _, c in _APPL for kind in ("cp", "ocp", "sp"))
)
_COUNTS = (
    "cswc crcp cncp ccus ctot ccde ccca cswi cmpl cq capr caco caxm cvio chsp cchs cspv csvi cshs csmp cssw cunk cidl cpqu csac circ ctou ciou"
    " ciod apu apd fqd rcou rcod ifau ifad supu supd"
)
_ADDED = tuple(f"r723{name}" for name in f"{_REAL} {_COUNTS}".split())
# Group and title in print → fields, and whether print leaves out one that is 0.
_DELAYS: tuple[tuple[str, str, str, bool], ...] = (
    ("EXEC USING%", "CPU", "ccus", False),
    ("EXEC USING%", "AAP", "ifau", False),
    ("EXEC USING%", "IIP", "supu", False),
    ("EXEC USING%", "I/O", "ciou", False),
    ("EXEC DELAYS %", "TOT", "ctot", False),
    ("EXEC DELAYS %", "CPU", "ccde", False),
    ("EXEC DELAYS %", "I/O", "ciod", False),
    ("EXEC DELAYS %", "AAP", "ifad", True),
    ("EXEC DELAYS %", "IIP", "supd", True),
    ("EXEC DELAYS %", "CAP", "ccca", True),
    ("EXEC DELAYS %", "SWIN", "cswi", True),
    ("EXEC DELAYS %", "MPL", "cmpl", True),
    ("EXEC DELAYS %", "QMPL", "cq", True),
    ("EXEC DELAYS %", "AUX", "capr caco caxm cvio chsp cchs", True),
    ("EXEC DELAYS %", "SRV", "cspv csvi cshs csmp cssw", True),
    ("USING%", "CRY", "apu", False),
    ("USING%", "CNT", "rcou", False),
    ("DELAY %", "UNK", "cunk", False),
    ("DELAY %", "IDL", "cidl", False),
    ("DELAY %", "CRY", "apd fqd", False),
    ("DELAY %", "CNT", "rcod", False),
    ("", "QUI", "cpqu", False),
)
_STATES = (
    *(("ACTIVE", "SUB", "ract"), ("ACTIVE", "APPL", "rapp"), ("", "READY", "rrdy"), ("", "IDLE", "ridl")),
    *(
        ("WAITING FOR", state, field)
        for state, field in (("LOCK", "rwlo"), ("I/O", "rwio"), ("CONV", "rwco"), ("DIST", "rwds"))
    ),
    *(("WAITING FOR", state, field) for state, field in (("MISC", "rwms"), ("TIMER", "rwtm"), ("OTHER", "rwo"))),
    *(
        ("SWITCHED SAMPL(%)", state, field)
        for state, field in (("LOCAL", "rssl"), ("SYSPL", "rsss"), ("REMOT", "rssn"))
    ),
)
_GOALS = ("percentile", "average", "velocity", "discretionary", "system")
_UNITS = (0.001, 1.0, 60.0, 3600.0)
_LAST = float("inf")

FORM = RecordForm(
    "72.3",
    single=("header", "smf72pro", "r723wms", "r723rgs"),
    several=("r723scs", "r723wrs"),
    vectors=("r723rts",),
    fields={
        **fields("smf72"),
        **fields(
            "r723",
            real=_REAL,
            number=_COUNTS,
            text="mnsp mdsp mcnm mcde mwnm midn midu midd mopt ggnm rtyp",
            moment="mtpa mtdi",
        ),
        **fields(
            "r723",
            number="mtv_ mcpu mioc mmso msrb madj nffi nffs mcf mcfs mcfi cval cpct rtdm cper cimp crtx cwmx cwmn ress"
            + "".join(f" {field}" for *_, field in _STATES),
            duration="mtvl",
            flags="mscf crtf crgf rflg",
        ),
        # Names of rows.
        **kinds(
            text="class_kind workload service_class report_class critical io_priority_group goal_type delay_group reason subsystem phase"
            " state_group state installed of_system",
            yes="is_total has_aap has_iip",
        ),
    },
)

_OF_PAGE: Mapping[str, str] = {"policy_activated_at": "r723mtpa"}
_OF_CLASS: Mapping[str, str] = {
    **_OF_PAGE,
    "class_kind": "class_kind",
    "policy": "r723mnsp",
    "workload": "workload",
    "service_class": "service_class",
    "report_class": "report_class",
    "period": "period",
}
_CPU_S = "r723madj / (16000000.0 * r723mcpu / 10000)"
_SU_S = "r723madj / 16000000.0"
_ON_CP = "100 / NULLIF(smf72int * r723mcf / 1024, 0)"
_ON_IIP = "100 / NULLIF(smf72int * r723mcfs / 1024, 0)"
_ON_AAP = "100 / NULLIF(smf72int * r723mcfi / 1024, 0)"


def _mean(newer: str, older: str) -> str:
    """Seconds of a transaction. Older releases have no µs."""
    return f"COALESCE({newer} / 1000000, {older} * 0.001024) / NULLIF(r723crcp, 0)"


def _deviation() -> str:
    x, xx = (
        "COALESCE(r723ctetx / 1000000, r723ctet * 0.001024)",
        "COALESCE(r723cetsx / 1000000000000, r723cets * 0.001024 * 0.001024)",
    )
    square = f"(r723crcp * {xx} - {x} * {x}) / NULLIF(r723crcp * (r723crcp - 1), 0)"
    return f"CASE WHEN {square} >= 0 THEN SQRT({square}) END"


ACTIVITY: Mapping[str, str] = {
    **_OF_CLASS,
    "resource_group": "r723ggnm",
    "importance": "importance",
    "critical": "critical",
    "io_priority_group": "io_priority_group",
    "description": "r723mcde",
    "transactions_avg": "r723ctat * 0.001024 / smf72int",
    "transactions_mpl": "r723ctrr * 0.001024 / smf72int",
    "transactions_ended": "r723crcp",
    "transactions_per_s": "r723crcp / smf72int",
    "swaps": "r723cswc",
    "transactions_executed": "r723cncp",
    "enclaves_avg": "r723ciea * 0.001024 / smf72int",
    "enclaves_remote_avg": "r723cfea * 0.001024 / smf72int",
    "enclaves_multisystem_avg": "r723cxea * 0.001024 / smf72int",
    **{f"transaction_appl_{name}_cp_pct": f"r723{c}sucp * {_SU_S} * {_ON_CP}" for name, c in _APPL},
    **{f"transaction_appl_{name}_on_cp_pct": f"r723{c}suocp * {_SU_S} * {_ON_CP}" for name, c in _APPL},
    **{f"transaction_appl_{name}_ziip_pct": f"r723{c}susp * {_SU_S} * {_ON_IIP}" for name, c in _APPL},
    **{f"{name}_time_s": _mean(f"r723c{c}x", f"r723c{c}") for name, c in _TIMES.items()},
    "time_stddev_s": _deviation(),
    "ssch_per_s": "r723circ / smf72int",
    "dasd_response_ms": "(r723cict + r723cidt + r723ciwt + r723ciot) * 0.128 / NULLIF(r723circ, 0)",
    "dasd_connect_ms": "r723cict * 0.128 / NULLIF(r723circ, 0)",
    "dasd_disconnect_ms": "r723cidt * 0.128 / NULLIF(r723circ, 0)",
    "dasd_qpend_ms": "r723ciwt * 0.128 / NULLIF(r723circ, 0)",
    "dasd_iosq_ms": "r723ciot * 0.128 / NULLIF(r723circ, 0)",
    "ioc_service": "r723cioc",
    "cpu_service": "r723ccpu",
    "mso_service": "r723cmso",
    "srb_service": "r723csrb",
    "total_service": "r723csrv",
    "service_per_s": "r723csrv / smf72int",
    "absorption_rate": "r723csrv / NULLIF(r723ctrr * 0.001024, 0)",
    "transaction_service_rate": "r723csrv / NULLIF(r723ctat * 0.001024, 0)",
    "cpu_time_s": f"r723ccpu * {_CPU_S}",
    "srb_time_s": "r723csrb * r723madj / (16000000.0 * r723msrb / 10000)",
    "rct_time_s": "r723crct / 1000000",
    "iit_time_s": "r723ciit / 1000000",
    "hst_time_s": "r723chst / 1000000",
    "aap_time_s": f"CASE WHEN has_aap THEN r723cifa * {_CPU_S} END",
    "iip_time_s": f"CASE WHEN has_iip THEN r723csup * {_CPU_S} END",
    "appl_cp_pct": f"((r723ccpu - r723cifa * r723nffi / 256 - r723csup * r723nffs / 256) * {_CPU_S}"
    f" + r723csrb * r723madj / (16000000.0 * r723msrb / 10000) + (r723crct + r723ciit + r723chst) / 1000000) * {_ON_CP}",
    "appl_aapcp_pct": f"CASE WHEN has_aap THEN r723cifc * {_CPU_S} * {_ON_CP} END",
    "appl_iipcp_pct": f"CASE WHEN has_iip THEN r723csuc * {_CPU_S} * {_ON_CP} END",
    "appl_aap_pct": f"CASE WHEN has_aap THEN r723cifa * {_CPU_S} * {_ON_AAP} END",
    "appl_iip_pct": f"CASE WHEN has_iip THEN r723csup * {_CPU_S} * {_ON_IIP} END",
    "promoted_blk_s": "r723tpdp * 0.001024",
    "promoted_enq_s": "r723ectc * 0.001024",
    "promoted_crm_s": "r723cpdp * 0.001024",
    "promoted_lck_s": "r723lpdp * 0.001024",
    "promoted_sup_s": "r723spdp * 0.001024",
    "storage_avg_frames": "r723cprs / NULLIF(r723ctrr, 0)",
    "storage_total_frames": "r723cprs * 0.001024 / smf72int",
    "storage_shared_frames": "r723csrs * 0.001024 / smf72int",
    "page_in_single_per_s": "r723cpir / NULLIF((r723ctrr - r723ciea) * 0.001024, 0)",
    "page_in_block_per_s": "r723cbpi / NULLIF((r723ctrr - r723ciea) * 0.001024, 0)",
    "page_in_shared_per_s": "r723cspa / NULLIF((r723ctrr - r723ciea) * 0.001024, 0)",
    "page_in_hsp_per_s": "r723chpi / NULLIF((r723ctrr - r723ciea) * 0.001024, 0)",
}
_ACTUAL = _mean("r723ctetx", "r723ctet")
_VELOCITY = "100 * r723ctou / NULLIF(r723ctou + r723ctot, 0)"
GOALS: Mapping[str, str] = {
    **_OF_CLASS,
    "system": "of_system",
    "is_total": "is_total",
    "goal_type": "goal_type",
    "goal_s": "goal_s",
    "goal_pct": "CASE WHEN goal_type = 'velocity' THEN r723cval WHEN goal_type = 'percentile' THEN r723cpct END",
    "actual_s": f"CASE WHEN goal_type = 'average' THEN {_ACTUAL} END",
    "actual_pct": "CASE WHEN goal_type = 'percentile' THEN 100 * within / NULLIF(distributed, 0) END",
    "velocity_pct": _VELOCITY,
    "performance_index": f"CASE WHEN goal_type = 'velocity' THEN r723cval / NULLIF({_VELOCITY}, 0)"
    f" WHEN goal_type = 'average' THEN {_ACTUAL} / NULLIF(goal_s, 0) WHEN goal_type = 'percentile' THEN reached_pct / 100 END",
    "address_spaces_avg": "r723csac / NULLIF(r723mtv_, 0)",
}
DELAYS: Mapping[str, str] = {
    **_OF_CLASS,
    "system": "of_system",
    "is_total": "is_total",
    "delay_group": "delay_group",
    "reason": "reason",
    "pct": "100 * samples / NULLIF(r723ctsa, 0)",
}
DISTRIBUTION: Mapping[str, str] = {
    **_OF_CLASS,
    "system": "of_system",
    "upper_bound_s": "r723rtdm / 1000 * bound / 100",
    "occurrence": "occurrence",
    "transactions": "transactions",
    "transactions_cumulative": "up_to",
    "pct": "100 * transactions / NULLIF(distributed, 0)",
    "cumulative_pct": "100 * up_to / NULLIF(distributed, 0)",
}
# The time of a phase: its samples, a WLM sampling interval each, of the time of all transactions.
BREAKDOWN: Mapping[str, str] = {
    **_OF_CLASS,
    "subsystem": "r723rtyp",
    "phase": "phase",
    "state_group": "state_group",
    "state": "state",
    "pct": "CASE WHEN state = 'TIME (%)' THEN 100 * samples * r723mtvl / NULLIF(COALESCE(r723ctetx / 1000000, r723ctet * 0.001024), 0)"
    " ELSE 100 * samples / NULLIF(r723ress, 0) END",
}
POLICY: Mapping[str, str] = {
    **_OF_PAGE,
    "service_definition": "r723midn",
    "service_definition_description": "r723midd",
    "installed_at_printed": "installed",
    "installed_by": "r723midu",
    "policy": "r723mnsp",
    "policy_description": "r723mdsp",
    "norm_factor_aap": "CASE WHEN has_aap THEN r723nffi / 256 END",
    "norm_factor_iip": "CASE WHEN has_iip THEN r723nffs / 256 END",
    "coefficient_ioc": "r723mioc / 10000",
    "coefficient_cpu": "r723mcpu / 10000",
    "coefficient_srb": "r723msrb / 10000",
    "coefficient_mso": "r723mmso / 10000",
}
POLICY_SYSTEM: Mapping[str, str] = {
    **_OF_PAGE,
    "system": "of_system",
    "opt": "r723mopt",
    "su_per_s": "16000000.0 / NULLIF(r723madj, 0)",
    "system_interval_s": "smf72int",
}


def _of_class(record: Record) -> dict[str, Any]:
    flags = record.one["r723mscf"]
    is_report = is_on(flags, 0)
    kind = None if is_report is None else "report_class" if is_report else "service_class"
    name = record.one["r723mcnm"]
    cpu, storage = is_on(flags, 4), is_on(flags, 5)
    critical = "+".join(word for word, on in (("CPU", cpu), ("STORAGE", storage)) if on) or "NONE"
    return {
        **_of_system(record),
        "class_kind": kind,
        "service_class": None if is_report else name,
        "report_class": name if is_report else None,
        "workload": None if is_report else record.one["r723mwnm"],
        "critical": None if flags is None or is_report else critical,
        "io_priority_group": None if flags is None or is_report else "HIGH" if is_on(flags, 7) else "NORMAL",
    }


def _of_system(record: Record) -> dict[str, Any]:
    """A machine without an engine of a type has no time on it."""
    flags = record.one["smf72prf"]
    of_system = header(record, "smf72")
    name = record.one["smf72snm"] or of_system["system"]
    return {**of_system, "scope": name, "of_system": name, "has_aap": is_on(flags, 4), "has_iip": is_on(flags, 5)}


def _periods(record: Record) -> Iterator[tuple[Fields, dict[str, Any]]]:
    """Each period, with the names of its rows."""
    of_class = _of_class(record)
    kind = of_class["class_kind"] and f"{of_class['class_kind']}_period"
    for period in record.many["r723scs"]:
        yield (
            period,
            {
                **of_class,
                **{name: period[name] for name in FORM.fields if name.startswith("r723") and name in period},
                **dict.fromkeys(name for name in _ADDED if name not in period),
                "class_kind": kind,
                "period": period["r723cper"],
                "importance": period["r723cimp"] or None,
            },
        )


def activity_rows(record: Record) -> Iterator[dict[str, Any]]:
    """The periods, and the class."""
    periods = [names for _, names in _periods(record)]
    yield from periods
    if periods:
        added = {name: _sum([names[name] for names in periods]) for name in _ADDED}
        yield {**_of_class(record), **added, "period": None, "importance": None}


def _sum(values: Sequence[float | None]) -> float | None:
    return None if None in values else sum(v for v in values if v is not None)


def _distribution(record: Record, period: Fields) -> list[tuple[float, float]]:
    """Per cent of the goal and transactions of each bucket; empty where there is none, or where it does not fit its scale."""
    at, every = period["r723crtx"], record.many["r723rts"]
    if not at or not 1 <= at < len(every):
        return []
    scale, counts = every[0]["vector"], every[int(at)]["vector"]
    if scale is None or counts is None or len(scale) != len(counts) or None in (*scale, *counts):
        return []
    return list(zip(scale, counts, strict=True))


def _both(names: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The row of the system, and that of all systems of its scope, which has no other."""
    yield {**names, "is_total": False}
    yield {**names, "of_system": "*ALL", "is_total": True}


def goal_rows(record: Record) -> Iterator[dict[str, Any]]:
    """The index of a percentile goal is that of the bucket in which it is reached; beyond the last but one it is unknown."""
    for period, names in _periods(record):
        flags, unit = period["r723crgf"], period["r723crtf"]
        kind = next((kind for bit, kind in enumerate(_GOALS) if is_on(flags, bit)), None)
        value = next((size for bit, size in enumerate(_UNITS) if is_on(unit, bit)), None)
        goal = period["r723cval"]
        buckets = _distribution(record, period)
        every, share = sum(many for _, many in buckets), period["r723cpct"]
        reached, up_to, wanted = None, 0.0, 0.0 if share is None else share * every
        for bound, many in buckets if every and share is not None else ():
            up_to += many
            if 100 * up_to >= wanted:
                reached = None if bound == _LAST else bound
                break
        yield from _both(
            {
                **names,
                "goal_type": kind,
                "goal_s": None
                if goal is None or value is None or kind not in ("average", "percentile")
                else goal * value,
                "within": sum(many for bound, many in buckets if bound <= 100) if buckets else None,
                "distributed": every if buckets else None,
                "reached_pct": reached,
            }
        )


def delay_rows(record: Record) -> Iterator[dict[str, Any]]:
    for period, names in _periods(record):
        for group, reason, some, is_optional in _DELAYS:
            samples = _sum([period[f"r723{name}"] for name in some.split()])
            is_there = {"AAP": names["has_aap"], "IIP": names["has_iip"]}.get(reason, True)
            if samples or not is_optional:
                yield from _both(
                    {**names, "delay_group": group, "reason": reason, "samples": samples if is_there else None}
                )


def distribution_rows(record: Record) -> Iterator[dict[str, Any]]:
    for period, names in _periods(record):
        buckets = _distribution(record, period)
        up_to, every = 0.0, sum(many for _, many in buckets)
        for bound, many in buckets:
            up_to += many
            known = None if bound == _LAST else bound
            yield {
                **names,
                "bound": known,
                "occurrence": 1.0,
                "transactions": many,
                "up_to": up_to,
                "distributed": every,
            }


def breakdown_rows(record: Record) -> Iterator[dict[str, Any]]:
    """States of a period are its own sections, by number from 1."""
    states = record.many["r723wrs"]
    for period, names in _periods(record):
        first, many = period["r723cwmx"], period["r723cwmn"]
        own = (
            states[int(first) - 1 : int(first + many) - 1]
            if first and many and 1 <= first <= first + many - 1 <= len(states)
            else ()
        )
        for section in own:
            flags = section["r723rflg"]
            phase = "BTE" if is_on(flags, 0) else "EXE" if is_on(flags, 1) else None
            of_phase = {**names, "r723rtyp": section["r723rtyp"], "phase": phase, "r723ress": section["r723ress"]}
            for group, state, field in (("", "TIME (%)", "ress"), *_STATES):
                yield {**of_phase, "state_group": group, "state": state, "samples": section[f"r723{field}"]}


def policy_rows(record: Record) -> Iterator[dict[str, Any]]:
    """The time of installation is printed so."""
    at = record.one["r723mtdi"]
    yield {**_of_system(record), "installed": at and at.strftime("%m/%d/%Y %H.%M.%S")}


def system_rows(record: Record) -> Iterator[dict[str, Any]]:
    yield _of_system(record)


ROWS = (
    RecordRows(FORM, "rmf_workload_activity", activity_rows),
    RecordRows(FORM, "rmf_workload_goal", goal_rows),
    RecordRows(FORM, "rmf_workload_delay", delay_rows),
    RecordRows(FORM, "rmf_response_time_distribution", distribution_rows),
    RecordRows(FORM, "rmf_workload_response_breakdown", breakdown_rows),
    RecordRows(FORM, "rmf_service_policy", policy_rows, once=True),
    RecordRows(FORM, "rmf_service_policy_system", system_rows, once=True),
)
