"""The verification and consolidation pages and a revision of the frames scheme, in a browser."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qs

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect

from annotation.models import Draft, Submission
from consolidation.domain.cases.dispute import raise_dispute
from consolidation.domain.cases.revise import publish_revision
from consolidation.models import Case
from projects.domain.choose_protocol import choose_protocol
from projects.models import Project
from schemes.contract.values import Json
from tests.annotation.factories import NOW
from tests.axe import LOOKS, axe_findings
from tests.browser.frames import (
    FRANCE,
    WINE,
    YEAR,
    make_frames_project,
    make_record,
    record,
    related_lexicon,
    verification_case,
    word,
)
from tests.browser.test_accessibility import SMALL_TARGETS, check_uncovered
from tests.browser.work import (
    expect_names_without_keys,
    expect_single_keys_can_be_off,
    expect_single_keys_need_focus,
    expect_submitted,
    note,
    open_task,
    press,
    ready,
    status,
    submit,
)
from tests.consolidation.factories import make_case_of
from tests.forced_colors import force_colors, forced_look
from tests.signed import signed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

VERIFIED = {"verdict": "verified", "reason": "", "proposal": ""}


def disputed(reason: str, proposal: object = "") -> Json:
    return {"verdict": "disputed", "reason": reason, "proposal": proposal}


@pytest.fixture
def project() -> Project:
    return choose_protocol(
        project=make_frames_project(), protocol="verification", actor="test", now=NOW
    )


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

    @property
    def content(self) -> Json:
        """Return the content of the only item in the only form."""
        [contents] = self.contents
        [content] = contents.values()
        assert Draft.objects.get().content == contents
        return content


@pytest.fixture
def marketplace(settings) -> Marketplace:
    return Marketplace(settings.MTURK_WORKER_ORIGINS[0])


@pytest.fixture
def open_page(live_server, marketplace) -> Iterator[Callable[..., Page]]:
    """Return a function that opens the page of a case, and check that no script fails."""
    errors: list[str] = []

    def open_page(context: BrowserContext, role: str, case: Case, worker: str = "W1") -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.route(f"{marketplace.origin}/**", marketplace.receive)
        query = f"assignmentId=A1&hitId=H1&workerId={worker}&turkSubmitTo={marketplace.origin}"
        address = reverse(f"consolidation:{role}", args=[case.task.public_id])
        return open_task(page, signed(f"{live_server.url}{address}?{query}"))

    yield open_page
    assert errors == []


@pytest.fixture
def verifying(project, context, open_page) -> Page:
    case = verification_case(project, record("Origin", WINE, FRANCE))
    return open_page(context, "validate", case)


def part(page: Page, title: str, argument: int = 0) -> Locator:
    """Return the section of a part of an argument, for example its frame element."""
    return page.locator("[data-arguments] > li").nth(argument).locator("fieldset", has_text=title)


def summary(page: Page) -> Locator:
    return page.locator("[data-summary]").first


# --- verification --------------------------------------------------------------------------------


def test_record_is_verified_by_keyboard_alone(verifying, marketplace):
    page = verifying
    expect(page.locator(".task-bar__title")).to_contain_text("came … from")
    expect(page.get_by_text("Something has its beginning in a place.")).to_be_visible()
    expect(page.get_by_text("What Entity means.").first).to_be_visible()
    expect(summary(page)).to_have_text("8 to do")
    page.get_by_role("radio", name="Verify").first.focus()
    press(page, *"vvvvvvvv")
    expect(summary(page)).to_have_text("All parts are judged")
    expect(page.get_by_role("button", name="Submit")).to_be_focused()
    press(page, "Enter")
    expect_submitted(page)
    content = marketplace.content
    assert (content["skip"], content["verb"], content["frame"]) == (None, VERIFIED, VERIFIED)
    assert content["arguments"] == [dict.fromkeys(("head", "element", "role"), VERIFIED)] * 2
    assert content["missing"] == []


def test_preview_explains_that_elements_need_acceptance(project, context, live_server):
    case = verification_case(project, record("Origin", WINE, FRANCE))
    address = reverse("consolidation:validate", args=[case.task.public_id])
    page = open_task(context.new_page(), f"{live_server.url}{address}")
    expect(page.get_by_text("Accept the task to see the elements of Giving")).to_be_visible()
    expect(page.get_by_text("couldn't be loaded")).to_have_count(0)


def test_parts_are_disputed_with_reasons_and_proposals(verifying, marketplace):
    page = verifying
    page.get_by_role("radio", name="Verify").first.focus()
    press(page, "v", "d")
    page.keyboard.type("It moves")
    press(page, "Tab")
    page.keyboard.type("Arriving")
    press(page, "Enter")
    expect(part(page, "Words").get_by_role("radio", name="Verify")).to_be_focused()
    press(page, "d")
    page.keyboard.type("The article belongs to it")
    part(page, "Words").get_by_role("button", name="Select other words for “wine”").click()
    word(page, 0).click()
    press(page, "Escape")
    expect(part(page, "Frame element")).to_be_hidden()
    page.get_by_role("button", name="Verify the whole argument").nth(1).click()
    choices = part(page, "Generic role", 1)
    choices.get_by_role("radio", name="Dispute").check()
    choices.get_by_label("Why?").fill("Not quite")
    choices.get_by_label("Your proposal").select_option("Goal")
    expect(summary(page)).to_have_text("All parts are judged · 3 disputes")
    submit(page)
    expect_submitted(page)
    content = marketplace.content
    assert content["frame"] == disputed("It moves", "Arriving")
    first, second = content["arguments"]
    words = disputed("The article belongs to it", [0, 2])
    assert first == {"head": words, "element": None, "role": None}
    assert second["role"] == disputed("Not quite", "Goal")
    assert content["record"]["frame"] == "Arriving"


def test_missing_argument_is_added_from_the_sentence(verifying, marketplace):
    page = verifying
    for button in page.get_by_role("button", name="Verify the whole argument").all():
        button.click()
    page.get_by_role("radio", name="Verify").nth(0).check()
    page.get_by_role("radio", name="Verify").nth(1).check()
    press(page, "m")
    expect(page.locator("#sentence")).to_be_focused()
    press(page, "y", "Enter")
    elements = page.get_by_label("Frame element")
    # The list is made again when the elements arrive.
    expect(elements.locator("option[value=Entity]")).to_be_attached()
    expect(elements).to_be_focused()
    press(page, "Control+Enter")
    page.get_by_role("button", name="Choose an element or a role for “year”.").click()
    page.get_by_label("Generic role").select_option("Time")
    submit(page)
    expect_submitted(page)
    missing = {"head": [8], "filler": "year", "element": "", "role": "Time"}
    assert marketplace.content["missing"] == [missing]


def test_open_parts_and_missing_reasons_are_linked(verifying, marketplace):
    page = verifying
    page.get_by_role("radio", name="Dispute").first.check()
    press(page, "Control+Enter")
    page.get_by_role("button", name="Explain why you dispute the words of the verb.").click()
    expect(page.get_by_role("radio", name="Dispute").first).to_be_focused()
    page.get_by_role("button", name="Verify or dispute the words “wine”.").click()
    expect(part(page, "Words").get_by_role("radio", name="Verify")).to_be_focused()
    assert marketplace.contents == []


def test_verification_survives_a_reload_and_is_undone(verifying):
    page = verifying
    part(page, "Words").get_by_role("radio", name="Dispute").check()
    part(page, "Words").get_by_label("Why?").fill("Too short")
    expect(status(page)).to_have_text("Saved")
    page.reload()
    ready(page)
    expect(part(page, "Words").get_by_label("Why?")).to_have_value("Too short")
    part(page, "Generic role", 1).get_by_role("radio", name="Verify").check()
    page.get_by_role("button", name="Undo verifying generic role of “France”").click()
    expect(part(page, "Generic role", 1).get_by_role("radio", name="Verify")).not_to_be_checked()


def test_word_of_the_verb_is_no_argument(verifying):
    word(verifying, 3).click()
    expect(note(verifying)).to_have_text("“came” belongs to the verb.")


def verify_rest(page: Page) -> None:
    for button in page.get_by_role("button", name="Verify the whole argument").all():
        button.click()


def test_words_of_the_verb_are_disputed_with_other_words(verifying, marketplace):
    page = verifying
    page.get_by_role("radio", name="Verify").first.focus()
    press(page, "d")
    page.keyboard.type("“from” is a preposition here")
    page.get_by_role("button", name="Select the words of the verb").click()
    word(page, 3).click()
    expect(note(page)).to_have_text("“came” is the verb itself. Click its other words.")
    word(page, 5).click()
    press(page, "Escape")
    expect(page.get_by_role("radio", name="Dispute").first).to_be_focused()
    expect(page.get_by_role("button", name="Change “came”")).to_be_visible()
    page.get_by_role("radio", name="Verify").nth(1).check()
    verify_rest(page)
    submit(page)
    expect_submitted(page)
    assert marketplace.content["verb"] == disputed("“from” is a preposition here", [3])
    assert marketplace.content["record"]["verb"] == [3]


def test_frame_that_does_not_exist_is_not_proposed(verifying, marketplace):
    page = verifying
    page.get_by_role("radio", name="Verify").first.focus()
    press(page, "v", "d")
    page.keyboard.type("It is something else")
    page.get_by_label("Which frame is right? (optional)").fill("Nonsense frame")
    verify_rest(page)
    press(page, "Control+Enter")
    message = "There is no frame “Nonsense_frame”. Choose one from the list, or leave it empty."
    expect(page.get_by_role("button", name=message)).to_be_visible()
    page.get_by_label("Which frame is right? (optional)").fill("Commerce sell")
    press(page, "Tab")
    submit(page)
    expect_submitted(page)
    assert marketplace.content["frame"] == disputed("It is something else", "Commerce_sell")


SKIPPED = {"skip": "no-frame", "verb": [3, 5], "frame": "", "arguments": [], "confidence": None}


@pytest.mark.parametrize("keys", ["v", "d"])
def test_skip_is_judged_by_keyboard(project, context, open_page, marketplace, keys):
    page = open_page(context, "validate", verification_case(project, SKIPPED))
    expect(page.get_by_role("heading", name="The annotator skipped this record")).to_be_visible()
    expect(page.get_by_role("group", name="Skipped: No frame fits")).to_be_visible()
    expect(page.get_by_role("heading", name="Arguments", exact=True)).to_be_hidden()
    expect(summary(page)).to_have_text("1 to do")
    page.get_by_role("radio", name="Verify").first.focus()
    press(page, keys)
    judgment = VERIFIED
    if keys == "d":
        page.keyboard.type("It is Origin")
        press(page, "Enter")
        judgment = disputed("It is Origin")
    expect(page.get_by_role("button", name="Submit")).to_be_focused()
    press(page, "Enter")
    expect_submitted(page)
    content = marketplace.content
    assert content["skip"] == judgment
    assert (content["verb"], content["frame"], content["arguments"]) == (None, None, [])


# --- revision ------------------------------------------------------------------------------------


def test_disputed_record_is_revised_by_its_author(project, context, open_page, marketplace):
    case = verification_case(project, record("Arriving", {**WINE, "element": "Theme"}, verb=(3,)))
    disputes = {
        "frame": [{"reason": "It names where it began", "proposal": "Origin"}],
        "arguments": [{"argument": 0, "part": "role", "reason": "Unsure", "proposal": ""}],
        "missing": [FRANCE],
    }
    raise_dispute(case=case, content=disputes, verifications=[], now=NOW)
    publish_revision(case_id=case.pk, now=NOW)
    case.refresh_from_db()
    author = Submission.objects.get(role="generator").worker.external_id
    page = open_page(context, "revise", case, author)
    expect(page.locator(".task-bar__title")).to_contain_text("came")
    expect(
        page.get_by_text("A verifier disputes the frame: It names where it began")
    ).to_be_visible()
    page.get_by_role("button", name="Use the proposal Origin").click()
    page.locator("[data-go-on]").click()
    page.get_by_role("button", name="Select “France”").click()
    page.locator(".argument__head", has_text="wine").click()
    page.locator(".argument--active label", has=page.locator("input[value=Entity]")).click()
    submit(page)
    expect_submitted(page)
    content = marketplace.content
    assert content["frame"] == "Origin"
    labels = [(a["head"], a["element"], a["role"]) for a in content["arguments"]]
    assert labels == [([2], "Entity", "Theme"), ([6], "Origin", "Source")]


def revision(context, open_page, case: Case, **disputes: object) -> Page:
    """Return the page on which the author of a disputed record revises it."""
    raise_dispute(case=case, content=disputes, verifications=[], now=NOW)
    publish_revision(case_id=case.pk, now=NOW)
    case.refresh_from_db()
    author = Submission.objects.get(role="generator").worker.external_id
    return open_page(context, "revise", case, author)


def test_proposed_words_of_the_verb_are_taken(project, context, open_page, marketplace):
    case = verification_case(project, record("Origin", WINE, verb=(3,)))
    verb = [{"reason": "It is “come from”", "proposal": [3, 5]}]
    page = revision(context, open_page, case, verb=verb)
    dispute = "A verifier disputes the words of the verb: It is “come from”"
    expect(page.get_by_text(dispute)).to_be_visible()
    page.get_by_role("button", name="Use the proposal “came … from”").click()
    submit(page)
    expect_submitted(page)
    assert marketplace.content["verb"] == [3, 5]


def test_disputed_skip_is_annotated_after_all(project, context, open_page, marketplace):
    case = verification_case(project, SKIPPED)
    page = revision(context, open_page, case, skip=[{"reason": "It is Origin", "proposal": ""}])
    dispute = "A verifier disputes that you skipped this record: It is Origin"
    expect(page.get_by_text(dispute)).to_be_visible()
    page.get_by_role("button", name="Annotate it after all").click()
    expect(page.get_by_role("button", name="I understand the sentence")).to_be_visible()


# --- consolidation -------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["validate", "consolidate"])
def test_relation_of_two_frames_is_shown(context, open_page, role):
    project = make_frames_project("related", related_lexicon())
    if role == "validate":
        choose_protocol(project=project, protocol="verification", actor="seed", now=NOW)
        case = verification_case(project, record("Origin", WINE))
        page = open_page(context, role, case)
        page.get_by_role("radio", name="Dispute").nth(1).check()
        other = page.get_by_label("Which frame is right? (optional)")
    else:
        item = make_record(project)
        page = open_page(context, role, make_case_of(item, record("Origin"), record("Origin")))
        other = page.get_by_label("Another frame")
    relation = page.locator(".frame-relation")
    expect(relation).to_be_hidden()
    other.fill("Arriving")
    press(page, "Tab")
    expect(relation).to_have_text("Arriving: inherits from Origin")
    other.fill("Commerce_sell")
    press(page, "Tab")
    expect(relation).to_be_hidden()


@pytest.fixture
def merging(context, open_page) -> Page:
    item = make_record(make_frames_project())
    case = make_case_of(
        item,
        record("Origin", WINE, FRANCE),
        record("Origin", WINE, {**FRANCE, "role": "Goal"}, YEAR),
    )
    return open_page(context, "consolidate", case)


def row(page: Page, position: int) -> Locator:
    return page.locator("[data-rows] > li").nth(position)


def test_records_are_merged_by_keyboard(merging, marketplace):
    page = merging
    expect(page.get_by_text("Both chose the same frame", exact=True)).to_be_visible()
    page.get_by_role("radio", name="Origin – both").focus()
    press(page, "Shift+G")
    expect(page.get_by_role("radio", name="Origin – both")).to_be_checked()
    expect(row(page, 1).get_by_role("radio").first).to_be_focused()
    press(page, "b")
    expect(row(page, 2).get_by_role("radio").first).to_be_focused()
    press(page, "x")
    expect(page.get_by_role("radio", name="1 a guess")).to_be_focused()
    page.get_by_role("radio", name="5 certain of everything").check()
    expect(summary(page)).to_have_text("Everything is decided")
    submit(page)
    expect_submitted(page)
    content = marketplace.content
    assert (content["frame"], content["confidence"], content["verb"]) == ("Origin", 5, [3, 5])
    assert [(a["head"], a["role"], a["source"]) for a in content["arguments"]] == [
        ([2], "Theme", {"submission": 0, "unit": 0}),
        ([6], "Goal", {"submission": 1, "unit": 1}),
    ]


def test_argument_is_edited_and_another_one_added(merging, marketplace):
    page = merging
    page.get_by_role("button", name="Keep what both agree on").click()
    row(page, 1).get_by_role("radio", name="A “").check()
    row(page, 1).get_by_label("Generic role").select_option("Asset")
    row(page, 2).get_by_role("radio", name="Drop").check()
    row(page, 0).get_by_role("button", name="Edit words").click()
    word(page, 0).click()
    press(page, "Escape")
    word(page, 8).click()
    expect(page.get_by_text("Added by you.")).to_be_visible()
    row(page, 3).get_by_label("Generic role").select_option("Time")
    page.get_by_role("radio", name="3 fairly sure").check()
    submit(page)
    expect_submitted(page)
    arguments = marketplace.content["arguments"]
    assert [(a["head"], a["element"], a["role"], a["source"]) for a in arguments] == [
        ([0, 2], "Entity", "Theme", {"submission": 0, "unit": 0}),
        ([6], "Origin", "Asset", {"submission": 0, "unit": 1}),
        ([8], "", "Time", None),
    ]


def test_other_frame_shows_its_missing_elements(merging, marketplace):
    page = merging
    page.get_by_role("button", name="Keep what both agree on").click()
    page.get_by_label("Another frame").fill("Arriving")
    press(page, "Tab")
    expect(page.get_by_text("Something moves and reaches a goal.")).to_be_visible()
    press(page, "Control+Enter")
    page.get_by_role("button", name="Arriving has no element Entity. Change “wine”.").click()
    row(page, 0).get_by_label("Frame element").select_option("Theme")
    press(page, "Control+Enter")
    expect(page.get_by_role("button", name="Decide about “France”.")).to_be_visible()
    expect(page.get_by_role("button", name="Arriving has no element Entity")).to_be_hidden()
    assert marketplace.contents == []


def test_repeated_core_element_is_named_at_the_argument(merging):
    page = merging
    page.get_by_role("button", name="Keep what both agree on").click()
    row(page, 1).get_by_role("radio", name="A “").check()
    row(page, 1).get_by_label("Frame element").select_option("Entity")
    warning = "Entity is also the element of “{}”. Change or drop one of them."
    expect(row(page, 1).get_by_text(warning.format("wine"))).to_be_visible()
    expect(row(page, 0).get_by_text(warning.format("France"))).to_be_visible()
    row(page, 1).get_by_label("Frame element").select_option("Origin")
    expect(page.get_by_text("Entity is also the element")).to_have_count(0)


def test_merge_survives_a_reload_and_can_be_skipped(merging, marketplace):
    page = merging
    page.get_by_role("button", name="Keep what both agree on").click()
    expect(status(page)).to_have_text("Saved")
    page.reload()
    ready(page)
    expect(row(page, 0).get_by_role("radio").first).to_be_checked()
    page.get_by_text("Skip this record").click()
    page.get_by_role("radio", name="other").check()
    submit(page)
    expect_submitted(page)
    assert (marketplace.content["skip"], marketplace.content["arguments"]) == ("other", [])


# --- small screens and accessibility ---------------------------------------------------------------


@pytest.fixture(params=LOOKS, ids=str)
def view(request: pytest.FixtureRequest, chromium: Browser) -> Iterator[BrowserContext]:
    width, scheme = request.param
    size = {"width": width, "height": 800}
    with chromium.new_context(
        viewport=size, color_scheme=scheme, has_touch=width == 360
    ) as context:
        context.set_default_timeout(10_000)
        yield context


def check(page: Page) -> None:
    assert axe_findings(page) == []
    assert page.evaluate(SMALL_TARGETS) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_pages_of_cases_are_accessible_and_fit(view, project, open_page):
    case = verification_case(project, record("Origin", WINE, FRANCE))
    page = open_page(view, "validate", case)
    check(page)
    page.get_by_role("radio", name="Dispute").first.check()
    part(page, "Frame element", 1).get_by_role("radio", name="Dispute").check()
    word(page, 8).click()
    check(page)
    for _ in range(12):
        press(page, "Tab")
        check_uncovered(page)
    other = make_record(make_frames_project("merged"))
    merge = make_case_of(
        other,
        record("Origin", WINE, FRANCE),
        record("Arriving", {**WINE, "element": "Theme"}, YEAR),
    )
    page = open_page(view, "consolidate", merge)
    check(page)
    row(page, 0).get_by_role("radio", name="B “").check()
    check(page)
    for _ in range(12):
        press(page, "Tab")
        check_uncovered(page)


@pytest.mark.parametrize("role", ["validate", "consolidate"])
def test_markup_of_other_annotators_is_shown_as_text(project, context, open_page, role):
    hostile = "<img/src=x/onerror=alert(1)>"
    content = record("Origin", {**WINE, "element": "", "role": "Theme"})
    if role == "validate":
        case = verification_case(project, content)
    else:
        case = make_case_of(make_record(make_frames_project("merged")), content, content)
    stored = Submission.objects.filter(role="generator")
    for submission in stored:
        submission.content["arguments"][0]["element"] = hostile
        submission.content["frame"] = hostile
        submission.save()
    page = open_page(context, role, case)
    expect(page.get_by_text(hostile).first).to_be_visible()
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("case", ["verifying", "merging"])
def test_single_keys_need_the_focus_and_can_be_switched_off(request, case):
    page = request.getfixturevalue(case)
    expect_single_keys_need_focus(page)
    page.locator("fieldset input[type=radio]:visible").first.focus()
    expect_names_without_keys(page)
    expect_single_keys_can_be_off(page)


def test_choices_are_visible_in_forced_colours(merging):
    force_colors(merging)
    row(merging, 1).get_by_role("radio").first.check()
    chosen = row(merging, 1).locator(".merge-choice:has(:checked)")
    other = row(merging, 1).locator(".merge-choice:not(:has(:checked))")
    assert forced_look(chosen) != forced_look(other)


@pytest.mark.parametrize("case", ["verifying", "merging"])
def test_verb_is_named_once_in_the_sentence(request, case):
    page = request.getfixturevalue(case)
    expect(page.locator("#sentence-3")).to_have_attribute("aria-label", "came, the verb")
