"""A worker's session in a real browser, from the crowd provider to the task pages and back."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.domain.publishing.publish import publish_batch
from crowd.models import Assignment, Study, StudySession
from crowd.providers.registry import PROVIDERS
from projects.domain.create_project import create_project
from projects.enums import BonusTiming
from tests.annotation.factories import NOW, make_item
from tests.axe import LOOKS, axe_findings
from tests.browser.work import AGENT, PATIENT, ask, box, ready, status, submit
from tests.fakes.prolific import FakeProlific, Options, running_prolific
from tests.prolific.campaign import Campaign, check_accounts, connect

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def server(live_server: LiveServer, settings, monkeypatch) -> Iterator[FakeProlific]:
    with running_prolific(options=Options(has_links=True)) as server:
        provider = connect(server)
        monkeypatch.setitem(PROVIDERS, "prolific", lambda: provider)
        settings.SITE_URL = live_server.url
        settings.PROLIFIC_WEBHOOKS = False
        settings.PROLIFIC_COMPLETION_URL = f"{server.url}/submissions/complete"
        monkeypatch.setattr("django.utils.timezone.now", server.clock)
        check_accounts(server.clock)
        yield server


@pytest.fixture
def campaign(server: FakeProlific) -> Campaign:
    return Campaign(server, [])


@pytest.fixture
def study(server: FakeProlific, campaign: Campaign) -> Study:
    """Return a published study of three items."""
    project = create_project(
        slug="news",
        scheme="qasrl",
        provider="prolific",
        bonus_timing=BonusTiming.AT_ONCE,
        now=NOW,
    )
    for terms in project.pay_scheme.values():
        terms["reward_cents"] = 30
    project.save()
    for _ in range(3):
        make_item(project)
    publish_batch(project=project, now=server.clock())
    campaign.sweep(times=3)
    return Study.objects.get()


@pytest.fixture
def participant(server: FakeProlific, study: Study):
    return server.participant()


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    """Yield a browser without the form policy, which uses the SITE_URL of the import time."""
    viewport = {"width": 1280, "height": 800}
    with chromium.new_context(viewport=viewport, bypass_csp=True) as context:
        context.set_default_timeout(10_000)
        yield context


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


def take(page: Page, server: FakeProlific, participant) -> Page:
    """Open the study on the page of the participant at the provider."""
    page.goto(f"{server.url}/participants/{participant.id}")
    page.get_by_role("button", name="Open study").click()
    expect(page.get_by_text("Tasks finished").first).to_be_visible()
    return page


def fact(page: Page, name: str) -> str:
    return page.locator("dt", has_text=name).locator("xpath=following-sibling::dd").inner_text()


def work(page: Page) -> None:
    """Annotate and submit the open task."""
    ready(page)
    ask(page, 1, AGENT, (0, 1))
    ask(page, 2, PATIENT, (3, 5))
    expect(status(page)).to_have_text("Saved")
    submit(page)


def test_session_from_arrival_over_a_pause_to_completion(
    server, campaign, context: BrowserContext, participant, page
):
    take(page, server, participant)
    assert fact(page, "Tasks finished") == "0 of 3"
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Start")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Task 1 of 3")).to_be_visible()
    work(page)
    expect(page.get_by_role("link", name="Task 2 of 3")).to_be_visible()
    ready(page)
    ask(page, 1, AGENT, (0, 1))
    expect(status(page)).to_have_text("Saved")
    page.close()

    campaign.sweep(minutes=3, times=5)  # after a break
    page = context.new_page()
    page.goto(participant.open())
    assert fact(page, "Tasks finished") == "1 of 3"
    assert fact(page, "Pay so far") == "$0.30"
    page.get_by_role("link", name="Continue").click()
    ready(page)
    expect(box(page, 1)).to_have_value(AGENT)
    ask(page, 2, PATIENT, (3, 5))
    submit(page)
    expect(page.get_by_role("link", name="Task 3 of 3")).to_be_visible()
    work(page)

    expect(page.get_by_text("You have finished all tasks of this session.")).to_be_visible()
    page.get_by_role("button", name="Finish and return to Prolific").click()
    expect(page.get_by_role("heading", name="Completed")).to_be_visible()
    campaign.sweep(minutes=10, times=3)
    assert participant.submissions[-1].status == "APPROVED"
    assert StudySession.objects.get().state == "approved"
    assert Assignment.objects.count() == 3


def test_lost_redirect_is_completed_by_the_site(
    server, campaign, context: BrowserContext, participant, page
):
    take(page, server, participant)
    page.get_by_role("link", name="Start").click()
    work(page)
    expect(page.get_by_role("link", name="Task 2 of 3")).to_be_visible()
    work(page)
    page.get_by_role("link", name="Task 3 of 3").click()
    context.route("**/session-finished*.js", lambda route: route.abort())
    page.get_by_role("button", name="Finish and return to Prolific").click()
    link = page.get_by_role("link", name="Return to Prolific")
    code = Study.objects.get().completion_code
    expect(link).to_have_attribute("href", f"{server.url}/submissions/complete?cc={code}")
    assert axe_findings(page) == []
    assert participant.submissions[-1].status == "ACTIVE"
    page.goto(participant.open())  # instead of following the link
    expect(page.get_by_role("heading", name="You are done")).to_be_visible()
    campaign.sweep(minutes=10, times=2)
    assert participant.submissions[-1].status == "APPROVED"


@pytest.mark.parametrize("look", LOOKS)
def test_pages_are_accessible_and_fit(server, chromium: Browser, participant, look):
    width, scheme = look
    viewport = {"width": width, "height": 740}
    with chromium.new_context(viewport=viewport, color_scheme=scheme) as context:
        page = take(context.new_page(), server, participant)
        addresses = [page.url, f"{page.url}?empty", f"{page.url[:-4]}/"]
        for address in addresses:
            page.goto(address)
            assert axe_findings(page) == [], address
            overflow = "document.documentElement.scrollWidth - window.innerWidth"
            assert page.evaluate(overflow) <= 0, address
            assert page.locator("main").count() == 1
