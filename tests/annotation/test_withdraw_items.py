"""Withdrawing items ends their HITs, pays for their work, and excludes them from exports."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.domain.publishing.batch_actions import extend_batch
from annotation.domain.publishing.publish import publish_batch, unpublished_items
from annotation.domain.publishing.withdraw_items import (
    WithdrawalError,
    items_by_key,
    restore_items,
    withdraw_items,
)
from annotation.models import Item, Task
from audit.models import StateChange
from consolidation.domain.cases.own_gold import current_own_gold
from consolidation.domain.cases.queries import items_of, state_of
from consolidation.domain.gold.current_gold import current_gold
from consolidation.enums import ItemState
from crowd.enums import HitState
from crowd.models import Hit, LedgerEntry
from datasets.domain.exports.export_gold import ExportOptions, NothingToExportError, export_gold
from projects.enums import MemberRole
from tests.annotation.factories import make_item, make_project
from tests.consolidation.gold import make_gold_project
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db
REASON = "Private data."


@pytest.fixture
def published():
    """Return two items, each with a HIT that was not yet sent to the marketplace."""
    project = make_project("spring")
    items = [make_item(project), make_item(project)]
    publish_batch(project=project, now=NOW)
    return project, items


def withdraw(items, reason=REASON):
    return withdraw_items(items=items, reason=reason, actor="rita", now=NOW)


def test_hits_end_and_their_reservations_are_released(published):
    project, (item, other) = published
    assert withdraw(project.items.filter(pk=item.pk)) == 1
    hit = Hit.objects.get(task__task_items__item=item)
    assert hit.state == HitState.WITHDRAWN
    assert Hit.objects.get(task__task_items__item=other).state == HitState.PENDING
    entries = LedgerEntry.objects.filter(hit=hit)
    reserved, released = (entries.filter(kind=kind).get() for kind in ("reserve", "release"))
    assert reserved.amount_cents == released.amount_cents > 0
    change = StateChange.objects.get(aggregate="annotation.Item", object_id=item.pk)
    assert (change.new, change.reason) == ("withdrawn", REASON)


def test_live_hits_are_expired_and_stay_so_when_the_batch_is_extended(published):
    project, (item, other) = published
    for hit in Hit.objects.all():
        Hit.objects.filter(pk=hit.pk).update(state=HitState.LIVE, external_id=f"H{hit.pk}")
    hit = Hit.objects.get(task__task_items__item=item)
    withdraw(project.items.filter(pk=item.pk))
    hit.refresh_from_db()
    assert hit.expiration_wanted == NOW
    Hit.objects.update(expiration_wanted=None)
    later = NOW.replace(year=NOW.year + 1)
    extend_batch(batch=project.batches.get(), ends_at=later, actor="rita", now=NOW)
    wanted = dict(Hit.objects.values_list("task__task_items__item", "expiration_wanted"))
    assert wanted == {item.pk: None, other.pk: later}
    assert Task.objects.get(task_items__item=item).ended_at == NOW


def test_item_is_not_published(published):
    project, _ = published
    item = make_item(project)
    assert unpublished_items(project, 10) == [item]
    withdraw(project.items.filter(pk=item.pk))
    assert unpublished_items(project, 10) == []
    assert restore_items(items=Item.objects.filter(pk=item.pk), actor="rita", now=NOW) == 1
    assert unpublished_items(project, 10) == [item]


def test_gold_is_not_exported_until_the_item_is_restored(tmp_path):
    project = make_gold_project()
    withdraw(project.items.all())
    assert not current_own_gold(project).exists()
    assert not current_gold(project, "consolidated").exists()
    with pytest.raises(NothingToExportError):
        exported(project, tmp_path / "without")
    restore_items(items=project.items.all(), actor="rita", now=NOW)
    assert exported(project, tmp_path / "with") == 1


def exported(project, folder) -> int:
    export_gold(project=project, options=ExportOptions(fmt="jsonl"), folder=folder)
    return sum(len(path.read_text().splitlines()) for path in folder.glob("*.jsonl"))


def test_state_in_lists(published):
    project, (item, other) = published
    withdraw(project.items.filter(pk=item.pk))
    Item.objects.filter(pk=other.pk).update(in_production=False)
    states = {row.pk: state_of(row) for row in items_of(project=project)}
    assert states == {item.pk: ItemState.WITHDRAWN, other.pk: ItemState.TRAINING}
    for pk, state in states.items():
        assert [row.pk for row in items_of(project=project, state=state)] == [pk]


def test_invalid_withdrawals_are_refused(published):
    project, (item, other) = published
    with pytest.raises(WithdrawalError, match="reason"):
        withdraw(project.items.all(), reason=" ")
    Item.objects.filter(pk=other.pk).update(in_production=False)
    with pytest.raises(WithdrawalError, match="training round"):
        withdraw(project.items.all())
    assert not Item.objects.exclude(withdrawn_at=None).exists()
    with pytest.raises(WithdrawalError, match="has no item 'nothing'"):
        items_by_key(project=project, keys=[item.key, "nothing"])


def test_command(published, capsys):
    project, (item, _) = published
    call_command("withdraw", project.slug, item.key, "--reason", REASON, "--json")
    assert json.loads(capsys.readouterr().out) == {"withdrawn": 1}
    sentence = item.sentence.external_id
    call_command("withdraw", project.slug, sentence, "--sentences", "--restore", "--json")
    assert json.loads(capsys.readouterr().out) == {"restored": 1}
    with pytest.raises(CommandError, match="has no sentence"):
        call_command("withdraw", project.slug, "x", "--sentences", "--reason", REASON)


def test_requester_withdraws_on_the_page_of_the_item(published):
    project, (item, _) = published
    client = Client()
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    page = reverse("consolidation:item", args=[project.slug, item.pk])
    assert "<summary>Withdraw …</summary>" in client.get(page).content.decode()
    address = reverse("consolidation:withdraw_item", args=[project.slug, item.pk])
    assert client.post(address, {"reason": ""}).status_code == 422
    client.post(address, {"reason": REASON, "whole_sentence": "on"})
    text = client.get(page).content.decode()
    assert "Restore item" in text
    assert REASON in text
    client.post(reverse("consolidation:restore_item", args=[project.slug, item.pk]))
    item.refresh_from_db()
    assert item.in_production


def test_withdrawn_sentence_is_restored_as_a_whole(published):
    project, (item, other) = published
    Item.objects.filter(pk=other.pk).update(sentence=item.sentence, position=99)
    client = Client()
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    for name, form in (
        ("withdraw_item", {"reason": REASON, "whole_sentence": "on"}),
        ("restore_item", {"whole_sentence": "on"}),
    ):
        address = reverse(f"consolidation:{name}", args=[project.slug, item.pk])
        response = client.post(address, form, follow=True)
    assert "2 items were restored." in response.content.decode()
    assert not Item.objects.exclude(withdrawn_at=None).exists()
