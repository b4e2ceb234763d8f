"""HITs that are out, over our own marketplace: what it offers, and what the ledger holds."""

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models import CharField, Value
from django.db.models.functions import Cast, Concat
from django.test.utils import CaptureQueriesContext

from audit.models import StateChange
from crowd.domain import manage_hits
from crowd.domain.create_hits import create_pending_hits
from crowd.domain.decide_assignment import approve_assignment, reject_assignment
from crowd.domain.hit_reservations import release_unused
from crowd.domain.ledger import BudgetExceededError, CapTooLowError, join_sub_budget, set_cap
from crowd.domain.manage_hits import (
    HitChangeError,
    add_assignments,
    add_to_each,
    expire_hits,
    extend_hit,
    extend_hits,
    pause_hits,
    resume_hits,
    send_due_ends,
    send_due_increases,
)
from crowd.domain.sync_hits import sync_due_hits
from crowd.enums import HitState
from crowd.models import Assignment, Budget, Hit
from marketplace import models as theirs
from tests.crowd.factories import NOW, make_assignment, make_budget, make_hits, make_live_hit
from tests.crowd.in_process import accept, finish, hand_in, join
from tests.crowd.test_ledger import SLOT, balance, cached


def made(number: int, clock, **options) -> list[Hit]:
    hits = make_hits(number, **options)
    create_pending_hits(clock=clock)
    for hit in hits:
        hit.refresh_from_db()
    return hits


def offered(hit: Hit) -> bool:
    """Whether workers can take it now."""
    row = theirs.Hit.objects.get(code=hit.external_id)
    return row.open and not row.expiry_noted


def test_paused_hit_is_not_offered_and_resumed_one_gets_its_time_back(wire, clock):
    (hit,) = made(1, clock)
    end = hit.expires_at
    assert pause_hits(hits=Hit.objects.all(), now=clock()) == 1
    assert send_due_ends(clock=clock) == 1
    assert not offered(hit)
    assert cached(hit.budget) == (2 * SLOT, 0)
    clock.skip(hours=6)
    assert resume_hits(hits=Hit.objects.all(), now=clock()) == 1
    assert send_due_ends(clock=clock) == 1
    hit.refresh_from_db()
    assert offered(hit)
    assert abs(hit.expires_at - (end + timedelta(hours=6))) < timedelta(seconds=5)


def test_hit_that_waits_to_be_made_is_not_made_while_paused(wire, clock):
    make_hits(1)
    pause_hits(hits=Hit.objects.all(), now=clock())
    assert create_pending_hits(clock=clock) == 0
    resume_hits(hits=Hit.objects.all(), now=clock())
    assert create_pending_hits(clock=clock) == 1
    assert send_due_ends(clock=clock) == 0


def test_hit_paused_while_it_is_made_is_ended_at_once(wire, clock):
    (hit,) = make_hits(1)

    def pause_meanwhile(operation):
        if operation == "CreateHITWithHITType":
            pause_hits(hits=Hit.objects.all(), now=clock())
        return ""

    wire.faults = pause_meanwhile
    create_pending_hits(clock=clock)
    send_due_ends(clock=clock)
    hit.refresh_from_db()
    assert hit.state == HitState.LIVE
    assert not offered(hit)


def test_withdrawn_hit_frees_its_money_at_once(wire, clock):
    (hit,) = make_hits(1)
    assert expire_hits(hits=Hit.objects.all(), actor="me", now=clock()) == 1
    hit.refresh_from_db()
    assert hit.state == HitState.WITHDRAWN
    assert cached(hit.budget) == balance(hit.budget) == (0, 0)
    assert create_pending_hits(clock=clock) == 0


def test_hit_withdrawn_between_lease_and_call_is_not_made(wire, clock):
    make_hits(1)

    def withdraw_meanwhile(operation):
        if operation == "CreateHITType":
            expire_hits(hits=Hit.objects.all(), actor="me", now=clock())
        return ""

    wire.faults = withdraw_meanwhile
    assert create_pending_hits(clock=clock) == 0
    assert theirs.Hit.objects.count() == 0


def test_late_work_is_recorded_and_payable_after_our_own_expiry(wire, clock):
    (hit,) = made(1, clock)
    worker = join(1)
    assignment = accept(hit, worker)
    expire_hits(hits=Hit.objects.all(), actor="me", now=clock())
    send_due_ends(clock=clock)
    clock.skip(hours=3)
    sync_due_hits(clock=clock)
    hit.refresh_from_db()
    assert hit.state == HitState.EXPIRED
    assert cached(hit.budget) == (0, 0)
    hand_in(hit, worker, assignment)
    assert sync_due_hits(clock=clock) == 1
    approve_assignment(assignment=Assignment.objects.get(), bonus=None, actor="me", now=clock())
    assert cached(hit.budget) == balance(hit.budget) == (6, 0)


def test_extended_hit_is_offered_again_with_its_money(wire, clock):
    (hit,) = made(1, clock)
    finish(hit, join(1))
    expire_hits(hits=Hit.objects.all(), actor="me", now=clock())
    send_due_ends(clock=clock)
    clock.skip(hours=3)
    sync_due_hits(clock=clock)
    assert cached(hit.budget) == (SLOT, 0)
    assert extend_hit(hit=hit, ends_at=clock() + timedelta(days=3), now=clock())
    assert cached(hit.budget) == balance(hit.budget) == (2 * SLOT, 0)
    send_due_ends(clock=clock)
    assert offered(hit)
    # A second end gives the same place back once more, and no more than that.
    expire_hits(hits=Hit.objects.all(), actor="me", now=clock())
    send_due_ends(clock=clock)
    clock.skip(hours=3)
    sync_due_hits(clock=clock)
    assert cached(hit.budget) == balance(hit.budget) == (SLOT, 0)


def test_extension_without_room_under_the_cap_changes_nothing(wire, clock):
    (hit,) = made(1, clock, budget=make_budget(cap_cents=2 * SLOT))
    expire_hits(hits=Hit.objects.all(), actor="me", now=clock())
    send_due_ends(clock=clock)
    clock.skip(hours=3)
    sync_due_hits(clock=clock)
    Budget.objects.update(cap_cents=SLOT)
    with pytest.raises(BudgetExceededError):
        extend_hit(hit=hit, ends_at=clock() + timedelta(days=3), now=clock())
    hit.refresh_from_db()
    assert (hit.state, hit.expiration_wanted) == (HitState.EXPIRED, None)


@pytest.mark.parametrize("fault", ["", "timeout_after_success=1", "fail=1", "throttle=1"])
def test_added_assignments_are_added_once(wire, clock, fault):
    (hit,) = made(1, clock)
    add_assignments(hit=hit, number=1, now=clock())
    assert cached(hit.budget) == balance(hit.budget) == (3 * SLOT, 0)
    wire.faults = lambda operation: fault if operation.startswith("CreateAdd") else ""
    send_due_increases(clock=clock)
    wire.faults = lambda operation: ""
    send_due_increases(clock=clock)
    hit.refresh_from_db()
    assert (hit.max_assignments, hit.increase_to) == (3, None)
    assert theirs.Hit.objects.get().max_assignments == 3


def test_hit_of_nine_can_not_become_one_of_ten(wire, clock):
    (hit,) = made(1, clock, max_assignments=9)
    with pytest.raises(HitChangeError, match="fewer than 10"):
        add_assignments(hit=hit, number=1, now=clock())
    assert cached(hit.budget) == (9 * SLOT, 0)


def test_refused_increase_gives_its_money_back_and_can_be_asked_for_again(wire, clock):
    (hit,) = made(1, clock)
    theirs.Hit.objects.update(disposed_at=clock(), open=False)
    add_assignments(hit=hit, number=1, now=clock())
    send_due_increases(clock=clock)
    hit.refresh_from_db()
    assert (hit.increase_to, cached(hit.budget)) == (None, (2 * SLOT, 0))
    assert hit.error
    add_assignments(hit=hit, number=1, now=clock())
    assert cached(hit.budget) == balance(hit.budget) == (3 * SLOT, 0)


def ended(clock) -> Hit:
    """Return an expired HIT without work, whose money was released."""
    (hit,) = made(1, clock)
    expire_hits(hits=Hit.objects.all(), actor="me", now=clock())
    send_due_ends(clock=clock)
    clock.skip(hours=3)
    sync_due_hits(clock=clock)
    hit.refresh_from_db()
    assert (hit.state, cached(hit.budget)) == (HitState.EXPIRED, (0, 0))
    return hit


def test_place_added_to_an_ended_hit_holds_no_money_until_it_is_extended(wire, clock):
    hit = ended(clock)
    add_assignments(hit=hit, number=1, now=clock())
    assert cached(hit.budget) == (SLOT, 0)
    send_due_increases(clock=clock)
    assert cached(hit.budget) == balance(hit.budget) == (0, 0)
    extend_hit(hit=hit, ends_at=clock() + timedelta(days=3), now=clock())
    assert cached(hit.budget) == balance(hit.budget) == (3 * SLOT, 0)


def test_increase_refused_after_the_end_gives_its_money_back_once(wire, clock):
    (hit,) = made(1, clock)
    add_assignments(hit=hit, number=1, now=clock())
    expire_hits(hits=Hit.objects.all(), actor="me", now=clock())
    send_due_ends(clock=clock)
    clock.skip(hours=3)
    sync_due_hits(clock=clock)
    assert cached(hit.budget) == (0, 0)
    theirs.Hit.objects.update(disposed_at=clock(), open=False)
    send_due_increases(clock=clock)
    hit.refresh_from_db()
    assert hit.error
    assert cached(hit.budget) == balance(hit.budget) == (0, 0)


@pytest.mark.django_db
def test_sub_budget_caps_beside_the_budget(clock):
    budget, sub = make_budget(), make_budget()
    hit = make_live_hit(budget=budget)
    join_sub_budget(hits=Hit.objects.filter(pk=hit.pk), budget=budget, sub_budget=sub)
    assert cached(sub) == cached(budget) == (2 * SLOT, 0)
    with pytest.raises(CapTooLowError, match=r"0\.56 dollars"):
        set_cap(budget=sub, cap_cents=2 * SLOT - 1)
    set_cap(budget=sub, cap_cents=2 * SLOT)
    hit.refresh_from_db()
    with pytest.raises(BudgetExceededError):
        add_assignments(hit=hit, number=1, now=clock())
    assert cached(sub) == cached(budget) == (2 * SLOT, 0)
    reject_assignment(assignment=make_assignment(hit), reason="no", actor="me", now=clock())
    add_assignments(hit=hit, number=1, now=clock())
    assert cached(sub) == cached(budget) == (2 * SLOT, 0)


# --- many at once ----------------------------------------------------------------------------

LATER = NOW + timedelta(days=20)
MANY = Hit.objects.all
ORDERS = {
    "pause": lambda: pause_hits(hits=MANY(), now=NOW),
    "resume": lambda: resume_hits(hits=MANY(), now=NOW),
    "end": lambda: expire_hits(hits=MANY(), actor="me", now=NOW),
    "extend": lambda: extend_hits(hits=MANY(), ends_at=LATER, now=NOW),
    "add": lambda: add_to_each(hits=MANY(), number=1, now=NOW),
}
# The state in which an order finds the HITs.
FINDS = {"resume": "paused", "extend": "expired"}


def make_many(number: int, state: str) -> list[Hit]:
    hits = make_hits(number)
    if state == "pending":
        return hits
    Hit.objects.update(
        state="expired" if state == "expired" else "live",
        external_id=Concat(Value("HIT"), Cast("pk", CharField())),
        attempted_at=NOW,
        created_at=NOW,
        paused_at=NOW if state == "paused" else None,
    )
    return hits


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("order", "state"), [*((one, FINDS.get(one, "live")) for one in ORDERS), ("end", "pending")]
)
def test_statements_of_an_order_do_not_grow_with_the_hits(order, state):
    asked = []
    for number in (2, 40):
        with transaction.atomic():
            make_many(number, state)
            with CaptureQueriesContext(connection) as queries:
                assert ORDERS[order]() == number
            asked.append(len(queries))
            transaction.set_rollback(True)
    assert asked[0] == asked[1] <= 20


@pytest.fixture
def two_at_a_time(monkeypatch):
    monkeypatch.setattr(manage_hits, "AT_A_TIME", 2)


@pytest.mark.django_db
def test_withdrawn_hits_free_their_money_each_in_both_budgets(two_at_a_time):
    budget, sub = make_budget(), make_budget()
    make_hits(5, budget=budget)
    join_sub_budget(hits=MANY(), budget=budget, sub_budget=sub)
    assert cached(budget) == cached(sub) == (10 * SLOT, 0)
    assert expire_hits(hits=MANY(), actor="me", now=NOW) == 5
    assert set(MANY().values_list("state", flat=True)) == {HitState.WITHDRAWN}
    assert cached(budget) == balance(budget) == cached(sub) == (0, 0)
    log = StateChange.objects.filter(aggregate="crowd.Hit", new="withdrawn", actor="me")
    assert set(log.values_list("object_id", flat=True)) == set(MANY().values_list("pk", flat=True))
    assert expire_hits(hits=MANY(), actor="me", now=NOW) == 0


@pytest.mark.django_db
def test_ended_hits_are_offered_again_with_money_for_the_places_left(two_at_a_time):
    first, *others = make_many(3, "expired")
    make_assignment(first)
    # What an end gives back: here two places of each HIT, and one where work is undecided.
    release_unused(hits=list(MANY().select_related("hit_type")), now=NOW)
    assert cached(first.budget) == balance(first.budget) == (SLOT, 0)
    assert extend_hits(hits=MANY(), ends_at=LATER, now=NOW) == 3
    assert cached(first.budget) == balance(first.budget) == ((2 + 2 * len(others)) * SLOT, 0)
    assert set(MANY().values_list("state", "offer_round", "expiration_wanted")) == {
        (HitState.LIVE, 1, LATER)
    }


@pytest.mark.django_db
def test_places_are_added_to_all_hits_or_to_none(two_at_a_time):
    hits = make_many(5, "live")
    budget = hits[0].budget
    set_cap(budget=budget, cap_cents=14 * SLOT)
    with pytest.raises(BudgetExceededError):
        add_to_each(hits=MANY(), number=1, now=NOW)
    set_cap(budget=budget, cap_cents=None)
    Hit.objects.filter(pk=hits[-1].pk).update(increase_to=3)
    with pytest.raises(HitChangeError, match="assignments being added"):
        add_to_each(hits=MANY(), number=1, now=NOW)
    assert cached(budget) == balance(budget) == (10 * SLOT, 0)
    Hit.objects.filter(pk=hits[-1].pk).update(increase_to=None)
    assert add_to_each(hits=MANY(), number=2, now=NOW) == 5
    assert cached(budget) == balance(budget) == (20 * SLOT, 0)
    assert set(MANY().values_list("increase_to", "offer_round")) == {(4, 1)}


@pytest.mark.django_db
def test_resumed_hits_get_back_what_was_left_of_the_time_of_each():
    moved, made_to_last, to_be_made = make_many(3, "live")
    Hit.objects.filter(pk=to_be_made.pk).update(
        state="pending", external_id=None, created_at=None, attempted_at=None
    )
    Hit.objects.filter(pk=moved.pk).update(ends_at=LATER)
    Hit.objects.filter(pk=made_to_last.pk).update(lifetime_seconds=3600)
    pause_hits(hits=MANY(), now=NOW)
    assert resume_hits(hits=MANY(), now=NOW + timedelta(minutes=5)) == 3
    ends = dict(MANY().values_list("pk", "expiration_wanted"))
    assert ends == {
        moved.pk: LATER + timedelta(minutes=5),
        made_to_last.pk: NOW + timedelta(hours=1, minutes=5),
        to_be_made.pk: None,
    }
    assert not MANY().exclude(paused_at=None)
