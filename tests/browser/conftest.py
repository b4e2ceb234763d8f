"""A site in a separate process, a marketplace that frames its pages, and pages to test."""

import dataclasses
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.conftest import Migrate
from tests.environment import find_free_port
from tests.fakes.worker_site import WorkerSite
from tests.signed import secret_of_site, signed
from tests.starts import starter

ROOT = Path(__file__).resolve().parents[2]
TASKS = [
    "keyboard",
    "mouse",
    "touch",
    "frame",
    "reload",
    "overtake",
    "cut",
    "cut-draft",
    "tabs",
    "stale",
    "on-its-way",
    "own-save",
    "slow-submit",
    "refused-save",
    "late-save",
    "three",
    "hostile",
    "long",
    "outside",
    "undo",
    "unload",
    "preview",
    "axe",
    "nothing",
    "pay",
    "latency",
    "latency-custom",
    "weight",
    "offers",
    "storage",
    "timing",
    "double",
    "refused",
    "practice",
    "conflict",
    "noun-keys",
    "noun-no",
    "noun-axe",
    "bar-1280",
    "bar-1366",
    "bar-360",
    "bar-skip",
    "place-undo",
    "place-reload",
    "focus-page",
    "focus-frame",
    "deleted",
    "first",
    "question-box",
    "suggest-off",
    "suggest-grammar",
    "suggest-learned",
]

# Characters of a server's log.
LOG_SHOWN = 40_000

# Kinds of cases in tests.browser.seed_cases, with the names of the tests that need a case.
CASES = {
    "identified": (
        "keys conflict move frame touch zoom two axe weight preview pay undo same tabs merge place"
        " reload shortcuts"
    ),
    "contain": "keys rewrite plain box",
    "implied": "keys",
    "context": "cards",
    "modal": "keys",
    "nothing": "empty added picked",
    "three": "sources",
    "hostile": "text",
    "validation": (
        "keys conflict mouse frame touch zoom two axe weight preview pay undo tabs repeat open shortcuts"
    ),
    "many": "pay look",
    "danger": "text",
    "noun": "agree settle axe",
}


@dataclass
class Site:
    """The running site. Each task is used by a single test."""

    url: str
    database: Path
    marketplace: WorkerSite
    tasks: dict[str, tuple[str, list[int]]]

    def address(self, name: str, *, worker: str = "W1") -> str:
        query = f"assignmentId=A-{name}&hitId=H1&workerId={worker}"
        address = f"{self.tasks[name][0]}?{query}&turkSubmitTo={self.marketplace.origin}"
        return signed(address, secret=secret_of_site(self.database.parent))

    def preview(self, name: str) -> str:
        return f"{self.tasks[name][0]}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=H1"

    def item(self, name: str) -> str:
        return str(self.tasks[name][1][0])


@pytest.fixture(scope="session")
def site(
    tmp_path_factory: pytest.TempPathFactory, migrate: Migrate, collected: str
) -> Iterator[Site]:
    var = tmp_path_factory.mktemp("site")
    port = find_free_port()
    marketplace = WorkerSite()
    url = f"http://127.0.0.1:{port}"
    environment = {**environment_of(var, url, marketplace), "STATIC_ROOT": collected}

    migrate(environment)
    tasks = seeded("tests.browser.seed", *TASKS, env=environment)
    options = ["--bind", f"127.0.0.1:{port}", "--threads", "8", "--log-level", "warning"]
    server = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "config.wsgi", *options],
        cwd=ROOT,
        env=environment,
    )
    try:
        wait_for(f"{url}/login/")
        yield Site(url, var / "touchstone.sqlite3", marketplace, tasks)
    finally:
        server.terminate()
        server.wait(20)
        marketplace.close()


def seeded(module: str, *names: str, env: dict[str, str]) -> dict[str, Any]:
    """Run a module that fills a site, and return the addresses that it prints."""
    process = starter().run("-m", module, *names, env=env)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def environment_of(var: Path, url: str, marketplace: WorkerSite) -> dict[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if name != "DATABASE_URL"},
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "VAR_DIR": str(var),
        "SITE_URL": url,
        "MTURK_WORKER_ORIGINS": marketplace.origin,
    }


def wait_for(url: str) -> None:
    for _ in range(200):
        try:
            with urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"The site did not start at {url}.")


@pytest.fixture
def empty_site(
    embedded_site: dict[str, str], free_port: int, migrate: Migrate, collected: str
) -> dict[str, str]:
    """Return the environment of a site without accounts. Its empty tables save the start time."""
    env = {
        **embedded_site,
        "SITE_URL": f"http://127.0.0.1:{free_port}",
        "SWEEP_SECONDS": "1",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    migrate(env)
    return env


@pytest.fixture
def first_link(
    empty_site: dict[str, str],
    start_process: Callable[..., object],
    tmp_path: Path,
) -> Iterator[str]:
    """Return the link to the first account of the site, served on one machine.

    Afterwards, print the end of the server's log, which pytest shows if the test failed.
    """
    log = tmp_path / "serve.log"
    start_process([sys.executable, "manage.py", "serve"], env=empty_site, log=log)
    deadline = time.monotonic() + 120
    while not (links := re.findall(r"http\S+/first-account/\S+", log.read_text())):
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.2)
    yield links[0]
    sys.stdout.write(log.read_text()[-LOG_SHOWN:])


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[Callable[[], Page]]:
    """Return a function that opens a page in a new browser context."""
    contexts: list[BrowserContext] = []

    def open_context_page() -> Page:
        context = chromium.new_context(viewport={"width": 1280, "height": 900})
        context.set_default_timeout(60_000)
        contexts.append(context)
        return context.new_page()

    yield open_context_page
    for context in contexts:
        context.close()


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    with chromium.new_context(viewport={"width": 1280, "height": 800}) as context:
        context.set_default_timeout(10_000)
        yield context


@pytest.fixture(scope="session")
def cases(site: Site) -> Site:
    """Return the running site with cases for all tests.

    One process creates all cases, because the counters of the factories restart in each process.
    """
    names = [f"{kind}-{name}" for kind, names in CASES.items() for name in names.split()]
    env = environment_of(site.database.parent, site.url, site.marketplace)
    tasks = seeded("tests.browser.seed_cases", *names, env=env)
    site_with_cases = dataclasses.replace(site, tasks=tasks)
    for name in (names[0], names[-1]):  # the first page of each kind is the slowest
        with urlopen(site_with_cases.preview(name), timeout=60):
            pass
    return site_with_cases
