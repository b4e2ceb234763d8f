"""Recovery of HITs from the marketplace after the database was restored from a backup."""

import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F, Value
from django.db.models.functions import Concat

from annotation.domain.publishing.batch_actions import hits_of
from annotation.domain.publishing.publish import publish_batch
from annotation.domain.work.record_generations import record_new_generations
from annotation.models import Item, Submission, Task
from audit.models import StateChange
from crowd.domain.hits.create_hits import create_pending_hits
from crowd.domain.hits.sync_hits import sync_due_hits
from crowd.domain.provider.hold_publishing import active_hold, hold_publishing, lift_hold
from crowd.enums import HitState
from crowd.models import Budget, Hit, OrphanHit
from marketplace import models as market_models
from projects.models import Project
from tests.annotation.factories import make_item, make_project, make_task
from tests.annotation.test_decide_submission import WHAT, WHO
from tests.crowd.factories import make_hits
from tests.crowd.in_process import finish, join


def published(clock, count: int = 3) -> list[Hit]:
    project = make_project()
    for _ in range(count):
        make_item(project)
    batch = publish_batch(project=project, now=clock())
    while create_pending_hits(clock=clock):
        pass
    return list(hits_of(batch).order_by("pk"))


def restore_backup(clock) -> Project:
    """Return the project as it is in a backup, imported but not yet published."""
    Project.objects.update(slug=Concat(F("slug"), Value("-gone")))
    Budget.objects.update(key=Concat(F("key"), Value("-gone")))
    for hit in Hit.objects.all():
        hit.token, hit.external_id = f"gone-{hit.pk}", f"GONE{hit.pk}"
        hit.save()
    for task in Task.objects.all():
        task.public_id = task.public_id.__class__(int=task.pk)
        task.save()
    market_models.RequestToken.objects.all().delete()  # they are stored for a day only
    restored = make_project()
    for _ in Item.objects.exclude(project=restored):
        make_item(restored)
    return restored


def test_live_hits_missing_in_the_backup_are_adopted_with_their_work(wire, clock, capsys):
    hits = published(clock)
    addresses = {hit.token: hit.url for hit in hits}
    item = hits[0].task.items.get()
    project = restore_backup(clock)
    number = project.items.get(key=item.key).pk
    hit = Hit(pk=hits[0].pk, external_id=hits[0].external_id)
    finish(hit, join(1), json.dumps({str(number): {"questions": [WHO, WHAT]}}))

    call_command("recover_hits", "--json")
    report = json.loads(capsys.readouterr().out)
    assert report == {"adopted": 3, "unknown": [], "hold_lifted": False}
    ours = Hit.objects.filter(task__batch__project=project)
    assert {hit.token: hit.url for hit in ours} == addresses
    assert {hit.state for hit in ours} == {HitState.LIVE}
    project.budget.refresh_from_db()
    assert project.budget.reserved_cents == 3 * 2 * 28

    clock.skip(minutes=2)
    assert sync_due_hits(clock=clock) == 1
    record_new_generations(clock=clock)
    assert Submission.objects.get().state == "accepted"
    assert create_pending_hits(clock=clock) == 0
    assert market_models.Hit.objects.count() == 3


def test_hit_with_several_items_is_adopted_with_its_work(wire, clock):
    project = make_project()
    items = [make_item(project) for _ in range(5)]
    for several in (items[:3], items[3:]):
        make_task(several)
    create_pending_hits(clock=clock)
    first = Hit.objects.order_by("pk").first()
    project = restore_backup(clock)
    numbers = list(project.items.order_by("position").values_list("pk", flat=True))
    answers = {str(number): {"questions": [WHO, WHAT]} for number in numbers[:3]}
    finish(Hit(pk=first.pk, external_id=first.external_id), join(1), json.dumps(answers))

    call_command("recover_hits")
    tasks = Task.objects.filter(batch__project=project).order_by("pk")
    held = [list(task.items.order_by("position").values_list("pk", flat=True)) for task in tasks]
    assert held == [numbers[:3], numbers[3:]]
    clock.skip(minutes=2)
    assert sync_due_hits(clock=clock) == 1
    record_new_generations(clock=clock)
    assert list(Submission.objects.order_by("item").values_list("item", "state")) == [
        (number, "accepted") for number in numbers[:3]
    ]
    assert market_models.Hit.objects.count() == 2


def test_publishing_again_before_recovery_creates_no_second_hit(wire, clock):
    published(clock)
    project = restore_backup(clock)
    publish_batch(project=project, now=clock())
    call_command("recover_hits")
    clock.skip(minutes=2)
    create_pending_hits(clock=clock)
    assert market_models.Hit.objects.count() == 3
    assert project.budget.hits.filter(state=HitState.LIVE).count() == 3


def test_orphan_hit_is_adopted_when_its_token_is_offered_later(wire, clock):
    """A case that is offered again adopts its existing HIT."""
    (hit,) = make_hits(1)
    create_pending_hits(clock=clock)
    hit.refresh_from_db()
    external_id, token = hit.external_id, hit.token
    Hit.objects.update(token="gone", external_id="GONE")
    market_models.RequestToken.objects.all().delete()
    call_command("create_project", "other", "--scheme", "qasrl")
    call_command("recover_hits")
    assert OrphanHit.objects.get().hit is None
    (adopted_hit,) = make_hits(1)
    Hit.objects.filter(pk=adopted_hit.pk).update(token=token)
    assert create_pending_hits(clock=clock) == 1
    adopted_hit.refresh_from_db()
    assert (adopted_hit.external_id, adopted_hit.ends_at is not None) == (external_id, True)
    assert OrphanHit.objects.get().hit == adopted_hit


def test_unknown_hit_is_listed_and_left_unchanged(wire, clock, capsys):
    published(clock, 1)
    market_models.Hit.objects.update(annotation="somebody's")
    hit = Hit.objects.get()
    finish(hit, join(1))
    restore_backup(clock)
    call_command("recover_hits", "--json")
    report = json.loads(capsys.readouterr().out)
    (unknown,) = report["unknown"]
    assert (report["adopted"], unknown["undecided_assignments"]) == (0, 1)
    assert market_models.Assignment.objects.get().status == "Submitted"


def test_recovery_above_the_cap_adopts_nothing_and_fails(wire, clock):
    published(clock)
    project = restore_backup(clock)
    Budget.objects.filter(pk=project.budget_id).update(cap_cents=60)
    with pytest.raises(CommandError, match="Raise the budget limit"):
        call_command("recover_hits")
    assert not project.batches.exists()
    Budget.objects.filter(pk=project.budget_id).update(cap_cents=None)
    call_command("recover_hits")
    assert project.budget.hits.count() == 3


def test_adopted_hit_has_the_times_of_the_marketplace(wire, clock):
    (hit,) = published(clock, 1)
    marketplace_hit = market_models.Hit.objects.get()
    project = restore_backup(clock)
    call_command("recover_hits")
    (adopted_hit,) = project.budget.hits.all()
    assert abs(adopted_hit.expires_at - marketplace_hit.expires_at) < timedelta(seconds=1)
    assert adopted_hit.max_assignments == hit.max_assignments == marketplace_hit.max_assignments


def test_no_hit_is_created_during_a_hold_or_twice_afterwards(wire, clock):
    """The database comes from a backup older than its HITs, and its items are published again."""
    published(clock)
    project = restore_backup(clock)
    hold_publishing(reason="Restored.", actor="restore", now=clock())
    publish_batch(project=project, now=clock())
    clock.skip(days=2)
    assert create_pending_hits(clock=clock) == 0
    assert market_models.Hit.objects.count() == 3
    call_command("recover_hits")
    assert active_hold() is None
    create_pending_hits(clock=clock)
    assert market_models.Hit.objects.count() == 3
    assert project.budget.hits.filter(state=HitState.LIVE).count() == 3


def test_hold_remains_if_recovery_fails(wire, clock):
    published(clock)
    project = restore_backup(clock)
    hold_publishing(reason="Restored.", actor="restore", now=clock())
    Budget.objects.filter(pk=project.budget_id).update(cap_cents=60)
    with pytest.raises(CommandError):
        call_command("recover_hits")
    assert active_hold() is not None


def test_second_hold_returns_the_first_and_changes_are_logged(db, clock):
    first = hold_publishing(reason="Restored.", actor="restore", now=clock())
    assert hold_publishing(reason="Again.", actor="restore", now=clock()) == first
    assert lift_hold(actor="kim", now=clock())
    assert not lift_hold(actor="kim", now=clock())
    moves = StateChange.objects.filter(aggregate="crowd.PublishingHold").order_by("pk")
    assert [(move.old, move.new, move.actor) for move in moves] == [
        ("none", "held", "restore"),
        ("held", "lifted", "kim"),
    ]
