#!/bin/sh
# cobol-copybook-to-json 1.1.1: doubles have no bytes, halfwords as COMP-5 have four, and a separate sign has none; the schema says success.
#
# One would guess: COMP-2 has 8 bytes, PIC S9(4) COMP-5 2 as with COMP, PIC S9(3) SIGN LEADING SEPARATE 4, PIC -(5)9 6, and the next field starts behind.
# What happens: 0, 4, 3 and 1; with COMP, COMP-3 and BINARY the lengths are right. The field behind starts at those offsets, "status" is "success", and the
# double is an object without properties.
#
# Matters because a schema with offsets is made for cutting records: service times are doubles in many, and all that follows them is cut in the wrong place.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check cobol-copybook-to-json==1.1.1
cd "$folder"
venv/bin/python - <<'PY'
from cobol_copybook_to_json import convert_copybook_to_json

# Bytes by COBOL, and bytes as said.
fields = {
    "PIC S9(4) COMP": (2, 2), "PIC S9(5) COMP-3": (3, 3), "PIC S9(9) BINARY": (4, 4), "PIC S9(4) COMP-5": (2, 4), "COMP-2": (8, 0),
    "PIC S9(3) SIGN LEADING SEPARATE": (4, 3), "PIC -(5)9": (6, 1)}
said = {}
for field in fields:
    answer = convert_copybook_to_json(f"       01  USED.\n           05  AMOUNT  {field}.\n           05  JOB  PIC X(8).\n", copybook_name="used")
    assert answer["status"] == "success"
    properties = answer["schema"]["recordLayouts"][0]["properties"]
    said[field] = properties["AMOUNT"]["maxLength"]
    assert properties["JOB"]["offset"] == said[field]
print(said)
assert said == {field: length for field, (_, length) in fields.items()}
PY
