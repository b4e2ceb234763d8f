"""Tests of decisions on trainees and of their effects."""

import pytest

from annotation.domain.publishing.qualification_codes import pool_code
from annotation.enums import SubmissionState
from annotation.models import Submission
from audit.domain.change_state import TransitionNotAllowedError
from audit.models import StateChange
from crowd.models import Message, Payment, QualificationGrant
from qualification.domain.rounds.publish_round import publish_round
from qualification.domain.training.decide import Verdict, decide, decide_all
from qualification.enums import EnrolmentState
from qualification.models import Enrolment
from tests.crowd.factories import make_worker
from tests.qualification.factories import (
    EXPERT,
    LATER,
    make_evaluated,
    make_rounds,
    open_round,
    work_through,
)

pytestmark = pytest.mark.django_db


def judge(enrolment, verdict, reason="as the figures say"):
    return decide(enrolment=enrolment, verdict=verdict, reason=reason, actor="tina", now=LATER)


def test_pass_invites_to_the_next_round():
    enrolment = make_evaluated()
    assert judge(enrolment, Verdict.PASS)
    following = Enrolment.objects.get(round__ordinal=2)
    assert (following.worker, following.state) == (enrolment.worker, EnrolmentState.INVITED)
    assert "The next round, “Training 2”" in Message.objects.get().text
    assert not QualificationGrant.objects.filter(qualification_type__code__endswith="generator")


def test_pass_of_the_last_round_opens_the_pools():
    training_round = make_rounds(rounds=1)[0]
    worker = make_worker()
    work_through(open_round(training_round, [worker]), worker, EXPERT)
    judge(training_round.enrolments.get(), Verdict.PASS)
    pools = {pool_code(training_round.project, role) for role in ("generator", "consolidator")}
    grants = QualificationGrant.objects.filter(worker=worker, qualification_type__code__in=pools)
    assert {grant.state for grant in grants} == {"pending"}
    assert grants.count() == 2


@pytest.mark.parametrize(
    ("states", "sentences"),
    [
        (["confirmed"], ["All of it is paid."]),
        (["confirmed", "declined"], ["$0.08 of your bonuses was declined. The rest is paid."]),
        (
            ["declined", "review"],
            ["$0.08 of your bonuses was declined.", "$0.08 of your bonuses is in review."],
        ),
        (["review", "confirmed"], ["$0.08 of your bonuses is in review."]),
        (["pending", "held"], ["$0.16 of your pay is on its way."]),
        (
            ["sent", "review", "review"],
            ["$0.08 of your pay is on its way.", "$0.16 of your bonuses is in review."],
        ),
        (["failed"], ["$0.08 of your pay is on its way."]),
    ],
)
@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.REPEAT, Verdict.DECLINE])
def test_message_states_what_is_not_paid_yet(states, sentences, verdict):
    enrolment = make_evaluated()
    Payment.objects.update(state="confirmed", confirmed_at=LATER)
    assignment = Submission.objects.filter(worker=enrolment.worker).first().assignment
    for number, state in enumerate(states):
        Payment.objects.create(
            assignment=assignment,
            kind="bonus",
            amount_cents=8,
            fee_cents=2,
            token=f"test-{number}",
            reason="Thank you!",
            state=state,
            needs_review=state == "review",
            intended_at=LATER,
            confirmed_at=LATER if state == "confirmed" else None,
        )
    judge(enrolment, verdict)
    text = Message.objects.get().text
    for sentence in ("All of it is paid.", "on its way", "in review"):
        assert (sentence in text) == any(sentence in expected for expected in sentences)
    assert all(expected in text for expected in sentences)


def test_decision_is_logged_with_its_reason_and_sent_once():
    enrolment = make_evaluated()
    judge(enrolment, Verdict.DECLINE, "too few questions")
    assert not judge(enrolment, Verdict.DECLINE)
    move = StateChange.objects.get(aggregate="qualification.Enrolment", new="declined")
    assert (move.old, move.actor, move.reason) == ("to-decide", "tina", "too few questions")
    assert Message.objects.count() == 1
    assert "no work was rejected" in Message.objects.get().text


def test_decline_revokes_the_qualification_of_the_round():
    enrolment = make_evaluated()
    judge(enrolment, Verdict.DECLINE)
    grant = QualificationGrant.objects.get(worker=enrolment.worker)
    assert grant.state == "revoking"


def test_repeat_withdraws_the_work_and_republishes_the_round():
    enrolment = make_evaluated()
    judge(enrolment, Verdict.REPEAT)
    assert set(Submission.objects.values_list("state", flat=True)) == {SubmissionState.WITHDRAWN}
    cohort = publish_round(round=enrolment.round, actor="tina", now=LATER)
    work_through(cohort, enrolment.worker, EXPERT)
    enrolment.refresh_from_db()
    first, second = enrolment.evaluations.order_by("pk")
    assert enrolment.state == EnrolmentState.FINISHED
    assert first.figures["UA"]["f1"] < second.figures["UA"]["f1"] == 1


def test_withdrawn_worker_gets_no_message_and_no_place():
    training_round, worker = make_rounds()[0], make_worker()
    open_round(training_round, [worker])
    judge(training_round.enrolments.get(), Verdict.WITHDRAW)
    assert not Message.objects.exists()
    assert QualificationGrant.objects.get(worker=worker).state == "revoking"


def test_unfinished_worker_can_not_pass():
    training_round, worker = make_rounds()[0], make_worker()
    open_round(training_round, [worker])
    with pytest.raises(TransitionNotAllowedError):
        judge(training_round.enrolments.get(), Verdict.PASS)


def test_bulk_decision_is_all_or_nothing():
    training_round = make_rounds()[0]
    done, idle = make_worker(), make_worker()
    work_through(open_round(training_round, [done, idle]), done)
    with pytest.raises(TransitionNotAllowedError):
        decide_all(
            enrolments=training_round.enrolments.order_by("pk"),
            verdict=Verdict.PASS,
            reason="",
            actor="tina",
            now=LATER,
        )
    assert training_round.enrolments.get(worker=done).state == EnrolmentState.FINISHED
    assert not Message.objects.exists()
