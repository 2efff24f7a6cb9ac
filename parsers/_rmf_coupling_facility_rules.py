"""Consistency rules of RMF Coupling Facility Activity, and the common start of the keys of its tables.

Source: RMF Report Analysis, "Coupling Facility Activity report"; a rule that published pages break is a warning and says so.
"""

from ..pipeline.declaration.rules import TOTALS, AtMost, Ratio, Rule, Share, Sum, Total

KEY = ("sysplex", "report_kind", "interval_start", "interval_end", "cf_name")
_RMF = "RMF Report Analysis, Coupling Facility Activity"


def _rate(found: str = "requests_per_s", of: str = "requests") -> Ratio:
    """A rate over the interval; RMF divides by the measured length, but prints it rounded."""
    return Ratio(
        name=f"{found}_of_the_interval",
        found=found,
        of=(of,),
        per="interval_s",
        digit=0.1,
        within_share=0.0005,
        severity="warn",
        source=_RMF,
    )


SUMMARY_RULES: tuple[Rule, ...] = (
    _rate(),
    # Published excerpts show only some of the structures above their totals.
    Total(
        name="totals_are_the_sum_of_their_rows",
        of={0: ("allocated_bytes", "requests"), 0.1: ("cf_storage_pct", "all_requests_pct", "cf_utilization_pct")},
        over=KEY,
        severity="warn",
        source=_RMF,
    ),
    Share(
        name="share_of_all_requests",
        pct="all_requests_pct",
        of="requests",
        over=KEY,
        whole="requests",
        total=TOTALS,
        digit=0.1,
        severity="warn",
        source=_RMF,
    ),
    *(
        AtMost(
            name=f"{what}_in_use_are_within_the_total", parts=(f"{what}_current",), most=(f"{what}_total",), source=_RMF
        )
        for what in ("list_directory_entries", "data_elements", "lock_entries")
    ),
)

USAGE_RULES: tuple[Rule, ...] = (
    Sum(
        name="storage_adds_up",
        total="total_storage_bytes",
        parts=("structure_storage_bytes", "dump_storage_bytes", "available_storage_bytes"),
        severity="warn",
        source=f"{_RMF}; field knowledge",
    ),
)

MEMORY_RULES: tuple[Rule, ...] = tuple(
    AtMost(
        name=f"{what}_in_storage_class_memory_are_within_the_maximum",
        parts=(f"{what}_current",),
        most=(f"{what}_max",),
        # The maximum is an estimate.
        severity="warn",
        source=f"{_RMF}; field knowledge",
    )
    for what in ("list_entries", "list_elements")
)

_DELAYED_BY = tuple(f"delayed_{name}_requests" for name in ("no_sch", "pr_wt", "pr_cmp", "dump", "monop"))
_ADDED_UP = ("requests", "sync_requests", "async_requests", "changed_requests", "suppressed_requests", *_DELAYED_BY)
_STRUCTURE = (*KEY, "structure_name")
ACTIVITY_RULES: tuple[Rule, ...] = (
    Sum(name="requests_add_up", total="requests", parts=("sync_requests", "async_requests"), source=_RMF),
    _rate(),
    AtMost(
        name="changed_are_within_asynchronous",
        parts=("changed_requests",),
        most=("async_requests",),
        source=f"{_RMF}: INCLUDED IN ASYNC",
    ),
    AtMost(name="false_contention_is_contention", parts=("contention_false",), most=("contention_total",), source=_RMF),
    # A published page has more contentions than deferred requests.
    AtMost(
        name="contentions_were_deferred",
        parts=("contention_total",),
        most=("contention_deferred",),
        severity="warn",
        source=_RMF,
    ),
    AtMost(name="deferred_are_requests", parts=("contention_deferred",), most=("contention_requests",), source=_RMF),
    Total(name="total_is_the_sum_of_its_systems", of={0: _ADDED_UP}, over=_STRUCTURE, source=_RMF),
    # Each rate is compared at its own last digit: 22.92, 701.7 and 11691 are on one page.
    Total(
        name="total_rate_is_the_sum_of_its_systems",
        of={0.1: ("requests_per_s",)},
        over=_STRUCTURE,
        severity="warn",
        source=_RMF,
    ),
    *(
        Share(
            name=f"{kind}_share_of_all",
            pct=f"{kind}_pct",
            of=f"{kind}_requests",
            over=_STRUCTURE,
            whole="requests",
            total=TOTALS,
            digit=0.1,
            severity="warn",
            source=_RMF,
        )
        for kind in ("sync", "async", "changed", "suppressed")
    ),
)

SUBCHANNEL_RULES: tuple[Rule, ...] = (_rate(),)

CF_TO_CF_RULES: tuple[Rule, ...] = (
    _rate("sync_requests_per_s", "sync_requests"),
    Ratio(
        name="delayed_share_of_the_requests",
        found="delayed_pct",
        of=("delayed_requests",),
        per="sync_requests",
        times=100,
        digit=0.1,
        severity="warn",
        source=_RMF,
    ),
)
