"""Browser tests of two annotating experts, a blind merge by keyboard and a corrected review."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.core.management import call_command
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect

from annotation.domain.corpus.check_corpus import item_key
from annotation.domain.corpus.item_context import context_of
from annotation.models import Submission
from consolidation.domain.experts.monitor import draw_due_reviews
from consolidation.models import Gold, Review
from projects.enums import MemberRole
from schemes.registry import get_scheme
from tests.axe import LOOKS, axe_findings
from tests.consolidation.experts import make_queue, set_review_rate
from tests.consolidation.factories import (
    CONTAIN,
    IDENTIFIED,
    SURVEY,
    make_generation,
    make_item,
    make_project,
)
from tests.consolidation.gold import FIRST, SECOND, make_gold_item
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
NARROW, WIDE = {"width": 360, "height": 800}, {"width": 1280, "height": 900}


@pytest.fixture
def project(db):
    return make_project(title="Survey")


@pytest.fixture
def items(project):
    """Create the two verbs of one sentence, with the keys that an import would set."""
    rows = [make_item(SURVEY, verb, project) for verb in (IDENTIFIED, CONTAIN)]
    for item, verb in zip(rows, (IDENTIFIED, CONTAIN), strict=True):
        item.sentence.external_id = f"Wiki1k:n:1:0:{verb}"
        item.sentence.save()
        item.key = item_key(item.sentence.external_id, str(verb))
        item.save()
    return rows


@pytest.fixture
def signed_in(chromium: Browser, live_server, settings):
    """Open a browser for a member, and fail if a page logs an error to the console."""
    settings.ALLOWED_HOSTS = ["*"]
    complaints: list[str] = []

    @contextmanager
    def browse(user, *, expected: int = 0, **options) -> Iterator[Page]:
        client = Client()
        client.force_login(user)
        context: BrowserContext = chromium.new_context(
            base_url=live_server.url, **{"viewport": WIDE, **options}
        )
        context.set_default_timeout(10_000)
        cookie = client.cookies["sessionid"].value
        context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
        # The console logs all error responses.
        context.on(
            "console",
            lambda message: (
                f"status of {expected} " in message.text or complaints.append(message.text)
            ),
        )
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        yield context.new_page()
        context.close()

    yield browse
    assert complaints == []


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def wait_until_ready(page: Page) -> Page:
    expect(page.locator("html[data-ready]")).to_be_attached()
    return page


def open_queue(page: Page, project) -> None:
    """Open the first item from the project's page by keyboard."""
    page.goto(f"/projects/{project.slug}/experts/")
    page.get_by_role("link", name="Queue 1").focus()
    press(page, "Enter")
    expect(page.get_by_role("button", name="Next item")).to_be_focused()
    press(page, "Enter")
    wait_until_ready(page)


def token(page: Page, position: int):
    return page.locator(f"#sentence-{position} .word")


def focus_first_card(page: Page) -> None:
    for _ in range(20):
        press(page, "Tab")
        if page.evaluate("document.activeElement.classList.contains('card')"):
            return
    pytest.fail("Tab does not lead to a question")


def ask(page: Page, question: str, first: int, last: int) -> None:
    """Type a question and select its answer in the sentence, without a mouse."""
    page.keyboard.type(question)
    press(page, "Enter")
    expect(page.locator("#sentence")).to_be_focused()
    press(page, "Home", *["ArrowRight"] * first, *["Shift+ArrowRight"] * (last - first), "Enter")


def annotate_both(page: Page, project, verbs: list[tuple[str, int, int]]) -> None:
    open_queue(page, project)
    for at, (question, first, last) in enumerate(verbs):
        page.get_by_role("combobox", name="Question 1").focus()
        ask(page, question, first, last)
        expect(page.locator(".answer-chip__text")).to_have_text(" ".join(SURVEY[first : last + 1]))
        address = page.url
        press(page, "Control+Enter")
        if at == 0:
            expect(page).not_to_have_url(address)
            wait_until_ready(page)
    expect(page.get_by_text("There are no more items for you in this queue")).to_be_visible()


def test_annotations_of_two_experts_are_merged_blind_and_exported(
    signed_in, project, items, tmp_path
):
    eva, otto, mia = (
        make_user(name, project, MemberRole.EXPERT) for name in ("eva", "otto", "mia")
    )
    make_queue(project, items, kind="annotate", experts_per_item=2)
    basin = SURVEY.index("basin")
    for expert, who in ((eva, (3, 8)), (otto, (3, 6))):
        with signed_in(expert) as page:
            annotate_both(
                page,
                project,
                [
                    ("Who identified something?", *who),
                    ("What might contain something?", basin + 3, basin + 4),
                ],
            )
            assert "eva" not in (page.content() if expert is otto else "")
    assert Submission.objects.filter(role="expert", state="accepted").count() == 4

    queue = make_queue(project, items, title="Set", sources=["expert"])
    with signed_in(mia) as page:
        page.goto(f"/projects/{project.slug}/experts/{queue.pk}/")
        expect(page.get_by_role("button", name="Next item")).to_be_focused()
        press(page, "Enter")
        wait_until_ready(page)
        focus_first_card(page)
        press(page, "g")  # both questions are equal, so the second becomes redundant
        press(page, "n")
        page.keyboard.type("What did someone identify?")
        press(page, "Enter")
        expect(page.locator("#sentence")).to_be_focused()
        press(page, "Home", *["ArrowRight"] * (basin - 1), "Shift+ArrowRight", "Enter")
        expect(page.locator("[data-status]")).to_have_text("Saved")
        page.reload()
        wait_until_ready(page)
        expect(page.locator("[data-preview] > li")).to_have_count(2)
        address = page.url
        press(page, "Control+Enter")
        expect(page).not_to_have_url(address)
        wait_until_ready(page)
        focus_first_card(page)
        press(page, "Shift+G", "Control+Enter")
        expect(page.get_by_text("There are no more items for you")).to_be_visible()
        expect(page.get_by_text("2 done by you")).to_be_visible()

    gold = {version.item: version for version in Gold.objects.filter(source="expert")}
    assert [len(gold[item].content["questions"]) for item in items] == [2, 1]
    states = [[origin["state"] for origin in gold[item].provenance] for item in items]
    assert states == [["kept", "new"], ["kept"]]
    call_command(
        "export_gold", project.slug, format="qasrl-csv", source="expert", out=str(tmp_path)
    )
    [path] = tmp_path.glob("*.gold.csv")
    with path.open(encoding="utf-8", newline="") as file:
        assert {row["worker_id"] for row in csv.DictReader(file)} == {""}
    scheme = get_scheme("qasrl")
    read = {
        item_key(record.item.external_id, record.item.local_key): record
        for record in scheme.corpus.read_gold(
            [path], "qasrl-csv", lambda error: pytest.fail(str(error))
        )
    }
    for item in items:
        content = scheme.content.parse_gold(read[item.key].content, context_of(item))
        assert content == gold[item].content

    with signed_in(make_user("rita", project, MemberRole.REQUESTER)) as page:
        page.goto(f"/projects/{project.slug}/experts/{queue.pk}/report/")
        for name in ("expert eva", "expert otto"):
            expect(page.get_by_role("row", name=name)).to_be_visible()


def test_review_is_corrected_on_the_page_and_says_what_changed(signed_in):
    gold = make_gold_item()
    project = gold.item.project
    set_review_rate(project=project, per_thousand=1000)
    draw_due_reviews(clock=lambda: NOW)
    review = Review.objects.get()
    with signed_in(make_user("eva", project, MemberRole.EXPERT)) as page:
        page.goto(f"/projects/{project.slug}/reviews/{review.pk}/")
        page.get_by_role("link", name="Edit").focus()
        press(page, "Enter")
        wait_until_ready(page)
        expect(page.locator("[data-open]")).to_have_text("Everything is decided.")
        focus_first_card(page)
        press(page, "i", "Control+Enter")
        expect(page.get_by_text("Your correction is saved as the new gold")).to_be_visible()
        page.goto(f"/projects/{project.slug}/reviews/{review.pk}/")
        expect(page.get_by_role("heading", name="Changes")).to_be_visible()
        expect(page.get_by_role("rowheader", name="extra").first).to_be_visible()
        assert axe_findings(page) == []
    corrected = Gold.objects.get(version=2)
    assert len(corrected.content["questions"]) == len(gold.content["questions"]) - 1
    review.refresh_from_db()
    assert (review.state, review.correction) == ("corrected", corrected)


def make_mergeable_queue(project, items):
    project.allow_free_form = True  # the questions are about the verb of one of the items
    project.save()
    for item in items:
        make_generation(item, FIRST)
        make_generation(item, SECOND)
    return make_queue(project, items, sources=["generator"])


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_pages_are_accessible_and_fit_their_width(signed_in, project, items, look):
    width, scheme = look
    viewport = {"width": width, "height": 800}
    merges = make_mergeable_queue(project, items)
    annotations = make_queue(project, items, kind="annotate")
    root = make_user("root", project, MemberRole.ADMIN)
    base = f"/projects/{project.slug}/experts/"
    addresses = [
        base,
        f"{base}{merges.pk}/",
        f"{base}{merges.pk}/report/",
        f"{base}items/{merges.queued.first().pk}/",
        f"{base}items/{annotations.queued.first().pk}/",
    ]
    findings = []
    with signed_in(root, viewport=viewport, color_scheme=scheme) as page:
        for address in addresses:
            page.goto(address)
            for details in page.locator("details.panel > summary").all():
                details.click()
            findings += [(address, finding) for finding in axe_findings(page)]
            excess = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            findings += [(address, "too wide by", excess)] if excess > 0 else []
    assert findings == []


def test_draft_of_an_expert_is_not_shown_to_another_on_the_same_computer(
    signed_in, live_server, project, items
):
    """An unsaved draft stays in the browser for its author."""
    queue = make_queue(project, items[:1], kind="annotate", experts_per_item=2)
    address = f"/projects/{project.slug}/experts/items/{queue.queued.get().pk}/"
    people = {name: make_user(name, project, MemberRole.EXPERT) for name in ("eva", "otto")}
    with signed_in(people["eva"], expected=403) as page:
        context = page.context
        page.goto(address)
        wait_until_ready(page)
        context.clear_cookies(name="sessionid")
        page.get_by_role("combobox", name="Question 1").fill("Who identified something?")
        expect(page.locator("[data-banner]")).to_contain_text("You've been signed out")
        for name, text in (("otto", ""), ("eva", "Who identified something?")):
            client = Client()
            client.force_login(people[name])
            cookie = client.cookies["sessionid"].value
            context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
            page.goto(address)
            wait_until_ready(page)
            expect(page.get_by_role("combobox", name="Question 1")).to_have_value(text)
        expect(page.locator("[data-status]")).to_have_text("Saved")
