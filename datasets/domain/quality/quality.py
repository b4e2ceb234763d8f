"""A project's gold compared with another source, both ways (Roit et al. 2020, table 5)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.domain.corpus.import_corpus import batched
from annotation.domain.corpus.item_context import context_of, targets_of
from annotation.models import Item
from audit.errors import TouchstoneError
from consolidation.domain.gold.current_gold import FIRST_CASES, current_gold
from consolidation.models import Gold
from datasets.domain.agreement.scores import Scores, Yield, column_name
from datasets.domain.quality.decide_match import latest_decisions, row_decisions
from datasets.models import Decision, StoredComparison
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.comparison import RowDecision
from schemes.contract.errors import ErrorSink
from schemes.contract.external import ExternalComparison, GoldItem
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json

# Items read per query.
CHUNK = 1000
# The columns of `correction_rows`.
CORRECTION_COLUMNS = ("item", "kind", "reference", "predicted")
# The columns of `quality_rows` before those of the figures.
_FIRST_COLUMNS = ("reference", "predicted", "matching", "items")


class NothingToCompareError(TouchstoneError):
    """The two sources share no item."""


@dataclass(frozen=True, slots=True)
class QualityReport:
    """The comparison of two sources on the items they share.

    `automatic` and `corrected` use `against` as the reference. `backward` uses `source` and is
    automatic only, because decisions apply to one direction.
    """

    source: str
    against: str
    yields: dict[str, Yield]
    automatic: Scores
    corrected: Scores
    backward: Scores

    def rows(self) -> Iterable[tuple[str, str, Scores]]:
        """Yield (reference, matching, scores) for each line of the table."""
        yield self.against, "automatic", self.automatic
        yield self.against, "corrected", self.corrected
        yield self.source, "automatic", self.backward


def quality_report(*, project: Project, source: str, against: str) -> QualityReport:
    """Compare the project's gold from two sources. Raise NothingToCompareError."""
    shared = list(
        shared_items(project=project, source=source, against=against).values_list("pk", flat=True)
    )
    measured, reference = (
        contents_of(project, source, shared),
        contents_of(project, against, shared),
    )
    if not reference:
        raise NothingToCompareError(
            f"No item of {project.slug} has both {source} and {against} gold. Upload the "
            "annotations of an expert first."
        )
    scheme = scheme_of(project)
    measure = scheme.comparison.measure
    targets = targets_of(project, reference)
    automatic = {
        item: measure(reference[item], measured[item], targets[item]) for item in reference
    }
    corrected = automatic | {
        item: measure(reference[item], measured[item], targets[item], decisions)
        for item, decisions in decisions_of(project, source, against).items()
        if item in reference
    }
    return QualityReport(
        source=source,
        against=against,
        yields={
            source: Yield.of(scheme, measured.values()),
            against: Yield.of(scheme, reference.values()),
        },
        automatic=Scores.of(scheme, automatic.values()),
        corrected=Scores.of(scheme, corrected.values()),
        backward=Scores.of(
            scheme, [measure(measured[item], reference[item], targets[item]) for item in reference]
        ),
    )


def quality_figures(source: str, against: str, *, project: Project) -> QualityReport:
    """Return the report for `projects.domain.cached_figures`."""
    return quality_report(project=project, source=source, against=against)


def shared_items(*, project: Project, source: str, against: str) -> QuerySet[Item]:
    """Return the project's items that have gold of both sources, except withdrawn ones."""
    both = (
        Exists(Gold.objects.filter(FIRST_CASES, item=OuterRef("pk"), source=name))
        for name in (source, against)
    )
    return project.items.filter(*both, withdrawn_at=None)


def compare_with_external(
    *,
    project: Project,
    source: str,
    external: ExternalComparison,
    path: Path,
    on_error: ErrorSink,
    now: datetime,
) -> Json:
    """Compare the project's gold with a file of another resource.

    The figures are stored for the page Quality and replace earlier ones. Raise FileError. Raise
    NothingToCompareError if the file and the gold share no item.
    """
    gold = current_gold(project, source).select_related("item__sentence__image")
    figures = external.compare(path, _gold_items(project, gold), on_error)
    if figures is None:
        raise NothingToCompareError(
            f"{path.name} and the {source} gold of {project.slug} have nothing in common. "
            f"{external.matching}"
        )
    StoredComparison.objects.update_or_create(
        project=project,
        source=source,
        kind=external.key,
        defaults={"file_name": path.name[-255:], "figures": figures, "compared_at": now},
    )
    return figures


def _gold_items(project: Project, gold: QuerySet[Gold]) -> Iterator[GoldItem]:
    for version in gold.iterator(chunk_size=2000):
        item = version.item
        item.project = project
        yield GoldItem(item.sentence.external_id, context_of(item), version.content)


def quality_json(report: QualityReport) -> dict[str, Any]:
    """Return the report as JSON.

    The keys are source, against, yields and rows. Each row has reference, matching, items and the
    totals of the figures by key.
    """
    return {
        "source": report.source,
        "against": report.against,
        "yields": {name: totals.as_json() for name, totals in report.yields.items()},
        "rows": [
            {"reference": reference, "matching": how, **scores.as_json()}
            for reference, how, scores in report.rows()
        ],
    }


def quality_columns(scheme: Scheme) -> list[str]:
    """Return the columns of `quality_rows`."""
    figures = scheme.comparison.figures
    names = [column_name(figure, column) for figure in figures for column in figure.columns]
    return [*_FIRST_COLUMNS, *names]


def quality_rows(scheme: Scheme, report: QualityReport) -> Iterator[tuple[Any, ...]]:
    """Yield the lines of the table in the order of `quality_columns`."""
    figures = scheme.comparison.figures
    for reference, how, scores in report.rows():
        predicted = report.source if reference == report.against else report.against
        values = [scores.totals[f.key][column] for f in figures for column in f.columns]
        yield reference, predicted, how, scores.items, *values


def correction_rows(
    *, project: Project, source: str, against: str
) -> Iterator[tuple[str, str, str, str]]:
    """Yield people's decisions in the order of CORRECTION_COLUMNS. `evaluate` reads them."""
    by_item = decisions_of(project, source, against)
    keys = project.items.filter(pk__in=by_item).order_by("pk").values_list("pk", "key")
    for item, key in keys:
        for decision in by_item[item]:
            yield key, decision.kind, decision.reference or "", decision.predicted


def contents_of(project: Project, source: str, items: Iterable[int]) -> dict[int, Json]:
    """Return the content of the items' current gold by item id.

    The ids are passed in batches. With the query of `shared_items` as a subquery, PostgreSQL may
    scan a table once per item while its statistics are older than the gold.
    """
    rows = current_gold(project, source).values_list("item_id", "content")
    return {
        item: content
        for chunk in batched(items, CHUNK)
        for item, content in rows.filter(item__in=chunk)
    }


def decisions_of(project: Project, source: str, against: str) -> dict[int, list[RowDecision]]:
    """Return the decisions on current gold, or on the submission that became gold, by item."""
    predicted = current_gold(project, source)
    rows = Decision.objects.filter(
        Q(predicted__in=predicted.values("pk"))
        | Q(submission__in=predicted.filter(submission__isnull=False).values("submission")),
        reference__in=current_gold(project, against).values("pk"),
    )
    by_item: dict[int, list[Decision]] = {}
    for row in rows.select_related("reference").order_by("pk"):
        by_item.setdefault(row.reference.item_id, []).append(row)
    scheme = scheme_of(project)
    return {
        item: row_decisions(latest_decisions(scheme, decisions))
        for item, decisions in by_item.items()
    }
