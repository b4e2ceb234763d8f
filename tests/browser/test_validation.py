"""The validation page in a real browser, with the actions of a validator."""

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Request, expect

from tests.axe import LOOKS, axe_findings
from tests.browser.conftest import Site
from tests.browser.work import (
    card,
    case_content,
    expect_card_focused,
    expect_submitted,
    note,
    open_task,
    press,
    ready,
    status,
    stored_drafts,
    submit_button,
    submitted_forms,
    weight_of,
)
from tests.consolidation.factories import SURVEY, span_of
from tests.consolidation.validation import MIGHT, WHAT, WHERE

pytestmark = pytest.mark.browser

BASIN, GAS = "that basin", "natural gas"


def judged(content: dict) -> list[tuple[str, str, list[str]]]:
    """Return each question with its verdict and the words of its answers."""
    return [
        (row["question"], row["verdict"], [" ".join(SURVEY[s:e]) for s, e in row["answers"]])
        for row in content["questions"]
    ]


# --- a whole validation ------------------------------------------------------------------------


def test_whole_validation_by_keyboard_alone(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("validation-keys"))
    assert page.locator(".card__text").all_inner_texts() == [MIGHT, WHAT, WHERE]
    assert page.locator(".chip").count() == 0  # the answers of the generator are hidden
    expect_card_focused(page)
    expect(card(page, "1")).to_be_focused()
    press(page, "Enter")
    expect(page.locator("#sentence")).to_be_focused()
    expect(page.locator(".token--cursor")).to_have_text("contain ")
    press(page, *["ArrowLeft"] * 3, "Shift+ArrowRight", "Enter")
    expect(card(page, "1").locator(".chip")).to_have_text("that basin")
    expect(card(page, "1").locator(".card__verdict")).to_have_text("valid")
    press(page, "Enter")  # with an answer just added, this continues with the next question
    expect(card(page, "2")).to_be_focused()
    press(page, "Enter", "ArrowRight", "Shift+ArrowRight", "Enter", "Enter")
    expect(card(page, "3")).to_be_focused()
    press(page, "i")
    expect(page.locator("[data-open]")).to_have_text("Everything is judged.")
    press(page, "Control+Enter")
    expect_submitted(page)
    assert judged(case_content(cases, "validation-keys")) == [
        (MIGHT, "valid", [BASIN]),
        (WHAT, "valid", [GAS]),
        (WHERE, "invalid", []),
    ]


def test_by_mouse_and_with_a_repeated_question(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("validation-mouse"))
    card(page, "1").get_by_role("button", name="Select answers").click()
    for word in (16, 17):
        page.locator(f"#sentence-{word} .word").click()
    card(page, "2").get_by_role("button", name="Duplicate").click()
    expect(card(page, "2").locator(".card__verdict")).to_have_text("duplicate of 1")
    card(page, "3").get_by_role("button", name="Invalid").click()
    submit_button(page).click()
    expect_submitted(page)
    content = case_content(cases, "validation-mouse")
    assert judged(content) == [
        (MIGHT, "valid", [BASIN]),
        (WHAT, "redundant", []),
        (WHERE, "invalid", []),
    ]
    assert [question["same_as"] for question in content["questions"]] == [None, 0, None]


def test_duplicated_question_can_be_chosen(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("validation-repeat"))
    card(page, "3").focus()
    press(page, "r")  # duplicates the nearest earlier question
    expect(card(page, "3").locator(".card__verdict")).to_have_text("duplicate of 2")
    expect(card(page, "2").locator(".card__verdict")).to_have_text("valid")
    card(page, "1").focus()
    press(page, "v")
    card(page, "3").get_by_label("Duplicate of").select_option(label=f"1 “{MIGHT}”")
    expect(card(page, "3").locator(".card__verdict")).to_have_text("duplicate of 1")
    card(page, "1").focus()
    press(page, "i")  # its duplicate is open again
    expect(card(page, "3").locator(".card__verdict")).to_have_text("not judged")


# --- open questions and conflicts --------------------------------------------------------------


def test_open_questions_are_listed_and_focused(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("validation-open"))
    expect(page.locator("[data-open]")).to_have_text("3 questions to judge.")
    submit_button(page).click(force=True)
    expect(note(page)).to_have_text("Not yet: Judge question 1.")
    expect(card(page, "1")).to_be_focused()
    press(page, "v", "ArrowDown", "i", "ArrowDown", "i", "Control+Enter")
    expect(note(page)).to_have_text("Not yet: Question 1 is valid, but has no answer.")
    expect(page.locator("#sentence")).to_be_focused()
    assert submitted_forms(cases, "validation-open") == []


def test_word_in_two_questions_is_red_and_blocks_submission(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("validation-conflict"))
    for name in ("1", "2"):
        card(page, name).get_by_role("button", name="Select answers").click()
        for word in (16, 17):
            page.locator(f"#sentence-{word} .word").click()
    card(page, "3").focus()
    press(page, "i")
    expect(page.locator("[data-conflicts]")).to_have_text(
        f"“{BASIN}” is part of answers to questions 1 and 2. A word can belong to one question only."
    )
    expect(page.locator("#sentence-16")).to_have_attribute(
        "aria-label", re.compile("in two answers: 1 and 2")
    )
    expect(card(page, "2").locator(".chip")).to_contain_text("overlaps")
    expect(submit_button(page)).to_have_attribute("aria-disabled", "true")
    press(page, "Control+Enter")
    expect(note(page)).to_contain_text("Not yet:")
    expect(page.locator("#sentence")).to_be_focused()
    press(page, "Backspace")
    expect(page.locator("[data-conflicts]")).to_be_hidden()
    press(page, "Escape", "i", "Control+Enter")
    expect_submitted(page)
    assert [verdict for _, verdict, _ in judged(case_content(cases, "validation-conflict"))] == [
        *("valid", "invalid", "invalid")
    ]


# --- drafts, undo, frames ----------------------------------------------------------------------


def test_undo_removes_an_answer_with_its_verdict(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("validation-undo"))
    expect_card_focused(page)
    press(page, "Enter", "ArrowRight", "Enter")
    expect(card(page, "1").locator(".chip")).to_have_text("natural")
    press(page, "Control+z")
    expect(card(page, "1").locator(".card__verdict")).to_have_text("not judged")
    expect(card(page, "1").locator(".chip")).to_have_count(0)


def test_works_in_a_cross_site_sandboxed_frame_and_survives_a_reload(
    cases: Site, context: BrowserContext
):
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: message.type == "error" and wrong.append(message.text))
    page.goto(cases.marketplace.frame_url(cases.address("validation-frame")))
    frame = ready(page.frames[1])
    assert frame.evaluate("origin") == "null"
    card(frame, "1").focus()
    press(page, "Enter", "ArrowRight", "Enter", "Escape", "ArrowDown", "r", "ArrowDown", "i")
    expect(status(frame)).to_have_text("Saved")
    page.reload()  # the frame has no storage, so the draft comes from the server
    frame = ready(page.frames[1])
    assert frame.locator(".card__verdict").all_inner_texts() == [
        "valid",
        "duplicate of 1",
        "invalid",
    ]
    expect(card(frame, "1").locator(".chip")).to_have_text("natural")
    submit_button(frame).click()
    expect_submitted(frame)
    assert context.cookies() == []
    assert wrong == []
    assert len(judged(case_content(cases, "validation-frame"))) == 3


def test_two_validators_of_one_case_have_separate_drafts(cases: Site, context: BrowserContext):
    name = "validation-two"
    first_page = open_task(context.new_page(), cases.address(name))
    second_page = open_task(context.new_page(), cases.address(name, worker="W2"))
    for page, key in ((first_page, "v"), (second_page, "i")):
        card(page, "1").focus()
        press(page, key)
        expect(status(page)).to_have_text("Saved")
    drafts = {draft["worker_ref"]: draft["content"] for draft in stored_drafts(cases, name)}
    first = [content[cases.item(name)]["questions"][0] for _, content in sorted(drafts.items())]
    assert [question["verdict"] for question in first] == ["valid", "invalid"]


def test_two_tabs_show_both_versions(cases: Site, context: BrowserContext):
    first = open_task(context.new_page(), cases.address("validation-tabs"))
    second = open_task(context.new_page(), cases.address("validation-tabs"))
    card(first, "1").focus()
    press(first, "Enter", "ArrowRight", "Enter")
    expect(status(first)).to_have_text("Saved")
    card(second, "2").focus()
    press(second, "i")
    banner = second.locator("[data-banner]")
    expect(banner).to_contain_text(f"{MIGHT} – natural")
    second.get_by_role("button", name="Use this version").click()
    expect(card(second, "1").locator(".card__verdict")).to_have_text("valid")
    expect(card(second, "2").locator(".card__verdict")).to_have_text("not judged")


def test_preview_shows_an_example_and_accepts_no_input(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.preview("validation-preview"))
    expect(page.locator("[data-banner]")).to_contain_text("Accept the task to start working on it")
    expect(page.locator("[data-hint]")).to_contain_text("This is an example.")
    expect(card(page, "1").get_by_role("button", name="Invalid")).to_be_disabled()
    card(page, "1").focus()
    press(page, "v", "i", "Enter", "Control+Enter")
    expect(card(page, "1").locator(".card__verdict")).to_have_text("not judged")


def test_pay_follows_the_2018_scheme(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("validation-pay"))
    expect(page.locator("[data-pay]")).to_have_text("8 ¢")
    page = open_task(context.new_page(), cases.address("many-pay"))
    expect(page.locator("[data-pay]")).to_have_text("8 ¢ + 16 ¢ for 12 questions to judge = 24 ¢")


def test_hostile_content_is_shown_as_text(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("danger-text"))
    expect(card(page, "1").locator(".card__text")).to_have_text(
        "<img src=x onerror=window.hacked=1>?"
    )
    expect_card_focused(page)
    press(page, "Enter", "ArrowLeft", "Enter")
    expect(card(page, "1").locator(".chip")).to_have_text("<script>window.hacked=1</script>")
    assert page.evaluate("window.hacked") is None


# --- devices and accessibility -----------------------------------------------------------------


def test_by_touch_at_360_px(cases: Site, chromium: Browser):
    size = {"width": 360, "height": 740}
    with chromium.new_context(viewport=size, has_touch=True, is_mobile=True) as context:
        page = open_task(context.new_page(), cases.address("validation-touch"))
        card(page, "1").get_by_role("button", name="Select answers").tap()
        page.locator("#sentence-16 .word").tap()
        page.locator("#sentence-17 .word").tap()
        card(page, "2").get_by_role("button", name="Invalid").tap()
        card(page, "3").get_by_role("button", name="Duplicate").tap()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        small = page.evaluate(
            """() => [...document.querySelectorAll(".card__verdict-button, .chip")]
                .filter((each) => each.offsetParent && each.offsetHeight < 24)
                .map((each) => each.textContent)"""
        )
        assert small == []
        submit_button(page).tap()
        expect_submitted(page)
    content = case_content(cases, "validation-touch")
    assert content["questions"][0]["answers"] == [span_of(SURVEY, BASIN)]


@pytest.mark.parametrize("size", [(640, 400), (360, 740), (1280, 800)])
def test_focused_element_is_not_covered_by_the_sentence(
    cases: Site, chromium: Browser, size: tuple[int, int]
):
    with chromium.new_context(viewport={"width": size[0], "height": size[1]}) as context:
        page = open_task(context.new_page(), cases.address("many-look"))
        card(page, "1").first.focus()
        page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        for key in ("ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp"):
            press(page, key)
            gap = page.evaluate(
                """() => {
                    const stuck = document.querySelector("[data-stuck]");
                    const top = document.activeElement.getBoundingClientRect().top;
                    const isSticky = getComputedStyle(stuck).position === "sticky";
                    return isSticky ? top - stuck.getBoundingClientRect().bottom : top;
                }"""
            )
            assert gap >= 0
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_axe_finds_nothing(cases: Site, chromium: Browser, look: tuple[int, str]):
    width, scheme = look
    viewport = {"width": width, "height": 800}
    with chromium.new_context(viewport=viewport, color_scheme=scheme) as context:
        page = open_task(
            context.new_page(), cases.address("validation-axe", worker=f"W{scheme}{width}")
        )
        assert axe_findings(page) == []
        for name in ("1", "2"):  # overlapping answers
            card(page, name).focus()
            press(page, "Enter", "ArrowRight", "Enter", "Escape")
        card(page, "3").focus()
        press(page, "r")
        page.locator("summary", has_text="Keyboard shortcuts").click()
        assert axe_findings(page) == []


def test_page_weighs_at_most_60_kilobytes(cases: Site, context: BrowserContext):
    page = context.new_page()
    finished: list[Request] = []

    def append(request: Request) -> None:  # Playwright can't register a built-in as a handler
        finished.append(request)

    page.on("requestfinished", append)
    open_task(page, cases.address("validation-weight"))
    page.wait_for_load_state("networkidle")
    sizes = {request.url: weight_of(request) for request in finished}
    assert [url for url in sizes if not url.startswith(cases.url)] == []
    assert len(sizes) == len(finished)  # each file is fetched once
    total = sum(sizes.values())
    print(f"page weight: {total} bytes in {len(sizes)} files")  # noqa: T201
    assert total <= 60_000
