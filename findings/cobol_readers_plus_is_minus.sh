#!/bin/sh
# ebcdic-parser 3.4.0 and cobutils 0.2.8: the preferred plus sign of z/OS, C, makes a number negative, of zoned digits in the one, of packed digits in the other.
#
# One would guess: F1F2C3 is +123 and F1F2D3 is -123 (zoned), 00123C is +123 and 00123D is -123 (packed); a sign F, "none", is a plus too.
# What happens: ebcdic-parser has zoned F1F2C3 as -123, and packed 123C right. cobutils has packed 00123C as Decimal('-123'). Both take any sign but F for
# a minus, so that fields without S in their picture are right.
#
# Matters because COBOL, PL/I and assembler write C for every plus of a signed field: sums have the right size and the wrong sign.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check ebcdic-parser==3.4.0 cobutils==0.2.8
cd "$folder"
cat > layout.json <<'JSON'
{"description": "used", "layouts": [{"layouttype": "used", "layout": [
    {"name": "zoned", "type": "zonedDecimal", "size": 3}, {"name": "packed", "type": "packedDecimal", "size": 3}]}]}
JSON
printf '\361\362\363\000\022\077\361\362\303\000\022\074\361\362\323\000\022\075' > records.bin
mkdir out
venv/bin/python -m ebcdic_parser --inputfile "$folder/records.bin" --outputfolder "$folder/out" --layoutfile "$folder/layout.json" --pythonencoding yes \
    --encodingname cp037 --outputdelimiter , --logfolder "$folder" --verbose no
cat > used.cpy <<'COBOL'
       01  used.
           05  zoned   pic x(3).
           05  packed  pic s9(5) comp-3.
COBOL
venv/bin/python - > packed.txt <<'PY'
import cobutils
from cobutils.extract import records

with open("records.bin", "rb") as file:
    print(*[dict(record)["packed"] for record in records(cobutils.load_definition_from_file("used.cpy"), file)])
PY
cat out/* packed.txt
test "$(cut -d, -f1,2 out/*.txt | tr -s '\r\n' ' ')" = "123,123 -123,123 -123,-123 "
test "$(cat packed.txt)" = "123 -123 -123"
