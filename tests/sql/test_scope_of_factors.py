"""A service policy page is evidence for the systems that it names: factors and SU/SEC by scope, worked by hand."""

import pytest
from one_lake import Asks, Found, Rows, each, examples, shown
from rmf_rows import policy, processor, service_class
from study_lakes import one, studied
from views_lake import Row

approx = pytest.approx


def page(
    scope: str | None, factor: float | None, speed: dict[str, float] | None = None, line: int = 10, **other: object
) -> dict[str, list[Row]]:
    """A service policy page of systems, with SU/SEC of each."""
    printed = policy(1.0)
    name = {"scope": scope, "line": line} | other
    return {
        "rmf_service_policy": [printed["rmf_service_policy"][0] | name | {"norm_factor_iip": factor}],
        "rmf_service_policy_system": [
            printed["rmf_service_policy_system"][0] | name | {"system": system, "su_per_s": su}
            for system, su in (speed or {}).items()
        ],
    }


def pages(*some: dict[str, list[Row]]) -> dict[str, list[Row]]:
    return {name: [row for each in some for row in each[name]] for name in some[0]}


def factor(
    scope: str | None, *some: dict[str, list[Row]], others: tuple[str, ...] = ()
) -> Asks[tuple[float | None, str]]:
    """The factor of a page of classes of a scope, and its source; `others` are scopes of other pages of the interval."""
    classes = [
        service_class("CICS", 60.0 + n, scope=each, appl_iip_pct=30.0, line=10 + n)
        for n, each in enumerate((scope, *others))
    ]
    lake = yield dict(rmf_workload_activity=classes, **pages(*some))
    asked = "IS NULL" if scope is None else f"= '{scope}'"
    row = one(lake, f"FROM cpu_by_class WHERE scope {asked}")
    normalized = row["cpu_normalized_pct"]
    assert normalized == (
        None if row["normalization_factor"] is None else approx(60 + 30 * row["normalization_factor"])
    )
    return row["normalization_factor"], row["normalization_source"]


def test_the_factor_of_a_page_of_classes_is_that_of_the_pages_that_name_its_systems():
    a, b, other_b = page("SYSA", 2.0), page("SYSB", 2.0, line=11), page("SYSB", 1.5, line=11)
    both = ("SYSA", "SYSB")
    two, one, unlike = (2.0, "policy_page"), (1.0, "assumed_1"), (None, "contradictory")
    cases = [
        (factor("SYSA", a, other_b, others=("SYSB",)), two),
        (factor("SYSB", a, other_b, others=("SYSA",)), (1.5, "policy_page")),
        # The page of SYSA says nothing of SYSB, though it is the only one of the sysplex; one of more systems does.
        (factor("SYSB", a, others=("SYSA",)), one),
        (factor("SYSB", page("SYSA,SYSB,SYSC", 2.0, source_id="s2"), others=("SYSA",)), two),
        # Pages of one system each cover a page of both where they agree.
        (factor("SYSA,SYSB", a, b), two),
        (factor("SYSA,SYSB", a, other_b), unlike),
        # Of one alone 2 would be a neighbour's for SYSB, and 1 is wrong for SYSA. A factor of 1 contradicts nothing.
        (factor("SYSA,SYSB", page("SYSA", 2.0, source_id="s2")), unlike),
        (factor("SYSA,SYSB", page("SYSA", 1.0, source_id="s2")), one),
        # Pages that differ for one system. A cell that could not be read is no evidence.
        (factor("SYSA", a, page("SYSA", 2.2, line=11, source_id="s2")), unlike),
        (factor("SYSA", a, page("SYSA,SYSB", 2.2, line=11), others=("SYSB", "SYSA,SYSB")), unlike),
        (factor("SYSA", a, page("SYSA", None, line=11)), two),
        # Of unknown systems: all that are known must have one factor. A policy page without systems is one of the unknown.
        (factor(None, a, b, others=both), two),
        (factor(None, a, other_b, others=both), unlike),
        (factor(None, page("SYSA", 1.0), others=both), one),
        (factor(None, page(None, 2.0), others=both), two),
        (factor(None, page(None, 2.0), page("SYSA", 1.5, line=11), others=both), unlike),
        (factor("SYSA", page(None, 2.0), others=("SYSB",)), one),
    ]
    assert (yield from each(*(asked for asked, _ in cases))) == [expected for _, expected in cases]


STUDY = """\
study: S
requests: {service_class: CICS}
configurations: {A: {steps: [{window: 2021-04-13T10:00/10:01}]}}
"""


# Two CPs of SYSA at 50% with a zIIP at 40, two CPs of SYSB at 25% with a zIIP at 20; pages of classes of each.
PROCESSORS = [
    processor(n, busy, kind=kind, system=system, line=line + n)
    for system, line, cp, ziip in (("SYSA", 30, 50.0, 40.0), ("SYSB", 40, 25.0, 20.0))
    for n, (busy, kind) in enumerate(((cp, "CP"), (cp, "CP"), (ziip, "IIP")))
]
CLASSES = [service_class("CICS", 60.0, scope=scope, line=10 + n) for n, scope in enumerate(("SYSA", "SYSB"))]
A, B = page("SYSA", 2.0), page("SYSB", 1.5, line=11)


def busy(*some: dict[str, list[Row]]) -> Rows:
    return studied(STUDY, rmf_workload_activity=CLASSES, rmf_cpu_activity=PROCESSORS, **pages(*some))


SPEEDS = pages(page("SYSA", 1.0, {"SYSA": 5e4}), page("SYSB", 1.0, {"SYSB": 6e4}, line=11))
NAMED = pages(page("SYSA", 2.0), page("SYSB", 2.0, line=11), page("SYSC", 1.5, line=12))
BOTH = "FROM run_busy WHERE busy_basis = 'cp_and_ziip'"
ZIIPS = f"ziip_engines_online, ziip_engines_busy, normalization_source {BOTH}"


@examples(
    # 60% of an engine of 50,000 SU/s are 0.6 x 50000 x 3600 / 1,000,000 = 108 million an hour, of one of 60,000 129.6.
    *((f"service units of {scope}", {"rmf_workload_activity": [service_class("CICS", 60.0, scope=scope)], **SPEEDS},
     "gp_msu_service FROM cpu_by_class",
       [(units,)]) for scope, units in (("SYSA", approx(108)), ("SYSB", approx(129.6)), ("SYSA,SYSB", None), ("SYSC", None))),
    ("pages are named", {"rmf_workload_activity": [service_class("CICS", 60.0, scope="SYSA,SYSB")], **NAMED},
     "[[r.page, r.line] for r in refs] FROM interval_factor", [([[9, 10], [9, 11]],)]),
    # Online 4 + 1 x 2 + 1 x 1.5 = 7.5, busy 1 + 0.5 + 0.4 x 2 + 0.2 x 1.5 = 2.6: 34.667%. One factor of 2 would say 2.7 of 8. Weighted by
    # the zIIPs the factor is (2 + 1.5) / 2.
    ("factor of each scope", busy(A, B), f"engines_online, engines_busy, cpu_busy_pct, normalization_factor, {ZIIPS}",
     [(approx(7.5), approx(2.6), approx(2.6 / 7.5 * 100), approx(1.75), approx(2), approx(0.6), "policy_page")]),
    ("general processors", busy(A, B), "cpu_busy_pct FROM run_busy WHERE busy_basis = 'cp'", [(approx(37.5),)]),
    # SYSB has no page: 4 + 2 + 1 online, 1.5 + 0.8 + 0.2 busy, and the sources say so.
    ("no factor of a neighbour", busy(A), f"engines_online, engines_busy, normalization_source {BOTH}", [(approx(7), approx(2.5),
     "assumed_1,policy_page")]),
    ("contradictory factors", busy(A, page("SYSA", 2.5, line=11), page("SYSB", 1.5, line=12)),
     f"engines_online, engines_busy, cpu_busy_pct, normalization_factor, {ZIIPS}", [(None, None, None, None, approx(2), approx(0.6),
      "contradictory")]),
    ("general processors beside them", busy(A, page("SYSA", 2.5, line=11), page("SYSB", 1.5, line=12)),
     "cpu_busy_pct FROM run_busy WHERE busy_basis = 'cp'", [(approx(37.5),)]),
)  # fmt: skip
def test_scopes(rows: Rows, asked: str, found: Found):
    yield from shown(rows, asked, found)


def test_an_interval_that_shows_no_factor_has_that_of_the_others_of_its_scope():
    """The first minute shows NF = (100 - 0.5 x 60) / 28 = 2.5, the second has hardly any zIIP time: of one machine, and so 2.5 as well.
    Two minutes of a CP at 50% and a zIIP at 40: (1 + 2.5) online, (0.5 + 0.4 x 2.5) busy."""
    times = {"srb_time_s": 0.0, "rct_time_s": 0.0, "iit_time_s": 0.0, "hst_time_s": 0.0}
    large = {"cpu_time_s": 100.0, "iip_time_s": 28.0, "appl_iip_pct": 46.67} | times
    small = {"cpu_time_s": 30.006, "iip_time_s": 0.006, "appl_iip_pct": 0.01} | times
    rows = [service_class("CICS", 50.0, n, line=10 + n) | cells for n, cells in enumerate((large, small))]
    at = [{"interval_start": row["interval_start"], "interval_end": row["interval_end"]} for row in rows]
    processors = [
        processor(n, busy, kind=kind, line=30 + 10 * m + n) | at[m]
        for m in (0, 1)
        for n, (busy, kind) in enumerate(((50.0, "CP"), (40.0, "IIP")))
    ]
    text = STUDY.replace("10:00/10:01", "10:00/10:02").replace("study: S", "study: S\ninterval: all")
    lake = yield studied(text, rmf_workload_activity=rows, rmf_cpu_activity=processors)
    row = one(lake, "FROM run_busy WHERE busy_basis = 'cp_and_ziip'")
    assert (row["engines_online"], row["engines_busy"]) == approx((3.5, 1.5))
    assert (row["normalization_factor"], row["normalization_source"]) == (approx(2.5), "recovered")
