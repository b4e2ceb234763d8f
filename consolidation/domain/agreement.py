"""Agreement of a project's annotators, and of its consolidations: Roit et al. 2020, section 4."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from django.db.models import Count, OuterRef, QuerySet, Subquery

from annotation.enums import Role
from annotation.models import Item, Project, Submission
from consolidation.models import Gold
from metrics.agreement import Agreement, PairAgreement, both_ways, pairwise_agreement
from metrics.alignment import LabelledSpans
from metrics.argument_scores import ItemScore
from metrics.bootstrap import bootstrap_counts
from metrics.counts import Counts, micro_sum
from metrics.intervals import Interval
from schemes.registry import get_scheme

REPETITIONS = 1000
CHUNK = 500
Annotations = dict[Hashable, dict[Hashable, LabelledSpans]]


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Pairs of annotators with the items they share; F1 over all with 95 % intervals over items."""

    agreement: Agreement
    items: int
    ua_interval: Interval
    la_interval: Interval
    intervals: Mapping[tuple[Hashable, Hashable], tuple[Interval, Interval]] = field(
        default_factory=dict
    )

    @property
    def annotators(self) -> list[str]:
        names = {str(name) for pair in self.agreement.pairs for name in (pair.first, pair.second)}
        return sorted(names)

    def rows(self) -> Iterator[tuple[PairAgreement, Interval, Interval]]:
        for pair in self.agreement.pairs:
            yield pair, *self.intervals[pair.first, pair.second]


def worker_agreement(
    *, project: Project, limit: int | None = None, among: QuerySet[Item] | None = None
) -> AgreementReport:
    """Every two generators over the items both annotated; with `limit`, over that many items from
    the beginning of the project's seeded shuffle, with `among` over no others than these. What people
    write in a round of training is not among it."""
    accepted = (
        Submission.objects.accepted()
        .filter(role=Role.GENERATOR, item=OuterRef("pk"))
        .order_by()
        .values("item")
        .annotate(n=Count("pk"))
    )
    # Counted item by item: the database can stop at the limit.
    items = project.items.filter(in_production=True)
    items = items.annotate(accepted=Subquery(accepted.values("n"))).filter(accepted__gte=2)
    if among is not None:
        items = items.filter(pk__in=among.values("pk"))
    chosen = items.order_by("position", "pk")[:limit]
    return _report(_of_workers(project, chosen), project.seed)


def consolidation_agreement(
    *, project: Project, disjoint: bool, among: QuerySet[Item] | None = None
) -> AgreementReport:
    """First against second consolidations of the same items; with `disjoint` only where the two
    teams (generators and consolidator) share nobody, with `among` of no others than these items."""
    scheme = get_scheme(project.scheme)
    found: Annotations = {"first": {}, "second": {}}
    teams: dict[tuple[str, Hashable], frozenset[int | None]] = {}
    golds = Gold.objects.filter(
        item__project=project, case__place__lte=1, submission__isnull=False
    ).order_by("version")
    if among is not None:
        golds = golds.filter(item__in=among.values("pk"))
    twice = golds.filter(item__cases__place=1).distinct()
    for gold in twice.select_related("case", "submission").prefetch_related(
        "case__sources__submission"
    ):
        assert gold.case
        assert gold.submission
        name = ("first", "second")[gold.case.place]
        found[name][gold.item_id] = scheme.labelled_spans(gold.content)
        generators = [one.submission.worker_id for one in gold.case.sources.all()]
        teams[name, gold.item_id] = frozenset([*generators, gold.submission.worker_id])
    if disjoint:
        for item in found["first"].keys() & found["second"].keys():
            if teams["first", item] & teams["second", item]:
                del found["second"][item]
    return _report(found, project.seed)


def _of_workers(project: Project, items: QuerySet[Item]) -> Annotations:
    scheme = get_scheme(project.scheme)
    found: Annotations = {}
    done = Submission.objects.accepted().filter(
        role=Role.GENERATOR, item__in=list(items.values_list("pk", flat=True))
    )
    rows = done.order_by("worker__pseudonym", "item_id").values_list(
        "worker__pseudonym", "item_id", "content"
    )
    for worker, item, content in rows.iterator(chunk_size=CHUNK):
        found.setdefault(worker, {})[item] = scheme.labelled_spans(content)
    return found


def _report(annotations: Annotations, seed: int) -> AgreementReport:
    by_pair = _scores(annotations)
    by_item: dict[Hashable, list[ItemScore]] = {}
    for scores in by_pair.values():
        for item, score in scores.items():
            by_item.setdefault(item, []).append(score)
    summed = [
        ItemScore(micro_sum(one.ua for one in each), micro_sum(one.la for one in each))
        for each in by_item.values()
    ]
    return AgreementReport(
        pairwise_agreement(annotations),
        len(by_item),
        *_intervals(summed, seed),
        {pair: _intervals(list(scores.values()), seed) for pair, scores in by_pair.items()},
    )


def _scores(annotations: Annotations) -> dict[tuple[Hashable, Hashable], dict[Hashable, ItemScore]]:
    found: dict[tuple[Hashable, Hashable], dict[Hashable, ItemScore]] = {}
    for (first, ours), (second, theirs) in combinations(annotations.items(), 2):
        shared = {item: both_ways(ours[item], theirs[item]) for item in ours if item in theirs}
        if shared:
            found[first, second] = shared
    return found


def _intervals(scores: list[ItemScore], seed: int) -> tuple[Interval, Interval]:
    return _f1_interval([one.ua for one in scores], seed), _f1_interval(
        [one.la for one in scores], seed
    )


def _f1_interval(counts: list[Counts], seed: int) -> Interval:
    if not counts:
        return Interval(None, None, 0.95, 1.0)
    # The same draws for UA and LA; numpy takes no negative seed.
    return bootstrap_counts(counts, repetitions=REPETITIONS, seed=abs(seed))["f1"]
