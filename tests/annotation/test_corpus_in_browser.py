"""Browser tests of corpora from anybody's tables: the choice of columns and of the encoding."""

import time

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Sentence
from jobs.domain.run_jobs import run_next_job
from jobs.enums import UNFINISHED
from jobs.models import Job
from projects.domain.create_project import create_project
from projects.enums import MemberRole
from tests.annotation.factories import NOW
from tests.axe import axe_findings
from tests.dashboard.campaign import make_user
from tests.dashboard.test_in_browser import NARROW, WIDE, open_context
from tests.schemes.workbooks import separated_bytes, workbook_bytes

__all__ = ["open_context"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
READING = "Reading the file"
TIMEOUT_MS = 30_000  # milliseconds, because the machine also runs other tests
ROWS = [("a:1", "Mary sold a hat."), ("a:2", "The dog barked.")]


@pytest.fixture
def project(job_files):
    return create_project(slug="corpus", scheme="qasrl", now=NOW)


@pytest.fixture
def office(project, client):
    client.force_login(make_user("rita", project, MemberRole.REQUESTER))
    return client


@pytest.fixture
def site(live_server, office, settings) -> str:
    settings.ALLOWED_HOSTS = ["*"]
    return live_server.url


def upload(page: Page, name: str, content: bytes) -> None:
    page.goto(reverse("annotation:corpus", args=["corpus"]))
    choose_file(page, name, content)
    show_preview(page)


def choose_file(page: Page, name: str, content: bytes) -> None:
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    page.get_by_label("Sentences", exact=True).set_input_files(file)
    page.get_by_role("button", name="Preview").click()


def show_preview(page: Page) -> None:
    """Wait for the page of an upload, and for what a worker process reads for it."""
    expect(page.get_by_role("heading", name="How to read the file")).to_be_visible(
        timeout=TIMEOUT_MS
    )
    end = time.monotonic() + TIMEOUT_MS / 1000
    # Choices that were made quickly may queue more than one check.
    while run_next_job(clock=lambda: NOW) or page.get_by_text(READING).count():
        assert time.monotonic() < end
        page.wait_for_timeout(100)
        reload = page.get_by_role("link", name="Reload this page")
        if reload.is_visible():  # a page without scripts
            reload.click()


def import_all(page: Page) -> list[tuple[str, list[str]]]:
    page.get_by_role("button", name="Import 2 sentences").click()
    expect(page.get_by_text("The corpus is being imported")).to_be_visible(timeout=TIMEOUT_MS)
    run_next_job(clock=lambda: NOW)
    return list(Sentence.objects.order_by("pk").values_list("external_id", "tokens"))


EXPECTED = [
    ("a:1", ["Mary", "sold", "a", "hat", "."]),
    ("a:2", ["The", "dog", "barked", "."]),
]


def test_workbook_becomes_a_corpus(open_context):
    page = open_context(viewport=NARROW, color_scheme="dark").new_page()
    upload(page, "book.xlsx", workbook_bytes(("id", "text"), ROWS))
    expect(page.get_by_text("Sheet Data of the workbook.")).to_be_visible()
    expect(page.get_by_label("text", exact=True)).to_have_value("text")
    assert axe_findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    assert import_all(page) == EXPECTED


@pytest.mark.parametrize("has_scripts", [True, False])
def test_columns_with_other_names_are_chosen_by_keyboard(open_context, has_scripts):
    page = open_context(viewport=WIDE, java_script_enabled=has_scripts).new_page()
    rows = [(text, "He ran .", name) for name, text in ROWS]
    upload(page, "a.csv", separated_bytes(("p", "q", "Nr"), rows, ";"))
    expect(page.get_by_text("The columns are separated by semicolons.")).to_be_visible()
    expect(page.get_by_label("text", exact=True)).to_have_value("p")
    choices = (("text", "q", "He ran ."), ("id", "Nr", "a:1"), ("text", "p", "Mary sold a hat."))
    for column, theirs, shown in choices:
        choice = page.get_by_label(column, exact=True)
        choice.focus()
        page.keyboard.type(theirs)
        page.keyboard.press("Tab")
        expect(choice).to_have_value(theirs)
        if has_scripts:
            expect(page.get_by_text(READING)).to_be_visible(timeout=TIMEOUT_MS)
            show_preview(page)
            region = page.get_by_role("region", name="The first sentences")
            expect(region.get_by_text(shown, exact=True).first).to_be_visible(timeout=TIMEOUT_MS)
    if not has_scripts:
        page.get_by_role("button", name="Read again").click()
        show_preview(page)
    expect(page.get_by_role("rowheader", name="a:1")).to_be_visible(timeout=TIMEOUT_MS)
    expect(page.get_by_role("cell", name="Mary sold a hat.").last).to_be_visible()
    assert axe_findings(page) == [] if has_scripts else True
    assert import_all(page) == EXPECTED


def test_last_of_several_quick_choices_counts(open_context):
    page = open_context(viewport=WIDE).new_page()
    rows = [(name, "She slept .", "He ran .", text) for name, text in ROWS]
    upload(page, "book.xlsx", workbook_bytes(("Nr", "Text", "Other", "Last"), rows))
    for theirs in ("Nr", "Other", "Nr"):
        page.get_by_label("id", exact=True).select_option(theirs)
        page.get_by_label("text", exact=True).select_option(theirs)
    page.get_by_label("text", exact=True).select_option("Last")
    last = page.locator("#preview").get_by_role("cell", name="Mary sold a hat.")
    end = time.monotonic() + TIMEOUT_MS / 1000
    while not last.is_visible():
        assert time.monotonic() < end
        show_preview(page)
    expect(page.get_by_role("rowheader", name="a:1")).to_be_visible(timeout=TIMEOUT_MS)
    expect(page.get_by_text("Choose a different column for each.")).to_be_hidden()
    assert not Job.objects.filter(kind="corpus-check", state__in=UNFINISHED).exists()
    assert import_all(page) == EXPECTED


def test_waiting_preview_is_loaded_twice_per_second(open_context):
    page = open_context(viewport=WIDE).new_page()
    page.goto(reverse("annotation:corpus", args=["corpus"]))
    choose_file(page, "a.csv", separated_bytes(("id", "text"), ROWS, ","))
    expect(page.get_by_text(READING)).to_be_visible(timeout=TIMEOUT_MS)
    loads: list[str] = []
    page.on("request", lambda request: loads.append(request.url))
    page.wait_for_timeout(3000)
    assert 1 <= len(loads) <= 6
    show_preview(page)
    expect(page.get_by_role("rowheader", name="a:1")).to_be_visible(timeout=TIMEOUT_MS)


def test_cyrillic_file_is_read_after_its_encoding_is_chosen(open_context):
    page = open_context(viewport=NARROW).new_page()
    rows = [("a:1", "Мария sold шляпу ."), ("a:2", "The dog barked .")]
    content = separated_bytes(("Номер", "Текст"), rows, ";").decode().encode("windows-1251")
    upload(page, "a.csv", content)
    expect(page.get_by_text("is not UTF-8 text")).to_be_visible()
    expect(page.get_by_role("row", name="Windows-1251 (Cyrillic) Номер;Текст")).to_be_visible()
    assert axe_findings(page) == []
    page.get_by_label("Text encoding").select_option("windows-1251")
    expect(page.get_by_text(READING)).to_be_visible(timeout=TIMEOUT_MS)
    show_preview(page)
    expect(page.get_by_role("cell", name="Мария sold шляпу .").last).to_be_visible(
        timeout=TIMEOUT_MS
    )
    expect(page.get_by_label("text", exact=True)).to_have_value("Текст")
    tokens = [tokens for _, tokens in import_all(page)]
    assert tokens[0] == ["Мария", "sold", "шляпу", "."]
