"""The frames page on a separate site, with a killed server, its weight and the speed of its search."""

import json
import statistics
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, Request, expect

from tests.bench.results import record
from tests.browser.frames import (
    choose_frame,
    current_step,
    go_on,
    labels_of_arguments,
    mention_no_arguments,
    open_argument,
    understand,
)
from tests.browser.own_site import OwnSite, own_site
from tests.browser.work import expect_submitted, open_task, press, ready, status, submit, weight_of
from tests.conftest import Migrate

pytestmark = pytest.mark.browser

TYPED = ["commerce", "something moves", "ver ta", "state", "geloneri", "pur sta mo", "origin"]
RUNS = 5
LIMIT_MS = 100
# From the keystroke to a rendered page.
MEASURE = """() => {
    window.keystrokes = [];
    let start = 0;
    window.addEventListener("input", () => { start = performance.now(); }, true);
    window.addEventListener("input", () => {
        document.querySelector("[data-frames]").getBoundingClientRect();
        document.body.offsetHeight;
        window.keystrokes.push(performance.now() - start);
    });
}"""


@pytest.fixture(scope="module")
def frames_site(
    tmp_path_factory: pytest.TempPathFactory, migrate: Migrate, collected: str
) -> Iterator[OwnSite]:
    var = tmp_path_factory.mktemp("frames-site")
    with own_site(var, migrate, collected, "tests.browser.seed_frames") as site:
        yield site


def test_draft_survives_a_killed_server(frames_site: OwnSite, context: BrowserContext):
    page = open_task(context.new_page(), frames_site.address("killed"))
    understand(page)
    choose_frame(page, "Arriving")
    go_on(page)
    open_argument(page, 2)
    press(page, "a")
    expect(status(page)).to_have_text("Saved")
    frames_site.kill()
    open_argument(page, 6)
    press(page, "b")
    expect(status(page)).to_contain_text("You're offline")
    expected = ["“wine” Theme · Theme", "“France” Goal · Goal"]
    assert labels_of_arguments(page) == expected
    frames_site.start()
    expect(status(page)).to_have_text("Saved")
    page.reload()
    ready(page)
    expect(current_step(page)).to_contain_text("Arguments")
    assert labels_of_arguments(page) == expected
    draft = frames_site.draft("killed")
    labels = [label for _, _, label in json.loads(draft["log"])]
    assert labels[-4:] == [
        "marking “wine”",
        "the element Theme for “wine”",
        "marking “France”",
        "the element Goal for “France”",
    ]
    assert draft["moves"] == len(labels)


def test_works_in_a_cross_site_sandboxed_frame_without_cookies(
    frames_site: OwnSite, context: BrowserContext
):
    page = context.new_page()
    failed: list[str] = []
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.on("requestfailed", lambda request: failed.append(request.url))
    page.goto(frames_site.marketplace.frame_url(frames_site.address("frame")))
    frame = ready(page.frames[1])
    assert frame.evaluate("origin") == "null"
    frame.get_by_role("button", name="I understand the sentence").click()
    frame.get_by_role("button", name="Details of Arriving").click()
    expect(frame.get_by_text("What Goal means.")).to_be_visible()
    frame.locator(".frame-row__choice", has_text="Arriving").click()
    mention_no_arguments(frame)
    frame.locator(".stepper").get_by_role("button", name="Rate").click()
    frame.locator("label", has_text="a guess").click()
    submit(frame)
    expect_submitted(frame)
    assert context.cookies() == []
    assert failed == []


@pytest.mark.parametrize(
    ("name", "role"),
    [("weight", "annotator"), ("validate", "verifier"), ("consolidate", "consolidator")],
)
def test_first_visit_weighs_at_most_60_kb_without_the_index(
    frames_site: OwnSite, context: BrowserContext, name: str, role: str
):
    page = context.new_page()
    finished: list[Request] = []
    page.on("requestfinished", lambda request: finished.append(request))  # noqa: PLW0108
    open_task(page, frames_site.address(name))
    page.wait_for_load_state("networkidle")
    assert all(request.response().status == 200 for request in finished)
    paths = [urlsplit(request.url).path for request in finished]
    # A frame and what others did with it are looked up at the same address.
    sent = [request.post_data or "" for request in finished]
    assert len({*zip(paths, sent, strict=True)}) == len(paths)
    sizes = zip(paths, map(weight_of, finished), strict=True)
    total = sum(size for path, size in sizes if "/index/" not in path)
    record(f"Frames page of the {role}, first visit without the index", f"{total / 1000:.1f} kB")
    assert total <= 60_000


@pytest.mark.bench
def test_search_answers_a_keystroke_within_100_ms_on_a_slow_machine(
    frames_site: OwnSite, context: BrowserContext
):
    page = open_task(context.new_page(), frames_site.address("latency"))
    understand(page)
    page.get_by_label("Search all frames").fill("something")
    expect(page.locator("[data-frames-state]")).to_have_text("3 frames found.")
    page.evaluate(MEASURE)
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})
    runs = [_times(page) for _ in range(RUNS)]
    # The middle run. Other load on the machine disturbs a few runs.
    p95 = statistics.median(map(_p95, runs))
    middle = statistics.median(map(statistics.median, runs))
    print(f"milliseconds in {RUNS} runs: median {middle:.1f}, p95 {p95:.1f}")  # noqa: T201
    record(
        "Search of 1,200 frames after a keystroke, CPU slowed 4 times",
        f"{p95:.1f} ms (median of runs)",
    )
    assert p95 <= LIMIT_MS


def _p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def _times(page: Page) -> list[float]:
    """Return the milliseconds of each keystroke of TYPED."""
    search = page.get_by_label("Search all frames")
    for query in TYPED:
        search.fill("")
        page.evaluate("window.keystrokes.pop()")
        search.press_sequentially(query)
    times: list[float] = page.evaluate("window.keystrokes.splice(0)")
    assert len(times) == sum(map(len, TYPED))
    return times
