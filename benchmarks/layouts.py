"""The three layouts of the data block, line by line, and the cells that go into them, by their names in the lake.

G1 is MVS/ESA 5.1, G2 z/OS V2R1 and V2R2 (nine rows, eight groups), G3 V2R3 and later (two stacked blocks). A cell that
may carry a K or M takes one more column than its digits: the suffix stands in the gap.
"""

import re
from random import Random

from .cells import fit, full_time, suffixed, transaction_time
from .facts import Facts, Site

G1_BLOCK = """\
-TRANSACTIONS--  TRANSACTION TIME   HHH.MM.SS.TTT   INTERVAL SERVICE   --SERVICE RATES--   -PAGE-IN RATES--   ----STORAGE----
AVG%(transactions_avg)12s  ACTUAL%(actual_time_s)26s   IOC%(ioc_service)13s   ABSRPTN%(absorption_rate)10s   SINGLE%(page_in_single_per_s)10s   AVG%(storage_avg_frames)12s
MPL%(transactions_mpl)12s  QUEUED%(queued_time_s)26s   CPU%(cpu_service)13s   TRX SERV%(transaction_service_rate)9s   BLOCK%(page_in_block_per_s)11s   TOTAL%(storage_total_frames)10s
ENDED%(transactions_ended)10s  EXECUTION%(execution_time_s)23s   MSO%(mso_service)13s   TCB%(cpu_time_s)13s    HSP%(page_in_hsp_per_s)13s   CENTRAL%(storage_central_frames)8s
END/SEC%(transactions_per_s)8s  STANDARD DEVIATION%(time_stddev_s)14s   SRB%(srb_service)13s   SRB%(srb_time_s)13s    HSP MISS%(page_in_hsp_miss_per_s)8s   EXPAND%(storage_expanded_frames)9s
#SWAPS%(swaps)9s                                     TOT%(total_service)13s   TCB+SRB%%%(appl_tcb_srb_pct)8s    EXP SNGL%(page_in_expanded_single_per_s)8s
EXECUTD%(transactions_executed)8s                                     PER SEC%(service_per_s)9s                        EXP BLK%(page_in_expanded_block_per_s)9s"""

G1_TRANSACTION_BLOCK = """\
-TRANSACTIONS--  TRANSACTION TIME   HHH.MM.SS.TTT
AVG%(transactions_avg)12s  ACTUAL%(actual_time_s)26s
MPL%(transactions_mpl)12s  QUEUED%(queued_time_s)26s
ENDED%(transactions_ended)10s  EXECUTION%(execution_time_s)23s
END/SEC%(transactions_per_s)8s  STANDARD DEVIATION%(time_stddev_s)14s
#SWAPS%(swaps)9s
EXECUTD%(transactions_executed)8s"""

G2_BLOCK = """\
-TRANSACTIONS-  TRANS-TIME HHH.MM.SS.TTT  --DASD I/O--  ---SERVICE---   SERVICE TIME  ---APPL %%---  --PROMOTED--  ----STORAGE----
AVG%(transactions_avg)11s  ACTUAL%(actual_time_s)18s  SSCHRT%(ssch_per_s)6s  IOC%(ioc_service)11s  CPU%(cpu_time_s)9s  CP%(appl_cp_pct)10s  BLK%(promoted_blk_s)9s  AVG%(storage_avg_frames)12s
MPL%(transactions_mpl)11s  EXECUTION%(execution_time_s)15s  RESP%(dasd_response_ms)8s  CPU%(cpu_service)11s  SRB%(srb_time_s)9s  AAPCP%(appl_aapcp_pct)7s  ENQ%(promoted_enq_s)9s  TOTAL%(storage_total_frames)10s
ENDED%(transactions_ended)9s  QUEUED%(queued_time_s)18s  CONN%(dasd_connect_ms)8s  MSO%(mso_service)11s  RCT%(rct_time_s)9s  IIPCP%(appl_iipcp_pct)7s  CRM%(promoted_crm_s)9s  SHARED%(storage_shared_frames)9s
END/S%(transactions_per_s)9s  R/S AFFIN%(rs_affinity_time_s)15s  DISC%(dasd_disconnect_ms)8s  SRB%(srb_service)11s  IIT%(iit_time_s)9s                LCK%(promoted_lck_s)9s
#SWAPS%(swaps)8s  INELIGIBLE%(ineligible_time_s)14s  Q+PEND%(dasd_qpend_ms)6s  TOT%(total_service)11s  HST%(hst_time_s)9s  AAP%(appl_aap_pct)9s  SUP%(promoted_sup_s)9s  -PAGE-IN RATES-
EXCTD%(transactions_executed)9s  CONVERSION%(conversion_time_s)14s  IOSQ%(dasd_iosq_ms)8s  /SEC%(service_per_s)10s  AAP%(aap_time_s)9s  IIP%(appl_iip_pct)9s                SINGLE%(page_in_single_per_s)9s
AVG ENC%(enclaves_avg)7s  STD DEV%(time_stddev_s)17s                                IIP%(iip_time_s)9s                              BLOCK%(page_in_block_per_s)10s
REM ENC%(enclaves_remote_avg)7s                                          ABSRPTN%(absorption_rate)7s                                            SHARED%(page_in_shared_per_s)9s
MS ENC%(enclaves_multisystem_avg)8s                                          TRX SERV%(transaction_service_rate)6s                                            HSP%(page_in_hsp_per_s)12s"""

G2_TRANSACTION_APPL = """\
TRANSACTION APPL%% :   TOTAL :   CP %(transaction_appl_total_cp_pct)6s   AAP/IIP ON CP %(transaction_appl_total_on_cp_pct)6s   AAP/IIP %(transaction_appl_total_ziip_pct)6s
                      MOBILE :  CP %(transaction_appl_mobile_cp_pct)6s   AAP/IIP ON CP %(transaction_appl_mobile_on_cp_pct)6s   AAP/IIP %(transaction_appl_mobile_ziip_pct)6s"""

G3_BLOCK = """\
-TRANSACTIONS--  TRANS-TIME HHH.MM.SS.FFFFFF  TRANS-APPL%%-----CP-IIPCP/AAPCP-IIP/AAP  ---ENCLAVES---
AVG%(transactions_avg)12s  ACTUAL%(actual_time_s)21s  TOTAL%(transaction_appl_total_cp_pct)13s%(transaction_appl_total_on_cp_pct)12s%(transaction_appl_total_ziip_pct)8s  AVG ENC%(enclaves_avg)7s
MPL%(transactions_mpl)12s  EXECUTION%(execution_time_s)18s  MOBILE%(transaction_appl_mobile_cp_pct)12s%(transaction_appl_mobile_on_cp_pct)12s%(transaction_appl_mobile_ziip_pct)8s  REM ENC%(enclaves_remote_avg)7s
ENDED%(transactions_ended)10s  QUEUED%(queued_time_s)21s  CATEGORYA%(transaction_appl_category_a_cp_pct)9s%(transaction_appl_category_a_on_cp_pct)12s%(transaction_appl_category_a_ziip_pct)8s  MS ENC%(enclaves_multisystem_avg)8s
END/S%(transactions_per_s)10s  R/S AFFIN%(rs_affinity_time_s)18s  CATEGORYB%(transaction_appl_category_b_cp_pct)9s%(transaction_appl_category_b_on_cp_pct)12s%(transaction_appl_category_b_ziip_pct)8s
#SWAPS%(swaps)9s  INELIGIBLE%(ineligible_time_s)17s
EXCTD%(transactions_executed)10s  CONVERSION%(conversion_time_s)17s
                 STD DEV%(time_stddev_s)20s"""

G3_SERVICE_BLOCK = """\
----SERVICE----   SERVICE TIME  ---APPL %%---  --PROMOTED--  --DASD I/O---  ----STORAGE----  -PAGE-IN RATES-
IOC%(ioc_service)13s  CPU%(cpu_time_s)9s  CP%(appl_cp_pct)10s  BLK%(promoted_blk_s)9s  SSCHRT%(ssch_per_s)7s  AVG%(storage_avg_frames)12s  SINGLE%(page_in_single_per_s)9s
CPU%(cpu_service)13s  SRB%(srb_time_s)9s  IIPCP%(appl_iipcp_pct)7s  ENQ%(promoted_enq_s)9s  RESP%(dasd_response_ms)9s  TOTAL%(storage_total_frames)10s  BLOCK%(page_in_block_per_s)10s
MSO%(mso_service)13s  RCT%(rct_time_s)9s  IIP%(appl_iip_pct)9s  CRM%(promoted_crm_s)9s  CONN%(dasd_connect_ms)9s  SHARED%(storage_shared_frames)9s  SHARED%(page_in_shared_per_s)9s
SRB%(srb_service)13s  IIT%(iit_time_s)9s  AAPCP%(appl_aapcp_pct)7s  LCK%(promoted_lck_s)9s  DISC%(dasd_disconnect_ms)9s                   HSP%(page_in_hsp_per_s)12s
TOT%(total_service)13s  HST%(hst_time_s)9s  AAP%(appl_aap_pct)9s  SUP%(promoted_sup_s)9s  Q+PEND%(dasd_qpend_ms)7s
/SEC%(service_per_s)12s  IIP%(iip_time_s)9s                              IOSQ%(dasd_iosq_ms)9s
ABSRPTN%(absorption_rate)9s  AAP%(aap_time_s)9s
TRX SERV%(transaction_service_rate)8s"""

_TIMES = {
    "actual_time_s": "actual",
    "execution_time_s": "execution",
    "queued_time_s": "queued",
    "rs_affinity_time_s": "affinity",
    "ineligible_time_s": "ineligible",
    "conversion_time_s": "conversion",
    "time_stddev_s": "stddev",
}
_SERVICE = {"ioc_service": "ioc", "cpu_service": "cpu", "mso_service": "mso", "srb_service": "srb"}
_PROMOTED = {f"promoted_{what}_s": f"{what}_s" for what in ("blk", "enq", "crm", "lck", "sup")}
_SERVICE_TIME = {f"{what}_time_s": f"{what}_s" for what in ("cpu", "srb", "rct", "iit", "hst", "iip")}


def block_cells(rng: Random, site: Site, facts: Facts, interval_s: float, transaction_only: bool) -> dict[str, str]:
    """The printed cells of a class or period block, by column of rmf_workload_activity."""
    layout = site.layout
    decimals = 6 if layout == "G3" else 3
    time = full_time if layout == "G1" else transaction_time
    cells = {name: time(facts[fact], decimals) for name, fact in _TIMES.items()}
    cells["transactions_avg"] = fit(facts["avg"], 7, 2)
    cells["transactions_mpl"] = fit(facts["mpl"], 7, 2)
    cells["transactions_ended"] = str(facts["ended"])
    cells["transactions_per_s"] = fit(facts["ended"] / interval_s, 7, 2)
    cells["swaps"] = str(facts["swaps"])
    cells["transactions_executed"] = str(facts["executed"])
    if transaction_only:
        return cells
    cells |= _service_cells(site, facts, interval_s)
    cells |= _page_in_cells(rng, layout)
    mpl, frames = facts["mpl"], facts["frames"]
    room = 7 if layout == "G1" else 8
    cells["storage_avg_frames"] = fit(frames / mpl if mpl else 0.0, room, 2)
    cells["storage_total_frames"] = fit(frames, room, 2)
    if layout == "G1":
        cells["storage_central_frames"], cells["storage_expanded_frames"] = fit(frames, room, 2), "0.00"
        cells["cpu_time_s"], cells["srb_time_s"] = fit(facts["cpu_s"], 8, 1), fit(facts["srb_s"], 8, 1)
        cells["appl_tcb_srb_pct"] = fit(100 * (facts["cpu_s"] + facts["srb_s"]) / interval_s, 7, 1)
        return cells
    cells["storage_shared_frames"] = fit(facts["shared"], 8, 2)
    cells |= {name: fit(facts[fact], 8, 3) for name, fact in _SERVICE_TIME.items()}
    cells |= {name: fit(facts[fact], 8, 3) for name, fact in _PROMOTED.items()}
    cells["aap_time_s"] = "0.000" if site.aap else "N/A"
    cells |= _appl_cells(site, facts, interval_s)
    cells |= _dasd_cells(rng, facts)
    cells["enclaves_avg"] = fit(facts["enclaves"], 6, 2)
    cells["enclaves_remote_avg"], cells["enclaves_multisystem_avg"] = (
        fit(facts["remote"], 6, 2),
        fit(facts["multisystem"], 6, 2),
    )
    return cells


def _service_cells(site: Site, facts: Facts, interval_s: float) -> dict[str, str]:
    digits = 8 if site.layout == "G1" else 6
    total = facts["ioc"] + facts["cpu"] + facts["mso"] + facts["srb"]
    rate = total / interval_s
    rate_digits = {"G1": 6, "G2": 4, "G3": 6}[site.layout]
    cells = {name: suffixed(facts[fact], digits) for name, fact in _SERVICE.items()}
    cells["total_service"] = suffixed(total, digits)
    cells["service_per_s"] = suffixed(rate, 6)
    cells["absorption_rate"] = suffixed(rate / facts["mpl"] if facts["mpl"] else 0, rate_digits)
    cells["transaction_service_rate"] = suffixed(rate / facts["avg"] if facts["avg"] else 0, rate_digits)
    return cells


def _appl_cells(site: Site, facts: Facts, interval_s: float) -> dict[str, str]:
    """APPL % as the service times give it, a normalisation factor of 1; CP holds IIPCP, not IIP."""
    seconds = sum(facts[name] for name in ("cpu_s", "srb_s", "rct_s", "iit_s", "hst_s"))
    cp = fit(100 * (seconds - facts["iip_s"]) / interval_s, 7, 2)
    iip, iipcp = fit(100 * facts["iip_s"] / interval_s, 7, 2), fit(100 * facts["iipcp_s"] / interval_s, 6, 2)
    cells = {"appl_cp_pct": cp, "appl_iip_pct": iip, "appl_iipcp_pct": iipcp, "appl_aapcp_pct": "0.00"}
    cells["appl_aap_pct"] = "0.00" if site.aap else "N/A"
    for category in ("total", "mobile", "category_a", "category_b"):
        for part in ("cp", "on_cp", "ziip"):
            cells[f"transaction_appl_{category}_{part}_pct"] = "0.00"
    cells |= {"transaction_appl_total_cp_pct": cp, "transaction_appl_total_on_cp_pct": iipcp}
    cells["transaction_appl_total_ziip_pct"] = iip
    cells["transaction_appl_mobile_cp_pct"] = fit(100 * facts["mobile_s"] / interval_s, 6, 2)
    return cells


def _dasd_cells(rng: Random, facts: Facts) -> dict[str, str]:
    """RESP is the sum of its four parts, in tenths of a millisecond."""
    ssch = facts["ssch"]
    tenths = [int(rng.random() * top) for top in (25, 9, 4, 3)] if ssch else [0, 0, 0, 0]
    names = ("dasd_connect_ms", "dasd_disconnect_ms", "dasd_qpend_ms", "dasd_iosq_ms")
    cells = {name: f"{tenth / 10:.1f}" for name, tenth in zip(names, tenths, strict=True)}
    return cells | {"ssch_per_s": fit(ssch, 5, 1), "dasd_response_ms": f"{sum(tenths) / 10:.1f}"}


def _page_in_cells(rng: Random, layout: str) -> dict[str, str]:
    decimals = 2 if layout == "G1" else 1
    names = ["page_in_single_per_s", "page_in_block_per_s", "page_in_hsp_per_s", "page_in_shared_per_s"]
    if layout == "G1":
        names[3:] = ["page_in_hsp_miss_per_s", "page_in_expanded_single_per_s", "page_in_expanded_block_per_s"]
    zero = f"{0:.{decimals}f}"
    cells = dict.fromkeys(names, zero)
    if rng.random() < 0.2:
        cells[names[0]] = f"{rng.random() * 20:.{decimals}f}"
    return cells


def template(layout: str, short: bool) -> str:
    """The data block of a layout; `short` is the form of transaction classes (G1) and tenant report classes (G3)."""
    if layout == "G1":
        return G1_TRANSACTION_BLOCK if short else G1_BLOCK
    if layout == "G2":
        return G2_BLOCK
    return G3_BLOCK if short else f"{G3_BLOCK}\n\n{G3_SERVICE_BLOCK}"


def block_lines(site: Site, cells: dict[str, str], short: bool) -> list[str]:
    """The lines of the data block; G3 is two blocks with a blank line between."""
    text = template(site.layout, short) % cells
    if site.layout == "G2" and cells["transaction_appl_mobile_cp_pct"] != "0.00":
        text += "\n\n" + G2_TRANSACTION_APPL % cells
    return [line.rstrip() for line in text.split("\n")]


def columns(layout: str, short: bool) -> list[str]:
    """Columns of rmf_workload_activity that the data block prints."""
    return re.findall(r"%\((\w+)\)", template(layout, short))
