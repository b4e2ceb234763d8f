"""The pages of webhooks."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from projects.domain.webhooks import secret_of
from projects.enums import MemberRole
from projects.models import Webhook
from tests.dashboard.campaign import make_user
from tests.projects.webhooks import make_webhook

pytestmark = pytest.mark.django_db
NEW = {"url": "https://hooks.example/x", "events": ["gold.created"]}


@pytest.fixture
def admin(project, settings) -> Client:
    settings.WEBHOOK_HOSTS = ["hooks.example"]
    client = Client()
    client.force_login(make_user("ada", project, MemberRole.ADMIN))
    return client


def url(name, *arguments) -> str:
    return reverse(f"projects:{name}", args=["demo", *arguments])


def test_secret_is_shown_once(admin):
    page = admin.post(url("webhooks"), NEW)
    [secret] = re.findall(r"whsec_[A-Za-z0-9+/=]+", page.content.decode())
    webhook = Webhook.objects.get()
    assert secret == secret_of(webhook)
    assert "no-store" in page.headers["Cache-Control"]
    for name, at in (("webhooks", []), ("webhook", [webhook.pk])):
        text = admin.get(url(name, *at)).content.decode()
        assert "hooks.example" in text
        assert "whsec_" not in text


def test_host_that_the_operator_does_not_allow_is_refused(admin):
    page = admin.post(url("webhooks"), NEW | {"url": "https://10.0.0.1/"})
    assert page.status_code == 422
    assert "Its operator can allow the host with WEBHOOK_HOSTS" in page.content.decode()
    assert not Webhook.objects.exists()


def test_webhook_is_changed_and_switched_off(admin, project):
    webhook = make_webhook(project)
    changed = {"url": webhook.url, "events": ["job.failed", "bonus.held"]}
    page = admin.post(url("webhook", webhook.pk), changed, follow=True)
    webhook.refresh_from_db()
    assert (webhook.events, webhook.is_active) == (["job.failed", "bonus.held"], False)
    assert "This webhook is off." in page.content.decode()
    page = admin.post(url("test_webhook", webhook.pk), follow=True)
    assert "The webhook is switched off." in page.content.decode()


def test_delivery_is_sent_again_from_the_list(admin, project):
    webhook = make_webhook(project)
    delivery = webhook.deliveries.get()
    page = admin.get(url("webhook", webhook.pk)).content.decode()
    address = url("replay_delivery", webhook.pk, delivery.pk)
    assert address in page
    assert "HTTP 204" in page
    admin.post(address)
    delivery.refresh_from_db()
    assert delivery.state == "pending"
    assert address not in admin.get(url("webhook", webhook.pk)).content.decode()


def test_test_is_queued(admin, project):
    webhook = make_webhook(project, deliveries=0)
    admin.post(url("test_webhook", webhook.pk))
    assert webhook.deliveries.get().event == "ping"


def test_changes_are_in_the_log(admin, project):
    admin.post(url("webhooks"), NEW)
    webhook = Webhook.objects.get()
    admin.post(url("test_webhook", webhook.pk))
    admin.post(url("remove_webhook", webhook.pk), {"confirmed": "1"})
    page = admin.get(reverse("dashboard:log", args=["demo"])).content.decode()
    log = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    assert "webhook to hooks.example from none to on for gold.created" in log
    assert "tested a webhook" in log
    assert "webhook to hooks.example from on for gold.created to deleted" in log
    assert "hooks.example/x" not in log
