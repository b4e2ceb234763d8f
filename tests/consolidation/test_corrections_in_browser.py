"""Browser tests: experts review gold, correct their work and flag items. Staff tick items."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from consolidation.domain.experts.expert_queues import take_next
from consolidation.models import ExpertQueue, Gold, ItemFlag
from projects.enums import MemberRole
from tests.axe import axe_findings
from tests.consolidation.experts import make_queue, submit_result
from tests.consolidation.factories import IDENTIFIED, SURVEY, make_item, make_project
from tests.consolidation.gold import FIRST, make_gold_item
from tests.consolidation.test_experts_in_browser import NARROW, WIDE, signed_in, wait_until_ready
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
__all__ = ["signed_in"]
ALONE = {"kind": "annotate", "sources": (), "makes_gold": True}


def check_page(page: Page) -> None:
    """Check the page in dark mode on a phone, and in light mode at full width."""
    for scheme, size in (("dark", NARROW), ("light", WIDE)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(size)
        assert axe_findings(page) == []
    page.set_viewport_size(NARROW)
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= NARROW["width"]
    page.set_viewport_size(WIDE)


def test_admin_corrects_gold_from_its_page(signed_in):
    gold = make_gold_item()
    project = gold.item.project
    with signed_in(make_user("ada", project, MemberRole.ADMIN)) as page:
        page.goto(reverse("datasets:gold_sentence", args=[project.slug, gold.item.sentence_id]))
        page.get_by_role("button", name="Review this item").click()
        wait_until_ready(page)
        page.get_by_role("button", name="Invalid").first.click()
        page.get_by_role("button", name="Submit").click()
        expect(page.get_by_text("Your correction is saved as the new gold.")).to_be_visible()
        page.goto(reverse("consolidation:item", args=[project.slug, gold.item_id]))
        expect(page.get_by_role("heading", name="Consolidated, version 2")).to_be_visible()
        expect(page.get_by_role("button", name="Review this item")).to_have_count(1)
        check_page(page)
    assert len(Gold.objects.get(version=2).content["questions"]) == 2


def test_expert_returns_to_a_submitted_item_and_corrects_it(signed_in):
    project = make_project(title="Survey")
    items = [make_item(SURVEY, IDENTIFIED, project) for _ in range(3)]
    expert = make_user("eva", project, MemberRole.EXPERT)
    queue = make_queue(project, items, **ALONE)
    submit_result(take_next(queue=queue, expert=expert, now=NOW), expert, FIRST)
    following = take_next(queue=queue, expert=expert, now=NOW)
    with signed_in(expert) as page:
        page.goto(reverse("consolidation:expert_item", args=[project.slug, following.pk]))
        wait_until_ready(page)
        places = page.get_by_role("navigation", name="Items of the queue")
        expect(places).to_contain_text("2 of 3")
        check_page(page)
        places.get_by_role("link", name="Previous").click()
        wait_until_ready(page)
        expect(places).to_contain_text("1 of 3")
        expect(page.get_by_role("button", name="Submit")).to_be_disabled()
        page.get_by_role("button", name="Correct my annotation").click()
        wait_until_ready(page)
        page.get_by_role("button", name="Delete question 3").click()
        page.get_by_role("button", name="Submit").click()
        expect(places).to_contain_text("3 of 3")
    assert [gold.version for gold in Gold.objects.order_by("pk")] == [1, 2]
    assert len(Gold.objects.get(version=2).content["questions"]) == 2


def test_expert_flags_an_item_and_staff_decide(signed_in):
    project = make_project(title="Survey")
    items = [make_item(SURVEY, IDENTIFIED, project) for _ in range(2)]
    expert = make_user("eva", project, MemberRole.EXPERT)
    queue = make_queue(project, items, **ALONE)
    queued = take_next(queue=queue, expert=expert, now=NOW)
    with signed_in(expert) as page:
        page.goto(reverse("consolidation:expert_item", args=[project.slug, queued.pk]))
        wait_until_ready(page)
        page.get_by_role("link", name="Flag item").click()
        page.get_by_label("What is wrong with the item?").fill("It has no verb.")
        check_page(page)
        page.get_by_role("button", name="Flag item").click()
        wait_until_ready(page)
        expect(page.get_by_role("navigation", name="Items of the queue")).to_contain_text("1 of 1")
    with signed_in(make_user("rita", project, MemberRole.REQUESTER)) as page:
        page.goto("/")
        page.get_by_role("link", name="1 flagged items awaiting a decision").click()
        check_page(page)
        page.get_by_role("link", name="It has no verb.").click()
        check_page(page)
        page.get_by_role("button", name="Withdraw item").click()
        expect(page.get_by_text("was withdrawn.")).to_be_visible()
    assert ItemFlag.objects.get().state == "followed"


def test_ticked_items_become_a_queue(signed_in):
    project = make_project(title="Survey")
    items = [make_item(SURVEY, IDENTIFIED, project) for _ in range(3)]
    with signed_in(make_user("rita", project, MemberRole.REQUESTER)) as page:
        page.goto(reverse("consolidation:items", args=[project.slug]))
        for box in page.locator("[data-select-row]").all()[:2]:
            box.check()
        page.get_by_role("button", name="Add ticked items to an expert queue").click()
        page.get_by_label("Title of the new queue").fill("Two")
        check_page(page)
        page.get_by_role("button", name="Add the items").click()
        expect(page.get_by_text("“Two” is set up: 2 items.")).to_be_visible()
    assert list(ExpertQueue.objects.get().items.order_by("queued__ordinal")) == items[:2]
