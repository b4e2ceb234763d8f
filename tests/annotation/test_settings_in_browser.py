"""Browser tests of the settings that previews of corpora and gold offer."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Item, Sentence
from consolidation.models import Gold
from jobs.domain.run_jobs import run_next_job
from tests.annotation.factories import NOW
from tests.annotation.test_corpus_in_browser import (
    READING,
    TIMEOUT_MS,
    office,
    project,
    show_preview,
    site,
)
from tests.annotation.test_import_checks import ITEMS, SENTENCES
from tests.axe import axe_findings
from tests.consolidation.test_gold_checks import SPLIT
from tests.dashboard.test_in_browser import NARROW, WIDE, open_context

__all__ = ["office", "open_context", "project", "site"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
CHANGED = SENTENCES.replace("The dog barked", "A cat purred")


def choose(page: Page, label: str, content: str, name: str) -> None:
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": content.encode()}
    page.get_by_label(label, exact=True).set_input_files(file)


def upload_corpus(page: Page, text: str, items: str) -> None:
    page.goto(reverse("annotation:corpus", args=["corpus"]))
    choose(page, "Sentences", text, "corpus.csv")
    page.get_by_text("Options: format, items, partition").click()
    choose(page, "Items", items, "items.csv")
    page.get_by_role("button", name="Preview").click()
    show_preview(page)


def import_corpus(page: Page, button: str) -> None:
    control = page.get_by_role("button", name=button, exact=True)
    control.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("The corpus is being imported")).to_be_visible(timeout=TIMEOUT_MS)
    run_next_job(clock=lambda: NOW)


def assert_fits(page: Page, viewport: dict[str, int]) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    assert axe_findings(page) == []


@pytest.mark.parametrize(
    ("viewport", "scheme", "has_scripts"),
    [(NARROW, "dark", True), (WIDE, "light", True), (NARROW, "light", False)],
)
def test_changed_sentence_is_replaced_by_keyboard(open_context, viewport, scheme, has_scripts):
    page = open_context(
        viewport=viewport, color_scheme=scheme, java_script_enabled=has_scripts
    ).new_page()
    upload_corpus(page, SENTENCES, f"{ITEMS}a:1,2,barked\n")
    import_corpus(page, "Import 2 sentences")
    upload_corpus(page, CHANGED, f"{ITEMS}a:1,2,purred\na:2,3,go\n")
    expect(page.get_by_text("a:1 exists with other tokens.")).to_be_visible()
    setting = page.get_by_label("Replace what has changed")
    expect(setting).not_to_be_checked()
    if has_scripts:
        assert_fits(page, viewport)
    setting.focus()
    page.keyboard.press("Space")
    if not has_scripts:
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    expect(page.get_by_text(READING)).to_be_visible(timeout=TIMEOUT_MS)
    show_preview(page)
    expect(page.get_by_text("a:1 exists with other tokens.")).not_to_be_visible(timeout=TIMEOUT_MS)
    expect(setting).to_be_checked()
    if has_scripts:
        expect(setting).to_be_focused()
        assert_fits(page, viewport)
    import_corpus(page, "Import and replace")
    assert Sentence.objects.get(external_id="a:1").tokens[1] == "cat"
    assert Item.objects.get(key="a:1/2").target["verb"] == "purred"


def test_taps_on_a_setting_are_read_again(open_context):
    page = open_context(viewport=NARROW, has_touch=True, is_mobile=True).new_page()
    upload_corpus(page, SENTENCES, f"{ITEMS}a:1,2,barked\n")
    import_corpus(page, "Import 2 sentences")
    upload_corpus(page, CHANGED, f"{ITEMS}a:2,3,go\n")
    setting = page.get_by_label("Replace what has changed")
    for is_chosen, button in ((True, "Import and replace"), (False, "Import")):
        page.get_by_text("Replace what has changed", exact=True).tap()
        expect(page.get_by_text(READING)).to_be_visible(timeout=TIMEOUT_MS)
        show_preview(page)
        control = page.get_by_role("button", name=button, exact=True)
        expect(control).to_be_visible(timeout=TIMEOUT_MS)
        expect(setting).to_be_checked(checked=is_chosen)


@pytest.mark.parametrize(("viewport", "scheme"), [(NARROW, "dark"), (WIDE, "light")])
def test_gold_in_other_tokens_is_aligned_by_keyboard(open_context, viewport, scheme):
    page = open_context(viewport=viewport, color_scheme=scheme).new_page()
    upload_corpus(page, SENTENCES, f"{ITEMS}a:1,2,barked\n")
    import_corpus(page, "Import 2 sentences")
    page.goto(reverse("consolidation:gold_import", args=["corpus"]))
    choose(page, "Annotations", SPLIT, "gold.jsonl")
    page.get_by_role("button", name="Preview").click()
    show_preview(page)
    expect(page.get_by_role("alert")).to_contain_text("have other tokens", timeout=TIMEOUT_MS)
    assert_fits(page, viewport)
    page.get_by_label("Align positions by characters").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text(READING)).to_be_visible(timeout=TIMEOUT_MS)
    show_preview(page)
    button = page.get_by_role("button", name="Import gold of 1 verb")
    expect(button).to_be_visible(timeout=TIMEOUT_MS)
    expect(page.get_by_label("Align positions by characters")).to_be_checked()
    assert_fits(page, viewport)
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("The gold is being imported.")).to_be_visible(timeout=TIMEOUT_MS)
    run_next_job(clock=lambda: NOW)
    [question] = Gold.objects.get().content["questions"]
    assert question["answers"] == [[0, 2]]
