"""Tests of items that are ticked on the list of items and added to an expert queue."""

import pytest
from django.test import Client
from django.urls import reverse

from consolidation.domain.experts.expert_queues import QueueSetupError, add_to_queue
from consolidation.models import ExpertQueue
from projects.enums import MemberRole
from tests.consolidation.experts import make_queue
from tests.consolidation.factories import make_generation
from tests.consolidation.gold import FIRST, make_gold_item
from tests.crowd.factories import NOW
from tests.dashboard.campaign import add_items, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_project()


@pytest.fixture
def items(project):
    return add_items(project, 4)


@pytest.fixture
def office(project):
    client = Client()
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    return client


def post(office, project, **form):
    address = reverse("consolidation:choose_queue_items", args=[project.slug])
    return office.post(address, form, follow=True)


def test_ticked_items_become_a_queue_in_their_order(office, project, items):
    listed = office.get(reverse("consolidation:items", args=[project.slug])).content.decode()
    assert "Add ticked items to an expert queue" in listed
    rows = [items[2].pk, items[0].pk]
    asked = post(office, project, row=rows).content.decode()
    assert asked.count('name="row"') == 2
    form = {"row": rows, "experts_per_item": 1, "makes_gold": "on", "queue": ""}
    unnamed = post(office, project, **form)
    assert (unnamed.status_code, ExpertQueue.objects.count()) == (422, 0)
    done = post(office, project, **form, title="Hard ones").content.decode()
    assert "“Hard ones” is set up: 2 items." in done
    queue = ExpertQueue.objects.get()
    assert [row.item_id for row in queue.queued.order_by("ordinal")] == rows
    assert (queue.makes_gold, queue.experts_per_item) == (True, 1)


def test_more_items_can_be_added_and_known_ones_are_left_out(office, project, items):
    queue = make_queue(project, items[:2], kind="annotate", sources=())
    form = {"row": [item.pk for item in items[1:]], "queue": queue.pk, "experts_per_item": 1}
    assert "2 items added to" in post(office, project, **form).content.decode()
    assert "0 items added to" in post(office, project, **form).content.decode()
    assert [row.item for row in queue.queued.order_by("ordinal")] == items


def test_nothing_ticked_and_foreign_items_are_refused(office, project):
    [foreign] = add_items(make_project("other"), 1)
    for rows in ([], [foreign.pk], ["x"]):
        answer = post(office, project, row=rows, title="T", experts_per_item=1)
        assert "Tick at least one item." in answer.content.decode()
    assert not ExpertQueue.objects.exists()


def test_merge_queue_gets_no_further_items():
    gold = make_gold_item()
    make_generation(gold.item, FIRST)
    queue = make_queue(gold.item.project, [gold.item])
    with pytest.raises(QueueSetupError, match="Create a new queue"):
        add_to_queue(queue=queue, items=[gold.item], actor="rita", now=NOW)
