#!/bin/sh
# cobutils 0.2.8: a binary number of up to four digits (PIC S9(4) COMP), which is a halfword, is read as four bytes, and one of 18 digits as six bytes.
#
# One would guess: two, four and eight bytes for up to 4, 9 and 18 digits, as z/OS and GnuCOBOL have them.
# What happens: the record below has 10 bytes for COBOL and 12 for cobutils. The first count is 300 * 65536 + 193 * 256 + 194 = 19,710,402 instead of 300,
# the name after it loses its first two letters, and the second record, too short now, is dropped. No error is raised.
#
# Matters because halfwords are what counters in such records mostly are; more than 9 digits have the opposite fault.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check cobutils==0.2.8
cd "$folder"
venv/bin/python - <<'PY'
import io

import cobutils
from cobutils.extract import records

definition = cobutils.load_definition_from_text("       01  used.\n           05  jobs  pic s9(4) comp.\n           05  name  pic x(8).\n")
data = b"".join(count.to_bytes(2, "big") + name.encode("cp037") for count, name in ((300, "ABCDEFGH"), (7, "IJKLMNOP")))
read = [(int(record["jobs"]), record["name"].decode("cp037")) for record in map(dict, records(definition, io.BytesIO(data)))]
digits = {n: cobutils.load_definition_from_text(f"       01  used.\n           05  n  pic s9({n}) comp.\n").size() for n in (4, 9, 18)}
print("length:", definition.size(), "records:", read, "bytes of n digits:", digits)
assert len(data) == 20 and definition.size() == 12
assert read == [(19710402, "CDEFGH\x00\x7f")]
assert digits == {4: 4, 9: 4, 18: 6}
PY
