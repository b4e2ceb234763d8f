"""Workers' pages of schemes that projects declare as data."""

import gzip
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.staticfiles import finders
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, Page, Request, Route, expect

from annotation.domain.corpus.item_context import context_of
from annotation.domain.work.practice import series_of
from annotation.models import Draft, Item
from config.static_files import HASH_LENGTH, MINIFIERS
from consolidation.domain.cases.record_work import record_new_case_work
from consolidation.domain.gold.save_version import save_version
from consolidation.models import Case, Gold
from consolidation.protocols.consolidation import CONSOLIDATION
from projects.domain.choose_protocol import choose_protocol
from projects.domain.schemes import scheme_of
from projects.enums import Protocol
from projects.models import Project
from schemes.contract.scheme import DEFINITION
from schemes.contract.values import Json
from schemes.simulated_person import Person
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
from tests.browser.grounding import CAR, SIZE, WOMEN, draw
from tests.browser.test_accessibility import SMALL_TARGETS, check_uncovered
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
from tests.crowd.factories import make_assignment
from tests.environment import ROOT
from tests.schemes.custom.samples import NAMES as STARTERS
from tests.schemes.custom.samples import starter
from tests.signed import signed
from tests.walk import run

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TREEBANK = ROOT.parent / "shared" / "data" / "ud" / "ar_pud-ud-test.conllu"
ADA, BABBAGE, ACME = (0, 2), (4, 5), (6, 7)
MAX_WEIGHT = 60_000


@dataclass
class Marketplace:
    """A fake of the configured marketplace, whose requests the test answers in the browser."""

    origin: str
    contents: list[Json] = field(default_factory=list)
    definitions: list[str] = field(default_factory=list)

    def receive(self, route: Route) -> None:
        fields = parse_qs(route.request.post_data or "")
        self.contents.append(json.loads(fields["content"][0]))
        self.definitions += fields["definition"]
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


@pytest.fixture
def open_starter(context, open_items, open_case) -> Callable[[str, str], Page]:
    """Return a function that opens a role's page of a starter's first example."""

    def open_starter(role: str, name: str) -> Page:
        definition = starter(name)
        project = make_custom_project(definition.value, slug=f"{name}-{role}")
        example = definition.examples[0]
        item = make_texts(project, definition.value, example.texts, has_picture=bool(example.image))
        if role == "generate":
            return open_items(context, item)
        scheme, item_context = scheme_of(project), context_of(item)
        content = scheme.content.parse_gold({"answers": example.answers}, item_context)
        if role == "validate":
            options = {"validators": 2, "agree": 2, "actor": "test", "now": NOW}
            choose_protocol(project=project, protocol=Protocol.VALIDATION, **options)
            return open_case(role, make_validation_case(content, item=item))
        other = scheme.get_simulation().generate(content, item_context, Person(0.3), "other")
        return open_case(role, make_case_of(item, content, other))

    return open_starter


def token(page: Page, position: int, text: int = 0):
    return page.locator("[data-texts] .sentence").nth(text).locator("[role=option]").nth(position)


def mark(page: Page, span: tuple[int, int], text: int = 0) -> None:
    token(page, span[0], text).click()
    token(page, span[1] - 1, text).click()


def card(page: Page, key: str):
    return page.locator(f"[data-field={key}]")


def span(start: int, end: int, label: str, **attributes: str) -> Json:
    return {"start": start, "end": end, "label": label, "attributes": attributes}


# --- versions

TONE: Json = {
    "title": "Tone",
    "fields": [{"key": "tone", "type": "choice", "label": "Tone", "options": ["good", "bad"]}],
}
EXCHANGED: Json = {
    "title": "Tone",
    "fields": [
        {
            "key": "tone",
            "type": "choice",
            "label": "Tone",
            "options": [{"key": "bad", "label": "good"}, {"key": "good", "label": "bad"}],
        }
    ],
    "renamed": {"labels": {"tone": {"good": "bad", "bad": "good"}}},
}


def exchange(project: Project) -> None:
    """Save a version in which two keys are exchanged, so that it could read answers of both."""
    save_version(
        project=project, name=DEFINITION, value=EXCHANGED, actor="rita", now=timezone.now()
    )


def test_answer_on_an_open_page_keeps_its_meaning_when_keys_are_exchanged(open_one, marketplace):
    page = open_one(TONE)
    project = Project.objects.get()
    digest = project.definition_digest
    page.get_by_role("radio", name="good").check()
    exchange(project)
    page.keyboard.press("Control+Enter")
    expect_submitted(page)
    assert marketplace.submitted == {"answers": {"tone": "good"}}
    assert marketplace.definitions == [digest] == [Draft.objects.get().definition_digest]


@pytest.mark.parametrize("is_saved", [True, False])
def test_page_that_is_loaded_again_never_shows_the_other_answer(open_one, marketplace, is_saved):
    page = open_one(TONE)
    if not is_saved:
        page.route("**/draft/", lambda route: route.abort())
    page.get_by_role("radio", name="good").check()
    expect(status(page)).to_have_text(
        "Saved"
        if is_saved
        else "You're offline. Your work stays on this page and is saved when you're back online."
    )
    exchange(Project.objects.get())
    page.once("dialog", lambda dialog: dialog.accept())
    page.reload()
    ready(page)
    good, bad = (page.get_by_role("radio", name=name) for name in ("good", "bad"))
    expect(bad).not_to_be_checked()
    if not is_saved:
        expect(good).not_to_be_checked()
        return
    expect(good).to_be_checked()
    page.keyboard.press("Control+Enter")
    expect_submitted(page)
    assert marketplace.submitted == {"answers": {"tone": "bad"}}  # the key with the label “good”


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


@pytest.mark.parametrize(("pattern", "text"), [("(?i)abc", "xyz"), ("(a+)+b", "a" * 100)])
def test_pattern_that_only_the_server_checks_leads_to_its_field(open_one, pattern, text):
    """JavaScript does not know the first syntax, and could try the second pattern for years."""
    value = json.loads(json.dumps(REVIEW))
    value["fields"][1] |= {"pattern": pattern, "max_length": 200}
    page = open_one(value, "The soup was cold .")
    press(page, "2", "1")
    reason = page.get_by_role("textbox", name="Reason")
    reason.press_sequentially(text)
    expect(reason).to_have_value(text)
    page.get_by_role("checkbox", name="food").check()
    page.get_by_role("radio", name="3").check()
    press(page, "Control+Enter")
    page.get_by_role("button", name="Reason: does not have the form").click()
    expect(reason).to_be_focused()


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


def test_text_without_a_language_has_that_of_the_project(context, open_items):
    value = {name: part for name, part in ARABIC.items() if name != "language"}
    project = make_custom_project(value)
    project.language = "he"
    project.save()
    sentence = open_items(context, make_texts(project, value, "דנה גרה בחיפה")).locator(".sentence")
    expect(sentence).to_have_attribute("dir", "rtl")
    expect(sentence).to_have_attribute("lang", "he")


@pytest.mark.skipif(not TREEBANK.exists(), reason="the treebank is missing")
def test_arabic_spans_of_a_treebank_become_gold_that_is_read_again(
    context, open_items, open_case, marketplace, tmp_path
):
    sentence, *_ = TREEBANK.read_text("utf-8").split("\n\n")
    (tmp_path / "one.conllu").write_text(f"{sentence}\n\n", "utf-8")
    project = make_custom_project(ARABIC)
    run("import_corpus", project.slug, tmp_path / "one.conllu", "--format", "conllu")
    item = Item.objects.get()
    page = open_items(context, item)
    expect(page.locator(".sentence")).to_have_attribute("dir", "rtl")
    press(page, "ArrowLeft", "Shift+ArrowLeft", "1")
    boxes = [token(page, at).bounding_box() for at in range(len(item.sentence.tokens))]
    at = next(at for at in range(5, len(boxes)) if boxes[at]["y"] == boxes[at + 1]["y"])
    assert boxes[at]["x"] > boxes[at + 1]["x"]
    drag(page, boxes[at], boxes[at + 1])
    page.get_by_role("button", name="مكان").click()
    expect(page.locator(".spans__text")).to_have_count(2)
    expect(page.locator(".spans__text").first).to_have_text("كوري شولمان")
    press(page, "Control+Enter")
    expect_submitted(page)
    spans = [{"start": 1, "end": 3, "label": "PER"}, {"start": at, "end": at + 2, "label": "LOC"}]
    assert marketplace.submitted == {"answers": {"names": spans}}

    sources = [{"answers": {"names": spans}}, {"answers": {"names": spans[:1]}}]
    case = make_case_of(item, *sources)
    page = open_case("consolidate", case)
    part = page.locator(".merge__part").first.locator("span")
    expect(part).to_have_text("كوري شولمان – شخص")
    assert part.evaluate("part => getComputedStyle(part).direction") == "rtl"
    press(page, "1", "Control+Enter")
    expect_submitted(page)
    assignment = make_assignment(case.task.hit)
    assignment.answer = {"content": json.dumps(marketplace.contents[-1])}
    assignment.save()
    record_new_case_work(clock=lambda: NOW)
    CONSOLIDATION.write_due_gold(clock=lambda: NOW)
    assert Gold.objects.get().content["answers"]["names"] == spans
    run("export_gold", project.slug, "--format", "conll-bio", "--out", tmp_path / "gold")
    [exported] = (tmp_path / "gold").glob("*.gold.*")
    assert "كوري\tB-PER\nشولمان\tI-PER\n" in exported.read_text("utf-8")
    run("import_gold", project.slug, exported, "--format", "conll-bio", "--source", "expert")
    consolidated, imported = Gold.objects.order_by("pk")
    assert imported.source == "expert"
    assert imported.content["answers"] == consolidated.content["answers"]


def drag(page: Page, start: Any, end: Any) -> None:
    """Drag from the middle of one word to the middle of another."""
    for move, box in ((page.mouse.down, start), (page.mouse.up, end)):
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=5)
        move()


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


def test_boxes_of_all_annotators_are_in_the_picture_to_take(open_case, marketplace):
    item = make_texts(make_custom_project(BOXES), BOXES, "Two women and a car .", has_picture=True)
    women = [{"label": "woman", "box": list(box)} for box in WOMEN]
    car = {"label": "car", "box": list(CAR)}
    sources = [{"answers": {"things": [*women, car]}}, {"answers": {"things": [women[0]]}}]
    page = open_case("consolidate", make_case_of(item, *sources))
    # What both drew is the result, and has a number. The others have a letter too.
    expect(page.locator(".box text")).to_have_text(["A2", "A3", "1"])
    expect(page.locator(".merge__part").nth(2)).to_contain_text("A3. Car, left 240, top 120")
    stage = page.locator(".stage__image").bounding_box()
    scale = stage["width"] / SIZE[0]
    middle = [(CAR[side] + CAR[side + 2]) / 2 * scale for side in (0, 1)]
    page.mouse.click(stage["x"] + middle[0], stage["y"] + middle[1])
    expect(page.locator(".box text")).to_have_text(["A2", "1", "2"])
    press(page, "Control+Enter")
    expect_submitted(page)
    content = marketplace.contents[0].popitem()[1]
    assert content == {"answers": {"things": [women[0], car]}}


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
        check_uncovered(page)
        expect_names_without_keys(page)


def test_long_labels_stay_in_a_small_window(chromium: Browser, open_items):
    word = "Donaudampfschifffahrtsgesellschaftskapitän"
    value = json.loads(json.dumps(NAMES))
    names, jobs = value["fields"]
    for part in (*names["labels"], *jobs["labels"], *names["attributes"]):
        part["label"] = f"{word} with a long label {part['key']}"
    names["attributes"][0]["options"] = [{"key": "a", "label": f"{word} {word}"}]
    view = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    with chromium.new_context(**view) as context:
        page = open_items(context, make_texts(make_custom_project(value), value))
        token(page, 0).tap()
        page.locator(".palette__label").first.tap()
        token(page, 6).tap()
        page.locator(".palette__label").nth(1).tap()
        expect(page.locator(".spans__text")).to_have_count(2)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert axe_findings(page) == []


def test_exercise_of_a_definition_is_compared_with_the_expert(live_server, context, new_page):
    value = starter("image-boxes").value
    project = make_custom_project(value)
    page = new_page(context)
    start = reverse("annotation:practice-start", args=[series_of(project)])
    open_task(page, f"{live_server.url}{start}")
    expect(page.locator(".stage__image")).to_be_visible()
    assert axe_findings(page) == []
    press(page, "Control+Enter")
    page.get_by_role("button", name="Does the caption describe").click()
    page.get_by_role("radio", name="Completely").check()
    page.get_by_role("button", name="Compare with the expert").click()
    expect(page.locator("[data-summary]")).to_contain_text(
        "Your answers agree with the expert's by"
    )
    assert axe_findings(page) == []
    page.get_by_role("link", name="Next exercise").click()
    ready(page)
    # What is done in another series is not done here.
    expect(page.locator("[data-lesson='1'][data-done]")).to_be_visible()
    open_task(page, f"{live_server.url}{reverse('annotation:practice', args=['qasrl', 2])}")
    expect(page.locator("[data-done]")).to_have_count(0)


def test_single_keys_can_be_off(open_one):
    page = open_one(REVIEW, "The soup was cold .")
    expect_single_keys_can_be_off(page)


ROLES = ("generate", "consolidate", "validate")


HASHED = re.compile(r"(/static/[\w/-]+)\.(js|css|svg)")


def hashed(match: re.Match[str]) -> str:
    """Return the address of a static file with a hash, as collected files have it."""
    digest = hashlib.md5(match[0].encode(), usedforsecurity=False).hexdigest()[:HASH_LENGTH]
    return f"{match[1]}.{digest}.{match[2]}"


@pytest.mark.parametrize("name", STARTERS)
def test_pages_of_a_starter_weigh_at_most_60_kb(open_starter, context, name):
    finished: list[Request] = []
    context.on("requestfinished", lambda request: finished.append(request))  # noqa: PLW0108
    for role in ROLES:
        finished.clear()
        page = open_starter(role, name)
        document = gzip.compress(HASHED.sub(hashed, page.request.get(page.url).text()).encode())
        names = {urlsplit(request.url).path.removeprefix("/static/") for request in finished}
        weights = {each: weight_of(each) for each in names if each.startswith(("css/", "js/"))}
        total = len(document) + sum(weights.values())
        print(f"{name}, {role}: {total} bytes")  # noqa: T201
        assert total <= MAX_WEIGHT, weights


def weight_of(name: str) -> int:
    """Return the size of a static file as it is served, minified and compressed."""
    path = Path(finders.find(name))
    return len(gzip.compress(MINIFIERS[path.suffix](path.read_text("utf-8")).encode()))
