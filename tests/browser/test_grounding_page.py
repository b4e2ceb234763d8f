"""The annotator's page of the grounding scheme, worked on as an annotator does."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from annotation.models import Draft, Item
from projects.models import Project
from schemes.base import Json
from tests.annotation.factories import make_task, task_url
from tests.browser.grounding import (
    CAR,
    WOMEN,
    draw,
    make_caption,
    make_grounding_project,
    phrase_row,
    point,
    progress,
    stage,
)
from tests.browser.work import arrived, open_task, press, submit

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def project(settings, tmp_path) -> Project:
    settings.MEDIA_ROOT = tmp_path
    return make_grounding_project()


@dataclass
class Marketplace:
    """The marketplace of the settings, which the browser reaches without a network."""

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
    """Opens a task in a browser whose pages raise no error."""
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
    """Return the only grounding that the marketplace received, which is also the stored draft."""
    [content] = marketplace.contents
    assert Draft.objects.get().content == content
    [grounding] = content.values()
    return [(phrase["id"], phrase["state"], phrase["boxes"]) for phrase in grounding["phrases"]]


def near(boxes: list[list[int]], expected: list[tuple[int, ...]]) -> bool:
    """Return True if the boxes differ by at most 2 pixels, which the screen can't resolve."""
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
    arrived(page)
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
