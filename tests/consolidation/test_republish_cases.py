"""Tests of cases that are republished to uninvolved workers after a failed consolidation."""

import json

import pytest

from annotation.domain.decisions.decide_submission import pay_without_using, reject_submissions
from annotation.domain.publishing.qualification_codes import pool_code
from annotation.enums import BatchState, SubmissionState
from annotation.models import Batch, Submission, TaskItem
from audit.models import StateChange
from consolidation.domain.cases.open_cases import (
    excluded_workers,
    open_due_cases,
    publish_open_cases,
)
from consolidation.domain.cases.record_work import record_new_case_work
from consolidation.domain.cases.republish_cases import (
    reopen_returned_cases,
    republish_cases,
    republish_due_cases,
)
from consolidation.domain.cases.second_consolidation import open_second_cases
from consolidation.domain.experts.monitor import return_review
from consolidation.enums import CaseState
from consolidation.models import Case, Gold, Review
from consolidation.protocols.consolidation import CONSOLIDATION
from crowd.domain.workers.qualifications import define_qualification, grant_qualification
from crowd.enums import AssignmentState, HitState
from crowd.models import Assignment, Budget, Hit, Worker
from projects.enums import Role
from tests.consolidation.factories import (
    IDENTIFIED,
    SURVEY,
    make_case,
    make_generation,
    make_item,
    source,
)
from tests.consolidation.test_record_gold import WHO, A, B, judged
from tests.crowd.factories import NOW, make_assignment, make_worker
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db

MERGED = [
    judged(WHO, ["the U.S. Geological Survey"], of=(0, 0)),
    judged(WHO, [], "redundant", of=(1, 0), same_as=0),
]


def clock():
    return NOW


@pytest.fixture
def case() -> Case:
    return make_case(SURVEY, IDENTIFIED, A, B)


def end(case: Case, state: str) -> None:
    case.refresh_from_db()
    Hit.objects.filter(pk=case.task.hit_id).update(
        state=state,
        external_id=f"HIT{case.task.hit_id}",
        created_at=NOW,
        attempted_at=NOW,
        increase_to=None,
        expiration_wanted=None,
    )


def submit_consolidation(
    case: Case, questions=MERGED, *, worker: Worker | None = None
) -> Assignment:
    """Submit and record work on the case's HIT, which fills its only place."""
    end(case, HitState.FINISHED)
    assignment = make_assignment(case.task.hit, worker)
    assignment.answer = {"content": json.dumps({str(case.item_id): {"questions": questions}})}
    assignment.save()
    record_new_case_work(clock=clock)
    CONSOLIDATION.write_due_gold(clock=clock)
    assignment.refresh_from_db()
    return assignment


def reject(assignment: Assignment) -> None:
    Submission.objects.filter(assignment=assignment).update(problem="something")
    reject_submissions(assignment=assignment, reason="Not merged.", actor="me", now=NOW)
    Assignment.objects.filter(pk=assignment.pk).update(
        state=AssignmentState.REJECTED, decided_at=NOW
    )


UNSOUND = [judged(WHO, ["USGS"], of=(0, 0))]  # the other question is not judged


def test_expired_case_is_offered_again(case):
    end(case, HitState.EXPIRED)
    assert republish_due_cases(clock=clock) == 1
    case.task.hit.refresh_from_db()
    assert case.task.hit.state == HitState.LIVE
    assert republish_due_cases(clock=clock) == 0


def test_rejected_consolidation_is_replaced_by_another_worker(case):
    reject(submit_consolidation(case, UNSOUND))
    assert republish_due_cases(clock=clock) == 1
    hit = Hit.objects.get(pk=case.task.hit_id)
    assert hit.increase_to == 2
    Hit.objects.filter(pk=hit.pk).update(max_assignments=2, increase_to=None)
    submit_consolidation(case)
    assert Gold.objects.count() == 1
    case.refresh_from_db()
    assert case.state == CaseState.CONSOLIDATED


def test_discarded_consolidation_is_redone_by_another_worker(case):
    assignment = submit_consolidation(case, UNSOUND)
    pay_without_using(assignment=assignment, actor="me", now=NOW)
    assert republish_due_cases(clock=clock) == 1


@pytest.mark.parametrize("questions", [MERGED, UNSOUND], ids=["accepted", "awaiting review"])
def test_case_with_its_consolidation_is_not_offered_again(case, questions):
    submit_consolidation(case, questions)
    assert not CONSOLIDATION.short_cases(None, NOW)
    assert republish_due_cases(clock=clock) == 0


def test_case_whose_hit_can_not_be_increased_gets_another_without_participants(case):
    project = case.item.project
    pool = define_qualification(
        provider="mturk", code=pool_code(project, Role.CONSOLIDATOR), name="C", description="x"
    )
    participant, other_worker = make_worker(), make_worker()
    for worker in (other_worker, participant):
        grant_qualification(qualification=pool, worker=worker, now=NOW)
    rejected = submit_consolidation(case, UNSOUND, worker=participant)
    reject(rejected)
    Hit.objects.filter(pk=case.task.hit_id).update(error="can't be raised")
    first = case.task
    assert republish_due_cases(clock=clock) == 1
    case.refresh_from_db()
    assert (case.task != first, [link.task for link in case.case_tasks.order_by("pk")]) == (
        True,
        [first, case.task],
    )
    assert case.task.hit.hit_type.qualifications == [
        {"code": pool.code, "comparator": "NotIn", "integers": [2]}
    ]
    assert TaskItem.objects.get(task=case.task).republications == 1
    submit_consolidation(case, worker=other_worker)
    assert Gold.objects.get().case == case


def test_policy_and_closed_batches_apply_to_cases(case):
    end(case, HitState.EXPIRED)
    Batch.objects.update(republish_limit=0)
    assert republish_due_cases(clock=clock) == 0
    Batch.objects.update(republish_limit=1, state=BatchState.CLOSED)
    assert republish_due_cases(clock=clock) == 0
    Batch.objects.update(state=BatchState.OPEN)
    assert republish_due_cases(clock=clock) == 1
    end(case, HitState.EXPIRED)
    assert republish_due_cases(clock=clock) == 0
    assert republish_cases(project=case.item.project, actor="me", now=NOW).raised == 1


def test_insufficient_budget_is_shown_on_the_batch(case):
    end(case, HitState.EXPIRED)
    Budget.objects.filter(pk=case.item.project.budget_id).update(reserved_cents=0, cap_cents=1)
    assert republish_due_cases(clock=clock) == 0
    assert "dollars left" in Batch.objects.get().republish_problem


def return_gold(case: Case) -> Review:
    submit_consolidation(case)
    review = Review.objects.create(gold=Gold.objects.get(case=case), drawn_at=NOW)
    expert = make_user(f"expert{case.pk}")
    return return_review(review=review, expert=expert, comment="The role is another.", now=NOW)


def test_returned_review_republishes_the_case_to_another_worker(case):
    return_gold(case)
    first = Submission.objects.get(role=Role.CONSOLIDATOR)
    assert reopen_returned_cases(clock=clock) == 1
    assert reopen_returned_cases(clock=clock) == 0
    case.refresh_from_db()
    first.refresh_from_db()
    assert (case.state, first.state) == (CaseState.OFFERED, SubmissionState.WITHDRAWN)
    log = StateChange.objects.get(aggregate="consolidation.Case", new="offered", old="consolidated")
    assert log.reason == "returned: The role is another."
    assert republish_due_cases(clock=clock) == 1
    assert Hit.objects.get(pk=case.task.hit_id).increase_to == 2
    submit_consolidation(case)
    case.refresh_from_db()
    assert case.state == CaseState.CONSOLIDATED
    assert [gold.version for gold in Gold.objects.order_by("version")] == [1, 2]
    assert reopen_returned_cases(clock=clock) == 0


def test_returned_review_is_unchanged_if_the_batch_forbids_republication(case):
    return_gold(case)
    Batch.objects.update(republish_limit=0)
    assert reopen_returned_cases(clock=clock) == 0
    case.refresh_from_db()
    assert case.state == CaseState.CONSOLIDATED


def test_second_consolidation_excludes_the_first_consolidator(case):
    first = submit_consolidation(case)
    assert open_second_cases(project=case.item.project, count=1, now=NOW) == 1
    assert first.worker in excluded_workers(case.item)
    assert first.worker not in excluded_workers(case.item, but_assignment=first.external_id)
    assert publish_open_cases(clock=clock) == 1
    second = Case.objects.get(attempt=1)
    submit_consolidation(second, worker=first.worker)
    submission = Submission.objects.get(assignment__hit=second.task.hit)
    assert submission.problem == "This worker has annotated the item before."
    assert submission.state == SubmissionState.WITHDRAWN


def test_second_case_is_offered_after_the_first_used_two_places(case):
    end(case, HitState.FAILED)
    Hit.objects.filter(pk=case.task.hit_id).update(external_id=None)
    assert republish_due_cases(clock=clock) == 1
    submit_consolidation(case)
    open_second_cases(project=case.item.project, count=1, now=NOW)
    assert publish_open_cases(clock=clock) == 1
    places = TaskItem.objects.filter(role=Role.CONSOLIDATOR).values_list("attempt", flat=True)
    assert sorted(places) == [0, 1, 2]


def test_first_case_beyond_the_budget_is_shown_on_the_running_batch(case):
    project = case.item.project
    item = make_item(SURVEY, IDENTIFIED, project)
    for _ in range(2):
        make_generation(item, source(SURVEY, (WHO, ["USGS"])))
    assert open_due_cases(clock=clock) == 1
    Budget.objects.filter(pk=project.budget_id).update(reserved_cents=0, cap_cents=1)
    assert publish_open_cases(clock=clock) == 0
    assert "dollars left" in Batch.objects.get(project=project).republish_problem
