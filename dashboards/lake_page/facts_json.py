"""The facts of a page as JSON, for other tools."""

import datetime as dt
import json
from dataclasses import asdict

from .contract import LakePage


def facts_json(page: LakePage) -> str:
    """The facts as one JSON object, named as contract.py names them. Raises ValueError for a number that JSON does not have."""
    return json.dumps(asdict(page), default=_text, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _text(value: object) -> str:
    if isinstance(value, dt.date | dt.datetime):
        return value.isoformat()
    raise TypeError(f"no JSON for {type(value).__name__}")
