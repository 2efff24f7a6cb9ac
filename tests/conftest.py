"""Options of the test run, and the browser that tests of pages share."""

import os

# As pipeline/ingest/__init__.py has it for every command; set here too, since a test may import polars before it.
os.environ.setdefault("POLARS_MAX_THREADS", "1")
# As pipeline/cli/main.py has it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import gc
import inspect
import re
import shutil
import signal
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

import pytest
from hypothesis import HealthCheck, settings

# Ignored where a script runs the tests in the background; what they start would ignore it too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# `fast`, for `make test`, tries the same examples on every run: a red test is red for a change, not by chance. `long`, for
# `make soak`, tries twenty times as many, other ones each time; `full`, for `make test-slow`, half as many again, the same
# ones each time. There is no deadline: a slow machine fails none.
_ALLOWED = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile(
    "fast", max_examples=100, derandomize=True, deadline=None, database=None, suppress_health_check=_ALLOWED
)
settings.register_profile("full", settings.get_profile("fast"), max_examples=150)
settings.register_profile("long", max_examples=2000, deadline=None, print_blob=True, suppress_health_check=_ALLOWED)
settings.load_profile("fast")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ironlake")
    group.addoption(
        "--shared",
        action="store_true",
        help="run only the tests that read published pages from ../shared; a test whose page is missing fails",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    # To collect the other files takes longer than to look into them.
    if config.getoption("--shared") and collection_path.suffix == ".py":
        return True if _PAGES_NAMED.search(collection_path.read_text("utf-8")) is None else None
    return None


def pytest_collection_finish() -> None:
    # What is imported stays: the collector need not look through it at every turn.
    gc.freeze()


def pytest_unconfigure() -> None:
    # DuckDB tells of everything of its own that is left at the end: nothing may hold it. Hypothesis has the collector call it,
    # so that it stays, with all that it knows, until after the last collection.
    gc.unfreeze()
    gc.callbacks[:] = [call for call in gc.callbacks if not call.__module__.startswith("hypothesis")]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--shared"):
        others = [item for item in items if not _reads_published_pages(item)]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item not in others]


# What tests call the folder of published pages, or these themselves; and a page or a list of pages as a value.
_PAGES_NAMED = re.compile(r"\b(SHARED|PUBLISHED|REAL_PAGES)\b")
_PAGES_HELD = re.compile("/shared/re(al|ference)")


def _reads_published_pages(item: pytest.Item) -> bool:
    """Whether the test, a fixture of it or a function of the tests that one of these calls names published pages, or has some as a value; but for
    cases of sample pages alone. All others are tried without published pages as well."""
    case, info = getattr(item, "callspec", None), getattr(item, "_fixtureinfo", None)
    if case and "/sample_reports/" in repr(case.params) and not _PAGES_HELD.search(repr(case.params)):
        return False
    test = getattr(item, "obj", None)
    waiting = [test, *(case.params.values() if case else ())]
    waiting += [one.func for some in info.name2fixturedefs.values() for one in some] if info else []
    seen: set[int] = set()
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        thing = inspect.unwrap((getattr(thing, "hypothesis", None) and thing.hypothesis.inner_test) or thing)
        if isinstance(thing, FunctionType):
            of_tests = Path(thing.__code__.co_filename).is_relative_to(Path(__file__).parent)
            names = _names(thing.__code__) if of_tests else set()
            if any(map(_PAGES_NAMED.fullmatch, names)):
                return True
            waiting += [thing.__globals__[name] for name in names if name in thing.__globals__]
        elif not isinstance(thing, type | ModuleType) and _PAGES_HELD.search(repr(thing)):
            return True
    return False


def _names(code: CodeType) -> set[str]:
    """All that it names, with the functions within it."""
    return {*code.co_names}.union(*(_names(part) for part in code.co_consts if isinstance(part, CodeType)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    report = yield
    # Skipped before it began: its page is not there. A test that looks at its page first may still leave it out.
    if report.skipped and report.when == "setup" and item.config.getoption("--shared"):
        report.outcome = "failed"
        report.longrepr = f"with --shared no test may be skipped for want of a page: {report.longrepr}"
    return report


@pytest.fixture(autouse=True)
def _collector_stays_on():
    """A test that leaves it off changes what others of its process see."""
    yield
    assert gc.isenabled()


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """The command line in this process."""
    from command_line import command_line

    return command_line(monkeypatch, capsys)


@pytest.fixture(scope="session")
def browser():
    executable = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if executable is None and os.environ.get("CI"):
        pytest.fail("no chromium on this machine: where CI is set, the page must be opened")
    if executable is None:
        pytest.skip("no chromium on this machine: the page is not opened")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()
