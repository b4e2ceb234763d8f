"""Tests of a campaign with rejected, expired and returned work, in which every item gets gold.

The sweeps run in this process, and boto3 sends their requests to our own marketplace.
"""

import json

import pytest
from django.utils import timezone

from annotation.domain.corpus.item_context import context_of
from annotation.domain.decisions.decide_submission import reject_submissions
from annotation.domain.publishing.publish import publish_batch
from annotation.domain.publishing.republish import republish_due_items
from annotation.domain.work.record_generations import record_new_generations
from annotation.enums import SubmissionState
from annotation.models import Item, Submission
from consolidation.domain.cases.open_cases import open_due_cases, publish_open_cases
from consolidation.domain.cases.record_work import record_new_case_work
from consolidation.domain.cases.republish_cases import reopen_returned_cases, republish_due_cases
from consolidation.domain.experts.monitor import return_review
from consolidation.models import Case, Gold, Review
from consolidation.protocols.consolidation import CONSOLIDATION
from crowd.domain.hits.create_hits import create_pending_hits
from crowd.domain.hits.manage_hits import send_due_ends, send_due_increases
from crowd.domain.hits.sync_hits import sync_due_hits
from crowd.domain.money.send_payments import send_due_payments, send_due_rejections
from crowd.domain.workers.qualifications import send_due_grants
from crowd.models import Assignment, Hit, Payment
from marketplace.domain.errors import RefusalError
from schemes.qasrl import simulation
from schemes.simulated_person import Person
from tests.consolidation.factories import IDENTIFIED, SURVEY, make_item, make_project, source
from tests.crowd.in_process import finish, join
from tests.crowd.test_ledger import balance, cached
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db

# The sweeps in the order of the beat schedule.
SWEEPS = (
    send_due_grants,
    create_pending_hits,
    send_due_increases,
    send_due_ends,
    sync_due_hits,
    record_new_generations,
    open_due_cases,
    publish_open_cases,
    record_new_case_work,
    CONSOLIDATION.write_due_gold,
    send_due_payments,
    send_due_rejections,
    republish_due_items,
    reopen_returned_cases,
    republish_due_cases,
)
REFERENCE = source(SURVEY, ("Who identified something?", ["the U.S. Geological Survey"]))


@pytest.fixture
def sweep(wire, clock):
    def run() -> None:
        while sum(task(clock=clock) for task in SWEEPS):
            pass

    return run


@pytest.fixture
def item() -> Item:
    project = make_project()
    for terms in project.pay_scheme.values():
        terms["least_seconds"] = 0  # the work takes no time
    project.save()
    return make_item(SURVEY, IDENTIFIED, project)


def generation(item: Item) -> str:
    return json.dumps({str(item.pk): REFERENCE})


def consolidation(item: Item) -> str:
    sources = [case_source.submission.content for case_source in item.cases.get().sources.all()]
    content = simulation.consolidate(sources, context_of(item), Person(1.0), "1")
    return json.dumps({str(item.pk): content})


def newest_hit(item: Item, role: str) -> Hit:
    return Hit.objects.filter(task__items=item, task__role=role).latest("pk")


def reject_work_of(worker) -> None:
    assignment = Assignment.objects.get(worker__external_id=worker.code)
    reject_submissions(
        assignment=assignment, reason="Answers nothing.", actor="office", now=timezone.now()
    )


def test_rejected_generation_is_replaced_and_the_item_gets_gold(sweep, item, clock):
    spoiler, second, third, merger = [join(number) for number in range(4)]
    publish_batch(project=item.project, now=clock())
    sweep()
    hit = newest_hit(item, "generator")
    finish(hit, spoiler, json.dumps({str(item.pk): {"questions": "none"}}))
    finish(hit, second, generation(item))
    sweep()
    assert Submission.objects.get(worker__external_id=spoiler.code).problem
    reject_work_of(spoiler)
    sweep()
    hit.refresh_from_db()
    assert (hit.max_assignments, hit.state) == (3, "live")
    for known in (spoiler, second):
        with pytest.raises(RefusalError):
            finish(hit, known, generation(item))
    finish(hit, third, generation(item))
    sweep()
    finish(newest_hit(item, "consolidator"), merger, consolidation(item))
    sweep()
    gold = Gold.objects.get(item=item)
    assert gold.content["questions"][0]["question"] == "Who identified something?"
    assert Submission.objects.live().filter(role="generator").count() == 2
    # The payments of two generators and the consolidator match the ledger.
    assert Payment.objects.filter(kind="reward", state="confirmed").count() == 3
    assert cached(item.project.budget) == balance(item.project.budget)
    assert cached(item.project.budget)[0] == 0


def test_expired_hits_are_republished_until_the_item_has_gold(sweep, item, clock):
    first, second, merger = [join(number) for number in range(3)]
    batch = publish_batch(project=item.project, now=clock())
    sweep()
    hit = newest_hit(item, "generator")
    finish(hit, first, generation(item))
    sweep()
    clock.skip(seconds=batch.lifetime_seconds + 3 * 3600)
    sweep()
    hit.refresh_from_db()
    assert (hit.state, hit.reservation_round) == ("live", 1)
    finish(hit, second, generation(item))
    sweep()
    case = Case.objects.get(item=item)
    clock.skip(seconds=batch.lifetime_seconds + 3 * 3600)
    sweep()
    hit = newest_hit(item, "consolidator")
    assert (case.task.hit, hit.reservation_round) == (hit, 1)
    finish(hit, merger, consolidation(item))
    sweep()
    assert Gold.objects.filter(item=item).count() == 1
    assert cached(item.project.budget) == balance(item.project.budget)


def test_consolidation_returned_by_an_expert_is_repeated(sweep, item, clock):
    *generators, merger, other = [join(number) for number in range(4)]
    publish_batch(project=item.project, now=clock())
    sweep()
    for worker in generators:
        finish(newest_hit(item, "generator"), worker, generation(item))
    sweep()
    finish(newest_hit(item, "consolidator"), merger, consolidation(item))
    sweep()
    review = Review.objects.create(gold=Gold.objects.get(), drawn_at=clock())
    return_review(review=review, expert=make_user("ada"), comment="Wrong role.", now=clock())
    sweep()
    hit = newest_hit(item, "consolidator")
    with pytest.raises(RefusalError):
        finish(hit, merger, consolidation(item))
    finish(hit, other, consolidation(item))
    sweep()
    newest = Gold.objects.latest("version")
    assert (newest.version, newest.submission.worker.external_id) == (2, other.code)
    states = Submission.objects.filter(role="consolidator").order_by("pk")
    assert [submission.state for submission in states] == [
        SubmissionState.WITHDRAWN,
        SubmissionState.ACCEPTED,
    ]
    assert cached(item.project.budget) == balance(item.project.budget)
