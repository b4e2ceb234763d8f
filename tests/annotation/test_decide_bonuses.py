"""Decisions on several held bonuses: their groups, totals, and concurrent decisions."""

import threading

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from annotation.domain.decisions.decide_bonuses import decide_bonuses, held_in_groups
from annotation.models import HeldBonus
from crowd.enums import HitState
from crowd.models import Assignment, Budget, Hit, LedgerEntry, Payment, Worker
from projects.enums import MemberRole
from projects.models import Project
from tests.annotation.factories import NOW, make_item, make_project, make_task
from tests.annotation.test_held_bonuses import QUESTIONS, submit
from tests.dashboard.campaign import make_user

# Each bonus is 5 + 6 + 7 + 8 + 9 = 35 cents, with a fee of 7 cents.
BONUS, FEE = 35, 7


def submit_for(project: Project, worker: Worker | None = None, *, seconds: int = 60) -> Worker:
    """Submit work whose bonus is held, for its number of questions and perhaps for its speed."""
    task = make_task([make_item(project)])
    Hit.objects.filter(pk=task.hit_id).update(
        state=HitState.LIVE, external_id=f"HIT{task.pk}", created_at=NOW
    )
    assignment = submit(task, QUESTIONS, seconds=seconds)
    if worker:
        Assignment.objects.filter(pk=assignment.pk).update(worker=worker)
    return worker or assignment.worker


@pytest.fixture
def project(db) -> Project:
    """A project with three held bonuses of one worker, two of them fast, and one of another."""
    project = make_project()
    first = submit_for(project)
    submit_for(project, first, seconds=3)
    submit_for(project, first, seconds=3)
    submit_for(project, seconds=3)
    return project


@pytest.fixture
def office(project) -> Client:
    client = Client()
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    return client


def url(name: str) -> str:
    return reverse(f"annotation:{name}", args=["news"])


def decide(office: Client, **data: object):
    """Post a decision and confirm it with what the confirmation states."""
    page = office.post(url("decide_bonuses"), data)
    assert page.status_code == 200, page.headers
    confirmed = {**data, "seen": page.context["seen"], "confirmed": "yes"}
    return page, confirmed, office.post(url("decide_bonuses"), confirmed, follow=True)


def bonuses() -> dict[str, int]:
    """Return the number of bonuses by the state of their payment."""
    states = list(Payment.objects.filter(kind="bonus").values_list("state", flat=True))
    return {state: states.count(state) for state in set(states)}


def reserved(project: Project) -> int:
    return Budget.objects.get(pk=project.budget_id).reserved_cents


def notices(response) -> list[str]:
    return [str(message) for message in response.context["messages"]]


def test_groups_have_the_bonuses_of_a_worker_for_the_same_reasons(office, project):
    rows = [(group.codes, group.count, group.cents) for group in held_in_groups(project=project)]
    assert sorted(rows) == [("speed+units", 1, 35), ("speed+units", 2, 70), ("units", 1, 35)]
    page = office.get(url("held_bonuses")).content.decode()
    assert "Fast work, many questions" in page
    assert page.count('name="row"') == 4


def test_group_is_accepted_after_its_total_was_shown(office, project):
    largest = held_in_groups(project=project)[0]
    before = reserved(project)
    page, confirmed, result = decide(office, decision="accept", group=[largest.key], text="Nice.")
    text = page.content.decode()
    assert "Accept 2 held bonuses of $0.70?" in text
    assert "Pay $0.70 for 2 held bonuses" in text
    assert "The marketplace charges $0.14 in fees." in text
    assert notices(result) == ["Accepted: 2 held bonuses. The workers get a message."]
    assert bonuses() == {"pending": 2, "review": 2}
    assert reserved(project) == before
    again = office.post(url("decide_bonuses"), confirmed)
    assert "These bonuses no longer need a decision." in again.content.decode()
    assert bonuses() == {"pending": 2, "review": 2}


def test_selected_bonuses_are_declined_and_their_money_is_released(office, project):
    ids = list(HeldBonus.objects.order_by("pk").values_list("pk", flat=True))
    before = reserved(project)
    assert notices(
        office.post(url("decide_bonuses"), {"decision": "decline", "row": ids}, follow=True)
    )
    assert bonuses() == {"review": 4}
    decide(office, decision="decline", row=ids[:3], text="They repeat each other.")
    assert bonuses() == {"declined": 3, "review": 1}
    assert before - reserved(project) == 3 * (BONUS + FEE)


def test_confirmation_is_asked_again_if_the_total_has_changed(office, project):
    ids = list(HeldBonus.objects.values_list("pk", flat=True))
    page = office.post(url("decide_bonuses"), {"decision": "accept", "row": ids})
    decide(office, decision="accept", row=ids[:1])
    late = {"decision": "accept", "row": ids, "seen": page.context["seen"], "confirmed": "yes"}
    answer = office.post(url("decide_bonuses"), late).content.decode()
    assert "Accept 3 held bonuses of $1.05?" in answer
    assert bonuses() == {"pending": 1, "review": 3}


def test_bonuses_of_another_project_are_not_decided(office, project):
    other = make_project(slug="other")
    submit_for(other)
    theirs = HeldBonus.objects.get(project=other)
    page = office.post(url("decide_bonuses"), {"decision": "accept", "row": [theirs.pk]})
    assert page.context["count"] == 0
    (group,) = held_in_groups(project=other)
    page = office.post(url("decide_bonuses"), {"decision": "accept", "group": [group.key]})
    assert page.context["count"] == 0


@pytest.mark.django_db(transaction=True)
def test_concurrent_decisions_pay_each_bonus_once():
    project = make_project()
    worker = submit_for(project)
    for _ in range(4):
        submit_for(project, worker)
    bonuses_before = list(HeldBonus.objects.order_by("pk"))
    gate, done = threading.Barrier(4), []

    def run(number: int) -> None:
        gate.wait()
        decision = "decline" if number % 2 else "accept"
        try:
            outcome = decide_bonuses(
                bonuses=bonuses_before, decision=decision, text="Note.", actor="rita", now=NOW
            )
            done.extend(held.pk for held in outcome.done)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [held.pk for held in bonuses_before]
    declined = HeldBonus.objects.filter(state="declined").count()
    released = LedgerEntry.objects.filter(kind="release", key__startswith="release:ts-bonus")
    assert released.count() == declined
    assert sum(row.amount_cents + row.fee_cents for row in released) == declined * (BONUS + FEE)
