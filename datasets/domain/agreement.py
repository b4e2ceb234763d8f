"""Agreement of a project's annotators and consolidations (Roit et al. 2020, section 4)."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations

from django.db.models import Count, OuterRef, QuerySet, Subquery

from annotation.models import Item, Submission
from consolidation.models import Gold
from metrics.agreement import Agreement, PairAgreement, both_ways, pairwise_agreement
from metrics.alignment import LabelledSpans
from metrics.argument_scores import ItemScore
from metrics.bootstrap import bootstrap_counts
from metrics.counts import Counts
from metrics.intervals import Interval
from projects.enums import Role
from projects.models import Project
from schemes.registry import get_scheme

REPETITIONS = 1000
CHUNK = 500
Annotations = dict[Hashable, dict[Hashable, LabelledSpans]]


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Agreement by pair of annotators and in total.

    The 95 % intervals of F1 are over the shared items.
    """

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
    return _report(_of_workers(project, chosen), project.seed)


def consolidation_agreement(
    *, project: Project, disjoint: bool, among: QuerySet[Item] | None = None
) -> AgreementReport:
    """Return the agreement of first and second consolidations of the same items.

    With `disjoint`, use only items whose teams (generators and consolidator) share no worker. With
    `among`, use only these items.
    """
    scheme = get_scheme(project.scheme)
    annotations: Annotations = {"first": {}, "second": {}}
    teams: dict[tuple[str, Hashable], frozenset[int | None]] = {}
    golds = Gold.objects.filter(
        item__project=project, case__attempt__lte=1, submission__isnull=False
    ).order_by("version")
    if among is not None:
        golds = golds.filter(item__in=among.values("pk"))
    twice = golds.filter(item__cases__attempt=1).distinct()
    for gold in twice.select_related("case", "submission").prefetch_related(
        "case__sources__submission"
    ):
        assert gold.case
        assert gold.submission
        name = ("first", "second")[gold.case.attempt]
        annotations[name][gold.item_id] = scheme.labelled_spans(gold.content)
        generators = [source.submission.worker_id for source in gold.case.sources.all()]
        teams[name, gold.item_id] = frozenset([*generators, gold.submission.worker_id])
    if disjoint:
        for item in annotations["first"].keys() & annotations["second"].keys():
            if teams["first", item] & teams["second", item]:
                del annotations["second"][item]
    return _report(annotations, project.seed)


def _of_workers(project: Project, items: QuerySet[Item]) -> Annotations:
    scheme = get_scheme(project.scheme)
    annotations: Annotations = {}
    done = Submission.objects.accepted().filter(
        role=Role.GENERATOR, item__in=list(items.values_list("pk", flat=True))
    )
    rows = done.order_by("worker__pseudonym", "item_id").values_list(
        "worker__pseudonym", "item_id", "content"
    )
    for worker, item, content in rows.iterator(chunk_size=CHUNK):
        annotations.setdefault(worker, {})[item] = scheme.labelled_spans(content)
    return annotations


def _report(annotations: Annotations, seed: int) -> AgreementReport:
    by_pair = _scores(annotations)
    by_item: defaultdict[Hashable, ItemScore] = defaultdict(lambda: ItemScore(Counts(), Counts()))
    for scores in by_pair.values():
        for item, score in scores.items():
            total = by_item[item]
            by_item[item] = ItemScore(total.ua + score.ua, total.la + score.la)
    return AgreementReport(
        pairwise_agreement(annotations),
        len(by_item),
        *_intervals(by_item.values(), seed),
        {pair: _intervals(scores.values(), seed) for pair, scores in by_pair.items()},
    )


def _scores(annotations: Annotations) -> dict[tuple[Hashable, Hashable], dict[Hashable, ItemScore]]:
    by_pair: dict[tuple[Hashable, Hashable], dict[Hashable, ItemScore]] = {}
    for (first, ours), (second, theirs) in combinations(annotations.items(), 2):
        shared = {item: both_ways(ours[item], theirs[item]) for item in ours if item in theirs}
        if shared:
            by_pair[first, second] = shared
    return by_pair


def _intervals(scores: Collection[ItemScore], seed: int) -> tuple[Interval, Interval]:
    ua, la = [score.ua for score in scores], [score.la for score in scores]
    return _f1_interval(ua, seed), _f1_interval(la, seed)


def _f1_interval(counts: list[Counts], seed: int) -> Interval:
    if not counts:
        return Interval(None, None, 0.95, 1.0)
    # UA and LA use the same draws. numpy accepts no negative seed.
    return bootstrap_counts(counts, repetitions=REPETITIONS, seed=abs(seed))["f1"]
