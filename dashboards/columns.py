"""Titles, units and meanings of the columns of a comparison, for tables, axes and tooltips."""

from collections.abc import Mapping
from dataclasses import dataclass

from ..pipeline.declaration.columns import shared


@dataclass(frozen=True)
class ColumnInfo:
    """`unit` is empty for counts; `doc` is one sentence."""

    title: str
    unit: str
    doc: str

    @property
    def axis(self) -> str:
        """Title with its unit, for an axis or a table heading."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


ENGINE = "% of one engine"

COLUMNS = {name: ColumnInfo(said.title, said.unit, said.sentence) for name, said in shared().items() if said.title} | {
    "other_pct": ColumnInfo(
        "zAAP or not split", ENGINE, "zAAP time, and CPU of pages that do not print specialty engines."
    ),
    "non_ziip_pct": ColumnInfo("CP − (IIP + IIPCP)", ENGINE, "The published formula; negative where zIIPs run."),
    "transactions_ended": ColumnInfo("Transactions", "ended", "Transactions that ended in the selected intervals."),
    "cpu_ms_per_transaction": ColumnInfo(
        "CPU per transaction", "ms", "CPU time of the class divided by its ended transactions."
    ),
    "cp_ms_per_transaction": ColumnInfo(
        "General-processor time per transaction",
        "ms",
        "CP time of the class divided by its ended transactions: what is paid for.",
    ),
    "class_response_ms": ColumnInfo("Response time", "ms", "Average ACTUAL time, weighted by ended transactions."),
    "wait_us_per_transaction": ColumnInfo(
        "Wait for coupling facility structures", "µs per transaction", "Accesses per transaction × service time."
    ),
    "itr_per_s": ColumnInfo(
        "Internal throughput rate",
        "1/s",
        "Requests per second divided by the busy share: extrapolated to 100% busy processors.",
    ),
    "goals_missed_pct": ColumnInfo(
        "Intervals that missed the goal", "%", "Share of the intervals with a performance index in which it is above 1."
    ),
}

Columns = Mapping[str, ColumnInfo]

PARTS = ("non_ziip_eligible_pct", "ziip_on_cp_pct", "ziip_pct", "other_pct")
CLASS_KINDS = {"service_class": "service class", "report_class": "report class"}
CLASS_KINDS_MANY = {"service_class": "service classes", "report_class": "report classes"}
# Parts of the cost per request and the CPU parts with the same colour.
PART_OF_COST = {
    "non_ziip_eligible_ms_per_request": "non_ziip_eligible_pct",
    "ziip_on_cp_ms_per_request": "ziip_on_cp_pct",
    "ziip_ms_per_request": "ziip_pct",
}
