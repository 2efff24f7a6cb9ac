"""Writes that are dropped, reordered, torn and flipped at every call: after each step the lake answers as before or after the step, or it
says that it is damaged; then nothing is removed, and a repair leaves whole sources only."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule
from lake_rows import DMY, MDY
from property_settings import examples
from simulated_lake import CONTENTS, KINDS, SimulatedLake, walk

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

    @rule(number=st.integers(0, 99), bit=st.none() | st.integers(0, 1 << 20))
    def rot(self, number, bit):
        self.lake.rot(number, bit)

    def teardown(self):
        self.lake.close()


TestLakeOnAFailingDisk = LakeOnAFailingDisk.TestCase
TestLakeOnAFailingDisk.settings = examples(8, stateful_step_count=25)


def test_two_hundred_random_steps():
    counts = walk(200, seed=1)
    assert counts["crashes"] > 20
    assert counts["rot: damaged"] > 3
    assert counts["refused"] > 3


@pytest.mark.slow
def test_ten_thousand_random_steps():
    assert walk(10_000, seed=2)["crashes"] > 1000
