"""“Protocols compared” and the validators' figures in a real browser, with and without scripts."""

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from projects.models import Project
from tests.axe import LOOKS, axe_findings
from tests.consolidation.validation import make_validated_project
from tests.dashboard.campaign import Campaign, make_project

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def boss(live_server, settings) -> str:
    """Return the session key of a superuser."""
    settings.ALLOWED_HOSTS = ["*"]
    client = Client()
    client.force_login(get_user_model().objects.create_superuser("boss"))
    return client.cookies["sessionid"].value


@pytest.fixture
def two_projects(boss) -> list[Project]:
    """Create two campaigns over the same items."""
    projects = [make_project(), make_project("dense")]
    for project in projects:
        Campaign(project, 12)
    return projects


def check(page: Page) -> None:
    assert axe_findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize("look", LOOKS, ids=str)
@pytest.mark.usefixtures("two_projects")
def test_pages_are_accessible_and_do_not_overflow(chromium: Browser, live_server, boss, look):
    validated = make_validated_project()
    width, scheme = look
    viewport = {"width": width, "height": 800}
    with chromium.new_context(
        base_url=live_server.url, viewport=viewport, color_scheme=scheme
    ) as context:
        context.add_cookies([{"name": "sessionid", "value": boss, "url": live_server.url}])
        page = context.new_page()
        page.goto(reverse("datasets:protocols", args=["demo"]))
        check(page)
        page.get_by_label("Compare with").select_option(label="Project dense (consolidation)")
        page.get_by_role("button", name="Compare").press("Enter")
        expect(page.get_by_role("row", name="Roles per item")).to_contain_text("3.00")
        check(page)
        page.goto(reverse("datasets:protocols", args=["demo"]) + f"?other={validated.slug}")
        expect(page.get_by_role("heading", name="Nothing in common yet")).to_be_visible()
        check(page)
        page.goto(reverse("datasets:agreement", args=[validated.slug]))
        expect(page.get_by_role("heading", name="Validators")).to_be_visible()
        check(page)
        page.goto(reverse("dashboard:project", args=[validated.slug]))
        check(page)


def test_comparison_works_without_scripts(chromium: Browser, live_server, boss, two_projects):
    with chromium.new_context(base_url=live_server.url, java_script_enabled=False) as context:
        context.add_cookies([{"name": "sessionid", "value": boss, "url": live_server.url}])
        page = context.new_page()
        page.goto(reverse("datasets:protocols", args=["demo"]))
        page.get_by_role("button", name="Compare").click()
        expect(page.get_by_text("3 items in common")).to_be_visible()
