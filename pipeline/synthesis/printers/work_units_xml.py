"""The analysis parts of CPU Activity in its XML document, with the digits of print.

Source: published documents of z/OS V2R4 and V2R5.
"""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from ..contents.work_units import AddressSpaces, LoadAnalysis, Sampled
from ..pages import Section
from ._xml_forms import row, table, variables
from .work_units import bucket_bounds

_SPACES = {
    "in_storage": "IN Queue",
    "in_ready": "IN READY Queue",
    "out_ready": "OUT READY Queue",
    "out_wait": "OUT WAIT Queue",
    "logical_out_ready": "LOGICAL OUT READY Queue",
    "logical_out_wait": "LOGICAL OUT WAIT Queue",
    "": "",
    "batch": "BATCH Address Spaces",
    "stc": "STC Address Spaces",
    "tso": "TSO Address Spaces",
    "asch": "ASCH Address Spaces",
    "omvs": "OMVS Address Spaces",
}
assert {one.name for one in fields(AddressSpaces)} == set(_SPACES) - {""}
_UNPARKED = "Avg Number of Processors Online and Unparked (N)"


def analysis_parts(report: LoadAnalysis) -> Iterator[Section]:
    """The parts behind the processors."""
    spaces = vars(report.spaces)
    titles = ("MIN", "MAX", "AVG")
    yield _begin("System Address Space Analysis", "", ("Type", *(f"Number of Address Spaces: {t}" for t in titles)))
    for name, label in _SPACES.items():
        yield _sampled(label, spaces[name]) if name else Section(row("", "", "", ""))
    yield _END
    queue = report.queue
    n = variables([(_UNPARKED, "%(unparked)5.1f")])
    head = _begin("Distribution of In-ready Work Unit Queue", n, ("Number of Work Units", "% of Samples"))
    yield Section(head.form, {"unparked": queue.unparked})
    for number, share in enumerate(queue.shares_pct):
        yield Section(row(_bucket(number), "%(share)5.1f"), {"share": share})
    yield _END
    yield _begin("Work Unit Analysis", "", ("CPU Type", *(f"Number of Work Units: {t}" for t in titles)))
    for kind, one in report.units:
        yield _sampled(kind, one)
    yield _END
    blocked = [
        ("OPT Parameter: BLWLTRPCT (%)", "%(limit_pct)5.1f"),
        ("OPT Parameter: BLWLINTHD", "%(after_s)5d"),
        ("Promote Rate Defined", "%(promotes_per_s)8d"),
        ("Promote Rate Used(%)", "%(used_pct)8d"),
        ("Avg Waiters for Promote", "%(waiters)7.3f"),
        ("Peak Waiters for Promote", "%(waiters_peak)6d"),
    ]
    yield Section(f"<part><name>Blocked Workload Analysis</name>\n{variables(blocked)}\n</part>", vars(report.blocked))


_END = Section("</table></part>")


def _begin(name: str, above: str, headings: tuple[str, ...]) -> Section:
    return Section("\n".join(filter(None, [f"<part><name>{name}</name>", above, table(headings)])))


def _sampled(label: str, one: Sampled) -> Section:
    values: dict[str, Any] = {"least": one.least, "greatest": one.greatest, "mean": one.mean}
    return Section(row(label, "%(least)6d", "%(greatest)6d", "%(mean)7.1f"), values)


def _bucket(number: int) -> str:
    relation, above = bucket_bounds(number)
    sign = relation.replace("<", "&lt;").replace(">", "&gt;")
    return f"{sign}N+{above}" if above else f"{sign}N"
