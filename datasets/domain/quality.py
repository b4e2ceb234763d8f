"""A project's gold compared with another source, both ways (Roit et al. 2020, table 5)."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import Item
from audit.errors import TouchstoneError
from consolidation.domain.current_gold import FIRST_CASES, current_gold
from consolidation.models import Gold
from datasets.domain.decide_match import last_words, standing_decisions
from datasets.models import Decision as DecisionRow
from datasets.models import PropBankComparison
from metrics.alignment import LabelledSpans
from metrics.argument_scores import ArgumentScores
from metrics.corrections import Decision, SideBySide, scores_side_by_side
from metrics.counts import ratio
from metrics.spans import Span
from projects.models import Project
from schemes.base import ErrorSink, Json
from schemes.qasrl.propbank import propbank_figures, read_propbank_verbs, wh_of
from schemes.registry import get_scheme


class NothingToCompareError(TouchstoneError):
    """The two sources share no item."""


@dataclass(frozen=True, slots=True)
class Yield:
    """A source's totals on the shared items."""

    items: int
    roles: int
    arguments: int

    @classmethod
    def of(cls, contents: Collection[Json]) -> Self:
        questions = [question for content in contents for question in content["questions"]]
        answers = sum(len(question["answers"]) for question in questions)
        return cls(len(contents), len(questions), answers)

    @property
    def roles_per_item(self) -> float | None:
        return ratio(self.roles, self.items)

    @property
    def arguments_per_item(self) -> float | None:
        return ratio(self.arguments, self.items)

    def as_json(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "roles_per_item": self.roles_per_item,
            "arguments_per_item": self.arguments_per_item,
        }


@dataclass(frozen=True, slots=True)
class QualityReport:
    """The comparison of two sources on the items they share.

    `forward` uses `against` as the reference. `backward` uses `source` and is automatic only,
    because decisions apply to one direction.
    """

    source: str
    against: str
    yields: dict[str, Yield]
    forward: SideBySide
    backward: ArgumentScores

    def rows(self) -> Iterable[tuple[str, str, ArgumentScores]]:
        """Yield (reference, matching, scores) for each line of the table."""
        yield self.against, "automatic", self.forward.automatic
        yield self.against, "corrected", self.forward.corrected
        yield self.source, "automatic", self.backward


def quality_report(*, project: Project, source: str, against: str) -> QualityReport:
    """Compare the project's gold from two sources. Raise NothingToCompareError."""
    shared = shared_items(project=project, source=source, against=against)
    ours, theirs = _contents(project, source, shared), _contents(project, against, shared)
    if not theirs:
        raise NothingToCompareError(
            f"No item of {project.slug} has gold of both {source!r} and {against!r}. Import a "
            "reference with the command import_gold."
        )
    predicted = {item: _spans(project, ours[item]) for item in theirs}
    reference = {item: _spans(project, content) for item, content in theirs.items()}
    forward = scores_side_by_side(reference, predicted, _decisions(project, source, against))
    backward = scores_side_by_side(predicted, reference, {}).automatic
    yields = {source: Yield.of(ours.values()), against: Yield.of(theirs.values())}
    return QualityReport(source, against, yields, forward, backward)


def shared_items(*, project: Project, source: str, against: str) -> QuerySet[Item]:
    """Return the project's items that have gold of both sources."""
    both = (
        Exists(Gold.objects.filter(FIRST_CASES, item=OuterRef("pk"), source=name))
        for name in (source, against)
    )
    return project.items.filter(*both)


def propbank_quality(
    *, project: Project, source: str, path: Path, on_error: ErrorSink, now: datetime
) -> dict[str, Any]:
    """Compare the project's gold with a PropBank file in CoNLL-2009 format.

    The figures (see `propbank_figures`) are stored for the page Quality and replace earlier ones.
    Raise FileError. Raise NothingToCompareError if the file has no sentence of the project.
    """
    rows = current_gold(project, source).values_list(
        "item__sentence__external_id", "item__sentence__tokens", "item__target", "content"
    )
    sentences: dict[str, list[str]] = {}
    questions: dict[tuple[str, int], list[tuple[str, list[Span]]]] = {}
    for external_id, tokens, target, content in rows.iterator(chunk_size=2000):
        sentences[external_id] = tokens
        questions[external_id, target["verb_idx"]] = [
            (wh_of(question["question"]), [(start, end) for start, end in question["answers"]])
            for question in content["questions"]
        ]
    verbs = read_propbank_verbs(path, sentences, on_error=on_error)
    if not verbs.predicates:
        raise NothingToCompareError(
            f"{path.name} has no verb in a sentence of {project.slug} with {source} gold. Sentences "
            "are matched by equal tokens."
        )
    figures = propbank_figures(verbs, questions)
    PropBankComparison.objects.update_or_create(
        project=project,
        source=source,
        defaults={"file_name": path.name[-255:], "figures": figures, "compared_at": now},
    )
    return figures


def quality_json(report: QualityReport) -> dict[str, Any]:
    """Return the report as JSON.

    The keys are source, against, yields and rows. Each row has reference, matching, items, UA and
    LA.
    """
    return {
        "source": report.source,
        "against": report.against,
        "yields": {name: totals.as_json() for name, totals in report.yields.items()},
        "rows": [
            {"reference": reference, "matching": how, **scores_json(scores)}
            for reference, how, scores in report.rows()
        ],
    }


QUALITY_COLUMNS = (
    "reference", "predicted", "matching", "items",
    "ua_tp", "ua_fp", "ua_fn", "ua_precision", "ua_recall", "ua_f1",
    "la_tp", "la_fp", "la_fn", "la_precision", "la_recall", "la_f1",
)  # fmt: skip


def quality_rows(report: QualityReport) -> Iterator[tuple[Any, ...]]:
    """Yield the lines of the table in the order of QUALITY_COLUMNS."""
    for reference, how, scores in report.rows():
        predicted = report.source if reference == report.against else report.against
        figures = [*scores.ua.as_json().values(), *scores.la.as_json().values()]
        yield reference, predicted, how, scores.items, *figures


def scores_json(scores: ArgumentScores) -> dict[str, Any]:
    return {"items": scores.items, "UA": scores.ua.as_json(), "LA": scores.la.as_json()}


def _contents(project: Project, source: str, items: QuerySet[Item]) -> dict[int, Json]:
    gold = current_gold(project, source).filter(item__in=items.values("pk")).order_by("item_id")
    return dict(gold.values_list("item_id", "content").iterator(chunk_size=2000))


def _spans(project: Project, content: Json) -> LabelledSpans:
    return get_scheme(project.scheme).labelled_spans(content)


def _decisions(project: Project, source: str, against: str) -> dict[int, list[Decision]]:
    """Return the decisions on current gold, or on the submission that became gold, by item."""
    predicted = current_gold(project, source)
    rows = DecisionRow.objects.filter(
        Q(predicted__in=predicted.values("pk"))
        | Q(submission__in=predicted.filter(submission__isnull=False).values("submission")),
        reference__in=current_gold(project, against).values("pk"),
    )
    by_item: dict[int, list[DecisionRow]] = {}
    for row in rows.select_related("reference").order_by("pk"):
        by_item.setdefault(row.reference.item_id, []).append(row)
    return {item: standing_decisions(last_words(decisions)) for item, decisions in by_item.items()}
