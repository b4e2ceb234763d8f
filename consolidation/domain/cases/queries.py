"""Queries on the progress of items towards gold, shared by pages and the API."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import (
    Count,
    Exists,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    TextField,
    Value,
)
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce
from django.db.models.lookups import GreaterThan

from annotation.domain.publishing.queries import (
    Cost,
    cost_by_item,
    items_with_text,
    published_for_generation,
    settled_entries,
    training_tasks,
)
from annotation.enums import LIVE
from annotation.models import Item, Submission, TaskItem
from audit.models import StateChange
from consolidation.domain.cases.experiment import experiment_tasks, without_experiments
from consolidation.domain.cases.own_gold import is_own_gold, own_gold
from consolidation.enums import SETTLED, CaseState, GoldSource, ItemState, ReviewState
from consolidation.models import Case, Dispute, Gold, Review
from crowd.models import Assignment, Payment
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project

# The states of a case that people of the protocol's role work on.
IN_WORK = (CaseState.OPEN, CaseState.OFFERED)


def _first_case(**facts: object) -> Exists:
    return Exists(Case.objects.filter(item=OuterRef("pk"), attempt=0, **facts))


def _in_state(state: str) -> Q:
    if state == ItemState.WITHDRAWN:
        return Q(withdrawn_at__isnull=False)
    if state == ItemState.TRAINING:
        return Q(in_production=False, withdrawn_at=None)
    return Q(in_production=True) & _in_production_state(state)


def _in_production_state(state: str) -> Q:
    return {
        ItemState.NOT_PUBLISHED: Q(~published_for_generation()) & Q(~_first_case()),
        ItemState.GENERATING: Q(published_for_generation()) & Q(~_first_case()),
        ItemState.CASE_OPEN: Q(_first_case(state__in=IN_WORK)),
    }.get(ItemState(state)) or Q(_first_case(state=state))


def items_of(*, project: Project, **criteria: Any) -> QuerySet[Item]:
    """Return the project's items in publishing order with annotations. See `narrowed` for criteria.

    The annotations are `offered`, `generations` (number of usable ones), `case_state` (None
    without a case) and `golds` (number of versions from all sources).
    """
    items = project.items.select_related("sentence__image").order_by("position", "pk")
    offers = TaskItem.objects.filter(item=OuterRef("pk"), role=Role.GENERATOR)
    generations = Submission.objects.usable().filter(role=Role.GENERATOR)
    return narrowed(items, project=project, **criteria).annotate(
        # A subquery per row. For a selected Exists, PostgreSQL hashes all offers of all projects.
        offered=Coalesce(Subquery(offers.values_list(Value(True))[:1]), False),
        case_state=Subquery(
            Case.objects.filter(item=OuterRef("pk"), attempt=0)
            .exclude(state=CaseState.REPLACED)
            .values("state")[:1]
        ),
        generations=_count(without_experiments(generations, project=project)),
        wanted=Coalesce("redundancy__people", Value(project.generators_per_item)),
        golds=_count(Gold.objects.all()),
    )


def narrowed(
    items: QuerySet[Item],
    *,
    project: Project,
    state: str = "",
    domain: str = "",
    partition: str = "",
    text: str = "",
    skipped: bool | None = None,
) -> QuerySet[Item]:
    """Return the items that match the criteria. An empty value matches everything."""
    if state:
        items = items.filter(_in_state(state))
    if domain:
        items = items.filter(sentence__domain=domain)
    if partition:
        items = items.filter(sentence__partition=partition)
    if text.strip():
        items = items.filter(items_with_text(text, project=project))
    if skipped is not None:
        is_skipped = _is_skipped(project)
        items = items.filter(is_skipped if skipped else ~is_skipped)
    return items


def _is_skipped(project: Project) -> Q:
    """Match items whose newest gold is a skip, or whose newest annotation is one before there is gold."""
    field = scheme_of(project).content.skip_field
    if not field:
        return Q(pk__in=[])
    gold = Gold.objects.filter(item=OuterRef("pk"))
    annotations = Submission.objects.filter(
        item=OuterRef("pk"), role=Role.GENERATOR, state__in=LIVE
    )
    reasons = [
        Subquery(rows.order_by("-pk").values(reason=KT(f"content__{field}"))[:1])
        for rows in (gold, annotations)
    ]
    reason = Coalesce(*reasons, Value(""), output_field=TextField())
    return Q(GreaterThan(reason, Value("")))


def _count(rows: QuerySet[Submission] | QuerySet[Gold]) -> Coalesce:
    counted = rows.filter(item=OuterRef("pk")).order_by().values("item").annotate(n=Count("pk"))
    return Coalesce(Subquery(counted.values("n"), output_field=IntegerField()), 0)


def state_of(item: Any) -> ItemState:
    """Return the state of an item returned by `items_of`."""
    if item.withdrawn_at is not None:
        return ItemState.WITHDRAWN
    if not item.in_production:
        return ItemState.TRAINING
    if item.case_state in IN_WORK:
        return ItemState.CASE_OPEN
    if item.case_state is not None:
        return ItemState(item.case_state)
    return ItemState.GENERATING if item.offered else ItemState.NOT_PUBLISHED


def cases_of(*, project: Project) -> QuerySet[Case]:
    """Return the project's cases with their items and sources, oldest first."""
    cases = Case.objects.filter(item__project=project).select_related("item")
    return cases.prefetch_related("sources").order_by("pk")


def gold_versions_of(*, project: Project) -> QuerySet[Gold]:
    """Return all versions of the project's gold, oldest first."""
    return Gold.objects.filter(item__project=project).select_related("item").order_by("pk")


def current(golds: QuerySet[Gold]) -> QuerySet[Gold]:
    """Return the gold that no newer version of its item and source replaces."""
    newer = Gold.objects.filter(
        item=OuterRef("item"), source=OuterRef("source"), version__gt=OuterRef("version")
    )
    return golds.filter(~Exists(newer))


@dataclass(frozen=True, slots=True)
class GoldCounts:
    """Counts of a project's cases, gold and reviews.

    `cases` counts first cases by state. `items_by_source` and `items` count items with gold. `made`
    counts items in production whose gold the project produced. `reviews` counts those waiting for
    an expert.
    """

    cases: Mapping[str, int]
    items_by_source: Mapping[str, int]
    items: int
    made: int
    reviews: int


def count_made(*, project: Project) -> int:
    """Return the number of items in production whose gold the project produced."""
    gold = Gold.objects.filter(item__project=project, item__in_production=True)
    return gold.filter(is_own_gold(project), version=1).count()


def count_gold(*, project: Project) -> GoldCounts:
    cases = Case.objects.filter(item__project=project, attempt=0).order_by().values_list("state")
    gold = Gold.objects.filter(item__project=project).order_by()
    by_source = gold.values_list("source").annotate(n=Count("item", distinct=True))
    return GoldCounts(
        cases=dict(cases.annotate(n=Count("pk"))),
        items_by_source=dict(by_source),
        items=gold.aggregate(n=Count("item", distinct=True))["n"],
        made=count_made(project=project),
        reviews=Review.objects.filter(gold__item__project=project, state=ReviewState.DRAWN).count(),
    )


def count_expert_items(*, project: Project) -> int:
    """Return the number of items with an expert's annotation."""
    return Gold.objects.filter(item__project=project, source=GoldSource.EXPERT, version=1).count()


def settled_items(*, project: Project) -> QuerySet[Item]:
    """Return the items whose first case has its gold."""
    return project.items.filter(_first_case(state__in=SETTLED))


def items_with_own_gold(*, project: Project) -> QuerySet[Item]:
    """Return the items with gold that the project itself produced."""
    return project.items.filter(Exists(own_gold(project).filter(item=OuterRef("pk"))))


def disputes_of_item(*, item: Item) -> QuerySet[Dispute]:
    """Return the disputes about the item's annotation, oldest first."""
    rows = Dispute.objects.filter(case__item=item)
    related = ("source__worker", "revision__worker")
    return rows.select_related(*related).prefetch_related("verifications__worker").order_by("round")


def finished_costs(*, project: Project) -> list[Cost]:
    """Return the cost of each settled item, without agreement experiments.

    Unfinished items would lower the mean.
    """
    done = settled_items(project=project)
    experiments = experiment_tasks(project=project)
    without = experiments if experiments.exists() else None
    costs = cost_by_item(project=project, items=done, without=without)
    return [costs.get(item, Cost()) for item in done.order_by("pk").values_list("pk", flat=True)]


def cost_by_step(*, project: Project) -> dict[str, Cost]:
    """Return the cost so far by role in production, of training and of agreement experiments.

    The keys are roles, "training", "experiments", and "" for compensation.
    """
    settled = settled_entries(project=project)
    experiments = experiment_tasks(project=project)
    training = training_tasks(project=project)
    apart = {
        "training": settled.filter(hit__in=training.values("hit")),
        "experiments": settled.filter(hit__in=experiments.values("hit")),
    }
    others = settled.filter(
        *(~Exists(tasks.filter(hit=OuterRef("hit"))) for tasks in (training, experiments))
    )
    by_role = others.values_list("hit__task__role")
    costs = {role or "": cost for role, cost in _summed(by_role)}
    for step, entries in apart.items():
        if sums := list(_summed(entries.values_list("budget"))):
            costs[step] = sums[0][1]
    return costs


def _summed(entries: QuerySet[Any]) -> Iterator[tuple[Any, Cost]]:
    """Yield the cost of each group of ledger entries."""
    for key, amount, fee in entries.annotate(amount=Sum("amount_cents"), fee=Sum("fee_cents")):
        yield key, Cost(amount, fee)


def gold_items_by_project(*, projects: list[Project]) -> dict[int, int]:
    """Return the number of items in production with gold that the project produced, by project id."""
    by_protocol = {project.protocol: project for project in projects}
    if not by_protocol:
        return {}
    own = [
        Q(item__project__protocol=protocol) & is_own_gold(project)
        for protocol, project in by_protocol.items()
    ]
    gold = Gold.objects.filter(reduce(or_, own), item__project__in=projects)
    first = gold.filter(version=1, item__in_production=True).values_list("item__project")
    return dict(first.annotate(n=Count("pk")).order_by())


def gold_of_item(*, item: Item) -> list[Gold]:
    """Return all versions of the item's gold, newest first."""
    rows = item.gold.select_related("submission__worker", "submission__author", "case", "corrects")
    return list(rows.prefetch_related("reviews").order_by("-created_at", "-pk"))


def history_of_item(*, item: Item) -> QuerySet[StateChange]:
    """Return the item's logged state changes, oldest first.

    These are its own, and those of its HITs, assignments, submissions, payments, cases and merges.
    """
    assignments = Assignment.objects.filter(hit__task__items=item)
    owned = {
        "crowd.Hit": item.tasks.values_list("hit"),
        "crowd.Assignment": assignments.values_list("pk"),
        "annotation.Submission": item.submissions.values_list("pk"),
        "crowd.Payment": Payment.objects.filter(assignment__in=assignments).values_list("pk"),
        "consolidation.Case": item.cases.values_list("pk"),
        "consolidation.Merge": item.queued.filter(merge__isnull=False).values_list("merge"),
    }
    ours = Q(aggregate="annotation.Item", object_id=item.pk)
    for aggregate, rows in owned.items():
        # Lists of ids, because PostgreSQL scans the whole log for subqueries.
        ours |= Q(aggregate=aggregate, object_id__in=[pk for (pk,) in rows])
    return StateChange.objects.filter(ours).order_by("at", "pk")
