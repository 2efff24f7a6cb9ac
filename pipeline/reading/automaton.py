"""A grammar's LALR tables as an automaton over kinds of line, which remembers every step that it has taken.

Lark's own interactive parser tries each kind on a copy of itself to tell what may come next, at every line out of place. What fits
depends on its stack of table states alone, and pages lead to few different stacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from .grammar_tables import Tables

NONE = -1
END = "$END"
Stack = tuple[int, ...]


class Automaton:
    """The tables of a grammar. names: its kinds, by number."""

    def __init__(self, tables: Tables, names: Sequence[str]):
        self.names = names
        self._rows, self._rules, self._end = tables.states, tables.rules, tables.end
        self._begin = (tables.start,)
        self._states: dict[Stack, State] = {}

    @property
    def start(self) -> State:
        return self.state(self._begin)

    def state(self, stack: Stack) -> State:
        state = self._states.get(stack)
        if state is None:
            state = self._states[stack] = State(self, stack)
        return state

    def forget(self) -> None:
        """Free the memory of the steps taken so far."""
        self._states.clear()

    def has_row(self, stack: Stack, name: str) -> bool:
        """Whether the tables list this kind here. They list a few too many: only `feed` can tell."""
        return name in self._rows[stack[-1]]

    def feed(self, stack: Stack, name: str) -> tuple[Stack, bool]:
        """The stack after a line of this kind, and whether it fits. Where it does not, the stack may be reduced all the same."""
        now = list(stack)
        while True:
            step = self._rows[now[-1]].get(name)
            if step is None:
                return tuple(now), False
            if step >= 0:
                return (*now, step), True
            rule, symbols = self._rules[-1 - step]
            if symbols:
                del now[-len(symbols) :]
            now.append(self._rows[now[-1]][rule])
            if name == END and now[-1] == self._end:
                return tuple(now), True


class State:
    """A place in the grammar."""

    def __init__(self, automaton: Automaton, stack: Stack):
        self._automaton, self._stack = automaton, stack
        self._taken: dict[int, tuple[int, State]] = {}
        self._later: dict[str, bool] = {}

    def take(self, mask: int) -> tuple[int, State]:
        """The first kind of a mask that fits here (NONE if none does), and the state that follows."""
        step = self._taken.get(mask)
        if step is None:
            step = self._taken[mask] = self._take(mask)
        return step

    def _take(self, mask: int) -> tuple[int, State]:
        automaton, stack = self._automaton, self._stack
        for number, name in enumerate(automaton.names):
            if mask >> number & 1 and automaton.has_row(self._stack, name):
                stack, fits = automaton.feed(stack, name)
                if fits:
                    return number, automaton.state(stack)
        return NONE, automaton.state(stack)

    @cached_property
    def choices(self) -> frozenset[str]:
        """The kinds that fit here."""
        return frozenset(name for name in self._automaton.names if self._automaton.feed(self._stack, name)[1])

    @cached_property
    def may_end(self) -> bool:
        return self._automaton.feed(self._stack, END)[1]

    def comes_later(self, kind: str) -> bool:
        """Whether a line of this kind fits after one other line."""
        if kind not in self._later:
            automaton = self._automaton
            ahead = (automaton.feed(self._stack, name)[0] for name in self.choices)
            self._later[kind] = any(automaton.feed(stack, kind)[1] for stack in ahead)
        return self._later[kind]
