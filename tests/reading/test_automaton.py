"""The automaton over kinds of line accepts what Lark's own parser accepts."""

from __future__ import annotations

from importlib import resources
from random import Random

import pytest
from ironlake.pipeline.declaration.report import reports
from ironlake.pipeline.reading.automaton import NONE
from ironlake.pipeline.reading.line_kinds import Grammar
from lark import Lark, Token
from lark.exceptions import UnexpectedToken

LINES = 250


@pytest.mark.parametrize("name", sorted(reports()))
def test_same_steps_as_the_parser_of_lark(name: str) -> None:
    grammar, random = Grammar(name), Random(name)
    path = resources.files("ironlake.grammars") / f"{name}.lark"
    parser = Lark.open(str(path), parser="lalr", maybe_placeholders=False).parse_interactive("")
    state = grammar._automaton.start
    refused = 0
    for _ in range(LINES):
        assert state.choices == {n for n in parser.accepts() if n in grammar.kind}
        assert state.may_end == ("$END" in parser.accepts())
        # Sometimes any kind, more often one that fits: the walk comes to all parts of the grammar.
        kind = random.choice(grammar.names if random.random() < 0.3 else sorted(state.choices) or grammar.names)
        taken, state = state.take(1 << grammar.kind[kind])
        try:
            parser.feed_token(Token(kind, ""))
        except UnexpectedToken:
            refused += 1
            assert taken == NONE
        else:
            assert grammar.names[taken] == kind
    assert 0 < refused < LINES


def test_the_first_kind_that_fits_is_taken() -> None:
    grammar = Grammar("rmf_cpu_activity")
    state = grammar._automaton.start
    fits = sorted(grammar.kind[name] for name in state.choices)
    wrong = [number for number in range(len(grammar.names)) if number not in fits]
    assert state.take(sum(1 << number for number in wrong))[0] == NONE
    assert state.take(sum(1 << number for number in (*wrong, *fits)))[0] == fits[0]
