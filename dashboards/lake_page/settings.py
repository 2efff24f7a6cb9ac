"""Changes of a system's engines, weights and boost between two days, as its CPU Activity and Partition Data print
them."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from .asked import Asked

# Engines of CPU Activity, otherwise of Partition Data. WLM or the hardware itself moves a value that changes within the
# day before: then a change says nothing. A boost explains the median of a day where it lasts for half of its intervals.
_SETTINGS = """
WITH printed AS (
    SELECT system, processor_type, 'engines' AS what, hour_start AS printed_at, round(engines_online, 2) AS value, 2 AS preference
    FROM processor_hour WHERE processor_type IN ('CP', 'IIP') AND hour_start >= $from AND hour_start < $to
    UNION ALL
    SELECT system, processor_type, unnest(['engines', 'weight']), interval_start, unnest([round(logical_processors, 2), weight]), 1
    FROM rmf_partition_data
    WHERE partition = mvs_partition AND NOT is_total AND report_kind = 'interval' AND processor_type IN ('CP', 'IIP')
        AND interval_start >= $from AND interval_start < $to
    UNION ALL
    SELECT
        system, 'CP', 'boost', CAST(interval_start AS DATE),
        CASE WHEN 2 * count(DISTINCT interval_start) FILTER (lower(boost_type) <> 'none') >= count(DISTINCT interval_start) THEN 1 ELSE 0 END, 1
    FROM rmf_cpu_activity
    WHERE report_kind = 'interval' AND interval_start >= $from AND interval_start < $to
    GROUP BY system, CAST(interval_start AS DATE)
)
SELECT system, processor_type, what, CAST(printed_at AS DATE) AS day, arg_max(value, printed_at) AS value, min(value) = max(value) AS is_steady
FROM printed
WHERE value IS NOT NULL
GROUP BY system, processor_type, what, day, preference
QUALIFY row_number() OVER (PARTITION BY system, processor_type, what, day ORDER BY preference DESC) = 1
ORDER BY system, what, processor_type, day
"""
_WORDS = {("engines", "CP"): "CPs", ("engines", "IIP"): "zIIPs", ("weight", "CP"): "weight", ("weight", "IIP"): "zIIP weight", ("boost", "CP"): "boost"}  # fmt: skip


class Settings:
    """Engines, weights and boost of all systems by day; asked when first needed."""

    def __init__(self, asked: Asked):
        self._asked = asked
        self._days: dict[tuple[str, str, str], dict[dt.date, dict[str, Any]]] | None = None

    def changed(self, systems: Sequence[str], before: dt.date, after: dt.date) -> list[str]:
        """The differences between the end of one day and an earlier day, in words."""
        if self._days is None:
            self._days = {}
            for row in self._asked.ask(_SETTINGS).to_pylist():
                key = row["system"], row["what"], row["processor_type"]
                self._days.setdefault(key, {})[row["day"]] = row
        found = []
        for (system, what, kind), days in self._days.items():
            old, new = days.get(before), days.get(after)
            if system in systems and old and new and old["is_steady"] and old["value"] != new["value"]:
                values = [("off", "on")[int(v)] if what == "boost" else f"{v:,g}" for v in (old["value"], new["value"])]
                found.append(f"{_WORDS[what, kind]} of {system} {' → '.join(values)}")
        return found
