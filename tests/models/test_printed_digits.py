"""Rules and the digits that pages do not print: true numbers, cut or rounded, and printed with K where their field is too narrow,
break no rule; a digit that is misread still does.

The pages are filled in here, from numbers that are exact; samples lend them their headings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from broken_pages import Finding, findings
from hypothesis import HealthCheck, assume, example, given
from hypothesis import strategies as st
from ironlake.models.fill_db2 import cics_statistics, coupling_facilities, db2_statistics
from ironlake.models.fill_processors import cpu_activity
from ironlake.models.fill_workload import workload_activity
from ironlake.models.fill_xcf import xcf_activity
from ironlake.models.printers.cics import print_cics
from ironlake.models.printers.coupling_facility import print_coupling_facility
from ironlake.models.printers.db2 import print_db2_statistics
from ironlake.models.printers.machine import print_cpu
from ironlake.models.printers.system_reports import print_system
from ironlake.models.printers.workload import print_workload
from ironlake.pipeline.declaration.rules import Filled, OneOf, Range, Rule
from ironlake.pipeline.printing import numbers
from ironlake.pipeline.quality.row_checks import is_count, rules
from ironlake.pipeline.reading.engine import read_text
from ironlake.pipeline.sql.known_tables import tables
from printed import read
from property_settings import examples
from random_models import solved
from sample_pages import SHARED, sample

MANY = examples(2)


def rounded(number: float) -> int:
    return int(number + 0.5)


def cut(number: float) -> int:
    return int(number + 1e-9)


PRINTED = st.sampled_from([rounded, cut])


def shown(number: float, decimals: int, printed: Callable[[float], int]) -> str:
    """A number with decimals."""
    whole = str(printed(number * 10**decimals)).rjust(decimals + 1, "0")
    return f"{whole[:-decimals]}.{whole[-decimals:]}" if decimals else whole


def suffixed(count: int, width: int, printed: Callable[[float], int]) -> str:
    """A count in a field of `width`: in thousands, millions, … where it is too long."""
    text = str(count)
    for power, suffix in enumerate("KMGT", 1):
        if len(text) <= width:
            break
        text = f"{printed(count / 1000**power)}{suffix}"
    return text


def misread(text: str, at: int, digit: int) -> str:
    """A text with another digit in place of its digit number `at`."""
    places = [k for k, c in enumerate(text) if c.isdigit()]
    place = places[at % len(places)]
    return text[:place] + str((int(text[place]) + 1 + digit % 9) % 10) + text[place + 1 :]


def of_rule(found: list[Finding], name: str) -> list[Finding]:
    return [f for f in found if f["rule"].split(".")[1] == name]


PARTITION, DISPATCH = "partition_three_types", "total_dispatch_is_the_sum_of_its_rows"


def test_a_total_of_times_that_are_cut_is_above_its_rows_by_at_most_a_digit_of_each() -> None:
    page = sample(PARTITION).read_text()
    of_type = read(page.encode())["rmf_partition_data"].filter(processor_type="CP", is_total=False)
    rows = of_type["total_dispatch"].drop_nulls()
    for more, told in ((-1, ["error"]), (0, []), (len(rows), []), (len(rows) + 1, ["error"])):
        seconds, ms = divmod(round(1000 * rows.sum()) + more, 1000)
        total = f"{seconds // 3600:02}.{seconds // 60 % 60:02}.{seconds % 60:02}.{ms:03}"
        found = of_rule(findings(PARTITION, page.replace("01.09.41.538", total)), DISPATCH)
        assert [f["severity"] for f in found] == told, more


XML = SHARED / "real_xml"


@pytest.mark.slow
@pytest.mark.skipif(not XML.is_dir(), reason=f"no ../{XML.parent.name}/{XML.name} beside the project")
def test_published_totals_are_cut_and_break_no_rule():
    """35 intervals of three types: no total is below its rows."""
    above: Counter[int] = Counter()
    for path in sorted(XML.glob("cpu_*.xml")):
        assert of_rule(findings(path.name, path.read_bytes()), DISPATCH) == []
        rows = read_text(path.read_bytes())["rmf_partition_data"].drop_nulls("total_dispatch")
        for _, of_type in rows.group_by("interval_start", "processor_type"):
            total, parts = (of_type.filter(is_total=is_total)["total_dispatch"].sum() for is_total in (True, False))
            above[round(1000 * (float(total) - float(parts)))] += 1
    assert (above.total(), {*above}) == (35 * 3, {0, 1, 2, 3})


DISTRIBUTION = "g3_distribution_in_thousands"
INTERVAL_S = 899.998
COUNTS = st.lists(st.one_of(st.integers(0, 5), st.integers(0, 3_000_000)), min_size=14, max_size=14).filter(any)


def percent(count: int, whole: int, printed: Callable[[float], int]) -> str:
    """One decimal; 100 has none."""
    text = shown(count * 100 / whole, 1, printed)
    return "100" if text == "100.0" else text


def distribution_page(
    counts: list[int], width: int, printed: Callable[[float], int], last: Callable[[str], str] = str
) -> str:
    """The sample with other counts, in fields of `width`; `last` may misread the last running total."""
    head = sample(DISTRIBUTION).read_text().split("\n")
    first = next(k for k, line in enumerate(head) if line.startswith("<="))
    whole, running, lines = sum(counts), 0, []
    for line, count in zip(head[first:], counts, strict=False):
        running += count
        total = suffixed(running, width, printed)
        lines.append(
            f"{line[:18]}  {last(total) if line.startswith('>') else total:>9}  {suffixed(count, width, printed):>9}"
            f"  {percent(running, whole, printed):>9}  {percent(count, whole, printed):>9}"
        )
    page = "\n".join([*head[:first], *lines, ""])
    for cell, other in (
        ("ENDED    666248", f"ENDED {suffixed(whole, 8, printed):>9}"),
        ("END/S    740.28", f"END/S {shown(whole / INTERVAL_S, 2, printed):>9}"),
    ):
        assert cell in page
        page = page.replace(cell, other)
    return page


@given(counts=COUNTS, width=st.integers(4, 8), printed=PRINTED, at=st.integers(0, 2), digit=st.integers(0, 8))
@example(
    counts=[418_377, 96_214, 75_031, 44_806, 18_550, 7204, 2911, 1003, 640, 388, 121, 907, 84, 12],
    width=5,
    printed=cut,
    at=0,
    digit=0,
)
@MANY
def test_counts_of_a_distribution_add_up_to_their_digits_and_a_misread_one_is_an_error(
    counts: list[int], width: int, printed: Callable[[float], int], at: int, digit: int
):
    """Counts in full are exact; of those in thousands three cells leave open what their last digits are worth."""
    assert read(distribution_page(counts, width, printed).encode())["rmf_response_time_distribution"].height == 14
    page = distribution_page(counts, width, printed, lambda total: misread(total, at, digit))
    above, last = (line.split() for line in page.split("\n")[-3:-1])
    cells = [number_of(word) for word in (last[2], above[2], last[3])]
    (wrong, _), (running, _), (count, _) = cells
    found = of_rule(findings(DISTRIBUTION, page), "buckets_add_up")
    open_ = sum(unit for _, unit in cells if unit > 1)
    assert [f["severity"] for f in found] == (["error"] if abs(wrong - running - count) > open_ else [])


def number_of(text: str) -> tuple[int, int]:
    """A count, and what its last digit is worth."""
    unit = 1000 ** " KMGT".index(text[-1]) if text[-1].isalpha() else 1
    return int(text.rstrip("KMGT")) * unit, unit


XCF, CPU, IMPORTANCE = "xcf_usage_side_by_side", "cpu_changed_within_duration", "importance_summary"
SUBCHANNELS, LINKS = "cf_processors_and_subchannels", "cf_structure_continued_page_and_links"


@pytest.mark.parametrize(
    ("name", "printed", "shortened", "wrong", "rule", "severity"),
    [
        # Outbound requests are 1150910, 8317, 27044, 512 and 99: 1186882 in all.
        (XCF, "956    1150910", "956      1151K", "956      1511K", "total_is_the_sum_of_its_rows", "error"),
        # Transactions are 7520 and 480.
        (
            IMPORTANCE, "    8000     100", "      8K     100", "      6K     100", "total_is_the_sum_of_its_rows",
            "error",
        ),
        # Interrupts are 2817 and 12.41 a second.
        (CPU, " 2829     5.13", "   3K     5.13", "   8K     5.13", "total_is_the_sum_of_its_processors", "warn"),
        # Requests are 9104K in 1800 s.
        (SUBCHANNELS, "5057.8", "    5K", "    8K", "requests_per_s_of_the_interval", "warn"),
        # Requests are 21044K in 1800 s: 11691 a second.
        (LINKS, "21044K  11691", "21044K    12K", "21044K    21K", "sync_requests_per_s_of_the_interval", "warn"),
        # Shares and totals of the sample are of counts in full.
        (DISTRIBUTION, "515K      96214", "514K      96214", "551K      96214", "buckets_add_up", "error"),
        (DISTRIBUTION, "515K      96214", "515K        96K", "515K        69K", "bucket_share", "error"),
        (DISTRIBUTION, "ENDED    666248", "ENDED      666K", "ENDED      656K", "buckets_add_up_to_ended", "warn"),
        (DISTRIBUTION, "CPU       24506K", "CPU     24506318", "CPU     24560318", "service_adds_up", "error"),
    ],
    ids=lambda value: value if isinstance(value, str) and "_" in value else "",
)  # fmt: skip
def test_a_count_in_thousands_is_held_to_its_thousands(
    name: str, printed: str, shortened: str, wrong: str, rule: str, severity: str
):
    page = sample(name).read_text()
    assert printed in page
    read(page.replace(printed, shortened, 1).encode())
    found = of_rule(findings(name, page.replace(printed, wrong, 1)), rule)
    assert {f["severity"] for f in found} == {severity}


# A goal below 10 ms: buckets with equal bounds.
@pytest.mark.slow
@example(seed=52)
@given(seed=st.integers(0, 10_000))
@examples(1, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_pages_whose_digits_are_cut_break_no_rule(seed: int, monkeypatch: pytest.MonkeyPatch):
    """Printers round, as other tests see; here they cut. `read` refuses a page that breaks a rule."""
    part = solved(seed)
    assume(part is not None)
    assert part
    with monkeypatch.context() as cutting:
        whole = numbers.rounded
        cutting.setattr(numbers, "rounded", lambda values: whole(values - 0.5 + 1e-6))
        assert numbers.show(numbers.fixed(np.array([2.39]), 3, 1)) == ["2.3"]
        pages = [
            print_workload(workload_activity(part)),
            *map(print_cics, cics_statistics(part)),
            *map(print_coupling_facility, coupling_facilities(part)),
            *map(print_db2_statistics, db2_statistics(part)),
        ]
        for system in part.configuration.systems:
            pages += [print_cpu(cpu_activity(part, system)), print_system(xcf_activity(part, system))]
    for page in pages:
        read(page)


# Numbers that no report prints with a suffix: times, shares, and logs that print counts in full.
NO_SUFFIX = {"s", "%", "% of one engine"}
# The analysis parts of CPU Activity, Partition Data and Group Capacity count address spaces, work units and MSU, which fit.
IN_FULL = {
    "workload_simulator_run", "rmf_address_space_count", "rmf_work_unit", "rmf_group_capacity", "rmf_partition_data",
}  # fmt: skip


def added_up(rule: Rule) -> set[str]:
    """The columns of which a rule works with numbers: not those that say which rows are meant, or belong together."""
    known: set[str] = set(getattr(rule, "over", ()))
    for name in ("where", "total", "rows"):
        where = getattr(rule, name, None)
        known |= {where[0]} if isinstance(where, tuple) else set()
    known |= {getattr(rule, "last", ""), getattr(rule, "alike", "")}
    return set(rule.needs) - known


def test_every_column_that_a_rule_adds_up_says_what_its_last_digit_is_worth():
    """Counts, rates and sizes are printed with K, M or G where they are too long: cell by cell."""
    seen = 0
    for table in tables().values():
        judged = [r for r in rules(table) if not isinstance(r, Range | OneOf | Filled)]
        for column in {table.column(name) for rule in judged for name in added_up(rule)}:
            if column.type.reader in ("count", "number", "storage", "amount") and column.type.unit not in NO_SUFFIX:
                seen += 1
                assert column.resolution or table.name in IN_FULL, f"{table.name}.{column.name}"
    assert seen > 50


def test_counts_in_full_are_exact():
    """A rule with a digit of its own says why."""
    counted = {
        f"{t.name}.{r.name}"
        for t in tables().values()
        for r in rules(t)
        if r.digit and all(is_count(t, name) for name in added_up(r))
    }
    assert counted == {"rmf_workload_activity.service_adds_up"}
