"""When does it no longer fit: the four-hour peak, processors and volumes of the days to come."""

from __future__ import annotations

import sys
from collections import defaultdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .common import DEFAULT_LAKE, FormatOption, LakeOption, MemoryOption, open_to_read, write_answer

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator

# A day counts where 23 hours of it are known: clocks are set forward.
_SERIES = """
SELECT
    'four_hour_msu' AS measure, concat_ws(' ', level, name, 'on', machine) AS subject, 'MSU/h' AS unit, CAST(hour_start AS DATE) AS day,
    max(rolling_msu) AS value, arg_max(cap_msu, hour_start) AS "limit"
FROM hourly_four_hour_msu
WHERE msu_source = 'partition_data'
GROUP BY level, name, machine, CAST(hour_start AS DATE)
HAVING count(rolling_msu) >= 23 AND count(rolling_msu) = count(*)
UNION ALL
SELECT
    CASE processor_type WHEN 'CP' THEN 'cp_engines' ELSE 'ziip_engines' END, system, 'engines', CAST(hour_start AS DATE),
    max(engines_busy), arg_max(engines_online, hour_start)
FROM processor_hour
WHERE processor_type IN ('CP', 'IIP')
GROUP BY system, processor_type, CAST(hour_start AS DATE)
HAVING sum(covered_s) >= 82800 AND count(engines_busy) = count(*)
UNION ALL
SELECT
    'transactions', concat_ws(' ', class_kind, class_name, 'of', scope), 'per day', CAST(hour_start AS DATE),
    CAST(sum(transactions_ended) AS DOUBLE), NULL
FROM class_hour
WHERE class_kind IN ('service_class', 'report_class')
GROUP BY sysplex, scope, class_kind, class_name, CAST(hour_start AS DATE)
HAVING sum(covered_s) >= 82800 AND count(transactions_ended) = count(*) AND sum(transactions_ended) > 0
ORDER BY ALL
"""
_YEAR = 365


def forecast(
    days: Annotated[int, typer.Option(min=1, max=_YEAR, help="How many days after the last known one.")] = 90,
    lake: LakeOption = DEFAULT_LAKE,
    output_format: FormatOption = "table",
    memory: MemoryOption = None,
) -> None:
    """Forecast four-hour peaks, processors and volumes.

    One row per series, of days known in full: the highest hour of the four-hour rolling average, against its defined
    capacity or limit of the group; the busiest hour of general processors and zIIPs, against those online; transactions
    of a class. If days go on as they did: 80% and 95% of the days are within the bounds, and `reached` is the first
    day that meets the limit (`earliest`, `latest`: by the bounds of 80%). Without 60 days there is no forecast, and it
    reaches no further than there are known days.

    \b
    Example:
      ironlake forecast --lake lake --days 30
    """
    import pyarrow as pa

    from ..sql.ask import ask

    with open_to_read(lake, memory) as opened:
        rows = list(_rows(ask(opened, _SERIES), days))
    texts, dates = (
        ("measure", "subject", "unit", "note"),
        ("last_day", "day", "reached_earliest", "reached", "reached_latest"),
    )
    types = dict.fromkeys(texts, pa.string()) | dict.fromkeys(dates, pa.date32()) | {"known_days": pa.int64()}
    names = (*texts[:3], "last_day", "known_days", "day", *_BOUNDS, "limit", *dates[2:], "note")
    schema = pa.schema([(name, types.get(name, pa.float64())) for name in names])
    write_answer(pa.Table.from_pylist(rows, schema=schema).to_reader(), output_format)
    if not rows:
        print("no day of a series is known in full, which takes 23 hours", file=sys.stderr)


_BOUNDS = ("value", "low80", "high80", "low95", "high95")


def _rows(found: list[dict[str, Any]], horizon: int) -> Iterator[dict[str, Any]]:
    from ..sql.forecast import forecast as of_days
    from ..sql.forecast import meets

    series: dict[tuple[str, str, str], dict[dt.date, dict[str, Any]]] = defaultdict(dict)
    for row in found:
        series[row["measure"], row["subject"], row["unit"]][row["day"]] = row
    for key, by_day in series.items():
        last = by_day[max(by_day)]
        limit = last["limit"]
        one = of_days({day: row["value"] for day, row in by_day.items()}, _YEAR)
        row = dict(zip(("measure", "subject", "unit"), key, strict=True))
        row |= {"last_day": last["day"], "known_days": len(by_day), "limit": limit, "note": one.why_not}
        if one.days:
            asked = one.days[min(horizon, len(one.days)) - 1]
            row |= {"day": asked.day} | {name: getattr(asked, name) for name in _BOUNDS}
            said = [f"a step on {one.step}, whose level goes on"] if one.step else []
            if limit is not None:
                reached = meets(one.days, limit)
                row |= dict(zip(("reached_earliest", "reached", "reached_latest"), reached, strict=True))
                said += [] if any(reached) else [f"the limit is not met within {len(one.days)} days"]
            if len(one.days) < horizon:
                said.append(f"no further than {len(one.days)} days")
            row["note"] = "; ".join(said)
        yield row
