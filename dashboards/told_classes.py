"""Some classes of a comparison of runs: only these are shown; their shares stay shares of the whole."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..pipeline.errors import IronlakeError
from ..pipeline.sql.ask import Queryable
from .columns import CLASS_KINDS
from .first_screen.evidence import read_intervals
from .study_rows import Row, StudyMeasures

_MOST_LISTED = 20
_SUMMED = ("cp_pct", "cpu_pct", "cpu_normalized_pct", "ziip_pct", "ziip_on_cp_pct", "non_ziip_eligible_pct", "other_pct", "non_ziip_pct", "cpu_share_pct")  # fmt: skip


@dataclass(frozen=True)
class ClassFilter:
    """Classes by name (service or report classes), and all classes of workloads."""

    classes: tuple[str, ...] = ()
    workloads: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.classes or self.workloads)

    def has(self, row: Row) -> bool:
        return row["class_name"] in self.classes or row["workload"] in self.workloads

    @property
    def words(self) -> tuple[str, ...]:
        return (*self.classes, *(f"workload {name}" for name in self.workloads))


ALL = ClassFilter()


def narrowed(lake: Queryable, studies: Sequence[StudyMeasures], asked: ClassFilter) -> list[StudyMeasures]:
    """The studies with a class asked for, with only these classes. Raises IronlakeError for a name that none of them
    prints, and for classes that are not of one kind."""
    _require_known(studies, asked)
    kept = [study for study in studies if any(asked.has(r) for kind in CLASS_KINDS for r in study.classes_of(kind))]
    for study in kept:
        _narrow(study, asked)
    kinds = {s.name: s.class_kind for s in kept if s.class_kind is not None}
    names = {r["class_name"] for s in kept for r in s.classes if not r["is_total"]}
    intervals = read_intervals(lake, kinds, sorted(names))
    for study in kept:
        study.intervals = intervals.get(study.name, {})
    return kept


def _require_known(studies: Sequence[StudyMeasures], asked: ClassFilter) -> None:
    rows = [r for study in studies for kind in CLASS_KINDS for r in study.classes_of(kind)]
    for what, column, names in (("class", "class_name", asked.classes), ("workload", "workload", asked.workloads)):
        there = sorted({r[column] for r in rows if r[column]})
        unknown = [name for name in names if name not in there]
        if unknown:
            more = f" and {len(there) - _MOST_LISTED:,} more" if len(there) > _MOST_LISTED else ""
            expected = f"{'one of: ' if there else ''}{', '.join(there[:_MOST_LISTED]) or f'a {what} that the runs print'}{more}"
            raise IronlakeError(f"the runs print no {what} {', '.join(unknown)}", expected)


def _kinds_of_all(study: StudyMeasures, asked: ClassFilter) -> set[str]:
    """The kinds of class that have everything asked for in a study. Raises IronlakeError if none has: work of a service
    class may also be work of a report class, so the two cannot be added."""
    named: dict[str, set[str]] = {}
    for kind in CLASS_KINDS:
        for row in study.classes_of(kind):
            found = {row["class_name"]} & {*asked.classes} | {f"workload {row['workload']}"} & {
                f"workload {w}" for w in asked.workloads
            }
            for name in found:
                named.setdefault(name, set()).add(kind)
    kinds = set.intersection(*named.values())
    if not kinds:
        told = [
            f"{name} ({' and '.join(CLASS_KINDS[k] for k in CLASS_KINDS if k in of)})"
            for name, of in sorted(named.items())
        ]
        what = f"{', '.join(told)} cannot be added: the same work may be in classes of both kinds"
        raise IronlakeError(what, "service classes or report classes alone")
    return kinds


def _narrow(study: StudyMeasures, asked: ClassFilter) -> None:
    kinds = _kinds_of_all(study, asked)
    rows = [r for r in study.classes if not r["is_total"] and r["class_kind"] in kinds and asked.has(r)]
    if study.class_kind not in kinds:
        study.class_kind = next(kind for kind in CLASS_KINDS if kind in kinds)
    totals = {(kind, name): row for kind in kinds for name, row in study.totals(kind).items()}
    told = {r["class_name"] for r in rows}
    study.only = asked.words
    study.classes = [
        *rows,
        *(
            _total(whole, [r for r in rows if (r["class_kind"], r["configuration"]) == key])
            for key, whole in totals.items()
        ),
    ]
    study.notes = [n for n in study.notes if n["class_name"] is None or n["class_name"] in told]
    study.goals = [g for g in study.goals if g["service_class"] in told]
    study.findings = [f for f in study.findings if told & set((f["subject"] or "").replace(",", " ").split())]
    study.pictured = {name: [r for r in found if r.get("class") in told] for name, found in study.pictured.items()}


def _total(whole: Row, rows: Sequence[Row]) -> Row:
    """The sum of these classes in place of the sum of all; `cp_share_pct` is their share of all general-processor
    time."""
    # A class of transactions has no processor time of its own; its time is in other classes.
    mine = [r for r in rows if r["classes"]]
    sums = {n: sum(r[n] for r in mine) if mine and all(r[n] is not None for r in mine) else None for n in _SUMMED}
    own, of = sums["cp_pct"], whole["cp_pct"]
    share = own / of * 100 if own is not None and of else None
    references = [r["reference"] for r in rows]
    return (
        whole | sums | {"classes": len(mine), "cp_share_pct": share, "reference": whole["reference"].joined(references)}
    )
