"""The tutorials of the frames and the grounding scheme, on the page of each role."""

from collections.abc import Callable, Iterator

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Page, expect

from consolidation.models import Case
from projects.domain.choose_protocol import choose_protocol
from projects.models import Project
from tests.annotation.factories import NOW, make_task, task_url
from tests.axe import axe_findings
from tests.browser.frames import (
    FRANCE,
    WINE,
    frame,
    make_frames_project,
    make_record,
    record,
    verification_case,
    word,
)
from tests.browser.grounding import make_caption, make_grounding_project, stage
from tests.browser.test_grounding_cases import OURS, THEIRS, validation_case
from tests.browser.test_tutorial import start, step
from tests.browser.work import open_task, press
from tests.consolidation.factories import make_case_of
from tests.schemes.frames.projects import import_sample
from tests.signed import signed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def open_page(live_server, settings) -> Iterator[Callable[..., Page]]:
    """Return a function that opens a work page, and check that no script fails."""
    errors: list[str] = []
    origin = settings.MTURK_WORKER_ORIGINS[0]

    def open_page(context: BrowserContext, role: str, subject) -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        if role == "generate":
            address = task_url(make_task([subject]), submit_to=origin)
        else:
            path = reverse(f"consolidation:{role}", args=[subject.task.public_id])
            query = f"assignmentId=A1&hitId=H1&workerId=W1&turkSubmitTo={origin}"
            address = signed(f"{path}?{query}")
        return open_task(page, f"{live_server.url}{address}")

    yield open_page
    assert errors == []


def frames_project() -> Project:
    project = make_frames_project()
    import_sample(project)
    return project


def frames_case() -> Case:
    item = make_record(frames_project())
    return make_case_of(item, record("Origin", WINE, FRANCE), record("Origin", WINE, FRANCE))


def frames_verification() -> Case:
    project = choose_protocol(
        project=frames_project(), protocol="verification", actor="test", now=NOW
    )
    return verification_case(project, record("Origin", WINE, FRANCE))


def grounding_case() -> Case:
    return make_case_of(make_caption(make_grounding_project()), OURS, THEIRS)


def grounding_validation() -> Case:
    return validation_case(make_grounding_project(), OURS)


PAGES: dict[str, tuple[str, Callable]] = {
    "frames-generate": ("generate", lambda: make_record(frames_project())),
    "frames-consolidate": ("consolidate", frames_case),
    "frames-validate": ("validate", frames_verification),
    "grounding-generate": ("generate", lambda: make_caption(make_grounding_project())),
    "grounding-consolidate": ("consolidate", grounding_case),
    "grounding-validate": ("validate", grounding_validation),
}


def drag(page: Page, box: tuple[int, int, int, int]) -> None:
    """Drag the mouse over a box in the example's picture, which is 480 pixels wide."""
    stage(page).scroll_into_view_if_needed()
    place = page.locator(".stage__image").bounding_box()
    assert place
    scale = place["width"] / 480
    x1, y1, x2, y2 = (side * scale for side in box)
    page.mouse.move(place["x"] + x1, place["y"] + y1)
    page.mouse.down()
    page.mouse.move(place["x"] + (x1 + x2) / 2, place["y"] + (y1 + y2) / 2)
    page.mouse.move(place["x"] + x2, place["y"] + y2)
    page.mouse.up()


def test_record_tutorial(open_page, context):
    page = open_page(context, "generate", PAGES["frames-generate"][1]())
    start(page)
    press(page, "Enter")
    step(page, 2)
    frame(page, "Giving").check()
    step(page, 3)
    press(page, "Shift+Enter")
    word(page, 1).click()
    step(page, 4)
    expect(page.locator(".argument--active [type=radio]").first).to_be_focused()
    press(page, "a")
    step(page, 5)
    page.get_by_role("button", name="Start the task").click()
    expect(page.locator("h1 [data-verb]").first).to_have_text("came")


def test_record_consolidation_tutorial(open_page, context):
    page = open_page(context, "consolidate", frames_case())
    start(page)
    press(page, "Shift+G")
    step(page, 2)
    row = page.locator("[data-rows] > li")
    row.nth(1).get_by_role("radio", name="A “").check()
    step(page, 3)
    row.nth(2).get_by_role("radio", name="Drop").check()
    step(page, 4)
    page.get_by_role("radio", name="4 sure of the frame").check()
    step(page, 5)


def test_verification_tutorial_by_keyboard(open_page, context):
    page = open_page(context, "validate", frames_verification())
    start(page)
    press(page, *"vv")
    step(page, 2)
    press(page, *"vvv")
    step(page, 3)
    press(page, "v", "d")
    page.keyboard.type("They receive something.")
    step(page, 4)
    page.get_by_role("button", name="Add a missing argument").click()
    word(page, 7).click()
    step(page, 5)


def test_boxes_tutorial(open_page, context):
    page = open_page(context, "generate", PAGES["grounding-generate"][1]())
    start(page)
    drag(page, (69, 212, 182, 275))
    step(page, 2)
    drag(page, (219, 233, 321, 290))
    step(page, 3)
    press(page, "n")
    drag(page, (330, 270, 360, 302))
    step(page, 4)
    press(page, "n", "s")
    step(page, 5)
    page.get_by_role("button", name="Start the task").click()
    expect(page.locator("[data-caption]")).to_contain_text("women")


def test_box_consolidation_tutorial_by_keyboard(open_page, context):
    page = open_page(context, "consolidate", grounding_case())
    start(page)
    press(page, "1")
    step(page, 2)
    press(page, "n", "1")
    step(page, 3)
    press(page, "j")
    step(page, 4)
    press(page, "Control+Enter")
    step(page, 5)


def test_box_validation_tutorial_by_keyboard(open_page, context):
    page = open_page(context, "validate", grounding_validation())
    start(page)
    press(page, "v")
    step(page, 2)
    press(page, "1")
    step(page, 3)
    press(page, "m")
    step(page, 4)
    press(page, "v", "d")
    step(page, 5)


# Each page has one of its two looks here, and the other in test-long.
@pytest.mark.parametrize(
    ("name", "view"),
    [
        pytest.param(name, view, marks=[] if (at + turn) % 2 else pytest.mark.long)
        for at, name in enumerate(PAGES)
        for turn, view in enumerate([(1280, "light"), (360, "dark")])
    ],
    ids=str,
)
def test_tutorial_is_accessible_and_fits(open_page, chromium: Browser, name, view):
    width, scheme = view
    role, make = PAGES[name]
    size = {"width": width, "height": 800}
    with chromium.new_context(viewport=size, color_scheme=scheme) as context:
        context.set_default_timeout(10_000)
        page = open_page(context, role, make())
        start(page)
        for number in range(1, 6):
            step(page, number)
            assert axe_findings(page) == []
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
            expect(page.get_by_role("button", name="Leave the tutorial")).to_be_in_viewport()
            press(page, "Control+Enter")
        expect(page.locator("[data-tutorial]")).to_have_count(0)
