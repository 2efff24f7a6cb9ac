"""A model file is read as docs/model.md says; mistakes are reported with line, key, reason and remedy."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import is_dataclass
from pathlib import Path

import pytest
from ironlake.models import model, model_file
from ironlake.models.model import Model
from ironlake.models.model_file import parse_model, read_model
from ironlake.models.part_reader import keys_of
from ironlake.models.running import Step
from ironlake.pipeline.errors import UsageError
from page_variants import every

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "model.md").read_text()
EXAMPLE = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[0]
SHIPPED = sorted((ROOT / "sample_reports" / "models").glob("*.yaml"))

SHARING = """coupling_facilities:
  CF01: {processors: 1, link_us: 10}
data_sharing:
  group: DSNDB0G
  lock: {facility: CF01, service_us: 20}
  group_buffer_pools:
    BP1: {facility: CF01, service_us: 20, hit_pct: 50}
"""


ONE_ENTRY = "counted_by: CICSORD,"


def changed(old: str, new: str, text: str = EXAMPLE) -> str:
    """The example with one change."""
    assert text.count(old) == 1, old
    return text.replace(old, new)


def line_of(text: str, words: str) -> int:
    return next(n for n, line in enumerate(text.splitlines(), 1) if words in line)


def solve_all(model: Model) -> None:
    for configuration in model.configurations.values():
        for number in range(configuration.steps):
            Step(model, configuration, number).outcome()


def test_the_documented_example_is_a_model() -> None:
    model = parse_model(EXAMPLE, "orders.yaml")
    assert model.start == dt.datetime(2026, 2, 10, 10)
    assert model.systems["SYSA"].ziip == 2
    assert model.systems["SYSA"].overflow == 0.4
    assert model.work["call"]["DDF"].eligible_ms == pytest.approx(0.012)
    assert model.work["call"]["DDF"].only_cp_ms == pytest.approx(0.008)
    assert model.configurations["light"].loads[0].clients == (50, 100, 150)
    assert model.configurations["arrivals"].systems == ("SYSA",)
    solve_all(model)


def test_the_six_shipped_models_are_documented_and_solved() -> None:
    assert len(SHIPPED) == 6
    for path in SHIPPED:
        assert f"| `{path.stem}` |" in PAGE
        solve_all(read_model(path))


def test_every_key_is_documented() -> None:
    declared = [one for one in vars(model).values() if is_dataclass(one) and hasattr(one, "SHAPE")]
    keys = {*model_file._GOALS, *(key for one in declared for key in keys_of(one))}
    assert [key for key in sorted(keys) if f"`{key}`" not in PAGE and f"{key}:" not in EXAMPLE] == []


@pytest.mark.parametrize(
    ("old", "new", "where", "told"),
    [
        ("counted_by: CICSORD", "counted_by: CICSORT", "counted_by", "no class is called 'CICSORT'; expected one of CICSORD, DDF"),
        ("    DDF: {ddf_ms", "    DDB: {ddf_ms", "DDB", "demand without a station: no class is called 'DDB'"),
        ("getpages: {BP1: 4}", "getpages: {BP2: 4}", "BP2", "no buffer pool is called 'BP2'; expected one of BP1"),
        ("round_trips: {OSA: 1}", "round_trips: {LAN: 1}", "LAN", "no link is called 'LAN'; expected one of OSA"),
        ("{order: 1, call: 20}", "{order: 1, calls: 20}", "calls", "no unit of work is called 'calls'; expected one of order, call"),
        ("{cp_ms: 0.2,", "{cp_ms: 0.2, db2_ms: 0.3,", "db2_ms", "is more than cp_ms, which it is part of; expected cp_ms or less"),
        ("ziip_ms: 0.4}", "zip_ms: 0.4}", "zip_ms", "no such key; expected ziip_ms"),
        ("cp: 3,", "cp: 0,", "SYSA", "'0'; expected a whole number from 1 to 190"),
        ("overflow_pct: 40", "overflow_pct: 140", "overflow_pct", "'140'; expected a number of 0 or more"),
        ("velocity_pct: 50}", "velocity_pct: 50, response_ms: 5}", "ONLINE", "2 goals (velocity_pct, response_ms); expected one of"),
        (", think_s: 0.2", "", "light", "think_s is missing; expected how long a client thinks"),
        ("{rate_per_s: 400}", "{rate_per_s: 400, think_s: 1}", "arrivals", "goes with clients"),
        ("{rate_per_s: 400}", "{rate_per_s: 400, clients: 5}", "arrivals", "clients and rate_per_s are given"),
        ("{rate_per_s: 400}", "{clients: 5000, think_s: 0}", "arrivals", "zero with 5000 clients, who then have no bound; expected above 0"),
        ("{Orders: {rate_per_s: 400}}", "{Order: {rate_per_s: 400}}", "arrivals", "no workload is called 'Order'; expected one of Orders"),
        ("baseline: light", "baseline: dark", "baseline", "no configuration of the study is called 'dark'; expected one of light, arrivals"),
        ("requests: CICSORD", "requests: CICS", "requests: CICS}", "no class is called 'CICS'; expected one of CICSORD, DDF"),
        ("subsystem: DDF}", "subsystem: DDF, system: SYSB}", "SYSB", "no system is called 'SYSB'; expected one of SYSA"),
        ("arrivals: {load", "arrivals: {data_sharing: yes, load", "arrivals", "there is no data sharing group; expected the key data_sharing"),
        ("start: 2026-02-10T10:00 ", "start: 2026-02-10 ", "start", "'2026-02-10' is not a time"),
        ("  arrivals: {load", "  Light: {load", "Light", "its files would be those of light; expected names that differ"),
        ("arrivals: {load", "arrivals: {systems: [SYSA, SYSA], load", "arrivals", "a system is named twice; expected every system once"),
        ("release: V2R3 ", "release: V9R9 ", "release", "'V9R9'; expected V1R13"),
    ],
)  # fmt: skip
def test_mistakes_are_reported_with_line_and_key(old: str, new: str, where: str, told: str) -> None:
    text = changed(old, new)
    with pytest.raises(UsageError) as refused:
        parse_model(text, "orders.yaml")
    first = str(refused.value).splitlines()[0]
    assert first.startswith(f"orders.yaml:{line_of(text, where)}: ")
    assert told in first


def test_all_mistakes_are_reported_at_once() -> None:
    text = changed("cp: 3", "cp: three", changed("hit_pct: 99", "hit_pct: 199"))
    with pytest.raises(UsageError) as refused:
        parse_model(text, "orders.yaml")
    assert len(str(refused.value).splitlines()) == 2


@pytest.mark.parametrize("key", ["systems", "classes", "work", "workloads", "configurations", "start"])
def test_a_missing_part_is_an_error(key: str) -> None:
    text = re.sub(rf"^{key}:.*\n(?:[ ].*\n)*", "", EXAMPLE, flags=re.MULTILINE)
    with pytest.raises(UsageError, match=f"orders.yaml:1: {key} is missing; expected "):
        parse_model(text, "orders.yaml")


@pytest.mark.parametrize(
    ("loads", "told"),
    [
        ("  a: {load: {Orders: {clients: [1, 2], think_s: 1}}}\n", "a: JMH would print several results with the parameters of a"),
        ("  a: {load: {Orders: {rate_per_s: 1}, More: {rate_per_s: 1}}}\n", "a: JMH would print several results with the parameters of a"),
        (
            "  a: {load: {Orders: {rate_per_s: 1}}, parameters: {size: 1, kind: t}}\n"
            "  b: {load: {Orders: {rate_per_s: 1}}, parameters: {kind: t, size: 1}}\n",
            "b: JMH would print several results with the parameters of a",
        ),
        ("  a: {load: {Orders: {rate_per_s: 1}}}\n  b: {load: {Orders: {rate_per_s: 1}}, parameters: {size: 1}}\n", ""),
    ],
)  # fmt: skip
def test_results_of_jmh_have_parameters_of_their_own(loads: str, told: str) -> None:
    more = changed("configurations:\n", "  More: {counted_by: DDF, request: {call: 1}}\nconfigurations:\n")
    text = changed("reports: [", "reports: [jmh, ", more.split("  light:")[0] + loads)
    if told:
        expected = "expected one step of one workload on one system, with parameters of its own"
        with pytest.raises(UsageError, match=f"configurations.{told}; {expected}"):
            parse_model(text, "orders.yaml")
    else:
        assert len(parse_model(text, "orders.yaml").configurations) == 2


def test_work_on_a_system_outside_the_configuration_is_an_error() -> None:
    text = changed("subsystem: DDF}", "subsystem: DDF, system: SYSB}", changed("links:", "  SYSB: {cp: 1}\nlinks:"))
    text = changed("arrivals: {load", "arrivals: {systems: SYSA, load", text)
    with pytest.raises(UsageError) as refused:
        parse_model(text, "orders.yaml")
    told = "configurations.arrivals: Orders works in class DDF on SYSB, which is none of its systems; expected SYSB among them"
    assert str(refused.value) == f"orders.yaml:{line_of(text, 'arrivals')}: {told}"


# What is replaced in the example, by what, and what is then told: as it is read, or as it is solved.
TOGETHER = [
    (
        [
            ("{Orders: {rate_per_s: 400}}", "{Orders: {clients: [1, 2], think_s: 1}, More: {rate_per_s: [1, 2, 3]}}"),
            ("configurations:\n", "  More: {counted_by: CICSORD, request: {order: 1}}\nconfigurations:\n"),
        ],
        "loads of 2 and 3 steps; expected as many steps everywhere, or one number",
    ),
    (
        [(ONE_ENTRY, f"{ONE_ENTRY} threads: {{entry: ORDENT, work: order, threadlimit: 10, protectnum: 20}},")],
        "protectnum: 20 threads are kept of 10; expected 10 or less, or a threadlimit of more",
    ),
    (
        [("links:", "  SYSB: {cp: 1, speed: 0.5, ziip_speed: 1}\nlinks:")],
        r"configurations.light: its systems have 2 normalisation factors; expected ziip_speed / speed",
    ),
    # 20,000 orders a second take four engines for what is not eligible, and there are three.
    (
        [("rate_per_s: 400", "rate_per_s: 20000")],
        r"orders\.yaml:\d+: configurations\.arrivals: step 1: .*: utilisation \d+\.\d\d of an open load; expected below 1: .*more processors, a lower rate_per_s",
    ),
    # 20 calls of 2 KB 4,000 times a second are 160 MB.
    (
        [("cp: 3, ziip: 2", "cp: 30, ziip: 9"), ("rate_per_s: 400", "rate_per_s: 4000")],
        r"link OSA: utilisation 1\.28 of an open load",
    ),
    (
        [
            ("CICSORD: {cp_ms: 0.2, ziip_ms: 0.4}", "CICSORD: {cp_ms: 0}"),
            ("{order: 1, call: 20}", "{order: 1}"),
            ("{rate_per_s: 400}", "{clients: 5, think_s: 0}"),
        ],
        r"clients of Orders on SYSA do not think, and a request takes nothing; expected",
    ),
    (
        [(ONE_ENTRY, f"{ONE_ENTRY} threads: {{entry: ORDENT, work: order, threadlimit: 1}},")],
        r"threads of ORDENT would be in use, and there are 1; expected a higher threadlimit",
    ),
    (
        [
            ("    CICSORD: {cp_ms: 0.2", "    CICSORD: {locks: 200, cp_ms: 0.2"),
            ("buffer_pools:", SHARING + "buffer_pools:"),
            ("arrivals: {load", "arrivals: {data_sharing: yes, load"),
        ],
        r"coupling facility CF01 would need 1\.60 processors and has 1; expected more processors",
    ),
]


@pytest.mark.parametrize(("changes", "told"), TOGETHER, ids=range(len(TOGETHER)))
def test_what_contradicts_itself_or_is_too_slow_is_refused(changes: list[tuple[str, str]], told: str) -> None:
    text = EXAMPLE
    for old, new in changes:
        text = changed(old, new, text)
    with pytest.raises(UsageError, match=told):
        solve_all(parse_model(text, "orders.yaml"))


@every(4)
def test_a_damaged_model_is_refused_with_its_line_or_solved(nth: int) -> None:
    """Every line left out, the file cut there, and every value replaced by what it cannot be."""
    lines, texts = EXAMPLE.splitlines(keepends=True), []
    for number, line in enumerate(lines):
        before, after = "".join(lines[:number]), "".join(lines[number + 1 :])
        texts += [before + after, before]
        for value in re.finditer(r"(?<=: )[\w./]+(?=[,}\s])", line):
            for wrong in ("x", "-1", "0", "[]", "{a: 1}", "", "99999999", "é"):
                texts.append(before + line[: value.start()] + wrong + line[value.end() :] + after)
    refused = 0
    for text in texts[::nth]:
        try:
            solve_all(parse_model(text, "orders.yaml"))
        except UsageError as error:
            refused += 1
            if not re.match(r"orders\.yaml:\d+: .*; expected ", str(error)):
                raise
    assert len(texts) > 300
    assert refused > len(texts) / nth * 0.7


def test_threads_that_are_kept_let_more_through() -> None:
    """1,000 orders a second with 20 calls use 3 x 0.33 servers of eligible work; making a thread for each would take 4 servers more."""
    make = "  thread:\n    CICSORD: {cp_ms: 4}\n"
    text = changed("workloads:\n", make + "workloads:\n", changed("rate_per_s: 400", "rate_per_s: 1000"))
    kept = "threads: {entry: ORDENT, work: thread, threadlimit: 100, protectnum: 100}"
    text = changed("counted_by: CICSORD,", f"counted_by: CICSORD, {kept},", text)
    solve_all(parse_model(text, "orders.yaml"))
    none_kept = parse_model(changed("protectnum: 100", "protectnum: 0", text), "orders.yaml")
    with pytest.raises(UsageError, match=r"configurations\.arrivals: step 1: SYSA CP: utilisation"):
        solve_all(none_kept)
