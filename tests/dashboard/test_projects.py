from django.contrib.auth import get_user_model
from django.urls import reverse

from tests.dashboard.campaign import make_project, make_user

URL = "/"


def test_list_shows_a_members_own_projects(office, campaign):
    make_project("hidden")
    page = office.get(URL).content.decode()
    assert "Project demo" in page
    assert "Project hidden" not in page


def test_list_counts_items_gold_and_dollars(office, campaign, project):
    page = office.get(URL).content.decode()
    row = [part.split("<")[0].strip() for part in page.split('class="number">')[1:]][3:]
    assert row == ["12", "3", f"${project.budget.spent_cents / 100:.2f}"]


def test_empty_list_tells_an_administrator_how_to_begin(client, db):
    client.force_login(get_user_model().objects.create_superuser("root"))
    assert b"create_project my-corpus" in client.get(URL).content


def test_empty_list_tells_others_whom_to_ask(client, db):
    client.force_login(make_user("newcomer"))
    assert b"An administrator gives you a role" in client.get(URL).content


def test_unknown_address_answers_with_our_page(office):
    response = office.get("/projects/nothing/")
    assert response.status_code == 404
    assert b"There is nothing here" in response.content


def test_menu_offers_only_what_the_role_may_open(client, project):
    from annotation.enums import MemberRole

    client.force_login(make_user("eva", project, MemberRole.EXPERT))
    page = client.get(reverse("dashboard:project", args=[project.slug])).content.decode()
    assert reverse("dashboard:items", args=[project.slug]) in page
    assert reverse("dashboard:costs", args=[project.slug]) not in page
    assert reverse("dashboard:publish", args=[project.slug]) not in page
