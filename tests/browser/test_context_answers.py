"""Annotators select answers in the context of a sentence, by mouse, touch and keyboard."""

import os
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from annotation.models import Draft, Item, Sentence
from schemes.original_text import align
from tests.annotation.factories import make_item, make_project
from tests.axe import axe_findings
from tests.browser.test_context import DESKTOP, PHONE, open_item
from tests.browser.work import ask, box, note, press

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BEFORE = ("The", "army", "'s", "convoy", "left", "Mazar", ".")
TEXT = "The army's convoy left Mazar."
AFTER = ("Nobody", "was", "hurt", ".")
QUESTION = "Where did someone carry something?"


@pytest.fixture
def item(settings) -> Item:
    """Return an item with two sentences before it, and one after it whose text is not known."""
    settings.ALLOWED_HOSTS = ["*"]
    project = make_project()
    project.shown_context, project.allows_context_answers = "2", True
    project.save()
    item = make_item(project)
    item.sentence.group, item.sentence.position = "a report", 2
    item.sentence.save()
    for at, tokens, text in ((0, BEFORE, TEXT), (1, BEFORE, TEXT), (3, AFTER, "")):
        Sentence.objects.create(
            project=project,
            external_id=f"report:{at}",
            tokens=tokens,
            text=text,
            offsets=align(tokens, text) if text else [],
            group="a report",
            position=at,
        )
    return item


def word(page: Page, side: str, at: int):
    return page.locator(f"#context-{side}-{at} .word")


def chips(page: Page) -> list[str]:
    return page.locator(".answer-chip").all_inner_texts()


def shot(page: Page, name: str) -> None:
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=Path(folder, f"{name}.png"), full_page=True)


def stored_answers(item: Item) -> list[dict]:
    content = Draft.objects.get().content[str(item.pk)]
    return [answer for row in content["questions"] for answer in row.get("context_answers", [])]


@pytest.mark.parametrize("look", ["light", "dark"])
def test_words_of_the_context_are_answers(chromium: Browser, live_server, item, look):
    with chromium.new_context(**DESKTOP, color_scheme=look) as context:
        page = context.new_page()
        open_item(page, live_server, item)
        word(page, "before", 3).click()
        word(page, "before", 3).click()
        expect(note(page)).to_have_text("Write the question first, then select its answer.")
        ask(page, 1, QUESTION)
        word(page, "before", 7).click()
        word(page, "before", 10).click()
        expect(page.locator(".answer-chip")).to_have_count(1)
        word(page, "before", 6).click()
        word(page, "before", 7).click()
        expect(note(page)).to_contain_text("An answer can't go beyond its sentence.")
        page.locator("#context-after").focus()
        press(page, "Shift+ArrowRight", "Enter")
        expect(page.locator(".answer-chip")).to_have_count(2)
        press(page, "Home", "Backspace")
        expect(page.locator(".answer-chip")).to_have_count(1)
        press(page, "Control+z")
        expect(page.locator(".answer-chip")).to_have_count(2)
        assert [" ".join(chip.split()) for chip in chips(page)] == [
            "The army's convoy in context ✕",
            "Nobody was in context ✕",
        ]
        assert axe_findings(page) == []
        shot(page, f"context-answers-{look}")
        expect(page.locator("[data-status]")).to_contain_text("Saved")
        assert stored_answers(item) == [
            {"sentence": "report:1", "start": 0, "end": 4},
            {"sentence": "report:3", "start": 0, "end": 2},
        ]
        page.reload()
        expect(page.locator(".answer-chip")).to_have_count(2)
        with page.expect_response(
            lambda answer: answer.url.endswith(reverse("annotation:submit"))
        ) as response:
            page.get_by_role("button", name="Submit").click()
        assert response.value.ok
    answers = Draft.objects.get(submitted_at__isnull=False).content[str(item.pk)]
    [question] = answers["questions"]
    assert question["answers"] == []
    assert [answer["text"] for answer in question["context_answers"]] == [
        "The army's convoy",
        "Nobody was",
    ]


def test_words_of_the_context_are_tapped_on_a_phone(chromium: Browser, live_server, item):
    with chromium.new_context(**PHONE) as context:
        page = context.new_page()
        open_item(page, live_server, item)
        box(page, 1).fill(QUESTION)
        box(page, 1).press("Enter")
        page.get_by_text("Context, where answers can lie").tap()
        word(page, "after", 0).tap()
        word(page, "after", 0).tap()
        expect(page.locator(".answer-chip")).to_have_count(1)
        shot(page, "context-answers-phone")
        page.get_by_role("button", name="Remove the answer “Nobody”").tap()
        expect(page.locator(".answer-chip")).to_have_count(0)


def test_context_is_for_reading_unless_the_project_allows_answers(
    chromium: Browser, live_server, item
):
    item.project.allows_context_answers = False
    item.project.save()
    with chromium.new_context(**DESKTOP) as context:
        page = context.new_page()
        open_item(page, live_server, item)
        expect(page.get_by_role("region", name="Context, for reading only")).to_be_visible()
        expect(page.locator("#context-before")).to_have_count(0)
