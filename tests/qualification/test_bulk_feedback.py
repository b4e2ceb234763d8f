"""Feedback, alone or with a decision, to several workers of a round."""

import pytest
from django.urls import reverse

from crowd.models import Message
from qualification.domain.training.evaluate import evaluate_now
from qualification.domain.training.feedback import Notes, save_feedback
from qualification.models import Enrolment, Feedback
from tests.crowd.factories import make_worker
from tests.qualification.factories import (
    LATER,
    make_rounds,
    open_round,
    record,
    submit_work,
    work_through,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def enrolment(db):
    """Create three finished workers and one at work, and return the first one."""
    training_round = make_rounds()[0]
    workers = [make_worker() for _ in range(4)]
    cohort = open_round(training_round, workers)
    for worker in workers[:3]:
        work_through(cohort, worker)
    submit_work(cohort.batch.tasks.first(), workers[3])
    record()
    return training_round.enrolments.order_by("pk").first()


def post(desk, enrolment, name, **fields):
    round = enrolment.round
    url = reverse(f"qualification:{name}", args=[round.project.slug, round.pk])
    chosen = [row.pk for row in round.enrolments.all()]
    return desk.post(url, {"enrolment": chosen, **fields}, follow=True).content.decode()


def test_confirmation_counts_what_is_sent_and_to_whom(desk, trainer, enrolment):
    save_feedback(enrolment=enrolment, trainer=trainer, notes=Notes("Well done."), now=LATER)
    at_work = enrolment.round.enrolments.latest("pk")
    evaluate_now(enrolment=at_work, actor="tina", now=LATER)
    page = post(desk, enrolment, "send_feedback")
    assert "Send feedback to 3 workers of Training 1?" in page
    assert "1 worker: the draft that a trainer wrote." in page
    assert "2 workers: automatic feedback, 8 remarks in all, beside the comparison." in page
    assert "1 worker: nothing, because the round is unfinished." in page
    assert not Message.objects.exists()
    page = post(desk, enrolment, "send_feedback", confirmed="yes")
    assert "Feedback to 3 workers will be sent shortly." in page
    sent = {row.evaluation.enrolment_id: row for row in Feedback.objects.all()}
    assert at_work.pk not in sent
    assert (sent[enrolment.pk].text, sent[enrolment.pk].notes) == ("Well done.", {})
    others = [row for pk, row in sent.items() if pk != enrolment.pk]
    assert all(row.notes and row.trainer == trainer and row.sent_at for row in others)
    assert "Nothing was sent." in post(desk, enrolment, "send_feedback", confirmed="yes")
    assert Message.objects.count() == 3


def test_bulk_decision_sends_feedback_before_the_decision(desk, enrolment):
    enrolment.round.enrolments.filter(state="working").delete()
    page = post(desk, enrolment, "decide", verdict="repeat", sends="on")
    assert "Feedback to 3 workers: automatic feedback, 12 remarks in all" in page
    assert "No feedback is sent" not in page
    post(desk, enrolment, "decide", verdict="repeat", sends="on", confirmed="yes")
    assert set(Enrolment.objects.values_list("state", flat=True)) == {"repeating"}
    subjects = Message.objects.order_by("pk").values_list("subject", flat=True)
    assert list(subjects) == ["Your feedback on Training 1"] * 3 + ["Please repeat Training 1"] * 3


def test_refused_bulk_decision_sends_no_feedback_either(desk, enrolment):
    page = post(desk, enrolment, "decide", verdict="pass", sends="on", confirmed="yes")
    worker = enrolment.round.enrolments.get(state="working").worker.pseudonym
    assert f"No decision was made. It isn&#x27;t possible for {worker} (working)." in page
    assert not Feedback.objects.exists()
    assert not Message.objects.exists()
