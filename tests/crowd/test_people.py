"""Messages, blocks, groups and grants at the built-in marketplace."""

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from audit.models import StateChange
from crowd.domain.hits.create_hits import create_pending_hits
from crowd.domain.hits.sync_hits import sync_due_hits
from crowd.domain.money.decide_assignment import approve_assignment
from crowd.domain.money.send_payments import send_due_payments
from crowd.domain.provider.providers import provider_of
from crowd.domain.workers.block_worker import block_worker, lift_block, send_due_blocks
from crowd.domain.workers.qualifications import (
    define_qualification,
    grant_qualification,
    group_requirement,
    revoke_qualification,
    send_due_grants,
    system_requirements,
)
from crowd.domain.workers.read_back_grants import ReadBack, read_back_grants
from crowd.domain.workers.register_worker import register_worker
from crowd.domain.workers.write_messages import MAX_ATTEMPTS, send_due_messages, write_messages
from crowd.enums import BlockState, GrantState, MessageState
from crowd.models import Assignment, Block, Message, QualificationGrant, QualificationType, Worker
from marketplace import models as market_models
from marketplace.domain.errors import RefusalError
from marketplace.domain.work import accept_hit
from tests.annotation.factories import make_item, make_project
from tests.crowd.factories import NOW, make_hits, make_worker
from tests.crowd.in_process import accept, finish, join


def worker_of(account: market_models.WorkerAccount) -> Worker:
    return register_worker(provider="mturk", external_id=account.code, now=NOW)


def make_live_hit(clock, qualifications=()):
    (hit,) = make_hits(1)
    if qualifications:
        hit.hit_type.qualifications = list(qualifications)
        hit.hit_type.save()
    create_pending_hits(clock=clock)
    hit.refresh_from_db()
    return hit


def test_messages_are_sent_in_groups_and_failures_stored_by_worker(wire, clock):
    account = join(1)
    finish(make_live_hit(clock), account)
    clock.skip(minutes=2)
    sync_due_hits(clock=clock)
    approve_assignment(assignment=Assignment.objects.get(), bonus=None, actor="me", now=clock())
    send_due_payments(clock=clock)
    strangers = [make_worker() for _ in range(120)]
    write_messages(
        budget=None,
        workers=[worker_of(account), *strangers],
        subject="Hello",
        text="You.",
        now=clock(),
    )
    wire.calls.clear()
    assert send_due_messages(clock=clock) + send_due_messages(clock=clock) == 121
    assert wire.calls == ["NotifyWorkers", "NotifyWorkers"]
    message = Message.objects.get(worker=worker_of(account))
    assert (message.state, message.error) == (MessageState.SENT, "")
    assert market_models.Message.objects.filter(subject="Hello").count() == 1
    failed = Message.objects.filter(state=MessageState.FAILED)
    assert failed.count() == 120
    assert all("does not exist" in message.error for message in failed)


def test_message_with_unknown_outcome_is_retried_with_backoff_up_to_the_limit(wire, clock):
    write_messages(budget=None, workers=[make_worker()], subject="Hello", text="You.", now=clock())
    wire.faults = lambda operation: "throttle=1"
    for attempt in range(1, MAX_ATTEMPTS + 1):
        send_due_messages(clock=clock)
        message = Message.objects.get()
        assert message.attempts == attempt
        send_due_messages(clock=clock)  # not due yet
        clock.skip(days=1)
    assert message.state == MessageState.FAILED
    assert "Rate exceeded" in message.error


@pytest.mark.django_db
@pytest.mark.parametrize(("subject", "text"), [("", "x"), ("x" * 201, "x"), ("x", "x" * 4097)])
def test_invalid_message_is_not_stored(subject, text):
    with pytest.raises(ValueError, match=r"enter some text|limit is"):
        write_messages(budget=None, workers=[make_worker()], subject=subject, text=text, now=NOW)


def test_blocked_worker_cannot_accept_until_the_block_is_lifted(wire, clock):
    account = join(1)
    hit = make_live_hit(clock)
    block_worker(worker=worker_of(account), reason="Copied.", actor="me", now=clock())
    wire.faults = lambda operation: "timeout_after_success=1"
    assert send_due_blocks(clock=clock) == 0
    wire.faults = lambda operation: ""
    clock.skip(minutes=2)
    assert send_due_blocks(clock=clock) == 1
    assert Block.objects.get().state == BlockState.BLOCKED
    with pytest.raises(RefusalError):
        accept(hit, account)
    assert lift_block(worker=worker_of(account), reason="Appealed.", actor="me", now=clock())
    assert send_due_blocks(clock=clock) == 1
    assert accept(hit, account)
    assert not lift_block(worker=worker_of(account), reason="Again.", actor="me", now=clock())


def test_refused_block_is_shown_and_not_repeated(wire, clock):
    block_worker(worker=make_worker(), reason="Copied.", actor="me", now=clock())
    assert send_due_blocks(clock=clock) == 0
    assert Block.objects.get().error
    clock.skip(minutes=2)
    wire.calls.clear()
    send_due_blocks(clock=clock)
    assert wire.calls == []


def test_refused_grant_fails_with_its_reason_and_is_not_repeated(wire, clock):
    kind = define_qualification(provider="mturk", code="pool", name="Pool", description="x")
    stranger = make_worker()  # the marketplace has no worker with this id
    grant_qualification(qualification=kind, worker=stranger, now=clock())
    assert send_due_grants(clock=clock) == 0
    grant = QualificationGrant.objects.get()
    assert grant.state == "failed"
    assert stranger.external_id in grant.error
    assert StateChange.objects.get().reason == grant.error
    clock.skip(minutes=2)
    wire.calls.clear()
    send_due_grants(clock=clock)
    assert wire.calls == []


@pytest.mark.parametrize("lagging", [1, 2])
def test_qualification_that_another_process_creates_meanwhile_is_used(wire, clock, lagging):
    """The first lists lag, as when both processes look for the name before either creates it."""
    worker = worker_of(join(1))
    qualification = define_qualification(provider="mturk", code="p", name="P", description="P")
    created = provider_of("mturk").create_qualification_type(name="P", description="P")
    grant = grant_qualification(qualification=qualification, worker=worker, now=clock())
    lists = iter(["lag=3600"] * lagging)
    wire.faults = lambda operation: next(lists, "") if operation == "ListQualificationTypes" else ""
    while grant.state == GrantState.PENDING:
        send_due_grants(clock=clock)
        clock.skip(minutes=2)
        grant.refresh_from_db()
    assert grant.state == GrantState.HELD
    assert QualificationType.objects.get().external_id == created


def test_failed_grant_can_be_repeated(wire, clock):
    kind = define_qualification(provider="mturk", code="pool", name="Pool", description="x")
    worker = worker_of(join(1))
    grant_qualification(qualification=kind, worker=worker, now=clock())
    QualificationGrant.objects.update(state="failed", error="Refused.")
    grant = grant_qualification(qualification=kind, worker=worker, now=clock())
    assert (grant.state, grant.error) == ("pending", "")
    assert send_due_grants(clock=clock) == 1
    assert QualificationGrant.objects.get().state == "held"


def test_groups_differ_by_value(wire, clock):
    kind = define_qualification(provider="mturk", code="group", name="Group", description="x")
    first, second = join(1), join(2)
    for value, account in ((1, first), (2, second)):
        grant_qualification(qualification=kind, worker=worker_of(account), value=value, now=clock())
    assert send_due_grants(clock=clock) == 2
    hit = make_live_hit(clock, [group_requirement(qualification=kind, values=[2])])
    with pytest.raises(RefusalError):
        accept(hit, first)
    assert accept(hit, second)


def test_system_qualifications_exclude_other_workers(wire, clock):
    here, elsewhere = join(1), join(2)
    market_models.WorkerAccount.objects.filter(pk=elsewhere.pk).update(country="FR")
    requirements = system_requirements(approval_rate=95, locales=["US", "GB"], adult=True)
    hit = make_live_hit(clock, requirements)
    elsewhere.refresh_from_db()
    with pytest.raises(RefusalError):
        accept_hit.accept_hit(worker=elsewhere, hit_code=hit.external_id, now=timezone.now())
    assert accept(hit, here)


@pytest.mark.parametrize(
    ("requirements", "message"),
    [
        ({"approval_rate": 101}, "101 %"),
        ({"locales": ["USA"]}, "'USA'"),
        ({"hits_approved": -1}, "n"),
    ],
)
def test_impossible_requirements_are_refused(requirements, message):
    with pytest.raises(ValueError, match=message):
        system_requirements(**requirements)


def test_grants_are_read_back_and_repaired(wire, clock):
    kind = define_qualification(provider="mturk", code="pool", name="Pool", description="x")
    same, lost, revoked, unknown = (join(number) for number in range(1, 5))
    for account in (same, lost, revoked):
        grant_qualification(qualification=kind, worker=worker_of(account), value=1, now=clock())
    send_due_grants(clock=clock)
    kind.refresh_from_db()
    rows = market_models.Grant.objects
    rows.filter(worker=lost).delete()
    revoke_qualification(qualification=kind, worker=worker_of(revoked), reason="Left.", now=clock())
    send_due_grants(clock=clock)
    rows.filter(worker=revoked).update(status="Granted")
    type_there = market_models.QualificationType.objects.get()
    rows.create(
        qualification_type=type_there, worker=unknown, value=7, status="Granted", granted_at=NOW
    )
    early = read_back_grants(qualification=kind, now=clock())
    assert early == ReadBack(agreeing=1, granted_again=0, revoked_again=0, taken_over=1)
    clock.skip(minutes=11)
    result = read_back_grants(qualification=kind, now=clock())
    assert result == ReadBack(agreeing=2, granted_again=1, revoked_again=1, taken_over=0)
    assert send_due_grants(clock=clock) == 2
    held = rows.filter(status="Granted").values_list("worker__code", "value")
    assert dict(held) == {same.code: 1, lost.code: 1, unknown.code: 7}
    assert QualificationGrant.objects.get(worker=worker_of(unknown)).value == 7


@pytest.mark.django_db
def test_commands_for_workers(capsys):
    project = make_project()
    make_item(project)
    worker = make_worker()
    call_command("set_requirements", "news", "--approval-rate", "95", "--locales", "US")
    call_command("grant", "news", "news-group", worker.pseudonym, "--value", "2")
    call_command("publish", "news", "--pool", "news-group", "--groups", "2")
    assert project.batches.get().qualifications == [
        {"code": "news-group", "comparator": "In", "integers": [2]},
        {"system": "approval-rate", "comparator": "GreaterThanOrEqualTo", "integers": [95]},
        {"system": "locale", "comparator": "In", "locales": ["US"]},
    ]
    call_command("block_worker", worker.external_id, "--reason", "Copied.")
    assert Block.objects.get().state == BlockState.PENDING
    call_command(
        "message_workers", "news", "--subject", "S", "--text", "T", "--to", worker.pseudonym
    )
    assert Message.objects.get(text="T").worker == worker
    with pytest.raises(CommandError, match="no worker 'W0'"):
        call_command("block_worker", "W0", "--reason", "x")


def test_has_worker_does_not_depend_on_the_qualification(wire):
    worker, market = join(1).code, provider_of("mturk")
    kind = market.create_qualification_type(name="Trained", description="A test.")

    def exists(code: str) -> bool | None:
        return market.has_worker(code, qualification=kind)

    assert (exists(worker), exists("A" + "0" * 13)) == (True, False)
    market.grant(qualification=kind, worker=worker, value=1)
    assert exists(worker) is True
    market.revoke(qualification=kind, worker=worker, reason="The test is over.")
    assert exists(worker) is True
