#!/bin/sh
# pycobol2csv 1.0.6: a file whose records have two fields becomes a CSV of the heading alone, however many records it has.
#
# One would guess: one line of CSV per record, as for records of three fields.
# What happens: three records of job and seconds give "JOB,SECONDS" and no line. With a third field of one blank in each record all three are there.
# Nothing is said, and no error is raised: a line of fewer than three values is taken for the end of the file.
#
# Matters for small extracts, such as processor seconds per job: an empty table looks like a month in which nothing ran.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check pycobol2csv==1.0.6 ebcdic==2.0.1
cd "$folder"
venv/bin/python - <<'PY'
import csv
import json

from pycobol2csv.convert import convert_cobol_file

with open("csv.json", "w") as file:
    json.dump({"csv_config": {"delimiter": ",", "quoting_level": csv.QUOTE_MINIMAL, "quote_char": '"'}}, file)
lines = ["       01  USED.", "           05  JOB      PIC X(8).", "           05  SECONDS  PIC S9(5) USAGE COMP-3.", "           05  PAD      PIC X(1)."]
records = [("PAYROLL1", "00120C"), ("PAYROLL2", "00045C"), ("BACKUP01", "01800C")]
for fields in (2, 3):
    with open("copybook.cpy", "w") as file:
        file.write("\n".join(lines[: fields + 1]) + "\n")
    with open("records.bin", "wb") as file:
        for job, seconds in records:
            file.write(job.encode("cp1047") + bytes.fromhex(seconds) + (b"" if fields == 2 else b"\x40"))
    convert_cobol_file("copybook.cpy", "records.bin", "out.csv", "csv.json", "cp1047")
    with open("out.csv") as file:
        rows = list(csv.reader(file))
    print(fields, "fields:", rows)
    expected = [] if fields == 2 else [["PAYROLL1", "120", ""], ["PAYROLL2", "45", ""], ["BACKUP01", "1800", ""]]
    assert rows == [["JOB", "SECONDS", "PAD"][:fields], *expected]
PY
