"""The editor of a scheme's definition, with mistakes by line and a preview of the worker's page."""

from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Page, expect

from projects.domain.resources import change_resource
from projects.enums import MemberRole
from projects.models import Project
from schemes.contract.scheme import DEFINITION
from tests.annotation.factories import NOW
from tests.axe import LOOKS, axe_findings
from tests.browser.custom import NAMES, make_custom_project
from tests.dashboard.campaign import make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


# Messages of Chromium about the preview's frame, and about refused text.
KNOWN = ("allow-scripts and allow-same-origin", "status of 422")


@pytest.fixture
def project(job_files) -> Project:
    return make_custom_project(NAMES)


@pytest.fixture
def open_context(
    chromium: Browser, live_server, project
) -> Iterator[Callable[..., BrowserContext]]:
    """Return a function that opens browsers of a requester, and check their consoles at the end."""
    client = Client()
    user = make_user("rita", project, MemberRole.REQUESTER)
    user.user_permissions.add(Permission.objects.get(codename="add_project"))
    client.force_login(user)
    session = {"name": "sessionid", "value": client.cookies["sessionid"].value}
    opened: list[BrowserContext] = []
    complaints: list[str] = []

    def new(**options) -> BrowserContext:
        context = chromium.new_context(base_url=live_server.url, **options)
        context.set_default_timeout(10_000)
        context.add_cookies([{**session, "url": live_server.url}])
        context.on("console", lambda message: complaints.append(message.text))
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        opened.append(context)
        return context

    yield new
    for context in opened:
        context.close()
    assert [text for text in complaints if not any(known in text for known in KNOWN)] == []


def address(name: str = "resource", *more: int) -> str:
    return reverse(f"consolidation:{name}", args=["custom", DEFINITION, *more])


def open_editor(context: BrowserContext) -> Page:
    page = context.new_page()
    page.goto(address())
    expect(page.locator("[data-state]")).to_have_text("No mistakes.")
    return page


def editor(page: Page):
    return page.get_by_role("textbox", name="Definition in YAML")


def replace(page: Page, old: str, new: str) -> None:
    """Select a part of the text and type over it."""
    start = editor(page).input_value().index(old)
    editor(page).evaluate(
        "(box, [start, end]) => { box.focus(); box.setSelectionRange(start, end); }",
        [start, start + len(old)],
    )
    page.keyboard.type(new)


def test_preview_is_a_page_that_works(open_context):
    page = open_editor(open_context(viewport={"width": 1280, "height": 900}))
    frame = page.frame_locator("[data-frame]")
    expect(frame.get_by_role("heading", name="Names and relations")).to_be_visible()
    replace(page, "title: Names and relations", "title: People")
    expect(frame.get_by_role("heading", name="People")).to_be_visible()
    frame.locator("[role=option]").first.click()
    frame.get_by_role("button", name="Person").first.click()
    expect(frame.locator(".spans__text")).to_have_count(1)
    frame.locator(".spans__attribute select").select_option("certain")
    frame.get_by_role("button", name="Submit").click()
    expect(frame.get_by_role("region", name="The content of a submission")).to_contain_text('"PER"')


def test_mistakes_lead_to_their_lines_and_leave_the_preview(open_context):
    page = open_editor(open_context(viewport={"width": 1280, "height": 900}))
    replace(page, "type: spans", "type: span")
    expect(page.locator("[data-state]")).to_contain_text("mistake")
    link = page.locator("[data-mistakes] button").first
    text = editor(page).input_value()
    line = text[: text.index("type: span")].count("\n") + 1
    expect(link).to_have_text(f"Line {line}")
    expect(page.locator("[data-lines] b")).to_have_text([str(line)])
    link.click()
    expect(editor(page)).to_be_focused()
    selected = editor(page).evaluate("box => box.value.slice(box.selectionStart, box.selectionEnd)")
    assert selected.strip() == "type: span"
    frame = page.frame_locator("[data-frame]")
    expect(frame.get_by_role("heading", name="Names and relations")).to_be_visible()
    page.get_by_role("button", name="Save as new version").click()
    expect(page.get_by_text("Correct the mistakes below.")).to_be_visible()
    expect(editor(page)).to_have_value(text)


def test_change_is_undone_by_the_browser_and_saved_as_a_version(open_context, project):
    page = open_editor(open_context(viewport={"width": 1280, "height": 900}))
    saved = editor(page).input_value()
    replace(page, "Mark every name.", "Mark all names.")
    page.get_by_role("button", name="Back to the saved version").click()
    expect(editor(page)).to_have_value(saved)
    page.keyboard.press("Control+z")
    assert "Mark all names." in editor(page).input_value()
    # Text that is not saved survives a visit to another page.
    page.once("dialog", lambda dialog: dialog.accept())
    page.goto(address())
    page.get_by_role("button", name="Restore my unsaved text").click()
    assert "Mark all names." in editor(page).input_value()
    page.get_by_role("button", name="Save as new version").click()
    expect(page.get_by_text("Version 2 saved.")).to_be_visible()
    page.get_by_role("link", name="Compare with version 1").click()
    expect(page.locator("ins")).to_have_text("instructions: Mark all names.")
    expect(page.locator("del")).to_have_text("instructions: Mark every name.")


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_pages_are_accessible_and_stay_in_their_width(open_context, project, look):
    width, colours = look
    value = {**NAMES, "title": "Only names"}
    change_resource(project=project, name=DEFINITION, value=value, actor="me", now=NOW)
    context = open_context(viewport={"width": width, "height": 800}, color_scheme=colours)
    page = open_editor(context)
    check(page)
    replace(page, "type: spans", "type: span")
    expect(page.locator("[data-mistakes] button")).not_to_have_count(0)
    check(page)
    page.once("dialog", lambda dialog: dialog.accept())
    page.goto(address("resource_version", 2))
    check(page)


def check(page: Page) -> None:
    assert axe_findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_new_project_offers_starters_in_two_clicks(open_context):
    page = open_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(reverse("projects:project_new"))
    starter = page.get_by_role("radio", name="Translation errors")
    expect(starter).to_be_hidden()
    page.get_by_role("radio", name="Custom").check()
    starter.check()
    assert axe_findings(page) == []
    page.get_by_label("Title").fill("Errors")
    page.get_by_role("button", name="Create project").click()
    expect(page.get_by_text("Errors created.")).to_be_visible()
    project = Project.objects.get(slug="errors")
    assert project.resources.get().value["title"] == "Translation errors"
