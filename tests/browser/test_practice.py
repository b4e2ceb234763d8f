"""The practice page, which needs no marketplace and no account and explains each difference."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.conftest import Site
from tests.browser.work import ask, box, open_task, token

pytestmark = pytest.mark.browser


def test_answers_are_compared_with_the_expert_and_each_difference_explained(
    site: Site, context: BrowserContext
):
    page = open_task(context.new_page(), f"{site.url}/practice/qasrl/2/")
    ask(page, 1, "What was damaged?", (0, 5))
    ask(page, 2, "Who damaged something?", (9, 10))
    ask(page, 3, "When was something damaged?", (11, 12))
    page.get_by_role("button", name="Compare with the expert").click()
    expect(page.locator("[data-summary]")).to_have_text("You found 3 of 4 answers.")
    rows = page.locator(".aligned-row")
    states = rows.locator(".answer-state").all_inner_texts()
    assert states == ["found", "span differs", "other question", "missed"]
    expect(rows.nth(1)).to_contain_text("your answer is longer")
    expect(rows.nth(2)).to_contain_text("They differ in: the question word.")
    expect(rows.nth(3)).to_contain_text("The bridge")
    page.get_by_role("link", name="Next exercise").click()
    expect(page.locator("[data-verb]")).to_have_text("moved")
    expect(page.locator("[data-lesson='2'][data-done]")).to_be_visible()


def test_unfinished_answers_are_listed(site: Site, context: BrowserContext):
    page = open_task(context.new_page(), f"{site.url}/practice/qasrl/")
    box(page, 1).fill("Who sold something?")
    box(page, 1).press("Enter")
    page.get_by_role("button", name="Compare with the expert").click()
    expect(page.locator("[data-problems]")).to_contain_text("Question 1 has no answer yet.")
    token(page, 1).click()
    token(page, 2).click()
    page.get_by_role("button", name="Compare with the expert").click()
    expect(page.locator("[data-summary]")).to_have_text("You found 1 of 4 answers.")
