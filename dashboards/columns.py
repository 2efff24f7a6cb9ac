"""Titles, units and meanings of the columns of a comparison, for tables, axes and tooltips."""

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
}

BUSY_BASES = {"cp": "general processors", "cp_and_ziip": "general processors and zIIPs"}
CLASS_KINDS = {"service_class": "service class", "report_class": "report class"}
CLASS_KINDS_MANY = {"service_class": "service classes", "report_class": "report classes"}
# Parts of the cost per request and the CPU parts with the same colour.
PART_OF_COST = {
    "non_ziip_eligible_ms_per_request": "non_ziip_eligible_pct",
    "ziip_on_cp_ms_per_request": "ziip_on_cp_pct",
    "ziip_ms_per_request": "ziip_pct",
}
# Names of costs in a sentence.
COST_WORDS = {
    "cp_ms_per_request": "general-processor time",
    "cpu_ms_per_request": "CPU time",
    "cpu_normalized_ms_per_request": "CPU time with zIIP time normalised",
}
# Terms of a first screen, explained on it: managers who decide may not know them.
TERMS = {
    "GP": "general processor, the engine whose time software is charged by",
    "zIIP": "specialty engine for eligible work, whose time is not charged; what finds none runs on general processors",
    "MSU": "million service units per hour, the unit of capacity that software is charged by",
    "index": "performance index of a goal; above 1 the goal is missed",
    "points": "a difference of two percentages of one engine: 100 points are one engine",
    "efficiency": "processor time of a request uncoupled over coupled",
    "95% interval": "where the true change lies with a certainty of 95%",
}
