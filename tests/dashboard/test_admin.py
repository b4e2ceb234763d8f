import pytest
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from crowd.models import Budget
from tests.test_architecture import OWN

READ_ONLY = [
    model
    for model in admin.site._registry
    if model._meta.app_label in OWN - {"marketplace"}
    and model._meta.label not in ("projects.Project", "crowd.Budget")
]


@pytest.fixture
def root(db) -> Client:
    client = Client()
    client.force_login(get_user_model().objects.create_superuser("root"))
    return client


def page(model, name, *args):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{name}", args=args)


def test_ledger_gold_and_log_are_read_only():
    labels = {model._meta.label for model in READ_ONLY}
    assert {"crowd.LedgerEntry", "consolidation.Gold", "audit.StateChange"} <= labels


@pytest.mark.parametrize("model", READ_ONLY, ids=lambda model: model._meta.label)
def test_tables_can_be_read_but_not_changed(model, root, campaign):
    listing = root.get(page(model, "changelist"))
    assert listing.status_code == 200
    assert root.get(page(model, "add")).status_code == 403
    if row := model._default_manager.first():
        detail = root.get(page(model, "change", row.pk))
        assert detail.status_code == 200
        assert b"ASECRET" not in listing.content + detail.content
        assert b'name="_save"' not in detail.content
        assert root.post(page(model, "change", row.pk), {}).status_code == 403
        assert root.post(page(model, "delete", row.pk), {"post": "yes"}).status_code == 403


def test_cap_change_keeps_the_sums(root, campaign, project):
    url = page(Budget, "change", project.budget_id)
    before = Budget.objects.get(pk=project.budget_id)
    assert root.post(url, {"cap_cents": 7_000_000, "spent_cents": 0}).status_code == 302
    after = Budget.objects.get(pk=project.budget_id)
    assert after.cap_cents == 7_000_000
    assert (after.spent_cents, after.reserved_cents) == (before.spent_cents, before.reserved_cents)


def test_cap_below_the_reserved_sum_is_refused_with_the_reason(root, campaign, project):
    response = root.post(page(Budget, "change", project.budget_id), {"cap_cents": 5})
    assert response.status_code == 200
    assert b"cents are reserved or spent already" in response.content


def test_cap_can_be_removed(root, campaign, project):
    root.post(page(Budget, "change", project.budget_id), {"cap_cents": ""})
    assert Budget.objects.get(pk=project.budget_id).cap_cents is None


def test_project_role_can_be_granted(root, project):
    person = get_user_model().objects.create_user("nina")
    form = {
        "title": "Project demo",
        "memberships-TOTAL_FORMS": 1,
        "memberships-INITIAL_FORMS": 0,
        "memberships-0-user": person.pk,
        "memberships-0-role": "trainer",
        "memberships-0-project": project.pk,
    }
    url = reverse("admin:projects_project_change", args=[project.pk])
    assert root.post(url, form).status_code == 302
    assert list(project.memberships.values_list("user__username", "role")) == [("nina", "trainer")]
