#!/bin/sh
# xmi-reader 1.0.5: the last eight columns of a line are dropped if they are digits, whatever the record length is, line by line.
#
# One would guess: what create_xmi() packs, XMIT unpacks: three lines of 24 columns come back as they were. (The documentation speaks of sequence numbers
# in columns 72-80, as sources have them; these lines have 24 columns, and the other lines of the file have no digits there.)
# What happens: a count of five digits stays, one of eight digits is gone, and so is a date 20260302. The text is "STEP1 ENDED" and nothing tells that there
# was more. set_unnum(False) brings the digits back.
#
# Matters for reports and logs that are carried off z/OS in this form: in print, the last column of a line is a number as often as not.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check xmi-reader==1.0.5 python-magic==0.4.27
cd "$folder"
venv/bin/python - <<'PY'
from pathlib import Path

from xmi import XMIT, create_xmi

lines = ["RECORDS READ       12345", "RECORDS WRITTEN 10012345", "STEP1 ENDED     20260302"]
Path("steps.txt").write_text("\n".join(lines) + "\n")
create_xmi("steps.txt", output_file="steps.xmi", dsn="FND.STEPS", recfm="FB", lrecl=24)
answers = {}
for unnum in (True, False):
    packed = XMIT(filename="steps.xmi", outputfolder=f"out{unnum}", loglevel=40)
    if not unnum:
        packed.set_unnum(False)
    packed.open()
    packed.unload_files()
    answers[unnum] = Path(f"out{unnum}/FND.STEPS.txt").read_text().splitlines()
    print("default:" if unnum else "set_unnum(False):", answers[unnum])
assert answers[True] == ["RECORDS READ       12345", "RECORDS WRITTEN", "STEP1 ENDED"]
assert answers[False] == lines
PY
