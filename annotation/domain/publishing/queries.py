"""Queries of items, submissions, workers and costs, shared by pages and the API."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import (
    Avg,
    Case,
    Count,
    Exists,
    F,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Sum,
    TextField,
    When,
)
from django.db.models.functions import Cast

from annotation.domain.publishing.publish import terms_of
from annotation.domain.publishing.qualification_codes import qualifications_of
from annotation.enums import AppealState, HeldBonusState, SubmissionState
from annotation.models import Batch, HeldBonus, Item, Sentence, Submission, Task, TaskItem
from crowd.domain.money.hit_reservations import HitTerms, place_cents
from crowd.domain.money.pay_scheme import bonus_cents
from crowd.enums import AssignmentState, LedgerKind
from crowd.models import (
    Assignment,
    Hit,
    HitType,
    LedgerEntry,
    Payment,
    QualificationGrant,
    ReceivedMessage,
    Worker,
)
from projects.enums import Role
from projects.models import Project


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """The numbers of a project's items in production and of those published for generation."""

    items: int
    published: int

    @property
    def unpublished(self) -> int:
        return self.items - self.published


def published_for_generation() -> Exists:
    """Return a filter for items that were published to generators."""
    return Exists(TaskItem.objects.filter(item=OuterRef("pk"), role=Role.GENERATOR))


def count_items(*, project: Project) -> ItemCounts:
    items = project.items.filter(in_production=True)
    return ItemCounts(
        items=items.count(), published=items.filter(published_for_generation()).count()
    )


def counts_by_project(*, projects: Collection[Project]) -> dict[int, int]:
    """Return the number of items in production by project id."""
    rows = Item.objects.filter(project__in=projects, in_production=True).values_list("project")
    return dict(rows.annotate(n=Count("pk")).order_by())


@dataclass(frozen=True, slots=True)
class CorpusSize:
    """The numbers of a project's sentences, items in production, and items of training rounds."""

    sentences: int
    items: int
    training_items: int


def corpus_size(*, project: Project) -> CorpusSize:
    return CorpusSize(
        sentences=project.sentences.count(),
        items=project.items.filter(in_production=True).count(),
        training_items=project.items.filter(in_production=False, withdrawn_at=None).count(),
    )


def items_with_text(text: str, *, project: Project) -> Q:
    """Return a filter for items whose sentence or key contains `text`.

    The last word of `text` may be a prefix.
    """
    # Tokens are stored as JSON text, in which a phrase looks like `first", "second`. SQLite stores
    # \\u escapes and PostgreSQL stores characters.
    escape = connection.vendor == "sqlite"
    phrase = json.dumps(text.split(), ensure_ascii=escape)[2:-2]
    sentences = project.sentences.alias(words=Cast("tokens", TextField()))
    written = Q(text__icontains=" ".join(text.split()))
    matches = sentences.filter(written | Q(words__icontains=phrase)).values("pk")
    # Without a trigram index, whose upkeep would take longer than the rest of an import.
    # A union lets PostgreSQL use the index on sentences. With OR it would read all items.
    items = project.items.order_by()
    by_sentence = items.filter(sentence__in=matches).values("pk")
    return Q(pk__in=by_sentence.union(items.filter(key__icontains=text).values("pk")))


def sections_of(*, project: Project) -> list[tuple[str, str]]:
    """Return the sorted (domain, partition) pairs of the project's sentences."""
    pairs = Sentence.objects.filter(project=project).values_list("domain", "partition")
    return sorted(pairs.distinct())


def generation_cents(*, project: Project, count: int) -> int:
    """Return the cents that `publish_batch` reserves for `count` items.

    This covers the reward, bonus allowance and fees of each generator.
    """
    terms = terms_of(project, Role.GENERATOR)
    place = place_cents(
        HitType(provider=project.provider, reward_cents=terms["reward_cents"]),
        HitTerms(
            max_assignments=project.generators_per_item,
            lifetime_seconds=Batch._meta.get_field("lifetime_seconds").default,
            bonus_allowance_cents=bonus_cents(terms, terms["allowance_units"]),
        ),
    )
    return sum(place) * project.generators_per_item * count


def count_batch(*, batch: Batch) -> dict[str, dict[str, int]]:
    """Return the numbers of the batch's `hits` and `submissions`, by state."""
    hits = Hit.objects.filter(task__batch=batch).order_by().values_list("state")
    submissions = Submission.objects.filter(assignment__hit__task__batch=batch).order_by()
    by_state = submissions.values_list("state").annotate(n=Count("pk"))
    return {"hits": dict(hits.annotate(n=Count("pk"))), "submissions": dict(by_state)}


def submissions_of(*, project: Project) -> QuerySet[Submission]:
    """Return the project's submissions, newest first, with the related rows of a list."""
    return (
        Submission.objects.filter(item__project=project)
        .defer("log", "inputs")
        .select_related("item__sentence__image", "worker", "author", "assignment")
        .order_by("-pk")
    )


def waiting_for_a_person(*, project: Project) -> QuerySet[Submission]:
    """Return the submissions that need review, oldest first."""
    return submissions_of(project=project).filter(WAITS).order_by("pk")


def count_waiting(*, project: Project) -> int:
    """Count the submissions that need review, which reads all submissions of the project."""
    return waiting_for_a_person(project=project).count()


# Submissions need review if their content has a problem or the marketplace refused their rejection.
# So do repeats by the same worker, which are withdrawn but undecided.
WAITS = (Q(state=SubmissionState.SUBMITTED) & ~Q(problem="")) | Q(
    state__in=[SubmissionState.WITHDRAWN, SubmissionState.REJECTED],
    assignment__state=AssignmentState.SUBMITTED,
)


def rejections_of(*, project: Project) -> QuerySet[Assignment]:
    """Return the project's rejected assignments, with worker and submissions."""
    refused = [AssignmentState.REJECTING, AssignmentState.REJECTED]
    rows = Assignment.objects.filter(hit__task__batch__project=project, state__in=refused)
    return (
        rows.select_related("worker", "hit__task__batch")
        .prefetch_related("submissions__item__sentence__image", "submissions__item__project")
        .order_by("-pk")
    )


def held_bonuses_of(*, project: Project) -> QuerySet[HeldBonus]:
    """Return the held bonuses that wait for a decision, oldest first."""
    rows = HeldBonus.objects.filter(project=project, state=HeldBonusState.HELD)
    related = rows.select_related(
        "project__budget", "payment__assignment__worker", "payment__assignment__hit__task"
    )
    work = "payment__assignment__submissions__item"
    return related.prefetch_related(f"{work}__sentence__image", f"{work}__project").order_by("pk")


@dataclass(frozen=True, slots=True)
class WaitingPay:
    """A worker's pay that waits for consolidation. The cents are without fees.

    `work` is the number of assignments that are not accepted yet, and `reward_cents` their rewards.
    """

    worker: Worker
    since: datetime
    work: int = 0
    reward_cents: int = 0
    bonuses: int = 0
    bonus_cents: int = 0


def waiting_pay(*, project: Project) -> list[WaitingPay]:
    """Return the pay that waits for consolidation, by worker, the longest wait first."""
    work = waiting_work(project=project).order_by().values_list("worker")
    held = HeldBonus.objects.filter(project=project, state=HeldBonusState.WAITING).order_by()
    rewards = work.annotate(Min("submitted_at"), Count("pk"), Sum("hit__hit_type__reward_cents"))
    bonuses = held.values_list("payment__assignment__worker").annotate(
        Min("held_at"), Count("pk"), Sum("payment__amount_cents")
    )
    by_worker: defaultdict[int, dict[str, Any]] = defaultdict(dict)
    for pk, since, count, cents in rewards:
        by_worker[pk] |= {"since": since, "work": count, "reward_cents": cents}
    for pk, held_at, count, cents in bonuses:
        since = min(held_at, by_worker[pk].get("since", held_at))
        by_worker[pk] |= {"since": since, "bonuses": count, "bonus_cents": cents}
    workers = Worker.objects.in_bulk(by_worker)
    rows = [WaitingPay(worker=workers[pk], **fields) for pk, fields in by_worker.items()]
    return sorted(rows, key=lambda row: (row.since, row.worker.pk))


def waiting_work(*, project: Project) -> QuerySet[Assignment]:
    """Return the assignments whose work waits for consolidation before it is accepted."""
    waiting = Submission.objects.filter(state=SubmissionState.WAITING, item__project=project)
    return Assignment.objects.filter(pk__in=waiting.values("assignment"))


def count_bonuses_to_decide(*, project: Project) -> int:
    """Return the number of bonuses that are held, or declined with an appeal to answer."""
    is_open = Q(state=HeldBonusState.HELD) | Q(appeal__state=AppealState.OPEN)
    return HeldBonus.objects.filter(is_open, project=project).count()


def can_be_used(submission: Submission) -> bool:
    """Return True if the submission is readable and can still be accepted."""
    undecided = (SubmissionState.SUBMITTED, SubmissionState.WAITING)
    return submission.is_readable and submission.state in undecided


def can_be_accepted(assignment: Assignment) -> bool:
    """Return True if all submissions of the assignment can be used or were accepted before."""
    return all(
        submission.state == SubmissionState.ACCEPTED or can_be_used(submission)
        for submission in assignment.submissions.all()
    )


def count_submissions(*, project: Project) -> Counter[tuple[str, str]]:
    """Return the number of submissions by (role, state).

    Submissions that need review also count under (role, "review").
    """
    everything = Submission.objects.filter(item__project=project).order_by()
    by_state = everything.values_list("role", "state").annotate(n=Count("pk"))
    # A separate query avoids joining the assignments of the many accepted submissions.
    waiting = everything.filter(WAITS).values_list("role").annotate(n=Count("pk"))
    counts = Counter({(role, state): n for role, state, n in by_state})
    counts.update({(role, "review"): n for role, n in waiting})
    return counts


@dataclass(frozen=True, slots=True)
class WorkerFigures:
    """A worker's figures in a project, of production or of training.

    `active_seconds` is the total of the submissions. `earned_cents` are confirmed payments.
    """

    submissions: int = 0
    accepted: int = 0
    rejected: int = 0
    mean_seconds: float | None = None
    active_seconds: int = 0
    earned_cents: int = 0


def workers_of(*, project: Project) -> QuerySet[Worker]:
    """Return the workers who have submitted work in the project, newest first."""
    own = Submission.objects.filter(worker=OuterRef("pk"), item__project=project)
    return Worker.objects.filter(Exists(own)).order_by("-pk")


def known_workers(*, project: Project) -> QuerySet[Worker]:
    """Return the workers who worked for, were invited to, wrote to or are qualified in the project."""
    own = Submission.objects.filter(worker=OuterRef("pk"), item__project=project)
    held = QualificationGrant.objects.filter(
        worker=OuterRef("pk"), qualification_type__in=qualifications_of(project).values("pk")
    )
    invited = Worker.objects.filter(pk=OuterRef("pk"), enrolments__round__project=project)
    wrote = ReceivedMessage.objects.filter(worker=OuterRef("pk"), budget=project.budget_id)
    return Worker.objects.filter(Exists(own) | Exists(held) | Exists(invited) | Exists(wrote))


@dataclass(frozen=True, slots=True)
class Work:
    """A worker's figures in a project. Production includes experiments and compensation."""

    production: WorkerFigures = WorkerFigures()
    training: WorkerFigures = WorkerFigures()

    @property
    def earned_cents(self) -> int:
        return self.production.earned_cents + self.training.earned_cents


def work_of_everyone(*, project: Project) -> dict[int, Work]:
    """Return the figures of every worker in the project, by worker id, in three queries."""
    figures, earned = worker_figures(project=project), earned_in(project=project)
    in_training = earned_in_training(project=project)
    work = {}
    for pk in figures.keys() | earned.keys():
        production, training = figures.get(pk, (WorkerFigures(), WorkerFigures()))
        cents = in_training.get(pk, 0)
        work[pk] = Work(
            replace(production, earned_cents=earned.get(pk, 0) - cents),
            replace(training, earned_cents=cents),
        )
    return work


def worker_figures(*, project: Project) -> dict[int, tuple[WorkerFigures, WorkerFigures]]:
    """Return every worker's figures of production and of training, without pay, by worker id."""
    rows = (
        Submission.objects.filter(item__project=project, worker__isnull=False)
        .annotate(is_training=_IS_TRAINING)
        .values("worker_id", "is_training")
        .annotate(
            submissions=Count("pk"),
            accepted=Count("pk", filter=Q(state=SubmissionState.ACCEPTED)),
            rejected=Count("pk", filter=Q(state=SubmissionState.REJECTED)),
            mean_seconds=Avg("active_seconds"),
            total_seconds=Sum("active_seconds"),
        )
        .order_by()
    )
    parts = {
        (row["worker_id"], row["is_training"]): WorkerFigures(
            submissions=row["submissions"],
            accepted=row["accepted"],
            rejected=row["rejected"],
            mean_seconds=row["mean_seconds"],
            active_seconds=row["total_seconds"],
        )
        for row in rows
    }
    return {
        pk: (parts.get((pk, False), WorkerFigures()), parts.get((pk, True), WorkerFigures()))
        for pk, _ in parts
    }


# Withdrawn items were annotated in production.
_IS_TRAINING = Case(
    When(item__in_production=False, item__withdrawn_at=None, then=True), default=False
)


def training_tasks(*, project: Project) -> QuerySet[Task]:
    """Return the tasks with items that are reserved for training."""
    reserved = Item.objects.filter(project=project, in_production=False, withdrawn_at=None)
    return Task.objects.filter(task_items__item__in=reserved)


def earned_in(*, project: Project) -> dict[int, int]:
    """Return the cents confirmed as paid in the project, by worker id, without fees."""
    return _earned(settled_entries(project=project))


def earned_in_training(*, project: Project) -> dict[int, int]:
    """Return the cents confirmed as paid for training, by worker id, without fees."""
    hits = training_tasks(project=project).values("hit")
    return _earned(settled_entries(project=project).filter(hit__in=hits))


def _earned(entries: QuerySet[LedgerEntry]) -> dict[int, int]:
    rows = entries.values_list("payment__assignment__worker")
    return dict(rows.annotate(sum=Sum(F("amount_cents"))))


@dataclass(frozen=True, slots=True)
class Cost:
    """The cents paid to workers and the marketplace's fees."""

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
    """Return the ledger entries of confirmed payments in the project."""
    return LedgerEntry.objects.filter(budget=project.budget_id, kind=LedgerKind.SETTLE).order_by()


def cost_by_role(*, project: Project) -> dict[str, Cost]:
    """Return the cost so far, by role."""
    rows = settled_entries(project=project).values_list("hit__task__role")
    sums = rows.annotate(amount=Sum("amount_cents"), fee=Sum("fee_cents"))
    return {role or "": Cost(amount, fee) for role, amount, fee in sums}


def cost_by_item(
    *,
    project: Project,
    items: QuerySet[Item] | None = None,
    role: str = "",
    without: QuerySet[Task] | None = None,
) -> dict[int, Cost]:
    """Return the cost so far by item id, of one role or of all roles together.

    `without` leaves out the cost of some tasks. Items without cost are left out. The items of a HIT
    share its cost equally, rounded down.
    """
    settled = settled_entries(project=project).filter(hit__task__isnull=False)
    if role:
        settled = settled.filter(hit__task__role=role)
    if without is not None:
        settled = settled.filter(~Exists(without.filter(hit=OuterRef("hit"))))
    several = TaskItem.objects.filter(task=OuterRef("hit__task"), ordinal__gt=0)
    costs = _cost_alone(settled.filter(~Exists(several)), items)
    shared = list(_cost_shared(settled.filter(Exists(several)), project))
    item_ids = set(items.values_list("pk", flat=True)) if shared and items is not None else None
    for item, part in shared:
        if item_ids is None or item in item_ids:
            costs[item] = costs.get(item, Cost()) + part
    return costs


def _cost_alone(settled: QuerySet[LedgerEntry], items: QuerySet[Item] | None) -> dict[int, Cost]:
    """Return the cost by item id for HITs with one item, summed by the database."""
    if items is not None:
        settled = settled.filter(hit__task__task_items__item__in=items)
    rows = settled.values_list("hit__task__task_items__item")
    sums = rows.annotate(amount=Sum("amount_cents"), fee=Sum("fee_cents"))
    return {item: Cost(amount, fee) for item, amount, fee in sums}


def _cost_shared(settled: QuerySet[LedgerEntry], project: Project) -> Iterator[tuple[int, Cost]]:
    """Yield each item's share of the cost of HITs with several items."""
    rows = settled.values_list("hit__task__pk")
    sums = rows.annotate(amount=Sum("amount_cents"), fee=Sum("fee_cents"))
    by_task = {task: Cost(amount, fee) for task, amount, fee in sums}
    items = TaskItem.objects.filter(item__project=project, task__in=by_task).order_by()
    pairs = list(items.values_list("task_id", "item_id"))
    shares = Counter(task for task, _ in pairs)
    for task, item in pairs:
        yield item, by_task[task].shared(shares[task])


def ledger_of_item(*, item: Item) -> QuerySet[LedgerEntry]:
    """Return the ledger entries of the item's HITs, oldest first, with `items_in_hit`."""
    # With a subquery instead of ids, PostgreSQL reads the whole ledger.
    tasks = list(item.tasks.values_list("pk", flat=True))
    return (
        LedgerEntry.objects.filter(hit__task__in=tasks)
        .select_related("hit__task", "payment__assignment__worker")
        .annotate(items_in_hit=Count("hit__task__task_items"))
        .order_by("pk")
    )


def cost_of_entries(*, entries: Iterable[LedgerEntry]) -> Cost:
    """Return the item's share of the entries of `ledger_of_item`, as in `cost_by_item`."""
    by_hit: dict[int, Cost] = {}
    shares: dict[int, int] = {}
    for entry in entries:
        if entry.kind == LedgerKind.SETTLE and entry.hit_id is not None:
            cost = Cost(entry.amount_cents, entry.fee_cents)
            by_hit[entry.hit_id] = by_hit.get(entry.hit_id, Cost()) + cost
            shares[entry.hit_id] = entry.items_in_hit  # type: ignore[attr-defined]
    return sum((cost.shared(shares[hit]) for hit, cost in by_hit.items()), Cost())


def newest_payments(*, project: Project, worker: Worker, count: int = 50) -> list[Payment]:
    """Return up to `count` payments for the worker's newest assignments, newest first."""
    own = Assignment.objects.filter(worker=worker, hit__budget=project.budget_id).order_by("-pk")
    # With a join instead of ids, PostgreSQL reads every payment.
    newest = list(own.values_list("pk", flat=True)[:count])
    return list(Payment.objects.filter(assignment__in=newest).order_by("-pk")[:count])
