"""The consolidation and validation pages and a revision of the grounding scheme, in a browser."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qs

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect

from annotation.models import Draft, Submission
from consolidation.domain.dispute import raise_dispute
from consolidation.domain.open_cases import open_case as open_case_of
from consolidation.domain.open_cases import publish_case
from consolidation.domain.revise import publish_revision
from consolidation.models import Case
from projects.domain.choose_protocol import choose_protocol
from projects.models import Project
from schemes.base import Json
from tests.annotation.factories import NOW
from tests.axe import LOOKS, axe_findings
from tests.browser.grounding import (
    CAR,
    DOG,
    WOMEN,
    box_names,
    draw,
    make_caption,
    make_grounding_project,
    phrase_row,
    point,
    progress,
)
from tests.browser.test_accessibility import COVERED, SMALL_TARGETS
from tests.browser.work import expect_submitted, note, open_task, press, ready, status, submit
from tests.consolidation.factories import make_case_of, make_generation

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
        return open_task(page, f"{live_server.url}{address}?{query}")

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


def test_nothing_can_be_drawn_while_checking(judging):
    page = judging
    draw(page, (300, 280, 380, 340))
    assert len(box_names(page)) == 2
    page.mouse.click(*point(page, 60, 100))
    expect(page.get_by_role("button", name="Show box 1")).to_have_attribute("aria-pressed", "true")


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
        assert page.evaluate(COVERED) == ""
    case = validation_case(make_grounding_project("checked"), OURS)
    page = open_page(view, "validate", case)
    check(page)
    press(page, "2", "m")
    check(page)
    for _ in range(25):
        press(page, "Tab")
        assert page.evaluate(COVERED) == ""
