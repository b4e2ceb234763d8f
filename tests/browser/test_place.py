"""The position of a worker on the page at the start, after undo and redo, and after a reload."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import Site
from tests.browser.work import (
    AGENT,
    PATIENT,
    ask,
    box,
    card,
    open_task,
    press,
    ready,
    status,
    token,
)

pytestmark = pytest.mark.browser

WHEN = "When did someone carry something?"


def answers(page: Page, number: int) -> list[str]:
    return page.locator(".question").nth(number - 1).locator(".answer-chip__text").all_inner_texts()


def expect_active(page: Page, number: int) -> None:
    expect(page.locator(".question").nth(number - 1)).to_contain_class("question--active")


def test_undo_and_redo_stay_at_the_question(site: Site, context: BrowserContext):
    page = open_task(context.new_page(), site.address("place-undo"))
    ask(page, 1, AGENT, (0, 1))
    ask(page, 2, PATIENT, (3, 5))
    page.get_by_role("button", name="Undo the answer “the old radio”").click()
    expect_active(page, 2)
    token(page, 4).click()
    token(page, 5).click()
    assert (answers(page, 1), answers(page, 2)) == (["The rebels"], ["old radio"])
    press(page, "Control+z")
    expect_active(page, 2)
    assert answers(page, 2) == []
    press(page, "Control+Shift+z")
    expect_active(page, 2)
    assert answers(page, 2) == ["old radio"]
    page.get_by_role("button", name="Undo the answer “old radio”").click()
    page.get_by_role("button", name="Redo the answer “old radio”").click()
    assert answers(page, 2) == ["old radio"]
    expect(page.locator("#sentence")).to_be_focused()


def test_keys_undo_from_the_empty_next_question(site: Site, context: BrowserContext):
    page = open_task(context.new_page(), site.address("place-undo", worker="W2"))
    ask(page, 1, AGENT, (0, 1))
    press(page, "Enter")
    expect(box(page, 2)).to_be_focused()
    press(page, "Control+z")
    assert answers(page, 1) == []
    expect_active(page, 1)
    expect(page.locator("#sentence")).to_be_focused()
    press(page, "Control+y")
    assert answers(page, 1) == ["The rebels"]


def test_unanswered_question_is_active_after_a_reload(site: Site, context: BrowserContext):
    page = open_task(context.new_page(), site.address("place-reload"))
    ask(page, 1, AGENT, (0, 1))
    ask(page, 2, PATIENT)
    expect(status(page)).to_have_text("Saved")
    page.reload()
    ready(page)
    expect_active(page, 2)
    expect(page.locator("#sentence")).to_be_focused()
    token(page, 3).click()
    token(page, 5).click()
    assert (answers(page, 1), answers(page, 2)) == (["The rebels"], ["the old radio"])
    expect(status(page)).to_have_text("Saved")
    page.reload()
    ready(page)
    expect_active(page, 3)
    expect(box(page, 3)).to_be_focused()


def test_question_box_is_focused_at_the_start(site: Site, context: BrowserContext):
    page = open_task(context.new_page(), site.address("focus-page"))
    expect(box(page, 1)).to_be_focused()
    page.keyboard.type("who carried something")
    expect(box(page, 1)).to_have_value("who carried something")


def test_preview_moves_no_focus(site: Site, context: BrowserContext):
    page = open_task(context.new_page(), site.preview("preview"))
    assert page.evaluate("document.activeElement === document.body")


def test_frame_passes_its_focus_to_the_question_box(site: Site, context: BrowserContext):
    page = context.new_page()
    page.goto(site.marketplace.frame_url(site.address("focus-frame")))
    frame = page.frames[1]
    ready(frame)
    page.locator("body").evaluate("() => document.activeElement.blur()")
    page.locator("iframe").evaluate("(element) => element.focus()")
    page.keyboard.type("who")
    expect(box(frame, 1)).to_have_value("who")


def test_cards_accept_keys_at_the_start_and_after_a_click_elsewhere(
    cases: Site, context: BrowserContext
):
    page = open_task(context.new_page(), cases.address("identified-place"))
    expect(card(page, "A1")).to_be_focused()
    press(page, "k")
    expect(card(page, "A1")).to_contain_text("kept")
    page.locator(".task-bar__title").click()
    assert page.evaluate("document.activeElement === document.body")
    press(page, "ArrowDown")
    press(page, "Control+z")
    expect(card(page, "A1")).to_be_focused()
    expect(card(page, "A1").locator(".card__verdict")).to_have_text("not judged")


def test_first_card_without_a_verdict_is_active_after_a_reload(
    cases: Site, context: BrowserContext
):
    page = open_task(context.new_page(), cases.address("identified-reload"))
    press(page, "k")
    expect(status(page)).to_have_text("Saved")
    page.reload()
    ready(page)
    expect(card(page, "B1")).to_be_focused()
