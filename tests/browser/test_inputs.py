"""What workers' pages record of how answers are entered."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotation.models import Draft
from metrics.input_signals import BUCKETS
from schemes.contract.values import Json
from tests.browser.custom import make_custom_project, make_texts
from tests.browser.test_custom_page import Marketplace, marketplace, new_page, open_items, open_one
from tests.browser.work import expect_submitted, status

__all__ = ["marketplace", "new_page", "open_items", "open_one"]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TEXTS: Json = {
    "title": "Summaries",
    "fields": [
        {"key": "tone", "type": "choice", "label": "Tone", "options": ["good", "bad"]},
        {"key": "summary", "type": "text", "label": "Summary", "max_length": 2000, "lines": 4},
        {"key": "title", "type": "text", "label": "Title", "required": False},
    ],
}
# A control's value and the event that a script sends, or a browser for other kinds of input.
SET = """(control, [value, inputType]) => {
    control.value = value;
    control.dispatchEvent(new InputEvent("input", { bubbles: true, inputType, data: value }));
}"""


@pytest.fixture
def page(open_one) -> Page:
    return open_one(TEXTS, "A text to read .")


def summary(page: Page):
    return page.get_by_role("textbox", name="Summary")


def paste(page: Page, text: str) -> None:
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("Control+v")


def saved(page: Page) -> Json:
    expect(status(page)).to_have_text("Saved")
    [record] = Draft.objects.get().inputs.values()
    return record


def fields(record: Json) -> dict[str, Json]:
    return {
        field["name"]: {k: n for k, n in field.items() if k != "name"} for field in record["fields"]
    }


def test_typed_and_pasted_characters_are_counted_by_field(page, context: BrowserContext):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    summary(page).press_sequentially("The text", delay=40)
    paste(page, " is about reading")
    page.get_by_role("textbox", name="Title").press_sequentially("Read")
    page.get_by_role("radio", name="good").click()
    record = saved(page)
    assert fields(record) == {
        "summary": {"typed": 8, "pasted": 17, "pastes": 1},
        "title": {"typed": 4},
        "tone": {},
    }
    assert [field["name"] for field in record["fields"]] == ["summary", "title", "tone"]
    assert record["counts"].keys() == {"gestures"}
    assert sum(record["intervals"].values()) >= 7
    assert set(record["intervals"]) <= {str(bucket) for bucket in range(BUCKETS)}


def test_record_has_no_characters_and_no_keys(page):
    summary(page).press_sequentially("Xylophone quartz")
    page.get_by_role("radio", name="bad").click()
    text = repr(saved(page)).casefold()
    for word in ("xylophone", "quartz", "bad", "good"):
        assert word not in text


def test_pasting_over_the_whole_text_counts_the_inserted_characters(page, context: BrowserContext):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    summary(page).press_sequentially("0123456789")
    page.keyboard.press("Control+a")
    paste(page, "short")
    assert fields(saved(page)) == {"summary": {"typed": 10, "pasted": 5, "pastes": 1}}


def test_values_that_a_script_sets_are_untrusted(page):
    summary(page).evaluate(SET, ["Written by a program.", "insertText"])
    page.get_by_role("radio", name="good").evaluate("radio => radio.click()")
    record = saved(page)
    assert fields(record)["summary"] == {"untrusted": 21}
    assert record["counts"] == {"untrusted": 2}


def test_shortcuts_of_the_page_are_no_events_of_a_script(page):
    page.locator("[data-field=tone]").focus()
    page.keyboard.press("1")
    record = saved(page)
    assert "untrusted" not in record["counts"]


def test_characters_of_an_input_method_are_their_own_kind(page):
    session = page.context.new_cdp_session(page)
    summary(page).focus()
    for text in ("に", "にほ", "にほん"):
        position = {"selectionStart": len(text), "selectionEnd": len(text)}
        session.send("Input.imeSetComposition", {"text": text, **position})
    session.send("Input.insertText", {"text": "日本"})
    assert set(fields(saved(page))["summary"]) <= {"composed", "words"}


def test_dictated_words_are_their_own_kind(page):
    summary(page).focus()
    page.keyboard.insert_text("The text is about reading.")
    assert fields(saved(page)) == {"summary": {"words": 26}}


def test_words_that_an_editing_command_inserts_are_no_typed_characters(page):
    summary(page).press_sequentially("teh ")
    # The event is trusted, and no event comes before the change, so that its difference counts.
    page.evaluate(
        """() => {
            const control = document.activeElement;
            control.setSelectionRange(0, 4);
            document.execCommand("insertText", false, "the text ");
        }"""
    )
    assert fields(saved(page)) == {"summary": {"typed": 4, "words": 5}}


def test_record_goes_on_after_a_reload_and_counts_time_away(page):
    summary(page).press_sequentially("One")
    page.evaluate("window.dispatchEvent(new Event('blur'))")
    page.wait_for_timeout(150)
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    summary(page).press_sequentially(" two")
    first = saved(page)
    assert first["counts"]["absences"] == 1
    assert 100 <= first["counts"]["away"] <= 5000
    page.reload()
    expect(summary(page)).to_have_value("One two")
    summary(page).press("End")
    summary(page).press_sequentially(" three")
    expect(page.locator("html[data-ready]")).to_be_attached()
    assert fields(saved(page))["summary"] == {"typed": 13}


def test_items_have_their_own_records_in_the_submission(
    open_items: Callable[..., Page], context: BrowserContext, marketplace: Marketplace
):
    project = make_custom_project(TEXTS)
    items = [make_texts(project, TEXTS, f"Text {number} .") for number in (1, 2)]
    page = open_items(context, *items)
    summary(page).press_sequentially("First")
    page.get_by_role("radio", name="good").click()
    page.get_by_role("button", name="Next").click()
    summary(page).press_sequentially("Second")
    page.get_by_role("radio", name="bad").click()
    page.get_by_role("button", name="Submit").click()
    expect_submitted(page)
    inputs = Draft.objects.get().inputs
    typed = [fields(inputs[str(item.pk)])["summary"] for item in items]
    assert typed == [{"typed": 5}, {"typed": 6}]
