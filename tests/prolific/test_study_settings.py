"""How studies are offered: content warnings, devices, filter sets, and the pay that is asked for."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.domain.publishing.publish import publish_batch
from audit.models import StateChange
from crowd.models import ProviderAccount, Study
from crowd.providers.prolific.webhooks import HIGH_RETURNS_NOTICE
from dashboard.events import recent_events
from projects.domain.notify import notify
from projects.models import Notification
from tests.dashboard.campaign import make_user
from tests.fakes.prolific import money, webhooks
from tests.fakes.prolific.webhooks import emit
from tests.prolific.campaign import Campaign, check_accounts
from tests.prolific.test_provider_choice import fields_of, settings_page
from tests.prolific.test_webhooks import send

CHOSEN = {
    "content_warning": "sensitive",
    "content_warning_details": "Insults in comments.",
    "devices": ["desktop", "tablet"],
}


@pytest.fixture
def client(project) -> Client:
    client = Client()
    client.force_login(make_user("olga", project, "requester"))
    return client


@pytest.fixture
def native(server) -> str:
    """Return the id of a filter set for native speakers of German."""
    rows = [{"filter_id": "first-language", "selected_values": ["1"]}]
    return server.platform.add_filter_set("German", rows)


def save(client, project, **changes):
    response = client.post(settings_page(project), {**fields_of(project), **changes})
    project.refresh_from_db()
    return response


def published(server, project) -> dict:
    """Publish the items, and return the newest study at the stand-in."""
    publish_batch(project=project, now=server.clock())
    Campaign(server, []).sweep(times=3)
    return list(server.platform.studies.values())[-1].fields


def test_settings_are_sent_with_new_studies(client, server, project):
    assert save(client, project, **CHOSEN).status_code == 302
    study = published(server, project)
    assert study["content_warnings"] == ["sensitive"]
    assert study["content_warning_details"] == "Insults in comments."
    assert study["device_compatibility"] == ["desktop", "tablet"]
    reasons = " ".join(StateChange.objects.values_list("reason", flat=True))
    assert "offer of studies: default -> content warning sensitive; Insults in" in reasons
    page = client.get(settings_page(project)).content.decode()
    assert "Insults in comments." in page


def test_studies_have_no_settings_by_default(server, project):
    study = published(server, project)
    assert (study["content_warnings"], study["device_compatibility"]) == ([], [])
    assert [row["filter_id"] for row in study["filters"]] == ["participant_group_blocklist"]


def test_filters_of_a_filter_set_are_copied(client, server, project, native):
    save(client, project, filter_set=native)
    study = published(server, project)
    assert study["filters"][-1] == {"filter_id": "first-language", "selected_values": ["1"]}
    key = Study.objects.get().external_id
    english, german = server.participant(), server.participant(language="1")
    assert key not in [row.id for row in english.available_studies()]
    assert key in [row.id for row in german.available_studies()]


def test_filter_set_that_does_not_exist_is_a_form_error(client, project):
    response = save(client, project, filter_set="5f00000000000000000000ff")
    assert response.status_code == 422
    assert "The filter set can&#x27;t be read" in response.content.decode()
    assert project.study_settings == {}


def test_changed_settings_make_another_study(client, server, project):
    publish_batch(project=project, limit=4, now=server.clock())
    save(client, project, **CHOSEN)
    publish_batch(project=project, limit=4, now=server.clock())
    Campaign(server, []).sweep(times=3)
    warnings = [row.fields["content_warnings"] for row in server.platform.studies.values()]
    assert warnings == [[], ["sensitive"]]


def test_marketplace_has_no_settings_of_studies(client, project):
    project.provider = "mturk"
    project.save()
    page = client.get(settings_page(project)).content.decode()
    assert "Content warning" not in page
    assert "Filter set" not in page


def test_pay_is_compared_with_what_the_provider_asks_for(client, server, project, monkeypatch):
    monkeypatch.setitem(money.HOURLY, "USD", (1300, 1500))
    check_accounts(server.clock)
    page = " ".join(client.get(settings_page(project)).content.decode().split())
    assert "at least $13.00 an hour and recommended $15.00" in page
    fields = {"count": 8, "auto_approval_hours": 72, "republish_limit": 2, "unpublished": 8}
    page = client.post(reverse("annotation:publish", args=[project.slug]), fields)
    assert "requires $13.00 an hour without bonuses" in page.content.decode()


def test_minimum_is_a_constant_where_the_api_has_no_recommendations(server, project):
    server.platform.options.has_reward_recommendations = False
    check_accounts(server.clock)
    account = ProviderAccount.objects.get()
    assert (account.error, account.minimum_hourly_cents) == ("", None)
    assert published(server, project)["reward"] == 240


def test_high_return_rate_is_shown_and_notified(client, server, project, study, settings):
    settings.PROLIFIC_WEBHOOKS = True
    check_accounts(server.clock)
    payload = {"resource_id": study.external_id, "metadata": {}}
    emit(server.platform, server.workspace, "study.has_high_return_rate", payload)
    server.deliver(send=send)
    study.refresh_from_db()
    assert (study.notice, study.noticed_at) == (HIGH_RETURNS_NOTICE, server.clock())
    page = client.get(reverse("consolidation:studies", args=[project.slug])).content.decode()
    assert "Many participants return their place without finishing." in page
    notify(events=recent_events(now=server.clock()), now=server.clock())
    [notification] = Notification.objects.filter(kind="study")
    assert notification.details["study"] == study.hit_type.title
    # A repeat of the provider's warning is no second notification.
    emit(server.platform, server.workspace, "study.has_high_return_rate", payload)
    server.deliver(send=send)
    notify(events=recent_events(now=server.clock()), now=server.clock())
    assert Notification.objects.filter(kind="study").count() == 1


def test_event_that_the_workspace_does_not_offer_is_left_out(
    server, project, settings, monkeypatch
):
    settings.PROLIFIC_WEBHOOKS = True
    monkeypatch.delitem(webhooks.EVENT_TYPES, "study.has_high_return_rate")
    check_accounts(server.clock)
    assert ProviderAccount.objects.get().error == ""
    kinds = {row.event_type for row in server.platform.subscriptions.values()}
    assert kinds == {"submission.status.change", "study.status.change"}
