"""Bonuses that wait for consolidation: kept units, deadlines, money and what workers see."""

from datetime import timedelta

import pytest
from django.db.models import Sum
from django.test import Client
from django.urls import reverse

from annotation.domain.decisions.appeal_bonus import appeal_bonus, decide_appeal
from annotation.domain.decisions.appeal_links import appeal_url
from annotation.domain.decisions.bonus_timing import MAX_WAIT
from annotation.domain.decisions.decide_submission import accept_assignment
from annotation.domain.decisions.send_bonus_news import MIN_AGE, send_bonus_news
from annotation.domain.publishing.withdraw_items import withdraw_items
from annotation.models import HeldBonus, Submission
from consolidation.domain.reviews.decide_waiting import decide_waiting_bonuses
from consolidation.models import Gold
from crowd.models import Assignment, Budget, LedgerEntry, Message, Payment
from dashboard.archive import work_left
from projects.enums import MemberRole
from projects.models import Project
from schemes.registry import SCHEMES
from tests.annotation.factories import make_item
from tests.api.conftest import calling
from tests.consolidation.verification import generate as generate_label
from tests.consolidation.verification import make_verification_project, verify
from tests.consolidation.waiting import (
    NOTHING,
    approve_at_marketplace,
    asked,
    consolidate,
    generate,
    make_waiting_project,
    publish,
    settle,
    waiting_bonus,
)
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import make_user
from tests.schemes.labels.scheme import SCHEME

pytestmark = pytest.mark.django_db


def reserved() -> int:
    return Budget.objects.get(key="project:news").reserved_cents


def bonus_of(held: HeldBonus) -> tuple[str, int]:
    payment = Payment.objects.get(pk=held.payment_id)
    return payment.state, payment.amount_cents


def messages() -> list[str]:
    send_bonus_news(clock=lambda: NOW + MIN_AGE)
    return list(Message.objects.values_list("text", flat=True))


def test_bonus_waits_reserved_and_the_worker_sees_it():
    held, _ = waiting_bonus()
    assert (held.state, held.earned_cents, bonus_of(held)) == ("waiting", 11, ("review", 11))
    announced = held.payment.announcement
    assert (announced.status, announced.amount_cents) == ("reviewing", 11)
    assert announced.text == (
        "In review until the item is consolidated. It is paid for the questions that are kept, and in "
        "full if there is no result after 14 days."
    )
    assert settle() == 0
    assert messages() == []


def test_repeated_acceptance_changes_nothing():
    held, _ = waiting_bonus()
    accept_assignment(
        assignment=held.payment.assignment, actor="automatic", now=NOW, is_checked=False
    )
    assert (HeldBonus.objects.count(), Payment.objects.count()) == (1, 2)


def test_bonus_is_paid_in_full_without_a_message_if_everything_is_kept():
    held, item = waiting_bonus()
    generate(item.tasks.get(), NOTHING)
    consolidate(item, keeps=4)
    held.refresh_from_db()
    assert (held.state, bonus_of(held)) == ("accepted", ("pending", 11))
    assert held.payment.announcement.status == "accepted"
    assert messages() == []


@pytest.mark.parametrize(
    ("kept", "state", "cents", "note"),
    [
        (4, "accepted", 11, "4 of 4 questions were kept when the item was consolidated."),
        (3, "accepted", 5, "3 of 4 questions were kept when the item was consolidated."),
        (2, "declined", 11, "2 of 4 questions were kept when the item was consolidated."),
        (0, "declined", 11, "0 of 4 questions were kept when the item was consolidated."),
    ],
)
def test_kept_questions_are_paid_once_and_the_rest_is_released(kept, state, cents, note):
    held, item = waiting_bonus()
    generate(item.tasks.get(), NOTHING)
    before = reserved()
    consolidate(item, keeps=kept)
    held.refresh_from_db()
    assert (held.state, held.note, held.decided_by) == (state, note, "automatic")
    assert bonus_of(held) == ("pending" if state == "accepted" else "declined", cents)
    assert settle() == 0
    for undecided in Assignment.objects.filter(state="submitted"):
        accept_assignment(assignment=undecided, actor="rita", now=NOW)
    consolidation = Payment.objects.filter(assignment__hit__task__role="consolidator")
    assert consolidation.filter(state="pending").exists()
    generations = Payment.objects.filter(assignment__hit__task__role="generator")
    owed = generations.exclude(state="declined").aggregate(
        cents=Sum("amount_cents"), fees=Sum("fee_cents")
    )
    entries = LedgerEntry.objects.filter(hit=item.tasks.get(role="generator").hit)
    sums = dict(
        entries.order_by()
        .values_list("kind")
        .annotate(cents=Sum("amount_cents") + Sum("fee_cents"))
    )
    assert sums["reserve"] - sums["release"] == owed["cents"] + owed["fees"]
    assert before  # the budget had reserved the bonus


def test_worker_reads_how_many_were_kept_and_appeals_about_the_rest():
    held, item = waiting_bonus()
    generate(item.tasks.get(), NOTHING)
    consolidate(item, keeps=3)
    held.refresh_from_db()
    (text,) = messages()
    assert "You will be paid $0.05 of $0.11." in text
    assert "3 of 4 questions were kept when the item was consolidated." in text
    assert appeal_url(held) in text
    announced = held.payment.announcement
    assert (announced.status, announced.amount_cents) == ("declined", 6)
    assert announced.appeal_url == appeal_url(held)

    page = Client().get(appeal_url(held).removeprefix("http://testserver"))
    assert "Your bonus of $0.06" in page.content.decode()
    appeal = appeal_bonus(held=held, text="The fourth is right, too.", now=NOW)
    decide_appeal(appeal=appeal, pay=True, answer="It is.", actor="rita", now=NOW)
    rest = Payment.objects.get(token__startswith="ts-appeal")
    assert (rest.kind, rest.state, rest.amount_cents) == ("bonus", "pending", 6)
    assert bonus_of(held) == ("pending", 5)
    announced.refresh_from_db()
    assert announced.status == "accepted"


def test_upheld_appeal_about_a_part_pays_nothing_more():
    held, item = waiting_bonus()
    generate(item.tasks.get(), NOTHING)
    consolidate(item, keeps=3)
    held.refresh_from_db()
    appeal = appeal_bonus(held=held, text="The fourth is right, too.", now=NOW)
    decide_appeal(appeal=appeal, pay=False, answer="It is not.", actor="rita", now=NOW)
    bonuses = Payment.objects.filter(kind="bonus", assignment=held.payment.assignment)
    assert list(bonuses.values_list("amount_cents", flat=True)) == [5]
    assert "Your bonus of $0.06" in messages()[-1]


# --- items that are not consolidated


def test_bonus_never_waits_longer_than_the_limit():
    held, _ = waiting_bonus()
    assert settle(MAX_WAIT - timedelta(seconds=1)) == 0
    assert settle(MAX_WAIT) == 1
    held.refresh_from_db()
    assert (held.state, held.note) == (
        "accepted",
        "There was no result, so the bonus is paid in full.",
    )
    assert bonus_of(held) == ("pending", 11)


def test_withdrawn_item_is_paid_in_full():
    held, item = waiting_bonus()
    items = item.project.items.all()
    withdraw_items(items=items, reason="It is a title.", actor="rita", now=NOW)
    assert settle() == 1
    assert bonus_of(held) == ("pending", 11)


def test_archived_project_pays_in_full():
    held, _ = waiting_bonus()
    Project.objects.update(archived_at=NOW)
    assert settle() == 1
    assert bonus_of(held) == ("pending", 11)


def test_task_of_several_items_waits_for_all_of_them():
    project = make_waiting_project()
    items = [make_item(project), make_item(project)]
    task = publish(*items)
    generate(task, asked(0, 1, 2, 3), asked(0, 1, 2))
    approve_at_marketplace()
    generate(task, NOTHING, NOTHING)
    held = HeldBonus.objects.get()
    assert held.earned_cents == 16
    consolidate(items[0], keeps=3)
    held.refresh_from_db()
    assert held.state == "waiting"
    consolidate(items[1], keeps=3)
    held.refresh_from_db()
    assert held.note == "6 of 7 questions were kept when the item was consolidated."
    assert bonus_of(held) == ("pending", 10)


def test_item_with_gold_is_decided_at_once():
    """Later work, such as an experiment's, is compared with the gold that is there."""
    _, item = waiting_bonus()
    task = item.tasks.get()
    generate(task, NOTHING)
    consolidate(item, keeps=3)
    worker = make_worker()
    assert generate(task, asked(0, 1, 2, 3), worker=worker) is None
    assert settle() == 1
    assert Payment.objects.get(assignment__worker=worker, kind="bonus").amount_cents == 5
    assert Gold.objects.count() == 1


def test_bonus_can_be_decided_only_once():
    held, _ = waiting_bonus()
    stale = HeldBonus.objects.get(pk=held.pk)
    assert settle(MAX_WAIT) == 1
    assert decide_waiting_bonuses(clock=lambda: NOW + MAX_WAIT) == 0
    stale.refresh_from_db()
    assert stale.state == "accepted"


def test_changed_pay_does_not_change_what_was_earned():
    held, item = waiting_bonus()
    generate(item.tasks.get(), NOTHING)
    project = held.project
    project.pay_scheme["generator"] |= {"bonus_first_cents": 50}
    project.save()
    consolidate(item, keeps=3)
    assert bonus_of(held) == ("pending", 5)


# --- other protocols


@pytest.mark.parametrize(("verdicts", "kept"), [((True, True), 1), ((True, False), 0)])
def test_verified_units_are_kept(monkeypatch, verdicts, kept):
    """Without an expert, a disputed item has no gold, and counts what its verifiers supported."""
    monkeypatch.setitem(SCHEMES, SCHEME.name, SCHEME)
    project = make_verification_project(revisions=0, after_disputes="leave")
    case = verify(generate_label(project.items.get()), *verdicts)
    settle()
    assert case.sources.get().submission.kept_units == kept


# --- what the requester sees and decides


@pytest.fixture
def office() -> Client:
    held, _ = waiting_bonus()
    client = Client()
    client.force_login(make_user("rita", held.project, MemberRole.REQUESTER))
    return client


def test_page_lists_waiting_bonuses_by_worker(office):
    page = office.get(reverse("annotation:held_bonuses", args=["news"])).content.decode()
    held = HeldBonus.objects.get()
    assert "No held bonuses" in page
    assert "In review until the item is consolidated" in page
    assert held.payment.assignment.worker.pseudonym in page
    assert "$0.11" in page


def test_waiting_bonuses_are_paid_before_an_archive(office):
    held = HeldBonus.objects.get()
    assert "1 bonus is in review until consolidation." in " ".join(work_left(held.project))
    page = office.post(reverse("annotation:pay_waiting_bonuses", args=["news"]), follow=True)
    assert "1 bonus will be paid in full." in page.content.decode()
    held.refresh_from_db()
    assert (held.state, held.decided_by, bonus_of(held)) == ("accepted", "rita", ("pending", 11))
    assert "until consolidation" not in " ".join(work_left(held.project))


def test_api_lists_and_accepts_waiting_bonuses(office):
    held = HeldBonus.objects.get()
    client = calling(Project.objects.get().memberships.get().user)
    address = "/api/v1/projects/news/held-bonuses/"
    (row,) = client.get(f"{address}?state=waiting").json()["results"]
    assert (row["amount_cents"], row["earned_cents"]) == (11, 11)
    response = client.post(
        f"{address}{held.pk}/accept/",
        "{}",
        content_type="application/json",
        headers={"Idempotency-Key": "accept"},
    )
    assert response.json()["state"] == "accepted"
    assert settle(MAX_WAIT) == 0
    assert bonus_of(held) == ("pending", 11)


def test_person_who_accepts_the_work_pays_the_bonus_at_once():
    item = make_item(make_waiting_project())
    task = publish(item)
    generate(task, {"questions": "none"}, worker=make_worker())
    Submission.objects.update(content=asked(0, 1, 2, 3), problem="")
    accept_assignment(assignment=Assignment.objects.get(), actor="rita", now=NOW)
    assert list(Payment.objects.filter(kind="bonus").values_list("state", flat=True)) == ["pending"]
