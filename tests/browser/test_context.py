"""The context of a sentence on workers' pages: folded, read, and out of the way of the work."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from annotation.models import Item, Sentence
from tests.annotation.factories import make_item, make_project, make_task, task_url
from tests.axe import axe_findings
from tests.browser.custom import NAMES, make_custom_project, make_texts
from tests.browser.frames import make_frames_project, make_record
from tests.browser.grounding import make_caption, make_grounding_project
from tests.browser.work import open_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
DESKTOP = {"viewport": {"width": 1280, "height": 800}}
BEFORE = "Shots were heard  near the bridge before dawn. "
SCHEMES = {
    "qasrl": (lambda: make_item(make_project()), "#sentence"),
    "frames": (lambda: make_record(make_frames_project()), "#sentence"),
    "grounding": (lambda: make_caption(make_grounding_project()), "[data-caption]"),
    "custom": (lambda: make_texts(make_custom_project(NAMES), NAMES), "[data-texts] .sentence"),
}


def put_into_document(item: Item, *, sentences: int = 40) -> None:
    """Put the item's sentence in the middle of a document, all of which is shown."""
    item.project.shown_context = "document"
    item.project.save()
    item.sentence.group, item.sentence.position = "a report", sentences // 2
    item.sentence.save()
    for at in range(sentences):
        Sentence.objects.create(
            project=item.project,
            external_id=f"neighbour:{at}",
            tokens=["?"],
            text=f"{BEFORE}{at}.",
            group="a report",
            position=at + (at >= sentences // 2),
            image=item.sentence.image,
        )


def open_item(page: Page, live_server, item: Item, *, name: str = "") -> None:
    address = task_url(make_task([item]), submit_to="http://127.0.0.1:8000")
    open_task(page, f"{live_server.url}{address}")
    if name and (folder := os.environ.get("SCREENSHOTS")):
        page.screenshot(path=Path(folder, f"{name}.png"))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("look", ["light", "dark"])
def test_phone_shows_the_work_first_and_the_context_on_request(
    chromium: Browser, live_server, settings, scheme, look
):
    settings.ALLOWED_HOSTS = ["*"]
    make, sentence = SCHEMES[scheme]
    item = make()
    put_into_document(item)
    with chromium.new_context(**PHONE, color_scheme=look) as context:
        page = context.new_page()
        open_item(page, live_server, item, name=f"{scheme}-phone-{look}")
        text = page.get_by_role("region", name="Context, for reading only")
        expect(text).to_be_hidden()
        summary = page.get_by_text(
            "Context, for reading only: 20 sentences before, 20 sentences after"
        )
        folded = summary.bounding_box()
        assert folded
        assert 44 <= folded["height"] <= 60
        summary.tap()
        expect(text).to_be_visible()
        box, own = text.bounding_box(), text.locator(".context__own").bounding_box()
        assert box
        assert own
        assert box["height"] <= 740 * 0.3 + 1
        # The sentence of the task is in the visible part of the long document.
        assert box["y"] <= own["y"] <= box["y"] + box["height"]
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert axe_findings(page) == []
        if folder := os.environ.get("SCREENSHOTS"):
            page.screenshot(path=Path(folder, f"{scheme}-phone-open-{look}.png"))
        expect(page.locator(sentence)).to_be_visible()


def test_wide_page_remembers_that_the_context_was_folded(chromium: Browser, live_server, settings):
    settings.ALLOWED_HOSTS = ["*"]
    item = make_item(make_project())
    put_into_document(item)
    with chromium.new_context(**DESKTOP) as context:
        page = context.new_page()
        open_item(page, live_server, item, name="qasrl-wide")
        text = page.get_by_role("region", name="Context, for reading only")
        expect(text).to_be_visible()
        # It is text, with no word to choose.
        assert text.locator("[role=option], button, a").count() == 0
        assert (
            BEFORE.strip() in text.inner_text().replace("\n", " ")
            or "Shots were heard" in text.inner_text()
        )
        summary = page.get_by_text("Context, for reading only")
        summary.focus()
        page.keyboard.press("Enter")
        expect(text).to_be_hidden()
        page.reload()
        page.wait_for_selector("html[data-ready]")
        expect(text).to_be_hidden()
