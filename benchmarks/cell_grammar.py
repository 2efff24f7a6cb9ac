"""The obvious way with Lark: a grammar of cells, LALR, its own lexer over the text of the data blocks.

One rule a group of cells, tokens for words and numbers; it builds no tables and writes nothing, and white space decides
which cell is which, so that a blank cell takes the value of its neighbour. Other lines are left out before
parsing, and only the text of the blocks counts as parsed.

    python -m benchmarks.cell_grammar FILE [MEGABYTES]
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from lark import Lark, Tree

GRAMMAR = r"""
start: block+
block: heading row+
heading: HEADING NEWLINE
row: cell+ NEWLINE
cell: label value+
label: WORD+
?value: NUMBER | CLOCK | NOT_AVAILABLE

HEADING.4: /-+(TRANSACTIONS|SERVICE)-+ [^\n]*/
CLOCK.3: /\d+(\.\d\d)+\.\d{3,6}(?!\S)/
NUMBER.2: /\d+(\.\d+)?[KMG]?(?!\S)/
NOT_AVAILABLE.2: "N/A"
WORD: /[^\s\d][^\s]*/
%import common.NEWLINE
%ignore / +/
"""

# First words of the lines of a data block.
_ROWS = frozenset(
    [
        "AVG",
        "MPL",
        "ENDED",
        "END/S",
        "END/SEC",
        "#SWAPS",
        "EXCTD",
        "EXECUTD",
        "REM",
        "MS",
        "STD",
        "IOC",
        "CPU",
        "MSO",
        "SRB",
        "TOT",
        "/SEC",
        "ABSRPTN",
        "TRX",
    ]
)


def block_texts(path: Path, megabytes: float) -> Iterator[str]:
    """The text of each data block (heading and rows) in the first `megabytes` of a file."""
    block: list[str] = []
    read = 0
    with path.open(encoding="ascii", errors="replace") as stream:
        for line in stream:
            read += len(line)
            word = line.split(None, 1)[0] if line.strip() else ""
            if word.startswith(("-TRANSACTIONS-", "----SERVICE-")):
                block = [line]
            elif block and word in _ROWS:
                block.append(line.replace("-PAGE-IN RATES-", ""))
            elif block:
                yield "".join(block)
                block = []
                if read > megabytes * 1_000_000:
                    return


def main(arguments: list[str]) -> None:
    """Parses the blocks one by one and prints how many there were and how many cells, as JSON."""
    parser = Lark(GRAMMAR, parser="lalr")
    blocks = cells = size = 0
    for text in block_texts(Path(arguments[0]), float(arguments[1]) if len(arguments) > 1 else 1.0):
        tree: Tree = parser.parse(text)
        blocks += 1
        size += len(text)
        cells += sum(1 for _ in tree.find_data("cell"))
    print(json.dumps({"blocks": blocks, "cells": cells, "parsed_bytes": size}))


if __name__ == "__main__":
    main(sys.argv[1:])
