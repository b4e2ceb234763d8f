"""The page of held bonuses and appeals in a browser, and the worker's page of an appeal."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.domain.decisions.appeal_links import appeal_url
from annotation.models import HeldBonus
from projects.enums import BonusTiming
from tests.annotation.test_corpus_in_browser import office, project, site
from tests.annotation.test_decide_bonuses import submit_for
from tests.axe import axe_findings
from tests.dashboard.test_in_browser import NARROW, WIDE, open_context

__all__ = ["office", "open_context", "project", "site"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def check(page: Page, width: int) -> None:
    assert axe_findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("viewport", "scheme"), [(NARROW, "dark"), (WIDE, "light")])
def test_bonuses_are_declined_together_and_appealed(open_context, project, viewport, scheme):
    """Three bonuses of 35 cents, of which two are of the same worker for the same reasons."""
    width = viewport["width"]
    project.bonus_timing = BonusTiming.AT_ONCE
    project.save()
    worker = submit_for(project, seconds=3)
    submit_for(project, worker, seconds=3)
    submit_for(project)
    page = open_context(viewport=viewport, color_scheme=scheme).new_page()
    page.goto(reverse("annotation:held_bonuses", args=[project.slug]))
    page.get_by_role("checkbox", name=f"Select all bonuses of {worker}").focus()
    page.keyboard.press("Space")
    page.get_by_label("Decision on the selected bonuses").select_option("decline")
    page.get_by_label("Reason or note for the workers").fill("Too fast to be careful work.")
    check(page, width)
    page.get_by_role("button", name="Continue").click()
    check(page, width)
    page.get_by_role("button", name="Decline $0.70 for 2 held bonuses").click()
    expect(page.get_by_text("Declined: 2 held bonuses.")).to_be_visible()
    held = HeldBonus.objects.filter(state="declined").first()
    page.goto(reverse("annotation:bonus_appeal", args=[appeal_url(held).split("/")[-2]]))
    page.get_by_label("Why should the bonus be paid?").fill("I know these sentences.")
    check(page, width)
    page.get_by_role("button", name="Send appeal").click()
    expect(page.get_by_text("You'll get a message with the answer.")).to_be_visible()
    page.goto(reverse("annotation:held_bonuses", args=[project.slug]))
    expect(page.get_by_text("I know these sentences.")).to_be_visible()
    check(page, width)
    page.get_by_label("Answer", exact=True).fill("You are right.")
    page.get_by_role("button", name="Answer and pay $0.35").click()
    expect(page.get_by_text("The bonus will be paid.")).to_be_visible()
