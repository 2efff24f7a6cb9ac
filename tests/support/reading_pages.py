"""Pages of our own in the layout of RMF Workload Activity, as lines with and without carriage control."""

RULE = "-" * 108 + " REPORT CLASS(ES)"


def page(number: int, report_class: str = "CICSPROD", margin: str = "") -> list[str]:
    """The lines of one page, without carriage control and without trailing blanks."""
    title = " " * 50 + "W O R K L O A D   A C T I V I T Y"
    lines = [
        title,
        f"PAGE {number:3}".rjust(128),
        "         z/OS V2R2               SYSPLEX LAKEPLEX           DATE 03/01/2024           INTERVAL 15.00.000   MODE = GOAL",
        "                                 RPT VERSION V2R2 RMF       TIME 10.15.00",
        "",
        " " * 43 + "POLICY ACTIVATION DATE/TIME 02/10/2024 08.00.00",
        "",
        RULE,
        "",
        f"REPORT BY: POLICY=BASEPOL                            REPORT CLASS={report_class}",
        "",
        "-TRANSACTIONS-  TRANS-TIME HHH.MM.SS.TTT  --DASD I/O--  ---SERVICE---   SERVICE TIME  ---APPL %---",
        "AVG       1.25  ACTUAL                19  SSCHRT  12.5  IOC     10234   CPU   64.307  CP     31.66",
        "MPL       1.25  EXECUTION             18  RESP     0.3  CPU     4876K   SRB    0.007  AAPCP   0.00",
        f"ENDED  {88584 + number:7}  QUEUED                 0  CONN     0.2  MSO         0   RCT    0.000  IIPCP   6.76",
        "",
    ]
    return [(margin + line).rstrip() for line in lines]


def report(pages: int = 3, margin: str = "") -> list[str]:
    return [line for number in range(1, pages + 1) for line in page(number, margin=margin)]


def control_of(lines: list[str]) -> str:
    """ASA control for these lines: 1 on titles, 0 on class headers, a blank elsewhere."""
    return "".join("1" if "W O R K" in line else "0" if line.startswith("REPORT BY") else " " for line in lines)


def with_asa(lines: list[str]) -> list[str]:
    return [control + line for control, line in zip(control_of(lines), lines, strict=True)]


def text_of(lines: list[str]) -> bytes:
    """The canonical text of these lines."""
    return "".join(line.rstrip() + "\n" for line in lines).encode()


def records(lines: list[str], length: int) -> str:
    """Fixed-length records, filled with blanks and without line ends."""
    return "".join(line.ljust(length)[:length] for line in lines)
