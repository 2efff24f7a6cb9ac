#!/bin/sh
# mfpandas 0.1.7 and pandas 3.1.1: every data set of DCOLLECT has the record format U ("undefined"), whatever it has beside.
#
# One would guess: DCDRECFF, DCDRECFV and DCDRECFU tell fixed, variable and undefined apart: one of them is True.
# What happens: fixed is F and U, variable is V and U, and undefined is all three: the format is two bits (10, 01, 11), and each of the three columns asks
# whether any of its bits is set. A selection of the undefined ones, the load libraries, gives all data sets.
#
# Matters for whoever picks SMF and print data sets (V and F) out of such a table by their format.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check mfpandas==0.1.7 pandas==3.1.1
cd "$folder"
venv/bin/python - <<'PY'
import struct

from mfpandas import DCOLLECT


def data_set(name, record_format):
    """A data set record (type D) of DCOLLECT, with its record descriptor word; offsets from there."""
    record = bytearray(336)
    for offset, value in {
        0: struct.pack(">HH", len(record), 0), 4: "D ".encode("cp500"), 6: b"\x00\x02", 8: "FND4".encode("cp500"), 24: f"{name:44}".encode("cp500"),
        70: b"\x0c", 74: b"\x40\x00", 76: record_format, 77: b"\x01", 78: "VOL001".encode("cp500"), 84: struct.pack(">HHII", 27920, 80, 1000, 800),
        104: bytes.fromhex("2026061F"), 112: bytes.fromhex("2026062F"), 134: (" " * 126).encode("cp500"),
    }.items():
        record[offset:offset + len(value)] = value
    return bytes(record)


with open("dcollect.bin", "wb") as file:
    file.write(data_set("PRINT.FB", b"\x90") + data_set("SMF.VBS", b"\x58") + data_set("LOAD.U", b"\xc0"))
dcollect = DCOLLECT(dcollect="dcollect.bin")
dcollect.parse_t()
formats = dcollect.datasets[["DCDDSNAM", "DCDRECFF", "DCDRECFV", "DCDRECFU", "DCDRECFB", "DCDRECFS"]].values.tolist()
print(*formats, sep="\n")
assert formats == [["PRINT.FB", True, False, True, True, False], ["SMF.VBS", False, True, True, True, True], ["LOAD.U", True, True, True, False, False]]
PY
