#!/bin/sh
# xmi-reader 1.0.5: a tape data set that was written on a day of the year that ends in 0 is said to have been written on the day after.
#
# One would guess: the label's date 026010 (cyyddd) is 10 January 2026, as 026009 is the 9th; 026100 is 10 April.
# What happens: 026010 and 026011 are both 11 January, 026100 and 026101 both 11 April: the last digit 0 of every day is made a 1, not that of day 000 alone,
# which stands for "no date". Every tenth day is so, and 31 December of a leap year (366) is not. No error is raised.
#
# Matters where print or SMF records come by the day on tapes, or as images of tapes: one day has none, the next has two.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check xmi-reader==1.0.5 python-magic==0.4.27
cd "$folder"
venv/bin/python - <<'PY'
import json
import struct

from xmi import XMIT


def image(date):
    """An AWS tape image with standard labels, and one data set of one record."""
    def first(kind, blocks):
        return f"{kind}1{'SMF.DAILY':17}TAPE0100010001000100{date} 000000{blocks:06}{'IBM OS/VS 370':20}".encode("cp500")

    def second(kind):
        return f"{kind}2F0008000080{'30JOBA    /STEP1':23}B".ljust(80).encode("cp500")

    out = b""
    for blocks in (["VOL1TAPE01".ljust(80).encode("cp500"), first("HDR", 0), second("HDR")], ["A LINE".ljust(80).encode("cp500")], [first("EOF", 1), second("EOF")], []):
        before = 0
        for block in blocks:
            assert len(block) == 80
            out += struct.pack("<HHH", 80, before, 0xA0) + block
            before = 80
        out += struct.pack("<HHH", 0, before, 0x40)
    return out


answers = {}
for date in ("026009", "026010", "026011", "026100", "026101"):
    with open("tape.aws", "wb") as file:
        file.write(image(date))
    tape = XMIT(filename="tape.aws", loglevel=40)
    tape.open()
    answers[date] = json.loads(tape.get_json(text=False))["file"]["SMF.DAILY"]["HDR1"]["createdate"][:10]
print(answers)
assert answers == {"026009": "2026-01-09", "026010": "2026-01-11", "026011": "2026-01-11", "026100": "2026-04-11", "026101": "2026-04-11"}
PY
