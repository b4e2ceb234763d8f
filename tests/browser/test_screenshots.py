"""The screenshots of the documentation, taken from the demo. `make screenshots` renews them."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from rehearsal.domain.demo import STAFF, WORKER
from tests.environment import ROOT

pytestmark = pytest.mark.long


@pytest.fixture
def demo(embedded_site, tmp_path, free_port) -> Iterator[str]:
    """Start the demo, wait for its gold, and yield its address."""
    url = f"http://127.0.0.1:{free_port}"
    env = {**embedded_site, "SITE_URL": url, "STATIC_ROOT": str(tmp_path / "static")}
    process = subprocess.Popen(
        [sys.executable, "manage.py", "demo"], cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    assert any(line.startswith("Press Ctrl-C") for line in process.stdout)
    yield url
    process.send_signal(signal.SIGINT)
    assert process.wait() == 0
    process.stdout.close()


@pytest.fixture
def page(chromium: Browser, demo: str) -> Iterator[Page]:
    context = chromium.new_context(
        base_url=demo, viewport={"width": 1280, "height": 900}, color_scheme="light"
    )
    yield context.new_page()
    context.close()


def save(page: Page, name: str, tmp_path: Path) -> None:
    folder = Path(os.environ.get("SCREENSHOTS_DIR", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{name}.png")
    assert (folder / f"{name}.png").stat().st_size > 10_000


def sign_in(page: Page, role: str) -> None:
    login = next(login for login in STAFF if login.role == role)
    page.goto("/login/")
    page.locator("input[name=login]").fill(login.name)
    page.locator("input[name=password]").fill(login.password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Projects")).to_be_visible()


def test_pages_of_the_demo_are_saved(page, tmp_path):
    sign_in(page, "admin")
    page.goto("/projects/demo/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    save(page, "overview", tmp_path)
    page.goto("/projects/demo/quality/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    save(page, "quality", tmp_path)
    page.goto("/projects/demo/training/")
    page.locator("main table a[href*='/rounds/']").first.click()
    page.locator("main table th a[href*='/rounds/']").first.click()
    expect(page.get_by_role("heading", name="Item by item")).to_be_visible()
    page.get_by_role("heading", name="Item by item").scroll_into_view_if_needed()
    save(page, "trainer", tmp_path)
    page.goto("/hits/login/")
    page.locator("input[name=username]").fill(WORKER.name)
    page.locator("input[name=password]").fill(WORKER.password)
    page.get_by_role("button", name="Sign in").click()
    accept = page.get_by_role("button", name="Accept one").first
    for _ in range(30):  # the sweeps publish the worker's HITs soon after the demo has started
        if accept.is_visible():
            break
        page.wait_for_timeout(1000)
        page.goto("/hits/")
    accept.click()
    expect(page.frame_locator("iframe").locator("html[data-ready]")).to_have_count(1)
    save(page, "worker", tmp_path)
