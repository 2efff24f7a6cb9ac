"""What is told first on a lake's page, and what is told together: properties of any facts, and lakes of which a plain headline would be wrong."""

import datetime as dt
import itertools
from collections.abc import Sequence
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ironlake.dashboards.lake_page.contract import Happened, LakePage, Select, Severity
from ironlake.dashboards.lake_page.facts.facilities import facilities
from ironlake.dashboards.lake_page.facts.goals import goals
from ironlake.dashboards.lake_page.facts.links import links
from ironlake.dashboards.lake_page.facts.overflow import overflow
from ironlake.dashboards.lake_page.found import Rank, Ranked
from ironlake.dashboards.lake_page.gather import GROUP_OF
from ironlake.dashboards.lake_page.stories import in_order, severity, stories
from lake_facts import FIRST, LAST, asked, hour
from one_lake import Asks
from property_settings import examples
from rmf_rows import processor, service_class
from test_lake_limits import link
from views_lake import Row, heading

TEN = dt.datetime.combine(LAST, dt.time(10))
HOURS = [TEN + dt.timedelta(hours=n) for n in range(4)]


@st.composite
def facts(draw: st.DrawFn) -> list[Ranked]:
    """Facts of two sysplexes and four sections, in hours of a morning; no two have one sentence."""
    return [
        Ranked(
            draw(st.sampled_from(Rank)),
            draw(st.integers(0, 3)),
            Happened(
                f"{n} of that day; so it is.",
                "",
                Select(),
                draw(st.sampled_from(("goals", "links", "facilities", "msu"))),
                severity=cast("Severity", draw(st.sampled_from(("serious", "watch", "note")))),
            ),
            frozenset(draw(st.sets(st.sampled_from(HOURS), max_size=3))),
            (draw(st.sampled_from(("PLEX1", "PLEX2", None))),),
            draw(st.booleans()),
            draw(st.booleans()),
        )
        for n in range(draw(st.integers(0, 8)))
    ]


@given(facts())
@examples(60)
def test_a_story_is_of_one_place_and_hour_and_what_costs_most_is_first(found: list[Ranked]):
    told = stories(found, GROUP_OF)
    of = {one.happened.sentence: one for one in found}
    # Each is told once.
    every = [one.sentence for story in told for one in (story, *story.beside)]
    assert sorted(every) == sorted(of)
    assert [one.sentence for one in told] == [
        s for s in (r.happened.sentence for r in in_order(found)) if s in {t.sentence for t in told}
    ]
    for story in told:
        lead = of[story.sentence]
        for one in (of[beside.sentence] for beside in story.beside):
            assert lead.hours & one.hours
            assert (lead.place, GROUP_OF[lead.happened.section]) == (one.place, GROUP_OF[one.happened.section])
            assert lead.rank <= one.rank
        # An outage is serious only where something else happened with it.
        suffers = lead.rank == Rank.OUTAGE and story.beside
        assert story.severity == ("serious" if suffers else severity(lead))
        if story.severity == "serious" and not suffers:
            assert lead.is_known
            assert not lead.is_little
    for first, second in itertools.combinations((of[story.sentence] for story in told), 2):
        is_one = first.place == second.place and GROUP_OF[first.happened.section] == GROUP_OF[second.happened.section]
        assert not (is_one and first.hours & second.hours)
        # Of one rank: little data and an unknown price behind the rest, then by size, however new they are.
        if first.rank == second.rank and not (first.is_little or second.is_little):
            assert first.is_known or not second.is_known
            assert first.is_known != second.is_known or first.size >= second.size


def test_what_fails_beside_an_outage_is_one_card_with_it(page: LakePage):
    """The month: CF01 is down on the last day from 10:00 to 12:00, its lock structure is in CF02 meanwhile, and both systems wait longer for it."""
    assert [(one.section, one.severity, one.new) for one in page.happened] == [
        ("goals", "serious", True),
        ("cost", "serious", False),
        ("overflow", "serious", True),
        ("msu", "watch", True),
        ("facilities", "serious", True),
    ]
    outage = page.happened[-1]
    assert outage.sentence.endswith("; DSNSHOP_LOCK1 moved to CF02.")
    assert [one.headline.partition(":")[0] for one in outage.beside] == ["CF02 from SHPA", "CF02 from SHPB"]
    assert [one.headline[:32] for one in page.happened[3].beside] == ["Machine 00000000SHOPCPC1 (SHPA a"]


def missed(name: str, importance: int, *index_of: tuple[int, float], plex: str = "PLEX1") -> dict[str, list[Row]]:
    """A velocity goal at 10:00, with an index for each day."""
    rows = [
        hour(day, 10, policy="P", scope="SYSA", sysplex=plex, source_id=f"s{plex}")
        | {
            "class_kind": "service_class_period",
            "period": 1,
            "service_class": name,
            "workload": "W",
            "line": 10 * importance + day,
        }
        for day, _ in index_of
    ]
    goal = {"system": "*ALL", "is_total": True, "goal_type": "velocity", "goal_pct": 50.0}
    return {
        "rmf_workload_activity": [row | {"transactions_ended": 50, "importance": importance} for row in rows],
        "rmf_workload_goal": [
            row | goal | {"performance_index": index} for row, (_, index) in zip(rows, index_of, strict=True)
        ],
    }


def both(*parts: dict[str, list[Row]]) -> dict[str, list[Row]]:
    return {name: [row for part in parts for row in part[name]] for name in parts[0]}


def busy(cf: str, at: int, us: float, seconds: int = 3600) -> Row:
    """20,000 requests a second on two subchannels: 30 us are 30% of both."""
    row = link(1, 20_000, us, at, cf_name=cf)
    row |= {"interval_end": row["interval_start"] + dt.timedelta(seconds=seconds), "interval_s": float(seconds)}
    return row | {"requests": 20_000 * seconds, "sync_requests": 20_000 * seconds}


def overflowing(plex: str, system: str, on_cp_pct: float) -> Row:
    """Half of the eligible time on general processors, which is half of their time, for an hour."""
    row = service_class("CICS", 2 * on_cp_pct, appl_iipcp_pct=on_cp_pct, appl_iip_pct=on_cp_pct, workload="W")
    return row | HOUR_OF_TEN | {"sysplex": plex, "scope": system}


HOUR_OF_TEN = {"interval_start": TEN, "interval_end": TEN + dt.timedelta(hours=1), "interval_s": 3600.0}
# Of SYSA alone it is printed what an engine counts: 600 MSU of 6.
PRICED = {
    "rmf_workload_activity": [overflowing("PLEX1", "SYSA", 10.0), overflowing("PLEX2", "SYSB", 900.0)],
    "rmf_cpu_activity": [processor(0, 50.0, cpc_type="3906", cpc_model="706", cpc_capacity=600.0) | HOUR_OF_TEN],
}


def facility(name: str, *hours: int) -> list[Row]:
    return [
        heading(TEN.replace(hour=at), 3600) | {"cf_name": name, "utilization_pct": 10.0, "processors_effective": 2.0}
        for at in hours
    ]


LAKES = {
    "an hour of which one interval is printed says less than a whole hour": (
        links, {"rmf_cf_subchannel_activity": [busy("CF1", 10, 60.0, 900), busy("CF2", 12, 40.0)]},
        [("CF2 from SYSA: 40% of the subchannels busy on Tue 3 Nov, 12:00", "watch"),
         ("CF1 from SYSA: 60% of the subchannels busy on Tue 3 Nov, 10:00 (15 minutes of that hour are printed)", "note")],
    ),
    "what is new and costs less is behind what is old and costs more": (
        goals, both(missed("OLD", 1, (0, 3.0), (1, 1.2)), missed("NEW", 3, (0, 0.5), (1, 9.0))),
        [("OLD on PLEX1 missed its goal in 1 of 1 interval, importance 1", "watch"), ("NEW on PLEX1 missed its goal in 1 of 1 interval, importance 3", "note")],
    ),
    "a facility without pages is not told to have failed, and nothing suffers": (
        facilities, {"rmf_cf_usage": [*facility("CF1", *range(8, 14)), *facility("CF2", 8, 9, 12, 13)]},
        [("Coupling facility CF2 of PLEX1 printed nothing for 120 minutes from Tue 3 Nov, 10:00, while the others did: it was down, planned or not, or its"
          " pages are missing", "watch")],
    ),
    "a facility that has no page in all these days is not told of": (facilities, {"rmf_cf_usage": facility("CF1", *range(8, 14))}, []),
    "what has no price is behind what has one, and not taken for it": (
        overflow, PRICED,
        [("SYSA: 50% of the zIIP-eligible time ran on general processors on Tue 3 Nov, 0.1 hours of one engine, 10 MSU hours", "serious"),
         ("SYSB: 50% of the zIIP-eligible time ran on general processors on Tue 3 Nov, 9.0 hours of one engine", "watch")],
    ),
    "two sysplexes with the same names are two stories": (
        goals, both(missed("ONLINE", 1, (1, 1.5)), missed("ONLINE", 1, (1, 1.4), plex="PLEX2")),
        [(f"ONLINE on {plex} missed its goal in 1 of 1 interval, importance 1", "watch") for plex in ("PLEX1", "PLEX2")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LAKES)
def test_the_headline_is_what_costs_most_and_says_no_more_than_is_known(name: str) -> Asks[None]:
    question, rows, told = LAKES[name]
    found = question((yield from asked(LAST, FIRST, **rows)))
    said: Sequence[tuple[str, str]] = [(one.headline, one.severity) for one in stories(found.happened, GROUP_OF)]
    assert said == told
