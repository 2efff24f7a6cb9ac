"""Shared by all SMF records of RMF: header and product section, and how formulas reach columns.

Names of fields, sections and forms of values: SMF2JSON's source for types 70 and 72; their meaning: IBM z/OS MVS SMF, record types 70-79.
No record that a site wrote is published. Interval start and length are local, as print has them. The system is the SMF id of
the header, which pages print as SYSTEM ID; the product section has its name, which Workload Activity prints.
"""

import dataclasses
import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Any

from ..pipeline.declaration.places import Smf
from ..pipeline.declaration.records import Kind, Record, kinds
from ..pipeline.declaration.report import Column

# Columns of the heading by the names that `header` gives.
HEADER: Mapping[str, str] = {
    **{
        name: name
        for name in ("sysplex", "system", "scope", "release", "report_version", "interval_start", "interval_end")
    },
    "report_kind": "'interval'",
    "interval_s": "interval_s",
    "utc_offset_minutes": "utc_offset_minutes",
    "source_form": "'smf'",
}
_TEXTS = kinds(text="sysplex system scope release report_version")
_NUMBERS = kinds(number="interval_s utc_offset_minutes")


def fields(prefix: str, **names: str) -> dict[str, Kind]:
    """The kinds of the fields of a record of RMF: those of its product section, and others by kind, without `prefix`."""
    product = kinds(
        prefix, number="ran ptn sam cyc", moment="ist gie", duration="int lgo", text="xnm snm mvs prd", flags="fla prf"
    )
    return {
        "sysId": "text",
        **_TEXTS,
        **_NUMBERS,
        **kinds(moment="interval_start interval_end"),
        **product,
        f"{prefix}mfv": "number",
        **kinds(prefix, **names),
    }


def header(record: Record, prefix: str) -> dict[str, Any]:
    """What all rows of a record have. interval_s: seconds; the end is the start and the length."""
    one = {name: record.one[f"{prefix}{name}"] for name in ("ist", "int", "lgo", "xnm", "snm", "mvs", "mfv")}
    start, length, level = one["ist"], one["int"], one["mvs"] or ""
    is_level = level.startswith("ZV") and level[2:].isdigit() and len(level) == 8
    system = record.one["sysId"] or one["snm"]
    return {
        "sysplex": one["xnm"],
        "system": system,
        "scope": system,
        "release": f"z/OS V{int(level[2:4])}R{int(level[4:6])}" if is_level else None,
        "report_version": None if one["mfv"] is None else f"{one['mfv']:.0f}",
        "interval_start": start,
        "interval_s": length,
        "interval_end": None if start is None or length is None else start + dt.timedelta(seconds=length),
        "utc_offset_minutes": None if one["lgo"] is None else one["lgo"] / 60,
    }


def in_records(formulas: Mapping[str, str], columns: Iterable[Column]) -> tuple[Column, ...]:
    """The columns, with their formulas for SMF records. Raises KeyError for a formula of another column."""
    columns = tuple(columns)
    if unknown := formulas.keys() - {c.name for c in columns} - HEADER.keys():
        raise KeyError(*sorted(unknown))
    return tuple(
        dataclasses.replace(c, at=(*c.places, Smf(formulas[c.name]))) if c.name in formulas else c for c in columns
    )
