#!/bin/sh
# coboljsonifier 1.0.8: a packed number of 18 digits, the most that COBOL has, comes as a Decimal whose last digits are those of a double.
#
# One would guess: Decimal is there to be exact: 123456789012345.678 in PIC S9(15)V9(3) COMP-3 is Decimal('123456789012345.678').
# What happens: it is Decimal('123456789012345.672'): the digits are divided as a double, and the quotient is made a Decimal with three places. With no
# decimals in the picture all 18 digits are right. No error is raised, and the type says that none is to be expected.
#
# Matters for service units and seconds that are added up over years, for which such fields are made; a check of sums against the source fails by little.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check coboljsonifier==1.0.8
cd "$folder"
venv/bin/python - <<'PY'
from decimal import Decimal

from coboljsonifier.config.parser_type_enum import ParseType
from coboljsonifier.copybookextractor import CopybookExtractor
from coboljsonifier.parser import Parser


def read(picture):
    with open("copybook.cpy", "w") as file:
        file.write(f"       01  USED.\n           05  UNITS PIC {picture} COMP-3.\n")
    parser = Parser(CopybookExtractor("copybook.cpy").dict_book_structure, ParseType.BINARY_EBCDIC).build()
    parser.parse(bytes.fromhex("0123456789012345678C"))
    return parser.value["UNITS"]


answers = {picture: read(picture) for picture in ("S9(18)", "S9(15)V9(3)", "S9(13)V9(5)")}
print(answers)
assert answers == {
    "S9(18)": 123456789012345678, "S9(15)V9(3)": Decimal("123456789012345.672"), "S9(13)V9(5)": Decimal("1234567890123.45679")}
PY
