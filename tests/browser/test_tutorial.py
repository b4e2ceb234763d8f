"""The tutorial of each role, by keyboard, with its goals, at 360 px, and once per worker."""

import sqlite3
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.axe import axe_findings
from tests.browser.conftest import Site
from tests.browser.work import AGENT, ask, box, open_task, press, ready, submit, token

pytestmark = pytest.mark.browser


def step(page: Page, number: int) -> None:
    expect(page.locator("[data-tutorial]")).to_contain_text(f"Step {number} of 5")


def start(page: Page) -> None:
    page.get_by_role("button", name="Start the tutorial").press("Enter")
    step(page, 1)


@pytest.fixture(params=[(1280, "light"), (360, "dark")], ids=str)
def view(request: pytest.FixtureRequest, chromium: Browser) -> Iterator[BrowserContext]:
    width, scheme = request.param
    size = {"width": width, "height": 800}
    with chromium.new_context(viewport=size, color_scheme=scheme) as context:
        context.set_default_timeout(10_000)
        yield context


def test_questions_tutorial_by_keyboard_is_offered_once(site: Site, context: BrowserContext):
    page = open_task(context.new_page(), site.address("first", worker="NEW1"))
    start(page)
    expect(box(page, 1)).to_be_focused()
    page.keyboard.type("who sold something")
    press(page, "Enter")
    step(page, 2)
    expect(page.locator("[data-tutorial] [role=status]")).to_contain_text("Select the answer")
    token(page, 1).click()
    token(page, 2).click()
    step(page, 3)
    ask(page, 2, "What did someone sell?", (4, 5))
    step(page, 4)
    ask(page, 3, "When did someone sell something?", (0, 0))
    step(page, 5)
    press(page, "Control+Enter")
    expect(page.locator("[data-tutorial]")).to_have_count(0)
    # The task of the worker is unchanged, without content of the example.
    expect(box(page, 1)).to_be_focused()
    expect(box(page, 1)).to_have_value("")
    expect(page.locator("h1 [data-verb]")).to_have_text("carried")
    ask(page, 1, AGENT, (0, 1))
    expect(page.locator("[data-status]")).to_have_text("Saved")
    with sqlite3.connect(site.database) as database:
        query = "SELECT scheme, role FROM annotation_finishedtutorial WHERE worker_ref = 'NEW1'"
        assert database.execute(query).fetchall() == [("qasrl", "generator")]
    page = open_task(context.new_page(), site.address("focus-page", worker="NEW1"))
    expect(page.locator("[data-tutorial-offer]")).to_have_count(0)


def test_skipped_tutorial_is_not_offered_again(site: Site, context: BrowserContext):
    page = open_task(context.new_page(), site.address("first", worker="NEW2"))
    with page.expect_response("**/tutorial/"):
        page.get_by_role("button", name="Skip", exact=True).click()
    expect(page.locator("[data-tutorial-offer]")).to_have_count(0)
    expect(box(page, 1)).to_be_focused()
    page.reload()
    ready(page)
    expect(page.locator("[data-tutorial-offer]")).to_have_count(0)


def test_time_in_the_tutorial_is_not_counted_as_work(site: Site, context: BrowserContext):
    page = context.new_page()
    page.clock.install()
    open_task(page, site.address("first", worker="NEW3"))
    start(page)
    for _ in range(4):
        page.clock.run_for(20_000)
        page.mouse.move(10, 10)
        page.mouse.move(200, 200)
    page.get_by_role("button", name="Leave the tutorial").click()
    ask(page, 1, AGENT, (0, 1))
    with page.expect_request("**/work/draft/") as sent:
        page.clock.run_for(3_000)
    body = sent.value.post_data_json
    assert body["active_seconds"] < 10


def test_preview_offers_no_tutorial(site: Site, context: BrowserContext):
    page = open_task(context.new_page(), site.preview("preview"))
    expect(page.locator("[data-tutorial-offer]")).to_have_count(0)


def test_consolidation_tutorial_by_keyboard(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("identified-place", worker="NEW4"))
    start(page)
    press(page, "k")
    step(page, 2)
    press(page, "ArrowDown", "r")
    step(page, 3)
    page.get_by_role("article", name="Who has a family?").focus()
    press(page, "i")
    step(page, 4)
    page.get_by_role("article", name="What did someone sell?").focus()
    press(page, "g")
    step(page, 5)
    page.get_by_role("button", name="Start the task").click()
    expect(page.locator(".card", has_text="Who identified something?").first).to_be_visible()


def test_validation_tutorial(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("validation-open", worker="NEW5"))
    start(page)
    token(page, 1).click()
    token(page, 2).click()
    step(page, 2)
    page.get_by_role("article", name="What did someone sell?").focus()
    token(page, 4).click()
    token(page, 5).click()
    step(page, 3)
    page.get_by_role("article", name="What was sold?").focus()
    press(page, "r")
    step(page, 4)
    page.get_by_role("article", name="Who is the valley?").focus()
    press(page, "i")
    step(page, 5)


@pytest.mark.parametrize(
    "name", ["first", "identified-place", "validation-open"], ids=["write", "merge", "judge"]
)
def test_tutorial_is_accessible_and_fits(site: Site, cases: Site, view: BrowserContext, name: str):
    owner = site if name == "first" else cases
    page = open_task(view.new_page(), owner.address(name, worker=f"V{id(view)}"))
    assert axe_findings(page) == []
    start(page)
    for number in range(1, 6):
        step(page, number)
        assert axe_findings(page) == []
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        expect(page.get_by_role("button", name="Leave the tutorial")).to_be_in_viewport()
        press(page, "Control+Enter")
    expect(page.locator("[data-tutorial]")).to_have_count(0)
    expect(page.locator("[data-submit]")).to_be_visible()


@pytest.mark.parametrize("touch", [True, False], ids=["touch", "mouse"])
@pytest.mark.parametrize("name", ["first", "identified-place"], ids=["write", "merge"])
def test_first_press_in_a_frame_is_not_lost(
    site: Site, cases: Site, chromium: Browser, name: str, *, touch: bool
):
    owner = site if name == "first" else cases
    size = {"width": 360, "height": 720}
    with chromium.new_context(viewport=size, has_touch=touch) as context:
        page = context.new_page()
        address = owner.address(name, worker=f"TAP{touch}")
        page.goto(owner.marketplace.frame_url(address))
        frame = ready(page.frames[1])
        button = frame.get_by_role("button", name="Start the tutorial")
        button.scroll_into_view_if_needed()
        place = button.bounding_box()
        assert place
        middle = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
        # At the place where a person sees the button, without waiting for it to rest.
        (page.touchscreen.tap if touch else page.mouse.click)(*middle)
        expect(frame.locator("[data-tutorial]")).to_be_visible()


def test_nothing_is_submitted_by_the_tutorial(site: Site, context: BrowserContext):
    page = open_task(context.new_page(), site.address("first", worker="NEW6"))
    start(page)
    for _ in range(5):
        press(page, "Control+Enter")
    expect(page.locator("[data-tutorial]")).to_have_count(0)
    submit(page)
    expect(page.locator("[data-problems]")).to_be_visible()
