"""The screenshots of the documentation, taken from the demo. Renew them with `make screenshots`."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from rehearsal.domain.demo import STAFF, WORKER
from tests.environment import ROOT

pytestmark = pytest.mark.long

# Pages without preparation, by the name of the image.
PAGES = {
    "overview": "/projects/demo/",
    "quality": "/projects/demo/quality/",
    "agreement": "/projects/demo/agreement/",
    "items": "/projects/demo/items/?state=consolidated&text=the&sort=key",
    "batches": "/projects/demo/batches/?select=1",
    "costs": "/projects/demo/costs/",
    "log": "/projects/demo/log/",
    "members": "/projects/demo/members/",
}


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
def demo_data(embedded_site) -> dict[str, str]:
    """Return the environment of processes that use the demo's data."""
    return {
        **embedded_site,
        "DEMO": "true",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "VAR_DIR": str(Path(embedded_site["VAR_DIR"], "demo")),
    }


@pytest.fixture
def page(chromium: Browser, demo: str) -> Iterator[Page]:
    context = chromium.new_context(
        base_url=demo, viewport={"width": 1280, "height": 900}, color_scheme="light"
    )
    yield context.new_page()
    context.close()


def save(page: Page, name: str, tmp_path: Path) -> None:
    """Save the visible window as an image with a colour palette, which is smaller."""
    folder = Path(os.environ.get("SCREENSHOTS_DIR", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.png"
    page.wait_for_load_state("networkidle")
    page.screenshot(path=path, animations="disabled")
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(128, dither=Image.Dither.NONE)
    small.save(path, optimize=True)
    assert 5_000 < path.stat().st_size < 150_000


def sign_in(page: Page, role: str) -> None:
    login = next(login for login in STAFF if login.role == role)
    page.context.clear_cookies()
    page.goto("/login/")
    page.locator("input[name=login]").fill(login.name)
    page.locator("input[name=password]").fill(login.password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Projects")).to_be_visible()


def heading(page: Page, name: str | re.Pattern[str]) -> None:
    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()


def scroll_to(page: Page, name: str) -> None:
    page.get_by_role("heading", name=name).evaluate("element => element.scrollIntoView()")


def save_setup(page: Page, tmp_path: Path) -> None:
    """Save the pages for creating and publishing a project."""
    page.goto("/projects/new/")
    page.get_by_label("Title").fill("News")
    page.get_by_role("radio", name=re.compile("^QA-SRL")).check()
    page.get_by_role("button", name="Create project").click()
    heading(page, "Corpus")
    page.get_by_role("button", name="Use the sample corpus").click()
    heading(page, re.compile("Preview"))
    expect(page.get_by_role("button", name=re.compile("^Import"))).to_be_visible(timeout=120_000)
    save(page, "corpus", tmp_path)
    page.goto("/projects/news/")
    heading(page, "News")
    save(page, "setup", tmp_path)
    page.goto("/projects/demo-open/publish/")
    page.get_by_label("Number of HITs").fill("50")
    page.get_by_role("button", name="Preview cost").click()
    heading(page, re.compile("Publish"))
    save(page, "publish", tmp_path)


def save_training(page: Page, tmp_path: Path) -> None:
    page.goto("/projects/demo/training/")
    page.locator("main table a[href*='/rounds/']").first.click()
    heading(page, "Training 1")
    page.locator("#filters").evaluate("element => element.scrollIntoView()")
    save(page, "round", tmp_path)
    page.locator("main table tbody th a[href*='/rounds/']").first.click()
    scroll_to(page, "Item by item")
    save(page, "trainer", tmp_path)


def save_invitations(page: Page, tmp_path: Path) -> None:
    """Save the page that invites workers by ticking."""
    page.goto("/projects/demo/training/")
    page.get_by_role("link", name="Training 3", exact=True).click()
    page.get_by_role("link", name="Invite workers", exact=True).click()
    heading(page, "Invite workers to Training 3")
    tick(page, 3)
    save(page, "invite", tmp_path)


def save_operator(page: Page, tmp_path: Path) -> None:
    page.goto("/hits/operator/workers/")
    page.get_by_role("button", name="Create invitations").click()
    heading(page, "Workers")
    save(page, "operator", tmp_path)
    page.goto("/hits/operator/statement/")
    heading(page, "Payout statement")
    tick(page, 3)
    page.get_by_label("Reference").fill("Transfer 4711")
    page.locator(".table-scroll").evaluate("element => element.scrollIntoView()")
    save(page, "payouts", tmp_path)


def tick(page: Page, count: int) -> None:
    """Tick the first rows of the list."""
    boxes = page.locator("main tbody input[type=checkbox]")
    for at in range(count):
        boxes.nth(at).check()


def save_chosen_items(page: Page, tmp_path: Path) -> None:
    """Save the page that adds ticked items to an expert queue."""
    page.goto("/projects/demo-open/items/?sort=key")
    tick(page, 4)
    page.get_by_role("button", name="Add ticked items").click()
    heading(page, "Add items to an expert queue")
    page.get_by_label("Title of the new queue").fill("Gold for training")
    save(page, "expert-queue", tmp_path)


def create_queue(page: Page, project: str) -> None:
    page.goto(f"/projects/{project}/experts/")
    page.locator("summary", has_text="Annotate items").click()
    form = page.locator("form", has=page.get_by_label("Experts per item"))
    form.get_by_label("Title").fill("Boxes of the first pictures")
    form.get_by_label("Sample size").fill("3")
    form.get_by_role("button", name="Create queue").click()
    expect(page.get_by_text("is set up")).to_be_visible()


def save_expert(page: Page, tmp_path: Path) -> None:
    """Save the lists of an expert, and the work pages of experts."""
    page.goto("/notifications/")
    heading(page, "Notifications")
    save(page, "notifications", tmp_path)
    page.goto("/projects/demo/reviews/")
    page.locator("main table tbody th a").first.click()
    heading(page, re.compile("Review"))
    save(page, "review", tmp_path)
    page.get_by_role("link", name="Edit").click()
    expect(page.locator("html[data-ready]")).to_have_count(1)
    save(page, "consolidation", tmp_path)
    for project, name in (("demo-frames", "frames"), ("demo-grounding", "grounding")):
        page.goto(f"/projects/{project}/experts/")
        page.locator("main tbody button[type=submit]").first.click()
        expect(page.locator("html[data-ready]")).to_have_count(1)
        save(page, name, tmp_path)


def save_worker(page: Page, tmp_path: Path) -> None:
    page.context.clear_cookies()
    page.goto("/hits/login/")
    page.locator("input[name=username]").fill(WORKER.name)
    page.locator("input[name=password]").fill(WORKER.password)
    page.get_by_role("button", name="Sign in").click()
    accept = page.get_by_role("button", name="Accept one").first
    for _ in range(30):  # the sweeps publish HITs shortly after the start of the demo
        if accept.is_visible():
            break
        page.wait_for_timeout(1000)
        page.goto("/hits/")
    save(page, "marketplace", tmp_path)
    accept.click()
    expect(page.frame_locator("iframe").locator("html[data-ready]")).to_have_count(1)
    save(page, "worker", tmp_path)


def test_pages_of_the_demo_are_saved(page, demo_data, tmp_path):
    sign_in(page, "admin")
    for name, path in PAGES.items():
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        save(page, name, tmp_path)
    save_setup(page, tmp_path)
    save_training(page, tmp_path)
    save_chosen_items(page, tmp_path)
    create_queue(page, "demo-grounding")
    sign_in(page, "expert")
    save_expert(page, tmp_path)
    save_worker(page, tmp_path)
    subprocess.run(
        [sys.executable, "-m", "tests.browser.seed_people"], cwd=ROOT, env=demo_data, check=True
    )
    sign_in(page, "admin")
    save_invitations(page, tmp_path)
    save_operator(page, tmp_path)


def test_page_of_the_first_account_is_saved(first_link, chromium, tmp_path):
    with chromium.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        page.goto(first_link)
        heading(page, "Create the first account")
        page.get_by_label("Username").fill("rita")
        page.get_by_label("Email address").fill("rita@lab.example")
        save(page, "first-account", tmp_path)
