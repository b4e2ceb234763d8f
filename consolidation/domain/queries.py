"""Reads of where items stand on their way to gold, shared by pages and the API."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db.models import (
    Count,
    Exists,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.functions import Coalesce

from annotation.domain.queries import (
    Cost,
    cost_by_item,
    items_with_text,
    offered_for_generation,
)
from annotation.enums import Role
from annotation.models import Item, Project, Submission, Task, TaskItem
from audit.models import StateChange
from consolidation.domain.record_gold import own_source
from consolidation.enums import SETTLED, CaseState, ReviewState
from consolidation.models import Case, Gold, Review
from crowd.models import Assignment, Payment


class ItemState(StrEnum):
    """Where an item stands on its way to consolidated or validated gold."""

    NOT_PUBLISHED = "not-published"
    GENERATING = "generating"
    CASE_OPEN = "case-open"
    CONSOLIDATED = "consolidated"
    VALIDATED = "validated"

    @property
    def label(self) -> str:
        return self.value.replace("-", " ")


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """Which items to list; empty means any."""

    state: str = ""
    domain: str = ""
    partition: str = ""
    text: str = ""


def _first_case(**facts: object) -> Exists:
    return Exists(Case.objects.filter(item=OuterRef("pk"), place=0, **facts))


def _in_state(state: str) -> Q:
    return {
        ItemState.NOT_PUBLISHED: Q(~offered_for_generation()) & Q(~_first_case()),
        ItemState.GENERATING: Q(offered_for_generation()) & Q(~_first_case()),
        ItemState.CASE_OPEN: Q(_first_case()) & Q(~_first_case(state__in=SETTLED)),
        ItemState.CONSOLIDATED: Q(_first_case(state=CaseState.CONSOLIDATED)),
        ItemState.VALIDATED: Q(_first_case(state=CaseState.VALIDATED)),
    }[ItemState(state)]


def items_of(*, project: Project, wanted: ItemFilter) -> QuerySet[Item]:
    """The project's items in publishing order, each with `offered`, `generations` (accepted ones),
    `case_state` (None without a case) and `golds` (number of versions from all sources)."""
    items = project.items.select_related("sentence").order_by("position", "pk")
    return narrowed(items, wanted, project=project).annotate(
        # Looked up for each row: of Exists, among what is selected, PostgreSQL makes a table of all
        # offers of everything.
        offered=Coalesce(Subquery(_offers().values_list(Value(True))[:1]), False),
        case_state=Subquery(Case.objects.filter(item=OuterRef("pk"), place=0).values("state")[:1]),
        generations=_count(_generations(project)),
        golds=_count(Gold.objects.all()),
    )


def _offers() -> QuerySet[TaskItem]:
    return TaskItem.objects.filter(item=OuterRef("pk"), role=Role.GENERATOR)


def _generations(project: Project) -> QuerySet[Submission]:
    """Accepted ones; not those of experiments on agreement."""
    done = Submission.objects.accepted().filter(role=Role.GENERATOR)
    again = list(project.experiments.values_list("batch", flat=True))
    if not again:
        return done
    return done.exclude(assignment__hit__in=Task.objects.filter(batch__in=again).values("hit"))


def narrowed(items: QuerySet[Item], wanted: ItemFilter, *, project: Project) -> QuerySet[Item]:
    """Those of the project's items that are wanted."""
    if wanted.state:
        items = items.filter(_in_state(wanted.state))
    if wanted.domain:
        items = items.filter(sentence__domain=wanted.domain)
    if wanted.partition:
        items = items.filter(sentence__partition=wanted.partition)
    if wanted.text.strip():
        items = items.filter(items_with_text(wanted.text, project=project))
    return items


def _count(rows: QuerySet[Submission] | QuerySet[Gold]) -> Coalesce:
    counted = rows.filter(item=OuterRef("pk")).order_by().values("item").annotate(n=Count("pk"))
    return Coalesce(Subquery(counted.values("n"), output_field=IntegerField()), 0)


def state_of(*, offered: bool, case_state: str | None) -> ItemState:
    """The state of an item of `items_of`."""
    if case_state in SETTLED:
        return ItemState(case_state)
    if case_state is not None:
        return ItemState.CASE_OPEN
    return ItemState.GENERATING if offered else ItemState.NOT_PUBLISHED


def cases_of(*, project: Project) -> QuerySet[Case]:
    """The project's cases with their items and sources, oldest first."""
    cases = Case.objects.filter(item__project=project).select_related("item")
    return cases.prefetch_related("sources").order_by("pk")


def gold_versions_of(*, project: Project) -> QuerySet[Gold]:
    """Every version of the project's gold, oldest first."""
    return Gold.objects.filter(item__project=project).select_related("item").order_by("pk")


# --- how far a project is ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GoldCounts:
    """A project's first cases by state, its items with gold by source (and with any), those in
    production with gold that the project made itself, and the reviews that wait for an expert."""

    cases: Mapping[str, int]
    items_by_source: Mapping[str, int]
    items: int
    made: int
    reviews: int


def count_gold(*, project: Project) -> GoldCounts:
    cases = Case.objects.filter(item__project=project, place=0).order_by().values_list("state")
    gold = Gold.objects.filter(item__project=project).order_by()
    by_source = gold.values_list("source").annotate(n=Count("item", distinct=True))
    return GoldCounts(
        cases=dict(cases.annotate(n=Count("pk"))),
        items_by_source=dict(by_source),
        items=gold.aggregate(n=Count("item", distinct=True))["n"],
        made=gold.filter(source=own_source(project), version=1, item__in_production=True).count(),
        reviews=Review.objects.filter(gold__item__project=project, state=ReviewState.DRAWN).count(),
    )


def settled_items(*, project: Project) -> QuerySet[Item]:
    """The items whose first case is consolidated or validated."""
    return project.items.filter(_first_case(state__in=SETTLED))


def finished_costs(*, project: Project) -> list[Cost]:
    """What each settled item has cost. Unfinished ones would pull the mean down."""
    done = settled_items(project=project)
    costs = cost_by_item(project=project, items=done)
    return [costs.get(item, Cost()) for item in done.values_list("pk", flat=True)]


def gold_items_by_project(*, projects: list[Project]) -> dict[int, int]:
    """Project id -> number of items with gold of any source, for the projects given."""
    rows = Gold.objects.filter(item__project__in=projects).values_list("item__project")
    return dict(rows.annotate(n=Count("item", distinct=True)).order_by())


# --- one item ----------------------------------------------------------------------------------


def gold_of_item(*, item: Item) -> list[Gold]:
    """Every version from every source, the newest first."""
    rows = item.gold.select_related("submission__worker", "submission__author", "case")
    return list(rows.order_by("-created_at", "-pk"))


@dataclass(frozen=True, slots=True)
class Move:
    """One logged change of state in an item's history."""

    at: datetime
    what: str
    old: str
    new: str
    actor: str
    reason: str


def history_of_item(*, item: Item) -> list[Move]:
    """Every logged change of its HITs, assignments, submissions, payments and cases, oldest first."""
    hits = {"hit__task__items": item}
    owned = {
        "crowd.Hit": item.tasks.values_list("hit"),
        "crowd.Assignment": Assignment.objects.filter(**hits).values_list("pk"),
        "annotation.Submission": item.submissions.values_list("pk"),
        "crowd.Payment": Payment.objects.filter(assignment__hit__task__items=item).values_list(
            "pk"
        ),
        "consolidation.Case": item.cases.values_list("pk"),
        "consolidation.Merge": item.queued.filter(merge__isnull=False).values_list("merge"),
    }
    ours = Q(pk__in=[])
    for aggregate, rows in owned.items():
        # As numbers: given subqueries, PostgreSQL reads the whole log.
        ours |= Q(aggregate=aggregate, object_id__in=[pk for (pk,) in rows])
    return [
        Move(
            at=one.at,
            what=f"{one.aggregate.rpartition('.')[2]} {one.object_id}",
            old=one.old,
            new=one.new,
            actor=one.actor,
            reason=one.reason,
        )
        for one in StateChange.objects.filter(ours).order_by("at", "pk")
    ]
