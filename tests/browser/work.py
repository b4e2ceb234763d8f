"""What a worker does on the generation page, and what the servers have of it, in a few words."""

import json
import sqlite3
from typing import Any, TypeVar

from playwright.sync_api import Frame, Locator, Page, Request, expect

from tests.browser.conftest import Site

Scope = TypeVar("Scope", Page, Frame)

AGENT = "Who carried something?"
PATIENT = "What did someone carry?"


def open_task(page: Page, address: str) -> Page:
    page.goto(address)
    return ready(page)


def ready(page: Scope) -> Scope:
    expect(page.locator("html[data-ready]")).to_be_attached()
    return page


def box(page: Page | Frame, number: int) -> Locator:
    return page.get_by_role("combobox", name=f"Question {number}", exact=True)


def token(page: Page | Frame, position: int) -> Locator:
    return page.locator(f"#sentence-{position} .word")


def chips(page: Page | Frame) -> list[str]:
    return page.locator(".answer-chip__text").all_inner_texts()


def note(page: Page | Frame) -> Locator:
    return page.locator("[data-note]")


def status(page: Page | Frame) -> Locator:
    return page.locator("[data-status]")


def ask(page: Page | Frame, number: int, question: str, *answers: tuple[int, int]) -> None:
    """Type a question and click its answers (inclusive word positions)."""
    box(page, number).fill(question)
    box(page, number).press("Enter")
    for first, last in answers:
        token(page, first).click()
        token(page, last).click()


def submit(page: Page | Frame) -> None:
    page.get_by_role("button", name="Submit").click()


def arrived(page: Page | Frame) -> None:
    """The marketplace has answered the finished form."""
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()


def handed_in(site: Site, name: str) -> list[dict[str, Any]]:
    """The content of each form that the marketplace got for the task."""
    mine = [each for each in site.marketplace.submissions if each["assignmentId"] == f"A-{name}"]
    return [json.loads(each["content"]) for each in mine]


def submitted_content(site: Site, name: str) -> dict[str, Any]:
    """Return the content that the marketplace received for the task's only item."""
    [content] = handed_in(site, name)
    return content[site.item(name)]


def question_texts(content: dict[str, Any]) -> list[tuple[str, list[list[int]]]]:
    return [(each["question"], each["answers"]) for each in content["questions"]]


def stored_drafts(site: Site, name: str) -> list[dict[str, Any]]:
    """The task's drafts as the site's own database holds them."""
    with sqlite3.connect(site.database) as database:
        database.row_factory = sqlite3.Row
        rows = database.execute(
            "SELECT * FROM annotation_draft WHERE assignment_ref = ?", [f"A-{name}"]
        ).fetchall()
    return [{**row, "content": json.loads(row["content"])} for row in rows]


# --- cases: cards to judge ---------------------------------------------------------------------


def card(page: Page | Frame, name: str) -> Locator:
    return page.locator(".card").filter(has=page.locator(".card__name", has_text=name))


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def to_first_card(page: Page) -> None:
    """The first card without a verdict has the focus at once."""
    assert page.evaluate("document.activeElement.classList.contains('card')")


def submit_button(page: Page | Frame) -> Locator:
    return page.get_by_role("button", name="Submit")


def the_content(cases: Site, name: str) -> dict[str, Any]:
    """What was handed in for the case, in both copies."""
    [content] = handed_in(cases, name)
    [draft] = stored_drafts(cases, name)
    assert draft["submitted_at"] is not None
    assert draft["content"] == content
    return content[cases.item(name)]


def weight_of(request: Request) -> int:
    response = request.response()
    assert response
    size = request.sizes()["responseBodySize"]
    # Of what comes from its preload cache Chromium reports the unpacked size.
    if response.headers.get("content-encoding"):
        return min(size, int(response.headers.get("content-length", size)))
    return size
