"""States in forced colours, which axe does not check: selection, answers, suggestions, buttons."""

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.axe import axe_findings
from tests.browser.conftest import Site
from tests.browser.work import AGENT, PATIENT, ask, box, card, open_task, press, token
from tests.forced_colors import force_colors, forced_look

pytestmark = pytest.mark.browser


def looks_of_words(page, *positions: int) -> list[str]:
    """Return the look of each word with that of its token, which has the band."""
    return [
        forced_look(page.locator(f"#sentence-{position}")) + forced_look(token(page, position))
        for position in positions
    ]


def test_sentence_and_suggestions_show_their_states(site: Site, context: BrowserContext):
    page = context.new_page()
    force_colors(page)
    open_task(page, site.address("question-box", worker=f"{id(context)}"))
    ask(page, 1, AGENT, (0, 1))
    ask(page, 2, PATIENT, (3, 5))
    token(page, 9).click()  # the beginning of another answer
    # an answer of another question, the target, an own answer, a plain word, the selection
    states = looks_of_words(page, 0, 2, 4, 7, 9)
    assert len(set(states)) == 5
    box(page, 3).fill("wh")
    options = page.get_by_role("option").filter(visible=True)
    active = page.locator("[role=option][aria-selected=true]:visible")
    expect(active).to_have_count(1)
    other = page.locator(".question-box__offer[aria-selected=false]:visible")
    assert options.count() > 2
    assert forced_look(active) != forced_look(other)
    chip = page.locator(".answer-chip").first
    assert "1px" in forced_look(chip)


def test_overlapping_selection_differs_from_an_answer(site: Site, context: BrowserContext):
    page = context.new_page()
    force_colors(page)
    open_task(page, site.address("question-box", worker=f"overlap{id(context)}"))
    ask(page, 1, AGENT, (0, 1))
    ask(page, 2, PATIENT, (3, 5))
    before, plain = looks_of_words(page, 4, 9)
    token(page, 4).click()
    token(page, 9).hover()
    overlapping, selected = looks_of_words(page, 4, 9)
    assert len({before, plain, overlapping, selected}) == 4


def test_pressed_verdict_and_active_card_are_visible(cases: Site, context: BrowserContext):
    page = context.new_page()
    force_colors(page)
    open_task(page, cases.address("identified-shortcuts", worker=f"f{id(context)}"))
    card(page, "A1").focus()
    press(page, "k")
    keep = card(page, "A1").get_by_role("button", name="Keep", exact=True)
    invalid = card(page, "A1").get_by_role("button", name="Invalid", exact=True)
    expect(keep).to_have_attribute("aria-pressed", "true")
    assert forced_look(keep) != forced_look(invalid)
    active, other = page.locator(".card--active"), page.locator(".card:not(.card--active)")
    assert forced_look(active) != forced_look(other)
    assert "1px" in forced_look(page.locator(".chip"))
    page.locator(".work-form__bar [data-submit]").focus()
    assert [finding for finding in axe_findings(page) if "contrast" not in finding] == []
