"""Browser tests of the trainer's pages by keyboard and of the worker's feedback on a phone."""

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, expect

from qualification.domain.training.feedback import Notes, link_of, send_feedback
from qualification.models import Feedback
from tests.axe import LOOKS, axe_findings
from tests.qualification.factories import LATER

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NARROW, WIDE = {"width": 360, "height": 800}, {"width": 1280, "height": 900}


@pytest.fixture
def site(live_server, settings):
    settings.ALLOWED_HOSTS = ["*"]
    settings.SITE_URL = live_server.url
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    return live_server.url


@pytest.fixture
def open_page(chromium: Browser, site, desk):
    opened = []

    def new(viewport=WIDE, *, signed_in=True, **options):
        context = chromium.new_context(base_url=site, viewport=viewport, **options)
        if signed_in:
            value = desk.cookies["sessionid"].value
            context.add_cookies([{"name": "sessionid", "value": value, "url": site}])
        opened.append(context)
        return context.new_page()

    yield new
    for context in opened:
        context.close()


def addresses(enrolment):
    slug, round_id = enrolment.round.project.slug, enrolment.round_id
    worker_path = [slug, round_id, enrolment.worker.pseudonym]
    return [
        reverse("qualification:rounds", args=[slug]),
        reverse("qualification:round", args=[slug, round_id]),
        reverse("qualification:trainee", args=worker_path),
        reverse("qualification:preview", args=worker_path),
    ]


def overflow(page):
    page.wait_for_load_state()
    return page.evaluate("document.documentElement.scrollWidth - innerWidth")


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_pages_are_accessible_and_fit_their_width(open_page, enrolment, trainer, look):
    width, scheme = look
    viewport = {"width": width, "height": 800}
    notes = Notes("Well begun.", {str(enrolment.round.items.first().pk): "Split the names."})
    sent = send_feedback(enrolment=enrolment, trainer=trainer, notes=notes, now=LATER)
    page = open_page(viewport, color_scheme=scheme)
    findings = []
    for url in [*addresses(enrolment), link_of(sent)]:
        page.goto(url)
        findings += [(url, finding) for finding in axe_findings(page)]
        findings += [(url, "too wide by", overflow(page))] if overflow(page) > 0 else []
    assert findings == []


def test_trainer_sends_feedback_by_keyboard_and_the_worker_reads_it_on_a_phone(
    open_page, enrolment
):
    page = open_page()
    page.goto(addresses(enrolment)[1])
    page.get_by_role("link", name=enrolment.worker.pseudonym).press("Enter")
    expect(page.locator("html[data-ready]")).to_have_count(1)
    page.keyboard.press("j")
    first = page.locator("[data-item]").first
    expect(first).to_be_focused()
    first.get_by_role("button", name="answer not split").press("Enter")
    expect(first.locator("textarea")).to_be_focused()
    page.keyboard.type(" Look again.")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.get_by_role("button", name="Accept the question").press("Enter")
    expect(page.get_by_text("LA F1, corrected")).to_be_visible()
    expect(page.locator("html[data-ready]")).to_have_count(1)
    page.keyboard.press("o")
    page.keyboard.type("Well begun.")
    page.get_by_role("button", name="Send to the worker").press("Enter")
    expect(page.get_by_text("will be sent shortly")).to_be_visible()
    feedback = Feedback.objects.get()
    assert "Look again." in "".join(feedback.notes.values())
    phone = open_page(NARROW, signed_in=False, has_touch=True)
    phone.goto(link_of(feedback))
    expect(phone.get_by_text("Well begun.")).to_be_visible()
    assert overflow(phone) <= 0
    phone.get_by_role("button", name="Mark as read").tap()
    expect(phone.get_by_role("status")).to_contain_text("you've read this")
    feedback.refresh_from_db()
    assert feedback.acknowledged_at


def test_differences_and_decision_are_reached_by_keyboard(open_page, enrolment):
    page = open_page()
    page.goto(addresses(enrolment)[2])
    expect(page.locator("html[data-ready]")).to_have_count(1)
    rows = page.locator("[data-difference]")
    assert rows.count() >= 2
    page.keyboard.press("d")
    expect(rows.first).to_be_focused()
    page.keyboard.press("d")
    expect(rows.nth(1)).to_be_focused()
    page.keyboard.press("Shift+D")
    expect(rows.first).to_be_focused()
    for part in (page.get_by_label("Summary"), page.get_by_role("button", name="Save").last):
        expect(part).to_be_in_viewport()
    page.keyboard.press("v")
    page.get_by_label("Repeat the round").check()
    page.get_by_role("button", name="Send and decide").press("Enter")
    expect(page.get_by_text("Feedback and decision are on the way")).to_be_visible()


def test_pass_below_the_thresholds_is_confirmed(open_page, enrolment):
    page = open_page()
    page.goto(addresses(enrolment)[2])
    page.get_by_role("link", name="Decide …").click()
    page.get_by_label("Pass", exact=True).check()
    page.get_by_label("Send the feedback with the decision").uncheck()
    page.get_by_role("button", name="Send and decide").click()
    expect(page.get_by_role("alert")).to_contain_text("Thresholds not met")
    assert axe_findings(page) == []
    page.get_by_role("button", name="Pass anyway").click()
    expect(page.get_by_text("The decision is on the way")).to_be_visible()
