"""Writes that are dropped, reordered, torn and flipped at every call: after each step the lake answers as before or after the step, or it
says that it is damaged; then nothing is removed, and a repair leaves whole sources only."""

from functools import partial

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule
from lake_rows import DMY, MDY
from property_settings import examples
from simulated_lake import CONTENTS, CUT, GIVEN, KINDS, SimulatedLake, walk
from sizes import some

kinds, calls = st.sampled_from(KINDS), st.integers(1, 30)


class LakeOnAFailingDisk(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.lake = SimulatedLake(seed=0)

    @rule(
        contents=st.lists(st.sampled_from(CONTENTS), min_size=1, max_size=3, unique=True),
        options=st.sampled_from((MDY, DMY)),
        kind=kinds,
        at=calls,
    )
    def ingest(self, contents, options, kind, at):
        self.lake.ingest(contents, options, kind, at)

    @rule(kind=kinds, at=calls)
    def compact(self, kind, at):
        self.lake.compact(kind, at)

    @rule(kind=kinds, at=calls)
    def checkpoint(self, kind, at):
        self.lake.checkpoint(kind, at)

    @rule(number=st.integers(0, 99), kind=kinds, at=calls)
    def remove(self, number, kind, at):
        self.lake.remove(number, kind, at)

    @rule(contents=st.lists(st.sampled_from(CONTENTS), min_size=1, max_size=3, unique=True), kind=kinds, at=calls)
    def withdraw(self, contents, kind, at):
        self.lake.withdraw(contents, kind, at)

    @rule(kind=kinds, at=calls)
    def cut(self, kind, at):
        self.lake.cut(kind, at)

    @rule(kind=kinds, at=calls)
    def undo(self, kind, at):
        self.lake.undo(kind, at)

    @rule(number=st.integers(0, 99), bit=st.none() | st.integers(0, 1 << 20))
    def rot(self, number, bit):
        self.lake.rot(number, bit)

    def teardown(self):
        self.lake.close()


TestLakeOnAFailingDisk = LakeOnAFailingDisk.TestCase
TestLakeOnAFailingDisk.settings = examples(3, stateful_step_count=25)


# Each with one of the kinds in the quick form.
_REMOVALS = some([("withdraw", "kill"), ("withdraw", "power"), ("cut", "power"), ("cut", "kill"),
                  ("replace", "kill"), ("replace", "power"), ("undo", "power"), ("undo", "kill")], 4)  # fmt: skip


@pytest.mark.parametrize("every", [60, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize(("what", "kind"), _REMOVALS)
def test_a_removal_that_ends_at_any_call_is_done_or_not_begun(what, kind, every):
    """At every so many of its calls to the disk, and at each of the last: the step of the ledger is among these."""
    calls = removed_up_to(what, "none", 0)[1]
    assert calls > (6 if what == "undo" else 60)
    outcomes = {
        removed_up_to(what, kind, at)[0]
        for at in sorted({*range(1, calls, every), *range(max(1, calls - 9), calls + 1)})
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


@pytest.mark.slow
def test_five_hundred_random_steps():
    counts = walk(500, seed=2)
    assert counts["crashes"] > 50
    assert counts["rot: damaged"] > 3
    assert counts["refused"] > 3
    assert counts["withdraw: whole"] + counts["cut: whole"] > 3


@pytest.mark.soak
def test_ten_thousand_random_steps():
    assert walk(10_000, seed=3)["crashes"] > 1000
