"""SMF records as JSON with numbers of our own: small ones, that tests change."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any

Record = dict[str, Any]


def document(*records: Record) -> bytes:
    """One array, a record a line."""
    return b"[\n" + b",\n".join(json.dumps(r, separators=(",", ":")).encode() for r in records) + b"\n]\n"


def changed(record: Record, **of_sections: dict[str, Any] | list | None) -> Record:
    """A record with other fields of its sections; a section that is None is left out."""
    new = copy.deepcopy(record)
    for name, fields in of_sections.items():
        if fields is None:
            del new[name]
        elif isinstance(fields, dict) and isinstance(new.get(name), dict):
            new[name] |= fields
        else:
            new[name] = fields
    return new


def _heads(kind: int, sub: int, system: str, start: str, length: str) -> Record:
    product = {
        "mfv": 310,
        "prd": "RMF",
        "ist": f"2025-07-14 {start}",
        "int": length,
        "sam": 600,
        "fla": "0x0001",
        "cyc": 1000,
    }
    product |= {
        "mvs": "ZV020500",
        "prf": "0x04",
        "ptn": 7,
        "iet": "0xDB00112233445566",
        "lgo": "-05:00:00.000000",
        "ran": 0,
    }
    product |= {"xnm": "PLEXT", "snm": system}
    header = {
        "recType": kind,
        "dateTime": "2025-07-14 13:10:00.00",
        "sysId": f"{system:4}",
        "subSysId": "RMF ",
        "subType": sub,
    }
    return {"header": header, f"smf{kind}pro": {f"smf{kind}{name}": value for name, value in product.items()}}


def _logical(
    address: int, kind: int, seconds: tuple[float, float, float], weight: int, flags: str = "0x00", share: str = "0x00"
) -> Record:
    dispatched, effective, online = seconds
    times = {"pdt": dispatched, "edt": effective, "ont": online}
    out: Record = {f"smf70{name}": f"00:{int(s) // 60:02}:{s % 60:09.6f}" for name, s in times.items()}
    out |= {
        "smf70vpa": f"0x{address:04X}",
        "smf70cix": kind,
        "smf70bps": f"0x{weight:04X}",
        "smf70vpf": flags,
        "smf70pof": share,
    }
    return out | {
        "smf70acs": weight * 600,
        "smf70nsw": 60,
        "smf70nca": 30,
        "smf70hw_cap_limit": 0,
        "smf70hwgr_cap_limit": 0,
    }


def _partition(
    number: int, name: str, first: int, many: int, system: str = "", group: str = "", flags: str = "0x00", msu: int = 0
) -> Record:
    out = {
        "smf70lpm": name,
        "smf70lpn": number,
        "smf70bds": first,
        "smf70bdn": many,
        "smf70stn": system,
        "smf70gnm": group,
    }
    return out | {"smf70msu": msu, "smf70gmu": 90 if group else 0, "smf70pfl": flags}


def cpu_record(system: str = "TST1", start: str = "13:00:00", length: str = "00:10:00.000") -> Record:
    """A machine of 4 CPs and 2 zIIPs, 600 s. TSTLP, second in the record: two cores of CPs, one of a zIIP with two threads, 45 of 100 of the CPs'
    weight, so 1.8 of 4 CPs for two processors; OTHER: one CP; IDLE is not active. A service unit is 300/16 µs.

    Core 0 was dispatched 300 s of 600, core 1 150 s of the 300 s that it was online, 100 of these parked."""
    record = _heads(70, 1, system, start, length)
    flags = "0x40"
    record |= {
        "smf70ctl": {
            "smf70mod": "0x3931", "smf70mdl": "704", "smf70hwm": "A01", "smf70mcr": 500, "smf70csc": "00000000000ABCDE", "smf70hhf": flags,
            "smf70cai": 100, "smf70ccr": 0, "smf70gts": "00:00:00.000", "smf70wla": 200, "smf70gau": 12, "smf70dsa": 600, "smf70cpa": 320,
            "smf70cpa_actual": 300, "smf70cpa_scaling_factor": 1, "smf70bnp": 6, "smf70pmt": "00:00:00.010", "smf70pml": 15,
            "smf70pmi": 60000, "smf70pmu": 600, "smf70pmw": 30, "smf70pmp": 4, "smf70mcf": 1024, "smf70mcfs": 1536,
            "smf70cf": 1024, "smf70cfs": 1280, "smf70atd": 1024, "smf70atds": 1843,
        },
        "smf70cis": [{"smf70cin": "CP", "smf70ctn": 4}, {"smf70cin": "IIP", "smf70ctn": 2}],
        "smf70cpu": [
            {"smf70cid": k, "smf70typ": kind, "smf70wat": f"00:{wait}.000000", "smf70pat": f"00:{parked}.000000", "smf70slh": 3000, "smf70tpi": 600}
            for k, (kind, wait, parked) in enumerate(((0, "04:00", "00:00"), (0, "01:40", "01:40"), (2, "08:00", "00:00"), (2, "09:00", "00:00")))
        ],
        "smf70lcs": [
            {"smf70_core_id": k, "smf70_core_flg": flag, "smf70_cpu_skip": skip, "smf70_cpu_num": many, "smf70_prod": 768, "smf70_lpar_busy": busy}
            for k, (flag, skip, many, busy) in enumerate(
                (("0x00", 0, 1, "00:00:00.000"), ("0x00", 1, 1, "00:00:00.000"), ("0x80", 2, 2, "00:02:30.000"))
            )
        ],
        "smf70bct": [
            _partition(3, "OTHER", 0, 1, "TST2", "GRPT", "0x40"),
            _partition(7, "TSTLP", 1, 3, system, "GRPT", "0x40", 60),
            _partition(9, "IDLE", 4, 0),
            _partition(0, "PHYSICAL", 4, 2),
        ],
        "smf70bpd": [
            _logical(0, 1, (60, 57, 600), 55, "0x10"),
            _logical(0, 1, (300, 290, 600), 45, share="0xC0"),
            _logical(1, 1, (150, 144, 300), 45, share="0x80"),
            _logical(2, 2, (180, 171, 600), 40, share="0xC0"),
            _logical(0, 1, (12, 0, 0), 0),
            _logical(1, 2, (3, 0, 0), 0),
        ],
        "smf70aid": {
            **{f"smf70{c}{s}": value for c in "irowlabstpx" for s, value in (("mn", 2), ("mm", 9), ("tt", 3000))},
            "smf70srm": 600, "smf70cmn": 1, "smf70cmm": 8, "smf70ctt": 1500, "smf70emn": 0, "smf70emm": 3, "smf70ett": 300,
            **{f"smf70u{k:02}": {0: 540, 1: 45, 15: 15}.get(k, 0) for k in range(16)},
        },
    }  # fmt: skip
    return record


def in_parts(record: Record, at: int = 2) -> list[Record]:
    """The record in two parts: the logical processors before `at`, and the others; other sections are in the first alone."""
    prefix = f"smf{record['header']['recType']}"
    first, second = (
        changed(record, **{f"{prefix}pro": {f"{prefix}ran": 3, f"{prefix}rbr": 2, f"{prefix}rsq": n}}) for n in (1, 2)
    )
    first["smf70bpd"], second["smf70bpd"] = record["smf70bpd"][:at], record["smf70bpd"][at:]
    return [first, {k: second[k] for k in ("header", f"{prefix}pro", "smf70bpd")}]


_GOALS = {"percentile": "0x80", "average": "0x40", "velocity": "0x20", "discretionary": "0x10"}


def period(number: int, goal: str, value: int, ended: int, mean_us: int, **other: Any) -> Record:
    """A period: 400 samples using and 100 delayed of 1,000; 300,000 units of CPU service and 30,000 of SRBs, 60,000 of zIIPs in them."""
    out = dict.fromkeys(
        [
            "cioc",
            "cmso",
            "cpir",
            "chpi",
            "cbpi",
            "cprs",
            "cict",
            "cidt",
            "ciwt",
            "ciot",
            "csrs",
            "cspa",
            "ciea",
            "cfea",
            "cxea",
            "cifa",
            "cifc",
            "tpdp",
            "ectc",
            "cpdp",
            "lpdp",
            "spdp",
        ],
        0.0,
    )
    out |= dict.fromkeys(
        [
            "tsucp",
            "tsusp",
            "tsuocp",
            "msucp",
            "msusp",
            "msuocp",
            "asucp",
            "asusp",
            "asuocp",
            "bsucp",
            "bsusp",
            "bsuocp",
        ],
        0.0,
    )
    out |= {
        "ccpu": 300000.0,
        "csrb": 30000.0,
        "csrv": 330000.0,
        "csup": 60000.0,
        "csuc": 6000.0,
        "crct": 2e5,
        "ciit": 1e5,
        "chst": 0.0,
    }
    out |= {
        "ctrr": 585937.5,
        "ctat": 1171875.0,
        "cswc": 3,
        "crcp": ended,
        "cncp": ended,
        "ctetx": float(mean_us * ended),
        "cxetx": 0.0,
    }
    out |= {"cetsx": float(mean_us**2 * ended * 2), "cqdtx": 0.0, "cadtx": 0.0, "ciqtx": 1e5 * ended, "ccvtx": 0.0}
    out |= {
        "ctet": mean_us * ended / 1024,
        "cxet": 0.0,
        "cets": mean_us**2 * ended * 2 / 1048576,
        "cqdt": 0.0,
        "cadt": 0.0,
        "ciqt": 1e5 * ended / 1024,
    }
    out |= {
        "ccvt": 0.0,
        "circ": 0,
        "ctou": 400,
        "ctot": 100,
        "ctsa": 1000.0,
        "ccus": 300,
        "ifau": 0,
        "supu": 60,
        "ciou": 40,
        "ccde": 70,
        "ciod": 20,
    }
    out |= dict.fromkeys(
        [
            "ifad",
            "ccca",
            "cswi",
            "cmpl",
            "cq",
            "capr",
            "caco",
            "caxm",
            "cvio",
            "chsp",
            "cchs",
            "cspv",
            "csvi",
            "cshs",
            "csmp",
            "cssw",
            "apu",
            "apd",
            "fqd",
            "rcou",
            "rcod",
            "cpqu",
        ],
        0,
    )
    out |= {
        "supd": 10,
        "cunk": 200,
        "cidl": 300,
        "csac": 1200,
        "crgf": _GOALS[goal],
        "crtf": "0x80" if goal == "percentile" else "0x40",
    }
    out |= {
        "cval": value,
        "cpct": 90 if goal == "percentile" else 0,
        "rtdm": value,
        "cper": number,
        "cimp": number + 1,
        "crtx": 0,
    }
    out |= {"cwmx": 0, "cwmn": 0} | other
    return {f"r723{name}": fields for name, fields in out.items()}


def class_record(
    *periods: Record, system: str = "TST1", flags: str = "0x08", buckets: Sequence[Sequence[Any]] = (), **fields: Any
) -> Record:
    """A class of 600 s: 500/16 µs for a service unit, zIIPs at factor 1.5."""
    record = _heads(72, 3, system, "13:00:00", "00:10:00.000")
    record["r723wms"] = {
        "r723mnsp": "POLT",
        "r723mdsp": "Our policy",
        "r723mtpa": "2025-07-01 02:03:04.000000",
        "r723mcnm": "ONLT",
        "r723mcde": "Our class",
        "r723mwnm": "WLT",
        "r723mscf": flags,
        "r723mtvl": "00:00:00.250",
        "r723mtv_": 2400,
        "r723mcpu": 10000,
        "r723mioc": 5000,
        "r723mmso": 0,
        "r723msrb": 10000,
        "r723madj": 500,
        "r723nffi": 256,
        "r723nffs": 384,
        "r723mcf": 1024,
        "r723mcfs": 1024,
        "r723mcfi": 0,
        "r723midn": "DEFT",
        "r723midd": "Our definition",
        "r723mtdi": "2025-06-30 10:11:12.000000",
        "r723midu": "OURS",
        "r723mopt": "0A",
        **fields,
    }
    record["r723scs"] = [*periods] if len(periods) > 1 else dict(*periods)
    if buckets:
        record["r723rts"] = [*map(list, buckets)]
    return record
