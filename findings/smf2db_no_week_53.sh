#!/bin/sh
# smf2db 0.1.3 and pandas 3.1.1: a database that is divided by "week number" has no place for the last days of 2026, ISO week 53.
#
# One would guess: the records of any day are taken; 2020, 2026 and 2032 have a week 53 as other years have a week 52.
# What happens: 52 partitions are made. A request of Sunday, 27 December 2026 is stored; one of Monday, 28 December ends the upload with
# "database write error ... '123.53'" and exit 1, and so it is until 3 January 2027.
#
# Matters because the first such week after smf2db came out is the week of the year's end, which is planned for and looked at more than any other.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check smf2db==0.1.3 pandas==3.1.1 tabulate==0.9.0
cd "$folder"
venv/bin/python - <<'PY'
import json

server = {"sect_version": 2, "feature_major": 3, "feature_minor": 0, "system": "FND2", "sysplex": "FNDPLEX", "jobid": "STC00002", "jobname": "ZCYEAR",
          "stoken": "0x0000000000000002", "config_dir": "/zconnect", "version": "3.0.86.0"}
for day in ("2026-12-27", "2026-12-28"):
    request = {
        "req_id": "1", "req_data_ver": 1, "req_type": 1, "req_method": "GET", "http_resp_code": 200, "resp_flags": "0x00", "req_query_str": "",
        "api_name": "stock", "api_version": "2.0", "service_name": "stock", "service_version": "1", "user_name": "otto", "user_name_mapped": "OTTO",
        "client_ip_addr": "192.0.2.9", "req_target_uri": "/stock", "req_payload_len": 1, "resp_payload_len": 2, "tracking_token": "Y1",
        "time_zc_entry": f"{day} 12:00:00.000000", "time_sor_sent": f"{day} 12:00:00.001000", "time_sor_recv": f"{day} 12:00:00.004000",
        "time_zc_exit": f"{day} 12:00:00.005000", "sp_name": "cics", "sor_reference": "cics", "sor_identifier": "CICSY", "sor_resource": "STOC,STOCK01",
        **{f"{way}_hdr{n}": "" for way in ("req", "resp") for n in range(1, 5)}}
    record = {
        "header": {"smf123_rec_type": 123, "smf123_sid": "FND2", "smf123_ssi": "ZCON", "smf123_subtype": 1, "smf123_subtype_version": 2,
                   "smf123_datetime": f"{day} 12:00:01.000000", "smf123_datetime_offset": "00:00:00"},
        "serverSection": {"smf123_server_" + name: value for name, value in server.items()},
        "reqDataSection": {"smf123s1_" + name: value for name, value in request.items()}}
    with open(f"{day}.json", "w") as file:
        json.dump([record], file)
PY
venv/bin/smf2db db initcfg --config_file cfg/c.yaml --db_driver sqlite -x fnd_ --partitions "week number" --sqlite_path . > log.txt
echo y | venv/bin/smf2db db initdb --config_file cfg/c.yaml 123 >> log.txt
status=0
venv/bin/smf2db db upload 123 --config_file cfg/c.yaml 2026-12-27.json > sunday.txt 2>&1
venv/bin/smf2db db upload 123 --config_file cfg/c.yaml 2026-12-28.json > monday.txt 2>&1 || status=$?
cat sunday.txt monday.txt
echo "partitions: $(ls fnd_smf123_*.db | wc -l), exit for Monday: $status"
grep -q "'smf123_request_data': 1" sunday.txt
grep -q "'123.53'" monday.txt
test "$status" = 1
test "$(ls fnd_smf123_*.db | wc -l)" = 52
