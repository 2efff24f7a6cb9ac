"""Columns that several tables or views share: unit and meaning of a name, where one says nothing else of it.

A line `name, name [unit]: description` describes one or several columns, as in the header of a view; deeper lines go on
with it. A unit in brackets also holds for the names before it that end in the same word. A title for pages stands in
quotes behind its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

_LINE = re.compile(r" {1,4}(?P<names>[a-z][^:]*): ?(?P<doc>.*)")
_NAME = re.compile(r'(?P<name>[a-z][a-z0-9_]*)(?: "(?P<title>[^"]*)")?(?: \[(?P<unit>[^\]]*)\])?')


@dataclass(frozen=True)
class Meaning:
    unit: str
    doc: str
    title: str = ""
    """On pages."""

    @property
    def sentence(self) -> str:
        return f"{self.doc[0].upper()}{self.doc[1:]}."


def unit_of_ending(name: str) -> str:
    """The unit of a column of which nothing else says it.

    >>> [unit_of_ending(name) for name in ("wait_s", "waits_per_s", "wait_ms_per_task", "waits", "busy_pct")]
    ['s', '1/s', 'ms', '', '%']
    """
    match = re.search(r"_(pct|s|ms|us|bytes|engines)(?:_per_\w+)?$|_per_s$", name)
    return {None: "1/s", "pct": "%"}.get(match[1], match[1]) if match else ""


@cache
def shared() -> dict[str, Meaning]:
    """What is said of the shared columns, by name."""
    return read_columns(filter(None, _SHARED.splitlines()))


def read_columns(lines: Iterable[str]) -> dict[str, Meaning]:
    """What lines say of columns, by name.

    >>> read_columns(["   cpu_s, io_s [s]: times", "     of the job"])["cpu_s"]
    Meaning(unit='s', doc='times of the job', title='')
    """
    columns: dict[str, Meaning] = {}
    last: list[str] = []
    for line in lines:
        if match := _LINE.fullmatch(line):
            units = _units(match["names"])
            titles = {m["name"]: m["title"] or "" for m in _NAME.finditer(match["names"])}
            columns |= {n: Meaning(unit, match["doc"], titles[n]) for n, unit in units.items()}
            last = list(units)
        else:
            for n in last:
                columns[n] = replace(columns[n], doc=f"{columns[n].doc} {line.strip()}")
    return columns


def _units(names: str) -> dict[str, str]:
    """Names of one line with their units.

    >>> _units("a_time_s, b_time_s [s], c_service, d_per_s [1/s]")
    {'a_time_s': 's', 'b_time_s': 's', 'c_service': '', 'd_per_s': '1/s'}
    """
    out: dict[str, str] = {}
    waiting: list[str] = []
    for match in _NAME.finditer(names):
        name, unit = match["name"], match["unit"]
        out[name] = unit or ""
        if unit:
            word = name.rpartition("_")[2]
            out |= {n: unit for n in waiting if n.rpartition("_")[2] == word}
            waiting = []
        else:
            waiting.append(name)
    return out


_SHARED = """\
   sysplex: sysplex, as in the heading
   refs: the printed rows behind the row; where these are many, the first
   is_conflicting: a row behind it was printed again with other values
   is_overlapping: overlaps another interval: do not add both
   is_total: the row is the total of the others
   is_own: the partition is the one whose system prints the page

   hour_start [local time]: start of the clock hour
   midpoint [local time]: an interval belongs to the window that holds it
   utc_offset_minutes [min]: offset of local time, if given at ingest
   unit_kind: what is repeated: interval or step
   window_kind: interval, hour or day
   window_start [local time]: start of the window
   window_end [local time]: end of the window, which is not in it
   covered_s [s]: time of the intervals that count
   intervals: number of intervals that count
   systems: the systems that count, sorted
   null_reason: why a value of the row is NULL

   class_kind: kind of class: policy, workload, service_class or report_class; of periods with _period at its end
   class_name: name of the class; NULL on totals
   importance: 1 is the highest
   goal_type: kind of goal: average, percentile, velocity, discretionary or system
   classes: number of classes with processor time
   has_cpu: the class prints processor time
   transactions_ended: transactions that ended
   transactions_per_s [1/s]: transactions that ended per second
   response_total_ms [ms]: sum of the response times

   cpu_pct "CPU" [% of one engine]: CP + IIP (+ AAP) of APPL %, zIIP time not normalised
   cp_pct "General-processor time" [% of one engine]: CP of APPL %: what is paid for, zIIP-eligible time on CP included
   ziip_pct "On zIIP" [% of one engine]: IIP: time on zIIPs
   ziip_on_cp_pct "zIIP-eligible on CP" [% of one engine]: IIPCP: zIIP-eligible time on general processors
   non_ziip_eligible_pct "Not zIIP-eligible" [% of one engine]: CP − IIPCP − AAPCP: must run on a general processor
   cpu_normalized_pct [% of one general processor]: CP + NF x (IIP + AAP)
   normalization_factor: NF: the factor of zIIP time
   normalization_source: policy_page, recovered, assumed_1 or contradictory
   msu_source: partition_data or workload_activity
   msu_basis: act_msu, cpc_capacity or partition_data; else why there are no software MSU (interval_msu_rate)
   busy_factor: multiplies measured processor time; it is in all milliseconds per request and per transaction
   busy_basis: whose busy engines: cp, or cp_and_ziip
   processor_type: CP, IIP (zIIP), AAP (zAAP), ICF or IFL

   requests: number of requests
   requests_per_s "Requests" [1/s]: requests per second
   response_ms "Response time" [ms]: mean response time
   cpu_ms_per_request "CPU per request" [ms]: processor time divided by requests, zIIP time not normalised
   cpu_normalized_ms_per_request "CPU per request, zIIP time normalised" [ms]: CP + NF × (IIP + AAP), by requests
   cp_ms_per_request "General-processor time per request" [ms]: CP divided by requests: what is paid for
   non_ziip_eligible_ms_per_request "Not zIIP-eligible" [ms]: CP − IIPCP − AAPCP, divided by requests
   ziip_on_cp_ms_per_request "zIIP-eligible on CP" [ms]: IIPCP, divided by requests
   ziip_ms_per_request "On zIIP" [ms]: IIP, divided by requests
   baseline: configuration that it is compared with
   uncoupled: the configuration without data sharing
   coupled: the configuration with data sharing

   device_number: device number, hexadecimal
   structure_name: structure; NULL on totals
   structure_type: LIST, LOCK, CACHE or UNKN
   gbp: the group buffer pool, such as GBP6
"""
