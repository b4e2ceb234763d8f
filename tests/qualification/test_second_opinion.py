"""Second opinions: blind, once per trainer, and compared with the decisions of others."""

import pytest
from django.test import Client
from django.urls import reverse

from projects.enums import MemberRole
from qualification.domain.training.decide import Verdict, decide
from qualification.domain.training.feedback import Notes, save_feedback
from qualification.domain.training.second_opinion import agreement_of
from qualification.models import Enrolment, SecondOpinion
from tests.crowd.factories import make_worker
from tests.dashboard.campaign import make_user
from tests.qualification.factories import (
    EXPERT,
    LATER,
    WORKER,
    make_rounds,
    open_round,
    work_through,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def enrolments(db) -> list[Enrolment]:
    """Create two evaluated workers. Tina decides on the first one."""
    training_round = make_rounds()[0]
    workers = [make_worker(), make_worker()]
    cohort = open_round(training_round, workers)
    for worker, contents in zip(workers, (EXPERT, WORKER), strict=True):
        work_through(cohort, worker, contents)
    rows = list(training_round.enrolments.order_by("pk"))
    tina = make_user("tina", training_round.project, MemberRole.TRAINER)
    save_feedback(enrolment=rows[0], trainer=tina, notes=Notes("Tina's note."), now=LATER)
    decide(enrolment=rows[0], verdict=Verdict.PASS, reason="", actor="tina", now=LATER)
    return rows


def signed_in(name: str, enrolment) -> Client:
    client = Client()
    client.force_login(make_user(name, enrolment.round.project, MemberRole.TRAINER))
    return client


def at(enrolment, name: str, *more: object) -> str:
    round = enrolment.round
    return reverse(f"qualification:{name}", args=[round.project.slug, round.pk, *more])


def judge(client: Client, enrolment, opinion: str) -> str:
    fields = {"enrolment": enrolment.pk, "opinion": opinion, "comment": "Because."}
    return client.post(at(enrolment, "second_opinion"), fields, follow=True).content.decode()


def test_page_hides_the_decision_and_the_notes_of_others(enrolments):
    first, second = enrolments
    client = signed_in("bob", first)
    page = client.get(at(first, "second_opinion")).content.decode()
    assert f"Second opinion on {first.worker.pseudonym}" in page
    assert "2 workers left" in page
    assert "Tina" not in page
    assert "passed" not in page.partition("<main")[2]
    assert f"Second opinion on {second.worker.pseudonym}" in judge(client, first, "repeat")
    assert "You have judged every evaluated worker" in judge(client, second, "decline")
    judge(client, first, "pass")
    assert list(SecondOpinion.objects.order_by("pk").values_list("opinion", flat=True)) == [
        "repeat",
        "decline",
    ]


def test_trainer_who_decided_gives_no_second_opinion(enrolments):
    first, second = enrolments
    client = Client()
    client.force_login(SecondOpinion._meta.get_field("trainer").related_model.objects.get())
    page = client.get(at(first, "second_opinion")).content.decode()
    assert f"Second opinion on {second.worker.pseudonym}" in page
    judge(client, first, "pass")
    assert not SecondOpinion.objects.exists()


def test_round_shows_the_agreement_with_the_decisions(enrolments):
    first, second = enrolments
    client = signed_in("bob", first)
    assert agreement_of(round=first.round) is None
    judge(client, first, "pass")
    judge(client, second, "decline")
    assert "1 of 1 agree with the decision, 1 await a decision" in client.get(
        at(first, "round")
    ).content.decode().replace("\n", " ")
    # The opinion is hidden from those who still have to decide.
    trainee = at(second, "trainee", second.worker.pseudonym)
    assert "Second opinion of bob" not in client.get(trainee).content.decode()
    decide(enrolment=second, verdict=Verdict.REPEAT, reason="", actor="tina", now=LATER)
    assert "Second opinion of bob: Decline. Because." in client.get(trainee).content.decode()
    agreement = agreement_of(round=first.round)
    assert (agreement.compared, agreement.agreeing, agreement.open) == (2, 1, 0)
    assert agreement.kappa == pytest.approx((0.5 - 0.25) / (1 - 0.25))
