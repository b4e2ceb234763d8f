"""Tests of the header search in projects, items, workers and batches that the user may open."""

import pytest
from django.urls import reverse

from annotation.models import Batch, Item
from projects.enums import MemberRole
from tests.dashboard.campaign import Campaign, make_project, make_user

URL = "/search/"


def results(client, text: str, **more: str) -> str:
    response = client.get(URL, {"q": text, **more})
    assert response.status_code == 200
    return response.content.decode()


def test_item_is_found_by_id_and_sentence_text(office, campaign):
    item = Item.objects.select_related("sentence").first()
    url = reverse("consolidation:item", args=["demo", item.pk])
    assert url in results(office, item.key)
    assert url in results(office, " ".join(item.sentence.tokens[:3]))


def test_worker_is_found_by_pseudonym_and_by_marketplace_id(office, campaign):
    worker = campaign.workers[0]
    url = reverse("qualification:worker", args=["demo", worker.pseudonym])
    assert url in results(office, worker.pseudonym[:4].lower())
    assert url in results(office, worker.external_id)


@pytest.mark.parametrize("text", ["{}", "#{}", "Batch {}"])
def test_batch_is_found_by_its_number(office, campaign, text):
    batch = Batch.objects.first()
    url = reverse("consolidation:batch", args=["demo", batch.pk])
    assert url in results(office, text.format(batch.number))


def test_pages_that_the_user_may_open_are_found_by_name(client, office, campaign, project):
    html = results(office, "pay", project="demo")
    assert f'href="{reverse("annotation:pay", args=["demo"])}">Pay</a>' in html
    assert "Data: Exports</a>" in results(office, "exp")
    client.force_login(make_user("eva", project, MemberRole.EXPERT))
    assert "No results" in results(client, "pay", project="demo")


def test_project_is_found_by_its_title(office, project):
    assert reverse("dashboard:project", args=["demo"]) in results(office, "oject DE")


def test_results_are_limited_to_projects_and_pages_of_the_user(client, campaign, project):
    worker = campaign.workers[0].pseudonym
    client.force_login(make_user("eva", project, MemberRole.EXPERT))
    assert "No results" in results(client, worker)
    client.force_login(make_user("otto", make_project("other"), MemberRole.ADMIN))
    for text in (worker, Item.objects.first().key, "Project demo", str(Batch.objects.first().pk)):
        assert "No results" in results(client, text)
    assert client.get(URL, {"q": "x", "project": "demo"}).status_code == 404


def test_search_within_a_project_excludes_others(office, campaign, project):
    other = make_project("other")
    for membership in project.memberships.all():
        other.memberships.create(user=membership.user, role=membership.role)
    item = Campaign(other, 1).items[0]
    html = results(office, item.key, project="demo")
    assert reverse("consolidation:item", args=["other", item.pk]) not in html
    assert "Search all projects" in html
    assert reverse("consolidation:item", args=["other", item.pk]) in results(office, item.key)


def test_long_result_lists_show_that_there_are_more(office, campaign):
    assert "More results match" in results(office, Item.objects.first().key[:4])


@pytest.mark.parametrize("text", ["", "   ", "%", "x" * 5000, "99999999999999999999", "“<b>"])
def test_unusual_text_causes_no_error(office, campaign, text):
    assert "<b>" not in results(office, text).replace("<body>", "")
