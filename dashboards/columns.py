"""What the columns of a comparison are called, measured in and mean: tables, axes and tooltips all read it here."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class ColumnInfo:
    """`title` as a person reads it, `unit` (empty for counts), `doc` in one sentence."""

    title: str
    unit: str
    doc: str

    @property
    def axis(self) -> str:
        """Title with its unit, for an axis or a table heading."""
        return f"{self.title} ({self.unit})" if self.unit else self.title


ENGINE = "% of one engine"

COLUMNS = {
    "cp_pct": ColumnInfo(
        "General-processor time", ENGINE, "CP of APPL %: what is paid for; zIIP-eligible time that ran there is in it."
    ),
    "cpu_pct": ColumnInfo("CPU", ENGINE, "CP + zIIP (+ zAAP) of APPL %; zIIP time as it is, not normalised."),
    "non_ziip_eligible_pct": ColumnInfo(
        "Not zIIP-eligible", ENGINE, "CP − IIPCP − AAPCP: must run on a general processor."
    ),
    "ziip_on_cp_pct": ColumnInfo(
        "zIIP-eligible on CP", ENGINE, "IIPCP: could have run on a zIIP, ran on a general processor."
    ),
    "ziip_pct": ColumnInfo("On zIIP", ENGINE, "IIP: ran on a zIIP."),
    "other_pct": ColumnInfo(
        "zAAP or not split", ENGINE, "zAAP time, and CPU of pages that print no specialty engines."
    ),
    "non_ziip_pct": ColumnInfo("CP − (IIP + IIPCP)", ENGINE, "The published formula; negative where zIIPs run."),
    "transactions_ended": ColumnInfo("Transactions", "ended", "Transactions that ended in the selected intervals."),
    "cpu_ms_per_transaction": ColumnInfo(
        "CPU per transaction", "ms", "CPU seconds of the class over its ended transactions."
    ),
    "cp_ms_per_transaction": ColumnInfo(
        "General-processor time per transaction", "ms", "CP of the class over its ended transactions: what is paid for."
    ),
    "class_response_ms": ColumnInfo("Response time", "ms", "Average ACTUAL time, weighted by ended transactions."),
    "requests_per_s": ColumnInfo("Requests", "1/s", "Requests a second over the selected intervals."),
    "cp_ms_per_request": ColumnInfo(
        "General-processor time per request",
        "ms",
        "CP of the charged classes over the requests: what is paid for; zIIP-eligible time that ran there is in it.",
    ),
    "cpu_normalized_ms_per_request": ColumnInfo(
        "CPU per request, zIIP time normalised", "ms", "CP + normalisation factor × (IIP + AAP) over the requests."
    ),
    "cpu_ms_per_request": ColumnInfo(
        "CPU per request", "ms", "Processor time of the charged classes over the requests; zIIP time as it is."
    ),
    "non_ziip_eligible_ms_per_request": ColumnInfo("Not zIIP-eligible", "ms", "CP − IIPCP − AAPCP a request."),
    "ziip_on_cp_ms_per_request": ColumnInfo("zIIP-eligible on CP", "ms", "IIPCP a request."),
    "ziip_ms_per_request": ColumnInfo("On zIIP", "ms", "IIP a request."),
    "response_ms": ColumnInfo("Response time", "ms", "Mean response time, weighted by requests."),
    "itr_per_s": ColumnInfo(
        "Internal throughput rate",
        "1/s",
        "Requests a second over the busy share: extrapolated to processors that are always busy.",
    ),
    "goals_missed_pct": ColumnInfo(
        "Intervals that missed the goal", "%", "Of those with a performance index, above 1."
    ),
}

Columns = Mapping[str, ColumnInfo]

PARTS = ("non_ziip_eligible_pct", "ziip_on_cp_pct", "ziip_pct", "other_pct")
CLASS_KINDS = {"service_class": "service class", "report_class": "report class"}
CLASS_KINDS_MANY = {"service_class": "service classes", "report_class": "report classes"}
# The parts of a request's cost, and the parts of CPU that they are: both have one colour.
PART_OF_COST = {
    "non_ziip_eligible_ms_per_request": "non_ziip_eligible_pct",
    "ziip_on_cp_ms_per_request": "ziip_on_cp_pct",
    "ziip_ms_per_request": "ziip_pct",
}
