"""The consolidation page in a real browser, with the actions of a consolidator."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Frame, Page, Request, expect

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
from tests.consolidation.factories import LONG_NAME, SHORT_NAME, SURVEY, span_of

pytestmark = pytest.mark.browser

WHO, WHAT = "Who identified something?", "What did someone identify?"


# --- actions of a consolidator -----------------------------------------------------------------


def result(page: Page | Frame) -> list[str]:
    return [text.strip() for text in page.locator("[data-preview] > li").all_inner_texts()]


def kept_questions(content: dict[str, Any]) -> dict[str, list[str]]:
    """Return each kept question with the words of its answers."""
    return {
        row["question"]: [" ".join(SURVEY[start:end]) for start, end in row["answers"]]
        for row in content["questions"]
        if row["verdict"] == "keep"
    }


def verdicts(content: dict[str, Any]) -> list[str]:
    return sorted(question["verdict"] for question in content["questions"])


# --- the paper's examples ----------------------------------------------------------------------


def test_first_example_of_the_paper_by_keyboard_alone(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("identified-keys"))
    expect_card_focused(page)
    press(page, "Shift+G")  # "a basin", on which both annotators agree
    expect(card(page, "A1")).to_be_focused()
    press(page, "g")  # both annotators ask the question, so A1 stays and B1 repeats it
    press(page, "Enter")
    expect(page.locator("#sentence")).to_be_focused()
    press(page, *["ArrowRight"] * 4, "-")  # remove "("
    press(page, *["ArrowRight"] * 2, "-")  # remove ")"
    assert result(page) == [f"{WHO}\n{SHORT_NAME} | USGS", f"{WHAT}\na basin"]
    press(page, "Escape")
    expect(card(page, "A1")).to_be_focused()
    press(page, "Control+Enter")
    expect_submitted(page)
    content = case_content(cases, "identified-keys")
    assert kept_questions(content) == {WHO: [SHORT_NAME, "USGS"], WHAT: ["a basin"]}
    assert verdicts(content) == ["keep", "keep", "redundant", "redundant"]


def test_second_example_of_the_paper_by_keyboard_alone(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("contain-keys"))
    expect_card_focused(page)
    press(page, "Shift+G")
    expect(card(page, "A1")).to_be_focused()
    press(page, "k", "ArrowDown", "r")
    expect(card(page, "B1").locator(".card__verdict")).to_have_text("redundant, duplicate of A1")
    for _ in range(40):
        press(page, "Tab")
        if page.evaluate("document.activeElement.hasAttribute('data-submit')"):
            break
    press(page, "Enter")
    expect_submitted(page)
    content = case_content(cases, "contain-keys")
    assert kept_questions(content) == {
        "What might contain something?": ["that basin"],
        "What might something contain?": ["natural gas"],
    }
    kept = [question for question in content["questions"] if question["verdict"] == "keep"]
    assert [question["source"] for question in kept] == [
        {"submission": 0, "question": 0},
        {"submission": 0, "question": 1},
    ]


def test_settling_a_group_keeps_the_question_with_the_modal(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("modal-keys"))
    expect_card_focused(page)
    settle = page.get_by_role("button", name="Keep B1, others are duplicates")
    expect(settle).to_be_visible()
    press(page, "g")
    expect(card(page, "A1").locator(".card__verdict")).to_have_text("redundant, duplicate of B1")
    press(page, "Control+Enter")
    expect_submitted(page)
    content = case_content(cases, "modal-keys")
    assert kept_questions(content) == {"What might contain something?": ["that basin"]}


# --- implied arguments -------------------------------------------------------------------------


def test_implied_arguments_are_marked_by_keyboard(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("implied-keys"))
    expect_card_focused(page)
    first = card(page, "A1")
    expect(first.get_by_role("button", name="Implied")).to_be_hidden()  # not kept yet
    press(page, "Shift+G")  # "natural gas", on which both annotators agree
    expect(first).to_be_focused()
    press(page, "p")
    expect(first.locator(".card__verdict")).to_have_text("not judged")
    press(page, "k", "p")
    toggle = first.get_by_role("button", name="Implied")
    expect(toggle).to_have_attribute("aria-pressed", "true")
    expect(first.locator(".card__verdict")).to_have_text("kept, implied")
    press(page, "p", "Control+z")
    expect(toggle).to_have_attribute("aria-pressed", "true")
    press(page, "ArrowDown", "r", "Control+Enter")
    expect_submitted(page)
    content = case_content(cases, "implied-keys")
    assert {
        row["question"]: row["implied"] for row in content["questions"] if row["verdict"] == "keep"
    } == {"What might contain something?": True, "What might something contain?": False}
    assert not any("implied" in row for row in content["questions"] if row["verdict"] != "keep")


def test_projects_that_do_not_ask_have_no_implied_arguments(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("contain-plain"))
    expect_card_focused(page)
    press(page, "Shift+G", "k", "p")
    expect(card(page, "A1").locator(".card__verdict")).to_have_text("kept")
    expect(card(page, "A1").get_by_role("button", name="Implied")).to_be_hidden()


def test_answers_in_the_context_are_shown_and_kept(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("context-cards"))
    expect_card_focused(page)
    first = card(page, "A1")
    expect(first).to_contain_text("In context: “The basin”")
    expect(first).not_to_contain_text("no answer")
    first.focus()
    press(page, "k")
    expect(page.locator("[data-preview]")).to_contain_text("The basin (in context)")
    assert axe_findings(page) == []
    press(page, "Shift+G", "Control+Enter")
    expect_submitted(page)
    content = case_content(cases, "context-cards")
    [kept] = [row for row in content["questions"] if row.get("context_answers")]
    assert (kept["verdict"], kept["answers"]) == ("keep", [])
    assert kept["context_answers"][0]["text"] == "The basin"


# --- conflicts and open questions --------------------------------------------------------------


def test_conflicting_words_are_red_and_listed_and_block_submission(
    cases: Site, context: BrowserContext
):
    page = open_task(context.new_page(), cases.address("identified-conflict"))
    expect_card_focused(page)
    press(page, "Shift+G", "k", "ArrowDown", "k")
    conflicts = page.locator("[data-conflicts]")
    expect(conflicts).to_have_text(
        f"“{SHORT_NAME}” is part of answers to A1 and B1. A word can belong to one question only."
    )
    red = page.evaluate("getComputedStyle(document.querySelector('[data-conflicts]')).color")
    word = page.locator("#sentence-4 .word")
    assert word.evaluate("(word) => getComputedStyle(word).color") == red == "rgb(179, 38, 30)"
    expect(page.locator("#sentence-4")).to_have_attribute(
        "aria-label", re.compile("in two answers: A1 and B1")
    )
    expect(card(page, "B1").locator(".chip")).to_contain_text("overlaps")
    expect(page.locator("[data-open-problems]")).to_contain_text("A1 and B1 are duplicates")
    expect(submit_button(page)).to_have_attribute("aria-disabled", "true")
    submit_button(page).click(force=True)
    press(page, "Control+Enter")
    expect(note(page)).to_contain_text("Not yet:")
    assert submitted_forms(cases, "identified-conflict") == []
    page.get_by_role("button", name=f"“{SHORT_NAME}” is part of answers").click()
    expect(page.locator("#sentence")).to_be_focused()
    press(page, "Backspace")
    expect(conflicts).to_be_hidden()
    expect(page.locator("[data-open-problems]")).to_contain_text("B1 is kept, but has no answer.")
    press(page, "Escape", "i")
    expect(page.locator("[data-open]")).to_have_text("Everything is decided.")
    submit_button(page).click()
    expect_submitted(page)
    assert verdicts(case_content(cases, "identified-conflict")) == [
        *("invalid", "keep", "keep", "redundant")
    ]


def test_unjudged_question_is_listed_and_focused(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("identified-same"))
    expect(page.locator("[data-open]")).to_have_text("4 questions to judge.")
    submit_button(page).click(force=True)
    expect(note(page)).to_have_text("Not yet: Judge A1.")
    expect(card(page, "A1")).to_be_focused()
    press(page, "w")
    page.keyboard.type("Who was")
    press(page, "Escape", "Tab")
    expect(page.locator(".question-box__note")).to_contain_text("isn't finished")
    press(page, "Control+Enter")
    expect(note(page)).to_have_text("Not yet: finish or cancel the question that you are writing.")
    expect(page.get_by_role("combobox")).to_be_focused()
    press(page, "Escape", "Escape")  # closes the list, then the box
    expect(page.get_by_role("combobox")).to_have_count(0)
    expect(card(page, "A1").locator(".card__text")).to_have_text(WHO)


# --- moves -------------------------------------------------------------------------------------


def test_rewriting_and_undo_by_keyboard(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("contain-rewrite"))
    expect_card_focused(page)
    press(page, "Shift+G", "ArrowDown", "k", "w")
    page.keyboard.type("what might contain something")
    press(page, "Enter")
    expect(card(page, "B1").locator(".card__text")).to_have_text("What might contain something?")
    press(page, "ArrowUp", "r")  # it repeats B1 with its new text
    expect(card(page, "A1").locator(".card__verdict")).to_have_text("redundant, duplicate of B1")
    press(page, "Control+z")
    expect(card(page, "A1").locator(".card__verdict")).to_have_text("not judged")
    press(page, "Control+z")
    expect(card(page, "B1").locator(".card__text")).to_have_text("What contains something?")
    page.get_by_role("button", name="Undo keep B1").click()
    expect(card(page, "B1").locator(".card__verdict")).to_have_text("not judged")


def test_answers_are_joined_moved_and_split_by_mouse(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("identified-move"))
    first, other = card(page, "A1"), card(page, "B1")
    first.get_by_role("button", name="Keep").click()
    other.get_by_role("button", name="Keep").click()
    other.get_by_role("button", name=SHORT_NAME).click()
    other.get_by_role("button", name="Remove").click()
    first.get_by_role("button", name="Answers").click()
    page.locator("#sentence-7 .word").click()  # "("
    page.get_by_role("button", name="Split before “(”").click()
    assert first.locator(".chip").all_inner_texts() == [SHORT_NAME, "( USGS )"]
    first.get_by_role("button", name="( USGS )").click()
    first.get_by_label("Move to").select_option(label=f"B1 “{WHO}”")
    first.get_by_role("button", name="Move", exact=True).click()
    assert other.locator(".chip").all_inner_texts() == ["( USGS )"]
    other.get_by_role("button", name="( USGS )").click()
    other.get_by_role("button", name="Edit in the sentence").click()
    page.locator("#sentence-8 .word").hover()
    page.mouse.down()
    page.locator("#sentence-8 .word").hover()
    page.mouse.up()
    page.locator("#sentence-8 .word").click()
    assert other.locator(".chip").all_inner_texts() == ["USGS"]
    other.get_by_role("button", name="USGS").click()
    other.get_by_label("Move to").select_option(label="A new question")
    other.get_by_role("button", name="Move", exact=True).click()
    expect(card(page, "N1").locator(".chip")).to_have_text("USGS")
    card(page, "N1").get_by_role("button", name="Delete").click()
    expect(card(page, "N1")).to_have_count(0)
    first.get_by_role("button", name="Answers").click()
    page.locator("#sentence-8 .word").click()
    page.locator("#sentence-8 .word").click()
    assert first.locator(".chip").all_inner_texts() == [SHORT_NAME, "USGS"]
    first.get_by_role("button", name=SHORT_NAME).click()
    first.get_by_role("button", name="Join with the next").click()
    assert first.locator(".chip").all_inner_texts() == [LONG_NAME.removesuffix(" )")]


def test_merging_includes_the_answers(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("identified-merge"))
    expect_card_focused(page)
    press(page, "Shift+G", "k", "Enter", *["ArrowRight"] * 5, "Shift+ArrowLeft")
    press(page, "Escape", "Backspace", "Escape")  # removes the answer of A1
    expect(card(page, "A1").locator(".card__none")).to_be_visible()
    press(page, "ArrowDown", "m")
    assert card(page, "A1").locator(".chip").all_inner_texts() == [SHORT_NAME]
    expect(card(page, "B1").locator(".card__verdict")).to_have_text("redundant, duplicate of A1")
    expect(page.locator("[data-open]")).to_have_text("Everything is decided.")


def test_kept_question_of_a_pair_can_be_swapped(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("identified-undo"))
    expect_card_focused(page)
    press(page, "g", "ArrowUp", "ArrowUp")
    expect(card(page, "A1")).to_be_focused()
    press(page, "r")
    expect(card(page, "A1").locator(".card__verdict")).to_have_text("redundant, duplicate of B1")
    expect(card(page, "B1").locator(".card__verdict")).to_have_text("kept")
    press(page, "r")
    expect(card(page, "A1").locator(".card__verdict")).to_have_text("not judged")


# --- empty sources, three sources, hostile content ---------------------------------------------


def test_sources_without_questions_can_be_submitted_unchanged(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("nothing-empty"))
    assert page.locator("[data-reasons] p").all_inner_texts() == [
        "A asked no questions: “Not a verb here.”",
        "B asked no questions: “It makes no sense.”",
    ]
    expect(page.locator("[data-pay]")).to_have_text("5 ¢")
    submit_button(page).click()
    expect_submitted(page)
    assert case_content(cases, "nothing-empty") == {"questions": []}


def test_missing_question_is_written_and_answered_by_keyboard(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("nothing-added"))
    for _ in range(20):
        press(page, "Tab")
        if page.evaluate("document.activeElement.classList.contains('own__add')"):
            break
    press(page, "Enter")
    page.keyboard.type("what might something contain")
    press(page, "Enter")
    expect(page.locator("#sentence")).to_be_focused()
    page.keyboard.type("nat")
    press(page, "Shift+ArrowRight", "Enter")
    press(page, "Control+Enter")
    expect_submitted(page)
    content = case_content(cases, "nothing-added")
    assert kept_questions(content) == {"What might something contain?": ["natural gas"]}
    assert content["questions"][0]["source"] is None
    assert content["questions"][0]["picked"] is None


def test_rank_of_a_picked_suggestion_is_stored(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("nothing-picked"))
    page.get_by_role("button", name="Write a missing question").press("Enter")
    options = page.get_by_role("option")
    expect(options.nth(1)).to_be_visible()
    press(page, "ArrowDown", "ArrowDown", "Enter")
    expect(page.locator("#sentence")).to_be_focused()
    page.keyboard.type("nat")
    press(page, "Shift+ArrowRight", "Enter", "Control+Enter")
    expect_submitted(page)
    [question] = case_content(cases, "nothing-picked")["questions"]
    assert question["picked"] == 2


def test_three_sources_are_shown_and_judged(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("three-sources"))
    assert sorted(page.locator(".card__name").all_inner_texts()) == ["A1", "B1", "C1", "C2"]
    card(page, "A1").focus()
    press(page, "k")
    card(page, "B1").focus()
    press(page, "r")
    card(page, "C2").focus()
    press(page, "r")
    card(page, "C1").focus()
    press(page, "k", "Control+Enter")
    expect_submitted(page)
    assert len(kept_questions(case_content(cases, "three-sources"))) == 2


def test_hostile_content_is_shown_as_text(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("hostile-text"))
    expect(card(page, "A1").locator(".card__text")).to_have_text(
        "<img src=x onerror=window.hacked=1>?"
    )
    expect_card_focused(page)
    press(page, "g")
    expect(page.locator("[data-preview]")).to_contain_text("<script>window.hacked=1</script>")
    assert page.evaluate("window.hacked") is None
    expect(card(page, "A1").locator(".card__note")).to_contain_text("Free-form question")


# --- frames, tabs, devices ---------------------------------------------------------------------


def test_works_in_a_cross_site_sandboxed_frame_and_survives_a_reload(
    cases: Site, context: BrowserContext
):
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: message.type == "error" and wrong.append(message.text))
    page.goto(cases.marketplace.frame_url(cases.address("identified-frame")))
    frame = ready(page.frames[1])
    assert frame.evaluate("origin") == "null"
    card(frame, "A1").focus()
    press(page, "Shift+G", "k", "ArrowDown", "r")
    expect(status(frame)).to_have_text("Saved")
    page.reload()  # the frame has no storage, so the draft comes from the server
    frame = ready(page.frames[1])
    expect(card(frame, "B1").locator(".card__verdict")).to_have_text("redundant, duplicate of A1")
    assert result(frame) == [f"{WHO}\n{LONG_NAME}", f"{WHAT}\na basin"]
    submit_button(frame).click()
    expect_submitted(frame)
    assert context.cookies() == []
    assert wrong == []
    assert len(kept_questions(case_content(cases, "identified-frame"))) == 2


def test_two_workers_on_one_case_have_separate_drafts(cases: Site, context: BrowserContext):
    name = "identified-two"
    first_page = open_task(context.new_page(), cases.address(name))
    second_page = open_task(context.new_page(), cases.address(name, worker="W2"))
    for page, key in ((first_page, "k"), (second_page, "i")):
        card(page, "A1").focus()
        press(page, key)
        expect(status(page)).to_have_text("Saved")
    drafts = {draft["worker_ref"]: draft["content"] for draft in stored_drafts(cases, name)}
    first = [content[cases.item(name)]["questions"][0] for _, content in sorted(drafts.items())]
    assert [question["verdict"] for question in first] == ["keep", "invalid"]


def test_two_tabs_show_both_versions(cases: Site, context: BrowserContext):
    first = open_task(context.new_page(), cases.address("identified-tabs"))
    second = open_task(context.new_page(), cases.address("identified-tabs"))
    card(first, "A1").focus()
    press(first, "k")
    expect(status(first)).to_have_text("Saved")
    card(second, "B1").focus()
    press(second, "i")
    banner = second.locator("[data-banner]")
    expect(banner).to_contain_text(f"{WHO} – {LONG_NAME}")
    second.get_by_role("button", name="Use this version").click()
    expect(card(second, "A1").locator(".card__verdict")).to_have_text("kept")
    expect(card(second, "B1").locator(".card__verdict")).to_have_text("not judged")


def test_preview_shows_an_example_and_accepts_no_input(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.preview("identified-preview"))
    expect(page.locator("[data-banner]")).to_contain_text("Accept the task to start working on it")
    expect(page.locator("[data-hint]")).to_contain_text("This is an example.")
    expect(card(page, "A1").get_by_role("button", name="Keep")).to_be_disabled()
    card(page, "A1").focus()
    press(page, "k", "Shift+G", "n", "Control+Enter")
    expect(card(page, "A1").locator(".card__verdict")).to_have_text("not judged")
    expect(page.locator("[data-open]")).to_have_text("5 questions to judge.")


def test_pay_depends_on_the_questions_to_judge(cases: Site, context: BrowserContext):
    page = open_task(context.new_page(), cases.address("identified-pay"))
    expect(page.locator("[data-pay]")).to_have_text("5 ¢ + 12 ¢ for 4 questions to judge = 17 ¢")


def test_by_touch_at_360_px(cases: Site, chromium: Browser):
    size = {"width": 360, "height": 740}
    with chromium.new_context(viewport=size, has_touch=True, is_mobile=True) as context:
        page = open_task(context.new_page(), cases.address("identified-touch"))
        page.get_by_role("button", name="Accept the role that all agree on").tap()
        card(page, "A1").get_by_role("button", name="Keep").tap()
        card(page, "B1").get_by_role("button", name="Redundant").tap()
        card(page, "A1").get_by_role("button", name="Answers").tap()
        page.locator("#sentence-3 .word").tap()
        page.locator("#sentence-6 .word").tap()
        assert card(page, "A1").locator(".chip").all_inner_texts() == [SHORT_NAME]
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        small = page.evaluate(
            """() => [...document.querySelectorAll(".card__verdict-button, .chip")]
                .filter((each) => each.offsetParent && each.offsetHeight < 24)
                .map((each) => each.textContent)"""
        )
        assert small == []
        submit_button(page).tap()
        expect_submitted(page)
    content = case_content(cases, "identified-touch")
    assert content["questions"][0]["answers"] == [span_of(SURVEY, SHORT_NAME)]


@pytest.mark.parametrize("size", [(640, 400), (640, 620), (360, 740), (1280, 800)])
def test_focused_element_is_not_covered_by_the_sentence(
    cases: Site, chromium: Browser, size: tuple[int, int]
):
    """A window of 1280 px is 640 px wide at 200 %."""
    viewport = {"width": size[0], "height": size[1]}
    with chromium.new_context(viewport=viewport) as context:
        page = open_task(context.new_page(), cases.address("identified-zoom"))
        card(page, "A1").focus()
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
            context.new_page(), cases.address("identified-axe", worker=f"W{scheme}{width}")
        )
        assert axe_findings(page) == []
        page.get_by_role("button", name="Skip", exact=True).click()
        expect_card_focused(page)
        press(page, "Shift+G", "k", "ArrowDown", "k")  # overlapping answers
        card(page, "A1").locator(".chip").click()  # opens the tools of an answer
        page.locator("summary", has_text="Keyboard shortcuts").click()
        assert axe_findings(page) == []
        press(page, "n")
        card(page, "B2").focus()
        press(page, "i")
        card(page, "A2").focus()
        press(page, "w")
        page.keyboard.type("who zz")
        assert axe_findings(page) == []


def test_page_weighs_at_most_60_kilobytes(cases: Site, context: BrowserContext):
    page = context.new_page()
    finished: list[Request] = []

    def append(request: Request) -> None:  # Playwright can't register a built-in as a handler
        finished.append(request)

    page.on("requestfinished", append)
    open_task(page, cases.address("identified-weight"))
    page.wait_for_load_state("networkidle")
    sizes = {request.url: weight_of(request) for request in finished}
    assert [url for url in sizes if not url.startswith(cases.url)] == []
    assert len(sizes) == len(finished)  # each file is fetched once
    total = sum(sizes.values())
    print(f"page weight: {total} bytes in {len(sizes)} files")  # noqa: T201
    assert total <= 60_000
