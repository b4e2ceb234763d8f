"""Reads of projects, items and submissions that pages and the API share."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import connection
from django.db.models import Avg, Count, Exists, F, OuterRef, Q, QuerySet, Sum, TextField
from django.db.models.functions import Cast

from annotation.domain.publish import terms_of
from annotation.domain.qualification_codes import qualifications_of
from annotation.enums import MemberRole, Role, SubmissionState
from annotation.models import Batch, Item, Membership, Project, Sentence, Submission, TaskItem
from crowd.domain.pay_scheme import bonus_cents
from crowd.domain.prepare_hits import HitTerms, slot_cents
from crowd.enums import AssignmentState, LedgerKind
from crowd.models import (
    Assignment,
    Hit,
    HitType,
    LedgerEntry,
    Payment,
    QualificationGrant,
    Worker,
)

User = AbstractBaseUser | AnonymousUser

# --- who sees what ---------------------------------------------------------------------------


def projects_of(*, user: User) -> QuerySet[Project]:
    """The projects that the user has a role in; all of them for a superuser. By title."""
    projects = Project.objects.select_related("budget").order_by("title", "pk")
    if getattr(user, "is_superuser", False):
        return projects
    return projects.filter(Exists(Membership.objects.filter(project=OuterRef("pk"), user=user.pk)))


def roles_in(*, project: Project, user: User) -> frozenset[str]:
    """The user's roles in the project; every one for a superuser."""
    if getattr(user, "is_superuser", False):
        return frozenset(MemberRole.values)
    return frozenset(project.memberships.filter(user=user.pk).values_list("role", flat=True))


# --- items -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """A project's items in production, and those of them offered for generation at least once."""

    items: int
    offered: int

    @property
    def unoffered(self) -> int:
        return self.items - self.offered


def offered_for_generation() -> Exists:
    """For filters of items: whether the item has been offered to generators."""
    return Exists(TaskItem.objects.filter(item=OuterRef("pk"), role=Role.GENERATOR))


def count_items(*, project: Project) -> ItemCounts:
    items = project.items.filter(in_production=True)
    return ItemCounts(items=items.count(), offered=items.filter(offered_for_generation()).count())


def counts_by_project(*, projects: Collection[Project]) -> dict[int, int]:
    """Project id -> number of items, for the projects given."""
    rows = Item.objects.filter(project__in=projects).values_list("project")
    return dict(rows.annotate(n=Count("pk")).order_by())


@dataclass(frozen=True, slots=True)
class CorpusSize:
    """A project's sentences, and its items in production."""

    sentences: int
    items: int


def corpus_size(*, project: Project) -> CorpusSize:
    return CorpusSize(
        sentences=project.sentences.count(),
        items=project.items.filter(in_production=True).count(),
    )


def items_with_text(text: str, *, project: Project) -> Q:
    """For querysets of the project's items: whether the sentence holds `text` (its last word may be a
    beginning), or the key does."""
    # Tokens are stored as JSON text: the words of a phrase stand in it as `one", "two`. SQLite
    # holds it as Python wrote it, with \\u escapes; PostgreSQL holds characters.
    escape = connection.vendor == "sqlite"
    phrase = json.dumps(text.split(), ensure_ascii=escape)[2:-2]
    written = project.sentences.alias(text=Cast("tokens", TextField()))
    found = written.filter(text__icontains=phrase).values("pk")
    # Each way to be found by its own index; with "or" between them all of the items would be read.
    items = project.items.order_by()
    by_sentence = items.filter(sentence__in=found).values("pk")
    return Q(pk__in=by_sentence.union(items.filter(key__icontains=text).values("pk")))


def sections_of(*, project: Project) -> list[tuple[str, str]]:
    """The pairs (domain, partition) that the project's sentences belong to, sorted."""
    pairs = Sentence.objects.filter(project=project).values_list("domain", "partition")
    return sorted(pairs.distinct())


# --- publishing ------------------------------------------------------------------------------


def generation_cents(*, project: Project, count: int) -> int:
    """What publishing `count` items for generation sets aside, in cents: reward, bonus allowance and
    fees of each generator. Reads only; `publish_batch` reserves the same."""
    terms = terms_of(project, Role.GENERATOR)
    slot = slot_cents(
        HitType(reward_cents=terms["reward_cents"]),
        HitTerms(
            max_assignments=project.generators_per_item,
            lifetime_seconds=Batch._meta.get_field("lifetime_seconds").default,
            bonus_allowance_cents=bonus_cents(terms, terms["allowance_units"]),
        ),
    )
    return sum(slot) * project.generators_per_item * count


@dataclass(frozen=True, slots=True)
class BatchCounts:
    """How many of a batch's HITs and of the submissions on them are in each state."""

    hits: dict[str, int]
    submissions: dict[str, int]


def count_batch(*, batch: Batch) -> BatchCounts:
    hits = Hit.objects.filter(task__batch=batch).order_by().values_list("state")
    submissions = Submission.objects.filter(assignment__hit__task__batch=batch)
    by_state = submissions.order_by().values_list("state")
    return BatchCounts(
        hits=dict(hits.annotate(n=Count("pk"))),
        submissions=dict(by_state.annotate(n=Count("pk"))),
    )


# --- submissions -----------------------------------------------------------------------------


def submissions_of(*, project: Project) -> QuerySet[Submission]:
    """The project's submissions, newest first, with what a list shows of each."""
    return (
        Submission.objects.filter(item__project=project)
        .select_related("item__sentence", "worker", "author", "assignment")
        .order_by("-pk")
    )


def waiting_for_a_person(*, project: Project) -> QuerySet[Submission]:
    """Submissions that were not accepted automatically and that nobody has decided, oldest first."""
    return submissions_of(project=project).filter(WAITS).order_by("pk")


# What the sweep leaves to a person: content with a problem; work on an item that the worker had done
# before (withdrawn at once, but neither paid nor refused); a rejection that the marketplace refused.
WAITS = (Q(state=SubmissionState.SUBMITTED) & ~Q(problem="")) | Q(
    state__in=[SubmissionState.WITHDRAWN, SubmissionState.REJECTED],
    assignment__state=AssignmentState.SUBMITTED,
)


def rejections_of(*, project: Project) -> QuerySet[Assignment]:
    """The project's rejected assignments, with the worker and the work that they carried."""
    refused = [AssignmentState.REJECTING, AssignmentState.REJECTED]
    rows = Assignment.objects.filter(hit__task__batch__project=project, state__in=refused)
    return (
        rows.select_related("worker", "hit__task__batch")
        .prefetch_related("submissions__item__sentence", "submissions__item__project")
        .order_by("-pk")
    )


def can_be_used(submission: Submission) -> bool:
    """Whether it can be accepted: its content is an annotation, and it was not withdrawn."""
    return submission.is_readable and submission.state == SubmissionState.SUBMITTED


def count_submissions(*, project: Project) -> Counter[tuple[str, str]]:
    """(role, state) -> number of submissions. What waits for a person counts under (role, "waiting")."""
    everything = Submission.objects.filter(item__project=project).order_by()
    by_state = everything.values_list("role", "state").annotate(n=Count("pk"))
    # Apart: the many accepted ones need no look at their assignments.
    waiting = everything.filter(WAITS).values_list("role").annotate(n=Count("pk"))
    counts = Counter({(role, state): n for role, state, n in by_state})
    counts.update({(role, "waiting"): n for role, n in waiting})
    return counts


# --- workers ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WorkerFigures:
    """One worker's work in one project. `active_seconds` sums the time spent on submissions."""

    submissions: int = 0
    accepted: int = 0
    rejected: int = 0
    mean_seconds: float | None = None
    active_seconds: int = 0


def workers_of(*, project: Project) -> QuerySet[Worker]:
    """Those who have submitted something in the project, the newest first."""
    own = Submission.objects.filter(worker=OuterRef("pk"), item__project=project)
    return Worker.objects.filter(Exists(own)).order_by("-pk")


def known_workers(*, project: Project) -> QuerySet[Worker]:
    """Those who have submitted something in the project or hold a qualification of it: who has a page
    there."""
    own = Submission.objects.filter(worker=OuterRef("pk"), item__project=project)
    held = QualificationGrant.objects.filter(
        worker=OuterRef("pk"), qualification_type__in=qualifications_of(project).values("pk")
    )
    return Worker.objects.filter(Exists(own) | Exists(held))


@dataclass(frozen=True, slots=True)
class Work:
    """A worker's figures in a project, and the cents confirmed to have been paid to them."""

    figures: WorkerFigures = WorkerFigures()
    earned_cents: int = 0


def work_of_everyone(*, project: Project) -> dict[int, Work]:
    """Worker id -> what they did in the project and earned by it, for all who did anything."""
    figures, earned = worker_figures(project=project), earned_in(project=project)
    return {
        pk: Work(figures.get(pk, WorkerFigures()), earned.get(pk, 0)) for pk in figures | earned
    }


def worker_figures(*, project: Project) -> dict[int, WorkerFigures]:
    """Worker id -> figures, in one query for all who submitted anything."""
    rows = (
        Submission.objects.filter(item__project=project, worker__isnull=False)
        .values_list("worker")
        .annotate(
            n=Count("pk"),
            accepted=Count("pk", filter=Q(state=SubmissionState.ACCEPTED)),
            rejected=Count("pk", filter=Q(state=SubmissionState.REJECTED)),
            mean=Avg("active_seconds"),
            total=Sum("active_seconds"),
        )
        .order_by()
    )
    return {pk: WorkerFigures(*figures) for pk, *figures in rows}


def earned_in(*, project: Project) -> dict[int, int]:
    """Worker id -> cents confirmed to have been paid to them in the project, fees not counted."""
    rows = settled_entries(project=project).values_list("payment__assignment__worker")
    return dict(rows.annotate(sum=Sum(F("amount_cents"))))


# --- costs -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cost:
    """Cents that workers got, and cents that the marketplace took."""

    amount_cents: int = 0
    fee_cents: int = 0

    @property
    def total_cents(self) -> int:
        return self.amount_cents + self.fee_cents

    def shared(self, by: int) -> "Cost":
        return Cost(self.amount_cents // by, self.fee_cents // by)

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.amount_cents + other.amount_cents, self.fee_cents + other.fee_cents)


def settled_entries(*, project: Project) -> QuerySet[LedgerEntry]:
    """What has been paid in the project, entry by entry."""
    return LedgerEntry.objects.filter(budget=project.budget_id, kind=LedgerKind.SETTLE).order_by()


def cost_by_role(*, project: Project) -> dict[str, Cost]:
    """Role -> what its work has cost so far."""
    rows = settled_entries(project=project).values_list("hit__task__role")
    sums = rows.annotate(amount=Sum("amount_cents"), fee=Sum("fee_cents"))
    return {role or "": Cost(amount, fee) for role, amount, fee in sums}


def cost_by_item(*, project: Project, items: QuerySet[Item] | None = None) -> dict[int, Cost]:
    """Item id -> what its work has cost so far, all roles together; of all items, or of those given.
    Items that cost nothing yet are left out; of a HIT with several items each bears the same share
    (rounded down)."""
    several = TaskItem.objects.filter(item__project=project, ordinal__gt=0).values("task")
    settled = settled_entries(project=project).filter(hit__task__isnull=False)
    costs = _cost_alone(settled.exclude(hit__task__in=several), items)
    shared = list(_cost_shared(settled.filter(hit__task__in=several), project))
    wanted = set(items.values_list("pk", flat=True)) if shared and items is not None else None
    for item, part in shared:
        if wanted is None or item in wanted:
            costs[item] = costs.get(item, Cost()) + part
    return costs


def _cost_alone(settled: QuerySet[LedgerEntry], items: QuerySet[Item] | None) -> dict[int, Cost]:
    """Of HITs that hold one item each: added up by the database."""
    if items is not None:
        settled = settled.filter(hit__task__task_items__item__in=items)
    rows = settled.values_list("hit__task__task_items__item")
    sums = rows.annotate(amount=Sum("amount_cents"), fee=Sum("fee_cents"))
    return {item: Cost(amount, fee) for item, amount, fee in sums}


def _cost_shared(settled: QuerySet[LedgerEntry], project: Project) -> Iterator[tuple[int, Cost]]:
    """Of HITs that hold several items: each item with its share."""
    rows = settled.values_list("hit__task__pk")
    sums = rows.annotate(amount=Sum("amount_cents"), fee=Sum("fee_cents"))
    by_task = {task: Cost(amount, fee) for task, amount, fee in sums}
    items = TaskItem.objects.filter(item__project=project, task__in=by_task).order_by()
    pairs = list(items.values_list("task_id", "item_id"))
    shares = Counter(task for task, _ in pairs)
    for task, item in pairs:
        yield item, by_task[task].shared(shares[task])


def ledger_of_item(*, item: Item) -> QuerySet[LedgerEntry]:
    """Every movement of money on the item's HITs, oldest first, each with `items_in_hit`."""
    # As numbers: given a subquery, PostgreSQL reads the whole ledger.
    tasks = list(item.tasks.values_list("pk", flat=True))
    return (
        LedgerEntry.objects.filter(hit__task__in=tasks)
        .select_related("hit__task", "payment__assignment__worker")
        .annotate(items_in_hit=Count("hit__task__task_items"))
        .order_by("pk")
    )


def cost_of_entries(*, entries: Iterable[LedgerEntry]) -> Cost:
    """What the item of `ledger_of_item` has cost: its share of each HIT, as in `cost_by_item`."""
    by_hit: dict[int, Cost] = {}
    shares: dict[int, int] = {}
    for one in entries:
        if one.kind == LedgerKind.SETTLE:
            cost = Cost(one.amount_cents, one.fee_cents)
            by_hit[one.hit_id] = by_hit.get(one.hit_id, Cost()) + cost
            shares[one.hit_id] = one.items_in_hit  # type: ignore[attr-defined]
    return sum((cost.shared(shares[hit]) for hit, cost in by_hit.items()), Cost())


def newest_payments(*, project: Project, worker: Worker, count: int = 50) -> list[Payment]:
    """Payments for the worker's newest assignments in the project, newest first; at most `count`."""
    own = Assignment.objects.filter(worker=worker, hit__budget=project.budget_id).order_by("-pk")
    # As numbers: joined, PostgreSQL reads every payment there is.
    newest = list(own.values_list("pk", flat=True)[:count])
    return list(Payment.objects.filter(assignment__in=newest).order_by("-pk")[:count])
