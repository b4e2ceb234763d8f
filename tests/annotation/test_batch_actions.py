from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from annotation.domain.publishing.batch_actions import (
    expire_batch,
    extend_batch,
    hits_of,
    pause_batch,
    resume_batch,
    top_up_batches,
)
from annotation.domain.publishing.publish import cap_batch, publish_batch
from annotation.enums import BatchState
from annotation.models import Batch, TaskItem
from audit.domain.change_state import TransitionNotAllowedError
from audit.models import StateChange
from crowd.domain.money.decide_assignment import BonusAward, approve_assignment
from crowd.domain.money.ledger import BudgetExceededError
from crowd.enums import HitState, PaymentState
from crowd.models import Budget, Hit, Payment
from projects.models import Project
from tests.annotation.factories import NOW, make_item, make_project
from tests.crowd.factories import make_assignment

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project()
    for _ in range(6):
        make_item(project)
    return project


def at(now):
    return lambda: now


def go_live(hits) -> None:
    for hit in hits:
        hit.state, hit.external_id, hit.created_at = HitState.LIVE, f"HIT{hit.pk}", NOW
        hit.attempted_at = NOW
        hit.save()


def end(hits, state: str) -> None:
    go_live(hits)
    Hit.objects.filter(pk__in=[hit.pk for hit in hits]).update(state=state)


def test_batch_keeps_a_number_of_hits_open_until_its_limit(project):
    batch = publish_batch(project=project, now=NOW, keep_open=2, limit=5)
    assert batch.tasks.count() == 2
    assert top_up_batches(clock=at(NOW)) == 0
    go_live(hits_of(batch))
    hits_of(batch).update(state=HitState.FINISHED)
    assert top_up_batches(clock=at(NOW)) == 2
    hits_of(batch).filter(state=HitState.PENDING).update(state=HitState.FAILED)
    assert top_up_batches(clock=at(NOW)) == 1
    assert top_up_batches(clock=at(NOW)) == 0
    assert TaskItem.objects.values("item").distinct().count() == 5


def test_top_up_offers_what_the_cap_allows_and_stores_the_problem(project):
    batch = publish_batch(project=project, now=NOW, keep_open=1)
    Budget.objects.update(cap_cents=project.budget.hits.count() * 56 * 2 + 60)
    Batch.objects.update(keep_open=5)
    offered = top_up_batches(clock=at(NOW))
    batch.refresh_from_db()
    assert 1 <= offered < 4
    assert "dollars left" in batch.problem
    Budget.objects.update(cap_cents=None)
    while top_up_batches(clock=at(NOW)):
        pass
    batch.refresh_from_db()
    assert (hits_of(batch).open().count(), batch.problem) == (5, "")


def test_paused_batch_is_not_topped_up(project):
    batch = publish_batch(project=project, now=NOW, keep_open=2)
    assert pause_batch(batch=batch, actor="me", now=NOW) == 2
    assert top_up_batches(clock=at(NOW)) == 0
    assert hits_of(batch).open().count() == 0
    assert resume_batch(batch=batch, actor="me", now=NOW) == 2
    assert hits_of(batch).open().count() == 2


def test_expired_batch_can_be_extended_and_not_paused(project):
    batch = publish_batch(project=project, now=NOW, limit=2)
    end(hits_of(batch), HitState.EXPIRED)
    expire_batch(batch=batch, actor="me", now=NOW)
    with pytest.raises(TransitionNotAllowedError):
        pause_batch(batch=batch, actor="me", now=NOW)
    later = NOW + timedelta(days=20)
    assert extend_batch(batch=batch, ends_at=later, actor="me", now=NOW) == 2
    batch.refresh_from_db()
    assert batch.state == BatchState.OPEN
    assert set(hits_of(batch).values_list("expiration_wanted", flat=True)) == {later}


def test_batch_cap_holds_for_publishing_and_bonuses(project):
    batch = publish_batch(project=project, now=NOW, limit=1, cap_cents=60)
    with pytest.raises(BudgetExceededError, match="budget batch:"):
        publish_batch(project=project, now=NOW, limit=2, cap_cents=60)
    (hit,) = hits_of(batch)
    go_live([hit])
    assignment = make_assignment(hit)
    bonus = BonusAward(500, "a great deal")
    approve_assignment(assignment=assignment, bonus=bonus, actor="me", now=NOW)
    assert Payment.objects.get(kind="bonus").state == PaymentState.HELD
    cap_batch(batch=batch, cap_cents=None)
    batch.budget.refresh_from_db()
    assert batch.budget.cap_cents is None


def test_command_prints_the_state_of_a_batch(project, capsys):
    batch = publish_batch(project=project, now=NOW, limit=2)
    call_command("batch", batch.pk, "pause", "--json")
    assert '"state": "paused", "hits": 2, "open": 0' in capsys.readouterr().out
    with pytest.raises(CommandError, match="no batch 0"):
        call_command("batch", 0, "show")
    call_command("batch", batch.pk, "cap", "--cents", "400")
    with pytest.raises(CommandError, match="Enter a limit of at least"):
        call_command("batch", batch.pk, "cap", "--cents", "1")
    call_command("republish", project.slug, "--json")
    assert '{"raised": 0, "new_hits": 0}' in capsys.readouterr().out


def test_command_sets_the_republication_limit(project, capsys):
    batch = publish_batch(project=project, now=NOW, limit=2)
    call_command("batch", batch.pk, "policy", "--republications", "7", "--json")
    assert '"republish_limit": 7' in capsys.readouterr().out
    changes = StateChange.objects.filter(aggregate="annotation.Batch", object_id=batch.pk)
    log = changes.exclude(new="published").get()
    assert (log.old, log.new) == ("republication limit: 3", "republication limit: 7")
    assert log.actor == "command line"
    with pytest.raises(CommandError, match="is 0 to 20"):
        call_command("batch", batch.pk, "policy", "--republications", "21")
    with pytest.raises(CommandError, match="pass a number"):
        call_command("batch", batch.pk, "policy")


def test_extending_a_paused_batch_offers_its_pending_hits(project):
    batch = publish_batch(project=project, now=NOW, limit=3)
    go_live(hits_of(batch)[:1])
    pause_batch(batch=batch, actor="me", now=NOW)
    later = NOW + timedelta(days=20)
    assert extend_batch(batch=batch, ends_at=later, actor="me", now=NOW) == 1
    assert hits_of(batch).open().count() == 3
