from datetime import date

import pytest

from annotation.domain.publishing.qualification_codes import qualifications_of
from crowd.domain.hits.queries import LedgerFilter, failures_of, ledger_of, pending_work, sums_of
from crowd.models import Assignment, Hit, Payment
from tests.dashboard.campaign import Campaign, make_project


@pytest.fixture
def project(db):
    return make_project()


@pytest.fixture
def campaign(project):
    return Campaign(project, 12)


def test_ledger_is_newest_first_and_of_one_budget(campaign, project):
    other = Campaign(make_project("other"), 4)
    entries = list(ledger_of(budget=project.budget, wanted=LedgerFilter()))
    pks = [entry.pk for entry in entries]
    assert pks == sorted(pks, reverse=True)
    assert {entry.budget_id for entry in entries} == {project.budget_id}
    assert other.project.budget_id != project.budget_id


def test_ledger_filters_are_combined(campaign, project):
    worker = campaign.workers[0]
    day = date(2026, 9, 1)
    wanted = LedgerFilter(kind="settle", pseudonym=worker.pseudonym, first_day=day, last_day=day)
    entries = ledger_of(budget=project.budget, wanted=wanted)
    assert entries.count() == Payment.objects.filter(assignment__worker=worker).count()


def test_sums_of_the_whole_ledger_equal_the_budget(campaign, project):
    sums = sums_of(entries=ledger_of(budget=project.budget, wanted=LedgerFilter()))
    budget = project.budget
    assert sums == {
        "reserve": budget.reserved_cents + budget.spent_cents,
        "settle": budget.spent_cents,
    }


def test_pending_work_counts_by_state(campaign, project):
    Assignment.objects.filter(pk=Assignment.objects.first().pk).update(recorded_at=None)
    Payment.objects.filter(pk=Payment.objects.first().pk).update(
        state="held", confirmed_at=None, amount_cents=6
    )
    work = pending_work(budget=project.budget, qualifications=qualifications_of(project))
    assert work.hits == {"live": 15}
    assert (work.payments, work.payment_cents) == ({"held": 1}, {"held": 7})
    assert (work.rejections, work.unrecorded, work.grants, work.messages) == (0, 1, {}, {})


def test_failures_are_the_newest_up_to_the_limit(campaign, project):
    Hit.objects.update(error="Unavailable.")
    failures = failures_of(
        budget=project.budget, qualifications=qualifications_of(project), limit=5
    )
    newest = Hit.objects.order_by("-pk").values_list("external_id", flat=True)[:5]
    assert [failure.what for failure in failures["HITs"]] == list(newest)
    assert {failure.error for failure in failures["HITs"]} == {"Unavailable."}
    assert failures["payments"] == failures["qualifications"] == failures["messages"] == []
