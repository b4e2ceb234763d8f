"""Changes to live HITs at the built-in marketplace, with their offers and the ledger."""

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models import CharField, Value
from django.db.models.functions import Cast, Concat
from django.test.utils import CaptureQueriesContext

from audit.models import StateChange
from crowd.domain.hits import manage_hits
from crowd.domain.hits.create_hits import create_pending_hits
from crowd.domain.hits.manage_hits import (
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
from crowd.domain.hits.sync_hits import sync_due_hits
from crowd.domain.money.decide_assignment import approve_assignment, reject_assignment
from crowd.domain.money.hit_reservations import release_unused
from crowd.domain.money.ledger import BudgetExceededError, CapTooLowError, join_sub_budget, set_cap
from crowd.enums import HitState
from crowd.models import Assignment, Budget, Hit
from marketplace import models as market_models
from tests.crowd.factories import NOW, make_assignment, make_budget, make_hits, make_live_hit
from tests.crowd.in_process import accept, finish, join, submit
from tests.crowd.test_ledger import PLACE_CENTS, balance, cached


def create_live_hits(number: int, clock, **options) -> list[Hit]:
    hits = make_hits(number, **options)
    create_pending_hits(clock=clock)
    for hit in hits:
        hit.refresh_from_db()
    return hits


def is_offered(hit: Hit) -> bool:
    """Return whether workers can accept the HIT now."""
    row = market_models.Hit.objects.get(code=hit.external_id)
    return row.open and not row.expiry_noted


def test_paused_hit_is_not_offered_until_it_is_resumed_with_its_time(wire, clock):
    (hit,) = create_live_hits(1, clock)
    end = hit.expires_at
    assert pause_hits(hits=Hit.objects.all(), now=clock()) == 1
    assert send_due_ends(clock=clock) == 1
    assert not is_offered(hit)
    assert cached(hit.budget) == (2 * PLACE_CENTS, 0)
    clock.skip(hours=6)
    assert resume_hits(hits=Hit.objects.all(), now=clock()) == 1
    assert send_due_ends(clock=clock) == 1
    hit.refresh_from_db()
    assert is_offered(hit)
    assert abs(hit.expires_at - (end + timedelta(hours=6))) < timedelta(seconds=5)


def test_pending_hit_is_not_created_while_paused(wire, clock):
    make_hits(1)
    pause_hits(hits=Hit.objects.all(), now=clock())
    assert create_pending_hits(clock=clock) == 0
    resume_hits(hits=Hit.objects.all(), now=clock())
    assert create_pending_hits(clock=clock) == 1
    assert send_due_ends(clock=clock) == 0


def test_hit_paused_during_creation_is_ended_at_once(wire, clock):
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
    assert not is_offered(hit)


def test_withdrawn_hit_releases_its_reservation_at_once(wire, clock):
    (hit,) = make_hits(1)
    assert expire_hits(hits=Hit.objects.all(), actor="me", now=clock()) == 1
    hit.refresh_from_db()
    assert hit.state == HitState.WITHDRAWN
    assert cached(hit.budget) == balance(hit.budget) == (0, 0)
    assert create_pending_hits(clock=clock) == 0


def test_hit_withdrawn_between_lease_and_call_is_not_created(wire, clock):
    make_hits(1)

    def withdraw_meanwhile(operation):
        if operation == "CreateHITType":
            expire_hits(hits=Hit.objects.all(), actor="me", now=clock())
        return ""

    wire.faults = withdraw_meanwhile
    assert create_pending_hits(clock=clock) == 0
    assert market_models.Hit.objects.count() == 0


def test_late_work_is_recorded_and_payable_after_the_hit_was_expired(wire, clock):
    (hit,) = create_live_hits(1, clock)
    worker = join(1)
    assignment = accept(hit, worker)
    expire_hits(hits=Hit.objects.all(), actor="me", now=clock())
    send_due_ends(clock=clock)
    clock.skip(hours=3)
    sync_due_hits(clock=clock)
    hit.refresh_from_db()
    assert hit.state == HitState.EXPIRED
    assert cached(hit.budget) == (0, 0)
    submit(hit, worker, assignment)
    assert sync_due_hits(clock=clock) == 1
    approve_assignment(assignment=Assignment.objects.get(), bonus=None, actor="me", now=clock())
    assert cached(hit.budget) == balance(hit.budget) == (6, 0)


def test_extended_hit_is_offered_again_with_its_money(wire, clock):
    (hit,) = create_live_hits(1, clock)
    finish(hit, join(1))
    expire_hits(hits=Hit.objects.all(), actor="me", now=clock())
    send_due_ends(clock=clock)
    clock.skip(hours=3)
    sync_due_hits(clock=clock)
    assert cached(hit.budget) == (PLACE_CENTS, 0)
    assert extend_hit(hit=hit, ends_at=clock() + timedelta(days=3), now=clock())
    assert cached(hit.budget) == balance(hit.budget) == (2 * PLACE_CENTS, 0)
    send_due_ends(clock=clock)
    assert is_offered(hit)
    # A second end releases the same place once more, and nothing else.
    expire_hits(hits=Hit.objects.all(), actor="me", now=clock())
    send_due_ends(clock=clock)
    clock.skip(hours=3)
    sync_due_hits(clock=clock)
    assert cached(hit.budget) == balance(hit.budget) == (PLACE_CENTS, 0)


def test_extension_above_the_cap_changes_nothing(wire, clock):
    (hit,) = create_live_hits(1, clock, budget=make_budget(cap_cents=2 * PLACE_CENTS))
    expire_hits(hits=Hit.objects.all(), actor="me", now=clock())
    send_due_ends(clock=clock)
    clock.skip(hours=3)
    sync_due_hits(clock=clock)
    Budget.objects.update(cap_cents=PLACE_CENTS)
    with pytest.raises(BudgetExceededError):
        extend_hit(hit=hit, ends_at=clock() + timedelta(days=3), now=clock())
    hit.refresh_from_db()
    assert (hit.state, hit.expiration_wanted) == (HitState.EXPIRED, None)


@pytest.mark.parametrize("fault", ["", "timeout_after_success=1", "fail=1", "throttle=1"])
def test_added_assignments_are_added_once(wire, clock, fault):
    (hit,) = create_live_hits(1, clock)
    add_assignments(hit=hit, number=1, now=clock())
    assert cached(hit.budget) == balance(hit.budget) == (3 * PLACE_CENTS, 0)
    wire.faults = lambda operation: fault if operation.startswith("CreateAdd") else ""
    send_due_increases(clock=clock)
    wire.faults = lambda operation: ""
    send_due_increases(clock=clock)
    hit.refresh_from_db()
    assert (hit.max_assignments, hit.increase_to) == (3, None)
    assert market_models.Hit.objects.get().max_assignments == 3


def test_assignments_of_a_hit_cannot_grow_from_nine_to_ten(wire, clock):
    (hit,) = create_live_hits(1, clock, max_assignments=9)
    with pytest.raises(HitChangeError, match="fewer than 10"):
        add_assignments(hit=hit, number=1, now=clock())
    assert cached(hit.budget) == (9 * PLACE_CENTS, 0)


def test_refused_increase_releases_its_money_and_can_be_repeated(wire, clock):
    (hit,) = create_live_hits(1, clock)
    market_models.Hit.objects.update(disposed_at=clock(), open=False)
    add_assignments(hit=hit, number=1, now=clock())
    send_due_increases(clock=clock)
    hit.refresh_from_db()
    assert (hit.increase_to, cached(hit.budget)) == (None, (2 * PLACE_CENTS, 0))
    assert hit.error
    add_assignments(hit=hit, number=1, now=clock())
    assert cached(hit.budget) == balance(hit.budget) == (3 * PLACE_CENTS, 0)


def ended(clock) -> Hit:
    """Return an expired HIT without work, after the release of its money."""
    (hit,) = create_live_hits(1, clock)
    expire_hits(hits=Hit.objects.all(), actor="me", now=clock())
    send_due_ends(clock=clock)
    clock.skip(hours=3)
    sync_due_hits(clock=clock)
    hit.refresh_from_db()
    assert (hit.state, cached(hit.budget)) == (HitState.EXPIRED, (0, 0))
    return hit


def test_place_added_to_an_ended_hit_reserves_no_money_until_extended(wire, clock):
    hit = ended(clock)
    add_assignments(hit=hit, number=1, now=clock())
    assert cached(hit.budget) == (PLACE_CENTS, 0)
    send_due_increases(clock=clock)
    assert cached(hit.budget) == balance(hit.budget) == (0, 0)
    extend_hit(hit=hit, ends_at=clock() + timedelta(days=3), now=clock())
    assert cached(hit.budget) == balance(hit.budget) == (3 * PLACE_CENTS, 0)


def test_increase_refused_after_the_end_releases_its_money_once(wire, clock):
    (hit,) = create_live_hits(1, clock)
    add_assignments(hit=hit, number=1, now=clock())
    expire_hits(hits=Hit.objects.all(), actor="me", now=clock())
    send_due_ends(clock=clock)
    clock.skip(hours=3)
    sync_due_hits(clock=clock)
    assert cached(hit.budget) == (0, 0)
    market_models.Hit.objects.update(disposed_at=clock(), open=False)
    send_due_increases(clock=clock)
    hit.refresh_from_db()
    assert hit.error
    assert cached(hit.budget) == balance(hit.budget) == (0, 0)


@pytest.mark.django_db
def test_sub_budget_has_its_own_cap(clock):
    budget, sub = make_budget(), make_budget()
    hit = make_live_hit(budget=budget)
    join_sub_budget(hits=Hit.objects.filter(pk=hit.pk), budget=budget, sub_budget=sub)
    assert cached(sub) == cached(budget) == (2 * PLACE_CENTS, 0)
    with pytest.raises(CapTooLowError, match=r"0\.56 dollars"):
        set_cap(budget=sub, cap_cents=2 * PLACE_CENTS - 1)
    set_cap(budget=sub, cap_cents=2 * PLACE_CENTS)
    hit.refresh_from_db()
    with pytest.raises(BudgetExceededError):
        add_assignments(hit=hit, number=1, now=clock())
    assert cached(sub) == cached(budget) == (2 * PLACE_CENTS, 0)
    reject_assignment(assignment=make_assignment(hit), reason="no", actor="me", now=clock())
    add_assignments(hit=hit, number=1, now=clock())
    assert cached(sub) == cached(budget) == (2 * PLACE_CENTS, 0)


# --- bulk actions ----------------------------------------------------------------------------

LATER = NOW + timedelta(days=20)
ALL_HITS = Hit.objects.all
ACTIONS = {
    "pause": lambda: pause_hits(hits=ALL_HITS(), now=NOW),
    "resume": lambda: resume_hits(hits=ALL_HITS(), now=NOW),
    "end": lambda: expire_hits(hits=ALL_HITS(), actor="me", now=NOW),
    "extend": lambda: extend_hits(hits=ALL_HITS(), ends_at=LATER, now=NOW),
    "add": lambda: add_to_each(hits=ALL_HITS(), number=1, now=NOW),
}
# The state of the HITs before each action.
INITIAL_STATES = {"resume": "paused", "extend": "expired"}


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
    ("action", "state"),
    [*((action, INITIAL_STATES.get(action, "live")) for action in ACTIONS), ("end", "pending")],
)
def test_number_of_queries_of_an_action_does_not_depend_on_the_hits(action, state):
    counts = []
    for number in (2, 40):
        with transaction.atomic():
            make_many(number, state)
            with CaptureQueriesContext(connection) as queries:
                assert ACTIONS[action]() == number
            counts.append(len(queries))
            transaction.set_rollback(True)
    assert counts[0] == counts[1] <= 20


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(manage_hits, "AT_A_TIME", 2)


@pytest.mark.django_db
def test_withdrawn_hits_release_their_money_in_both_budgets(small_chunks):
    budget, sub = make_budget(), make_budget()
    make_hits(5, budget=budget)
    join_sub_budget(hits=ALL_HITS(), budget=budget, sub_budget=sub)
    assert cached(budget) == cached(sub) == (10 * PLACE_CENTS, 0)
    assert expire_hits(hits=ALL_HITS(), actor="me", now=NOW) == 5
    assert set(ALL_HITS().values_list("state", flat=True)) == {HitState.WITHDRAWN}
    assert cached(budget) == balance(budget) == cached(sub) == (0, 0)
    log = StateChange.objects.filter(aggregate="crowd.Hit", new="withdrawn", actor="me")
    assert set(log.values_list("object_id", flat=True)) == set(
        ALL_HITS().values_list("pk", flat=True)
    )
    assert expire_hits(hits=ALL_HITS(), actor="me", now=NOW) == 0


@pytest.mark.django_db
def test_ended_hits_are_offered_again_with_money_for_open_places(small_chunks):
    first, *others = make_many(3, "expired")
    make_assignment(first)
    # The end releases two places of each HIT, but only one if work is undecided.
    release_unused(hits=list(ALL_HITS().select_related("hit_type")), now=NOW)
    assert cached(first.budget) == balance(first.budget) == (PLACE_CENTS, 0)
    assert extend_hits(hits=ALL_HITS(), ends_at=LATER, now=NOW) == 3
    assert cached(first.budget) == balance(first.budget) == ((2 + 2 * len(others)) * PLACE_CENTS, 0)
    assert set(ALL_HITS().values_list("state", "reservation_round", "expiration_wanted")) == {
        (HitState.LIVE, 1, LATER)
    }


@pytest.mark.django_db
def test_places_are_added_to_all_hits_or_none(small_chunks):
    hits = make_many(5, "live")
    budget = hits[0].budget
    set_cap(budget=budget, cap_cents=14 * PLACE_CENTS)
    with pytest.raises(BudgetExceededError):
        add_to_each(hits=ALL_HITS(), number=1, now=NOW)
    set_cap(budget=budget, cap_cents=None)
    Hit.objects.filter(pk=hits[-1].pk).update(increase_to=3)
    with pytest.raises(HitChangeError, match="assignments being added"):
        add_to_each(hits=ALL_HITS(), number=1, now=NOW)
    assert cached(budget) == balance(budget) == (10 * PLACE_CENTS, 0)
    Hit.objects.filter(pk=hits[-1].pk).update(increase_to=None)
    assert add_to_each(hits=ALL_HITS(), number=2, now=NOW) == 5
    assert cached(budget) == balance(budget) == (20 * PLACE_CENTS, 0)
    assert set(ALL_HITS().values_list("increase_to", "reservation_round")) == {(4, 1)}


@pytest.mark.django_db
def test_resumed_hits_get_back_their_remaining_time():
    moved, short_lived, pending = make_many(3, "live")
    Hit.objects.filter(pk=pending.pk).update(
        state="pending", external_id=None, created_at=None, attempted_at=None
    )
    Hit.objects.filter(pk=moved.pk).update(ends_at=LATER)
    Hit.objects.filter(pk=short_lived.pk).update(lifetime_seconds=3600)
    pause_hits(hits=ALL_HITS(), now=NOW)
    assert resume_hits(hits=ALL_HITS(), now=NOW + timedelta(minutes=5)) == 3
    ends = dict(ALL_HITS().values_list("pk", "expiration_wanted"))
    assert ends == {
        moved.pk: LATER + timedelta(minutes=5),
        short_lived.pk: NOW + timedelta(hours=1, minutes=5),
        pending.pk: None,
    }
    assert not ALL_HITS().exclude(paused_at=None)
