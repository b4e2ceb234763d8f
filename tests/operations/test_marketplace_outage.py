"""The banner on pages that depend on the marketplace."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Batch
from crowd.enums import DEFAULT_PROVIDER
from crowd.providers.registry import PROVIDERS
from operations.domain import heartbeat
from operations.domain.alerts import update_alerts
from operations.domain.watch import notify_outage
from operations.models import Alert, Heartbeat
from tests.operations.test_health import marketplace

__all__ = ["marketplace"]
pytestmark = pytest.mark.django_db
TITLE = "The marketplace is unreachable"


def url(name: str, *args: object) -> str:
    return reverse(name, args=["demo", *args])


@pytest.fixture
def unreachable(settings, free_port) -> None:
    settings.MTURK_ENDPOINT_URL = f"http://127.0.0.1:{free_port}/mturk/"


def check_for_two_minutes() -> None:
    for minutes in (2, 1, 0):
        heartbeat.beat(queue="celery", now=timezone.now() - timedelta(minutes=minutes))


@pytest.mark.parametrize(
    "page", ["annotation:publish", "consolidation:batches", "consolidation:submissions"]
)
def test_page_shows_one_banner(page, unreachable, office, campaign):
    check_for_two_minutes()
    text = office.get(url(page)).content.decode()
    assert text.count(TITLE) == 1
    assert "can&#x27;t be reached" in text


def test_batch_shows_one_banner(unreachable, office, campaign):
    check_for_two_minutes()
    batch = Batch.objects.filter(project=campaign.project).first()
    assert office.get(url("consolidation:batch", batch.pk)).content.decode().count(TITLE) == 1


def test_cost_preview_shows_the_banner(unreachable, office, campaign):
    check_for_two_minutes()
    page = office.get(url("annotation:publish"))
    form = {"count": 1, "unpublished": page.context["unpublished"]}
    form |= {"auto_approval_hours": 72, "republish_limit": 3}
    response = office.post(url("annotation:publish"), form)
    assert (response.status_code, response.content.decode().count(TITLE)) == (200, 1)


def test_no_banner_in_a_project_with_another_provider(unreachable, office, project):
    project.provider = next(name for name in PROVIDERS if name != DEFAULT_PROVIDER)
    project.save()
    check_for_two_minutes()
    assert TITLE not in office.get(url("consolidation:batches")).content.decode()


def test_no_banner_while_the_marketplace_answers(office, campaign, marketplace):
    heartbeat.beat(queue="celery", now=timezone.now())
    assert TITLE not in office.get(url("consolidation:batches")).content.decode()


def test_site_that_is_starting_is_not_called_unreachable(unreachable, office, campaign):
    heartbeat.beat(queue="celery", now=timezone.now())
    update_alerts(now=timezone.now())
    page = office.get(url("consolidation:batches")).content.decode()
    assert TITLE not in page
    assert "If the site has just started" in page
    assert not Alert.objects.exists()
    check_for_two_minutes()
    update_alerts(now=timezone.now() + timedelta(minutes=1))
    assert Alert.objects.get().key == "marketplace"


def test_no_banner_without_a_fresh_check(unreachable, office, campaign):
    assert TITLE not in office.get(url("consolidation:batches")).content.decode()
    heartbeat.beat(queue="celery", now=timezone.now() - timedelta(hours=1))
    assert TITLE not in office.get(url("consolidation:batches")).content.decode()


def test_outage_keeps_its_start_until_the_marketplace_answers(settings, free_port, marketplace):
    address, began = settings.MTURK_ENDPOINT_URL, timezone.now()
    settings.MTURK_ENDPOINT_URL = f"http://127.0.0.1:{free_port}/mturk/"
    for minutes in (0, 1, 2):
        heartbeat.beat(queue="celery", now=began + timedelta(minutes=minutes))
    assert Heartbeat.objects.get().marketplace_since == began
    marketplace.status = 503
    settings.MTURK_ENDPOINT_URL = address
    heartbeat.beat(queue="celery", now=began + timedelta(minutes=3))
    assert Heartbeat.objects.get().marketplace_since == began
    marketplace.status = 404
    heartbeat.beat(queue="celery", now=began + timedelta(minutes=4))
    assert Heartbeat.objects.get().marketplace_since is None


def test_requesters_are_notified_of_a_long_outage(office, project):
    now = timezone.now()
    Heartbeat.objects.create(pk=1, at=now, marketplace_problem="No.", marketplace_since=now)
    assert notify_outage(now=now) == 0
    since = now - timedelta(minutes=11)
    Heartbeat.objects.update(marketplace_since=since)
    assert [notify_outage(now=now), notify_outage(now=now)] == [1, 0]
    page = office.get(reverse("projects:notifications")).content.decode()
    assert "The crowd service is unreachable" in page
