"""The page of a lake and comparisons, from forms: made by what `ironlake page` and `ironlake compare` use."""

from __future__ import annotations

import datetime as dt
import re
import threading
from dataclasses import replace
from html import unescape
from shlex import join

from ..errors import UsageError
from ..sql.open_lake import OpenLake
from ..temporary_folders import temporary_folder
from .browse import html
from .requests import Answer, Request

_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
# Each takes all cores, and hundreds of megabytes.
_MAKING = threading.Lock()


def forms(lake: OpenLake, request: Request) -> Answer:
    return html("serve_pages.html", title="Pages", here="pages", request=request)


def _whole(page: str) -> Answer:
    """A page that brings its own styles, scripts and policy."""
    found = _POLICY.search(page, 0, 8192)
    policy = unescape(found[1]) if found else "default-src 'none'"
    return Answer(page.encode("utf-8", "backslashreplace"), policy=f"{policy}; frame-ancestors 'none'")


def lake_page(lake: OpenLake, request: Request) -> Answer:
    from ...dashboards.lake_page.gather import Wanted
    from ...dashboards.lake_page.gather import lake_page as gather
    from ...dashboards.lake_page.page import document
    from ..study.windows import parse_day

    days = request.number("days", 30, 400) or 30
    day = parse_day(request.one("day"), dt.date.today()) if request.one("day") else None
    words = ["ironlake", "page", "--lake", lake.path.name, "--days", str(days), *(["--day", str(day)] if day else [])]
    with _MAKING:
        return _whole(document(gather(lake, Wanted(days, day, join(words)))))


def comparison(lake: OpenLake, request: Request) -> Answer:
    from ...dashboards.page_file import Output
    from ...dashboards.pages.study import compare_runs
    from ...dashboards.told_classes import ClassFilter
    from ..study.runs import ComparedSystems, windows_of, with_baseline
    from ..study.windows import parse_windows

    today = dt.date.today()
    after, before = request.one("after"), request.one("before")
    if not after:
        raise UsageError("no windows are given", "the days or hours to compare")
    is_found = before in ("", "auto")
    runs = with_baseline({after: parse_windows(after, today)}, "auto" if is_found else before, today)
    classes, workloads, systems = (
        [*filter(None, re.split(r"[,\s]+", request.one(n).upper()))] for n in ("class", "workload", "system")
    )
    sysplex = request.one("sysplex").upper() or None
    place, only = ComparedSystems(sysplex, tuple(systems)), ClassFilter(tuple(classes), tuple(workloads))
    words = ["ironlake", "compare", "--lake", lake.path.name, "--run", after, "--against", before or "auto"]
    words += [
        word for name, of in (("--class", classes), ("--workload", workloads)) for each in of for word in (name, each)
    ]
    words += ["--sysplex", sysplex] if sysplex else []
    words += ["--system", ",".join(systems)] if systems else []
    made: list[str] = []
    with _MAKING, temporary_folder() as folder:
        out = Output(folder / "page.html", command=join([*words, "--out", "page.html"]), lake=lake.path.name)
        compare_runs(
            lake,
            windows_of(lake, runs, place, finds_baseline=is_found),
            replace(out, written=made.append),
            place=place,
            only=only,
        )
    return _whole(made[0])
