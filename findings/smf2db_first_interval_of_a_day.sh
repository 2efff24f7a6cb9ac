#!/bin/sh
# smf2db 0.1.3 and pandas 3.1.1: a report of page data sets "from 00:00" is without the interval that starts at 00:00.
#
# One would guess: -s "2026-03-02 00:00" -e "2026-03-03 00:00" prints all intervals of that day: four, in a file that starts with it.
# What happens: three. The interval whose start is the start that was asked for is left out, and if it is the only one the report is "No data found." with
# exit 0. Asked from one minute earlier on, it is there. Reports of other types (72, 74) have it in both cases.
#
# Matters because days and hours are what reports are asked for, and intervals start where days and hours do: each lacks its first interval.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check smf2db==0.1.3 pandas==3.1.1 tabulate==0.9.0
cd "$folder"
venv/bin/python - <<'PY'
import datetime
import json


def record(number):
    start = datetime.datetime(2026, 3, 2) + number * datetime.timedelta(minutes=15)
    product = {
        "mfv": 311, "prd": "RMF", "ist": f"{start}", "int": "00:15:00.000", "sam": 900, "fla": "0x0000", "cyc": 1000, "mvs": "ZV030100", "iml": 3, "prf": "0x3C",
        "ptn": 1, "srl": "0x94", "iet": f"0x{0xE2A0000000000000 + number:016X}", "oil": 900, "syn": 0, "lgo": "+00:00:00.000000",
        "gie": f"{start + datetime.timedelta(minutes=15)}.000000", "xnm": "FNDPLEX", "snm": "FND3"}
    page = {
        "dsn": "PAGE.LOCAL1", "vol": "PAG001", "pst": "0x12", "fl2": "0x00", "typ": "0x3010200F", "cha": "0x0A01", "dev": "33909", "cu": "2107", "bds": 0,
        "sla": 180000, "mnu": 1, "mxu": 9, "avu": 5, "use": 90, "req": 90, "sio": 450, "pgx": 900 + number, "scs": "0"}
    return {"header": {"recType": 75, "subType": 1, "sysId": "FND3", "sysInd": "0x5E"}, "smf75pro": {"smf75" + k: v for k, v in product.items()},
            "smf75psd": {"smf75" + k: v for k, v in page.items()}}


for name, records in {"day": [record(number) for number in range(4)], "midnight": [record(0)]}.items():
    print(json.dumps(records), file=open(name + ".json", "w"))
PY
report() { venv/bin/smf2db report 75 "$1.json" -l FND3 -s "$2" -e '2026-03-03 00:00' | tee "$3" | grep -c PAGE.LOCAL1 || true; }
day=$(report day '2026-03-02 00:00' day.txt)
earlier=$(report day '2026-03-01 23:59' earlier.txt)
midnight=$(report midnight '2026-03-02 00:00' midnight.txt)
echo "intervals of the day: $day, from a minute earlier: $earlier, of a file with the first alone: $midnight"
cat midnight.txt
test "$day $earlier $midnight" = "3 4 0"
grep -q "No data found" midnight.txt
