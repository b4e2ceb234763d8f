"""The consolidation and validation pages and a revision of the grounding scheme, in a browser."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect

from annotation.models import Draft, Submission
from consolidation.domain.cases.dispute import raise_dispute
from consolidation.domain.cases.open_cases import open_case as open_case_of
from consolidation.domain.cases.open_cases import publish_case
from consolidation.domain.cases.record_work import record_new_case_work
from consolidation.domain.cases.revise import publish_revision
from consolidation.models import Case
from consolidation.protocols.validation import VALIDATION
from datasets.domain.exports.export_gold import ExportOptions, export_gold
from projects.domain.choose_protocol import choose_protocol
from projects.models import Project
from schemes.contract.values import Json
from tests.annotation.factories import NOW
from tests.axe import LOOKS, axe_findings
from tests.browser.grounding import (
    CAR,
    DOG,
    WOMEN,
    box_names,
    drag,
    draw,
    make_caption,
    make_grounding_project,
    phrase_row,
    point,
    progress,
)
from tests.browser.test_accessibility import SMALL_TARGETS, check_uncovered
from tests.browser.test_grounding_page import Fingers
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
from tests.consolidation.factories import make_case_of, make_generation
from tests.crowd.factories import make_assignment
from tests.signed import signed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FIRST, SECOND = (list(woman) for woman in WOMEN)
WIDER = [SECOND[0] - 10, SECOND[1], SECOND[2] + 10, SECOND[3] + 20]


def grounding(*answers: tuple[str, list]) -> Json:
    """Return a content with an answer (state, boxes) for each phrase, in order."""
    return {
        "phrases": [
            {"id": f"p{at}", "state": state, "boxes": boxes}
            for at, (state, boxes) in enumerate(answers)
        ]
    }


OURS = grounding(
    ("boxes", [FIRST, SECOND]), ("boxes", [list(CAR)]), ("scene", []), ("boxes", [list(DOG)])
)
THEIRS = grounding(("boxes", [FIRST, WIDER]), ("boxes", [list(CAR)]), ("scene", []), ("absent", []))


@pytest.fixture
def project() -> Project:
    return make_grounding_project()


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
    def phrases(self) -> list[Json]:
        """Return the phrases of the only item in the only form."""
        [contents] = self.contents
        [content] = contents.values()
        assert Draft.objects.get().content == contents
        phrases: list[Json] = content["phrases"]
        return phrases


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


def validation_case(project: Project, content: Json, protocol: str = "validation") -> Case:
    project = choose_protocol(project=project, protocol=protocol, actor="test", now=NOW)
    item = make_caption(project)
    make_generation(item, content)
    open_case_of(item=item, now=NOW)
    publish_case(case_id=item.cases.get().pk, now=NOW)
    return item.cases.get()


def title(page: Page) -> Locator:
    return page.locator(".panel__title")


# --- consolidation -------------------------------------------------------------------------------


@pytest.fixture
def merging(project, context, open_page) -> Page:
    return open_page(context, "consolidate", make_case_of(make_caption(project), OURS, THEIRS))


def row(page: Page, number: int) -> Locator:
    return page.locator(".merge__row").nth(number)


def result(phrases: list[Json]) -> list[tuple[str, list[list[int]]]]:
    return [(phrase["state"], phrase["boxes"]) for phrase in phrases]


def test_agreed_phrases_are_done_and_the_others_are_merged_by_keyboard(merging, marketplace):
    page = merging
    assert progress(page) == [
        "0 of 2 boxes",
        "✓ 1 box (A, B)",
        "✓ nothing to box (A, B)",
        "to do",
    ]
    expect(title(page)).to_have_text("“Two women”")
    press(page, "m")
    expect(note(page)).to_contain_text("The mean boxes")
    press(page, "n")
    expect(title(page)).to_have_text("“their dogs”")
    press(page, "2")
    expect(phrase_row(page, 3)).to_contain_text("not in the picture (B)")
    press(page, "Control+Enter")
    expect_submitted(page)
    mean = [SECOND[0] - 5, SECOND[1], SECOND[2] + 5, SECOND[3] + 10]
    assert result(marketplace.phrases) == [
        ("boxes", [FIRST, mean]),
        ("boxes", [list(CAR)]),
        ("scene", []),
        ("absent", []),
    ]


def test_box_of_either_annotator_or_both_are_selected(merging, marketplace):
    page = merging
    row(page, 0).get_by_role("radio", name="A", exact=True).check()
    row(page, 1).get_by_role("radio", name="Both").check()
    expect(phrase_row(page, 0)).to_contain_text("3 of 2 boxes")
    expect(page.locator(".panel__warning")).to_contain_text("mentions 2, but there are 3 boxes")
    row(page, 1).get_by_role("radio", name="B", exact=True).check()
    expect(phrase_row(page, 0)).to_contain_text("2 of 2 boxes (B)")
    page.get_by_role("button", name="Undo box 2: B for “Two women”").click()
    expect(row(page, 1).get_by_role("radio", name="Both")).to_be_checked()
    row(page, 1).get_by_role("radio", name="None").check()
    press(page, "n", "1")
    submit(page)
    expect_submitted(page)
    assert result(marketplace.phrases)[0] == ("boxes", [FIRST])
    assert result(marketplace.phrases)[3] == ("boxes", [list(DOG)])


def test_box_is_adjusted_and_another_one_drawn(merging, marketplace):
    page = merging
    press(page, "1")
    page.get_by_role("button", name="Select Two women, box 2 of 2").click()
    press(page, "Shift+ArrowRight", "ArrowDown")
    expect(row(page, 1)).to_contain_text("changed by you")
    draw(page, (300, 280, 380, 340))
    expect(phrase_row(page, 0)).to_contain_text("3 of 2 boxes")
    press(page, "Delete", "n", "1")
    submit(page)
    expect_submitted(page)
    x1, y1, x2, y2 = SECOND
    adjusted = [x1 + 10, y1 + 1, x2 + 10, y2 + 1]
    assert result(marketplace.phrases)[0] == ("boxes", [FIRST, adjusted])


def test_absent_needs_an_annotator(merging):
    page = merging
    expect(page.get_by_role("radio", name="Not in the picture")).to_be_disabled()
    expect(page.get_by_text("No annotator chose this.")).to_be_visible()
    press(page, "x")
    expect(note(page)).to_have_text("No annotator chose this.")
    phrase_row(page, 3).click()
    expect(page.get_by_role("radio", name="Not in the picture")).to_be_enabled()


def test_box_of_an_annotator_is_selected_in_the_picture(merging):
    page = merging
    phrase_row(page, 3).click()
    page.mouse.click(*point(page, 90, 290))
    page.get_by_role("button", name="Use this box of A").click()
    expect(phrase_row(page, 3)).to_contain_text("1 box (A)")


def test_merge_survives_a_reload(merging):
    page = merging
    press(page, "m")
    expect(status(page)).to_have_text("Saved")
    page.reload()
    ready(page)
    expect(row(page, 1).get_by_role("radio", name="Mean")).to_be_checked()


# --- validation ----------------------------------------------------------------------------------


@pytest.fixture
def judging(project, context, open_page) -> Page:
    return open_page(context, "validate", validation_case(project, OURS))


def test_boxes_are_checked_by_keyboard_alone(judging, marketplace):
    page = judging
    expect(title(page)).to_have_text("“Two women”")
    press(page, "2", "v")
    expect(title(page)).to_have_text("“a red car”")
    press(page, "v")
    expect(title(page)).to_have_text("“a race”")
    press(page, "d", "v")
    expect(title(page)).to_have_text("“their dogs”")
    press(page, "m", "v")
    expect(page.locator("[data-submit]")).to_be_focused()
    assert progress(page) == ["! 1 dispute", "✓ all right", "! 1 dispute", "! 1 dispute"]
    press(page, "Enter")
    expect_submitted(page)
    assert marketplace.phrases == [
        {"id": "p0", "valid": True, "missing": False, "boxes": [True, False]},
        {"id": "p1", "valid": True, "missing": False, "boxes": [True]},
        {"id": "p2", "valid": False, "missing": False, "boxes": []},
        {"id": "p3", "valid": True, "missing": True, "boxes": [True]},
    ]


def test_open_judgments_link_to_their_phrase(judging, marketplace):
    page = judging
    page.get_by_role("group", name="Is this the right answer?").get_by_label("Yes").check()
    press(page, "Control+Enter")
    problems = page.locator("[data-problems] button")
    expect(problems).to_have_count(4)
    expect(problems.first).to_have_text("Judge “Two women”: 2 boxes, whether a box is missing.")
    problems.nth(2).click()
    expect(title(page)).to_have_text("“a race”")
    answer = page.get_by_role("group", name="Is this the right answer?")
    expect(answer.get_by_label("Yes")).to_be_focused()
    assert marketplace.contents == []


def test_validation_survives_a_reload_and_is_undone(judging):
    page = judging
    page.get_by_role("group", name="Is box 2 right?").get_by_label("Wrong").check()
    expect(box_label(page, 1)).to_contain_text("2")
    expect(status(page)).to_have_text("Saved")
    page.reload()
    ready(page)
    wrong = page.get_by_role("group", name="Is box 2 right?").get_by_label("Wrong")
    expect(wrong).to_be_checked()
    page.get_by_role("group", name="Is box 1 right?").get_by_label("Right").check()
    page.get_by_role("button", name="Undo accepting box 1 of “Two women”").click()
    right = page.get_by_role("group", name="Is box 1 right?").get_by_label("Right")
    expect(right).not_to_be_checked()


def box_label(page: Page, number: int) -> Locator:
    return page.locator(".box[role=button] .box__text").nth(number)


def test_nothing_can_be_drawn_unless_a_box_is_missing(judging):
    page = judging
    expect(page.get_by_role("button", name="Add box")).to_be_hidden()
    draw(page, (300, 280, 380, 340))
    assert len(box_names(page)) == 2
    page.mouse.click(*point(page, 60, 100))
    expect(page.get_by_role("button", name="Show box 1")).to_have_attribute("aria-pressed", "true")


# --- missing boxes -------------------------------------------------------------------------------

INCOMPLETE = grounding(
    ("boxes", [FIRST]), ("group", [list(CAR)]), ("scene", []), ("boxes", [list(DOG)])
)


@pytest.fixture
def incomplete(project) -> Case:
    return validation_case(project, INCOMPLETE)


def missing_box(page: Page) -> Locator:
    return page.get_by_role("group", name="Is a box missing?")


def drawn_names(page: Page) -> list[str]:
    return [name for name in box_names(page) if "missing box" in name]


def repeat(page: Page, **times: int) -> None:
    for key, count in times.items():
        press(page, *[key.replace("_", "+")] * count)


def accept_rest(page: Page) -> None:
    press(page, *"vvvv")
    expect(page.locator("[data-submit]")).to_be_focused()
    press(page, "Enter")
    expect_submitted(page)


def test_missing_box_is_drawn_by_keyboard_and_by_mouse_and_exported(
    incomplete, context, open_page, marketplace, tmp_path
):
    draw_by_keyboard(open_page(context, "validate", incomplete, "W1"))
    page = open_page(context, "validate", incomplete, "W2")
    missing_box(page).get_by_label("Yes").check()
    expect(note(page)).to_have_text("A box is missing. Draw it in the picture, or press b.")
    x1, y1, x2, y2 = SECOND
    draw(page, (x1, y1 + 4, x2, y2 + 4))
    accept_rest(page)
    phrases = [content[str(incomplete.item_id)]["phrases"] for content in marketplace.contents]
    first, second = (own[0]["drawn"][0] for own in phrases)
    assert phrases[0][0] == {
        "id": "p0", "valid": True, "missing": True, "boxes": [True], "drawn": [first],
    }  # fmt: skip
    assert first == [x1 + 2, y1, x2 + 2, y2]
    assert second == pytest.approx([x1, y1 + 4, x2, y2 + 4], abs=1)
    entry, card = exported(incomplete, marketplace.contents, tmp_path)
    mean = [(2 * (a + b) + 2) // 4 for a, b in zip(first, second, strict=True)]
    gold = {"id": "p0", "state": "boxes", "boxes": [FIRST, mean]}
    assert entry["content"]["phrases"][0] == gold
    origin = {"valid": 2, "missing": 2, "rejected": 0, "drawn": 1, "unsupported": 0}
    assert entry["provenance"][0].items() >= origin.items()
    assert "1 box that validators drew" in card
    assert "0 boxes that validators rejected" in card
    assert "0 phrases that may lack a box" in card


def draw_by_keyboard(page: Page) -> None:
    """Draw a box that is 2 pixels beside the missing one, and submit."""
    press(page, "b")
    expect(missing_box(page).get_by_label("Yes")).to_be_checked()
    expect(note(page)).to_contain_text("New box, left 188, top 141, 125 by 94 pixels.")
    repeat(page, Shift_ArrowLeft=6, ArrowRight=2, Shift_ArrowUp=7, ArrowUp=1)
    press(page, "Space")
    repeat(page, Shift_ArrowLeft=6, ArrowLeft=5, Shift_ArrowDown=6, ArrowDown=6)
    press(page, "Enter")
    assert drawn_names(page) == ["Two women, missing box 1, left 130, top 70, 60 by 160 pixels"]
    # A drawn box has the focus and can still be moved.
    repeat(page, ArrowRight=2)
    expect(note(page)).to_have_text("left 132, top 70, 60 by 160 pixels")
    accept_rest(page)


def exported(case: Case, contents: list[Json], folder: Path) -> tuple[Json, str]:
    """Record the validations, and return the only exported item and the data card."""
    for content in contents:
        assignment = make_assignment(case.task.hit)
        assignment.answer = {"content": json.dumps(content)}
        assignment.save()
    assert record_new_case_work(clock=lambda: NOW) == len(contents)
    assert VALIDATION.write_due_gold(clock=lambda: NOW) == 1
    project = case.item.project
    export_gold(project=project, options=ExportOptions(fmt="jsonl"), folder=folder)
    [file] = folder.glob("*.gold.jsonl")
    entry: Json = json.loads(file.read_text())
    return entry, (folder / "README.md").read_text()


def test_drawn_box_is_resized_removed_undone_and_survives_a_reload(incomplete, context, open_page):
    page = open_page(context, "validate", incomplete)
    press(page, "m")
    draw(page, (300, 280, 380, 340))
    draw(page, (400, 280, 460, 340))
    assert len(drawn_names(page)) == 2
    # The second one is selected, and its handle resizes it.
    drag(page, (460, 340), (480, 360))
    expect(note(page)).to_have_text("left 400, top 280, 80 by 80 pixels")
    press(page, "Delete")
    expect(
        page.get_by_role("list", name="Boxes that you drew").get_by_role("listitem")
    ).to_have_count(1)
    page.get_by_role("button", name="Undo removing a missing box of “Two women”").click()
    page.get_by_role("button", name="Remove Two women, missing box 1").click()
    assert drawn_names(page) == ["Two women, missing box 1, left 400, top 280, 80 by 80 pixels"]
    expect(status(page)).to_have_text("Saved")
    page.reload()
    ready(page)
    assert drawn_names(page) == ["Two women, missing box 1, left 400, top 280, 80 by 80 pixels"]
    missing_box(page).get_by_label("No").check()
    expect(note(page)).to_have_text("1 drawn box removed.")
    assert drawn_names(page) == []


def test_box_that_is_there_and_boxes_of_groups_are_not_drawn(incomplete, context, open_page):
    page = open_page(context, "validate", incomplete)
    press(page, "m")
    x1, y1, x2, y2 = FIRST
    draw(page, (x1 + 1, y1, x2 + 1, y2))
    expect(note(page)).to_have_text("This box is already there.")
    page.get_by_role("button", name="Show box 1").click()
    press(page, "Delete")
    expect(note(page)).to_have_text("This box is the annotator’s. Dispute it if it is wrong.")
    assert len(box_names(page)) == 1
    # An unfinished box is dropped at another phrase.
    press(page, "b", "j")
    expect(title(page)).to_have_text("“a red car”")
    expect(page.get_by_role("button", name="Place")).to_be_hidden()
    press(page, "m", "b")
    expect(note(page)).to_have_text(
        "A box can be added only to a phrase with a box for each individual."
    )
    draw(page, (300, 280, 380, 340))
    assert len(box_names(page)) == 1


def test_missing_box_is_drawn_by_touch(project, incomplete, chromium, open_page, marketplace):
    size = {"width": 360, "height": 740}
    with chromium.new_context(viewport=size, has_touch=True, is_mobile=True) as context:
        page = open_page(context, "validate", incomplete)
        missing_box(page).get_by_label("Yes").tap()
        page.locator("[data-stage]").scroll_into_view_if_needed()
        Fingers(page).swipe(WOMEN[1][:2], WOMEN[1][2:])
        expect(page.get_by_role("button", name="Remove Two women, missing box 1")).to_be_visible()
        assert len(drawn_names(page)) == 1


# --- revision ------------------------------------------------------------------------------------


def test_disputed_boxes_are_revised_by_their_author(project, context, open_page, marketplace):
    case = validation_case(project, OURS, "verification")
    disputes = {"phrases": [{"id": "p0", "state": False, "boxes": [SECOND], "missing": True}]}
    raise_dispute(case=case, content=disputes, verifications=[], now=NOW)
    publish_revision(case_id=case.pk, now=NOW)
    case.refresh_from_db()
    author = Submission.objects.get(role="generator").worker.external_id
    page = open_page(context, "revise", case, author)
    expect(
        page.get_by_text("Other annotators dispute “Two women”: 1 box, a missing box.")
    ).to_be_visible()
    page.get_by_role("button", name="Remove Two women, box 2 of 2").click()
    submit(page)
    expect_submitted(page)
    assert result(marketplace.phrases)[0] == ("boxes", [FIRST])


def test_box_that_a_verifier_drew_is_taken_over_in_the_revision(
    project, context, open_page, marketplace
):
    case = validation_case(project, INCOMPLETE, "verification")
    drawn = [SECOND, [300, 280, 380, 340]]
    disputes = {
        "phrases": [{"id": "p0", "state": False, "boxes": [], "missing": True, "drawn": drawn}]
    }
    raise_dispute(case=case, content=disputes, verifications=[], now=NOW)
    publish_revision(case_id=case.pk, now=NOW)
    case.refresh_from_db()
    author = Submission.objects.get(role="generator").worker.external_id
    page = open_page(context, "revise", case, author)
    offers = page.get_by_role("button", name="that a verifier drew")
    expect(offers).to_have_count(2)
    page.mouse.click(*point(page, 310, 300))
    expect(note(page)).to_have_text(
        "a box that a verifier drew, left 300, top 280, 80 by 60 pixels"
    )
    expect(offers.first).to_have_text("Use the box of 80 × 60 that a verifier drew")
    press(page, "Delete")
    expect(note(page)).to_contain_text("it isn't yours yet")
    page.get_by_role("button", name="Use the box of 60 × 160 that a verifier drew").click()
    expect(offers).to_have_count(1)
    submit(page)
    expect_submitted(page)
    assert result(marketplace.phrases)[0] == ("boxes", [FIRST, SECOND])


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
    merge = make_case_of(make_caption(project), OURS, THEIRS)
    page = open_page(view, "consolidate", merge)
    check(page)
    press(page, "m")
    check(page)
    for _ in range(25):
        press(page, "Tab")
        check_uncovered(page)
    case = validation_case(make_grounding_project("checked"), OURS)
    page = open_page(view, "validate", case)
    check(page)
    press(page, "2", "m", "b", "Enter")
    check(page)
    for _ in range(25):
        press(page, "Tab")
        check_uncovered(page)


@pytest.mark.parametrize("case", ["merging", "judging"])
def test_single_keys_need_the_focus_and_can_be_switched_off(request, case):
    page = request.getfixturevalue(case)
    expect_single_keys_need_focus(page)
    page.locator("[data-panel] button:enabled").first.focus()
    expect_names_without_keys(page)
    expect_single_keys_can_be_off(page)
