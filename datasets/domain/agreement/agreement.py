"""Agreement of a project's annotators and consolidations (Roit et al. 2020, section 4)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from django.db.models import Count, OuterRef, QuerySet, Subquery

from annotation.domain.corpus.item_context import targets_of
from annotation.models import Item, Submission
from consolidation.models import Gold
from metrics.counts import mean
from metrics.intervals import Interval
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json

CHUNK = 500
# Content by annotator and item.
Annotations = dict[str, dict[int, Json]]
# The measures of an item by both directions, and by all pairs in a report's total.
Measures = list[Mapping[str, Json]]


@dataclass(frozen=True, slots=True)
class Agreement:
    """A figure over all compared items.

    Each side is the reference once. `mean` is the mean over pairs, and the 95 % interval is over
    items.
    """

    total: Json
    value: float | None
    mean: float | None
    interval: Interval


@dataclass(frozen=True, slots=True)
class Pair:
    """The agreement of two annotators, by figure."""

    first: str
    second: str
    items: int
    figures: Mapping[str, Agreement]


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Agreement by pair of annotators and in total, by figure."""

    items: int
    figures: Mapping[str, Agreement]
    pairs: Sequence[Pair] = field(default_factory=list)

    @property
    def annotators(self) -> list[str]:
        return sorted({name for pair in self.pairs for name in (pair.first, pair.second)})


def worker_agreement(
    *, project: Project, limit: int | None = None, among: QuerySet[Item] | None = None
) -> AgreementReport:
    """Return the agreement of every two generators on the items that both annotated.

    With `limit`, use that many items from the start of the project's seeded shuffle. With `among`,
    use only these items. Training rounds are excluded.
    """
    generations = Submission.objects.accepted().filter(role=Role.GENERATOR, item=OuterRef("pk"))
    accepted = generations.order_by().values("item").annotate(n=Count("pk"))
    # A count per item lets the database stop at the limit.
    items = project.items.filter(in_production=True)
    items = items.annotate(accepted=Subquery(accepted.values("n"))).filter(accepted__gte=2)
    if among is not None:
        items = items.filter(pk__in=among.values("pk"))
    chosen = items.order_by("position", "pk")[:limit]
    return _report(project, _of_workers(project, chosen))


def consolidation_agreement(
    *, project: Project, disjoint: bool, among: QuerySet[Item] | None = None
) -> AgreementReport:
    """Return the agreement of first and second consolidations of the same items.

    With `disjoint`, use only items whose teams (generators and consolidator) share no worker. With
    `among`, use only these items.
    """
    annotations: Annotations = {"first": {}, "second": {}}
    teams: dict[tuple[str, int], frozenset[int | None]] = {}
    golds = Gold.objects.filter(
        item__project=project, case__attempt__lte=1, submission__isnull=False
    ).order_by("version")
    if among is not None:
        golds = golds.filter(item__in=among.values("pk"))
    twice = golds.filter(item__cases__attempt=1).distinct()
    for gold in twice.select_related("case", "submission").prefetch_related(
        "case__sources__submission", "mapped"
    ):
        assert gold.case
        assert gold.submission
        name = ("first", "second")[gold.case.attempt]
        newest = max(gold.mapped.all(), key=lambda mapped: mapped.version, default=gold)
        annotations[name][gold.item_id] = newest.content
        generators = [source.submission.worker_id for source in gold.case.sources.all()]
        teams[name, gold.item_id] = frozenset([*generators, gold.submission.worker_id])
    if disjoint:
        for item in annotations["first"].keys() & annotations["second"].keys():
            if teams["first", item] & teams["second", item]:
                del annotations["second"][item]
    return _report(project, annotations)


def _of_workers(project: Project, items: QuerySet[Item]) -> Annotations:
    annotations: Annotations = {}
    done = Submission.objects.accepted().filter(
        role=Role.GENERATOR, item__in=list(items.values_list("pk", flat=True))
    )
    rows = done.order_by("worker__pseudonym", "item_id").values_list(
        "worker__pseudonym", "item_id", "content"
    )
    for worker, item, content in rows.iterator(chunk_size=CHUNK):
        annotations.setdefault(worker, {})[item] = content
    return annotations


def _report(project: Project, annotations: Annotations) -> AgreementReport:
    scheme = scheme_of(project)
    targets = targets_of(project, {pk for contents in annotations.values() for pk in contents})
    by_pair = _measures(scheme, annotations, targets)
    by_item: dict[int, Measures] = {}
    for items in by_pair.values():
        for item, measures in items.items():
            by_item.setdefault(item, []).extend(measures)
    pairs = [
        Pair(first, second, len(items), _figures(scheme, items.values(), project.seed))
        for (first, second), items in by_pair.items()
    ]
    return AgreementReport(
        len(by_item), _figures(scheme, by_item.values(), project.seed, pairs), pairs
    )


def _measures(
    scheme: Scheme, annotations: Annotations, targets: Mapping[int, Json]
) -> dict[tuple[str, str], dict[int, Measures]]:
    """Return the measures of the items that two annotators share, with each as the reference once."""
    measure = scheme.comparison.measure
    by_pair: dict[tuple[str, str], dict[int, Measures]] = {}
    for (first, first_work), (second, second_work) in combinations(annotations.items(), 2):
        shared = {
            item: [
                measure(first_work[item], second_work[item], targets[item]),
                measure(second_work[item], first_work[item], targets[item]),
            ]
            for item in first_work
            if item in second_work
        }
        if shared:
            by_pair[first, second] = shared
    return by_pair


def _figures(
    scheme: Scheme, items: Collection[Measures], seed: int, pairs: Sequence[Pair] = ()
) -> dict[str, Agreement]:
    figures = {}
    for figure in scheme.comparison.figures:
        groups = [[measure[figure.key] for measure in measures] for measures in items]
        total = figure.total([measure for group in groups for measure in group])
        figures[figure.key] = Agreement(
            total=total,
            value=figure.value_of(total),
            mean=mean(pair.figures[figure.key].value for pair in pairs),
            interval=figure.interval_of_groups(groups, seed),
        )
    return figures
