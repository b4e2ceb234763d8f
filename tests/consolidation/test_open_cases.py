"""Tests of cases: opened by accepted generations and offered to uninvolved workers."""

import pytest

from annotation.domain.publishing.qualification_codes import pool_code
from annotation.enums import BatchState, SubmissionState
from annotation.models import Submission
from consolidation.domain.cases.open_cases import (
    excluded_workers,
    open_due_cases,
    publish_open_cases,
)
from consolidation.enums import CaseState
from consolidation.models import Case
from crowd.domain.workers.qualifications import define_qualification, grant_qualification
from crowd.models import Budget
from projects.enums import ExclusionScope, Role
from projects.models import Project
from tests.consolidation.factories import IDENTIFIED, SURVEY, make_generation, make_item, source
from tests.crowd.factories import NOW, make_worker

pytestmark = pytest.mark.django_db

ASKED = source(SURVEY, ("Who identified something?", ["USGS"]))


def clock():
    return NOW


def item_with(*workers):
    item = make_item(SURVEY, IDENTIFIED)
    for worker in workers:
        make_generation(item, ASKED, worker)
    return item


def test_case_opens_once_with_the_last_accepted_generation():
    item = item_with(make_worker())
    assert open_due_cases(clock=clock) == 0
    make_generation(item, ASKED)
    assert open_due_cases(clock=clock) == 1
    assert open_due_cases(clock=clock) == 0
    case = Case.objects.get()
    assert sorted(row.position for row in case.sources.all()) == [0, 1]


def test_pending_or_rejected_generation_opens_no_case():
    item_with(make_worker(), make_worker())
    Submission.objects.filter(pk=Submission.objects.first().pk).update(
        state=SubmissionState.SUBMITTED
    )
    assert open_due_cases(clock=clock) == 0
    Submission.objects.update(state=SubmissionState.REJECTED)
    assert open_due_cases(clock=clock) == 0


def test_order_of_sources_is_seeded_and_not_chronological():
    cases = []
    for _ in range(12):
        item_with(make_worker(), make_worker())
    open_due_cases(clock=clock)
    for case in Case.objects.all():
        first, second = case.sources.all()
        cases.append(first.submission_id < second.submission_id)
    assert 0 < sum(cases) < 12


def test_open_case_is_offered_in_the_projects_running_batch():
    first, second = item_with(make_worker(), make_worker()), item_with(make_worker(), make_worker())
    second.project.items.exists()
    open_due_cases(clock=clock)
    assert publish_open_cases(clock=clock) == 2
    assert set(Case.objects.values_list("state", flat=True)) == {CaseState.OFFERED}
    task = Case.objects.get(item=first).task
    assert (task.role, task.hit.max_assignments) == (Role.CONSOLIDATOR, 1)
    assert f"/consolidate/{task.public_id}/" in task.hit.url


def test_pool_excludes_generators_of_the_item():
    first, second, third = make_worker(), make_worker(), make_worker()
    item = item_with(first, second)
    pool = define_qualification(
        provider="mturk",
        code=pool_code(item.project, Role.CONSOLIDATOR),
        name="Consolidators",
        description="Trained.",
    )
    for worker in (third, second, first):
        grant_qualification(qualification=pool, worker=worker, now=NOW)
    open_due_cases(clock=clock)
    publish_open_cases(clock=clock)
    requirements = Case.objects.get().task.hit.hit_type.qualifications
    assert requirements == [{"code": pool.code, "comparator": "NotIn", "integers": [2, 3]}]


def test_exclusion_can_cover_the_whole_sentence():
    first, second, third = make_worker(), make_worker(), make_worker()
    item = item_with(first, second)
    other = make_item(SURVEY, IDENTIFIED, item.project)
    other.sentence = item.sentence
    other.save()
    make_generation(other, ASKED, third)
    assert set(excluded_workers(item)) == {first, second}
    Project.objects.update(exclusion_scope=ExclusionScope.SENTENCE)
    item.project.refresh_from_db()
    assert set(excluded_workers(item)) == {first, second, third}


def test_case_without_budget_stays_open_until_it_is_funded():
    item = item_with(make_worker(), make_worker())
    open_due_cases(clock=clock)
    Budget.objects.filter(pk=item.project.budget_id).update(cap_cents=1)
    assert publish_open_cases(clock=clock) == 0
    assert Case.objects.get().state == CaseState.OPEN
    assert not item.task_items.exists()
    Budget.objects.filter(pk=item.project.budget_id).update(cap_cents=10_000)
    assert publish_open_cases(clock=clock) == 1


def test_paused_batch_offers_nothing():
    item_with(make_worker(), make_worker())
    open_due_cases(clock=clock)
    publish_open_cases(clock=clock)
    batch = Case.objects.get().task.batch
    batch.state = BatchState.PAUSED
    batch.save()
    item = make_item(SURVEY, IDENTIFIED, batch.project)
    make_generation(item, ASKED)
    make_generation(item, ASKED)
    open_due_cases(clock=clock)
    assert publish_open_cases(clock=clock) == 0
