"""Workers' pages of schemes that projects declare as data."""

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.staticfiles import finders
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Page, Request, Route, expect

from annotation.models import Draft, Item
from config.static_files import MINIFIERS
from consolidation.models import Case
from projects.domain.choose_protocol import choose_protocol
from projects.enums import Protocol
from schemes.contract.values import Json
from tests.annotation.factories import NOW, make_task, task_url
from tests.axe import LOOKS, axe_findings
from tests.browser.custom import (
    ARABIC,
    ARABIC_SENTENCE,
    BOXES,
    NAMES,
    PAIR,
    PAIR_TEXTS,
    QUESTIONS,
    REVIEW,
    make_custom_project,
    make_texts,
)
from tests.browser.grounding import CAR, WOMEN, draw
from tests.browser.test_accessibility import COVERED, SMALL_TARGETS
from tests.browser.work import (
    expect_names_without_keys,
    expect_single_keys_can_be_off,
    expect_submitted,
    note,
    open_task,
    press,
    ready,
    status,
)
from tests.consolidation.factories import make_case_of
from tests.consolidation.validation import make_validation_case
from tests.signed import signed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ADA, BABBAGE, ACME = (0, 2), (4, 5), (6, 7)
MAX_WEIGHT = 60_000


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
    def submitted(self) -> Json:
        """Return the content of the only item, which the stored draft must equal."""
        [content] = self.contents
        assert Draft.objects.get().content == content
        [work] = content.values()
        return work


@pytest.fixture
def marketplace(settings) -> Marketplace:
    return Marketplace(settings.MTURK_WORKER_ORIGINS[0])


@pytest.fixture
def new_page(marketplace) -> Iterator[Callable[[BrowserContext], Page]]:
    """Return a function that opens an empty page, and check that no script fails."""
    errors: list[str] = []

    def new_page(context: BrowserContext) -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.route(f"{marketplace.origin}/**", marketplace.receive)
        return page

    yield new_page
    assert errors == []


@pytest.fixture
def open_items(live_server, marketplace, new_page) -> Callable[..., Page]:
    def open_items(context: BrowserContext, *items: Item) -> Page:
        address = task_url(make_task(items), submit_to=marketplace.origin)
        return open_task(new_page(context), f"{live_server.url}{address}")

    return open_items


@pytest.fixture
def open_one(open_items, context) -> Callable[..., Page]:
    """Return a function that opens an item of a new project with a definition."""

    def open_one(value: Json, *texts, **options) -> Page:
        return open_items(context, make_texts(make_custom_project(value), value, *texts, **options))

    return open_one


@pytest.fixture
def open_case(context, live_server, marketplace, new_page) -> Callable[[str, Case], Page]:
    def open_case(role: str, case: Case) -> Page:
        query = f"assignmentId=A1&hitId=H1&workerId=W1&turkSubmitTo={marketplace.origin}"
        address = reverse(f"consolidation:{role}", args=[case.task.public_id])
        return open_task(new_page(context), signed(f"{live_server.url}{address}?{query}"))

    return open_case


def token(page: Page, position: int, text: int = 0):
    return page.locator("[data-texts] .sentence").nth(text).locator("[role=option]").nth(position)


def mark(page: Page, span: tuple[int, int], text: int = 0) -> None:
    token(page, span[0], text).click()
    token(page, span[1] - 1, text).click()


def card(page: Page, key: str):
    return page.locator(f"[data-field={key}]")


def span(start: int, end: int, label: str, **attributes: str) -> Json:
    return {"start": start, "end": end, "label": label, "attributes": attributes}


# --- spans and relations


def test_spans_and_relations_by_keyboard_alone(open_one, marketplace):
    page = open_one(NAMES)
    expect(page.get_by_text("Mark every name.")).to_be_visible()
    expect(page.locator(".sentence")).to_be_focused()
    press(page, "Shift+ArrowRight", "p")
    expect(note(page)).to_have_text("“Ada Lovelace” (Person) marked.")
    press(page, "b", "Enter", "p", "a", "c", "Enter", "o")
    expect(page.locator(".spans__text")).to_have_text(["Ada Lovelace", "Babbage", "Acme"])
    press(page, "Home", "+", "End", "ArrowLeft", "Enter")
    expect(note(page)).to_have_text("Choose the relation.")
    press(page, "1")
    expect(page.locator(".relations__text")).to_have_text("Ada Lovelace → works for → Acme")
    page.keyboard.press("Control+Enter")
    problems = page.locator("[data-problems] li")
    expect(problems).to_have_count(3)
    for left, choice in ((2, "c"), (1, "u"), (0, "c")):
        problems.first.get_by_role("button").press("Enter")
        page.keyboard.type(choice)
        expect(problems.locator("visible=true")).to_have_count(left)
    page.keyboard.press("Control+Enter")
    expect_submitted(page)
    assert marketplace.submitted == {
        "answers": {
            "names": [
                span(*ADA, "PER", sure="certain"),
                span(*BABBAGE, "PER", sure="unsure"),
                span(*ACME, "ORG", sure="certain"),
            ],
            "jobs": [{"label": "works_for", "from": 0, "to": 2}],
        }
    }


def test_spans_by_mouse_are_relabelled_removed_and_undone(open_one):
    page = open_one(NAMES)
    mark(page, ADA)
    page.get_by_role("button", name="Organisation").click()
    expect(page.locator(".spans__label")).to_have_value("ORG")
    page.locator(".spans__label").select_option("PER")
    token(page, 6).click()
    page.get_by_role("button", name="Organisation").click()
    page.get_by_label("From", exact=True).select_option(index=1)
    page.get_by_label("To", exact=True).select_option(index=2)
    page.get_by_role("button", name="Add relation").click()
    expect(page.locator(".relations__text")).to_have_text("Ada Lovelace → works for → Acme")
    # A relation follows its spans, and goes with them.
    token(page, 4).click()
    page.get_by_role("button", name="Person").click()
    expect(page.locator(".relations__text")).to_have_text("Ada Lovelace → works for → Acme")
    page.get_by_role("button", name="Remove “Ada Lovelace”").click()
    expect(page.locator(".relations__text")).to_have_count(0)
    expect(page.locator(".spans__text")).to_have_text(["Babbage", "Acme"])
    press(page, "Control+z")
    expect(page.locator(".relations__text")).to_have_count(1)
    press(page, "Control+z", "Control+z")
    expect(page.locator(".spans__text")).to_have_text(["Ada Lovelace", "Acme"])
    press(page, "Control+y")
    expect(page.locator(".relations__text")).to_have_count(1)
    press(page, "Control+y")
    expect(page.locator(".spans__text")).to_have_count(3)


def test_spans_do_not_overlap_where_the_definition_forbids_it(open_one):
    page = open_one(NAMES)
    mark(page, ADA)
    press(page, "p")
    mark(page, (1, 4))
    press(page, "o")
    expect(note(page)).to_contain_text("can't overlap")
    expect(page.locator(".spans__text")).to_have_count(1)
    token(page, 0).click()
    press(page, "Escape", "Backspace")
    expect(page.locator(".spans__text")).to_have_count(0)


def test_draft_with_an_open_attribute_survives_a_reload(open_one):
    page = open_one(NAMES)
    mark(page, ADA)
    press(page, "p")
    expect(status(page)).to_have_text("Saved")
    draft = Draft.objects.get()
    [content] = draft.content.values()
    assert content == {"answers": {"names": [{"start": 0, "end": 2, "label": "PER"}]}}
    assert draft.steps["names"]["moves"] == 1
    page.reload()
    ready(page)
    expect(page.locator(".spans__text")).to_have_text("Ada Lovelace")


def test_item_is_skipped_with_a_reason(open_one, marketplace):
    page = open_one(NAMES)
    page.get_by_role("button", name="Skip this sentence").click()
    expect(card(page, "names")).to_be_hidden()
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Write why you skip it.").click()
    page.keyboard.type("not a sentence")
    press(page, "Control+Enter")
    expect_submitted(page)
    assert marketplace.contents[0].popitem()[1] == {"skipped": "not a sentence", "answers": {}}


# --- single values


def test_values_by_keyboard_and_conditions(open_one, marketplace):
    page = open_one(REVIEW, "The soup was cold .")
    expect(card(page, "why")).to_be_hidden()
    press(page, "2", "1")  # the group, and an option in it
    expect(page.get_by_role("radio", name="Angry")).to_be_checked()
    expect(card(page, "why")).to_be_visible()
    expect(page.get_by_role("textbox", name="Reason")).to_be_focused()
    page.keyboard.type("Soup")
    press(page, "Enter")
    expect(card(page, "topics").get_by_role("checkbox").first).to_be_focused()
    press(page, "1", "2", "3", "Enter")
    press(page, "4")
    press(page, "Control+Enter")
    expect(page.locator("[data-problems] li")).to_have_text(
        [
            "Reason: this doesn't have the required form.",
            "Topics: choose at most 2 options.",
        ]
    )
    page.get_by_role("button", name="Reason:").press("Enter")
    page.get_by_role("textbox", name="Reason").fill("cold  soup")
    page.get_by_role("button", name="Topics:").press("Enter")
    press(page, "2")
    expect(page.locator("[data-problems]")).to_be_hidden()
    press(page, "Control+Enter")
    expect_submitted(page)
    assert marketplace.submitted == {
        "answers": {
            "tone": "angry",
            "why": "cold soup",
            "topics": ["food", "price"],
            "fluency": 4,
        }
    }


def test_hidden_answer_is_not_submitted_and_comes_back(open_one, marketplace):
    page = open_one(REVIEW, "The soup was cold .")
    page.get_by_role("radio", name="Sad").check()
    page.get_by_role("textbox", name="Reason").fill("cold")
    page.get_by_role("radio", name="positive").check()
    expect(card(page, "why")).to_be_hidden()
    page.get_by_role("radio", name="Sad").check()
    expect(page.get_by_role("textbox", name="Reason")).to_have_value("cold")
    page.get_by_role("radio", name="positive").check()
    page.get_by_role("checkbox", name="food").check()
    page.get_by_role("radio", name="3").check()
    page.get_by_role("textbox", name="Stars").fill("7")
    press(page, "Control+Enter")
    expect_submitted(page)
    assert marketplace.contents[0].popitem()[1] == {
        "answers": {"tone": "positive", "topics": ["food"], "fluency": 3, "stars": 7}
    }


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ("seven", "Stars: enter a number, such as 12 or 0.5."),
        ("2.5", "Stars: enter a whole number."),
        ("11", "Stars: enter at most 10."),
        ("-1", "Stars: enter at least 0."),
    ],
)
def test_number_outside_of_its_limits_is_a_problem(open_one, typed, problem):
    page = open_one(REVIEW, "The soup was cold .")
    press(page, "1")
    page.get_by_role("checkbox", name="food").check()
    page.get_by_role("radio", name="3").check()
    page.get_by_role("textbox", name="Stars").fill(typed)
    press(page, "Control+Enter")
    page.get_by_role("button", name=problem).click()
    expect(page.get_by_role("textbox", name="Stars")).to_be_focused()


def test_refusal_of_the_server_leads_to_its_field(open_one):
    value = json.loads(json.dumps(REVIEW))
    # JavaScript does not know this syntax, so only the server checks it.
    value["fields"][1]["pattern"] = "(?i)abc"
    page = open_one(value, "The soup was cold .")
    press(page, "2", "1")
    page.get_by_role("textbox", name="Reason").fill("xyz")
    page.get_by_role("checkbox", name="food").check()
    page.get_by_role("radio", name="3").check()
    press(page, "Control+Enter")
    page.get_by_role("button", name="Reason: does not have the form").click()
    expect(page.get_by_role("textbox", name="Reason")).to_be_focused()


# --- questions, boxes and several texts


def test_questions_by_keyboard(open_one, marketplace):
    page = open_one(QUESTIONS, "Ada wrote it in 1843 .")
    expect(page.get_by_role("textbox", name="Question 1")).to_be_focused()
    page.keyboard.type("Who wrote it?")
    press(page, "Enter", "Enter")
    expect(page.locator(".answer-pill")).to_have_text("Ada×")
    press(page, "Home", "Enter")  # on the answer: the next question
    expect(page.get_by_role("textbox", name="Question 2")).to_be_focused()
    page.keyboard.type("Where?")
    press(page, "Tab", "Tab", "Tab", "Space")
    expect(page.get_by_role("checkbox", name="The text has no answer").nth(1)).to_be_checked()
    card(page, "fixed").get_by_role("checkbox").first.check()
    page.get_by_role("button", name="Mark the answer to question 2").last.click()
    token(page, 4).dblclick()
    press(page, "Control+Enter")
    expect_submitted(page)
    assert marketplace.submitted == {
        "answers": {
            "qa": [
                {"question": "Who wrote it?", "answers": [[0, 1]]},
                {"question": "Where?", "answers": []},
            ],
            "fixed": [
                {"question": "Who?", "answers": []},
                {"question": "When?", "answers": [[4, 5]]},
            ],
        }
    }


def test_question_without_an_answer_is_a_problem(open_one):
    page = open_one(QUESTIONS, "Ada wrote it in 1843 .")
    page.keyboard.type("Who?")
    press(page, "Control+Enter")
    page.get_by_role("button", name="Questions: question 1 needs at least 1 answer.").click()
    expect(page.locator(".sentence")).to_be_focused()


def test_boxes_by_mouse_and_keyboard(open_one, marketplace):
    page = open_one(BOXES, "Two women and a car .", has_picture=True)
    stage = page.locator("[data-stage]")
    expect(stage).to_be_visible()
    draw(page, WOMEN[0])
    page.get_by_role("button", name="Car").first.click()
    draw(page, CAR)
    stage.focus()
    press(page, "Enter", "Enter")
    expect(page.locator(".boxes > li")).to_have_count(3)
    press(page, "Delete")
    expect(page.locator(".boxes > li")).to_have_count(2)
    press(page, "Control+Enter")
    expect_submitted(page)
    boxes = marketplace.submitted["answers"]["things"]
    assert [box["label"] for box in boxes] == ["woman", "car"]


def test_pairwise_between_texts_and_spans_in_one_of_them(open_one, marketplace):
    page = open_one(PAIR, PAIR_TEXTS)
    expect(page.locator(".texts__title")).to_have_text(["Prompt", "Answer A", "Answer B"])
    expect(page.get_by_role("radio")).to_have_count(3)
    press(page, "1")
    expect(page.get_by_role("radio", name="Answer A")).to_be_checked()
    mark(page, (2, 4), 2)
    expect(page.locator(".spans__text")).to_have_text("painted blue")
    press(page, "Control+Enter")
    expect_submitted(page)
    assert marketplace.submitted == {
        "answers": {
            "better": "a",
            "errors": [{"start": 11, "end": 13, "label": "error"}],
        }
    }


def test_arabic_spans_run_from_right_to_left(open_one):
    page = open_one(ARABIC, ARABIC_SENTENCE)
    sentence = page.locator(".sentence")
    expect(sentence).to_have_attribute("dir", "rtl")
    expect(sentence).to_have_attribute("lang", "ar")
    press(page, "ArrowLeft", "Enter", "1", "ArrowLeft", "Enter", "2")
    expect(page.locator(".spans__text")).to_have_text(["عائشة", "القاهرة"])
    first, second = (token(page, at).bounding_box() for at in (1, 2))
    assert first["x"] > second["x"]
    press(page, "End", "ArrowRight", "Enter", "1")
    expect(page.locator(".spans__text")).to_have_count(3)


# --- merging and judging


def names(*rows: Json, jobs: list[Json] | None = None) -> Json:
    return {"answers": {"names": list(rows), **({"jobs": jobs} if jobs else {})}}


def test_disagreements_are_merged_by_key(open_case, marketplace):
    item = make_texts(make_custom_project(NAMES), NAMES)
    first = names(
        span(*ADA, "PER", sure="certain"),
        span(*ACME, "ORG", sure="certain"),
        jobs=[{"label": "works_for", "from": 0, "to": 1}],
    )
    second = names(span(*ADA, "PER", sure="certain"), span(*BABBAGE, "PER", sure="unsure"))
    page = open_case("consolidate", make_case_of(item, first, second))
    expect(page.locator("[data-summary]")).to_have_text("2 fields to decide")
    expect(card(page, "names")).to_be_focused()
    press(page, "Control+Enter")
    expect(page.locator("[data-problems] li")).to_have_count(2)
    page.locator("[data-problems] button").first.click()
    press(page, "3")
    expect(card(page, "names").locator(".merge__result li")).to_have_count(3)
    expect(card(page, "jobs")).to_be_focused()
    press(page, "1")
    expect(page.locator("[data-summary]")).to_have_text("Everything is decided.")
    press(page, "Control+Enter")
    expect_submitted(page)
    assert marketplace.submitted == {
        "answers": {
            "names": [
                span(*ADA, "PER", sure="certain"),
                span(*BABBAGE, "PER", sure="unsure"),
                span(*ACME, "ORG", sure="certain"),
            ],
            "jobs": [{"label": "works_for", "from": 0, "to": 2}],
        }
    }


def test_agreed_values_are_chosen_and_can_be_edited(open_case, marketplace):
    item = make_texts(make_custom_project(REVIEW), REVIEW, "The soup was cold .")
    first = {"answers": {"tone": "positive", "topics": ["food"], "fluency": 3}}
    second = {"answers": {"tone": "angry", "why": "cold", "topics": ["food"], "fluency": 3}}
    page = open_case("consolidate", make_case_of(item, first, second))
    expect(page.locator("[data-summary]")).to_have_text("1 field to decide")
    press(page, "2")
    expect(card(page, "why").locator(".merge__result")).to_have_text("cold")
    card(page, "fluency").focus()
    press(page, "e")
    expect(card(page, "fluency").get_by_role("radio", name="3")).to_be_focused()
    press(page, "5", "Control+z", "Control+z", "Control+y", "Control+y", "Control+Enter")
    expect_submitted(page)
    assert marketplace.contents[0].popitem()[1] == {
        "answers": {"tone": "angry", "why": "cold", "topics": ["food"], "fluency": 5}
    }


def test_units_are_judged_by_key(open_case, marketplace):
    project = make_custom_project(NAMES)
    options = {"validators": 2, "agree": 2, "actor": "test", "now": NOW}
    choose_protocol(project=project, protocol=Protocol.VALIDATION, **options)
    item = make_texts(project, NAMES)
    content = names(
        span(*ADA, "PER", sure="certain"),
        span(*ACME, "ORG", sure="certain"),
        jobs=[{"label": "works_for", "from": 0, "to": 1}],
    )
    page = open_case("validate", make_validation_case(content, item=item))
    expect(page.locator(".verdict__text")).to_have_text(
        [
            "Names Ada Lovelace – Person, Sure?: certain",
            "Names Acme – Organisation, Sure?: certain",
            "Jobs Ada Lovelace → works for → Acme",
        ]
    )
    press(page, "y", "n", "Control+Enter")
    page.get_by_role("button", name="Jobs: judge").click()
    press(page, "y", "Control+Enter")
    expect_submitted(page)
    assert marketplace.contents[0].popitem()[1] == {"verdicts": [True, False, True]}


# --- any device


def test_touch_on_a_small_screen(chromium: Browser, open_items, marketplace):
    view = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    with chromium.new_context(**view) as context:
        context.set_default_timeout(10_000)
        page = open_items(context, make_texts(make_custom_project(NAMES), NAMES))
        token(page, 0).tap()
        token(page, 1).tap()
        page.get_by_role("button", name="Person").tap()
        token(page, 6).tap()
        page.get_by_role("button", name="Organisation").tap()
        for at in (0, 1):
            page.locator(".spans__attribute select").nth(at).select_option("certain")
        page.get_by_role("button", name="Relate “Ada Lovelace”").tap()
        token(page, 6).tap()
        page.get_by_role("button", name="founded").tap()
        page.get_by_role("button", name="Submit").tap()
        expect_submitted(page)
    assert marketplace.submitted["answers"]["jobs"] == [{"label": "founded", "from": 0, "to": 1}]


CASES = [
    (NAMES, "Ada Lovelace wrote to Babbage about Acme .", False),
    (REVIEW, "The soup was cold .", False),
    (QUESTIONS, "Ada wrote it in 1843 .", False),
    (BOXES, "Two women and a car .", True),
    (PAIR, PAIR_TEXTS, False),
    (ARABIC, ARABIC_SENTENCE, False),
]


@pytest.mark.parametrize("look", LOOKS, ids=str)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0]["title"])
def test_page_is_accessible(chromium: Browser, open_items, case, look):
    value, texts, has_picture = case
    width, colours = look
    options = {"viewport": {"width": width, "height": 800}, "color_scheme": colours}
    with chromium.new_context(**options, has_touch=width < 800) as context:
        project = make_custom_project(value)
        page = open_items(context, make_texts(project, value, texts, has_picture=has_picture))
        if page.locator("[role=listbox]").count():
            page.locator("[role=option]").nth(1).click()
        page.locator("summary", has_text="Keyboard shortcuts").click()
        assert axe_findings(page) == []
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert page.evaluate(SMALL_TARGETS) == []
        assert page.evaluate(COVERED) == ""
        expect_names_without_keys(page)


def test_single_keys_can_be_off(open_one):
    page = open_one(REVIEW, "The soup was cold .")
    expect_single_keys_can_be_off(page)


def test_page_of_texts_weighs_at_most_60_kb(open_items, context):
    item = make_texts(make_custom_project(NAMES), NAMES)
    finished: list[Request] = []
    context.on("requestfinished", lambda request: finished.append(request))  # noqa: PLW0108
    open_items(context, item)
    names = {urlsplit(request.url).path.removeprefix("/static/") for request in finished}
    code = {name: weight_of(name) for name in names if name.startswith(("css/", "js/"))}
    assert not any("grounding" in name for name in code)  # only pictures need its canvas
    assert sum(code.values()) <= MAX_WEIGHT, code


def weight_of(name: str) -> int:
    """Return the size of a static file as it is served, minified and compressed."""
    path = Path(finders.find(name))
    return len(gzip.compress(MINIFIERS[path.suffix](path.read_text("utf-8")).encode()))
