"""Coverage-guided fuzzing: `python tests/support/fuzz.py [KIND] CORPUS -max_total_time=60 …`, with the options of libFuzzer.

Without a kind: page reading, grammars and values; the samples are the first inputs, and judged_inputs.judge says how they must be read.
With one (hostile_inputs.KINDS): its `one_input`, from its corpus in tests/corpus."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import atheris

KIND = sys.argv.pop(1) if (Path(__file__).parent / f"hostile_{sys.argv[1]}.py").exists() else ""
with atheris.instrument_imports(include=["ironlake"]):  # pyright: ignore[reportAttributeAccessIssue]
    import ironlake.pipeline.reading.engine
    from hostile_inputs import entries
    from ironlake.pipeline.declaration.report import reports
    from ironlake.pipeline.reading import line_kinds as grammar
    from ironlake.pipeline.reading import numbers as values
    from judged_inputs import judge
    from sample_pages import sample_files

    judge_of: Callable[[bytes], str] = import_module(f"hostile_{KIND}").one_input if KIND else judge

assert ironlake.pipeline.reading.engine
assert values


def one_input(data: bytes) -> None:
    if wrong := judge_of(data):
        raise AssertionError(wrong)


def main() -> None:
    corpus = Path(sys.argv[1])
    corpus.mkdir(parents=True, exist_ok=True)
    samples = {path.name: path.read_bytes() for path in sample_files()}
    for name, content in (entries(KIND) if KIND else samples).items():
        (corpus / name).write_bytes(content)
    for name in reports():
        grammar.load(name)
    atheris.Setup([*sys.argv, "-max_len=12000", "-timeout=120", "-rss_limit_mb=4096"], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
