"""Tests of a campaign under verification on our own marketplace.

`make test-long` kills its sweeps at random statements. Each item must end once, with gold or
disputed, and all work must be paid once.
"""

import json
import random

import pytest
from django.db.models import Count

from annotation.domain.publishing.publish import publish_batch
from annotation.domain.work.record_generations import record_new_generations
from annotation.models import Item, Sentence, Submission
from consolidation.domain.cases.open_cases import open_due_cases, publish_open_cases
from consolidation.domain.cases.record_work import record_new_case_work
from consolidation.domain.cases.republish_cases import republish_due_cases
from consolidation.domain.cases.revise import (
    accept_due_revisions,
    give_up_revisions,
    publish_due_revisions,
)
from consolidation.enums import CaseState
from consolidation.models import Case, Dispute, Gold, QueuedItem
from consolidation.protocols.verification import VERIFICATION
from crowd.domain.hits.create_hits import create_pending_hits
from crowd.domain.hits.manage_hits import send_due_ends, send_due_increases
from crowd.domain.hits.sync_hits import sync_due_hits
from crowd.domain.money.send_payments import send_due_payments
from crowd.domain.workers.qualifications import send_due_grants
from crowd.models import Assignment, Hit, Payment
from jobs.models import SweepFailure
from marketplace.domain.errors import RefusalError
from projects.domain.choose_protocol import choose_protocol
from projects.domain.create_project import create_project
from projects.models import Project
from rehearsal.domain.workers_setup import train
from schemes.registry import SCHEMES
from tests.crowd.in_process import finish, join
from tests.crowd.test_killed_processes import SuddenEnd, killed_in
from tests.crowd.test_ledger import balance, cached
from tests.schemes.labels.scheme import SCHEME

pytestmark = pytest.mark.django_db(transaction=True)

ITEMS, PEOPLE = 4, 4
SWEEPS = (
    send_due_grants,
    create_pending_hits,
    send_due_increases,
    send_due_ends,
    sync_due_hits,
    record_new_generations,
    open_due_cases,
    publish_open_cases,
    publish_due_revisions,
    record_new_case_work,
    accept_due_revisions,
    VERIFICATION.write_due_gold,
    send_due_payments,
    republish_due_cases,
    give_up_revisions,
)
LABELS = ("positive", "negative", "neutral")


@pytest.fixture(autouse=True)
def _registered(monkeypatch) -> None:
    monkeypatch.setitem(SCHEMES, SCHEME.name, SCHEME)


class Campaign:
    def __init__(self, project: Project, clock, seed: int, *, kills: bool) -> None:
        self.project, self.clock, self.kills = project, clock, kills
        self.dice = random.Random(seed)
        self.people = [join(number) for number in range(PEOPLE)]
        self.killed = 0
        # Qualification values keep authors from verifying their work.
        train(project=project, worker_ids=[person.code for person in self.people], now=clock())

    def sweep(self) -> None:
        """Run all sweeps. With `kills`, every second sweep runs in a process that may be killed."""
        for work in SWEEPS:
            if not self.kills or self.dice.random() < 0.5:
                work(clock=self.clock)
                continue
            end = SuddenEnd(int(60 ** self.dice.random()), carried_out=self.dice.random() < 0.5)
            self.killed += killed_in(lambda work=work: work(clock=self.clock), end)

    def work(self) -> None:
        """Submit work on each live HIT. HITs refuse people who may not accept them."""
        for hit in Hit.objects.filter(state="live").select_related("task").order_by("pk"):
            person = self.dice.choice(self.people)
            content = {"label": self.dice.choice(LABELS)}
            if hit.task.role == "validator":
                content = {"valid": self.dice.random() < 0.5}
            try:
                finish(hit, person, json.dumps({str(hit.task.items.get().pk): content}))
            except RefusalError:
                continue

    def is_over(self) -> bool:
        final = Case.objects.filter(state__in=[CaseState.VALIDATED, CaseState.DISPUTED])
        return final.count() == ITEMS and not Payment.objects.exclude(state="confirmed").exists()


@pytest.mark.parametrize(
    ("seed", "kills"),
    [(0, False), *(pytest.param(seed, True, marks=pytest.mark.long) for seed in range(20))],
)
def test_every_item_ends_once_and_all_work_is_paid_once(wire, clock, seed, kills):
    project = create_project(slug="moods", scheme="labels", now=clock())
    project = choose_protocol(
        project=project, protocol="verification", revisions=2, actor="test", now=clock()
    )
    for number in range(ITEMS):
        sentence = Sentence.objects.create(project=project, external_id=f"s{number}", tokens=["A"])
        Item.objects.create(
            project=project, sentence=sentence, key=f"s{number}:0", target={}, position=number
        )
    publish_batch(project=project, now=clock())
    campaign = Campaign(project, clock, seed, kills=kills)
    for _ in range(120):
        if campaign.is_over():
            break
        campaign.sweep()
        campaign.work()
        clock.skip(seconds=300)
    assert campaign.is_over(), dict(Case.objects.values_list("state").annotate(n=Count("pk")))
    assert bool(campaign.killed) == kills
    validated = Case.objects.filter(state=CaseState.VALIDATED)
    assert Gold.objects.count() == validated.count()
    disputed = Case.objects.filter(state=CaseState.DISPUTED)
    assert sorted(QueuedItem.objects.values_list("item", flat=True)) == sorted(
        disputed.values_list("item", flat=True)
    )
    for case in Case.objects.all():
        disputes = list(case.disputes.all())
        rounds = list(range(case.round + (case.state == CaseState.DISPUTED)))
        assert [dispute.round for dispute in disputes] == rounds
        assert [dispute.revision is not None for dispute in disputes] == [
            round < case.round for round in rounds
        ]
    assert Dispute.objects.exists()
    _check_authors()
    done = Assignment.objects.count()
    assert Submission.objects.count() == done
    assert Payment.objects.filter(kind="reward").count() == done
    project.budget.refresh_from_db()
    assert cached(project.budget) == balance(project.budget)
    assert project.budget.reserved_cents == 0
    assert not SweepFailure.objects.exists()


def _check_authors() -> None:
    """Check that annotations are revised by their authors and verified by others."""
    for item in Item.objects.all():
        people = item.submissions.values_list("role", "worker")
        author = {worker for role, worker in people if role == "generator"}
        assert {worker for role, worker in people if role == "reviser"} <= author
        assert not {worker for role, worker in people if role == "validator"} & author
