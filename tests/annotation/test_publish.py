"""Publishing: each item's place once, the money first, all or nothing."""

import pytest
from django.db import IntegrityError, transaction

from annotation.domain.publish import (
    PAGE,
    NothingToPublish,
    Offer,
    cost_of,
    offer_items,
    publish_batch,
    token_of,
)
from annotation.models import Task, TaskItem
from crowd.domain.ledger import BudgetExceeded
from crowd.domain.qualifications import define_qualification
from crowd.models import Budget, Hit
from tests.annotation.factories import NOW, make_item, make_project, make_task

pytestmark = pytest.mark.django_db


def make_items(count: int):
    project = make_project()
    return project, [make_item(project) for _ in range(count)]


def test_publishing_offers_every_item_once_in_shuffled_order(settings):
    settings.SITE_URL = "https://touchstone.example"
    project, items = make_items(4)
    for item, position in zip(items, (30, 10, 40, 20), strict=True):
        item.position = position
        item.save()
    first = publish_batch(project=project, limit=3, now=NOW)
    offered = [task.items.get() for task in first.tasks.order_by("pk")]
    assert offered == [items[1], items[3], items[0]]
    second = publish_batch(project=project, now=NOW)
    assert [task.items.get() for task in second.tasks.all()] == [items[2]]
    with pytest.raises(NothingToPublish, match="Every item"):
        publish_batch(project=project, now=NOW)
    hit = first.tasks.first().hit
    assert hit.max_assignments == 2
    assert hit.url == f"https://touchstone.example/generate/{first.tasks.first().public_id}/"


def test_publishing_sets_aside_what_it_may_cost():
    project, _ = make_items(3)
    batch = publish_batch(project=project, now=NOW)
    # Two assignments of 5 cents + 1 fee, and 5 + 6 + 7 cents of bonus for five questions + 4 fee.
    assert cost_of(batch, 3) == 3 * 2 * (5 + 1 + 18 + 4)
    project.budget.refresh_from_db()
    assert project.budget.reserved_cents == cost_of(batch, 3)


def test_publishing_past_the_cap_publishes_nothing():
    project, _ = make_items(3)
    Budget.objects.update(cap_cents=3 * 2 * 28 - 1)
    with pytest.raises(BudgetExceeded):
        publish_batch(project=project, now=NOW)
    assert not Task.objects.exists()
    assert not Hit.objects.exists()
    assert not project.batches.exists()


def test_a_place_is_offered_once_ever():
    _, (item,) = make_items(1)
    task = make_task([item])
    with pytest.raises(IntegrityError), transaction.atomic():
        offer_items(batch=task.batch, offers=[Offer([item])], page=PAGE, now=NOW)
    again = offer_items(batch=task.batch, offers=[Offer([item], place=1)], page=PAGE, now=NOW)
    assert [row.place for row in TaskItem.objects.order_by("pk")] == [0, 1]
    assert again[0].hit.token != task.hit.token


def test_token_and_page_are_those_of_the_same_offer_after_a_restore():
    project, (item,) = make_items(1)
    task = make_task([item])
    token, public_id = task.hit.token, task.public_id
    assert token == token_of(project, "generator", Offer([item]))
    assert len(token) <= 64
    TaskItem.objects.all().delete()
    Task.objects.all().delete()
    Hit.objects.update(token="forgotten")
    restored = make_task([item])
    assert (restored.hit.token, restored.public_id) == (token, public_id)


def test_pool_is_asked_for_by_its_code():
    project, _ = make_items(1)
    pool = define_qualification(
        provider="mturk", code="news-generator", name="Trained", description="Trained."
    )
    batch = publish_batch(project=project, pool=pool, now=NOW)
    asked = [{"code": "news-generator", "comparator": "Exists"}]
    assert batch.qualifications == batch.tasks.get().hit.hit_type.qualifications == asked
