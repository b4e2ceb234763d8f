"""The pages of a lexicon in a real browser, with accessibility, layout and keyboard use."""

import os
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Page, expect

from projects.enums import MemberRole
from projects.models import Project
from tests.annotation.uploads import run_jobs
from tests.axe import LOOKS, axe_findings
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user
from tests.schemes.frames.projects import (
    SAMPLE,
    content_of,
    import_sample,
    make_frames_project,
    make_record,
    settle,
    submit,
    write_lexicon,
)

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SHOTS = os.environ.get("SHOTS", "")


@pytest.fixture
def project(job_files) -> Project:
    return make_frames_project()


@pytest.fixture
def open_context(
    chromium: Browser, live_server, project
) -> Iterator[Callable[..., BrowserContext]]:
    """Return a function that opens browsers of a requester, and check their consoles at the end."""
    client = Client()
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
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
    # The console contains an entry for a refused upload.
    assert [text for text in complaints if "422" not in text] == []


def address(name: str = "resource", *more: str) -> str:
    return reverse(f"consolidation:{name}", args=["frames", "lexicon", *more])


def check(page: Page, name: str) -> None:
    if SHOTS:
        page.screenshot(path=Path(SHOTS, f"{name}.png"), full_page=True)
    assert axe_findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_pages_are_accessible_and_stay_in_their_width(open_context, project, tmp_path, look):
    width, scheme = look
    view = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    page = open_context(**view).new_page()
    page.goto(address())
    expect(page.get_by_role("heading", name="No version yet")).to_be_visible()
    check(page, f"empty-{width}-{scheme}")
    import_sample(project)
    submit(make_record(project))
    page.goto(address())
    check(page, f"frames-{width}-{scheme}")
    page.goto(address("resource_entry", "Commerce_buy"))
    check(page, f"frame-{width}-{scheme}")
    for lemma in ("hock", "palm_off"):
        item = make_record(project, lemma)
        submit(item, content_of(lemma=lemma))
        settle(item)
    page.goto(address("proposals"))
    check(page, f"proposals-{width}-{scheme}")
    path = write_lexicon(tmp_path, ["Giving"])
    import_sample(project, path=path, now=NOW + timedelta(hours=1))
    page.goto(f"{address()}?check=1")
    expect(page.get_by_text("The frame Commerce_sell does not exist.")).to_be_visible()
    check(page, f"lost-{width}-{scheme}")
    page.get_by_label("File or zip archive").set_input_files(path)
    page.get_by_label("Format").select_option("framenet")
    page.get_by_role("button", name="Save as new version").click()
    expect(page.get_by_text("Importing lexicon.json.")).to_be_visible()
    check(page, f"importing-{width}-{scheme}")
    run_jobs()
    expect(page.get_by_text("is neither a folder nor a complete zip file")).to_be_visible()
    check(page, f"refused-{width}-{scheme}")


def test_lexicon_is_imported_searched_and_read_by_keyboard(open_context):
    page = open_context().new_page()
    page.goto(address())
    page.get_by_label("File or zip archive").set_input_files(SAMPLE)
    page.get_by_label("Format").select_option("json")
    page.get_by_role("button", name="Save as new version").press("Enter")
    expect(page.get_by_role("status").get_by_text(f"Importing {SAMPLE.name}.")).to_be_visible()
    run_jobs()
    expect(page.get_by_role("status").get_by_text("Version 1 was imported")).to_be_visible()
    page.get_by_role("textbox", name="Search").focus()
    page.keyboard.type("come from")
    page.keyboard.press("Enter")
    rows = page.locator("#rows tbody tr")
    expect(rows).to_have_count(1)
    assert "query=come+from" in page.url
    link = page.get_by_role("link", name="Origin")
    link.focus()
    link.press("Enter")
    expect(page.get_by_role("heading", name="Origin", level=1)).to_be_visible()
    parent = page.get_by_role("link", name="State")
    parent.focus()
    parent.press("Enter")
    expect(page.get_by_role("heading", name="State", level=1)).to_be_visible()
    expect(page.get_by_text("Is inherited by")).to_be_visible()


def test_units_are_accepted_rejected_and_restored_by_keyboard(open_context, project):
    import_sample(project)
    for lemma in ("hock", "palm_off"):
        item = make_record(project, lemma)
        submit(item, content_of(lemma=lemma))
        settle(item)
    page = open_context().new_page()
    page.goto(address())
    page.get_by_role("link", name="Lexical units that annotations propose").press("Enter")
    page.get_by_role("checkbox", name="Select hock").press("Space")
    page.get_by_role("button", name="Accept selected").press("Enter")
    expect(page.get_by_text("Added 1 lexical unit to a new version.")).to_be_visible()
    page.get_by_role("checkbox", name="Select palm off").press("Space")
    page.get_by_role("button", name="Reject selected").press("Enter")
    expect(page.get_by_text("No lexical units to decide about")).to_be_visible()
    page.get_by_role("link", name="Show the 1 rejected").press("Enter")
    page.get_by_role("checkbox", name="Select palm off").press("Space")
    page.get_by_role("button", name="Restore selected").press("Enter")
    expect(page.get_by_text("Restored 1 lexical unit.")).to_be_visible()
    expect(page.get_by_text("No lexical units are rejected.")).to_be_visible()


def test_pages_work_without_scripts(open_context, project):
    import_sample(project)
    page = open_context(java_script_enabled=False).new_page()
    page.goto(address())
    for rows in (25, 15):
        page.get_by_role("link", name="Next").click()
        expect(page.locator("#rows tbody tr")).to_have_count(rows)
    page.get_by_role("textbox", name="Search").fill("commerce")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#rows tbody tr").first).to_contain_text("Commerce_buy")
