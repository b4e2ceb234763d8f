"""Tests of list filters that users save under a name."""

import pytest
from django.urls import reverse

from projects.domain.save_filter import MAX_PER_LIST
from projects.models import SavedFilter
from tests.dashboard.campaign import make_project, make_user

pytestmark = pytest.mark.django_db

ITEMS = "/projects/demo/items/"


def save(client, project, **fields):
    facts = {"page": "consolidation:items", "name": "Open", "query": "state=generating&sort=-key"}
    url = reverse("projects:save_filter", args=[project.slug])
    return client.post(url, {**facts, **fields}, follow=True)


def test_saved_filter_is_a_link_above_its_list(office, project):
    response = save(office, project)
    assert response.redirect_chain == [(f"{ITEMS}?state=generating&sort=-key", 302)]
    page = office.get(ITEMS).content.decode()
    assert f'<a href="{ITEMS}?state=generating&amp;sort=-key"' in page
    assert ">Open</a>" in page
    other_list = office.get(reverse("consolidation:batches", args=[project.slug]))
    assert b">Open</a>" not in other_list.content


def test_same_name_replaces_the_filter(office, project):
    save(office, project)
    save(office, project, query="state=training")
    assert [row.query for row in SavedFilter.objects.all()] == ["state=training"]


def test_page_and_format_are_not_saved(office, project):
    save(office, project, query="state=training&page=3&format=csv&empty=")
    assert SavedFilter.objects.get().query == "state=training"


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""},
        {"name": "x" * 61},
        {"query": ""},
        {"query": "page=2"},
        {"query": "x=" + "y" * 2000},
        {"page": ""},
        {"page": "x" * 99},
    ],
)
def test_invalid_filter_is_refused(office, project, fields):
    assert "The filter was not saved." in save(office, project, **fields).content.decode()
    assert not SavedFilter.objects.exists()


def test_number_of_filters_of_a_list_is_limited(office, project):
    for number in range(MAX_PER_LIST):
        save(office, project, name=f"Filter {number}")
    assert "Delete one first." in save(office, project).content.decode()
    assert "Saved the filter" in save(office, project, name="Filter 3").content.decode()


def test_filters_are_those_of_the_user_and_the_project(office, project, requester, client):
    save(office, project)
    tom = make_user("tom", project, "expert")
    row = SavedFilter.objects.get()
    client.force_login(tom)
    assert b">Open</a>" not in client.get(ITEMS).content
    url = reverse("projects:delete_filter", args=[project.slug, row.pk])
    client.post(url)
    assert SavedFilter.objects.get() == row
    other = make_project("other")
    assert other.saved_filters.count() == 0


def test_filter_is_deleted(office, project):
    save(office, project)
    url = reverse("projects:delete_filter", args=[project.slug, SavedFilter.objects.get().pk])
    assert office.post(url, follow=True).redirect_chain == [(ITEMS, 302)]
    assert not SavedFilter.objects.exists()


def test_query_is_escaped(office, project):
    save(office, project, name="<b>", query='text="><script>')
    page = office.get(ITEMS).content.decode()
    assert "&lt;b&gt;" in page
    assert "<script>" not in page.partition("<main")[2]
