"""The inputs of tests/corpus once, as soak.py and fuzz.py begin with them. Refused queries are tried in tests/sql/test_query.py."""

import pytest
from hostile_inputs import CORPUS, KINDS, entries, kind, left_working

# Of a query that DuckDB does not stop at once a thread goes on: only processes of their own try these.
ELSEWHERE = ("refused-", "long-")


# In `make test`, tests of their rooms try as many of each kind.
@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_the_inputs_of_a_kind(name):
    found = {entry: content for entry, content in entries(name).items() if not entry.startswith(ELSEWHERE)}
    one_input = kind(name).one_input
    assert [(entry, wrong) for entry, content in found.items() if (wrong := one_input(content))] == []
    assert len(found) >= 10
    assert not left_working()


def test_the_corpus_is_small_and_said_what_for():
    files = {path.relative_to(CORPUS).as_posix(): path for path in CORPUS.rglob("*") if path.is_file()}
    assert sum(path.stat().st_size for path in files.values()) < 100_000
    said = files.pop("README.md").read_text()
    assert [name for name in files if f"`{name}`" not in said] == []
