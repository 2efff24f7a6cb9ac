"""What if zIIP-eligible time of general processors ran on zIIPs: the edges of ziip_what_if. Worked by hand."""

from typing import Any

import pytest
from one_lake import Found, Rows, examples, shown
from rmf_rows import policy, processor, service_class
from views_lake import Row, span

approx = pytest.approx


def page(iip: float | None, iipcp: float | None, **other: Any) -> Row:
    """A minute of a class of so much zIIP and zIIP-eligible time, CP 60%."""
    return service_class("CICS", 60.0, appl_iip_pct=iip, appl_iipcp_pct=iipcp, **other)


def what_if(iip: float, iipcp: float, cp_busy: float = 50.0, *ziips: float, factor: float = 1.0) -> Rows:
    processors = [processor(0, cp_busy), *(processor(n, busy, kind="IIP") for n, busy in enumerate(ziips, 1))]
    return dict(rmf_workload_activity=[page(iip, iipcp)], rmf_cpu_activity=processors, **policy(factor))


# 0 and 0 in the second of six minutes; the fifth does not print it. Half a percent is some, be it on zIIPs or not, or on both.
ELIGIBLE = [(0.5, 0.0), (0.0, 0.0), (0.0, 0.5), (10.0, 20.0), (None, None), (0.5, 0.5)]
MINUTES = [page(iip, cp, line=10 + n) | span(n, 60) for n, (iip, cp) in enumerate(ELIGIBLE)]
OVERLAPPING = [
    page(50.0, iipcp, line=10 + n, source_id=source) | span(*at)
    for n, (iipcp, source, at) in enumerate(((10.0, "s1", (0, 60)), (10.0, "s1", (0, 180)), (10.0, "s1", (10, 60)), (11.0, "s2", (10, 60))))
]  # fmt: skip
FROM = "FROM ziip_what_if"


@examples(
    ("interval and factor", what_if(50.0, 10.0, 70.0, 60.0, factor=2.0),
     "interval_start, interval_end, interval_s, scope, report_kind, normalization_factor, normalization_source, ziip_time_source, cp_engines_busy,"
     f" is_overlapping, is_conflicting {FROM}",
     [(*span(0, 60).values(), "SYSA", "interval", 2, "policy_page", "appl", approx(0.7), False, False)]),
    ("no eligible time is not listed", {"rmf_workload_activity": MINUTES}, f"minute(interval_start), crossover_pct {FROM} ORDER BY ALL",
     [(0, approx(0)), (2, approx(100)), (3, approx(200 / 3)), (5, approx(50))]),
    # 80 + 20 of 100%.
    ("zIIPs busy all the time fit", what_if(80.0, 20.0, 50.0, 80.0), f"busy_after_pct, fits {FROM}", [(approx(100), True)]),
    ("no zIIPs", what_if(0.0, 20.0), f"engines_online, engines_capacity, engines_busy_after, busy_after_pct, fits {FROM}", [(0, 0, approx(0.2),
     None, False)]),
    # 20% of an engine, where one general processor is busy and where none is.
    *((f"saved of {busy}%", what_if(0.0, 20.0, busy, 50.0), f"cp_engines_saved, cp_saved_pct {FROM}", [(approx(0.2), saved)])
      for busy, saved in ((100.0, approx(20)), (0.0, None))),
    ("overlaps and prints that differ", {"rmf_workload_activity": OVERLAPPING},
     f"is_overlapping, is_conflicting {FROM} ORDER BY interval_start, interval_end", [(True, False), (False, False), (False, True)]),
    # A factor of zero says nothing of zIIPs.
    ("factor of zero", what_if(50.0, 10.0, 50.0, 60.0, factor=0.0),
     f"engines_eligible, engines_busy_after, busy_after_pct, fits, cp_engines_saved {FROM}",
     [(None, None, None, None, approx(0.1))]),
)  # fmt: skip
def test_what_if(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)
