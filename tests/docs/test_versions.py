"""The documentation of several versions, as docs/development/releasing.md publishes it."""

import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests import environment

pytestmark = [pytest.mark.browser, pytest.mark.long]


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def published(tmp_path_factory) -> Iterator[str]:
    """Publish two versions from a clone, and yield the address of the branch's files."""
    pytest.importorskip("mike", reason="the tool is not in this environment")
    folder = tmp_path_factory.mktemp("versions")
    clone, files = folder / "clone", folder / "files"
    environ = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}

    def run(*command: str | Path, cwd: Path = clone) -> None:
        subprocess.run(command, cwd=cwd, env=environ, check=True, capture_output=True)

    run("git", "clone", "--quiet", environment.ROOT, clone, cwd=folder)
    run("git", "config", "user.name", "Docs")
    run("git", "config", "user.email", "docs@touchstone.example")
    run("mike", "deploy", "1.0", "latest", "--update-aliases")
    run("mike", "deploy", "1.1", "latest", "--update-aliases")
    run("mike", "set-default", "latest")
    run("git", "worktree", "add", files, "gh-pages")
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Handler, directory=str(files))
    )
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_readers_choose_a_version_and_search_it(published, chromium: Browser):
    with chromium.new_context() as context:
        hosts = set()
        context.on("request", lambda request: hosts.add(request.url.split("/")[2]))
        page = context.new_page()
        page.goto(f"{published}/")
        page.wait_for_url("**/latest/")
        selector = page.locator("#version-selector select")
        expect(selector.locator("option")).to_have_text(["1.1", "1.0"])
        # What is typed before the index is built finds nothing.
        with page.expect_console_message(lambda message: "search ready" in message.text):
            selector.select_option("1.0")
            page.wait_for_url("**/1.0/**")
        page.keyboard.press("s")
        page.locator("#mkdocs-search-query").press_sequentially("pseudonym", delay=50)
        first = page.locator("#mkdocs-search-results a").first
        expect(first).to_be_visible()
        assert "/1.0/" in first.evaluate("link => link.href")
        assert {f"http://{host}" for host in hosts} == {published}
