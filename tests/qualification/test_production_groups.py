"""Tests of groups of the pool: balanced, repeatable, granted as a value, and used by batches."""

import statistics

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.publishing.publish import publish_batch
from annotation.domain.publishing.qualification_codes import pool_code
from audit.models import StateChange
from crowd.domain.workers.qualifications import grant_qualification
from crowd.models import Hit, QualificationGrant, Worker
from projects.enums import Role
from qualification.domain.pool.admit import pool_of
from qualification.domain.pool.production_groups import (
    GroupingError,
    Member,
    assign_groups,
    balanced,
    divide_pool,
    members_of,
)
from qualification.domain.training.decide import Verdict, decide
from tests.consolidation.factories import IDENTIFIED, SURVEY, make_item, make_project
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import make_user
from tests.qualification.factories import EXPERT, LATER, make_rounds, open_round, work_through


@given(
    st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=40),
    st.integers(1, 8),
    st.integers(0, 99),
)
def test_groups_are_repeatable_and_similar_in_size(skills, count, seed):
    members = [
        Member(Worker(pk=pk, pseudonym=str(pk)), skill, None) for pk, skill in enumerate(skills, 1)
    ]
    group_of = balanced(members, count=count, seed=seed)
    assert group_of == balanced(members, count=count, seed=seed)
    sizes = [list(group_of.values()).count(number) for number in range(1, count + 1)]
    assert sum(sizes) == len(members)
    assert max(sizes) - min(sizes) <= 1


def test_skills_are_balanced():
    members = [Member(Worker(pk=pk), pk / 24, None) for pk in range(1, 25)]
    group_of = balanced(members, count=3, seed=4)
    means = [
        statistics.mean(member.skill for member in members if group_of[member.worker.pk] == number)
        for number in (1, 2, 3)
    ]
    assert max(means) - min(means) < 0.001


@pytest.fixture
def project(db):
    return make_project()


def add_to_pool(project, count):
    workers = [make_worker() for _ in range(count)]
    for worker in workers:
        pool = pool_of(project, Role.GENERATOR)
        grant_qualification(qualification=pool, worker=worker, now=NOW)
    return workers


def groups_of(project):
    return {member.worker: member.group for member in members_of(project=project)}


def divide(project, count=2, seed=1):
    return divide_pool(project=project, count=count, seed=seed, actor="rita", now=LATER)


def test_division_is_granted_and_logged(project):
    workers = add_to_pool(project, 5)
    assert set(groups_of(project).values()) == {None}
    assert divide(project) == 5
    groups = groups_of(project)
    assert sorted(groups.values()).count(1) in (2, 3)
    grants = dict(QualificationGrant.objects.values_list("worker", "value"))
    assert grants == {worker.pk: groups[worker] for worker in workers}
    moves = StateChange.objects.filter(aggregate="crowd.QualificationGrant")
    assert {move.old for move in moves} == {"no group"}
    assert moves.count() == 5
    assert divide(project) == 0


def test_workers_are_moved_manually_and_removed(project):
    first, second, third = add_to_pool(project, 3)
    divide(project)
    chosen = {first.pk: 2, second.pk: None}
    assign_groups(project=project, groups=chosen, count=2, actor="rita", now=LATER)
    groups = groups_of(project)
    assert (groups[first], groups[second]) == (2, None)
    assert groups[third] in (1, 2)
    with pytest.raises(GroupingError, match="no group 3"):
        assign_groups(project=project, groups={first.pk: 3}, count=2, actor="rita", now=LATER)


def test_pool_too_small_is_refused(project):
    add_to_pool(project, 1)
    with pytest.raises(GroupingError, match="not enough for 2 groups"):
        divide(project)


def test_newcomer_is_in_no_group_and_consolidators_keep_their_numbers(project):
    [training_round] = make_rounds(project, rounds=1)
    add_to_pool(project, 2)
    divide(project)
    worker = make_worker()
    work_through(open_round(training_round, [worker]), worker, EXPERT)
    decide(
        enrolment=training_round.enrolments.get(),
        verdict=Verdict.PASS,
        reason="",
        actor="t",
        now=LATER,
    )
    assert groups_of(project)[worker] is None
    [member] = [row for row in members_of(project=project) if row.worker == worker]
    assert member.skill == 1
    code = pool_code(project, Role.CONSOLIDATOR)
    assert worker.grants.get(qualification_type__code=code).value == 1


def test_batch_is_published_to_one_group(project):
    add_to_pool(project, 4)
    divide(project)
    make_item(SURVEY, IDENTIFIED, project)
    pool = pool_of(project, Role.GENERATOR)
    publish_batch(project=project, now=NOW, pool=pool, groups=[2])
    requirement = Hit.objects.get().hit_type.qualifications[0]
    assert (requirement["code"], requirement["comparator"], requirement["integers"]) == (
        pool.code,
        "In",
        [2],
    )


@pytest.fixture
def office(project):
    client = Client()
    client.force_login(make_user("rita", project, "requester"))
    return client


def test_staff_divide_correct_and_publish_on_the_pages(office, project):
    workers = add_to_pool(project, 4)
    url = reverse("qualification:groups", args=[project.slug])
    assert "none yet" in office.get(url).content.decode()
    assert office.post(url, {"divide": "1", "count": "2", "seed": "3"}).status_code == 302
    page = office.get(url).content.decode()
    assert "Group 2" in page
    office.post(url, {f"group-{worker.pseudonym}": "1" for worker in workers})
    assert set(groups_of(project).values()) == {1}
    make_item(SURVEY, IDENTIFIED, project)
    publish = reverse("annotation:publish", args=[project.slug])
    assert "Group 2 of the trained pool" in office.get(publish).content.decode()
    fields = {"count": "1", "unpublished": "1", "pool": "group-1"}
    assert "Only group 1 of the trained pool" in office.post(publish, fields).content.decode()
    assert office.post(publish, {**fields, "confirmed": "yes"}).status_code == 302
    assert Hit.objects.get().hit_type.qualifications[0]["integers"] == [1]
    assert office.post(publish, {**fields, "pool": "group-9"}).status_code == 422


@pytest.mark.parametrize(
    "fields", [{"count": "0"}, {"count": "21"}, {"count": "9"}, {"count": "x"}, {"seed": "-1"}]
)
def test_impossible_division_is_explained(office, project, fields):
    add_to_pool(project, 4)
    url = reverse("qualification:groups", args=[project.slug])
    response = office.post(url, {"divide": "1", "count": "2", "seed": "1", **fields})
    assert response.status_code == 422
    assert "errorlist" in response.content.decode()
    assert not project.groups.exists()


def test_unknown_group_changes_nothing(office, project):
    [worker] = add_to_pool(project, 1)
    divide(project, 1)
    url = reverse("qualification:groups", args=[project.slug])
    page = office.post(url, {f"group-{worker.pseudonym}": "7"}, follow=True).content.decode()
    assert "Nothing was changed" in page
    assert groups_of(project)[worker] == 1
