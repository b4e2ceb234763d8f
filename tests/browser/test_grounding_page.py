"""The annotation page of the grounding scheme, with the actions of an annotator."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qs

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from annotation.models import Draft, Item
from projects.models import Project
from schemes.contract.values import Json
from tests.annotation.factories import make_task, task_url
from tests.announcements import announcements, observe_announcements
from tests.axe import LOOKS, axe_findings
from tests.browser.grounding import (
    CAR,
    WOMEN,
    box_names,
    drag,
    draw,
    draw_picture,
    make_caption,
    make_grounding_project,
    phrase,
    phrase_row,
    point,
    progress,
    stage,
)
from tests.browser.test_accessibility import SMALL_TARGETS, check_uncovered
from tests.browser.work import (
    expect_names_without_keys,
    expect_single_keys_can_be_off,
    expect_single_keys_need_focus,
    expect_submitted,
    note,
    open_task,
    press,
    ready,
    status,
    submit,
)
from tests.forced_colors import force_colors, forced_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def project() -> Project:
    return make_grounding_project()


@dataclass
class Marketplace:
    """A fake of the configured marketplace, whose requests the test answers in the browser."""

    origin: str
    contents: list[Json] = field(default_factory=list)

    def receive(self, route: Route) -> None:
        fields = parse_qs(route.request.post_data or "")
        self.contents.append(json.loads(fields["content"][0]))
        thanks = "<!doctype html><html lang=en><title>Done</title><h1>Thank you</h1>"
        route.fulfill(body=thanks, content_type="text/html")


@pytest.fixture
def marketplace(settings) -> Marketplace:
    return Marketplace(settings.MTURK_WORKER_ORIGINS[0])


@pytest.fixture
def open_captions(live_server, marketplace) -> Iterator[Callable[..., Page]]:
    """Return a function that opens a task, and check that no script fails."""
    errors: list[str] = []

    def open_captions(context: BrowserContext, *items: Item, worker: str = "W1") -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.route(f"{marketplace.origin}/**", marketplace.receive)
        task = items[0].tasks.first() or make_task(items)
        address = task_url(task, worker=worker, submit_to=marketplace.origin)
        return open_task(page, f"{live_server.url}{address}")

    yield open_captions
    assert errors == []


@pytest.fixture
def page(project, context, open_captions) -> Page:
    return open_captions(context, make_caption(project))


def submitted(marketplace: Marketplace) -> list[tuple[str, str, list[list[int]]]]:
    """Return the only grounding in the marketplace, which must equal the stored draft."""
    [content] = marketplace.contents
    assert Draft.objects.get().content == content
    [grounding] = content.values()
    return [(phrase["id"], phrase["state"], phrase["boxes"]) for phrase in grounding["phrases"]]


def near(boxes: list[list[int]], expected: list[tuple[int, ...]]) -> bool:
    """Return True if the boxes differ by at most 2 pixels, which is below the screen resolution."""
    return len(boxes) == len(expected) and all(
        abs(ours - theirs) <= 2
        for box, other in zip(boxes, expected, strict=True)
        for ours, theirs in zip(box, other, strict=True)
    )


def test_caption_by_mouse(page, marketplace):
    for woman in WOMEN:
        draw(page, woman)
    expect(phrase_row(page, 0)).to_contain_text("2 of 2 boxes")
    press(page, "n")
    stage(page).click(position=dict(zip("xy", offset(page, CAR[:2]), strict=True)))
    stage(page).click(position=dict(zip("xy", offset(page, CAR[2:]), strict=True)))
    expect(phrase_row(page, 1)).to_contain_text("1 box")
    page.get_by_role("button", name="Next phrase").click()
    page.get_by_role("radio", name="Nothing to box").check()
    page.get_by_role("button", name="Next phrase").click()
    page.get_by_role("button", name="Use the 2 boxes of “Two women”").click()
    assert progress(page) == ["✓ 2 of 2 boxes", "✓ 1 box", "✓ nothing to box", "✓ 2 boxes"]
    submit(page)
    expect_submitted(page)
    women, car, race, dogs = submitted(marketplace)
    assert women[:2] == ("p0", "boxes")
    assert near(women[2], WOMEN)
    assert car[:2] == ("p1", "boxes")
    assert near(car[2], [CAR])
    assert race == ("p2", "scene", [])
    assert dogs == ("p3", "boxes", women[2])


def offset(page: Page, pixel: tuple[int, int]) -> tuple[float, float]:
    box = stage(page).bounding_box()
    assert box
    x, y = point(page, *pixel)
    return x - box["x"], y - box["y"]


def tab_to(page: Page, selector: str, key: str = "Tab") -> None:
    for _ in range(40):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press(key)
    pytest.fail(f"{key} does not lead to {selector}")


def repeat(page: Page, key: str, times: int) -> None:
    press(page, *[key] * times)


def moves(page: Page) -> list[str]:
    """Return the stored log of moves."""
    expect(status(page)).to_have_text("Saved")
    return [label for _, _, label in Draft.objects.get().log]


# --- by keyboard and by touch --------------------------------------------------------------------


def test_caption_by_keyboard_alone(page, marketplace):
    tab_to(page, "[data-stage]")
    press(page, "Enter")
    expect(note(page)).to_contain_text("New box, left 188, top 141, 125 by 94 pixels.")
    repeat(page, "Shift+ArrowLeft", 15)
    repeat(page, "ArrowUp", 3)
    press(page, " ")
    expect(note(page)).to_have_text("Arrow keys change the size.")
    repeat(page, "Shift+ArrowDown", 2)
    repeat(page, "ArrowLeft", 5)
    press(page, "Enter")
    first = "Two women, box 1 of 1, left 38, top 138, 120 by 114 pixels"
    assert box_names(page) == [first]
    expect(note(page)).to_contain_text("The phrase mentions 2, but there is 1 box.")
    press(page, "b", "Enter")
    expect(page.locator(".box[role=button]").nth(1)).to_be_focused()
    press(page, "ArrowDown", "Shift+ArrowRight")
    press(page, " ", "ArrowRight")
    # Around the middle of the last box
    assert box_names(page)[1] == "Two women, box 2 of 2, left 46, top 149, 126 by 94 pixels"
    press(page, "n", "b", "Escape")
    expect(note(page)).to_have_text("The new box is cancelled.")
    press(page, "b", "Enter", "Delete")
    expect(note(page)).to_have_text("Removed a red car, box 1 of 1.")
    press(page, "x", "n", "s", "n", "a")
    expect(page.locator("[data-summary]")).to_have_text("Every phrase has an answer.")
    press(page, "n")
    expect(page.locator("[data-submit]")).to_be_focused()
    log = moves(page)
    press(page, "Enter")
    expect_submitted(page)
    boxes = [[38, 138, 158, 252], [46, 149, 172, 243]]
    assert submitted(marketplace) == [
        ("p0", "boxes", boxes),
        ("p1", "absent", []),
        ("p2", "scene", []),
        ("p3", "boxes", boxes),
    ]
    assert log == [
        "a box for “Two women”",
        "a box for “Two women”",
        "moving a box of “Two women”",
        "resizing a box of “Two women”",
        "going to “a red car”",
        "a box for “a red car”",
        "removing a box of “a red car”",
        "“a red car”: not in the picture",
        "going to “a race”",
        "“a race”: nothing to box",
        "going to “their dogs”",
        "the answer of “Two women” for “their dogs”",
    ]


class Fingers:
    """Touches on the picture, through the debugging protocol of the browser."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.session = page.context.new_cdp_session(page)

    def send(self, kind: str, *places: tuple[float, float]) -> None:
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
        event = {"type": kind, "touchPoints": points}
        self.session.send("Input.dispatchTouchEvent", event)

    def swipe(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Drag one finger between two pixels of the image."""
        from_, to = point(self.page, *start), point(self.page, *end)
        self.send("touchStart", from_)
        self.send("touchMove", ((from_[0] + to[0]) / 2, (from_[1] + to[1]) / 2))
        self.send("touchMove", to)
        self.send("touchEnd")

    def spread(self, center: tuple[float, float], factor: float) -> None:
        """Move two fingers apart around a pixel of the image."""
        x, y = point(self.page, *center)
        for step in (1, 1 + (factor - 1) / 2, factor):
            kind = "touchStart" if step == 1 else "touchMove"
            self.send(kind, (x - 20 * step, y), (x + 20 * step, y))
        self.send("touchEnd")


def zoom(page: Page) -> float:
    scale: float = page.evaluate(
        """() => document.querySelector(".stage__image").getBoundingClientRect().height /
            document.querySelector("[data-stage]").getBoundingClientRect().height"""
    )
    return scale


@pytest.fixture
def phone(chromium: Browser) -> Iterator[BrowserContext]:
    size = {"width": 360, "height": 740}
    with chromium.new_context(viewport=size, has_touch=True, is_mobile=True) as context:
        context.set_default_timeout(10_000)
        yield context


def test_caption_by_touch_on_a_narrow_screen(project, phone, open_captions, marketplace):
    page = open_captions(phone, make_caption(project))
    fingers = Fingers(page)
    for woman in WOMEN:
        fingers.swipe(woman[:2], woman[2:])
    expect(phrase_row(page, 0)).to_contain_text("2 of 2 boxes")
    fingers.swipe((160, 150), (170, 160))
    assert "left 140, top 80" in box_names(page)[1]
    fingers.swipe((200, 240), (180, 220))
    assert "left 140, top 80, 40 by 140 pixels" in box_names(page)[1]
    # Chromium creates no click for a tap right after a swipe or right before a pinch.
    expect(status(page)).to_have_text("Saved")
    page.get_by_role("button", name="Next phrase").tap()
    expect(phrase_row(page, 1)).to_have_attribute("aria-current", "true")
    stage(page).evaluate("stage => stage.scrollIntoView()")
    fingers.spread((340, 180), 2)
    page.wait_for_function(
        """() => document.querySelector(".stage__image").getBoundingClientRect().width > 600"""
    )
    assert zoom(page) == pytest.approx(2, abs=0.1)
    page.touchscreen.tap(*point(page, 300, 140))
    page.touchscreen.tap(*point(page, 400, 220))
    expect(phrase_row(page, 1)).to_contain_text("1 box")
    assert page.evaluate(SMALL_TARGETS) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.get_by_role("button", name="Next phrase").tap()
    page.locator("label", has_text="Nothing to box").tap()
    page.get_by_role("button", name="Next phrase").tap()
    page.locator("label", has_text="Not in the picture").tap()
    page.get_by_role("button", name="Submit").tap()
    expect_submitted(page)
    women, car, race, dogs = submitted(marketplace)
    assert near(women[2], [WOMEN[0], (140, 80, 180, 220)])
    assert near(car[2], [(300, 140, 400, 220)])
    assert (race[1], dogs[1]) == ("scene", "absent")


# --- drawing -------------------------------------------------------------------------------------


def test_box_is_clamped_to_the_picture_and_drawn_over_another_one(page):
    drag(page, (300, 200), (700, 600))
    assert box_names(page) == ["Two women, box 1 of 1, left 300, top 200, 200 by 175 pixels"]
    press(page, "Escape")
    draw(page, (350, 220, 400, 300))
    assert "left 350, top 220, 50 by 80 pixels" in box_names(page)[1]


def test_selected_box_is_moved_and_stays_inside(page):
    draw(page, (300, 200, 400, 300))
    drag(page, (350, 250), (900, 240))
    [name] = box_names(page)
    assert "left 400, top 190, 100 by 100 pixels" in name
    page.get_by_role("button", name="Undo moving a box of “Two women”").click()
    assert "left 300, top 200" in box_names(page)[0]
    press(page, "Control+y")
    assert "left 400, top 190" in box_names(page)[0]


def test_handle_resizes_to_the_minimum_size(page):
    draw(page, (300, 200, 400, 300))
    drag(page, (400, 300), (100, 210))
    assert "left 300, top 200, 3 by 10 pixels" in box_names(page)[0]


def test_too_small_box_is_refused_until_the_picture_is_zoomed(page):
    drag(page, (250, 187), (252, 200))
    expect(note(page)).to_contain_text("at least 3 pixels in each direction. Draw")
    assert box_names(page) == []
    stage(page).focus()
    repeat(page, "+", 12)
    assert zoom(page) == pytest.approx(8, abs=0.01)
    drag(page, (250, 187), (255, 191))
    assert box_names(page) == ["Two women, box 1 of 1, left 250, top 187, 5 by 4 pixels"]


def test_refusal_in_a_small_picture_asks_for_a_larger_box(project, context, open_captions):
    page = open_captions(context, make_caption(project, picture=draw_picture((60, 40), ())))
    drag(page, (20, 20), (22, 30))
    expect(note(page)).to_contain_text("in each direction. Draw a larger box, or zoom in.")


def test_arrow_keys_step_by_pixels_of_the_screen(project, context, open_captions):
    page = open_captions(context, make_caption(project, picture=draw_picture((4000, 3000), ())))
    stage(page).focus()
    press(page, "Enter", "Enter")
    scale = point(page, 1000, 0)[0] - point(page, 0, 0)[0]
    step = round(1000 / scale)
    assert step > 4
    assert moved_by(page, "ArrowRight") == step
    assert moved_by(page, "Shift+ArrowLeft") == -10 * step
    repeat(page, "+", 12)
    assert zoom(page) == pytest.approx(8, abs=0.01)
    assert moved_by(page, "ArrowRight") == 1


def moved_by(page: Page, key: str) -> int:
    """Press a key, and return by how many pixels of the image the only box moved to the right."""
    before = left_of(page)
    press(page, key)
    return left_of(page) - before


def left_of(page: Page) -> int:
    match = re.search(r"left (\d+)", box_names(page)[0])
    assert match
    return int(match[1])


def test_new_box_starts_where_the_last_gesture_was(project, context, open_captions):
    page = open_captions(context, make_caption(project, picture=draw_picture((2000, 1500), ())))
    page.mouse.move(*point(page, 1700, 300))
    page.mouse.wheel(0, -900)
    expect(page.locator(".picture-tools__zoom")).not_to_have_text("1×")
    press(page, "b", "Enter")
    [name] = box_names(page)
    left, top, width, height = map(int, re.findall(r"\d+", name)[2:])
    assert (left + width / 2, top + height / 2) == pytest.approx((1700, 300), abs=10)


def test_wheel_zooms_at_the_pointer_and_a_drag_with_space_pans(page):
    place = point(page, 100, 100)
    page.mouse.move(*place)
    page.mouse.wheel(0, -800)
    expect(page.locator(".picture-tools__zoom")).not_to_have_text("1×")
    assert point(page, 100, 100) == pytest.approx(place, abs=2)
    page.mouse.down()
    page.mouse.up()
    press(page, "Escape")
    page.keyboard.down(" ")
    drag(page, (100, 100), (90, 95))
    page.keyboard.up(" ")
    assert point(page, 100, 100) != pytest.approx(place, abs=3)
    assert box_names(page) == []
    page.get_by_role("button", name="Show the whole picture").click()
    assert zoom(page) == pytest.approx(1)


def test_first_corner_can_be_cancelled(page):
    page.mouse.click(*point(page, 100, 100))
    expect(note(page)).to_contain_text("First corner set.")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("button", name="Add box")).to_be_visible()
    page.mouse.click(*point(page, 200, 200))
    assert box_names(page) == []


def test_unfinished_box_is_dropped_at_another_phrase(page):
    press(page, "b", "n", "Enter", "Escape")
    assert progress(page)[:2] == ["0 of 2 boxes", "to do"]
    press(page, "b")
    draw(page, CAR)
    assert len(box_names(page)) == 1
    page.get_by_role("button", name="Add box").click()
    page.get_by_role("button", name="Place").click()
    assert len(box_names(page)) == 2
    page.mouse.click(*point(page, 20, 20))
    press(page, "n")
    page.mouse.click(*point(page, 80, 80))
    assert box_names(page) == []


def test_captions_of_a_task_are_grounded_in_turn(project, context, open_captions, marketplace):
    page = open_captions(context, make_caption(project), make_caption(project))
    press(page, "s")
    page.get_by_role("button", name="Next caption").click()
    draw(page, CAR)
    assert box_names(page) == ["Two women, box 1 of 1, left 240, top 120, 200 by 120 pixels"]
    press(page, "Control+z", "Control+z")
    expect(page.locator("[data-progress-text]")).to_have_text("Caption 1 of 2")
    press(page, "Control+y")
    expect(page.get_by_role("radio", name="Nothing to box")).to_be_checked()
    page.locator("[data-item-counts]").click()
    page.locator(".item-list").get_by_role("button", name="2. Two women beside a red car").click()
    assert box_names(page) == []
    press(page, "Control+Enter")
    expect(page.locator("[data-problems] button").first).to_have_text(
        "Caption 1: Draw a box for “a red car”, or choose another answer."
    )
    assert axe_findings(page) == []


# --- answers -------------------------------------------------------------------------------------


def test_several_boxes_are_merged_for_a_group(page):
    for woman in WOMEN:
        draw(page, woman)
    press(page, "g")
    expect(note(page)).to_contain_text("The boxes were replaced by one box around all of them.")
    assert box_names(page) == ["Two women, box 1 of 1, left 40, top 60, 150 by 170 pixels"]
    draw(page, (300, 200, 400, 300))
    assert len(box_names(page)) == 1
    press(page, "Control+z", "Control+z")
    assert len(box_names(page)) == 2


def test_box_of_another_phrase_is_adopted_and_moves_for_both(page):
    for woman in WOMEN:
        draw(page, woman)
    phrase_row(page, 2).click()
    expect(page.locator(".box--other")).to_have_count(2)
    page.mouse.click(*point(page, 70, 140))
    page.get_by_role("button", name="Use this box of “Two women” too").click()
    assert progress(page)[2] == "✓ 1 box"
    drag(page, (70, 140), (80, 140))
    assert "a race, box 1 of 1, left 50, top 60" in box_names(page)[0]
    phrase_row(page, 0).click()
    assert "Two women, box 1 of 2, left 50, top 60" in box_names(page)[0]
    page.get_by_role("button", name="Remove Two women, box 1 of 2").click()
    assert progress(page)[0] == "! 1 of 2 boxes"
    assert progress(page)[2] == "✓ 1 box"


def test_box_of_another_phrase_is_adopted_by_keyboard(page):
    for woman in WOMEN:
        draw(page, woman)
    press(page, "n", "o", "o")
    expect(note(page)).to_contain_text("a box of Two women, left 130, top 70, 60 by 160 pixels.")
    expect(note(page)).to_contain_text("Press a: Use this box of “Two women” too.")
    press(page, "a")
    assert box_names(page) == ["a red car, box 1 of 1, left 130, top 70, 60 by 160 pixels"]


def test_open_phrases_are_listed_and_linked(page, marketplace):
    press(page, "s", "n", "g")
    press(page, "Control+Enter")
    problems = page.locator("[data-problems] button")
    expect(problems).to_have_text(
        [
            "Draw a box for “a red car”.",
            "Draw a box for “a race”, or choose another answer.",
            "Draw a box for “their dogs”, or choose another answer.",
        ]
    )
    problems.nth(1).click()
    expect(page.locator(".panel__title")).to_have_text("“a race”")
    expect(stage(page)).to_be_focused()
    assert marketplace.contents == []


def test_draft_is_restored_at_its_phrase(page):
    draw(page, WOMEN[0])
    press(page, "n")
    draw(page, CAR)
    expect(status(page)).to_have_text("Saved")
    page.reload()
    ready(page)
    expect(page.locator(".panel__title")).to_have_text("“a red car”")
    assert progress(page) == ["! 1 of 2 boxes", "✓ 1 box", "to do", "to do"]
    assert "left 240, top 120, 200 by 120 pixels" in box_names(page)[0]


def test_captions_of_one_picture_and_nested_phrases_are_lines_of_words(
    project, context, open_captions
):
    tokens = ["A", "man", "in", "a", "hat", ".", "He", "sits", "."]
    phrases = [phrase(0, 0, 5, chain="1"), phrase(1, 3, 5), phrase(2, 6, 7, chain="1")]
    item = make_caption(project, tokens, phrases, metadata={"captions": [[0, 6], [6, 9]]})
    page = open_captions(context, item)
    lines = page.locator(".caption__line")
    expect(lines).to_have_text(["A man in a hat .", "He sits ."])
    expect(page.locator(".caption__word--current")).to_have_count(9)
    lines.first.get_by_text("hat").click()
    expect(page.locator(".panel__title")).to_have_text("“a hat”")
    lines.first.get_by_text("man").click()
    expect(page.locator(".panel__title")).to_have_text("“A man in a hat”")
    draw(page, CAR)
    lines.nth(1).get_by_text("He").click()
    page.get_by_role("button", name="Use the 1 box of “A man in a hat”").click()
    expect(phrase_row(page, 2)).to_contain_text("1 box")


def test_failed_picture_request_is_retried(project, context, open_captions):
    context.route("**/image/**", lambda route: route.abort())
    page = open_captions(context, make_caption(project))
    expect(page.get_by_text("The picture couldn't be loaded.")).to_be_visible()
    context.unroute("**/image/**")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("The picture couldn't be loaded.")).to_be_hidden()


def test_preview_is_read_only(project, context, live_server):
    task = make_task([make_caption(project)])
    page = context.new_page()
    open_task(page, f"{live_server.url}{reverse('annotation:generate', args=[task.public_id])}")
    draw(page, CAR)
    press(page, "b", "g")
    assert progress(page) == ["0 of 2 boxes", "to do", "to do", "to do"]
    expect(page.get_by_role("radio", name="Nothing to box")).to_be_disabled()
    assert axe_findings(page) == []


def test_hostile_words_are_shown_as_text(project, context, open_captions):
    markup = "<img/src=x/onerror=window.hacked=1>"
    item = make_caption(project, ["A", markup], [phrase(0, 0, 2)])
    page = open_captions(context, item)
    expect(page.locator(".panel__title")).to_have_text(f"“A {markup}”")
    draw(page, CAR)
    assert page.evaluate("window.hacked") is None


# --- accessibility -------------------------------------------------------------------------------


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_axe_finds_nothing_and_focus_is_never_covered(
    project, chromium: Browser, open_captions, look
):
    width, scheme = look
    size = {"width": width, "height": 800}
    with chromium.new_context(viewport=size, color_scheme=scheme) as context:
        context.set_default_timeout(10_000)
        page = open_captions(context, make_caption(project))
        check(page)
        for woman in WOMEN:
            draw(page, woman)
        check(page)
        press(page, "n", "b")
        check(page)
        press(page, "Enter", "n", "n")
        page.locator("summary", has_text="Keyboard shortcuts").click()
        check(page)
        press(page, "Control+Enter")
        expect(page.locator("[data-problems]")).to_be_visible()
        check(page)
        for key in ("Tab", "Shift+Tab"):
            for _ in range(25):
                press(page, key)
                check_uncovered(page)


def check(page: Page) -> None:
    assert axe_findings(page) == []
    assert page.evaluate(SMALL_TARGETS) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_single_keys_need_the_focus_and_can_be_switched_off(page):
    expect_single_keys_need_focus(page)
    stage(page).focus()
    expect_names_without_keys(page)
    expect_single_keys_can_be_off(page)


def test_phrases_and_pressed_buttons_are_visible_in_forced_colours(page):
    force_colors(page)
    draw(page, CAR)
    selected = page.locator(".panel__select[aria-pressed=true]")
    expect(selected).to_have_count(1)
    remove = page.locator(".panel__box button:not(.panel__select)")
    assert forced_look(selected) != forced_look(remove)
    words = page.locator(".caption__word--current"), page.locator(".caption__word--phrase")
    current, phrase_word = words[0], words[1].last
    assert forced_look(current) != forced_look(phrase_word)
    assert forced_look(phrase_row(page, 0)) != forced_look(phrase_row(page, 2))


def test_arrow_keys_announce_where_the_box_ends_up(page):
    stage(page).focus()
    press(page, "Enter", "Enter")
    observe_announcements(page)
    press(page, *["ArrowLeft"] * 5)
    expect(note(page)).to_have_text("left 183, top 141, 125 by 94 pixels")
    assert announcements(page) == ["left 183, top 141, 125 by 94 pixels"]


def test_boxes_are_buttons_in_a_group(page):
    draw(page, CAR)
    boxes = page.get_by_role("group", name="Boxes")
    expect(boxes.get_by_role("button")).to_have_count(1)
