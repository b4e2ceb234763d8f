"""The marketplace on phones and at 400 % zoom, with a task of this site in its frame."""

import pytest
from playwright.sync_api import Browser, Frame, Page, expect

from tests.annotation.factories import make_item, make_project, make_task
from tests.browser.work import AGENT, ask, box, ready, token

from .conftest import log_in_as, overflow, question

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE = {"viewport": {"width": 360, "height": 720}, "has_touch": True, "is_mobile": True}
HEIGHT = "each => each.getBoundingClientRect().height"
# The element at the middle of the focused one, seen from the page around the frame.
COVERING = """() => {
    const frame = document.getElementById("task");
    const [at] = frame.getClientRects();
    const inner = window.innerFocus;
    const hit = document.elementFromPoint(at.left + inner.x, at.top + inner.y);
    return hit === frame ? "" : hit?.outerHTML.slice(0, 80) ?? "outside the window";
}"""
FOCUS_POINT = """() => {
    const {left, top, width, height} = document.activeElement.getBoundingClientRect();
    return {x: left + width / 2, y: top + height / 2};
}"""


@pytest.fixture
def open_hit(chromium: Browser, own_site, worker, publish):
    """Return a function that accepts a HIT of this site in a window of the given kind."""
    site = own_site
    contexts = []

    def open_hit(**options) -> tuple[Page, Frame]:
        task = make_task([make_item(make_project())])
        publish(Question=question(f"{site}/generate/{task.public_id}/"))
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        log_in_as(page, site, worker)
        page.goto(f"{site}/hits/")
        assert overflow(page) <= 0
        page.get_by_role("button", name="Accept one").click()
        page.wait_for_url("**/hits/work/*/")
        frame = page.locator("iframe#task").element_handle().content_frame()
        assert frame
        return page, ready(frame)

    yield open_hit
    for context in contexts:
        context.close()


@pytest.mark.parametrize("height", [256, 640])
def test_task_and_its_wrapper_reflow_at_400_percent_zoom(open_hit, height):
    page, frame = open_hit(viewport={"width": 320, "height": height})
    ask(frame, 1, AGENT, (0, 1))
    assert overflow(page) <= 0
    assert frame.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.locator("#task").evaluate(HEIGHT) >= min(height - 64, 256)
    submit = frame.locator("[data-submit]")
    submit.focus()
    page.wait_for_timeout(300)
    point = frame.evaluate(FOCUS_POINT)
    page.evaluate("point => { window.innerFocus = point; }", point)
    assert page.evaluate(COVERING) == ""
    for control in page.locator(".market-bar :is(a, button, input)").all():
        if control.is_visible():
            control.focus()
            assert control.evaluate(
                "each => { const r = each.getBoundingClientRect();"
                " return r.left >= 0 && r.right <= innerWidth; }"
            )


def test_bars_take_at_most_a_quarter_of_a_phone(open_hit):
    page, frame = open_hit(**PHONE)
    outer = sum(page.locator(bar).evaluate(HEIGHT) for bar in (".market-header", ".market-bar"))
    inner = sum(frame.locator(bar).evaluate(HEIGHT) for bar in (".task-bar", ".work-form__bar"))
    assert outer + inner <= 720 / 4
    expect(page.get_by_role("link", name="Tasks", exact=True)).to_be_visible()


def test_sentence_stays_in_view_above_the_keyboard(open_hit):
    page, frame = open_hit(**PHONE)
    ask(frame, 1, AGENT, (0, 1))
    box(frame, 2).tap()
    page.set_viewport_size({"width": 360, "height": 420})  # the keyboard is open
    page.keyboard.type("wh")
    page.wait_for_timeout(300)
    for element in (token(frame, 2), box(frame, 2), frame.get_by_role("option").first):
        expect(element).to_be_in_viewport(ratio=1)
    assert not token(frame, 2).evaluate(
        """each => {
            const {left, top, width, height} = each.getBoundingClientRect();
            return !each.contains(document.elementFromPoint(left + width / 2, top + height / 2));
        }"""
    )


def test_tasks_are_on_the_first_screen_of_a_phone(chromium, site, worker, publish):
    publish()
    with chromium.new_context(**PHONE) as context:
        page = context.new_page()
        log_in_as(page, site, worker)
        page.goto(f"{site}/hits/")
        heading = page.get_by_role("heading", name="Ask questions about a verb")
        expect(heading).to_be_in_viewport(ratio=1)
        expect(page.get_by_label("Minimum reward ($)")).to_be_hidden()
        page.get_by_text("More filters").tap()
        page.get_by_label("Minimum reward ($)").fill("0.01")
        page.get_by_role("button", name="Show").tap()
        page.wait_for_url("**/hits/?*reward=0.01*")
        # A filter that is used stays open.
        expect(page.get_by_label("Minimum reward ($)")).to_be_visible()
        page.get_by_role("button", name="Menu").tap()
        page.get_by_role("link", name="Qualifications").tap()
        page.wait_for_url("**/hits/qualifications/")
        assert overflow(page) <= 0


def test_menu_of_the_operator_leaves_the_screen_to_the_page(chromium, site, operator):
    context = chromium.new_context(**PHONE)
    cookie = operator.cookies["sessionid"]
    context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": site}])
    page = context.new_page()
    page.goto(f"{site}/hits/operator/statement/")
    assert page.locator(".market-header").evaluate(HEIGHT) <= 720 / 8
    assert overflow(page) <= 0
    page.get_by_role("button", name="Menu").tap()
    page.get_by_role("link", name="Payouts", exact=True).tap()
    page.wait_for_url("**/hits/operator/payouts/")
    context.close()


@pytest.mark.parametrize("width", [700, 1280])
def test_offer_of_the_tutorial_stays_in_view_with_a_mouse(open_hit, width):
    page, frame = open_hit(viewport={"width": width, "height": 800})
    page.locator("iframe#task").focus()
    page.wait_for_timeout(300)
    expect(frame.get_by_role("button", name="Start the tutorial")).to_be_in_viewport(ratio=1)
    frame.get_by_role("button", name="Skip", exact=True).click()
    expect(box(frame, 1)).to_be_focused()
