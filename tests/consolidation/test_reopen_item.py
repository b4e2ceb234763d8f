"""Tests of finished items that are reopened: new work, new gold, and the money shown before."""

import threading

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse

from annotation.enums import BatchState
from annotation.models import Submission
from consolidation.domain.cases.queries import items_of, state_of
from consolidation.domain.cases.reopen_item import (
    ReopenError,
    annotate_again,
    plan_reopening,
    reopen_item,
)
from consolidation.domain.gold.current_gold import current_gold
from consolidation.models import Case, Gold
from crowd.domain.money.ledger import BudgetExceededError, set_cap
from crowd.enums import HitState
from crowd.models import Budget, Hit
from datasets.domain.exports.sentence_gold import gold_of_sentence
from projects.enums import MemberRole
from schemes.registry import SCHEMES
from tests.consolidation.factories import IDENTIFIED, SURVEY, make_case
from tests.consolidation.test_record_gold import A, B
from tests.consolidation.test_republish_cases import submit_consolidation
from tests.consolidation.validation import GOOD, make_validation_case, sweep, validate
from tests.consolidation.verification import generate, make_verification_project, submit, verify
from tests.consolidation.verification import sweep as sweep_verification
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import make_user
from tests.schemes.labels.scheme import SCHEME

pytestmark = pytest.mark.django_db
REASON = {"reason": "The annotation looks wrong.", "actor": "rita", "now": NOW}


@pytest.fixture
def case() -> Case:
    case = make_case(SURVEY, IDENTIFIED, A, B)
    submit_consolidation(case)
    case.refresh_from_db()
    return case


def finish(case: Case) -> None:
    """Have the marketplace finish the case's HIT, as when its last place is filled."""
    Hit.objects.filter(pk=case.task.hit_id).update(
        state=HitState.FINISHED, external_id="HIT", created_at=NOW, attempted_at=NOW
    )


def widen(case: Case) -> None:
    """Have the marketplace add the places that were ordered."""
    hit = Hit.objects.get(pk=case.task.hit_id)
    assert hit.increase_to
    Hit.objects.filter(pk=hit.pk).update(max_assignments=hit.increase_to, increase_to=None)


def test_reopened_item_keeps_its_gold_until_another_consolidation_is_there(case):
    project, first = case.item.project, Gold.objects.get()
    plan = plan_reopening(item=case.item, now=NOW)
    reserved = Budget.objects.get(pk=project.budget_id).reserved_cents
    reopen_item(item=case.item, **REASON)
    case.refresh_from_db()
    assert (case.state, current_gold(project, "consolidated").get()) == ("offered", first)
    budget = Budget.objects.get(pk=project.budget_id)
    assert budget.reserved_cents - reserved == plan.cents > 0
    assert Submission.objects.get(role="consolidator").state == "withdrawn"
    widen(case)
    submit_consolidation(case)
    assert [gold.version for gold in Gold.objects.order_by("pk")] == [1, 2]
    assert current_gold(project, "consolidated").get().version == 2


def test_item_is_reopened_once(case):
    reopen_item(item=case.item, **REASON)
    with pytest.raises(ReopenError, match="Only finished items"):
        reopen_item(item=case.item, **REASON)
    assert Hit.objects.get(pk=case.task.hit_id).increase_to == 2


def test_reopening_beyond_the_budget_changes_nothing(case):
    budget = Budget.objects.get(pk=case.item.project.budget_id)
    set_cap(budget=budget, cap_cents=budget.reserved_cents + budget.spent_cents)
    with pytest.raises(BudgetExceededError):
        reopen_item(item=case.item, **REASON)
    case.refresh_from_db()
    assert case.state == "consolidated"
    assert Submission.objects.get(role="consolidator").state == "accepted"


def test_validated_item_gets_as_many_new_validations():
    case = make_validation_case()
    for _ in range(2):
        validate(case, *GOOD)
    assert sweep() == (2, 1)
    finish(case)
    assert plan_reopening(item=case.item, now=NOW).workers == 2
    reopen_item(item=case.item, **REASON)
    assert sweep() == (0, 0)
    widen(case)
    for _ in range(2):
        validate(case, GOOD[0], *[{"verdict": "invalid", "answers": [], "same_as": None}] * 2)
    assert sweep() == (2, 1)
    newest = current_gold(case.item.project, "validated").get()
    assert (newest.version, len(newest.content["questions"])) == (2, 1)
    assert set(newest.judgments.values_list("submission__state", flat=True)) == {"accepted"}


def test_verified_item_is_verified_again_and_can_then_be_disputed(monkeypatch):
    monkeypatch.setitem(SCHEMES, "labels", SCHEME)
    item = make_verification_project(revisions=0).items.get()
    case = verify(generate(item), True, True)
    assert case.state == "validated"
    reopen_item(item=item, **REASON)
    widen(case)
    case = verify(case, False, False)
    assert (case.state, item.gold.count()) == ("disputed", 1)


def test_item_that_is_annotated_again_gets_a_new_case(monkeypatch):
    monkeypatch.setitem(SCHEMES, "labels", SCHEME)
    item = make_verification_project(revisions=0).items.get()
    first = verify(generate(item, "positive"), True, True)
    project, old = item.project, item.gold.get()
    plan = plan_reopening(item=item, now=NOW, annotates=True)
    assert (plan.generators, plan.workers) == (1, 2)
    annotate_again(item=item, **REASON)
    first.refresh_from_db()
    assert (first.state, state_of(items_of(project=project).get())) == ("reopened", "reopened")
    assert set(item.submissions.values_list("state", flat=True)) == {"withdrawn"}
    with pytest.raises(ReopenError, match="Only finished items"):
        annotate_again(item=item, **REASON)
    hit = item.tasks.get(role="generator").hit
    Hit.objects.filter(pk=hit.pk).update(max_assignments=hit.increase_to, increase_to=None)
    hit.refresh_from_db()
    submit(hit, make_worker(), {"label": "negative"})
    sweep_verification()
    assert current_gold(project, "validated").get() == old
    second = item.cases.get(state="offered")
    assert (item.cases.get(pk=first.pk).state, second.sources.get() != first.sources.get()) == (
        "replaced",
        True,
    )
    second = verify(second, True, True)
    newest = current_gold(project, "validated").get()
    assert (newest.version, newest.content["label"], newest.case) == (2, "negative", second)
    [shown] = gold_of_sentence(sentence=item.sentence)
    assert [version.gold for version in (*shown.standing, *shown.earlier)] == [newest, old]


@pytest.mark.django_db(transaction=True)
def test_item_that_two_people_reopen_at_once_is_published_once(case):
    errors, gate = [], threading.Barrier(2)

    def reopen() -> None:
        gate.wait()
        try:
            reopen_item(item=case.item, **REASON)
        except (ReopenError, OperationalError) as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=reopen) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(errors) == 1
    assert Hit.objects.get(pk=case.task.hit_id).increase_to == 2


@pytest.mark.parametrize("state", [BatchState.PAUSED, BatchState.CLOSED])
def test_paused_batch_refuses_and_ended_batch_opens_again(case, state):
    batch = case.task.batch
    batch.state = state
    batch.save(update_fields=["state"])
    if state == BatchState.PAUSED:
        with pytest.raises(ReopenError, match="paused"):
            reopen_item(item=case.item, **REASON)
        return
    reopen_item(item=case.item, **REASON)
    batch.refresh_from_db()
    assert batch.state == BatchState.OPEN


def test_page_shows_the_cost_and_changes_nothing_before_it_is_confirmed(case):
    project, item = case.item.project, case.item
    client = Client()
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    page = client.get(reverse("consolidation:item", args=[project.slug, item.pk]))
    address = reverse("consolidation:reopen_item", args=[project.slug, item.pk])
    assert f'action="{address}"' in page.content.decode()
    asked = client.post(address, {"reason": "Wrong.", "kind": "decide"}).content.decode()
    assert "published to 1 other consolidator. It costs up to $0." in asked
    case.refresh_from_db()
    assert case.state == "consolidated"
    done = client.post(
        address, {"reason": "Wrong.", "kind": "decide", "confirmed": "yes"}, follow=True
    )
    assert "is open again" in done.content.decode()
    repeated = client.post(
        address, {"reason": "Wrong.", "kind": "decide", "confirmed": "yes"}, follow=True
    )
    assert "Only finished items can be reopened" in repeated.content.decode()
    empty = client.post(address, {"reason": ""}, follow=True).content.decode()
    assert "Choose what happens, and enter a reason." in empty
