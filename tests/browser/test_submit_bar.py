"""The bar with pay, undo and Submit, which does not move when other elements open."""

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import Site
from tests.browser.work import (
    AGENT,
    PATIENT,
    ask,
    box,
    expect_submitted,
    open_task,
    submitted_content,
)

pytestmark = pytest.mark.browser

SIZES = {"1280": (1280, 900), "1366": (1366, 768), "360": (360, 740)}
# The elements that must stay visible while the suggestions are open.
NEEDED = ["[data-undo]", "[data-pay]", "[data-next-pay]", "[data-submit]"]
IS_COVERED = """(element) => {
    const {left, top, width, height} = element.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    return !hit || !(element.contains(hit) || hit.contains(element));
}"""


@pytest.fixture(params=SIZES)
def name(request: pytest.FixtureRequest) -> str:
    return f"bar-{request.param}"


@pytest.fixture
def page(site: Site, chromium: Browser, name: str):
    width, height = SIZES[name.removeprefix("bar-")]
    with chromium.new_context(viewport={"width": width, "height": height}) as context:
        context.set_default_timeout(10_000)
        yield open_task(context.new_page(), site.address(name))


def position_of(page: Page) -> dict[str, float] | None:
    return page.locator("[data-submit]").bounding_box()


def list_of(page: Page, number: int):
    return page.locator(".question").nth(number - 1).get_by_role("listbox")


def test_submit_needs_one_click_while_suggestions_are_open(site: Site, page: Page, name: str):
    initial = position_of(page)
    ask(page, 1, AGENT, (0, 1))
    box(page, 2).click()
    expect(list_of(page, 2)).to_be_visible()
    assert position_of(page) == initial
    ask(page, 2, PATIENT, (3, 5))
    box(page, 3).click()
    expect(list_of(page, 3)).to_be_visible()
    assert position_of(page) == initial
    for selector in NEEDED:
        assert not page.locator(selector).evaluate(IS_COVERED), selector
    page.get_by_role("button", name="Submit").click()
    expect_submitted(page)
    content = submitted_content(site, name)
    assert [question["question"] for question in content["questions"]] == [AGENT, PATIENT]


def test_list_does_not_cover_the_link_to_skip_the_item(site: Site, context: BrowserContext):
    page = open_task(context.new_page(), site.address("bar-skip"))
    box(page, 1).click()
    options, nothing = list_of(page, 1), page.get_by_text("No question possible")
    expect(options).to_be_visible()
    list_box, text_box = options.bounding_box(), nothing.bounding_box()
    assert list_box
    assert text_box
    assert list_box["y"] + list_box["height"] <= text_box["y"]
