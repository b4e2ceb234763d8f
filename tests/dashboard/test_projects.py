import re

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from consolidation.domain.gold.add_gold import add_gold
from crowd.domain.provider.hold_publishing import hold_publishing
from dashboard.menu import MENU, UNDER
from dashboard.protocol import progress_of, steps_of
from projects.enums import MemberRole
from tests.dashboard.campaign import START, make_project, make_user
from tests.view_names import VIEW_NAMES

URL = "/"


def test_list_shows_the_projects_of_a_member(office, campaign):
    make_project("hidden")
    page = office.get(URL).content.decode()
    assert "Project demo" in page
    assert "Project hidden" not in page


def test_list_counts_items_gold_and_dollars(office, campaign, project):
    page = office.get(URL).content.decode()
    row = re.findall(r'class="number"\s+data-label="[^"]*">([^<]*)<', page)
    assert row == ["12", "3", f"${project.budget.spent_cents / 100:.2f}"]


def test_list_and_overview_count_the_same_items_and_gold(office, campaign, project):
    done, open_item = (
        project.items.exclude(gold=None).first(),
        project.items.filter(gold=None).first(),
    )
    project.items.filter(pk=done.pk).update(in_production=False)
    add_gold(item=open_item, source="expert", content={"questions": []}, provenance=[], now=START)
    page = office.get(URL).content.decode()
    row = re.findall(r'class="number"\s+data-label="[^"]*">([^<]*)<', page)
    gold = next(step for step in steps_of(progress_of(project=project)) if step.name == "gold")
    assert row[:2] == [str(gold.total), str(gold.done)] == ["11", "2"]


def test_empty_list_shows_an_administrator_how_to_start(client, db):
    client.force_login(get_user_model().objects.create_superuser("root"))
    page = client.get(URL).content.decode()
    assert reverse("projects:project_new") in page
    assert "tutorials/first-dataset.md" in page


def test_empty_list_shows_others_whom_to_contact(client, db):
    client.force_login(make_user("newcomer"))
    assert b"when you become a member" in client.get(URL).content


def test_unknown_address_shows_our_error_page(office):
    response = office.get("/projects/nothing/")
    assert response.status_code == 404
    assert b"Page not found" in response.content


def test_menu_offers_only_what_the_role_may_open(client, project):
    client.force_login(make_user("eva", project, MemberRole.EXPERT))
    page = client.get(reverse("dashboard:project", args=[project.slug])).content.decode()
    assert reverse("consolidation:items", args=[project.slug]) in page
    assert reverse("datasets:costs", args=[project.slug]) not in page
    assert reverse("annotation:publish", args=[project.slug]) not in page


def test_menu_shows_the_group_of_the_open_page(office, project):
    page = office.get(reverse("datasets:ledger", args=[project.slug])).content.decode()
    menu = page[page.index("header__menu") : page.index("</nav>")]
    marked = re.findall(r'href="([^"]+)"\s+aria-current="(\w+)">([^<]+)<', menu)
    costs, ledger = (reverse(VIEW_NAMES[name], args=[project.slug]) for name in ("costs", "ledger"))
    assert marked == [(costs, "true", "Costs"), (ledger, "page", "Ledger")]
    # The menu has no pages of other groups.
    assert reverse("datasets:exports", args=[project.slug]) not in menu


@pytest.mark.parametrize(
    ("page", "entry"),
    [
        ("qualification:groups", "qualification:rounds"),
        ("annotation:publish", "consolidation:batches"),
        ("annotation:rejections", "consolidation:submissions"),
    ],
)
def test_page_without_a_menu_entry_marks_its_parent(office, project, page, entry):
    html = office.get(reverse(page, args=[project.slug])).content.decode()
    menu = html[html.index("header__menu") : html.index("</nav>")]
    assert re.findall(r'href="([^"]+)"\s+aria-current="page"', menu) == [
        reverse(entry, args=[project.slug])
    ]


def test_pages_without_a_menu_entry_have_a_parent_entry():
    entries = {route for _, pages in MENU for route, _ in pages}
    assert set(UNDER.values()) <= entries
    assert not entries & set(UNDER)


def test_expired_form_shows_our_error_page(requester, project):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(requester)
    response = strict.post(reverse("annotation:publish", args=[project.slug]), {"count": 1})
    assert response.status_code == 403
    assert b"This form has expired" in response.content


def test_pace_before_the_first_annotation_is_that_of_a_day(office, project):
    page = office.get(reverse("dashboard:project", args=[project.slug])).content.decode()
    assert "Annotations, last 24 h" in page


def test_overview_shows_held_publishing_with_the_command(office, project):
    url = reverse("dashboard:project", args=[project.slug])
    assert b"recover_hits" not in office.get(url).content
    hold_publishing(reason="Restored from a backup.", actor="restore", now=timezone.now())
    page = office.get(url).content.decode()
    assert "Publishing is on hold" in page
    assert "manage.py recover_hits" in page
