"""The heading of a page: the finding of its study; of several studies what they have in common, otherwise the best-evidenced finding."""

from collections.abc import Sequence

from ..columns import COST_WORDS
from ..study_rows import StudyMeasures
from .finding import SAME, finding, leading_change, quoted
from .weaknesses import verdict_of


def headline_study(studies: Sequence[StudyMeasures]) -> int:
    """The index of the study whose finding is the headline of a page of several: the one with the largest effect among those with the
    best evidence. Studies are never added up."""
    order = ("strong", "weak", "inconclusive")

    def rank(place: int) -> tuple[int, float, int]:
        change = leading_change(studies[place])
        return order.index(verdict_of(studies[place]).level), -round(abs(change or 0.0), 2), place

    return min(range(len(studies)), key=rank)


def page_finding(studies: Sequence[StudyMeasures]) -> str:
    if common := in_common(studies):
        return common
    study = studies[headline_study(studies)]
    # With several studies, such as one per sysplex, the name says which study gives the headline.
    return f"{study.name}: {finding(study)}" if len(studies) > 1 else finding(study)


def in_common(studies: Sequence[StudyMeasures]) -> str:
    """The range of changes, of three studies or more that compare the same two configurations by cost per request."""
    names = {tuple(c.name for c in s.configurations) for s in studies}
    leads = {s.leads_with for s in studies}
    if len(studies) < 3 or len(names) > 1 or len(leads) > 1:
        return ""
    ((*both,), (measure,)) = next(iter(names)), leads
    changes = [leading_change(s) for s in studies if s.baseline.cost[measure]]
    known = [c for c in changes if c is not None]
    if len(both) != 2 or len(known) < len(studies):
        return ""
    moved = [c for c in known if abs(c) >= SAME]
    if not moved:
        return f"{quoted(both[1])} needs the same {COST_WORDS[measure]} per request as {quoted(both[0])} in all {len(studies)} studies"
    if min(moved) < 0 < max(moved):
        ups = sum(c > 0 for c in moved)
        return (
            f"{quoted(both[1])} needs more {COST_WORDS[measure]} per request than {quoted(both[0])} in {ups} of {len(studies)} studies, "
            f"less in {len(moved) - ups}"
        )
    least, most = sorted(abs(c) * 100 for c in (min(moved, key=abs), max(moved, key=abs)))
    word = "more" if moved[0] > 0 else "less"
    rest = len(studies) - len(moved)
    others = f"; in the other {'one' if rest == 1 else rest} the same" if rest else ""
    return (
        f"{quoted(both[1])} needs {least:,.0f} to {most:,.0f}% {word} {COST_WORDS[measure]} per request than {quoted(both[0])} in "
        f"{len(moved)} of {len(studies)} studies{others}"
    )
