"""Tests of actions on several batches."""

import pytest
from django.urls import reverse

from annotation.models import Batch
from tests.dashboard.campaign import Campaign, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def url(campaign):
    return reverse("consolidation:manage_batches", args=[campaign.project.slug])


def carry_out(office, url, action):
    order = {"action": action, "row": list(Batch.objects.values_list("pk", flat=True))}
    page = office.post(url, order)
    count = page.context["count"]
    return page, office.post(url, {**order, "seen": count, "confirmed": "yes"}, follow=True)


def states() -> list[str]:
    return list(Batch.objects.order_by("pk").values_list("state", flat=True))


def test_batches_can_be_selected(office, campaign):
    address = reverse("consolidation:batches", args=[campaign.project.slug])
    assert b'name="row"' not in office.get(address).content
    page = office.get(f"{address}?select=1").content.decode()
    assert page.count('name="row"') == 2
    assert "every 5s" not in page
    assert 'aria-label="Select Batch 1"' in page


def test_confirmation_names_batches_and_hits(office, url):
    page, _ = carry_out(office, url, "pause")
    text = page.content.decode()
    assert f"Pause 2 batches with {page.context['count']} HITs?" in text
    assert "Batch 1, Batch 2" in text


def test_batches_are_paused_resumed_and_ended(office, url):
    for action, state in (("pause", "paused"), ("resume", "open"), ("expire", "closed")):
        carry_out(office, url, action)
        assert states() == [state, state]


def test_failures_are_explained_and_other_batches_changed(office, url):
    Batch.objects.filter(number=1).update(state="closed")
    _, result = carry_out(office, url, "pause")
    assert states() == ["closed", "paused"]
    texts = [str(message) for message in result.context["messages"]]
    assert texts[0].startswith("Not changed, Batch 1: ")
    assert texts[1].startswith("Paused: 1 batch.")


def test_batches_of_other_projects_are_ignored(office, url):
    other = Campaign(make_project("other"), 4).batches["generator"]
    page = office.post(url, {"action": "expire", "row": [other.pk]})
    assert page.context["batches"] == []


@pytest.mark.parametrize("fields", [{}, {"action": "pause"}, {"action": "add", "row": [1]}])
def test_incomplete_action_changes_nothing(office, url, fields):
    response = office.post(url, fields, follow=True)
    assert "Nothing was changed" in response.content.decode()
    assert states() == ["open", "open"]
