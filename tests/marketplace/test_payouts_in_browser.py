"""The operator records a payout by keyboard, and the worker finds it, at 360 and 1280 pixels."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tests.axe import axe_findings

from .conftest import log_in_as, overflow

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

SIZES = [(360, "dark"), (1280, "light")]


def check(page) -> None:
    assert overflow(page) <= 0
    assert axe_findings(page) == []


@pytest.fixture(params=SIZES)
def signed_in(request, page, site, earned, operator):
    """A page with the sessions of the operator and the worker."""
    width, scheme = request.param
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    session = operator.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": site}])
    log_in_as(page, site, earned)
    return page


def test_payout_is_recorded_and_shown(signed_in, site, mturk, earned):
    page = signed_in
    assignment = earned.assignments.get()
    mturk.update_bonus_status(
        WorkerId=earned.code,
        AssignmentId=assignment.code,
        BonusAmount="0.24",
        Status="Reviewing",
        Reason="3 seconds of work. We expect at least 8 seconds per item.",
    )
    page.goto(f"{site}/hits/payment/")
    page.get_by_label("How do you want to be paid?").fill("NL00 BANK 0123 4567 89")
    check(page)
    page.get_by_role("button", name="Save").click()
    page.goto(f"{site}/hits/operator/statement/")
    check(page)
    page.get_by_role("checkbox", name="ann").focus()
    page.keyboard.press("Space")
    page.get_by_label("Reference").fill("T-4711")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Record $1.16 to 1 worker as paid?")).to_be_visible()
    check(page)
    page.get_by_role("button", name="Record $1.16 as paid").click()
    expect(page.get_by_text("Recorded: $1.16 to 1 worker.")).to_be_visible()
    check(page)
    page.goto(f"{site}/hits/earnings/")
    paid = page.get_by_role("row", name=f"{timezone.now():%Y-%m-%d} T-4711 1.16")
    expect(paid).to_be_visible()
    expect(page.get_by_text("Bonuses in review")).to_be_visible()
    check(page)
    page.goto(f"{site}/hits/history/")
    expect(page.get_by_text("+ 0.24 bonus in review")).to_be_visible()
    check(page)
