"""Tests of feedback: written, sent, opened by its link and answered."""

from datetime import timedelta

import pytest
from django.core import signing

from crowd.models import Message
from qualification.domain.training.evaluate import evaluate_enrolment
from qualification.domain.training.feedback import (
    InvalidLinkError,
    Notes,
    NothingToSendError,
    acknowledge,
    add_reply,
    autosave_draft,
    draft_of,
    feedback_of_token,
    link_of,
    save_feedback,
    send_feedback,
)
from qualification.models import Feedback
from tests.crowd.factories import make_worker
from tests.dashboard.campaign import make_user
from tests.qualification.factories import LATER, make_evaluated, make_rounds, open_round

pytestmark = pytest.mark.django_db


def send(enrolment, **notes):
    trainer = make_user(f"tina-{enrolment.pk}")
    return send_feedback(enrolment=enrolment, trainer=trainer, notes=Notes(**notes), now=LATER)


def token(feedback):
    return link_of(feedback).rstrip("/").rpartition("/")[2]


def test_saving_sums_the_time_of_the_trainer():
    enrolment, trainer = make_evaluated(), make_user("tina")
    for seconds in (60, 90, -5, 999_999):
        save_feedback(
            enrolment=enrolment, trainer=trainer, notes=Notes("So far", {}, seconds), now=LATER
        )
    assert Feedback.objects.get().trainer_seconds == 150 + 3600


def test_time_after_sending_is_added_without_a_new_draft():
    enrolment, trainer = make_evaluated(), make_user("tina")
    send_feedback(enrolment=enrolment, trainer=trainer, notes=Notes("Done", {}, 60), now=LATER)
    autosave_draft(enrolment=enrolment, trainer=trainer, notes=Notes("", {}, 30), now=LATER)
    assert Feedback.objects.get().trainer_seconds == 90
    autosave_draft(enrolment=enrolment, trainer=trainer, notes=Notes("One more thing"), now=LATER)
    assert draft_of(enrolment).text == "One more thing"


def test_draft_moves_to_newer_figures():
    enrolment = make_evaluated()
    save_feedback(
        enrolment=enrolment, trainer=make_user("tina"), notes=Notes("Well done"), now=LATER
    )
    newer = evaluate_enrolment(enrolment=enrolment, cause="reference", now=LATER)
    assert draft_of(enrolment).evaluation == newer


def test_sending_creates_a_message_with_the_link():
    feedback = send(make_evaluated(), text="Well done", by_item={"1": "Split it.", "2": " "})
    message = Message.objects.get()
    assert message == feedback.message
    assert link_of(feedback) in message.text
    assert feedback.notes == {"1": "Split it."}
    assert feedback.sent_at == LATER


def test_feedback_is_not_sent_before_the_round_is_finished():
    training_round = make_rounds()[0]
    open_round(training_round, [make_worker()])
    with pytest.raises(NothingToSendError):
        send(training_round.enrolments.get())


def test_link_opens_only_its_feedback():
    first, second = send(make_evaluated()), send(make_evaluated())
    assert feedback_of_token(token(first)) == first
    assert feedback_of_token(token(second)) == second
    altered = token(first)[:-1] + ("A" if token(first)[-1] != "A" else "B")
    for bad in (altered, "1", "", signing.dumps(first.pk, salt="another")):
        with pytest.raises(InvalidLinkError):
            feedback_of_token(bad)


def test_link_expires(monkeypatch):
    feedback = send(make_evaluated())
    link_token = token(feedback)
    monkeypatch.setattr("qualification.domain.training.feedback.LINK_LIFE", timedelta(seconds=-1))
    with pytest.raises(InvalidLinkError):
        feedback_of_token(link_token)


def test_link_to_a_draft_opens_nothing():
    enrolment = make_evaluated()
    draft = save_feedback(
        enrolment=enrolment, trainer=make_user("tina"), notes=Notes("x"), now=LATER
    )
    with pytest.raises(InvalidLinkError):
        feedback_of_token(token(draft))


def test_worker_acknowledges_once():
    feedback = send(make_evaluated())
    acknowledge(feedback=feedback, now=LATER)
    again = acknowledge(feedback=feedback, now=LATER + timedelta(days=1))
    assert again.acknowledged_at == LATER


def test_worker_replies_twice():
    feedback = send(make_evaluated())
    add_reply(feedback=feedback, reply=" Why split? ", now=LATER)
    add_reply(feedback=feedback, reply="Why split?", now=LATER)
    replied = add_reply(feedback=feedback, reply="And the time?", now=LATER)
    assert replied.reply == "Why split?\n\nAnd the time?"
    assert (replied.replied_at, replied.acknowledged_at) == (LATER, LATER)
