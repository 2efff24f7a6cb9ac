#!/bin/sh
# coboljsonifier 1.0.8: a table of numbers (OCCURS) reads as one digit, or as a table of the field after it; a table of groups is right.
#
# One would guess: three hours 12, 34, 56, and then the job JOBA; whether OCCURS stands before PIC or after it makes no difference in COBOL.
# What happens: PIC before OCCURS gives the hour 1 and the job "2345". OCCURS before PIC gives a table of three jobs, "1234", "56JO" and "BA".
# Only a group that occurs, with the number in it, gives the three hours. No error is raised.
#
# Matters for records with a number per hour or per processor, which is what tables in such records are for.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check coboljsonifier==1.0.8
cd "$folder"
venv/bin/python - <<'PY'
from coboljsonifier.config.parser_type_enum import ParseType
from coboljsonifier.copybookextractor import CopybookExtractor
from coboljsonifier.parser import Parser

record = bytes.fromhex("F1F2 F3F4 F5F6") + "JOBA".encode("cp037")
tables = {
    "PIC first": "           05  HOURS PIC 9(2) OCCURS 3 TIMES.\n",
    "OCCURS first": "           05  HOURS OCCURS 3 TIMES PIC 9(2).\n",
    "a group": "           05  HOURS OCCURS 3 TIMES.\n               10  HOUR PIC 9(2).\n"}
answers = {}
for name, table in tables.items():
    with open("copybook.cpy", "w") as file:
        file.write("       01  DAY-OF-JOB.\n" + table + "           05  JOB PIC X(4).\n")
    parser = Parser(CopybookExtractor("copybook.cpy").dict_book_structure, ParseType.BINARY_EBCDIC).build()
    parser.parse(record)
    answers[name] = parser.value
    print(name, answers[name])
assert answers["a group"] == {"HOURS": [{"HOUR": 12}, {"HOUR": 34}, {"HOUR": 56}], "JOB": "JOBA"}
assert answers["PIC first"] == {"HOURS": 1, "JOB": "2345"}
assert answers["OCCURS first"]["HOURS"] == [{"JOB": "1234"}, {"JOB": "56JO"}, {"JOB": "BA"}]
PY
