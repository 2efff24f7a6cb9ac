from collections.abc import Mapping, Sequence

import numpy as np

class LineKinds:
    def __init__(
        self,
        patterns: Sequence[str],
        names: Sequence[str],
        rules: Sequence[tuple[str, Sequence[str]]],
        states: Sequence[Mapping[str, int]],
        start: int,
        end: int,
        sections: Sequence[tuple[int, int]],
        needed: Sequence[int],
        held: Sequence[int],
        reachable: Sequence[int],
        alike: tuple[int, int, int, int, int, int, int],
    ) -> None: ...
    def matched(self, offsets: np.ndarray, bytes: np.ndarray) -> bytes: ...
    def follow(self, masks: Sequence[int]) -> list[tuple[int, int, bool]]: ...
    def read(
        self, offsets: np.ndarray, bytes: np.ndarray, page_begins: np.ndarray, source_begins: np.ndarray
    ) -> tuple[bytes, bytes, list[tuple[int, int, int, str]], list[int]]: ...

class Jobs:
    def __init__(self, layouts: Sequence[Sequence[tuple]], runs: Sequence[tuple[int, Sequence[int]]]) -> None: ...
    def cast(
        self,
        reader: str,
        suffixes: str,
        blocks: Sequence[tuple],
        page: np.ndarray,
        kind: np.ndarray,
        is_xml: np.ndarray,
        kinds: int,
    ) -> tuple[list[tuple[int, bytes, bytes, bytes, bytes]], list[tuple[int, int, int]]]: ...

class Columns:
    def __init__(
        self,
        width: int,
        spans: Sequence[tuple[int, int, tuple[int, int], int, bool]],
        borders: Sequence[tuple[int, Sequence[int], bool]],
        beyond: Sequence[tuple[int, int, int]],
        before: Sequence[tuple[int, int, int]],
        late: Sequence[tuple[int, int, int]],
    ) -> None: ...
    def cut(
        self, lines: np.ndarray, ends: Sequence[int]
    ) -> tuple[bytearray, bytes, bytearray | None, list[tuple[str, int, int, list[int]]]]: ...

def read_cells(
    cells: np.ndarray, reader: str, suffixes: str, in_text: bool, unit: float
) -> tuple[bytes, bytes, bytes, bytes, bytes]: ...
def have_decimals(cells: np.ndarray, wanted: int, full: int) -> bytes: ...
def padded(offsets: np.ndarray, bytes: np.ndarray, width: int, right: bool) -> bytes: ...
def reasons(offsets: np.ndarray, bytes: np.ndarray) -> bytes: ...
def labels(
    lines: np.ndarray, width: int, groups: Sequence[tuple[int, int, Sequence[str]]], shift: int
) -> list[bytes]: ...
