"""Work that waits for gold, through boto3 at the built-in marketplace, to the last payment."""

import json

import pytest

from annotation.domain.decisions.bonus_timing import MAX_WAIT
from annotation.domain.publishing.publish import publish_batch
from annotation.domain.work.record_generations import record_new_generations
from annotation.models import HeldBonus, Item, Submission
from consolidation.domain.cases.open_cases import open_due_cases, publish_open_cases
from consolidation.domain.cases.record_work import record_new_case_work
from consolidation.domain.gold.kept_work import count_kept_work
from consolidation.domain.reviews.decide_waiting import decide_waiting_bonuses, decide_waiting_work
from consolidation.models import Case, Gold
from consolidation.protocols import PROTOCOLS
from crowd.domain.hits.create_hits import create_pending_hits
from crowd.domain.hits.sync_hits import schedule_sync, sync_due_hits
from crowd.domain.money.send_payments import send_due_payments, send_due_rejections
from crowd.models import Hit, Payment
from marketplace import models as market_models
from marketplace.domain.work import maintenance
from tests.annotation.factories import make_item
from tests.consolidation.waiting import asked, make_waiting_project
from tests.crowd.in_process import finish, join

SWEEPS = (
    create_pending_hits,
    sync_due_hits,
    record_new_generations,
    open_due_cases,
    publish_open_cases,
    record_new_case_work,
    *(protocol.write_due_gold for protocol in PROTOCOLS.values()),
    count_kept_work,
    decide_waiting_work,
    decide_waiting_bonuses,
    send_due_payments,
    send_due_rejections,
)


def sweep(clock) -> None:
    """Run every sweep until nothing is left to do."""
    for _ in range(3):
        clock.skip(minutes=2)
        for process in SWEEPS:
            process(clock=clock)


@pytest.fixture
def item(wire, clock) -> Item:
    project = make_waiting_project()
    for terms in project.pay_scheme.values():
        terms["least_seconds"] = 0  # the work takes no time here
    project.save()
    item = make_item(project)
    publish_batch(project=project, now=clock())
    sweep(clock)
    return item


def generate(item: Item, number: int, *numbers: int) -> str:
    """Let a new worker submit these questions, and return the assignment."""
    content = json.dumps({str(item.pk): asked(*numbers)})
    return finish(item.tasks.get(role="generator").hit, join(number), content)


def consolidate(item: Item, clock) -> None:
    """Let a new worker keep all questions of both sources, as the same questions."""
    case = Case.objects.get(item=item)
    questions = [
        {
            "question": question["question"],
            "answers": question["answers"] if source.position == 0 else [],
            "source": {"submission": source.position, "question": number},
            "verdict": "keep" if source.position == 0 else "redundant",
            "same_as": None if source.position == 0 else number,
        }
        for source in case.sources.order_by("position")
        for number, question in enumerate(source.submission.content["questions"])
    ]
    content = json.dumps({str(item.pk): {"questions": questions}})
    finish(case.task.hit, join(9), content)
    sweep(clock)


def at_marketplace(assignment: str) -> tuple[str, list[int]]:
    """Return the state of the assignment at the marketplace, and its bonuses in cents."""
    row = market_models.Assignment.objects.get(code=assignment)
    return row.status, list(row.bonuses.values_list("amount_cents", flat=True))


def test_honest_workers_are_paid_in_full_once_the_item_has_gold(clock, item):
    assignments = [generate(item, number, 0, 1, 2, 3) for number in (1, 2)]
    sweep(clock)
    assert set(Submission.objects.values_list("state", flat=True)) == {"waiting"}
    assert not Payment.objects.exists()
    assert [at_marketplace(code) for code in assignments] == [("Submitted", [])] * 2

    consolidate(item, clock)
    assert Gold.objects.get().item == item
    assert [at_marketplace(code) for code in assignments] == [("Approved", [11])] * 2
    assert set(Submission.objects.values_list("state", flat=True)) == {"accepted"}
    assert set(Payment.objects.values_list("state", flat=True)) == {"confirmed"}
    assert Payment.objects.filter(assignment__hit__task__role="generator").count() == 4
    sweep(clock)
    assert [at_marketplace(code) for code in assignments] == [("Approved", [11])] * 2


def test_work_without_a_second_worker_is_paid_in_full_after_its_delays(clock, item):
    """The marketplace approves the work after three days, and its bonus is paid after the limit."""
    assignment = generate(item, 1, 0, 1, 2, 3)
    sweep(clock)
    clock.skip(days=3)
    maintenance.approve_due(now=clock())
    schedule_sync(external_ids=Hit.objects.values_list("external_id", flat=True), now=clock())
    sweep(clock)
    assert Submission.objects.get().state == "accepted"
    assert at_marketplace(assignment) == ("Approved", [])
    assert HeldBonus.objects.get().state == "waiting"
    clock.skip(days=MAX_WAIT.days)
    sweep(clock)
    assert at_marketplace(assignment) == ("Approved", [11])
    assert set(Payment.objects.values_list("state", flat=True)) == {"confirmed"}
    assert not Case.objects.exists()
