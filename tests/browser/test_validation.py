"""The validation page in a real browser, worked on as a validator does."""

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Request, expect

from tests.axe import LOOKS, axe_findings
from tests.browser.conftest import Site
from tests.browser.work import (
    arrived,
    card,
    handed_in,
    note,
    open_task,
    press,
    ready,
    status,
    stored_drafts,
    submit_button,
    the_content,
    to_first_card,
    weight_of,
)
from tests.consolidation.factories import SURVEY, span_of
from tests.consolidation.validation import MIGHT, WHAT, WHERE

pytestmark = pytest.mark.browser

BASIN, GAS = "that basin", "natural gas"


def judged(content: dict) -> list[tuple[str, str, list[str]]]:
    """Each question with its verdict and the words of its answers."""
    return [
        (one["question"], one["verdict"], [" ".join(SURVEY[s:e]) for s, e in one["answers"]])
        for one in content["questions"]
    ]


# --- a whole validation ------------------------------------------------------------------------


def test_a_whole_validation_by_keyboard_alone(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("validation-keys"))
    assert page.locator(".card__text").all_inner_texts() == [MIGHT, WHAT, WHERE]
    assert page.locator(".chip").count() == 0  # what the generator answered is not shown
    to_first_card(page)
    expect(card(page, "1")).to_be_focused()
    press(page, "Enter")
    expect(page.locator("#sentence")).to_be_focused()
    expect(page.locator(".token--cursor")).to_have_text("contain ")
    press(page, *["ArrowLeft"] * 3, "Shift+ArrowRight", "Enter")
    expect(card(page, "1").locator(".chip")).to_have_text("that basin")
    expect(card(page, "1").locator(".card__verdict")).to_have_text("valid")
    press(page, "Enter")  # on an own answer: to the next question
    expect(card(page, "2")).to_be_focused()
    press(page, "Enter", "ArrowRight", "Shift+ArrowRight", "Enter", "Enter")
    expect(card(page, "3")).to_be_focused()
    press(page, "i")
    expect(page.locator("[data-open]")).to_have_text("Everything is judged.")
    press(page, "Control+Enter")
    arrived(page)
    assert judged(the_content(cases, "validation-keys")) == [
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
    arrived(page)
    content = the_content(cases, "validation-mouse")
    assert judged(content) == [
        (MIGHT, "valid", [BASIN]),
        (WHAT, "redundant", []),
        (WHERE, "invalid", []),
    ]
    assert [one["same_as"] for one in content["questions"]] == [None, 0, None]


def test_which_question_is_repeated_can_be_chosen(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("validation-repeat"))
    card(page, "3").focus()
    press(page, "r")  # the nearest one before it
    expect(card(page, "3").locator(".card__verdict")).to_have_text("duplicate of 2")
    expect(card(page, "2").locator(".card__verdict")).to_have_text("valid")
    card(page, "1").focus()
    press(page, "v")
    card(page, "3").get_by_label("Duplicate of").select_option(label=f"1 “{MIGHT}”")
    expect(card(page, "3").locator(".card__verdict")).to_have_text("duplicate of 1")
    card(page, "1").focus()
    press(page, "i")  # what repeats it is open again
    expect(card(page, "3").locator(".card__verdict")).to_have_text("not judged")


# --- what can't be handed in -------------------------------------------------------------------


def test_what_is_not_judged_or_answered_is_named_and_gone_to(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("validation-open"))
    expect(page.locator("[data-open]")).to_have_text("3 questions to judge.")
    submit_button(page).click(force=True)
    expect(note(page)).to_have_text("Not yet: Judge question 1.")
    expect(card(page, "1")).to_be_focused()
    press(page, "v", "ArrowDown", "i", "ArrowDown", "i", "Control+Enter")
    expect(note(page)).to_have_text("Not yet: Question 1 is valid, but has no answer.")
    expect(page.locator("#sentence")).to_be_focused()
    assert handed_in(cases, "validation-open") == []


def test_a_word_in_two_questions_is_red_and_stops_the_hand_in(cases: Site, context: BrowserContext):
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
    arrived(page)
    assert [verdict for _, verdict, _ in judged(the_content(cases, "validation-conflict"))] == [
        *("valid", "invalid", "invalid")
    ]


# --- drafts, undo, frames ----------------------------------------------------------------------


def test_undo_takes_back_an_answer_with_its_verdict(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("validation-undo"))
    to_first_card(page)
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
    page.on("console", lambda said: said.type == "error" and wrong.append(said.text))
    page.goto(cases.marketplace.frame_url(cases.address("validation-frame")))
    frame = ready(page.frames[1])
    assert frame.evaluate("origin") == "null"
    card(frame, "1").focus()
    press(page, "Enter", "ArrowRight", "Enter", "Escape", "ArrowDown", "r", "ArrowDown", "i")
    expect(status(frame)).to_have_text("Saved")
    page.reload()  # the frame has no storage, the server has it all
    frame = ready(page.frames[1])
    assert frame.locator(".card__verdict").all_inner_texts() == [
        "valid",
        "duplicate of 1",
        "invalid",
    ]
    expect(card(frame, "1").locator(".chip")).to_have_text("natural")
    submit_button(frame).click()
    arrived(frame)
    assert context.cookies() == []
    assert wrong == []
    assert len(judged(the_content(cases, "validation-frame"))) == 3


def test_two_validators_of_one_case_have_a_draft_each(cases: Site, context: BrowserContext):
    name = "validation-two"
    one = open_task(context.new_page(), cases.address(name))
    two = open_task(context.new_page(), cases.address(name, worker="W2"))
    for page, key in ((one, "v"), (two, "i")):
        card(page, "1").focus()
        press(page, key)
        expect(status(page)).to_have_text("Saved")
    drafts = {each["worker_ref"]: each["content"] for each in stored_drafts(cases, name)}
    first = [content[cases.item(name)]["questions"][0] for _, content in sorted(drafts.items())]
    assert [each["verdict"] for each in first] == ["valid", "invalid"]


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


def test_a_preview_shows_everything_and_takes_nothing(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.preview("validation-preview"))
    expect(page.locator("[data-banner]")).to_contain_text("Accept the task to start working on it")
    expect(card(page, "1").get_by_role("button", name="Invalid")).to_be_disabled()
    card(page, "1").focus()
    press(page, "v", "i", "Enter", "Control+Enter")
    expect(card(page, "1").locator(".card__verdict")).to_have_text("not judged")


def test_the_pay_is_that_of_2018(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("validation-pay"))
    expect(page.locator("[data-pay]")).to_have_text("8 ¢")
    page = open_task(context.new_page(), cases.address("many-pay"))
    expect(page.locator("[data-pay]")).to_have_text("8 ¢ + 16 ¢ for 12 questions to judge = 24 ¢")


def test_hostile_content_is_shown_as_text(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("danger-text"))
    expect(card(page, "1").locator(".card__text")).to_have_text(
        "<img src=x onerror=window.hacked=1>?"
    )
    to_first_card(page)
    press(page, "Enter", "ArrowLeft", "Enter")
    expect(card(page, "1").locator(".chip")).to_have_text("<script>window.hacked=1</script>")
    assert page.evaluate("window.hacked") is None


# --- everywhere --------------------------------------------------------------------------------


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
        arrived(page)
    content = the_content(cases, "validation-touch")
    assert content["questions"][0]["answers"] == [span_of(SURVEY, BASIN)]


@pytest.mark.parametrize("size", [(640, 400), (360, 740), (1280, 800)])
def test_what_has_the_focus_is_not_under_the_sentence(
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


def test_the_page_weighs_60_kilobytes_at_most(cases: Site, context: BrowserContext):
    page = context.new_page()
    finished: list[Request] = []

    def note_it(request: Request) -> None:  # Playwright marks its handlers: no built-in will do
        finished.append(request)

    page.on("requestfinished", note_it)
    open_task(page, cases.address("validation-weight"))
    page.wait_for_load_state("networkidle")
    sizes = {each.url: weight_of(each) for each in finished}
    assert [url for url in sizes if not url.startswith(cases.url)] == []
    assert len(sizes) == len(finished)  # nothing is fetched twice
    total = sum(sizes.values())
    print(f"page weight: {total} bytes in {len(sizes)} files")  # noqa: T201
    assert total <= 60_000
