"""Consistency rules of RMF Workload Activity, and the key of the rows of one class.

Source: RMF Report Analysis, "Workload Activity report"; a rule that published pages break is a warning and says which.
"""

from ..pipeline.declaration.rules import TOTALS, AtMost, Net, Ratio, Rule, Running, Same, Share, Sum, Total

KEY = (
    *("sysplex", "scope", "report_kind", "interval_start", "interval_end", "policy_activated_at"),
    *("class_kind", "policy", "workload", "service_class", "report_class", "period"),
)
_INTERVAL_KEY = KEY[:6]
_ON_CP = ("cpu_time_s", "srb_time_s", "rct_time_s", "iit_time_s", "hst_time_s")
_SPECIALTY = (("iip_time_s", "appl_iip_pct"), ("aap_time_s", "appl_aap_pct"))
_UNITS = ("ioc_service", "cpu_service", "mso_service", "srb_service")
_PROMOTED_TIMES = tuple(f"promoted_{reason}_s" for reason in ("blk", "enq", "crm", "lck", "sup"))
_RMF = "RMF Report Analysis, Workload Activity"


def _levels(name: str, total: tuple[str, ...], parts: tuple[str, ...], *names: str, at_most: bool = False) -> Total:
    """Blocks of one kind add up to those of another with the same `names`, or at most to them (`at_most`). A warning, because a site may
    print only some."""
    return Total(
        name=name,
        of={
            0: ("transactions_ended", "swaps", "transactions_executed", *_UNITS, "total_service"),
            0.001: (*_ON_CP, "iip_time_s", "aap_time_s"),
            0.01: ("appl_cp_pct", "appl_iipcp_pct", "appl_aapcp_pct", "appl_iip_pct", "appl_aap_pct"),
        },
        over=(*_INTERVAL_KEY, *names),
        total=("class_kind", total),
        rows=("class_kind", parts),
        within_share=0.0001,  # large values have fewer decimals
        at_most=at_most,
        severity="warn",
        source=_RMF,
    )


ACTIVITY_RULES: tuple[Rule, ...] = (
    # Units are counts times coefficients, each possibly rounded.
    Sum(name="service_adds_up", total="total_service", parts=_UNITS, digit=0.5, source=_RMF),
    # RMF divides by the measured length, but prints it with fewer digits.
    Ratio(
        name="service_rate",
        found="service_per_s",
        of=("total_service",),
        per="interval_s",
        digit=1,
        within_share=0.0001,
        severity="warn",
        source=_RMF,
    ),
    # Published pages are off by a hundredth, or divide another count.
    Ratio(
        name="ended_rate",
        found="transactions_per_s",
        of=("transactions_ended",),
        per="interval_s",
        within=0.01,
        within_share=0.0001,
        severity="warn",
        source=_RMF,
    ),
    # A warning: systems may have other interval lengths than the heading, and cores with two threads have a larger divisor.
    *(
        Ratio(
            name=f"{kind}_share_of_the_interval",
            found=f"appl_{kind}_pct",
            of=(f"{kind}_time_s",),
            per="interval_s",
            times=100,
            within=0.02,
            within_share=0.0001,
            severity="warn",
            source=_RMF,
        )
        for kind in ("iip", "aap")
    ),
    # A warning: a sysplex with systems of different speed has several factors.
    Net(
        name="cp_share_of_the_interval",
        found="appl_cp_pct",
        plus=_ON_CP,
        minus=_SPECIALTY,
        per="interval_s",
        over=_INTERVAL_KEY,
        times=100,
        within=0.02,
        within_share=0.0001,
        severity="warn",
        source="IBM SMF Explorer, utilization_cp; published pages recompute to two decimals",
    ),
    AtMost(
        name="eligible_time_is_within_cp",
        parts=("appl_iipcp_pct", "appl_aapcp_pct"),
        most=("appl_cp_pct",),
        digit=0.01,
        within_share=0.0001,
        source=_RMF,
    ),
    # A published page has 708,670 s promoted in an interval of 900 s.
    AtMost(
        name="promoted_time_is_within_cpu_time",
        parts=_PROMOTED_TIMES,
        most=_ON_CP,
        digit=0.001,
        within_share=0.0001,
        severity="warn",
        source=_RMF,
    ),
    _levels(
        "periods_add_up_to_their_class",
        ("service_class", "report_class"),
        ("service_class_period", "report_class_period"),
        "policy",
        "workload",
        "service_class",
        "report_class",
    ),
    _levels("service_classes_add_up_to_their_workload", ("workload",), ("service_class",), "policy", "workload"),
    _levels("service_classes_add_up_to_the_policy", ("policy",), ("service_class",), "policy"),
    # Work in no report class is only in the policy.
    _levels("report_classes_are_within_the_policy", ("policy",), ("report_class",), "policy", at_most=True),
)

GOAL_RULES: tuple[Rule, ...] = (
    # A published page has 5.64 s in the block and 15.59 s here.
    Same(
        name="response_time_of_all_systems",
        of="actual_s",
        table="rmf_workload_activity",
        other="actual_time_s",
        over=KEY,
        where=TOTALS,
        digit=0.001,
        severity="warn",
        source=_RMF,
    ),
)

DISTRIBUTION_RULES: tuple[Rule, ...] = (
    Running(
        name="buckets_add_up",
        found="transactions_cumulative",
        of="transactions",
        over=(*KEY, "system"),
        last="upper_bound_s",
        source=_RMF,
    ),
    Share(name="bucket_share", pct="pct", of="transactions", over=(*KEY, "system"), digit=0.1, source=_RMF),
    Share(
        name="cumulative_share",
        pct="cumulative_pct",
        of="transactions_cumulative",
        over=(*KEY, "system"),
        whole="transactions_cumulative",
        total=("upper_bound_s", (None,)),
        digit=0.1,
        source=_RMF,
    ),
    Same(
        name="buckets_add_up_to_ended",
        of="transactions",
        table="rmf_workload_activity",
        other="transactions_ended",
        over=KEY,
        where=("system", (None,)),
        severity="warn",
        source=_RMF,
    ),
)

IMPORTANCE_RULES: tuple[Rule, ...] = (
    Total(name="total_is_the_sum_of_its_rows", of={0: ("transactions",)}, over=KEY, source=_RMF),
)
