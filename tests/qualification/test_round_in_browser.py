"""Browser tests of the pages of a round that act on several workers."""

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from projects.enums import MemberRole
from qualification.models import Enrolment, Feedback, Snippet
from tests.axe import LOOKS, axe_findings
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGES = ("invite", "publish", "round", "differences", "second_opinion")


@pytest.fixture
def open_page(chromium: Browser, live_server, settings, enrolment):
    """Return a function that opens a page as a member with all roles."""
    settings.ALLOWED_HOSTS = ["*"]
    settings.SITE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    client = Client()
    client.force_login(make_user("rita", enrolment.round.project, *MemberRole))
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value}
    opened = []

    def new(**options) -> Page:
        context = chromium.new_context(base_url=live_server.url, **options)
        context.add_cookies([{**cookie, "url": live_server.url}])
        opened.append(context)
        return context.new_page()

    yield new
    for context in opened:
        context.close()


def address(enrolment, name: str, *arguments: object) -> str:
    round = enrolment.round
    return reverse(f"qualification:{name}", args=[round.project.slug, round.pk, *arguments])


def add_candidates(enrolment) -> list[Enrolment]:
    """Add a worker of each state in the second round to those who can be invited to the first."""
    second = enrolment.round.project.rounds.last()
    return [
        Enrolment.objects.create(round=second, worker=make_worker(), state=state, enrolled_at=NOW)
        for state in ("passed", "to-decide", "declined")
    ]


def add_snippets(enrolment) -> None:
    project = enrolment.round.project
    trainer = make_user("tina", project, MemberRole.TRAINER)
    for text in ("Keep modals.", "Mark the whole phrase."):
        Snippet.objects.create(project=project, text=text, author=trainer, made_at=NOW)


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_pages_are_accessible_and_fit_their_width(open_page, enrolment, look):
    width, scheme = look
    add_candidates(enrolment)
    add_snippets(enrolment)
    page = open_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    findings = []
    for url in (
        *(address(enrolment, name) for name in PAGES),
        address(enrolment, "trainee", enrolment.worker.pseudonym),
        reverse("qualification:new_round", args=[enrolment.round.project.slug]),
    ):
        page.goto(url)
        findings += [(url, finding) for finding in axe_findings(page)]
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        findings += [(url, "too wide by", overflow)] if overflow > 0 else []
    assert findings == []


def test_workers_are_invited_by_ticking_them_all(open_page, enrolment):
    passed, undecided, declined = add_candidates(enrolment)
    page = open_page(viewport={"width": 1280, "height": 900})
    page.goto(address(enrolment, "invite"))
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(2)
    page.get_by_label("Show").select_option("turned-down")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text(declined.worker.pseudonym)
    page.get_by_label("Show").select_option("")
    expect(rows).to_have_count(2)
    page.get_by_role("checkbox", name="Select all on this page").check()
    expect(page.locator("[data-selection-count]")).to_have_text("2 selected")
    page.get_by_role("button", name="Invite the selected workers").press("Enter")
    expect(page.locator(".messages")).to_contain_text("2 workers are invited.")
    invited = enrolment.round.enrolments.filter(state="invited")
    assert {row.worker for row in invited} == {passed.worker, undecided.worker}


def test_feedback_and_decision_go_to_all_ticked_workers(open_page, enrolment):
    page = open_page(viewport={"width": 1280, "height": 900})
    page.goto(address(enrolment, "round"))
    page.get_by_label(f"Select {enrolment.worker.pseudonym}").check()
    page.get_by_label("Decision on the selected workers").select_option("repeat")
    expect(page.get_by_label("Send feedback with the decision")).to_be_checked()
    page.get_by_role("button", name="Decide …").press("Enter")
    expect(page.locator("main")).to_contain_text("Feedback to 1 worker: automatic feedback")
    page.get_by_role("button", name="Repeat the round: 1 worker").press("Enter")
    expect(page.locator(".messages")).to_contain_text("Decided on 1 worker.")
    assert Feedback.objects.get().sent_at
    enrolment.refresh_from_db()
    assert enrolment.state == "repeating"


def test_snippet_is_inserted_with_one_key(open_page, enrolment):
    add_snippets(enrolment)
    page = open_page(viewport={"width": 1280, "height": 900})
    page.goto(address(enrolment, "trainee", enrolment.worker.pseudonym))
    page.locator("html[data-ready]").wait_for()
    page.keyboard.press("j")
    page.keyboard.press("2")
    note = page.locator("[data-item] textarea").first
    expect(note).to_have_value("Mark the whole phrase.")
    expect(note).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    expect(note).to_have_value("Mark the whole phrase.\nKeep modals.")
    note.press("1")
    expect(note).to_have_value("Mark the whole phrase.\nKeep modals.1")
    page.get_by_role("button", name="Save the note as a snippet").first.press("Enter")
    page.locator("#snippets summary").press("Enter")
    expect(page.locator("#snippets li")).to_have_count(3)
