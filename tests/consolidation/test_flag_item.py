"""Tests of items that experts flag, and of the decisions about them."""

import pytest
from django.test import Client
from django.urls import reverse

from audit.domain.change_state import TransitionNotAllowedError
from consolidation.domain.experts.expert_queues import open_to, queues_of, take_next, work_left
from consolidation.domain.experts.flag_item import (
    FlagError,
    count_open_flags,
    dismiss_flag,
    flag_item,
    withdraw_flagged,
)
from consolidation.models import ItemFlag
from dashboard.protocol import pending_tasks, progress_of
from projects.enums import MemberRole
from tests.consolidation.experts import make_expert, make_queue
from tests.consolidation.factories import CONTAIN, IDENTIFIED, SURVEY, make_item, make_project
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_project()


@pytest.fixture
def queue(project):
    items = [make_item(SURVEY, verb, project) for verb in (IDENTIFIED, CONTAIN)]
    return make_queue(project, items, kind="annotate", sources=(), makes_gold=True)


def left(queue, expert) -> tuple[int, int]:
    [row] = queues_of(project=queue.project, expert=expert, now=NOW)
    return row.started, row.left


def test_flagged_item_leaves_the_queues_until_it_is_kept(queue):
    eva, emma = make_expert("eva"), make_expert("emma")
    first = take_next(queue=queue, expert=eva, now=NOW)
    assert left(queue, eva) == (1, 1)
    flag = flag_item(item=first.item, expert=eva, reason="It is no verb.", now=NOW)
    assert (left(queue, eva), left(queue, emma)) == ((0, 1), (0, 1))
    assert (work_left(project=queue.project), count_open_flags(project=queue.project)) == (1, 1)
    assert take_next(queue=queue, expert=eva, now=NOW) != first
    dismiss_flag(flag=flag, actor="rita", now=NOW)
    assert left(queue, eva) == (2, 0)
    with pytest.raises(TransitionNotAllowedError):
        withdraw_flagged(flag=flag, actor="rita", now=NOW)


def test_second_flag_of_an_expert_replaces_the_reason(queue):
    eva = make_expert("eva")
    item = queue.items.first()
    flag_item(item=item, expert=eva, reason="Bad.", now=NOW)
    flag_item(item=item, expert=eva, reason=" It has no verb. ", now=NOW)
    assert ItemFlag.objects.get().reason == "It has no verb."
    with pytest.raises(FlagError):
        flag_item(item=item, expert=eva, reason=" ", now=NOW)


def test_withdrawing_the_item_decides_all_its_flags(queue):
    eva, emma = make_expert("eva"), make_expert("emma")
    item = queue.items.first()
    flags = [flag_item(item=item, expert=expert, reason="Bad.", now=NOW) for expert in (eva, emma)]
    withdraw_flagged(flag=flags[0], actor="rita", now=NOW)
    item.refresh_from_db()
    assert item.withdrawn_at == NOW
    assert set(ItemFlag.objects.values_list("state", "decided_by")) == {("followed", "rita")}
    assert not open_to(expert=eva, now=NOW).filter(item=item).exists()


def test_expert_flags_on_the_page_and_an_admin_withdraws(queue, project):
    expert, admin = Client(), Client()
    expert.force_login(make_user("eva", project, MemberRole.EXPERT))
    admin.force_login(make_user("ada", project, MemberRole.ADMIN))
    queued, second = queue.queued.order_by("ordinal")
    item_page = expert.get(reverse("consolidation:expert_item", args=[project.slug, queued.pk]))
    address = reverse("consolidation:flag_item", args=[project.slug, queued.pk])
    assert item_page.status_code == 200
    assert expert.post(address, {"reason": ""}).status_code == 422
    following = expert.post(address, {"reason": "It is a name."})
    assert following.url == reverse("consolidation:expert_item", args=[project.slug, second.pk])
    listed = reverse("consolidation:flags", args=[project.slug])
    assert expert.get(listed).status_code == 403
    assert "It is a name." in admin.get(listed).content.decode()
    tasks = pending_tasks(progress_of(project=project))
    assert ("flagged items awaiting a decision", 1) in [(row.label, row.count) for row in tasks]
    decide = reverse("consolidation:decide_flag", args=[project.slug, ItemFlag.objects.get().pk])
    assert "Withdraw item" in admin.get(decide).content.decode()
    done = admin.post(decide, {"withdraw": "yes"}, follow=True).content.decode()
    assert "was withdrawn." in done
    repeated = admin.post(decide, {"keep": "yes"}, follow=True).content.decode()
    assert "is kept" not in repeated
