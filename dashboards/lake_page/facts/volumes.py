"""Which volumes do requests wait for, and for which more than on other days?"""

from collections.abc import Iterable, Iterator

from ..asked import Asked, Row, highest_known
from ..found import Ranked
from ..question import days_of_labels, of_hours, question, say, usual

# Field practice of this project: requests in progress.
_LEAST_IN_PROGRESS = 0.5


def _most(rows: list[Row], worst: Row | None) -> str:
    if worst is None:
        return ""
    slow = ", {io_per_s:,.0f} per second of {response_ms:.3f} ms" if worst["io_per_s"] else ""
    return say(f"Most: {{label}}, {{io_in_progress:.2f}} requests in progress on {{at}}{slow}.", worst)


def _slower(asked: Asked, _: list[Row], shown: list[Row]) -> tuple[str, Iterable[Ranked]]:
    return "", _news(asked, shown)


def _news(asked: Asked, rows: list[Row]) -> Iterator[Ranked]:
    """Volumes with more requests in progress in the busiest hour of the last day than in that of each earlier day. An
    earlier day with an unknown hour is not compared."""
    for days in days_of_labels(rows).values():
        known = [row for row in days.pop(asked.last_day, []) if row["io_in_progress"] is not None]
        last = highest_known(known, volumes.shown, "io_in_progress") if known else None
        if last is None or last["io_in_progress"] < _LEAST_IN_PROGRESS:
            continue
        measured = [[row["io_in_progress"] for row in of_day] for of_day in days.values()]
        before = usual(last["io_in_progress"], [max(values) for values in measured if None not in values])
        if before is not None:
            sentence = say(
                "{label}: {io_in_progress:.2f} requests in progress on {at}, usually {before:.2f} at most; response time {response_ms:.3f} ms.",
                last | {"before": before},
            )
            size = last["io_in_progress"]
            yield of_hours(asked, volumes, [last], last, sentence, "volume response × rate", size=size, new=True)


volumes = question(
    """
    volumes: Which volumes do requests wait for?
    view: volume_hour
    name: concat_ws(' ', volume, device_number) || ' on ' || system
    columns: hour_start, label "Volume, device and system", io_in_progress "In progress" [requests] .2,
        io_per_s "Requests" .0, response_ms .3, iosq_ms "IOSQ" .3, pend_ms "Pending" .3,
        disconnect_ms "Disconnected" .3, connect_ms "Connected" .3, system, sysplex
    chart: lines io_in_progress
    ranks: io_in_progress
    most: volume
    note: Requests in progress are rate × response time.
    """,
    finding=_most,
    beside=_slower,
)
