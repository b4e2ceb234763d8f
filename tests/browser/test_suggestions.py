"""The project's setting for suggested questions, on the generation page."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import Site
from tests.browser.work import ask, box, expect_submitted, open_task, submit, submitted_content

pytestmark = pytest.mark.browser
OFFER = ".question-box__offer"

# The rebels have not carried the radio .
#  0    1     2    3     4      5    6   7


def options(page: Page) -> list[str]:
    return page.locator(OFFER).all_text_contents()


def questions(page: Page) -> list[str]:
    return [option for option in options(page) if option.strip().endswith("?")]


def test_setting_off_completes_words_only(site: Site, context: BrowserContext):
    page = open_task(context.new_page(), site.address("suggest-off"))
    expect(page.locator(OFFER).first).to_be_visible()
    assert questions(page) == []
    assert any(option.startswith("Who") for option in options(page))
    box(page, 1).press_sequentially("who carr")
    expect(page.locator(OFFER).first).to_contain_text("Who carr")
    assert any("carried" in option for option in options(page))
    assert questions(page) == []
    ask(page, 1, "Who hasn't carried something?", (0, 1))
    submit(page)
    expect_submitted(page)
    [question] = submitted_content(site, "suggest-off")["questions"]
    assert question["picked"] is None


@pytest.mark.parametrize("setting", ["grammar", "learned"])
def test_first_questions_have_the_negation_of_the_sentence(
    site: Site, context: BrowserContext, setting: str
):
    page = open_task(context.new_page(), site.address(f"suggest-{setting}"))
    expect(page.locator(OFFER).first).to_be_visible()
    offered = questions(page)
    assert len(offered) == 5
    assert all("n't" in question or " not " in question for question in offered[:3])
    keys = page.keyboard
    keys.press("ArrowDown")
    keys.press("ArrowDown")
    keys.press("Enter")
    picked = box(page, 1).input_value()
    assert picked in offered
    for position in (0, 1):
        page.locator(f"#sentence-{position} .word").click()
    ask(page, 2, "When had something been carried?", (5, 6))
    box(page, 3).press_sequentially("what wasn")
    assert questions(page)[0].startswith("What wasn't ")
    box(page, 3).fill("")
    submit(page)
    expect_submitted(page)
    first, second = submitted_content(site, f"suggest-{setting}")["questions"]
    assert first["question"] == picked
    assert first["picked"] == offered.index(picked) + 1
    assert second["picked"] is None
