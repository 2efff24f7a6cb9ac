#!/bin/sh
# smf2db 0.1.3 and pandas 3.1.1: summed up by the hour, every request of z/OS Connect has timed out, and used no processor time.
#
# One would guess: of four requests, one of which has the bit "timed out" of SMF 123, the hour has requests 4, timed_out 1; and where no CICS record is at
# hand, the processor time of the tasks behind the requests is NULL in the hour, as it is in the rows of the single requests.
# What happens: the single rows are right (0, 0, 1, 0 and NULL). The hour has timed_out 4, whatever the bits are, and task_usrcput 0.0.
#
# Matters for whoever judges an API by such a table: no server is as bad as 100% time-outs, nor as cheap as zero.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check smf2db==0.1.3 pandas==3.1.1 tabulate==0.9.0
cd "$folder"
venv/bin/python - <<'PY'
import json


def request(number, method, code, flags, in_all, behind):
    def time(microseconds):
        return f"2026-12-02 08:05:{number:02}.{microseconds:06}"

    text = dict.fromkeys([f"smf123s1_{way}_hdr{n}" for way in ("req", "resp") for n in range(1, 5)] + ["smf123s1_req_query_str"], "")
    return text | {"smf123s1_" + name: value for name, value in {
        "req_id": str(number), "req_data_ver": 1, "req_type": 1, "req_method": method, "http_resp_code": code, "resp_flags": flags,
        "api_name": "quotes", "api_version": "1.4", "service_name": "quote", "service_version": "1", "user_name": "anna", "user_name_mapped": "ANNA",
        "client_ip_addr": "192.0.2.7", "req_target_uri": "/quotes", "req_payload_len": 10, "resp_payload_len": 20, "tracking_token": f"T{number}",
        "time_zc_entry": time(0), "time_sor_sent": time(1000), "time_sor_recv": time(1000 + behind), "time_zc_exit": time(in_all),
        "sp_name": "cics", "sor_reference": "cics", "sor_identifier": "CICSX", "sor_resource": "QUOT,QUOTE01"}.items()}


server = {"sect_version": 2, "feature_major": 3, "feature_minor": 0, "system": "FND1", "sysplex": "FNDPLEX", "jobid": "STC00001", "jobname": "ZCONN",
          "stoken": "0x0000000000000001", "config_dir": "/zconnect", "version": "3.0.86.0"}
record = {
    "header": {"smf123_rec_type": 123, "smf123_sid": "FND1", "smf123_ssi": "ZCON", "smf123_subtype": 1, "smf123_subtype_version": 2,
               "smf123_datetime": "2026-12-02 08:06:00.000000", "smf123_datetime_offset": "00:00:00"},
    "serverSection": {"smf123_server_" + name: value for name, value in server.items()},
    "reqDataSection": [request(1, "GET", 200, "0x00", 50000, 40000), request(2, "POST", 200, "0x00", 30000, 20000),
                       request(3, "GET", 503, "0x80", 90000, 80000), request(4, "PUT", 200, "0x00", 9000, 5000)]}
with open("requests.json", "w") as file:
    json.dump([record], file)
PY
smf2db() { venv/bin/smf2db db "$@" > log.txt 2>&1 || { cat log.txt; exit 1; }; }
smf2db initcfg --config_file cfg/c.yaml --db_driver sqlite -x fnd_ --partitions "no partition" --sqlite_path .
echo y | smf2db initdb --config_file cfg/c.yaml 123
echo y | smf2db initsum --config_file cfg/c.yaml 123 hourly
smf2db upload 123 --config_file cfg/c.yaml requests.json
smf2db sumup 123 --config_file cfg/c.yaml --summary_level hourly -s "2026-12-02 00:00" -e "2026-12-02 23:59"
venv/bin/python - <<'PY'
import sqlite3

single = sqlite3.connect("fnd_smf123_1.db").execute("SELECT timed_out, task_usrcput FROM smf123_request_data ORDER BY smf123s1_req_id").fetchall()
hour = sqlite3.connect("fnd_smf123_hr.db").execute("SELECT requests, timed_out, task_usrcput FROM smf123_request_data_hr").fetchall()
print("requests (timed_out, task_usrcput):", single, "hour (requests, timed_out, task_usrcput):", hour)
assert single == [(0, None), (0, None), (1, None), (0, None)]
assert hour == [(4, 4, 0.0)]
PY
