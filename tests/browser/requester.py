"""A requester whose clicks in the browser are counted."""

import time
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.axe import axe_findings

# Sweeps and jobs are slow on a busy machine.
TIMEOUT_SECONDS = 240
PASSWORD = "nine green horses"
DROP = """
(form, {name, text}) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], name));
  for (const type of ["dragover", "drop"]) {
    const options = {bubbles: true, cancelable: true, dataTransfer: transfer};
    form.querySelector("input[type=file]").dispatchEvent(new DragEvent(type, options));
  }
}
"""


class Requester:
    """A requester whose clicks in the browser are counted. A field or a drop counts as one click."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = 0

    def click(self, role: str, name: str, *, within: str = "body") -> None:
        self.clicks += 1
        scope = self.page.locator(within)
        scope.get_by_role(role, name=name).first.click()  # type: ignore[arg-type]

    def choose(self, label: str, value: str) -> None:
        self.clicks += 1
        self.page.get_by_label(label).select_option(value)

    def fill(self, label: str, value: str) -> None:
        self.clicks += 1
        self.page.get_by_label(label, exact=True).fill(value)

    def tick(self, label: str) -> None:
        """Tick the first visible box whose label contains the text."""
        self.clicks += 1
        self.page.get_by_label(label).filter(visible=True).first.check()

    def drop(self, name: str, text: str) -> None:
        """Drop a file on the form, which shows a preview."""
        self.clicks += 1
        with self.page.expect_navigation():
            self.page.locator("[data-drop-zone]").evaluate(DROP, {"name": name, "text": text})

    def menu(self, *names: str) -> None:
        """Open a page of the project's menu."""
        for name in names:
            self.click("link", name, within=".header__menu")

    def wait_for(self, find: Callable[[], Locator]) -> None:
        """Reload until the element is on the page. Lists refresh themselves, so reloads do not count."""
        end = time.monotonic() + TIMEOUT_SECONDS
        while find().count() == 0:
            assert self.page.locator(".state--failed").count() == 0, self.page.inner_text("main")
            assert time.monotonic() < end, f"Timed out on {self.page.url}"
            time.sleep(0.5)
            self.page.reload()

    def wait_for_text(self, text: str) -> None:
        """Reload until the page shows the text. A tab separates the cells of a table."""
        end = time.monotonic() + TIMEOUT_SECONDS
        while text not in self.page.inner_text("main"):
            assert time.monotonic() < end, self.page.inner_text("main")
            time.sleep(0.5)
            self.page.reload()


def create_first_account(page: Page, link: str, *, heading: str = "No project yet") -> None:
    """Create the first account, which leads to a page with the heading."""
    page.goto(link)
    expect(page.get_by_label("Username")).to_be_focused()
    assert axe_findings(page) == []
    page.keyboard.type("fay")
    page.get_by_label("Email address").fill("fay@touchstone.example")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password confirmation").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=heading)).to_be_visible()
