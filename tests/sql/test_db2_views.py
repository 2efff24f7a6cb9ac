"""Views of Db2's locks: what goes in, what must come out, worked by hand."""

from collections.abc import Mapping

import pytest
from db2_rows import counter_rows
from one_lake import Asks, CaseLake
from views_lake import expect, one_row, sample_rows

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


def locks(counters: Mapping[str, float | None]) -> Asks[CaseLake]:
    rows = counter_rows(counters, block="DATA SHARING LOCKING", object=None)
    return (yield {"db2_statistics_counter": rows})


def test_global_contention_of_the_published_page():
    row = one_row((yield from locks(PUBLISHED)), "SELECT * FROM data_sharing_locking")
    expect(row, suspends_total=4433, xes_requests=2334358, global_contention_pct=pytest.approx(0.1899, abs=5e-5))
    expect(row, false_contention_pct=pytest.approx(0.03697, abs=5e-6), global_contention_printed_pct=0.19)
    expect(row, plock_lock_requests=107400)
    assert len(row["refs"]) == 12


@pytest.mark.parametrize("missing", ["SYNCH.XES - CHANGE REQUESTS", "SUSPENDS - XES GLOBAL CONT."])
def test_no_rate_where_a_part_is_not_printed(missing: str):
    row = one_row(
        (yield from locks({k: v for k, v in PUBLISHED.items() if k != missing})), "SELECT * FROM data_sharing_locking"
    )
    assert row["global_contention_pct"] is None


def test_false_contention_of_the_system_where_the_member_has_none():
    counters = PUBLISHED | {"SUSPENDS - FALSE CONT. MBR": None, "SUSPENDS - FALSE CONT. LPAR": 900.0}
    assert one_row((yield from locks(counters)), "SELECT suspends_false AS n FROM data_sharing_locking") == {"n": 900}


def test_no_request_no_rate():
    zero = dict.fromkeys(PUBLISHED, 0.0)
    row = one_row(
        (yield from locks(zero)),
        "SELECT global_contention_pct AS a, false_contention_pct AS b FROM data_sharing_locking",
    )
    assert row == {"a": None, "b": None}


@pytest.mark.parametrize(
    ("label", "column"),
    [
        ("REJECTED - XES", "locks_rejected_xes"),
        ("NO DELAY LOCK REQ REJECTS", "locks_rejected_no_delay"),
        ("INCOMPATIBLE RETAINED LOCK", "incompatible_retained_locks"),
        ("INCOMPAT RETAINED LOCK", "incompatible_retained_locks"),
        ("P-LCK/NFY EX.ENGINE UNAVAIL", "plock_notify_engines_unavailable"),
        ("PSET/PART P-LCK NEGOTIATION", "plock_negotiations_page_set"),
        ("PAGE P-LOCK NEGOTIATION", "plock_negotiations_page"),
        ("OTHER P-LOCK NEGOTIATION", "plock_negotiations_other"),
    ],
)
def test_rejections_and_retained_locks(label: str, column: str):
    more = ("locks_rejected_xes", "locks_rejected_no_delay", "incompatible_retained_locks", "plock_notify_engines_unavailable",
        "plock_negotiations_page_set", "plock_negotiations_page", "plock_negotiations_other")  # fmt: skip
    row = one_row((yield from locks(PUBLISHED | {label: 31897.0})), "SELECT * FROM data_sharing_locking")
    assert {name: row[name] for name in more} == dict.fromkeys(more) | {column: 31897}
    assert row["xes_requests"] == 2334358
    # What is printed as not known is not 0.
    assert one_row((yield from locks(PUBLISHED | {label: None})), "SELECT * FROM data_sharing_locking")[column] is None


def test_drains_and_claims_that_failed():
    names = ("DRAIN REQUESTS", "DRAIN REQUESTS FAILED", "CLAIM REQUESTS", "CLAIM REQUESTS FAILED")
    counters = counter_rows(
        dict(zip(names, (20.0, 2.0, 9000.0, 3.0), strict=True)), block="LOCKING ACTIVITY", object=None
    )
    row = one_row((yield {"db2_statistics_counter": counters}), "SELECT * FROM locking")
    expect(row, drain_requests=20, drain_requests_failed=2, claim_requests=9000, claim_requests_failed=3)


def test_locks_off_the_sample_page():
    row = one_row((yield sample_rows("statistics_member_report", "db2_statistics_counter")), "SELECT * FROM locking")
    expect(row, suspensions_lock=411, suspensions_latch=1509, suspensions_other=187, timeouts=3, deadlocks=1)
    expect(row, lock_requests=664900, unlock_requests=118200, lock_requests_per_s=pytest.approx(738.57, abs=5e-3))
    expect(row, suspensions_per_lock_pct=pytest.approx(0.0618, abs=5e-5), query_requests=None)
