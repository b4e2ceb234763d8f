"""Actions of a worker on the generation page, and the submitted work on both servers."""

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


def expect_submitted(page: Page | Frame) -> None:
    """Check that the marketplace has accepted the submitted form."""
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()


def submitted_forms(site: Site, name: str) -> list[dict[str, Any]]:
    """Return the content of each form that the marketplace received for the task."""
    forms = [form for form in site.marketplace.submissions if form["assignmentId"] == f"A-{name}"]
    return [json.loads(form["content"]) for form in forms]


def submitted_content(site: Site, name: str) -> dict[str, Any]:
    """Return the content that the marketplace received for the only item of the task."""
    [content] = submitted_forms(site, name)
    return content[site.item(name)]


def question_texts(content: dict[str, Any]) -> list[tuple[str, list[list[int]]]]:
    return [(question["question"], question["answers"]) for question in content["questions"]]


def stored_drafts(site: Site, name: str) -> list[dict[str, Any]]:
    """Return the drafts of the task in the database of the site."""
    with sqlite3.connect(site.database) as database:
        database.row_factory = sqlite3.Row
        rows = database.execute(
            "SELECT * FROM annotation_draft WHERE assignment_ref = ?", [f"A-{name}"]
        ).fetchall()
    return [{**row, "content": json.loads(row["content"])} for row in rows]


# --- cases with cards to judge -----------------------------------------------------------------


def card(page: Page | Frame, name: str) -> Locator:
    return page.locator(".card").filter(has=page.locator(".card__name", has_text=name))


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def expect_card_focused(page: Page) -> None:
    """Check that the first card without a verdict has the focus."""
    assert page.evaluate("document.activeElement.classList.contains('card')")


def submit_button(page: Page | Frame) -> Locator:
    return page.get_by_role("button", name="Submit")


def case_content(cases: Site, name: str) -> dict[str, Any]:
    """Return the content submitted for the case, which must be the same in both copies."""
    [content] = submitted_forms(cases, name)
    [draft] = stored_drafts(cases, name)
    assert draft["submitted_at"] is not None
    assert draft["content"] == content
    return content[cases.item(name)]


def weight_of(request: Request) -> int:
    response = request.response()
    assert response
    size = request.sizes()["responseBodySize"]
    # Chromium reports the uncompressed size of responses from its preload cache.
    if response.headers.get("content-encoding"):
        return min(size, int(response.headers.get("content-length", size)))
    return size


# --- single-key shortcuts ------------------------------------------------------------------------

SINGLE_KEYS = "abcdefghijklmnopqrstuvwxyzGD0123456789/-+="


def type_single_keys(page: Page) -> None:
    for key in SINGLE_KEYS:
        page.keyboard.press(key)


def expect_single_keys_need_focus(page: Page) -> None:
    """Check that no letter acts while the focus is nowhere, as after a click beside a control."""
    page.evaluate("document.activeElement.blur()")
    type_single_keys(page)
    assert page.evaluate("document.activeElement === document.body")
    expect(page.locator("[data-undo]")).to_be_disabled()


def expect_single_keys_can_be_off(page: Page) -> None:
    """Check that no letter acts on the focused component after the switch, which hides the hints."""
    focused = page.evaluate_handle("document.activeElement")
    page.locator("summary", has_text="Keyboard shortcuts").click()
    page.get_by_role("switch", name="Single-key shortcuts").uncheck()
    expect(page.locator(".key-hint:visible")).to_have_count(0)
    focused.as_element().focus()
    type_single_keys(page)
    assert page.evaluate("element => element === document.activeElement", focused)
    expect(page.locator("[data-undo]")).to_be_disabled()


def expect_names_without_keys(page: Page) -> None:
    """Check that controls name their shortcut in an attribute of its own, not in their name."""
    for control in page.locator("[aria-keyshortcuts]:visible").all():
        hints = control.evaluate(
            """each => [...(each.closest("label") ?? each).querySelectorAll("kbd")]
                .filter((hint) => !hint.closest("[aria-hidden=true]")).map((hint) => hint.outerHTML)"""
        )
        assert hints == []
