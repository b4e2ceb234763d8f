"""The annotation page of the frames scheme, with the actions of an annotator."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qs

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from annotation.domain.publishing.publish import publish_batch
from annotation.models import Draft, Item, Submission
from consolidation.models import Case
from projects.domain.choose_protocol import choose_protocol
from projects.domain.resources import change_resource
from projects.enums import MemberRole, Protocol
from projects.models import Project
from schemes.contract.values import Json
from tests.annotation.factories import NOW, make_task, task_url
from tests.axe import LOOKS, axe_findings
from tests.browser.frames import (
    WINE,
    choose_frame,
    current_step,
    element_option,
    frame,
    go_on,
    labels_of_arguments,
    make_frames_project,
    make_record,
    mention_no_arguments,
    open_argument,
    record,
    related_lexicon,
    understand,
    word,
)
from tests.browser.test_accessibility import SMALL_TARGETS, check_uncovered
from tests.browser.work import expect_submitted, note, open_task, press, ready, status, submit
from tests.consolidation.experts import make_queue
from tests.consolidation.factories import make_generation
from tests.consolidation.verification import submit as hand_in
from tests.consolidation.verification import sweep
from tests.crowd.factories import make_worker
from tests.dashboard.campaign import make_user
from tests.schemes.frames.page_lexicon import LEXICON
from tests.schemes.frames.projects import settle
from tests.signed import signed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SUBMISSION = {
    "skip": "",
    "verb": [3, 5],
    "lemma": "come_from",
    "frame": "Origin",
    "arguments": [
        {"head": [0, 2], "filler": "the_wine", "element": "Entity", "role": "Theme"},
        {"head": [6], "filler": "france", "element": "Origin", "role": "Source"},
    ],
    "confidence": 4,
}


@pytest.fixture
def project() -> Project:
    return make_frames_project()


@dataclass
class Marketplace:
    """A fake of the configured marketplace, whose requests the test answers in the browser."""

    origin: str
    contents: list[Json] = field(default_factory=list)

    def receive(self, route: Route) -> None:
        fields = parse_qs(route.request.post_data or "")
        self.contents.append(json.loads(fields["content"][0]))
        thanks = "<!doctype html><html lang=en><title>Done</title><h1>Thank you</h1>"
        route.fulfill(body=thanks, content_type="text/html")


@pytest.fixture
def marketplace(settings) -> Marketplace:
    return Marketplace(settings.MTURK_WORKER_ORIGINS[0])


@pytest.fixture
def open_records(live_server, marketplace) -> Iterator[Callable[..., Page]]:
    """Return a function that opens a task, and check that no script fails."""
    errors: list[str] = []

    def open_records(context: BrowserContext, *items: Item, worker: str = "W1") -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.route(f"{marketplace.origin}/**", marketplace.receive)
        task = items[0].tasks.first() or make_task(items)
        address = task_url(task, worker=worker, submit_to=marketplace.origin)
        return open_task(page, f"{live_server.url}{address}")

    yield open_records
    assert errors == []


@pytest.fixture
def page(project, context, open_records) -> Page:
    return open_records(context, make_record(project))


def submitted(marketplace: Marketplace) -> Json:
    """Return the only record in the marketplace, which must equal the stored draft."""
    [content] = marketplace.contents
    assert Draft.objects.get().content == content
    [record] = content.values()
    return record


def tab_to(page: Page, selector: str, key: str = "Tab") -> None:
    for _ in range(40):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press(key)
    pytest.fail(f"{key} does not lead to {selector}")


def moves(page: Page) -> list[str]:
    """Return the stored log of moves."""
    expect(status(page)).to_have_text("Saved")
    return [f"{step}: {label}" for _, step, label in Draft.objects.get().log]


# --- a whole record ------------------------------------------------------------------------------


def test_record_by_keyboard_alone(page, marketplace):
    expect(page.locator("[data-frames] input").first).to_be_attached()
    tab_to(page, "[data-understand]")
    press(page, "Enter")
    expect(frame(page, "Arriving")).to_be_focused()
    tab_to(page, "#sentence", "Shift+Tab")
    press(page, "f", " ")
    expect(page.get_by_role("heading", name="Which frame does “come from” evoke?")).to_be_visible()
    press(page, "/")
    expect(page.get_by_label("Search all frames")).to_be_focused()
    page.keyboard.type("beginning")
    press(page, "ArrowDown")
    expect(frame(page, "Origin")).to_be_focused()
    press(page, "ArrowRight")
    expect(page.get_by_text("What Entity means.")).to_be_visible()
    press(page, "Enter", "Enter")
    expect(current_step(page)).to_contain_text("Arguments")
    expect(page.locator("#sentence")).to_be_focused()
    press(page, "w", "Enter")
    expect(page.get_by_role("group", name="Frame element of “wine”")).to_be_visible()
    expect(page.locator(".argument--active input[value=Entity]")).to_be_focused()
    press(page, "a")
    expect(page.locator("#sentence")).to_be_focused()
    press(page, "Home", " ")
    page.keyboard.type("fra")
    press(page, "Enter", "a")
    expect(note(page)).to_have_text("Entity is marked: “The … wine”.")
    press(page, "b", "Shift+Enter")
    expect(page.get_by_role("radio", name="1 a guess")).to_be_focused()
    press(page, "4")
    expect(page.get_by_role("radio", name="4 sure of the frame")).to_be_checked()
    log = moves(page)
    press(page, "Control+Enter")
    expect_submitted(page)
    record = submitted(marketplace)
    record["arguments"][1]["filler"] = record["arguments"][1]["filler"].lower()
    record["arguments"][1]["role"] = "Source"
    assert record == SUBMISSION
    assert log == [
        "read: understanding the sentence",
        "frame: going to step 2, frame",
        "units: adding “from” to the verb",
        "frame: reading about Origin",
        "frame: choosing the frame Origin",
        "arguments: going to step 3, arguments",
        "arguments: marking “wine”",
        "arguments: the element Entity for “wine”",
        "units: changing “wine” to “The … wine”",
        "arguments: marking “France”",
        "arguments: the element Origin for “France”",
        "rate: going to step 4, rate",
        "rate: confidence 4",
    ]
    draft = Draft.objects.get()
    assert draft.moves == len(log)
    assert {name: effort["moves"] for name, effort in draft.steps.items()} == {
        **{"read": 1, "units": 2, "frame": 3},
        **{"arguments": 5, "rate": 2},
    }


def test_record_by_touch_on_a_narrow_screen(project, chromium: Browser, open_records, marketplace):
    size = {"width": 360, "height": 800}
    with chromium.new_context(viewport=size, has_touch=True, is_mobile=True) as context:
        context.set_default_timeout(10_000)
        page = open_records(context, make_record(project))
        page.get_by_role("button", name="I understand the sentence").tap()
        word(page, 5).tap()
        expect(page.get_by_role("heading", name="Which frame does “come from”")).to_be_visible()
        page.get_by_role("button", name="Details of Origin").tap()
        expect(page.get_by_text("What Entity means.")).to_be_visible()
        page.locator(".frame-row__choice", has_text="Origin").tap()
        page.get_by_role("button", name="Continue to the arguments").tap()
        word(page, 2).tap()
        page.get_by_role("button", name="Add or remove words").tap()
        word(page, 0).tap()
        element_option(page, "Entity").tap()
        page.get_by_role("button", name="Add or remove words").tap()
        word(page, 6).tap()
        element_option(page, "Origin").tap()
        page.locator(".argument--active select").select_option("Source")
        assert labels_of_arguments(page) == [
            "“The … wine” Entity · Theme",
            "“France” Origin · Source",
        ]
        assert page.evaluate(SMALL_TARGETS) == []
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        page.get_by_role("button", name="Continue to the rating").tap()
        page.locator("label", has_text="sure of the frame").tap()
        page.get_by_role("button", name="Submit").tap()
        expect_submitted(page)
    record = submitted(marketplace)
    record["arguments"][1]["filler"] = record["arguments"][1]["filler"].lower()
    assert record == SUBMISSION


def test_adjacent_words_are_selected_by_dragging(page):
    understand(page)
    choose_frame(page, "Arriving")
    go_on(page)
    word(page, 7).hover()
    page.mouse.down()
    word(page, 8).hover()
    page.mouse.up()
    assert labels_of_arguments(page) == ["“last year” Time"]
    word(page, 6).click(modifiers=["Control"])
    assert labels_of_arguments(page) == ["“France last year” Source"]
    word(page, 3).click()
    expect(note(page)).to_have_text("“came” belongs to the verb.")
    word(page, 2).click()
    word(page, 8).click(modifiers=["Control"])
    expect(note(page)).to_have_text("“year” already belongs to “France last year”.")
    page.locator("#sentence").focus()
    press(page, "y", "Backspace")
    assert labels_of_arguments(page) == ["“France last” Source", "“wine” Agent"]


# --- skipping ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "key", "reason"),
    [
        ("Read", "not-understood", "I don't understand the sentence"),
        ("Frame", "no-frame", ""),
        ("Arguments", "not-a-verb", "The marked word is not a verb here"),
        ("Rate", "other", "Another reason"),
    ],
)
def test_record_is_skipped_at_any_step(page, marketplace, step, key, reason):
    page.locator(".stepper").get_by_role("button", name=step).click()
    if reason:
        page.locator("summary", has_text="Skip this record").click()
        page.locator("label", has_text=reason).click()
    else:
        page.get_by_role("button", name="Skip: no frame fits").click()
    expect(page.get_by_text("This record is skipped:")).to_be_visible()
    if key == "other":
        page.get_by_label("Comment for the requester").fill("Poetry.")
    assert axe_findings(page) == []
    submit(page)
    expect_submitted(page)
    nothing = {"frame": "", "arguments": [], "confidence": None}
    assert submitted(marketplace) == {"skip": key, "verb": [3], "lemma": "come", **nothing}
    assert Draft.objects.get().comment == ("Poetry." if key == "other" else "")


def test_skipped_record_can_still_be_annotated(page):
    understand(page)
    choose_frame(page, "Arriving")
    page.get_by_role("button", name="Skip: no frame fits").click()
    page.get_by_role("button", name="Annotate it after all").click()
    expect(frame(page, "Arriving")).to_be_focused()
    expect(frame(page, "Arriving")).to_be_checked()


# --- changes -------------------------------------------------------------------------------------


def test_changed_frame_preserves_words_and_roles_and_lists_lost_elements(page, marketplace):
    understand(page)
    choose_frame(page, "Arriving")
    go_on(page)
    open_argument(page, 2)
    press(page, "a")
    open_argument(page, 6)
    press(page, "b")
    page.locator(".argument--active select").select_option("Source")
    go_on(page)
    press(page, "3")
    page.get_by_role("button", name="Revise frame").click()
    page.get_by_label("Search all frames").fill("commerce")
    choose_frame(page, "Commerce_sell")
    lost = page.locator("[data-lost]")
    expect(lost).to_contain_text("doesn't have 2 elements that you chose: Theme of “wine”")
    press(page, "Control+Enter")
    page.get_by_role("button", name="Commerce_sell has no element Goal").click()
    expect(current_step(page)).to_contain_text("Arguments")
    assert labels_of_arguments(page) == ["“wine” Theme · Theme", "“France” Goal · Source"]
    page.get_by_role("button", name="Remove the element Goal").click()
    page.locator(".argument__head").first.click()
    element_option(page, "Goods").click()
    assert labels_of_arguments(page) == ["“wine” Goods · Theme", "“France” Source"]
    expect(lost).to_be_hidden()
    submit(page)
    expect_submitted(page)
    record = submitted(marketplace)
    assert (record["frame"], record["confidence"]) == ("Commerce_sell", 3)
    assert [
        (argument["head"], argument["element"], argument["role"])
        for argument in record["arguments"]
    ] == [
        ([2], "Goods", "Theme"),
        ([6], "", "Source"),
    ]


def test_changing_back_restores_the_elements(page):
    understand(page)
    choose_frame(page, "Arriving")
    go_on(page)
    open_argument(page, 2)
    press(page, "a", "Shift+Enter")
    page.get_by_role("button", name="Revise frame").click()
    choose_frame(page, "Becoming")
    expect(page.locator("[data-lost]")).to_be_visible()
    choose_frame(page, "Arriving")
    expect(page.locator("[data-lost]")).to_be_hidden()


def test_moves_are_undone_at_their_step(page):
    understand(page)
    choose_frame(page, "Arriving")
    go_on(page)
    word(page, 2).click()
    page.get_by_role("button", name="Undo marking “wine”").click()
    assert labels_of_arguments(page) == []
    page.get_by_role("button", name="Undo choosing the frame Arriving").click()
    expect(current_step(page)).to_contain_text("Frame")
    expect(frame(page, "Arriving")).not_to_be_checked()
    expect(note(page)).to_have_text("Undone: choosing the frame Arriving.")
    press(page, "Control+y", "Control+y")
    assert labels_of_arguments(page) == ["“wine” Agent"]


def test_optional_elements_are_offered_if_the_project_uses_them(context, open_records):
    project = make_frames_project(lexicon={**LEXICON, "core_only": False})
    page = open_records(context, make_record(project))
    understand(page)
    choose_frame(page, "Arriving")
    go_on(page)
    for position in (2, 6):  # an optional element may occur twice
        word(page, position).click()
        element_option(page, "Source").click()
    assert labels_of_arguments(page) == ["“wine” Source · Source", "“France” Source · Source"]


def test_only_core_elements_are_offered_otherwise(page):
    understand(page)
    choose_frame(page, "Arriving")
    go_on(page)
    expect(page.locator("[data-reference-elements] dt")).to_have_text(["Theme", "Goal"])
    open_argument(page, 2)
    press(page, "a")
    word(page, 6).click()
    expect(page.locator(".argument--active [type=radio]")).to_have_count(3)
    expect(element_option(page, "Theme")).to_contain_text("marked: “wine”")
    expect(page.locator(".argument--active input[value=Theme]")).to_be_disabled()
    press(page, "a")
    expect(note(page)).to_have_text("Theme is marked: “wine”.")


# --- suggestions ---------------------------------------------------------------------------------


def add_precedents(project: Project, *records: Json) -> None:
    """Add finished records about “came” by other workers."""
    for content in records:
        item = make_record(project)
        make_generation(item, {**content, "understood": True})
        settle(item)


def test_suggestions_follow_what_others_chose(project, context, open_records):
    becoming = record("Becoming", WINE, verb=(3,))
    arriving = record("Arriving", {"head": [2], "element": "Theme", "role": "Asset"}, verb=(3,))
    add_precedents(project, becoming, arriving, arriving)
    page = open_records(context, make_record(project))
    understand(page)
    rows = page.locator(".frame-row")
    expect(rows.nth(0)).to_contain_text("chosen 2 times for “come”, lexical unit “come”")
    expect(rows.nth(1)).to_contain_text("chosen once for “come”")
    expect(rows.nth(0).locator(".frame-row__core")).to_have_text("Theme, Goal")
    press(page, "2")
    expect(frame(page, "Becoming")).to_be_checked()
    press(page, "1")
    expect(frame(page, "Arriving")).to_be_checked()
    press(page, "9", "Enter")
    # The role that others gave to the element, until another is chosen
    open_argument(page, 2)
    press(page, "a")
    assert labels_of_arguments(page) == ["“wine” Theme · Asset"]
    expect(page.locator(".argument .argument__suggested")).to_be_visible()
    roles = page.locator(".role-keys button")
    expect(roles.first).to_have_text("1Asset")
    expect(page.locator("#sentence")).to_be_focused()
    press(page, "2")
    assert labels_of_arguments(page) == ["“wine” Theme · Theme"]
    expect(note(page)).to_have_text("“wine” has the role Theme.")
    expect(page.locator(".argument .argument__suggested")).to_be_hidden()
    roles.first.click()
    assert labels_of_arguments(page) == ["“wine” Theme · Asset"]
    expect(page.locator(".argument .argument__suggested")).to_be_hidden()
    options = page.locator(".argument--active optgroup[label=Likely] option")
    expect(options.first).to_have_text("Asset")
    assert moves(page)[-2:] == [
        "arguments: the role Theme for “wine”",
        "arguments: the role Asset for “wine”",
    ]


def test_reference_records_count_in_suggestions(context, open_records):
    lexicon = {
        **LEXICON,
        "verb_frames": [["come", "Becoming", 2], ["come_from", "Arriving", 3]],
        "element_roles": [["Becoming", "Entity", "Goal", 4], ["Becoming", "Entity", "Asset", 9]],
    }
    project = make_frames_project(lexicon=lexicon)
    add_precedents(project, record("Arriving", WINE | {"element": "Theme"}, verb=(3,)))
    page = open_records(context, make_record(project))
    understand(page)
    rows = page.locator(".frame-row")
    expect(rows.nth(0)).to_contain_text("chosen 2 times for “come”")
    expect(rows.nth(1)).to_contain_text("chosen once for “come”")
    press(page, "1", "Enter")
    open_argument(page, 2)
    press(page, "a")
    assert labels_of_arguments(page) == ["“wine” Entity · Asset"]


def test_digit_that_begins_a_word_goes_to_the_word(project, context, open_records):
    item = make_record(project)
    item.sentence.tokens[8] = "2019"
    item.sentence.save()
    page = open_records(context, item)
    understand(page)
    choose_frame(page, "Arriving")
    go_on(page)
    open_argument(page, 2)
    press(page, "a", "2", "Enter")
    assert labels_of_arguments(page) == ["“wine” Theme · Theme", "“2019” Time"]


def test_frames_are_related_to_those_above(context, open_records):
    project = make_frames_project(lexicon=related_lexicon())
    page = open_records(context, make_record(project))
    understand(page)
    row = page.locator(".frame-row", has_text="Becoming")
    expect(row.locator(".frame-row__relation")).to_have_text(
        "Inherits from Origin, which is inherited by Arriving"
    )


# --- problems ------------------------------------------------------------------------------------


def test_problems_link_to_their_steps(page):
    press(page, "Control+Enter")
    problems = page.locator("[data-problems] button")
    expect(problems).to_have_text(
        [
            "Confirm that you understand the sentence, or skip the record.",
            "Choose a frame, or skip the record.",
            "Mark the arguments of the verb, or confirm that the sentence mentions none.",
            "Rate your confidence from 1 to 5.",
        ]
    )
    expect(page.locator("[data-frames] input[value=Arriving]")).to_be_attached()
    problems.nth(1).click()
    expect(frame(page, "Arriving")).to_be_focused()
    problems.nth(2).click()
    none = page.get_by_label("The sentence mentions no argument of this verb")
    expect(none).to_be_focused()
    problems.nth(3).click()
    expect(page.get_by_role("radio", name="1 a guess")).to_be_focused()
    problems.nth(0).click()
    expect(page.locator("[data-understand]")).to_be_focused()


def test_record_without_arguments_is_confirmed_first(page, marketplace):
    understand(page)
    choose_frame(page, "Arriving")
    go_on(page)
    go_on(page)
    press(page, "5", "Control+Enter")
    page.get_by_role("button", name="or confirm that the sentence mentions none.").click()
    press(page, " ")
    assert moves(page)[-1] == "arguments: confirming that there are no arguments"
    page.reload()
    ready(page)
    expect(page.get_by_label("The sentence mentions no argument of this verb")).to_be_checked()
    press(page, "Control+Enter")
    expect_submitted(page)
    assert submitted(marketplace)["arguments"] == []


def test_frame_missing_in_the_lexicon_is_refused_at_its_step(page, project):
    understand(page)
    choose_frame(page, "Arriving")
    mention_no_arguments(page)
    go_on(page)
    press(page, "5")
    frames = {name: value for name, value in LEXICON["frames"].items() if name != "Arriving"}
    change_resource(
        project=project,
        name="lexicon",
        value={**LEXICON, "frames": frames},
        actor="requester",
        now=NOW,
    )
    submit(page)
    page.get_by_role("button", name="the lexicon has no frame 'Arriving'").click()
    expect(current_step(page)).to_contain_text("Frame")


def test_long_comment_and_long_search_are_truncated(page, marketplace):
    understand(page)
    page.get_by_label("Search all frames").focus()
    page.keyboard.insert_text("x" * 100_000)
    expect(page.get_by_text("No frames match. Try other words.")).to_be_visible()
    press(page, "Escape")
    choose_frame(page, "Arriving")
    mention_no_arguments(page)
    page.locator(".stepper").get_by_role("button", name="Rate").click()
    press(page, "1")
    page.get_by_label("Comment for the requester").focus()
    page.keyboard.insert_text("y" * 100_000)
    submit(page)
    expect_submitted(page)
    assert submitted(marketplace)["frame"] == "Arriving"
    assert Draft.objects.get().comment == "y" * 2000


def test_hostile_lexicon_is_shown_as_text(context, open_records):
    markup = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>"
    arriving = {**LEXICON["frames"]["Arriving"], "definition": [[markup, ""]]}
    arriving["elements"] = [{"name": markup.replace(" ", "_"), "core": "Core", "definition": []}]
    lexicon = {**LEXICON, "frames": {"Arriving": arriving}, "extra_units": []}
    page = open_records(context, make_record(make_frames_project(lexicon=lexicon)))
    understand(page)
    page.get_by_role("button", name="Details of Arriving").click()
    expect(page.locator(".frame-row__details p")).to_have_text(markup)
    choose_frame(page, "Arriving")
    go_on(page)
    open_argument(page, 2)
    press(page, "a")
    assert page.evaluate("window.hacked") is None


def test_search_typed_before_the_frames_load_has_results(project, context, open_records):
    waiting: list[Route] = []
    context.route("**/index/*/*/", lambda route: waiting.append(route))  # noqa: PLW0108
    page = open_records(context, make_record(project))
    understand(page)
    expect(page.get_by_text("Loading the frames …")).to_be_visible()
    search = page.get_by_label("Search all frames")
    expect(search).not_to_be_focused()  # so that a digit can choose a frame once they are there
    search.focus()
    page.keyboard.type("commerce")
    assert axe_findings(page) == []
    waiting[0].continue_()
    expect(frame(page, "Commerce_sell")).to_be_visible()
    expect(search).to_be_focused()


def test_failed_lexicon_request_is_retried(project, context, open_records):
    item = make_record(project)
    context.route("**/index/*/*/", lambda route: route.abort())
    page = open_records(context, item)
    understand(page)
    expect(page.get_by_text("The frames couldn't be loaded.")).to_be_visible()
    assert axe_findings(page) == []
    context.unroute("**/index/*/*/")
    page.get_by_role("button", name="Try again").click()
    expect(frame(page, "Arriving")).to_be_visible()
    context.route("**/look-up/", lambda route: route.abort())
    choose_frame(page, "Arriving")
    go_on(page)
    expect(page.get_by_text("The elements of Arriving couldn't be loaded.")).to_be_visible()
    context.unroute("**/look-up/")
    page.locator("[data-reference] button").click()
    expect(page.locator("[data-reference-elements] dt")).to_have_text(["Theme", "Goal"])


def test_keys_choose_an_element_that_loads_after_the_argument(project, context, open_records):
    page = open_records(context, make_record(project))
    understand(page)
    expect(frame(page, "Arriving")).to_be_visible()
    waiting: list[Route] = []
    context.route("**/look-up/", lambda route: waiting.append(route))  # noqa: PLW0108
    choose_frame(page, "Arriving")
    go_on(page)
    word(page, 2).click()
    expect(page.locator(".argument--active [role=status]")).to_be_focused()
    assert axe_findings(page) == []
    press(page, "a")
    for route in waiting:
        route.continue_()
    expect(page.locator(".argument--active input[value=Theme]")).to_be_focused()
    assert labels_of_arguments(page) == ["“wine” Agent"]
    press(page, "a")
    expect(page.locator("#sentence")).to_be_focused()
    assert labels_of_arguments(page) == ["“wine” Theme · Theme"]


def test_project_without_a_lexicon_allows_only_a_skip(context, open_records, project):
    project.resources.all().delete()
    page = open_records(context, make_record(project))
    understand(page)
    expect(page.get_by_text("The frames couldn't be loaded.")).to_be_visible()
    page.get_by_role("button", name="Skip: no frame fits").click()
    submit(page)
    expect_submitted(page)


# --- drafts and several records ------------------------------------------------------------------


def test_draft_is_restored_at_its_step(page, wait_for):
    understand(page)
    word(page, 5).click()
    expect(page.get_by_role("heading", name="Which frame does “come from” evoke?")).to_be_visible()
    choose_frame(page, "Origin")
    go_on(page)
    expect(current_step(page)).to_contain_text("Arguments")
    word(page, 2).click()
    expect(element_option(page, "Entity")).to_be_visible()
    press(page, "a")
    expect(page.locator(".argument__labels")).to_have_text(["Entity · Theme"])
    # The status may still be that of the previous save.
    wait_for(lambda: "Theme" in str(list(Draft.objects.values_list("content"))))
    page.reload()
    ready(page)
    expect(current_step(page)).to_contain_text("Arguments")
    assert labels_of_arguments(page) == ["“wine” Entity · Theme"]
    expect(page.locator("[data-verb]")).to_have_text("came … from")
    assert len(moves(page)) == Draft.objects.get().moves


def test_records_of_a_task_are_listed_by_status(project, context, open_records):
    page = open_records(context, *(make_record(project) for _ in range(3)))
    counts = page.locator("[data-item-counts]")
    expect(counts).to_have_text("All records: 3 not started")
    counts.click()
    understand(page)
    expect(counts).to_have_text("All records: 2 not started, 1 in progress")
    page.locator(".item-list").get_by_role("button", name="3. come").focus()
    press(page, "Enter")
    expect(page.locator("[data-progress-text]")).to_have_text("Record 3 of 3")
    expect(page.locator("[data-understand]")).to_be_focused()
    page.locator("summary", has_text="Skip this record").click()
    page.locator("label", has_text="No frame fits").click()
    page.locator(".item-list").get_by_role("button", name="1. come").click()
    choose_frame(page, "Arriving")
    mention_no_arguments(page)
    page.locator(".stepper").get_by_role("button", name="Rate").click()
    press(page, "2")
    expect(counts).to_have_text("All records: 1 not started, 1 done, 1 skipped")
    expect(page.locator(".item-list h2")).to_have_text(
        ["Not started (1)", "Done (1)", "Skipped (1)"]
    )
    assert axe_findings(page) == []
    press(page, "Control+Enter")
    expect(page.locator("[data-problems] button").first).to_contain_text("Record 2: Confirm")


def test_single_record_has_no_list(page):
    expect(page.locator(".item-list")).to_be_hidden()


def test_preview_is_read_only(project, context, live_server):
    task = make_task([make_record(project)])
    page = context.new_page()
    open_task(page, f"{live_server.url}{reverse('annotation:generate', args=[task.public_id])}")
    for name in ("Frame", "Arguments", "Rate"):
        page.locator(".stepper").get_by_role("button", name=name).click()
        expect(current_step(page)).to_contain_text(name)
        assert axe_findings(page) == []
    expect(page.get_by_role("radio", name="1 a guess")).to_be_disabled()


# --- revisions and experts -----------------------------------------------------------------------

FINE = {"verdict": "verified", "reason": "", "proposal": ""}


def dispute(reason: str, proposal: str) -> Json:
    return {"verdict": "disputed", "reason": reason, "proposal": proposal}


def test_disputes_are_shown_at_their_parts(
    project, context, live_server, marketplace, transactional_db
):
    project = choose_protocol(
        project=project, protocol=Protocol.VERIFICATION, actor="test", now=NOW
    )
    item = make_record(project)
    publish_batch(project=project, now=NOW)
    author = make_worker()
    arguments = [
        {"head": [2], "element": "Theme", "role": "Theme"},
        {"head": [8], "element": "Goal", "role": "Time"},
    ]
    content = {"verb": [3], "frame": "Arriving", "arguments": arguments, "confidence": 4}
    hand_in(item.tasks.get().hit, author, content)
    sweep()
    verification = {
        "verb": FINE,
        "frame": dispute("It is about where the wine is made.", "Origin"),
        "arguments": [
            {"head": FINE, "element": FINE, "role": FINE},
            {"head": FINE, "element": dispute("A year is no goal.", ""), "role": FINE},
        ],
        "missing": [{"head": [6], "element": "Goal", "role": "Source"}],
    }
    for _ in range(2):
        hand_in(Case.objects.get().task.hit, make_worker(), verification)
    sweep()
    task = Case.objects.get().task
    page = context.new_page()
    page.route(f"{marketplace.origin}/**", marketplace.receive)
    query = f"assignmentId=A9&hitId=H1&workerId={author.external_id}"
    address = f"{reverse('consolidation:revise', args=[task.public_id])}?{query}"
    open_task(page, signed(f"{live_server.url}{address}&turkSubmitTo={marketplace.origin}"))
    expect(current_step(page)).to_contain_text("Frame")
    expect(page.locator(".dispute:visible").first).to_contain_text("where the wine is made.")
    assert axe_findings(page) == []
    page.get_by_role("button", name="Use the proposal Origin").first.click()
    go_on(page)
    expect(page.locator(".argument__labels").nth(1)).to_contain_text("disputed")
    page.locator(".argument__head").nth(1).click()
    expect(page.locator(".argument--active .dispute").first).to_contain_text("A year is no goal.")
    assert axe_findings(page) == []
    element_option(page, "Entity").wait_for()
    page.get_by_role("button", name="Remove the element Goal").click()
    page.get_by_role("button", name="Select “France”").first.click()
    element_option(page, "Origin").click()
    page.locator(".argument__head").first.click()
    press(page, "a")
    expect(status(page)).to_have_text("Saved")
    page.reload()
    ready(page)
    expect(page.locator(".argument__labels").nth(1)).to_contain_text("disputed")
    submit(page)
    expect_submitted(page)
    [record] = marketplace.contents[0].values()
    assert (record["frame"], record["confidence"]) == ("Origin", 4)
    assert [
        (argument["head"], argument["element"], argument["role"])
        for argument in record["arguments"]
    ] == [
        ([2], "Entity", "Theme"),
        ([8], "", "Time"),
        ([6], "Origin", "Source"),
    ]


def test_expert_annotates_on_the_same_page(project, chromium: Browser, live_server, settings):
    settings.ALLOWED_HOSTS = ["*"]
    item = make_record(project)
    queue = make_queue(project, [item], kind="annotate", sources=())
    expert = make_user("expert", project, MemberRole.EXPERT)
    client = Client()
    client.force_login(expert)
    with chromium.new_context(viewport={"width": 1280, "height": 800}) as context:
        context.set_default_timeout(10_000)
        cookie = client.cookies["sessionid"].value
        context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
        page = context.new_page()
        address = reverse("consolidation:expert_item", args=[project.slug, queue.queued.get().pk])
        open_task(page, f"{live_server.url}{address}")
        understand(page)
        page.get_by_role("button", name="Details of Arriving").click()
        expect(page.get_by_text("What Goal means.")).to_be_visible()
        choose_frame(page, "Arriving")
        mention_no_arguments(page)
        page.locator(".stepper").get_by_role("button", name="Rate").click()
        press(page, "5")
        submit(page)
        expect(page.get_by_text("There are no more items for you in this queue")).to_be_visible()
    submission = Submission.objects.get()
    assert (submission.author, submission.content["frame"]) == (expert, "Arriving")
    assert [label for _, _, label in submission.log][-1] == "confidence 5"


# --- accessibility -------------------------------------------------------------------------------


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_axe_finds_nothing_at_any_step(project, chromium: Browser, open_records, look):
    width, scheme = look
    size = {"width": width, "height": 800}
    with chromium.new_context(viewport=size, color_scheme=scheme) as context:
        context.set_default_timeout(10_000)
        page = open_records(context, make_record(project))
        check(page)
        understand(page)
        check(page)
        page.get_by_role("button", name="Details of Arriving").click()
        expect(page.get_by_text("What Goal means.")).to_be_visible()
        page.locator("summary", has_text="Keyboard shortcuts").click()
        page.locator("summary", has_text="Skip this record").click()
        check(page)
        page.get_by_label("Search all frames").fill("something")
        check(page)
        choose_frame(page, "Arriving")
        go_on(page)
        check(page)
        open_argument(page, 2)
        check(page)
        press(page, "a")
        page.locator(".stepper").get_by_role("button", name="Frame").click()
        page.get_by_label("Search all frames").fill("beginning")
        choose_frame(page, "Origin")
        check(page)
        go_on(page)
        page.locator(".argument__head").click()
        check(page)
        press(page, "Shift+Enter", "3")
        check(page)
        press(page, "Control+Enter")
        expect(page.locator("[data-problems]")).to_be_visible()
        check(page)


def check(page: Page) -> None:
    assert axe_findings(page) == []
    assert page.evaluate(SMALL_TARGETS) == []


def test_focus_is_never_covered_by_the_sentence(project, chromium: Browser, open_records):
    with chromium.new_context(viewport={"width": 360, "height": 640}) as context:
        context.set_default_timeout(10_000)
        page = open_records(context, make_record(project))
        understand(page)
        choose_frame(page, "Arriving")
        go_on(page)
        for position in (2, 6, 8):
            word(page, position).click()
        page.locator("#sentence").focus()
        for key in ("Tab", "Shift+Tab"):
            for _ in range(25):
                press(page, key)
                check_uncovered(page)
