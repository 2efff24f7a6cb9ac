"""Coverage-guided fuzzing of page reading, grammars and values: `python tests/support/fuzz.py CORPUS -max_total_time=60 …`, as libFuzzer
takes its options. The samples are the first inputs; whatever comes must be read as judged_inputs.judge says."""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["ironlake"]):  # pyright: ignore[reportAttributeAccessIssue]
    import ironlake.pipeline.reading.engine
    from ironlake.pipeline.declaration.report import reports
    from ironlake.pipeline.reading import line_kinds as grammar
    from ironlake.pipeline.reading import numbers as values
    from judged_inputs import judge

from sample_pages import sample_files

assert ironlake.pipeline.reading.engine
assert values


def one_input(data: bytes) -> None:
    if wrong := judge(data):
        raise AssertionError(wrong)


def main() -> None:
    corpus = Path(sys.argv[1])
    corpus.mkdir(parents=True, exist_ok=True)
    for path in sample_files():
        (corpus / path.name).write_bytes(path.read_bytes())
    for name in reports():
        grammar.load(name)
    atheris.Setup([*sys.argv, "-max_len=12000", "-timeout=120", "-rss_limit_mb=4096"], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
