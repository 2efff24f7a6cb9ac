"""An interrupt while one thread waits for another, wherever it comes: the other is never left waiting."""

from __future__ import annotations

import threading
import time

import pytest
from interrupt_at import InterruptAt
from ironlake.pipeline.waiting import Outcome


def waits_for_another(step: int) -> bool:
    """Whether the interrupt came; the other thread ends either way."""
    outcome: Outcome[int] = Outcome()
    begins = threading.Lock()
    begins.acquire()
    maker = threading.Thread(target=lambda: outcome.make(begins.acquire), daemon=True)
    maker.start()
    threading.Timer(0.005, begins.release).start()
    try:
        with InterruptAt(step):
            outcome.result()
        came = False
    except KeyboardInterrupt:
        came = True
    maker.join(timeout=5)
    assert not maker.is_alive()
    outcome.wait(seconds=1)
    return came


def test_an_interrupt_at_any_step_of_a_wait_leaves_nothing_locked():
    step = 1
    while waits_for_another(step):
        step += 1
    # How many there are depends on how often it looks; once around is more than this.
    assert step > 20


def test_a_wait_ends_at_its_limit_and_takes_what_comes_later():
    outcome: Outcome[int] = Outcome()
    began = time.monotonic()
    outcome.wait(seconds=0.15)
    assert time.monotonic() - began >= 0.15
    assert not outcome.is_there()
    outcome.make(lambda: 7)
    assert outcome.is_there()
    assert (outcome.result(), outcome.result()) == (7, 7)


def test_what_the_work_raises_is_raised_where_the_result_is_taken():
    outcome: Outcome[float] = Outcome()
    outcome.make(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        outcome.result()
