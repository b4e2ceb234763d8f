"""Browser tests of batch actions by keyboard, against our own marketplace."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.domain.publishing.publish import publish_batch
from annotation.models import Batch, TaskItem
from crowd.domain.hits.create_hits import create_pending_hits
from crowd.domain.hits.manage_hits import send_due_ends, send_due_increases
from crowd.domain.hits.sync_hits import sync_due_hits
from crowd.models import Hit
from marketplace import models as market_models
from tests.axe import axe_findings
from tests.crowd.conftest import clock, wire
from tests.dashboard.campaign import add_items
from tests.dashboard.test_in_browser import NARROW, open_context

__all__ = ["clock", "open_context", "wire"]
TIMEOUT_MS = 30_000  # milliseconds, because the machine also runs other tests
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def site(live_server, office, project, wire, settings) -> str:
    settings.ALLOWED_HOSTS = ["*"]
    add_items(project, 3)
    return live_server.url


@pytest.fixture
def page(open_context) -> Page:
    return open_context(viewport=NARROW).new_page()


@pytest.fixture
def sweep(clock):
    def run() -> None:
        for task in (create_pending_hits, send_due_increases, send_due_ends, sync_due_hits):
            task(clock=clock)

    return run


def press(page: Page, name: str) -> None:
    """Tab to a button and press it with Enter, without a mouse."""
    button = page.get_by_role("button", name=re.compile(f"^{re.escape(name)}"))
    expect(button).to_be_visible(timeout=TIMEOUT_MS)
    for _ in range(80):
        page.keyboard.press("Tab")
        if button.evaluate("one => one === document.activeElement"):
            break
    expect(button).to_be_focused()
    page.keyboard.press("Enter")


def expect_message(page: Page, words: str) -> None:
    expect(page.locator(".messages")).to_contain_text(words, timeout=TIMEOUT_MS)


def count_open_hits() -> int:
    """Return the number of HITs that the marketplace's workers can accept now."""
    return sum(hit.open and not hit.expiry_noted for hit in market_models.Hit.objects.all())


def test_batch_is_published_ended_and_reopened_by_keyboard(page, sweep, clock):
    page.goto(reverse("annotation:publish", args=["demo"]))
    press(page, "Preview cost")
    press(page, "Publish 3 HITs for $")
    expect_message(page, "3 HITs are being created")
    expect(page.locator("#standing")).to_contain_text("Updating 3 HITs", timeout=TIMEOUT_MS)
    sweep()
    assert count_open_hits() == 3
    # The page refreshes itself, without a reload and without a jump in the layout.
    expect(page.locator("#standing")).to_contain_text(
        "In sync with the marketplace", timeout=TIMEOUT_MS
    )
    press(page, "Pause …")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text("Pause the whole batch: 3 HITs?", timeout=TIMEOUT_MS)
    press(page, "Pause 3 HITs")
    expect_message(page, "Paused: 3 HITs.")
    sweep()
    assert count_open_hits() == 0
    press(page, "Resume …")
    press(page, "Resume 3 HITs")
    expect_message(page, "Resumed: 3 HITs.")
    sweep()
    assert count_open_hits() == 3
    end = market_models.Hit.objects.first().expires_at
    page.get_by_label("Days from now").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("30")
    page.keyboard.press("Enter")
    press(page, "Extend 3 HITs")
    expect_message(page, "Extended: 3 HITs.")
    sweep()
    assert (market_models.Hit.objects.first().expires_at - end).days >= 15
    press(page, "End …")
    press(page, "End 3 HITs")
    expect_message(page, "Ended: 3 HITs.")
    sweep()
    assert (count_open_hits(), Batch.objects.get().state) == (0, "closed")
    clock.skip(hours=3)
    sweep()
    page.reload()
    press(page, "Republish 3 HITs …")
    main = page.get_by_role("main")
    expect(main).to_contain_text("The batch has ended and is reopened.", timeout=TIMEOUT_MS)
    press(page, "Republish 3 HITs for up to $")
    expect_message(page, "Republished: 3 HITs.")
    sweep()
    assert (count_open_hits(), Batch.objects.get().state) == (3, "open")
    assert set(TaskItem.objects.values_list("republications", flat=True)) == {1}
    assert axe_findings(page) == []


def test_selected_hits_stay_selected_after_a_refresh(page, sweep, project):
    batch = publish_batch(project=project, now=timezone.now())
    sweep()
    page.goto(reverse("consolidation:batch", args=["demo", batch.pk]))
    box = page.locator("tbody").get_by_role("checkbox").first
    box.focus()
    page.keyboard.press("Space")
    expect(box).to_be_checked()
    with page.expect_response(lambda response: "part=standing" in response.url, timeout=TIMEOUT_MS):
        pass
    expect(box).to_be_checked()
    page.get_by_label("Action for the selected HITs").select_option("expire")
    press(page, "Continue …")
    main = page.get_by_role("main")
    expect(main).to_contain_text("End 1 of the 1 selected HIT?", timeout=TIMEOUT_MS)
    press(page, "End 1 HIT")
    expect_message(page, "Ended: 1 HIT.")
    assert Hit.objects.exclude(expiration_wanted=None).count() == 1


def test_action_applies_to_all_filtered_hits_only_on_request(page, sweep, project):
    batch = publish_batch(project=project, now=timezone.now())
    sweep()
    Hit.objects.filter(pk=Hit.objects.first().pk).update(state="expired")
    page.goto(reverse("consolidation:batch", args=["demo", batch.pk]))
    page.get_by_label("Which").select_option("expired")
    expect(page.locator("#rows tbody tr")).to_have_count(1)
    page.get_by_label("Action for the selected HITs").select_option("extend")
    press(page, "Continue …")
    expect_message(page, "Nothing was changed: Select rows, or all of them.")
    page.goto(reverse("consolidation:batch", args=["demo", batch.pk]) + "?state=expired")
    page.get_by_label("Action for the selected HITs").select_option("extend")
    page.get_by_label("All 1 HIT that match").check()
    expect(page.locator("[data-select-row]")).to_be_disabled()
    press(page, "Continue …")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text("Extend all 1 affected HIT (expired)?", timeout=TIMEOUT_MS)
    assert axe_findings(page) == []
