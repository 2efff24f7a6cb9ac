"""The baseline: the script that a good analyst writes for RMF Workload Activity, with `re` and a state machine.

One pass over the lines; the first word of a line chooses what is tried on it, and every block row has one compiled
expression for all its cells. The same sections and fields as Ironlake, typed, with file, page and line, to Parquet
(zstd) in batches. What it does not do: tell where a report is not as expected (an unreadable cell is just empty, an
unknown line just counted), find columns that another release moved, keep a ledger.

    python -m benchmarks.regex_script OUT_FOLDER FILE_OR_FOLDER...
"""

import gc
import json
import re
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

BATCH_ROWS = 100_000

# --- Cells --------------------------------------------------------------------------------------------------------

_UNITS = {"K": 1000, "M": 1_000_000, "G": 1_000_000_000}
_BYTES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        cell = cell.strip()
    if cell[-1:] not in _UNITS:
        return None
    try:
        return float(cell[:-1]) * _UNITS[cell[-1]]
    except ValueError:
        return None


def count(cell: str) -> int | None:
    try:
        return int(cell)
    except ValueError:
        cell = cell.strip()
    if cell[-1:] not in _UNITS:
        return None
    try:
        return int(cell[:-1]) * _UNITS[cell[-1]]
    except ValueError:
        return None


def resolution(cell: str) -> float | None:
    cell = cell.strip()
    return float(_UNITS.get(cell[-1], 1)) if cell else None


def size(cell: str) -> int | None:
    cell = cell.strip()
    try:
        return int(cell[:-1]) * _BYTES[cell[-1]] if cell[-1] in _BYTES else int(cell)
    except (ValueError, IndexError):
        return None


@lru_cache(100_000)
def clock(cell: str, unit: float) -> float | None:
    """hh.mm.ss.fraction with leading units left out; a bare integer counts units of `unit` seconds."""
    parts = cell.strip().split(".")
    try:
        if len(parts) == 1:
            return round(int(parts[0]) * unit, 6)
        seconds = float(f"{parts[-2]}.{parts[-1]}")
        for factor, part in zip((60, 3600), reversed(parts[:-2]), strict=False):
            seconds += factor * int(part)
        return round(seconds, 6)
    except ValueError:
        return None


def milliseconds(cell: str) -> float | None:
    return clock(cell, 1e-3)


def microseconds(cell: str) -> float | None:
    return clock(cell, 1e-6)


def percent(cell: str) -> float | None:
    return number(cell.replace("%", ""))


def text(cell: str) -> str | None:
    return cell.strip() or None


# --- Tables -------------------------------------------------------------------------------------------------------

_F, _I, _S, _B, _T = pa.float64(), pa.int64(), pa.string(), pa.bool_(), pa.timestamp("us")
_D = pa.dictionary(pa.int32(), pa.string())
_HEADER = {
    **dict.fromkeys(("sysplex", "scope", "release", "report_version", "report_kind"), _S),
    **dict.fromkeys(("interval_start", "interval_end"), _T),
    "interval_s": _F,
    "policy_activated_at": _T,
}
_CLASS = {
    **dict.fromkeys(("class_kind", "policy", "workload", "service_class", "report_class"), _S),
    "period": _I,
    "tenant": _S,
    "resource_group": _S,
    "importance": _I,
    "importance_printed": _S,
    **dict.fromkeys(("critical", "io_priority_group", "honor_priority", "goal_derived_from", "description"), _S),
}
_KEY_CLASS = ("class_kind", "policy", "workload", "service_class", "report_class", "period")

_COUNTS = ("transactions_ended", "swaps", "transactions_executed")
_SERVICE = ("ioc_service", "cpu_service", "mso_service", "srb_service", "total_service")
_RATES = ("service_per_s", "absorption_rate", "transaction_service_rate")
_TIMES = re.findall(
    r"\w+",
    """
    actual_time_s execution_time_s queued_time_s rs_affinity_time_s ineligible_time_s conversion_time_s
    time_stddev_s
    """,
)
_NUMBERS = re.findall(
    r"\w+",
    """
    transactions_avg transactions_mpl transactions_per_s enclaves_avg enclaves_remote_avg
    enclaves_multisystem_avg transaction_appl_total_cp_pct transaction_appl_total_on_cp_pct
    transaction_appl_total_ziip_pct transaction_appl_mobile_cp_pct transaction_appl_mobile_on_cp_pct
    transaction_appl_mobile_ziip_pct transaction_appl_category_a_cp_pct transaction_appl_category_a_on_cp_pct
    transaction_appl_category_a_ziip_pct transaction_appl_category_b_cp_pct
    transaction_appl_category_b_on_cp_pct transaction_appl_category_b_ziip_pct ssch_per_s dasd_response_ms
    dasd_connect_ms dasd_disconnect_ms dasd_qpend_ms dasd_iosq_ms cpu_time_s srb_time_s rct_time_s iit_time_s
    hst_time_s aap_time_s iip_time_s appl_cp_pct appl_aapcp_pct appl_iipcp_pct appl_aap_pct appl_iip_pct
    appl_tcb_srb_pct promoted_blk_s promoted_enq_s promoted_crm_s promoted_lck_s promoted_sup_s
    storage_avg_frames storage_total_frames storage_shared_frames storage_central_frames
    storage_expanded_frames page_in_single_per_s page_in_block_per_s page_in_shared_per_s page_in_hsp_per_s
    page_in_hsp_miss_per_s page_in_expanded_single_per_s page_in_expanded_block_per_s
    """,
)
_BLOCK: dict[str, pa.DataType] = {
    "all_data_zero": _B,
    **dict.fromkeys(_COUNTS, _I),
    **dict.fromkeys(_NUMBERS, _F),
    **dict.fromkeys(_TIMES, _F),
    **dict.fromkeys(_SERVICE, _I),
    **dict.fromkeys(_RATES, _F),
    **{f"{name}_resolution": _F for name in (*_SERVICE, *_RATES)},
}
_INDEX = {name: number for number, name in enumerate(_BLOCK)}
_BLOCK_WIDTH = len(_BLOCK)
_ZERO_BLOCK = [True, *(None if name.endswith("_resolution") else 0 for name in list(_BLOCK)[1:])]

# Columns of each table behind those of the page heading; "class" says that the columns of the class header come first.
_GOAL = {"system": _D, "is_total": _B, "goal_type": _D, "goal_s": _F, "goal_pct": _F, "actual_s": _F, "actual_pct": _F}
_GOAL |= {"velocity_pct": _F, "performance_index": _F, "address_spaces_avg": _F}
_DELAY = {"system": _D, "is_total": _B, "delay_group": _D, "reason": _D, "pct": _F}
_DISTRIBUTION = {"system": _D, "upper_bound_s": _F, "transactions": _I, "transactions_cumulative": _I}
_DISTRIBUTION |= {"pct": _F, "cumulative_pct": _F}
_IMPORTANCE = {"is_total": _B, "summary_period": _I, "summary_importance": _I, "performance_index": _F}
_IMPORTANCE |= {"transactions": _I, "transactions_pct": _F, "goal_s": _F, "goal_pct": _F, "actual_s": _F}
_IMPORTANCE |= {"actual_pct": _F, "total_pct": _F, "velocity_goal_pct": _F, "velocity_pct": _F}
_IMPORTANCE |= {"total_using_pct": _F, "execution_delay_pct": _F}
_BREAKDOWN = {"subsystem": _D, "phase": _D, "state_group": _D, "state": _D, "pct": _F}
_POLICY = {"service_definition": _S, "installed_by": _S, "policy": _S, "norm_factor_aap": _F, "norm_factor_iip": _F}
_POLICY |= {"coefficient_ioc": _F, "coefficient_cpu": _F, "coefficient_srb": _F, "coefficient_mso": _F}
_SYSTEM = {"system": _D, "opt": _D, "su_per_s": _F, "capacity_pct": _F, "system_time": _S, "system_interval_s": _F}
_SYSTEM |= {"boost": _D}
_RESOURCE = {"system": _D, "resource_group": _D, "description": _D, "class_name": _D, "cpus": _F, "msu": _F}
_RESOURCE |= {"su_per_s": _F, "su_per_s_resolution": _F, "capacity_min": _F, "capacity_max": _F, "capacity_unit": _D}
_RESOURCE |= {"memory_usage_bytes": _I, "memory_limit": _S}
TABLES: dict[str, tuple[tuple[str, ...], dict[str, pa.DataType]]] = {
    "rmf_workload_activity": (tuple(_CLASS), _BLOCK),
    "rmf_workload_goal": (_KEY_CLASS, _GOAL),
    "rmf_workload_delay": (_KEY_CLASS, _DELAY),
    "rmf_response_time_distribution": (_KEY_CLASS, _DISTRIBUTION),
    "rmf_workload_importance": (_KEY_CLASS, _IMPORTANCE),
    "rmf_workload_response_breakdown": (_KEY_CLASS, _BREAKDOWN),
    "rmf_service_policy": ((), _POLICY),
    "rmf_service_policy_system": ((), _SYSTEM),
    "rmf_resource_group": ((), _RESOURCE),
}

# --- Block rows: one expression a row, cells between its labels ----------------------------------------------------

_CONVERT: dict[str, Callable[[str], Any]] = dict.fromkeys((*_COUNTS, *_SERVICE), count)
_CONVERT |= dict.fromkeys((*_NUMBERS, *_RATES), number)

# Label and width of each cell, first column of the row first; "-" is a group that has no cell on this row.
_G1 = """
AVG 12 transactions_avg|ACTUAL 26 actual_time_s|IOC 14 ioc_service|ABSRPTN 11 absorption_rate|SINGLE 10 page_in_single_per_s|AVG 0 storage_avg_frames
MPL 12 transactions_mpl|QUEUED 26 queued_time_s|CPU 14 cpu_service|TRX SERV 10 transaction_service_rate|BLOCK 11 page_in_block_per_s|TOTAL 0 storage_total_frames
ENDED 10 transactions_ended|EXECUTION 23 execution_time_s|MSO 14 mso_service|TCB 15 cpu_time_s|HSP 13 page_in_hsp_per_s|CENTRAL 0 storage_central_frames
END/SEC 8 transactions_per_s|STANDARD DEVIATION 14 time_stddev_s|SRB 14 srb_service|SRB 15 srb_time_s|HSP MISS 8 page_in_hsp_miss_per_s|EXPAND 0 storage_expanded_frames
#SWAPS 9 swaps|TOT 14 total_service|TCB+SRB% 10 appl_tcb_srb_pct|EXP SNGL 0 page_in_expanded_single_per_s
EXECUTD 8 transactions_executed|PER SEC 10 service_per_s|EXP BLK 0 page_in_expanded_block_per_s
"""
_G1_SHORT = """
AVG 12 transactions_avg|ACTUAL 0 actual_time_s
MPL 12 transactions_mpl|QUEUED 0 queued_time_s
ENDED 10 transactions_ended|EXECUTION 0 execution_time_s
END/SEC 8 transactions_per_s|STANDARD DEVIATION 0 time_stddev_s
#SWAPS 0 swaps
EXECUTD 0 transactions_executed
"""
_G2 = """
AVG 11 transactions_avg|ACTUAL 18 actual_time_s|SSCHRT 6 ssch_per_s|IOC 12 ioc_service|CPU 9 cpu_time_s|CP 10 appl_cp_pct|BLK 9 promoted_blk_s|AVG 0 storage_avg_frames
MPL 11 transactions_mpl|EXECUTION 15 execution_time_s|RESP 8 dasd_response_ms|CPU 12 cpu_service|SRB 9 srb_time_s|AAPCP 7 appl_aapcp_pct|ENQ 9 promoted_enq_s|TOTAL 0 storage_total_frames
ENDED 9 transactions_ended|QUEUED 18 queued_time_s|CONN 8 dasd_connect_ms|MSO 12 mso_service|RCT 9 rct_time_s|IIPCP 7 appl_iipcp_pct|CRM 9 promoted_crm_s|SHARED 0 storage_shared_frames
END/S 9 transactions_per_s|R/S AFFIN 15 rs_affinity_time_s|DISC 8 dasd_disconnect_ms|SRB 12 srb_service|IIT 9 iit_time_s|LCK 0 promoted_lck_s
#SWAPS 8 swaps|INELIGIBLE 14 ineligible_time_s|Q+PEND 6 dasd_qpend_ms|TOT 12 total_service|HST 9 hst_time_s|AAP 9 appl_aap_pct|SUP 9 promoted_sup_s|-PAGE-IN RATES- 0 -
EXCTD 9 transactions_executed|CONVERSION 14 conversion_time_s|IOSQ 8 dasd_iosq_ms|/SEC 11 service_per_s|AAP 9 aap_time_s|IIP 9 appl_iip_pct|SINGLE 0 page_in_single_per_s
AVG ENC 7 enclaves_avg|STD DEV 17 time_stddev_s|IIP 9 iip_time_s|BLOCK 0 page_in_block_per_s
REM ENC 7 enclaves_remote_avg|ABSRPTN 8 absorption_rate|SHARED 0 page_in_shared_per_s
MS ENC 8 enclaves_multisystem_avg|TRX SERV 7 transaction_service_rate|HSP 0 page_in_hsp_per_s
"""
_G3 = """
AVG 12 transactions_avg|ACTUAL 21 actual_time_s|TOTAL 13 transaction_appl_total_cp_pct|: 12 transaction_appl_total_on_cp_pct|: 8 transaction_appl_total_ziip_pct|AVG ENC 0 enclaves_avg
MPL 12 transactions_mpl|EXECUTION 18 execution_time_s|MOBILE 12 transaction_appl_mobile_cp_pct|: 12 transaction_appl_mobile_on_cp_pct|: 8 transaction_appl_mobile_ziip_pct|REM ENC 0 enclaves_remote_avg
ENDED 10 transactions_ended|QUEUED 21 queued_time_s|CATEGORYA 9 transaction_appl_category_a_cp_pct|: 12 transaction_appl_category_a_on_cp_pct|: 8 transaction_appl_category_a_ziip_pct|MS ENC 0 enclaves_multisystem_avg
END/S 10 transactions_per_s|R/S AFFIN 18 rs_affinity_time_s|CATEGORYB 9 transaction_appl_category_b_cp_pct|: 12 transaction_appl_category_b_on_cp_pct|: 0 transaction_appl_category_b_ziip_pct
#SWAPS 9 swaps|INELIGIBLE 0 ineligible_time_s
EXCTD 10 transactions_executed|CONVERSION 0 conversion_time_s
STD DEV 0 time_stddev_s
"""
_G3_SERVICE = """
IOC 14 ioc_service|CPU 9 cpu_time_s|CP 10 appl_cp_pct|BLK 9 promoted_blk_s|SSCHRT 7 ssch_per_s|AVG 12 storage_avg_frames|SINGLE 0 page_in_single_per_s
CPU 14 cpu_service|SRB 9 srb_time_s|IIPCP 7 appl_iipcp_pct|ENQ 9 promoted_enq_s|RESP 9 dasd_response_ms|TOTAL 10 storage_total_frames|BLOCK 0 page_in_block_per_s
MSO 14 mso_service|RCT 9 rct_time_s|IIP 9 appl_iip_pct|CRM 9 promoted_crm_s|CONN 9 dasd_connect_ms|SHARED 9 storage_shared_frames|SHARED 0 page_in_shared_per_s
SRB 14 srb_service|IIT 9 iit_time_s|AAPCP 7 appl_aapcp_pct|LCK 9 promoted_lck_s|DISC 9 dasd_disconnect_ms|HSP 0 page_in_hsp_per_s
TOT 14 total_service|HST 9 hst_time_s|AAP 9 appl_aap_pct|SUP 9 promoted_sup_s|Q+PEND 0 dasd_qpend_ms
/SEC 13 service_per_s|IIP 9 iip_time_s|IOSQ 0 dasd_iosq_ms
ABSRPTN 10 absorption_rate|AAP 0 aap_time_s
TRX SERV 0 transaction_service_rate
"""
BlockRow = tuple[re.Pattern[str], list[tuple[int, Callable[[str], Any]]], list[tuple[int, int]]]


def _compile(rows: str, time: Callable[[str], float | None]) -> dict[str, BlockRow]:
    """By first word of a row: its expression, (index, converter) of each group, and the groups whose suffix counts."""
    out: dict[str, BlockRow] = {}
    for row in rows.strip().split("\n"):
        pattern, groups, suffixes = r"\s*", [], []
        for cell in row.split("|"):
            label, width, name = re.match(r"(.*) (\d+) (\S+)$", cell).groups()  # pyright: ignore[reportOptionalMemberAccess]
            pattern += "" if label == ":" else (r"\s*" if groups else "") + re.escape(label)
            if name != "-":
                # Behind the two numbers of the page heading and class header.
                pattern += f"(.{{{width}}})" if width != "0" else "(.*)"
                convert = time if name in _TIMES else _CONVERT[name]
                groups.append((_INDEX[name] + 2, convert))
                if f"{name}_resolution" in _INDEX:
                    suffixes.append((len(groups) - 1, _INDEX[f"{name}_resolution"] + 2))
            else:
                pattern += ".*"
        first = row.split(" ", 1)[0]
        key = "AVG ENC" if row.startswith("AVG ENC") else first
        out[key] = (re.compile(pattern), groups, suffixes)
    return out


_ROWS = {
    "G1": _compile(_G1, milliseconds),
    "G1 short": _compile(_G1_SHORT, milliseconds),
    "G2": _compile(_G2, milliseconds),
    "G3": _compile(_G3, microseconds),
    "G3 service": _compile(_G3_SERVICE, microseconds),
}

# --- The other expressions ----------------------------------------------------------------------------------------

_SYSPLEX = re.compile(r"^\s*(\S+(?: \S+)?).*?SYSPLEX (\S+).*?INTERVAL (\S+)")
_DATE = re.compile(r"DATE (\d+)/(\d+)/(\d+)")
_TIME = re.compile(r"TIME (\d\d)\.(\d\d)\.(\d\d)")
_BEGIN = re.compile(r"(?:START|END) +(\d+)/(\d+)/(\d+)-(\d\d)\.(\d\d)\.(\d\d)")
_VERSION = re.compile(r"(?:RPT VERSION|CONVERTED TO z/OS) (\S+)")
_ACTIVATION = re.compile(r"DATE/TIME (\d+)/(\d+)/(\d+) (\d\d)\.(\d\d)\.(\d\d)")
_CLASS_FIELD = re.compile(
    r"(POLICY|TENANT|WORKLOAD|SERVICE CLASS|REPORT CLASS|RESOURCE GROUP|PERIOD|IMPORTANCE) ?= ?(\S+)"
)
_CLASS_MORE = re.compile(
    r"(CRITICAL|I/O PRIORITY GROUP|HONOR PRIORITY) *= ?(\S+)|(DESCRIPTION) *= ?(.*\S)|GOAL (DERIVED) FROM SERVICE CLASS (\S+)"
)
_IMPORTANCE_WORDS = {"HIGHEST": 1, "HIGH": 2, "MEDIUM": 3, "LOW": 4, "LOWEST": 5}
_APPL = re.compile(r"(TOTAL|MOBILE|CATEGORYA|CATEGORYB) *: +CP +(\S+) +AAP/IIP ON CP +(\S+) +AAP/IIP +(\S+)")
_GOAL_TIME = re.compile(r"(\d\d\d?\.\d\d\.\d\d\.\d+) +(?:FOR +)?(?:(AVG)|(\S+?) ?%)")
_GOAL_VELOCITY = re.compile(r"(?:VELOCITY|GOALS) +(\d\S*?) ?%")
_BUCKET = re.compile(r"(<=|<|>) +(\d\d\.\d\d\.\d\d\.\d+) +(\S+) +(\S+) +(\S+) +(\S+)")
_PANEL = re.compile(r"SYSTEM: *(\S+)")
_TITLE = re.compile(r"\S+")
_GROUP = re.compile(r"-+ ?([A-Z][A-Z %]*?) ?-+|(%)")
_SYSTEM_ROW = re.compile(r"(\S{1,8}) +(\S\S) +(\d+\.\d) +(\d+) +(\d\d\.\d\d\.\d\d) +(\d\d\.\d\d\.\d\d)(?:  (\S+))?")
_STATES = [
    *(("RESPONSE TIME BREAKDOWN IN PERCENTAGE", state) for state in ("TOTAL", "ACTIVE", "READY", "IDLE")),
    *(
        ("RESPONSE TIME BREAKDOWN IN PERCENTAGE / WAITING FOR", w)
        for w in ["LOCK", "I/O", "CONV", "DIST", "LOCAL", "SYSPL", "REMOT", "TIMER", "PROD", "MISC"]
    ),
    *(("STATE / SWITCHED TIME (%)", state) for state in ("LOCAL", "SYSPL", "REMOT")),
]


def _stamp(parts: tuple[str, ...]) -> datetime | None:
    month, day, year, hour, minute, second = map(int, parts)
    try:
        return datetime(year + (0 if year > 99 else 1900 if year >= 70 else 2000), month, day, hour, minute, second)
    except ValueError:
        return None


def read_context(system_line: str, version_line: str, activation_line: str) -> dict[str, Any]:
    """What the page heading says."""
    out: dict[str, Any] = dict.fromkeys(_HEADER)
    if m := _SYSPLEX.search(system_line):
        out["release"], out["sysplex"], length = m.groups()
        if version := version_line.split():
            if version[0].startswith("SP"):
                out["release"] += " " + version[0]
            out["report_version"] = v[1] if (v := _VERSION.search(version_line)) else None
        try:
            a, b, c = (int(p) for p in length.split("."))
        except ValueError:
            a = b = c = 0
        if begin := _BEGIN.search(system_line):
            out["report_kind"], out["interval_s"] = "duration", float(a * 3600 + b * 60 + c)
            out["interval_start"] = _stamp(begin.groups())
            out["interval_end"] = _stamp(e.groups()) if (e := _BEGIN.search(version_line)) else None
        elif (date := _DATE.search(system_line)) and (time := _TIME.search(version_line)):
            out["report_kind"], out["interval_s"] = "interval", a * 60 + b + c / 1000
            out["interval_start"] = start = _stamp((*date.groups(), *time.groups()))
            out["interval_end"] = start + timedelta(seconds=out["interval_s"]) if start else None
    if m := _ACTIVATION.search(activation_line):
        out["policy_activated_at"] = _stamp(m.groups())
    return out


def read_class(line: str) -> dict[str, Any]:
    """Names of a class header line."""
    names = dict(_CLASS_FIELD.findall(line))
    out: dict[str, Any] = dict.fromkeys(_CLASS)
    for key in ("POLICY", "TENANT", "WORKLOAD", "SERVICE CLASS", "REPORT CLASS"):
        out[key.lower().replace(" ", "_")] = names.get(key)
    kind = next((k for k in ("report_class", "service_class", "workload", "policy") if out[k]), None)
    out["class_kind"] = f"{kind}_period" if "PERIOD" in names and kind else kind
    group = names.get("RESOURCE GROUP")
    out["resource_group"] = None if group == "*NONE" else group
    out["period"] = count(names.get("PERIOD", ""))
    printed = names.get("IMPORTANCE")
    out["importance_printed"] = printed
    out["importance"] = _IMPORTANCE_WORDS.get(printed) or count(printed) if printed else None
    return out


def read_goal(line: str) -> tuple[str | None, float | None, float | None]:
    """Type, seconds and percent of a GOAL or GOALS line."""
    if m := _GOAL_TIME.search(line):
        if m[2]:
            return "average", milliseconds(m[1]), None
        return "percentile", milliseconds(m[1]), number(m[3])
    if m := _GOAL_VELOCITY.search(line):
        return "velocity", None, number(m[1])
    return ("discretionary" if "DISCRETIONARY" in line else "system" if "SYSTEM" in line else None), None, None


class GoalHeading:
    """From the two heading lines of goal rows: where each column begins and ends, and the titles of the delays."""

    def __init__(self, groups: str, titles: str):
        names = [(m.start(), m.end(), m[1] or m[2]) for m in _GROUP.finditer(groups)]
        words = [(m.start(), m.end(), m[0]) for m in _TITLE.finditer(titles)]
        velocity = next(start for start, _, word in words if word.startswith("VEL"))
        self.response = slice(groups.index("RESPONSE TIME"), velocity - 1)
        self.system = slice(0, self.response.start)
        last, columns = velocity - 1, []
        for start, end, word in words:
            if start >= velocity:
                group = next((name for a, b, name in names if a <= end - 1 < b or a <= start < b), "")
                columns.append((slice(last, end), *(("", "QUI") if group == "%" else (group, word))))
                last = end
        self.velocity, self.index, self.address_spaces = (column[0] for column in columns[:3])
        self.spans, self.groups, self.reasons = (list(part) for part in zip(*columns[3:], strict=True))


# MVS/ESA goal columns, counted from the left margin.
_G1_COLUMNS = [
    (46, 51, "", "USING CPU %"),
    (52, 59, "EXECUTION DELAYS %", "TOTAL"),
    *(
        (a, a + 5, "EXECUTION DELAYS %", t)
        for a, t in zip((59, 64, 69, 74), ("CPU", "CAPP", "SWIN", "MPL"), strict=True)
    ),
    *(
        (a, a + 5, "EXECUTION DELAYS % / AUXILIARY PAGE DELAY % FROM", t)
        for a, t in zip((80, 85, 90, 95, 100, 105), ("PRIV", "COMM", "XMEM", "VIO", "SHSP", "EHSP"), strict=True)
    ),
    *((a, a + 5, "DELAY %", t) for a, t in zip((111, 116, 121), ("OTHR", "IDLE", "QUIE"), strict=True)),
]
_G1_GROUPS = [group for _, _, group, _ in _G1_COLUMNS]
_G1_REASONS = [reason for *_, reason in _G1_COLUMNS]
# First words that end the rows of a goal.
_SECTION_WORDS = frozenset(("W", "REPORT", "GOAL:", "PER", "RESPONSE", "SUB", "SUBP", "ALL"))


# --- The pass -----------------------------------------------------------------------------------------------------


class Reader:
    """Reads files one after the other and writes every table in batches."""

    def __init__(self, out: Path):
        out.mkdir(parents=True, exist_ok=True)
        self.out = out
        self.rows: dict[str, list[Any]] = {name: [] for name in TABLES}
        self.contexts: list[dict[str, Any]] = []
        self.classes: list[dict[str, Any]] = []
        self.writers: dict[str, pq.ParquetWriter] = {}
        self.counts = dict.fromkeys(TABLES, 0)
        self.unknown_lines = 0
        self.class_cache: dict[str, dict[str, Any]] = {}
        self.heading_cache: dict[tuple[str, str], GoalHeading] = {}

    def flush(self) -> None:
        """Writes what has gathered; the page heading and class header are taken by number."""
        for context in self.contexts:
            context["scope"] = ",".join(sorted(context["policy_systems"] or context["goal_systems"])) or None
        for name, rows in self.rows.items():
            if not rows:
                continue
            table = self._delays(rows) if name == "rmf_workload_delay" else self._table(name, rows)
            if name not in self.writers:
                path = self.out / f"{name}.parquet"
                self.writers[name] = pq.ParquetWriter(path, table.schema, compression="zstd")
            self.writers[name].write_table(table)
            self.counts[name] += len(table)
            rows.clear()
        self.contexts.clear()
        self.classes.clear()

    def _table(self, name: str, rows: list[Any]) -> pa.Table:
        class_columns, own = TABLES[name]
        context_ids, class_ids, *values, pages, lines = zip(*rows, strict=True)
        columns: dict[str, Any] = {}
        taken = pa.array(context_ids, pa.int32())
        for column, kind in (*_HEADER.items(), ("source_file", _S)):
            held = pa.array([c[column] for c in self.contexts], kind)
            columns[column] = (held.dictionary_encode() if kind is _S else held).take(taken)
        if class_columns:
            taken = pa.array(class_ids, pa.int32())
            for column in class_columns:
                held = pa.array([c[column] for c in self.classes], _CLASS[column])
                columns[column] = (held.dictionary_encode() if _CLASS[column] is _S else held).take(taken)
        for (column, kind), cells in zip(own.items(), values, strict=True):
            columns[column] = pa.array(cells, _S).dictionary_encode() if kind is _D else pa.array(cells, kind)
        return pa.table(columns | {"page": pa.array(pages, _I), "line": pa.array(lines, _I)})

    def _delays(self, rows: list[Any]) -> pa.Table:
        """Rows of delays are gathered a goal line at a time, with lists of groups, reasons and percentages."""
        lists = [list(column) for column in zip(*(row[4:7] for row in rows), strict=True)]
        one_a_line = self._table("rmf_workload_delay", [(*row[:4], None, None, None, *row[7:]) for row in rows])
        table = one_a_line.take(pa.array(np.repeat(np.arange(len(rows)), [len(cells) for cells in lists[2]])))
        for column, cells in zip(("delay_group", "reason", "pct"), lists, strict=True):
            flat = list(chain.from_iterable(cells))
            array = pa.array(flat, _F) if column == "pct" else pa.array(flat, _S).dictionary_encode()
            table = table.set_column(table.schema.get_field_index(column), column, array)
        return table

    def begin(self, path: Path, context: dict[str, Any], heading: list[str]) -> int:
        context |= {"heading": heading, "goal_systems": set(), "policy_systems": set(), "source_file": str(path)}
        self.contexts.append(context)
        return len(self.contexts) - 1

    def begin_class(self, one: dict[str, Any]) -> int:
        self.classes.append(one)
        return len(self.classes) - 1

    def close(self) -> None:
        self.flush()
        for writer in self.writers.values():
            writer.close()

    def read(self, path: Path) -> None:
        """One pass over a file. Class header and goal hold until the next one, over page ends too."""
        rows = self.rows
        activity, goals, delays = (
            rows[n] for n in ("rmf_workload_activity", "rmf_workload_goal", "rmf_workload_delay")
        )
        buckets, importances = rows["rmf_response_time_distribution"], rows["rmf_workload_importance"]
        page = 0
        context, one = read_context("", "", ""), dict.fromkeys(_CLASS)
        context_id, class_id = self.begin(path, context, []), self.begin_class(one)
        heading: list[str] = []
        block: dict[str, BlockRow] = {}
        values: list[Any] = []
        goal: tuple[str | None, float | None, float | None] = (None, None, None)
        goal_titles = ""
        titles: GoalHeading | None = None
        margin, long_form = 0, False
        one_panel: list[str | None] = [None]
        panels = one_panel
        cumulative_first = True
        state = ""
        policy: list[Any] = []
        resource = {"group": "", "description": ""}
        by_system = False
        control = False

        for line_number, line in enumerate(_lines(path), 1):
            if line_number == 1:
                control = line.startswith("1") and "W O R K L O A D" in line
            if control:
                line = " " + line[1:]
            words = line.split(None, 1)
            if not words:
                continue
            word = words[0]

            if word in block:
                pattern, groups, suffixes = block["AVG ENC" if word == "AVG" and words[1].startswith("ENC") else word]
                if m := pattern.match(line):
                    cells = m.groups()
                    for (index, convert), cell in zip(groups, cells, strict=True):
                        values[index] = convert(cell)
                    for group, index in suffixes:
                        values[index] = resolution(cells[group])
                else:
                    self.unknown_lines += 1

            elif word in ("<=", ">", "<"):
                found = False
                for m in _BUCKET.finditer(line):
                    found = True
                    sign, bound, a, b, c, d = m.groups()
                    if cumulative_first:
                        a, b, c, d = b, a, d, c
                    panel = panels[1 if m.start() > 50 and len(panels) > 1 else 0]
                    upper = None if sign == ">" else milliseconds(bound)
                    row = (
                        context_id,
                        class_id,
                        panel,
                        upper,
                        count(a),
                        count(b),
                        number(c),
                        number(d),
                        page,
                        line_number,
                    )
                    buckets.append(row)
                self.unknown_lines += not found

            elif state == "goal rows" and titles and word not in _SECTION_WORDS and word[0] != "-" and "=" not in word:
                system = line[titles.system].strip()
                total = system == "*ALL"
                if not total:
                    context["goal_systems"].add(system)
                cell = line[titles.response].strip()
                seconds = milliseconds(cell) if cell.count(".") > 1 else None
                reached = percent(cell) if seconds is None and "N/A" not in cell else None
                row = (context_id, class_id, system, total, *goal, seconds, reached, number(line[titles.velocity]))
                row = (*row, number(line[titles.index]), number(line[titles.address_spaces]), page, line_number)
                goals.append(row)
                cells, groups, reasons = [line[span].strip() for span in titles.spans], titles.groups, titles.reasons
                if "" in cells:
                    filled = [number for number, cell in enumerate(cells) if cell]
                    groups, reasons, cells = ([part[n] for n in filled] for part in (groups, reasons, cells))
                parts = [number(cell) for cell in cells]
                delays.append((context_id, class_id, system, total, groups, reasons, parts, page, line_number))

            elif word == "W" and "W O R K L O A D" in line:
                page += 1
                block, state, heading = {}, "heading", []
            elif state == "heading" and word == "PAGE":
                continue
            elif state == "heading" and len(heading) < 3 and (heading or "SYSPLEX" in line):
                heading.append(line)
                if len(heading) == 3:
                    if heading != context.get("heading"):
                        if sum(map(len, rows.values())) > BATCH_ROWS:
                            self.flush()
                            class_id = self.begin_class(one)
                        context = read_context(*heading)
                        context_id = self.begin(path, context, heading)
                    state = ""

            elif word == "REPORT" or word.startswith("POLICY="):
                known = self.class_cache.get(line)
                if known is None:
                    known = self.class_cache[line] = read_class(line)
                one = known.copy()
                class_id, block, state = self.begin_class(one), {}, "class"
            elif state == "class" and (found_more := _CLASS_MORE.findall(line)):
                for key, value, described, description, derived, origin in found_more:
                    if described:
                        one["description"] = description
                    elif derived:
                        one["goal_derived_from"] = origin
                    else:
                        one[key.lower().replace("i/o", "io").replace(" ", "_")] = value
            elif word.startswith("-TRANSACTIONS-"):
                kind = "G3" if "FFFFFF" in line else "G2" if "SERVICE TIME" in line else "G1"
                block = _ROWS["G1 short" if kind == "G1" and "INTERVAL SERVICE" not in line else kind]
                values = [context_id, class_id, *(None,) * _BLOCK_WIDTH, page, line_number]
                activity.append(values)
                state = ""
            elif word == "----SERVICE----":
                block = _ROWS["G3 service"]
            elif word == "ALL" and "ALL DATA ZERO" in line:
                activity.append((context_id, class_id, *_ZERO_BLOCK, page, line_number))
                state = ""
            elif (word == "TRANSACTION" or word in ("MOBILE", "CATEGORYA", "CATEGORYB")) and (m := _APPL.search(line)):
                category = m[1].lower().replace("ya", "y_a").replace("yb", "y_b")
                for part, cell in zip(("cp", "on_cp", "ziip"), m.groups()[1:], strict=True):
                    values[_INDEX[f"transaction_appl_{category}_{part}_pct"] + 2] = number(cell)

            elif word == "GOAL:":
                goal, block, state = read_goal(line), {}, "goal"
            elif word == "RESPONSE" and state == "goal":
                goal_titles = line
            elif word == "SYSTEM" and state == "goal":
                key = (goal_titles, line)
                if key not in self.heading_cache:
                    self.heading_cache[key] = GoalHeading(*key)
                titles, state = self.heading_cache[key], "goal rows"
            elif word == "---RESPONSE":
                margin, long_form, block, state = line.index(word) - 8, "USING" in line, {}, "goal G1"
            elif word == "GOALS":
                goal = read_goal(line)
            elif word == "ACTUALS" and state == "goal G1":
                cells = line.ljust(140)[margin:]
                row = (
                    context_id,
                    class_id,
                    "*ALL",
                    True,
                    *goal,
                    milliseconds(cells[8:20]),
                    None,
                    percent(cells[26:33]),
                )
                spaces = number(cells[34:38]), number(cells[38:45]) if long_form else None
                goals.append((*row, *spaces, page, line_number))
                if long_form:
                    parts = [number(cells[a:b]) for a, b, _, _ in _G1_COLUMNS]
                    delays.append((*row[:4], _G1_GROUPS, _G1_REASONS, parts, page, line_number))
            elif word == "SUB" or word == "SUBP":
                block, state = {}, "breakdown"
            elif (state == "breakdown" and word == "TYPE") or (state == "importance" and word == "INDX"):
                continue
            elif state == "breakdown" and len(cells := line.split()) == 19:
                shares = rows["rmf_workload_response_breakdown"]
                for (group, title), cell in zip(_STATES, cells[2:], strict=True):
                    shares.append((context_id, class_id, *cells[:2], group, title, number(cell), page, line_number))

            elif "RESPONSE TIME DISTRIBUTION" in line:
                panels, block, state = one_panel, {}, "distribution"
            elif word == "SYSTEM:":
                panels = list(_PANEL.findall(line))
            elif word in ("HH.MM.SS.TTT", "HH.MM.SS.FFFFFF"):
                cumulative_first = "CUM TOTAL" in line
            elif word == "PER" and "IMPORTANCE" in line:
                block, state, margin = {}, "importance", line.index("PER")
            elif state == "importance" and (word == "TOTAL" or word.isdecimal()):
                importances.append((context_id, class_id, *_importance(line.ljust(140)[margin:]), page, line_number))

            elif word == "-" and "SERVICE POLICY PAGE" in line:
                policy = [context_id, 0, *(None,) * len(_POLICY), page, line_number]
                rows["rmf_service_policy"].append(policy)
                block, state = {}, "policy"
            elif word == "SYSTEMS" and not words[1:]:
                state = "systems"
            elif word == "RESOURCE" and line.split()[1] == "GROUPS":
                state = "resource"
            elif state == "policy":
                _policy_line(policy, word, line)
            elif state == "systems" and word != "---ID---":
                for m in _SYSTEM_ROW.finditer(line):
                    system, opt, speed, capacity, time, length, boost = m.groups()
                    hours, minutes, seconds = map(int, length.split("."))
                    span = float(hours * 3600 + minutes * 60 + seconds)
                    cells = (system, opt, number(speed), number(capacity), time, span, boost)
                    rows["rmf_service_policy_system"].append((context_id, 0, *cells, page, line_number))
                    context["policy_systems"].add(system)
            elif state == "resource":
                if word == "--NAME--":
                    by_system = "-SYSTEM-" in line
                elif word not in ("CLASS", "#CPS") and any(c.isdecimal() for c in words[-1]):
                    cells = _resource(line.ljust(140), by_system, resource)
                    rows["rmf_resource_group"].append((context_id, 0, *cells, page, line_number))
            elif "CLASSES BEING SERVED" in line:
                block, state = {}, "served"
            elif state == "class":
                one["description"] = one["description"] or line.strip()
            elif state != "served" and not word.startswith("---"):
                self.unknown_lines += 1


def _importance(line: str) -> tuple[Any, ...]:
    total = line.startswith("TOTAL")
    goal, actual = line[46:63].strip(), line[64:79].strip()
    return (
        total,
        None if total else count(line[:4]),
        None if total else count(line[4:15]),
        number(line[15:20]),
        count(line[24:33]),
        number(line[36:41]),
        milliseconds(goal[:12]) if goal else None,
        percent(goal[12:]) if goal.endswith("%") else None,
        milliseconds(actual) if actual.count(".") > 1 else None,
        percent(actual) if actual.endswith("%") else None,
        percent(line[80:90]),
        number(line[91:96]),
        number(line[97:102]),
        number(line[103:110]),
        number(line[111:118]),
    )


def _policy_line(policy: list[Any], word: str, line: str) -> None:
    """SERVICE DEFINITION:, INSTALLED BY:, POLICY: and the coefficients, which share a line with an option."""
    if word == "SERVICE":
        policy[2] = line.split()[2]
    elif word == "INSTALL":
        policy[3] = m[1] if (m := re.search(r"INSTALLED BY: *(\S+)", line)) else None
    elif word == "POLICY:":
        policy[4] = line.split()[1]
    elif m := re.search(r" ([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) *$", line):
        ioc, cpu, srb, mso, aap, iip = (number(cell) for cell in m.groups())
        policy[5:11] = [aap, iip, ioc, cpu, srb, mso]


def _resource(line: str, by_system: bool, group: dict[str, str]) -> tuple[Any, ...]:
    """One line of RESOURCE GROUPS, in the form of V2R3 and later (`by_system`) or the one before; its group's name and
    description hold for the lines of its systems and classes."""
    if line[2:10].strip():
        group["group"], group["description"] = line[2:10].strip(), line[13:46].strip()
    name, described = group["group"], group["description"] or None
    if by_system:
        member = None if line[2:10].strip() else text(line[36:46])
        speed = line[71:81]
        usage, limit = size(line[114:122]), text(line[123:131])
        low, high, unit = number(line[81:88]), number(line[88:96]), text(line[97:112])
        cells = (text(line[47:57]), name, described, member, number(line[58:65]), number(line[65:71]))
        return (*cells, number(speed), resolution(speed), low, high, unit, usage, limit)
    speed = line[60:75]
    cells = (None, name, described, text(line[50:60]), None, None, number(speed), resolution(speed))
    return (*cells, number(line[77:89]), number(line[89:99]), text(line[100:118]), None, text(line[118:130]))


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", errors="replace") as stream:
        for line in stream:
            yield line.rstrip("\n")


def main(arguments: list[str]) -> None:
    """Reads files, or the files of folders, and prints the number of rows by table as JSON."""
    out, *inputs = map(Path, arguments)
    reader = Reader(out)
    for given in inputs:
        for path in sorted(p for p in given.rglob("*") if p.is_file()) if given.is_dir() else [given]:
            reader.read(path)
    reader.close()
    print(json.dumps({"rows": reader.counts, "unknown_lines": reader.unknown_lines}))


if __name__ == "__main__":
    gc.disable()  # rows are plain tuples; collecting them over and over finds nothing
    main(sys.argv[1:])
