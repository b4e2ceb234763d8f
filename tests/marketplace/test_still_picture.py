"""Nothing moves under the pointer while a caption is annotated, in the marketplace's frame and alone."""

import pytest
from playwright.sync_api import Browser

from tests.annotation.factories import make_task, task_url
from tests.browser.grounding import (
    FIVE,
    FIVE_TOKENS,
    PORTRAIT,
    SIZE,
    StillPage,
    draw_picture,
    make_caption,
    make_grounding_project,
    progress,
)
from tests.browser.work import open_task, ready

from .conftest import log_in_as, question

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SHAPES = pytest.mark.parametrize("size", [SIZE, PORTRAIT], ids=["landscape", "portrait"])
DONE = ["✓ 2 of 2 boxes", "✓ 1 box", "✓ nothing to box", "✓ group box", "✓ 1 box"]
WINDOW = {"width": 1366, "height": 768}
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


def make_five(size: tuple[int, int]):
    picture = draw_picture(size)
    return make_task([make_caption(make_grounding_project(), FIVE_TOKENS, FIVE, picture=picture)])


@SHAPES
def test_in_the_marketplace(chromium: Browser, own_site, worker, publish, size):
    publish(Question=question(f"{own_site}/generate/{make_five(size).public_id}/"))
    with chromium.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        log_in_as(page, own_site, worker)
        page.goto(f"{own_site}/hits/")
        page.get_by_role("button", name="Accept one").click()
        page.wait_for_url("**/hits/work/*/")
        frame = page.locator("iframe#task").element_handle().content_frame()
        assert frame
        ready(frame)
        still = StillPage(frame, page)
        still.annotate()
        assert frame.locator(".phrase__progress").all_inner_texts() == DONE
        assert still.moved == []


@SHAPES
@pytest.mark.parametrize("kind", ["laptop", "phone"])
def test_alone(chromium: Browser, live_server, settings, size, kind):
    options = {"viewport": WINDOW} if kind == "laptop" else PHONE
    address = task_url(make_five(size), submit_to=settings.MTURK_WORKER_ORIGINS[0])
    with chromium.new_context(**options) as context:
        page = open_task(context.new_page(), f"{live_server.url}{address}")
        still = StillPage(page, page, by_touch=kind == "phone")
        still.annotate()
        assert progress(page) == DONE
        assert still.moved == []
