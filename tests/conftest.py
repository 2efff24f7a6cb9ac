"""Options of the test run."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ironlake")
    group.addoption(
        "--write-expected",
        action="store_true",
        help="write the .expected.jsonl and .rejects.jsonl that sample pages lack; print the difference to those there",
    )
    group.addoption("--force", action="store_true", help="with --write-expected: overwrite files that differ")
