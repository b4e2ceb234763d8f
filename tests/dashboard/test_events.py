"""Tests of events, which are derived from rows and link to pages that recipients may open."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import resolve
from django.utils import timezone

from annotation.models import Batch, Submission
from consolidation.models import Review
from crowd.enums import HitState, PaymentState, RequestState
from crowd.models import (
    Assignment,
    Hit,
    Payment,
    QualificationRequest,
    QualificationType,
    ReceivedMessage,
)
from dashboard.events import LOOK_BACK, SETTLING_TIME, recent_events
from dashboard.tasks import notify_members
from jobs.enums import JobState
from jobs.models import Job
from projects.domain.notify import RECIPIENTS, notify
from projects.enums import MemberRole
from projects.models import Notification, Project
from projects.permissions import page_rules
from qualification.domain.training.feedback import Notes, add_reply, send_feedback
from qualification.models import Alert, Evaluation
from rehearsal.models import Rehearsal
from tests.annotation.factories import make_held_bonus
from tests.consolidation.experts import make_queue
from tests.dashboard.campaign import START, Campaign, make_project, make_user
from tests.jobs.factories import make_export, make_import
from tests.qualification.factories import make_evaluated

pytestmark = pytest.mark.django_db
NOW = START + timedelta(hours=3)


def events(now=NOW) -> dict[str, list[str]]:
    """Return the paths of the events, grouped by kind."""
    paths: dict[str, list[str]] = {}
    for event in recent_events(now=now):
        paths.setdefault(event.kind, []).append(event.path)
    return paths


def test_quiet_project_has_no_events(project):
    assert events() == {}


def test_submissions_to_decide_are_one_event_a_day(campaign):
    assert Submission.objects.exclude(problem="").count() > 1
    assert events() == {"submissions": ["/projects/demo/submissions/"]}
    assert events(NOW + LOOK_BACK) == {}


def test_comment_of_a_worker_leads_to_its_item(campaign):
    submission = Submission.objects.filter(state="accepted").first()
    Submission.objects.filter(pk=submission.pk).update(comment="Is this a verb?")
    assert events()["comment"] == [f"/projects/demo/items/{submission.item_id}/"]


def test_held_bonus_is_an_event(campaign):
    bonus = make_held_bonus(Assignment.objects.first())
    type(bonus).objects.update(held_at=NOW)
    assert events()["bonuses"] == ["/projects/demo/held-bonuses/"]


def end_batches() -> None:
    Hit.objects.update(state=HitState.FINISHED)


def test_batch_with_open_hits_has_not_ended(campaign):
    assert "batch-finished" not in events()


def test_batch_without_open_hits_is_finished_or_short(campaign):
    end_batches()
    batch = campaign.batches["generator"]
    assert events(START + timedelta(hours=1) + SETTLING_TIME / 2).keys() == {"submissions"}
    assert events()["batch-finished"] == [f"/projects/demo/batches/{batch.pk}/"]
    Project.objects.update(generators_per_item=3)
    assert events()["batch-short"] == [f"/projects/demo/batches/{batch.pk}/"]
    Batch.objects.update(for_training=True)
    assert "batch-finished" in events()


def test_budget_is_near_at_90_percent_and_reached_with_held_payments(campaign):
    budget = campaign.project.budget
    used = budget.reserved_cents + budget.spent_cents
    budget.cap_cents = used * 2
    budget.save()
    assert "budget-near" not in events()
    budget.cap_cents = used * 10 // 9
    budget.save()
    assert events()["budget-near"] == ["/projects/demo/costs/"]
    payment = Payment.objects.first()
    Payment.objects.filter(pk=payment.pk).update(state=PaymentState.HELD, confirmed_at=None)
    assert events()["budget-reached"] == ["/projects/demo/costs/"]


def test_payment_without_a_response_is_an_event(campaign):
    Payment.objects.filter(pk=Payment.objects.first().pk).update(
        state=PaymentState.SENT, confirmed_at=None, attempted_at=NOW - SETTLING_TIME / 2
    )
    assert "payments" not in events()
    assert events(NOW + SETTLING_TIME)["payments"] == ["/projects/demo/jobs/"]


def test_qualification_request_is_an_event(campaign):
    qualification = QualificationType.objects.create(
        provider="mturk", code="demo-generator", name="Pool"
    )
    QualificationRequest.objects.create(
        qualification_type=qualification,
        worker=campaign.workers[0],
        external_id="R1",
        requested_at=NOW,
        state=RequestState.OPEN,
    )
    assert events()["request"] == ["/projects/demo/training/requests/"]


def test_message_of_a_worker_is_an_event(campaign):
    worker = campaign.workers[0]
    fields = {"worker": worker, "budget": campaign.project.budget, "sent_at": NOW}
    ReceivedMessage.objects.create(**fields, external_id="7", subject="Pay", text="Why?")
    # A reply to feedback, which has an event of its own.
    ReceivedMessage.objects.create(**fields, subject="Feedback", text="Thanks.")
    assert events()["message"] == [f"/projects/demo/workers/{worker.pseudonym}/messages/"]


def test_training_events_lead_to_the_trainee(db):
    enrolment = make_evaluated()
    trainer = make_user("tom", enrolment.round.project, MemberRole.TRAINER)
    now = timezone.now()
    Evaluation.objects.update(computed_at=now)
    feedback = send_feedback(enrolment=enrolment, trainer=trainer, notes=Notes("Good."), now=now)
    add_reply(feedback=feedback, reply="Why?", now=now)
    worker = enrolment.worker.pseudonym
    Alert.objects.create(
        project=enrolment.round.project,
        worker=enrolment.worker,
        kind="coverage",
        reason="few",
        items=15,
        raised_at=now,
    )
    at = f"/projects/{enrolment.round.project.slug}/training/"
    paths = events(now)
    assert paths["trainees"] == [f"{at}rounds/{enrolment.round_id}/"]
    assert paths["reply"] == [f"{at}rounds/{enrolment.round_id}/{worker}/"]
    assert paths["alert"] == [f"{at}pool/{worker}/"]


def test_experts_are_notified_of_reviews_and_queues(campaign):
    gold = campaign.items[3].gold.get()
    Review.objects.create(gold=gold, drawn_at=NOW)
    queue = make_queue(campaign.project, campaign.items)
    type(queue).objects.update(created_at=NOW)
    paths = events()
    assert paths["reviews"] == ["/projects/demo/reviews/"]
    assert paths["queue"] == [f"/projects/demo/experts/{queue.pk}/"]


def test_end_of_a_job_notifies_its_user(project, requester, job_files):
    job = make_export(project)
    Job.objects.filter(pk=job.pk).update(
        state=JobState.FAILED, ended_at=NOW, requested_by=requester.username
    )
    notify(events=recent_events(now=NOW), now=NOW)
    notification = Notification.objects.get()
    assert (notification.user, notification.kind) == (requester, "job-failed")


def test_archived_projects_and_rehearsals_have_no_events(project):
    copy = make_project("copy")
    Campaign(copy, 4)
    Rehearsal.objects.create(original=project, copy=copy, job=make_import(project))
    archived = make_project("old")
    Campaign(archived, 4)
    Project.objects.filter(pk=archived.pk).update(archived_at=NOW)
    assert events() == {}


def test_recipients_may_open_the_pages_of_their_events(campaign, job_files):
    end_batches()
    worker_page = Submission.objects.filter(state="accepted").first()
    Submission.objects.filter(pk=worker_page.pk).update(comment="Is this a verb?")
    gold = campaign.items[3].gold.get()
    Review.objects.create(gold=gold, drawn_at=NOW)
    recent = list(recent_events(now=NOW))
    assert len(recent) == 4
    for event in recent:
        rule = page_rules()[resolve(event.path).view_name]
        assert RECIPIENTS[event.kind] <= rule, event.kind
    users = {role: make_user(f"user-{role}", campaign.project, role) for role in MemberRole}
    notify(events=recent, now=NOW)
    for user in users.values():
        client = Client()
        client.force_login(user)
        for path in user.notifications.values_list("path", flat=True):
            assert client.get(path).status_code == 200


def test_sweep_notifies_each_member_once(project, requester):
    make_export(project)
    Job.objects.update(state="finished", ended_at=timezone.now(), requested_by="rita")
    notify_members()
    notify_members()
    assert Notification.objects.count() == 1


def test_sweep_queries_do_not_grow_with_the_projects(project, django_assert_max_num_queries):
    Campaign(project, 4)
    for number in range(5):
        Campaign(make_project(f"more-{number}"), 4)
    with django_assert_max_num_queries(21):
        list(recent_events(now=NOW))
