"""The queue of held bonuses as a page and an API, and the learned minimum of seconds."""

import csv
import io
import json
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.domain.decisions.appeal_links import appeal_url
from annotation.domain.decisions.decide_submission import accept_assignment
from annotation.domain.decisions.hold_bonus import least_seconds, stated_terms
from annotation.domain.decisions.send_bonus_news import MIN_AGE, PAUSE, send_bonus_news
from annotation.domain.work.record_generations import record_new_generations
from annotation.models import Draft, HeldBonus, Submission, Task
from audit.models import StateChange
from crowd.enums import HitState
from crowd.models import Assignment, Hit, Message, Payment
from projects.enums import MemberRole
from tests.annotation.factories import NOW, make_held_bonus, make_item, make_project, make_task
from tests.api.conftest import calling
from tests.crowd.factories import make_assignment
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db

# Seven questions earn a bonus of 5 + 6 + 7 + 8 + 9 = 35 cents. Their answers follow no pattern.
QUESTIONS = [
    {"question": question, "answers": [[at, at + 1]]}
    for at, question in {
        0: "Who carried something?",
        1: "What did someone carry?",
        3: "When did someone carry something?",
        4: "Where did someone carry something?",
        7: "Why did someone carry something?",
        8: "How did someone carry something?",
        12: "How long did someone carry something?",
    }.items()
]


def submit(task: Task, questions: list, *, seconds: int = 60) -> Assignment:
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
    )
    record_new_generations(clock=lambda: NOW)
    return assignment


@pytest.fixture
def task() -> Task:
    task = make_task([make_item(make_project())])
    Hit.objects.update(state=HitState.LIVE, external_id="HIT1", created_at=NOW)
    return task


@pytest.fixture
def held(task) -> HeldBonus:
    submit(task, QUESTIONS)
    return HeldBonus.objects.get()


@pytest.fixture
def office(held) -> Client:
    client = Client()
    client.force_login(make_user("rita", held.project, MemberRole.REQUESTER))
    return client


def url(name: str, *args: object) -> str:
    return reverse(f"annotation:{name}", args=["news", *args])


def send_news(after: timedelta = MIN_AGE) -> list[str]:
    """Send due news and return the subjects of the new messages."""
    before = set(Message.objects.values_list("pk", flat=True))
    now = timezone.now() + after
    send_bonus_news(clock=lambda: now)
    return list(Message.objects.exclude(pk__in=before).values_list("subject", flat=True))


def units_field(held: HeldBonus) -> str:
    return f"units_{held.payment.assignment.submissions.get().pk}"


def bonus() -> tuple[str, int]:
    payment = Payment.objects.get(kind="bonus")
    return payment.state, payment.amount_cents


def test_submission_is_accepted_and_its_bonus_held(held):
    assert Submission.objects.get().state == "accepted"
    assert bonus() == ("review", 35)
    assert [reason["code"] for reason in held.reasons] == ["units"]
    assert send_news() == ["Your bonus is being reviewed"]
    accept_assignment(
        assignment=held.payment.assignment, actor="automatic", now=NOW, is_checked=False
    )
    assert (HeldBonus.objects.count(), Message.objects.count()) == (1, 1)


def test_queue_shows_the_work_with_its_reasons(office, held):
    page = office.get(url("held_bonuses")).content.decode()
    assert "7 questions. Bonuses for more than 6 questions are reviewed." in page
    assert "How long did someone carry something?" in page
    assert held.payment.assignment.worker.pseudonym in page
    assert "$0.35" in page


def test_queue_is_downloaded(office, held):
    response = office.get(url("held_bonuses"), {"format": "csv"})
    heading, row = csv.reader(io.StringIO(response.getvalue().decode()))
    assert heading == ["Items", "Role", "Worker", "Bonus", "Reasons", "Submitted"]
    assert row[2:5] == [
        held.payment.assignment.worker.pseudonym,
        "0.35",
        "7 questions. Bonuses for more than 6 questions are reviewed.",
    ]


def test_invalid_decision_keeps_the_links_of_the_list(office, held):
    response = office.post(url("decline_bonus", held.pk), {})
    assert response.status_code == 422
    assert f'href="{url("held_bonuses")}?format=csv"' in response.content.decode()


def test_bonus_is_accepted_in_full(office, held):
    response = office.post(url("accept_bonus", held.pk), {units_field(held): 7}, follow=True)
    held.refresh_from_db()
    assert (held.state, held.decided_by) == ("accepted", "rita")
    assert bonus() == ("pending", 35)
    assert b"No held bonuses" in response.content
    log = StateChange.objects.get(aggregate="annotation.HeldBonus", new="accepted")
    assert (log.old, log.actor) == ("held", "rita")


def test_part_is_accepted_by_the_counted_units(office, held):
    data = {units_field(held): 4, "note": "Three repeat others."}
    office.post(url("accept_bonus", held.pk), data)
    assert bonus() == ("pending", 11)
    assert send_news() == ["Your bonus was accepted"]
    text = Message.objects.get().text
    assert "$0.11 of $0.35" in text
    assert "Three repeat others." in text
    address, *_ = appeal_url(held).rsplit(":", 2)  # without the time and the signature
    assert f"appeal within 30 days: {address}:" in text


@pytest.mark.parametrize("units", ["", "8", "-1", "2"])
def test_units_without_a_bonus_are_refused(office, held, units):
    response = office.post(url("accept_bonus", held.pk), {units_field(held): units})
    assert response.status_code == 422
    assert bonus() == ("review", 35)


def test_bonus_is_declined_with_a_reason(office, held):
    assert office.post(url("decline_bonus", held.pk), {"reason": " "}).status_code == 422
    office.post(url("decline_bonus", held.pk), {"reason": "Questions repeat each other."})
    assert bonus() == ("declined", 35)
    assert send_news() == ["Your bonus was declined"]
    assert "was declined: Questions repeat each other." in Message.objects.get().text
    response = office.post(
        url("accept_bonus", held.pk), {units_field(held): 7}, follow=True
    ).content.decode()
    assert "Nothing was changed" in response
    assert bonus() == ("declined", 35)


def test_api_lists_and_decides(held):
    client = calling(make_user("rita", held.project, MemberRole.REQUESTER))
    address = "/api/v1/projects/news/held-bonuses/"
    (row,) = client.get(f"{address}?state=held").json()["results"]
    assert (row["amount_cents"], row["reasons"][0]["code"]) == (35, "units")
    (submission,) = row["submissions"]
    body = json.dumps({"units": {str(submission): 4}})
    options = {"content_type": "application/json", "headers": {"Idempotency-Key": "accept"}}
    response = client.post(f"{address}{held.pk}/accept/", body, **options)
    assert (response.status_code, response.json()["state"]) == (200, "accepted")
    assert bonus() == ("pending", 11)
    options["headers"] = {"Idempotency-Key": "decline"}
    again = client.post(f"{address}{held.pk}/decline/", {"reason": "No."}, **options)
    assert again.status_code == 409


@pytest.mark.parametrize("bad", [{"units": {"x": 1}}, {"units": {"1": -1}}, {"units": 3}])
def test_api_refuses_invalid_units(held, bad):
    client = calling(make_user("rita", held.project, MemberRole.REQUESTER))
    address = f"/api/v1/projects/news/held-bonuses/{held.pk}/accept/"
    response = client.post(
        address,
        json.dumps(bad),
        content_type="application/json",
        headers={"Idempotency-Key": "accept"},
    )
    assert response.status_code == 400
    assert response.json()["errors"][0]["attr"].startswith("units")
    assert bonus() == ("review", 35)


# --- news


def make_more(task: Task, count: int) -> list[HeldBonus]:
    """Return held bonuses of the same worker, with news."""
    first = HeldBonus.objects.get()
    worker = first.payment.assignment.worker
    more = [make_held_bonus(make_assignment(task.hit, worker)) for _ in range(count)]
    HeldBonus.objects.update(project=first.project, news="News of a bonus.", news_at=NOW)
    return [first, *more]


def test_news_for_a_worker_is_in_one_message(task, held):
    make_more(task, 2)
    assert send_news() == ["Your bonuses: 3 updates"]
    assert Message.objects.get().text == "\n\n".join(["News of a bonus."] * 3)
    assert send_news() == []


def test_new_news_does_not_delay_older_news(task, held):
    """Bonuses are held every 30 seconds. The first is news within a minute, the others in pauses."""
    bonuses = [held, *make_more(task, 29)[1:]]
    start = timezone.now()
    HeldBonus.objects.update(news="")
    sent = {}
    for number in range(50):
        now = start + number * timedelta(seconds=30)
        if number < len(bonuses):
            HeldBonus.objects.filter(pk=bonuses[number].pk).update(news="News.", news_at=now)
        if send_bonus_news(clock=lambda now=now: now):
            sent[number / 2] = Message.objects.order_by("-pk").first().text.count("News.")
    assert sent == {1.0: 3, 11.0: 20, 21.0: 7}


def test_long_news_is_split_into_messages(task, held):
    make_more(task, 2)
    HeldBonus.objects.update(news="x" * 1900)
    assert send_news() == ["Your bonuses: 2 updates"]
    assert send_news() == []
    assert send_news(MIN_AGE + PAUSE) == ["Your bonus is being reviewed"]


def test_decision_replaces_unsent_news(office, held):
    office.post(url("accept_bonus", held.pk), {units_field(held): 7})
    assert send_news() == ["Your bonus was accepted"]


# --- seconds


@pytest.mark.parametrize(("seconds", "state"), [(7, "review"), (8, "pending"), (0, "pending")])
def test_work_faster_than_the_floor_is_held(task, seconds, state):
    """Without reported seconds, the three minutes between acceptance and submission count."""
    submit(task, QUESTIONS[:3], seconds=seconds)
    assert bonus() == (state, 5)


def test_seconds_are_limited_by_the_time_between_acceptance_and_submission(task):
    assignment = make_assignment(task.hit)
    Assignment.objects.filter(pk=assignment.pk).update(
        submitted_at=assignment.accepted_at + timedelta(seconds=3),
        answer={"content": json.dumps({str(task.items.get().pk): {"questions": QUESTIONS[:3]}})},
    )
    record_new_generations(clock=lambda: NOW)
    (reason,) = HeldBonus.objects.get().reasons
    assert reason["text"] == "3 seconds of work. We expect at least 8 seconds per verb."


@pytest.mark.parametrize(("count", "floor"), [(19, 8.0), (20, 20.0)])
def test_floor_is_learned_from_enough_accepted_work(count, floor):
    project = make_project()
    task = make_task([make_item(project)])
    assignment = submit(task, QUESTIONS[:2])
    submission = assignment.submissions.get()
    for number in range(count):
        worker = make_assignment(task.hit)
        Submission.objects.create(
            item=submission.item,
            role="generator",
            worker=worker.worker,
            assignment=worker,
            content=submission.content,
            schema_version=1,
            state="accepted",
            opened_at=NOW,
            submitted_at=NOW,
            active_seconds=90 + 20 * (number % 2),
        )
    assert least_seconds(submission) == floor
    Submission.objects.filter(pk=submission.pk).update(active_seconds=0)  # only others count
    assert stated_terms(task=task)["least_seconds"] == floor


def test_page_states_no_seconds_if_none_are_required(task):
    terms = {**task.batch.project.pay_scheme["generator"], "least_seconds": 0}
    task.batch.terms = terms
    assert stated_terms(task=task) == terms
