"""The pages of nouns in a real browser, with the event step and the questions that depend on it."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.axe import LOOKS, axe_findings
from tests.browser.conftest import Site
from tests.browser.work import (
    box,
    card,
    case_content,
    expect_submitted,
    open_task,
    press,
    question_texts,
    status,
    submit,
    submit_button,
    submitted_forms,
    token,
)

pytestmark = pytest.mark.browser

# The sale of the mill to a neighbour in May surprised us .
#  0    1   2   3   4   5  6     7     8   9     10      11 12


def test_event_is_confirmed_and_annotated_by_keyboard(site: Site, context: BrowserContext):
    page = open_task(context.new_page(), site.address("noun-keys"))
    step = page.get_by_role("group", name="Does “sale” describe an action or event here?")
    for _ in range(20):
        press(page, "Tab")
        if page.evaluate("document.activeElement.type") == "radio":
            break
    expect(step.get_by_role("radio", name="Yes")).to_be_focused()
    expect(page.get_by_role("heading", name="Questions and answers")).to_be_hidden()
    press(page, "y")
    expect(box(page, 1)).to_be_focused()
    page.keyboard.type("in what")
    expect(page.locator(".question-box__offer:visible").first).to_contain_text(
        "In what circumstances"
    )
    box(page, 1).fill("what was sold")
    press(page, "Enter")
    token(page, 3).click()
    token(page, 4).click()
    press(page, "Control+z", "Control+z", "Control+z", "Control+z")
    expect(step.get_by_role("radio", name="Yes")).not_to_be_checked()
    press(page, *["Control+y"] * 4)
    expect(step.get_by_role("radio", name="Yes")).to_be_checked()
    submit(page)
    expect_submitted(page)
    [content] = submitted_forms(site, "noun-keys")
    work = content[site.item("noun-keys")]
    assert work["is_verbal"] is True
    assert question_texts(work) == [("What was sold?", [[3, 5]])]


def test_noun_without_event_is_submitted_at_once(site: Site, context: BrowserContext):
    page = open_task(context.new_page(), site.address("noun-no"))
    submit(page)
    expect(page.get_by_role("alert")).to_contain_text("Choose whether the marked noun")
    page.get_by_role("radio", name="No").click()
    expect(page.get_by_role("heading", name="Questions and answers")).to_be_hidden()
    expect(status(page)).to_contain_text("Saved")
    page.reload()
    expect(page.get_by_role("radio", name="No")).to_be_checked()
    submit(page)
    expect_submitted(page)
    [content] = submitted_forms(site, "noun-no")
    assert content[site.item("noun-no")] == {
        "questions": [],
        "no_question": "",
        "is_verbal": False,
    }


def test_consolidator_decides_if_the_noun_is_an_event(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("noun-settle"))
    expect(page.locator("[data-reasons]")).to_have_text(
        "B: the noun doesn't describe an action or event."
    )
    expect(page.get_by_role("radio", name="Yes")).not_to_be_checked()
    page.get_by_role("radio", name="No").click()
    expect(card(page, "A1")).to_contain_text("invalid")
    press(page, "Control+z")
    expect(page.get_by_role("radio", name="No")).not_to_be_checked()
    press(page, "Control+y")
    submit_button(page).click()
    expect_submitted(page)
    content = case_content(cases, "noun-settle")
    assert content["is_verbal"] is False
    assert [question["verdict"] for question in content["questions"]] == ["invalid"]


def test_undecided_noun_cannot_be_submitted(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("noun-agree"))
    card(page, "A1").click()
    press(page, "k")
    press(page, "Control+Enter")
    expect(page.locator("[data-note]")).to_contain_text("Choose whether the marked noun")
    press(page, "y", "Control+Enter")
    expect_submitted(page)
    assert case_content(cases, "noun-agree")["is_verbal"] is True


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_pages_of_nouns_are_accessible(site, cases, context, look):
    width, scheme = look
    page = context.new_page()
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    for address in (site.address("noun-axe"), cases.address("noun-axe")):
        open_task(page, address)
        assert axe_findings(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
