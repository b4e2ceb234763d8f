"""Consent and questionnaire in the built-in marketplace's frame, in a real browser."""

import pytest
from playwright.sync_api import BrowserContext, Frame, Page, expect

from tests.axe import axe_findings
from tests.browser.test_our_marketplace import (
    Market,
    annotate,
    context,
    either_site_migrated,
    join,
    market,
    reload_until,
)
from tests.browser.work import ready

__all__ = ["context", "either_site_migrated", "market"]

pytestmark = [pytest.mark.browser, pytest.mark.system]


@pytest.mark.parametrize("either_site", ["embedded"], indirect=True)
def test_worker_consents_and_answers_once_before_the_first_task(
    market: Market, context: BrowserContext
):
    market.run("-m", "tests.browser.seed_onboarding")
    page = context.new_page()
    join(page, market)
    accept = page.get_by_role("button", name="Accept one for $0.05")
    reload_until(page, lambda: accept.count() >= 1)
    accept.first.click()
    frame = frame_of(page)
    heading = frame.get_by_role("heading", name="Before your first task")
    expect(heading).to_be_visible()
    assert frame.evaluate("window.origin") == "null"
    assert axe_findings(page) == []

    frame.get_by_role("button", name="Don’t take part").click()
    expect(frame.locator("main")).to_contain_text("Return this task")
    assert axe_findings(page) == []
    frame.get_by_role("link", name="Go back").click()
    expect(heading).to_be_visible()

    fill_in(page, frame)
    ready(frame)
    page.get_by_label("Auto-accept next").check()
    page.evaluate("document.getElementById('task').focus()")
    annotate(page, frame)
    expect(page.locator("main")).to_contain_text("$0.05 pending approval", timeout=60_000)
    second = frame_of(page)
    ready(second)

    market.run("-m", "tests.browser.seed_onboarding", "again")
    page.reload()
    frame = frame_of(page)
    expect(frame.get_by_role("region", name="Consent text")).to_contain_text("year of birth")
    expect(frame.get_by_label("Native language")).to_have_count(0)
    frame.get_by_label("I have read this text").check()
    frame.get_by_role("button", name="Agree and continue").click()
    ready(frame_of(page))


def frame_of(page: Page) -> Frame:
    frame = page.locator("iframe#task").element_handle().content_frame()
    assert frame
    return frame


def fill_in(page: Page, frame: Frame) -> None:
    """Fill in the page by keyboard alone."""
    frame.get_by_label("I have read this text").focus()
    keys = page.keyboard
    keys.press("Space")
    keys.press("Tab")
    keys.type("1990")
    keys.press("Tab")
    keys.press("ArrowDown")  # selects a radio button
    keys.press("Tab")
    keys.type("Occitan")
    keys.press("Enter")
