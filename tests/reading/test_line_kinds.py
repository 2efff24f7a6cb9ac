"""The compiled part finds the kinds that the patterns of a grammar say, and accepts what Lark's own parser accepts."""

from __future__ import annotations

from importlib import resources
from random import Random

import numpy as np
import polars as pl
import pytest
from ironlake.pipeline.declaration.report import reports
from ironlake.pipeline.errors import IronlakeError
from ironlake.pipeline.reading import grammar_tables, line_kinds
from ironlake.pipeline.reading.compiled import LineKinds
from ironlake.pipeline.reading.line_kinds import JUNK, Grammar, load
from lark import Lark, Token
from lark.exceptions import UnexpectedToken
from sample_pages import PUBLISHED, document_files, sample_files

STEPS = 250
NAMES = sorted(name for report in reports().values() for name in (report.name, report.xml_grammar) if name)
# Beside what files hold: nothing, characters of two to four bytes, digits and blanks that are not those of ASCII.
STRANGE = ("", "é", "…", " \u2026 ", "\u0661\u0662", "\xa0", "\U0001f600" * 9, "\0", "\x7f", "A" * 5000, " " * 300)


def lines_of_files() -> list[str]:
    paths = [*sample_files(), *document_files(), *PUBLISHED]
    found = {line for path in paths for line in path.read_text("utf-8", "replace").split("\n")}
    some = Random(1).sample(sorted(found), min(4000, len(found)))
    return [*some, *STRANGE, *(line[:9] for line in some[:500]), *(line[:12] + "é" + line[12:] for line in some[:500])]


def test_a_line_has_the_kinds_whose_patterns_match() -> None:
    lines = pl.Series(lines_of_files())
    for name in NAMES:
        grammar = load(name)
        found = grammar.matched(lines)
        for terminal in grammar_tables.load(name).terminals:
            pattern = terminal.pattern.replace(r"\/", "/").replace(r"\#", "#")
            # By the regular expressions of polars, one pattern at a time.
            expected = lines.str.contains(f"^(?:{pattern})$").to_numpy()
            bit = np.uint64(1 << grammar.kind[terminal.name])
            assert np.array_equal(found & bit != 0, expected), (name, terminal.name)


@pytest.mark.parametrize("name", sorted(reports()))
def test_same_steps_as_the_parser_of_lark(name: str) -> None:
    grammar, random = Grammar(name), Random(name)
    path = resources.files("ironlake.grammars") / f"{name}.lark"
    parser = Lark.open(str(path), parser="lalr", maybe_placeholders=False).parse_interactive("")
    masks, expected = [], []
    for _ in range(STEPS):
        # Sometimes any kind, more often one that fits: the walk comes to all parts of the grammar.
        fits = sorted(kind for kind in parser.accepts() if kind in grammar.kind)
        kind = random.choice(grammar.names if random.random() < 0.3 else fits or grammar.names)
        taken = grammar.kind[kind]
        try:
            parser.feed_token(Token(kind, ""))
        except UnexpectedToken:
            taken = JUNK
        accepts = parser.accepts()
        choices = sum(1 << number for of, number in grammar.kind.items() if of in accepts)
        masks.append(1 << grammar.kind[kind])
        expected.append((taken, choices, "$END" in accepts))
    assert 0 < sum(taken == JUNK for taken, _, _ in expected) < STEPS
    assert grammar._compiled.follow(masks) == expected


def test_the_first_kind_that_fits_is_taken() -> None:
    grammar = load("rmf_cpu_activity")
    ((_, fits, _),) = grammar._compiled.follow([0])
    wrong = (1 << len(grammar.names)) - 1 & ~fits
    assert grammar._compiled.follow([wrong])[0][0] == JUNK
    assert 1 << grammar._compiled.follow([wrong | fits])[0][0] == fits & -fits


def test_a_fault_is_an_error_and_the_next_pages_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables that lead to a state that there is none of: each reading is an error, the second like the first."""
    tables = grammar_tables.load("jmh")
    beyond = tables._replace(states=tuple(dict.fromkeys(state, 10_000) for state in tables.states))
    monkeypatch.setattr(line_kinds.grammar_tables, "load", lambda _: beyond)
    grammar, flags = Grammar("jmh"), np.ones(2, dtype=bool)
    lines = pl.Series(["Benchmark  Mode  Cnt  Score   Error  Units", "A.b  thrpt  5  1.0 ± 0.1  ops/s"])
    for _ in range(2):
        with pytest.raises(IronlakeError, match="the compiled part of reading failed: index out of bounds"):
            grammar.read(lines, flags & [True, False], flags & [True, False])
    assert len(grammar.matched(lines)) == 2


def test_what_is_no_grammar_and_no_text_is_refused() -> None:
    nothing = {"rules": (), "states": ({},), "start": 0, "end": 0, "sections": (), "alike": (0,) * 7}

    def made(*patterns: str) -> LineKinds:
        masks = [0] * len(patterns)
        names = [f"K{k}" for k in range(len(patterns))]
        return LineKinds(patterns=patterns, names=names, needed=masks, held=masks, reachable=masks, **nothing)

    with pytest.raises(ValueError, match="looks around"):
        made(r"^A\b")
    with pytest.raises(ValueError, match="error parsing"):
        made("^(A")
    with pytest.raises(ValueError, match="65 kinds of line"):
        made(*["^A"] * 65)
    one = made("^(?:.A)$")
    bytes_ = np.frombuffer("éA".encode() + b"\xffA", np.uint8)
    assert np.frombuffer(one.matched(np.array([0, 3, 5]), bytes_), np.uint64).tolist() == [1, 0]
    for offsets in ([0, 9], [-1, 2], [3, 2]):
        with pytest.raises(ValueError, match="beyond their text"):
            one.matched(np.array(offsets), bytes_)
    with pytest.raises(ValueError, match="not as many pages"):
        one.read(np.array([0, 3, 5]), bytes_, np.ones(1, np.uint8), np.ones(2, np.uint8))
