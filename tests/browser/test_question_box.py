"""What screen readers and keyboards get from the box of a question."""

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.announcements import announcements, observe_announcements
from tests.browser.conftest import Site
from tests.browser.work import box, card, open_task, press

pytestmark = pytest.mark.browser


def open_box(context: BrowserContext, site: Site) -> Page:
    page = open_task(context.new_page(), site.address("question-box", worker=f"{id(context)}"))
    expect(box(page, 1)).to_be_focused()
    return page


def test_names_of_suggestions_are_spelled_as_they_are_shown(site: Site, context: BrowserContext):
    page = open_box(context, site)
    page.keyboard.type("wh")
    expect(page.get_by_role("option", name="Who …", exact=True)).to_be_visible()
    names = page.get_by_role("listbox", name="How the question can continue").aria_snapshot()
    assert '- option "Who … "' not in names
    assert "Wh o" not in names
    assert "Wh at" not in names
    box(page, 1).fill("Who carried something")
    finished = page.get_by_role("option", name="Who carried something? done", exact=True)
    expect(finished).to_have_attribute("aria-selected", "true")


def test_tab_leaves_an_untouched_question_in_one_step(site: Site, context: BrowserContext):
    page = open_box(context, site)
    for text in ("", "who ", "who carried s"):
        box(page, 1).fill(text)
        expect(page.get_by_role("option").first).to_be_visible()
        press(page, "Tab")
        expect(box(page, 1)).to_have_value(text)
        assert page.evaluate("document.activeElement.matches('button, select, summary')")
        press(page, "Shift+Tab")
        expect(box(page, 1)).to_be_focused()


def test_tab_accepts_only_what_an_arrow_key_has_chosen(site: Site, context: BrowserContext):
    page = open_box(context, site)
    page.keyboard.type("who ")
    press(page, "ArrowDown")
    chosen = page.locator("[role=option][aria-selected=true] .question-box__text").inner_text()
    press(page, "Tab")
    assert box(page, 1).input_value().strip() == chosen.removesuffix("…").strip()


@pytest.mark.parametrize("key", ["ArrowRight", "Control+Space"])
def test_key_completes_up_to_the_next_choice_and_says_so(
    site: Site, context: BrowserContext, key: str
):
    page = open_box(context, site)
    page.keyboard.type("who carr")
    observe_announcements(page)
    press(page, key)
    expect(box(page, 1)).to_have_value("Who carried")
    expect(box(page, 1)).to_be_focused()
    assert announcements(page)[-1] == "Who carried"
    press(page, "Home", "ArrowRight", "ArrowRight")
    assert box(page, 1).evaluate("each => each.selectionStart") == 2
    keys = page.evaluate(
        """() => document.activeElement.getAttribute("aria-describedby").split(" ")
            .map((id) => document.getElementById(id).textContent).join(" ")"""
    )
    assert "right arrow" in keys
    assert "Tab leaves" in keys


def test_refused_word_is_announced_once_the_keys_pause(site: Site, context: BrowserContext):
    page = open_box(context, site)
    observe_announcements(page)
    page.keyboard.type("who zzz ")
    expect(page.locator("[data-announcement]")).to_contain_text("“zzz” isn't allowed here.")
    refusals = [text for text in announcements(page) if "isn't allowed here" in text]
    assert len(refusals) == 1
    assert "correction" in refusals[0]


def test_refused_word_is_announced_to_consolidators(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("contain-box"))
    card(page, "A1").focus()
    press(page, "w")
    page.get_by_role("combobox").fill("who zzz ")
    expect(page.locator("[data-announcement]")).to_contain_text("“zzz” isn't allowed here.")


def test_wrapped_suggestion_is_read_from_its_beginning(site: Site, chromium: Browser):
    with chromium.new_context(viewport={"width": 320, "height": 640}) as context:
        page = open_task(context.new_page(), site.address("question-box", worker="narrow"))
        box(page, 1).fill("why did someone c")
        option = page.get_by_role("option", name="Why did someone carry").first
        typed, rest = (
            option.locator(".question-box__text > span")
            .nth(at)
            .evaluate("each => [...each.getClientRects()].map(({left, top}) => [left, top])")
            for at in (0, 1)
        )
        assert typed[0][1] == min(top for _, top in [*typed, *rest])
        assert typed[0][0] == min(left for left, _ in [*typed, *rest])
