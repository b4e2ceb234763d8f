"""Browser tests of work and people that an earlier choice left unused, and that are used later."""

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from annotation.domain.publishing.qualification_codes import pool_size
from consolidation.models import ExpertQueue, Gold
from projects.enums import MemberRole, Role
from tests.axe import LOOKS, axe_findings
from tests.consolidation.experts import make_expert, make_queue, submit_result
from tests.consolidation.factories import IDENTIFIED, SURVEY, make_item
from tests.consolidation.gold import FIRST
from tests.dashboard.campaign import make_user
from tests.qualification.factories import LATER, make_passed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def enrolment(db):
    return make_passed()


@pytest.fixture
def project(enrolment):
    return enrolment.round.project


@pytest.fixture
def open_page(chromium: Browser, live_server, settings, project):
    settings.ALLOWED_HOSTS = ["*"]
    settings.CSRF_TRUSTED_ORIGINS = [live_server.url]
    client = Client()
    client.force_login(make_user("rita", project, MemberRole.ADMIN))
    cookie = {
        "name": "sessionid",
        "value": client.cookies["sessionid"].value,
        "url": live_server.url,
    }
    opened = []

    def new(**options) -> Page:
        context = chromium.new_context(base_url=live_server.url, **options)
        context.add_cookies([cookie])
        opened.append(context)
        return context.new_page()

    yield new
    for context in opened:
        context.close()


def annotate_all(queue: ExpertQueue) -> None:
    expert = make_expert("eva")
    for queued in queue.queued.all():
        submit_result(queued, expert, FIRST, LATER)


def test_finished_queue_becomes_gold_and_a_trainee_is_admitted(open_page, project, enrolment):
    project.allow_free_form = True  # the questions are about the verb of some items
    project.save()
    for _ in range(2):
        make_item(SURVEY, IDENTIFIED, project)
    before = Gold.objects.count()
    page = open_page()
    page.goto(reverse("consolidation:gold_import", args=[project.slug]))
    page.get_by_role("link", name="for experts").click()
    form = page.locator("details[open]")
    expect(form.get_by_label("Use as expert gold immediately")).to_be_checked()
    form.get_by_label("Use as expert gold immediately").uncheck()
    form.get_by_label("Title").fill("Gold for training")
    form.get_by_label("Sample size").fill("2")
    form.get_by_role("button", name="Create queue").press("Enter")
    expect(page.get_by_text("“Gold for training” is set up")).to_be_visible()
    annotate_all(ExpertQueue.objects.get())
    page.reload()
    page.get_by_role("link", name="2 items not gold yet").press("Enter")
    page.get_by_role("button", name="Use as expert gold").press("Enter")
    expect(page.get_by_text("2 items now have expert gold from this queue.")).to_be_visible()
    expect(page.get_by_role("button", name="Use as expert gold")).to_have_count(0)
    assert Gold.objects.count() == before + 2

    page.goto(reverse("qualification:round", args=[project.slug, enrolment.round_id]))
    expect(page.get_by_text("1 worker passed and is not in the pool yet.")).to_be_visible()
    page.get_by_role("button", name="Admit to the pool").first.press("Enter")
    page.get_by_role("button", name="Admit 1 worker").press("Enter")
    expect(page.get_by_text("1 worker admitted to the pool.")).to_be_visible()
    expect(page.get_by_text("not in the pool yet")).to_have_count(0)
    assert pool_size(project=project, role=Role.GENERATOR) == 1


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_pages_are_accessible_and_fit_their_width(open_page, project, enrolment, look):
    width, scheme = look
    items = [make_item(SURVEY, IDENTIFIED, project) for _ in range(2)]
    queue = make_queue(project, items, kind="annotate")
    annotate_all(queue)
    addresses = {
        "experts": reverse("consolidation:experts", args=[project.slug]),
        "queue": reverse("consolidation:expert_queue", args=[project.slug, queue.pk]),
        "gold": reverse("consolidation:gold_import", args=[project.slug]),
        "round": reverse("qualification:round", args=[project.slug, enrolment.round_id]),
        "edit": reverse("qualification:edit", args=[project.slug, enrolment.round_id]),
        "new": reverse("qualification:new_round", args=[project.slug]),
        "pool": reverse("qualification:pool", args=[project.slug]),
        "worker": reverse("qualification:worker", args=[project.slug, enrolment.worker.pseudonym]),
    }
    page = open_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    findings = []
    for name, address in addresses.items():
        page.goto(address)
        findings += [(name, finding) for finding in axe_findings(page)]
        excess = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        findings += [(name, "too wide by", excess)] if excess > 0 else []
    page.goto(reverse("annotation:publish", args=[project.slug]))
    page.get_by_role("button", name="Preview cost").click()
    expect(page.get_by_text("although the project has training rounds")).to_be_visible()
    assert findings + axe_findings(page) == []
