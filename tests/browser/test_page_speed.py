"""The weight of the page, and its response time to a keystroke. See docs/reference/benchmarks.md."""

import statistics
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Request

from tests.bench.results import record
from tests.browser.conftest import Site
from tests.browser.work import AGENT, ask, box, open_task

pytestmark = pytest.mark.browser

TYPED = [
    "What did someone carry?",
    "Where did someone carry something?",
    "When was something carried out of something?",
    "Why might something have been carried?",
    "How long had someone been carrying something for someone?",
    "Who was caried by",
    "What would someone not carry something to do?",
]
RUNS = 7
SUGGESTION = "Suggestion after a keystroke"
FRAME_MS = 16
# From the keystroke to a rendered page, with the handlers, style and forced layout.
MEASURE = """(changed) => {
    window.keystrokes = [];
    let start = 0;
    window.addEventListener("input", () => { start = performance.now(); }, true);
    window.addEventListener("input", () => {
        document.querySelector(changed).getBoundingClientRect();
        document.body.offsetHeight;
        window.keystrokes.push(performance.now() - start);
    });
}"""


@pytest.mark.bench
def test_keystroke_is_rendered_within_a_frame_on_a_slow_machine(
    site: Site, context: BrowserContext
):
    qasrl = open_task(context.new_page(), site.address("latency"))
    ask(qasrl, 1, AGENT, (0, 1))
    _slow_down(qasrl, ".question-box__offers")
    custom = open_task(context.new_page(), site.address("latency-custom"))
    for at in range(0, 40, 4):
        custom.locator("[role=option]").nth(at).click()
        custom.get_by_role("button", name="Person").first.click()
    _slow_down(custom, ".spans")
    written = {
        SUGGESTION: box(qasrl, 2),
        "Keystroke in a text of a custom scheme": custom.get_by_role("textbox", name="Why?"),
        "Keystroke in a question of a custom scheme": custom.get_by_role(
            "textbox", name="Question 1"
        ),
    }
    runs: dict[str, list[list[float]]] = {name: [] for name in written}
    for _ in range(RUNS):
        for name, field in written.items():
            field.page.bring_to_front()
            runs[name].append(_times(field))
    p95 = {name: _report(name, times) for name, times in runs.items()}
    # Other load on the machine slows all of them.
    assert max(p95.values()) <= 1.5 * p95[SUGGESTION]
    assert max(p95.values()) <= FRAME_MS


def _report(name: str, runs: list[list[float]]) -> float:
    """Print and record the times of keystrokes, and return the 95th percentile.

    It is that of the middle run, because other load on the machine disturbs a few runs.
    """
    middle = statistics.median(map(statistics.median, runs))
    p95 = statistics.median(map(_p95, runs))
    worst = max(map(max, runs))
    summary = f"median {middle:.1f}, p95 {p95:.1f}, slowest of all runs {worst:.1f}"
    print(f"{name}, milliseconds in {RUNS} runs: {summary}")  # noqa: T201
    record(f"{name}, CPU slowed 4 times", f"{p95:.1f} ms (median of runs)")
    return p95


def _slow_down(page: Page, changed: str) -> None:
    """Slow the page down, and measure until a part of it that a keystroke changes has its place."""
    page.evaluate(MEASURE, changed)
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})


def _p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def _times(written: Locator) -> list[float]:
    """Return the milliseconds of each keystroke of TYPED."""
    page = written.page
    for question in TYPED:
        written.fill("")
        page.evaluate("window.keystrokes.pop()")
        written.press_sequentially(question)
    times: list[float] = page.evaluate("window.keystrokes.splice(0)")
    assert len(times) == sum(map(len, TYPED))
    return times


def test_page_weighs_at_most_60_kb(site: Site, context: BrowserContext):
    page = context.new_page()
    finished: list[Request] = []
    page.on("requestfinished", lambda request: finished.append(request))  # noqa: PLW0108
    open_task(page, site.address("weight"))
    page.wait_for_load_state("networkidle")
    sizes = {urlsplit(request.url).path: _weight(request) for request in finished}
    assert {request.response().status for request in finished} == {200}
    # A module that is preloaded under one name and imported under another is fetched twice.
    assert len(sizes) == len(finished)
    total = sum(sizes.values())
    print(f"page weight: {total} bytes in {len(sizes)} files")  # noqa: T201
    record("Worker's page, first visit", f"{total / 1000:.1f} kB")
    assert total <= 60_000


def _weight(request: Request) -> int:
    size = request.sizes()["responseBodySize"]
    response = request.response()
    assert response
    # Chromium reports the uncompressed size of responses from its preload cache.
    if response.headers.get("content-encoding"):
        return min(size, int(response.headers.get("content-length", size)))
    return size


def test_all_files_are_requested_by_the_document(site: Site, context: BrowserContext):
    page = context.new_page()
    initiators: dict[str, str] = {}
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.on(
        "Network.requestWillBeSent",
        lambda event: initiators.setdefault(
            event["request"]["url"], event["initiator"].get("url", "")
        ),
    )
    open_task(page, site.address("weight"))
    page.wait_for_load_state("networkidle")
    document = page.url
    chained = {url: by for url, by in initiators.items() if by and by != document}
    assert chained == {}
