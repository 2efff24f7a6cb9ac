#!/bin/sh
# copybook 1.0.16: a packed field (COMP-3) is as long as it has digits, and is not said to be packed; every position behind it is wrong.
#
# One would guess: PIC S9(5) COMP-3 has 3 bytes and "compressed" is True, so that what follows the job of 4 bytes and the seconds starts at 7.
# What happens: the field has 5 bytes, "compressed" is False, and the next one starts at 9, as if COMP-3 were not there; it is in the package's grammar,
# so it is no error either.
#
# Matters for whoever takes start_pos and get_total_length() for cutting records, for which the package is made.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check copybook==1.0.16 pyparsing==3.3.3
cd "$folder"
venv/bin/python -W ignore - <<'PY'
import copybook

root = copybook.parse_string("""\
       01  USED.
           05  JOB      PIC X(4).
           05  SECONDS  PIC S9(5) COMP-3.
           05  CLASS    PIC X(2).
""")
fields = {field.name: field for field in root.flatten()}
answers = {name: (fields[name].start_pos, fields[name].get_total_length()) for name in ("JOB", "SECONDS", "CLASS")}
print(answers, "record:", root.get_total_length(), "packed:", fields["SECONDS"].compressed)
assert answers == {"JOB": (0, 4), "SECONDS": (4, 5), "CLASS": (9, 2)}
assert root.get_total_length() == 11 and fields["SECONDS"].compressed is False
PY
