#!/bin/sh
# mfpandas 0.1.7 and pandas 3.1.1: a volume whose space DCOLLECT gives in megabytes, as it does for the largest, is listed with a thousandth of its space.
#
# One would guess: DCVVLCAP of all volumes is in one unit: 8,000,000 KB (an old one) and 200,000 MB = 204,800,000 KB (one with cylinder-managed space, which
# has the bit DCVCYLMG); the package has a line that multiplies by 1024 for it.
# What happens: 8000000 and 200000: the larger volume is a fortieth of the smaller. The line asks `flags & 128 == True`, which Python takes for
# `flags & (128 == True)`, and that is never so. The bit itself is not in the table, so that nobody can mend the number afterwards.
#
# Matters for capacity planning of disks: sums of allocated and free space lack the volumes that have most of it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check mfpandas==0.1.7 pandas==3.1.1
cd "$folder"
venv/bin/python - <<'PY'
import struct

from mfpandas import DCOLLECT


def volume(name, flag, free, allocated, capacity):
    """A volume record (type V) of DCOLLECT, with its record descriptor word; offsets from there."""
    record = bytearray(160)
    for offset, value in {
        0: struct.pack(">HH", len(record), 0), 4: "V ".encode("cp500"), 6: b"\x00\x02", 8: "FND4".encode("cp500"), 24: name.encode("cp500"), 35: b"\x32",
        36: struct.pack(">III", free, allocated, capacity), 68: "3390    ".encode("cp500"), 76: b"\x0a\x01", 82: (" " * 38).encode("cp500"), 121: flag,
    }.items():
        record[offset:offset + len(value)] = value
    return bytes(record)


with open("dcollect.bin", "wb") as file:
    file.write(volume("OLD001", b"\x00", 4000000, 4000000, 8000000) + volume("EAV001", b"\x80", 100000, 100000, 200000))
dcollect = DCOLLECT(dcollect="dcollect.bin")
dcollect.parse_t()
print(dcollect.volumes.to_string())
assert dcollect.volumes["DCVVOLSR"].tolist() == ["OLD001", "EAV001"]
assert dcollect.volumes[["DCVFRESP", "DCVALLOC", "DCVVLCAP"]].values.tolist() == [[4000000, 4000000, 8000000], [100000, 100000, 200000]]
assert not any("CYLMG" in name for name in dcollect.volumes.columns)
PY
