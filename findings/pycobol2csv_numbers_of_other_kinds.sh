#!/bin/sh
# pycobol2csv 1.0.6: of four ways in which COBOL writes a number, three come out as other numbers or as nothing; none is refused.
#
# One would guess: -300 in a halfword (FED4), 123 in zoned digits (F1F2C3), 4321 in packed digits without a sign (04321F), -45 in packed digits with one.
# What happens: -45 is right. The halfword is 65236: a binary number is taken for negative if its first byte is FF, so down to -256 alone. Zoned digits are
# unpacked as if they were packed ones, and are 152532. Packed digits of a picture without S are decoded as text, and are no number.
#
# Matters because a first look finds the names, and most of the numbers, right: differences between two counters are wrong only where they are large.
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
with open("copybook.cpy", "w") as file:
    file.write("""\
       01  COUNTERS.
           05  SIGNED-PACKED    PIC S9(3) USAGE COMP-3.
           05  HALFWORD         PIC S9(4)  BINARY.
           05  ZONED            PIC S9(3).
           05  UNSIGNED-PACKED  PIC 9(5) USAGE COMP-3.
""")
with open("records.bin", "wb") as file:
    file.write(bytes.fromhex("045D FF38 F1F2C3 04321F") + bytes.fromhex("045D FED4 F1F2C3 04321F"))
convert_cobol_file("copybook.cpy", "records.bin", "out.csv", "csv.json", "cp1047")
with open("out.csv") as file:
    rows = list(csv.DictReader(file))
print(*rows, sep="\n")
assert [row["SIGNED_PACKED"] for row in rows] == ["-45", "-45"]
assert [row["HALFWORD"] for row in rows] == ["-200", "65236"]
assert [row["ZONED"] for row in rows] == ["152532", "152532"]
assert not any(row["UNSIGNED_PACKED"].strip().isdigit() for row in rows)
PY
