"""Sessions of participants on a phone, from the consent to the pay, in a real browser at 360 px."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from annotation.domain.publishing.publish import publish_batch
from annotation.models import Consent
from crowd.models import Assignment, Study, StudySession
from projects.domain.create_project import create_project
from projects.enums import BonusTiming
from tests.annotation.factories import NOW, make_item
from tests.annotation.onboarding import publish_text
from tests.axe import axe_findings
from tests.browser.test_sessions import campaign, server
from tests.browser.work import AGENT, PATIENT, ask, ready, status, submit
from tests.prolific.campaign import ledger_cents, wallet_cents

__all__ = ["campaign", "server"]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ITEMS = 6
REWARD_CENTS = 30


@pytest.fixture
def study(server, campaign) -> Study:
    project = create_project(
        slug="news", scheme="qasrl", provider="prolific", bonus_timing=BonusTiming.AT_ONCE, now=NOW
    )
    for terms in project.pay_scheme.values():
        terms["reward_cents"] = REWARD_CENTS
    project.contact = "Language Lab, lab@example.org"
    project.save()
    publish_text(project)
    for _ in range(ITEMS):
        make_item(project)
    publish_batch(project=project, now=server.clock())
    campaign.sweep(times=3)
    return Study.objects.get()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """Yield a phone's page without the form policy, which uses the SITE_URL of the import time."""
    viewport = {"width": 360, "height": 740}
    with chromium.new_context(viewport=viewport, has_touch=True, bypass_csp=True) as context:
        context.set_default_timeout(10_000)
        yield context.new_page()


@pytest.fixture
def participant(server, study):
    return server.participant()


def home(server, participant) -> str:
    return f"{server.url}/participants/{participant.id}"


def check_page(page: Page) -> None:
    """Check that the page fits its width, and has no accessibility problem."""
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, page.url
    assert axe_findings(page) == [], page.url


def arrive(page: Page, server, participant) -> None:
    page.goto(home(server, participant))
    page.get_by_role("button", name="Open study").click()
    expect(page.get_by_role("region", name="Consent text")).to_be_visible()


def consent(page: Page) -> None:
    page.get_by_label("I have read this text").check()
    page.get_by_role("button", name="Agree and continue").click()
    expect(page.get_by_text("Tasks finished").first).to_be_visible()


def work(page: Page, number: int) -> None:
    expect(page.get_by_role("link", name=f"Task {number} of {ITEMS}")).to_be_visible()
    ready(page)
    ask(page, 1, AGENT, (0, 1))
    ask(page, 2, PATIENT, (3, 5))
    expect(status(page)).to_have_text("Saved")
    submit(page)


def return_place(page: Page, server, participant) -> None:
    page.goto(home(server, participant))
    page.get_by_role("button", name="Return").click()
    expect(page.get_by_role("button", name="Return")).to_have_count(0)


def test_participant_consents_and_works_three_tasks(server, campaign, page, participant):
    arrive(page, server, participant)
    expect(page.locator("main")).to_contain_text(f"up to {ITEMS} tasks, $1.80.")
    expect(page.locator("main")).to_contain_text("Contact: Language Lab, lab@example.org")
    check_page(page)
    consent(page)
    assert Consent.objects.count() == 1
    check_page(page)
    page.get_by_role("link", name="Start").click()
    for number in (1, 2, 3):
        work(page, number)
    page.get_by_role("link", name=f"Task 4 of {ITEMS}").click()
    page.get_by_role("button", name="Finish and return to Prolific").click()
    expect(page.get_by_role("heading", name="Completed")).to_be_visible()
    campaign.sweep(minutes=10, times=3)
    campaign.settle()
    assert participant.submissions[-1].status == "APPROVED"
    assert ledger_cents() == wallet_cents(server)

    page.goto(participant.arrival_url(participant.submissions[-1]))
    expect(page.get_by_role("heading", name="This session is over")).to_be_visible()
    expect(page.locator("main")).to_contain_text("The 3 tasks that you submitted are saved")
    check_page(page)


def test_participant_declines(server, campaign, page, participant):
    arrive(page, server, participant)
    page.get_by_role("button", name="I don’t take part").click()
    expect(page.get_by_role("heading", name="You chose not to take part")).to_be_visible()
    check_page(page)
    page.get_by_role("link", name="Return to Prolific").click()
    expect(page.get_by_role("heading", name="Completed")).to_be_visible()
    return_place(page, server, participant)
    campaign.sweep(minutes=15, times=2)
    row = StudySession.objects.get()
    assert (row.state, row.issue) == ("returned", "")
    assert Consent.objects.count() == Assignment.objects.count() == 0


def test_participant_leaves_early_and_is_paid_by_bonus(server, campaign, page, participant):
    arrive(page, server, participant)
    consent(page)
    page.get_by_role("link", name="Start").click()
    work(page, 1)
    page.get_by_role("link", name=f"Task 2 of {ITEMS}").click()
    page.get_by_role("button", name="Leave early").click()
    expect(page.get_by_role("heading", name="Return your place at Prolific")).to_be_visible()
    expect(page.locator("main")).to_contain_text("you are paid $0.30")
    check_page(page)
    return_place(page, server, participant)
    campaign.sweep(minutes=15, times=2)
    campaign.settle()
    paid = [(row.kind, row.amount) for row in server.movements]
    work_cents = sum(amount for _, amount in paid)
    assert {kind for kind, _ in paid} == {"bonus"}
    assert work_cents >= REWARD_CENTS
    assert ledger_cents() == wallet_cents(server)


def test_time_runs_out_during_a_task(server, campaign, page, participant):
    arrive(page, server, participant)
    consent(page)
    page.get_by_role("link", name="Start").click()
    work(page, 1)
    expect(page.get_by_role("link", name=f"Task 2 of {ITEMS}")).to_be_visible()
    campaign.sweep(minutes=24 * 60, times=2)
    assert participant.submissions[-1].status == "TIMED-OUT"
    page.goto(participant.arrival_url(participant.submissions[-1]))
    expect(page.get_by_role("heading", name="This session is over")).to_be_visible()
    expect(page.locator("main")).to_contain_text(
        "Its time ran out. The 1 task that you submitted is"
    )
    check_page(page)
    campaign.settle()
    assert ledger_cents() == wallet_cents(server)
    assert ledger_cents()[0] >= REWARD_CENTS
