import pytest

from annotation.domain.publishing.queries import cost_by_item
from audit.domain.change_state import log_state_change
from consolidation.domain.cases.queries import (
    count_gold,
    finished_costs,
    gold_items_by_project,
    gold_of_item,
    history_of_item,
    items_of,
    settled_items,
    state_of,
)
from consolidation.domain.cases.second_consolidation import second_cases
from consolidation.domain.gold.add_gold import add_gold
from consolidation.enums import ItemState
from consolidation.models import Case, Gold
from crowd.models import Payment
from tests.dashboard.campaign import CONTENT, START, Campaign, make_project


@pytest.fixture
def project(db):
    return make_project()


@pytest.fixture
def campaign(project):
    return Campaign(project, 12)


def states(project, **filters) -> list[ItemState]:
    items = items_of(project=project, **filters)
    return [state_of(item) for item in items]


def test_every_item_is_in_exactly_one_state(campaign, project):
    everything = states(project)
    # The campaign is consolidated and has no training or withdrawn items.
    other = ("validated", "revising", "disputed", "resolved", "reopened", "training", "withdrawn")
    known = [state for state in ItemState if state not in other]
    assert everything == known * 3
    assert states(project, state=ItemState.VALIDATED) == []
    for state in known:
        assert states(project, state=state.value) == [state] * 3


def test_second_consolidation_does_not_change_the_item_state(campaign, project):
    Case.objects.create(item=campaign.items[3], attempt=1, opened_at=START)
    assert states(project).count(ItemState.CONSOLIDATED) == 3
    assert count_gold(project=project).cases == {"offered": 3, "consolidated": 3}


def test_items_have_counts_of_annotations_and_gold_versions(campaign, project):
    add_gold(item=campaign.items[3], source="expert", content=CONTENT, provenance=[], now=START)
    counts = {item.pk: (item.generations, item.golds) for item in items_of(project=project)}
    assert [counts[item.pk] for item in campaign.items[:4]] == [(0, 0), (1, 0), (2, 0), (2, 2)]


def test_gold_is_counted_by_items_not_by_versions(campaign, project):
    for _ in range(2):
        add_gold(item=campaign.items[3], source="expert", content=CONTENT, provenance=[], now=START)
    counts = count_gold(project=project)
    assert counts.items_by_source == {"consolidated": 3, "expert": 1}
    assert counts.items == 3
    assert gold_items_by_project(projects=[project]) == {project.pk: 3}


def test_gold_of_an_item_is_newest_first(campaign):
    newer = add_gold(
        item=campaign.items[3],
        source="expert",
        content=CONTENT,
        provenance=[],
        now=START.replace(year=2027),
    )
    older = Gold.objects.get(item=campaign.items[3], source="consolidated")
    assert gold_of_item(item=campaign.items[3]) == [newer, older]


def test_settled_items_have_a_finished_first_case(campaign, project):
    assert set(settled_items(project=project)) == set(campaign.items[3::4])


def test_finished_costs_have_an_entry_for_each_consolidated_item(campaign, project):
    costs = cost_by_item(project=project)
    expected = [costs[item.pk] for item in campaign.items[3::4]]
    assert finished_costs(project=project) == expected


def test_history_has_every_aggregate_of_the_item_only(campaign):
    item, other = campaign.items[3], campaign.items[7]
    for subject in (item, other):
        submission = subject.submissions.first()
        for instance in (
            submission.assignment,
            submission.assignment.hit,
            Payment.objects.filter(assignment=submission.assignment).first(),
            subject.cases.get(),
        ):
            log_state_change(instance=instance, old="a", new="b", actor="budget", now=START)
    moves = history_of_item(item=item)
    own = {f"Submission {row.pk}" for row in item.submissions.all()}
    assert {move.what for move in moves if move.what.startswith("Submission")} == own
    assert sorted(move.what.split()[0] for move in moves if move.old == "a") == [
        "Assignment",
        "Case",
        "Hit",
        "Payment",
    ]
    assert len(moves) == 7
    assert [move.at for move in moves] == sorted(move.at for move in moves)


def test_cases_of_training_rounds_do_not_measure_agreement(campaign, project):
    """Cases of training rounds can have late attempts and stay offered."""
    item = campaign.items[3]
    Case.objects.create(item=item, attempt=100, given={}, opened_at=START)
    assert not second_cases(project=project).exists()
    second = Case.objects.create(item=item, attempt=1, opened_at=START)
    assert list(second_cases(project=project)) == [second]
