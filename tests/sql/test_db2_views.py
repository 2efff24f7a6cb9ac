"""Views of Db2's locks: what goes in, what must come out, worked by hand."""

from collections.abc import Mapping

import pytest
from db2_rows import counter_rows
from one_lake import Found, Rows, examples, shown
from views_lake import expect, one_row, sample_rows

approx = pytest.approx

# As published: 3236 + 334 + 863 suspends of 2,334,358 requests; the page prints 0.19 and 0.04.
PUBLISHED = {
    "GLOBAL CONTENTION RATE (%)": 0.19,
    "FALSE CONTENTION RATE (%)": 0.04,
    "LOCK REQUESTS (P-LOCKS)": 107400.0,
    "SYNCH.XES - LOCK REQUESTS": 1478800.0,
    "SYNCH.XES - CHANGE REQUESTS": 45450.0,
    "SYNCH.XES - UNLOCK REQUESTS": 810000.0,
    "BACKGROUND.XES -CHILD LOCKS": 0.0,
    "ASYNCH.XES -CONVERTED LOCKS": 108.0,
    "SUSPENDS - IRLM GLOBAL CONT": 3236.0,
    "SUSPENDS - XES GLOBAL CONT.": 334.0,
    "SUSPENDS - FALSE CONT. MBR": 863.0,
    "SUSPENDS - FALSE CONT. LPAR": None,
}


def locks(counters: Mapping[str, float | None], block: str = "DATA SHARING LOCKING") -> Rows:
    return {"db2_statistics_counter": counter_rows(counters, block=block, object=None)}


FROM = "FROM data_sharing_locking"
DRAINS = {"DRAIN REQUESTS": 20.0, "DRAIN REQUESTS FAILED": 2.0, "CLAIM REQUESTS": 9000.0, "CLAIM REQUESTS FAILED": 3.0}
LABELS = {
    "REJECTED - XES": "locks_rejected_xes", "NO DELAY LOCK REQ REJECTS": "locks_rejected_no_delay",
    "INCOMPATIBLE RETAINED LOCK": "incompatible_retained_locks", "INCOMPAT RETAINED LOCK": "incompatible_retained_locks",
    "P-LCK/NFY EX.ENGINE UNAVAIL": "plock_notify_engines_unavailable", "PSET/PART P-LCK NEGOTIATION": "plock_negotiations_page_set",
    "PAGE P-LOCK NEGOTIATION": "plock_negotiations_page", "OTHER P-LOCK NEGOTIATION": "plock_negotiations_other",
}  # fmt: skip
REJECTED = [*dict.fromkeys(LABELS.values())]


@examples(
    ("published page", locks(PUBLISHED),
     "suspends_total, xes_requests, global_contention_pct, false_contention_pct, global_contention_printed_pct, plock_lock_requests, len(refs)"
     f" {FROM}", [(4433, 2334358, approx(0.1899, abs=5e-5), approx(0.03697, abs=5e-6), 0.19, 107400, 12)]),
    *((f"without {missing}", locks({k: v for k, v in PUBLISHED.items() if k != missing}), f"global_contention_pct {FROM}", [(None,)])
      for missing in ("SYNCH.XES - CHANGE REQUESTS", "SUSPENDS - XES GLOBAL CONT.")),
    # False contention of the system where the member has none.
    ("of the system", locks(PUBLISHED | {"SUSPENDS - FALSE CONT. MBR": None, "SUSPENDS - FALSE CONT. LPAR": 900.0}), f"suspends_false {FROM}",
     [(900,)]),
    ("no request", locks(dict.fromkeys(PUBLISHED, 0.0)), f"global_contention_pct, false_contention_pct {FROM}", [(None, None)]),
    *((label, locks(PUBLISHED | {label: 31897.0}), f"xes_requests, {', '.join(REJECTED)} {FROM}",
       [(2334358, *(31897 if name == column else None for name in REJECTED))]) for label, column in LABELS.items()),
    # What is printed as not known is not 0.
    *((f"unknown {label}", locks(PUBLISHED | {label: None}), f"{column} {FROM}", [(None,)]) for label, column in LABELS.items()),
    ("drains and claims", locks(DRAINS, "LOCKING ACTIVITY"),
     "drain_requests, drain_requests_failed, claim_requests, claim_requests_failed FROM locking",
     [(20, 2, 9000, 3)]),
)  # fmt: skip
def test_locks(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)


def test_locks_off_the_sample_page():
    row = one_row((yield sample_rows("statistics_member_report", "db2_statistics_counter")), "SELECT * FROM locking")
    expect(row, suspensions_lock=411, suspensions_latch=1509, suspensions_other=187, timeouts=3, deadlocks=1)
    expect(row, lock_requests=664900, unlock_requests=118200, lock_requests_per_s=approx(738.57, abs=5e-3))
    expect(row, suspensions_per_lock_pct=approx(0.0618, abs=5e-5), query_requests=None)
