#!/bin/sh
# smf2db 0.1.3, pandas 3.1.1 and SQLAlchemy 2.1.9: the database knows one partition of each machine; the other systems' records of other types are skipped.
#
# One would guess: after the CPU records (SMF 70) of FNDA and FNDB, two partitions of one machine, are uploaded, the records of both can be uploaded.
# What happens: smf_lpar has one row, FNDA. Page data sets (SMF 75) of FNDA are stored; those of FNDB are skipped until "the corresponding Smf70 Subtype 1
# records have been processed", which they have been; exit 0. (A partition is looked up by two conditions with Python's `and` between: one is dropped.)
#
# Matters for every machine with two systems: what is in the database depends on whose CPU record came first.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check smf2db==0.1.3 pandas==3.1.1 tabulate==0.9.0 sqlalchemy==2.1.9
cd "$folder"
venv/bin/python - <<'PY'
import json
zero, systems = "00:00:00.000000", ["FNDA", "FNDB"]


def product(number, prefix):
    return {prefix + k: v for k, v in {
        "mfv": 311, "prd": "RMF", "ist": "2026-03-02 10:00:00", "int": "00:15:00.000", "sam": 900, "fla": "0x0000", "cyc": 1000, "mvs": "ZV030100", "iml": 3,
        "prf": "0x3C", "ptn": number, "srl": "0x94", "iet": "0xE2A0000000000000", "oil": 900, "syn": 0, "lgo": "+00:00:00.000000",
        "gie": "2026-03-02 10:15:00.000000", "xnm": "FNDPLEX", "snm": systems[number - 1]}.items()}

def cpu(number):
    p = "smf70"
    control = {name: 1024 for name in "mcf mcfs mcfi cf cfs cfi mcr".split()} | dict.fromkeys("ccr pml pmi pmu pmw pmp gau cai".split(), 1) | {
        "mod": "0x8561", "mdl": "704", "hwm": "T01", "bnp": 3, "inb": "0x00", "stf": "0x40", "gts": "00:00:00.000", "dsa": 900, "cpa": 400, "cpa_actual": 400,
        "cpa_scaling_factor": 1, "wla": 200, "hof": zero, "gjt": "2026-03-01 00:00:00.000000", "csc": "00000000000A1B2C", "hhf": "0xC0", "pmt": "00:00:00.005"}
    processor = dict.fromkeys("cid typ tcb srb nio tpi".split(), 0) | {"slh": 9, "cnf": "0x01", "v": "0x00", "wat": zero, "pat": zero, "wti": zero, "ser": "0x0B0001"}
    spaces = {s + w: 90 for s in "rioswbstlapx" for w in ("mn", "mm", "tt", *(f"{n:02}" for n in range(16)))} | {"srm": 900}
    queue = {q + f"{n:02}": 30 for q in "qu" for n in range(16)} | {k + w: 90 for k in "cde" for w in ("mn", "mm", "tt")}
    partitions = [{"lpm": s, "lpn": n, "bds": n - 1, "bdn": 1, "spn": "FNDPLEX", "stn": s, "pfg": "0x00", "pfl": "0x00", "csf": "8192MB",
                   "esf": "0MB", "msu": 0, "gnm": "", "gmu": 0, "_boostinfo": "0x00"} for n, s in sorted(enumerate(systems, 1), key=lambda x: x[0] != number)]
    logical = {"vpa": "0x0000", "cix": 1, "bps": "0x0064", "mis": "0x0064", "mas": "0x0064", "vpf": "0x00", "pof": "0xC0", "ont": "00:15:00.000000", "wst": zero,
               "pdt": "00:09:00.000000", "edt": "00:08:30.000000", "mtit": zero} | dict.fromkeys("acs nsi nsa pma nsw pow nca hw_cap_limit hwgr_cap_limit".split(), 0)
    sections = {"ctl": control, "cpu": processor, "aid": spaces | queue, "bct": partitions, "bpd": [logical, logical], "cis": [{"cin": "CP", "ctn": 2, "can": 2}]}
    named = {p + s: [{p + k: v for k, v in x.items()} for x in c] if isinstance(c, list) else {p + k: v for k, v in c.items()} for s, c in sections.items()}
    return {"header": {"recType": 70, "subType": 1, "sysId": systems[number - 1], "sysInd": "0x5E"}, "smf70pro": product(number, p), **named}

def paging(number):
    page = {"dsn": "PAGE.LOCAL1", "vol": "PAG001", "pst": "0x12", "fl2": "0x00", "typ": "0x3010200F", "cha": "0x0A01", "dev": "33909", "cu": "2107", "bds": 0,
            "sla": 180000, "mnu": 1, "mxu": 9, "avu": 5, "use": 90, "req": 90, "sio": 450, "pgx": 900, "scs": "0"}
    return {"header": {"recType": 75, "subType": 1, "sysId": systems[number - 1], "sysInd": "0x5E"}, "smf75pro": product(number, "smf75"),
            "smf75psd": {"smf75" + k: v for k, v in page.items()}}

for name, records in {"70": [cpu(1), cpu(2)], "75A": [paging(1)], "75B": [paging(2)]}.items():
    print(json.dumps(records), file=open(name + ".json", "w"))
PY
venv/bin/smf2db db initcfg --config_file cfg/c.yaml --db_driver sqlite -x fnd_ --partitions "no partition" --sqlite_path . > log.txt
echo y | venv/bin/smf2db db initdb --config_file cfg/c.yaml 70 75 >> log.txt
for name in 70 75A 75B; do
    venv/bin/smf2db db upload ${name%[AB]} --config_file cfg/c.yaml $name.json 2>&1 | tee $name.txt
done
rows="$(venv/bin/python -c "import sqlite3; print(sqlite3.connect('fnd_smf.db').execute('SELECT system_name, lpar_number FROM smf_lpar').fetchall())")"
test "$rows" = "[('FNDA', 1)]"
grep -q "'smf75_psd': 1" 75A.txt
grep -q "until the corresponding Smf70 Subtype 1 records have been processed" 75B.txt
