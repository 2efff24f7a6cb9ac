#!/bin/sh
# cobolio 0.1.5: the decimal point of a zoned number is set in a signed field and left out in an unsigned one, so that 123.45 is "12345".
#
# One would guess: F1F2F3F4F5 is 123.45 in PIC 9(3)V99 as F1F2F3F4C5 is in PIC S9(3)V99; the layout has the scale 2 for both.
# What happens: '12345' and '+123.45'. Packed in an unsigned field it is '+123.45' again, with the point and even with a sign.
#
# Matters because most measured amounts cannot be negative and so have no S: of one record, some are a hundred times as large as the others.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check cobolio==0.1.5
cd "$folder"
venv/bin/python - <<'PY'
import cobolio

length, layout = cobolio.copybook_to_layout("""\
       01  COSTS.
           05  UNSIGNED-ZONED   PIC 9(3)V99.
           05  SIGNED-ZONED     PIC S9(3)V99.
           05  UNSIGNED-PACKED  PIC 9(3)V99 COMP-3.
""")
record = cobolio.loads(bytes.fromhex("F1F2F3F4F5 F1F2F3F4C5 12345F"), layout)
print(layout, record, sep="\n")
assert length == 13 and [field[-1] for field in layout] == [2, 2, 2]
assert record == {"UNSIGNED_ZONED": "12345", "SIGNED_ZONED": "+123.45", "UNSIGNED_PACKED": "+123.45"}
PY
