"""Payment of sessions: once per session, to the cent, and by a person for unknown outcomes."""

from dataclasses import replace

import pytest

from annotation.domain.decisions.decide_bonuses import pay_waiting_work
from annotation.domain.publishing.publish import publish_batch
from annotation.domain.work.compensate import publish_compensation
from annotation.models import HeldBonus
from crowd.domain.money.pay_in_session import NoSessionError
from crowd.domain.sessions.settle_sessions import SettlementError, resolve_settlement, split_cents
from crowd.domain.workers.register_worker import register_worker
from crowd.models import Payment, Settlement, Study, Worker
from projects.enums import BonusTiming
from tests.fakes.prolific import Fault
from tests.prolific.campaign import (
    REWARD_CENTS,
    Campaign,
    Person,
    label,
    ledger_cents,
    open_settlements,
    wallet_cents,
)


@pytest.fixture
def campaign(server) -> Campaign:
    return Campaign(server, [])


@pytest.fixture
def person(server, study) -> Person:
    """Return a participant who returned a place after three tasks, so that a bonus is due."""
    person = Person(server, label)
    person.take_part(study.external_id, most=3)
    person.participant.return_place()
    return person


def paid_bonuses(server) -> list[int]:
    return [row.amount for row in server.movements if row.kind == "bonus"]


def test_bonus_is_paid_once(server, campaign, person):
    campaign.settle()
    campaign.settle()
    assert paid_bonuses(server) == [3 * REWARD_CENTS]
    assert ledger_cents() == wallet_cents(server)


@pytest.mark.parametrize(
    "fault",
    [
        Fault.DROP_AFTER,
        Fault.THROTTLE,
        pytest.param(Fault.DROP_BEFORE, marks=pytest.mark.long),
        pytest.param(Fault.ERROR_AFTER, marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("path", ["*/bonus-payments/", "*/transition/", "*/submissions/*/"])
def test_lost_responses_before_the_payment_change_nothing(server, campaign, person, fault, path):
    server.faults.add(fault, "*", path, times=4)
    campaign.settle()
    assert paid_bonuses(server) == [3 * REWARD_CENTS]
    assert ledger_cents() == wallet_cents(server)


@pytest.mark.parametrize("fault", [Fault.DROP_AFTER, Fault.ERROR_AFTER])
def test_payment_with_a_lost_response_is_found_in_the_list(server, campaign, person, fault):
    server.faults.once(fault, "POST", "*/pay/")
    campaign.settle()
    assert paid_bonuses(server) == [3 * REWARD_CENTS]
    assert ledger_cents() == wallet_cents(server)


def test_throttled_payment_is_sent_later(server, campaign, person):
    server.faults.add(Fault.THROTTLE, "POST", "*/pay/", times=3)
    campaign.settle()
    assert paid_bonuses(server) == [3 * REWARD_CENTS]


@pytest.mark.parametrize("was_paid", [True, False])
def test_payment_of_unknown_outcome_requires_a_decision(server, campaign, person, was_paid):
    server.faults.once(Fault.DROP_BEFORE, "POST", "*/pay/")
    campaign.settle()
    row = Settlement.objects.get()
    assert row.state == "unknown"
    assert "Check the payment" in row.error
    assert paid_bonuses(server) == []
    resolve_settlement(settlement=row, was_paid=was_paid, actor="ada", now=server.clock())
    campaign.settle()
    assert Settlement.objects.get().state == "confirmed"
    assert paid_bonuses(server) == ([] if was_paid else [3 * REWARD_CENTS])
    with pytest.raises(SettlementError):
        resolve_settlement(settlement=row, was_paid=True, actor="ada", now=server.clock())


def test_late_bonus_is_not_paid_again(server, campaign, person):
    server.platform.options = replace(server.options, bonus_delay=server.options.bonus_delay * 60)
    campaign.settle()
    assert paid_bonuses(server) == [3 * REWARD_CENTS]
    assert open_settlements() == 0


def test_empty_wallet_delays_the_bonus(server, campaign, person):
    start, server.workspace.start = server.workspace.start, 0
    campaign.settle()
    assert paid_bonuses(server) == []
    assert Settlement.objects.get().state == "approved"
    assert Settlement.objects.get().error
    server.workspace.start = start
    campaign.settle()
    assert paid_bonuses(server) == [3 * REWARD_CENTS]
    assert ledger_cents() == wallet_cents(server)


def test_one_order_pays_all_sessions_of_a_study(server, study, campaign):
    for count in (2, 3):
        person = Person(server, label)
        person.take_part(study.external_id, most=count)
        person.participant.return_place()
    campaign.settle()
    assert sorted(paid_bonuses(server)) == [2 * REWARD_CENTS, 3 * REWARD_CENTS]
    assert Settlement.objects.values("order").distinct().count() == 1
    assert ledger_cents() == wallet_cents(server)


def test_session_is_paid_its_reward_and_no_bonus(server, study, campaign):
    person = Person(server, label)
    person.take_part(study.external_id)
    campaign.settle()
    assert [(row.kind, row.amount) for row in server.movements] == [("reward", 8 * REWARD_CENTS)]
    assert ledger_cents() == wallet_cents(server)
    assert Payment.objects.filter(kind="reward", state="confirmed").count() == 8


@pytest.mark.parametrize(
    ("total", "weights", "parts"),
    [
        (10, [1, 1, 1], [4, 3, 3]),
        (0, [5, 5], [0, 0]),
        (7, [0, 0], [7, 0]),
        (100, [30, 30, 40], [30, 30, 40]),
        (1, [1, 2, 4], [0, 0, 1]),
        (5, [], []),
    ],
)
def test_cents_are_split_in_proportion(total, weights, parts):
    assert split_cents(total, weights) == parts


def test_compensation_is_a_bonus_of_the_last_session(server, project, campaign, person):
    worker = Worker.objects.get()
    for _ in range(2):
        publish_compensation(
            project=project,
            worker=worker,
            amount_cents=125,
            reason="Your work was lost.",
            key="lost-1",
            actor="ada",
            now=server.clock(),
        )
    campaign.settle()
    assert sum(paid_bonuses(server)) == 3 * REWARD_CENTS + 125
    assert ledger_cents() == wallet_cents(server)


def test_compensation_requires_a_session(server, project):
    worker = register_worker(provider="prolific", external_id="0" * 24, now=server.clock())
    with pytest.raises(NoSessionError):
        publish_compensation(
            project=project,
            worker=worker,
            amount_cents=125,
            reason="Your work was lost.",
            key="lost-1",
            actor="ada",
            now=server.clock(),
        )
    assert Payment.objects.count() == 0


def test_bonus_missing_from_the_ledger_is_not_paid_again(server, campaign, person):
    """A restored database does not contain the last payments."""
    campaign.settle()
    row = Settlement.objects.get()
    Settlement.objects.update(state="approved", order="", bonuses_before=None, confirmed_at=None)
    campaign.settle()
    row.refresh_from_db()
    assert row.state == "unknown"
    assert "not in the ledger" in row.error
    assert paid_bonuses(server) == [3 * REWARD_CENTS]
    resolve_settlement(settlement=row, was_paid=False, actor="ada", now=server.clock())
    campaign.settle()
    assert paid_bonuses(server) == [3 * REWARD_CENTS] * 2


def test_session_returned_after_submission_is_paid_by_bonus(server, study, campaign):
    """The worker returns the place after the payment was planned and before the approval."""
    person = Person(server, label)
    session = person.arrive(study.external_id)
    for _ in range(4):
        person.work(person.next_task(session))
    person.finish(session)
    server.faults.add(Fault.SERVER_ERROR, "POST", "*/transition/")
    campaign.sweep(minutes=10, times=2)
    assert Settlement.objects.get().reward_cents == 8 * REWARD_CENTS
    person.participant.return_place()
    server.faults.clear()
    campaign.settle()
    assert paid_bonuses(server) == [4 * REWARD_CENTS]
    assert Payment.objects.get(kind="top_up").state == "declined"
    assert ledger_cents() == wallet_cents(server)
    assert open_settlements() == 0


@pytest.mark.parametrize(("bonus_cents", "paid_cents"), [(20, 0), (40, 40)])
def test_later_bonus_is_paid_as_far_as_it_exceeds_the_minimum(
    server, project, bonus_cents, paid_cents
):
    """A worker who leaves early earns the same as if the bonuses had been decided at once.

    The site approves the work after the hours of its batch, because it has no gold.
    """
    project.bonus_timing = BonusTiming.BY_TRUST
    project.pay_scheme["generator"] |= {"free_units": 0, "bonus_first_cents": bonus_cents}
    project.save()
    publish_batch(project=project, now=server.clock())
    campaign = Campaign(server, [])
    campaign.sweep(times=3)
    person = Person(server, label)
    session = person.arrive(Study.objects.get().external_id)
    for _ in range(4):
        person.work(person.next_task(session))
    person.participant.leave_without_code()
    campaign.sweep(minutes=15, times=2)
    campaign.settle()
    assert Payment.objects.get(kind="top_up").amount_cents == 4 * REWARD_CENTS
    assert set(HeldBonus.objects.values_list("state", flat=True)) == {"waiting"}

    pay_waiting_work(project=project, actor="rita", now=server.clock())
    campaign.settle()
    bonuses = Payment.objects.filter(kind="bonus")
    assert set(bonuses.values_list("state", flat=True)) == {"confirmed"}
    assert sum(bonuses.values_list("amount_cents", flat=True)) == paid_cents
    assert ledger_cents() == wallet_cents(server)
    assert ledger_cents()[0] == 8 * REWARD_CENTS + paid_cents
    assert open_settlements() == 0


def test_reward_that_prolific_pays_by_itself_is_booked(server, study, campaign):
    """The work was paid by a bonus, because the time was over, before the worker completed the study."""
    person = Person(server, label)
    session = person.arrive(study.external_id)
    person.work(person.next_task(session))
    campaign.sweep(minutes=60, times=2)
    campaign.settle()
    assert paid_bonuses(server) == [REWARD_CENTS]
    assert Payment.objects.get().state == "confirmed"
    person.participant.leave_without_code()
    for _ in range(3):
        campaign.sweep(minutes=15 * 24 * 60, times=2)
    campaign.settle()
    assert [row.kind for row in server.movements] == ["bonus", "reward"]
    assert Payment.objects.get(kind="top_up").amount_cents == 8 * REWARD_CENTS
    assert ledger_cents() == wallet_cents(server)
    assert ledger_cents()[0] == 9 * REWARD_CENTS
    assert open_settlements() == 0
