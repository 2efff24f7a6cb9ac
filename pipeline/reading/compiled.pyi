from collections.abc import Mapping, Sequence

from typing_extensions import Buffer

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
    def matched(self, offsets: Buffer, bytes: Buffer) -> bytes: ...
    def follow(self, masks: Sequence[int]) -> list[tuple[int, int, bool]]: ...
    def read(
        self, offsets: Buffer, bytes: Buffer, page_begins: Buffer, source_begins: Buffer
    ) -> tuple[bytes, bytes, list[tuple[int, int, int, str]], list[int]]: ...
