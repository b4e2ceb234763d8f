"""Compact work pages in the marketplace's frame."""

import pytest
from playwright.sync_api import Frame, Page, expect

from tests.annotation.factories import make_item, make_project, make_task
from tests.browser.frames import (
    current_step,
    frame,
    make_frames_project,
    make_record,
    understand,
    word,
)
from tests.browser.work import ready
from tests.schemes.frames.page_lexicon import LEXICON
from tests.schemes.frames.page_lexicon import frame as frame_of_lexicon

from .conftest import log_in_as, question

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

IN_VIEW = 5
# The frames of “come” have as many core elements as those of FrameNet often have.
NAMES = ["Arriving_of_people", "Becoming_known", "Change_of_place", "Existence", "Motion", "Origin"]
FRAMES = {
    name: frame_of_lexicon(
        f"In a situation of {name}, somebody or something takes part in what the verb describes, as "
        "it is described here at the length that definitions of frames usually have.",
        ["come.v"],
        Theme_of_it="Core",
        Goal_or_place="Core",
        Another_element="Core",
        Circumstances="Core-Unexpressed",
    )
    for name in NAMES
}
SIZE = {"width": 1280, "height": 900}
# The rows of frames that are in view as a whole, above the bar.
SEEN = """() => {
    const end = document.querySelector("[data-bar]").getBoundingClientRect().top;
    const start = document.querySelector("[data-hero]").getBoundingClientRect().bottom;
    return [...document.querySelectorAll(".frame-row")].filter((row) => {
        const core = row.querySelector(".frame-row__core").getBoundingClientRect();
        const {top, bottom} = row.getBoundingClientRect();
        return core.height > 0 && top >= start && bottom <= end;
    }).length;
}"""
PLACES = """() => [...document.querySelectorAll(
    ".task-bar, .sentence, .stepper, .frame-row, .frame-row__core, [data-bar]"
)].map((each) => JSON.stringify(each.getBoundingClientRect()))"""
BARS = """() => [...document.querySelectorAll(".task-bar, .sentence, .stepper, [data-bar]")].map(
    (each) => JSON.stringify(each.getBoundingClientRect()))"""


@pytest.fixture
def accept(chromium, own_site, worker, publish):
    """Return a function that accepts a HIT with the items, and returns both pages."""
    contexts = []

    def accept(*items) -> tuple[Page, Frame]:
        task = make_task(items)
        publish(Question=question(f"{own_site}/generate/{task.public_id}/"))
        context = chromium.new_context(viewport=SIZE)
        contexts.append(context)
        page = context.new_page()
        log_in_as(page, own_site, worker)
        page.goto(f"{own_site}/hits/")
        page.get_by_role("button", name="Accept one").click()
        page.wait_for_url("**/hits/work/*/")
        return page, ready(task_frame(page))

    yield accept
    for context in contexts:
        context.close()


def task_frame(page: Page) -> Frame:
    inner = page.locator("iframe#task").element_handle().content_frame()
    assert inner
    return inner


def compact(inner: Frame) -> None:
    inner.get_by_role("switch", name="Compact").check()
    expect(inner.locator("html")).to_have_attribute("data-compact", "on")


def test_five_frames_with_their_core_elements_are_in_view(accept):
    project = make_frames_project(lexicon={**LEXICON, "frames": FRAMES, "extra_units": []})
    page, inner = accept(make_record(project))
    compact(inner)
    understand(inner)
    expect(inner.locator(".frame-row")).to_have_count(len(NAMES))
    assert inner.evaluate("scrollY") == 0
    assert inner.evaluate(SEEN) >= IN_VIEW
    places = inner.evaluate(PLACES)
    for at, name in enumerate(NAMES[:IN_VIEW], start=1):
        page.keyboard.press(str(at))
        expect(frame(inner, name)).to_be_checked()
        assert inner.evaluate(PLACES) == places
    page.keyboard.press("Enter")
    expect(current_step(inner)).to_contain_text("Arguments")
    bars = inner.evaluate(BARS)
    for position, letter in ((2, "a"), (6, "b"), (8, "c")):
        word(inner, position).click()
        page.keyboard.press(letter)
        assert inner.evaluate(BARS) == bars
    page.keyboard.press("Shift+Enter")
    expect(inner.get_by_role("radio", name="1 a guess")).to_be_focused()
    page.keyboard.press("4")
    expect(inner.locator("[data-pay]")).to_contain_text("bonus")
    assert inner.evaluate(BARS) == bars


def test_setting_holds_for_other_schemes_and_without_storage(accept):
    page, inner = accept(make_item(make_project()))
    assert inner.evaluate("window.origin") == "null"
    size = "getComputedStyle(document.querySelector('.sentence')).fontSize"
    before = inner.evaluate(size)
    compact(inner)
    assert inner.evaluate(size) != before
    page.reload()
    inner = ready(task_frame(page))
    expect(inner.locator("html")).to_have_attribute("data-compact", "on")
    expect(inner.get_by_role("switch", name="Compact")).to_be_checked()
    inner.get_by_role("switch", name="Compact").uncheck()
    page.reload()
    inner = ready(task_frame(page))
    expect(inner.locator("html")).to_have_attribute("data-single-keys", "on")
    expect(inner.locator("html")).to_have_attribute("data-compact", "off")
    assert inner.evaluate(size) == before
