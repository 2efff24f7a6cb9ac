"""Options of the test run, and the browser that tests of pages share."""

import os

# As pipeline/ingest.py has it for every command; set here too, since a test may import polars before it.
os.environ.setdefault("POLARS_MAX_THREADS", "1")

import shutil

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ironlake")
    group.addoption(
        "--write-expected",
        action="store_true",
        help="write the .expected.jsonl and .rejects.jsonl that sample pages lack; print the difference to those there",
    )
    group.addoption("--force", action="store_true", help="with --write-expected: overwrite files that differ")


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
