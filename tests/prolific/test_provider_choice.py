"""The crowd provider of a project, and its account."""

import json

import pytest
from django.contrib.auth.models import Permission
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse

from annotation.domain.publishing.publish import publish_batch
from audit.models import StateChange
from crowd.domain.provider.providers import ProviderUnavailableError, available_providers
from crowd.models import ProviderAccount
from projects.domain.change_project import ProjectChangeError, change_settings
from projects.domain.create_project import create_project
from projects.forms import SettingsForm
from projects.models import Project
from tests.dashboard.campaign import START, make_user
from tests.fakes.prolific import Fault
from tests.walk import run


@pytest.fixture
def owner(project):
    user = make_user("olga")
    user.user_permissions.add(Permission.objects.get(codename="add_project"))
    project.memberships.create(user=user, role="requester")
    return user


@pytest.fixture
def client(owner) -> Client:
    client = Client()
    client.force_login(owner)
    return client


def settings_page(project) -> str:
    return reverse("projects:settings", args=[project.slug])


def fields_of(project) -> dict[str, str]:
    initial = SettingsForm.initial_of(project)
    return {name: value for name, value in initial.items() if value not in (None, False)}


def test_unconfigured_provider_is_not_available(db):
    assert available_providers() == ["mturk"]
    with pytest.raises(ProviderUnavailableError, match="not set up"):
        create_project(slug="x", scheme="qasrl", provider="prolific", now=START)
    assert not Project.objects.exists()


def test_command_refuses_an_unconfigured_provider(db):
    with pytest.raises(CommandError, match="not set up"):
        run("create_project", "x", "--scheme", "qasrl", "--provider", "prolific")


def test_settings_without_a_choice_have_no_field(db):
    form = SettingsForm(protocol="consolidation", provider="mturk")
    assert "provider" not in form.fields


def test_provider_is_changed_in_the_settings_and_logged(client, project):
    page = client.get(settings_page(project)).content.decode()
    assert "MTurk-compatible marketplace" in page
    response = client.post(settings_page(project), fields_of(project) | {"provider": "mturk"})
    assert response.status_code == 302
    project.refresh_from_db()
    assert project.provider == "mturk"
    reasons = StateChange.objects.filter(object_id=project.pk).values_list("reason", flat=True)
    assert "crowd provider: Prolific -> MTurk-compatible marketplace" in reasons


def test_provider_of_a_published_project_is_fixed(server, project):
    publish_batch(project=project, now=server.clock())
    with pytest.raises(ProjectChangeError, match="tasks have been published") as caught:
        change_settings(
            project=project, wanted={"provider": "mturk"}, actor="ada", now=server.clock()
        )
    assert caught.value.setting == "provider"


def test_new_project_gets_the_chosen_provider(client, server):
    fields = {"title": "Moods 2", "scheme": "qasrl", "provider": "prolific"}
    response = client.post(reverse("projects:project_new"), fields)
    assert response.status_code == 302, response.context["form"].errors
    assert Project.objects.get(slug="moods-2").provider == "prolific"


@pytest.mark.parametrize(("provider", "status"), [("prolific", 201), ("none", 400)])
def test_provider_is_chosen_in_the_api(client, server, provider, status):
    fields = {"slug": "moods-3", "scheme": "qasrl", "provider": provider}
    response = client.post(reverse("api:projects"), json.dumps(fields), "application/json")
    assert response.status_code == status
    if status == 201:
        assert response.json()["provider"] == "prolific"


def test_settings_show_the_account(client, project):
    page = " ".join(client.get(settings_page(project)).content.decode().split())
    filters = ProviderAccount.objects.get().filters
    expected = f"Token valid, workspace in USD, wallet $10,000.00, {filters} prescreening filters"
    assert expected in page


def test_account_is_checked_on_request(client, server, project):
    check = reverse("projects:check_provider", args=[project.slug])
    server.faults.add(Fault.SERVER_ERROR, "GET", "*", times=9)
    page = client.post(check, follow=True).content.decode()
    assert "Prolific can&#x27;t be used yet." in page
    assert ProviderAccount.objects.get().error
    server.faults.clear()
    page = client.post(check, follow=True).content.decode()
    assert "Prolific works." in page
    assert ProviderAccount.objects.get().error == ""


def test_workspace_in_another_currency_is_an_error(client, server, project):
    server.workspace.currency = "GBP"
    check = reverse("projects:check_provider", args=[project.slug])
    page = client.post(check, follow=True).content.decode()
    assert "The workspace uses GBP. Amounts here are in USD" in page


def test_other_providers_have_no_account(client, project):
    Project.objects.update(provider="mturk")
    assert "account</h2>" not in client.get(settings_page(project)).content.decode()
    check = reverse("projects:check_provider", args=[project.slug])
    assert "has no account to check" in client.post(check, follow=True).content.decode()
