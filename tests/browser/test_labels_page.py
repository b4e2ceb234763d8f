"""A scheme that only has page modules, with the generic template and shell."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from django.urls import reverse
from playwright.sync_api import BrowserContext, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Draft, Item, Sentence
from consolidation.models import Case
from projects.domain.choose_protocol import choose_protocol
from projects.domain.create_project import create_project
from projects.domain.resources import change_resource
from projects.enums import Protocol
from projects.models import Project
from schemes.registry import SCHEMES
from tests.annotation.factories import NOW, make_task, task_url
from tests.axe import axe_findings
from tests.browser.work import expect_submitted, open_task, press, ready, status, submit
from tests.consolidation.factories import make_case_of
from tests.consolidation.validation import make_validation_case
from tests.schemes.labels.scheme import SCHEME
from tests.signed import signed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

STATIC = Path(__file__).resolve().parents[1] / "schemes" / "labels" / "static"
TOKENS = ["The", "match", "was", "a", "pleasure", "."]
PAY = SCHEME.vocabulary.pay_presets["labels"]
_numbers = count(1)


@pytest.fixture(autouse=True)
def _registered(monkeypatch, settings) -> None:
    monkeypatch.setitem(SCHEMES, SCHEME.name, SCHEME)
    settings.STATICFILES_DIRS = [*settings.STATICFILES_DIRS, STATIC]


@pytest.fixture
def live_server(_registered, transactional_db) -> Iterator[LiveServer]:
    """Start a server for each test, because a server locates its static files at the start."""
    server = LiveServer("localhost")
    yield server
    server.stop()


@pytest.fixture
def project() -> Project:
    return create_project(slug="labels", scheme=SCHEME.name, pay_scheme=PAY, now=NOW)


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """Yield a page and check that its scripts raise no error."""
    errors: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    assert errors == []


@dataclass
class Marketplace:
    """A fake of the configured marketplace, whose requests the test answers in the browser."""

    origin: str
    contents: list[dict[str, object]] = field(default_factory=list)

    def receive(self, route: Route) -> None:
        fields = parse_qs(route.request.post_data or "")
        self.contents.append(json.loads(fields["content"][0]))
        thanks = "<!doctype html><html lang=en><title>Done</title><h1>Thank you</h1>"
        route.fulfill(body=thanks, content_type="text/html")


@pytest.fixture
def marketplace(page, settings) -> Marketplace:
    marketplace = Marketplace(settings.MTURK_WORKER_ORIGINS[0])
    page.route(f"{marketplace.origin}/**", marketplace.receive)
    return marketplace


@pytest.fixture
def open_items(page, live_server, marketplace) -> Callable[..., Page]:
    def open_items(*items: Item) -> Page:
        address = task_url(make_task(items), submit_to=marketplace.origin)
        return open_task(page, f"{live_server.url}{address}")

    return open_items


@pytest.fixture
def open_case(page, live_server, marketplace) -> Callable[[str, Case], Page]:
    def open_case(role: str, case: Case) -> Page:
        query = f"assignmentId=A1&hitId=H1&workerId=W1&turkSubmitTo={marketplace.origin}"
        address = reverse(f"consolidation:{role}", args=[case.task.public_id])
        return open_task(page, signed(f"{live_server.url}{address}?{query}"))

    return open_case


def make_item(project: Project) -> Item:
    name = f"s{next(_numbers)}"
    sentence = Sentence.objects.create(project=project, external_id=name, tokens=TOKENS)
    return Item.objects.create(project=project, sentence=sentence, key=name, target={}, position=1)


def test_item_is_labelled_by_keyboard_and_the_draft_survives_a_reload(
    project, open_items, marketplace
):
    item = make_item(project)
    page = open_items(item)
    expect(page.get_by_role("heading", level=1)).to_have_text("Label a sentence")
    expect(page.locator("[data-pay]")).to_have_text("2 ¢")
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Which label fits? Choose an answer.").click()
    expect(page.get_by_role("radio").first).to_be_focused()
    page.keyboard.press("2")
    expect(status(page)).to_have_text("Saved")
    draft = Draft.objects.get()
    assert draft.content == {str(item.pk): {"label": "negative"}}
    assert draft.moves == 1
    assert [move for _, *move in draft.log] == [["choice", "choosing negative"]]
    assert draft.steps == {"choice": {"seconds": draft.active_seconds, "moves": 1}}
    page.reload()
    ready(page)
    expect(page.get_by_role("radio", name="2 negative")).to_be_checked()
    press(page, "1")
    expect(page.get_by_role("radio", name="1 positive")).to_be_checked()
    press(page, "Control+z")
    expect(page.get_by_role("radio", name="2 negative")).to_be_checked()
    press(page, "Control+Shift+z")
    expect(page.get_by_role("radio", name="1 positive")).to_be_checked()
    assert axe_findings(page) == []
    press(page, "Control+Enter")
    expect_submitted(page)
    assert marketplace.contents == [{str(item.pk): {"label": "positive"}}]
    draft.refresh_from_db()
    assert (draft.moves, draft.steps["choice"]["moves"]) == (4, 4)


def test_items_of_a_task_are_labelled_in_turn(project, open_items, marketplace):
    items = [make_item(project) for _ in range(3)]
    page = open_items(*items)
    expect(page.locator("[data-progress-text]")).to_have_text("Sentence 1 of 3")
    press(page, "1")
    page.get_by_role("button", name="Next sentence").click()
    page.get_by_role("button", name="Next sentence").click()
    press(page, "3")
    page.get_by_role("button", name="Undo choosing neutral").click()
    page.get_by_role("button", name="Undo choosing positive").click()
    expect(page.locator("[data-progress-text]")).to_have_text("Sentence 1 of 3")
    press(page, "2", "Control+Enter")
    page.get_by_role("button", name="Sentence 3: Which label fits?").click()
    expect(page.locator("[data-progress-text]")).to_have_text("Sentence 3 of 3")
    press(page, "3")
    page.get_by_role("button", name="Previous sentence").click()
    press(page, "1")
    page.get_by_role("button", name="Next sentence").click()
    submit(page)
    expect_submitted(page)
    labels = ("negative", "positive", "neutral")
    expected = {str(item.pk): {"label": label} for item, label in zip(items, labels, strict=True)}
    assert marketplace.contents == [expected]


def test_labels_of_the_project_are_offered(project, open_items):
    change_resource(
        project=project, name="labels", value=["calm", "angry"], actor="requester", now=NOW
    )
    page = open_items(make_item(project))
    expect(page.locator("label.field")).to_have_text(["1 calm", "2 angry"])


def test_preview_allows_no_choice(project, page, live_server, marketplace):
    task = make_task([make_item(project)])
    open_task(page, f"{live_server.url}{reverse('annotation:generate', args=[task.public_id])}")
    expect(page.get_by_role("radio").first).to_be_disabled()


def test_better_label_is_chosen(project, open_case, marketplace):
    item = make_item(project)
    case = make_case_of(item, {"label": "positive"}, {"label": "neutral"})
    page = open_case("consolidate", case)
    expect(page.get_by_role("radio")).to_have_count(2)
    press(page, "2", "Control+Enter")
    expect_submitted(page)
    assert marketplace.contents == [{str(item.pk): {"label": "neutral"}}]


def test_label_is_checked(project, open_case, marketplace):
    options = {"validators": 2, "agree": 2, "actor": "test", "now": NOW}
    choose_protocol(project=project, protocol=Protocol.VALIDATION, **options)
    item = make_item(project)
    page = open_case("validate", make_validation_case({"label": "positive"}, item=item))
    expect(page.get_by_text("Is “positive” right?")).to_be_visible()
    press(page, "1", "Control+Enter")
    expect_submitted(page)
    assert marketplace.contents == [{str(item.pk): {"valid": True, "label": "positive"}}]
