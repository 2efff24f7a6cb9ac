#!/bin/sh
# cobolio 0.1.5: COMP-4 and COMP-5, which its own documentation has as binary numbers of 2, 4 or 8 bytes, are read as text, and COMP-2 has no bytes.
#
# One would guess: PIC S9(4) with BINARY, COMP, COMP-4 or COMP-5 is a halfword each, FED4 is -300, and a double (COMP-2) has 8 bytes.
# What happens: BINARY and COMP are -300 from 2 bytes. COMP-4 and COMP-5 take 4 bytes, one a digit, and decode them as EBCDIC digits with a sign; COMP-2 is
# left out, and what follows it is read from its place. A record of 8 + 8 + 4 bytes is said to have 16, and its job is not found. No error is raised.
#
# Matters because which of the four words a copybook has is a habit of its author, and because service times as doubles are common.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check cobolio==0.1.5
cd "$folder"
venv/bin/python - > answers.txt <<'PY'
import sys

import cobolio

lines = ["       01  USED."] + [f"           05  {name}  PIC S9(4) {usage}." for name, usage in zip("ABCD", ("BINARY", "COMP", "COMP-4", "COMP-5"))]
length, layout = cobolio.copybook_to_layout("\n".join(lines + ["           05  SECONDS  COMP-2.", "           05  JOB  PIC X(4).", ""]))
record = cobolio.loads(bytes.fromhex("FED4" * 4 + "4110000000000000") + "JOBA".encode("cp037"), layout)
print(length, [field[:3] for field in layout], record, file=sys.stderr)
assert length == 16 and [field[:3] for field in layout] == [("A", 0, 2), ("B", 2, 2), ("C", 4, 4), ("D", 8, 4), ("JOB", 12, 4)]
assert record["A"] == record["B"] == "-300" and record["C"] != "-300" != record["D"] and record["JOB"] != "JOBA"
PY
