"""Writes that are dropped, reordered, torn and flipped at every call: after each step the lake answers as before or after the step, or it
says that it is damaged; then nothing is removed, and a repair leaves whole sources only."""

from functools import partial

import pytest
from lake_rows import MDY
from simulated_lake import CUT, GIVEN, SimulatedLake, walk
from sizes import some

# Each with one of the kinds in the quick form.
_REMOVALS = some([("withdraw", "kill"), ("withdraw", "power"), ("cut", "power"), ("cut", "kill"),
                  ("replace", "kill"), ("replace", "power"), ("undo", "power"), ("undo", "kill")], 5)  # fmt: skip


@pytest.mark.parametrize("every", [60, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize(("what", "kind"), _REMOVALS)
def test_a_removal_that_ends_at_any_call_is_done_or_not_begun(what, kind, every):
    """At every so many of its calls to the disk, and at more of the last: the step of the ledger is among these."""
    calls = removed_up_to(what, "none", 0)[1]
    assert calls > (6 if what == "undo" else 60)
    outcomes = {
        removed_up_to(what, kind, at)[0]
        for at in sorted({*range(1, calls, every), *range(max(1, calls - 9), calls + 1, min(every, 3))})
    }
    assert outcomes == {"before", "after"}


def removed_up_to(what, kind, at):
    """A removal, or that it is undone, which ends at a call to the disk, then done again: what was there between, and the calls of the
    first."""
    lake = SimulatedLake(seed=at)
    try:
        lake.ingest("abc", MDY, "none", 0)
        whole, cut = dict.fromkeys("abc", MDY), dict.fromkeys("abc", MDY + CUT)
        expected, do = {
            "withdraw": (dict.fromkeys("bc", MDY), partial(lake.withdraw, "a")),
            "cut": (cut, lake.cut),
            "replace": (dict.fromkeys("abc", MDY + GIVEN) | {"d": MDY}, partial(lake.replace, "d")),
            "undo": (whole, lake.undo),
        }[what]
        if what == "undo":
            lake.cut("none", 0)
        before = dict(lake.model)
        do(kind, at)
        outcome, calls = "before" if lake.model == before else "after", lake.disk.calls
        assert lake.counts["crashes"] == (kind != "none")
        assert lake.counts[f"{what}: damaged"] == 0
        if lake.model != expected:
            lake.previous = whole
            do("none", 0)
        assert lake.model == expected
        return outcome, calls
    finally:
        lake.close()


@pytest.mark.parametrize(
    "steps", [80, pytest.param(500, marks=pytest.mark.slow), pytest.param(10_000, marks=pytest.mark.soak)]
)
def test_random_steps(steps):
    counts = walk(steps, seed=2)
    assert counts["crashes"] > steps // 10
    if steps > 80:
        assert counts["rot: damaged"] > 3
        assert counts["refused"] > 3
        assert counts["withdraw: whole"] + counts["cut: whole"] > 3
