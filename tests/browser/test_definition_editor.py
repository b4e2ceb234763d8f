"""The editor of a scheme's definition, with mistakes by line and a preview of the worker's page."""

from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

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
    heights = page.locator(".text-diff tbody tr").evaluate_all(
        "rows => rows.map(row => row.offsetHeight)"
    )
    assert max(heights) < 40  # a line each
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


def tab_to(page: Page, target: Locator, *, most: int = 60) -> None:
    """Press Tab until an element has the focus, which is always in the window."""
    for _ in range(most):
        page.keyboard.press("Tab")
        focused = page.locator(":focus")
        if focused.count():
            expect(focused).to_be_in_viewport()
        if target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"{target} was not reached by {most} tabs")


def test_keyboard_alone_corrects_a_mistake_and_saves_on_a_small_screen(open_context):
    page = open_editor(open_context(viewport={"width": 360, "height": 740}))
    tab_to(page, editor(page))
    page.keyboard.press("Control+End")
    page.keyboard.type("\nsumary: People and their jobs.")
    mistake = page.locator("[data-mistakes] button").first
    expect(mistake).to_be_visible()
    # Tab leaves the text, and the mistake leads back to its line.
    tab_to(page, mistake)
    page.keyboard.press("Enter")
    expect(editor(page)).to_be_focused()
    page.keyboard.type("summary: People and their jobs.")
    expect(page.locator("[data-state]")).to_have_text("No mistakes.")
    tab_to(page, page.get_by_role("button", name="Save as new version"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("Version 2 saved.")).to_be_visible()
    assert "summary: People and their jobs." in editor(page).input_value()


def test_markup_in_a_definition_is_shown_as_text(open_context, project):
    markup = "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>"
    label = {"key": "PER", "label": markup, "help": markup}
    names = {"key": "names", "type": "spans", "label": markup, "help": markup, "labels": [label]}
    value = {"title": markup, "instructions": markup, "fields": [names]}
    change_resource(project=project, name=DEFINITION, value=value, actor="me", now=NOW)
    context = open_context(viewport={"width": 1280, "height": 900})
    page = open_editor(context)
    frame = page.frame_locator("[data-frame]")
    expect(frame.get_by_role("heading", name=markup, level=1)).to_be_visible()
    expect(
        frame.get_by_role("group", name=markup).or_(frame.get_by_text(markup)).first
    ).to_be_visible()
    for shown in (page, frame):
        assert shown.locator("img[src=x], script:not([src]):has-text('run')").count() == 0
    for name, *more in (("resource",), ("resource_version", 2), ("resources",)):
        page.goto(
            reverse("consolidation:resources", args=["custom"])
            if name == "resources"
            else address(name, *more)
        )
        assert page.locator("img[src=x]").count() == 0
        assert page.title() != "run"


def test_editor_links_to_the_reference_and_keeps_the_indentation(open_context):
    context = open_context(viewport={"width": 1280, "height": 900})
    page = open_editor(context)
    with context.expect_page() as opened:
        page.get_by_role("link", name="All keys and their values").click()
    expect(opened.value.get_by_role("heading", level=1)).to_contain_text("efinition")
    replace(page, "title: Names and relations", "title: Names")
    editor(page).evaluate("box => box.setSelectionRange(box.value.length, box.value.length)")
    page.keyboard.type("examples:\n- title: One\ntexts: {text: Ada}\nanswers: {}")
    assert (
        editor(page)
        .input_value()
        .endswith("examples:\n- title: One\n  texts: {text: Ada}\n  answers: {}")
    )
    page.keyboard.press("Control+z")
    assert not editor(page).input_value().endswith("answers: {}")


def test_empty_text_is_a_mistake_that_says_what_to_do(open_context):
    page = open_editor(open_context(viewport={"width": 1280, "height": 900}))
    editor(page).fill("")
    expect(page.locator("[data-mistakes] li")).to_have_text(
        "Write the definition. An empty text can't be saved."
    )


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
