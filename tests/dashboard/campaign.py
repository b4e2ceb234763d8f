"""Factories for a campaign of any size, written directly to the tables.

The items take turns in four states: unpublished, generating, with an open case, and consolidated.
An item in generation has an accepted annotation and one that awaits review.
"""

from datetime import UTC, datetime, timedelta

from django.contrib.auth import get_user_model

from annotation.enums import SubmissionState
from annotation.models import Batch, Item, Sentence, Submission, Task, TaskItem
from audit.models import StateChange
from consolidation.enums import CaseState, GoldSource
from consolidation.models import Case, CaseSource, CaseTask, Gold
from crowd.domain.provider.fees import fee_cents
from crowd.enums import (
    DEFAULT_PROVIDER,
    AssignmentState,
    HitState,
    LedgerKind,
    PaymentKind,
    PaymentState,
)
from crowd.models import Assignment, Budget, Hit, HitType, LedgerEntry, Payment, Worker
from projects.domain.create_project import create_project
from projects.enums import MemberRole, Role
from projects.models import Membership, Project

START = datetime(2026, 9, 1, 9, 0, tzinfo=UTC)
WORDS = ["The", "committee", "rejected", "the", "proposal", "after", "a", "long", "debate", "."]
TARGET = {
    "verb_idx": 2,
    "verb": "rejected",
    "forms": {
        "stem": "reject",
        "presentSingular3rd": "rejects",
        "presentParticiple": "rejecting",
        "past": "rejected",
        "pastParticiple": "rejected",
    },
}
CONTENT = {
    "questions": [
        {"question": "Who rejected something?", "answers": [[0, 2]]},
        {"question": "What did someone reject?", "answers": [[3, 5]]},
        {"question": "When did someone reject something?", "answers": [[5, 9]]},
    ]
}
# The consolidator keeps the first annotator's questions.
JUDGED = {
    "questions": [
        {**one, "source": {"submission": 0, "question": at}, "verdict": "keep", "same_as": None}
        for at, one in enumerate(CONTENT["questions"])
    ]
}
TARGET = {
    "verb_idx": 2,
    "verb": "rejected",
    "forms": {
        "stem": "reject",
        "presentSingular3rd": "rejects",
        "presentParticiple": "rejecting",
        "past": "rejected",
        "pastParticiple": "rejected",
    },
}
PAYMENTS = ((PaymentKind.REWARD, 5), (PaymentKind.BONUS, 5))


def make_project(slug: str = "demo", *, cap_cents: int | None = 5_000_000) -> Project:
    return create_project(
        slug=slug,
        scheme="qasrl",
        title=f"Project {slug}",
        pay_scheme="qasrl-2020",
        cap_cents=cap_cents,
        now=START,
    )


def make_user(name: str, project: Project | None = None, *roles: MemberRole):
    user = get_user_model().objects.create_user(name, password="a long enough password")
    for role in roles:
        Membership.objects.create(project=project, user=user, role=role)
    return user


def add_items(project: Project, count: int) -> list[Item]:
    begin = project.items.count()
    sentences = Sentence.objects.bulk_create(
        Sentence(
            project=project,
            external_id=f"wiki:{at}",
            tokens=[*WORDS[:-1], f"number{at}", "."],
            domain=("wikinews", "wikipedia")[at % 2],
            partition=("dev", "test")[at % 2],
        )
        for at in range(begin, begin + count)
    )
    return Item.objects.bulk_create(
        Item(
            project=project,
            sentence=sentence,
            key=f"{sentence.external_id}/2",
            target=TARGET,
            position=(begin + at) * 1000,
        )
        for at, sentence in enumerate(sentences)
    )


def add_workers(count: int) -> list[Worker]:
    begin = Worker.objects.count()
    return Worker.objects.bulk_create(
        Worker(provider="mturk", external_id=f"ASECRET{at:04}", first_seen_at=START)
        for at in range(begin, begin + count)
    )


class Campaign:
    """A project with `count` items in all states and submissions of `workers` workers."""

    def __init__(self, project: Project, count: int, *, workers: int = 6) -> None:
        self.project = project
        self.items: list[Item] = []
        self.workers: list[Worker] = []
        self.hit_type = HitType.objects.create(
            provider="mturk",
            fingerprint=project.slug,
            title="Questions",
            description="?",
            reward_cents=5,
            assignment_seconds=3600,
            auto_approval_seconds=86400,
        )
        self.batches = {
            role: Batch.objects.create(
                project=project, role=role, title="Questions", reward_cents=5, created_at=START
            )
            for role in (Role.GENERATOR, Role.CONSOLIDATOR)
        }
        self.add(count, workers=workers)

    def add(self, count: int, *, workers: int = 0) -> None:
        """Add `count` items in all states, and `workers` workers who annotate them."""
        self.workers += add_workers(workers)
        items = add_items(self.project, count)
        self.items += items
        pending, advanced, done = items[1::4], items[2::4] + items[3::4], items[3::4]
        tasks = self._publish(pending + advanced, Role.GENERATOR, assignments=2)
        self._submit(pending + advanced, tasks, Role.GENERATOR, 0)
        self._submit(advanced, tasks, Role.GENERATOR, 1)
        problem = "The crowd provider has different content for this item."
        self._submit(pending, tasks, Role.GENERATOR, 1, problem=problem)
        self._cases(advanced, done=done)
        self._balance()

    def _publish(self, items: list[Item], role: Role, *, assignments: int) -> dict[int, Task]:
        hits = Hit.objects.bulk_create(
            Hit(
                hit_type=self.hit_type,
                budget=self.project.budget,
                token=f"{self.project.slug}-{role}-{item.pk}",
                url="https://example.org/",
                max_assignments=assignments,
                lifetime_seconds=86400,
                state=HitState.LIVE,
                external_id=f"3HIT{role[:1].upper()}{item.pk}",
                prepared_at=START,
                created_at=START,
            )
            for item in items
        )
        tasks = Task.objects.bulk_create(
            Task(batch=self.batches[role], hit=hit, role=role) for hit in hits
        )
        TaskItem.objects.bulk_create(
            TaskItem(task=task, item=item, role=role)
            for task, item in zip(tasks, items, strict=True)
        )
        LedgerEntry.objects.bulk_create(
            self._entry(LedgerKind.RESERVE, hit, 30 * assignments, 6 * assignments, "hit")
            for hit in hits
        )
        return {item.pk: task for item, task in zip(items, tasks, strict=True)}

    def _submit(
        self,
        items: list[Item],
        tasks: dict[int, Task],
        role: Role,
        who: int,
        *,
        problem: str = "",
    ) -> list[Submission]:
        decided = not problem
        at = START + timedelta(hours=1)
        assignments = Assignment.objects.bulk_create(
            Assignment(
                hit=tasks[item.pk].hit,
                worker=self.workers[(item.pk + who) % len(self.workers)],
                external_id=f"3ASG{role[:1].upper()}{item.pk}N{who}",
                state=AssignmentState.APPROVED if decided else AssignmentState.SUBMITTED,
                accepted_at=START,
                submitted_at=at,
                decided_at=at if decided else None,
                recorded_at=at,
            )
            for item in items
        )
        if decided:
            self._pay(assignments)
        submissions = Submission.objects.bulk_create(
            Submission(
                item=item,
                role=role,
                worker=assignment.worker,
                assignment=assignment,
                content=JUDGED if role == Role.CONSOLIDATOR else CONTENT,
                schema_version=1,
                state=SubmissionState.ACCEPTED if decided else SubmissionState.SUBMITTED,
                problem=problem,
                other_version=None if decided else {"questions": CONTENT["questions"][:1]},
                opened_at=START,
                submitted_at=at,
                active_seconds=60 + item.pk % 50,
            )
            for item, assignment in zip(items, assignments, strict=True)
        )
        StateChange.objects.bulk_create(
            StateChange(
                aggregate="annotation.Submission",
                object_id=submission.pk,
                old="",
                new="submitted",
                actor="marketplace",
                at=at,
            )
            for submission in submissions
        )
        return submissions

    def _pay(self, assignments: list[Assignment]) -> None:
        payments = Payment.objects.bulk_create(
            Payment(
                assignment=assignment,
                kind=kind,
                amount_cents=amount + assignment.pk % 3,
                fee_cents=fee_cents(amount, provider=DEFAULT_PROVIDER),
                token=f"ts-{kind}-{assignment.worker_id}-{assignment.external_id}",
                reason="3 questions",
                state=PaymentState.CONFIRMED,
                intended_at=START,
                confirmed_at=START + timedelta(hours=2),
            )
            for assignment in assignments
            for kind, amount in PAYMENTS
        )
        LedgerEntry.objects.bulk_create(
            self._entry(
                LedgerKind.SETTLE,
                payment.assignment.hit,
                payment.amount_cents,
                payment.fee_cents,
                payment.token,
                payment,
            )
            for payment in payments
        )

    def _entry(self, kind, hit, amount, fee, key, payment=None) -> LedgerEntry:  # noqa: PLR0917
        return LedgerEntry(
            budget=self.project.budget,
            kind=kind,
            amount_cents=amount,
            fee_cents=fee,
            key=f"{kind}:{hit.pk}:{key}",
            hit=hit,
            payment=payment,
            at=START + timedelta(hours=2),
        )

    def _cases(self, items: list[Item], *, done: list[Item]) -> None:
        finished = set(done)
        tasks = self._publish(items, Role.CONSOLIDATOR, assignments=1)
        cases = Case.objects.bulk_create(
            Case(
                item=item,
                state=CaseState.CONSOLIDATED if item in finished else CaseState.OFFERED,
                task=tasks[item.pk],
                opened_at=START,
            )
            for item in items
        )
        CaseTask.objects.bulk_create(CaseTask(case=case, task=case.task) for case in cases)
        by_item = {case.item_id: case for case in cases}
        CaseSource.objects.bulk_create(
            CaseSource(case=by_item[submission.item_id], submission=submission, position=position)
            for item in items
            for position, submission in enumerate(item.submissions.all())
        )
        Gold.objects.bulk_create(
            Gold(
                item_id=submission.item_id,
                source=GoldSource.CONSOLIDATED,
                version=1,
                content=CONTENT,
                schema_version=1,
                provenance=[{"source": 0, "kept": True}] * 3,
                case=by_item[submission.item_id],
                submission=submission,
                created_at=START + timedelta(hours=3),
            )
            for submission in self._submit(done, tasks, Role.CONSOLIDATOR, 2)
        )

    def _balance(self) -> None:
        """Set the sums of the budget from its entries."""
        sums = dict.fromkeys(LedgerKind, 0)
        for kind, amount, fee in LedgerEntry.objects.filter(budget=self.project.budget).values_list(
            "kind", "amount_cents", "fee_cents"
        ):
            sums[LedgerKind(kind)] += amount + fee
        Budget.objects.filter(pk=self.project.budget_id).update(
            reserved_cents=sums[LedgerKind.RESERVE]
            - sums[LedgerKind.RELEASE]
            - sums[LedgerKind.SETTLE],
            spent_cents=sums[LedgerKind.SETTLE],
        )
        self.project.budget.refresh_from_db()
