"""The analysis parts of CPU Activity in its XML document, with the digits of print.

Source: published documents of z/OS V2R4 and V2R5.
"""

from collections.abc import Iterator

from ...pipeline.printing.pages import Section
from ..contents.common import Row
from ._xml_forms import row, table, variables
from .work_units import NOT_BLOCKED, bucket_bounds, of_spaces

_SPACES = {
    "in": "IN Queue",
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
_UNPARKED = "Avg Number of Processors Online and Unparked (N)"


def analysis_parts(report: Row) -> Iterator[Section]:
    """The parts behind the processors."""
    spaces = of_spaces(report["spaces"])
    titles = ("MIN", "MAX", "AVG")
    yield _begin("System Address Space Analysis", "", ("Type", *(f"Number of Address Spaces: {t}" for t in titles)))
    for name, label in _SPACES.items():
        yield _sampled(label, name, spaces) if name else Section(row("", "", "", ""))
    yield _END
    n = variables([(_UNPARKED, "%(unparked)5.1f")])
    head = _begin("Distribution of In-ready Work Unit Queue", n, ("Number of Work Units", "% of Samples"))
    yield Section(head.form, {"unparked": report["unparked"]})
    for number, share in enumerate(report["samples_pct"]):
        yield Section(row(_bucket(number), "%(share)5.1f"), {"share": share})
    yield _END
    yield _begin("Work Unit Analysis", "", ("CPU Type", *(f"Number of Work Units: {t}" for t in titles)))
    for kind, one in report["units"].items():
        yield _sampled(kind, "work_units", one)
    yield _END
    blocked = [
        ("OPT Parameter: BLWLTRPCT (%)", "%(promote_limit_pct)5.1f"),
        ("OPT Parameter: BLWLINTHD", "%(promote_after_s)5d"),
        ("Promote Rate Defined", "%(promotes_defined_per_s)8d"),
        ("Promote Rate Used(%)", "%(promotes_used_pct)8d"),
        ("Avg Waiters for Promote", "%(waiters_avg)7.3f"),
        ("Peak Waiters for Promote", "%(waiters_peak)6d"),
    ]
    yield Section(
        f"<part><name>Blocked Workload Analysis</name>\n{variables(blocked)}\n</part>", NOT_BLOCKED | report["blocked"]
    )


_END = Section("</table></part>")


def _begin(name: str, above: str, headings: tuple[str, ...]) -> Section:
    return Section("\n".join(filter(None, [f"<part><name>{name}</name>", above, table(headings)])))


def _sampled(label: str, name: str, values: Row) -> Section:
    return Section(row(label, f"%({name}_min)6d", f"%({name}_max)6d", f"%({name}_avg)7.1f"), values)


def _bucket(number: int) -> str:
    relation, above = bucket_bounds(number)
    sign = relation.replace("<", "&lt;").replace(">", "&gt;")
    return f"{sign}N+{above}" if above else f"{sign}N"
