"""Tests of experts' annotations that become gold afterwards, and of the setting of a queue."""

import re
import threading
from datetime import timedelta

import pytest
from django.db import connections
from django.test import Client
from django.urls import reverse

from audit.models import StateChange
from consolidation.domain.experts.expert_queues import change_queue
from consolidation.domain.gold.add_gold import add_gold
from consolidation.domain.gold.use_as_gold import (
    GoldSettingError,
    count_not_yet_gold,
    set_gold_use,
    use_as_gold,
)
from consolidation.models import ExpertQueue, Gold
from projects.enums import MemberRole
from tests.consolidation.experts import make_expert, make_queue, submit_result
from tests.consolidation.factories import IDENTIFIED, SURVEY, make_item, make_project
from tests.consolidation.gold import FIRST, SECOND
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user

LATER = NOW + timedelta(hours=1)


@pytest.fixture
def project(db):
    return make_project()


@pytest.fixture
def items(project):
    return [make_item(SURVEY, IDENTIFIED, project) for _ in range(4)]


@pytest.fixture
def office(project):
    client = Client()
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    return client


def annotate(queue, expert, items, content=FIRST):
    for item in items:
        submit_result(queue.queued.get(item=item), expert, content)


def use(queue, now=LATER):
    """Return the numbers of annotations that became gold, are left to merge, and wait for experts."""
    plan = use_as_gold(queue=queue, actor="rita", now=now)
    return len(plan.usable), plan.to_merge, plan.waiting


def logged(queue):
    rows = StateChange.objects.filter(aggregate="consolidation.ExpertQueue", object_id=queue.pk)
    return list(rows.order_by("pk").values_list("new", "actor", "reason"))


def page(client, name, project, *arguments) -> str:
    return client.get(reverse(name, args=[project.slug, *arguments])).content.decode()


def test_finished_annotations_become_the_same_gold_as_at_once(project, items):
    eva, otto = make_expert("eva"), make_expert("otto")
    at_once = make_queue(project, items[:1], kind="annotate", makes_gold=True)
    queue = make_queue(project, items[1:], kind="annotate")
    annotate(at_once, eva, items[:1])
    annotate(queue, otto, items[1:3])
    assert count_not_yet_gold(project=project) == {queue.pk: 2}
    assert use(queue) == (2, 0, 0)
    rows = Gold.objects.order_by("pk")
    contents = [(row.source, row.version, row.content, row.provenance) for row in rows]
    assert contents == [contents[0]] * 3
    assert [row.submission.author for row in rows] == [eva, otto, otto]
    assert count_not_yet_gold(project=project) == {}
    assert logged(queue) == [
        ("open", "office", ""),
        ("used as gold", "rita", "2 annotations became expert gold."),
    ]


def test_repetition_uses_only_annotations_written_since(project, items):
    eva = make_expert("eva")
    queue = make_queue(project, items, kind="annotate")
    annotate(queue, eva, items[:2])
    assert [use(queue), use(queue)] == [(2, 0, 0), (0, 0, 0)]
    annotate(queue, eva, items[2:3])
    assert use(queue) == (1, 0, 0)
    assert Gold.objects.count() == 3
    assert [change[0] for change in logged(queue)] == ["open", "used as gold", "used as gold"]


def test_several_experts_become_gold_only_where_they_agree(project, items):
    queue = make_queue(project, items, kind="annotate", experts_per_item=2)
    annotate(queue, make_expert("eva"), items[:3])
    otto = make_expert("otto")
    annotate(queue, otto, items[:1], {**FIRST, "questions": FIRST["questions"][::-1]})
    annotate(queue, otto, items[1:2], SECOND)
    assert use(queue) == (1, 1, 1)
    assert [gold.item for gold in Gold.objects.all()] == items[:1]
    change_queue(queue=queue, state="closed", actor="rita", now=LATER)
    assert use(queue) == (1, 1, 0)
    assert [gold.item for gold in Gold.objects.order_by("pk")] == [items[0], items[2]]


def test_newer_gold_of_an_item_is_not_replaced_and_older_gold_is(project, items):
    queue = make_queue(project, items[:2], kind="annotate")
    gold = {"source": "expert", "content": {"questions": []}, "provenance": []}
    add_gold(item=items[0], now=NOW - timedelta(days=1), **gold)
    annotate(queue, make_expert("eva"), items[:2])
    add_gold(item=items[1], now=NOW + timedelta(minutes=1), **gold)
    assert use(queue) == (1, 0, 0)
    versions = Gold.objects.order_by("item", "version").values_list("item", "version")
    assert list(versions) == [(items[0].pk, 1), (items[0].pk, 2), (items[1].pk, 1)]


def test_setting_of_a_queue_is_changed_later(project, items):
    eva = make_expert("eva")
    queue = make_queue(project, items, kind="annotate")
    for makes_gold, count in ((True, 1), (True, 2), (False, 2)):
        set_gold_use(queue=queue, makes_gold=makes_gold, actor="rita", now=NOW)
        queue.refresh_from_db()
        annotate(queue, eva, [items[queue.queued.filter(drafts__isnull=False).count()]])
        assert Gold.objects.count() == count
    assert [change[2] for change in logged(queue)[1:]] == [
        "Annotations become expert gold at once.",
        "Annotations become expert gold on request.",
    ]


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"kind": "annotate", "experts_per_item": 2}, "must be merged"),
        ({"kind": "merge", "sources": ["expert"]}, "always becomes expert gold"),
    ],
)
def test_setting_of_other_queues_is_refused(project, items, plan, message):
    annotate(make_queue(project, items, kind="annotate"), make_expert("eva"), items)
    queue = make_queue(project, items, **plan)
    with pytest.raises(GoldSettingError, match=message):
        set_gold_use(queue=queue, makes_gold=not queue.makes_gold, actor="rita", now=NOW)


@pytest.mark.django_db(transaction=True)
def test_two_clicks_at_once_make_gold_once():
    project = make_project()
    items = [make_item(SURVEY, IDENTIFIED, project) for _ in range(4)]
    queue = make_queue(project, items, kind="annotate")
    annotate(queue, make_expert("eva"), items)
    barrier, used = threading.Barrier(2), []

    def click():
        barrier.wait()
        used.append(use(queue)[0])
        connections.close_all()

    threads = [threading.Thread(target=click) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(used) == [0, 4]
    assert list(Gold.objects.values_list("version", flat=True)) == [1] * 4


def test_form_uses_gold_at_once_by_default(office, project, items):
    shown = page(office, "consolidation:experts", project)
    [box] = re.findall(r"<input[^>]*annotate-makes_gold[^>]*>", shown)
    assert " checked" in box
    address = reverse("consolidation:expert_set_up", args=[project.slug, "annotate"])
    fields = {"items": "sample", "count": "1", "makes_gold": "on"}
    for experts in ("1", "2"):
        form = {**fields, "title": f"By {experts}", "experts_per_item": experts}
        office.post(address, {f"annotate-{name}": value for name, value in form.items()})
    queues = ExpertQueue.objects.order_by("pk").values_list("title", "makes_gold")
    assert list(queues) == [("By 1", True), ("By 2", False)]


def test_pages_show_what_becomes_gold_and_the_button_uses_it(office, project, items):
    queue = make_queue(project, items, kind="annotate")
    annotate(queue, make_expert("eva"), items[:2])
    for name in ("consolidation:experts", "consolidation:gold_import"):
        assert "2 items not gold yet" in page(office, name, project)
    shown = page(office, "consolidation:expert_queue", project, queue.pk)
    assert "Annotations do not become expert gold automatically." in shown
    assert "2 finished items have annotations that can become expert gold now." in shown
    address = reverse("consolidation:expert_gold", args=[project.slug, queue.pk])
    assert "2 items now have expert gold" in office.post(address, follow=True).content.decode()
    assert "There was nothing to use." in office.post(address, follow=True).content.decode()
    shown = office.post(address, {"makes_gold": "on"}, follow=True).content.decode()
    assert "Your work becomes expert gold as soon as you submit it." in shown
    for name in ("consolidation:experts", "consolidation:gold_import"):
        shown = page(office, name, project)
        assert "at once" in shown
        assert "not gold yet" not in shown


def test_pages_show_how_many_items_are_left_to_merge(office, project, items):
    queue = make_queue(project, items[:2], kind="annotate", experts_per_item=2)
    annotate(queue, make_expert("eva"), items[:2])
    annotate(queue, make_expert("otto"), items[:1], SECOND)
    shown = page(office, "consolidation:expert_queue", project, queue.pk)
    assert "1 item left to merge, because the experts differ." in shown
    assert "1 item needs another expert." in shown
    assert "Use as expert gold" not in shown
