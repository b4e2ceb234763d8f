"""The grounding page on a separate site, with a killed server, its weight and its frame rate."""

import json
import statistics
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, Request, expect

from tests.bench.results import record
from tests.browser.grounding import WOMEN, box_names, draw, point, progress
from tests.browser.own_site import OwnSite, own_site
from tests.browser.work import expect_submitted, open_task, press, ready, status, submit, weight_of
from tests.conftest import Migrate

pytestmark = pytest.mark.browser

BOXES = 50
RUNS = 5
# One frame of a display at 60 Hz, with a margin for rounding of the clock.
LIMIT_MS = 17.5
# Moves the pointer once per frame, and measures the time between frames.
DRAG = """async ({start, end, steps}) => {
    const stage = document.querySelector("[data-stage]");
    const send = (type, {x, y}) => stage.dispatchEvent(new PointerEvent(type, {
        bubbles: true, cancelable: true, pointerId: 1, pointerType: "mouse", isPrimary: true,
        button: 0, buttons: 1, clientX: x, clientY: y,
    }));
    stage.setPointerCapture = () => {};
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    send("pointerdown", start);
    let last = await frame();
    const times = [];
    for (let step = 1; step <= steps; step += 1) {
        const share = step / steps;
        const at = {
            x: start.x + (end.x - start.x) * share,
            y: start.y + (end.y - start.y) * share,
        };
        send("pointermove", at);
        const now = await frame();
        times.push(now - last);
        last = now;
    }
    send("pointerup", end);
    return times;
}"""


@pytest.fixture(scope="module")
def grounding_site(
    tmp_path_factory: pytest.TempPathFactory, migrate: Migrate, collected: str
) -> Iterator[OwnSite]:
    var = tmp_path_factory.mktemp("grounding-site")
    with own_site(var, migrate, collected, "tests.browser.seed_grounding") as site:
        yield site


def test_draft_survives_a_killed_server(grounding_site: OwnSite, context: BrowserContext):
    page = open_task(context.new_page(), grounding_site.address("killed"))
    draw(page, WOMEN[0])
    expect(status(page)).to_have_text("Saved")
    grounding_site.kill()
    draw(page, WOMEN[1])
    press(page, "n", "x")
    expect(status(page)).to_contain_text("You're offline")
    expected = ["✓ 2 of 2 boxes", "✓ not in the picture", "to do", "to do"]
    assert progress(page) == expected
    grounding_site.start()
    expect(status(page)).to_have_text("Saved")
    page.reload()
    ready(page)
    assert progress(page) == expected
    draft = grounding_site.draft("killed")
    labels = [label for _, _, label in json.loads(draft["log"])]
    assert labels == [
        "a box for “Two women”",
        "a box for “Two women”",
        "going to “a red car”",
        "“a red car”: not in the picture",
    ]
    assert draft["moves"] == len(labels)


def test_works_in_a_cross_site_sandboxed_frame_without_cookies(
    grounding_site: OwnSite, context: BrowserContext
):
    page = context.new_page()
    failed: list[str] = []
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.on("requestfailed", lambda request: failed.append(request.url))
    page.on("console", lambda message: message.type == "error" and failed.append(message.text))
    page.goto(grounding_site.marketplace.frame_url(grounding_site.address("frame")))
    frame = ready(page.frames[1])
    assert frame.evaluate("origin") == "null"
    frame.wait_for_function("document.querySelector('.stage__image').naturalWidth === 500")
    frame.locator("[data-stage]").focus()
    press(page, "Enter", "Enter", "n", "s", "n", "s", "n", "s")
    submit(frame)
    expect_submitted(frame)
    assert context.cookies() == []
    assert failed == []


def test_first_visit_weighs_at_most_60_kb_without_the_image(
    grounding_site: OwnSite, context: BrowserContext
):
    page = context.new_page()
    finished: list[Request] = []
    page.on("requestfinished", lambda request: finished.append(request))  # noqa: PLW0108
    open_task(page, grounding_site.address("weight"))
    page.wait_for_load_state("networkidle")
    assert all(request.response().status == 200 for request in finished)
    paths = [urlsplit(request.url).path for request in finished]
    assert len(set(paths)) == len(paths)
    sizes = dict(zip(paths, map(weight_of, finished), strict=True))
    assert any("/image/" in path for path in sizes)
    total = sum(size for path, size in sizes.items() if "/image/" not in path)
    record("Grounding page, first visit without the image", f"{total / 1000:.1f} kB")
    assert total <= 60_000


def place_boxes(page: Page) -> None:
    """Draw many boxes for the first phrase."""
    for at in range(BOXES):
        x, y = 10 + (at % 10) * 46, 10 + (at // 10) * 70
        draw(page, (x, y, x + 30, y + 40))
        press(page, "Escape")
    assert len(box_names(page)) == BOXES


@pytest.mark.bench
def test_box_is_dragged_at_60_frames_a_second_on_a_slow_machine(
    grounding_site: OwnSite, context: BrowserContext
):
    page = open_task(context.new_page(), grounding_site.address("speed"))
    place_boxes(page)
    start, end = point(page, 25, 30), point(page, 400, 300)
    page.mouse.click(*start)
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})
    path = {
        "start": dict(zip("xy", start, strict=True)),
        "end": dict(zip("xy", end, strict=True)),
        "steps": 120,
    }
    runs: list[list[float]] = [page.evaluate(DRAG, path)]
    assert any("left 385, top 280, 30 by 40 pixels" in name for name in box_names(page))
    for _ in range(RUNS - 1):
        path["start"], path["end"] = path["end"], path["start"]
        runs.append(page.evaluate(DRAG, path))
    # The middle run. Other load on the machine disturbs a few runs.
    p95 = statistics.median(map(_p95, runs))
    middle = statistics.median(map(statistics.median, runs))
    print(f"milliseconds in {RUNS} runs: median {middle:.1f}, p95 {p95:.1f}")  # noqa: T201
    record(
        "Frame while dragging one of 50 boxes, CPU slowed 4 times",
        f"{p95:.1f} ms (median of runs)",
    )
    assert p95 <= LIMIT_MS


def _p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]
