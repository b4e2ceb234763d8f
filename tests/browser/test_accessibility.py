"""Accessibility at WCAG AA in all states of the pages, light and dark, wide and narrow.

The additions of WCAG 2.2 that axe-core checks only in part are measured separately. These are 2.5.8
(target size) and 2.4.11 (focus not obscured).
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.axe import LOOKS, axe_findings
from tests.browser.conftest import Site
from tests.browser.work import AGENT, PATIENT, ask, box, open_task, token

pytestmark = pytest.mark.browser

# Controls smaller than 24 x 24 CSS pixels, except for words in running text.
SMALL_TARGETS = """() => [...document.querySelectorAll(
    "button, input, select, textarea, summary, a.button, [role=option]:not(.token)")]
    .filter((each) => each.checkVisibility({visibilityProperty: true}))
    .map((each) => [each.outerHTML.slice(0, 80), each.getBoundingClientRect()])
    .filter(([, {width, height}]) => width < 24 || height < 24)
    .map(([html, {width, height}]) => `${html} ${width}x${height}`)"""
COVERED = """() => {
    const each = document.activeElement;
    if (each === document.body) return "";
    const {left, top, width, height} = each.getBoundingClientRect();
    const hit = document.elementFromPoint(left + Math.min(width / 2, 20), top + Math.min(height / 2, 20));
    return hit && (each.contains(hit) || hit.contains(each)) ? "" : each.outerHTML.slice(0, 100);
}"""


def check(page: Page) -> None:
    assert axe_findings(page) == []
    assert page.evaluate(SMALL_TARGETS) == []


def check_uncovered(page: Page) -> None:
    """Check that the focused element is visible after scrolling."""
    for _ in range(20):
        if not (covered := page.evaluate(COVERED)):
            break
        page.wait_for_timeout(100)
    assert covered == ""


@pytest.fixture(params=LOOKS, ids=str)
def view(request: pytest.FixtureRequest, chromium: Browser) -> Iterator[BrowserContext]:
    width, scheme = request.param
    size = {"width": width, "height": 800}
    with chromium.new_context(viewport=size, color_scheme=scheme) as context:
        context.set_default_timeout(10_000)
        yield context


def test_axe_finds_nothing_on_the_generation_page(site: Site, view: BrowserContext):
    page = open_task(view.new_page(), site.address("axe", worker=f"{id(view)}"))
    check(page)
    box(page, 1).fill("Wh")
    check(page)
    ask(page, 1, AGENT, (0, 1))
    ask(page, 2, PATIENT, (3, 5))
    page.locator("summary", has_text="How to select answers").click()
    page.locator("summary", has_text="Comment").click()
    token(page, 9).click()
    check(page)
    box(page, 3).fill("Who caried")
    check(page)
    box(page, 3).press("Escape")
    page.locator(".work-form [data-submit]").click()
    expect(page.locator("[data-problems]")).to_be_visible()
    check(page)


def test_axe_finds_nothing_on_conflicting_versions(site: Site, view: BrowserContext):
    worker = f"v{id(view)}"
    first = open_task(view.new_page(), site.address("axe", worker=worker))
    second = open_task(view.new_page(), site.address("axe", worker=worker))
    ask(first, 1, AGENT, (0, 1))
    expect(first.locator("[data-status]")).to_have_text("Saved")
    ask(second, 1, PATIENT, (3, 5))
    expect(second.get_by_role("button", name="Use this version")).to_be_visible()
    check(second)


def test_axe_finds_nothing_on_preview_error_page_and_practice(site: Site, view: BrowserContext):
    page = open_task(view.new_page(), site.preview("preview"))
    check(page)
    page.goto(site.address("axe").replace("workerId=W1", "workerId=%3Cscript%3E"))
    expect(page.get_by_role("heading", name="can't be opened")).to_be_visible()
    check(page)
    open_task(page, f"{site.url}/practice/qasrl/2/")
    check(page)
    ask(page, 1, "What was damaged?", (0, 5))
    box(page, 2).fill("Who damaged something?")
    box(page, 2).press("Enter")
    token(page, 9).click()
    token(page, 10).click()
    page.get_by_role("button", name="Compare with the expert").click()
    expect(page.locator("[data-comparison]")).to_be_focused()
    check(page)


def test_focused_element_is_never_covered(site: Site, chromium: Browser):
    for size in ({"width": 1280, "height": 700}, {"width": 360, "height": 640}):
        with chromium.new_context(viewport=size) as context:
            page = open_task(context.new_page(), site.address("axe", worker=f"f{size['width']}"))
            for number, question in enumerate([AGENT, PATIENT, "When was something carried?"], 1):
                ask(page, number, question, (3 * number - 3, 3 * number - 3))
            for key in ("Tab", "Shift+Tab"):
                for _ in range(40):
                    page.keyboard.press(key)
                    page.keyboard.press("Escape")
                    check_uncovered(page)


def test_growing_bar_does_not_cover_the_focused_element(site: Site, chromium: Browser):
    with chromium.new_context(viewport={"width": 360, "height": 640}) as context:
        page = open_task(context.new_page(), site.address("axe", worker="bar"))
        for number, question in enumerate([AGENT, PATIENT], 1):
            ask(page, number, question, (3 * number - 3, 3 * number - 3))
        page.evaluate("""() => {
            const bar = document.querySelector("[data-bar]");
            const button = document.querySelector(".question__mark");
            button.focus();
            const gap = bar.getBoundingClientRect().top - button.getBoundingClientRect().bottom;
            window.scrollBy(0, -gap);
            bar.append(...[1, 2, 3, 4].map(() => document.createElement("hr")));
        }""")
        check_uncovered(page)


def test_zoom_of_200_percent_needs_no_second_scroll_bar(site: Site, chromium: Browser):
    # 200 % of a window of 1280 x 800 is half of it in CSS pixels. 320 pixels are 400 % (1.4.10).
    for size in ({"width": 640, "height": 400}, {"width": 320, "height": 256}):
        with chromium.new_context(viewport=size, device_scale_factor=2) as context:
            page = open_task(context.new_page(), site.address("axe", worker=f"z{size['width']}"))
            ask(page, 1, AGENT, (0, 1))
            box(page, 2).fill("Who caried something")
            assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
            assert (
                page.locator(".hero").evaluate("each => getComputedStyle(each).position")
                == "static"
            )


def test_reduced_motion_disables_animations(site: Site, chromium: Browser):
    with chromium.new_context(reduced_motion="reduce") as context:
        page = open_task(context.new_page(), site.preview("preview"))
        assert (
            page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--motion')")
            == "0ms"
        )
