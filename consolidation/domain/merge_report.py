"""Reports on experts' merges: the share of each source that survived.

Roit et al. 2020 (section 4) use these shares to monitor the bias of a reference made by correcting
annotations. A source whose share is far above the others has shaped the reference.
"""

import csv
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TextIO

from consolidation.enums import MergeState, SourceOrigin
from consolidation.models import ExpertQueue, Merge, MergeSource
from metrics.counts import ratio
from schemes.base import Json, SourceOutcome


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A source's totals over all finished merges that it was part of.

    Shares are between 0 and 1, or None.
    """

    origin: str
    name: str
    items: int
    fate: SourceOutcome
    result_answers: int

    @property
    def title(self) -> str:
        label = SourceOrigin(self.origin).label
        return f"{label} {self.name}" if self.name else str(label)

    @property
    def questions_survived(self) -> float | None:
        """Return the share of questions that were not dropped."""
        return ratio(self.fate.kept + self.fate.edited + self.fate.merged, self.fate.questions)

    @property
    def answers_survived(self) -> float | None:
        """Return the share of the source's answers that are exactly in the result."""
        return ratio(self.fate.answers_kept, self.fate.answers)

    @property
    def result_share(self) -> float | None:
        """Return the share of the results' answers that the source has exactly."""
        return ratio(self.fate.answers_kept, self.result_answers)


@dataclass(frozen=True, slots=True)
class MergeReport:
    """The finished merges of a queue.

    `totals` counts the questions and answers of the results, and those that no source had.
    """

    merged: int
    waiting: int
    totals: dict[str, int]
    sources: list[SourceLine]
    rules: list[str]


def merge_report(*, queue: ExpertQueue) -> MergeReport:
    merges = Merge.objects.filter(queued__queue=queue)
    done = merges.filter(state=MergeState.MERGED)
    totals: Counter[str] = Counter()
    answers: dict[int, int] = {}
    for pk, summary in done.values_list("pk", "summary"):
        totals.update(summary)
        answers[pk] = summary["answers"]
    rows = MergeSource.objects.filter(merge__in=done).order_by("merge_id", "position")
    return MergeReport(
        merged=len(answers),
        waiting=merges.filter(state=MergeState.OPEN).count(),
        totals=dict(totals),
        sources=_lines(rows.values_list("origin", "name", "merge_id", "fate"), answers),
        rules=sorted(set(done.values_list("rule", flat=True))),
    )


def _lines(
    rows: Iterable[tuple[str, str, int, Json | None]], answers: dict[int, int]
) -> list[SourceLine]:
    fates: dict[tuple[str, str], SourceOutcome] = {}
    merges: dict[tuple[str, str], list[int]] = {}
    for origin, name, merge, fate in rows:
        key = (origin, name)
        fates[key] = fates.get(key, SourceOutcome()) + SourceOutcome(**(fate or {}))
        merges.setdefault(key, []).append(merge)
    order = list(SourceOrigin.values)
    return [
        SourceLine(
            origin=origin,
            name=name,
            items=len(set(merges[origin, name])),
            fate=fates[origin, name],
            # Each generator of an item is compared with the whole result.
            result_answers=sum(answers[pk] for pk in merges[origin, name]),
        )
        for origin, name in sorted(fates, key=lambda key: (order.index(key[0]), key[1]))
    ]


COLUMNS = (
    *("source", "items", "questions", "kept", "edited", "merged", "dropped"),
    *("questions_survived", "answers", "answers_kept", "answers_edited", "answers_survived"),
    "result_share",
)


def report_rows(report: MergeReport) -> list[dict[str, Any]]:
    """Return a row with COLUMNS per source. Undefined shares are None."""
    return [
        {
            "source": line.title,
            "items": line.items,
            **{name: getattr(line.fate, name) for name in SourceOutcome.__slots__},
            "questions_survived": line.questions_survived,
            "answers_survived": line.answers_survived,
            "result_share": line.result_share,
        }
        for line in report.sources
    ]


def write_report_csv(report: MergeReport, file: TextIO) -> None:
    writer = csv.DictWriter(file, COLUMNS)
    writer.writeheader()
    writer.writerows(report_rows(report))
