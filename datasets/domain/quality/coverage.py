"""Coverage without an expert: how much of the gold independent annotators find, and how much all miss.

See `metrics.capture_recapture`. Only parts of the project's gold count, so an error of a single
annotator is not a capture. Parts of the gold that no annotator found are already known to be missed.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from datasets.domain.quality.merged_items import MergedItem, Source, merged_items
from metrics.capture_recapture import Captures, CoverageEstimate, estimate_coverage
from metrics.counts import Counts, micro_sum, ratio
from metrics.intervals import Interval
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json

REPETITIONS = 1000


@dataclass(frozen=True, slots=True)
class Group:
    """The coverage of a group of items by two annotators.

    `added` is the number of parts that the gold has although both annotators missed them. `actual` is
    the share of the experts' parts that either annotator found, on the items with an expert's gold,
    and `expected` is the estimate on the same items. Both are None without such items.
    """

    label: str
    estimate: CoverageEstimate
    added: int
    expert_items: int
    actual: float | None
    expected: float | None

    def as_json(self) -> dict[str, Any]:
        captures = self.estimate.captures
        return {
            "group": self.label,
            "items": self.estimate.items,
            "first": captures.first,
            "second": captures.second,
            "both": captures.both,
            "missed": captures.missed,
            "missed_interval": _bounds(self.estimate.missed),
            "coverage": captures.coverage,
            "coverage_interval": _bounds(self.estimate.coverage),
            "added_by_merge": self.added,
            "expert_items": self.expert_items,
            "coverage_of_expert": self.actual,
            "coverage_on_expert_items": self.expected,
        }


@dataclass(frozen=True, slots=True)
class WorkerCoverage:
    """A worker's coverage.

    `recall` is the share of the parts found by other annotators that the worker found too. `actual`
    is the share of an expert's parts, or None without items with an expert's gold.
    """

    worker: str
    items: int
    recall: float | None
    interval: Interval
    expert_items: int
    actual: float | None

    def as_json(self) -> dict[str, Any]:
        return {
            "worker": self.worker,
            "items": self.items,
            "coverage": self.recall,
            "coverage_interval": _bounds(self.interval),
            "expert_items": self.expert_items,
            "coverage_of_expert": self.actual,
        }


@dataclass(frozen=True, slots=True)
class CoverageReport:
    """The coverage of all items, of each type of item, and of each worker."""

    total: Group
    types: Sequence[Group]
    workers: Sequence[WorkerCoverage]

    def as_json(self) -> dict[str, Any]:
        return {
            "total": self.total.as_json(),
            "types": [group.as_json() for group in self.types],
            "workers": [worker.as_json() for worker in self.workers],
        }


@dataclass(frozen=True, slots=True)
class _Found:
    """The keys of the parts that each source found, and the number of all parts."""

    by_source: Sequence[frozenset[str]]
    parts: int

    @property
    def union(self) -> int:
        return len(frozenset().union(*self.by_source))


@dataclass(frozen=True, slots=True)
class _Covered:
    """An item with what its sources found of the gold and of an expert's gold."""

    item: MergedItem
    gold: _Found
    expert: _Found | None


def coverage_report(*, project: Project, limit: int | None = None) -> CoverageReport | None:
    """Estimate how many parts of the items all annotators missed.

    With `limit`, use at most that many items with gold from the start of the seeded shuffle. Return
    None if no gold was made of two annotations.
    """
    scheme = scheme_of(project)
    items = [
        _covered(scheme, item)
        for item in merged_items(project=project, limit=limit)
        if len(item.sources) >= 2
    ]
    if not items:
        return None
    by_type = _grouped(items, lambda covered: scheme.corpus.item_type(covered.item.context))
    types = [_group(label, members, project.seed) for label, members in by_type.items() if label]
    return CoverageReport(
        total=_group("All items", items, project.seed),
        types=types if len(types) > 1 else [],
        workers=_workers(items, project.seed),
    )


def captures_of(scheme: Scheme, item: MergedItem) -> Captures:
    """Return what the item's first two annotators found of its gold."""
    return _captures(_found(scheme, item.gold, item))


def _covered(scheme: Scheme, item: MergedItem) -> _Covered:
    expert = item.expert
    return _Covered(
        item=item,
        gold=_found(scheme, item.gold, item),
        expert=None if expert is None else _found(scheme, expert, item),
    )


def _found(scheme: Scheme, reference: Json, item: MergedItem) -> _Found:
    """Return which parts of the reference the item's sources found."""
    parts: set[str] = set()
    by_source = []
    for source in item.sources:
        rows = scheme.comparison.compare(reference, source.content, item.context).rows
        known = [row for row in rows if row.reference and row.state != "redundant"]
        parts.update(row.reference.key for row in known if row.reference)
        by_source.append(
            frozenset(row.reference.key for row in known if row.reference and row.predicted)
        )
    return _Found(by_source, len(parts))


def _grouped(
    items: Iterable[_Covered], label_of: Callable[[_Covered], str]
) -> dict[str, list[_Covered]]:
    groups: dict[str, list[_Covered]] = defaultdict(list)
    for covered in items:
        groups[label_of(covered)].append(covered)
    return dict(sorted(groups.items()))


def _group(label: str, items: Sequence[_Covered], seed: int) -> Group:
    with_expert = [covered for covered in items if covered.expert]
    found = [covered.expert for covered in with_expert if covered.expert]
    captures = [_captures(covered.gold) for covered in with_expert]
    expected = estimate_coverage(captures, repetitions=1).captures.coverage if captures else None
    return Group(
        label=label,
        estimate=estimate_coverage([_captures(covered.gold) for covered in items], seed=seed),
        added=sum(covered.gold.parts - covered.gold.union for covered in items),
        expert_items=len(with_expert),
        actual=ratio(sum(of.union for of in found), sum(of.parts for of in found)),
        expected=expected,
    )


def _captures(found: _Found) -> Captures:
    """Return the captures of the item's first two sources."""
    first, second = found.by_source[:2]
    return Captures(len(first), len(second), len(first & second))


def _workers(items: Iterable[_Covered], seed: int) -> list[WorkerCoverage]:
    recalled: dict[str, list[Counts]] = defaultdict(list)
    against_expert: dict[str, list[Counts]] = defaultdict(list)
    for covered in items:
        for (first, found), (second, others) in combinations(
            _by_source(covered.item, covered.gold), 2
        ):
            both = len(found & others)
            recalled[first.worker].append(Counts(tp=both, fn=len(others) - both))
            recalled[second.worker].append(Counts(tp=both, fn=len(found) - both))
        if covered.expert:
            for source, found in _by_source(covered.item, covered.expert):
                missed = covered.expert.parts - len(found)
                against_expert[source.worker].append(Counts(tp=len(found), fn=missed))
    return [
        WorkerCoverage(
            worker=worker,
            items=len(counts),
            recall=micro_sum(counts).recall,
            interval=_recall_interval(counts, seed),
            expert_items=len(against_expert[worker]),
            actual=micro_sum(against_expert[worker]).recall,
        )
        for worker, counts in sorted(recalled.items())
        if worker
    ]


def _by_source(item: MergedItem, found: _Found) -> list[tuple[Source, frozenset[str]]]:
    return list(zip(item.sources, found.by_source, strict=True))


def _recall_interval(counts: Sequence[Counts], seed: int) -> Interval:
    from metrics.bootstrap import bootstrap_counts  # noqa: PLC0415 - loads numpy

    return bootstrap_counts(counts, repetitions=REPETITIONS, seed=abs(seed))["recall"]


def _bounds(interval: Interval) -> list[float | None]:
    return [interval.low, interval.high]
