"""Reports on experts' merges: the share of each source that survived.

Roit et al. 2020 (section 4) use these shares to monitor the bias of a reference made by correcting
annotations. A source whose share is far above the others has shaped the reference. The scheme
declares the counts and shares (`schemes.contract.judging.Merging`).
"""

import csv
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TextIO

from consolidation.enums import MergeState, SourceOrigin
from consolidation.models import ExpertQueue, Merge, MergeSource
from metrics.counts import ratio
from projects.domain.schemes import scheme_of
from schemes.contract.judging import Merging
from schemes.contract.values import Json


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A source's totals over all finished merges that it was part of.

    `counts` and `shares` are in the order of the scheme's declarations. Shares are between 0 and 1,
    or None.
    """

    origin: str
    name: str
    items: int
    counts: dict[str, int]
    shares: dict[str, float | None]

    @property
    def title(self) -> str:
        label = SourceOrigin(self.origin).label
        return f"{label} {self.name}" if self.name else str(label)


@dataclass(frozen=True, slots=True)
class MergeReport:
    """The finished merges of a queue. `totals` counts the parts of the results."""

    merged: int
    waiting: int
    totals: dict[str, int]
    sources: list[SourceLine]
    rules: list[str]
    merging: Merging

    @property
    def summary(self) -> list[tuple[str, int]]:
        """Return the labels and numbers of the results' parts."""
        return [(label, self.totals.get(key, 0)) for key, label in self.merging.summary]


def merge_report(*, queue: ExpertQueue) -> MergeReport:
    merging = scheme_of(queue.project).get_merging()
    merges = Merge.objects.filter(queued__queue=queue)
    done = merges.filter(state=MergeState.MERGED)
    totals: Counter[str] = Counter()
    for summary in done.values_list("summary", flat=True):
        totals.update(summary)
    rows = MergeSource.objects.filter(merge__in=done).order_by("merge_id", "position")
    return MergeReport(
        merged=done.count(),
        waiting=merges.filter(state=MergeState.OPEN).count(),
        totals=dict(totals),
        sources=_lines(rows.values_list("origin", "name", "merge_id", "outcome"), merging),
        rules=sorted(set(done.values_list("rule", flat=True))),
        merging=merging,
    )


def _lines(rows: Iterable[tuple[str, str, int, Json | None]], merging: Merging) -> list[SourceLine]:
    counts: dict[tuple[str, str], Counter[str]] = {}
    merges: dict[tuple[str, str], set[int]] = {}
    for origin, name, merge, outcome in rows:
        counts.setdefault((origin, name), Counter()).update(outcome or {})
        merges.setdefault((origin, name), set()).add(merge)
    order = list(SourceOrigin.values)
    return [
        _line(source, len(merges[source]), counts[source], merging)
        for source in sorted(counts, key=lambda key: (order.index(key[0]), key[1]))
    ]


def _line(
    source: tuple[str, str], items: int, counts: Counter[str], merging: Merging
) -> SourceLine:
    shares = {
        share.key: ratio(sum(counts[key] for key in share.part), counts[share.whole])
        for share in merging.shares
    }
    return SourceLine(*source, items, {key: counts[key] for key, _ in merging.outcomes}, shares)


def report_rows(report: MergeReport) -> list[dict[str, Any]]:
    """Return a row per source, with the scheme's counts and shares. Undefined shares are None."""
    return [
        {"source": line.title, "items": line.items, **line.counts, **line.shares}
        for line in report.sources
    ]


def write_report_csv(report: MergeReport, file: TextIO) -> None:
    counts = [key for key, _ in report.merging.outcomes]
    shares = [share.key for share in report.merging.shares]
    writer = csv.DictWriter(file, ["source", "items", *counts, *shares])
    writer.writeheader()
    writer.writerows(report_rows(report))
