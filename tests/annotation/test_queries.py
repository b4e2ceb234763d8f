import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AnonymousUser
from django.db.models import F, Sum

from annotation.domain.publishing.publish import cost_of, publish_batch
from annotation.domain.publishing.queries import (
    Cost,
    cost_by_item,
    cost_by_role,
    cost_of_entries,
    count_items,
    count_submissions,
    counts_by_project,
    earned_in,
    generation_cents,
    items_with_text,
    ledger_of_item,
    sections_of,
    waiting_for_a_person,
)
from annotation.models import Submission, TaskItem
from crowd.models import Budget, LedgerEntry
from projects.domain.queries import projects_of, roles_in
from projects.enums import MemberRole
from tests.dashboard.campaign import START, Campaign, add_items, make_project, make_user


@pytest.fixture
def project(db):
    return make_project()


@pytest.fixture
def campaign(project):
    return Campaign(project, 12)


def test_projects_are_those_with_a_role_each_once(project):
    make_project("other")
    person = make_user("kim", project, MemberRole.TRAINER, MemberRole.EXPERT)
    assert list(projects_of(user=person)) == [project]
    assert roles_in(project=project, user=person) == {"trainer", "expert"}


def test_superuser_has_every_project_and_role(project):
    root = get_user_model().objects.create_superuser("root")
    assert list(projects_of(user=root)) == [project]
    assert roles_in(project=project, user=root) == set(MemberRole)


def test_anonymous_visitor_has_nothing(project):
    assert not projects_of(user=AnonymousUser()).exists()
    assert roles_in(project=project, user=AnonymousUser()) == set()


def test_items_are_counted_as_offered_once_published(project):
    add_items(project, 5)
    publish_batch(project=project, now=START, limit=2)
    counts = count_items(project=project)
    assert (counts.items, counts.published, counts.unpublished) == (5, 2, 3)
    assert counts_by_project(projects=[project, make_project("other")]) == {project.pk: 5}


@pytest.mark.parametrize("count", [1, 3])
def test_price_equals_the_reservation_of_publishing(project, count):
    add_items(project, 5)
    price = generation_cents(project=project, count=count)
    batch = publish_batch(project=project, now=START, limit=count)
    assert price == Budget.objects.get(pk=project.budget_id).reserved_cents == cost_of(batch, count)


def test_price_needs_no_query(project, django_assert_num_queries):
    with django_assert_num_queries(0):
        generation_cents(project=project, count=5)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("rejected the", 3),
        ("rejected   the", 3),
        ("number1", 1),
        ("rejected proposal", 0),
        ("wiki:2/2", 1),
        ('"', 0),
        ("%", 0),
        ("_", 0),
        ("\\", 0),
        ("', '", 0),
    ],
)
def test_text_search_matches_phrases_and_keys_literally(project, text, count):
    add_items(project, 3)
    assert project.items.filter(items_with_text(text, project=project)).count() == count


def test_text_search_matches_quotation_marks(project):
    [item] = add_items(project, 1)
    item.sentence.tokens = ['"', "Yes", ",", '"', "he", "said", "\\o/"]
    item.sentence.save()
    assert project.items.filter(items_with_text('Yes , " he', project=project)).count() == 1
    assert project.items.filter(items_with_text("said \\o/", project=project)).count() == 1


def test_sections_are_listed_once_and_sorted(project):
    add_items(project, 6)
    assert sections_of(project=project) == [("wikinews", "dev"), ("wikipedia", "test")]


def test_submissions_are_counted_by_role_state_and_pending_review(campaign, project):
    assert {key: n for key, n in count_submissions(project=project).items() if n} == {
        ("generator", "accepted"): 15,
        ("generator", "submitted"): 3,
        ("generator", "review"): 3,
        ("consolidator", "accepted"): 3,
    }


def test_valid_work_does_not_need_review_before_the_sweep(campaign, project):
    Submission.objects.filter(state="submitted").update(problem="")
    assert not waiting_for_a_person(project=project).exists()


def test_costs_by_item_and_by_role_sum_to_the_budget(campaign, project):
    by_item = sum(cost_by_item(project=project).values(), Cost())
    by_role = sum(cost_by_role(project=project).values(), Cost())
    assert by_item == by_role
    assert by_item.total_cents == Budget.objects.get(pk=project.budget_id).spent_cents


def test_cost_of_a_hit_with_several_items_is_shared(campaign, project):
    first, second = campaign.items[1], campaign.items[0]
    before = cost_by_item(project=project)[first.pk]
    task = first.tasks.get()
    TaskItem.objects.create(task=task, item=second, ordinal=1, role="generator")
    after = cost_by_item(project=project)
    half = Cost(before.amount_cents // 2, before.fee_cents // 2)
    assert (after[first.pk], after[second.pk]) == (half, half)
    entries = ledger_of_item(item=first)
    assert [entry.items_in_hit for entry in entries] == [2, 2, 2]
    assert cost_of_entries(entries=entries) == half


def test_earnings_are_confirmed_payments_without_fees(campaign, project):
    earned = earned_in(project=project)
    settled = LedgerEntry.objects.filter(kind="settle").aggregate(sum=Sum(F("amount_cents")))
    assert sum(earned.values()) == settled["sum"]
    assert set(earned) == {worker.pk for worker in campaign.workers}
