"""Where values were printed: numbered sources, references to their pages and lines, and problems of these."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..pipeline.sql.ask import Queryable, ask, literal


@dataclass(frozen=True)
class Source:
    """A source file and its number in references."""

    number: int
    file: str
    source_id: str

    @property
    def name(self) -> str:
        """The file without its folders."""
        return self.file.rpartition("/")[2]


# Study files that are compared without being added are not in the ledger.
_UNLISTED = """
SELECT source_id, string_agg(DISTINCT source_file, ', ' ORDER BY source_file) AS source_file FROM study_configuration GROUP BY source_id
UNION ALL
SELECT source_id, source_file FROM report_source
"""


class Sources:
    """Sources by source_id. A source gets its number when a reference first names it, so numbers follow the page."""

    def __init__(self, lake: Queryable):
        self._lake = lake
        self._files = distinct_tails(self._named("SELECT source_id, source_file FROM ingest_file"))
        self._used: dict[str, Source] = {}

    def __getitem__(self, source_id: str) -> Source:
        if source_id not in self._used:
            if source_id not in self._files:
                self._files |= {source_id: "(no name)"} | distinct_tails(self._named(_UNLISTED))
            self._used[source_id] = Source(len(self._used) + 1, self._files[source_id], source_id)
        return self._used[source_id]

    def _named(self, text: str) -> dict[str, str]:
        return {r["source_id"]: r["source_file"] for r in ask(self._lake, text) if r["source_file"]}

    def file(self, number: int) -> str:
        return self.used[number - 1].file

    @property
    def used(self) -> list[Source]:
        """The numbered sources, in order."""
        return list(self._used.values())


def distinct_tails(files: Mapping[str, str]) -> dict[str, str]:
    """Each path without the folders that are not needed to tell paths apart: users pass pages on, and folders name
    users.

    >>> distinct_tails({"1": "/data/a/x.txt", "2": "/data/b/x.txt", "3": "/data/y.txt"})
    {'1': 'a/x.txt', '2': 'b/x.txt', '3': 'y.txt'}
    """
    tails = {key: [file.split("/")[-1] for file in path.split(", ")] for key, path in files.items()}
    for depth in range(2, 20):
        owners = defaultdict(set)
        for key, names in tails.items():
            owners[", ".join(names)].add(files[key])
        unclear = {name for name, paths in owners.items() if len(paths) > 1}
        if not unclear:
            break
        for key, names in tails.items():
            if ", ".join(names) in unclear:
                tails[key] = ["/".join(file.strip("/").split("/")[-depth:]) for file in files[key].split(", ")]
    return {key: ", ".join(names) for key, names in tails.items()}


@dataclass
class Reference:
    """Where values were printed: the first places (source number, page, line), the total count, and the first and last page and line
    per source number. `file` is the file name of the first place, without folders."""

    places: list[tuple[int, int, int]] = field(default_factory=list)
    count: int = 0
    file: str = ""
    extents: dict[int, tuple[int, int, int, int]] = field(default_factory=dict)

    @property
    def short(self) -> str:
        if not self.places:
            return ""
        number, page, line = self.places[0]
        more = f" + {self.count - 1:,} more" if self.count > 1 else ""
        return f"[{number}] {self.file} page {page}, line {line}{more}"

    @classmethod
    def of(cls, refs: Iterable[Mapping[str, Any]] | None, sources: Sources, kept: int = 4) -> "Reference":
        """The reference for a view's column `refs`, with its first `kept` places in print order."""
        placed = sorted({(sources[r["source_id"]].number, r["page"], r["line"]) for r in refs or ()})
        return cls.joined(
            (cls([p], 1, sources.used[p[0] - 1].name, {p[0]: (p[1], p[1], p[2], p[2])}) for p in placed), kept
        )

    @classmethod
    def joined(cls, references: Iterable["Reference"], kept: int = 4) -> "Reference":
        """Several references as one."""
        out = cls()
        for reference in references:
            out.count += reference.count
            out.file = out.file or reference.file
            out.places += reference.places[: kept - len(out.places)]
            for number, extent in reference.extents.items():
                known = out.extents.get(number, extent)
                out.extents[number] = (
                    min(known[0], extent[0]), max(known[1], extent[1]), min(known[2], extent[2]), max(known[3], extent[3]),
                )  # fmt: skip
        return out


# --- Problems in the sources of a page ---------------------------------------------------------------------------------

_SUSPECT = """
SELECT severity, rule, "column", what, count(*) AS pages, arg_min(found, (source_id, page, line)) AS found,
    arg_min(expected, (source_id, page, line)) AS expected,
    list(struct_pack(source_id := source_id, page := page, line := line)) AS refs
FROM quality_result
WHERE source_id IN ({sources})
GROUP BY severity, rule, "column", what
ORDER BY severity, pages DESC, rule, "column"
"""
_UNREAD = """
SELECT report, what, count(*) AS times, arg_min(text, (source_id, page, line)) AS text,
    list(struct_pack(source_id := source_id, page := page, line := line)) AS refs
FROM parse_reject
WHERE source_id IN ({sources})
GROUP BY report, what
ORDER BY times DESC, report, what
"""


def quality_rows(lake: Queryable, sources: Sources) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Broken rules, errors first, and kinds of rejected lines, of the numbered sources."""
    used = ", ".join(literal(s.source_id) for s in sources.used) or "NULL"
    found = []
    for text in (_SUSPECT, _UNREAD):
        rows = ask(lake, text.format(sources=used))
        for row in rows:
            row["reference"] = Reference.of(row.pop("refs"), sources)
        found.append(rows)
    return found[0], found[1]
