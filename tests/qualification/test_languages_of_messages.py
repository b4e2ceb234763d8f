"""Texts that the site writes to workers are in the language of their pages, and complete in it.

In the pseudo-locale, a word in plain letters is in no catalogue.
"""

import re
from collections.abc import Iterator

import pytest
from django.test import Client
from django.utils import timezone, translation

from annotation.domain.decisions.appeal_bonus import appeal_bonus, decide_appeal
from annotation.domain.decisions.appeal_links import appeal_url
from annotation.domain.decisions.review_bonus import accept_bonus, decline_bonus
from annotation.domain.decisions.send_bonus_news import MIN_AGE, send_bonus_news
from annotation.domain.publishing.publish import publish_batch
from annotation.domain.work.compensate import publish_compensation
from annotation.domain.work.record_generations import record_new_generations
from annotation.models import BonusAppeal, Draft, HeldBonus, Submission
from crowd.domain.sessions.refuse_sessions import request_for
from crowd.domain.workers.write_mail import keep_address
from crowd.enums import HitState, SessionState
from crowd.models import (
    BonusAnnouncement,
    Hit,
    HitType,
    Mail,
    Message,
    Payment,
    QualificationGrant,
    Worker,
)
from projects.enums import Role
from qualification.domain.pool.admit import admit_worker, grant_pools, pool_of
from qualification.domain.rounds.publish_round import invite_workers, publish_round
from qualification.domain.rounds.set_up_rounds import RoundPlan
from qualification.domain.rounds.withdraw_invitation import withdraw_invitation
from qualification.domain.training.decide import Verdict, decide
from qualification.domain.training.feedback import Notes, send_feedback
from qualification.domain.training.invite_passed import add_following_round
from qualification.enums import RoundEntry
from qualification.models import Enrolment
from tests.annotation.factories import make_item, make_project, make_task
from tests.annotation.test_held_bonuses import QUESTIONS
from tests.consolidation.waiting import (
    NOTHING,
    approve_at_marketplace,
    asked,
    consolidate,
    generate,
    make_waiting_project,
    publish,
)
from tests.crowd.factories import NOW, make_assignment, make_session, make_worker
from tests.dashboard.campaign import make_user
from tests.pseudo import LONG, pseudo, pseudo_folder
from tests.qualification.factories import (
    LATER,
    make_evaluated,
    make_items,
    make_passed,
    make_rounds,
    open_round,
    work_through,
)

__all__ = ["pseudo", "pseudo_folder"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("pseudo")]

# Addresses, and the texts of projects, staff and annotations
OWN = re.compile(r"https?://\S+|Training \d|ASSIGNMENT\d+|“[^”]*”|Own words|news")


def speak(language: str = LONG) -> None:
    """Let all workers have used their pages in the language."""
    Worker.objects.update(language=language)
    Message.objects.all().delete()
    Payment.objects.update(reason="")


def written() -> Iterator[str]:
    """Yield all texts for workers, but not those that the site has written to itself."""
    for message in Message.objects.all():
        yield from (message.subject, message.text)
    yield from BonusAnnouncement.objects.values_list("text", flat=True)
    yield from Payment.objects.exclude(kind="reward").values_list("reason", flat=True)
    yield from QualificationGrant.objects.filter(state="revoking").values_list("error", flat=True)


def check_translated(texts: Iterator[str], *, at_least: int) -> None:
    texts = [text for text in texts if text]
    assert len(texts) >= at_least
    words = {text: re.findall(r"[A-Za-z]{3,}", OWN.sub("", text)) for text in texts}
    assert {text: found for text, found in words.items() if found} == {}


@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.REPEAT, Verdict.DECLINE])
@pytest.mark.parametrize("state", ["confirmed", "declined", "review", "pending"])
def test_decisions_of_training(verdict, state):
    enrolment = make_evaluated()
    speak()
    Payment.objects.update(state="confirmed", confirmed_at=LATER)
    Payment.objects.create(
        assignment=Submission.objects.filter(worker=enrolment.worker).first().assignment,
        kind="bonus",
        amount_cents=123_456,
        fee_cents=1,
        token="t",
        intended_at=NOW,
        state=state,
        confirmed_at=LATER if state == "confirmed" else None,
        needs_review=state == "review",
    )
    decide(enrolment=enrolment, verdict=verdict, reason="x", actor="tina", now=LATER)
    check_translated(written(), at_least=2)


def test_last_pass_and_the_mail_of_feedback(settings):
    settings.MAIL_IS_ON = True
    [training_round] = make_rounds(rounds=1)
    worker = make_worker()
    work_through(open_round(training_round, [worker]), worker)
    speak()
    enrolment = Enrolment.objects.get()
    keep_address(worker=enrolment.worker, address="a@example.org", now=NOW)
    tina = make_user("tina")
    send_feedback(enrolment=enrolment, trainer=tina, notes=Notes(text="Own words"), now=LATER)
    decide(enrolment=enrolment, verdict=Verdict.PASS, reason="x", actor="tina", now=LATER)
    check_translated(written(), at_least=4)
    assert Mail.objects.count() == 2
    assert "⟦" in Mail.objects.select_related("message").first().message.subject


@pytest.mark.parametrize("free_units", [0, 2])
def test_invitation_to_a_round_and_its_withdrawal(free_units):
    training_round = make_rounds()[0]
    project = training_round.project
    project.pay_scheme["generator"]["free_units"] = free_units
    project.save()
    worker = make_worker()
    invite_workers(round=training_round, workers=[worker], actor="rita", now=NOW)
    speak()
    publish_round(round=training_round, actor="rita", now=NOW)
    withdraw_invitation(enrolment=Enrolment.objects.get(), actor="rita", now=NOW)
    check_translated(written(), at_least=3)


def test_admission_and_the_round_after_a_pass():
    enrolment = make_passed()
    speak()
    enrolment.worker.refresh_from_db()
    project = enrolment.round.project
    project.title = "--"
    keys = [item.key for item in make_items(project)]
    plan = RoundPlan(title="Training 2", entry=RoundEntry.PASSED, keys=keys)
    add_following_round(project=project, plan=plan, actor="rita", now=LATER)
    admit_worker(
        project=project, worker=enrolment.worker, role="generator", actor="rita", now=LATER
    )
    check_translated(written(), at_least=4)


@pytest.mark.parametrize("allowance", [0, 2])
def test_new_tasks_are_announced_in_each_language_once_a_day(allowance):
    project = make_project()
    project.pay_scheme["generator"]["allowance_units"] = allowance
    project.save()
    for _ in range(3):
        make_item(project)
    workers = [make_worker() for _ in range(3)]
    for worker in workers:
        grant_pools(
            project=project, worker=worker, roles=["generator"], reason="", actor="", now=NOW
        )
    Worker.objects.update(language=LONG)
    Worker.objects.filter(pk=workers[0].pk).update(language="")
    pool = pool_of(project, Role.GENERATOR)
    publish_batch(project=project, now=NOW, limit=1, pool=pool)
    texts = dict(Message.objects.values_list("worker", "text"))
    assert texts[workers[0].pk].startswith("New tasks of the project")
    # Equal texts are sent in one call.
    assert texts[workers[1].pk] == texts[workers[2].pk] != texts[workers[0].pk]
    check_translated((text for pk, text in texts.items() if pk != workers[0].pk), at_least=2)
    # Another language is not another message.
    Worker.objects.filter(pk=workers[1].pk).update(language="de")
    publish_batch(project=project, now=NOW, limit=1, pool=pool)
    assert Message.objects.count() == 3


def hold(questions: list = QUESTIONS, *, seconds: int = 60) -> HeldBonus:
    """Submit work on a page in the pseudo-locale, whose bonus is held."""
    task = make_task([make_item(make_project())])
    Hit.objects.update(state=HitState.LIVE, external_id="HIT1", created_at=NOW)
    assignment = make_assignment(task.hit)
    Draft.objects.create(
        task=task,
        assignment_ref=assignment.external_id,
        worker_ref=assignment.worker.external_id,
        content={str(task.items.get().pk): {"questions": questions}},
        opened_at=NOW,
        saved_at=NOW,
        submitted_at=NOW,
        active_seconds=seconds,
        language=LONG,
    )
    record_new_generations(clock=lambda: NOW)
    return HeldBonus.objects.get()


def send_news() -> None:
    now = timezone.now() + MIN_AGE
    send_bonus_news(clock=lambda: now)


def page_of(held: HeldBonus, language: str) -> str:
    address = appeal_url(held).partition("//")[2].partition("/")[2]
    return Client().get(f"/{address}", headers={"Accept-Language": language}).content.decode()


REASON = "7 questions. Bonuses for more than 6 questions are reviewed."


def test_held_bonus_that_is_paid_in_part_after_an_appeal():
    held = hold(seconds=2)
    assert [reason["text"] for reason in held.reasons] == [
        REASON,
        "2 seconds of work. We expect at least 8 seconds per verb.",
    ]
    send_news()
    units = {held.payment.assignment.submissions.get().pk: 4}
    accept_bonus(held=held, units=units, note="Own words", actor="rita", now=timezone.now())
    check_translated(written(), at_least=4)
    held.refresh_from_db()
    assert (REASON in page_of(held, "en"), REASON in page_of(held, LONG)) == (True, False)
    with translation.override(LONG):
        appeal_bonus(held=held, text="Own words", now=timezone.now())
    decide_appeal(
        appeal=BonusAppeal.objects.get(),
        pay=True,
        answer="Own words",
        actor="rita",
        now=timezone.now(),
    )
    Message.objects.all().delete()
    HeldBonus.objects.update(news_sent_at=None)
    send_news()
    check_translated(written(), at_least=4)


def test_declined_bonus_and_the_answer_to_its_appeal():
    held = hold()
    decline_bonus(held=held, reason="Own words", actor="rita", now=timezone.now())
    send_news()
    check_translated(written(), at_least=3)
    held.refresh_from_db()
    with translation.override(LONG):
        appeal_bonus(held=held, text="Own words", now=timezone.now())
    check_translated(written(), at_least=3)
    decide_appeal(
        appeal=BonusAppeal.objects.get(),
        pay=False,
        answer="Own words",
        actor="rita",
        now=timezone.now(),
    )
    HeldBonus.objects.update(news_sent_at=None)
    send_news()
    check_translated(written(), at_least=5)


@pytest.mark.parametrize("keeps", [1, 3, 4])
def test_bonus_that_waited_for_the_gold(keeps):
    worker = make_worker()
    speak()
    worker.refresh_from_db()
    item = make_item(make_waiting_project())
    generate(publish(item), asked(0, 1, 2, 3), worker=worker)
    approve_at_marketplace()
    check_translated(written(), at_least=2)
    generate(item.tasks.get(), NOTHING)
    consolidate(item, keeps=keeps)
    now = NOW + MIN_AGE
    send_bonus_news(clock=lambda: now)
    # Consolidators and other annotators in this test use English pages.
    payments = Payment.objects.filter(assignment__worker=worker, kind="bonus")
    own = [*payments.values_list("reason", flat=True)]
    own += BonusAnnouncement.objects.values_list("text", flat=True)
    for message in Message.objects.filter(worker=worker):
        own += (message.subject, message.text)
    check_translated(iter(own), at_least=1)
    held = HeldBonus.objects.get(payment__in=payments)
    note = f"{keeps} of 4 questions were kept when the item was consolidated."
    assert held.note == note
    assert (note in page_of(held, "en"), note in page_of(held, LONG)) == (True, False)


def test_compensation():
    project, worker = make_project(), make_worker()
    speak()
    worker.refresh_from_db()
    publish_compensation(
        project=project,
        worker=worker,
        amount_cents=54,
        reason="Own words",
        key="k",
        actor="rita",
        now=NOW,
    )
    kind = HitType.objects.get()
    check_translated(iter([kind.title, kind.description]), at_least=2)


@pytest.mark.parametrize("state", [SessionState.ACTIVE, SessionState.SUBMITTED])
@pytest.mark.parametrize("fields", [{}, {"declined_at": NOW}])
@pytest.mark.parametrize("work", ["", "submitted", "rejected"])
def test_requests_to_return_a_session(state, fields, work):
    project, worker = make_project(), make_worker()
    session = make_session(project.budget, worker, state=state, **fields)
    if work:
        assignment = make_assignment(worker=worker)
        assignment.session, assignment.state = session, work
        assignment.decision_reason, assignment.decided_at = (
            "Own words",
            NOW if work == "rejected" else None,
        )
        assignment.save()
    with translation.override(LONG):
        check_translated(iter([request_for(session)]), at_least=1)
