#!/bin/sh
# smf2db 0.1.3 and pandas 3.1.1: the total of "% Via TPI" in the CPU Activity report is the sum of the processors' percentages.
#
# One would guess: the share of all I/O interrupts that were found by TEST PENDING INTERRUPTION, as RMF prints it: 690 of 6,090, 11.33.
# What happens: the total of 10.00, 10.00 and 100.00 is printed as 120.00, and the command ends with 0. Rates beside them are added up too, which is right.
#
# Matters for whoever compares a page of RMF with one that is printed from SMF records, or reads that page into a lake: more than 100% is no reading error.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check smf2db==0.1.3 pandas==3.1.1 tabulate==0.9.0
cd "$folder"
venv/bin/python - <<'PY'
import json

zero, interval = "00:00:00.000000", "00:15:00.000000"
# Interrupts by SLIH and by TPI of each of three general processors, and a zIIP.
interrupts = [(3600, 400), (1800, 200), (0, 90)]
processors = [
    {"smf70cid": number, "smf70typ": kind, "smf70slh": slih, "smf70tpi": tpi, "smf70cnf": "0x01", "smf70v": "0x00", "smf70wat": zero, "smf70pat": zero,
     "smf70ser": "0x0B0001", "smf70tcb": 0, "smf70srb": 0, "smf70nio": 0, "smf70wti": zero}
    for number, (kind, (slih, tpi)) in enumerate([(0, each) for each in interrupts] + [(2, (0, 0))])
]
logical = [
    {"smf70vpa": f"0x{number:04X}", "smf70cix": 2 if number == 3 else 1, "smf70bps": "0x0064", "smf70mis": "0x0064", "smf70mas": "0x0064", "smf70vpf": "0x00",
     "smf70pof": "0xC0", "smf70ont": interval, "smf70pdt": "00:09:00.000000", "smf70edt": "00:08:30.000000", "smf70wst": zero, "smf70mtit": zero,
     **{f"smf70{name}": 0 for name in ("acs", "nsi", "nsa", "pma", "nsw", "pow", "nca", "hw_cap_limit", "hwgr_cap_limit")}}
    for number in range(4)
]
spaces = {f"smf70{space}{what}": 90 for space in "rioswbstlapx" for what in ("mn", "mm", "tt", *(f"{n:02}" for n in range(16)))}
queue = {f"smf70{name}{n:02}": 30 for name in "qu" for n in range(16)} | {f"smf70{kind}{what}": 90 for kind in "cde" for what in ("mn", "mm", "tt")}
record = {
    "header": {"recType": 70, "subType": 1, "sysId": "FND1", "sysInd": "0x5E"},
    "smf70pro": {
        "smf70mfv": 311, "smf70prd": "RMF", "smf70ist": "2026-03-02 10:00:00", "smf70int": "00:15:00.000", "smf70sam": 900, "smf70fla": "0x0000", "smf70cyc": 1000,
        "smf70mvs": "ZV030100", "smf70iml": 3, "smf70prf": "0x3C", "smf70ptn": 1, "smf70srl": "0x94", "smf70iet": "0xE2A0000000000000", "smf70oil": 900, "smf70syn": 0,
        "smf70lgo": "+00:00:00.000000", "smf70gie": "2026-03-02 10:15:00.000000", "smf70xnm": "FNDPLEX", "smf70snm": "FND1"},
    "smf70ctl": {
        "smf70mod": "0x8561", "smf70mdl": "704", "smf70hwm": "T01", "smf70bnp": 4, "smf70inb": "0x00", "smf70stf": "0x40", "smf70gts": "00:00:00.000", "smf70dsa": 900,
        "smf70cpa": 400, "smf70cpa_actual": 400, "smf70cpa_scaling_factor": 1, "smf70wla": 200, "smf70hof": zero, "smf70gjt": "2026-03-01 00:00:00.000000",
        "smf70csc": "00000000000A1B2C", "smf70hhf": "0xC0", "smf70mcr": 900, "smf70gau": 50, "smf70cai": 100, "smf70ccr": 0, "smf70pmt": "00:00:00.005", "smf70pml": 20,
        "smf70pmi": 900, "smf70pmu": 9, "smf70pmw": 9, "smf70pmp": 1, **{f"smf70{name}": 1024 for name in ("mcf", "mcfs", "mcfi", "cf", "cfs", "cfi")}},
    "smf70cis": [{"smf70cin": "CP", "smf70ctn": 3, "smf70can": 3}, {"smf70cin": "IIP", "smf70ctn": 1, "smf70can": 1}],
    "smf70cpu": processors,
    "smf70aid": spaces | queue | {"smf70srm": 900},
    "smf70bct": [
        {"smf70lpm": name, "smf70lpn": number, "smf70bds": first, "smf70bdn": count, "smf70spn": "FNDPLEX", "smf70stn": "FND1", "smf70pfg": "0x00", "smf70pfl": "0x00",
         "smf70csf": "8192MB", "smf70esf": "0MB", "smf70msu": 0, "smf70gnm": "", "smf70gmu": 0, "smf70_boostinfo": "0x00"}
        for name, number, first, count in (("FNDLPAR", 1, 0, 4), ("PHYSICAL", 0, 4, 0))],
    "smf70bpd": logical,
}
with open("smf70.json", "w") as file:
    json.dump([record], file)
PY
venv/bin/smf2db report 70 smf70.json -r 'CPU Activity Report' -l FND1 -o report.txt
sed -n 1,14p report.txt
total=$(awk '$1 == "Total" { print $NF; exit }' report.txt)
lines=$(awk '$2 == "CP" && $1 ~ /^[0-9]$/ { print $NF }' report.txt | tr '\n' ' ')
echo "processors: $lines total: $total"
test "$lines" = "10.00 10.00 100.00 "
test "$total" = 120.00
