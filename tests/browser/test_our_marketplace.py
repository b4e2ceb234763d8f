"""A worker's path through the built-in marketplace, in a real browser.

The worker joins by invitation, works in the sandboxed frame by keyboard alone, and is paid by the sweeps.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, BrowserContext, Frame, Page, expect

from rehearsal.domain.site import process_commands, wait_until_up
from tests.axe import axe_findings
from tests.browser.work import AGENT, PATIENT, chips, ready
from tests.starts import starter

pytestmark = [pytest.mark.browser, pytest.mark.system]

# Sweeps are slow on a busy machine.
TIMEOUT_SECONDS = 120
WHEN = "When did someone carry something?"


@dataclass
class Market:
    url: str
    invitation: str
    run: Callable[..., str]


@pytest.fixture
def either_site_migrated(either_site, migrate, collected) -> dict[str, str]:
    migrate(either_site)
    return either_site


@pytest.fixture
def market(either_site_migrated, free_port, tmp_path, start_process) -> Market:
    """Run the site and its marketplace with a web server and a Celery worker, as in production."""
    url = f"http://127.0.0.1:{free_port}"
    environment = {
        **either_site_migrated,
        "SITE_URL": url,
        "SWEEP_SECONDS": "0.5",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }

    def run(*command: str) -> str:
        process = starter().run(*command, env=environment)
        assert process.returncode == 0, process.stderr
        return process.stdout

    invitation = run("-m", "tests.browser.seed_market")
    for name, command in process_commands("127.0.0.1", free_port).items():
        start_process(command, env=environment, log=tmp_path / f"{name}.log")
    wait_until_up(url, seconds=TIMEOUT_SECONDS)
    return Market(url, invitation, run)


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    with chromium.new_context(viewport={"width": 1280, "height": 800}) as context:
        context.set_default_timeout(60_000)
        yield context


@pytest.mark.parametrize(
    "either_site", ["servers", pytest.param("embedded", marks=pytest.mark.long)], indirect=True
)
def test_work_in_the_frame_is_submitted_and_paid(market: Market, context: BrowserContext):
    page = context.new_page()
    join(page, market)
    accept = page.get_by_role("button", name="Accept one for $0.05")
    reload_until(page, lambda: accept.count() == 1)
    tab_to(page, "document.activeElement.textContent.startsWith('Accept one')")
    page.keyboard.press("Enter")

    task = page.locator("iframe#task")
    expect(task).to_have_attribute(
        "sandbox", "allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox"
    )
    frame = task.element_handle().content_frame()
    assert frame
    ready(frame)
    assert frame.evaluate("window.origin") == "null"
    assert axe_findings(page) == []
    page.evaluate("document.getElementById('task').focus()")
    annotate(page, frame)
    # No place is left, so the wrapper continues to the list.
    page.wait_for_url(f"{market.url}/hits/")

    page.goto(f"{market.url}/hits/history/")
    row = page.locator("tbody tr")
    reload_until(page, lambda: "Approved" in row.inner_text())
    reload_until(page, lambda: "includes 0.05 bonus" in row.locator(".number").inner_text())
    page.goto(f"{market.url}/hits/earnings/")
    expect(page.locator("main")).to_contain_text("0.10")


def join(page: Page, market: Market) -> None:
    page.goto(f"{market.url}/hits/join/{market.invitation}/")
    for name, value in {
        "username": "rosa",
        "email": "rosa@example.org",
        "password": "nine green horses",
        "country": "US",
    }.items():
        field = page.locator(f"[name={name}]")
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    page.get_by_role("button", name="Create account").click()
    page.wait_for_url(f"{market.url}/hits/")


def annotate(page: Page, frame: Frame) -> None:
    """Write three questions with an answer each and submit them, by keyboard alone."""
    keys = page.keyboard
    tab_to(page, "document.activeElement.getAttribute('role') === 'combobox'", frame)
    for question, first, words in ((AGENT, "", 2), (PATIENT, "o", 2), (WHEN, "s", 1)):
        keys.type(question)
        keys.press("Enter")
        expect(frame.locator("#sentence")).to_be_focused()
        if first:
            keys.press(first)  # moves to the next word with this first letter
        for _ in range(words - 1):
            keys.press("Shift+ArrowRight")
        keys.press("Enter")
        keys.press("Enter")  # with an answer just added, this continues with the next question
    assert chips(frame) == ["The rebels", "old radio", "Sunday"]
    tab_to(page, "document.activeElement.hasAttribute('data-submit')", frame)
    keys.press("Enter")


def tab_to(page: Page, condition: str, frame: Frame | None = None) -> None:
    for _ in range(60):
        if (frame or page).evaluate(condition):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"The keyboard does not lead to {condition}.")


def reload_until(page: Page, condition: Callable[[], bool]) -> None:
    end = time.monotonic() + TIMEOUT_SECONDS
    while not condition():
        assert time.monotonic() < end, f"Timed out on {page.url}"
        time.sleep(0.5)
        page.reload()
