"""The report class of IBM REDP-5208 in its true layout: values as printed, and the measures that follow from them."""

from __future__ import annotations

import datetime as dt

import pytest
from sample_pages import SHARED, one, sample, sample_tables

ROW = one(sample_tables(sample("cics_liberty_report_class")), "rmf_workload_activity")


def test_names_and_interval_of_the_paper_page() -> None:
    assert (ROW["class_kind"], ROW["policy"], ROW["report_class"]) == ("report_class", "POLICY", "CICS2A20")
    assert (ROW["workload"], ROW["service_class"], ROW["description"]) == (None, None, None)
    assert (ROW["interval_s"], ROW["report_kind"]) == (60.0, "interval")
    assert ROW["interval_end"] - ROW["interval_start"] == dt.timedelta(minutes=1)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("transactions_avg", 1.0),
        ("transactions_mpl", 1.0),
        ("transactions_ended", 88584),
        ("transactions_per_s", 1476.42),
        ("actual_time_s", 0.019),
        ("time_stddev_s", 0.014),
        ("execution_time_s", 0.0),
        ("swaps", 0),
        ("ioc_service", 66510),
        ("cpu_service", 4876000),
        ("cpu_service_resolution", 1000.0),
        ("mso_service", 0),
        ("srb_service", 528),
        ("total_service", 4943000),
        ("service_per_s", 82391),
        ("absorption_rate", 82000),
        ("transaction_service_rate", 82000),
        ("cpu_time_s", 64.307),
        ("srb_time_s", 0.007),
        ("rct_time_s", 0.0),
        ("iit_time_s", 0.0),
        ("hst_time_s", 0.0),
        ("aap_time_s", None),
        ("iip_time_s", 45.320),
        ("appl_cp_pct", 31.66),
        ("appl_aapcp_pct", 0.0),
        ("appl_iipcp_pct", 6.76),
        ("appl_aap_pct", None),
        ("appl_iip_pct", 75.53),
        ("promoted_blk_s", None),
        ("storage_avg_frames", None),
    ],
)
def test_values_of_the_paper_page_are_as_printed(column: str, value: float | None) -> None:
    assert ROW[column] == value


def test_published_formulas_applied_to_the_paper_page() -> None:
    """Percent of one engine; the non-zIIP formula as published subtracts zIIP time that CP never held."""
    cp, iip, iipcp, aapcp = (ROW[f"appl_{name}_pct"] for name in ("cp", "iip", "iipcp", "aapcp"))
    cpu = cp + iip
    assert cpu == pytest.approx(107.19)
    assert iip + iipcp == pytest.approx(82.29)
    assert cp - (iip + iipcp) == pytest.approx(-50.63)
    assert cp - iipcp - aapcp == pytest.approx(24.90)
    assert cpu / 100 * ROW["interval_s"] / ROW["transactions_ended"] * 1000 == pytest.approx(0.72602, abs=5e-6)


def test_printed_percentages_follow_from_printed_times() -> None:
    """CP holds task and SRB time without the time on zIIPs."""
    seconds = ROW["cpu_time_s"] + ROW["srb_time_s"] - ROW["iip_time_s"]
    assert seconds / ROW["interval_s"] * 100 == pytest.approx(ROW["appl_cp_pct"], abs=0.02)
    assert ROW["iip_time_s"] / ROW["interval_s"] * 100 == pytest.approx(ROW["appl_iip_pct"], abs=0.02)


EXTRACT = SHARED / "reference" / "extracts" / "rmf_workload_activity_cics2a20.txt"


@pytest.mark.skipif(not EXTRACT.exists(), reason="the paper's extract is not in ../shared/reference beside the project")
def test_sample_prints_what_the_paper_prints() -> None:
    """Every cell of the extract stands in the sample; two labels are misprinted there."""
    text = EXTRACT.read_text().replace("MS0", "MSO").replace("HSWAPS", "#SWAPS")
    page = " ".join(sample("cics_liberty_report_class").read_text().split())
    cells = [" ".join(cell.split()) for line in text.splitlines()[2:] for cell in line.split("\t") if cell.strip()]
    titles = 7
    assert len(cells) > 50
    missing = [cell for cell in cells[titles:] if cell not in page]
    assert missing == []
