"""The remaining cost against the money that is left, on the pages of pay and publication."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.domain.publishing.money_left import money_left
from annotation.domain.publishing.publish import publish_batch
from crowd.domain.provider.check_account import check_balances
from crowd.models import Budget, ProviderAccount
from crowd.providers.mturk.client import MTurk
from marketplace.models import Requester
from projects.enums import MemberRole
from projects.models import Project
from tests.annotation.factories import NOW, make_item, make_project
from tests.crowd.in_process import InProcess, connect
from tests.dashboard.campaign import make_user

# Without any work, a generator is expected to write three questions: 5 + 5 cents, with fees of 1 and 1.
# A consolidator judges six: 5 + 18 cents, with fees of 1 and 4. An item costs 2 x 12 + 28 cents.
ITEM = 52


@pytest.fixture
def project(db) -> Project:
    project = make_project()
    for _ in range(10):
        make_item(project)
    return project


@pytest.fixture
def office(project) -> Client:
    client = Client()
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    return client


def limit(project: Project, cents: int | None) -> Project:
    Budget.objects.filter(pk=project.budget_id).update(cap_cents=cents)
    return Project.objects.get(pk=project.pk)


def text_of(office: Client, name: str) -> str:
    page = office.get(reverse(name, args=["news"]))
    return " ".join(page.content.decode().split())


def test_needed_money_is_that_of_unpublished_work(project):
    assert money_left(project=project).needed_cents == 10 * ITEM
    publish_batch(project=project, now=NOW, limit=4)
    # The generations of four items are reserved, and their consolidations are to come.
    assert money_left(project=project).needed_cents == 6 * ITEM + 4 * 28


@pytest.mark.parametrize(("cap", "missing"), [(None, 0), (520, 0), (519, 1), (443, 77)])
def test_missing_money_is_what_the_limit_does_not_leave(project, cap, missing):
    assert money_left(project=limit(project, cap)).missing_in_budget == missing


@pytest.mark.parametrize("name", ["annotation:pay", "annotation:publish", "consolidation:batches"])
def test_pages_state_that_the_money_is_not_enough(office, project, name):
    limit(project, 443)
    text = text_of(office, name)
    assert "expected to cost $5.20 beyond what is spent or reserved" in text
    assert "The budget limit leaves $4.43, which is $0.77 too little." in text
    limit(project, 5000)
    text = text_of(office, name)
    assert "too little" not in text
    assert "The budget limit leaves $50.00." in text


def test_confirmation_of_a_publication_states_it_too(office, project):
    limit(project, 443)
    page = office.post(reverse("annotation:publish", args=["news"]), {"count": 2})
    assert "which is $0.77 too little" in " ".join(page.content.decode().split())


def test_balance_of_the_account_is_compared(office, project, settings, monkeypatch):
    settings.MARKETPLACE_BUILTIN_KEY = (
        settings.MTURK_ACCESS_KEY_ID,
        settings.MTURK_SECRET_ACCESS_KEY,
    )
    ProviderAccount.objects.create(provider=project.provider, balance_cents=500)
    text = text_of(office, "annotation:publish")
    assert "has $5.00, which is $0.20 too little" in text


def test_balance_is_read_from_the_marketplace(project, settings, monkeypatch):
    settings.MARKETPLACE_OPENING_BALANCE = 3
    settings.MARKETPLACE_BUILTIN_KEY = (
        settings.MTURK_ACCESS_KEY_ID,
        settings.MTURK_SECRET_ACCESS_KEY,
    )
    market: MTurk = connect(InProcess())
    monkeypatch.setattr("crowd.domain.provider.check_account.hit_provider_of", lambda name: market)
    assert check_balances(clock=lambda: NOW) == 1
    account = ProviderAccount.objects.get(provider=project.provider)
    assert account.balance_cents == Requester.objects.get().available_cents
