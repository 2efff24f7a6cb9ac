"""Content of RMF CPU Activity for a system.

Source of the names and formulas: IBM z/OS RMF Report Analysis, "CPU Activity report".
"""

from dataclasses import dataclass

from .common import SystemReport
from .work_units import LoadAnalysis


@dataclass(frozen=True)
class CpuActivity:
    """The report of a system: rows of processors of one thread, and the total of each type. Without `analysis` the parts behind them are not
    printed."""

    rows: SystemReport
    cpc_type: str = "8561"
    model: str = "710"
    hardware_model: str = "T01"
    capacity: int = 2000
    sequence_code: str = "00000000000A1B2C"
    analysis: LoadAnalysis | None = None
